#include "engine/partitions.h"

#include <assert.h>

#include "engine/backlog.h"
#include "engine/coding.h"
#include "engine/pack.h"
#include "engine/partition.h"
#include "engine/tidy.h"

enum { PASSED_MANY = 1000 };

/* One half of the directory, on the way. */
struct walk {
    struct cursor cursor;
    uint64_t prefix;              /* the table id, with DEAD_HALF or not */
    bool begun, ended;
    bool waits;                   /* the entry that it has come to was not given yet */
    struct slice physical, bytes; /* that entry */
};

struct partitions {
    struct walk walks[2];
    unsigned count; /* of them: 1, or 2 with the dead */
    bool has_clustering, marker_decides;
    bool unsteady; /* what is written meanwhile may move entries: none waits from one call to the next */
    int64_t to;
    struct directory_key at; /* where to begin, in the living half */
    bool behind;             /* an entry exactly there is left out */
    uint32_t passed;         /* by this walk and those before it over the same table: */
    struct tidying tidying;  /* where */
    struct partition ahead[PARTITIONS_AT_ONCE]; /* of a read, those whose rows are looked for at once; ahead_at of them have been given */
    uint32_t ahead_at, ahead_count, ahead_next; /* ahead_next: how many to look for next */
};

enum wr_status partitions_new(struct ctx *ctx, struct partitions **out)
{
    *out = mem_alloc(sizeof **out);
    return *out ? WR_OK : fail_nomem(ctx);
}

void partitions_close(struct partitions *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < 2; i++)
        cursor_close(&p->walks[i].cursor);
    p->ahead_at = p->ahead_count = 0;
}

void partitions_free(struct partitions *p)
{
    if (!p)
        return;
    partitions_close(p);
    mem_free(p);
}

static enum wr_status open_walks(struct ctx *ctx, struct partitions *p, struct txn *txn, const struct table_shape *table,
                                 int64_t from, int64_t to, struct slice after_key)
{
    partitions_close(p);
    p->unsteady = !txn_is_still(txn);
    if (p->unsteady)
        TRY(backlog_settle_to_read(ctx, txn, table, from, to));
    p->has_clustering = table->has_clustering;
    p->marker_decides = table->marker_decides;
    p->to = to;
    p->behind = !slice_is_null(after_key);
    directory_key(&p->at, table->table_id, from, p->behind ? after_key : SLICE_EMPTY);
    p->ahead_next = 1;
    if (p->tidying.table_id != table->table_id)
        p->passed = 0;
    for (unsigned i = 0; i < p->count; i++) {
        struct walk *w = &p->walks[i];
        w->prefix = table->table_id | (i ? DEAD_HALF : 0);
        w->begun = w->ended = w->waits = false;
        TRY(cursor_open(ctx, &w->cursor, txn, TREE_PARTITIONS));
    }
    return WR_OK;
}

enum wr_status partitions_open(struct ctx *ctx, struct partitions *p, struct txn *txn, const struct table_shape *table,
                               int64_t from, int64_t to, struct slice after_key)
{
    p->count = 1;
    return open_walks(ctx, p, txn, table, from, to, after_key);
}

enum wr_status partitions_open_any(struct ctx *ctx, struct partitions *p, struct txn *txn, const struct table_shape *table,
                                   int64_t from, int64_t to, struct slice after_key)
{
    p->count = 2;
    return open_walks(ctx, p, txn, table, from, to, after_key);
}

void partitions_pass(struct partitions *p, struct txn *txn, const struct partition *partition)
{
    uint64_t table_id = p->walks[0].prefix;
    int64_t token = partition->token;

    if (p->count > 1)
        return;
    if (p->passed++ == 0)
        p->tidying = (struct tidying){ table_id, token, token };
    p->tidying.from = token < p->tidying.from ? token : p->tidying.from;
    p->tidying.to = token > p->tidying.to ? token : p->tidying.to;
    if (p->passed < PASSED_MANY)
        return;
    tidy_want(txn_engine(txn), &p->tidying);
    p->passed = 0;
}

static enum wr_status begin(struct ctx *ctx, const struct partitions *p, struct walk *w)
{
    struct directory_key key = p->at;
    struct slice at = w->prefix & DEAD_HALF ? directory_key_bury(&key) : slice_of(key.bytes, key.len);

    TRY(cursor_seek(ctx, &w->cursor, at, &w->physical, &w->bytes));
    if (p->behind && !slice_is_null(w->physical) && slice_eq(w->physical, at))
        return cursor_next(ctx, &w->cursor, &w->physical, &w->bytes);
    return WR_OK;
}

