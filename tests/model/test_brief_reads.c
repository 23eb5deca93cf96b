/* Answers api_brief.c: a read between two writes that are gathered gives what any other read gives, and keeps it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail

#include "engine/rig.h"
#include "engine/state.h"
#include "model/api.h"

enum { ROWS = 40, LONG = 1000 };

static wr_db *db;

static void must(const char *cql)
{
    enum wr_status st = wr_exec(db, cql, NULL, NULL);
    if (st != WR_OK)
        print_message("%s: %s\n", cql, wr_error(db));
    assert_int_equal(st, WR_OK);
}

static void mustf(const char *format, ...)
{
    char cql[400];
    va_list args;
    va_start(args, format);
    vsnprintf(cql, sizeof cql, format, args);
    va_end(args);
    must(cql);
}

static uint64_t commits(void)
{
    return store_last_commit(db->database->engine->store);
}

static int set_up(void **state)
{
    (void)state;
    rig.gather_after = 0;
    rig.gather_session_ms = 3600000;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    must("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
         "CREATE TABLE k.kv (k int PRIMARY KEY, v text, n int, s set<int>);"
         "CREATE TABLE k.t (p int, c int, v text, n int, st text static, m map<text, int>, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC);"
         "CREATE INDEX kv_n ON k.kv (n); CREATE INDEX t_v ON k.t (v); CREATE CUSTOM INDEX t_n ON k.t (n) USING 'StorageAttachedIndex';"
         "CREATE TABLE k.long (p int, c int, v text, PRIMARY KEY (p, c))");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(wr_close(db), WR_OK);
    return 0;
}

static wr_stmt *prepared(const char *cql)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, cql, -1, &stmt);
    if (st != WR_OK)
        print_message("%s: %s\n", cql, wr_error(db));
    assert_int_equal(st, WR_OK);
    return stmt;
}

/* What a run gives, as text: each value's bytes, the state of the next page, and how it ended. */
struct answer {
    char text[200000];
    size_t len;
    int rows;
};

static void add(struct answer *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    a->len += (size_t)vsnprintf(a->text + a->len, sizeof a->text - a->len, format, args);
    va_end(args);
    assert_true(a->len < sizeof a->text);
}

static void add_row(struct answer *a, wr_stmt *stmt)
{
    for (int i = 0; i < wr_column_count(stmt); i++) {
        size_t len;
        const uint8_t *bytes = wr_column_bytes(stmt, i, &len);
        add(a, bytes ? " [" : " null");
        for (size_t b = 0; bytes && b < len; b++)
            add(a, "%02x", bytes[b]);
        add(a, bytes ? "]" : "");
    }
    add(a, "\n");
    a->rows++;
}

static void add_end(struct answer *a, wr_stmt *stmt)
{
    size_t len;
    const uint8_t *page = wr_page_state(stmt, &len);
    if (wr_stmt_status(stmt) == WR_DONE) /* also where it was begun twice */
        assert_string_equal(wr_stmt_error(stmt), "");
    add(a, "%d %s", (int)wr_stmt_status(stmt), wr_stmt_error(stmt));
    for (size_t b = 0; page && b < len; b++)
        add(a, "%02x", page[b]);
}

static void read_all(wr_stmt *stmt, struct answer *a)
{
    a->len = 0;
    a->rows = 0;
    while (wr_step(stmt) == WR_ROW)
        add_row(a, stmt);
    add_end(a, stmt);
}

static void fill(void)
{
    for (int i = 0; i < ROWS; i++) {
        mustf("INSERT INTO k.kv (k, v, n, s) VALUES (%d, '%s', %d, {%d, %d})", i, i % 5 ? "text" : "", i, i, i + 1);
        if (i % 3 == 0)
            mustf("DELETE n FROM k.kv WHERE k = %d", i);
        mustf("INSERT INTO k.t (p, c, v, n) VALUES (%d, %d, 'row %d', %d)", i % 3, i, i, i * 7);
        if (i % 4 == 0)
            mustf("UPDATE k.t USING TTL 1000 SET v = null, m['a'] = %d, m['%d'] = 1 WHERE p = %d AND c = %d", i, i, i % 3, i);
        if (i % 7 == 0)
            mustf("DELETE FROM k.t WHERE p = %d AND c = %d", i % 3, i);
    }
    must("UPDATE k.t SET st = 'of all' WHERE p = 1");
    must("INSERT INTO k.t (p, st) VALUES (9, 'alone')");
}

