/*
 * A whole script of CQL on a database that has some of everything. Reads are read in pages, the clock is stepped between, and what comes out is printed in
 * all forms. Nothing may crash or be found damaged, a check finds nothing afterwards, and the schema that is left can be exported and made again.
 *
 * Inputs change by whole statements and tokens as often as by bytes (LLVMFuzzerCustomMutator). Seeds and words: tests/fuzz/scripts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "widerow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size, uint8_t *out, size_t room, unsigned seed);

enum { STATEMENTS_MAX = 40, TEXT_MAX = 8192, PAGES_MAX = 12, PAGE_ROWS = 3, ROWS_MAX = 400 };

static const char schema[] =
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
    "CREATE TYPE u (a int, b text, c frozen<list<int>>);"
    "CREATE TABLE t (p int, c int, d text, v text, w int, l list<int>, m map<text, int>, s set<int>, x frozen<u>, y u, f frozen<map<int, text>>, st text "
    "static,"
    "    vec vector<float, 2>, tup tuple<int, text>, dec decimal, ts timestamp, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC);"
    "CREATE TABLE n (p int, c text, n counter, PRIMARY KEY (p, c));"
    "CREATE TABLE o (a text, b uuid, c timeuuid, d blob, i varint, j duration, e inet, PRIMARY KEY ((a, b)));"
    "CREATE INDEX ON t (w); CREATE INDEX ON t (keys(m)); CREATE INDEX ON t (st);"
    "CREATE INDEX ON t (v) USING 'sai' WITH OPTIONS = {'case_sensitive': 'false', 'normalize': 'true'};"
    "CREATE INDEX ON t (s) USING 'sai'; CREATE INDEX ON t (vec) USING 'sai'; CREATE INDEX ON t (dec) USING 'sai';"
    "CREATE CUSTOM INDEX ON o (i) USING 'org.apache.cassandra.index.sasi.SASIIndex'; CREATE INDEX ON o (e);"
    "CREATE MATERIALIZED VIEW mv AS SELECT p, c, d, w, v, l, m, y FROM t WHERE w IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL AND d IS NOT NULL PRIMARY KEY "
    "(w, p, c, d);"
    "CREATE MATERIALIZED VIEW mw AS SELECT a, b, i FROM o WHERE a IS NOT NULL AND b IS NOT NULL PRIMARY KEY (b, a);"
    "CREATE FUNCTION plus(a int, b int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a == null ? b : a + (b == null ? 0 : b);';"
    "CREATE FUNCTION upper(a text) RETURNS NULL ON NULL INPUT RETURNS text LANGUAGE java AS 'return a.toUpperCase();';"
    "CREATE AGGREGATE total(int) SFUNC plus STYPE int INITCOND 0;"
    "INSERT INTO t (p, c, d, v, w, l, m, s, x, y, f, st, vec, tup, dec, ts) VALUES (1, 1, 'a', 'Abc', 1, [1, 2], {'a': 1}, {1, 2}, {a: 1, b: 'b', c: [1]}, {a: "
    "2}, {1: 'a'}, 's',"
    "    [1, 2], (1, 'a'), 1.50, '2020-01-01');"
    "INSERT INTO t (p, c, d, v, w) VALUES (1, 2, 'a', 'x', 1) USING TTL 3; INSERT INTO t (p, c, d, w, s) VALUES (1, 2, 'b', 2, {2, 3}) USING TIMESTAMP 5;"
    "INSERT INTO t (p, st) VALUES (2, 't'); INSERT INTO t (p, c, d, vec, l) VALUES (3, 0, '', [0, 1], [5]);"
    "UPDATE n SET n = n + 3 WHERE p = 1 AND c = 'a';"
    "INSERT INTO o (a, b, c, d, i, j, e) VALUES ('a', 00000000-0000-4000-8000-000000000001, 50554d6e-29bb-11e5-b345-feff819cdc9f, 0x00ff, "
    "12345678901234567890, 1mo2d, '::1');"
    "DELETE FROM t WHERE p = 1 AND c > 5;";

/* ---- running it ---- */

