/*
 * read_command.h - what a read would have met on a server that merges when reading: rows and tombstones, of which Cassandra warns, or
 * refuses to go on (ReadCommand.withMetricsRecording; tombstone_warn_threshold and tombstone_failure_threshold of its settings).
 *
 * Ours meets none of them, and counting costs a walk through the graveyard, so it is done only where a host has asked for it
 * (wr_set_tombstone_thresholds). What is counted is a command's: the read of one partition by its key, or of a range or by an index all of
 * a page.
 */
#ifndef WR_MODEL_READ_COMMAND_H
#define WR_MODEL_READ_COMMAND_H

#include "model/database.h"
#include "model/select_source.h"

/* Whether anybody wants to know. */
static inline bool read_command_counts(const struct exec *exec)
{
    const struct database *db = exec->db;
    return atomic_load_explicit(&db->tombstones_warned, memory_order_relaxed) ||
           atomic_load_explicit(&db->tombstones_refused, memory_order_relaxed);
}

/* A partition is about to be read. What was passed over before is not its own. */
void read_command_begin(struct exec *exec, struct source *s);

/* The partition has been read: all of the ranges asked for, or up to the row at `last`. Warns where that was all of a command.
 * WR_READ_FAILURE: too many tombstones. Nothing is done where nobody wants to know, or it was counted already. */
enum wr_status read_command_count(struct exec *exec, struct source *s, bool whole, struct slice last);

/* The row of s->clustering alone was read, as an index led to it. */
enum wr_status read_command_hit(struct exec *exec, struct source *s);

/* The page ends here; with_rows false: before the rows of the partition the source is in. */
enum wr_status read_command_end(struct exec *exec, struct source *s, bool with_rows);

/* One row of a table without clustering columns, looked up by its key (select_entries.c). */
enum wr_status read_command_entry(struct exec *exec, const struct source_plan *plan, const struct partition *partition);

#endif
