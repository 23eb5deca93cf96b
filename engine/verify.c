/* verify - walks a database and checks what the headers of engine/ claim, and that nothing lies about that nobody
 * refers to. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/backlog.h"
#include "engine/change.h"
#include "engine/counter.h"
#include "engine/graveyard.h"
#include "engine/index.h"
#include "engine/pack.h"
#include "engine/pages.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
#include "engine/spill.h"
#include "engine/state.h"
#include "engine/token.h"

struct ids {
    uint64_t *at;
    size_t count, room;
};

/* How many entries an index must have. */
struct expected {
    uint64_t index_id, entries;
};

struct verify {
    struct txn *txn;
    const struct writer *writer; /* knows the tables */
    struct findings *findings;
    struct ids partitions, ranges, spilled;
    struct expected *indexes;
    size_t index_count, index_room;
    struct wide_cursor *rows, *graves;
};

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

/* Damage that a room stumbles over is a finding like any other, and no reason to stop. */
static enum wr_status note(struct ctx *ctx, struct verify *v, enum wr_status st)
{
    if (st != WR_CORRUPT)
        return st;
    findings_add(v->findings, "%s", ctx->error);
    return WR_OK;
}

/* ---- sets of ids ---- */

static enum wr_status ids_add(struct ctx *ctx, struct ids *ids, uint64_t id)
{
    if (ids->count == ids->room) {
        size_t room = ids->room ? ids->room * 2 : 256;
        uint64_t *at = mem_realloc(ids->at, room * sizeof *at);
        if (!at)
            return fail_nomem(ctx);
        ids->at = at;
        ids->room = room;
    }
    ids->at[ids->count++] = id;
    return WR_OK;
}

static int id_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void ids_sort(struct ids *ids)
{
    if (ids->count > 1)
        qsort(ids->at, ids->count, sizeof *ids->at, id_cmp);
}

static bool ids_has(const struct ids *ids, uint64_t id)
{
    return ids->count && bsearch(&id, ids->at, ids->count, sizeof id, id_cmp);
}

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

static enum wr_status check_index_counts(struct ctx *ctx, struct verify *v)
{
    enum wr_status st = WR_OK;

    for (size_t i = 0; i < v->index_count; i++) {
        uint64_t entries = 0;
        struct slice bytes, value;
        TRY(wide_open(ctx, v->rows, v->txn, TREE_INDEX, v->indexes[i].index_id));
        for (st = wide_seek(ctx, v->rows, SLICE_EMPTY, &bytes, &value); st == WR_OK && !slice_is_null(bytes);
             st = wide_next(ctx, v->rows, &bytes, &value))
            entries++;
        wide_close(v->rows);
        TRY(st);
        if (entries != v->indexes[i].entries)
            findings_add(v->findings, "index %" PRIu64 " has %" PRIu64 " entries for %" PRIu64 " terms",
                         v->indexes[i].index_id, entries, v->indexes[i].entries);
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
        TRY_OUT(note(ctx, visit->verify, check(ctx, visit, bytes, value)));
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

static enum wr_status check_partition(struct ctx *ctx, struct verify *v, struct slice physical, struct slice bytes)
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

    TRY(note(ctx, v, check_dead(ctx, &visit)));
    TRY(note(ctx, v, check_ranges(ctx, &visit)));
    TRY(check_queued(ctx, &visit, visit.entry.due_s, QUEUE_PARTITION, SLICE_NULL, "an entry"));
    if (!deletion_is_none(visit.entry.deletion) && !visit.entry.due_s)
        findings_add(v->findings, "partition %" PRIu64 ": a deletion that will never be purged", id);
    if (!slice_is_null(visit.entry.row))
        TRY(note(ctx, v, check_entry_row(ctx, &visit)));
    TRY(check_tree(ctx, &visit, v->rows, TREE_ROWS, check_living));
    return check_tree(ctx, &visit, v->graves, TREE_GRAVES, check_grave);
}

/* Calls check for every entry of a tree. */
static enum wr_status walk(struct ctx *ctx, struct verify *v, enum tree tree,
                           enum wr_status (*check)(struct ctx *, struct verify *, struct slice, struct slice))
{
    struct cursor c = { 0 };
    struct slice key, value;
    enum wr_status st;

    TRY(cursor_open(ctx, &c, v->txn, tree));
    TRY_OUT(cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
    while (!slice_is_null(key)) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY_OUT(note(ctx, v, check(ctx, v, key, value)));
        arena_rewind(ctx->arena, mark);
        TRY_OUT(cursor_next(ctx, &c, &key, &value));
    }
out:
    cursor_close(&c);
    return st;
}

static enum wr_status check_directory(struct ctx *ctx, struct verify *v, struct slice physical, struct slice bytes)
{
    struct entry entry;
    struct slice there;

