/*
 * index_check.h - what a table's indexes refuse of a write: the checks of Index.Group.validate.
 */
#ifndef WR_MODEL_INDEX_CHECK_H
#define WR_MODEL_INDEX_CHECK_H

#include "engine/mutation.h"
#include "model/plan.h"

/* A value that a legacy index cannot hold; a vector that an index by cosine cannot place; a term of SAI that guardrails are against. */
enum wr_status index_check_update(struct exec *exec, const struct table *table, const struct update *update);

#endif
