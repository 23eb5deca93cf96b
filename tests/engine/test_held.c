/* Answers engine/held.h: what shares a transaction with them, who waits for them, what their failure leaves. */
#include "engine/rig.h"
#include "tests/engine/disk.h"

#include <pthread.h>
#include <sched.h>

static const enum durability modes[] = { DURABILITY_NONE, DURABILITY_PERIODIC, DURABILITY_FULL };
enum { MODES = 3 };

/* The modes' databases on the disk, and behind them one in memory. */
static void open_by(struct database *db, int i)
{
    if (i < MODES)
        new_disk(db, modes[i]);
    else
        database_open_memory(db);
}

/* A held write of `parts` parts, each of which gives some numbers new versions; between them `between` is called. */
struct held_test {
    struct database *db;
    struct versions *live;
    uint64_t *seed;
    int parts;
    enum wr_status give;
    void (*between)(struct held_test *t, struct txn *txn, int part);
    bool keep;
    uint64_t commits;   /* before what is pending beside it */
    size_t value_bytes; /* of a large value that each part puts, too; 0: none */
    int runs;
    bool spoilt;
};

static enum wr_status put_part(struct held_test *t, struct ctx *ctx, struct txn *txn, struct versions *wanted)
{
    for (int i = 0; i < 5; i++) {
        uint32_t n = (uint32_t)random_below(t->seed, NUMBERS), version = (uint32_t)random_below(t->seed, 1000);
        TRY(store_version(ctx, txn, n, version));
        wanted->version[n] = version;
    }
    uint8_t *large;
    if (!t->value_bytes)
        return WR_OK;
    TRY(store_reserve(ctx, txn, TREE_SPILL, SLICE_LIT("large"), t->value_bytes, &large));
    memset(large, 0, t->value_bytes);
    return WR_OK;
}

static struct versions before; /* the hold under way */

static enum wr_status in_parts(struct ctx *ctx, struct txn *txn, void *arg)
{
    static struct versions wanted;
    struct held_test *t = arg;

    t->runs++;
    wanted = before; /* also where a run was whole and its commit was not: that is undone, and run again */
    for (int i = 0; i < t->parts; i++) {
        TRY(txn_resume(ctx, txn));
        enum wr_status st = put_part(t, ctx, txn, &wanted);
        txn_pause(ctx, txn, st);
        TRY(st);
        if (t->keep && i == t->parts / 2)
            TRY(txn_keep(ctx, txn));
        if (t->between)
            t->between(t, txn, i);
    }
    if (t->give == WR_OK)
        *t->live = wanted;
    return t->give == WR_OK ? WR_OK : fail(ctx, t->give, "the body's own");
}

static enum wr_status hold(struct held_test *t)
{
    before = *t->live;
    enum wr_status st = engine_write_held(&t->db->ctx, t->db->engine, in_parts, t);
    if (st != WR_OK)
        *t->live = before;
    return st;
}

/* Some numbers' new versions. */
struct few {
    uint32_t n[4], version[4];
    int count;
};

static enum wr_status put_few(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct few *few = arg;
    for (int i = 0; i < few->count; i++)
        TRY(store_version(ctx, txn, few->n[i], few->version[i]));
    return WR_OK;
}

/* Any of them may find the map full, and runs again. */
static void gathered(struct held_test *t, int commits)
{
    for (int i = 0; i < commits; i++) {
        struct few few = { .count = 1 + (int)random_below(t->seed, 4) };
        for (int k = 0; k < few.count; k++) {
            few.n[k] = (uint32_t)random_below(t->seed, NUMBERS);
            few.version[k] = (uint32_t)random_below(t->seed, 1000);
        }
        OK(&t->db->ctx, engine_write_gathered(&t->db->ctx, t->db->engine, put_few, &few));
        for (int k = 0; k < few.count; k++)
            t->live->version[few.n[k]] = few.version[k];
    }
}

