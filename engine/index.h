/*
 * index.h - from a term to the rows that have it, kept by apply in the transaction that changes the row. (Reading: scan.h.)
 *
 *     TREE_INDEX   wide entries, id = index id
 *                  bytes = term | token u64, sign flipped | partition id u64 | clustering   -> u8, how long the term is here | the sketch, in an index that has them
 *
 * A term stands as it is up to TERM_BYTES_MAX bytes; a longer one as its first TERM_BYTES_MAX bytes and XXH3-64 of it all.
 *
 * 1. A row that is stored among the living has exactly the entries of its terms. Its cells count until a writer has seen that
 *    they have expired: the terms depend on the stored bytes alone, so they can be taken away again.
 * 2. Entries are in order of (term, token, partition id, clustering), since no term is a prefix of another (mutation.h).
 */
#ifndef WR_ENGINE_INDEX_H
#define WR_ENGINE_INDEX_H

#include "engine/partition.h"

enum { TERM_BYTES_MAX = 64, TERM_HASH_BYTES = 8 };

/* The terms of one row in one index as entries have them, ascending, no two equal. */
struct terms {
    struct slice *list;
    uint32_t count, room;
    struct slice sketched, sketch; /* of the one there is; empty in an index without sketches. sketched is the row's; sketch is empty until it is made */
};

/* row NULL: not stored; no terms. */
enum wr_status index_terms(struct ctx *ctx, const struct index_shape *index, struct slice partition_key,
                           struct slice clustering, const struct row *row, struct terms *out);

/* Makes the sketch of what the terms' row lends still. */
enum wr_status index_sketch(struct ctx *ctx, const struct index_shape *index, struct terms *terms);

/* The same, of a row that changes and while both of its states lend, but for an entry whose sketch stays. One that another sketch comes into is put over, so before has it no more. */
enum wr_status index_sketch_change(struct ctx *ctx, const struct index_shape *index, struct terms *before, struct terms *after);

/* Puts and deletes the difference. The place has its id. */
enum wr_status index_change(struct ctx *ctx, struct txn *txn, uint64_t index_id, const struct place *place, struct slice clustering,
                            const struct terms *before, const struct terms *after);

/* One entry, by its bytes. */
enum wr_status index_put(struct ctx *ctx, struct txn *txn, uint64_t index_id, struct slice bytes, uint8_t term_len, struct slice sketch);

/* A term as entries have it, in ctx's memory. */
enum wr_status index_term_stored(struct ctx *ctx, struct slice term, struct slice *out);

/* The parts of an entry; false: damaged. */
struct index_place {
    struct slice term; /* as stored */
    uint64_t partition_id;
    int64_t token;
    struct slice clustering, sketch;
};
bool index_parse(struct slice bytes, struct slice value, struct index_place *out);
enum wr_status index_bytes(struct ctx *ctx, const struct index_place *place, struct slice *out);

#endif
