/*
 * The hits of one term are in order in the tree and come from its cursor, some at a time where nobody writes meanwhile. Those of
 * many terms are not: they are gathered and put in order first, as long as there are not too many of them.
 */
#include "engine/index_scan.h"

#include <stdlib.h>

#include "engine/index.h"

struct gathered {
    int64_t token;
    uint64_t partition_id;
    struct slice clustering;
    struct slice key; /* of a range's, where another partition has the same token; else null */
};

enum { AHEAD_FIRST = 4, AHEAD_MOST = 32 };

struct index_scan {
    struct wide_cursor *cursor;
    struct txn *txn;
    struct arena key_bytes;  /* the key's, */
    struct arena clustering_bytes; /* the next hit's, in a write */
    struct arena hits_bytes; /* the term asked for, or the clusterings gathered */
    struct slice term;       /* as stored */
    struct index_sieve sieve; /* passes NULL: all hits do */
    const struct table_shape *table; /* whose index it is */
    struct partition partition;      /* of the hit; its key in the scan's own memory, in a write. Id 0: none yet */
    struct slice bytes, value; /* the entry the cursor stands on; null: at the end */
    bool open, fresh;          /* fresh: not read yet */
    struct gathered *hits;     /* of many terms all, of one those read ahead; its room is kept */
    uint32_t hit_count, hit_at, hit_room;
    uint32_t ahead;            /* how many to read next */
};

enum wr_status index_scan_new(struct ctx *ctx, struct index_scan **out)
{
    struct index_scan *s = mem_alloc(sizeof *s);

    if (!s)
        return fail_nomem(ctx);
    arena_init(&s->key_bytes);
    arena_init(&s->clustering_bytes);
    arena_init(&s->hits_bytes);
    enum wr_status st = wide_cursor_new(ctx, &s->cursor);
    if (st != WR_OK) {
        mem_free(s);
        return st;
    }
    *out = s;
    return WR_OK;
}

void index_scan_close(struct index_scan *s)
{
    if (!s)
        return;
    if (s->open)
        wide_close(s->cursor);
    s->open = false;
    s->hit_count = s->hit_at = 0;
}

/* Nothing more is read from the tree; what has been is still to be given. */
static void end_reading(struct index_scan *s)
{
    wide_close(s->cursor);
    s->open = false;
}

void index_scan_free(struct index_scan *s)
{
    if (!s)
        return;
    index_scan_close(s);
    wide_cursor_free(s->cursor);
    arena_release(&s->key_bytes);
    arena_release(&s->clustering_bytes);
    arena_release(&s->hits_bytes);
    mem_free(s->hits);
    mem_free(s);
}

static enum wr_status begin(struct ctx *ctx, struct index_scan *s, struct txn *txn, uint64_t index_id)
{
    index_scan_close(s);
    arena_reset(&s->hits_bytes);
    s->txn = txn;
    s->ahead = txn_is_still(txn) ? AHEAD_FIRST : 1;
    s->partition.id = 0;
    s->sieve.passes = NULL;
    TRY(wide_open(ctx, s->cursor, txn, TREE_INDEX, index_id));
    s->open = true;
    return WR_OK;
}

/* The partition of an id. A writer may write between two hits: then its key is in the scan's own memory. */
static enum wr_status load_partition(struct ctx *ctx, struct index_scan *s, uint64_t id, int64_t token)
{
    bool found;

    if (id == s->partition.id)
        return WR_OK;
    TRY(partition_of_id(ctx, s->txn, s->table, token, id, &s->partition, &found));
    if (!found)
        return fail_corrupt(ctx, "an index entry of no partition");
    if (!s->partition.unsteady)
        return WR_OK;
    arena_reset(&s->key_bytes);
    return ctx_copy_to(ctx, &s->key_bytes, s->partition.key, &s->partition.key);
}

const struct partition *index_scan_partition(const struct index_scan *s)
{
    return s->partition.unsteady ? NULL : &s->partition;
}

