/* Writes over pages that are looked at before LMDB goes over them (trust.h): of a sound file nothing is refused, and of a damaged one nothing but what comes
 * near the damage. */
#include "engine/rig.h"
#include "engine/trust.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include "engine/findings.h"
#include "engine/pages.h"
#include "tests/engine/disk.h"

enum { KEY_MOST = 40, VALUE_MOST = 3000, IDS = 300 };

static bool is_damaged; /* the file: entries of a damaged chunk may be any */

static const enum tree trees[] = { TREE_ROWS, TREE_GRAVES, TREE_PARTITIONS, TREE_INDEX };

static struct slice random_key(uint64_t *seed, uint8_t key[KEY_MOST])
{
    put_u64(key, 1 + random_below(seed, IDS));
    put_u64(key + ID_BYTES, random_below(seed, 200));
    return slice_of(key, ID_BYTES + 8 + random_below(seed, 3) * 10);
}

/* Most of some neighbours go, so that LMDB puts pages together. None is passed over: what is left is what was kept. */
static enum wr_status delete_some(struct ctx *ctx, struct txn *txn, enum tree tree, struct slice from, uint64_t *seed)
{
    struct pack_cursor c = { 0 };
    struct packed entry;
    uint8_t end[KEY_MOST] = { 0 };
    size_t end_len = 0;
    int64_t kept = 0;
    enum wr_status st;

    TRY(pack_open(ctx, &c, txn, tree));
    TRY_OUT(pack_seek(ctx, &c, from, &entry));
    for (uint64_t left = random_below(seed, 400); left && entry.id; left--) {
        if (random_below(seed, 20))
            TRY_OUT(pack_remove(ctx, &c));
        else
            kept++;
        TRY_OUT(pack_next(ctx, &c, &entry));
    }
    if (entry.id) {
        put_u64(end, entry.id);
        memcpy(end + ID_BYTES, entry.piece.data, entry.piece.len);
        end_len = ID_BYTES + entry.piece.len;
    }
    for (st = pack_seek(ctx, &c, from, &entry); st == WR_OK && entry.id; st = pack_next(ctx, &c, &entry), kept--)
        if (end_len && entry.id == read_u64(end) && slice_eq(entry.piece, slice_of(end + ID_BYTES, end_len - ID_BYTES)))
            break;
    assert_true(st != WR_OK || kept == 0 || is_damaged);
out:
    pack_close(&c);
    return st;
}

static enum wr_status change_one(struct ctx *ctx, struct txn *txn, uint64_t *seed)
{
    static const uint8_t bytes[VALUE_MOST];
    uint8_t room[KEY_MOST] = { 0 };
    struct slice key = random_key(seed, room), there, value = slice_of(bytes, random_below(seed, random_below(seed, 30) ? 60 : VALUE_MOST));
    enum tree tree = trees[random_below(seed, sizeof trees / sizeof *trees)];

    uint64_t kind = random_below(seed, 60);

    if (kind == 0)
        return delete_some(ctx, txn, tree, key, seed);
    if (kind <= 20)
        return store_delete(ctx, txn, tree, key);
    if (kind <= 30)
        return store_insert(ctx, txn, tree, key, value, &there);
    return store_put(ctx, txn, tree, key, value);
}

/* How many of some writes are refused; no two of them are one transaction where any is. */
static uint32_t change_some(struct database *db, uint64_t *seed, uint32_t transactions, uint32_t changes)
{
    uint32_t refused = 0;

    for (uint32_t i = 0; i < transactions; i++) {
        struct txn *txn = NULL;
        OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
        enum wr_status st = WR_OK;
        for (uint32_t n = 0; st == WR_OK && n < changes; n++)
            st = change_one(&db->ctx, txn, seed);
        if (st == WR_OK) {
            OK(&db->ctx, txn_commit(&db->ctx, &txn));
            continue;
        }
        assert_int_equal(st, WR_CORRUPT);
        assert_non_null(strstr(db->ctx.error, "damaged"));
        txn_abort(&txn);
        refused++;
    }
    return refused;
}

static void of_a_sound_file_nothing_is_refused(void **state)
{
    struct database db;
    uint64_t seed = 20261129;

    (void)state;
    new_disk(&db, DURABILITY_PERIODIC);
    change_some(&db, &seed, 40, 4000);
    for (int round = 0; round < 12; round++) {
        rig.trust_whole_leaves = round % 3 ? 0 : 256;
        reopen(&db, DURABILITY_PERIODIC);
        assert_int_equal(change_some(&db, &seed, 15, round % 2 ? 40 : 1500), 0);
        for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
            assert_int_equal(db.engine->store->trust.trees[trees[i]], rig.trust_whole_leaves ? TRUST_WHOLE : TRUST_BY_WAY);
        struct findings findings = { 0 };
        OK(&db.ctx, pages_check(&db.ctx, db.engine->store, NULL, &findings));
        assert_int_equal(findings.count, 0);
    }
    rig.trust_whole_leaves = 256;
    database_close(&db);
}

