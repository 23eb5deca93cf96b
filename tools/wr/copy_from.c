/* COPY FROM: a thousand rows a commit; what cannot be taken is told by its line, put into a file of its own, and passed over. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "copy.h"

enum { CHUNK_ROWS = 1000, CHUNK_BYTES = 4 << 20 };

struct column {
    const char *name; /* the statement's that selects them */
    enum wr_type type;
    bool is_key;
    int marker; /* -1: it is passed over */
};

struct import {
    struct shell *shell;
    const struct copy *copy;
    struct copy_files files;
    struct csv_reader reader; /* of the file that is read */
    struct csv_records chunk;
    wr_stmt *columns_of, *put;
    struct column *columns;
    int column_count;
    bool cannot[CHUNK_ROWS]; /* be bound */
    long read, rows, failed;
    const char *stopped; /* by what is no row's fault; NULL: by nothing */
    char errors_path[PATH_MAX];
    FILE *errors;
};

/* ---- the statement that puts a row ---- */

/* The names that the file begins with, for want of others. */
static char *names_of_header(const struct csv_records *header)
{
    struct text names = { 0 };
    for (size_t i = 0; i < header->field_count; i++) {
        if (i)
            text_put_str(&names, ", ");
        copy_put_name(&names, header->text.data + header->fields[i].at, header->fields[i].len);
    }
    return names.data;
}

static const char *find_columns(struct import *in, const char *names)
{
    const char *failure = copy_select(in->shell, in->copy, names, "", &in->columns_of);
    if (failure)
        return failure;
    in->column_count = wr_column_count(in->columns_of);
    in->columns = or_exit(calloc((size_t)in->column_count + 1, sizeof *in->columns));
    for (int i = 0; i < in->column_count; i++)
        in->columns[i] = (struct column){ .name = wr_column_name(in->columns_of, i), .type = wr_column_type(in->columns_of, i), .marker = -1 };
    return NULL;
}

static const char *find_keys(struct import *in)
{
    wr_stmt *stmt;
    const char *failure = copy_select_schema(in->shell, in->columns_of, "", &stmt);
    if (failure)
        return failure;
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW) {
        const char *kind = wr_column_text(stmt, 1);
        bool is_key = kind && (strcmp(kind, "partition_key") == 0 || strcmp(kind, "clustering") == 0);
        const char *name = is_key ? wr_column_text(stmt, 0) : NULL;
        for (int i = 0; name && i < in->column_count; i++)
            in->columns[i].is_key |= strcmp(in->columns[i].name, name) == 0;
    }
    if (st != WR_DONE)
        failure = copy_failure("%s", wr_stmt_error(stmt));
    wr_finalize(stmt);
    return failure;
}

/* Whether it is one of SKIPCOLS. */
static bool is_skipped(const struct copy *copy, const char *name)
{
    for (const char *at = copy->skipped; *at;) {
        size_t len = strcspn(at, ","), end = len;
        while (end && at[end - 1] == ' ')
            end--;
        if (end == strlen(name) && memcmp(at, name, end) == 0)
            return true;
        at += len;
        at += strspn(at, ", ");
    }
    return false;
}

static void put_ttl(struct text *cql, const struct copy *copy)
{
    char ttl[64];
    snprintf(ttl, sizeof ttl, " USING TTL %ld", copy->ttl);
    text_put_str(cql, copy->ttl < 0 ? "" : ttl);
}

/* Each that is asked for with what stands behind its name; how many there are. */
static int put_each(struct text *cql, struct import *in, bool keys, bool others, const char *between, const char *behind, int marker)
{
    for (int i = 0, n = 0; i < in->column_count; i++) {
        struct column *c = &in->columns[i];
        if (!(c->is_key ? keys : others) || is_skipped(in->copy, c->name))
            continue;
        text_put_str(cql, n++ ? between : "");
        copy_put_name(cql, c->name, strlen(c->name));
        if (c->type == WR_TYPE_COUNTER) {
            text_put_str(cql, " = ");
            copy_put_name(cql, c->name, strlen(c->name));
            text_put_str(cql, " + ?");
        } else {
            text_put_str(cql, behind);
        }
        c->marker = marker++;
    }
    return marker;
}

static const char *prepare_put(struct import *in)
{
    struct text cql = { 0 };
    bool counts = false;
    for (int i = 0; i < in->column_count; i++)
        counts |= in->columns[i].type == WR_TYPE_COUNTER;
    text_put_str(&cql, counts ? "UPDATE " : "INSERT INTO ");
    text_put_str(&cql, in->copy->table);
    if (counts) {
        put_ttl(&cql, in->copy);
        text_put_str(&cql, " SET ");
        int markers = put_each(&cql, in, false, true, ", ", " = ?", 0);
        text_put_str(&cql, " WHERE ");
        put_each(&cql, in, true, false, " AND ", " = ?", markers);
    } else {
        text_put_str(&cql, " (");
        int markers = put_each(&cql, in, true, true, ", ", "", 0);
        text_put_str(&cql, ") VALUES (");
        for (int i = 0; i < markers; i++)
            text_put_str(&cql, i ? ", ?" : "?");
        text_put_str(&cql, ")");
        put_ttl(&cql, in->copy);
    }
    const char *failure = copy_prepare(in->shell, &cql, &in->put);
    free(cql.data);
    return failure;
}

