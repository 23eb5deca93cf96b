/*
 * DESCRIBE. The elements are those of the snapshot the plan was bound to; each row's text is made when it is its turn.
 */
#include <stdlib.h>

#include "engine/coding.h"
#include "model/describe.h"
#include "model/digit.h"
#include "model/functions.h"
#include "model/page.h"
#include "model/parse.h"
#include "model/plan.h"
#include "model/signature.h"

enum { VALUES_MAX = 4 };

/* One row to come. */
struct element {
    const char *type;
    struct slice keyspace, name;
    const struct keyspace *as_keyspace;
    const struct type *as_type;
    const struct table *as_table, *of_index;
    const struct index *as_index;
    const struct system_function *as_function;
    const struct aggregate *as_aggregate;
    uint64_t since;  /* of tables, views and indexes: comes before another of the same name but for its case */
    size_t name_len; /* of the two before: what of `name` is to be quoted; types follow */
};

struct describe_plan {
    struct plan plan;
    struct slice current_keyspace; /* null: none */
    bool texts;                    /* with create_statement */
};

struct describe_run {
    struct element *elements;
    uint32_t count, room, at, page_end;
    bool is_full; /* the page has as many rows as were asked for */
    struct slice values[VALUES_MAX];
};

/* ---- gathering ---- */

static enum wr_status add(struct exec *exec, struct describe_run *run, struct element element)
{
    if (run->count == run->room) {
        uint32_t room = run->room ? run->room * 2 : 64;
        struct element *more = NEW_ARRAY(exec->ctx, struct element, room);
        if (!more)
            return WR_NOMEM;
        if (run->count)
            memcpy(more, run->elements, run->count * sizeof *more);
        run->elements = more;
        run->room = room;
    }
    run->elements[run->count++] = element;
    return WR_OK;
}

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
    const struct element *x = a, *y = b;
    int c = fold_cmp(x->name, y->name);
    if (c == 0)
        c = (x->since > y->since) - (x->since < y->since);
    return c ? c : slice_cmp(x->name, y->name);
}

static void sort_from(struct describe_run *run, uint32_t first)
{
    if (run->count > first + 1)
        qsort(run->elements + first, run->count - first, sizeof *run->elements, element_cmp);
}

static enum wr_status add_keyspace(struct exec *exec, struct describe_run *run, const struct keyspace *k)
{
    return add(exec, run,
               (struct element){ .type = "keyspace", .keyspace = k->name, .name = k->name, .as_keyspace = k });
}

static enum wr_status add_view(struct exec *exec, struct describe_run *run, const struct table *v)
{
    return add(exec, run,
               (struct element){ .type = "materialized_view", .keyspace = v->keyspace, .name = v->name, .as_table = v, .since = v->changed });
}

/* All keyspaces, in the order that everything has (SchemaElement.NAME_COMPARATOR). */
static enum wr_status keyspaces_in_order(struct exec *exec, struct describe_run *out)
{
    *out = (struct describe_run){ 0 };
    for (uint32_t i = 0; i < schema_keyspace_count(exec->schema); i++)
        TRY(add_keyspace(exec, out, schema_keyspace_at(exec->schema, i)));
    sort_from(out, 0);
    return WR_OK;
}

/* The table, then its indexes, then its views. */
static enum wr_status add_table(struct exec *exec, struct describe_run *run, const struct table *t)
{
    TRY(add(exec, run, (struct element){ .type = "table", .keyspace = t->keyspace, .name = t->name, .as_table = t, .since = t->changed }));
    uint32_t first = run->count;
    for (uint32_t i = 0; i < t->index_count; i++)
        TRY(add(exec, run,
                (struct element){ .type = "index",
                                  .keyspace = t->keyspace,
                                  .name = t->indexes[i].name,
                                  .as_index = &t->indexes[i],
                                  .since = t->indexes[i].id,
                                  .of_index = t }));
    sort_from(run, first);
    first = run->count;
    for (uint32_t i = 0; i < t->view_count; i++)
        TRY(add_view(exec, run, t->views[i]));
    sort_from(run, first);
    return WR_OK;
}

