/* A body of Java, compiled and run over a text, a number and a null; bodies to begin with: tests/fuzz/java_bodies. */
#include "model/java.h"

#include <assert.h>
#include <string.h>

#include "model/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice names[] = { SLICE_LIT("x"), SLICE_LIT("n"), SLICE_LIT("l") };
    struct arena arena;
    struct ctx ctx;
    const struct java_body *body;
    const struct type *list;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    enum wr_status st = type_parse_name(&ctx, SLICE_LIT("list<int>"), SLICE_NULL, NULL, NULL, &list);
    assert(st == WR_OK);
    const struct type *types[] = { type_native(TYPE_TEXT), type_native(TYPE_BIGINT), list };
    const struct java_signature signature = { .names = names, .args = types, .arg_count = 3, .result = type_native(TYPE_TEXT), .called_on_null = true };
    const struct slice args[] = { SLICE_LIT("b,c d"), slice_of("\0\0\0\0\0\0\0\5", 8), SLICE_NULL };

    if (java_compile(&ctx, &signature, slice_of(data, size), &body) == WR_OK) {
        struct slice out;
        st = java_run(&ctx, body, args, JAVA_KEPT_NOTHING, &out);
        assert(st != WR_OK || slice_is_null(out) || type_validate(&ctx, signature.result, out) == WR_OK);
    }
    arena_release(&arena);
    return 0;
}