/* Not of the meta pages, the main tree and the list of free pages, which are looked at when it is opened. */
static void damage(struct file data, uint64_t *seed)
{
    uint8_t *page = data.bytes + (2 + random_below(seed, data.len / PAGE - 2)) * PAGE;
    const uint8_t *other = data.bytes + (2 + random_below(seed, data.len / PAGE - 2)) * PAGE;
    uint64_t how = random_below(seed, 4), bytes = how == 0 ? PAGE : 1 + random_below(seed, 8);

    if (how == 1)
        memmove(page, other, PAGE);
    else
        for (uint64_t i = 0; i < bytes; i++)
            page[how == 0 ? i : random_below(seed, how == 2 ? 64 : PAGE)] = (uint8_t)random_next(seed);
}

/* LMDB's copying trusts its pages as its writing does. */
static bool copy(struct database *db)
{
    struct database made;

    database_init(&made);
    database_folder(&made);
    enum wr_status st = engine_backup(&db->ctx, db->engine, made.path);
    assert_true(st == WR_OK || st == WR_CORRUPT);
    database_close(&made);
    return st == WR_OK;
}

static void a_damaged_file_ends_no_process(void **state)
{
    uint32_t refused = 0, opened = 0, begun = 0, copied = 0;
    struct database db;
    uint64_t seed = 20261130;

    (void)state;
    new_disk(&db, DURABILITY_FULL); /* the same pages are free each time */
    change_some(&db, &seed, 10, 3000);
    engine_close(db.engine);
    struct file sound = load(&db, "widerow.db"), slot = load(&db, "widerow.sync");
    is_damaged = true;
    for (int round = 0; round < 150; round++) {
        struct file data = { .bytes = malloc(sound.len), .len = sound.len };
        memcpy(data.bytes, sound.bytes, sound.len);
        for (int i = 0; i < 3; i++)
            damage(data, &seed);
        save(&db, "widerow.db", data);
        save(&db, "widerow.sync", slot);
        free(data.bytes);
        db.engine = NULL;
        if (try_open(&db, DURABILITY_PERIODIC, false) != WR_OK)
            continue;
        opened++;
        copied += copy(&db);
        begun += 20;
        refused += change_some(&db, &seed, 20, 30);
        engine_close(db.engine);
    }
    assert_true(copied < opened);
    assert_true(opened > 100 && refused > 100 && refused < begun / 2); /* some are told of it, and most come nowhere near it */
    save(&db, "widerow.db", sound);
    save(&db, "widerow.sync", slot);
    free(sound.bytes);
    free(slot.bytes);
    is_damaged = false;
    open_disk(&db, DURABILITY_PERIODIC);
    assert_int_equal(change_some(&db, &seed, 20, 30), 0);
    assert_true(copy(&db));
    database_close(&db);
}

/* ---- what is looked at for which write ---- */

enum { NUMBERS_OF_ID = 1500, LEAVES_MOST = 200, ROUND_ABOUT = 4, BEFORE_THEM = 80 << 20 };

/* Every second number of an id, and in which leaf it lies. */
struct leaf {
    uint64_t page;
    uint32_t first, last;
};

static struct slice numbered(uint8_t key[ID_BYTES + 4], uint32_t n)
{
    put_u64(key, 1);
    put_u32(key + ID_BYTES, n);
    return slice_of(key, ID_BYTES + 4);
}

static enum wr_status put_numbered(struct ctx *ctx, struct txn *txn, uint32_t n)
{
    static const uint8_t bytes[100];
    uint8_t key[ID_BYTES + 4];
    return store_put(ctx, txn, TREE_GRAVES, numbered(key, n), slice_of(bytes, sizeof bytes));
}

/* Behind a value so large that its pages' numbers are, too. */
static enum wr_status put_all_numbered(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[ID_BYTES], *room;
    (void)arg;

    put_u64(key, 1);
    TRY(store_reserve(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), BEFORE_THEM, &room));
    for (uint32_t n = 0; n < NUMBERS_OF_ID; n++)
        TRY(put_numbered(ctx, txn, 2 * n));
    return WR_OK;
}