static void found(void *arg, const char *finding)
{
    fprintf(stderr, "%s: %s\n", (const char *)arg, finding);
    abort();
}

static void must(enum wr_status st, const char *what, const char *why)
{
    if (st == WR_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, wr_status_name(st), why);
    abort();
}

/* What no statement may end with here. */
static void outcome(wr_stmt *stmt, enum wr_status st)
{
    if (st == WR_CORRUPT || st == WR_IO || st == WR_NOMEM || st == WR_FULL || st == WR_BUSY || st == WR_MISUSE || st == WR_INTERRUPTED || st == WR_READONLY)
        must(st, wr_stmt_cql(stmt), wr_stmt_error(stmt));
    if (st != WR_ROW && st != WR_DONE && !wr_stmt_error(stmt)[0])
        found("failed without a word", wr_stmt_cql(stmt));
}

static void print_row(wr_stmt *stmt)
{
    char text[64];
    for (int i = 0; i < wr_column_count(stmt); i++)
        for (int format = WR_STRING; format <= WR_JSON; format++)
            wr_value_format(wr_column_value(stmt, i), (enum wr_format)format, text, sizeof text);
}

static void bind_markers(wr_stmt *stmt, unsigned turn)
{
    static const char *const values[] = { "1", "'a'", "null", "[1, 2]", "{1, 2}", "{'a': 1}", "(1, 'a')", "0x00", "1.5" };
    int count = wr_marker_count(stmt);
    for (int i = 0; i < count; i++)
        if (turn % 7 == 3)
            wr_bind_unset(stmt, i);
        else
            for (unsigned try = 0; try < sizeof values / sizeof *values; try++) /* the first that suits its type */
                if (wr_bind_literal(stmt, i, values[(try + turn) % (sizeof values / sizeof *values)], -1) == WR_OK)
                    break;
}

static void run(wr_db *db, const char *text, size_t len, unsigned turn)
{
    char state[4096];
    size_t state_len = 0;
    wr_stmt *stmt;
    if (wr_prepare(db, text, (ptrdiff_t)len, &stmt) != WR_OK) {
        if (!wr_error(db)[0])
            found("refused without a word", text);
        return;
    }
    bind_markers(stmt, turn);
    wr_set_page_size(stmt, turn % 2 ? PAGE_ROWS : 0);
    for (unsigned page = 0; page < PAGES_MAX; page++) {
        enum wr_status st = WR_ROW;
        for (unsigned rows = 0; rows < ROWS_MAX && (st = wr_step(stmt)) == WR_ROW; rows++)
            print_row(stmt);
        outcome(stmt, st);
        const void *next = st == WR_DONE ? wr_page_state(stmt, &state_len) : NULL;
        if (!next || state_len > sizeof state)
            break;
        memcpy(state, next, state_len);
        wr_reset(stmt);
        wr_clock_step(db, 700000);
        wr_set_page_state(stmt, state, state_len);
    }
    wr_finalize(stmt);
}

/* Ends at what CQL cannot say: a table that was made WITH COMPACT STORAGE, and a view of a text with a quote in it, which a server, too, keeps as it cannot
 * read it. */
static bool make_again(void *arg, const char *cql, size_t len)
{
    wr_stmt *stmt;
    if (strstr(cql, "COMPACT STORAGE") || (strstr(cql, "CREATE MATERIALIZED VIEW") && strchr(cql, '\'')))
        return false;
    must(wr_prepare(arg, cql, (ptrdiff_t)len, &stmt), cql, wr_error(arg));
    enum wr_status st = wr_step(stmt);
    must(st == WR_DONE ? WR_OK : st, cql, wr_stmt_error(stmt));
    wr_finalize(stmt);
    return true;
}

