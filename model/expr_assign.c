/*
 * expr_assign.c - which types a node has by itself, and which receivers it may be given to (AssignmentTestable).
 */
#include "model/expr_node.h"
#include "model/failure.h"

/* ---- types ---- */

static enum assignment assignment_of(const struct type *to, const struct type *from)
{
    return type_eq(to, from) ? ASSIGN_EXACT : type_reads(to, from) ? ASSIGN_WEAK : ASSIGN_NO;
}

enum assignment type_test(const struct type *from, const struct type *to)
{
    bool frozen = !from->multicell && !from->reversed; /* ReversedType is not freezable */
    struct type to_frozen;

    if (frozen ? type_eq_value(from, to) : type_eq(from, to))
        return ASSIGN_EXACT;
    if (frozen && to->multicell) {
        to_frozen = *to;
        to_frozen.multicell = false;
        to = &to_frozen;
    }
    return type_reads(to, from) ? ASSIGN_WEAK : ASSIGN_NO;
}

enum wr_status func_result_test(struct ctx *ctx, const struct func *func, const struct type *receiver,
                                enum assignment *out)
{
    const struct type *result = func->result;

    if (!receiver->multicell && result->multicell && !(result = type_freeze(ctx, result)))
        return WR_NOMEM;
    *out = assignment_of(receiver, result);
    return WR_OK;
}

/* ---- the type of a node ---- */

typedef enum wr_status type_of(struct bind *bind, struct node *node, const struct type **out);

/* Of a literal's part: a column that descends brings its order along. */
static enum wr_status part_type(struct bind *bind, struct node *part, type_of *of, const struct type **out)
{
    TRY(of(bind, part, out));
    if (*out && node_is_reversed(part) && !(*out = type_reversed(bind->ctx, *out)))
        return WR_NOMEM;
    return WR_OK;
}

static enum wr_status tuple_type(struct bind *bind, struct node *node, type_of *of, const struct type **out)
{
    const struct type **types = NEW_ARRAY(bind->ctx, const struct type *, node->arg_count);

    *out = NULL;
    if (!types)
        return WR_NOMEM;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        TRY(part_type(bind, node->args[i], of, &types[i]));
        if (!types[i])
            return WR_OK;
    }
    return (*out = type_make(bind->ctx, TYPE_TUPLE, types, node->arg_count, false, 0)) ? WR_OK : WR_NOMEM;
}

/* The first type known among every step-th argument. */
static enum wr_status first_type(struct bind *bind, struct node *node, uint32_t from, uint32_t step,
                                 const struct type **out)
{
    *out = NULL;
    for (uint32_t i = from; i < node->arg_count && !*out; i += step)
        TRY(part_type(bind, node->args[i], node_exact_type, out));
    return WR_OK;
}

/* A type among those of the arguments that all of them can be given to. Of a type and its reverse a server takes the one that its hash map of that day
 * has first; here it is the type. */
static enum wr_status common_type(struct bind *bind, struct node *node, uint32_t from, uint32_t step,
                                  const struct type **out)
{
    const struct type **types = NEW_ARRAY(bind->ctx, const struct type *, node->arg_count);
    uint32_t n = 0;

    *out = NULL;
    if (!types)
        return WR_NOMEM;
    for (uint32_t i = from; i < node->arg_count; i += step) {
        const struct type *type;
        uint32_t known = 0;
        TRY(part_type(bind, node->args[i], node_compatible_type, &type));
        if (!type)
            continue;
        while (known < n && !type_eq(types[known], type)) /* a set: long literals have few types */
            known++;
        if (known == n)
            types[n++] = type;
        else if (!type->reversed)
            types[known] = type;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t fits = 0;
        while (fits < n && type_test(types[fits], types[i]) != ASSIGN_NO)
            fits++;
        if (fits == n) {
            *out = types[i];
            return WR_OK;
        }
    }
    return WR_OK;
}

