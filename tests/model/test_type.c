/* Answers model/type.h: names, values, order, packing. order_vectors.inc has the server's own order. */
#include "tests/model/recorded.h"

#include "engine/order.h"

/* ---- naming ---- */

static void names_read_back(void **state)
{
    static const struct {
        const char *name, *java;
    } cases[] = {
        { "int", "Int32Type" },
        { "list<int>", "ListType(*Int32Type)" },
        { "frozen<list<int>>", "FrozenType(*ListType(*Int32Type))" },
        { "map<text, frozen<set<int>>>", "MapType(*UTF8Type,*FrozenType(*SetType(*Int32Type)))" },
        { "frozen<map<text, frozen<set<int>>>>", "FrozenType(*MapType(*UTF8Type,*SetType(*Int32Type)))" },
        { "frozen<tuple<int, frozen<list<text>>>>", "TupleType(*Int32Type,*ListType(*UTF8Type))" },
        { "vector<float, 3>", "VectorType(*FloatType , 3)" },
        { "vector<frozen<list<int>>, 2>", "VectorType(*FrozenType(*ListType(*Int32Type)) , 2)" },
        { "ty", "UserType(ks,7479,61:*Int32Type,42:*UTF8Type)" },
        { "frozen<ty>", "FrozenType(*UserType(ks,7479,61:*Int32Type,42:*UTF8Type))" },
        { "list<frozen<ty>>", "ListType(*FrozenType(*UserType(ks,7479,61:*Int32Type,42:*UTF8Type)))" },
        { "empty", "EmptyType" },
        { "'org.apache.cassandra.db.marshal.LexicalUUIDType'", NULL },
        { "'org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.Int32Type,"
          "org.apache.cassandra.db.marshal.UTF8Type)'",
          NULL },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct type *type = type_of(work, cases[i].name);
        struct buf java, expected;
        check_text(cases[i].name, type_name(&work->ctx, type), cases[i].name);
        buf_init(&java, &work->arena);
        type_print_class(&java, type);
        assert_true(type_eq(type_of(work, buf_text(&java)), type));
        if (!cases[i].java)
            continue;
        buf_init(&expected, &work->arena);
        buf_put_str(&expected, "org.apache.cassandra.db.marshal.");
        for (const char *p = cases[i].java; *p; p++) {
            if (*p == '*')
                buf_put_str(&expected, "org.apache.cassandra.db.marshal.");
            else
                buf_put_u8(&expected, (uint8_t)*p);
        }
        check_text(cases[i].name, (const char *)java.data, buf_text(&expected));
    }
}

static void names_that_are_none(void **state)
{
    static const char *const cases[] = { "",
                                         "list<",
                                         "list<int",
                                         "list<int>>",
                                         "list<int, int>",
                                         "map<int>",
                                         "vector<int>",
                                         "vector<int, 0>",
                                         "vector<int, x>",
                                         "tuple<>",
                                         "frozen<>",
                                         "nope",
                                         "\"ty",
                                         "ks.nope",
                                         "'x",
                                         "'x(",
                                         "vector<int, 99999999999>",
                                         "int int",
                                         "UserType(ks,7479,61)",
                                         "UserType(ks,zz,61:Int32Type)" };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct type *type;
        enum wr_status st = type_parse_name(&work->ctx, slice_str(cases[i]), SLICE_LIT("ks"), work_lookup, work, &type);
        if (st != WR_SYNTAX && st != WR_INVALID)
            fail_msg("%s gives %d", cases[i], st);
    }
    assert_null(type_by_name(SLICE_LIT("empty")));
    assert_null(type_by_name(SLICE_LIT("in")));
    assert_ptr_equal(type_by_name(SLICE_LIT("VarChar")), type_native(TYPE_TEXT));
}

