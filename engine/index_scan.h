/*
 * index_scan.h - reading by index: the rows that have a term, or one of a range of terms. (What an index is: index.h.)
 *
 * A hit is a candidate: long terms are hashed and cells expire, so the caller reads the row and looks again.
 */
#ifndef WR_ENGINE_INDEX_SCAN_H
#define WR_ENGINE_INDEX_SCAN_H

#include "engine/scan.h"

struct index_scan;

struct index_hit {
    int64_t token;
    struct slice partition_key;
    struct slice clustering; /* of a static index: empty */
    bool lasts;              /* both as long as the transaction, while the scan is not opened again; else until the next hit */
};

enum wr_status index_scan_new(struct ctx *ctx, struct index_scan **out);
void index_scan_free(struct index_scan *s);
void index_scan_close(struct index_scan *s); /* as scan_close */

/* Hits of one term by (token, partition, clustering), from behind `after` where that is not NULL (an empty key: behind all of its token). Of partitions with
 * one token, which there hardly ever are, the one comes first that was written first. */
enum wr_status index_scan_open(struct ctx *ctx, struct index_scan *s, struct txn *txn, const struct table_shape *table, uint64_t index_id,
                               struct slice term, const struct index_hit *after);

struct index_range {
    uint64_t index_id;
    struct range terms;
    int64_t token_from, token_to;
    const struct index_hit *after;
    uint32_t most; /* entries */
};

/* The same of all terms in a range, by (token, key, clustering); each row once. They are gathered before the first is given: where the range has more than
 * `most` entries, *many says so and none is given, since reading the table itself is no more work then. */
enum wr_status index_scan_open_range(struct ctx *ctx, struct index_scan *s, struct txn *txn, const struct table_shape *table,
                                     const struct index_range *range, bool *many);
enum wr_status index_scan_next(struct ctx *ctx, struct index_scan *s, struct index_hit *out, bool *found);

/* Of the hits of one term that are still to be read those are left out whose sketch (mutation.h) does not pass: empty, where it has none. Some are read before
 * the one before them has been given. */
struct index_sieve {
    void *arg;
    bool (*passes)(void *arg, struct slice sketch);
};
void index_scan_sift(struct index_scan *s, struct index_sieve sieve); /* until it is opened again */

/* The partition of the hit that was given last, until the next one; NULL in a transaction that may be written to, where partition_find tells. */
const struct partition *index_scan_partition(const struct index_scan *s);

/* How many entries a range of terms has, counted up to max: to choose among indexes. Closes what the scan had open. */
enum wr_status index_count(struct ctx *ctx, struct index_scan *s, struct txn *txn, uint64_t index_id, struct range terms,
                           uint32_t max, uint32_t *out);

#endif
