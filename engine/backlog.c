#include "engine/backlog.h"

#include <stdlib.h>

#include "engine/change.h"
#include "engine/pack.h"
#include "engine/rig.h"
#include "engine/rowcode.h"
#include "engine/state.h"
#include "engine/token.h"

enum {
    PART_SHIFT = 56, /* of a token: 64 bits to BACKLOG_PARTS */
    WINDOW = 1024,   /* rows whose changes are counted */
    RESTS = 4,       /* windows that are not tried where it has not paid */
    PAYS = 64,       /* so many rows for each part that somebody asked for */
    RUN_ROWS = 256,  /* of one partition, applied at once */
    ENTRY_MOST = CHUNK_BYTES / 2,
};
/* That are put off of a part, which are in memory while they are applied: so much of that. The more, the fewer pages are changed for each row. */
#define PART_LEAST  (UINT64_C(2) << 20)
#define PART_MOST   (UINT64_C(8) << 20)
#define ROOM_BYTES  (UINT64_C(4) << 20) /* that are applied where a part is full */
#define STEP_BYTES  (UINT64_C(2) << 20) /* and a part's, that one transaction applies */
#define ALL_ROWS    UINT64_MAX

_Static_assert(BACKLOG_PARTS == 1 << (64 - PART_SHIFT), "parts are what is left of a token");

static struct backlog *backlog_of(const struct txn *txn)
{
    return &txn_engine(txn)->backlog;
}

static uint64_t part_id(int64_t token)
{
    return BACKLOG_BIT | token_order(token) >> PART_SHIFT;
}

static uint64_t *part_bytes(struct backlog *b, uint64_t id)
{
    return &b->bytes[id % BACKLOG_PARTS];
}

/* ---- entries ---- */

static bool may_be_put_off(const struct row *row)
{
    return row_is_plain(row) && slice_is_null(row->annex);
}

static enum wr_status check_code(struct ctx *ctx, struct slice code, bool *sound)
{
    struct arena_mark mark = arena_mark(ctx->arena);
    struct row row;
    enum wr_status st = rowcode_decode(ctx, code, &row);

    *sound = st == WR_OK && may_be_put_off(&row);
    for (uint32_t i = 1; *sound && i < row.cell_count; i++)
        *sound = row.cells[i - 1].column < row.cells[i].column;
    arena_rewind(ctx->arena, mark);
    return st == WR_CORRUPT ? WR_OK : st;
}

enum wr_status backlog_decode(struct ctx *ctx, uint64_t id, struct slice bytes, struct put_off *out, bool *sound)
{
    struct reader r = reader_of(bytes);

    *sound = false;
    out->table_id = read_varint(&r);
    out->key = read_bytes(&r, read_varint(&r));
    out->clustering = read_bytes(&r, read_varint(&r));
    out->code = reader_rest(&r);
    if (r.failed)
        return WR_OK;
    out->token = token_of(out->key);
    return part_id(out->token) == id ? check_code(ctx, out->code, sound) : WR_OK;
}

static enum wr_status put_entry(struct ctx *ctx, struct txn *txn, uint64_t id, struct slice bytes)
{
    uint8_t key[2 * ID_BYTES];
    uint64_t number;

    TRY(txn_next_id(ctx, txn, &number)); /* which is nobody's yet, also when a write before this one was undone */
    put_u64(key, id);
    put_u64(key + ID_BYTES, number);
    return store_put(ctx, txn, TREE_ROWS, slice_of(key, sizeof key), bytes);
}

static enum wr_status put_row(struct ctx *ctx, struct txn *txn, const struct update *update, const struct row_update *row, uint64_t id)
{
    struct slice bytes;
    struct buf buf;

