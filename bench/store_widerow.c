/* Widerow as an application uses it: CQL through prepared statements. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cql.h"
#include "store.h"

enum statement { INSERT, PAGE, NEWEST, SCAN, BY_AUTHOR, SOME_BY_AUTHOR, PUT_VECTOR, NEAREST, PUT_MAIL, GET_MAIL, COUNT, COUNTED, CLAIM, POST, FAN_OUT, TIMELINE, GET_POSTS, STATEMENTS };
static const char *const texts[STATEMENTS] = {
    [INSERT] = "INSERT INTO bench.messages (room, id, author, content, system) VALUES (?, ?, ?, ?, ?)",
    [PAGE] = "SELECT id, author, content, system FROM bench.messages WHERE room = ? LIMIT ?",
    [NEWEST] = "SELECT id, author, content, system FROM bench.messages WHERE room IN ? PER PARTITION LIMIT 1",
    [SCAN] = "SELECT room, id, author, content, system FROM bench.messages",
    [BY_AUTHOR] = "SELECT room, id, author, content, system FROM bench.messages WHERE author = ?",
    [SOME_BY_AUTHOR] = "SELECT room, id, author, content, system FROM bench.messages WHERE author = ? LIMIT ?",
    [PUT_VECTOR] = "INSERT INTO bench.vectors (number, vector) VALUES (?, ?)",
    [NEAREST] = "SELECT number FROM bench.vectors ORDER BY vector ANN OF ? LIMIT ?",
    [PUT_MAIL] = "INSERT INTO bench.mails (id, \"from\", subject, body) VALUES (?, ?, ?, ?)",
    [GET_MAIL] = "SELECT \"from\", subject, body FROM bench.mails WHERE id = ?",
    [COUNT] = "UPDATE bench.counters SET unread = unread + 1 WHERE user = ? AND folder = ?",
    [COUNTED] = "SELECT unread FROM bench.counters WHERE user = ? AND folder = ?",
    [CLAIM] = "INSERT INTO bench.users (name, password) VALUES (?, ?) IF NOT EXISTS",
    [POST] = "INSERT INTO bench.posts (id, author, body) VALUES (?, ?, ?)",
    [FAN_OUT] = "INSERT INTO bench.timelines (user, id) VALUES (?, ?)",
    [TIMELINE] = "SELECT id FROM bench.timelines WHERE user = ? LIMIT ?",
    [GET_POSTS] = "SELECT id, author, body FROM bench.posts WHERE id IN ?",
};

static const char schema[] =
    CQL_KEYSPACE
    "CREATE TABLE bench.messages (room text, id timeuuid, author text, content text, system boolean, PRIMARY KEY (room, id)) "
    "WITH CLUSTERING ORDER BY (id DESC);"
    "CREATE TABLE bench.vectors (number bigint PRIMARY KEY, vector vector<float, 384>);"
    "CREATE INDEX ON bench.vectors (vector) USING 'sai';"
    "CREATE TABLE bench.mails (id timeuuid PRIMARY KEY, \"from\" text, subject text, body text);"
    "CREATE TABLE bench.counters (user text, folder text, unread counter, PRIMARY KEY (user, folder));"
    "CREATE TABLE bench.users (name text PRIMARY KEY, password text);"
    "CREATE TABLE bench.posts (id timeuuid PRIMARY KEY, author text, body text);"
    "CREATE TABLE bench.timelines (user text, id timeuuid, PRIMARY KEY (user, id)) WITH CLUSTERING ORDER BY (id DESC);";

struct handle {
    wr_db *db;
    wr_stmt *statements[STATEMENTS]; /* prepared when first used */
    wr_batch *batch;
};

static wr_stmt *statement(struct handle *h, enum statement which)
{
    if (!h->statements[which])
        h->statements[which] = cql_prepare(h->db, texts[which]);
    return h->statements[which];
}

static void *open_store(const char *folder, enum safety safety, bool create)
{
    struct handle *h = calloc(1, sizeof *h);
    h->db = cql_open(folder, safety);
    if (create)
        cql_exec(h->db, schema);
    return h;
}

static void close_store(void *store)
{
    struct handle *h = store;
    wr_batch_free(h->batch);
    for (int i = 0; i < STATEMENTS; i++)
        wr_finalize(h->statements[i]);
    cql_close(h->db);
    free(h);
}

