#include "model/ddl.h"
#include "model/expr.h"
#include "model/functions.h"
#include "model/parse.h"
#include "model/name_set.h"
#include "model/schema_diff.h"

static enum wr_status check_field(struct ddl *ddl, const struct ast_type *ast)
{
    if (ast->kind == AST_TYPE_NATIVE && type_by_name(ast->name.name)->kind == TYPE_COUNTER)
        return fail(ddl->ctx, WR_INVALID, "A user type cannot contain counters");
    if (ast->kind == AST_TYPE_USER)
        return fail(ddl->ctx, WR_INVALID, "A user type cannot contain non-frozen UDTs");
    return WR_OK;
}

/* ---- how large types may get ---- */

/* Everybody who walks a type walks all of it, and types made of two of the one before, and so on, grow by 2^n. */
struct measure {
    struct ddl *ddl;
    const struct type *changed; /* stands for the one of its name */
    uint32_t *nodes, *depths;   /* by keyspace->types; nodes 0: not measured yet */
};

static void measure(struct measure *m, const struct type *type, uint32_t *nodes, uint32_t *depth)
{
    const struct keyspace *k = m->ddl->keyspace;
    uint32_t at = k->type_count;
    *nodes = 1;
    *depth = 0;
    if (type->kind == TYPE_UDT) {
        if (slice_eq(type->name, m->changed->name))
            type = m->changed;
        at = keyspace_type_place(k, type->name);
    }
    if (at < k->type_count && m->nodes[at]) {
        *nodes = m->nodes[at];
        *depth = m->depths[at];
        return;
    }
    for (uint32_t i = 0; i < type->arg_count && *nodes <= TYPE_NODES_MAX; i++) { /* no type reaches itself */
        uint32_t n, d;
        measure(m, type->args[i], &n, &d);
        *nodes += n; /* each at most TYPE_NODES_MAX + 1 + what one type may list: no overflow */
        *depth = d > *depth ? d : *depth;
    }
    ++*depth;
    if (*nodes > TYPE_NODES_MAX)
        *nodes = TYPE_NODES_MAX + 1;
    if (at < k->type_count) {
        m->nodes[at] = *nodes;
        m->depths[at] = *depth;
    }
}

static enum wr_status check_size(struct measure *m, const struct type *type)
{
    uint32_t nodes, depth;
    measure(m, type, &nodes, &depth);
    if (nodes > TYPE_NODES_MAX)
        return fail(m->ddl->ctx, WR_INVALID, "Types may not be made of more than %d types, but with this change %s is",
                    TYPE_NODES_MAX, type_name(m->ddl->ctx, type));
    if (depth > TYPE_DEPTH_MAX)
        return fail(m->ddl->ctx, WR_INVALID,
                    "Types may not be nested more than %d levels deep, but with this change %s is", TYPE_DEPTH_MAX,
                    type_name(m->ddl->ctx, type));
    return WR_OK;
}

/* With `changed` in the place of the type of that name everything in the keyspace must stay within its limits. */
static enum wr_status check_sizes(struct ddl *ddl, const struct type *changed)
{
    const struct keyspace *k = ddl->keyspace;
    struct measure m = { .ddl = ddl, .changed = changed };
    m.nodes = NEW_ARRAY(ddl->ctx, uint32_t, k->type_count);
    m.depths = NEW_ARRAY(ddl->ctx, uint32_t, k->type_count);
    if (!m.nodes || !m.depths)
        return WR_NOMEM;
    TRY(check_size(&m, changed));
    for (uint32_t i = 0; i < k->type_count; i++)
        TRY(check_size(&m, k->types[i]));
    for (uint32_t t = 0; t < k->table_count; t++)
        for (uint32_t c = 0; c < k->tables[t]->column_count; c++)
            TRY(check_size(&m, k->tables[t]->columns[c].type));
    return WR_OK;
}

/* ---- CREATE TYPE ---- */

