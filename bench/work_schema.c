/* What tests wait for: an empty database with six tables, and CREATE, TRUNCATE and DROP, in memory. */
#include <stdio.h>

#include "cql.h"
#include "workload.h"

enum { TIMES = 50 };

static struct watch timed(wr_db *db, const char *text)
{
    struct watch start = watch_start();
    cql_exec(db, text);
    return watch_stop(start);
}

static void add(struct watch *sum, struct watch one)
{
    sum->wall += one.wall;
    sum->cpu += one.cpu;
}

/* store->open makes the bench's six tables. */
static void run_schema(struct run *run)
{
    struct watch start = watch_start(), create = { 0, 0 }, truncate = { 0, 0 }, drop = { 0, 0 };
    void *h = run->store->open(NULL, SAFE_PROCESS_CRASH, true);
    give_ms(run, 0, watch_stop(start));
    run->store->close(h);
    start = watch_start();
    h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    give_ms(run, 1, watch_stop(start));
    run->store->close(h);

    wr_db *db = cql_open(NULL, SAFE_PROCESS_CRASH);
    cql_exec(db, CQL_KEYSPACE);
    for (int i = 0; i < TIMES; i++) {
        add(&create, timed(db, "CREATE TABLE bench.t (k int, c int, v text, PRIMARY KEY (k, c))"));
        for (int row = 0; row < 100; row++) {
            char insert[100];
            snprintf(insert, sizeof insert, "INSERT INTO bench.t (k, c, v) VALUES (%d, %d, 'something')", row % 10, row);
            cql_exec(db, insert);
        }
        add(&truncate, timed(db, "TRUNCATE bench.t"));
        add(&drop, timed(db, "DROP TABLE bench.t"));
    }
    cql_close(db);
    give(run, 2, create.wall * 1e3 / TIMES);
    give(run, 3, truncate.wall * 1e3 / TIMES);
    give(run, 4, drop.wall * 1e3 / TIMES);
}

static const struct figure figures[] = {
    { "open.new", "open an empty database and create 6 tables, in memory", "ms", true, { { NULL, 5, 1 } } },
    { "open.folder", "... in a folder", "ms", true, { { NULL, 5, 1 } } },
    { "create", "CREATE TABLE, in memory", "ms", true, { { NULL, 1, 0.5 } } },
    { "truncate", "TRUNCATE of 100 rows, in memory", "ms", true, { { NULL, 1, 0.5 } } },
    { "drop", "DROP TABLE, in memory", "ms", true, { { NULL, 1, 0.5 } } },
};
const struct workload work_schema = { "schema", FIGURES(figures), run_schema, NULL, NULL, 0, false };
