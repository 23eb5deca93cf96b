/* Answers engine/gather.h in mode full, logfile.h, log.h and recovery.h: what is acknowledged outlives a loss of power at any moment, a
 * kill, failing calls and a damaged log. */
#include "engine/rig.h"
#include "tests/engine/writers.h"

#include <limits.h>
#include <sys/mman.h>

/* ThreadSanitizer makes each step slow; what it may find shows in few of them. */
#ifdef __SANITIZE_THREAD__
enum { CUTS = 5, FAIL_STEP = 7, DAMAGE_STEP = 16 };
#else
enum { CUTS = 20, FAIL_STEP = 1, DAMAGE_STEP = 1 };
#endif

/* ---- power ---- */

/* What a power cut leaves of a database where nobody writes and all is synced. */
static void image_at_rest(const struct database *db, struct database *image)
{
    struct file sync = load(db, "widerow.sync"), log = load(db, "widerow.log");
    change_boot(sync);
    make_image(image, load(db, "widerow.db"), sync, NO_FILE);
    save(image, "widerow.log", log);
    free(log.bytes);
}

/* What was given back stays, and is not given back once more over what came later. */
static void go_on(struct database *db)
{
    struct one_write more = { 0, 1000001, 10 };
    struct database image;
    struct txn *txn = NULL;
    uint8_t key[12];

    for (; more.n <= 1000003; more.n++)
        OK(&db->ctx, engine_write(&db->ctx, db->engine, write_one, &more));
    image_at_rest(db, &image);
    open_disk(&image, DURABILITY_FULL);
    OK(&image.ctx, txn_begin_read(&image.ctx, image.engine, &txn));
    assert_int_equal(number_at(&image.ctx, txn, key_of(key, KEY_LAST, 0, 0)), 1000003);
    txn_abort(&txn);
    database_close(&image);
}

static void power_may_go_at_any_moment(int count, int cuts, uint32_t size_most, bool only_gathered, uint64_t seed)
{
    static const int refusals[4] = { 0, ENOTSUP, 0, ENOSYS };
    struct database db, image;
    int with_log = 0;

    rig.gather_after = 0;
    atomic_store(&power.without_dsync, refusals[seed % 4]);
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, seed);
    power.at_cut = note_at_cut;
    start_writers(db.engine, count, (struct writer_of_test){ .until = UINT32_MAX, .size_most = size_most, .only_gathered = only_gathered });
    for (int i = 0; i < cuts; i++) {
        atomic_store(&power.cut_after, (long)random_below(&seed, 300));
        while (!atomic_load(&power.is_cut))
            sched_yield();
        bool power_left_log = power.cut[LOG].bytes != NULL;
        with_log += power_left_log;
        power_image(&image);
        open_disk(&image, i % 3 ? DURABILITY_PERIODIC : DURABILITY_FULL);
        check_work(&image, least_at_cut, most_at_cut);
        if (i % 3 == 0 && power_left_log)
            go_on(&image);
        database_close(&image);
    }
    stop_writers(count);
    note_at_cut();
    check_work(&db, least_at_cut, most_at_cut);
    power_unwatch();
    atomic_store(&power.without_dsync, 0);
    database_close(&db);
    assert_true(with_log > cuts / 2);
}

static void power_may_go_while_one_writes(void **state)
{
    (void)state;
    power_may_go_at_any_moment(1, CUTS, 200, true, 1);
    power_may_go_at_any_moment(1, CUTS, SIZE_MOST, false, 2);
}

static void power_may_go_while_several_write(void **state)
{
    (void)state;
    power_may_go_at_any_moment(WRITERS, CUTS, 200, true, 3);
    power_may_go_at_any_moment(WRITERS, CUTS, SIZE_MOST, false, 4);
}

