/*
 * func_user.h - functions that are not Cassandra's own, as calls see them: those of functions.h, and the aggregates of the
 * schema, which are made of those.
 */
#ifndef WR_MODEL_FUNC_USER_H
#define WR_MODEL_FUNC_USER_H

#include "model/func.h"
#include "model/functions.h"

/* All functions and aggregates of a keyspace with that name. Memory from bind->ctx. */
enum wr_status func_user_find(struct bind *bind, struct slice keyspace, struct slice name, const struct func **out,
                              uint32_t *count);

/* fn of every function that an aggregate of the schema is made of. */
enum wr_status func_user_parts(struct bind *bind, const struct func *func,
                               enum wr_status (*fn)(struct bind *bind, const struct func *part));

/* Of the function that a call has come down to: what it takes to call it is made. WR_INVALID where an aggregate is made of a function
 * that is not there (any more). */
enum wr_status func_user_ready(struct bind *bind, const struct func *func);

#endif
