/*
 * backlog.h - inserts that are put off: rows of a database larger than memory, kept in the order they came in until somebody needs them.
 *
 * A row that goes somewhere into a table which memory has no room for has a page read and a page written, for a few hundred bytes. So such
 * rows are laid behind one another first, by their part of the ring of tokens, and applied a part at a time, in order, when enough of them
 * have come, or somebody reads or changes a partition of the part: what InnoDB has its change buffer for, and a tree of buffers (Bε) its
 * buffers. Mutations may be applied in any order (change.h, 1), so nobody can tell that some were late.
 *
 *     TREE_ROWS   1 << 62 | part u64 | number u64 -> table id varint | key length varint, key | clustering length varint, clustering | row code
 *
 * What cannot be read any more when it is applied is laid aside, behind the last part, where wr_check finds it.
 *
 * 1. Before anything else is read or changed of a partition, what is put off of its part has been applied: by place_open, partition_find and
 *    partitions_open in a write; for a read by txn_is_behind and txn_catch_up, before it begins (engine.h). So no tombstone is purged that
 *    would have covered a row put off. While they are applied nothing expires and nothing is purged: of two rows the second has to meet the
 *    tombstone, too.
 * 2. Only rows that nothing else depends on are put off: plain inserts (row_is_plain) into tables without indexes, hooks or annexes
 *    (table_shape.may_wait), that are small.
 * 3. Rows are put off where that pays: where the file is larger than an eighth of the memory there is, rows come in no order, as the
 *    pages that they change tell, few are asked for before a part is full, and no other process has the database open to read it.
 * 4. What is put off is an entry like any other: in the log, in a snapshot, after a crash. Rows of tables that are gone are forgotten.
 */
#ifndef WR_ENGINE_BACKLOG_H
#define WR_ENGINE_BACKLOG_H

#include <stdatomic.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/rig.h"

#define BACKLOG_BIT (UINT64_C(1) << 62) /* of ids; they and layers end before it */

enum { BACKLOG_PARTS = 256 };
#define BACKLOG_LAST  (BACKLOG_BIT | (BACKLOG_PARTS - 1))
#define BACKLOG_ASIDE (BACKLOG_BIT | BACKLOG_PARTS)

struct backlog {
    const _Atomic bool *crowded; /* the store's file is large beside the memory there is */
    _Atomic uint64_t empty_from; /* nothing is put off in snapshots from this one on; BACKLOG_LOOK: one has to look */
    _Atomic uint64_t empty_at;   /* who looked last found nothing in this snapshot: who only reads hears of no other */
    _Atomic uint64_t tables;     /* of which rows have been put off, a bit for each, by their ids: for the others nobody looks */
    atomic_uint barred;          /* by so many who read what was put off */
    _Atomic int64_t last_ns;     /* when a row was put off last */

    /* Under the writer's lock. */
    bool on, settling;
    bool read;                      /* this transaction has looked at rows, and may go on to */
    enum wr_status broken;          /* a part was applied in part only, since engine_settling_broke */
    uint32_t rows, changes;         /* in the trees by inserts that were not put off, of this window */
    uint32_t rest;                  /* windows until it is tried again */
    uint64_t taken, asked;          /* rows put off since it is on, and parts that were asked for */
    uint64_t bytes[BACKLOG_PARTS];  /* about so many are put off */
    uint64_t settled[BACKLOG_PARTS / 64]; /* bits: in this transaction */
};

#define BACKLOG_LOOK UINT64_MAX

/* Whether rows may be put off at all, so that a write is worth a closer look. */
static inline bool backlog_is_worth(const struct backlog *b)
{
    return atomic_load_explicit(b->crowded, memory_order_relaxed) || rig.backlog_when == BACKLOG_ALWAYS;
}

/* For a writer: something is put off, in what he sees. */
static inline bool backlog_has_any(const struct backlog *b)
{
    return !b->settling && atomic_load_explicit(&b->empty_from, memory_order_relaxed) == BACKLOG_LOOK;
}

static inline uint64_t backlog_table_bit(uint64_t table_id)
{
    return UINT64_C(1) << table_id % 64;
}

/* False: nothing of the table has been put off. */
static inline bool backlog_knows(const struct backlog *b, const struct table_shape *table)
{
    return table->may_wait && (atomic_load_explicit(&b->tables, memory_order_relaxed) & backlog_table_bit(table->table_id));
}

/* Of a database that is opened. */
enum wr_status backlog_open(struct ctx *ctx, struct engine *engine);
/* For store.h's writer_hooks. A write that was put into a stream has not been committed to the data file yet. */
static inline void backlog_committed(struct backlog *b)
{
    b->read = false;
    memset(b->settled, 0, sizeof b->settled);
}
void backlog_aborted(struct backlog *b, uint64_t last_commit);

/* Whether an update is to be put off. Write transactions, as what follows. */
bool backlog_takes(struct txn *txn, const struct update *update);
enum wr_status backlog_put(struct ctx *ctx, struct txn *txn, const struct update *update);
/* An update has been applied instead, by so many changes of LMDB's. */
void backlog_weigh(struct txn *txn, const struct update *update, uint32_t changes);

/* Applies what is put off of a token's part, where that may be of the table. */
enum wr_status backlog_settle(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token);
/* The same of all parts between two, for who is about to read: what he writes until the end of the transaction is not put off, since he may be
 * reading still. */
enum wr_status backlog_settle_to_read(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t from, int64_t to);

/* For the sweep: applies some where nobody has put anything off for a while, or another process has the database open; *more: something is put off. */
enum wr_status backlog_settle_idle(struct ctx *ctx, struct txn *txn, bool *more);

/* An entry as it is stored; not sound: damaged, in another part than its own, or a row that is never put off. */
struct put_off {
    uint64_t table_id;
    int64_t token;
    struct slice key, clustering, code; /* borrow from the bytes */
};
enum wr_status backlog_decode(struct ctx *ctx, uint64_t id, struct slice bytes, struct put_off *out, bool *sound);

#endif
