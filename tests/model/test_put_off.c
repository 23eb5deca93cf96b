/* Answers database.h on rows that are put off (engine/backlog.h): what statements, wr_atomically, backups and other threads see of them, also where applying
 * them fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/backlog.h"
#include "engine/hash.h"
#include "engine/log.h"
#include "engine/pack.h"
#include "engine/rig.h"
#include "engine/state.h"
#include "model/api.h"
#include "tests/folder.h"

#define NEVER_IDLE_MS (1 << 30)

static wr_db *db;
static char folder[200];
static atomic_bool log_fails;

/* What syncs the log in mode full: its writes, or where the library has none that do, a call of its own. */
#ifdef RWF_DSYNC
ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t at, int flags)
{
    if (!atomic_load(&log_fails))
        return syscall(SYS_pwritev2, fd, parts, count, at, (off_t)0, flags);
    errno = EIO;
    return -1;
}
#else
int fdatasync(int fd)
{
    if (!atomic_load(&log_fails))
        return (int)syscall(SYS_fdatasync, fd);
    errno = EIO;
    return -1;
}
#endif

static void must(const char *cql)
{
    enum wr_status st = wr_exec(db, cql, NULL, NULL);
    if (st != WR_OK)
        print_message("%s: %s\n", cql, wr_error(db));
    assert_int_equal(st, WR_OK);
}

/* The first column of the only row; less than 0: the status it fails with. */
static int64_t ask_of(wr_db *of, const char *cql)
{
    wr_stmt *s;
    int64_t n = 0;
    enum wr_status st = wr_prepare(of, cql, -1, &s);
    if (st != WR_OK)
        return -(int64_t)st;
    st = wr_step(s);
    if (st == WR_ROW)
        n = wr_column_int(s, 0);
    wr_finalize(s);
    return st == WR_ROW ? n : -(int64_t)st;
}

static int64_t ask(const char *cql)
{
    return ask_of(db, cql);
}

static void open_again(enum wr_durability durability)
{
    struct wr_options options = WR_OPTIONS_INIT;
    options.durability = durability;
    assert_int_equal(wr_open(folder, &options, &db), WR_OK);
}

/* A new database whose plain inserts are put off, k.t with `rows` of them and k.other. */
static void begin_in(enum wr_durability durability, int rows)
{
    char cql[100];
    rig.backlog_when = BACKLOG_ALWAYS;
    rig.backlog_idle_ms = NEVER_IDLE_MS;
    database_turn_ms = 5000;
    open_again(durability);
    must("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
         "CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c)); CREATE TABLE k.other (p int PRIMARY KEY, v int)");
    for (int i = 0; i < rows; i++) {
        snprintf(cql, sizeof cql, "INSERT INTO k.t (p, c, v) VALUES (%d, %d, 1)", i % 100, i);
        must(cql);
    }
}

static void begin(enum wr_durability durability, int rows)
{
    make_folder(folder, sizeof folder);
    begin_in(durability, rows);
}

static void end(void)
{
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(folder);
}

/* ---- a full disk ---- */

