/* Answers engine/snapshot.h: its cursor goes where LMDB's goes, and over damaged pages it ends, and gives nothing that does not lie in them. */
#include "engine/snapshot.h"

#include "engine/look.h"
#include "tests/engine/entries.h"

enum move { TO_FIRST, TO_LAST, NEXT, BACK, FROM, UP_TO, BEFORE, AT, MOVES };

static int move(struct snapshot_cursor *c, enum move m, struct slice at, struct slice *key, struct slice *value)
{
    switch (m) {
    case TO_FIRST: case TO_LAST: return snapshot_end(c, m == TO_LAST, key, value);
    case NEXT: case BACK: return snapshot_step(c, m == BACK, key, value);
    case FROM: return snapshot_from(c, at, key, value);
    case UP_TO: return snapshot_up_to(c, at, key, value);
    case BEFORE: return snapshot_before(c, at, key, value);
    default: return snapshot_at(c, at, key, value);
    }
}

static int move_lmdb(MDB_cursor *cursor, enum move m, struct slice at, MDB_val *k, MDB_val *v)
{
    static const MDB_cursor_op ops[] = { [TO_FIRST] = MDB_FIRST, [TO_LAST] = MDB_LAST, [NEXT] = MDB_NEXT, [BACK] = MDB_PREV, [FROM] = MDB_SET_RANGE,
                                         [AT] = MDB_SET_KEY };
    bool is_last;

    *k = val_of(at);
    return m == UP_TO || m == BEFORE ? look_floor_of(cursor, at, m == UP_TO ? FLOOR_AT : FLOOR_BEFORE, k, v, &is_last)
                                     : mdb_cursor_get(cursor, k, v, ops[m]);
}

/* A key of the tree, or near one, or any. */
static struct slice some_place(uint64_t *seed, uint64_t ids, struct slice known, uint8_t room[STORE_KEY_MAX])
{
    if (known.len == 0 || random_below(seed, 3) == 0)
        return some_key(seed, ids, room);
    memcpy(room, known.data, known.len);
    size_t len = random_below(seed, 3) ? known.len : 1 + random_below(seed, known.len);
    room[random_below(seed, len)] += (uint8_t)(random_below(seed, 3) - 1);
    return slice_of(room, len);
}

/* How often something was found. */
static uint32_t go_beside(struct txn *txn, uint64_t *seed, uint64_t ids, uint32_t moves)
{
    struct slice key = SLICE_EMPTY, value;
    struct snapshot_tree tree;
    struct snapshot_cursor c;
    uint8_t room[STORE_KEY_MAX];
    uint32_t found = 0;
    MDB_cursor *cursor;
    MDB_val k, v;
    bool stands = false;

    assert_int_equal(look_tree(txn, TREE_GRAVES, &tree), 0);
    snapshot_begin(&c, &tree);
    assert_int_equal(snapshot_step(&c, false, &key, &value), MDB_NOTFOUND);
    assert_int_equal(mdb_cursor_open(txn->handle, txn->store->trees[TREE_GRAVES], &cursor), 0);
    for (uint32_t i = 0; i < moves; i++) {
        enum move m = random_below(seed, MOVES);
        if ((m == NEXT || m == BACK) && !stands)
            continue;
        struct slice at = some_place(seed, ids, stands ? key : SLICE_EMPTY, room);
        uint32_t times = m == NEXT || m == BACK ? (uint32_t)(1 + random_below(seed, 300)) : 1;
        for (stands = true; stands && times--;) {
            int code = move_lmdb(cursor, m, at, &k, &v);
            assert_int_equal(move(&c, m, at, &key, &value), code);
            stands = code == 0;
            if (!stands)
                continue;
            found++;
            assert_ptr_equal(key.data, k.mv_data);
            assert_int_equal(key.len, k.mv_size);
            assert_ptr_equal(value.data, v.mv_data);
            assert_int_equal(value.len, v.mv_size);
        }
    }
    mdb_cursor_close(cursor);
    return found;
}

static void it_goes_where_lmdbs_goes(void **state)
{
    static const uint32_t sizes[] = { 0, 1, 5, 200, 3000, 30000 };
    uint64_t seed = 5;
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t ids = 1 + sizes[i] / 4;
        struct txn *txn = NULL;
        struct database db;
        database_open_memory(&db);
        fill(&db, &seed, sizes[i], ids);
        OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
        uint32_t found = go_beside(txn, &seed, ids, 20000);
        assert_true(sizes[i] < 5 || found > 10000);
        txn_abort(&txn);
        database_close(&db);
    }
}