enum wr_status ddl_create_type(struct ddl *ddl)
{
    const struct ast_create_type *ast = &ddl->ast->create_type;
    struct slice name = ast->name.name;
    struct name_set seen;
    uint32_t count = 0;

    if (!ddl->keyspace)
        return fail(ddl->ctx, WR_INVALID, "Keyspace '%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name));
    if (schema_type(ddl->schema, ddl->keyspace_name, name) && ast->if_not_exists)
        return WR_OK;
    if (schema_type(ddl->schema, ddl->keyspace_name, name))
        return fail(ddl->ctx, WR_INVALID, "A user type with name '%.*s' already exists", SLICE_ARG(name));
    for (const struct ast_column_def *f = ast->fields; f; f = f->next)
        count++;
    struct slice *names = NEW_ARRAY(ddl->ctx, struct slice, count);
    const struct type **types = NEW_ARRAY(ddl->ctx, const struct type *, count);
    if (!names || !types)
        return WR_NOMEM;
    TRY(name_set_make(ddl->ctx, &seen, count));
    count = 0;
    for (const struct ast_column_def *f = ast->fields; f; f = f->next) {
        if (!name_set_add(&seen, f->name))
            return fail(ddl->ctx, WR_INVALID, "Duplicate field name '%.*s' in type '%.*s'", SLICE_ARG(f->name), SLICE_ARG(name));
        names[count++] = f->name;
    }
    for (const struct ast_column_def *f = ast->fields; f; f = f->next)
        TRY(check_field(ddl, f->type));
    count = 0;
    for (const struct ast_column_def *f = ast->fields; f; f = f->next)
        TRY(ddl_bind_type(ddl, f->type, &types[count++]));
    TRY(check_sizes(ddl, &(struct type){ .kind = TYPE_UDT, .name = name, .args = types, .arg_count = count }));
    const struct type *made = type_make_udt(ddl->ctx, ddl->keyspace_name, name, names, types, count);
    if (!made)
        return WR_NOMEM;
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_type(&ddl->edit, made));
    return ddl_done(ddl, "CREATED", "TYPE", name);
}

/* ---- ALTER TYPE ---- */

/* Whether `type` has the user type `used` anywhere inside, itself included. */
static enum wr_status uses(struct ddl *ddl, const struct type *type, const struct type *used, bool *out)
{
    const struct keyspace *k = ddl->keyspace;
    bool *marks;

    *out = false;
    if (!type->arg_count) /* most are: no marks for each column of a keyspace */
        return WR_OK;
    if (!(marks = NEW_ARRAY(ddl->ctx, bool, k->type_count)))
        return WR_NOMEM;
    keyspace_mark_types(k, type, marks);
    *out = marks[keyspace_type_place(k, used->name)];
    return WR_OK;
}

enum wr_status ddl_tables_in_order(struct ddl *ddl, const struct table ***out)
{
    const struct keyspace *k = ddl->keyspace;
    uint32_t *places = NEW_ARRAY(ddl->ctx, uint32_t, k->table_count);
    if (!places || !(*out = NEW_ARRAY(ddl->ctx, const struct table *, k->table_count)))
        return WR_NOMEM;
    TRY(keyspace_walk_tables(ddl->ctx, k, places));
    for (uint32_t i = 0; i < k->table_count; i++)
        (*out)[i] = k->tables[places[i]];
    return WR_OK;
}

/* The keyspace's tables (or, with keys_only, tables and views) of which one of the first columns (all, or those of the
 * partition key) uses the type, in their order (keyspace_walk_tables): `t, u`, or with keys_only `k.t, k.u`. *out is empty where there are none. */
