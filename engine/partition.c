#include "engine/partition.h"

#include <assert.h>

#include "engine/backlog.h"
#include "engine/coding.h"
#include "engine/hash.h"
#include "engine/queue.h"
#include "engine/scan.h"
#include "engine/state.h"
#include "engine/token.h"

/* The directory's bytes for a key; null without an entry. Inlined, as find_in is, so that the place is made nowhere: a hundredth of reading a row. */
static inline __attribute__((always_inline)) enum wr_status find_entry(struct ctx *ctx, struct txn *txn, const struct directory_place *at,
                                                                        struct slice *bytes, struct entry *entry)
{
    struct directory_key physical;

    directory_key(&physical, at->table_id, at->token, at->key);
    if (at->is_dead)
        directory_key_bury(&physical);
    TRY(store_get(ctx, txn, TREE_PARTITIONS, slice_of(physical.bytes, physical.len), bytes));
    if (slice_is_null(*bytes))
        return WR_OK;
    if (!entry_decode(*bytes, entry))
        return fail_corrupt(ctx, "an entry of the directory");
    if (!directory_key_is_whole(at->key) && !slice_eq(entry->key, at->key))
        return fail_corrupt(ctx, "two partition keys with one hash");
    return WR_OK;
}

/* What is read of a partition from its entry; bytes null: it has none. */
static enum wr_status show_partition(struct ctx *ctx, const struct table_shape *table, const struct directory_place *at, struct slice bytes,
                                     struct entry *entry, bool unsteady, struct partition *out)
{
    if (slice_is_null(bytes))
        *entry = (struct entry){ .deletion = DELETION_NONE };
    else if (unsteady) {
        TRY(ctx_copy(ctx, bytes, &bytes));
        (void)entry_decode(bytes, entry);
    }
    *out = (struct partition){
        .id = entry->id,
        .token = at->token,
        .key = at->key,
        .deletion = entry->deletion,
        .entry = bytes,
        .row = entry->row,
        .has_clustering = table->has_clustering,
        .marker_decides = table->marker_decides,
        .unsteady = unsteady,
    };
    return WR_OK;
}

bool partition_is_worth_expecting(const struct engine *engine)
{
    return store_expects(engine->store);
}

void partition_expect_at(const struct engine *engine, const struct table_shape *table, int64_t token, struct expected_partition *out)
{
    uint8_t prefix[DIRECTORY_PREFIX_BYTES];

    out->key = SLICE_NULL;
    out->token = token;
    directory_prefix(prefix, table->table_id, token);
    out->hash = store_expect(engine->store, prefix);
}

void partition_expect(const struct engine *engine, const struct table_shape *table, struct slice key, struct expected_partition *out)
{
    partition_expect_at(engine, table, token_of(key), out);
    out->key = key;
}

void partition_expect_place(const struct engine *engine, const struct expected_partition *expected)
{
    store_expect_place(engine->store, expected->hash);
}

enum wr_status partition_find(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice key,
                              struct partition *out, bool *found)
{
    return partition_find_at(ctx, txn, table, token_of(key), key, out, found);
}

static inline __attribute__((always_inline)) enum wr_status find_in(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                                                                     const struct directory_place *at, struct partition *out, bool *found)
{
    struct slice bytes;
    struct entry entry;
    bool unsteady = !txn_is_still(txn);

    if (unsteady)
        TRY(backlog_settle_to_read(ctx, txn, table, at->token, at->token));
    TRY(find_entry(ctx, txn, at, &bytes, &entry));
    *found = !slice_is_null(bytes);
    return show_partition(ctx, table, at, bytes, &entry, unsteady, out);
}

enum wr_status partition_find_at(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token, struct slice key,
                                 struct partition *out, bool *found)
{
    const struct directory_place at = { .table_id = table->table_id, .token = token, .key = key };
    return find_in(ctx, txn, table, &at, out, found);
}