static void classes_in_quotes(void **state)
{
    static const struct {
        const char *text, *answer;
    } cases[] = {
        { "foo", "Error setting type foo: Unable to find abstract-type class 'org.apache.cassandra.db.marshal.foo'" },
        { "org.foo.Bar", "Error setting type org.foo.Bar: Unable to find abstract-type class 'org.foo.Bar'" },
        { "Int32Type(",
          "Cannot parse type Int32Type(: Syntax error parsing 'Int32Type(' at char 10: unexpected end of string" },
        { "Int32Type)", "int" },
        { "Int32Type()", "int" },
        { "UTF8Type(a)", "text" },
        { "ListType()", "Error setting type ListType(): Invalid definition for comparator "
                        "org.apache.cassandra.db.marshal.ListType." },
        { "ListType(foo)", "Error setting type ListType(foo): Invalid definition for comparator "
                           "org.apache.cassandra.db.marshal.ListType." },
        { "MapType(Int32Type)", "Error setting type MapType(Int32Type): Invalid definition for comparator "
                                "org.apache.cassandra.db.marshal.MapType." },
        { "VectorType(FloatType)", "Error setting type VectorType(FloatType): Invalid definition for comparator "
                                   "org.apache.cassandra.db.marshal.VectorType." },
        { "ReversedType(Int32Type)", "int" },
        { "FrozenType(ListType(Int32Type))", "frozen<list<int>>" },
        { "", "blob" },
        { "EmptyType", "empty" },
        { "DateType", "timestamp" },
        { "LegacyTimeUUIDType", "timeuuid" },
        { "VectorType(FloatType, 2)", "vector<float, 2>" },
        { "UserType(ks,61,62:Int32Type)", "a" },
        { "LexicalUUIDType", "'org.apache.cassandra.db.marshal.LexicalUUIDType'" },
        { "CompositeType(Int32Type,UTF8Type)",
          "'org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.Int32Type,"
          "org.apache.cassandra.db.marshal.UTF8Type)'" },
        { "DynamicCompositeType(a=>Int32Type)",
          "'org.apache.cassandra.db.marshal.DynamicCompositeType(a=>org.apache.cassandra.db.marshal.Int32Type)'" },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct type *type = NULL;
        enum wr_status st = type_parse_class(&work->ctx, slice_str(cases[i].text), &type);
        check_text(cases[i].text, st == WR_OK ? type_name(&work->ctx, type) : work->ctx.error, cases[i].answer);
        assert_true(st == WR_OK || st == WR_SYNTAX);
    }
}

static void nesting_is_bounded(void **state)
{
    struct work *work = *state;
    const struct type *type = type_native(TYPE_INT);
    for (int i = 1; i < TYPE_MADE_DEPTH_MAX; i++)
        assert_non_null(type = type_make(&work->ctx, TYPE_LIST, &type, 1, false, 0));
    assert_null(type_make(&work->ctx, TYPE_LIST, &type, 1, false, 0));

    struct buf deep;
    buf_init(&deep, &work->arena);
    for (int i = 0; i < 100000; i++)
        buf_put_str(&deep, "frozen<list<");
    assert_int_not_equal(type_parse_name(&work->ctx, buf_slice(&deep), SLICE_LIT("ks"), NULL, NULL, &type), WR_OK);
}

static void freezing(void **state)
{
    struct work *work = *state;
    const struct type *open = type_of(work, "map<int, text>"), *frozen = type_of(work, "frozen<map<int, text>>");
    assert_true(open->multicell);
    assert_false(type_eq(open, frozen));
    assert_true(type_eq_value(open, frozen));
    assert_true(type_eq(type_freeze(&work->ctx, open), frozen));
    assert_ptr_equal(type_freeze(&work->ctx, frozen), frozen);
    assert_true(type_eq(type_unfrozen_copy(&work->ctx, frozen), open));
    /* what lies in something frozen is frozen, too */
    const struct type *list = type_make(&work->ctx, TYPE_LIST, &open, 1, false, 0);
    check_text("inner", type_name(&work->ctx, list), "frozen<list<frozen<map<int, text>>>>");
    assert_false(type_eq(work->udt, type_of(work, "frozen<tuple<int, text>>")));
}

