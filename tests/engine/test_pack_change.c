/* Answers engine/pack.h where chunks are changed one by one: what grows out of one, what comes behind those that are gone, and the room that rows take. */
#include "engine/look.h"
#include "tests/engine/pieces.h"

/* Each from `from` on and before `to` once, of that length; but for one, `other`, of another. */
static void assert_pieces(struct ctx *ctx, struct txn *txn, int from, int to, int other, size_t other_len)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    uint8_t key[12];

    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek(ctx, &c, piece_key(key, -1), &at));
    for (int n = from; n < to; n++) {
        assert_int_equal(at.id, ONE_ID);
        assert_true(slice_eq(at.piece, slice_skip(piece_key(key, n), 8)));
        assert_int_equal(at.value.len, n == other ? other_len : SMALL);
        assert_true(at.value.data[0] == (uint8_t)n);
        OK(ctx, pack_next(ctx, &c, &at));
    }
    assert_int_equal(at.id, 0);
    pack_close(&c);
}

/* The first entry of the only chunk grows until that has no room: what comes behind all belongs to another chunk then. */
static void what_begins_a_chunk_grows_out_of_it(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t elsewhere[8];
    (void)state;

    put_u64(elsewhere, ONE_ID - 1);
    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int n = -1; n < 30; n++)
        put_piece(ctx, txn, n, SMALL);
    OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(elsewhere, sizeof elsewhere), SLICE_EMPTY)); /* so that the chunk is looked for anew */
    put_piece(ctx, txn, -1, 2000);
    for (int n = 30; n < 50; n++)
        put_piece(ctx, txn, n, SMALL);
    assert_pieces(ctx, txn, -1, 50, -1, 2000);
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, txn_begin_read(ctx, db.engine, &txn));
    assert_pieces(ctx, txn, -1, 50, -1, 2000);
    txn_abort(&txn);
    database_close(&db);
}

/* The last entry of a chunk that another transaction has filled grows: it is in a chunk of its own, and not where it was any more. */
static void what_ends_a_chunk_grows_out_of_it(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    (void)state;

    for (int last = 20; last < 60; last++) {
        database_open_memory(&db);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n <= last; n++)
            put_piece(ctx, txn, n, SMALL);
        OK(ctx, txn_commit(ctx, &txn));
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        put_piece(ctx, txn, last, 3000);
        assert_pieces(ctx, txn, 0, last + 1, last, 3000);
        OK(ctx, txn_commit(ctx, &txn));
        database_close(&db);
    }
}

static bool every_one_goes(void *arg, struct slice value)
{
    (void)arg, (void)value;
    return true;
}

/* In the transaction that has written them, and knows where the last of them lay. */
static void behind_those_that_are_sifted_others_come(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    (void)state;

    for (int count = 1; count < 100; count += 7) {
        struct sieve sieve = { every_one_goes, NULL, UINT64_MAX, 0 };
        database_open_memory(&db);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        for (int n = 0; n < 100; n++)
            put_piece(ctx, txn, n, SMALL);
        sieve.most = (uint64_t)count;
        OK(ctx, store_sift(ctx, txn, TREE_ROWS, ONE_ID, SLICE_EMPTY, SLICE_NULL, &sieve));
        assert_int_equal(sieve.gone, count);
        for (int n = 100; n < 150; n++)
            put_piece(ctx, txn, n, SMALL);
        assert_pieces(ctx, txn, count, 150, -1, 0);
        sieve.most = UINT64_MAX;
        OK(ctx, store_sift(ctx, txn, TREE_ROWS, ONE_ID, SLICE_EMPTY, SLICE_NULL, &sieve));
        for (int n = 150; n < 250; n++)
            put_piece(ctx, txn, n, SMALL);
        assert_pieces(ctx, txn, 150, 250, -1, 0);
        OK(ctx, txn_commit(ctx, &txn));
        database_close(&db);
    }
}