static uint32_t find_leaves(struct database *db, struct leaf leaves[LEAVES_MOST])
{
    struct cursor c = { 0 };
    struct txn *txn = NULL;
    struct slice key, value;
    uint32_t count = 0;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    OK(&db->ctx, cursor_open(&db->ctx, &c, txn, TREE_GRAVES));
    for (OK(&db->ctx, cursor_seek(&db->ctx, &c, SLICE_EMPTY, &key, &value)); !slice_is_null(key); OK(&db->ctx, cursor_next(&db->ctx, &c, &key, &value))) {
        uint64_t page = page_number(page_under(key.data));
        uint32_t n = read_u32(key.data + ID_BYTES);
        if (!count || leaves[count - 1].page != page)
            leaves[count++] = (struct leaf){ page, n, n };
        leaves[count - 1].last = n;
    }
    cursor_close(&c);
    txn_abort(&txn);
    return count;
}

static enum wr_status put_within(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return put_numbered(ctx, txn, leaf->first + 3);
}

static enum wr_status put_first(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return put_numbered(ctx, txn, leaf->first);
}

static enum wr_status put_behind(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return put_numbered(ctx, txn, leaf->last + 1);
}

static enum wr_status delete_within(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    uint8_t key[ID_BYTES + 4];
    return store_delete(ctx, txn, TREE_GRAVES, numbered(key, leaf->first + 4));
}

typedef enum wr_status seek_fn(struct ctx *ctx, struct cursor *c, struct slice at, struct slice *key, struct slice *value);
typedef enum wr_status step_fn(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value);

static enum wr_status go(struct ctx *ctx, struct txn *txn, const struct leaf *leaf, seek_fn *seek, step_fn *step)
{
    struct cursor c = { 0 };
    struct slice k, v;
    uint8_t key[ID_BYTES + 4];

    OK(ctx, cursor_open(ctx, &c, txn, TREE_GRAVES));
    enum wr_status st = seek(ctx, &c, numbered(key, leaf->first + 6), &k, &v);
    if (st == WR_OK && step)
        st = step(ctx, &c, &k, &v);
    cursor_close(&c);
    return st;
}

static enum wr_status seek_within(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return go(ctx, txn, leaf, cursor_seek, NULL);
}

static enum wr_status step_on(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return go(ctx, txn, leaf, cursor_seek, cursor_next);
}

static enum wr_status step_back(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return go(ctx, txn, leaf, cursor_seek_before, cursor_prev);
}

/* In a leaf that is the transaction's own by then. */
static enum wr_status step_on_behind_a_put(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    TRY(put_within(ctx, txn, leaf));
    return step_on(ctx, txn, leaf);
}

static enum wr_status delete_at_cursor(struct ctx *ctx, struct cursor *c, struct slice *key, struct slice *value)
{
    (void)key, (void)value;
    return cursor_delete(ctx, c);
}

static enum wr_status delete_where_it_stands(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    return go(ctx, txn, leaf, cursor_seek, delete_at_cursor);
}

/* Which leaves are looked at, from the one that it is done in. */
static const struct {
    enum wr_status (*act)(struct ctx *ctx, struct txn *txn, const struct leaf *leaf);
    int from, to;
} acts[] = {
    { put_within, 0, 0 },     { put_first, -1, 0 },        { put_behind, 0, 1 }, { delete_within, -2, 2 },        { seek_within, 0, 0 },
    { step_on, -2, 2 },       { step_back, -2, 2 },        { step_on_behind_a_put, -2, 2 },                       { delete_where_it_stands, -2, 2 },
};

static void act_around(struct database *db, const struct leaf *leaves, uint32_t damaged)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        for (int away = -ROUND_ABOUT; away <= ROUND_ABOUT; away++) {
            const bool comes_near = -away >= acts[i].from && -away <= acts[i].to;
            struct txn *txn = NULL;
            OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
            assert_int_equal(acts[i].act(&db->ctx, txn, &leaves[(int)damaged + away]), comes_near ? WR_CORRUPT : WR_OK);
            txn_abort(&txn);
        }
}

/* An end of the tree, or both. */
static void act_at_ends(struct database *db, bool first, bool last)
{
    for (int end = 0; end < 2; end++) {
        struct txn *txn = NULL;
        struct cursor c = { 0 };
        struct slice key, value;
        OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
        OK(&db->ctx, cursor_open(&db->ctx, &c, txn, TREE_GRAVES));
        enum wr_status st = end ? cursor_seek_before(&db->ctx, &c, SLICE_NULL, &key, &value) : cursor_seek(&db->ctx, &c, SLICE_EMPTY, &key, &value);
        assert_int_equal(st, (end ? last : first) ? WR_CORRUPT : WR_OK);
        cursor_close(&c);
        txn_abort(&txn);
    }
}

static bool no_memory; /* for marks: each page is looked at again */

void *mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    static void *(*theirs)(void *, size_t, int, int, int, off_t);

    if (!theirs)
        *(void **)&theirs = dlsym(RTLD_NEXT, "mmap");
    if (no_memory && flags & MAP_ANONYMOUS)
        return MAP_FAILED;
    return theirs(at, len, protection, flags, fd, offset);
}

