/* Answers engine/pack.h where a chunk is damaged: who changes what lies there is told, and nothing goes on for ever. */
#include "tests/engine/entries.h"
#include "tests/engine/pieces.h"

static bool none_goes(void *arg, struct slice value)
{
    (void)arg, (void)value;
    return false;
}

/* In the first chunk that there is, these places lead to where another does. */
static void mislead(struct database *db, uint32_t from, uint32_t to, uint32_t like)
{
    struct ctx *ctx = &db->ctx;
    struct cursor c = { 0 };
    struct txn *txn = NULL;
    struct slice key, chunk;
    uint8_t place[CHUNK_PLACE];

    OK(ctx, txn_begin_read(ctx, db->engine, &txn));
    OK(ctx, cursor_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, cursor_seek(ctx, &c, SLICE_EMPTY, &key, &chunk));
    cursor_close(&c);
    memcpy(place, chunk.data + CHUNK_HEAD + like * CHUNK_PLACE, sizeof place);
    for (uint32_t i = from; i < to; i++)
        overwrite(txn, chunk.data + CHUNK_HEAD + i * CHUNK_PLACE, place, sizeof place);
    txn_abort(&txn);
}

/* The last entry of a damaged chunk says that it is the first, or all of them do: who sifts would come to the chunk again and again. */
static void a_chunk_that_leads_back_is_damaged(void **state)
{
    enum { COUNT = 10 };
    static const uint32_t misled[] = { COUNT - 1, 1 }; /* from there on */
    (void)state;

    for (size_t i = 0; i < sizeof misled / sizeof *misled; i++) {
        struct sieve sieve = { none_goes, NULL, UINT64_MAX, 0 };
        struct database db;
        struct ctx *ctx = &db.ctx;
        struct txn *txn = NULL;

        database_open_memory(&db);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n < COUNT; n++)
            put_piece(ctx, txn, n, SMALL);
        OK(ctx, txn_commit(ctx, &txn));
        mislead(&db, misled[i], COUNT, 0);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        assert_int_equal(store_sift(ctx, txn, TREE_ROWS, ONE_ID, SLICE_EMPTY, SLICE_NULL, &sieve), WR_CORRUPT);
        txn_abort(&txn);
        database_close(&db);
    }
}

/* All of its entries are a large one: laid out anew they would be more chunks than sound ones can become. */
static void a_chunk_of_more_than_it_holds_is_damaged(void **state)
{
    enum { COUNT = 20, LARGE = 3000 };
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t key[12], value[LARGE] = { 0 };
    (void)state;

    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    put_piece(ctx, txn, 0, LARGE);
    for (int n = 1; n < COUNT; n++)
        put_piece(ctx, txn, n, 20);
    OK(ctx, txn_commit(ctx, &txn));
    mislead(&db, 1, COUNT, 0);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    assert_int_equal(store_put(ctx, txn, TREE_ROWS, piece_key(key, COUNT / 2), slice_of(value, sizeof value)), WR_CORRUPT);
    txn_abort(&txn);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_that_leads_back_is_damaged),
        cmocka_unit_test(a_chunk_of_more_than_it_holds_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
