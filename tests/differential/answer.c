/*
 * answer.c - Widerow's side of the random comparison: reads requests on stdin, answers on stdout, until stdin ends.
 *
 * Numbers are big-endian, strings and values [i32 length][bytes] (-1: null, -2: unset), both ways inside [u32 length][...].
 *   request   'N'                                   a fresh database in memory
 *             'Q' cql, i32 values (-1: no markers), value..., i32 page size
 *             'X' keyspace, table                   the statements that write its data again, or (table "") that make the keyspace again
 *   answer    'E' u8 while_preparing, u32 code, text
 *             'V' markers, change, warnings         no columns; change: four strings, of them the first may be null
 *             'R' markers, columns, warnings, i32 pages, of each: i32 rows, value...
 *             'X' i32 count, statement...           to 'X'
 *   markers, columns: i32 count, (name, type)...;  warnings: i32 count, text...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../driver_type.h"
#include "widerow.h"

/* ---- requests ---- */

struct input {
    const unsigned char *at, *end;
};

static int32_t get_i32(struct input *in)
{
    if (in->end - in->at < 4)
        abort();
    uint32_t n = (uint32_t)in->at[0] << 24 | (uint32_t)in->at[1] << 16 | (uint32_t)in->at[2] << 8 | in->at[3];
    in->at += 4;
    return (int32_t)n;
}

/* The bytes, not terminated; NULL where the length is negative. */
static const unsigned char *get_bytes(struct input *in, int32_t *len)
{
    *len = get_i32(in);
    if (*len < 0)
        return NULL;
    if (in->end - in->at < *len)
        abort();
    const unsigned char *bytes = in->at;
    in->at += *len;
    return bytes;
}

/* ---- answers ---- */

struct output {
    unsigned char *data;
    size_t len, room;
};

static void put_raw(struct output *out, const void *bytes, size_t len)
{
    if (out->len + len > out->room) {
        out->room = (out->len + len) * 2 + 256;
        out->data = realloc(out->data, out->room);
        if (!out->data)
            abort();
    }
    if (len)
        memcpy(out->data + out->len, bytes, len);
    out->len += len;
}

static void put_i32(struct output *out, int32_t n)
{
    unsigned char be[4] = { (unsigned char)((uint32_t)n >> 24), (unsigned char)(n >> 16), (unsigned char)(n >> 8), (unsigned char)n };
    put_raw(out, be, sizeof be);
}

static void put_bytes(struct output *out, const void *bytes, size_t len)
{
    put_i32(out, bytes ? (int32_t)len : -1);
    put_raw(out, bytes, bytes ? len : 0);
}

static void put_string(struct output *out, const char *s)
{
    put_bytes(out, s, s ? strlen(s) : 0);
}

static void patch_i32(struct output *out, size_t place, int32_t n)
{
    size_t len = out->len;
    out->len = place;
    put_i32(out, n);
    out->len = len;
}

static void put_error(struct output *out, int while_preparing, enum wr_status st, const char *text)
{
    unsigned char stage = (unsigned char)while_preparing;
    out->len = 0;
    put_raw(out, "E", 1);
    put_raw(out, &stage, 1);
    put_i32(out, (int32_t)wr_status_code(st));
    put_string(out, text);
}

static void put_type(struct output *out, const struct wr_type_info *type, const char *name)
{
    char class[4096] = "";
    put_string(out, driver_type_has_class(type) && driver_type_put(class, sizeof class, type, DRIVER_CLASS_SHORT) ? class : name);
}

static void put_markers(struct output *out, wr_stmt *stmt)
{
    put_i32(out, wr_marker_count(stmt));
    for (int i = 0; i < wr_marker_count(stmt); i++) {
        size_t len;
        const char *name = wr_marker_name(stmt, i, &len);
        put_bytes(out, name, len);
        put_type(out, wr_marker_type_info(stmt, i), wr_marker_type_name(stmt, i));
    }
}

static void put_columns(struct output *out, wr_stmt *stmt)
{
    put_i32(out, wr_column_count(stmt));
    for (int i = 0; i < wr_column_count(stmt); i++) {
        put_string(out, wr_column_name(stmt, i));
        put_type(out, wr_column_type_info(stmt, i), wr_column_type_name(stmt, i));
    }
}

static void put_warnings(struct output *out, wr_stmt *stmt)
{
    size_t place = out->len;
    int32_t n = 0;
    put_i32(out, 0);
    for (const char *warning; (warning = wr_stmt_warning(stmt, (unsigned)n)); n++)
        put_string(out, warning);
    patch_i32(out, place, n);
}

static void put_change(struct output *out, wr_stmt *stmt)
{
    const char *part[4];
    wr_stmt_schema_change(stmt, &part[0], &part[1], &part[2], &part[3]);
    for (int i = 0; i < 4; i++)
        put_string(out, part[i]);
}

/* ---- running ---- */

/* All pages, each [i32 rows][values]. */
static enum wr_status run_pages(wr_stmt *stmt, struct output *pages, int32_t *count)
{
    for (*count = 0;;) {
        size_t place = pages->len;
        int32_t rows = 0;
        enum wr_status st;
        put_i32(pages, 0);
        for (; (st = wr_step(stmt)) == WR_ROW; rows++) {
            for (int i = 0; i < wr_column_count(stmt); i++) {
                wr_value v = wr_column_value(stmt, i);
                put_bytes(pages, wr_value_is_null(v) ? NULL : v.data, v.len);
            }
        }
        patch_i32(pages, place, rows);
        ++*count;
        size_t len;
        const void *state = wr_page_state(stmt, &len);
        if (st != WR_DONE || !state)
            return st;
        wr_set_page_state(stmt, state, len);
    }
}

