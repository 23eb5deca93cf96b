/* Answers engine/backlog.h: what is put off, when it is applied, and what a crash, a failure or a table that goes leave of it. */
#include "engine/backlog.h"

#include "engine/gather.h"
#include "engine/pack.h"
#include "engine/state.h"
#include "tests/engine/rows.h"

#include <pthread.h>
#include <sys/wait.h>

enum { KEYS = 40, ROWS = 60, GRACE_S = 100 };

static void open_rows(struct rows *r, bool has_clustering)
{
    rows_open(r, has_clustering);
    clock_set(engine_clock(r->db.engine), (int64_t)NOW_S * 1000000);
    r->table.may_wait = true;
    r->table.gc_grace_s = GRACE_S;
    backlog_when = BACKLOG_ALWAYS;
    backlog_idle_ms = 0;
}

/* How many rows are put off in what the transaction sees. */
static unsigned put_off_in(struct rows *r, struct txn *txn)
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
        assert_true(backlog_decode(at.id, at.value, &row));
        assert_int_equal(row.table_id, r->table.table_id);
        n++;
    }
    pack_close(&c);
    return n;
}

static unsigned put_off(struct rows *r)
{
    struct txn *txn = rows_read(r);
    unsigned n = put_off_in(r, txn);
    txn_abort(&txn);
    return n;
}

static bool is_behind(struct rows *r, struct txn *txn, const char *key)
{
    struct slice keys[] = { slice_str(key) };
    struct reach reach = reach_all(&r->table);
    bool behind;

    reach.keys = key ? keys : NULL;
    reach.key_count = 1;
    OK(&r->db.ctx, txn_is_behind(&r->db.ctx, txn, &reach, &behind));
    return behind;
}

static void catch_up(struct rows *r, const char *key)
{
    struct slice keys[] = { slice_str(key) };
    struct reach reach = reach_all(&r->table);

    reach.keys = key ? keys : NULL;
    reach.key_count = 1;
    for (bool more = true; more;) {
        struct txn *txn = rows_write(r);
        OK(&r->db.ctx, txn_catch_up(&r->db.ctx, txn, &reach, &more));
        rows_commit(r, txn);
    }
}

/* Row c of partition k, of `version`. */
static void put_numbered(struct rows *r, unsigned k, unsigned c, unsigned version)
{
    char key[16], clustering[16], value[16];

    snprintf(key, sizeof key, "key%u", k);
    snprintf(clustering, sizeof clustering, "%04u", c);
    snprintf(value, sizeof value, "%u", version);
    put(r, key, r->table.has_clustering ? clustering : "", marked(ROW_OF(plain(1, version, value)), version));
}

static void check_numbered(struct rows *r, struct txn *txn, unsigned k, unsigned c, unsigned version)
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

/* Every row twice, the greater version first or last. */
static void put_all(struct rows *r, unsigned rows)
{
    for (unsigned i = 0; i < KEYS * rows; i++) {
        unsigned at = i * 7919 % (KEYS * rows), k = at % KEYS, c = at / KEYS;
        put_numbered(r, k, c, at % 3 ? 5 : 6);
        put_numbered(r, k, c, at % 3 ? 6 : 5);
    }
}

static void check_all(struct rows *r, struct txn *txn, unsigned rows)
{
    for (unsigned at = 0; at < KEYS * rows; at++)
        check_numbered(r, txn, at % KEYS, at / KEYS, 6);
}

static void a_read_that_has_caught_up_has_all(void **state)
{
    (void)state;
    for (int has_clustering = 0; has_clustering < 2; has_clustering++) {
        unsigned rows = has_clustering ? ROWS : 1;
        struct rows r;
        open_rows(&r, has_clustering);
        put_all(&r, rows);
        assert_int_equal(put_off(&r), 2 * KEYS * rows);
        assert_int_equal(rows_findings(&r, false), 0);

        struct txn *before = rows_read(&r);
        assert_true(is_behind(&r, before, NULL) && is_behind(&r, before, "key3"));
        catch_up(&r, "key3");
        struct txn *txn = rows_read(&r);
        assert_true(is_behind(&r, txn, NULL) && !is_behind(&r, txn, "key3"));
        check_numbered(&r, txn, 3, 0, 6);
        txn_abort(&txn);

        catch_up(&r, NULL);
        txn = rows_read(&r);
        assert_false(is_behind(&r, txn, NULL));
        assert_true(is_behind(&r, before, NULL)); /* it sees what it saw */
        assert_false(engine_has_backlog(r.db.engine));
        check_all(&r, txn, rows);
        txn_abort(&txn);
        txn_abort(&before);
        assert_int_equal(put_off(&r), 0);
        rows_close(&r);
    }
}