static void where_there_is_no_further_it_stays(void **state)
{
    struct slice key, value, last, first;
    struct snapshot_tree tree;
    struct snapshot_cursor c;
    struct txn *txn = NULL;
    struct database db;
    uint64_t seed = 1;
    (void)state;

    database_open_memory(&db);
    fill(&db, &seed, 3000, 700);
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    assert_int_equal(look_tree(txn, TREE_GRAVES, &tree), 0);
    snapshot_begin(&c, &tree);
    assert_int_equal(snapshot_end(&c, true, &last, &value), 0);
    assert_int_equal(snapshot_step(&c, false, &key, &value), MDB_NOTFOUND);
    assert_int_equal(snapshot_step(&c, true, &key, &value), 0);
    assert_int_equal(snapshot_step(&c, false, &key, &value), 0);
    assert_ptr_equal(key.data, last.data);
    assert_int_equal(snapshot_end(&c, false, &first, &value), 0);
    assert_int_equal(snapshot_step(&c, true, &key, &value), MDB_NOTFOUND);
    assert_int_equal(snapshot_step(&c, false, &key, &value), 0);
    assert_int_equal(snapshot_step(&c, true, &key, &value), 0);
    assert_ptr_equal(key.data, first.data);
    txn_abort(&txn);
    database_close(&db);
}

static void over_damaged_pages_it_ends(void **state)
{
    enum { ROUNDS = 1000, KEYS = 200, STEPS = 3000 };
    struct slice key, value;
    struct snapshot_tree tree;
    struct snapshot_cursor c;
    struct txn *txn = NULL;
    struct database db;
    uint64_t seed = 13;
    uint8_t room[STORE_KEY_MAX];
    uint32_t damaged = 0, gave = 0;
    (void)state;

    database_open_memory(&db);
    fill(&db, &seed, 3000, KEYS);
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    assert_int_equal(look_tree(txn, TREE_GRAVES, &tree), 0);
    const size_t len = tree.pages * DATA_PAGE_BYTES;
    uint8_t *sound = malloc(len), *copy = malloc(len);
    memcpy(sound, tree.map, len);
    tree.map = copy;
    for (int r = 0; r < ROUNDS; r++) {
        if (r % 50 == 0)
            memcpy(copy, sound, len);
        spoil_pages(copy, tree.pages, &seed);
        snapshot_begin(&c, &tree);
        enum move m = random_below(&seed, MOVES);
        int code = move(&c, m, some_key(&seed, KEYS, room), &key, &value);
        for (int i = 0; !code && i < STEPS; i++) {
            assert_true(lies_in(key, copy, len) && lies_in(value, copy, len));
            gave++;
            code = snapshot_step(&c, r % 2, &key, &value);
        }
        assert_true(code == 0 || code == MDB_NOTFOUND || code == MDB_CORRUPTED);
        damaged += code == MDB_CORRUPTED;
    }
    assert_true(damaged > ROUNDS / 4 && gave > ROUNDS);
    txn_abort(&txn);
    free(sound);
    free(copy);
    database_close(&db);
}

/* ---- what is wrong with one page ---- */

enum { LARGE = DATA_PAGE_BYTES + 1 }; /* a value that has two pages of its own at least */

struct damaged {
    struct database db;
    struct txn *txn;
    struct snapshot_tree tree; /* a copy of one that is sound */
    uint8_t *pages;
};

static void damaged_open(struct damaged *d)
{
    uint64_t seed = 1;

    d->txn = NULL;
    database_open_memory(&d->db);
    fill(&d->db, &seed, 3000, 700);
    OK(&d->db.ctx, txn_begin_read(&d->db.ctx, d->db.engine, &d->txn));
    assert_int_equal(look_tree(d->txn, TREE_GRAVES, &d->tree), 0);
    d->pages = aligned_alloc(DATA_PAGE_BYTES, d->tree.pages * DATA_PAGE_BYTES);
    memcpy(d->pages, d->tree.map, d->tree.pages * DATA_PAGE_BYTES);
    d->tree.map = d->pages;
}

static void damaged_close(struct damaged *d)
{
    free(d->pages);
    txn_abort(&d->txn);
    database_close(&d->db);
}

