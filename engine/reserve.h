/*
 * reserve.h - what is kept of a disk that fills up, for writes that free space.
 *
 * A deletion takes new pages before it gives any back, and on a full disk there are none: whoever has filled it could not delete. So blocks behind the
 * data file's end are its own before any page is put there; and where there are no more to be had, they and the pages that are free in the file
 * are left to writes that may take them (ctx.h, may_take_reserve).
 *
 * 1. That is a quarter of what the file uses, RESERVE_MOST at most and a little at least. What others write is WR_FULL, and nothing of it kept, where less
 *    than half of it is left. It may be a large write that leaves less.
 * 2. Where a file system promises no blocks nothing is kept, and nobody refused.
 */
#ifndef WR_ENGINE_RESERVE_H
#define WR_ENGINE_RESERVE_H

#include "engine/store.h"

enum { RESERVE_LEAST = 128 << 10, RESERVE_MOST = 1 << 20 };

bool reserve_is_short(const struct store *store); /* the disk was full when blocks were last asked for */

/* With the writer's turn. */
void reserve_follow(struct store *store); /* the file may have grown */
bool reserve_is_whole(const struct txn *txn); /* of a write */
/* Before a commit that is to leave it, where it is not whole. Pages that commits from number `oldest` on have given up are not used again yet. */
enum wr_status reserve_ask(struct ctx *ctx, struct txn *txn, uint64_t oldest);

#endif