static void *attach(void *store)
{
    struct handle *from = store, *h = calloc(1, sizeof *h);
    cql_must(wr_attach(from->db, &h->db), "attach", wr_error(from->db));
    return h;
}

static void bind_message(wr_stmt *s, const struct message *m)
{
    cql_bind_name(s, 0, m->room);
    wr_bind_uuid(s, 1, m->id);
    cql_bind_text(s, 2, m->author);
    cql_bind_text(s, 3, m->text);
    wr_bind_bool(s, 4, m->system);
}

static void insert(void *store, const struct message *m)
{
    wr_stmt *s = statement(store, INSERT);
    bind_message(s, m);
    cql_run(s);
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    const struct handle *h = store;
    cql_insert_many(h->db, insert, store, from, count, rooms);
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    wr_stmt *s = statement(store, PAGE);
    cql_bind_name(s, 0, data_room(room));
    wr_bind_int(s, 1, rows);
    return cql_sum(s, NULL);
}

static uint64_t sum_rows(wr_stmt *s, uint64_t *rows)
{
    uint64_t sum = 0;
    enum wr_status st;
    for (*rows = 0; (st = wr_step(s)) == WR_ROW; ++*rows)
        sum += cql_sum_row(s, SUM_SEED);
    cql_must(st, wr_stmt_cql(s), wr_stmt_error(s));
    return sum;
}

static uint64_t newest(void *store, const uint32_t *rooms, unsigned count)
{
    wr_stmt *s = statement(store, NEWEST);
    uint64_t rows;
    wr_bind_open(s, 0);
    for (unsigned i = 0; i < count; i++)
        cql_bind_name(s, WR_ELEMENT, data_room(rooms[i]));
    cql_must(wr_bind_close(s), "newest", wr_stmt_error(s));
    return sum_rows(s, &rows);
}

static uint64_t scan(void *store, uint64_t *rows)
{
    return sum_rows(statement(store, SCAN), rows);
}

static void index_authors(void *store)
{
    const struct handle *h = store;
    cql_exec(h->db, "CREATE INDEX ON bench.messages (author)");
}

static uint64_t by_author(void *store, struct text author, unsigned most, uint64_t *rows)
{
    wr_stmt *s = statement(store, most ? SOME_BY_AUTHOR : BY_AUTHOR);
    cql_bind_text(s, 0, author);
    if (most)
        wr_bind_int(s, 1, most);
    return sum_rows(s, rows);
}

/* As the protocol has it. */
static void bind_vector(wr_stmt *s, int at, const struct vector *v)
{
    uint32_t words[VECTOR_DIMENSION];
    memcpy(words, v, sizeof words);
    for (unsigned i = 0; i < VECTOR_DIMENSION; i++)
        words[i] = htobe32(words[i]);
    wr_bind_value(s, at, words, sizeof words);
}

struct many {
    struct handle *h;
    uint64_t from, count;
};

static enum wr_status put_all_vectors(void *arg)
{
    const struct many *many = arg;
    wr_stmt *s = statement(many->h, PUT_VECTOR);
    struct vector v;
    for (uint64_t i = many->from; i < many->from + many->count; i++) {
        data_vector(i, &v);
        wr_bind_int(s, 0, (int64_t)i);
        bind_vector(s, 1, &v);
        cql_run(s);
    }
    return WR_OK;
}

static void put_vectors(void *store, uint64_t from, uint64_t count)
{
    struct many many = { store, from, count };
    cql_must(wr_atomically(many.h->db, put_all_vectors, &many), "vectors", wr_error(many.h->db));
}

static uint64_t nearest(void *store, const struct vector *wanted, unsigned count)
{
    wr_stmt *s = statement(store, NEAREST);
    uint64_t sum = 0;
    enum wr_status st;
    bind_vector(s, 0, wanted);
    wr_bind_int(s, 1, count);
    while ((st = wr_step(s)) == WR_ROW)
        sum += (uint64_t)wr_column_int(s, 0);
    cql_must(st, "nearest", wr_stmt_error(s));
    return sum;
}

