/*
 * ALTER TABLE. Stored rows are never touched: what a column's cells mean is decided when they are read, by the column's
 * id and the time it was dropped.
 */
#include "model/ddl.h"
#include "model/guardrail.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/parse.h"

/* ---- ADD ---- */

/* A dropped column outlives the user types it was of: AbstractType.expandUserTypes, tuples for user types. That leaves those in vectors; of a type that is
 * held against a dropped column's they alone are expanded. */
static const struct type *expand_types(struct ctx *ctx, const struct type *type, bool outside_vectors)
{
    bool expands = outside_vectors || type->kind == TYPE_VECTOR, is_tuple = expands && type->kind == TYPE_UDT, same = !is_tuple;
    struct type *made;
    const struct type **args = NEW_ARRAY(ctx, const struct type *, type->arg_count);

    if (!args)
        return NULL;
    for (uint32_t i = 0; i < type->arg_count; i++) {
        if (!(args[i] = expand_types(ctx, type->args[i], expands)))
            return NULL;
        same &= args[i] == type->args[i];
    }
    if (same)
        return type;
    if (is_tuple)
        return type_make(ctx, TYPE_TUPLE, args, type->arg_count, false, 0);
    if (!(made = NEW(ctx, struct type)))
        return NULL;
    *made = *type;
    made->args = args;
    return made;
}

static const struct dropped_column *find_dropped(const struct table *table, struct slice name)
{
    for (uint32_t i = 0; i < table->dropped_count; i++)
        if (slice_eq(table->dropped[i].name, name))
            return &table->dropped[i];
    return NULL;
}

static enum wr_status check_dropped(struct ddl *ddl, const struct table *table, const struct column *c,
                                    const struct dropped_column *before)
{
    static const char *const kinds[] = { "PARTITION_KEY", "CLUSTERING", "STATIC", "REGULAR" };
    const struct type *type = expand_types(ddl->ctx, c->type, false);
    if (!type)
        return WR_NOMEM;
    if (!type_lies_as(type, before->type))
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot re-add previously dropped column '%.*s' of type %s, incompatible with previous type %s",
                    SLICE_ARG(c->name), type_name(ddl->ctx, c->type), type_name(ddl->ctx, before->type));
    if (before->kind != c->kind)
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot re-add previously dropped column '%.*s' of kind %s, incompatible with previous kind %s",
                    SLICE_ARG(c->name), kinds[c->kind], kinds[before->kind]);
    if (table_is_counter(table))
        return fail(ddl->ctx, WR_INVALID, "Cannot re-add previously dropped counter column %.*s", SLICE_ARG(c->name));
    return WR_OK;
}

static enum wr_status add_column(struct ddl *ddl, const struct ast_column_def *def, bool if_not_exists,
                                 struct table_draft *d)
{
    struct table *t = &d->table;
    struct column c = { .name = def->name,
                        .kind = def->is_static ? COLUMN_STATIC : COLUMN_REGULAR,
                        .dropped_us = TIMESTAMP_NONE };
    const struct dropped_column *before = find_dropped(t, def->name);

    TRY(ddl_bind_type(ddl, def->type, &c.type));
    if (def->mask)
        TRY(ddl_bind_mask(ddl, t, def->mask, &c));
    if (table_column(t, def->name)) {
        if (if_not_exists)
            return WR_OK;
        return fail(ddl->ctx, WR_INVALID, "Column with name '%.*s' already exists", SLICE_ARG(def->name));
    }
    if (t->flags & TABLE_COMPACT)
        return fail(ddl->ctx, WR_INVALID, "Cannot add new column to a COMPACT STORAGE table");
    if (def->is_static && t->clustering_count == 0)
        return fail(
            ddl->ctx, WR_INVALID,
            "Static columns are only useful (and thus allowed) if the table has at least one clustering column");
    if (ddl_has_nested_collection(ddl, c.type))
        return fail(ddl->ctx, WR_INVALID,
                    "Non-frozen UDTs with nested non-frozen collections are not supported for column %.*s",
                    SLICE_ARG(def->name));
    if (before)
        TRY(check_dropped(ddl, t, &c, before));
    c.id =
        before ? before->id : t->next_column_id++; /* the same id, so that cells newer than the drop are seen again */
    if (before)
        c.dropped_us = before->dropped_us;
    d->columns[t->column_count++] = c;
    return WR_OK;
}

