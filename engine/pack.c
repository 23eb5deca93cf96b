#include "engine/pack.h"

#include "engine/look.h"
#include "engine/readahead.h"

/* ---- looking ---- */

/* Of the last chunk at or before the key: whether the key's entry may be in it. */
static inline int take_floor(const struct txn *txn, struct slice at, MDB_val value, struct found *out)
{
    if (pack_id(out->key) != read_u64(at.data)) /* the first one will be put into that leaf, mostly */
        return MDB_NOTFOUND;
    return value_is_sound(txn, out->key, value) && chunk_open(slice_of_val(value), &out->chunk) ? 0 : MDB_CORRUPTED;
}

int pack_find(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice at, struct found *out)
{
    MDB_val value;
    int code = trust_way(txn, tree, at);

    if (!code)
        code = look_floor_of(cursor, at, FLOOR_AT, &out->key, &value, &out->is_last);
    return code ? code : take_floor(txn, at, value, out);
}

int pack_find_by(struct cursor *c, struct slice at, struct found *out)
{
    MDB_val value;
    int code = look_floor(c, at, FLOOR_AT, &out->key, &value);

    return code ? code : take_floor(c->txn, at, value, out);
}

bool pack_in_last(struct txn *txn, struct slice key, struct chunk *out, uint32_t *at, bool *exact)
{
    const uint8_t *bytes = own_last(txn->own, read_u64(key.data));

    return bytes && chunk_open(slice_of(bytes, CHUNK_BYTES), out) && chunk_find(out, pack_piece(key), at, exact) && (*at > 0 || *exact);
}

/* The finder's chunk again, if it is of the id and nothing has become of it but what was done where it lies. */
static bool is_at(const struct txn *txn, struct finder *f, uint64_t id)
{
    MDB_val value;

    if (!f->stands || f->id != id || f->changes != txn->own->chunk_changes || !own_lies_still(txn->own))
        return false;
    if (f->moved && environment_look(f->cursor, &f->found.key, &value, MDB_GET_CURRENT))
        return false;
    f->moved = false;
    return chunk_open(slice_of(f->found.chunk.bytes, f->found.chunk.len), &f->found.chunk);
}

/* Whether that chunk has the key's entry if any has; then its place in there. */
static bool has_found(const struct txn *txn, struct slice key, struct finder *f, uint32_t *at, bool *exact)
{
    return is_at(txn, f, read_u64(key.data)) && slice_cmp(slice_of_val(f->found.key), key) <= 0 &&
           chunk_find(&f->found.chunk, pack_piece(key), at, exact) && (*at < f->found.chunk.count || f->found.is_last);
}

int pack_look(struct txn *txn, enum tree tree, struct slice key, MDB_cursor **cursor, const struct found **out, uint32_t *at, bool *exact)
{
    struct finder *f = &txn->finder;
    int code = f->cursor ? 0 : environment_cursor(txn, tree, &f->cursor);

    if (code)
        return code;
    *exact = false;
    *at = 0;
    if (!has_found(txn, key, f, at, exact)) {
        f->stands = false;
        code = pack_find(txn, tree, f->cursor, key, &f->found);
        if (!code && !chunk_find(&f->found.chunk, pack_piece(key), at, exact))
            code = MDB_CORRUPTED;
        f->stands = !code;
        f->moved = false;
        f->id = read_u64(key.data);
        f->changes = txn->own->chunk_changes;
    }
    *cursor = f->cursor;
    *out = &f->found;
    return code;
}

void pack_stay(struct txn *txn, MDB_cursor *cursor, MDB_val chunk, bool is_last)
{
    struct finder *f = &txn->finder;

    if (cursor != f->cursor)
        return;
    f->found.chunk.bytes = chunk.mv_data;
    f->found.chunk.len = chunk.mv_size;
    f->found.is_last = is_last;
    f->changes = txn->own->chunk_changes;
    f->moved = true;
}

static int find_here(struct txn *txn, enum tree tree, struct slice key, struct found *out)
{
    struct cursor c;
    int code = look_open(txn, tree, &c);

    if (code)
        return code;
    code = pack_find_by(&c, key, out);
    look_close(&c);
    return code;
}

static int find_entry(struct txn *txn, enum tree tree, struct slice key, struct found *out, uint32_t *at, bool *exact)
{
    const struct found *found;
    MDB_cursor *cursor;

    if (txn->write) {
        int looked = pack_look(txn, tree, key, &cursor, &found, at, exact);
        if (!looked)
            *out = *found;
        return looked;
    }
    int code = find_here(txn, tree, key, out);
    return code || chunk_find(&out->chunk, pack_piece(key), at, exact) ? code : MDB_CORRUPTED;
}