    if (physical.len != 16 || read_u64(physical.data) != 0)
        return check_partition(ctx, v, physical, bytes);
    uint64_t id = read_u64(physical.data + 8);
    TRY(directory_get(ctx, v->txn, bytes, &there));
    if (slice_is_null(there) || !entry_decode(there, &entry) || entry.id != id || !entry.has_back)
        findings_add(v->findings, "partition %" PRIu64 ": a way back to nothing", id);
    return WR_OK;
}

/* ---- what nobody refers to ---- */

struct owned {
    enum tree tree;
    const char *what;
    const struct ids *known, *known_too;
    bool put_off; /* rows are put off in it (backlog.h) */
};

/* What a walk meets is found by its key too: no chunk holds what belongs into another. */
static enum wr_status check_place(struct ctx *ctx, struct verify *v, enum tree tree, const struct packed *at)
{
    uint8_t key[STORE_KEY_MAX];
    struct slice there;

    put_u64(key, at->id);
    memcpy(key + 8, at->piece.data, at->piece.len);
    TRY(store_get(ctx, v->txn, tree, slice_of(key, 8 + at->piece.len), &there));
    if (there.data != at->value.data)
        findings_add(v->findings, "partition %" PRIu64 ": an entry that its key does not lead to", at->id);
    return WR_OK;
}

/* A row that was put off can be applied. */
static enum wr_status check_put_off(struct ctx *ctx, struct verify *v, const struct packed *at)
{
    struct put_off row;
    bool sound = false;

    if (at->piece.len == ID_BYTES)
        TRY(backlog_decode(ctx, at->id, at->value, &row, &sound));
    if (!sound)
        findings_add(v->findings, at->id == BACKLOG_ASIDE ? "a row that was put off could not be applied: it is damaged"
                                                          : "a row that was put off is in a wrong place, or cannot be read");
    return WR_OK;
}

/* Ids in a tree of wide entries are those of their owners, or of layers that keys beyond the store's limit lead to. */
static enum wr_status check_owners(struct ctx *ctx, struct verify *v, const struct owned *owned)
{
    static const uint8_t first[8];
    struct ids layers = { 0 };
    struct pack_cursor c = { 0 };
    struct packed at;
    enum wr_status st;

    TRY(pack_open(ctx, &c, v->txn, owned->tree));
    TRY_OUT(pack_seek(ctx, &c, slice_of(first, sizeof first), &at));
    while (at.id) {
        if (tree_is_packed(owned->tree))
            TRY_OUT(check_place(ctx, v, owned->tree, &at));
        if (owned->put_off && (at.id & BACKLOG_BIT))
            TRY_OUT(check_put_off(ctx, v, &at));
        if (at.piece.len == STORE_KEY_MAX - 8 && at.value.len == 8)
            TRY_OUT(ids_add(ctx, &layers, read_u64(at.value.data)));
        TRY_OUT(pack_next(ctx, &c, &at));
    }
    ids_sort(&layers);
    TRY_OUT(pack_seek(ctx, &c, slice_of(first, sizeof first), &at));
    for (uint64_t last = 0; at.id;) {
        if (at.id != last && !ids_has(owned->known, at.id) && !(owned->known_too && ids_has(owned->known_too, at.id)) &&
            !ids_has(&layers, at.id) && !(owned->put_off && (at.id & BACKLOG_BIT)))
            findings_add(v->findings, "%s of an unknown owner %" PRIu64, owned->what, at.id);
        last = at.id;
        TRY_OUT(pack_next(ctx, &c, &at));
    }
out:
    pack_close(&c);
    mem_free(layers.at);
    return st;
}

/* ---- the queue ---- */

static enum wr_status queued_due(struct ctx *ctx, struct verify *v, const struct queue_item *item, uint32_t *due_s)
{
    struct slice bytes = SLICE_NULL;
    struct directory_key key;
    struct rowcode code;
    struct entry entry;
    struct tombstone_range range;
    bool has = false;

    *due_s = 0;
    switch (item->kind) {
    case QUEUE_TABLE:
    case QUEUE_INDEX:
        *due_s = QUEUE_AT_ONCE;
        return WR_OK;
    case QUEUE_PARTITION:
        if (!directory_key_of_item(&key, item))
            return WR_OK;
        TRY(directory_get(ctx, v->txn, slice_of(key.bytes, key.len), &bytes));
        if (!slice_is_null(bytes) && entry_decode(bytes, &entry))
            *due_s = entry.due_s;
        return WR_OK;
    case QUEUE_RANGE:
        TRY(graveyard_get_range(ctx, v->txn, item->id, item->place, &range, &has));
        if (has)
            *due_s = range.due_s;
        return WR_OK;
    case QUEUE_ROW:
    case QUEUE_GRAVE:
        TRY(wide_get(ctx, v->txn, item->kind == QUEUE_ROW ? TREE_ROWS : TREE_GRAVES, item->id, item->place, &bytes));
        if (!slice_is_null(bytes) && rowcode_open(&code, bytes))
            *due_s = code.due_s;
        return WR_OK;
    }
    return WR_OK;
}

static enum wr_status check_queue_id(struct ctx *ctx, struct verify *v, uint64_t id)
{
    struct slice bytes, value;
    enum wr_status st;