static void properties(void **state)
{
    struct work *work = *state;
    assert_true(type_is_numeric(type_native(TYPE_COUNTER)));
    assert_false(type_is_numeric(type_native(TYPE_DATE)));
    assert_true(type_has_duration(type_of(work, "frozen<list<frozen<tuple<int, duration>>>>")));
    assert_false(type_has_duration(work->udt));
    assert_true(type_order_is_lossy(type_of(work, "frozen<list<decimal>>")));
    assert_false(type_order_is_lossy(type_of(work, "frozen<map<int, text>>")));
    assert_true(type_allows_empty(type_native(TYPE_INT)) && type_empty_is_null(type_native(TYPE_INT)));
    assert_true(type_allows_empty(type_native(TYPE_TEXT)) && !type_empty_is_null(type_native(TYPE_TEXT)));
    assert_false(type_allows_empty(type_native(TYPE_SMALLINT)));
    assert_int_equal(type_fixed_len(type_native(TYPE_UUID)), 16);
    assert_int_equal(type_fixed_len(type_native(TYPE_TEXT)), -1);
    assert_int_equal(type_option_id(type_native(TYPE_DURATION)), 0x15);
    assert_int_equal(type_option_id(type_of(work, "vector<int, 2>")), 0);
}

/* ---- validation ---- */

