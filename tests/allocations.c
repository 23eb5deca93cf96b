#include "tests/allocations.h"

#include <stddef.h>
#include <stdlib.h>

static _Thread_local bool armed, one, failed;
static _Thread_local long left;

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

void allocations_fail(long n, bool alone)
{
    left = n;
    one = alone;
    failed = false;
    armed = true;
}

void allocations_pause(void)
{
    armed = false;
}

void allocations_go_on(void)
{
    armed = true;
}

bool allocations_failed(void)
{
    armed = false;
    return failed;
}

static bool fails(void)
{
    if (!armed || left-- > 0 || (one && failed))
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : calloc(count, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return fails() ? NULL : realloc(at, size);
}
