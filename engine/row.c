#include "engine/row.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/counter.h"

/* Tombstones of counters before their increments. */
static int cell_sort(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    int c = cell_place_cmp(x, y);
    return c || !cell_is_counter(x) || !cell_is_counter(y) ? c : (y->kind == CELL_DEAD) - (x->kind == CELL_DEAD);
}

static int complex_sort(const void *a, const void *b)
{
    uint32_t x = ((const struct complex_deletion *)a)->column, y = ((const struct complex_deletion *)b)->column;
    return (x > y) - (x < y);
}

/* Two increments; beside a tombstone of its mutation an increment has never been. */
static bool adds_up(const struct cell *a, const struct cell *b)
{
    return cell_is_counter(a) && cell_is_counter(b) && a->kind != CELL_DEAD && b->kind != CELL_DEAD;
}

static void normalize_cells(struct row *row)
{
    struct cell *cells = row->cells;
    uint32_t n = row->cell_count, kept = 0;
    bool sorted = true;

    for (uint32_t i = 1; i < n && sorted; i++)
        sorted = cell_place_cmp(&cells[i - 1], &cells[i]) < 0;
    if (sorted)
        return;
    qsort(cells, n, sizeof *cells, cell_sort);
    for (uint32_t i = 0; i < n; i++) {
        struct cell *last = kept ? &cells[kept - 1] : NULL;
        if (!last || cell_place_cmp(last, &cells[i]) != 0 || adds_up(last, &cells[i]))
            cells[kept++] = cells[i];
        else if (cell_wins(&cells[i], last))
            *last = cells[i];
    }
    row->cell_count = kept;
}

/* An increment in one mutation with the deletion of its row has never been: a server's row takes no cell that its deletion covers. */
static void drop_deleted_increments(struct row *row)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (!cell_is_counter(&row->cells[i]) || !deletion_covers(row->deletion, row->cells[i].timestamp_us))
            row->cells[kept++] = row->cells[i];
    row->cell_count = kept;
}

void row_normalize(struct row *row)
{
    uint32_t kept = 0;

    normalize_cells(row);
    if (!deletion_is_none(row->deletion))
        drop_deleted_increments(row);
    if (row->complex_count > 1)
        qsort(row->complex, row->complex_count, sizeof *row->complex, complex_sort);
    for (uint32_t i = 0; i < row->complex_count; i++) {
        struct complex_deletion *last = kept ? &row->complex[kept - 1] : NULL;
        if (last && last->column == row->complex[i].column)
            last->deletion = deletion_merge(last->deletion, row->complex[i].deletion);
        else
            row->complex[kept++] = row->complex[i];
    }
    row->complex_count = kept;
}

static enum wr_status merge_complex(struct ctx *ctx, const struct row *a, const struct row *b, struct deletion active,
                                    struct row *out)
{
    size_t room = (size_t)a->complex_count + b->complex_count;
    out->complex = NULL;
    out->complex_count = 0;
    if (!room)
        return WR_OK;
    if (!(out->complex = NEW_ARRAY(ctx, struct complex_deletion, room)))
        return WR_NOMEM;
    for (uint32_t i = 0, j = 0; i < a->complex_count || j < b->complex_count;) {
        struct complex_deletion c;
        if (j == b->complex_count || (i < a->complex_count && a->complex[i].column < b->complex[j].column)) {
            c = a->complex[i++];
        } else if (i == a->complex_count || b->complex[j].column < a->complex[i].column) {
            c = b->complex[j++];
        } else {
            c = a->complex[i++];
            c.deletion = deletion_merge(c.deletion, b->complex[j++].deletion);
        }
        if (!deletion_is_none(c.deletion) && !deletion_covers(active, c.deletion.timestamp_us))
            out->complex[out->complex_count++] = c;
    }
    return WR_OK;
}

/* The cells of *out, which has its deletions already. Columns come in order, so one pass over the complex deletions serves. */
struct cell_sink {
    struct row *out;
    struct deletion active; /* the row's own and what else covers it */
    uint32_t complex_at;
};

static void put_cell(struct cell_sink *sink, const struct cell *c)
{
    struct row *out = sink->out;
    struct deletion by = sink->active;

    while (sink->complex_at < out->complex_count && out->complex[sink->complex_at].column < c->column)
        sink->complex_at++;
    if (sink->complex_at < out->complex_count && out->complex[sink->complex_at].column == c->column)
        by = deletion_merge(by, out->complex[sink->complex_at].deletion);
    struct cell *put = &out->cells[out->cell_count];
    if (!deletion_covers(by, c->timestamp_us)) {
        *put = *c;
        out->cell_count++;
    } else if (cell_is_counter(c)) {
        out->cell_count += counter_bury(c, out->deletion, by, put);
    }
}

