/* One relation of WHERE to a restriction: Cassandra's SingleColumnRelation, MultiColumnRelation and TokenRelation. */

#include <assert.h>

#include "model/parse.h"
#include "model/restrict_node.h"

static const char *const operator_text[] = {
    [OP_EQ] = "=",   [OP_NEQ] = "!=", [OP_LT] = "<",          [OP_LTE] = "<=",
    [OP_GT] = ">",   [OP_GTE] = ">=", [OP_IN] = "IN",         [OP_CONTAINS] = "CONTAINS",
    [OP_CONTAINS_KEY] = "CONTAINS KEY", [OP_LIKE] = "LIKE", [OP_IS_NOT_NULL] = "IS NOT NULL", [OP_ANN] = "ANN OF",
};

/* ---- text for messages ---- */

static const char *relation_text(struct ctx *ctx, const struct ast_relation *relation)
{
    struct buf text;
    buf_init(&text, ctx->arena);
    cql_put_relation(&text, relation);
    return buf_string(ctx, &text);
}

const char *restriction_names(struct ctx *ctx, const struct column *const *columns, uint32_t count, const char *between)
{
    struct buf text;
    buf_init(&text, ctx->arena);
    for (uint32_t i = 0; i < count; i++) {
        buf_put_str(&text, i ? between : "");
        buf_put_slice(&text, columns[i]->name);
    }
    return buf_string(ctx, &text);
}

enum wr_status bind_column(struct bind *bind, struct slice name, const struct column **out)
{
    return table_require_column(bind->ctx, bind->table, name, out);
}

/* ---- the left side ---- */

static enum wr_status new_restriction(struct bind *bind, enum restriction_kind kind, const struct column *const *columns,
                                      uint32_t count, struct restriction **out)
{
    struct restriction *r = NEW(bind->ctx, struct restriction);
    if (!r)
        return WR_NOMEM;
    r->kind = kind;
    r->columns = columns;
    r->column_count = count;
    bind->calling = (struct call_place){ CALLED_WHERE, 2 * columns[0]->ordinal };
    *out = r;
    return WR_OK;
}

static uint32_t names_count(const struct ast_names *names)
{
    uint32_t n = 0;
    for (; names; names = names->next)
        n++;
    return n;
}

/* SingleColumnRelation.toReceivers. */
static enum wr_status check_operator(struct bind *bind, const struct ast_relation *relation, const struct column *c)
{
    const struct type *type = c->type;
    /* of a descending order its type is a ReversedType there, and no collection's */
    bool collection = type_is_collection(type) && !c->descending;
    bool contains = relation->op == OP_CONTAINS || relation->op == OP_CONTAINS_KEY;
    struct ctx *ctx = bind->ctx;

    if (relation->op == OP_CONTAINS_KEY && (type->kind != TYPE_MAP || !collection))
        return fail(ctx, WR_INVALID, "Cannot use CONTAINS KEY on non-map column %.*s",
                    SLICE_ARG(c->name));
    if (relation->op == OP_CONTAINS && !collection)
        return fail(ctx, WR_INVALID, "Cannot use CONTAINS on non-collection column %.*s", SLICE_ARG(c->name));
    if (relation->subject == SUBJECT_ELEMENT) {
        if (type->kind == TYPE_LIST && collection)
            return fail(ctx, WR_INVALID, "Indexes on list entries (%.*s[index] = value) are not currently supported.",
                        SLICE_ARG(c->name));
        if (type->kind != TYPE_MAP || !collection)
            return fail(ctx, WR_INVALID, "Column %.*s cannot be used as a map", SLICE_ARG(c->name));
        if (!type->multicell)
            return fail(ctx, WR_INVALID, "Map-entry equality predicates on frozen map column %.*s are not supported",
                        SLICE_ARG(c->name));
        if (relation->op != OP_EQ)
            return fail(ctx, WR_INVALID, "Only EQ relations are supported on map entries");
    }
    if (type->kind == TYPE_UDT && type->multicell)
        return fail(ctx, WR_INVALID, "Non-frozen UDT column '%.*s' (%s) cannot be restricted by any relation",
                    SLICE_ARG(c->name), type_name(ctx, type));
    if (type_is_collection(type) && type->multicell && !contains && relation->subject != SUBJECT_ELEMENT)
        return fail(ctx, WR_INVALID, "Collection column '%.*s' (%s) cannot be restricted by a '%s' relation",
                    SLICE_ARG(c->name), type_name(ctx, type), operator_text[relation->op]);
    return WR_OK;
}

