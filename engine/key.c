#include "engine/key.h"

#include <assert.h>

#include "engine/coding.h"
#include "engine/pack.h"

/*
 * A physical key of STORE_KEY_MAX bytes leads to a layer; all others hold a value. So no tag is needed to tell them
 * apart, and values are stored as they are given.
 */
enum {
    LAYER_BYTES = STORE_KEY_MAX - ID_BYTES,
    DEPTH_MAX = WIDE_BYTES_MAX / LAYER_BYTES,
};

struct physical {
    uint8_t bytes[STORE_KEY_MAX];
    size_t len;
};

/* [id][bytes], of which no more than LAYER_BYTES are taken. */
static struct slice physical_key(struct physical *key, uint64_t id, struct slice bytes)
{
    size_t n = bytes.len < LAYER_BYTES ? bytes.len : LAYER_BYTES;
    put_u64(key->bytes, id);
    if (n)
        memcpy(key->bytes + ID_BYTES, bytes.data, n);
    return slice_of(key->bytes, ID_BYTES + n);
}

static inline bool is_layer(struct slice piece)
{
    return piece.len == LAYER_BYTES;
}

static enum wr_status read_layer(struct ctx *ctx, struct slice value, uint64_t *id)
{
    if (value.len != ID_BYTES)
        return fail_corrupt(ctx, "the id of a layer of long keys has a wrong length");
    *id = read_u64(value.data);
    return WR_OK;
}

static enum wr_status check_length(struct ctx *ctx, struct slice bytes)
{
    if (bytes.len > WIDE_BYTES_MAX)
        return fail(ctx, WR_INVALID, "Key length of %zu is longer than maximum of %d", bytes.len, WIDE_BYTES_MAX);
    return WR_OK;
}

/* ---- one entry ---- */

enum wr_status wide_get(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes,
                        struct slice *out)
{
    struct physical key;
    struct slice value;

    for (; bytes.len >= LAYER_BYTES; bytes = slice_skip(bytes, LAYER_BYTES)) {
        TRY(store_get(ctx, txn, tree, physical_key(&key, id, bytes), &value));
        if (slice_is_null(value)) {
            *out = SLICE_NULL;
            return WR_OK;
        }
        TRY(read_layer(ctx, value, &id));
    }
    return store_get(ctx, txn, tree, physical_key(&key, id, bytes), out);
}

enum wr_status wide_get_some(struct ctx *ctx, struct txn *txn, enum tree tree, struct wide_wanted *wanted, uint32_t count)
{
    struct wanted_entry short_ones[STORE_SOME];
    uint32_t of[STORE_SOME], n = 0;

    assert(count <= STORE_SOME);
    for (uint32_t i = 0; i < count; i++) {
        if (wanted[i].bytes.len >= LAYER_BYTES) {
            TRY(wide_get(ctx, txn, tree, wanted[i].id, wanted[i].bytes, &wanted[i].value));
        } else {
            of[n] = i;
            short_ones[n++] = (struct wanted_entry){ .id = wanted[i].id, .piece = wanted[i].bytes };
        }
    }
    TRY(store_get_some(ctx, txn, tree, short_ones, n));
    for (uint32_t i = 0; i < n; i++)
        wanted[of[i]].value = short_ones[i].value;
    return WR_OK;
}

/* Down to the layer that holds the last piece of *bytes, making layers on the way. */
static enum wr_status make_layers(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t *id, struct slice *bytes)
{
    struct physical key;
    struct slice value;
    uint8_t layer[ID_BYTES];

    TRY(check_length(ctx, *bytes));
    for (; bytes->len >= LAYER_BYTES; *bytes = slice_skip(*bytes, LAYER_BYTES)) {
        struct slice at = physical_key(&key, *id, *bytes);
        TRY(store_get(ctx, txn, tree, at, &value));
        if (slice_is_null(value)) {
            TRY(txn_next_id(ctx, txn, id));
            put_u64(layer, *id);
            TRY(store_put(ctx, txn, tree, at, slice_of(layer, ID_BYTES)));
        } else {
            TRY(read_layer(ctx, value, id));
        }
    }
    return WR_OK;
}

enum wr_status wide_put(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes,
                        struct slice value)
{
    struct physical key;

    TRY(make_layers(ctx, txn, tree, &id, &bytes));
    return store_put(ctx, txn, tree, physical_key(&key, id, bytes), value);
}

