/* Answers engine/format.h. */
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include "engine/format.h"

typedef size_t formatter(char *out, size_t room, const char *format, va_list args);

static size_t made(formatter *by, char *out, size_t room, const char *format, ...) __attribute__((format(printf, 4, 5)));
static size_t made(formatter *by, char *out, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t len = by(out, room, format, args);
    va_end(args);
    return len;
}

#define SAME(...)                                                                                                      \
    do {                                                                                                               \
        char ours[512], theirs[512];                                                                                   \
        assert_int_equal(made(format_message, ours, sizeof ours, __VA_ARGS__), snprintf(theirs, sizeof theirs, __VA_ARGS__)); \
        assert_string_equal(ours, theirs);                                                                             \
    } while (0)

static void everything_but_slices_is_as_printf_has_it(void **state)
{
    const char *text = "text";
    (void)state;
    SAME("%s", "nothing to say, and 100%% of it");
    SAME("plain %% text");
    SAME("%d %i %u %x %X %o %c", -1, INT32_MIN, UINT32_MAX, 255u, 255u, 8u, 'c');
    SAME("%hhd %hd %ld %lld %zu %jd %td", (signed char)1, (short)2, -3l, LLONG_MIN, SIZE_MAX, (intmax_t)-5, (ptrdiff_t)-6);
    SAME("%" PRIu64 " %" PRId64 " %" PRIx64, UINT64_MAX, INT64_MIN, UINT64_MAX);
    SAME("%04d|%+d|% d|%-6d|%6d|%#x|%08" PRIx32, 7, 7, 7, 7, 7, 7u, UINT32_C(0xbeef));
    SAME("%f %.3f %.17g %e %g %.0f", 1.5, 2.0 / 3, 0.1, 1e100, 1e-7, DBL_MAX);
    SAME("%10s|%-10s|%.2s|%8.3s", text, text, text, text);
    SAME("%*d|%.*f|%-*s|", 5, 1, 2, 3.14159, 8, text);
    SAME("%p", (void *)&text);
    SAME("%.*s|%.*s", 2, text, 0, text);
}

static void a_slice_is_whole(void **state)
{
    const struct slice s = { (const uint8_t *)"a\0b\0", 4 }, none = { *state, 0 }; /* no data, and no compiler that sees it */
    char text[64];
    assert_int_equal(made(format_message, text, sizeof text, "<%.*s|%.*s>", SLICE_ARG(s), SLICE_ARG(none)), 9);
    assert_string_equal(text, "<a" NUL_IN_MESSAGE "b" NUL_IN_MESSAGE "|>");
    assert_int_equal(made(format_bytes, text, sizeof text, "<%.*s>", SLICE_ARG(s)), 6);
    assert_memory_equal(text, "<a\0b\0>", 7);
}

static void what_has_no_room_is_counted(void **state)
{
    char text[8] = "unused!";
    (void)state;
    assert_int_equal(made(format_message, NULL, 0, "%d%s", 12, "abc"), 5);
    assert_int_equal(made(format_message, text, 1, "%s", "abc"), 3);
    assert_string_equal(text, "");
    assert_int_equal(made(format_message, text, 4, "%s%d", "ab", 345), 5);
    assert_string_equal(text, "ab3");
    assert_int_equal(text[4], 'e'); /* untouched */
}

static void what_is_cut_ends_with_a_whole_character(void **state)
{
    static const struct {
        const char *text;
        size_t room;
        const char *cut;
    } cuts[] = {
        { "a\xc3\xa9" "b", 5, "a\xc3\xa9" "b" }, { "a\xc3\xa9" "b", 4, "a\xc3\xa9" }, { "a\xc3\xa9" "b", 3, "a" }, { "a\xc3\xa9" "b", 2, "a" },
        { "\xe2\x82\xac\xe2\x82\xac", 7, "\xe2\x82\xac\xe2\x82\xac" }, { "\xe2\x82\xac\xe2\x82\xac", 6, "\xe2\x82\xac" },
        { "\xe2\x82\xac\xe2\x82\xac", 5, "\xe2\x82\xac" }, { "\xe2\x82\xac\xe2\x82\xac", 3, "" },
        { "\xf0\x9f\x98\x80\xf0\x9f\x98\x80", 8, "\xf0\x9f\x98\x80" }, { "\xf0\x9f\x98\x80", 4, "" }, { "\xf0\x9f\x98\x80", 1, "" },
        { "\x80\x80\x80", 3, "\x80\x80" }, /* no text */
    };
    char text[16];
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        assert_int_equal(made(format_message, text, cuts[i].room, "%s", cuts[i].text), strlen(cuts[i].text));
        assert_string_equal(text, cuts[i].cut);
    }
    assert_int_equal(made(format_bytes, text, 3, "a\xc3\xa9"), 3);
    assert_string_equal(text, "a\xc3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_but_slices_is_as_printf_has_it),
        cmocka_unit_test(a_slice_is_whole),
        cmocka_unit_test(what_has_no_room_is_counted),
        cmocka_unit_test(what_is_cut_ends_with_a_whole_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
