/* Every piece of work of the rooms of types, with each of its calls for memory failing in turn: WR_NOMEM, or done;
 * never a crash. */
#include "engine/rig.h"
#include "tests/model/recorded.h"

#include "model/clustering.h"
#include "model/explog.h"
#include "model/func.h"
#include "model/java.h"
#include "model/json.h"
#include "model/number.h"
#include "widerow.h"

static const char type_text[] =
    "frozen<map<decimal, frozen<list<frozen<tuple<text, varint, vector<double, 2>, duration>>>>>>";
static const char json_text[] = "{\"1.50\": [[\"a\\u0000b\", 123456789012345678901234567890, [1.5, -2], \"1y2mo3d\"], "
                                "[\"\", -1, [0, 0], \"1d\"]], \"1E+5\": []}";

static enum wr_status no_type(struct work *work)
{
    /* makers of types give NULL; whether for want of memory, the message tells */
    assert_string_equal(work->ctx.error, "out of memory");
    return WR_NOMEM;
}

static enum wr_status round_trip(struct work *work, const struct type *type, struct slice value)
{
    struct ctx *ctx = &work->ctx;
    const struct clustering_column column = clustering_column_of(type, true);
    const struct clustering_shape shape = { .columns = &column, .count = 1, .lossy = true };
    struct slice annex, bytes, back, text;
    struct buf buf;
    TRY(clustering_annex(ctx, &shape, &value, &annex));
    buf_init(&buf, ctx->arena);
    clustering_put(&buf, &shape, &value, 1);
    TRY(buf_done(ctx, &buf, &bytes));
    TRY(clustering_get(ctx, &shape, bytes, annex, &back));
    assert_true(slice_eq(back, value));
    buf_init(&buf, ctx->arena);
    type_print_json(&buf, type, value);
    type_print_literal(&buf, type, value);
    TRY(buf_done(ctx, &buf, &text));
    return WR_OK;
}

static enum wr_status all_work(struct work *work)
{
    struct ctx *ctx = &work->ctx;
    const struct type *type;
    const struct json *json;
    struct slice value, sum;
    TRY(type_parse_name(ctx, slice_str(type_text), SLICE_LIT("ks"), NULL, NULL, &type));
    if (!type_unfrozen_copy(ctx, type) || !type_make(ctx, TYPE_LIST, &type, 1, true, 0))
        return no_type(work);
    TRY(json_parse(ctx, slice_str(json_text), false, &json));
    TRY(json_to_value(ctx, type, json, &value));
    TRY(type_validate(ctx, type, value));
    TRY(round_trip(work, type, value));
    TRY(literal_from_string(ctx, type_native(TYPE_DECIMAL), SLICE_LIT("-1234567890123456789012345678901234567890.5"),
                            &value));
    for (int op = 0; op < 5; op++)
        TRY(decimal_calc(ctx, (enum number_op)op, value, value, &sum));
    return WR_OK;
}

static void each_call_for_memory(void **state)
{
    (void)state;
    enum wr_status st = WR_NOMEM;
    long failures = 0;
    for (long n = 0; st != WR_OK; n++) {
        struct work work = { .udt = NULL };
        arena_init(&work.arena);
        ctx_init(&work.ctx, &work.arena);
        rig.mem_fail_after = n;
        st = all_work(&work);
        bool came_due = rig.mem_fail_after < 0;
        rig.mem_fail_after = -1;
        arena_release(&work.arena);
        if (st != WR_OK) {
            assert_int_equal(st, WR_NOMEM);
            assert_true(came_due);
            failures++;
        }
        assert_true(n < 1000);
    }
    assert_true(failures > 0);
}

/* The same with an arena whose blocks are just too small, so that every single allocation is one of the system's. */
static void each_allocation(void **state)
{
    (void)state;
    enum wr_status st = WR_NOMEM;
    for (long n = 0; st != WR_OK; n += 7) {
        struct work work = { .udt = NULL };
        arena_init(&work.arena);
        ctx_init(&work.ctx, &work.arena);
        /* what is left of the first block shrinks from round to round, so the failure wanders through the work */
        (void)arena_alloc_raw(&work.arena, (size_t)(n % 3900));
        rig.mem_fail_after = n / 3900;
        st = all_work(&work);
        rig.mem_fail_after = -1;
        arena_release(&work.arena);
        if (st != WR_OK)
            assert_int_equal(st, WR_NOMEM);
        assert_true(n < 1000000);
    }
}

