/*
 * environment.h - what the rooms on LMDB share: its environment, transactions, errors and fault points. lmdb.h is included here alone, and this
 * header by those rooms alone (tests/layers/check lists them).
 */
#ifndef WR_ENGINE_ENVIRONMENT_H
#define WR_ENGINE_ENVIRONMENT_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>

#include "engine/own.h"
#include "engine/page.h"
#include "engine/store.h"

/* Pages of a file are read without LMDB, too (page.h, datafile.h), as 0.9 lays them out, its 0.9.70 among them; from 0.9.90, of which 1.0 comes, they are
 * others. */
#define LMDB_IS_KNOWN(major, minor, patch) ((major) == 0 && (minor) == 9 && (patch) < 90)
_Static_assert(LMDB_IS_KNOWN(MDB_VERSION_MAJOR, MDB_VERSION_MINOR, MDB_VERSION_PATCH), "LMDB 0.9 is needed");

enum {
    CURSORS_IDLE_MAX = 4, /* kept open a tree and transaction */
    PINS = 2,             /* a sync point holds the snapshot before it and its own */
    PARKED_BITS = 4,
    PARKED = 1 << PARKED_BITS,
};

/* A chunk, by its key in the tree. */
struct found {
    MDB_val key;
    struct chunk chunk;
    bool is_last; /* of its id, as far as has been seen */
};

/* Of a write, the chunk that was looked for last: a row is looked for before it is changed, and the next one often lies beside it. */
struct finder {
    MDB_cursor *cursor; /* at the chunk; NULL: not open */
    struct found found;
    uint64_t id;        /* the chunk's */
    uint32_t changes;   /* of chunks by LMDB, when it was found */
    bool stands;
    bool moved;         /* found.key, which lies where LMDB has put it since */
};

struct txn {
    MDB_txn *handle;
    struct store *store;
    struct txn *next; /* in the pool */
    bool write, dirty;
    bool failed; /* of a write: LMDB may have marked it, and whatever is asked of it from then on fails */
    uint64_t snapshot; /* of a read; 0: it has failed */
    struct snapshot_tree trees[TREE_COUNT]; /* as the snapshot has them, of a write the one that it began with: those that have been looked up */
    struct journal *journal; /* NULL: none */
    void (*let_go)(void *arg); /* of a write that is only read for now: what txn_abort calls instead of ending it; NULL: it is not */
    void *let_go_arg;
    uint8_t marks[MARKS_BYTES]; /* of store_put_marks, to be put when it is committed */
    bool has_marks;
    uint64_t file_bytes;     /* of a write: as the file was when it began */
    struct own *own;         /* of a write */
    struct finder finder;
    uint32_t changes;        /* counts what may have moved entries in chunks: cursors look for their place again */
    uint8_t idle_count[TREE_COUNT];
    MDB_cursor *idle[TREE_COUNT][CURSORS_IDLE_MAX];
};

/* keycache.h: what all reads look at, then what few write. */
struct keycache {
    struct keyslot *slots;     /* NULL: none */
    _Atomic uint64_t base;     /* of their places; 0: none was put */
    _Atomic uint64_t epoch;    /* they are of */
    _Atomic uint64_t snapshot; /* the last that a read took */
    _Atomic uint32_t searches; /* in it, up to KEYCACHE_AFTER */
    _Atomic uint32_t mask;     /* of the slots in use */
    _Atomic bool worth;        /* that all keys take part */
    uint8_t apart[LINE_BYTES];
    _Atomic uint32_t asked, met; /* of the keys that always take part */
    _Atomic uint32_t sampled, known; /* of those, in the snapshot: asked for, and put */
    _Atomic bool filling;        /* somebody puts a place; the next two are his */
    uint32_t filled, lost;       /* lost: where another key of the snapshot was */
};

/* trust.h. Under the writer's turn. */
enum { TRUST_NOT_YET, TRUST_BY_WAY, TRUST_WHOLE };
enum { TRUST_SIDES = 256 };
struct trust_side { /* trust.c */
    uint64_t leaf, transaction;
    uint8_t looked_at;
};

