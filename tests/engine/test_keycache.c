/* Answers engine/keycache.h: a place is that of its snapshot and no other, whoever reads meanwhile, and who reads little remembers nothing. */
#include "engine/keycache.h"

#include <pthread.h>
#include <sched.h>

#include "engine/coding.h"
#include "tests/engine/database.h"

enum { KEYS = 4000, READS = 16 * KEYS };

/* Keys of all lengths, values of none, few and many bytes; what a value says changes with the generation. */
static struct slice key_of(uint8_t key[STORE_KEY_MAX], unsigned n)
{
    uint64_t seed = n;

    put_u64(key, 1 + n % 3);
    put_u64(key + 8, random_next(&seed));
    memset(key + 16, 'k', STORE_KEY_MAX - 16);
    snprintf((char *)key + 16, 12, "%u", n);
    return slice_of(key, n % 50 == 0 ? STORE_KEY_MAX : 16 + strlen((char *)key + 16));
}

static struct slice value_of(uint8_t value[10000], unsigned n, unsigned generation)
{
    static const size_t sizes[] = { 0, 8, 9, 500, 1500, 3000, 10000 };
    size_t len = n % 100 == 99 ? sizes[n / 100 % 7] : 20 + n % 60;

    memset(value, (int)(n * 7 + generation), len);
    return slice_of(value, len);
}

static void put_keys(struct database *db, unsigned step, unsigned generation)
{
    static uint8_t key[STORE_KEY_MAX], value[10000];
    struct txn *txn = NULL;

    OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
    for (unsigned n = 0; n < KEYS; n += step)
        OK(&db->ctx, store_put(&db->ctx, txn, TREE_PARTITIONS, key_of(key, n), value_of(value, n, generation)));
    OK(&db->ctx, txn_commit(&db->ctx, &txn));
}

static bool is_right(struct ctx *ctx, struct txn *txn, unsigned n, unsigned generation)
{
    uint8_t key[STORE_KEY_MAX], value[10000];
    struct slice found = SLICE_NULL;

    return store_get(ctx, txn, TREE_PARTITIONS, key_of(key, n), &found) == WR_OK && slice_eq(found, value_of(value, n, generation));
}

static void read_keys(struct database *db, struct txn *txn, unsigned reads, unsigned generation)
{
    for (unsigned i = 0; i < reads; i++)
        assert_true(is_right(&db->ctx, txn, i % KEYS, generation));
}

/* How many keys this transaction knows the places of, all of them right. */
static unsigned known_to(struct txn *txn, unsigned generation)
{
    static uint8_t key[STORE_KEY_MAX], value[10000];
    unsigned known = 0;
    bool wanted;
    MDB_val v;

    for (unsigned n = 0; n < KEYS; n++) {
        if (!keycache_get(txn, key_of(key, n), &v, &wanted))
            continue;
        known++;
        assert_true(slice_eq(slice_of(v.mv_data, v.mv_size), value_of(value, n, generation)));
    }
    return known;
}

/* One that has been parked before. */
static struct txn *begin(struct database *db)
{
    struct txn *txn = NULL;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    txn_abort(&txn);
    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    return txn;
}

static void places_are_those_of_a_snapshot(void **state)
{
    struct database db;
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    struct txn *old = begin(&db), *new = NULL;
    read_keys(&db, old, READS, 1);
    assert_in_range(known_to(old, 1), KEYS * 9 / 10, KEYS);

    put_keys(&db, 1, 2);
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &new));
    assert_int_equal(known_to(new, 2), 0);
    read_keys(&db, new, READS, 2);
    assert_in_range(known_to(new, 2), KEYS * 9 / 10, KEYS);
    read_keys(&db, old, READS, 1); /* and back: a place of the one is none of the other */
    assert_in_range(known_to(old, 1), KEYS * 9 / 10, KEYS);
    txn_abort(&old);
    txn_abort(&new);

    new = begin(&db);
    read_keys(&db, new, READS, 2);
    assert_in_range(known_to(new, 2), KEYS * 9 / 10, KEYS);
    txn_abort(&new);
    database_close(&db);
}

