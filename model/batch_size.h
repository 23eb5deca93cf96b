/*
 * batch_size.h - how large Cassandra would say a batch is (IMutation.dataSize), and its warnings about that.
 *
 * 1. The sizes are those of PartitionUpdate.dataSize of 5.0.6, byte for byte; a mutation is what goes to one partition
 * key of one keyspace, whatever the number of tables.
 * 2. Batches of one mutation are not looked at.
 */
#ifndef WR_MODEL_BATCH_SIZE_H
#define WR_MODEL_BATCH_SIZE_H

#include "model/write.h"

enum { /* cassandra.yaml's defaults */
    BATCH_SIZE_WARN = 5 * 1024,
    BATCH_SIZE_FAIL = 50 * 1024,
    UNLOGGED_PARTITIONS_WARN = 10,
};

/* "k.t, k.u": different tables as warnings name them, in the order of a HashSet of Strings. */
enum wr_status batch_table_names(struct ctx *ctx, const struct table *const *tables, uint32_t count, const char **out);

/* After write_finish. Warns, or refuses with "Batch too large". */
enum wr_status batch_size_check(const struct write *w, enum ast_batch_kind kind);

#endif
