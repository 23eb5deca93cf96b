/*
 * store.h - LMDB: opening it, transactions, entries, cursors, and the fault points of tests. environment.h alone includes lmdb.h, for
 * the rooms of the store; nobody above the engine sees this header.
 *
 * Bytes that come out hold until the transaction ends, in a write transaction only until the next write to that tree.
 * Physical keys are at most STORE_KEY_MAX bytes; key.h makes longer ones out of them.
 */
#ifndef WR_ENGINE_STORE_H
#define WR_ENGINE_STORE_H

#include "engine/datafile.h"
#include "engine/engine.h"
#include "engine/journal.h"
#include "engine/rig.h"
#include "engine/snapshot.h"

/* The trees of a database. Their order is part of the file format. */
enum tree {
    TREE_META,       /* marks of the engine (LMDB's main tree: its page is written by every commit anyway, so a mark is free) */
    TREE_CATALOG,    /* the model's schema objects */
    TREE_PARTITIONS, /* [table id u64][token u64, sign flipped][partition key or its prefix and hash] -> directory entry;
                        the same under a table id with its highest bit: those of which nothing is alive;
                        [0 u64][partition id u64] -> the first of these keys */
    TREE_ROWS,       /* [partition id u64][clustering] -> row */
    TREE_GRAVES,     /* the graveyard: the same keys, rows of which nothing is alive, and range tombstones */
    TREE_SPILL,      /* [spill id u64][path or nothing] -> a large value, or one cell of a large collection */
    TREE_INDEX,      /* [index id u64][term][token u64][partition id u64][clustering] -> length of the term */
    TREE_QUEUE,      /* [due second and kind u64][partition or table id u64][place] -> nothing: what the sweep must visit, and when */
    TREE_COUNT
};

enum { ID_BYTES = 8 }; /* of the id that keys of rooms with layers and chunks begin with (key.h, pack.h) */

/* Whether entries lie in chunks (pack.h). Keys begin with an id there. */
static inline bool tree_is_packed(enum tree tree)
{
    return tree == TREE_ROWS;
}

enum { MARKS_BYTES = 16 };

struct store;

enum wr_status store_get(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, struct slice *out); /* null: absent */
/*
 * A partition whose key begins so will be asked for (keycache.h). Looking it up waits for memory twice: store_expect begins the first wait and
 * gives the key's hash, store_expect_place, some fifty nanoseconds later, begins the second.
 */
bool store_expects(const struct store *store); /* it is worth that */
uint64_t store_expect(const struct store *store, const uint8_t prefix[16]);
void store_expect_place(const struct store *store, uint64_t hash);
/* Of a tree of chunks some at once: each step down is taken for all of them before the next, so that they wait for memory together. */
struct wanted_entry {
    uint64_t id;
    struct slice piece; /* of the key, behind the id */
    struct slice value; /* null: absent */
};
enum { STORE_SOME = 32 };
enum wr_status store_get_some(struct ctx *ctx, struct txn *txn, enum tree tree, struct wanted_entry *wanted, uint32_t count);
/* Of the partitions whose keys begin so one, where nobody writes: any that is known, else the first; a null key: there is none. */
enum wr_status store_get_beginning(struct ctx *ctx, struct txn *txn, const uint8_t prefix[16], struct slice *key, struct slice *value);
enum wr_status store_put(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, struct slice value);
/* The same where the key is not there yet; else nothing was done, and *there is its value, as store_get gives it. Key and value lie outside of
 * the map. */
enum wr_status store_insert(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, struct slice value, struct slice *there);
/* What the engine keeps beside the data: into the journal at once, into the tree when the transaction is committed. So a stream of writes
 * that share one puts it once. */
enum wr_status store_put_marks(struct ctx *ctx, struct txn *txn, const uint8_t marks[MARKS_BYTES]);
enum wr_status store_get_marks(struct ctx *ctx, struct txn *txn, struct slice *out); /* as store_get */
/* Room for len bytes under the key, to be filled before the next call on this transaction. */
enum wr_status store_reserve(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key, size_t len, uint8_t **out);
enum wr_status store_delete(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice key); /* absent is fine */

