/* Answers model/clustering.h: components in order in both directions, bounds, the annex, partition keys. */
#include "model/clustering.h"
#include "tests/model/recorded.h"

enum { COLUMNS = 3, ROWS = 60 };

static struct slice put(struct work *work, const struct clustering_shape *shape, const struct slice *values, uint32_t n)
{
    struct buf buf;
    struct slice out;
    buf_init(&buf, &work->arena);
    clustering_put(&buf, shape, values, n);
    assert_int_equal(buf_done(&work->ctx, &buf, &out), WR_OK);
    return out;
}

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

/* As storage orders: empty, values, turned around where inverted; null comes before them where the table is read as it is stored, and
 * behind them where it is read backwards. */
static int expected_order(const struct clustering_shape *shape, const struct slice *a, const struct slice *b)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        int null = slice_is_null(b[i]) - slice_is_null(a[i]);
        if (null)
            return shape->reversed ? -null : null;
        int c = slice_is_null(a[i]) ? 0 : type_compare(shape->columns[i].type, a[i], b[i]);
        if (c)
            return shape->columns[i].inverted ? -sign(c) : sign(c);
    }
    return 0;
}

static const char *const texts[] = { NULL, "", "00", "0000", "61", "6100", "610062", "62", "ff" };
static const char *const numbers[] = { NULL, "", "80000000", "ffffffff", "00000000", "00000001" };
static const char *const decimals[] = {
    NULL, "", "0000000000", "0000000001", "000000010a", "00000001f6", "fffffe70fb"
};

/* A shape for each way of inverting columns, read as it is stored and backwards. */
enum { SHAPES = 16 };

static void shape_of(struct clustering_shape *shape, struct clustering_column *columns, unsigned number)
{
    columns[0] = clustering_column_of(type_native(TYPE_BLOB), number & 1);
    columns[1] = clustering_column_of(type_native(TYPE_INT), number & 2);
    columns[2] = clustering_column_of(type_native(TYPE_DECIMAL), number & 4);
    *shape = (struct clustering_shape){ .columns = columns, .count = COLUMNS, .reversed = number & 8, .lossy = true };
}

static void rows(struct work *work, struct slice values[ROWS][COLUMNS])
{
    uint32_t seed = 5;
    for (int i = 0; i < ROWS; i++) {
        seed = seed * 1103515245 + 12345;
        values[i][0] = bytes_of(work, texts[(seed >> 16) % (sizeof texts / sizeof *texts)]);
        values[i][1] = bytes_of(work, numbers[(seed >> 20) % (sizeof numbers / sizeof *numbers)]);
        values[i][2] = bytes_of(work, decimals[(seed >> 24) % (sizeof decimals / sizeof *decimals)]);
    }
}

static void order_in_all_directions(void **state)
{
    struct work *work = *state;
    struct clustering_shape shape;
    struct clustering_column columns[COLUMNS];
    struct slice values[ROWS][COLUMNS];
    rows(work, values);
    for (unsigned number = 0; number < SHAPES; number++) {
        shape_of(&shape, columns, number);
        for (int a = 0; a < ROWS; a++) {
            for (int b = 0; b < ROWS; b++) {
                struct slice x = put(work, &shape, values[a], COLUMNS), y = put(work, &shape, values[b], COLUMNS);
                assert_int_equal(sign(slice_cmp(x, y)), expected_order(&shape, values[a], values[b]));
            }
        }
    }
}

/* A prefix stands before all rows that begin with it, and with FF behind it after them, and neither among others. */
static void bounds_hold_their_rows(void **state)
{
    struct work *work = *state;
    struct clustering_shape shape;
    struct clustering_column columns[COLUMNS];
    struct slice values[ROWS][COLUMNS];
    rows(work, values);
    for (unsigned number = 0; number < SHAPES; number++) {
        shape_of(&shape, columns, number);
        for (int a = 0; a < ROWS; a++) {
            for (uint32_t n = 1; n < COLUMNS; n++) {
                struct slice start = put(work, &shape, values[a], n);
                struct buf end;
                buf_init(&end, &work->arena);
                buf_put_slice(&end, start);
                buf_put_u8(&end, 0xff);
                for (int b = 0; b < ROWS; b++) {
                    struct slice row = put(work, &shape, values[b], COLUMNS);
                    bool within = slice_cmp(start, row) <= 0 && slice_cmp(row, buf_slice(&end)) < 0;
                    struct clustering_shape prefix = shape;
                    prefix.count = n;
                    assert_int_equal(within, expected_order(&prefix, values[a], values[b]) == 0);
                }
            }
        }
    }
}

