/* Answers model/number.h and model/real.h. number_vectors.inc has the server's sums, and how it prints reals. */
#include "engine/rig.h"
#include "tests/model/recorded.h"

#include <math.h>

#include "engine/coding.h"
#include "model/number.h"
#include "model/real.h"

static const struct {
    const char *type;
    char op;
    const char *a, *b, *answer;
} recorded[] = {
#include "tests/model/number_vectors.inc"
};

static const char operators[] = "+-*/%";

static void sums_are_the_servers(void **state)
{
    struct work *work = *state;
    int count = 0;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        if (recorded[i].op == ' ')
            continue;
        enum number_op op = (enum number_op)(strchr(operators, recorded[i].op) - operators);
        struct slice a = bytes_of(work, recorded[i].a), b = bytes_of(work, recorded[i].b), sum;
        bool decimal = strcmp(recorded[i].type, "decimal") == 0;
        enum wr_status st = (decimal ? decimal_calc : varint_calc)(&work->ctx, op, a, b, &sum);
        const char *is = st == WR_OK ? hex_of(work, sum)
                                     : ctx_format(&work->ctx, "!the operation '%s %c %s' failed: %s", recorded[i].type,
                                                  recorded[i].op, recorded[i].type, work->ctx.error);
        check_text(ctx_format(&work->ctx, "%s %c %s", recorded[i].a, recorded[i].op, recorded[i].b), is,
                   recorded[i].answer);
        assert_true(st == WR_OK || st == WR_FUNCTION_FAILURE);
        count++;
    }
    assert_true(count > 1000);
}

static void reals_print_as_the_servers(void **state)
{
    struct work *work = *state;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        struct slice a;
        struct buf buf;
        double d;
        float f;
        if (recorded[i].op != ' ')
            continue;
        a = bytes_of(work, recorded[i].a);
        buf_init(&buf, &work->arena);
        if (a.len == 8) {
            double_print(&buf, double_of(read_u64(a.data)));
            assert_true(double_parse(buf_slice(&buf), &d));
            assert_true(double_bits(d) == double_bits(double_of(read_u64(a.data))));
        } else {
            float_print(&buf, float_of(read_u32(a.data)));
            assert_true(float_parse(buf_slice(&buf), &f));
            assert_true(float_bits(f) == float_bits(float_of(read_u32(a.data))));
        }
        check_text(recorded[i].a, buf_text(&buf), recorded[i].answer);
    }
}

static void reals_as_java_reads_them(void **state)
{
    static const struct {
        const char *text;
        uint64_t bits;
    } cases[] = {
        { " 1 ", 0x3ff0000000000000 },
        { "+1.", 0x3ff0000000000000 },
        { ".5", 0x3fe0000000000000 },
        { "1f", 0x3ff0000000000000 },
        { "1D", 0x3ff0000000000000 },
        { "1e400", 0x7ff0000000000000 },
        { "1e-400", 0 },
        { "-0", 0x8000000000000000 },
        { "0x1.8p3", 0x4028000000000000 },
        { "NaN", 0x7ff8000000000000 },
        { "-Infinity", 0xfff0000000000000 },
        { "1e99999999999", 0x7ff0000000000000 },
        { "9007199254740993", 0x4340000000000000 },
        { "9007199254740993.00000000000000000000000000000001", 0x4340000000000001 },
        { "0e99999999999", 0 },
    };
    static const char *const refused[] = { "",    " ",    ".",     "e5",  "1e",  "1e+", "1 2", "nan",
                                           "inf", "0x10", "0x1.8", "1ff", "--1", "1_0", "1,5" };
    struct work *work = *state;
    double d;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(double_parse(slice_str(cases[i].text), &d));
        if (double_bits(d) != cases[i].bits)
            fail_msg("%s is %llx", cases[i].text, (unsigned long long)double_bits(d));
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(double_parse(slice_str(refused[i]), &d));

    /* A one so far behind the digits that count that only a tie tells: 2^53 + 1 and a bit. */
    struct buf long_text;
    buf_init(&long_text, &work->arena);
    buf_put_str(&long_text, "9007199254740993.");
    for (int i = 0; i < 5000; i++)
        buf_put_u8(&long_text, '0');
    assert_true(double_parse(buf_slice(&long_text), &d) && double_bits(d) == 0x4340000000000000);
    buf_put_u8(&long_text, '1');
    assert_true(double_parse(buf_slice(&long_text), &d) && double_bits(d) == 0x4340000000000001);
}

