/*
 * export_batch.h - statements of one partition put together in unlogged batches, each of which a server takes as one write: fewer requests, and less time.
 *
 * A batch of one partition has no limit of size on a cluster (BatchStatement.verifyBatchSize), and all that is in it has timestamps of its own.
 */
#ifndef WR_MODEL_EXPORT_BATCH_H
#define WR_MODEL_EXPORT_BATCH_H

#include "model/export.h"

struct export_batch {
    struct export_sink sink;
    char *text;
    size_t len, room; /* room 0: each statement goes by itself */
    uint32_t count;
    bool ended; /* the sink has had enough */
};

/* bytes: the most that a batch has; its memory is ctx's. */
enum wr_status export_batch_init(struct ctx *ctx, struct export_batch *batch, struct export_sink sink, size_t bytes);
void export_batch_add(struct export_batch *batch, const char *cql, size_t len); /* NUL-terminated */
void export_batch_end(struct export_batch *batch);                              /* before another partition's */

#endif
