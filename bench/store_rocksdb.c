/*
 * RocksDB through its C interface, as somebody who knows it would use it: a column family a table, bloom filters, a block cache that holds the
 * data, merges for counters. Newest first means times inverted in the keys: it is better at going on than at going back.
 */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "store.h"

struct handle {
    rocksdb_t *db;
    rocksdb_options_t *options;
    rocksdb_column_family_handle_t *default_family, *families[RECORD_KINDS];
    rocksdb_writeoptions_t *write;
    rocksdb_readoptions_t *read;
    bool attached;
};

static void must(char *error, const char *what)
{
    if (!error)
        return;
    fprintf(stderr, "rocksdb: %s: %s\n", what, error);
    exit(1);
}

static rocksdb_options_t *make_options(bool create)
{
    enum { CORES = 2 };
    rocksdb_options_t *o = rocksdb_options_create();
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_cache_t *cache = rocksdb_cache_create_lru((size_t)512 << 20);
    rocksdb_options_set_create_if_missing(o, create);
    rocksdb_options_set_create_missing_column_families(o, create);
    rocksdb_options_increase_parallelism(o, CORES);
    rocksdb_options_set_uint64add_merge_operator(o);
    rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10));
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_options_set_block_based_table_factory(o, table);
    rocksdb_cache_destroy(cache);
    rocksdb_block_based_options_destroy(table);
    return o;
}

static void *open_store(const char *folder, enum safety safety, bool create)
{
    struct handle *h = calloc(1, sizeof *h);
    const char *names[RECORD_KINDS + 1] = { "default" };
    const rocksdb_options_t *options[RECORD_KINDS + 1];
    rocksdb_column_family_handle_t *families[RECORD_KINDS + 1];
    char *error = NULL;
    h->options = make_options(create);
    memcpy(names + 1, record_names, sizeof record_names);
    for (int i = 0; i <= RECORD_KINDS; i++)
        options[i] = h->options;
    h->db = rocksdb_open_column_families(h->options, folder, RECORD_KINDS + 1, names, options, families, &error);
    must(error, "open");
    h->default_family = families[0];
    memcpy(h->families, families + 1, sizeof h->families);
    h->write = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(h->write, safety == SAFE_POWER_LOSS);
    h->read = rocksdb_readoptions_create();
    return h;
}

static void close_store(void *store)
{
    struct handle *h = store;
    if (!h->attached) {
        rocksdb_writeoptions_destroy(h->write);
        rocksdb_readoptions_destroy(h->read);
        rocksdb_column_family_handle_destroy(h->default_family);
        for (int i = 0; i < RECORD_KINDS; i++)
            rocksdb_column_family_handle_destroy(h->families[i]);
        rocksdb_close(h->db);
        rocksdb_options_destroy(h->options);
    }
    free(h);
}

static void *attach(void *store)
{
    struct handle *h = malloc(sizeof *h);
    *h = *(struct handle *)store;
    h->attached = true;
    return h;
}

/* As record_row_key, newest first. */
static size_t row_key(struct name partition, const uint8_t id[16], uint8_t *key)
{
    size_t len = record_row_key(partition, id, key);
    for (size_t i = len - 16; id && i < len; i++)
        key[i] ^= 0xff;
    return len;
}

static void plain_time(const uint8_t *key, size_t len, uint8_t time[16])
{
    for (int i = 0; i < 16; i++)
        time[i] = key[len - 16 + i] ^ 0xff;
}

static void put(struct handle *h, enum record_kind kind, const uint8_t *key, size_t key_len, const void *value, size_t len)
{
    char *error = NULL;
    rocksdb_put_cf(h->db, h->write, h->families[kind], (const char *)key, key_len, value, len, &error);
    must(error, "put");
}

static void write_batch(struct handle *h, rocksdb_writebatch_t *batch)
{
    char *error = NULL;
    rocksdb_write(h->db, h->write, batch, &error);
    must(error, "write");
    rocksdb_writebatch_destroy(batch);
}