static void a_write_that_reads_applies_what_it_comes_to(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    put_all(&r, ROWS);
    struct txn *txn = rows_write(&r);
    check_numbered(&r, txn, 3, 0, 6);
    assert_true(put_off_in(&r, txn) < 2 * KEYS * ROWS);
    txn_abort(&txn); /* and nothing has happened */
    assert_int_equal(put_off(&r), 2 * KEYS * ROWS);

    const struct reach reach = reach_all(&r.table);
    bool more = true;
    txn = rows_write(&r);
    while (more)
        OK(&r.db.ctx, txn_catch_up(&r.db.ctx, txn, &reach, &more));
    assert_false(is_behind(&r, txn, NULL));
    txn_abort(&txn); /* nor then: the next one has the same number, and is behind */
    txn = rows_write(&r);
    assert_true(is_behind(&r, txn, NULL));
    txn_abort(&txn);

    struct partitions *partitions;
    struct partition p;
    unsigned n = 0;
    txn = rows_write(&r);
    OK(&r.db.ctx, partitions_new(&r.db.ctx, &partitions));
    OK(&r.db.ctx, partitions_open(&r.db.ctx, partitions, txn, &r.table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (bool found = true; found; n += found)
        OK(&r.db.ctx, partitions_next(&r.db.ctx, partitions, &p, &found));
    assert_int_equal(n, KEYS);
    partitions_close(partitions);
    partitions_free(partitions);
    check_all(&r, txn, ROWS);
    rows_commit(&r, txn);
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);
}

static enum wr_status no_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering, const struct row *row,
                               enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering, (void)row;
    return emit(emit_arg, SLICE_LIT("t"));
}

static void only_plain_inserts_are_put_off(void **state)
{
    static char large[3000];
    static const struct index_shape index = { .index_id = 900, .terms = no_terms };
    struct rows r;
    (void)state;

    memset(large, 'x', sizeof large - 1);
    open_rows(&r, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x"), plain(2, 6, "y"))); /* without a marker, of two times: as any */
    assert_int_equal(put_off(&r), 1);
    catch_up(&r, NULL);
    put(&r, "p", "b", ROW_OF(expiring(1, 5, "x", 10, NOW_S + 10)));
    put(&r, "p", "b", ROW_OF(dead(1, 5, NOW_S)));
    put(&r, "p", "b", ROW_OF(at_path(plain(1, 5, "x"), "path")));
    put(&r, "p", "b", ROW_OF(plain(1, 5, large)));
    put(&r, "p", "b", ROW_OF(plain(1, 5, "x"), plain(2, 5, large + 1200), plain(3, 5, large + 1600)));
    put_static(&r, "p", ROW_OF(plain(9, 5, "x")));
    delete_row(&r, "p", "c", 5);
    delete_range(&r, "p", "d", "e", 5);
    delete_partition(&r, "q", 5);
    assert_int_equal(put_off(&r), 0);
    r.table.may_wait = false;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    r.table.may_wait = r.table.annexed = true;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    r.table.annexed = false;
    backlog_when = BACKLOG_NEVER;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    backlog_when = BACKLOG_ALWAYS;
    engine_bar_backlog(r.db.engine, true);
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    engine_bar_backlog(r.db.engine, false);
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);

    open_rows(&r, true);
    r.table.indexes = &index;
    r.table.index_count = 1;
    put(&r, "p", "a", ROW_OF(plain(1, 5, "x")));
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);
}

