/*
 * copy.h - COPY as cqlsh has it: a table's rows to a file of comma-separated values, and from one.
 */
#ifndef WR_TOOLS_COPY_H
#define WR_TOOLS_COPY_H

#include <limits.h>

#include "csv.h"
#include "wr.h"

enum { COPY_WORD_MAX = 256 };

/* What somebody has asked for. */
struct copy {
    char table[COPY_WORD_MAX]; /* as it was written: "Name", keyspace.table */
    char *columns;             /* likewise, between commas; NULL: all of them. To be freed */
    bool to;
    char path[PATH_MAX]; /* empty: STDOUT */
    struct csv csv;
    bool header;
    char null[COPY_WORD_MAX], yes[COPY_WORD_MAX], no[COPY_WORD_MAX]; /* how a null and booleans are written */
    char skipped[COPY_WORD_MAX];                                     /* SKIPCOLS */
    char errors[PATH_MAX];                                           /* ERRFILE; empty: import_KEYSPACE_TABLE.err */
    long rows_max, rows_skipped, errors_max, ttl;                    /* -1: none */
};

static inline bool copy_is_text(enum wr_type type)
{
    return type == WR_TYPE_TEXT || type == WR_TYPE_ASCII;
}

/* NULL, or why not; good until the next. */
const char *copy_to(struct shell *shell, const struct copy *copy);
const char *copy_from(struct shell *shell, const struct copy *copy);

/* Of what both ask: the failure's text, good until the next, or NULL. */
const char *copy_failure(const char *message, ...) __attribute__((format(printf, 1, 2)));
double copy_clock(void); /* seconds */
const char *copy_prepare(struct shell *shell, const struct text *cql, wr_stmt **out);
const char *copy_select(struct shell *shell, const struct copy *copy, const char *columns, wr_stmt **out); /* those columns of the table */

#endif
