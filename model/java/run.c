/* Statements of a checked tree are walked. */
#include "model/java/body.h"

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_THROW };

static enum flow execute(struct java_run *run, const struct java_node *node);

/* ---- statements ---- */

static enum flow execute_list(struct java_run *run, const struct java_node *list)
{
    enum flow flow = FLOW_NEXT;
    for (const struct java_node *n = list; n && flow == FLOW_NEXT; n = n->next)
        flow = execute(run, n);
    return flow;
}

/* Whether a loop goes on behind its body: what leaves it is in *flow. */
static bool goes_on(struct java_run *run, const struct java_node *loop, enum flow *flow)
{
    bool ours = slice_is_null(run->label) || slice_eq(run->label, loop->name);
    if (!java_spend(run, 1)) {
        *flow = FLOW_THROW;
        return false;
    }
    if (*flow == FLOW_CONTINUE && ours) {
        run->label = SLICE_NULL;
        *flow = FLOW_NEXT;
    }
    if (*flow == FLOW_NEXT)
        return true;
    if (*flow == FLOW_BREAK && slice_is_null(run->label))
        *flow = FLOW_NEXT;
    return false;
}

static enum flow execute_while(struct java_run *run, const struct java_node *node)
{
    enum flow flow = FLOW_NEXT;
    union java_value v;

    if (node->op == JS_DO)
        goto body;
    for (;;) {
        if (!java_eval(run, node->a, &v))
            return FLOW_THROW;
        if (!v.i)
            return FLOW_NEXT;
    body:
        flow = execute(run, node->body);
        if (!goes_on(run, node, &flow))
            return flow;
    }
}

static enum flow execute_for(struct java_run *run, const struct java_node *node)
{
    enum flow flow = execute_list(run, node->a);
    union java_value v = { .i = 1 };

    while (flow == FLOW_NEXT) {
        if (node->b && !java_eval(run, node->b, &v))
            return FLOW_THROW;
        if (!v.i)
            break;
        flow = execute(run, node->body);
        if (!goes_on(run, node, &flow))
            break;
        flow = execute_list(run, node->c);
    }
    return flow;
}

static enum flow execute_each(struct java_run *run, const struct java_node *node)
{
    struct java_object **items = NULL;
    union java_value of;
    enum flow flow = FLOW_NEXT;
    uint32_t count;

    if (!java_eval(run, node->b, &of))
        return FLOW_THROW;
    if (!of.o) {
        if (node->b->type->kind == J_ARRAY)
            java_null_text(run, node->b, "Cannot read the array length");
        else
            java_null_call(run, node->b, node->b->type, "iterator");
        return FLOW_THROW;
    }
    if (of.o->kind == J_ARRAY)
        count = of.o->array.count;
    else if (!java_items(run, of.o, &items, &count))
        return FLOW_THROW;
    for (uint32_t i = 0; i < count; i++) {
        run->slots[node->slot] = items ? (union java_value){ .o = items[i] } : of.o->array.items[i];
        if (!java_eval(run, node->c, &run->slots[node->a->slot]))
            return FLOW_THROW;
        flow = execute(run, node->body);
        if (!goes_on(run, node, &flow))
            break;
    }
    return flow;
}

static bool catches(const struct java_node *catch, const struct java_object *thrown)
{
    const struct java_node *type = catch->a;
    while (type && !java_kind_extends(thrown->kind, type->type->kind))
        type = type->next;
    return type;
}

static enum flow execute_try(struct java_run *run, const struct java_node *node)
{
    enum flow flow = execute(run, node->body), last;
    union java_value result;
    struct java_object *thrown;
    struct slice label;

    for (const struct java_node *n = node->a; n && flow == FLOW_THROW && run->thrown; n = n->next)
        if (catches(n, run->thrown)) {
            run->slots[n->slot].o = run->thrown;
            run->thrown = NULL;
            flow = execute(run, n->body);
            break;
        }
    if (!node->b || (flow == FLOW_THROW && !run->thrown))
        return flow;
    result = run->result;
    thrown = run->thrown;
    label = run->label;
    run->thrown = NULL;
    run->label = SLICE_NULL;
    if ((last = execute(run, node->b)) != FLOW_NEXT)
        return last;
    run->result = result;
    run->thrown = thrown;
    run->label = label;
    return flow;
}

static enum flow execute_switch(struct java_run *run, const struct java_node *node)
{
    const struct java_node *from = NULL, *otherwise = NULL;
    union java_value of, one;
    enum flow flow = FLOW_NEXT;

