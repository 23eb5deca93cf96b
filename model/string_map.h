/*
 * string_map.h - the small maps of text in the schema: replication, compaction, index options.
 *
 * A map's entries are in order of key bytes, as Cassandra's sorted maps print and store them, and are found by it. Nothing is changed in
 * place: what "sets" a key gives a new map in ctx's memory.
 */
#ifndef WR_MODEL_STRING_MAP_H
#define WR_MODEL_STRING_MAP_H

#include "model/ast.h"
#include "model/schema.h"

/* In order of keys; that none comes twice the parser sees to. */
enum wr_status string_map_from_pairs(struct ctx *ctx, const struct ast_pair *pairs, struct string_map *out);

struct slice string_map_get(const struct string_map *map, struct slice key); /* null: not there */

/* With key put in or replaced, or taken out. Borrows key and value. */
enum wr_status string_map_set(struct ctx *ctx, const struct string_map *map, struct slice key, struct slice value,
                              struct string_map *out);
enum wr_status string_map_without(struct ctx *ctx, const struct string_map *map, struct slice key, struct string_map *out);
enum wr_status string_map_without_value(struct ctx *ctx, const struct string_map *map, struct slice value, struct string_map *out); /* all that have it */

/* The keys in the order in which the statement has them, others behind them: maps of Java's keep it within a bucket. In ctx's memory. */
enum wr_status string_map_written(struct ctx *ctx, const struct string_map *map, struct slice **out);

bool string_map_eq(const struct string_map *a, const struct string_map *b);

/* `{'a': '1', 'b': '2'}`, quotes doubled. */
void string_map_print(struct buf *buf, const struct string_map *map);

/* `[a, b]` of keys, as Java prints a set of them; a NUL-terminated text in ctx's memory. */
const char *string_map_key_list(struct ctx *ctx, const struct slice *keys, uint32_t count);

/* `'it''s'` */
void cql_put_string(struct buf *buf, struct slice text);

#endif
