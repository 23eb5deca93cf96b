/*
 * seen.h - names that have been met before, among as many as a statement has: so that a long statement is not a slow one.
 */
#ifndef WR_MODEL_SEEN_H
#define WR_MODEL_SEEN_H

#include "engine/ctx.h"

struct seen {
    struct slice *slots; /* open addressing; a null slice is free */
    size_t room;         /* a power of two, more than twice what comes */
};

enum wr_status seen_make(struct ctx *ctx, struct seen *seen, size_t names); /* for so many at most; in ctx's memory */
bool seen_has(const struct seen *seen, struct slice name);
bool seen_add(struct seen *seen, struct slice name); /* false: it was there already. Borrows the name */

#endif
