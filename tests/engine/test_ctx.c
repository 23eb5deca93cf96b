/* Answers engine/arena.h, buf.h, coding.h, slice.h and ctx.h. */
#include "engine/rig.h"
#include "tests/engine/database.h"

#include <stdalign.h>

#include "engine/buf.h"
#include "engine/coding.h"

/* ---- arena ---- */

static void an_arena_gives_aligned_zeroes_that_do_not_overlap(void **state)
{
    static const size_t sizes[] = { 0, 1, 15, 16, 17, 1000, 5000, 100000, 3 };
    enum { SIZES = sizeof sizes / sizeof *sizes, ROUNDS = 20 };
    uint8_t *given[ROUNDS][SIZES];
    struct arena arena;
    (void)state;

    arena_init(&arena);
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < ROUNDS; i++)
            for (int j = 0; j < SIZES; j++) {
                uint8_t *p = given[i][j] = arena_alloc(&arena, sizes[j]);
                assert_non_null(p);
                assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
                for (size_t k = 0; k < sizes[j]; k++)
                    assert_int_equal(p[k], 0);
                memset(p, i * SIZES + j, sizes[j]);
            }
        for (int i = 0; i < ROUNDS; i++)
            for (int j = 0; j < SIZES; j++)
                for (size_t k = 0; k < sizes[j]; k++)
                    assert_int_equal(given[i][j][k], (uint8_t)(i * SIZES + j));
        arena_reset(&arena);
    }
    arena_release(&arena);
}

static void what_has_run_once_runs_again_without_memory(void **state)
{
    struct arena arena;
    long calls = 0;
    (void)state;

    arena_init(&arena);
    for (int run = 0; run < 3; run++) {
        if (run == 1)
            calls = mem_calls();
        for (int i = 0; i < 1000; i++)
            assert_non_null(arena_alloc(&arena, (size_t)i));
        arena_reset(&arena);
    }
    assert_int_equal(mem_calls(), calls);
    /* What was large is given back: the next large one asks again. */
    assert_non_null(arena_alloc(&arena, 16 << 20));
    arena_reset(&arena);
    calls = mem_calls();
    assert_non_null(arena_alloc(&arena, 16 << 20));
    assert_int_equal(mem_calls(), calls + 1);
    arena_release(&arena);
    assert_non_null(arena_alloc(&arena, 1));
    arena_release(&arena);
}

static void a_trimmed_arena_keeps_what_it_may(void **state)
{
    struct arena arena;
    (void)state;

    arena_init(&arena);
    for (int run = 0; run < 2; run++) {
        assert_non_null(arena_alloc(&arena, 1000));
        assert_non_null(arena_alloc(&arena, 1 << 20));
        arena_trim(&arena, 1 << 16);
    }
    long calls = mem_calls();
    assert_non_null(arena_alloc(&arena, 1000));
    assert_int_equal(mem_calls(), calls);
    assert_non_null(arena_alloc(&arena, 1 << 20));
    assert_int_equal(mem_calls(), calls + 1);
    arena_trim(&arena, 0);
    assert_non_null(arena_alloc(&arena, 1));
    assert_int_equal(mem_calls(), calls + 2);
    arena_release(&arena);
}

static void a_mark_is_a_place_to_come_back_to(void **state)
{
    struct arena arena;
    (void)state;

    arena_init(&arena);
    struct arena_mark empty = arena_mark(&arena);
    char *kept = arena_alloc(&arena, 8);
    memcpy(kept, "kept", 5);
    struct arena_mark mark = arena_mark(&arena);
    char *first = arena_alloc(&arena, 100);
    for (int i = 0; i < 50; i++)
        memset(arena_alloc(&arena, 1000), 0xff, 1000);
    long calls = mem_calls();
    for (int again = 0; again < 3; again++) {
        arena_rewind(&arena, mark);
        char *p = arena_alloc(&arena, 100);
        assert_ptr_equal(p, first);
        for (int i = 0; i < 50; i++)
            memset(arena_alloc(&arena, 1000), 0xff, 1000);
    }
    assert_string_equal(kept, "kept");
    arena_rewind(&arena, empty);
    assert_ptr_equal(arena_alloc(&arena, 8), kept);
    assert_int_equal(mem_calls(), calls);
    arena_release(&arena);
}

