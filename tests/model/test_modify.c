/*
 * Answers model/operation.h, model/listid.h and the steps of model/modify.h: what lies in the store after a write, cell
 * by cell. What is seen of it through CQL, and every message, is in tests/conformance (modify_cells, modify_errors,
 * compact_writes).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours is engine/ctx.h's */

#include "engine/rig.h"
#include "model/api.h"
#include "model/listid.h"

static const int64_t START_US = 1900000000000000;

struct fixture {
    wr_db *db;
    char dump[8192]; /* of the last cells() */
    size_t len;
};

static void exec_status(wr_db *db, const char *cql, enum wr_status expected, const char *file, int line)
{
    enum wr_status st = wr_exec(db, cql, NULL, NULL);
    if (st != expected)
        print_message("%s\n  %s\n", cql, wr_error(db));
    _assert_int_equal((uintmax_t)st, (uintmax_t)expected, file, line);
}
#define EXEC(f, cql) exec_status((f)->db, (cql), WR_OK, __FILE__, __LINE__)

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct wr_options options = WR_OPTIONS_INIT;
    assert_non_null(f);
    options.clock_us = START_US;
    assert_int_equal(wr_open(NULL, &options, &f->db), WR_OK);
    EXEC(f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    EXEC(f, "USE k");
    EXEC(f, "CREATE TYPE ty (a int, b text)");
    EXEC(f,
         "CREATE TABLE t (p int, c int, s int static, v int, w text, l list<int>, m map<text, int>, st set<int>, u ty, "
         "md map<decimal, int>, sd set<decimal>, PRIMARY KEY (p, c))");
    EXEC(f, "CREATE TABLE n (p int PRIMARY KEY, n counter)");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(wr_close(f->db), WR_OK);
    free(f);
    return 0;
}

/* ---- looking at what is stored ---- */

static void put(struct fixture *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct fixture *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    f->len += (size_t)vsnprintf(f->dump + f->len, sizeof f->dump - f->len, format, args);
    va_end(args);
    assert_true(f->len < sizeof f->dump);
}

static void put_hex(struct fixture *f, struct slice bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        put(f, "%02x", bytes.data[i]);
}

/* `who column[path] kind timestamp ttl = value`, path and value in hex; a list's ids as `id`, lossy keys as `key`. */
static void put_row(struct fixture *f, const char *who, const struct table *table, const struct row *row)
{
    static const char *const kinds[] = { "cell", "expiring", "dead", "expired" };
    if (!liveness_is_none(row->liveness))
        put(f, "%s marker %lld %u\n", who, (long long)row->liveness.timestamp_us, row->liveness.ttl_s);
    if (!deletion_is_none(row->deletion))
        put(f, "%s deletion %lld\n", who, (long long)row->deletion.timestamp_us);
    for (uint32_t i = 0; i < row->complex_count; i++)
        put(f, "%s %.*s deletion %lld\n", who, SLICE_ARG(table_column_by_id(table, row->complex[i].column)->name),
            (long long)row->complex[i].deletion.timestamp_us);
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        const struct column *column = table_column_by_id(table, c->column);
        put(f, "%s %.*s", who, SLICE_ARG(column->name));
        if (!slice_is_null(c->path)) {
            put(f, "[");
            if (column->type->kind == TYPE_LIST)
                put(f, "id");
            else if (type_order_is_lossy(column->type->args[0]))
                put(f, "key");
            else
                put_hex(f, c->path);
            put(f, "]");
        }
        put(f, " %s%s %lld %u", c->flags & CELL_COUNTER ? "counter " : "", kinds[c->kind], (long long)c->timestamp_us,
            c->ttl_s);
        if (!slice_is_null(c->value)) {
            put(f, " = ");
            put_hex(f, c->value);
        }
        put(f, "\n");
    }
}