static enum wr_status add_type(struct exec *exec, struct describe_run *run, const struct type *type)
{
    return add(exec, run,
               (struct element){ .type = "type", .keyspace = type->keyspace, .name = type->name, .as_type = type });
}

/* A type behind those it is made of; each once. */
static enum wr_status add_type_tree(struct exec *exec, struct describe_run *run, const struct keyspace *k,
                                    const struct type *type, bool *listed)
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
        TRY(add_type_tree(exec, run, k, type->args[i], listed));
    return type->kind == TYPE_UDT ? add_type(exec, run, k->declared[at]) : WR_OK;
}

/* By name, but each behind those it is made of (Types.sortedStream). */
static enum wr_status add_types(struct exec *exec, struct describe_run *run, const struct keyspace *k)
{
    bool *listed = NEW_ARRAY(exec->ctx, bool, k->type_count);
    if (!listed)
        return WR_NOMEM;
    for (uint32_t i = 0; i < k->type_count; i++)
        TRY(add_type_tree(exec, run, k, k->types[i], listed));
    return WR_OK;
}

/* `name(types)`, by which functions and aggregates are listed. */
static enum wr_status callable_name(struct ctx *ctx, struct slice name, const struct slice *types, uint32_t count,
                                    struct element *e)
{
    struct slice *shown = NEW_ARRAY(ctx, struct slice, count);
    if (!shown)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        shown[i] = describe_callable_type(types[i]);
    e->name_len = name.len;
    return signature_text(ctx, name, shown, count, &e->name);
}

/* Of that name, or (null) all, in order of their names. */
static enum wr_status add_functions(struct exec *exec, struct describe_run *run, const struct keyspace *k,
                                    struct slice name)
{
    const struct user_function *list;
    uint32_t first = run->count, count;
    TRY(functions_list(exec->ctx, exec->db, exec->schema, k->name, name, &list, &count));
    struct system_function *rows = NEW_ARRAY(exec->ctx, struct system_function, count);
    if (!rows)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct element e = { .type = "function", .keyspace = k->name, .as_function = &rows[i] };
        TRY(functions_row(exec->ctx, k->name, &list[i], &rows[i]));
        TRY(callable_name(exec->ctx, list[i].name, list[i].texts, list[i].arg_count, &e));
        TRY(add(exec, run, e));
    }
    sort_from(run, first);
    return WR_OK;
}

static enum wr_status add_aggregates(struct exec *exec, struct describe_run *run, const struct keyspace *k,
                                     struct slice name)
{
    uint32_t first = run->count;
    for (uint32_t i = 0; i < k->aggregate_count; i++) {
        const struct aggregate *a = &k->aggregates[i];
        struct element e = { .type = "aggregate", .keyspace = k->name, .as_aggregate = a };
        struct slice *types;
        if (!slice_is_null(name) && !slice_eq(name, a->name))
            continue;
        TRY(type_texts(exec->ctx, a->args, a->arg_count, &types));
        TRY(callable_name(exec->ctx, a->name, types, a->arg_count, &e));
        TRY(add(exec, run, e));
    }
    sort_from(run, first);
    return WR_OK;
}

static enum wr_status add_all(struct exec *exec, struct describe_run *run, const struct keyspace *k, bool only)
{
    TRY(add_keyspace(exec, run, k));
    if (only)
        return WR_OK;
    TRY(add_types(exec, run, k));
    TRY(add_functions(exec, run, k, SLICE_NULL));
    TRY(add_aggregates(exec, run, k, SLICE_NULL));
    const struct table **tables = NEW_ARRAY(exec->ctx, const struct table *, k->table_count);
    if (!tables)
        return WR_NOMEM;
    struct describe_run names = { 0 };
    for (uint32_t i = 0; i < k->table_count; i++)
        if (!table_is_view(k->tables[i]))
            TRY(add(exec, &names, (struct element){ .name = k->tables[i]->name, .as_table = k->tables[i], .since = k->tables[i]->changed }));
    sort_from(&names, 0);
    for (uint32_t i = 0; i < names.count; i++)
        TRY(add_table(exec, run, names.elements[i].as_table));
    return WR_OK;
}

