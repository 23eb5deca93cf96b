/* SELECT, bound: the checks in the order of SelectStatement.RawStatement.prepare, and what a run needs laid out flat. */

#include "model/authorize.h"
#include "model/select_node.h"
#include "model/star.h"
#include "model/virtual.h"

/* ---- who may ---- */

/* In any relation; token() is about all columns of the partition key. */
static bool is_queried(const struct select_plan *p, const struct column *c)
{
    for (const struct ast_relation *r = p->plan.ast->select.where; r; r = r->next)
        if (r->subject == SUBJECT_TOKEN && c->kind == COLUMN_PARTITION_KEY)
            return true;
    return restrict_has_column(p->source.where, c);
}

/* The masked columns that are, as the table's map of columns has them. */
static enum wr_status queried_masked(struct exec *exec, const struct select_plan *p, struct slice *out)
{
    const struct table *table = p->plan.table;
    uint32_t *order = NEW_ARRAY(exec->ctx, uint32_t, table->column_count);
    struct buf buf;
    if (!order)
        return WR_NOMEM;
    TRY(table_map_order(exec->ctx, table, order));
    buf_init(&buf, exec->ctx->arena);
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct column *c = &table->columns[order[i]];
        if (!c->mask || !is_queried(p, c))
            continue;
        buf_put_str(&buf, buf.len ? ", " : "");
        buf_put_slice(&buf, c->name);
    }
    return buf_done(exec->ctx, &buf, out);
}

/* SelectStatement.authorize: without UNMASK or SELECT_MASKED no relation is about a masked column. */
static enum wr_status authorize_masked(struct exec *exec, const struct select_plan *p, const struct resource *resource)
{
    struct slice names = SLICE_EMPTY;
    bool may;
    if (table_has_masks(p->plan.table))
        TRY(queried_masked(exec, p, &names));
    if (!names.len)
        return WR_OK;
    TRY(authorize_has(exec, PERMISSION_UNMASK, resource, &may));
    if (!may)
        TRY(authorize_has(exec, PERMISSION_SELECT_MASKED, resource, &may));
    if (may)
        return WR_OK;
    return fail(exec->ctx, WR_UNAUTHORIZED,
                "User %.*s has no UNMASK nor SELECT_MASKED permission on table %.*s.%.*s, cannot query masked columns [%.*s]",
                SLICE_ARG(exec->who.role), SLICE_ARG(p->plan.table->keyspace), SLICE_ARG(p->plan.table->name), SLICE_ARG(names));
}

static enum wr_status authorize(struct exec *exec, const struct plan *plan)
{
    const struct table *table = plan->table;
    struct resource itself = resource_table(table->keyspace, table->name);
    struct resource read = resource_table(table->keyspace, table_is_view(table) ? table->view->base_name : table->name);
    TRY(authorize_data(exec, PERMISSION_SELECT, &read));
    TRY(authorize_functions(exec, plan));
    return authorize_masked(exec, (const struct select_plan *)plan, &itself);
}

static const struct plan_ops select_ops = {
    .name = "select", .access = PLAN_READ, .authorize = authorize, .start = select_start, .step = select_step, .finish = select_finish,
};

static enum wr_status bind_selection_and_where(struct bind *bind, const struct ast_select *ast, struct select_plan *plan)
{
    struct restrictions *where;
    unsigned flags = 0;
    bool only_statics;

    TRY(project_only_statics(bind, ast, &only_statics));
    TRY(ann_bind(bind, ast, &plan->ann));
    if (ast->allow_filtering)
        flags |= RESTRICT_ALLOW_FILTERING;
    if (virtual_filters_freely(bind->table))
        flags |= RESTRICT_FILTERS_FREELY;
    if (only_statics)
        flags |= RESTRICT_ONLY_STATICS;
    TRY(restrict_bind(bind, ast->where, &plan->ann, RESTRICT_SELECT, flags, &where));
    plan->source.where = where;
    bind->calling = (struct call_place){ CALLED_FIRST, 0 };
    return project_bind(bind, ast, &plan->project);
}

