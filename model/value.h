/*
 * value.h - C numbers to the bytes of a type and back, for callers in C: the public interface and column families.
 */
#ifndef WR_MODEL_VALUE_H
#define WR_MODEL_VALUE_H

#include "model/type.h"

/* Every integer type in its range, varint, decimal, float, double, boolean (0, 1), date (days since 1970), time (ns), timestamp
 * (ms), counter. WR_INVALID where the type takes no integer or the number does not fit. */
enum wr_status value_from_int(struct ctx *ctx, const struct type *type, int64_t number, struct slice *out);
enum wr_status value_from_double(struct ctx *ctx, const struct type *type, double number, struct slice *out); /* float, double, decimal */

/* 0 for a null, an empty value, or a type that is none of those above. Decimals are cut, numbers too large saturate. */
int64_t value_to_int(const struct type *type, struct slice value);
double value_to_double(const struct type *type, struct slice value);

#endif
