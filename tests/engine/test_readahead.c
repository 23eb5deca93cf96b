/* Answers engine/readahead.h: of a file too large for memory the kernel reads nothing around what is asked for, and nothing else changes. */
#include <pthread.h>

#include "engine/coding.h"
#include "engine/pack.h"
#include "engine/rig.h"
#include "tests/engine/database.h"

enum { ENTRIES = 1200, LARGE = 20000 };

/* Whether the map of this database's file is marked as read at random; -1: the system does not tell. */
static int is_random(const struct database *db)
{
    char line[512], name[192];
    bool ours = false;
    int random = -1;
    FILE *maps = fopen("/proc/self/smaps", "r");

    snprintf(name, sizeof name, "%s/widerow.db\n", db->path);
    while (maps && fgets(line, sizeof line, maps)) {
        if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' '))
            ours = strlen(line) > strlen(name) && strcmp(line + strlen(line) - strlen(name), name) == 0;
        else if (ours && strncmp(line, "VmFlags:", 8) == 0)
            random = strstr(line, " rr") != NULL;
    }
    if (maps)
        fclose(maps);
    return random;
}

static void open_disk(struct database *db)
{
    const struct engine_options options = { .path = db->path, .create = true, .durability = DURABILITY_PERIODIC };
    OK(&db->ctx, engine_open(&db->ctx, &options, &db->engine));
}

static struct slice key_of(uint8_t key[16], uint64_t id, unsigned n)
{
    put_u64(key, id);
    snprintf((char *)key + 8, 8, "%06u", n);
    return slice_of(key, 14);
}

static struct slice value_of(unsigned n, size_t len)
{
    static uint8_t bytes[LARGE];
    memset(bytes, 'a' + (int)(n % 26), len);
    return slice_of(bytes, len);
}

static void put_all(struct database *db)
{
    struct txn *txn = NULL;
    uint8_t key[16];

    for (unsigned i = 0; i < ENTRIES; i += 100) {
        OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
        for (unsigned n = i; n < i + 100; n++) {
            OK(&db->ctx, store_put(&db->ctx, txn, TREE_ROWS, key_of(key, 7, n), value_of(n, 1000)));
            OK(&db->ctx, store_put(&db->ctx, txn, TREE_GRAVES, key_of(key, 8, n), value_of(n, 1000)));
            if (n % 20 == 0)
                OK(&db->ctx, store_put(&db->ctx, txn, TREE_SPILL, key_of(key, 9, n), value_of(n, LARGE)));
        }
        OK(&db->ctx, txn_commit(&db->ctx, &txn));
    }
}

static void walk_chunks(struct database *db, struct txn *txn, bool back)
{
    struct pack_cursor c = { 0 };
    struct packed at;
    uint8_t key[16];

    OK(&db->ctx, pack_open(&db->ctx, &c, txn, TREE_ROWS));
    OK(&db->ctx, back ? pack_seek_before(&db->ctx, &c, key_of(key, 7, ENTRIES), &at)
                      : pack_seek(&db->ctx, &c, key_of(key, 7, 0), &at));
    for (unsigned i = 0; i < ENTRIES; i++) {
        unsigned n = back ? ENTRIES - 1 - i : i;
        assert_true(slice_eq(at.piece, slice_skip(key_of(key, 7, n), ID_BYTES)) && slice_eq(at.value, value_of(n, 1000)));
        OK(&db->ctx, (back ? pack_prev : pack_next)(&db->ctx, &c, &at));
    }
    assert_true(slice_is_null(at.piece));
    pack_close(&c);
}

