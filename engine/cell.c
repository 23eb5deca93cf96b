#include "engine/cell.h"

#include <assert.h>

static const uint8_t rank[] = { [CELL_PLAIN] = 0, [CELL_EXPIRING] = 1, [CELL_EXPIRED] = 1, [CELL_DEAD] = 2 };

bool cell_wins(const struct cell *a, const struct cell *b)
{
    assert(a->column == b->column);
    if (a->timestamp_us != b->timestamp_us)
        return a->timestamp_us > b->timestamp_us;
    if (rank[a->kind] != rank[b->kind])
        return rank[a->kind] > rank[b->kind];
    if (rank[a->kind] && a->local_s != b->local_s)
        return a->local_s > b->local_s;
    if (rank[a->kind] == 1 && a->ttl_s != b->ttl_s)
        return a->ttl_s < b->ttl_s;
    return slice_cmp(a->value, b->value) > 0;
}
