#include "engine/spill.h"

#include <assert.h>

/* ---- values ---- */

bool spill_ref_decode(struct slice ref, uint64_t *id, uint64_t *len)
{
    struct reader r = reader_of(ref);
    *id = read_varint(&r);
    *len = read_varint(&r);
    return !r.failed && reader_left(&r) == 0;
}

static struct slice value_key(uint8_t out[ID_BYTES], uint64_t id)
{
    put_u64(out, id);
    return slice_of(out, ID_BYTES);
}

enum wr_status spill_value(struct ctx *ctx, struct txn *txn, struct slice ref, struct slice *out)
{
    uint64_t id, len;
    uint8_t key[ID_BYTES];
    struct slice value;

    if (!spill_ref_decode(ref, &id, &len))
        return fail_corrupt(ctx, "the place of a large value");
    TRY(store_get(ctx, txn, TREE_SPILL, value_key(key, id), &value));
    if (slice_is_null(value) || value.len != len)
        return fail_corrupt(ctx, "a large value is missing");
    *out = value;
    return WR_OK;
}

static enum wr_status check_length(struct ctx *ctx, struct slice value)
{
    if (value.len > VALUE_BYTES_MAX)
        return fail(ctx, WR_INVALID, "Value length of %zu is longer than maximum of %u", value.len, VALUE_BYTES_MAX);
    return WR_OK;
}

static enum wr_status put_value(struct ctx *ctx, struct txn *txn, struct cell *cell)
{
    uint64_t id;
    uint8_t key[ID_BYTES];
    struct buf buf;

    TRY(check_length(ctx, cell->value));
    TRY(txn_next_id(ctx, txn, &id));
    TRY(store_put(ctx, txn, TREE_SPILL, value_key(key, id), cell->value));
    buf_init(&buf, ctx->arena);
    buf_put_varint(&buf, id);
    buf_put_varint(&buf, cell->value.len);
    cell->flags |= CELL_SPILLED;
    return buf_done(ctx, &buf, &cell->value);
}

static enum wr_status delete_value(struct ctx *ctx, struct txn *txn, struct slice ref)
{
    uint64_t id, len;
    uint8_t key[ID_BYTES];

    if (!spill_ref_decode(ref, &id, &len))
        return fail_corrupt(ctx, "the place of a large value");
    return store_delete(ctx, txn, TREE_SPILL, value_key(key, id));
}

/* The row's next spilled cell at or behind *at. */
static const struct cell *next_spilled(const struct row *row, uint32_t *at)
{
    while (*at < row->cell_count)
        if (row->cells[(*at)++].flags & CELL_SPILLED)
            return &row->cells[*at - 1];
    return NULL;
}

enum wr_status spill_release(struct ctx *ctx, struct txn *txn, const struct row *before, const struct row *after)
{
    uint32_t i = 0;

    for (const struct cell *old; (old = next_spilled(before, &i));) {
        bool kept = false;
        uint32_t n = 0;
        const struct cell *c = after ? row_find(after, old->column, &n) : NULL;
        for (; n && !kept; n--, c++)
            kept = (c->flags & CELL_SPILLED) && slice_eq(c->value, old->value);
        if (!kept)
            TRY(delete_value(ctx, txn, old->value));
    }
    return WR_OK;
}

/* A large value back into the cell. Its entry in the tree stays until spill_release finds nothing that refers to it. */
static enum wr_status bring_home(struct ctx *ctx, struct txn *txn, struct cell *cell)
{
    if (!(cell->flags & CELL_SPILLED))
        return WR_OK;
    TRY(spill_value(ctx, txn, cell->value, &cell->value));
    TRY(ctx_copy(ctx, cell->value, &cell->value));
    cell->flags &= (uint8_t)~CELL_SPILLED;
    return WR_OK;
}

static bool ties(const struct cell *c, const struct row *other)
{
    uint32_t n;
    for (const struct cell *o = row_find(other, c->column, &n); n; n--, o++)
        if (o->timestamp_us == c->timestamp_us && slice_eq(o->path, c->path))
            return true;
    return false;
}

