/* CQL's values as Java's objects, and back (Cassandra's UDFDataType and the codecs behind it). */
#include "engine/coding.h"
#include "model/calendar.h"
#include "model/java/object.h"
#include "model/numeric.h"
#include "model/parse.h"
#include "model/recompose.h"
#include "model/unicode.h"

/* ---- from CQL ---- */

static bool from_list(struct java_run *run, const struct type *type, struct slice value, struct java_object *o)
{
    struct elements e;
    struct java_object *item;
    struct slice part;

    elements_open(&e, type, value);
    while (elements_next(&e, &part))
        if (!java_object_from_value(run, type->args[0], part, &item) || !java_list_add(run, &o->list, o->list.count, item))
            return false;
    return true;
}

/* The list is one that Guava has made. */
static bool from_vector(struct java_run *run, const struct type *type, struct slice value, struct java_object *o)
{
    if (!from_list(run, type, value, o))
        return false;
    java_seal(o);
    return true;
}

static bool from_map(struct java_run *run, const struct type *type, struct slice value, struct java_object *o)
{
    struct java_object *key, *item = NULL, *before;
    struct elements e;
    struct slice part;

    elements_open(&e, type, value);
    while (elements_next(&e, &part)) {
        if (!java_object_from_value(run, type->args[0], part, &key))
            return false;
        if (type->kind == TYPE_MAP && (!elements_next(&e, &part) || !java_object_from_value(run, type->args[1], part, &item)))
            return false;
        if (!java_map_put(run, o, key, item, &before))
            return false;
    }
    return true;
}

static bool from_fields(struct java_run *run, const struct type *type, struct slice value, struct java_object *o)
{
    struct elements e;
    uint32_t n = 0;

    if (!(o->tuple.fields = java_alloc(run, (type->arg_count + 1u) * sizeof *o->tuple.fields)))
        return false;
    o->tuple.type = type;
    elements_open(&e, type, value);
    while (n < type->arg_count && elements_next(&e, &o->tuple.fields[n]))
        n++;
    while (n < type->arg_count)
        o->tuple.fields[n++] = SLICE_NULL;
    return true;
}

static void read_boolean(enum type_kind kind, struct slice value, union java_value *out)
{
    (void)kind;
    out->i = value.data[0] != 0;
}

static void read_real(enum type_kind kind, struct slice value, union java_value *out)
{
    out->d = numeric_read(kind, value).real;
}

static void read_integer(enum type_kind kind, struct slice value, union java_value *out)
{
    out->i = numeric_read(kind, value).integer;
}

static void read_time(enum type_kind kind, struct slice value, union java_value *out)
{
    (void)kind;
    out->i = (int64_t)read_u64(value.data);
}

static void read_date(enum type_kind kind, struct slice value, union java_value *out)
{
    (void)kind;
    out->i = (int64_t)read_u32(value.data) - DATE_EPOCH;
}

/* A BigDecimal or BigInteger has as few bytes as there may be, however many it was read from. */
static bool from_number(struct java_run *run, const struct type *type, struct slice value, struct java_object *o)
{
    return java_ok(run, element_recompose(run->ctx, type, value, &o->bytes));
}

static bool from_blob(struct java_run *run, const struct type *type, struct slice value, struct java_object *o)
{
    (void)type;
    return java_buffer_of(run, value, o);
}

/* ---- to CQL ---- */

static bool check_class(struct java_run *run, const struct java_object *o, enum java_kind kind)
{
    bool list = kind == J_LIST && o->kind == J_COLLECTION; /* a map's values are no List */
    if (!list && o->kind != J_ARRAY && java_kind_extends(o->kind, kind))
        return true;
    return java_throw(run, J_CLASS_CAST, "class %s cannot be cast to class %s", java_class_full_name(o->kind == J_ARRAY ? J_OBJECT : o->kind),
                      java_class_full_name(kind));
}

/* An element, a key or a value: none may be null in a value, nor in a vector, whose bytes have no place for one. */
static bool part_to_value(struct java_run *run, const struct type *type, uint32_t part, const char *what, const struct java_object *o, struct slice *out)
{
    if (!o && !(run->keeps && type->kind != TYPE_VECTOR))
        return java_throw(run, J_NULL_POINTER, "%s cannot be null", what);
    return java_to_value(run, type->args[part], o, out);
}

