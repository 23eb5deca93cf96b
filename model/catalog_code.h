/*
 * catalog_code.h - schema objects to the bytes of the engine's catalog and back (tables: catalog_table.c). Bytes alone: no transaction, no snapshot.
 *
 * Names in the catalog tree:
 *     'V'                        version of the schema u64
 *     'K' keyspace               'Y' keyspace 0 type name            'T' keyspace 0 table
 *     'S' keyspace 0 table       of a system table that was truncated: its engine id u64
 *     'A' keyspace 0 signature   an aggregate: name(type, ...)
 *     'U' keyspace 0 signature   a function of CREATE FUNCTION
 *     'F' keyspace               system_schema.functions has rows of this process's functions there: one byte
 * A type name too long for a key goes by its XXH3-128 (the value holds the whole). Values:
 *     format u8 | fields; numbers are varints, text is varint length + 1 and bytes (0: null), lists and maps have a count before.
 *     keyspace  name | durable writes u8 | replication map
 *     type      name | fields: name, type's name
 *     function  name | arguments: name, type | result type | called on null u8 | language | body
 *     aggregate name | argument types | state function | state type | final function | result type | initial value
 *     table     name | uuid 16 | flags | table id | next column id | changed | columns: name, kind u8, descending u8, id,
 *               dropped us zigzag, type's name | options: code u8, value by its kind | indexes: name, column's ordinal, class u8,
 *               target u8, target text, class name, options map, id | dropped columns: name, kind u8, id, dropped us zigzag, type's name
 *               | of a view (flags): catalog_view.c
 *               | where the flags have 128: masks: column's ordinal, function's keyspace, name, arguments: type's name, value
 * 1. What is put comes out equal. 2. Any other bytes give WR_CORRUPT: every count, kind, order and reference is checked.
 */
#ifndef WR_MODEL_CATALOG_CODE_H
#define WR_MODEL_CATALOG_CODE_H

#include "engine/coding.h"
#include "model/schema.h"

enum catalog_tag { CATALOG_VERSION = 'V', CATALOG_KEYSPACE = 'K', CATALOG_TYPE = 'Y', CATALOG_TABLE = 'T', CATALOG_SYSTEM_ID = 'S', CATALOG_AGGREGATE = 'A',
                   CATALOG_FUNCTION = 'U', CATALOG_FUNCTIONS = 'F' };

/* The name of an entry. name null: only the keyspace; with both null only the tag (prefixes of a walk). */
enum wr_status catalog_name(struct ctx *ctx, enum catalog_tag tag, struct slice keyspace, struct slice name, struct slice *out);
/* The prefix of all entries of a keyspace: the tag, the keyspace, 0. */
enum wr_status catalog_prefix(struct ctx *ctx, enum catalog_tag tag, struct slice keyspace, struct slice *out);

enum wr_status keyspace_encode(struct ctx *ctx, const struct keyspace *keyspace, struct slice *out);
enum wr_status keyspace_decode(struct ctx *ctx, struct slice bytes, struct keyspace *out);

/* Finds the user types of the keyspace that are known already. */
typedef const struct type *type_lookup(void *arg, struct slice keyspace, struct slice name);

/* Types as CREATE TYPE has them (keyspace.declared). *out NULL: lookup does not know a type it is made of. */
enum wr_status type_encode(struct ctx *ctx, const struct type *type, struct slice *out);
enum wr_status type_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, type_lookup *lookup, void *arg,
                           const struct type **out);

enum wr_status function_encode(struct ctx *ctx, const struct function *function, struct slice *out);
enum wr_status function_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, type_lookup *lookup, void *arg,
                               struct function *out);

enum wr_status aggregate_encode(struct ctx *ctx, const struct aggregate *aggregate, struct slice *out);
enum wr_status aggregate_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, type_lookup *lookup, void *arg,
                                struct aggregate *out);

enum wr_status table_encode(struct ctx *ctx, const struct table *table, struct slice *out);
enum wr_status table_decode(struct ctx *ctx, struct slice bytes, struct slice keyspace, struct slice name, type_lookup *lookup,
                            void *arg, struct table *out);

/* ---- catalog_view.c: what a view's entry has behind a table's ---- */

void view_encode(struct buf *buf, const struct view *view);
enum wr_status view_decode(struct ctx *ctx, struct reader *r, const struct view **out);

/* What follows from columns, flags and indexes: positions, ordinals, counts, the clustering's shape, the engine's shape. The
 * columns are sorted into `*` order first. Memory from ctx; for every struct table that is made. */
enum wr_status table_complete(struct ctx *ctx, struct table *table);

#endif
