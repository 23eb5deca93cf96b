/* Column families: widerow.h, wr_cf_*. */
#include <pthread.h>

#include "families.h"

static void a_slice_has_bounds_direction_and_count(void **state)
{
    wr_cf *cf = family(*state, "slices", "LongType", "UTF8Type");
    uint8_t be[8], from[8], to[8];
    wr_cf_result *r;
    uint64_t count;
    for (int i = 0; i < 250; i++)
        insert(cf, TEXT("row"), be64(i, be), TEXT("v"), 1);
    struct wr_cf_predicate p = { .start = be64(10, from), .finish = be64(20, to) };
    assert_int_equal(wr_cf_get_slice(cf, TEXT("row"), &p, &r), WR_OK);
    assert_int_equal(wr_cf_result_columns(r, 0), 11);
    wr_cf_result_free(r);
    p = (struct wr_cf_predicate){ .reversed = true, .count = 3 };
    assert_int_equal(wr_cf_get_slice(cf, TEXT("row"), &p, &r), WR_OK);
    assert_int_equal(wr_cf_result_columns(r, 0), 3);
    assert_int_equal(read_be64(wr_cf_result_column(r, 0, 0)->name), 249);
    assert_int_equal(read_be64(wr_cf_result_column(r, 0, 2)->name), 247);
    wr_cf_result_free(r);
    p = (struct wr_cf_predicate){ .start = be64(20, from), .finish = be64(10, to), .reversed = true, .count = 2 };
    assert_int_equal(wr_cf_get_slice(cf, TEXT("row"), &p, &r), WR_OK);
    assert_int_equal(read_be64(wr_cf_result_column(r, 0, 1)->name), 19);
    wr_cf_result_free(r);
    p.reversed = false;
    assert_int_equal(wr_cf_get_slice(cf, TEXT("row"), &p, &r), WR_INVALID);
    assert_int_equal(wr_cf_get_count(cf, TEXT("row"), NULL, &count), WR_OK);
    assert_int_equal(count, 100); /* Thrift's default */
    p = (struct wr_cf_predicate){ .count = 1000 };
    assert_int_equal(wr_cf_get_count(cf, TEXT("row"), &p, &count), WR_OK);
    assert_int_equal(count, 250);
    wr_cf_close(cf);
}

static void timestamps_decide(void **state)
{
    wr_cf *cf = family(*state, "stamps", "UTF8Type", "UTF8Type");
    struct wr_cf_column c;
    insert(cf, TEXT("r"), TEXT("c"), TEXT("new"), 20);
    insert(cf, TEXT("r"), TEXT("c"), TEXT("old"), 10);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("c"), &c), WR_OK);
    assert_memory_equal(c.value.data, "new", 3);
    assert_int_equal(c.timestamp_us, 20);
    assert_int_equal(wr_cf_remove(cf, TEXT("r"), TEXT("c"), 19), WR_OK);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("c"), &c), WR_OK);
    assert_int_equal(wr_cf_remove(cf, TEXT("r"), TEXT("c"), 20), WR_OK);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("c"), &c), WR_NOT_FOUND);
    insert(cf, TEXT("r"), TEXT("d"), TEXT("x"), 30);
    assert_int_equal(wr_cf_remove(cf, TEXT("r"), (struct wr_bytes){ NULL, 0 }, 30), WR_OK);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("d"), &c), WR_NOT_FOUND);
    wr_cf_close(cf);
}

static void a_ttl_passes_with_the_clock(void **state)
{
    wr_db *db = *state;
    wr_cf *cf = family(db, "ttls", "UTF8Type", "UTF8Type");
    struct wr_cf_column c = { .name = TEXT("c"), .value = TEXT("v"), .timestamp_us = INT64_MIN, .ttl_s = 10 };
    wr_clock_set(db, 1700000000000000);
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_OK);
    wr_clock_step(db, 9000000);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("c"), &c), WR_OK);
    assert_int_equal(c.ttl_s, 10);
    wr_clock_step(db, 1000000);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("c"), &c), WR_NOT_FOUND);
    wr_cf_close(cf);
}

