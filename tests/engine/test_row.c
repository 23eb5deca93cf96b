/* Answers engine/cell.h, deletion.h, row.h and counter.h: which of two wins, what a deletion leaves. Nothing is stored. */
#include "engine/counter.h"
#include "tests/engine/rows.h"
#include "tests/memory.h"

static const char *text_of(const struct row *row)
{
    static char text[512];
    text[0] = 0;
    print_row(SLICE_EMPTY, row, text, sizeof text);
    return text;
}

/* Each cell of the list loses to all behind it, as Cassandra 5.0.6 answers over CQL with USING TIMESTAMP. */
static void test_cell_order(void **state)
{
    (void)state;
    const struct cell ladder[] = {
        plain(1, INT64_MIN + 1, "z"),
        plain(1, 5, ""),
        plain(1, 5, "a"),
        plain(1, 5, "aa"),
        plain(1, 5, "b"),
        expiring(1, 5, "a", 10, 100),
        expiring(1, 5, "a", 20, 200), /* later expiry, whatever the values */
        expiring(1, 5, "b", 20, 200),
        expiring(1, 5, "a", 10, 200), /* one expiry: the smaller TTL was written later */
        dead(1, 5, 50),
        dead(1, 5, 60),
        plain(1, 6, ""),
    };
    const size_t n = sizeof ladder / sizeof *ladder;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_int_equal(cell_wins(&ladder[i], &ladder[j]), i > j);
}

static void test_expired_ranks_as_expiring(void **state)
{
    (void)state;
    struct cell expired = expiring(1, 5, "a", 10, 100), later = expiring(1, 5, "a", 10, 101), gone = dead(1, 5, 1);
    expired.kind = CELL_EXPIRED;
    expired.value = SLICE_NULL;
    assert_true(cell_wins(&later, &expired) && !cell_wins(&expired, &later));
    assert_true(cell_wins(&gone, &expired) && !cell_wins(&expired, &gone));
    struct cell living = plain(1, 5, "z");
    assert_true(cell_wins(&expired, &living));
    assert_false(cell_is_live(&expired, 0));
}

static void test_cell_is_live(void **state)
{
    (void)state;
    struct cell c = expiring(1, 5, "a", 10, 100);
    assert_true(cell_is_live(&c, 99));
    assert_false(cell_is_live(&c, 100)); /* at its second it is gone */
    c = dead(1, 5, 100);
    assert_false(cell_is_live(&c, 0));
}

static void test_markers(void **state)
{
    (void)state;
    const struct liveness ladder[] = {
        LIVENESS_NONE, { 4, 0, 0 }, { 5, 0, 0 }, { 5, 10, 100 }, { 5, 5, 200 }, { 6, 0, 0 },
    };
    const size_t n = sizeof ladder / sizeof *ladder;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            struct liveness winner = liveness_merge(ladder[i], ladder[j]), expected = ladder[i > j ? i : j];
            assert_true(winner.timestamp_us == expected.timestamp_us && winner.local_s == expected.local_s);
        }
    assert_false(liveness_is_live(LIVENESS_NONE, 0));
    assert_true(liveness_is_live(ladder[3], 99) && !liveness_is_live(ladder[3], 100));
    assert_false(liveness_is_live((struct liveness){ 5, TTL_EXPIRED, 100 }, 0));
}

static void test_normalize(void **state)
{
    (void)state;
    struct complex_deletion complex[] = { { 3, { 5, 1 } }, { 2, { 9, 1 } }, { 3, { 7, 1 } } };
    struct row row = ROW_OF(plain(4, 1, "d"), at_path(plain(3, 1, "y"), "q"), plain(1, 1, "old"),
                            at_path(plain(3, 1, "x"), "p"), plain(1, 2, "new"));
    row.complex = complex;
    row.complex_count = 3;
    row_normalize(&row);
    assert_string_equal(text_of(&row), "(1=new 3[p]=x 3[q]=y 4=d)");
    assert_int_equal(row.complex_count, 2);
    assert_true(row_complex_deletion(&row, 3).timestamp_us == 7 && row_complex_deletion(&row, 2).timestamp_us == 9);
    assert_true(deletion_is_none(row_complex_deletion(&row, 1)));

    uint32_t n;
    assert_true(row_find(&row, 3, &n) == &row.cells[1] && n == 2);
    assert_true(row_find(&row, 4, &n) == &row.cells[3] && n == 1);
    assert_null(row_find(&row, 2, &n));
    assert_int_equal(n, 0);
    struct row none = ROW_NONE;
    row_normalize(&none);
    assert_null(row_find(&none, 1, &n));
}