static void put_partition(struct fixture *f, struct ctx *ctx, struct txn *txn, const struct table *table,
                          const struct partition *partition)
{
    const struct range all = { SLICE_EMPTY, SLICE_NULL };
    const struct row_view *view;
    struct row static_row;
    struct scan *scan;

    if (!deletion_is_none(partition->deletion))
        put(f, "partition deletion %lld\n", (long long)partition->deletion.timestamp_us);
    assert_int_equal(partition_static(ctx, txn, partition, NULL, &static_row), WR_OK);
    put_row(f, "static", table, &static_row);
    assert_int_equal(scan_new(ctx, &scan), WR_OK);
    assert_int_equal(scan_open(ctx, scan, txn, partition, all, SCAN_RAW, NULL), WR_OK);
    for (;;) {
        struct slice clustering;
        assert_int_equal(scan_next(ctx, scan, &view), WR_OK);
        if (!view)
            break;
        char who[16] = "row";
        if (table->clustering_count) {
            assert_int_equal(clustering_get(ctx, &table->clustering, view->clustering, view->row.annex, &clustering),
                             WR_OK);
            snprintf(who, sizeof who, "%u", clustering.data[3]);
        }
        put_row(f, who, table, &view->row);
    }
    scan_close(scan);
    scan_free(scan);
}

static void check_cells(struct fixture *f, const char *name, const char *expected, const char *file, int line)
{
    struct database *db = f->db->database;
    struct schema *schema = database_schema(db);
    const struct table *table = schema_table(schema, SLICE_LIT("k"), slice_str(name));
    struct partitions *partitions;
    struct partition partition;
    struct arena arena;
    struct ctx ctx;
    struct txn *txn;
    bool found;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = (uint32_t)(wr_clock_now(f->db) / 1000000);
    f->len = 0;
    f->dump[0] = 0;
    assert_non_null(table);
    assert_int_equal(txn_begin_read(&ctx, db->engine, &txn), WR_OK);
    assert_int_equal(partitions_new(&ctx, &partitions), WR_OK);
    assert_int_equal(partitions_open_any(&ctx, partitions, txn, &table->shape, INT64_MIN, INT64_MAX, SLICE_NULL), WR_OK);
    for (;;) {
        assert_int_equal(partitions_next(&ctx, partitions, &partition, &found), WR_OK);
        if (!found)
            break;
        put_partition(f, &ctx, txn, table, &partition);
    }
    partitions_close(partitions);
    partitions_free(partitions);
    txn_abort(&txn);
    schema_release(schema);
    arena_release(&arena);
    _assert_string_equal(f->dump, expected, file, line);
}
#define CELLS(f, table, expected) check_cells((f), (table), (expected), __FILE__, __LINE__)

/* ---- markers, timestamps, TTLs ---- */

static void insert_marks_its_row_and_update_does_not(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "INSERT INTO t (p, c, v) VALUES (1, 1, 7) USING TIMESTAMP 10 AND TTL 60");
    EXEC(f, "UPDATE t USING TIMESTAMP 11 SET v = 8, w = null WHERE p = 1 AND c = 2");
    EXEC(f, "INSERT INTO t (p, c) VALUES (1, 3) USING TIMESTAMP 12");
    CELLS(f, "t",
          "1 marker 10 60\n1 v expiring 10 60 = 00000007\n2 v cell 11 0 = 00000008\n2 w dead 11 0\n3 marker 12 0\n");
}

static void statics_alone_write_no_row(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "INSERT INTO t (p, s) VALUES (1, 7) USING TIMESTAMP 10");
    CELLS(f, "t", "static s cell 10 0 = 00000007\n");
}

static void timestamps_are_the_clocks_and_grow(void **state)
{
    struct fixture *f = *state;
    wr_clock_set(f->db, START_US + 60000000);
    EXEC(f, "UPDATE t SET v = 1 WHERE p = 1 AND c = 1");
    EXEC(f, "UPDATE t SET v = 1 WHERE p = 1 AND c = 2");
    CELLS(f, "t", "1 v cell 1900000060000000 0 = 00000001\n2 v cell 1900000060000001 0 = 00000001\n");
}

static void the_statement_s_timestamp_is_the_default(void **state)
{
    struct fixture *f = *state;
    wr_stmt *stmt;
    assert_int_equal(wr_prepare(f->db, "UPDATE t SET v = 1 WHERE p = 1 AND c = ?", -1, &stmt), WR_OK);
    assert_int_equal(wr_set_timestamp(stmt, 77), WR_OK);
    assert_int_equal(wr_bind_int(stmt, 0, 1), WR_OK);
    assert_int_equal(wr_step(stmt), WR_DONE);
    CELLS(f, "t", "1 v cell 77 0 = 00000001\n");
    wr_finalize(stmt);
}

