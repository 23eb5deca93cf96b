#include "model/schema_element.h"

#include <stdlib.h>

#include "model/digit.h"
#include "model/signature.h"

void schema_elements_init(struct schema_elements *e, struct ctx *ctx, const struct database *db, const struct schema *schema)
{
    *e = (struct schema_elements){ .ctx = ctx, .db = db, .schema = schema };
}

enum wr_status schema_elements_add(struct schema_elements *e, struct schema_element element)
{
    if (e->count == e->room) {
        uint32_t room = e->room ? e->room * 2 : 64;
        struct schema_element *more = NEW_ARRAY(e->ctx, struct schema_element, room);
        if (!more)
            return WR_NOMEM;
        if (e->count)
            memcpy(more, e->list, e->count * sizeof *more);
        e->list = more;
        e->room = room;
    }
    e->list[e->count++] = element;
    return WR_OK;
}

/* ---- order ---- */

/* String.compareToIgnoreCase */
static int fold_cmp(struct slice a, struct slice b)
{
    for (size_t i = 0; i < a.len && i < b.len; i++)
        if (small_letter(a.data[i]) != small_letter(b.data[i]))
            return small_letter(a.data[i]) - small_letter(b.data[i]);
    return (a.len > b.len) - (a.len < b.len);
}

/* Names that differ in their case alone stay as they were there, which is how they came to be. */
static int element_cmp(const void *a, const void *b)
{
    const struct schema_element *x = a, *y = b;
    int c = fold_cmp(x->name, y->name);
    if (c == 0)
        c = (x->since > y->since) - (x->since < y->since);
    return c ? c : slice_cmp(x->name, y->name);
}

void schema_elements_sort(struct schema_elements *e, uint32_t first)
{
    if (e->count > first + 1)
        qsort(e->list + first, e->count - first, sizeof *e->list, element_cmp);
}

/* ---- types ---- */

enum wr_status schema_elements_add_type(struct schema_elements *e, const struct type *type)
{
    return schema_elements_add(e, (struct schema_element){ .type = "type", .keyspace = type->keyspace, .name = type->name, .as_type = type });
}

/* A type behind those it is made of; each once. */
static enum wr_status add_type_tree(struct schema_elements *e, const struct keyspace *k, const struct type *type, bool *listed)
{
    uint32_t at = 0;
    if (type->kind == TYPE_UDT) {
        while (at < k->type_count && !slice_eq(k->types[at]->name, type->name))
            at++;
        if (at == k->type_count || listed[at])
            return WR_OK;
        listed[at] = true;
    }
    for (uint32_t i = 0; i < type->arg_count; i++) /* as deep as types nest, which type.c bounds */
        TRY(add_type_tree(e, k, type->args[i], listed));
    return type->kind == TYPE_UDT ? schema_elements_add_type(e, k->declared[at]) : WR_OK;
}

/* By name, but each behind those it is made of (Types.sortedStream). */
static enum wr_status add_types(struct schema_elements *e, const struct keyspace *k)
{
    bool *listed = NEW_ARRAY(e->ctx, bool, k->type_count);
    const struct type **types;
    if (!listed)
        return WR_NOMEM;
    TRY(keyspace_types_sorted(e->ctx, k, &types));
    for (uint32_t i = 0; i < k->type_count; i++)
        TRY(add_type_tree(e, k, types[i], listed));
    return WR_OK;
}

/* ---- functions and aggregates ---- */

/* `name(types)`, by which they are listed. */
static enum wr_status callable_name(struct ctx *ctx, struct slice name, const struct slice *types, uint32_t count, struct schema_element *out)
{
    struct slice *shown = NEW_ARRAY(ctx, struct slice, count);
    if (!shown)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        shown[i] = describe_callable_type(types[i]);
    out->name_len = name.len;
    return signature_text(ctx, name, shown, count, &out->name);
}

enum wr_status schema_elements_add_functions(struct schema_elements *e, const struct keyspace *k, struct slice name)
{
    const struct user_function *list;
    uint32_t first = e->count, count;
    TRY(functions_list(e->ctx, e->db, e->schema, k->name, name, &list, &count));
    struct system_function *rows = NEW_ARRAY(e->ctx, struct system_function, count);
    if (!rows)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct schema_element function = { .type = "function", .keyspace = k->name, .as_function = &rows[i] };
        TRY(functions_row(e->ctx, k->name, &list[i], &rows[i]));
        TRY(callable_name(e->ctx, list[i].name, list[i].texts, list[i].arg_count, &function));
        TRY(schema_elements_add(e, function));
    }
    schema_elements_sort(e, first);
    return WR_OK;
}

