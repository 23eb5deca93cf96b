/* Answers engine/gather.h and journal.h: what is gathered, and what a failure leaves of it. */
#include "engine/rig.h"
#include "tests/engine/disk.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "engine/gather_state.h"
#include "engine/log.h"

static void a_stream_of_writes_is_one_transaction_until_somebody_reads(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 1;
    (void)state;

    rig.gather_after = 16;
    for (int disk = 0; disk < 2; disk++) {
        memset(&live, 0, sizeof live);
        if (disk)
            new_disk(&db, DURABILITY_PERIODIC);
        else
            database_open_memory(&db);
        uint64_t first = commits_of(&db);
        change_gathered(&db, &live, &seed, 16);
        assert_int_equal(commits_of(&db), first + 16); /* not yet a stream */
        int tries = 0;
        do {
            first = commits_of(&db);
            change_gathered(&db, &live, &seed, 20);
        } while (commits_of(&db) != first && ++tries < 1000); /* a session may just have come to its time */
        assert_int_equal(commits_of(&db), first);
        assert_true(holds(&db, &live));
        assert_int_equal(commits_of(&db), first + 1);
        while (holds(&db, &live)) { /* a few that read what is written take away what the writes have earned */
            first = commits_of(&db);
            change_gathered(&db, &live, &seed, 1);
            if (commits_of(&db) != first)
                break;
            assert_true(++tries < 1000);
        }
        assert_int_equal(commits_of(&db), first + 1);
        database_close(&db);
    }
}

/* Writes that go on coming do not keep him waiting: each is a commit of its own until he has had it. */
static void who_wants_the_turn_gets_it(void **state)
{
    enum { LONG_MS = 60000 };
    static struct versions live;
    struct database db;
    uint64_t seed = 2;
    (void)state;

    rig.gather_after = 0;
    rig.gather_session_ms = LONG_MS;
    memset(&live, 0, sizeof live);
    new_disk(&db, DURABILITY_PERIODIC);
    struct gather *g = db.engine->gather;
    change_gathered(&db, &live, &seed, 5);
    uint64_t before = commits_of(&db);
    atomic_fetch_add(&g->waiting, 1); /* he has asked for it */
    change_gathered(&db, &live, &seed, 5);
    assert_int_equal(commits_of(&db), before + 1 + 5); /* what was pending, too */
    atomic_fetch_sub(&g->waiting, 1);
    change_gathered(&db, &live, &seed, 5);
    assert_int_equal(commits_of(&db), before + 1 + 5);
    assert_true(holds(&db, &live));
    database_close(&db);
    rig.gather_session_ms = 250;
}

static const enum durability modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL };
enum { MODES = 2 };

/* And where one can be had later, it comes to be. */
static void without_a_log_each_write_is_a_commit(void **state)
{
    enum { AFTER_MOST = 20000 }; /* writes: of those that a session would pay for, 1,000 go by until it is tried again */
    static struct versions live;
    struct database db;
    char path[192];
    uint64_t seed = 11;
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i < MODES; i++) {
        new_disk(&db, modes[i]);
        path_in(path, &db, "widerow.log");
        assert_int_equal(mkdir(path, 0777), 0); /* what stands in the way of one */
        memset(&live, 0, sizeof live);
        uint64_t first = commits_of(&db);
        change_gathered(&db, &live, &seed, 50);
        assert_int_equal(commits_of(&db), first + 50);
        assert_true(holds(&db, &live));
        assert_int_equal(rmdir(path), 0);
        for (int n = 0; n < AFTER_MOST && access(path, F_OK) != 0; n += 50)
            change_gathered(&db, &live, &seed, 50);
        assert_int_equal(access(path, F_OK), 0);
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

static uint64_t disk_room = UINT64_MAX; /* bytes free, as the engine is told */

int fstatvfs(int fd, struct statvfs *out)
{
    (void)fd;
    *out = (struct statvfs){ .f_frsize = PAGE, .f_bavail = disk_room / PAGE };
    return 0;
}

/* The data file may grow by so many bytes. */
static struct rlimit limit_growth(const struct database *db, uint64_t bytes)
{
    struct rlimit before, least;
    struct stat file;
    char path[192];

    path_in(path, db, "widerow.db");
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    least = (struct rlimit){ (rlim_t)file.st_size + bytes, before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &least), 0);
    return before;
}

static void end_limit(struct rlimit before)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
}

static void each_is_a_commit_of_its_own(struct database *db, struct versions *live, uint64_t *seed)
{
    char path[192];
    uint64_t first = commits_of(db);

    path_in(path, db, "widerow.log");
    change_gathered(db, live, seed, 10);
    assert_int_equal(commits_of(db), first + 10);
    assert_int_equal(access(path, F_OK), -1); /* which would take a quarter of what there is */
}

