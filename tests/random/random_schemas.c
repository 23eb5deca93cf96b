/*
 * random_schemas - tables that change under their data.     random_schemas [HISTORIES] [SEED]
 *
 * Random writes of all kinds (TTLs, large values and collections, deletions, transactions that are undone) go to three tables while these are emptied,
 * dropped and made again, columns, indexes and views come and go, time passes and sweeps run. A view has to show what its table shows, an index to find
 * what is there, a copy by wr_schema_export and wr_table_export to be the same, and the database to be sound. Prints its seed.
 */
#include <stdarg.h>
#include <string.h>

#include "tests/random/histories.h"
#include "widerow.h"

enum { TABLES = 3, PARTITIONS = 5, CLUSTERINGS = 6, VALUES = 5, ROWS_MOST = PARTITIONS * (CLUSTERINGS + 1), TEXT = 8192, SECOND_US = 1000000 };
static const char tables[] = "abc";

static wr_db *db;
static char last[TEXT]; /* statement */

static void failed(const char *what)
{
    fprintf(stderr, "FAILED: %s\nbehind %s\n%s (seed %" PRIu64 ", history %" PRIu64 ")\n", what, last, wr_error(db), seed, history);
    printf("0 passed, 1 failed\n");
    exit(1);
}

/* What fits no schema of the moment is refused, which is nothing. */
static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last, sizeof last, format, arguments);
    va_end(arguments);
    enum wr_status st = wr_exec(db, last, NULL, NULL);
    if (st != WR_OK && st != WR_INVALID && st != WR_CONFIG && st != WR_ALREADY_EXISTS)
        failed("failed");
}

/* ---- rows as text ---- */

struct rows {
    char *lines[ROWS_MOST];
    int count;
};

static int cmp_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The columns of a row, each with a bar behind it. */
static char *line_of(const wr_stmt *stmt)
{
    char *line = NULL;
    size_t len;
    FILE *out = open_memstream(&line, &len);
    for (int i = 0; i < wr_column_count(stmt); i++)
        fprintf(out, "%s|", wr_column_is_null(stmt, i) ? "-" : wr_column_text((wr_stmt *)stmt, i));
    fclose(out);
    return line;
}

/* In no order; false: it is refused. */
static bool read_rows(wr_db *from, const char *cql, struct rows *out)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(from, cql, -1, &stmt);
    out->count = 0;
    if (st == WR_INVALID)
        return false;
    if (st != WR_OK)
        failed(cql);
    while ((st = wr_step(stmt)) == WR_ROW)
        out->lines[out->count++] = line_of(stmt);
    if (st != WR_DONE && st != WR_INVALID)
        failed(cql);
    wr_finalize(stmt);
    qsort(out->lines, (size_t)out->count, sizeof *out->lines, cmp_lines);
    return st == WR_DONE;
}

static void free_rows(struct rows *rows)
{
    while (rows->count)
        free(rows->lines[--rows->count]);
}

/* Takes those away that do not begin so, or (not) do. */
static void keep(struct rows *rows, const char *beginning, bool wanted)
{
    int kept = 0;
    for (int i = 0; i < rows->count; i++)
        if ((strncmp(rows->lines[i], beginning, strlen(beginning)) == 0) == wanted)
            rows->lines[kept++] = rows->lines[i];
        else
            free(rows->lines[i]);
    rows->count = kept;
}

static void assert_same(struct rows *a, struct rows *b, const char *what)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = strcmp(a->lines[i], b->lines[i]) == 0;
    for (int i = 0; !same && i < a->count + b->count; i++)
        fprintf(stderr, "%s %s\n", i < a->count ? "here " : "there", i < a->count ? a->lines[i] : b->lines[i - a->count]);
    if (!same)
        failed(what);
    free_rows(a);
    free_rows(b);
}

/* ---- what has to be the same ---- */

static void compare_view(char t)
{
    struct rows view, table;
    char cql[128];
    snprintf(cql, sizeof cql, "SELECT v, p, c, w, l, m FROM k.view_%c", t);
    if (!read_rows(db, cql, &view))
        return;
    snprintf(cql, sizeof cql, "SELECT v, p, c, w, l, m FROM k.%c", t);
    read_rows(db, cql, &table);
    keep(&table, "-|", false);
    assert_same(&view, &table, cql);
}

