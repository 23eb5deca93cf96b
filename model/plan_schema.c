#include <stddef.h>

#include "model/authorize.h"
#include "model/ddl.h"
#include "model/digit.h"
#include "model/expr.h"
#include "model/javatext.h"
#include "model/parse.h"
#include "model/star.h"
#include "model/tracing.h"

#define NAME_IN(member) offsetof(struct ast_statement, member)

struct ddl_kind {
    enum wr_status (*run)(struct ddl *ddl);
    size_t name;        /* where the ast has the struct ast_name of what the statement is about */
    bool of_a_keyspace; /* what is a keyspace itself; else it lies in one */
    enum permission permission; /* that a role needs, */
    enum resource_kind resource; /* on what */
    enum wr_status (*authorize)(struct exec *exec, const struct ast_statement *ast, struct slice keyspace); /* or this finds out; NULL: those two */
};

#define NEEDS(permission, resource) PERMISSION_##permission, RESOURCE_##resource, NULL
#define ASKS(authorize) PERMISSION_ALTER, RESOURCE_TABLE, authorize

static const struct ddl_kind kinds[AST_KIND_COUNT] = {
    [AST_CREATE_KEYSPACE] = { ddl_create_keyspace, NAME_IN(create_keyspace.name), true, NEEDS(CREATE, ALL_KEYSPACES) },
    [AST_ALTER_KEYSPACE] = { ddl_alter_keyspace, NAME_IN(alter_keyspace.name), true, NEEDS(ALTER, KEYSPACE) },
    [AST_DROP_KEYSPACE] = { ddl_drop_keyspace, NAME_IN(drop.name), true, NEEDS(DROP, KEYSPACE) },
    [AST_CREATE_TABLE] = { ddl_create_table, NAME_IN(create_table.name), false, NEEDS(CREATE, ALL_TABLES) },
    [AST_ALTER_TABLE] = { ddl_alter_table, NAME_IN(alter_table.name), false, NEEDS(ALTER, TABLE) },
    [AST_DROP_TABLE] = { ddl_drop_table, NAME_IN(drop.name), false, NEEDS(DROP, TABLE) },
    [AST_TRUNCATE] = { ddl_truncate, NAME_IN(name), false, NEEDS(MODIFY, TABLE) },
    [AST_CREATE_TYPE] = { ddl_create_type, NAME_IN(create_type.name), false, NEEDS(CREATE, ALL_TABLES) },
    [AST_ALTER_TYPE] = { ddl_alter_type, NAME_IN(alter_type.name), false, NEEDS(ALTER, ALL_TABLES) },
    [AST_DROP_TYPE] = { ddl_drop_type, NAME_IN(drop.name), false, NEEDS(DROP, ALL_TABLES) },
    [AST_CREATE_INDEX] = { ddl_create_index, NAME_IN(create_index.table), false, NEEDS(ALTER, TABLE) },
    [AST_DROP_INDEX] = { ddl_drop_index, NAME_IN(drop.name), false, ASKS(authorize_drop_index) },
    [AST_CREATE_VIEW] = { ddl_create_view, NAME_IN(create_view.name), false, ASKS(authorize_create_view) },
    [AST_ALTER_VIEW] = { ddl_alter_view, NAME_IN(alter_table.name), false, ASKS(authorize_alter_view) },
    [AST_DROP_VIEW] = { ddl_drop_view, NAME_IN(drop.name), false, ASKS(authorize_drop_view) },
    [AST_CREATE_FUNCTION] = { ddl_create_function, NAME_IN(create_function.name), false, ASKS(authorize_create_function) },
    [AST_DROP_FUNCTION] = { ddl_drop_function, NAME_IN(drop.name), false, ASKS(authorize_drop_function) },
    [AST_CREATE_AGGREGATE] = { ddl_create_aggregate, NAME_IN(create_aggregate.name), false, ASKS(authorize_create_aggregate) },
    [AST_DROP_AGGREGATE] = { ddl_drop_aggregate, NAME_IN(drop.name), false, ASKS(authorize_drop_function) },
    [AST_CREATE_TRIGGER] = { ddl_create_trigger, NAME_IN(trigger.table), false, ASKS(authorize_trigger) },
    [AST_DROP_TRIGGER] = { ddl_drop_trigger, NAME_IN(trigger.table), false, ASKS(authorize_trigger) },
};

