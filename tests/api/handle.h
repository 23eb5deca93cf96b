/*
 * handle.h - what the tests of the public header share: CQL that must run, a statement that must prepare, a handle that must close.
 */
#ifndef WR_TESTS_HANDLE_H
#define WR_TESTS_HANDLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "widerow.h"

static inline void exec(wr_db *db, const char *cql)
{
    if (wr_exec(db, cql, NULL, NULL) != WR_OK)
        fail_msg("%s: %s", wr_error(db), cql);
}

static inline wr_stmt *prepare(wr_db *db, const char *cql)
{
    wr_stmt *stmt;
    if (wr_prepare(db, cql, -1, &stmt) != WR_OK)
        fail_msg("%s: %s", wr_error(db), cql);
    return stmt;
}

/* Of t in open_tables, as the next one. */
static inline int64_t count(wr_db *db)
{
    wr_stmt *s = prepare(db, "SELECT count(*) FROM t");
    assert_int_equal(wr_step(s), WR_ROW);
    int64_t n = wr_column_int(s, 0);
    wr_finalize(s);
    return n;
}

/* A database in memory with tables of the usual shapes. */
static inline int open_tables(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TYPE u (a int, b text);"
             "CREATE TABLE t (p int, c int, v text, s set<text>, m map<text, int>, f frozen<u>, PRIMARY KEY (p, c));"
             "CREATE TABLE n (p int PRIMARY KEY, v counter);"
             "CREATE TABLE o (p int PRIMARY KEY, v text);");
    *state = db;
    return 0;
}

static inline void insert_number(wr_db *db, int p)
{
    char cql[64];
    snprintf(cql, sizeof cql, "INSERT INTO t (p, c) VALUES (%d, 1)", p);
    assert_int_equal(wr_exec(db, cql, NULL, NULL), WR_OK);
}

static inline int teardown(void **state)
{
    return wr_close(*state) == WR_OK ? 0 : -1;
}

#endif