/* ---- what is asked for ---- */

static enum wr_status require_keyspace(struct exec *exec, const struct describe_plan *p, struct slice name,
                                       const struct keyspace **out)
{
    if (!name.data)
        name = p->current_keyspace;
    if (!name.data)
        return fail(exec->ctx, WR_INVALID, "No keyspace specified and no current keyspace");
    if ((*out = schema_keyspace(exec->schema, name)))
        return WR_OK;
    return fail(exec->ctx, WR_INVALID, "'%.*s' not found in keyspaces", SLICE_ARG(name));
}

static enum wr_status list(struct exec *exec, const struct describe_plan *p, struct describe_run *run)
{
    enum ast_describe_kind kind = p->plan.ast->describe.kind;
    const struct keyspace *current;
    struct describe_run keyspaces;
    if (kind != DESCRIBE_KEYSPACES && p->current_keyspace.data)
        TRY(require_keyspace(exec, p, SLICE_NULL, &current));
    TRY(keyspaces_in_order(exec, &keyspaces));
    for (uint32_t i = 0; i < keyspaces.count; i++) {
        const struct keyspace *k = keyspaces.elements[i].as_keyspace;
        uint32_t first = run->count;
        if (kind == DESCRIBE_KEYSPACES)
            TRY(add_keyspace(exec, run, k));
        if (kind == DESCRIBE_KEYSPACES || (p->current_keyspace.data && !slice_eq(p->current_keyspace, k->name)))
            continue;
        for (uint32_t t = 0; kind == DESCRIBE_TABLES && t < k->table_count; t++)
            if (!table_is_view(k->tables[t]))
                TRY(add(exec, run, (struct element){
                                       .type = "table", .keyspace = k->name, .name = k->tables[t]->name, .since = k->tables[t]->changed }));
        for (uint32_t t = 0; kind == DESCRIBE_TYPES && t < k->type_count; t++)
            TRY(add_type(exec, run, k->declared[t]));
        sort_from(run, first);
        if (kind == DESCRIBE_FUNCTIONS)
            TRY(add_functions(exec, run, k, SLICE_NULL));
        if (kind == DESCRIBE_AGGREGATES)
            TRY(add_aggregates(exec, run, k, SLICE_NULL));
    }
    return WR_OK;
}

static enum wr_status describe_all(struct exec *exec, const struct describe_plan *p, struct describe_run *run)
{
    struct describe_run keyspaces;
    TRY(keyspaces_in_order(exec, &keyspaces));
    for (uint32_t i = 0; i < keyspaces.count; i++) {
        const struct keyspace *k = keyspaces.elements[i].as_keyspace;
        if (!k->is_system || p->plan.ast->describe.kind == DESCRIBE_FULL_SCHEMA)
            TRY(add_all(exec, run, k, false));
    }
    return WR_OK;
}

static enum wr_status describe_a_keyspace(struct exec *exec, const struct describe_plan *p, struct describe_run *run)
{
    const struct keyspace *k;
    TRY(require_keyspace(exec, p, p->plan.ast->describe.name.name, &k));
    return add_all(exec, run, k, p->plan.ast->describe.kind == DESCRIBE_ONLY_KEYSPACE);
}

static enum wr_status add_index(struct exec *exec, struct describe_run *run, const struct keyspace *k,
                                struct slice name, bool *found)
{
    const struct table *table;
    const struct index *index = schema_index(exec->schema, k->name, name, &table);
    *found = index != NULL;
    return index ? add(exec, run,
                       (struct element){
                           .type = "index", .keyspace = k->name, .name = name, .as_index = index, .of_index = table })
                 : WR_OK;
}

