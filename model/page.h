/*
 * page.h - where a paged read stopped, as bytes that a client gives back for the next page.
 *
 *     version u8 | flags u8 | remaining u32 | remaining in partition u32 | key length varint, key | clustering length varint,
 *     clustering (comparable bytes) | XXH3-64 of all before u64
 *
 * The row is the last one given, or the last one of the last group. DESCRIBE has its own place for a key (plan_describe.c).
 * 1. page_decode of what page_encode made gives it back.
 * 2. Anything else (cut, changed, of another version, a cluster's) is refused: ProtocolError "Invalid value for the paging state".
 *    The checksum keeps out accidents; a state is no secret and gives no rights.
 */
#ifndef WR_MODEL_PAGE_H
#define WR_MODEL_PAGE_H

#include "engine/ctx.h"

enum {
    PAGE_PARTITION_DONE = 1, /* the partition of `key` is finished: go on behind it */
    PAGE_SINGLE = 2,         /* of a read of one partition: says nothing of where another read would be */
    PAGE_FLAGS = PAGE_PARTITION_DONE | PAGE_SINGLE,
};

struct page_state {
    unsigned flags;
    uint32_t remaining;              /* of LIMIT; UINT32_MAX: no limit */
    uint32_t remaining_in_partition; /* of PER PARTITION LIMIT, in the partition of `key` */
    struct slice key;                /* the partition of the row */
    struct slice clustering;         /* empty: a partition without rows, or no clustering columns */
};

bool page_is_state(struct slice bytes); /* page_decode takes it */
enum wr_status page_encode(struct ctx *ctx, const struct page_state *state, struct slice *out);
enum wr_status page_decode(struct ctx *ctx, struct slice bytes, struct page_state *out); /* borrows from bytes */

#endif
