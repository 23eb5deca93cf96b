/* Answers engine/durability.h and syncfile.h where several processes open one database, and where one of them dies. */
#include "tests/engine/disk.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>

static void a_process_that_dies_loses_nothing_it_has_acknowledged(void **state)
{
    static const enum durability modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL, DURABILITY_NONE };
    static struct versions live;
    struct database db;
    (void)state;

    for (int i = 0; i < 3; i++) {
        uint64_t seed = 9;
        new_disk(&db, modes[i]);
        memset(&live, 0, sizeof live);
        fill(&db, &live);
        engine_close(db.engine);
        db.engine = NULL;
        pid_t child = fork();
        if (child == 0) {
            open_disk(&db, modes[i]);
            change(&db, &live, &seed, 100);
            struct txn *txn = NULL;
            txn_begin_write(&db.ctx, db.engine, &txn); /* one that is never committed */
            put_version(&db, &live, txn, 0, 77777);
            kill(getpid(), SIGKILL);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        struct database copy = db; /* the same changes, to know what is to be found */
        new_disk(&copy, DURABILITY_NONE);
        change(&copy, &live, &seed, 100);
        database_close(&copy);
        open_disk(&db, modes[i]);
        assert_true(holds(&db, &live));
        change(&db, &live, &seed, 10);
        reopen(&db, modes[i]);
        assert_true(holds(&db, &live));
        database_close(&db);
    }
}

static int open_writer_status(struct database *db)
{
    struct database other = *db;
    enum wr_status st = try_open(&other, DURABILITY_PERIODIC, false);
    if (st == WR_OK)
        engine_close(other.engine);
    return (int)st;
}

static struct versions *child_versions;

static int read_all(struct database *db)
{
    struct database other = *db;
    struct txn *txn = NULL;
    enum wr_status st = try_open(&other, DURABILITY_PERIODIC, true);
    if (st != WR_OK)
        return (int)st;
    bool right = holds(&other, child_versions) &&
                 txn_begin_write(&other.ctx, other.engine, &txn) == WR_READONLY;
    engine_close(other.engine);
    return right ? 0 : 255;
}

static void one_process_writes_and_others_may_read(void **state)
{
    static struct versions live;
    struct database db, again;
    uint64_t seed = 5;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    change(&db, &live, &seed, 30);
    child_versions = &live;
    assert_int_equal(in_child(open_writer_status, &db), WR_BUSY);
    assert_int_equal(in_child(read_all, &db), 0);
    for (int read_only = 0; read_only < 2; read_only++) { /* nor may this process, in any way */
        again = db;
        assert_int_equal(try_open(&again, DURABILITY_PERIODIC, read_only), WR_BUSY);
    }
    change(&db, &live, &seed, 30);
    assert_true(holds(&db, &live)); /* the refused ones have broken nothing */
    assert_int_equal(in_child(read_all, &db), 0);
    engine_close(db.engine);
    db.engine = NULL;
    assert_int_equal(in_child(read_all, &db), 0);
    assert_int_equal(in_child(open_writer_status, &db), WR_OK);
    OK(&db.ctx, try_open(&db, DURABILITY_PERIODIC, true));
    assert_int_equal(in_child(open_writer_status, &db), WR_OK); /* readers keep no writer out */
    assert_true(holds(&db, &live));
    database_close(&db);
}

/* A mount of the folder that is read-only, where another is not: a container's volume, or a service under systemd's ProtectSystem=strict. */
static bool unwritable;

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    if (unwritable && (flags & (O_WRONLY | O_RDWR | O_CREAT))) {
        errno = EROFS;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_at(folder, path, flags, mode);
}

static int read_all_unwritable(struct database *db)
{
    unwritable = true;
    return read_all(db);
}

static void who_is_not_seen_by_who_writes_does_not_read_beside(void **state)
{
    static struct versions live;
    struct database db;
    uint64_t seed = 6;
    char path[192];
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    change(&db, &live, &seed, 30);
    child_versions = &live;
    assert_int_equal(in_child(read_all_unwritable, &db), WR_BUSY);
    reopen(&db, DURABILITY_PERIODIC);
    assert_int_equal(in_child(read_all_unwritable, &db), WR_BUSY);
    engine_close(db.engine);
    assert_int_equal(in_child(read_all_unwritable, &db), 0);
    unwritable = true;
    OK(&db.ctx, try_open(&db, DURABILITY_PERIODIC, true));
    unwritable = false;
    assert_int_equal(in_child(open_writer_status, &db), WR_BUSY);
    assert_int_equal(in_child(read_all, &db), 0);
    assert_int_equal(in_child(read_all_unwritable, &db), 0);
    assert_true(holds(&db, &live));
    engine_close(db.engine);
    assert_int_equal(in_child(open_writer_status, &db), WR_OK);
    path_in(path, &db, "widerow.lock"); /* a copy without it */
    assert_int_equal(unlink(path), 0);
    db.engine = NULL;
    assert_int_equal(in_child(read_all_unwritable, &db), 0);
    database_close(&db);
}

