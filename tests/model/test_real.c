/* model/real.h: texts by chance, of any number of digits, read as libc reads them; and model/literal.h: which of them are a double. */
#include "tests/model/recorded.h"

#include <math.h>

#include "model/number.h"
#include "model/real.h"
#include "tests/ok.h"
#include "tests/random/chance.h"

enum { TEXT_MAX = 64 };

/* Digits with a point somewhere, some of them zeros in front. */
static void write_plain(char text[TEXT_MAX], unsigned digits_max)
{
    unsigned digits = 1 + below(digits_max), point = below(digits + 1), zeros = one_in(2) ? below(6) : 0;
    size_t len = 0;

    if (one_in(2))
        text[len++] = '-';
    for (unsigned i = 0; i < digits; i++) {
        if (i == point)
            text[len++] = '.';
        text[len++] = i < zeros ? '0' : (char)('0' + below(10));
    }
    if (point == digits)
        text[len++] = '.';
    text[len] = '\0';
}

static void write_exponent(char text[TEXT_MAX], unsigned digits_max)
{
    size_t len;

    write_plain(text, digits_max);
    len = strlen(text);
    snprintf(text + len, TEXT_MAX - len, "%c%s%u", one_in(2) ? 'e' : 'E', one_in(2) ? "-" : one_in(2) ? "+" : "", below(one_in(4) ? 330 : 30));
}

/* A number that lies between two floats, or close to where one does. */
static void write_between_floats(char text[TEXT_MAX])
{
    uint32_t bits = (uint32_t)(next_random() & 0x7FFFFF) | (uint32_t)(100 + below(60)) << 23;

    snprintf(text, TEXT_MAX, "%.*g", (int)(10 + below(8)), ((double)float_of(bits) + (double)float_of(bits + 1)) / 2);
}

static void check_reading(const char *text)
{
    double d;
    float f;

    bool right = double_parse(slice_str(text), &d) && double_bits(d) == double_bits(strtod(text, NULL)) && float_parse(slice_str(text), &f) &&
                 float_bits(f) == float_bits(strtof(text, NULL));
    if (!right)
        print_message("%s is read as another number\n", text);
    assert_true(right);
}

static void texts_are_read_as_libc_reads_them(void **state)
{
    char text[TEXT_MAX];

    (void)state;
    rng = 1;
    for (int i = 0; i < 200000; i++) {
        unsigned digits_max = one_in(2) ? 15 : 25;
        if (one_in(3))
            write_plain(text, digits_max);
        else if (one_in(2))
            write_exponent(text, digits_max);
        else
            write_between_floats(text);
        check_reading(text);
    }
}

/* Constants.Literal: that which a double holds, as it prints. */
static void constants_are_doubles_where_one_holds_them(void **state)
{
    struct work *work = *state;
    const struct type *type;
    char text[TEXT_MAX];
    int decimals = 0;

    rng = 2;
    for (int i = 0; i < 50000; i++) {
        struct slice exact, near;
        double d;
        if (one_in(2))
            write_plain(text, 18);
        else
            write_exponent(text, 18);
        OK(&work->ctx, literal_natural_type(&work->ctx, LITERAL_FLOAT, slice_str(text), &type));
        OK(&work->ctx, decimal_parse(&work->ctx, slice_str(text), &exact));
        assert_true(double_parse(slice_str(text), &d));
        if (isinf(d)) {
            assert_null(type);
            continue;
        }
        OK(&work->ctx, decimal_of_double(&work->ctx, d, &near));
        bool same = decimal_cmp(exact, near) == 0;
        if (type->kind != (same ? TYPE_DOUBLE : TYPE_DECIMAL))
            print_message("%s is a %s\n", text, type_name(&work->ctx, type));
        assert_int_equal(type->kind, same ? TYPE_DOUBLE : TYPE_DECIMAL);
        decimals += !same;
        arena_reset(work->ctx.arena);
    }
    assert_true(decimals > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_read_as_libc_reads_them, work_open, work_close),
        cmocka_unit_test_setup_teardown(constants_are_doubles_where_one_holds_them, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
