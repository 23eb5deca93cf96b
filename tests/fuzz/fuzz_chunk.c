/* Any bytes as a chunk: they are refused, or looking at them and changing them stays within them. */
#include <stdlib.h>

#include "engine/chunk.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static volatile size_t looked;

static void look(const struct chunk *chunk)
{
    struct slice key, value;
    uint32_t at;
    bool exact;
    size_t sum = 0;

    for (uint32_t i = 0; i < chunk->count; i++) {
        if (!chunk_entry(chunk, i, &key, &value))
            continue;
        for (size_t n = 0; n < key.len; n++)
            sum += key.data[n];
        for (size_t n = 0; n < value.len; n++)
            sum += value.data[n];
        if (chunk_find(chunk, key, &at, &exact))
            require(at <= chunk->count && (!exact || at < chunk->count));
    }
    looked += sum;
}

static void resize(uint8_t *bytes, size_t len, uint32_t count)
{
    struct chunk copy = { malloc(len), len, count };

    require(copy.bytes != NULL);
    memcpy((uint8_t *)copy.bytes, bytes, len);
    chunk_resize(bytes, len, &copy);
    free((uint8_t *)copy.bytes);
}

/* As a row that is written or deleted does it. */
static void change(uint8_t *bytes, size_t len, const uint8_t *steps, size_t count)
{
    struct chunk chunk;
    struct slice key, value;
    uint8_t *room;

    for (size_t i = 0; i < count && len <= CHUNK_BYTES && chunk_open(slice_of(bytes, len), &chunk); i++) {
        uint32_t at = steps[i] % (chunk.count + 1);
        if (at < chunk.count && steps[i] & 0x80 && chunk_entry(&chunk, at, &key, &value) && chunk.count > 1)
            chunk_remove(bytes, len, at);
        else if (chunk_insert(bytes, len, at, slice_of(steps, i), steps[i], &room))
            memset(room, 0x55, steps[i]);
        else
            resize(bytes, len, chunk.count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { STEPS = 16 };
    struct chunk chunk;
    size_t len = size > STEPS ? size - STEPS : 0;
    uint8_t *bytes = malloc(len ? len : 1); /* no longer: what is looked at behind it is told */

    require(bytes != NULL);
    memcpy(bytes, data, len);
    if (len && chunk_open(slice_of(bytes, len), &chunk)) {
        require(chunk_full_bytes(&chunk) <= len || len > CHUNK_BYTES);
        look(&chunk);
        change(bytes, len, data + len, STEPS);
    }
    free(bytes);
    return 0;
}
