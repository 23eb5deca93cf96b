/* Answers engine/backlog.h with threads that write and read at once (ThreadSanitizer looks on). */
#include "engine/rig.h"
#include "tests/engine/put_off.h"

#include <pthread.h>

enum { WRITERS = 2, READERS = 2, WRITES = 3000 };

struct party {
    struct rows *rows;
    unsigned number;
    atomic_uint *written; /* by each writer: rows acknowledged */
    bool failed;
};

static void *write_on(void *arg)
{
    struct party *p = arg;
    struct arena arena;
    struct ctx ctx;
    char key[16], clustering[16];

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = NOW_S;
    snprintf(key, sizeof key, "key%u", p->number);
    for (unsigned i = 0; i < WRITES && !p->failed; i++) {
        snprintf(clustering, sizeof clustering, "%05u", i);
        struct cell cells[] = { plain(1, 6, "v"), expiring(1, 6, "v", 1000, NOW_S + 1000) }; /* the second is not put off */
        struct row_update one = { .clustering = slice_str(clustering), .row = row_of(&cells[i % 50 == 49], 1) };
        struct update u = update_of(p->rows, key);
        u.rows = &one;
        u.row_count = 1;
        p->failed = engine_write_gathered(&ctx, p->rows->db.engine, put_one, &u) != WR_OK;
        atomic_store(&p->written[p->number], i + 1);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

struct catching {
    struct reach reach;
    bool more;
};

static enum wr_status catch_up_some(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct catching *c = arg;
    return txn_catch_up(ctx, txn, &c->reach, 0, &c->more);
}

/* As the model does: *txn has all that was acknowledged before. */
static enum wr_status begin_caught_up(struct ctx *ctx, struct rows *r, const struct slice *key, struct txn **txn)
{
    struct catching c = { .reach = { .table = &r->table, .keys = key, .key_count = 1 } };
    enum wr_status st = txn_begin_brief(ctx, r->db.engine, txn);
    bool behind = false;

    while (st == WR_OK && (st = txn_is_behind(ctx, *txn, &c.reach, &behind)) == WR_OK && behind) {
        txn_abort(txn);
        engine_bar_backlog(r->db.engine, true);
        st = engine_write(ctx, r->db.engine, catch_up_some, &c);
        if (st == WR_OK)
            st = txn_begin_read(ctx, r->db.engine, txn);
        engine_bar_backlog(r->db.engine, false);
    }
    return st;
}

static enum wr_status count_rows(struct ctx *ctx, struct rows *r, struct scan *scan, struct slice key, unsigned *count)
{
    const struct row_view *view;
    struct partition partition;
    struct txn *txn = NULL;
    enum wr_status st;
    bool found;

    *count = 0;
    TRY_OUT(begin_caught_up(ctx, r, &key, &txn));
    TRY_OUT(partition_find(ctx, txn, &r->table, key, &partition, &found));
    if (!found)
        goto out;
    TRY_OUT(scan_open(ctx, scan, txn, &partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    TRY_OUT(scan_next(ctx, scan, &view));
    for (; view; ++*count)
        TRY_OUT(scan_next(ctx, scan, &view));
out:
    scan_close(scan);
    txn_abort(&txn);
    return st;
}

static void *read_on(void *arg)
{
    struct party *p = arg;
    struct arena arena;
    struct scan *scan;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = NOW_S;
    p->failed = scan_new(&ctx, &scan) != WR_OK;
    for (unsigned n = 0, done = 0; !p->failed && done < WRITERS; n++) {
        char key[16];
        unsigned writer = n % WRITERS, least = atomic_load(&p->written[writer]), count;
        snprintf(key, sizeof key, "key%u", writer);
        p->failed = count_rows(&ctx, p->rows, scan, slice_str(key), &count) != WR_OK || count < least;
        done = least == WRITES ? done + 1 : 0;
        arena_reset(&arena);
    }
    scan_free(scan);
    arena_release(&arena);
    return NULL;
}

static void threads_that_write_and_read(void **state)
{
    (void)state;

    rig.backlog_when = BACKLOG_ALWAYS;
    for (int i = 0; i < PUT_OFF_MODES; i++) {
        struct rows r;
        atomic_uint written[WRITERS] = { 0 };
        pthread_t threads[WRITERS + READERS];
        struct party parties[WRITERS + READERS];
        new_on_disk(&r, put_off_modes[i]);
        for (unsigned t = 0; t < WRITERS + READERS; t++) {
            parties[t] = (struct party){ .rows = &r, .number = t, .written = written };
            assert_int_equal(pthread_create(&threads[t], NULL, t < WRITERS ? write_on : read_on, &parties[t]), 0);
        }
        for (unsigned t = 0; t < WRITERS + READERS; t++) {
            pthread_join(threads[t], NULL);
            assert_false(parties[t].failed);
        }
        rows_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_write_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