struct ddl_plan {
    struct plan plan;
    const struct ddl_kind *kind;
    struct slice keyspace;
};

/* ---- running ---- */

/* A snapshot that is what the transaction sees: the database's own, or one read anew where changes of this very
 * transaction are not in that yet. */
static enum wr_status current_schema(struct exec *exec, struct schema **out)
{
    struct schema *schema = database_schema(exec->db);
    uint64_t version;
    enum wr_status st = catalog_version(exec->ctx, exec->txn, &version);
    if (st == WR_OK && version != schema_version(schema)) {
        schema_release(schema);
        return catalog_load(exec->ctx, exec->txn, out);
    }
    if (st == WR_OK)
        *out = schema;
    else
        schema_release(schema);
    return st;
}

/* Each change of the schema looks at its keyspace's name first (AlterSchemaStatement.execute), also where nothing is to be made. */
static enum wr_status check_keyspace_name(const struct ddl *ddl)
{
    struct slice name = ddl->keyspace_name;
    if (ddl->ast->kind == AST_TRUNCATE)
        return WR_OK;
    if (!name_is_valid(name))
        return fail(ddl->ctx, WR_INVALID,
                    "Keyspace name must not be empty and must contain alphanumeric or underscore characters only (got "
                    "\"%.*s\")",
                    SLICE_ARG(name));
    if (name.len > DDL_NAME_MAX)
        return fail(ddl->ctx, WR_INVALID,
                    "Keyspace name must not be more than %d characters long (got %zu characters for \"%.*s\")",
                    DDL_NAME_MAX, name.len, SLICE_ARG(name));
    return WR_OK;
}

static enum wr_status start(struct exec *exec, const struct plan *plan)
{
    const struct ddl_plan *p = (const struct ddl_plan *)plan;
    struct schema *schema = NULL;
    enum wr_status st;

    schema_release(exec->made.next_schema); /* of an attempt before the map grew */
    exec->made.next_schema = NULL;
    exec->made.change = (struct schema_change){ 0 };
    TRY_OUT(current_schema(exec, &schema));
    struct ddl ddl = { .exec = exec,
                       .ctx = exec->ctx,
                       .ast = plan->ast,
                       .schema = schema,
                       .keyspace_name = p->keyspace,
                       .keyspace = schema_keyspace(schema, p->keyspace) };
    TRY_OUT(check_keyspace_name(&ddl));
    TRY_OUT(p->kind->run(&ddl));
    if (plan->ast->kind == AST_TRUNCATE)
        tracing_note(exec, "Applying truncation of %.*s.%.*s", SLICE_ARG(p->keyspace), SLICE_ARG(plan->ast->name.name));
    TRY_OUT(authorize_changed(exec, plan, ddl.keyspace));
out:
    schema_release(schema);
    return st;
}

/* ---- who may ---- */

static const struct ast_name *statement_name(const struct ast_statement *ast)
{
    return (const void *)((const char *)ast + kinds[ast->kind].name);
}

static enum wr_status authorize(struct exec *exec, const struct plan *plan)
{
    const struct ddl_plan *p = (const struct ddl_plan *)plan;
    if (p->kind->authorize)
        return p->kind->authorize(exec, plan->ast, p->keyspace);
    struct resource resource = resource_of(p->kind->resource, p->keyspace, statement_name(plan->ast)->name);
    return authorize_data(exec, p->kind->permission, &resource);
}

static enum wr_status validate(struct exec *exec, const struct plan *plan)
{
    static enum wr_status (*const kinds_that_do[AST_KIND_COUNT])(struct exec *exec, const struct ast_statement *ast, struct slice keyspace) = {
        [AST_CREATE_TABLE] = ddl_validate_create_table,
        [AST_ALTER_TABLE] = ddl_validate_alter_table,
        [AST_TRUNCATE] = ddl_validate_truncate,
    };
    const struct ddl_plan *p = (const struct ddl_plan *)plan;
    return kinds_that_do[plan->ast->kind] ? kinds_that_do[plan->ast->kind](exec, plan->ast, p->keyspace) : WR_OK;
}

static const struct plan_ops schema_ops = {
    .name = "schema change", .access = PLAN_SCHEMA, .authorize = authorize, .validate = validate, .start = start
};

