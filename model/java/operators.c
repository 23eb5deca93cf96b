/* Operators and assignments: of numbers promoted, of texts put together, of boxes unboxed. */
#include <stdio.h>

#include "model/java/body.h"

/* ---- operators ---- */

static void undefined(struct java_checker *c, struct java_node *node, const char *sign)
{
    if (node->b)
        java_error(c->errors, node, "The operator %s is undefined for the argument type(s) %s, %s", sign,
                   java_type_text(c, node->a->type), java_type_text(c, node->b->type));
    else
        java_error(c->errors, node, "The operator %s is undefined for the argument type(s) %s", sign,
                   java_type_text(c, node->a->type));
    node->type = java_wrong();
}

enum wr_status java_check_unary(struct java_checker *c, struct java_node *node)
{
    static const char *const signs[] = { [JO_NOT] = "!", [JO_COMPLEMENT] = "~", [JO_NEGATE] = "-", [JO_PLUS] = "+" };
    const struct java_type *type;

    TRY(java_check_expression(c, &node->a));
    if (node->operator == JO_NOT) {
        struct java_flow yes, no;
        java_branch(c, node->a, &yes, &no);
        java_split(c, &no, &yes);
    }
    node->type = java_wrong();
    if (java_is_wrong(node->a))
        return WR_OK;
    type = java_unboxed(node->a->type) ? java_unboxed(node->a->type) : node->a->type;
    bool fits = node->operator == JO_NOT          ? type->kind == J_BOOLEAN
                : node->operator == JO_COMPLEMENT ? java_is_integral(type)
                                                  : java_is_numeric_type(type);
    if (!fits) {
        undefined(c, node, signs[node->operator]);
        return WR_OK;
    }
    if (type->kind != J_BOOLEAN)
        type = java_promoted(type, type);
    TRY(java_convert(c, &node->a, type, false));
    node->type = type;
    return node->a->constant ? java_fold_node(c, node) : WR_OK;
}

static bool is_equality(enum java_operator op)
{
    return op == JO_EQUAL || op == JO_NOT_EQUAL;
}

static bool is_relation(enum java_operator op)
{
    return op >= JO_LESS && op <= JO_GREATER_EQUAL;
}

/* Of references neither of which is asked for its number. */
static enum wr_status check_identity(struct java_checker *c, struct java_node *node)
{
    const struct java_type *a = node->a->type, *b = node->b->type;
    node->type = java_simple(J_BOOLEAN);
    if (!java_may_be(a, b)) {
        java_error(c->errors, node, "Incompatible operand types %s and %s", java_type_text(c, a), java_type_text(c, b));
        node->type = java_wrong();
    }
    return WR_OK;
}

static enum wr_status check_shift(struct java_checker *c, struct java_node *node)
{
    TRY(java_unbox(c, &node->a));
    TRY(java_unbox(c, &node->b));
    TRY(java_convert(c, &node->a, java_promoted(node->a->type, node->a->type), false));
    TRY(java_convert(c, &node->b, java_simple(J_LONG), false));
    node->type = node->a->type;
    return WR_OK;
}

/* Both sides have their types; the node is the operator's, or an assignment's that has it. */
static enum wr_status check_operator(struct java_checker *c, struct java_node *node)
{
    const struct java_type *a = node->a->type, *b = node->b->type, *common;
    enum java_operator op = node->operator;
    char sign[8];
    bool text = a->kind == J_STRING || b->kind == J_STRING;