/* What has been given back is not in the log any more, and so on the disk before that. */
static void power_may_go_again_behind_a_recovery(void **state)
{
    enum { WRITES = 40 };
    static const uint32_t all[WRITERS] = { WRITES };
    (void)state;

    rig.gather_after = 0;
    for (uint64_t seed = 1; seed <= CUTS; seed++) {
        struct one_write one = { 0, 1, 100 };
        struct database db, image, again;

        new_disk(&db, DURABILITY_FULL);
        power_watch(&db, seed);
        for (; one.n <= WRITES; one.n++)
            OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
        power_cut(&image);
        power_unwatch();
        database_close(&db);
        power_watch(&image, seed);
        open_disk(&image, DURABILITY_FULL);
        power_cut(&again);
        power_unwatch();
        check_work(&image, all, all);
        database_close(&image);
        open_disk(&again, DURABILITY_FULL);
        check_work(&again, all, all);
        database_close(&again);
    }
}

/* ---- processes ---- */

static struct {
    _Atomic uint32_t acknowledged[WRITERS], begun[WRITERS];
} *shared;

static void *publish(void *arg)
{
    (void)arg;
    for (;;)
        for (int i = 0; i < WRITERS; i++) {
            atomic_store(&shared->acknowledged[i], atomic_load(&writers[i].acknowledged)); /* in this order: never too much, */
            sched_yield();
        }
    return NULL;
}

static void a_process_may_be_killed_at_any_moment(void **state)
{
    struct database db;
    uint64_t seed = 21;
    (void)state;

    rig.gather_after = 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 16; i++) {
        uint32_t least[WRITERS], most[WRITERS], until = 1 + (uint32_t)random_below(&seed, 400);
        int count = i % 2 ? 1 : WRITERS;
        memset(shared, 0, sizeof *shared);
        new_disk(&db, DURABILITY_FULL);
        engine_close(db.engine);
        pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            open_disk(&db, DURABILITY_FULL);
            start_writers(db.engine, count, (struct writer_of_test){ .until = UINT32_MAX, .size_most = i % 3 ? 300 : SIZE_MOST });
            pthread_create(&thread, NULL, publish, NULL);
            pause();
        }
        while (atomic_load(&shared->acknowledged[0]) < until)
            sched_yield();
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        for (int w = 0; w < WRITERS; w++) {
            least[w] = atomic_load(&shared->acknowledged[w]);
            most[w] = UINT32_MAX;
        }
        open_disk(&db, i % 2 ? DURABILITY_FULL : DURABILITY_PERIODIC);
        check_work(&db, least, most);
        database_close(&db);
    }
    munmap(shared, sizeof *shared);
}

static void a_child_that_was_forked_changes_nothing(void **state)
{
    struct one_write one = { 0, 0, 10 };
    uint32_t last[WRITERS] = { 0 };
    struct database db;
    int status;
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    for (one.n = 1; one.n <= 20; one.n++) {
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
        if (one.n % 5)
            continue;
        pid_t child = fork(); /* in the midst of a session */
        if (child == 0)
            _exit(0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
    }
    last[0] = 20;
    check_work(&db, last, last);
    reopen(&db, DURABILITY_FULL);
    check_work(&db, last, last);
    database_close(&db);
}

/* ---- failing calls ---- */

enum { ATTEMPTS = 24 };

static enum wr_status put_pair(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct one_write *one = arg;
    uint8_t key[12];
    TRY(put_number(ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, 9, one->n), one->n, one->bytes));
    return put_number(ctx, txn, key_of(key, KEY_SECOND_OF_PAIR, 9, one->n), one->n, one->bytes);
}

static enum wr_status hold_pair(struct ctx *ctx, struct txn *txn, void *arg)
{
    TRY(txn_resume(ctx, txn));
    enum wr_status st = put_pair(ctx, txn, arg);
    txn_pause(ctx, txn, st);
    return st;
}

/* What was acknowledged is there, what failed is whole or not there at all; `none`: not there. */
static void check_pairs(struct database *db, const enum wr_status outcome[ATTEMPTS], bool none)
{
    struct txn *txn = NULL;
    uint8_t key[12];

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (uint32_t n = 1; n < ATTEMPTS; n++) {
        uint32_t first = number_at(&db->ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, 9, n));
        assert_int_equal(first, number_at(&db->ctx, txn, key_of(key, KEY_SECOND_OF_PAIR, 9, n)));
        if (outcome[n] == WR_OK)
            assert_int_equal(first, n);
        if (outcome[n] != WR_OK && none)
            assert_int_equal(first, 0);
    }
    txn_abort(&txn);
}

