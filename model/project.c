#include "model/project.h"

#include "model/json.h"
#include "model/star.h"

/* ---- looking up ---- */

static bool is_static(const struct column *column)
{
    return column->kind == COLUMN_STATIC;
}

static bool is_of_rows(const struct column *column)
{
    return column->kind != COLUMN_STATIC && column->kind != COLUMN_PARTITION_KEY;
}

/* Those behind the first selector that has such a column are not looked at, and so not found wrong. */
static enum wr_status any_selects(struct bind *bind, const struct ast_select *ast, bool (*is)(const struct column *), bool *out)
{
    *out = false;
    for (const struct ast_selector *s = ast->selectors; s && !*out; s = s->next)
        TRY(expr_selects(bind, s->expr, is, out));
    return WR_OK;
}

enum wr_status project_only_statics(struct bind *bind, const struct ast_select *ast, bool *out)
{
    bool found;
    *out = false;
    if (!bind->table->static_count || (bind->table->flags & TABLE_STATIC_COMPACT))
        return WR_OK;
    TRY(any_selects(bind, ast, is_static, &found));
    if (!found)
        return WR_OK;
    TRY(any_selects(bind, ast, is_of_rows, &found));
    *out = !found;
    return WR_OK;
}

/* ---- binding ---- */

struct builder {
    struct bind *bind;
    struct projection *projection;
    struct selector *selectors;
    struct column_spec *columns;
    const struct expr **exprs;
};

static void add_column(struct builder *b, const struct column *column, struct slice name)
{
    const struct table *table = b->bind->table;
    struct projection *p = b->projection;
    b->selectors[p->count] = (struct selector){ .ordinal = (int32_t)column->ordinal };
    b->columns[p->count++] = (struct column_spec){ table->keyspace, table->name, name, column->type, column->descending };
}

static enum wr_status add_selector(struct builder *b, const struct ast_selector *ast)
{
    const struct table *table = b->bind->table;
    struct projection *p = b->projection;
    struct node *node;
    const struct expr *expr;
    const struct column *column;
    struct slice name = ast->alias;
    bool cells = false;

    TRY(expr_find_bare_column(b->bind, ast->expr, &column));
    if (!column) {
        TRY(expr_prepare_selector(b->bind, ast->expr, &node));
        TRY(expr_bind_selector(b->bind, node, &expr));
        column = expr_as_column(expr);
    }
    if (column) {
        add_column(b, column, slice_is_null(name) ? column->name : name);
        return WR_OK;
    }
    if (slice_is_null(name)) {
        struct buf text;
        buf_init(&text, b->bind->ctx->arena);
        expr_put_name(&text, expr);
        TRY(buf_done(b->bind->ctx, &text, &name));
    }
    bool *needed = NEW_ARRAY(b->bind->ctx, bool, table->column_count);
    if (!needed)
        return WR_NOMEM;
    expr_needs(expr, needed, &cells);
    p->reads_cells |= cells;
    p->has_aggregate |= expr_has_aggregate(expr);
    b->exprs[p->expr_count++] = expr;
    b->selectors[p->count] = (struct selector){ expr, -1 };
    b->columns[p->count++] = (struct column_spec){ table->keyspace, table->name, name, expr_type(expr), expr_type(expr)->reversed };
    return WR_OK;
}

/* A column of `*`; a masked one as if it had been named. */
static enum wr_status add_starred(struct builder *b, const struct column *column)
{
    struct ast_expr name = { .kind = EXPR_COLUMN, .text = column->name }, *kept;
    if (column_is_hidden(b->bind->table, column))
        return WR_OK;
    if (!b->bind->masks || !column->mask) {
        add_column(b, column, column->name);
        return WR_OK;
    }
    if (!(kept = NEW(b->bind->ctx, struct ast_expr)))
        return WR_NOMEM;
    *kept = name;
    return add_selector(b, &(struct ast_selector){ .expr = kept, .alias = column->name });
}

static enum wr_status json_key(struct ctx *ctx, struct slice name, struct slice *out)
{
    struct buf key;
    buf_init(&key, ctx->arena);
    json_put_name(&key, name);
    buf_put_str(&key, ": ");
    return buf_done(ctx, &key, out);
}

