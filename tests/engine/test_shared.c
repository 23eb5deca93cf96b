/* Answers txn_begin_brief (engine.h) and gather_share: what a brief read sees beside writes that are gathered, and what it spares. */
#include "engine/rig.h"
#include "tests/engine/disk.h"

#include <pthread.h>
#include <stdatomic.h>

static const enum durability modes[] = { DURABILITY_NONE, DURABILITY_PERIODIC, DURABILITY_FULL };
enum { MODES = 3, MANY = 5000 };

static bool holds_briefly(struct database *db, const struct versions *v, bool *shared)
{
    return holds_by(txn_begin_brief, db, v, shared);
}

/* In memory, too. */
static void new_database(struct database *db, struct versions *v, int mode)
{
    memset(v, 0, sizeof *v);
    rig.gather_after = 0;
    rig.gather_session_ms = HOUR_MS; /* or a busy machine ends a session before its time */
    if (mode < MODES)
        new_disk(db, modes[mode]);
    else
        database_open_memory(db);
}

static void it_sees_what_is_acknowledged_and_nothing_is_committed_for_it(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 5;
    bool shared;
    (void)state;

    for (int mode = 0; mode <= MODES; mode++) {
        new_database(&db, &live, mode);
        change_gathered(&db, &live, &seed, 1); /* what a new database has to sync is */
        assert_true(holds(&db, &live));
        change_gathered(&db, &live, &seed, 1);
        uint64_t first = store_last_commit(db.engine->store);
        for (int i = 0; i < 200; i++) {
            change_gathered(&db, &live, &seed, 1 + (int)random_below(&seed, 5));
            assert_true(holds_briefly(&db, &live, &shared) && shared);
        }
        assert_int_equal(store_last_commit(db.engine->store), first);
        assert_true(holds(&db, &live));
        assert_int_equal(store_last_commit(db.engine->store), first + 1);
        assert_true(holds_briefly(&db, &live, &shared) && !shared); /* nothing is pending */
        database_close(&db);
    }
}

static void many_of_them_for_a_write_get_a_snapshot(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 6;
    (void)state;

    for (int mode = 0; mode <= MODES; mode++) {
        int reads = 0;
        bool shared;
        new_database(&db, &live, mode);
        change_gathered(&db, &live, &seed, 30);
        do
            assert_true(holds_briefly(&db, &live, &shared));
        while (shared && ++reads < MANY);
        assert_in_range(reads, 1, MANY - 1);
        assert_true(holds_briefly(&db, &live, &shared) && !shared);
        database_close(&db);
    }
}

/* A stream begins among brief reads, too, where there are few of them, and not where there are many. */
static void few_of_them_let_writes_be_gathered(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 7;
    (void)state;

    for (int reads = 1; reads <= 50; reads += 49) {
        bool shared, ever = false;
        new_database(&db, &live, 1);
        rig.gather_after = 16;
        for (int i = 0; i < 100; i++) {
            change_gathered(&db, &live, &seed, 1);
            for (int k = 0; k < reads; k++) {
                struct txn *txn = NULL;
                OK(&db.ctx, txn_begin_brief(&db.ctx, db.engine, &txn));
                ever |= txn_is_write(txn);
                txn_abort(&txn);
            }
        }
        assert_int_equal(ever, reads == 1);
        assert_true(holds_briefly(&db, &live, &shared));
        database_close(&db);
    }
}

