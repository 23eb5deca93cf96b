#include "engine/scan.h"

#include <assert.h>

#include "engine/backlog.h"
#include "engine/flat.h"
#include "engine/graveyard.h"
#include "engine/pack.h"
#include "engine/partition.h"
#include "engine/show.h"

/* ---- single rows ---- */

/* The same with memory from ctx. */
static enum wr_status show_once(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice bytes,
                                bool raw, const struct columns *columns, struct row *out, bool *alive)
{
    struct viewer viewer = { .columns = columns, .raw = raw, .cells = { .arena = ctx->arena }, .copies = ctx->arena };
    enum wr_status st = show_row(ctx, txn, &viewer, partition, bytes, out, alive);

    wide_cursor_free(viewer.spill);
    if (st == WR_OK && !*alive && !raw)
        *out = ROW_NONE;
    return st;
}

enum wr_status partition_static(struct ctx *ctx, struct txn *txn, const struct partition *partition,
                                const struct columns *columns, struct row *out)
{
    bool alive;

    *out = ROW_NONE;
    if (!partition->has_clustering || slice_is_null(partition->row))
        return WR_OK;
    return show_once(ctx, txn, partition, partition->row, false, columns, out, &alive);
}

enum wr_status partition_row_raw(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct row *out)
{
    bool alive;

    *out = ROW_NONE;
    return slice_is_null(partition->row) ? WR_OK : show_once(ctx, txn, partition, partition->row, true, NULL, out, &alive);
}

enum wr_status partition_static_raw(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct row *out)
{
    *out = ROW_NONE;
    return partition->has_clustering ? partition_row_raw(ctx, txn, partition, out) : WR_OK;
}

enum wr_status partition_ranges(struct ctx *ctx, struct txn *txn, const struct partition *partition,
                                struct range_deletion **out, uint32_t *count)
{
    struct tombstone_range *found;
    size_t n = 0;

    *count = 0;
    *out = NULL;
    if (partition->id)
        TRY(graveyard_ranges(ctx, txn, partition->id, (struct range){ SLICE_EMPTY, SLICE_NULL }, &found, &n));
    if (!(*out = NEW_ARRAY(ctx, struct range_deletion, n)))
        return WR_NOMEM;
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (struct range_deletion){ found[i].range, found[i].deletion };
    *count = (uint32_t)n;
    return WR_OK;
}

enum wr_status row_stored(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering, struct slice *bytes)
{
    *bytes = partition->has_clustering ? SLICE_NULL : partition->row;
    if (!partition->has_clustering || !partition->id)
        return WR_OK;
    TRY(wide_get(ctx, txn, TREE_ROWS, partition->id, clustering, bytes));
    return partition->unsteady ? ctx_copy(ctx, *bytes, bytes) : WR_OK;
}

enum wr_status row_find_live(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering,
                             const struct columns *columns, struct row *out, bool *found)
{
    struct slice bytes;

    *found = false;
    *out = ROW_NONE;
    TRY(row_stored(ctx, txn, partition, clustering, &bytes));
    return slice_is_null(bytes) ? WR_OK : show_once(ctx, txn, partition, bytes, false, columns, out, found);
}

bool row_flat(const struct table_shape *table, struct slice bytes, const struct flat_rows *flat, struct slice *values)
{
    if (slice_is_null(bytes) || !show_flat(flat, bytes, table->marker_decides, values))
        return false;
    if (flat->timestamps)
        *flat->timestamps = flat_timestamp(bytes);
    return true;
}

enum wr_status row_show_live(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice bytes, const struct columns *columns,
                             struct row *out, bool *found)
{
    const struct partition any = { .marker_decides = table->marker_decides };

    *found = false;
    *out = ROW_NONE;
    return slice_is_null(bytes) ? WR_OK : show_once(ctx, txn, &any, bytes, false, columns, out, found);
}

enum wr_status rows_find(struct ctx *ctx, struct txn *txn, struct row_place *rows, uint32_t n)
{
    struct wide_wanted wanted[ROWS_AT_ONCE];