static uint8_t *page_of(struct damaged *d, struct slice key)
{
    return d->pages + (page_under(key.data) - d->pages);
}

static uint8_t *node_of(struct damaged *d, struct slice key)
{
    return d->pages + (key.data - d->pages) - sizeof(struct node_head);
}

/* The first entry whose value is as long, or longer, is sought: what the cursor says. */
static int find_from(struct damaged *d, size_t len, struct slice *key, struct slice *value)
{
    struct snapshot_cursor c;

    snapshot_begin(&c, &d->tree);
    int code = snapshot_end(&c, false, key, value);
    while (!code && value->len < len)
        code = snapshot_step(&c, false, key, value);
    if (code)
        assert_int_equal(snapshot_step(&c, false, key, value), MDB_NOTFOUND); /* it stands nowhere */
    return code;
}

static void a_page_in_the_place_of_another_is_none(void **state)
{
    struct slice key, value, last;
    struct snapshot_cursor c;
    struct damaged d;
    (void)state;

    damaged_open(&d);
    snapshot_begin(&c, &d.tree);
    assert_int_equal(snapshot_end(&c, true, &last, &value), 0);
    assert_int_equal(snapshot_end(&c, false, &key, &value), 0);
    memcpy(page_of(&d, key), page_of(&d, last), DATA_PAGE_BYTES);
    assert_int_equal(snapshot_end(&c, false, &key, &value), MDB_CORRUPTED);
    assert_int_equal(snapshot_step(&c, false, &key, &value), MDB_NOTFOUND);
    assert_int_equal(snapshot_from(&c, slice_of((const uint8_t *)"", 1), &key, &value), MDB_CORRUPTED);
    damaged_close(&d);
}

static void a_value_lies_within_the_pages_there_are(void **state)
{
    struct slice key, value;
    struct damaged d;
    (void)state;

    damaged_open(&d);
    assert_int_equal(find_from(&d, LARGE, &key, &value), 0);
    const uint64_t takes = (sizeof(struct page_head) + value.len + DATA_PAGE_BYTES - 1) / DATA_PAGE_BYTES, fits = d.tree.pages - takes;
    uint8_t *number = node_of(&d, key) + sizeof(struct node_head) + key.len;
    for (uint64_t at = fits - 1; at < d.tree.pages + 2; at++) {
        memcpy(number, &at, sizeof at);
        assert_int_equal(find_from(&d, LARGE, &key, &value), at <= fits ? 0 : MDB_CORRUPTED);
        assert_true(at > fits || lies_in(value, d.pages, d.tree.pages * DATA_PAGE_BYTES));
    }
    damaged_close(&d);
}

/* Neither is there a tree in these trees, nor are there several values of a key. */
static void a_node_is_a_values_or_a_large_ones(void **state)
{
    static const uint16_t others[] = { NODE_IS_TREE, NODE_IS_TREE | NODE_IS_LARGE, 0x04, 0x05, 0x8000 };
    struct slice key, value;
    struct node_head node;
    struct damaged d;
    (void)state;

    for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) {
        damaged_open(&d);
        assert_int_equal(find_from(&d, i % 2 ? LARGE : 0, &key, &value), 0);
        memcpy(&node, node_of(&d, key), sizeof node);
        node.flags = others[i / 2];
        memcpy(node_of(&d, key), &node, sizeof node);
        assert_int_equal(find_from(&d, i % 2 ? LARGE : 0, &key, &value), MDB_CORRUPTED);
        damaged_close(&d);
    }
}

static void what_ends_amid_a_number_of_a_page_is_damaged(void **state)
{
    const uint64_t sound = 2;
    struct slice key, value;
    struct node_head node;
    struct damaged d;
    (void)state;

    damaged_open(&d);
    assert_int_equal(find_from(&d, LARGE, &key, &value), 0);
    uint8_t *at = node_of(&d, key), *page = page_of(&d, key);
    memcpy(&node, at, sizeof node);
    node.key_len = (uint16_t)(page + DATA_PAGE_BYTES - (at + sizeof node) - (sizeof sound - 1));
    memcpy(at, &node, sizeof node);
    memcpy(page + DATA_PAGE_BYTES - (sizeof sound - 1), &sound, sizeof sound); /* with what lies behind it there is one */
    assert_int_equal(find_from(&d, LARGE, &key, &value), MDB_CORRUPTED);
    damaged_close(&d);
}

