/*
 * describe.h - schema objects as the CQL that makes them, byte for byte as Cassandra's DESCRIBE prints them, or as a script for any cluster has them.
 *
 * Each appends to the buf, a semicolon at the end.
 */
#ifndef WR_MODEL_DESCRIBE_H
#define WR_MODEL_DESCRIBE_H

#include "model/system.h"

enum describe_form {
    FORM_DESCRIBE,  /* with every option. What CQL cannot make again (compact tables) is inside a comment that says so */
    FORM_INTERNALS, /* WITH INTERNALS: the table's id and the columns it has dropped as well */
    FORM_SCRIPT,    /* with the options that differ from a new table's, since older releases and Scylla refuse those they do not know; compact tables as
                       far as CQL can say them. Not for virtual tables, which nothing makes */
};

void describe_keyspace(struct buf *buf, const struct keyspace *keyspace, enum describe_form form);
void describe_type(struct buf *buf, const struct type *type, enum describe_form form); /* as declared (schema_declared_type) */
void describe_table(struct buf *buf, const struct table *table, enum describe_form form);
void describe_index(struct buf *buf, const struct table *table, const struct index *index);
enum wr_status describe_view(struct ctx *ctx, struct buf *buf, const struct table *view, enum describe_form form);

/* A relation of a view's WHERE, and all of them: `a IS NOT NULL AND (b, c) > (1, 2)`. */
void describe_relation(struct buf *buf, const struct view_relation *relation);
void describe_where(struct buf *buf, const struct view *view);
/* A type as functions and aggregates show it: a tuple is not frozen there. */
struct slice describe_callable_type(struct slice text);
void describe_function(struct buf *buf, struct system_function function, enum describe_form form);
void describe_aggregate(struct buf *buf, struct slice keyspace, const struct aggregate *aggregate, enum describe_form form);

#endif