enum wr_status schema_elements_add_aggregates(struct schema_elements *e, const struct keyspace *k, struct slice name)
{
    uint32_t first = e->count;
    for (uint32_t i = 0; i < k->aggregate_count; i++) {
        const struct aggregate *a = &k->aggregates[i];
        struct schema_element aggregate = { .type = "aggregate", .keyspace = k->name, .as_aggregate = a };
        struct slice *types;
        if (!slice_is_null(name) && !slice_eq(name, a->name))
            continue;
        TRY(type_texts(e->ctx, a->args, a->arg_count, &types));
        TRY(callable_name(e->ctx, a->name, types, a->arg_count, &aggregate));
        TRY(schema_elements_add(e, aggregate));
    }
    schema_elements_sort(e, first);
    return WR_OK;
}

/* ---- tables, their indexes and views ---- */

enum wr_status schema_elements_add_view(struct schema_elements *e, const struct table *v)
{
    return schema_elements_add(
        e, (struct schema_element){ .type = "materialized_view", .keyspace = v->keyspace, .name = v->name, .as_table = v, .since = v->changed });
}

enum wr_status schema_elements_add_table(struct schema_elements *e, const struct table *t)
{
    TRY(schema_elements_add(e, (struct schema_element){ .type = "table", .keyspace = t->keyspace, .name = t->name, .as_table = t, .since = t->changed }));
    uint32_t first = e->count;
    for (uint32_t i = 0; i < t->index_count; i++)
        TRY(schema_elements_add(e, (struct schema_element){ .type = "index",
                                              .keyspace = t->keyspace,
                                              .name = t->indexes[i].name,
                                              .as_index = &t->indexes[i],
                                              .since = t->indexes[i].id,
                                              .of_index = t }));
    schema_elements_sort(e, first);
    first = e->count;
    for (uint32_t i = 0; i < t->view_count; i++)
        TRY(schema_elements_add_view(e, t->views[i]));
    schema_elements_sort(e, first);
    return WR_OK;
}

/* ---- keyspaces ---- */

enum wr_status schema_elements_add_keyspace(struct schema_elements *e, const struct keyspace *k)
{
    return schema_elements_add(e, (struct schema_element){ .type = "keyspace", .keyspace = k->name, .name = k->name, .as_keyspace = k });
}

enum wr_status schema_elements_add_keyspaces(struct schema_elements *e)
{
    uint32_t first = e->count;
    for (uint32_t i = 0; i < schema_keyspace_count(e->schema); i++)
        TRY(schema_elements_add_keyspace(e, schema_keyspace_at(e->schema, i)));
    schema_elements_sort(e, first);
    return WR_OK;
}

enum wr_status schema_elements_add_whole(struct schema_elements *e, const struct keyspace *k)
{
    struct schema_elements tables;
    schema_elements_init(&tables, e->ctx, e->db, e->schema);
    TRY(schema_elements_add_keyspace(e, k));
    TRY(add_types(e, k));
    TRY(schema_elements_add_functions(e, k, SLICE_NULL));
    TRY(schema_elements_add_aggregates(e, k, SLICE_NULL));
    for (uint32_t i = 0; i < k->table_count; i++)
        if (!table_is_view(k->tables[i]))
            TRY(schema_elements_add(&tables,
                             (struct schema_element){ .name = k->tables[i]->name, .as_table = k->tables[i], .since = k->tables[i]->changed }));
    schema_elements_sort(&tables, 0);
    for (uint32_t i = 0; i < tables.count; i++)
        TRY(schema_elements_add_table(e, tables.list[i].as_table));
    return WR_OK;
}

/* ---- texts ---- */

enum wr_status schema_element_text(struct ctx *ctx, const struct schema_element *e, enum describe_form form, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    if (e->as_keyspace)
        describe_keyspace(&buf, e->as_keyspace, form);
    else if (e->as_type)
        describe_type(&buf, e->as_type, form);
    else if (e->as_table && table_is_view(e->as_table))
        TRY(describe_view(ctx, &buf, e->as_table, form));
    else if (e->as_table)
        describe_table(&buf, e->as_table, form);
    else if (e->as_aggregate)
        describe_aggregate(&buf, e->keyspace, e->as_aggregate, form);
    else if (e->as_function)
        describe_function(&buf, *e->as_function, form);
    else
        describe_index(&buf, e->of_index, e->as_index);
    return buf_done(ctx, &buf, out);
}