static enum wr_status make_json(struct bind *bind, struct projection *p)
{
    struct slice *keys = NEW_ARRAY(bind->ctx, struct slice, p->count);
    struct column_spec *column = NEW(bind->ctx, struct column_spec);
    if (!keys || !column)
        return WR_NOMEM;
    for (uint32_t i = 0; i < p->count; i++)
        TRY(json_key(bind->ctx, p->columns[i].name, &keys[i]));
    *column = (struct column_spec){ bind->table->keyspace, bind->table->name, SLICE_LIT("[json]"), type_native(TYPE_TEXT), false };
    p->json_keys = keys;
    p->columns = column;
    p->column_count = 1;
    return WR_OK;
}

/* Columns alone are copied by a list of their own, without a look at the selectors. */
static enum wr_status make_ordinals(struct bind *bind, struct projection *p)
{
    uint32_t *ordinals = NEW_ARRAY(bind->ctx, uint32_t, p->count);
    if (!ordinals)
        return WR_NOMEM;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->selectors[i].ordinal < 0)
            return WR_OK;
        ordinals[i] = (uint32_t)p->selectors[i].ordinal;
    }
    p->ordinals = ordinals;
    return WR_OK;
}

enum wr_status project_bind(struct bind *bind, const struct ast_select *ast, struct projection *out)
{
    const struct table *table = bind->table;
    struct projection p = { 0 };
    struct builder b = { .bind = bind, .projection = &p };
    uint32_t room = ast->star ? table->column_count : 0;

    for (const struct ast_selector *s = ast->selectors; s; s = s->next)
        room++;
    if (!(b.selectors = NEW_ARRAY(bind->ctx, struct selector, room)) ||
        !(b.columns = NEW_ARRAY(bind->ctx, struct column_spec, room)) ||
        !(b.exprs = NEW_ARRAY(bind->ctx, const struct expr *, room)))
        return WR_NOMEM;
    if (ast->star) {
        const struct column **columns;
        uint32_t count;
        TRY(table_star(bind->ctx, table, &columns, &count));
        for (uint32_t i = 0; i < count; i++)
            TRY(add_starred(&b, columns[i]));
    } else {
        bind->reads_lists = ast->json;
        for (const struct ast_selector *s = ast->selectors; s; s = s->next)
            TRY(add_selector(&b, s));
        bind->reads_lists = false;
    }
    p.selectors = b.selectors;
    p.exprs = b.exprs;
    p.columns = b.columns;
    p.column_count = p.count;
    p.identity = !ast->json && p.count == table->column_count;
    for (uint32_t i = 0; i < p.count; i++)
        p.identity = p.identity && p.selectors[i].ordinal == (int32_t)i;
    TRY(ast->json ? make_json(bind, &p) : make_ordinals(bind, &p));
    *out = p;
    return WR_OK;
}

/* ---- questions ---- */

static void selector_needs(const struct selector *s, bool *needed)
{
    bool cells;
    if (s->ordinal >= 0)
        needed[s->ordinal] = true;
    else
        expr_needs(s->expr, needed, &cells);
}

void project_needs(const struct projection *p, bool *needed)
{
    for (uint32_t i = 0; i < p->count; i++)
        selector_needs(&p->selectors[i], needed);
}

enum wr_status project_parts(struct ctx *ctx, const struct projection *p, bool *whole, const struct expr *const **out, uint32_t *count)
{
    const struct expr **parts = NULL;
    uint32_t all = 0, met = 0;