struct trust {
    uint8_t trees[TREE_COUNT];
    uint8_t *marks;
    uint64_t pages; /* that they are of */
    struct trust_side sides[TRUST_SIDES]; /* by the leaf's number */
};

/*
 * Two locks. `writer` is the turn of writers; it is taken after passing the gate. `gate` guards the counts: whoever
 * touches the map, or has parked what will, is counted in `active`, and the map is moved only when that is 0. A pinned transaction is not
 * counted: it holds a snapshot by its number and never looks at the map. Nor is a read that has stepped aside.
 */
struct store {
    MDB_env *env;
    MDB_dbi trees[TREE_COUNT];
    struct engine *engine;
    struct writer_hooks hooks;
    struct turn_hooks turn;
    bool read_only;
    bool in_place; /* what a transaction writes lies in the map (MDB_WRITEMAP) */

    pthread_mutex_t writer;
    struct txn write_txn; /* of whoever holds `writer` */
    struct own own;       /* its */
    uint64_t full_at;     /* the map's size when a writer last found it full; under `writer`, read under `gate` */
    struct trust trust;
    struct {
        uint64_t end;      /* of the blocks that the file has, as far as is known */
        uint64_t tried_at; /* the file's end when more were asked for */
        bool is_none;
        atomic_int lacks; /* why there were no more blocks: ENOSPC, EDQUOT, EFBIG; 0: there were. The only one that others look at */
    } reserve; /* reserve.h; under `writer` */
    uint64_t cleared_at;  /* the file's, when the slots of readers that died were last given back; under `writer` */

    struct {
        pthread_mutex_t lock;
        pthread_cond_t changed;
        uint32_t active;
        _Atomic bool growing;
        bool map_lost; /* growing failed, and left none: nothing can be read any more */
    } gate;
    _Atomic uint64_t map_bytes; /* written under `gate`, read by each write */
    struct {
        struct txn *first;
        uint32_t count;
        struct {
            _Atomic(struct txn *) txn;
            uint8_t apart[LINE_BYTES];
        } parked[PARKED];
    } pool; /* pool.h; under `gate`, but for those parked */
    _Atomic uint64_t newest; /* snapshot that anybody has seen; written under `gate` */

    struct {
        _Atomic bool reads_alone;   /* the kernel reads nothing around what is asked for */
        _Atomic bool crowds_memory; /* its file is larger than an eighth of the memory there is */
        uint64_t around_most;       /* of a file up to this size it does; 0: not yet known */
    } ahead;                  /* readahead.h; written under the writer's turn */
    const uint8_t *map_at;    /* where the file is mapped; NULL: not known */
    MDB_txn *finder;          /* at rest, to find that again (map_find) */

    struct keycache keycache;

    struct {
        MDB_txn *handle;
        bool used;
    } pins[PINS]; /* slots of their own: a sync point never waits for a reader to end */
};

enum wr_status environment_fault(struct ctx *ctx);
static inline enum wr_status fault(struct ctx *ctx) /* a test's, or none */
{
    return store_may_fail() ? environment_fault(ctx) : WR_OK;
}

/* What a transaction has written and not committed LMDB may keep in pages beside the map. */
static inline bool is_mapped(const struct store *store, const void *at)
{
    return store->map_at && (uintptr_t)at - (uintptr_t)store->map_at < atomic_load_explicit(&store->map_bytes, memory_order_relaxed);
}

/* mdb_cursor_get. Of a leaf that says it has keys alone, as a damaged one may, LMDB gives no value and leaves what is there. */
static inline int environment_look(MDB_cursor *cursor, MDB_val *key, MDB_val *value, MDB_cursor_op op)
{
    *value = (MDB_val){ 0 };
    return mdb_cursor_get(cursor, key, value, op);
}

/* Whether what lies there is to be put into memory of the transaction's before it is changed. */
static inline bool must_be_clean(const struct txn *txn, const void *at)
{
    return txn->write && !txn->store->in_place && is_mapped(txn->store, at);
}