static void only_the_last_allocation_can_be_extended(void **state)
{
    struct arena arena;
    (void)state;

    arena_init(&arena);
    assert_false(arena_extend(&arena, NULL, 0, 10));
    uint8_t *a = arena_alloc(&arena, 10);
    assert_true(arena_extend(&arena, a, 10, 100));
    uint8_t *b = arena_alloc(&arena, 10);
    assert_true(b >= a + 100);
    assert_false(arena_extend(&arena, a, 100, 200));
    assert_true(arena_extend(&arena, b, 10, 11));
    assert_false(arena_extend(&arena, b, 11, 1 << 20));
    assert_false(arena_extend(&arena, b, 11, SIZE_MAX));
    arena_release(&arena);
}

static void an_arena_without_memory_says_so(void **state)
{
    struct arena arena;
    (void)state;

    arena_init(&arena);
    assert_null(arena_alloc(&arena, SIZE_MAX));
    rig.mem_fail_after = 0;
    assert_null(arena_alloc(&arena, 100000));
    assert_int_equal(rig.mem_fail_after, -1);
    assert_non_null(arena_alloc(&arena, 100000));
    arena_release(&arena);
}

/* ---- buf ---- */

static void a_buf_holds_what_is_put(void **state)
{
    static const uint8_t expected[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
                                      "\xac\x02"
                                      "\0\0\0\x02"
                                      "ab"
                                      "\xff\xff\xff\xff"
                                      "\0\0\0\0"
                                      "text"
                                      "7/x";
    struct database db;
    struct buf buf;
    struct slice out;
    (void)state;

    database_init(&db);
    buf_init(&buf, &db.arena);
    OK(&db.ctx, buf_done(&db.ctx, &buf, &out));
    assert_int_equal(out.len, 0);
    assert_non_null(out.data);
    for (int again = 0; again < 2; again++) {
        buf_put_u8(&buf, 0x01);
        buf_put_u16(&buf, 0x0203);
        buf_put_u32(&buf, 0x04050607);
        buf_put_u64(&buf, 0x08090a0b0c0d0e0f);
        buf_put_varint(&buf, 300);
        buf_put_bytes32(&buf, SLICE_LIT("ab"));
        buf_put_bytes32(&buf, SLICE_NULL);
        buf_put_bytes32(&buf, SLICE_EMPTY);
        buf_put_str(&buf, "text");
        buf_printf(&buf, "%d/%s", 7, "x");
        OK(&db.ctx, buf_done(&db.ctx, &buf, &out));
        assert_true(slice_eq(out, slice_of(expected, sizeof expected - 1)));
        buf_clear(&buf);
    }
    database_close(&db);
}

static void a_buf_grows_and_keeps_its_bytes(void **state)
{
    struct database db;
    struct buf buf, other;
    struct slice out;
    (void)state;

    database_init(&db);
    buf_init(&buf, &db.arena);
    buf_init(&other, &db.arena);
    for (uint32_t i = 0; i < 100000; i++) {
        buf_put_u32(&buf, i);
        if (i % 1000 == 0)
            buf_put_u8(&other, 1); /* now and then the last thing allocated is another's */
    }
    OK(&db.ctx, buf_done(&db.ctx, &buf, &out));
    assert_int_equal(out.len, 400000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(read_u32(out.data + i * 4), i);
    /* Alone in its block it grows where it lies. */
    arena_reset(&db.arena);
    buf_init(&buf, &db.arena);
    buf_put_u64(&buf, 1);
    const uint8_t *at = buf.data;
    for (int i = 0; i < 200; i++)
        buf_put_u64(&buf, 1);
    assert_ptr_equal(buf.data, at);
    database_close(&db);
}

static void a_buf_remembers_its_first_failure(void **state)
{
    struct database db;
    struct buf buf;
    struct slice out;
    (void)state;

    database_init(&db);
    buf_init(&buf, &db.arena);
    buf_put_str(&buf, "abc");
    rig.mem_fail_after = 0;
    assert_false(buf_reserve(&buf, 1 << 20));
    rig.mem_fail_after = -1;
    buf_put_str(&buf, "def");
    assert_int_equal(buf.len, 3);
    assert_int_equal(buf_done(&db.ctx, &buf, &out), WR_NOMEM);
    buf_clear(&buf);
    buf_put_str(&buf, "def");
    OK(&db.ctx, buf_done(&db.ctx, &buf, &out));
    assert_true(slice_eq_str(out, "def"));
    assert_false(buf_reserve(&buf, SIZE_MAX));
    assert_int_equal(buf_done(&db.ctx, &buf, &out), WR_NOMEM);
    database_close(&db);
}

/* ---- coding ---- */

static const uint64_t numbers[] = { 0,          1,          0x7f,       0x80,         0x3fff,     0x4000,
                                    0xffff,     0x12345678, UINT32_MAX, 1ull << 32,   1ull << 62, 1ull << 63,
                                    UINT64_MAX, INT64_MAX,  0x80808080, 0xdeadbeefull };

static void numbers_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t n = numbers[i];
        uint8_t bytes[32];
        put_u16(bytes, (uint16_t)n);
        put_u32(bytes + 2, (uint32_t)n);
        put_u64(bytes + 6, n);
        size_t len = put_varint(bytes + 14, n);
        assert_true(len >= 1 && len <= VARINT_MAX);
        assert_int_equal(len, varint_len(n));
        assert_int_equal(read_u16(bytes), (uint16_t)n);
        assert_int_equal(read_u32(bytes + 2), (uint32_t)n);
        assert_int_equal(read_u64(bytes + 6), n);
        assert_int_equal(bytes[6], (uint8_t)(n >> 56)); /* big-endian */
        struct reader r = reader_of(slice_of(bytes, 14 + len));
        assert_int_equal(read_be16(&r), (uint16_t)n);
        assert_int_equal(read_be32(&r), (uint32_t)n);
        assert_int_equal(read_be64(&r), n);
        assert_int_equal(read_varint(&r), n);
        assert_false(r.failed);
        assert_int_equal(reader_left(&r), 0);
        assert_int_equal(unzigzag(zigzag((int64_t)n)), (int64_t)n);
    }
    assert_int_equal(zigzag(-1), 1);
    assert_int_equal(zigzag(1), 2);
    assert_int_equal(zigzag(INT64_MIN), UINT64_MAX);
}

