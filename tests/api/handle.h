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
        fail_msg("%s: %s", cql, wr_error(db));
}

static inline wr_stmt *prepare(wr_db *db, const char *cql)
{
    wr_stmt *stmt;
    if (wr_prepare(db, cql, -1, &stmt) != WR_OK)
        fail_msg("%s: %s", cql, wr_error(db));
    return stmt;
}

static inline int teardown(void **state)
{
    return wr_close(*state) == WR_OK ? 0 : -1;
}

#endif
