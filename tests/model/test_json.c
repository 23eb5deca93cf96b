/* Answers model/json.h. value_vectors.inc has the server's answers to JSON values, in and out. */
#include "tests/model/recorded.h"

#include "model/json.h"

static const struct recorded recorded[] = {
#include "tests/model/value_vectors.inc"
};

static const char column_prefix[] = "Error decoding JSON value for v: ";

static void values_from_json(void **state)
{
    struct work *work = *state;
    int count = 0;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct recorded *r = &recorded[i];
        const struct json *map;
        struct slice value;
        if (strcmp(r->what, "json") != 0)
            continue;
        char *text = ctx_format(&work->ctx, "{\"k\": 0, \"v\": %s}", r->input);
        assert_int_equal(json_parse_map(&work->ctx, slice_str(text), &map), WR_OK);
        enum wr_status st = json_to_value(&work->ctx, type_of(work, r->type), map->first->next, &value);
        const char *answer = r->answer;
        if (answer && answer[0] == '!') {
            assert_int_not_equal(st, WR_OK);
            answer++;
            if (strncmp(answer, column_prefix, strlen(column_prefix)) == 0)
                answer += strlen(column_prefix);
        }
        check_text(r->input, st == WR_OK ? hex_of(work, value) : work->ctx.error, answer);
        count++;
    }
    assert_true(count > 500);
}

static void values_to_json_and_text(void **state)
{
    struct work *work = *state;
    int count = 0;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct recorded *r = &recorded[i];
        bool json = strcmp(r->what, "to_json") == 0;
        struct buf buf;
        if (!json && strcmp(r->what, "as_text") != 0)
            continue;
        buf_init(&buf, &work->arena);
        (json ? type_print_json : type_print_string)(&buf, type_of(work, r->type), bytes_of(work, r->input));
        check_text(r->input, buf_text(&buf), r->answer);
        count++;
    }
    assert_true(count > 100);
}

/* ---- the parser ---- */

static void print_tree(struct buf *buf, const struct json *json)
{
    static const char *const words[] = { "null", "false", "true" };
    switch (json->kind) {
    case JSON_INTEGER:
    case JSON_FLOAT:
        buf_put_u8(buf, json->kind == JSON_FLOAT ? 'f' : 'i');
        buf_put_slice(buf, json->text);
        break;
    case JSON_STRING:
        json_put_string(buf, json->text);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        buf_printf(buf, "%u%c", json->count, json->kind == JSON_ARRAY ? '[' : '{');
        for (const struct json *j = json->first; j; j = j->next) {
            if (json->kind == JSON_OBJECT) {
                json_put_string(buf, j->key);
                buf_put_u8(buf, ':');
            }
            print_tree(buf, j);
            buf_put_u8(buf, ' ');
        }
        buf_put_u8(buf, json->kind == JSON_ARRAY ? ']' : '}');
        break;
    default:
        buf_put_str(buf, words[json->kind]);
        break;
    }
}

#define SOURCE    "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: "
#define AT(place) "\n at " SOURCE place "]"
#define TOKENS    "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"

