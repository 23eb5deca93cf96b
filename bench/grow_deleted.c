/* 50 rows behind 100,000 that are deleted, one by one or as a range, or expired, swept for reading or by wr_sweep; and 50 among as many whose keys were
 * deleted. */
#include <time.h>

#include "grow.h"

enum { LIVE = 50, FRESH = 0, ONE_BY_ONE, RANGE, EXPIRED, KINDS };
enum { TTL_S = 100 };

static void fill(struct run *run, wr_db *db, int kind)
{
    const int64_t dead = kind == FRESH ? 0 : (int64_t)scaled_thousands(run, 100000);
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.t (k, c, v) VALUES (?, ?, 'something of some length') USING TTL ?");
    wr_stmt *delete = cql_prepare(db, "DELETE FROM bench.t WHERE k = ? AND c = ?");
    wr_stmt *range = cql_prepare(db, "DELETE FROM bench.t WHERE k = ? AND c < ?");
    wr_bind_int(insert, 0, kind);
    for (int64_t c = 0; c < dead + LIVE; c++) {
        wr_bind_int(insert, 1, c);
        wr_bind_int(insert, 2, kind == EXPIRED && c < dead ? TTL_S : 0);
        cql_run(insert);
    }
    wr_bind_int(delete, 0, kind);
    for (int64_t c = 0; kind == ONE_BY_ONE && c < dead; c++) {
        wr_bind_int(delete, 1, c);
        cql_run(delete);
    }
    wr_bind_int(range, 0, kind);
    wr_bind_int(range, 1, dead);
    if (kind == RANGE)
        cql_run(range);
    wr_finalize(insert);
    wr_finalize(delete);
    wr_finalize(range);
}

/* The figure of a kind, and against that of the fresh table where it is not. */
static double read_past(struct run *run, struct growing *page, int kind, unsigned figure, double fresh)
{
    wr_bind_int(page->stmt, 0, kind);
    double us = grow_us(run, figure, page);
    run->sum += page->rows == LIVE;
    if (kind != FRESH)
        give(run, figure + 1, us / fresh);
    return us;
}

/* The first reads pass over all of them, and have them swept in the background. Two seconds of reads, most of them at rest. */
static void read_until_swept(struct growing *page)
{
    for (int i = 0; i < 200; i++) {
        cql_sum(page->stmt, NULL);
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
}

/* The first reads pass over all of them, and have them moved out of the way in the background. */
static void among_deleted_keys(struct run *run, wr_db *db)
{
    const int64_t keys = (int64_t)scaled_thousands(run, 100000) + LIVE;
    wr_stmt *fresh_insert = cql_prepare(db, "INSERT INTO bench.fresh_keys (k, v) VALUES (?, 'something of some length')");
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.keys (k, v) VALUES (?, 'something of some length')");
    wr_stmt *delete = cql_prepare(db, "DELETE FROM bench.keys WHERE k = ?");
    struct growing fresh = { .stmt = cql_prepare(db, "SELECT k, v FROM bench.fresh_keys") };
    struct growing page = { .stmt = cql_prepare(db, "SELECT k, v FROM bench.keys") };

    for (int64_t k = 0; k < keys; k++) {
        wr_bind_int(insert, 0, k);
        cql_run(insert);
        wr_bind_int(fresh_insert, 0, k);
        wr_bind_int(delete, 0, k);
        cql_run(k < LIVE ? fresh_insert : delete);
    }
    double us = grow_us(run, 9, &fresh);
    read_until_swept(&page);
    double among = grow_us(run, 10, &page);
    run->sum += page.rows == LIVE;
    give(run, 11, among / us);
    wr_finalize(fresh_insert);
    wr_finalize(insert);
    wr_finalize(delete);
    wr_finalize(fresh.stmt);
    wr_finalize(page.stmt);
}

static void run_deleted(struct run *run)
{
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE "CREATE TABLE bench.t (k int, c int, v text, PRIMARY KEY (k, c));"
                              "CREATE TABLE bench.keys (k int PRIMARY KEY, v text); CREATE TABLE bench.fresh_keys (k int PRIMARY KEY, v text)");
    for (int kind = 0; kind < KINDS; kind++)
        fill(run, db, kind);
    struct growing page = { .stmt = cql_prepare(db, "SELECT c, v FROM bench.t WHERE k = ? LIMIT 50") };
    wr_clock_step(db, (int64_t)TTL_S * 2 * 1000000);
    double fresh = read_past(run, &page, FRESH, 0, 0);
    read_past(run, &page, ONE_BY_ONE, 1, fresh);
    read_past(run, &page, RANGE, 3, fresh);
    wr_bind_int(page.stmt, 0, EXPIRED);
    read_until_swept(&page);
    read_past(run, &page, EXPIRED, 5, fresh);
    cql_must(wr_sweep(db, 0), "sweep", wr_error(db));
    read_past(run, &page, EXPIRED, 7, fresh);
    wr_finalize(page.stmt);
    among_deleted_keys(run, db);
    cql_close(db);
}

static const struct figure figures[] = {
    { "grow.fresh", "50 rows of a fresh table", "us", true, { { NULL, 0, 0 } } },
    { "grow.deleted", "50 rows behind 100,000 that were deleted one by one", "us", true, { { NULL, 0, 0 } } },
    { "grow.deleted.x", "... against a fresh table", "x", true, { { NULL, 1.2, 0 } } },
    { "grow.range", "50 rows behind a range deletion of 100,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.range.x", "... against a fresh table", "x", true, { { NULL, 1.2, 0 } } },
    { "grow.expired", "50 rows behind 100,000 that have expired, two seconds after the first read of them", "us", true, { { NULL, 0, 0 } } },
    { "grow.expired.x", "... against a fresh table", "x", true, { { NULL, 1.2, 0 } } },
    { "grow.swept", "the same after wr_sweep", "us", true, { { NULL, 0, 0 } } },
    { "grow.swept.x", "... against a fresh table", "x", true, { { NULL, 1.2, 0 } } },
    { "grow.keys", "all 50 rows of a fresh table without clustering columns", "us", true, { { NULL, 0, 0 } } },
    { "grow.keys.deleted", "all 50 among 100,000 deleted keys, two seconds after the first read", "us", true, { { NULL, 0, 0 } } },
    { "grow.keys.deleted.x", "... against a fresh table", "x", true, { { NULL, 1.2, 0 } } },
};
const struct workload grow_deleted = { "grow.deleted", FIGURES(figures), run_deleted, NULL, NULL, 3, false };
