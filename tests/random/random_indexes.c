/*
 * random_indexes - what an index finds is what reading everything finds.     random_indexes [HISTORIES] [SEED]
 *
 * The same random writes (inserts, updates of cells and elements, deletions of every kind, TTLs, time passing) go to a table without
 * an index and to tables with legacy, SAI and SASI ones, made before or in the midst of them. Then random WHEREs are asked of each
 * table, with ALLOW FILTERING, whole and in pages: the rows have to be those of the table without, in the same order; and of that one aggregates have to be
 * those of the rows it gives. At the end the database is checked. Prints its seed.
 */
#include <string.h>

#include "tests/random/histories.h"
#include "widerow.h"

enum { PARTITIONS = 6, CLUSTERINGS = 8, WRITES = 120, QUERIES = 40, ROWS_TEXT = 1 << 16 };

static const char *const tables[] = { "plain", "legacy", "sai", "sasi" };
enum { PLAIN, LEGACY, SAI, SASI, TABLES };

static wr_db *db;

static void failed(const char *cql, const char *what)
{
    fprintf(stderr, "FAILED: %s\n%s\n%s (seed %" PRIu64 ", history %" PRIu64 ")\n", cql, what, wr_error(db), seed, history);
    printf("0 passed, 1 failed\n");
    exit(1);
}

static void run(const char *cql)
{
    if (wr_exec(db, cql, NULL, NULL) != WR_OK)
        failed(cql, "was refused");
}

/* ---- writes ---- */

static const char *const words[] = { "ab", "abc", "Abc", "b", "ba", "zebra", "a rather long text that is cut where an index keeps it, 1",
                                     "a rather long text that is cut where an index keeps it, 2" };
static const char *const small[] = { "ab", "abc", "abc", "b", "ba", "zebra",
                                     "a rather long text that is cut where an index keeps it, 1",
                                     "a rather long text that is cut where an index keeps it, 2" };
enum { WORDS = 8 };

/* A statement with %s for the table, into text; of w always its form in small letters beside it. */
static void make_write(char *text, size_t size)
{
    unsigned k = below(PARTITIONS), c = below(CLUSTERINGS), v = below(12), w = below(WORDS), e = below(4), f = below(4);
    char using[64] = "";

    if (below(5) == 0)
        snprintf(using, sizeof using, "USING TTL %u", 1 + below(40));
    switch (below(12)) {
    case 0:
    case 1:
    case 2:
        snprintf(text, size,
                 "INSERT INTO i.%%s (k, k2, c, v, w, wl, l, st, m, f) VALUES (%u, %u, %u, %u, '%s', '%s', [%u, %u], {'%s'}, "
                 "{'%s': %u}, [%u]) %s",
                 k, k % 2, c, v, words[w], small[w], e, f, words[e], words[f], e, f, using);
        break;
    case 3:
        snprintf(text, size, "UPDATE i.%%s %s SET v = %u WHERE k = %u AND k2 = %u AND c = %u", using, v, k, k % 2, c);
        break;
    case 4:
        snprintf(text, size, "UPDATE i.%%s %s SET w = '%s', wl = '%s' WHERE k = %u AND k2 = %u AND c = %u", using, words[w],
                 small[w], k, k % 2, c);
        break;
    case 5:
        snprintf(text, size,
                 "UPDATE i.%%s %s SET l = l + [%u], st = st + {'%s'}, m['%s'] = %u WHERE k = %u AND k2 = %u AND c = %u", using, e,
                 words[w], words[f], e, k, k % 2, c);
        break;
    case 6:
        snprintf(text, size, "UPDATE i.%%s SET l = l - [%u], st = st - {'%s'} WHERE k = %u AND k2 = %u AND c = %u", e, words[w], k,
                 k % 2, c);
        break;
    case 7: snprintf(text, size, "UPDATE i.%%s %s SET s = %u WHERE k = %u AND k2 = %u", using, e, k, k % 2); break;
    case 8: snprintf(text, size, "DELETE v, m['%s'], f FROM i.%%s WHERE k = %u AND k2 = %u AND c = %u", words[f], k, k % 2, c); break;
    case 9: snprintf(text, size, "DELETE FROM i.%%s WHERE k = %u AND k2 = %u AND c = %u", k, k % 2, c); break;
    case 10: snprintf(text, size, "DELETE FROM i.%%s WHERE k = %u AND k2 = %u AND c >= %u", k, k % 2, c + 3); break;
    default:
        if (below(4) == 0)
            snprintf(text, size, "DELETE FROM i.%%s WHERE k = %u AND k2 = %u", k, k % 2);
        else
            snprintf(text, size, "DELETE w, wl, st FROM i.%%s WHERE k = %u AND k2 = %u AND c = %u", k, k % 2, c);
    }
}

