/* tools/serve/wire.h, promise by promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/serve/wire.h"

static struct wire_in in_of(const char *bytes, size_t len)
{
    return wire_in_of((const uint8_t *)bytes, len);
}

static void test_numbers_there_and_back(void **state)
{
    (void)state;
    struct wire_out out = { 0 };
    wire_put_u8(&out, 0xfe);
    wire_put_u16(&out, 0x1234);
    wire_put_u32(&out, 0x89abcdef);
    struct wire_in in = wire_in_of(out.data, out.len);
    assert_int_equal(wire_u8(&in), 0xfe);
    assert_int_equal(wire_u16(&in), 0x1234);
    assert_int_equal(wire_u32(&in), 0x89abcdef);
    assert_false(in.failed);
    assert_ptr_equal(in.at, in.end);
    wire_out_release(&out);
}

static void test_a_reader_never_runs_past_its_end(void **state)
{
    (void)state;
    static const char whole[] = "\0\3abc\0\0\0\2xy\0\0\0\1z";
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        char *cut = malloc(len ? len : 1); /* its own block, so that a sanitizer sees a step beyond */
        memcpy(cut, whole, len);
        struct wire_in in = in_of(cut, len);
        wire_string(&in);
        wire_long_string(&in);
        wire_bytes(&in);
        assert_true(in.failed);
        assert_int_equal(wire_u32(&in), 0);
        assert_int_equal(wire_string(&in).len, 0);
        free(cut);
    }
}

static void test_of_nothing_nothing_is_read(void **state)
{
    (void)state;
    struct wire_in in = wire_in_of(NULL, 0);
    assert_false(in.failed);
    assert_int_equal(wire_bytes(&in).len, 0);
    assert_true(in.failed);
    assert_int_equal(wire_value(&in, true).len, 0);
    assert_int_equal(wire_u8(&in), 0);
}

static void test_the_first_failure_stays(void **state)
{
    (void)state;
    struct wire_in in = in_of("\0\5ab", 4);
    wire_string(&in);
    wire_u32(&in);
    assert_string_equal(in.error, "Not enough bytes to read an UTF8 serialized string preceded by its 2 bytes length");
}

static void test_strings_are_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        { "plain", true }, { "gr\xc3\xbcn", true }, { "\xf0\x9f\x98\x80", true }, { "", true },
        { "\xc0\x80", false }, { "\xed\xa0\x80", false }, { "\xf4\x90\x80\x80", false }, { "a\x80", false }, { "\xe2\x82", false }, { "\xff", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_out out = { 0 };
        wire_put_string(&out, cases[i].text);
        struct wire_in in = wire_in_of(out.data, out.len);
        struct wire_bytes read = wire_string(&in);
        assert_int_equal(!in.failed, cases[i].good);
        if (cases[i].good)
            assert_true(wire_is_name(read, cases[i].text));
        wire_out_release(&out);
    }
}

static void test_lengths_of_values(void **state)
{
    (void)state;
    static const struct {
        const char bytes[5];
        bool has_unset, fails;
        int32_t len;
    } cases[] = {
        { "\0\0\0\0", true, false, 0 },
        { "\xff\xff\xff\xff", true, false, WIRE_NULL },
        { "\xff\xff\xff\xfe", true, false, WIRE_UNSET },
        { "\xff\xff\xff\xfe", false, false, WIRE_NULL },
        { "\xff\xff\xff\xfd", true, true, WIRE_NULL },
        { "\xff\xff\xff\xfd", false, false, WIRE_NULL },
        { "\x7f\xff\xff\xff", true, true, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_in in = in_of(cases[i].bytes, 4);
        assert_int_equal(wire_value(&in, cases[i].has_unset).len, cases[i].len);
        assert_int_equal(in.failed, cases[i].fails);
    }
}

static void test_a_writer_keeps_to_its_limit(void **state)
{
    (void)state;
    struct wire_out out = { .most = 1000 };
    for (int i = 0; i < 250; i++)
        wire_put_u32(&out, (uint32_t)i);
    assert_false(out.failed);
    wire_put_u8(&out, 0);
    assert_true(out.failed);
    wire_put_u8(&out, 0);
    assert_int_equal(out.len, 1000);
    wire_out_clear(&out);
    wire_put_u8(&out, 0);
    assert_false(out.failed);
    wire_out_release(&out);
}

static void test_a_string_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    char *text = malloc(70001);
    struct wire_out out = { 0 };
    for (size_t i = 0; i < 70000; i += 2)
        memcpy(text + i, "\xc3\xbc", 2);
    text[70000] = '\0';
    wire_put_string(&out, text);
    struct wire_in in = wire_in_of(out.data, out.len);
    assert_int_equal(wire_string(&in).len, 65534);
    assert_false(in.failed);
    free(text);
    wire_out_release(&out);
}

static void test_messages_are_repaired(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "", "" },
        { "\xc3\xbc", "\xc3\xbc" },
        { "a\xff" "b", "a\xef\xbf\xbd" "b" },
        { "cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_out out = { 0 };
        wire_put_message(&out, cases[i].text);
        struct wire_in in = wire_in_of(out.data, out.len);
        struct wire_bytes read = wire_string(&in);
        assert_false(in.failed);
        assert_ptr_equal(in.at, in.end);
        assert_int_equal(read.len, strlen(cases[i].expected));
        assert_memory_equal(read.data, cases[i].expected, (size_t)read.len);
        wire_out_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_there_and_back),   cmocka_unit_test(test_a_reader_never_runs_past_its_end),
        cmocka_unit_test(test_of_nothing_nothing_is_read), cmocka_unit_test(test_the_first_failure_stays),
        cmocka_unit_test(test_strings_are_utf8),
        cmocka_unit_test(test_lengths_of_values),        cmocka_unit_test(test_a_writer_keeps_to_its_limit),
        cmocka_unit_test(test_a_string_too_long_is_cut_between_characters), cmocka_unit_test(test_messages_are_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