int pack_get(struct txn *txn, enum tree tree, struct slice key, MDB_val *value)
{
    struct slice there, bytes;
    struct found found;
    uint32_t at = 0;
    bool exact = false;

    int code = txn->write && pack_in_last(txn, key, &found.chunk, &at, &exact) ? 0 : find_entry(txn, tree, key, &found, &at, &exact);
    if (code || !exact)
        return code ? code : MDB_NOTFOUND;
    if (!chunk_entry(&found.chunk, at, &there, &bytes))
        return MDB_CORRUPTED;
    *value = val_of(bytes);
    return 0;
}

/* ---- a chunk for itself ---- */

bool pack_enter(struct pack_cursor *c, uint64_t id, const struct known_chunk *chunk)
{
    struct chunk opened;

    if (!chunk_open(chunk->bytes, &opened))
        return false;
    c->chunk = opened;
    c->id = id;
    c->alone = chunk->alone;
    c->is_last = chunk->is_last;
    c->ahead = chunk->alone ? PACK_HERE : PACK_APART;
    c->ahead_key = chunk->key;
    return true;
}

/* Whether the end of the id that is sought is in the chunk that was given. */
static bool has_end(const struct pack_cursor *c, uint64_t id, bool last)
{
    return c->ahead == PACK_APART && c->id == id && c->is_last == last;
}

/* `cursor` to that chunk. */
static int come_here(struct pack_cursor *c)
{
    MDB_val k, v;
    int code = look_at(&c->cursor, c->ahead_key, &k, &v);

    c->ahead = PACK_HERE;
    return code == MDB_NOTFOUND ? MDB_CORRUPTED : code;
}

static int seek_alone(struct pack_cursor *c, struct slice key)
{
    bool exact;

    if (!chunk_find(&c->chunk, pack_piece(key), &c->at, &exact))
        return MDB_CORRUPTED;
    return c->at < c->chunk.count ? 0 : MDB_NOTFOUND;
}

static int seek_alone_before(struct pack_cursor *c, struct slice key)
{
    uint32_t at = c->chunk.count;
    bool exact;

    if (c->id == read_u64(key.data) && !chunk_find(&c->chunk, pack_piece(key), &at, &exact))
        return MDB_CORRUPTED;
    if (at == 0)
        return MDB_NOTFOUND;
    c->at = at - 1;
    return 0;
}

/* ---- cursors ---- */

enum wr_status pack_open(struct ctx *ctx, struct pack_cursor *c, struct txn *txn, enum tree tree)
{
    c->alone = false;
    c->chunk.count = 0;
    c->at = 0;
    c->ahead = PACK_HERE;
    c->follows = !txn_is_still(txn);
    return cursor_open(ctx, &c->cursor, txn, tree);
}

void pack_close(struct pack_cursor *c)
{
    cursor_close(&c->cursor);
}

static bool is_plain(const struct pack_cursor *c)
{
    return !tree_is_packed(c->cursor.tree);
}

/* At the chunk's first entry, or its last. */
static int enter(struct pack_cursor *c, MDB_val key, MDB_val value, bool last)
{
    if (!chunk_open(slice_of_val(value), &c->chunk))
        return MDB_CORRUPTED;
    c->id = pack_id(key);
    c->at = last ? c->chunk.count - 1 : 0;
    return 0;
}

enum { FETCHED = 12 * LINE_BYTES };

void pack_fetch(struct slice chunk, bool back)
{
    size_t from = back || chunk.len < FETCHED ? 0 : chunk.len - FETCHED, to = from + FETCHED;

    __builtin_prefetch(chunk.data);
    for (size_t at = from; at < to && at < chunk.len; at += LINE_BYTES)
        __builtin_prefetch(chunk.data + at);
}

void pack_look_ahead(struct pack_cursor *c, bool back)
{
    MDB_val k, v;

    if ((c->ahead != PACK_HERE && c->ahead != PACK_APART) || c->alone || is_plain(c))
        return;
    int code = c->ahead == PACK_APART ? come_here(c) : 0;
    if (!code)
        code = look_step(&c->cursor, back, &k, &v);
    bool none = code == MDB_NOTFOUND;
    if (none) /* LMDB's cursor stands nowhere */
        code = look_end(&c->cursor, !back, &k, &v);
    if (code) { /* told when it is stepped to */
        c->ahead = PACK_LOST;
        environment_spoil(c->cursor.txn);
    }
    if (code || none)
        return;
    c->ahead = back ? PACK_BEFORE : PACK_BEHIND;
    c->ahead_key = slice_of_val(k);
    c->ahead_value = slice_of_val(v);
    pack_fetch(c->ahead_value, back);
}