enum wr_status partition_find_any(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token, struct slice key,
                                  struct partition *out, bool *found)
{
    struct directory_place at = { .table_id = table->table_id, .token = token, .key = key };
    TRY(find_in(ctx, txn, table, &at, out, found));
    at.is_dead = true;
    return *found ? WR_OK : find_in(ctx, txn, table, &at, out, found);
}

/* Among those of one token, from the first on: there is hardly ever a second one. *physical null: it is not there. */
static enum wr_status walk_to_id(struct ctx *ctx, struct txn *txn, const uint8_t prefix[DIRECTORY_PREFIX_BYTES], uint64_t id, struct slice *physical,
                                 struct slice *bytes, struct entry *entry)
{
    struct cursor cursor = { 0 };
    enum wr_status st;

    TRY(cursor_open(ctx, &cursor, txn, TREE_PARTITIONS));
    TRY_OUT(cursor_seek(ctx, &cursor, slice_of(prefix, DIRECTORY_PREFIX_BYTES), physical, bytes));
    while (!slice_is_null(*physical) && slice_has_prefix(*physical, slice_of(prefix, DIRECTORY_PREFIX_BYTES)) && entry_decode(*bytes, entry)) {
        if (entry->id == id)
            goto out;
        TRY_OUT(cursor_next(ctx, &cursor, physical, bytes));
    }
    *physical = SLICE_NULL;
out:
    cursor_close(&cursor);
    return st;
}

enum wr_status partition_of_id(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t token, uint64_t id,
                               struct partition *out, bool *found)
{
    uint8_t prefix[DIRECTORY_PREFIX_BYTES];
    struct directory_place at = { .table_id = table->table_id, .token = token };
    struct slice physical, bytes;
    struct entry entry;

    directory_prefix(prefix, table->table_id, token);
    TRY(store_get_beginning(ctx, txn, prefix, &physical, &bytes));
    if (!slice_is_null(physical) && !(entry_decode(bytes, &entry) && entry.id == id))
        TRY(walk_to_id(ctx, txn, prefix, id, &physical, &bytes, &entry));
    *found = !slice_is_null(physical);
    if (!*found)
        return WR_OK;
    at.key = slice_is_null(entry.key) ? slice_skip(physical, DIRECTORY_PREFIX_BYTES) : entry.key;
    return show_partition(ctx, table, &at, bytes, &entry, !txn_is_still(txn), out);
}

/* ---- the writer's memory of hot partitions ---- */

enum { CACHE_SLOTS = 2048, CACHED_KEY_MAX = 48, TABLE_SLOTS = 64 };

/* It has the key itself: whoever may choose keys finds two of one hash, however long that is. Longer ones are looked up each time. */
struct cached_partition {
    uint64_t generation; /* the cache's when it was remembered: else it is forgotten. 0: an empty slot */
    uint64_t id;
    uint64_t table_id;
    struct deletion deletion;
    int64_t tombstone_us;
    uint32_t due_s;
    bool has_back, has_row, is_dead;
    uint8_t key_len, key[CACHED_KEY_MAX];
};

/* Whether a table has any partition in the dead half: where it has none, one that is not in the living half is new. */
struct cached_table {
    uint64_t generation, table_id;
    bool has_dead;
};

struct partition_cache {
    uint64_t generation;
    struct cached_partition slots[CACHE_SLOTS];
    struct cached_table tables[TABLE_SLOTS];
};

enum wr_status partition_cache_new(struct ctx *ctx, struct partition_cache **out)
{
    *out = mem_alloc(sizeof **out);
    if (!*out)
        return fail_nomem(ctx);
    partition_cache_clear(*out);
    return WR_OK;
}

void partition_cache_free(struct partition_cache *cache)
{
    mem_free(cache);
}

void partition_cache_clear(struct partition_cache *cache)
{
    cache->generation++;
}

