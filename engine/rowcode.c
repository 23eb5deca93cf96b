#include "engine/rowcode.h"

#include <assert.h>

bool cells_grow(struct cells *cells)
{
    uint32_t room = cells->room ? cells->room * 2 : 16;
    struct cell *at = room > cells->room ? arena_alloc_raw(cells->arena, room * sizeof *at) : NULL;

    if (!at)
        return false;
    if (cells->count)
        memcpy(at, cells->at, cells->count * sizeof *at);
    cells->at = at;
    cells->room = room;
    return true;
}

/* Distances wrap, so that any two timestamps have one. */
static int64_t read_distance(struct reader *r, int64_t base_us)
{
    return (int64_t)((uint64_t)base_us + (uint64_t)unzigzag(read_varint(r)));
}

static void put_distance(struct buf *buf, int64_t timestamp_us, int64_t base_us)
{
    buf_put_varint(buf, zigzag((int64_t)((uint64_t)timestamp_us - (uint64_t)base_us)));
}

bool rowcode_open_detailed(struct rowcode *code, struct slice bytes)
{
    struct reader r = reader_of(bytes);

    *code = (struct rowcode){ .liveness = LIVENESS_NONE, .deletion = DELETION_NONE };
    code->flags = read_byte(&r);
    code->base_us = (int64_t)read_be64(&r);
    if (code->flags & ROWCODE_DUE)
        code->due_s = read_be32(&r);
    if (code->flags & ROWCODE_EXPIRY) {
        code->ttl_s = (uint32_t)read_varint(&r);
        code->expiry_s = read_be32(&r);
    }
    if (code->flags & ROWCODE_MARKER) {
        code->liveness.timestamp_us = code->base_us;
        if (code->flags & ROWCODE_MARKER_EXPIRES) {
            code->liveness.ttl_s = code->ttl_s;
            code->liveness.local_s = code->expiry_s;
        }
    }
    if (code->flags & ROWCODE_ANNEX)
        code->annex = read_bytes(&r, read_varint(&r));
    if (code->flags & ROWCODE_DELETION) {
        code->deletion.timestamp_us = read_distance(&r, code->base_us);
        code->deletion.local_s = read_be32(&r);
    }
    if (code->flags & ROWCODE_COMPLEX)
        code->complex = read_bytes(&r, read_varint(&r));
    code->at = r.at;
    code->end = r.end;
    code->failed = r.failed;
    return !r.failed;
}

/* A buried counter alone is dead and has a value. */
static bool has_value(unsigned kind, bool counter)
{
    return kind == CELL_PLAIN || kind == CELL_EXPIRING || (kind == CELL_DEAD && counter);
}

bool rowcode_next_detailed(struct rowcode *code, struct cell *out)
{
    struct reader r = { code->at, code->end, code->failed };
    uint8_t details = 0;

    if (r.failed || r.at == r.end)
        return false;
    uint64_t head = read_varint(&r);
    if (head & 1)
        details = read_byte(&r);
    *out = (struct cell){
        .column = (uint32_t)(head >> 1),
        .kind = details & CELLCODE_KIND,
        .flags = (details & CELLCODE_COUNTER ? CELL_COUNTER : 0) | (details & CELLCODE_SPILLED ? CELL_SPILLED : 0) |
                 (details & CELLCODE_SPILLED_COLUMN ? CELL_SPILLED_COLUMN : 0),
        .timestamp_us = code->base_us,
    };
    if (details & CELLCODE_TIMESTAMP)
        out->timestamp_us = read_distance(&r, code->base_us);
    if (details & CELLCODE_EXPIRY) {
        out->ttl_s = (uint32_t)read_varint(&r);
        out->local_s = read_be32(&r);
    } else if (out->kind == CELL_EXPIRING || out->kind == CELL_EXPIRED) {
        out->ttl_s = code->ttl_s;
        out->local_s = code->expiry_s;
    } else if (out->kind == CELL_DEAD) {
        out->local_s = read_be32(&r);
    }
    if (details & CELLCODE_PATH)
        out->path = read_bytes(&r, read_varint(&r));
    if (has_value(out->kind, details & CELLCODE_COUNTER))
        out->value = read_bytes(&r, read_varint(&r));
    code->at = r.at;
    code->failed = r.failed || head >> 33;
    return !code->failed;
}

/* What all cells of a row share. */
struct base {
    int64_t timestamp_us;
    uint32_t ttl_s, expiry_s;
};

static bool expires(const struct cell *c)
{
    return c->kind == CELL_EXPIRING || c->kind == CELL_EXPIRED;
}

static struct base base_of(const struct row *row)
{
    struct base base = { 0, 0, 0 };

