/* Answers engine/map.h and store_grow: a small map grows while writes are gathered, and beside whoever holds it; what is told where it cannot. */
#include "engine/rig.h"
#include "tests/engine/disk.h"
#include "tests/sanitized.h"

#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>

static void the_map_grows_within_it(void **state)
{
    enum { MANY = 5000 };
    static const enum durability modes[] = { DURABILITY_NONE /* in memory */, DURABILITY_PERIODIC, DURABILITY_FULL };
    struct engine_options options = { .map_bytes = 1 << 20, .create = true };
    struct database db;
    (void)state;

    rig.gather_after = 0;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        database_init(&db);
        if (i)
            database_folder(&db);
        options.path = i ? db.path : NULL;
        options.durability = modes[i];
        OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
        for (uint32_t n = 0; n < MANY; n++)
            OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_kilobyte, &n));
        assert_kilobytes(&db, MANY);
        database_close(&db);
    }
}

/* ---- beside others ---- */

static _Atomic int sync_ms; /* how long a sync of the data file takes besides */

int fdatasync(int fd)
{
    int ms = atomic_load(&sync_ms);
    if (ms)
        usleep((unsigned)ms * 1000);
    return fsync(fd);
}

enum { GROWERS = 3, READERS = 2, GROWTH = 40, AT_ONCE = 64 };
static atomic_bool grown;

struct worker {
    void (*work)(struct ctx *ctx, const struct worker *w);
    struct engine *engine;
    uint32_t number;
    pthread_t thread;
};

static void *run(void *arg)
{
    const struct worker *w = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    w->work(&ctx, w);
    arena_release(&arena);
    return NULL;
}

static atomic_int runs; /* of put_some_kilobytes */

static enum wr_status put_some_kilobytes(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint32_t first = *(const uint32_t *)arg;

    runs++;
    for (uint32_t n = first; n < first + AT_ONCE; n++)
        TRY(put_kilobyte(ctx, txn, &n));
    return WR_OK;
}

static void write_much(struct ctx *ctx, const struct worker *w)
{
    for (uint32_t n = 0; n < GROWTH; n++) {
        uint32_t first = (n * GROWERS + w->number) * AT_ONCE;
        OK(ctx, engine_write(ctx, w->engine, put_some_kilobytes, &first));
    }
}

static void read_until_grown(struct ctx *ctx, const struct worker *w)
{
    while (!atomic_load(&grown)) {
        struct txn *txn = NULL;
        OK(ctx, txn_begin_read(ctx, w->engine, &txn));
        txn_abort(&txn);
    }
}

