/* Answers model/literal.h, calendar.h, zone.h and duration.h. value_vectors.inc has the server's answers to constants.
 */
#include "tests/model/recorded.h"

#include "model/calendar.h"
#include "model/duration.h"
#include "model/type.h"

static const struct recorded recorded[] = {
#include "tests/model/value_vectors.inc"
};

/* The kinds as the lexer tells them apart, for texts known to be constants. */
static enum literal_kind kind_of(const char *text)
{
    size_t len = strlen(text), digits = strspn(text, "-0123456789");
    if (text[0] == '\'')
        return LITERAL_STRING;
    if (text[0] == '0' && text[1] == 'x')
        return LITERAL_HEX;
    if (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0)
        return LITERAL_BOOLEAN;
    if (strcmp(text, "null") == 0)
        return LITERAL_NULL;
    if (len == 36 && text[8] == '-')
        return LITERAL_UUID;
    if (digits == len)
        return LITERAL_INTEGER;
    return strspn(text, "-+.0123456789eE") == len || strstr(text, "NaN") || strstr(text, "Infinity") ? LITERAL_FLOAT
                                                                                                     : LITERAL_DURATION;
}

static struct slice content_of(struct work *work, const char *text)
{
    struct buf buf;
    size_t len = strlen(text);
    if (text[0] != '\'')
        return slice_str(text);
    buf_init(&buf, &work->arena);
    for (size_t i = 1; i + 1 < len; i++) {
        buf_put_u8(&buf, (uint8_t)text[i]);
        i += text[i] == '\'';
    }
    return buf_slice(&buf);
}

static void constants_as_the_server_takes_them(void **state)
{
    struct work *work = *state;
    int count = 0;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct recorded *r = &recorded[i];
        struct slice value;
        if (strcmp(r->what, "literal") != 0)
            continue;
        enum literal_kind kind = kind_of(r->input);
        const struct type *type = type_of(work, r->type);
        enum wr_status st = literal_parse(&work->ctx, kind, content_of(work, r->input), type, SLICE_LIT("v"), &value);
        if (r->answer && r->answer[0] == '!')
            check_text(r->input, st == WR_OK ? hex_of(work, value) : work->ctx.error, r->answer + 1);
        else
            check_text(r->input, st == WR_OK ? hex_of(work, value) : work->ctx.error, r->answer);
        bool refused =
            st != WR_OK && strncmp(work->ctx.error, "Invalid ", 8) == 0 && strstr(work->ctx.error, " constant (");
        assert_int_equal(refused, literal_assignable(kind, type) == ASSIGN_NO &&
                                      !(kind == LITERAL_HEX && type->kind == TYPE_TINYINT));
        count++;
    }
    assert_true(count > 500);
}

static void what_a_constant_is_by_itself(void **state)
{
    static const struct {
        enum literal_kind kind;
        const char *text, *type;
    } cases[] = {
        { LITERAL_STRING, "a", "ascii" },
        { LITERAL_STRING, "\xc3\xa9", "text" },
        { LITERAL_INTEGER, "2147483647", "int" },
        { LITERAL_INTEGER, "-2147483648", "int" },
        { LITERAL_INTEGER, "00000000002147483647", "int" },
        { LITERAL_INTEGER, "-0", "int" },
        { LITERAL_INTEGER, "2147483648", "bigint" },
        { LITERAL_INTEGER, "-2147483649", "bigint" },
        { LITERAL_INTEGER, "9223372036854775807", "bigint" },
        { LITERAL_INTEGER, "-9223372036854775808", "bigint" },
        { LITERAL_INTEGER, "9223372036854775808", "varint" },
        { LITERAL_INTEGER, "-9223372036854775809", "varint" },
        { LITERAL_INTEGER, "00010000000000000000000", "varint" },
        { LITERAL_FLOAT, "1.5", "double" },
        { LITERAL_FLOAT, "0.1", "double" },
        { LITERAL_FLOAT, "0.12345678901234567890", "decimal" },
        { LITERAL_FLOAT, "-NaN", "double" },
        { LITERAL_FLOAT, "1e400", NULL },
        { LITERAL_FLOAT, "1e-400", "decimal" },
        { LITERAL_BOOLEAN, "true", "boolean" },
        { LITERAL_HEX, "0xff", "tinyint" },
        { LITERAL_UUID, "13814000-1dd2-11b2-8080-808080808080", "timeuuid" },
        { LITERAL_UUID, "13814000-1dd2-41b2-8080-808080808080", "uuid" },
        { LITERAL_DURATION, "1d", "duration" },
        { LITERAL_NULL, "null", NULL },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct type *type;
        assert_int_equal(literal_natural_type(&work->ctx, cases[i].kind, slice_str(cases[i].text), &type), WR_OK);
        check_text(cases[i].text, type ? type_name(&work->ctx, type) : NULL, cases[i].type);
    }
}