static enum wr_status add_hit(struct ctx *ctx, struct index_scan *s, const struct index_place *place)
{
    if (s->hit_count == s->hit_room) {
        uint32_t room = s->hit_room ? 2 * s->hit_room : 2 * AHEAD_MOST;
        struct gathered *grown = mem_realloc(s->hits, room * sizeof *grown);
        if (!grown)
            return fail_nomem(ctx);
        s->hits = grown;
        s->hit_room = room;
    }
    s->hits[s->hit_count++] = (struct gathered){ .token = place->token, .partition_id = place->partition_id, .clustering = place->clustering };
    return WR_OK;
}

/* What leads to the partitions of those read ahead is fetched from memory at once, not for one after the other. */
static void expect_partitions(const struct index_scan *s)
{
    const struct engine *engine = txn_engine(s->txn);
    struct expected_partition expected[AHEAD_MOST];

    if (s->hit_count < 2 || !partition_is_worth_expecting(engine))
        return;
    for (uint32_t i = 0; i < s->hit_count; i++)
        partition_expect_at(engine, s->table, s->hits[i].token, &expected[i]);
    for (uint32_t i = 0; i < s->hit_count; i++)
        partition_expect_place(engine, &expected[i]);
}

/* ---- one term ---- */

/* Seeks the first entry at or behind a place, a null one where it is of another term. */
static enum wr_status seek_entry(struct ctx *ctx, struct index_scan *s, const struct index_place *at, struct index_place *found)
{
    struct slice bytes;

    TRY(index_bytes(ctx, at, &bytes));
    TRY(wide_seek(ctx, s->cursor, bytes, &s->bytes, &s->value));
    s->fresh = true;
    if (slice_is_null(s->bytes))
        return WR_OK;
    if (!index_parse(s->bytes, s->value, found))
        return fail_corrupt(ctx, "an index entry");
    if (!slice_eq(found->term, s->term))
        s->bytes = SLICE_NULL;
    return WR_OK;
}

/* Behind a hit, by the id of its partition, be there anything left of that or not; where it is gone altogether, behind all that have its token. */
static enum wr_status seek_behind(struct ctx *ctx, struct index_scan *s, const struct index_hit *after)
{
    struct index_place at = { .term = s->term, .partition_id = UINT64_MAX, .token = after->token, .clustering = after->clustering }, found;
    struct partition partition;
    bool is_there = false;

    if (after->partition_key.len)
        TRY(partition_find_any(ctx, s->txn, s->table, after->token, after->partition_key, &partition, &is_there));
    if (is_there)
        at.partition_id = partition.id;
    TRY(seek_entry(ctx, s, &at, &found));
    s->fresh = slice_is_null(s->bytes) || found.partition_id != at.partition_id || !slice_eq(found.clustering, after->clustering);
    return WR_OK;
}

enum wr_status index_scan_open(struct ctx *ctx, struct index_scan *s, struct txn *txn, const struct table_shape *table, uint64_t index_id,
                               struct slice term, const struct index_hit *after)
{
    struct index_place first = { .token = INT64_MIN }, found;
    struct arena *statement = ctx->arena;

    TRY(begin(ctx, s, txn, index_id));
    s->table = table;
    ctx->arena = &s->hits_bytes;
    enum wr_status st = index_term_stored(ctx, term, &s->term);
    ctx->arena = statement;
    TRY(st);
    first.term = s->term;
    return after ? seek_behind(ctx, s, after) : seek_entry(ctx, s, &first, &found);
}

/* On to the next entry; *found false: there is none of the term. */
static enum wr_status step_in_term(struct ctx *ctx, struct index_scan *s, struct index_place *place, bool *found)
{
    *found = false;
    if (!s->fresh && !slice_is_null(s->bytes))
        TRY(wide_next(ctx, s->cursor, &s->bytes, &s->value));
    s->fresh = false;
    if (slice_is_null(s->bytes))
        return WR_OK;
    if (!index_parse(s->bytes, s->value, place))
        return fail_corrupt(ctx, "an index entry");
    *found = slice_eq(place->term, s->term);
    return WR_OK;
}

static enum wr_status next_in_term(struct ctx *ctx, struct index_scan *s, struct index_place *place, bool *found)
{
    do {
        TRY(ctx_go_on(ctx));
        TRY(step_in_term(ctx, s, place, found));
    } while (*found && s->sieve.passes && !s->sieve.passes(s->sieve.arg, place->sketch));
    return WR_OK;
}

