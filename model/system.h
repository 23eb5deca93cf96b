/*
 * system.h - the keyspaces every database has: their tables, and the rows written to them.
 *
 * The tables are those of Cassandra 5.0.6, recorded from one (system_tables.inc): ordinary tables, with engine ids below 1000
 * that are part of the file format; virtual ones, whose rows are made when they are read (virtual.h), have none. Rows of
 * system_schema say what the catalog says, written in the same transaction.
 */
#ifndef WR_MODEL_SYSTEM_H
#define WR_MODEL_SYSTEM_H

#include "model/schema.h"

#define SYSTEM_DATACENTER "datacenter1"
#define SYSTEM_CLUSTER "Test Cluster"
#define SYSTEM_RELEASE "5.0.6"
#define SYSTEM_CQL_VERSION "3.4.7"
#define SYSTEM_TOKEN "0" /* of this node, which is the only one: it has the whole ring, in two ranges */
#define SYSTEM_HOST_LANGUAGE "native" /* of the host's functions */

enum { SYSTEM_TABLE_ID_MAX = 999 };

/* local: nobody may change what is in it by a statement of schema; the others a cluster's operator may tune. */
enum system_kind { SYSTEM_NOT, SYSTEM_LOCAL, SYSTEM_REPLICATED, SYSTEM_VIRTUAL };
enum system_kind system_kind_of(struct slice keyspace);

/* ---- definitions; catalog.c makes a snapshot's pieces of them. Memory from ctx ---- */

uint32_t system_keyspace_count(void);
struct slice system_keyspace_name(uint32_t i);
enum wr_status system_keyspace_at(struct ctx *ctx, uint32_t i, struct keyspace *out); /* without its tables */
uint32_t system_table_count(void);
struct slice system_table_keyspace(uint32_t i);
enum wr_status system_table_at(struct ctx *ctx, uint32_t i, struct table *out);

/* ---- rows ---- */

struct system_value {
    const char *column;
    struct slice value; /* null: a tombstone. Of a set that is not frozen: serialized */
};

/* Collects the rows of one change and applies them together. */
struct system_rows {
    struct ctx *ctx;
    struct txn *txn;
    const struct schema *schema;
    int64_t timestamp_us;
    struct update *first;
};

void system_rows_init(struct system_rows *rows, struct ctx *ctx, struct txn *txn, const struct schema *schema);

/* A row by the values of its partition key (the first) and clustering columns, in order. */
enum wr_status system_rows_put(struct system_rows *rows, const char *keyspace, const char *table, const struct slice *keys,
                               uint32_t key_count, const struct system_value *values, uint32_t value_count);
/* That row, or all under the first key_count of its key values. */
enum wr_status system_rows_delete(struct system_rows *rows, const char *keyspace, const char *table, const struct slice *keys,
                                  uint32_t key_count);
enum wr_status system_rows_apply(struct system_rows *rows);

/* The live row of these keys (of all key and clustering columns), its values by ordinal; they borrow from the transaction. */
enum wr_status system_row_find(struct ctx *ctx, struct txn *txn, const struct table *table, const struct slice *keys, struct slice **values,
                               bool *found);

/* What system_schema says of an object. A put leaves no row of a column, index or dropped column that is gone: `before` is the table as it
 * was, NULL for a new one. */
enum wr_status system_put_keyspace(struct system_rows *rows, const struct keyspace *keyspace);
enum wr_status system_drop_keyspace(struct system_rows *rows, struct slice keyspace);
enum wr_status system_put_type(struct system_rows *rows, const struct type *type);
enum wr_status system_drop_type(struct system_rows *rows, const struct type *type);
enum wr_status system_put_aggregate(struct system_rows *rows, struct slice keyspace, const struct aggregate *aggregate);
enum wr_status system_drop_aggregate(struct system_rows *rows, struct slice keyspace, const struct aggregate *aggregate);

struct system_function { /* of the host or the schema */
    struct slice keyspace, name, result;
    const struct slice *args, *arg_names; /* texts of types */
    uint32_t arg_count;
    bool called_on_null;
    struct slice language, body;
    const struct function *from_schema; /* NULL: it is the host's */
};
enum wr_status system_function_row(struct ctx *ctx, struct slice keyspace, const struct function *function,
                                   struct system_function *out);
enum wr_status system_put_function(struct system_rows *rows, const struct system_function *function);
enum wr_status system_drop_function(struct system_rows *rows, const struct system_function *function);
enum wr_status system_drop_functions(struct system_rows *rows, struct slice keyspace);
enum wr_status system_put_table(struct system_rows *rows, const struct table *before, const struct table *table);
enum wr_status system_drop_table(struct system_rows *rows, const struct table *table);

/* As the tables of columns name them. */
const char *system_column_kind(enum column_kind kind);
const char *system_column_order(const struct column *column);

/* ---- the one row of system.local ---- */

enum wr_status system_put_host(struct system_rows *rows);           /* once in a database's life: who it is */
enum wr_status system_put_role(struct system_rows *rows);           /* and the role that every new cluster has */
enum wr_status system_put_local(struct system_rows *rows);          /* at every opening: all else */
enum wr_status system_put_address(struct system_rows *rows, struct slice address, uint16_t port); /* where it is served */
enum wr_status system_put_schema_version(struct system_rows *rows); /* after every change of the schema */

#endif
