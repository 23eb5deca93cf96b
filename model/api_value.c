/* Values and result columns as C sees them. */
#include "model/api.h"
#include "model/value.h"

static struct slice slice_of_value(wr_value value)
{
    return slice_of(value.data, value.len);
}

enum wr_type wr_value_type(wr_value value)
{
    return type_number(value_type_of(value));
}

bool wr_value_is_null(wr_value value)
{
    return !value.data;
}

int64_t wr_value_int(wr_value value)
{
    return value.type ? value_to_int(value_type_of(value), slice_of_value(value)) : 0;
}

double wr_value_double(wr_value value)
{
    return value.type ? value_to_double(value_type_of(value), slice_of_value(value)) : 0.0;
}

bool wr_value_bool(wr_value value)
{
    const struct type *type = value_type_of(value);
    if (type && type->kind == TYPE_BOOLEAN)
        return value.len && *(const uint8_t *)value.data;
    return wr_value_int(value) != 0;
}

bool wr_value_uuid(wr_value value, uint8_t out[16])
{
    enum wr_type type = wr_value_type(value);
    if ((type != WR_TYPE_UUID && type != WR_TYPE_TIMEUUID) || value.len != 16)
        return false;
    memcpy(out, value.data, 16);
    return true;
}

static bool has_elements(const struct type *type)
{
    return type && type_has_parts(type);
}

static void put_value(struct buf *buf, wr_value value, enum wr_format format)
{
    static void (*const printers[])(struct buf *, const struct type *, struct slice) = {
        [WR_STRING] = type_print_string,
        [WR_LITERAL] = type_print_literal,
        [WR_JSON] = type_print_json,
    };
    if ((unsigned)format >= sizeof printers / sizeof *printers)
        format = WR_STRING;
    if (format == WR_STRING && has_elements(value_type_of(value)))
        format = WR_LITERAL; /* what has parts shows them as they are written */
    if (!value.data || !value.type)
        buf_put_str(buf, "null");
    else
        printers[format](buf, value_type_of(value), slice_of_value(value));
}

size_t text_out(const struct buf *buf, char *text, size_t size)
{
    size_t len = buf->failed ? SIZE_MAX : buf->len;
    if (!size)
        return len;
    size_t copied = buf->failed ? 0 : buf->len < size - 1 ? buf->len : size - 1;
    if (copied)
        memcpy(text, buf->data, copied);
    text[copied] = 0;
    return len;
}

size_t wr_value_format(wr_value value, enum wr_format format, char *text, size_t size)
{
    struct arena arena;
    struct buf buf;
    arena_init(&arena);
    buf_init(&buf, &arena);
    put_value(&buf, value, format);
    size_t len = text_out(&buf, text, size);
    arena_release(&arena);
    return len;
}

/* ---- elements ---- */

struct wr_elements wr_elements_of(wr_value value)
{
    struct wr_elements e = { .value = value };
    const struct type *type = value_type_of(value);
    if (value.data && has_elements(type)) {
        struct elements walk;
        elements_open(&walk, type, slice_of_value(value));
        e.at_ = walk.rest.data;
        e.index_ = walk.at;
        e.count_ = walk.count;
    }
    return e;
}

bool wr_elements_next(struct wr_elements *e, wr_value *out)
{
    const struct type *type = value_type_of(e->value);
    if (!e->at_)
        return false;
    bool fields = type_has_fields(type);
    const uint8_t *end = (const uint8_t *)e->value.data + e->value.len;
    struct elements walk = {
        .type = type,
        .rest = slice_of(e->at_, (size_t)(end - (const uint8_t *)e->at_)),
        .count = e->count_,
        .at = e->index_,
    };
    struct slice element = SLICE_NULL;
    uint32_t index = e->index_;
    if (!elements_next(&walk, &element) && (!fields || index >= type->arg_count))
        return false;
    if (fields && index >= type->arg_count)
        return false;
    e->at_ = walk.rest.data ? walk.rest.data : end;
    e->index_ = index + 1;
    *out = value_of(element_type(type, index), element);
    return true;
}

uint32_t wr_value_count(wr_value value)
{
    const struct type *type = value_type_of(value);
    if (!value.data || !has_elements(type))
        return 0;
    if (type->kind == TYPE_VECTOR)
        return type->dimension;
    return type_is_collection(type) ? type_collection_count(slice_of_value(value)) : type->arg_count;
}

