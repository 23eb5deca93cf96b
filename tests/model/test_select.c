/*
 * Answers model/restrict.h, select_source.h and plan_select.c where a random search finds more than examples: clustering bounds
 * against a brute-force reading of them, pages of every size against the whole, memory that fails at every call.
 * What Cassandra says to each form is in tests/conformance/select*.cql.
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

#include "engine/arena.h"
#include "engine/rig.h"
#include "widerow.h"

enum { COLUMNS = 3, VALUES = 3, ROWS = VALUES * VALUES * VALUES, ROUNDS = 400, TEXT_MAX = 1 << 16 };

static wr_db *db;
static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void run(const char *cql)
{
    if (wr_exec(db, cql, NULL, NULL) != WR_OK) {
        print_message("%s\n  %s\n", cql, wr_error(db));
        assert_true(false);
    }
}

static int setup(void **state)
{
    (void)state;
    struct wr_options options = WR_OPTIONS_INIT;
    options.durability = WR_DURABILITY_NONE;
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return wr_close(db) != WR_OK;
}

/* Every row as text, a line each; with a page size, page by page. */
static void read_all(const char *cql, int page_size, char *out)
{
    wr_stmt *stmt;
    size_t at = 0, len = 1, pages = 0;
    enum wr_status st;
    char state[1024];

    *out = 0;
    if (wr_prepare(db, cql, -1, &stmt) != WR_OK) {
        print_message("%s\n  %s\n", cql, wr_error(db));
        assert_true(false);
    }
    for (bool first = true; len; first = false) {
        int rows = 0;
        wr_set_page_size(stmt, page_size);
        if (!first)
            assert_int_equal(wr_set_page_state(stmt, state, len), WR_OK);
        while ((st = wr_step(stmt)) == WR_ROW) {
            rows++;
            for (int i = 0; i < wr_column_count(stmt); i++) {
                const char *text = wr_column_text(stmt, i);
                at += (size_t)snprintf(out + at, TEXT_MAX - at, "%s ", text ? text : "-");
            }
            at += (size_t)snprintf(out + at, TEXT_MAX - at, "\n");
            assert_true(at < TEXT_MAX);
        }
        if (st != WR_DONE)
            print_message("%s\n  %s\n", cql, wr_stmt_error(stmt));
        assert_int_equal(st, WR_DONE);
        assert_true(page_size == 0 || rows <= page_size);
        assert_true(++pages < 10000);
        const void *more = wr_page_state(stmt, &len);
        assert_true(len <= sizeof state);
        if (len)
            memcpy(state, more, len);
        assert_true(page_size != 0 || len == 0);
    }
    wr_finalize(stmt);
}

/* ---- clustering restrictions against brute force ---- */

static const char *const names[COLUMNS] = { "a", "b", "c" };

struct bound {
    int columns; /* 0: none */
    int values[COLUMNS];
    bool inclusive;
};

struct where { /* of columns [0, fixed): allowed values; from column fixed on: two bounds */
    bool allowed[COLUMNS][VALUES + 1];
    bool is_in[COLUMNS];
    int fixed;
    struct bound bounds[2]; /* greater than the first, less than the second */
};

static void make_where(struct where *w)
{
    memset(w, 0, sizeof *w);
    w->fixed = (int)below(COLUMNS + 1);
    for (int i = 0; i < w->fixed; i++) {
        w->is_in[i] = below(2);
        for (uint32_t n = w->is_in[i] ? below(4) : 1; n; n--)
            w->allowed[i][below(VALUES + 1)] = true;
    }
    for (int b = 0; b < 2 && w->fixed < COLUMNS; b++) {
        w->bounds[b].columns = (int)below((uint32_t)(COLUMNS - w->fixed) + 1);
        w->bounds[b].inclusive = below(2);
        for (int i = 0; i < w->bounds[b].columns; i++)
            w->bounds[b].values[i] = (int)below(VALUES + 1);
    }
}

