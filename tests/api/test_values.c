/* Values to and from C: those of parts, and numbers that are not of one of its types. */
#include "handle.h"

static void values_built_of_parts(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c, s, m, f) VALUES (1, 1, ?, ?, ?)");
    char text[64];
    assert_int_equal(wr_bind_open(s, 0), WR_OK);
    wr_bind_text(s, WR_ELEMENT, "b", -1);
    wr_bind_text(s, WR_ELEMENT, "a", -1);
    wr_bind_text(s, WR_ELEMENT, "b", -1);
    assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_bind_open(s, 1), WR_OK);
    wr_bind_text(s, WR_ELEMENT, "y", -1);
    wr_bind_int(s, WR_ELEMENT, 2);
    wr_bind_text(s, WR_ELEMENT, "x", -1);
    wr_bind_int(s, WR_ELEMENT, 1);
    assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_bind_literal(s, 2, "{b: 'it''s'}", -1), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    s = prepare(*state, "SELECT s, m, f FROM t WHERE p = 1");
    assert_int_equal(wr_step(s), WR_ROW);
    wr_value_format(wr_column_value(s, 0), WR_LITERAL, text, sizeof text);
    assert_string_equal(text, "{'a', 'b'}");
    wr_value_format(wr_column_value(s, 1), WR_LITERAL, text, sizeof text);
    assert_string_equal(text, "{'x': 1, 'y': 2}");
    wr_value_format(wr_column_value(s, 2), WR_JSON, text, sizeof text);
    assert_string_equal(text, "{\"a\": null, \"b\": \"it's\"}");
    wr_value_format(wr_column_value(s, 0), (enum wr_format)9, text, sizeof text);
    assert_string_equal(text, "{'a', 'b'}");
    wr_type_format(wr_column_type_info(s, 0), (enum wr_type_form)9, text, sizeof text);
    assert_string_equal(text, "set<text>");
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

/* What is not closed is not bound. */
static void a_value_left_open_is_told(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c, s) VALUES (1, 2, ?)");
    assert_int_equal(wr_bind_open(s, 0), WR_OK);
    assert_int_equal(wr_bind_text(s, WR_ELEMENT, "a", -1), WR_OK);
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_non_null(strstr(wr_stmt_error(s), "wr_bind_close"));
    assert_int_equal(wr_bind_close(s), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_bind_open(s, 0), WR_OK);
    wr_clear_bindings(s);
    assert_int_equal(wr_step(s), WR_INVALID);
    assert_string_equal(wr_stmt_error(s), "there were 1 markers(?) in CQL but 0 bound variables");
    wr_finalize(s);
}

static void a_value_of_parts_is_no_text(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c, s, m, f) VALUES (1, 3, ?, ?, ?)");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wr_bind_text(s, i, "{}", -1), WR_INVALID);
        assert_non_null(strstr(wr_stmt_error(s), "wr_bind_literal"));
    }
    wr_finalize(s);
}

static void decimals_as_doubles(void **state)
{
    char cql[800];
    exec(*state, "CREATE TABLE d (p int PRIMARY KEY, v decimal)");
    wr_stmt *s = prepare(*state, "INSERT INTO d (p, v) VALUES (1, ?)");
    assert_int_equal(wr_bind_double(s, 0, 0.1), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_bind_double(s, 0, 1.0 / 0.0), WR_INVALID);
    wr_finalize(s);
    int len = snprintf(cql, sizeof cql, "INSERT INTO d (p, v) VALUES (2, -15%0597d", 0); /* whose exponent comes behind 600 digits */
    snprintf(cql + len, sizeof cql - (size_t)len, "1E-650)");
    exec(*state, cql);
    s = prepare(*state, "SELECT v FROM d WHERE p IN (1, 2)");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_string_equal(wr_column_text(s, 0), "0.1");
    assert_true(wr_column_double(s, 0) == 0.1);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_true(wr_column_double(s, 0) == -1.5e-51);
    assert_int_equal(wr_column_int(s, 0), 0);
    wr_finalize(s);
}

/* All its digits where 64 bits have room for the whole part, and else the nearest number. */
static void decimals_and_varints_as_integers(void **state)
{
    static const struct {
        int column;
        const char *value;
        int64_t number;
    } cases[] = {
        { 0, "9007199254740993.00", 9007199254740993 }, { 0, "123456789012345678.0", 123456789012345678 }, { 0, "-123456789012345678.9", -123456789012345678 },
        { 0, "0.999", 0 }, { 0, "-1.999", -1 }, { 0, "1E+18", INT64_C(1000000000000000000) }, { 0, "9223372036854775807.5", INT64_MAX },
        { 0, "9223372036854775808", INT64_MAX }, { 0, "-9223372036854775809.1", INT64_MIN }, { 0, "1E+100000", INT64_MAX }, { 0, "-1E+100000", INT64_MIN },
        { 0, "1E-100000", 0 }, { 0, "123.456E1", 1234 },
        { 1, "-1", -1 }, { 1, "9223372036854775807", INT64_MAX }, { 1, "9223372036854775808", INT64_MAX }, { 1, "-9223372036854775808", INT64_MIN },
        { 1, "-92233720368547758090", INT64_MIN }, { 1, "0", 0 },
    };
    exec(*state, "CREATE TABLE w (p int PRIMARY KEY, d decimal, v varint)");
    wr_stmt *put = prepare(*state, "INSERT INTO w (p, d, v) VALUES (1, ?, ?)"), *get = prepare(*state, "SELECT d, v FROM w");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wr_bind_null(put, 1 - cases[i].column);
        assert_int_equal(wr_bind_text(put, cases[i].column, cases[i].value, -1), WR_OK);
        assert_int_equal(wr_step(put), WR_DONE);
        assert_int_equal(wr_step(get), WR_ROW);
        assert_true(wr_column_int(get, cases[i].column) == cases[i].number);
        assert_true(wr_column_int(get, 1 - cases[i].column) == 0);
        wr_reset(get);
    }
    wr_finalize(put);
    wr_finalize(get);
}

static void a_time_has_a_day(void **state)
{
    exec(*state, "CREATE TABLE w (p int PRIMARY KEY, v time)");
    wr_stmt *s = prepare(*state, "INSERT INTO w (p, v) VALUES (1, ?)");
    assert_int_equal(wr_bind_int(s, 0, -1), WR_INVALID);
    assert_int_equal(wr_bind_int(s, 0, INT64_C(86400000000000)), WR_INVALID);
    assert_int_equal(wr_bind_int(s, 0, INT64_C(86399999999999)), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = { TEST(values_built_of_parts), TEST(a_value_left_open_is_told), TEST(a_value_of_parts_is_no_text),
                                        TEST(decimals_as_doubles),   TEST(decimals_and_varints_as_integers), TEST(a_time_has_a_day) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