static void multiget_keeps_the_order_of_keys(void **state)
{
    wr_cf *cf = family(*state, "multi", "UTF8Type", "UTF8Type");
    struct wr_bytes keys[] = { TEXT("b"), TEXT("nobody"), TEXT("a") }, names[] = { TEXT("x"), TEXT("nosuch") };
    wr_cf_result *r;
    insert(cf, TEXT("a"), TEXT("x"), TEXT("1"), 1);
    insert(cf, TEXT("a"), TEXT("y"), TEXT("2"), 1);
    insert(cf, TEXT("b"), TEXT("x"), TEXT("3"), 1);
    struct wr_cf_predicate p = { .names = names, .name_count = 2 };
    assert_int_equal(wr_cf_multiget_slice(cf, keys, 3, &p, &r), WR_OK);
    assert_int_equal(wr_cf_result_rows(r), 3);
    assert_int_equal(wr_cf_result_columns(r, 0), 1);
    assert_int_equal(wr_cf_result_columns(r, 1), 0);
    assert_int_equal(wr_cf_result_columns(r, 2), 1);
    assert_memory_equal(wr_cf_result_key(r, 2).data, "a", 1);
    assert_memory_equal(wr_cf_result_column(r, 0, 0)->value.data, "3", 1);
    wr_cf_result_free(r);
    assert_int_equal(wr_cf_get_range_slices(cf, (struct wr_bytes){ "", 0 }, (struct wr_bytes){ "", 0 }, 0, NULL, &r), WR_OK);
    assert_int_equal(wr_cf_result_rows(r), 2);
    wr_cf_result_free(r);
    wr_cf_close(cf);
}

static void ranges_begin_and_end_at_keys_whose_tokens_are_one(void **state)
{
    static const uint8_t keys[3][32] = { /* in their order, and of one token: tests/conformance/found_one_token.cql */
        { 0x29, 0xfe, 0x69, 0xbd, 0x9e, 0x8c, 0xeb, 0xa6, 0xa0, 0x7d, 0x1d, 0xec, 0x25, 0xb1, 0xb0, 0x87,
          0xe2, 0x4c, 0xe0, 0x76, 0x8e, 0xe9, 0xb0, 0xf5, 0x94, 0x52, 0xcd, 0x79, 0xc2, 0x77, 0xc9, 0xea },
        { 0x37, 0xce, 0x91, 0xcb, 0xde, 0x1f, 0xc1, 0xb0, 0xea, 0x6b, 0x44, 0xf1, 0x30, 0x43, 0x6d, 0xd7,
          0x63, 0x1d, 0x93, 0x72, 0x75, 0xbf, 0xd6, 0x75, 0xcc, 0x17, 0x16, 0x02, 0x77, 0xf0, 0x17, 0xc5 },
        { 0x3b, 0x6a, 0xa1, 0xe6, 0x8d, 0x68, 0x27, 0x28, 0xf6, 0x10, 0xfb, 0x1c, 0x7f, 0xd9, 0x2d, 0x5f,
          0x98, 0x6e, 0x21, 0x98, 0x70, 0x27, 0xbb, 0x5e, 0xed, 0x3e, 0xd6, 0x56, 0xa7, 0x44, 0x73, 0x4f }
    };
    struct wr_cf_def def = { .keyspace = "ks", .name = "meeting", .gc_grace_s = -1 };
    wr_cf *cf;
    assert_int_equal(wr_cf_create(*state, &def), WR_OK);
    assert_int_equal(wr_cf_open(*state, "ks", "meeting", &cf), WR_OK);
    for (int i = 2; i >= 0; i--)
        insert(cf, (struct wr_bytes){ keys[i], 32 }, TEXT("c"), TEXT("v"), 1);
    for (int from = 0; from < 3; from++) {
        for (int to = 0; to < 3; to++) {
            wr_cf_result *r;
            int rows = to < from ? 0 : to - from + 1;
            assert_int_equal(wr_cf_get_range_slices(cf, (struct wr_bytes){ keys[from], 32 }, (struct wr_bytes){ keys[to], 32 }, 0, NULL, &r), WR_OK);
            assert_int_equal(wr_cf_result_rows(r), rows);
            for (int i = 0; i < rows; i++)
                assert_memory_equal(wr_cf_result_key(r, (size_t)i).data, keys[from + i], 32);
            wr_cf_result_free(r);
        }
    }
    wr_cf_close(cf);
}

