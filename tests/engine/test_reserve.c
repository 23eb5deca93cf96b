/* Answers engine/reserve.h: on a full disk what frees space goes on, and what takes some goes on when there is some again. */
#include "engine/reserve.h"

#include <signal.h>
#include <sys/resource.h>

#include "engine/rig.h"
#include "tests/engine/power.h"

enum { ROWS = 16000, ROUNDS = 2 };

static bool is_there[ROWS];
static uint32_t there;

static enum wr_status delete_kilobyte(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[NUMBER_KEY_BYTES];
    return store_delete(ctx, txn, TREE_ROWS, number_key(key, *(const uint32_t *)arg));
}

typedef void file_limit(uint64_t bytes);

/* Of another program's disk; what the file was promised is its own. */
static void by_the_disk(uint64_t bytes)
{
    atomic_store(&power.room, bytes);
}

/* ulimit -f, which is there before the file has blocks beyond it. */
static void by_rlimit(uint64_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes ? bytes : RLIM_INFINITY;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* As many pages more has the file. */
static void leave(struct database *db, file_limit *limit, size_t bytes)
{
    struct engine_figures figures;
    OK(&db->ctx, engine_figures(&db->ctx, db->engine, &figures));
    limit(figures.file_bytes + bytes);
}

static enum wr_status put(struct database *db, uint32_t n)
{
    enum wr_status st = engine_write(&db->ctx, db->engine, put_kilobyte, &n);
    there += st == WR_OK && !is_there[n];
    is_there[n] |= st == WR_OK;
    return st;
}

static uint32_t any(uint64_t *seed, bool that_is)
{
    uint32_t n;
    assert_int_not_equal(there, that_is ? 0 : ROWS);
    do
        n = (uint32_t)random_below(seed, ROWS);
    while (is_there[n] != that_is);
    return n;
}

/* Until none is taken. */
static void fill_the_disk(struct database *db, uint64_t *seed)
{
    for (int refused = 0; refused < 4;) {
        enum wr_status st = put(db, any(seed, false));
        assert_true(st == WR_OK || st == WR_FULL);
        refused = st == WR_FULL ? refused + 1 : 0;
    }
}

/* Each at once: in full a sync, too, is the deletion's own. */
static void delete_some(struct database *db, uint64_t *seed, uint32_t count)
{
    db->ctx.may_take_reserve = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = any(seed, true);
        OK(&db->ctx, engine_write(&db->ctx, db->engine, delete_kilobyte, &n));
        is_there[n] = false;
        there--;
    }
    db->ctx.may_take_reserve = false;
}

static void check_rows(struct database *db)
{
    struct txn *txn = NULL;
    struct slice got;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (uint32_t n = 0; n < ROWS; n++) {
        uint8_t key[NUMBER_KEY_BYTES];
        OK(&db->ctx, store_get(&db->ctx, txn, TREE_ROWS, number_key(key, n), &got));
        assert_int_equal(slice_is_null(got), !is_there[n]);
    }
    txn_abort(&txn);
}

static void goes_on(enum durability durability, file_limit *limit, size_t room, uint64_t seed)
{
    struct database db;

    rig.gather_after = UINT32_MAX;
    memset(is_there, 0, sizeof is_there);
    there = 0;
    new_disk(&db, durability);
    power_watch(&db, seed);
    power.forgets = true;
    for (uint32_t n = 0; n < ROWS / 16; n++)
        OK(&db.ctx, put(&db, n));
    leave(&db, limit, room);
    for (int round = 0; round < ROUNDS; round++) {
        fill_the_disk(&db, &seed);
        assert_int_equal(put(&db, any(&seed, false)), WR_FULL);
        delete_some(&db, &seed, 1);
        delete_some(&db, &seed, there / 2); /* which leaves more than is kept */
        OK(&db.ctx, put(&db, any(&seed, false)));
        check_rows(&db);
    }
    limit(0);
    OK(&db.ctx, put(&db, 0));
    power_unwatch();
    database_close(&db);
}

static void a_full_disk_lets_deletions_through(void **state)
{
    (void)state;
    goes_on(DURABILITY_NONE, by_the_disk, 100000, 1);
    goes_on(DURABILITY_PERIODIC, by_the_disk, 100000, 2);
    goes_on(DURABILITY_FULL, by_the_disk, 100000, 3);
}

static void so_does_a_file_that_may_not_grow(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    goes_on(DURABILITY_NONE, by_rlimit, 1 << 20, 4);
    goes_on(DURABILITY_PERIODIC, by_rlimit, 1 << 20, 5);
    goes_on(DURABILITY_FULL, by_rlimit, 1 << 20, 6);
    signal(SIGXFSZ, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_full_disk_lets_deletions_through), cmocka_unit_test(so_does_a_file_that_may_not_grow) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
