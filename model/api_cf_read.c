/* Column families: slices, and the results that hold them. */
#include "engine/coding.h"
#include "engine/token.h"
#include "model/api_cf.h"

enum { COUNT_DEFAULT = 100 };

/* ---- slices ---- */

/* Who is given what is read. */
struct sink {
    enum wr_status (*row)(struct ctx *ctx, void *arg, struct slice key); /* a key's columns follow; NULL: there is but one */
    enum wr_status (*column)(struct ctx *ctx, void *arg, const struct wr_cf_column *column); /* its bytes are good until the next */
    void (*again)(void *arg); /* all of it comes once more, from the start */
    void *arg;
};

struct read {
    wr_cf *cf;
    struct txn *txn;
    bool owned;     /* the transaction is the call's to end */
    bool shared;    /* it is that of writes, and others wait for the read (engine.h, txn_begin_brief) */
    uint32_t given; /* columns, */
    size_t bytes;   /* of so many bytes */
    int64_t begun;  /* where it is shared */
    const struct sink *sink;
};

/* What is asked for. */
struct wanted {
    const struct wr_bytes *keys; /* NULL: by token */
    size_t key_count;
    struct slice start, end;
    uint32_t rows_max;
    const struct wr_cf_predicate *predicate;
};

static enum wr_status reach_of(wr_cf *cf, const struct wanted *w, struct reach *out)
{
    *out = reach_all(&cf->family.table->shape);
    if (!w->keys)
        return WR_OK;
    struct slice *keys = NEW_ARRAY(&cf->ctx, struct slice, w->key_count);
    if (!keys)
        return WR_NOMEM;
    for (size_t i = 0; i < w->key_count; i++)
        keys[i] = slice_of_bytes(w->keys[i]);
    out->keys = keys;
    out->key_count = (uint32_t)w->key_count;
    return WR_OK;
}

static enum wr_status catch_up(struct read *read, const struct wanted *w)
{
    wr_cf *cf = read->cf;
    struct reach reach;
    if (!engine_had_backlog(cf->db->database->engine))
        return WR_OK;
    TRY(reach_of(cf, w, &reach));
    return database_catch_up(&cf->ctx, cf->db->database, &reach, &read->txn);
}

static void read_end(struct read *read)
{
    scan_close(read->cf->scan);
    partitions_close(read->cf->partitions);
    if (read->owned)
        txn_abort(&read->txn);
}

/* Where to read, and the family as it is there. */
static enum wr_status begin(wr_cf *cf, bool brief, struct read *read)
{
    struct database *database = cf->db->database;
    bool outdated = false;
    do {
        TRY(cf_refresh(cf));
        TRY(database_begin_read(&cf->ctx, database, brief, &read->txn, &read->owned));
        if (read->owned && !database_held(database)) /* else no schema changes meanwhile */
            TRY(database_look_at_schema(&cf->ctx, database, cf->schema, &read->txn, &outdated));
    } while (outdated);
    return WR_OK;
}

static enum wr_status read_begin(wr_cf *cf, bool brief, const struct wanted *w, struct read *read)
{
    struct database *database = cf->db->database;
    TRY(cf_begin(cf));
    cf->ctx.now_s = clock_now_s(engine_clock(database->engine));
    read->cf = cf;
    TRY(begin(cf, brief, read));
    enum wr_status st = catch_up(read, w);
    if (st != WR_OK) {
        read_end(read);
        return st;
    }
    read->shared = read->owned && txn_is_write(read->txn);
    if (read->shared)
        read->begun = clock_monotonic_ns();
    return WR_OK;
}

/* ---- brief reads ---- */

static size_t columns_asked(const struct wr_cf_predicate *p)
{
    return p && p->names ? p->name_count : p && p->count ? p->count : COUNT_DEFAULT;
}

static bool may_be_brief(wr_cf *cf, size_t keys, const struct wr_cf_predicate *p)
{
    size_t columns = columns_asked(p);
    return columns <= BRIEF_ROWS && keys <= BRIEF_ROWS && keys * columns <= BRIEF_ROWS && brief_is_tried(&cf->brief);
}

static bool takes_long(const struct read *read)
{
    return read->shared && (read->bytes > BRIEF_BYTES || clock_monotonic_ns() - read->begun > BRIEF_NS);
}

