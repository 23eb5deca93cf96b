/* engine_verify finds what is wrong: each kind of damage is done by hand, below the rooms that would not do it. */
#include "engine/coding.h"
#include "engine/graveyard.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
#include "engine/token.h"
#include "tests/engine/rows.h"

static enum wr_status no_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                               const struct row *row, enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering, (void)row;
    return emit(emit_arg, SLICE_LIT("term"));
}

static uint64_t partition_id(struct rows *r, struct txn *txn)
{
    struct partition p;
    bool found;
    OK(&r->db.ctx, partition_find(&r->db.ctx, txn, &r->table, slice_str("p"), &p, &found));
    assert_true(found);
    return p.id;
}

static struct slice code_of(struct rows *r, const struct row *row, uint32_t due_s)
{
    struct buf buf;
    buf_init(&buf, &r->db.arena);
    rowcode_encode(&buf, row, due_s);
    return buf_slice(&buf);
}

static void put_code(struct rows *r, struct txn *txn, enum tree tree, const char *clustering, struct row row, uint32_t due_s)
{
    OK(&r->db.ctx, wide_put(&r->db.ctx, txn, tree, partition_id(r, txn), slice_str(clustering), code_of(r, &row, due_s)));
}

/* ---- damages ---- */

static void garbage_row(struct rows *r, struct txn *txn)
{
    OK(&r->db.ctx, wide_put(&r->db.ctx, txn, TREE_ROWS, partition_id(r, txn), slice_str("z"), SLICE_LIT("\x80?")));
}

static void dead_row_among_the_living(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(dead(1, 5, NOW_S)), 0);
}

static void living_row_in_the_graveyard(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_GRAVES, "z", ROW_OF(plain(1, 1, "x")), NOW_S);
}

static void cells_out_of_order(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(at_path(plain(1, 50, "x"), "b"), at_path(plain(1, 50, "x"), "a")), 0);
}

static void row_under_a_range(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "rr", ROW_OF(plain(1, 7, "x")), 0);
}

static void row_under_the_partition(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(plain(1, 1, "x")), 0);
}

static void row_under_a_grave(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "g", ROW_OF(plain(1, 8, "x")), 0);
}

static void expiry_without_due(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(expiring(1, 50, "x", 5, NOW_S + 5)), 0);
}

static void due_without_queue(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(expiring(1, 50, "x", 5, NOW_S + 5)), NOW_S + 5);
}

static void queue_without_due(struct rows *r, struct txn *txn)
{
    struct queue_item item = { NOW_S + 9, QUEUE_ROW, partition_id(r, txn), slice_str("a") };
    OK(&r->db.ctx, queue_put(&r->db.ctx, txn, &item));
}

static void orphan(struct rows *r, struct txn *txn, enum tree tree, uint64_t bit)
{
    uint64_t id;
    struct row row = ROW_OF(plain(1, 5, "x"));
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &id));
    OK(&r->db.ctx, wide_put(&r->db.ctx, txn, tree, bit | id, slice_str("z"), code_of(r, &row, 0)));
}

static void orphan_row(struct rows *r, struct txn *txn)
{
    orphan(r, txn, TREE_ROWS, 0);
}

static void orphan_grave(struct rows *r, struct txn *txn)
{
    orphan(r, txn, TREE_GRAVES, 0);
}

static void orphan_range(struct rows *r, struct txn *txn)
{
    orphan(r, txn, TREE_GRAVES, RANGE_BIT);
}

static void orphan_value(struct rows *r, struct txn *txn)
{
    orphan(r, txn, TREE_SPILL, 0);
}

static void missing_value(struct rows *r, struct txn *txn)
{
    struct cell c = plain(1, 50, "\x80\x80\x01\x05"); /* id 16384, five bytes */
    c.flags = CELL_SPILLED;
    put_code(r, txn, TREE_ROWS, "z", row_of(&c, 1), 0);
}

static void wrong_count(struct rows *r, struct txn *txn)
{
    struct cell c = { .column = 3, .flags = CELL_SPILLED_COLUMN };
    c.value = SLICE_LIT("\x80\x80\x01\x07\x07\0");
    put_code(r, txn, TREE_ROWS, "z", row_of(&c, 1), 0);
}

static void missing_index_entry(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(plain(1, 50, "x")), 0);
}