void index_scan_sift(struct index_scan *s, struct index_sieve sieve)
{
    s->sieve = sieve;
}

/* The hits that come next; none: there are no more. Where somebody writes meanwhile it is one, and a copy. */
static enum wr_status read_on(struct ctx *ctx, struct index_scan *s)
{
    bool still = txn_is_still(s->txn), found = true;
    struct index_place place;

    s->hit_count = s->hit_at = 0;
    while (found && s->hit_count < s->ahead) {
        TRY(next_in_term(ctx, s, &place, &found));
        if (found)
            TRY(add_hit(ctx, s, &place));
        if (found && !wide_lasts(s->bytes))
            break;
    }
    if (!found)
        end_reading(s);
    if (!still && s->hit_count) {
        arena_reset(&s->clustering_bytes);
        return ctx_copy_to(ctx, &s->clustering_bytes, s->hits[0].clustering, &s->hits[0].clustering);
    }
    if (still && s->ahead < AHEAD_MOST)
        s->ahead *= 2;
    expect_partitions(s);
    return WR_OK;
}

/* ---- a range of terms ---- */

/* A walk over the entries of a range. Long terms are cut in the tree, so their bounds are too, outwards. */
struct walk {
    struct slice end; /* null: none */
    struct index_place at;
    bool begun;
};

static enum wr_status walk_open(struct ctx *ctx, struct range terms, struct walk *out)
{
    struct buf end;

    *out = (struct walk){ .end = terms.end, .at.term = terms.start };
    if (out->at.term.len > TERM_BYTES_MAX)
        out->at.term.len = TERM_BYTES_MAX;
    if (slice_is_null(terms.end) || terms.end.len <= TERM_BYTES_MAX)
        return WR_OK;
    buf_init(&end, ctx->arena);
    buf_put(&end, terms.end.data, TERM_BYTES_MAX);
    for (int i = 0; i <= TERM_HASH_BYTES; i++)
        buf_put_u8(&end, 0xFF);
    return buf_done(ctx, &end, &out->end);
}

static enum wr_status walk_next(struct ctx *ctx, struct index_scan *s, struct walk *w, bool *found)
{
    *found = false;
    if (w->begun)
        TRY(wide_next(ctx, s->cursor, &s->bytes, &s->value));
    else
        TRY(wide_seek(ctx, s->cursor, w->at.term, &s->bytes, &s->value));
    w->begun = true;
    if (slice_is_null(s->bytes))
        return WR_OK;
    if (!index_parse(s->bytes, s->value, &w->at))
        return fail_corrupt(ctx, "an index entry");
    *found = slice_is_null(w->end) || slice_cmp(w->at.term, w->end) < 0;
    return WR_OK;
}

enum wr_status index_count(struct ctx *ctx, struct index_scan *s, struct txn *txn, uint64_t index_id, struct range terms,
                           uint32_t max, uint32_t *out)
{
    struct walk walk;
    bool found = true;

    TRY(begin(ctx, s, txn, index_id));
    TRY(walk_open(ctx, terms, &walk));
    for (*out = 0; *out < max; ++*out) {
        TRY(walk_next(ctx, s, &walk, &found));
        if (!found)
            break;
    }
    index_scan_close(s);
    return WR_OK;
}

static int gathered_cmp(const void *a, const void *b)
{
    const struct gathered *x = a, *y = b;
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->partition_id != y->partition_id)
        return x->partition_id < y->partition_id ? -1 : 1;
    return slice_cmp(x->clustering, y->clustering);
}

static enum wr_status keep(struct ctx *ctx, struct index_scan *s, const struct index_place *place)
{
    TRY(add_hit(ctx, s, place));
    struct slice *clustering = &s->hits[s->hit_count - 1].clustering;
    return ctx_copy_to(ctx, &s->hits_bytes, *clustering, clustering);
}

static int gathered_key_cmp(const void *a, const void *b)
{
    const struct gathered *x = a, *y = b;
    int c = slice_cmp(x->key, y->key);
    return c ? c : slice_cmp(x->clustering, y->clustering);
}

