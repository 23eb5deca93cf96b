/*
 * walk.h - the rows of a partition one by one, while what is called for each may change them.
 *
 * 1. Every row that is among the living when the walk passes its place is visited once, in order.
 * 2. No cursor is open while `each` runs. The memory of ctx it used is given up at times.
 */
#ifndef WR_ENGINE_WALK_H
#define WR_ENGINE_WALK_H

#include "engine/partition.h"

typedef enum wr_status walk_each(struct ctx *ctx, struct txn *txn, struct place *place, struct slice clustering, void *arg);

enum wr_status walk_rows(struct ctx *ctx, struct txn *txn, struct place *place, struct range range, walk_each *each,
                         void *arg);

#endif