    if (!liveness_is_none(row->liveness))
        base.timestamp_us = row->liveness.timestamp_us;
    else if (row->cell_count)
        base.timestamp_us = row->cells[0].timestamp_us;
    else if (!deletion_is_none(row->deletion))
        base.timestamp_us = row->deletion.timestamp_us;
    else if (row->complex_count)
        base.timestamp_us = row->complex[0].deletion.timestamp_us;

    if (row->liveness.ttl_s) {
        base.ttl_s = row->liveness.ttl_s;
        base.expiry_s = row->liveness.local_s;
        return base;
    }
    for (uint32_t i = 0; i < row->cell_count; i++) {
        if (expires(&row->cells[i])) {
            base.ttl_s = row->cells[i].ttl_s;
            base.expiry_s = row->cells[i].local_s;
            break;
        }
    }
    return base;
}

static uint8_t details_of(const struct cell *c, const struct base *base)
{
    uint8_t details = c->kind;

    if (c->timestamp_us != base->timestamp_us)
        details |= CELLCODE_TIMESTAMP;
    if (expires(c) && (c->ttl_s != base->ttl_s || c->local_s != base->expiry_s))
        details |= CELLCODE_EXPIRY;
    if (!slice_is_null(c->path))
        details |= CELLCODE_PATH;
    if ((c->flags & CELL_COUNTER) && !slice_is_null(c->value))
        details |= CELLCODE_COUNTER;
    if (c->flags & CELL_SPILLED)
        details |= CELLCODE_SPILLED;
    if (c->flags & CELL_SPILLED_COLUMN)
        details |= CELLCODE_SPILLED_COLUMN;
    return details;
}

static void put_cell(struct buf *buf, const struct cell *c, const struct base *base)
{
    uint8_t details = details_of(c, base);

    buf_put_varint(buf, (uint64_t)c->column << 1 | (details != 0));
    if (details)
        buf_put_u8(buf, details);
    if (details & CELLCODE_TIMESTAMP)
        put_distance(buf, c->timestamp_us, base->timestamp_us);
    if (details & CELLCODE_EXPIRY) {
        buf_put_varint(buf, c->ttl_s);
        buf_put_u32(buf, c->local_s);
    } else if (c->kind == CELL_DEAD) {
        buf_put_u32(buf, c->local_s);
    }
    if (details & CELLCODE_PATH) {
        buf_put_varint(buf, c->path.len);
        buf_put_slice(buf, c->path);
    }
    if (has_value(c->kind, details & CELLCODE_COUNTER)) {
        buf_put_varint(buf, c->value.len);
        buf_put_slice(buf, c->value);
    }
}

static void put_complex(struct buf *buf, const struct row *row, int64_t base_us)
{
    size_t len = 0;

    for (uint32_t i = 0; i < row->complex_count; i++)
        len += varint_len(row->complex[i].column) + 4 +
               varint_len(zigzag((int64_t)((uint64_t)row->complex[i].deletion.timestamp_us - (uint64_t)base_us)));
    buf_put_varint(buf, len);
    for (uint32_t i = 0; i < row->complex_count; i++) {
        buf_put_varint(buf, row->complex[i].column);
        put_distance(buf, row->complex[i].deletion.timestamp_us, base_us);
        buf_put_u32(buf, row->complex[i].deletion.local_s);
    }
}

/* What most writes make, a header and cells without details, with room made once; false: it is not that, and nothing was put. */
static bool put_plain(struct buf *buf, const struct row *row, uint32_t due_s)
{
    bool marked = !liveness_is_none(row->liveness);
    size_t most = ROWCODE_PLAIN_BYTES;

    if (due_s || row->liveness.ttl_s || !deletion_is_none(row->deletion) || row->complex_count || !slice_is_null(row->annex))
        return false;
    if (!marked && !row->cell_count)
        return false;
    int64_t base_us = marked ? row->liveness.timestamp_us : row->cells[0].timestamp_us;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        if (c->kind != CELL_PLAIN || c->flags || c->timestamp_us != base_us || !slice_is_null(c->path))
            return false;
        most += 2 * VARINT_MAX + c->value.len;
    }
    if (!buf_reserve(buf, most))
        return true; /* the buf remembers */
    uint8_t *at = buf->data + buf->len;
    at[0] = marked ? ROWCODE_MARKER : 0;
    put_u64(at + 1, (uint64_t)base_us);
    at += ROWCODE_PLAIN_BYTES;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        struct slice value = row->cells[i].value;
        at += put_varint(at, (uint64_t)row->cells[i].column << 1);
        at += put_varint(at, value.len);
        if (value.len)
            memcpy(at, value.data, value.len);
        at += value.len;
    }
    buf->len = (size_t)(at - buf->data);
    return true;
}

