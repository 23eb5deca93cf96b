/*
 * index.h - from a term to the rows that have it, kept by apply in the transaction that changes the row. (Reading: scan.h.)
 *
 *     TREE_INDEX   wide entries, id = index id
 *                  bytes = XXH3-64 of the term | token u64, sign flipped | partition id u64 | clustering   -> nothing
 *
 * 1. A row that is stored among the living has exactly the entries of its terms. Its cells count until a writer has seen that
 *    they have expired: the terms depend on the stored bytes alone, so they can be taken away again.
 * 2. Every partition with an entry has its way back written (partition.h).
 */
#ifndef WR_ENGINE_INDEX_H
#define WR_ENGINE_INDEX_H

#include "engine/partition.h"

/* Hashes of the terms of one row in one index, ascending, no two equal. */
struct terms {
    uint64_t *hashes;
    uint32_t count, room;
};

/* row NULL: not stored; no terms. */
enum wr_status index_terms(struct ctx *ctx, const struct index_shape *index, struct slice partition_key,
                           struct slice clustering, const struct row *row, struct terms *out);

/* Puts and deletes the difference. */
enum wr_status index_change(struct ctx *ctx, struct txn *txn, uint64_t index_id, struct place *place, struct slice clustering,
                            const struct terms *before, const struct terms *after);

enum { INDEX_BYTES_MIN = 24 };

/* The parts of an entry's bytes; false: damaged. */
struct index_place {
    uint64_t hash, partition_id;
    int64_t token;
    struct slice clustering;
};
bool index_parse(struct slice bytes, struct index_place *out);
enum wr_status index_bytes(struct ctx *ctx, const struct index_place *place, struct slice *out);

#endif
