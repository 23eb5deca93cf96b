/* Answers model/lex.h. That its errors are Cassandra's is for test_parse.c, which has the messages. */
#include "model/lex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The kinds of a text, up to its end or error. */
struct lexed {
    const char *text;
    enum lex_kind kinds[12]; /* LEX_END and LEX_ERROR end the list */
};

static void check(const struct lexed *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lexer lexer;
        size_t len = strlen(cases[i].text), end = 0;
        char *text = malloc(len ? len : 1); /* just as long, for the sanitizer */

        memcpy(text, cases[i].text, len);
        lex_init(&lexer, slice_of(text, len));
        for (size_t k = 0;; k++) {
            struct token token = lex_next(&lexer);
            if (token.kind != cases[i].kinds[k])
                fail_msg("%s: token %zu is %s, not %s", cases[i].text, k, lex_name((enum lex_kind)token.kind), lex_name(cases[i].kinds[k]));
            assert_true(token.offset >= end && token.offset + token.len <= len);
            end = token.offset + token.len;
            if (token.kind == LEX_END || token.kind == LEX_ERROR)
                break;
        }
        free(text);
    }
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

static void words_in_any_case_and_names(void **state)
{
    static const struct lexed cases[] = {
        { "select SELECT SeLeCt", { LEX_SELECT, LEX_SELECT, LEX_SELECT, LEX_END } },
        { "table columnfamily tables columnfamilies", { LEX_COLUMNFAMILY, LEX_COLUMNFAMILY, LEX_TABLES, LEX_TABLES, LEX_END } },
        { "selects select_ select_masked", { LEX_IDENT, LEX_IDENT, LEX_SELECT_MASKED, LEX_END } },
        { "access writetime a_1 A", { LEX_ACCESS, LEX_WRITETIME, LEX_IDENT, LEX_IDENT, LEX_END } },
        { "\"select\" \"a\"\"b\" \"\"", { LEX_QUOTED, LEX_QUOTED, LEX_EMPTY_QUOTED, LEX_END } },
        { "true FALSE nan Infinity null", { LEX_TRUTH, LEX_TRUTH, LEX_NAN, LEX_INFINITY, LEX_NULL, LEX_END } },
        { "expr( expr ( EXPR(", { LEX_EXPR_LP, LEX_IDENT, LEX_LP, LEX_IDENT, LEX_LP, LEX_END } },
        { "_a", { LEX_ERROR } },
    };
    (void)state;
    CHECK(cases);
}

static void every_word_is_found(void **state)
{
    static const struct {
        const char *text;
        enum lex_kind kind;
        enum word_class class;
    } words[] = {
#define LEX_WORD(name, class) { #name, LEX_##name, WORD_##class },
        LEX_WORDS(LEX_WORD)
#undef LEX_WORD
    };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(lex_word(slice_str(words[i].text)), words[i].kind);
        assert_int_equal(lex_class(words[i].kind), words[i].class);
        assert_int_equal(strncmp(lex_name(words[i].kind), "K_", 2), 0);
        assert_string_equal(lex_name(words[i].kind) + 2, words[i].text);
    }
    for (size_t i = 0; i + 1 < sizeof words / sizeof *words; i++)
        assert_true(strcmp(words[i].text, words[i + 1].text) < 0);
    assert_int_equal(lex_word(slice_str("sElEcT")), LEX_SELECT);
    assert_int_equal(lex_word(slice_str("Table")), LEX_COLUMNFAMILY);
    assert_int_equal(lex_word(slice_str("infinity")), LEX_INFINITY);
    assert_int_equal(lex_word(slice_str("select\x7fmasked")), LEX_IDENT);
    assert_int_equal(lex_word(slice_str("zzz")), LEX_IDENT);
    assert_int_equal(lex_word(slice_str("_x")), LEX_IDENT);
    assert_int_equal(lex_word(slice_str("\xc1")), LEX_IDENT);
    assert_int_equal(lex_word(slice_str("")), LEX_IDENT);
    assert_int_equal(lex_word(slice_str("aaaaaaaaaaaaaaaaaaaaaaaaaaaa")), LEX_IDENT);
}