static void put_rows(int from, int to)
{
    wr_stmt *s;
    assert_int_equal(wr_prepare(db, "INSERT INTO k.t (p, c, v) VALUES (?, ?, 1)", -1, &s), WR_OK);
    for (int i = from; i < to; i++) {
        wr_bind_int(s, 0, i * INT64_C(2654435761) % 5000);
        wr_bind_int(s, 1, i);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
}

/* From here on no file grows beyond what the database has and a little: how many pages are free within it hangs on when it was synced. */
static struct rlimit fill_disk(void)
{
    enum { LITTLE = 1 << 20 };
    struct rlimit before, full;
    struct stat file;
    char path[220];
    snprintf(path, sizeof path, "%s/widerow.db", folder);
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = (struct rlimit){ (rlim_t)file.st_size + LITTLE, before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    return before;
}

/* Of a part there is no space for all of its pages at once, and some for a few. */
static void a_full_disk_is_read(void **state)
{
    enum { ROWS = 200000 };
    (void)state;

    begin(WR_DURABILITY_PERIODIC, 0);
    put_rows(0, ROWS / 8);
    assert_int_equal(ask("SELECT count(*) FROM k.t"), ROWS / 8);
    put_rows(ROWS / 8, ROWS);
    assert_int_equal(wr_sync(db), WR_OK);
    struct rlimit before = fill_disk();
    int64_t of_one = ask("SELECT count(*) FROM k.t WHERE p = 0"), of_all = ask("SELECT count(*) FROM k.t");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(of_one, ROWS / 5000);
    assert_int_equal(of_all, ROWS);
    end();
}

/* ---- wr_atomically ---- */

static long fail_after;
static int64_t counted;

static enum wr_status count_failing(void *arg)
{
    (void)arg;
    rig.mem_fail_after = fail_after;
    counted = ask("SELECT count(*) FROM k.t");
    return WR_OK;
}

static void a_read_that_fails_while_it_applies_fails_the_whole(void **state)
{
    enum { MANY = 300 };
    (void)state;
    for (fail_after = 0;; fail_after++) {
        begin(WR_DURABILITY_PERIODIC, MANY);
        enum wr_status st = wr_atomically(db, count_failing, NULL);
        bool failed = rig.mem_fail_after < 0;
        rig.mem_fail_after = -1;
        assert_true(st == WR_OK ? counted == MANY || counted == -WR_NOMEM : st == WR_NOMEM);
        assert_int_equal(ask("SELECT count(*) FROM k.t"), MANY);
        end();
        if (!failed)
            return;
    }
}

static enum wr_status read_and_look_at_what_is_committed(void *arg)
{
    struct wr_table_stats stats;
    (void)arg;
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 50);
    assert_int_equal(wr_table_stats(db, "k", "t", &stats), WR_BUSY);
    return WR_OK;
}

static void what_is_committed_is_not_read_within_a_write_that_has_applied_it(void **state)
{
    struct wr_table_stats stats;
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 50);
    assert_int_equal(wr_atomically(db, read_and_look_at_what_is_committed, NULL), WR_OK);
    assert_int_equal(wr_table_stats(db, "k", "t", &stats), WR_OK);
    assert_int_equal(stats.rows, 50);
    end();
}

static void *ask_beside(void *arg)
{
    wr_db *own;
    assert_int_equal(wr_attach(db, &own), WR_OK);
    *(int64_t *)arg = ask_of(own, "SELECT count(*) FROM k.t");
    wr_close(own);
    return NULL;
}

static enum wr_status wait_for_a_reader(void *arg)
{
    pthread_t thread;
    must("INSERT INTO k.t (p, c, v) VALUES (1, 1000, 1)");
    assert_int_equal(pthread_create(&thread, NULL, ask_beside, arg), 0);
    pthread_join(thread, NULL);
    return WR_OK;
}

static void a_reader_that_a_held_write_waits_for_is_told(void **state)
{
    int64_t told = 0;
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 50);
    database_turn_ms = 50;
    assert_int_equal(wr_atomically(db, wait_for_a_reader, &told), WR_OK);
    assert_int_equal(told, -WR_BUSY);
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 51);
    end();
}

static pthread_t reader;

static bool somebody_waits_for(struct turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    bool waits = turn->first != NULL;
    pthread_mutex_unlock(&turn->lock);
    return waits;
}

static enum wr_status let_one_wait(void *arg)
{
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 50); /* all is applied, and not committed */
    assert_int_equal(pthread_create(&reader, NULL, ask_beside, arg), 0);
    while (!somebody_waits_for(&db->database->turn))
        usleep(100);
    must("INSERT INTO k.t (p, c, v) VALUES (1, 1000, 1)");
    return WR_OK;
}

static void a_reader_waits_for_a_held_write(void **state)
{
    int64_t told = 0;
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 50);
    database_turn_ms = -1;
    assert_int_equal(wr_atomically(db, let_one_wait, &told), WR_OK);
    pthread_join(reader, NULL);
    assert_int_equal(told, 51);
    end();
}

enum { BATCH = 1000, BATCHES = 40 };
static int batch;
static atomic_bool scanned;

static enum wr_status put_batch(void *arg)
{
    char cql[500];
    (void)arg;
    for (int i = 0; i < BATCH; i++) {
        snprintf(cql, sizeof cql, "INSERT INTO k.t (p, c, v, text) VALUES (%d, %d, 1, '%0300d')", i, batch, i);
        must(cql);
    }
    return WR_OK;
}

static void *scan_beside(void *arg)
{
    ask_beside(arg);
    atomic_store(&scanned, true);
    return NULL;
}

static enum wr_status put_other(void *arg)
{
    (void)arg;
    must("INSERT INTO k.other (p, v) VALUES (1, 1)");
    return WR_OK;
}

/* Looked at while the engine is at work. */
__attribute__((no_sanitize("thread"))) static uint64_t left(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < BACKLOG_PARTS; i++)
        sum += *(volatile uint64_t *)&db->database->engine->backlog.bytes[i];
    return sum;
}

