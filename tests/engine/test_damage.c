/* A page that is damaged is told where it is met, and nothing else fails: pack.h, pool.h, gather.h. */
#include "engine/rig.h"
#include "tests/engine/disk.h"

/* Of the chunk with that place in the first leaf that leads to so many: the file has no such page any more. */
static bool damage_chunk(struct file data, unsigned place)
{
    static const uint64_t nowhere = UINT64_C(1) << 40;

    for (uint8_t *page = data.bytes + 2 * PAGE; page + PAGE <= data.bytes + data.len; page += PAGE) {
        unsigned large = 0;
        if (native_u16(page + FLAGS_AT) != PAGE_IS_LEAF)
            continue;
        for (unsigned i = 0; i < node_count(page); i++) {
            uint8_t *node = node_of(page, i);
            if (!(native_u16(node + NODE_FLAGS_AT) & NODE_IS_LARGE) || large++ < place)
                continue;
            memcpy(node_value(node), &nowhere, sizeof nowhere);
            return true;
        }
    }
    return false;
}

static void open_damaged(struct database *db)
{
    static struct versions live;
    struct txn *txn = NULL;

    new_disk(db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(db, &live);
    OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
    OK(&db->ctx, catalog_put(&db->ctx, txn, SLICE_LIT("sound"), SLICE_LIT("value")));
    OK(&db->ctx, txn_commit(&db->ctx, &txn));
    engine_close(db->engine);
    struct file data = load(db, "widerow.db");
    assert_true(damage_chunk(data, 3));
    save(db, "widerow.db", data);
    free(data.bytes);
    open_disk(db, DURABILITY_PERIODIC);
}

static void assert_sound(struct database *db, struct txn *txn)
{
    struct slice value;
    OK(&db->ctx, catalog_get(&db->ctx, txn, SLICE_LIT("sound"), &value));
    assert_true(slice_eq(value, SLICE_LIT("value")));
}

/* How many rows come before the damaged chunk. */
static uint32_t read_up_to_it(struct database *db, struct txn *txn, bool back, bool ahead)
{
    struct ctx *ctx = &db->ctx;
    struct pack_cursor c = { 0 };
    struct packed row;
    uint8_t key[NUMBER_KEY_BYTES];
    uint32_t n = 0;

    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    enum wr_status st = (back ? pack_seek_before : pack_seek)(ctx, &c, number_key(key, back ? NUMBERS * 2 : 0), &row);
    for (; st == WR_OK && row.id; n++) {
        if (ahead)
            pack_look_ahead(&c, back);
        st = (back ? pack_prev : pack_next)(ctx, &c, &row);
    }
    assert_int_equal(st, WR_CORRUPT);
    assert_non_null(strstr(ctx->error, "damaged"));
    pack_close(&c);
    return n;
}

static void rows_before_a_damaged_page_come_and_then_that_is_told(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    uint32_t rows[2];
    (void)state;

    open_damaged(&db);
    for (int back = 0; back < 2; back++)
        for (int ahead = 0; ahead < 2; ahead++) {
            OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
            uint32_t n = read_up_to_it(&db, txn, back, ahead);
            txn_abort(&txn);
            assert_true(n > 0 && n < NUMBERS && (!ahead || n == rows[back]));
            rows[back] = n;
            /* The next read of this thread has nothing to do with that. */
            OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
            assert_sound(&db, txn);
            txn_abort(&txn);
        }
    database_close(&db);
}

/* A scan that has looked ahead and ends before it gets there, which nobody is told of. */
static void a_read_that_only_looked_at_a_damaged_page_spoils_no_other(void **state)
{
    struct pack_cursor c = { 0 };
    struct packed row;
    struct database db;
    struct txn *txn = NULL;
    uint8_t key[NUMBER_KEY_BYTES];
    (void)state;

    open_damaged(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    uint32_t before = read_up_to_it(&db, txn, false, false);
    txn_abort(&txn);
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek(ctx, &c, number_key(key, 0), &row));
    for (uint32_t i = 1; i < before; i++)
        OK(ctx, pack_next(ctx, &c, &row));
    pack_look_ahead(&c, false);
    assert_int_equal(c.ahead, PACK_LOST);
    pack_close(&c);
    txn_abort(&txn);
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    assert_sound(&db, txn);
    txn_abort(&txn);
    database_close(&db);
}

static enum wr_status put_other(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint32_t *n = arg;
    uint8_t key[ID_BYTES];

    put_u64(key, 1000 + ++*n);
    return store_put(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), SLICE_LIT("value"));
}