static void a_reader_never_runs_past_its_end(void **state)
{
    uint8_t bytes[16];
    (void)state;

    memset(bytes, 0x80, sizeof bytes);
    for (size_t len = 0; len < sizeof bytes; len++) {
        uint8_t *exact = malloc(len + 1); /* so that the sanitizer sees one byte too many */
        memcpy(exact, bytes, len);
        uint8_t *end = realloc(exact, len ? len : 1);
        struct slice s = slice_of(end, len);
        struct reader r = reader_of(s);
        read_varint(&r); /* no byte of these ends a varint */
        assert_true(r.failed);
        r = reader_of(s);
        assert_int_equal(read_be64(&r) != 0, len >= 8);
        assert_int_equal(r.failed, len < 8);
        r = reader_of(s);
        assert_true(slice_is_null(read_bytes(&r, len + 1)));
        assert_int_equal(read_byte(&r), 0); /* the first failure stays */
        assert_true(r.failed);
        r = reader_of(s);
        assert_false(slice_is_null(read_bytes(&r, len)));
        assert_false(r.failed);
        assert_int_equal(reader_rest(&r).len, 0);
        r = reader_of(s);
        assert_true(slice_is_null(read_bytes32(&r))); /* 0x80808080: null, or cut off */
        assert_int_equal(r.failed, len < 4);
        free(end);
    }
    struct reader r = reader_of(SLICE_NULL);
    assert_false(slice_is_null(read_bytes(&r, 0)));
    assert_true(slice_is_null(read_bytes(&r, SIZE_MAX)));
    r = reader_of(SLICE_LIT("\0\0\0\x03"
                            "abc"
                            "\0\0\0\x09"
                            "ab"));
    assert_true(slice_eq_str(read_bytes32(&r), "abc"));
    assert_true(slice_is_null(read_bytes32(&r)));
    assert_true(r.failed);
}

