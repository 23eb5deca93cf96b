#include "model/view.h"

#include "model/rowvalues.h"
#include "model/view_filter.h"

/* One view, and where its columns come from. */
struct maker {
    const struct table *view;
    const uint32_t *sources;       /* ordinals in the base: of the view's key and clustering columns, in order */
    const struct column *key_cell; /* the base's regular column among them; NULL: none */
    const uint32_t *selected;      /* ids of the view's other columns, which are those of the base; ascending */
    uint32_t selected_count;
    bool every_column;
    struct view_filter filter;
};

struct makers {
    const struct table *base;
    bool hides; /* some column was dropped once: cells may be hidden */
    struct maker *list;
    uint32_t count;
};

/* ---- a row of the base ---- */

static bool is_hidden(const struct makers *m, const struct cell *cell)
{
    const struct column *c = m->hides ? table_column_by_id(m->base, cell->column) : NULL;
    return m->hides && (!c || cell->timestamp_us <= c->dropped_us);
}

static bool is_seen(const struct makers *m, const struct row *row)
{
    if (!liveness_is_none(row->liveness))
        return true;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (!is_hidden(m, &row->cells[i]))
            return true;
    return false;
}

/* ---- the row it makes ---- */

static bool is_selected(const struct maker *maker, uint32_t id, uint32_t *at)
{
    while (*at < maker->selected_count && maker->selected[*at] < id)
        ++*at;
    return *at < maker->selected_count && maker->selected[*at] == id;
}

static struct liveness liveness_of_cell(const struct cell *cell)
{
    bool expires = cell->kind == CELL_EXPIRING;
    return (struct liveness){ cell->timestamp_us, expires ? cell->ttl_s : 0, expires ? cell->local_s : 0 };
}

/* ViewUpdateGenerator.computeLivenessInfoForEntry where the keys of view and base have the same columns: the marker lives as
 * long as whatever keeps the base's row alive and cannot be seen in the view. */
static struct liveness liveness_of_row(const struct makers *m, const struct maker *maker, const struct row *row)
{
    struct liveness made = row->liveness;
    const struct cell *longest = NULL;
    uint32_t at = 0;
    bool stays = !liveness_is_none(made) && !made.ttl_s;

    if (maker->every_column)
        return made;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        if (is_selected(maker, c->column, &at) || is_hidden(m, c))
            continue;
        if (c->timestamp_us > made.timestamp_us)
            made.timestamp_us = c->timestamp_us;
        if (c->kind != CELL_EXPIRING)
            stays = true;
        else if (!longest || c->local_s > longest->local_s)
            longest = c;
    }
    if (stays)
        return (struct liveness){ made.timestamp_us, 0, 0 };
    if (longest && (liveness_is_none(row->liveness) || longest->local_s > row->liveness.local_s))
        return (struct liveness){ made.timestamp_us, longest->ttl_s, longest->local_s };
    return row->liveness;
}

static enum wr_status make_cells(struct ctx *ctx, const struct makers *m, const struct maker *maker, const struct row *row,
                                 struct row *out)
{
    uint32_t at = 0;

