/* LMDB by hand, as somebody would write it for these tables (records.h), one tree each. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "records.h"
#include "store.h"

struct handle {
    MDB_env *env;
    MDB_dbi trees[RECORD_KINDS];
    MDB_txn *read;
    MDB_cursor *cursors[RECORD_KINDS]; /* renewed with the read transaction */
    bool attached;
};

static void must(int rc, const char *what)
{
    if (!rc)
        return;
    fprintf(stderr, "lmdb: %s: %s\n", what, mdb_strerror(rc));
    exit(1);
}

static void open_read(struct handle *h)
{
    must(mdb_txn_begin(h->env, NULL, MDB_RDONLY, &h->read), "read");
    for (int i = 0; i < RECORD_KINDS; i++)
        must(mdb_cursor_open(h->read, h->trees[i], &h->cursors[i]), "cursor");
    mdb_txn_reset(h->read);
}

static void close_read(struct handle *h)
{
    for (int i = 0; i < RECORD_KINDS; i++)
        mdb_cursor_close(h->cursors[i]);
    mdb_txn_abort(h->read);
}

static void *open_store(const char *folder, enum safety safety, bool create)
{
    struct handle *h = calloc(1, sizeof *h);
    MDB_txn *txn;
    must(mdb_env_create(&h->env), "create");
    must(mdb_env_set_mapsize(h->env, (size_t)64 << 30), "mapsize");
    must(mdb_env_set_maxdbs(h->env, RECORD_KINDS), "maxdbs");
    must(mdb_env_open(h->env, folder, (safety == SAFE_POWER_LOSS ? 0 : MDB_NOSYNC) | MDB_NOTLS, 0644), "open");
    must(mdb_txn_begin(h->env, NULL, create ? 0 : MDB_RDONLY, &txn), "begin");
    for (int i = 0; i < RECORD_KINDS; i++)
        must(mdb_dbi_open(txn, record_names[i], create ? MDB_CREATE : 0, &h->trees[i]), "dbi");
    must(mdb_txn_commit(txn), "commit");
    open_read(h);
    return h;
}

static void close_store(void *store)
{
    struct handle *h = store;
    close_read(h);
    if (!h->attached)
        mdb_env_close(h->env);
    free(h);
}

static void *attach(void *store)
{
    struct handle *h = malloc(sizeof *h);
    *h = *(struct handle *)store;
    h->attached = true;
    open_read(h);
    return h;
}

static MDB_txn *begin(struct handle *h)
{
    MDB_txn *txn;
    must(mdb_txn_begin(h->env, NULL, 0, &txn), "begin");
    return txn;
}

static MDB_cursor *read_from(struct handle *h, enum record_kind kind)
{
    must(mdb_txn_renew(h->read), "renew");
    must(mdb_cursor_renew(h->read, h->cursors[kind]), "renew");
    return h->cursors[kind];
}

static void put(struct handle *h, MDB_txn *txn, enum record_kind kind, const uint8_t *key, size_t key_len, const void *value, size_t len)
{
    MDB_val k = { key_len, (void *)key }, v = { len, (void *)value };
    must(mdb_put(txn, h->trees[kind], &k, &v, 0), "put");
}

static void put_message(struct handle *h, MDB_txn *txn, const struct message *m)
{
    uint8_t key[RECORD_KEY_MAX], value[RECORD_VALUE_MAX];
    put(h, txn, MESSAGES, key, record_row_key(m->room, m->id, key), value, record_message(m, value));
}

static void insert(void *store, const struct message *m)
{
    MDB_txn *txn = begin(store);
    put_message(store, txn, m);
    must(mdb_txn_commit(txn), "commit");
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    MDB_txn *txn = begin(store);
    struct message m;
    for (uint64_t i = from; i < from + count; i++) {
        data_message(i, rooms, &m);
        put_message(store, txn, &m);
    }
    must(mdb_txn_commit(txn), "commit");
}