static void print_where(const struct where *w, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "p = 0");
    for (int i = 0; i < w->fixed; i++) {
        bool first = true;
        at += (size_t)snprintf(out + at, size - at, w->is_in[i] ? " AND %s IN (" : " AND %s = ", names[i]);
        for (int v = 0; v <= VALUES; v++)
            if (w->allowed[i][v]) {
                at += (size_t)snprintf(out + at, size - at, "%s%d", first ? "" : ", ", v);
                first = false;
            }
        at += (size_t)snprintf(out + at, size - at, w->is_in[i] ? ")" : "");
    }
    for (int b = 0; b < 2; b++) {
        const struct bound *bound = &w->bounds[b];
        if (!bound->columns)
            continue;
        at += (size_t)snprintf(out + at, size - at, " AND (");
        for (int i = 0; i < bound->columns; i++)
            at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", names[w->fixed + i]);
        at += (size_t)snprintf(out + at, size - at, ") %s%s (", b ? "<" : ">", bound->inclusive ? "=" : "");
        for (int i = 0; i < bound->columns; i++)
            at += (size_t)snprintf(out + at, size - at, "%s%d", i ? ", " : "", bound->values[i]);
        at += (size_t)snprintf(out + at, size - at, ")");
    }
}

static bool is_within(const struct where *w, const int *row)
{
    for (int i = 0; i < w->fixed; i++)
        if (!w->allowed[i][row[i]])
            return false;
    for (int b = 0; b < 2; b++) {
        int c = 0;
        for (int i = 0; i < w->bounds[b].columns && !c; i++)
            c = row[w->fixed + i] - w->bounds[b].values[i];
        if (w->bounds[b].columns && (b ? -c : c) < !w->bounds[b].inclusive)
            return false;
    }
    return true;
}

/* The rows that pass, in the order of the directions. */
static void expect(const struct where *w, const bool *descending, bool reversed, char *out)
{
    size_t at = 0;
    *out = 0;
    for (int n = 0; n < ROWS; n++) {
        int digits[COLUMNS] = { n / (VALUES * VALUES), n / VALUES % VALUES, n % VALUES }, row[COLUMNS];
        for (int i = 0; i < COLUMNS; i++)
            row[i] = descending[i] != reversed ? VALUES - 1 - digits[i] : digits[i];
        if (is_within(w, row))
            at += (size_t)sprintf(out + at, "%d %d %d \n", row[0], row[1], row[2]);
    }
}

static void bounds_mean_what_they_say_in_every_mix_of_directions(void **state)
{
    static char got[TEXT_MAX], wanted[TEXT_MAX];
    (void)state;
    for (unsigned mix = 0; mix < 1u << COLUMNS; mix++) {
        bool descending[COLUMNS];
        char cql[1024], where[512];
        for (int i = 0; i < COLUMNS; i++)
            descending[i] = mix >> i & 1;
        snprintf(cql, sizeof cql,
                 "CREATE TABLE m%u (p int, a int, b int, c int, PRIMARY KEY (p, a, b, c)) WITH CLUSTERING ORDER BY (a %s, b %s, c %s)",
                 mix, descending[0] ? "DESC" : "ASC", descending[1] ? "DESC" : "ASC", descending[2] ? "DESC" : "ASC");
        run(cql);
        for (int n = 0; n < ROWS; n++) {
            snprintf(cql, sizeof cql, "INSERT INTO m%u (p, a, b, c) VALUES (0, %d, %d, %d)", mix, n / 9, n / 3 % 3, n % 3);
            run(cql);
        }
        for (int round = 0; round < ROUNDS; round++) {
            struct where w;
            bool reversed = below(2);
            make_where(&w);
            print_where(&w, where, sizeof where);
            snprintf(cql, sizeof cql, "SELECT a, b, c FROM m%u WHERE %s%s%s", mix, where, reversed ? " ORDER BY a " : "",
                     reversed ? descending[0] ? "ASC" : "DESC" : "");
            expect(&w, descending, reversed, wanted);
            int page = (int)below(6);
            read_all(cql, page, got);
            if (strcmp(got, wanted) != 0)
                print_message("%s, pages of %d\n", cql, page);
            assert_string_equal(got, wanted);
        }
    }
}

/* ---- the product of IN lists ---- */

static enum wr_status read_product(uint32_t values_of_a, uint32_t values_of_b, char *cql, size_t size)
{
    const uint32_t counts[] = { values_of_a, values_of_b };
    size_t at = (size_t)snprintf(cql, size, "SELECT a FROM m0 WHERE p = 0");
    enum wr_status st;
    wr_stmt *stmt;