/* By an index if there is one, and by looking at all. */
static void compare_index(char t, const char *column, const char *where, const char *beginning)
{
    struct rows found, all;
    char cql[128];
    snprintf(cql, sizeof cql, "SELECT %s, p, c FROM k.%c WHERE %s", column, t, where);
    if (!read_rows(db, cql, &found)) {
        free_rows(&found);
        return;
    }
    snprintf(cql, sizeof cql, "SELECT %s, p, c FROM k.%c", column, t);
    read_rows(db, cql, &all);
    keep(&all, beginning, *beginning != '-');
    assert_same(&found, &all, where);
}

static bool on_statement(void *script, const char *cql, size_t len)
{
    (void)len;
    return fprintf(script, "%s;\n", cql) > 0;
}

/* All of the keyspace into a database of its own. */
static void compare_copy(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    struct rows here, there;
    char *script = NULL, cql[160];
    size_t len;
    wr_db *copy;
    FILE *out = open_memstream(&script, &len);
    enum wr_status st = wr_schema_export(db, "k", NULL, on_statement, out);
    for (int i = 0; i < TABLES && st == WR_OK; i++)
        st = wr_table_export(db, "k", (char[]){ tables[i], 0 }, INT64_MIN, 4096, on_statement, out);
    fclose(out);
    options.clock_us = wr_clock_now(db);
    if (st == WR_OK) { /* else a table is missing */
        if (wr_open(NULL, &options, &copy) != WR_OK || wr_exec(copy, script, NULL, NULL) != WR_OK)
            failed(wr_error(copy));
        for (int i = 0; i < TABLES; i++) { /* of all columns: an expired INSERT, which no script has, hides rows from reads of some */
            snprintf(cql, sizeof cql, "SELECT JSON * FROM k.%c", tables[i]);
            read_rows(db, cql, &here);
            read_rows(copy, cql, &there);
            assert_same(&here, &there, "a copy is another");
        }
        wr_close(copy);
    }
    free(script);
}

static void print_finding(void *arg, const char *finding)
{
    (void)arg;
    fprintf(stderr, "%s\n", finding);
}

static void compare(void)
{
    char where[64], beginning[16];
    uint64_t findings = 0;
    for (int i = 0; i < TABLES; i++) {
        compare_view(tables[i]);
        for (int v = 0; v < VALUES; v++) {
            snprintf(where, sizeof where, "v = %d", v);
            snprintf(beginning, sizeof beginning, "%d|", v);
            compare_index(tables[i], "v", where, beginning);
            snprintf(where, sizeof where, "m CONTAINS KEY 'k%d'", v);
            snprintf(beginning, sizeof beginning, "m['k%d']", v);
            compare_index(tables[i], beginning, where, "-|");
        }
    }
    compare_copy();
    if (wr_check(db, print_finding, NULL, &findings) != WR_OK || findings)
        failed("the database breaks its promises");
}

/* ---- changes ---- */

