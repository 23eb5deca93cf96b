/*
 * guardrail.h - what a server's default settings warn of, or refuse, so that an operator's cluster stays well. Cassandra asks ordinary users
 * alone (Guardrail.enabled): not superusers, and nobody where nobody logs in. exec->who.ordinary says who is one.
 */
#ifndef WR_MODEL_GUARDRAIL_H
#define WR_MODEL_GUARDRAIL_H

#include "model/plan.h"

/* The options as a statement gives them, defaults for the rest: a table by time windows whose data never expire. */
void guardrail_table(struct exec *exec, const struct table_options *options);

/* A value that an SAI index is to hold. WR_INVALID. */
enum wr_status guardrail_term(struct exec *exec, const struct column *column, size_t size);
bool guardrail_minds_term(const struct exec *exec, const struct column *column, size_t size); /* would warn or refuse */

#endif