    for (int i = 0; i < 2; i++) {
        at += (size_t)snprintf(cql + at, size - at, " AND %s IN (1", names[i]);
        for (uint32_t v = 1; v < counts[i]; v++)
            at += (size_t)snprintf(cql + at, size - at, ", %u", v + 1000);
        at += (size_t)snprintf(cql + at, size - at, ")");
    }
    assert_int_equal(wr_prepare(db, cql, -1, &stmt), WR_OK);
    while ((st = wr_step(stmt)) == WR_ROW)
        ;
    wr_finalize(stmt);
    return st;
}

static void a_product_of_lists_has_its_limit(void **state)
{
    static char cql[TEXT_MAX];
    (void)state;
    assert_int_equal(read_product(1024, 1024, cql, sizeof cql), WR_DONE);
    assert_int_equal(read_product(1025, 1024, cql, sizeof cql), WR_INVALID);
}

/* ---- pages ---- */

static void make_tables(void)
{
    char cql[256];
    run("CREATE TABLE t (p int, c int, v int, s int STATIC, m map<int, int>, PRIMARY KEY (p, c)); CREATE INDEX ON t (v);"
        "CREATE TABLE d (p int, c int, v int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC); CREATE INDEX ON d (v);"
        "CREATE TABLE x (p int PRIMARY KEY, v int); CREATE INDEX ON x (v)");
    for (int p = 0; p < 12; p++) {
        snprintf(cql, sizeof cql, "INSERT INTO x (p, v) VALUES (%d, %d)", p, p % 3);
        run(cql);
        if (p % 4 != 1) {
            snprintf(cql, sizeof cql, "INSERT INTO t (p, s) VALUES (%d, %d)", p, p % 2);
            run(cql);
        }
        for (int c = 0; c < p % 5; c++) {
            snprintf(cql, sizeof cql, "INSERT INTO t (p, c, v, m) VALUES (%d, %d, %d, {%d: %d, 7: 8})", p, c, c % 2, p, c);
            run(cql);
            snprintf(cql, sizeof cql, "INSERT INTO d (p, c, v) VALUES (%d, %d, %d)", p, c, c % 2);
            run(cql);
        }
    }
}

static const char *const paged[] = {
    "SELECT * FROM t", "SELECT s FROM t", "SELECT DISTINCT p, s FROM t", "SELECT * FROM t LIMIT 7", "SELECT * FROM d",
    "SELECT * FROM t PER PARTITION LIMIT 2", "SELECT * FROM t PER PARTITION LIMIT 2 LIMIT 9", "SELECT * FROM x",
    "SELECT * FROM t WHERE p IN (9, 4, 3, 2, 77, 5)", "SELECT * FROM d WHERE p IN (9, 4, 3) AND c > 0",
    "SELECT * FROM t WHERE p IN (9, 4, 3) AND c IN (0, 2)", "SELECT * FROM t WHERE p IN (9, 4) PER PARTITION LIMIT 1",
    "SELECT * FROM t WHERE p = 4 ORDER BY c DESC", "SELECT * FROM d WHERE p = 4 ORDER BY c ASC", "SELECT * FROM d WHERE p = 9",
    "SELECT * FROM t WHERE v = 1", "SELECT * FROM d WHERE v = 0", "SELECT * FROM x WHERE v = 2", "SELECT * FROM d WHERE v = 0 AND p = 4",
    "SELECT * FROM d WHERE v = 0 PER PARTITION LIMIT 1", "SELECT * FROM t WHERE v = 1 AND c > 1 ALLOW FILTERING",
    "SELECT * FROM t WHERE s = 1 ALLOW FILTERING", "SELECT * FROM t WHERE m CONTAINS 2 ALLOW FILTERING",
    "SELECT * FROM t WHERE token(p) > 0", "SELECT * FROM t WHERE p > 4 ALLOW FILTERING",
    "SELECT p, count(*), sum(v) FROM t GROUP BY p", "SELECT p, c, count(*) FROM t GROUP BY p, c",
    "SELECT p, c, count(v) FROM t GROUP BY p, c PER PARTITION LIMIT 2", "SELECT p, c, m, max(v) FROM t GROUP BY p, c LIMIT 5",
    "SELECT p, count(*) FROM d WHERE v = 0 GROUP BY p", "SELECT p, c, count(*) FROM d WHERE p IN (3, 4, 9) GROUP BY p, c",
    "SELECT count(*), max(c) FROM t", "SELECT JSON * FROM t",
};

