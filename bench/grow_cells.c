/* Large things beside small changes: elements of large sets, a cell of 1 MB, clusterings of 4 KB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

/* ---- sets ---- */

struct filling {
    wr_stmt *stmt;
    uint64_t rows, from, count;
};

static enum wr_status fill_sets(void *arg)
{
    const struct filling *f = arg;
    for (uint64_t row = 0; row < f->rows; row++) {
        wr_bind_open(f->stmt, 0);
        for (uint64_t i = 0; i < f->count; i++)
            wr_bind_int(f->stmt, WR_ELEMENT, (int64_t)i * 7);
        wr_bind_close(f->stmt);
        wr_bind_int(f->stmt, 1, (int64_t)(f->from + row));
        cql_run(f->stmt);
    }
    return WR_OK;
}

/* As many elements at each point, so that it is the size of a set that tells them apart, and not how many pages the data lie in; and so many adds that
 * each point pays for its commits, of which there is one for some thousand. */
static void run_sets(struct run *run)
{
    static const struct { uint64_t elements, sets; } points[] = { { 10, 50000 }, { 100, 5000 }, { 1000, 500 }, { 10000, 50 } };
    enum { POINTS = 4 };
    const uint64_t adds = scaled(run, 50000);
    double us[POINTS], read_us[POINTS];
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE "CREATE TABLE bench.t (k int PRIMARY KEY, s set<int>)");
    wr_stmt *add = cql_prepare(db, "UPDATE bench.t SET s = s + ? WHERE k = ?");
    struct growing read = { .stmt = cql_prepare(db, "SELECT s[21] FROM bench.t WHERE k = ?") };
    for (uint64_t p = 0; p < POINTS; p++) {
        struct filling f = { add, points[p].sets, p * 100000, points[p].elements };
        cql_must(wr_atomically(db, fill_sets, &f), "fill", wr_error(db));
        cql_must(wr_sync(db), "sync", wr_error(db));
        struct watch start = watch_start();
        for (uint64_t i = 0; i < adds; i++) {
            wr_bind_open(add, 0);
            wr_bind_int(add, WR_ELEMENT, (int64_t)(data_mix(i) % (points[p].elements * 7)));
            wr_bind_close(add);
            wr_bind_int(add, 1, (int64_t)(f.from + i % f.rows));
            cql_run(add);
        }
        struct watch took = watch_stop(start);
        give_us(run, (unsigned)p, adds, took);
        us[p] = took.cpu;
        wr_bind_int(read.stmt, 0, (int64_t)f.from);
        read_us[p] = grow_us(run, POINTS + 1 + (unsigned)p, &read);
    }
    give(run, POINTS, us[POINTS - 1] / us[0]);
    give(run, 2 * POINTS + 1, read_us[POINTS - 1] / read_us[0]);
    wr_finalize(add);
    wr_finalize(read.stmt);
    cql_close(db);
}

static const struct figure sets[] = {
    { "grow.set.10", "add one element to a set of 10", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.100", "... of 100", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.1000", "... of 1,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.10000", "... of 10,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.set", "the largest against the smallest", "x", true, { { NULL, 2, 0 } } },
    { "grow.set.10.read", "read one element of a set of 10", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.100.read", "... of 100", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.1000.read", "... of 1,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.10000.read", "... of 10,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.set.read", "the largest against the smallest", "x", true, { { NULL, 2, 0 } } },
};
const struct workload grow_set = { "grow.set", FIGURES(sets), run_sets, NULL, NULL, 0, false };

/* ---- a small column beside a large one ---- */