static void make_schema(void)
{
    run("CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    for (int i = 0; i < TABLES; i++)
        run("CREATE TABLE IF NOT EXISTS k.%c (p int, c int, v int, w text, l list<int>, m map<text, int>, x text, s int static, PRIMARY KEY (p, c)) "
            "WITH gc_grace_seconds = %u%s", tables[i], below(3) * 20, one_in(3) ? " AND CLUSTERING ORDER BY (c DESC)" : "");
}

static void change_schema(void)
{
    char t = tables[below(TABLES)];
    switch (below(16)) {
    case 0: run("DROP TABLE k.%c", t); break;
    case 1:
    case 2: run("TRUNCATE k.%c", t); break;
    case 3:
    case 4: run("CREATE INDEX i_%c ON k.%c (v)", t, t); break;
    case 5: run("CREATE CUSTOM INDEX i_%c ON k.%c (v) USING 'StorageAttachedIndex'", t, t); break;
    case 6: run("CREATE INDEX keys_%c ON k.%c (keys(m))", t, t); break;
    case 7: run("DROP INDEX k.%s_%c", one_in(2) ? "i" : "keys", t); break;
    case 8:
    case 9:
        run("CREATE MATERIALIZED VIEW k.view_%c AS SELECT * FROM k.%c WHERE p IS NOT NULL AND c IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p, c)", t, t);
        break;
    case 10: run("DROP MATERIALIZED VIEW k.view_%c", t); break;
    case 11: run("ALTER TABLE k.%c WITH gc_grace_seconds = %u", t, below(3) * 20); break;
    case 12: run("ALTER TABLE k.%c WITH default_time_to_live = %u", t, below(2) * 10); break;
    case 13: run("ALTER TABLE k.%c DROP x", t); break;
    case 14: run("ALTER TABLE k.%c ADD x text", t); break;
    default:
        if (one_in(4))
            run("DROP KEYSPACE k");
        make_schema();
    }
}

/* More than 64 lie beside their row. */
static void write_elements(char t, const char *using, unsigned p, unsigned c)
{
    char elements[2048];
    size_t len = 0;
    bool map = one_in(2);
    for (unsigned i = 0, count = 1 + below(one_in(4) ? 100 : 4); i < count; i++) {
        len += (size_t)snprintf(elements + len, sizeof elements - len, "%s", i ? ", " : "");
        if (map)
            len += (size_t)snprintf(elements + len, sizeof elements - len, "'k%u': ", i);
        len += (size_t)snprintf(elements + len, sizeof elements - len, "%u", below(9));
    }
    if (map)
        run("UPDATE k.%c %s SET m = m + {%s} WHERE p = %u AND c = %u", t, using, elements, p, c);
    else
        run("UPDATE k.%c %s SET l = l + [%s] WHERE p = %u AND c = %u", t, using, elements, p, c);
}

static void write_row(void)
{
    char t = tables[below(TABLES)], using[32] = "", text[6000];
    unsigned p = below(PARTITIONS), c = below(CLUSTERINGS), len = one_in(8) ? below(sizeof text - 1) : below(20);
    memset(text, 'a' + (int)below(20), len);
    text[len] = 0;
    if (one_in(3))
        snprintf(using, sizeof using, "USING TTL %u", 1 + below(30));
    switch (below(12)) {
    case 0:
    case 1:
    case 2:
        run("INSERT INTO k.%c (p, c, v, w, l, m) VALUES (%u, %u, %u, '%s', [%u, %u], {'k%u': %u}) %s", t, p, c, below(VALUES), text, below(4), below(4),
            below(VALUES), below(4), using);
        break;
    case 3: run("UPDATE k.%c %s SET v = %u WHERE p = %u AND c = %u", t, using, below(VALUES), p, c); break;
    case 4: run("UPDATE k.%c %s SET x = '%s' WHERE p = %u AND c = %u", t, using, text, p, c); break;
    case 5:
    case 6: write_elements(t, using, p, c); break;
    case 7: run("UPDATE k.%c %s SET s = %u WHERE p = %u", t, using, below(VALUES), p); break;
    case 8: run("DELETE FROM k.%c WHERE p = %u AND c = %u", t, p, c); break;
    case 9: run("DELETE FROM k.%c WHERE p = %u AND c > %u", t, p, c); break;
    case 10: run("DELETE FROM k.%c WHERE p = %u", t, p); break;
    default: run("DELETE v, m, l FROM k.%c WHERE p = %u AND c = %u", t, p, c);
    }
}

static enum wr_status write_some(void *undone)
{
    for (unsigned i = below(8); i; i--)
        write_row();
    return *(bool *)undone ? WR_INVALID : WR_OK;
}

static void step(void)
{
    unsigned chance = below(40);
    bool undone = one_in(2);
    if (chance < 25)
        write_row();
    else if (chance < 30)
        change_schema();
    else if (chance < 34)
        wr_clock_step(db, (int64_t)below(25) * SECOND_US);
    else if (chance < 36)
        wr_sweep(db, below(3));
    else if (chance < 38)
        wr_atomically(db, write_some, &undone);
    else if (chance == 38)
        compare();
}

static void run_history(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    options.clock_us = INT64_C(1700000000) * SECOND_US;
    if (wr_open(NULL, &options, &db) != WR_OK)
        failed("the database was not opened");
    make_schema();
    for (unsigned i = 100 + below(200); i; i--)
        step();
    compare();
    wr_clock_step(db, INT64_C(200) * SECOND_US);
    if (wr_sweep(db, 0) != WR_OK)
        failed("a sweep failed");
    compare();
    wr_close(db);
}

int main(int argc, char **argv)
{
    return run_histories(argc, argv, "random_schemas", 300, run_history);
}