/* One named thing of a keyspace. */
static enum wr_status describe_one(struct exec *exec, const struct describe_plan *p, struct describe_run *run)
{
    static const char *const missing[] = {
        [DESCRIBE_TABLE] = "Table '%.*s' not found in keyspace '%.*s'",
        [DESCRIBE_INDEX] = "Table for existing index '%.*s' not found in '%.*s'",
        [DESCRIBE_VIEW] = "Materialized view '%.*s' not found in '%.*s'",
        [DESCRIBE_TYPE] = "User defined type '%.*s' not found in '%.*s'",
        [DESCRIBE_FUNCTION] = "User defined function '%.*s' not found in '%.*s'",
        [DESCRIBE_AGGREGATE] = "User defined aggregate '%.*s' not found in '%.*s'",
    };
    enum ast_describe_kind kind = p->plan.ast->describe.kind;
    struct slice name = p->plan.ast->describe.name.name;
    const struct keyspace *k;
    const struct table *table;
    const struct type *type;
    bool found = false;

    TRY(require_keyspace(exec, p, p->plan.ast->describe.name.keyspace, &k));
    table = schema_table(exec->schema, k->name, name);
    if (kind == DESCRIBE_TABLE && table && !table_is_view(table))
        return add_table(exec, run, table);
    if (kind == DESCRIBE_VIEW && table && table_is_view(table))
        return add_view(exec, run, table);
    if (kind == DESCRIBE_TYPE && (type = schema_declared_type(exec->schema, k->name, name)))
        return add_type(exec, run, type);
    if (kind == DESCRIBE_INDEX)
        TRY(add_index(exec, run, k, name, &found));
    if (kind == DESCRIBE_FUNCTION)
        TRY(add_functions(exec, run, k, name));
    if (kind == DESCRIBE_AGGREGATE)
        TRY(add_aggregates(exec, run, k, name));
    found |= run->count > 0;
    return found ? WR_OK : fail(exec->ctx, WR_INVALID, missing[kind], SLICE_ARG(name), SLICE_ARG(k->name));
}

/* DESCRIBE name: a keyspace, or a table, a view or an index of the current (or given) one. */
static enum wr_status describe_any(struct exec *exec, const struct describe_plan *p, struct describe_run *run)
{
    const struct ast_name *name = &p->plan.ast->describe.name;
    const struct keyspace *k;
    const struct table *table;
    bool found;

    if (!name->keyspace.data && (k = schema_keyspace(exec->schema, name->name)))
        return add_all(exec, run, k, false);
    if (!name->keyspace.data && !p->current_keyspace.data)
        return fail(exec->ctx, WR_INVALID, "'%.*s' not found in keyspaces", SLICE_ARG(name->name));
    TRY(require_keyspace(exec, p, name->keyspace, &k));
    if ((table = schema_table(exec->schema, k->name, name->name)))
        return (table_is_view(table) ? add_view : add_table)(exec, run, table);
    TRY(add_index(exec, run, k, name->name, &found));
    return found ? WR_OK
                 : fail(exec->ctx, WR_INVALID, "'%.*s' not found in keyspace '%.*s'", SLICE_ARG(name->name),
                        SLICE_ARG(k->name));
}

static enum wr_status describe_cluster(struct exec *exec, const struct describe_plan *p, struct describe_run *run)
{
    (void)p;
    return add(exec, run, (struct element){ .type = NULL });
}

static enum wr_status (*const gatherers[])(struct exec *exec, const struct describe_plan *p,
                                           struct describe_run *run) = {
    [DESCRIBE_CLUSTER] = describe_cluster,
    [DESCRIBE_SCHEMA] = describe_all,
    [DESCRIBE_FULL_SCHEMA] = describe_all,
    [DESCRIBE_KEYSPACES] = list,
    [DESCRIBE_KEYSPACE] = describe_a_keyspace,
    [DESCRIBE_ONLY_KEYSPACE] = describe_a_keyspace,
    [DESCRIBE_TABLES] = list,
    [DESCRIBE_TABLE] = describe_one,
    [DESCRIBE_INDEX] = describe_one,
    [DESCRIBE_VIEW] = describe_one,
    [DESCRIBE_TYPES] = list,
    [DESCRIBE_TYPE] = describe_one,
    [DESCRIBE_FUNCTIONS] = list,
    [DESCRIBE_FUNCTION] = describe_one,
    [DESCRIBE_AGGREGATES] = list,
    [DESCRIBE_AGGREGATE] = describe_one,
    [DESCRIBE_ANY] = describe_any,
};