static void insert_at(wr_stmt *stmt, int64_t timestamp_us)
{
    assert_int_equal(wr_set_timestamp(stmt, timestamp_us), WR_OK);
    assert_int_equal(wr_bind_int(stmt, 0, 1), WR_OK);
    assert_int_equal(wr_step(stmt), WR_DONE);
}

/* A driver counts in microseconds, the clock in milliseconds. */
static void a_condition_behind_a_client_s_write_is_the_later_of_the_two(void **state)
{
    struct fixture *f = *state;
    wr_stmt *stmt;
    wr_clock_set(f->db, START_US + 60000789);
    assert_int_equal(wr_prepare(f->db, "INSERT INTO t (p, c, v) VALUES (1, ?, 1)", -1, &stmt), WR_OK);
    insert_at(stmt, START_US + 60000456);
    wr_reset(stmt);
    EXEC(f, "UPDATE t SET v = 2 WHERE p = 1 AND c = 1 IF EXISTS");
    CELLS(f, "t", "1 marker 1900000060000456 0\n1 v cell 1900000060000457 0 = 00000002\n");
    /* one of a time that has not come yet is nobody's measure */
    insert_at(stmt, START_US + 60000790);
    wr_finalize(stmt);
    EXEC(f, "UPDATE t SET v = 2 WHERE p = 1 AND c = 1 IF EXISTS");
    CELLS(f, "t", "1 marker 1900000060000790 0\n1 v cell 1900000060000790 0 = 00000001\n");
}

static void an_expiry_behind_2038_is_refused_at_the_second(void **state)
{
    struct fixture *f = *state;
    wr_clock_set(f->db, (2147483646LL - 1000) * 1000000);
    EXEC(f, "UPDATE t USING TTL 1000 SET v = 1 WHERE p = 1 AND c = 1");
    exec_status(f->db, "UPDATE t USING TTL 1001 SET v = 1 WHERE p = 1 AND c = 2", WR_INVALID, __FILE__, __LINE__);
    assert_non_null(strstr(wr_error(f->db), "exceeds maximum supported expiration date of 2038-01-19T03:14:06+00:00"));
}

static void unset_values_write_nothing_at_all(void **state)
{
    struct fixture *f = *state;
    wr_stmt *stmt;
    assert_int_equal(
        wr_prepare(f->db, "UPDATE t SET v = ?, l = ?, m = m + ?, st = st - ?, s = ? WHERE p = 1 AND c = 1", -1, &stmt),
        WR_OK);
    for (int i = 0; i < wr_marker_count(stmt); i++)
        assert_int_equal(wr_bind_unset(stmt, i), WR_OK);
    assert_int_equal(wr_step(stmt), WR_DONE);
    wr_finalize(stmt);
    CELLS(f, "t", "");
    assert_int_equal(wr_prepare(f->db, "INSERT INTO t (p, c, v, w) VALUES (1, 1, ?, ?) USING TIMESTAMP 5", -1, &stmt),
                     WR_OK);
    assert_int_equal(wr_bind_unset(stmt, 0), WR_OK);
    assert_int_equal(wr_bind_text(stmt, 1, "x", -1), WR_OK);
    assert_int_equal(wr_step(stmt), WR_DONE);
    wr_finalize(stmt);
    CELLS(f, "t", "1 marker 5 0\n1 w cell 5 0 = 78\n");
}

/* ---- promise 1 of operation.h ---- */

static void overwriting_deletes_one_microsecond_before(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "UPDATE t USING TIMESTAMP 10 SET m = {'b': 2, 'a': 1}, st = {3, 1} WHERE p = 1 AND c = 1");
    CELLS(f, "t",
          "1 m deletion 9\n1 st deletion 9\n1 m[610000] cell 10 0 = 00000001\n1 m[620000] cell 10 0 = 00000002\n"
          "1 st[80000001] cell 10 0 = \n1 st[80000003] cell 10 0 = \n");
    EXEC(f, "DELETE m FROM t USING TIMESTAMP 12 WHERE p = 1 AND c = 1");
    EXEC(f, "UPDATE t USING TIMESTAMP 12 SET st = null WHERE p = 1 AND c = 1");
    CELLS(f, "t", "1 m deletion 12\n1 st deletion 11\n");
}

