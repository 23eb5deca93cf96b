/*
 * expr_literal.c - literals in brackets, as terms and in select lists: [list or vector], {set}, {map or UDT}, (tuple).
 *
 * Terms are checked as a whole before any of their parts is bound, and markers are taken in tuples, UDTs and vectors
 * alone; select lists follow the type that is expected or, where there is none, that of their parts.
 */
#include "model/expr_node.h"

/* Every step-th part of a literal from one on, all of one type. */
struct parts {
    const char *literal; /* list, set, ... */
    const char *part;    /* value, key */
    uint32_t from, step;
    const struct type *type;
    bool unread; /* nobody looks at them: a selected list's */
};

static enum wr_status check_parts(struct bind *bind, struct node *node, struct receiver receiver, struct parts p)
{
    struct ctx *ctx = bind->ctx;

    for (uint32_t i = p.from; i < node->arg_count && !node->selecting; i += p.step) {
        enum assignment test;
        TRY(node_test(bind, node->args[i], p.type, &test));
        if (test == ASSIGN_NO)
            return fail(ctx, WR_INVALID, "Invalid %s literal for %.*s: %s %s is not of type %s", p.literal,
                        SLICE_ARG(receiver.name), p.part, node_text(ctx, node->args[i]), type_name(ctx, p.type));
    }
    return WR_OK;
}

static enum wr_status fail_literal(struct bind *bind, struct receiver receiver, const char *kind)
{
    return fail(bind->ctx, WR_INVALID, "Invalid %s literal for %.*s of type %s", kind, SLICE_ARG(receiver.name),
                type_name(bind->ctx, receiver.type));
}

/* In a select list the first part whose type is known tells the type of all. Cassandra then takes others as they are, and their bytes for
 * values of that type. A list's and a tuple's are so here, for none of them is looked at on its way out; a set's, which are compared, and
 * those of SELECT JSON are where they are such values. Where not, a run is refused, in the words there are for terms. */
static enum wr_status take_selected(struct bind *bind, struct node *node, const char *kind, uint32_t i,
                                    const struct type *type, const struct expr **part)
{
    struct type from = *(*part)->type;
    struct expr *expr;

    from.multicell = false;
    if (!node->selecting || type_test(&from, type) != ASSIGN_NO)
        return WR_OK;
    TRY(expr_new(bind, EVAL_TAKEN, type, node->args[i], 1, &expr));
    expr->args[0] = *part;
    expr->refusal = ctx_format(bind->ctx, "Invalid %s literal for %s: value %s is not of type %s", kind, node_text(bind->ctx, node),
                               node_text(bind->ctx, node->args[i]), type_name(bind->ctx, type));
    return expr->refusal ? expr_finish(bind, expr, part) : WR_NOMEM;
}

/* What a constant beside columns is refused for: the type of the first of them, which the literal has frozen. */
static enum wr_status constant_type(struct bind *bind, struct node *node, struct parts p, const struct type **out)
{
    for (uint32_t i = p.from; i < node->arg_count; i += p.step) {
        const struct type *type;
        TRY(node_exact_type(bind, node->args[i], &type));
        if (type && type_eq_value(type, p.type)) {
            *out = type;
            break;
        }
    }
    return WR_OK;
}

static enum wr_status part_receiver(struct bind *bind, const struct node *node, struct receiver receiver, struct parts p, struct receiver *out)
{
    *out = (struct receiver){ .type = p.type };
    if (node->selecting)
        return WR_OK;
    const char *name = ctx_format(bind->ctx, "%s(%.*s)", p.part, SLICE_ARG(receiver.name));
    if (!name)
        return WR_NOMEM;
    out->name = slice_str(name);
    return WR_OK;
}

static enum wr_status bind_part(struct bind *bind, struct node *node, struct receiver part, struct parts p, uint32_t i, struct expr *expr)
{
    if (node->selecting && node->args[i]->ast->kind == EXPR_CONSTANT)
        TRY(constant_type(bind, node, p, &part.type));
    TRY(node_bind(bind, node->args[i], part, &expr->args[i]));
    return !p.unread || bind->reads_lists ? take_selected(bind, node, p.literal, i, p.type, &expr->args[i]) : WR_OK;
}

