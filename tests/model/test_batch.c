/*
 * Answers model/batch.h, model/write.h and model/batch_size.h: batches of prepared statements, merging by partition and
 * row. What Cassandra refuses, warns of and shows is in tests/conformance/batches.cql.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours is engine/ctx.h's */

#include "engine/coding.h"
#include "model/api.h"
#include "model/batch_size.h"

/* ---- promise 1 of write.h, on updates made by hand ---- */

struct hand {
    struct arena arena;
    struct ctx ctx;
    struct exec exec;
    struct database db; /* of which its limits are asked */
    struct table table[2];
    struct write write;
};

static int hand_setup(void **state)
{
    struct hand *h = calloc(1, sizeof *h);
    assert_non_null(h);
    arena_init(&h->arena);
    ctx_init(&h->ctx, &h->arena);
    h->exec.ctx = &h->ctx;
    h->exec.db = &h->db;
    for (int i = 0; i < 2; i++) {
        h->table[i].keyspace = SLICE_LIT("k");
        h->table[i].name = i ? SLICE_LIT("t1") : SLICE_LIT("t0");
        h->table[i].shape.table_id = 1000 + (uint64_t)i;
    }
    *state = h;
    return 0;
}

static int hand_teardown(void **state)
{
    struct hand *h = *state;
    arena_release(&h->arena);
    free(h);
    return 0;
}

static struct write_part *add_part(struct hand *h, int table, const char *key, uint32_t rows)
{
    struct write_part *part;
    assert_int_equal(write_add(&h->write, &h->table[table], slice_str(key), rows, 1, &part), WR_OK);
    return part;
}

/* A row of one cell. */
static void add_row(struct hand *h, struct write_part *part, const char *clustering, uint32_t column,
                    int64_t timestamp_us, int64_t value, uint8_t flags)
{
    struct row_update *row = &part->update.rows[part->update.row_count++];
    uint8_t *bytes = ctx_alloc(&h->ctx, 8);
    struct cell *cell = NEW(&h->ctx, struct cell);
    assert_true(bytes && cell);
    put_u64(bytes, (uint64_t)value);
    *cell =
        (struct cell){ .column = column, .flags = flags, .timestamp_us = timestamp_us, .value = slice_of(bytes, 8) };
    *row = (struct row_update){ slice_str(clustering), ROW_NONE };
    row->row.cells = cell;
    row->row.cell_count = 1;
}

static void begin(struct hand *h, bool conditional)
{
    const int64_t timestamp_us = 100;
    write_init(&h->write, &h->exec, &timestamp_us, conditional);
}

static const struct update *find(const struct hand *h, int table, const char *key)
{
    const struct update *found = NULL;
    for (const struct update *u = &h->write.first->update; u; u = u->next)
        if (u->table == &h->table[table].shape && slice_eq_str(u->partition_key, key)) {
            assert_null(found); /* one a partition */
            found = u;
        }
    return found;
}

static void each_partition_has_one_update_and_each_row_one_row_update(void **state)
{
    struct hand *h = *state;
    struct write_part *part;

    begin(h, false);
    part = add_part(h, 0, "b", 2);
    add_row(h, part, "r2", 7, 10, 1, 0);
    add_row(h, part, "r1", 7, 10, 2, 0);
    part = add_part(h, 1, "b", 1);
    add_row(h, part, "r1", 7, 10, 3, 0);
    part = add_part(h, 0, "a", 1);
    add_row(h, part, "r1", 7, 10, 4, 0);
    part = add_part(h, 0, "b", 3);
    add_row(h, part, "r2", 7, 11, 5, 0); /* newer */
    add_row(h, part, "r1", 5, 9, 6, 0);  /* another column */
    add_row(h, part, "r3", 5, 9, 7, 0);
    part = add_part(h, 0, "c", 0); /* nothing at all */
    assert_int_equal(write_finish(&h->write), WR_OK);
    assert_int_equal(h->write.part_count, 3);
    assert_null(find(h, 0, "c"));

    const struct update *u = find(h, 0, "b");
    assert_int_equal(u->row_count, 3);
    assert_true(slice_eq_str(u->rows[0].clustering, "r1") && slice_eq_str(u->rows[1].clustering, "r2"));
    assert_int_equal(u->rows[0].row.cell_count, 2);
    assert_int_equal(u->rows[0].row.cells[0].column, 5);
    assert_int_equal(u->rows[0].row.cells[1].column, 7);
    assert_int_equal(u->rows[1].row.cell_count, 1);
    assert_int_equal(u->rows[1].row.cells[0].value.data[7], 5);
    assert_int_equal(find(h, 0, "a")->row_count, 1);
    assert_int_equal(find(h, 1, "b")->row_count, 1);
}

