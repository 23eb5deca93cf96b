/* Answers engine/sorter.h: however little is held, with a file to write into and without, all comes out once and in order. */
#include "engine/sorter.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/engine/database.h"

enum { RECORDS = 3000, KEY_MOST = 40 };

static struct made {
    uint8_t key[KEY_MOST];
    size_t key_len, value_len;
    bool seen;
} made[RECORDS];

static uint64_t seed = 1;
static uint32_t below(uint32_t n)
{
    return (uint32_t)random_below(&seed, n);
}

/* Few different bytes, so that many keys begin alike, and some are equal or begin others. */
static void make_records(size_t value_most)
{
    for (uint32_t i = 0; i < RECORDS; i++) {
        made[i] = (struct made){ .key_len = below(KEY_MOST), .value_len = 4 + below((uint32_t)value_most) };
        for (size_t k = 0; k < made[i].key_len; k++)
            made[i].key[k] = (uint8_t)(below(3) ? 0 : below(256));
    }
}

static void add_all(struct ctx *ctx, struct sorter *s, int *spills, int *refused)
{
    uint8_t *value;

    *spills = *refused = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        OK(ctx, sorter_add(ctx, s, slice_of(made[i].key, made[i].key_len), made[i].value_len, &value));
        memset(value, (uint8_t)i, made[i].value_len);
        memcpy(value, &i, sizeof i);
        if (!sorter_is_full(s))
            continue;
        if (sorter_spill(s)) {
            assert_false(sorter_is_full(s));
            ++*spills;
        } else {
            ++*refused;
        }
    }
}

static void read_all(struct ctx *ctx, struct sorter *s)
{
    struct slice key, value, before = SLICE_EMPTY;
    uint8_t kept[KEY_MOST];

    for (uint32_t count = 0;; count++) {
        uint32_t i;
        OK(ctx, sorter_next(ctx, s, &key, &value));
        if (slice_is_null(key)) {
            assert_int_equal(count, RECORDS);
            return;
        }
        assert_true(slice_cmp(before, key) <= 0);
        memcpy(&i, value.data, sizeof i);
        assert_true(i < RECORDS && !made[i].seen);
        made[i].seen = true;
        assert_true(slice_eq(key, slice_of(made[i].key, made[i].key_len)));
        assert_int_equal(value.len, made[i].value_len);
        for (size_t k = sizeof i; k < value.len; k++)
            assert_int_equal(value.data[k], (uint8_t)i);
        memcpy(kept, key.data, key.len);
        before = slice_of(kept, key.len);
    }
}

static void forget_seen(void)
{
    for (uint32_t i = 0; i < RECORDS; i++)
        made[i].seen = false;
}

/* Twice: what has been read is gone. */
static void sort_twice(struct ctx *ctx, const struct folder *folder, size_t most_bytes, int *spills, int *refused)
{
    struct sorter *s = NULL;

    OK(ctx, sorter_new(ctx, folder, most_bytes, &s));
    for (int i = 0; i < 2; i++) {
        forget_seen();
        add_all(ctx, s, spills, refused);
        read_all(ctx, s);
    }
    sorter_free(s);
}

static void open_folder(struct database *db, struct folder *folder)
{
    database_init(db);
    database_folder(db);
    OK(&db->ctx, folder_open(&db->ctx, db->path, false, true, folder));
}

static void close_folder(struct database *db, struct folder *folder)
{
    folder_close(folder);
    database_close(db);
}

static void test_sorts(void **state)
{
    (void)state;
    struct database db;
    struct folder folder;
    struct stat stat;
    int spills, refused;
    open_folder(&db, &folder);
    make_records(50);
    sort_twice(&db.ctx, &folder, 1 << 30, &spills, &refused);
    assert_int_equal(spills + refused, 0);
    sort_twice(&db.ctx, &folder, 10000, &spills, &refused);
    assert_true(spills > 10 && !refused);
    sort_twice(&db.ctx, &folder, 1, &spills, &refused); /* each is a run of its own */
    assert_int_equal(spills, RECORDS);
    assert_int_not_equal(fstatat(folder.fd, "widerow.sort", &stat, 0), 0);
    make_records(20000); /* longer than what is read of a run at a time */
    sort_twice(&db.ctx, &folder, 1 << 20, &spills, &refused);
    assert_true(spills > 10 && !refused);
    close_folder(&db, &folder);
}

static void test_nowhere_to_write(void **state)
{
    (void)state;
    struct database db;
    struct folder folder;
    struct rlimit before, little = { 60000, RLIM_INFINITY };
    int spills, refused;
    open_folder(&db, &folder);
    make_records(50);
    sort_twice(&db.ctx, NULL, 10000, &spills, &refused);
    assert_true(!spills && refused);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0); /* for some of it, and no signal */
    sort_twice(&db.ctx, &folder, 10000, &spills, &refused);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(spills && refused);
    close_folder(&db, &folder);
}

static void test_nothing(void **state)
{
    (void)state;
    struct database db;
    struct sorter *s = NULL;
    struct slice key, value;
    database_init(&db);
    OK(&db.ctx, sorter_new(&db.ctx, NULL, 1000, &s));
    OK(&db.ctx, sorter_next(&db.ctx, s, &key, &value));
    assert_true(slice_is_null(key));
    sorter_free(s);
    sorter_free(NULL);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_nowhere_to_write),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