/* ---- small pieces of work, of which each allocation fails ---- */

static enum wr_status read_json(struct ctx *ctx, const struct type *type, const char *text, struct slice *out)
{
    const struct json *json;

    TRY(json_parse(ctx, slice_str(text), false, &json));
    return json_to_value(ctx, type, json, out);
}

static enum wr_status take_log10(struct ctx *ctx, const struct type *type, const char *text, struct slice *out)
{
    struct slice value;

    TRY(literal_from_string(ctx, type, slice_str(text), &value));
    return decimal_log10(ctx, value, out);
}

static enum wr_status cast_to_decimal(struct ctx *ctx, const struct type *type, const char *text, struct slice *out)
{
    const struct func cast = { .result = type_native(TYPE_DECIMAL), .args = &type };
    const struct call call = { .ctx = ctx, .func = &cast };
    struct slice value;

    TRY(literal_from_string(ctx, type, slice_str(text), &value));
    return func_cast_number(&call, &value, out);
}

/* As a clustering, and back. */
static enum wr_status order_and_back(struct ctx *ctx, const struct type *type, const char *text, struct slice *out)
{
    struct slice value, bytes;
    struct buf buf;

    TRY(literal_from_string(ctx, type, slice_str(text), &value));
    buf_init(&buf, ctx->arena);
    type_put_order(&buf, type, value);
    TRY(buf_done(ctx, &buf, &bytes));
    return type_get_order(ctx, type, &bytes, out);
}

/* A body whose result is of that type. */
static enum wr_status run_java(struct ctx *ctx, const struct type *type, const char *text, struct slice *out)
{
    const struct java_signature signature = { .result = type, .keyspace = SLICE_LIT("ks"), .called_on_null = true };
    const struct java_body *body;

    TRY(java_compile(ctx, &signature, slice_str(text), &body));
    return java_run(ctx, body, NULL, JAVA_KEPT_NOTHING, out);
}

static const struct {
    enum wr_status (*run)(struct ctx *ctx, const struct type *type, const char *text, struct slice *out);
    const char *type, *text;
} pieces[] = {
    { read_json, "decimal", "\"1.5\"" },
    { read_json, "decimal", "1.5" },
    { read_json, "varint", "12345678901234567890123" },
    { read_json, "blob", "\"0x00ff\"" },
    { read_json, "blob", "12345678901" },
    { read_json, "smallint", "7" },
    { read_json, "smallint", "1.5" },
    { read_json, "int", "7" },
    { read_json, "int", "12345678901" },
    { read_json, "bigint", "12345678901" },
    { read_json, "timestamp", "12345678901" },
    { read_json, "timestamp", "7" },
    { read_json, "float", "1.5" },
    { read_json, "boolean", "{\"a\": [1, -2.5, \"x\"]}" },
    { read_json, "set<int>", "[2, 1]" },
    { read_json, "frozen<ty>", "{\"a\": 1, \"B\": \"x\"}" },
    { read_json, "frozen<ty>", "{\"a\": 1, \"c\": \"x\"}" },
    { read_json, "vector<int, 2>", "[1]" },
    { read_json, "frozen<tuple<int, int>>", "[1]" },
    { read_json, "frozen<tuple<int, int>>", "[1, 2]" },
    { take_log10, "decimal", "1e-7" },
    { take_log10, "decimal", "7" },
    { cast_to_decimal, "float", "1.25" },
    { order_and_back, "'org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.Int32Type,org.apache.cassandra.db.marshal.UTF8Type)'", "1:a" },
    { run_java, "text", "return new java.math.BigDecimal(\"1e3\").toPlainString();" },
    { run_java, "text", "return java.util.Arrays.asList(\"a\", \"b\").toString();" },
    { run_java, "text", "return String.format(\"%h %s\", \"a\", java.util.TimeZone.getTimeZone(\"GMT+1\"));" },
    { run_java, "text", "return new java.text.SimpleDateFormat(\"yyyy-MM-dd\").format(new java.util.Date(0));" },
    { run_java, "int", "return \"a b c\".split(\" \").length;" },
};

enum { ROOM_MOST = 60000 };

