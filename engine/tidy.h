/*
 * tidy.h - the directory's dead half (partition.h, 3): where walks over partitions have stepped over many of which nothing is alive, a sweep moves
 * those there. Deletions leave them where they are: to move an entry is two ways down the tree, which is worth it only where somebody walks.
 */
#ifndef WR_ENGINE_TIDY_H
#define WR_ENGINE_TIDY_H

#include "engine/mutation.h"
#include "engine/store.h"

/* Where in which table; 0: nowhere. */
struct tidying {
    uint64_t table_id;
    int64_t from, to;
};

enum { TIDY_TABLES = 8 }; /* so many may be waited for; of more some are asked for in vain, and asked for again */

/* Reads of any thread; the sweep hook (engine.h) is called. */
void tidy_want(struct engine *engine, const struct tidying *where);

/* Looks at up to `most` entries; *more: there are more to look at. */
enum wr_status tidy_some(struct ctx *ctx, struct txn *txn, uint32_t most, bool *more);

#endif
