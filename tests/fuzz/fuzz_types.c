/* A type's name, then two values' bytes: what passes validation prints, and orders as its comparable bytes do. */
#include <assert.h>

#include "model/clustering.h"
#include "model/literal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

static struct slice take_line(struct slice *from)
{
    const uint8_t *end = from->len ? memchr(from->data, '\n', from->len) : NULL;
    struct slice line = slice_of(from->data, end ? (size_t)(end - from->data) : from->len);
    *from = slice_skip(*from, line.len + (end != NULL));
    return line;
}

static void check(struct ctx *ctx, const struct type *type, struct slice a, struct slice b)
{
    struct buf x, y, text;
    struct slice from, back;
    buf_init(&x, ctx->arena);
    buf_init(&y, ctx->arena);
    buf_init(&text, ctx->arena);
    type_put_part(&x, type, a);
    type_put_part(&y, type, b);
    assert(sign(type_compare(type, a, b)) == sign(slice_cmp(buf_slice(&x), buf_slice(&y))));
    from = buf_slice(&x);
    assert(type_get_part(ctx, type, &from, &back) == WR_OK && from.len == 0);
    assert(type_compare(type, a, back) == 0 && type_validate(ctx, type, back) == WR_OK);
    type_print_literal(&text, type, a);
    type_print_string(&text, type, a);
    type_print_json(&text, type, a);
    assert(!text.failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct ctx ctx;
    const struct type *type;
    struct slice rest = slice_of(data, size), name = take_line(&rest), a = take_line(&rest), b = rest, from = a, out;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    if (type_parse_name(&ctx, name, SLICE_LIT("ks"), NULL, NULL, &type) == WR_OK) {
        (void)literal_from_string(&ctx, type, a, &out);
        (void)type_get_order(&ctx, type, &from, &out);
        if (type_validate(&ctx, type, a) == WR_OK && type_validate(&ctx, type, b) == WR_OK)
            check(&ctx, type, a, b);
    }
    arena_release(&arena);
    return 0;
}
