/* Answers engine/order.h. */
#include "engine/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum shape { SIGNED, REAL, STRING };

struct value {
    uint8_t bytes[16];
    size_t len;
};

static struct slice encode(struct arena *arena, enum shape shape, const struct value *v, bool inverted)
{
    static void (*const put[])(struct buf *, struct slice) = { order_put_signed, order_put_real, order_put_string };
    struct buf buf;
    buf_init(&buf, arena);
    put[shape](&buf, slice_of(v->bytes, v->len));
    if (inverted)
        order_invert(&buf, 0);
    assert_false(buf.failed);
    return buf_slice(&buf);
}

/* The values are given in order; no two are equal. */
static void check(enum shape shape, const struct value *values, size_t count)
{
    struct arena arena;
    struct ctx ctx;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (size_t a = 0; a < count; a++) {
        struct slice x = encode(&arena, shape, &values[a], false), from = x, back;
        uint8_t bytes[8];
        if (shape == STRING) {
            struct slice seen;
            bool lies_there = order_view_string(from, &seen);
            assert_int_equal(order_get_string(&ctx, &from, &back), WR_OK);
            assert_int_equal(lies_there, x.len == back.len + 2); /* nothing was escaped */
            assert_true(!lies_there || (slice_eq(seen, back) && seen.data == x.data));
        } else {
            assert_true((shape == REAL ? order_get_real : order_get_signed)(&from, bytes, values[a].len));
            back = slice_of(bytes, values[a].len);
        }
        assert_int_equal(from.len, 0);
        assert_true(slice_eq(back, slice_of(values[a].bytes, values[a].len)));
        for (size_t b = 0; b < count; b++) {
            struct slice y = encode(&arena, shape, &values[b], false);
            int c = slice_cmp(x, y),
                inverted = slice_cmp(encode(&arena, shape, &values[a], true), encode(&arena, shape, &values[b], true));
            assert_int_equal((c > 0) - (c < 0), (a > b) - (a < b));
            assert_int_equal((inverted > 0) - (inverted < 0), (a < b) - (a > b));
            assert_true(a == b || !slice_has_prefix(y, x));
        }
    }
    arena_release(&arena);
}
#define CHECK(shape, values) check(shape, values, sizeof(values) / sizeof *(values))

static void numbers(void **state)
{
    static const struct value bytes[] = {
        { { 0x80 }, 1 }, { { 0xff }, 1 }, { { 0 }, 1 }, { { 1 }, 1 }, { { 0x7f }, 1 }
    };
    static const struct value longs[] = {
        { { 0x80 }, 8 },
        { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8 },
        { { 0 }, 8 },
        { { 0, 0, 0, 0, 0, 0, 0, 1 }, 8 },
        { { 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8 },
    };
    (void)state;
    CHECK(SIGNED, bytes);
    CHECK(SIGNED, longs);
}

static void reals(void **state)
{
    static const struct value floats[] = {
        { { 0xff, 0x80 }, 4 }, { { 0xbf, 0x80 }, 4 }, { { 0x80, 0, 0, 1 }, 4 }, { { 0x80 }, 4 },       { { 0 }, 4 },
        { { 0, 0, 0, 1 }, 4 }, { { 0x3f, 0x80 }, 4 }, { { 0x7f, 0x80 }, 4 },    { { 0x7f, 0xc0 }, 4 },
    };
    static const struct value doubles[] = {
        { { 0xff, 0xf0 }, 8 }, { { 0xbf, 0xf0 }, 8 }, { { 0x80 }, 8 },       { { 0 }, 8 },
        { { 0x3f, 0xf0 }, 8 }, { { 0x7f, 0xf0 }, 8 }, { { 0x7f, 0xf8 }, 8 },
    };
    static const struct value nan = { { 0xff, 0xff, 0xff, 0xff }, 4 };
    struct arena arena;
    (void)state;
    CHECK(REAL, floats);
    CHECK(REAL, doubles);
    arena_init(&arena);
    assert_true(slice_eq(encode(&arena, REAL, &nan, false), encode(&arena, REAL, &floats[8], false)));
    arena_release(&arena);
}

static void strings(void **state)
{
    static const struct value values[] = {
        { { 0 }, 0 },         { { 0 }, 1 },   { { 0, 0 }, 2 },   { { 0, 1 }, 2 },        { { 0, 0xff }, 2 },
        { { 1 }, 1 },         { { 'a' }, 1 }, { { 'a', 0 }, 2 }, { { 'a', 0, 'b' }, 3 }, { { 'a', 1 }, 2 },
        { { 'a', 0xff }, 2 }, { { 'b' }, 1 }, { { 0xff }, 1 },   { { 0xff, 0 }, 2 },     { { 0xff, 0xff }, 2 },
    };
    (void)state;
    CHECK(STRING, values);
}

static void broken_bytes(void **state)
{
    static const struct value cases[] = { { { 0 }, 0 },    { { 'a' }, 1 },     { { 0 }, 1 },
                                          { { 0, 1 }, 2 }, { { 0, 0xff }, 2 }, { { 'a', 0, 0xff, 0 }, 4 } };
    struct arena arena;
    struct ctx ctx;
    uint8_t out[8];
    (void)state;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *bytes = malloc(cases[i].len ? cases[i].len : 1); /* just as long, for the sanitizer */
        memcpy(bytes, cases[i].bytes, cases[i].len);
        struct slice from = slice_of(bytes, cases[i].len), back;
        assert_false(order_view_string(from, &back));
        assert_int_equal(order_get_string(&ctx, &from, &back), WR_CORRUPT);
        assert_false(order_get_signed(&from, out, 8));
        assert_false(order_get_real(&from, out, 8));
        assert_false(order_get_raw(&from, out, 8));
        free(bytes);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(numbers), cmocka_unit_test(reals), cmocka_unit_test(strings),
                                        cmocka_unit_test(broken_bytes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