/* A cursor whose entry has gone goes on with what is behind that, also if it is another id's that looks like it. */
static void behind_what_has_gone_comes_the_next(void **state)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    uint8_t keys[3][12];
    (void)state;

    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int i = 0; i < 3; i++) {
        put_u64(keys[i], ONE_ID + (uint64_t)i);
        put_u32(keys[i] + 8, SMALL);
        OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(keys[i], 12), slice_str("value")));
    }
    OK(ctx, pack_open(ctx, &c, txn, TREE_ROWS));
    OK(ctx, pack_seek(ctx, &c, slice_of(keys[0], 12), &at));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(at.id, ONE_ID + i);
        OK(ctx, pack_remove(ctx, &c));
        OK(ctx, pack_next(ctx, &c, &at));
    }
    assert_int_equal(at.id, 0);
    pack_close(&c);
    OK(ctx, txn_commit(ctx, &txn));
    database_close(&db);
}

/* Where a transaction has touched so many pages that LMDB may have put some away, the chunk that was looked into last is looked for anew. */
static void what_may_have_been_put_away_is_looked_for(void **state)
{
    struct database db;
    struct ctx *ctx = &db.ctx;
    struct txn *txn = NULL;
    struct slice value;
    uint8_t key[12], put_away[CHUNK_BYTES];
    (void)state;

    database_open_memory(&db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int n = 0; n < 3; n++)
        put_piece(ctx, txn, n, SMALL);
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    OK(ctx, store_get(ctx, txn, TREE_ROWS, piece_key(key, 1), &value));
    struct chunk *looked_into = &txn->finder.found.chunk;
    assert_true(txn->finder.stands && value.data > looked_into->bytes && looked_into->len <= sizeof put_away);
    memcpy(put_away, looked_into->bytes, looked_into->len);
    put_away[value.data - looked_into->bytes] = 'x'; /* something else lies there now */
    looked_into->bytes = put_away;
    txn->own->pages = OWN_PAGES_MOST;
    OK(ctx, store_get(ctx, txn, TREE_ROWS, piece_key(key, 1), &value));
    assert_true(value.len == SMALL && value.data[0] == 1);
    txn_abort(&txn);
    database_close(&db);
}

/* ---- the room it takes ---- */

enum { ROWS = 5000, ROW_BYTES = 100 };

static uint64_t bytes_of(struct database *db, uint32_t (*number)(uint32_t i))
{
    struct engine_figures figures;
    struct txn *txn = NULL;
    uint8_t key[12], value[ROW_BYTES] = { 1 };
    struct ctx *ctx = &db->ctx;

    OK(ctx, txn_begin_write(ctx, db->engine, &txn));
    for (uint32_t i = 0; i < ROWS; i++) {
        put_u64(key, ONE_ID + i % 5); /* in turns, as rooms are written to */
        put_u32(key + 8, number(i / 5));
        OK(ctx, store_put(ctx, txn, TREE_ROWS, slice_of(key, sizeof key), slice_of(value, sizeof value)));
    }
    OK(ctx, txn_commit(ctx, &txn));
    OK(ctx, engine_figures(ctx, db->engine, &figures));
    return figures.used_bytes;
}

static uint32_t upwards(uint32_t i)
{
    return i;
}

static uint32_t downwards(uint32_t i)
{
    return UINT32_MAX - i;
}

static uint32_t in_no_order(uint32_t i)
{
    return i * 2654435761u;
}

static void what_comes_in_order_leaves_full_chunks(void **state)
{
    uint32_t (*const orders[])(uint32_t) = { upwards, downwards, in_no_order };
    const double most[] = { 1.1, 1.1, 1.7 }; /* times the rows' own bytes */
    (void)state;

    for (int i = 0; i < 3; i++) {
        struct database db;
        database_open_memory(&db);
        uint64_t bytes = bytes_of(&db, orders[i]);
        database_close(&db);
        assert_true((double)bytes < most[i] * ROWS * (ROW_BYTES + 4 + 5) + 20 * 4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_begins_a_chunk_grows_out_of_it),
        cmocka_unit_test(what_ends_a_chunk_grows_out_of_it),
        cmocka_unit_test(behind_those_that_are_sifted_others_come),
        cmocka_unit_test(behind_what_has_gone_comes_the_next),
        cmocka_unit_test(what_may_have_been_put_away_is_looked_for),
        cmocka_unit_test(what_comes_in_order_leaves_full_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
