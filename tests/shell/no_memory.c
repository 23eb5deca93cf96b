/* Linked into wr: of its main thread's allocations the one that WIDEROW_FAIL_ALLOCATION says, from 0, fails. */
#include <stdlib.h>

#include "engine/rig.h"
#include "tests/allocations.h"

static __attribute__((constructor)) void begin(void)
{
    const char *n = getenv("WIDEROW_FAIL_ALLOCATION");
    rig.mem_blocks_apart = true;
    if (n)
        allocations_fail(atol(n), true);
}
