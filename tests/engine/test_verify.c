/* engine_verify finds what is wrong: each kind of damage is done by hand, below the rooms that would not do it. */
#include "engine/coding.h"
#include "engine/graveyard.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
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
    c.value = slice_of("\x80\x80\x01\x07\x07\0\0\0\0", 9);
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

static const struct damage {
    const char *name;
    void (*make)(struct rows *r, struct txn *txn);
} damages[] = {
    { "garbage", garbage_row },
    { "a dead row among the living", dead_row_among_the_living },
    { "a living row in the graveyard", living_row_in_the_graveyard },
    { "cells out of order", cells_out_of_order },
    { "a row under a range tombstone", row_under_a_range },
    { "a row under the partition's deletion", row_under_the_partition },
    { "a row under its grave", row_under_a_grave },
    { "an expiry without a due second", expiry_without_due },
    { "a due second without the queue", due_without_queue },
    { "the queue without a due second", queue_without_due },
    { "a row of no partition", orphan_row },
    { "a grave of no partition", orphan_grave },
    { "a range of no partition", orphan_range },
    { "a large value of no row", orphan_value },
    { "a missing large value", missing_value },
    { "a miscounted collection", wrong_count },
    { "a missing index entry", missing_index_entry },
    { "a surplus index entry", surplus_index_entry },
    { "a way back to nothing", way_back_to_nothing },
    { "a missing way back", missing_way_back },
    { "a partition at a wrong token", partition_at_a_wrong_token },
    { "overlapping ranges", overlapping_ranges },
    { "a tombstone its entry does not know", unknown_tombstone },
};

static void test_every_damage_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct rows r;
        struct index_shape index = { .terms = no_terms };
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
        if (rows_findings(&r, true) == 0) {
            print_message("not found: %s\n", damages[i].name);
            assert_true(false);
        }
        database_close(&r.db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_every_damage_is_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
