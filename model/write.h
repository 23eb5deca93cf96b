/*
 * write.h - the updates of one run of a statement or batch, collected, merged by partition and row, and handed to the
 * engine.
 *
 * 1. After write_finish every partition has one update, and every row of it one row_update: what several statements of
 * a batch do to one row is merged as Cassandra merges it in a PartitionUpdate; increments of one counter add up.
 * 2. Nothing is read or written before write_finish, so all statements of a batch see the rows as they were before it.
 * 3. In an LWT deletions meet what else is done to the same row at the same timestamp, and then are put one microsecond
 * before it (PartitionUpdate.Builder.updateAllTimestamp): DELETE and UPDATE of a row in one conditional batch leave it
 * deleted, but rows inserted beside a DELETE of their range or partition stay. All memory is the run's.
 */
#ifndef WR_MODEL_WRITE_H
#define WR_MODEL_WRITE_H

#include "model/listid.h"
#include "model/plan.h"

struct cas; /* cas.h */

struct write_part { /* what one statement does to one partition; after write_finish: what all do */
    struct write_part *next;
    const struct table *table;
    struct update update;
};

/* The row that an operation looked at last: the statements of a batch see it as it was before, so it is read once for those in a row that ask for it. */
struct looked_row {
    const struct table *table; /* NULL: none yet */
    struct slice key, clustering; /* null: the static row */
    struct columns read;
    struct row row;
    bool found;
};

struct write {
    struct exec *exec;
    int64_t timestamp_us; /* of statements without their own */
    bool conditional;     /* an LWT: everything has timestamp_us; see promise 3 */
    const struct cas *cas; /* which knows what has been read; NULL: all may be */
    bool logged;          /* a logged batch */
    bool null_bound;      /* of a tombstone that was collected: which replicas take, and fail to write */
    struct listid ids;
    struct looked_row looked;
    struct write_part *first, *last;
    struct write_part *unset; /* after write_finish: of statements whose values were all unset; nodes are asked for them, and a batch's size has them, all the same */
    uint32_t part_count;
    uint32_t key_count, mutation_count; /* after write_finish: of different partition keys, those of `unset` too; and of those in one keyspace each */
};

/* timestamp_us NULL: the clock's. */
void write_init(struct write *w, struct exec *exec, const int64_t *timestamp_us, bool conditional);

/* A new part with room for so many rows and ranges; the caller fills part->update. */
enum wr_status write_add(struct write *w, const struct table *table, struct slice partition_key, uint32_t rows,
                         uint32_t ranges, struct write_part **out);

/* Merges (promise 1). w->first is then the list of partitions; their updates are linked too. */
enum wr_status write_finish(struct write *w);

/* Applies what was collected; nothing collected is fine. After write_finish. */
enum wr_status write_apply(struct write *w);

#endif