static void insert(void *store, const struct message *m)
{
    uint8_t key[RECORD_KEY_MAX], value[RECORD_VALUE_MAX];
    put(store, MESSAGES, key, row_key(m->room, m->id, key), value, record_message(m, value));
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    struct handle *h = store;
    uint8_t key[RECORD_KEY_MAX], value[RECORD_VALUE_MAX];
    struct message m;
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (uint64_t i = from; i < from + count; i++) {
        data_message(i, rooms, &m);
        size_t key_len = row_key(m.room, m.id, key), len = record_message(&m, value);
        rocksdb_writebatch_put_cf(batch, h->families[MESSAGES], (char *)key, key_len, (char *)value, len);
    }
    write_batch(h, batch);
}

static struct bytes iter_key(rocksdb_iterator_t *it)
{
    size_t len;
    const char *data = rocksdb_iter_key(it, &len);
    return (struct bytes){ (const uint8_t *)data, len };
}

static struct bytes iter_value(rocksdb_iterator_t *it)
{
    size_t len;
    const char *data = rocksdb_iter_value(it, &len);
    return (struct bytes){ (const uint8_t *)data, len };
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    struct handle *h = store;
    uint8_t prefix[RECORD_KEY_MAX], time[16];
    size_t len = record_row_key(data_room(room), NULL, prefix);
    uint64_t sum = SUM_SEED;
    rocksdb_iterator_t *it = rocksdb_create_iterator_cf(h->db, h->read, h->families[MESSAGES]);
    for (rocksdb_iter_seek(it, (char *)prefix, len); rows && rocksdb_iter_valid(it); rocksdb_iter_next(it), rows--) {
        struct bytes key = iter_key(it);
        if (key.len <= len || memcmp(key.data, prefix, len) != 0)
            break;
        plain_time(key.data, key.len, time);
        sum = record_sum_message(time, iter_value(it), sum);
    }
    rocksdb_iter_destroy(it);
    return sum;
}

static uint64_t scan(void *store, uint64_t *rows)
{
    struct handle *h = store;
    uint8_t key[RECORD_KEY_MAX];
    uint64_t sum = 0;
    rocksdb_iterator_t *it = rocksdb_create_iterator_cf(h->db, h->read, h->families[MESSAGES]);
    *rows = 0;
    for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it), ++*rows) {
        struct bytes stored = iter_key(it);
        memcpy(key, stored.data, stored.len - 16);
        plain_time(stored.data, stored.len, key + stored.len - 16);
        sum += record_sum_scanned((struct bytes){ key, stored.len }, iter_value(it));
    }
    rocksdb_iter_destroy(it);
    return sum;
}

static void put_mails(void *store, uint64_t from, uint64_t count)
{
    struct handle *h = store;
    uint8_t value[RECORD_VALUE_MAX];
    struct mail m;
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    for (uint64_t i = from; i < from + count; i++) {
        data_mail(i, &m);
        size_t len = record_mail(&m, value);
        rocksdb_writebatch_put_cf(batch, h->families[MAILS], (char *)m.id, 16, (char *)value, len);
    }
    write_batch(h, batch);
}

static rocksdb_pinnableslice_t *get(struct handle *h, enum record_kind kind, const uint8_t *key, size_t len, struct bytes *value)
{
    char *error = NULL;
    rocksdb_pinnableslice_t *slice = rocksdb_get_pinned_cf(h->db, h->read, h->families[kind], (const char *)key, len, &error);
    must(error, "get");
    if (slice)
        value->data = (const uint8_t *)rocksdb_pinnableslice_value(slice, &value->len);
    return slice;
}

static uint64_t get_mail(void *store, const uint8_t id[16])
{
    struct bytes value;
    rocksdb_pinnableslice_t *slice = get(store, MAILS, id, 16, &value);
    uint64_t sum = slice ? record_sum_mail(value) : 0;
    rocksdb_pinnableslice_destroy(slice);
    return sum;
}

