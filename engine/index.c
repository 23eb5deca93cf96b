#include "engine/index.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/coding.h"
#include "engine/hash.h"
#include "engine/token.h"

enum { PLACE_BYTES = 16 }; /* token and partition id */

/* ---- terms ---- */

enum wr_status index_term_stored(struct ctx *ctx, struct slice term, struct slice *out)
{
    bool cut = term.len > TERM_BYTES_MAX;
    size_t kept = cut ? TERM_BYTES_MAX : term.len;
    uint8_t *bytes = arena_alloc_raw(ctx->arena, TERM_BYTES_MAX + TERM_HASH_BYTES);

    if (!bytes)
        return fail_nomem(ctx);
    if (kept)
        memcpy(bytes, term.data, kept);
    if (cut)
        put_u64(bytes + kept, hash64(term));
    *out = slice_of(bytes, cut ? kept + TERM_HASH_BYTES : kept);
    return WR_OK;
}

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
        struct slice *list = NEW_ARRAY(sink->ctx, struct slice, room);
        if (!list)
            return WR_NOMEM;
        if (terms->count)
            memcpy(list, terms->list, terms->count * sizeof *list);
        terms->list = list;
        terms->room = room;
    }
    return index_term_stored(sink->ctx, term, &terms->list[terms->count++]);
}

enum wr_status index_terms(struct ctx *ctx, const struct index_shape *index, struct slice partition_key,
                           struct slice clustering, const struct row *row, struct terms *out)
{
    struct term_sink sink = { ctx, out };
    uint32_t kept = 0;

    *out = (struct terms){ .sketch = SLICE_EMPTY };
    if (!row)
        return WR_OK;
    TRY(index->terms(ctx, index->arg, partition_key, clustering, row, emit, &sink));
    if (out->count > 1)
        qsort(out->list, out->count, sizeof *out->list, slices_cmp);
    for (uint32_t i = 0; i < out->count; i++)
        if (kept == 0 || !slice_eq(out->list[kept - 1], out->list[i]))
            out->list[kept++] = out->list[i];
    out->count = kept;
    assert(!index->sketch || kept <= 1);
    if (index->sketch && kept)
        out->sketched = index->sketched(index->arg, row);
    return WR_OK;
}

enum wr_status index_sketch(struct ctx *ctx, const struct index_shape *index, struct terms *terms)
{
    return index->sketch && terms->count ? index->sketch(ctx, index->arg, terms->sketched, &terms->sketch) : WR_OK;
}

enum wr_status index_sketch_change(struct ctx *ctx, const struct index_shape *index, struct terms *before, struct terms *after)
{
    if (index->sketch && before->count && after->count && slice_eq(before->list[0], after->list[0])) {
        if (slice_eq(before->sketched, after->sketched))
            return WR_OK;
        before->count = 0;
    }
    return index_sketch(ctx, index, after);
}

/* ---- entries ---- */

bool index_parse(struct slice bytes, struct slice value, struct index_place *out)
{
    if (value.len < 1 || value.data[0] > TERM_BYTES_MAX + TERM_HASH_BYTES || bytes.len < (size_t)value.data[0] + PLACE_BYTES)
        return false;
    out->term = slice_of(bytes.data, value.data[0]);
    bytes = slice_skip(bytes, value.data[0]);
    out->token = token_from_order(read_u64(bytes.data));
    out->partition_id = read_u64(bytes.data + 8);
    out->clustering = slice_skip(bytes, PLACE_BYTES);
    out->sketch = slice_skip(value, 1);
    return true;
}

enum wr_status index_bytes(struct ctx *ctx, const struct index_place *place, struct slice *out)
{
    size_t term_len = place->term.len, len = term_len + PLACE_BYTES + place->clustering.len;
    uint8_t *bytes = arena_alloc_raw(ctx->arena, len);

    assert(term_len <= TERM_BYTES_MAX + TERM_HASH_BYTES);
    if (!bytes)
        return fail_nomem(ctx);
    if (term_len)
        memcpy(bytes, place->term.data, term_len);
    put_u64(bytes + term_len, token_order(place->token));
    put_u64(bytes + term_len + 8, place->partition_id);
    if (place->clustering.len)
        memcpy(bytes + term_len + PLACE_BYTES, place->clustering.data, place->clustering.len);
    *out = slice_of(bytes, len);
    return WR_OK;
}

enum wr_status index_put(struct ctx *ctx, struct txn *txn, uint64_t index_id, struct slice bytes, uint8_t term_len, struct slice sketch)
{
    uint8_t *value;

    if (!sketch.len)
        return wide_put(ctx, txn, TREE_INDEX, index_id, bytes, slice_of(&term_len, 1));
    TRY(wide_reserve(ctx, txn, TREE_INDEX, index_id, bytes, 1 + sketch.len, &value));
    value[0] = term_len;
    memcpy(value + 1, sketch.data, sketch.len);
    return WR_OK;
}

enum wr_status index_change(struct ctx *ctx, struct txn *txn, uint64_t index_id, const struct place *place, struct slice clustering,
                            const struct terms *before, const struct terms *after)
{
    struct index_place at = { .partition_id = place->entry.id, .token = token_of(place->key), .clustering = clustering };
    struct slice bytes;

    for (uint32_t i = 0, j = 0; i < before->count || j < after->count;) {
        int c = i == before->count ? 1 : j == after->count ? -1 : slice_cmp(before->list[i], after->list[j]);
        if (c == 0) {
            i++;
            j++;
        } else if (c < 0) {
            at.term = before->list[i++];
            TRY(index_bytes(ctx, &at, &bytes));
            TRY(wide_delete(ctx, txn, TREE_INDEX, index_id, bytes));
        } else {
            at.term = after->list[j++];
            TRY(index_bytes(ctx, &at, &bytes));
            TRY(index_put(ctx, txn, index_id, bytes, (uint8_t)at.term.len, after->sketch));
        }
    }
    return WR_OK;
}
