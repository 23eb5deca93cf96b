/*
 * calls_no_memory.c - the calls of the public header, each of whose allocations fails in turn, alone and with those behind it: WR_NOMEM, and then nothing has
 * been done, or all of it. Statements: tests/conformance/no_memory.c.
 */
#include <string.h>
#include <unistd.h>

#include "tests/folder.h"

#include "engine/rig.h"
#include "tests/allocations.h"
#include "widerow.h"

enum { PATH_ROOM = 200, TEXT_ROOM = 20000, ROWS = 30 };

struct world {
    wr_db *db;
    wr_cf *cf;
    char folder[PATH_ROOM], path[PATH_ROOM], copy[PATH_ROOM];
    char text[TEXT_ROOM]; /* what was told */
    int told;
};

static const char schema[] =
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
    "CREATE TYPE k.u (a int, b text);"
    "CREATE TABLE k.t (p int, c int, v text, m map<int, frozen<list<text>>>, n varint, d decimal, u frozen<u>, PRIMARY KEY (p, c));"
    "CREATE INDEX ON k.t (v);"
    "CREATE MATERIALIZED VIEW k.w AS SELECT * FROM k.t WHERE p IS NOT NULL AND c IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p, c);"
    "CREATE TABLE k.n (p int PRIMARY KEY, n counter)";