static void null_and_types_that_are_not_native(void **state)
{
    struct work *work = *state;
    struct slice value;
    assert_int_equal(
        literal_parse(&work->ctx, LITERAL_NULL, SLICE_LIT("null"), type_native(TYPE_COUNTER), SLICE_LIT("v"), &value),
        WR_INVALID);
    check_text("counter", work->ctx.error, "Invalid null value for counter increment/decrement");
    assert_int_equal(literal_parse(&work->ctx, LITERAL_NULL, SLICE_LIT("null"), work->udt, SLICE_LIT("v"), &value),
                     WR_OK);
    assert_true(slice_is_null(value));

    static const struct {
        const char *type, *text, *answer;
    } cases[] = {
        { "tuple<int, text>", "1:a", "00000004000000010000000161" },
        { "tuple<int, text>", "5", "0000000400000005" },
        { "tuple<int, text>", "@:\\@\\:", "ffffffff00000002403a" },
        { "tuple<int, text>", "1:a:b",
          "Invalid tuple literal: too many elements. Type frozen<tuple<int, text>> expects 2 but got 3" },
        { "tuple<int, text>", "x", "Unable to make int from 'x'" },
        { "list<int>", "1", "Invalid STRING constant (1) for \"v\" of type list<int>" },
        { "vector<float, 2>", "x", "Invalid STRING constant (x) for \"v\" of type vector<float, 2>" },
        { "ty", "1", "Invalid STRING constant (1) for \"v\" of type ty" },
        { "frozen<ty>", "1", "Invalid STRING constant (1) for \"v\" of type frozen<ty>" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum wr_status st = literal_parse(&work->ctx, LITERAL_STRING, slice_str(cases[i].text),
                                          type_of(work, cases[i].type), SLICE_LIT("v"), &value);
        check_text(cases[i].text, st == WR_OK ? hex_of(work, value) : work->ctx.error, cases[i].answer);
    }
}

/* ---- calendar ---- */

static void days_and_dates(void **state)
{
    (void)state;
    int64_t last = days_of_civil((struct civil){ -5000, 1, 1 }) - 1;
    for (int64_t year = -5000; year < 5000; year++) {
        for (int month = 1; month <= 12; month++) {
            for (int day = 1; day <= days_of_month(year, month); day += day == 1 ? days_of_month(year, month) - 1 : 1) {
                int64_t days = days_of_civil((struct civil){ year, month, day });
                struct civil back = civil_of_days(days);
                assert_true(back.year == year && back.month == month && back.day == day);
                assert_int_equal(days, day == 1 ? last + 1 : days);
                last = days;
            }
        }
    }
    assert_int_equal(days_of_civil((struct civil){ 1970, 1, 1 }), 0);
    assert_int_equal(floor_div(-1, 86400), -1);
    assert_int_equal(floor_mod(INT64_MIN, MS_PER_DAY), 60424192);
}

/* Java's answers, asked of the server's classes. */
static void timestamps(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        { "2020-1-1 1:2", 1577840520000 },
        { "2020-01-01T01:02:03.", 1577840523000 },
        { "2020-01-01 01:02:03.999999999", 1577840523999 },
        { "2020-01-01 24:00", 1577923200000 },
        { "2020-02-31 00:00", 1582934400000 },
        { "2021-02-31", 1614470400000 },
        { "-0001-01-01", -62198755200000 },
        { "+12345-01-01Z", 327403382400000 },
        { "12345-1-1 0:0", 327403382400000 },
        { "002020-0001-01 000:000", 1577836800000 },
        { "2020-01-01z", 1577836800000 },
        { "2020-01-01+01:00:30", 1577833170000 },
        { "2020-01-31 13:14:15.678-18:00", 1580541255678 },
        { "2020-07-31T13:14 PST", 1596226440000 },
        { "2020-01-31T13:14 PST", 1580505240000 },
        { "2020-07-31T13:14 UTC-01:30", 1596206640000 },
        { "2020-03-29 02:30 CET", 1585445400000 },
        { "2020-10-25 02:30 CET", 1603585800000 },
        { "2020-11-01 01:30 EST", 1604208600000 },
        { "292278994-08-17 07:12:55.807", INT64_MAX },
        { "-1", -1 },
        { "now", 1600000000000 },
    };
    static const char *const refused[] = {
        "2020-1-1",
        "2020-01-01t01:02",
        "2020-01-01 01",
        "2020-01-01 01:02.5",
        "2020-01-01 24:00:01",
        "2020-02-32 00:00",
        "0-1-1 0:0",
        "+12345-1-1 0:0",
        "12345-01-01",
        "2020-01-01 01:02z",
        "2020-01-01 01:02+1",
        "2020-01-01 01:02+18:01",
        "2020-01-01 utc",
        "2020-01-01UTC",
        "2020-01-01 GMT+1",
        "2020-01-01 Nowhere/Land",
        "2020-01-01 01:02:03.1234567890",
        "",
        " 2020-01-01",
        "2020-01-01 ",
        "2020-13-01",
        "1000000000-1-1 0:0",
        "2020-01-01 01:02 ",
        "2020-01-01 +",
        "9223372036854775808",
        "292278994-08-17 07:12:55.808",
    };
    struct work *work = *state;
    int64_t ms;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (timestamp_parse(&work->ctx, slice_str(cases[i].text), &ms) != WR_OK)
            fail_msg("%s", work->ctx.error);
        if (ms != cases[i].ms)
            fail_msg("%s is %lld", cases[i].text, (long long)ms);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (timestamp_parse(&work->ctx, slice_str(refused[i]), &ms) == WR_OK)
            fail_msg("%s is %lld", refused[i], (long long)ms);
}

