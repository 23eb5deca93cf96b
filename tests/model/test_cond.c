/* Answers model/cond.h: what holds for which value, and which errors come when a condition is looked at. What CQL binds
 * to conditions is in tests/conformance/conditions.cql. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail /* ours is engine/ctx.h's */

#include "engine/coding.h"
#include "model/cond.h"

struct fixture {
    struct arena arena;
    struct ctx ctx;
    struct exec exec;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    arena_init(&f->arena);
    ctx_init(&f->ctx, &f->arena);
    f->exec.ctx = &f->ctx;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    arena_release(&f->arena);
    free(f);
    return 0;
}

/* ---- values of a short notation ---- */

enum { NIL = INT32_MIN, UNSET, END }; /* in place of an int */

static struct slice int_value(struct fixture *f, int32_t v)
{
    if (v == NIL)
        return SLICE_NULL;
    if (v == UNSET)
        return SLICE_UNSET;
    uint8_t *bytes = ctx_alloc(&f->ctx, 4);
    assert_non_null(bytes);
    put_u32(bytes, (uint32_t)v);
    return slice_of(bytes, 4);
}

/* A serialized list, set or map (pairs) of the ints up to END; a leading NIL: null. */
static struct slice collection(struct fixture *f, const struct type *type, const int32_t *ints)
{
    struct slice values[8], out;
    uint32_t n = 0;
    if (ints[0] == NIL)
        return SLICE_NULL;
    for (; ints[n] != END; n++)
        values[n] = int_value(f, ints[n]);
    assert_int_equal(type_pack(&f->ctx, type, values, type->kind == TYPE_MAP ? n / 2 : n, &out), WR_OK);
    return out;
}

static const struct type *make(struct fixture *f, enum type_kind kind, bool multicell)
{
    const struct type *args[] = { type_native(TYPE_INT), type_native(TYPE_INT) };
    const struct type *type = type_make(&f->ctx, kind, args, kind == TYPE_MAP ? 2 : 1, multicell, 0);
    assert_non_null(type);
    return type;
}

enum answer { NO, YES, FAILS };

static void check(struct fixture *f, const struct condition *condition, struct slice element, struct slice *values,
                  uint32_t count, struct slice value, enum answer expected, const char *error, size_t row)
{
    struct bound_condition bound = { condition, element, values, count };
    bool holds = false;
    enum wr_status st = condition_holds(&f->exec, &bound, value, &holds);
    if (st != (expected == FAILS ? WR_INVALID : WR_OK) || (st == WR_OK && holds != (expected == YES)))
        print_message("row %zu: status %d, holds %d, %s\n", row, (int)st, holds, f->ctx.error);
    assert_int_equal(st, expected == FAILS ? WR_INVALID : WR_OK);
    if (expected == FAILS)
        assert_string_equal(f->ctx.error, error);
    else
        assert_int_equal(holds, expected == YES);
}

/* ---- promise 1 ---- */

