/* Readers beside a writer that writes, deletes and sweeps: every snapshot is of one moment. For the thread sanitizer, too. */
#include <pthread.h>
#include <stdatomic.h>

#include "engine/coding.h"
#include "tests/engine/rows.h"

enum { ROUNDS = 2000, ROWS = 20, READERS = 3 };

struct shared {
    struct rows r;
    _Atomic bool over;
    _Atomic long pages;
};

/* Round n writes n into every row of both partitions, or deletes all rows of one and writes them again. */
static void *write_rounds(void *arg)
{
    struct shared *s = arg;
    struct arena arena;
    struct ctx ctx;
    struct engine *engine = s->r.db.engine;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint32_t n = 1; n <= ROUNDS; n++) {
        struct txn *txn = NULL;
        uint8_t number[4];
        struct row_update rows[ROWS];
        struct cell cells[ROWS][2];
        char names[ROWS][4];
        bool more;
        arena_reset(&arena);
        ctx.now_s = NOW_S + n;
        put_u32(number, n);
        for (int i = 0; i < ROWS; i++) {
            snprintf(names[i], sizeof names[i], "%c", 'a' + i);
            cells[i][0] = (struct cell){ .column = 1, .timestamp_us = n, .value = slice_of(number, 4) };
            cells[i][1] = (struct cell){ .column = 2, .kind = CELL_EXPIRING, .ttl_s = 2, .local_s = NOW_S + n + 2,
                                         .timestamp_us = n, .value = slice_of(number, 4) };
            rows[i] = (struct row_update){ slice_str(names[i]), row_of(cells[i], 2) };
        }
        OK(&ctx, txn_begin_write(&ctx, engine, &txn));
        for (int p = 0; p < 2; p++) {
            struct update u = { .table = &s->r.table, .partition_key = slice_str(p ? "p" : "q"),
                                .partition_deletion = DELETION_NONE, .rows = rows, .row_count = ROWS };
            if (n % 5 == 0)
                u.partition_deletion = (struct deletion){ n - 1, ctx.now_s };
            OK(&ctx, apply(&ctx, txn, &u));
        }
        if (n % 7 == 0)
            txn_abort(&txn);
        else
            OK(&ctx, txn_commit(&ctx, &txn));
        if (n % 11 == 0)
            OK(&ctx, engine_sweep(&ctx, engine, &more));
    }
    arena_release(&arena);
    atomic_store(&s->over, true);
    return NULL;
}

static uint32_t read_number(struct ctx *ctx, struct txn *txn, struct scan *scan, const struct table_shape *table,
                            const char *key)
{
    struct partition p;
    const struct row_view *view;
    uint32_t number = 0;
    bool found;
    int n = 0;

    OK(ctx, partition_find(ctx, txn, table, slice_str(key), &p, &found));
    if (!found)
        return 0;
    OK(ctx, scan_open(ctx, scan, txn, &p, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    for (;; n++) {
        OK(ctx, scan_next(ctx, scan, &view));
        if (!view)
            break;
        assert_int_equal(view->row.cell_count, 2);
        uint32_t here = read_u32(view->row.cells[0].value.data);
        assert_int_equal(read_u32(view->row.cells[1].value.data), here);
        assert_true(n == 0 || here == number);
        number = here;
    }
    assert_true(n == ROWS || n == 0);
    scan_close(scan);
    return number;
}

static void *read_rounds(void *arg)
{
    struct shared *s = arg;
    struct arena arena;
    struct ctx ctx;
    struct scan *scan;
    uint32_t last = 0;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = NOW_S; /* what expires later lives, for this reader, until a sweep has emptied it */
    OK(&ctx, scan_new(&ctx, &scan));
    while (!atomic_load(&s->over)) {
        struct txn *txn = NULL;
        arena_reset(&arena);
        OK(&ctx, txn_begin_read(&ctx, s->r.db.engine, &txn));
        uint32_t p = read_number(&ctx, txn, scan, &s->r.table, "p");
        uint32_t q = read_number(&ctx, txn, scan, &s->r.table, "q");
        txn_abort(&txn);
        assert_true(p == q && p >= last);
        last = p;
        atomic_fetch_add(&s->pages, 2);
    }
    scan_free(scan);
    arena_release(&arena);
    return NULL;
}

static void test_snapshots_are_of_one_moment(void **state)
{
    (void)state;
    static struct shared s;
    pthread_t writer, readers[READERS];

    rows_open(&s.r, true);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_rounds, &s), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_rounds, &s), 0);
    pthread_join(writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    assert_true(atomic_load(&s.pages) > 0);
    s.r.db.ctx.now_s = NOW_S + ROUNDS + 10;
    rows_close(&s.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_snapshots_are_of_one_moment) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
