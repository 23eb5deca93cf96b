#include "model/sort.h"

#include <stdlib.h>

/* Runs [left, middle) and [middle, end) of from into one of to. */
static void merge_runs(const uint8_t *from, uint8_t *to, size_t left, size_t middle, size_t end, size_t item_bytes, sort_cmp *cmp,
                       const void *arg)
{
    size_t i = left, j = middle;

    for (size_t k = left; k < end; k += item_bytes) {
        bool take_left = i < middle && (j >= end || cmp(from + i, from + j, arg) <= 0);
        size_t *taken = take_left ? &i : &j;
        memcpy(to + k, from + *taken, item_bytes);
        *taken += item_bytes;
    }
}

enum wr_status sort_stably(struct ctx *ctx, void *items, size_t count, size_t item_bytes, sort_cmp *cmp, const void *arg)
{
    size_t bytes = count * item_bytes;
    uint8_t *from = items, *to;

    if (count < 2)
        return WR_OK;
    to = ctx_alloc_room(ctx, item_bytes, count);
    if (!to)
        return WR_NOMEM;
    for (size_t run = item_bytes; run < bytes; run *= 2) {
        for (size_t left = 0; left < bytes; left += 2 * run) {
            size_t middle = left + run < bytes ? left + run : bytes;
            merge_runs(from, to, left, middle, middle + run < bytes ? middle + run : bytes, item_bytes, cmp, arg);
        }
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, bytes);
    return WR_OK;
}

enum { INSERTED_MOST = 16, INSERTED_BYTES_MOST = 64 };

void sort_few(void *items, size_t count, size_t item_bytes, int (*cmp)(const void *a, const void *b))
{
    uint8_t *first = items, moved[INSERTED_BYTES_MOST];

    if (count > INSERTED_MOST || item_bytes > sizeof moved) {
        qsort(items, count, item_bytes, cmp);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        size_t to = i;
        while (to > 0 && cmp(first + (to - 1) * item_bytes, first + i * item_bytes) > 0)
            to--;
        if (to == i)
            continue;
        memcpy(moved, first + i * item_bytes, item_bytes);
        memmove(first + (to + 1) * item_bytes, first + to * item_bytes, (i - to) * item_bytes);
        memcpy(first + to * item_bytes, moved, item_bytes);
    }
}
