/* One partition: its entry in the directory, its rows, its tombstones, and their entries in indexes. */
#include <inttypes.h>

#include "engine/change.h"
#include "engine/counter.h"
#include "engine/graveyard.h"
#include "engine/index.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
#include "engine/spill.h"
#include "engine/token.h"
#include "engine/verify.h"

/* One partition on the way. */
struct visit {
    struct verify *verify;
    struct slice physical; /* its key, as it is in the living half */
    struct directory_place place;
    struct entry entry;
    const struct table_shape *table; /* NULL: unknown */
    struct tombstone_range *ranges;
    size_t range_count;
};

/* ---- one row ---- */

static enum wr_status check_queued(struct ctx *ctx, const struct visit *visit, uint32_t due_s, enum queue_kind kind,
                                   struct slice place, const char *what)
{
    bool by_key = kind == QUEUE_PARTITION, has;
    struct queue_item item = { due_s, kind, by_key ? visit->place.table_id : visit->entry.id, by_key ? slice_skip(visit->physical, ID_BYTES) : place };

    if (!due_s)
        return WR_OK;
    TRY(queue_has(ctx, visit->verify->txn, &item, &has));
    if (!has)
        findings_add(visit->verify->findings, "partition %" PRIu64 ": %s due at %" PRIu32 " is not in the queue",
                     visit->entry.id, what, due_s);
    if (!by_key && !visit->entry.has_back)
        findings_add(visit->verify->findings, "partition %" PRIu64 ": %s is due, but there is no way back",
                     visit->entry.id, what);
    return WR_OK;
}

/* Order, and what a deletion of the row's own or one from outside should have removed. */
static void check_cells(const struct visit *visit, const struct row *row, struct deletion over, const char *what)
{
    struct deletion active = deletion_merge(row->deletion, over);
    uint64_t id = visit->entry.id;

    if (!liveness_is_none(row->liveness) && deletion_covers(active, row->liveness.timestamp_us))
        findings_add(visit->verify->findings, "partition %" PRIu64 ": %s with a marker that is deleted", id, what);
    if (!deletion_is_none(row->deletion) && deletion_covers(over, row->deletion.timestamp_us))
        findings_add(visit->verify->findings, "partition %" PRIu64 ": %s with a deletion that is deleted", id, what);
    for (uint32_t i = 1; i < row->complex_count; i++)
        if (row->complex[i - 1].column >= row->complex[i].column)
            findings_add(visit->verify->findings, "partition %" PRIu64 ": %s with deletions of columns out of order",
                         id, what);
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i], *last = i ? c - 1 : NULL;
        struct deletion by = deletion_merge(active, row_complex_deletion(row, c->column));
        if (last && (last->column > c->column || (last->column == c->column && slice_cmp(last->path, c->path) >= 0)))
            findings_add(visit->verify->findings, "partition %" PRIu64 ": %s with cells out of order", id, what);
        if (deletion_covers(by, c->timestamp_us) && !(cell_is_counter(c) && c->kind == CELL_DEAD))
            findings_add(visit->verify->findings,
                         "partition %" PRIu64 ": %s with a cell of column %" PRIu32 " that is deleted", id, what,
                         c->column);
    }
}

static enum wr_status check_spilled(struct ctx *ctx, const struct visit *visit, const struct row *row,
                                    const struct spilled *spilled)
{
    struct verify *v = visit->verify;

    for (uint32_t i = 0; i < spilled->count; i++) {
        const struct stub *stub = &spilled->stubs[i];
        uint64_t plain = 0, expiring = 0;
        TRY(ids_add(ctx, &v->spilled, stub->id));
        for (uint32_t j = 0; j < stub->loaded_count; j++) {
            plain += stub->loaded[j].kind == CELL_PLAIN;
            expiring += stub->loaded[j].kind == CELL_EXPIRING;
            if (stub->loaded[j].kind == CELL_EXPIRING && stub->loaded[j].local_s > stub->expiry_s)
                findings_add(v->findings, "partition %" PRIu64 ": a collection outlives its stub", visit->entry.id);
        }
        if (stub->cells != stub->loaded_count || stub->plain != plain || stub->expiring != expiring)
            findings_add(v->findings, "partition %" PRIu64 ": a collection of %" PRIu32 " cells is counted as %" PRIu64,
                         visit->entry.id, stub->loaded_count, stub->cells);
    }
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        uint64_t id, len;
        struct slice value;
        if (!(c->flags & CELL_SPILLED))
            continue;
        enum wr_status st = spill_value(ctx, v->txn, c->value, &value);
        if (st == WR_CORRUPT || (st == WR_OK && !spill_ref_decode(c->value, &id, &len)))
            findings_add(v->findings, "partition %" PRIu64 ": %s", visit->entry.id, ctx->error);
        else
            TRY(st == WR_OK ? ids_add(ctx, &v->spilled, id) : st);
    }
    return WR_OK;
}

