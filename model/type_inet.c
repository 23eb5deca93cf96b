#include "engine/coding.h"
#include "engine/order.h"
#include "model/digit.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

enum { V4_LEN = 4, V6_LEN = 16, GROUPS = 8, V4_TEXT_MAX = 15 };

enum wr_status type_inet_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    (void)type;
    if (value.len == 0 || value.len == V4_LEN || value.len == V6_LEN)
        return WR_OK;
    struct buf hex;
    buf_init(&hex, ctx->arena);
    put_hex(&hex, slice_of(value.data, value.len < ERROR_TEXT_MAX ? value.len : ERROR_TEXT_MAX));
    if (hex.failed)
        return fail_nomem(ctx);
    return fail(ctx, WR_INVALID, "Expected 4 or 16 byte inetaddress; got %.*s", SLICE_ARG(buf_slice(&hex)));
}

int type_inet_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_bytes_compare(type, a, b);
}

static bool is_mapped_v4(const uint8_t *v6)
{
    static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };
    return memcmp(v6, prefix, sizeof prefix) == 0;
}

struct slice inet_unmapped(struct slice value)
{
    return value.len == V6_LEN && is_mapped_v4(value.data) ? slice_skip(value, V6_LEN - V4_LEN) : value;
}

/* InetAddress.getHostAddress: no run of zeros is shortened; a mapped IPv4 address is shown as that. */
void type_inet_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    (void)type;
    (void)form;
    const uint8_t *p = inet_unmapped(value).data;
    if (value.len == V4_LEN || p != value.data) {
        buf_printf(buf, "%u.%u.%u.%u", p[0], p[1], p[2], p[3]);
        return;
    }
    for (int i = 0; i < GROUPS; i++)
        buf_printf(buf, i ? ":%x" : "%x", read_u16(p + (size_t)i * 2));
}

/* ---- text: what InetAddress.getByName takes without asking a name server, and "localhost" ---- */

/* One to four numbers; the last fills the bytes that are left: 1.2.3 is 1.2.0.3. */
static bool parse_v4(struct slice s, bool four_parts, uint8_t out[V4_LEN])
{
    for (int part = 0; part < V4_LEN && s.len <= V4_TEXT_MAX; part++) {
        uint64_t v = 0;
        size_t n = 0;
        for (; n < s.len && s.data[n] >= '0' && s.data[n] <= '9' && v <= UINT32_MAX; n++)
            v = v * 10 + (uint64_t)(s.data[n] - '0');
        if (n == 0)
            return false;
        s = slice_skip(s, n);
        if (s.len == 0) {
            int left = V4_LEN - part;
            if (v >> (8 * left) || (four_parts && left != 1))
                return false;
            for (int i = V4_LEN; i-- > part; v >>= 8)
                out[i] = (uint8_t)v;
            return true;
        }
        if (s.data[0] != '.' || v > 255)
            return false;
        out[part] = (uint8_t)v;
        s = slice_skip(s, 1);
    }
    return false;
}

/* Groups of hexadecimal digits, :: once for as many zeros as are missing, perhaps an IPv4 address at the end. */
static bool parse_v6(struct slice s, uint8_t out[V6_LEN])
{
    size_t n = 0, gap = SIZE_MAX;
    memset(out, 0, V6_LEN);
    if (s.len < 2 || (s.data[0] == ':' && s.data[1] != ':'))
        return false;
    if (s.data[0] == ':')
        s = slice_skip(s, 1);
    while (s.len) {
        if (s.data[0] == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = n;
            s = slice_skip(s, 1);
            continue;
        }
        uint32_t v = 0;
        size_t i = 0;
        for (; i < s.len && hex_digit(s.data[i]) >= 0 && v <= 0xffff; i++)
            v = v << 4 | (uint32_t)hex_digit(s.data[i]);
        if (i < s.len && s.data[i] == '.') {
            if (n + V4_LEN > V6_LEN || !parse_v4(s, true, out + n))
                return false;
            n += V4_LEN;
            break;
        }
        if (i == 0 || v > 0xffff || n + 2 > V6_LEN)
            return false;
        put_u16(out + n, (uint16_t)v);
        n += 2;
        s = slice_skip(s, i);
        if (s.len) {
            if (s.data[0] != ':' || s.len == 1)
                return false;
            s = slice_skip(s, 1);
        }
    }
    if (gap == SIZE_MAX)
        return n == V6_LEN;
    if (n == V6_LEN)
        return false;
    memmove(out + V6_LEN - (n - gap), out + gap, n - gap);
    memset(out + gap, 0, V6_LEN - n);
    return true;
}

/* A number behind % is an interface's, which the bytes have no room for. */
static struct slice without_zone(struct slice s)
{
    const uint8_t *percent = s.len ? memchr(s.data, '%', s.len) : NULL;
    if (!percent)
        return s;
    size_t from = (size_t)(percent - s.data) + 1;
    uint64_t zone = 0;
    for (size_t i = from; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return s;
        zone = zone * 10 + (uint64_t)(s.data[i] - '0');
        if (zone > INT32_MAX) /* of no interface, then, but its name */
            return s;
    }
    return from < s.len ? slice_of(s.data, from - 1) : s;
}

enum wr_status type_inet_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    (void)type;
    uint8_t bytes[V6_LEN];
    struct slice s = text;
    if (text.len == 0) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    if (slice_eq_str(text, "localhost"))
        s = SLICE_LIT("127.0.0.1");
    if (parse_v4(s, false, bytes))
        return ctx_copy(ctx, slice_of(bytes, V4_LEN), out);
    if (s.len > 2 && s.data[0] == '[' && s.data[s.len - 1] == ']')
        s = slice_of(s.data + 1, s.len - 2);
    struct slice address = without_zone(s);
    bool is_v6 = parse_v6(address, bytes), mapped = is_v6 && is_mapped_v4(bytes);
    if (!is_v6 || (mapped && address.len != s.len)) /* an IPv4 address has no zone */
        return fail(ctx, WR_INVALID, "Unable to make inet address from '%.*s'", SLICE_ARG(text));
    if (mapped)
        return ctx_copy(ctx, slice_of(bytes + V6_LEN - V4_LEN, V4_LEN), out);
    return ctx_copy(ctx, slice_of(bytes, V6_LEN), out);
}

void type_inet_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    type_bytes_put_order(buf, type, value);
}

enum wr_status type_inet_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    return type_bytes_get_order(ctx, type, from, out);
}