static void documents(void **state)
{
    static const struct {
        const char *text, *tree; /* NULL: refused */
        const char *error;
    } cases[] = {
        { " {\"a\" : [1, -2.50e3, true,false ,null, \"x\"]}  trailing",
          "1{\"a\":6[i1 f-2.50e3 true false null \"x\" ] }", NULL },
        { "{\"a\":1,\"b\":2,\"a\":3}", "2{\"a\":i3 \"b\":i2 }", NULL },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00\\ud83dx\\ude00\"",
          "\"\\\"\\\\/\\b\\f\\n\\r\\tA\xc3\xa9\xf0\x9f\x98\x80?x?\"", NULL },
        { "[]", "0[]", NULL },
        { "12 3", "i12", NULL },
        { "", NULL, "No content to map due to end-of-input\n at " SOURCE "1]" },
        { "{", NULL,
          "Unexpected end-of-input: expected close marker for Object (start marker at " SOURCE
          "1, column: 1])" AT("1, column: 2") },
        { "{\"a\":1,}", NULL,
          "Unexpected character ('}' (code 125)): was expecting double-quote to start field name" AT("1, column: 8") },
        { "[1,]", NULL, "Unexpected character (']' (code 93)): expected a valid value " TOKENS AT("1, column: 4") },
        { "[1,}", NULL, "Unexpected character ('}' (code 125)): expected a value" AT("1, column: 4") },
        { "[1}", NULL,
          "Unexpected close marker '}': expected ']' (for Array starting at " SOURCE
          "1, column: 1])" AT("1, column: 3") },
        { "{\"a\" 1}", NULL,
          "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value" AT(
              "1, column: 6") },
        { "[1 2]", NULL,
          "Unexpected character ('2' (code 50)): was expecting comma to separate Array entries" AT("1, column: 4") },
        { "01", NULL, "Invalid numeric value: Leading zeroes not allowed" AT("1, column: 2") },
        { "[1.x]", NULL,
          "Unexpected character ('x' (code 120)) in numeric value: Decimal point not followed by a digit" AT(
              "1, column: 3") },
        { "nope", NULL, "Unrecognized token 'nope': was expecting " TOKENS AT("1, column: 5") },
        { "NaN", NULL,
          "Non-standard token 'NaN': enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow" AT("1, column: 4") },
        { "\"\t\"", NULL,
          "Illegal unquoted character ((CTRL-CHAR, code 9)): has to be escaped using backslash to be included in "
          "string value" AT("1, column: 2") },
        { "\"\\x\"", NULL, "Unrecognized character escape 'x' (code 120)" AT("1, column: 3") },
        { "\"\\u00g0\"", NULL,
          "Unexpected character ('g' (code 103)): expected a hex-digit for character escape sequence" AT(
              "1, column: 6") },
        { "\"abc", NULL, "Unexpected end-of-input: was expecting closing quote for a string value" AT("1, column: 5") },
        { "[1,\r\n 2 \xf0\x9f\x98\x80]", NULL,
          "Unexpected character ('?' (code 55357 / 0xd83d)): was expecting comma to separate Array entries" AT(
              "2, column: 4") },
        { "2020-01-01", NULL,
          "Unexpected character ('-' (code 45)): Expected space separating root-level values" AT("1, column: 5") },
        { "/**/1", NULL,
          "Unexpected character ('/' (code 47)): maybe a (non-standard) comment? (not recognized as one since Feature "
          "'ALLOW_COMMENTS' not enabled for parser)" AT("1, column: 1") },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len = strlen(cases[i].text);
        char *text = malloc(len ? len : 1); /* just as long, for the sanitizer */
        const struct json *json;
        struct buf buf;
        memcpy(text, cases[i].text, len);
        enum wr_status st = json_parse(&work->ctx, slice_of(text, len), false, &json);
        if (st == WR_OK) {
            buf_init(&buf, &work->arena);
            print_tree(&buf, json);
            check_text(cases[i].text, buf_text(&buf), cases[i].tree);
        } else {
            check_text(cases[i].text, work->ctx.error,
                       ctx_format(&work->ctx, "Error decoding JSON string: %s", cases[i].error));
        }
        free(text);
    }
}

static void what_is_no_map(void **state)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        { "{\"k\":@}", "com.fasterxml.jackson.core.JsonParseException: Unexpected character ('@' (code 64)): expected "
                       "a valid value " TOKENS AT("1, column: 6") },
        { "", "com.fasterxml.jackson.databind.exc.MismatchedInputException: No content to map due to end-of-input\n "
              "at " SOURCE "1]" },
        { "[1", "com.fasterxml.jackson.databind.exc.MismatchedInputException: Cannot deserialize value of type "
                "`java.util.LinkedHashMap<java.lang.Object,java.lang.Object>` from Array value (token "
                "`JsonToken.START_ARRAY`)" AT("1, column: 1") },
        { "1.5", "com.fasterxml.jackson.databind.exc.MismatchedInputException: Cannot deserialize value of type "
                 "`java.util.LinkedHashMap<java.lang.Object,java.lang.Object>` from Floating-point value (token "
                 "`JsonToken.VALUE_NUMBER_FLOAT`)" AT("1, column: 1") },
        { "{\"k\":1", "com.fasterxml.jackson.core.io.JsonEOFException: Unexpected end-of-input: expected close marker "
                      "for Object (start marker at " SOURCE "1, column: 1])" AT("1, column: 7") },
    };
    struct work *work = *state;
    const struct json *json;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(json_parse_map(&work->ctx, slice_str(cases[i].text), &json), WR_INVALID);
        check_text(cases[i].text, work->ctx.error,
                   ctx_format(&work->ctx, "Could not decode JSON string as a map: %s. (String was: %s)", cases[i].error,
                              cases[i].text));
    }
    assert_int_equal(json_parse_map(&work->ctx, SLICE_LIT("null"), &json), WR_OK);
    assert_int_equal(json->kind, JSON_NULL);
}

static void depth_is_bounded(void **state)
{
    struct work *work = *state;
    const struct json *json;
    struct buf buf;
    for (int more = 0; more < 2; more++) {
        buf_init(&buf, &work->arena);
        for (int i = 0; i < JSON_DEPTH_MAX + more; i++)
            buf_put_u8(&buf, '[');
        for (int i = 0; i < JSON_DEPTH_MAX + more; i++)
            buf_put_u8(&buf, ']');
        assert_int_equal(json_parse(&work->ctx, buf_slice(&buf), false, &json), more ? WR_INVALID : WR_OK);
    }
    check_text("depth", work->ctx.error,
               "Error decoding JSON string: Document nesting depth (1001) exceeds the maximum allowed (1000, from "
               "`StreamReadConstraints.getMaxNestingDepth()`)");
    buf_init(&buf, &work->arena);
    for (int i = 0; i < 1000000; i++)
        buf_put_u8(&buf, '[');
    assert_int_equal(json_parse(&work->ctx, buf_slice(&buf), false, &json), WR_INVALID);
}

