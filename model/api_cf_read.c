/* Column families: slices, and the results that hold them. */
#include "engine/coding.h"
#include "engine/token.h"
#include "model/api_cf.h"

enum { COUNT_DEFAULT = 100, BRIEF_COLUMNS = 256 /* at most, of a read that takes no longer than a write (engine.h, txn_begin_brief) */ };

/* ---- slices ---- */

struct read {
    wr_cf *cf;
    struct txn *txn;
    bool owned;  /* the transaction is the call's own, */
    bool shared; /* or that of writes */
};

static enum wr_status read_begin(wr_cf *cf, bool brief, struct read *read)
{
    struct database *database = cf->db->database;
    arena_reset(&cf->arena);
    TRY(cf_refresh(cf));
    cf->ctx.now_s = clock_now_s(engine_clock(database->engine));
    *read = (struct read){ .cf = cf };
    if (!brief)
        return database_begin_read(&cf->ctx, database, &read->txn, &read->owned);
    read->owned = !database_held(database);
    TRY(database_begin_brief(&cf->ctx, database, &read->txn, &read->shared));
    read->owned &= !read->shared;
    return WR_OK;
}

static void read_end(struct read *read)
{
    scan_close(read->cf->scan);
    partitions_close(read->cf->partitions);
    if (read->owned)
        txn_abort(&read->txn);
    else if (read->shared)
        txn_end_shared(read->txn);
}

static size_t columns_asked(const struct wr_cf_predicate *p)
{
    return p && p->names ? p->name_count : p && p->count ? p->count : COUNT_DEFAULT;
}

static bool is_brief(size_t keys, const struct wr_cf_predicate *p)
{
    size_t columns = columns_asked(p);
    return columns <= BRIEF_COLUMNS && keys <= BRIEF_COLUMNS && keys * columns <= BRIEF_COLUMNS;
}

/* Called for each column of a slice; its bytes are good until the next. */
typedef enum wr_status column_fn(struct ctx *ctx, void *arg, const struct wr_cf_column *column);

static enum wr_status emit_row(struct read *read, struct slice clustering, const struct row *row, column_fn *emit, void *arg)
{
    const struct family *family = &read->cf->family;
    uint32_t n;
    const struct cell *cell = row_find(row, family->value->id, &n);
    struct slice name;
    if (!n)
        return WR_OK;
    TRY(family_name_get(&read->cf->ctx, family, clustering, row->annex, &name));
    struct wr_cf_column column = {
        .name = bytes_of(name),
        .value = bytes_of(cell->value),
        .timestamp_us = cell->timestamp_us,
        .ttl_s = (int32_t)cell->ttl_s,
    };
    if (family->is_counter && cell->value.len == 8)
        column.counter = (int64_t)read_u64(cell->value.data);
    return emit(&read->cf->ctx, arg, &column);
}

static enum wr_status slice_by_names(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p,
                                     column_fn *emit, void *arg)
{
    struct ctx *ctx = &read->cf->ctx;
    for (size_t i = 0; i < p->name_count; i++) {
        struct slice clustering, annex;
        struct row row;
        bool found;
        TRY(family_name_put(ctx, &read->cf->family, slice_of_bytes(p->names[i]), &clustering, &annex));
        TRY(row_find_live(ctx, read->txn, partition, clustering, NULL, &row, &found));
        if (found)
            TRY(emit_row(read, clustering, &row, emit, arg));
    }
    return WR_OK;
}

/* The flat rows that come next, some of them; *count 0: the next one is none, or there is none. */
static enum wr_status emit_flats(struct read *read, uint32_t most, column_fn *emit, void *arg, uint32_t *count)
{
    enum { ROWS = 32, STRIDE = 2 };
    wr_cf *cf = read->cf;
    struct slice clusterings[ROWS], names[ROWS], values[ROWS * STRIDE];
    int64_t timestamps[ROWS];
    const struct flat_rows flat = {
        .places = cf->places, .wanted = cf->wanted, .values = values, .stride = STRIDE, .clusterings = clusterings, .timestamps = timestamps,
    };
    *count = 0;
    if (cf->wanted)
        TRY(scan_flat_rows(&cf->ctx, cf->scan, &flat, most < ROWS ? most : ROWS, count));
    TRY(family_names_get(&cf->ctx, &cf->family, clusterings, *count, names));
    for (uint32_t i = 0; i < *count; i++) {
        struct slice value = values[i * STRIDE];
        struct wr_cf_column column = { .name = bytes_of(names[i]), .value = bytes_of(value), .timestamp_us = timestamps[i] };
        if (!slice_is_null(value))
            TRY(emit(&cf->ctx, arg, &column));
    }
    return WR_OK;
}

