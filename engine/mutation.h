/*
 * mutation.h - the updates of one atomic write, still in memory, and what the engine must know of a table to apply them.
 *
 * Everything is borrowed and must live until apply returns. The model builds these; the engine reads them.
 */
#ifndef WR_ENGINE_MUTATION_H
#define WR_ENGINE_MUTATION_H

#include "engine/row.h"

/*
 * A place between clusterings, in comparable bytes. Rows r with start <= r < end are meant; an empty start is before all
 * rows, a null end after all of them. The model makes every kind of CQL bound into one: a prefix p stands before all rows
 * that begin with p, and p with 0xFF behind it after all of them (no component begins with 0xFF).
 */
struct range {
    struct slice start;
    struct slice end;
};

/* Is bytes inside? A null end is behind everything. */
static inline bool range_has(struct range range, struct slice bytes)
{
    return slice_cmp(bytes, range.start) >= 0 && (slice_is_null(range.end) || slice_cmp(bytes, range.end) < 0);
}

static inline bool range_is_empty(struct range range)
{
    return !slice_is_null(range.end) && slice_cmp(range.start, range.end) >= 0;
}

/* Where two places of ranges lie, ends or starts (which are never null). */
static inline int range_cmp_places(struct slice a, struct slice b)
{
    if (slice_is_null(a) || slice_is_null(b))
        return (int)slice_is_null(a) - (int)slice_is_null(b);
    return slice_cmp(a, b);
}

struct range_deletion {
    struct range range;
    struct deletion deletion;
};

struct row_update {
    struct slice clustering; /* comparable bytes; empty where the table has no clustering columns */
    struct row row;
};

/* An index: for a row as the scan shows it (live cells only), every term it is to be found under. */
struct index_shape {
    uint64_t index_id; /* from txn_next_id, never used again */
    bool of_static;    /* terms come from the static row, not from the others */
    bool of_both;      /* from either: a partition's own, found as long as it has anything */
    bool shared_terms; /* several cells of a column may have one term, so a change of one has to see the others */
    void *arg;
    /* Calls emit once a term: any bytes of which no term is a prefix of another (equal ones of one row are fine). row is NULL where
     * only keys are known. What it allocates from ctx may be given up as soon as it returns. */
    enum wr_status (*terms)(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                            const struct row *row,
                            enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg);
    /* NULL: there is none. Else what is kept beside a row's term, of which there is one at most: readers may tell from it that the row need not be read
     * (index_scan_sift). It depends on nothing but sketched, which the row lends; what it gives may lie in ctx's memory or be of that. */
    enum wr_status (*sketch)(struct ctx *ctx, void *arg, struct slice sketched, struct slice *out);
    struct slice (*sketched)(void *arg, const struct row *row); /* of a row that has a term */
};

static inline bool index_shape_is_of(const struct index_shape *index, bool is_static)
{
    return index->of_both || index->of_static == is_static;
}

struct txn;
struct update;

/* What depends on a table's rows beside indexes (materialized views): told of every row that changed, both as the scan would show
 * them (NULL: not alive), in the same transaction, before apply returns. May apply further mutations to other tables. What it
 * allocates from ctx may be given up as soon as it returns. */
struct row_hook {
    void *arg;
    enum wr_status (*changed)(struct ctx *ctx, void *arg, struct txn *txn, struct slice partition_key,
                              struct slice clustering, const struct row *before, const struct row *after);
};

/* The row of a derived table that a row of another makes, which has to be alive. */
struct derived_row {
    bool is_there;
    struct slice key, clustering;
    struct row row;
};

struct derivation {
    const struct table_shape *table; /* that is derived */
    void *arg;
    /* What it gives may lie in ctx's memory or borrow from the row. */
    enum wr_status (*derive)(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering, const struct row *row, struct derived_row *out);
};

struct table_shape {
    uint64_t table_id;       /* from txn_next_id; TRUNCATE takes a new one */
    bool has_clustering;     /* false: at most one row a partition, kept in the directory's entry */
    bool derived;            /* its rows follow from another table's: put whole (apply_derived), and nothing outlives them */
    bool annexed;            /* rows may have annexes (row.h): one written again keeps that of its tombstone */
    bool marker_decides;     /* a row is alive as long as its marker is, whatever its cells are */
    bool may_wait;           /* inserts may be put off (backlog.h) */
    uint32_t gc_grace_s;
    const struct index_shape *indexes;
    uint32_t index_count;
    const struct row_hook *hook; /* NULL: none */
};

/* Whether more depends on a row than its cells and its place. */
static inline bool table_is_watched(const struct table_shape *table)
{
    return table->index_count || table->hook || table->derived || table->marker_decides;
}

/* What one statement or batch does to one partition. */
struct update {
    struct update *next;
    const struct table_shape *table;
    struct slice partition_key; /* as Cassandra serializes it */
    struct deletion partition_deletion;
    struct row *static_row; /* NULL: untouched */
    struct range_deletion *ranges;
    struct row_update *rows;
    uint32_t range_count, row_count;
};

#endif
