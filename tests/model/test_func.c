/* Answers model/func.h, digest.h, timeuuid.h and explog.h; what functions give is checked against Cassandra in
 * test_expr.c. */
#include "engine/coding.h"
#include "model/digest.h"
#include "model/explog.h"
#include "model/func.h"
#include "model/number.h"
#include "model/parse.h"
#include "model/timeuuid.h"
#include "tests/model/exprs.h"

/* ---- the table ---- */

/* Every name of Cassandra 5.0.6 is there, the old and the new ones. */
static void test_names(void **state)
{
    static const char *const names[] = {
        "now",
        "current_timeuuid",
        "currenttimeuuid",
        "current_timestamp",
        "currenttimestamp",
        "current_date",
        "currentdate",
        "current_time",
        "currenttime",
        "min_timeuuid",
        "mintimeuuid",
        "max_timeuuid",
        "maxtimeuuid",
        "to_date",
        "todate",
        "to_timestamp",
        "totimestamp",
        "to_unix_timestamp",
        "tounixtimestamp",
        "floor",
        "uuid",
        "count",
        "count_rows",
        "countRows",
        "sum",
        "avg",
        "min",
        "max",
        "abs",
        "exp",
        "log",
        "log10",
        "round",
        "to_json",
        "tojson",
        "from_json",
        "fromjson",
        "map_keys",
        "map_values",
        "collection_count",
        "collection_min",
        "collection_max",
        "collection_sum",
        "collection_avg",
        "similarity_cosine",
        "similarity_euclidean",
        "similarity_dot_product",
        "mask_null",
        "mask_default",
        "mask_replace",
        "mask_inner",
        "mask_outer",
        "mask_hash",
        "int_as_blob",
        "intasblob",
        "blob_as_int",
        "blobasint",
        "varchar_as_blob",
        "blob_as_empty",
        "cast_as_int",
        "castAsInt",
        "_add",
        "_negate",
    };
    static const char *const gone[] = { "dateof",       "unixtimestampof", "Now",        "",
                                        "blob_as_blob", "cast_as_boolean", "currentTime" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!func_find(slice_str(names[i]), NULL))
            fail_msg("no function %s", names[i]);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_null(func_find(slice_str(gone[i]), NULL));
}

/* No two overloads of a name take the same types, all have a result, and something to call. */
static void test_overloads(void **state)
{
    struct {
        struct func func;
        const struct type *args[FUNC_ARGS_MAX];
    } seen[128];
    const struct func_entry *entry = NULL;

    (void)state;
    for (char op = 0; op < 127; op++) {
        const char *name = operator_function(op);
        size_t n = 0;
        if (!name)
            continue;
        assert_int_equal(function_operator(slice_str(name)), op);
        while ((entry = func_find(slice_str(name), entry))) {
            for (uint32_t i = 0; func_overload(entry, slice_str(name), i, seen[n].args, &seen[n].func); i++, n++) {
                assert_non_null(seen[n].func.result);
                assert_true((seen[n].func.call != NULL) != (seen[n].func.aggregate != NULL));
                for (size_t k = 0; k < n; k++)
                    assert_false(type_eq(seen[k].args[0], seen[n].args[0]) &&
                                 type_eq(seen[k].args[1], seen[n].args[1]));
            }
        }
        assert_int_equal(n, op == '+' ? 81 + 4 + 2 : op == '-' ? 81 + 2 : 81);
    }
}

/* ---- aggregates ---- */

struct rows_case {
    const char *expr;
    const char *column;
    const char *values[6]; /* of the column, a row each; "null": none */
    const char *result;
};

static void set_column(struct exprs *e, const char *column, const char *literal)
{
    const struct column *c = exprs_column(e, column);
    const struct expr *expr;
    struct slice value;

    assert_int_equal(exprs_term(e, c, literal, &expr), WR_OK);
    assert_int_equal(expr_eval_term(&e->exec, expr, &value), WR_OK);
    e->row[c->ordinal] = value;
}