/* Decodes, puts collections together, and checks what holds for every row. */
static enum wr_status check_row(struct ctx *ctx, const struct visit *visit, struct slice bytes, struct deletion over,
                                const char *what, struct row *row)
{
    static const struct row nothing = { .liveness = { TIMESTAMP_NONE, 0, 0 }, .deletion = { TIMESTAMP_NONE, 0 } };
    struct spilled spilled;

    *row = nothing;
    enum wr_status st = rowcode_decode(ctx, bytes, row);
    if (st == WR_CORRUPT) {
        *row = nothing;
        findings_add(visit->verify->findings, "partition %" PRIu64 ": %s that cannot be read", visit->entry.id, what);
        return WR_OK;
    }
    TRY(st);
    TRY(spill_take_stubs(ctx, row, &spilled));
    TRY(spill_load(ctx, visit->verify->txn, &spilled, row, &nothing, true));
    TRY(check_spilled(ctx, visit, row, &spilled));
    check_cells(visit, row, over, what);
    return WR_OK;
}

/* The first second in which something of the row expires; 0: nothing does. */
static uint32_t first_expiry(const struct row *row)
{
    uint32_t first = row->liveness.ttl_s && row->liveness.ttl_s != TTL_EXPIRED ? row->liveness.local_s : 0;

    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].kind == CELL_EXPIRING && (!first || row->cells[i].local_s < first))
            first = row->cells[i].local_s;
    return first;
}

static void check_due(const struct visit *visit, const struct row *row, uint32_t due_s, const char *what)
{
    uint32_t first = first_expiry(row);
    if (first && (!due_s || due_s > first))
        findings_add(visit->verify->findings, "partition %" PRIu64 ": %s expires at %" PRIu32 " but is due at %" PRIu32,
                     visit->entry.id, what, first, due_s);
}

/* ---- indexes ---- */

static enum wr_status expect(struct ctx *ctx, struct verify *v, uint64_t index_id, uint64_t entries)
{
    for (size_t i = 0; i < v->index_count; i++) {
        if (v->indexes[i].index_id == index_id) {
            v->indexes[i].entries += entries;
            return WR_OK;
        }
    }
    if (v->index_count == v->index_room) {
        size_t room = v->index_room ? v->index_room * 2 : 16;
        struct expected *at = mem_realloc(v->indexes, room * sizeof *at);
        if (!at)
            return fail_nomem(ctx);
        v->indexes = at;
        v->index_room = room;
    }
    v->indexes[v->index_count++] = (struct expected){ index_id, entries };
    return WR_OK;
}

static enum wr_status check_indexes(struct ctx *ctx, const struct visit *visit, struct slice clustering,
                                    const struct row *row, bool is_static)
{
    struct verify *v = visit->verify;
    struct row shown;
    bool alive;

    if (!visit->table || !visit->table->index_count)
        return WR_OK;
    TRY(row_shown(ctx, v->txn, row, 0, &shown, &alive));
    for (uint32_t i = 0; i < visit->table->index_count; i++) {
        const struct index_shape *index = &visit->table->indexes[i];
        struct terms terms = { 0 };
        if (index_shape_is_of(index, is_static))
            TRY(index_terms(ctx, index, visit->place.key, clustering, alive ? &shown : NULL, &terms));
        TRY(index_sketch(ctx, index, &terms));
        TRY(expect(ctx, v, index->index_id, terms.count));
        for (uint32_t j = 0; j < terms.count; j++) {
            struct index_place at = { .term = terms.list[j], .partition_id = visit->entry.id, .token = visit->place.token, .clustering = clustering };
            struct slice bytes, value;
            TRY(index_bytes(ctx, &at, &bytes));
            TRY(wide_get(ctx, v->txn, TREE_INDEX, index->index_id, bytes, &value));
            if (value.len < 1 || value.data[0] != terms.list[j].len || !slice_eq(slice_skip(value, 1), terms.sketch))
                findings_add(v->findings, "partition %" PRIu64 ": a row is missing in index %" PRIu64, visit->entry.id,
                             index->index_id);
        }
    }
    return WR_OK;
}

/* ---- one partition ---- */

static struct deletion over_of(const struct visit *visit, struct slice clustering)
{
    struct deletion over = visit->entry.deletion;

