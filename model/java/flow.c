/*
 * Statements: it is seen that each local has a value before it is read, that nothing stands behind a jump, and that
 * there is a result.
 */
#include "model/java/body.h"
#include "model/sort.h"

struct java_target {
    struct java_target *outer;
    struct slice label;
    bool loop, breakable; /* a label alone is for its name only */
    bool broken, continued;
    struct java_flow breaks, continues; /* wherever it is broken out of, and gone on with */
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

/* var x = a: of a's type. */
static enum wr_status check_inferred(struct java_checker *c, struct java_node *node)
{
    const char *why = !node->a                  ? "Cannot use 'var' on variable without initializer"
                      : node->a->op == JE_ARRAY ? "Array initializer needs an explicit target-type"
                                                : NULL;
    const struct java_type *type = java_wrong();

    if (!why) {
        TRY(java_check_expression(c, &node->a));
        type = node->a->type;
        why = type->kind == J_NULL   ? "Cannot infer type for local variable initialized to 'null'"
              : type->kind == J_VOID ? "Variable initializer is 'void' -- cannot infer variable type"
                                     : NULL;
    }
    if (why) {
        java_error(c->errors, node, "%s", why);
        type = java_wrong();
    }
    TRY(java_declare(c, node, type, false));
    if (node->a)
        java_define(c, node);
    return WR_OK;
}

static enum wr_status check_local(struct java_checker *c, struct java_node *node, bool *completes)
{
    const struct java_type *type = node->type;