/* Nor does a brief read spoil what others have written and are about to. */
static void writes_that_a_damaged_page_was_met_between_are_kept(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    uint32_t n = 0;
    (void)state;

    rig.gather_after = 0;
    open_damaged(&db);
    struct ctx *ctx = &db.ctx;
    for (int i = 0; i < 3; i++) {
        OK(ctx, engine_write_gathered(ctx, db.engine, put_other, &n));
        OK(ctx, txn_begin_brief(ctx, db.engine, &txn));
        assert_true(txn_is_write(txn));
        read_up_to_it(&db, txn, false, false);
        txn_abort(&txn);
    }
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    assert_sound(&db, txn);
    txn_abort(&txn);
    OK(ctx, engine_write_gathered(ctx, db.engine, put_other, &n));
    reopen(&db, DURABILITY_PERIODIC);
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    for (uint32_t i = 1; i <= n; i++) {
        struct slice value;
        uint8_t key[ID_BYTES];
        put_u64(key, 1000 + i);
        OK(ctx, store_get(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), &value));
        assert_true(slice_eq(value, SLICE_LIT("value")));
    }
    txn_abort(&txn);
    database_close(&db);
    rig.gather_after = 16;
}

/* ---- a large value's first page that is another, or says that it is in memory ---- */

enum { SPILLED = 77, SPILLED_BYTES = 100000 };

static enum wr_status spill_one(struct ctx *ctx, struct txn *txn, void *arg)
{
    static const uint8_t bytes[SPILLED_BYTES];
    uint8_t key[ID_BYTES];
    (void)arg;

    put_u64(key, SPILLED);
    return store_put(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), slice_of(bytes, sizeof bytes));
}

static enum wr_status delete_it(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[ID_BYTES];
    (void)arg;

    put_u64(key, SPILLED);
    return store_delete(ctx, txn, TREE_SPILL, slice_of(key, sizeof key));
}

static enum wr_status put_it_anew(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[ID_BYTES];
    (void)arg;

    put_u64(key, SPILLED);
    return store_put(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), SLICE_LIT("anew"));
}

static enum wr_status delete_it_by_a_cursor(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct cursor c = { 0 };
    struct slice key, value;
    uint8_t at[ID_BYTES];
    (void)arg;

    put_u64(at, SPILLED);
    TRY(cursor_open(ctx, &c, txn, TREE_SPILL));
    enum wr_status st = cursor_seek(ctx, &c, slice_of(at, sizeof at), &key, &value);
    if (st == WR_OK)
        st = cursor_delete(ctx, &c);
    cursor_close(&c);
    return st;
}

static enum wr_status change_every_chunk(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[NUMBER_KEY_BYTES];
    (void)arg;

    for (uint32_t n = 0; n < NUMBERS; n++)
        TRY(store_put(ctx, txn, TREE_ROWS, number_key(key, n), SLICE_LIT("anew")));
    return WR_OK;
}

static enum wr_status delete_every_other_row(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[NUMBER_KEY_BYTES];
    (void)arg;

    for (uint32_t n = 0; n < NUMBERS; n += 2)
        TRY(store_delete(ctx, txn, TREE_ROWS, number_key(key, n)));
    return WR_OK;
}

static const struct head {
    uint16_t flags;
    uint32_t pages; /* 0: as many as it has */
} heads[] = {
    { PAGE_IS_LEAF, 0xF0000010 }, /* LMDB would write down the number of every page that it says the value has: 32 GB, and for minutes */
    { PAGE_IS_LARGE | 0x10, 0 },  /* dirty: and would change it where it lies, in the map */
};

static const struct change {
    enum wr_status (*write)(struct ctx *, struct txn *, void *);
    bool of_many; /* pages */
} changes[] = {
    { delete_it, true }, { delete_it_by_a_cursor, true }, { put_it_anew, true }, { change_every_chunk, false }, { delete_every_other_row, false },
};