static void surplus_index_entry(struct rows *r, struct txn *txn)
{
    OK(&r->db.ctx, wide_put(&r->db.ctx, txn, TREE_INDEX, r->table.indexes->index_id, slice_str("01234567890123456789012345"),
                            SLICE_EMPTY));
}

static void way_back_to_nothing(struct rows *r, struct txn *txn)
{
    uint8_t key[16] = { 0 };
    put_u64(key + 8, 123456);
    OK(&r->db.ctx, store_put(&r->db.ctx, txn, TREE_PARTITIONS, slice_of(key, 16), slice_str("nowhere")));
}

static void missing_way_back(struct rows *r, struct txn *txn)
{
    uint8_t key[16] = { 0 };
    put_u64(key + 8, partition_id(r, txn));
    OK(&r->db.ctx, store_delete(&r->db.ctx, txn, TREE_PARTITIONS, slice_of(key, 16)));
}

static void partition_at_a_wrong_token(struct rows *r, struct txn *txn)
{
    uint8_t key[17] = { 0 };
    put_u64(key, r->table.table_id);
    key[16] = 'w';
    OK(&r->db.ctx, store_put(&r->db.ctx, txn, TREE_PARTITIONS, slice_of(key, 17), SLICE_LIT("\x00\x66")));
}

static void overlapping_ranges(struct rows *r, struct txn *txn)
{
    uint8_t value[18] = { 0 };
    put_u64(value, 3);
    value[16] = 1;
    value[17] = 's';
    uint64_t id = RANGE_BIT | partition_id(r, txn);
    OK(&r->db.ctx, wide_put(&r->db.ctx, txn, TREE_GRAVES, id, slice_str("ra"), slice_of(value, 18)));
}

static void unknown_tombstone(struct rows *r, struct txn *txn)
{
    struct row row = ROW_NONE;
    row.deletion = (struct deletion){ 1000, NOW_S };
    put_code(r, txn, TREE_GRAVES, "z", row, NOW_S);
}

/* ---- what lies in the directory ---- */

struct stored_entry {
    struct directory_key physical;
    struct entry entry;
};

static struct stored_entry entry_of(struct rows *r, struct txn *txn)
{
    struct stored_entry e;
    struct slice bytes;

    directory_key(&e.physical, r->table.table_id, token_of(slice_str("p")), slice_str("p"));
    OK(&r->db.ctx, store_get(&r->db.ctx, txn, TREE_PARTITIONS, slice_of(e.physical.bytes, e.physical.len), &bytes));
    OK(&r->db.ctx, ctx_copy(&r->db.ctx, bytes, &bytes));
    assert_true(entry_decode(bytes, &e.entry));
    return e;
}

static void put_entry(struct rows *r, struct txn *txn, const struct stored_entry *e)
{
    struct buf buf;
    buf_init(&buf, &r->db.arena);
    entry_encode(&buf, &e->entry);
    OK(&r->db.ctx, store_put(&r->db.ctx, txn, TREE_PARTITIONS, slice_of(e->physical.bytes, e->physical.len), buf_slice(&buf)));
}

static void an_entry_that_is_none(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    OK(&r->db.ctx, store_put(&r->db.ctx, txn, TREE_PARTITIONS, slice_of(e.physical.bytes, e.physical.len), SLICE_LIT("\x02\x01?")));
}

static void no_way_back_of_what_is_due(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    e.entry.has_back = false;
    put_entry(r, txn, &e);
}

static void a_deletion_that_is_not_due(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    e.entry.due_s = 0;
    put_entry(r, txn, &e);
}

static void tombstones_later_than_known(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    e.entry.tombstone_us = 5; /* those of the range and of the row are of 9 */
    put_entry(r, txn, &e);
}

static void a_cell_later_than_known(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_GRAVES, "z", ROW_OF(dead(1, 1000, NOW_S)), NOW_S);
}

static void one_id_twice(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    directory_key(&e.physical, r->table.table_id, token_of(slice_str("q")), slice_str("q"));
    put_entry(r, txn, &e);
}

static void an_entry_in_both_halves(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    directory_key_bury(&e.physical);
    put_entry(r, txn, &e);
}

static void something_alive_in_the_dead_half(struct rows *r, struct txn *txn)
{
    struct stored_entry e = entry_of(r, txn);
    struct row alive = ROW_OF(plain(7, 50, "x"));
    e.entry.row = code_of(r, &alive, 0);
    directory_key_bury(&e.physical);
    put_entry(r, txn, &e);
}

