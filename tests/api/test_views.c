/*
 * Materialized views after random histories: writes with timestamps out of order, times to live, deletions of cells, rows,
 * ranges and partitions, values and collections too large for their rows, batches, conditions, a clock that is stepped, sweeps,
 * reopening, views dropped and made again on what is there.
 * After each step each view must say what its table says, row for row: values, timestamps, times to live.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../folder.h"
#include "widerow.h"

/* ---- chance, from a seed that a failure prints ---- */

static uint64_t seed, state_of_chance;

static uint32_t below(uint32_t n)
{
    state_of_chance = state_of_chance * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state_of_chance >> 33) % n;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/* ---- tables and views ---- */

/* Both sides of a comparison select the same: from the table those rows that `has` lets through, from the view all. */
struct view {
    const char *name, *table, *columns, *definition;
    bool (*has)(const char *json);
};

/* A partition of static data alone shows as a row without clustering columns. */
static bool every(const char *json)
{
    return !strstr(json, "\"c\": null");
}

static bool with_v(const char *json)
{
    return !strstr(json, "\"v\": null");
}

static bool chosen(const char *json)
{
    int p, c;
    return sscanf(json, "{\"p\": %d, \"c\": %d,", &p, &c) == 2 && (p == 1 || p == 3) && c > 1 && c <= 4;
}

static const struct view views[] = {
    { "by_v", "t", "p, c, v, w, m, b, writetime(w), ttl(w), writetime(m), ttl(m), writetime(b), ttl(b)",
      "SELECT p, c, v, w, x, m, b FROM t WHERE v IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (v, p, c)", with_v },
    { "by_v2", "t", "p, c, v, w, writetime(w), ttl(w)",
      "SELECT p, c, v, w FROM t WHERE v IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL PRIMARY KEY ((p, v), c) "
      "WITH CLUSTERING ORDER BY (c DESC)", with_v },
    { "by_c", "t", "p, c, v, w, x, m, writetime(v), ttl(v), writetime(w), ttl(w), writetime(x), ttl(x), writetime(m), ttl(m)",
      "SELECT p, c, v, w, x, m FROM t WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)", every },
    { "keys", "t", "p, c", "SELECT p, c FROM t WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY ((c, p))", every },
    { "some", "t", "p, c, w, writetime(w), ttl(w)",
      "SELECT p, c, w FROM t WHERE p IN (1, 3) AND c > 1 AND c <= 4 PRIMARY KEY (p, c)", chosen },
    { "u_v", "u", "p, v, w, writetime(w), ttl(w)", "SELECT * FROM u WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p)",
      with_v },
    { "u_vp", "u", "p, v, w, writetime(w), ttl(w)",
      "SELECT p, v, w FROM u WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY ((v, p))", with_v },
    { "u_p", "u", "p, w, writetime(w), ttl(w)", "SELECT p, w FROM u WHERE p IS NOT NULL PRIMARY KEY (p)", every },
};
enum { VIEWS = sizeof views / sizeof views[0] };

/* ---- statements ---- */

static wr_db *db;
static char history[1 << 16]; /* the statements so far, for a failure */
static size_t history_len;

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
    char cql[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(cql, sizeof cql, format, args);
    va_end(args);
    if (history_len + strlen(cql) + 3 > sizeof history)
        history_len = 0;
    history_len += (size_t)snprintf(history + history_len, sizeof history - history_len, "%s;\n", cql);
    if (wr_exec(db, cql, NULL, NULL) != WR_OK)
        fail_msg("seed %llu: %s: %s", (unsigned long long)seed, cql, wr_error(db));
}

static void make_view(const struct view *view)
{
    run("CREATE MATERIALIZED VIEW %s AS %s", view->name, view->definition);
}

/* ---- what they say ---- */

enum { ROWS_MAX = 512 };
struct rows {
    char *text[ROWS_MAX];
    size_t count;
};