    for (size_t i = 0; i < visit->range_count; i++)
        if (range_has(visit->ranges[i].range, clustering))
            over = deletion_merge(over, visit->ranges[i].deletion);
    return over;
}

static enum wr_status check_ranges(struct ctx *ctx, struct visit *visit)
{
    struct range all = { SLICE_EMPTY, SLICE_NULL };
    struct verify *v = visit->verify;

    TRY(graveyard_ranges(ctx, v->txn, visit->entry.id, all, &visit->ranges, &visit->range_count));
    for (size_t i = 0; i < visit->range_count; i++) {
        const struct tombstone_range *r = &visit->ranges[i], *last = i ? r - 1 : NULL;
        if (last && (slice_is_null(last->range.end) || slice_cmp(last->range.end, r->range.start) > 0))
            findings_add(v->findings, "partition %" PRIu64 ": range tombstones overlap", visit->entry.id);
        if (r->deletion.timestamp_us > visit->entry.tombstone_us)
            findings_add(v->findings, "partition %" PRIu64 ": a range tombstone later than its entry knows",
                         visit->entry.id);
        TRY(check_queued(ctx, visit, r->due_s, QUEUE_RANGE, r->range.start, "a range tombstone"));
    }
    return WR_OK;
}

static enum wr_status check_living(struct ctx *ctx, const struct visit *visit, struct slice clustering,
                                   struct slice bytes)
{
    struct verify *v = visit->verify;
    struct row row, grave;
    struct rowcode code;
    struct slice buried;

    TRY(check_row(ctx, visit, bytes, over_of(visit, clustering), "a row", &row));
    if (!rowcode_open(&code, bytes))
        return WR_OK;
    if (!row_is_alive(&row, 0))
        findings_add(v->findings, "partition %" PRIu64 ": a row of which nothing is alive", visit->entry.id);
    if (visit->table && visit->table->marker_decides && liveness_is_none(row.liveness))
        findings_add(v->findings, "partition %" PRIu64 ": a row without the marker that it lives by", visit->entry.id);
    check_due(visit, &row, code.due_s, "a row");
    TRY(check_queued(ctx, visit, code.due_s, QUEUE_ROW, clustering, "a row"));
    TRY(wide_get(ctx, v->txn, TREE_GRAVES, visit->entry.id, clustering, &buried));
    if (!slice_is_null(buried) && rowcode_decode(ctx, buried, &grave) == WR_OK) {
        struct row both;
        TRY(row_merge(ctx, &row, &grave, DELETION_NONE, &both));
        for (uint32_t i = 0; i < row.cell_count; i++) {
            uint32_t n;
            const struct cell *c = row_find(&both, row.cells[i].column, &n);
            while (n && !slice_eq(c->path, row.cells[i].path))
                n--, c++;
            bool same = n && c->timestamp_us == row.cells[i].timestamp_us && c->kind == row.cells[i].kind;
            if (row.cells[i].kind != CELL_DEAD && !same)
                findings_add(v->findings,
                             "partition %" PRIu64 ": a cell of column %" PRIu32 " is covered in the graveyard",
                             visit->entry.id, row.cells[i].column);
        }
    }
    return check_indexes(ctx, visit, clustering, &row, false);
}

static enum wr_status check_grave(struct ctx *ctx, const struct visit *visit, struct slice clustering,
                                  struct slice bytes)
{
    struct verify *v = visit->verify;
    struct row row;
    struct rowcode code;

    TRY(check_row(ctx, visit, bytes, DELETION_NONE, "a row in the graveyard", &row));
    if (!rowcode_open(&code, bytes))
        return WR_OK;
    if (row_is_alive(&row, 0))
        findings_add(v->findings, "partition %" PRIu64 ": something alive in the graveyard", visit->entry.id);
    if (visit->table && visit->table->derived)
        findings_add(v->findings, "partition %" PRIu64 ": a tombstone in a derived table", visit->entry.id);
    if (!code.due_s)
        findings_add(v->findings, "partition %" PRIu64 ": a row in the graveyard that will never be purged",
                     visit->entry.id);
    for (uint32_t i = 0; i < row.cell_count; i++)
        if (row.cells[i].timestamp_us > visit->entry.tombstone_us)
            findings_add(v->findings, "partition %" PRIu64 ": a tombstone later than its entry knows", visit->entry.id);
    if (row.deletion.timestamp_us > visit->entry.tombstone_us)
        findings_add(v->findings, "partition %" PRIu64 ": a tombstone later than its entry knows", visit->entry.id);
    return check_queued(ctx, visit, code.due_s, QUEUE_GRAVE, clustering, "a row in the graveyard");
}