void rowcode_encode(struct buf *buf, const struct row *row, uint32_t due_s)
{
    if (put_plain(buf, row, due_s))
        return;
    struct base base = base_of(row);
    uint8_t flags = 0;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        assert(i == 0 || row->cells[i - 1].column <= row->cells[i].column);
        if (row->cells[i].flags & (CELL_SPILLED | CELL_SPILLED_COLUMN))
            flags |= ROWCODE_SPILLED;
    }
    if (!liveness_is_none(row->liveness))
        flags |= ROWCODE_MARKER;
    if (row->liveness.ttl_s)
        flags |= ROWCODE_MARKER_EXPIRES;
    if (base.ttl_s || base.expiry_s)
        flags |= ROWCODE_EXPIRY;
    if (!deletion_is_none(row->deletion))
        flags |= ROWCODE_DELETION;
    if (row->complex_count)
        flags |= ROWCODE_COMPLEX;
    if (!slice_is_null(row->annex))
        flags |= ROWCODE_ANNEX;
    if (due_s)
        flags |= ROWCODE_DUE;

    buf_put_u8(buf, flags);
    buf_put_u64(buf, (uint64_t)base.timestamp_us);
    if (flags & ROWCODE_DUE)
        buf_put_u32(buf, due_s);
    if (flags & ROWCODE_EXPIRY) {
        buf_put_varint(buf, base.ttl_s);
        buf_put_u32(buf, base.expiry_s);
    }
    if (flags & ROWCODE_ANNEX) {
        buf_put_varint(buf, row->annex.len);
        buf_put_slice(buf, row->annex);
    }
    if (flags & ROWCODE_DELETION) {
        put_distance(buf, row->deletion.timestamp_us, base.timestamp_us);
        buf_put_u32(buf, row->deletion.local_s);
    }
    if (flags & ROWCODE_COMPLEX)
        put_complex(buf, row, base.timestamp_us);
    for (uint32_t i = 0; i < row->cell_count; i++)
        put_cell(buf, &row->cells[i], &base);
}

enum wr_status rowcode_complex(struct ctx *ctx, const struct rowcode *code, struct complex_deletion **out, uint32_t *count)
{
    enum { ITEM_BYTES_MIN = 6 };
    struct reader r = reader_of(code->complex);
    size_t room = code->complex.len / ITEM_BYTES_MIN;

    *out = NULL;
    *count = 0;
    if (!room)
        return code->complex.len ? fail_corrupt(ctx, "deletions of a row") : WR_OK;
    struct complex_deletion *items = NEW_ARRAY(ctx, struct complex_deletion, room);
    if (!items)
        return WR_NOMEM;
    uint32_t n = 0;
    while (reader_left(&r) && !r.failed && n < room) {
        items[n].column = (uint32_t)read_varint(&r);
        items[n].deletion.timestamp_us = read_distance(&r, code->base_us);
        items[n].deletion.local_s = read_be32(&r);
        n++;
    }
    if (r.failed || reader_left(&r))
        return fail_corrupt(ctx, "deletions of a row");
    *out = items;
    *count = n;
    return WR_OK;
}

enum wr_status rowcode_decode(struct ctx *ctx, struct slice bytes, struct row *out)
{
    struct cells cells = { .arena = ctx->arena };
    struct rowcode code;
    struct cell cell;
    uint32_t last_column = 0;

    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a row");
    *out = (struct row){ .liveness = code.liveness, .deletion = code.deletion, .annex = code.annex };
    TRY(rowcode_complex(ctx, &code, &out->complex, &out->complex_count));
    while (rowcode_next(&code, &cell)) {
        if (cell.column < last_column)
            return fail_corrupt(ctx, "the order of a row's cells");
        last_column = cell.column;
        struct cell *room = cells_push(&cells);
        if (!room)
            return fail_nomem(ctx);
        *room = cell;
    }
    if (code.failed)
        return fail_corrupt(ctx, "cells of a row");
    out->cells = cells.at;
    out->cell_count = cells.count;
    return WR_OK;
}

bool rowcode_is_covered(struct slice bytes, int64_t timestamp_us)
{
    struct rowcode code;
    struct cell cell;

    if (!rowcode_open(&code, bytes) || (code.flags & ~ROWCODE_MARKER) || code.liveness.timestamp_us > timestamp_us)
        return false;
    while (rowcode_next(&code, &cell))
        if (cell.timestamp_us > timestamp_us || cell.flags)
            return false;
    return !code.failed;
}

void rowcode_encode_cell(struct buf *buf, const struct cell *cell)
{
    struct cell alone = *cell;
    struct base base = { cell->timestamp_us, 0, 0 };

    alone.path = SLICE_NULL;
    buf_put_u64(buf, (uint64_t)base.timestamp_us);
    put_cell(buf, &alone, &base);
}

bool rowcode_decode_cell(struct slice bytes, struct cell *out)
{
    struct rowcode code = { 0 };

    if (bytes.len < 8)
        return false;
    code.base_us = (int64_t)read_u64(bytes.data);
    code.at = bytes.data + 8;
    code.end = bytes.data + bytes.len;
    return rowcode_next_detailed(&code, out) && code.at == code.end;
}
