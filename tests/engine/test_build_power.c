/* Answers engine.h on an index that is committed in parts where power goes on the way: it is whole then, or what there is of it is reclaimed. */
#include "engine/coding.h"
#include "engine/rig.h"
#include "tests/engine/power.h"
#include "tests/engine/rows.h"

enum { ROWS = 600, ROUNDS = 40, CALLS_MOST = 100 };

static enum wr_status value_terms(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering, const struct row *row,
                                  enum wr_status (*emit)(void *emit_arg, struct slice term), void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering;
    for (uint32_t i = 0; i < row->cell_count; i++)
        TRY(emit(emit_arg, row->cells[i].value));
    return WR_OK;
}

static void new_rows(struct rows *r, enum durability mode)
{
    memset(r, 0, sizeof *r);
    new_disk(&r->db, mode);
    r->table = (struct table_shape){ .has_clustering = true, .gc_grace_s = 864000 };
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &r->table.table_id));
    rows_commit(r, txn);
    engine_set_table_lookup(r->db.engine, rows_lookup, r);
    for (int i = 0; i < ROWS; i++) {
        char key[8], clustering[8], value[8];
        snprintf(key, sizeof key, "p%d", i % 7);
        snprintf(clustering, sizeof clustering, "%04d", i);
        snprintf(value, sizeof value, "v%02d", i * 7919 % 100);
        put(r, key, clustering, ROW_OF(plain(1, 5, value)));
    }
    OK(&r->db.ctx, engine_sync(&r->db.ctx, r->db.engine));
}

static void build_index(struct rows *r, struct index_shape *index)
{
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &index->index_id));
    OK(&r->db.ctx, txn_build_index(&r->db.ctx, txn, &r->table, index));
    rows_commit(r, txn);
}

/* A sync of what there is between two parts. */
static void sync_now_and_then(struct rows *r, uint64_t *seed)
{
    if (random_below(seed, 2))
        OK(&r->db.ctx, engine_sync(&r->db.ctx, r->db.engine));
}

/* Whether it is there. */
static bool check_left(struct database *image, const struct rows *before, struct index_shape *index, uint64_t entries, enum durability mode)
{
    struct rows r = { .table = before->table };

    open_disk(image, mode);
    r.db = *image; /* whose arena they share */
    engine_set_table_lookup(r.db.engine, rows_lookup, &r);
    assert_int_equal(rows_findings(&r, false), 0);
    rows_sweep(&r);
    assert_int_equal(rows_figures(&r).rows, ROWS);
    bool whole = rows_entries(&r) != entries;
    if (whole) {
        assert_int_equal(rows_entries(&r), entries + ROWS);
        r.table.indexes = index;
        r.table.index_count = 1;
        assert_int_equal(rows_findings(&r, false), 0);
    }
    database_close(image);
    return whole;
}

static void power_may_go_between_its_parts(void **state)
{
    static const enum durability modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL };
    int whole[2] = { 0 }, gone[2] = { 0 };
    uint64_t seed = 11;
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        int m = i % 2;
        struct index_shape index = { .terms = value_terms };
        struct database image;
        struct rows r;

        new_rows(&r, modes[m]);
        rows_sweep(&r);
        uint64_t entries = rows_entries(&r);
        OK(&r.db.ctx, engine_sync(&r.db.ctx, r.db.engine));
        rig.build_batch_bytes = 3000;
        rig.build_part_bytes = 1 + random_below(&seed, 2000);
        power_watch(&r.db, random_next(&seed));
        atomic_store(&power.cut_after, (long)random_below(&seed, CALLS_MOST));
        build_index(&r, &index);
        rig.build_batch_bytes = 8 << 20;
        rig.build_part_bytes = 16 << 20;
        sync_now_and_then(&r, &seed);
        power_cut_by_now();
        power_unwatch();
        power_image(&image);
        database_close(&r.db);
        bool is_whole = check_left(&image, &r, &index, entries, modes[m]);
        whole[m] += is_whole;
        gone[m] += !is_whole;
    }
    for (int m = 0; m < 2; m++)
        assert_true(whole[m] && gone[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_may_go_between_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
