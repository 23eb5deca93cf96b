/* Lists, sets and maps, and what all types built of others share: walking, packing and ordering their elements. */
#include "engine/coding.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

enum { HEADER_LEN = 4 };
enum { BELOW_EMPTY = 0 }; /* in the order of a collection: its count is negative, and follows */

/* ---- walking ---- */

uint32_t type_collection_count(struct slice value)
{
    int32_t n = value.len >= HEADER_LEN ? (int32_t)read_u32(value.data) : 0;
    return n > 0 ? (uint32_t)n : 0; /* the server reads a negative count as none */
}

void elements_open(struct elements *e, const struct type *type, struct slice value)
{
    *e = (struct elements){ .type = type, .rest = value };
    if (slice_is_null(value))
        return;
    switch (type->kind) {
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_MAP:
        e->failed = value.len < HEADER_LEN;
        e->count = type_collection_count(value);
        if (type->kind == TYPE_MAP)
            e->count = e->count <= UINT32_MAX / 2 ? e->count * 2 : UINT32_MAX;
        if (!e->failed)
            e->rest = slice_skip(value, HEADER_LEN);
        break;
    case TYPE_VECTOR:
        e->count = type->dimension;
        break;
    default:
        e->count = type->arg_count;
        break;
    }
}

static bool read_element(struct elements *e, struct slice *out)
{
    struct reader r = reader_of(e->rest);
    *out = e->type->kind == TYPE_VECTOR ? vector_read(e->type, &r) : read_bytes32(&r);
    e->failed = r.failed;
    e->rest = reader_rest(&r);
    return !r.failed;
}

bool elements_next(struct elements *e, struct slice *out)
{
    bool may_end = type_has_fields(e->type);
    if (e->failed || e->at == e->count || (may_end && e->rest.len == 0))
        return false;
    e->at++;
    return read_element(e, out);
}

bool elements_next_entry(struct elements *e, struct slice *key, struct slice *value)
{
    if (!elements_next(e, key))
        return false;
    *value = *key;
    return e->type->kind != TYPE_MAP || elements_next(e, value);
}

struct slice element_at(const struct type *type, struct slice value, uint32_t at)
{
    struct slice element = SLICE_NULL;
    struct elements e;
    for (elements_open(&e, type, value); elements_next(&e, &element); at--)
        if (at == 0)
            return element;
    return SLICE_NULL;
}

/* ---- packing ---- */

/* As buf_put_bytes32 writes each, with room made once. */
static enum wr_status pack_bytes32(struct ctx *ctx, bool counted, uint32_t n, const struct slice *values, uint32_t count, struct slice *out)
{
    size_t len = counted ? HEADER_LEN : 0;
    for (uint32_t i = 0; i < count; i++)
        len += 4 + values[i].len;
    uint8_t *bytes = NEW_ROOM(ctx, uint8_t, len), *at = bytes;
    if (!bytes)
        return WR_NOMEM;
    if (counted)
        put_u32(at, n);
    at += counted ? HEADER_LEN : 0;
    for (uint32_t i = 0; i < count; i++) {
        put_u32(at, slice_is_null(values[i]) ? UINT32_MAX : (uint32_t)values[i].len);
        if (values[i].len)
            memcpy(at + 4, values[i].data, values[i].len);
        at += 4 + values[i].len;
    }
    *out = slice_of(bytes, len);
    return WR_OK;
}

enum wr_status type_pack(struct ctx *ctx, const struct type *type, const struct slice *values, uint32_t n,
                         struct slice *out)
{
    struct buf buf;
    uint32_t count = type_is_collection(type) ? n * type->arg_count : n;
    buf_init(&buf, ctx->arena);
    if (type->kind != TYPE_VECTOR)
        return pack_bytes32(ctx, type_is_collection(type), n, values, count, out);
    for (uint32_t i = 0; i < count; i++)
        vector_put(&buf, type, values[i]);
    return buf_done(ctx, &buf, out);
}

/* ---- sorting: stable and in place, by merging sorted halves with rotations; depth is the logarithm of n ---- */

struct items {
    const struct type *type; /* of what is compared */
    struct slice *at;
    size_t stride; /* 2 for map pairs: the key is compared, the value goes with it */
};

static int items_cmp(const struct items *s, size_t i, size_t j)
{
    return part_cmp(s->type, s->at[i * s->stride], s->at[j * s->stride]);
}

static void items_swap(const struct items *s, size_t i, size_t j)
{
    for (size_t k = 0; k < s->stride; k++) {
        struct slice t = s->at[i * s->stride + k];
        s->at[i * s->stride + k] = s->at[j * s->stride + k];
        s->at[j * s->stride + k] = t;
    }
}

static void items_reverse(const struct items *s, size_t from, size_t to)
{
    while (from + 1 < to)
        items_swap(s, from++, --to);
}