static void where_the_disk_is_nearly_full_there_is_no_log(void **state)
{
    enum { ROOM = 60 << 20 };
    static struct versions live;
    struct database db;
    char path[192];
    uint64_t seed = 12;
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i < MODES; i++) {
        new_disk(&db, modes[i]);
        memset(&live, 0, sizeof live);
        disk_room = ROOM;
        each_is_a_commit_of_its_own(&db, &live, &seed);
        disk_room = UINT64_MAX;
        struct rlimit before = limit_growth(&db, ROOM);
        each_is_a_commit_of_its_own(&db, &live, &seed);
        end_limit(before);
        change_gathered(&db, &live, &seed, 10);
        path_in(path, &db, "widerow.log");
        assert_int_equal(access(path, F_OK), 0);
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

/* What has been acknowledged cannot be read while the file cannot take it. So nothing is added, and it stays what a session has. */
static void what_cannot_be_committed_gets_no_more(void **state)
{
    static struct versions live;
    int session_ms = rig.gather_session_ms;
    struct database db;
    uint64_t seed = 14;
    (void)state;

    rig.gather_after = 0;
    rig.gather_session_ms = HOUR_MS;
    for (int i = 0; i < MODES; i++) {
        struct txn *txn = NULL;
        new_disk(&db, modes[i]);
        memset(&live, 0, sizeof live);
        change_gathered(&db, &live, &seed, 500);
        struct rlimit before = limit_growth(&db, 0);
        enum wr_status read = txn_begin_read(&db.ctx, db.engine, &txn);
        enum wr_status written = txn_begin_gathered(&db.ctx, db.engine, &txn);
        end_limit(before);
        assert_int_equal(read, WR_FULL);
        assert_int_equal(written, WR_FULL);
        change_gathered(&db, &live, &seed, 10);
        assert_true(holds(&db, &live));
        database_close(&db);
    }
    rig.gather_session_ms = session_ms;
}

static void other_writes_come_after_it(enum durability mode)
{
    static struct versions live;
    struct database db, copy;
    uint64_t seed = 3;

    rig.gather_after = 0;
    new_disk(&db, mode);
    memset(&live, 0, sizeof live);
    for (int i = 0; i < 60; i++) {
        change_gathered(&db, &live, &seed, 1 + (int)random_below(&seed, 40));
        if (i % 3 == 0)
            change(&db, &live, &seed, 2);
        if (i % 7 == 0)
            OK(&db.ctx, engine_sync(&db.ctx, db.engine));
        if (i % 5 == 0)
            assert_true(holds(&db, &live));
        if (i % 11 == 0) {
            change_gathered(&db, &live, &seed, 5);
            reopen(&db, mode);
        }
    }
    change_gathered(&db, &live, &seed, 20);
    database_init(&copy);
    database_folder(&copy);
    OK(&db.ctx, engine_backup(&db.ctx, db.engine, copy.path));
    open_disk(&copy, DURABILITY_PERIODIC);
    assert_true(holds(&copy, &live));
    database_close(&copy);
    assert_true(holds(&db, &live));
    database_close(&db);
}

static void other_writes_syncs_backups_and_closing_come_after_it(void **state)
{
    (void)state;
    for (int i = 0; i < MODES; i++)
        other_writes_come_after_it(modes[i]);
}

static void give_up_some_writes(enum durability mode)
{
    static struct versions live, before;
    struct database db;
    uint64_t seed = 4;

    rig.gather_after = 0;
    new_disk(&db, mode);
    memset(&live, 0, sizeof live);
    for (int i = 0; i < 200; i++) {
        struct txn *txn = NULL;
        change_gathered(&db, &live, &seed, (int)random_below(&seed, 4));
        before = live;
        OK(&db.ctx, txn_begin_gathered(&db.ctx, db.engine, &txn));
        for (uint64_t n = random_below(&seed, 4); n > 0; n--)
            put_version(&db, &live, txn, (uint32_t)random_below(&seed, NUMBERS), (uint32_t)random_below(&seed, 1000));
        txn_abort(&txn);
        live = before;
        if (i % 10 == 0)
            assert_true(holds(&db, &live));
    }
    assert_true(holds(&db, &live));
    database_close(&db);
}

static void a_write_that_fails_leaves_nothing_and_takes_nothing_with_it(void **state)
{
    (void)state;
    for (int i = 0; i < MODES; i++)
        give_up_some_writes(modes[i]);
}

/* LMDB has marked the transaction then, and would refuse all that follows: what is pending is done again in another. */
static void a_write_that_meets_a_damaged_page_takes_nothing_with_it(void **state)
{
    enum { GRAVES = 500 };
    static const uint16_t no_leaf = PAGE_IS_LARGE;
    static struct versions live;
    struct database db;
    struct txn *txn = NULL;
    struct cursor c = { 0 };
    struct slice at, value;
    uint8_t key[NUMBER_KEY_BYTES];
    uint64_t seed = 3;
    (void)state;

    rig.gather_after = 0;
    memset(&live, 0, sizeof live);
    new_disk(&db, DURABILITY_PERIODIC);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (uint32_t n = 0; n < GRAVES; n++)
        OK(ctx, store_put(ctx, txn, TREE_GRAVES, number_key(key, n), slice_str("value")));
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    OK(ctx, cursor_open(ctx, &c, txn, TREE_GRAVES));
    OK(ctx, cursor_seek(ctx, &c, number_key(key, 0), &at, &value));
    const uint8_t *page = page_under(at.data);
    uint16_t is_leaf;
    memcpy(&is_leaf, page + FLAGS_AT, sizeof is_leaf);
    const off_t flags_at = (off_t)(page_number(page) * PAGE + FLAGS_AT);
    cursor_close(&c);
    txn_abort(&txn);

    change_gathered(&db, &live, &seed, 5);
    assert_int_equal(pwrite(store_fd(db.engine->store), &no_leaf, sizeof no_leaf, flags_at), sizeof no_leaf);
    OK(ctx, txn_begin_gathered(ctx, db.engine, &txn));
    assert_int_equal(store_get(ctx, txn, TREE_GRAVES, number_key(key, 0), &value), WR_CORRUPT);
    txn_abort(&txn);
    assert_int_equal(pwrite(store_fd(db.engine->store), &is_leaf, sizeof is_leaf, flags_at), sizeof is_leaf);
    change_gathered(&db, &live, &seed, 5);
    assert_true(holds(&db, &live));
    database_close(&db);
}

static void fail_each_call_of_the_store(enum durability mode)
{
    static struct versions live, before;
    struct database db;
    uint64_t seed = 5;
    int failed = 0;

    rig.gather_after = 0;
    new_disk(&db, mode);
    memset(&live, 0, sizeof live);
    for (int n = 0; n < 120; n++) {
        struct txn *txn = NULL;
        change_gathered(&db, &live, &seed, 3);
        before = live;
        rig.store_fail_after = n % 12; /* the thread that syncs looks at it, too */
        enum wr_status st = txn_begin_gathered(&db.ctx, db.engine, &txn);
        for (int i = 0; st == WR_OK && i < 5; i++) {
            uint32_t number = (uint32_t)random_below(&seed, NUMBERS), version = (uint32_t)random_below(&seed, 1000);
            st = store_version(&db.ctx, txn, number, version);
            live.version[number] = version;
        }
        if (st == WR_OK)
            st = txn_commit(&db.ctx, &txn);
        txn_abort(&txn);
        rig.store_fail_after = -1;
        if (st != WR_OK)
            live = before;
        failed += st != WR_OK;
        if (n % 3 == 0)
            assert_true(holds(&db, &live));
    }
    assert_true(failed > 20);
    reopen(&db, mode);
    assert_true(holds(&db, &live));
    database_close(&db);
}

static void every_call_of_the_store_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < MODES; i++)
        fail_each_call_of_the_store(modes[i]);
}

