/* SQLite as an expert would: WITHOUT ROWID, WAL, a mapped file, exclusive locking, prepared statements. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "store.h"

enum statement { BEGIN, COMMIT, INSERT, PAGE, SCAN, BY_AUTHOR, PUT_VECTOR, NEAREST, PUT_MAIL, GET_MAIL, COUNT, COUNTED, CLAIM, POST, FAN_OUT, TIMELINE, STATEMENTS };
static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN",
    [COMMIT] = "COMMIT",
    [INSERT] = "INSERT INTO messages VALUES (?, ?, ?, ?, ?)",
    [PAGE] = "SELECT time, author, content, system FROM messages WHERE room = ? ORDER BY time DESC LIMIT ?",
    [SCAN] = "SELECT time, author, content, system, room FROM messages",
    [BY_AUTHOR] = "SELECT time, author, content, system, room FROM messages WHERE author = ? LIMIT ?",
    [PUT_VECTOR] = "INSERT INTO vectors VALUES (?, ?)",
    [NEAREST] = "SELECT number FROM vectors ORDER BY cosine(vector, ?) DESC LIMIT ?",
    [PUT_MAIL] = "INSERT INTO mails VALUES (?, ?, ?, ?)",
    [GET_MAIL] = "SELECT sender, subject, body FROM mails WHERE id = ?",
    [COUNT] = "INSERT INTO counters VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET unread = unread + 1",
    [COUNTED] = "SELECT unread FROM counters WHERE user = ? AND folder = ?",
    [CLAIM] = "INSERT OR IGNORE INTO users VALUES (?, ?)",
    [POST] = "INSERT INTO posts VALUES (?, ?, ?)",
    [FAN_OUT] = "INSERT INTO timelines VALUES (?, ?, ?)",
    [TIMELINE] = "SELECT p.id, p.author, p.body FROM timelines t JOIN posts p ON p.id = t.post WHERE t.user = ? ORDER BY t.time DESC LIMIT ?",
};

static const char schema[] =
    "CREATE TABLE messages (room TEXT, time BLOB, author TEXT, content TEXT, system INTEGER, PRIMARY KEY (room, time)) WITHOUT ROWID;"
    "CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB);"
    "CREATE TABLE mails (id BLOB PRIMARY KEY, sender TEXT, subject TEXT, body TEXT) WITHOUT ROWID;"
    "CREATE TABLE counters (user TEXT, folder TEXT, unread INTEGER, PRIMARY KEY (user, folder)) WITHOUT ROWID;"
    "CREATE TABLE users (name TEXT PRIMARY KEY, password TEXT) WITHOUT ROWID;"
    "CREATE TABLE posts (id BLOB PRIMARY KEY, author TEXT, body TEXT) WITHOUT ROWID;"
    "CREATE TABLE timelines (user TEXT, time BLOB, post BLOB, PRIMARY KEY (user, time)) WITHOUT ROWID;";

struct handle {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS]; /* prepared when first used */
};

static void must(struct handle *h, int rc, const char *what)
{
    if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW)
        return;
    fprintf(stderr, "sqlite: %s: %s\n", what, sqlite3_errmsg(h->db));
    exit(1);
}

static sqlite3_stmt *statement(struct handle *h, enum statement which)
{
    if (!h->statements[which])
        must(h, sqlite3_prepare_v2(h->db, texts[which], -1, &h->statements[which], NULL), texts[which]);
    return h->statements[which];
}

/* What extensions for vectors do: a function of the application's. */
static void cosine(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct vector v, wanted;
    (void)count;
    memcpy(&v, sqlite3_value_blob(values[0]), sizeof v);
    memcpy(&wanted, sqlite3_value_blob(values[1]), sizeof wanted);
    sqlite3_result_double(context, (double)nearest_cosine(&v, &wanted));
}

