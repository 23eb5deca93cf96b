/* Answers engine/store.h and the transactions of engine/engine.h. */
#include "engine/rig.h"
#include "tests/engine/database.h"

#include <pthread.h>
#include <sys/stat.h>

#include "engine/coding.h"
#include "engine/store.h"

/* ---- keys and values of these tests: numbers ---- */

static struct slice key_of(uint8_t bytes[4], uint32_t n)
{
    put_u32(bytes, n);
    return slice_of(bytes, 4);
}

static void put_number(struct ctx *ctx, struct txn *txn, enum tree tree, uint32_t n)
{
    uint8_t key[4];
    OK(ctx, store_put(ctx, txn, tree, key_of(key, n), key_of(key, n)));
}

static bool has_number(struct ctx *ctx, struct txn *txn, enum tree tree, uint32_t n)
{
    uint8_t key[4];
    struct slice value;
    OK(ctx, store_get(ctx, txn, tree, key_of(key, n), &value));
    return !slice_is_null(value);
}

static void assert_number(struct slice key, uint32_t n)
{
    assert_int_equal(key.len, 4);
    assert_int_equal(read_u32(key.data), n);
}

/* ---- entries ---- */

static void what_is_put_is_got_until_it_is_deleted(void **state)
{
    static const size_t lengths[] = { 0, 1, 100, 2000, 4096, 70000, 3 << 20 };
    static const char *const names[] = { "key0", "key1", "key2", "key3", "key4", "key5", "key6" };
    static uint8_t bytes[3 << 20];
    struct database db;
    struct txn *txn = NULL;
    struct slice value;
    uint8_t *room;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    assert_true(txn_is_write(txn));
    assert_ptr_equal(txn_engine(txn), db.engine);
    for (int tree = 0; tree < TREE_COUNT; tree++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if (tree_is_packed((enum tree)tree)) /* whose keys begin with ids: test_pack.c */
                continue;
            struct slice key = slice_str(names[i]);
            OK(ctx, store_put(ctx, txn, (enum tree)tree, key, slice_of(bytes, lengths[i])));
            OK(ctx, store_get(ctx, txn, (enum tree)tree, key, &value));
            assert_true(slice_eq(value, slice_of(bytes, lengths[i])));
            assert_non_null(value.data);
        }
    OK(ctx, store_reserve(ctx, txn, TREE_SPILL, slice_str("key1"), 5, &room));
    memcpy(room, "hello", 5);
    OK(ctx, txn_commit(ctx, &txn));
    assert_null(txn);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    OK(ctx, store_get(ctx, txn, TREE_SPILL, slice_str("key1"), &value));
    assert_true(slice_eq_str(value, "hello"));
    OK(ctx, store_delete(ctx, txn, TREE_SPILL, slice_str("key1")));
    OK(ctx, store_delete(ctx, txn, TREE_SPILL, slice_str("key1")));
    OK(ctx, store_get(ctx, txn, TREE_SPILL, slice_str("key1"), &value));
    assert_null(value.data);
    OK(ctx, store_get(ctx, txn, TREE_GRAVES, slice_str("key1"), &value));
    assert_int_equal(value.len, 1);
    txn_abort(&txn);
    assert_null(txn);
    txn_abort(&txn);
    database_close(&db);
}

static void keys_fit_up_to_the_limit_and_no_further(void **state)
{
    uint8_t bytes[STORE_KEY_MAX + 1] = { 0 };
    struct database db;
    struct txn *txn = NULL;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    OK(ctx, store_put(ctx, txn, TREE_GRAVES, slice_of(bytes, STORE_KEY_MAX), SLICE_EMPTY));
    assert_int_equal(store_put(ctx, txn, TREE_GRAVES, slice_of(bytes, STORE_KEY_MAX + 1), SLICE_EMPTY), WR_MISUSE);
    assert_int_equal(store_put(ctx, txn, TREE_GRAVES, SLICE_EMPTY, SLICE_EMPTY), WR_MISUSE);
    OK(ctx, txn_commit(ctx, &txn));
    database_close(&db);
}

/* ---- cursors ---- */

enum { NUMBERS = 3000, STEP = 3 };

static void put_multiples(struct ctx *ctx, struct database *db)
{
    struct txn *txn = NULL;
    OK(ctx, txn_begin_write(ctx, db->engine, &txn));
    for (uint32_t n = 0; n < NUMBERS; n += STEP)
        put_number(ctx, txn, TREE_GRAVES, n);
    OK(ctx, txn_commit(ctx, &txn));
}