/* NULL: of such a key nothing is remembered. */
static struct cached_partition *slot_of(const struct writer *writer, uint64_t table_id, struct slice key)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    return key.len <= CACHED_KEY_MAX ? &writer->cache->slots[(hash64(key) ^ table_id * odd) % CACHE_SLOTS] : NULL;
}

static bool remembers(const struct txn *txn, const struct cached_partition *slot, uint64_t table_id, struct slice key)
{
    return slot && slot->generation == txn_writer(txn)->cache->generation && slot->table_id == table_id &&
           slice_eq(slice_of(slot->key, slot->key_len), key);
}

static void forget(const struct txn *txn, struct cached_partition *slot, uint64_t table_id, struct slice key)
{
    if (remembers(txn, slot, table_id, key))
        slot->generation = 0;
}

void partition_forget(const struct txn *txn, const struct directory_place *at)
{
    forget(txn, slot_of(txn_writer(txn), at->table_id, at->key), at->table_id, at->key);
}

static void remember(const struct txn *txn, const struct place *place)
{
    struct cached_partition *slot = place->slot;

    if (!slot)
        return;
    *slot = (struct cached_partition){
        .generation = txn_writer(txn)->cache->generation,
        .id = place->entry.id,
        .table_id = place->table->table_id,
        .deletion = place->entry.deletion,
        .tombstone_us = place->entry.tombstone_us,
        .due_s = place->entry.due_s,
        .has_back = place->entry.has_back,
        .has_row = place->has_row,
        .is_dead = place->half == HALF_DEAD,
        .key_len = (uint8_t)place->key.len,
    };
    if (place->key.len)
        memcpy(slot->key, place->key.data, place->key.len);
}

static int64_t place_token(struct place *place)
{
    if (!place->has_token) {
        place->token = token_of(place->key);
        place->has_token = true;
    }
    return place->token;
}

/* Its key in the living half. */
static struct slice place_physical(struct place *place, struct directory_key *out)
{
    return directory_key(out, place->table->table_id, place_token(place), place->key);
}

static struct slice place_physical_in(struct place *place, enum half half, struct directory_key *out)
{
    struct slice living = place_physical(place, out);
    return half == HALF_DEAD ? directory_key_bury(out) : living;
}

/* ---- the dead half ---- */

static struct cached_table *table_slot(struct partition_cache *cache, uint64_t table_id)
{
    return &cache->tables[table_id % TABLE_SLOTS];
}

static enum wr_status look_for_dead(struct ctx *ctx, struct txn *txn, uint64_t table_id, bool *any)
{
    struct cursor c = { 0 };
    struct slice physical, bytes;
    uint8_t prefix[8];

    put_u64(prefix, table_id | DEAD_HALF);
    TRY(cursor_open(ctx, &c, txn, TREE_PARTITIONS));
    enum wr_status st = cursor_seek(ctx, &c, slice_of(prefix, sizeof prefix), &physical, &bytes);
    *any = st == WR_OK && slice_has_prefix(physical, slice_of(prefix, sizeof prefix));
    cursor_close(&c);
    return st;
}

static enum wr_status may_be_dead(struct ctx *ctx, struct txn *txn, const struct place *place, bool *may)
{
    struct partition_cache *cache = txn_writer(txn)->cache;
    uint64_t table_id = place->table->table_id;
    struct cached_table *slot = table_slot(cache, table_id);

    if (slot->generation != cache->generation || slot->table_id != table_id) {
        TRY(look_for_dead(ctx, txn, table_id, may));
        *slot = (struct cached_table){ cache->generation, table_id, *may };
    }
    *may = slot->has_dead;
    return WR_OK;
}

static void note_dead(const struct txn *txn, const struct place *place)
{
    struct partition_cache *cache = txn_writer(txn)->cache;
    uint64_t table_id = place->table->table_id;

    *table_slot(cache, table_id) = (struct cached_table){ cache->generation, table_id, true };
}