/* MultiColumnRelation.receivers. */
static enum wr_status tuple_columns(struct bind *bind, const struct ast_relation *relation, const struct column ***out,
                                    uint32_t *count)
{
    struct ctx *ctx = bind->ctx;
    const struct column **columns = NEW_ARRAY(ctx, const struct column *, names_count(relation->columns));
    uint32_t n = 0;
    if (!columns)
        return WR_NOMEM;
    for (const struct ast_names *name = relation->columns; name; name = name->next) {
        const struct column *c;
        TRY(bind_column(bind, name->name, &c));
        if (c->kind != COLUMN_CLUSTERING)
            return fail(ctx, WR_INVALID, "Multi-column relations can only be applied to clustering columns but was applied to: %.*s",
                        SLICE_ARG(c->name));
        for (uint32_t i = 0; i < n; i++)
            if (columns[i] == c)
                return fail(ctx, WR_INVALID, "Column \"%.*s\" appeared twice in a relation: %s", SLICE_ARG(c->name),
                            relation_text(ctx, relation));
        if (n && c->position != columns[n - 1]->position + 1)
            return fail(ctx, WR_INVALID,
                        "Clustering columns must appear in the PRIMARY KEY order in multi-column relations: %s",
                        relation_text(ctx, relation));
        columns[n++] = c;
    }
    *out = columns;
    *count = n;
    return WR_OK;
}

/* TokenRelation.toReceivers: in Cassandra's order of checking. */
static enum wr_status token_columns(struct bind *bind, const struct ast_relation *relation, const struct column ***out,
                                    uint32_t *count)
{
    const struct table *table = bind->table;
    struct ctx *ctx = bind->ctx;
    uint32_t n = names_count(relation->columns), i = 0, met = 0;
    const struct column **columns = NEW_ARRAY(ctx, const struct column *, n);
    bool *seen = NEW_ARRAY(ctx, bool, table->key_count);
    bool in_order = n == table->key_count, others = false, twice = false;

    if (!columns || !seen)
        return WR_NOMEM;
    for (const struct ast_names *name = relation->columns; name; name = name->next, i++) {
        TRY(bind_column(bind, name->name, &columns[i]));
        const struct column *c = columns[i];
        in_order = in_order && c->kind == COLUMN_PARTITION_KEY && c->position == i;
        for (uint32_t j = 0; j < i; j++)
            twice |= columns[j] == c;
        if (c->kind != COLUMN_PARTITION_KEY) {
            others = true;
        } else if (!seen[c->position]) {
            seen[c->position] = true;
            met++;
        }
    }
    if (in_order) {
        *out = columns;
        *count = n;
        return WR_OK;
    }
    if (met < table->key_count)
        return fail(ctx, WR_INVALID, "The token() function must be applied to all partition key components or none of them");
    if (twice)
        return fail(ctx, WR_INVALID, "The token() function contains duplicate partition key components");
    if (others)
        return fail(ctx, WR_INVALID, "The token() function must contains only partition key components");
    for (i = 0; i < table->key_count; i++)
        columns[i] = table_key(table, i);
    return fail(ctx, WR_INVALID, "The token function arguments must be in the partition key order: %s",
                restriction_names(ctx, columns, table->key_count, ", "));
}

/* ---- the right side ---- */

static enum wr_status receiver_name(struct bind *bind, const char *prefix, const struct restriction *r, struct slice *out)
{
    struct buf name;
    buf_init(&name, bind->ctx->arena);
    buf_put_str(&name, prefix);
    buf_put_u8(&name, '(');
    for (uint32_t i = 0; i < r->column_count; i++) {
        if (i)
            buf_put_u8(&name, ',');
        buf_put_slice(&name, r->columns[i]->name);
    }
    buf_put_u8(&name, ')');
    return buf_done(bind->ctx, &name, out);
}

static const struct type *tuple_type(struct bind *bind, const struct restriction *r)
{
    const struct type **types = NEW_ARRAY(bind->ctx, const struct type *, r->column_count);
    if (!types)
        return NULL;
    for (uint32_t i = 0; i < r->column_count; i++)
        types[i] = r->columns[i]->type;
    return type_make(bind->ctx, TYPE_TUPLE, types, r->column_count, false, 0);
}

