#include "engine/ids.h"

#include <stdlib.h>

enum wr_status ids_add(struct ctx *ctx, struct ids *ids, uint64_t id)
{
    if (ids->count == ids->room) {
        size_t room = ids->room ? ids->room * 2 : 256;
        uint64_t *at = mem_realloc(ids->at, room * sizeof *at);
        if (!at)
            return fail_nomem(ctx);
        ids->at = at;
        ids->room = room;
    }
    ids->at[ids->count++] = id;
    return WR_OK;
}

static int id_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void ids_sort(struct ids *ids)
{
    if (ids->count > 1)
        qsort(ids->at, ids->count, sizeof *ids->at, id_cmp);
}

bool ids_has(const struct ids *ids, uint64_t id)
{
    return ids->count && bsearch(&id, ids->at, ids->count, sizeof id, id_cmp);
}

void ids_release(struct ids *ids)
{
    mem_free(ids->at);
}
