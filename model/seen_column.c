#include "model/seen_column.h"

#include <string.h>

void seen_column_begin(struct seen_column *seen, uint32_t id, const struct row *stored)
{
    *seen = (struct seen_column){ .id = id, .has_dead = !stored, .deletion = DELETION_NONE };
    if (!stored)
        return;
    seen->stored = row_find(stored, id, &seen->count);
    seen->deletion = deletion_merge(stored->deletion, row_complex_deletion(stored, id));
}

/* For one cell more, and of its own. */
static enum wr_status make_room(struct ctx *ctx, struct seen_column *seen)
{
    if (seen->cells && seen->count < seen->room)
        return WR_OK;
    uint32_t room = seen->count * 2 + 8;
    const struct cell **cells = NEW_ARRAY(ctx, const struct cell *, room);
    if (!cells)
        return WR_NOMEM;
    for (uint32_t i = 0; i < seen->count; i++)
        cells[i] = seen_column_cell(seen, i);
    seen->cells = cells;
    seen->room = room;
    return WR_OK;
}

/* The first cell whose path is not before this one. */
static uint32_t place_of(const struct seen_column *seen, struct slice path)
{
    uint32_t low = 0, high = seen->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slice_cmp(seen_column_cell(seen, middle)->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum wr_status take_cell(struct ctx *ctx, struct seen_column *seen, const struct cell *cell, uint32_t now_s)
{
    uint32_t at = place_of(seen, cell->path);
    const struct cell *old = at < seen->count ? seen_column_cell(seen, at) : NULL;
    bool is_there = old && slice_eq(old->path, cell->path), lives = seen->has_dead || cell_is_live(cell, now_s);

    if (deletion_covers(seen->deletion, cell->timestamp_us) || (is_there && !cell_wins(cell, old)) || (!is_there && !lives))
        return WR_OK;
    TRY(make_room(ctx, seen));
    const struct cell **place = &seen->cells[at];
    if (is_there && lives) {
        *place = cell;
        return WR_OK;
    }
    if (is_there) {
        memmove(place, place + 1, (--seen->count - at) * sizeof *place);
        return WR_OK;
    }
    memmove(place + 1, place, (seen->count++ - at) * sizeof *place);
    *place = cell;
    return WR_OK;
}

static enum wr_status take_deletion(struct ctx *ctx, struct seen_column *seen, struct deletion deletion)
{
    uint32_t kept = 0;

    TRY(make_room(ctx, seen));
    seen->deletion = deletion_merge(seen->deletion, deletion);
    for (uint32_t i = 0; i < seen->count; i++)
        if (!deletion_covers(seen->deletion, seen->cells[i]->timestamp_us))
            seen->cells[kept++] = seen->cells[i];
    seen->count = kept;
    return WR_OK;
}

enum wr_status seen_column_follow(struct ctx *ctx, struct seen_column *seen, const struct row *written, uint32_t now_s)
{
    for (; seen->complex_taken < written->complex_count; seen->complex_taken++)
        if (written->complex[seen->complex_taken].column == seen->id)
            TRY(take_deletion(ctx, seen, written->complex[seen->complex_taken].deletion));
    for (; seen->cells_taken < written->cell_count; seen->cells_taken++)
        if (written->cells[seen->cells_taken].column == seen->id)
            TRY(take_cell(ctx, seen, &written->cells[seen->cells_taken], now_s));
    return WR_OK;
}