static enum wr_status give(struct read *read, const struct wr_cf_column *column)
{
    enum { LOOKS = 16 }; /* a look at the clock costs as much as a column */

    read->bytes += column->name.len + column->value.len;
    if ((read->bytes > BRIEF_BYTES || ++read->given % LOOKS == 0) && takes_long(read))
        return fail(&read->cf->ctx, WR_BUSY, "the read is too long for others to wait for it");
    return read->sink->column(&read->cf->ctx, read->sink->arg, column);
}

/* ---- rows ---- */

static enum wr_status give_row(struct read *read, struct slice clustering, const struct row *row)
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
    return give(read, &column);
}

/* A flat row's column, if it has one. */
static enum wr_status give_flat(struct read *read, struct slice name, struct slice value, int64_t timestamp_us)
{
    struct wr_cf_column column = { .name = bytes_of(name), .value = bytes_of(value), .timestamp_us = timestamp_us };
    return slice_is_null(value) ? WR_OK : give(read, &column);
}

/* The flat rows that come next, some of them; *count 0: the next one is none, or there is none. */
static enum wr_status give_flats(struct read *read, uint32_t most, uint32_t *count)
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
    for (uint32_t i = 0; i < *count; i++)
        TRY(give_flat(read, names[i], values[i * STRIDE], timestamps[i]));
    return WR_OK;
}

/* Of a row that was found by its name, mostly a flat one. */
static enum wr_status give_place(struct read *read, const struct row_place *place)
{
    wr_cf *cf = read->cf;
    const struct table_shape *shape = &cf->family.table->shape;
    struct slice values[2], name;
    struct row row;
    int64_t timestamp_us;
    bool found;
    const struct flat_rows flat = { .places = cf->places, .wanted = cf->wanted, .timestamps = &timestamp_us };
    if (cf->wanted && row_flat(shape, place->bytes, &flat, values)) {
        TRY(family_names_get(&cf->ctx, &cf->family, &place->clustering, 1, &name));
        return give_flat(read, name, values[0], timestamp_us);
    }
    TRY(row_show_live(&cf->ctx, read->txn, shape, place->bytes, NULL, &row, &found));
    return found ? give_row(read, place->clustering, &row) : WR_OK;
}

/* At most ROWS_AT_ONCE of them. */
static enum wr_status slice_some_names(struct read *read, const struct partition *partition, const struct wr_bytes *names, uint32_t count)
{
    struct ctx *ctx = &read->cf->ctx;
    struct row_place places[ROWS_AT_ONCE];
    struct slice annex;
    for (uint32_t i = 0; i < count; i++) {
        places[i].partition_id = partition->id;
        TRY(family_name_put(ctx, &read->cf->family, slice_of_bytes(names[i]), &places[i].clustering, &annex));
    }
    TRY(rows_find(ctx, read->txn, places, count));
    for (uint32_t i = 0; i < count; i++)
        TRY(give_place(read, &places[i]));
    return WR_OK;
}

static enum wr_status slice_by_names(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p)
{
    for (size_t i = 0, n; i < p->name_count; i += n) {
        n = p->name_count - i < ROWS_AT_ONCE ? p->name_count - i : ROWS_AT_ONCE;
        TRY(slice_some_names(read, partition, p->names + i, (uint32_t)n));
    }
    return WR_OK;
}

static enum wr_status slice_by_range(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p)
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
        TRY(give_flats(read, left, &count));
        left -= count;
        if (count)
            continue;
        TRY(scan_next(&cf->ctx, cf->scan, &view));
        if (!view)
            break;
        TRY(give_row(read, view->clustering, &view->row));
        left--;
    }
    return WR_OK;
}

static enum wr_status slice_partition(struct read *read, const struct partition *partition, const struct wr_cf_predicate *p)
{
    return p && p->names ? slice_by_names(read, partition, p) : slice_by_range(read, partition, p);
}

/* ---- results ---- */

static enum wr_status copy_column(struct ctx *ctx, const struct wr_cf_column *from, struct wr_cf_column *to)
{
    uint8_t *bytes = arena_alloc_raw(ctx->arena, from->name.len + from->value.len);
    if (!bytes)
        return fail_nomem(ctx);
    uint8_t *value = bytes + from->name.len;
    if (from->name.len)
        memcpy(bytes, from->name.data, from->name.len);
    if (from->value.len)
        memcpy(value, from->value.data, from->value.len);
    *to = *from;
    to->name.data = bytes;
    to->value.data = value;
    return WR_OK;
}

