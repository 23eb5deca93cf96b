/* What the writer remembers of partitions is of the partition that is asked for. */
#include "engine/hash.h"
#include "engine/partition.h"
#include "tests/engine/database.h"

static const struct table_shape shape = { .table_id = 7, .has_clustering = true }, other_shape = { .table_id = 8, .has_clustering = true };

static uint64_t id_of(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice key)
{
    struct place place;

    OK(ctx, place_open(ctx, txn, table, key, &place));
    OK(ctx, place_touch(ctx, txn, &place));
    OK(ctx, place_close(ctx, txn, &place));
    return place.entry.id;
}

/* XXH3 of 17 to 32 bytes takes the first 8 to nothing where they are those of its secret: the next 8 do not count. Of longer ones others are found as well. */
static void keys_of_one_hash_are_two_partitions(void **state)
{
    struct database db;
    struct txn *txn;
    uint8_t a[32] = { 0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 'a' }, b[32], longer[2][300];

    (void)state;
    memcpy(b, a, sizeof b);
    b[8] = 'b';
    memset(longer, 'x', sizeof longer);
    longer[1][299] = 'y';
    const struct slice keys[] = { slice_of(a, sizeof a), slice_of(b, sizeof b), slice_of(longer[0], 300), slice_of(longer[1], 300), SLICE_EMPTY };
    enum { KEYS = sizeof keys / sizeof keys[0] };
    assert_int_equal(hash64(keys[0]), hash64(keys[1]));
    database_open_memory(&db);
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    uint64_t ids[2 * KEYS];
    for (int round = 0; round < 3; round++) /* not there; by the directory; remembered, where it is */
        for (int i = 0; i < 2 * KEYS; i++) {
            uint64_t id = id_of(&db.ctx, txn, i % 2 ? &shape : &other_shape, keys[i / 2]);
            for (int k = 0; k < i; k++)
                assert_int_not_equal(id, ids[k]);
            assert_true(round == 0 || id == ids[i]);
            ids[i] = id;
        }
    txn_abort(&txn);
    database_close(&db);
}

static void what_is_undone_is_forgotten(void **state)
{
    struct database db;
    struct txn *txn;
    struct place place;

    (void)state;
    database_open_memory(&db);
    for (int round = 0; round < 3; round++) {
        OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
        OK(&db.ctx, place_open(&db.ctx, txn, &shape, SLICE_LIT("key"), &place));
        assert_int_equal(place.entry.id, 0);
        id_of(&db.ctx, txn, &shape, SLICE_LIT("key"));
        OK(&db.ctx, place_open(&db.ctx, txn, &shape, SLICE_LIT("key"), &place));
        assert_int_not_equal(place.entry.id, 0);
        txn_abort(&txn);
    }
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(keys_of_one_hash_are_two_partitions), cmocka_unit_test(what_is_undone_is_forgotten) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