static void blanks_and_comments(void **state) /* 1 */
{
    static const struct lexed cases[] = {
        { "", { LEX_END } },
        { " \t\r\n", { LEX_END } },
        { "a--x\nb//y\rc/* z\n * / */d", { LEX_IDENT, LEX_IDENT, LEX_IDENT, LEX_IDENT, LEX_END } },
        { "/**/", { LEX_END } },
        { "a -- x", { LEX_IDENT, LEX_ERROR } },
        { "a // x", { LEX_IDENT, LEX_ERROR } },
        { "a /* x", { LEX_IDENT, LEX_ERROR } },
        { "a /*/", { LEX_IDENT, LEX_ERROR } },
        { "a / b", { LEX_IDENT, LEX_SLASH, LEX_IDENT, LEX_END } },
        { "a - - b", { LEX_IDENT, LEX_MINUS, LEX_MINUS, LEX_IDENT, LEX_END } },
    };
    (void)state;
    CHECK(cases);
}

static void numbers_and_their_signs(void **state) /* 2 and 3 */
{
    static const struct lexed cases[] = {
        { "v-1", { LEX_IDENT, LEX_INTEGER, LEX_END } },
        { "v- 1", { LEX_IDENT, LEX_MINUS, LEX_INTEGER, LEX_END } },
        { "+1", { LEX_PLUS, LEX_INTEGER, LEX_END } },
        { "-1.5 -1e5 -3h -NaN -Infinity", { LEX_FLOATING, LEX_FLOATING, LEX_PERIOD, LEX_NEGATIVE_NAN, LEX_NEGATIVE_INFINITY, LEX_END } },
        { "1 1. 1.5 1e10 1E+5 1.5e-3 1.e1", { LEX_INTEGER, LEX_FLOATING, LEX_FLOATING, LEX_FLOATING, LEX_FLOATING, LEX_FLOATING, LEX_FLOATING, LEX_END } },
        { "1..2", { LEX_INTEGER, LEX_RANGE, LEX_INTEGER, LEX_END } },
        { "1...2", { LEX_FLOATING, LEX_RANGE, LEX_INTEGER, LEX_END } },
        { ".5", { LEX_DOT, LEX_INTEGER, LEX_END } },
        { "0x 0xAb09 0X1f 00x1", { LEX_HEX, LEX_HEX, LEX_HEX, LEX_INTEGER, LEX_IDENT, LEX_END } },
        { "-0x1", { LEX_INTEGER, LEX_IDENT, LEX_END } },
        { "a-=1 a+=1 a!=1", { LEX_IDENT, LEX_MINUS_EQ, LEX_INTEGER, LEX_IDENT, LEX_PLUS_EQ, LEX_INTEGER, LEX_IDENT, LEX_NEQ, LEX_INTEGER, LEX_END } },
        { "1e", { LEX_ERROR } },
        { "1e+", { LEX_ERROR } },
    };
    (void)state;
    CHECK(cases);
}

static void durations(void **state)
{
    static const struct lexed cases[] = {
        { "1y2mo3w4d5h6m7s8ms9us10ns", { LEX_PERIOD, LEX_END } },
        { "1Y 2MO 3\302\265S 5m", { LEX_PERIOD, LEX_PERIOD, LEX_PERIOD, LEX_PERIOD, LEX_END } },
        { "P1Y2M3DT4H5M6S P2W PT5S P1D -P1Y", { LEX_PERIOD, LEX_PERIOD, LEX_PERIOD, LEX_PERIOD, LEX_PERIOD, LEX_END } },
        { "P0001-02-03T04:05:06", { LEX_PERIOD, LEX_END } },
        { "P p1y P1 P1Yx PT P1YT5", { LEX_IDENT, LEX_IDENT, LEX_IDENT, LEX_IDENT, LEX_IDENT, LEX_IDENT, LEX_END } },
        { "1hx 1mon", { LEX_PERIOD, LEX_IDENT, LEX_PERIOD, LEX_IDENT, LEX_END } },
        { "1h2", { LEX_ERROR } },
        { "1u", { LEX_ERROR } },
        { "-P1", { LEX_ERROR } },
        { "P0001-02", { LEX_ERROR } },
    };
    (void)state;
    CHECK(cases);
}

