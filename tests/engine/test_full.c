/* Answers engine/gather.h in mode full, logfile.h, log.h and recovery.h: what is acknowledged outlives a loss of power at any moment, a
 * kill, failing calls and a damaged log; what it costs in syncs; and what readers see meanwhile. */
#include "tests/engine/power.h"

#include <sched.h>
#include <sys/mman.h>

#include "engine/log.h"

/* ---- writers whose work can be told from its end: each counts, keeps its last SLOTS numbers twice, and adds one to a total of all ---- */

enum { WRITERS = 4, SLOTS = 8, SIZE_MOST = 24000 };

/* ThreadSanitizer makes each step slow; what it may find shows in few of them. */
#ifdef __SANITIZE_THREAD__
enum { CUTS = 5, FAIL_STEP = 7, DAMAGE_STEP = 16 };
#else
enum { CUTS = 20, FAIL_STEP = 1, DAMAGE_STEP = 1 };
#endif

struct writer_of_test {
    struct engine *engine;
    uint32_t number;
    uint32_t until;
    uint32_t size_most;  /* of a value */
    bool only_gathered;  /* else a few are whole transactions, held, larger than the log has room for, given up, or followed by a read or a sync */
    _Atomic uint32_t begun, acknowledged, seen; /* how far it is; seen: by a read of it */
    atomic_bool stop;
    pthread_t thread;
};
static struct writer_of_test writers[WRITERS];

static struct slice key_of(uint8_t bytes[12], uint32_t kind, uint32_t writer, uint32_t slot)
{
    put_u32(bytes, kind);
    put_u32(bytes + 4, writer);
    put_u32(bytes + 8, slot);
    return slice_of(bytes, 12);
}
enum { KEY_LAST = 1, KEY_TOTAL, KEY_FIRST_OF_PAIR, KEY_SECOND_OF_PAIR };

static uint32_t number_at(struct ctx *ctx, struct txn *txn, struct slice key)
{
    struct slice value;
    OK(ctx, store_get(ctx, txn, TREE_ROWS, key, &value));
    return slice_is_null(value) ? 0 : read_u32(value.data);
}

struct one_write {
    uint32_t writer, n, bytes;
};

static enum wr_status put_number(struct ctx *ctx, struct txn *txn, struct slice key, uint32_t n, uint32_t bytes)
{
    static const uint8_t filler[LOG_HALF_BYTES];
    uint8_t *value;

    TRY(store_reserve(ctx, txn, TREE_ROWS, key, 4 + bytes, &value));
    memcpy(value + 4, filler, bytes);
    put_u32(value, n);
    return WR_OK;
}

static enum wr_status write_one(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct one_write *one = arg;
    uint8_t key[12];
    struct slice total;

    TRY(put_number(ctx, txn, key_of(key, KEY_LAST, one->writer, 0), one->n, 0));
    TRY(put_number(ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, one->writer, one->n % SLOTS), one->n, one->bytes));
    TRY(store_get(ctx, txn, TREE_ROWS, key_of(key, KEY_TOTAL, 0, 0), &total));
    uint32_t before = slice_is_null(total) ? 0 : read_u32(total.data);
    TRY(put_number(ctx, txn, key_of(key, KEY_TOTAL, 0, 0), before + 1, 0));
    return put_number(ctx, txn, key_of(key, KEY_SECOND_OF_PAIR, one->writer, one->n % SLOTS), one->n, 10);
}

/* The same as a held write, in two parts; an odd one reads in between. */
static enum wr_status write_in_parts(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct one_write *one = arg;
    uint8_t key[12];

    TRY(txn_resume(ctx, txn));
    enum wr_status st = put_number(ctx, txn, key_of(key, KEY_LAST, one->writer, 0), one->n, 0);
    txn_pause(ctx, txn, st);
    TRY(st);
    sched_yield();
    if (one->n % 2)
        TRY(txn_keep(ctx, txn));
    TRY(txn_resume(ctx, txn));
    st = write_one(ctx, txn, arg);
    txn_pause(ctx, txn, st);
    return st;
}

