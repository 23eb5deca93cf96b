/*
 * copy.h - COPY as cqlsh has it: a table's rows to a file of comma-separated values, and from one.
 */
#ifndef WR_TOOLS_COPY_H
#define WR_TOOLS_COPY_H

#include "csv.h"
#include "wr.h"

enum { COPY_WORD_MAX = 256, COPY_MILLISECONDS = 3 /* digits of a second */ };

/* What somebody has asked for. */
struct copy {
    char table[COPY_WORD_MAX]; /* as it was written: "Name", keyspace.table */
    char *columns;             /* likewise, between commas; NULL: all of them. To be freed */
    bool to;
    char path[PATH_MAX]; /* FROM: paths and patterns between commas. Empty: STDOUT or STDIN */
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

/* The files that a COPY FROM reads, one after the other. Zero-filled to begin with. */
struct copy_files {
    char **names; /* none: STDIN */
    size_t count, room, at;
    FILE *file; /* that is read, and its name */
    const char *name;
};
const char *copy_files_find(struct copy_files *files, const char *paths);
const char *copy_files_next(struct copy_files *files, bool *found); /* opens the next one */
void copy_files_release(struct copy_files *files);

/* Of what both ask: the failure's text, good until the next, or NULL. */
const char *copy_failure(const char *message, ...) __attribute__((format(printf, 1, 2)));
double copy_clock(void); /* seconds */
const char *copy_prepare(struct shell *shell, const struct text *cql, wr_stmt **out);
const char *copy_select(struct shell *shell, const struct copy *copy, const char *columns, wr_stmt **out); /* those columns of the table */

void copy_put_name(struct text *cql, const char *name, size_t len);   /* in double quotes */
void copy_put_string(struct text *cql, const char *text, size_t len); /* in quotes */

/* A value that has parts: as a constant of CQL, from how cqlsh's COPY TO or CQL writes it; and as cqlsh's COPY FROM reads it. */
void copy_put_literal(struct text *cql, const struct copy *copy, const struct wr_type_info *type, const char *text, size_t len);
void copy_write_parts(struct text *t, const struct copy *copy, wr_value v);
void copy_write_duration(struct text *t, wr_value v); /* one of no length has no text: 0s */

#endif