static int text_cmp(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A table is asked for every column besides: a row whose marker has expired is not shown by cells that nobody asks for, and a view knows of them. */
static const char all_of_t[] = ", v AS all_v, w AS all_w, x AS all_x, m AS all_m, b AS all_b", all_of_u[] = ", v AS all_v, w AS all_w";

static void forget_others(char *json)
{
    char *others = strstr(json, ", \"all_v\"");
    if (others)
        memcpy(others, "}", 2);
}

static void read_rows(const char *table, const char *others, const struct view *view, bool (*has)(const char *json), struct rows *out)
{
    char cql[512];
    wr_stmt *stmt;
    enum wr_status st;
    out->count = 0;
    snprintf(cql, sizeof cql, "SELECT JSON %s%s FROM %s", view->columns, others, table);
    assert_int_equal(wr_prepare(db, cql, -1, &stmt), WR_OK);
    while ((st = wr_step(stmt)) == WR_ROW) {
        static char json[16384];
        wr_value_format(wr_column_value(stmt, 0), WR_STRING, json, sizeof json);
        forget_others(json);
        if (!has(json))
            continue;
        assert_true(out->count < ROWS_MAX);
        out->text[out->count++] = strdup(json);
    }
    assert_int_equal(st, WR_DONE);
    wr_finalize(stmt);
    qsort(out->text, out->count, sizeof *out->text, text_cmp);
}

static void forget_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->text[i]);
}

static void compare(const struct view *view)
{
    static struct rows expected, found;
    read_rows(view->table, strcmp(view->table, "t") == 0 ? all_of_t : all_of_u, view, view->has, &expected);
    read_rows(view->name, "", view, every, &found);
    for (size_t i = 0; i < expected.count || i < found.count; i++) {
        const char *e = i < expected.count ? expected.text[i] : "(nothing)", *f = i < found.count ? found.text[i] : "(nothing)";
        if (strcmp(e, f) == 0)
            continue;
        fputs(history, stderr);
        fail_msg("seed %llu: view %s\n  table: %s\n  view:  %s", (unsigned long long)seed, view->name, e, f);
    }
    forget_rows(&expected);
    forget_rows(&found);
}

static void on_finding(void *arg, const char *finding)
{
    (void)arg;
    print_error("seed %llu: %s\n", (unsigned long long)seed, finding);
}

static void compare_all(void)
{
    uint64_t findings;
    for (size_t i = 0; i < VIEWS; i++)
        compare(&views[i]);
    assert_int_equal(wr_check(db, on_finding, NULL, &findings), WR_OK);
    if (findings)
        fputs(history, stderr);
    assert_int_equal(findings, 0);
}

/* ---- a random write ---- */

/* ` USING TIMESTAMP 17 AND TTL 4`; conditions allow no timestamp. */
static const char *using_clause(bool ttl)
{
    static char text[64];
    bool has_ttl = ttl && one_in(3);
    snprintf(text, sizeof text, has_ttl ? " USING TIMESTAMP %u AND TTL %u" : " USING TIMESTAMP %u", 1 + below(30), 1 + below(8));
    return text;
}

static const char *int_or_null(uint32_t n)
{
    static char text[4][16];
    static unsigned at;
    char *to = text[at++ % 4];
    if (one_in(5))
        return "null";
    snprintf(to, sizeof text[0], "%u", below(n));
    return to;
}

/* Too large to stay in its row, or not. */
static const char *large_text(void)
{
    static char text[2001];
    size_t len = one_in(2) ? sizeof text - 1 : below(9);
    memset(text, 'a' + (int)below(3), len);
    text[len] = 0;
    return text;
}