/* ---- indexes ---- */

#define USING_SASI "USING 'org.apache.cassandra.index.sasi.SASIIndex'"
static const char *const index_statements[] = {
    "CREATE INDEX ON i.legacy (v)",           "CREATE INDEX ON i.legacy (w)",
    "CREATE INDEX ON i.legacy (c)",           "CREATE INDEX ON i.legacy (k2)",
    "CREATE INDEX ON i.legacy (s)",           "CREATE INDEX ON i.legacy (l)",
    "CREATE INDEX ON i.legacy (st)",          "CREATE INDEX ON i.legacy (entries(m))",
    "CREATE INDEX ON i.legacy (full(f))",     "CREATE INDEX ON i.sai (v) USING 'sai'",
    "CREATE INDEX ON i.sai (w) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false'}",
    "CREATE INDEX ON i.sai (c) USING 'sai'",  "CREATE INDEX ON i.sai (k2) USING 'sai'",
    "CREATE INDEX ON i.sai (s) USING 'sai'",  "CREATE INDEX ON i.sai (l) USING 'sai'",
    "CREATE INDEX ON i.sai (st) USING 'sai'", "CREATE INDEX ON i.sai (keys(m)) USING 'sai'",
    "CREATE INDEX ON i.sai (full(f)) USING 'sai'",
    "CREATE CUSTOM INDEX ON i.sasi (v) " USING_SASI,
    "CREATE CUSTOM INDEX ON i.sasi (wl) " USING_SASI " WITH OPTIONS = {'mode': 'CONTAINS'}",
    "CREATE CUSTOM INDEX ON i.sasi (c) " USING_SASI,
    "CREATE CUSTOM INDEX ON i.sasi (s) " USING_SASI,
};

/* ---- questions ---- */

struct question {
    char plain[256], other[TABLES][256]; /* WHERE of each table */
};

static void both(struct question *q, const char *text)
{
    for (int t = PLAIN; t < TABLES; t++)
        snprintf(t == PLAIN ? q->plain : q->other[t], sizeof q->plain, "%s", text);
}

static void make_condition(struct question *q)
{
    unsigned a = below(12), b = below(12), w = below(WORDS);
    char text[200];

    switch (below(12)) {
    case 0: snprintf(text, sizeof text, "v = %u", a); break;
    case 1: snprintf(text, sizeof text, "v > %u", a); break;
    case 2: snprintf(text, sizeof text, "v >= %u AND v < %u", a < b ? a : b, a < b ? b : a); break;
    case 3: snprintf(text, sizeof text, "c <= %u", a % CLUSTERINGS); break;
    case 4: snprintf(text, sizeof text, "c = %u", a % CLUSTERINGS); break;
    case 5: snprintf(text, sizeof text, "s %s %u", b % 2 ? "=" : ">", a % 4); break;
    case 6: snprintf(text, sizeof text, "l CONTAINS %u AND l CONTAINS %u", a % 4, b % 4); break;
    case 7: snprintf(text, sizeof text, "st CONTAINS '%s'", words[w]); break;
    case 8: snprintf(text, sizeof text, "m CONTAINS KEY '%s'", words[w % 4]); break;
    case 9: snprintf(text, sizeof text, b % 2 ? "f = [%u]" : "m['ab'] = %u", a % 4); break;
    case 10: /* case does not count where SAI has it so; elsewhere it does */
        snprintf(text, sizeof text, "wl = '%s'", small[w]);
        both(q, text);
        snprintf(q->other[SAI], sizeof q->other[SAI], "w = '%s'", words[w]);
        return;
    default: /* LIKE is SASI's alone: the others say it as a range */
        snprintf(text, sizeof text, "wl >= '%.*s' AND wl < '%.*s~'", 1 + (int)(w % 2), small[w], 1 + (int)(w % 2), small[w]);
        both(q, text);
        snprintf(q->other[SASI], sizeof q->other[SASI], "wl LIKE '%.*s%%'", 1 + (int)(w % 2), small[w]);
        return;
    }
    both(q, text);
}

