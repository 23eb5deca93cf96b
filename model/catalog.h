/*
 * catalog.h - the schema as the database keeps it: to the engine's catalog tree and back, and what a schema change does to
 * stored data. The rows of system_schema are written in the same transaction, so they are always in step and read like any table.
 *
 * 1. The catalog is the truth: a snapshot is what catalog_load reads, whether it was read now or put together from the one before.
 * 2. Every change raises the version by one, in the catalog and in the snapshot made after it.
 */
#ifndef WR_MODEL_CATALOG_H
#define WR_MODEL_CATALOG_H

#include "model/database.h"
#include "model/system.h"

/* Reads the whole schema (an empty catalog: the system keyspaces alone). The snapshot has one reference, the caller's. */
enum wr_status catalog_load(struct ctx *ctx, struct txn *txn, struct schema **out);

/* First opening of a new database, in a write transaction: the system tables' rows. *out as of catalog_load. */
enum wr_status catalog_init(struct ctx *ctx, struct txn *txn, struct schema **out);

/* Every opening for writing: the rows of system.local and what else depends on this opening. */
enum wr_status catalog_refresh_local(struct ctx *ctx, struct txn *txn, const struct schema *schema);

/* The version in the transaction's catalog: a snapshot with another one is not what this transaction sees. */
enum wr_status catalog_version(struct ctx *ctx, struct txn *txn, uint64_t *out);

enum wr_status catalog_put_version(struct ctx *ctx, struct txn *txn, uint64_t version);

/* The snapshot after a change of one keyspace, sharing all else with the one before. table null: everything of the keyspace is
 * read anew; else that table alone. */
enum wr_status catalog_load_again(struct ctx *ctx, struct txn *txn, const struct schema *from, struct slice keyspace,
                                  struct slice table, struct schema **out);

/* ---- one schema change: edits of one keyspace's objects, then catalog_edit_done; catalog_edit.c ---- */

struct catalog_edit {
    struct ctx *ctx;
    struct txn *txn;
    const struct schema *schema; /* before */
    struct slice keyspace;
    struct slice table;          /* the only object touched; null: several, or none of them a table */
    struct system_rows rows;
};

/* table null: all of the keyspace may change. schema must be what the transaction's catalog says. */
void catalog_edit_begin(struct catalog_edit *edit, struct ctx *ctx, struct txn *txn, const struct schema *schema,
                        struct slice keyspace, struct slice table);

enum wr_status catalog_store_keyspace(struct catalog_edit *edit, const struct keyspace *keyspace);
enum wr_status catalog_remove_keyspace(struct catalog_edit *edit, const struct keyspace *keyspace); /* with all that is in it */
enum wr_status catalog_store_type(struct catalog_edit *edit, const struct type *type);
enum wr_status catalog_remove_type(struct catalog_edit *edit, const struct type *type);

/* hidden: one of the host's stands in front of it, whose row stays. */
enum wr_status catalog_store_function(struct catalog_edit *edit, const struct function *function, bool hidden);
enum wr_status catalog_remove_function(struct catalog_edit *edit, const struct function *function, bool hidden);
enum wr_status catalog_store_aggregate(struct catalog_edit *edit, const struct aggregate *aggregate);
enum wr_status catalog_remove_aggregate(struct catalog_edit *edit, const struct aggregate *aggregate);

/* The row of a function of the host; it is gone with the next opening. */
enum wr_status catalog_show_function(struct catalog_edit *edit, const struct system_function *function);

/* before NULL: a new table. Indexes and the table id that are in before and not in table are forgotten by the engine. */
enum wr_status catalog_store_table(struct catalog_edit *edit, const struct table *before, const struct table *table);
enum wr_status catalog_remove_table(struct catalog_edit *edit, const struct table *table);

/* The rows of system_schema, the version, and the snapshot after the change: one reference, the caller's. */
enum wr_status catalog_edit_done(struct catalog_edit *edit, struct schema **out);

#endif