    if (!java_eval(run, node->a, &of))
        return FLOW_THROW;
    for (const struct java_node *n = node->b; n && !from; n = n->next) {
        if (!n->a)
            otherwise = n;
        else if (!java_eval(run, n->a, &one))
            return FLOW_THROW;
        else if (of.i == one.i)
            from = n;
    }
    for (const struct java_node *n = from ? from : otherwise; n && flow == FLOW_NEXT; n = n->next)
        flow = execute_list(run, n->b);
    return flow == FLOW_BREAK && slice_is_null(run->label) ? FLOW_NEXT : flow;
}

static enum flow execute_throw(struct java_run *run, const struct java_node *node)
{
    union java_value v;
    if (!java_eval(run, node->a, &v))
        return FLOW_THROW;
    if (!v.o)
        java_null_text(run, node->a, "Cannot throw exception");
    else
        run->thrown = v.o;
    return FLOW_THROW;
}

static enum flow execute_label(struct java_run *run, const struct java_node *node)
{
    enum flow flow = execute(run, node->body);
    if (flow == FLOW_BREAK && slice_eq(run->label, node->name)) {
        run->label = SLICE_NULL;
        return FLOW_NEXT;
    }
    return flow;
}

static enum flow execute(struct java_run *run, const struct java_node *node)
{
    union java_value v;

    switch (node->op) {
    case JS_BLOCK:
        return execute_list(run, node->a);
    case JS_LOCAL:
        return !node->a || java_eval(run, node->a, &run->slots[node->slot]) ? FLOW_NEXT : FLOW_THROW;
    case JS_EXPRESSION:
        return java_eval(run, node->a, &v) ? FLOW_NEXT : FLOW_THROW;
    case JS_IF:
        if (!java_eval(run, node->a, &v))
            return FLOW_THROW;
        return v.i ? execute(run, node->b) : node->c ? execute(run, node->c) : FLOW_NEXT;
    case JS_WHILE:
    case JS_DO:
        return execute_while(run, node);
    case JS_FOR:
        return execute_for(run, node);
    case JS_EACH:
        return execute_each(run, node);
    case JS_RETURN:
        return java_eval(run, node->a, &run->result) ? FLOW_RETURN : FLOW_THROW;
    case JS_BREAK:
    case JS_CONTINUE:
        run->label = node->name.len ? node->name : SLICE_NULL;
        return node->op == JS_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
    case JS_THROW:
        return execute_throw(run, node);
    case JS_TRY:
        return execute_try(run, node);
    case JS_SWITCH:
        return execute_switch(run, node);
    case JS_LABEL:
        return execute_label(run, node);
    default:
        return FLOW_NEXT;
    }
}

/* ---- the whole ---- */

/* Throwable.toString; what is no Exception a server wraps in one. */
static enum wr_status fail_thrown(struct java_run *run)
{
    const struct java_object *thrown = run->thrown;
    struct slice text = SLICE_EMPTY;

    if (!thrown) /* a text that there was no memory for tells nothing */
        return run->ctx->failed != WR_OK ? run->ctx->failed : fail_nomem(run->ctx);
    const char *name = java_class_full_name(thrown->kind), *wrapped = java_kind_extends(thrown->kind, J_EXCEPTION) ? "" : "java.lang.RuntimeException: ";
    if (!thrown->thrown.message)
        return fail(run->ctx, WR_FUNCTION_FAILURE, "%s%s", wrapped, name);
    if (!java_utf8(run, thrown->thrown.message, &text))
        return run->ctx->failed;
    return fail(run->ctx, WR_FUNCTION_FAILURE, "%s%s: %.*s", wrapped, name, SLICE_ARG(text));
}

static struct java_object *result_of(const struct java_run *run, struct java_object *number)
{
    *number = (struct java_object){ .value = run->result };
    if (!java_is_primitive(run->body->result))
        return run->result.o;
    number->kind = java_boxed(run->body->result)->kind;
    return number;
}

static bool take_arguments(struct java_run *run, const struct slice *args, uint32_t first, unsigned kept)
{
    const struct java_body *body = run->body;
    uint32_t slot = 1;

    for (uint32_t i = 0; i < body->signature->arg_count; i++) {
        bool is_kept = i == 0 && kept & JAVA_KEPT_ARGUMENT;
        if (i >= first && !(is_kept ? java_from_kept : java_from_value)(run, body->signature->args[i], args[i], body->args[i], &run->slots[slot]))
            return false;
        slot += body->args[i]->kind == J_LONG || body->args[i]->kind == J_DOUBLE ? 2 : 1;
    }
    return true;
}

static bool run_body(struct java_run *run)
{
    return execute(run, run->body->block) == FLOW_RETURN && !run->exhausted;
}

enum wr_status java_run(struct ctx *ctx, const struct java_body *body, const struct slice *args, unsigned kept, struct slice *out)
{
    struct java_run run = { .ctx = ctx, .body = body, .held = ctx->arena->held };
    struct java_object number;