    buf_init(&buf, ctx->arena);
    buf_put_varint(&buf, update->table->table_id);
    buf_put_varint(&buf, update->partition_key.len);
    buf_put_slice(&buf, update->partition_key);
    buf_put_varint(&buf, row->clustering.len);
    buf_put_slice(&buf, row->clustering);
    rowcode_encode(&buf, &row->row, 0);
    TRY(buf_done(ctx, &buf, &bytes));
    TRY(put_entry(ctx, txn, id, bytes));
    *part_bytes(backlog_of(txn), id) += bytes.len;
    return WR_OK;
}

/* The first part from `id` on of which something is put off; 0: none. */
static enum wr_status first_part(struct ctx *ctx, struct txn *txn, uint64_t id, uint64_t *out)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    uint8_t key[ID_BYTES];

    put_u64(key, id);
    TRY(pack_open(ctx, &c, txn, TREE_ROWS));
    enum wr_status st = pack_seek(ctx, &c, slice_of(key, sizeof key), &at);
    *out = st == WR_OK && at.id <= BACKLOG_LAST ? at.id : 0;
    pack_close(&c);
    return st;
}

/* ---- whether it pays ---- */

static bool is_small(const struct update *update, const struct row_update *row)
{
    enum { HEAD = 64, CELL = 16 }; /* at most, beside the bytes that are counted */
    size_t bytes = HEAD + update->partition_key.len + row->clustering.len;

    for (uint32_t i = 0; i < row->row.cell_count && bytes <= ENTRY_MOST; i++)
        bytes += CELL + row->row.cells[i].value.len;
    return bytes <= ENTRY_MOST;
}

static bool could_wait(const struct update *update)
{
    const struct table_shape *table = update->table;

    if (!table->may_wait || table->annexed || table_is_watched(table) || update->static_row || update->range_count ||
        !deletion_is_none(update->partition_deletion))
        return false;
    for (uint32_t i = 0; i < update->row_count; i++)
        if (!may_be_put_off(&update->rows[i].row) || !is_small(update, &update->rows[i]))
            return false;
    return update->row_count > 0;
}

bool backlog_takes(struct txn *txn, const struct update *update)
{
    const struct backlog *b = backlog_of(txn);
    bool on = rig.backlog_when == BACKLOG_ALWAYS || (b->on && rig.backlog_when != BACKLOG_NEVER);
    return on && !b->settling && !b->read && !atomic_load(&b->barred) && could_wait(update);
}

/* The pages of rows that come in order are changed once for many of them. */
void backlog_weigh(struct txn *txn, const struct update *update, uint32_t changes)
{
    struct backlog *b = backlog_of(txn);

    if (b->settling || !txn_engine(txn)->durability || !could_wait(update))
        return;
    b->rows += update->row_count;
    b->changes += changes;
    if (b->rows < WINDOW)
        return;
    if (b->rest)
        b->rest--;
    else
        b->on = b->changes >= b->rows / 2 && !folder_has_others(&txn_engine(txn)->folder);
    b->rows = b->changes = 0;
    b->taken = b->asked = 0;
}

static void give_up(struct backlog *b)
{
    b->on = false;
    b->rest = RESTS;
}

static void note_asked(struct backlog *b)
{
    b->asked++;
    if (b->taken < b->asked * PAYS)
        give_up(b);
}

/* Now and then: another process that reads cannot apply what it needs. */
static void note_taken(struct backlog *b, const struct engine *engine, uint32_t rows)
{
    bool look = b->taken / WINDOW != (b->taken + rows) / WINDOW;

    b->taken += rows;
    if (look && folder_has_others(&engine->folder))
        give_up(b);
}

/* ---- putting off ---- */

static enum wr_status settle_part(struct ctx *ctx, struct txn *txn, uint64_t id, uint64_t most_rows, uint64_t *bytes);

static uint64_t part_most(struct txn *txn)
{
    enum { SHARE = 32 };
    uint64_t most = store_memory_there_is(txn_engine(txn)->store) / SHARE;
    return most < PART_LEAST ? PART_LEAST : most > PART_MOST ? PART_MOST : most;
}