static void values_that_are_none(void **state)
{
    static const struct {
        const char *type, *value, *error; /* NULL: valid */
    } cases[] = {
        { "int", "000000", "Expected 4 or 0 byte int (3)" },
        { "int", "", NULL },
        { "bigint", "00", "Expected 8 or 0 byte long (1)" },
        { "counter", "00", "Expected 8 or 0 byte long (1)" },
        { "smallint", "", "Expected 2 bytes for a smallint (0)" },
        { "tinyint", "", "Expected 1 byte for a tinyint (0)" },
        { "boolean", "0000", "Expected 1 or 0 byte value (2)" },
        { "float", "00", "Expected 4 or 0 byte value for a float (1)" },
        { "double", "00", "Expected 8 or 0 byte value for a double (1)" },
        { "date", "", "Expected 4 byte long for date (0)" },
        { "time", "", "Expected 8 byte long for time (0)" },
        { "timestamp", "00", "Expected 8 or 0 byte long for date (1)" },
        { "uuid", "000000", "UUID should be 16 or 0 bytes (3)" },
        { "timeuuid", "00000000000000000000000000000000", "Invalid version for TimeUUID type: 0x0" },
        { "timeuuid", "138140001dd211b28080808080808080", NULL },
        { "inet", "ff", "Expected 4 or 16 byte inetaddress; got ff" },
        { "ascii", "ff", "Invalid byte for ascii: -1" },
        { "text", "c328", "String didn't validate." },
        { "text", "c080", NULL },
        { "text", "c1bf", "String didn't validate." },
        { "text", "eda080", NULL },
        { "text", "e08080", "String didn't validate." },
        { "text", "f5808080", NULL },
        { "text", "e04180", NULL },
        { "text", "e28228", "String didn't validate." },
        { "text", "f8808080", "String didn't validate." },
        { "text", "e282", "String didn't validate." },
        { "decimal", "000000", "Expected 0 or at least 4 bytes (3)" },
        { "duration", "0000", "Expected at least 3 bytes for a duration (2)" },
        { "duration", "020001", "The duration months, days and nanoseconds must be all of the same sign (1, 0, -1)" },
        { "duration", "f1fffffffe0000", "The duration months must be a 32 bits integer but was: 4294967295" },
        { "empty", "00", "EmptyType only accept empty values" },
        { "list<int>", "", "Not enough bytes to read a list" },
        { "list<int>", "00000001", "Not enough bytes to read a list" },
        { "list<int>", "7fffffff00000000", "Not enough bytes to read a list" },
        { "list<int>", "0000000100000003000000", "Expected 4 or 0 byte int (3)" },
        { "list<int>", "00000001ffffffff", "Null value read when not allowed" },
        { "list<int>", "0000000000", "Unexpected extraneous bytes after list value" },
        { "list<int>", "ffffffff", NULL },
        { "set<int>", "", "Not enough bytes to read a set" },
        { "map<int, int>", "7fffffff", "Not enough bytes to read a map" },
        { "tuple<int, text>", "", NULL },
        { "tuple<int, text>", "00", "Not enough bytes to read size of 0th component" },
        { "tuple<int, text>", "0000000400", "Not enough bytes to read 0th component" },
        { "tuple<int, text>", "ffffffffffffffff00", "Invalid remaining data after end of tuple value" },
        { "ty", "ffffffff00", "Not enough bytes to read size of 1th field B" },
        { "ty", "ffffffff00000001", "Not enough bytes to read 1th field B" },
        { "ty", "0000000100", "Failure validating the 0th field a; Expected 4 or 0 byte int (1)" },
        { "ty", "ffffffffffffffff00", "Invalid remaining data after end of UDT value" },
        { "vector<float, 2>", "", "Invalid empty vector value" },
        { "vector<float, 2>", "00", "Not enough bytes to read a vector<float, 2>" },
        { "vector<float, 2>", "000000000000000000", "Unexpected 1 extraneous bytes after vector<float, 2> value" },
        { "vector<text, 2>", "0161", "Not enough bytes to read a vector<text, 2>" },
        { "vector<smallint, 2>", "020001020002", NULL },
        { "vector<smallint, 2>", "00010002", "Expected 2 bytes for a smallint (0)" },
    }, trips[] = {
        { "vector<text, 2>", "05", "java.lang.IndexOutOfBoundsException: Attempted to read 5, but the size is 0" },
        { "vector<text, 2>", "01610361", "java.lang.IndexOutOfBoundsException: Attempted to read 3, but the size is 1" },
        { "vector<text, 2>", "0161ff", "java.lang.AssertionError: Invalidate data at offset 2; saw size of -1 but only >= 0 is expected" },
        { "vector<text, 2>", "f07fffffff", "java.lang.IndexOutOfBoundsException: Attempted to read 2147483647, but the size is 0" },
        { "vector<text, 2>", "f080000000", "org.apache.cassandra.utils.vint.VIntCoding$VIntOutOfRangeException: 2147483648 is out of range for a 32-bit integer" },
        { "vector<text, 2>", "ffffffffffffffffff", "java.lang.AssertionError: Invalidate data at offset 0; saw size of -1 but only >= 0 is expected" },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum wr_status st = type_validate(&work->ctx, type_of(work, cases[i].type), bytes_of(work, cases[i].value));
        assert_int_equal(st, cases[i].error ? WR_INVALID : WR_OK);
        if (cases[i].error)
            check_text(cases[i].type, work->ctx.error, cases[i].error);
    }
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        assert_int_equal(type_validate(&work->ctx, type_of(work, trips[i].type), bytes_of(work, trips[i].value)), WR_SERVER_ERROR);
        check_text(trips[i].type, work->ctx.error, trips[i].error);
    }
    for (int kind = 0; kind <= TYPE_VARINT; kind++)
        assert_int_equal(type_validate(&work->ctx, type_native((enum type_kind)kind), SLICE_NULL), WR_OK);
}

/* ---- text ---- */