static const struct {
    const char *cql;
    int page_size;
} reads[] = {
    { "SELECT * FROM k.kv WHERE k = 3", 0 },
    { "SELECT v, k, v FROM k.kv WHERE k = 5", 0 },
    { "SELECT v FROM k.kv WHERE k = 500", 0 },
    { "SELECT * FROM k.kv WHERE k IN (1, 3, 7, 900, 12)", 0 },
    { "SELECT k, n, writetime(v) FROM k.kv WHERE k IN (1, 3, 7, 900, 12)", 2 },
    { "SELECT s, cast(n as text) FROM k.kv WHERE k = 4", 0 },
    { "SELECT * FROM k.t WHERE p = 1", 0 },
    { "SELECT * FROM k.t WHERE p = 1 LIMIT 5", 0 },
    { "SELECT * FROM k.t WHERE p = 1 ORDER BY c ASC LIMIT 5", 0 },
    { "SELECT c, v FROM k.t WHERE p = 2 AND c > 5 AND c <= 30", 0 },
    { "SELECT c, v FROM k.t WHERE p = 2 AND c > 5 AND c <= 30", 3 },
    { "SELECT st, c FROM k.t WHERE p IN (1, 2, 9)", 0 },
    { "SELECT st, m, m['a'], writetime(n) FROM k.t WHERE p = 1", 0 },
    { "SELECT p, c FROM k.t WHERE p IN (0, 1, 2) PER PARTITION LIMIT 2", 0 },
    { "SELECT DISTINCT p, st FROM k.t WHERE p = 9", 0 },
    { "SELECT v FROM k.t WHERE p = 1 AND c = 1", 0 },
    { "SELECT count(*) FROM k.t WHERE p = 1", 0 },
    { "SELECT count(v), sum(n), min(c), max(n) FROM k.t WHERE p IN (0, 2, 9)", 0 },
    { "SELECT max(c) FROM k.t WHERE p = 2", 0 },
    { "SELECT p, c, count(m) FROM k.t WHERE p IN (0, 1) GROUP BY p, c", 4 },
    { "SELECT c, v FROM k.t WHERE p = 2 AND n > 50 ALLOW FILTERING", 0 },
    { "SELECT JSON * FROM k.t WHERE p = 1 AND c IN (1, 4)", 0 },
    { "SELECT * FROM k.kv WHERE n = 7", 0 },
    { "SELECT p, c, v FROM k.t WHERE n = 70", 0 },
    { "SELECT p, c, v, st FROM k.t WHERE v = 'row 10'", 0 },
    { "SELECT count(*) FROM k.t WHERE v = 'row 10'", 0 },
    { "SELECT c, writetime(n) FROM k.t WHERE p = 1 AND n = 70", 0 },
    { "SELECT v FROM k.t WHERE p = 1 LIMIT ?", 0 }, /* fails when it is run */
};

enum { ATTEMPTS = 50 }; /* a read whose processor was taken away for a millisecond is none that is brief */

/* The read finds the last write pending and leaves it so; committed, the same read gives the same. false: it took too long for that. */
static bool gives_the_same(const char *cql, int page_size)
{
    static struct answer brief, other;
    wr_stmt *stmt = prepared(cql);

    wr_set_page_size(stmt, page_size);
    bool fails = wr_marker_count(stmt) > 0;
    if (fails)
        assert_int_equal(wr_bind_int(stmt, 0, 0), WR_OK);
    must("INSERT INTO k.kv (k) VALUES (1000)");
    uint64_t before = commits();
    read_all(stmt, &brief);
    bool was_brief = commits() == before;
    if (was_brief) {
        must("SELECT * FROM k.kv"); /* all of what is pending is committed for it */
        assert_int_equal(commits(), before + 1);
    }
    read_all(stmt, &other);
    assert_string_equal(brief.text, other.text);
    assert_true(fails || brief.rows || strstr(cql, "500"));
    wr_finalize(stmt);
    return was_brief || fails;
}

static void it_gives_what_any_other_read_gives(void **state)
{
    (void)state;
    fill();
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        int attempt = 0;
        while (!gives_the_same(reads[i].cql, reads[i].page_size))
            assert_true(++attempt < ATTEMPTS);
    }
}

