/*
 * Clustering restrictions to ranges of comparable bytes.
 *
 * = and IN make prefixes, a slice behind them makes ranges within each. A bound over several columns is one range per column
 * where directions differ: (a, b) > (1, 2) is a = 1 AND b > 2, or a > 1, and the two lie wherever the order of b puts them.
 * Each bound becomes a list of such pieces, and the slice is where the lists of its two bounds meet.
 */

#include <stdlib.h>

#include "model/restrict_node.h"
#include "model/sort.h"

/* ---- lists of ranges ---- */

struct ranges {
    struct range *list;
    uint32_t count;
};

static int cmp_range(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return slice_cmp(x->start, y->start);
}

/* What two lists have in common; both are in order and disjoint, and so is the result. */
static enum wr_status intersect(struct ctx *ctx, struct ranges a, struct ranges b, struct ranges *out)
{
    struct range *list = NEW_ARRAY(ctx, struct range, a.count + b.count);
    uint32_t n = 0;
    if (!list)
        return WR_NOMEM;
    for (uint32_t i = 0, j = 0; i < a.count && j < b.count;) {
        bool a_first = range_cmp_places(a.list[i].end, b.list[j].end) < 0;
        struct range common = {
            slice_cmp(a.list[i].start, b.list[j].start) > 0 ? a.list[i].start : b.list[j].start,
            a_first ? a.list[i].end : b.list[j].end,
        };
        if (!range_is_empty(common))
            list[n++] = common;
        if (a_first)
            i++;
        else
            j++;
    }
    *out = (struct ranges){ list, n };
    return WR_OK;
}

/* Sorts, and joins what touches. */
static void tidy(struct ranges *r)
{
    uint32_t kept = 0;
    qsort(r->list, r->count, sizeof *r->list, cmp_range);
    for (uint32_t i = 0; i < r->count; i++) {
        if (range_is_empty(r->list[i]))
            continue;
        if (kept && range_cmp_places(r->list[i].start, r->list[kept - 1].end) <= 0) {
            if (range_cmp_places(r->list[kept - 1].end, r->list[i].end) < 0)
                r->list[kept - 1].end = r->list[i].end;
            continue;
        }
        r->list[kept++] = r->list[i];
    }
    r->count = kept;
}

/* ---- places ---- */

/* The place before all rows with this prefix, or (after) behind them all. */
static enum wr_status place(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *values, uint32_t n,
                            bool after, struct slice *out)
{
    struct buf bytes;
    if (n == 0) {
        *out = after ? SLICE_NULL : SLICE_EMPTY;
        return WR_OK;
    }
    buf_init(&bytes, ctx->arena);
    clustering_put(&bytes, shape, values, n);
    if (after)
        buf_put_u8(&bytes, 0xFF);
    return buf_done(ctx, &bytes, out);
}

/* How many of them there are, where a tuple was bound short. */
static uint32_t given_count(const struct slice *values, uint32_t n)
{
    uint32_t given = 0;
    while (given < n && !slice_is_unset(values[given]))
        given++;
    return given;
}

/* Both places, encoded once: the one behind is the one before with 0xFF at its end. */
static enum wr_status prefix_range(struct ctx *ctx, const struct clustering_shape *shape, const struct slice *values, uint32_t n,
                                   struct range *out)
{
    TRY(place(ctx, shape, values, n, true, &out->end));
    out->start = n ? slice_of(out->end.data, out->end.len - 1) : SLICE_EMPTY;
    return WR_OK;
}

/* ---- slices ---- */

/* The rows whose first n - 1 values are these and whose n-th lies beyond (greater for a start bound, else less) the n-th. */
static enum wr_status beyond(struct ctx *ctx, const struct table *table, const struct slice *values, uint32_t n, bool greater,
                             bool inclusive, struct range *out)
{
    const struct clustering_shape *shape = &table->clustering;
    TRY(prefix_range(ctx, shape, values, n - 1, out));
    if (greater != shape->columns[n - 1].inverted)
        return place(ctx, shape, values, n, !inclusive, &out->start);
    return place(ctx, shape, values, n, inclusive, &out->end);
}

/* A bound of a run. A tuple that is bound may have fewer values than there are columns, and is a bound of those then, one without values
 * none at all (MultiColumnRestriction.SliceRestriction.hasComponent). */
struct bound_values {
    struct slice *values;
    uint32_t count;
    bool inclusive;
};

