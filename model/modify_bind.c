#include "model/modify.h"

#include "model/name_set.h"
#include "model/system.h"

/* ---- columns and their operations ---- */

static enum wr_status reserve(struct ctx *ctx, struct modify *m, uint32_t n)
{
    m->regular.list = NEW_ARRAY(ctx, struct operation, n);
    m->statics.list = NEW_ARRAY(ctx, struct operation, n);
    return m->regular.list && m->statics.list ? WR_OK : WR_NOMEM;
}

static struct operation *next_operation(struct bind *bind, struct modify *m, const struct column *column)
{
    bind->calling = (struct call_place){ CALLED_SET, column->kind == COLUMN_STATIC };
    struct operations *of = column->kind == COLUMN_STATIC ? &m->statics : &m->regular;
    return &of->list[of->count++];
}

/* ModificationStatement.appliesOnlyToStaticColumns: neither operations nor conditions concern a regular row. */
static bool only_statics(const struct modify *m)
{
    bool regular = m->regular.count || (m->kind == AST_DELETE && !m->statics.count) || m->conditions.regular_count;
    return !regular && (m->statics.count || m->conditions.count > m->conditions.regular_count);
}

/* ---- USING, IF ---- */

static enum wr_status bind_using(struct bind *bind, const struct ast_using *using, struct modify *m)
{
    bind->calling = (struct call_place){ CALLED_FIRST, 0 };
    if (using->timestamp)
        TRY(expr_bind_term(bind, using->timestamp, type_native(TYPE_BIGINT), SLICE_LIT("[timestamp]"), &m->timestamp));
    if (using->ttl)
        TRY(expr_bind_term(bind, using->ttl, type_native(TYPE_INT), SLICE_LIT("[ttl]"), &m->ttl));
    return WR_OK;
}

static enum wr_status fail_conditional_timestamp(struct ctx *ctx)
{
    return fail(ctx, WR_INVALID, "Cannot provide custom timestamp for conditional updates");
}

static enum wr_status bind_conditions(struct bind *bind, const struct ast_relation *relations, bool if_exists,
                                      bool if_not_exists, struct modify *m)
{
    if (if_exists || if_not_exists) {
        m->conditions.kind = if_exists ? CONDITIONS_EXISTS : CONDITIONS_NOT_EXISTS;
        return WR_OK;
    }
    if (relations && m->timestamp)
        return fail_conditional_timestamp(bind->ctx);
    bind->calling = (struct call_place){ CALLED_IF, 0 };
    return conditions_bind(bind, relations, &m->conditions);
}

/* ---- INSERT ---- */

/* A missing clustering column is as if it were null in compact tables; else all must be there, or none with statics
 * alone. */
static enum wr_status check_insert_keys(struct ctx *ctx, struct modify *m, const struct table *table, const bool *given)
{
    struct buf missing;
    uint32_t clustering = 0, missing_count = 0;

    buf_init(&missing, ctx->arena);
    for (uint32_t i = 0; i < table->key_count; i++)
        if (!given[i])
            buf_printf(&missing, "%s%.*s", missing_count++ ? ", " : "", SLICE_ARG(table->columns[i].name));
    if (missing_count)
        return fail(ctx, WR_INVALID, "Some partition key parts are missing: %.*s", SLICE_ARG(buf_slice(&missing)));
    for (uint32_t i = 0; i < table->clustering_count; i++) {
        const struct column *column = table_clustering(table, i);
        if (given[column->ordinal])
            clustering++;
        else
            buf_printf(&missing, "%s%.*s", missing_count++ ? ", " : "", SLICE_ARG(column->name));
    }
    m->has_clustering = clustering > 0;
    m->clustering_given = clustering;
    if (!missing_count || (!clustering && only_statics(m)))
        return WR_OK;
    if ((table->flags & TABLE_COMPACT) && clustering) {
        uint32_t prefix = 0, next; /* Cassandra's thrift rows may lack trailing components */
        while (given[table->key_count + prefix])
            prefix++;
        if (prefix == clustering)
            return WR_OK;
        for (next = prefix; !given[table->key_count + next]; next++)
            ;
        return fail(ctx, WR_INVALID, "PRIMARY KEY column \"%.*s\" cannot be restricted as preceding column \"%.*s\" is not restricted",
                    SLICE_ARG(table_clustering(table, next)->name), SLICE_ARG(table_clustering(table, prefix)->name));
    }
    return fail(ctx, WR_INVALID, "Some clustering keys are missing: %.*s", SLICE_ARG(buf_slice(&missing)));
}

