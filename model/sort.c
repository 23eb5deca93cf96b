#include "model/sort.h"

#include <stdlib.h>

static inline void copy_item(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (bytes == sizeof(struct slice)) /* most are as large: without a call */
        memcpy(to, from, sizeof(struct slice));
    else
        memcpy(to, from, bytes);
}

/* Runs [left, middle) and [middle, end) of from into one of to. */
static void merge_runs(const uint8_t *from, uint8_t *to, size_t left, size_t middle, size_t end, size_t item_bytes, sort_cmp *cmp,
                       const void *arg)
{
    size_t i = left, j = middle;

    for (size_t k = left; k < end; k += item_bytes) {
        bool take_left = i < middle && (j >= end || cmp(from + i, from + j, arg) <= 0);
        size_t *taken = take_left ? &i : &j;
        copy_item(to + k, from + *taken, item_bytes);
        *taken += item_bytes;
    }
}

/* Where the items from `at` on that are in order end. */
static size_t run_end(const uint8_t *items, size_t at, size_t end, size_t item_bytes, sort_cmp *cmp, const void *arg)
{
    do
        at += item_bytes;
    while (at < end && cmp(items + at - item_bytes, items + at, arg) <= 0);
    return at;
}

enum wr_status sort_stably(struct ctx *ctx, void *items, size_t count, size_t item_bytes, sort_cmp *cmp, const void *arg)
{
    size_t bytes = count * item_bytes, run_count = 0, end = count ? run_end(items, 0, bytes, item_bytes, cmp, arg) : 0;
    uint8_t *from = items;

    if (end == bytes)
        return WR_OK;
    uint8_t *to = ctx_alloc_room(ctx, item_bytes, count);
    size_t *ends = ctx_alloc_room(ctx, sizeof *ends, count);
    if (!to || !ends)
        return WR_NOMEM;
    for (; end < bytes; end = run_end(items, end, bytes, item_bytes, cmp, arg))
        ends[run_count++] = end;
    ends[run_count++] = bytes;
    while (run_count > 1) {
        size_t merged = 0, left = 0;
        for (size_t i = 0; i < run_count; i += 2) {
            end = ends[i + 1 < run_count ? i + 1 : i];
            merge_runs(from, to, left, ends[i], end, item_bytes, cmp, arg);
            ends[merged++] = left = end;
        }
        run_count = merged;
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
