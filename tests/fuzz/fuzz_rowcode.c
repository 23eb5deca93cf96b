/* Any bytes as a row: either they are refused, or what they say survives being written and read again. */
#include <stdlib.h>

#include "engine/rowcode.h"

static void require(bool condition)
{
    if (!condition)
        abort();
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->column == b->column && a->kind == b->kind && a->timestamp_us == b->timestamp_us && slice_eq(a->path, b->path) &&
           slice_eq(a->value, b->value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct ctx ctx;
    struct row row, again;
    struct buf buf;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    if (rowcode_decode(&ctx, slice_of(data, size), &row) == WR_OK) {
        row_normalize(&row); /* the encoder takes rows in order only */
        buf_init(&buf, &arena);
        rowcode_encode(&buf, &row, 0);
        require(rowcode_decode(&ctx, buf_slice(&buf), &again) == WR_OK);
        require(again.cell_count == row.cell_count && again.complex_count == row.complex_count);
        require(again.liveness.timestamp_us == row.liveness.timestamp_us);
        require(again.deletion.timestamp_us == row.deletion.timestamp_us);
        for (uint32_t i = 0; i < row.cell_count; i++)
            require(same_cell(&row.cells[i], &again.cells[i]));
    }
    arena_release(&arena);
    return 0;
}