static void held_writes_share_a_transaction_with_those_around_them(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 1;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 4 };
    (void)state;

    rig.gather_after = 0;
    int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = HOUR_MS;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        gathered(&t, 3);
        uint64_t first = commits_of(&db);
        for (int n = 0; n < 10; n++) {
            OK(&db.ctx, hold(&t));
            gathered(&t, 2);
        }
        assert_int_equal(commits_of(&db), first);
        assert_true(holds(&db, &live));
        assert_int_equal(commits_of(&db), first + 1);
        database_close(&db);
    }
    rig.gather_session_ms = session_ms;
}

/* ---- readers ---- */

static struct versions at_hold; /* what everybody else has to see while a write is held */
static int looks;

static void *look(void *arg)
{
    struct database copy = *(struct database *)arg; /* a ctx of its own */
    arena_init(&copy.arena);
    ctx_init(&copy.ctx, &copy.arena);
    assert_true(holds(&copy, &at_hold));
    arena_release(&copy.arena);
    return NULL;
}

/* The body waits for the reader, who must not wait for it. */
static void wait_for_a_reader(struct held_test *t, struct txn *txn, int part)
{
    pthread_t thread;
    (void)txn;
    if (part % 2)
        return;
    assert_int_equal(pthread_create(&thread, NULL, look, t->db), 0);
    pthread_join(thread, NULL);
    looks++;
}

static void readers_see_what_is_acknowledged_and_wait_for_no_held_write(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 2;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 6, .between = wait_for_a_reader };
    (void)state;

    rig.gather_after = 0;
    looks = 0;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        for (int n = 0; n < 12; n++) {
            if (n % 4) /* else there is nothing to be parted from */
                gathered(&t, 7);
            at_hold = live;
            t.give = n % 5 == 4 ? WR_INVALID : WR_OK;
            t.keep = n % 3 == 2;
            assert_int_equal(hold(&t), t.give);
            gathered(&t, 1);
            assert_true(holds(&db, &live));
        }
        if (i < MODES) {
            reopen(&db, modes[i]);
            assert_true(holds(&db, &live));
        }
        database_close(&db);
    }
    assert_int_equal(looks, 12 * 3 * (MODES + 1));
}

static void wait_until_flushed(struct held_test *t, struct txn *txn, int part)
{
    (void)txn;
    if (part == 1)
        while (commits_of(t->db) == t->commits)
            sched_yield();
}

static void what_is_pending_beside_one_that_lasts_is_committed_in_its_time(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 3;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 3, .between = wait_until_flushed };
    (void)state;

    const int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = 10; /* times what the sync interval makes of it */
    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        t.commits = commits_of(&db);
        gathered(&t, 3);
        OK(&db.ctx, hold(&t));
        assert_true(holds(&db, &live));
        database_close(&db);
    }
    rig.gather_session_ms = session_ms;
}

/* ---- failures ---- */

