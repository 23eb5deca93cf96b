#include "wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"

enum { OUT_ROOM_FIRST = 512, OUT_ROOM_KEPT = 1 << 20, STRING_MAX = 65535 };

/* ---- in ---- */

struct wire_in wire_in_of(const uint8_t *data, size_t len)
{
    static const uint8_t nothing[1];
    struct wire_in in; /* its text is not zero-filled: several are begun for every request */
    in.at = len ? data : nothing; /* of nothing data may be NULL, to which nothing can be added */
    in.end = in.at + len;
    in.failed = false;
    in.error[0] = '\0';
    return in;
}

void wire_fail(struct wire_in *in, const char *format, ...)
{
    if (in->failed)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(in->error, sizeof in->error, format, arguments);
    va_end(arguments);
    in->failed = true;
    in->at = in->end;
}

static const uint8_t *take(struct wire_in *in, size_t len)
{
    if ((size_t)(in->end - in->at) < len) {
        wire_fail(in, "Not enough bytes to read the message");
        return NULL;
    }
    const uint8_t *at = in->at;
    in->at += len;
    return at;
}

static uint64_t number(struct wire_in *in, size_t len)
{
    const uint8_t *at = take(in, len);
    uint64_t n = 0;
    for (size_t i = 0; at && i < len; i++)
        n = n << 8 | at[i];
    return n;
}

uint8_t wire_u8(struct wire_in *in)
{
    return (uint8_t)number(in, 1);
}

uint16_t wire_u16(struct wire_in *in)
{
    return (uint16_t)number(in, 2);
}

uint32_t wire_u32(struct wire_in *in)
{
    return (uint32_t)number(in, 4);
}

int64_t wire_i64(struct wire_in *in)
{
    return (int64_t)number(in, 8);
}

static struct wire_bytes counted(struct wire_in *in, size_t length_size, const char *what)
{
    struct wire_bytes none = { NULL, 0 };
    size_t rest = (size_t)(in->end - in->at);
    uint32_t len = rest < length_size ? UINT32_MAX : (uint32_t)number(in, length_size);
    if (in->failed)
        return none;
    if (len > INT32_MAX || len > (size_t)(in->end - in->at)) {
        wire_fail(in, "Not enough bytes to read %s preceded by its %zu bytes length", what, length_size);
        return none;
    }
    struct wire_bytes bytes = { in->at, (int32_t)len };
    in->at += len;
    return bytes;
}