static const char *const writes[] = {
    "DELETE FROM k.t WHERE p = 1", "INSERT INTO k.t (p, c, v) VALUES (1, 100, 'new')", "UPDATE k.t SET st = 'other' WHERE p = 1",
    "ALTER TABLE k.t ADD later int", "SELECT * FROM k.kv",
};

/* false: it took too long to be brief. */
static bool stays_as_it_was(size_t which)
{
    static struct answer whole, taken;
    bool was_brief = true;

    fill();
    wr_stmt *stmt = prepared("SELECT c, v, n, st FROM k.t WHERE p = 1");
    read_all(stmt, &whole);
    must("INSERT INTO k.kv (k) VALUES (1000)");
    uint64_t before = commits();
    taken.len = 0;
    for (int row = 0; wr_step(stmt) == WR_ROW; row++) {
        if (row == 2) {
            was_brief = commits() == before;
            if (was_brief)
                must(writes[which]);
        }
        add_row(&taken, stmt); /* of row 2 what was given before the write */
    }
    add_end(&taken, stmt);
    assert_string_equal(taken.text, whole.text);
    must("INSERT INTO k.kv (k) VALUES (1000)");
    assert_int_equal(wr_step(stmt), which == 0 && was_brief ? WR_DONE : WR_ROW);
    wr_reset(stmt); /* in the midst of it */
    wr_finalize(stmt);
    must("TRUNCATE k.t");
    return was_brief;
}

/* Whatever is written while its rows are taken: also by the same statements, deleting them, or in another schema. */
static void its_rows_are_of_one_moment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        int attempt = 0;
        while (!stays_as_it_was(i))
            assert_true(++attempt < ATTEMPTS);
    }
}

static void pages_go_on_where_the_one_before_ended(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        mustf("INSERT INTO k.t (p, c, v) VALUES (1, %d, 'x')", i);
    wr_stmt *stmt = prepared("SELECT c FROM k.t WHERE p = 1");
    wr_set_page_size(stmt, 7);
    for (int next = ROWS - 1, more = 1; more;) {
        size_t len;
        while (wr_step(stmt) == WR_ROW)
            assert_int_equal(wr_column_int(stmt, 0), next--);
        assert_int_equal(wr_stmt_status(stmt), WR_DONE);
        const void *page = wr_page_state(stmt, &len);
        more = page != NULL;
        if (more)
            assert_int_equal(wr_set_page_state(stmt, page, len), WR_OK);
        else
            assert_int_equal(next, -1);
        must("INSERT INTO k.kv (k) VALUES (1000)"); /* so that the next one, too, finds something pending */
    }
    wr_finalize(stmt);
}

/* By rows, by bytes: it is read as any other, whole. */
static void what_is_longer_is_read_whole(void **state)
{
    char text[2000];
    (void)state;

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    wr_stmt *insert = prepared("INSERT INTO k.long (p, c, v) VALUES (?, ?, ?)"), *select = prepared("SELECT c, v FROM k.long WHERE p = ?");
    for (int p = 1; p <= 2; p++)
        for (int c = 0; c < (p == 1 ? LONG : LONG / 10); c++) {
            wr_bind_int(insert, 0, p);
            wr_bind_int(insert, 1, c);
            wr_bind_text(insert, 2, p == 1 ? "short" : text, -1);
            assert_int_equal(wr_step(insert), WR_DONE);
        }
    for (int p = 1; p <= 2; p++)
        for (int again = 0; again < 3; again++) {
            int c = 0;
            must("INSERT INTO k.kv (k) VALUES (1000)");
            wr_bind_int(select, 0, p);
            for (; wr_step(select) == WR_ROW; c++) {
                assert_int_equal(wr_column_int(select, 0), c);
                assert_string_equal(wr_column_text(select, 1), p == 1 ? "short" : text);
            }
            assert_int_equal(c, p == 1 ? LONG : LONG / 10);
        }
    wr_finalize(insert);
    wr_finalize(select);
}