    *out = SLICE_NULL;
    if (!(run.slots = NEW_ARRAY(ctx, union java_value, body->slot_count)))
        return WR_NOMEM;
    bool good = take_arguments(&run, args, 0, kept) && run_body(&run) &&
                (kept & JAVA_KEPT_RESULT ? java_keep : java_to_value)(&run, body->signature->result, result_of(&run, &number), out);
    return good ? WR_OK : fail_thrown(&run);
}

enum wr_status java_kept_value(struct ctx *ctx, const struct java_body *body, struct slice kept, struct slice *out)
{
    const struct type *type = body->signature->result;
    struct java_run run = { .ctx = ctx, .body = body };
    struct java_object number;

    *out = SLICE_NULL;
    if (slice_is_null(kept))
        return WR_OK;
    if (!java_from_kept(&run, type, kept, body->result, &run.result))
        return fail_thrown(&run);
    return java_to_value(&run, type, result_of(&run, &number), out) ? WR_OK : fail_thrown(&run);
}

/* ---- states ---- */

enum { STATE_BYTES_FIRST = 16 << 10 };

bool java_state_is_object(const struct java_body *body)
{
    return java_has_shape(body->signature->result);
}

/* In the state's memory. Its own are the arguments, too: the object may hold them. */
static enum wr_status run_in_state(struct ctx *ctx, const struct java_body *body, const struct slice *args, bool goes_on, struct java_state *state)
{
    const uint32_t count = body->signature->arg_count;
    struct java_run run = { .ctx = ctx, .body = body, .held = ctx->arena->held };
    struct slice *own = NEW_ARRAY(ctx, struct slice, count);

    if (!own || !(run.slots = NEW_ARRAY(ctx, union java_value, body->slot_count)))
        return WR_NOMEM;
    for (uint32_t i = goes_on; i < count; i++)
        TRY(ctx_copy(ctx, args[i], &own[i]));
    if (goes_on)
        run.slots[1].o = state->object;
    if (!take_arguments(&run, own, goes_on, JAVA_KEPT_NOTHING) || !run_body(&run))
        return fail_thrown(&run);
    state->object = run.result.o;
    return WR_OK;
}

/* What is allocated between the two lies in the state's memory. */
static struct arena *enter_state(struct ctx *ctx, struct java_state *state)
{
    struct arena *outside = ctx->arena;
    ctx->arena = &state->arena;
    return outside;
}

static void leave_state(struct ctx *ctx, struct arena *outside)
{
    outside->lacked |= ctx->arena->lacked;
    ctx->arena = outside;
}

static bool is_half_full(const struct java_state *state)
{
    return arena_is_beyond(&state->arena) || state->arena.first->used > state->arena.first->size / 2;
}

/* The object alone, in memory of which it takes half at most: so what is done for the object is paid for by what has been allocated since the last time. */
static enum wr_status lay_state_anew(struct ctx *ctx, const struct java_body *body, struct java_state *state, bool *grew)
{
    struct java_run run = { .ctx = ctx, .body = body, .held = ctx->arena->held };
    struct slice kept;
    union java_value anew;

    TRY(java_keep_state(ctx, body, state, &kept));
    arena_empty_within(&state->arena);
    for (;;) {
        struct arena *outside = enter_state(ctx, state);
        bool good = java_from_kept(&run, body->signature->result, kept, body->result, &anew);
        leave_state(ctx, outside);
        if (!good)
            return fail_thrown(&run);
        state->object = anew.o;
        if (!is_half_full(state))
            return WR_OK;
        const size_t size = 2 * state->arena.first->size;
        arena_empty_within(&state->arena);
        if (!arena_init_within(&state->arena, ctx->arena, size))
            return fail_nomem(ctx);
        *grew = true;
    }
}

enum wr_status java_run_state(struct ctx *ctx, const struct java_body *body, const struct slice *args, bool goes_on, struct java_state *state, bool *grew)
{
    if (!state->arena.first) {
        if (!arena_init_within(&state->arena, ctx->arena, STATE_BYTES_FIRST))
            return fail_nomem(ctx);
        *grew = true;
    } else if (!goes_on)
        arena_empty_within(&state->arena);
    struct arena *outside = enter_state(ctx, state);
    enum wr_status st = run_in_state(ctx, body, args, goes_on, state);
    leave_state(ctx, outside);
    if (st == WR_OK && arena_is_beyond(&state->arena))
        st = lay_state_anew(ctx, body, state, grew);
    if (st != WR_OK)
        arena_empty_within(&state->arena);
    return st;
}

enum wr_status java_keep_state(struct ctx *ctx, const struct java_body *body, const struct java_state *state, struct slice *out)
{
    struct java_run run = { .ctx = ctx, .body = body, .held = ctx->arena->held };

    return java_keep(&run, body->signature->result, state->object, out) ? WR_OK : fail_thrown(&run);
}
