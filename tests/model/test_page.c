/* Answers model/page.h promise by promise. */
#include "model/page.h"
#include "tests/memory.h"

static uint8_t long_key[70000];

static const struct page_state states[] = {
    { 0, UINT32_MAX, UINT32_MAX, SLICE_LIT("k"), SLICE_LIT("clustering") },
    { PAGE_PARTITION_DONE, 0, 7, SLICE_LIT("\0\0\0\1"), SLICE_LIT("") },
    { PAGE_SINGLE, 1, 0, SLICE_LIT(""), SLICE_LIT("\xff") },
    { PAGE_FLAGS, 12, 1, { long_key, sizeof long_key }, SLICE_LIT("") },
};

static void decoding_gives_back_what_was_encoded(void **test)
{
    (void)test;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const struct page_state *s = &states[i];
        struct page_state back;
        struct slice bytes;
        assert_int_equal(page_encode(&ctx, s, &bytes), WR_OK);
        assert_int_equal(page_decode(&ctx, bytes, &back), WR_OK);
        assert_int_equal(back.flags, s->flags);
        assert_int_equal(back.remaining, s->remaining);
        assert_int_equal(back.remaining_in_partition, s->remaining_in_partition);
        assert_true(slice_eq(back.key, s->key) && slice_eq(back.clustering, s->clustering));
        assert_false(slice_is_null(back.key) || slice_is_null(back.clustering));
    }
}

static void assert_refused(struct slice bytes)
{
    struct page_state back;
    assert_int_equal(page_decode(&ctx, bytes, &back), WR_PROTOCOL);
    assert_string_equal(ctx.error, "Invalid value for the paging state");
    assert_false(page_is_state(bytes));
}

static void anything_else_is_refused(void **test)
{
    (void)test;
    struct slice bytes;
    assert_int_equal(page_encode(&ctx, &states[0], &bytes), WR_OK);
    assert_true(page_is_state(bytes));
    uint8_t *changed = ctx_alloc(&ctx, bytes.len + 1);
    assert_non_null(changed);
    for (size_t len = 0; len < bytes.len; len++)
        assert_refused(slice_of(bytes.data, len));
    for (size_t bit = 0; bit < 8 * bytes.len; bit++) {
        memcpy(changed, bytes.data, bytes.len);
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_refused(slice_of(changed, bytes.len));
    }
    memcpy(changed, bytes.data, bytes.len);
    changed[bytes.len] = 0;
    assert_refused(slice_of(changed, bytes.len + 1));
    assert_refused(SLICE_LIT("not a paging state of ours"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