static void deletions_markers_and_static_rows_merge(void **state)
{
    struct hand *h = *state;
    struct row statics[2] = { ROW_NONE, ROW_NONE };
    struct write_part *part;

    begin(h, false);
    for (int i = 0; i < 2; i++) {
        part = add_part(h, 0, "a", 1);
        add_row(h, part, "r", 7, 10, i, 0);
        part->update.rows[0].row.liveness = (struct liveness){ 10 + i, 0, 0 };
        part->update.rows[0].row.deletion = (struct deletion){ 5 - i, 1 };
        part->update.partition_deletion = (struct deletion){ 3 + i, 1 };
        part->update.ranges[0] = (struct range_deletion){ { SLICE_LIT("x"), SLICE_NULL }, { 9, 1 } };
        part->update.range_count = 1;
        statics[i].deletion = (struct deletion){ 20 + i, 1 };
        part->update.static_row = &statics[i];
    }
    assert_int_equal(write_finish(&h->write), WR_OK);
    const struct update *u = find(h, 0, "a");
    assert_int_equal(u->partition_deletion.timestamp_us, 4);
    assert_int_equal(u->range_count, 2);
    assert_int_equal(u->row_count, 1);
    assert_int_equal(u->rows[0].row.liveness.timestamp_us, 11);
    assert_int_equal(u->rows[0].row.deletion.timestamp_us, 5);
    assert_int_equal(u->rows[0].row.cell_count, 1);
    assert_int_equal(u->rows[0].row.cells[0].value.data[7], 1); /* the greater value wins the tie */
    assert_int_equal(u->static_row->deletion.timestamp_us, 21);
}

static void increments_of_one_counter_all_stay(void **state)
{
    struct hand *h = *state;
    int64_t sum = 0;

    begin(h, false);
    for (int i = 1; i <= 3; i++)
        add_row(h, add_part(h, 0, "a", 1), "", 7, 10, i, CELL_COUNTER);
    assert_int_equal(write_finish(&h->write), WR_OK);
    const struct row *row = &find(h, 0, "a")->rows[0].row;
    for (uint32_t i = 0; i < row->cell_count; i++)
        sum += (int64_t)read_u64(row->cells[i].value.data);
    assert_int_equal(sum, 6);
}

/* ---- promise 3 of write.h ---- */

static void deletions_of_an_lwt_meet_their_row_and_then_step_back(void **state)
{
    struct hand *h = *state;
    struct write_part *part;

    begin(h, true);
    part = add_part(h, 0, "a", 2);
    add_row(h, part, "r1", 7, 100, 1, 0);
    add_row(h, part, "r2", 7, 100, 2, 0);
    part = add_part(h, 0, "a", 1);
    part->update.rows[0] = (struct row_update){ SLICE_LIT("r1"), ROW_NONE };
    part->update.rows[0].row.deletion = (struct deletion){ 100, 1 };
    part->update.row_count = 1;
    part->update.partition_deletion = (struct deletion){ 100, 1 };
    part->update.ranges[0] = (struct range_deletion){ { SLICE_EMPTY, SLICE_NULL }, { 100, 1 } };
    part->update.range_count = 1;
    assert_int_equal(write_finish(&h->write), WR_OK);

    const struct update *u = find(h, 0, "a");
    assert_int_equal(u->partition_deletion.timestamp_us, 99);
    assert_int_equal(u->ranges[0].deletion.timestamp_us, 99);
    assert_int_equal(u->row_count, 2);
    assert_int_equal(u->rows[0].row.cell_count, 0); /* deleted within the batch */
    assert_int_equal(u->rows[0].row.deletion.timestamp_us, 99);
    assert_int_equal(u->rows[1].row.cell_count, 1);
}

/* ---- promise 2 of batch_size.h ---- */

static void only_batches_of_several_mutations_are_measured(void **state)
{
    struct hand *h = *state;
    struct write_part *part;

    for (int keyspaces = 1; keyspaces <= 2; keyspaces++) {
        begin(h, false);
        for (int table = 0; table < 2; table++) { /* one key of one keyspace: one mutation, whatever its size */
            part = add_part(h, table, "a", 1);
            add_row(h, part, "", 0, 10, 1, 0);
            part->update.rows[0].row.cells[0].value.len = BATCH_SIZE_FAIL;
        }
        h->table[1].keyspace = keyspaces == 1 ? h->table[0].keyspace : SLICE_LIT("k2");
        assert_int_equal(write_finish(&h->write), WR_OK);
        assert_int_equal(batch_size_check(&h->write, BATCH_LOGGED), keyspaces == 1 ? WR_OK : WR_INVALID);
    }
    assert_string_equal(h->ctx.error, "Batch too large");
}