/* ---- under the writer ---- */

static enum wr_status place_read(struct ctx *ctx, struct txn *txn, struct place *place)
{
    struct directory_place at = { .table_id = place->table->table_id, .token = place_token(place), .key = place->key };
    struct slice bytes;
    struct entry entry;
    bool may_be;

    place->half = HALF_LIVING;
    TRY(find_entry(ctx, txn, &at, &bytes, &entry));
    if (slice_is_null(bytes)) {
        TRY(may_be_dead(ctx, txn, place, &may_be));
        at.is_dead = true;
        if (may_be)
            TRY(find_entry(ctx, txn, &at, &bytes, &entry));
        place->half = slice_is_null(bytes) ? HALF_NONE : HALF_DEAD;
    }
    place->loaded = true;
    if (slice_is_null(bytes)) {
        place->entry = (struct entry){ .deletion = DELETION_NONE, .tombstone_us = TIMESTAMP_NONE };
        place->has_row = false;
        return WR_OK;
    }
    place->entry = entry;
    place->entry.key = slice_is_null(entry.key) ? SLICE_NULL : place->key;
    place->has_row = !slice_is_null(entry.row);
    return ctx_copy(ctx, entry.row, &place->entry.row);
}

enum wr_status place_open(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice key,
                          struct place *out)
{
    const struct writer *writer = txn_writer(txn);
    struct cached_partition *slot = slot_of(writer, table->table_id, key);

    *out = (struct place){ .table = table, .key = key, .slot = slot };
    if (backlog_has_any(writer->backlog) && backlog_knows(writer->backlog, table))
        TRY(backlog_settle(ctx, txn, table, place_token(out)));
    if (remembers(txn, slot, table->table_id, key)) {
        out->entry = (struct entry){ .id = slot->id,
                                     .deletion = slot->deletion,
                                     .tombstone_us = slot->tombstone_us,
                                     .due_s = slot->due_s,
                                     .has_back = slot->has_back };
        out->half = slot->is_dead ? HALF_DEAD : HALF_LIVING;
        out->has_row = slot->has_row;
        return WR_OK;
    }
    TRY(place_read(ctx, txn, out));
    if (out->entry.id)
        remember(txn, out);
    return WR_OK;
}

enum wr_status place_load(struct ctx *ctx, struct txn *txn, struct place *place)
{
    if (place->loaded)
        return WR_OK;
    assert(!place->changed);
    if (!place->has_row && directory_key_is_whole(place->key)) {
        place->loaded = true; /* the cache knew everything */
        return WR_OK;
    }
    return place_read(ctx, txn, place);
}

static enum wr_status give_id(struct ctx *ctx, struct txn *txn, struct place *place)
{
    if (place->key.len > KEY_BYTES_MAX)
        return fail(ctx, WR_INVALID, "Key length of %zu is longer than maximum of %d", place->key.len, KEY_BYTES_MAX);
    TRY(txn_next_id(ctx, txn, &place->entry.id));
    if (!directory_key_is_whole(place->key))
        place->entry.key = place->key;
    return WR_OK;
}

enum wr_status place_touch(struct ctx *ctx, struct txn *txn, struct place *place)
{
    TRY(place_load(ctx, txn, place));
    if (!place->entry.id)
        TRY(give_id(ctx, txn, place));
    place->changed = true;
    return WR_OK;
}

enum wr_status place_need_id(struct ctx *ctx, struct txn *txn, struct place *place)
{
    return place->half == HALF_LIVING ? WR_OK : place_touch(ctx, txn, place);
}

enum wr_status place_need_back(struct ctx *ctx, struct txn *txn, struct place *place)
{
    struct directory_key physical, back;

    if (place->entry.has_back)
        return WR_OK;
    TRY(place_touch(ctx, txn, place));
    TRY(store_put(ctx, txn, TREE_PARTITIONS, directory_back_key(&back, place->entry.id), place_physical(place, &physical)));
    place->entry.has_back = true;
    return WR_OK;
}