static enum wr_status refuse_marker(struct bind *bind, const struct node *node, struct receiver receiver, struct parts p, const struct expr *part)
{
    if (!part->has_marker || node->selecting || !type_is_collection(receiver.type))
        return WR_OK;
    return fail(bind->ctx, WR_INVALID, "Invalid %s literal for %.*s: bind variables are not supported inside collection literals", p.literal,
                SLICE_ARG(receiver.name));
}

/* A literal whose parts are all of one type. */
static enum wr_status bind_whole(struct bind *bind, struct node *node, struct receiver receiver, struct parts p,
                                 const struct expr **out)
{
    struct receiver part;
    struct expr *expr;

    TRY(check_parts(bind, node, receiver, p));
    TRY(expr_new(bind, EVAL_PACK, receiver.type, node, node->arg_count, &expr));
    TRY(part_receiver(bind, node, receiver, p, &part));
    for (uint32_t i = p.from; i < node->arg_count; i += p.step) {
        TRY(bind_part(bind, node, part, p, i, expr));
        TRY(refuse_marker(bind, node, receiver, p, expr->args[i]));
    }
    return expr_finish(bind, expr, out);
}

/* In a select list: the type of the parts, else what is expected. */
static enum wr_status settle_type(struct bind *bind, struct node *node, struct receiver *receiver)
{
    const struct type *type;

    if (!node->selecting)
        return WR_OK;
    TRY(node_exact_type(bind, node, &type));
    if (type)
        receiver->type = type;
    return receiver->type ? WR_OK : fail_no_type(bind, node);
}

/* ---- [a, b] ---- */

static enum wr_status bind_vector(struct bind *bind, struct node *node, struct receiver receiver,
                                  const struct expr **out)
{
    const struct type *type = receiver.type;
    struct ctx *ctx = bind->ctx;

    if (node->arg_count != type->dimension) {
        if (node->selecting)
            return fail(ctx, WR_INVALID, "Unable to create a vector selector of type %s from %u elements",
                        type_name(ctx, type), node->arg_count);
        return fail(ctx, WR_INVALID, "Invalid vector literal for %.*s of type %s; expected %u elements, but given %u",
                    SLICE_ARG(receiver.name), type_name(ctx, type), type->dimension, node->arg_count);
    }
    return bind_whole(bind, node, receiver, (struct parts){ "vector", "value", 0, 1, type->args[0], false }, out);
}

enum wr_status bind_list(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    if (receiver.type && receiver.type->kind == TYPE_VECTOR)
        return bind_vector(bind, node, receiver, out);
    if (receiver.type && receiver.type->kind != TYPE_LIST) {
        enum assignment test;
        return node_test(bind, node, receiver.type, &test); /* refuses it */
    }
    TRY(settle_type(bind, node, &receiver));
    return bind_whole(bind, node, receiver, (struct parts){ "list", "value", 0, 1, receiver.type->args[0], true }, out);
}

/* ---- {a, b} ---- */

enum wr_status bind_braces(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    TRY(settle_type(bind, node, &receiver));
    if (node->selecting && receiver.type->kind == TYPE_MAP) /* Selectable.WithSet: a set where a map is expected is the empty map */
        node->arg_count = 0;
    bool empty_map = receiver.type->kind == TYPE_MAP && !node->arg_count; /* {} is written for both */
    if (receiver.type->kind != TYPE_SET && !empty_map)
        return fail_literal(bind, receiver, "set");
    if (node->selecting && !empty_map && receiver.type->args[0]->kind == TYPE_DURATION)
        return fail(bind->ctx, WR_INVALID, "Durations are not allowed inside sets: %s",
                    type_name(bind->ctx, receiver.type));
    return bind_whole(bind, node, receiver, (struct parts){ "set", "value", 0, 1, receiver.type->args[0], false }, out);
}

/* ---- {k: v}, {field: v} ---- */

static enum wr_status fail_field(struct bind *bind, const struct node *key, const struct type *udt)
{
    if (key->ast->kind != EXPR_COLUMN)
        return fail(bind->ctx, WR_INVALID, "%s is not a valid field identifier of type %.*s ",
                    node_text(bind->ctx, key), SLICE_ARG(udt->name));
    return fail(bind->ctx, WR_INVALID, "Unknown field '%.*s' in value of user defined type %.*s",
                SLICE_ARG(key->ast->text), SLICE_ARG(udt->name));
}

