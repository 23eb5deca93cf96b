#include "engine/index.h"

#include <stdlib.h>

#include "engine/coding.h"
#include "engine/hash.h"
#include "engine/token.h"

struct term_sink {
    struct ctx *ctx;
    struct terms *terms;
};

static enum wr_status emit(void *arg, struct slice term)
{
    struct term_sink *sink = arg;
    struct terms *terms = sink->terms;

    if (terms->count == terms->room) {
        uint32_t room = terms->room ? terms->room * 2 : 4;
        uint64_t *hashes = NEW_ARRAY(sink->ctx, uint64_t, room);
        if (!hashes)
            return WR_NOMEM;
        if (terms->count)
            memcpy(hashes, terms->hashes, terms->count * sizeof *hashes);
        terms->hashes = hashes;
        terms->room = room;
    }
    terms->hashes[terms->count++] = hash64(term);
    return WR_OK;
}

static int hash_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum wr_status index_terms(struct ctx *ctx, const struct index_shape *index, struct slice partition_key,
                           struct slice clustering, const struct row *row, struct terms *out)
{
    struct term_sink sink = { ctx, out };
    uint32_t kept = 0;

    *out = (struct terms){ 0 };
    if (!row)
        return WR_OK;
    TRY(index->terms(ctx, index->arg, partition_key, clustering, row, emit, &sink));
    if (out->count > 1)
        qsort(out->hashes, out->count, sizeof *out->hashes, hash_cmp);
    for (uint32_t i = 0; i < out->count; i++)
        if (kept == 0 || out->hashes[kept - 1] != out->hashes[i])
            out->hashes[kept++] = out->hashes[i];
    out->count = kept;
    return WR_OK;
}

bool index_parse(struct slice bytes, struct index_place *out)
{
    if (bytes.len < INDEX_BYTES_MIN)
        return false;
    out->hash = read_u64(bytes.data);
    out->token = (int64_t)(read_u64(bytes.data + 8) ^ UINT64_C(1) << 63);
    out->partition_id = read_u64(bytes.data + 16);
    out->clustering = slice_skip(bytes, INDEX_BYTES_MIN);
    return true;
}

enum wr_status index_bytes(struct ctx *ctx, const struct index_place *place, struct slice *out)
{
    size_t len = INDEX_BYTES_MIN + place->clustering.len;
    uint8_t *bytes = arena_alloc_raw(ctx->arena, len);

    if (!bytes)
        return fail_nomem(ctx);
    put_u64(bytes, place->hash);
    put_u64(bytes + 8, (uint64_t)place->token ^ UINT64_C(1) << 63);
    put_u64(bytes + 16, place->partition_id);
    if (place->clustering.len)
        memcpy(bytes + INDEX_BYTES_MIN, place->clustering.data, place->clustering.len);
    *out = slice_of(bytes, len);
    return WR_OK;
}

enum wr_status index_change(struct ctx *ctx, struct txn *txn, uint64_t index_id, struct place *place, struct slice clustering,
                            const struct terms *before, const struct terms *after)
{
    struct index_place at = { .partition_id = place->entry.id, .token = token_of(place->key), .clustering = clustering };
    struct slice bytes;

    for (uint32_t i = 0, j = 0; i < before->count || j < after->count;) {
        if (i < before->count && j < after->count && before->hashes[i] == after->hashes[j]) {
            i++;
            j++;
        } else if (j == after->count || (i < before->count && before->hashes[i] < after->hashes[j])) {
            at.hash = before->hashes[i++];
            TRY(index_bytes(ctx, &at, &bytes));
            TRY(wide_delete(ctx, txn, TREE_INDEX, index_id, bytes));
        } else {
            at.hash = after->hashes[j++];
            TRY(place_need_back(ctx, txn, place));
            TRY(index_bytes(ctx, &at, &bytes));
            TRY(wide_put(ctx, txn, TREE_INDEX, index_id, bytes, SLICE_EMPTY));
        }
    }
    return WR_OK;
}

/* ---- reading (scan.h) ---- */

struct index_scan {
    struct wide_cursor *cursor;
    struct txn *txn;
    struct arena arena; /* the key's bytes */
    uint64_t hash;
    uint64_t partition_id; /* whose key it is; 0: none yet */
    struct slice key;
    struct slice bytes; /* the entry the cursor stands on; null: at the end */
    bool open, fresh;   /* fresh: not given out yet */
};

enum wr_status index_scan_new(struct ctx *ctx, struct index_scan **out)
{
    struct index_scan *s = mem_alloc(sizeof *s);

