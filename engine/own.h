/*
 * own.h - which chunks a write transaction has written already: they lie in memory of its own, and are changed there.
 *
 * LMDB copies a page when it is first changed, to memory of the transaction's; from then on reserving as many bytes under the same key
 * gives the same bytes, with what is in them (or their copy, where LMDB had to put the page away in between). Of any other chunk it gives a page with
 * nothing in it, and the old bytes may be gone by then.
 *
 * As long as LMDB does not put pages away, which it does when a transaction has touched so many that its list of them is full, LMDB need not be
 * asked at all: what is known to be the transaction's own is changed where it lies. The last chunk of an id is remembered by the id, too, so that what
 * comes in order is put there without a way down the tree.
 */
#ifndef WR_ENGINE_OWN_H
#define WR_ENGINE_OWN_H

#include "engine/chunk.h"

enum {
    OWN_CHUNKS = 2048,        /* whose places are remembered */
    OWN_GROUP = OWN_CHUNKS / 32,
    OWN_PAGES_A_CHANGE = 12,  /* that a change of LMDB's touches at most: a way down, what divides on it, one of its own */
    OWN_PAGES_MOST = 100000,  /* LMDB's list has room for 131,071 */
};

struct own {
    const uint8_t *chunks[OWN_CHUNKS]; /* by their address */
    struct {
        uint64_t id;
        uint8_t *chunk;
    } last[OWN_CHUNKS]; /* by the id; CHUNK_BYTES each, in memory of the transaction's; chunk NULL: none */
    uint32_t changes;   /* all but those of last chunks where they lie: what is not written in order */
    uint32_t chunk_changes; /* of chunks, that LMDB was asked for */
    size_t pages;       /* touched by them, at most */
    uint32_t chunk_groups, last_groups; /* a bit for each group of OWN_GROUP places: something was put there. A commit of one write clears a few of them */
};

static inline void own_clear(struct own *own)
{
    for (; own->chunk_groups; own->chunk_groups &= own->chunk_groups - 1)
        memset(&own->chunks[OWN_GROUP * __builtin_ctz(own->chunk_groups)], 0, OWN_GROUP * sizeof *own->chunks);
    for (; own->last_groups; own->last_groups &= own->last_groups - 1)
        memset(&own->last[OWN_GROUP * __builtin_ctz(own->last_groups)], 0, OWN_GROUP * sizeof *own->last);
    own->changes = own->chunk_changes = 0;
    own->pages = 0;
}

static inline size_t own_place(const uint8_t *chunk)
{
    return (uintptr_t)chunk / 4096 % OWN_CHUNKS;
}

static inline void own_note(struct own *own, const uint8_t *chunk)
{
    own->chunks[own_place(chunk)] = chunk;
    own->chunk_groups |= UINT32_C(1) << own_place(chunk) / OWN_GROUP;
}

static inline bool own_has(const struct own *own, const struct chunk *chunk)
{
    return own->chunks[own_place(chunk->bytes)] == chunk->bytes && chunk->len == CHUNK_BYTES;
}

/* Before LMDB is made to put or delete something of that length. */
static inline void own_count(struct own *own, size_t len)
{
    own->changes++;
    own->pages += OWN_PAGES_A_CHANGE + len / 2048; /* what it puts away is as much as it is about to touch, and it counts twice */
}

static inline void own_count_chunk(struct own *own, size_t len)
{
    own->chunk_changes++;
    own_count(own, len);
}

/* LMDB has put none of its pages away: what lay in them lies there still. */
static inline bool own_lies_still(const struct own *own)
{
    return own->pages < OWN_PAGES_MOST;
}

/* NULL: not known. */
static inline uint8_t *own_last(const struct own *own, uint64_t id)
{
    return own->last[id % OWN_CHUNKS].id == id && own_lies_still(own) ? own->last[id % OWN_CHUNKS].chunk : NULL;
}

/* That chunk will not be there as it was. */
static inline void own_forget(struct own *own, uint64_t id, const uint8_t *chunk)
{
    if (own->last[id % OWN_CHUNKS].chunk == chunk)
        own->last[id % OWN_CHUNKS].chunk = NULL;
}

/* NULL: whatever was known of the id is not so any more. */
static inline void own_note_last(struct own *own, uint64_t id, uint8_t *chunk)
{
    if (!chunk && own->last[id % OWN_CHUNKS].id != id)
        return;
    own->last[id % OWN_CHUNKS].id = id;
    own->last[id % OWN_CHUNKS].chunk = chunk;
    own->last_groups |= UINT32_C(1) << id % OWN_CHUNKS / OWN_GROUP;
}

#endif