enum wr_status bind_schema_change(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    struct ddl_plan *p = NEW(bind->ctx, struct ddl_plan);
    const struct ast_name *name = statement_name(ast);
    if (!p)
        return WR_NOMEM;
    p->plan.ops = &schema_ops;
    p->kind = &kinds[ast->kind];
    if (p->kind->of_a_keyspace)
        p->keyspace = name->name;
    else
        TRY(schema_qualify(bind->ctx, bind->current_keyspace, name->keyspace, &p->keyspace));
    TRY(ctx_copy(bind->ctx, p->keyspace, &p->keyspace));
    if (ast->kind == AST_CREATE_TABLE)
        TRY(ddl_check_create_table(bind->ctx, &ast->create_table, bind->db && atomic_load(&bind->db->masking)));
    if (ast->kind == AST_CREATE_VIEW)
        TRY(ddl_check_create_view(bind->ctx, &ast->create_view, p->keyspace, ast->marker_count));
    bind->marker_count = 0; /* CQLStatement.getBindVariables: of a change of the schema nobody is told of any */
    *out = &p->plan;
    return WR_OK;
}

/* ---- USE ---- */

static enum wr_status start_use(struct exec *exec, const struct plan *plan)
{
    struct slice name = plan->ast->name.name;
    TRY(database_require_keyspace(exec->ctx, exec->db, name));
    return ctx_copy(exec->ctx, name, &exec->made.new_keyspace);
}

static enum wr_status authorize_use(struct exec *exec, const struct plan *plan)
{
    (void)plan;
    return authorize_login(exec);
}

static const struct plan_ops use_ops = { .name = "USE", .access = PLAN_NEITHER, .authorize = authorize_use, .start = start_use };

enum wr_status bind_use(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    (void)ast;
    if (!(*out = NEW(bind->ctx, struct plan)))
        return WR_NOMEM;
    (*out)->ops = &use_ops;
    return WR_OK;
}

/* ---- what statements share ---- */

void ddl_edit(struct ddl *ddl, struct slice table)
{
    const struct table *t = table.data ? schema_table(ddl->schema, ddl->keyspace_name, table) : NULL;
    if (t && (t->view_count || table_is_view(t))) /* which point to each other */
        table = SLICE_NULL;
    catalog_edit_begin(&ddl->edit, ddl->ctx, ddl->exec->txn, ddl->schema, ddl->keyspace_name, table);
}

enum wr_status ddl_done(struct ddl *ddl, const char *change, const char *target, struct slice name)
{
    struct exec *exec = ddl->exec;
    TRY(catalog_edit_done(&ddl->edit, &exec->made.next_schema));
    exec->made.change = (struct schema_change){ .change = change, .target = target };
    TRY(ctx_copy(ddl->ctx, ddl->keyspace_name, &exec->made.change.keyspace));
    return ctx_copy(ddl->ctx, name, &exec->made.change.name);
}

enum wr_status ddl_require_user_keyspace(struct ddl *ddl)
{
    enum system_kind kind = system_kind_of(ddl->keyspace_name);
    if (kind != SYSTEM_LOCAL && kind != SYSTEM_VIRTUAL)
        return WR_OK;
    return fail(ddl->ctx, WR_INVALID, "System keyspace '%.*s' is not user-modifiable", SLICE_ARG(ddl->keyspace_name));
}

/* Takes a type's nodes off *left; stops when none are. */
static void count_nodes(const struct type *type, uint32_t *left)
{
    if (*left)
        --*left;
    for (uint32_t i = 0; i < type->arg_count && *left; i++)
        count_nodes(type->args[i], left);
}

enum wr_status ddl_bind_type(struct ddl *ddl, const struct ast_type *ast, const struct type **out)
{
    struct bind bind = {
        .ctx = ddl->ctx, .db = ddl->exec->db, .schema = ddl->schema, .current_keyspace = ddl->keyspace_name, .text = ddl->ast->text
    };
    uint32_t left = TYPE_NODES_MAX + 1;
    TRY(bind_type(&bind, ddl->keyspace_name, ast, out));
    count_nodes(*out, &left);
    if (!left)
        return fail(ddl->ctx, WR_INVALID, "Types may not be made of more than %d types, but %s is", TYPE_NODES_MAX,
                    type_name(ddl->ctx, *out));
    return WR_OK;
}