static void count(void *store, struct name user, uint32_t folder)
{
    struct handle *h = store;
    uint8_t key[RECORD_KEY_MAX];
    const uint64_t one = 1;
    char *error = NULL;
    size_t len = record_counter_key(user, folder, key);
    rocksdb_merge_cf(h->db, h->write, h->families[COUNTERS], (char *)key, len, (const char *)&one, 8, &error);
    must(error, "merge");
}

static uint64_t counted(void *store, struct name user, uint32_t folder)
{
    uint8_t key[RECORD_KEY_MAX];
    struct bytes value;
    uint64_t n = 0;
    rocksdb_pinnableslice_t *slice = get(store, COUNTERS, key, record_counter_key(user, folder, key), &value);
    if (slice)
        memcpy(&n, value.data, 8);
    rocksdb_pinnableslice_destroy(slice);
    return n;
}

/* One thread writes, so looking first is enough. */
static bool claim(void *store, struct name user)
{
    struct bytes value;
    rocksdb_pinnableslice_t *slice = get(store, USERS, (const uint8_t *)user.bytes, user.len, &value);
    if (slice) {
        rocksdb_pinnableslice_destroy(slice);
        return false;
    }
    put(store, USERS, (const uint8_t *)user.bytes, user.len, PASSWORD, sizeof PASSWORD - 1);
    return true;
}

static void fan_out(void *store, const struct post *post)
{
    struct handle *h = store;
    uint8_t key[RECORD_KEY_MAX], value[RECORD_VALUE_MAX];
    rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
    rocksdb_writebatch_put_cf(batch, h->families[POSTS], (const char *)post->id, 16, (char *)value, record_post(post, value));
    for (unsigned i = 0; i < FOLLOWERS; i++)
        rocksdb_writebatch_put_cf(batch, h->families[TIMELINES], (char *)key, row_key(data_follower(post, i), post->id, key), "", 0);
    write_batch(h, batch);
}

enum { TIMELINE_MAX = 100 };

static uint64_t timeline(void *store, struct name user, unsigned rows)
{
    struct handle *h = store;
    uint8_t prefix[RECORD_KEY_MAX], time[16], ids[TIMELINE_MAX][16];
    const char *keys[TIMELINE_MAX];
    size_t lens[TIMELINE_MAX], len = record_row_key(user, NULL, prefix), n = 0;
    rocksdb_pinnableslice_t *slices[TIMELINE_MAX];
    char *errors[TIMELINE_MAX] = { NULL };
    uint64_t sum = 0;
    rocksdb_iterator_t *it = rocksdb_create_iterator_cf(h->db, h->read, h->families[TIMELINES]);
    for (rocksdb_iter_seek(it, (char *)prefix, len); n < rows && n < TIMELINE_MAX && rocksdb_iter_valid(it); rocksdb_iter_next(it), n++) {
        struct bytes key = iter_key(it);
        if (key.len <= len || memcmp(key.data, prefix, len) != 0)
            break;
        plain_time(key.data, key.len, time);
        data_time_id(time, ids[n]);
        keys[n] = (char *)ids[n];
        lens[n] = 16;
    }
    rocksdb_iter_destroy(it);
    rocksdb_batched_multi_get_cf(h->db, h->read, h->families[POSTS], n, keys, lens, slices, errors, false);
    for (size_t i = 0; i < n; i++) {
        must(errors[i], "multi_get");
        struct bytes value;
        value.data = (const uint8_t *)rocksdb_pinnableslice_value(slices[i], &value.len);
        sum += record_sum_post(ids[i], value);
        rocksdb_pinnableslice_destroy(slices[i]);
    }
    return sum;
}

const struct store store_rocksdb = {
    .name = "rocksdb", .open = open_store, .close = close_store, .attach = attach, .detach = close_store,
    .insert = insert, .insert_many = insert_many, .page = page, .scan = scan,
    .put_mails = put_mails, .get_mail = get_mail, .count = count, .counted = counted, .claim = claim,
    .fan_out = fan_out, .timeline = timeline,
};