enum wr_status spill_resolve_ties(struct ctx *ctx, struct txn *txn, struct row *row, const struct row *other)
{
    struct cell *cells = NULL;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        if (!(row->cells[i].flags & CELL_SPILLED) || !ties(&row->cells[i], other))
            continue;
        if (!cells) {
            if (!(cells = NEW_ARRAY(ctx, struct cell, row->cell_count)))
                return WR_NOMEM;
            memcpy(cells, row->cells, row->cell_count * sizeof *cells);
            row->cells = cells;
        }
        TRY(bring_home(ctx, txn, &cells[i]));
    }
    return WR_OK;
}

/* ---- collections ---- */

bool stub_decode(const struct cell *cell, struct stub *out)
{
    struct reader r = reader_of(cell->value);

    *out = (struct stub){ .column = cell->column };
    out->id = read_varint(&r);
    out->cells = read_varint(&r);
    out->plain = read_varint(&r);
    out->expiring = read_varint(&r);
    out->expiry_s = out->expiring ? read_be32(&r) : 0;
    return !r.failed && reader_left(&r) == 0;
}

static enum wr_status stub_encode(struct ctx *ctx, const struct stub *stub, int64_t timestamp_us, struct cell *out)
{
    struct buf buf;

    buf_init(&buf, ctx->arena);
    buf_put_varint(&buf, stub->id);
    buf_put_varint(&buf, stub->cells);
    buf_put_varint(&buf, stub->plain);
    buf_put_varint(&buf, stub->expiring);
    if (stub->expiring)
        buf_put_u32(&buf, stub->expiry_s);
    *out = (struct cell){ .column = stub->column, .flags = CELL_SPILLED_COLUMN, .timestamp_us = timestamp_us };
    return buf_done(ctx, &buf, &out->value);
}

bool stub_was_alive(const struct stub *stub)
{
    return stub->plain > 0 || stub->expiry_s > 0;
}

enum wr_status spill_read_open(struct ctx *ctx, struct spill_reader *reader, struct txn *txn, const struct stub *stub)
{
    reader->column = stub->column;
    spill_read_seek(reader, SLICE_EMPTY);
    return wide_open(ctx, reader->cursor, txn, TREE_SPILL, stub->id);
}

void spill_read_seek(struct spill_reader *reader, struct slice path)
{
    reader->seek = path;
}

enum wr_status spill_read_next(struct ctx *ctx, struct spill_reader *reader, struct cell *out, bool *found)
{
    struct slice path, value;

    if (slice_is_null(reader->seek))
        TRY(wide_next(ctx, reader->cursor, &path, &value));
    else
        TRY(wide_seek(ctx, reader->cursor, reader->seek, &path, &value));
    reader->seek = SLICE_NULL;
    *found = !slice_is_null(path);
    if (!*found)
        return WR_OK;
    if (!rowcode_decode_cell(value, out))
        return fail_corrupt(ctx, "an element of a large collection");
    out->column = reader->column;
    out->path = path;
    return wide_lasts(path) ? WR_OK : ctx_copy_to(ctx, reader->copies, path, &out->path);
}

void spill_read_close(struct spill_reader *reader)
{
    wide_close(reader->cursor);
}

/* ---- under the writer ---- */

enum wr_status spill_take_stubs(struct ctx *ctx, struct row *row, struct spilled *out)
{
    uint32_t kept = 0, n = 0;

    *out = (struct spilled){ 0 };
    for (uint32_t i = 0; i < row->cell_count; i++)
        n += (row->cells[i].flags & CELL_SPILLED_COLUMN) != 0;
    if (!n)
        return WR_OK;
    if (!(out->stubs = NEW_ARRAY(ctx, struct stub, n)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        if (!(row->cells[i].flags & CELL_SPILLED_COLUMN))
            row->cells[kept++] = row->cells[i];
        else if (!stub_decode(&row->cells[i], &out->stubs[out->count++]))
            return fail_corrupt(ctx, "the place of a large collection");
    }
    row->cell_count = kept;
    return WR_OK;
}

static enum wr_status copy_cell(struct ctx *ctx, struct cell *cell)
{
    TRY(ctx_copy(ctx, cell->path, &cell->path));
    return ctx_copy(ctx, cell->value, &cell->value);
}

static enum wr_status load_whole(struct ctx *ctx, struct txn *txn, struct stub *stub)
{
    struct spill_reader reader = { .copies = ctx->arena };
    struct cells cells = { .arena = ctx->arena };
    struct cell cell;
    bool found;
    enum wr_status st;