/* ---- readers that die ---- */

enum { DYING = 1000 }; /* of the 1,024 slots */

static int die_reading(struct database *db)
{
    static struct txn *snapshots[DYING];
    struct database other = *db;

    OK(&other.ctx, try_open(&other, DURABILITY_NONE, true));
    for (int i = 0; i < DYING; i++)
        OK(&other.ctx, txn_begin_read(&other.ctx, other.engine, &snapshots[i]));
    return 0;
}

static uint64_t file_bytes(const struct database *db)
{
    struct stat stat;
    char path[192];
    path_in(path, db, "widerow.db");
    assert_int_equal(lstat(path, &stat), 0);
    return (uint64_t)stat.st_size;
}

static void a_reader_that_died_holds_no_page(void **state)
{
    enum { COMMITS = 1500 }; /* some 40 MB of pages given up */
    static struct versions live;
    struct database db;
    uint64_t seed = 7;
    (void)state;

    new_disk(&db, DURABILITY_NONE); /* which has no sync points that would see to it */
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    assert_int_equal(in_child(die_reading, &db), 0);
    uint64_t before = file_bytes(&db);
    change(&db, &live, &seed, COMMITS);
    assert_true(file_bytes(&db) < before + (10 << 20));
    database_close(&db);
}

static void a_reader_that_died_holds_no_slot(void **state)
{
    struct txn *snapshots[DYING];
    struct database db;
    (void)state;

    new_disk(&db, DURABILITY_NONE);
    assert_int_equal(in_child(die_reading, &db), 0);
    for (int i = 0; i < DYING; i++)
        OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &snapshots[i]));
    for (int i = 0; i < DYING; i++)
        txn_abort(&snapshots[i]);
    database_close(&db);
}

/* Tells by a folder "ready" that it has the database open; the parent takes it away when the file has grown. */
static int read_follows_growth(struct database *db)
{
    struct engine_options options = { .path = db->path, .read_only = true, .map_bytes = 1 << 18 };
    struct database other = *db;
    char name[192];
    if (engine_open(&other.ctx, &options, &other.engine) != WR_OK)
        return 1;
    uint64_t bytes = engine_map_bytes(other.engine);
    path_in(name, db, "ready");
    mkdir(name, 0755);
    while (access(name, F_OK) == 0)
        sched_yield();
    bool right = holds(&other, child_versions) && engine_map_bytes(other.engine) > bytes;
    engine_close(other.engine);
    return right ? 0 : 2;
}

static void a_reader_follows_a_file_that_another_process_has_grown(void **state)
{
    static struct versions live;
    struct database db;
    char name[192];
    int status;
    (void)state;

    database_init(&db);
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .create = true, .map_bytes = 1 << 18 };
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    memset(&live, 0, sizeof live);
    /* What the child must find is known before it is written: fill() and nothing else. */
    for (uint32_t n = 0; n < NUMBERS; n++)
        live.version[n] = n + 1;
    child_versions = &live;
    path_in(name, &db, "ready");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(read_follows_growth(&db));
    while (access(name, F_OK) != 0)
        sched_yield();
    for (uint32_t from = 0; from < NUMBERS;) { /* in pieces, growing the map by hand as engine_write does */
        uint64_t seen = engine_map_bytes(db.engine);
        struct txn *txn = NULL;
        OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
        enum wr_status st = WR_OK;
        for (uint32_t n = from; st == WR_OK && n < from + 500; n++)
            st = store_version(&db.ctx, txn, n, n + 1);
        if (st == WR_OK)
            st = txn_commit(&db.ctx, &txn);
        txn_abort(&txn);
        if (st == WR_OK)
            from += 500;
        else
            OK(&db.ctx, engine_grow(&db.ctx, db.engine, seen));
    }
    rmdir(name);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(holds(&db, &live));
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_dies_loses_nothing_it_has_acknowledged),
        cmocka_unit_test(one_process_writes_and_others_may_read),
        cmocka_unit_test(who_is_not_seen_by_who_writes_does_not_read_beside),
        cmocka_unit_test(a_reader_that_died_holds_no_page),
        cmocka_unit_test(a_reader_that_died_holds_no_slot),
        cmocka_unit_test(a_reader_follows_a_file_that_another_process_has_grown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