static enum wr_status bind_limits(struct bind *bind, const struct ast_select *ast, struct select_plan *plan)
{
    const struct type *type = type_native(TYPE_INT);
    if (ast->limit)
        TRY(expr_bind_term(bind, ast->limit, type, SLICE_LIT("[limit]"), &plan->limit));
    if (ast->per_partition_limit)
        TRY(expr_bind_term(bind, ast->per_partition_limit, type, SLICE_LIT("[per_partition_limit]"), &plan->per_partition_limit));
    return WR_OK;
}

/* ---- what a run reads ---- */

/* A server takes cells of columns that are not asked for and older than the row's marker for superfluous, the marker being alive as it
 * thinks (BTreeRow.filter, CASSANDRA-10657). Where keys alone are asked for, everything is. */
static bool marker_shadows(const struct select_plan *plan)
{
    const struct row_columns *columns = &plan->source.columns;
    const struct index *index = restrict_index(plan->source.where);
    bool asked = columns->regular_ids.count || columns->static_ids.count || (index && !column_is_primary_key(index->column));
    return asked && !(index && index->column->kind == COLUMN_REGULAR); /* what was found by a column is alive by it */
}

static enum wr_status lay_out_columns(struct bind *bind, struct select_plan *plan)
{
    const struct table *table = bind->table;
    bool *needed = NEW_ARRAY(bind->ctx, bool, table->column_count), *whole = NEW_ARRAY(bind->ctx, bool, table->column_count), cells = false;
    uint32_t *kept = NEW_ARRAY(bind->ctx, uint32_t, table->column_count);

    if (!needed || !whole || !kept)
        return WR_NOMEM;
    project_needs(&plan->project, needed);
    for (uint32_t i = 0; i < plan->sort_count; i++)
        needed[plan->sort[i].ordinal] = true;
    for (uint32_t i = 0; i < plan->group_clusterings; i++)
        needed[table->key_count + i] = true;
    if (plan->group_function)
        expr_needs(plan->group_function, needed, &cells);
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (!needed[i])
            continue;
        kept[plan->kept_count++] = i;
        plan->source.selects_static |= table->columns[i].kind == COLUMN_STATIC;
    }
    plan->kept = kept;
    restrict_filter_needs(plan->source.where, needed);
    restrict_filter_needs(plan->source.where, whole);
    TRY(project_parts(bind->ctx, &plan->project, whole, &plan->source.parts, &plan->source.part_count));
    TRY(row_columns_make(bind->ctx, table, needed, &plan->source.columns));
    plan->source.columns.regular_ids.marker_shadows = marker_shadows(plan);
    return WR_OK;
}

/* Values of the first clustering column that are equal are to be the same, since the first that was met is given. */
static enum aggregates_look look_of(const struct table *table, const struct select_plan *plan)
{
    const struct projection *p = &plan->project;
    const struct source_plan *source = &plan->source;
    const struct column *first = table->clustering_count && !table->clustering.lossy ? &table->columns[table->key_count] : NULL;

    if (plan->grouping != GROUP_ALL || p->expr_count != p->count || plan->ann.column || source->unit != UNIT_ROW || source->by_index)
        return LOOK_AT_ALL;
    return aggregates_look(p->exprs, p->expr_count, first);
}

