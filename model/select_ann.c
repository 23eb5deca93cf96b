/*
 * ORDER BY v ANN OF: the nearest rows, exactly. Every candidate's vector is compared; the best so far are kept, as many as LIMIT
 * asks for, so memory does not grow with the table.
 */
#include <stdlib.h>

#include "model/consistency.h"
#include "model/failure.h"
#include "model/index_forms.h"
#include "model/select_node.h"
#include "model/sketch.h"
#include "model/string_map.h"

enum { ANN_LIMIT_MAX = 1000, WASTE_MAX = 1 << 20 };

struct nearest_row {
    float score;
    uint64_t at; /* the how-manieth candidate: of equal ones the first come first */
    struct slice *values;
    size_t bytes;
};

struct nearest {
    struct nearest_row *heap; /* the worst on top, until all have been seen; then in order */
    uint32_t count, max, given;
    struct arena arenas[2]; /* result rows lie in one of them; those that are still kept move to the other as it fills */
    int current;
    size_t live, used; /* bytes of rows that are kept, and of all put into the current arena */
};

/* ---- checks of a run: SelectStatement.execute and StorageAttachedIndex.validate ---- */

enum wr_status ann_check(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    struct ctx *ctx = exec->ctx;

    if (plan->grouping != GROUP_NONE)
        return fail(ctx, WR_INVALID, "Top-K queries can not be run with aggregation");
    TRY(consistency_lower_nearest(exec));
    if (run->partition_limit != UINT32_MAX || plan->source.unit == UNIT_PARTITION) /* DISTINCT is one row a partition */
        return fail(ctx, WR_INVALID, "Top-K queries do not support per-partition limits");
    if (run->left == UINT32_MAX)
        return fail(ctx, WR_INVALID,
                    "Top-K queries must have a limit specified and the limit must be less than the query page size");
    if (run->page_left < run->left)
        ctx_warn(ctx,
                 "Top-K queries do not support paging and the page size is set to %u, which is less than LIMIT %u. The page size "
                 "has been set to %u to match the LIMIT.",
                 run->page_left, run->left, run->left);
    run->page_left = UINT32_MAX;
    return WR_OK;
}

enum wr_status ann_eval(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    TRY(expr_eval_term(exec, plan->ann.vector, &run->wanted));
    if (run->left > ANN_LIMIT_MAX)
        return fail(exec->ctx, WR_INVALID,
                    "Use of ANN OF in an ORDER BY clause requires a LIMIT that is not greater than %d. LIMIT was %u", ANN_LIMIT_MAX,
                    run->left);
    return WR_OK;
}

/* Among rows found otherwise a server compares vectors one by one; its graph alone does not look for a vector that it would not take. */
static bool is_looked_for(const struct select_plan *plan, const struct select_run *run)
{
    return restrict_has_beside_ann(plan->source.where) ||
           vector_is_indexable(plan->ann.similarity, run->wanted, plan->ann.column->type->dimension);
}

/* Where the table has nothing at all, no tombstones either, there is no graph that could fail. */
static enum wr_status refuse_wanted(struct exec *exec, const struct select_plan *plan)
{
    struct partition partition;
    bool found;

    if (!exec->cursors.partitions)
        TRY(partitions_new(exec->ctx, &exec->cursors.partitions));
    TRY(partitions_open_any(exec->ctx, exec->cursors.partitions, exec->txn, &plan->source.table->shape, INT64_MIN, INT64_MAX, SLICE_NULL));
    TRY(partitions_next(exec->ctx, exec->cursors.partitions, &partition, &found));
    return found ? failure_of_read(exec) : WR_OK;
}

/* ---- the heap: a parent is worse than its children ---- */

static bool is_worse(const struct nearest_row *a, const struct nearest_row *b)
{
    return a->score < b->score || (!(a->score > b->score) && a->at > b->at);
}

static void swap(struct nearest_row *a, struct nearest_row *b)
{
    struct nearest_row c = *a;
    *a = *b;
    *b = c;
}

