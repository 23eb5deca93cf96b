#include "model/update_parts.h"

enum wr_status update_clustering(struct ctx *ctx, const struct table *table, const struct row_update *row, struct slice *values)
{
    const struct clustering_shape *shape = &table->clustering;

    if (!slice_is_null(row->row.annex))
        return clustering_read_annex(ctx, shape, row->row.annex, values);
    return clustering_split_rows(ctx, shape, &row->clustering, 1, values, shape->count);
}

struct deletion update_kept_deletion(const struct row *row, uint32_t column)
{
    struct deletion deletion = row_complex_deletion(row, column);
    return row->deletion.timestamp_us > deletion.timestamp_us ? DELETION_NONE : deletion;
}

bool update_is_covered(const struct row *row, const struct cell *cell)
{
    return deletion_covers(row->deletion, cell->timestamp_us) ||
           (!slice_is_null(cell->path) && deletion_covers(row_complex_deletion(row, cell->column), cell->timestamp_us));
}