    TRY(wide_cursor_new(ctx, &reader.cursor));
    TRY_OUT(spill_read_open(ctx, &reader, txn, stub));
    for (;;) {
        TRY_OUT(spill_read_next(ctx, &reader, &cell, &found));
        if (!found)
            break;
        TRY_OUT(copy_cell(ctx, &cell));
        struct cell *room = cells_push(&cells);
        if (!room) {
            st = fail_nomem(ctx);
            goto out;
        }
        *room = cell;
    }
    stub->loaded = cells.at;
    stub->loaded_count = cells.count;
    stub->whole = true;
out:
    spill_read_close(&reader);
    wide_cursor_free(reader.cursor);
    return st;
}

static enum wr_status load_touched(struct ctx *ctx, struct txn *txn, struct stub *stub, const struct row *update)
{
    uint32_t n;
    const struct cell *touched = row_find(update, stub->column, &n);

    stub->loaded_count = 0;
    if (n && !(stub->loaded = NEW_ARRAY(ctx, struct cell, n)))
        return WR_NOMEM;
    for (; n; n--, touched++) {
        struct cell *cell = &stub->loaded[stub->loaded_count];
        struct slice value;
        TRY(wide_get(ctx, txn, TREE_SPILL, stub->id, touched->path, &value));
        if (slice_is_null(value))
            continue;
        TRY(ctx_copy(ctx, value, &value));
        if (!rowcode_decode_cell(value, cell))
            return fail_corrupt(ctx, "an element of a large collection");
        cell->column = stub->column;
        cell->path = touched->path;
        stub->loaded_count++;
    }
    return WR_OK;
}

/* The row's cells with those of the lists put in; lists and row are of different columns. */
static enum wr_status splice(struct ctx *ctx, struct row *row, const struct spilled *spilled)
{
    size_t total = row->cell_count;
    uint32_t from = 0, at = 0;

    for (uint32_t i = 0; i < spilled->count; i++)
        total += spilled->stubs[i].loaded_count;
    if (total == row->cell_count)
        return WR_OK;
    struct cell *cells = NEW_ARRAY(ctx, struct cell, total);
    if (!cells)
        return WR_NOMEM;
    for (uint32_t i = 0; i < spilled->count; i++) {
        const struct stub *stub = &spilled->stubs[i];
        while (from < row->cell_count && row->cells[from].column < stub->column)
            cells[at++] = row->cells[from++];
        if (stub->loaded_count)
            memcpy(cells + at, stub->loaded, stub->loaded_count * sizeof *cells);
        at += stub->loaded_count;
    }
    while (from < row->cell_count)
        cells[at++] = row->cells[from++];
    row->cells = cells;
    row->cell_count = at;
    return WR_OK;
}

enum wr_status spill_load(struct ctx *ctx, struct txn *txn, struct spilled *spilled, struct row *row,
                          const struct row *update, bool all)
{
    for (uint32_t i = 0; i < spilled->count; i++) {
        struct stub *stub = &spilled->stubs[i];
        if (all || !deletion_is_none(update->deletion) || !deletion_is_none(row_complex_deletion(update, stub->column)))
            TRY(load_whole(ctx, txn, stub));
        else
            TRY(load_touched(ctx, txn, stub, update));
    }
    return splice(ctx, row, spilled);
}

static uint64_t count_of(enum cell_kind kind, const struct cell *cells, uint32_t n)
{
    uint64_t count = 0;
    for (; n; n--, cells++)
        count += cells->kind == kind;
    return count;
}

bool spill_has_others_expiring(const struct stub *stub)
{
    return stub->expiring > count_of(CELL_EXPIRING, stub->loaded, stub->loaded_count);
}

/* Of those not among `cells`, which are written in their place. */
static enum wr_status find_alive(struct ctx *ctx, struct txn *txn, const struct stub *stub, const struct cell *cells, uint32_t n, bool *alive)
{
    struct arena_mark mark = arena_mark(ctx->arena);
    struct spill_reader reader = { .copies = ctx->arena };
    struct cell cell;
    bool more = true;
    enum wr_status st;

