/*
 * mutation_size.h - how large a mutation is as a server writes it into its commit log, and that one is refused which is larger than allowed.
 *
 * 1. A mutation is what goes to one partition key of one keyspace, whatever the number of tables.
 * 2. Its size is Mutation.serializedSize (CounterMutation's) of 5.0.6 and what the commit log puts around it, byte for byte, but that columns are not
 *    counted whose values are unset, and rows are that a range covers which is deleted beside them.
 * 3. The limit is that of wr_set_max_mutation_size; without one nothing is looked at.
 */
#ifndef WR_MODEL_MUTATION_SIZE_H
#define WR_MODEL_MUTATION_SIZE_H

#include "model/write.h"

/* In write_finish, when the parts of each key have been merged and stand one behind the other. WR_INVALID: "Rejected an oversized mutation ...". */
enum wr_status mutation_size_check(const struct write *w);

#endif