static void plain_values_compare_with_nulls_as_cassandra_does(void **state)
{
    static const struct {
        enum ast_operator op;
        int32_t wanted, value;
        enum answer answer;
        const char *error;
    } rows[] = {
        { OP_EQ, 5, 5, YES, NULL },     { OP_EQ, 5, 6, NO, NULL },      { OP_EQ, 5, NIL, NO, NULL },
        { OP_EQ, NIL, NIL, YES, NULL }, { OP_EQ, NIL, 5, NO, NULL },    { OP_NEQ, 5, 6, YES, NULL },
        { OP_NEQ, 5, 5, NO, NULL },     { OP_NEQ, 5, NIL, YES, NULL },  { OP_NEQ, NIL, NIL, NO, NULL },
        { OP_NEQ, NIL, 5, YES, NULL },  { OP_LT, 5, 4, YES, NULL },     { OP_LT, 5, 5, NO, NULL },
        { OP_LT, 5, -7, YES, NULL },    { OP_LT, 5, NIL, NO, NULL },    { OP_LTE, 5, 5, YES, NULL },
        { OP_LTE, 5, 6, NO, NULL },     { OP_LTE, 5, NIL, NO, NULL },   { OP_GT, 5, 6, YES, NULL },
        { OP_GT, 5, 5, NO, NULL },      { OP_GT, 5, NIL, NO, NULL },    { OP_GTE, 5, 5, YES, NULL },
        { OP_GTE, 5, 4, NO, NULL },     { OP_GTE, 5, NIL, NO, NULL },
        { OP_LT, NIL, 5, FAILS, "Invalid comparison with null for operator \"<\"" },
        { OP_LTE, NIL, NIL, FAILS, "Invalid comparison with null for operator \"<=\"" },
        { OP_GT, NIL, 5, FAILS, "Invalid comparison with null for operator \">\"" },
        { OP_GTE, NIL, NIL, FAILS, "Invalid comparison with null for operator \">=\"" },
        { OP_EQ, UNSET, 5, FAILS, "Invalid 'unset' value in condition" },
        { OP_LT, UNSET, NIL, FAILS, "Invalid 'unset' value in condition" },
    };
    struct fixture *f = *state;
    const struct column column = { .type = type_native(TYPE_INT), .kind = COLUMN_REGULAR };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct condition c = { .column = &column, .op = rows[i].op, .type = column.type };
        struct slice wanted = int_value(f, rows[i].wanted);
        check(f, &c, SLICE_NULL, &wanted, 1, int_value(f, rows[i].value), rows[i].answer, rows[i].error, i);
    }
}

static void in_holds_for_any_of_its_values(void **state)
{
    static const struct {
        int32_t values[3];
        uint32_t count;
        int32_t value;
        enum answer answer;
    } rows[] = {
        { { 0 }, 0, 5, NO },           { { 0 }, 0, NIL, NO },      { { 1, 5 }, 2, 5, YES }, { { 1, NIL }, 2, 5, NO },
        { { 1, NIL }, 2, NIL, YES },   { { UNSET, 5 }, 2, 5, YES }, { { UNSET }, 1, NIL, NO },
    };
    struct fixture *f = *state;
    const struct column column = { .type = type_native(TYPE_INT), .kind = COLUMN_REGULAR };
    const struct condition c = { .column = &column, .op = OP_IN, .type = column.type };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice values[3];
        for (uint32_t j = 0; j < rows[i].count; j++)
            values[j] = int_value(f, rows[i].values[j]);
        check(f, &c, SLICE_NULL, values, rows[i].count, int_value(f, rows[i].value), rows[i].answer, NULL, i);
    }
}

