/*
 * signature.h - functions and aggregates by the texts of their argument types, as Cassandra tells overloads apart.
 */
#ifndef WR_MODEL_SIGNATURE_H
#define WR_MODEL_SIGNATURE_H

#include "model/type.h"

/* `name(int, list<text>)`; the name as it is. */
enum wr_status signature_text(struct ctx *ctx, struct slice name, const struct slice *args, uint32_t arg_count,
                              struct slice *out);

/* The texts of types, as type_print_name prints them. */
enum wr_status type_texts(struct ctx *ctx, const struct type *const *types, uint32_t count, struct slice **out);

#endif
