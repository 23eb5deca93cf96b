/* The messages: made up, but as long and as often as chat messages are. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void message_make(uint64_t i, uint32_t rooms, struct message *out)
{
    static const char words[] = "hello how do I get this to work again thanks for the answer maybe you should look at the manual it says nothing of "
                                "that kind and yet everybody does it so I would try once more and see what comes out of it in the end ";
    uint64_t r = mix(i), ticks = 0x1e5000000000000u + i * 10007; /* 100 ns since 1582 */
    out->room = (uint32_t)(r % rooms);
    uint8_t id[16] = {
        (uint8_t)(ticks >> 24), (uint8_t)(ticks >> 16), (uint8_t)(ticks >> 8), (uint8_t)ticks,
        (uint8_t)(ticks >> 40), (uint8_t)(ticks >> 32), (uint8_t)(0x10 | (ticks >> 56 & 0x0f)), (uint8_t)(ticks >> 48),
        0x80, 0, 1, 2, 3, 4, 5, 6,
    };
    memcpy(out->id, id, sizeof id);
    snprintf(out->author, sizeof out->author, "nick%05u", (unsigned)(r >> 32) % 15502);
    size_t len = 20 + (r >> 20) % 100, start = (r >> 40) % (sizeof words - 130);
    memcpy(out->text, words + start, len);
    out->text[len] = 0;
    out->system = (r >> 60) == 0;
}

uint64_t room_name(uint32_t room, char out[24])
{
    return (uint64_t)snprintf(out, 24, "#room%06u", room);
}

uint64_t bytes_sum(const void *bytes, size_t len, uint64_t seed)
{
    const uint8_t *p = bytes;
    /* Eight at a time: the sum must not be what is measured. */
    for (; len >= 8; len -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        seed = (seed ^ word) * 0x100000001b3u;
    }
    while (len--)
        seed = (seed ^ *p++) * 0x100000001b3u;
    return seed;
}