/* Hits of one token, which are in the order of their partitions' ids: there is hardly ever more than one. */
static enum wr_status order_by_key(struct ctx *ctx, struct index_scan *s, struct gathered *hits, uint32_t count)
{
    if (hits[0].partition_id == hits[count - 1].partition_id)
        return WR_OK;
    for (uint32_t i = 0; i < count; i++) {
        TRY(load_partition(ctx, s, hits[i].partition_id, hits[i].token));
        TRY(ctx_copy_to(ctx, &s->hits_bytes, s->partition.key, &hits[i].key));
    }
    qsort(hits, count, sizeof *hits, gathered_key_cmp);
    return WR_OK;
}

/* In order, each row once: it may have several of the terms. */
static enum wr_status tidy(struct ctx *ctx, struct index_scan *s)
{
    uint32_t kept = 0;

    if (s->hit_count)
        qsort(s->hits, s->hit_count, sizeof *s->hits, gathered_cmp);
    for (uint32_t i = 0; i < s->hit_count; i++)
        if (kept == 0 || gathered_cmp(&s->hits[kept - 1], &s->hits[i]) != 0)
            s->hits[kept++] = s->hits[i];
    s->hit_count = kept;
    for (uint32_t from = 0, end; from < kept; from = end) {
        for (end = from + 1; end < kept && s->hits[end].token == s->hits[from].token;)
            end++;
        TRY(order_by_key(ctx, s, &s->hits[from], end - from));
    }
    return WR_OK;
}

/* As seek_behind, among those gathered, which are in order of their keys. */
static enum wr_status skip_behind(struct ctx *ctx, struct index_scan *s, const struct index_hit *after)
{
    uint32_t at = 0;

    while (at < s->hit_count && s->hits[at].token < after->token)
        at++;
    for (; at < s->hit_count && s->hits[at].token == after->token; at++) {
        TRY(load_partition(ctx, s, s->hits[at].partition_id, s->hits[at].token));
        int c = slice_cmp(s->partition.key, after->partition_key);
        if (c > 0 || (c == 0 && slice_cmp(s->hits[at].clustering, after->clustering) > 0))
            break;
    }
    s->hit_at = at;
    return WR_OK;
}

enum wr_status index_scan_open_range(struct ctx *ctx, struct index_scan *s, struct txn *txn, const struct table_shape *table,
                                     const struct index_range *range, bool *many)
{
    const struct index_hit *after = range->after;
    int64_t from = after && after->token > range->token_from ? after->token : range->token_from;
    struct walk walk;
    bool found;

    TRY(begin(ctx, s, txn, range->index_id));
    s->table = table;
    TRY(walk_open(ctx, range->terms, &walk));
    for (uint32_t entries = 0;; entries++) {
        TRY(walk_next(ctx, s, &walk, &found));
        *many = found && entries == range->most;
        if (!found || *many)
            break;
        if (walk.at.token >= from && walk.at.token <= range->token_to)
            TRY(keep(ctx, s, &walk.at));
    }
    if (*many) {
        index_scan_close(s);
        return WR_OK;
    }
    end_reading(s);
    TRY(tidy(ctx, s));
    return after ? skip_behind(ctx, s, after) : WR_OK;
}

enum wr_status index_scan_next(struct ctx *ctx, struct index_scan *s, struct index_hit *out, bool *found)
{
    *found = false;
    if (s->hit_at == s->hit_count && s->open)
        TRY(read_on(ctx, s));
    if (s->hit_at == s->hit_count)
        return WR_OK;
    const struct gathered *hit = &s->hits[s->hit_at++];
    bool is_cursors = s->open && s->hit_at == s->hit_count && !wide_lasts(s->bytes); /* the entry it stands on */
    TRY(load_partition(ctx, s, hit->partition_id, hit->token));
    *out = (struct index_hit){
        .token = hit->token, .partition_key = s->partition.key, .clustering = hit->clustering, .lasts = !s->partition.unsteady && !is_cursors
    };
    *found = true;
    return WR_OK;
}
