#include "model/parse_build.h"

#include "model/parse.h"
#include "model/name_set.h"

/* A failure is the parser's. */
static bool name_set_init(struct parser *p, struct name_set *seen, size_t names)
{
    if (p->status == WR_OK)
        p->status = name_set_make(p->ctx, seen, names);
    return p->status == WR_OK;
}

/* ---- WHERE and IF ---- */

struct ast_relation *build_relation(struct parser *p, enum ast_subject subject, struct ast_names *columns, enum ast_operator op,
                                    struct ast_expr *value)
{
    struct ast_relation *relation = BUILD(p, ast_relation);
    relation->subject = subject;
    relation->op = op;
    relation->columns = columns;
    relation->value = value;
    relation->offset = columns->offset;
    relation->end = value ? value->end : 0;
    return relation;
}

struct ast_relation *build_in(struct ast_relation *relation, struct in_values values)
{
    relation->op = OP_IN;
    relation->value = values.first;
    relation->in_marker = values.is_marker;
    relation->end = values.end;
    return relation;
}

/* ---- UPDATE ---- */

struct ast_assignment *build_assignment(struct parser *p, enum ast_assign_kind kind, struct token column, struct ast_expr *value)
{
    struct ast_assignment *assignment = BUILD(p, ast_assignment);
    assignment->kind = kind;
    assignment->column = build_text(p, column);
    assignment->value = value;
    assignment->offset = column.offset;
    assignment->end = value->end;
    return assignment;
}

struct ast_assignment *build_arithmetic(struct parser *p, enum ast_assign_kind kind, struct token column, struct token other,
                                        struct ast_expr *value, const char *form)
{
    struct ast_assignment *assignment = build_assignment(p, kind, column, value);
    if (p->status == WR_OK && !slice_eq(assignment->column, build_text(p, other))) {
        build_check_assignments(p, p->settings); /* what is wrong with those before it is told first */
        build_note(p, p->at, "Only expressions of the form X = %s are supported.", form);
    }
    return assignment;
}

/* column.field in one name; neither part holds a zero byte in earnest. */
static struct slice field_key(struct parser *p, const struct ast_assignment *a)
{
    struct buf buf;
    struct slice key = SLICE_EMPTY;

    buf_init(&buf, p->ctx->arena);
    buf_put_slice(&buf, a->column);
    buf_put_u8(&buf, 0);
    buf_put_slice(&buf, a->field);
    if (p->status == WR_OK)
        p->status = buf_done(p->ctx, &buf, &key);
    return key;
}

/* Operation.RawUpdate.isCompatibleWith: a whole value tolerates nothing beside it, the rest everything but a whole value, and a
 * field's value none of the same field. */
void build_check_assignments(struct parser *p, const struct ast_assignment *first)
{
    struct name_set columns, whole, fields;
    size_t count = 0;

    for (const struct ast_assignment *a = first; a && p->status == WR_OK; a = a->next)
        count++;
    if (count < 2 || !name_set_init(p, &columns, count) || !name_set_init(p, &whole, count) || !name_set_init(p, &fields, count))
        return;
    for (const struct ast_assignment *a = first; a && p->status == WR_OK; a = a->next) {
        bool clash = name_set_has(&whole, a->column) || (a->kind == ASSIGN_SET && name_set_has(&columns, a->column));
        name_set_add(&columns, a->column);
        if (a->kind == ASSIGN_SET)
            name_set_add(&whole, a->column);
        if (a->kind == ASSIGN_FIELD && !name_set_add(&fields, field_key(p, a)))
            clash = true;
        if (clash)
            /* the next token is one that may stand there, by then */
            build_note(p, a->next ? a->offset : p->settings_end, "Multiple incompatible setting of column %.*s", SLICE_ARG(a->column));
    }
}

/* ---- properties ---- */

static struct ast_property *new_property(struct parser *p, struct token name)
{
    struct ast_property *property = BUILD(p, ast_property);
    property->name = build_text(p, name);
    property->offset = name.offset;
    return property;
}