static enum wr_status collection_type(struct bind *bind, enum type_kind kind, const struct type *key,
                                      const struct type *value, const struct type **out)
{
    const struct type *args[2] = { key, value };

    *out = NULL;
    if (!value || (kind == TYPE_MAP && !key))
        return WR_OK;
    *out = type_make_selected(bind->ctx, kind, kind == TYPE_MAP ? args : args + 1);
    return *out ? WR_OK : WR_NOMEM;
}

static bool is_udt_literal(const struct node *node)
{
    return node->arg_count && node->args[0]->ast->kind == EXPR_COLUMN;
}

/* Literals in brackets. by_guess: compatible types count too. */
static enum wr_status literal_type(struct bind *bind, struct node *node, bool by_guess, const struct type **out)
{
    enum expr_kind kind = node->ast->kind;
    const struct type *key = NULL, *value = NULL;

    *out = NULL;
    if (kind == EXPR_TUPLE) {
        if (node->selecting && node->arg_count == 1)
            return WR_OK; /* a tuple of one, or parentheses: cannot be told */
        return tuple_type(bind, node, by_guess && node->selecting ? node_compatible_type : node_exact_type, out);
    }
    if (kind == EXPR_LIST) {
        if (!node->selecting)
            return WR_OK; /* a list or a vector */
        TRY((by_guess ? common_type : first_type)(bind, node, 0, 1, &value));
        return collection_type(bind, TYPE_LIST, NULL, value, out);
    }
    if (kind == EXPR_BRACES) {
        TRY((by_guess ? common_type : first_type)(bind, node, 0, 1, &value));
        return collection_type(bind, TYPE_SET, NULL, value, out);
    }
    if (node->selecting || is_udt_literal(node))
        return WR_OK; /* a map or a UDT */
    TRY((by_guess ? common_type : first_type)(bind, node, 0, 2, &key));
    if (!key)
        return WR_OK; /* and the values are not asked */
    TRY((by_guess ? common_type : first_type)(bind, node, 1, 2, &value));
    return collection_type(bind, TYPE_MAP, key, value, out);
}

static enum wr_status call_type(struct bind *bind, struct node *node, const struct type **out)
{
    const struct func *func = node->func;

    *out = NULL;
    if (!node->selecting) {
        enum wr_status st = node_resolve(bind, node, NULL, true, &func);
        if (st == WR_NOMEM)
            return st;
        if (st != WR_OK)
            return WR_OK;
    }
    *out = func ? func->result : NULL;
    return WR_OK;
}

/* writetime and ttl of what is kept in several cells are lists. */
static enum wr_status cells_type(struct bind *bind, struct node *node, const struct type **out)
{
    bool ttl = slice_eq_str(node->ast->text, "ttl"), max = slice_eq_str(node->ast->text, "maxwritetime");
    const struct type *type = type_native(ttl ? TYPE_INT : TYPE_BIGINT);
    const struct node *column = node;

    while (column->arg_count)
        column = column->args[0];
    if (column->column && column->column->type->multicell && !max)
        return collection_type(bind, TYPE_LIST, NULL, type, out);
    *out = type;
    return WR_OK;
}

enum wr_status node_exact_type(struct bind *bind, struct node *node, const struct type **out)
{
    const struct type *selected;
    uint32_t field;