/* Sets and maps stay in the order that they had in Java (the codecs sort nothing): who stores one sorts it. */
static bool to_collection(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    struct java_object **items;
    struct slice *values;
    uint32_t n, per = type->arg_count;
    struct java_pair **pairs = NULL;

    if (type->kind == TYPE_MAP) {
        n = o->map.count;
        if (!java_map_pairs(run, o, &pairs))
            return false;
    } else if (!java_items(run, o, &items, &n)) {
        return false;
    }
    if (!(values = java_alloc(run, (n + 1u) * per * sizeof *values)))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!part_to_value(run, type, 0, pairs ? "Map keys" : "Collection elements", pairs ? pairs[i]->key : items[i], &values[per * i]))
            return false;
        if (pairs && !part_to_value(run, type, 1, "Map values", pairs[i]->value, &values[per * i + 1]))
            return false;
    }
    if (type->kind == TYPE_VECTOR && n < type->dimension)
        return java_throw(run, J_NO_SUCH_ELEMENT, NULL);
    if (type->kind == TYPE_VECTOR) /* more than enough are cut off */
        n = type->dimension;
    return java_ok(run, type_pack(run->ctx, type, values, n, out));
}

/* Where the value has the field that the type has at `at`: by its name in a UDT; past the end in a tuple of fewer. */
static bool find_field(struct java_run *run, const struct type *type, uint32_t at, const struct java_object *o, uint32_t *out)
{
    struct slice written;
    struct buf name;
    *out = at;
    if (type->kind == TYPE_TUPLE)
        return true;
    buf_init(&name, run->ctx->arena);
    cql_put_name(&name, type->field_names[at]);
    return java_ok(run, buf_done(run->ctx, &name, &written)) && java_field_named(run, o, written, out);
}

/* The codecs look for the fields that the type has, and take their bytes as they are, whatever type they were of. Bytes that are none of the
 * field's type a server gives to its clients all the same. */
static bool to_fields(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    const struct type *from = o->tuple.type;
    struct slice *fields = java_alloc(run, type->arg_count * sizeof *fields);
    if (!fields)
        return false;
    for (uint32_t i = 0; i < type->arg_count; i++) {
        uint32_t at;
        if (!find_field(run, type, i, o, &at))
            return false;
        fields[i] = at < from->arg_count ? o->tuple.fields[at] : SLICE_NULL;
        if (!slice_is_null(fields[i]) && !type_eq_value(type->args[i], from->args[at]) && type_validate(run->ctx, type->args[i], fields[i]) != WR_OK)
            return java_throw(run, J_CLASS_CAST, "%s cannot be cast to %s", type_name(run->ctx, from), type_name(run->ctx, type));
    }
    return java_ok(run, type_pack(run->ctx, type, fields, type->arg_count, out));
}

/* So many bytes as values of the type have. */
static bool to_bytes(struct java_run *run, const struct type *type, uint64_t v, struct slice *out)
{
    const size_t width = (size_t)type_fixed_len(type);
    uint8_t *bytes = java_alloc(run, width);
    if (!bytes)
        return false;
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(v >> 8 * (width - 1 - i));
    *out = slice_of(bytes, width);
    return true;
}

/* TypeCodec's AsciiCodec. */
static bool to_ascii(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    (void)type;
    if (!java_utf8(run, o, out))
        return false;
    return run->keeps || unicode_is_ascii(*out) || java_throw(run, J_INVALID_TYPE, "%.*s is not a valid ASCII String", SLICE_ARG(*out));
}

static bool to_text(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    (void)type;
    return java_utf8(run, o, out);
}

static bool to_blob(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    (void)type;
    return java_buffer_rest(run, o, out);
}

static bool to_real(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    return java_ok(run, numeric_put_real(run->ctx, type->kind, o->value.d, out));
}

static bool to_integer(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    return java_ok(run, numeric_put_integer(run->ctx, type->kind, o->value.i, out));
}

static bool to_number(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    return to_bytes(run, type, (uint64_t)o->value.i, out);
}

static bool to_date(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    return to_bytes(run, type, (uint64_t)(o->value.i + DATE_EPOCH), out);
}

/* ---- by type ---- */