/* values: the prefix (at of them), then the bound's. */
static enum wr_status bound_ranges(struct ctx *ctx, const struct table *table, const struct bound_values *bound, bool greater,
                                   const struct slice *values, uint32_t at, struct ranges *out)
{
    out->count = 0;
    if (!(out->list = NEW_ARRAY(ctx, struct range, bound->count + 1)))
        return WR_NOMEM;
    if (!bound->count)
        return prefix_range(ctx, &table->clustering, values, at, &out->list[out->count++]);
    for (uint32_t n = at + bound->count; n > at; n--) {
        bool inclusive = bound->inclusive && n == at + bound->count;
        TRY(beyond(ctx, table, values, n, greater, inclusive, &out->list[out->count++]));
    }
    tidy(out);
    return WR_OK;
}

static enum wr_status check_set(struct exec *exec, const struct restriction *r, const struct slice *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (slice_is_unset(values[i]))
            return fail(exec->ctx, WR_INVALID, "Invalid unset value for column %.*s", SLICE_ARG(r->columns[i]->name));
    return WR_OK;
}

/* The first that is null; NULL: none. */
static const struct column *null_one(const struct restriction *r, const struct slice *values, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (slice_is_null(values[i]))
            return r->columns[i];
    return NULL;
}

enum wr_status restrict_fail_null(struct ctx *ctx, const struct column *column)
{
    return fail(ctx, WR_INVALID, "Invalid null value in condition for column %.*s", SLICE_ARG(column->name));
}

static enum wr_status check_not_null(struct exec *exec, const struct restriction *r, const struct slice *values, uint32_t from,
                                     uint32_t to)
{
    const struct column *column = null_one(r, values, from, to);
    return column ? restrict_fail_null(exec->ctx, column) : WR_OK;
}

/* MultiColumnRestriction.SliceRestriction.addBoundsTo: the values of one side of the table's order, which are those of either bound where a
 * column descends; each time the direction changes the ones so far are looked at once more. */
static enum wr_status check_side(struct exec *exec, const struct restriction *r, const struct bound_values *bounds, int side)
{
    bool descending = r->columns[0]->descending;
    for (uint32_t i = 0; i < r->column_count; i++) {
        int b = r->columns[i]->descending ? BOUND_START + BOUND_END - side : side;
        bool turned = descending != r->columns[i]->descending;
        descending = r->columns[i]->descending;
        if (i < bounds[b].count)
            TRY(check_not_null(exec, r, bounds[b].values, turned ? 0 : i, i + 1));
    }
    return WR_OK;
}

static enum wr_status eval_bounds(struct exec *exec, const struct restriction *r, struct bound_values bounds[2])
{
    for (int b = BOUND_START; b <= BOUND_END; b++) {
        bounds[b] = (struct bound_values){ NEW_ARRAY(exec->ctx, struct slice, r->column_count), 0, r->bounds[b].inclusive };
        if (!bounds[b].values)
            return WR_NOMEM;
        if (!r->bounds[b].column_count)
            continue;
        TRY(right_side_eval(exec, r, &r->bounds[b].value, r->bounds[b].column_count, bounds[b].values, &bounds[b].count));
        TRY(check_set(exec, r, bounds[b].values, bounds[b].count));
    }
    for (int side = BOUND_START; r->multi && side <= BOUND_END; side++)
        TRY(check_side(exec, r, bounds, side));
    return WR_OK;
}

struct prefixes { /* of clusterings: what = and IN leave, each of so many values */
    struct slice *values;
    uint32_t count, width;
};

static const struct slice *prefix_at(const struct prefixes *p, uint32_t i)
{
    return p->values + (size_t)i * p->width;
}

/* The ranges of a slice behind each of the prefixes. */
static enum wr_status slice_ranges(struct exec *exec, const struct table *table, const struct restriction *r, const struct prefixes *prefixes,
                                   struct ranges *out, bool *null_bound)
{
    uint32_t at = prefixes->width, widest = r->column_count;
    struct bound_values bounds[2];
    struct slice *values = NEW_ARRAY(exec->ctx, struct slice, at + widest);

    if (!values || !(out->list = NEW_ARRAY(exec->ctx, struct range, prefixes->count * (2 * (widest + 1)))))
        return WR_NOMEM;
    TRY(eval_bounds(exec, r, bounds));
    for (uint32_t i = 0; i < prefixes->count; i++) {
        struct ranges lists[2], common;
        memcpy(values, prefix_at(prefixes, i), at * sizeof *values);
        for (int b = BOUND_START; b <= BOUND_END; b++) {
            memcpy(values + at, bounds[b].values, bounds[b].count * sizeof *values);
            TRY(bound_ranges(exec->ctx, table, &bounds[b], b == BOUND_START, values, at, &lists[b]));
        }
        TRY(intersect(exec->ctx, lists[BOUND_START], lists[BOUND_END], &common));
        for (int b = BOUND_START; !*null_bound && common.count && b <= BOUND_END; b++)
            *null_bound = null_one(r, bounds[b].values, 0, bounds[b].count) != NULL;
        memcpy(out->list + out->count, common.list, common.count * sizeof *common.list);
        out->count += common.count;
    }
    return WR_OK;
}

