/*
 * consistency.h - consistency levels as a cluster of one healthy node answers them.
 */
#ifndef WR_MODEL_CONSISTENCY_H
#define WR_MODEL_CONSISTENCY_H

#include "model/plan.h"

/* level: the native protocol's number, at most 0x0A. WR_UNAVAILABLE ("Cannot achieve consistency level TWO") where the keyspace's
 * replication asks for more nodes than one; WR_INVALID where the kind of statement does not take the level. */
enum wr_status consistency_check(struct ctx *ctx, const struct schema *schema, const struct plan *plan, unsigned level);

#endif