static void *open_store(const char *folder, enum safety safety, bool create)
{
    struct handle *h = calloc(1, sizeof *h);
    char path[4096] = ":memory:";
    if (folder)
        snprintf(path, sizeof path, "%s/sqlite.db", folder);
    must(h, sqlite3_open(path, &h->db), "open");
    must(h, sqlite3_exec(h->db, "PRAGMA journal_mode = WAL; PRAGMA mmap_size = 4294967296; PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL), "pragma");
    must(h, sqlite3_exec(h->db, safety == SAFE_POWER_LOSS ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL), "sync");
    must(h, sqlite3_create_function(h->db, "cosine", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, cosine, NULL, NULL), "function");
    if (create)
        must(h, sqlite3_exec(h->db, schema, NULL, NULL, NULL), "schema");
    return h;
}

static void close_store(void *store)
{
    struct handle *h = store;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(h->statements[i]);
    must(h, sqlite3_close(h->db), "close");
    free(h);
}

static void run(struct handle *h, enum statement which)
{
    must(h, sqlite3_step(h->statements[which]), texts[which]);
    sqlite3_reset(h->statements[which]);
}

static void bind_name(sqlite3_stmt *s, int i, const struct name *n)
{
    sqlite3_bind_text(s, i, n->bytes, (int)n->len, SQLITE_STATIC);
}

static void bind_text(sqlite3_stmt *s, int i, struct text t)
{
    sqlite3_bind_text(s, i, t.bytes, (int)t.len, SQLITE_STATIC);
}

static uint64_t sum_column(sqlite3_stmt *s, int i, uint64_t sum)
{
    const void *bytes = sqlite3_column_blob(s, i);
    return data_sum(bytes, (size_t)sqlite3_column_bytes(s, i), sum);
}

static void insert(void *store, const struct message *m)
{
    uint8_t time[16];
    sqlite3_stmt *s = statement(store, INSERT);
    data_time_order(m->id, time);
    bind_name(s, 1, &m->room);
    sqlite3_bind_blob(s, 2, time, 16, SQLITE_STATIC);
    bind_text(s, 3, m->author);
    bind_text(s, 4, m->text);
    sqlite3_bind_int(s, 5, m->system);
    run(store, INSERT);
}

static void begin(struct handle *h)
{
    statement(h, BEGIN);
    run(h, BEGIN);
}

static void commit(struct handle *h)
{
    statement(h, COMMIT);
    run(h, COMMIT);
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    struct message m;
    begin(store);
    for (uint64_t i = from; i < from + count; i++) {
        data_message(i, rooms, &m);
        insert(store, &m);
    }
    commit(store);
}

/* Columns time, author, content, system. */
static uint64_t sum_message(sqlite3_stmt *s, uint64_t sum)
{
    uint8_t id[16], system = (uint8_t)sqlite3_column_int(s, 3);
    data_time_id(sqlite3_column_blob(s, 0), id);
    sum = data_sum(id, 16, sum);
    sum = sum_column(s, 1, sum);
    sum = sum_column(s, 2, sum);
    return data_sum(&system, 1, sum);
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    sqlite3_stmt *s = statement(store, PAGE);
    struct name name = data_room(room);
    uint64_t sum = SUM_SEED;
    int rc;
    bind_name(s, 1, &name);
    sqlite3_bind_int(s, 2, (int)rows);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW)
        sum = sum_message(s, sum);
    must(store, rc, "page");
    sqlite3_reset(s);
    return sum;
}

/* With their rooms in front. */
static uint64_t sum_rows(void *store, enum statement which, uint64_t *rows)
{
    sqlite3_stmt *s = statement(store, which);
    uint64_t sum = 0;
    int rc;
    for (*rows = 0; (rc = sqlite3_step(s)) == SQLITE_ROW; ++*rows)
        sum += sum_message(s, sum_column(s, 4, SUM_SEED));
    must(store, rc, texts[which]);
    sqlite3_reset(s);
    return sum;
}

static uint64_t scan(void *store, uint64_t *rows)
{
    return sum_rows(store, SCAN, rows);
}

static void index_authors(void *store)
{
    struct handle *h = store;
    must(h, sqlite3_exec(h->db, "CREATE INDEX authors ON messages (author)", NULL, NULL, NULL), "index");
}

static uint64_t by_author(void *store, struct text author, unsigned most, uint64_t *rows)
{
    sqlite3_stmt *s = statement(store, BY_AUTHOR);
    bind_text(s, 1, author);
    sqlite3_bind_int(s, 2, most ? (int)most : -1);
    return sum_rows(store, BY_AUTHOR, rows);
}

static void put_vectors(void *store, uint64_t from, uint64_t count)
{
    sqlite3_stmt *s = statement(store, PUT_VECTOR);
    struct vector v;
    begin(store);
    for (uint64_t i = from; i < from + count; i++) {
        data_vector(i, &v);
        sqlite3_bind_int64(s, 1, (int64_t)i);
        sqlite3_bind_blob(s, 2, &v, sizeof v, SQLITE_STATIC);
        run(store, PUT_VECTOR);
    }
    commit(store);
}

static uint64_t nearest(void *store, const struct vector *wanted, unsigned count)
{
    sqlite3_stmt *s = statement(store, NEAREST);
    uint64_t sum = 0;
    int rc;
    sqlite3_bind_blob(s, 1, wanted, sizeof *wanted, SQLITE_STATIC);
    sqlite3_bind_int(s, 2, (int)count);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW)
        sum += (uint64_t)sqlite3_column_int64(s, 0);
    must(store, rc, "nearest");
    sqlite3_reset(s);
    return sum;
}