/* ---- what lies in a row ---- */

static void a_marker_under_the_partition(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_ROWS, "z", marked(ROW_OF(plain(1, 50, "x")), 1), 0);
}

static void a_deletion_under_the_partition(struct rows *r, struct txn *txn)
{
    struct row row = ROW_OF(plain(1, 50, "x"));
    row.deletion = (struct deletion){ 1, NOW_S };
    put_code(r, txn, TREE_ROWS, "z", row, 0);
}

static void columns_out_of_order(struct rows *r, struct txn *txn)
{
    struct complex_deletion deleted[] = { { 4, { 20, NOW_S } }, { 3, { 20, NOW_S } } };
    struct row row = ROW_OF(plain(1, 50, "x"));
    row.complex = deleted;
    row.complex_count = 2;
    put_code(r, txn, TREE_ROWS, "z", row, 0);
}

static void no_marker_where_it_decides(struct rows *r, struct txn *txn)
{
    r->table.marker_decides = true;
    put_code(r, txn, TREE_ROWS, "z", ROW_OF(plain(1, 50, "x")), 0);
}

static void a_tombstone_of_a_view(struct rows *r, struct txn *txn)
{
    (void)txn;
    r->table.derived = true; /* and "g" has been deleted */
}

static void a_grave_for_ever(struct rows *r, struct txn *txn)
{
    put_code(r, txn, TREE_GRAVES, "z", ROW_OF(dead(1, 5, NOW_S)), 0);
}

/* A collection of its own, of one cell that expires in a hundred seconds. */
static void put_collection(struct rows *r, struct txn *txn, const char *clustering, uint64_t id, uint8_t cells, uint32_t expiry_s)
{
    uint8_t stub[16] = { 0 };
    struct buf buf;
    struct cell one = expiring(3, 50, "x", 100, NOW_S + 100), stubbed = { .column = 3, .flags = CELL_SPILLED_COLUMN };

    buf_init(&buf, &r->db.arena);
    rowcode_encode_cell(&buf, &one);
    OK(&r->db.ctx, wide_put(&r->db.ctx, txn, TREE_SPILL, id, slice_str("path"), buf_slice(&buf)));
    buf_init(&buf, &r->db.arena);
    buf_put_varint(&buf, id);
    buf_put_varint(&buf, cells);
    buf_put_varint(&buf, 0);
    buf_put_varint(&buf, 1);
    buf_put_u32(&buf, expiry_s);
    struct slice bytes = buf_slice(&buf);
    memcpy(stub, bytes.data, bytes.len);
    stubbed.value = slice_of(stub, bytes.len);
    put_code(r, txn, TREE_ROWS, clustering, ROW_OF(plain(1, 50, "x"), stubbed), NOW_S + 100);
}

static uint64_t new_id(struct rows *r, struct txn *txn)
{
    uint64_t id;
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &id));
    return id;
}

static void an_expiry_behind_the_stub(struct rows *r, struct txn *txn)
{
    put_collection(r, txn, "z", new_id(r, txn), 1, NOW_S + 99);
}

static void a_cell_too_few(struct rows *r, struct txn *txn)
{
    put_collection(r, txn, "z", new_id(r, txn), 2, NOW_S + 100);
}

static void a_collection_of_two_rows(struct rows *r, struct txn *txn)
{
    uint64_t id = new_id(r, txn);
    put_collection(r, txn, "y", id, 1, NOW_S + 100);
    put_collection(r, txn, "z", id, 1, NOW_S + 100);
}

/* ---- what lies in the queue ---- */

static void a_due_partition_without_a_key(struct rows *r, struct txn *txn)
{
    struct queue_item item = { NOW_S + 9, QUEUE_PARTITION, r->table.table_id, SLICE_EMPTY };
    OK(&r->db.ctx, queue_put(&r->db.ctx, txn, &item));
}

static void a_kind_that_is_none(struct rows *r, struct txn *txn)
{
    struct queue_item item = { NOW_S + 9, 77, partition_id(r, txn), slice_str("a") };
    OK(&r->db.ctx, queue_put(&r->db.ctx, txn, &item));
}

