/* Answers engine/durability.h and syncfile.h: what outlives a process, a machine, a full disk. What is refused: test_datafile.c.
 * A loss of power is an image of the files, put together from bytes the disk may have had. */
#include "engine/rig.h"
#include "tests/engine/disk.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* ---- power ---- */

enum { POWER_COMMITS = 1500 }; /* some 40 MB of pages given up: the pin moves several times */

static void after_a_loss_of_power_the_last_sync_point_is_there(void **state)
{
    static struct versions live, synced;
    struct database db, image;
    uint64_t seed = 42;
    int saved = 0;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    for (int i = 0; i < 30; i++) {
        change(&db, &live, &seed, 30);
        OK(&db.ctx, engine_sync(&db.ctx, db.engine));
        synced = live;
        struct file before = load(&db, "widerow.db");
        change(&db, &live, &seed, 1 + (int)random_below(&seed, i % 2 ? POWER_COMMITS : 50));
        /* Data first: pages saved later are of no use to it, but do no harm either. */
        struct file now = load(&db, "widerow.db"), undo = load_undo(&db, &seed);
        assert_memory_not_equal(now.bytes, before.bytes, 2 * PAGE);
        saved += undo.len > 10000;

        struct file sync = load(&db, "widerow.sync");
        change_boot(sync);
        make_image(&image, torn(before, now, &seed), sync, undo);
        /* Only a writer may put it right. */
        assert_int_equal(try_open(&image, DURABILITY_PERIODIC, true), WR_BUSY);
        open_disk(&image, DURABILITY_PERIODIC);
        assert_true(holds(&image, &synced));
        /* And life goes on from there. */
        change(&image, &synced, &seed, 50);
        reopen(&image, DURABILITY_FULL);
        assert_true(holds(&image, &synced));
        database_close(&image);
        free(before.bytes);
        free(now.bytes);
    }
    assert_true(saved >= 5);
    assert_true(holds(&db, &live));
    database_close(&db);
}

/* Of a file that memory has no room for nothing is saved: there are sync points instead. */
static void a_file_that_outgrows_memory_is_synced(void **state)
{
    static struct versions live;
    struct database db, image;
    uint64_t seed = 43;
    (void)state;

    rig.store_memory_bytes = 1 << 20;
    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    struct file first = load(&db, "widerow.sync");
    change(&db, &live, &seed, POWER_COMMITS);
    struct file later = load(&db, "widerow.sync"), undo = load_undo(&db, &seed);
    assert_true(undo.len <= 10000);
    assert_memory_not_equal(later.bytes, first.bytes, first.len);
    OK(&db.ctx, engine_sync(&db.ctx, db.engine));
    struct file data = load(&db, "widerow.db"), sync = load(&db, "widerow.sync");
    change_boot(sync);
    make_image(&image, data, sync, undo);
    open_disk(&image, DURABILITY_PERIODIC);
    assert_true(holds(&image, &live));
    database_close(&image);
    free(first.bytes);
    free(later.bytes);
    database_close(&db);
    rig.store_memory_bytes = 0;
}

static void power_may_go_while_the_sync_file_is_written(void **state)
{
    static struct versions live, synced;
    struct database db, image;
    uint64_t seed = 4711;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    for (int i = 0; i < 30; i++) {
        OK(&db.ctx, engine_sync(&db.ctx, db.engine));
        synced = live;
        struct file before = load(&db, "widerow.sync");
        change(&db, &live, &seed, i % 2 ? POWER_COMMITS : 20);
        struct file undo = load_undo(&db, &seed);
        OK(&db.ctx, engine_sync(&db.ctx, db.engine)); /* has the data on the disk, and ... */
        struct file data = load(&db, "widerow.db"), sync = load(&db, "widerow.sync");
        for (size_t at = 0; at < sync.len; at++) /* ... half a slot */
            if (sync.bytes[at] != before.bytes[at] && random_below(&seed, 2))
                sync.bytes[at] = (uint8_t)random_next(&seed);
        change_boot(sync);
        make_image(&image, data, sync, undo);
        open_disk(&image, DURABILITY_PERIODIC);
        assert_true(holds(&image, &synced) || holds(&image, &live));
        database_close(&image);
        free(before.bytes);
    }
    database_close(&db);
}

