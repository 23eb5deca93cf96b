/*
 * clustering.h - the values of clustering columns to the comparable bytes the engine orders by, and back; bounds to ranges.
 *
 * Each component is a header byte and the value's comparable bytes (type.h): 0x03 empty, 0x04 a value. Where a column is
 * inverted all bits of its component are flipped, the header's too. A null (compact tables, missing) is its header alone, and
 * comes first in the table's order whether its column is ascending or descending: 0x02, or 0xFD where the table is read
 * backwards. So headers lie in 0x02..0xFD and never are 0xFF or 0x00. Hence a prefix p stands before every row that begins
 * with p, p with 0xFF behind it after all of them, and every CQL bound is one of the two (mutation.h).
 *
 * Rows are stored in the order of the first clustering column ascending: where the table declares it DESC, storage is the
 * exact reverse of the table's order and the table is read backwards (shape.reversed); only columns whose direction differs
 * from the first's are inverted. So scans in table order of a reversed table pass SCAN_REVERSED to the engine.
 */
#ifndef WR_MODEL_CLUSTERING_H
#define WR_MODEL_CLUSTERING_H

#include "engine/mutation.h"
#include "model/type.h"

struct clustering_column {
    const struct type *type;
    type_order_reader *read;  /* the type's */
    type_fixed_reader *fixed; /* the type's, unless inverted; NULL: none */
    bool inverted;            /* its direction differs from the first column's */
};

static inline struct clustering_column clustering_column_of(const struct type *type, bool inverted)
{
    return (struct clustering_column){ type, type_order_reader_of(type), inverted ? NULL : type_fixed_reader_of(type), inverted };
}

struct clustering_shape {
    const struct clustering_column *columns;
    uint32_t count;
    bool reversed; /* the first column is DESC */
    bool lossy;    /* some column's order is lossy: rows carry an annex with the values as written */
};

/* Appends n leading components. A null value puts a null component. */
void clustering_put(struct buf *buf, const struct clustering_shape *shape, const struct slice *values, uint32_t n);

/* Takes comparable bytes apart into shape->count values (missing trailing ones: null); memory from ctx. With an annex (see
 * shape.lossy; null: none) values come from it. */
static inline enum wr_status clustering_get(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice annex,
                                            struct slice *values);
/* Its two ways. */
enum wr_status clustering_split(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice *values);
enum wr_status clustering_read_annex(struct ctx *ctx, const struct clustering_shape *shape, struct slice annex, struct slice *values);
/* A bound (above): the values of the *n leading columns it has, and whether it stands behind the rows that begin with them. */
enum wr_status clustering_split_bound(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice *values,
                                      uint32_t *n, bool *behind);
/* The former of many rows: row i's values begin at values + i * stride. */
enum wr_status clustering_split_rows(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *rows, uint32_t n,
                                     struct slice *values, uint32_t stride);

static inline enum wr_status clustering_get(struct ctx *ctx, const struct clustering_shape *shape, struct slice bytes, struct slice annex,
                                            struct slice *values)
{
    return slice_is_null(annex) ? clustering_split(ctx, shape, bytes, values) : clustering_read_annex(ctx, shape, annex, values);
}

/* The annex of a row: the values as they were written; null where the shape is not lossy, and where the comparable bytes give
 * back these very values, as they mostly do (1.5, but not 1.50). */
enum wr_status clustering_annex(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *values,
                                struct slice *out);

/* A row's clustering and its annex. WR_INVALID where the values are longer than a clustering may be, as Cassandra counts it. */
enum wr_status clustering_encode(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *values,
                                 struct slice *out, struct slice *annex);

/* Partition keys as Cassandra serializes them: one column its value; several, each [u16 length][bytes][0]. WR_INVALID with
 * Cassandra's texts for empty or too long ones ("Key may not be empty", "Key length of ..."). */
enum wr_status partition_key_put(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out);
enum wr_status partition_key_join(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out); /* empty is fine */
enum wr_status partition_key_bytes(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out); /* any length, for its token */
/* partition_key_put that borrows where it can: of one column the key is its value. */
static inline enum wr_status partition_key_of(struct ctx *ctx, const struct slice *values, uint32_t n, struct slice *out)
{
    if (n > 1 || values->len == 0 || values->len > KEY_BYTES_MAX)
        return partition_key_put(ctx, values, n, out);
    *out = *values;
    return WR_OK;
}

enum wr_status partition_key_get(struct ctx *ctx, struct slice key, uint32_t n, struct slice *values);

#endif