static void run_large(struct run *run)
{
    enum { ROWS = 20, LARGE = 1 << 20 };
    const uint64_t touches = scaled(run, 20000);
    double us[2], read_us[2];
    char *large = calloc(1, LARGE);
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE "CREATE TABLE bench.t (k int PRIMARY KEY, small int, large blob)");
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.t (k, small, large) VALUES (?, 0, ?)");
    wr_stmt *touch = cql_prepare(db, "UPDATE bench.t SET small = ? WHERE k = ?");
    struct growing read = { .stmt = cql_prepare(db, "SELECT small FROM bench.t WHERE k = ?") };
    for (int i = 0; i < 2; i++) {
        for (int row = 0; row < ROWS; row++) {
            wr_bind_int(insert, 0, i * ROWS + row);
            wr_bind_blob(insert, 1, large, i ? LARGE : 16);
            cql_run(insert);
        }
        cql_must(wr_sync(db), "sync", wr_error(db));
        struct watch start = watch_start();
        for (uint64_t t = 0; t < touches; t++) {
            wr_bind_int(touch, 0, (int64_t)t);
            wr_bind_int(touch, 1, i * ROWS + (int64_t)(t % ROWS));
            cql_run(touch);
        }
        struct watch took = watch_stop(start);
        give_us(run, (unsigned)i, touches, took);
        us[i] = took.cpu;
        wr_bind_int(read.stmt, 0, i * ROWS);
        read_us[i] = grow_us(run, 3 + (unsigned)i, &read);
    }
    give(run, 2, us[1] / us[0]);
    give(run, 5, read_us[1] / read_us[0]);
    wr_finalize(insert);
    wr_finalize(touch);
    wr_finalize(read.stmt);
    cql_close(db);
    free(large);
}

static const struct figure beside[] = {
    { "grow.small", "update a small column beside 16 bytes", "us", true, { { NULL, 0, 0 } } },
    { "grow.large", "... beside 1 MB", "us", true, { { NULL, 0, 0 } } },
    { "grow.large.x", "the one against the other", "x", true, { { NULL, 2, 0 } } },
    { "grow.small.read", "read a small column beside 16 bytes", "us", true, { { NULL, 0, 0 } } },
    { "grow.large.read", "... beside 1 MB", "us", true, { { NULL, 0, 0 } } },
    { "grow.large.read.x", "the one against the other", "x", true, { { NULL, 2, 0 } } },
};
const struct workload grow_large = { "grow.large", FIGURES(beside), run_large, NULL, NULL, 0, false };

/* ---- clusterings of 4 KB, alike in all but their ends ---- */

static void run_clustering(struct run *run)
{
    enum { SHORT = 16, LONG = 4096 };
    const uint64_t rows = scaled(run, 20000);
    static const size_t lens[2] = { SHORT, LONG };
    char key[LONG + 1];
    double us[2], read_us[2];
    memset(key, 'k', sizeof key);
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE "CREATE TABLE bench.t (k int, c text, v int, PRIMARY KEY (k, c))");
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.t (k, c, v) VALUES (?, ?, ?)");
    struct growing page = { .stmt = cql_prepare(db, "SELECT v FROM bench.t WHERE k = ? LIMIT 50") };
    for (int i = 0; i < 2; i++) {
        struct watch start = watch_start();
        for (uint64_t r = 0; r < rows; r++) {
            snprintf(key + lens[i] - 8, 9, "%08u", (unsigned)(data_mix(r) % 100000000));
            wr_bind_int(insert, 0, i);
            wr_bind_text(insert, 1, key, (ptrdiff_t)lens[i]);
            wr_bind_int(insert, 2, (int64_t)r);
            cql_run(insert);
        }
        struct watch took = watch_stop(start);
        give_us(run, (unsigned)i, rows, took);
        us[i] = took.cpu;
        memset(key, 'k', sizeof key);
        wr_bind_int(page.stmt, 0, i);
        read_us[i] = grow_us(run, 3 + (unsigned)i, &page);
    }
    give(run, 2, us[1] / us[0]);
    give(run, 5, read_us[1] / read_us[0]);
    wr_finalize(insert);
    wr_finalize(page.stmt);
    cql_close(db);
}

static const struct figure clusterings[] = {
    { "grow.key.16", "insert a row with a clustering of 16 bytes", "us", true, { { NULL, 0, 0 } } },
    { "grow.key.4096", "... of 4 KB", "us", true, { { NULL, 0, 0 } } },
    { "grow.key", "the one against the other", "x", true, { { NULL, 4, 0 } } },
    { "grow.key.16.read", "50 rows with clusterings of 16 bytes", "us", true, { { NULL, 0, 0 } } },
    { "grow.key.4096.read", "... of 4 KB", "us", true, { { NULL, 0, 0 } } },
    { "grow.key.read", "the one against the other", "x", true, { { NULL, 4, 0 } } },
};
const struct workload grow_clustering = { "grow.key", FIGURES(clusterings), run_clustering, NULL, NULL, 0, false };
