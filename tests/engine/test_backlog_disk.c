/* Answers engine/backlog.h on a disk: where putting rows off pays, and what a crash, opening again and other processes make of it. */
#include "engine/rig.h"
#include "tests/engine/put_off.h"

#include <sys/wait.h>

static void a_crash_and_opening_again_leave_it(void **state)
{
    (void)state;

    rig.backlog_when = BACKLOG_ALWAYS;
    for (int i = 0; i < PUT_OFF_MODES; i++) {
        struct rows r;
        new_on_disk(&r, put_off_modes[i]);
        engine_close(r.db.engine);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) { /* ends in the midst of it */
            open_on_disk(&r, put_off_modes[i]);
            put_many_gathered(&r, 20);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        for (int times = 0; times < 2; times++) {
            open_on_disk(&r, put_off_modes[i]);
            assert_int_equal(put_off(&r), KEYS * 20);
            assert_int_equal(rows_findings(&r, false), 0);
            if (times == 0)
                engine_close(r.db.engine);
        }
        put_gathered(&r, 3, 100, "6"); /* how much its part holds is not known: that is applied first */
        assert_true(put_off(&r) < KEYS * 20);
        catch_up(&r, NULL);
        struct txn *txn = rows_read(&r);
        check_all(&r, txn, 20);
        check_numbered(&r, txn, 3, 100, 6);
        txn_abort(&txn);
        rows_close(&r);
    }
}

/* In no order, far apart; or each partition's in its order. */
static void insert_some(struct rows *r, unsigned from, unsigned count, bool in_order)
{
    static char value[301];

    memset(value, 'v', sizeof value - 1);
    for (unsigned i = from; i < from + count; i++)
        put_gathered(r, i % KEYS, in_order ? i / KEYS : i * 7919 % 9973, value);
}

static void rows_are_put_off_where_it_pays(void **state)
{
    struct rows r;
    char key[16];
    (void)state;

    rig.backlog_when = BACKLOG_WHERE_IT_PAYS;
    rig.store_memory_bytes = UINT64_C(1) << 40;
    new_on_disk(&r, DURABILITY_PERIODIC); /* memory has room */
    insert_some(&r, 0, 5000, false);
    assert_int_equal(put_off(&r), 0);
    rows_close(&r);

    rig.store_memory_bytes = 1 << 20; /* an eighth of it */
    new_on_disk(&r, DURABILITY_PERIODIC);
    insert_some(&r, 0, 8000, true);
    assert_int_equal(put_off(&r), 0); /* in order */
    insert_some(&r, 0, 8000, false);
    assert_true(put_off(&r) > 4000);
    for (unsigned k = 0; k < 10; k++) { /* few are asked for */
        snprintf(key, sizeof key, "key%u", k);
        catch_up(&r, key);
    }
    assert_true(r.db.engine->backlog.on);
    unsigned n = 16000;
    for (; r.db.engine->backlog.on; n++) { /* each is asked for at once */
        insert_some(&r, n, 1, false);
        snprintf(key, sizeof key, "key%u", n % KEYS);
        catch_up(&r, key);
        assert_true(n < 20000);
    }
    unsigned before = put_off(&r);
    insert_some(&r, n, 100, false);
    assert_true(put_off(&r) <= before);
    rows_close(&r);
    rig.store_memory_bytes = 0;
}

/* Of another process: whether it is behind, and by how much it could read. */
static int reads_beside(struct rows *r)
{
    const struct engine_options options = { .path = r->db.path, .read_only = true };
    const struct reach reach = reach_all(&r->table);
    struct txn *txn = NULL;
    bool behind = false;

    if (engine_open(&r->db.ctx, &options, &r->db.engine) != WR_OK || txn_begin_read(&r->db.ctx, r->db.engine, &txn) != WR_OK ||
        txn_is_behind(&r->db.ctx, txn, &reach, &behind) != WR_OK)
        return 2;
    return behind;
}

