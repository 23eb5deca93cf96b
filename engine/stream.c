#include "engine/stream.h"

#include "engine/map.h"
#include "engine/recovery.h"
#include "engine/rig.h"

enum { LOG_SPARE = 128 << 10 /* mode full: a half with less room than this is done */ };

bool stream_is_pending(const struct stream *s)
{
    return s->put != atomic_load_explicit(&s->flushed, memory_order_relaxed);
}

/* ---- the keeper's part: LMDB's transactions ---- */

static void call_keeper(struct stream *s)
{
    s->begun_ns = clock_monotonic_ns();
    keeper_call_in(s->keeper, rig.gather_session_ms * INT64_C(1000000));
}

static enum wr_status keep_begin(struct ctx *ctx, struct stream *s)
{
    TRY(store_begin_kept(ctx, s->store, &s->txn));
    bool is_new = s->durability && !stream_is_pending(s); /* what was acknowledged is done again for readers, whatever failed since */
    enum wr_status st = is_new ? durability_begin(ctx, s->durability) : WR_OK;
    if (st != WR_OK)
        txn_abort(&s->txn);
    else if (is_new)
        durability_expect(s->durability);
    call_keeper(s);
    return st;
}

static enum wr_status keep_commit(struct ctx *ctx, struct stream *s, bool go_on)
{
    enum wr_status st = (go_on ? store_commit_and_begin : store_commit)(ctx, &s->txn, &s->commit_id);
    if (st == WR_OK && s->durability)
        durability_note(ctx, s->durability, s->commit_id);
    if (go_on)
        call_keeper(s);
    return st;
}

enum wr_status stream_obey(struct ctx *ctx, struct stream *s, enum order order)
{
    if (s->txn)
        store_set_journal(s->txn, NULL);
    switch (order) {
    case ORDER_BEGIN:
        return keep_begin(ctx, s);
    case ORDER_COMMIT:
    case ORDER_COMMIT_AND_BEGIN:
        return keep_commit(ctx, s, order == ORDER_COMMIT_AND_BEGIN);
    case ORDER_BEGIN_AGAIN:
        return store_begin_again(ctx, &s->txn);
    case ORDER_ABORT:
        txn_abort(&s->txn);
        return WR_OK;
    case ORDER_NONE:
    case ORDER_STOP:
        break;
    }
    return WR_OK;
}

enum wr_status stream_ask(struct ctx *ctx, struct stream *s, enum order order)
{
    return keeper_ask(ctx, s->keeper, order);
}

/* ---- beginning and ending ---- */

void stream_end(struct stream *s)
{
    atomic_store(&s->flushed, s->put);
    atomic_store(&s->open, false);
}

/* The transaction is committed, with what was pending and nothing else. */
static void end_committed(struct stream *s)
{
    s->chain_commit = s->commit_id;
    atomic_store(&s->vouched, s->commit_id);
    stream_end(s);
}

enum wr_status stream_sync(struct ctx *ctx, struct stream *s, uint64_t place)
{
    enum wr_status st = logfile_sync(ctx, &s->file, place);
    if (st != WR_OK)
        durability_fail(s->durability);
    return st;
}

/* The log goes on in this half, as a chain of its own or the one before. */
static void begin_half(struct stream *s, unsigned half, bool goes_on, uint64_t base)
{
    if (!goes_on)
        s->chain = log_new_chain();
    s->half_base = base;
    logfile_turn(&s->file, half);
    log_begin(s->file.bytes, s->database_id, &(struct log_head){ s->chain, base, s->number, !s->full });
    s->mark = LOG_HEAD;
}

/* What the log holds may be needed after a loss of power. *reach: no session can begin before a sync point has covered that commit. */
static bool begin_full(struct stream *s, uint64_t base, uint64_t *reach)
{
    bool goes_on = base == s->chain_commit, has_room = s->file.half_bytes - s->mark >= LOG_SPARE;

    if (goes_on && has_room)
        return true;
    *reach = goes_on ? s->half_base : base;
    if (!durability_has(s->durability, *reach))
        return false;
    *reach = 0;
    begin_half(s, goes_on && !s->file.half, goes_on, base);
    if (goes_on)
        durability_hurry(s->durability);
    return true;
}