/* To the next entry, if there is one. */
static enum wr_status step(struct ctx *ctx, struct partitions *p, struct walk *w, struct directory_place *place)
{
    TRY(w->begun ? cursor_walk(ctx, &w->cursor, &w->physical, &w->bytes) : begin(ctx, p, w));
    w->begun = true;
    w->ended = slice_is_null(w->physical) || !directory_key_parse(w->physical, place) || read_u64(w->physical.data) != w->prefix ||
               place->token > p->to;
    w->waits = !w->ended;
    return WR_OK;
}

/* Of two that wait the first one, by what stands behind the table's id. */
static struct walk *first_of(struct partitions *p)
{
    struct walk *living = &p->walks[0], *dead = &p->walks[1];

    if (p->count == 1 || dead->ended)
        return living->ended ? NULL : living;
    return living->ended || slice_cmp(slice_skip(dead->physical, ID_BYTES), slice_skip(living->physical, ID_BYTES)) < 0 ? dead : living;
}

/* Both halves look for what is behind the entry anew. */
static void begin_behind(struct partitions *p, struct slice physical)
{
    p->at.len = physical.len;
    memcpy(p->at.bytes, physical.data, physical.len);
    put_u64(p->at.bytes, p->walks[0].prefix);
    p->behind = true;
    for (unsigned i = 0; i < p->count; i++)
        p->walks[i].begun = p->walks[i].waits = p->walks[i].ended = false; /* what is ahead may have come to a half that had ended */
}

static enum wr_status next_entry(struct ctx *ctx, struct partitions *p, struct partition *out, bool *found)
{
    struct directory_place place;
    struct entry entry;
    struct walk *w;

    *found = false;
    if (!p->walks[0].cursor.txn)
        return WR_OK;
    for (unsigned i = 0; i < p->count; i++)
        if (!p->walks[i].waits && !p->walks[i].ended)
            TRY(step(ctx, p, &p->walks[i], &place));
    if (!(w = first_of(p))) {
        partitions_close(p);
        return WR_OK;
    }
    if (p->count > 1)
        directory_key_parse(w->physical, &place);
    w->waits = false;
    if (p->unsteady) {
        if (p->count > 1)
            begin_behind(p, w->physical);
        TRY(ctx_copy(ctx, place.key, &place.key));
        TRY(ctx_copy(ctx, w->bytes, &w->bytes));
    }
    if (!entry_decode(w->bytes, &entry))
        return fail_corrupt(ctx, "an entry of the directory");
    *out = (struct partition){
        .id = entry.id,
        .token = place.token,
        .key = slice_is_null(entry.key) ? place.key : entry.key,
        .deletion = entry.deletion,
        .entry = w->bytes,
        .row = entry.row,
        .has_clustering = p->has_clustering,
        .marker_decides = p->marker_decides,
        .unsteady = p->unsteady,
    };
    *found = true;
    return WR_OK;
}

void partitions_expect(struct txn *txn, struct partition *partitions, uint32_t count, bool reversed)
{
    uint64_t ids[PARTITIONS_AT_ONCE] = { 0 };
    struct known_chunk chunks[PARTITIONS_AT_ONCE];

    assert(count <= PARTITIONS_AT_ONCE);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = partitions[i].id;
    pack_expect(txn, TREE_ROWS, ids, count, reversed, chunks);
    for (uint32_t i = 0; i < count; i++)
        partitions[i].chunk = chunks[i];
}

/* Those that come next, more each time: a walk that has come far goes on. */
static enum wr_status look_ahead(struct ctx *ctx, struct partitions *p)
{
    uint32_t n = 0;
    bool found = true;
    struct txn *txn = p->walks[0].cursor.txn;

    while (n < p->ahead_next) {
        TRY(next_entry(ctx, p, &p->ahead[n], &found));
        if (!found)
            break;
        n++;
    }
    partitions_expect(txn, p->ahead, n, false);
    p->ahead_at = 0;
    p->ahead_count = n;
    p->ahead_next = 2 * p->ahead_next < PARTITIONS_AT_ONCE ? 2 * p->ahead_next : PARTITIONS_AT_ONCE;
    return WR_OK;
}

enum wr_status partitions_next(struct ctx *ctx, struct partitions *p, struct partition *out, bool *found)
{
    if (!p->has_clustering || p->unsteady)
        return next_entry(ctx, p, out, found);
    if (p->ahead_at == p->ahead_count)
        TRY(look_ahead(ctx, p));
    *found = p->ahead_at < p->ahead_count;
    if (*found)
        *out = p->ahead[p->ahead_at++];
    return WR_OK;
}
