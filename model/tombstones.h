/*
 * tombstones.h - the range deletions of one partition as a server keeps them in an update (RangeTombstoneList).
 *
 * For what a server counts; the engine takes range deletions as they come.
 *
 * 1. They do not overlap, and stand in the table's order, which is the reverse of the bytes' in a reversed table.
 * 2. One that comes later cuts what is older under it, and leaves its place to what is not: of one timestamp it fills the gaps.
 * 3. Where it lies over several older ones, each of these is a piece of it, up to where the next one begins. So there are never fewer of them
 * than before.
 */
#ifndef WR_MODEL_TOMBSTONES_H
#define WR_MODEL_TOMBSTONES_H

#include "engine/ctx.h"
#include "engine/mutation.h"

struct tombstones {
    struct range_deletion *all;
    uint32_t count;
    bool reversed;
};

/* Into memory of ctx; the bounds are borrowed. Gives up where there are more than most, which is what they stay. */
enum wr_status tombstones_of(struct ctx *ctx, const struct range_deletion *ranges, uint32_t count, bool reversed, uint32_t most,
                             struct tombstones *out);

/* Of the range that a row lies in; DELETION_NONE: it lies in none. */
struct deletion tombstones_over(const struct tombstones *t, struct slice clustering);

#endif
