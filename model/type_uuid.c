#include "engine/coding.h"
#include "engine/order.h"
#include "model/digit.h"
#include "model/type_ops.h"

enum { UUID_LEN = 16, TEXT_LEN = 36 };

static const uint64_t sign_bits = UINT64_C(0x8080808080808080);

static unsigned version_of(struct slice value)
{
    return value.data[6] >> 4;
}

/* The 60 bits of a version 1's time, from the highest, behind the version. */
static uint64_t time_first(uint64_t high)
{
    return high << 48 | (high << 16 & UINT64_C(0xffff00000000)) | high >> 32;
}

static uint64_t time_last(uint64_t ordered)
{
    return ordered << 32 | (ordered >> 16 & UINT64_C(0xffff0000)) | ordered >> 48;
}

/* UUIDType: the version decides; within version 1 the time; else the bytes. Returned so that unsigned order is that. */
static uint64_t ordered_high(uint64_t high)
{
    uint64_t version = high >> 12 & 15;
    return version == 1 ? time_first(high) : version << 60 | high >> 16 << 12 | (high & 0xfff);
}

static uint64_t unordered_high(uint64_t ordered)
{
    uint64_t version = ordered >> 60;
    return version == 1 ? time_last(ordered)
                        : (ordered >> 12 & UINT64_C(0xffffffffffff)) << 16 | version << 12 | (ordered & 0xfff);
}

static int cmp_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int type_uuid_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    int c = cmp_u64(ordered_high(read_u64(a.data)), ordered_high(read_u64(b.data)));
    return c ? c : cmp_u64(read_u64(a.data + 8), read_u64(b.data + 8));
}

void type_uuid_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    static const uint8_t ends[] = { 4, 6, 8, 10, UUID_LEN };
    size_t at = 0;
    for (size_t i = 0; i < sizeof ends; i++) {
        if (at)
            buf_put_u8(buf, '-');
        put_hex(buf, slice_of(value.data + at, ends[i] - at));
        at = ends[i];
    }
}

static bool parse_uuid(struct slice text, uint8_t out[UUID_LEN])
{
    static const uint8_t places[UUID_LEN] = { 0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34 };

    if (text.len != TEXT_LEN || text.data[8] != '-' || text.data[13] != '-' || text.data[18] != '-' || text.data[23] != '-')
        return false;
    for (size_t i = 0; i < UUID_LEN; i++) {
        int high = hex_digit(text.data[places[i]]), low = hex_digit(text.data[places[i] + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

enum wr_status type_uuid_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    uint8_t bytes[UUID_LEN];
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    if (!parse_uuid(text, bytes))
        return fail(ctx, WR_INVALID, "Unable to make UUID from '%.*s'", SLICE_ARG(text));
    return ctx_copy(ctx, slice_of(bytes, UUID_LEN), out);
}

static void put_two(struct buf *buf, uint64_t high, uint64_t low)
{
    buf_put_u64(buf, high);
    buf_put_u64(buf, low);
}

/* The front of comparable bytes, by their reader. */
static enum wr_status get_uuid(struct ctx *ctx, type_fixed_reader *read, const char *damage, struct slice *from, struct slice *out)
{
    if (from->len < UUID_LEN)
        return fail_corrupt(ctx, damage);
    uint8_t *bytes = arena_alloc_raw(ctx->arena, UUID_LEN);
    if (!bytes)
        return fail_nomem(ctx);
    read(from->data, bytes, UUID_LEN);
    *from = slice_skip(*from, UUID_LEN);
    *out = slice_of(bytes, UUID_LEN);
    return WR_OK;
}

void type_uuid_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    put_two(buf, ordered_high(read_u64(value.data)), read_u64(value.data + 8));
}

void type_uuid_get_fixed(const uint8_t *from, uint8_t *to, size_t len)
{
    (void)len;
    put_u64(to, unordered_high(read_u64(from)));
    put_u64(to + 8, read_u64(from + 8));
}

enum wr_status type_uuid_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    return get_uuid(ctx, type_uuid_get_fixed, "order: a uuid", from, out);
}

/* ---- timeuuid: the time, then the low eight bytes as signed ones (TimeUUIDType, for the sake of old data) ---- */

enum wr_status type_timeuuid_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    if (value.len == UUID_LEN && version_of(value) != 1 && !type_is_legacy_timeuuid(type))
        return fail(ctx, WR_INVALID, "Invalid version for TimeUUID type: 0x%x", value.data[0] >> 4); /* it shows its first digit */
    return WR_OK;
}