static wr_db *open_empty(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;
    options.clock_us = INT64_C(1600000000000000);
    must(wr_open(NULL, &options, &db), "wr_open", "");
    wr_set_masking(db, true);
    return db;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)(data ? data : (const uint8_t *)"");
    wr_db *db = open_empty(), *copy = open_empty();
    must(wr_exec(db, schema, NULL, NULL), "the schema", wr_error(db));
    for (unsigned turn = 0; size && turn < STATEMENTS_MAX; turn++) {
        size_t len = wr_statement_end(text, size, NULL, NULL);
        run(db, text, len, turn);
        if (turn % 4 == 3)
            wr_clock_step(db, 1000000);
        text += len, size -= len;
    }
    must(wr_check(db, found, "check", NULL), "wr_check", wr_error(db));
    must(wr_schema_export(db, NULL, NULL, make_again, copy), "wr_schema_export", wr_error(db));
    wr_clock_step(db, INT64_C(40) * 86400 * 1000000);
    must(wr_sweep(db, 0), "wr_sweep", wr_error(db));
    must(wr_check(db, found, "check after a sweep", NULL), "wr_check", wr_error(db));
    must(wr_close(copy), "wr_close", "of the copy");
    must(wr_close(db), "wr_close", "");
    return 0;
}

/* ---- other scripts ---- */

struct piece {
    size_t at, len;
};

static unsigned chance;

static unsigned below(size_t most)
{
    chance = chance * 1103515245u + 12345u;
    return most ? (unsigned)((chance >> 8) % most) : 0;
}

static size_t statements_of(const uint8_t *data, size_t size, struct piece *pieces)
{
    size_t count = 0;
    for (size_t at = 0; at < size && count < STATEMENTS_MAX; at += pieces[count++].len)
        pieces[count] = (struct piece){ at, wr_statement_end((const char *)data + at, size - at, NULL, NULL) };
    return count;
}

static bool is_word(uint8_t c)
{
    return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* A word, a string, or a sign. */
static struct piece some_token(const uint8_t *data, size_t size)
{
    struct piece token = { below(size), 1 };
    if (is_word(data[token.at])) {
        while (token.at > 0 && is_word(data[token.at - 1]))
            token.at--;
        while (token.at + token.len < size && is_word(data[token.at + token.len]))
            token.len++;
    } else if (data[token.at] == '\'') {
        while (token.at + token.len < size && data[token.at + token.len++] != '\'')
            ;
    }
    return token;
}

/* cut bytes at a place give way to others; as it was where there is no room. */
static size_t splice(uint8_t *data, size_t size, size_t room, struct piece cut, const uint8_t *with, size_t len)
{
    if (size - cut.len + len > room)
        return size;
    memmove(data + cut.at + len, data + cut.at + cut.len, size - cut.at - cut.len);
    memcpy(data + cut.at, with, len);
    return size - cut.len + len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static uint8_t copy[TEXT_MAX];
    struct piece pieces[STATEMENTS_MAX], from, to;
    chance = seed;
    if (size == 0 || size > sizeof copy || below(3) == 0)
        return LLVMFuzzerMutate(data, size, room);
    if (below(2) == 0) { /* a token in place of another, or beside it */
        from = some_token(data, size), to = some_token(data, size);
        if (below(3) == 0)
            to.len = 0;
    } else { /* likewise a statement */
        size_t count = statements_of(data, size, pieces);
        from = pieces[below(count)], to = pieces[below(count)];
        if (below(4) == 0)
            from.len = 0;
        else if (below(2) == 0)
            to.len = 0;
    }
    memcpy(copy, data + from.at, from.len);
    return splice(data, size, room, to, copy, from.len);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size, uint8_t *out, size_t room, unsigned seed)
{
    struct piece pieces[STATEMENTS_MAX];
    size_t size = 0;
    chance = seed;
    for (unsigned side = 0; side < 2; side++) {
        const uint8_t *data = side ? other : one;
        size_t count = statements_of(data, side ? other_size : one_size, pieces);
        for (size_t i = 0; i < count; i++)
            if (below(2) && size + pieces[i].len <= room) {
                memcpy(out + size, data + pieces[i].at, pieces[i].len);
                size += pieces[i].len;
            }
    }
    return size;
}