static enum wr_status alter_add(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    const struct ast_alter_table *ast = &ddl->ast->alter_table;
    uint32_t count = 0;
    for (const struct ast_column_def *c = ast->columns; c; c = c->next, count++)
        if (c->mask)
            TRY(ddl_check_masking(ddl->ctx, atomic_load(&ddl->exec->db->masking)));
    TRY(ddl_copy_table(ddl, table, count, 0, 0, d));
    for (const struct ast_column_def *c = ast->columns; c; c = c->next)
        TRY(add_column(ddl, c, ast->column_if, d));
    TRY(ddl_check_table(ddl, &d->table));
    ddl_warn_of_vectors(ddl->ctx, &d->table); /* AddColumns has the table validated, and with it its indexes */
    return WR_OK;
}

/* ---- DROP ---- */

/* `i, j`: the indexes on a column; empty: none. */
static const char *indexes_on(struct ddl *ddl, const struct table *table, const struct column *column)
{
    struct buf buf;
    buf_init(&buf, ddl->ctx->arena);
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].column == column)
            buf_printf(&buf, "%s%.*s", buf.len ? ", " : "", SLICE_ARG(table->indexes[i].name));
    return buf_string(ddl->ctx, &buf);
}

static void take_column(struct table_draft *d, struct slice name)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->table.column_count; i++)
        if (!slice_eq(d->columns[i].name, name))
            d->columns[kept++] = d->columns[i];
    d->table.column_count = kept;
}

static enum wr_status drop_column(struct ddl *ddl, const struct table *table, struct slice name, int64_t dropped_us,
                                  struct table_draft *d)
{
    const struct column *c = table_column(table, name);
    uint32_t at = 0;

    if (column_is_primary_key(c))
        return fail(ddl->ctx, WR_INVALID, "Cannot drop PRIMARY KEY column %.*s", SLICE_ARG(name));
    if (c->type->kind == TYPE_UDT && c->type->multicell)
        return fail(ddl->ctx, WR_INVALID, "Cannot drop non-frozen column %.*s of user type %s", SLICE_ARG(name),
                    type_name(ddl->ctx, c->type));
    if (*indexes_on(ddl, table, c))
        return fail(ddl->ctx, WR_INVALID, "Cannot drop column %.*s because it has dependent secondary indexes (%s)",
                    SLICE_ARG(name), indexes_on(ddl, table, c));
    if (table->view_count)
        return fail(ddl->ctx, WR_INVALID, "Cannot drop column %.*s on base table %.*s with materialized views",
                    SLICE_ARG(name), SLICE_ARG(table->name));
    while (at < d->table.dropped_count && !slice_eq(d->dropped[at].name, name))
        at++;
    d->dropped[at] = (struct dropped_column){ .name = name, .kind = c->kind, .id = c->id, .dropped_us = dropped_us };
    if (!(d->dropped[at].type = expand_types(ddl->ctx, c->type, true)))
        return WR_NOMEM;
    if (at == d->table.dropped_count)
        d->table.dropped_count++;
    take_column(d, name);
    return WR_OK;
}

/* The names of the list in the order of a set: the first thing wrong in it is the one told. */
static enum wr_status names_to_drop(struct ddl *ddl, const struct ast_names *list, struct slice **out, uint32_t *count)
{
    *count = 0;
    for (const struct ast_names *n = list; n; n = n->next)
        ++*count;
    struct slice *names = NEW_ARRAY(ddl->ctx, struct slice, *count);
    uint32_t *order = NEW_ARRAY(ddl->ctx, uint32_t, *count);
    *out = NEW_ARRAY(ddl->ctx, struct slice, *count);
    if (!names || !order || !*out)
        return WR_NOMEM;
    uint32_t i = 0;
    for (const struct ast_names *n = list; n; n = n->next)
        names[i++] = n->name;
    TRY(java_map_order(ddl->ctx, names, *count, 0, order));
    for (i = 0; i < *count; i++)
        (*out)[i] = names[order[i]];
    return WR_OK;
}