static void run(wr_db *db, const char *cql)
{
    if (wr_exec(db, cql, NULL, NULL) != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
}

static bool take_count(void *arg, wr_stmt *row)
{
    *(int64_t *)arg = wr_column_int(row, 0);
    return true;
}

static int64_t count_of(wr_db *db, const char *cql)
{
    int64_t count = -1;
    if (wr_exec(db, cql, take_count, &count) != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
    return count;
}

static void fill(wr_db *db)
{
    char insert[300];
    run(db, schema);
    for (int i = 0; i < ROWS; i++) {
        snprintf(insert, sizeof insert,
                 "INSERT INTO k.t (p, c, v, m, n, d, u) VALUES (%d, %d, 'text %d', {1: ['a', 'b'], %d: ['c']}, 1234567890123456789012%d, 1.5e%d, {a: %d})", i % 3,
                 i, i % 5, i + 2, i, i, i);
        run(db, insert);
        snprintf(insert, sizeof insert, "UPDATE k.n SET n = n + %d WHERE p = %d", i, i % 3);
        run(db, insert);
    }
    run(db, "DELETE FROM k.t WHERE p = 0 AND c > 100");
    run(db, "UPDATE k.t USING TTL 10000 SET v = 'x' WHERE p = 1 AND c = 1000");
}

static void is_whole(wr_db *db)
{
    uint64_t findings = 0;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(count_of(db, "SELECT count(*) FROM k.t"), ROWS + 1);
    assert_int_equal(count_of(db, "SELECT count(*) FROM k.w"), ROWS + 1);
    assert_int_equal(count_of(db, "SELECT n FROM k.n WHERE p = 1"), 145);
}

/* ---- the calls ---- */

static struct wr_bytes bytes_of(const char *text)
{
    return (struct wr_bytes){ text, strlen(text) };
}

static enum wr_status open_and_close(struct world *w)
{
    wr_db *db;
    enum wr_status st = wr_open(w->path, NULL, &db);
    wr_close(db);
    return st;
}

static enum wr_status open_to_read(struct world *w)
{
    struct wr_options options = WR_OPTIONS_INIT;
    int64_t count = -1;
    wr_db *db;
    options.read_only = true;
    enum wr_status st = wr_open(w->path, &options, &db);
    if (st == WR_OK)
        st = wr_exec(db, "SELECT count(*) FROM k.t", take_count, &count);
    assert_true(st != WR_OK || count == ROWS + 1);
    wr_close(db);
    return st;
}

static enum wr_status open_memory(struct world *w)
{
    (void)w;
    wr_db *db, *other = NULL;
    enum wr_status st = wr_open(NULL, NULL, &db);
    if (st == WR_OK)
        st = wr_attach(db, &other);
    if (st == WR_OK)
        st = wr_login(other, "cassandra", "cassandra");
    if (st == WR_OK)
        st = wr_use(other, "system");
    wr_close(other);
    wr_close(db);
    return st;
}

static enum wr_status change_schema(struct world *w)
{
    static const char *const changes[] = {
        "CREATE KEYSPACE IF NOT EXISTS x WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TYPE IF NOT EXISTS x.u (a int)",
        "CREATE TABLE IF NOT EXISTS x.t (p int PRIMARY KEY, v text, u frozen<u>)",
        "INSERT INTO x.t (p, v) VALUES (1, 'a')",
        "CREATE INDEX IF NOT EXISTS i ON x.t (v)",
        "ALTER TABLE x.t ADD IF NOT EXISTS y list<int>",
        "CREATE FUNCTION IF NOT EXISTS x.f (a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a + 1;'",
        "TRUNCATE x.t",
        "DROP KEYSPACE IF EXISTS x",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        enum wr_status st = wr_exec(w->db, changes[i], NULL, NULL);
        if (st != WR_OK)
            return st;
    }
    return WR_OK;
}

static bool collect(void *arg, const char *cql, size_t len)
{
    struct world *w = arg;
    size_t used = strlen(w->text);
    assert_true(used + len + 2 < sizeof w->text);
    memcpy(w->text + used, cql, len);
    strcpy(w->text + used + len, "\n");
    return true;
}

static enum wr_status export(struct world *w)
{
    static char expected[TEXT_ROOM];
    w->text[0] = 0;
    enum wr_status st = wr_schema_export(w->db, "k", NULL, collect, w);
    if (st == WR_OK)
        st = wr_table_export(w->db, "k", "t", INT64_MIN, 4000, collect, w);
    if (st == WR_OK)
        st = wr_table_export(w->db, "k", "n", INT64_MIN, 0, collect, w);
    if (st != WR_OK)
        return st;
    char *ttl = strstr(w->text, "USING TTL"); /* which passes */
    if (ttl)
        memset(ttl, 'T', strlen("USING TTL 10000"));
    if (!expected[0])
        strcpy(expected, w->text); /* of the first that ends well; the last is without failures */
    assert_string_equal(w->text, expected);
    return st;
}

static bool count_cell(void *arg, const struct wr_cell *cell)
{
    assert_non_null(cell->kind);
    ++*(int *)arg;
    return true;
}

static void on_finding(void *arg, const char *finding)
{
    (void)arg;
    print_message("%s\n", finding);
}

static enum wr_status look(struct world *w)
{
    struct wr_table_stats table;
    struct wr_db_stats all;
    int cells = 0;
    uint64_t findings = 0;
    enum wr_status st = wr_table_stats(w->db, "k", "t", &table);
    assert_true(st != WR_OK || table.rows == ROWS + 1);
    if (st == WR_OK)
        st = wr_table_cells(w->db, "k", "n", "1", count_cell, &cells);
    assert_true(st != WR_OK || cells == 1);
    if (st == WR_OK)
        st = wr_db_stats(w->db, &all);
    if (st == WR_OK)
        st = wr_check(w->db, on_finding, NULL, &findings);
    assert_int_equal(findings, 0);
    return st;
}

static enum wr_status look_after(struct world *w)
{
    enum wr_status st = wr_sync(w->db);
    if (st == WR_OK)
        st = wr_sweep(w->db, 0);
    if (st == WR_OK)
        st = wr_set_address(w->db, "127.0.0.1", 9042);
    return st == WR_OK ? wr_set_keyspace(w->db, "k") : st;
}

static enum wr_status back_up(struct world *w)
{
    enum wr_status st = wr_backup(w->db, w->copy);
    allocations_pause();
    if (st == WR_OK) {
        wr_db *db;
        assert_int_equal(wr_open(w->copy, NULL, &db), WR_OK);
        is_whole(db);
        assert_int_equal(wr_close(db), WR_OK);
    }
    if (access(w->copy, F_OK) == 0)
        remove_folder(w->copy);
    return st;
}

static enum wr_status families(struct world *w)
{
    const struct wr_cf_def def = { .keyspace = "f", .name = "c", .comparator = "UTF8Type", .gc_grace_s = -1 };
    wr_cf *cf;
    enum wr_status st = wr_cf_create(w->db, &def);
    if (st == WR_OK)
        st = wr_cf_open(w->db, "f", "c", &cf);
    if (st == WR_OK)
        wr_cf_close(cf);
    return st == WR_OK ? wr_cf_drop(w->db, "f", "c") : st;
}

static enum wr_status write_family(struct world *w)
{
    const struct wr_cf_column column = { .name = bytes_of("new"), .value = bytes_of("value"), .timestamp_us = 5 };
    const struct wr_cf_mutation mutations[] = { { w->cf, WR_CF_INSERT, bytes_of("one"), column },
                                                { w->cf, WR_CF_REMOVE, bytes_of("two"), { .name = bytes_of("new"), .timestamp_us = 6 } } };
    enum wr_status st = wr_cf_insert(w->cf, bytes_of("two"), &column);
    if (st == WR_OK)
        st = wr_cf_batch_mutate(w->db, mutations, 2);
    return st == WR_OK ? wr_cf_remove(w->cf, bytes_of("one"), bytes_of("new"), 7) : st;
}

static enum wr_status read_family(struct world *w)
{
    const struct wr_bytes keys[] = { bytes_of("row 1"), bytes_of("none"), bytes_of("row 2") };
    struct wr_cf_column column;
    wr_cf_result *result;
    uint64_t count;
    enum wr_status st = wr_cf_get(w->cf, keys[0], bytes_of("column 3"), &column);
    assert_true(st != WR_OK || (column.value.len == 7 && memcmp(column.value.data, "value 3", 7) == 0));
    if (st == WR_OK)
        st = wr_cf_get_count(w->cf, keys[2], NULL, &count);
    assert_true(st != WR_OK || count == 20);
    if (st == WR_OK && (st = wr_cf_multiget_slice(w->cf, keys, 3, NULL, &result)) == WR_OK) {
        assert_int_equal(wr_cf_result_rows(result), 3);
        assert_int_equal(wr_cf_result_columns(result, 2), 20);
        wr_cf_result_free(result);
    }
    if (st == WR_OK && (st = wr_cf_get_range_slices(w->cf, (struct wr_bytes){ NULL, 0 }, (struct wr_bytes){ NULL, 0 }, 0, NULL, &result)) == WR_OK) {
        assert_int_equal(wr_cf_result_rows(result), 5);
        wr_cf_result_free(result);
    }
    return st;
}

static enum wr_status batch(struct world *w)
{
    wr_stmt *insert = NULL, *result;
    wr_batch *batch = NULL;
    enum wr_status st = wr_prepare(w->db, "INSERT INTO k.t (p, c, v) VALUES (9, ?, ?) USING TIMESTAMP 1", -1, &insert);
    if (st == WR_OK)
        st = wr_batch_new(w->db, WR_BATCH_LOGGED, &batch);
    for (int i = 0; i < 20 && st == WR_OK; i++) {
        st = wr_bind_int(insert, 0, i);
        if (st == WR_OK)
            st = wr_bind_text(insert, 1, "batch", -1);
        if (st == WR_OK)
            st = wr_batch_add(batch, insert);
    }
    if (st == WR_OK)
        st = wr_batch_run(batch, &result);
    wr_batch_free(batch);
    wr_finalize(insert);
    allocations_pause();
    int64_t rows = count_of(w->db, "SELECT count(*) FROM k.t WHERE p = 9");
    assert_int_equal(rows, st == WR_OK ? 20 : 0);
    run(w->db, "DELETE FROM k.t USING TIMESTAMP 0 WHERE p = 9"); /* which leaves them to the next line */
    for (int i = 0; i < 20 && rows; i++) {
        char delete[100];
        snprintf(delete, sizeof delete, "DELETE FROM k.t USING TIMESTAMP %d WHERE p = 9 AND c = %d", 2, i);
        run(w->db, delete);
    }
    return st;
}

static enum wr_status two_writes(void *arg)
{
    wr_db *db = arg;
    enum wr_status st = wr_exec(db, "INSERT INTO k.t (p, c, v) VALUES (8, 1, 'a')", NULL, NULL);
    return st == WR_OK ? wr_exec(db, "INSERT INTO k.t (p, c, v) VALUES (8, 2, 'b')", NULL, NULL) : st;
}

static enum wr_status atomically(struct world *w)
{
    enum wr_status st = wr_atomically(w->db, two_writes, w->db);
    allocations_pause();
    assert_int_equal(count_of(w->db, "SELECT count(*) FROM k.t WHERE p = 8"), st == WR_OK ? 2 : 0);
    run(w->db, "DELETE FROM k.t WHERE p = 8");
    return st;
}

static void give_seven(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_literal(call, "[7, 8]", -1);
}

static enum wr_status register_function(struct world *w)
{
    const struct wr_function function = { .keyspace = "k", .name = "seven", .arguments = "int", .returns = "list<int>", .call = give_seven };
    enum wr_status st = wr_function_register(w->db, &function);
    return st == WR_OK ? wr_exec(w->db, "SELECT k.seven(p) FROM k.t", NULL, NULL) : st;
}

/* Bound again, with values of all kinds, since the schema has changed. */
static enum wr_status run_again(struct world *w)
{
    wr_stmt *stmt;
    static bool there;
    enum wr_status st = wr_prepare(w->db, "SELECT * FROM k.t WHERE p = ? AND c IN ? AND v = ? AND d > ? ALLOW FILTERING", -1, &stmt);
    if (st != WR_OK)
        return st;
    allocations_pause();
    run(w->db, there ? "ALTER TABLE k.n WITH comment = 'a'" : "ALTER TABLE k.n WITH comment = 'b'");
    there = !there;
    allocations_go_on();
    st = wr_bind_literal(stmt, 0, "1", -1);
    if (st == WR_OK)
        st = wr_bind_open(stmt, 1);
    if (st == WR_OK)
        st = wr_bind_int(stmt, WR_ELEMENT, 1);
    if (st == WR_OK)
        st = wr_bind_close(stmt);
    if (st == WR_OK)
        st = wr_bind_text(stmt, 2, "text 1", -1);
    if (st == WR_OK)
        st = wr_bind_text(stmt, 3, "-1.50", -1);
    if (st == WR_OK)
        st = wr_step(stmt);
    assert_true(st == WR_ROW || st == WR_NOMEM);
    if (st == WR_ROW) {
        st = wr_step(stmt);
        assert_true(st == WR_DONE || st == WR_NOMEM);
    }
    wr_finalize(stmt);
    return st == WR_DONE ? WR_OK : st;
}

static void on_change(void *arg, const struct wr_schema_change *change)
{
    struct world *w = arg;
    w->told += strcmp(change->target, "TABLE") == 0;
}

static enum wr_status tell_of_changes(struct world *w)
{
    static bool there;
    w->told = 0;
    enum wr_status st = wr_on_schema_change(w->db, on_change, w);
    if (st == WR_OK)
        st = wr_exec(w->db, there ? "ALTER TABLE k.n WITH comment = 'd'" : "ALTER TABLE k.n WITH comment = 'c'", NULL, NULL);
    allocations_pause();
    wr_on_schema_change(w->db, NULL, w);
    assert_int_equal(w->told, st == WR_OK); /* whoever keeps what he knows of the schema is told or the change is not made */
    there ^= st == WR_OK;
    return st;
}

static const struct call {
    const char *name;
    enum wr_status (*make)(struct world *w);
} calls[] = {
    { "wr_open", open_and_close },
    { "wr_open, to read", open_to_read },
    { "wr_open, in memory", open_memory },
    { "changes of the schema", change_schema },
    { "exports", export },
    { "statistics", look },
    { "looking after", look_after },
    { "wr_backup", back_up },
    { "wr_cf_create", families },
    { "writes of a family", write_family },
    { "reads of a family", read_family },
    { "wr_batch", batch },
    { "wr_atomically", atomically },
    { "wr_function_register", register_function },
    { "binding", run_again },
    { "wr_on_schema_change", tell_of_changes },
};

/* ---- each of its allocations ---- */

static void fail_each(struct world *w, const struct call *call)
{
    bool met = true;
    for (long n = 0; met; n += 1 + n / 100 * 5)
        for (int alone = 0; alone < 2 && met; alone++) {
            allocations_fail(n, alone);
            enum wr_status st = call->make(w);
            met = allocations_failed();
            if (st != WR_OK && (!met || st != WR_NOMEM))
                fail_msg("%s, allocation %ld%s: %s (%s)", call->name, n, alone ? "" : " and those behind it", wr_status_name(st), w->db ? wr_error(w->db) : "");
        }
    if (w->db)
        is_whole(w->db);
}

static void make_family(struct world *w)
{
    const struct wr_cf_def def = { .keyspace = "old", .name = "c", .comparator = "UTF8Type", .gc_grace_s = -1 };
    assert_int_equal(wr_cf_create(w->db, &def), WR_OK);
    assert_int_equal(wr_cf_open(w->db, "old", "c", &w->cf), WR_OK);
    for (int i = 0; i < 100; i++) {
        char key[20], name[20], value[20];
        snprintf(key, sizeof key, "row %d", i % 5);
        snprintf(name, sizeof name, "column %d", i / 5);
        snprintf(value, sizeof value, "value %d", i / 5);
        const struct wr_cf_column column = { .name = bytes_of(name), .value = bytes_of(value), .timestamp_us = INT64_MIN };
        assert_int_equal(wr_cf_insert(w->cf, bytes_of(key), &column), WR_OK);
    }
}

static void each_call(void **state)
{
    static struct world w;
    (void)state;
    make_folder(w.folder, sizeof w.folder);
    snprintf(w.path, sizeof w.path, "%.150s/db", w.folder);
    snprintf(w.copy, sizeof w.copy, "%.150s/copy", w.folder);
    assert_int_equal(wr_open(w.path, NULL, &w.db), WR_OK);
    fill(w.db);
    assert_int_equal(wr_close(w.db), WR_OK);
    w.db = NULL;
    rig.mem_blocks_apart = true;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (calls[i].make == change_schema) { /* those before open it */
            assert_int_equal(wr_open(w.path, NULL, &w.db), WR_OK);
            is_whole(w.db);
            make_family(&w);
        }
        fail_each(&w, &calls[i]);
    }
    wr_cf_close(w.cf);
    assert_int_equal(wr_close(w.db), WR_OK);
    assert_int_equal(wr_open(w.path, NULL, &w.db), WR_OK);
    is_whole(w.db);
    assert_int_equal(wr_close(w.db), WR_OK);
    remove_folder(w.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_call) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
