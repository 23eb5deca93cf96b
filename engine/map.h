/*
 * map.h - the address space that LMDB maps its file into, and making it larger while others are at work.
 *
 * Whoever touches the map is counted, and the map is moved only when nobody is: map_enter, then map_leave. A pinned transaction is not
 * counted: it holds a snapshot by its number and never looks at the map.
 */
#ifndef WR_ENGINE_MAP_H
#define WR_ENGINE_MAP_H

#include "engine/store.h"

#define MAP_BYTES_FIRST (UINT64_C(1) << 40)
#define MAP_BYTES_SMALL (UINT64_C(64) << 20)
#define MAP_BYTES_LEAST (UINT64_C(1) << 20)
#define MAP_BYTES_MOST  (UINT64_C(1) << 46)
#define MAP_BYTES_STEP  UINT64_C(65536) /* a multiple of every page size */
#define MAP_SHARE       64 /* of the largest free piece of address space a first map takes the part of one in so many: others come after it; */
#define MAP_SHARE_SMALL 4  /* where that is below MAP_BYTES_SMALL: as much, or this part of it */

uint64_t map_bytes(const struct store *store);
/* After WR_FULL in a transaction begun when the map had seen_bytes, and aborted since: WR_OK where the map has grown and the
 * transaction is worth another try; else WR_FULL with the message as it was, or with the reason. */
enum wr_status map_grow(struct ctx *ctx, struct store *store, uint64_t seen_bytes);

/* ---- for the rooms of the store ---- */

uint64_t map_first_bytes(void); /* of a store that was not told how much */
bool map_has_room(uint64_t bytes); /* of address space, in one piece */
uint64_t map_used_bytes(struct store *store); /* up to the last page of the newest snapshot, be it another process's */
void map_take_over(struct store *store); /* a new environment's size */
/* Where the file is mapped, which LMDB does not tell: any value lies in a page that begins with its number. Once the pages that lead to the trees have been
 * checked. Gives an error of LMDB's; only the first time one of memory. */
int map_find(struct store *store);
/* With a pooled read transaction for who asks for one; *pooled NULL: there is none. */
enum wr_status map_enter(struct ctx *ctx, struct store *store, struct txn **pooled);
void map_leave(struct store *store);
void map_leave_locked(struct store *store); /* with the gate's lock held */
enum wr_status map_follow(struct ctx *ctx, struct store *store); /* another process has grown the file beyond our map */

#endif
