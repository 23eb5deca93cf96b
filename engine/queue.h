/*
 * queue.h - what the sweep must look at, and when: entries in order of the second in which they are due.
 *
 *     TREE_QUEUE   wide entries, id = 1 << 63 | due second << 8 | kind   bytes = partition id u64 | clustering or start, and as below
 *
 * 1. Whatever has a due second in its own bytes (row, range tombstone, partition entry) has exactly one entry here, under that
 *    second; so a change of a table's gc grace makes no entry wrong, at most early or late.
 * 2. An entry is removed with the thing, or by the visit, which enters it anew for the next second in which something is due.
 */
#ifndef WR_ENGINE_QUEUE_H
#define WR_ENGINE_QUEUE_H

#include "engine/key.h"

enum queue_kind {
    QUEUE_TABLE = 1,     /* a forgotten table: [table id] */
    QUEUE_INDEX = 2,     /* a forgotten index: [index id] */
    QUEUE_PARTITION = 3, /* a directory entry: its partition deletion, its static or only row: [table id] and the rest of its physical key */
    QUEUE_ROW = 4,
    QUEUE_GRAVE = 5, /* a row in the graveyard */
    QUEUE_RANGE = 6, /* a range tombstone, by its start */
};

#define QUEUE_BIT (UINT64_C(1) << 63)
#define QUEUE_AT_ONCE 1u /* the due second of forgotten tables and indexes */

struct queue_item {
    uint32_t due_s;
    enum queue_kind kind;
    uint64_t id;         /* of the partition, table or index */
    struct slice place;  /* clustering, start, or the rest of a key */
};

/* Both do nothing for due_s 0. */
enum wr_status queue_put(struct ctx *ctx, struct txn *txn, const struct queue_item *item);
enum wr_status queue_delete(struct ctx *ctx, struct txn *txn, const struct queue_item *item);
enum wr_status queue_has(struct ctx *ctx, struct txn *txn, const struct queue_item *item, bool *has);

struct due_items {
    struct queue_item *items;
    uint32_t count, max;
    uint32_t next_due_s; /* of the first thing behind them; UINT32_MAX: there is none */
};

/* Up to out->max items from the first at or behind *from on that are due by ctx's time, in its memory. from NULL: the very first. */
enum wr_status queue_due(struct ctx *ctx, struct txn *txn, const struct queue_item *from, struct due_items *out);

/* For who walks over all of it: the first id at or above `from` (0: none); and the item of an id that an entry's bytes are, whose place borrows from them.
 * false: they are none, and of the item the second and the kind alone are known. */
enum wr_status queue_first_id(struct ctx *ctx, struct txn *txn, uint64_t from, uint64_t *out);
bool queue_item_read(uint64_t id, struct slice bytes, struct queue_item *out);

#endif
