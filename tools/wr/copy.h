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
    char point[COPY_WORD_MAX], thousands[COPY_WORD_MAX];             /* DECIMALSEP, THOUSANDSSEP; empty: a point, and none */
    char times[COPY_WORD_MAX];                                       /* DATETIMEFORMAT; empty: cqlsh's own */
    char skipped[COPY_WORD_MAX];                                     /* SKIPCOLS */
    char errors[PATH_MAX];                                           /* ERRFILE; empty: import_KEYSPACE_TABLE.err */
    long rows_max, rows_skipped, errors_max, ttl;                    /* -1: none */
    long file_rows;                                                  /* MAXOUTPUTSIZE; below 1: all in one file */
    int64_t begin_token, end_token;                                  /* INT64_MIN, INT64_MAX: from the first, to the last */
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
/* Those columns of the table's rows, where the condition (empty, or WHERE ...) holds. */
const char *copy_select(struct shell *shell, const struct copy *copy, const char *columns, const char *condition, wr_stmt **out);

/* The column_name and kind of a selected table's columns, where the condition (empty, or AND ...) holds. */
const char *copy_select_schema(struct shell *shell, const wr_stmt *selected, const char *condition, wr_stmt **out);

void copy_put_name(struct text *cql, const char *name, size_t len);   /* in double quotes */
void copy_put_string(struct text *cql, const char *text, size_t len); /* in quotes */

/* A value without parts in the style that was asked for. What is read back becomes a text that CQL takes: *out, which is given, or the text itself. */
void copy_write_single(struct text *t, const struct copy *copy, wr_value v, bool inside);
void copy_read_single(struct text *out, const struct copy *copy, enum wr_type type, const char **text, size_t *len);

/* Times by a DATETIMEFORMAT; read: false: it is none of that format. */
bool copy_time_format_is_known(const char *format);
void copy_write_time(struct text *t, const char *format, int64_t ms); /* empty: cqlsh's own */
bool copy_read_time(const char *format, const char *text, size_t len, int64_t *ms);

/* A value that has parts: as a constant of CQL, from how cqlsh's COPY TO or CQL writes it; and as cqlsh's COPY FROM reads it. */
void copy_put_literal(struct text *cql, const struct copy *copy, const struct wr_type_info *type, const char *text, size_t len);
void copy_write_parts(struct text *t, const struct copy *copy, wr_value v);

#endif