static void items_rotate(const struct items *s, size_t from, size_t middle, size_t to)
{
    items_reverse(s, from, middle);
    items_reverse(s, middle, to);
    items_reverse(s, from, to);
}

/* The first place in [from, to) whose item comes after `item`, or (or_equal) not before it. */
static size_t items_bound(const struct items *s, size_t from, size_t to, size_t item, bool or_equal)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int c = items_cmp(s, middle, item);
        if (c < 0 || (c == 0 && !or_equal))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void items_merge(const struct items *s, size_t from, size_t middle, size_t to)
{
    while (from < middle && middle < to) {
        if (items_cmp(s, middle - 1, middle) <= 0)
            return;
        if (to - from == 2) {
            items_swap(s, from, middle);
            return;
        }
        size_t left, right;
        if (middle - from > to - middle) {
            left = from + (middle - from) / 2;
            right = items_bound(s, middle, to, left, true);
        } else {
            right = middle + (to - middle) / 2;
            left = items_bound(s, from, middle, right, false);
        }
        items_rotate(s, left, middle, right);
        size_t split = left + (right - middle);
        items_merge(s, from, left, split);
        from = split;
        middle = right;
    }
}

static void items_sort(const struct items *s, size_t from, size_t to)
{
    if (to - from < 2)
        return;
    size_t middle = from + (to - from) / 2;
    items_sort(s, from, middle);
    items_sort(s, middle, to);
    items_merge(s, from, middle, to);
}

uint32_t type_sort_unique(const struct type *type, struct slice *values, uint32_t n)
{
    struct items s = { type->args[0], values, type->arg_count };
    items_sort(&s, 0, n);
    uint32_t kept = n > 0;
    for (uint32_t i = 1; i < n; i++) {
        if (items_cmp(&s, kept - 1, i) == 0) {
            if (s.stride == 2) /* as in Java's TreeMap the first key stays and takes the last value */
                values[(kept - 1) * 2 + 1] = values[i * 2 + 1];
            continue;
        }
        items_swap(&s, kept++, i);
    }
    return kept;
}

/* ---- values ---- */

/* The count as it stands there; 0 where there is none. */
static int32_t count_of(const struct type *type, struct slice value)
{
    return type_is_collection(type) && value.len >= HEADER_LEN ? (int32_t)read_u32(value.data) : 0;
}

/* Of texts UTF8Serializer.deserialize, and CollectionSerializer.deserialize. */
enum wr_status type_check_read(struct ctx *ctx, const struct type *type, struct slice value)
{
    struct elements e;
    struct slice element;
    if (type->kind == TYPE_TEXT)
        return type_text_decode(ctx, value);
    if (!type_is_collection(type))
        return WR_OK;
    if (count_of(type, value) < 0)
        return fail(ctx, WR_INVALID, "The data cannot be deserialized as a %s", type_word(type));
    for (elements_open(&e, type, value); elements_next(&e, &element);)
        if (!slice_is_null(element))
            TRY(type_check_read(ctx, element_type(type, e.at - 1), element));
    return WR_OK;
}

/* A vector whose elements say their lengths and do not keep to them: the exception is caught as that of what it is in. */
static bool runs_short(const struct type *type, struct slice value)
{
    struct elements e;
    struct slice element;

    if (type->kind != TYPE_VECTOR || vector_is_fixed(type) || !value.len)
        return false;
    for (elements_open(&e, type, value); elements_next(&e, &element);)
        ;
    return e.failed;
}

/* sent: as it comes from a client. */
static enum wr_status validate_elements(struct ctx *ctx, const struct type *type, struct slice value, bool sent)
{
    struct elements e;
    struct slice element, key = SLICE_NULL;
    bool null = false;
    elements_open(&e, type, value);
    while (elements_next(&e, &element)) {
        if (slice_is_null(element) && sent && type->kind == TYPE_LIST)
            continue;
        if ((null = slice_is_null(element)))
            break;
        if ((e.failed = runs_short(element_type(type, e.at - 1), element)))
            break;
        TRY(type_validate(ctx, element_type(type, e.at - 1), element));
        if (!sent)
            continue;
        if (type->kind == TYPE_MAP && e.at % 2) { /* looked into once its value has been read */
            key = element;
            continue;
        }
        if (type->kind == TYPE_MAP)
            TRY(type_check_read(ctx, type->args[0], key));
        TRY(type_check_read(ctx, element_type(type, e.at - 1), element));
    }
    if (e.failed)
        return fail(ctx, WR_INVALID, "Not enough bytes to read a %s", type_word(type));
    if (null)
        return fail(ctx, WR_INVALID, "Null value read when not allowed");
    if (e.rest.len)
        return fail(ctx, WR_INVALID, "Unexpected extraneous bytes after %s value", type_word(type));
    return WR_OK;
}

