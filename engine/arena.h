/*
 * arena.h - bump memory of one statement. Nothing in it is freed alone; arena_reset empties it and keeps its blocks, so a
 * statement that has run once runs again without asking the system for memory.
 *
 * One thread at a time. With the handles (db, stmt, schema snapshots, engine) the only caller of malloc; every malloc goes
 * through mem_alloc and its kin, where tests make the n-th one fail.
 *
 * An arena remembers that the system had no memory for something: who ends what it was for asks (ctx_had_memory), so that none of those
 * between has to.
 */
#ifndef WR_ENGINE_ARENA_H
#define WR_ENGINE_ARENA_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/slice.h"

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    alignas(max_align_t) uint8_t bytes[];
};

struct arena {
    struct arena_block *first;   /* blocks in order of use; kept by a reset */
    struct arena_block *current; /* the one being filled; NULL: there is none */
    size_t held;                 /* bytes of all blocks */
    bool lacked;                 /* the system had no memory for something since it was emptied */
};

/* A place to come back to: all allocated after the mark is given up by arena_rewind. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};

void arena_init(struct arena *arena);

/* Zero-filled, aligned for any type; NULL when the system has no memory. n may be 0. */
void *arena_alloc(struct arena *arena, size_t n);

void *arena_alloc_block(struct arena *arena, size_t n); /* arena_alloc_raw where the current block has no room */

static inline size_t arena_round_up(size_t n)
{
    const size_t align = alignof(max_align_t);
    return (n + align - 1) & ~(align - 1);
}

/* arena_alloc without the zeroes, for bytes about to be written. */
static inline void *arena_alloc_raw(struct arena *arena, size_t n)
{
    struct arena_block *block = arena->current;
    size_t room = block ? block->size - block->used : 0;

    if (n > room || room - n < alignof(max_align_t))
        return arena_alloc_block(arena, n);
    void *p = block->bytes + block->used;
    block->used += arena_round_up(n);
    return p;
}

/* Makes what was allocated last larger where it lies; false: it was not the last, or its block is full. */
bool arena_extend(struct arena *arena, const void *p, size_t from, size_t to);

static inline struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){ arena->current, arena->current ? arena->current->used : 0 };
}
static inline void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    arena->current = mark.block;
    if (mark.block)
        mark.block->used = mark.used;
}
void arena_reset(struct arena *arena);   /* empties; gives blocks beyond the first two MiB back */
void arena_trim(struct arena *arena, size_t most); /* empties; gives blocks beyond so many bytes back */
void arena_release(struct arena *arena); /* frees all; the arena may be used again */

/* An arena in n bytes of another's, and as long as those. What it takes beyond them is the system's, until arena_empty_within; it is not for the calls above.
 * false: the other has no memory. */
bool arena_init_within(struct arena *arena, struct arena *other, size_t n);
bool arena_is_beyond(const struct arena *arena);
void arena_empty_within(struct arena *arena);

/* The system's memory, for handles. */
void *mem_alloc(size_t n);            /* zero-filled */
void *mem_realloc(void *p, size_t n); /* as realloc */
char *mem_string(const char *text, size_t len); /* a copy with a NUL behind it */
void mem_free(void *p);
long mem_calls(void); /* tests only: how often memory was asked of the system so far */

#endif