static enum wr_status put_all_mails(void *arg)
{
    const struct many *many = arg;
    wr_stmt *s = statement(many->h, PUT_MAIL);
    struct mail m;
    for (uint64_t i = many->from; i < many->from + many->count; i++) {
        data_mail(i, &m);
        wr_bind_uuid(s, 0, m.id);
        cql_bind_text(s, 1, m.from);
        cql_bind_text(s, 2, m.subject);
        cql_bind_text(s, 3, m.body);
        cql_run(s);
    }
    return WR_OK;
}

static void put_mails(void *store, uint64_t from, uint64_t count)
{
    struct many many = { store, from, count };
    cql_must(wr_atomically(many.h->db, put_all_mails, &many), "mails", wr_error(many.h->db));
}

static uint64_t get_mail(void *store, const uint8_t id[16])
{
    wr_stmt *s = statement(store, GET_MAIL);
    wr_bind_uuid(s, 0, id);
    return cql_sum(s, NULL);
}

static void count(void *store, struct name user, uint32_t folder)
{
    wr_stmt *s = statement(store, COUNT);
    cql_bind_name(s, 0, user);
    cql_bind_name(s, 1, data_room(folder));
    cql_run(s);
}

static uint64_t counted(void *store, struct name user, uint32_t folder)
{
    wr_stmt *s = statement(store, COUNTED);
    cql_bind_name(s, 0, user);
    cql_bind_name(s, 1, data_room(folder));
    uint64_t n = wr_step(s) == WR_ROW ? (uint64_t)wr_column_int(s, 0) : 0;
    wr_reset(s);
    return n;
}

static bool claim(void *store, struct name user)
{
    wr_stmt *s = statement(store, CLAIM);
    cql_bind_name(s, 0, user);
    wr_bind_text(s, 1, PASSWORD, sizeof PASSWORD - 1);
    cql_run(s);
    bool applied = wr_column_bool(s, 0);
    wr_reset(s);
    return applied;
}

static void fan_out(void *store, const struct post *post)
{
    struct handle *h = store;
    wr_stmt *p = statement(h, POST), *t = statement(h, FAN_OUT);
    if (!h->batch)
        cql_must(wr_batch_new(h->db, WR_BATCH_UNLOGGED, &h->batch), "batch", wr_error(h->db));
    wr_bind_uuid(p, 0, post->id);
    cql_bind_name(p, 1, post->author);
    cql_bind_text(p, 2, post->body);
    cql_must(wr_batch_add(h->batch, p), "batch", wr_batch_error(h->batch));
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        cql_bind_name(t, 0, data_follower(post, i));
        wr_bind_uuid(t, 1, post->id);
        cql_must(wr_batch_add(h->batch, t), "batch", wr_batch_error(h->batch));
    }
    cql_must(wr_batch_run(h->batch, NULL), "batch", wr_batch_error(h->batch));
}

static uint64_t timeline(void *store, struct name user, unsigned rows)
{
    wr_stmt *t = statement(store, TIMELINE), *p = statement(store, GET_POSTS);
    uint8_t id[16];
    uint64_t sum = 0;
    enum wr_status st;
    cql_bind_name(t, 0, user);
    wr_bind_int(t, 1, rows);
    wr_bind_open(p, 0);
    while ((st = wr_step(t)) == WR_ROW) {
        wr_column_uuid(t, 0, id);
        wr_bind_uuid(p, WR_ELEMENT, id);
    }
    cql_must(st, "timeline", wr_stmt_error(t));
    cql_must(wr_bind_close(p), "timeline", wr_stmt_error(p));
    while ((st = wr_step(p)) == WR_ROW)
        sum += cql_sum_row(p, SUM_SEED);
    cql_must(st, "posts", wr_stmt_error(p));
    return sum;
}

const struct store store_widerow = {
    .name = "widerow", .in_memory = true, .open = open_store, .close = close_store, .attach = attach, .detach = close_store,
    .insert = insert, .insert_many = insert_many, .page = page, .newest = newest, .scan = scan,
    .index_authors = index_authors, .by_author = by_author,
    .put_vectors = put_vectors, .nearest = nearest,
    .put_mails = put_mails, .get_mail = get_mail, .count = count, .counted = counted, .claim = claim,
    .fan_out = fan_out, .timeline = timeline,
};