static void varint_text(void **state)
{
    static const struct {
        const char *text, *value, *printed; /* value: NULL, not a number */
    } cases[] = {
        { "0", "00", "0" },
        { "-0", "00", "0" },
        { "+5", "05", "5" },
        { "127", "7f", "127" },
        { "128", "0080", "128" },
        { "-128", "80", "-128" },
        { "-129", "ff7f", "-129" },
        { "0007", "07", "7" },
        { "18446744073709551616", "010000000000000000", "18446744073709551616" },
        { "-18446744073709551617", "feffffffffffffffff", "-18446744073709551617" },
        { "1000000000000000000000000000000000000", "00c097ce7bc90715b34b9f1000000000",
          "1000000000000000000000000000000000000" },
        { "", NULL, NULL },
        { "-", NULL, NULL },
        { "1.0", NULL, NULL },
        { " 1", NULL, NULL },
        { "1e3", NULL, NULL },
        { "--1", NULL, NULL },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice value;
        struct buf buf;
        assert_int_equal(varint_parse(&work->ctx, slice_str(cases[i].text), &value), WR_OK);
        check_text(cases[i].text, hex_of(work, value), cases[i].value);
        if (!cases[i].value)
            continue;
        buf_init(&buf, &work->arena);
        varint_print(&buf, value);
        check_text(cases[i].text, buf_text(&buf), cases[i].printed);
    }
}

static void decimal_text(void **state)
{
    static const struct {
        const char *text, *value, *printed;
    } cases[] = {
        { "0", "0000000000", "0" },
        { "-0.00", "0000000200", "0.00" },
        { "1.50", "000000020096", "1.50" },
        { "1e10", "fffffff601", "1E+10" },
        { "+.5E-3", "0000000405", "0.0005" },
        { "5.", "0000000005", "5" },
        { "0.000001", "0000000601", "0.000001" },
        { "0.0000001", "0000000701", "1E-7" },
        { "-12.5e-7",
          "00000008"
          "83",
          "-0.00000125" },
        { "123E+3", "fffffffd7b", "1.23E+5" },
        { "1e2147483647", "8000000101", "1E+2147483647" },
        { "1e-2147483647", "7fffffff01", "1E-2147483647" },
        { "0e000000000000000000005", "fffffffb00", "0E+5" },
        { "", NULL, NULL },
        { ".", NULL, NULL },
        { "e5", NULL, NULL },
        { "1e", NULL, NULL },
        { "1e2147483648", NULL, NULL },
        { "1e99999999999", NULL, NULL },
        { "1..5", NULL, NULL },
        { "1 ", NULL, NULL },
        { "NaN", NULL, NULL },
        { "0x1", NULL, NULL },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice value;
        struct buf buf;
        assert_int_equal(decimal_parse(&work->ctx, slice_str(cases[i].text), &value), WR_OK);
        check_text(cases[i].text, hex_of(work, value), cases[i].value);
        if (!cases[i].value)
            continue;
        buf_init(&buf, &work->arena);
        decimal_print(&buf, value);
        check_text(cases[i].text, buf_text(&buf), cases[i].printed);
    }
}

static struct slice decimal(struct work *work, const char *text)
{
    struct slice value = SLICE_NULL;
    assert_int_equal(decimal_parse(&work->ctx, slice_str(text), &value), WR_OK);
    assert_false(slice_is_null(value));
    return value;
}

