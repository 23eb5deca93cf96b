/*
 * explog.h - e to the power of a decimal, and its logarithms, to as many digits as the server gives.
 *
 * 1. Results have max(32, digits of the argument) significant digits, at most 10,000, rounded half even; those of
 * exp(0) and log(1), and of log10 of most powers of ten, are whole numbers.
 * 2. WR_SERVER_ERROR, in the words of Java's ArithmeticException, for logarithms of what is not positive and for
 * results whose exponent has no room in a decimal's scale.
 */
#ifndef WR_MODEL_EXPLOG_H
#define WR_MODEL_EXPLOG_H

#include "engine/ctx.h"

enum wr_status decimal_exp(struct ctx *ctx, struct slice value, struct slice *out);
enum wr_status decimal_log(struct ctx *ctx, struct slice value, struct slice *out);
enum wr_status decimal_log10(struct ctx *ctx, struct slice value, struct slice *out);

#endif