static void text_of_values(void **state)
{
    static const struct {
        const char *type, *value, *literal, *string, *json;
    } cases[] = {
        { "int", NULL, "null", "null", "null" },
        { "int", "", "null", "null", "\"\"" },
        { "int", "ffffffff", "-1", "-1", "-1" },
        { "text", "", "''", "", "\"\"" },
        { "text", "6927740a", "'i''t\n'", "i't\n", "\"i't\\n\"" },
        { "text", "0b5c22", "'\v\\\"'", "\v\\\"", "\"\\u000B\\\\\\\"\"" },
        { "blob", "", "0x", "0x", "\"0x\"" },
        { "blob", "00ff", "0x00ff", "0x00ff", "\"0x00ff\"" },
        { "double", "7ff8000000000000", "NaN", "NaN", "null" },
        { "double", "3ff0000000000000", "1.0", "1.0", "1.0" },
        { "decimal", "fffffffd01", "1E+3", "1E+3", "1E+3" },
        { "timestamp", "0000016ffbbcdafe", "'2020-01-31T13:14:15.678Z'", "2020-01-31T13:14:15.678Z",
          "\"2020-01-31 13:14:15.678Z\"" },
        { "timestamp", "ffffc76e394a7400", "'0002-01-01T00:00:00.000Z'", "0002-01-01T00:00:00.000Z",
          "\"0002-01-01 00:00:00.000Z\"" },
        { "date", "7ff50557", "'-0001-12-31'", "-0001-12-31", "\"-0001-12-31\"" },
        { "time", "ffffffffffffffff", "'00:00:00.00000000-1'", "00:00:00.00000000-1", "\"00:00:00.00000000-1\"" },
        { "duration", "1c32fc2168cdf9d664", "1y2mo25d5h6m7s8ms9us10ns", "1y2mo25d5h6m7s8ms9us10ns",
          "\"1y2mo25d5h6m7s8ms9us10ns\"" },
        { "inet", "00000000000000000000000000000001", "'0:0:0:0:0:0:0:1'", "0:0:0:0:0:0:0:1", "\"0:0:0:0:0:0:0:1\"" },
        { "inet", "", "null", "null", "\"\"" },
        { "uuid", "138140001dd211b28080808080808080", "13814000-1dd2-11b2-8080-808080808080",
          "13814000-1dd2-11b2-8080-808080808080", "\"13814000-1dd2-11b2-8080-808080808080\"" },
        { "list<text>", "00000002000000016100000000", "['a', '']", "[a, ]", "[\"a\", \"\"]" },
        { "set<int>", "000000010000000400000001", "{1}", "{1}", "[1]" },
        { "map<int, text>", "0000000100000004000000010000000161", "{1: 'a'}", "{1: a}", "{\"1\": \"a\"}" },
        { "tuple<int, text>", "0000000400000001ffffffff", "(1, null)", "0x0000000400000001ffffffff", "[1, null]" },
        { "tuple<int, text>", "0000000400000001", "(1)", "0x0000000400000001", "[1, null]" },
        { "ty", "000000040000000100000000", "{a: 1, \"B\": ''}", "0x000000040000000100000000",
          "{\"a\": 1, \"\\\"B\\\"\": \"\"}" },
        { "ty", "", "{}", "0x", "{\"a\": null, \"\\\"B\\\"\": null}" },
        { "vector<float, 2>", "3f800000c0000000", "[1.0, -2.0]", "[1.0, -2.0]", "[1.0, -2.0]" },
        { "'PartitionerDefinedOrder'", "ff", "0xff", "0xff", "\"0xff\"" },
        { "'LexicalUUIDType'", "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff", "\"00112233-4455-6677-8899-aabbccddeeff\"" },
    };
    static void (*const print[])(struct buf *, const struct type *,
                                 struct slice) = { type_print_literal, type_print_string, type_print_json };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const expected[] = { cases[i].literal, cases[i].string, cases[i].json };
        for (int form = 0; form < 3; form++) {
            struct buf buf;
            buf_init(&buf, &work->arena);
            print[form](&buf, type_of(work, cases[i].type), bytes_of(work, cases[i].value));
            check_text(cases[i].type, buf_text(&buf), expected[form]);
        }
    }
}

/* ---- order ---- */

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

