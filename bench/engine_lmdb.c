/* LMDB by hand, as somebody would write it for this one table: key [room][0][time], value [system][author length][author][text]. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

struct handle {
    MDB_env *env;
    MDB_dbi dbi;
    MDB_txn *read;
    MDB_cursor *cursor;
};

static void must(int rc, const char *what)
{
    if (!rc)
        return;
    fprintf(stderr, "lmdb: %s: %s\n", what, mdb_strerror(rc));
    exit(1);
}

static void *open_store(const char *folder, enum safety safety)
{
    struct handle *h = calloc(1, sizeof *h);
    MDB_txn *txn;
    must(mdb_env_create(&h->env), "create");
    must(mdb_env_set_mapsize(h->env, (size_t)64 << 30), "mapsize");
    must(mdb_env_open(h->env, folder, (safety == SAFE_POWER_LOSS ? 0 : MDB_NOSYNC) | MDB_NOTLS, 0644), "open");
    must(mdb_txn_begin(h->env, NULL, 0, &txn), "begin");
    must(mdb_dbi_open(txn, NULL, 0, &h->dbi), "dbi");
    must(mdb_txn_commit(txn), "commit");
    must(mdb_txn_begin(h->env, NULL, MDB_RDONLY, &h->read), "read");
    must(mdb_cursor_open(h->read, h->dbi, &h->cursor), "cursor");
    mdb_txn_reset(h->read);
    return h;
}

static size_t make_key(uint32_t room, const uint8_t *id, uint8_t out[64])
{
    char name[24];
    size_t n = room_name(room, name);
    memcpy(out, name, n);
    out[n++] = 0;
    if (!id)
        return n;
    /* the time of a version 1 uuid, high bits first, then the rest */
    memcpy(out + n, id + 6, 2);
    memcpy(out + n + 2, id + 4, 2);
    memcpy(out + n + 4, id, 4);
    memcpy(out + n + 8, id + 8, 8);
    return n + 16;
}

static void put(struct handle *h, MDB_txn *txn, const struct message *m)
{
    uint8_t key[64], value[300];
    size_t author = strlen(m->author), text = strlen(m->text);
    value[0] = m->system;
    value[1] = (uint8_t)author;
    memcpy(value + 2, m->author, author);
    memcpy(value + 2 + author, m->text, text);
    MDB_val k = { make_key(m->room, m->id, key), key }, v = { 2 + author + text, value };
    must(mdb_put(txn, h->dbi, &k, &v, 0), "put");
}

static void insert(void *store, const struct message *m)
{
    struct handle *h = store;
    MDB_txn *txn;
    must(mdb_txn_begin(h->env, NULL, 0, &txn), "begin");
    put(h, txn, m);
    must(mdb_txn_commit(txn), "commit");
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    struct handle *h = store;
    struct message m;
    MDB_txn *txn;
    must(mdb_txn_begin(h->env, NULL, 0, &txn), "begin");
    for (uint64_t i = from; i < from + count; i++) {
        message_make(i, rooms, &m);
        put(h, txn, &m);
    }
    must(mdb_txn_commit(txn), "commit");
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    struct handle *h = store;
    uint8_t key[64];
    size_t prefix = make_key(room, NULL, key);
    uint64_t sum = SUM_SEED;
    MDB_val k, v;
    must(mdb_txn_renew(h->read), "renew");
    must(mdb_cursor_renew(h->read, h->cursor), "renew");
    key[prefix - 1] = 1; /* behind the room's last */
    k = (MDB_val){ prefix, key };
    int rc = mdb_cursor_get(h->cursor, &k, &v, MDB_SET_RANGE);
    rc = mdb_cursor_get(h->cursor, &k, &v, rc ? MDB_LAST : MDB_PREV);
    key[prefix - 1] = 0;
    for (; !rc && rows && k.mv_size > prefix && memcmp(k.mv_data, key, prefix) == 0; rows--) {
        const uint8_t *t = (const uint8_t *)k.mv_data + prefix, *p = v.mv_data;
        uint8_t id[16];
        memcpy(id, t + 4, 4);
        memcpy(id + 4, t + 2, 2);
        memcpy(id + 6, t, 2);
        memcpy(id + 8, t + 8, 8);
        sum = bytes_sum(id, 16, sum);
        sum = bytes_sum(p + 2, p[1], sum);
        sum = bytes_sum(p + 2 + p[1], v.mv_size - 2 - p[1], sum);
        sum = bytes_sum(p, 1, sum);
        rc = mdb_cursor_get(h->cursor, &k, &v, MDB_PREV);
    }
    mdb_txn_reset(h->read);
    return sum;
}

static void close_store(void *store)
{
    struct handle *h = store;
    mdb_cursor_close(h->cursor);
    mdb_txn_abort(h->read);
    mdb_env_close(h->env);
    free(h);
}

const struct store store_lmdb = { "lmdb by hand", open_store, insert, insert_many, page, close_store };
