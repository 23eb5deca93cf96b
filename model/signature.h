/*
 * signature.h - functions and aggregates by the texts of their argument types, as Cassandra tells overloads apart.
 */
#ifndef WR_MODEL_SIGNATURE_H
#define WR_MODEL_SIGNATURE_H

#include "model/schema.h"

/* `name(int, list<text>)`; the name as it is. */
enum wr_status signature_text(struct ctx *ctx, struct slice name, const struct slice *args, uint32_t arg_count,
                              struct slice *out);

/* The texts of types, as type_print_name prints them. */
enum wr_status type_texts(struct ctx *ctx, const struct type *const *types, uint32_t count, struct slice **out);

bool same_texts(const struct slice *a, const struct slice *b, uint32_t count);

/* The function of the schema of that name and these texts; *out NULL: there is none. keyspace NULL: none either. */
enum wr_status function_find(struct ctx *ctx, const struct keyspace *keyspace, struct slice name, const struct slice *types,
                             uint32_t count, const struct function **out);

/* The aggregate of that name and these texts; *out NULL: there is none. keyspace NULL: none either. */
enum wr_status aggregate_find(struct ctx *ctx, const struct keyspace *keyspace, struct slice name, const struct slice *types,
                              uint32_t count, const struct aggregate **out);

#endif