static void elements_and_fields_are_cells_of_their_own(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "UPDATE t USING TIMESTAMP 10 SET m['b'] = 2, m['a'] = null, st = st + {5}, st = st - {4}, u.b = 'x', u.a = "
            "null "
            "WHERE p = 1 AND c = 1");
    CELLS(f, "t",
          "1 m[610000] dead 10 0\n1 m[620000] cell 10 0 = 00000002\n1 st[80000004] dead 10 0\n1 st[80000005] cell 10 0 "
          "= \n"
          "1 u[0000] dead 10 0\n1 u[0001] cell 10 0 = 78\n");
}

static void keys_keep_the_form_they_were_written_in(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "UPDATE t USING TIMESTAMP 10 SET md = md + {1.50: 1}, sd = sd + {2.500} WHERE p = 1 AND c = 1");
    EXEC(f, "UPDATE t USING TIMESTAMP 11 SET md[1.5] = 2 WHERE p = 1 AND c = 1"); /* one place: 1.5 is 1.50 */
    CELLS(f, "t", "1 md[key] cell 11 0 = 00000005" "000000010f" "00000002\n1 sd[key] cell 10 0 = 0000000309c4\n");
}

static void counters_hold_totals(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "UPDATE n SET n = n + 5, n = n - 7 WHERE p = 1");
    EXEC(f, "UPDATE n SET n += 10 WHERE p = 1");
    wr_clock_set(f->db, START_US + 60000000);
    EXEC(f, "UPDATE n SET n = n + 0 WHERE p = 1");
    CELLS(f, "n", "row n counter cell 1900000060000000 0 = 0000000000000008\n");
}

/* ---- lists ---- */

static bool put_value(void *arg, wr_stmt *row)
{
    struct fixture *f = arg;
    f->len += (size_t)snprintf(f->dump + f->len, sizeof f->dump - f->len, "%s;", wr_column_text(row, 0));
    return true;
}

static void lists_keep_their_order_though_the_clock_stands_or_goes_back(void **state)
{
    struct fixture *f = *state;
    EXEC(f, "UPDATE t SET l = [3, 4] WHERE p = 1 AND c = 1");
    EXEC(f, "UPDATE t SET l = l + [5, 6] WHERE p = 1 AND c = 1");
    wr_clock_set(f->db, START_US - 1000000000);
    EXEC(f, "UPDATE t SET l = l + [7] WHERE p = 1 AND c = 1");
    EXEC(f, "UPDATE t SET l = [1, 2] + l WHERE p = 1 AND c = 1");
    EXEC(f, "UPDATE t SET l = [-1, 0] + l WHERE p = 1 AND c = 1");
    f->len = 0;
    assert_int_equal(wr_exec(f->db, "SELECT l FROM t", put_value, f), WR_OK);
    assert_string_equal(f->dump, "[-1, 0, 1, 2, 3, 4, 5, 6, 7];");
}

static void list_ids_ascend_and_prepended_ones_stand_before_all(void **state)
{
    enum { ROUNDS = 50, EACH = 3 };
    uint8_t low[LISTID_BYTES], high[LISTID_BYTES], id[LISTID_BYTES], previous[LISTID_BYTES];
    struct clock clock;
    (void)state;

    clock_init(&clock);
    clock_set(&clock, START_US);
    struct listid first = { 0 };
    listid_append(&first, &clock, low);
    memcpy(high, low, sizeof low);
    for (int round = 0; round < ROUNDS; round++) {
        struct listid ids = { 0 };
        for (int batch = 0; batch < 2; batch++) { /* two prepends of one write: the later stands before the earlier */
            listid_prepend(&ids, &clock, EACH);
            for (uint64_t i = 0; i < EACH; i++) {
                listid_prepended(&ids, i, id);
                assert_true(memcmp(id, low, sizeof id) < 0);
                if (i)
                    assert_true(memcmp(previous, id, sizeof id) < 0);
                memcpy(previous, id, sizeof id);
            }
            listid_prepended(&ids, 0, low);
        }
        for (int i = 0; i < EACH; i++) {
            listid_append(&ids, &clock, id);
            assert_true(memcmp(high, id, sizeof id) < 0);
            memcpy(high, id, sizeof id);
        }
    }
}