enum wr_status wide_insert(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes, struct slice value,
                           bool *inserted, struct slice *there)
{
    struct physical key;

    *inserted = false;
    *there = SLICE_NULL;
    if (bytes.len >= LAYER_BYTES)
        return WR_OK;
    TRY(store_insert(ctx, txn, tree, physical_key(&key, id, bytes), value, there));
    *inserted = slice_is_null(*there);
    return WR_OK;
}

enum wr_status wide_reserve(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes,
                            size_t len, uint8_t **out)
{
    struct physical key;

    TRY(make_layers(ctx, txn, tree, &id, &bytes));
    return store_reserve(ctx, txn, tree, physical_key(&key, id, bytes), len, out);
}

static enum wr_status layer_is_empty(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, bool *out)
{
    struct pack_cursor c;
    struct physical at;
    struct packed first;

    c.cursor.txn = NULL;
    TRY(pack_open(ctx, &c, txn, tree));
    enum wr_status st = pack_seek(ctx, &c, physical_key(&at, id, SLICE_EMPTY), &first);
    *out = first.id != id;
    pack_close(&c);
    return st;
}

enum wr_status wide_delete(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes)
{
    uint64_t ids[DEPTH_MAX + 1];
    struct physical key;
    struct slice value, rest = bytes;
    size_t depth = 0;
    bool empty;

    TRY(check_length(ctx, bytes));
    ids[0] = id;
    for (; rest.len >= LAYER_BYTES; rest = slice_skip(rest, LAYER_BYTES)) {
        TRY(store_get(ctx, txn, tree, physical_key(&key, ids[depth], rest), &value));
        if (slice_is_null(value))
            return WR_OK;
        TRY(read_layer(ctx, value, &ids[depth + 1]));
        depth++;
    }
    TRY(store_delete(ctx, txn, tree, physical_key(&key, ids[depth], rest)));
    for (; depth > 0; depth--) {
        TRY(layer_is_empty(ctx, txn, tree, ids[depth], &empty));
        if (!empty)
            return WR_OK;
        rest = slice_skip(bytes, (depth - 1) * LAYER_BYTES);
        TRY(store_delete(ctx, txn, tree, physical_key(&key, ids[depth - 1], rest)));
    }
    return WR_OK;
}

/* ---- many entries ---- */

enum wr_status wide_sift(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice start, struct slice end,
                         struct sieve *sieve)
{
    if (start.len > LAYER_BYTES)
        start.len = LAYER_BYTES; /* nothing short lies between a long one and the place in this layer that leads to it */
    return store_sift(ctx, txn, tree, id, start, end, sieve);
}

/* Removes entries from the first of layers[*depth] on; goes down into a layer (*depth grows) or, where it finds none
 * left, up. */
static enum wr_status clear_step(struct ctx *ctx, struct pack_cursor *c, uint64_t *layers, size_t *depth, uint64_t *budget,
                                 bool *done)
{
    struct physical at;
    struct packed there;
    uint64_t id = layers[*depth];

    TRY(pack_seek(ctx, c, physical_key(&at, id, SLICE_EMPTY), &there));
    while (*budget > 0 && there.id == id) {
        if (is_layer(there.piece)) {
            if (*depth == DEPTH_MAX)
                return fail_corrupt(ctx, "layers of long keys lead to one another");
            TRY(read_layer(ctx, there.value, &layers[*depth + 1]));
            ++*depth;
            return WR_OK;
        }
        TRY(pack_remove(ctx, c));
        --*budget;
        TRY(pack_next(ctx, c, &there));
    }
    if (*budget == 0)
        return WR_OK;
    *done = *depth == 0;
    if (*done)
        return WR_OK;
    /* The layer is empty. What led to it is the first entry of the layer above, since clearing goes in order. */
    --*depth;
    TRY(pack_seek(ctx, c, physical_key(&at, layers[*depth], SLICE_EMPTY), &there));
    if (!is_layer(there.piece) || there.id != layers[*depth])
        return fail_corrupt(ctx, "a layer of long keys has lost the entry that leads to it");
    TRY(pack_remove(ctx, c));
    --*budget;
    return WR_OK;
}

enum wr_status wide_clear(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, uint64_t *budget)
{
    uint64_t layers[DEPTH_MAX + 1];
    struct pack_cursor c;
    size_t depth = 0;
    bool done = false;
    enum wr_status st;

    layers[0] = id;
    c.cursor.txn = NULL;
    TRY_OUT(pack_open(ctx, &c, txn, tree));
    while (*budget > 0 && !done)
        TRY_OUT(clear_step(ctx, &c, layers, &depth, budget, &done));
out:
    pack_close(&c);
    return st;
}

