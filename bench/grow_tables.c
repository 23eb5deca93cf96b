/* Many partitions, many tables, and TRUNCATE of many rows. */
#include <stdio.h>

#include "grow.h"

/* ---- partitions ---- */

enum { POINTS = 4 };

static uint64_t partitions_at(const struct run *run, int point)
{
    uint64_t size = 1000, most = scaled_thousands(run, 1000000);
    for (int i = 0; i < point; i++)
        size *= 10;
    return size < most ? size : most;
}

static void load_partitions(struct run *run)
{
    char text[200];
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE);
    for (int point = 0; point < POINTS; point++) {
        snprintf(text, sizeof text, "CREATE TABLE bench.t%d (k int PRIMARY KEY, v text)", point);
        cql_exec(db, text);
        snprintf(text, sizeof text, "INSERT INTO bench.t%d (k, v) VALUES (?, 'something of some length')", point);
        wr_stmt *insert = cql_prepare(db, text);
        for (uint64_t i = 0, n = partitions_at(run, point); i < n; i++) {
            wr_bind_int(insert, 0, (int64_t)i);
            cql_run(insert);
        }
        wr_finalize(insert);
    }
    cql_close(db);
}

static const struct dataset partitions_data = { "tables of all sizes", load_partitions };

static void run_partitions(struct run *run)
{
    char text[200];
    double first = 0, last = 0;
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    for (int point = 0; point < POINTS; point++) {
        snprintf(text, sizeof text, "SELECT v FROM bench.t%d WHERE k = ?", point);
        struct growing get = { .stmt = cql_prepare(db, text), .bind = grow_bind_int, .n = partitions_at(run, point) };
        for (uint64_t i = 0; i < 2 * get.n; i++) { /* what the processor does not keep is the kernel's cache at least */
            get.bind(&get, i);
            cql_sum(get.stmt, NULL);
        }
        last = grow_us(run, (unsigned)point, &get);
        if (point == 0)
            first = last;
        wr_finalize(get.stmt);
    }
    give(run, POINTS, last / first);
    cql_close(db);
}

static const struct figure partitions[] = {
    { "grow.partitions.1000", "point read of 1,000 partitions", "us", true, { { NULL, 0, 0 } } },
    { "grow.partitions.10000", "... of 10,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.partitions.100000", "... of 100,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.partitions.1000000", "... of 1,000,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.partitions", "the most against the least", "x", true, { { NULL, 1.5, 0 } } },
};
const struct workload grow_partitions = { "grow.partitions", FIGURES(partitions), run_partitions, NULL, &partitions_data, 0, false };

/* ---- tables ---- */

static void create_tables(wr_db *db, unsigned count)
{
    char text[300];
    for (unsigned i = 0; i < count; i++) {
        snprintf(text, sizeof text,
                 "CREATE TABLE bench.t%u (k int, c int, v text, PRIMARY KEY (k, c)); INSERT INTO bench.t%u (k, c, v) VALUES (1, 1, 'a')", i, i);
        cql_exec(db, text);
    }
}

static void measure_tables(struct run *run, wr_db *db, unsigned figure, double *insert_us, double *read_us)
{
    const uint64_t count = scaled(run, 50000);
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.t0 (k, c, v) VALUES (?, ?, 'something of some length')");
    struct growing get = { .stmt = cql_prepare(db, "SELECT v FROM bench.t0 WHERE k = ? AND c = 1"), .bind = grow_bind_int, .n = 1000 };
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i++) {
        wr_bind_int(insert, 0, (int64_t)(i % 1000));
        wr_bind_int(insert, 1, (int64_t)(i / 1000));
        cql_run(insert);
    }
    struct watch took = watch_stop(start);
    give_us(run, figure, count, took);
    *insert_us = took.cpu;
    *read_us = grow_us(run, figure + 1, &get);
    wr_finalize(insert);
    wr_finalize(get.stmt);
}

static void run_tables(struct run *run)
{
    double insert_us[2], read_us[2];
    const unsigned many = (unsigned)(run->scale < 1 ? 200 : 1000);
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE);
    create_tables(db, 1);
    measure_tables(run, db, 0, &insert_us[0], &read_us[0]);
    cql_exec(db, "DROP TABLE bench.t0");
    create_tables(db, many);
    measure_tables(run, db, 2, &insert_us[1], &read_us[1]);
    give(run, 4, insert_us[1] / insert_us[0]);
    give(run, 5, read_us[1] / read_us[0]);
    cql_close(db);
}

static const struct figure tables[] = {
    { "grow.tables.1.insert", "an insert where there is one table", "us", true, { { NULL, 0, 0 } } },
    { "grow.tables.1.read", "a point read where there is one table", "us", true, { { NULL, 0, 0 } } },
    { "grow.tables.1000.insert", "an insert where there are 1,000 tables", "us", true, { { NULL, 0, 0 } } },
    { "grow.tables.1000.read", "a point read where there are 1,000 tables", "us", true, { { NULL, 0, 0 } } },
    { "grow.tables.insert", "inserts: 1,000 tables against one", "x", true, { { NULL, 1.1, 0 } } },
    { "grow.tables.read", "reads: 1,000 tables against one", "x", true, { { NULL, 1.1, 0 } } },
};
const struct workload grow_tables = { "grow.tables", FIGURES(tables), run_tables, NULL, NULL, 3, false };

/* ---- TRUNCATE ---- */

static void insert_rows(wr_stmt *insert, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        wr_bind_int(insert, 0, (int64_t)(i % 1000));
        wr_bind_int(insert, 1, (int64_t)(i / 1000));
        cql_run(insert);
    }
}

static uint64_t file_bytes(wr_db *db)
{
    struct wr_db_stats stats;
    cql_must(wr_sync(db), "sync", wr_error(db));
    cql_must(wr_db_stats(db, &stats), "stats", wr_error(db));
    return stats.file_bytes;
}

static void run_truncate(struct run *run)
{
    const uint64_t count = scaled(run, 10000000);
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE "CREATE TABLE bench.t (k int, c int, v text, PRIMARY KEY (k, c))");
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.t (k, c, v) VALUES (?, ?, 'something of some length')");
    wr_stmt *truncate = cql_prepare(db, "TRUNCATE bench.t");
    insert_rows(insert, count);
    uint64_t full = file_bytes(db);
    struct watch start = watch_start();
    cql_run(truncate);
    give_ms(run, 0, watch_stop(start));
    insert_rows(insert, count);
    give(run, 1, (double)file_bytes(db) / (double)full);
    wr_finalize(insert);
    wr_finalize(truncate);
    cql_close(db);
}

static const struct figure truncate[] = {
    { "grow.truncate", "TRUNCATE of 10,000,000 rows", "ms", true, { { NULL, 1, 0 } } },
    { "grow.truncate.again", "the file when as many have been inserted again, against before", "x", true, { { NULL, 1.2, 0 } } },
};
const struct workload grow_truncate = { "grow.truncate", FIGURES(truncate), run_truncate, NULL, NULL, 1, false };