/* Everything the header says of two values' order, with both in this order: expected is -1, 0 or 1. */
static void check_order(struct work *work, const struct type *type, struct slice a, struct slice b, int expected)
{
    struct buf x, y;
    buf_init(&x, &work->arena);
    buf_init(&y, &work->arena);
    type_put_part(&x, type, a);
    type_put_part(&y, type, b);
    int c = sign(slice_cmp(buf_slice(&x), buf_slice(&y)));
    if (sign(type_compare(type, a, b)) != expected || c != expected)
        fail_msg("%s: %s and %s compare as %d, their bytes as %d, not %d", type_name(&work->ctx, type), hex_of(work, a),
                 hex_of(work, b), type_compare(type, a, b), c, expected);
    if (expected) {
        assert_false(slice_has_prefix(buf_slice(&x), buf_slice(&y)) || slice_has_prefix(buf_slice(&y), buf_slice(&x)));
        order_invert(&x, 0);
        order_invert(&y, 0);
        assert_int_equal(sign(slice_cmp(buf_slice(&x), buf_slice(&y))), -expected);
    }
}

static void check_comes_back(struct work *work, const struct type *type, struct slice value)
{
    struct buf buf;
    struct slice from, back;
    buf_init(&buf, &work->arena);
    type_put_part(&buf, type, value);
    buf_put_str(&buf, "rest");
    from = buf_slice(&buf);
    assert_int_equal(type_get_part(&work->ctx, type, &from, &back), WR_OK);
    assert_true(slice_eq_str(from, "rest"));
    assert_int_equal(type_validate(&work->ctx, type, back), WR_OK);
    assert_int_equal(type_compare(type, value, back), 0);
    if (!type_order_is_lossy(type))
        assert_true(slice_eq(value, back));
    /* cut short it is refused, and nothing is read behind its end */
    for (size_t n = 0; n + 4 < buf.len; n++) {
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, buf.data, n);
        from = slice_of(cut, n);
        enum wr_status st = type_get_part(&work->ctx, type, &from, &back);
        free(cut);
        if (st == WR_OK)
            fail_msg("%s: %zu bytes of %s in order are enough", type_name(&work->ctx, type), n, hex_of(work, value));
    }
}

enum { VALUES_MAX = 40 };

static const struct {
    const char *type;
    const char *values[VALUES_MAX];
} orders[] = {
#include "tests/model/order_vectors.inc"
};

static void order_is_the_servers(void **state)
{
    struct work *work = *state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct type *type = type_of(work, orders[i].type);
        struct slice values[VALUES_MAX];
        int n = 0;
        for (; n < VALUES_MAX && orders[i].values[n]; n++) {
            values[n] = bytes_of(work, orders[i].values[n]);
            check_comes_back(work, type, values[n]);
        }
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                check_order(work, type, values[a], values[b], (a > b) - (a < b));
    }
}

static void equal_though_written_otherwise(void **state)
{
    static const struct {
        const char *type, *a, *b;
    } cases[] = {
        { "decimal", "0000000001", "0000000264" },
        { "decimal", "0000000000", "0000000500" },
        { "varint", "00", "000000" },
        { "varint", "ff", "ffff" },
        { "boolean", "01", "7f" },
        { "double", "7ff8000000000000", "fff0000000000001" },
        { "float", "7fc00000", "ffffffff" },
        { "tuple<int, text>", "0000000400000001", "0000000400000001ffffffff" },
        { "list<decimal>", "00000001000000050000000001", "0000000100000005000000010a" },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct type *type = type_of(work, cases[i].type);
        struct slice a = bytes_of(work, cases[i].a), b = bytes_of(work, cases[i].b);
        assert_int_equal(type_validate(&work->ctx, type, a), WR_OK);
        assert_int_equal(type_validate(&work->ctx, type, b), WR_OK);
        assert_false(slice_eq(a, b));
        assert_true(type_order_is_lossy(type));
        check_order(work, type, a, b, 0);
    }
}

/* ---- packing ---- */