/* A tombstone that the deletion of its row covers ends no counter that is later than that. */
static bool ends_nothing(const struct cell *total, const struct cell *c, struct deletion own)
{
    return total && c->kind == CELL_DEAD && deletion_covers(own, c->timestamp_us) && !deletion_covers(own, total->timestamp_us);
}

/* A counter's total, NULL where there is none, with n cells that a mutation has of it. */
static enum wr_status merge_counter(struct ctx *ctx, struct deletion own, const struct cell *total, const struct cell *cells, uint32_t n,
                                    struct cell *out)
{
    struct cell sum;

    for (uint32_t i = 0; i < n; i++) {
        if (ends_nothing(total, &cells[i], own))
            continue;
        TRY(counter_add(ctx, total, &cells[i], &sum));
        *out = sum;
        total = out;
    }
    *out = *total; /* of the first cell there is a sum where there was no total */
    return WR_OK;
}

static enum wr_status merge_cells(struct ctx *ctx, const struct row *a, const struct row *b, struct deletion active,
                                  struct row *out)
{
    size_t room = (size_t)a->cell_count + b->cell_count;
    struct cell_sink sink = { out, active, 0 };
    uint32_t i = 0, j = 0;

    out->cell_count = 0;
    out->cells = room && room <= SIZE_MAX / sizeof *out->cells ? arena_alloc_raw(ctx->arena, room * sizeof *out->cells) : NULL;
    if (room && !out->cells)
        return fail_nomem(ctx);
    while (i < a->cell_count || j < b->cell_count) {
        int c = j == b->cell_count ? -1 : i == a->cell_count ? 1 : cell_place_cmp(&a->cells[i], &b->cells[j]);
        if (c < 0) {
            put_cell(&sink, &a->cells[i++]);
            continue;
        }
        const struct cell *old = c == 0 ? &a->cells[i++] : NULL;
        const struct cell *new = &b->cells[j++];
        struct cell sum;
        if (!cell_is_counter(new) && !(old && cell_is_counter(old))) {
            put_cell(&sink, old && !cell_wins(new, old) ? old : new);
            continue;
        }
        uint32_t end = j;
        while (end < b->cell_count && cell_place_cmp(new, &b->cells[end]) == 0)
            end++;
        TRY(merge_counter(ctx, out->deletion, old, new, end - j + 1, &sum));
        j = end;
        put_cell(&sink, &sum);
    }
    return WR_OK;
}

enum wr_status row_merge(struct ctx *ctx, const struct row *a, const struct row *b, struct deletion over, struct row *out)
{
    struct row merged = ROW_NONE;

    merged.deletion = deletion_merge(a->deletion, b->deletion);
    if (deletion_covers(over, merged.deletion.timestamp_us))
        merged.deletion = DELETION_NONE;
    struct deletion active = deletion_merge(merged.deletion, over);
    merged.liveness = liveness_merge(a->liveness, b->liveness);
    if (deletion_covers(active, merged.liveness.timestamp_us))
        merged.liveness = LIVENESS_NONE;
    merged.annex = row_is_empty(a) ? b->annex : a->annex;
    TRY(merge_complex(ctx, a, b, active, &merged));
    TRY(merge_cells(ctx, a, b, active, &merged));
    *out = merged;
    return WR_OK;
}

bool row_is_alive(const struct row *row, uint32_t now_s)
{
    if (liveness_is_live(row->liveness, now_s))
        return true;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (cell_is_live(&row->cells[i], now_s))
            return true;
    return false;
}

bool row_is_empty(const struct row *row)
{
    return liveness_is_none(row->liveness) && deletion_is_none(row->deletion) && row->complex_count == 0 &&
           row->cell_count == 0;
}

const struct cell *row_find(const struct row *row, uint32_t column, uint32_t *n)
{
    uint32_t low = 0, high = row->cell_count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (row->cells[mid].column < column)
            low = mid + 1;
        else
            high = mid;
    }
    for (high = low; high < row->cell_count && row->cells[high].column == column;)
        high++;
    *n = high - low;
    return high > low ? &row->cells[low] : NULL;
}

struct deletion row_complex_deletion(const struct row *row, uint32_t column)
{
    for (uint32_t i = 0; i < row->complex_count; i++)
        if (row->complex[i].column == column)
            return row->complex[i].deletion;
    return DELETION_NONE;
}