static enum wr_status slice_by_range(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p,
                                     column_fn *emit, void *arg)
{
    wr_cf *cf = read->cf;
    uint32_t left = (uint32_t)columns_asked(p);
    struct range range = { SLICE_EMPTY, SLICE_NULL };
    const struct row_view *view;
    bool reversed = p && p->reversed;
    if (p)
        TRY(family_range(&cf->ctx, &cf->family, slice_of_bytes(p->start), slice_of_bytes(p->finish), reversed, &range));
    if (cf->family.table->clustering.reversed)
        reversed = !reversed;
    TRY(scan_open(&cf->ctx, cf->scan, read->txn, partition, range, reversed ? SCAN_REVERSED : 0, NULL));
    scan_expect(cf->scan, left);
    while (left) {
        uint32_t count;
        TRY(emit_flats(read, left, emit, arg, &count));
        left -= count;
        if (count)
            continue;
        TRY(scan_next(&cf->ctx, cf->scan, &view));
        if (!view)
            break;
        TRY(emit_row(read, view->clustering, &view->row, emit, arg));
        left--;
    }
    return WR_OK;
}

static enum wr_status slice_partition(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p,
                                      column_fn *emit, void *arg)
{
    return p && p->names ? slice_by_names(read, partition, p, emit, arg) : slice_by_range(read, partition, p, emit, arg);
}

static enum wr_status slice_key(struct read *read, struct slice key, const struct wr_cf_predicate *p, column_fn *emit, void *arg)
{
    struct partition partition;
    bool found;
    TRY(family_check_key(&read->cf->ctx, &read->cf->family, key));
    TRY(partition_find(&read->cf->ctx, read->txn, &read->cf->family.table->shape, key, &partition, &found));
    return found ? slice_partition(read, &partition, p, emit, arg) : WR_OK;
}

static enum wr_status copy_column(struct ctx *ctx, const struct wr_cf_column *from, struct wr_cf_column *to)
{
    struct slice name, value;
    TRY(ctx_copy(ctx, slice_of_bytes(from->name), &name));
    TRY(ctx_copy(ctx, slice_of_bytes(from->value), &value));
    *to = *from;
    to->name = bytes_of(name);
    to->value = bytes_of(value);
    return WR_OK;
}

struct found_column {
    struct wr_cf_column *column;
    bool found;
};

static enum wr_status keep_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    struct found_column *out = arg;
    out->found = true;
    return copy_column(ctx, column, out->column);
}

enum wr_status wr_cf_get(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, struct wr_cf_column *column)
{
    struct wr_cf_predicate p = { .names = &name, .name_count = 1 };
    struct found_column found = { column, false };
    struct read read;
    TRY(read_begin(cf, true, &read));
    enum wr_status st = slice_key(&read, slice_of_bytes(key), &p, keep_column, &found);
    read_end(&read);
    if (st == WR_OK && !found.found)
        return fail(&cf->ctx, WR_NOT_FOUND, "there is no such column");
    return st;
}

static enum wr_status count_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    (void)ctx, (void)column;
    ++*(uint64_t *)arg;
    return WR_OK;
}

enum wr_status wr_cf_get_count(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate, uint64_t *count)
{
    struct read read;
    *count = 0;
    TRY(read_begin(cf, is_brief(1, predicate), &read));
    enum wr_status st = slice_key(&read, slice_of_bytes(key), predicate, count_column, count);
    read_end(&read);
    return st;
}

/* ---- results ---- */

struct result_row {
    struct slice key;
    struct wr_cf_column *columns;
    size_t count, room;
};

struct wr_cf_result {
    struct arena arena;
    struct result_row *rows;
    size_t count, room;
};

static void *grow(struct arena *arena, void *items, size_t size, size_t count, size_t *room)
{
    if (count < *room)
        return items;
    size_t wider = *room ? *room * 2 : 16;
    void *grown = arena_alloc_raw(arena, size * wider);
    if (!grown)
        return NULL;
    if (count)
        memcpy(grown, items, size * count);
    *room = wider;
    return grown;
}

/* A new row at the end; NULL: no memory. */
static struct result_row *result_add_row(struct ctx *ctx, wr_cf_result *result, struct slice key)
{
    struct result_row *rows = grow(&result->arena, result->rows, sizeof *rows, result->count, &result->room);
    uint8_t *copy = arena_alloc_raw(&result->arena, key.len);
    if (rows)
        result->rows = rows;
    if (!rows || !copy) {
        fail_nomem(ctx);
        return NULL;
    }
    if (key.len)
        memcpy(copy, key.data, key.len);
    rows[result->count] = (struct result_row){ .key = slice_of(copy, key.len) };
    return &rows[result->count++];
}

