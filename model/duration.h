/*
 * duration.h - months, days and nanoseconds, all of one sign; their text, bytes and addition to a time.
 *
 *     bytes    three zigzag vints (DataInputPlus): months, days, nanoseconds
 *     text     1y2mo3w4d5h6m7s8ms9us10ns in that order, each unit once; P1Y2M3DT4H5M6S, P2W, P0001-02-03T04:05:06; a -
 * before
 *
 * 1. Parsing takes and refuses what the server does, in its words (WR_INVALID); what overflows, too.
 * 2. Text printed parses back to the same duration, but for one of nothing, which prints as nothing.
 */
#ifndef WR_MODEL_DURATION_H
#define WR_MODEL_DURATION_H

#include "engine/buf.h"

struct duration {
    int32_t months, days;
    int64_t nanos;
};

enum wr_status duration_parse(struct ctx *ctx, struct slice text, struct duration *out);
void duration_print(struct buf *buf, struct duration d);

void duration_encode(struct buf *buf, struct duration d);
/* WR_INVALID with the server's text where the bytes are none. Bytes behind are ignored, as there. */
enum wr_status duration_decode(struct ctx *ctx, struct slice value, struct duration *out);

struct duration duration_negate(struct duration d);

/* Months first, then days, then whole milliseconds; day 31 of a shorter month is its last. Wraps as Java's arithmetic
 * does. */
int64_t duration_add_to_ms(struct duration d, int64_t timestamp_ms);

/* Cassandra's unsigned vint: the ones at the front of the first byte count the bytes behind it. */
size_t vint_len(uint64_t v);
void vint_put(struct buf *buf, uint64_t v);
bool vint_read(struct slice *from, uint64_t *out);

#endif