    TRY(wide_open(ctx, v->rows, v->txn, TREE_QUEUE, id));
    TRY_OUT(wide_seek(ctx, v->rows, SLICE_EMPTY, &bytes, &value));
    while (!slice_is_null(bytes)) {
        struct queue_item item = { .due_s = (uint32_t)(id >> 8), .kind = id & 0xff };
        uint32_t due_s = 0;
        if (bytes.len >= 8) {
            item.id = read_u64(bytes.data);
            item.place = slice_skip(bytes, 8);
            TRY_OUT(note(ctx, v, queued_due(ctx, v, &item, &due_s)));
        }
        if (due_s != item.due_s)
            findings_add(v->findings, "the queue has %" PRIu64 " (kind %d) at %" PRIu32 ", which is due at %" PRIu32,
                         item.id, (int)item.kind, item.due_s, due_s);
        TRY_OUT(wide_next(ctx, v->rows, &bytes, &value));
    }
out:
    wide_close(v->rows);
    return st;
}

static enum wr_status check_queue(struct ctx *ctx, struct verify *v)
{
    uint64_t id = QUEUE_BIT;

    for (;;) {
        struct cursor c = { 0 };
        struct slice key, value;
        uint8_t at[8];
        struct arena_mark mark = arena_mark(ctx->arena);
        put_u64(at, id);
        TRY(cursor_open(ctx, &c, v->txn, TREE_QUEUE));
        enum wr_status st = cursor_seek(ctx, &c, slice_of(at, sizeof at), &key, &value);
        if (st == WR_OK)
            id = key.len >= 8 ? read_u64(key.data) : 0;
        cursor_close(&c);
        TRY(st);
        if (!id)
            return WR_OK;
        TRY(check_queue_id(ctx, v, id));
        arena_rewind(ctx->arena, mark);
        id++;
    }
}

/* ---- all of it ---- */

/* What is acknowledged goes into the data file first. */
static enum wr_status check_pages(struct ctx *ctx, struct engine *engine, struct verify *v)
{
    TRY(txn_begin_read(ctx, engine, &v->txn));
    return pages_check(ctx, engine->store, NULL, v->findings);
}

static enum wr_status check_all(struct ctx *ctx, struct verify *v)
{
    TRY(walk(ctx, v, TREE_PARTITIONS, check_directory));
    ids_sort(&v->partitions);
    ids_sort(&v->ranges);
    ids_sort(&v->spilled);
    for (size_t i = 1; i < v->partitions.count; i++)
        if (v->partitions.at[i - 1] == v->partitions.at[i])
            findings_add(v->findings, "two partitions with the id %" PRIu64, v->partitions.at[i]);
    for (size_t i = 1; i < v->spilled.count; i++)
        if (v->spilled.at[i - 1] == v->spilled.at[i])
            findings_add(v->findings, "two rows with the large value %" PRIu64, v->spilled.at[i]);
    const struct owned trees[] = {
        { TREE_ROWS, "a row", &v->partitions, NULL, true },
        { TREE_GRAVES, "a tombstone", &v->partitions, &v->ranges, false },
        { TREE_SPILL, "a large value", &v->spilled, NULL, false },
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        TRY(check_owners(ctx, v, &trees[i]));
    TRY(check_queue(ctx, v));
    return check_index_counts(ctx, v);
}

enum wr_status engine_verify(struct ctx *ctx, struct engine *engine, struct findings *findings)
{
    struct verify v = { .writer = engine->writer, .findings = findings };
    enum wr_status st;

    TRY_OUT(wide_cursor_new(ctx, &v.rows));
    TRY_OUT(wide_cursor_new(ctx, &v.graves));
    TRY_OUT(check_pages(ctx, engine, &v));
    if (!findings->unreadable)
        TRY_OUT(check_all(ctx, &v));
out:
    txn_abort(&v.txn);
    wide_cursor_free(v.rows);
    wide_cursor_free(v.graves);
    mem_free(v.partitions.at);
    mem_free(v.ranges.at);
    mem_free(v.spilled.at);
    mem_free(v.indexes);
    return st;
}
