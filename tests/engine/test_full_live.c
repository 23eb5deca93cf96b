/* Answers engine/gather.h in mode full while all goes well: what it costs in syncs and bytes, and what readers see meanwhile. */
#include "engine/rig.h"
#include "tests/engine/writers.h"

/* ---- what it costs ---- */

static void a_lone_write_is_one_sync(void **state)
{
    enum { WRITES = 200 };
    struct one_write one = { 0, 0, 200 };
    struct database db;
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
    long syncs = atomic_load(&power.syncs[LOG]), puts = atomic_load(&power.puts);
    for (one.n = 1; one.n <= WRITES; one.n++)
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
    assert_int_equal(atomic_load(&power.syncs[LOG]) - syncs, WRITES);
    assert_int_equal(atomic_load(&power.puts) - puts, WRITES);
    assert_int_equal(atomic_load(&power.syncs[DATA]), 0);
    assert_int_equal(atomic_load(&power.syncs[SYNC]), 0);
    power_unwatch();
    database_close(&db);
}

static void wait_a_little(const atomic_bool *until, int ms)
{
    int64_t end = clock_monotonic_ns() + ms * INT64_C(1000000);
    while (!(until && atomic_load(until)) && clock_monotonic_ns() < end)
        sched_yield();
}

static void take_a_while(void)
{
    wait_a_little(NULL, 2);
}

static void who_waits_together_shares_a_sync(void **state)
{
    enum { WRITES = 50 };
    struct database db;
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    power.at_sync[LOG] = take_a_while;
    start_writers(db.engine, WRITERS, (struct writer_of_test){ .until = WRITES, .size_most = 100, .only_gathered = true });
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
    assert_in_range(atomic_load(&power.syncs[LOG]), WRITES, WRITERS * WRITES * 3 / 4);
    power_unwatch();
    database_close(&db);
}

/* Before the log comes to a half again, its sync has to be done; a busy machine gets ten seconds for it. */
static void data_is_synced(long times)
{
    struct timespec nap = { .tv_nsec = 1000000 };

    for (int naps = 10000; atomic_load(&power.syncs[DATA]) < times && naps; naps--)
        nanosleep(&nap, NULL);
}

static void the_log_and_the_file_stay_small(void **state)
{
    enum { WRITES = 4000, BYTES = 8000 }; /* eight halves of the log */
    struct one_write one = { 0, 0, BYTES };
    struct engine_figures figures;
    struct database db;
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    for (one.n = 1; one.n <= WRITES; one.n++) {
        struct txn *txn = NULL;
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
        if (one.n * BYTES / LOG_HALF_BYTES > (one.n - 1) * BYTES / LOG_HALF_BYTES)
            data_is_synced(one.n * BYTES / LOG_HALF_BYTES - 1);
        if (one.n % 10)
            continue;
        OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn)); /* a commit, whose pages cannot be used again for a while */
        txn_abort(&txn);
    }
    OK(&db.ctx, engine_figures(&db.ctx, db.engine, &figures));
    assert_in_range(figures.file_bytes, 1, 96 << 20);
    assert_in_range(atomic_load(&power.syncs[DATA]), 7, WRITES / 20); /* of 400 commits */
    struct file log = load(&db, "widerow.log");
    assert_int_equal(log.len, LOG_HALVES * LOG_HALF_BYTES);
    free(log.bytes);
    power_unwatch();
    database_close(&db);
}

/* ---- who sees what ---- */

static struct {
    struct database *db;
    uint32_t seen;
    bool brief;
    atomic_bool begun, done, was_done; /* the read; within the sync */
    int patience_ms;
    pthread_t thread;
} reader;

static void *read_last(void *arg)
{
    struct arena arena;
    struct ctx ctx;
    uint8_t key[12];
    struct txn *txn = NULL;
    (void)arg;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    OK(&ctx, (reader.brief ? txn_begin_brief : txn_begin_read)(&ctx, reader.db->engine, &txn));
    reader.seen = number_at(&ctx, txn, key_of(key, KEY_LAST, 0, 0));
    txn_abort(&txn);
    arena_release(&arena);
    atomic_store(&reader.done, true);
    return NULL;
}

static void read_within_the_sync(void)
{
    if (atomic_exchange(&reader.begun, true))
        return;
    assert_int_equal(pthread_create(&reader.thread, NULL, read_last, NULL), 0);
    wait_a_little(&reader.done, reader.patience_ms);
    atomic_store(&reader.was_done, atomic_load(&reader.done));
}

static void nobody_sees_what_could_still_be_undone(void **state)
{
    static const struct {
        bool whole, others; /* a transaction of its own; something acknowledged lies in the same one */
        bool waits;         /* the reader does */
        uint32_t sees;
    } cases[] = { { false, false, false, 1 }, { false, true, true, 3 }, { true, false, true, 3 } };
    (void)state;

    rig.gather_after = 0;
    for (size_t n = 0; n < 2 * sizeof cases / sizeof *cases; n++) {
        size_t i = n / 2;
        struct one_write one = { 0, 1, 10 };
        struct database db;
        new_disk(&db, DURABILITY_FULL);
        power_watch(&db, 1);
        memset(&reader, 0, sizeof reader);
        reader.db = &db;
        reader.brief = n % 2;
        reader.patience_ms = cases[i].waits ? 50 : 10000;
        OK(&db.ctx, engine_write(&db.ctx, db.engine, write_one, &one));
        one.n = 2;
        if (cases[i].others)
            OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
        one.n = 3;
        power.at_sync[cases[i].whole ? DATA : LOG] = read_within_the_sync;
        OK(&db.ctx, (cases[i].whole ? engine_write : engine_write_gathered)(&db.ctx, db.engine, write_one, &one));
        assert_true(atomic_load(&reader.begun));
        pthread_join(reader.thread, NULL);
        assert_int_equal(reader.was_done, !cases[i].waits);
        assert_int_equal(reader.seen, cases[i].sees);
        power_unwatch();
        database_close(&db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_write_is_one_sync),
        cmocka_unit_test(who_waits_together_shares_a_sync),
        cmocka_unit_test(the_log_and_the_file_stay_small),
        cmocka_unit_test(nobody_sees_what_could_still_be_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
