/* Answers engine/rowcode.h: round trips over a table of awkward rows, sizes, and bytes that are not a row. */
#include "engine/rowcode.h"
#include "tests/engine/rows.h"
#include "tests/memory.h"

static struct slice encoded(const struct row *row, uint32_t due_s)
{
    struct buf buf;
    struct slice bytes;
    buf_init(&buf, &arena);
    rowcode_encode(&buf, row, due_s);
    OK(&ctx, buf_done(&ctx, &buf, &bytes));
    return bytes;
}

static void assert_same(const struct row *a, const struct row *b)
{
    assert_true(a->liveness.timestamp_us == b->liveness.timestamp_us && a->liveness.ttl_s == b->liveness.ttl_s &&
                a->liveness.local_s == b->liveness.local_s);
    assert_true(a->deletion.timestamp_us == b->deletion.timestamp_us && a->deletion.local_s == b->deletion.local_s);
    assert_true(slice_eq(a->annex, b->annex) && slice_is_null(a->annex) == slice_is_null(b->annex));
    assert_int_equal(a->complex_count, b->complex_count);
    for (uint32_t i = 0; i < a->complex_count; i++)
        assert_true(a->complex[i].column == b->complex[i].column &&
                    a->complex[i].deletion.timestamp_us == b->complex[i].deletion.timestamp_us &&
                    a->complex[i].deletion.local_s == b->complex[i].deletion.local_s);
    assert_int_equal(a->cell_count, b->cell_count);
    for (uint32_t i = 0; i < a->cell_count; i++) {
        const struct cell *x = &a->cells[i], *y = &b->cells[i];
        assert_true(x->column == y->column && x->kind == y->kind && x->flags == y->flags && x->ttl_s == y->ttl_s);
        assert_true(x->local_s == y->local_s && x->timestamp_us == y->timestamp_us);
        assert_true(slice_eq(x->path, y->path) && slice_is_null(x->path) == slice_is_null(y->path));
        assert_true(slice_eq(x->value, y->value) && slice_is_null(x->value) == slice_is_null(y->value));
    }
}

static void check_round_trip(const struct row *row)
{
    const uint32_t dues[] = { 0, 1, UINT32_MAX };
    for (size_t i = 0; i < 3; i++) {
        struct slice bytes = encoded(row, dues[i]);
        struct rowcode code;
        struct row again;
        OK(&ctx, rowcode_decode(&ctx, bytes, &again));
        assert_same(row, &again);
        assert_true(rowcode_open(&code, bytes) && code.due_s == dues[i]);
        for (size_t len = 0; len < bytes.len; len++) { /* every part of it is read, or refused */
            struct arena_mark mark = arena_mark(&arena);
            enum wr_status st = rowcode_decode(&ctx, slice_of(bytes.data, len), &again);
            assert_true(st == WR_OK || st == WR_CORRUPT);
            arena_rewind(&arena, mark);
        }
    }
}

/* Nothing is left of a covered row; how often it is one. */
static int check_covered(const struct row *row)
{
    static const int64_t timestamps[] = { INT64_MIN + 1, 0, 4, 5, 6, 7, 9, INT64_MAX };
    int covered = 0;

    for (size_t i = 0; i < sizeof timestamps / sizeof *timestamps; i++) {
        struct row none = ROW_NONE, merged;
        if (!rowcode_is_covered(encoded(row, 0), timestamps[i]))
            continue;
        OK(&ctx, row_merge(&ctx, row, &none, (struct deletion){ timestamps[i], 1 }, &merged));
        assert_true(row_is_empty(&merged));
        assert_false(rowcode_is_covered(encoded(row, 77), timestamps[i])); /* the queue has it */
        covered++;
    }
    return covered;
}