/* The same of a collection. */
static const char *large_map(void)
{
    static char text[1024];
    size_t len = 0;
    for (uint32_t i = 0, n = one_in(2) ? 70 : 2; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u: %u", i ? ", " : "{", i, below(9));
    snprintf(text + len, sizeof text - len, "}");
    return text;
}

static void write_t(void)
{
    static const char *const columns[] = { "v", "w", "x", "m", "b" };
    unsigned p = below(4), c = below(6);
    switch (below(17)) {
    case 0:
    case 1:
        run("INSERT INTO t (p, c, v, w) VALUES (%u, %u, %s, %s)%s", p, c, int_or_null(3), int_or_null(9), using_clause(true));
        break;
    case 2: run("INSERT INTO t (p, c) VALUES (%u, %u)%s", p, c, using_clause(true)); break;
    case 3:
    case 4: run("UPDATE t%s SET v = %s WHERE p = %u AND c = %u", using_clause(true), int_or_null(3), p, c); break;
    case 5: run("UPDATE t%s SET w = %s WHERE p = %u AND c = %u", using_clause(true), int_or_null(9), p, c); break;
    case 6:
        run("UPDATE t%s SET x = %s, v = %s WHERE p = %u AND c = %u", using_clause(true), int_or_null(9), int_or_null(3), p, c);
        break;
    case 7: run("UPDATE t%s SET m[%u] = %s WHERE p = %u AND c = %u", using_clause(true), below(3), int_or_null(9), p, c); break;
    case 8: run("UPDATE t%s SET m = {%u: 1, 2: %u} WHERE p = %u AND c = %u", using_clause(true), below(2), below(9), p, c); break;
    case 9:
        run("DELETE %s FROM t%s WHERE p = %u AND c = %u", columns[below(5)], using_clause(false), p, c);
        break;
    case 10: run("DELETE FROM t%s WHERE p = %u AND c = %u", using_clause(false), p, c); break;
    case 11: run("DELETE FROM t%s WHERE p = %u AND c >= %u AND c < %u", using_clause(false), p, c, c + below(4)); break;
    case 12: run("DELETE FROM t%s WHERE p = %u", using_clause(false), p); break;
    case 13: run("UPDATE t%s SET b = '%s' WHERE p = %u AND c = %u", using_clause(true), large_text(), p, c); break;
    case 14: run("UPDATE t%s SET m = m + %s WHERE p = %u AND c = %u", using_clause(true), large_map(), p, c); break;
    case 15: run("UPDATE t SET v = %u WHERE p = %u AND c = %u IF v = %u", below(3), p, c, below(3)); break;
    default: run("UPDATE t SET s = %u WHERE p = %u", below(5), p); break;
    }
}

static void write_u(void)
{
    unsigned p = below(5);
    switch (below(5)) {
    case 0:
    case 1: run("INSERT INTO u (p, v, w) VALUES (%u, %s, %s)%s", p, int_or_null(3), int_or_null(9), using_clause(true)); break;
    case 2: run("UPDATE u%s SET v = %s WHERE p = %u", using_clause(true), int_or_null(3), p); break;
    case 3: run("UPDATE u%s SET w = %s WHERE p = %u", using_clause(true), int_or_null(9), p); break;
    default: run("DELETE %s FROM u%s WHERE p = %u", one_in(2) ? "v" : "", using_clause(false), p); break;
    }
}

static void write_batch(void)
{
    char cql[1024];
    int n = snprintf(cql, sizeof cql, "BEGIN BATCH%s", using_clause(false));
    for (uint32_t i = 2 + below(4); i; i--) {
        unsigned p = below(4), c = below(6);
        if (one_in(4))
            n += snprintf(cql + n, sizeof cql - (size_t)n, " INSERT INTO u (p, v, w) VALUES (%u, %u, %u);", p, below(3), c);
        else
            n += snprintf(cql + n, sizeof cql - (size_t)n, " UPDATE t SET v = %s, x = %u WHERE p = %u AND c = %u;",
                          int_or_null(3), below(9), p, c);
    }
    run("%s APPLY BATCH", cql);
}

static char folder[128]; /* of the database; "" in memory */

static void open_db(int64_t clock_us)
{
    struct wr_options options = WR_OPTIONS_INIT;
    options.clock_us = clock_us;
    options.durability = WR_DURABILITY_NONE;
    assert_int_equal(wr_open(*folder ? folder : NULL, &options, &db), WR_OK);
}

static void reopen(void)
{
    int64_t now_us = wr_clock_now(db);
    if (!*folder)
        return;
    assert_int_equal(wr_close(db), WR_OK);
    open_db(now_us);
    run("USE k");
}

static void step(void)
{
    uint32_t chance = below(100);
    if (chance < 55)
        write_t();
    else if (chance < 72)
        write_u();
    else if (chance < 80)
        write_batch();
    else if (chance < 95)
        wr_clock_step(db, INT64_C(1000000) * (1 + below(4)));
    else if (chance < 98)
        assert_int_equal(wr_sweep(db, below(3)), WR_OK);
    else if (chance == 98) {
        const struct view *view = &views[below(VIEWS)];
        run("DROP MATERIALIZED VIEW %s", view->name);
        make_view(view);
    } else if (one_in(2))
        reopen();
    else if (one_in(2))
        run("TRUNCATE %s", one_in(2) ? "t" : "u");
}

static void one_history(uint64_t from, unsigned steps)
{
    uint64_t findings;
    seed = state_of_chance = from;
    history_len = 0;
    if (one_in(4))
        make_folder(folder, sizeof folder);
    open_db(INT64_C(1500000000000000));
    run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    run("USE k");
    run("CREATE TABLE t (p int, c int, v int, w int, x int, s int static, m map<int, int>, b text, PRIMARY KEY (p, c)) "
        "WITH gc_grace_seconds = %u", one_in(2) ? 1 : 864000);
    run("CREATE INDEX ON t (w)");
    run("CREATE TABLE u (p int PRIMARY KEY, v int, w int)");
    for (size_t i = 0; i < VIEWS; i++)
        make_view(&views[i]);
    for (unsigned i = 0; i < steps; i++) {
        step();
        compare_all();
    }
    wr_clock_step(db, INT64_C(20) * 1000000); /* whatever has a time to live is gone, and nothing was written */
    compare_all();
    assert_int_equal(wr_sweep(db, 0), WR_OK);
    compare_all();
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(wr_close(db), WR_OK);
    if (*folder)
        remove_folder(folder);
    *folder = 0;
}

static void views_say_what_their_tables_say(void **state)
{
    const char *histories = getenv("WIDEROW_VIEW_HISTORIES"), *first = getenv("WIDEROW_VIEW_SEED");
    unsigned n = histories ? (unsigned)atoi(histories) : 12;
    (void)state;
    for (unsigned i = 0; i < n; i++)
        one_history((first ? (uint64_t)atoll(first) : 1) + i, 250);
}

/* A value may be longer than any key; a write that would make one of it is refused as a whole. */
static void a_key_has_its_length(void **state)
{
    enum { KEY_MAX = 65535 };
    static char text[KEY_MAX + 2];
    wr_stmt *insert;
    (void)state;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    run("USE k");
    run("CREATE TABLE t (p int PRIMARY KEY, v text)");
    assert_int_equal(wr_prepare(db, "INSERT INTO t (p, v) VALUES (1, ?)", -1, &insert), WR_OK);
    memset(text, 'x', KEY_MAX + 1);
    for (int i = 0; i < 2; i++) {
        static struct rows rows;
        const struct view view = { "tv", "t", "p, v", NULL, every };
        run("CREATE MATERIALIZED VIEW tv AS SELECT * FROM t WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (%s)",
            i ? "p, v" : "v, p");
        assert_int_equal(wr_bind_text(insert, 0, text, KEY_MAX), WR_OK);
        assert_int_equal(wr_step(insert), WR_DONE);
        wr_reset(insert);
        assert_int_equal(wr_bind_text(insert, 0, text, KEY_MAX + 1), WR_OK);
        assert_int_equal(wr_step(insert), WR_INVALID);
        assert_string_equal(wr_stmt_error(insert), "Key length of 65536 is longer than maximum of 65535");
        wr_reset(insert);
        read_rows("tv", "", &view, every, &rows);
        assert_int_equal(rows.count, 1);
        forget_rows(&rows);
        run("DROP MATERIALIZED VIEW tv");
    }
    assert_int_equal(wr_step(insert), WR_DONE);
    wr_finalize(insert);
    assert_int_equal(wr_exec(db, "CREATE MATERIALIZED VIEW tv AS SELECT * FROM t WHERE p IS NOT NULL AND v IS NOT NULL "
                                 "PRIMARY KEY (v, p)", NULL, NULL), WR_INVALID);
    run("CREATE TABLE tv (p int PRIMARY KEY)"); /* nothing of it was left */
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_has_its_length),
        cmocka_unit_test(views_say_what_their_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
