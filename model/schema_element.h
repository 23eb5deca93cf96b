/*
 * schema_element.h - what a schema is made of, in an order in which it can be made again: types behind those they are of, tables before their indexes and
 * views. DESCRIBE's rows, and the statements of a script.
 */
#ifndef WR_MODEL_SCHEMA_ELEMENT_H
#define WR_MODEL_SCHEMA_ELEMENT_H

#include "model/describe.h"
#include "model/functions.h"

struct schema_element {
    const char *type; /* "table"; NULL: none of the schema */
    struct slice keyspace, name;
    const struct keyspace *as_keyspace;
    const struct type *as_type;
    const struct table *as_table, *of_index;
    const struct index *as_index;
    const struct system_function *as_function;
    const struct aggregate *as_aggregate;
    uint64_t since;  /* of tables, views and indexes: comes before another of the same name but for its case */
    size_t name_len; /* of functions and aggregates: what of `name` is to be quoted; types follow */
};

/* A list that grows; its memory is ctx's. */
struct schema_elements {
    struct ctx *ctx;
    const struct database *db;
    const struct schema *schema;
    struct schema_element *list;
    uint32_t count, room;
};

void schema_elements_init(struct schema_elements *e, struct ctx *ctx, const struct database *db, const struct schema *schema);
enum wr_status schema_elements_add(struct schema_elements *e, struct schema_element element);
void schema_elements_sort(struct schema_elements *e, uint32_t first); /* those from that one on, by name (SchemaElement.NAME_COMPARATOR) */

enum wr_status schema_elements_add_keyspaces(struct schema_elements *e); /* all there are, in order of their names; they alone */
enum wr_status schema_elements_add_keyspace(struct schema_elements *e, const struct keyspace *k); /* it alone */
enum wr_status schema_elements_add_whole(struct schema_elements *e, const struct keyspace *k);    /* it and all that is in it */
enum wr_status schema_elements_add_table(struct schema_elements *e, const struct table *t);       /* then its indexes, then its views */
enum wr_status schema_elements_add_view(struct schema_elements *e, const struct table *v);
enum wr_status schema_elements_add_type(struct schema_elements *e, const struct type *type);
/* Those of that name, or (null) all, in order of their names. */
enum wr_status schema_elements_add_functions(struct schema_elements *e, const struct keyspace *k, struct slice name);
enum wr_status schema_elements_add_aggregates(struct schema_elements *e, const struct keyspace *k, struct slice name);

/* Of an element of the schema: the statement that makes it. */
enum wr_status schema_element_text(struct ctx *ctx, const struct schema_element *e, enum describe_form form, struct slice *out);

#endif
