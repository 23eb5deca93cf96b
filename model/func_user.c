#include "model/func_user.h"

#include "model/failure.h"
#include "model/java.h"
#include "model/signature.h"

/* ---- functions with a body ---- */

struct func_java {
    const struct function *function;
    const struct java_body *body; /* NULL: nobody is to call it yet */
};

/* As Java has them: an int of no bytes is null. NULL: no memory. */
static struct slice *java_arguments(const struct call *call, const struct slice *args)
{
    const struct func *func = call->func;
    struct slice *read = NEW_ARRAY(call->ctx, struct slice, func->arg_count);
    for (uint32_t i = 0; read && i < func->arg_count; i++)
        read[i] = type_reads_null(func->args[i], args[i]) ? SLICE_NULL : args[i];
    return read;
}

static enum wr_status call_kept(const struct call *call, const struct slice *args, unsigned kept, struct slice *out)
{
    const struct func *func = call->func;
    struct slice *read = java_arguments(call, args);
    if (!read)
        return WR_NOMEM;
    enum wr_status st = java_run(call->ctx, func->java->body, read, kept, out);
    if (st == WR_OK && !slice_is_null(*out) && !(kept & JAVA_KEPT_RESULT))
        st = type_validate(call->ctx, func->result, *out);
    return st == WR_OK ? WR_OK : failure_of_call(call->ctx, func, st);
}

static enum wr_status call_java(const struct call *call, const struct slice *args, struct slice *out)
{
    return call_kept(call, args, JAVA_KEPT_NOTHING, out);
}

static enum wr_status compile(struct bind *bind, struct slice keyspace, struct func_java *java)
{
    const struct function *f = java->function;
    struct java_signature signature = { f->arg_names, f->args, f->arg_count, f->result, bind->schema, keyspace, f->called_on_null };
    return java->body ? WR_OK : java_compile(bind->ctx, &signature, f->body, &java->body);
}

/* ---- aggregates: a state that a function goes over with each row ---- */

struct func_made {                    /* what an aggregate of the schema is made of */
    const struct func *state, *final; /* NULL: not registered; final also: none */
    struct slice initial;
    const char *missing; /* the signature of the function that is not registered; NULL: all are */
};

struct made_state {
    struct kept value; /* of a state function in Java as java_run keeps it */
    struct java_state object; /* in place of it, where it is one */
    bool started;
};

static bool is_object(const struct func *state)
{
    return state->java && java_state_is_object(state->java->body);
}

static bool is_null(const struct func_made *made, const struct made_state *s, struct slice value)
{
    return s->started && is_object(made->state) ? !s->object.object : type_reads_null(made->state->args[0], value);
}

static enum wr_status call_on_object(const struct call *call, struct made_state *s, const struct slice *args, bool *grew)
{
    struct slice *read = java_arguments(call, args);
    if (!read)
        return WR_NOMEM;
    enum wr_status st = java_run_state(call->ctx, call->func->java->body, read, s->started, &s->object, grew);
    return st == WR_OK ? WR_OK : failure_of_call(call->ctx, call->func, st);
}

static enum wr_status call_on_value(const struct call *call, struct made_state *s, const struct slice *args, bool *grew)
{
    const unsigned kept = JAVA_KEPT_RESULT | (s->started ? JAVA_KEPT_ARGUMENT : 0);
    struct slice next;

    TRY(call->func->java ? call_kept(call, args, kept, &next) : call->func->call(call, args, &next));
    s->value.set = false;
    return slice_is_null(next) ? WR_OK : kept_put(call->ctx, &s->value, next, grew);
}

/* UDAggregate.addInput: a function that is not to be called with nulls is passed over where one of the row's is null. A state that
 * is null stays so (UDFunction.executeForAggregate). */
static enum wr_status made_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    const struct func_made *made = call->func->made;
    struct made_state *s = state;
    uint32_t n = call->func->arg_count;
    struct slice *all = NEW_ARRAY(call->ctx, struct slice, n + 1);

    if (!all)
        return WR_NOMEM;
    all[0] = s->started ? kept_value(&s->value) : made->initial;
    for (uint32_t i = 0; i < n; i++) {
        all[i + 1] = args[i];
        if (!(made->state->flags & FUNC_TAKES_NULL) && type_reads_null(call->func->args[i], args[i]))
            return WR_OK;
    }
    if ((made->state->flags & FUNC_TAKES_NULL) || !is_null(made, s, all[0])) {
        const struct call of = { call->ctx, call->exec, made->state };
        TRY((is_object(made->state) ? call_on_object : call_on_value)(&of, s, all, grew));
    } else {
        s->value.set = false;
        s->object.object = NULL;
    }
    s->started = true;
    return WR_OK;
}