    (void)completes;
    if (type && type->kind == J_VOID) {
        java_error(c->errors, node, "void is an invalid type for the variable %.*s", SLICE_ARG(node->name));
        type = java_wrong();
    }
    if (!type)
        return check_inferred(c, node);
    TRY(java_declare(c, node, type, false)); /* its name is known in its own value, where it has none yet */
    if (!node->a)
        return WR_OK;
    if (node->a->op == JE_ARRAY && type->kind == J_ARRAY)
        TRY(java_check_array_literal(c, node->a, type));
    else
        TRY(java_check_expression(c, &node->a));
    TRY(java_assign_to(c, &node->a, type));
    java_define(c, node);
    return WR_OK;
}

static enum wr_status check_expression_statement(struct java_checker *c, struct java_node *node, bool *completes)
{
    (void)completes;
    return java_check_expression(c, &node->a);
}

/* ---- conditions ---- */

static bool is_true(const struct java_node *node)
{
    return node->constant && node->type->kind == J_BOOLEAN && node->value.i;
}

static enum wr_status check_if(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_flow otherwise, after;
    bool then = true, other = true;

    TRY(java_check_boolean(c, &node->a));
    java_branch(c, node->a, &c->flow, &otherwise);
    TRY(check_statement(c, node->b, &then));
    after = c->flow;
    c->flow = otherwise;
    if (node->c)
        TRY(check_statement(c, node->c, &other));
    java_flow_join(&c->flow, &after);
    *completes = then || other;
    return WR_OK;
}

/* ---- loops ---- */

/* Of a loop or a switch; the node's name is that of the label in front. */
static void open_target(struct java_checker *c, const struct java_node *node, bool loop, struct java_target *t)
{
    *t = (struct java_target){ .outer = c->targets,
                               .label = loop ? node->name : SLICE_NULL,
                               .loop = loop,
                               .breakable = true,
                               .breaks = java_flow_never(),
                               .continues = java_flow_never() };
    c->targets = t;
    c->loops += loop;
}

/* Behind it: where its condition has failed, and wherever it was broken out of. */
static void close_target(struct java_checker *c, struct java_target *t, const struct java_flow *failed)
{
    c->targets = t->outer;
    c->loops -= t->loop;
    c->flow = *failed;
    java_flow_join(&c->flow, &t->breaks);
}

/* What is never come to. */
static void check_never(struct java_checker *c, const struct java_node *condition, const struct java_node *body)
{
    if (condition && condition->constant && condition->type->kind == J_BOOLEAN && !condition->value.i)
        java_flow_error(c->errors, body, "Unreachable code");
}

static enum wr_status check_while(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t;
    struct java_flow failed;
    bool body = true;

    open_target(c, node, true, &t);
    TRY(java_check_boolean(c, &node->a));
    check_never(c, node->a, node->body);
    java_branch(c, node->a, &c->flow, &failed);
    TRY(check_statement(c, node->body, &body));
    close_target(c, &t, &failed);
    *completes = t.broken || !is_true(node->a);
    return WR_OK;
}

static enum wr_status check_do(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t;
    struct java_flow again, failed;
    bool body = true;

    open_target(c, node, true, &t);
    TRY(check_statement(c, node->body, &body));
    java_flow_join(&c->flow, &t.continues);
    TRY(java_check_boolean(c, &node->a));
    java_branch(c, node->a, &again, &failed);
    close_target(c, &t, &failed);
    *completes = t.broken || (!is_true(node->a) && (body || t.continued));
    return WR_OK;
}

static enum wr_status check_for(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t;
    struct java_local *locals = c->locals;
    struct java_flow failed = java_flow_never();
    uint32_t slot = c->slot;
    bool body = true;

    TRY(check_list(c, node->a, &body));
    open_target(c, node, true, &t);
    if (node->b) {
        TRY(java_check_boolean(c, &node->b));
        java_branch(c, node->b, &c->flow, &failed);
    }
    check_never(c, node->b, node->body);
    TRY(check_statement(c, node->body, &body));
    java_flow_join(&c->flow, &t.continues);
    body = true;
    TRY(check_list(c, node->c, &body));
    close_target(c, &t, &failed);
    *completes = t.broken || (node->b && !is_true(node->b));
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

/* The element of what is walked is converted to the variable's type by a node that stands in c: its value is put into a
 * first. */
static enum wr_status check_each(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t;
    struct java_local *locals = c->locals;
    struct java_node *element = NEW(c->ctx, struct java_node);
    struct java_flow ended;
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
    ended = c->flow;
    open_target(c, node, true, &t);
    TRY(java_declare(c, node->a, node->a->type ? node->a->type : type, true));
    TRY(check_statement(c, node->body, &body));
    close_target(c, &t, &ended);
    *completes = true;
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

/* ---- jumps ---- */

static enum wr_status check_return(struct java_checker *c, struct java_node *node, bool *completes)
{
    *completes = false;
    if (!node->a) {
        java_error(c->errors, node, "This method must return a result of type %s", java_type_text(c, c->body->result));
        return WR_OK;
    }
    TRY(java_check_expression(c, &node->a));
    TRY(java_assign_to(c, &node->a, c->body->result));
    c->flow = java_flow_never();
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
    bool good = t && (t->loop || !go_on);
    *completes = !good; /* as the compiler goes on behind a wrong one */
    if (!t && node->name.len)
        java_flow_error(c->errors, node, "The label %.*s is missing", SLICE_ARG(node->name));
    else if (!t && !go_on)
        java_flow_error(c->errors, node, "break cannot be used outside of a loop or a switch");
    else if (!good)
        java_flow_error(c->errors, node, "continue cannot be used outside of a loop");
    else if (go_on)
        java_flow_join(&t->continues, &c->flow);
    else
        java_flow_join(&t->breaks, &c->flow);
    if (good) {
        t->broken |= !go_on;
        t->continued |= go_on;
        c->flow = java_flow_never();
    }
    return WR_OK;
}

static enum wr_status check_throw(struct java_checker *c, struct java_node *node, bool *completes)
{
    *completes = false;
    TRY(java_check_expression(c, &node->a));
    c->flow = java_flow_never();
    if (java_is_wrong(node->a))
        return WR_OK;
    enum java_kind kind = node->a->type->kind;
    if (kind != J_NULL && (java_is_primitive(node->a->type) || !java_kind_extends(kind, J_THROWABLE))) {
        java_error(c->errors, node->a,
                   "No exception of type %s can be thrown; an exception type must be a subclass of Throwable",
                   java_type_text(c, node->a->type));
        return WR_OK;
    }
    java_throws(c, node, node->a, kind);
    return WR_OK;
}

/* ---- try ---- */

/* The class that all alternatives of a catch are of. NULL: no memory. */
static const struct java_type *caught_type(struct java_checker *c, const struct java_node *alternatives)
{
    const struct java_type *common = alternatives->type;
    for (const struct java_node *n = alternatives->next; n && common; n = n->next)
        common = java_common_type(c->ctx, common, n->type);
    return common;
}

static enum wr_status check_catch(struct java_checker *c, const struct java_handler *handler, struct java_node *node,
                                  bool *completes)
{
    struct java_local *locals = c->locals;
    uint32_t slot = c->slot;

    for (const struct java_node *type = node->a; type; type = type->next)
        java_check_caught(c, handler->catches, node, type);
    const struct java_type *caught = caught_type(c, node->a);
    if (!caught)
        return WR_NOMEM;
    TRY(java_declare(c, node, caught, true));
    c->locals->unchecked = !handler->throws;
    c->locals->several = node->a->next;
    TRY(check_statement(c, node->body, completes));
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

static enum wr_status check_try(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_handler handler = { c->handlers, node->a, false };
    struct java_flow before = c->flow, after;
    struct java_set ever = c->ever;
    bool finally = true;

    c->handlers = &handler;
    c->ever =
        before.touched; /* finals alone: the machine knows no more of what a parameter was than where the try began */
    TRY(check_statement(c, node->body, completes));
    c->handlers = handler.outer;
    after = c->flow;
    for (struct java_node *n = node->a; n; n = n->next) {
        bool this = true;
        c->flow = before;
        c->flow.touched = c->ever;
        TRY(check_catch(c, &handler, n, &this));
        *completes |= this;
        java_flow_join(&after, &c->flow);
    }
    if (node->b) {
        c->flow = before;
        c->flow.touched = c->ever;
        TRY(check_statement(c, node->b, &finally));
        java_set_add(&after.assigned, &c->flow.assigned);
        java_set_add(&after.touched, &c->flow.touched);
        *completes &= finally;
    }
    java_set_add(&c->ever, &ever);
    c->flow = after;
    return WR_OK;
}

/* ---- switch, labels ---- */

/* A case of the switch over values of a type that are told as `shown`. */
static enum wr_status check_case(struct java_checker *c, struct java_node *node, const struct java_type *of,
                                 const struct java_type *shown)
{
    TRY(java_check_expression(c, &node->a));
    if (java_is_wrong(node->a))
        return WR_OK;
    if (!java_is_assignable(node->a, shown)) {
        java_mismatch(c, node->a, shown);
        node->a->type = java_wrong();
        return WR_OK;
    }
    if (!node->a->constant)
        java_error(c->errors, node->a, "case expressions must be constant expressions");
    return java_convert(c, &node->a, of, false);
}

static bool is_case(const struct java_node *node)
{
    return node->a && node->a->constant && !java_is_wrong(node->a);
}

struct case_value {
    int64_t value;
    uint32_t at; /* which of the cases, in order */
};

static int cmp_case_values(const void *a, const void *b, const void *arg)
{
    const struct case_value *x = a, *y = b;
    (void)arg;
    return (x->value > y->value) - (x->value < y->value);
}

/* repeated[i]: the i-th of so many cases has a value that another one has, too. */
static enum wr_status find_repeated(struct java_checker *c, const struct java_node *cases, uint32_t count, bool *repeated)
{
    struct case_value *values = NEW_ARRAY(c->ctx, struct case_value, count);
    uint32_t n = 0, at = 0;
    if (!values)
        return WR_NOMEM;
    for (const struct java_node *node = cases; node; node = node->next, at++)
        if (is_case(node))
            values[n++] = (struct case_value){ node->a->value.i, at };
    TRY(sort_stably(c->ctx, values, n, sizeof *values, cmp_case_values, NULL));
    for (uint32_t i = 1; i < n; i++)
        if (values[i].value == values[i - 1].value)
            repeated[values[i].at] = repeated[values[i - 1].at] = true;
    return WR_OK;
}

/* No two cases have the same value. */
static enum wr_status check_different(struct java_checker *c, const struct java_node *cases)
{
    const struct java_node *otherwise = NULL;
    uint32_t count = 0, at = 0;
    for (const struct java_node *n = cases; n; n = n->next)
        count++;
    bool *repeated = NEW_ARRAY(c->ctx, bool, count);
    if (!repeated)
        return WR_NOMEM;
    TRY(find_repeated(c, cases, count, repeated));
    for (const struct java_node *n = cases; n; n = n->next, at++) {
        if (!n->a && otherwise)
            java_error(c->errors, n, "The default case is already defined");
        otherwise = n->a ? otherwise : n;
        if (repeated[at])
            java_error(c->errors, n, "Duplicate case");
    }
    return WR_OK;
}

static enum wr_status check_switch(struct java_checker *c, struct java_node *node, bool *completes)
{
    struct java_target t;
    struct java_local *locals = c->locals;
    struct java_flow before;
    uint32_t slot = c->slot;
    bool has_default = false;

    TRY(java_check_expression(c, &node->a));
    const struct java_type *shown = node->a->type;
    TRY(java_unbox(c, &node->a));
    const struct java_type *of = node->a->type;
    if (of->kind != J_ERROR && !(java_is_integral(of) && of->kind != J_LONG)) {
        java_error(
            c->errors, node->a,
            "Cannot switch on a value of type %s. Only convertible int values, strings or enum variables are permitted",
            java_type_text(c, of));
        shown = of = java_wrong();
    }
    before = c->flow;
    open_target(c, node, false, &t);
    for (struct java_node *n = node->b; n; n = n->next) {
        bool group = true;
        if (n->a)
            TRY(check_case(c, n, of, shown));
        has_default |= !n->a;
        if (n != node->b)
            java_flow_join(&c->flow, &before);
        TRY(check_list(c, n->b, &group));
        *completes = group;
    }
    TRY(check_different(c, node->b));
    if (!has_default)
        java_flow_join(&c->flow, &before);
    struct java_flow last = c->flow;
    close_target(c, &t, &last);
    *completes |= t.broken || !has_default || !node->b;
    c->locals = locals;
    c->slot = slot;
    return WR_OK;
}

static enum wr_status check_label(struct java_checker *c, struct java_node *node, bool *completes)
{
    bool loop = node->body->op >= JS_WHILE && node->body->op <= JS_EACH;
    struct java_target t = { .outer = c->targets, .label = node->name, .breaks = java_flow_never() };

    for (const struct java_target *outer = c->targets; outer; outer = outer->outer)
        if (slice_eq(outer->label, node->name)) {
            java_flow_error(c->errors, node, "Duplicate label %.*s", SLICE_ARG(node->name));
            break;
        }
    if (loop) { /* which is then the one that the name means */
        node->body->name = node->name;
        return check_statement(c, node->body, completes);
    }
    c->targets = &t;
    TRY(check_statement(c, node->body, completes));
    c->targets = t.outer;
    *completes |= t.broken;
    java_flow_join(&c->flow, &t.breaks);
    return WR_OK;
}

static enum wr_status check_assert(struct java_checker *c, struct java_node *node, bool *completes)
{
    const struct java_flow before = c->flow;
    (void)completes;
    TRY(java_check_boolean(c, &node->a));
    if (node->b)
        TRY(java_check_expression(c, &node->b));
    c->flow = before; /* it may not be looked at */
    TRY(java_refuse(c, "field declared: $assertionsDisabled"));
    return java_refuse(c, "static initializer declared");
}

static enum wr_status check_synchronized(struct java_checker *c, struct java_node *node, bool *completes)
{
    TRY(java_check_expression(c, &node->a));
    TRY(java_refuse(c, "use of synchronized"));
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