/* The newest of a partition: the last before what comes behind it. */
static int newest(MDB_cursor *c, uint8_t *prefix, size_t len, MDB_val *k, MDB_val *v)
{
    prefix[len - 1] = 1;
    *k = (MDB_val){ len, prefix };
    int rc = mdb_cursor_get(c, k, v, MDB_SET_RANGE);
    rc = mdb_cursor_get(c, k, v, rc ? MDB_LAST : MDB_PREV);
    prefix[len - 1] = 0;
    return rc;
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    struct handle *h = store;
    uint8_t prefix[RECORD_KEY_MAX];
    size_t len = record_row_key(data_room(room), NULL, prefix);
    uint64_t sum = SUM_SEED;
    MDB_val k, v;
    MDB_cursor *c = read_from(h, MESSAGES);
    for (int rc = newest(c, prefix, len, &k, &v); !rc && rows && k.mv_size > len && memcmp(k.mv_data, prefix, len) == 0; rows--) {
        sum = record_sum_message((uint8_t *)k.mv_data + len, (struct bytes){ v.mv_data, v.mv_size }, sum);
        rc = mdb_cursor_get(c, &k, &v, MDB_PREV);
    }
    mdb_txn_reset(h->read);
    return sum;
}

static uint64_t scan(void *store, uint64_t *rows)
{
    struct handle *h = store;
    uint64_t sum = 0;
    MDB_val k, v;
    MDB_cursor *c = read_from(h, MESSAGES);
    *rows = 0;
    for (int rc = mdb_cursor_get(c, &k, &v, MDB_FIRST); !rc; rc = mdb_cursor_get(c, &k, &v, MDB_NEXT), ++*rows)
        sum += record_sum_scanned((struct bytes){ k.mv_data, k.mv_size }, (struct bytes){ v.mv_data, v.mv_size });
    mdb_txn_reset(h->read);
    return sum;
}

static void put_vectors(void *store, uint64_t from, uint64_t count)
{
    MDB_txn *txn = begin(store);
    struct vector v;
    for (uint64_t i = from; i < from + count; i++) {
        uint8_t key[8];
        for (int b = 0; b < 8; b++)
            key[b] = (uint8_t)(i >> (56 - 8 * b));
        data_vector(i, &v);
        put(store, txn, VECTORS, key, sizeof key, &v, sizeof v);
    }
    must(mdb_txn_commit(txn), "commit");
}

static uint64_t nearest(void *store, const struct vector *wanted, unsigned count)
{
    struct handle *h = store;
    struct nearest best = { .most = count };
    struct vector v;
    MDB_val k, value;
    MDB_cursor *c = read_from(h, VECTORS);
    for (int rc = mdb_cursor_get(c, &k, &value, MDB_FIRST); !rc; rc = mdb_cursor_get(c, &k, &value, MDB_NEXT)) {
        uint64_t number = 0;
        for (size_t b = 0; b < k.mv_size; b++)
            number = number << 8 | ((const uint8_t *)k.mv_data)[b];
        memcpy(&v, value.mv_data, sizeof v); /* it may lie anywhere */
        nearest_offer(&best, nearest_cosine(&v, wanted), number);
    }
    mdb_txn_reset(h->read);
    return nearest_sum(&best);
}

static void put_mails(void *store, uint64_t from, uint64_t count)
{
    MDB_txn *txn = begin(store);
    struct mail m;
    uint8_t value[RECORD_VALUE_MAX];
    for (uint64_t i = from; i < from + count; i++) {
        data_mail(i, &m);
        put(store, txn, MAILS, m.id, 16, value, record_mail(&m, value));
    }
    must(mdb_txn_commit(txn), "commit");
}

static uint64_t get_mail(void *store, const uint8_t id[16])
{
    struct handle *h = store;
    MDB_val k = { 16, (void *)id }, v;
    must(mdb_txn_renew(h->read), "renew");
    must(mdb_get(h->read, h->trees[MAILS], &k, &v), "get");
    uint64_t sum = record_sum_mail((struct bytes){ v.mv_data, v.mv_size });
    mdb_txn_reset(h->read);
    return sum;
}