/* Where a state that no function stands behind any more cannot be a value, the server has failed and not the function. */
static enum wr_status failure_of_state(const struct call *call, enum wr_status st)
{
    if (st == WR_OK || st == WR_NOMEM)
        return st;
    const char *text = ctx_string(call->ctx, slice_str(call->ctx->error));
    return text ? fail(call->ctx, WR_SERVER_ERROR, "%s", text) : WR_NOMEM;
}

static enum wr_status state_value(const struct call *call, struct slice *state)
{
    const struct func *func = call->func->made->state;
    enum wr_status st = java_kept_value(call->ctx, func->java->body, *state, state);
    if (st == WR_OK && !slice_is_null(*state))
        st = type_validate(call->ctx, func->result, *state);
    return failure_of_state(call, st);
}

static enum wr_status made_result(const struct call *call, const void *state, struct slice *out)
{
    const struct func_made *made = call->func->made;
    const struct made_state *s = state;
    bool kept = s->started && made->state->java;
    struct slice value = s->started ? kept_value(&s->value) : made->initial;

    if (kept && is_object(made->state))
        TRY(failure_of_state(call, java_keep_state(call->ctx, made->state->java->body, &s->object, &value)));
    if (kept && !(made->final && made->final->java)) {
        TRY(state_value(call, &value));
        kept = false;
    }
    if (!made->final)
        return ctx_copy(call->ctx, value, out);
    *out = SLICE_NULL;
    if (!(made->final->flags & FUNC_TAKES_NULL) && type_reads_null(made->final->args[0], value))
        return WR_OK;
    const struct call final = { call->ctx, call->exec, made->final };
    TRY(kept ? call_kept(&final, &value, JAVA_KEPT_ARGUMENT, out) : made->final->call(&final, &value, out));
    return ctx_copy(call->ctx, *out, out); /* it may have given back its argument, which the state goes on with */
}

static void made_reset(void *state)
{
    ((struct made_state *)state)->started = false;
}

static const struct func_aggregate made_aggregate = { sizeof(struct made_state), made_add, made_result, made_reset };

/* ---- finding ---- */

static unsigned host_flags(unsigned flags)
{
    return (flags & WR_FUNCTION_CALLED_ON_NULL ? FUNC_TAKES_NULL : 0) | (flags & WR_FUNCTION_DETERMINISTIC ? 0 : FUNC_IMPURE) |
           (flags & WR_FUNCTION_MONOTONIC ? FUNC_MONOTONIC : 0);
}

/* With one behind them, which may be their result. */
static const struct type *const *types_in_function(struct ctx *ctx, const struct type *const *types, uint32_t count, const struct type *result)
{
    const struct type **out = NEW_ARRAY(ctx, const struct type *, (size_t)count + 1);
    for (uint32_t i = 0; out && i < count; i++)
        out[i] = type_in_function(types[i]);
    if (out)
        out[count] = type_in_function(result);
    return out;
}

static enum wr_status of_user(struct ctx *ctx, struct slice keyspace, const struct user_function *user, struct func *out)
{
    *out = (struct func){ .keyspace = keyspace, .result = user->result, .args = user->args, .arg_count = user->arg_count, .host = user->host };
    if (user->host) {
        out->name = user->host->name;
        out->flags = host_flags(user->host->flags);
        out->call = func_call_host;
        return WR_OK;
    }
    if (!(out->java = NEW(ctx, struct func_java)) || !(out->name = ctx_string(ctx, user->name)) ||
        !(out->args = types_in_function(ctx, user->args, user->arg_count, user->result)))
        return WR_NOMEM;
    out->result = out->args[user->arg_count];
    out->java->function = user->from_schema;
    out->flags = FUNC_IMPURE | (user->from_schema->called_on_null ? FUNC_TAKES_NULL : 0); /* UDFunction.isPure */
    out->call = call_java;
    return WR_OK;
}