static const char *result_of(struct exprs *e, struct eval *eval, const struct expr *expr)
{
    struct slice value;
    struct buf buf;

    assert_int_equal(expr_eval(eval, expr, &value), WR_OK);
    buf_init(&buf, e->ctx.arena);
    type_print_literal(&buf, expr_type(expr), value);
    buf_put_u8(&buf, 0);
    return (const char *)buf.data;
}

static void test_aggregates(void **state)
{
    static const struct rows_case cases[] = {
        { "count(*)", "v", { "1", "null", "3" }, "3" },
        { "count(v)", "v", { "1", "null", "3" }, "2" },
        { "count(*)", "v", { NULL }, "0" },
        { "sum(v)", "v", { "1", "null", "3" }, "4" },
        { "sum(v)", "v", { NULL }, "0" },
        { "avg(v)", "v", { "1", "2", "4" }, "2" },
        { "avg(v)", "v", { "-1", "-2", "-4" }, "-2" },
        { "avg(v)", "v", { NULL }, "0" },
        { "sum(v)", "v", { "2147483647", "1" }, "-2147483648" },
        { "avg(v)", "v", { "2147483647", "2147483647" }, "2147483647" },
        { "avg(b)",
          "b",
          { "9223372036854775807", "9223372036854775807", "-9223372036854775808" },
          "3074457345618258602" },
        { "sum(ti)", "ti", { "100", "100" }, "-56" },
        { "sum(db)", "db", { "0.1", "0.2", "0.3" }, "0.6" },
        { "sum(db)", "db", { "Infinity", "Infinity" }, "Infinity" },
        { "sum(db)", "db", { "Infinity", "-Infinity" }, "NaN" },
        { "avg(db)", "db", { "1e308", "1e308", "1e308" }, "1.0E308" },
        { "avg(db)", "db", { NULL }, "0.0" },
        { "sum(d)", "d", { "1.5", "2.25", "null" }, "3.75" },
        { "avg(d)", "d", { "5", "5", "6" }, "5" },
        { "avg(d)", "d", { "1.0", "2.0", "2.0" }, "1.7" },
        { "avg(d)", "d", { NULL }, "0" },
        { "sum(n)", "n", { "99999999999999999999", "1" }, "100000000000000000000" },
        { "avg(n)", "n", { "10", "11" }, "10" },
        { "avg(n)", "n", { "-10", "-11" }, "-10" },
        { "min(v)", "v", { "3", "null", "-3", "5" }, "-3" },
        { "max(v)", "v", { "3", "null", "-3", "5" }, "5" },
        { "min(v)", "v", { NULL }, "null" },
        { "min(tx)", "tx", { "'b'", "'abc'", "'c'" }, "'abc'" },
        { "max(tx)",
          "tx",
          { "'b'", "'abc'", "'a rather long text, more than the state had room for at first, twice as long'" },
          "'b'" },
        { "max(tx)",
          "tx",
          { "'a'", "'b rather long text, more than the state had room for at first, twice as long'" },
          "'b rather long text, more than the state had room for at first, twice as long'" },
        { "max(l)", "l", { "[1, 2]", "[1, 3]", "[1]" }, "[1, 3]" },
        { "sum(v + 1)", "v", { "1", "2" }, "5" },
        { "sum(v) + count(v)", "v", { "1", "2" }, "5" },
        { "max(v) - min(v)", "v", { "1", "7", "3" }, "6" },
        { "max(abs(v))", "v", { "1", "-7", "3" }, "7" },
    };
    struct exprs e;

    (void)state;
    exprs_open(&e);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rows_case *c = &cases[i];
        struct eval eval = { .exec = &e.exec, .columns = e.row };
        const struct expr *expr;
        exprs_again(&e);
        assert_int_equal(exprs_selector(&e, c->expr, &expr), WR_OK);
        assert_true(expr_has_aggregate(expr));
        assert_int_equal(aggregates_new(&e.exec, &expr, 1, &eval.aggregates), WR_OK);
        for (int group = 0; group < 2; group++) { /* the second after a reset */
            for (int r = 0; r < 6 && c->values[r]; r++) {
                set_column(&e, c->column, c->values[r]);
                assert_int_equal(aggregates_add(&eval, eval.aggregates), WR_OK);
            }
            if (strcmp(result_of(&e, &eval, expr), c->result) != 0)
                fail_msg("%s: %s, not %s", c->expr, result_of(&e, &eval, expr), c->result);
            aggregates_reset(eval.aggregates);
        }
    }
    exprs_close(&e);
}