static void pages_put_together_are_the_whole(void **state)
{
    static char whole[TEXT_MAX], pages[TEXT_MAX];
    (void)state;
    make_tables();
    for (size_t i = 0; i < sizeof paged / sizeof *paged; i++) {
        read_all(paged[i], 0, whole);
        assert_true(*whole);
        for (int size = 1; size < 12; size++) {
            read_all(paged[i], size, pages);
            if (strcmp(pages, whole) != 0)
                print_message("%s, pages of %d\n", paged[i], size);
            assert_string_equal(pages, whole);
        }
    }
}

/* A client may give back anything, and a state of another query. */
static void a_page_state_of_another_query_harms_nothing(void **state)
{
    char states[64][256];
    size_t lens[64], count = 0, n = sizeof paged / sizeof *paged;
    wr_stmt *stmt;
    (void)state;

    for (size_t i = 0; i < n; i++) {
        assert_int_equal(wr_prepare(db, paged[i], -1, &stmt), WR_OK);
        wr_set_page_size(stmt, 2);
        while (wr_step(stmt) == WR_ROW)
            ;
        const void *bytes = wr_page_state(stmt, &lens[count]);
        assert_true(lens[count] <= sizeof states[0]);
        if (lens[count])
            memcpy(states[count], bytes, lens[count]);
        count += lens[count] > 0;
        wr_finalize(stmt);
    }
    assert_true(count > n / 2);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(wr_prepare(db, paged[i], -1, &stmt), WR_OK);
        for (size_t s = 0; s < count; s++) {
            enum wr_status st;
            wr_set_page_size(stmt, 3);
            wr_set_page_state(stmt, states[s], lens[s]);
            while ((st = wr_step(stmt)) == WR_ROW)
                ;
            assert_int_equal(st, WR_DONE);
        }
        wr_set_page_state(stmt, "nonsense", 8);
        assert_int_equal(wr_step(stmt), WR_PROTOCOL);
        assert_string_equal(wr_stmt_error(stmt), "Invalid value for the paging state");
        wr_finalize(stmt);
    }
}

/* ---- memory ---- */

static enum wr_status read_quietly(wr_stmt *stmt)
{
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW)
        ;
    return st;
}

static void a_run_that_was_warm_asks_for_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof paged / sizeof *paged; i++) {
        wr_stmt *stmt;
        assert_int_equal(wr_prepare(db, paged[i], -1, &stmt), WR_OK);
        for (int warm = 0; warm < 3; warm++)
            assert_int_equal(read_quietly(stmt), WR_DONE);
        long before = mem_calls();
        assert_int_equal(read_quietly(stmt), WR_DONE);
        if (mem_calls() != before)
            print_message("%s\n", paged[i]);
        assert_int_equal(mem_calls(), before);
        wr_finalize(stmt);
    }
}

static void memory_that_fails_is_an_error_and_nothing_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof paged / sizeof *paged; i++) {
        enum wr_status st = WR_NOMEM;
        for (long n = 0; st != WR_DONE; n++) {
            wr_stmt *stmt = NULL;
            rig.mem_fail_after = n;
            st = wr_prepare(db, paged[i], -1, &stmt);
            if (st == WR_OK)
                st = read_quietly(stmt);
            rig.mem_fail_after = -1;
            wr_finalize(stmt);
            assert_true(st == WR_NOMEM || st == WR_DONE);
            assert_true(n < 10000);
        }
    }
}

static void a_page_state_that_there_is_no_memory_for_is_none(void **state)
{
    (void)state;
    static const char bytes[4096];
    wr_stmt *stmt;
    assert_int_equal(wr_prepare(db, paged[0], -1, &stmt), WR_OK);
    rig.mem_fail_after = 0;
    assert_int_equal(wr_set_page_state(stmt, bytes, sizeof bytes), WR_NOMEM);
    rig.mem_fail_after = -1;
    assert_int_equal(read_quietly(stmt), WR_DONE); /* and nothing that is not there is read */
    wr_finalize(stmt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_mean_what_they_say_in_every_mix_of_directions),
        cmocka_unit_test(a_product_of_lists_has_its_limit),
        cmocka_unit_test(pages_put_together_are_the_whole),
        cmocka_unit_test(a_page_state_of_another_query_harms_nothing),
        cmocka_unit_test(a_run_that_was_warm_asks_for_no_memory),
        cmocka_unit_test(memory_that_fails_is_an_error_and_nothing_more),
        cmocka_unit_test(a_page_state_that_there_is_no_memory_for_is_none),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