/* Which entries store_sift removes. */
struct sieve {
    bool (*goes)(void *arg, struct slice value);
    void *arg;
    uint64_t most; /* so many are looked at; lowered by those that were */
    uint64_t gone; /* raised by those that went */
};
/* Of a tree of chunks: the entries of an id from `from` on and before `end` (null: to the last) of which the sieve says so, many at a time. Those whose key
 * is as long as can be stay. */
enum wr_status store_sift(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice from, struct slice end, struct sieve *sieve);

/* A cursor is a small struct its owner keeps; opening it in a transaction again costs nothing. Trees of chunks have pack.h's. */
struct cursor {
    struct txn *txn; /* NULL: closed */
    void *handle;    /* LMDB's, in a write; NULL: in a read it is `here` */
    enum tree tree;
    uint32_t pages; /* it has come over (readahead.h), and the one it is at */
    uintptr_t page;
    uintptr_t walked; /* of cursor_walk: the page that it is in */
    const uint8_t *next_leaf; /* and the one behind, which memory is asked for of; NULL: none is asked for */
    struct snapshot_cursor here;
    struct slice stands; /* of a write, and for trust.h: the key that it came to, in the file or in `stood` */
    uint8_t stood[STORE_KEY_MAX];
};

enum wr_status cursor_open(struct ctx *ctx, struct cursor *c, struct txn *txn, enum tree tree);
void cursor_close(struct cursor *c); /* before the transaction ends; closed already is fine */

/* Each gives the entry arrived at; a null *key: there is none. */
enum wr_status cursor_seek(struct ctx *ctx, struct cursor *c, struct slice at, struct slice *key, struct slice *value); /* first >= at */
enum wr_status cursor_seek_before(struct ctx *ctx, struct cursor *c, struct slice at, struct slice *key, struct slice *value); /* last < at */
enum wr_status cursor_next(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value);
/* The same for who reads entry by entry: their order is not that of their bytes in a page, so the memory of each is asked for some entries before it
 * is come to, in a read. */
enum wr_status cursor_walk(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value);
enum wr_status cursor_prev(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value);
enum wr_status cursor_delete(struct ctx *ctx, struct cursor *c); /* the entry it stands on; the next cursor_next gives the one behind it */

/* State of the writer that lives as long as its transaction, for rooms above (caches they undo on abort). Both are called under
 * the writer's lock. committed: the transaction is visible to all, and over. aborted: what it wrote is gone. */
struct writer_hooks {
    void *arg;
    void (*committed)(void *arg);
    void (*aborted)(void *arg);
};

/* Who keeps the writer's turn from statement to statement (gather.h): asked by everybody else to give it up, before he waits for it; a
 * failure is his who asks. taken: he has it, or gives up waiting. */
struct turn_hooks {
    void *arg;
    enum wr_status (*asked)(struct ctx *ctx, void *arg);
    void (*taken)(void *arg);
};

static inline bool store_may_fail(void)
{
    return atomic_load_explicit(&rig.store_fail_after, memory_order_relaxed) >= 0;
}

/* ---- the environment: for engine.c and durability.c alone ---- */

struct store_options {
    const char *data_path; /* the data file; LMDB's lock file lies beside it, named <data_path>-lock */
    uint64_t map_bytes;    /* 0: as much address space as can be had */
    bool read_only;
    bool in_place;         /* the data file is memory, which LMDB changes where it lies (folder_is_memory) */
    struct engine *engine; /* what txn_engine gives */
};

/* A data file with all trees, which are empty, where there is none or an empty one; any other stays as it is. */
enum wr_status store_make(struct ctx *ctx, const char *path);

const char *store_tree_name(enum tree tree); /* in the file; NULL: the main one */