/* To the chunk behind this one, or before it. */
static int enter_far(struct pack_cursor *c, bool back)
{
    MDB_val k = val_of(c->ahead_key), v = val_of(c->ahead_value);
    int code = c->ahead == PACK_LOST ? MDB_CORRUPTED : c->alone ? MDB_NOTFOUND : c->ahead == PACK_APART ? come_here(c) : 0;

    if (!code && c->ahead != (back ? PACK_BEFORE : PACK_BEHIND)) {
        if (c->ahead != PACK_HERE)
            code = look_step(&c->cursor, back, &k, &v); /* it looked the other way */
        if (!code)
            code = look_step(&c->cursor, back, &k, &v);
    }
    c->ahead = PACK_HERE;
    if (code)
        return code;
    readahead_walk(&c->cursor, v);
    return enter(c, k, v, back);
}

/* No chunk of an id is before the id itself: the first one from there on has its first entry, or is another's. */
static int seek_id(struct pack_cursor *c, struct slice id)
{
    MDB_val k, v;
    int code = look_from(&c->cursor, id, &k, &v);

    return code ? code : enter(c, k, v, false);
}

static int seek(struct pack_cursor *c, struct slice key)
{
    MDB_val k, v;
    bool exact;

    if (key.len == ID_BYTES)
        return seek_id(c, key);
    int code = look_floor(&c->cursor, key, FLOOR_AT, &k, &v);

    if (code == MDB_NOTFOUND) { /* all there is is behind it */
        code = look_end(&c->cursor, false, &k, &v);
        return code ? code : enter(c, k, v, false);
    }
    if (code || (code = enter(c, k, v, false)))
        return code;
    if (c->id != read_u64(key.data))
        return enter_far(c, false);
    if (!chunk_find(&c->chunk, pack_piece(key), &c->at, &exact))
        return MDB_CORRUPTED;
    return c->at == c->chunk.count ? enter_far(c, false) : 0;
}

static int seek_before(struct pack_cursor *c, struct slice key)
{
    MDB_val k, v;
    bool exact;
    int code = look_floor(&c->cursor, key, FLOOR_BEFORE, &k, &v); /* one of this key has nothing before it */

    if (code || (code = enter(c, k, v, true)) || c->id != read_u64(key.data))
        return code;
    if (!chunk_find(&c->chunk, pack_piece(key), &c->at, &exact))
        return MDB_CORRUPTED;
    if (c->at == 0)
        return enter_far(c, true);
    c->at--;
    return 0;
}

/* What the cursor stands on, or none. */
static enum wr_status arrive(struct ctx *ctx, struct pack_cursor *c, int code, struct packed *out)
{
    if (code == MDB_NOTFOUND) {
        *out = (struct packed){ 0 };
        return WR_OK;
    }
    if (!code && !chunk_entry(&c->chunk, c->at, &out->piece, &out->value))
        code = MDB_CORRUPTED;
    if (code)
        return fail_txn(ctx, c->cursor.txn, code);
    out->id = c->id;
    if (c->follows) {
        put_u64(c->key, c->id);
        memcpy(c->key + ID_BYTES, out->piece.data, out->piece.len);
        c->key_len = ID_BYTES + out->piece.len;
        c->changes = c->cursor.txn->changes;
    }
    return WR_OK;
}

/* What the cursor of such a tree has moved to. */
static enum wr_status arrive_plain(enum wr_status st, struct slice key, struct slice value, struct packed *out)
{
    if (st == WR_OK)
        *out = key.len < ID_BYTES ? (struct packed){ 0 } : (struct packed){ read_u64(key.data), pack_piece(key), value };
    return st;
}

enum wr_status pack_seek(struct ctx *ctx, struct pack_cursor *c, struct slice key, struct packed *out)
{
    struct slice k, v;

    if (is_plain(c)) {
        enum wr_status st = cursor_seek(ctx, &c->cursor, key, &k, &v);
        return arrive_plain(st, k, v, out);
    }
    TRY(may_move(ctx));
    if (key.len == ID_BYTES && has_end(c, read_u64(key.data), false)) {
        c->at = 0;
        return arrive(ctx, c, 0, out);
    }
    c->ahead = PACK_HERE;
    c->alone = c->alone && c->id == read_u64(key.data);
    return arrive(ctx, c, c->alone ? seek_alone(c, key) : seek(c, key), out);
}