static enum wr_status add_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    wr_cf_result *result = arg;
    struct result_row *row = &result->rows[result->count - 1];
    struct wr_cf_column *columns = grow(&result->arena, row->columns, sizeof *columns, row->count, &row->room);
    struct arena *own = ctx->arena;
    if (!columns)
        return fail_nomem(ctx);
    row->columns = columns;
    ctx->arena = &result->arena;
    enum wr_status st = copy_column(ctx, column, &columns[row->count]);
    ctx->arena = own;
    row->count += st == WR_OK;
    return st;
}

static enum wr_status slice_keys(struct read *read, const struct wr_bytes *keys, size_t count, const struct wr_cf_predicate *p,
                                 wr_cf_result *result)
{
    for (size_t i = 0; i < count; i++) {
        if (!result_add_row(&read->cf->ctx, result, slice_of_bytes(keys[i])))
            return WR_NOMEM;
        TRY(slice_key(read, slice_of_bytes(keys[i]), p, add_column, result));
    }
    return WR_OK;
}

static enum wr_status slice_tokens(struct read *read, struct slice start, struct slice end, uint32_t most,
                                   const struct wr_cf_predicate *p, wr_cf_result *result)
{
    wr_cf *cf = read->cf;
    struct partition partition;
    bool found;
    int64_t from = start.len ? token_of(start) : INT64_MIN, to = end.len ? token_of(end) : INT64_MAX;
    if (from > to)
        return fail(&cf->ctx, WR_INVALID, "start key's token sorts after end key's token");
    TRY(partitions_open(&cf->ctx, cf->partitions, read->txn, &cf->family.table->shape, from, to, SLICE_NULL));
    while (result->count < most) {
        TRY(partitions_next(&cf->ctx, cf->partitions, &partition, &found));
        if (!found)
            break;
        if (!result_add_row(&cf->ctx, result, partition.key))
            return WR_NOMEM;
        TRY(slice_partition(read, &partition, p, add_column, result));
        if (!result->rows[result->count - 1].count)
            result->count--; /* nothing alive in it */
    }
    return WR_OK;
}

/* What a read fills a result with. */
struct wanted {
    const struct wr_bytes *keys; /* NULL: by token */
    size_t key_count;
    struct slice start, end;
    uint32_t rows_max;
    const struct wr_cf_predicate *predicate;
};

static enum wr_status read_result(wr_cf *cf, const struct wanted *w, wr_cf_result **out)
{
    struct read read;
    *out = NULL;
    TRY(read_begin(cf, w->keys && is_brief(w->key_count, w->predicate), &read));
    wr_cf_result *result = mem_alloc(sizeof *result);
    enum wr_status st = result ? WR_OK : fail_nomem(&cf->ctx);
    if (st == WR_OK)
        st = w->keys ? slice_keys(&read, w->keys, w->key_count, w->predicate, result)
                     : slice_tokens(&read, w->start, w->end, w->rows_max, w->predicate, result);
    read_end(&read);
    if (st == WR_OK)
        *out = result;
    else
        wr_cf_result_free(result);
    return st;
}

enum wr_status wr_cf_get_slice(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate, wr_cf_result **out)
{
    struct wanted w = { .keys = &key, .key_count = 1, .predicate = predicate };
    return read_result(cf, &w, out);
}

enum wr_status wr_cf_multiget_slice(wr_cf *cf, const struct wr_bytes *keys, size_t key_count,
                                    const struct wr_cf_predicate *predicate, wr_cf_result **out)
{
    static const struct wr_bytes none;
    struct wanted w = { .keys = keys ? keys : &none, .key_count = keys ? key_count : 0, .predicate = predicate };
    return read_result(cf, &w, out);
}

enum wr_status wr_cf_get_range_slices(wr_cf *cf, struct wr_bytes start_key, struct wr_bytes end_key, uint32_t row_count,
                                      const struct wr_cf_predicate *predicate, wr_cf_result **out)
{
    struct wanted w = {
        .start = slice_of_bytes(start_key),
        .end = slice_of_bytes(end_key),
        .rows_max = row_count ? row_count : COUNT_DEFAULT,
        .predicate = predicate,
    };
    return read_result(cf, &w, out);
}

size_t wr_cf_result_rows(const wr_cf_result *result)
{
    return result->count;
}

struct wr_bytes wr_cf_result_key(const wr_cf_result *result, size_t row)
{
    return row < result->count ? bytes_of(result->rows[row].key) : (struct wr_bytes){ NULL, 0 };
}

size_t wr_cf_result_columns(const wr_cf_result *result, size_t row)
{
    return row < result->count ? result->rows[row].count : 0;
}

const struct wr_cf_column *wr_cf_result_column(const wr_cf_result *result, size_t row, size_t column)
{
    return column < wr_cf_result_columns(result, row) ? &result->rows[row].columns[column] : NULL;
}

void wr_cf_result_free(wr_cf_result *result)
{
    if (!result)
        return;
    arena_release(&result->arena);
    mem_free(result);
}
