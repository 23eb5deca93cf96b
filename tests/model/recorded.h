/*
 * recorded.h - what the tests of types share: a context to work in, values in hexadecimal, and types by their names.
 */
#ifndef WR_TESTS_MODEL_RECORDED_H
#define WR_TESTS_MODEL_RECORDED_H

/* Before cmocka, which has a macro by the name of fail. */
#include "model/literal.h"
#include "model/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

#include <cmocka.h>

struct work {
    struct arena arena;
    struct ctx ctx;
    const struct type *udt; /* ty (a int, "B" text), frozen: what `ty` and `ks.ty` mean */
};

static inline const struct type *work_lookup(void *arg, struct slice keyspace, struct slice name)
{
    struct work *work = arg;
    (void)keyspace;
    return slice_eq_str(name, "ty") ? work->udt : NULL;
}

static inline int work_open(void **state)
{
    struct work *work = calloc(1, sizeof *work);
    const struct slice names[] = { SLICE_LIT("a"), SLICE_LIT("B") };
    const struct type *types[] = { type_native(TYPE_INT), type_native(TYPE_TEXT) };
    arena_init(&work->arena);
    ctx_init(&work->ctx, &work->arena);
    work->ctx.now_s = 1600000000;
    work->ctx.now_ms = INT64_C(1600000000000);
    work->udt = type_freeze(&work->ctx, type_make_udt(&work->ctx, SLICE_LIT("ks"), SLICE_LIT("ty"), names, types, 2));
    *state = work;
    return work->udt ? 0 : -1;
}

static inline int work_close(void **state)
{
    struct work *work = *state;
    arena_release(&work->arena);
    free(work);
    return 0;
}

static inline const struct type *type_of(struct work *work, const char *name)
{
    const struct type *type = NULL;
    if (type_parse_name(&work->ctx, slice_str(name), SLICE_LIT("ks"), work_lookup, work, &type) != WR_OK)
        fail_msg("%s: %s", name, work->ctx.error);
    return type;
}

/* "-" in front of nothing is the empty value, NULL the null one. */
static inline struct slice bytes_of(struct work *work, const char *hex)
{
    struct slice out = SLICE_NULL;
    if (hex)
        assert_int_equal(literal_from_string(&work->ctx, type_native(TYPE_BLOB), slice_str(hex), &out), WR_OK);
    return out;
}

static inline const char *hex_of(struct work *work, struct slice value)
{
    struct buf buf;
    if (slice_is_null(value))
        return NULL;
    buf_init(&buf, &work->arena);
    type_print_string(&buf, type_native(TYPE_BLOB), value);
    buf_put_u8(&buf, 0);
    return (const char *)buf.data + 2;
}

static inline void check_text(const char *what, const char *is, const char *expected)
{
    if (!is != !expected || (is && strcmp(is, expected) != 0))
        fail_msg("%s\n  is       %s\n  expected %s", what, is ? is : "null", expected ? expected : "null");
}

static inline const char *buf_text(struct buf *buf)
{
    buf_put_u8(buf, 0);
    assert_false(buf->failed);
    return (const char *)buf->data;
}

/* A line of value_vectors.inc; answer: NULL for null, "!..." for an error. */
struct recorded {
    const char *what, *type, *input, *answer;
};

#endif
