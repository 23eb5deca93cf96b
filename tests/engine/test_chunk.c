/* Answers engine/chunk.h: what fits and how it lies, what a run of entries ends at, and of damaged bytes nothing but that. */
#include <stdlib.h>

#include "engine/chunk.h"
#include "tests/engine/database.h"

/* What may lead to a layer of longer keys is for who looks at it by itself. */
static void a_run_ends_before_a_key_as_long_as_can_be(void **state)
{
    static const size_t lens[] = { 1, CHUNK_KEY_MAX - 1, CHUNK_KEY_MAX, CHUNK_KEY_MAX - 1, 1 };
    enum { COUNT = sizeof lens / sizeof *lens };
    uint8_t bytes[CHUNK_BYTES], key[CHUNK_KEY_MAX], *room;
    struct slice keys[COUNT], values[COUNT];
    struct chunk c;
    (void)state;

    chunk_init(bytes, sizeof bytes);
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(key, 'a' + (int)i, sizeof key);
        assert_true(chunk_insert(bytes, sizeof bytes, i, slice_of(key, lens[i]), 8, &room));
        memset(room, 0, 8);
    }
    assert_true(chunk_open(slice_of(bytes, sizeof bytes), &c));
    assert_int_equal(chunk_run(&c, 0, false, COUNT, keys, values), 1);
    assert_int_equal(chunk_run(&c, COUNT - 1, true, COUNT, keys, values), 1);
    assert_int_equal(chunk_run(&c, 1, false, COUNT, keys, values), 0);
    assert_int_equal(chunk_run(&c, 2, false, COUNT, keys, values), 2);
}

static void a_large_chunk_has_one_entry(void **state)
{
    enum { MORE = 100 };
    uint8_t bytes[CHUNK_BYTES + MORE], *room;
    (void)state;

    chunk_init(bytes, sizeof bytes);
    assert_true(chunk_insert(bytes, sizeof bytes, 0, slice_str("a"), MORE, &room));
    assert_false(chunk_insert(bytes, sizeof bytes, 1, slice_str("b"), MORE, &room));
}

/* An entry that is changed again and again, each time to another length, takes no more room than it has. */
static void what_is_removed_leaves_no_gap(void **state)
{
    enum { ENTRIES = 20, CHANGES = 2000 };
    uint8_t bytes[CHUNK_BYTES], *room;
    size_t lens[ENTRIES], all = CHUNK_HEAD;
    struct slice key = SLICE_EMPTY, value = SLICE_EMPTY;
    uint64_t seed = 5;
    struct chunk c;
    (void)state;

    chunk_init(bytes, sizeof bytes);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        lens[i] = 150;
        assert_true(chunk_insert(bytes, sizeof bytes, i, slice_of(&(uint8_t){ (uint8_t)i }, 1), lens[i], &room));
        memset(room, (int)i, lens[i]);
        all += chunk_entry_bytes(1, lens[i]);
    }
    for (uint32_t n = 0; n < CHANGES; n++) {
        uint32_t at = random_below(&seed, ENTRIES);
        all -= chunk_entry_bytes(1, lens[at]);
        chunk_remove(bytes, sizeof bytes, at);
        lens[at] = 140 + random_below(&seed, 20);
        assert_true(chunk_insert(bytes, sizeof bytes, at, slice_of(&(uint8_t){ (uint8_t)at }, 1), lens[at], &room));
        memset(room, (int)at, lens[at]);
        all += chunk_entry_bytes(1, lens[at]);
        assert_true(chunk_open(slice_of(bytes, sizeof bytes), &c));
        assert_int_equal(chunk_full_bytes(&c), all);
        for (uint32_t i = 0; i < ENTRIES; i++) {
            assert_true(chunk_entry(&c, i, &key, &value));
            assert_true(key.data[0] == i && value.len == lens[i] && value.data[0] == i && value.data[value.len - 1] == i);
        }
    }
}

/* ---- damaged bytes ---- */

static void damaged_chunks_are_told_and_never_left(void **state)
{
    uint64_t seed = 99;
    uint64_t sound = 0;
    (void)state;

    for (int round = 0; round < 20000; round++) {
        size_t len = round % 3 ? 20 + random_below(&seed, 300) : random_below(&seed, 20);
        uint8_t *bytes = malloc(len ? len : 1), *room; /* exactly, so that the sanitizer sees a step beyond */
        uint8_t key[20];
        assert_non_null(bytes);
        if (round % 3) {
            chunk_init(bytes, len);
            bool fits = true;
            for (uint8_t i = 0; i < 10 && fits; i++) {
                memset(key, 'a' + i, sizeof key);
                fits = chunk_insert(bytes, len, i, slice_of(key, random_below(&seed, sizeof key)), random_below(&seed, 20), &room);
            }
        } else {
            for (size_t i = 0; i < len; i++)
                bytes[i] = (uint8_t)random_below(&seed, 256);
        }
        for (uint64_t n = random_below(&seed, 4); n > 0 && len; n--)
            bytes[random_below(&seed, len)] = (uint8_t)random_below(&seed, 256);
        struct chunk c;
        struct slice k = SLICE_NULL, v = SLICE_NULL;
        uint32_t at;
        bool exact;
        if (chunk_open(slice_of(bytes, len), &c)) {
            uint64_t seen = 0;
            for (uint32_t i = 0; i < c.count; i++)
                if (chunk_entry(&c, i, &k, &v)) {
                    assert_true(k.data >= bytes && v.data + v.len <= bytes + len);
                    seen++;
                }
            memset(key, 'c', sizeof key);
            if (chunk_find(&c, slice_of(key, 3), &at, &exact)) {
                assert_true(at <= c.count);
                if (chunk_insert(bytes, len, at, slice_of(key, 3), 5, &room))
                    memset(room, 0, 5);
            }
            for (uint32_t i = 0; i < c.count; i++) {
                struct slice keys[4], values[4];
                bool back = random_below(&seed, 2);
                uint32_t run = chunk_run(&c, i, back, 4, keys, values);
                for (uint32_t n = 1; n <= 4; n++) {
                    uint32_t next = back ? i - n : i + n;
                    assert_int_equal(n <= run, n <= run + 1 && next < c.count && chunk_entry(&c, next, &k, &v));
                    assert_true(n > run || (slice_eq(keys[n - 1], k) && slice_eq(values[n - 1], v)));
                }
            }
            sound += seen == c.count;
        }
        free(bytes);
    }
    assert_true(sound > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_before_a_key_as_long_as_can_be),
        cmocka_unit_test(a_large_chunk_has_one_entry),
        cmocka_unit_test(what_is_removed_leaves_no_gap),
        cmocka_unit_test(damaged_chunks_are_told_and_never_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