struct result_row {
    struct slice key;
    struct wr_cf_column *columns;
    size_t count, room;
};

struct wr_cf_result {
    struct arena arena;
    struct result_row *rows;
    size_t count, room;
    size_t rows_first, columns_first; /* room to begin with */
};

static void *grow(struct arena *arena, void *items, size_t size, size_t count, size_t first, size_t *room)
{
    if (count < *room)
        return items;
    size_t wider = *room ? *room * 2 : first;
    void *grown = arena_alloc_raw(arena, size * wider);
    if (!grown)
        return NULL;
    if (count)
        memcpy(grown, items, size * count);
    *room = wider;
    return grown;
}

/* A new row at the end. */
static enum wr_status add_row(struct ctx *ctx, void *arg, struct slice key)
{
    wr_cf_result *result = arg;
    struct result_row *rows = grow(&result->arena, result->rows, sizeof *rows, result->count, result->rows_first, &result->room);
    uint8_t *copy = arena_alloc_raw(&result->arena, key.len);
    if (rows)
        result->rows = rows;
    if (!rows || !copy)
        return fail_nomem(ctx);
    if (key.len)
        memcpy(copy, key.data, key.len);
    rows[result->count++] = (struct result_row){ .key = slice_of(copy, key.len) };
    return WR_OK;
}

static enum wr_status add_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    wr_cf_result *result = arg;
    struct result_row *row = &result->rows[result->count - 1];
    struct wr_cf_column *columns = grow(&result->arena, row->columns, sizeof *columns, row->count, result->columns_first, &row->room);
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

static void empty_result(void *arg)
{
    wr_cf_result *result = arg;
    arena_reset(&result->arena);
    result->rows = NULL;
    result->count = result->room = 0;
}

/* ---- reading ---- */

enum { KEYS_AT_ONCE = 32 };

/* What leads to them is fetched from memory at once, not for one after the other. */
static enum wr_status find_partitions(struct read *read, const struct wr_bytes *keys, uint32_t count, struct partition *partitions, bool *found)
{
    const struct engine *engine = read->cf->db->database->engine;
    const struct table_shape *shape = &read->cf->family.table->shape;
    struct expected_partition expected[KEYS_AT_ONCE];
    bool worth = count > 1 && partition_is_worth_expecting(engine);
    for (uint32_t i = 0; worth && i < count; i++)
        partition_expect(engine, shape, slice_of_bytes(keys[i]), &expected[i]);
    for (uint32_t i = 0; worth && i < count; i++)
        partition_expect_place(engine, &expected[i]);
    for (uint32_t i = 0; i < count; i++) {
        struct slice key = slice_of_bytes(keys[i]);
        TRY(partition_find_at(&read->cf->ctx, read->txn, shape, worth ? expected[i].token : token_of(key), key, &partitions[i], &found[i]));
    }
    return WR_OK;
}

static enum wr_status slice_some_keys(struct read *read, const struct wr_bytes *keys, uint32_t count, const struct wr_cf_predicate *p)
{
    const struct sink *sink = read->sink;
    struct partition partitions[KEYS_AT_ONCE];
    bool found[KEYS_AT_ONCE];
    TRY(find_partitions(read, keys, count, partitions, found));
    for (uint32_t i = 0; i < count; i++) {
        if (sink->row)
            TRY(sink->row(&read->cf->ctx, sink->arg, slice_of_bytes(keys[i])));
        TRY(family_check_key(&read->cf->ctx, &read->cf->family, slice_of_bytes(keys[i])));
        if (found[i])
            TRY(slice_partition(read, &partitions[i], p));
    }
    return WR_OK;
}

static enum wr_status slice_keys(struct read *read, const struct wanted *w)
{
    for (size_t i = 0, n; i < w->key_count; i += n) {
        n = w->key_count - i < KEYS_AT_ONCE ? w->key_count - i : KEYS_AT_ONCE;
        TRY(slice_some_keys(read, w->keys + i, (uint32_t)n, w->predicate));
    }
    return WR_OK;
}