/* With more and more room before the system is asked for more and gives none: WR_NOMEM, or what there is with enough. */
static void each_small_allocation(void **state)
{
    struct work *work = *state;

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const struct type *type = type_of(work, pieces[i].type);
        struct slice expected = SLICE_NULL;
        enum wr_status wanted = pieces[i].run(&work->ctx, type, pieces[i].text, &expected);
        bool done = false;
        assert_int_not_equal(wanted, WR_NOMEM);
        for (size_t room = 48; !done; room += 16) { /* in the first block, which is the only one */
            assert_true(room < ROOM_MOST);
            struct slice value = SLICE_NULL;
            struct arena arena;
            struct ctx ctx;
            arena_init(&arena);
            ctx_init(&ctx, &arena);
            (void)arena_alloc_raw(&arena, ROOM_MOST);
            arena_reset(&arena);
            (void)arena_alloc_raw(&arena, ROOM_MOST - room);
            rig.mem_fail_after = 0;
            enum wr_status st = pieces[i].run(&ctx, type, pieces[i].text, &value);
            done = rig.mem_fail_after == 0; /* nothing was asked for */
            rig.mem_fail_after = -1;
            if (done || st != WR_NOMEM) {
                assert_int_equal(st, wanted);
                assert_true(slice_eq(value, expected));
                assert_true(st == WR_OK || strcmp(ctx.error, work->ctx.error) == 0);
            }
            arena_release(&arena);
        }
    }
}

/* A value that could not be bound is not bound, as null least of all. */
static void failed_bind(void **state)
{
    (void)state;
    wr_db *db;
    wr_stmt *stmt;
    uint8_t bytes[1000] = { 0 };
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; "
                                 "CREATE TABLE k.t (p int PRIMARY KEY, v blob)", NULL, NULL), WR_OK);
    assert_int_equal(wr_prepare(db, "INSERT INTO k.t (p, v) VALUES (1, ?)", -1, &stmt), WR_OK);
    rig.mem_fail_after = 0;
    enum wr_status st = wr_bind_blob(stmt, 0, bytes, sizeof bytes);
    rig.mem_fail_after = -1;
    assert_int_equal(st, WR_NOMEM);
    assert_int_equal(wr_step(stmt), WR_INVALID);
    wr_finalize(stmt);
    assert_int_equal(wr_close(db), WR_OK);
}

/* What has no other way of saying so. */
static void texts_say_so(void **state)
{
    (void)state;
    const char *keyspace, *table;
    wr_db *db;
    wr_stmt *stmt;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; "
                                 "CREATE TABLE k.t (p int, c int, v varint, PRIMARY KEY (p, c)); "
                                 "INSERT INTO k.t (p, c, v) VALUES (1, 1, 123456789012345678901234567890); "
                                 "INSERT INTO k.t (p, c, v) VALUES (1, 2, 2)", NULL, NULL), WR_OK);
    assert_int_equal(wr_prepare(db, "SELECT v FROM k.t WHERE p = 1", -1, &stmt), WR_OK);
    rig.mem_blocks_apart = true;
    for (int which = 0; which < 3; which++) {
        const char *said = NULL;
        wr_reset(stmt);
        assert_int_equal(wr_stmt_status(stmt), WR_OK);
        assert_int_equal(wr_step(stmt), WR_ROW);
        rig.mem_fail_after = 0;
        switch (which) {
        case 0: said = wr_column_text(stmt, 0); break;
        case 1: said = wr_column_type_name(stmt, 0); break;
        case 2: wr_column_table(stmt, 0, &said, &table); break;
        }
        rig.mem_fail_after = -1;
        assert_string_equal(said, "");
        assert_int_equal(wr_stmt_status(stmt), WR_NOMEM);
        while (wr_step(stmt) == WR_ROW)
            ;
        assert_int_equal(wr_stmt_status(stmt), WR_NOMEM); /* so that nobody takes what was read for the whole */
    }
    rig.mem_blocks_apart = false;
    assert_int_equal(wr_step(stmt), WR_ROW);
    wr_column_table(stmt, 0, &keyspace, &table);
    assert_string_equal(table, "t");
    char text[50];
    rig.mem_fail_after = 0;
    assert_true(wr_value_format(wr_column_value(stmt, 0), WR_STRING, text, sizeof text) == SIZE_MAX);
    assert_string_equal(text, "");
    rig.mem_fail_after = 0;
    assert_true(wr_type_format(wr_column_type_info(stmt, 0), WR_TYPE_JAVA, NULL, 0) == SIZE_MAX);
    rig.mem_fail_after = -1;
    wr_finalize(stmt);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_call_for_memory), cmocka_unit_test(each_allocation),
                                        cmocka_unit_test_setup_teardown(each_small_allocation, work_open, work_close),
                                        cmocka_unit_test(failed_bind), cmocka_unit_test(texts_say_so) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
