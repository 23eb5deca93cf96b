/*
 * sort.h - putting things in order without changing that of equals, which qsort promises nobody: of two keys that compare equal and are
 * not the same bytes (1.0 and 1.00) the one given first stays the first, as in Java's TreeSet and sort.
 */
#ifndef WR_MODEL_SORT_H
#define WR_MODEL_SORT_H

#include "engine/ctx.h"

typedef int sort_cmp(const void *a, const void *b, const void *arg);

/* Merges the runs that are in order already, so what is in order costs a comparison an item, and else takes as much memory of the statement again and a place
 * for each item. */
enum wr_status sort_stably(struct ctx *ctx, void *items, size_t count, size_t item_bytes, sort_cmp *cmp, const void *arg);

/* As qsort, and equals stay as they stood: for what mostly is few, or in order already. */
void sort_few(void *items, size_t count, size_t item_bytes, int (*cmp)(const void *a, const void *b));

#endif