int type_timeuuid_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    int c = cmp_u64(time_first(read_u64(a.data)), time_first(read_u64(b.data)));
    return c ? c : cmp_u64(read_u64(a.data + 8) ^ sign_bits, read_u64(b.data + 8) ^ sign_bits);
}

void type_timeuuid_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    type_uuid_print(buf, type, value, form);
}

enum wr_status type_timeuuid_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    uint8_t bytes[UUID_LEN];
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    if (!parse_uuid(text, bytes))
        return fail(ctx, WR_INVALID, "Unknown timeuuid representation: %.*s", SLICE_ARG(text));
    if (version_of(slice_of(bytes, UUID_LEN)) != 1)
        return fail(ctx, WR_INVALID, "TimeUUID supports only version 1 UUIDs");
    return ctx_copy(ctx, slice_of(bytes, UUID_LEN), out);
}

void type_timeuuid_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    put_two(buf, time_first(read_u64(value.data)), read_u64(value.data + 8) ^ sign_bits);
}

void type_timeuuid_get_fixed(const uint8_t *from, uint8_t *to, size_t len)
{
    (void)len;
    put_u64(to, time_last(read_u64(from)));
    put_u64(to + 8, read_u64(from + 8) ^ sign_bits);
}

enum wr_status type_timeuuid_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    return get_uuid(ctx, type_timeuuid_get_fixed, "order: a timeuuid", from, out);
}

/* ---- LexicalUUIDType: both halves as signed numbers (UUID.compareTo) ---- */

static const uint64_t sign_bit = UINT64_C(1) << 63;

int type_lexical_uuid_compare(const struct type *type, struct slice a, struct slice b)
{
    (void)type;
    int c = cmp_u64(read_u64(a.data) ^ sign_bit, read_u64(b.data) ^ sign_bit);
    return c ? c : cmp_u64(read_u64(a.data + 8) ^ sign_bit, read_u64(b.data + 8) ^ sign_bit);
}

void type_lexical_uuid_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    type_uuid_print(buf, type, value, form);
}

/* UUID.fromString: five numbers of any length, of each the low digits that have room. */
static bool parse_groups(struct slice text, uint8_t out[UUID_LEN])
{
    static const unsigned group_len[] = { 4, 2, 2, 2, 6 };
    size_t at = 0;

    if (text.len > TEXT_LEN)
        return false;
    for (unsigned group = 0; group < sizeof group_len / sizeof *group_len; group++) {
        uint64_t value = 0;
        size_t start = at;
        for (; at < text.len && hex_digit(text.data[at]) >= 0; at++) {
            if (value >> 59) /* Long.parseLong: more than 63 bits */
                return false;
            value = value << 4 | (uint64_t)hex_digit(text.data[at]);
        }
        if (at == start)
            return false;
        for (unsigned i = group_len[group]; i-- > 0; value >>= 8)
            out[i] = (uint8_t)value;
        out += group_len[group];
        if (group < 4 && (at == text.len || text.data[at++] != '-'))
            return false;
    }
    return at == text.len;
}

enum wr_status type_lexical_uuid_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    uint8_t bytes[UUID_LEN];
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    if (!parse_groups(text, bytes))
        return fail(ctx, WR_INVALID, "unable to make UUID from '%.*s'", SLICE_ARG(text));
    return ctx_copy(ctx, slice_of(bytes, UUID_LEN), out);
}

void type_lexical_uuid_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    (void)type;
    put_two(buf, read_u64(value.data) ^ sign_bit, read_u64(value.data + 8) ^ sign_bit);
}

void type_lexical_uuid_get_fixed(const uint8_t *from, uint8_t *to, size_t len)
{
    (void)len;
    put_u64(to, read_u64(from) ^ sign_bit);
    put_u64(to + 8, read_u64(from + 8) ^ sign_bit);
}

enum wr_status type_lexical_uuid_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    (void)type;
    return get_uuid(ctx, type_lexical_uuid_get_fixed, "order: a lexical uuid", from, out);
}
