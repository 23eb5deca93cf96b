/*
 * estimate - about how many partitions a range of tokens has and how large they are, from samples: tokens are hashes, so partitions lie
 * evenly, and how far apart the next few are tells how many there are.
 */
#include <assert.h>

#include "engine/engine.h"
#include "engine/key.h"
#include "engine/partitions.h"
#include "engine/spill.h"

enum {
    PARTS = 8,       /* of the range, each with a sample at its beginning */
    SAMPLE = 64,     /* partitions; where there are no more, they have been counted */
    ROWS_MAX = 4096, /* of a sample that are measured, elements of collections beside their rows among them: what has more counts with those */
};

struct sampling {
    struct txn *txn;
    const struct table_shape *table;
    struct partitions *partitions;
    struct wide_cursor *rows, *elements;
    uint64_t measured, bytes; /* partitions, and what they take together */
    uint32_t rows_left;
    double count;
};

static enum wr_status measure_row(struct ctx *ctx, struct sampling *s, struct slice code);

/* Of an id in a tree: rows, or elements of a collection. */
static enum wr_status measure_entries(struct ctx *ctx, struct sampling *s, struct wide_cursor *c, enum tree tree, uint64_t id)
{
    struct slice bytes, value;
    enum wr_status st;

    TRY(wide_open(ctx, c, s->txn, tree, id));
    TRY_OUT(wide_seek(ctx, c, SLICE_EMPTY, &bytes, &value));
    while (!slice_is_null(bytes) && s->rows_left) {
        s->rows_left--; /* before its own elements take what is left */
        s->bytes += bytes.len + value.len;
        if (tree == TREE_ROWS)
            TRY_OUT(measure_row(ctx, s, value));
        TRY_OUT(wide_next(ctx, c, &bytes, &value));
    }
out:
    wide_close(c);
    return st;
}

/* What of a row lies beside it. */
static enum wr_status measure_row(struct ctx *ctx, struct sampling *s, struct slice code)
{
    struct rowcode row;
    struct cell cell;
    struct stub stub;
    uint64_t id, len;

    if (slice_is_null(code) || !rowcode_open(&row, code) || !(row.flags & ROWCODE_SPILLED))
        return WR_OK;
    while (rowcode_next(&row, &cell)) {
        if ((cell.flags & CELL_SPILLED) && spill_ref_decode(cell.value, &id, &len))
            s->bytes += len;
        if ((cell.flags & CELL_SPILLED_COLUMN) && stub_decode(&cell, &stub))
            TRY(measure_entries(ctx, s, s->elements, TREE_SPILL, stub.id));
    }
    return WR_OK;
}

static enum wr_status measure(struct ctx *ctx, struct sampling *s, const struct partition *p)
{
    if (!s->rows_left)
        return WR_OK;
    s->measured++;
    s->bytes += p->key.len + p->entry.len;
    TRY(measure_row(ctx, s, p->row));
    return p->has_clustering ? measure_entries(ctx, s, s->rows, TREE_ROWS, p->id) : WR_OK;
}

/* Those from one token to another, both inclusive. */
static enum wr_status sample(struct ctx *ctx, struct sampling *s, int64_t from, int64_t to)
{
    struct partition p = { .token = from };
    uint64_t width = (uint64_t)to - (uint64_t)from + 1;
    uint32_t n = 0;
    bool found = true;

    s->rows_left = ROWS_MAX;
    TRY(partitions_open(ctx, s->partitions, s->txn, s->table, from, to, SLICE_NULL));
    while (n < SAMPLE) {
        TRY(partitions_next(ctx, s->partitions, &p, &found));
        if (!found)
            break;
        n++;
        TRY(measure(ctx, s, &p));
    }
    s->count += found ? n * ((double)width / (double)((uint64_t)p.token - (uint64_t)from + 1)) : n;
    return WR_OK;
}

enum wr_status engine_estimate(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t from, int64_t to,
                               struct table_estimate *out)
{
    struct sampling s = { .txn = txn, .table = table };
    uint64_t step = ((uint64_t)to - (uint64_t)from) / PARTS;
    enum wr_status st;

    assert(from < to && step > 0);
    TRY_OUT(wide_cursor_new(ctx, &s.rows));
    TRY_OUT(wide_cursor_new(ctx, &s.elements));
    TRY_OUT(partitions_new(ctx, &s.partitions));
    for (uint64_t part = 0; part < PARTS; part++) {
        uint64_t at = (uint64_t)from + part * step;
        TRY_OUT(sample(ctx, &s, (int64_t)at, part == PARTS - 1 ? to : (int64_t)(at + step - 1)));
    }
    *out = (struct table_estimate){ (uint64_t)(s.count + 0.5), s.measured ? s.bytes / s.measured : 0 };
out:
    partitions_free(s.partitions);
    wide_cursor_free(s.rows);
    wide_cursor_free(s.elements);
    return st;
}
