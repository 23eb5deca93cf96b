#include "engine/arena.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "engine/rig.h"

enum { BLOCK_BYTES_MIN = 4096 - 64, KEEP_BYTES_MAX = 1 << 20 };

static _Atomic long calls;

long mem_calls(void)
{
    return atomic_load_explicit(&calls, memory_order_relaxed);
}

static bool fails_now(void)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return atomic_load_explicit(&rig.mem_fail_after, memory_order_relaxed) >= 0 && atomic_fetch_sub(&rig.mem_fail_after, 1) == 0;
}

void *mem_alloc(size_t n)
{
    return fails_now() ? NULL : calloc(1, n ? n : 1);
}

void *mem_realloc(void *p, size_t n)
{
    return fails_now() ? NULL : realloc(p, n ? n : 1);
}

char *mem_string(const char *text, size_t len)
{
    char *copy = mem_alloc(len + 1);
    if (copy && len)
        memcpy(copy, text, len);
    return copy;
}

void mem_free(void *p)
{
    free(p);
}

void arena_init(struct arena *arena)
{
    *arena = (struct arena){ .lacked = false };
}

static struct arena_block *block_new(size_t size)
{
    if (size > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    if (fails_now())
        return NULL;
    struct arena_block *block = malloc(sizeof *block + size);
    if (block)
        *block = (struct arena_block){ .next = NULL, .size = size, .used = 0 };
    return block;
}

/* Moves on to a block with room for n bytes: a kept one that follows, or a new one put in after the current. */
static struct arena_block *next_block(struct arena *arena, size_t n)
{
    struct arena_block *after = arena->current ? arena->current->next : arena->first;
    if (!after || after->size < n || rig.mem_blocks_apart) {
        size_t size = arena->current ? arena->current->size * 2 : BLOCK_BYTES_MIN;
        if (size > KEEP_BYTES_MAX)
            size = KEEP_BYTES_MAX;
        if (rig.mem_blocks_apart)
            size = n;
        struct arena_block *block = block_new(size > n ? size : n);
        if (!block)
            return NULL;
        arena->held += block->size;
        block->next = after;
        *(arena->current ? &arena->current->next : &arena->first) = block;
        after = block;
    }
    after->used = 0;
    arena->current = after;
    return after;
}

static void *has_none(struct arena *arena)
{
    arena->lacked = true;
    return NULL;
}

void *arena_alloc_block(struct arena *arena, size_t n)
{
    if (n > SIZE_MAX - alignof(max_align_t))
        return has_none(arena);
    n = arena_round_up(n);
    struct arena_block *block = arena->current;
    if (!block || block->size - block->used < n) {
        block = next_block(arena, n);
        if (!block)
            return has_none(arena);
    }
    void *p = block->bytes + block->used;
    block->used += n;
    return p;
}

bool arena_extend(struct arena *arena, const void *p, size_t from, size_t to)
{
    struct arena_block *block = arena->current;
    const uint8_t *start = p;

    if (!block || !start || to > SIZE_MAX / 2 || start + arena_round_up(from) != block->bytes + block->used)
        return false;
    if (arena_round_up(to) - arena_round_up(from) > block->size - block->used)
        return false;
    block->used += arena_round_up(to) - arena_round_up(from);
    return true;
}

void *arena_alloc(struct arena *arena, size_t n)
{
    void *p = arena_alloc_raw(arena, n);
    if (p)
        memset(p, 0, n);
    return p;
}

static void give_back(struct arena *arena, size_t most)
{
    arena->held = 0;
    for (struct arena_block **at = &arena->first; *at;) {
        struct arena_block *block = *at;
        if (arena->held + block->size > most) {
            *at = block->next;
            free(block);
            continue;
        }
        arena->held += block->size;
        at = &block->next;
    }
}

void arena_trim(struct arena *arena, size_t most)
{
    if (arena->held > most || rig.mem_blocks_apart)
        give_back(arena, rig.mem_blocks_apart ? 0 : most);
    arena->current = arena->first;
    if (arena->first)
        arena->first->used = 0;
    arena->lacked = false;
}

void arena_reset(struct arena *arena)
{
    if (arena->current && (arena->current != arena->first || arena->current->used)) /* else nothing has been taken since the last time */
        arena_trim(arena, KEEP_BYTES_MAX * 2);
    arena->lacked = false;
}

static void free_blocks(struct arena_block *block)
{
    for (struct arena_block *next; block; block = next) {
        next = block->next;
        free(block);
    }
}

void arena_release(struct arena *arena)
{
    free_blocks(arena->first);
    arena_init(arena);
}

bool arena_init_within(struct arena *arena, struct arena *other, size_t n)
{
    struct arena_block *block = arena_alloc_raw(other, sizeof *block + n);
    if (!block)
        return false;
    *block = (struct arena_block){ .size = n };
    *arena = (struct arena){ .first = block, .current = block, .held = n };
    return true;
}

bool arena_is_beyond(const struct arena *arena)
{
    return arena->first->next;
}

void arena_empty_within(struct arena *arena)
{
    free_blocks(arena->first->next);
    arena->first->next = NULL;
    arena->first->used = 0;
    *arena = (struct arena){ .first = arena->first, .current = arena->first, .held = arena->first->size };
}
