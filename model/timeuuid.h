/*
 * timeuuid.h - version 1 UUIDs: made, and read for their time.
 *
 *     time low u32 | time mid u16 | 1, time high u16 | variant, clock sequence u16 | node 6 bytes
 *
 * The time counts 100 nanoseconds since 1582-10-15.
 * 1. timeuuid_next never gives two of the same time from one `last_us`, and each is later than the one before, also
 * when the clock goes back. Sequence and node are random: two processes do not meet.
 * 2. The least and the greatest of a millisecond bound all others of it, in the order of the type timeuuid.
 */
#ifndef WR_MODEL_TIMEUUID_H
#define WR_MODEL_TIMEUUID_H

#include <stdatomic.h>
#include <stdint.h>

enum { TIMEUUID_BYTES = 16 };

void timeuuid_next(_Atomic int64_t *last_us, int64_t now_us, uint8_t out[TIMEUUID_BYTES]);
void timeuuid_min(int64_t ms, uint8_t out[TIMEUUID_BYTES]);
void timeuuid_max(int64_t ms, uint8_t out[TIMEUUID_BYTES]);
int64_t timeuuid_us(const uint8_t uuid[TIMEUUID_BYTES]); /* since 1970 */
int64_t timeuuid_ms(const uint8_t uuid[TIMEUUID_BYTES]); /* since 1970 */

#endif
