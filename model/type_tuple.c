/* Tuples and user-defined types: fields by position, each may be null, the last ones may be missing. */
#include "model/digit.h"
#include "model/parse.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

/* "0th component", or for a UDT "0th field f" */
static const char *field_label(struct ctx *ctx, const struct type *type, uint32_t i)
{
    const char *label = type->kind == TYPE_UDT ? ctx_format(ctx, "%uth field %.*s", i, SLICE_ARG(type->field_names[i]))
                                               : ctx_format(ctx, "%uth component", i);
    return label ? label : "?";
}

static enum wr_status validate_field(struct ctx *ctx, const struct type *type, uint32_t i, struct slice value)
{
    enum wr_status st = type_validate(ctx, type->args[i], value);
    if (st != WR_INVALID || type->kind == TYPE_TUPLE)
        return st;
    const char *cause = ctx_format(ctx, "%s", ctx->error);
    return fail(ctx, st, "Failure validating the %s; %s", field_label(ctx, type, i), cause ? cause : "");
}

enum wr_status type_fields_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    struct reader r = reader_of(value);
    for (uint32_t i = 0; i < type->arg_count && reader_left(&r); i++) {
        if (reader_left(&r) < 4)
            return fail(ctx, WR_INVALID, "Not enough bytes to read size of %s", field_label(ctx, type, i));
        struct slice field = read_bytes32(&r);
        if (r.failed)
            return fail(ctx, WR_INVALID, "Not enough bytes to read %s", field_label(ctx, type, i));
        TRY(validate_field(ctx, type, i, field));
    }
    if (reader_left(&r))
        return fail(ctx, WR_INVALID, "Invalid remaining data after end of %s value",
                    type->kind == TYPE_UDT ? "UDT" : "tuple");
    return WR_OK;
}

/* The next field; null where it is missing. */
static struct slice next_field(struct elements *e)
{
    struct slice field;
    return elements_next(e, &field) ? field : SLICE_NULL;
}

/* Field by field, null first; what is missing counts as null. */
int type_fields_compare(const struct type *type, struct slice a, struct slice b)
{
    struct elements x, y;
    elements_open(&x, type, a);
    elements_open(&y, type, b);
    for (uint32_t i = 0; i < type->arg_count; i++) {
        struct slice p = next_field(&x), q = next_field(&y);
        int c = part_cmp(type->args[i], p, q);
        if (c)
            return c;
    }
    return 0;
}

static void print_name(struct buf *buf, const struct type *type, uint32_t i, enum text_form form)
{
    if (type->kind != TYPE_UDT)
        return;
    if (form == TEXT_JSON)
        json_put_name(buf, type->field_names[i]);
    else
        cql_put_name(buf, type->field_names[i]);
    buf_put_str(buf, ": ");
}

void type_fields_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    const char *ends = form == TEXT_JSON && type->kind == TYPE_TUPLE ? "[]" : type_ends(type);
    struct elements e;
    if (form == TEXT_STRING) {
        type_bytes_print(buf, type, value, form);
        return;
    }
    buf_put_u8(buf, (uint8_t)ends[0]);
    elements_open(&e, type, value);
    for (uint32_t i = 0; i < type->arg_count; i++) {
        if (form != TEXT_JSON && e.rest.len == 0 && !(form == TEXT_TERM && i == 0))
            break; /* a literal leaves out what is missing, but reads back with a field at least; JSON shows it as null */
        struct slice field = next_field(&e);
        if (i)
            buf_put_str(buf, ", ");
        print_name(buf, type, i, form);
        type_print(buf, type->args[i], field, form);
    }
    buf_put_u8(buf, (uint8_t)ends[1]);
}

/* ---- a:b:@, where @ is null and \: \@ stand for themselves (TupleType.getString, fromString) ---- */

static void put_escaped(struct buf *buf, struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        buf_put_str(buf, text.data[i] == ':' || text.data[i] == '@' ? "\\" : "");
        buf_put_u8(buf, text.data[i]);
    }
}

void type_fields_print_java(struct buf *buf, const struct type *type, struct slice value)
{
    struct elements e;
    elements_open(&e, type, value);
    for (uint32_t i = 0; i < type->arg_count && e.rest.len; i++) {
        struct slice field = next_field(&e);
        struct buf text;
        buf_init(&text, buf->arena);
        buf_put_str(buf, i ? ":" : "");
        if (slice_is_null(field))
            buf_put_u8(buf, '@');
        else
            type_print_java(&text, type->args[i], field);
        put_escaped(buf, buf_slice(&text));
        buf->failed |= text.failed;
    }
}

struct slice type_split_field(struct slice *rest, bool *more)
{
    size_t n = 0;
    while (n < rest->len && !(rest->data[n] == ':' && (n == 0 || rest->data[n - 1] != '\\')))
        n++;
    struct slice field = slice_of(rest->data, n);
    *more = n < rest->len;
    *rest = slice_skip(*rest, n + *more);
    return field;
}

enum wr_status type_unescape_field(struct ctx *ctx, struct slice field, const char *escaped, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    for (size_t i = 0; i < field.len; i++)
        if (field.data[i] != '\\' || i + 1 == field.len || !memchr(escaped, field.data[i + 1], strlen(escaped)))
            buf_put_u8(&buf, field.data[i]);
    return buf_done(ctx, &buf, out);
}

enum wr_status type_fields_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, type->arg_count), rest = text;
    uint32_t n = 0, count = 0;
    bool more = text.len > 0;
    if (!values)
        return WR_NOMEM;
    for (; more; count++)
        type_split_field(&rest, &more);
    if (count > type->arg_count)
        return fail(ctx, WR_INVALID, "Invalid tuple literal: too many elements. Type %s expects %u but got %u", type_name(ctx, type),
                    type->arg_count, count);
    while (n < count) {
        struct slice field = type_split_field(&text, &more);
        if (!slice_eq_str(field, "@")) {
            TRY(type_unescape_field(ctx, field, ":@", &field));
            TRY(type_ops(type->args[n])->from_string(ctx, type->args[n], field, &values[n]));
        }
        n++;
    }
    return type_pack(ctx, type, values, n, out);
}

/* ---- order ---- */

/* A user type may be given more fields, which must change neither the place nor the bytes of what lies in a key already: so its nulls
 * at the end are left out, and an end is marked that comes before any field. */
static uint32_t fields_in_order(const struct type *type, struct slice value)
{
    struct elements e;
    struct slice field;
    uint32_t n = 0;

    if (type->kind != TYPE_UDT)
        return type->arg_count;
    elements_open(&e, type, value);
    for (uint32_t i = 1; elements_next(&e, &field); i++)
        n = slice_is_null(field) ? n : i;
    return n;
}

void type_fields_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    uint32_t n = fields_in_order(type, value);
    struct elements e;
    elements_open(&e, type, value);
    for (uint32_t i = 0; i < n; i++)
        type_put_part(buf, type->args[i], next_field(&e));
    if (type->kind == TYPE_UDT)
        buf_put_u8(buf, PART_END);
}

enum wr_status type_fields_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, type->arg_count);
    if (!values)
        return WR_NOMEM;
    bool ends = type->kind == TYPE_UDT;
    uint32_t n = 0;
    for (; n < type->arg_count && !(ends && from->len && from->data[0] == PART_END); n++)
        TRY(type_get_part(ctx, type->args[n], from, &values[n]));
    if (ends && (!from->len || from->data[0] != PART_END))
        return fail_corrupt(ctx, "order: a user type's end");
    *from = slice_skip(*from, ends);
    return type_pack(ctx, type, values, n ? n : 1, out); /* fields that are all null are not no bytes at all */
}