static enum wr_status put_large(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct slice *value = arg;
    for (uint8_t i = 0; i < 3; i++)
        TRY(store_put(ctx, txn, TREE_SPILL, slice_of(&i, 1), *value));
    return WR_OK;
}

static void write_more_than_the_log_has_room_for(enum durability mode)
{
    enum { LARGE = 2000000 };
    static struct versions live;
    struct database db;
    uint64_t seed = 6;
    struct slice value = slice_of(calloc(LARGE, 1), LARGE), got;
    struct txn *txn = NULL;

    rig.gather_after = 0;
    new_disk(&db, mode);
    memset(&live, 0, sizeof live);
    change_gathered(&db, &live, &seed, 50);
    OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_large, &value));
    change_gathered(&db, &live, &seed, 50);
    assert_true(holds(&db, &live));
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    for (uint8_t i = 0; i < 3; i++) {
        OK(&db.ctx, store_get(&db.ctx, txn, TREE_SPILL, slice_of(&i, 1), &got));
        assert_int_equal(got.len, LARGE);
    }
    txn_abort(&txn);
    free((void *)value.data);
    database_close(&db);
}

static void a_write_larger_than_the_log_is_whole_too(void **state)
{
    (void)state;
    for (int i = 0; i < MODES; i++)
        write_more_than_the_log_has_room_for(modes[i]);
}