static void assert_moves(struct ctx *ctx, struct txn *txn)
{
    struct cursor c = { 0 };
    struct slice key, value;
    uint8_t at[4];

    OK(ctx, cursor_open(ctx, &c, txn, TREE_GRAVES));
    for (uint32_t n = 0; n < NUMBERS + STEP; n++) {
        uint32_t above = (n + STEP - 1) / STEP * STEP;
        OK(ctx, cursor_seek(ctx, &c, key_of(at, n), &key, &value));
        if (above < NUMBERS)
            assert_number(key, above);
        else
            assert_null(key.data);
        OK(ctx, cursor_seek_before(ctx, &c, key_of(at, n), &key, &value));
        if (above > NUMBERS)
            above = NUMBERS;
        if (n > 0)
            assert_number(key, above - STEP);
        else
            assert_null(key.data);
    }
    OK(ctx, cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
    for (uint32_t n = 0; n < NUMBERS; n += STEP) {
        assert_number(key, n);
        assert_number(value, n);
        OK(ctx, cursor_next(ctx, &c, &key, &value));
    }
    assert_null(key.data);
    OK(ctx, cursor_seek_before(ctx, &c, SLICE_NULL, &key, &value));
    for (uint32_t n = NUMBERS; n > 0; n -= STEP) {
        assert_number(key, n - STEP);
        OK(ctx, cursor_prev(ctx, &c, &key, &value));
    }
    assert_null(key.data);
    OK(ctx, cursor_seek_before(ctx, &c, SLICE_EMPTY, &key, &value));
    assert_null(key.data);
    cursor_close(&c);
    cursor_close(&c);
    OK(ctx, cursor_open(ctx, &c, txn, TREE_SPILL));
    OK(ctx, cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
    assert_null(key.data);
    OK(ctx, cursor_seek_before(ctx, &c, SLICE_NULL, &key, &value));
    assert_null(key.data);
    cursor_close(&c);
}

static void a_cursor_moves_both_ways_from_anywhere(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    put_multiples(ctx, &db);
    for (int again = 0; again < 2; again++) {
        OK(ctx, txn_begin_read(ctx, db.engine, &txn));
        assert_moves(ctx, txn);
        txn_abort(&txn);
    }
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    assert_moves(ctx, txn);
    txn_abort(&txn);
    database_close(&db);
}

static void several_cursors_stand_on_one_tree(void **state)
{
    enum { CURSORS = 12 };
    struct database db;
    struct txn *txn = NULL;
    struct slice key, value;
    uint8_t at[4];
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    put_multiples(ctx, &db);
    for (int write = 0; write < 2; write++) {
        struct cursor cursors[CURSORS] = { { 0 } };
        OK(ctx, (write ? txn_begin_write : txn_begin_read)(ctx, db.engine, &txn));
        for (uint32_t i = 0; i < CURSORS; i++) {
            OK(ctx, cursor_open(ctx, &cursors[i], txn, TREE_GRAVES));
            OK(ctx, cursor_seek(ctx, &cursors[i], key_of(at, i * 30), &key, &value));
        }
        for (uint32_t step = 1; step < 100; step++)
            for (uint32_t i = 0; i < CURSORS; i++) {
                OK(ctx, cursor_next(ctx, &cursors[i], &key, &value));
                assert_number(key, i * 30 + step * STEP);
            }
        for (uint32_t i = 0; i < CURSORS; i++)
            cursor_close(&cursors[i]);
        txn_abort(&txn);
    }
    database_close(&db);
}

static void a_cursor_deletes_where_it_stands_and_goes_on(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    struct slice key, value;
    uint64_t seed = 3;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    put_multiples(ctx, &db);
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    for (int pass = 0; pass < 3; pass++) { /* the last one removes what the others left */
        struct cursor c = { 0 };
        uint32_t last = 0;
        OK(ctx, cursor_open(ctx, &c, txn, TREE_GRAVES));
        OK(ctx, cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
        for (bool first = true; key.data; first = false) {
            uint32_t n = read_u32(key.data);
            assert_true(first || n > last);
            last = n;
            if (pass == 2 || random_below(&seed, 2)) {
                OK(ctx, cursor_delete(ctx, &c));
                assert_false(has_number(ctx, txn, TREE_GRAVES, n));
            }
            OK(ctx, cursor_next(ctx, &c, &key, &value));
        }
        cursor_close(&c);
    }
    for (uint32_t n = 0; n < NUMBERS; n++)
        assert_false(has_number(ctx, txn, TREE_GRAVES, n));
    OK(ctx, txn_commit(ctx, &txn));
    database_close(&db);
}

/* ---- snapshots ---- */

static void a_reader_sees_what_was_committed_when_it_began(void **state)
{
    struct database db;
    struct txn *before = NULL, *after = NULL, *writer = NULL;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_read(ctx, db.engine, &before));
    OK(ctx, txn_begin_write(ctx, db.engine, &writer));
    put_number(ctx, writer, TREE_GRAVES, 1);
    assert_true(has_number(ctx, writer, TREE_GRAVES, 1));
    assert_false(has_number(ctx, before, TREE_GRAVES, 1));
    OK(ctx, txn_commit(ctx, &writer));
    OK(ctx, txn_begin_read(ctx, db.engine, &after));
    assert_true(has_number(ctx, after, TREE_GRAVES, 1));
    for (int i = 0; i < 50; i++) { /* pages of the old snapshot are not used again */
        OK(ctx, txn_begin_write(ctx, db.engine, &writer));
        for (uint32_t n = 0; n < 100; n++)
            put_number(ctx, writer, TREE_GRAVES, n);
        OK(ctx, txn_commit(ctx, &writer));
    }
    assert_false(has_number(ctx, before, TREE_GRAVES, 1));
    assert_true(has_number(ctx, after, TREE_GRAVES, 1));
    assert_false(has_number(ctx, after, TREE_GRAVES, 2));
    txn_abort(&before);
    OK(ctx, txn_commit(ctx, &after)); /* of a read transaction: its end */
    assert_null(after);
    database_close(&db);
}

static void warm_reads_ask_for_no_memory(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    struct slice key, value;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    put_multiples(ctx, &db);
    long calls = 0;
    for (int i = 0; i < 10; i++) {
        struct cursor c = { 0 };
        if (i == 1)
            calls = mem_calls();
        OK(ctx, txn_begin_read(ctx, db.engine, &txn));
        OK(ctx, cursor_open(ctx, &c, txn, TREE_GRAVES));
        OK(ctx, cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
        cursor_close(&c);
        txn_abort(&txn);
    }
    assert_int_equal(mem_calls(), calls);
    database_close(&db);
}

static void ids_are_never_given_twice(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    uint64_t id, last = 0;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    for (int i = 0; i < 10; i++) {
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        OK(ctx, txn_next_id(ctx, txn, &id));
        assert_true(id > last);
        last = id;
        if (i % 2)
            txn_abort(&txn);
        else
            OK(ctx, txn_commit(ctx, &txn));
    }
    database_close(&db);
}

static void a_thread_that_writes_twice_at_once_is_told(void **state)
{
    struct database db;
    struct txn *first = NULL, *second = NULL;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_write(ctx, db.engine, &first));
    assert_int_equal(txn_begin_write(ctx, db.engine, &second), WR_MISUSE);
    assert_null(second);
    OK(ctx, txn_commit(ctx, &first));
    database_close(&db);
}

static void snapshots_up_to_the_limit_and_one_more_is_refused(void **state)
{
    static struct txn *txns[READERS_MAX];
    struct database db;
    struct txn *more = NULL;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    for (int i = 0; i < READERS_MAX; i++)
        OK(ctx, txn_begin_read(ctx, db.engine, &txns[i]));
    assert_int_equal(txn_begin_read(ctx, db.engine, &more), WR_BUSY);
    assert_null(more);
    OK(ctx, txn_begin_write(ctx, db.engine, &more)); /* a writer needs no slot */
    put_number(ctx, more, TREE_GRAVES, 1);
    OK(ctx, txn_commit(ctx, &more));
    for (int i = 0; i < READERS_MAX; i++)
        txn_abort(&txns[i]);
    OK(ctx, txn_begin_read(ctx, db.engine, &more));
    txn_abort(&more);
    database_close(&db);
}

/* ---- the catalog ---- */

static void the_catalog_lists_names_by_prefix(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    struct slice name, value;
    char seen[32] = "";
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, txn_begin_write(ctx, db.engine, &txn));
    static const char *const names[] = { "a", "t/", "t/1", "t/2", "t/3", "u" };
    for (size_t i = 0; i < 6; i++)
        OK(ctx, catalog_put(ctx, txn, slice_str(names[i]), slice_str(names[i])));
    OK(ctx, catalog_delete(ctx, txn, SLICE_LIT("t/2")));
    OK(ctx, catalog_get(ctx, txn, SLICE_LIT("t/2"), &value));
    assert_null(value.data);
    OK(ctx, catalog_next(ctx, txn, SLICE_LIT("t/"), SLICE_EMPTY, false, &name, &value));
    while (name.data) {
        strncat(seen, (const char *)value.data, value.len);
        strcat(seen, " ");
        OK(ctx, catalog_next(ctx, txn, SLICE_LIT("t/"), name, true, &name, &value));
    }
    assert_string_equal(seen, "t/ t/1 t/3 ");
    OK(ctx, catalog_next(ctx, txn, SLICE_LIT("t/"), SLICE_LIT("t/2"), false, &name, &value));
    assert_true(slice_eq_str(name, "t/3"));
    OK(ctx, catalog_next(ctx, txn, SLICE_LIT("x"), SLICE_EMPTY, false, &name, &value));
    assert_null(name.data);
    OK(ctx, txn_commit(ctx, &txn));
    database_close(&db);
}

/* ---- faults ---- */

static enum wr_status put_some(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct cursor c = { 0 };
    struct slice key, value;
    enum wr_status st;
    uint8_t bytes[4];
    (void)arg;

    for (uint32_t n = 0; n < 5; n++)
        TRY(store_put(ctx, txn, TREE_GRAVES, key_of(bytes, n), SLICE_LIT("value")));
    TRY(store_delete(ctx, txn, TREE_GRAVES, key_of(bytes, 1)));
    TRY_OUT(cursor_open(ctx, &c, txn, TREE_GRAVES));
    TRY_OUT(cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
    TRY_OUT(cursor_delete(ctx, &c));
    TRY_OUT(cursor_next(ctx, &c, &key, &value));
out:
    cursor_close(&c);
    return st;
}

static void whichever_call_fails_the_transaction_is_all_or_nothing(void **state)
{
    struct database db;
    struct txn *txn = NULL;
    bool failed = true;
    (void)state;

    for (long n = 0; failed; n++) {
        database_open_memory(&db);
        struct ctx *ctx = &db.ctx;
        rig.store_fail_after = n;
        enum wr_status st = engine_write(ctx, db.engine, put_some, NULL);
        failed = rig.store_fail_after < 0;
        rig.store_fail_after = -1;
        assert_int_equal(st, failed ? WR_IO : WR_OK);
        OK(ctx, txn_begin_read(ctx, db.engine, &txn));
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(has_number(ctx, txn, TREE_GRAVES, i), !failed && i >= 2);
        txn_abort(&txn);
        OK(ctx, engine_write(ctx, db.engine, put_some, NULL));
        database_close(&db);
        assert_true(n < 100);
    }
}

static void opening_survives_each_failing_allocation(void **state)
{
    struct database db;
    bool failed = true;
    (void)state;

    for (long n = 0; failed; n++) {
        const struct engine_options options = { 0 };
        database_init(&db);
        rig.mem_fail_after = n;
        enum wr_status st = engine_open(&db.ctx, &options, &db.engine);
        failed = rig.mem_fail_after < 0;
        rig.mem_fail_after = -1;
        assert_int_equal(st, failed ? WR_NOMEM : WR_OK);
        database_close(&db);
        assert_true(n < 100);
    }
}

/* LMDB touches it through a map, where a full disk would be a SIGBUS. */
static void the_lock_file_has_no_holes(void **state)
{
    struct database db;
    struct stat found;
    char lock[512];
    (void)state;

    database_init(&db);
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .create = true };
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    snprintf(lock, sizeof lock, "%s/widerow.db-lock", db.path);
    assert_int_equal(stat(lock, &found), 0);
    assert_true(found.st_blocks * 512 >= found.st_size);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_got_until_it_is_deleted),
        cmocka_unit_test(keys_fit_up_to_the_limit_and_no_further),
        cmocka_unit_test(a_cursor_moves_both_ways_from_anywhere),
        cmocka_unit_test(several_cursors_stand_on_one_tree),
        cmocka_unit_test(a_cursor_deletes_where_it_stands_and_goes_on),
        cmocka_unit_test(a_reader_sees_what_was_committed_when_it_began),
        cmocka_unit_test(warm_reads_ask_for_no_memory),
        cmocka_unit_test(ids_are_never_given_twice),
        cmocka_unit_test(a_thread_that_writes_twice_at_once_is_told),
        cmocka_unit_test(snapshots_up_to_the_limit_and_one_more_is_refused),
        cmocka_unit_test(the_catalog_lists_names_by_prefix),
        cmocka_unit_test(whichever_call_fails_the_transaction_is_all_or_nothing),
        cmocka_unit_test(opening_survives_each_failing_allocation),
        cmocka_unit_test(the_lock_file_has_no_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