/* The leaf says that it is one in memory, or not any more. */
static void note_leaf(const struct database *db, const struct leaf *leaf, bool is_dirty)
{
    const uint16_t flags = PAGE_IS_LEAF | (is_dirty ? 0x10 : 0);
    char path[192];

    path_in(path, db, "widerow.db");
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, &flags, sizeof flags, (off_t)(leaf->page * PAGE + FLAGS_AT)), sizeof flags);
    assert_int_equal(close(fd), 0);
}

static void who_comes_near_a_damaged_leaf_is_told(void **state)
{
    struct leaf leaves[LEAVES_MOST];
    struct database db;
    (void)state;

    new_disk(&db, DURABILITY_NONE);
    OK(&db.ctx, engine_write(&db.ctx, db.engine, put_all_numbered, NULL));
    const uint32_t count = find_leaves(&db, leaves), damaged = count / 2;
    assert_true(count > 4 * ROUND_ABOUT && leaves[0].page > BEFORE_THEM / PAGE);
    engine_close(db.engine);
    rig.trust_whole_leaves = 0;
    note_leaf(&db, &leaves[damaged], true);
    for (int times = 0; times < 2; times++) {
        open_disk(&db, DURABILITY_NONE);
        no_memory = times == 1;
        act_around(&db, leaves, damaged);
        act_around(&db, leaves, damaged); /* by what was seen before */
        act_at_ends(&db, false, false);
        assert_true(no_memory || db.engine->store->trust.pages > leaves[count - 1].page);
        no_memory = false;
        engine_close(db.engine);
    }
    note_leaf(&db, &leaves[damaged], false);
    for (int end = 0; end < 2; end++) {
        note_leaf(&db, &leaves[end ? count - 1 : 0], true);
        open_disk(&db, DURABILITY_NONE);
        act_at_ends(&db, !end, end);
        engine_close(db.engine);
        note_leaf(&db, &leaves[end ? count - 1 : 0], false);
    }
    rig.trust_whole_leaves = 256;
    db.engine = NULL;
    database_close(&db);
}

static enum wr_status seek_behind(struct ctx *ctx, struct txn *txn, const struct leaf *leaf)
{
    struct cursor c = { 0 };
    struct slice k, v;
    uint8_t key[ID_BYTES + 4];

    OK(ctx, cursor_open(ctx, &c, txn, TREE_GRAVES));
    enum wr_status st = cursor_seek(ctx, &c, numbered(key, leaf->last + 1), &k, &v);
    cursor_close(&c);
    return st;
}

/* With each commit a leaf that is changed comes to another page, soon to one that was the other leaf's, where nothing was damaged beside it. */
static void what_lies_beside_a_leaf_is_not_that_of_its_page(void **state)
{
    enum { COMMITS = 100, FAR_AWAY = 2 };
    static enum wr_status (*const looks[])(struct ctx *ctx, struct txn *txn, const struct leaf *leaf) = { seek_behind, step_on };
    struct leaf leaves[LEAVES_MOST];
    struct database db;
    (void)state;

    new_disk(&db, DURABILITY_NONE);
    OK(&db.ctx, engine_write(&db.ctx, db.engine, put_all_numbered, NULL));
    const uint32_t damaged = find_leaves(&db, leaves) / 2;
    const struct leaf *sound = &leaves[FAR_AWAY], *beside = &leaves[damaged - 1];
    engine_close(db.engine);
    rig.trust_whole_leaves = 0;
    note_leaf(&db, &leaves[damaged], true);
    open_disk(&db, DURABILITY_NONE);
    for (int i = 0; i < COMMITS; i++) {
        struct txn *txn = NULL;
        OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
        OK(&db.ctx, looks[i % 2](&db.ctx, txn, sound));
        OK(&db.ctx, put_within(&db.ctx, txn, sound));
        OK(&db.ctx, txn_commit(&db.ctx, &txn));
        OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
        OK(&db.ctx, put_within(&db.ctx, txn, beside));
        OK(&db.ctx, txn_commit(&db.ctx, &txn));
        for (int look = 0; look < 2; look++) {
            OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
            assert_int_equal(looks[look](&db.ctx, txn, beside), WR_CORRUPT);
            txn_abort(&txn);
        }
    }
    rig.trust_whole_leaves = 256;
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_sound_file_nothing_is_refused),
        cmocka_unit_test(a_damaged_file_ends_no_process),
        cmocka_unit_test(who_comes_near_a_damaged_leaf_is_told),
        cmocka_unit_test(what_lies_beside_a_leaf_is_not_that_of_its_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