static enum wr_status alter_drop(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    const struct ast_alter_table *ast = &ddl->ast->alter_table;
    int64_t dropped_us = clock_timestamp_us(engine_clock(txn_engine(ddl->exec->txn))); /* never the client's default */
    struct slice *names;
    uint32_t count;
    bool lost_value = false;

    TRY(names_to_drop(ddl, ast->drop, &names, &count));
    TRY(ddl_copy_table(ddl, table, 0, 0, count, d));
    if (ast->drop_timestamp && !java_long(ast->drop_timestamp->text, &dropped_us))
        return fail(ddl->ctx, WR_SYNTAX, "Unable to make long from '%.*s'", SLICE_ARG(ast->drop_timestamp->text));
    for (uint32_t i = 0; i < count; i++) {
        if (!table_column(table, names[i]) && ast->column_if)
            continue;
        if (!table_column(table, names[i]))
            return fail(ddl->ctx, WR_INVALID, "Column %.*s was not found in table '%s'", SLICE_ARG(names[i]),
                        cql_full_name(ddl->ctx, table->keyspace, table->name));
        TRY(drop_column(ddl, table, names[i], dropped_us, d));
        lost_value |= table_column(table, names[i])->kind == COLUMN_REGULAR && table->flags & TABLE_COMPACT;
    }
    if (lost_value) /* CompactTableMetadata looks for it */
        return fail(ddl->ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException: 0 not in range [0..0)");
    return WR_OK;
}

/* ---- RENAME ---- */

static enum wr_status rename_column(struct ddl *ddl, const struct table *table, const struct ast_rename *r,
                                    struct table_draft *d)
{
    const struct column *c;
    TRY(table_require_column(ddl->ctx, table, r->from, &c));
    if (!column_is_primary_key(c))
        return fail(ddl->ctx, WR_INVALID, "Cannot rename non PRIMARY KEY column %.*s", SLICE_ARG(r->from));
    if (table_column(table, r->to))
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot rename column %.*s to %.*s in table '%s'; another column with that name already exists",
                    SLICE_ARG(r->from), SLICE_ARG(r->to), cql_full_name(ddl->ctx, table->keyspace, table->name));
    if (*indexes_on(ddl, table, c))
        return fail(ddl->ctx, WR_INVALID, "Can't rename column %.*s because it has dependent secondary indexes (%s)",
                    SLICE_ARG(r->from), indexes_on(ddl, table, c));
    for (uint32_t i = 0; i < d->table.column_count; i++)
        if (i != c->ordinal && slice_eq(d->columns[i].name, r->to)) /* two of this statement */
            return fail(ddl->ctx, WR_SERVER_ERROR, "java.lang.IllegalArgumentException");
    d->columns[c->ordinal].name = r->to;
    return WR_OK;
}

enum wr_status ddl_order_renames(struct ddl *ddl, const struct ast_rename *first, const struct ast_rename ***out, uint32_t *n)
{
    uint32_t count = 0, at;
    for (const struct ast_rename *r = first; r; r = r->next)
        count++;
    const struct ast_rename **given = NEW_ARRAY(ddl->ctx, const struct ast_rename *, count);
    const struct ast_rename **renames = NEW_ARRAY(ddl->ctx, const struct ast_rename *, count);
    struct slice *names = NEW_ARRAY(ddl->ctx, struct slice, count);
    uint32_t *order = NEW_ARRAY(ddl->ctx, uint32_t, count);
    if (!given || !renames || !names || !order)
        return WR_NOMEM;
    count = 0;
    for (const struct ast_rename *r = first; r; r = r->next) {
        at = 0;
        while (at < count && !slice_eq(names[at], r->from))
            at++;
        names[at] = r->from;
        given[at] = r; /* the last of a name counts */
        count += at == count;
    }
    TRY(java_map_order(ddl->ctx, names, count, 0, order));
    for (uint32_t i = 0; i < count; i++)
        renames[i] = given[order[i]];
    *out = renames;
    *n = count;
    return WR_OK;
}

static enum wr_status alter_rename(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    const struct ast_rename **renames;
    uint32_t count;
    TRY(ddl_copy_table(ddl, table, 0, 0, 0, d));
    TRY(ddl_order_renames(ddl, ddl->ast->alter_table.renames, &renames, &count));
    for (uint32_t i = 0; i < count; i++)
        TRY(rename_column(ddl, table, renames[i], d));
    return WR_OK;
}

/* ---- WITH, DROP COMPACT STORAGE, and what is refused ---- */

static enum wr_status alter_with(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    const struct ast_property *properties = ddl->ast->alter_table.properties;
    uint8_t id[16];
    bool has_id;
    TRY(ddl_copy_table(ddl, table, 0, 0, 0, d));
    TRY(options_read(ddl->ctx, properties, false, &d->table.options));
    TRY(options_check(ddl->ctx, properties));
    TRY(options_table_id(ddl->ctx, properties, &has_id, id));
    if (has_id)
        return fail(ddl->ctx, WR_CONFIG, "Cannot alter table id.");
    if (table_is_counter(table) && d->table.options.default_time_to_live > 0)
        return fail(ddl->ctx, WR_INVALID, "Cannot set default_time_to_live on a table with counters");
    if (table->view_count && d->table.options.gc_grace_seconds == 0)
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot alter gc_grace_seconds of the base table of a materialized view to 0, since this value is used "
                    "to TTL undelivered updates. Setting gc_grace_seconds too low might cause undelivered updates to expire "
                    "before being replayed.");
    return WR_OK;
}

