#include "model/listing.h"

enum wr_status listing_begin(struct exec *exec, const struct column_spec *columns, uint32_t column_count,
                             struct listing **out)
{
    struct listing *listing = NEW(exec->ctx, struct listing);
    if (!listing)
        return WR_NOMEM;
    listing->columns = columns;
    listing->column_count = column_count;
    exec->run = *out = listing;
    return WR_OK;
}

enum wr_status listing_add(struct exec *exec, struct listing *l, const struct slice *values)
{
    size_t width = l->column_count * sizeof *l->rows;
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 16;
        struct slice *rows = NEW_ARRAY(exec->ctx, struct slice, (size_t)room * l->column_count);
        if (!rows)
            return WR_NOMEM;
        if (l->count)
            memcpy(rows, l->rows, l->count * width);
        l->rows = rows;
        l->room = room;
    }
    memcpy(l->rows + (size_t)l->count++ * l->column_count, values, width);
    return WR_OK;
}

enum wr_status listing_step(struct exec *exec, const struct plan *plan, const struct slice **row)
{
    struct listing *l = exec->run;
    (void)plan;
    *row = l->at < l->count ? l->rows + (size_t)l->at++ * l->column_count : NULL;
    return WR_OK;
}

const struct column_spec *listing_columns(const struct exec *exec, const struct plan *plan, uint32_t *count)
{
    const struct listing *l = exec->run;
    (void)plan;
    *count = l->count ? l->column_count : 0;
    return l->columns;
}
