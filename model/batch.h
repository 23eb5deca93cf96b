/*
 * batch.h - several INSERT, UPDATE and DELETE as one write: BEGIN BATCH, and wr_batch_* of prepared statements.
 *
 * 1. All or nothing. Statements without a timestamp of their own share one; their order means nothing.
 * 2. Refusals, and warnings about size and partitions, are Cassandra's (BatchStatement).
 */
#ifndef WR_MODEL_BATCH_H
#define WR_MODEL_BATCH_H

#include "model/plan.h"

struct expr;

struct batch_entry {
    const struct plan *plan;
    struct given given; /* to the plan's markers */
};

/* What is wrong with these statements together; timestamp_given: USING TIMESTAMP of the batch itself. */
enum wr_status batch_check(struct ctx *ctx, enum ast_batch_kind kind, const struct batch_entry *entries, uint32_t count,
                           bool timestamp_given);

/* The i-th statement of a BEGIN BATCH; NULL: there are fewer. */
const struct plan *batch_part(const struct plan *batch, uint32_t i);

/* Runs them in exec->txn, which is a writer's. timestamp: of statements without their own; NULL, or unset:
 * exec->timestamp_us, or the clock's. Call batch_check before. With conditions in it there are result rows afterwards, by
 * batch_step and batch_columns. */
enum wr_status batch_run(struct exec *exec, enum ast_batch_kind kind, const struct batch_entry *entries, uint32_t count,
                         const struct expr *timestamp);

enum wr_status batch_step(struct exec *exec, const struct slice **row);
const struct column_spec *batch_columns(const struct exec *exec, uint32_t *count); /* count 0: no result */

#endif