static void conversions(void **state)
{
    static const struct {
        const char *text, *whole, *rounded;
        int64_t low;
        double near;
    } cases[] = {
        { "0", "0", "0", 0, 0 },
        { "1.5", "1", "2", 1, 1.5 },
        { "-1.5", "-1", "-2", -1, -1.5 },
        { "0.49", "0", "0", 0, 0.49 },
        { "-0.5", "0", "-1", 0, -0.5 },
        { "1E+3", "1000", "1000", 1000, 1000 },
        { "1E-2000000000", "0", "0", 0, 0 },
        { "9.99", "9", "10", 9, 9.99 },
        { "18446744073709551617", "18446744073709551617", "18446744073709551617", 1, 18446744073709551617.0 },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice value = decimal(work, cases[i].text), whole, rounded;
        struct buf buf;
        int64_t low;
        double near;
        assert_int_equal(decimal_to_varint(&work->ctx, value, &whole), WR_OK);
        assert_int_equal(decimal_round(&work->ctx, value, &rounded), WR_OK);
        assert_int_equal(decimal_to_i64(&work->ctx, value, &low), WR_OK);
        assert_int_equal(decimal_to_double(&work->ctx, value, &near), WR_OK);
        buf_init(&buf, &work->arena);
        varint_print(&buf, whole);
        check_text(cases[i].text, buf_text(&buf), cases[i].whole);
        buf_init(&buf, &work->arena);
        decimal_print(&buf, rounded);
        check_text(cases[i].text, buf_text(&buf), cases[i].rounded);
        assert_int_equal(low, cases[i].low);
        assert_true(near == cases[i].near);
    }
    struct slice value;
    assert_int_equal(decimal_of_double(&work->ctx, 0.1, &value), WR_OK);
    assert_true(slice_eq(value, decimal(work, "0.1")));
    assert_int_equal(decimal_of_double(&work->ctx, NAN, &value), WR_SERVER_ERROR);
    assert_int_equal(decimal_of_double(&work->ctx, INFINITY, &value), WR_SERVER_ERROR);
    assert_int_equal(varint_of_i64(&work->ctx, INT64_MIN, &value), WR_OK);
    assert_int_equal(varint_to_i64(value), INT64_MIN);
    assert_true(varint_to_double(value) == -9223372036854775808.0);

    /* every power of two and its neighbours, against the conversion by text */
    struct slice power = SLICE_LIT("\1"), one = SLICE_LIT("\1"), near;
    for (int i = 0; i < 1100; i++) {
        assert_int_equal(varint_calc(&work->ctx, NUMBER_ADD, power, power, &power), WR_OK);
        for (int side = 0; side < 3; side++) {
            struct buf buf;
            double d;
            near = power;
            if (side)
                assert_int_equal(varint_calc(&work->ctx, side == 1 ? NUMBER_ADD : NUMBER_SUBTRACT, power, one, &near),
                                 WR_OK);
            buf_init(&buf, &work->arena);
            varint_print(&buf, near);
            assert_true(double_parse(buf_slice(&buf), &d));
            assert_true(varint_to_double(near) == d);
        }
    }
}

/* Promise 3: no scale makes work. */
static void scales_far_apart(void **state)
{
    struct work *work = *state;
    struct slice big = decimal(work, "1E+2000000000"), small = decimal(work, "1E-2000000000"), out;
    assert_int_equal(decimal_cmp(big, small), 1);
    assert_int_equal(decimal_cmp(small, decimal(work, "-1E+2000000000")), 1);
    assert_int_equal(decimal_cmp(decimal(work, "1E+400"), decimal(work, "10E+399")), 0);
    for (int op = 0; op < 5; op++) {
        (void)decimal_calc(&work->ctx, (enum number_op)op, big, small, &out);
        (void)decimal_calc(&work->ctx, (enum number_op)op, small, big, &out);
        (void)decimal_calc(&work->ctx, (enum number_op)op, big, decimal(work, "3"), &out);
    }
    assert_int_equal(decimal_to_varint(&work->ctx, big, &out), WR_FUNCTION_FAILURE);
    check_text("too long", work->ctx.error, "BigInteger would overflow supported range");
    assert_int_equal(decimal_calc(&work->ctx, NUMBER_REMAINDER, small, big, &out), WR_OK);
    assert_true(slice_eq(out, small));
}