/* Room for more in a part that is full, and, since that ends a session and others are mostly as full, in those behind it. */
static enum wr_status make_room(struct ctx *ctx, struct txn *txn, uint64_t id)
{
    struct backlog *b = backlog_of(txn);
    uint64_t least = *part_bytes(b, id) / 2, sum = 0, bytes;

    for (unsigned i = 0; i < BACKLOG_PARTS && sum < ROOM_BYTES; i++) {
        uint64_t next = BACKLOG_BIT | (id + i) % BACKLOG_PARTS;
        if (*part_bytes(b, next) < least)
            continue;
        TRY(settle_part(ctx, txn, next, ALL_ROWS, &bytes));
        sum += bytes;
    }
    return WR_OK;
}

enum wr_status backlog_put(struct ctx *ctx, struct txn *txn, const struct update *update)
{
    struct backlog *b = backlog_of(txn);
    struct engine *engine = txn_engine(txn);
    uint64_t id = part_id(token_of(update->partition_key));

    if (*part_bytes(b, id) >= part_most(txn)) {
        TRY(store_be_long(ctx, txn));
        TRY(make_room(ctx, txn, id));
    }

    atomic_fetch_or(&b->tables, backlog_table_bit(update->table->table_id));
    atomic_store(&b->empty_at, 0); /* which may have been this transaction's, before */
    if (atomic_exchange(&b->empty_from, BACKLOG_LOOK) != BACKLOG_LOOK && engine->sweep_wanted)
        engine->sweep_wanted(engine->sweep_arg);
    for (uint32_t i = 0; i < update->row_count; i++)
        TRY(put_row(ctx, txn, update, &update->rows[i], id));
    note_taken(b, engine, update->row_count);
    atomic_store_explicit(&b->last_ns, clock_monotonic_ns(), memory_order_relaxed);
    return WR_OK;
}

/* ---- applying ---- */

struct part {
    uint64_t id;
    struct put_off *rows;
    size_t count, room;
    struct damaged *damaged;
    uint64_t most_rows, taken; /* so many are, those put first */
    uint64_t bytes;
};

struct damaged {
    struct slice bytes;
    struct damaged *next;
};

static enum wr_status add_damaged(struct ctx *ctx, struct part *part, struct slice bytes)
{
    struct damaged *one = NEW(ctx, struct damaged);

    if (!one)
        return WR_NOMEM;
    *one = (struct damaged){ bytes, part->damaged };
    part->damaged = one;
    return WR_OK;
}

static enum wr_status part_add(struct ctx *ctx, void *arg, struct slice number, struct slice value)
{
    struct part *part = arg;
    bool sound;

    if (part->taken == part->most_rows)
        return WR_OK;
    part->taken++;
    if (number.len == CHUNK_KEY_MAX) /* it would not be taken out with the others (store_sift) */
        return fail_corrupt(ctx, "the number of a row that was put off");
    if (part->count == part->room) {
        size_t room = part->room ? 2 * part->room : 256;
        struct put_off *rows = mem_realloc(part->rows, room * sizeof *rows);
        if (!rows)
            return fail_nomem(ctx);
        part->rows = rows;
        part->room = room;
    }
    TRY(ctx_copy(ctx, value, &value)); /* writes follow */
    part->bytes += value.len;
    TRY(backlog_decode(ctx, part->id, value, &part->rows[part->count], &sound));
    if (!sound)
        return add_damaged(ctx, part, value);
    part->count++;
    return WR_OK;
}

/* In the order of the trees. What is of one row comes in any order: it is merged. */
static int row_cmp(const void *left, const void *right)
{
    const struct put_off *a = left, *b = right;

    if (a->table_id != b->table_id)
        return a->table_id < b->table_id ? -1 : 1;
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    int c = slice_cmp(a->key, b->key);
    return c ? c : slice_cmp(a->clustering, b->clustering);
}

static bool is_same_partition(const struct put_off *a, const struct put_off *b)
{
    return a->table_id == b->table_id && slice_eq(a->key, b->key);
}