/* ---- running ---- */

/* Where a page begins, as the state's key: [schema version u64][element u32]. Another schema would have other elements there. Asked before
 * what is described is looked for, and so not of which statement it is. */
static enum wr_status resume(struct exec *exec, uint32_t *at)
{
    struct page_state state;
    *at = 0;
    if (slice_is_null(exec->page_state))
        return WR_OK;
    TRY(page_decode(exec->ctx, exec->page_state, &state));
    struct reader r = reader_of(state.key);
    uint64_t version = read_be64(&r);
    *at = read_be32(&r);
    if (r.failed || reader_left(&r) || state.clustering.len) /* that of a SELECT */
        return fail(exec->ctx, WR_INVALID, "Incompatible paging state");
    if (version != schema_version(exec->schema))
        return fail(exec->ctx, WR_INVALID,
                    "The schema has changed since the previous page of the DESCRIBE statement result. "
                    "Please retry the DESCRIBE statement.");
    return WR_OK;
}

static enum wr_status start(struct exec *exec, const struct plan *plan)
{
    const struct describe_plan *p = (const struct describe_plan *)plan;
    struct describe_run *run = NEW(exec->ctx, struct describe_run);
    uint32_t from;
    if (!run)
        return WR_NOMEM;
    TRY(resume(exec, &from));
    TRY(gatherers[plan->ast->describe.kind](exec, p, run));
    run->at = from < run->count ? from : run->count;
    run->page_end = run->count;
    run->is_full = exec->page_size > 0 && run->count - run->at >= (uint32_t)exec->page_size;
    if (run->is_full) /* a full page always has another behind it, be it an empty one */
        run->page_end = run->at + (uint32_t)exec->page_size;
    exec->run = run;
    return WR_OK;
}

static enum wr_status quoted(struct ctx *ctx, struct slice name, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    cql_put_name(&buf, name);
    return buf_done(ctx, &buf, out);
}

static enum wr_status element_name(struct ctx *ctx, const struct element *e, struct slice *out)
{
    struct buf buf;
    if (!e->as_function && !e->as_aggregate)
        return quoted(ctx, e->name, out);
    buf_init(&buf, ctx->arena);
    cql_put_name(&buf, slice_of(e->name.data, e->name_len));
    buf_put_slice(&buf, slice_skip(e->name, e->name_len));
    return buf_done(ctx, &buf, out);
}

static enum wr_status create_text(struct ctx *ctx, const struct element *e, bool internals, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    if (e->as_keyspace)
        describe_keyspace(&buf, e->as_keyspace);
    else if (e->as_type)
        describe_type(&buf, e->as_type);
    else if (e->as_table && table_is_view(e->as_table))
        TRY(describe_view(ctx, &buf, e->as_table, internals));
    else if (e->as_table)
        describe_table(&buf, e->as_table, internals);
    else if (e->as_aggregate)
        describe_aggregate(&buf, e->keyspace, e->as_aggregate);
    else if (e->as_function)
        describe_function(&buf, *e->as_function);
    else
        describe_index(&buf, e->of_index, e->as_index);
    return buf_done(ctx, &buf, out);
}