static struct row merged(struct row a, struct row b, struct deletion over)
{
    struct row out;
    OK(&ctx, row_merge(&ctx, &a, &b, over, &out));
    return out;
}

static void test_merge_deletions(void **state)
{
    (void)state;
    struct row old = marked(ROW_OF(plain(1, 4, "a"), plain(2, 5, "b"), at_path(plain(3, 5, "c"), "p"), dead(4, 4, 1)), 4);
    struct row none = ROW_NONE, by_row = ROW_NONE, by_column = ROW_NONE, out;

    by_row.deletion = (struct deletion){ 4, 1 };
    out = merged(old, by_row, DELETION_NONE);
    assert_string_equal(text_of(&out), "(2=b 3[p]=c)");
    assert_true(liveness_is_none(out.liveness) && out.deletion.timestamp_us == 4);

    out = merged(old, none, (struct deletion){ 4, 1 }); /* over removes, and is not kept */
    assert_string_equal(text_of(&out), "(2=b 3[p]=c)");
    assert_true(deletion_is_none(out.deletion));

    out = merged(by_row, none, (struct deletion){ 4, 1 });
    assert_true(row_is_empty(&out));

    struct complex_deletion complex = { 3, { 5, 1 } };
    by_column.complex = &complex;
    by_column.complex_count = 1;
    out = merged(old, by_column, DELETION_NONE);
    assert_string_equal(text_of(&out), "(1=a 2=b 4=)");
    assert_int_equal(out.complex_count, 1);
    out = merged(by_column, old, (struct deletion){ 5, 1 }); /* the column's own tombstone is covered, too */
    assert_true(row_is_empty(&out));
}

static void test_alive(void **state)
{
    (void)state;
    struct row row = ROW_OF(dead(1, 5, 1), expiring(2, 5, "x", 10, 100));
    assert_true(row_is_alive(&row, 99));
    assert_false(row_is_alive(&row, 100));
    assert_false(row_is_empty(&row));
    row = marked(row, 1);
    assert_true(row_is_alive(&row, 100));
}

static void test_annex_first_stays(void **state)
{
    (void)state;
    struct row a = ROW_NONE, b = marked((struct row)ROW_NONE, 2);
    b.annex = SLICE_LIT("second");
    assert_true(slice_eq_str(merged(a, b, DELETION_NONE).annex, "second"));
    a = marked(a, 1);
    assert_true(slice_is_null(merged(a, b, DELETION_NONE).annex));
    a.annex = SLICE_LIT("first");
    assert_true(slice_eq_str(merged(a, b, DELETION_NONE).annex, "first"));
}