/* digits, zeros zeros, and a last digit; 10^-zeros of it. */
static struct slice scaled(struct work *work, const char *sign, size_t digits, int zeros, char last)
{
    struct buf text;
    buf_init(&text, &work->arena);
    buf_put_str(&text, sign);
    for (size_t i = 0; i < digits; i++)
        buf_put_u8(&text, (uint8_t)('1' + i * 7 % 9));
    for (int i = 1; i < zeros; i++)
        buf_put_u8(&text, '0');
    if (zeros)
        buf_put_u8(&text, (uint8_t)last);
    buf_printf(&text, "E-%d", zeros);
    buf_put_u8(&text, 0);
    return decimal(work, (const char *)text.data);
}

/* Who sorts and filters has nowhere to put a failure. */
static void decimals_are_ordered_without_memory(void **state)
{
    static const size_t digits[] = { 1, 9, 18, 19, 20, 36, 40, 200, 3000, 50000 };
    static const int zeros[] = { 1, 2, 7, 8, 17, 18, 34, 100, 2000, 20000 };
    struct work *work = *state;

    for (size_t d = 0; d < sizeof digits / sizeof *digits; d++)
        for (size_t z = 0; z < sizeof zeros / sizeof *zeros; z++)
            for (int negative = 0; negative < 2; negative++) {
                struct slice one = scaled(work, negative ? "-" : "", digits[d], 0, 0);
                struct slice same = scaled(work, negative ? "-" : "", digits[d], zeros[z], '0');
                struct slice more = scaled(work, negative ? "-" : "", digits[d], zeros[z], '1');
                int sign = negative ? -1 : 1;
                for (int without = 0; without < 2; without++) {
                    rig.mem_fail_after = without ? 0 : -1;
                    assert_int_equal(decimal_cmp(one, same), 0);
                    rig.mem_fail_after = without ? 0 : -1;
                    assert_int_equal(decimal_cmp(more, one), sign);
                    rig.mem_fail_after = without ? 0 : -1;
                    assert_int_equal(decimal_cmp(one, more), -sign);
                    rig.mem_fail_after = -1;
                }
            }
}

/* Comparable bytes at both ends of what a scale can be, with zeros that have nowhere to go. */
static void ends_of_the_scale(void **state)
{
    static const char *const cases[] = { "10E+2147483647", "-1000E+2147483645", "1000000E+2147483642", "1E-2147483647",
                                         "-10E-2147483646" };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct slice value = decimal(work, cases[i]), back = SLICE_NULL;
        struct buf order;
        buf_init(&order, &work->arena);
        decimal_put_order(&order, value);
        struct slice from = buf_slice(&order);
        assert_int_equal(decimal_get_order(&work->ctx, &from, &back), WR_OK);
        assert_int_equal(decimal_cmp(value, back), 0);
    }
    struct slice zeros = bytes_of(work, "8000000003e8"), from, back;
    struct buf order;
    buf_init(&order, &work->arena);
    decimal_put_order(&order, zeros);
    from = buf_slice(&order);
    assert_int_equal(decimal_get_order(&work->ctx, &from, &back), WR_OK);
    assert_true(slice_eq(back, zeros));
    from = SLICE_LIT("\x81\xff\xff\xff\xff\xff\xff\x02\0"); /* no scale is that large */
    assert_int_equal(decimal_get_order(&work->ctx, &from, &back), WR_CORRUPT);
}