static enum wr_status cluster_row(struct ctx *ctx, struct slice values[VALUES_MAX])
{
    struct buf ranges;
    values[0] = SLICE_LIT(SYSTEM_CLUSTER);
    values[1] = SLICE_LIT("Murmur3Partitioner");
    values[2] = SLICE_LIT("DynamicEndpointSnitch");
    buf_init(&ranges, ctx->arena); /* one token, one endpoint */
    buf_put_u32(&ranges, 1);
    buf_put_bytes32(&ranges, SLICE_LIT("0"));
    struct slice address = SLICE_LIT("/127.0.0.1:7000");
    buf_put_u32(&ranges, (uint32_t)(4 + 4 + address.len));
    buf_put_u32(&ranges, 1);
    buf_put_bytes32(&ranges, address);
    return buf_done(ctx, &ranges, &values[3]);
}

static enum wr_status page_state(struct exec *exec, const struct describe_run *run)
{
    uint8_t bytes[12];
    put_u64(bytes, schema_version(exec->schema));
    put_u32(bytes + 8, run->at);
    const struct page_state state = { .key = slice_of(bytes, sizeof bytes) };
    return page_encode(exec->ctx, &state, &exec->next_page_state);
}

static enum wr_status step(struct exec *exec, const struct plan *plan, const struct slice **row)
{
    const struct describe_plan *p = (const struct describe_plan *)plan;
    struct describe_run *run = exec->run;
    *row = NULL;
    if (run->at == run->page_end)
        return run->is_full ? page_state(exec, run) : WR_OK;
    const struct element *e = &run->elements[run->at++];
    if (!e->type) {
        TRY(cluster_row(exec->ctx, run->values));
    } else {
        TRY(quoted(exec->ctx, e->keyspace, &run->values[0]));
        run->values[1] = slice_str(e->type);
        TRY(element_name(exec->ctx, e, &run->values[2]));
        if (p->texts)
            TRY(create_text(exec->ctx, e, plan->ast->describe.internals, &run->values[3]));
    }
    *row = run->values;
    return WR_OK;
}

static const struct plan_ops describe_ops = {
    .name = "DESCRIBE", .access = PLAN_NEITHER, .start = start, .step = step
};

/* DescribeStatement.Cluster tells who owns ranges of a keyspace that users have made (mustReturnsRangeOwnerships). */
static bool tells_owners(const struct bind *bind)
{
    if (!bind->current_keyspace.data)
        return false;
    const struct keyspace *current = schema_keyspace(bind->schema, bind->current_keyspace);
    return !current || !current->is_system;
}

enum wr_status bind_describe(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    static const char *const element_names[] = { "keyspace_name", "type", "name", "create_statement" };
    static const char *const cluster_names[] = { "cluster", "partitioner", "snitch", "range_ownership" };
    struct describe_plan *p = NEW(bind->ctx, struct describe_plan);
    struct column_spec *columns = NEW_ARRAY(bind->ctx, struct column_spec, VALUES_MAX);
    bool cluster = ast->describe.kind == DESCRIBE_CLUSTER;
    if (!p || !columns)
        return WR_NOMEM;
    TRY(ctx_copy(bind->ctx, bind->current_keyspace, &p->current_keyspace));
    p->texts = gatherers[ast->describe.kind] != list && !cluster;
    for (int i = 0; i < VALUES_MAX; i++)
        columns[i] = (struct column_spec){ .keyspace = SLICE_LIT("system"),
                                           .table = SLICE_LIT("describe"),
                                           .name = slice_str(cluster ? cluster_names[i] : element_names[i]),
                                           .type = type_native(TYPE_TEXT) };
    if (cluster) {
        const struct type *text = type_native(TYPE_TEXT);
        const struct type *args[2] = { text, type_make(bind->ctx, TYPE_LIST, &text, 1, false, 0) };
        if (!args[1] || !(columns[3].type = type_make(bind->ctx, TYPE_MAP, args, 2, false, 0)))
            return WR_NOMEM;
    }
    p->plan.ops = &describe_ops;
    p->plan.columns = columns;
    p->plan.column_count = p->texts || (cluster && tells_owners(bind)) ? 4 : 3;
    *out = &p->plan;
    return WR_OK;
}
