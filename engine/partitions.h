/*
 * partitions.h - a walk over the partitions of a table: those of the directory's living half, or of both, in one order.
 *
 * That is the order of (token, key). What comes out borrows as all that is read does (scan.h): a partition until the next partitions_next.
 */
#ifndef WR_ENGINE_PARTITIONS_H
#define WR_ENGINE_PARTITIONS_H

#include "engine/scan.h"

struct partitions; /* a cursor; from the heap once, kept by its statement */

enum wr_status partitions_new(struct ctx *ctx, struct partitions **out);
void partitions_free(struct partitions *p); /* NULL is fine */
void partitions_close(struct partitions *p); /* as scan_close */

/* From the first partition with token >= from (and, where after_key is not null, behind that key of token `from`) to the last
 * with token <= to. Those of which nothing is alive are left out, all but some that have clustering columns. */
enum wr_status partitions_open(struct ctx *ctx, struct partitions *p, struct txn *txn, const struct table_shape *table,
                               int64_t from, int64_t to, struct slice after_key);

/* The same with all of them. */
enum wr_status partitions_open_any(struct ctx *ctx, struct partitions *p, struct txn *txn, const struct table_shape *table,
                                   int64_t from, int64_t to, struct slice after_key);

/* *found false: no more. *out borrows until the next call. */
enum wr_status partitions_next(struct ctx *ctx, struct partitions *p, struct partition *out, bool *found);

/* The one that was given last shows nothing: where there are many such, they are moved out of the way (tidy.h). */
void partitions_pass(struct partitions *p, struct txn *txn, const struct partition *partition);

/* In a read, partitions that were found, whose rows will be asked for from their ends on, or from their beginnings: where those lie is looked up for all at
 * once. At most PARTITIONS_AT_ONCE. */
enum { PARTITIONS_AT_ONCE = 32 };
void partitions_expect(struct txn *txn, struct partition *partitions, uint32_t count, bool reversed);

#endif
