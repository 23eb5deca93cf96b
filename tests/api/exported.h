/* exported.h - for tests of what is exported: databases at a time that stands, and the statements and cells of them as a text. */
#ifndef WR_TESTS_EXPORTED_H
#define WR_TESTS_EXPORTED_H

#include "handle.h"

/* Far ahead of every timestamp but those that tests choose; TTLs are exact while it stands. */
enum { CLOCK_S = 1500000000 };

static inline wr_db *open_at(int64_t now_s)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;
    options.clock_us = now_s * 1000000;
    assert_int_equal(wr_open(NULL, &options, &db), WR_OK);
    return db;
}

struct text {
    char data[65536];
    size_t len;
};

static inline void add(struct text *t, const char *piece)
{
    size_t n = strlen(piece);
    assert_true(t->len + n + 1 < sizeof t->data);
    memcpy(t->data + t->len, piece, n + 1);
    t->len += n;
}

static inline bool add_statement(void *arg, const char *cql, size_t len)
{
    assert_int_equal(strlen(cql), len);
    add(arg, cql);
    add(arg, ";\n");
    return true;
}

static inline bool add_cell(void *arg, const struct wr_cell *cell)
{
    char line[4096], number[96];
    if (strcmp(cell->kind, "range deletion") == 0) /* cut in other places, and merged in others */
        return true;
    bool list = cell->element && strlen(cell->element) == 36; /* the place of a list's element is its database's own */
    snprintf(number, sizeof number, "%lld %u %u\n", (long long)cell->timestamp_us, cell->ttl_s,
             cell->ttl_s ? cell->local_s : 0);
    snprintf(line, sizeof line, "%s|%s|%s|%s|%s|%s|", cell->partition_key, cell->clustering ? cell->clustering : "static", cell->column,
             list ? "" : cell->element ? cell->element : "-", cell->value ? cell->value : "-", cell->kind);
    add(arg, line);
    add(arg, number);
    return true;
}

static inline void make(wr_db *db, const char *columns, const char *options)
{
    char cql[2048];
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
             "CREATE TYPE k.pair (a int, \"B\" text);"
             "USE k");
    snprintf(cql, sizeof cql, "CREATE TABLE t (%s)%s", columns, options);
    exec(db, cql);
}

/* Who has had enough. */
static inline bool count_to_three(void *arg, const char *cql, size_t len)
{
    (void)cql, (void)len;
    return ++*(int *)arg < 3;
}

#endif