/* ---- a row ---- */

static bool is_null(const struct copy *copy, const struct column *c, const struct csv_field *field, const char *text)
{
    if (field->quoted && (copy_is_text(c->type) || field->len))
        return false;
    return field->len == strlen(copy->null) && memcmp(text, copy->null, field->len) == 0;
}

/* Where that is none, what is told is said of the value as it stands in the file. */
static enum wr_status bind_parts(const struct import *in, int marker, const char *value, size_t len)
{
    struct text cql = { 0 };
    copy_put_literal(&cql, in->copy, wr_marker_type_info(in->put, marker), value, len);
    enum wr_status st = wr_bind_literal(in->put, marker, cql.data, (ptrdiff_t)cql.len);
    free(cql.data);
    return st == WR_OK ? st : wr_bind_literal(in->put, marker, value, (ptrdiff_t)len);
}

static enum wr_status bind_single(const struct import *in, const struct column *c, const char *text, size_t len)
{
    struct text read = { 0 };
    copy_read_single(&read, in->copy, c->type, &text, &len);
    bool is_literal = c->type == WR_TYPE_BLOB && len >= 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    enum wr_status st = (is_literal ? wr_bind_literal : wr_bind_text)(in->put, c->marker, text, (ptrdiff_t)len);
    free(read.data);
    return st;
}

static enum wr_status bind_field(const struct import *in, const struct column *c, const struct csv_field *field)
{
    const char *text = in->chunk.text.data + field->at;
    bool may_be_empty = copy_is_text(c->type) || c->type == WR_TYPE_BLOB;
    if (is_null(in->copy, c, field, text))
        return wr_bind_null(in->put, c->marker);
    if (!field->len && !may_be_empty) /* it would be bound as a number without bytes */
        return wr_bind_literal(in->put, c->marker, "''", 2);
    if (wr_type_part_count(wr_marker_type_info(in->put, c->marker)))
        return bind_parts(in, c->marker, text, field->len);
    return bind_single(in, c, text, field->len);
}

/* WR_INVALID: it is no row of the table, *failure tells why; WR_NOMEM: it may be one. */
static enum wr_status bind_row(const struct import *in, const struct csv_record *record, const char **failure)
{
    if (record->count != (size_t)in->column_count) {
        *failure = copy_failure("Invalid row length %zu should be %d", record->count, in->column_count);
        return WR_INVALID;
    }
    for (int i = 0; i < in->column_count; i++) {
        const struct column *c = &in->columns[i];
        enum wr_status st = c->marker < 0 ? WR_OK : bind_field(in, c, &in->chunk.fields[record->first + (size_t)i]);
        if (st == WR_OK)
            continue;
        *failure = copy_failure("Failed to parse column %s: %s", c->name, wr_stmt_error(in->put));
        return st == WR_NOMEM ? WR_NOMEM : WR_INVALID;
    }
    return WR_OK;
}

/* ---- many ---- */

static void tell_failed(struct import *in, const struct csv_record *record, const char *message)
{
    fprintf(stderr, "%s:%lu: %s\n", in->files.name, record->line, message);
    in->failed++;
    if (!in->errors && !(in->errors = fopen(in->errors_path, "ab"))) {
        fprintf(stderr, "%s: %s\n", in->errors_path, strerror(errno));
        return;
    }
    for (size_t i = 0; i < record->count; i++) {
        const struct csv_field *field = &in->chunk.fields[record->first + i];
        if (i)
            putc(in->copy->csv.delimiter, in->errors);
        csv_write(in->errors, in->copy->csv, in->chunk.text.data + field->at, field->len, field->quoted);
    }
    csv_end(in->errors);
}

/* Those that cannot be bound are left for later: this may run more than once. */
static enum wr_status put_all(void *arg)
{
    struct import *in = arg;
    const char *why;
    in->stopped = NULL;
    for (size_t i = 0; i < in->chunk.count; i++) {
        enum wr_status st = bind_row(in, &in->chunk.records[i], &why);
        in->cannot[i] = st == WR_INVALID;
        if (in->cannot[i])
            continue;
        if (st == WR_OK)
            st = wr_step(in->put);
        else
            in->stopped = why;
        wr_reset(in->put);
        if (st != WR_DONE)
            return st;
    }
    return WR_OK;
}

/* That a row is refused is nothing to the next. */
static bool is_of_its_row(enum wr_status st)
{
    return st == WR_INVALID || st == WR_WRITE_FAILURE || st == WR_SERVER_ERROR;
}