static void slices_compare_as_unsigned_bytes(void **state)
{
    static const char *const sorted[] = { "", "\x01", "a", "aa", "ab", "b", "\x7f", "\x80", "\xff", "\xff\x01" };
    enum { N = sizeof sorted / sizeof *sorted };
    (void)state;

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int c = slice_cmp(slice_str(sorted[i]), slice_str(sorted[j]));
            assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
            assert_int_equal(slice_eq(slice_str(sorted[i]), slice_str(sorted[j])), i == j);
        }
    assert_true(slice_has_prefix(SLICE_LIT("abc"), SLICE_LIT("ab")));
    assert_true(slice_has_prefix(SLICE_LIT("abc"), SLICE_EMPTY));
    assert_false(slice_has_prefix(SLICE_LIT("ab"), SLICE_LIT("abc")));
    assert_true(slice_is_null(slice_str(NULL)));
    assert_false(slice_is_null(SLICE_EMPTY));
    assert_true(slice_eq(SLICE_NULL, SLICE_EMPTY)); /* the same bytes; only slice_is_null tells them apart */
    assert_true(slice_eq_str(slice_skip(SLICE_LIT("abc"), 2), "c"));
}

/* ---- ctx ---- */

static enum wr_status fails_when(struct ctx *ctx, bool wanted)
{
    return wanted ? fail(ctx, WR_INVALID, "no %s", "luck") : WR_OK;
}

static enum wr_status passes_up(struct ctx *ctx, bool first, bool second, int *steps)
{
    enum wr_status st;

    TRY(fails_when(ctx, first));
    ++*steps;
    TRY_OUT(fails_when(ctx, second));
    ++*steps;
out:
    *steps += 10;
    return st;
}

static void a_failure_goes_up_with_its_message(void **state)
{
    struct database db;
    char longer[ERROR_TEXT_MAX + 100];
    int steps = 0;
    (void)state;

    database_init(&db);
    assert_int_equal(passes_up(&db.ctx, true, true, &steps), WR_INVALID);
    assert_string_equal(db.ctx.error, "no luck");
    assert_int_equal(steps, 0);
    assert_int_equal(passes_up(&db.ctx, false, true, &steps), WR_INVALID);
    assert_int_equal(steps, 11);
    assert_int_equal(passes_up(&db.ctx, false, false, &steps), WR_OK);
    assert_int_equal(steps, 23);
    memset(longer, 'x', sizeof longer);
    longer[ERROR_TEXT_MAX - 1] = '\0'; /* the longest that fits */
    fail(&db.ctx, WR_IO, "%s", longer);
    assert_string_equal(db.ctx.error, longer);
    longer[ERROR_TEXT_MAX - 1] = 'x'; /* and one more: cut */
    longer[ERROR_TEXT_MAX] = '\0';
    fail(&db.ctx, WR_IO, "%s", longer);
    assert_int_equal(strlen(db.ctx.error), ERROR_TEXT_MAX - 1);
    assert_int_equal(fail_corrupt(&db.ctx, "a room"), WR_CORRUPT);
    assert_non_null(strstr(db.ctx.error, "a room"));
    database_close(&db);
}

