/*
 * lanes.h - floats that are worked on at once, which compilers make of what the processor has. What is static inline here takes on the instructions of the
 * function that it is in.
 */
#ifndef WR_MODEL_LANES_H
#define WR_MODEL_LANES_H

#include <stdint.h>
#include <string.h>

enum { LANES = 8, LANES_BYTES = 32 };
typedef float lanes __attribute__((vector_size(LANES_BYTES)));
typedef uint32_t lane_bits __attribute__((vector_size(LANES_BYTES)));
typedef uint16_t lane_halves __attribute__((vector_size(LANES_BYTES)));
typedef int32_t lane_ints __attribute__((vector_size(LANES_BYTES)));
typedef int8_t lane_bytes __attribute__((vector_size(LANES)));

#define LANES_INLINE static inline __attribute__((always_inline))

/* From the protocol's order of bytes. */
LANES_INLINE void lanes_read(const uint8_t *bytes, lanes *out)
{
    lane_halves halves;

    memcpy(&halves, bytes, sizeof halves);
    halves = halves << 8 | halves >> 8;
    lane_bits bits = (lane_bits)halves;
    bits = bits << 16 | bits >> 16;
    *out = (lanes)bits;
}

LANES_INLINE float lanes_sum(const lanes *v)
{
    float sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += (*v)[l];
    return sum;
}

#endif