enum { MANY_KEYS = 100, MANY_NAMES = 75 };

static void many_key(int i, char out[16])
{
    snprintf(out, 16, "key %d", i);
}

/* Every third key has columns, those of every other number: most written once, some with a TTL, some removed, some in a batch with others. */
static void fill_many(wr_cf *cf)
{
    char key[16], value[16];
    uint8_t be[8];
    for (int k = 0; k < MANY_KEYS; k += 3) {
        many_key(k, key);
        for (int i = 0; i < MANY_NAMES; i += 2) {
            struct wr_cf_column c = { .name = be64(i, be), .timestamp_us = 100 + i, .ttl_s = i % 7 == 4 ? 1000 : 0 };
            snprintf(value, sizeof value, "%d/%d", k, i);
            c.value = (struct wr_bytes){ value, strlen(value) };
            assert_int_equal(wr_cf_insert(cf, (struct wr_bytes){ key, strlen(key) }, &c), WR_OK);
            if (i % 11 == 6)
                assert_int_equal(wr_cf_remove(cf, (struct wr_bytes){ key, strlen(key) }, be64(i, be), 1000), WR_OK);
        }
    }
}

/* Columns of numbers 0, step, .. of a key, no more than most. */
static void assert_columns(const wr_cf_result *r, size_t row, int key, int step, size_t most)
{
    char value[16];
    size_t n = 0;
    for (int i = 0; key % 3 == 0 && i < MANY_NAMES && n < most; i += step) {
        if (i % 2 || i % 11 == 6)
            continue;
        const struct wr_cf_column *c = wr_cf_result_column(r, row, n++);
        assert_non_null(c);
        snprintf(value, sizeof value, "%d/%d", key, i);
        assert_int_equal(read_be64(c->name), i);
        assert_int_equal(c->value.len, strlen(value));
        assert_memory_equal(c->value.data, value, c->value.len);
        assert_int_equal(c->timestamp_us, 100 + i);
        assert_int_equal(c->ttl_s, i % 7 == 4 ? 1000 : 0);
    }
    assert_int_equal(wr_cf_result_columns(r, row), n);
}

static void assert_many(wr_cf *cf, const struct wr_cf_predicate *p, int step, size_t most)
{
    char texts[MANY_KEYS][16];
    struct wr_bytes keys[MANY_KEYS];
    wr_cf_result *r;
    for (int k = 0; k < MANY_KEYS; k++) {
        many_key(k * 37 % MANY_KEYS, texts[k]);
        keys[k] = (struct wr_bytes){ texts[k], strlen(texts[k]) };
    }
    for (size_t count = 0; count <= MANY_KEYS; count += 25 + count / 50) {
        assert_int_equal(wr_cf_multiget_slice(cf, keys, count, p, &r), WR_OK);
        assert_int_equal(wr_cf_result_rows(r), count);
        for (size_t k = 0; k < count; k++) {
            struct wr_bytes key = wr_cf_result_key(r, k);
            assert_int_equal(key.len, keys[k].len);
            assert_memory_equal(key.data, keys[k].data, key.len);
            assert_columns(r, k, (int)k * 37 % MANY_KEYS, step, most);
        }
        wr_cf_result_free(r);
    }
}

static enum wr_status read_many(void *arg)
{
    wr_cf *cf = arg;
    uint8_t be[MANY_NAMES][8];
    struct wr_bytes names[MANY_NAMES];
    struct wr_cf_column c;
    for (int i = 0; i < MANY_NAMES; i++)
        names[i] = be64(i, be[i]);
    assert_many(cf, &(struct wr_cf_predicate){ .names = names, .name_count = MANY_NAMES }, 1, MANY_NAMES);
    assert_many(cf, &(struct wr_cf_predicate){ .names = names, .name_count = 1 }, MANY_NAMES, 1);
    assert_many(cf, &(struct wr_cf_predicate){ .count = 1000 }, 1, MANY_NAMES);
    assert_many(cf, &(struct wr_cf_predicate){ .count = 2 }, 1, 2);
    assert_many(cf, NULL, 1, MANY_NAMES);
    assert_int_equal(wr_cf_get(cf, TEXT("key 3"), names[2], &c), WR_OK);
    assert_int_equal(c.timestamp_us, 102);
    assert_memory_equal(c.value.data, "3/2", 3);
    assert_int_equal(wr_cf_get(cf, TEXT("key 3"), names[4], &c), WR_OK);
    assert_int_equal(c.ttl_s, 1000);
    assert_int_equal(wr_cf_get(cf, TEXT("key 3"), names[6], &c), WR_NOT_FOUND);
    assert_int_equal(wr_cf_get(cf, TEXT("key 3"), names[3], &c), WR_NOT_FOUND);
    assert_int_equal(wr_cf_get(cf, TEXT("key 4"), names[2], &c), WR_NOT_FOUND);
    return WR_OK;
}

