/*
 * rowvalues.h - a row as the engine has it to the values of a table's columns, by ordinal.
 *
 * What is to be read is decided once (row_columns_make, at bind time); filling then is a walk over the row's cells without a
 * search. Whoever needs the values of a row for anything (a select list, a filter, IF conditions, what a refused LWT shows)
 * gets them here, so that one room knows how a collection lies in its cells (operation.h writes them).
 * 1. values has table->column_count places; those of columns that are not wanted are left alone.
 * 2. A value borrows from the row, the keys or the clustering given, or lies in ctx's memory (key columns that had to be
 *    decoded, collections put together); a column without a live value is null.
 * 3. Cells at or before column->dropped_us are hidden: they belong to an earlier column of that name.
 */
#ifndef WR_MODEL_ROWVALUES_H
#define WR_MODEL_ROWVALUES_H

#include "model/schema.h"

struct row_column { /* one wanted column that has cells */
    const struct type *type;
    int64_t dropped_us;
    uint32_t id, ordinal;
    bool multicell;
    bool lossy; /* sets and maps: the key's order does not give its bytes back */
    bool texts; /* their keys are strings, which mostly lie in their order as they are */
};

struct row_columns { /* the wanted columns of a table, in order of id as rows have their cells */
    const struct table *table;
    const struct row_column *regular, *statics;
    struct columns regular_ids, static_ids; /* the same for the engine's scans */
    bool has_keys, has_clustering;          /* any such column wanted */
    bool every_regular;                     /* nothing of regular columns is left out: scans need not choose */
    const uint8_t *flat_places;             /* of flat rows (scan.h), by ordinal, and one place more for what is unwanted; NULL: some column does
                                               not allow it */
    uint64_t flat_wanted, flat_collections;
};

/* What is wanted of a set or map that is not frozen: elements from low to high; null: an open end. */
struct row_part {
    const struct column *column;
    struct slice low, high;
};

/* needed is by ordinal; NULL: every column. Lives in ctx's memory. */
enum wr_status row_columns_make(struct ctx *ctx, const struct table *table, const bool *needed, struct row_columns *out);

/* Of the columns that have parts no more is read than these (ColumnFilter's ColumnSubselection): what is large is looked into, and not read
 * through. Their values are then made of that. Memory from ctx. */
enum wr_status row_columns_narrow(struct ctx *ctx, struct row_columns *columns, const struct row_part *parts, uint32_t count);

/* The values a whole partition shares: key columns and static ones. static_row NULL: statics are null. */
enum wr_status row_values_partition(struct ctx *ctx, const struct row_columns *wanted, struct slice partition_key,
                                    const struct row *static_row, struct slice *values);

/* The values of one row: clustering and regular columns. row NULL: they are null (a partition of static data alone). */
enum wr_status row_values_row(struct ctx *ctx, const struct row_columns *wanted, struct slice clustering,
                              const struct row *row, struct slice *values);

/* The collections of n flat rows (scan.h), whose cells are what these have of them. */
enum wr_status row_values_put_collections(struct ctx *ctx, const struct row_columns *wanted, struct slice *values, uint32_t stride, uint32_t n);
static inline enum wr_status row_values_collections(struct ctx *ctx, const struct row_columns *wanted, struct slice *values)
{
    return wanted->flat_collections ? row_values_put_collections(ctx, wanted, values, 0, 1) : WR_OK;
}

/* What flat rows have not yet: their collections, the values their partition shares, copied from `shared`, and those of clustering columns. */
enum wr_status row_values_flat(struct ctx *ctx, const struct row_columns *wanted, const struct slice *shared, const struct flat_rows *rows,
                               uint32_t n);

/* The values that a partition shares, for one of its rows. */
void row_values_share(const struct row_columns *wanted, const struct slice *shared, struct slice *values);

/* Both at once, for those who look at single rows. */
static inline enum wr_status row_values(struct ctx *ctx, const struct row_columns *wanted, struct slice partition_key,
                                        const struct row *static_row, struct slice clustering, const struct row *row,
                                        struct slice *values)
{
    TRY(row_values_partition(ctx, wanted, partition_key, static_row, values));
    return row_values_row(ctx, wanted, clustering, row, values);
}

struct row_column row_column_of(const struct column *column);

/* Of a live cell of a set or map: its element or key, and a map's value. */
enum wr_status row_element(struct ctx *ctx, const struct row_column *column, const struct cell *cell, struct slice *key,
                           struct slice *value);

/* A map's cell value where the key's order is lossy: [u32 length][key][value]. */
bool row_split_lossy(struct slice stored, struct slice *key, struct slice *value);

/* The number of the field that a cell of a UDT is; the UDT's arg_count where it is none, as a damaged file may have it. */
uint32_t row_field(const struct type *udt, const struct cell *cell);

/* A cell as a server has it, whose path in a set or map is the element or key; that of one that is deleted or has expired is the value that stands for all of
 * its order. Else its own path and value. */
enum wr_status row_cell(struct ctx *ctx, const struct column *column, const struct cell *cell, struct slice *path, struct slice *value);

/* A multicell column's n cells (of one column, in order of path) as a value of the column's type; null where none counts. */
enum wr_status row_collection(struct ctx *ctx, const struct row_column *column, const struct cell *cells, uint32_t n,
                              struct slice *out);

#endif