/* One long read ends a session, and the next writes begin another: where many have been gathered, one of them does not make the next ones pay for commits. */
static void a_long_read_now_and_then_does_not_end_the_gathering(void **state)
{
    static struct versions live;
    struct database db;
    struct engine_figures before, after;
    uint64_t seed = 11;
    (void)state;

    new_database(&db, &live, 1);
    rig.gather_after = 16;
    change_gathered(&db, &live, &seed, 200);
    OK(&db.ctx, engine_figures(&db.ctx, db.engine, &before));
    for (int i = 0; i < 20; i++) {
        bool is_write;
        assert_true(holds_by(txn_begin_read, &db, &live, &is_write) && !is_write);
        change_gathered(&db, &live, &seed, 20);
    }
    OK(&db.ctx, engine_figures(&db.ctx, db.engine, &after));
    assert_true(after.last_commit_id - before.last_commit_id <= 100); /* of 400 writes: a session each, sync points, and what a busy machine adds */
    for (int i = 0; i < 100; i++) { /* where each write has one of its own, none is gathered for long */
        bool is_write;
        change_gathered(&db, &live, &seed, 1);
        assert_true(holds_by(txn_begin_read, &db, &live, &is_write));
    }
    change_gathered(&db, &live, &seed, 1);
    struct txn *txn = NULL;
    OK(&db.ctx, txn_begin_brief(&db.ctx, db.engine, &txn));
    assert_false(txn_is_write(txn));
    txn_abort(&txn);
    database_close(&db);
}

static void what_failed_is_not_seen(void **state)
{
    static struct versions live, before;
    struct database db;
    uint64_t seed = 8;
    bool shared, ever = false;
    (void)state;

    for (int mode = 0; mode <= MODES; mode++) {
        new_database(&db, &live, mode);
        for (int i = 0; i < 50; i++) {
            struct txn *txn = NULL;
            change_gathered(&db, &live, &seed, 3);
            before = live;
            OK(&db.ctx, txn_begin_gathered(&db.ctx, db.engine, &txn));
            put_version(&db, &live, txn, (uint32_t)random_below(&seed, NUMBERS), 7);
            txn_abort(&txn);
            live = before;
            assert_true(holds_briefly(&db, &live, &shared));
            change_gathered(&db, &live, &seed, 3);
            assert_true(holds_briefly(&db, &live, &shared));
            ever |= shared; /* not where a sync point has just been taken */
        }
        database_close(&db);
    }
    assert_true(ever);
}

static enum wr_status put_many(struct ctx *ctx, struct txn *txn, void *arg)
{
    const uint32_t *version = arg;
    for (uint32_t n = 0; n < NUMBERS; n++)
        TRY(store_version(ctx, txn, n, *version));
    return WR_OK;
}

/* Beside what is pending it is done again alone, so that nobody waits for it who reads; beside nothing it may be as long as it likes. */
static void a_long_write_is_alone(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 10;
    bool shared;
    (void)state;

    for (int mode = 0; mode <= MODES; mode++)
        for (int pending = 0; pending < 2; pending++) {
            uint32_t version = 11;
            new_database(&db, &live, mode);
            change_gathered(&db, &live, &seed, 1);
            assert_true(holds(&db, &live));
            change_gathered(&db, &live, &seed, pending);
            uint64_t first = store_last_commit(db.engine->store);
            OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_many, &version));
            for (uint32_t n = 0; n < NUMBERS; n++)
                live.version[n] = version;
            assert_int_equal(store_last_commit(db.engine->store), first + (pending ? 2 : 0));
            assert_true(holds_briefly(&db, &live, &shared));
            change_gathered(&db, &live, &seed, 5);
            assert_true(holds_briefly(&db, &live, &shared));
            if (mode < MODES) {
                reopen(&db, modes[mode]);
                assert_true(holds(&db, &live));
            }
            database_close(&db);
        }
}

/* ---- beside others ---- */

static struct beside {
    struct database *db;
    atomic_bool begun, done, stop;
    _Atomic uint32_t acknowledged;
} beside;

static enum wr_status put_in_order(struct ctx *ctx, struct txn *txn, void *arg)
{
    const uint32_t *n = arg;
    TRY(store_version(ctx, txn, 1, *n));
    return store_version(ctx, txn, NUMBERS - 1, *n);
}

static void *write_one(void *arg)
{
    struct arena arena;
    struct ctx ctx;
    uint32_t n = 9;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    atomic_store(&beside.begun, true);
    OK(&ctx, engine_write_gathered(&ctx, beside.db->engine, put_in_order, &n));
    atomic_store(&beside.done, true);
    arena_release(&arena);
    return arg;
}