static enum wr_status parse_named(struct work *work, const char *character, int count, const char *end, const struct json **out)
{
    struct buf buf;
    buf_init(&buf, &work->arena);
    buf_put_slice(&buf, SLICE_LIT("{\""));
    for (int i = 0; i < count; i++)
        buf_put_slice(&buf, slice_str(character));
    buf_put_slice(&buf, slice_str(end));
    return json_parse(&work->ctx, buf_slice(&buf), true, out);
}

/* As a server does: 50,000 UTF-16 units, and before what stands behind the name is looked at. */
static void names_are_bounded(void **state)
{
    static const struct {
        const char *character;
        int most, units;
    } cases[] = { { "a", 50000, 1 }, { "\xc3\xa9", 50000, 1 }, { "\xe2\x82\xac", 50000, 1 }, { "\xf0\x9f\x98\x80", 25000, 2 }, { "\\u0061", 50000, 1 }, { "\\n", 50000, 1 } };
    struct work *work = *state;
    const struct json *json;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse_named(work, cases[i].character, cases[i].most, "\":1}", &json), WR_OK);
        assert_int_equal(parse_named(work, cases[i].character, cases[i].most + 1, "\" x", &json), WR_INVALID);
        check_text("name", work->ctx.error,
                   ctx_format(&work->ctx, "com.fasterxml.jackson.core.exc.StreamConstraintsException: Name length (%d) exceeds the maximum allowed "
                                          "(50000, from `StreamReadConstraints.getMaxNameLength()`)", 50000 + cases[i].units));
        assert_int_equal(parse_named(work, cases[i].character, cases[i].most + 1, "", &json), WR_INVALID);
        assert_non_null(strstr(work->ctx.error, "Unexpected end-of-input in field name"));
    }
}

/* Many members, each key twice: found without looking at all of them, the last value in the first one's place. */
static void large_objects(void **state)
{
    enum { KEYS = 20000 };
    struct work *work = *state;
    const struct json *json;
    struct buf buf;
    uint32_t i = 0;
    buf_init(&buf, &work->arena);
    for (uint32_t n = 0; n < KEYS * 2; n++)
        buf_printf(&buf, "%s\"k%u\":%u", n ? "," : "{", n % KEYS, n);
    buf_put_u8(&buf, '}');
    assert_int_equal(json_parse(&work->ctx, buf_slice(&buf), false, &json), WR_OK);
    assert_int_equal(json->count, KEYS);
    for (const struct json *j = json->first; j; j = j->next, i++) {
        assert_true(slice_eq_str(j->key, ctx_format(&work->ctx, "k%u", i)));
        assert_true(slice_eq_str(j->text, ctx_format(&work->ctx, "%u", i + KEYS)));
    }
    assert_int_equal(i, KEYS);
}

/* Documents broken at random: refused or read, never run over. */
static void broken_documents(void **state)
{
    static const char *const seeds[] = { "{\"a\": [1, -2.5e3, true], \"b\": \"x\\u00e9\\ud83d\\ude00\", \"c\": {}}",
                                         "[null, \"\\\\\", [[1]], 0.5]" };
    static const char alphabet[] = "{}[],:\"\\0123.eE+-tfnu ax\x01\xc3\xa9";
    struct work *work = *state;
    struct arena_mark mark = arena_mark(&work->arena);
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        const char *from = seeds[round & 1];
        size_t len = strlen(from);
        char *text = malloc(len);
        memcpy(text, from, len);
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % len] = alphabet[(seed >> 20) % (sizeof alphabet - 1)];
        }
        len -= (seed >> 50) % 5;
        const struct json *json;
        (void)json_parse(&work->ctx, slice_of(text, len), false, &json);
        (void)json_parse_map(&work->ctx, slice_of(text, len), &json);
        free(text);
        arena_rewind(&work->arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_from_json, work_open, work_close),
        cmocka_unit_test_setup_teardown(values_to_json_and_text, work_open, work_close),
        cmocka_unit_test_setup_teardown(documents, work_open, work_close),
        cmocka_unit_test_setup_teardown(what_is_no_map, work_open, work_close),
        cmocka_unit_test_setup_teardown(depth_is_bounded, work_open, work_close),
        cmocka_unit_test_setup_teardown(names_are_bounded, work_open, work_close),
        cmocka_unit_test_setup_teardown(large_objects, work_open, work_close),
        cmocka_unit_test_setup_teardown(broken_documents, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