struct sized {
    uint32_t number;
    size_t len;
};

static enum wr_status put_sized(struct ctx *ctx, struct txn *txn, void *arg)
{
    static const uint8_t zeroes[1 << 16];
    const struct sized *s = arg;
    uint8_t key[NUMBER_KEY_BYTES];
    return store_put(ctx, txn, TREE_ROWS, number_key(key, s->number), slice_of(zeroes, s->len));
}

/* The last record may end anywhere before the log's end, and with it. */
static void the_log_is_filled_to_its_end(void **state)
{
    enum { SESSIONS = 48, SMALL = 300 };
    struct database db;
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i < MODES; i++) {
        database_init(&db);
        database_folder(&db);
        const struct engine_options options = { .path = db.path, .durability = modes[i], .create = true };
        const size_t room = modes[i] == DURABILITY_FULL ? LOG_HALF_BYTES : LOG_ALONE_BYTES;
        OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
        for (uint32_t session = 0; session < SESSIONS; session++) {
            const size_t overhead = LOG_RECORD_HEAD + LOG_RECORD_TAIL + 17; /* of a record with a value of two bytes' length or three, nearly */
            size_t left = room - 2000 - session;
            struct sized one = { 0 };
            while (left > 2 * overhead) { /* in few writes to nearly the end, which all have one place in the data file */
                one.len = left - overhead < (1 << 16) ? left - overhead : (1 << 16);
                OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_sized, &one));
                left -= one.len + overhead < left ? one.len + overhead : left;
            }
            one.len = 1;
            for (int n = 0; n < SMALL; n++) {
                one.number++;
                OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_sized, &one));
            }
            OK(&db.ctx, engine_sync(&db.ctx, db.engine)); /* the next begins anew */
        }
        database_close(&db);
    }
}

/* Another process, which opens the database to read it when it is let. */
struct beside {
    int wake[2], said[2];
};

static pid_t begin_beside(struct beside *b, struct database *db)
{
    const struct engine_options options = { .path = db->path, .read_only = true };
    char byte;

    assert_true(pipe(b->wake) == 0 && pipe(b->said) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child != 0)
        return child;
    close(b->wake[1]);
    if (read(b->wake[0], &byte, 1) == 1 && engine_open(&db->ctx, &options, &db->engine) == WR_OK && write(b->said[1], &byte, 1) == 1)
        _exit(read(b->wake[0], &byte, 1) != 0); /* until the other end is closed */
    _exit(2);
}

static void let_read(struct beside *b)
{
    char byte = 'x';
    close(b->said[1]);
    assert_int_equal(write(b->wake[1], &byte, 1), 1);
    assert_int_equal(read(b->said[0], &byte, 1), 1);
}

static void end_beside(struct beside *b, pid_t child)
{
    int status;
    close(b->wake[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(b->wake[0]);
    close(b->said[0]);
}

/* How long what a write has acknowledged is in the log only, in milliseconds; on a machine that has much to do it may be in the file before the write has
 * returned. */
static int64_t ms_until_committed(struct database *db, struct versions *live, uint64_t *seed)
{
    enum { NEVER_MS = 60000 };
    const struct timespec nap = { .tv_nsec = 1000000 };
    uint64_t before = commits_of(db);
    int64_t begun = clock_monotonic_ns(), ms;
    change_gathered(db, live, seed, 1);
    while ((ms = (clock_monotonic_ns() - begun) / 1000000) < NEVER_MS && commits_of(db) == before)
        nanosleep(&nap, NULL);
    assert_true(ms < NEVER_MS);
    return ms;
}

/* With more time between sync points sessions are longer, since each commit writes its pages; but not beside a process that reads. */
static void a_longer_interval_makes_longer_sessions(void **state)
{
    enum { SESSION_MS = 40, TIMES = 10 };
    static struct versions live;
    struct database db;
    struct beside beside;
    uint64_t seed = 12;
    (void)state;

    rig.gather_after = 0;
    rig.gather_session_ms = SESSION_MS;
    memset(&live, 0, sizeof live);
    database_init(&db);
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .create = true, .sync_interval_ms = TIMES * 1000 };
    pid_t child = begin_beside(&beside, &db);
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    assert_true(ms_until_committed(&db, &live, &seed) >= SESSION_MS * (TIMES - 2)); /* it comes in steps of a session */
    let_read(&beside);
    int64_t least = INT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        int64_t ms = ms_until_committed(&db, &live, &seed);
        least = ms < least ? ms : least;
    }
    assert_true(least < SESSION_MS * (TIMES - 2));
    end_beside(&beside, child);
    database_close(&db);
    rig.gather_session_ms = 250;
}

