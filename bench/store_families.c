/* Widerow as a program from before CQL uses it: column families. Users have no family: Thrift had no insert if not exists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cql.h"
#include "records.h"
#include "store.h"

static const struct wr_cf_def definitions[RECORD_KINDS] = {
    [MESSAGES] = { .keyspace = "bench", .name = "messages", .comparator = "TimeUUIDType", .gc_grace_s = -1 },
    [MAILS] = { .keyspace = "bench", .name = "mails", .comparator = "AsciiType", .gc_grace_s = -1 },
    [COUNTERS] = { .keyspace = "bench", .name = "counters", .comparator = "UTF8Type", .default_validator = "CounterColumnType", .gc_grace_s = -1 },
    [POSTS] = { .keyspace = "bench", .name = "posts", .comparator = "AsciiType", .gc_grace_s = -1 },
    [TIMELINES] = { .keyspace = "bench", .name = "timelines", .comparator = "TimeUUIDType", .gc_grace_s = -1 },
};

enum { CHANGES_MAX = 3000 };
struct handle {
    wr_db *db;
    wr_cf *families[RECORD_KINDS];
    struct wr_cf_mutation changes[CHANGES_MAX];
    size_t change_count;
};

static void must(enum wr_status st, const char *what, const wr_cf *cf)
{
    cql_must(st, what, wr_cf_error(cf));
}

static void *open_store(const char *folder, enum safety safety, bool create)
{
    struct handle *h = calloc(1, sizeof *h);
    h->db = cql_open(folder, safety);
    for (int i = 0; i < RECORD_KINDS; i++) {
        if (!definitions[i].name)
            continue;
        if (create)
            cql_must(wr_cf_create(h->db, &definitions[i]), "create", wr_error(h->db));
        cql_must(wr_cf_open(h->db, "bench", definitions[i].name, &h->families[i]), "open", wr_error(h->db));
    }
    return h;
}

static void close_store(void *store)
{
    struct handle *h = store;
    for (int i = 0; i < RECORD_KINDS; i++)
        wr_cf_close(h->families[i]);
    cql_close(h->db);
    free(h);
}

static struct wr_cf_column column(const void *name, size_t name_len, const void *value, size_t len)
{
    return (struct wr_cf_column){ .name = { name, name_len }, .value = { value, len }, .timestamp_us = INT64_MIN };
}

static struct wr_cf_column named(const char *name, struct text value)
{
    return column(name, strlen(name), value.bytes, value.len);
}

static void change(struct handle *h, enum record_kind kind, const void *key, size_t len, struct wr_cf_column c)
{
    h->changes[h->change_count++] = (struct wr_cf_mutation){ h->families[kind], WR_CF_INSERT, { key, len }, c };
}

static void apply(struct handle *h)
{
    cql_must(wr_cf_batch_mutate(h->db, h->changes, h->change_count), "batch_mutate", wr_error(h->db));
    h->change_count = 0;
}

static void insert(void *store, const struct message *m)
{
    struct handle *h = store;
    uint8_t value[RECORD_VALUE_MAX];
    struct wr_cf_column c = column(m->id, 16, value, record_message(m, value));
    must(wr_cf_insert(h->families[MESSAGES], (struct wr_bytes){ m->room.bytes, m->room.len }, &c), "insert", h->families[MESSAGES]);
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    const struct handle *h = store;
    cql_insert_many(h->db, insert, store, from, count, rooms);
}

static uint64_t sum_message(const struct wr_cf_column *c, uint64_t sum)
{
    uint8_t time[16];
    data_time_order(c->name.data, time);
    return record_sum_message(time, (struct bytes){ c->value.data, c->value.len }, sum);
}

static wr_cf_result *slice(struct handle *h, enum record_kind kind, const void *key, size_t len, uint32_t newest)
{
    struct wr_cf_predicate all = { .reversed = newest > 0, .count = newest };
    wr_cf_result *result;
    must(wr_cf_get_slice(h->families[kind], (struct wr_bytes){ key, len }, &all, &result), "get_slice", h->families[kind]);
    return result;
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    struct name name = data_room(room);
    uint64_t sum = SUM_SEED;
    wr_cf_result *result = slice(store, MESSAGES, name.bytes, name.len, rows);
    for (size_t i = 0, n = wr_cf_result_columns(result, 0); i < n; i++)
        sum = sum_message(wr_cf_result_column(result, 0, i), sum);
    wr_cf_result_free(result);
    return sum;
}

/* Rows from the last one's key on, which comes again. */
static uint64_t scan(void *store, uint64_t *rows)
{
    enum { AT_ONCE = 10 };
    struct handle *h = store;
    const struct wr_cf_predicate all = { .count = UINT32_MAX };
    struct name last = { "", 0 };
    uint64_t sum = 0;
    size_t n;
    *rows = 0;
    do {
        wr_cf_result *result;
        must(wr_cf_get_range_slices(h->families[MESSAGES], (struct wr_bytes){ last.bytes, last.len }, (struct wr_bytes){ "", 0 }, AT_ONCE, &all, &result),
             "get_range_slices", h->families[MESSAGES]);
        n = wr_cf_result_rows(result);
        for (size_t r = last.len > 0; r < n; r++) {
            struct wr_bytes key = wr_cf_result_key(result, r);
            uint64_t seed = data_sum(key.data, key.len, SUM_SEED);
            size_t columns = wr_cf_result_columns(result, r);
            for (size_t c = 0; c < columns; c++)
                sum += sum_message(wr_cf_result_column(result, r, c), seed);
            *rows += columns;
            memcpy(last.bytes, key.data, last.len = key.len);
        }
        wr_cf_result_free(result);
    } while (n == AT_ONCE);
    return sum;
}

