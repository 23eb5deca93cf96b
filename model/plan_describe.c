/*
 * DESCRIBE. The elements are those of the snapshot the plan was bound to; each row's text is made when it is its turn.
 */
#include "engine/coding.h"
#include "model/schema_element.h"
#include "model/page.h"
#include "model/parse.h"
#include "model/plan.h"

enum { VALUES_MAX = 4 };

struct describe_plan {
    struct plan plan;
    struct slice current_keyspace; /* null: none */
    bool texts;                    /* with create_statement */
};

struct describe_run {
    struct schema_elements elements;
    uint32_t at, page_end;
    bool is_full; /* the page has as many rows as were asked for */
    struct slice values[VALUES_MAX];
};

/* ---- what is asked for ---- */

static enum wr_status require_keyspace(struct schema_elements *e, const struct describe_plan *p, struct slice name, const struct keyspace **out)
{
    if (!name.data)
        name = p->current_keyspace;
    if (!name.data)
        return fail(e->ctx, WR_INVALID, "No keyspace specified and no current keyspace");
    if ((*out = schema_keyspace(e->schema, name)))
        return WR_OK;
    return fail(e->ctx, WR_INVALID, "'%.*s' not found in keyspaces", SLICE_ARG(name));
}

static enum wr_status list(struct schema_elements *e, const struct describe_plan *p)
{
    enum ast_describe_kind kind = p->plan.ast->describe.kind;
    const struct keyspace *current;
    struct schema_elements keyspaces;
    if (kind != DESCRIBE_KEYSPACES && p->current_keyspace.data)
        TRY(require_keyspace(e, p, SLICE_NULL, &current));
    schema_elements_init(&keyspaces, e->ctx, e->db, e->schema);
    TRY(schema_elements_add_keyspaces(&keyspaces));
    for (uint32_t i = 0; i < keyspaces.count; i++) {
        const struct keyspace *k = keyspaces.list[i].as_keyspace;
        uint32_t first = e->count;
        if (kind == DESCRIBE_KEYSPACES)
            TRY(schema_elements_add_keyspace(e, k));
        if (kind == DESCRIBE_KEYSPACES || (p->current_keyspace.data && !slice_eq(p->current_keyspace, k->name)))
            continue;
        for (uint32_t t = 0; kind == DESCRIBE_TABLES && t < k->table_count; t++)
            if (!table_is_view(k->tables[t]))
                TRY(schema_elements_add(e, (struct schema_element){
                                       .type = "table", .keyspace = k->name, .name = k->tables[t]->name, .since = k->tables[t]->changed }));
        for (uint32_t t = 0; kind == DESCRIBE_TYPES && t < k->type_count; t++)
            TRY(schema_elements_add_type(e, k->declared[t]));
        schema_elements_sort(e, first);
        if (kind == DESCRIBE_FUNCTIONS)
            TRY(schema_elements_add_functions(e, k, SLICE_NULL));
        if (kind == DESCRIBE_AGGREGATES)
            TRY(schema_elements_add_aggregates(e, k, SLICE_NULL));
    }
    return WR_OK;
}

static enum wr_status describe_all(struct schema_elements *e, const struct describe_plan *p)
{
    struct schema_elements keyspaces;
    schema_elements_init(&keyspaces, e->ctx, e->db, e->schema);
    TRY(schema_elements_add_keyspaces(&keyspaces));
    for (uint32_t i = 0; i < keyspaces.count; i++) {
        const struct keyspace *k = keyspaces.list[i].as_keyspace;
        if (!k->is_system || p->plan.ast->describe.kind == DESCRIBE_FULL_SCHEMA)
            TRY(schema_elements_add_whole(e, k));
    }
    return WR_OK;
}

static enum wr_status describe_a_keyspace(struct schema_elements *e, const struct describe_plan *p)
{
    const struct keyspace *k;
    TRY(require_keyspace(e, p, p->plan.ast->describe.name.name, &k));
    return (p->plan.ast->describe.kind == DESCRIBE_ONLY_KEYSPACE ? schema_elements_add_keyspace : schema_elements_add_whole)(e, k);
}

static enum wr_status add_index(struct schema_elements *e, const struct keyspace *k, struct slice name, bool *found)
{
    const struct table *table;
    const struct index *index = schema_index(e->schema, k->name, name, &table);
    *found = index != NULL;
    return index ? schema_elements_add(e, (struct schema_element){ .type = "index", .keyspace = k->name, .name = name, .as_index = index, .of_index = table })
                 : WR_OK;
}