/* ---- a cursor ---- */

/*
 * Stands in layer layers[depth]; path holds the pieces (LAYER_BYTES each) that led there, and behind them room for the
 * last piece, so that a long key comes out in one run of bytes. Leaving a layer looks for its place in the one above
 * again: long keys are rare, and the place may have moved under writes.
 */
struct wide_cursor {
    struct pack_cursor cursor;
    size_t depth;
    uint8_t *path; /* from the heap; NULL before the first long key */
    size_t path_room;
    uint64_t layers[DEPTH_MAX + 1];
};

enum wr_status wide_cursor_new(struct ctx *ctx, struct wide_cursor **out)
{
    struct wide_cursor *c = mem_alloc(sizeof *c);
    if (!c)
        return fail_nomem(ctx);
    *out = c;
    return WR_OK;
}

void wide_cursor_free(struct wide_cursor *c)
{
    if (!c)
        return;
    pack_close(&c->cursor);
    mem_free(c->path);
    mem_free(c);
}

enum wr_status wide_open(struct ctx *ctx, struct wide_cursor *c, struct txn *txn, enum tree tree, uint64_t id)
{
    pack_close(&c->cursor);
    TRY(pack_open(ctx, &c->cursor, txn, tree));
    wide_turn(c, id);
    return WR_OK;
}

void wide_turn(struct wide_cursor *c, uint64_t id)
{
    c->cursor.cursor.pages = 0; /* another walk */
    pack_leave(&c->cursor);
    c->layers[0] = id;
    c->depth = 0;
}

void wide_enter(struct wide_cursor *c, const struct known_chunk *chunk)
{
    (void)pack_enter(&c->cursor, c->layers[0], chunk); /* else it is found as any other, and so is what is wrong with it */
}

void wide_close(struct wide_cursor *c)
{
    pack_close(&c->cursor);
}

/* Down into the layer that `value` leads to; piece is what of the key leads there. */
static enum wr_status descend(struct ctx *ctx, struct wide_cursor *c, const uint8_t *piece, struct slice value)
{
    uint64_t id = 0;

    TRY(read_layer(ctx, value, &id));
    if (c->depth == DEPTH_MAX)
        return fail_corrupt(ctx, "layers of long keys lead to one another");
    size_t need = (c->depth + 2) * LAYER_BYTES;
    if (c->path_room < need) {
        uint8_t *path = mem_realloc(c->path, need * 2);
        if (!path)
            return fail_nomem(ctx);
        c->path = path;
        c->path_room = need * 2;
    }
    memmove(c->path + c->depth * LAYER_BYTES, piece, LAYER_BYTES); /* the key looked for may be the cursor's own */
    c->layers[++c->depth] = id;
    return WR_OK;
}

/* The place of the current layer in the one above, which becomes the current one. */
static struct slice ascend(struct wide_cursor *c, struct physical *at)
{
    c->depth--;
    return physical_key(at, c->layers[c->depth], slice_of(c->path + c->depth * LAYER_BYTES, LAYER_BYTES));
}

static bool in_layer(const struct wide_cursor *c, const struct packed *at)
{
    return at->id == c->layers[c->depth];
}

static void show(struct wide_cursor *c, const struct packed *at, struct slice *bytes, struct slice *value)
{
    *bytes = at->piece;
    *value = at->value;
    if (c->depth) {
        memcpy(c->path + c->depth * LAYER_BYTES, bytes->data, bytes->len);
        *bytes = slice_of(c->path, c->depth * LAYER_BYTES + bytes->len);
    }
}

static enum wr_status seek_first(struct ctx *ctx, struct wide_cursor *c, struct packed *there)
{
    struct physical at;
    return pack_seek(ctx, &c->cursor, physical_key(&at, c->layers[c->depth], SLICE_EMPTY), there);
}

/* Before everything in the layer behind the current one: ids are given upwards from 1 and never reach the last number. */
static enum wr_status seek_last(struct ctx *ctx, struct wide_cursor *c, struct packed *there)
{
    struct physical at;
    return pack_seek_before(ctx, &c->cursor, physical_key(&at, c->layers[c->depth] + 1, SLICE_EMPTY), there);
}

static enum wr_status seek_behind(struct ctx *ctx, struct wide_cursor *c, struct slice place, struct packed *there)
{
    TRY(pack_seek(ctx, &c->cursor, place, there));
    bool is_there = in_layer(c, there) && slice_eq(there->piece, slice_skip(place, ID_BYTES)); /* else the layer is gone, and this is the entry behind it */
    return is_there ? pack_next(ctx, &c->cursor, there) : WR_OK;
}

