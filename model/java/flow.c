/*
 * Statements: it is seen that each local has a value before it is read, that nothing stands behind a jump, and that
 * there is a result.
 */
#include "model/java/body.h"

struct java_target {
    struct java_target *outer;
    struct slice label;
    bool loop, breakable; /* a label alone is for its name only */
    bool broken;
    uint64_t assigned; /* wherever it is broken out of */
};

struct java_handler {
    struct java_handler *outer;
    const struct java_node *catches;
};

static enum wr_status check_statement(struct java_checker *c, struct java_node *node, bool *completes);

static enum wr_status check_list(struct java_checker *c, struct java_node *list, bool *completes)
{
    bool told = false;
    for (struct java_node *n = list; n; n = n->next) {
        if (!*completes && !told) {
            java_flow_error(c->errors, n, "Unreachable code");
            told = true;
        }
        bool this = true;
        TRY(check_statement(c, n, &this));
        *completes &= this;
    }
    return WR_OK;
}

static enum wr_status check_block(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_local *locals = c->locals;
    uint32_t slot = c->slot;
    TRY(check_list(c, node->a, completes));
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

static enum wr_status check_local(struct java_checker *c, struct java_node *node, bool *completes)
{
    const struct java_type *type = node->type;

    (void)completes;
    if (node->a) {
        if (node->a->op == JE_ARRAY && type && type->kind == J_ARRAY)
            TRY(java_check_array_literal(c, node->a, type));
        else
            TRY(java_check_expression(c, &node->a));
        if (!type)
            type = node->a->type->kind == J_NULL ? java_wrong() : node->a->type;
        TRY(java_assign_to(c, &node->a, type));
    } else if (!type) {
        java_error(c->errors, node, "Cannot use 'var' on variable without initializer");
        type = java_wrong();
    }
    return java_declare(c, node, type, node->a);
}

static enum wr_status check_expression_statement(struct java_checker *c, struct java_node *node, bool *completes)
{
    (void)completes;
    return java_check_expression(c, &node->a);
}

static bool is_true(const struct java_node *node)
{
    return node->constant && node->type->kind == J_BOOLEAN && node->value.i;
}

static enum wr_status check_if(struct java_checker *c, struct java_node *node, bool *completes)
{
    bool then = true, otherwise = true;

    TRY(java_check_boolean(c, &node->a));
    uint64_t before = c->assigned;
    TRY(check_statement(c, node->b, &then));
    uint64_t after = c->assigned;
    c->assigned = before;
    if (node->c)
        TRY(check_statement(c, node->c, &otherwise));
    c->assigned &= after;
    *completes = then || otherwise;
    return WR_OK;
}

/* Of a loop or a switch; the name is that of the label in front. */
static struct java_target open_target(struct java_checker *c, bool loop)
{
    struct java_target t = { .outer = c->targets, .loop = loop, .breakable = true, .assigned = UINT64_MAX };
    return t;
}

static void close_loop(struct java_checker *c, const struct java_target *t, bool endless, uint64_t after_condition,
                       bool *completes)
{
    c->targets = t->outer;
    *completes = t->broken || !endless;
    c->assigned = (endless ? UINT64_MAX : after_condition) & t->assigned;
}

/* What is never come to. */
static void check_never(struct java_checker *c, const struct java_node *condition, const struct java_node *body)
{
    if (condition && condition->constant && condition->type->kind == J_BOOLEAN && !condition->value.i)
        java_flow_error(c->errors, body, "Unreachable code");
}

static enum wr_status check_while(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t = open_target(c, true);
    bool body = true;

    TRY(java_check_boolean(c, &node->a));
    check_never(c, node->a, node->body);
    uint64_t after = c->assigned;
    c->targets = &t;
    TRY(check_statement(c, node->body, &body));
    close_loop(c, &t, is_true(node->a), after, completes);
    return WR_OK;
}

static enum wr_status check_do(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t = open_target(c, true);
    bool body = true;

    c->targets = &t;
    TRY(check_statement(c, node->body, &body));
    TRY(java_check_boolean(c, &node->a));
    close_loop(c, &t, is_true(node->a) || !body, c->assigned, completes);
    return WR_OK;
}

static enum wr_status check_for(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t = open_target(c, true);
    struct java_local *locals = c->locals;
    uint32_t slot = c->slot;
    bool body = true;

    TRY(check_list(c, node->a, &body));
    if (node->b)
        TRY(java_check_boolean(c, &node->b));
    check_never(c, node->b, node->body);
    uint64_t after = c->assigned;
    c->targets = &t;
    TRY(check_statement(c, node->body, &body));
    body = true;
    TRY(check_list(c, node->c, &body));
    close_loop(c, &t, !node->b || is_true(node->b), after, completes);
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

/* The element of what is walked is converted to the variable's type by a node that stands in c: its value is put into a
 * first. */
static enum wr_status check_each(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t = open_target(c, true);
    struct java_local *locals = c->locals;
    struct java_node *element = NEW(c->ctx, struct java_node);
    uint32_t slot = c->slot;
    bool body = true;

    if (!element)
        return WR_NOMEM;
    TRY(java_check_expression(c, &node->b));
    const struct java_type *of = node->b->type, *type = java_wrong();
    bool walks = java_is_reference(of) && of->kind != J_NULL && java_kind_extends(of->kind, J_ITERABLE);
    if (of->kind == J_ARRAY)
        type = of->args[0];
    else if (walks)
        type = of->args[0] ? of->args[0] : java_simple(J_OBJECT);
    else if (of->kind != J_ERROR)
        java_error(c->errors, node->b, "Can only iterate over an array or an instance of java.lang.Iterable");
    *element = (struct java_node){ .op = JE_LOCAL,
                                   .type = walks ? java_simple(J_OBJECT) : type,
                                   .line = node->line,
                                   .at = node->at,
                                   .slot = c->slot++ };
    node->slot = element->slot; /* of what the walk has come to */
    node->c = element;
    if (walks)
        TRY(java_convert(c, &node->c, type, true));
    node->c->type = type;
    TRY(java_assign_to(c, &node->c, node->a->type ? node->a->type : type));
    TRY(java_declare(c, node->a, node->a->type ? node->a->type : type, true));
    uint64_t after = c->assigned;
    c->targets = &t;
    TRY(check_statement(c, node->body, &body));
    close_loop(c, &t, false, after, completes);
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

static enum wr_status check_return(struct java_checker *c, struct java_node *node, bool *completes)
{
    *completes = false;
    if (!node->a) {
        java_error(c->errors, node, "This method must return a result of type %s", java_type_text(c, c->body->result));
        return WR_OK;
    }
    TRY(java_check_expression(c, &node->a));
    TRY(java_assign_to(c, &node->a, c->body->result));
    c->assigned = UINT64_MAX;
    return WR_OK;
}

static enum wr_status check_jump(struct java_checker *c, struct java_node *node, bool *completes)
{
    bool go_on = node->op == JS_CONTINUE;
    struct java_target *t = c->targets;

    if (node->name.len)
        while (t && !slice_eq(t->label, node->name))
            t = t->outer;
    else
        while (t && !(t->breakable && (t->loop || !go_on)))
            t = t->outer;
    *completes = false;
    if (t && !go_on) {
        t->broken = true;
        t->assigned &= c->assigned;
    } else if (!t && node->name.len) {
        java_flow_error(c->errors, node, "The label %.*s is missing", SLICE_ARG(node->name));
    } else if (!t) {
        java_flow_error(c->errors, node,
                        go_on ? "continue cannot be used outside of a loop"
                              : "break cannot be used outside of a loop or a switch");
    }
    c->assigned = UINT64_MAX;
    return WR_OK;
}

static bool is_checked(enum java_kind kind)
{
    return kind == J_THROWABLE || kind == J_EXCEPTION;
}

static enum wr_status check_throw(struct java_checker *c, struct java_node *node, bool *completes)
{
    *completes = false;
    TRY(java_check_expression(c, &node->a));
    c->assigned = UINT64_MAX;
    if (java_is_wrong(node->a))
        return WR_OK;
    enum java_kind kind = node->a->type->kind;
    if (kind != J_NULL && (java_is_primitive(node->a->type) || !java_kind_extends(kind, J_THROWABLE))) {
        java_error(c->errors, node->a,
                   "No exception of type %s can be thrown; an exception type must be a subclass of Throwable",
                   java_type_text(c, node->a->type));
        return WR_OK;
    }
    if (!is_checked(kind))
        return WR_OK;
    for (const struct java_handler *h = c->handlers; h; h = h->outer)
        for (const struct java_node *n = h->catches; n; n = n->next)
            if (java_kind_extends(kind, n->type->kind))
                return WR_OK;
    java_flow_error(c->errors, node, "Unhandled exception type %s", java_type_text(c, node->a->type));
    return WR_OK;
}

static enum wr_status check_catch(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_local *locals = c->locals;
    uint32_t slot = c->slot;

    if (node->type->kind != J_ERROR && !java_kind_extends(node->type->kind, J_THROWABLE))
        java_error(c->errors, node,
                   "No exception of type %s can be thrown; an exception type must be a subclass of Throwable",
                   java_type_text(c, node->type));
    TRY(java_declare(c, node, node->type, true));
    TRY(check_statement(c, node->body, completes));
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

static enum wr_status check_try(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_handler handler = { c->handlers, node->a };
    uint64_t before = c->assigned, after;
    bool finally = true;

    c->handlers = &handler;
    TRY(check_statement(c, node->body, completes));
    c->handlers = handler.outer;
    after = c->assigned;
    for (struct java_node *n = node->a; n; n = n->next) {
        bool this = true;
        c->assigned = before;
        TRY(check_catch(c, n, &this));
        *completes |= this;
        after &= c->assigned;
    }
    if (node->b) {
        c->assigned = before;
        TRY(check_statement(c, node->b, &finally));
        after |= c->assigned;
        *completes &= finally;
    }
    c->assigned = after;
    return WR_OK;
}

static enum wr_status check_case(struct java_checker *c, struct java_node *node, const struct java_type *of)
{
    TRY(java_check_expression(c, &node->a));
    if (java_is_wrong(node->a))
        return WR_OK;
    if (!node->a->constant)
        java_error(c->errors, node->a, "case expressions must be constant expressions");
    return java_assign_to(c, &node->a, of);
}

static enum wr_status check_switch(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t = open_target(c, false);
    struct java_local *locals = c->locals;
    uint32_t slot = c->slot;
    bool has_default = false;

    TRY(java_check_expression(c, &node->a));
    TRY(java_unbox(c, &node->a));
    const struct java_type *of = node->a->type;
    if (of->kind != J_ERROR && !(java_is_integral(of) && of->kind != J_LONG)) {
        java_error(
            c->errors, node->a,
            "Cannot switch on a value of type %s. Only convertible int values, strings or enum variables are permitted",
            java_type_text(c, of));
        of = java_wrong();
    }
    uint64_t before = c->assigned;
    c->targets = &t;
    for (struct java_node *n = node->b; n; n = n->next) {
        bool group = true;
        if (n->a)
            TRY(check_case(c, n, of));
        has_default |= !n->a;
        c->assigned = n == node->b ? before : before & c->assigned;
        TRY(check_list(c, n->b, &group));
        *completes = group;
    }
    c->targets = t.outer;
    *completes |= t.broken || !has_default || !node->b;
    c->assigned &= t.assigned & (has_default ? UINT64_MAX : before);
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

static enum wr_status check_label(struct java_checker *c, struct java_node *node, bool *completes)
{
    bool loop = node->body->op >= JS_WHILE && node->body->op <= JS_EACH;
    struct java_target t = { .outer = c->targets, .label = node->name, .loop = loop, .assigned = UINT64_MAX };

    c->targets = &t;
    node->body->name = loop ? node->name : node->body->name; /* for who goes on with it from within another */
    TRY(check_statement(c, node->body, completes));
    c->targets = t.outer;
    *completes |= t.broken;
    c->assigned &= t.assigned;
    return WR_OK;
}

static enum wr_status check_assert(struct java_checker *c, struct java_node *node, bool *completes)
{
    uint64_t assigned = c->assigned;
    (void)completes;
    TRY(java_check_boolean(c, &node->a));
    if (node->b)
        TRY(java_check_expression(c, &node->b));
    c->assigned = assigned; /* it may not be looked at */
    c->body->asserts = true;
    return WR_OK;
}

static enum wr_status check_synchronized(struct java_checker *c, struct java_node *node, bool *completes)
{
    TRY(java_check_expression(c, &node->a));
    c->body->synchronizes = true;
    return check_statement(c, node->body, completes);
}

static enum wr_status check_empty(struct java_checker *c, struct java_node *node, bool *completes)
{
    (void)c, (void)node, (void)completes;
    return WR_OK;
}

static enum wr_status check_statement(struct java_checker *c, struct java_node *node, bool *completes)
{
    static enum wr_status (*const checks[])(struct java_checker *c, struct java_node *node, bool *completes) = {
        [JS_BLOCK] = check_block, [JS_LOCAL] = check_local,   [JS_EXPRESSION] = check_expression_statement,
        [JS_IF] = check_if,       [JS_WHILE] = check_while,   [JS_DO] = check_do,
        [JS_FOR] = check_for,     [JS_EACH] = check_each,     [JS_RETURN] = check_return,
        [JS_BREAK] = check_jump,  [JS_CONTINUE] = check_jump, [JS_THROW] = check_throw,
        [JS_TRY] = check_try,     [JS_SWITCH] = check_switch, [JS_LABEL] = check_label,
        [JS_EMPTY] = check_empty, [JS_ASSERT] = check_assert, [JS_SYNCHRONIZED] = check_synchronized,
    };
    return checks[node->op](c, node, completes);
}

/* ---- the body ---- */

static enum wr_status declare_argument(struct java_checker *c, uint32_t i)
{
    struct java_node *node = NEW(c->ctx, struct java_node);
    if (!node)
        return WR_NOMEM;
    node->op = JS_LOCAL;
    node->name = c->body->signature->names[i];
    TRY(java_declare(c, node, c->body->args[i], true));
    c->locals->place = i + 1;
    c->locals->parameter = true;
    return WR_OK;
}

enum wr_status java_check(struct ctx *ctx, struct java_errors *errors, struct java_body *body)
{
    struct java_checker c = {
        .ctx = ctx, .errors = errors, .body = body, .slot = 1
    }; /* the first is the object's own */
    bool completes = true;

    body->slot_count = 1;
    for (uint32_t i = 0; i < body->signature->arg_count; i++)
        TRY(declare_argument(&c, i));
    TRY(check_block(&c, body->block, &completes));
    if (completes)
        java_flow_error(errors, body->block, "This method must return a result of type %s",
                        java_type_text(&c, body->result));
    return errors->failed ? fail_nomem(ctx) : WR_OK;
}
