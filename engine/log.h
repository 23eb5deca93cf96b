/*
 * log.h - the bytes of widerow.log: what is acknowledged and not yet in the data file for good (gather.h).
 *
 *     log     two halves behind each other, each of LOG_HALF_BYTES, or one of LOG_ALONE_BYTES
 *     half    "WRlog4\0\0" or, alone, "WRlog5\0\0" | database id, 16 bytes | chain u64 | base u64 | number u64 | XXH3 of these u64 | record ...
 *     record  length of the changes u32 | commits since the base u32 | changes (journal.h) | XXH3 of these, xor (chain + number of the record), u64
 *
 * A chain is a run of records with nothing missing between them: what was committed to the data file since its first record and until
 * its last is in it. It has a random number and its records are numbered from `number` on, and both are in each record's hash, so that what
 * an earlier chain has left behind is never taken for a record of this one, nor one record for another. `base` is the data file's last commit before the half
 * was begun, and a record's commit, told by its distance from there, the one that its changes went into, or were to go into. Records that a data file has not
 * are done again in their order; who ends with a commit in the midst of a chain does those of later commits alone.
 *
 * 1. Records come out in their order, as far as they are sound. 2. No bytes whatever make a reader go outside them.
 */
#ifndef WR_ENGINE_LOG_H
#define WR_ENGINE_LOG_H

#include "engine/datafile.h"
#include "engine/folder.h"

enum {
    LOG_HALVES = 2,
    LOG_HALF_BYTES = 4 << 20,
    LOG_ALONE_BYTES = 16 << 20,
    LOG_HEAD = 8 + DATABASE_ID_BYTES + 8 + 8 + 8 + 8, /* where its records begin */
    LOG_RECORD_HEAD = 4 + 4,                          /* room before a record's changes, and behind them */
    LOG_RECORD_TAIL = 8,
};

struct log_head {
    uint64_t chain, base, number;
    bool alone;
};

uint64_t log_new_chain(void);

/* The head of a half. What it held is worth nothing from then on. */
void log_begin(uint8_t *half, const uint8_t database_id[DATABASE_ID_BYTES], const struct log_head *head);

/* Makes what lies between `at` and `end`, with room for both ends of a record, one; gives where the next begins. */
size_t log_seal(uint8_t *half, size_t at, size_t end, uint64_t chain, uint64_t number, uint64_t commits);

/* A walk over records. */
struct log_walk {
    struct slice rest, then; /* of the half at hand, of the one that goes on where it ends; null: nothing */
    uint64_t chain, number, base, then_number, then_base;
    uint64_t after; /* records of commits up to this one are passed over */
};

/* What a data file of this database that ends with commit `after` has not. */
void log_walk(struct log_walk *w, struct slice log, const uint8_t database_id[DATABASE_ID_BYTES], uint64_t after);
bool log_next(struct log_walk *w, struct slice *changes); /* false: no more */

/* All of a folder's log, to be freed with mem_free; NULL: there is none. WR_VERSION: it has been left by another version, which alone can give back what is in
 * it. */
enum wr_status log_read(struct ctx *ctx, const struct folder *folder, uint8_t **bytes, size_t *len);

/* What the log holds is worth nothing from now on, also after a loss of power. */
enum wr_status log_wipe(struct ctx *ctx, const struct folder *folder);

#endif