static enum wr_status write_and_read_many(void *arg)
{
    fill_many(arg);
    return read_many(arg);
}

/* More keys, and more names, than are looked up at once; read again and again, so that places of partitions are remembered. */
static void many_keys_and_names(void **state)
{
    wr_cf *cf = family(*state, "many", "LongType", "UTF8Type");
    fill_many(cf);
    for (int i = 0; i < 10; i++)
        read_many(cf);
    wr_cf_close(cf);
    cf = family(*state, "within", "LongType", "UTF8Type");
    assert_int_equal(wr_atomically(*state, write_and_read_many, cf), WR_OK);
    wr_cf_close(cf);
}

/* Columns over many chunks: most written once, some with a TTL, some written twice, some removed. */
static void long_slices_have_every_column_in_order(void **state)
{
    enum { COLUMNS = 400, EACH = 60 };
    wr_cf *cf = family(*state, "long", "LongType", "UTF8Type");
    char value[EACH + 1];
    uint8_t be[8], from[8];
    wr_cf_result *r;
    for (int i = 0; i < COLUMNS; i++) {
        struct wr_cf_column c = { .name = be64(i, be), .timestamp_us = 1000 + i, .ttl_s = i % 7 == 3 ? 100 : 0 };
        snprintf(value, sizeof value, "%*d", 1 + i % EACH, i % 10);
        c.value = (struct wr_bytes){ value, strlen(value) };
        assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_OK);
        if (i % 13 == 5) {
            c.timestamp_us += COLUMNS;
            assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_OK);
        }
        if (i % 11 == 2)
            assert_int_equal(wr_cf_remove(cf, TEXT("r"), be64(i, be), 5000), WR_OK);
    }
    for (int start = 0; start < COLUMNS; start += 37)
        for (uint32_t count = 1; count < 300; count = count * 3 + 1)
            for (int reversed = 0; reversed < 2; reversed++) {
                struct wr_cf_predicate p = { .start = be64(start, from), .reversed = reversed, .count = count };
                assert_int_equal(wr_cf_get_slice(cf, TEXT("r"), &p, &r), WR_OK);
                size_t n = 0;
                for (int i = start; i >= 0 && i < COLUMNS && n < count; i += reversed ? -1 : 1) {
                    if (i % 11 == 2)
                        continue;
                    assert_true(n < wr_cf_result_columns(r, 0));
                    const struct wr_cf_column *c = wr_cf_result_column(r, 0, n++);
                    assert_int_equal(read_be64(c->name), i);
                    assert_int_equal(c->value.len, 1 + i % EACH);
                    assert_int_equal(((const char *)c->value.data)[i % EACH], '0' + i % 10);
                    assert_int_equal(c->timestamp_us, 1000 + i + (i % 13 == 5 ? COLUMNS : 0));
                    assert_int_equal(c->ttl_s, i % 7 == 3 ? 100 : 0);
                }
                assert_int_equal(wr_cf_result_columns(r, 0), n);
                wr_cf_result_free(r);
            }
    wr_cf_close(cf);
}

static void counters_add(void **state)
{
    wr_cf *cf = family(*state, "counts", "UTF8Type", "CounterColumnType");
    struct wr_cf_column c = { .name = TEXT("n"), .value = TEXT("x") };
    assert_int_equal(wr_cf_add(cf, TEXT("r"), TEXT("n"), 5), WR_OK);
    assert_int_equal(wr_cf_add(cf, TEXT("r"), TEXT("n"), -2), WR_OK);
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_INVALID);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("n"), &c), WR_OK);
    assert_int_equal(c.counter, 3);
    wr_cf_close(cf);
}

