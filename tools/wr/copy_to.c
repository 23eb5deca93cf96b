/* COPY TO: rows in the order of their tokens, each value so that COPY FROM, here and cqlsh's, reads it again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"

static void put_value(struct text *t, const struct copy *copy, wr_value v)
{
    if (copy_is_text(wr_value_type(v)))
        text_put(t, v.data, v.len);
    else if (wr_type_part_count(v.type))
        copy_write_parts(t, copy, v);
    else
        copy_write_single(t, copy, v, false);
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

/* ---- files ---- */

/* Where the rows go: a file, or one after the other, of so many rows each. */
struct output {
    const struct copy *copy;
    wr_stmt *stmt;
    FILE *file;
    char path[PATH_MAX + 32]; /* empty: STDOUT */
    long rows, files;
};

static void write_names(const struct output *out)
{
    for (int i = 0; i < wr_column_count(out->stmt); i++) {
        const char *name = wr_column_name(out->stmt, i);
        if (i)
            putc(out->copy->csv.delimiter, out->file);
        csv_write(out->file, out->copy->csv, name, strlen(name), false);
    }
    csv_end(out->file);
}

/* The first has the name that was given, the others a number behind it. Each begins with the names: COPY FROM passes over those of each. */
static const char *open_next(struct output *out)
{
    snprintf(out->path, sizeof out->path, out->files ? "%s.%ld" : "%s", out->copy->path, out->files);
    out->file = *out->path ? fopen(out->path, "wb") : stdout;
    if (!out->file)
        return copy_failure("%s: %s", out->path, strerror(errno));
    out->files++;
    if (out->copy->header)
        write_names(out);
    return NULL;
}

static const char *close_file(struct output *out)
{
    if (!out->file)
        return NULL;
    bool failed = fflush(out->file) != 0 || ferror(out->file);
    int why = errno;
    if (out->file != stdout)
        fclose(out->file);
    out->file = NULL;
    return failed ? copy_failure("%s: %s", *out->path ? out->path : "STDOUT", strerror(why)) : NULL;
}

static bool is_full(const struct output *out)
{
    return out->rows && out->copy->file_rows > 0 && *out->path && out->rows % out->copy->file_rows == 0;
}

static void write_row(const struct output *out, struct text *t)
{
    for (int i = 0; i < wr_column_count(out->stmt); i++) {
        if (i)
            putc(out->copy->csv.delimiter, out->file);
        write_value(out->file, out->copy, t, wr_column_value(out->stmt, i));
    }
    csv_end(out->file);
}

static const char *write_rows(struct output *out)
{
    struct text t = { 0 };
    const char *failure = open_next(out);
    enum wr_status st = WR_DONE;
    text_put_str(&t, "");
    while (!failure && out->rows != out->copy->rows_max && !ferror(out->file) && (st = wr_step(out->stmt)) == WR_ROW) {
        if (is_full(out) && ((failure = close_file(out)) || (failure = open_next(out))))
            break;
        write_row(out, &t);
        out->rows++;
    }
    free(t.data);
    const char *unwritten = close_file(out);
    if (st != WR_ROW && st != WR_DONE)
        return copy_failure("%s", wr_stmt_error(out->stmt));
    return failure ? failure : unwritten;
}

static const char *write_all(struct output *out)
{
    const double begun = copy_clock();
    if (out->copy->file_rows > 0 && !*out->copy->path)
        fprintf(stderr, "WARNING: maxoutputsize %ld ignored when writing to STDOUT\n", out->copy->file_rows);
    const char *failure = write_rows(out);
    if (!failure && *out->copy->path)
        printf("%ld rows exported to %ld files in %.3f seconds.\n", out->rows, out->files, copy_clock() - begun);
    return failure;
}

/* ---- tokens ---- */

static bool is_of_range(const struct copy *copy)
{
    return copy->begin_token != INT64_MIN || copy->end_token != INT64_MAX;
}

/* Puts the names of the partition key's columns, one after the other. */
static const char *put_partition_key(struct text *cql, struct shell *shell, const wr_stmt *selected)
{
    wr_stmt *part;
    const char *failure = copy_select_schema(shell, selected, " AND kind = 'partition_key' AND position = ? ALLOW FILTERING", &part);
    if (failure)
        return failure;
    enum wr_status st = WR_ROW;
    for (int i = 0; st == WR_ROW; i++) {
        wr_bind_int(part, 0, i);
        if ((st = wr_step(part)) == WR_ROW) {
            const char *name = wr_column_text(part, 0);
            text_put_str(cql, i ? ", " : "");
            copy_put_name(cql, name ? name : "", name ? strlen(name) : 0);
        }
        wr_reset(part);
    }
    if (st != WR_DONE)
        failure = copy_failure("%s", wr_stmt_error(part));
    wr_finalize(part);
    return failure;
}

static void put_bound(struct text *cql, const char *key, const char *operation, int64_t token)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)token);
    text_put_str(cql, "token(");
    text_put_str(cql, key);
    text_put_str(cql, operation);
    text_put_str(cql, number);
}

static const char *select_range(struct shell *shell, const struct copy *copy, const char *columns, wr_stmt **out)
{
    struct text key = { 0 }, where = { 0 };
    wr_stmt *all;
    const char *failure = copy_select(shell, copy, columns, "", &all);
    if (failure)
        return failure;
    text_put_str(&key, "");
    failure = put_partition_key(&key, shell, all);
    wr_finalize(all);
    text_put_str(&where, " WHERE ");
    put_bound(&where, key.data, ") > ", copy->begin_token);
    text_put_str(&where, " AND ");
    put_bound(&where, key.data, ") <= ", copy->end_token);
    if (!failure)
        failure = copy_select(shell, copy, columns, where.data, out);
    free(key.data);
    free(where.data);
    return failure;
}

static const char *select_rows(struct shell *shell, const struct copy *copy, wr_stmt **out)
{
    const char *columns = copy->columns ? copy->columns : "*";
    return is_of_range(copy) ? select_range(shell, copy, columns, out) : copy_select(shell, copy, columns, "", out);
}

const char *copy_to(struct shell *shell, const struct copy *copy)
{
    struct output out = { .copy = copy };
    const char *failure = select_rows(shell, copy, &out.stmt);
    if (failure)
        return failure;
    failure = write_all(&out);
    wr_finalize(out.stmt);
    return failure;
}
