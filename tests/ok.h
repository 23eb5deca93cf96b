/*
 * ok.h - what all tests below the public header include: cmocka, and a short way to ask for WR_OK.
 */
#ifndef WR_TESTS_OK_H
#define WR_TESTS_OK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail /* ours is engine/ctx.h's */

#include "engine/ctx.h"

static inline void check_ok(struct ctx *ctx, enum wr_status st, const char *file, int line)
{
    if (st != WR_OK)
        print_message("status %d: %s\n", (int)st, ctx->error);
    _assert_int_equal((uintmax_t)st, WR_OK, file, line);
}
#define OK(ctx, call) check_ok((ctx), (call), __FILE__, __LINE__)

#endif