/* What they give is one row, or none: it is by what they look at that they are long. */
static void what_looks_at_more_is_read_whole(void **state)
{
    static const struct {
        const char *cql, *gives;
    } longer[] = {
        { "SELECT count(*) FROM k.t WHERE p = 5", "1000" },
        { "SELECT cast(sum(n) as text) FROM k.t WHERE p = 5", "7000" },
        { "SELECT count(c) FROM k.t WHERE n = 7", "1000" },
        { "SELECT cast(c as text) FROM k.t WHERE n = 7 AND v = 'row 999' ALLOW FILTERING", "999" },
        { "SELECT cast(c as text) FROM k.t WHERE p = 5 AND m['a'] = 1 ALLOW FILTERING", "999" },
        { "SELECT count(*) FROM k.t WHERE n > 6 AND n < 8", "1000" },
    };
    (void)state;

    for (int c = 0; c < LONG; c++)
        mustf("INSERT INTO k.t (p, c, v, n) VALUES (5, %d, 'row %d', 7)", c, c);
    must("UPDATE k.t SET m = {'a': 1} WHERE p = 5 AND c = 999");
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        wr_stmt *stmt = prepared(longer[i].cql);
        for (int again = 0; again < 3; again++) {
            must("INSERT INTO k.kv (k) VALUES (1000)");
            assert_int_equal(wr_step(stmt), WR_ROW);
            assert_string_equal(wr_column_text(stmt, 0), longer[i].gives);
            assert_int_equal(wr_step(stmt), WR_DONE);
        }
        wr_finalize(stmt);
    }
}

/* So many keys take long, whatever they have. */
static void many_keys_are_read_whole(void **state)
{
    static char cql[8000];
    static struct answer a;
    size_t len = (size_t)snprintf(cql, sizeof cql, "SELECT k FROM k.kv WHERE k IN (0");
    (void)state;

    fill();
    for (int k = 1; k < 1000; k++)
        len += (size_t)snprintf(cql + len, sizeof cql - len, ", %d", k);
    snprintf(cql + len, sizeof cql - len, ")");
    wr_stmt *stmt = prepared(cql);
    for (int again = 0; again < 2; again++) {
        must("INSERT INTO k.kv (k) VALUES (1000)");
        read_all(stmt, &a);
        assert_int_equal(a.rows, ROWS);
    }
    wr_finalize(stmt);
}