static void threads_that_fill_the_map_grow_it_together(void **state)
{
    const struct engine_options options = { .map_bytes = 1 << 18 };
    struct worker workers[GROWERS];
    struct database db;
    (void)state;

    database_init(&db);
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    uint64_t bytes = engine_map_bytes(db.engine);
    runs = 0;
    for (uint32_t i = 0; i < GROWERS; i++) {
        workers[i] = (struct worker){ .work = write_much, .engine = db.engine, .number = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
    for (int i = 0; i < GROWERS; i++)
        pthread_join(workers[i].thread, NULL);
    assert_true(engine_map_bytes(db.engine) >= bytes * 16);
    assert_true(runs > GROWERS * GROWTH); /* some had to run again */
    assert_kilobytes(&db, GROWERS * GROWTH * AT_ONCE);
    database_close(&db);
}

/* Who reads waits until others have synced what he sees, and that must not wait for him. */
static void the_map_grows_beside_reads_that_wait_for_a_sync(void **state)
{
    struct worker workers[GROWERS + READERS];
    struct database db;
    (void)state;

    rig.gather_after = INT_MAX;
    database_init(&db);
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .durability = DURABILITY_FULL, .map_bytes = 1 << 20, .create = true };
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    atomic_store(&grown, false);
    atomic_store(&sync_ms, 5);
    for (uint32_t i = 0; i < GROWERS + READERS; i++) {
        workers[i] = (struct worker){ .work = i < GROWERS ? write_much : read_until_grown, .engine = db.engine, .number = i };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
    for (int i = 0; i < GROWERS; i++)
        pthread_join(workers[i].thread, NULL);
    atomic_store(&grown, true);
    for (int i = GROWERS; i < GROWERS + READERS; i++)
        pthread_join(workers[i].thread, NULL);
    atomic_store(&sync_ms, 0);
    assert_kilobytes(&db, GROWERS * GROWTH * AT_ONCE);
    database_close(&db);
}

static void write_little(struct ctx *ctx, const struct worker *w)
{
    uint32_t number = w->number;

    while (!atomic_load(&grown)) {
        OK(ctx, engine_write_gathered(ctx, w->engine, put_kilobyte, &number));
        usleep(500);
    }
}

static void grow_beside_a_long_session(void)
{
    enum { WRITES = 100 };
    struct worker worker = { .work = write_little, .number = WRITES * AT_ONCE };
    struct database db;

    database_init(&db);
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .sync_interval_ms = 40000, .map_bytes = 1 << 20, .create = true };
    OK(&db.ctx, engine_open(&db.ctx, &options, &db.engine));
    worker.engine = db.engine;
    atomic_store(&grown, false);
    assert_int_equal(pthread_create(&worker.thread, NULL, run, &worker), 0);
    for (uint32_t n = 0; n < WRITES; n++) {
        uint32_t first = n * AT_ONCE;
        OK(&db.ctx, engine_write(&db.ctx, db.engine, put_some_kilobytes, &first));
    }
    atomic_store(&grown, true);
    pthread_join(worker.thread, NULL);
    assert_kilobytes(&db, WRITES * AT_ONCE);
    database_close(&db);
}

/* With so much time between sync points a session lasts longer than who lets the map grow waits for transactions to end. */
static void the_map_grows_beside_a_long_session(void **state)
{
    (void)state;

    rig.gather_after = 0;
    for (int i = 0; i < 8; i++)
        grow_beside_a_long_session();
}

/* ---- where it cannot ---- */

/* AT_ONCE at a time, from *count on, until that fails. */
static enum wr_status write_until_full(struct database *db, uint32_t *count)
{
    enum wr_status st = WR_OK;

    for (;; *count += AT_ONCE) {
        st = engine_write(&db->ctx, db->engine, put_some_kilobytes, count);
        if (st != WR_OK)
            return st;
    }
}

static void a_map_that_cannot_grow_says_why_and_keeps_what_was(void **state)
{
    const struct engine_options options = { .map_bytes = 1 << 18 };
    struct database db;
    struct txn *reader = NULL;
    uint32_t count = 0;
    (void)state;

    database_init(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, engine_open(ctx, &options, &db.engine));
    uint64_t bytes = engine_map_bytes(db.engine);
    OK(ctx, txn_begin_read(ctx, db.engine, &reader));
    assert_int_equal(write_until_full(&db, &count), WR_FULL);
    assert_non_null(strstr(ctx->error, "transactions stay open"));
    assert_int_equal(engine_map_bytes(db.engine), bytes);
    txn_abort(&reader);
    assert_kilobytes(&db, count);
    OK(ctx, engine_write(ctx, db.engine, put_some_kilobytes, &count));
    assert_true(engine_map_bytes(db.engine) > bytes);
    database_close(&db);
}

/* Address space that the process may have, beside what it has: so much more. */
static void limit_memory(rlim_t more)
{
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");

    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    if (more != RLIM_INFINITY)
        limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void without_address_space_for_more_the_map_stays_as_it_was(void **state)
{
    const struct engine_options options = { .map_bytes = 16 << 20 };
    struct database db;
    uint32_t count = 0;
    (void)state;

    database_init(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, engine_open(ctx, &options, &db.engine));
    limit_memory(8 << 20);
    assert_int_equal(write_until_full(&db, &count), WR_FULL);
    assert_non_null(strstr(ctx->error, "no address space left"));
    assert_kilobytes(&db, count);
    limit_memory(RLIM_INFINITY);
    OK(ctx, engine_write(ctx, db.engine, put_some_kilobytes, &count));
    database_close(&db);
}

static void where_there_is_no_room_to_double_the_map_grows_by_less(void **state)
{
    const struct engine_options options = { .map_bytes = 64 << 20 };
    struct database db;
    (void)state;

    database_init(&db);
    struct ctx *ctx = &db.ctx;
    OK(ctx, engine_open(ctx, &options, &db.engine));
    limit_memory(48 << 20);
    for (uint32_t count = 0; engine_map_bytes(db.engine) == options.map_bytes; count += AT_ONCE)
        OK(ctx, engine_write(ctx, db.engine, put_some_kilobytes, &count));
    assert_int_equal(engine_map_bytes(db.engine), 96 << 20);
    limit_memory(RLIM_INFINITY);
    database_close(&db);
}

static void a_store_leaves_most_of_the_address_space(void **state)
{
    struct engine *stores[100];
    struct database db;
    (void)state;

    database_init(&db);
    limit_memory(UINT64_C(32) << 30);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        OK(&db.ctx, engine_open(&db.ctx, &(struct engine_options){ 0 }, &stores[i]));
    assert_true(engine_map_bytes(stores[0]) < UINT64_C(1) << 30);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        engine_close(stores[i]);
    limit_memory(RLIM_INFINITY);
    database_close(&db);
}

static void a_store_opens_in_little_address_space_and_grows_there(void **state)
{
    struct database db;
    uint32_t count = 0;
    (void)state;

#ifdef SANITIZED
    skip(); /* its memory would have no room beside it */
#endif
    database_init(&db);
    struct ctx *ctx = &db.ctx;
    database_folder(&db);
    const struct engine_options options = { .path = db.path, .durability = DURABILITY_FULL, .create = true };
    limit_memory(40 << 20);
    OK(ctx, engine_open(ctx, &options, &db.engine));
    uint64_t bytes = engine_map_bytes(db.engine);
    assert_true(bytes <= 10 << 20);
    for (; engine_map_bytes(db.engine) == bytes; count += AT_ONCE)
        OK(ctx, engine_write(ctx, db.engine, put_some_kilobytes, &count));
    assert_kilobytes(&db, count);
    engine_close(db.engine);
    db.engine = NULL;

    limit_memory(2 << 20);
    assert_int_equal(engine_open(ctx, &options, &db.engine), WR_NOMEM);
    assert_non_null(strstr(ctx->error, "no address space to map the database"));
    limit_memory(RLIM_INFINITY);
    OK(ctx, engine_open(ctx, &options, &db.engine));
    assert_kilobytes(&db, count);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_grows_within_it),
        cmocka_unit_test(threads_that_fill_the_map_grow_it_together),
        cmocka_unit_test(the_map_grows_beside_reads_that_wait_for_a_sync),
        cmocka_unit_test(the_map_grows_beside_a_long_session),
        cmocka_unit_test(a_map_that_cannot_grow_says_why_and_keeps_what_was),
        cmocka_unit_test(without_address_space_for_more_the_map_stays_as_it_was),
        cmocka_unit_test(where_there_is_no_room_to_double_the_map_grows_by_less),
        cmocka_unit_test(a_store_leaves_most_of_the_address_space),
        cmocka_unit_test(a_store_opens_in_little_address_space_and_grows_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