enum wr_status type_sequence_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    return validate_elements(ctx, type, value, false);
}

enum wr_status type_validate_sent(struct ctx *ctx, const struct type *type, struct slice value)
{
    if (!type_is_collection(type) || slice_is_null(value))
        return type_validate(ctx, type, value);
    if (count_of(type, value) < 0)
        return fail(ctx, WR_INVALID, "The data cannot be deserialized as a %s", type_word(type));
    return validate_elements(ctx, type, value, true);
}

/* Element by element, then the shorter first. */
int type_sequence_compare(const struct type *type, struct slice a, struct slice b)
{
    struct elements x, y;
    struct slice p, q;
    int32_t m = count_of(type, a), n = count_of(type, b);
    if (m < 0 || n < 0) /* of a descending key, which takes any: less than nothing, by how many */
        return (m > n) - (m < n);
    elements_open(&x, type, a);
    elements_open(&y, type, b);
    for (;;) {
        bool more_x = elements_next(&x, &p), more_y = elements_next(&y, &q);
        if (!more_x || !more_y)
            return (int)more_x - (int)more_y;
        int c = part_cmp(element_type(type, x.at - 1), p, q);
        if (c)
            return c;
    }
}

/* A key of a JSON object is a string whatever its type. */
static void print_json_key(struct buf *buf, const struct type *type, struct slice key)
{
    struct buf text;
    buf_init(&text, buf->arena);
    type_print(&text, type, key, TEXT_JSON);
    if (text.failed)
        buf->failed = true;
    else if (text.len && text.data[0] == '"')
        buf_put_slice(buf, buf_slice(&text));
    else
        json_put_string(buf, buf_slice(&text));
}

void type_sequence_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    const char *ends = form == TEXT_JSON && type->kind == TYPE_SET ? "[]" : type_ends(type);
    struct elements e;
    struct slice element;
    buf_put_u8(buf, (uint8_t)ends[0]);
    for (elements_open(&e, type, value); elements_next(&e, &element);) {
        const struct type *of = element_type(type, e.at - 1);
        bool is_value = type->kind == TYPE_MAP && e.at % 2 == 0;
        if (slice_is_null(element) && form == TEXT_JSON && of->kind == TYPE_DECIMAL)
            element = SLICE_EMPTY; /* DecimalType.toJSONString takes both for one */
        if (e.at > 1)
            buf_put_str(buf, is_value ? ": " : ", ");
        if (form == TEXT_JSON && type->kind == TYPE_MAP && !is_value)
            print_json_key(buf, of, element);
        else
            type_print(buf, of, element, form);
    }
    buf_put_u8(buf, (uint8_t)ends[1]);
}

enum wr_status type_sequence_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    return type_bytes_from_string(ctx, type, text, out);
}

/* ---- order ---- */

/*
 * A part of a larger value: 02 null, 03 empty, 04 and its bytes; 01 stands where one more might, so that the shorter of
 * two sequences comes first.
 */
int part_cmp(const struct type *type, struct slice a, struct slice b)
{
    if (slice_is_null(a) || slice_is_null(b))
        return (int)slice_is_null(b) - (int)slice_is_null(a);
    return type->reversed ? type_compare(type, b, a) : type_compare(type, a, b);
}

void type_sequence_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    struct elements e;
    struct slice element;
    if (count_of(type, value) < 0) {
        buf_put_u8(buf, BELOW_EMPTY);
        buf_put_u32(buf, (uint32_t)count_of(type, value));
        return;
    }
    for (elements_open(&e, type, value); elements_next(&e, &element);)
        type_put_part(buf, element_type(type, e.at - 1), element);
    buf_put_u8(buf, PART_END);
}

enum wr_status type_sequence_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    struct slice element = SLICE_NULL;
    struct buf buf;
    uint32_t n = 0;
    buf_init(&buf, ctx->arena);
    if (from->len > HEADER_LEN && from->data[0] == BELOW_EMPTY) {
        buf_put_slice(&buf, slice_of(from->data + 1, HEADER_LEN));
        *from = slice_skip(*from, 1 + HEADER_LEN);
        return buf_done(ctx, &buf, out);
    }
    buf_put_u32(&buf, 0);
    for (; from->len && from->data[0] != PART_END; n++) {
        TRY(type_get_part(ctx, element_type(type, n), from, &element));
        buf_put_bytes32(&buf, element);
    }
    if (!from->len || (type->kind == TYPE_MAP && n % 2))
        return fail_corrupt(ctx, "order: a collection");
    *from = slice_skip(*from, 1);
    if (!buf.failed)
        put_u32(buf.data, type->kind == TYPE_MAP ? n / 2 : n);
    return buf_done(ctx, &buf, out);
}