    snprintf(sign, sizeof sign, "%.*s", SLICE_ARG(node->name));
    if (op == JO_ADD && text && a->kind != J_VOID && b->kind != J_VOID) {
        node->op = JE_CONCAT;
        node->type = java_simple(J_STRING);
        return WR_OK;
    }
    if (is_equality(op) && java_is_reference(a) && java_is_reference(b))
        return check_identity(c, node);
    a = java_unboxed(a) ? java_unboxed(a) : a;
    b = java_unboxed(b) ? java_unboxed(b) : b;
    bool numbers = java_is_numeric_type(a) && java_is_numeric_type(b);
    bool integers = java_is_integral(a) && java_is_integral(b);
    bool booleans = a->kind == J_BOOLEAN && b->kind == J_BOOLEAN;
    bool fits = op == JO_BOTH || op == JO_EITHER                 ? booleans
                : op >= JO_AND && op <= JO_XOR                   ? booleans || integers
                : op >= JO_SHIFT_LEFT && op <= JO_SHIFT_UNSIGNED ? integers
                : is_equality(op)                                ? numbers || booleans
                                                                 : numbers;
    bool plain = (java_is_primitive(a) || a->kind == J_NULL) && (java_is_primitive(b) || b->kind == J_NULL);
    if (!fits && is_equality(op) && !plain) {
        java_error(c->errors, node, "Incompatible operand types %s and %s", java_type_text(c, node->a->type),
                   java_type_text(c, node->b->type));
        node->type = java_wrong();
        return WR_OK;
    }
    if (!fits) {
        undefined(c, node, sign);
        return WR_OK;
    }
    if (op >= JO_SHIFT_LEFT && op <= JO_SHIFT_UNSIGNED)
        return check_shift(c, node);
    common = booleans ? a : java_promoted(a, b);
    TRY(java_convert(c, &node->a, common, false));
    TRY(java_convert(c, &node->b, common, false));
    node->type = is_equality(op) || is_relation(op) ? java_simple(J_BOOLEAN) : common;
    return WR_OK;
}

/* a && b, a || b: the right side is come to where the left one has not decided. */
static enum wr_status check_sides(struct java_checker *c, struct java_node *node)
{
    struct java_flow yes, no, right_yes, right_no;
    bool both = node->operator == JO_BOTH;

    TRY(java_check_expression(c, &node->a));
    java_branch(c, node->a, &yes, &no);
    c->flow = both ? yes : no;
    TRY(java_check_expression(c, &node->b));
    java_branch(c, node->b, &right_yes, &right_no);
    if (both) {
        yes = right_yes;
        java_flow_join(&no, &right_no);
    } else {
        no = right_no;
        java_flow_join(&yes, &right_yes);
    }
    java_split(c, &yes, &no);
    return WR_OK;
}

enum wr_status java_check_binary(struct java_checker *c, struct java_node *node)
{
    if (node->operator == JO_BOTH || node->operator == JO_EITHER) {
        TRY(check_sides(c, node));
    } else {
        TRY(java_check_expression(c, &node->a));
        TRY(java_check_expression(c, &node->b));
    }
    node->type = java_wrong();
    if (java_is_wrong(node->a) || java_is_wrong(node->b))
        return WR_OK;
    TRY(check_operator(c, node));
    return node->a->constant && node->b->constant && !java_is_wrong(node) ? java_fold_node(c, node) : WR_OK;
}

/* ---- assignments ---- */

/* A final local is assigned once, which no loop may do again. */
static void check_final(struct java_checker *c, const struct java_node *place, const struct java_local *l, bool read)
{
    if (l->given || read)
        java_flow_error(c->errors, place,
                        "The final local variable %.*s cannot be assigned. It must be blank and not using a "
                        "compound assignment",
                        SLICE_ARG(l->name));
    else if (java_set_has(&c->flow.touched, l->number) || c->loops > l->loops)
        java_flow_error(c->errors, place, "The final local variable %.*s may already have been assigned",
                        SLICE_ARG(l->name));
}

/* What is assigned to: a local or a place of an array; read: what it is then goes on from what it was. */
static enum wr_status check_place(struct java_checker *c, struct java_node **node, bool read)
{
    struct java_local *l;

    if ((*node)->op == JE_NAME && (l = java_find_local(c, (*node)->name))) {
        TRY(java_use_local(c, *node, l, read));
        if (l->several)
            java_flow_error(c->errors, *node, "The parameter %.*s of a multi-catch block cannot be assigned",
                            SLICE_ARG(l->name));
        else if (l->is_final)
            check_final(c, *node, l, read);
        return WR_OK;
    }
    TRY(java_check_expression(c, node));
    if (!java_is_wrong(*node) && (*node)->op != JE_INDEX) {
        java_error(c->errors, *node, "%s",
                   (*node)->op == JE_LENGTH ? "The final field array.length cannot be assigned"
                                            : "The left-hand side of an assignment must be a variable");
        (*node)->type = java_wrong();
    }
    return WR_OK;
}