/* LMDB does after it could not write a meta page: then only opening the database again helps. */
static bool has_given_up(struct database *db)
{
    struct txn *txn = NULL;
    enum wr_status st = txn_begin_read(&db->ctx, db->engine, &txn);
    txn_abort(&txn);
    return st == WR_IO && strstr(db->ctx.error, "an earlier write to the disk failed");
}

/* False: there were fewer calls than that. */
static bool fail_call(long n, int with)
{
    enum wr_status outcome[ATTEMPTS];
    struct database db, image;
    uint32_t failed = 0;

    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, (uint64_t)n);
    power.fail_with = with;
    atomic_store(&power.fail_after, n);
    bool only_gathered = n % 2;
    for (uint32_t i = 1; i < ATTEMPTS; i++) {
        struct one_write one = { 9, i, i % 6 ? 50 : 100000 };
        struct txn *txn = NULL;
        bool whole = !only_gathered && i % 8 == 7;
        if (i % 4 == 2)
            outcome[i] = engine_write_held(&db.ctx, db.engine, hold_pair, &one);
        else
            outcome[i] = (whole ? engine_write : engine_write_gathered)(&db.ctx, db.engine, put_pair, &one);
        failed += outcome[i] != WR_OK;
        if (i % 5 == 0 && txn_begin_read(&db.ctx, db.engine, &txn) == WR_OK)
            txn_abort(&txn);
    }
    bool used = atomic_load(&power.fail_after) < 0;
    atomic_store(&power.fail_after, -1);
    assert_true(used || failed == 0);
    if (!has_given_up(&db))
        check_pairs(&db, outcome, only_gathered);
    power_cut(&image);
    open_disk(&image, DURABILITY_FULL);
    check_pairs(&image, outcome, false);
    database_close(&image);
    engine_close(db.engine);
    db.engine = NULL;
    power_unwatch();
    open_disk(&db, DURABILITY_FULL);
    check_pairs(&db, outcome, false);
    database_close(&db);
    return used;
}

static void each_call_of_the_disk_may_fail(void **state)
{
    static const int errors[] = { EIO, ENOSPC };
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i < 2; i++) {
        long n = 0, step = errors[i] == EIO ? FAIL_STEP : 3 * FAIL_STEP; /* odd: both with other writes in between and without */
        while (fail_call(n, errors[i]) || fail_call(n + 1, errors[i]))
            n += step;
        assert_true(n > 60);
    }
}

static void a_failed_sync_is_the_end_of_writing(void **state)
{
    struct one_write one = { 9, 1, 10 };
    enum wr_status outcome[ATTEMPTS] = { WR_OK };
    struct database db;
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_pair, &one));
    power.fail_with = EIO;
    for (one.n = 2; one.n < ATTEMPTS; one.n++) {
        atomic_store(&power.fail_after, one.n == 2 ? 1 : -1); /* the sync; the one after it might work, and tell nothing */
        outcome[one.n] = engine_write_gathered(&db.ctx, db.engine, put_pair, &one);
        assert_int_equal(outcome[one.n], WR_IO);
        assert_non_null(strstr(db.ctx.error, one.n == 2 ? "cannot sync" : "must be closed"));
    }
    assert_int_equal(engine_write(&db.ctx, db.engine, put_pair, &one), WR_IO);
    check_pairs(&db, outcome, true);
    power_unwatch();
    reopen(&db, DURABILITY_FULL);
    check_pairs(&db, outcome, false);
    OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_pair, &one));
    database_close(&db);
}