    static_assert((int)ROWS_AT_ONCE <= (int)STORE_SOME, "they are looked up at once");
    assert(n <= ROWS_AT_ONCE);
    for (uint32_t i = 0; i < n; i++)
        wanted[i] = (struct wide_wanted){ .id = rows[i].partition_id, .bytes = rows[i].clustering };
    TRY(wide_get_some(ctx, txn, TREE_ROWS, wanted, n));
    for (uint32_t i = 0; i < n; i++)
        rows[i].bytes = wanted[i].value;
    return WR_OK;
}

/* ---- rows of a partition ---- */

/* One of the trees a scan walks: TREE_GRAVES too where it is raw. */
struct head {
    struct wide_cursor *cursor;
    struct slice bytes, value; /* where it stands; null: at its end */
    bool open, stands;
};

struct scan {
    struct arena cells, copies;
    struct viewer viewer;
    struct head rows, graves;
    struct txn *txn;
    const struct partition *partition;
    struct range range;
    struct slice seek; /* of scan_seek; null: none */
    uint32_t expected; /* of scan_expect, less what has been given since */
    bool reversed, done;
    bool unsteady; /* as the partition */
    bool waiting; /* rows stands on an entry that nobody has been given: it is not flat */
    struct row_view view;
};

enum wr_status scan_new(struct ctx *ctx, struct scan **out)
{
    struct scan *s = mem_alloc(sizeof *s);
    enum wr_status st;

    if (!s)
        return fail_nomem(ctx);
    arena_init(&s->cells);
    arena_init(&s->copies);
    s->viewer.cells.arena = &s->cells;
    s->viewer.copies = &s->copies;
    s->done = true;
    TRY_OUT(wide_cursor_new(ctx, &s->rows.cursor));
    TRY_OUT(wide_cursor_new(ctx, &s->graves.cursor));
    *out = s;
    return WR_OK;
out:
    scan_free(s);
    return st;
}

static void head_close(struct head *head)
{
    if (head->open)
        wide_close(head->cursor);
    head->open = false;
}

void scan_close(struct scan *s)
{
    if (!s)
        return;
    head_close(&s->rows);
    head_close(&s->graves);
    s->done = true;
}

void scan_free(struct scan *s)
{
    if (!s)
        return;
    scan_close(s);
    wide_cursor_free(s->rows.cursor);
    wide_cursor_free(s->graves.cursor);
    wide_cursor_free(s->viewer.spill);
    arena_release(&s->cells);
    arena_release(&s->copies);
    mem_free(s);
}

uint64_t scan_take_dead(struct scan *s)
{
    uint64_t dead = s->viewer.dead;
    s->viewer.dead = 0;
    return dead;
}

static enum wr_status head_open(struct ctx *ctx, struct head *head, struct txn *txn, enum tree tree, uint64_t id)
{
    TRY(wide_open(ctx, head->cursor, txn, tree, id));
    head->open = true;
    head->stands = false;
    return WR_OK;
}

/* Where nobody writes a cursor goes on from partition to partition. */
static enum wr_status open_rows(struct ctx *ctx, struct scan *s, const struct partition *partition)
{
    if (!s->rows.open)
        TRY(head_open(ctx, &s->rows, s->txn, TREE_ROWS, partition->id));
    wide_turn(s->rows.cursor, partition->id);
    s->rows.stands = false;
    if (!slice_is_null(partition->chunk.bytes) && (partition->chunk.alone || partition->chunk.is_last == s->reversed))
        wide_enter(s->rows.cursor, &partition->chunk);
    return WR_OK;
}

/* There is no more of the partition. */
static void end_partition(struct scan *s)
{
    if (s->unsteady)
        scan_close(s);
    s->done = true;
}