/* What a page ends with is told at its end. */
static void the_next_page_is_told_when_this_one_has_been_taken(void **state)
{
    size_t len;
    (void)state;

    fill();
    wr_stmt *stmt = prepared("SELECT c FROM k.t WHERE p = 1");
    wr_set_page_size(stmt, 3);
    for (int taken = 1; taken <= 3; taken++) {
        must("INSERT INTO k.kv (k) VALUES (1000)");
        for (int i = 0; i < taken; i++) {
            assert_int_equal(wr_step(stmt), WR_ROW);
            assert_null(wr_page_state(stmt, &len));
        }
        wr_reset(stmt);
        assert_null(wr_page_state(stmt, &len));
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(wr_step(stmt), WR_ROW);
    assert_int_equal(wr_step(stmt), WR_DONE);
    assert_non_null(wr_page_state(stmt, &len));
    wr_finalize(stmt);
}

/* ---- column families ---- */

static struct wr_bytes bytes_of_text(const char *text)
{
    return (struct wr_bytes){ (const uint8_t *)text, strlen(text) };
}

static void slices_of_families(void **state)
{
    static char large[50000];
    const struct wr_cf_def def = { .keyspace = "k", .name = "family", .comparator = "UTF8Type" };
    struct wr_cf_column column;
    char name[20];
    wr_cf *cf;
    int were_brief = 0; /* not one whose processor was taken away, nor some behind it */
    (void)state;

    memset(large, 'x', sizeof large - 1);
    assert_int_equal(wr_cf_create(db, &def), WR_OK);
    assert_int_equal(wr_cf_open(db, "k", "family", &cf), WR_OK);
    for (int i = 0; i < ROWS; i++) {
        wr_cf_result *result;
        uint64_t before, count;
        snprintf(name, sizeof name, "name %02d", i);
        column = (struct wr_cf_column){ .name = bytes_of_text(name), .value = bytes_of_text(i % 8 == 7 ? large : "small") };
        assert_int_equal(wr_cf_insert(cf, bytes_of_text("key"), &column), WR_OK);
        before = commits();
        assert_int_equal(wr_cf_get(cf, bytes_of_text("key"), bytes_of_text(name), &column), WR_OK);
        assert_int_equal(column.value.len, strlen(i % 8 == 7 ? large : "small"));
        assert_int_equal(wr_cf_get(cf, bytes_of_text("key"), bytes_of_text("none"), &column), WR_NOT_FOUND);
        were_brief += i < 15 && commits() == before; /* until two large ones are read, which is too much: then there are none for a time */
        assert_int_equal(wr_cf_get_slice(cf, bytes_of_text("key"), NULL, &result), WR_OK);
        assert_string_equal(wr_cf_error(cf), "");
        assert_int_equal(wr_cf_result_rows(result), 1);
        assert_int_equal(wr_cf_result_columns(result, 0), i + 1);
        for (int c = 0; c <= i; c++) {
            const struct wr_cf_column *read = wr_cf_result_column(result, 0, (size_t)c);
            snprintf(name, sizeof name, "name %02d", c);
            assert_memory_equal(read->name.data, name, 7);
            assert_int_equal(read->value.len, strlen(c % 8 == 7 ? large : "small"));
            assert_memory_equal(read->value.data, c % 8 == 7 ? large : "small", read->value.len);
        }
        wr_cf_result_free(result);
        assert_int_equal(wr_cf_get_count(cf, bytes_of_text("key"), NULL, &count), WR_OK);
        assert_int_equal(count, i + 1);
    }
    assert_true(were_brief > 0);
    wr_cf_close(cf);
}

static void warm_it_asks_for_no_memory(void **state)
{
    long before = 0;
    (void)state;

    fill();
    wr_stmt *insert = prepared("INSERT INTO k.t (p, c, v) VALUES (1, ?, 'again')"), *select = prepared("SELECT c, v, n, st FROM k.t WHERE p = 1");
    for (int turn = 0; turn < 20; turn++) {
        if (turn == 10)
            before = mem_calls();
        wr_bind_int(insert, 0, 3);
        assert_int_equal(wr_step(insert), WR_DONE);
        while (wr_step(select) == WR_ROW)
            ;
        assert_int_equal(wr_stmt_status(select), WR_DONE);
    }
    assert_int_equal(mem_calls(), before);
    wr_finalize(insert);
    wr_finalize(select);
}

/* Beside one that may take long, as one that calls the application's function, nobody who reads waits: it shares its transaction with none. */
static uint64_t commits_within;

static void look(wr_call *call, void *arg)
{
    (void)arg;
    commits_within = commits();
    wr_return_value(call, wr_call_arg(call, 0));
}

static enum wr_status count_within(void *arg)
{
    struct answer *a = arg;
    wr_stmt *stmt = prepared("SELECT v FROM k.t WHERE p = 5");
    must("INSERT INTO k.t (p, c, v) VALUES (5, 2, 'within')");
    read_all(stmt, a);
    wr_finalize(stmt);
    return WR_OK;
}

static void functions_of_others_and_wr_atomically(void **state)
{
    static struct answer a;
    const struct wr_function f = { "k", "look", "int", "int", 0, look, NULL, NULL };
    (void)state;

    assert_int_equal(wr_function_register(db, &f), WR_OK);
    must("INSERT INTO k.t (p, c, v) VALUES (5, 1, 'before')");
    uint64_t before = commits();
    must("UPDATE k.t SET n = k.look(4) WHERE p = 5 AND c = 1");
    assert_int_equal(commits_within, before + 1); /* what was pending is committed, and this one follows */
    assert_int_equal(commits(), before + 2);
    wr_set_masking(db, true);
    must("ALTER TABLE k.t ALTER n MASKED WITH k.look()");
    wr_set_unmask(db, false);
    wr_stmt *stmt = prepared("SELECT n FROM k.t WHERE p = 5");
    must("INSERT INTO k.kv (k) VALUES (1000)");
    before = commits();
    read_all(stmt, &a);
    assert_int_equal(commits_within, before + 1);
    wr_finalize(stmt);
    stmt = prepared("SELECT v, k.look(c) FROM k.t WHERE p = 5");
    must("INSERT INTO k.kv (k) VALUES (1000)");
    before = commits();
    read_all(stmt, &a);
    assert_int_equal(a.rows, 1);
    assert_int_equal(commits_within, before + 1);
    wr_finalize(stmt);
    must("INSERT INTO k.kv (k) VALUES (1000)");
    assert_int_equal(wr_atomically(db, count_within, &a), WR_OK);
    assert_int_equal(a.rows, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_gives_what_any_other_read_gives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(its_rows_are_of_one_moment, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_go_on_where_the_one_before_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_longer_is_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_looks_at_more_is_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_keys_are_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_next_page_is_told_when_this_one_has_been_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slices_of_families, set_up, tear_down),
        cmocka_unit_test_setup_teardown(warm_it_asks_for_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(functions_of_others_and_wr_atomically, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