/* Behind the commit the snapshot may be one that cannot be had, or the file one that cannot be lengthened. */
static void what_found_no_room_is_not_there(void **state)
{
    bool failed = true, unsynced = false;
    (void)state;

    rig.gather_after = INT_MAX;
    rig.store_fail_with = WR_FULL;
    for (long n = 0; failed; n++) {
        struct one_write one = { 9, 1, 50 };
        struct database db;
        struct txn *txn = NULL;
        uint8_t key[12];
        new_disk(&db, DURABILITY_FULL);
        atomic_store(&rig.store_fail_after, n);
        enum wr_status st = engine_write(&db.ctx, db.engine, put_pair, &one);
        failed = atomic_exchange(&rig.store_fail_after, -1) < 0;
        unsynced |= st == WR_IO;
        assert_true(st == WR_OK || st == WR_FULL || strstr(db.ctx.error, "until a later one is synced"));
        OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
        assert_int_equal(number_at(&db.ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, 9, 1)), st != WR_FULL);
        txn_abort(&txn);
        database_close(&db);
    }
    rig.store_fail_with = WR_IO;
    assert_true(unsynced);
}

/* They are written ahead of the records to spare time, and what is acknowledged does not hang on them. */
static void zeroes_may_find_no_room(void **state)
{
    struct one_write one = { 9, 1, 50000 };
    struct database db, image;
    enum wr_status outcome[ATTEMPTS] = { WR_OK };
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    power.fail_with = ENOSPC;
    for (; one.n < ATTEMPTS; one.n++) {
        atomic_store(&power.fail_after, one.n == 6 ? 0 : -1); /* the sixth pair goes beyond the first half of a megabyte */
        outcome[one.n] = engine_write_gathered(&db.ctx, db.engine, put_pair, &one);
        assert_int_equal(outcome[one.n], WR_OK);
        assert_true(atomic_load(&power.fail_after) < 0);
    }
    power_cut(&image);
    open_disk(&image, DURABILITY_FULL);
    check_pairs(&image, outcome, false);
    database_close(&image);
    power_unwatch();
    database_close(&db);
}

/* ---- damage ---- */

static void a_log_may_be_damaged_at_every_byte_of_a_record(void **state)
{
    enum { WRITES = 5, DAMAGED = 3 };
    struct one_write one = { 9, 0, 12 };
    struct database db, image;
    enum wr_status outcome[ATTEMPTS];
    size_t ends[WRITES + 1] = { LOG_HEAD };
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    for (one.n = 1; one.n <= WRITES; one.n++) {
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_pair, &one));
        size_t len = read_u32(power.synced[LOG].bytes + ends[one.n - 1]); /* log.h; a record may end with a zero */
        ends[one.n] = ends[one.n - 1] + LOG_RECORD_HEAD + len + LOG_RECORD_TAIL;
    }
    for (size_t at = 0; at < ends[DAMAGED] - ends[DAMAGED - 1] + LOG_HEAD; at += DAMAGE_STEP) {
        size_t where = at < LOG_HEAD ? at : ends[DAMAGED - 1] + at - LOG_HEAD;
        struct file sync = load(&db, "widerow.sync"), log = load(&db, "widerow.log");
        uint32_t left = at < LOG_HEAD ? 0 : DAMAGED - 1;
        change_boot(sync);
        make_image(&image, load(&db, "widerow.db"), sync, NO_FILE);
        log.bytes[where] ^= (uint8_t)(1 + at % 255);
        log.len = LOG_HALF_BYTES;
        save(&image, "widerow.log", log);
        free(log.bytes);
        open_disk(&image, DURABILITY_FULL);
        for (uint32_t n = 1; n < ATTEMPTS; n++)
            outcome[n] = n <= left ? WR_OK : WR_CORRUPT;
        check_pairs(&image, outcome, true);
        database_close(&image);
    }
    power_unwatch();
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_may_go_while_one_writes),
        cmocka_unit_test(power_may_go_while_several_write),
        cmocka_unit_test(power_may_go_again_behind_a_recovery),
        cmocka_unit_test(a_process_may_be_killed_at_any_moment),
        cmocka_unit_test(a_child_that_was_forked_changes_nothing),
        cmocka_unit_test(each_call_of_the_disk_may_fail),
        cmocka_unit_test(a_failed_sync_is_the_end_of_writing),
        cmocka_unit_test(what_found_no_room_is_not_there),
        cmocka_unit_test(zeroes_may_find_no_room),
        cmocka_unit_test(a_log_may_be_damaged_at_every_byte_of_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
