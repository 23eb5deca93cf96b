#include "model/seen_column.h"

#include <string.h>

enum wr_status seen_column_begin(struct ctx *ctx, struct seen_column *seen, uint32_t id, const struct row *stored)
{
    uint32_t n = 0;
    const struct cell *cells = stored ? row_find(stored, id, &n) : NULL;

    *seen = (struct seen_column){ .id = id, .room = n, .deletion = DELETION_NONE };
    if (!(seen->cells = NEW_ARRAY(ctx, const struct cell *, n)))
        return WR_NOMEM;
    for (; seen->count < n; seen->count++)
        seen->cells[seen->count] = &cells[seen->count];
    if (stored)
        seen->deletion = deletion_merge(stored->deletion, row_complex_deletion(stored, id));
    return WR_OK;
}

static enum wr_status make_room(struct ctx *ctx, struct seen_column *seen)
{
    uint32_t room = seen->room ? seen->room * 2 : 8;
    const struct cell **cells = NEW_ARRAY(ctx, const struct cell *, room);

    if (!cells)
        return WR_NOMEM;
    if (seen->count)
        memcpy(cells, seen->cells, seen->count * sizeof *cells);
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
        if (slice_cmp(seen->cells[middle]->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum wr_status take_cell(struct ctx *ctx, struct seen_column *seen, const struct cell *cell, uint32_t now_s)
{
    uint32_t at = place_of(seen, cell->path);
    bool is_there = at < seen->count && slice_eq(seen->cells[at]->path, cell->path), lives = cell_is_live(cell, now_s);
    const struct cell **place = &seen->cells[at];

    if (deletion_covers(seen->deletion, cell->timestamp_us) || (is_there && !cell_wins(cell, *place)) || (!is_there && !lives))
        return WR_OK;
    if (is_there && lives) {
        *place = cell;
        return WR_OK;
    }
    if (is_there) {
        memmove(place, place + 1, (--seen->count - at) * sizeof *place);
        return WR_OK;
    }
    if (seen->count == seen->room)
        TRY(make_room(ctx, seen));
    place = &seen->cells[at];
    memmove(place + 1, place, (seen->count++ - at) * sizeof *place);
    *place = cell;
    return WR_OK;
}

static void take_deletion(struct seen_column *seen, struct deletion deletion)
{
    uint32_t kept = 0;

    seen->deletion = deletion_merge(seen->deletion, deletion);
    for (uint32_t i = 0; i < seen->count; i++)
        if (!deletion_covers(seen->deletion, seen->cells[i]->timestamp_us))
            seen->cells[kept++] = seen->cells[i];
    seen->count = kept;
}

enum wr_status seen_column_follow(struct ctx *ctx, struct seen_column *seen, const struct row *written, uint32_t now_s)
{
    for (; seen->complex_taken < written->complex_count; seen->complex_taken++)
        if (written->complex[seen->complex_taken].column == seen->id)
            take_deletion(seen, written->complex[seen->complex_taken].deletion);
    for (; seen->cells_taken < written->cell_count; seen->cells_taken++)
        if (written->cells[seen->cells_taken].column == seen->id)
            TRY(take_cell(ctx, seen, &written->cells[seen->cells_taken], now_s));
    return WR_OK;
}