static enum wr_status apply_run(struct ctx *ctx, struct txn *txn, const struct put_off *rows, uint32_t count)
{
    struct writer *writer = txn_writer(txn);
    const struct table_shape *table = writer->lookup(writer->lookup_arg, rows->table_id);
    struct row_update *updates = NEW_ARRAY(ctx, struct row_update, count);

    if (!updates)
        return WR_NOMEM;
    if (!table)
        return WR_OK;
    for (uint32_t i = 0; i < count; i++) {
        updates[i].clustering = rows[i].clustering;
        TRY(rowcode_decode(ctx, rows[i].code, &updates[i].row));
    }
    writer->depth++; /* the sweep has its turn with the write that this is part of */
    enum wr_status st = apply(ctx, txn, &(struct update){ .table = table,
                                                          .partition_key = rows->key,
                                                          .partition_deletion = DELETION_NONE,
                                                          .rows = updates,
                                                          .row_count = count });
    writer->depth--;
    return st;
}

static enum wr_status part_apply(struct ctx *ctx, struct txn *txn, const struct part *part)
{
    for (size_t at = 0, end; at < part->count; at = end) {
        struct arena_mark mark = arena_mark(ctx->arena);
        for (end = at + 1; end < part->count && end - at < RUN_ROWS && is_same_partition(&part->rows[at], &part->rows[end]);)
            end++;
        TRY(apply_run(ctx, txn, &part->rows[at], (uint32_t)(end - at)));
        arena_rewind(ctx->arena, mark);
    }
    return WR_OK;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool all_go(void *arg, struct slice value)
{
    (void)arg, (void)value;
    return true;
}

static enum wr_status part_move(struct ctx *ctx, struct txn *txn, uint64_t id, struct part *part)
{
    struct backlog *b = backlog_of(txn);
    uint64_t next;

    b->settled[id % BACKLOG_PARTS / 64] |= UINT64_C(1) << id % 64;
    TRY(pack_each(ctx, txn, TREE_ROWS, id, part_add, part));
    TRY(wide_sift(ctx, txn, TREE_ROWS, id, SLICE_EMPTY, SLICE_NULL, &(struct sieve){ all_go, NULL, part->taken, 0 }));
    *part_bytes(b, id) = part->taken < part->most_rows ? 0 : *part_bytes(b, id) - smaller(part->bytes, *part_bytes(b, id));
    for (const struct damaged *one = part->damaged; one; one = one->next)
        TRY(put_entry(ctx, txn, BACKLOG_ASIDE, one->bytes));
    if (part->count)
        qsort(part->rows, part->count, sizeof *part->rows, row_cmp);
    TRY(part_apply(ctx, txn, part));
    TRY(first_part(ctx, txn, BACKLOG_BIT, &next));
    if (!next)
        atomic_store(&b->empty_from, store_snapshot(txn));
    return WR_OK;
}

/* In memory of its own, which is given back, and at no time. */
static enum wr_status settle_part(struct ctx *ctx, struct txn *txn, uint64_t id, uint64_t most_rows, uint64_t *bytes)
{
    struct engine *engine = txn_engine(txn);
    struct part part = { .id = id, .most_rows = most_rows };
    struct arena arena;
    struct ctx own;

    if (!txn_writer(txn)->lookup)
        return fail(ctx, WR_MISUSE, "rows are put off, and nobody knows their tables");
    arena_init(&arena);
    ctx_init(&own, &arena);
    engine->backlog.settling = true;
    enum wr_status st = part_move(&own, txn, id, &part);
    engine->backlog.settling = false;
    if (st != WR_OK)
        engine->backlog.broken = fail(ctx, st, "%s", own.error);
    *bytes = part.bytes;
    mem_free(part.rows);
    arena_release(&arena);
    return st;
}

/* Applies the first part of some that has something, or so many rows of it; *bytes 0: none has. */
static enum wr_status settle_first(struct ctx *ctx, struct txn *txn, uint64_t from, uint64_t to, uint64_t most_rows, uint64_t *bytes)
{
    uint64_t id;