static bool first_text(void *arg, wr_stmt *row)
{
    snprintf(arg, 64, "%s/%s/%s", wr_column_text(row, 0), wr_column_text(row, 1), wr_column_text(row, 2));
    return true;
}

static void cql_sees_the_same_data(void **state)
{
    wr_cf *cf = family(*state, "seen", "LongType", "UTF8Type");
    uint8_t be[8];
    char text[64] = "";
    struct wr_cf_column c;
    insert(cf, TEXT("r"), be64(-7, be), TEXT("v"), 1);
    assert_int_equal(wr_exec(*state, "SELECT key, column1, value FROM ks.seen;", first_text, text), WR_OK);
    assert_string_equal(text, "r/-7/v");
    assert_int_equal(wr_exec(*state, "INSERT INTO ks.seen (key, column1, value) VALUES ('r', 8, 'w');", NULL, NULL), WR_OK);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), be64(8, be), &c), WR_OK);
    assert_memory_equal(c.value.data, "w", 1);
    assert_int_equal(wr_cf_truncate(cf), WR_OK);
    assert_int_equal(wr_cf_get(cf, TEXT("r"), be64(8, be), &c), WR_NOT_FOUND);
    wr_cf_close(cf);
}

static void bad_input_is_refused(void **state)
{
    wr_cf *cf = family(*state, "bad", "LongType", "AsciiType"), *none;
    struct wr_cf_column c = { .name = TEXT("short"), .value = TEXT("v"), .timestamp_us = 1 };
    uint8_t be[8];
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_INVALID);
    c.name = be64(1, be);
    c.value = TEXT("\xff");
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_INVALID);
    c.value = TEXT("ok");
    assert_int_equal(wr_cf_insert(cf, TEXT(""), &c), WR_INVALID);
    assert_string_equal(wr_cf_error(cf), "Key may not be empty");
    assert_int_equal(wr_cf_open(*state, "ks", "nosuch", &none), WR_INVALID);
    struct wr_cf_def other = { "ks", "bad", "UTF8Type", "UTF8Type", NULL, NULL, -1 };
    assert_int_equal(wr_cf_create(*state, &other), WR_ALREADY_EXISTS);
    struct wr_cf_def same = { "ks", "bad", "LongType", "UTF8Type", "AsciiType", NULL, -1 };
    assert_int_equal(wr_cf_create(*state, &same), WR_OK);
    wr_cf_close(cf);
}

static void names_and_keys_have_as_many_bytes_as_keys_of_tables(void **state)
{
    static char bytes[65536];
    wr_cf *cf = family(*state, "long", "UTF8Type", "UTF8Type");
    struct wr_bytes most = { bytes, 65535 }, more = { bytes, 65536 };
    struct wr_cf_column c = { .name = most, .value = TEXT("v"), .timestamp_us = 1 };
    memset(bytes, 'x', sizeof bytes);
    assert_int_equal(wr_cf_insert(cf, most, &c), WR_OK);
    assert_int_equal(wr_cf_get(cf, most, most, &c), WR_OK);
    assert_int_equal(wr_cf_insert(cf, more, &c), WR_INVALID);
    assert_string_equal(wr_cf_error(cf), "Key length of 65536 is longer than maximum of 65535");
    c = (struct wr_cf_column){ .name = more, .value = TEXT("v"), .timestamp_us = 1 };
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_INVALID);
    assert_string_equal(wr_cf_error(cf), "Key length of 65536 is longer than maximum of 65535");
    wr_cf_close(cf);
}

static void batches_are_all_or_nothing(void **state)
{
    wr_cf *cf = family(*state, "batch", "UTF8Type", "AsciiType");
    struct wr_cf_column c;
    struct wr_cf_mutation m[] = {
        { cf, WR_CF_INSERT, TEXT("a"), { .name = TEXT("x"), .value = TEXT("1"), .timestamp_us = 1 } },
        { cf, WR_CF_INSERT, TEXT("b"), { .name = TEXT("y"), .value = TEXT("\xff"), .timestamp_us = 1 } },
    };
    assert_int_equal(wr_cf_batch_mutate(*state, m, 2), WR_INVALID);
    assert_int_equal(wr_cf_get(cf, TEXT("a"), TEXT("x"), &c), WR_NOT_FOUND);
    m[1].column.value = TEXT("2");
    assert_int_equal(wr_cf_batch_mutate(*state, m, 2), WR_OK);
    assert_int_equal(wr_cf_get(cf, TEXT("b"), TEXT("y"), &c), WR_OK);
    wr_cf_close(cf);
}

