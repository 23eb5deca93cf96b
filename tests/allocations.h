/*
 * allocations.h - allocations that fail, of the library and of those it stands on, whose calls the linker leads here (widerow_failing_allocations and
 * widerow_failing_library in tests/CMakeLists.txt).
 *
 * Only the calling thread's fail: what others do at the time is not the call's. Each allocation in an arena may (rig.mem_blocks_apart).
 */
#ifndef TESTS_ALLOCATIONS_H
#define TESTS_ALLOCATIONS_H

#include <stdbool.h>

#include "engine/rig.h"

/* From now on the n-th fails, from 0; alone: those behind it do not. */
void allocations_fail(long n, bool alone);
void allocations_pause(void);
void allocations_go_on(void);
/* Ends it; whether one has failed. */
bool allocations_failed(void);

#endif