    *out = NULL;
    switch (node->ast->kind) {
    case EXPR_COLUMN:
        *out = node->column ? node->column->type : NULL;
        return WR_OK;
    case EXPR_FUNCTION:
    case EXPR_BINARY:
    case EXPR_NEGATE:
        return call_type(bind, node, out);
    case EXPR_CAST:
        if (!node->selecting)
            return call_type(bind, node, out);
        *out = node->type;
        return WR_OK;
    case EXPR_HINT:
        return node_written_type(bind, node, out);
    case EXPR_CELL_FUNCTION:
        return cells_type(bind, node, out);
    case EXPR_LIST:
    case EXPR_BRACES:
    case EXPR_PAIRS:
    case EXPR_TUPLE:
        return literal_type(bind, node, false, out);
    case EXPR_ELEMENT:
    case EXPR_SLICE:
        TRY(node_exact_type(bind, node->args[0], &selected));
        if (selected && type_is_collection(selected) && !node_is_reversed(node->args[0]))
            *out = node->ast->kind == EXPR_SLICE       ? selected
                   : selected->kind == TYPE_LIST ? type_native(TYPE_TIMEUUID) /* ListType.nameComparator; the element itself is refused */
                                                 : type_contained(selected);
        return WR_OK;
    case EXPR_FIELD:
        TRY(node_exact_type(bind, node->args[0], &selected));
        if (selected && type_field(selected, node->ast->text, &field) && !node_is_reversed(node->args[0]))
            *out = selected->args[field];
        return WR_OK;
    case EXPR_CONSTANT:
    case EXPR_MARKER:
    case EXPR_NOTHING:
        return WR_OK;
    }
    return WR_OK;
}

/* Most constants are given to a column's type and nobody asks. */
static enum wr_status find_natural(struct bind *bind, struct node *node)
{
    if (!node->natural)
        TRY(literal_natural_type(bind->ctx, node->ast->literal, node->ast->text, &node->natural));
    return WR_OK;
}

enum wr_status node_compatible_type(struct bind *bind, struct node *node, const struct type **out)
{
    switch (node->ast->kind) {
    case EXPR_CONSTANT:
        TRY(find_natural(bind, node));
        *out = node->natural;
        return WR_OK;
    case EXPR_LIST:
    case EXPR_BRACES:
    case EXPR_PAIRS:
    case EXPR_TUPLE:
        return literal_type(bind, node, true, out);
    default:
        return node_exact_type(bind, node, out);
    }
}

/* ---- testing ---- */

static enum wr_status test_literal(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    *out = literal_assignable(node->ast->literal, receiver);
    if (!literal_may_be(node->ast->literal, receiver))
        return WR_OK;
    TRY(find_natural(bind, node));
    if (node->natural && node->natural->kind == receiver->kind)
        *out = ASSIGN_EXACT;
    return WR_OK;
}

/* Every step-th argument: the weakest of the results. Nothing at all is weak: an empty literal is of any type. */
static enum wr_status test_all(struct bind *bind, struct node *node, uint32_t from, uint32_t step,
                               const struct type *receiver, enum assignment *out)
{
    *out = node->arg_count ? ASSIGN_EXACT : ASSIGN_WEAK;
    for (uint32_t i = from; i < node->arg_count; i += step) {
        enum assignment one;
        TRY(node_test(bind, node->args[i], receiver, &one));
        if (one < *out)
            *out = one;
        if (one == ASSIGN_NO)
            return WR_OK;
    }
    return WR_OK;
}

static enum wr_status test_list(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    if (receiver->kind == TYPE_VECTOR && !node->selecting && node->arg_count != receiver->dimension) {
        *out = ASSIGN_NO;
        return WR_OK;
    }
    if (receiver->kind == TYPE_LIST || receiver->kind == TYPE_VECTOR)
        return test_all(bind, node, 0, 1, receiver->args[0], out);
    if (node->selecting)
        return fail(bind->ctx, WR_SERVER_ERROR, "java.lang.IllegalArgumentException: Unsupported target type: %s",
                    type_name(bind->ctx, receiver));
    return fail(bind->ctx, WR_INVALID, "Unexpected receiver type '%s'; only list and vector are expected",
                type_name(bind->ctx, receiver));
}

static enum wr_status test_braces(struct bind *bind, struct node *node, const struct type *receiver,
                                  enum assignment *out)
{
    if (receiver->kind == TYPE_SET)
        return test_all(bind, node, 0, 1, receiver->args[0], out);
    *out = receiver->kind == TYPE_MAP && !node->arg_count ? ASSIGN_WEAK : ASSIGN_NO;
    return WR_OK;
}

