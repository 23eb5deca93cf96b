/*
 * verify.h - inside the check of a database: what is known by now, and one partition of it. Only verify*.c include it; who has a database checked calls
 * engine_verify (engine.h).
 */
#ifndef WR_ENGINE_VERIFY_H
#define WR_ENGINE_VERIFY_H

#include "engine/ids.h"
#include "engine/state.h"

/* How many entries an index must have. */
struct expected {
    uint64_t index_id, entries;
};

struct verify {
    struct txn *txn;
    const struct writer *writer; /* knows the tables */
    struct findings *findings;
    struct ids partitions, ranges, spilled;
    struct expected *indexes;
    size_t index_count, index_room;
    struct wide_cursor *rows, *graves;
};

/* Damage that a room stumbles over is a finding like any other, and no reason to stop. */
enum wr_status verify_note(struct ctx *ctx, struct verify *v, enum wr_status st);

/* An entry of the directory, and all that is its partition's (verify_partition.c). */
enum wr_status verify_partition(struct ctx *ctx, struct verify *v, struct slice physical, struct slice bytes);

#endif