static void behind_what_is_damaged_it_stands_nowhere(void **state)
{
    const uint16_t outside = UINT16_MAX;
    struct slice key, value, last;
    struct snapshot_cursor c;
    struct damaged d;
    (void)state;

    damaged_open(&d);
    uint8_t *root = d.pages + d.tree.root * DATA_PAGE_BYTES;
    const uint32_t nodes = page_nodes(root, PAGE_IS_BRANCH);
    assert_true(nodes > 1);
    snapshot_begin(&c, &d.tree);
    assert_int_equal(snapshot_end(&c, true, &last, &value), 0);
    for (uint32_t i = 1; i < nodes; i++)
        memcpy(root + sizeof(struct page_head) + i * sizeof outside, &outside, sizeof outside);
    assert_int_equal(snapshot_end(&c, false, &key, &value), 0);
    assert_int_equal(snapshot_from(&c, last, &key, &value), MDB_CORRUPTED);
    assert_int_equal(snapshot_step(&c, false, &key, &value), MDB_NOTFOUND);
    damaged_close(&d);
}

/* ---- what the transaction says of a tree ---- */

static int look_anew(struct txn *txn, struct snapshot_tree *tree)
{
    memset(txn->trees, 0, sizeof txn->trees);
    return look_tree(txn, TREE_GRAVES, tree);
}

static void a_trees_record_is_looked_at(void **state)
{
    static const struct {
        int from_end; /* of the file, the root's page */
        uint16_t depth;
        int code;
    } table[] = { { 1, 1, 0 }, { 1, TREE_DEPTH_MOST, 0 }, { 1, 0, MDB_CORRUPTED }, { 1, TREE_DEPTH_MOST + 1, MDB_CORRUPTED }, { 1, UINT16_MAX, MDB_CORRUPTED },
                  { 0, 1, MDB_CORRUPTED }, { -1, 1, MDB_CORRUPTED } };
    struct tree_record record, sound;
    struct snapshot_tree tree;
    struct database db;
    struct txn *txn = NULL;
    uint64_t seed = 1;
    MDB_val name = val_of(slice_str(store_tree_name(TREE_GRAVES))), value;
    (void)state;

    database_open_memory(&db);
    fill(&db, &seed, 3000, 700);
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    assert_int_equal(mdb_get(txn->handle, txn->store->trees[TREE_META], &name, &value), 0);
    memcpy(&sound, value.mv_data, sizeof sound);
    assert_int_equal(look_anew(txn, &tree), 0);
    const uint64_t pages = tree.pages;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        record = sound;
        record.depth = table[i].depth;
        record.root = pages - (uint64_t)(int64_t)table[i].from_end;
        overwrite(txn, value.mv_data, &record, sizeof record);
        assert_int_equal(look_anew(txn, &tree), table[i].code);
    }
    record.root = NO_PAGE; /* an empty tree has no depth */
    record.depth = 0;
    overwrite(txn, value.mv_data, &record, sizeof record);
    assert_int_equal(look_anew(txn, &tree), 0);
    overwrite(txn, value.mv_data, &sound, sizeof sound);
    uint8_t *size_low = (uint8_t *)value.mv_data - name.mv_size - sizeof(struct node_head);
    for (uint16_t size = sizeof record + 1; size >= sizeof record - 1; size--) {
        overwrite(txn, size_low, &size, sizeof size);
        assert_int_equal(look_anew(txn, &tree), size == sizeof record ? 0 : MDB_CORRUPTED);
    }
    overwrite(txn, size_low, &(uint16_t){ sizeof record }, sizeof(uint16_t));
    overwrite(txn, (const uint8_t *)value.mv_data - 1, "?", 1); /* the last letter of its name: there is none of that name */
    assert_int_equal(look_anew(txn, &tree), MDB_CORRUPTED);
    txn_abort(&txn);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_where_lmdbs_goes),
        cmocka_unit_test(where_there_is_no_further_it_stays),
        cmocka_unit_test(over_damaged_pages_it_ends),
        cmocka_unit_test(a_page_in_the_place_of_another_is_none),
        cmocka_unit_test(a_value_lies_within_the_pages_there_are),
        cmocka_unit_test(a_node_is_a_values_or_a_large_ones),
        cmocka_unit_test(what_ends_amid_a_number_of_a_page_is_damaged),
        cmocka_unit_test(behind_what_is_damaged_it_stands_nowhere),
        cmocka_unit_test(a_trees_record_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