static uint64_t read_counter(struct handle *h, MDB_txn *txn, MDB_val k)
{
    MDB_val v;
    uint64_t n = 0;
    int rc = mdb_get(txn, h->trees[COUNTERS], &k, &v);
    if (rc == MDB_NOTFOUND)
        return 0;
    must(rc, "get");
    memcpy(&n, v.mv_data, 8);
    return n;
}

static void count(void *store, struct name user, uint32_t folder)
{
    uint8_t key[RECORD_KEY_MAX];
    size_t len = record_counter_key(user, folder, key);
    MDB_txn *txn = begin(store);
    uint64_t n = read_counter(store, txn, (MDB_val){ len, key }) + 1;
    put(store, txn, COUNTERS, key, len, &n, 8);
    must(mdb_txn_commit(txn), "commit");
}

static uint64_t counted(void *store, struct name user, uint32_t folder)
{
    struct handle *h = store;
    uint8_t key[RECORD_KEY_MAX];
    size_t len = record_counter_key(user, folder, key);
    must(mdb_txn_renew(h->read), "renew");
    uint64_t n = read_counter(h, h->read, (MDB_val){ len, key });
    mdb_txn_reset(h->read);
    return n;
}

static bool claim(void *store, struct name user)
{
    struct handle *h = store;
    MDB_val k = { user.len, user.bytes }, v = { sizeof PASSWORD - 1, (void *)PASSWORD };
    MDB_txn *txn = begin(h);
    int rc = mdb_put(txn, h->trees[USERS], &k, &v, MDB_NOOVERWRITE);
    if (rc == MDB_KEYEXIST) {
        mdb_txn_abort(txn);
        return false;
    }
    must(rc, "put");
    must(mdb_txn_commit(txn), "commit");
    return true;
}

static void fan_out(void *store, const struct post *post)
{
    uint8_t key[RECORD_KEY_MAX], value[RECORD_VALUE_MAX];
    MDB_txn *txn = begin(store);
    put(store, txn, POSTS, post->id, 16, value, record_post(post, value));
    for (unsigned i = 0; i < FOLLOWERS; i++)
        put(store, txn, TIMELINES, key, record_row_key(data_follower(post, i), post->id, key), "", 0);
    must(mdb_txn_commit(txn), "commit");
}

static uint64_t timeline(void *store, struct name user, unsigned rows)
{
    struct handle *h = store;
    uint8_t prefix[RECORD_KEY_MAX], id[16];
    size_t len = record_row_key(user, NULL, prefix);
    uint64_t sum = 0;
    MDB_val k, v;
    MDB_cursor *c = read_from(h, TIMELINES);
    for (int rc = newest(c, prefix, len, &k, &v); !rc && rows && k.mv_size > len && memcmp(k.mv_data, prefix, len) == 0; rows--) {
        data_time_id((uint8_t *)k.mv_data + len, id);
        MDB_val pk = { 16, id }, pv;
        must(mdb_get(h->read, h->trees[POSTS], &pk, &pv), "get");
        sum += record_sum_post(id, (struct bytes){ pv.mv_data, pv.mv_size });
        rc = mdb_cursor_get(c, &k, &v, MDB_PREV);
    }
    mdb_txn_reset(h->read);
    return sum;
}

const struct store store_lmdb = {
    .name = "lmdb", .open = open_store, .close = close_store, .attach = attach, .detach = close_store,
    .insert = insert, .insert_many = insert_many, .page = page, .scan = scan,
    .put_vectors = put_vectors, .nearest = nearest,
    .put_mails = put_mails, .get_mail = get_mail, .count = count, .counted = counted, .claim = claim,
    .fan_out = fan_out, .timeline = timeline,
};