static void with_durability_none_a_loss_of_power_is_told(void **state)
{
    static struct versions live;
    struct database db, image;
    uint64_t seed = 1;
    (void)state;

    new_disk(&db, DURABILITY_NONE);
    memset(&live, 0, sizeof live);
    change(&db, &live, &seed, 20);
    for (int synced = 0; synced < 2; synced++) {
        if (synced)
            OK(&db.ctx, engine_sync(&db.ctx, db.engine));
        struct file sync = load(&db, "widerow.sync");
        change_boot(sync);
        make_image(&image, load(&db, "widerow.db"), sync, NO_FILE);
        assert_int_equal(try_open(&image, DURABILITY_NONE, false), synced ? WR_OK : WR_CORRUPT);
        if (synced)
            assert_true(holds(&image, &live));
        database_close(&image);
    }
    change(&db, &live, &seed, 20); /* the promise of the sync is taken back first */
    struct file sync = load(&db, "widerow.sync");
    change_boot(sync);
    make_image(&image, load(&db, "widerow.db"), sync, NO_FILE);
    assert_int_equal(try_open(&image, DURABILITY_NONE, false), WR_CORRUPT);
    database_close(&image);

    engine_close(db.engine); /* closing syncs */
    sync = load(&db, "widerow.sync");
    change_boot(sync);
    make_image(&image, load(&db, "widerow.db"), sync, NO_FILE);
    open_disk(&image, DURABILITY_PERIODIC);
    assert_true(holds(&image, &live));
    database_close(&image);
    db.engine = NULL;
    database_close(&db);
}

/* ---- syncing ---- */

enum { COMMITTERS = 4, COMMITS = 50 };

static void *commit_often(void *arg)
{
    struct database *db = arg;
    struct arena arena;
    struct ctx ctx;
    intptr_t failed = 0;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint32_t i = 0; i < COMMITS; i++) {
        struct txn *txn = NULL;
        uint64_t id;
        uint8_t key[NUMBER_KEY_BYTES];
        failed |= txn_begin_write(&ctx, db->engine, &txn) != WR_OK;
        failed |= txn_next_id(&ctx, txn, &id) != WR_OK;
        failed |= store_put(&ctx, txn, TREE_ROWS, number_key(key, (uint32_t)id), SLICE_LIT("x")) != WR_OK;
        failed |= txn_commit(&ctx, &txn) != WR_OK;
    }
    arena_release(&arena);
    return (void *)failed;
}

static void with_durability_full_a_commit_that_returned_is_on_the_disk(void **state)
{
    static struct versions live;
    struct engine_figures figures;
    struct database db, image;
    pthread_t threads[COMMITTERS];
    uint64_t seed = 8;
    (void)state;

    new_disk(&db, DURABILITY_FULL);
    memset(&live, 0, sizeof live);
    for (int i = 0; i < 5; i++) {
        change(&db, &live, &seed, 5);
        struct file sync = load(&db, "widerow.sync"), data = load(&db, "widerow.db");
        change_boot(sync);
        make_image(&image, data, sync, NO_FILE);
        open_disk(&image, DURABILITY_FULL);
        assert_true(holds(&image, &live));
        database_close(&image);
    }
    OK(&db.ctx, engine_figures(&db.ctx, db.engine, &figures));
    uint64_t syncs = figures.syncs;
    assert_true(syncs >= 25);
    for (int i = 0; i < COMMITTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, commit_often, &db), 0);
    for (int i = 0; i < COMMITTERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    OK(&db.ctx, engine_figures(&db.ctx, db.engine, &figures));
    assert_true(figures.syncs - syncs <= COMMITTERS * COMMITS);
    /* A transaction that writes nothing waits for nobody. */
    struct txn *txn = NULL;
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    OK(&db.ctx, txn_commit(&db.ctx, &txn));
    database_close(&db);
}

static uint64_t count_syncs(struct database *db)
{
    struct engine_figures figures;
    OK(&db->ctx, engine_figures(&db->ctx, db->engine, &figures));
    return figures.syncs;
}

static void with_durability_periodic_a_thread_syncs_by_the_interval(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 11;
    (void)state;

    database_init(&db);
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .create = true, .sync_interval_ms = 5 };
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    memset(&live, 0, sizeof live);
    for (int i = 0; i < 3; i++) {
        uint64_t syncs = count_syncs(&db);
        int64_t until = clock_monotonic_ns() + INT64_C(10000000000);
        change(&db, &live, &seed, 1);
        while (count_syncs(&db) == syncs && clock_monotonic_ns() < until)
            sched_yield();
        assert_true(count_syncs(&db) > syncs);
    }
    database_close(&db);
}

static void a_burst_of_writes_does_not_wait_for_the_interval(void **state)
{
    static struct versions live;
    struct engine_figures figures;
    struct database db;
    uint64_t seed = 12;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC); /* an hour */
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    change(&db, &live, &seed, 20000);
    OK(&db.ctx, engine_figures(&db.ctx, db.engine, &figures));
    assert_true(figures.file_bytes < UINT64_C(100) << 20);
    assert_true(holds(&db, &live));
    database_close(&db);
}