static bool is_whole(const struct wr_cf_predicate *p)
{
    return !p || (!p->names && !p->start.len && !p->finish.len);
}

/* Of the keys that have the start's token, or the end's, those before it, or behind: keys of one token are in the order of their bytes. */
static bool is_outside(const struct wanted *w, const struct partition *partition, int64_t from, int64_t to)
{
    return (w->start.len && partition->token == from && slice_cmp(partition->key, w->start) < 0) ||
           (w->end.len && partition->token == to && slice_cmp(partition->key, w->end) > 0);
}

static enum wr_status slice_tokens(struct read *read, const struct wanted *w)
{
    wr_cf *cf = read->cf;
    wr_cf_result *result = read->sink->arg;
    struct partition partition;
    bool found;
    int64_t from = w->start.len ? token_of(w->start) : INT64_MIN, to = w->end.len ? token_of(w->end) : INT64_MAX;
    if (from > to)
        return fail(&cf->ctx, WR_INVALID, "start key's token sorts after end key's token");
    TRY(partitions_open(&cf->ctx, cf->partitions, read->txn, &cf->family.table->shape, from, to, SLICE_NULL));
    while (result->count < w->rows_max) {
        TRY(partitions_next(&cf->ctx, cf->partitions, &partition, &found));
        if (!found)
            break;
        if (is_outside(w, &partition, from, to))
            continue;
        TRY(add_row(&cf->ctx, result, partition.key));
        TRY(slice_partition(read, &partition, w->predicate));
        if (result->rows[result->count - 1].count)
            continue;
        result->count--; /* nothing alive in it, at least of what is asked for */
        if (is_whole(w->predicate))
            partitions_pass(cf->partitions, read->txn, &partition);
    }
    return WR_OK;
}

static enum wr_status read_wanted(wr_cf *cf, const struct wanted *w, const struct sink *sink)
{
    for (bool brief = w->keys && may_be_brief(cf, w->key_count, w->predicate);; brief = false) {
        struct read read = { .sink = sink };
        TRY(read_begin(cf, brief, w, &read));
        enum wr_status st = w->keys ? slice_keys(&read, w) : slice_tokens(&read, w);
        bool over = takes_long(&read);
        if (read.shared)
            brief_was(&cf->brief, !over);
        read_end(&read);
        if (!over || st == WR_OK)
            return ctx_outcome(&cf->ctx, st);
        sink->again(sink->arg);
    }
}

/* ---- a column, a count ---- */

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

static void lose_column(void *arg)
{
    struct found_column *out = arg;
    out->found = false;
}

enum wr_status wr_cf_get(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, struct wr_cf_column *column)
{
    struct wr_cf_predicate p = { .names = &name, .name_count = 1 };
    struct found_column found = { column, false };
    TRY(read_wanted(cf, &(struct wanted){ .keys = &key, .key_count = 1, .predicate = &p }, &(struct sink){ NULL, keep_column, lose_column, &found }));
    return found.found ? WR_OK : fail(&cf->ctx, WR_NOT_FOUND, "there is no such column");
}

static enum wr_status count_column(struct ctx *ctx, void *arg, const struct wr_cf_column *column)
{
    (void)ctx, (void)column;
    ++*(uint64_t *)arg;
    return WR_OK;
}

static void count_anew(void *arg)
{
    *(uint64_t *)arg = 0;
}

enum wr_status wr_cf_get_count(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate, uint64_t *count)
{
    *count = 0;
    return read_wanted(cf, &(struct wanted){ .keys = &key, .key_count = 1, .predicate = predicate },
                       &(struct sink){ NULL, count_column, count_anew, count });
}

/* ---- slices, kept ---- */

/* For as many as will be, up to 16; not none. */
static size_t room_for(size_t count)
{
    return count < 16 ? count + !count : 16;
}

static enum wr_status read_result(wr_cf *cf, const struct wanted *w, wr_cf_result **out)
{
    wr_cf_result *result = mem_alloc(sizeof *result);
    *out = NULL;
    if (!result)
        return fail_nomem(&cf->ctx);
    result->rows_first = room_for(w->keys ? w->key_count : w->rows_max);
    result->columns_first = room_for(columns_asked(w->predicate));
    enum wr_status st = read_wanted(cf, w, &(struct sink){ add_row, add_column, empty_result, result });
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