    for (uint32_t i = 0; i < p->count; i++)
        if (p->selectors[i].ordinal >= 0)
            whole[p->selectors[i].ordinal] = true;
    for (uint32_t i = 0; i < p->expr_count; i++)
        expr_needs_parts(p->exprs[i], whole, NULL, &all);
    if (all && !(parts = NEW_ARRAY(ctx, const struct expr *, all)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < p->expr_count && all; i++)
        expr_needs_parts(p->exprs[i], whole, parts, &met);
    *count = 0;
    for (uint32_t i = 0; i < met; i++)
        if (!whole[expr_part_column(parts[i])->ordinal])
            parts[(*count)++] = parts[i];
    *out = parts;
    return WR_OK;
}

/* Of the columns that are marked, by ordinal, the one that the selector has first; NULL: none. */
static const struct column *first_of(const struct table *table, const struct selector *s, const bool *marked)
{
    if (s->ordinal < 0)
        return expr_first_column(s->expr, marked);
    return marked[s->ordinal] ? &table->columns[s->ordinal] : NULL;
}

static enum wr_status refuse_distinct(struct bind *bind, const struct column *column)
{
    return fail(bind->ctx, WR_INVALID,
                "SELECT DISTINCT queries must only request partition key columns and/or static columns (not %.*s)",
                SLICE_ARG(column->name));
}

/* Partitions are sorted by what is read with them: a server adds the columns to the selection (SelectStatement.needsPostQueryOrdering). */
static enum wr_status check_distinct_order(struct bind *bind, const struct ast_ordering *order_by)
{
    for (const struct ast_ordering *o = order_by; o; o = o->next) {
        const struct column *column;
        TRY(bind_column(bind, o->column, &column));
        if (is_of_rows(column))
            return refuse_distinct(bind, column);
    }
    return WR_OK;
}

enum wr_status project_check_distinct(struct bind *bind, const struct projection *p, const struct restrictions *where,
                                      const struct ast_ordering *order_by)
{
    const struct table *table = bind->table;
    bool *all = NEW_ARRAY(bind->ctx, bool, table->column_count), *one = NEW_ARRAY(bind->ctx, bool, table->column_count);
    if (!all || !one)
        return WR_NOMEM;
    if (restrict_has_clustering(where) || restrict_has_regular(where))
        return fail(bind->ctx, WR_INVALID,
                    "SELECT DISTINCT with WHERE clause only supports restriction by partition key and/or static columns.");
    for (uint32_t i = 0; i < p->count; i++) {
        memset(one, 0, table->column_count * sizeof *one);
        selector_needs(&p->selectors[i], one);
        for (uint32_t c = 0; c < table->column_count; c++) {
            all[c] |= one[c];
            one[c] = one[c] && is_of_rows(&table->columns[c]);
        }
        const struct column *refused = first_of(table, &p->selectors[i], one);
        if (refused)
            return refuse_distinct(bind, refused);
    }
    if (restrict_key_has_in(where))
        TRY(check_distinct_order(bind, order_by));
    for (uint32_t c = 0; restrict_is_key_range(where) && c < table->key_count; c++)
        if (!all[c])
            return fail(bind->ctx, WR_INVALID, "SELECT DISTINCT queries must request all the partition key columns (missing %.*s)",
                        SLICE_ARG(table_key(table, c)->name));
    return WR_OK;
}

/* ---- rows ---- */

static enum wr_status selector_value(const struct selector *s, struct eval *eval, struct slice *out)
{
    if (s->ordinal >= 0) {
        *out = eval->columns[s->ordinal];
        return WR_OK;
    }
    return expr_eval(eval, s->expr, out);
}

static const struct type *selector_type(const struct projection *p, const struct table *table, uint32_t i)
{
    const struct selector *s = &p->selectors[i];
    return s->ordinal >= 0 ? table->columns[s->ordinal].type : expr_type(s->expr);
}

static enum wr_status json_row(const struct projection *p, const struct table *table, struct eval *eval, struct slice *out)
{
    struct ctx *ctx = eval->exec->ctx;
    struct buf text;
    struct slice value;
    buf_init(&text, ctx->arena);
    buf_put_u8(&text, '{');
    for (uint32_t i = 0; i < p->count; i++) {
        if (i)
            buf_put_str(&text, ", ");
        buf_put_slice(&text, p->json_keys[i]);
        TRY(selector_value(&p->selectors[i], eval, &value));
        type_print_json(&text, selector_type(p, table, i), value);
    }
    buf_put_u8(&text, '}');
    return buf_done(ctx, &text, out);
}

/* A result row of bare columns, which needs nothing but their values. */
static const struct slice *project_columns(const struct projection *p, const struct slice *values, struct slice *out)
{
    if (p->identity)
        return values;
    for (uint32_t i = 0; i < p->count; i++)
        out[i] = values[p->ordinals[i]];
    return out;
}

enum wr_status project_row(const struct projection *p, const struct table *table, struct eval *eval, struct slice *out,
                           const struct slice **row)
{
    *row = out;
    if (p->json_keys)
        return json_row(p, table, eval, out);
    if (p->ordinals) {
        *row = project_columns(p, eval->columns, out);
        return WR_OK;
    }
    for (uint32_t i = 0; i < p->count; i++)
        TRY(selector_value(&p->selectors[i], eval, &out[i]));
    return WR_OK;
}
