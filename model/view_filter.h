/*
 * view_filter.h - which rows of its table a view has: its WHERE, evaluated once when it was made.
 *
 * Cassandra lets a view's WHERE say no more of regular columns than IS NOT NULL, which the view's key implies; so a row's key
 * alone decides, and a row never comes in or goes by a change of its cells.
 *
 *     ranges varint | range: start length varint, start | end length varint + 1 or 0, end ... | tests (restrict.h's filter_put)
 */
#ifndef WR_MODEL_VIEW_FILTER_H
#define WR_MODEL_VIEW_FILTER_H

#include "model/restrict.h"

struct view_filter {
    struct range *ranges; /* of clusterings; a row is in one of them */
    uint32_t range_count;
    struct filter *tests; /* NULL: none besides */
};

/* Evaluates, with what restrictions refuse (a null value). */
enum wr_status view_filter_encode(struct exec *exec, const struct restrictions *r, struct slice *out);
enum wr_status view_filter_decode(struct ctx *ctx, const struct table *base, struct slice bytes, struct view_filter *out);

/* keys: the values of key and clustering columns, by ordinal. */
enum wr_status view_filter_passes(struct ctx *ctx, const struct view_filter *f, const struct slice *keys, struct slice clustering,
                                  bool *passes);

#endif