/* A hundred thousand rows take no more memory than a hundred. */
static void test_aggregate_memory(void **state)
{
    static const char *const sums[] = { "sum(d)",    "avg(d)", "sum(n)", "max(tx)", "sum(v + 1)", "count(to_json(l))",
                                        "sum(d * d)" };
    struct exprs e;

    (void)state;
    exprs_open(&e);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        struct eval eval = { .exec = &e.exec, .columns = e.row };
        const struct expr *expr;
        long calls = 0;
        exprs_again(&e);
        assert_int_equal(exprs_selector(&e, sums[i], &expr), WR_OK);
        set_column(&e, "d", "1.25");
        set_column(&e, "n", "12345678901234567890");
        set_column(&e, "tx", "'some text'");
        set_column(&e, "v", "7");
        set_column(&e, "l", "[1, 2, 3]");
        assert_int_equal(aggregates_new(&e.exec, &expr, 1, &eval.aggregates), WR_OK);
        for (int r = 0; r < 100000; r++) {
            assert_int_equal(aggregates_add(&eval, eval.aggregates), WR_OK);
            if (r == 100)
                calls = mem_calls();
        }
        assert_int_equal(mem_calls(), calls);
    }
    exprs_close(&e);
}

/* ---- digests: the examples of RFC 1321, FIPS 180 and FIPS 202 ---- */

static void check_digest(const char *name, const char *message, size_t repeat, const char *hex)
{
    const struct digest *digest = digest_find(slice_str(name));
    size_t len = strlen(message);
    char *text = malloc(len * repeat + 1), got[2 * DIGEST_BYTES_MAX + 1] = "";
    uint8_t out[DIGEST_BYTES_MAX];

    assert_non_null(digest);
    for (size_t i = 0; i < repeat; i++)
        memcpy(text + i * len, message, len);
    digest_of(digest, slice_of(text, len * repeat), out);
    for (size_t i = 0; i < digest_bytes(digest); i++)
        sprintf(got + 2 * i, "%02x", out[i]);
    assert_string_equal(got, hex);
    free(text);
}

