/*
 * func_user.h - functions that are not Cassandra's own, as calls see them: those the host has registered (host.h), and
 * the aggregates of the schema, which are made of those.
 */
#ifndef WR_MODEL_FUNC_USER_H
#define WR_MODEL_FUNC_USER_H

#include "model/func.h"
#include "model/host.h"

/* All functions and aggregates of a keyspace with that name. Memory from bind->ctx. */
enum wr_status func_user_find(struct bind *bind, struct slice keyspace, struct slice name, const struct func **out,
                              uint32_t *count);

/* fn of every function that an aggregate of the schema is made of. */
enum wr_status func_user_parts(struct bind *bind, const struct func *func,
                               enum wr_status (*fn)(struct bind *bind, const struct func *part));

/* WR_INVALID where an aggregate is made of a function that is not registered. */
enum wr_status func_user_check(struct ctx *ctx, const struct func *func);

#endif