static void put_mails(void *store, uint64_t from, uint64_t count)
{
    sqlite3_stmt *s = statement(store, PUT_MAIL);
    struct mail m;
    begin(store);
    for (uint64_t i = from; i < from + count; i++) {
        data_mail(i, &m);
        sqlite3_bind_blob(s, 1, m.id, 16, SQLITE_STATIC);
        bind_text(s, 2, m.from);
        bind_text(s, 3, m.subject);
        bind_text(s, 4, m.body);
        run(store, PUT_MAIL);
    }
    commit(store);
}

static uint64_t get_mail(void *store, const uint8_t id[16])
{
    sqlite3_stmt *s = statement(store, GET_MAIL);
    uint64_t sum = 0;
    sqlite3_bind_blob(s, 1, id, 16, SQLITE_STATIC);
    if (sqlite3_step(s) == SQLITE_ROW)
        sum = sum_column(s, 2, sum_column(s, 1, sum_column(s, 0, SUM_SEED)));
    sqlite3_reset(s);
    return sum;
}

static void count(void *store, struct name user, uint32_t folder)
{
    sqlite3_stmt *s = statement(store, COUNT);
    struct name label = data_room(folder);
    bind_name(s, 1, &user);
    bind_name(s, 2, &label);
    run(store, COUNT);
}

static uint64_t counted(void *store, struct name user, uint32_t folder)
{
    sqlite3_stmt *s = statement(store, COUNTED);
    struct name label = data_room(folder);
    uint64_t n = 0;
    bind_name(s, 1, &user);
    bind_name(s, 2, &label);
    if (sqlite3_step(s) == SQLITE_ROW)
        n = (uint64_t)sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return n;
}

static bool claim(void *store, struct name user)
{
    struct handle *h = store;
    sqlite3_stmt *s = statement(h, CLAIM);
    bind_name(s, 1, &user);
    sqlite3_bind_text(s, 2, PASSWORD, sizeof PASSWORD - 1, SQLITE_STATIC);
    run(h, CLAIM);
    return sqlite3_changes(h->db) > 0;
}

static void fan_out(void *store, const struct post *post)
{
    sqlite3_stmt *p = statement(store, POST), *t = statement(store, FAN_OUT);
    uint8_t time[16];
    begin(store);
    sqlite3_bind_blob(p, 1, post->id, 16, SQLITE_STATIC);
    bind_name(p, 2, &post->author);
    bind_text(p, 3, post->body);
    run(store, POST);
    data_time_order(post->id, time);
    sqlite3_bind_blob(t, 2, time, 16, SQLITE_STATIC);
    sqlite3_bind_blob(t, 3, post->id, 16, SQLITE_STATIC);
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        struct name follower = data_follower(post, i);
        bind_name(t, 1, &follower);
        run(store, FAN_OUT);
    }
    commit(store);
}

static uint64_t timeline(void *store, struct name user, unsigned rows)
{
    sqlite3_stmt *s = statement(store, TIMELINE);
    uint64_t sum = 0;
    int rc;
    bind_name(s, 1, &user);
    sqlite3_bind_int(s, 2, (int)rows);
    while ((rc = sqlite3_step(s)) == SQLITE_ROW)
        sum += sum_column(s, 2, sum_column(s, 1, sum_column(s, 0, SUM_SEED)));
    must(store, rc, "timeline");
    sqlite3_reset(s);
    return sum;
}

const struct store store_sqlite = {
    .name = "sqlite", .in_memory = true, .open = open_store, .close = close_store,
    .insert = insert, .insert_many = insert_many, .page = page, .scan = scan,
    .index_authors = index_authors, .by_author = by_author,
    .put_vectors = put_vectors, .nearest = nearest,
    .put_mails = put_mails, .get_mail = get_mail, .count = count, .counted = counted, .claim = claim,
    .fan_out = fan_out, .timeline = timeline,
};
