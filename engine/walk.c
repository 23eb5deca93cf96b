#include "engine/walk.h"

#include "engine/graveyard.h"

enum { WALK_STEP = 64 }; /* rows whose keys are gathered at once */

static enum wr_status gather(struct ctx *ctx, struct wide_cursor *c, struct range range, struct slice *keys, uint32_t *count)
{
    struct slice bytes, value;

    *count = 0;
    TRY(wide_seek(ctx, c, range.start, &bytes, &value));
    while (!slice_is_null(bytes) && range_has(range, bytes) && *count < WALK_STEP) {
        TRY(ctx_copy(ctx, bytes, &keys[(*count)++]));
        TRY(wide_next(ctx, c, &bytes, &value));
    }
    return WR_OK;
}

/* Forgets what a step of the walk has gathered, and gives the very next place behind its last row. */
static enum wr_status forget_step(struct ctx *ctx, struct arena_mark mark, struct slice last, struct slice *behind)
{
    arena_rewind(ctx->arena, mark);
    return ctx_next_bytes(ctx, last, behind);
}

enum wr_status walk_rows(struct ctx *ctx, struct txn *txn, struct place *place, struct range range, walk_each *each,
                         void *arg)
{
    struct wide_cursor *cursor = txn_writer(txn)->cursor;
    struct slice keys[WALK_STEP];
    uint32_t count;

    if (!place->entry.id)
        return WR_OK;
    TRY(place_load(ctx, txn, place)); /* so that its bytes lie before the marks */
    for (;;) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(wide_open(ctx, cursor, txn, TREE_ROWS, place->entry.id));
        enum wr_status st = gather(ctx, cursor, range, keys, &count);
        wide_close(cursor);
        TRY(st);
        for (uint32_t i = 0; i < count; i++)
            TRY(each(ctx, txn, place, keys[i], arg));
        if (count < WALK_STEP)
            return WR_OK;
        TRY(forget_step(ctx, mark, keys[count - 1], &range.start));
    }
}
