/*
 * replication.h - the properties of keyspaces. One node is the whole cluster here, in one datacenter; the strategies of a
 * larger one are checked, kept and shown, so that a schema made for a cluster runs as it is.
 */
#ifndef WR_MODEL_REPLICATION_H
#define WR_MODEL_REPLICATION_H

#include "model/string_map.h"

struct keyspace_params {
    struct string_map replication; /* with "class", the full name */
    bool durable_writes;
};

/* What is wrong with them whether there is such a keyspace or not: names that there are none of, options that are no map or name no class. */
enum wr_status keyspace_params_check(struct ctx *ctx, const struct ast_property *properties);

/* Those that have passed. Properties of CREATE KEYSPACE (before NULL) or ALTER KEYSPACE, with Cassandra's messages and warnings. */
enum wr_status keyspace_params_apply(struct ctx *ctx, const struct ast_property *properties, struct slice keyspace,
                                     const struct keyspace_params *before, struct keyspace_params *out);

#endif