/* ---- answers ---- */

struct answer {
    char text[ROWS_TEXT];
    size_t len;
};

static void add_row(struct answer *a, wr_stmt *row)
{
    for (int i = 0; i < wr_column_count(row); i++) {
        const char *value = wr_column_text(row, i);
        a->len += (size_t)snprintf(a->text + a->len, sizeof a->text - a->len, "%s ", value ? value : "null");
    }
    a->len += (size_t)snprintf(a->text + a->len, sizeof a->text - a->len, "\n");
    if (a->len >= sizeof a->text)
        failed("", "too many rows for this test");
}

enum { CLUSTERING = 1 }; /* its place among the columns selected */

/* In pages of so many rows; 0: at once. rows_alone: without those of partitions that have a static row and no others. */
static void ask(const char *cql, int page, bool rows_alone, struct answer *out)
{
    wr_stmt *stmt;
    const void *state;
    enum wr_status st;
    size_t len = 0;

    out->text[out->len = 0] = 0;
    if (wr_prepare(db, cql, -1, &stmt) != WR_OK)
        failed(cql, "was refused");
    wr_set_page_size(stmt, page ? page : -1);
    do {
        while ((st = wr_step(stmt)) == WR_ROW)
            if (!rows_alone || !wr_column_is_null(stmt, CLUSTERING))
                add_row(out, stmt);
        if (st != WR_DONE)
            failed(cql, wr_stmt_error(stmt));
        state = wr_page_state(stmt, &len);
        if (len)
            wr_set_page_state(stmt, state, len);
    } while (len);
    wr_finalize(stmt);
}

static void compare(void)
{
    static struct answer expected, expected_rows, got;
    static const char *const keys[] = { "", "k = 2 AND k2 = 0 AND ", "token(k, k2) > 0 AND " };
    struct question first = { 0 }, second = { 0 };
    const char *key = keys[below(8) < 6 ? 0 : 1 + below(2)];
    char cql[1024];

    make_condition(&first);
    do /* two conditions on one column are mostly refused */
        make_condition(&second);
    while (first.plain[0] == second.plain[0]);
    bool two = below(2);
    snprintf(cql, sizeof cql, "SELECT k, c, v, w, l, s FROM i.plain WHERE %s%s%s%s ALLOW FILTERING", key, first.plain, two ? " AND " : "",
             two ? second.plain : "");
    ask(cql, 0, false, &expected);
    ask(cql, 0, true, &expected_rows);
    for (int t = LEGACY; t < TABLES; t++) {
        for (int page = 0; page < 4; page += 1 + (int)below(3)) {
            snprintf(cql, sizeof cql, "SELECT k, c, v, w, l, s FROM i.%s WHERE %s%s%s%s ALLOW FILTERING", tables[t], key,
                     first.other[t], two ? " AND " : "", two ? second.other[t] : "");
            const char *wanted = (t == SASI ? &expected_rows : &expected)->text; /* SASI goes over rows */
            ask(cql, page, false, &got);
            if (strcmp(wanted, got.text) != 0) {
                fprintf(stderr, "in pages of %d rows:\n%sexpected:\n%s", page, got.text, wanted);
                failed(cql, "has another answer than the table without an index");
            }
        }
    }
}

/* ---- aggregates, of which not all rows are looked at ---- */

struct totals {
    int64_t rows, least, greatest; /* the last two of none: 0 */
};

static struct totals add_up(const char *cql, bool aggregates)
{
    struct totals t = { 0 };
    enum wr_status st;
    wr_stmt *stmt;
    bool any = false;