/* Numbers of snapshots are remembered by their low bits: where they come again nothing of before may be found. */
static void numbers_of_snapshots_come_again(void **state)
{
    enum { NUMBERS = 1 << 18, STEP = KEYS / 2 };
    struct database db;
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    struct txn *txn = begin(&db);
    uint64_t first = txn->snapshot;
    read_keys(&db, txn, READS, 1);
    assert_in_range(known_to(txn, 1), KEYS * 9 / 10, KEYS);
    txn_abort(&txn);

    for (uint64_t at = first; at < first + NUMBERS; at++)
        put_keys(&db, STEP, 2);
    OK(&db.ctx, txn_begin_read(&db.ctx, db.engine, &txn));
    assert_int_equal(txn->snapshot, first + NUMBERS);
    for (unsigned i = 0; i < READS; i++)
        assert_true(is_right(&db.ctx, txn, i % KEYS, i % KEYS % STEP ? 1 : 2));
    txn_abort(&txn);
    database_close(&db);
}

static void who_reads_little_remembers_nothing(void **state)
{
    struct database db;
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    for (unsigned generation = 2; generation < 30; generation++) {
        put_keys(&db, KEYS / 10, generation);
        struct txn *txn = begin(&db);
        for (unsigned n = 0; n < KEYCACHE_AFTER; n++)
            assert_true(is_right(&db.ctx, txn, 1, 1));
        assert_int_equal(known_to(txn, 1), 0);
        txn_abort(&txn);
    }
    struct txn *txn = begin(&db); /* each key but once */
    for (unsigned n = 1; n < KEYS; n++)
        assert_true(n % (KEYS / 10) == 0 || is_right(&db.ctx, txn, n, 1));
    assert_in_range(atomic_load(&txn->store->keycache.known), KEYS / 32, KEYS / 8);
    txn_abort(&txn);
    database_close(&db);
}

/* Whoever reads a part of them long enough is told of those beside them. */
static void keys_of_a_page_are_put_together(void **state)
{
    struct database db;
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    struct txn *txn = begin(&db);
    for (unsigned i = 0; i < READS; i++)
        assert_true(is_right(&db.ctx, txn, i * 4 % KEYS, 1));
    assert_in_range(known_to(txn, 1), KEYS * 9 / 10, KEYS);
    txn_abort(&txn);
    put_keys(&db, KEYS / 10, 2);
    txn = begin(&db); /* of which too few are read */
    for (unsigned i = 0; i < KEYS / 16; i++)
        assert_true(is_right(&db.ctx, txn, i * 4 + 1, 1));
    assert_in_range(known_to(txn, 1), 0, KEYS / 16);
    txn_abort(&txn);
    database_close(&db);
}

/* A key that is not there, one that is the end of another, and one that is gone. */
static void keys_are_not_taken_for_others(void **state)
{
    struct database db;
    struct slice found;
    uint8_t key[STORE_KEY_MAX];
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    struct txn *txn = begin(&db);
    for (unsigned i = 0; i < READS; i++) {
        assert_true(is_right(&db.ctx, txn, i % KEYS, 1));
        struct slice whole = key_of(key, i % KEYS);
        OK(&db.ctx, store_get(&db.ctx, txn, TREE_PARTITIONS, slice_skip(whole, 1), &found));
        assert_true(slice_is_null(found));
        OK(&db.ctx, store_get(&db.ctx, txn, TREE_PARTITIONS, slice_of(key, whole.len - 1), &found));
        assert_true(slice_is_null(found));
    }
    txn_abort(&txn);
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    OK(&db.ctx, store_delete(&db.ctx, txn, TREE_PARTITIONS, key_of(key, 5)));
    OK(&db.ctx, store_get(&db.ctx, txn, TREE_PARTITIONS, key_of(key, 5), &found)); /* what is being written is not looked up there */
    assert_true(slice_is_null(found));
    OK(&db.ctx, txn_commit(&db.ctx, &txn));
    txn = begin(&db);
    OK(&db.ctx, store_get(&db.ctx, txn, TREE_PARTITIONS, key_of(key, 5), &found));
    assert_true(slice_is_null(found));
    txn_abort(&txn);
    database_close(&db);
}

static void is_by_beginning(struct ctx *ctx, struct txn *txn, unsigned n, unsigned generation)
{
    uint8_t key[STORE_KEY_MAX], value[10000];
    struct slice whole = key_of(key, n), there, found;

    OK(ctx, store_get_beginning(ctx, txn, whole.data, &there, &found));
    assert_true(slice_eq(there, whole));
    assert_true(slice_eq(found, value_of(value, n, generation)));
    key[15] ^= 1;
    OK(ctx, store_get_beginning(ctx, txn, key, &there, &found));
    assert_true(slice_is_null(there) && slice_is_null(found));
}