static void packing_and_walking(void **state)
{
    static const struct {
        const char *type, *value;
        uint32_t n; /* what type_pack is given */
    } cases[] = {
        { "list<int>", "00000000", 0 },
        { "list<int>", "00000002000000040000000100000000", 2 },
        { "map<int, text>", "0000000200000004000000010000000161000000040000000200000000", 2 },
        { "tuple<int, text>", "ffffffff0000000161", 2 },
        { "ty", "0000000400000001ffffffff", 2 },
        { "vector<int, 2>", "0000000100000002", 2 },
        { "vector<text, 3>", "000161026263", 3 },
    };
    struct work *work = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct type *type = type_of(work, cases[i].type);
        struct slice value = bytes_of(work, cases[i].value), values[8], packed;
        struct elements e;
        uint32_t n = 0;
        for (elements_open(&e, type, value); elements_next(&e, &values[n]);)
            n++;
        assert_false(e.failed);
        if (type_is_collection(type))
            assert_int_equal(type_collection_count(value), cases[i].n);
        assert_int_equal(n, type->kind == TYPE_MAP ? cases[i].n * 2 : cases[i].n);
        assert_int_equal(type_pack(&work->ctx, type, values, cases[i].n, &packed), WR_OK);
        assert_true(slice_eq(packed, value));
    }
}

static void sorting_is_stable(void **state)
{
    enum { N = 500 };
    struct work *work = *state;
    const struct type *set = type_of(work, "set<decimal>"), *map = type_of(work, "map<decimal, int>");
    struct slice values[N * 2], pairs[N * 2];
    uint32_t seed = 1;
    for (uint32_t i = 0; i < N; i++) {
        uint8_t bytes[6] = { 0, 0, 0, 0 };
        seed = seed * 1103515245 + 12345;
        uint8_t v = (uint8_t)(seed >> 16) % 100;
        bytes[3] = i % 2; /* v as it is or ten times v with one place */
        bytes[4] = (uint8_t)((i % 2 ? v * 10 : v) >> 8);
        bytes[5] = (uint8_t)(i % 2 ? v * 10 : v);
        assert_int_equal(ctx_copy(&work->ctx, slice_of(bytes, 6), &values[i]), WR_OK);
        pairs[i * 2] = values[i];
        assert_int_equal(ctx_copy(&work->ctx, slice_of(&i, sizeof i), &pairs[i * 2 + 1]), WR_OK);
    }
    struct slice before[N];
    memcpy(before, values, sizeof before);
    uint32_t n = type_sort_unique(set, values, N), m = type_sort_unique(map, pairs, N);
    assert_int_equal(n, m);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = N, last = 0, at;
        for (uint32_t k = 0; k < N; k++) {
            if (type_compare(set->args[0], before[k], values[i]) == 0) {
                first = k < first ? k : first;
                last = k;
            }
        }
        assert_true(i == 0 || type_compare(set->args[0], values[i - 1], values[i]) < 0);
        assert_true(slice_eq(values[i], before[first]));
        assert_true(slice_eq(pairs[i * 2], before[first]));
        memcpy(&at, pairs[i * 2 + 1].data, sizeof at);
        assert_int_equal(at, last);
    }
    assert_int_equal(type_sort_unique(set, values, 0), 0);
}

/* ---- whatever the bytes ---- */

/* In the order that a server has them in, static ones first; the last two are bytes of no such value, which a constant may be. */
static void composites(void **state)
{
    static const char *const bytes[] = { "ffff0004000000010000016200", "000000",           "0004fffffffb00",
                                         "0004ffffffff0000016200",     "000400000001ff",   "00040000000100",
                                         "00040000000100000000",     "0004000000010000016100", "000400000001000002616100",
                                         "0004000000010000016200",     "00040000000101",   "00040000012c00",
                                         "00030000000100",             "0004000000" };
    enum { COUNT = sizeof bytes / sizeof *bytes, SOUND = COUNT - 2 };
    struct work *work = *state;
    const struct type *type = type_of(work, "'CompositeType(Int32Type,UTF8Type)'");

    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(type_validate(&work->ctx, type, bytes_of(work, bytes[i])) == WR_OK, i < SOUND);
        if (i < SOUND)
            check_comes_back(work, type, bytes_of(work, bytes[i]));
        for (int j = 0; j < COUNT; j++)
            check_order(work, type, bytes_of(work, bytes[i]), bytes_of(work, bytes[j]), sign(i < j ? -1 : i > j));
    }
}

