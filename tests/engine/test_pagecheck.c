/* What LMDB would end the process over is found before it sees it: pagecheck.h. */
#include "tests/engine/disk.h"

#include "engine/pagecheck.h"

enum { SPILLED = 4000 };

/* ---- a database with trees of some depth, large values and a free list ---- */

static void make_pages(struct database *db)
{
    static struct versions live;
    struct ctx *ctx = &db->ctx;
    struct txn *txn = NULL;
    uint8_t key[ID_BYTES], value[50] = { 7 };

    new_disk(db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(db, &live);
    OK(ctx, txn_begin_write(ctx, db->engine, &txn));
    for (uint32_t n = 0; n < SPILLED; n++) {
        put_u64(key, n);
        OK(ctx, store_put(ctx, txn, TREE_SPILL, slice_of(key, sizeof key), slice_of(value, sizeof value)));
    }
    OK(ctx, catalog_put(ctx, txn, SLICE_LIT("name"), SLICE_LIT("value")));
    OK(ctx, txn_commit(ctx, &txn));
    uint64_t seed = 5;
    change(db, &live, &seed, 20);
    engine_close(db->engine);
    db->engine = NULL;
}

static uint8_t *newest_meta(struct file data, struct meta *out)
{
    struct meta second;
    uint8_t *at = data.bytes;

    assert_true(meta_decode(at, out) && meta_decode(at + PAGE, &second));
    if (second.commit_id > out->commit_id) {
        *out = second;
        at += PAGE;
    }
    return at;
}

static enum wr_status check_file(struct database *db, const struct pages_first *first, struct findings *findings)
{
    char path[192];
    struct meta meta;
    struct file data = load(db, "widerow.db");
    path_in(path, db, "widerow.db");
    int fd = open(path, O_RDONLY);

    assert_true(fd >= 0);
    enum wr_status st = pagecheck(&db->ctx, fd, newest_meta(data, &meta), first, findings);
    close(fd);
    free(data.bytes);
    return st;
}

/* ---- each kind of damage by itself ---- */

static uint8_t *page_of(struct file data, uint64_t number)
{
    assert_true(number < data.len / PAGE);
    return data.bytes + number * PAGE;
}

/* A tree's record, in the main one. */
static uint8_t *record_of(struct file data, const char *name)
{
    struct meta meta;
    newest_meta(data, &meta);
    uint8_t *page = page_of(data, meta.main.root);

    for (unsigned i = 0; i < node_count(page); i++) {
        uint8_t *node = node_of(page, i);
        if (slice_eq_str(slice_of(node + NODE_KEY_AT, native_u16(node + NODE_KEY_LEN_AT)), name))
            return node_value(node);
    }
    print_error("no tree %s\n", name);
    abort();
}

static uint8_t *root_of(struct file data, const char *name)
{
    struct tree_record record;
    memcpy(&record, record_of(data, name), sizeof record);
    return page_of(data, record.root);
}

static uint8_t *branch(struct file data)
{
    uint8_t *page = root_of(data, "spill");
    assert_int_equal(native_u16(page + FLAGS_AT), PAGE_IS_BRANCH);
    assert_true(node_count(page) > 4);
    return page;
}

static uint64_t child(uint8_t *branch, unsigned i)
{
    uint64_t page = 0;
    memcpy(&page, node_of(branch, i), 6);
    return page;
}

static uint8_t *leaf(struct file data)
{
    uint8_t *page = page_of(data, child(branch(data), 1));
    assert_int_equal(native_u16(page + FLAGS_AT), PAGE_IS_LEAF);
    return page;
}

static uint8_t *large_node(struct file data)
{
    uint8_t *page = root_of(data, "rows");
    for (unsigned i = 0; i < node_count(page); i++)
        if (native_u16(node_of(page, i) + NODE_FLAGS_AT) & NODE_IS_LARGE)
            return node_of(page, i);
    print_error("no large value\n");
    abort();
}

static uint8_t *large_page(struct file data)
{
    uint64_t number;
    memcpy(&number, node_value(large_node(data)), sizeof number);
    return page_of(data, number);
}

static uint8_t *free_pages(struct file data)
{
    struct meta meta;
    newest_meta(data, &meta);
    uint8_t *page = page_of(data, meta.free_list.root);
    assert_int_equal(native_u16(page + FLAGS_AT), PAGE_IS_LEAF);
    return node_value(node_of(page, 0));
}

static uint8_t *large_number(struct file data)
{
    return node_value(large_node(data));
}

static uint8_t *third_node(struct file data)
{
    return node_of(leaf(data), 2);
}

static uint8_t *third_child(struct file data)
{
    return node_of(branch(data), 2);
}

static uint8_t *record(struct file data)
{
    return record_of(data, "spill");
}

static uint64_t other_child(struct file data)
{
    return child(branch(data), 1);
}

static uint64_t parent(struct file data)
{
    uint64_t number;
    memcpy(&number, branch(data), sizeof number);
    return number;
}

static uint64_t other_place(struct file data)
{
    return native_u16(leaf(data) + PLACES_AT + 4);
}

enum { DEPTH_AT = 6, ENTRIES_AT = 32, ROOT_AT = 40, TREE_FLAGS_AT = 4 }; /* of a record */

static const struct damage {
    uint8_t *(*in)(struct file data);
    size_t at, bytes;
    uint64_t value;
    uint64_t (*value_of)(struct file data); /* NULL: the one before */
    const char *told;
} damages[] = {
    { leaf, 0, 8, 9999, NULL, "is no leaf of the tree spill" },
    { leaf, FLAGS_AT, 2, PAGE_IS_BRANCH, NULL, "is no leaf of the tree spill" },
    { leaf, FLAGS_AT, 2, PAGE_IS_LEAF | 0x10, NULL, "is no leaf of the tree spill" }, /* dirty, as LMDB has it in memory */
    { leaf, FLAGS_AT, 2, PAGE_IS_LEAF | 0x4000, NULL, "is no leaf of the tree spill" }, /* loose */
    { branch, FLAGS_AT, 2, PAGE_IS_BRANCH | 0x8000, NULL, "is no branch of the tree spill" }, /* to be kept */
    { large_page, FLAGS_AT, 2, PAGE_IS_LARGE | 0x10, NULL, "is no large value of the tree rows" },
    { leaf, PLACES_END_AT, 2, PLACES_AT + 5, NULL, "entries that lie outside" },
    { leaf, PLACES_END_AT, 2, PLACES_AT, NULL, "entries that lie outside" },
    { leaf, NODES_BEGIN_AT, 2, PAGE + 2, NULL, "entries that lie outside" },
    { leaf, NODES_BEGIN_AT, 2, PLACES_AT, NULL, "entries that lie outside" },
    { leaf, PLACES_AT + 6, 2, PAGE - 1, NULL, "entries that lie outside" },
    { leaf, PLACES_AT + 6, 2, 0, other_place, "in no order" },
    { third_node, NODE_KEY_LEN_AT, 2, 60000, NULL, "entries that lie outside" },
    { third_node, 2, 2, 0xFFFF, NULL, "entries that lie outside" }, /* the value's length */
    { third_node, NODE_FLAGS_AT, 2, 4, NULL, "entries that lie outside" },
    { third_node, NODE_KEY_AT, 1, 0xFF, NULL, "in no order" },
    { third_node, NODE_KEY_AT, 8, 0, NULL, "in no order" },
    { branch, PLACES_END_AT, 2, PLACES_AT + 2, NULL, "entries that lie outside" },
    { third_child, 0, 6, UINT64_C(1) << 40, NULL,
      "the tree spill leads to page 1099511627776, which the file has not" },
    { third_child, 0, 6, 0, other_child, "is there twice" },
    { third_child, 0, 6, 0, parent, "is there twice" },
    { large_number, 0, 8, UINT64_C(1) << 40, NULL, "the tree rows leads to page 1099511627776" },
    { large_number, 0, 8, 0, other_child, "is no large value of the tree rows" },
    { large_page, PLACES_END_AT, 4, 0, NULL, "has less than its value of" },
    { large_page, PLACES_END_AT, 4, UINT32_MAX, NULL, "the tree rows leads to page" },
    { record, DEPTH_AT, 2, 33, NULL, "the tree spill says it is 33 pages deep" },
    { record, DEPTH_AT, 2, 0, NULL, "the tree spill says it is 0 pages deep" },
    { record, DEPTH_AT, 2, 1, NULL, "is no leaf of the tree spill" },
    { record, TREE_FLAGS_AT, 2, 4, NULL, "the tree spill is of another kind than ours" },
    { record, ROOT_AT, 8, UINT64_C(1) << 40, NULL, "the tree spill leads to page 1099511627776" },
    { record, ENTRIES_AT, 8, 4001, NULL, "the tree spill has 4000 entries on" },
    { free_pages, 0, 8, 1000, NULL, "the free list has fewer pages than it says" },
    { free_pages, 0, 8, UINT64_MAX, NULL, "the free list has fewer pages than it says" },
    { free_pages, 8, 8, 0, other_child, "is there twice, the second time in the tree of free pages" },
    { free_pages, 8, 8, 1, NULL, "the tree of free pages leads to page 1, which" },
};

static void do_damage(const struct damage *damage, struct file data)
{
    uint64_t value = damage->value_of ? damage->value_of(data) : damage->value;
    memcpy(damage->in(data) + damage->at, &value, damage->bytes);
}

static void keep_first(void *arg, const char *finding)
{
    char *text = arg;
    if (!*text)
        snprintf(text, ERROR_TEXT_MAX, "%s", finding);
}

static void each_kind_of_damage_is_told(void **state)
{
    struct database db;
    (void)state;

    make_pages(&db);
    struct findings none = { .report = NULL };
    OK(&db.ctx, check_file(&db, NULL, &none));
    assert_int_equal(none.count, 0);
    struct file sound = load(&db, "widerow.db");
    struct file data = { malloc(sound.len), sound.len };
    int wrong = 0;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char text[ERROR_TEXT_MAX] = "";
        struct findings findings = { .report = keep_first, .arg = text };
        memcpy(data.bytes, sound.bytes, sound.len);
        do_damage(&damages[i], data);
        save(&db, "widerow.db", data);
        OK(&db.ctx, check_file(&db, NULL, &findings));
        if (!strstr(text, damages[i].told)) {
            print_error("damage %zu: \"%s\", not \"%s\"\n", i, text, damages[i].told);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    free(data.bytes);
    free(sound.bytes);
    database_close(&db);
}

/* ---- by the doors ---- */

static void what_is_read_at_once_is_looked_at_when_opening(void **state)
{
    struct database db;
    struct meta meta;
    (void)state;

    make_pages(&db);
    struct file data = load(&db, "widerow.db");
    newest_meta(data, &meta);
    page_of(data, meta.main.root)[FLAGS_AT] = 0;
    save(&db, "widerow.db", data);
    for (int read_only = 0; read_only < 2; read_only++) {
        assert_int_equal(try_open(&db, DURABILITY_PERIODIC, read_only), WR_CORRUPT);
        assert_non_null(strstr(db.ctx.error, "is no leaf of the tree main"));
    }
    free(data.bytes);
    database_close(&db);
}

/* Who writes takes pages of it. */
static void the_free_list_is_looked_at_when_opening_for_writing(void **state)
{
    struct database db;
    (void)state;

    make_pages(&db);
    struct file data = load(&db, "widerow.db");
    memset(free_pages(data), 0xFF, sizeof(uint64_t));
    save(&db, "widerow.db", data);
    assert_int_equal(try_open(&db, DURABILITY_FULL, false), WR_CORRUPT);
    assert_non_null(strstr(db.ctx.error, "the free list has fewer pages than it says"));
    assert_int_equal(try_open(&db, DURABILITY_FULL, true), WR_OK);
    free(data.bytes);
    database_close(&db);
}

/* Opening looks for rows that are put off, behind all ids of partitions. */
static void what_leads_to_rows_put_off_is_looked_at_when_opening(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    uint8_t key[ID_BYTES], value[50] = { 7 };
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    for (uint32_t n = 0; n < SPILLED; n++) {
        put_u64(key, n);
        OK(&db.ctx, store_put(&db.ctx, txn, TREE_ROWS, slice_of(key, sizeof key), slice_of(value, sizeof value)));
    }
    OK(&db.ctx, txn_commit(&db.ctx, &txn));
    engine_close(db.engine);
    db.engine = NULL;
    for (int last = 1; last >= 0; last--) {
        struct file data = load(&db, "widerow.db");
        uint8_t *branch = root_of(data, "rows");
        assert_int_equal(native_u16(branch + FLAGS_AT), PAGE_IS_BRANCH);
        uint8_t *leaf = page_of(data, child(branch, last ? node_count(branch) - 1 : 0)), flags = leaf[FLAGS_AT];
        leaf[FLAGS_AT] = 0;
        save(&db, "widerow.db", data);
        assert_int_equal(try_open(&db, DURABILITY_PERIODIC, true), last ? WR_CORRUPT : WR_OK);
        if (last)
            assert_non_null(strstr(db.ctx.error, "is no leaf of the tree rows"));
        leaf[FLAGS_AT] = flags;
        save(&db, "widerow.db", data);
        free(data.bytes);
    }
    database_close(&db);
}

static void a_check_reads_nothing_of_damaged_pages(void **state)
{
    struct database db;
    char text[ERROR_TEXT_MAX] = "";
    struct findings findings = { .report = keep_first, .arg = text };
    (void)state;

    make_pages(&db);
    struct file data = load(&db, "widerow.db");
    do_damage(&damages[1], data);
    save(&db, "widerow.db", data);
    assert_int_equal(try_open(&db, DURABILITY_PERIODIC, true), WR_OK);
    OK(&db.ctx, engine_verify(&db.ctx, db.engine, &findings));
    assert_int_equal(findings.count, 1);
    assert_true(findings.unreadable);
    assert_non_null(strstr(text, "is no leaf of the tree spill"));
    free(data.bytes);
    database_close(&db);
}

static void what_is_cut_off_while_it_is_open_is_told(void **state)
{
    struct database db;
    char path[192], text[ERROR_TEXT_MAX] = "";
    struct findings findings = { .report = keep_first, .arg = text };
    (void)state;

    make_pages(&db);
    struct file data = load(&db, "widerow.db");
    path_in(path, &db, "widerow.db");
    assert_int_equal(truncate(path, (off_t)(data.len / 2)), 0);
    struct meta meta;
    int fd = open(path, O_RDONLY);
    OK(&db.ctx, pagecheck(&db.ctx, fd, newest_meta(data, &meta), NULL, &findings));
    close(fd);
    assert_true(findings.count > 0);
    assert_non_null(strstr(text, "lies behind the end of the file"));
    free(data.bytes);
    database_close(&db);
}

/* ---- any damage ---- */

static enum wr_status read_tree(struct ctx *ctx, struct txn *txn, enum tree tree)
{
    struct cursor c = { 0 };
    struct slice key, value;

    TRY(cursor_open(ctx, &c, txn, tree));
    enum wr_status st = cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value);
    while (st == WR_OK && !slice_is_null(key))
        st = cursor_next(ctx, &c, &key, &value);
    cursor_close(&c);
    return st;
}

/* By LMDB. */
static void read_all(struct database *db)
{
    struct txn *txn = NULL;
    if (try_open(db, DURABILITY_PERIODIC, true) != WR_OK)
        return;
    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (enum tree tree = TREE_CATALOG; tree < TREE_COUNT; tree++)
        if (!tree_is_packed(tree))
            OK(&db->ctx, read_tree(&db->ctx, txn, tree));
    txn_abort(&txn);
    engine_close(db->engine);
    db->engine = NULL;
}

static int damage_and_read(struct database *db)
{
    enum { TRIES = 300 };
    struct file sound = load(db, "widerow.db"), data = { malloc(sound.len), sound.len };
    uint64_t seed = 11;
    int found = 0;

    for (int i = 0; i < TRIES; i++) {
        struct findings findings = { .report = NULL };
        memcpy(data.bytes, sound.bytes, sound.len);
        for (uint64_t n = 1 + random_below(&seed, 30); n > 0; n--) {
            size_t page = 2 + random_below(&seed, sound.len / PAGE - 2),
                   at = random_below(&seed, random_below(&seed, 2) ? 64 : PAGE);
            data.bytes[page * PAGE + at] ^= (uint8_t)(1 << random_below(&seed, 8));
        }
        save(db, "widerow.db", data);
        OK(&db->ctx, check_file(db, NULL, &findings));
        if (findings.count)
            found++;
        else
            read_all(db);
    }
    free(sound.bytes);
    free(data.bytes);
    return found > 10 && found < TRIES - 10 ? 0 : 1;
}

static void what_has_no_findings_can_be_read(void **state)
{
    struct database db;
    (void)state;

    make_pages(&db);
    assert_int_equal(in_child(damage_and_read, &db), 0);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_damage_is_told),
        cmocka_unit_test(what_is_read_at_once_is_looked_at_when_opening),
        cmocka_unit_test(the_free_list_is_looked_at_when_opening_for_writing),
        cmocka_unit_test(what_leads_to_rows_put_off_is_looked_at_when_opening),
        cmocka_unit_test(a_check_reads_nothing_of_damaged_pages),
        cmocka_unit_test(what_is_cut_off_while_it_is_open_is_told),
        cmocka_unit_test(what_has_no_findings_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