/* ---- read-modify-write ---- */

enum { THREADS = 4, STEPS = 200 };

struct stepper {
    wr_db *db;
    wr_cf *cf;
};

static enum wr_status one_step(void *arg)
{
    struct stepper *s = arg;
    struct wr_cf_column c;
    uint8_t be[8];
    int64_t n = 0;
    enum wr_status st = wr_cf_get(s->cf, TEXT("r"), TEXT("n"), &c);
    if (st == WR_OK)
        n = read_be64(c.value);
    else if (st != WR_NOT_FOUND)
        return st;
    struct wr_cf_column next = { .name = TEXT("n"), .value = be64(n + 1, be), .timestamp_us = INT64_MIN };
    return wr_cf_insert(s->cf, TEXT("r"), &next);
}

static void *step_many(void *arg)
{
    struct stepper *s = arg;
    for (int i = 0; i < STEPS; i++)
        if (wr_atomically(s->db, one_step, s) != WR_OK)
            return (void *)1;
    return NULL;
}

static void atomically_reads_and_writes_as_one(void **state)
{
    pthread_t threads[THREADS];
    struct stepper steppers[THREADS];
    struct wr_cf_column c;
    wr_cf *cf = family(*state, "steps", "UTF8Type", "LongType");
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(wr_attach(*state, &steppers[i].db), WR_OK);
        assert_int_equal(wr_cf_open(steppers[i].db, "ks", "steps", &steppers[i].cf), WR_OK);
        pthread_create(&threads[i], NULL, step_many, &steppers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        wr_cf_close(steppers[i].cf);
        assert_int_equal(wr_close(steppers[i].db), WR_OK);
    }
    assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("n"), &c), WR_OK);
    assert_int_equal(read_be64(c.value), THREADS * STEPS);
    wr_cf_close(cf);
}

static void a_family_that_is_dropped_is_missed_until_it_is_there_again(void **state)
{
    struct wr_cf_column c = { .name = TEXT("n"), .value = TEXT("v"), .timestamp_us = INT64_MIN };
    wr_cf *cf = family(*state, "coming", "UTF8Type", "UTF8Type");
    struct wr_cf_mutation odd = { cf, (enum wr_cf_change)(WR_CF_ADD + 1), TEXT("r"), c };
    assert_int_equal(wr_cf_batch_mutate(*state, &odd, 1), WR_MISUSE);
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_OK);
    assert_int_equal(wr_cf_drop(*state, "ks", "coming"), WR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_INVALID);
        assert_int_equal(wr_cf_get(cf, TEXT("r"), TEXT("n"), &c), WR_INVALID);
    }
    wr_cf *again = family(*state, "coming", "LongType", "LongType");
    assert_int_equal(wr_cf_insert(cf, TEXT("r"), &c), WR_INVALID); /* as the names are now */
    wr_cf_close(again);
    wr_cf_close(cf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slice_has_bounds_direction_and_count, setup, teardown),
        cmocka_unit_test_setup_teardown(timestamps_decide, setup, teardown),
        cmocka_unit_test_setup_teardown(a_ttl_passes_with_the_clock, setup, teardown),
        cmocka_unit_test_setup_teardown(multiget_keeps_the_order_of_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(many_keys_and_names, setup, teardown),
        cmocka_unit_test_setup_teardown(long_slices_have_every_column_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(counters_add, setup, teardown),
        cmocka_unit_test_setup_teardown(cql_sees_the_same_data, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_begin_and_end_at_keys_whose_tokens_are_one, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_input_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(names_and_keys_have_as_many_bytes_as_keys_of_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(batches_are_all_or_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_family_that_is_dropped_is_missed_until_it_is_there_again, setup, teardown),
        cmocka_unit_test_setup_teardown(atomically_reads_and_writes_as_one, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
