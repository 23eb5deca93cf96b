/* Answers plan.h and database.h on a full disk (engine/reserve.h): which statements free space, and go on. */
#include <limits.h>

#include "engine/rig.h"
#include "tests/engine/power.h"
#include "tests/folder.h"
#include "widerow.h"

static wr_db *db;

static enum wr_status run(const char *cql)
{
    return wr_exec(db, cql, NULL, NULL);
}

static void must(const char *cql)
{
    enum wr_status st = run(cql);
    if (st != WR_OK)
        fprintf(stderr, "%s\n%s\n", cql, wr_error(db));
    assert_int_equal(st, WR_OK);
}

static enum wr_status put(const char *table, int from, int to)
{
    static char value[3000];
    char cql[100];
    wr_stmt *s;
    enum wr_status st = WR_DONE;

    snprintf(cql, sizeof cql, "INSERT INTO k.%s (p, c, v) VALUES (?, ?, ?)", table);
    memset(value, 'v', sizeof value);
    assert_int_equal(wr_prepare(db, cql, -1, &s), WR_OK);
    for (int i = from; st == WR_DONE && i < to; i++) {
        wr_bind_int(s, 0, i % 10);
        wr_bind_int(s, 1, i);
        wr_bind_text(s, 2, value, sizeof value);
        st = wr_step(s);
    }
    wr_finalize(s);
    return st;
}

/* Until nothing is taken. */
static void fill_the_disk(const char *path)
{
    struct database files;
    struct stat data;

    snprintf(files.path, sizeof files.path, "%s", path);
    power_watch(&files, 1);
    power.forgets = true;
    char name[192];
    path_in(name, &files, "widerow.db");
    assert_int_equal(stat(name, &data), 0);
    atomic_store(&power.room, (size_t)data.st_size);
    atomic_store(&power.promised, (size_t)data.st_blocks * 512); /* before anybody watched */
    for (int refused = 0, i = 10000; refused < 10; i++)
        refused = put("t", i, i + 1) == WR_FULL ? refused + 1 : 0;
}

static enum wr_status delete_two(void *arg)
{
    (void)arg;
    must("DELETE FROM k.t WHERE p = 2");
    return run("DELETE FROM k.u WHERE p = 2");
}

static enum wr_status delete_and_insert(void *arg)
{
    (void)arg;
    must("DELETE FROM k.t WHERE p = 3");
    return run("INSERT INTO k.t (p, c) VALUES (3, 3)");
}

static void deletions_go_on(enum wr_durability durability)
{
    char path[128];
    struct wr_options options = WR_OPTIONS_INIT;

    make_folder(path, sizeof path);
    rig.gather_after = INT_MAX;
    options.durability = durability;
    assert_int_equal(wr_open(path, &options, &db), WR_OK);
    must("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
         "CREATE TABLE k.t (p int, c int, v text, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0;"
         "CREATE TABLE k.u (p int, c int, v text, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 0;");
    assert_int_equal(put("t", 0, 100), WR_DONE);
    assert_int_equal(put("u", 0, 1000), WR_DONE);
    fill_the_disk(path);

    assert_int_equal(run("UPDATE k.t SET v = 'x' WHERE p = 1 AND c = 1"), WR_FULL);
    assert_int_equal(run("CREATE TABLE k.w (p int PRIMARY KEY)"), WR_FULL);
    assert_int_equal(run("BEGIN BATCH DELETE FROM k.t WHERE p = 1; INSERT INTO k.t (p, c) VALUES (1, 1) APPLY BATCH"), WR_FULL);
    assert_int_equal(wr_atomically(db, delete_and_insert, NULL), WR_FULL);
    must("DELETE FROM k.t WHERE p = 1 AND c = 1");
    must("BEGIN BATCH DELETE FROM k.t WHERE p = 1 AND c = 11; DELETE FROM k.u WHERE p = 1 APPLY BATCH");
    assert_int_equal(wr_atomically(db, delete_two, NULL), WR_OK);
    must("DROP TABLE k.u");
    must("INSERT INTO k.t (p, c) VALUES (1, 1)"); /* what was dropped is swept for it */
    must("TRUNCATE k.t");
    assert_int_equal(put("t", 0, 100), WR_DONE);

    atomic_store(&power.room, 0);
    power_unwatch();
    assert_int_equal(wr_close(db), WR_OK);
    remove_folder(path);
}

static void a_full_disk_lets_deletions_through(void **state)
{
    (void)state;
    deletions_go_on(WR_DURABILITY_NONE);
    deletions_go_on(WR_DURABILITY_PERIODIC);
    deletions_go_on(WR_DURABILITY_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_full_disk_lets_deletions_through) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