static void whole_collections_compare_element_by_element(void **state)
{
    static const struct {
        enum type_kind kind;
        bool frozen;
        enum ast_operator op;
        int32_t wanted[6], value[6];
        enum answer answer;
        const char *error;
    } rows[] = {
        { TYPE_LIST, false, OP_EQ, { 1, 2, END }, { 1, 2, END }, YES, NULL },
        { TYPE_LIST, false, OP_EQ, { 1, 2, END }, { 1, END }, NO, NULL },
        { TYPE_LIST, false, OP_LT, { 1, 2, 4, END }, { 1, 2, 3, END }, YES, NULL },
        { TYPE_LIST, false, OP_LT, { 1, END }, { NIL }, NO, NULL },
        { TYPE_LIST, false, OP_EQ, { END }, { NIL }, YES, NULL },
        { TYPE_LIST, false, OP_EQ, { END }, { 1, END }, NO, NULL },
        { TYPE_LIST, false, OP_NEQ, { END }, { NIL }, NO, NULL },
        { TYPE_LIST,
          false,
          OP_GTE,
          { END },
          { NIL },
          FAILS,
          "Invalid comparison with an empty list for operator \">=\"" },
        { TYPE_LIST, true, OP_EQ, { END }, { NIL }, NO, NULL },
        { TYPE_LIST, true, OP_EQ, { END }, { END }, YES, NULL },
        { TYPE_LIST, true, OP_GTE, { END }, { 1, END }, YES, NULL },
        { TYPE_SET, false, OP_GT, { 1, END }, { 1, 2, END }, YES, NULL },
        { TYPE_SET,
          false,
          OP_LT,
          { END },
          { 1, END },
          FAILS,
          "Invalid comparison with an empty set for operator \"<\"" },
        { TYPE_MAP, false, OP_GT, { 1, 0, END }, { 1, 1, END }, YES, NULL },
        { TYPE_MAP, false, OP_EQ, { END }, { NIL }, YES, NULL },
        { TYPE_MAP,
          false,
          OP_LTE,
          { END },
          { 1, 1, END },
          FAILS,
          "Invalid comparison with an empty map for operator \"<=\"" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct column column = { .type = make(f, rows[i].kind, !rows[i].frozen), .kind = COLUMN_REGULAR };
        const struct condition c = { .column = &column, .op = rows[i].op, .type = column.type };
        struct slice wanted = collection(f, column.type, rows[i].wanted);
        check(f, &c, SLICE_NULL, &wanted, 1, collection(f, column.type, rows[i].value), rows[i].answer, rows[i].error,
              i);
    }
}

/* ---- promise 2 ---- */

static void elements_that_are_not_there_are_null(void **state)
{
    static const struct {
        enum type_kind kind;
        int32_t element;
        enum ast_operator op;
        int32_t wanted, value[6];
        enum answer answer;
        const char *error;
    } rows[] = {
        { TYPE_LIST, 1, OP_EQ, 8, { 7, 8, END }, YES, NULL },
        { TYPE_LIST, 2, OP_EQ, 8, { 7, 8, END }, NO, NULL },
        { TYPE_LIST, 2, OP_EQ, NIL, { 7, 8, END }, YES, NULL },
        { TYPE_LIST, 0, OP_NEQ, 1, { NIL }, YES, NULL },
        { TYPE_LIST, 0, OP_LT, 1, { NIL }, NO, NULL },
        { TYPE_LIST, -1, OP_EQ, 8, { 7, 8, END }, FAILS, "Invalid negative list index -1" },
        { TYPE_LIST, NIL, OP_EQ, 8, { 7, 8, END }, FAILS, "Invalid null value for list element access" },
        { TYPE_MAP, 7, OP_EQ, 70, { 5, 50, 7, 70, END }, YES, NULL },
        { TYPE_MAP, 6, OP_EQ, 70, { 5, 50, 7, 70, END }, NO, NULL },
        { TYPE_MAP, 6, OP_EQ, NIL, { 5, 50, 7, 70, END }, YES, NULL },
        { TYPE_MAP, 6, OP_EQ, NIL, { NIL }, YES, NULL },
        { TYPE_MAP, UNSET, OP_EQ, 1, { 5, 50, END }, NO, NULL },
        { TYPE_MAP, NIL, OP_EQ, 1, { 5, 50, END }, FAILS, "Invalid null value for map element access" },
    };
    struct fixture *f = *state;

    for (int frozen = 0; frozen < 2; frozen++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const struct column column = { .type = make(f, rows[i].kind, !frozen), .kind = COLUMN_REGULAR };
            const struct condition c = {
                .column = &column, .on = CONDITION_ELEMENT, .op = rows[i].op, .type = type_native(TYPE_INT)
            };
            struct slice wanted = int_value(f, rows[i].wanted);
            check(f, &c, int_value(f, rows[i].element), &wanted, 1, collection(f, column.type, rows[i].value),
                  rows[i].answer, rows[i].error, i);
        }
}

static void contains_looks_at_elements_values_and_keys(void **state)
{
    static const struct {
        enum type_kind kind;
        enum ast_operator op;
        int32_t wanted, value[6];
        enum answer answer;
        const char *error;
    } rows[] = {
        { TYPE_LIST, OP_CONTAINS, 2, { 1, 2, END }, YES, NULL },
        { TYPE_LIST, OP_CONTAINS, 3, { 1, 2, END }, NO, NULL },
        { TYPE_LIST, OP_CONTAINS, 3, { NIL }, NO, NULL },
        { TYPE_SET, OP_CONTAINS, 1, { 1, 2, END }, YES, NULL },
        { TYPE_MAP, OP_CONTAINS, 1, { 1, 2, END }, NO, NULL },
        { TYPE_MAP, OP_CONTAINS, 2, { 1, 2, END }, YES, NULL },
        { TYPE_MAP, OP_CONTAINS_KEY, 1, { 1, 2, END }, YES, NULL },
        { TYPE_MAP, OP_CONTAINS_KEY, 2, { 1, 2, END }, NO, NULL },
        { TYPE_MAP,
          OP_CONTAINS_KEY,
          NIL,
          { 1, 2, END },
          FAILS,
          "Invalid comparison with null for operator \"CONTAINS KEY\"" },
        { TYPE_LIST, OP_CONTAINS, NIL, { NIL }, FAILS, "Invalid comparison with null for operator \"CONTAINS\"" },
        { TYPE_LIST, OP_CONTAINS, UNSET, { 1, END }, NO, NULL },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct column column = { .type = make(f, rows[i].kind, true), .kind = COLUMN_REGULAR };
        const struct condition c = { .column = &column, .op = rows[i].op, .type = column.type };
        struct slice wanted = int_value(f, rows[i].wanted);
        check(f, &c, SLICE_NULL, &wanted, 1, collection(f, column.type, rows[i].value), rows[i].answer, rows[i].error,
              i);
    }
}

static void a_field_is_null_where_the_udt_or_the_field_is(void **state)
{
    struct fixture *f = *state;
    const struct slice names[] = { SLICE_LIT("a"), SLICE_LIT("b") };
    const struct type *fields[] = { type_native(TYPE_INT), type_native(TYPE_INT) };
    const struct type *udt = type_make_udt(&f->ctx, SLICE_LIT("k"), SLICE_LIT("ty"), names, fields, 2);
    const struct column column = { .type = udt, .kind = COLUMN_REGULAR };
    const struct condition c = { .column = &column, .on = CONDITION_FIELD, .op = OP_EQ, .type = fields[1], .field = 1 };
    struct slice packed[] = { int_value(f, 1), int_value(f, 2) }, value, wanted = int_value(f, 2), null = SLICE_NULL;

    assert_int_equal(type_pack(&f->ctx, udt, packed, 2, &value), WR_OK);
    check(f, &c, SLICE_NULL, &wanted, 1, value, YES, NULL, 0);
    check(f, &c, SLICE_NULL, &null, 1, value, NO, NULL, 1);
    check(f, &c, SLICE_NULL, &null, 1, SLICE_NULL, YES, NULL, 2);
    packed[1] = SLICE_NULL;
    assert_int_equal(type_pack(&f->ctx, udt, packed, 2, &value), WR_OK);
    check(f, &c, SLICE_NULL, &wanted, 1, value, NO, NULL, 3);
    check(f, &c, SLICE_NULL, &null, 1, value, YES, NULL, 4);
    value.len = 8; /* a value of before the type had its second field */
    check(f, &c, SLICE_NULL, &null, 1, value, YES, NULL, 5);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_values_compare_with_nulls_as_cassandra_does),
        TEST(in_holds_for_any_of_its_values),
        TEST(whole_collections_compare_element_by_element),
        TEST(elements_that_are_not_there_are_null),
        TEST(contains_looks_at_elements_values_and_keys),
        TEST(a_field_is_null_where_the_udt_or_the_field_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