static enum wr_status part_of(struct bind *bind, const struct keyspace *keyspace, struct slice name, const struct type *const *types, uint32_t count,
                              const struct func **out, const char **missing)
{
    struct func *func = NEW(bind->ctx, struct func);
    const struct user_function *user;
    struct slice *texts, signature;

    if (!func)
        return WR_NOMEM;
    *out = NULL;
    TRY(type_texts(bind->ctx, types, count, &texts));
    TRY(functions_find(bind->ctx, bind->db, bind->schema, keyspace->name, name, texts, count, &user));
    if (user && user->args) {
        *out = func;
        return of_user(bind->ctx, keyspace->name, user, func);
    }
    TRY(signature_text(bind->ctx, name, texts, count, &signature));
    *missing = ctx_string(bind->ctx, signature);
    return *missing ? WR_OK : WR_NOMEM;
}

static enum wr_status of_aggregate(struct bind *bind, const struct keyspace *keyspace, const struct aggregate *a, struct func *out)
{
    struct func_made *made = NEW(bind->ctx, struct func_made);
    const struct type **types = NEW_ARRAY(bind->ctx, const struct type *, (size_t)a->arg_count + 1);
    const char *name = ctx_string(bind->ctx, a->name);

    if (!made || !types || !name)
        return WR_NOMEM;
    types[0] = a->state;
    for (uint32_t i = 0; i < a->arg_count; i++)
        types[i + 1] = a->args[i];
    made->initial = a->initial;
    if (!slice_is_null(a->final_function))
        TRY(part_of(bind, keyspace, a->final_function, types, 1, &made->final, &made->missing));
    TRY(part_of(bind, keyspace, a->state_function, types, a->arg_count + 1, &made->state, &made->missing));
    const struct type *const *args = types_in_function(bind->ctx, a->args, a->arg_count, a->result);
    if (!args)
        return WR_NOMEM;
    *out = (struct func){ .keyspace = keyspace->name,
                          .name = name,
                          .result = args[a->arg_count],
                          .args = args,
                          .arg_count = a->arg_count,
                          .flags = FUNC_TAKES_NULL,
                          .aggregate = &made_aggregate,
                          .made = made };
    return WR_OK;
}

enum wr_status func_user_find(struct bind *bind, struct slice keyspace, struct slice name, const struct func **out, uint32_t *count)
{
    const struct keyspace *k = schema_keyspace(bind->schema, keyspace);
    const struct user_function *users;
    struct func *list;
    uint32_t room;

    *count = 0;
    *out = NULL;
    TRY(functions_list(bind->ctx, bind->db, bind->schema, keyspace, name, &users, &room));
    uint32_t user_count = room;
    for (uint32_t i = 0; k && i < k->aggregate_count; i++)
        room += slice_eq(k->aggregates[i].name, name);
    if (!room)
        return WR_OK;
    if (!(list = NEW_ARRAY(bind->ctx, struct func, room)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < user_count; i++)
        if (users[i].args)
            TRY(of_user(bind->ctx, keyspace, &users[i], &list[(*count)++]));
    for (uint32_t i = 0; k && i < k->aggregate_count; i++)
        if (slice_eq(k->aggregates[i].name, name))
            TRY(of_aggregate(bind, k, &k->aggregates[i], &list[(*count)++]));
    *out = list;
    return WR_OK;
}

enum wr_status func_user_parts(struct bind *bind, const struct func *func, enum wr_status (*fn)(struct bind *bind, const struct func *part))
{
    TRY(fn(bind, func->made->state));
    return func->made->final ? fn(bind, func->made->final) : WR_OK;
}

enum wr_status func_user_ready(struct bind *bind, const struct func *func)
{
    if (func->java)
        return compile(bind, func->keyspace, func->java);
    if (!func->made)
        return WR_OK;
    if (func->made->missing)
        return fail(bind->ctx, WR_INVALID, "Unable to find function %.*s.%s referenced by UDA %.*s.%s: it is not registered", SLICE_ARG(func->keyspace),
                    func->made->missing, SLICE_ARG(func->keyspace), func->name);
    return func_user_parts(bind, func, func_user_ready);
}
