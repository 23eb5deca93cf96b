/*
 * describe.h - schema objects as the CQL that makes them, byte for byte as Cassandra's DESCRIBE prints them.
 *
 * What CQL cannot make again (compact tables) comes inside a comment that says so. Each appends to the buf.
 */
#ifndef WR_MODEL_DESCRIBE_H
#define WR_MODEL_DESCRIBE_H

#include "model/system.h"

void describe_keyspace(struct buf *buf, const struct keyspace *keyspace);
void describe_type(struct buf *buf, const struct type *type); /* as declared (schema_declared_type) */
/* internals: with the table's id and the columns it has dropped. */
void describe_table(struct buf *buf, const struct table *table, bool internals);
void describe_index(struct buf *buf, const struct table *table, const struct index *index);
enum wr_status describe_view(struct ctx *ctx, struct buf *buf, const struct table *view, bool internals);

/* A relation of a view's WHERE, and all of them: `a IS NOT NULL AND (b, c) > (1, 2)`. */
void describe_relation(struct buf *buf, const struct view_relation *relation);
void describe_where(struct buf *buf, const struct view *view);
/* A type as functions and aggregates show it: a tuple is not frozen there. */
struct slice describe_callable_type(struct slice text);
void describe_function(struct buf *buf, struct system_function function);
void describe_aggregate(struct buf *buf, struct slice keyspace, const struct aggregate *aggregate);

#endif