/* Drivers route by these. */
static enum wr_status insert_routing(struct ctx *ctx, struct modify *m, const struct table *table)
{
    uint16_t *routing = NEW_ARRAY(ctx, uint16_t, table->key_count);
    uint32_t marker;
    if (!routing)
        return WR_NOMEM;
    for (uint32_t i = 0; i < table->key_count; i++) {
        bool is_marker = m->keys[i] && expr_is_marker(m->keys[i], &marker);
        routing[i] = is_marker ? (uint16_t)marker : ROUTING_NONE;
    }
    m->plan.routing = routing;
    return WR_OK;
}

static enum wr_status fail_names_twice(struct ctx *ctx)
{
    return fail(ctx, WR_INVALID, "The column names contains duplicates");
}

static enum wr_status check_names(struct ctx *ctx, const struct ast_insert *ast, uint32_t *count)
{
    enum { PAIRS_MOST = 16 }; /* of so many names each is held against each */
    uint32_t names = 0, values = 0;
    struct name_set set;

    for (const struct ast_names *name = ast->columns; name; name = name->next)
        names++;
    for (const struct ast_expr *v = ast->values; v; v = v->next)
        values++;
    if (names != values)
        return fail(ctx, WR_INVALID, "Unmatched column names/values");
    *count = names;
    if (names > PAIRS_MOST)
        TRY(name_set_make(ctx, &set, names));
    for (const struct ast_names *name = ast->columns; name; name = name->next) {
        bool twice = names > PAIRS_MOST && !name_set_add(&set, name->name);
        for (const struct ast_names *other = name->next; other && names <= PAIRS_MOST; other = other->next)
            twice |= slice_eq(name->name, other->name);
        if (twice)
            return fail_names_twice(ctx);
    }
    return WR_OK;
}

static enum wr_status bind_insert_values(struct bind *bind, const struct ast_insert *ast, struct modify *m)
{
    const struct table *table = bind->table;
    bool *given = NEW_ARRAY(bind->ctx, bool, table->column_count);
    const struct ast_expr *value = ast->values;
    uint32_t n = 0, key_count = 0;
    struct key_term {
        const struct column *column;
        const struct ast_expr *value;
    } *keys;

    TRY(check_names(bind->ctx, ast, &n));
    if (!given || !(keys = NEW_ROOM(bind->ctx, struct key_term, n)))
        return WR_NOMEM;
    TRY(reserve(bind->ctx, m, n));
    for (const struct ast_names *name = ast->columns; name; name = name->next, value = value->next) {
        const struct column *column;
        TRY(bind_column(bind, name->name, &column));
        given[column->ordinal] = true;
        if (column_is_primary_key(column))
            keys[key_count++] = (struct key_term){ column, value };
        else
            TRY(operation_bind_set(bind, column, value, next_operation(bind, m, column)));
    }
    /* Terms of the key come after those of the other columns, as relations of a WHERE. */
    for (uint32_t i = 0; i < key_count; i++) {
        bind->calling = (struct call_place){ CALLED_WHERE, 2 * keys[i].column->ordinal };
        TRY(expr_bind_key(bind, keys[i].value, keys[i].column, &m->keys[keys[i].column->ordinal]));
    }
    TRY(check_insert_keys(bind->ctx, m, table, given));
    return insert_routing(bind->ctx, m, table);
}

static enum wr_status bind_insert_json(struct bind *bind, const struct ast_insert *ast, struct modify *m)
{
    const struct table *table = bind->table;

    TRY(insert_json_bind(bind, ast->json_value, ast->default_unset, &m->json));
    if (table->flags & TABLE_STATIC_COMPACT) { /* its hidden columns are among those a document must name, and cannot */
        const struct column *hidden;
        return bind_column(bind, table_clustering(table, 0)->name, &hidden);
    }
    TRY(reserve(bind->ctx, m, table->column_count));
    for (uint32_t i = table->key_count + table->clustering_count; i < table->column_count; i++)
        operation_bind_json(&table->columns[i], next_operation(bind, m, &table->columns[i]));
    m->clustering_given = table->clustering_count;
    m->has_clustering = m->clustering_given > 0;
    return WR_OK;
}

static enum wr_status bind_insert(struct bind *bind, const struct ast_statement *ast, struct modify *m)
{
    const struct ast_insert *insert = &ast->insert;