struct node *node_field_value(const struct node *node, struct slice name)
{
    for (uint32_t i = node->arg_count; i >= 2; i -= 2)
        if (node->args[i - 2]->ast->kind == EXPR_COLUMN && slice_eq(node->args[i - 2]->ast->text, name))
            return node->args[i - 1];
    return NULL;
}

static enum wr_status check_fields(struct bind *bind, struct node *node, struct receiver receiver)
{
    const struct type *udt = receiver.type;
    struct ctx *ctx = bind->ctx;

    for (uint32_t i = 0; i < udt->arg_count; i++) {
        struct node *value = node_field_value(node, udt->field_names[i]);
        enum assignment test;
        if (!value)
            continue;
        TRY(node_test(bind, value, udt->args[i], &test));
        if (test == ASSIGN_NO)
            return fail(ctx, WR_INVALID, "Invalid user type literal for %.*s: field %.*s is not of type %s",
                        SLICE_ARG(receiver.name), SLICE_ARG(udt->field_names[i]), type_name(ctx, udt->args[i]));
    }
    return WR_OK;
}

enum wr_status node_refuse_unknown(struct bind *bind, const struct node *node, const struct type *udt)
{
    for (uint32_t i = 0; i < node->arg_count; i += 2) {
        uint32_t field;
        if (node->args[i]->ast->kind != EXPR_COLUMN || !type_field(udt, node->args[i]->ast->text, &field))
            return fail_field(bind, node->args[i], udt);
    }
    return WR_OK;
}

/* Of several values of a field the last, where the first is: so the column is named. */
static void merge_fields(struct node *node)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < node->arg_count; i += 2) {
        uint32_t at = 0;
        while (at < n && !slice_eq(node->args[at]->ast->text, node->args[i]->ast->text))
            at += 2;
        node->args[at] = node->args[i];
        node->args[at + 1] = node->args[i + 1];
        n = at == n ? n + 2 : n;
    }
    node->arg_count = n;
}

/* Selectable.WithMapOrUdt: each value as it is written, though another of the same field may follow. */
static enum wr_status bind_selected_udt(struct bind *bind, struct node *node, const struct type *udt, const struct expr **out)
{
    struct expr *expr;

    TRY(expr_new(bind, EVAL_PACK, udt, node, udt->arg_count, &expr));
    for (uint32_t i = 0; i < node->arg_count; i += 2) {
        uint32_t field;
        if (node->args[i]->ast->kind != EXPR_COLUMN || !type_field(udt, node->args[i]->ast->text, &field))
            return fail_field(bind, node->args[i], udt);
        TRY(node_bind(bind, node->args[i + 1], (struct receiver){ .type = udt->args[field] }, &expr->args[field]));
        TRY(take_selected(bind, node, "user type", i + 1, udt->args[field], &expr->args[field]));
    }
    merge_fields(node);
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_udt(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    const struct type *udt = receiver.type;
    struct expr *expr;

    if (node->selecting)
        return bind_selected_udt(bind, node, udt, out);
    TRY(check_fields(bind, node, receiver));
    TRY(expr_new(bind, EVAL_PACK, udt, node, udt->arg_count, &expr));
    for (uint32_t i = 0; i < udt->arg_count; i++) {
        struct node *value = node_field_value(node, udt->field_names[i]);
        if (!value)
            continue; /* null */
        const char *name = ctx_format(bind->ctx, "%.*s.%.*s", SLICE_ARG(receiver.name), SLICE_ARG(udt->field_names[i]));
        if (!name)
            return WR_NOMEM;
        TRY(node_bind(bind, value, (struct receiver){ slice_str(name), udt->args[i] }, &expr->args[i]));
    }
    TRY(node_refuse_unknown(bind, node, udt)); /* those that there are come first (UserTypes.Literal.prepare) */
    return expr_finish(bind, expr, out);
}

static enum wr_status bind_map(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    const struct type *type = receiver.type;
    struct receiver key, value;
    struct expr *expr;

    if (type->kind != TYPE_MAP)
        return fail_literal(bind, receiver, "map");
    if (node->selecting && type->args[0]->kind == TYPE_DURATION)
        return fail(bind->ctx, WR_INVALID, "Durations are not allowed as map keys: %s", type_name(bind->ctx, type));
    struct parts keys = { "map", "key", 0, 2, type->args[0], false }, values = { "map", "value", 1, 2, type->args[1], false };
    for (uint32_t i = 0; i + 1 < node->arg_count; i += 2) {
        struct node pair = *node; /* key and value of one pair before the next */
        pair.args = node->args + i;
        pair.arg_count = 2;
        TRY(check_parts(bind, &pair, receiver, keys));
        TRY(check_parts(bind, &pair, receiver, values));
    }
    TRY(expr_new(bind, EVAL_PACK, type, node, node->arg_count, &expr));
    TRY(part_receiver(bind, node, receiver, keys, &key));
    TRY(part_receiver(bind, node, receiver, values, &value));
    struct node pairs = *node;
    for (uint32_t i = 0; i + 1 < node->arg_count; i += 2) {
        keys.from = i;
        values.from = i + 1;
        pairs.arg_count = i + 2;
        TRY(bind_part(bind, &pairs, key, keys, i, expr));
        TRY(bind_part(bind, &pairs, value, values, i + 1, expr));
        TRY(refuse_marker(bind, node, receiver, keys, expr->args[i])); /* behind what is wrong in the value */
        TRY(refuse_marker(bind, node, receiver, values, expr->args[i + 1]));
    }
    return expr_finish(bind, expr, out);
}

enum wr_status bind_pairs(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    bool names = node->arg_count && node->args[0]->ast->kind == EXPR_COLUMN;

    if (!receiver.type)
        return fail_no_type(bind, node);
    if (!node->selecting && names && receiver.type->kind != TYPE_UDT)
        return fail_literal(bind, receiver, "user type");
    if (receiver.type->kind == TYPE_UDT && (node->selecting || names))
        return bind_udt(bind, node, receiver, out);
    return bind_map(bind, node, receiver, out);
}

/* ---- (a, b) ---- */

static enum wr_status check_tuple(struct bind *bind, struct node *node, struct receiver receiver)
{
    const struct type *type = receiver.type;
    struct ctx *ctx = bind->ctx;

