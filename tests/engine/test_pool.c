/* Answers engine/pool.h: what is parked is the newest anybody has seen, keeps no page, and does not stand in the way of who moves the map. */
#include <pthread.h>
#include <stdatomic.h>

#include "engine/coding.h"
#include "engine/store.h"
#include "tests/engine/database.h"

/* What a read leaves behind is taken by the next one until somebody commits, and keeps no pages from being used again. */
static void a_snapshot_is_kept_until_the_next_commit(void **state)
{
    static uint8_t bytes[100000];
    struct database db;
    struct txn *txn = NULL, *other = NULL;
    struct slice value;
    uint64_t snapshot, first_bytes = 0;
    struct engine_figures figures;
    (void)state;

    database_open_memory(&db);
    struct ctx *ctx = &db.ctx;
    for (uint8_t n = 1; n <= 100; n++) {
        memset(bytes, n, sizeof bytes);
        OK(ctx, txn_begin_write(ctx, db.engine, &txn));
        OK(ctx, store_put(ctx, txn, TREE_GRAVES, slice_str("key"), slice_of(bytes, sizeof bytes)));
        OK(ctx, txn_commit(ctx, &txn));
        OK(ctx, txn_begin_read(ctx, db.engine, &txn));
        snapshot = store_snapshot(txn);
        txn_abort(&txn);
        OK(ctx, txn_begin_read(ctx, db.engine, &txn));
        OK(ctx, txn_begin_read(ctx, db.engine, &other)); /* two are kept then */
        for (int i = 0; i < 2; i++) {
            struct txn *read = i ? other : txn;
            assert_int_equal(store_snapshot(read), snapshot);
            OK(ctx, store_get(ctx, read, TREE_GRAVES, slice_str("key"), &value));
            assert_true(slice_eq(value, slice_of(bytes, sizeof bytes)));
        }
        txn_abort(&txn);
        txn_abort(&other);
        OK(ctx, engine_figures(ctx, db.engine, &figures));
        if (n == 10)
            first_bytes = figures.used_bytes + figures.free_bytes;
    }
    assert_true(figures.used_bytes + figures.free_bytes <= first_bytes);
    database_close(&db);
}

/* ---- threads that tell each other ---- */

enum { READERS = 24, COMMITS = 5000, /* more readers than places to park: some share one */
       FILLERS = 3000, FILLER_BYTES = 4000 };

static struct {
    struct database db;
    _Atomic uint32_t told; /* a number that somebody has seen, or has committed */
    _Atomic bool over;
    _Atomic long reads, older;
} shared;

static void tell(uint32_t number)
{
    uint32_t told = atomic_load(&shared.told);

    while (told < number && !atomic_compare_exchange_weak(&shared.told, &told, number))
        ;
}

static void *read_on(void *arg)
{
    struct arena arena;
    struct ctx ctx;
    (void)arg;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    while (!atomic_load(&shared.over)) {
        struct txn *txn = NULL;
        struct slice value;
        uint32_t told = atomic_load(&shared.told);
        OK(&ctx, txn_begin_read(&ctx, shared.db.engine, &txn));
        OK(&ctx, store_get(&ctx, txn, TREE_GRAVES, slice_str("number"), &value));
        uint32_t number = slice_is_null(value) ? 0 : read_u32(value.data);
        atomic_fetch_add(&shared.older, number < told);
        tell(number);
        txn_abort(&txn);
        atomic_fetch_add(&shared.reads, 1);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

static void commit(struct ctx *ctx, uint32_t number)
{
    static uint8_t filler[FILLER_BYTES];
    struct txn *txn = NULL;
    uint8_t bytes[4], place[4];
    uint64_t seen = engine_map_bytes(shared.db.engine);
    enum wr_status st;

    put_u32(bytes, number);
    put_u32(place, number % FILLERS);
    while ((st = txn_begin_write(ctx, shared.db.engine, &txn)) == WR_OK) {
        st = store_put(ctx, txn, TREE_GRAVES, slice_str("number"), slice_of(bytes, 4));
        if (st == WR_OK)
            st = store_put(ctx, txn, TREE_GRAVES, slice_of(place, 4), slice_of(filler, sizeof filler));
        if (st == WR_OK)
            st = txn_commit(ctx, &txn);
        if (st != WR_FULL)
            break;
        txn_abort(&txn);
        OK(ctx, engine_grow(ctx, shared.db.engine, seen));
        seen = engine_map_bytes(shared.db.engine);
    }
    OK(ctx, st);
    tell(number);
}

/* The map grows some times meanwhile, past readers that are parked. */
static void nobody_sees_what_is_older_than_somebody_has_seen(void **state)
{
    struct engine_options options = { .create = true, .map_bytes = 1 << 20 };
    struct ctx *ctx = &shared.db.ctx;
    pthread_t threads[READERS];
    (void)state;

    database_init(&shared.db);
    OK(ctx, engine_open(ctx, &options, &shared.db.engine));
    uint64_t bytes = engine_map_bytes(shared.db.engine);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, NULL), 0);
    for (uint32_t n = 1; n <= COMMITS; n++) {
        commit(ctx, n);
        arena_reset(&shared.db.arena);
    }
    atomic_store(&shared.over, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shared.older), 0);
    assert_true(atomic_load(&shared.reads) > 0);
    assert_true(engine_map_bytes(shared.db.engine) >= 8 * bytes);
    database_close(&shared.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_is_kept_until_the_next_commit),
        cmocka_unit_test(nobody_sees_what_is_older_than_somebody_has_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