/* Types and bytes at random: nothing runs past its end, and what passes validation keeps all promises of order. */
static void random_bytes(void **state)
{
    static const char *const names[] = { "list<int>",
                                         "frozen<map<text, frozen<set<varint>>>>",
                                         "frozen<tuple<decimal, uuid, text>>",
                                         "vector<text, 2>",
                                         "vector<frozen<list<double>>, 2>",
                                         "frozen<ty>",
                                         "duration",
                                         "inet",
                                         "decimal",
                                         "varint",
                                         "timeuuid",
                                         "int",
                                         "timestamp",
                                         "date",
                                         "time",
                                         "double",
                                         "uuid",
                                         "'CompositeType(BytesType,UTF8Type)'",
                                         "'CompositeType(IntegerType,DecimalType,InetAddressType)'" };
    struct work *work = *state;
    uint64_t seed = 42;
    struct arena_mark mark = arena_mark(&work->arena);
    for (int round = 0; round < 4000; round++) {
        const struct type *type = type_of(work, names[round % (int)(sizeof names / sizeof *names)]);
        struct slice values[2];
        uint8_t *raw[2];
        for (int v = 0; v < 2; v++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t len = seed >> 40 & 31;
            raw[v] = malloc(len ? len : 1);
            for (size_t i = 0; i < len; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                raw[v][i] = seed >> 62 ? (uint8_t)(seed >> 33 & 3) : (uint8_t)(seed >> 33);
            }
            values[v] = slice_of(raw[v], len);
        }
        struct slice from = values[0], back;
        struct buf text;
        (void)type_get_order(&work->ctx, type, &from, &back);
        buf_init(&text, &work->arena);
        if (!type->arg_count)
            type_print_string(&text, type, values[0]); /* which a damaged file has within a collection */
        if (type_validate(&work->ctx, type, values[0]) == WR_OK) {
            struct buf buf;
            buf_init(&buf, &work->arena);
            type_print_json(&buf, type, values[0]);
            type_print_literal(&buf, type, values[0]);
            check_comes_back(work, type, values[0]);
            if (type_validate(&work->ctx, type, values[1]) == WR_OK)
                check_order(work, type, values[0], values[1], sign(type_compare(type, values[0], values[1])));
        }
        free(raw[0]);
        free(raw[1]);
        arena_rewind(&work->arena, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_read_back, work_open, work_close),
        cmocka_unit_test_setup_teardown(names_that_are_none, work_open, work_close),
        cmocka_unit_test_setup_teardown(classes_in_quotes, work_open, work_close),
        cmocka_unit_test_setup_teardown(nesting_is_bounded, work_open, work_close),
        cmocka_unit_test_setup_teardown(freezing, work_open, work_close),
        cmocka_unit_test_setup_teardown(properties, work_open, work_close),
        cmocka_unit_test_setup_teardown(values_that_are_none, work_open, work_close),
        cmocka_unit_test_setup_teardown(text_of_values, work_open, work_close),
        cmocka_unit_test_setup_teardown(order_is_the_servers, work_open, work_close),
        cmocka_unit_test_setup_teardown(equal_though_written_otherwise, work_open, work_close),
        cmocka_unit_test_setup_teardown(composites, work_open, work_close),
        cmocka_unit_test_setup_teardown(packing_and_walking, work_open, work_close),
        cmocka_unit_test_setup_teardown(sorting_is_stable, work_open, work_close),
        cmocka_unit_test_setup_teardown(random_bytes, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