static void dates_and_times(void **state)
{
    static const struct {
        const char *text, *error;
        uint32_t date;
    } dates[] = {
        { "1970-01-01", NULL, DATE_EPOCH },
        { "-5877641-06-23", NULL, 0 },
        { "+5881580-07-11", NULL, UINT32_MAX },
        { "-5877641-06-22", "Input date -5877641-06-22 is less than min supported date -5877641-06-23T00:00Z", 0 },
        { "+5881580-07-12", "Input date +5881580-07-12 is greater than max supported date +5881580-07-11T00:00Z", 0 },
        { "+999999999-12-31", "Unable to coerce '+999999999-12-31' to a formatted date (long)", 0 },
        { "2021-02-29", "Unable to coerce '2021-02-29' to a formatted date (long)", 0 },
        { "4294967296", "Unable to make unsigned int (for date) from: '4294967296'", 0 },
        { "-1", "Unable to make unsigned int (for date) from: '-1'", 0 },
    };
    static const struct {
        const char *text;
        int64_t nanos; /* -1: refused */
    } times[] = {
        { "1:2:3", 3723000000000 },
        { "1:+2:3", 3723000000000 },
        { "01:002:0003", 3723000000000 },
        { " 1:2:3 ", 3723000000000 },
        { "1:2:-0", 3720000000000 },
        { "0:0:0.1", 100000000 },
        { "23:59:59.999999999", 86399999999999 },
        { "86399999999999", 86399999999999 },
        { "86400000000000", -1 },
        { "24:0:0", -1 },
        { "1:2", -1 },
        { "1:2:3.", -1 },
        { "1:2:3.1234567890", -1 },
        { "1:2: 3", -1 },
        { "1:60:0", -1 },
        { "-1", -1 },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        uint32_t date = 0;
        enum wr_status st = date_parse(&work->ctx, slice_str(dates[i].text), &date);
        check_text(dates[i].text, st == WR_OK ? NULL : work->ctx.error, dates[i].error);
        assert_int_equal(date, dates[i].date);
    }
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t nanos = -1;
        if (time_parse(&work->ctx, slice_str(times[i].text), &nanos) != WR_OK)
            nanos = -1;
        if (nanos != times[i].nanos)
            fail_msg("%s is %lld", times[i].text, (long long)nanos);
    }
}

/* ---- durations ---- */

