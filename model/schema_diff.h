/*
 * schema_diff.h - what changed from one snapshot to the next, as clients are told of it.
 *
 * 1. The order within a keyspace is SchemaChangeNotifier's: of a dropped keyspace aggregates, functions, tables, types, the keyspace; of a
 *    new one the keyspace, types, tables; else what was dropped, what was created, then what was altered, the keyspace first.
 *    Of several of a kind types come by name, tables as they were last altered, views in the order of Cassandra's HashMap of them.
 * 2. A table, function or aggregate is altered too where a user type in it is. TRUNCATE is no change.
 */
#ifndef WR_MODEL_SCHEMA_DIFF_H
#define WR_MODEL_SCHEMA_DIFF_H

#include "model/schema.h"
#include "widerow.h"

/* Calls fn for each change; what it is given is in ctx's memory. WR_NOMEM. */
enum wr_status schema_diff(struct ctx *ctx, const struct schema *before, const struct schema *after,
                           enum wr_status (*fn)(void *arg, const struct wr_schema_change *change), void *arg);

/* The places of a keyspace's tables among `tables`, then of its views: KeyspaceMetadata.tablesAndViews, in the order of 1. places: room for all. */
enum wr_status keyspace_walk_tables(struct ctx *ctx, const struct keyspace *keyspace, uint32_t *places);

#endif