    for (uint32_t i = 0; i < node->arg_count; i++) {
        enum assignment test;
        if (i >= type->arg_count)
            return fail(ctx, WR_INVALID,
                        "Invalid tuple literal for %.*s: too many elements. Type %s expects %u but got %u",
                        SLICE_ARG(receiver.name), type_name(ctx, type), type->arg_count, node->arg_count);
        if (node->selecting) /* the type was made of its parts, columns that are not frozen among them; take_selected */
            continue;
        TRY(node_test(bind, node->args[i], type->args[i], &test));
        if (test == ASSIGN_NO)
            return fail(ctx, WR_INVALID, "Invalid tuple literal for %.*s: component %u is not of type %s",
                        SLICE_ARG(receiver.name), i, type_name(ctx, type->args[i]));
    }
    return WR_OK;
}

enum wr_status bind_tuple(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out)
{
    struct expr *expr;

    TRY(settle_type(bind, node, &receiver));
    bool udt = receiver.type->kind == TYPE_UDT;
    if (receiver.type->kind != TYPE_TUPLE && !(udt && !(node->selecting && node->arg_count == 1))) {
        if (node->arg_count != 1)
            return fail(bind->ctx, WR_INVALID, "Invalid tuple type literal for %.*s of type %s",
                        SLICE_ARG(receiver.name), type_name(bind->ctx, receiver.type));
        /* parentheses */
        const struct expr *inner;
        TRY(node_bind(bind, node->args[0], receiver, &inner));
        if (!node->selecting) {
            *out = inner;
            return WR_OK;
        }
        if (!(expr = NEW(bind->ctx, struct expr)))
            return WR_NOMEM;
        *expr = *inner;
        expr->node = node; /* they belong to the name of the result's column */
        *out = expr;
        return WR_OK;
    }
    TRY(check_tuple(bind, node, receiver));
    TRY(expr_new(bind, EVAL_PACK, receiver.type, node, node->arg_count, &expr));
    for (uint32_t i = 0; i < node->arg_count; i++) {
        struct receiver part = { .type = receiver.type->args[i] };
        if (!node->selecting) {
            const char *name = ctx_format(bind->ctx, "%.*s[%u]", SLICE_ARG(receiver.name), i);
            if (!name)
                return WR_NOMEM;
            part.name = slice_str(name);
        }
        TRY(node_bind(bind, node->args[i], part, &expr->args[i]));
        if (bind->reads_lists)
            TRY(take_selected(bind, node, "tuple", i, part.type, &expr->args[i]));
    }
    return expr_finish(bind, expr, out);
}
