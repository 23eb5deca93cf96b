#include "engine/counter.h"

#include "engine/coding.h"

static bool is_ended(const struct cell *c)
{
    return c->kind == CELL_DEAD && slice_is_null(c->value);
}

int64_t counter_value(struct slice value)
{
    return value.len == 8 ? (int64_t)read_u64(value.data) : 0;
}

enum wr_status counter_add(struct ctx *ctx, const struct cell *total, const struct cell *increment, struct cell *out)
{
    *out = *increment;
    out->flags |= CELL_COUNTER;
    if (total && (is_ended(total) || is_ended(increment))) {
        bool other = is_ended(total) && (!is_ended(increment) || total->timestamp_us >= increment->timestamp_us);
        *out = other ? *total : *increment;
        out->flags |= CELL_COUNTER;
        return WR_OK;
    }
    if (!total || is_ended(increment))
        return WR_OK;

    uint8_t *bytes = ctx_alloc(ctx, 8);
    if (!bytes)
        return WR_NOMEM;
    put_u64(bytes, (uint64_t)counter_value(total->value) + (uint64_t)counter_value(increment->value));
    out->value = slice_of(bytes, 8);
    if (total->timestamp_us > out->timestamp_us) {
        out->timestamp_us = total->timestamp_us;
        out->kind = total->kind;
        out->local_s = total->local_s;
    }
    return WR_OK;
}

struct cell counter_bury(const struct cell *c, struct deletion by)
{
    struct cell buried = *c;
    if (c->kind != CELL_DEAD) {
        buried.kind = CELL_DEAD;
        buried.ttl_s = 0;
        buried.local_s = by.local_s;
    }
    return buried;
}
