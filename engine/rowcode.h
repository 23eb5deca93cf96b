/*
 * rowcode.h - a row to bytes and back. The values stay where they are: a decoded cell points into the bytes.
 *
 *     row   flags u8 | base timestamp u64 | [due u32] | [ttl varint, expiry u32] | [annex length varint, annex]
 *           | [deletion: timestamp, made u32] | [length varint of: (column varint, timestamp, made u32)...] | cell ...
 *     cell  head varint (column << 1 | detailed) | [details u8] | [timestamp] | [ttl varint, expiry u32] | [made u32]
 *           | [path length varint, path] | [value length varint, value]
 *
 * All timestamps but the base are zigzag varints of the distance from the base, which is the marker's or, without one, the
 * first cell's. The first ttl and expiry are those of the marker or of the first expiring cell. A cell without details is
 * plain, written at the base; expired and dead cells have no value (but a buried counter has its total). So a row of one
 * INSERT costs nine bytes and two a cell beside its values, as long as values are shorter than 128 bytes and columns below 64.
 *
 * 1. Decoding what was encoded gives an equal row. 2. No bytes whatever make a decoder read outside them, loop or allocate
 * more than in proportion to them. 3. due_s is at a fixed place: when the sweep has to look at the row again; 0: never.
 */
#ifndef WR_ENGINE_ROWCODE_H
#define WR_ENGINE_ROWCODE_H

#include "engine/buf.h"
#include "engine/coding.h"
#include "engine/row.h"

enum {
    ROWCODE_MARKER = 1,
    ROWCODE_MARKER_EXPIRES = 2,
    ROWCODE_EXPIRY = 4,
    ROWCODE_DELETION = 8,
    ROWCODE_COMPLEX = 16,
    ROWCODE_ANNEX = 32,
    ROWCODE_DUE = 64,
    ROWCODE_SPILLED = 128, /* some cell or column lives in the spill tree */
};

enum { ROWCODE_PLAIN_BYTES = 9 }; /* the header of a row with a plain marker or none, and nothing more */

enum {
    CELLCODE_KIND = 3,
    CELLCODE_TIMESTAMP = 4,
    CELLCODE_EXPIRY = 8,
    CELLCODE_PATH = 16,
    CELLCODE_COUNTER = 32,
    CELLCODE_SPILLED = 64,
    CELLCODE_SPILLED_COLUMN = 128,
};

/* Cells being collected in an arena; what was outgrown stays behind in it. */
struct cells {
    struct arena *arena;
    struct cell *at;
    uint32_t count, room;
};

bool cells_grow(struct cells *cells); /* false: no memory */

/* Room for one more, or NULL when there is no memory. */
static inline struct cell *cells_push(struct cells *cells)
{
    if (cells->count == cells->room && !cells_grow(cells))
        return NULL;
    return &cells->at[cells->count++];
}

struct rowcode {
    const uint8_t *at, *end; /* behind the header: the cells */
    int64_t base_us;
    struct liveness liveness;
    struct deletion deletion;
    struct slice annex;
    struct slice complex; /* undecoded; null without */
    uint32_t ttl_s, expiry_s, due_s;
    uint8_t flags;
    bool failed; /* the bytes are damaged */
};

/* Headers with more than a plain marker. */
bool rowcode_open_detailed(struct rowcode *code, struct slice bytes);

/* The header; false and failed for damaged bytes. */
static inline bool rowcode_open(struct rowcode *code, struct slice bytes)
{
    if (bytes.len < ROWCODE_PLAIN_BYTES || (bytes.data[0] & ~ROWCODE_MARKER))
        return rowcode_open_detailed(code, bytes);
    code->at = bytes.data + ROWCODE_PLAIN_BYTES;
    code->end = bytes.data + bytes.len;
    code->base_us = (int64_t)read_u64(bytes.data + 1);
    code->liveness.timestamp_us = bytes.data[0] ? code->base_us : TIMESTAMP_NONE;
    code->liveness.ttl_s = code->liveness.local_s = 0;
    code->deletion = DELETION_NONE;
    code->annex = code->complex = SLICE_NULL;
    code->ttl_s = code->expiry_s = code->due_s = 0;
    code->flags = bytes.data[0];
    code->failed = false;
    return true;
}

/* Whatever rowcode_next cannot do in a few instructions. */
bool rowcode_next_detailed(struct rowcode *code, struct cell *out);

/* The next cell, or false: no more, or failed. */
static inline bool rowcode_next(struct rowcode *code, struct cell *out)
{
    const uint8_t *at = code->at;
    size_t left = (size_t)(code->end - at);

    if (left < 2 || (at[0] & 0x81) || (at[1] & 0x80) || left - 2 < at[1])
        return rowcode_next_detailed(code, out);
    out->column = at[0] >> 1;
    out->kind = CELL_PLAIN;
    out->flags = 0;
    out->ttl_s = 0;
    out->local_s = 0;
    out->timestamp_us = code->base_us;
    out->path = SLICE_NULL;
    out->value = slice_of(at + 2, at[1]);
    code->at = at + 2 + at[1];
    return true;
}

/* Whether all there is of the row is a plain marker and cells, none of them newer than that or elsewhere in the trees: a deletion leaves nothing of it. */
bool rowcode_is_covered(struct slice bytes, int64_t timestamp_us);

/* Appends the row's code. due_s 0: none. */
void rowcode_encode(struct buf *buf, const struct row *row, uint32_t due_s);

/* All of it into ctx's memory; the bytes stay borrowed. */
enum wr_status rowcode_decode(struct ctx *ctx, struct slice bytes, struct row *out);

/* The header's complex deletions into ctx's memory. */
enum wr_status rowcode_complex(struct ctx *ctx, const struct rowcode *code, struct complex_deletion **out, uint32_t *count);

/* One cell alone, its path left out (the key has it):  base timestamp u64 | cell. */
void rowcode_encode_cell(struct buf *buf, const struct cell *cell);
bool rowcode_decode_cell(struct slice bytes, struct cell *out); /* path null; false: damaged */

#endif