static const struct codec {
    enum java_kind kind, primitive;                                                                            /* J_ERROR: no primitive */
    void (*read)(enum type_kind kind, struct slice value, union java_value *out);                              /* numbers to Java; NULL: they are none */
    bool (*from)(struct java_run *run, const struct type *type, struct slice value, struct java_object *o);    /* NULL: read, or its bytes */
    bool (*to)(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out); /* NULL: its bytes */
} codecs[TYPE_KIND_COUNT] = {
    [TYPE_ASCII] = { J_STRING, J_ERROR, NULL, NULL, to_ascii },
    [TYPE_TEXT] = { J_STRING, J_ERROR, NULL, NULL, to_text },
    [TYPE_BIGINT] = { J_BOX_LONG, J_LONG, read_integer, NULL, to_integer },
    [TYPE_COUNTER] = { J_BOX_LONG, J_LONG, read_integer, NULL, to_integer },
    [TYPE_BLOB] = { J_BYTE_BUFFER, J_ERROR, NULL, from_blob, to_blob },
    [TYPE_BOOLEAN] = { J_BOX_BOOLEAN, J_BOOLEAN, read_boolean, NULL, to_number },
    [TYPE_DATE] = { J_LOCAL_DATE, J_ERROR, read_date, NULL, to_date },
    [TYPE_DECIMAL] = { J_BIG_DECIMAL, J_ERROR, NULL, from_number, NULL },
    [TYPE_DOUBLE] = { J_BOX_DOUBLE, J_DOUBLE, read_real, NULL, to_real },
    [TYPE_DURATION] = { J_DURATION, J_ERROR, NULL, NULL, NULL },
    [TYPE_FLOAT] = { J_BOX_FLOAT, J_FLOAT, read_real, NULL, to_real },
    [TYPE_INET] = { J_INET_ADDRESS, J_ERROR, NULL, NULL, NULL },
    [TYPE_INT] = { J_BOX_INT, J_INT, read_integer, NULL, to_integer },
    [TYPE_SMALLINT] = { J_BOX_SHORT, J_SHORT, read_integer, NULL, to_integer },
    [TYPE_TIME] = { J_BOX_LONG, J_LONG, read_time, NULL, to_number },
    [TYPE_TIMESTAMP] = { J_DATE, J_ERROR, read_time, NULL, to_number },
    [TYPE_TIMEUUID] = { J_UUID, J_ERROR, NULL, NULL, NULL },
    [TYPE_TINYINT] = { J_BOX_BYTE, J_BYTE, read_integer, NULL, to_integer },
    [TYPE_UUID] = { J_UUID, J_ERROR, NULL, NULL, NULL },
    [TYPE_VARINT] = { J_BIG_INTEGER, J_ERROR, NULL, from_number, NULL },
    [TYPE_LIST] = { J_LIST, J_ERROR, NULL, from_list, to_collection },
    [TYPE_VECTOR] = { J_LIST, J_ERROR, NULL, from_vector, to_collection },
    [TYPE_SET] = { J_SET, J_ERROR, NULL, from_map, to_collection },
    [TYPE_MAP] = { J_MAP, J_ERROR, NULL, from_map, to_collection },
    [TYPE_TUPLE] = { J_TUPLE_VALUE, J_ERROR, NULL, from_fields, to_fields },
    [TYPE_UDT] = { J_UDT_VALUE, J_ERROR, NULL, from_fields, to_fields },
};

/* Java has no class for what CQL has no name for, so that it is bytes. */
static const struct type *seen_by_java(const struct type *type)
{
    bool is_bytes = type_is_legacy_timeuuid(type) || type_is_class(type) || type->kind == TYPE_EMPTY;
    return is_bytes ? type_native(TYPE_BLOB) : type;
}

enum wr_status java_type_of(struct ctx *ctx, const struct type *type, bool primitive, const struct java_type **out)
{
    const struct java_type *args[2] = { NULL, NULL };
    enum java_kind kind = codecs[(type = seen_by_java(type))->kind].kind;

    *out = kind ? java_simple(primitive && codecs[type->kind].primitive ? codecs[type->kind].primitive : kind) : NULL;
    if (kind != J_LIST && kind != J_SET && kind != J_MAP)
        return WR_OK;
    for (uint32_t i = 0; i < type->arg_count && i < 2; i++) {
        TRY(java_type_of(ctx, type->args[i], false, &args[i]));
        if (!args[i]) {
            *out = NULL;
            return WR_OK;
        }
    }
    *out = java_generic(ctx, kind, args[0], args[1]);
    return *out ? WR_OK : WR_NOMEM;
}

/* The class of the objects that values are made, where Java's type of them is an interface. */
static enum java_kind made_as(enum java_kind kind)
{
    return kind == J_LIST ? J_ARRAY_LIST : kind == J_SET ? J_LINKED_HASH_SET : kind == J_MAP ? J_LINKED_HASH_MAP : kind;
}