static void durations(void **state)
{
    static const struct {
        const char *text, *answer; /* as printed, or the error */
    } cases[] = {
        { "1y2mo3w4d5h6m7s8ms9us10ns", "1y2mo25d5h6m7s8ms9us10ns" },
        { "1Y2MO1M", "1y2mo1m" },
        { "1\xc2\xb5s", "1us" },
        { "-1d", "-1d" },
        { "P1Y2M3DT4H5M6S", "1y2mo3d4h5m6s" },
        { "-P2W", "-14d" },
        { "P0001-02-03T04:05:06", "1y2mo3d4h5m6s" },
        { "P9999-99-99T99:99:99", "10007y3mo99d100h40m39s" },
        { "PT", "" },
        { "", "Unable to convert '' to a duration" },
        { "--1d", "Unable to convert '-1d' to a duration" },
        { "1d 1h", "Unable to convert '1d 1h' to a duration" },
        { "P1Y1W", "Unable to convert 'P1Y1W' to a duration" },
        { "P1H", "Unable to convert 'P1H' to a duration" },
        { "P1D1M", "Unable to convert 'P1D1M' to a duration" },
        { "1h1h", "Invalid duration. The hours are specified multiple times" },
        { "1m1mo", "Invalid duration. The minutes should be after months" },
        { "178956971y", "Invalid duration. The total number of months must be less or equal to 2147483647" },
        { "2147483648d", "Invalid duration. The total number of days must be less or equal to 2147483647" },
        { "2562048h", "Invalid duration. The total number of nanoseconds must be less or equal to 2147483647" },
        { "9223372036854775807ns", "2562047h47m16s854ms775us807ns" },
        { "9223372036854775808ns", "java.lang.NumberFormatException: For input string: \"9223372036854775808\"" },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct duration d, back;
        struct buf text, bytes;
        buf_init(&text, &work->arena);
        buf_init(&bytes, &work->arena);
        if (duration_parse(&work->ctx, slice_str(cases[i].text), &d) != WR_OK) {
            check_text(cases[i].text, work->ctx.error, cases[i].answer);
            continue;
        }
        duration_print(&text, d);
        check_text(cases[i].text, buf_text(&text), cases[i].answer);
        duration_encode(&bytes, d);
        assert_int_equal(duration_decode(&work->ctx, buf_slice(&bytes), &back), WR_OK);
        assert_true(back.months == d.months && back.days == d.days && back.nanos == d.nanos);
    }
}

static void adding_durations(void **state)
{
    static const struct {
        struct duration d;
        int64_t from, to;
    } cases[] = {
        { { 1, 0, 0 }, 1580428800000, 1582934400000 },  /* 2020-01-31 to 2020-02-29 */
        { { -1, 0, 0 }, 1585612800000, 1582934400000 }, /* 2020-03-31 to 2020-02-29 */
        { { 0, 1, 3600000000000 }, 0, 90000000 },        { { 0, 0, -1999999 }, 0, -1 },
        { { 12, -1, 0 }, 1582934400000, 1614384000000 }, /* 2020-02-29 to 2021-02-28 to the 27th */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(duration_add_to_ms(cases[i].d, cases[i].from), cases[i].to);
    (void)duration_add_to_ms((struct duration){ INT32_MAX, INT32_MAX, INT64_MAX },
                             INT64_MAX); /* wraps, and nothing else */
}

static void vints(void **state)
{
    struct work *work = *state;
    for (int shift = 0; shift < 64; shift++) {
        for (int less = 0; less < 2; less++) {
            uint64_t v = (UINT64_C(1) << shift) - (uint64_t)less, back;
            struct buf buf;
            buf_init(&buf, &work->arena);
            vint_put(&buf, v);
            struct slice from = buf_slice(&buf), cut = { from.data, from.len - 1 };
            assert_true(vint_read(&from, &back) && from.len == 0);
            assert_true(back == v);
            assert_false(vint_read(&cut, &back));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(constants_as_the_server_takes_them, work_open, work_close),
        cmocka_unit_test_setup_teardown(what_a_constant_is_by_itself, work_open, work_close),
        cmocka_unit_test_setup_teardown(null_and_types_that_are_not_native, work_open, work_close),
        cmocka_unit_test(days_and_dates),
        cmocka_unit_test_setup_teardown(timestamps, work_open, work_close),
        cmocka_unit_test_setup_teardown(dates_and_times, work_open, work_close),
        cmocka_unit_test_setup_teardown(durations, work_open, work_close),
        cmocka_unit_test(adding_durations),
        cmocka_unit_test_setup_teardown(vints, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
