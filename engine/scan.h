/*
 * scan.h - reading: a partition by its key, and its rows between two bounds. (partitions.h: partitions by token; index_scan.h: rows by index term.)
 *
 * All that comes out borrows from the transaction (the map itself, where nothing had to be put together) and from the scan:
 * a partition until the next partitions_next, a row until the next scan_next; bytes of values until the transaction ends.
 * In a write transaction, which may be written to before reading goes on (wr_atomically), they are copies: a partition's in memory of ctx, as a
 * row's that was found by its key; those of a scan's rows until it moves.
 * Rows that are put off (backlog.h) a write transaction applies when it comes to them; who reads in another one has asked txn_is_behind first (engine.h).
 * 1. Only what is alive at ctx->now_s is shown: expired and dead cells are left out, a row without a live marker or cell too
 *    (without a live marker, where that decides; see also struct columns).
 *    SCAN_RAW shows everything, tombstones and the graveyard's rows included.
 * 2. Rows come in order of their comparable bytes, or in exactly the reverse; partitions in order of (token, key).
 * 3. A scan that has run once and is opened again (same struct) asks for no memory.
 */
#ifndef WR_ENGINE_SCAN_H
#define WR_ENGINE_SCAN_H

#include "engine/known_chunk.h"
#include "engine/mutation.h"

struct engine;

enum { SCAN_REVERSED = 1, SCAN_RAW = 2 };

struct partition {
    uint64_t id; /* 0: not stored */
    int64_t token;
    struct slice key;
    struct deletion deletion;
    struct slice entry; /* the directory's bytes */
    struct slice row;   /* row code of the static row or, without clustering columns, of the row; null: none */
    struct known_chunk chunk; /* of its rows, from partitions_next or partitions_expect */
    bool has_clustering, marker_decides; /* of its table */
    bool unsteady; /* its transaction may be written to while it is read: it is a copy */
};

/* Of a collection the cells wanted, by path: ranges in order, no two of which meet. None: all. */
struct paths {
    const struct range *ranges;
    uint32_t count;
};

/* The columns wanted, in ascending order; values of others may be missing in what is shown (but count for being alive).
 * NULL: all. */
struct columns {
    const uint32_t *ids;
    const struct paths *paths; /* of each; NULL: all cells of all */
    uint32_t count;
    bool marker_shadows; /* others do not count where they are older than the row's marker, be it that this has expired */
};

/* *found tells whether the key has an entry among those of which something may be alive. */
enum wr_status partition_find(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice key,
                              struct partition *out, bool *found);

/* The same of a key whose token is known. */
enum wr_status partition_find_at(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token, struct slice key,
                                 struct partition *out, bool *found);

/* The same, and of which nothing is alive: for who looks at tombstones. */
enum wr_status partition_find_any(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token, struct slice key,
                                  struct partition *out, bool *found);

/* A partition that will soon be asked for: what leads to it is fetched from memory meanwhile (keycache.h), partition_expect_place some dozens of nanoseconds
 * behind partition_expect, where there is something else to do for that long. Without a transaction, and without any effect but that. */
struct expected_partition {
    struct slice key; /* borrowed; null: none is expected */
    int64_t token;
    uint64_t hash;
};
bool partition_is_worth_expecting(const struct engine *engine); /* else it is left alone */
void partition_expect(const struct engine *engine, const struct table_shape *table, struct slice key, struct expected_partition *out);
void partition_expect_at(const struct engine *engine, const struct table_shape *table, int64_t token, struct expected_partition *out); /* of no known key */
void partition_expect_place(const struct engine *engine, const struct expected_partition *expected);

/* By its id, among the partitions of a token. Its key borrows from the transaction, until the next write. */
enum wr_status partition_of_id(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token, uint64_t id,
                               struct partition *out, bool *found);

/* The live cells of the static row; ROW_NONE where there are none. Memory from ctx. */
enum wr_status partition_static(struct ctx *ctx, struct txn *txn, const struct partition *partition,
                                const struct columns *columns, struct row *out);

/* What is stored, for looking at it: the static row (or a table's only row) with its tombstones; the partition's range tombstones in order.
 * Memory from ctx. */
enum wr_status partition_row_raw(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct row *out);
enum wr_status partition_static_raw(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct row *out);
enum wr_status partition_ranges(struct ctx *ctx, struct txn *txn, const struct partition *partition,
                                struct range_deletion **out, uint32_t *count);

/* ---- rows of a partition ---- */

struct scan;

struct row_view {
    struct slice clustering; /* comparable bytes; empty without clustering columns */
    struct row row;
    bool buried; /* SCAN_RAW: found in the graveyard */
};

