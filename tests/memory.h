/*
 * memory.h - what tests have that need memory and a ctx, and nothing else.
 */
#ifndef WR_TESTS_MEMORY_H
#define WR_TESTS_MEMORY_H

#include "tests/ok.h"

static struct arena arena;
static struct ctx ctx;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

#endif