static const struct damage {
    void (*make)(struct rows *r, struct txn *txn);
    const char *told; /* among others, mostly */
} damages[] = {
    { garbage_row, "a row that cannot be read" },
    { dead_row_among_the_living, "a row of which nothing is alive" },
    { living_row_in_the_graveyard, "something alive in the graveyard" },
    { cells_out_of_order, "a row with cells out of order" },
    { row_under_a_range, "a row with a cell of column 1 that is deleted" },
    { row_under_the_partition, "a row with a cell of column 1 that is deleted" },
    { row_under_a_grave, "a cell of column 1 is covered in the graveyard" },
    { expiry_without_due, "a row expires at 1000000005 but is due at 0" },
    { due_without_queue, "a row due at 1000000005 is not in the queue" },
    { queue_without_due, "(kind 4) at 1000000009, which is due at" },
    { orphan_row, "a row of an unknown owner" },
    { orphan_grave, "a tombstone of an unknown owner" },
    { orphan_range, "a tombstone of an unknown owner" },
    { orphan_value, "a large value of an unknown owner" },
    { missing_value, "a large value is missing" },
    { wrong_count, "a collection of 0 cells is counted as 7" },
    { missing_index_entry, "a row is missing in index" },
    { surplus_index_entry, " entries for " },
    { way_back_to_nothing, "a way back to nothing" },
    { missing_way_back, "the way back leads elsewhere" },
    { partition_at_a_wrong_token, "its key and its place in the directory differ" },
    { overlapping_ranges, "range tombstones overlap" },
    { unknown_tombstone, "a tombstone later than its entry knows" },
    { an_entry_that_is_none, "an entry of the directory that cannot be read" },
    { no_way_back_of_what_is_due, "a row is due, but there is no way back" },
    { a_deletion_that_is_not_due, "a deletion that will never be purged" },
    { tombstones_later_than_known, "a range tombstone later than its entry knows" },
    { a_cell_later_than_known, "a tombstone later than its entry knows" },
    { one_id_twice, "two partitions with the id" },
    { an_entry_in_both_halves, "it lies in both halves" },
    { an_entry_in_both_halves, "rows in the dead half" },
    { something_alive_in_the_dead_half, "something alive in the dead half" },
    { a_marker_under_the_partition, "a row with a marker that is deleted" },
    { a_deletion_under_the_partition, "a row with a deletion that is deleted" },
    { columns_out_of_order, "a row with deletions of columns out of order" },
    { no_marker_where_it_decides, "a row without the marker that it lives by" },
    { a_tombstone_of_a_view, "a tombstone in a derived table" },
    { a_grave_for_ever, "a row in the graveyard that will never be purged" },
    { an_expiry_behind_the_stub, "a collection outlives its stub" },
    { a_cell_too_few, "a collection of 1 cells is counted as 2" },
    { a_collection_of_two_rows, "two rows with the large value" },
    { a_due_partition_without_a_key, "(kind 3) at 1000000009, which is due at 0" },
    { a_kind_that_is_none, "(kind 77) at 1000000009, which is due at 0" },
};

struct looked_for {
    const char *told;
    bool found;
};

static void look(void *arg, const char *finding)
{
    struct looked_for *l = arg;
    l->found |= strstr(finding, l->told) != NULL;
}

static void test_every_damage_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct rows r;
        struct index_shape index = { .terms = no_terms };
        struct looked_for looked_for = { .told = damages[i].told };
        struct findings findings = { .report = look, .arg = &looked_for };
        rows_open(&r, true);
        struct txn *txn = rows_write(&r);
        OK(&r.db.ctx, txn_next_id(&r.db.ctx, txn, &index.index_id));
        rows_commit(&r, txn);
        r.table.indexes = &index;
        r.table.index_count = 1;
        delete_partition(&r, "p", 2);
        delete_range(&r, "p", "r", "s", 9);
        delete_row(&r, "p", "g", 9);
        put(&r, "p", "a", ROW_OF(plain(1, 10, "x"), expiring(2, 10, "y", 100, NOW_S + 100)));
        assert_int_equal(rows_findings(&r, false), 0);

        txn = rows_write(&r);
        damages[i].make(&r, txn);
        rows_commit(&r, txn);
        OK(&r.db.ctx, engine_verify(&r.db.ctx, r.db.engine, &findings));
        if (!looked_for.found) {
            print_message("not told: %s\n", damages[i].told);
            assert_true(false);
        }
        database_close(&r.db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_damage_is_told) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