static void give_up_one(struct ctx *ctx, struct engine *engine, const struct one_write *one)
{
    struct txn *txn = NULL;
    struct one_write wrong = { one->writer, one->n + 1000000, 100 };
    OK(ctx, txn_begin_gathered(ctx, engine, &txn));
    OK(ctx, write_one(ctx, txn, &wrong));
    txn_abort(&txn);
}

static void see(struct ctx *ctx, struct writer_of_test *w)
{
    uint8_t key[12];
    struct txn *txn = NULL;
    const struct writer_of_test *other = &writers[(w->number + 1) % WRITERS];

    OK(ctx, txn_begin_read(ctx, w->engine, &txn));
    uint32_t last = number_at(ctx, txn, key_of(key, KEY_LAST, w->number, 0));
    assert_int_equal(last, atomic_load(&w->acknowledged));
    uint32_t of_other = number_at(ctx, txn, key_of(key, KEY_LAST, other->number, 0));
    txn_abort(&txn);
    if (other->engine && of_other > atomic_load(&other->seen)) /* nobody else looks at this one */
        atomic_store(&writers[other->number].seen, of_other);
}

static void *run_writer(void *arg)
{
    struct writer_of_test *w = arg;
    uint64_t seed = w->number + 77;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint32_t n = 1; n <= w->until && !atomic_load(&w->stop); n++) {
        struct one_write one = { w->number, n, (uint32_t)random_below(&seed, w->size_most) };
        uint64_t what = w->only_gathered ? 99 : random_below(&seed, 100);
        if (what == 0)
            one.bytes = LOG_HALF_BYTES - 500 + (uint32_t)random_below(&seed, 400);
        atomic_store(&w->begun, n);
        if (what == 1)
            give_up_one(&ctx, w->engine, &one);
        if (what >= 12 && what < 25)
            OK(&ctx, engine_write_held(&ctx, w->engine, write_in_parts, &one));
        else
            OK(&ctx, (what == 2 ? engine_write : engine_write_gathered)(&ctx, w->engine, write_one, &one));
        atomic_store(&w->acknowledged, n);
        if (what == 3)
            OK(&ctx, engine_sync(&ctx, w->engine));
        if (what >= 4 && what < 12)
            see(&ctx, w);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

static void start_writers(struct engine *engine, int count, uint32_t until, uint32_t size_most, bool only_gathered)
{
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer_of_test){ .number = (uint32_t)i };
        if (i >= count)
            continue;
        writers[i].engine = engine;
        writers[i].until = until;
        writers[i].size_most = size_most;
        writers[i].only_gathered = only_gathered;
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&writers[i].thread, NULL, run_writer, &writers[i]), 0);
}

static void stop_writers(int count)
{
    for (int i = 0; i < count; i++)
        atomic_store(&writers[i].stop, true);
    for (int i = 0; i < count; i++)
        pthread_join(writers[i].thread, NULL);
}

/* Every write up to `least` is there, none after `most`, each whole, and each counted once. */
static void check_work(struct database *db, const uint32_t least[WRITERS], const uint32_t most[WRITERS])
{
    uint8_t key[12];
    struct txn *txn = NULL;
    uint32_t sum = 0;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (uint32_t w = 0; w < WRITERS; w++) {
        uint32_t last = number_at(&db->ctx, txn, key_of(key, KEY_LAST, w, 0));
        if (last < least[w] || last > most[w])
            print_message("writer %u: %u is not in %u to %u\n", w, last, least[w], most[w]);
        assert_in_range(last, least[w], most[w]);
        sum += last;
        for (uint32_t n = last > SLOTS ? last - SLOTS + 1 : 1; n <= last; n++) {
            assert_int_equal(number_at(&db->ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, w, n % SLOTS)), n);
            assert_int_equal(number_at(&db->ctx, txn, key_of(key, KEY_SECOND_OF_PAIR, w, n % SLOTS)), n);
        }
    }
    assert_int_equal(number_at(&db->ctx, txn, key_of(key, KEY_TOTAL, 0, 0)), sum);
    txn_abort(&txn);
}