/* What is put off and older than a tombstone stays covered, when that is purged too. */
static void a_tombstone_is_not_purged_before(void **state)
{
    struct rows r;
    struct row row;
    (void)state;

    open_rows(&r, true);
    put(&r, "p", "other", ROW_OF(plain(1, 1, "x")));
    delete_row(&r, "p", "gone", 9);
    put(&r, "p", "gone", ROW_OF(plain(1, 5, "x")));
    assert_int_equal(put_off(&r), 1);
    r.db.ctx.now_s += GRACE_S + 10;
    clock_set(engine_clock(r.db.engine), (int64_t)r.db.ctx.now_s * 1000000);
    backlog_idle_ms = 1 << 30; /* not the sweep's doing */
    rows_sweep(&r);
    assert_int_equal(put_off(&r), 0);
    struct txn *txn = rows_read(&r);
    assert_true(rows_find_live(&r, txn, "other", &row));
    assert_false(rows_find_live(&r, txn, "gone", &row));
    txn_abort(&txn);
    rows_close(&r);
}

static void the_sweep_applies_what_has_waited(void **state)
{
    struct rows r;
    bool more;
    (void)state;

    open_rows(&r, true);
    put_all(&r, ROWS);
    backlog_idle_ms = 1 << 30;
    OK(&r.db.ctx, engine_sweep(&r.db.ctx, r.db.engine, &more));
    assert_true(!more && engine_has_backlog(r.db.engine)); /* somebody has put off a row just now */
    backlog_idle_ms = 0;
    rows_sweep(&r);
    assert_int_equal(put_off(&r), 0);
    assert_false(engine_has_backlog(r.db.engine));
    struct txn *txn = rows_read(&r);
    check_all(&r, txn, ROWS);
    txn_abort(&txn);
    rows_close(&r);
}

static void rows_of_a_table_that_is_gone_are_forgotten(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    put_all(&r, 2);
    r.unknown = true;
    catch_up(&r, NULL);
    r.unknown = false;
    assert_int_equal(put_off(&r), 0);
    struct txn *txn = rows_read(&r);
    struct partition p;
    bool found;
    OK(&r.db.ctx, partition_find(&r.db.ctx, txn, &r.table, slice_str("key3"), &p, &found));
    assert_false(found);
    txn_abort(&txn);
    rows_close(&r);
}

/* Whatever call fails while rows are applied: they are all put off still, and can be applied then. */
static void nothing_is_lost_where_applying_fails(void **state)
{
    struct rows r;
    (void)state;

    open_rows(&r, true);
    for (long n = 0, allocations = 0; allocations < 2;) {
        put_all(&r, 1);
        unsigned waiting = put_off(&r);
        const struct reach reach = reach_all(&r.table);
        bool more;
        struct txn *txn = rows_write(&r);
        *(allocations ? &mem_fail_after : &store_fail_after) = n;
        enum wr_status st = txn_catch_up(&r.db.ctx, txn, &reach, &more);
        bool failed = *(allocations ? &mem_fail_after : &store_fail_after) < 0;
        mem_fail_after = store_fail_after = -1;
        assert_true(st == WR_OK || failed);
        if (st == WR_OK)
            rows_commit(&r, txn);
        else
            txn_abort(&txn);
        if (st != WR_OK)
            assert_int_equal(put_off(&r), waiting);
        assert_int_equal(rows_findings(&r, false), 0);
        catch_up(&r, NULL);
        txn = rows_read(&r);
        check_all(&r, txn, 1);
        txn_abort(&txn);
        n = failed ? n + (n < 50 ? 1 : 37) : 0;
        allocations += !failed;
    }
    rows_close(&r);
}

/* ---- on the disk ---- */

static void open_on_disk(struct rows *r, enum durability durability)
{
    const struct engine_options options = { .path = r->db.path, .durability = durability, .create = true };
    OK(&r->db.ctx, engine_open(&r->db.ctx, &options, &r->db.engine));
    engine_set_table_lookup(r->db.engine, rows_lookup, r);
    clock_set(engine_clock(r->db.engine), (int64_t)NOW_S * 1000000);
}

static void new_on_disk(struct rows *r, enum durability durability)
{
    memset(r, 0, sizeof *r);
    database_init(&r->db);
    database_folder(&r->db);
    open_on_disk(r, durability);
    r->table = (struct table_shape){ .table_id = 77, .has_clustering = true, .may_wait = true, .gc_grace_s = GRACE_S };
    backlog_idle_ms = 0;
}