/* A field's or component's. What is refused within is none of the type: the literals of Cassandra's UserTypes and Tuples catch it. */
static enum wr_status test_part(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    enum wr_status st = node_test(bind, node, receiver, out);
    if (st != WR_INVALID)
        return st;
    *out = ASSIGN_NO;
    return WR_OK;
}

static enum wr_status test_udt(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    if (node->selecting) /* of a term it is said when it is bound */
        TRY(node_refuse_unknown(bind, node, receiver));
    for (uint32_t i = 0; i < receiver->arg_count; i++) {
        struct node *value = node_field_value(node, receiver->field_names[i]);
        if (!value)
            continue;
        TRY(test_part(bind, value, receiver->args[i], out));
        if (*out == ASSIGN_NO)
            return WR_OK;
    }
    *out = ASSIGN_WEAK;
    return WR_OK;
}

/* Keys that might have been fields' names are columns', whatever the receiver. */
static enum wr_status find_key_columns(struct bind *bind, struct node *node)
{
    for (uint32_t i = 0; i < node->arg_count; i += 2) {
        struct node *key = node->args[i];
        if (key->ast->kind == EXPR_COLUMN && !key->column)
            TRY(node_find_column(bind, key->ast->text, &key->column));
    }
    return WR_OK;
}

static enum wr_status test_pairs(struct bind *bind, struct node *node, const struct type *receiver,
                                 enum assignment *out)
{
    enum assignment keys, values;

    *out = ASSIGN_NO;
    if (receiver->kind == TYPE_UDT && (node->selecting || is_udt_literal(node)))
        return test_udt(bind, node, receiver, out);
    if (!node->selecting && is_udt_literal(node))
        return WR_OK;
    if (node->selecting)
        TRY(find_key_columns(bind, node));
    if (receiver->kind != TYPE_MAP) /* Maps.keySpecOf does not ask whether it is one */
        return type_is_class(receiver) ? WR_OK : fail_type_cast(bind->ctx, receiver, "MapType");
    TRY(test_all(bind, node, 0, 2, receiver->args[0], &keys));
    TRY(test_all(bind, node, 1, 2, receiver->args[1], &values));
    *out = keys < values ? keys : values;
    return WR_OK;
}

static enum wr_status test_tuple(struct bind *bind, struct node *node, const struct type *receiver,
                                 enum assignment *out)
{
    *out = ASSIGN_NO;
    if (!type_has_fields(receiver) || (node->selecting && node->arg_count == 1 && receiver->kind == TYPE_UDT))
        return node->arg_count == 1 ? node_test(bind, node->args[0], receiver, out) : WR_OK; /* parentheses */
    if (node->arg_count > receiver->arg_count)
        return WR_OK;
    for (uint32_t i = 0; i < node->arg_count; i++) {
        TRY(test_part(bind, node->args[i], receiver->args[i], out));
        if (*out == ASSIGN_NO)
            return WR_OK;
    }
    *out = ASSIGN_WEAK;
    return WR_OK;
}

/* A call in a term. One that cannot be resolved passes: it has a better message when it is bound. */
static enum wr_status test_call(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    const struct func *func;
    enum wr_status st = node_resolve(bind, node, receiver, true, &func);

    if (st == WR_NOMEM)
        return st;
    if (st != WR_OK || !func || (func->flags & FUNC_FACTORY))
        *out = ASSIGN_WEAK;
    else
        *out = assignment_of(receiver, func->result);
    return WR_OK;
}

/* AbstractType.testAssignment makes the receiver as frozen as the column's type is, but not where that is a ReversedType; and collections that are frozen and
 * that are not have nothing in common. */
static bool is_frozen_reversed(const struct node *node, const struct type *type, const struct type *receiver)
{
    return node_is_reversed(node) && type_is_collection(type) && receiver->multicell;
}