enum wr_status pack_seek_before(struct ctx *ctx, struct pack_cursor *c, struct slice key, struct packed *out)
{
    struct slice k, v;

    if (is_plain(c)) {
        enum wr_status st = cursor_seek_before(ctx, &c->cursor, key, &k, &v);
        return arrive_plain(st, k, v, out);
    }
    TRY(may_move(ctx));
    bool ends = key.len == ID_BYTES && read_u64(key.data) == c->id + 1; /* the last entry of its own id */
    if (ends && has_end(c, c->id, true)) {
        c->at = c->chunk.count - 1;
        return arrive(ctx, c, 0, out);
    }
    c->ahead = PACK_HERE;
    c->alone = c->alone && (ends || c->id == read_u64(key.data));
    return arrive(ctx, c, c->alone ? seek_alone_before(c, key) : seek_before(c, key), out);
}

static bool is_lost(const struct pack_cursor *c)
{
    return c->follows && c->changes != c->cursor.txn->changes;
}

static struct slice own_key(const struct pack_cursor *c)
{
    return slice_of(c->key, c->key_len);
}

enum wr_status pack_next_far(struct ctx *ctx, struct pack_cursor *c, struct packed *out)
{
    struct slice k, v;

    if (is_plain(c)) {
        enum wr_status st = cursor_walk(ctx, &c->cursor, &k, &v);
        return arrive_plain(st, k, v, out);
    }
    TRY(may_move(ctx));
    if (is_lost(c)) {
        int code = seek(c, own_key(c));
        struct slice gone = slice_skip(own_key(c), ID_BYTES), key, value;
        bool still = !code && c->id == read_u64(c->key) && chunk_entry(&c->chunk, c->at, &key, &value) && slice_eq(key, gone);
        if (!still)
            return arrive(ctx, c, code, out);
    }
    return arrive(ctx, c, ++c->at < c->chunk.count ? 0 : enter_far(c, false), out);
}

enum wr_status pack_prev_far(struct ctx *ctx, struct pack_cursor *c, struct packed *out)
{
    struct slice k, v;

    if (is_plain(c)) {
        enum wr_status st = cursor_prev(ctx, &c->cursor, &k, &v);
        return arrive_plain(st, k, v, out);
    }
    TRY(may_move(ctx));
    if (is_lost(c))
        return arrive(ctx, c, seek_before(c, own_key(c)), out);
    return arrive(ctx, c, c->at-- > 0 ? 0 : enter_far(c, true), out);
}

enum wr_status pack_remove(struct ctx *ctx, struct pack_cursor *c)
{
    if (is_plain(c))
        return cursor_delete(ctx, &c->cursor);
    return store_delete(ctx, c->cursor.txn, c->cursor.tree, own_key(c));
}

/* ---- what is asked for before it is read ---- */

static void ask(const struct txn *txn, MDB_val value)
{
    if (readahead_is_ours(txn->store))
        readahead_value_bytes(txn->store, value.mv_data, value.mv_size);
}

static enum wr_status give_entries(struct ctx *ctx, MDB_val value, pack_fn *fn, void *arg)
{
    struct slice piece, bytes;
    struct chunk chunk;

    TRY(ctx_go_on(ctx));
    if (!chunk_open(slice_of_val(value), &chunk))
        return fail_corrupt(ctx, "a chunk of rows");
    for (uint32_t i = 0; i < chunk.count; i++) {
        if (!chunk_entry(&chunk, i, &piece, &bytes))
            return fail_corrupt(ctx, "a chunk of rows");
        TRY(fn(ctx, arg, piece, bytes));
    }
    return WR_OK;
}

enum wr_status pack_each(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, pack_fn *fn, void *arg)
{
    enum { ASKING, READING };
    uint8_t first[ID_BYTES];
    struct cursor c;
    enum wr_status st = WR_OK;

    TRY(fault(ctx));
    put_u64(first, id);
    int code = look_open(txn, tree, &c);
    if (code)
        return fail_txn(ctx, txn, code);
    for (int pass = ASKING; st == WR_OK && pass <= READING; pass++) {
        MDB_val k, v;
        for (code = look_from(&c, slice_of(first, sizeof first), &k, &v); !code && st == WR_OK && pack_id(k) == id; code = look_step(&c, false, &k, &v))
            if (pass == ASKING)
                ask(txn, v);
            else
                st = give_entries(ctx, v, fn, arg);
        if (code && code != MDB_NOTFOUND)
            st = fail_txn(ctx, txn, code);
    }
    look_close(&c);
    return st;
}