/* Written by `write`, damaged, and open again. */
static void open_with_damage(struct database *db, enum wr_status (*write)(struct ctx *, struct txn *, void *), void (*damage)(struct file data, const void *how),
                             const void *how)
{
    static struct versions live;

    new_disk(db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(db, &live);
    OK(&db->ctx, engine_write(&db->ctx, db->engine, write, NULL));
    engine_close(db->engine);
    struct file data = load(db, "widerow.db");
    damage(data, how);
    save(db, "widerow.db", data);
    free(data.bytes);
    open_disk(db, DURABILITY_PERIODIC);
}

struct heads_of {
    bool many; /* pages */
    const struct head *head;
};

static void put_heads(struct file data, const void *how)
{
    const struct heads_of *of = how;
    const struct head *head = of->head;
    for (uint8_t *page = data.bytes + 2 * PAGE; page + PAGE <= data.bytes + data.len; page += PAGE) {
        uint32_t pages;
        memcpy(&pages, page + PLACES_END_AT, sizeof pages);
        if (native_u16(page + FLAGS_AT) != PAGE_IS_LARGE || (pages > 1) != of->many)
            continue;
        memcpy(page + FLAGS_AT, &head->flags, sizeof head->flags);
        if (head->pages)
            memcpy(page + PLACES_END_AT, &head->pages, sizeof head->pages);
    }
}

static int change_where_head_is(const struct change *change, const struct head *head)
{
    struct database db;

    open_with_damage(&db, spill_one, put_heads, &(struct heads_of){ change->of_many, head });
    int st = engine_write(&db.ctx, db.engine, change->write, NULL);
    database_close(&db);
    return st;
}

static void what_lies_in_other_pages_than_it_should_is_not_given_up(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        for (size_t n = 0; n < sizeof changes / sizeof *changes; n++)
            assert_int_equal(change_where_head_is(&changes[n], &heads[i]), WR_CORRUPT);
}

/* ---- a leaf that says that it is in memory, or has keys alone ---- */

enum { KILOBYTES = 2000, SPILLED_MANY = 1000 /* among them SPILLED, not in the first leaf */, BYTES_OF_ONE = 100, DIRTY = 0x10, KEYS_ALONE = 0x20 };

static enum wr_status spill_many(struct ctx *ctx, struct txn *txn, void *arg)
{
    static const uint8_t bytes[BYTES_OF_ONE];
    uint8_t key[ID_BYTES];
    (void)arg;

    for (uint64_t n = 1; n <= SPILLED_MANY; n++) {
        put_u64(key, n);
        TRY(store_put(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), slice_of(bytes, sizeof bytes)));
    }
    for (uint32_t n = 0; n < KILOBYTES; n++)
        TRY(put_kilobyte(ctx, txn, &n));
    return WR_OK;
}

/* Leaves that a branch leads to, but its first and last: what is looked at when the database is opened lies there. */
static unsigned note_leaves(struct file data, uint16_t notes)
{
    unsigned noted = 0;

    for (uint8_t *page = data.bytes + 2 * PAGE; page + PAGE <= data.bytes + data.len; page += PAGE) {
        if (native_u16(page + FLAGS_AT) != PAGE_IS_BRANCH)
            continue;
        for (unsigned i = 1; i + 1 < node_count(page); i++) {
            struct node_head node;
            memcpy(&node, node_of(page, i), sizeof node);
            uint8_t *leaf = data.bytes + (size_t)(node.size_low | (uint32_t)node.size_high << 16) * PAGE;
            const uint16_t flags = PAGE_IS_LEAF | notes;
            assert_true(leaf + PAGE <= data.bytes + data.len);
            if (native_u16(leaf + FLAGS_AT) != PAGE_IS_LEAF)
                continue;
            memcpy(leaf + FLAGS_AT, &flags, sizeof flags);
            noted++;
        }
    }
    return noted;
}

static void open_with_notes(struct database *db, uint16_t notes)
{
    new_disk(db, DURABILITY_PERIODIC);
    OK(&db->ctx, engine_write(&db->ctx, db->engine, spill_many, NULL));
    engine_close(db->engine);
    struct file data = load(db, "widerow.db");
    assert_true(note_leaves(data, notes) > 20);
    save(db, "widerow.db", data);
    free(data.bytes);
    open_disk(db, DURABILITY_PERIODIC);
}