static void sift_up(struct nearest_row *heap, uint32_t i)
{
    for (; i && is_worse(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(struct nearest_row *heap, uint32_t count)
{
    for (uint32_t i = 0, child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_worse(&heap[child + 1], &heap[child]))
            child++;
        if (!is_worse(&heap[child], &heap[i]))
            break;
        swap(&heap[i], &heap[child]);
    }
}

static int best_first(const void *a, const void *b)
{
    return is_worse(a, b) - is_worse(b, a);
}

/* ---- rows ---- */

static enum wr_status copy_row(struct ctx *ctx, struct arena *arena, const struct slice *row, uint32_t width, struct nearest_row *out)
{
    out->bytes = width * sizeof *row;
    if (!(out->values = arena_alloc(arena, out->bytes)))
        return fail_nomem(ctx);
    for (uint32_t i = 0; i < width; i++) {
        TRY(ctx_copy_to(ctx, arena, row[i], &out->values[i]));
        out->bytes += row[i].len;
    }
    return WR_OK;
}

static enum wr_status move_rows(struct ctx *ctx, struct nearest *n, uint32_t width)
{
    struct arena *to = &n->arenas[!n->current];

    for (uint32_t i = 0; i < n->count; i++)
        TRY(copy_row(ctx, to, n->heap[i].values, width, &n->heap[i]));
    arena_reset(&n->arenas[n->current]);
    n->current = !n->current;
    n->used = n->live;
    return WR_OK;
}

static enum wr_status keep(struct ctx *ctx, struct nearest *n, const struct slice *row, uint32_t width, struct nearest_row made)
{
    TRY(copy_row(ctx, &n->arenas[n->current], row, width, &made));
    n->used += made.bytes;
    n->live += made.bytes;
    if (n->count < n->max) {
        n->heap[n->count++] = made;
        sift_up(n->heap, n->count - 1);
    } else {
        n->live -= n->heap[0].bytes;
        n->heap[0] = made;
        sift_down(n->heap, n->count);
    }
    return n->used > 2 * n->live + WASTE_MAX ? move_rows(ctx, n, width) : WR_OK;
}

/* ---- sketches ---- */

struct outlook { /* what has been found by now, and what a sketch lets hope for */
    const struct nearest *nearest;
    struct sketch_bound bound;
};

static bool may_be_among(void *arg, struct slice sketch)
{
    const struct outlook *o = arg;
    return o->nearest->count < o->nearest->max || !(sketch_at_most(&o->bound, sketch) <= o->nearest->heap[0].score);
}

enum wr_status ann_fill(struct exec *exec, const struct select_plan *plan, struct select_run *run)
{
    struct source *s = &run->source;
    uint32_t dimension = plan->ann.column->type->dimension;
    struct nearest *n = NEW(exec->ctx, struct nearest);
    struct similarity_bound bound;
    const struct slice *row;
    bool found;

    if (!n || !(n->heap = NEW_ARRAY(exec->ctx, struct nearest_row, run->left)))
        return WR_NOMEM;
    n->max = run->left;
    arena_init(&n->arenas[0]);
    arena_init(&n->arenas[1]);
    run->nearest = n;
    if (!is_looked_for(plan, run))
        return refuse_wanted(exec, plan);
    TRY(similarity_bound_init(exec->ctx, plan->ann.similarity, run->wanted, dimension, &bound));
    struct outlook outlook = { .nearest = n };
    if (s->index && s->index->sketches) {
        TRY(sketch_bound_init(exec->ctx, &bound, &outlook.bound));
        index_scan_sift(exec->cursors.index_scan, (struct index_sieve){ &outlook, may_be_among });
    }
    source_keep(exec, s);
    for (uint64_t at = 0;; at++) {
        TRY(source_next(exec, s, &found));
        if (!found)
            break;
        struct slice vector = s->values[plan->ann.column->ordinal];
        if (!slice_is_null(vector) && vector.len != sizeof(float) * dimension)
            return fail_corrupt(exec->ctx, "a vector");
        if (slice_is_null(vector) || (n->count == n->max && similarity_at_most(&bound, vector) <= n->heap[0].score) ||
            !vector_is_indexable(plan->ann.similarity, vector, dimension))
            continue;
        struct nearest_row made = { .score = similarity_score(plan->ann.similarity, vector, run->wanted, dimension), .at = at };
        if (n->count == n->max && !is_worse(&n->heap[0], &made))
            continue;
        struct eval eval = { .exec = exec, .columns = s->values, .row = s->row, .static_row = s->static_row };
        TRY(project_row(&plan->project, plan->source.table, &eval, run->out, &row));
        TRY(keep(exec->ctx, n, row, plan->plan.column_count, made));
    }
    qsort(n->heap, n->count, sizeof *n->heap, best_first);
    return WR_OK;
}

const struct slice *ann_next(struct nearest *n)
{
    return n->given < n->count ? n->heap[n->given++].values : NULL;
}

void ann_free(struct nearest *n)
{
    if (!n)
        return;
    arena_release(&n->arenas[0]);
    arena_release(&n->arenas[1]);
}

/* ---- binding ---- */

enum wr_status ann_bind(struct bind *bind, const struct ast_select *ast, struct ann_order *out)
{
    *out = (struct ann_order){ 0 };
    for (const struct ast_ordering *o = ast->order_by; o; o = o->next) {
        const struct column *column;
        TRY(bind_column(bind, o->column, &column));
        out->orderings++;
        if (!o->ann)
            continue;
        out->anns++;
        out->column = column;
        out->descending = o->descending;
        TRY(expr_bind_term(bind, o->ann, column->type, column->name, &out->vector));
    }
    const struct index *index = out->column ? table_index_on(bind->table, out->column, INDEX_VALUE) : NULL;
    for (uint32_t i = 0; index && i < bind->table->index_count; i++) /* a legacy one may be there too */
        if (bind->table->indexes[i].column == out->column && index_answers_form(&bind->table->indexes[i], FORM_ANN))
            index = &bind->table->indexes[i];
    if (index)
        similarity_of(string_map_get(&index->options, SLICE_LIT("similarity_function")), &out->similarity);
    return WR_OK;
}