    if (!s)
        return fail_nomem(ctx);
    arena_init(&s->arena);
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
    if (!s || !s->open)
        return;
    wide_close(s->cursor);
    s->open = false;
}

void index_scan_free(struct index_scan *s)
{
    if (!s)
        return;
    index_scan_close(s);
    wide_cursor_free(s->cursor);
    arena_release(&s->arena);
    mem_free(s);
}

/* The partition key of an id into the scan's own memory: a writer may write between two hits. */
static enum wr_status load_key(struct ctx *ctx, struct index_scan *s, uint64_t id)
{
    struct directory_place place;
    struct slice physical, bytes;
    struct entry entry;

    TRY(partition_back(ctx, s->txn, id, &physical));
    if (slice_is_null(physical) || !directory_key_parse(physical, &place))
        return fail_corrupt(ctx, "an index entry of no partition");
    if (physical.len == STORE_KEY_MAX) {
        TRY(store_get(ctx, s->txn, TREE_PARTITIONS, physical, &bytes));
        if (slice_is_null(bytes) || !entry_decode(bytes, &entry))
            return fail_corrupt(ctx, "an index entry of no partition");
        place.key = entry.key;
    }
    arena_reset(&s->arena);
    uint8_t *copy = arena_alloc_raw(&s->arena, place.key.len);
    if (!copy)
        return fail_nomem(ctx);
    if (place.key.len)
        memcpy(copy, place.key.data, place.key.len);
    s->key = slice_of(copy, place.key.len);
    s->partition_id = id;
    return WR_OK;
}

/* Seeks the first entry at or behind a place, a null one where it is of another term. */
static enum wr_status seek_entry(struct ctx *ctx, struct index_scan *s, const struct index_place *at, struct index_place *found)
{
    struct slice bytes, value;

    TRY(index_bytes(ctx, at, &bytes));
    TRY(wide_seek(ctx, s->cursor, bytes, &s->bytes, &value));
    s->fresh = true;
    if (slice_is_null(s->bytes))
        return WR_OK;
    if (!index_parse(s->bytes, found))
        return fail_corrupt(ctx, "an index entry");
    if (found->hash != s->hash)
        s->bytes = SLICE_NULL;
    return WR_OK;
}

/* Behind a hit: among the partitions of its token (there is hardly ever a second one) the one with its key. */
static enum wr_status seek_behind(struct ctx *ctx, struct index_scan *s, const struct index_hit *after)
{
    struct index_place at = { .hash = s->hash, .token = after->token }, found;

    for (;;) {
        TRY(seek_entry(ctx, s, &at, &found));
        if (slice_is_null(s->bytes) || found.token != after->token)
            return WR_OK;
        TRY(load_key(ctx, s, found.partition_id));
        if (slice_eq(s->key, after->partition_key))
            break;
        at.partition_id = found.partition_id + 1;
    }
    at.partition_id = found.partition_id;
    at.clustering = after->clustering;
    TRY(seek_entry(ctx, s, &at, &found));
    s->fresh = slice_is_null(s->bytes) || found.partition_id != at.partition_id ||
               !slice_eq(found.clustering, after->clustering);
    return WR_OK;
}

enum wr_status index_scan_open(struct ctx *ctx, struct index_scan *s, struct txn *txn, uint64_t index_id, struct slice term,
                               const struct index_hit *after)
{
    struct index_place first = { .token = INT64_MIN }, found;

    index_scan_close(s);
    s->txn = txn;
    s->hash = first.hash = hash64(term);
    s->partition_id = 0;
    TRY(wide_open(ctx, s->cursor, txn, TREE_INDEX, index_id));
    s->open = true;
    return after ? seek_behind(ctx, s, after) : seek_entry(ctx, s, &first, &found);
}

enum wr_status index_scan_next(struct ctx *ctx, struct index_scan *s, struct index_hit *out, bool *found)
{
    struct index_place place;
    struct slice value;

    *found = false;
    if (!s->open)
        return WR_OK;
    if (!s->fresh && !slice_is_null(s->bytes))
        TRY(wide_next(ctx, s->cursor, &s->bytes, &value));
    s->fresh = false;
    if (slice_is_null(s->bytes)) {
        index_scan_close(s);
        return WR_OK;
    }
    if (!index_parse(s->bytes, &place))
        return fail_corrupt(ctx, "an index entry");
    if (place.hash != s->hash) {
        index_scan_close(s);
        return WR_OK;
    }
    if (place.partition_id != s->partition_id)
        TRY(load_key(ctx, s, place.partition_id));
    *out = (struct index_hit){ .token = place.token, .partition_key = s->key, .clustering = place.clustering };
    *found = true;
    return WR_OK;
}