    if (!(out->cells = NEW_ARRAY(ctx, struct cell, row->cell_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (is_selected(maker, row->cells[i].column, &at) && !is_hidden(m, &row->cells[i]))
            out->cells[out->cell_count++] = row->cells[i];
    return WR_OK;
}

/* keys: the values of the base's key and clustering columns, by ordinal. */
static enum wr_status make_keys(struct ctx *ctx, const struct maker *maker, const struct slice *keys, const struct cell *cell,
                                struct derived_row *out)
{
    const struct table *view = maker->view;
    uint32_t count = view->key_count + view->clustering_count;
    struct slice *values = NEW_ARRAY(ctx, struct slice, count);

    if (!values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        values[i] = cell && maker->key_cell->ordinal == maker->sources[i] ? cell->value : keys[maker->sources[i]];
    TRY(partition_key_join(ctx, values, view->key_count, &out->key));
    return clustering_encode(ctx, &view->clustering, values + view->key_count, &out->clustering, &out->row.annex);
}

/* Whether a row of the base (NULL: it has none) makes one; *cell is the one in its key, NULL where there is none such. */
static bool makes_row(const struct makers *m, const struct maker *maker, const struct row *row, const struct cell **cell)
{
    uint32_t n;

    *cell = NULL;
    if (!row)
        return false;
    if (!maker->key_cell)
        return is_seen(m, row);
    *cell = row_find(row, maker->key_cell->id, &n);
    return *cell && !is_hidden(m, *cell);
}

static enum wr_status make(struct ctx *ctx, const struct makers *m, const struct maker *maker, const struct slice *keys,
                           const struct row *row, const struct cell *cell, struct derived_row *out)
{
    *out = (struct derived_row){ .is_there = true, .row = ROW_NONE };
    TRY(make_keys(ctx, maker, keys, cell, out));
    out->row.liveness = cell ? liveness_of_cell(cell) : liveness_of_row(m, maker, row);
    return make_cells(ctx, m, maker, row, &out->row);
}

/* ---- the hook ---- */

static enum wr_status change_view(struct ctx *ctx, struct txn *txn, const struct makers *m, const struct maker *maker,
                                  const struct slice *keys, const struct row *before, const struct row *after)
{
    const struct table_shape *shape = &maker->view->shape;
    const struct cell *old_cell, *new_cell;
    bool was = makes_row(m, maker, before, &old_cell), is = makes_row(m, maker, after, &new_cell);
    bool stays = was && is && (!new_cell || slice_eq(old_cell->value, new_cell->value));
    struct derived_row old, new;

    if (is)
        TRY(make(ctx, m, maker, keys, after, new_cell, &new));
    if (was && !stays) {
        TRY(make_keys(ctx, maker, keys, old_cell, &old));
        /* 1.0 and 1 are one clustering: it stays as it was first written, as that of any row */
        if (!is || !slice_eq(old.key, new.key) || !slice_eq(old.clustering, new.clustering))
            TRY(apply_derived(ctx, txn, shape, old.key, old.clustering, NULL));
    }
    return is ? apply_derived(ctx, txn, shape, new.key, new.clustering, &new.row) : WR_OK;
}

/* The values of the base's key and clustering columns; *whole false: some clustering column has none (compact tables may have
 * such rows), and no view has the row. */
static enum wr_status read_keys(struct ctx *ctx, const struct table *base, struct slice partition_key, struct slice clustering,
                                struct slice annex, struct slice **out, bool *whole)
{
    struct slice *keys = NEW_ARRAY(ctx, struct slice, base->key_count + base->clustering_count);

    if (!keys)
        return WR_NOMEM;
    TRY(partition_key_get(ctx, partition_key, base->key_count, keys));
    TRY(clustering_get(ctx, &base->clustering, clustering, annex, keys + base->key_count));
    *whole = true;
    for (uint32_t i = 0; i < base->clustering_count; i++)
        *whole &= !slice_is_null(keys[base->key_count + i]);
    *out = keys;
    return WR_OK;
}

static enum wr_status changed(struct ctx *ctx, void *arg, struct txn *txn, struct slice partition_key, struct slice clustering,
                              const struct row *before, const struct row *after)
{
    const struct makers *m = arg;
    struct slice *keys;
    bool whole, has;

    TRY(read_keys(ctx, m->base, partition_key, clustering, after ? after->annex : before->annex, &keys, &whole));
    for (uint32_t i = 0; whole && i < m->count; i++) {
        TRY(view_filter_passes(ctx, &m->list[i].filter, keys, clustering, &has));
        if (has)
            TRY(change_view(ctx, txn, m, &m->list[i], keys, before, after));
    }
    return WR_OK;
}

/* Of the one view there is. */
static enum wr_status derive(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering, const struct row *row, struct derived_row *out)
{
    const struct makers *m = arg;
    const struct maker *maker = m->list;
    const struct cell *cell;
    struct slice *keys;
    bool whole, has;

    *out = (struct derived_row){ .row = ROW_NONE };
    TRY(read_keys(ctx, m->base, partition_key, clustering, row->annex, &keys, &whole));
    if (!whole)
        return WR_OK;
    TRY(view_filter_passes(ctx, &maker->filter, keys, clustering, &has));
    return has && makes_row(m, maker, row, &cell) ? make(ctx, m, maker, keys, row, cell, out) : WR_OK;
}

/* ---- making them ---- */

static enum wr_status select_columns(struct ctx *ctx, struct maker *maker)
{
    struct row_columns columns;

    TRY(row_columns_make(ctx, maker->view, NULL, &columns)); /* in order of id */
    maker->selected = columns.regular_ids.ids;
    maker->selected_count = columns.regular_ids.count;
    return WR_OK;
}

static enum wr_status make_maker(struct ctx *ctx, const struct table *base, const struct table *view, struct maker *out)
{
    uint32_t count = view->key_count + view->clustering_count;
    uint32_t *sources = NEW_ARRAY(ctx, uint32_t, count);

    if (!sources)
        return WR_NOMEM;
    *out = (struct maker){ .view = view, .sources = sources, .every_column = view->view->every_column };
    for (uint32_t i = 0; i < count; i++) {
        const struct column *c = table_column(base, view->columns[i].name);
        bool is_cell = c && c->kind == COLUMN_REGULAR;
        if (!c || c->kind == COLUMN_STATIC || (is_cell && out->key_cell) || !type_eq(c->type, view->columns[i].type))
            return fail_corrupt(ctx, "the key of a view");
        sources[i] = c->ordinal;
        if (is_cell)
            out->key_cell = c;
    }
    if (view->view->has_key_cell != (out->key_cell != NULL))
        return fail_corrupt(ctx, "the key of a view");
    TRY(select_columns(ctx, out));
    return view_filter_decode(ctx, base, view->view->chosen, &out->filter);
}

static enum wr_status make_makers(struct ctx *ctx, const struct table *base, const struct table *const *views, uint32_t count, struct makers **out)
{
    struct makers *m = NEW(ctx, struct makers);
    struct maker *list = NEW_ARRAY(ctx, struct maker, count);

    if (!m || !list)
        return WR_NOMEM;
    *m = (struct makers){ .base = base, .hides = base->dropped_count > 0, .list = list, .count = count };
    for (uint32_t i = 0; i < base->column_count; i++)
        m->hides |= base->columns[i].dropped_us != TIMESTAMP_NONE;
    for (uint32_t i = 0; i < count; i++)
        TRY(make_maker(ctx, base, views[i], &list[i]));
    *out = m;
    return WR_OK;
}

enum wr_status view_hook_make(struct ctx *ctx, const struct table *base, const struct table *const *views, uint32_t count,
                              const struct row_hook **out)
{
    struct row_hook *hook = NEW(ctx, struct row_hook);
    struct makers *m;

    if (!hook)
        return WR_NOMEM;
    TRY(make_makers(ctx, base, views, count, &m));
    *hook = (struct row_hook){ m, changed };
    *out = hook;
    return WR_OK;
}

enum wr_status view_derivation_make(struct ctx *ctx, const struct table *base, const struct table *view, struct derivation *out)
{
    struct makers *m;

    TRY(make_makers(ctx, base, &view, 1, &m));
    *out = (struct derivation){ &view->shape, m, derive };
    return WR_OK;
}