/* Whether somebody has written while another applied all that was put off, in order to read it. */
static bool has_turn_meanwhile(void)
{
    int64_t told;
    begin(WR_DURABILITY_PERIODIC, 0);
    must("ALTER TABLE k.t ADD text text");
    for (batch = 0; batch < BATCHES; batch++)
        assert_int_equal(wr_atomically(db, put_batch, NULL), WR_OK);
    uint64_t all = left();
    atomic_store(&scanned, false);
    assert_int_equal(pthread_create(&reader, NULL, scan_beside, &told), 0);
    while (left() == all && !atomic_load(&scanned))
        usleep(100);
    assert_int_equal(wr_atomically(db, put_other, NULL), WR_OK);
    const bool meanwhile = !atomic_load(&scanned);
    pthread_join(reader, NULL);
    assert_int_equal(told, BATCH * BATCHES);
    end();
    return meanwhile;
}

/* On a machine that has much to do the reader may be done before the other one's thread is run, but not each time. */
static void who_reads_much_that_is_put_off_lets_others_have_their_turn(void **state)
{
    enum { TRIES = 20 };
    bool meanwhile = false;
    (void)state;

    for (int i = 0; i < TRIES && !meanwhile; i++)
        meanwhile = has_turn_meanwhile();
    assert_true(meanwhile);
}

/* ---- a read that is interrupted ---- */

static atomic_bool interrupts_end;

static void *interrupt(void *arg)
{
    while (!atomic_load(&interrupts_end)) {
        wr_interrupt(arg);
        sched_yield();
    }
    return NULL;
}

static void what_an_interrupted_read_was_to_apply_is_there_for_the_next(void **state)
{
    enum { TRIES = 1000, ROWS = 300 };
    bool interrupted = false;
    int rows = 0;
    pthread_t thread;
    wr_db *reader;
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 0);
    assert_int_equal(wr_attach(db, &reader), WR_OK);
    atomic_store(&interrupts_end, false);
    assert_int_equal(pthread_create(&thread, NULL, interrupt, reader), 0);
    for (int i = 0; i < TRIES && (i < 20 || !interrupted); i++) {
        put_rows(rows, rows + ROWS);
        rows += ROWS;
        int64_t found = ask_of(reader, "SELECT count(*) FROM k.t");
        interrupted |= found == -WR_INTERRUPTED;
        assert_true(found == rows || found == -WR_INTERRUPTED);
    }
    atomic_store(&interrupts_end, true);
    pthread_join(thread, NULL);
    assert_true(interrupted);
    assert_int_equal(ask_of(reader, "SELECT count(*) FROM k.t"), rows);
    assert_int_equal(wr_check(db, NULL, NULL, NULL), WR_OK);
    assert_int_equal(wr_close(reader), WR_OK);
    end();
}

/* ---- tombstones ---- */

static void what_was_deleted_stays_so_however_late_it_is_applied(void **state)
{
    const int64_t now_us = INT64_C(1700000000000000), day_us = INT64_C(86400000000);
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 0);
    wr_clock_set(db, now_us);
    must("DELETE FROM k.t USING TIMESTAMP 90 WHERE p = 1 AND c = 1; INSERT INTO k.other (p) VALUES (1) USING TIMESTAMP 90; DELETE v FROM k.other USING TIMESTAMP 90 WHERE p = 1;"
         "INSERT INTO k.t (p, c, v) VALUES (1, 1, 5) USING TIMESTAMP 50; INSERT INTO k.t (p, c, v) VALUES (1, 1, 7) USING TIMESTAMP 70;"
         "INSERT INTO k.other (p, v) VALUES (1, 6) USING TIMESTAMP 60; INSERT INTO k.other (p, v) VALUES (1, 7) USING TIMESTAMP 70");
    wr_close(db);
    open_again(WR_DURABILITY_PERIODIC);
    wr_clock_set(db, now_us + 11 * day_us); /* gc_grace_seconds are ten days */
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 0);
    assert_int_equal(ask("SELECT count(v) FROM k.other"), 0);
    end();
}

/* ---- failures ---- */

static void what_a_failed_sync_has_undone_is_not_taken_for_applied(void **state)
{
    wr_stmt *s;
    (void)state;
    rig.gather_after = 0;
    begin(WR_DURABILITY_FULL, 0);
    for (int c = 0; c < 5; c++) {
        char cql[100];
        snprintf(cql, sizeof cql, "INSERT INTO k.t (p, c, v) VALUES (1, %d, 1)", c);
        must(cql);
    }
    assert_int_equal(wr_sync(db), WR_OK);
    must("INSERT INTO k.t (p, c, v) VALUES (2, 0, 5) USING TTL 100000");
    assert_int_equal(wr_prepare(db, "DELETE FROM k.t WHERE p = 1 AND c = 99", -1, &s), WR_OK);
    atomic_store(&log_fails, true);
    assert_int_equal(wr_step(s), WR_IO);
    wr_finalize(s);
    assert_int_equal(ask("SELECT count(*) FROM k.t WHERE p = 1"), -WR_IO); /* to apply them is a write */
    atomic_store(&log_fails, false);
    wr_close(db);
    open_again(WR_DURABILITY_FULL);
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 6);
    end();
}

