#include "model/func_user.h"

#include "model/signature.h"

/* ---- aggregates: a state that a function goes over with each row ---- */

struct func_made {                    /* what an aggregate of the schema is made of */
    const struct func *state, *final; /* NULL: not registered; final also: none */
    struct slice initial;
    const char *missing; /* the signature of the function that is not registered; NULL: all are */
};

struct made_state {
    struct kept value;
    bool started;
};

/* UDAggregate.addInput: of a function that is not to be called with nulls, the arguments of the row alone are looked
 * at. */
static enum wr_status made_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    const struct func_made *made = call->func->made;
    struct made_state *s = state;
    uint32_t n = call->func->arg_count;
    struct slice *all = NEW_ARRAY(call->ctx, struct slice, n + 1), next;

    if (!all)
        return WR_NOMEM;
    all[0] = s->started ? kept_value(&s->value) : made->initial;
    for (uint32_t i = 0; i < n; i++) {
        all[i + 1] = args[i];
        if (!(made->state->flags & FUNC_TAKES_NULL) && type_reads_null(call->func->args[i], args[i]))
            return WR_OK;
    }
    TRY(made->state->call(&(struct call){ call->ctx, call->exec, made->state }, all, &next));
    s->started = true;
    s->value.set = false;
    return slice_is_null(next) ? WR_OK : kept_put(call->ctx, &s->value, next, grew);
}

static enum wr_status made_result(const struct call *call, const void *state, struct slice *out)
{
    const struct func_made *made = call->func->made;
    const struct made_state *s = state;
    struct slice value = s->started ? kept_value(&s->value) : made->initial;

    if (!made->final)
        return ctx_copy(call->ctx, value, out);
    *out = SLICE_NULL;
    if (!(made->final->flags & FUNC_TAKES_NULL) && type_reads_null(made->final->args[0], value))
        return WR_OK;
    TRY(made->final->call(&(struct call){ call->ctx, call->exec, made->final }, &value, out));
    return ctx_copy(call->ctx, *out, out); /* it may have given back its argument, which the state goes on with */
}

static void made_reset(void *state)
{
    ((struct made_state *)state)->started = false;
}

static const struct func_aggregate made_aggregate = { sizeof(struct made_state), made_add, made_result, made_reset };

/* ---- finding ---- */

/* *out NULL: its types are not there (any more). */
static enum wr_status of_host(struct ctx *ctx, const struct schema *schema, const struct host_function *host,
                              struct func *out, bool *known)
{
    const struct type **args = NEW_ARRAY(ctx, const struct type *, host->arg_count);
    if (!args)
        return WR_NOMEM;
    *out = (struct func){ .keyspace = host->keyspace,
                          .name = host->name,
                          .args = args,
                          .arg_count = host->arg_count,
                          .flags = (host->flags & WR_FUNCTION_CALLED_ON_NULL ? FUNC_TAKES_NULL : 0) |
                                   (host->flags & WR_FUNCTION_DETERMINISTIC ? 0 : FUNC_IMPURE) |
                                   (host->flags & WR_FUNCTION_MONOTONIC ? FUNC_MONOTONIC : 0),
                          .call = func_call_host,
                          .host = host };
    return host_types(ctx, schema, host, args, &out->result, known);
}

static enum wr_status part_of(struct bind *bind, const struct keyspace *keyspace, struct slice name,
                              const struct type *const *types, uint32_t count, const struct func **out,
                              const char **missing)
{
    struct func *func = NEW(bind->ctx, struct func);
    const struct host_function *host;
    struct slice *texts, signature;
    bool known = false;

    if (!func)
        return WR_NOMEM;
    TRY(type_texts(bind->ctx, types, count, &texts));
    if ((host = host_find(bind->db, keyspace->name, name, texts, count)))
        TRY(of_host(bind->ctx, bind->schema, host, func, &known));
    *out = known ? func : NULL;
    if (known)
        return WR_OK;
    TRY(signature_text(bind->ctx, name, texts, count, &signature));
    *missing = ctx_string(bind->ctx, signature);
    return *missing ? WR_OK : WR_NOMEM;
}

static enum wr_status of_aggregate(struct bind *bind, const struct keyspace *keyspace, const struct aggregate *a,
                                   struct func *out)
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
    *out = (struct func){ .keyspace = keyspace->name,
                          .name = name,
                          .result = a->result,
                          .args = types + 1,
                          .arg_count = a->arg_count,
                          .flags = FUNC_TAKES_NULL,
                          .aggregate = &made_aggregate,
                          .made = made };
    return WR_OK;
}

enum wr_status func_user_find(struct bind *bind, struct slice keyspace, struct slice name, const struct func **out,
                              uint32_t *count)
{
    const struct keyspace *k = schema_keyspace(bind->schema, keyspace);
    struct host_walk walk = host_walk(bind->db, keyspace, name), again = walk;
    const struct host_function *host;
    struct func *list;
    uint32_t room = 0;

    *count = 0;
    *out = NULL;
    while (host_next(&walk))
        room++;
    for (uint32_t i = 0; k && i < k->aggregate_count; i++)
        room += slice_eq(k->aggregates[i].name, name);
    if (!room)
        return WR_OK;
    if (!(list = NEW_ARRAY(bind->ctx, struct func, room)))
        return WR_NOMEM;
    while (*count < room && (host = host_next(&again))) { /* fewer only where a registration has failed meanwhile */
        bool known;
        TRY(of_host(bind->ctx, bind->schema, host, &list[*count], &known));
        *count += known;
    }
    for (uint32_t i = 0; k && i < k->aggregate_count && *count < room; i++)
        if (slice_eq(k->aggregates[i].name, name))
            TRY(of_aggregate(bind, k, &k->aggregates[i], &list[(*count)++]));
    *out = list;
    return WR_OK;
}

enum wr_status func_user_parts(struct bind *bind, const struct func *func,
                               enum wr_status (*fn)(struct bind *bind, const struct func *part))
{
    TRY(fn(bind, func->made->state));
    return func->made->final ? fn(bind, func->made->final) : WR_OK;
}

enum wr_status func_user_check(struct ctx *ctx, const struct func *func)
{
    if (!func->made || !func->made->missing)
        return WR_OK;
    return fail(ctx, WR_INVALID, "Unable to find function %.*s.%s referenced by UDA %.*s.%s: it is not registered",
                SLICE_ARG(func->keyspace), func->made->missing, SLICE_ARG(func->keyspace), func->name);
}