static void lay_out_source(const struct table *table, const struct ast_select *ast, struct select_plan *plan)
{
    struct source_plan *source = &plan->source;
    const struct restrictions *where = source->where;
    source->table = table;
    source->unit = table->flags & TABLE_STATIC_COMPACT ? UNIT_STATIC : ast->distinct ? UNIT_PARTITION : UNIT_ROW;
    source->scan_flags = plan->reversed != table->clustering.reversed ? SCAN_REVERSED : 0;
    source->by_key = restrict_has_partition_keys(where);
    source->rows_alone = plan->ann.column || (restrict_index(where) && restrict_index(where)->index_class == INDEX_SASI);
    source->static_alone = table->static_count > 0 && !restrict_has_clustering(where) && !restrict_has_regular(where);
    source->full_row = restrict_is_full_row(where);
    source->hides_rows = table_has_dropped(table);
    source->flat = source->columns.flat_places && !source->hides_rows && !plan->project.reads_cells;
    plan->one_page = ast->distinct && plan->grouping == GROUP_PREFIX;
    /* One partition without rows of its own to choose among is read as it is. */
    plan->direct = plan->project.ordinals && plan->grouping == GROUP_NONE && !plan->per_partition_limit && !plan->sort_count &&
                   !plan->ann.column;
    source->by_index = restrict_index(where) && !(source->by_key && table->clustering_count == 0);
    source->entries = !source->by_index && source->flat && source->unit == UNIT_ROW && table->clustering_count == 0 &&
                      !(table->flags & TABLE_MADE);
    source->filters = restrict_has_filter(where);
    source->star = ast->star && plan->grouping != GROUP_PREFIX;
    source->ahead = plan->direct;
    source->look = look_of(table, plan);
}

/* Mostly it looks at few rows. */
static bool is_mostly_brief(const struct select_plan *plan)
{
    const struct source_plan *source = &plan->source;
    return (source->by_key || source->by_index) && !plan->sort_count && !plan->ann.column && !(source->table->flags & TABLE_MADE);
}

/* Of tables with a few rows for each object of the schema. What drivers read of virtual ones when they connect is of that kind; others may tell of
 * all that is stored. */
static bool tells_of_schema(const struct table *table)
{
    return table->flags & TABLE_SYSTEM && (!(table->flags & TABLE_MADE) || slice_eq_str(table->keyspace, "system_virtual_schema"));
}

/* Every row that is looked at is given, and it is of one partition; or there cannot be many. */
static bool is_bounded(const struct select_plan *plan)
{
    const struct source_plan *source = &plan->source;
    bool is_part = is_mostly_brief(plan) && !source->by_index && !source->filters && plan->grouping == GROUP_NONE;
    return tells_of_schema(source->table) ||
           (is_part && !restrict_key_has_in(source->where) && !restrict_clustering_has_in(source->where));
}

enum wr_status bind_select(struct bind *bind, const struct ast_statement *statement, struct plan **out)
{
    const struct ast_select *ast = &statement->select;
    struct ctx *ctx = bind->ctx;
    struct select_plan *plan = NEW(ctx, struct select_plan);

    if (!plan)
        return WR_NOMEM;
    TRY(schema_require_table(ctx, bind->schema, bind->current_keyspace, ast->table.keyspace, ast->table.name, &bind->table));
    TRY(bind_selection_and_where(bind, ast, plan));

    const struct restrictions *where = plan->source.where;
    if (ast->distinct) {
        if (ast->per_partition_limit)
            return fail(ctx, WR_INVALID, "PER PARTITION LIMIT is not allowed with SELECT DISTINCT queries");
        TRY(project_check_distinct(bind, &plan->project, where, ast->order_by));
    }
    TRY(group_bind(bind, ast, plan));
    if (plan->grouping == GROUP_ALL && ast->per_partition_limit)
        return fail(ctx, WR_INVALID, "PER PARTITION LIMIT is not allowed with aggregate queries.");
    TRY(order_bind(bind, ast, plan));
    if (!ast->allow_filtering && !virtual_filters_freely(bind->table) &&
        (restrict_is_key_range(where) || restrict_uses_index(where)) && restrict_needs_filter(where))
        return fail_needs_filtering(ctx);
    TRY(bind_limits(bind, ast, plan));

    TRY(lay_out_columns(bind, plan));
    lay_out_source(bind->table, ast, plan);
    TRY(entries_bind_point(ctx, plan));
    plan->plan = (struct plan){
        .ops = &select_ops,
        .table = bind->table,
        .columns = plan->project.columns,
        .column_count = plan->project.column_count,
        .places = plan->direct ? plan->project.ordinals : NULL,
        .routing = restrict_routing(where),
        .bounded = is_bounded(plan),
        .brief = is_mostly_brief(plan) && !bind->calls_others,
    };
    *out = &plan->plan;
    return WR_OK;
}