bool java_object_from_value(struct java_run *run, const struct type *type, struct slice value, struct java_object **out)
{
    const struct codec *codec = &codecs[(type = seen_by_java(type))->kind];
    enum java_kind kind = codec->kind;
    struct java_object *o;

    *out = NULL;
    if (type_reads_null(type, value))
        return true;
    if (kind == J_STRING)
        return java_string_of_utf8(run, value, out);
    if (!(o = java_new(run, made_as(kind))))
        return false;
    *out = o;
    if (codec->from)
        return codec->from(run, type, value, o);
    if (codec->read)
        codec->read(type->kind, value, &o->value);
    else
        o->bytes = value;
    return true;
}

bool java_from_value(struct java_run *run, const struct type *type, struct slice value, const struct java_type *as, union java_value *out)
{
    if (!java_is_primitive(as))
        return java_object_from_value(run, type, value, &out->o);
    out->i = 0;
    if (!type_reads_null(type, value) && codecs[type->kind].read)
        codecs[type->kind].read(type->kind, value, out);
    return true;
}

bool java_to_value(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    *out = SLICE_NULL;
    if (!o)
        return true;
    const struct codec *codec = &codecs[(type = seen_by_java(type))->kind];
    if (!check_class(run, o, codec->kind))
        return false;
    if (codec->to)
        return codec->to(run, type, o, out);
    *out = o->bytes;
    return true;
}

/* ---- kept between two calls of an aggregate's functions ---- */

/* In front of the bytes of a collection: what they do not tell of it. */
struct shape {
    enum java_kind kind;
    enum java_list_words words;
    uint32_t buckets;
    bool fixed, sealed;
};

bool java_has_shape(const struct type *type)
{
    return type->kind == TYPE_LIST || type->kind == TYPE_VECTOR || type->kind == TYPE_SET || type->kind == TYPE_MAP;
}

/* A view, and what goes by a Comparator, is again of the class that values of the type are made as. */
static enum java_kind kind_again(const struct java_object *o, enum java_kind made)
{
    bool plain = o->kind == J_LIST || o->kind == J_LINKED_LIST || java_is_immutable(o) || o->kind == J_HASH_SET || o->kind == J_TREE_SET ||
                 o->kind == J_HASH_MAP || o->kind == J_TREE_MAP;
    return plain && !o->viewed && !(java_is_map(o) && o->map.order) ? o->kind : made;
}

static struct shape shape_of(const struct type *type, const struct java_object *o)
{
    enum java_kind kind = kind_again(o, made_as(codecs[type->kind].kind));
    return java_is_map(o) ? (struct shape){ .kind = kind, .buckets = o->map.buckets, .sealed = o->map.sealed }
                          : (struct shape){ .kind = kind, .words = o->list.words, .fixed = o->list.fixed, .sealed = o->list.sealed };
}

bool java_keep(struct java_run *run, const struct type *type, const struct java_object *o, struct slice *out)
{
    uint8_t *bytes;

    run->keeps = true;
    bool good = java_to_value(run, type, o, out);
    run->keeps = false;
    if (!good || !o || !java_has_shape(type))
        return good;
    struct shape shape = shape_of(type, o);
    if (!(bytes = java_alloc(run, sizeof shape + out->len)))
        return false;
    memcpy(bytes, &shape, sizeof shape);
    memcpy(bytes + sizeof shape, out->data, out->len);
    *out = slice_of(bytes, sizeof shape + out->len);
    return true;
}

bool java_from_kept(struct java_run *run, const struct type *type, struct slice kept, const struct java_type *as, union java_value *out)
{
    struct shape shape;
    struct java_object *o;

    if (slice_is_null(kept) || !java_has_shape(type))
        return java_from_value(run, type, kept, as, out);
    memcpy(&shape, kept.data, sizeof shape);
    if (!(o = java_new(run, shape.kind)))
        return false;
    if (java_is_map(o))
        o->map.buckets = shape.buckets;
    if (!codecs[type->kind].from(run, type, slice_skip(kept, sizeof shape), o))
        return false;
    if (java_is_map(o)) {
        o->map.sealed = shape.sealed;
    } else {
        o->kind = shape.kind;
        o->list.words = shape.words;
        o->list.fixed = shape.fixed;
        o->list.sealed = shape.sealed;
    }
    out->o = o;
    return true;
}