static enum wr_status tables_using(struct ddl *ddl, const struct type *type, bool keys_only, struct slice *out)
{
    const struct keyspace *k = ddl->keyspace;
    const struct table **tables;
    struct buf buf;
    TRY(ddl_tables_in_order(ddl, &tables));
    buf_init(&buf, ddl->ctx->arena);
    for (uint32_t t = 0; t < k->table_count; t++) {
        bool found = false;
        uint32_t count = keys_only ? tables[t]->key_count : table_is_view(tables[t]) ? 0 : tables[t]->column_count;
        for (uint32_t i = 0; i < count && !found; i++)
            TRY(uses(ddl, tables[t]->columns[i].type, type, &found));
        if (!found)
            continue;
        buf_put_str(&buf, buf.len ? ", " : "");
        if (keys_only)
            buf_put_str(&buf, cql_full_name(ddl->ctx, tables[t]->keyspace, tables[t]->name));
        else
            buf_put_slice(&buf, tables[t]->name);
    }
    return buf_done(ddl->ctx, &buf, out);
}

static enum wr_status alter_add_field(struct ddl *ddl, const struct type *type, const struct type **out)
{
    const struct ast_alter_type *ast = &ddl->ast->alter_type;
    const struct ast_column_def *field = ast->fields;
    const struct type *added;
    struct slice tables;
    struct buf text;
    uint32_t at;
    bool circular;

    TRY(check_field(ddl, field->type));
    *out = type;
    if (type_field(type, field->name, &at)) {
        if (ast->field_if)
            return WR_OK;
        return fail(ddl->ctx, WR_INVALID, "Cannot add field %.*s to type %s: a field with name %.*s already exists",
                    SLICE_ARG(field->name), cql_full_name(ddl->ctx, type->keyspace, type->name), SLICE_ARG(field->name));
    }
    TRY(ddl_bind_type(ddl, field->type, &added));
    buf_init(&text, ddl->ctx->arena);
    cql_put_type(&text, field->type, ddl->keyspace_name);
    TRY(uses(ddl, added, type, &circular));
    if (circular)
        return fail(ddl->ctx, WR_INVALID,
                    "Cannot add new field %.*s of type %.*s to user type %s as it would create a circular reference",
                    SLICE_ARG(field->name), SLICE_ARG(buf_slice(&text)), cql_full_name(ddl->ctx, type->keyspace, type->name));
    TRY(tables_using(ddl, type, true, &tables));
    if (tables.len)
        return fail(
            ddl->ctx, WR_INVALID,
            "Cannot add new field %.*s of type %.*s to user type %s as the type is being used in partition key by the "
            "following tables: %.*s",
            SLICE_ARG(field->name), SLICE_ARG(buf_slice(&text)), cql_full_name(ddl->ctx, type->keyspace, type->name), SLICE_ARG(tables));

    struct slice *names = NEW_ARRAY(ddl->ctx, struct slice, (size_t)type->arg_count + 1);
    const struct type **types = NEW_ARRAY(ddl->ctx, const struct type *, (size_t)type->arg_count + 1);
    if (!names || !types)
        return WR_NOMEM;
    memcpy(names, type->field_names, type->arg_count * sizeof *names);
    memcpy(types, type->args, type->arg_count * sizeof *types);
    names[type->arg_count] = field->name;
    types[type->arg_count] = added;
    TRY(check_sizes(
        ddl, &(struct type){ .kind = TYPE_UDT, .name = type->name, .args = types, .arg_count = type->arg_count + 1 }));
    *out = type_make_udt(ddl->ctx, type->keyspace, type->name, names, types, type->arg_count + 1);
    return *out ? WR_OK : WR_NOMEM;
}

/* `k.a, k.b`: aggregates that begin with a value that has it in it, which a server keeps as text with the names of fields. */
static enum wr_status aggregates_beginning_with(struct ddl *ddl, const struct type *type, struct slice *out)
{
    struct buf buf;

    buf_init(&buf, ddl->ctx->arena);
    for (uint32_t i = 0; i < ddl->keyspace->aggregate_count; i++) {
        const struct aggregate *a = &ddl->keyspace->aggregates[i];
        bool found;
        TRY(uses(ddl, a->state, type, &found));
        if (found && !slice_is_null(a->initial))
            buf_printf(&buf, "%s%.*s.%.*s", buf.len ? ", " : "", SLICE_ARG(ddl->keyspace_name), SLICE_ARG(a->name));
    }
    return buf_done(ddl->ctx, &buf, out);
}

