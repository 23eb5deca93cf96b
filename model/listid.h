/*
 * listid.h - the places of list elements: 16 bytes that sort by when they were put there.
 *
 *     append:  2^63 + microseconds u64 | number in this write u64
 *     prepend: 2^63 - microseconds u64 | 2^64 - number in this write u64
 *
 * 1. Appended ids ascend, within a write and from write to write. 2. Every prepended id stands before every id that was
 * given out earlier, so before all appended ones too; elements prepended together keep the order they are given in.
 * Cassandra has time UUIDs here, reflected about 2010 for prepends; the order is the same, the bytes never leave the
 * database.
 */
#ifndef WR_MODEL_LISTID_H
#define WR_MODEL_LISTID_H

#include "engine/clock.h"

enum { LISTID_BYTES = 16 };

/* The ids of one write. Zero-filled at first; it asks the clock when the first id is wanted. */
struct listid {
    int64_t now_us; /* 0: not asked yet */
    uint64_t appended, prepended;
};

void listid_append(struct listid *ids, struct clock *clock, uint8_t out[LISTID_BYTES]);

/* Takes n places before all others; listid_prepended writes those of the elements 0 to n-1 in turn. */
void listid_prepend(struct listid *ids, struct clock *clock, uint64_t n);
void listid_prepended(const struct listid *ids, uint64_t i, uint8_t out[LISTID_BYTES]);

#endif