static void the_limit_itself_passes_and_one_more_byte_does_not(void **state)
{
    enum { EMPTY = 8 + 21 + 21 + 20 }; /* partition, empty static row, row, cell */
    struct hand *h = *state;
    struct write_part *part;

    for (size_t more = 0; more < 2; more++) {
        begin(h, false);
        part = add_part(h, 0, "a", 1);
        add_row(h, part, "", 0, 10, 1, 0);
        part->update.rows[0].row.cells[0].value.len = 0;
        part = add_part(h, 0, "b", 1);
        add_row(h, part, "", 0, 10, 1, 0);
        part->update.rows[0].row.cells[0].value.len = BATCH_SIZE_FAIL - 2 * EMPTY + more;
        assert_int_equal(write_finish(&h->write), WR_OK);
        assert_int_equal(batch_size_check(&h->write, BATCH_UNLOGGED), more ? WR_INVALID : WR_OK);
    }
    assert_string_equal(h->ctx.warnings->text,
                        "Batch for [k.t0] is of size 51200, exceeding specified threshold of 5120 by 46080.");
}

/* ---- batches of prepared statements ---- */

struct fixture {
    wr_db *db;
    wr_stmt *insert, *update, *select;
    wr_batch *batch;
};

static wr_stmt *prepare(struct fixture *f, const char *cql)
{
    wr_stmt *stmt = NULL;
    enum wr_status st = wr_prepare(f->db, cql, -1, &stmt);
    if (st != WR_OK)
        print_message("%s\n  %s\n", cql, wr_error(f->db));
    assert_int_equal(st, WR_OK);
    return stmt;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(wr_open(NULL, NULL, &f->db), WR_OK);
    assert_int_equal(
        wr_exec(f->db,
                "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                "USE k; CREATE TABLE t (p int, c int, v int, l list<int>, PRIMARY KEY (p, c));"
                "CREATE TABLE n (p int PRIMARY KEY, n counter)",
                NULL, NULL),
        WR_OK);
    f->insert = prepare(f, "INSERT INTO t (p, c, v) VALUES (?, ?, ?)");
    f->update = prepare(f, "UPDATE t SET v = ? WHERE p = ? AND c = ? IF v = ?");
    f->select = prepare(f, "SELECT c, v, writetime(v) FROM t WHERE p = ?");
    assert_int_equal(wr_batch_new(f->db, WR_BATCH_LOGGED, &f->batch), WR_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    wr_batch_free(f->batch);
    wr_finalize(f->insert);
    wr_finalize(f->update);
    wr_finalize(f->select);
    assert_int_equal(wr_close(f->db), WR_OK);
    free(f);
    return 0;
}

static void add(struct fixture *f, wr_stmt *stmt, const int *values)
{
    for (int i = 0; i < wr_marker_count(stmt); i++)
        assert_int_equal(wr_bind_int(stmt, i, values[i]), WR_OK);
    assert_int_equal(wr_batch_add(f->batch, stmt), WR_OK);
}
#define ADD(f, stmt, ...) add((f), (stmt), (const int[]){ __VA_ARGS__ })

static int count_rows(struct fixture *f, int p)
{
    int n = 0;
    assert_int_equal(wr_bind_int(f->select, 0, p), WR_OK);
    while (wr_step(f->select) == WR_ROW)
        n++;
    return n;
}

static void each_entry_has_its_own_values_and_all_share_a_timestamp(void **state)
{
    struct fixture *f = *state;
    int64_t timestamp_us = 0;

    for (int i = 0; i < 5; i++)
        ADD(f, f->insert, 1, i, i * 10);
    assert_int_equal(wr_batch_run(f->batch, NULL), WR_OK);
    assert_int_equal(wr_bind_int(f->select, 0, 1), WR_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(wr_step(f->select), WR_ROW);
        assert_int_equal(wr_column_int(f->select, 0), i);
        assert_int_equal(wr_column_int(f->select, 1), i * 10);
        if (i)
            assert_int_equal(wr_column_int(f->select, 2), timestamp_us);
        timestamp_us = wr_column_int(f->select, 2);
    }
    assert_int_equal(wr_step(f->select), WR_DONE);
}

static void one_that_fails_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    wr_stmt *bad = prepare(f, "UPDATE t SET l[?] = 1 WHERE p = 2 AND c = 1");

    ADD(f, f->insert, 1, 1, 1);
    ADD(f, bad, 0);
    assert_int_equal(wr_batch_run(f->batch, NULL), WR_INVALID);
    assert_string_equal(wr_batch_error(f->batch), "Attempted to set an element on a list which is null");
    assert_int_equal(count_rows(f, 1), 0);
    wr_finalize(bad);
}