static void a_ctx_copies_formats_and_warns(void **state)
{
    struct database db;
    struct slice copy;
    (void)state;

    database_init(&db);
    char text[] = "text";
    OK(&db.ctx, ctx_copy(&db.ctx, slice_str(text), &copy));
    char *string = ctx_string(&db.ctx, slice_str(text));
    text[0] = 'n';
    assert_true(slice_eq_str(copy, "text"));
    assert_string_equal(string, "text");
    OK(&db.ctx, ctx_copy(&db.ctx, SLICE_NULL, &copy));
    assert_true(slice_is_null(copy));
    OK(&db.ctx, ctx_copy(&db.ctx, SLICE_EMPTY, &copy));
    assert_false(slice_is_null(copy));
    assert_string_equal(ctx_format(&db.ctx, "%d-%s", 5, "a"), "5-a");
    ctx_warn(&db.ctx, "first %d", 1);
    ctx_warn(&db.ctx, "second");
    assert_string_equal(db.ctx.warnings->text, "first 1");
    assert_string_equal(db.ctx.warnings->next->text, "second");
    assert_null(db.ctx.warnings->next->next);
    uint64_t *zeroes = NEW_ARRAY(&db.ctx, uint64_t, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(zeroes[i], 0);
    assert_null(NEW_ARRAY(&db.ctx, uint64_t, SIZE_MAX / 4));
    assert_string_equal(db.ctx.error, "out of memory");
    database_close(&db);
}

static void what_was_lacked_is_told_whoever_noticed(void **state)
{
    struct arena arena, notes;
    struct ctx ctx;
    (void)state;

    arena_init(&arena);
    arena_init(&notes);
    ctx_init(&ctx, &arena);
    ctx.notes = &notes;
    for (int of_notes = 0; of_notes < 2; of_notes++) {
        OK(&ctx, ctx_had_memory(&ctx));
        rig.mem_fail_after = 0;
        assert_null(arena_alloc(of_notes ? &notes : &arena, 1 << 20));
        rig.mem_fail_after = -1;
        assert_int_equal(fail(&ctx, WR_INVALID, "no type of the name %s", ""), WR_NOMEM);
        assert_string_equal(ctx.error, "out of memory");
        assert_int_equal(fail(&ctx, WR_IO, "the disk"), WR_IO);
        assert_int_equal(ctx_had_memory(&ctx), WR_NOMEM);
        assert_int_equal(ctx_outcome(&ctx, WR_OK), WR_NOMEM);
        assert_string_equal(ctx.error, "out of memory");
        assert_int_equal(fail(&ctx, WR_INVALID, "the next"), WR_INVALID);
        OK(&ctx, ctx_outcome(&ctx, WR_OK));
    }
    rig.mem_fail_after = 0;
    ctx_warn(&ctx, "%s", "of which nobody hears");
    rig.mem_fail_after = -1;
    assert_int_equal(ctx_outcome(&ctx, WR_OK), WR_NOMEM);
    rig.mem_fail_after = 0;
    assert_null(arena_alloc(&arena, 1 << 20));
    rig.mem_fail_after = -1;
    arena_reset(&arena);
    OK(&ctx, ctx_had_memory(&ctx));
    arena_release(&arena);
    arena_release(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_gives_aligned_zeroes_that_do_not_overlap),
        cmocka_unit_test(what_has_run_once_runs_again_without_memory),
        cmocka_unit_test(a_trimmed_arena_keeps_what_it_may),
        cmocka_unit_test(a_mark_is_a_place_to_come_back_to),
        cmocka_unit_test(only_the_last_allocation_can_be_extended),
        cmocka_unit_test(an_arena_without_memory_says_so),
        cmocka_unit_test(a_buf_holds_what_is_put),
        cmocka_unit_test(a_buf_grows_and_keeps_its_bytes),
        cmocka_unit_test(a_buf_remembers_its_first_failure),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(a_reader_never_runs_past_its_end),
        cmocka_unit_test(slices_compare_as_unsigned_bytes),
        cmocka_unit_test(a_failure_goes_up_with_its_message),
        cmocka_unit_test(a_ctx_copies_formats_and_warns),
        cmocka_unit_test(what_was_lacked_is_told_whoever_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
