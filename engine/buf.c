#include "engine/buf.h"

#include "engine/coding.h"
#include "engine/format.h"

void buf_init(struct buf *buf, struct arena *arena)
{
    *buf = (struct buf){ .arena = arena };
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->failed = false;
}

bool buf_grow(struct buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    size_t room = buf->room ? buf->room * 2 : 64;
    if (room < buf->len + more)
        room = buf->len + more;
    if (more <= SIZE_MAX / 2 - buf->len && buf->room && arena_extend(buf->arena, buf->data, buf->room, room)) {
        buf->room = room;
        return true;
    }
    uint8_t *data = more > SIZE_MAX - buf->len ? NULL : arena_alloc_raw(buf->arena, room);
    if (!data) {
        buf->failed = true;
        buf->room = buf->len;
        return false;
    }
    if (buf->len)
        memcpy(data, buf->data, buf->len);
    buf->data = data;
    buf->room = room;
    return true;
}

void buf_put(struct buf *buf, const void *data, size_t len)
{
    if (len && buf_reserve(buf, len)) {
        memcpy(buf->data + buf->len, data, len);
        buf->len += len;
    }
}

void buf_put_slice(struct buf *buf, struct slice s)
{
    buf_put(buf, s.data, s.len);
}

void buf_put_str(struct buf *buf, const char *text)
{
    buf_put(buf, text, strlen(text));
}

void buf_put_u8(struct buf *buf, uint8_t v)
{
    if (buf_reserve(buf, 1))
        buf->data[buf->len++] = v;
}

void buf_put_u16(struct buf *buf, uint16_t v)
{
    if (buf_reserve(buf, sizeof v)) {
        put_u16(buf->data + buf->len, v);
        buf->len += sizeof v;
    }
}

void buf_put_u32(struct buf *buf, uint32_t v)
{
    if (buf_reserve(buf, sizeof v)) {
        put_u32(buf->data + buf->len, v);
        buf->len += sizeof v;
    }
}

void buf_put_u64(struct buf *buf, uint64_t v)
{
    if (buf_reserve(buf, sizeof v)) {
        put_u64(buf->data + buf->len, v);
        buf->len += sizeof v;
    }
}

void buf_put_varint(struct buf *buf, uint64_t v)
{
    if (buf_reserve(buf, VARINT_MAX))
        buf->len += put_varint(buf->data + buf->len, v);
}

void buf_put_bytes32(struct buf *buf, struct slice s)
{
    buf_put_u32(buf, slice_is_null(s) ? UINT32_MAX : (uint32_t)s.len);
    buf_put_slice(buf, s);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t len = format_bytes(NULL, 0, format, args);
    if (len > 0 && buf_reserve(buf, len + 1)) {
        format_bytes((char *)buf->data + buf->len, len + 1, format, again);
        buf->len += len;
    }
    va_end(again);
    va_end(args);
}

enum wr_status buf_done(struct ctx *ctx, const struct buf *buf, struct slice *out)
{
    if (buf->failed)
        return fail_nomem(ctx);
    *out = buf_slice(buf);
    return WR_OK;
}

const char *buf_string(struct ctx *ctx, const struct buf *buf)
{
    const char *text = buf->failed ? NULL : ctx_format(ctx, "%.*s", SLICE_ARG(buf_slice(buf)));
    if (text)
        return text;
    fail_nomem(ctx);
    return "?";
}
