/*
 * func_collection.c - functions of one collection. Those that fold its elements do it with the aggregates over rows, so
 * that sum(v) and collection_sum([..]) agree.
 */
#include "model/func.h"
#include "model/numeric.h"
#include "model/recompose.h"
#include "model/sort.h"

/* ---- map_keys, map_values ---- */

/* Of a map as Java keeps it: a key that comes again gives its value to the first. */
struct pair {
    struct slice part[2]; /* key, value */
    uint32_t at;
    bool again;
};

static int cmp_keys(const void *a, const void *b, const void *arg)
{
    const struct pair *x = a, *y = b;
    (void)arg;
    return slice_cmp(x->part[0], y->part[0]);
}

static int cmp_places(const void *a, const void *b, const void *arg)
{
    const struct pair *x = a, *y = b;
    (void)arg;
    return (x->at > y->at) - (x->at < y->at);
}

static enum wr_status mark_again(struct ctx *ctx, struct pair *pairs, uint32_t n)
{
    TRY(sort_stably(ctx, pairs, n, sizeof *pairs, cmp_keys, NULL));
    for (uint32_t i = 1, first = 0; i < n; i++) {
        if (!slice_eq(pairs[i].part[0], pairs[first].part[0])) {
            first = i;
            continue;
        }
        pairs[i].again = true;
        pairs[first].part[1] = pairs[i].part[1];
    }
    return sort_stably(ctx, pairs, n, sizeof *pairs, cmp_places, NULL);
}

/* Bound maps may lie in any order and have a key twice: MapSerializer reads them into a LinkedHashMap, SetSerializer.serializeValues sorts. */
static enum wr_status map_part(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct type *map = call->func->args[0];
    uint32_t n = type_collection_count(args[0]), read = 0, taken = 0;
    struct pair *pairs = NEW_ARRAY(call->ctx, struct pair, n);
    struct slice *parts = NEW_ARRAY(call->ctx, struct slice, n), one;
    struct elements e;
    bool in_order = true;

    if (!pairs || !parts)
        return WR_NOMEM;
    elements_open(&e, map, args[0]);
    for (uint32_t i = 0; i < 2 * n && elements_next(&e, &one); i++) {
        TRY(element_recompose(call->ctx, map->args[i % 2], one, &pairs[i / 2].part[i % 2]));
        pairs[i / 2].at = i / 2;
        read += i % 2;
        in_order &= i % 2 || i < 2 || type_compare(map->args[0], pairs[i / 2 - 1].part[0], pairs[i / 2].part[0]) < 0;
    }
    if (!in_order)
        TRY(mark_again(call->ctx, pairs, read));
    for (uint32_t i = 0; i < read; i++)
        if (!pairs[i].again)
            parts[taken++] = pairs[i].part[call->func->variant];
    if (!in_order && call->func->result->kind == TYPE_SET)
        TRY(sort_stably(call->ctx, parts, taken, sizeof *parts, type_slices_cmp, call->func->result->args[0]));
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
