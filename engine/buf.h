/*
 * buf.h - bytes growing in an arena.
 *
 * A buf remembers its first failure, which one check at the end (buf_done) tells; what is put after it is nobody's. The bytes live as
 * long as the arena; growing leaves the old bytes behind in it unless the buf is the last thing allocated.
 */
#ifndef WR_ENGINE_BUF_H
#define WR_ENGINE_BUF_H

#include "engine/ctx.h"

struct buf {
    struct arena *arena;
    uint8_t *data;
    size_t len, room;
    bool failed; /* out of memory */
};

void buf_init(struct buf *buf, struct arena *arena);
void buf_clear(struct buf *buf); /* len 0, keeps the room and forgets a failure */
bool buf_grow(struct buf *buf, size_t more);
static inline bool buf_reserve(struct buf *buf, size_t more) /* room for that many further bytes; where it has failed there is none */
{
    return buf->room - buf->len >= more || buf_grow(buf, more);
}

void buf_put(struct buf *buf, const void *data, size_t len);
void buf_put_slice(struct buf *buf, struct slice s);
void buf_put_str(struct buf *buf, const char *text);
void buf_put_u8(struct buf *buf, uint8_t v);
void buf_put_u16(struct buf *buf, uint16_t v); /* big-endian, as all fixed widths */
void buf_put_u32(struct buf *buf, uint32_t v);
void buf_put_u64(struct buf *buf, uint64_t v);
void buf_put_varint(struct buf *buf, uint64_t v);  /* coding.h's varint */
void buf_put_bytes32(struct buf *buf, struct slice s); /* i32 length and bytes, -1 for null: a value in a collection */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* WR_OK and the bytes, or WR_NOMEM. An empty buf gives an empty slice, not a null one. */
enum wr_status buf_done(struct ctx *ctx, const struct buf *buf, struct slice *out);

/* As a text for a message, a NUL in it as messages have it; "?" without memory. */
const char *buf_string(struct ctx *ctx, const struct buf *buf);

static inline struct slice buf_slice(const struct buf *buf)
{
    return buf->len ? slice_of(buf->data, buf->len) : SLICE_EMPTY;
}

#endif