static enum wr_status check_tree(struct ctx *ctx, const struct visit *visit, struct wide_cursor *c, enum tree tree,
                                 enum wr_status (*check)(struct ctx *, const struct visit *, struct slice,
                                                         struct slice))
{
    struct slice bytes, value;
    enum wr_status st;

    TRY(wide_open(ctx, c, visit->verify->txn, tree, visit->entry.id));
    TRY_OUT(wide_seek(ctx, c, SLICE_EMPTY, &bytes, &value));
    while (!slice_is_null(bytes)) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY_OUT(verify_note(ctx, visit->verify, check(ctx, visit, bytes, value)));
        arena_rewind(ctx->arena, mark);
        TRY_OUT(wide_next(ctx, c, &bytes, &value));
    }
out:
    wide_close(c);
    return st;
}

static enum wr_status check_entry_row(struct ctx *ctx, const struct visit *visit)
{
    struct row row;

    TRY(check_row(ctx, visit, visit->entry.row, visit->entry.deletion, "the entry's row", &row));
    check_due(visit, &row, visit->entry.due_s, "the entry's row");
    if (visit->place.is_dead && row_is_alive(&row, 0))
        findings_add(visit->verify->findings, "partition %" PRIu64 ": something alive in the dead half", visit->entry.id);
    return check_indexes(ctx, visit, SLICE_EMPTY, &row, visit->table && visit->table->has_clustering);
}

/* What holds of the dead half, beside what its entries say of rows. */
static enum wr_status check_dead(struct ctx *ctx, const struct visit *visit)
{
    struct verify *v = visit->verify;
    uint64_t id = visit->entry.id;
    struct slice bytes, value;
    enum wr_status st;

    if (!visit->place.is_dead)
        return WR_OK;
    TRY(store_get(ctx, v->txn, TREE_PARTITIONS, visit->physical, &bytes));
    if (!slice_is_null(bytes))
        findings_add(v->findings, "partition %" PRIu64 ": it lies in both halves", id);
    TRY(wide_open(ctx, v->rows, v->txn, TREE_ROWS, id));
    TRY_OUT(wide_seek(ctx, v->rows, SLICE_EMPTY, &bytes, &value));
    if (!slice_is_null(bytes))
        findings_add(v->findings, "partition %" PRIu64 ": rows in the dead half", id);
out:
    wide_close(v->rows);
    return st;
}

enum wr_status verify_partition(struct ctx *ctx, struct verify *v, struct slice physical, struct slice bytes)
{
    struct visit visit = { .verify = v };
    struct directory_key living;
    struct slice back;

    if (!directory_key_parse(physical, &visit.place) || !entry_decode(bytes, &visit.entry)) {
        findings_add(v->findings, "an entry of the directory that cannot be read");
        return WR_OK;
    }
    if (!slice_is_null(visit.entry.key))
        visit.place.key = visit.entry.key;
    uint64_t id = visit.entry.id;
    visit.physical = directory_key(&living, visit.place.table_id, token_of(visit.place.key), visit.place.key);
    if (!slice_eq(slice_skip(visit.physical, ID_BYTES), slice_skip(physical, ID_BYTES)))
        findings_add(v->findings, "partition %" PRIu64 ": its key and its place in the directory differ", id);
    TRY(ids_add(ctx, &v->partitions, id));
    TRY(ids_add(ctx, &v->ranges, RANGE_BIT | id));
    TRY(directory_back(ctx, v->txn, id, &back));
    if (visit.entry.has_back != !slice_is_null(back) || (visit.entry.has_back && !slice_eq(back, visit.physical)))
        findings_add(v->findings, "partition %" PRIu64 ": the way back leads elsewhere", id);
    if (v->writer->lookup)
        visit.table = v->writer->lookup(v->writer->lookup_arg, visit.place.table_id);

    TRY(verify_note(ctx, v, check_dead(ctx, &visit)));
    TRY(verify_note(ctx, v, check_ranges(ctx, &visit)));
    TRY(check_queued(ctx, &visit, visit.entry.due_s, QUEUE_PARTITION, SLICE_NULL, "an entry"));
    if (!deletion_is_none(visit.entry.deletion) && !visit.entry.due_s)
        findings_add(v->findings, "partition %" PRIu64 ": a deletion that will never be purged", id);
    if (!slice_is_null(visit.entry.row))
        TRY(verify_note(ctx, v, check_entry_row(ctx, &visit)));
    TRY(check_tree(ctx, &visit, v->rows, TREE_ROWS, check_living));
    return check_tree(ctx, &visit, v->graves, TREE_GRAVES, check_grave);
}
