/* COPY TO: rows in the order of their tokens, each value so that COPY FROM, here and cqlsh's, reads it again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"

static void put_value(struct text *t, const struct copy *copy, wr_value v)
{
    switch (wr_value_type(v)) {
    case WR_TYPE_TEXT:
    case WR_TYPE_ASCII: text_put(t, v.data, v.len); break;
    case WR_TYPE_BOOLEAN: text_put_str(t, wr_value_bool(v) ? copy->yes : copy->no); break;
    case WR_TYPE_TIMESTAMP: text_put_timestamp(t, wr_value_int(v), COPY_MILLISECONDS); break;
    case WR_TYPE_BLOB: text_put_formatted(t, v, WR_LITERAL); break;
    case WR_TYPE_DURATION: copy_write_duration(t, v); break;
    case WR_TYPE_LIST:
    case WR_TYPE_MAP:
    case WR_TYPE_SET:
    case WR_TYPE_UDT:
    case WR_TYPE_TUPLE:
    case WR_TYPE_VECTOR: copy_write_parts(t, copy, v); break;
    default: text_put_formatted(t, v, WR_STRING); break;
    }
}

/* A null is the word for it, and a text that is the same word stands in quotes. */
static void write_value(FILE *file, const struct copy *copy, struct text *t, wr_value v)
{
    t->len = 0;
    if (wr_value_is_null(v))
        text_put_str(t, copy->null);
    else if (v.len || copy_is_text(wr_value_type(v)) || wr_value_type(v) == WR_TYPE_BLOB)
        put_value(t, copy, v);
    bool is_word = !wr_value_is_null(v) && copy_is_text(wr_value_type(v)) && t->len == strlen(copy->null) && memcmp(t->data, copy->null, t->len) == 0;
    csv_write(file, copy->csv, t->data, t->len, is_word);
}

static void write_names(FILE *file, const struct copy *copy, wr_stmt *stmt)
{
    for (int i = 0; i < wr_column_count(stmt); i++) {
        if (i)
            putc(copy->csv.delimiter, file);
        csv_write(file, copy->csv, wr_column_name(stmt, i), strlen(wr_column_name(stmt, i)), false);
    }
    csv_end(file);
}

static enum wr_status write_rows(FILE *file, const struct copy *copy, wr_stmt *stmt, long *rows)
{
    struct text t = { 0 };
    enum wr_status st = WR_DONE;
    text_put_str(&t, "");
    while (*rows != copy->rows_max && !ferror(file) && (st = wr_step(stmt)) == WR_ROW) {
        for (int i = 0; i < wr_column_count(stmt); i++) {
            if (i)
                putc(copy->csv.delimiter, file);
            write_value(file, copy, &t, wr_column_value(stmt, i));
        }
        csv_end(file);
        ++*rows;
    }
    free(t.data);
    return st == WR_ROW ? WR_DONE : st;
}

static const char *write_file(FILE *file, const struct copy *copy, wr_stmt *stmt)
{
    const double begun = copy_clock();
    long rows = 0;
    if (copy->header)
        write_names(file, copy, stmt);
    enum wr_status st = write_rows(file, copy, stmt, &rows);
    bool failed = fflush(file) != 0 || ferror(file);
    int why = errno;
    if (file != stdout)
        fclose(file);
    if (st != WR_DONE)
        return copy_failure("%s", wr_stmt_error(stmt));
    if (failed)
        return copy_failure("%s: %s", file == stdout ? "STDOUT" : copy->path, strerror(why));
    if (file != stdout)
        printf("%ld rows exported to 1 files in %.3f seconds.\n", rows, copy_clock() - begun);
    return NULL;
}

const char *copy_to(struct shell *shell, const struct copy *copy)
{
    wr_stmt *stmt;
    const char *failure = copy_select(shell, copy, copy->columns ? copy->columns : "*", &stmt);
    if (failure)
        return failure;
    FILE *file = *copy->path ? fopen(copy->path, "wb") : stdout;
    failure = file ? write_file(file, copy, stmt) : copy_failure("%s: %s", copy->path, strerror(errno));
    wr_finalize(stmt);
    return failure;
}