    TRY(wide_cursor_new(ctx, &reader.cursor));
    TRY_OUT(spill_read_open(ctx, &reader, txn, stub));
    while (!*alive) {
        TRY_OUT(spill_read_next(ctx, &reader, &cell, &more));
        if (!more)
            break;
        while (n && slice_cmp(cells->path, cell.path) < 0)
            n--, cells++;
        bool is_written = n && slice_eq(cells->path, cell.path);
        *alive = !is_written && cell_is_live(&cell, ctx->now_s);
    }
out:
    spill_read_close(&reader);
    wide_cursor_free(reader.cursor);
    arena_rewind(ctx->arena, mark);
    return st;
}

enum wr_status spill_is_alive(struct ctx *ctx, struct txn *txn, const struct spilled *spilled, const struct row *row, bool *alive)
{
    *alive = false;
    for (uint32_t i = 0; i < spilled->count && !*alive; i++) {
        const struct stub *stub = &spilled->stubs[i];
        uint32_t n;
        const struct cell *cells = row_find(row, stub->column, &n);
        if (stub->whole)
            continue; /* all its cells are in the row */
        *alive = stub->plain + count_of(CELL_PLAIN, cells, n) > count_of(CELL_PLAIN, stub->loaded, stub->loaded_count);
        if (!*alive && ctx->now_s < stub->expiry_s && spill_has_others_expiring(stub))
            TRY(find_alive(ctx, txn, stub, cells, n, alive));
    }
    return WR_OK;
}

bool spill_was_alive(const struct spilled *spilled)
{
    for (uint32_t i = 0; i < spilled->count; i++)
        if (stub_was_alive(&spilled->stubs[i]))
            return true;
    return false;
}

static bool cell_eq(const struct cell *a, const struct cell *b)
{
    return a->timestamp_us == b->timestamp_us && a->kind == b->kind && a->flags == b->flags && a->ttl_s == b->ttl_s &&
           a->local_s == b->local_s && slice_eq(a->value, b->value);
}

static void count_cell(struct stub *stub, const struct cell *cell, int by)
{
    stub->cells += (uint64_t)by;
    if (cell->kind == CELL_PLAIN)
        stub->plain += (uint64_t)by;
    if (cell->kind == CELL_EXPIRING)
        stub->expiring += (uint64_t)by;
    if (by > 0 && cell->kind == CELL_EXPIRING && cell->local_s > stub->expiry_s)
        stub->expiry_s = cell->local_s;
}

static enum wr_status put_element(struct ctx *ctx, struct txn *txn, uint64_t id, const struct cell *cell)
{
    struct buf buf;
    struct slice value;

    TRY(check_length(ctx, cell->value));
    buf_init(&buf, ctx->arena);
    rowcode_encode_cell(&buf, cell);
    TRY(buf_done(ctx, &buf, &value));
    return wide_put(ctx, txn, TREE_SPILL, id, cell->path, value);
}

/* Makes the tree hold `cells` where it held the loaded ones. */
static enum wr_status write_changes(struct ctx *ctx, struct txn *txn, struct stub *stub, const struct cell *cells, uint32_t n)
{
    uint32_t i = 0, j = 0;