static enum wr_status bind_tuple_side(struct bind *bind, const struct restriction *r, const struct ast_expr *ast,
                                      struct right_side *out)
{
    const struct ast_expr *arg = ast->args;
    if (ast->kind == EXPR_MARKER) {
        const struct type *type = tuple_type(bind, r);
        struct slice name;
        if (!type)
            return WR_NOMEM;
        TRY(receiver_name(bind, "", r, &name));
        return expr_bind_term(bind, ast, type, name, &out->whole);
    }
    if (ast->kind != EXPR_TUPLE || ast->arg_count != r->column_count) {
        struct buf text;
        buf_init(&text, bind->ctx->arena);
        cql_put_expr(&text, ast);
        return fail(bind->ctx, WR_INVALID, "Expected %u elements in value tuple, but got %u: %s", r->column_count,
                    ast->kind == EXPR_TUPLE ? ast->arg_count : 1, buf_string(bind->ctx, &text));
    }
    for (uint32_t i = 0; i < r->column_count; i++, arg = arg->next)
        TRY(expr_bind_key(bind, arg, r->columns[i], &out->parts[i]));
    return WR_OK;
}

static enum wr_status bind_side(struct bind *bind, const struct restriction *r, const struct ast_expr *ast,
                                struct right_side *out)
{
    if (!(out->parts = NEW_ARRAY(bind->ctx, const struct expr *, r->column_count)))
        return WR_NOMEM;
    out->alone = !r->multi;
    if (r->multi)
        return bind_tuple_side(bind, r, ast, out);
    return expr_bind_key(bind, ast, r->columns[0], &out->parts[0]);
}

static enum wr_status bind_values(struct bind *bind, struct restriction *r, const struct ast_relation *relation)
{
    uint32_t n = 0;
    if (relation->in_marker) {
        const struct type *type = r->multi ? tuple_type(bind, r) : r->columns[0]->type;
        struct slice name;
        if (!type || !(type = type_make(bind->ctx, TYPE_LIST, &type, 1, false, 0)))
            return WR_NOMEM;
        TRY(receiver_name(bind, "in", r, &name));
        return expr_bind_term(bind, relation->value, type, name, &r->list);
    }
    for (const struct ast_expr *e = relation->value; e; e = relation->op == OP_IN ? e->next : NULL)
        n++;
    if (!(r->values = NEW_ARRAY(bind->ctx, struct right_side, n)))
        return WR_NOMEM;
    for (const struct ast_expr *e = relation->value; r->value_count < n; e = e->next)
        TRY(bind_side(bind, r, e, &r->values[r->value_count++]));
    if (n == 1 && r->kind == RESTRICTION_IN) /* of one value: an equality */
        r->kind = RESTRICTION_EQ;
    return WR_OK;
}

static enum wr_status bind_bound(struct bind *bind, struct restriction *r, const struct ast_relation *relation)
{
    bool start = relation->op == OP_GT || relation->op == OP_GTE;
    struct restriction_bound *bound = &r->bounds[start ? BOUND_START : BOUND_END];
    bind->calling.column += !start; /* SliceRestriction has the lower bound first */
    bound->column_count = r->column_count;
    bound->inclusive = relation->op == OP_GTE || relation->op == OP_LTE;
    return bind_side(bind, r, relation->value, &bound->value);
}

static enum wr_status bind_contains(struct bind *bind, struct restriction *r, const struct ast_relation *relation)
{
    const struct type *type = r->columns[0]->type;
    struct contains *c = NEW(bind->ctx, struct contains);
    struct slice name;
    if (!c)
        return WR_NOMEM;
    c->kind = relation->subject == SUBJECT_ELEMENT ? CONTAINS_ENTRY
            : relation->op == OP_CONTAINS_KEY      ? CONTAINS_KEY
                                                   : CONTAINS_VALUE;
    if (c->kind != CONTAINS_VALUE) {
        TRY(receiver_name(bind, "key", r, &name));
        TRY(expr_bind_term(bind, c->kind == CONTAINS_ENTRY ? relation->element : relation->value, type->args[0], name, &c->key));
    }
    if (c->kind != CONTAINS_KEY) {
        TRY(receiver_name(bind, "value", r, &name));
        TRY(expr_bind_term(bind, relation->value, type_contained(type), name, &c->value));
    }
    r->contains = r->last_contains = c;
    return WR_OK;
}

/* ---- the three kinds of relations ---- */

static enum wr_status check_slice(struct bind *bind, const struct column *c)
{
    static const struct { enum type_kind kind; const char *noun; } places[] = {
        { TYPE_LIST, "collections" }, { TYPE_SET, "collections" }, { TYPE_MAP, "collections" },
        { TYPE_TUPLE, "tuples" },     { TYPE_UDT, "UDTs" },
    };
    if (!type_has_duration(c->type))
        return WR_OK;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].kind == c->type->kind)
            return fail(bind->ctx, WR_INVALID, "Slice restrictions are not supported on %s containing durations", places[i].noun);
    return fail(bind->ctx, WR_INVALID, "Slice restrictions are not supported on duration columns");
}

