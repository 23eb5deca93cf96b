/*
 * stream.h - LMDB's transaction that stays open over many writes, and the log that each of them is safe in: what gather.h stands on.
 *
 * A session begins with the first write and ends when its transaction is committed. What is pending is in the log and not in the data
 * file: in the open transaction or, where that had to be given up, only in the log, from which it is done again.
 *
 * All of it is for who holds gather's lock, but for the atomics.
 */
#ifndef WR_ENGINE_STREAM_H
#define WR_ENGINE_STREAM_H

#include <stdatomic.h>

#include "engine/durability.h"
#include "engine/keeper.h"
#include "engine/logfile.h"

struct stream {
    struct store *store;
    struct syncer *durability; /* NULL: in memory */
    uint8_t database_id[DATABASE_ID_BYTES];
    bool full; /* the mode */

    atomic_bool open;
    _Atomic uint64_t flushed; /* the place in the log until where writes are in the data file */
    _Atomic uint64_t vouched; /* mode full: what there is up to this commit is synced, in the log or with the data file */

    struct logfile file;
    struct txn *txn; /* NULL: none is open */
    size_t mark;     /* where the record of the write begins; all before it is put, */
    uint64_t put;    /* until this place */
    uint64_t chain, number, half_base;
    uint64_t chain_commit; /* the data file's last commit, where the chain may go on; 0: it may not */
    size_t first;          /* where its records begin, and their first number */
    uint64_t first_number;
    uint64_t commit_id; /* the last */
    int64_t begun_ns; /* the transaction, by the monotonic clock */

    struct keeper *keeper; /* NULL: not yet needed */
};

/* Who has orders about the transaction carried out: stream_ask or, for the keeper himself, stream_obey. */
typedef enum wr_status giver(struct ctx *ctx, struct stream *s, enum order order);
enum wr_status stream_ask(struct ctx *ctx, struct stream *s, enum order order);
enum wr_status stream_obey(struct ctx *ctx, struct stream *s, enum order order);

bool stream_is_pending(const struct stream *s);

/* A transaction that holds what is pending, in a session. *reach not 0: none can begin before a sync point has covered that commit. */
enum wr_status stream_have_txn(struct ctx *ctx, struct stream *s, giver *order, uint64_t *reach);

/* There is so little left in the half of the log that another should be begun: mode full. */
bool stream_wants_room(const struct stream *s);

/* What was written behind the mark, until `end`, is put. */
void stream_put(struct stream *s, size_t end);

/* The log until a place is on the disk, in mode full. A failure is durability's, too. */
enum wr_status stream_sync(struct ctx *ctx, struct stream *s, uint64_t place);

/* What is pending goes into the data file, and the session ends. */
enum wr_status stream_flush(struct ctx *ctx, struct stream *s, giver *order);

/* The same with what the transaction holds besides, and the log has not. */
enum wr_status stream_commit_whole(struct ctx *ctx, struct stream *s);

/*
 * The same without what the transaction holds besides, which `changes` has: a transaction of these alone goes on, and nobody has had
 * the turn of writers in between. In mode full in a session of its own, where that may begin at once: s->open tells. A failure leaves no
 * transaction, and what is pending as it was or in the data file.
 */
enum wr_status stream_part(struct ctx *ctx, struct stream *s, giver *order, struct slice changes);

void stream_end(struct stream *s); /* nothing is pending */

#endif
