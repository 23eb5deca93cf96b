/*
 * put_off.h - for tests of rows that are put off (engine/backlog.h): databases that put them off, what there is of such, and rows whose values tell
 * which they are.
 */
#ifndef WR_TESTS_PUT_OFF_H
#define WR_TESTS_PUT_OFF_H

#include "engine/backlog.h"
#include "engine/gather.h"
#include "engine/pack.h"
#include "engine/rig.h"
#include "engine/state.h"
#include "tests/engine/rows.h"

enum { KEYS = 40, GRACE_S = 100 };

/* How many rows are put off in what the transaction sees. */
static inline unsigned put_off_in(struct rows *r, struct txn *txn)
{
    struct ctx *ctx = &r->db.ctx;
    struct pack_cursor c = { 0 };
    struct packed at;
    struct put_off row;
    uint8_t first[ID_BYTES];
    unsigned n = 0;

    put_u64(first, BACKLOG_BIT);
    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    for (enum wr_status st = pack_seek(ctx, &c, slice_of(first, sizeof first), &at);; st = pack_next(ctx, &c, &at)) {
        OK(ctx, st);
        if (!at.id)
            break;
        bool sound;
        OK(ctx, backlog_decode(ctx, at.id, at.value, &row, &sound));
        assert_true(sound);
        assert_int_equal(row.table_id, r->table.table_id);
        n++;
    }
    pack_close(&c);
    return n;
}

static inline unsigned put_off(struct rows *r)
{
    struct txn *txn = rows_read(r);
    unsigned n = put_off_in(r, txn);
    txn_abort(&txn);
    return n;
}

static inline bool is_behind(struct rows *r, struct txn *txn, const char *key)
{
    struct slice keys[] = { slice_str(key) };
    struct reach reach = reach_all(&r->table);
    bool behind;

    reach.keys = key ? keys : NULL;
    reach.key_count = 1;
    OK(&r->db.ctx, txn_is_behind(&r->db.ctx, txn, &reach, &behind));
    return behind;
}

static inline void catch_up(struct rows *r, const char *key)
{
    struct slice keys[] = { slice_str(key) };
    struct reach reach = reach_all(&r->table);

    reach.keys = key ? keys : NULL;
    reach.key_count = 1;
    for (bool more = true; more;) {
        struct txn *txn = rows_write(r);
        OK(&r->db.ctx, txn_catch_up(&r->db.ctx, txn, &reach, 0, &more));
        rows_commit(r, txn);
    }
}

/* Row c of partition k is there, of that version. */
static inline void check_numbered(struct rows *r, struct txn *txn, unsigned k, unsigned c, unsigned version)
{
    char key[16], clustering[16], value[16];
    struct partition p;
    struct row row;
    bool found;

    snprintf(key, sizeof key, "key%u", k);
    snprintf(clustering, sizeof clustering, "%04u", c);
    snprintf(value, sizeof value, "%u", version);
    OK(&r->db.ctx, partition_find(&r->db.ctx, txn, &r->table, slice_str(key), &p, &found));
    assert_true(found);
    OK(&r->db.ctx, row_find_live(&r->db.ctx, txn, &p, slice_str(r->table.has_clustering ? clustering : ""), NULL, &row, &found));
    assert_true(found);
    assert_true(row.cell_count == 1 && row.liveness.timestamp_us == version && slice_eq(row.cells[0].value, slice_str(value)));
}

static inline void check_all(struct rows *r, struct txn *txn, unsigned rows)
{
    for (unsigned at = 0; at < KEYS * rows; at++)
        check_numbered(r, txn, at % KEYS, at / KEYS, 6);
}

/* ---- on the disk ---- */

static const enum durability put_off_modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL };
enum { PUT_OFF_MODES = 2 };

static inline void open_on_disk(struct rows *r, enum durability durability)
{
    const struct engine_options options = { .path = r->db.path, .durability = durability, .create = true };
    OK(&r->db.ctx, engine_open(&r->db.ctx, &options, &r->db.engine));
    engine_set_table_lookup(r->db.engine, rows_lookup, r);
    clock_set(engine_clock(r->db.engine), (int64_t)NOW_S * 1000000);
}

static inline void new_on_disk(struct rows *r, enum durability durability)
{
    memset(r, 0, sizeof *r);
    database_init(&r->db);
    database_folder(&r->db);
    rig.gather_after = 0;
    open_on_disk(r, durability);
    r->table = (struct table_shape){ .table_id = 77, .has_clustering = true, .may_wait = true, .gc_grace_s = GRACE_S };
    rig.backlog_idle_ms = 0;
}

static inline enum wr_status put_one(struct ctx *ctx, struct txn *txn, void *arg)
{
    return apply(ctx, txn, arg);
}

/* As statements do. */
static inline void put_gathered(struct rows *r, unsigned k, unsigned c, const char *value)
{
    char key[16], clustering[16];

    snprintf(key, sizeof key, "key%u", k);
    snprintf(clustering, sizeof clustering, "%04u", c);
    struct row_update one = { .clustering = slice_str(clustering), .row = marked(ROW_OF(plain(1, 6, value)), 6) };
    struct update u = update_of(r, key);
    u.rows = &one;
    u.row_count = 1;
    OK(&r->db.ctx, engine_write_gathered(&r->db.ctx, r->db.engine, put_one, &u));
    arena_reset(&r->db.arena);
}

static inline void put_many_gathered(struct rows *r, unsigned rows)
{
    for (unsigned i = 0; i < KEYS * rows; i++)
        put_gathered(r, i * 7919 % (KEYS * rows) % KEYS, i * 7919 % (KEYS * rows) / KEYS, "6");
}

#endif