/* ---- all of it ---- */

/* Cassandra counts a clustering as its serialized size; one that is too long was never written. */
static bool too_long(const struct slice *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (values[i].len > KEY_BYTES_MAX)
            return true;
    return false;
}

/* Leaves out what no row has. */
static void drop_impossible(const struct table *table, struct prefixes *p)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct slice *one = prefix_at(p, i);
        bool short_row = p->width == table->clustering_count && given_count(one, p->width) < p->width; /* asked for as a row, and none is so */
        if (short_row || too_long(one, p->width))
            continue;
        memmove(p->values + (size_t)kept++ * p->width, one, p->width * sizeof *one);
    }
    p->count = kept;
}

static enum wr_status prefix_ranges(struct exec *exec, const struct table *table, const struct prefixes *p, struct ranges *out)
{
    if (!(out->list = NEW_ARRAY(exec->ctx, struct range, p->count)))
        return WR_NOMEM;
    for (; out->count < p->count; out->count++) {
        const struct slice *one = prefix_at(p, out->count);
        TRY(prefix_range(exec->ctx, &table->clustering, one, given_count(one, p->width), &out->list[out->count]));
    }
    return WR_OK;
}

enum wr_status restrict_ranges(struct exec *exec, const struct restrictions *rs, struct range **ranges, uint32_t *n,
                               bool *null_bound)
{
    const struct restriction *slice = NULL;
    struct ranges found = { NULL, 0 };
    struct prefixes prefixes = { .width = 0 };

    *null_bound = false;
    if (!rs->ranged) { /* the whole partition */
        if (!(*ranges = NEW_ROOM(exec->ctx, struct range, 1)))
            return WR_NOMEM;
        **ranges = (struct range){ SLICE_EMPTY, SLICE_NULL };
        *n = 1;
        return WR_OK;
    }
    while (prefixes.width < rs->ranged && !slice) {
        const struct restriction *r = rs->clustering[prefixes.width];
        if (r->kind == RESTRICTION_SLICE)
            slice = r;
        else
            prefixes.width += r->column_count;
    }
    TRY(restriction_product(exec, rs->clustering, prefixes.width, &prefixes.values, &prefixes.count));
    if (!prefixes.count) { /* IN (): the slice is not looked at */
        *n = 0;
        return WR_OK;
    }
    drop_impossible(rs->table, &prefixes);
    TRY(slice ? slice_ranges(exec, rs->table, slice, &prefixes, &found, null_bound) : prefix_ranges(exec, rs->table, &prefixes, &found));
    if (found.count > 1)
        tidy(&found);
    *ranges = found.list;
    *n = found.count;
    return WR_OK;
}

/* ---- whole clusterings ---- */

static int cmp_clusterings(const void *a, const void *b, const void *arg)
{
    const struct table *table = arg;
    const struct slice *x = a, *y = b;
    int c = 0;
    for (uint32_t i = 0; i < table->clustering_count && c == 0; i++)
        c = type_compare(table_clustering(table, i)->type, x[i], y[i]);
    return c;
}

/* Tuples of `from` values to tuples of `to`, the others null. */
static enum wr_status widen(struct ctx *ctx, struct slice **values, uint32_t count, uint32_t from, uint32_t to)
{
    struct slice *wide = NEW_ARRAY(ctx, struct slice, (size_t)count * to);
    if (!wide)
        return WR_NOMEM;
    for (size_t i = 0; i < (size_t)count * to; i++)
        wide[i] = i % to < from ? (*values)[i / to * from + i % to] : SLICE_NULL;
    *values = wide;
    return WR_OK;
}

enum wr_status restrict_clusterings(struct exec *exec, const struct restrictions *r, struct slice **values, uint32_t *n)
{
    uint32_t width = r->table->clustering_count, given = 0, count, kept = 0;
    struct slice *all;

    while (given < width && r->clustering[given]) /* of a compact table a prefix is a row's clustering too */
        given += r->clustering[given]->column_count;
    TRY(restriction_product(exec, r->clustering, given, &all, &count));
    for (size_t i = 0; i < (size_t)count * given; i++) /* a tuple bound short */
        if (slice_is_unset(all[i]))
            all[i] = SLICE_NULL;
    if (given < width)
        TRY(widen(exec->ctx, &all, count, given, width));
    if (count > 1 && width) {
        TRY(sort_stably(exec->ctx, all, count, width * sizeof *all, cmp_clusterings, r->table));
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || cmp_clusterings(&all[(size_t)i * width], &all[(size_t)(kept - 1) * width], r->table) != 0)
                memmove(&all[(size_t)kept++ * width], &all[(size_t)i * width], width * sizeof *all);
        count = kept;
    }
    *values = all;
    *n = count;
    return WR_OK;
}