static void conditions_decide_for_all_and_show_rows(void **state)
{
    struct fixture *f = *state;
    wr_stmt *result;

    ADD(f, f->insert, 1, 1, 5);
    assert_int_equal(wr_batch_run(f->batch, NULL), WR_OK);
    ADD(f, f->update, 6, 1, 1, 4);
    ADD(f, f->insert, 1, 2, 7);
    assert_int_equal(wr_batch_run(f->batch, &result), WR_OK);
    assert_int_equal(wr_step(result), WR_ROW);
    assert_int_equal(wr_column_count(result), 4);
    assert_string_equal(wr_column_name(result, 0), "[applied]");
    assert_false(wr_column_bool(result, 0));
    assert_int_equal(wr_column_int(result, wr_column_index(result, "v")), 5);
    assert_int_equal(wr_step(result), WR_DONE);
    assert_int_equal(count_rows(f, 1), 1);

    ADD(f, f->update, 6, 1, 1, 5);
    ADD(f, f->insert, 1, 2, 7);
    assert_int_equal(wr_batch_run(f->batch, &result), WR_OK);
    assert_int_equal(wr_step(result), WR_ROW);
    assert_true(wr_column_bool(result, 0));
    assert_int_equal(count_rows(f, 1), 2);
}

static void a_row_may_be_spoken_of_thousands_of_times(void **state)
{
    enum { MANY = 20000 };
    struct fixture *f = *state;
    wr_stmt *append = prepare(f, "UPDATE t SET l = l + [7], v = ? WHERE p = ? AND c = ?");
    wr_stmt *check = prepare(f, "UPDATE t SET l = l + [8] WHERE p = ? AND c = ? IF v = ?");
    wr_stmt *list = prepare(f, "SELECT collection_count(l) FROM t WHERE p = 1 AND c = 1");

    for (int i = 0; i < MANY; i++)
        ADD(f, append, i, 1, 1);
    assert_int_equal(wr_batch_run(f->batch, NULL), WR_OK);
    for (int i = 0; i < MANY; i++)
        ADD(f, check, 1, 1, MANY - 1);
    for (int i = 0; i < MANY; i++)
        ADD(f, f->insert, 1, 2 + i, 0);
    assert_int_equal(wr_batch_run(f->batch, NULL), WR_OK);
    assert_int_equal(wr_step(list), WR_ROW);
    assert_int_equal(wr_column_int(list, 0), 2 * MANY);
    assert_int_equal(count_rows(f, 1), 1 + MANY);
    wr_finalize(append);
    wr_finalize(check);
    wr_finalize(list);
}

static void statements_that_do_not_belong_together_are_refused(void **state)
{
    struct fixture *f = *state;
    wr_stmt *count = prepare(f, "UPDATE n SET n = n + ? WHERE p = ?");

    ADD(f, f->insert, 1, 1, 5);
    ADD(f, count, 1, 1);
    assert_int_equal(wr_batch_run(f->batch, NULL), WR_INVALID);
    assert_string_equal(wr_batch_error(f->batch), "Counter and non-counter mutations cannot exist in the same batch");
    assert_int_equal(count_rows(f, 1), 0);
    wr_finalize(count);
}

#define HAND(f) cmocka_unit_test_setup_teardown(f, hand_setup, hand_teardown)
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HAND(each_partition_has_one_update_and_each_row_one_row_update),
        HAND(deletions_markers_and_static_rows_merge),
        HAND(increments_of_one_counter_all_stay),
        HAND(deletions_of_an_lwt_meet_their_row_and_then_step_back),
        HAND(only_batches_of_several_mutations_are_measured),
        HAND(the_limit_itself_passes_and_one_more_byte_does_not),
        TEST(each_entry_has_its_own_values_and_all_share_a_timestamp),
        TEST(one_that_fails_leaves_nothing),
        TEST(conditions_decide_for_all_and_show_rows),
        TEST(a_row_may_be_spoken_of_thousands_of_times),
        TEST(statements_that_do_not_belong_together_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