/* ---- disks ---- */

static int fill_the_disk(struct database *db)
{
    static struct versions live;
    struct rlimit limit = { 4 << 20, RLIM_INFINITY };
    uint8_t value[8000] = { 0 }, key[4];
    enum wr_status st = WR_OK;
    uint32_t n = 0;
    uint64_t seed = 1;

    signal(SIGXFSZ, SIG_IGN);
    open_disk(db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(db, &live);
    setrlimit(RLIMIT_FSIZE, &limit);
    while (st == WR_OK && n < 5000) {
        struct txn *txn = NULL;
        put_u32(key, n);
        st = txn_begin_write(&db->ctx, db->engine, &txn);
        if (st == WR_OK)
            st = store_put(&db->ctx, txn, TREE_SPILL, slice_of(key, 4), slice_of(value, sizeof value));
        if (st == WR_OK)
            st = txn_commit(&db->ctx, &txn);
        txn_abort(&txn);
        n += st == WR_OK;
    }
    if (st != WR_FULL || n < 100 || !holds(db, &live))
        return 1;
    if (engine_grow(&db->ctx, db->engine, engine_map_bytes(db->engine)) != WR_FULL)
        return 2; /* a larger map is no help against a full disk */
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    change(db, &live, &seed, 100);
    reopen(db, DURABILITY_PERIODIC);
    if (!holds(db, &live))
        return 3;
    struct txn *txn = NULL;
    for (uint32_t i = 0; i <= n; i++) {
        struct slice found;
        OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
        put_u32(key, i);
        OK(&db->ctx, store_get(&db->ctx, txn, TREE_SPILL, slice_of(key, 4), &found));
        txn_abort(&txn);
        if ((found.len == sizeof value) != (i < n))
            return 4;
    }
    engine_close(db->engine);
    return 0;
}

static void a_full_disk_is_told_and_loses_nothing(void **state)
{
    struct database db;
    (void)state;

    database_init(&db);
    database_folder(&db);
    assert_int_equal(in_child(fill_the_disk, &db), 0);
    database_close(&db);
}

/* ---- restart, backup, memory ---- */

static int no_room; /* errno of who asks for it; 0: there is some */

int fallocate(int fd, int mode, off_t at, off_t bytes)
{
    if (!no_room)
        return (int)syscall(SYS_fallocate, fd, mode, at, bytes);
    errno = no_room;
    return -1;
}

/* Without, the first reader would be ended by a signal when it took its slot. */
static void room_for_the_lock_file_is_asked_for(void **state)
{
    static const int codes[] = { ENOSPC, EDQUOT };
    struct database db;
    (void)state;

    for (int i = 0; i < 2; i++) {
        database_init(&db);
        database_folder(&db);
        no_room = codes[i];
        assert_int_equal(try_open(&db, DURABILITY_PERIODIC, false), WR_FULL);
        no_room = 0;
        open_disk(&db, DURABILITY_PERIODIC);
        database_close(&db);
    }
}

static void ids_and_timestamps_go_on_after_a_restart(void **state)
{
    static struct versions live;
    struct database db;
    struct txn *txn = NULL;
    uint64_t id, last = 0;
    int64_t stamp = 0;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    clock_set(engine_clock(db.engine), INT64_C(4000000000000000)); /* 2096 */
    for (int i = 0; i < 4; i++) {
        OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
        OK(&db.ctx, txn_next_id(&db.ctx, txn, &id));
        assert_true(id > last);
        last = id;
        int64_t t = clock_timestamp_us(engine_clock(db.engine));
        assert_true(t > stamp);
        stamp = t;
        put_version(&db, &live, txn, (uint32_t)i, 1);
        OK(&db.ctx, txn_commit(&db.ctx, &txn));
        reopen(&db, DURABILITY_PERIODIC); /* with the wall clock of today */
    }
    assert_true(stamp >= INT64_C(4000000000000003));
    database_close(&db);
}

static void a_backup_is_a_database_of_its_own(void **state)
{
    static struct versions live;
    struct database db, copy;
    uint64_t seed = 77;
    (void)state;

    for (int in_memory = 0; in_memory < 2; in_memory++) {
        if (in_memory)
            database_open_memory(&db);
        else
            new_disk(&db, DURABILITY_PERIODIC);
        memset(&live, 0, sizeof live);
        fill(&db, &live);
        change(&db, &live, &seed, 100);
        database_init(&copy);
        database_folder(&copy);
        OK(&db.ctx, engine_backup(&db.ctx, db.engine, copy.path));
        assert_int_equal(engine_backup(&db.ctx, db.engine, copy.path), WR_MISUSE);
        struct file sync = load(&copy, "widerow.sync");
        change_boot(sync); /* a backup needs no clean stop */
        save(&copy, "widerow.sync", sync);
        free(sync.bytes);
        OK(&copy.ctx, try_open(&copy, DURABILITY_PERIODIC, true));
        assert_true(holds(&copy, &live));
        engine_close(copy.engine);
        open_disk(&copy, DURABILITY_PERIODIC);
        struct versions before = live;
        change(&copy, &live, &seed, 50);
        assert_true(holds(&copy, &live));
        assert_true(holds(&db, &before));
        database_close(&copy);
        database_close(&db);
    }
}

/* Whichever allocation or store call fails while a database is made or opened, nothing is lost, left open or locked. */
static void opening_survives_each_failure(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 1;
    (void)state;

    for (int kind = 0; kind < 4; kind++) { /* of memory or of the store; a new database or one that is there */
        _Atomic long *fail_after = kind & 1 ? &rig.store_fail_after : &rig.mem_fail_after;
        bool failed = true;
        memset(&live, 0, sizeof live);
        for (long n = 0; failed; n++) {
            database_init(&db);
            database_folder(&db);
            if (kind & 2) {
                open_disk(&db, DURABILITY_PERIODIC);
                change(&db, &live, &seed, 3);
                engine_close(db.engine);
                db.engine = NULL;
            }
            *fail_after = n;
            enum wr_status st = try_open(&db, DURABILITY_PERIODIC, false);
            failed = *fail_after < 0;
            *fail_after = -1;
            assert_true(failed || st == WR_OK);
            if (st != WR_OK)
                open_disk(&db, DURABILITY_PERIODIC);
            assert_true(holds(&db, &live));
            database_close(&db);
            memset(&live, 0, sizeof live);
            assert_true(n < 100);
        }
    }
}

static char last_made[200]; /* of the folders that are made for a while */

char *mkdtemp(char *name)
{
    char *(*libc_mkdtemp)(char *);
    *(void **)&libc_mkdtemp = dlsym(RTLD_NEXT, "mkdtemp");
    char *made = libc_mkdtemp(name);
    snprintf(last_made, sizeof last_made, "%s", made ? made : "");
    return made;
}

static void memory_leaves_nothing_on_the_disk(void **state)
{
    struct database folder, db;
    struct txn *txn = NULL;
    struct slice value;
    (void)state;

    database_init(&folder);
    database_folder(&folder);
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", folder.path, 1);
    database_open_memory(&db);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    OK(&db.ctx, store_put(&db.ctx, txn, TREE_ROWS, SLICE_LIT("the id: k"), SLICE_LIT("v")));
    OK(&db.ctx, txn_commit(&db.ctx, &txn));
    OK(&db.ctx, engine_sync(&db.ctx, db.engine));
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    OK(&db.ctx, store_get(&db.ctx, txn, TREE_ROWS, SLICE_LIT("the id: k"), &value));
    assert_true(slice_eq_str(value, "v"));
    txn_abort(&txn);
    assert_int_equal(rmdir(folder.path), 0); /* empty already, with the database still open */
    assert_non_null(strstr(last_made, "/widerow-"));
    assert_int_equal(access(last_made, F_OK), -1); /* where it was opened */
    folder.path[0] = '\0';
    database_close(&db);
    database_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_loss_of_power_the_last_sync_point_is_there),
        cmocka_unit_test(a_file_that_outgrows_memory_is_synced),
        cmocka_unit_test(power_may_go_while_the_sync_file_is_written),
        cmocka_unit_test(with_durability_none_a_loss_of_power_is_told),
        cmocka_unit_test(with_durability_full_a_commit_that_returned_is_on_the_disk),
        cmocka_unit_test(with_durability_periodic_a_thread_syncs_by_the_interval),
        cmocka_unit_test(a_burst_of_writes_does_not_wait_for_the_interval),
        cmocka_unit_test(a_full_disk_is_told_and_loses_nothing),
        cmocka_unit_test(room_for_the_lock_file_is_asked_for),
        cmocka_unit_test(ids_and_timestamps_go_on_after_a_restart),
        cmocka_unit_test(a_backup_is_a_database_of_its_own),
        cmocka_unit_test(opening_survives_each_failure),
        cmocka_unit_test(memory_leaves_nothing_on_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