struct mails {
    struct handle *h;
    uint64_t from, count;
};

static enum wr_status put_all(void *arg)
{
    const struct mails *mails = arg;
    struct mail m;
    for (uint64_t i = mails->from; i < mails->from + mails->count; i++) {
        data_mail(i, &m);
        change(mails->h, MAILS, m.id, 16, named("body", m.body));
        change(mails->h, MAILS, m.id, 16, named("from", m.from));
        change(mails->h, MAILS, m.id, 16, named("subject", m.subject));
        apply(mails->h);
    }
    return WR_OK;
}

static void put_mails(void *store, uint64_t from, uint64_t count)
{
    struct mails mails = { store, from, count };
    cql_must(wr_atomically(mails.h->db, put_all, &mails), "mails", wr_error(mails.h->db));
}

static uint64_t sum_value(wr_cf_result *result, size_t row, size_t i, uint64_t sum)
{
    const struct wr_cf_column *c = wr_cf_result_column(result, row, i);
    return c ? data_sum(c->value.data, c->value.len, sum) : 0;
}

static uint64_t get_mail(void *store, const uint8_t id[16])
{
    enum { BODY, FROM, SUBJECT };
    wr_cf_result *result = slice(store, MAILS, id, 16, 0);
    uint64_t sum = sum_value(result, 0, BODY, sum_value(result, 0, SUBJECT, sum_value(result, 0, FROM, SUM_SEED)));
    wr_cf_result_free(result);
    return sum;
}

static void count(void *store, struct name user, uint32_t folder)
{
    struct handle *h = store;
    struct name label = data_room(folder);
    must(wr_cf_add(h->families[COUNTERS], (struct wr_bytes){ user.bytes, user.len }, (struct wr_bytes){ label.bytes, label.len }, 1), "add",
         h->families[COUNTERS]);
}

static uint64_t counted(void *store, struct name user, uint32_t folder)
{
    struct handle *h = store;
    struct name label = data_room(folder);
    struct wr_cf_column c;
    enum wr_status st = wr_cf_get(h->families[COUNTERS], (struct wr_bytes){ user.bytes, user.len }, (struct wr_bytes){ label.bytes, label.len }, &c);
    if (st == WR_NOT_FOUND)
        return 0;
    must(st, "get", h->families[COUNTERS]);
    return (uint64_t)c.counter;
}

static void fan_out(void *store, const struct post *post)
{
    struct handle *h = store;
    struct name followers[FOLLOWERS];
    change(h, POSTS, post->id, 16, named("author", (struct text){ post->author.bytes, post->author.len }));
    change(h, POSTS, post->id, 16, named("body", post->body));
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        followers[i] = data_follower(post, i);
        change(h, TIMELINES, followers[i].bytes, followers[i].len, column(post->id, 16, "", 0));
    }
    apply(h);
}

enum { TIMELINE_MAX = 100 };

static uint64_t timeline(void *store, struct name user, unsigned rows)
{
    struct handle *h = store;
    enum { AUTHOR, BODY };
    const struct wr_cf_predicate all = { .count = 2 };
    struct wr_bytes ids[TIMELINE_MAX];
    uint64_t sum = 0;
    wr_cf_result *posts, *timeline = slice(h, TIMELINES, user.bytes, user.len, rows);
    size_t n = wr_cf_result_columns(timeline, 0);
    for (size_t i = 0; i < n; i++)
        ids[i] = wr_cf_result_column(timeline, 0, i)->name;
    must(wr_cf_multiget_slice(h->families[POSTS], ids, n, &all, &posts), "multiget_slice", h->families[POSTS]);
    for (size_t i = 0; i < n; i++)
        sum += sum_value(posts, i, BODY, sum_value(posts, i, AUTHOR, data_sum(ids[i].data, 16, SUM_SEED)));
    wr_cf_result_free(posts);
    wr_cf_result_free(timeline);
    return sum;
}

const struct store store_families = {
    .name = "families", .in_memory = true, .open = open_store, .close = close_store,
    .insert = insert, .insert_many = insert_many, .page = page, .scan = scan,
    .put_mails = put_mails, .get_mail = get_mail, .count = count, .counted = counted,
    .fan_out = fan_out, .timeline = timeline,
};