enum wr_status scan_open(struct ctx *ctx, struct scan *s, struct txn *txn, const struct partition *partition,
                         struct range range, unsigned flags, const struct columns *columns)
{
    head_close(&s->graves);
    if (s->txn != txn || partition->unsteady)
        head_close(&s->rows);
    s->txn = txn;
    s->unsteady = partition->unsteady;
    s->partition = partition;
    s->viewer.columns = columns;
    s->waiting = false;
    s->range = range;
    s->seek = SLICE_NULL;
    s->expected = 0;
    s->reversed = flags & SCAN_REVERSED;
    s->viewer.raw = flags & SCAN_RAW;
    s->done = partition->id == 0;
    if (s->done || !partition->has_clustering)
        return WR_OK;
    TRY(open_rows(ctx, s, partition));
    return s->viewer.raw ? head_open(ctx, &s->graves, txn, TREE_GRAVES, partition->id) : WR_OK;
}

void scan_seek(struct scan *s, struct slice clustering)
{
    s->seek = clustering;
    s->waiting = s->rows.stands = s->graves.stands = false;
}

/* To the last entry at or before `at`. */
static enum wr_status seek_back(struct ctx *ctx, struct head *head, struct slice at)
{
    TRY(wide_seek(ctx, head->cursor, at, &head->bytes, &head->value));
    if (!slice_is_null(head->bytes) && slice_eq(head->bytes, at))
        return WR_OK;
    return wide_seek_before(ctx, head->cursor, at, &head->bytes, &head->value);
}

/* To the first entry of the scan, or of what is left of it behind s->seek. */
static enum wr_status head_begin(struct ctx *ctx, const struct scan *s, struct head *head)
{
    head->stands = true;
    if (!s->reversed) {
        bool further = !slice_is_null(s->seek) && slice_cmp(s->seek, s->range.start) > 0;
        return wide_seek(ctx, head->cursor, further ? s->seek : s->range.start, &head->bytes, &head->value);
    }
    if (!slice_is_null(s->seek) && range_has((struct range){ SLICE_EMPTY, s->range.end }, s->seek))
        return seek_back(ctx, head, s->seek);
    return wide_seek_before(ctx, head->cursor, s->range.end, &head->bytes, &head->value);
}

/* A null head->bytes where the entry is beyond the range. */
static inline bool is_outside(const struct range *range, bool reversed, struct slice bytes)
{
    return reversed ? range->start.len && slice_cmp(bytes, range->start) < 0
                    : !slice_is_null(range->end) && slice_cmp(bytes, range->end) >= 0;
}

/* To the next entry; a null head->bytes where there is none inside the range. */
static inline enum wr_status head_step(struct ctx *ctx, const struct scan *s, struct head *head)
{
    if (!head->stands)
        TRY(head_begin(ctx, s, head));
    else if (slice_is_null(head->bytes))
        return WR_OK;
    else if (s->reversed)
        TRY(wide_prev(ctx, head->cursor, &head->bytes, &head->value));
    else
        TRY(wide_next(ctx, head->cursor, &head->bytes, &head->value));
    if (!slice_is_null(head->bytes) && is_outside(&s->range, s->reversed, head->bytes))
        head->bytes = SLICE_NULL;
    return WR_OK;
}

/* The head that is next in the scan's direction; of two at one place the living row. NULL: both are at their end. */
static struct head *next_head(struct scan *s)
{
    if (!s->viewer.raw || slice_is_null(s->graves.bytes))
        return slice_is_null(s->rows.bytes) ? NULL : &s->rows;
    if (slice_is_null(s->rows.bytes))
        return &s->graves;
    int c = slice_cmp(s->rows.bytes, s->graves.bytes);
    return (s->reversed ? c >= 0 : c <= 0) ? &s->rows : &s->graves;
}

/* What is given, out of the way of a write before the next is asked for. */
static inline enum wr_status keep(struct ctx *ctx, struct scan *s, struct slice *bytes)
{
    return s->unsteady ? show_keep(ctx, &s->viewer, bytes) : WR_OK;
}

static inline void forget_copies(struct scan *s)
{
    if (s->copies.current)
        arena_reset(&s->copies);
}