/* The thread that ends it looks before whoever begins it is done with that. */
static void a_session_may_be_over_before_it_has_begun(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 13;
    (void)state;

    rig.gather_after = 0;
    rig.gather_session_ms = 0;
    memset(&live, 0, sizeof live);
    new_disk(&db, DURABILITY_FULL);
    for (int i = 0; i < 20; i++)
        ms_until_committed(&db, &live, &seed);
    database_close(&db);
    rig.gather_session_ms = 250;
}

/* ---- threads ---- */

enum { THREADS = 3, ROUNDS = 1500 };

struct worker {
    struct engine *engine;
    uint32_t number, rounds;
    pthread_t thread;
};

static void *write_and_read_back(void *arg)
{
    struct worker *w = arg;
    struct arena arena;
    struct ctx ctx;
    struct slice got;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint32_t n = 0; n < w->rounds; n++) {
        uint32_t key = n * THREADS + w->number;
        uint8_t bytes[NUMBER_KEY_BYTES];
        struct txn *txn = NULL;
        OK(&ctx, engine_write_gathered(&ctx, w->engine, put_kilobyte, &key));
        if (n % 50 && w->number)
            continue;
        OK(&ctx, txn_begin_read(&ctx, w->engine, &txn));
        OK(&ctx, store_get(&ctx, txn, TREE_ROWS, number_key(bytes, key), &got));
        assert_non_null(got.data);
        txn_abort(&txn);
        if (n % 100 == 0)
            OK(&ctx, engine_sync(&ctx, w->engine));
    }
    arena_release(&arena);
    return NULL;
}

static void threads_see_what_they_have_written(void **state)
{
    struct worker workers[THREADS];
    struct database db;
    (void)state;

    rig.gather_after = 0;
    for (int disk = 0; disk <= MODES; disk++) {
        if (disk)
            new_disk(&db, modes[disk - 1]);
        else
            database_open_memory(&db);
        for (uint32_t i = 0; i < THREADS; i++) {
            uint32_t rounds = disk && modes[disk - 1] == DURABILITY_FULL ? ROUNDS / 5 : ROUNDS;
            workers[i] = (struct worker){ .engine = db.engine, .number = i, .rounds = rounds };
            assert_int_equal(pthread_create(&workers[i].thread, NULL, write_and_read_back, &workers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(workers[i].thread, NULL);
        database_close(&db);
    }
}

/* The thread that syncs is in the midst of it, or about to be. */
static void a_database_may_be_closed_at_any_moment(void **state)
{
    static struct versions live;
    uint64_t seed = 31;
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i < 200; i++) {
        struct database db;
        database_init(&db);
        database_folder(&db);
        const struct engine_options options = { .path = db.path, .durability = DURABILITY_PERIODIC, .sync_interval_ms = 1, .create = true };
        OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
        memset(&live, 0, sizeof live);
        change_gathered(&db, &live, &seed, 1 + (int)random_below(&seed, 5));
        usleep((unsigned)random_below(&seed, 2500));
        if (i % 10 == 0) {
            reopen(&db, DURABILITY_PERIODIC);
            assert_true(holds(&db, &live));
        }
        database_close(&db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_of_writes_is_one_transaction_until_somebody_reads),
        cmocka_unit_test(who_wants_the_turn_gets_it),
        cmocka_unit_test(without_a_log_each_write_is_a_commit),
        cmocka_unit_test(where_the_disk_is_nearly_full_there_is_no_log),
        cmocka_unit_test(what_cannot_be_committed_gets_no_more),
        cmocka_unit_test(other_writes_syncs_backups_and_closing_come_after_it),
        cmocka_unit_test(a_write_that_fails_leaves_nothing_and_takes_nothing_with_it),
        cmocka_unit_test(a_write_that_meets_a_damaged_page_takes_nothing_with_it),
        cmocka_unit_test(every_call_of_the_store_may_fail),
        cmocka_unit_test(a_write_larger_than_the_log_is_whole_too),
        cmocka_unit_test(threads_see_what_they_have_written),
        cmocka_unit_test(the_log_is_filled_to_its_end),
        cmocka_unit_test(a_longer_interval_makes_longer_sessions),
        cmocka_unit_test(a_session_may_be_over_before_it_has_begun),
        cmocka_unit_test(a_database_may_be_closed_at_any_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