static void test_round_trips(void **state)
{
    int covered = 0;
    (void)state;
    char large[3000];
    memset(large, 'v', sizeof large - 1);
    large[sizeof large - 1] = 0;
    struct cell counter = plain(7, 5, "12345678"), spilled = plain(8, 5, "ref"), stub = plain(9, 5, "ref");
    struct cell expired = expiring(5, 5, "", 10, 100), buried = dead(6, 5, 3);
    expired.kind = CELL_EXPIRED;
    expired.value = SLICE_NULL;
    counter.flags = CELL_COUNTER;
    buried.flags = CELL_COUNTER;
    buried.value = slice_str("12345678");
    spilled.flags = CELL_SPILLED;
    stub.flags = CELL_SPILLED_COLUMN;
    struct complex_deletion complex[] = { { 3, { 4, 2 } }, { UINT32_MAX, { INT64_MIN + 1, UINT32_MAX } } };

    struct row rows[] = {
        marked((struct row)ROW_NONE, 5),
        marked((struct row)ROW_NONE, INT64_MAX),
        marked(ROW_OF(plain(1, 5, "a")), 5),
        marked(ROW_OF(plain(1, 6, "a"), plain(2, INT64_MIN + 1, "b")), INT64_MAX),
        ROW_OF(plain(1, 5, ""), plain(63, 5, "b"), plain(64, 5, "c"), plain(UINT32_MAX, 5, large)),
        ROW_OF(dead(1, 5, UINT32_MAX), at_path(dead(2, 7, 1), "")),
        ROW_OF(expiring(1, 5, "x", 10, 100), expiring(2, 5, "y", 10, 100), expiring(3, 6, "z", 630720000, UINT32_MAX)),
        ROW_OF(at_path(plain(1, 5, "x"), ""), at_path(plain(1, 5, "y"), "p"), at_path(expiring(1, 9, "", 1, 2), large)),
        ROW_OF(expired, buried, counter, spilled, stub),
        marked(ROW_OF(expiring(1, 5, "x", 7, 70), expiring(2, 5, "x", 10, 100)), 5),
        ROW_NONE,
    };
    const size_t n = sizeof rows / sizeof *rows;
    rows[9].liveness.ttl_s = 7;
    rows[9].liveness.local_s = 70;
    rows[10].deletion = (struct deletion){ -5, 77 };
    for (size_t i = 0; i < n; i++) {
        check_round_trip(&rows[i]);
        covered += check_covered(&rows[i]);
        struct row full = rows[i];
        full.annex = i % 2 ? SLICE_LIT("beside") : SLICE_EMPTY;
        full.deletion = (struct deletion){ INT64_MIN + 1, 1 };
        full.complex = complex;
        full.complex_count = 2;
        check_round_trip(&full);
        covered += 100 * check_covered(&full); /* never: more than cells is there */
    }
    assert_true(covered >= 10 && covered < 100);
}

/* A message of a chat: one INSERT of a few columns. */
static void test_sizes(void **state)
{
    (void)state;
    struct row row = marked(ROW_OF(plain(1, 1700000000000000, "author"), plain(2, 1700000000000000, "hello, world")),
                            1700000000000000);
    assert_int_equal(encoded(&row, 0).len, strlen("author") + strlen("hello, world") + 9 + 2 * 2);
    row = marked(ROW_OF(expiring(1, 5, "a", 60, 100), expiring(2, 5, "b", 60, 100)), 5); /* with a TTL: once */
    row.liveness.ttl_s = 60;
    row.liveness.local_s = 100;
    assert_int_equal(encoded(&row, 100).len, 2 + 9 + 4 + 5 + 2 * 3);
}

static void test_cell_alone(void **state)
{
    (void)state;
    const struct cell cells[] = { plain(3, 5, "x"), dead(3, 6, 1), expiring(3, INT64_MIN + 1, "", 10, 100) };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct cell at = at_path(cells[i], "path"), again;
        struct buf buf;
        buf_init(&buf, &arena);
        rowcode_encode_cell(&buf, &at);
        assert_true(rowcode_decode_cell(buf_slice(&buf), &again));
        again.path = at.path;
        struct row a = row_of(&at, 1), b = row_of(&again, 1);
        assert_same(&a, &b);
        for (size_t len = 0; len < buf.len; len++)
            assert_false(rowcode_decode_cell(slice_of(buf.data, len), &again));
    }
}

/* Promise 2: random bytes, and rows with a few bytes changed. What sanitizers see is the test. */
static void test_damaged_bytes(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct complex_deletion complex = { 3, { 4, 2 } };
    struct row good = marked(ROW_OF(expiring(1, 5, "a", 60, 100), at_path(dead(2, 7, 1), "p"), plain(3, 5, "ccc")), 5), row;
    good.complex = &complex;
    good.complex_count = 1;
    good.annex = SLICE_LIT("annex");
    good.deletion = (struct deletion){ 1, 1 };

    for (int i = 0; i < 200000; i++) {
        struct arena_mark mark = arena_mark(&arena);
        uint8_t *bytes = malloc(128);
        size_t len;
        assert_non_null(bytes);
        if (i % 2) {
            len = random_below(&seed, 100);
            for (size_t j = 0; j < len; j++)
                bytes[j] = (uint8_t)random_next(&seed);
        } else {
            struct slice code = encoded(&good, 9);
            len = code.len;
            memcpy(bytes, code.data, len);
            for (int j = 0; j < 3; j++)
                bytes[random_below(&seed, len)] = (uint8_t)random_next(&seed);
        }
        uint8_t *exact = malloc(len ? len : 1); /* so that a step beyond the end is seen */
        assert_non_null(exact);
        memcpy(exact, bytes, len);
        enum wr_status st = rowcode_decode(&ctx, slice_of(exact, len), &row);
        assert_true(st == WR_OK || st == WR_CORRUPT);
        if (st == WR_OK)
            encoded(&row, 0); /* as a write of the row does */
        free(exact);
        free(bytes);
        arena_rewind(&arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trips, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cell_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_bytes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