static void beside_another_process_nothing_is_put_off(void **state)
{
    struct rows r;
    int wake[2], said[2];
    char byte = 'x';
    (void)state;

    rig.backlog_when = BACKLOG_ALWAYS;
    rig.store_memory_bytes = 1 << 20;
    new_on_disk(&r, DURABILITY_PERIODIC);
    engine_close(r.db.engine); /* the child has it not open */
    assert_true(pipe(wake) == 0 && pipe(said) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(wake[1]);
        while (read(wake[0], &byte, 1) == 1) {
            byte = (char)('0' + reads_beside(&r));
            if (write(said[1], &byte, 1) != 1)
                break;
        }
        _exit(0);
    }
    open_on_disk(&r, DURABILITY_PERIODIC);
    put_many_gathered(&r, 20);
    assert_int_equal(put_off(&r), KEYS * 20);
    assert_int_equal(write(wake[1], &byte, 1), 1);
    assert_int_equal(read(said[0], &byte, 1), 1);
    assert_int_equal(byte, '1'); /* it is told so, and stays */

    rig.backlog_when = BACKLOG_WHERE_IT_PAYS;
    r.db.engine->backlog.on = true;
    put_many_gathered(&r, 60);
    assert_false(r.db.engine->backlog.on);
    rig.backlog_idle_ms = 1 << 30; /* it does not wait for that */
    rows_sweep(&r);
    assert_int_equal(put_off(&r), 0);
    r.db.engine->backlog.rest = 0;
    insert_some(&r, 0, 1500, false); /* which would pay */
    assert_int_equal(put_off(&r), 0);
    close(wake[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(wake[0]);
    close(said[0]);
    close(said[1]);

    /* Nobody is there to apply what is put off. */
    rig.backlog_when = BACKLOG_ALWAYS;
    put_many_gathered(&r, 1);
    engine_close(r.db.engine);
    const struct engine_options options = { .path = r.db.path, .read_only = true };
    assert_int_equal(engine_open(&r.db.ctx, &options, &r.db.engine), WR_BUSY);
    open_on_disk(&r, DURABILITY_PERIODIC);
    rows_close(&r);
    rig.store_memory_bytes = 0;
}

/* What a part may hold at most, over and over. */
static void a_full_part_is_applied(void **state)
{
    static char value[1001];
    struct rows r;
    enum { LARGE_ROWS = 9000 }; /* of a kilobyte, in one part that has room for four thousand */
    (void)state;

    rig.backlog_when = BACKLOG_ALWAYS;
    rig.store_memory_bytes = UINT64_C(128) << 20; /* a part may have a 32nd of it; else it may have less until the file has grown, which is a matter of time */
    memset(value, 'v', sizeof value - 1);
    new_on_disk(&r, DURABILITY_PERIODIC);
    for (unsigned i = 0; i < LARGE_ROWS; i++) {
        char clustering[16];
        snprintf(clustering, sizeof clustering, "%05u", i * 7919 % LARGE_ROWS);
        struct row_update one = { .clustering = slice_str(clustering), .row = ROW_OF(plain(1, 6, value)) };
        struct update u = update_of(&r, "p");
        u.rows = &one;
        u.row_count = 1;
        OK(&r.db.ctx, engine_write_gathered(&r.db.ctx, r.db.engine, put_one, &u));
        arena_reset(&r.db.arena);
    }
    assert_true(put_off(&r) < 5000);
    catch_up(&r, NULL);
    struct txn *txn = rows_read(&r);
    struct row row;
    for (unsigned i = 0; i < LARGE_ROWS; i++) {
        char clustering[16];
        snprintf(clustering, sizeof clustering, "%05u", i);
        assert_true(rows_find_live(&r, txn, clustering, &row));
    }
    txn_abort(&txn);
    rows_close(&r);
    rig.store_memory_bytes = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_and_opening_again_leave_it),
        cmocka_unit_test(rows_are_put_off_where_it_pays),
        cmocka_unit_test(beside_another_process_nothing_is_put_off),
        cmocka_unit_test(a_full_part_is_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
