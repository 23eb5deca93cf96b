/*
 * tracing.h - what a traced run does, told as it does it in the words of Cassandra's traces (org.apache.cassandra.tracing).
 *
 * Of a run that is not traced every call is a look at one pointer. Told is what is done here, as a node without sstables would tell it: a
 * lightweight transaction has no rounds of Paxos, a logged batch no batchlog, an index no estimates.
 */
#ifndef WR_MODEL_TRACING_H
#define WR_MODEL_TRACING_H

#include "engine/tombstones.h"
#include "model/plan.h"

struct tracer {
    void (*note)(void *arg, const char *activity);
    void *arg;
};

struct write;

static inline bool is_traced(const struct exec *exec)
{
    return exec->tracer != NULL;
}

/* Where there is no memory for it, it is not told. */
void tracing_note(const struct exec *exec, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A read of one partition, and its end. by_timestamp: as SinglePartitionReadCommand.queryMemtableAndDiskInternal reads rows that are known by name,
 * where there are neither counters nor cells of collections to be read. found: there is anything of it, be it tombstones. met: of a SELECT; conditions and
 * operations on lists count no tombstones. */
void tracing_partition(const struct exec *exec, const struct table *table, bool by_timestamp);
void tracing_partition_read(const struct exec *exec, bool by_timestamp, bool found, struct met met);
void tracing_read(const struct exec *exec, struct met met); /* the end of any other read */

/* A write, before and after it is known that there are enough nodes. */
void tracing_replicas(const struct exec *exec, const struct write *w);
void tracing_updates(const struct exec *exec, const struct write *w);

#endif