/* How many bytes there are as those of a character may be; *len: how many it has, 0: none begins so. */
static size_t utf8_prefix(const uint8_t *at, const uint8_t *end, size_t *len)
{
    uint8_t first = at[0], low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, high = first == 0xf4 ? 0x8f : 0xbf;
    *len = first < 0x80 ? 1 : first >= 0xc2 && first <= 0xdf ? 2 : (first & 0xf0) == 0xe0 ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
    if (*len < 2 || end - at < 2 || at[1] < low || at[1] > high)
        return 1;
    size_t n = 2;
    while (n < *len && at + n < end && (at[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* How many bytes the well-formed character at `at` has; 0: it is none. */
static size_t utf8_length(const uint8_t *at, const uint8_t *end)
{
    size_t len, n = utf8_prefix(at, end, &len);
    bool is_surrogate = at[0] == 0xed && n == len && at[1] > 0x9f;
    return n == len && !is_surrogate ? n : 0;
}

/* Of Java's decoder: where it stopped, and how much of that it has found wrong, which is what could have become a character. */
static void fail_utf8(struct wire_in *in, const uint8_t *at, const uint8_t *end)
{
    char hex[WIRE_ERROR_ROOM] = "";
    size_t len, wrong = utf8_prefix(at, end, &len);
    for (size_t i = 0; at + i < end && 2 * i + 2 < sizeof hex; i++)
        snprintf(hex + 2 * i, 3, "%02x", at[i]);
    wire_fail(in, "Cannot decode string as UTF8: '%s'; java.nio.charset.MalformedInputException: Input length = %zu", hex, wrong);
}

static struct wire_bytes checked_utf8(struct wire_in *in, struct wire_bytes text)
{
    const uint8_t *at = text.data, *end = text.len ? text.data + text.len : at;
    while (at < end) {
        size_t len = utf8_length(at, end);
        if (!len) {
            fail_utf8(in, at, end);
            return (struct wire_bytes){ NULL, 0 };
        }
        at += len;
    }
    return text;
}

struct wire_bytes wire_string(struct wire_in *in)
{
    return checked_utf8(in, counted(in, 2, "an UTF8 serialized string"));
}

struct wire_bytes wire_long_string(struct wire_in *in)
{
    return checked_utf8(in, counted(in, 4, "an UTF8 serialized string"));
}

struct wire_bytes wire_short_bytes(struct wire_in *in)
{
    return counted(in, 2, "a byte array");
}

static struct wire_bytes value_of_length(struct wire_in *in, int32_t len)
{
    const uint8_t *data = take(in, (size_t)len);
    return (struct wire_bytes){ data, data ? len : 0 };
}

struct wire_bytes wire_bytes(struct wire_in *in)
{
    int32_t len = (int32_t)wire_u32(in);
    return len < 0 ? (struct wire_bytes){ NULL, WIRE_NULL } : value_of_length(in, len);
}

struct wire_bytes wire_value(struct wire_in *in, bool has_unset)
{
    int32_t len = (int32_t)wire_u32(in);
    if (len >= 0)
        return value_of_length(in, len);
    if (has_unset && len < WIRE_UNSET)
        wire_fail(in, "Invalid ByteBuf length %d", len);
    return (struct wire_bytes){ NULL, has_unset && len == WIRE_UNSET ? WIRE_UNSET : WIRE_NULL };
}

bool wire_is_name(struct wire_bytes bytes, const char *name)
{
    return bytes.len >= 0 && strlen(name) == (size_t)bytes.len && ascii_same((const char *)bytes.data, name, (size_t)bytes.len);
}

/* ---- out ---- */

void wire_out_release(struct wire_out *out)
{
    free(out->data);
    *out = (struct wire_out){ .most = out->most };
}

void wire_out_clear(struct wire_out *out)
{
    if (out->room > OUT_ROOM_KEPT)
        wire_out_release(out);
    out->len = 0;
    out->failed = out->full = false;
}

static bool grow(struct wire_out *out, size_t len)
{
    out->full |= !out->failed && out->most && len > out->most - out->len;
    if (out->failed || out->full)
        return false;
    size_t room = out->room ? out->room : OUT_ROOM_FIRST;
    while (room - out->len < len)
        room *= 2;
    if (out->most && room > out->most)
        room = out->most;
    uint8_t *data = realloc(out->data, room);
    if (!data)
        return false;
    out->data = data;
    out->room = room;
    return true;
}

uint8_t *wire_reserve(struct wire_out *out, size_t len)
{
    if ((!out->data || out->room - out->len < len) && !grow(out, len)) {
        out->failed = true;
        return NULL;
    }
    uint8_t *at = out->data + out->len;
    out->len += len;
    return at;
}

void wire_put(struct wire_out *out, const void *data, size_t len)
{
    uint8_t *at = wire_reserve(out, len);
    if (at && len)
        memcpy(at, data, len);
}

void wire_put_u8(struct wire_out *out, uint8_t n)
{
    wire_put(out, &n, 1);
}

void wire_put_u16(struct wire_out *out, uint16_t n)
{
    uint8_t bytes[2] = { (uint8_t)(n >> 8), (uint8_t)n };
    wire_put(out, bytes, sizeof bytes);
}

static void spread_u32(uint8_t bytes[4], uint32_t n)
{
    bytes[0] = (uint8_t)(n >> 24);
    bytes[1] = (uint8_t)(n >> 16);
    bytes[2] = (uint8_t)(n >> 8);
    bytes[3] = (uint8_t)n;
}

void wire_put_u32(struct wire_out *out, uint32_t n)
{
    uint8_t bytes[4];
    spread_u32(bytes, n);
    wire_put(out, bytes, sizeof bytes);
}

void wire_set_u32(struct wire_out *out, size_t at, uint32_t n)
{
    if (!out->failed)
        spread_u32(out->data + at, n);
}

void wire_put_string_of(struct wire_out *out, const char *text, size_t len)
{
    if (len > STRING_MAX)
        for (len = STRING_MAX; len && ((uint8_t)text[len] & 0xc0) == 0x80;) /* not within a character */
            len--;
    wire_put_u16(out, (uint16_t)len);
    wire_put(out, text, len);
}

void wire_put_string(struct wire_out *out, const char *text)
{
    wire_put_string_of(out, text ? text : "", text ? strlen(text) : 0);
}

/* Puts it (out NULL: nothing), and gives how long it is then. C0 80 is a NUL (wr_error). */
static size_t put_repaired(struct wire_out *out, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd", zero[] = "\xc0\x80";
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    size_t total = 0;
    while (at < end) {
        if (!strncmp((const char *)at, zero, 2) && total < STRING_MAX) {
            if (out)
                wire_put(out, "", 1);
            total++;
            at += 2;
            continue;
        }
        size_t len = utf8_length(at, end), put = len ? len : sizeof replacement - 1;
        if (total + put > STRING_MAX)
            break;
        if (out)
            wire_put(out, len ? (const void *)at : replacement, put);
        total += put;
        at += len ? len : 1;
    }
    return total;
}

void wire_put_message(struct wire_out *out, const char *text)
{
    wire_put_u16(out, (uint16_t)put_repaired(NULL, text));
    put_repaired(out, text);
}

void wire_put_message_text(struct wire_out *out, const char *text)
{
    put_repaired(out, text);
}

void wire_put_short_bytes(struct wire_out *out, const void *data, size_t len)
{
    wire_put_u16(out, (uint16_t)len);
    wire_put(out, data, len);
}

void wire_put_bytes(struct wire_out *out, const void *data, size_t len)
{
    uint8_t *at = wire_reserve(out, 4 + (data ? len : 0));
    if (!at)
        return;
    spread_u32(at, data ? (uint32_t)len : UINT32_MAX);
    if (data && len)
        memcpy(at + 4, data, len);
}