/* ---- promise 2 of operation.h, under a limit and memory that fails ---- */

static void a_clustering_of_65535_bytes_fits_and_one_more_does_not(void **state)
{
    struct fixture *f = *state;
    static char text[65537];
    wr_stmt *stmt;
    memset(text, 'x', 65536);
    EXEC(f, "CREATE TABLE long (p int, a text, b int, PRIMARY KEY (p, a, b))");
    assert_int_equal(wr_prepare(f->db, "INSERT INTO long (p, a, b) VALUES (1, ?, 1)", -1, &stmt), WR_OK);
    assert_int_equal(wr_bind_text(stmt, 0, text, 65531), WR_OK);
    assert_int_equal(wr_step(stmt), WR_DONE);
    assert_int_equal(wr_bind_text(stmt, 0, text, 65532), WR_OK);
    assert_int_equal(wr_step(stmt), WR_INVALID);
    assert_string_equal(wr_stmt_error(stmt), "Key length of 65536 is longer than maximum of 65535");
    wr_finalize(stmt);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const statements[] = {
        "INSERT INTO t (p, c, v, l, m, u) VALUES (1, 1, 1, [1, 2], {'a': 1}, {a: 1}) USING TTL 100",
        "UPDATE t SET l[0] = 3, l = l - [2], st = st + {1}, u.b = 'x' WHERE p = 1 AND c IN (1)",
        "DELETE m['a'], v FROM t WHERE p = 1 AND c = 1",
        "DELETE FROM t WHERE p = 1 AND c > 5 AND c < 9",
        "INSERT INTO t JSON '{\"p\": 1, \"c\": 2, \"l\": [1]}'",
        "UPDATE t SET v = 2 WHERE p = 1 AND c = 1 IF v = 9 AND m['a'] = 1 AND l IN ([1])",
        "INSERT INTO t (p, s) VALUES (1, 1) IF NOT EXISTS",
        "BEGIN BATCH INSERT INTO t (p, c, v) VALUES (1, 1, 1); UPDATE t SET l = [7] + l WHERE p = 1 AND c = 1; APPLY BATCH",
    };
    struct fixture *f = *state;
    EXEC(f, "INSERT INTO t (p, c, v, l) VALUES (1, 1, 1, [1, 2])");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        for (long n = 0;; n++) {
            rig.mem_fail_after = n;
            enum wr_status st = wr_exec(f->db, statements[i], NULL, NULL);
            bool all = rig.mem_fail_after >= 0; /* not all of them were used up */
            rig.mem_fail_after = -1;
            if (st != WR_NOMEM && st != WR_OK)
                print_message("%s\n  allocation %ld: %s\n", statements[i], n, wr_error(f->db));
            assert_true(st == WR_NOMEM || st == WR_OK);
            if (st == WR_OK && all)
                break;
        }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(insert_marks_its_row_and_update_does_not),
        TEST(statics_alone_write_no_row),
        TEST(timestamps_are_the_clocks_and_grow),
        TEST(the_statement_s_timestamp_is_the_default),
        TEST(a_condition_behind_a_client_s_write_is_the_later_of_the_two),
        TEST(an_expiry_behind_2038_is_refused_at_the_second),
        TEST(unset_values_write_nothing_at_all),
        TEST(overwriting_deletes_one_microsecond_before),
        TEST(elements_and_fields_are_cells_of_their_own),
        TEST(keys_keep_the_form_they_were_written_in),
        TEST(counters_hold_totals),
        TEST(lists_keep_their_order_though_the_clock_stands_or_goes_back),
        cmocka_unit_test(list_ids_ascend_and_prepended_ones_stand_before_all),
        TEST(a_clustering_of_65535_bytes_fits_and_one_more_does_not),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