static const char *put_row(struct import *in, const struct csv_record *record)
{
    const char *failure = NULL;
    enum wr_status st = bind_row(in, record, &failure);
    if (st == WR_OK && (st = wr_step(in->put)) == WR_DONE)
        return NULL;
    if (!failure)
        failure = copy_failure("%s", wr_stmt_error(in->put));
    in->stopped = is_of_its_row(st) ? NULL : failure;
    return failure;
}

/* In one commit; where one of them is refused each in its own. */
static void put_chunk(struct import *in)
{
    enum wr_status st = wr_atomically(in->shell->db, put_all, in);
    if (st != WR_OK && !is_of_its_row(st) && !in->stopped)
        in->stopped = copy_failure("%s", wr_error(in->shell->db));
    for (size_t i = 0; i < in->chunk.count && !in->stopped; i++) {
        const struct csv_record *record = &in->chunk.records[i];
        const char *failure = st != WR_OK || in->cannot[i] ? put_row(in, record) : NULL;
        wr_reset(in->put);
        if (in->stopped)
            break;
        if (failure)
            tell_failed(in, record, failure);
        else
            in->rows++;
    }
    csv_clear(&in->chunk);
}

static bool has_enough(const struct import *in)
{
    return in->stopped || (in->copy->errors_max >= 0 && in->failed > in->copy->errors_max);
}

static const char *open_next(struct import *in, bool *found)
{
    const char *failure = copy_files_next(&in->files, found);
    in->reader = (struct csv_reader){ in->files.file, in->copy->csv, 1, in->files.file == stdin };
    return failure;
}

static bool is_read(const struct import *in)
{
    return in->read == in->copy->rows_max || has_enough(in);
}

static void put_file(struct import *in)
{
    for (bool more = true; more && !has_enough(in);) {
        more = !is_read(in) && csv_read(&in->reader, &in->chunk);
        in->read += more;
        if (more && in->read <= in->copy->rows_skipped)
            csv_clear(&in->chunk);
        if (!more || in->chunk.count == CHUNK_ROWS || in->chunk.text.len > CHUNK_BYTES)
            put_chunk(in);
    }
}

/* Those behind the first begin with the same names as that. */
static const char *put_files(struct import *in)
{
    bool found = true;
    const char *failure = NULL;
    while (found && !failure) {
        put_file(in);
        if (ferror(in->reader.file))
            return copy_failure("%s cannot be read", in->files.name);
        if (is_read(in))
            return NULL;
        failure = open_next(in, &found);
        if (found && !failure && in->copy->header)
            csv_read(&in->reader, &in->chunk);
        csv_clear(&in->chunk);
    }
    return failure;
}

/* What the first file begins with is its names, and where nobody has said others those of the columns. */
static const char *begin(struct import *in)
{
    char *names = NULL;
    if (in->copy->header && csv_read(&in->reader, &in->chunk) && !in->copy->columns)
        names = names_of_header(&in->chunk);
    csv_clear(&in->chunk);
    const char *failure = find_columns(in, in->copy->columns ? in->copy->columns : names ? names : "*");
    free(names);
    if (!failure)
        failure = find_keys(in);
    return failure ? failure : prepare_put(in);
}

static void name_errors(struct import *in)
{
    const char *keyspace, *table;
    wr_column_table(in->columns_of, 0, &keyspace, &table);
    snprintf(in->errors_path, sizeof in->errors_path, "import_%s_%s.err", keyspace, table);
    if (*in->copy->errors)
        snprintf(in->errors_path, sizeof in->errors_path, "%s", in->copy->errors);
}

static const char *import(struct import *in)
{
    const double begun = copy_clock();
    const char *failure = begin(in);
    if (failure)
        return failure;
    name_errors(in);
    failure = put_files(in);
    printf("%ld rows imported from %zu files in %.3f seconds (%ld skipped).\n", in->rows, in->files.count ? in->files.count : 1, copy_clock() - begun,
           in->copy->rows_skipped > 0 ? in->copy->rows_skipped : 0);
    if (in->stopped || failure)
        return in->stopped ? in->stopped : failure;
    if (in->failed)
        fprintf(stderr, "Failed to process %ld rows; failed rows written to %s\n", in->failed, in->errors_path);
    return in->failed ? told : NULL;
}

const char *copy_from(struct shell *shell, const struct copy *copy)
{
    struct import in = { .shell = shell, .copy = copy };
    bool found;
    const char *failure = copy_files_find(&in.files, copy->path);
    if (!failure)
        failure = open_next(&in, &found);
    text_put_str(&in.chunk.text, ""); /* so that it is somewhere, for fields that are empty */
    if (!failure)
        failure = import(&in);
    copy_files_release(&in.files);
    if (in.errors)
        fclose(in.errors);
    csv_release(&in.chunk);
    free(in.columns);
    wr_finalize(in.put);
    wr_finalize(in.columns_of);
    return failure;
}
