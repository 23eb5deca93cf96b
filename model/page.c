#include "model/page.h"

#include "engine/buf.h"
#include "engine/coding.h"
#include "engine/hash.h"

enum { PAGE_VERSION = 2, CHECKSUM_BYTES = 8 }; /* 1 could name the first row of a group */

enum wr_status page_encode(struct ctx *ctx, const struct page_state *state, struct slice *out)
{
    struct buf bytes;
    buf_init(&bytes, ctx->arena);
    buf_put_u8(&bytes, PAGE_VERSION);
    buf_put_u8(&bytes, (uint8_t)state->flags);
    buf_put_u32(&bytes, state->remaining);
    buf_put_u32(&bytes, state->remaining_in_partition);
    buf_put_varint(&bytes, state->key.len);
    buf_put_slice(&bytes, state->key);
    buf_put_varint(&bytes, state->clustering.len);
    buf_put_slice(&bytes, state->clustering);
    if (!bytes.failed)
        buf_put_u64(&bytes, hash64(buf_slice(&bytes)));
    return buf_done(ctx, &bytes, out);
}

static bool read_state(struct slice bytes, struct page_state *out)
{
    if (bytes.len <= CHECKSUM_BYTES)
        return false;
    struct slice body = slice_of(bytes.data, bytes.len - CHECKSUM_BYTES);
    struct reader r = reader_of(body);
    bool known = read_byte(&r) == PAGE_VERSION;
    out->flags = read_byte(&r);
    out->remaining = read_be32(&r);
    out->remaining_in_partition = read_be32(&r);
    out->key = read_bytes(&r, read_varint(&r));
    out->clustering = read_bytes(&r, read_varint(&r));
    return known && !r.failed && reader_left(&r) == 0 && !(out->flags & ~(unsigned)PAGE_FLAGS) &&
           read_u64(body.data + body.len) == hash64(body);
}

bool page_is_state(struct slice bytes)
{
    struct page_state state;
    return read_state(bytes, &state);
}

enum wr_status page_decode(struct ctx *ctx, struct slice bytes, struct page_state *out)
{
    struct page_state state;
    if (!read_state(bytes, &state))
        return fail(ctx, WR_PROTOCOL, "Invalid value for the paging state");
    *out = state;
    return WR_OK;
}