/* Values beyond the markers are passed over; markers beyond the values are null. */
static enum wr_status bind_all(wr_stmt *stmt, struct input *in, int32_t count)
{
    enum wr_status st = WR_OK;
    for (int32_t i = 0; i < count; i++) {
        int32_t len;
        const unsigned char *bytes = get_bytes(in, &len);
        if (i >= wr_marker_count(stmt) || st != WR_OK)
            continue;
        st = len == -2 ? wr_bind_unset(stmt, i) : wr_bind_value(stmt, i, len < 0 ? NULL : bytes, len < 0 ? 0 : (size_t)len);
    }
    for (int32_t i = count < 0 ? 0 : count; i < wr_marker_count(stmt) && st == WR_OK; i++)
        st = wr_bind_null(stmt, i);
    return st;
}

static void answer(wr_db *db, struct input *in, struct output *out)
{
    int32_t len, pages = 0;
    const unsigned char *cql = get_bytes(in, &len);
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, (const char *)cql, len, &stmt);
    if (st != WR_OK) {
        put_error(out, 1, st, wr_error(db));
        return;
    }
    if ((st = wr_stmt_validate(stmt, false)) != WR_OK) {
        put_error(out, 1, st, wr_stmt_error(stmt));
        wr_finalize(stmt);
        return;
    }
    st = bind_all(stmt, in, get_i32(in));
    wr_set_page_size(stmt, get_i32(in));
    struct output rows = { 0 };
    if (st == WR_OK)
        st = run_pages(stmt, &rows, &pages);
    if (st != WR_DONE) {
        put_error(out, 0, st, wr_stmt_error(stmt));
    } else {
        int has_columns = wr_column_count(stmt) > 0;
        put_raw(out, has_columns ? "R" : "V", 1);
        put_markers(out, stmt);
        if (has_columns)
            put_columns(out, stmt);
        else
            put_change(out, stmt);
        put_warnings(out, stmt);
        if (has_columns) {
            put_i32(out, pages);
            put_raw(out, rows.data, rows.len);
        }
    }
    free(rows.data);
    wr_finalize(stmt);
}

/* ---- exports ---- */

enum { BATCH_BYTES = 700 }; /* a few statements a batch, and some by themselves */

struct export {
    struct output *out;
    int32_t count;
};

static bool put_statement(void *arg, const char *cql, size_t len)
{
    struct export *export = arg;
    put_bytes(export->out, cql, len);
    export->count++;
    return true;
}

static char *get_name(struct input *in)
{
    int32_t len;
    const unsigned char *bytes = get_bytes(in, &len);
    char *name = calloc((size_t)len + 1, 1);
    if (!name)
        abort();
    memcpy(name, bytes, (size_t)len);
    return name;
}

static void answer_export(wr_db *db, struct input *in, struct output *out)
{
    struct export export = { .out = out };
    char *keyspace = get_name(in), *table = get_name(in);
    put_raw(out, "X", 1);
    size_t place = out->len;
    put_i32(out, 0);
    enum wr_status st = *table ? wr_table_export(db, keyspace, table, INT64_MIN, BATCH_BYTES, put_statement, &export)
                               : wr_schema_export(db, keyspace, NULL, put_statement, &export);
    if (st != WR_OK)
        fprintf(stderr, "answer: %s\n", wr_error(db));
    patch_i32(out, place, export.count);
    free(keyspace);
    free(table);
}

static int read_request(struct output *request)
{
    unsigned char be[4];
    if (fread(be, 1, 4, stdin) != 4)
        return 0;
    struct input size = { be, be + 4 };
    size_t len = (size_t)get_i32(&size);
    request->len = 0;
    while (request->len < len) {
        unsigned char chunk[4096];
        size_t want = len - request->len < sizeof chunk ? len - request->len : sizeof chunk;
        if (fread(chunk, 1, want, stdin) != want)
            return 0;
        put_raw(request, chunk, want);
    }
    return 1;
}

static void write_answer(const struct output *out)
{
    struct output size = { 0 };
    put_i32(&size, (int32_t)out->len);
    fwrite(size.data, 1, size.len, stdout);
    fwrite(out->data, 1, out->len, stdout);
    fflush(stdout);
    free(size.data);
}

int main(void)
{
    wr_db *db = NULL;
    struct output request = { 0 }, out = { 0 };
    while (read_request(&request)) {
        struct input in = { request.data, request.data + request.len };
        out.len = 0;
        unsigned char kind = *in.at++;
        if (kind == 'N') {
            wr_close(db);
            if (wr_open(NULL, NULL, &db) != WR_OK) {
                fprintf(stderr, "answer: %s\n", db ? wr_error(db) : "no memory");
                return 1;
            }
            wr_set_masking(db, true); /* as the reference has it */
            put_raw(&out, "N", 1);
        } else if (kind == 'X') {
            answer_export(db, &in, &out);
        } else {
            answer(db, &in, &out);
        }
        write_answer(&out);
    }
    free(request.data);
    free(out.data);
    return wr_close(db) != WR_OK;
}
