/* Answers model/unicode.h and model/analyzer.h: texts as Java and Lucene make them (unicode_vectors.inc), words, tokens. */
#include <string.h>

#include "model/analyzer.h"
#include "model/unicode.h"
#include "tests/memory.h"

static const struct vector {
    const char *text, *lower, *upper, *nfc, *ascii;
} vectors[] = {
#include "tests/model/unicode_vectors.inc"
};

static int bad; /* texts made otherwise than recorded; all are told */

static void same(struct slice got, const char *expected, const char *of)
{
    if (expected && slice_eq_str(got, expected))
        return;
    print_message("of %s: %.*s, not %s\n", of, SLICE_ARG(got), expected ? expected : "nothing");
    bad++;
}

static void as_java_and_lucene(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *v = &vectors[i];
        struct slice out;
        assert_int_equal(unicode_lower(&ctx, slice_str(v->text), &out), WR_OK);
        same(out, v->lower, v->text);
        assert_int_equal(unicode_upper(&ctx, slice_str(v->text), &out), WR_OK);
        assert_int_equal(unicode_nfc(&ctx, out, &out), WR_OK);
        same(out, v->upper, v->text);
        assert_int_equal(unicode_nfc(&ctx, slice_str(v->text), &out), WR_OK);
        same(out, v->nfc, v->text);
        assert_int_equal(unicode_ascii(&ctx, slice_str(v->text), &out), WR_OK);
        same(out, v->ascii, v->text);
    }
    assert_int_equal(bad, 0);
}

/* Bytes that are no UTF-8 come through without harm: each stands for itself. */
static void bytes_that_are_no_text(void **state)
{
    (void)state;
    uint8_t bytes[6];
    for (uint32_t seed = 0; seed < 20000; seed++) {
        uint32_t x = seed * 2654435761u;
        size_t len = 1 + seed % sizeof bytes;
        struct slice text, out, word;
        for (size_t i = 0; i < len; i++, x = x * 1664525 + 1013904223)
            bytes[i] = (uint8_t)(x >> 24);
        text = slice_of(bytes, len);
        assert_int_equal(unicode_lower(&ctx, text, &out), WR_OK);
        assert_int_equal(unicode_upper(&ctx, text, &out), WR_OK);
        assert_int_equal(unicode_nfc(&ctx, text, &out), WR_OK);
        assert_int_equal(unicode_ascii(&ctx, text, &out), WR_OK);
        assert_true(unicode_length(text) <= len);
        while (unicode_word(&text, &word))
            assert_true(word.len > 0 && word.data >= bytes && word.data + word.len <= bytes + len);
        arena_reset(&arena);
    }
}

/* Tokens with | between them. */
static const char *tokens_of(const struct analyzer *analyzer, const char *text)
{
    static char all[256];
    struct tokens tokens;
    size_t len = 0;
    all[0] = 0;
    assert_int_equal(analyzer_tokens(&ctx, analyzer, slice_str(text), &tokens), WR_OK);
    for (uint32_t i = 0; i < tokens.count; i++)
        len += (size_t)snprintf(all + len, sizeof all - len, "%s%.*s", i ? "|" : "", SLICE_ARG(tokens.list[i]));
    return all;
}

static void tokens(void **state)
{
    (void)state;
    struct analyzer none = { .kind = ANALYZER_NONE };
    struct analyzer whole = { .kind = ANALYZER_WHOLE, .lower = true, .ascii = true };
    struct analyzer parts = { .kind = ANALYZER_DELIMITED, .delimiter = slice_str("\342\226\221") };
    struct analyzer words = { .kind = ANALYZER_WORDS, .lower = true, .nfc = true };
    struct analyzer stems = { .kind = ANALYZER_WORDS, .lower = true, .stem = true, .skip_stop_words = true, .locale = slice_str("en_GB") };

    assert_string_equal(tokens_of(&none, "As It Is"), "As It Is");
    assert_string_equal(tokens_of(&whole, "\303\211t\303\251"), "ete");
    assert_string_equal(tokens_of(&parts, "\342\226\221a b\342\226\221\342\226\221c"), "a b|c");
    assert_string_equal(tokens_of(&parts, ""), "");
    assert_string_equal(tokens_of(&words, "It's 3.14, e-mail x_y!"), "it's|3.14|e|mail|x_y");
    assert_string_equal(tokens_of(&words, " ... "), "");
    assert_string_equal(tokens_of(&stems, "The running of the Foxes"), "run|fox");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_java_and_lucene, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_that_are_no_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tokens, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