    *bytes = 0;
    if (!backlog_has_any(backlog_of(txn)))
        return WR_OK;
    TRY(first_part(ctx, txn, from, &id));
    return id && id <= to ? settle_part(ctx, txn, id, most_rows, bytes) : WR_OK;
}

/* As many parts as have something, until that is more than `most`; *more: there may be others. */
static enum wr_status settle_some(struct ctx *ctx, struct txn *txn, uint64_t from, uint64_t to, uint64_t most, bool *more)
{
    uint64_t bytes;

    for (*more = true; *more && most; most -= smaller(bytes, most)) {
        TRY(settle_first(ctx, txn, from, to, ALL_ROWS, &bytes));
        *more = bytes != 0;
    }
    return WR_OK;
}

enum wr_status backlog_settle_to_read(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t from, int64_t to)
{
    struct backlog *b = backlog_of(txn);
    bool more;

    b->read |= table->may_wait;
    if (from == to)
        return backlog_settle(ctx, txn, table, from);
    return backlog_knows(b, table) ? settle_some(ctx, txn, part_id(from), part_id(to), UINT64_MAX, &more) : WR_OK;
}

enum wr_status backlog_settle(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token)
{
    uint64_t bytes;

    if (!backlog_knows(backlog_of(txn), table))
        return WR_OK;
    TRY(settle_first(ctx, txn, part_id(token), part_id(token), ALL_ROWS, &bytes));
    if (bytes)
        note_asked(backlog_of(txn));
    return WR_OK;
}

enum wr_status backlog_settle_idle(struct ctx *ctx, struct txn *txn, bool *more)
{
    struct backlog *b = backlog_of(txn);
    int64_t idle_ns = clock_monotonic_ns() - atomic_load_explicit(&b->last_ns, memory_order_relaxed);
    uint64_t id;

    *more = false;
    if (!backlog_has_any(b))
        return WR_OK;
    if (folder_has_others(&txn_engine(txn)->folder))
        give_up(b);
    else if (idle_ns < rig.backlog_idle_ms * INT64_C(1000000))
        return WR_OK;
    TRY(first_part(ctx, txn, BACKLOG_BIT, &id));
    if (!id) /* what had put something off was undone */
        atomic_store(&b->empty_from, store_changes(txn) ? store_snapshot(txn) : store_base(txn));
    return settle_some(ctx, txn, BACKLOG_BIT, BACKLOG_LAST, STEP_BYTES, more);
}

/* ---- for who reads ---- */

enum wr_status txn_is_behind(struct ctx *ctx, struct txn *txn, const struct reach *reach, bool *behind)
{
    struct backlog *b = backlog_of(txn);
    uint64_t snapshot = store_snapshot(txn), id;

    *behind = false;
    if (!backlog_knows(b, reach->table) || snapshot >= atomic_load(&b->empty_from) || snapshot == atomic_load(&b->empty_at))
        return WR_OK;
    TRY(first_part(ctx, txn, BACKLOG_BIT, &id));
    if (!id) {
        atomic_store(&b->empty_at, snapshot);
        return WR_OK;
    }
    if (!reach->keys) {
        TRY(first_part(ctx, txn, part_id(reach->from), &id));
        *behind = id && id <= part_id(reach->to);
        return WR_OK;
    }
    for (uint32_t i = 0; i < reach->key_count && !*behind; i++) {
        uint64_t own = part_id(token_of(reach->keys[i]));
        TRY(first_part(ctx, txn, own, &id));
        *behind = id == own;
    }
    return WR_OK;
}

static enum wr_status catch_up_few(struct ctx *ctx, struct txn *txn, const struct reach *reach, uint64_t most_rows, bool *more)
{
    uint64_t bytes = 0;