struct ast_property *build_property(struct parser *p, struct token name, struct ast_expr *value)
{
    struct ast_property *property = new_property(p, name);
    struct slice text = value->text; /* a copy between: without memory both lie in the parser's one spare place */
    property->literal = value->literal;
    property->value = text;
    return property;
}

/* propertyValue: a keyword stands for its own text, any other word for nothing. */
struct ast_property *build_property_word(struct parser *p, struct token name, struct token value)
{
    struct ast_property *property = new_property(p, name);
    if (lex_class((enum lex_kind)value.kind) == WORD_NONE)
        build_refuse(p, value.offset);
    property->value = lex_class((enum lex_kind)value.kind) == WORD_NATIVE ? build_text(p, value)
                                                                         : slice_of(p->text.data + value.offset, value.len);
    property->literal = LITERAL_STRING;
    return property;
}

static bool is_constant(const struct ast_expr *expr)
{
    return expr->kind == EXPR_CONSTANT && expr->literal != LITERAL_NULL;
}

/* convertPropertyMap's messages: `what` of `of` is not a constant. */
static void fail_pair(struct parser *p, const char *what, const struct ast_expr *wrong, const struct ast_expr *of)
{
    struct buf buf;
    struct slice text;

    buf_init(&buf, p->ctx->arena);
    cql_put_expr(&buf, wrong);
    if (of) {
        buf_put_str(&buf, " for property: ");
        cql_put_expr(&buf, of);
    }
    if (wrong->kind == EXPR_MARKER)
        buf_put_str(&buf, " (bind variables are not supported in DDL queries)");
    if (p->status != WR_OK)
        return;
    p->status = buf_done(p->ctx, &buf, &text);
    if (p->status == WR_OK)
        build_note(p, wrong->offset, "Invalid property %s: %.*s", what, SLICE_ARG(text));
}

struct ast_property *build_property_map(struct parser *p, struct token name, struct expr_list keys_and_values)
{
    struct ast_property *property = new_property(p, name);
    struct ast_pair **last = &property->pairs;
    struct name_set keys;
    size_t count = 0;

    property->is_map = true;
    for (const struct ast_expr *e = keys_and_values.first; e && p->status == WR_OK; e = e->next)
        count++;
    if (count == 0 || !name_set_init(p, &keys, count))
        return property;
    for (const struct ast_expr *key = keys_and_values.first; key && p->status == WR_OK; key = key->next->next) {
        struct ast_pair *pair = BUILD(p, ast_pair);
        pair->key = key->text;
        pair->value = key->next->text;
        *last = pair;
        last = &pair->next;
        if (!is_constant(key))
            fail_pair(p, "name", key, NULL);
        else if (!is_constant(key->next))
            fail_pair(p, "value", key->next, key);
        else if (!name_set_add(&keys, key->text))
            build_note(p, key->offset, "Multiple definition for property %.*s", SLICE_ARG(key->text));
    }
    return property;
}

void build_check_properties(struct parser *p, const struct ast_property *first)
{
    struct name_set names;
    size_t count = 0;

    for (const struct ast_property *e = first; e && p->status == WR_OK; e = e->next)
        count++;
    if (count < 2 || !name_set_init(p, &names, count))
        return;
    for (const struct ast_property *e = first; e && p->status == WR_OK; e = e->next)
        if (!name_set_add(&names, e->name)) {
            if (e->next && p->noted && p->noted_at > e->next->offset) /* of what is read behind it */
                p->noted = NULL;
            build_note(p, e->offset, "Multiple definitions for property '%.*s'", SLICE_ARG(e->name));
            return;
        }
}

void build_add_options(struct built_options *to, const struct built_options *from)
{
    if (from->properties.first && to->properties.first)
        LIST_ADD(to->properties, from->properties.first);
    else if (from->properties.first)
        to->properties = from->properties;
    if (from->order.first && to->order.first) {
        LIST_ADD(to->order, from->order.first);
        to->order.last = from->order.last;
    } else if (from->order.first) {
        to->order = from->order;
    }
    to->compact |= from->compact;
}

/* ---- columns, statements ---- */

