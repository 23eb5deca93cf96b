/*
 * held.h - a gathered write in whose midst its caller does other things, for as long as it likes (wr_atomically): the held write.
 *
 * The transaction is touched only between held_resume and held_pause, with no cursor left open, or after held_keep: what is pending
 * is in the data file then, and nobody else has any business with the transaction. In between the lock is free, and somebody may have what is pending
 * parted from it, and what was written so far done again. After held_release it ends as any write. Of a thread that holds none these do nothing.
 */
#ifndef WR_ENGINE_HELD_H
#define WR_ENGINE_HELD_H

#include "engine/gather.h"

enum wr_status held_begin(struct ctx *ctx, struct gather *g, struct txn **out); /* *out NULL: as gather_begin */
enum wr_status held_resume(struct ctx *ctx, struct gather *g); /* a failure: the transaction is lost, and all but held_release fails */
void held_pause(struct ctx *ctx, struct gather *g, enum wr_status st); /* not WR_OK: the part has failed, and so must the whole */
enum wr_status held_keep(struct ctx *ctx, struct gather *g);
/* As gather_share, for a brief read between two such parts: nothing has to be kept for it. NULL also where it is kept already. */
struct txn *held_share(struct ctx *ctx, struct gather *g);
enum wr_status held_release(struct ctx *ctx, struct gather *g); /* a failure: there is no transaction to end */

#endif
