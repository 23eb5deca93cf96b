/* A page of the newest 50 of ever larger partitions. */
#include "grow.h"

enum { POINTS = 5 };

static uint64_t size_at(const struct run *run, int point)
{
    uint64_t size = 1000, most = scaled(run, 10000000);
    for (int i = 0; i < point; i++)
        size *= 10;
    return size < most ? size : most;
}

static void load(struct run *run)
{
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    struct message m;
    cql_exec(db, CQL_KEYSPACE "CREATE TABLE bench.messages (room int, id timeuuid, author text, content text, PRIMARY KEY (room, id)) "
                              "WITH CLUSTERING ORDER BY (id DESC)");
    wr_stmt *insert = cql_prepare(db, "INSERT INTO bench.messages (room, id, author, content) VALUES (?, ?, ?, ?)");
    for (int point = 0; point < POINTS; point++) {
        for (uint64_t i = 0, n = size_at(run, point); i < n; i++) {
            data_message(i, 1, &m);
            wr_bind_int(insert, 0, point);
            wr_bind_uuid(insert, 1, m.id);
            cql_bind_text(insert, 2, m.author);
            cql_bind_text(insert, 3, m.text);
            cql_run(insert);
        }
    }
    wr_finalize(insert);
    cql_close(db);
}

static const struct dataset data = { "partitions of all sizes", load };

static void run_partition(struct run *run)
{
    wr_db *db = cql_open(run->folder, SAFE_PROCESS_CRASH);
    struct growing page = { .stmt = cql_prepare(db, "SELECT id, author, content FROM bench.messages WHERE room = ? LIMIT 50") };
    double first = 0, last = 0;
    for (int point = 0; point < POINTS; point++) {
        wr_bind_int(page.stmt, 0, point);
        last = grow_us(run, (unsigned)point, &page);
        if (point == 0)
            first = last;
    }
    give(run, POINTS, last / first);
    wr_finalize(page.stmt);
    cql_close(db);
}

static const struct figure figures[] = {
    { "grow.page.1000", "page of the newest 50 of a partition of 1,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.page.10000", "... of 10,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.page.100000", "... of 100,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.page.1000000", "... of 1,000,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.page.10000000", "... of 10,000,000", "us", true, { { NULL, 0, 0 } } },
    { "grow.page", "the largest against the smallest", "x", true, { { NULL, 1.5, 0 } } },
};
const struct workload grow_partition = { "grow.page", FIGURES(figures), run_partition, NULL, &data, 0, false };