static bool op_is_slice(enum ast_operator op)
{
    return op == OP_LT || op == OP_LTE || op == OP_GT || op == OP_GTE;
}

static enum wr_status bind_single(struct bind *bind, const struct ast_relation *relation, struct restriction **out)
{
    const struct column **column = NEW(bind->ctx, const struct column *);
    enum restriction_kind kind = op_is_slice(relation->op) ? RESTRICTION_SLICE
                               : relation->op == OP_IN     ? RESTRICTION_IN
                               : relation->op == OP_LIKE   ? RESTRICTION_LIKE
                                                           : RESTRICTION_EQ;
    if (!column)
        return WR_NOMEM;
    TRY(bind_column(bind, relation->columns->name, column));
    if (kind == RESTRICTION_SLICE)
        TRY(check_slice(bind, *column));
    TRY(check_operator(bind, relation, *column));
    if (relation->op == OP_CONTAINS || relation->op == OP_CONTAINS_KEY || relation->subject == SUBJECT_ELEMENT)
        kind = RESTRICTION_CONTAINS;
    TRY(new_restriction(bind, kind, column, 1, out));
    switch (kind) {
    case RESTRICTION_SLICE: return bind_bound(bind, *out, relation);
    case RESTRICTION_CONTAINS: return bind_contains(bind, *out, relation);
    default: return bind_values(bind, *out, relation);
    }
}

static enum wr_status bind_multi(struct bind *bind, const struct ast_relation *relation, struct restriction **out)
{
    enum restriction_kind kind = op_is_slice(relation->op) ? RESTRICTION_SLICE
                               : relation->op == OP_IN     ? RESTRICTION_IN
                                                           : RESTRICTION_EQ;
    const struct column **columns = NULL;
    uint32_t count = 0;
    assert(kind != RESTRICTION_EQ || relation->op == OP_EQ); /* the grammar has no others for several columns */
    TRY(tuple_columns(bind, relation, &columns, &count));
    TRY(new_restriction(bind, kind, columns, count, out));
    (*out)->multi = true;
    return kind == RESTRICTION_SLICE ? bind_bound(bind, *out, relation) : bind_values(bind, *out, relation);
}

static enum wr_status bind_token(struct bind *bind, const struct ast_relation *relation, struct restriction **out)
{
    static const struct slice name = SLICE_LIT("partition key token");
    const struct column **columns = NULL;
    const struct expr **parts;
    struct restriction *r;
    uint32_t count = 0;

    assert(relation->op == OP_EQ || op_is_slice(relation->op)); /* nor for tokens */
    TRY(token_columns(bind, relation, &columns, &count));
    TRY(new_restriction(bind, relation->op == OP_EQ ? RESTRICTION_EQ : RESTRICTION_SLICE, columns, count, &r));
    if (!(parts = NEW_ARRAY(bind->ctx, const struct expr *, 1)))
        return WR_NOMEM;
    TRY(table_token_type(bind->ctx, bind->table, &r->token_type));
    TRY(expr_bind_term(bind, relation->value, r->token_type, name, parts));
    for (int b = BOUND_START; b <= BOUND_END; b++) { /* = is a range of one token */
        bool start = relation->op == OP_GT || relation->op == OP_GTE;
        if (relation->op == OP_EQ || start == (b == BOUND_START))
            r->bounds[b] = (struct restriction_bound){
                .value.parts = parts, .column_count = count, .inclusive = relation->op != OP_GT && relation->op != OP_LT,
            };
    }
    *out = r;
    return WR_OK;
}

enum wr_status relation_bind(struct bind *bind, const struct ast_relation *relation, enum restrict_for use,
                             struct restriction **out)
{
    if (relation->op == OP_IS_NOT_NULL)
        return fail(bind->ctx, WR_INVALID, "Unsupported restriction: %s", relation_text(bind->ctx, relation));
    if (relation->op == OP_NEQ)
        return fail(bind->ctx, WR_INVALID, "Unsupported \"!=\" relation: %s", relation_text(bind->ctx, relation));
    assert(relation->subject != SUBJECT_FIELD); /* IF conditions alone may name a field */
    if (relation->subject == SUBJECT_TOKEN)
        return bind_token(bind, relation, out);
    if (relation->subject == SUBJECT_COLUMNS)
        return bind_multi(bind, relation, out);
    TRY(bind_single(bind, relation, out));
    if (relation->op == OP_LIKE && (use != RESTRICT_SELECT || !index_for(bind->table, *out)))
        return fail(bind->ctx, WR_INVALID, "LIKE restriction is only supported on properly indexed columns. %s is not valid.",
                    relation_text(bind->ctx, relation));
    return WR_OK;
}