/* One named thing of a keyspace. */
static enum wr_status describe_one(struct schema_elements *e, const struct describe_plan *p)
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

    TRY(require_keyspace(e, p, p->plan.ast->describe.name.keyspace, &k));
    table = schema_table(e->schema, k->name, name);
    if (kind == DESCRIBE_TABLE && table && !table_is_view(table))
        return schema_elements_add_table(e, table);
    if (kind == DESCRIBE_VIEW && table && table_is_view(table))
        return schema_elements_add_view(e, table);
    if (kind == DESCRIBE_TYPE && (type = schema_declared_type(e->schema, k->name, name)))
        return schema_elements_add_type(e, type);
    if (kind == DESCRIBE_INDEX)
        TRY(add_index(e, k, name, &found));
    if (kind == DESCRIBE_FUNCTION)
        TRY(schema_elements_add_functions(e, k, name));
    if (kind == DESCRIBE_AGGREGATE)
        TRY(schema_elements_add_aggregates(e, k, name));
    found |= e->count > 0;
    return found ? WR_OK : fail(e->ctx, WR_INVALID, missing[kind], SLICE_ARG(name), SLICE_ARG(k->name));
}

/* DESCRIBE name: a keyspace, or a table, a view or an index of the current (or given) one. */
static enum wr_status describe_any(struct schema_elements *e, const struct describe_plan *p)
{
    const struct ast_name *name = &p->plan.ast->describe.name;
    const struct keyspace *k;
    const struct table *table;
    bool found;

    if (!name->keyspace.data && (k = schema_keyspace(e->schema, name->name)))
        return schema_elements_add_whole(e, k);
    if (!name->keyspace.data && !p->current_keyspace.data)
        return fail(e->ctx, WR_INVALID, "'%.*s' not found in keyspaces", SLICE_ARG(name->name));
    TRY(require_keyspace(e, p, name->keyspace, &k));
    if ((table = schema_table(e->schema, k->name, name->name)))
        return (table_is_view(table) ? schema_elements_add_view : schema_elements_add_table)(e, table);
    TRY(add_index(e, k, name->name, &found));
    return found ? WR_OK
                 : fail(e->ctx, WR_INVALID, "'%.*s' not found in keyspace '%.*s'", SLICE_ARG(name->name),
                        SLICE_ARG(k->name));
}

static enum wr_status describe_cluster(struct schema_elements *e, const struct describe_plan *p)
{
    (void)p;
    return schema_elements_add(e, (struct schema_element){ .type = NULL });
}

static enum wr_status (*const gatherers[])(struct schema_elements *e, const struct describe_plan *p) = {
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
    if (slice_is_null(exec->page.state))
        return WR_OK;
    TRY(page_decode(exec->ctx, exec->page.state, &state));
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
    schema_elements_init(&run->elements, exec->ctx, exec->db, exec->schema);
    TRY(gatherers[plan->ast->describe.kind](&run->elements, p));
    const uint32_t count = run->elements.count;
    run->at = from < count ? from : count;
    run->page_end = count;
    run->is_full = exec->page.size > 0 && count - run->at >= (uint32_t)exec->page.size;
    if (run->is_full) /* a full page always has another behind it, be it an empty one */
        run->page_end = run->at + (uint32_t)exec->page.size;
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

static enum wr_status element_name(struct ctx *ctx, const struct schema_element *e, struct slice *out)
{
    struct buf buf;
    if (!e->as_function && !e->as_aggregate)
        return quoted(ctx, e->name, out);
    buf_init(&buf, ctx->arena);
    cql_put_name(&buf, slice_of(e->name.data, e->name_len));
    buf_put_slice(&buf, slice_skip(e->name, e->name_len));
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
    return page_encode(exec->ctx, &state, &exec->page.next);
}

static enum wr_status step(struct exec *exec, const struct plan *plan, const struct slice **row)
{
    const struct describe_plan *p = (const struct describe_plan *)plan;
    struct describe_run *run = exec->run;
    *row = NULL;
    if (run->at == run->page_end)
        return run->is_full ? page_state(exec, run) : WR_OK;
    const struct schema_element *e = &run->elements.list[run->at++];
    if (!e->type) {
        TRY(cluster_row(exec->ctx, run->values));
    } else {
        TRY(quoted(exec->ctx, e->keyspace, &run->values[0]));
        run->values[1] = slice_str(e->type);
        TRY(element_name(exec->ctx, e, &run->values[2]));
        if (p->texts)
            TRY(schema_element_text(exec->ctx, e, plan->ast->describe.internals ? FORM_INTERNALS : FORM_DESCRIBE, &run->values[3]));
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
