#include "engine/counter.h"

#include "engine/coding.h"

/* Without a value, too: so were tombstones before their counters' totals were kept. */
static bool is_ended(const struct cell *c)
{
    return c->kind == CELL_DEAD && c->value.len != COUNTER_LEN;
}

int64_t counter_value(struct slice value)
{
    return value.len >= COUNTER_LEN ? (int64_t)read_u64(value.data) : 0;
}

void counter_end(struct cell *c)
{
    static const uint8_t nothing_yet[COUNTER_ENDED_LEN] = { [COUNTER_LEN] = 1 };
    c->kind = CELL_DEAD;
    c->flags |= CELL_COUNTER;
    c->value = slice_of(nothing_yet, sizeof nothing_yet);
}

/* Which of the two the sum is like in all but its value: a tombstone wins whatever the timestamps. */
static const struct cell *winner(const struct cell *total, const struct cell *increment)
{
    if (is_ended(total) != is_ended(increment))
        return is_ended(total) ? total : increment;
    return total->timestamp_us > increment->timestamp_us ? total : increment;
}

enum wr_status counter_add(struct ctx *ctx, const struct cell *total, const struct cell *increment, struct cell *out)
{
    *out = total ? *winner(total, increment) : *increment;
    out->flags |= CELL_COUNTER;
    if (!total)
        return WR_OK;

    uint8_t *bytes = ctx_alloc(ctx, COUNTER_ENDED_LEN);
    if (!bytes)
        return WR_NOMEM;
    put_u64(bytes, (uint64_t)counter_value(total->value) + (uint64_t)counter_value(increment->value));
    bytes[COUNTER_LEN] = 1;
    out->value = slice_of(bytes, is_ended(out) ? COUNTER_ENDED_LEN : COUNTER_LEN);
    return WR_OK;
}

bool counter_bury(const struct cell *c, struct deletion own, struct deletion by, struct cell *out)
{
    *out = *c;
    if (is_ended(c)) {
        if (deletion_covers(own, c->timestamp_us))
            out->value = c->value.len > COUNTER_LEN ? slice_of(c->value.data, COUNTER_LEN) : SLICE_NULL;
    } else if (c->kind != CELL_DEAD) {
        out->kind = CELL_DEAD;
        out->ttl_s = 0;
        out->local_s = by.local_s;
    }
    return !slice_is_null(out->value);
}

bool counter_is_buried(const struct cell *c, struct deletion by)
{
    return cell_is_counter(c) && c->kind == CELL_DEAD && (!is_ended(c) || deletion_covers(by, c->timestamp_us));
}