static enum wr_status show_cells(struct ctx *ctx, struct scan *s, struct slice bytes, bool *shown)
{
    forget_copies(s);
    TRY(keep(ctx, s, &bytes));
    TRY(show_row(ctx, s->txn, &s->viewer, s->partition, bytes, &s->view.row, shown));
    *shown |= s->viewer.raw;
    return WR_OK;
}

static enum wr_status next_in_entry(struct ctx *ctx, struct scan *s, const struct row_view **out)
{
    bool shown = false;

    s->done = true;
    s->view.clustering = SLICE_EMPTY;
    s->view.buried = false;
    if (!slice_is_null(s->partition->row) && range_has(s->range, SLICE_EMPTY))
        TRY(show_cells(ctx, s, s->partition->row, &shown));
    *out = shown ? &s->view : NULL;
    return WR_OK;
}

bool partition_flat_row(const struct partition *partition, const struct flat_rows *flat, struct slice *values)
{
    return !slice_is_null(partition->row) && show_flat(flat, partition->row, partition->marker_decides, values);
}

bool partition_row_is_plain(const struct partition *partition)
{
    return !slice_is_null(partition->row) && is_plainly_alive(partition->row, partition->marker_decides);
}

static uint32_t flat_in_entry(struct scan *s, const struct flat_rows *out)
{
    s->done = range_has(s->range, SLICE_EMPTY) && partition_flat_row(s->partition, out, out->values);
    out->clusterings[0] = SLICE_EMPTY;
    if (s->done && out->timestamps)
        out->timestamps[0] = flat_timestamp(s->partition->row);
    return s->done;
}

/* Where the chunk that the scan is in has fewer rows left than will be asked for behind those `given`, which are not counted yet. */
static inline void look_ahead(const struct scan *s, struct pack_cursor *c, uint32_t given)
{
    uint64_t left = s->reversed ? c->at : c->chunk.count - 1 - c->at;

    if (left + given < s->expected)
        pack_look_ahead(c, s->reversed);
}

static inline void count_given(struct scan *s, uint32_t rows)
{
    s->expected -= rows < s->expected ? rows : s->expected;
}

void scan_expect(struct scan *s, uint32_t rows)
{
    s->expected = rows;
}

/* From where it stands, the flat rows that follow in its chunk: *n goes on from so many of at most max. */
static void flat_within(struct scan *s, struct pack_cursor *c, const struct flat_rows *out, uint32_t max, uint32_t *n)
{
    enum { RUN = 32 };
    struct slice *clusterings = out->clusterings + *n, *values = out->values + (size_t)*n * out->stride, coded[RUN];
    uint32_t room = max - *n < RUN ? max - *n : RUN, shown = 0;

    if (!pack_is_free(c))
        return;
    look_ahead(s, c, *n);
    uint32_t inside = chunk_run(&c->chunk, c->at, s->reversed, room, clusterings, coded);
    while (inside && is_outside(&s->range, s->reversed, clusterings[inside - 1]))
        inside--;
    while (shown < inside && show_flat(out, coded[shown], s->partition->marker_decides, values)) {
        shown++;
        values += out->stride;
    }
    if (!shown)
        return;
    for (uint32_t i = 0; out->timestamps && i < shown; i++)
        out->timestamps[*n + i] = flat_timestamp(coded[i]);
    c->at = s->reversed ? c->at - shown : c->at + shown;
    *n += shown;
}

enum wr_status scan_flat_rows(struct ctx *ctx, struct scan *s, const struct flat_rows *out, uint32_t max, uint32_t *count)
{
    struct slice bytes;
    uint32_t n = 0;