/* What has its type written in front of it is not looked into. Of a map the keys are columns, and each comes before its value. */
static enum wr_status fail_late_part(struct bind *bind, const struct node *node, const struct type *receiver)
{
    const struct column *column;

    if (node->ast->kind == EXPR_HINT)
        return WR_OK;
    if (node->stray && receiver->kind != TYPE_UDT)
        TRY(node_find_column(bind, node->stray->text, &column));
    return node_fail_late(bind, node);
}

enum wr_status node_test(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    const struct type *type;

    TRY(fail_late_part(bind, node, receiver));
    switch (node->ast->kind) {
    case EXPR_CONSTANT:
        return test_literal(bind, node, receiver, out);
    case EXPR_MARKER:
        *out = ASSIGN_WEAK;
        return WR_OK;
    case EXPR_LIST:
        return test_list(bind, node, receiver, out);
    case EXPR_BRACES:
        return test_braces(bind, node, receiver, out);
    case EXPR_PAIRS:
        return test_pairs(bind, node, receiver, out);
    case EXPR_TUPLE:
        return test_tuple(bind, node, receiver, out);
    case EXPR_HINT:
        TRY(node_written_type(bind, node, &type));
        *out = assignment_of(receiver, type);
        return WR_OK;
    case EXPR_FUNCTION:
    case EXPR_BINARY:
    case EXPR_NEGATE:
    case EXPR_CAST:
        if (!node->selecting)
            return test_call(bind, node, receiver, out);
        break;
    default:
        break;
    }
    TRY(node_exact_type(bind, node, &type));
    *out = !type || is_frozen_reversed(node, type, receiver) ? ASSIGN_NO : type_test(type, receiver);
    return WR_OK;
}

/* ---- a ReversedType ---- */

static enum wr_status fail_reversed_cast(struct bind *bind, const char *wanted)
{
    return fail_class_cast(bind->ctx, "db.marshal.ReversedType", wanted);
}

/* Selectable.WithArrayLiteral, WithSet, WithMapOrUdt and BetweenParenthesesOrWithTuple: none of them unwraps the type. */
static enum wr_status test_reversed_selecting(struct bind *bind, struct node *node, const struct type *receiver,
                                              enum assignment *out)
{
    switch (node->ast->kind) {
    case EXPR_LIST:
        return fail(bind->ctx, WR_SERVER_ERROR, "java.lang.IllegalArgumentException: Unsupported target type: %s",
                    type_name(bind->ctx, receiver));
    case EXPR_PAIRS:
        TRY(find_key_columns(bind, node));
        return fail_reversed_cast(bind, "db.marshal.MapType");
    case EXPR_TUPLE:
        if (node->arg_count == 1) /* parentheses */
            return node_test_reversed(bind, node->args[0], receiver, out);
        TRY(node_test(bind, node, receiver, out));
        return *out == ASSIGN_NO ? WR_OK : fail_reversed_cast(bind, "db.marshal.TupleType");
    default:
        return node_test(bind, node, receiver, out);
    }
}

/* Lists, Sets, Vectors and UserTypes ask for their own type, Maps and Tuples unwrap it. */
enum wr_status node_test_reversed(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out)
{
    enum expr_kind kind = node->ast->kind;

    *out = ASSIGN_NO;
    if (kind == EXPR_BRACES)
        return WR_OK;
    if (node->selecting)
        return test_reversed_selecting(bind, node, receiver, out);
    if ((kind == EXPR_LIST && (receiver->kind == TYPE_LIST || receiver->kind == TYPE_VECTOR)) ||
        (kind == EXPR_PAIRS && is_udt_literal(node)))
        return WR_OK;
    if (kind == EXPR_PAIRS && receiver->kind != TYPE_MAP)
        return fail_reversed_cast(bind, "db.marshal.MapType");
    return node_test(bind, node, receiver, out);
}
