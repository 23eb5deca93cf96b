/* JSON text to a value of each of some types, and what came of it back to JSON. */
#include "model/json.h"

#include <assert.h>
#include <string.h>

#include "model/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "int",
                                     "double",
                                     "decimal",
                                     "timestamp",
                                     "duration",
                                     "inet",
                                     "blob",
                                     "uuid",
                                     "frozen<map<text, frozen<list<frozen<tuple<varint, date>>>>>>",
                                     "vector<float, 2>" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct ctx ctx;
    const struct json *json, *again;
    const struct type *type;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    if (json_parse(&ctx, slice_of(data, size), false, &json) == WR_OK) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct slice value, back;
            struct buf buf;
            if (type_parse_name(&ctx, slice_str(names[i]), SLICE_NULL, NULL, NULL, &type) != WR_OK ||
                json_to_value(&ctx, type, json, &value) != WR_OK || slice_is_null(value))
                continue;
            if (type_validate(&ctx, type, value) != WR_OK)
                continue; /* a string may give an empty value where the type has none, as on the server */
            buf_init(&buf, &arena);
            type_print_json(&buf, type, value);
            enum wr_status st = json_parse(&ctx, buf_slice(&buf), false, &again);
            assert(st == WR_OK || strstr(ctx.error, "Number value length")); /* a number may be too long to be read again */
            if (st == WR_OK)
                (void)json_to_value(&ctx, type, again, &back);
        }
    }
    (void)json_parse_map(&ctx, slice_of(data, size), &json);
    arena_release(&arena);
    return 0;
}