enum wr_status place_raise(struct ctx *ctx, struct txn *txn, struct place *place, int64_t tombstone_us)
{
    if (tombstone_us <= place->entry.tombstone_us)
        return WR_OK;
    TRY(place_touch(ctx, txn, place));
    place->entry.tombstone_us = tombstone_us;
    return WR_OK;
}

enum wr_status place_set_due(struct ctx *ctx, struct txn *txn, struct place *place, uint32_t due_s)
{
    struct directory_key physical;
    struct slice living;

    if (due_s == place->entry.due_s)
        return WR_OK;
    TRY(place_touch(ctx, txn, place));
    living = place_physical(place, &physical);
    TRY(queue_delete(ctx, txn, &(struct queue_item){ place->entry.due_s, QUEUE_PARTITION, place->table->table_id, slice_skip(living, ID_BYTES) }));
    TRY(queue_put(ctx, txn, &(struct queue_item){ due_s, QUEUE_PARTITION, place->table->table_id, slice_skip(living, ID_BYTES) }));
    place->entry.due_s = due_s;
    return WR_OK;
}

enum wr_status partition_has_any(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, bool *any)
{
    struct wide_cursor *c = txn_writer(txn)->cursor;
    struct slice bytes = SLICE_NULL, value;

    TRY(wide_open(ctx, c, txn, tree, id));
    enum wr_status st = wide_seek(ctx, c, SLICE_EMPTY, &bytes, &value);
    *any = st == WR_OK && !slice_is_null(bytes);
    wide_close(c);
    return st;
}

static enum wr_status put_in(struct ctx *ctx, struct txn *txn, struct place *place, enum half half)
{
    struct directory_key physical;
    struct buf buf;
    struct slice bytes;

    assert(place->loaded);
    buf_init(&buf, ctx->arena);
    entry_encode(&buf, &place->entry);
    TRY(buf_done(ctx, &buf, &bytes));
    if (place->half != HALF_NONE && place->half != half)
        TRY(store_delete(ctx, txn, TREE_PARTITIONS, place_physical_in(place, place->half, &physical)));
    TRY(store_put(ctx, txn, TREE_PARTITIONS, place_physical_in(place, half, &physical), bytes));
    place->half = half;
    if (half == HALF_DEAD)
        note_dead(txn, place);
    place->changed = false;
    place->has_row = !slice_is_null(place->entry.row);
    remember(txn, place);
    return WR_OK;
}

enum wr_status place_close(struct ctx *ctx, struct txn *txn, struct place *place)
{
    bool stays = place->half == HALF_DEAD && !place->lives;
    return place->changed ? put_in(ctx, txn, place, stays ? HALF_DEAD : HALF_LIVING) : WR_OK;
}

enum wr_status place_bury(struct ctx *ctx, struct txn *txn, struct place *place)
{
    TRY(place_touch(ctx, txn, place));
    return put_in(ctx, txn, place, HALF_DEAD);
}

enum wr_status place_remove(struct ctx *ctx, struct txn *txn, struct place *place)
{
    struct directory_key physical, back;

    TRY(place_set_due(ctx, txn, place, 0));
    if (place->half != HALF_NONE)
        TRY(store_delete(ctx, txn, TREE_PARTITIONS, place_physical_in(place, place->half, &physical)));
    if (place->entry.has_back)
        TRY(store_delete(ctx, txn, TREE_PARTITIONS, directory_back_key(&back, place->entry.id)));
    forget(txn, place->slot, place->table->table_id, place->key);
    place->entry = (struct entry){ .deletion = DELETION_NONE, .tombstone_us = TIMESTAMP_NONE };
    place->half = HALF_NONE;
    place->changed = place->has_row = place->lives = false;
    return WR_OK;
}