const char *wr_value_field_name(wr_value value, uint32_t i, size_t *len)
{
    const struct type *type = value_type_of(value);
    if (!type || type->kind != TYPE_UDT || i >= type->arg_count)
        return NULL;
    *len = type->field_names[i].len;
    return (const char *)type->field_names[i].data;
}

/* ---- result columns ---- */

static const struct column_spec *column_at(const wr_stmt *stmt, int i)
{
    return stmt && (unsigned)i < stmt->result.column_count ? &stmt->result.columns[i] : NULL;
}

int wr_column_count(const wr_stmt *stmt)
{
    return stmt ? (int)stmt->result.column_count : 0;
}

const char *wr_column_name(const wr_stmt *stmt, int i)
{
    return !stmt || i < 0 || (uint32_t)i >= stmt->result.name_count ? NULL : stmt->result.names[i];
}

int wr_column_index(const wr_stmt *stmt, const char *name)
{
    for (uint32_t i = 0; stmt && i < stmt->result.name_count; i++)
        if (strcmp(stmt->result.names[i], name) == 0)
            return (int)i;
    return -1;
}

enum wr_type wr_column_type(const wr_stmt *stmt, int i)
{
    const struct column_spec *column = column_at(stmt, i);
    return type_number(column ? column->type : NULL);
}

const char *stmt_made(const wr_stmt *stmt, const char *text)
{
    wr_stmt *memory = (wr_stmt *)stmt; /* what a caller sees of a run stays */
    if (!ctx_lacked(&stmt->ctx))
        return text;
    memory->status = fail_nomem(&memory->ctx);
    return "";
}

const char *stmt_text(const wr_stmt *stmt, struct slice text)
{
    wr_stmt *memory = (wr_stmt *)stmt;
    return stmt_made(stmt, ctx_string(&memory->ctx, text));
}

const char *wr_column_type_name(wr_stmt *stmt, int i)
{
    const struct column_spec *column = column_at(stmt, i);
    return column ? stmt_made(stmt, type_name(&stmt->ctx, column->type)) : "";
}

void wr_column_table(const wr_stmt *stmt, int i, const char **keyspace, const char **table)
{
    const struct column_spec *column = column_at(stmt, i);
    *keyspace = column && column->keyspace.data ? stmt_text(stmt, column->keyspace) : "";
    *table = column && column->table.data ? stmt_text(stmt, column->table) : "";
}

/* The way of every column of every row; NULL: there is none. */
static inline const struct slice *row_slice(const wr_stmt *stmt, int i)
{
    return (unsigned)i < stmt->result.shown ? &stmt->result.row[stmt->result.places[i]] : NULL;
}

static inline wr_value row_value(const wr_stmt *stmt, int i)
{
    const struct slice *value = row_slice(stmt, i);
    return value ? value_of(stmt->result.columns[i].type, *value) : (wr_value){ NULL, 0, NULL };
}

wr_value wr_column_value(const wr_stmt *stmt, int i)
{
    return row_value(stmt, i);
}

bool wr_column_is_null(const wr_stmt *stmt, int i)
{
    return wr_value_is_null(row_value(stmt, i));
}

int64_t wr_column_int(const wr_stmt *stmt, int i)
{
    return wr_value_int(row_value(stmt, i));
}

double wr_column_double(const wr_stmt *stmt, int i)
{
    return wr_value_double(row_value(stmt, i));
}

bool wr_column_bool(const wr_stmt *stmt, int i)
{
    return wr_value_bool(row_value(stmt, i));
}

const void *wr_column_bytes(const wr_stmt *stmt, int i, size_t *len)
{
    const struct slice *value = row_slice(stmt, i);
    *len = value ? value->len : 0;
    return value ? value->data : NULL;
}

const char *wr_column_text(wr_stmt *stmt, int i)
{
    wr_value value = row_value(stmt, i);
    struct buf buf;
    if (!value.data)
        return NULL;
    if (type_is_text(value_type_of(value)))
        return stmt_text(stmt, slice_of_value(value));
    buf_init(&buf, &stmt->run_arena);
    put_value(&buf, value, WR_STRING);
    buf_put_u8(&buf, 0);
    return stmt_made(stmt, (const char *)buf.data);
}

bool wr_column_uuid(const wr_stmt *stmt, int i, uint8_t out[16])
{
    return wr_value_uuid(row_value(stmt, i), out);
}