/*
 * Most rows are flat: written by one INSERT, so that all cells are plain, of one timestamp, and of columns below FLAT_COLUMNS. A
 * reader who wants nothing but values says where each is to go, and has those of many flat rows there in one pass, without cells.
 */
enum { FLAT_COLUMNS = 64 };

struct flat_rows {
    const uint8_t *places;     /* by column, FLAT_COLUMNS of them: its place in a row of values; those unwanted share one nobody reads */
    uint64_t wanted;           /* bit c: column c has a place of its own, and every row gives it a value or null */
    uint64_t collections;      /* of `wanted`: their elements' cells are given as they are stored, one behind the other, for flat_next_element */
    struct slice *values;      /* row r's are those from r * stride on, by place */
    uint32_t stride;
    struct slice *clusterings; /* row r's comparable bytes */
    int64_t *timestamps;       /* row r's, of all its cells; NULL: not wanted */
    bool counts_dead;          /* rows with cells that have ended or were deleted are wanted as views, whose cells are counted */
    uint32_t now_s;            /* not 0, where timestamps are not wanted: so are rows of which cells were written at several times, end, have ended or were deleted */
};

enum wr_status scan_new(struct ctx *ctx, struct scan **out);
void scan_free(struct scan *s);
void scan_close(struct scan *s); /* lets go of its cursors, before the transaction ends; not open, or NULL: nothing */

/* range is in comparable bytes whatever the direction. partition, the bounds and columns must stay valid while the scan is
 * used. */
enum wr_status scan_open(struct ctx *ctx, struct scan *s, struct txn *txn, const struct partition *partition,
                         struct range range, unsigned flags, const struct columns *columns);
enum wr_status scan_next(struct ctx *ctx, struct scan *s, const struct row_view **out); /* *out NULL: no more */

/* So many rows of those to come will be asked for, if there are as many: a hint, for memory to be fetched in time. None since scan_open. */
void scan_expect(struct scan *s, uint32_t rows);

/* The flat rows that come next, at most max; *count 0: what comes next, if anything does, is scan_next's. Not with SCAN_RAW. All that is
 * given borrows from the transaction, or in a write is a copy until the scan moves; but a clustering of which wide_lasts is false, always the last
 * one given, until the scan moves. */
enum wr_status scan_flat_rows(struct ctx *ctx, struct scan *s, const struct flat_rows *out, uint32_t max, uint32_t *count);

/* Passes over the rows that come next, as long as a look at the beginning of each tells that it is alive, and to the end of the chunk with the `most`th;
 * *count: of how many. As of those before, what comes behind them is for the calls above; within what a write may come into none is passed over. Not with
 * SCAN_RAW. */
enum wr_status scan_pass_rows(struct ctx *ctx, struct scan *s, uint64_t most, uint64_t *count);

/* The next element of a collection's cells, of which there are some left; false: damaged. */
bool flat_next_element(struct slice *cells, struct slice *path, struct slice *value);

/* The row of a partition whose table has no clustering columns. False: it is not flat, or there is nothing to see of it, which
 * row_find_live tells. */
bool partition_flat_row(const struct partition *partition, const struct flat_rows *flat, struct slice *values);

/* Whether that row is alive, as a look at its beginning tells; false: row_find_live tells. */
bool partition_row_is_plain(const struct partition *partition);

/* Further on to the first row at or behind `clustering` in the scan's direction; what lies between is not read.
 * The bytes must stay valid until scan_next. */
void scan_seek(struct scan *s, struct slice clustering);

/* How many dead or expired cells were passed over since this was asked last, and rows of which there was not even one. */
uint64_t scan_take_dead(struct scan *s);

/* One row by its whole clustering; *found false where it is not alive. Memory from ctx, bytes from the transaction. */
enum wr_status row_find_live(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering,
                             const struct columns *columns, struct row *out, bool *found);

/* As it is stored, for row_flat and row_show_live; null: it is not there. Memory as of row_find_live. */
enum wr_status row_stored(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering, struct slice *bytes);

/* Rows by their partitions and whole clusterings, some at once: what one waits for in memory, all wait for together. */
struct row_place {
    uint64_t partition_id;
    struct slice clustering;
    struct slice bytes; /* as it is stored, until the next write; null: it is not there */
};
enum { ROWS_AT_ONCE = 32 };
enum wr_status rows_find(struct ctx *ctx, struct txn *txn, struct row_place *rows, uint32_t n);

/* What is to be seen of such a row: as a flat one, with its timestamp where those are wanted; false: it is not flat, or there is nothing to see. As by
 * row_find_live. */
bool row_flat(const struct table_shape *table, struct slice bytes, const struct flat_rows *flat, struct slice *values);
enum wr_status row_show_live(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice bytes, const struct columns *columns,
                             struct row *out, bool *found);

#endif