static void one_that_fails_leaves_nothing_and_takes_nothing_with_it(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 4;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        for (int n = 0; n < 60; n++) {
            gathered(&t, (int)random_below(&seed, 4));
            t.parts = (int)random_below(&seed, 4);
            t.keep = n % 3 == 1;
            t.give = n % 4 ? WR_INVALID : WR_OK;
            assert_int_equal(hold(&t), t.give);
            if (n % 10 == 0)
                assert_true(holds(&db, &live));
        }
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

static void read_once(struct held_test *t, struct txn *txn, int part)
{
    struct txn *other = NULL;
    (void)txn;
    if (part == 1 && txn_begin_read(&t->db->ctx, t->db->engine, &other) == WR_OK) /* this thread's, and not in the held one */
        txn_abort(&other);
}

static void every_call_of_the_store_may_fail(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 5;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 3, .between = read_once };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        int failed = 0;
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        for (int n = 0; n < 120; n++) {
            gathered(&t, 3);
            t.keep = n % 4 == 3;
            rig.store_fail_after = n % 60;
            enum wr_status st = hold(&t);
            rig.store_fail_after = -1;
            failed += st != WR_OK;
            if (n % 3 == 0)
                assert_true(holds(&db, &live));
        }
        assert_true(failed > 40);
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

/* Between two parts LMDB fails at a read: of a key that cannot be, in place of a page that is damaged. */
static void spoil(struct held_test *t, struct txn *txn, int part)
{
    struct txn *shared = part == 1 ? txn_share_held(&t->db->ctx, txn) : NULL;
    struct slice value;
    if (!shared)
        return;
    assert_true(store_get(&t->db->ctx, shared, TREE_META, SLICE_EMPTY, &value) != WR_OK);
    txn_abort(&shared);
    t->spoilt = true;
}

static void a_read_that_meets_damage_fails_the_whole_and_nothing_else(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 9;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 4 };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        gathered(&t, 3);
        t.between = spoil;
        t.spoilt = false;
        assert_int_equal(hold(&t), WR_CORRUPT);
        assert_true(t.spoilt);
        gathered(&t, 3);
        t.between = NULL;
        OK(&db.ctx, hold(&t));
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

static void write_in_another_way(struct held_test *t, struct txn *txn, int part)
{
    struct ctx *ctx = &t->db->ctx;
    struct txn *other = NULL;
    (void)txn;

    assert_int_equal(txn_begin_write(ctx, t->db->engine, &other), WR_MISUSE);
    assert_int_equal(txn_begin_gathered(ctx, t->db->engine, &other), WR_MISUSE);
    if (t->db->path[0] && part % 2)
        assert_int_equal(engine_sync(ctx, t->db->engine), WR_MISUSE);
}

static void its_thread_writes_in_no_other_way(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 6;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 4, .between = write_in_another_way };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++)
        for (int keep = 0; keep < 2; keep++) {
            open_by(&db, i);
            memset(&live, 0, sizeof live);
            t.keep = keep;
            gathered(&t, 3);
            OK(&db.ctx, hold(&t));
            assert_true(holds(&db, &live));
            database_close(&db);
        }
}

/* ---- sizes ---- */

static void one_larger_than_the_log_is_whole_too(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 7;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 4, .value_bytes = 2000000 };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        memset(&live, 0, sizeof live);
        for (int n = 0; n < 6; n++) {
            t.between = n % 2 ? wait_for_a_reader : NULL;
            gathered(&t, 5);
            at_hold = live;
            OK(&db.ctx, hold(&t));
            assert_true(holds(&db, &live));
        }
        database_close(&db);
    }
}

