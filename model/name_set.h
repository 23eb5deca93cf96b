/*
 * name_set.h - names that have been met before, among as many as a statement has: so that a long statement is not a slow one.
 */
#ifndef WR_MODEL_NAME_SET_H
#define WR_MODEL_NAME_SET_H

#include "engine/ctx.h"

struct name_set {
    struct slice *slots; /* open addressing; a null slice is free */
    size_t room;         /* a power of two, more than twice what comes */
};

enum wr_status name_set_make(struct ctx *ctx, struct name_set *set, size_t names); /* for so many at most; in ctx's memory */
bool name_set_has(const struct name_set *set, struct slice name);
bool name_set_add(struct name_set *set, struct slice name); /* false: it was there already. Borrows the name */

#endif