static int64_t findings(void)
{
    uint64_t n;
    assert_int_equal(wr_check(db, NULL, NULL, &n), WR_OK);
    return (int64_t)n;
}

/* The first byte of the key of what was put off first. */
static void damage_first(void)
{
    struct arena arena;
    struct ctx ctx;
    struct txn *txn;
    struct pack_cursor c = { 0 };
    struct packed at;
    struct put_off row;
    uint8_t first[ID_BYTES], key[2 * ID_BYTES], bytes[200];
    bool sound;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    put_u64(first, BACKLOG_BIT);
    assert_int_equal(txn_begin_write(&ctx, db->database->engine, &txn), WR_OK);
    assert_int_equal(pack_open(&ctx, &c, txn, TREE_ROWS), WR_OK);
    assert_int_equal(pack_seek(&ctx, &c, slice_of(first, sizeof first), &at), WR_OK);
    assert_int_equal(backlog_decode(&ctx, at.id, at.value, &row, &sound), WR_OK);
    assert_true(sound && at.value.len <= sizeof bytes);
    put_u64(key, at.id);
    memcpy(key + ID_BYTES, at.piece.data, ID_BYTES);
    memcpy(bytes, at.value.data, at.value.len);
    bytes[row.key.data - at.value.data] ^= 0x40;
    size_t len = at.value.len;
    pack_close(&c);
    assert_int_equal(store_put(&ctx, txn, TREE_ROWS, slice_of(key, sizeof key), slice_of(bytes, len)), WR_OK);
    assert_int_equal(txn_commit(&ctx, &txn), WR_OK);
    arena_release(&arena);
}

static void a_damaged_row_is_laid_aside(void **state)
{
    char copy[220];
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 300);
    damage_first();
    assert_int_equal(findings(), 1);
    assert_int_equal(ask("SELECT count(*) FROM k.other"), 0);
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 299);
    assert_int_equal(findings(), 1);
    assert_false(engine_has_backlog(db->database->engine));
    snprintf(copy, sizeof copy, "%s/copy", folder);
    assert_int_equal(wr_backup(db, copy), WR_OK);
    end();
}

static void a_table_with_nothing_put_off_is_not_asked_for(void **state)
{
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 300);
    assert_int_equal(ask("SELECT count(*) FROM k.other"), 0);
    must("INSERT INTO k.other (p, v) VALUES (1, 1) IF NOT EXISTS; DELETE FROM k.other WHERE p = 2");
    struct arena arena;
    struct ctx ctx;
    struct txn *txn;
    bool behind;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    struct schema *schema = database_schema(db->database);
    const struct table *table;
    assert_int_equal(schema_require_table(&ctx, schema, SLICE_NULL, slice_str("k"), slice_str("t"), &table), WR_OK);
    const struct reach reach = reach_all(&table->shape);
    assert_int_equal(txn_begin_read(&ctx, db->database->engine, &txn), WR_OK);
    assert_int_equal(txn_is_behind(&ctx, txn, &reach, &behind), WR_OK);
    assert_true(behind); /* nobody has needed them */
    txn_abort(&txn);
    schema_release(schema);
    arena_release(&arena);
    end();
}

/* ---- estimates ---- */

static void what_is_put_off_is_estimated(void **state)
{
    static const char *const tables[] = { "size_estimates", "table_estimates" };
    (void)state;
    for (int i = 0; i < 2; i++) {
        char cql[150];
        snprintf(cql, sizeof cql, "SELECT sum(partitions_count) FROM system.%s WHERE keyspace_name = 'k'%s", tables[i],
                 i ? " AND table_name = 't' AND range_type = 'primary'" : " AND table_name = 't'");
        begin(WR_DURABILITY_PERIODIC, 300);
        assert_int_equal(ask(cql), 100);
        assert_false(engine_has_backlog(db->database->engine));
        end();
    }
}

/* ---- the log of another version ---- */