static void it_runs_again_where_the_map_must_grow(void **state)
{
    static struct versions live;
    struct engine_options options = { .map_bytes = 1 << 20, .create = true };
    struct database db;
    uint64_t seed = 8;
    struct held_test t = { .db = &db, .live = &live, .seed = &seed, .parts = 3, .between = read_once };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        database_init(&db);
        if (i < MODES)
            database_folder(&db);
        options.path = i < MODES ? db.path : NULL;
        options.durability = i < MODES ? modes[i] : DURABILITY_NONE;
        OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
        memset(&live, 0, sizeof live);
        t.runs = 0;
        for (int n = 0; n < 40; n++) {
            t.value_bytes = 100000 * (size_t)(1 + n);
            t.keep = n % 3 == 2;
            gathered(&t, 2);
            OK(&db.ctx, hold(&t));
        }
        assert_true(t.runs > 40);
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

/* ---- threads: amounts go from one account to another, so that their sum stays ---- */

enum { ACCOUNTS = 20, EACH = 1000, WRITERS = 2, TRANSFERS = 600 };

struct bank {
    struct engine *engine;
    uint64_t seed;
    bool held;
    pthread_t thread;
};

static enum wr_status add(struct ctx *ctx, struct txn *txn, uint32_t n, uint32_t amount)
{
    struct slice value;
    uint8_t key[NUMBER_KEY_BYTES], bytes[4];

    TRY(store_get(ctx, txn, TREE_ROWS, number_key(key, n), &value));
    put_u32(bytes, (slice_is_null(value) ? EACH : read_u32(value.data)) + amount);
    return store_put(ctx, txn, TREE_ROWS, number_key(key, n), slice_of(bytes, 4));
}

static enum wr_status transfer(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct bank *b = arg;
    uint32_t from = (uint32_t)random_below(&b->seed, ACCOUNTS), to = (uint32_t)random_below(&b->seed, ACCOUNTS);
    uint32_t amount = (uint32_t)random_below(&b->seed, 10);

    TRY(txn_resume(ctx, txn));
    OK(ctx, add(ctx, txn, from, -amount));
    txn_pause(ctx, txn, WR_OK);
    sched_yield();
    if (from == 0)
        TRY(txn_keep(ctx, txn));
    TRY(txn_resume(ctx, txn));
    OK(ctx, add(ctx, txn, to, amount));
    txn_pause(ctx, txn, WR_OK);
    return amount == 9 ? fail(ctx, WR_INVALID, "given up") : WR_OK;
}

static void *transfer_many(void *arg)
{
    struct bank *b = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (int i = 0; i < TRANSFERS; i++) {
        enum wr_status st = (b->held ? engine_write_held : engine_write_gathered)(&ctx, b->engine, transfer, b);
        assert_true(st == WR_OK || st == WR_INVALID);
        if (i % 100 == 0)
            OK(&ctx, engine_sync(&ctx, b->engine));
    }
    arena_release(&arena);
    return NULL;
}

static void check_sum(struct database *db)
{
    struct txn *txn = NULL;
    struct slice value;
    uint8_t key[NUMBER_KEY_BYTES];
    uint32_t sum = 0;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (uint32_t n = 0; n < ACCOUNTS; n++) {
        OK(&db->ctx, store_get(&db->ctx, txn, TREE_ROWS, number_key(key, n), &value));
        sum += slice_is_null(value) ? EACH : read_u32(value.data);
    }
    txn_abort(&txn);
    assert_int_equal(sum, ACCOUNTS * EACH);
}

static void threads_that_hold_read_and_write_see_one_moment_each(void **state)
{
    struct bank banks[2 * WRITERS];
    struct database db;
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i <= MODES; i++) {
        open_by(&db, i);
        for (int n = 0; n < 2 * WRITERS; n++) {
            banks[n] = (struct bank){ .engine = db.engine, .seed = (uint64_t)n + 1, .held = n % 2 };
            assert_int_equal(pthread_create(&banks[n].thread, NULL, transfer_many, &banks[n]), 0);
        }
        for (int n = 0; n < 300; n++)
            check_sum(&db);
        for (int n = 0; n < 2 * WRITERS; n++)
            pthread_join(banks[n].thread, NULL);
        check_sum(&db);
        database_close(&db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_writes_share_a_transaction_with_those_around_them),
        cmocka_unit_test(readers_see_what_is_acknowledged_and_wait_for_no_held_write),
        cmocka_unit_test(what_is_pending_beside_one_that_lasts_is_committed_in_its_time),
        cmocka_unit_test(one_that_fails_leaves_nothing_and_takes_nothing_with_it),
        cmocka_unit_test(every_call_of_the_store_may_fail),
        cmocka_unit_test(a_read_that_meets_damage_fails_the_whole_and_nothing_else),
        cmocka_unit_test(its_thread_writes_in_no_other_way),
        cmocka_unit_test(one_larger_than_the_log_is_whole_too),
        cmocka_unit_test(it_runs_again_where_the_map_must_grow),
        cmocka_unit_test(threads_that_hold_read_and_write_see_one_moment_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