/* Whether the LMDB that was loaded is one whose files are known here; else WR_VERSION. */
enum wr_status store_check_library(struct ctx *ctx);

/* Makes the trees where they are missing. The file's bytes have been checked before (datafile.h). */
enum wr_status store_open(struct ctx *ctx, const struct store_options *options, struct store **out);
void store_close(struct store *store); /* NULL is fine; no transaction and no pin may be open */
void store_set_hooks(struct store *store, struct writer_hooks hooks); /* before the first write */
void store_set_turn_hooks(struct store *store, struct turn_hooks hooks); /* the same */

enum wr_status store_begin_read(struct ctx *ctx, struct store *store, struct txn **out);
/* Of a read that waits for others before it has looked at anything, so that the map may be moved meanwhile. Where it cannot come back it is ended. */
void store_step_aside(struct txn *txn);
enum wr_status store_step_back(struct ctx *ctx, struct txn **txn);
enum wr_status store_begin_write(struct ctx *ctx, struct store *store, struct txn **out);
/* The same for who the turn hooks belong to: they are not called. */
enum wr_status store_begin_kept(struct ctx *ctx, struct store *store, struct txn **out);
uint64_t store_base(const struct txn *txn); /* the snapshot that a write transaction stands on */
uint64_t store_snapshot(const struct txn *txn); /* the one that a read transaction sees */
bool store_has_turn(struct store *store); /* this thread is the writer */
uint64_t store_last_commit(struct store *store);
/* From now on what is written goes into the journal too, and store_is_dirty tells of what that has; NULL: no more. Write transactions. */
void store_set_journal(struct txn *txn, struct journal *journal);
const struct journal *store_journal(const struct txn *txn);
/* Call those hooks, for a write that is kept or undone in another way than by its transaction. */
void store_tell_committed(struct store *store);
void store_tell_aborted(struct store *store);
/* Does the changes of a journal; WR_CORRUPT where they are not sound. */
enum wr_status store_replay(struct ctx *ctx, struct txn *txn, struct slice changes);
/* *commit_id: the snapshot that holds what the transaction wrote, or an earlier one where it wrote nothing. */
enum wr_status store_commit(struct ctx *ctx, struct txn **txn, uint64_t *commit_id);
/* Ends a write transaction and begins another on what is there then, without anybody else having had the turn: undone, or committed. */
enum wr_status store_begin_again(struct ctx *ctx, struct txn **txn);
enum wr_status store_commit_and_begin(struct ctx *ctx, struct txn **txn, uint64_t *commit_id);
void store_hold_still(struct txn *txn, void (*let_go)(void *arg), void *arg); /* a write transaction: it is only read until txn_abort, which calls that */
bool store_is_long(const struct txn *txn); /* its journal's changes are used up: the next one fails, WR_BUSY */
/* Before a long write: fails, WR_BUSY, where others wait for what shares its transaction, as if its changes were used up. */
enum wr_status store_be_long(struct ctx *ctx, struct txn *txn);
bool store_is_dirty(const struct txn *txn); /* something has been written in it */
bool store_has_failed(const struct txn *txn); /* of a damaged page, mostly: it can only be given up */
uint32_t store_changes(const struct txn *txn); /* that LMDB has made in it, which goes by the pages of its own that it has */

enum wr_status store_stop_writers(struct ctx *ctx, struct store *store); /* waits for the one at work */
void store_let_writers(struct store *store);
/* map_grow for who has no transaction open; who keeps the turn is asked for it first, since the map stays where it is for as long as he has his. */
enum wr_status store_grow(struct ctx *ctx, struct store *store, uint64_t seen_bytes);
uint64_t store_memory_there_is(const struct store *store); /* that this process may have; 0: not known yet. Under the writer's turn */
bool store_outgrows_memory(const struct store *store); /* its file is larger than half of the memory there is (readahead.h); */
const _Atomic bool *store_crowded(const struct store *store); /* than an eighth */
int store_fd(struct store *store); /* the data file's, to sync it */

#endif