/* Promise 2: the longest numbers, and one byte more. */
static void long_numbers(void **state)
{
    struct work *work = *state;
    uint8_t *bytes = ctx_alloc(&work->ctx, NUMBER_BYTES_MAX + 1);
    struct slice back, out;
    memset(bytes, 0x5a, NUMBER_BYTES_MAX + 1);
    struct slice longest = slice_of(bytes, NUMBER_BYTES_MAX);
    assert_int_equal(type_validate(&work->ctx, type_native(TYPE_VARINT), longest), WR_OK);
    assert_int_equal(type_validate(&work->ctx, type_native(TYPE_VARINT), slice_of(bytes, NUMBER_BYTES_MAX + 1)),
                     WR_INVALID);
    struct buf text;
    buf_init(&text, &work->arena);
    varint_print(&text, longest);
    assert_int_equal(varint_parse(&work->ctx, slice_skip(buf_slice(&text), 1), &back), WR_OK);
    assert_false(slice_is_null(back));
    assert_int_equal(varint_calc(&work->ctx, NUMBER_MULTIPLY, longest, longest, &out), WR_FUNCTION_FAILURE);

    struct buf order;
    buf_init(&order, &work->arena);
    varint_put_order(&order, longest);
    struct slice from = buf_slice(&order);
    assert_int_equal(varint_get_order(&work->ctx, &from, &out), WR_OK);
    assert_true(slice_eq(out, longest));
    buf_init(&text, &work->arena);
    for (int i = 0; i < 200000; i++)
        buf_put_u8(&text, '9');
    assert_int_equal(varint_parse(&work->ctx, buf_slice(&text), &out), WR_OK);
    assert_true(slice_is_null(out));
}

/* Of any length, as BigInteger has them: there and back, and by way of a sum and a difference. */
static void bytes_of_any_length(void **state)
{
    struct work *work = *state;
    uint8_t bytes[400], one[] = { 1 };
    uint64_t seed = 11;
    for (size_t len = 1; len <= sizeof bytes; len++) {
        for (size_t i = 0; i < len; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = len % 4 == 0 ? 0xff : len % 4 == 1 ? 0 : (uint8_t)(seed >> 56);
        }
        bytes[0] = len % 3 ? (uint8_t)(0x80 * (len % 2)) : bytes[0];
        struct slice value = slice_of(bytes, len), more, less, sum;
        assert_int_equal(varint_calc(&work->ctx, NUMBER_ADD, value, slice_of(one, 1), &more), WR_OK);
        assert_int_equal(varint_calc(&work->ctx, NUMBER_SUBTRACT, more, slice_of(one, 1), &less), WR_OK);
        assert_true(slice_eq(less, varint_trim(value)));
        assert_true(varint_cmp(value, more) < 0);
        struct buf text;
        buf_init(&text, &work->arena);
        varint_print(&text, value);
        assert_int_equal(varint_parse(&work->ctx, buf_slice(&text), &sum), WR_OK);
        assert_true(slice_eq(sum, varint_trim(value)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_are_the_servers, work_open, work_close),
        cmocka_unit_test_setup_teardown(reals_print_as_the_servers, work_open, work_close),
        cmocka_unit_test_setup_teardown(reals_as_java_reads_them, work_open, work_close),
        cmocka_unit_test_setup_teardown(varint_text, work_open, work_close),
        cmocka_unit_test_setup_teardown(decimal_text, work_open, work_close),
        cmocka_unit_test_setup_teardown(conversions, work_open, work_close),
        cmocka_unit_test_setup_teardown(scales_far_apart, work_open, work_close),
        cmocka_unit_test_setup_teardown(decimals_are_ordered_without_memory, work_open, work_close),
        cmocka_unit_test_setup_teardown(ends_of_the_scale, work_open, work_close),
        cmocka_unit_test_setup_teardown(long_numbers, work_open, work_close),
        cmocka_unit_test_setup_teardown(bytes_of_any_length, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