    TRY(bind_using(bind, &insert->using, m));
    TRY(bind_conditions(bind, NULL, false, insert->if_not_exists, m));
    if (table_is_counter(bind->table))
        return fail(bind->ctx, WR_INVALID, "INSERT statements are not allowed on counter tables, use UPDATE instead");
    m->keys = NEW_ARRAY(bind->ctx, const struct expr *, bind->table->key_count + bind->table->clustering_count);
    if (!m->keys)
        return WR_NOMEM;
    return insert->json ? bind_insert_json(bind, insert, m) : bind_insert_values(bind, insert, m);
}

/* ---- UPDATE, DELETE ---- */

static enum wr_status bind_where(struct bind *bind, const struct ast_relation *where, enum restrict_for use,
                                 struct modify *m)
{
    struct restrictions *restrictions;
    unsigned flags = only_statics(m) ? RESTRICT_ONLY_STATICS : 0u;

    TRY(restrict_bind(bind, where, NULL, use, flags, &restrictions));
    m->where = restrictions;
    m->has_clustering = restrict_has_clustering(restrictions);
    m->plan.routing = restrict_routing(restrictions);
    return WR_OK;
}

static enum wr_status bind_update(struct bind *bind, const struct ast_statement *ast, struct modify *m)
{
    const struct ast_update *update = &ast->update;
    uint32_t n = 0;

    TRY(bind_using(bind, &update->using, m));
    TRY(bind_conditions(bind, update->conditions, update->if_exists, false, m));
    for (const struct ast_assignment *a = update->assignments; a; a = a->next)
        n++;
    TRY(reserve(bind->ctx, m, n));
    for (const struct ast_assignment *a = update->assignments; a; a = a->next) {
        const struct column *column;
        TRY(bind_column(bind, a->column, &column));
        if (column_is_primary_key(column))
            return fail(bind->ctx, WR_INVALID, "PRIMARY KEY part %.*s found in SET part", SLICE_ARG(column->name));
        TRY(operation_bind_assignment(bind, column, a, m->conditions.kind != CONDITIONS_NONE,
                                      next_operation(bind, m, column)));
    }
    return bind_where(bind, update->where, RESTRICT_UPDATE, m);
}

/* IN counts as an equality here; it is refused when the statement is run, with words of its own. */
static enum wr_status check_conditional_delete(struct ctx *ctx, const struct modify *m)
{
    if (m->conditions.kind == CONDITIONS_NONE || restrict_is_full_row(m->where))
        return WR_OK;
    if (modify_is_virtual(m))
        return fail(ctx, WR_INVALID, "DELETE statements must restrict all PRIMARY KEY columns with equality relations");
    if (m->regular.count || m->deletes_all)
        return fail(ctx, WR_INVALID,
                    "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order to "
                    "delete non static "
                    "columns");
    if (m->conditions.regular_count)
        return fail(ctx, WR_INVALID,
                    "DELETE statements must restrict all PRIMARY KEY columns with equality relations in order to use "
                    "IF condition "
                    "on non static columns");
    return WR_OK;
}

static enum wr_status bind_delete(struct bind *bind, const struct ast_statement *ast, struct modify *m)
{
    const struct ast_delete *delete = &ast->delete_;
    uint32_t n = 0;

    TRY(bind_using(bind, &delete->using, m));
    TRY(bind_conditions(bind, delete->conditions, delete->if_exists, false, m));
    for (const struct ast_deletion *d = delete->deletions; d; d = d->next)
        n++;
    TRY(reserve(bind->ctx, m, n));
    for (const struct ast_deletion *d = delete->deletions; d; d = d->next) {
        const struct column *column;
        TRY(bind_column(bind, d->column, &column));
        if (column_is_primary_key(column))
            return fail(bind->ctx, WR_INVALID,
                        "Invalid identifier %.*s for deletion (should not be a PRIMARY KEY part)",
                        SLICE_ARG(column->name));
        TRY(operation_bind_deletion(bind, column, d, next_operation(bind, m, column)));
    }
    m->deletes_all = n == 0;
    TRY(bind_where(bind, delete->where, RESTRICT_DELETE, m));
    m->ranged = m->has_clustering && !restrict_is_full_row(m->where);
    return WR_OK;
}

/* ---- all three ---- */

/* COMPACT STORAGE has no row marker, so a row must have its value; where the table has none but the key, an empty one
 * is written. */
