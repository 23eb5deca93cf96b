/*
 * cas.h - lightweight transactions: statements with conditions, all of one partition, applied together or not at all.
 *
 * Under the one writer a read, a decision and a write are linearizable by themselves; what is copied from Cassandra is
 * what is looked at and what is shown (CQL3CasRequest, ModificationStatement.buildCasResultSet):
 * 1. A row that is updated is read whole, static columns and others only where a condition names them; what was not
 * read shows as null in the result.
 * What is written sees no more of lists than that, nor of rows without conditions, or behind the first where all conditions are on static columns.
 * 2. A refusal shows the conditioned rows that exist in the table's order; conditions on static columns alone show the
 * first row of the partition; without any row the static values, if there are some; else [applied] alone.
 */
#ifndef WR_MODEL_CAS_H
#define WR_MODEL_CAS_H

#include "model/batch.h"

struct cas; /* one under way */

/* entries are plans of bind_modify, some with conditions. Leaves the result in exec->run. in_batch: key columns are
 * shown too. */
enum wr_status cas_run(struct exec *exec, const struct batch_entry *entries, uint32_t count, bool in_batch);

/* Whether a regular row, and a column, were read for the conditions. */
bool cas_has_row(const struct cas *cas, struct slice clustering);
bool cas_has_column(const struct cas *cas, const struct column *column);

/* The result in exec->run; NULL there: none. */
enum wr_status cas_step(struct exec *exec, const struct slice **row);
const struct column_spec *cas_columns(const struct exec *exec, uint32_t *count);

#endif