static void test_digests(void **state)
{
    (void)state;
    check_digest("MD5", "", 1, "d41d8cd98f00b204e9800998ecf8427e");
    check_digest("md5", "1234567890", 8, "57edf4a22be3c955ac49da2e2107b67a");
    check_digest("SHA-1", "abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    check_digest("SHA1", "a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    check_digest("SHA-224", "abc", 1, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    check_digest("SHA-256", "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("sha-256", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest("SHA-384", "abc", 1,
                 "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7");
    check_digest("SHA-512", "abc", 1,
                 "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
                 "454d4423643ce80e2a9ac94fa54ca49f");
    check_digest("SHA-512", "a", 1000000,
                 "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31b"
                 "eb009c5c2c49aa2e4eadb217ad8cc09b");
    check_digest("SHA-512/256", "abc", 1, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
    check_digest("SHA3-256", "", 1, "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
    check_digest("SHA3-256", "a", 1000000, "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1");
    assert_null(digest_find(slice_str("SHA-3")));
    assert_null(digest_find(SLICE_EMPTY));
}

/* ---- time UUIDs ---- */

static void test_timeuuids(void **state)
{
    static const int64_t times[] = { 0, 1, -1, 1600000000123, -12219292800000, INT64_C(253402300799999) };
    _Atomic int64_t last = 0;
    uint8_t uuid[TIMEUUID_BYTES], before[TIMEUUID_BYTES] = { 0 }, low[TIMEUUID_BYTES], high[TIMEUUID_BYTES];
    const struct type *type = type_native(TYPE_TIMEUUID);
    struct arena arena;
    struct ctx ctx;

    (void)state;
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (int i = 0; i < 100000; i++) { /* a clock that stands, and one that goes back */
        timeuuid_next(&last, i < 50000 ? INT64_C(1600000000000000) : INT64_C(1500000000000000), uuid);
        assert_int_equal(type_validate(&ctx, type, slice_of(uuid, TIMEUUID_BYTES)), WR_OK);
        if (i)
            assert_true(type_compare(type, slice_of(before, TIMEUUID_BYTES), slice_of(uuid, TIMEUUID_BYTES)) < 0);
        assert_int_equal(uuid[8] >> 6, 2);
        memcpy(before, uuid, sizeof uuid);
    }
    timeuuid_next(&last, INT64_MAX, uuid); /* a clock at its end, that is set back */
    timeuuid_next(&last, INT64_MAX, uuid);
    timeuuid_next(&last, INT64_C(1600000000000000), uuid);
    assert_true(timeuuid_us(uuid) == INT64_C(1600000000000000));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        atomic_store(&last, INT64_MIN);
        timeuuid_next(&last, times[i] * 1000 + 500, uuid);
        timeuuid_min(times[i], low);
        timeuuid_max(times[i], high);
        assert_true(timeuuid_ms(low) == times[i]);
        if (times[i] >= 0) /* toward zero, so before 1970 the next one */
            assert_true(timeuuid_ms(uuid) == times[i] && timeuuid_ms(high) == times[i]);
        assert_true(type_compare(type, slice_of(low, TIMEUUID_BYTES), slice_of(uuid, TIMEUUID_BYTES)) <= 0);
        assert_true(type_compare(type, slice_of(uuid, TIMEUUID_BYTES), slice_of(high, TIMEUUID_BYTES)) <= 0);
    }
    arena_release(&arena);
}

/* ---- exp and log: they undo each other, at every size ---- */

static void test_explog(void **state)
{
    static const char *const numbers[] = { "2",
                                           "0.5",
                                           "1e-20",
                                           "1e20",
                                           "3.14159265358979323846264338327950288",
                                           "123456789.987654321",
                                           "1.00000000000000000001",
                                           "0.99999999999999999999",
                                           "9.99999",
                                           "10.00001",
                                           "7e-7" };
    struct arena arena;
    struct ctx ctx;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct slice x, log, back, difference, limit;
        struct buf text;
        ctx_init(&ctx, &arena);
        assert_int_equal(decimal_parse(&ctx, slice_str(numbers[i]), &x), WR_OK);
        assert_int_equal(decimal_log(&ctx, x, &log), WR_OK);
        assert_int_equal(decimal_exp(&ctx, log, &back), WR_OK);
        /* |exp(log(x)) - x| < x * 10^-28: of 32 digits of a logarithm up to three stand before the point */
        assert_int_equal(decimal_calc(&ctx, NUMBER_SUBTRACT, back, x, &difference), WR_OK);
        assert_int_equal(decimal_parse(&ctx, slice_str("1e-28"), &limit), WR_OK);
        assert_int_equal(decimal_calc(&ctx, NUMBER_MULTIPLY, limit, x, &limit), WR_OK);
        buf_init(&text, &arena);
        decimal_print(&text, back);
        if (decimal_cmp(difference, limit) > 0)
            fail_msg("exp(log(%s)) is %.*s", numbers[i], SLICE_ARG(buf_slice(&text)));
        arena_reset(&arena);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_overloads),
        cmocka_unit_test(test_aggregates), cmocka_unit_test(test_aggregate_memory),
        cmocka_unit_test(test_digests),    cmocka_unit_test(test_timeuuids),
        cmocka_unit_test(test_explog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