static enum wr_status complete_compact(struct bind *bind, struct modify *m)
{
    const struct table *table = bind->table;

    if (!(table->flags & TABLE_COMPACT) || m->kind == AST_DELETE || !m->updates_row || m->regular.count)
        return WR_OK;
    const struct column *value = &table->columns[table->column_count - table->regular_count];
    if (value->type->kind != TYPE_EMPTY) {
        m->lacks = value;
        return WR_OK;
    }
    TRY(reserve(bind->ctx, m, 1));
    operation_bind_empty(value, next_operation(bind, m, value));
    return WR_OK;
}

static enum wr_status check_conditional(struct ctx *ctx, const struct modify *m)
{
    if (table_is_counter(m->plan.table))
        return fail(ctx, WR_INVALID, "Conditional updates are not supported on counter tables");
    return m->timestamp ? fail_conditional_timestamp(ctx) : WR_OK;
}

/* One row is written, or the static one. */
static bool is_bounded(const struct modify *m)
{
    bool whole_partition = m->deletes_all && !m->has_clustering && m->plan.table->clustering_count;
    return m->kind == AST_INSERT ||
           (!m->ranged && !whole_partition && !restrict_key_has_in(m->where) && !restrict_clustering_has_in(m->where));
}

/* What Cassandra refuses about a statement as a whole when it is run. */
static const char *modify_refused(const struct modify *m)
{
    const struct table *table = m->plan.table;
    bool conditional = m->plan.conditional, counter = table_is_counter(table), is_virtual = modify_is_virtual(m);
    const struct {
        bool refused;
        const char *text;
    } rules[] = {
        { counter && m->timestamp, "Cannot provide custom timestamp for counter updates" },
        { counter && m->ttl, "Cannot provide custom TTL for counter updates" },
        { table->flags & TABLE_VIEW, "Cannot directly modify a materialized view" },
        { is_virtual && m->timestamp, "Custom timestamp is not supported by virtual tables" },
        { is_virtual && m->ttl, "Expiring columns are not supported by virtual tables" },
        { is_virtual && conditional, "Conditional updates are not supported by virtual tables" },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].refused)
            return rules[i].text;
    return NULL;
}

const struct ast_name *modify_table_name(const struct ast_statement *ast)
{
    return ast->kind == AST_INSERT   ? &ast->insert.table
           : ast->kind == AST_UPDATE ? &ast->update.table
                                     : &ast->delete_.table;
}

enum wr_status modify_bind(struct bind *bind, const struct ast_statement *ast, struct modify **out)
{
    static enum wr_status (*const binders[AST_KIND_COUNT])(struct bind *, const struct ast_statement *,
                                                           struct modify *) = {
        [AST_INSERT] = bind_insert,
        [AST_UPDATE] = bind_update,
        [AST_DELETE] = bind_delete,
    };
    const struct ast_name *name = modify_table_name(ast);
    struct modify *m = NEW(bind->ctx, struct modify);

    if (!m)
        return WR_NOMEM;
    TRY(schema_require_table(bind->ctx, bind->schema, bind->current_keyspace, name->keyspace, name->name,
                             &bind->table));
    m->kind = ast->kind;
    m->plan.table = bind->table;
    m->plan.counter = table_is_counter(bind->table);
    for (uint32_t i = 0; i < bind->table->key_count; i++)
        m->checks_key |= type_takes_unsound(table_key(bind->table, i)->type);
    TRY(binders[ast->kind](bind, ast, m));
    m->checks_key |= m->json != NULL;
    m->plan.conditional = m->conditions.kind != CONDITIONS_NONE;
    m->plan.bounded = is_bounded(m);
    if (m->plan.conditional) /* ModificationStatement's constructor; modify_refused has what its validate() says */
        TRY(check_conditional(bind->ctx, m));
    if (m->kind == AST_DELETE)
        TRY(check_conditional_delete(bind->ctx, m));
    m->updates_row = m->has_clustering || bind->table->clustering_count == 0;
    m->marks_row = m->kind == AST_INSERT && !(bind->table->flags & TABLE_COMPACT);
    TRY(complete_compact(bind, m));
    TRY(operations_finish(bind->ctx, &m->regular));
    TRY(operations_finish(bind->ctx, &m->statics));
    m->plan.refused = modify_refused(m);
    *out = m;
    return WR_OK;
}

bool modify_is_virtual(const struct modify *m)
{
    return (m->plan.table->flags & TABLE_VIRTUAL) != 0;
}