/* As whole ones: what the one search remembers the other finds. */
static void keys_are_found_by_their_beginnings(void **state)
{
    struct database db;
    (void)state;

    database_open_memory(&db);
    for (unsigned generation = 1; generation <= 3; generation++) {
        put_keys(&db, 1, generation);
        struct txn *txn = begin(&db);
        for (unsigned i = 0; i < READS; i++) {
            if (i % 3 == generation)
                assert_true(is_right(&db.ctx, txn, i % KEYS, generation));
            else
                is_by_beginning(&db.ctx, txn, i % KEYS, generation);
        }
        assert_true(known_to(txn, generation) > KEYS / 2);
        txn_abort(&txn);
    }
    struct txn *txn = NULL;
    OK(&db.ctx, txn_begin_write(&db.ctx, db.engine, &txn));
    is_by_beginning(&db.ctx, txn, 7, 3);
    txn_abort(&txn);
    database_close(&db);
}

/* What is written until the map is full is given up, so the snapshot stays. */
static void fill_and_grow(struct database *db)
{
    static uint8_t value[10000];
    uint64_t seen = engine_map_bytes(db->engine);
    struct txn *txn = NULL;
    uint8_t key[8];
    enum wr_status st = WR_OK;

    OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
    for (unsigned n = 0; st == WR_OK; n++) {
        put_u64(key, n);
        st = store_put(&db->ctx, txn, TREE_SPILL, slice_of(key, 8), slice_of(value, sizeof value));
    }
    assert_int_equal(st, WR_FULL);
    txn_abort(&txn);
    OK(&db->ctx, engine_grow(&db->ctx, db->engine, seen));
}

static void the_map_may_move(void **state)
{
    struct engine_options options = { .create = true, .map_bytes = 8 << 20, .durability = DURABILITY_PERIODIC };
    struct database db;
    (void)state;

    database_init(&db);
    database_folder(&db);
    options.path = db.path;
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    put_keys(&db, 1, 1);
    for (int times = 0; times < 4; times++) {
        struct txn *txn = begin(&db);
        if (times)
            assert_int_equal(known_to(txn, 1), 0);
        read_keys(&db, txn, READS, 1);
        assert_in_range(known_to(txn, 1), KEYS * 9 / 10, KEYS);
        txn_abort(&txn);
        fill_and_grow(&db);
    }
    database_close(&db);
}

static void nothing_is_remembered_without_address_space(void **state)
{
    struct database db;
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    struct txn *txn = begin(&db);
    struct keycache *cache = &txn->store->keycache;
    txn_abort(&txn);
    keycache_close(cache); /* as it is where the system had none */
    txn = begin(&db);
    read_keys(&db, txn, READS, 1);
    assert_int_equal(known_to(txn, 1), 0);
    txn_abort(&txn);
    database_close(&db);
}

/* ---- threads ---- */

static struct {
    struct database db;
    atomic_bool stop;
    atomic_long wrong, snapshots;
} shared;

/* All that is seen in one transaction is of one generation. */
static void *read_all(void *seed)
{
    struct arena arena;
    struct ctx ctx;
    uint8_t key[STORE_KEY_MAX];

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint64_t state = (uintptr_t)seed; !atomic_load(&shared.stop); atomic_fetch_add(&shared.snapshots, 1)) {
        struct txn *txn = NULL;
        struct slice first = SLICE_NULL;
        if (txn_begin_read(&ctx, shared.db.engine, &txn) != WR_OK ||
            store_get(&ctx, txn, TREE_PARTITIONS, key_of(key, 0), &first) != WR_OK || !first.len) {
            atomic_fetch_add(&shared.wrong, 1);
            break;
        }
        for (unsigned i = 0; i < KEYS && !atomic_load(&shared.stop); i++)
            atomic_fetch_add(&shared.wrong, !is_right(&ctx, txn, (unsigned)(random_next(&state) % 500), first.data[0]));
        txn_abort(&txn);
    }
    arena_release(&arena);
    return NULL;
}

static void readers_beside_a_writer(void **state)
{
    enum { READERS = 4, COMMITS = 60 };
    pthread_t threads[READERS];
    struct timespec nap = { .tv_nsec = 3000000 };
    (void)state;

    database_open_memory(&shared.db);
    put_keys(&shared.db, 1, 0);
    for (uintptr_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, (void *)(i + 1)), 0);
    for (unsigned generation = 1; generation <= COMMITS; generation++) {
        put_keys(&shared.db, 1, generation);
        long until = atomic_load(&shared.snapshots) + READERS;
        while (atomic_load(&shared.snapshots) < until && !atomic_load(&shared.wrong))
            nanosleep(&nap, NULL);
    }
    atomic_store(&shared.stop, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shared.wrong), 0);
    database_close(&shared.db);
}