    if (wr_prepare(db, cql, -1, &stmt) != WR_OK)
        failed(cql, "was refused");
    while ((st = wr_step(stmt)) == WR_ROW) {
        int64_t c = wr_column_int(stmt, 0);
        t.rows = aggregates ? c : t.rows + 1;
        if (wr_column_is_null(stmt, 0))
            continue;
        t.least = !any || c < t.least ? c : t.least;
        t.greatest = !any || c > t.greatest ? c : t.greatest;
        any = true;
    }
    if (st != WR_DONE)
        failed(cql, wr_stmt_error(stmt));
    wr_finalize(stmt);
    return t;
}

static void compare_aggregates(void)
{
    static const char *const of[] = { "", "WHERE k = 2 AND k2 = 0", "WHERE k = 2 AND k2 = 0 AND c > 2", "WHERE k = 1 AND k2 IN (0, 1) AND c IN (1, 3, 6)", "WHERE token(k, k2) > 0",
                                      "WHERE c < 5 ALLOW FILTERING", "WHERE k = 3 AND k2 = 1 ORDER BY c ASC", "WHERE v > 3 ALLOW FILTERING" };
    const char *where = of[below(sizeof of / sizeof *of)];
    char cql[256];

    snprintf(cql, sizeof cql, "SELECT c FROM i.plain %s", where);
    struct totals expected = add_up(cql, false);
    snprintf(cql, sizeof cql, "SELECT count(*), k FROM i.plain %s", where);
    if (add_up(cql, true).rows != expected.rows)
        failed(cql, "does not count the rows that are given");
    snprintf(cql, sizeof cql, "SELECT max(c) FROM i.plain %s", where);
    if (add_up(cql, true).greatest != expected.greatest)
        failed(cql, "is not the greatest that is given");
    snprintf(cql, sizeof cql, "SELECT min(c), min(c) FROM i.plain %s", where);
    if (add_up(cql, true).least != expected.least)
        failed(cql, "is not the least that is given");
}

/* ---- a history ---- */

static void make_tables(void)
{
    char cql[512];

    run("CREATE KEYSPACE i WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    for (int t = 0; t < TABLES; t++) {
        snprintf(cql, sizeof cql,
                 "CREATE TABLE i.%s (k int, k2 int, c int, s int static, v int, w text, wl text, l list<int>, st set<text>, "
                 "m map<text, int>, f frozen<list<int>>, PRIMARY KEY ((k, k2), c)) %s",
                 tables[t], seed % 2 ? "WITH CLUSTERING ORDER BY (c DESC)" : "");
        run(cql);
    }
}

static void print_finding(void *arg, const char *finding)
{
    (void)arg;
    fprintf(stderr, "%s\n", finding);
}

static void run_history(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    size_t made = 0, count = sizeof index_statements / sizeof *index_statements;
    char pattern[512], cql[600];
    uint64_t findings = 0;

    options.clock_us = INT64_C(1700000000000000);
    if (wr_open(NULL, &options, &db) != WR_OK)
        failed("", "the database was not opened");
    make_tables();
    size_t early = below((unsigned)count + 1);
    for (; made < early; made++)
        run(index_statements[made]);
    for (int i = 0; i < WRITES; i++) {
        if (i == WRITES / 2)
            for (; made < count; made++)
                run(index_statements[made]);
        make_write(pattern, sizeof pattern);
        for (int t = 0; t < TABLES; t++) {
            const char *at = strstr(pattern, "%s");
            snprintf(cql, sizeof cql, "%.*s%s%s", (int)(at - pattern), pattern, tables[t], at + 2);
            run(cql);
        }
        wr_clock_step(db, (int64_t)below(3) * 1000000 + 1);
    }
    for (int i = 0; i < QUERIES; i++) {
        compare();
        compare_aggregates();
    }
    if (wr_check(db, print_finding, NULL, &findings) != WR_OK || findings)
        failed("", "the database breaks its promises");
    wr_close(db);
}

int main(int argc, char **argv)
{
    return run_histories(argc, argv, "random_indexes", 1000, run_history);
}