/* In a write: what a damaged leaf tells may reach out of the file, where there is nothing to read. A large transaction has made that longer meanwhile. */
bool environment_has_grown_to(struct store *store, uint64_t bytes);
static inline bool ends_in_file(const struct txn *txn, const uint8_t *from, uint64_t len)
{
    const uint64_t at = (uint64_t)(from - txn->store->map_at), end = at + len;
    return end <= txn->file_bytes || (at >= txn->file_bytes && environment_has_grown_to(txn->store, end));
}
static inline bool lies_in_file(const struct txn *txn, MDB_val bytes)
{
    return txn->store->in_place || !is_mapped(txn->store, bytes.mv_data) || ends_in_file(txn, bytes.mv_data, bytes.mv_size);
}

/* Of a value in pages of its own of the file. It may have more than it takes, where it came in the place of a longer one; but not such as say that they are
 * pages by themselves. */
bool environment_are_values(const struct store *store, const uint8_t *first, uint32_t from, uint32_t to);
static inline bool file_value_is_sound(const struct txn *txn, MDB_val value)
{
    const uint8_t *page = (const uint8_t *)value.mv_data - sizeof(struct page_head);
    const size_t takes = (sizeof(struct page_head) + value.mv_size + DATA_PAGE_BYTES - 1) / DATA_PAGE_BYTES;
    uint32_t pages;

    return page == page_under(page) && txn->store->map_at + page_number(page) * DATA_PAGE_BYTES == page &&
           page_large_is_sound(value.mv_data, value.mv_size, UINT16_MAX, &pages) && ends_in_file(txn, page, (uint64_t)pages * DATA_PAGE_BYTES) &&
           (pages == takes || environment_are_values(txn->store, page, (uint32_t)takes, pages));
}

/* Whether an entry's value is what it should be for who reads it, and, in a write, for LMDB to give it up or to write over it. The key is its leaf's. */
static inline bool value_is_sound(const struct txn *txn, MDB_val key, MDB_val value)
{
    uint32_t pages;

    if (must_be_clean(txn, value.mv_data)) /* an empty one may lie at the page's end */
        return (uintptr_t)value.mv_data - (uintptr_t)page_under(key.mv_data) <= DATA_PAGE_BYTES || file_value_is_sound(txn, value);
    return sizeof(struct node_head) + key.mv_size + value.mv_size <= NODE_MOST || page_large_is_sound(value.mv_data, value.mv_size, PAGE_KINDS, &pages);
}

/* A cursor is about to be moved: a walk of many moves ends where somebody wants it to. */
static inline enum wr_status may_move(struct ctx *ctx)
{
    TRY(ctx_go_on(ctx));
    return fault(ctx);
}

static inline MDB_val val_of(struct slice s)
{
    return (MDB_val){ s.len, (void *)s.data };
}

/* LMDB gives empty values a pointer; a slice of ours is null only where nothing is there. */
static inline struct slice slice_of_val(MDB_val v)
{
    return v.mv_data ? slice_of(v.mv_data, v.mv_size) : SLICE_EMPTY;
}

/* In a write: a cursor that nobody else has, and back to who wants one. */
int environment_cursor(struct txn *txn, enum tree tree, MDB_cursor **out);
void environment_give_cursor(struct txn *txn, enum tree tree, MDB_cursor *cursor);
void environment_close_cursors(struct txn *txn); /* those given back, and the finder's */

int environment_put_marks(struct txn *txn); /* what store_put_marks has left, into the tree */

/* What LMDB's code, or errno, says. */
enum wr_status fail_lmdb(struct ctx *ctx, int code);
void environment_spoil(struct txn *txn); /* something that was asked of it has failed */
/* Both. */
enum wr_status fail_txn(struct ctx *ctx, struct txn *txn, int code);
/* The same of a call that writes: a full map is remembered, so that map_grow knows it from a full disk. */
enum wr_status fail_write(struct ctx *ctx, struct txn *txn, int code);

#endif