static uint32_t least_at_cut[WRITERS], most_at_cut[WRITERS];

static void note_at_cut(void)
{
    for (int i = 0; i < WRITERS; i++) {
        uint32_t seen = atomic_load(&writers[i].seen);
        least_at_cut[i] = atomic_load(&writers[i].acknowledged);
        if (seen > least_at_cut[i]) /* what somebody has been told is as good as acknowledged */
            least_at_cut[i] = seen;
        most_at_cut[i] = atomic_load(&writers[i].begun);
    }
}

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
    struct database db, image;
    int with_log = 0;

    gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, seed);
    power.at_cut = note_at_cut;
    start_writers(db.engine, count, UINT32_MAX, size_most, only_gathered);
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

    gather_after = 0;
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
            start_writers(db.engine, count, UINT32_MAX, i % 3 ? 300 : SIZE_MOST, false);
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

    gather_after = 0;
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

    gather_after = 0;
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

    gather_after = 0;
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

/* ---- damage ---- */

static void a_log_may_be_damaged_at_every_byte_of_a_record(void **state)
{
    enum { WRITES = 5, DAMAGED = 3 };
    struct one_write one = { 9, 0, 12 };
    struct database db, image;
    enum wr_status outcome[ATTEMPTS];
    size_t ends[WRITES + 1] = { LOG_HEAD };
    (void)state;

    gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    for (one.n = 1; one.n <= WRITES; one.n++) {
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_pair, &one));
        size_t len = read_u32(power.synced[LOG].bytes + ends[one.n - 1] + LOG_RECORD_HEAD - 4); /* log.h; a record may end with a zero */
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

/* ---- what it costs ---- */

static void a_lone_write_is_one_sync(void **state)
{
    enum { WRITES = 200 };
    struct one_write one = { 0, 0, 200 };
    struct database db;
    (void)state;

    gather_after = 0;
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

    gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    power.at_sync[LOG] = take_a_while;
    start_writers(db.engine, WRITERS, WRITES, 100, true);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
    assert_in_range(atomic_load(&power.syncs[LOG]), WRITES, WRITERS * WRITES * 3 / 4);
    power_unwatch();
    database_close(&db);
}

static void the_log_and_the_file_stay_small(void **state)
{
    enum { WRITES = 4000, BYTES = 8000 }; /* eight halves of the log */
    struct one_write one = { 0, 0, BYTES };
    struct engine_figures figures;
    struct database db;
    (void)state;

    gather_after = 0;
    new_disk(&db, DURABILITY_FULL);
    power_watch(&db, 1);
    for (one.n = 1; one.n <= WRITES; one.n++) {
        struct txn *txn = NULL;
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, write_one, &one));
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
    OK(&ctx, txn_begin_read(&ctx, reader.db->engine, &txn));
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

    gather_after = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one_write one = { 0, 1, 10 };
        struct database db;
        new_disk(&db, DURABILITY_FULL);
        power_watch(&db, 1);
        memset(&reader, 0, sizeof reader);
        reader.db = &db;
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
        cmocka_unit_test(power_may_go_while_one_writes),
        cmocka_unit_test(power_may_go_while_several_write),
        cmocka_unit_test(a_process_may_be_killed_at_any_moment),
        cmocka_unit_test(a_child_that_was_forked_changes_nothing),
        cmocka_unit_test(each_call_of_the_disk_may_fail),
        cmocka_unit_test(a_failed_sync_is_the_end_of_writing),
        cmocka_unit_test(a_log_may_be_damaged_at_every_byte_of_a_record),
        cmocka_unit_test(a_lone_write_is_one_sync),
        cmocka_unit_test(who_waits_together_shares_a_sync),
        cmocka_unit_test(the_log_and_the_file_stay_small),
        cmocka_unit_test(nobody_sees_what_could_still_be_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