static void uuids_are_greedy(void **state) /* 4 */
{
    static const struct lexed cases[] = {
        { "550e8400-e29b-41d4-a716-446655440000", { LEX_UUID_VALUE, LEX_END } },
        { "ABCDEF01-e29b-41d4-a716-446655440000", { LEX_UUID_VALUE, LEX_END } },
        { "1d234567-1234-1234-1234-1234567890ab 5", { LEX_UUID_VALUE, LEX_INTEGER, LEX_END } },
        { "12345678-1234-1234-1234-1234567890123", { LEX_UUID_VALUE, LEX_INTEGER, LEX_END } },
        { "deadbeef deadbee-1 123456789-1", { LEX_IDENT, LEX_IDENT, LEX_INTEGER, LEX_INTEGER, LEX_INTEGER, LEX_END } },
        { "12345678a", { LEX_INTEGER, LEX_IDENT, LEX_END } },
        { "5a", { LEX_ERROR } },
        { "1da", { LEX_ERROR } },
        { "1e5f", { LEX_ERROR } },
        { "deadbeef-1", { LEX_ERROR } },
        { "12345678-1", { LEX_ERROR } },
        { "1from", { LEX_ERROR } },
        { "a -n", { LEX_IDENT, LEX_ERROR } },
        { "a -Infinite", { LEX_IDENT, LEX_ERROR } },
    };
    (void)state;
    CHECK(cases);
}

static void broken_texts_end_in_an_error(void **state) /* 5 */
{
    static const struct lexed cases[] = {
        { "a @ b", { LEX_IDENT, LEX_ERROR } }, { "a ! b", { LEX_IDENT, LEX_ERROR } },  { "'a", { LEX_ERROR } },
        { "'a''", { LEX_ERROR } },             { "\"a", { LEX_ERROR } },               { "\"", { LEX_ERROR } },
        { "$a", { LEX_ERROR } },               { "$$a$", { LEX_ERROR } },              { "$$$", { LEX_ERROR } },
        { "\303\251", { LEX_ERROR } },         { "a\303", { LEX_IDENT, LEX_ERROR } },  { "\\", { LEX_ERROR } },
    };
    (void)state;
    CHECK(cases);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lexer lexer;
        struct token token;
        lex_init(&lexer, slice_str(cases[i].text));
        do
            token = lex_next(&lexer);
        while (token.kind != LEX_ERROR);
        struct token again = lex_next(&lexer);
        assert_int_equal(again.kind, LEX_ERROR);
        assert_int_equal(again.offset, token.offset);
        assert_true(lexer.error.offset <= lexer.text.len && lexer.error.problem != NULL);
    }
}

static void what_tokens_mean(void **state)
{
    static const struct {
        const char *text, *meaning;
    } cases[] = {
        { "abc", "abc" },           { "AbC_1", "abc_1" },        { "\"AbC\"", "AbC" },  { "\"a\"\"b\"", "a\"b" },
        { "'it''s'", "it's" },      { "''", "" },                { "''''", "'" },       { "$$it''s $$", "it''s " },
        { "$$$$", "" },             { "VALUES", "values" },      { "0xAB", "0xAB" },    { "TRUE", "TRUE" },
        { "\"\"\"\"", "\"" },       { "1H", "1H" },              { "'a\nb'", "a\nb" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct ctx ctx;
        struct lexer lexer;
        struct slice text = slice_str(cases[i].text), meaning;

        arena_init(&arena);
        ctx_init(&ctx, &arena);
        lex_init(&lexer, text);
        assert_int_equal(token_text(&ctx, text, lex_next(&lexer), &meaning), WR_OK);
        assert_false(slice_is_null(meaning));
        assert_true(slice_eq_str(meaning, cases[i].meaning));
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_any_case_and_names), cmocka_unit_test(every_word_is_found),
        cmocka_unit_test(blanks_and_comments),         cmocka_unit_test(numbers_and_their_signs),
        cmocka_unit_test(durations),                   cmocka_unit_test(uuids_are_greedy),
        cmocka_unit_test(broken_texts_end_in_an_error), cmocka_unit_test(what_tokens_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