/* Merging is commutative, associative and idempotent: all orders of three rows of every kind give the same. */
static void test_merge_in_any_order(void **state)
{
    (void)state;
    struct complex_deletion complex[] = { { 3, { 4, 2 } }, { 3, { 5, 1 } } };
    struct row rows[] = {
        marked(ROW_OF(plain(1, 5, "a"), at_path(plain(3, 5, "c"), "p")), 5),
        ROW_OF(expiring(1, 5, "A", 5, 100), at_path(plain(3, 6, "c"), "p"), plain(4, 4, "")),
        ROW_OF(dead(1, 5, 3), at_path(dead(3, 6, 3), "p"), plain(2, 9, "x")),
        ROW_NONE,
        marked((struct row)ROW_NONE, 4),
        ROW_NONE,
        ROW_NONE,
    };
    const int n = sizeof rows / sizeof *rows;
    rows[3].deletion = (struct deletion){ 4, 7 };
    rows[5].complex = &complex[0];
    rows[6].complex = &complex[1];
    rows[5].complex_count = rows[6].complex_count = 1;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                char first[512];
                struct row ab = merged(rows[i], rows[j], DELETION_NONE), bc = merged(rows[j], rows[k], DELETION_NONE);
                struct row left = merged(ab, rows[k], DELETION_NONE), right = merged(bc, rows[i], DELETION_NONE);
                struct row again = merged(left, rows[j], DELETION_NONE);
                snprintf(first, sizeof first, "%s", text_of(&left));
                assert_string_equal(first, text_of(&right));
                assert_string_equal(first, text_of(&again));
                assert_true(left.liveness.timestamp_us == right.liveness.timestamp_us);
                assert_true(left.deletion.timestamp_us == right.deletion.timestamp_us);
                assert_int_equal(left.complex_count, right.complex_count);
                assert_int_equal(left.complex_count, again.complex_count);
            }
}

static struct cell increment(int64_t timestamp_us, int64_t by)
{
    static uint8_t bytes[64][8];
    static int next;
    uint8_t *at = bytes[next++ % 64];
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)((uint64_t)by >> (56 - 8 * i));
    return (struct cell){ .column = 1, .flags = CELL_COUNTER, .timestamp_us = timestamp_us, .value = slice_of(at, 8) };
}

static int64_t total_of(const struct row *row)
{
    assert_int_equal(row->cell_count, 1);
    assert_true(cell_is_live(&row->cells[0], 0));
    return counter_value(row->cells[0].value);
}

static void test_counters(void **state)
{
    (void)state;
    struct row none = ROW_NONE, by_row = ROW_NONE, row;

    row = merged(none, ROW_OF(increment(5, 3), increment(5, 4)), DELETION_NONE); /* side by side in one mutation */
    assert_true(total_of(&row) == 7);
    row = merged(row, ROW_OF(increment(6, -10)), DELETION_NONE);
    assert_true(total_of(&row) == -3);
    row = merged(ROW_OF(increment(6, INT64_MAX)), ROW_OF(increment(7, 1)), DELETION_NONE); /* wraps */
    assert_true(total_of(&row) == INT64_MIN);

    /* Promise 2: a row deletion hides the total, the next increment goes on from it. */
    by_row.deletion = (struct deletion){ 8, 1 };
    row = merged(ROW_OF(increment(7, 4)), by_row, DELETION_NONE);
    assert_false(row_is_alive(&row, 0));
    row = merged(row, ROW_OF(increment(9, 1)), DELETION_NONE);
    assert_true(total_of(&row) == 5);

    /* What is in one mutation with the deletion of its row is no such total. */
    struct row together = ROW_OF(increment(8, 3), increment(8, 4), increment(9, 5));
    together.deletion = (struct deletion){ 8, 1 };
    row_normalize(&together);
    assert_true(together.cell_count == 1 && counter_value(together.cells[0].value) == 5);

    /* Promise 1: the column's own tombstone stays. */
    row = merged(ROW_OF(increment(7, 4)), ROW_OF(dead(1, 8, 1)), DELETION_NONE);
    row = merged(row, ROW_OF(increment(9, 1)), DELETION_NONE);
    assert_false(row_is_alive(&row, 0));

    assert_true(counter_value(SLICE_LIT("short")) == 0 && counter_value(SLICE_NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell_order),
        cmocka_unit_test(test_expired_ranks_as_expiring),
        cmocka_unit_test(test_cell_is_live),
        cmocka_unit_test(test_markers),
        cmocka_unit_test_setup_teardown(test_normalize, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge_deletions, set_up, tear_down),
        cmocka_unit_test(test_alive),
        cmocka_unit_test_setup_teardown(test_annex_first_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counters, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
