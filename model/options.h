/*
 * options.h - the properties after WITH: of tables, one table that names, defaults, parses, checks, prints and stores each.
 *
 * 1. Errors are Cassandra's in class, text and order: each value as it is read, in the order of its builder; unknown names
 *    (0x2000; that none comes twice the parser sees to); what the values mean together (0x2300).
 * 2. Values come out normalized as system_schema shows them (full class names, upper-case caching, '99p').
 */
#ifndef WR_MODEL_OPTIONS_H
#define WR_MODEL_OPTIONS_H

#include "model/string_map.h"

/* ---- properties of any statement ---- */

const struct ast_property *property_find(const struct ast_property *properties, const char *name); /* NULL: not given */
enum wr_status property_map(struct ctx *ctx, const struct ast_property *p, struct string_map *out); /* a map */
enum wr_status property_bool(struct ctx *ctx, const struct ast_property *p, bool *out);
/* A property that is none of these is told; of several that which a HashMap of all their names gives first. */
enum wr_status properties_known(struct ctx *ctx, const struct ast_property *properties, bool (*known)(struct slice name));

/* ---- of tables ---- */

extern const struct table_options table_options_default;

enum option_kind { OPTION_BOOL, OPTION_DOUBLE, OPTION_INT, OPTION_MAP, OPTION_TEXT };

struct option { /* one line of the table; for the catalog, which stores them by code */
    const char *name;
    enum option_kind kind;
    uint8_t code; /* in the catalog; never used for another */
    size_t offset; /* in struct table_options */
};

const struct option *option_at(uint32_t i); /* in order of DESCRIBE; NULL behind the last */
const struct option *option_by_code(uint8_t code); /* NULL: none */

/* The properties over *options: defaults for CREATE, the table's own for ALTER. `id`, and names that are none, are left. Cassandra
 * reads the values before it looks whether there is such a table, and checks them after. */
enum wr_status options_read(struct ctx *ctx, const struct ast_property *properties, bool create,
                            struct table_options *options);

/* TableAttributes.validate: the properties are held against each other and the defaults, whatever the table has. */
enum wr_status options_check(struct ctx *ctx, const struct ast_property *properties);

/* `id`'s value. *has false: not given. */
enum wr_status options_table_id(struct ctx *ctx, const struct ast_property *properties, bool *has, uint8_t id[16]);

void option_print(struct buf *buf, const struct option *option, const struct table_options *options); /* its value, as DESCRIBE does */
/* A table that was made without it and with the same compaction has that value. False where there is no memory to tell. */
bool option_is_new_tables(struct arena *arena, const struct option *option, const struct table_options *options);

/* ---- those with a grammar of their own: compaction.c, option_maps.c ---- */

enum wr_status compaction_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out);
enum wr_status compaction_check(struct ctx *ctx, const struct string_map *compaction);
bool compaction_is_leveled(const struct string_map *compaction);
bool compaction_is_by_time(const struct string_map *compaction); /* TimeWindowCompactionStrategy */
enum wr_status compression_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out);
enum wr_status caching_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out);
enum wr_status retry_parse(struct ctx *ctx, struct slice given, struct slice *out); /* speculative_retry, additional_write_policy */

#endif