static enum wr_status put_one(struct ctx *ctx, struct txn *txn, void *arg)
{
    return apply(ctx, txn, arg);
}

/* As statements do. */
static void put_gathered(struct rows *r, unsigned k, unsigned c, const char *value)
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

static void put_many_gathered(struct rows *r, unsigned rows)
{
    for (unsigned i = 0; i < KEYS * rows; i++)
        put_gathered(r, i * 7919 % (KEYS * rows) % KEYS, i * 7919 % (KEYS * rows) / KEYS, "6");
}

static void a_crash_and_opening_again_leave_it(void **state)
{
    static const enum durability modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL };
    (void)state;

    gather_after = 0;
    backlog_when = BACKLOG_ALWAYS;
    for (int i = 0; i < 2; i++) {
        struct rows r;
        new_on_disk(&r, modes[i]);
        engine_close(r.db.engine);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) { /* ends in the midst of it */
            open_on_disk(&r, modes[i]);
            put_many_gathered(&r, 20);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        for (int times = 0; times < 2; times++) {
            open_on_disk(&r, modes[i]);
            assert_int_equal(put_off(&r), KEYS * 20);
            assert_int_equal(rows_findings(&r, false), 0);
            if (times == 0)
                engine_close(r.db.engine);
        }
        put_gathered(&r, 3, 100, "6"); /* how much its part holds is not known: that is applied first */
        assert_true(put_off(&r) < KEYS * 20);
        catch_up(&r, NULL);
        struct txn *txn = rows_read(&r);
        check_all(&r, txn, 20);
        check_numbered(&r, txn, 3, 100, 6);
        txn_abort(&txn);
        rows_close(&r);
    }
}

/* In no order, far apart; or each partition's in its order. */
static void insert_some(struct rows *r, unsigned from, unsigned count, bool in_order)
{
    static char value[301];

    memset(value, 'v', sizeof value - 1);
    for (unsigned i = from; i < from + count; i++)
        put_gathered(r, i % KEYS, in_order ? i / KEYS : i * 7919 % 9973, value);
}

static void rows_are_put_off_where_it_pays(void **state)
{
    struct rows r;
    (void)state;

    gather_after = 0;
    backlog_when = BACKLOG_WHERE_IT_PAYS;
    store_memory_bytes = UINT64_C(1) << 40;
    new_on_disk(&r, DURABILITY_PERIODIC); /* memory has room */
    insert_some(&r, 0, 5000, false);
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);

    store_memory_bytes = 1 << 20; /* an eighth of it */
    new_on_disk(&r, DURABILITY_PERIODIC);
    insert_some(&r, 0, 8000, true);
    assert_int_equal(put_off(&r), 0); /* in order */
    insert_some(&r, 0, 8000, false);
    assert_true(put_off(&r) > 4000);
    unsigned n = 16000;
    for (; r.db.engine->backlog.on; n++) { /* each is asked for at once */
        insert_some(&r, n, 1, false);
        char key[16];
        snprintf(key, sizeof key, "key%u", n % KEYS);
        catch_up(&r, key);
        assert_true(n < 20000);
    }
    unsigned before = put_off(&r);
    insert_some(&r, n, 100, false);
    assert_true(put_off(&r) <= before);
    rows_close(&r);
    store_memory_bytes = 0;
}

/* Of another process: whether it is behind, and by how much it could read. */
static int reads_beside(struct rows *r)
{
    const struct engine_options options = { .path = r->db.path, .read_only = true };
    const struct reach reach = reach_all(&r->table);
    struct txn *txn = NULL;
    bool behind = false;

    if (engine_open(&r->db.ctx, &options, &r->db.engine) != WR_OK || txn_begin_read(&r->db.ctx, r->db.engine, &txn) != WR_OK ||
        txn_is_behind(&r->db.ctx, txn, &reach, &behind) != WR_OK)
        return 2;
    return behind;
}