    if (!reach->keys)
        TRY(settle_first(ctx, txn, part_id(reach->from), part_id(reach->to), most_rows, &bytes));
    for (uint32_t i = 0; i < reach->key_count && !bytes; i++) {
        uint64_t id = part_id(token_of(reach->keys[i]));
        TRY(settle_first(ctx, txn, id, id, most_rows, &bytes));
    }
    *more = bytes != 0;
    return WR_OK;
}

enum wr_status txn_catch_up(struct ctx *ctx, struct txn *txn, const struct reach *reach, uint64_t most_rows, bool *more)
{
    *more = false;
    if (most_rows)
        return catch_up_few(ctx, txn, reach, most_rows, more);
    if (!reach->keys) {
        note_asked(backlog_of(txn));
        return settle_some(ctx, txn, part_id(reach->from), part_id(reach->to), STEP_BYTES, more);
    }
    for (uint32_t i = 0; i < reach->key_count; i++)
        TRY(backlog_settle(ctx, txn, reach->table, token_of(reach->keys[i])));
    return WR_OK;
}

bool engine_had_backlog(const struct engine *engine)
{
    return atomic_load_explicit(&engine->backlog.empty_from, memory_order_relaxed) != 0;
}

bool engine_has_backlog(const struct engine *engine)
{
    return atomic_load_explicit(&engine->backlog.empty_from, memory_order_relaxed) == BACKLOG_LOOK;
}

bool engine_has_others(const struct engine *engine)
{
    return folder_has_others(&engine->folder);
}

enum wr_status engine_settling_broke(struct engine *engine)
{
    enum wr_status st = engine->backlog.broken;
    engine->backlog.broken = WR_OK;
    return st;
}

void engine_bar_backlog(struct engine *engine, bool bar)
{
    atomic_fetch_add(&engine->backlog.barred, bar ? 1 : -1);
}

/* ---- from transaction to transaction ---- */

void backlog_aborted(struct backlog *b, uint64_t last_commit)
{
    uint64_t empty_from = atomic_load(&b->empty_from);

    if (empty_from != BACKLOG_LOOK && empty_from > last_commit)
        atomic_store(&b->empty_from, BACKLOG_LOOK);
    atomic_store(&b->empty_at, 0); /* the next transaction has this one's number */
    for (size_t i = 0; i < BACKLOG_PARTS / 64; i++)
        for (uint64_t left = b->settled[i]; left; left &= left - 1)
            b->bytes[64 * i + (size_t)__builtin_ctzll(left)] = PART_MOST; /* how much it holds again is not known */
    backlog_committed(b);
}

/* How much each part holds is not known: with the first row that comes to it what it has is applied. */
enum wr_status backlog_open(struct ctx *ctx, struct engine *engine)
{
    struct backlog *b = &engine->backlog;
    struct txn *txn = NULL;
    uint64_t id = 0;
    uint8_t key[ID_BYTES];
    const struct pages_first first = { .tree = store_tree_name(TREE_ROWS), .key = slice_of(key, sizeof key) };

    put_u64(key, BACKLOG_BIT);
    TRY(pages_check_first(ctx, engine->store, &first));
    b->crowded = store_crowded(engine->store);
    TRY(store_begin_read(ctx, engine->store, &txn));
    enum wr_status st = first_part(ctx, txn, BACKLOG_BIT, &id);
    txn_abort(&txn);
    TRY(st);
    if (id && engine->read_only && !folder_has_writer(&engine->folder))
        return fail(ctx, WR_BUSY, "rows are put off in the database, which who opens it for writing applies");
    bool may_have = id || engine->read_only; /* what another process puts off this one does not hear of */
    atomic_init(&b->empty_from, may_have ? BACKLOG_LOOK : 0);
    atomic_init(&b->tables, may_have ? UINT64_MAX : 0);
    for (size_t i = 0; id && i < BACKLOG_PARTS; i++)
        b->bytes[i] = PART_MOST;
    return WR_OK;
}