static void check_all(struct database *db)
{
    struct txn *txn = NULL;
    struct cursor c = { 0 };
    struct slice found, value;
    uint8_t key[16];

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    walk_chunks(db, txn, false);
    walk_chunks(db, txn, true);
    OK(&db->ctx, cursor_open(&db->ctx, &c, txn, TREE_GRAVES));
    OK(&db->ctx, cursor_seek(&db->ctx, &c, SLICE_EMPTY, &found, &value));
    for (unsigned n = 0; n < ENTRIES; n++) {
        assert_true(slice_eq(found, key_of(key, 8, n)) && slice_eq(value, value_of(n, 1000)));
        OK(&db->ctx, cursor_next(&db->ctx, &c, &found, &value));
    }
    assert_true(slice_is_null(found));
    cursor_close(&c);
    for (unsigned n = 0; n < ENTRIES; n += 20) {
        OK(&db->ctx, store_get(&db->ctx, txn, TREE_SPILL, key_of(key, 9, n), &value));
        assert_true(slice_eq(value, value_of(n, LARGE)));
    }
    txn_abort(&txn);
}

static void a_file_larger_than_half_of_memory(void **state)
{
    struct database db;
    (void)state;

    rig.store_memory_bytes = 2 << 20;
    database_init(&db);
    database_folder(&db);
    open_disk(&db);
    assert_int_not_equal(is_random(&db), 1);
    put_all(&db);
    assert_int_not_equal(is_random(&db), 0);
    check_all(&db);
    engine_close(db.engine);
    open_disk(&db); /* one that is so from the start */
    assert_int_not_equal(is_random(&db), 0);
    check_all(&db);
    database_close(&db);
    rig.store_memory_bytes = 0;
}

static void a_file_that_memory_has_room_for(void **state)
{
    struct database db;
    (void)state;

    database_init(&db);
    database_folder(&db);
    open_disk(&db);
    put_all(&db);
    assert_int_not_equal(is_random(&db), 1);
    check_all(&db);
    database_close(&db);
}

struct walker {
    struct engine *engine;
    _Atomic bool stop;
    _Atomic uint64_t walks;
    uint64_t wrong; /* failed calls, and entries that are not what was put */
};

static enum wr_status walk_all(struct ctx *ctx, struct walker *r)
{
    struct cursor c = { 0 };
    struct slice found, value;
    struct txn *txn = NULL;
    uint8_t key[16];
    unsigned n = 0;

    TRY(txn_begin_read(ctx, r->engine, &txn));
    enum wr_status st = cursor_open(ctx, &c, txn, TREE_GRAVES);
    for (st = st ? st : cursor_seek(ctx, &c, SLICE_EMPTY, &found, &value); st == WR_OK && !slice_is_null(found);
         st = cursor_next(ctx, &c, &found, &value), n++) {
        r->wrong += !slice_eq(found, key_of(key, 8, n)) || value.len != 1000 || value.data[999] != 'a' + n % 26;
        if (n % 20 == 0 && (st = store_get(ctx, txn, TREE_SPILL, key_of(key, 9, n), &value)) != WR_OK)
            break;
        r->wrong += n % 20 == 0 && (value.len != LARGE || value.data[LARGE - 1] != 'a' + n % 26);
    }
    cursor_close(&c);
    txn_abort(&txn);
    return st;
}

static void *read_on(void *arg)
{
    struct walker *r = arg;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (; !atomic_load(&r->stop); atomic_fetch_add(&r->walks, 1))
        r->wrong += walk_all(&ctx, r) != WR_OK;
    arena_release(&arena);
    return NULL;
}

/* The writer takes the reading over while another thread's walks go on. */
static void a_file_that_outgrows_memory_under_a_reader(void **state)
{
    struct database db;
    struct walker walker = { 0 };
    pthread_t thread;
    (void)state;

    rig.store_memory_bytes = 2 << 20;
    database_init(&db);
    database_folder(&db);
    open_disk(&db);
    walker.engine = db.engine;
    assert_int_equal(pthread_create(&thread, NULL, read_on, &walker), 0);
    put_all(&db);
    assert_int_not_equal(is_random(&db), 0);
    check_all(&db);
    while (!atomic_load(&walker.walks)) /* on a busy machine it may not have had its turn */
        usleep(1000);
    atomic_store(&walker.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(walker.wrong, 0);
    database_close(&db);
    rig.store_memory_bytes = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_larger_than_half_of_memory),
        cmocka_unit_test(a_file_that_outgrows_memory_under_a_reader),
        cmocka_unit_test(a_file_that_memory_has_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