static void values_come_back(void **state)
{
    struct work *work = *state;
    struct clustering_shape shape;
    struct clustering_column columns[COLUMNS];
    struct slice values[ROWS][COLUMNS], back[COLUMNS], annex;
    int annexes = 0;
    rows(work, values);
    for (unsigned number = 0; number < SHAPES; number++) {
        shape_of(&shape, columns, number);
        for (int a = 0; a < ROWS; a++) {
            struct slice bytes = put(work, &shape, values[a], COLUMNS);
            assert_int_equal(clustering_annex(&work->ctx, &shape, values[a], &annex), WR_OK);
            annexes += !slice_is_null(annex);
            assert_int_equal(clustering_get(&work->ctx, &shape, bytes, annex, back), WR_OK);
            for (int i = 0; i < COLUMNS; i++) {
                assert_int_equal(slice_is_null(back[i]), slice_is_null(values[a][i]));
                assert_true(slice_eq(back[i], values[a][i]));
            }
            for (size_t n = 0; n < bytes.len;
                 n++) /* cut short: an error or missing columns, never more than there is */
                (void)clustering_get(&work->ctx, &shape, slice_of(bytes.data, n), SLICE_NULL, back);
        }
    }
    assert_true(annexes > 0 && annexes < ROWS * 8); /* only what would come back otherwise is kept beside the key */
    shape.lossy = false;
    assert_int_equal(clustering_annex(&work->ctx, &shape, values[0], &annex), WR_OK);
    assert_true(slice_is_null(annex));

    struct slice part = put(work, &shape, values[1], 1);
    assert_int_equal(clustering_get(&work->ctx, &shape, part, SLICE_NULL, back), WR_OK);
    assert_true(slice_is_null(back[1]) && slice_is_null(back[2]));
    assert_int_equal(clustering_get(&work->ctx, &shape, SLICE_LIT("\x05"), SLICE_NULL, back), WR_CORRUPT);
    struct slice whole = put(work, &shape, values[1], COLUMNS);
    struct buf more;
    buf_init(&more, &work->arena);
    buf_put_slice(&more, whole);
    buf_put_u8(&more, 3);
    assert_int_equal(clustering_get(&work->ctx, &shape, buf_slice(&more), SLICE_NULL, back), WR_CORRUPT);
    assert_int_equal(clustering_get(&work->ctx, &shape, whole, SLICE_LIT("\0\0\1"), back), WR_CORRUPT);
}

static void partition_keys(void **state)
{
    static const struct {
        const char *values[2];
        uint32_t n;
        const char *key; /* NULL: refused as empty */
    } cases[] = {
        { { "61" }, 1, "61" },
        { { "" }, 1, NULL },
        { { "61", "" }, 2, "00016100000000" },
        { { "", "" }, 2, "000000000000" },
    };
    struct work *work = *state;
    struct slice key, back[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice values[2] = { bytes_of(work, cases[i].values[0]), bytes_of(work, cases[i].values[1]) };
        enum wr_status st = partition_key_put(&work->ctx, values, cases[i].n, &key);
        if (!cases[i].key) {
            assert_int_equal(st, WR_INVALID);
            check_text("empty", work->ctx.error, "Key may not be empty");
            continue;
        }
        assert_int_equal(st, WR_OK);
        check_text("key", hex_of(work, key), cases[i].key);
        assert_int_equal(partition_key_get(&work->ctx, key, cases[i].n, back), WR_OK);
        for (uint32_t k = 0; k < cases[i].n; k++)
            assert_true(slice_eq(back[k], values[k]));
    }
    assert_int_equal(partition_key_get(&work->ctx, SLICE_LIT("\0\1a"), 2, back), WR_CORRUPT);
    assert_int_equal(partition_key_get(&work->ctx, SLICE_LIT("\0\0\0\0\0\0\0"), 2, back), WR_CORRUPT);

    /* the longest, and one byte more */
    uint8_t *bytes = ctx_alloc(&work->ctx, KEY_BYTES_MAX + 1);
    struct slice longest = slice_of(bytes, KEY_BYTES_MAX), longer = slice_of(bytes, KEY_BYTES_MAX + 1);
    struct slice pair[2] = { slice_of(bytes, KEY_BYTES_MAX - 6), SLICE_EMPTY };
    assert_int_equal(partition_key_put(&work->ctx, &longest, 1, &key), WR_OK);
    assert_int_equal(partition_key_put(&work->ctx, &longer, 1, &key), WR_INVALID);
    check_text("long", work->ctx.error, "Key length of 65536 is longer than maximum of 65535");
    assert_int_equal(partition_key_put(&work->ctx, pair, 2, &key), WR_OK);
    pair[1] = SLICE_LIT("x");
    assert_int_equal(partition_key_put(&work->ctx, pair, 2, &key), WR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(order_in_all_directions, work_open, work_close),
        cmocka_unit_test_setup_teardown(bounds_hold_their_rows, work_open, work_close),
        cmocka_unit_test_setup_teardown(values_come_back, work_open, work_close),
        cmocka_unit_test_setup_teardown(partition_keys, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