static enum wr_status alter_drop_compact(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    if (!(table->flags & TABLE_COMPACT))
        return fail(ddl->ctx, WR_INVALID, "Cannot DROP COMPACT STORAGE on table without COMPACT STORAGE");
    TRY(ddl_copy_table(ddl, table, 0, 0, 0, d));
    d->table.flags &= ~(unsigned)(TABLE_COMPACT | TABLE_DENSE | TABLE_STATIC_COMPACT);
    d->table.flags |= TABLE_COMPOUND;
    return WR_OK;
}

static enum wr_status alter_type_of_column(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    (void)table, (void)d;
    return fail(ddl->ctx, WR_INVALID, "Altering column types is no longer supported");
}

/* MASKED WITH, or DROP MASKED, which changes nothing of a column that has no mask. */
static enum wr_status alter_mask(struct ddl *ddl, const struct table *table, struct table_draft *d)
{
    const struct ast_alter_table *ast = &ddl->ast->alter_table;
    const struct ast_column_def *def = ast->columns;
    const struct column *column = table_column(table, def->name); /* those that a compact table hides, too */

    if (ast->kind == ALTER_MASK)
        TRY(ddl_check_masking(ddl->ctx, atomic_load(&ddl->exec->db->masking)));
    TRY(ddl_copy_table(ddl, table, 0, 0, 0, d));
    if (!column && ast->column_if)
        return WR_OK;
    if (!column)
        return fail(ddl->ctx, WR_INVALID, "Column with name '%.*s' doesn't exist on table '%.*s'", SLICE_ARG(def->name),
                    SLICE_ARG(table->name));
    d->columns[column->ordinal].mask = NULL;
    return ast->kind == ALTER_MASK ? ddl_bind_mask(ddl, table, def->mask, &d->columns[column->ordinal]) : WR_OK;
}

static enum wr_status (*const alterations[])(struct ddl *ddl, const struct table *table, struct table_draft *out) = {
    [ALTER_ADD] = alter_add,
    [ALTER_DROP] = alter_drop,
    [ALTER_RENAME] = alter_rename,
    [ALTER_TYPE_OF_COLUMN] = alter_type_of_column,
    [ALTER_WITH] = alter_with,
    [ALTER_MASK] = alter_mask,
    [ALTER_DROP_MASK] = alter_mask,
    [ALTER_DROP_COMPACT] = alter_drop_compact,
};

enum wr_status ddl_validate_alter_table(struct exec *exec, const struct ast_statement *ast, struct slice keyspace)
{
    struct table_options read = table_options_default;
    (void)keyspace;
    return options_read(exec->ctx, ast->alter_table.properties, false, &read);
}

enum wr_status ddl_alter_table(struct ddl *ddl)
{
    const struct ast_alter_table *ast = &ddl->ast->alter_table;
    const struct table *table = schema_table(ddl->schema, ddl->keyspace_name, ast->name.name);
    struct table_options read = table_options_default;
    struct table_draft draft;
    struct slice before, after;

    TRY(options_read(ddl->ctx, ast->properties, false, &read));
    if (ast->kind == ALTER_WITH)
        guardrail_table(ddl->exec, &read);
    if (!table && ast->if_exists)
        return WR_OK;
    if (!table)
        return fail(ddl->ctx, WR_INVALID, "Table '%.*s.%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name),
                    SLICE_ARG(ast->name.name));
    if (table_is_view(table))
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot use ALTER TABLE on a materialized view; use ALTER MATERIALIZED VIEW instead");
    TRY(alterations[ast->kind](ddl, table, &draft));
    TRY(table_complete(ddl->ctx, &draft.table));
    TRY(table_encode(ddl->ctx, table, &before));
    TRY(table_encode(ddl->ctx, &draft.table, &after));
    if (slice_eq(before, after))
        return WR_OK;
    if (ast->kind == ALTER_MASK || ast->kind == ALTER_DROP_MASK)
        ddl_warn_of_vectors(ddl->ctx, &draft.table); /* MaskColumn has it validated where the mask is another, as AddColumns has */
    draft.table.changed = schema_version(ddl->schema) + 1;
    TRY(ddl_order_dropped(ddl, &draft, table->dropped_count));
    ddl_edit(ddl, table->name);
    TRY(catalog_store_table(&ddl->edit, table, &draft.table));
    TRY(ddl_follow_in_views(ddl, table, &draft.table));
    return ddl_done(ddl, "UPDATED", "TABLE", table->name);
}
