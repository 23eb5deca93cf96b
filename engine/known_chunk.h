/*
 * known_chunk.h - where a scan of all of a partition's rows begins, once that has been found out for some partitions together (pack_expect).
 */
#ifndef WR_ENGINE_KNOWN_CHUNK_H
#define WR_ENGINE_KNOWN_CHUNK_H

#include <stdbool.h>

#include "engine/slice.h"

struct known_chunk {
    struct slice key, bytes; /* in the map of the read that has asked; bytes null: nothing is known */
    bool is_last;            /* of the chunks of its id, else it is the first */
    bool alone;              /* it is the only one */
};

#endif
