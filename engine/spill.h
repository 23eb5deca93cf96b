/*
 * spill.h - what is too large for its row: values above SPILL_CELL_BYTES, and collections of more than SPILL_COMPLEX_CELLS
 * cells, which leave their row whole.
 *
 *     TREE_SPILL   spill id u64                                    -> the value
 *                  wide entries, id = spill id    bytes = path     -> rowcode.h's cell alone
 *     In the row, as the value of a cell that is flagged:
 *     CELL_SPILLED          spill id varint | length varint
 *     CELL_SPILLED_COLUMN   spill id varint | cells varint | plain cells varint | expiring cells varint | [expiry u32]    (a stub; it has no path;
 *                           expiry where any cell is expiring)
 *
 * 1. A value that is in the tree is not read or written when another cell of its row changes.
 * 2. Changing one element of a spilled collection reads and writes that element and the stub.
 * 3. A stub's counts are exact (a cell that has expired is expiring until a visit has emptied it); its expiry is at or behind that of every
 *    expiring cell. So whether anything in it is alive is known from the row, but for a collection of expiring and dead cells only, of which
 *    the last to expire may have been deleted.
 * 4. A collection comes home to its row when its last cell is gone, and not before.
 */
#ifndef WR_ENGINE_SPILL_H
#define WR_ENGINE_SPILL_H

#include "engine/key.h"
#include "engine/rowcode.h"

/* ---- values ---- */

/* The id and length in a spilled cell's value; false: damaged. */
bool spill_ref_decode(struct slice ref, uint64_t *id, uint64_t *len);

/* The value of a spilled cell, in place. */
enum wr_status spill_value(struct ctx *ctx, struct txn *txn, struct slice ref, struct slice *out);

/* ---- collections ---- */

struct stub {
    uint32_t column;
    uint64_t id;
    uint64_t cells, plain, expiring;
    uint32_t expiry_s;    /* 0: nothing is expiring */
    bool whole;           /* loaded: all cells; else those an update touches */
    struct cell *loaded;  /* in ctx's memory, in order */
    uint32_t loaded_count;
};

bool stub_decode(const struct cell *cell, struct stub *out);
bool stub_was_alive(const struct stub *stub); /* when it was stored: no writer has seen all that can expire of it expire */

/* Reads the collection's cells one by one. bytes of long paths are copied into copies. The cursor is the caller's. */
struct spill_reader {
    struct wide_cursor *cursor;
    struct arena *copies;
    struct slice seek; /* of spill_read_seek; null: none */
    uint32_t column;
};
enum wr_status spill_read_open(struct ctx *ctx, struct spill_reader *reader, struct txn *txn, const struct stub *stub);
void spill_read_seek(struct spill_reader *reader, struct slice path); /* the next cell is the first at or behind it; its bytes must last until then */
enum wr_status spill_read_next(struct ctx *ctx, struct spill_reader *reader, struct cell *out, bool *found);
void spill_read_close(struct spill_reader *reader);

/* ---- under the writer ---- */

/* A stored row whose stubs have been taken out. */
struct spilled {
    struct stub *stubs;
    uint32_t count;
};
enum wr_status spill_take_stubs(struct ctx *ctx, struct row *row, struct spilled *out);

/* Puts the cells of each collection back among the row's: all where `all`, or where the update deletes (its row or the
 * column); else those whose paths the update has. Bytes are copied. */
enum wr_status spill_load(struct ctx *ctx, struct txn *txn, struct spilled *spilled, struct row *row,
                          const struct row *update, bool all);

/* Is anything alive in a collection of which not all is loaded, once `row` (merged, before spill_store) is written? Where a stub does not
 * tell, as of a collection of expiring cells only, they are read until one is. */
enum wr_status spill_is_alive(struct ctx *ctx, struct txn *txn, const struct spilled *spilled, const struct row *row, bool *alive);

/* Has the collection expiring cells that are not loaded, and so not written either? */
bool spill_has_others_expiring(const struct stub *stub);

/* Has the row, as it was stored, collections of which something was alive then? Right for a row that was. */
bool spill_was_alive(const struct spilled *spilled);

/* Writes what has changed in the collections since spill_load, and moves to the tree what has become too large. *row is the
 * merged row; after it, the row to encode. */
enum wr_status spill_store(struct ctx *ctx, struct txn *txn, struct spilled *spilled, struct row *row);

/* Removes the values of spilled cells of `before` that `after` (NULL: nothing is left) does not refer to. */
enum wr_status spill_release(struct ctx *ctx, struct txn *txn, const struct row *before, const struct row *after);

/* Removes collections whole. */
enum wr_status spill_clear(struct ctx *ctx, struct txn *txn, const struct spilled *spilled);

/* Gives cells of `row` that tie with one of `other` their real value, for comparing; then row->cells is a new array. */
enum wr_status spill_resolve_ties(struct ctx *ctx, struct txn *txn, struct row *row, const struct row *other);

#endif