static enum wr_status alter_rename_fields(struct ddl *ddl, const struct type *type, const struct type **out)
{
    const struct ast_alter_type *ast = &ddl->ast->alter_type;
    struct slice *names = NEW_ARRAY(ddl->ctx, struct slice, type->arg_count);
    const struct ast_rename **renames;
    struct slice users;
    uint32_t at, count;
    if (!names)
        return WR_NOMEM;
    TRY(aggregates_beginning_with(ddl, type, &users));
    if (users.len)
        return fail(ddl->ctx, WR_INVALID, "Cannot alter user type %s as it is still used in INITCOND by aggregates %.*s",
                    cql_full_name(ddl->ctx, type->keyspace, type->name), SLICE_ARG(users));
    memcpy(names, type->field_names, type->arg_count * sizeof *names);
    TRY(ddl_order_renames(ddl, ast->renames, &renames, &count));
    for (uint32_t i = 0; i < count; i++) {
        const struct ast_rename *r = renames[i];
        if (type_field(type, r->from, &at))
            names[at] = r->to;
        else if (!ast->field_if)
            return fail(ddl->ctx, WR_INVALID, "Unkown field %.*s in user type %s", SLICE_ARG(r->from),
                        cql_full_name(ddl->ctx, type->keyspace, type->name));
    }
    for (uint32_t i = 0; i < type->arg_count; i++)
        for (uint32_t j = i + 1; j < type->arg_count; j++)
            if (slice_eq(names[i], names[j]))
                return fail(ddl->ctx, WR_INVALID, "Duplicate field name %.*s in type %.*s", SLICE_ARG(names[i]),
                            SLICE_ARG(type->keyspace)); /* the keyspace, sic */
    *out = type_make_udt(ddl->ctx, type->keyspace, type->name, names, type->args, type->arg_count);
    return *out ? WR_OK : WR_NOMEM;
}

/* A server makes a descending clustering column's type anew with the user type in it, and finds it another (ReversedType.withUpdatedUserType): its
 * table has changed, whatever became of the user type. */
static enum wr_status descends_anywhere(struct ddl *ddl, const struct type *type, bool *out)
{
    const struct keyspace *k = ddl->keyspace;
    *out = false;
    for (uint32_t t = 0; t < k->table_count; t++)
        for (uint32_t i = 0; i < k->tables[t]->column_count && !*out; i++)
            if (k->tables[t]->columns[i].descending)
                TRY(uses(ddl, k->tables[t]->columns[i].type, type, out));
    return WR_OK;
}

enum wr_status ddl_alter_type(struct ddl *ddl)
{
    const struct ast_alter_type *ast = &ddl->ast->alter_type;
    const struct type *type = schema_declared_type(ddl->schema, ddl->keyspace_name, ast->name.name), *changed;
    struct slice before, after;
    bool descends;

    if (!type && ast->if_exists)
        return WR_OK;
    if (!type)
        return fail(ddl->ctx, WR_INVALID, "Type %.*s.%.*s doesn't exist", SLICE_ARG(ddl->keyspace_name),
                    SLICE_ARG(ast->name.name));
    if (ast->kind == ALTER_TYPE_OF_COLUMN)
        return fail(ddl->ctx, WR_INVALID, "Altering field types is no longer supported");
    TRY((ast->kind == ALTER_ADD ? alter_add_field : alter_rename_fields)(ddl, type, &changed));
    TRY(type_encode(ddl->ctx, type, &before));
    TRY(type_encode(ddl->ctx, changed, &after));
    TRY(descends_anywhere(ddl, type, &descends));
    if (slice_eq(before, after) && !descends)
        return WR_OK;
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_store_type(&ddl->edit, changed));
    return ddl_done(ddl, "UPDATED", "TYPE", type->name);
}

/* ---- DROP TYPE ---- */