static bool begin_session(struct stream *s, uint64_t *reach)
{
    uint64_t base = store_base(s->txn);

    if (!s->full)
        begin_half(s, 0, false, base);
    else if (!begin_full(s, base, reach))
        return false;
    else
        s->chain_commit = base;
    s->first = s->mark;
    s->first_number = s->number;
    atomic_store(&s->open, true);
    return true;
}

static enum wr_status replay(struct ctx *ctx, struct stream *s)
{
    struct slice records = slice_of(s->file.bytes + s->first, s->mark - s->first);
    return recovery_replay(ctx, s->txn, (struct log_walk){ .rest = records, .chain = s->chain, .number = s->first_number, .base = s->half_base });
}

enum wr_status stream_have_txn(struct ctx *ctx, struct stream *s, giver *order, uint64_t *reach)
{
    *reach = 0;
    if (s->txn)
        return WR_OK;
    TRY(order(ctx, s, ORDER_BEGIN));
    if (!stream_is_pending(s))
        return begin_session(s, reach) ? WR_OK : order(ctx, s, ORDER_ABORT);
    enum wr_status st = replay(ctx, s);
    if (st != WR_OK)
        order(ctx, s, ORDER_ABORT);
    return st;
}

bool stream_wants_room(const struct stream *s)
{
    return s->full && atomic_load(&s->open) && s->file.half_bytes - s->mark < LOG_SPARE;
}

/* ---- what is put ---- */

void stream_put(struct stream *s, size_t end)
{
    s->mark = log_seal(s->file.bytes, s->mark, end, s->chain, s->number++, store_base(s->txn) + 1 - s->half_base);
    s->put = logfile_put(&s->file, s->mark);
    store_tell_committed(s->store);
}

/* What could not be synced was told as failed, and is taken out. */
static void forget_unsynced(struct ctx *ctx, struct stream *s, giver *order)
{
    if (s->txn)
        order(ctx, s, ORDER_ABORT);
    size_t end = logfile_forget(&s->file);
    s->mark = end > s->first ? end : s->first;
    s->put = end > s->first ? s->file.start + end : atomic_load(&s->flushed);
}

/* Before what is pending goes into the data file; who waits for the sync is told of its failure. */
static void settle_log(const struct ctx *ctx, struct stream *s, giver *order)
{
    struct ctx quiet;

    ctx_init(&quiet, ctx->arena);
    if (stream_sync(&quiet, s, s->put) != WR_OK)
        forget_unsynced(&quiet, s, order);
}

enum wr_status stream_flush(struct ctx *ctx, struct stream *s, giver *order)
{
    uint64_t reach;

    if (!atomic_load(&s->open))
        return WR_OK;
    settle_log(ctx, s, order);
    if (!stream_is_pending(s)) {
        if (s->txn)
            order(ctx, s, ORDER_ABORT);
        stream_end(s);
        return WR_OK;
    }
    for (;;) {
        uint64_t seen_bytes = map_bytes(s->store);
        enum wr_status st = stream_have_txn(ctx, s, order, &reach);
        if (st == WR_OK)
            st = order(ctx, s, ORDER_COMMIT);
        if (st == WR_OK) {
            end_committed(s);
            return WR_OK;
        }
        if (st != WR_FULL)
            return st;
        TRY(map_grow(ctx, s->store, seen_bytes));
    }
}

enum wr_status stream_commit_whole(struct ctx *ctx, struct stream *s)
{
    TRY(stream_sync(ctx, s, s->put));
    TRY(stream_ask(ctx, s, ORDER_COMMIT));
    s->chain_commit = 0;
    stream_end(s);
    return WR_OK;
}

enum wr_status stream_part(struct ctx *ctx, struct stream *s, giver *order, struct slice changes)
{
    uint64_t reach;
    enum wr_status st;

    settle_log(ctx, s, order);
    TRY_OUT(s->txn ? order(ctx, s, ORDER_BEGIN_AGAIN) : durability_check(ctx, s->durability));
    TRY_OUT(replay(ctx, s));
    TRY_OUT(order(ctx, s, ORDER_COMMIT_AND_BEGIN));
    end_committed(s);
    if (s->full)
        begin_session(s, &reach);
    TRY_OUT(store_replay(ctx, s->txn, changes));
    return WR_OK;
out:
    if (s->txn)
        order(ctx, s, ORDER_ABORT);
    return st;
}