struct ast_column_def *build_column_def(struct parser *p, struct token name, struct ast_type *type)
{
    struct ast_column_def *column = BUILD(p, ast_column_def);
    column->name = build_text(p, name);
    column->type = type;
    column->offset = name.offset;
    return column;
}

void build_table_column(struct table_items *items, struct ast_column_def *column)
{
    if (items->columns.first)
        LIST_ADD(items->columns, column);
    else
        LIST_ONE(items->columns, column);
    items->column_count += !items->ends;
    if (column->is_primary_key)
        build_primary_key(items);
}

void build_primary_key(struct table_items *items)
{
    if (items->ends)
        return;
    if (++items->primary_keys == 2)
        items->columns_before = items->column_count;
}

/* ---- what is wrong with a table as it is read: an InvalidRequest, and before a syntax error that follows ---- */

static const char *table_text(struct parser *p, const struct ast_name *name)
{
    const char *text = name->keyspace.data ? ctx_format(p->ctx, "%.*s.%.*s", SLICE_ARG(name->keyspace), SLICE_ARG(name->name))
                                           : ctx_string(p->ctx, name->name);
    return text ? text : "?";
}

void build_check_columns(struct parser *p, const struct table_items *items)
{
    uint32_t count = items->primary_keys > 1 ? items->columns_before : items->column_count;
    const struct ast_column_def *c = items->columns.first;
    struct name_set names;

    if (p->status != WR_OK || !name_set_init(p, &names, count))
        return;
    for (uint32_t i = 0; i < count && p->status == WR_OK; i++, c = c->next) {
        if (name_set_add(&names, c->name))
            continue;
        p->status = fail(p->ctx, WR_INVALID, "Duplicate column '%.*s' declaration for table '%s'", SLICE_ARG(c->name),
                         table_text(p, items->name));
        p->ctx->error_offset = c->offset;
    }
    if (p->status == WR_OK && items->primary_keys > 1) {
        p->status = fail(p->ctx, WR_INVALID, "Multiple PRIMARY KEY specified for table '%s' (exactly one required)",
                         table_text(p, items->name));
        p->ctx->error_offset = SIZE_MAX;
    }
}

void build_check_order(struct parser *p, const struct ast_clustering_order *order, const char *what, const struct ast_name *name)
{
    struct name_set names;
    size_t count = 0;

    if (p->columns_end)
        return;
    for (const struct ast_clustering_order *o = order; o && p->status == WR_OK; o = o->next)
        count++;
    if (count < 2 || !name_set_init(p, &names, count))
        return;
    for (const struct ast_clustering_order *o = order; o && p->status == WR_OK; o = o->next)
        if (!name_set_add(&names, o->column))
            p->status = fail(p->ctx, WR_INVALID, "Duplicate column '%.*s' in CLUSTERING ORDER BY clause for %s '%s'",
                             SLICE_ARG(o->column), what, table_text(p, name));
}

struct ast_index_column *build_index_column(struct parser *p, enum ast_index_target target, struct token column)
{
    struct ast_index_column *built = BUILD(p, ast_index_column);
    built->name = build_text(p, column);
    built->target = target;
    return built;
}

struct ast_statement *build_statement(struct parser *p, enum ast_kind kind)
{
    struct ast_statement *statement = BUILD(p, ast_statement);
    statement->kind = kind;
    statement->text = p->text;
    return statement;
}

struct ast_statement *build_drop(struct parser *p, enum ast_kind kind, struct ast_name *name, bool if_exists)
{
    struct ast_name named = *name; /* without memory both lie in the parser's one spare place */
    struct ast_statement *statement = build_statement(p, kind);
    statement->drop.name = named;
    statement->drop.if_exists = if_exists;
    return statement;
}

struct ast_statement *build_describe(struct parser *p, enum ast_describe_kind kind, const struct ast_name *name)
{
    struct ast_name named = { 0 };
    if (name)
        named = *name;
    struct ast_statement *statement = build_statement(p, AST_DESCRIBE);
    statement->describe.kind = kind;
    statement->describe.name = named;
    return statement;
}