/* In one cache behind the other the first place of all is put where another thread looks for it. Of so many in a row, since threads that wait for each other
 * may have to wait for a processor each time. */
enum { CACHES = 100, ROUNDS = 600 };

static struct {
    struct store stores[CACHES]; /* of whom there are but the caches */
    struct txn txns[CACHES];
    atomic_uint begun, looking, put, looked; /* looking, put: how many caches, in all rounds */
    unsigned found;
} race;

static void wait_for_round(atomic_uint *of, unsigned round)
{
    while (atomic_load(of) < round)
        sched_yield();
}

/* A while, so that both are at it at the same moment where each has a processor. */
static void wait_for_look(unsigned number)
{
    enum { SPINS = 1000 };
    for (unsigned spins = 0; spins < SPINS && atomic_load(&race.looking) < number; spins++)
        ;
}

static bool finds_first(struct txn *txn, struct slice key, unsigned number, MDB_val *out)
{
    bool wanted, found = false, last = false;

    atomic_store(&race.looking, number);
    for (unsigned looks = 1; !found && !last; looks++) {
        last = atomic_load(&race.put) >= number;
        found = keycache_get(txn, key, out, &wanted);
        if (looks % 1000 == 0)
            sched_yield();
    }
    return found;
}

static void *look_for_the_first(void *arg)
{
    uint8_t key[STORE_KEY_MAX], value[10000];
    const struct slice wanted_key = key_of(key, 1), wanted_value = value_of(value, 1, 1);
    (void)arg;

    for (unsigned round = 1, number = 0; round <= ROUNDS; round++) {
        wait_for_round(&race.begun, round);
        for (unsigned i = 0; i < CACHES; i++) {
            MDB_val v;
            race.found += finds_first(&race.txns[i], wanted_key, ++number, &v) && slice_eq(slice_of(v.mv_data, v.mv_size), wanted_value);
        }
        atomic_store(&race.looked, round);
    }
    return NULL;
}

static void who_looks_beside_the_first_place(void **state)
{
    struct database db;
    uint8_t key[STORE_KEY_MAX];
    const struct slice wanted_key = key_of(key, 1);
    pthread_t thread;
    struct slice value;
    (void)state;

    database_open_memory(&db);
    put_keys(&db, 1, 1);
    struct txn *txn = begin(&db);
    OK(&db.ctx, store_get(&db.ctx, txn, TREE_PARTITIONS, wanted_key, &value));
    for (int i = 0; i < CACHES; i++) {
        struct keycache *cache = &race.stores[i].keycache;
        keycache_open(cache);
        atomic_store(&cache->searches, KEYCACHE_AFTER);
        atomic_store(&cache->worth, true);
        race.txns[i] = (struct txn){ .store = &race.stores[i], .snapshot = txn->snapshot };
    }
    assert_int_equal(pthread_create(&thread, NULL, look_for_the_first, NULL), 0);
    for (unsigned round = 1, number = 0; round <= ROUNDS; round++) {
        for (int i = 0; i < CACHES; i++)
            keycache_clear(&race.stores[i].keycache);
        atomic_store(&race.begun, round);
        for (int i = 0; i < CACHES; i++) {
            wait_for_look(++number);
            keycache_put(&race.txns[i], wanted_key, val_of(value));
            atomic_store(&race.put, number);
        }
        wait_for_round(&race.looked, round);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(race.found, ROUNDS * CACHES);
    for (int i = 0; i < CACHES; i++)
        keycache_close(&race.stores[i].keycache);
    txn_abort(&txn);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_those_of_a_snapshot), cmocka_unit_test(numbers_of_snapshots_come_again), cmocka_unit_test(who_reads_little_remembers_nothing),
        cmocka_unit_test(keys_of_a_page_are_put_together),
        cmocka_unit_test(keys_are_found_by_their_beginnings),
        cmocka_unit_test(keys_are_not_taken_for_others),  cmocka_unit_test(the_map_may_move),
        cmocka_unit_test(nothing_is_remembered_without_address_space), cmocka_unit_test(readers_beside_a_writer),
        cmocka_unit_test(who_looks_beside_the_first_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