    assert(!s->viewer.raw);
    *count = 0;
    if (s->done || !max || s->unsteady) /* scan_next gives copies */
        return WR_OK;
    if (!s->partition->has_clustering) {
        *count = flat_in_entry(s, out);
        return WR_OK;
    }
    do {
        if (!s->waiting)
            TRY(head_step(ctx, s, &s->rows));
        s->seek = SLICE_NULL;
        bytes = s->rows.bytes;
        if (slice_is_null(bytes)) {
            end_partition(s);
            break;
        }
        s->waiting = !show_flat(out, s->rows.value, s->partition->marker_decides, out->values + (size_t)n * out->stride);
        if (s->waiting)
            break;
        if (out->timestamps)
            out->timestamps[n] = flat_timestamp(s->rows.value);
        out->clusterings[n++] = bytes;
        struct pack_cursor *within = n < max ? wide_within(s->rows.cursor) : NULL;
        if (within && wide_lasts(bytes))
            flat_within(s, within, out, max, &n);
    } while (n < max && wide_lasts(bytes));
    count_given(s, n);
    *count = n;
    return WR_OK;
}

/* From where it stands, the rows that follow in its chunk and are plainly alive. */
static uint64_t pass_within(struct scan *s, struct pack_cursor *c)
{
    enum { RUN = 64 };
    struct slice clusterings[RUN], coded[RUN];
    uint64_t passed = 0;
    uint32_t n = RUN;

    if (!pack_is_free(c))
        return 0;
    look_ahead(s, c, 0);
    while (n == RUN) {
        uint32_t inside = chunk_run(&c->chunk, c->at, s->reversed, RUN, clusterings, coded);
        while (inside && is_outside(&s->range, s->reversed, clusterings[inside - 1]))
            inside--;
        for (n = 0; n < inside && is_plainly_alive(coded[n], s->partition->marker_decides);)
            n++;
        if (!n)
            break;
        c->at = s->reversed ? c->at - n : c->at + n;
        passed += n;
    }
    return passed;
}

enum wr_status scan_pass_rows(struct ctx *ctx, struct scan *s, uint64_t most, uint64_t *count)
{
    assert(!s->viewer.raw);
    *count = 0;
    if (s->unsteady || !s->partition->has_clustering)
        return WR_OK;
    while (!s->done && *count < most) {
        if (!s->waiting)
            TRY(head_step(ctx, s, &s->rows));
        s->seek = SLICE_NULL;
        if (slice_is_null(s->rows.bytes)) {
            end_partition(s);
            break;
        }
        s->waiting = !is_plainly_alive(s->rows.value, s->partition->marker_decides);
        if (s->waiting)
            break;
        struct pack_cursor *within = wide_within(s->rows.cursor);
        *count += 1 + (within ? pass_within(s, within) : 0);
    }
    return WR_OK;
}

/* On from the entry that was looked at last; at the beginning, and behind a seek, to the first of each tree. */
static enum wr_status step_both(struct ctx *ctx, struct scan *s)
{
    struct head *last = s->rows.stands ? next_head(s) : NULL;
    if (last != &s->graves)
        TRY(head_step(ctx, s, &s->rows));
    return last != &s->rows ? head_step(ctx, s, &s->graves) : WR_OK;
}

enum wr_status scan_next(struct ctx *ctx, struct scan *s, const struct row_view **out)
{
    bool shown = false;

    *out = NULL;
    if (s->done)
        return WR_OK;
    if (!s->partition->has_clustering)
        return next_in_entry(ctx, s, out);
    do {
        if (s->viewer.raw)
            TRY(step_both(ctx, s));
        else if (!s->waiting)
            TRY(head_step(ctx, s, &s->rows));
        s->waiting = false;
        s->seek = SLICE_NULL;
        struct head *next = s->viewer.raw ? next_head(s) : slice_is_null(s->rows.bytes) ? NULL : &s->rows;
        if (!next) {
            end_partition(s);
            return WR_OK;
        }
        s->view.clustering = next->bytes;
        s->view.buried = next == &s->graves;
        struct pack_cursor *within = s->expected ? wide_within(s->rows.cursor) : NULL;
        if (within && pack_is_free(within) && !s->viewer.raw)
            look_ahead(s, within, 1);
        TRY(show_cells(ctx, s, next->value, &shown));
    } while (!shown);
    TRY(keep(ctx, s, &s->view.clustering));
    count_given(s, 1);
    *out = &s->view;
    return WR_OK;
}