static void what_a_leaf_that_says_it_is_in_memory_has_is_not_changed(void **state)
{
    (void)state;

    for (size_t n = 0; n < sizeof changes / sizeof *changes; n++) {
        struct database db;
        open_with_notes(&db, DIRTY);
        assert_int_equal(engine_write(&db.ctx, db.engine, changes[n].write, NULL), WR_CORRUPT);
        database_close(&db);
    }
}

/* LMDB gives the key and leaves the value what it was. */
static void a_leaf_that_says_it_has_keys_alone_is_told(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    (void)state;

    open_with_notes(&db, KEYS_ALONE);
    for (int back = 0; back < 2; back++)
        for (int ahead = 0; ahead < 2; ahead++) {
            OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
            read_up_to_it(&db, txn, back, ahead);
            txn_abort(&txn);
        }
    database_close(&db);
}

/* ---- values that would reach out of their leaves ---- */

static void lengthen_values(struct file data, const void *how)
{
    enum { SIZE_HIGH_AT = 2, GIGABYTES = 0x5800 };
    static const uint16_t high = GIGABYTES;
    unsigned lengthened = 0;
    (void)how;

    for (uint8_t *page = data.bytes + 2 * PAGE; page + PAGE <= data.bytes + data.len; page += PAGE)
        for (unsigned i = 0; native_u16(page + FLAGS_AT) == PAGE_IS_LEAF && i < node_count(page); i++)
            if (native_u16(node_of(page, i)) == BYTES_OF_ONE) {
                memcpy(node_of(page, i) + SIZE_HIGH_AT, &high, sizeof high);
                lengthened++;
            }
    assert_true(lengthened > SPILLED_MANY / 2);
}

enum seek { SEEK, SEEK_BEFORE, SEEK_NEXT, SEEK_IN_MEMORY };

/* In a write, of the value that is sought; SEEK_IN_MEMORY: whose leaf the write has changed. */
static enum wr_status seek_it(struct ctx *ctx, struct txn *txn, void *arg)
{
    const enum seek *seek = arg;
    struct cursor c = { 0 };
    struct slice key, value;
    uint8_t at[ID_BYTES + 1] = { 0 };
    enum wr_status st;

    put_u64(at, SPILLED);
    if (*seek == SEEK_IN_MEMORY)
        TRY(store_put(ctx, txn, TREE_SPILL, slice_of(at, sizeof at), SLICE_LIT("beside it")));
    TRY(cursor_open(ctx, &c, txn, TREE_SPILL));
    if (*seek == SEEK_NEXT) {
        st = cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value);
        for (int n = 0; st == WR_OK && n < SPILLED; n++)
            st = cursor_next(ctx, &c, &key, &value);
    } else {
        st = (*seek == SEEK_BEFORE ? cursor_seek_before : cursor_seek)(ctx, &c, slice_of(at, *seek == SEEK_BEFORE ? sizeof at : ID_BYTES), &key, &value);
    }
    cursor_close(&c);
    return st;
}

static void a_value_that_reaches_out_of_its_leaf_is_told(void **state)
{
    (void)state;

    for (enum seek seek = SEEK; seek <= SEEK_IN_MEMORY; seek++) {
        struct database db;
        struct txn *txn = NULL;
        open_with_damage(&db, spill_many, lengthen_values, NULL);
        assert_int_equal(engine_write(&db.ctx, db.engine, seek_it, &seek), WR_CORRUPT);
        if (seek != SEEK_IN_MEMORY) {
            OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
            assert_int_equal(seek_it(&db.ctx, txn, &seek), WR_CORRUPT);
            txn_abort(&txn);
        }
        database_close(&db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_before_a_damaged_page_come_and_then_that_is_told),
        cmocka_unit_test(a_read_that_only_looked_at_a_damaged_page_spoils_no_other),
        cmocka_unit_test(writes_that_a_damaged_page_was_met_between_are_kept),
        cmocka_unit_test(what_lies_in_other_pages_than_it_should_is_not_given_up),
        cmocka_unit_test(what_a_leaf_that_says_it_is_in_memory_has_is_not_changed),
        cmocka_unit_test(a_leaf_that_says_it_has_keys_alone_is_told),
        cmocka_unit_test(a_value_that_reaches_out_of_its_leaf_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