static enum wr_status types_using(struct ddl *ddl, const struct type *type, struct slice *out)
{
    const struct type **types;
    struct buf buf;
    TRY(keyspace_types_sorted(ddl->ctx, ddl->keyspace, &types));
    buf_init(&buf, ddl->ctx->arena);
    for (uint32_t i = 0; i < ddl->keyspace->type_count; i++) {
        const struct type *other = types[i];
        bool found;
        TRY(uses(ddl, other, type, &found));
        if (found && !slice_eq(other->name, type->name))
            buf_printf(&buf, "%s%.*s", buf.len ? ", " : "", SLICE_ARG(other->name));
    }
    return buf_done(ddl->ctx, &buf, out);
}

/* `k.f, k.g`: functions and aggregates. */
static enum wr_status functions_using(struct ddl *ddl, const struct type *type, struct slice *out)
{
    struct slice keyspace = ddl->keyspace_name;
    const struct user_function *list;
    uint32_t count;
    struct buf buf;

    buf_init(&buf, ddl->ctx->arena);
    TRY(functions_list(ddl->ctx, ddl->exec->db, ddl->schema, keyspace, SLICE_NULL, &list, &count));
    for (uint32_t i = 0; i < count; i++) {
        const struct user_function *f = &list[i];
        bool found = false;
        if (f->args)
            TRY(uses(ddl, f->result, type, &found));
        for (uint32_t k = 0; f->args && k < f->arg_count && !found; k++)
            TRY(uses(ddl, f->args[k], type, &found));
        if (found)
            buf_printf(&buf, "%s%.*s.%.*s", buf.len ? ", " : "", SLICE_ARG(keyspace), SLICE_ARG(f->name));
    }
    for (uint32_t i = 0; i < ddl->keyspace->aggregate_count; i++) {
        const struct aggregate *a = &ddl->keyspace->aggregates[i];
        bool found, one;
        TRY(uses(ddl, a->state, type, &found));
        TRY(uses(ddl, a->result, type, &one));
        found |= one;
        for (uint32_t k = 0; k < a->arg_count && !found; k++)
            TRY(uses(ddl, a->args[k], type, &found));
        if (found)
            buf_printf(&buf, "%s%.*s.%.*s", buf.len ? ", " : "", SLICE_ARG(keyspace), SLICE_ARG(a->name));
    }
    return buf_done(ddl->ctx, &buf, out);
}

enum wr_status ddl_drop_type(struct ddl *ddl)
{
    struct slice name = ddl->ast->drop.name.name;
    const struct type *type = schema_type(ddl->schema, ddl->keyspace_name, name);
    struct slice users;

    if (!type && ddl->ast->drop.if_exists)
        return WR_OK;
    if (!type)
        return fail(ddl->ctx, WR_INVALID, "Type '%.*s.%.*s' doesn't exist", SLICE_ARG(ddl->keyspace_name),
                    SLICE_ARG(name));
    TRY(functions_using(ddl, type, &users));
    if (users.len)
        return fail(ddl->ctx, WR_INVALID, "Cannot drop user type '%.*s.%.*s' as it is still used by functions %.*s",
                    SLICE_ARG(ddl->keyspace_name), SLICE_ARG(name), SLICE_ARG(users));
    TRY(types_using(ddl, type, &users));
    if (users.len)
        return fail(ddl->ctx, WR_INVALID, "Cannot drop user type '%.*s.%.*s' as it is still used by user types %.*s",
                    SLICE_ARG(ddl->keyspace_name), SLICE_ARG(name), SLICE_ARG(users));
    TRY(tables_using(ddl, type, false, &users));
    if (users.len)
        return fail(ddl->ctx, WR_INVALID, "Cannot drop user type '%.*s.%.*s' as it is still used by tables %.*s",
                    SLICE_ARG(ddl->keyspace_name), SLICE_ARG(name), SLICE_ARG(users));
    ddl_edit(ddl, SLICE_NULL);
    TRY(catalog_remove_type(&ddl->edit, type));
    return ddl_done(ddl, "DROPPED", "TYPE", name);
}