static uint32_t version_at(struct ctx *ctx, struct txn *txn, uint32_t n)
{
    uint8_t key[NUMBER_KEY_BYTES];
    struct slice value;
    OK(ctx, store_get(ctx, txn, TREE_ROWS, number_key(key, n), &value));
    return slice_is_null(value) ? 0 : read_u32(value.data);
}

static void nobody_writes_meanwhile(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 9;
    (void)state;

    for (int mode = 0; mode <= MODES; mode++) {
        pthread_t thread;
        struct txn *txn = NULL;
        bool shared;
        new_database(&db, &live, mode);
        change_gathered(&db, &live, &seed, 2);
        beside.db = &db;
        atomic_store(&beside.begun, false);
        atomic_store(&beside.done, false);
        OK(&db.ctx, txn_begin_brief(&db.ctx, db.engine, &txn));
        assert_true(txn_is_write(txn) && txn_is_still(txn));
        assert_int_equal(pthread_create(&thread, NULL, write_one, NULL), 0);
        while (!atomic_load(&beside.begun))
            usleep(100);
        usleep(20000);
        assert_false(atomic_load(&beside.done));
        assert_int_equal(version_at(&db.ctx, txn, 1), live.version[1]);
        txn_abort(&txn);
        pthread_join(thread, NULL);
        live.version[1] = live.version[NUMBERS - 1] = 9;
        assert_true(holds_briefly(&db, &live, &shared));
        database_close(&db);
    }
}

static void *write_many(void *arg)
{
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint32_t n = 1; !atomic_load(&beside.stop); n++) {
        OK(&ctx, engine_write_gathered(&ctx, beside.db->engine, put_in_order, &n));
        atomic_store(&beside.acknowledged, n);
    }
    arena_release(&arena);
    return arg;
}

static void *read_many(void *arg)
{
    const long *reads = arg;
    struct arena arena;
    struct ctx ctx;
    uint32_t last = 0;
    long shared = 0;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (long i = 0; i < *reads; i++) {
        struct txn *txn = NULL;
        uint32_t least = atomic_load(&beside.acknowledged);
        OK(&ctx, (i % 16 ? txn_begin_brief : txn_begin_read)(&ctx, beside.db->engine, &txn));
        shared += txn_is_write(txn);
        uint32_t one = version_at(&ctx, txn, 1), other = version_at(&ctx, txn, NUMBERS - 1);
        txn_abort(&txn);
        assert_int_equal(one, other);
        assert_true(one >= least && one >= last);
        last = one;
    }
    arena_release(&arena);
    return (void *)(uintptr_t)(shared > 0);
}

static void all_see_one_order_of_things(void **state)
{
    enum { READERS = 3 };
    long reads = 3000;
    (void)state;

    for (int mode = 0; mode <= MODES; mode++) {
        static struct versions live;
        struct database db;
        pthread_t writer, readers[READERS];
        new_database(&db, &live, mode);
        beside.db = &db;
        atomic_store(&beside.stop, false);
        atomic_store(&beside.acknowledged, 0);
        assert_int_equal(pthread_create(&writer, NULL, write_many, NULL), 0);
        for (int i = 0; i < READERS; i++)
            assert_int_equal(pthread_create(&readers[i], NULL, read_many, &reads), 0);
        for (int i = 0; i < READERS; i++)
            pthread_join(readers[i], NULL);
        atomic_store(&beside.stop, true);
        pthread_join(writer, NULL);
        database_close(&db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sees_what_is_acknowledged_and_nothing_is_committed_for_it),
        cmocka_unit_test(many_of_them_for_a_write_get_a_snapshot),
        cmocka_unit_test(few_of_them_let_writes_be_gathered),
        cmocka_unit_test(a_long_read_now_and_then_does_not_end_the_gathering),
        cmocka_unit_test(what_failed_is_not_seen),
        cmocka_unit_test(a_long_write_is_alone),
        cmocka_unit_test(nobody_writes_meanwhile),
        cmocka_unit_test(all_see_one_order_of_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
