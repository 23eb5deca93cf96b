/*
 * func_collection.c - functions of one collection. Those that fold its elements do it with the aggregates over rows, so
 * that sum(v) and collection_sum([..]) agree.
 */
#include <stdlib.h>

#include "model/func.h"
#include "model/numeric.h"

/* ---- map_keys, map_values ---- */

static int cmp_elements(const void *a, const void *b, void *type)
{
    return type_compare(type, *(const struct slice *)a, *(const struct slice *)b);
}

static enum wr_status map_part(const struct call *call, const struct slice *args, struct slice *out)
{
    uint32_t n = type_collection_count(args[0]), taken = 0;
    struct slice *parts = NEW_ARRAY(call->ctx, struct slice, n), one;
    struct elements e;

    if (!parts)
        return WR_NOMEM;
    elements_open(&e, call->func->args[0], args[0]);
    for (uint32_t i = 0; taken < n && elements_next(&e, &one); i++)
        if ((int)(i % 2) == call->func->variant)
            parts[taken++] = one;
    if (call->func->result->kind == TYPE_SET) /* bound maps may lie in any order, but SetSerializer.serializeValues sorts */
        qsort_r(parts, taken, sizeof *parts, cmp_elements, (void *)call->func->result->args[0]);
    return type_pack(call->ctx, call->func->result, parts, taken, out);
}

enum wr_status func_make_map_part(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                  struct func *out)
{
    (void)receiver;
    out->result = type_make(ctx, e->variant ? TYPE_LIST : TYPE_SET, &out->args[0]->args[e->variant], 1, false, 0);
    out->call = map_part;
    return out->result ? WR_OK : WR_NOMEM;
}

/* ---- collection_count ---- */

static enum wr_status count(const struct call *call, const struct slice *args, struct slice *out)
{
    return numeric_put_integer(call->ctx, TYPE_INT, type_collection_count(args[0]), out);
}

enum wr_status func_make_count(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                               struct func *out)
{
    (void)ctx, (void)e, (void)receiver;
    out->result = type_native(TYPE_INT);
    out->call = count;
    return WR_OK;
}

/* ---- collection_min, _max, _sum, _avg ---- */

static const struct func_aggregate *fold_by(int variant, enum type_kind kind)
{
    switch (variant) {
    case COLLECTION_MIN:
        return &func_min;
    case COLLECTION_MAX:
        return &func_max;
    case COLLECTION_SUM:
        return func_sum_of(kind);
    default:
        return func_avg_of(kind);
    }
}

static enum wr_status fold(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct type *element = call->func->args[0]->args[0];
    const struct func_aggregate *by = fold_by(call->func->variant, element->kind);
    struct func over = { .result = element, .args = &element, .arg_count = 1 };
    struct call each = { call->ctx, call->exec, &over };
    void *state = ctx_alloc(call->ctx, by->state_size);
    struct elements e;
    struct slice one;
    bool grew = false;

    if (!state)
        return WR_NOMEM;
    elements_open(&e, call->func->args[0], args[0]);
    while (elements_next(&e, &one)) {
        bool numbers = call->func->variant == COLLECTION_SUM || call->func->variant == COLLECTION_AVG;
        if (numbers && one.len == 0)
            continue;
        TRY(by->add(&each, state, &one, &grew));
    }
    return by->result(&each, state, out);
}

enum wr_status func_make_fold(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                              struct func *out)
{
    (void)ctx, (void)e, (void)receiver;
    out->result = out->args[0]->args[0];
    out->call = fold;
    return WR_OK;
}
