/*
 * log.h - the bytes of widerow.log: what is acknowledged and not yet in the data file, session by session (gather.h).
 *
 *     log     "WRlog1\0\0" | database id, 16 bytes | session u64 | base u64 | XXH3 of these u64 | record ...
 *     record  length of the changes u32 | number in the session u32 | session u64 | changes (journal.h) | XXH3 of these u64
 *
 * `base` is the snapshot that the session stands on: the log counts only where the data file still ends with it. A session is a
 * random number, so that what an earlier one has left behind is never taken for a record of this one.
 *
 * 1. Records come out in their order, as far as they are sound. 2. No bytes whatever make a reader go outside them.
 */
#ifndef WR_ENGINE_LOG_H
#define WR_ENGINE_LOG_H

#include "engine/datafile.h"
#include "engine/folder.h"

enum {
    LOG_BYTES = 4 << 20,
    LOG_HEAD = 8 + DATABASE_ID_BYTES + 8 + 8 + 8, /* where records begin */
    LOG_RECORD_HEAD = 4 + 4 + 8,                  /* room before a record's changes, and behind them */
    LOG_RECORD_TAIL = 8,
};

/* A new session. What the log holds is worth nothing from then on. */
void log_begin(uint8_t *log, const uint8_t database_id[DATABASE_ID_BYTES], uint64_t base, uint64_t *session);

/* Makes what lies between `at` and `end`, with room for both ends of a record, one; gives where the next begins. */
size_t log_seal(uint8_t *log, size_t at, size_t end, uint64_t session, uint32_t number);

/* The records of a log of this database that stands on base; null: it does not. */
struct slice log_records(struct slice log, const uint8_t database_id[DATABASE_ID_BYTES], uint64_t base, uint64_t *session);

/* The changes of the record at the front of *rest, which is advanced; false: there is none, or it is not sound. */
bool log_next(struct slice *rest, uint64_t session, uint32_t number, struct slice *changes);

/* All of a folder's log, to be freed with mem_free; NULL: there is none. */
enum wr_status log_read(struct ctx *ctx, const struct folder *folder, uint8_t **bytes, size_t *len);

#endif