bool ddl_has_nested_collection(const struct ddl *ddl, const struct type *type)
{
    const struct type *declared = type->kind == TYPE_UDT && type->multicell
                                      ? schema_declared_type(ddl->schema, ddl->keyspace_name, type->name)
                                      : NULL;
    for (uint32_t i = 0; declared && i < declared->arg_count; i++)
        if (declared->args[i]->multicell)
            return true;
    return false;
}

enum wr_status ddl_copy_table(struct ddl *ddl, const struct table *table, uint32_t more_columns, uint32_t more_indexes,
                              uint32_t more_dropped, struct table_draft *out)
{
    *out = (struct table_draft){ .table = *table };
    out->columns = NEW_ARRAY(ddl->ctx, struct column, (size_t)table->column_count + more_columns);
    out->indexes = NEW_ARRAY(ddl->ctx, struct index, (size_t)table->index_count + more_indexes);
    out->dropped = NEW_ARRAY(ddl->ctx, struct dropped_column, (size_t)table->dropped_count + more_dropped);
    if (!out->columns || !out->indexes || !out->dropped)
        return WR_NOMEM;
    memcpy(out->columns, table->columns, table->column_count * sizeof *out->columns);
    if (table->index_count)
        memcpy(out->indexes, table->indexes, table->index_count * sizeof *out->indexes);
    if (table->dropped_count)
        memcpy(out->dropped, table->dropped, table->dropped_count * sizeof *out->dropped);
    out->table.columns = out->columns;
    out->table.indexes = out->indexes;
    out->table.dropped = out->dropped;
    return WR_OK;
}

enum wr_status ddl_order_dropped(struct ddl *ddl, struct table_draft *draft, uint32_t before)
{
    uint32_t count = draft->table.dropped_count;
    struct slice *names = NEW_ARRAY(ddl->ctx, struct slice, count);
    uint32_t *order = NEW_ARRAY(ddl->ctx, uint32_t, count);
    struct dropped_column *dropped = NEW_ARRAY(ddl->ctx, struct dropped_column, count);
    if (!names || !order || !dropped)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        names[i] = draft->dropped[i].name;
    TRY(java_map_order(ddl->ctx, names, count, before, order));
    for (uint32_t i = 0; i < count; i++)
        dropped[i] = draft->dropped[order[i]];
    draft->table.dropped = draft->dropped = dropped;
    return WR_OK;
}

bool name_is_valid(struct slice name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_letter_or_digit(name.data[i]) && name.data[i] != '_')
            return false;
    return name.len > 0;
}

/* In the order of RegularAndStaticColumns: static ones come first. */
static bool is_before(const struct column *a, const struct column *b)
{
    return a->kind == b->kind ? column_comparison_cmp(&a, &b) < 0 : a->kind == COLUMN_STATIC;
}

/* The column that is a counter among others, or none among counters; NULL: there is none. */
static const struct column *first_of_other_sort(const struct table *t)
{
    const struct column *first = NULL;
    for (uint32_t i = 0; i < t->column_count; i++) {
        const struct column *c = &t->columns[i];
        if (table_mixes(t, c) && (!first || is_before(c, first)))
            first = c;
    }
    return first;
}

enum wr_status ddl_check_table(struct ddl *ddl, const struct table *t)
{
    enum { TABLE_NAME_MAX = 222 };
    if (!name_is_valid(t->name))
        return fail(ddl->ctx, WR_CONFIG,
                    "%.*s.%.*s: Table name must not be empty or not contain non-alphanumeric-underscore characters "
                    "(got \"%.*s\")",
                    SLICE_ARG(t->keyspace), SLICE_ARG(t->name), SLICE_ARG(t->name));
    if (t->name.len > TABLE_NAME_MAX)
        return fail(ddl->ctx, WR_CONFIG,
                    "%.*s.%.*s: Table name must not be more than %d characters long (got %zu characters for \"%.*s\")",
                    SLICE_ARG(t->keyspace), SLICE_ARG(t->name), TABLE_NAME_MAX, t->name.len, SLICE_ARG(t->name));
    const struct column *c = first_of_other_sort(t);
    if (!c)
        return WR_OK;
    return fail(ddl->ctx, WR_CONFIG,
                table_is_counter(t) ? "%.*s.%.*s: Cannot have a non counter column (\"%.*s\") in a counter table"
                                    : "%.*s.%.*s: Cannot have a counter column (\"%.*s\") in a non counter table",
                SLICE_ARG(t->keyspace), SLICE_ARG(t->name), SLICE_ARG(c->name));
}
