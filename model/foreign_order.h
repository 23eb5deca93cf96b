/*
 * foreign_order.h - what a server finds where it compares values by a comparator that is not made for them: its exceptions, too.
 */
#ifndef WR_MODEL_FOREIGN_ORDER_H
#define WR_MODEL_FOREIGN_ORDER_H

#include "model/type.h"

/* The order of two values of another type as if they were of this one, whatever their bytes mean then. */
enum wr_status foreign_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order);

/* Of two lists of the type that may have nulls in them, as bound ones may. */
enum wr_status lists_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order);

#endif