/* From the physical entry arrived at to the entry it means, going down into layers and, at the end of one, up and on. */
static inline __attribute__((always_inline)) enum wr_status settle(struct ctx *ctx, struct wide_cursor *c, bool forward, struct packed *there,
                                                                   struct slice *bytes, struct slice *value)
{
    struct physical at;

    for (;;) {
        if (in_layer(c, there)) {
            if (!is_layer(there->piece)) {
                show(c, there, bytes, value);
                return WR_OK;
            }
            TRY(descend(ctx, c, there->piece.data, there->value));
            TRY((forward ? seek_first : seek_last)(ctx, c, there));
            continue;
        }
        if (c->depth == 0) {
            *bytes = *value = SLICE_NULL;
            return WR_OK;
        }
        struct slice place = ascend(c, &at);
        TRY(forward ? seek_behind(ctx, c, place, there) : pack_seek_before(ctx, &c->cursor, place, there));
    }
}

static enum wr_status settle_forward(struct ctx *ctx, struct wide_cursor *c, struct packed *there, struct slice *bytes, struct slice *value)
{
    return settle(ctx, c, true, there, bytes, value);
}

static enum wr_status settle_backward(struct ctx *ctx, struct wide_cursor *c, struct packed *there, struct slice *bytes, struct slice *value)
{
    return settle(ctx, c, false, there, bytes, value);
}

/* Follows `at` down as far as layers lead; *rest is what is left to look for in the layer arrived at. */
static enum wr_status follow(struct ctx *ctx, struct wide_cursor *c, struct slice at, struct slice *rest)
{
    struct physical physical;
    struct slice value;

    c->depth = 0;
    for (*rest = at; rest->len >= LAYER_BYTES; *rest = slice_skip(*rest, LAYER_BYTES)) {
        struct slice key = physical_key(&physical, c->layers[c->depth], *rest);
        TRY(store_get(ctx, c->cursor.cursor.txn, c->cursor.cursor.tree, key, &value));
        if (slice_is_null(value))
            return WR_OK;
        TRY(descend(ctx, c, rest->data, value));
    }
    return WR_OK;
}

enum wr_status wide_seek(struct ctx *ctx, struct wide_cursor *c, struct slice at, struct slice *bytes,
                         struct slice *value)
{
    struct physical physical;
    struct packed there;
    struct slice rest;

    TRY(follow(ctx, c, at, &rest));
    TRY(pack_seek(ctx, &c->cursor, physical_key(&physical, c->layers[c->depth], rest), &there));
    return settle_forward(ctx, c, &there, bytes, value);
}

enum wr_status wide_seek_before(struct ctx *ctx, struct wide_cursor *c, struct slice at, struct slice *bytes,
                                struct slice *value)
{
    struct physical physical;
    struct packed there;
    struct slice rest;

    if (slice_is_null(at)) {
        c->depth = 0;
        TRY(seek_last(ctx, c, &there));
    } else {
        TRY(follow(ctx, c, at, &rest));
        TRY(pack_seek_before(ctx, &c->cursor, physical_key(&physical, c->layers[c->depth], rest), &there));
    }
    return settle_backward(ctx, c, &there, bytes, value);
}

/* The way of nearly all moves: from a short key to another of the same id. */
static inline bool is_plain_step(const struct wide_cursor *c, const struct packed *at)
{
    return c->depth == 0 && in_layer(c, at) && !is_layer(at->piece);
}

struct pack_cursor *wide_within(struct wide_cursor *c)
{
    return c->depth ? NULL : &c->cursor;
}

enum wr_status wide_next(struct ctx *ctx, struct wide_cursor *c, struct slice *bytes, struct slice *value)
{
    struct packed there;

    TRY(pack_next(ctx, &c->cursor, &there));
    if (!is_plain_step(c, &there))
        return settle_forward(ctx, c, &there, bytes, value);
    *bytes = there.piece;
    *value = there.value;
    return WR_OK;
}

enum wr_status wide_prev(struct ctx *ctx, struct wide_cursor *c, struct slice *bytes, struct slice *value)
{
    struct packed there;

    TRY(pack_prev(ctx, &c->cursor, &there));
    if (!is_plain_step(c, &there))
        return settle_backward(ctx, c, &there, bytes, value);
    *bytes = there.piece;
    *value = there.value;
    return WR_OK;
}
