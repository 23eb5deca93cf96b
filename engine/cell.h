/*
 * cell.h - one value of one column, and which of two values wins.
 *
 * Pure: no clock, no memory, no failure. Bytes are borrowed from whoever built the cell.
 * 1. cell_wins is a total order on cells of one place, so reconciling is commutative, associative and idempotent: writes may
 *    come in any order, and twice. (Counter cells are merged under the writer instead: counter.h.)
 * 2. The winner has the greater timestamp; at a tie a dead cell beats the others, an expiring one beats a plain one, of two
 *    expiring ones the later expiry wins, then the smaller TTL (it was written later), then the greater value in unsigned
 *    bytes (Cassandra's Cells.resolveRegular). An expired cell ranks as the expiring one it was.
 */
#ifndef WR_ENGINE_CELL_H
#define WR_ENGINE_CELL_H

#include "engine/slice.h"

enum cell_kind {
    CELL_PLAIN,
    CELL_EXPIRING,
    CELL_DEAD,
    CELL_EXPIRED, /* stored rows only: an expiring cell past its time, which a writer has emptied. It is not made CELL_DEAD,
                     which would win ties that the expiring cell has lost: sweeping must not change what is visible. */
};

enum {
    CELL_COUNTER = 1, /* value is a counter: 8 bytes big-endian; in a mutation the increment, in a stored row the total */
    CELL_SPILLED = 2, /* stored rows only: the value lives in the spill tree, scan.h fetches it */
    CELL_SPILLED_COLUMN = 4, /* stored rows only: all cells of the complex column do; spill.h */
};

struct cell {
    uint32_t column; /* the model's number for the column, unique in its table for ever, 1 and up */
    uint8_t kind;    /* enum cell_kind */
    uint8_t flags;
    uint32_t ttl_s;   /* CELL_EXPIRING, CELL_EXPIRED: what was asked for */
    uint32_t local_s; /* CELL_EXPIRING, CELL_EXPIRED: expires at; CELL_DEAD: deleted at */
    int64_t timestamp_us;
    struct slice path;  /* null for a simple column; for one cell of a complex column its place, in comparable bytes */
    struct slice value; /* never null unless dead or expired */
};

static inline bool cell_is_live(const struct cell *c, uint32_t now_s)
{
    return c->kind == CELL_PLAIN || (c->kind == CELL_EXPIRING && now_s < c->local_s);
}

/* The order of cells in a row: by column, then by path. */
static inline int cell_place_cmp(const struct cell *a, const struct cell *b)
{
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return slice_cmp(a->path, b->path);
}

/* True when a wins over b, both being of one column and path. Equal cells: either may be kept. */
bool cell_wins(const struct cell *a, const struct cell *b);

#endif