static void a_log_of_another_version_is_not_thrown_away(void **state)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *refused;
    const struct log_head head = { .chain = 1, .base = 1 };
    static const uint8_t id[DATABASE_ID_BYTES];
    uint8_t bytes[LOG_HEAD];
    char path[220];
    (void)state;
    begin(WR_DURABILITY_PERIODIC, 10);
    assert_int_equal(wr_close(db), WR_OK);
    snprintf(path, sizeof path, "%s/widerow.log", folder);
    FILE *log = fopen(path, "w");
    assert_non_null(log);
    log_begin(bytes, id, &head);
    bytes[5] = '3';
    put_u64(bytes + LOG_HEAD - 8, hash64(slice_of(bytes, LOG_HEAD - 8)));
    assert_int_equal(fwrite(bytes, sizeof bytes, 1, log), 1);
    fclose(log);
    for (int read_only = 0; read_only < 2; read_only++) {
        options.read_only = read_only;
        assert_int_equal(wr_open(folder, &options, &refused), WR_VERSION);
        wr_close(refused);
    }
    remove_folder(folder);
}

/* ---- another process ---- */

/* What a process that begins before there is a database reads of it, once it is told to. Its end is its answer, 255 at most. */
struct other {
    pid_t pid;
    int go, gone_on; /* bytes to it, and from it */
};

static void read_beside(int go, int going)
{
    const struct wr_options options = { .size = sizeof options, .read_only = true };
    int64_t rows = -1;
    char byte;

    if (read(go, &byte, 1) == 1 && wr_open(folder, &options, &db) == WR_OK && write(going, "", 1) == 1)
        rows = ask("SELECT count(*) FROM k.t");
    wr_close(db);
    _exit(rows < 0 ? 255 : (int)rows);
}

static struct other begin_other(void)
{
    int to[2], from[2];
    struct other other;

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    other = (struct other){ fork(), to[1], from[0] };
    assert_true(other.pid >= 0);
    if (!other.pid)
        read_beside(to[0], from[1]);
    close(to[0]);
    close(from[1]);
    return other;
}

/* Has it open the database; it is about to read. */
static void let_go(const struct other *other)
{
    char byte;

    assert_int_equal(write(other->go, "", 1), 1);
    assert_int_equal(read(other->gone_on, &byte, 1), 1);
}

static int end_other(struct other *other)
{
    int status;

    assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
    close(other->go);
    close(other->gone_on);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void who_only_reads_waits_until_it_is_applied(void **state)
{
    enum { ENOUGH_FOR_A_READ_US = 100 * 1000 };
    (void)state;
    make_folder(folder, sizeof folder);
    struct other other = begin_other();
    begin_in(WR_DURABILITY_NONE, 50);
    assert_int_equal(wr_sync(db), WR_OK);
    let_go(&other);
    usleep(ENOUGH_FOR_A_READ_US);
    assert_int_equal(ask("SELECT count(*) FROM k.t"), 50); /* which applies it */
    assert_int_equal(wr_sync(db), WR_OK);
    assert_int_equal(end_other(&other), 50);
    end();
}

static enum wr_status let_read_in_vain(void *other)
{
    let_go(other);
    assert_int_equal(end_other(other), 255);
    return WR_OK;
}

static void who_only_reads_is_told_where_it_is_not(void **state)
{
    (void)state;
    make_folder(folder, sizeof folder);
    database_turn_ms = 50;
    struct other other = begin_other();
    begin_in(WR_DURABILITY_NONE, 50);
    assert_int_equal(wr_sync(db), WR_OK);
    assert_int_equal(wr_atomically(db, let_read_in_vain, &other), WR_OK); /* so no sweep applies it meanwhile */
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_is_read),
        cmocka_unit_test(a_read_that_fails_while_it_applies_fails_the_whole),
        cmocka_unit_test(what_is_committed_is_not_read_within_a_write_that_has_applied_it),
        cmocka_unit_test(a_reader_that_a_held_write_waits_for_is_told),
        cmocka_unit_test(a_reader_waits_for_a_held_write),
        cmocka_unit_test(who_reads_much_that_is_put_off_lets_others_have_their_turn),
        cmocka_unit_test(what_an_interrupted_read_was_to_apply_is_there_for_the_next),
        cmocka_unit_test(what_was_deleted_stays_so_however_late_it_is_applied),
        cmocka_unit_test(what_a_failed_sync_has_undone_is_not_taken_for_applied),
        cmocka_unit_test(a_damaged_row_is_laid_aside),
        cmocka_unit_test(a_table_with_nothing_put_off_is_not_asked_for),
        cmocka_unit_test(what_is_put_off_is_estimated),
        cmocka_unit_test(a_log_of_another_version_is_not_thrown_away),
        cmocka_unit_test(who_only_reads_waits_until_it_is_applied),
        cmocka_unit_test(who_only_reads_is_told_where_it_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