static void beside_another_process_nothing_is_put_off(void **state)
{
    struct rows r;
    int wake[2], said[2];
    char byte = 'x';
    (void)state;

    gather_after = 0;
    backlog_when = BACKLOG_ALWAYS;
    new_on_disk(&r, DURABILITY_PERIODIC);
    engine_close(r.db.engine); /* the child has it not open */
    assert_true(pipe(wake) == 0 && pipe(said) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(wake[1]);
        while (read(wake[0], &byte, 1) == 1) {
            byte = (char)('0' + reads_beside(&r));
            if (write(said[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    open_on_disk(&r, DURABILITY_PERIODIC);
    put_many_gathered(&r, 20);
    assert_int_equal(put_off(&r), KEYS * 20);
    assert_int_equal(write(wake[1], &byte, 1), 1);
    assert_int_equal(read(said[0], &byte, 1), 1);
    assert_int_equal(byte, '1'); /* it is told so, and stays */

    backlog_when = BACKLOG_WHERE_IT_PAYS;
    r.db.engine->backlog.on = true;
    put_many_gathered(&r, 60);
    assert_false(r.db.engine->backlog.on);
    rows_sweep(&r);
    assert_int_equal(put_off(&r), 0);
    close(wake[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(wake[0]);
    close(said[0]);
    close(said[1]);

    /* Nobody is there to apply what is put off. */
    backlog_when = BACKLOG_ALWAYS;
    put_many_gathered(&r, 1);
    engine_close(r.db.engine);
    const struct engine_options options = { .path = r.db.path, .read_only = true };
    assert_int_equal(engine_open(&r.db.ctx, &options, &r.db.engine), WR_BUSY);
    open_on_disk(&r, DURABILITY_PERIODIC);
    rows_close(&r);
}

/* What a part may hold at most, over and over. */
static void a_full_part_is_applied(void **state)
{
    static char value[1001];
    struct rows r;
    enum { LARGE_ROWS = 9000 }; /* of a kilobyte, in one part that has room for four thousand */
    (void)state;

    gather_after = 0;
    backlog_when = BACKLOG_ALWAYS;
    memset(value, 'v', sizeof value - 1);
    new_on_disk(&r, DURABILITY_PERIODIC);
    for (unsigned i = 0; i < LARGE_ROWS; i++) {
        char clustering[16];
        snprintf(clustering, sizeof clustering, "%05u", i * 7919 % LARGE_ROWS);
        struct row_update one = { .clustering = slice_str(clustering), .row = ROW_OF(plain(1, 6, value)) };
        struct update u = update_of(&r, "p");
        u.rows = &one;
        u.row_count = 1;
        OK(&r.db.ctx, engine_write_gathered(&r.db.ctx, r.db.engine, put_one, &u));
        arena_reset(&r.db.arena);
    }
    assert_true(put_off(&r) < 5000);
    catch_up(&r, NULL);
    struct txn *txn = rows_read(&r);
    struct row row;
    for (unsigned i = 0; i < LARGE_ROWS; i++) {
        char clustering[16];
        snprintf(clustering, sizeof clustering, "%05u", i);
        assert_true(rows_find_live(&r, txn, clustering, &row));
    }
    txn_abort(&txn);
    rows_close(&r);
}

/* ---- threads ---- */

enum { WRITERS = 2, READERS = 2, WRITES = 3000 };

struct party {
    struct rows *rows;
    unsigned number;
    atomic_uint *written; /* by each writer: rows acknowledged */
    bool failed;
};

static void *write_on(void *arg)
{
    struct party *p = arg;
    struct arena arena;
    struct ctx ctx;
    char key[16], clustering[16];

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = NOW_S;
    snprintf(key, sizeof key, "key%u", p->number);
    for (unsigned i = 0; i < WRITES && !p->failed; i++) {
        snprintf(clustering, sizeof clustering, "%05u", i);
        struct cell cells[] = { plain(1, 6, "v"), expiring(1, 6, "v", 1000, NOW_S + 1000) }; /* the second is not put off */
        struct row_update one = { .clustering = slice_str(clustering), .row = row_of(&cells[i % 50 == 49], 1) };
        struct update u = update_of(p->rows, key);
        u.rows = &one;
        u.row_count = 1;
        p->failed = engine_write_gathered(&ctx, p->rows->db.engine, put_one, &u) != WR_OK;
        atomic_store(&p->written[p->number], i + 1);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

struct catching {
    struct reach reach;
    bool more;
};

static enum wr_status catch_up_some(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct catching *c = arg;
    return txn_catch_up(ctx, txn, &c->reach, &c->more);
}

/* As the model does: *txn has all that was acknowledged before. */
static enum wr_status begin_caught_up(struct ctx *ctx, struct rows *r, const struct slice *key, struct txn **txn)
{
    struct catching c = { .reach = { .table = &r->table, .keys = key, .key_count = 1 } };
    enum wr_status st = txn_begin_brief(ctx, r->db.engine, txn);
    bool behind = false;

    while (st == WR_OK && (st = txn_is_behind(ctx, *txn, &c.reach, &behind)) == WR_OK && behind) {
        txn_abort(txn);
        engine_bar_backlog(r->db.engine, true);
        st = engine_write(ctx, r->db.engine, catch_up_some, &c);
        if (st == WR_OK)
            st = txn_begin_read(ctx, r->db.engine, txn);
        engine_bar_backlog(r->db.engine, false);
    }
    return st;
}

static enum wr_status count_rows(struct ctx *ctx, struct rows *r, struct scan *scan, struct slice key, unsigned *count)
{
    const struct row_view *view;
    struct partition partition;
    struct txn *txn = NULL;
    enum wr_status st;
    bool found;

    *count = 0;
    TRY_OUT(begin_caught_up(ctx, r, &key, &txn));
    TRY_OUT(partition_find(ctx, txn, &r->table, key, &partition, &found));
    if (!found)
        goto out;
    TRY_OUT(scan_open(ctx, scan, txn, &partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    TRY_OUT(scan_next(ctx, scan, &view));
    for (; view; ++*count)
        TRY_OUT(scan_next(ctx, scan, &view));
out:
    scan_close(scan);
    txn_abort(&txn);
    return st;
}

static void *read_on(void *arg)
{
    struct party *p = arg;
    struct arena arena;
    struct scan *scan;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = NOW_S;
    p->failed = scan_new(&ctx, &scan) != WR_OK;
    for (unsigned n = 0, done = 0; !p->failed && done < WRITERS; n++) {
        char key[16];
        unsigned writer = n % WRITERS, least = atomic_load(&p->written[writer]), count;
        snprintf(key, sizeof key, "key%u", writer);
        p->failed = count_rows(&ctx, p->rows, scan, slice_str(key), &count) != WR_OK || count < least;
        done = least == WRITES ? done + 1 : 0;
        arena_reset(&arena);
    }
    scan_free(scan);
    arena_release(&arena);
    return NULL;
}

static void threads_that_write_and_read(void **state)
{
    static const enum durability modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL };
    (void)state;

    gather_after = 0;
    backlog_when = BACKLOG_ALWAYS;
    for (int i = 0; i < 2; i++) {
        struct rows r;
        atomic_uint written[WRITERS] = { 0 };
        pthread_t threads[WRITERS + READERS];
        struct party parties[WRITERS + READERS];
        new_on_disk(&r, modes[i]);
        for (unsigned t = 0; t < WRITERS + READERS; t++) {
            parties[t] = (struct party){ .rows = &r, .number = t, .written = written };
            assert_int_equal(pthread_create(&threads[t], NULL, t < WRITERS ? write_on : read_on, &parties[t]), 0);
        }
        for (unsigned t = 0; t < WRITERS + READERS; t++) {
            pthread_join(threads[t], NULL);
            assert_false(parties[t].failed);
        }
        rows_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_has_caught_up_has_all),
        cmocka_unit_test(a_write_that_reads_applies_what_it_comes_to),
        cmocka_unit_test(only_plain_inserts_are_put_off),
        cmocka_unit_test(a_tombstone_is_not_purged_before),
        cmocka_unit_test(the_sweep_applies_what_has_waited),
        cmocka_unit_test(rows_of_a_table_that_is_gone_are_forgotten),
        cmocka_unit_test(nothing_is_lost_where_applying_fails),
        cmocka_unit_test(a_crash_and_opening_again_leave_it),
        cmocka_unit_test(rows_are_put_off_where_it_pays),
        cmocka_unit_test(beside_another_process_nothing_is_put_off),
        cmocka_unit_test(a_full_part_is_applied),
        cmocka_unit_test(threads_that_write_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
