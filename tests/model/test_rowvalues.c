/* Answers model/rowvalues.h: what a column's cells, made by hand as operation.h draws them, read as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#undef fail /* ours is engine/ctx.h's */

#include "engine/coding.h"
#include "model/rowvalues.h"

enum { P, C, ST, LISTS, MAPS, SETS, UDTS, DECIMALS, V, COLUMNS };

struct fixture {
    struct arena arena;
    struct ctx ctx;
    struct column columns[COLUMNS];
    struct clustering_column clustering[1];
    struct table table;
    struct cell cells[32];
    struct row row;
};

static const struct type *make(struct ctx *ctx, enum type_kind kind, enum type_kind a, enum type_kind b)
{
    const struct type *args[] = { type_native(a), type_native(b) };
    const struct type *type = type_make(ctx, kind, args, kind == TYPE_MAP ? 2 : 1, true, 0);
    assert_non_null(type);
    return type;
}

static void add_column(struct fixture *f, uint32_t at, const char *name, enum column_kind kind, const struct type *type, uint32_t id)
{
    f->columns[at] = (struct column){ .name = slice_str(name), .type = type, .kind = kind, .ordinal = at, .id = id,
                                      .dropped_us = TIMESTAMP_NONE };
}

static int setup(void **state)
{
    static const struct slice names[] = { SLICE_LIT("a"), SLICE_LIT("b") };
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    arena_init(&f->arena);
    ctx_init(&f->ctx, &f->arena);
    const struct type *fields[] = { type_native(TYPE_INT), type_native(TYPE_TEXT) };
    const struct type *udt = type_make_udt(&f->ctx, SLICE_LIT("k"), SLICE_LIT("u"), names, fields, 2);
    assert_non_null(udt);
    add_column(f, P, "p", COLUMN_PARTITION_KEY, type_native(TYPE_INT), 0);
    add_column(f, C, "c", COLUMN_CLUSTERING, type_native(TYPE_INT), 0);
    add_column(f, ST, "st", COLUMN_STATIC, type_native(TYPE_TEXT), 9);
    add_column(f, LISTS, "l", COLUMN_REGULAR, make(&f->ctx, TYPE_LIST, TYPE_INT, TYPE_INT), 6); /* ids in no order */
    add_column(f, MAPS, "m", COLUMN_REGULAR, make(&f->ctx, TYPE_MAP, TYPE_TEXT, TYPE_INT), 2);
    add_column(f, SETS, "s", COLUMN_REGULAR, make(&f->ctx, TYPE_SET, TYPE_INT, TYPE_INT), 5);
    add_column(f, UDTS, "u", COLUMN_REGULAR, udt, 4);
    add_column(f, DECIMALS, "d", COLUMN_REGULAR, make(&f->ctx, TYPE_MAP, TYPE_DECIMAL, TYPE_INT), 1);
    add_column(f, V, "v", COLUMN_REGULAR, type_native(TYPE_INT), 3);
    f->clustering[0] = clustering_column_of(type_native(TYPE_INT), false);
    f->table = (struct table){
        .columns = f->columns, .column_count = COLUMNS, .key_count = 1, .clustering_count = 1, .static_count = 1,
        .regular_count = 6, .clustering = { f->clustering, 1, false, false },
    };
    f->row = ROW_NONE;
    f->row.cells = f->cells;
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

static void add_cell(struct fixture *f, uint32_t ordinal, struct slice path, struct slice value)
{
    struct cell cell = { .column = f->columns[ordinal].id, .timestamp_us = 100, .path = path, .value = value };
    f->cells[f->row.cell_count++] = cell;
    row_normalize(&f->row);
}

static struct slice order_of(struct fixture *f, const struct type *type, struct slice value)
{
    struct buf buf;
    struct slice out;
    buf_init(&buf, &f->arena);
    type_put_order(&buf, type, value);
    assert_int_equal(buf_done(&f->ctx, &buf, &out), WR_OK);
    return out;
}

static void read_row(struct fixture *f, const bool *needed, struct slice *values)
{
    struct row_columns wanted;
    assert_int_equal(row_columns_make(&f->ctx, &f->table, needed, &wanted), WR_OK);
    assert_int_equal(row_values_row(&f->ctx, &wanted, order_of(f, type_native(TYPE_INT), SLICE_LIT("\0\0\0\1")), &f->row, values),
                     WR_OK);
}

#define assert_value(got, text) assert_true(slice_eq((got), SLICE_LIT(text)) && !slice_is_null(got))

static void collections_are_put_together(void **state)
{
    struct fixture *f = *state;
    struct slice values[COLUMNS] = { SLICE_NULL };
    bool needed[COLUMNS] = { [LISTS] = true, [MAPS] = true, [SETS] = true, [UDTS] = true, [DECIMALS] = true, [V] = true };
    const struct type *integer = type_native(TYPE_INT), *text = type_native(TYPE_TEXT), *decimal = type_native(TYPE_DECIMAL);

    add_cell(f, LISTS, SLICE_LIT("0123456789abcdef"), SLICE_LIT("\0\0\0\7"));
    add_cell(f, LISTS, SLICE_LIT("0123456789abcdeg"), SLICE_LIT("\0\0\0\5"));
    add_cell(f, SETS, order_of(f, integer, SLICE_LIT("\0\0\0\2")), SLICE_EMPTY);
    add_cell(f, SETS, order_of(f, integer, SLICE_LIT("\xff\xff\xff\xff")), SLICE_EMPTY);
    add_cell(f, MAPS, order_of(f, text, SLICE_LIT("b")), SLICE_LIT("\0\0\0\2"));
    add_cell(f, MAPS, order_of(f, text, SLICE_LIT("a")), SLICE_LIT("\0\0\0\1"));
    add_cell(f, UDTS, SLICE_LIT("\0\1"), SLICE_LIT("text"));
    add_cell(f, DECIMALS, order_of(f, decimal, SLICE_LIT("\0\0\0\1\x0a")), SLICE_LIT("\0\0\0\5\0\0\0\1\x0a\0\0\0\x09")); /* 1.0 */
    add_cell(f, V, SLICE_NULL, SLICE_LIT("\0\0\0\x2a"));
    read_row(f, needed, values);
    assert_value(values[LISTS], "\0\0\0\2\0\0\0\4\0\0\0\7\0\0\0\4\0\0\0\5");
    assert_value(values[SETS], "\0\0\0\2\0\0\0\4\xff\xff\xff\xff\0\0\0\4\0\0\0\2");
    assert_value(values[MAPS], "\0\0\0\2\0\0\0\1a\0\0\0\4\0\0\0\1\0\0\0\1b\0\0\0\4\0\0\0\2");
    assert_value(values[UDTS], "\xff\xff\xff\xff\0\0\0\4text");
    assert_value(values[DECIMALS], "\0\0\0\1\0\0\0\5\0\0\0\1\x0a\0\0\0\4\0\0\0\x09");
    assert_value(values[V], "\0\0\0\x2a");
}

static void what_is_not_there_is_null_and_what_is_not_wanted_is_left_alone(void **state)
{
    struct fixture *f = *state;
    struct slice values[COLUMNS];
    bool needed[COLUMNS] = { [MAPS] = true, [SETS] = true };

    for (int i = 0; i < COLUMNS; i++)
        values[i] = SLICE_LIT("as it was");
    add_cell(f, V, SLICE_NULL, SLICE_LIT("\0\0\0\1"));
    add_cell(f, SETS, order_of(f, type_native(TYPE_INT), SLICE_LIT("\0\0\0\2")), SLICE_EMPTY);
    read_row(f, needed, values);
    assert_true(slice_is_null(values[MAPS]));
    assert_value(values[SETS], "\0\0\0\1\0\0\0\4\0\0\0\2");
    assert_value(values[V], "as it was");
    assert_value(values[C], "as it was");
}

static void cells_of_a_dropped_column_are_hidden(void **state)
{
    struct fixture *f = *state;
    struct slice values[COLUMNS];
    bool needed[COLUMNS] = { [V] = true, [SETS] = true };

    f->columns[V].dropped_us = 100;
    f->columns[SETS].dropped_us = 100;
    add_cell(f, V, SLICE_NULL, SLICE_LIT("\0\0\0\1"));
    add_cell(f, SETS, order_of(f, type_native(TYPE_INT), SLICE_LIT("\0\0\0\2")), SLICE_EMPTY);
    add_cell(f, SETS, order_of(f, type_native(TYPE_INT), SLICE_LIT("\0\0\0\3")), SLICE_EMPTY);
    for (uint32_t i = 0; i < f->row.cell_count; i++) /* the later of the two elements was written after the drop */
        if (f->cells[i].column == f->columns[SETS].id && f->cells[i].path.data[f->cells[i].path.len - 1] == 3)
            f->cells[i].timestamp_us = 101;
    read_row(f, needed, values);
    assert_true(slice_is_null(values[V]));
    assert_value(values[SETS], "\0\0\0\1\0\0\0\4\0\0\0\3");
}

static void damaged_cells_are_an_error(void **state)
{
    struct fixture *f = *state;
    struct slice value;
    struct row_columns wanted;
    struct cell field = { .column = 4, .timestamp_us = 1, .path = SLICE_LIT("\0\2"), .value = SLICE_EMPTY };
    struct cell pair = { .column = 1, .timestamp_us = 1, .path = SLICE_LIT("x"), .value = SLICE_LIT("\0\0\0\7ab") };

    assert_int_equal(row_columns_make(&f->ctx, &f->table, NULL, &wanted), WR_OK);
    assert_int_equal(wanted.regular_ids.count, 6);
    assert_int_equal(wanted.regular[0].id, 1); /* in order of id */
    assert_int_equal(row_collection(&f->ctx, &wanted.regular[3], &field, 1, &value), WR_CORRUPT);
    assert_int_equal(row_collection(&f->ctx, &wanted.regular[0], &pair, 1, &value), WR_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(collections_are_put_together, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_null_and_what_is_not_wanted_is_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(cells_of_a_dropped_column_are_hidden, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_cells_are_an_error, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