static void mark_assigned(struct java_checker *c, const struct java_node *place)
{
    struct java_local *l = place->op == JE_LOCAL ? java_find_local(c, place->name) : NULL;
    if (!l)
        return;
    java_flow_assign(&c->flow, l->number);
    if (l->is_final)
        java_set_add(&c->ever, &c->flow.touched);
    l->unchecked = false;
}

/* place op= value: the place is assigned what the operator makes of it, cast to its type. node: has the operator, and
 * gets in c what stands for the place's value. */
static enum wr_status check_compound(struct java_checker *c, struct java_node *node, struct java_node *value, bool step)
{
    struct java_node *sum = NEW(c->ctx, struct java_node), *taken = NEW(c->ctx, struct java_node);
    const struct java_type *to = node->a->type, *type = java_unboxed(to) ? java_unboxed(to) : to;

    if (!sum || !taken)
        return WR_NOMEM;
    *taken = (struct java_node){ .op = JE_TAKEN, .type = to, .a = node->a, .line = node->line, .at = node->a->at };
    *sum = (struct java_node){ .op = JE_BINARY,
                               .operator = node->operator,
                               .name = node->name,
                               .line = node->line,
                               .at = node->at,
                               .a = taken,
                               .b = value,
                               .type = java_wrong() };
    TRY(check_operator(c, sum));
    node->type = to;
    node->operator = JO_NONE;
    node->b = sum;
    node->c = taken;
    if (java_is_wrong(sum))
        return WR_OK;
    if (java_unboxed(to) && !step && sum->type->kind != type->kind) { /* what a box holds is not narrowed */
        sum->a = taken;
        sum->b = value;
        char sign[8];
        snprintf(sign, sizeof sign, "%.*s", SLICE_ARG(node->name));
        undefined(c, sum, sign);
        return WR_OK;
    }
    if (java_is_primitive(type)
            ? !java_is_primitive(sum->type) || (type->kind == J_BOOLEAN) != (sum->type->kind == J_BOOLEAN)
            : !java_is_subtype(sum->type, type)) {
        java_mismatch(c, sum, to);
        return WR_OK;
    }
    if (java_is_primitive(type))
        TRY(java_convert(c, &node->b, type, false));
    return java_convert(c, &node->b, to, false);
}

enum wr_status java_check_assign(struct java_checker *c, struct java_node *node)
{
    TRY(check_place(c, &node->a, node->operator != JO_NONE));
    TRY(java_check_expression(c, &node->b));
    mark_assigned(c, node->a);
    node->type = node->a->type;
    if (java_is_wrong(node->a) || java_is_wrong(node->b))
        return WR_OK;
    return node->operator == JO_NONE ? java_assign_to(c, &node->b, node->type)
                                     : check_compound(c, node, node->b, false);
}

/* ++ and --: an assignment of one more; behind the place, what was there before is the value. */
enum wr_status java_check_step(struct java_checker *c, struct java_node *node)
{
    struct java_node *one = NEW(c->ctx, struct java_node);
    bool adds = node->operator == JO_ADD;

    if (!one)
        return WR_NOMEM;
    TRY(check_place(c, &node->a, true));
    mark_assigned(c, node->a);
    node->type = node->a->type;
    if (java_is_wrong(node))
        return WR_OK;
    if (!java_is_numeric_type(java_unboxed(node->type) ? java_unboxed(node->type) : node->type)) {
        java_mismatch(c, node, java_simple(J_INT));
        node->type = java_wrong();
        return WR_OK;
    }
    *one = (struct java_node){ .op = JE_DONE,
                               .type = java_simple(J_INT),
                               .value = { .i = 1 },
                               .constant = true,
                               .line = node->line,
                               .at = node->at };
    node->op = JE_ASSIGN;
    node->name = adds ? SLICE_LIT("++") : SLICE_LIT("--");
    return check_compound(c, node, one, true);
}