    if (stub->whole)
        stub->expiry_s = 0; /* all of them are counted anew */
    while (i < stub->loaded_count || j < n) {
        int c = j == n ? -1 : i == stub->loaded_count ? 1 : slice_cmp(stub->loaded[i].path, cells[j].path);
        const struct cell *old = c <= 0 ? &stub->loaded[i++] : NULL;
        const struct cell *new = c >= 0 ? &cells[j++] : NULL;
        if (old)
            count_cell(stub, old, -1);
        if (new)
            count_cell(stub, new, 1);
        if (!new)
            TRY(wide_delete(ctx, txn, TREE_SPILL, stub->id, old->path));
        else if (!old || !cell_eq(old, new))
            TRY(put_element(ctx, txn, stub->id, new));
    }
    return WR_OK;
}

static const struct stub *stub_of(const struct spilled *spilled, uint32_t column)
{
    for (uint32_t i = 0; i < spilled->count; i++)
        if (spilled->stubs[i].column == column)
            return &spilled->stubs[i];
    return NULL;
}

static bool is_too_large(const struct cell *c)
{
    return !(c->flags & CELL_SPILLED) && c->value.len > SPILL_CELL_BYTES;
}

/* Is there anything to do at all? Most rows have nothing. */
static bool fits(const struct row *row)
{
    uint32_t run = 0;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        run = i && row->cells[i].column == row->cells[i - 1].column ? run + 1 : 1;
        if (is_too_large(&row->cells[i]) || run > SPILL_COMPLEX_CELLS)
            return false;
    }
    return true;
}

/* Cells stay in the row, but for a value too large for it. */
static enum wr_status keep_in_row(struct ctx *ctx, struct txn *txn, struct cells *out, const struct cell *cells, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct cell *room = cells_push(out);
        if (!room)
            return fail_nomem(ctx);
        *room = cells[i];
        if (is_too_large(room))
            TRY(put_value(ctx, txn, room));
    }
    return WR_OK;
}

/* Elements get entries of their own; the row keeps the stub, while any is left. */
static enum wr_status move_out(struct ctx *ctx, struct txn *txn, struct cells *out, struct stub *stub, struct cell *cells, uint32_t n,
                               int64_t base_us)
{
    for (uint32_t i = 0; i < n; i++)
        TRY(bring_home(ctx, txn, &cells[i]));
    TRY(write_changes(ctx, txn, stub, cells, n));
    if (!stub->cells)
        return WR_OK;
    struct cell *room = cells_push(out);
    return room ? stub_encode(ctx, stub, base_us, room) : fail_nomem(ctx);
}

enum wr_status spill_store(struct ctx *ctx, struct txn *txn, struct spilled *spilled, struct row *row)
{
    struct cells out = { .arena = ctx->arena };
    uint32_t at = 0, s = 0;

    if (!spilled->count && fits(row))
        return WR_OK;
    /* A stub's own timestamp means nothing: it has the one that costs no bytes. */
    int64_t base_us = !liveness_is_none(row->liveness) ? row->liveness.timestamp_us
                      : row->cell_count                ? row->cells[0].timestamp_us
                                                       : 0;
    while (at < row->cell_count || s < spilled->count) {
        uint32_t column = at < row->cell_count ? row->cells[at].column : UINT32_MAX, n = 0;
        if (s < spilled->count && spilled->stubs[s].column < column)
            column = spilled->stubs[s].column;
        while (at + n < row->cell_count && row->cells[at + n].column == column)
            n++;

        struct cell *cells = n ? row->cells + at : NULL;
        const struct stub *known = stub_of(spilled, column);
        struct stub stub = known ? *known : (struct stub){ .column = column };
        s += known != NULL;
        at += n;
        if (!known && n > SPILL_COMPLEX_CELLS)
            TRY(txn_next_id(ctx, txn, &stub.id));
        TRY(known || n > SPILL_COMPLEX_CELLS ? move_out(ctx, txn, &out, &stub, cells, n, base_us) : keep_in_row(ctx, txn, &out, cells, n));
    }
    row->cells = out.at;
    row->cell_count = out.count;
    return WR_OK;
}

enum wr_status spill_clear(struct ctx *ctx, struct txn *txn, const struct spilled *spilled)
{
    for (uint32_t i = 0; i < spilled->count; i++) {
        uint64_t budget = UINT64_MAX;
        TRY(wide_clear(ctx, txn, TREE_SPILL, spilled->stubs[i].id, &budget));
    }
    return WR_OK;
}
