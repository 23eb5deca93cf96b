/*
 * instructions_count WORKLOAD FOLDER
 *
 * A workload of the bench on Widerow, small and always the same, for callgrind: what is counted happens in counted(), OPERATIONS times, on
 * a database that is warm. It says how many those were, the allocations, and a sum. tests/instructions/check runs it.
 */
#include <stdio.h>
#include <string.h>

#include "bench/cql.h"

enum { ROOMS = 100, PAGE_ROWS = 50, USERS = 1000, MESSAGES = 20000, MAILS = 5000, OPERATIONS = 2000 };

static const struct store *const store = &store_widerow;
static uint64_t sum;

static void insert(void *h, uint64_t i)
{
    struct message m;
    data_message(i, ROOMS, &m);
    store->insert(h, &m);
}

static void page(void *h, uint64_t i)
{
    sum += store->page(h, (uint32_t)(data_mix(i) % ROOMS), PAGE_ROWS);
}

static void by_author(void *h, uint64_t i)
{
    struct message m;
    uint64_t rows;
    data_message(data_mix(i) % MESSAGES, ROOMS, &m);
    sum += store->by_author(h, m.author, 0, &rows);
}

static void mail(void *h, uint64_t i)
{
    uint8_t id[16];
    data_mail_id(data_mix(i) % MAILS, id);
    sum += store->get_mail(h, id);
}

static void count(void *h, uint64_t i)
{
    store->count(h, data_user((uint32_t)(data_mix(i) % USERS)), i % 10);
}

static void claim(void *h, uint64_t i)
{
    sum += store->claim(h, data_user((uint32_t)(i * 7919 % 1000000)));
}

static void fan_out(void *h, uint64_t i)
{
    struct post post;
    data_post(i, USERS, &post);
    store->fan_out(h, &post);
}

static void timeline(void *h, uint64_t i)
{
    sum += store->timeline(h, data_user((uint32_t)(data_mix(i) % USERS)), 40);
}

/* ---- rows that are there: changed, deleted, counted ---- */

enum { PARTS = 20, ROWS = 10000, AT_ONCE = 100 };
static wr_db *rows_db;
static wr_stmt *row_insert, *row_update, *row_delete, *row_count, *row_sum, *row_last, *row_point;

static void write_row(uint64_t i)
{
    wr_bind_int(row_insert, 0, (int64_t)(i % PARTS));
    wr_bind_int(row_insert, 1, (int64_t)(i / PARTS));
    wr_bind_int(row_insert, 2, (int64_t)i);
    cql_run(row_insert);
}

static enum wr_status write_rows(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; i < ROWS; i++)
        write_row(i);
    return WR_OK;
}

static void load_rows(void *h)
{
    (void)h;
    rows_db = cql_open(NULL, SAFE_PROCESS_CRASH);
    cql_exec(rows_db, CQL_KEYSPACE "CREATE TABLE bench.t (p int, c int, v int, w text, PRIMARY KEY (p, c))");
    row_insert = cql_prepare(rows_db, "INSERT INTO bench.t (p, c, v, w) VALUES (?, ?, ?, 'a text of some length, as most are')");
    row_update = cql_prepare(rows_db, "UPDATE bench.t SET v = ? WHERE p = ? AND c = ?");
    row_delete = cql_prepare(rows_db, "DELETE FROM bench.t WHERE p = ? AND c = ?");
    row_count = cql_prepare(rows_db, "SELECT count(*) FROM bench.t WHERE p = ?");
    row_sum = cql_prepare(rows_db, "SELECT sum(v), max(w) FROM bench.t WHERE p = ?");
    row_point = cql_prepare(rows_db, "SELECT v, w FROM bench.t WHERE p = ? AND c = ?");
    row_last = cql_prepare(rows_db, "SELECT max(c) FROM bench.t WHERE p = ?");
    cql_must(wr_atomically(rows_db, write_rows, NULL), "rows", wr_error(rows_db));
}

static void unload_rows(void)
{
    wr_stmt *const all[] = { row_insert, row_update, row_delete, row_count, row_sum, row_last, row_point };

    for (size_t i = 0; rows_db && i < sizeof all / sizeof *all; i++)
        wr_finalize(all[i]);
    if (rows_db)
        cql_close(rows_db);
}

static enum wr_status update_rows(void *arg)
{
    for (uint64_t i = *(uint64_t *)arg * AT_ONCE, n = 0; n < AT_ONCE; n++, i++) {
        uint64_t row = data_mix(i) % ROWS;
        wr_bind_int(row_update, 0, (int64_t)i);
        wr_bind_int(row_update, 1, (int64_t)(row % PARTS));
        wr_bind_int(row_update, 2, (int64_t)(row / PARTS));
        cql_run(row_update);
    }
    return WR_OK;
}

/* One in at the end, one out at the beginning. */
static enum wr_status queue_rows(void *arg)
{
    for (uint64_t i = *(uint64_t *)arg * AT_ONCE, n = 0; n < AT_ONCE; n++, i++) {
        write_row(ROWS + i);
        wr_bind_int(row_delete, 0, (int64_t)(i % PARTS));
        wr_bind_int(row_delete, 1, (int64_t)(i / PARTS));
        cql_run(row_delete);
    }
    return WR_OK;
}

static void update_some(void *h, uint64_t i)
{
    (void)h;
    cql_must(wr_atomically(rows_db, update_rows, &i), "updates", wr_error(rows_db));
}

static void queue_some(void *h, uint64_t i)
{
    (void)h;
    cql_must(wr_atomically(rows_db, queue_rows, &i), "a queue", wr_error(rows_db));
}

static void aggregate(wr_stmt *stmt, uint64_t i)
{
    wr_bind_int(stmt, 0, (int64_t)(i % PARTS));
    sum += cql_sum(stmt, NULL);
}

static void count_rows(void *h, uint64_t i)
{
    (void)h;
    aggregate(row_count, i);
}

static void sum_rows(void *h, uint64_t i)
{
    (void)h;
    aggregate(row_sum, i);
}

static void last_row(void *h, uint64_t i)
{
    (void)h;
    aggregate(row_last, i);
}

static void point(void *h, uint64_t i)
{
    uint64_t row = data_mix(i) % ROWS;
    (void)h;
    wr_bind_int(row_point, 0, (int64_t)(row % PARTS));
    wr_bind_int(row_point, 1, (int64_t)(row / PARTS));
    sum += cql_sum(row_point, NULL);
}

static void write_and_look(void *h, uint64_t i)
{
    write_row(ROWS + i);
    last_row(h, ROWS + i);
}

static void load_messages(void *h)
{
    store->insert_many(h, 0, MESSAGES, ROOMS);
}

static void load_indexed(void *h)
{
    store->index_authors(h);
    load_messages(h);
}

static void load_mails(void *h)
{
    store->put_mails(h, 0, MAILS);
}

static void load_posts(void *h)
{
    for (uint64_t i = 0; i < 200; i++)
        fan_out(h, i);
}

static const struct workload {
    const char *name;
    void (*load)(void *h);
    void (*run)(void *h, uint64_t i);
    uint64_t first, warm, count;
} workloads[] = {
    { "A1", load_messages, insert, MESSAGES, 2000, OPERATIONS },
    { "B", load_messages, page, 0, ROOMS, OPERATIONS },
    { "I", load_indexed, by_author, 0, OPERATIONS, OPERATIONS },
    { "C", load_mails, mail, 0, 3 * MAILS, OPERATIONS },
    { "D", NULL, count, 0, 4000, OPERATIONS },
    { "E", NULL, claim, 0, 2000, OPERATIONS },
    { "F", load_posts, fan_out, 200, 20, 50 },
    { "F2", load_posts, timeline, 0, USERS, OPERATIONS / 4 },
    { "U", load_rows, update_some, 0, 10, 50 },
    { "Q", load_rows, queue_some, 0, 10, 50 },
    { "N", load_rows, count_rows, 0, PARTS, OPERATIONS },
    { "S", load_rows, sum_rows, 0, PARTS, OPERATIONS },
    { "M", load_rows, last_row, 0, PARTS, OPERATIONS },
    { "R", load_rows, point, 0, ROWS, OPERATIONS },
    { "W", load_rows, write_and_look, 0, OPERATIONS, OPERATIONS },
};

/* Allocations of Widerow's own code in this thread, while it matters: the linker puts these in place of the calls (--wrap). */
static _Thread_local bool counting;
static uint64_t allocations;

#define WRAPPED(name, parameters, arguments)                                                                                             \
    void *__real_##name parameters;                                                                                                      \
    void *__wrap_##name parameters;                                                                                                      \
    void *__wrap_##name parameters                                                                                                       \
    {                                                                                                                                    \
        allocations += counting;                                                                                                         \
        return __real_##name arguments;                                                                                                  \
    }
WRAPPED(malloc, (size_t size), (size))
WRAPPED(calloc, (size_t count, size_t size), (count, size))
WRAPPED(realloc, (void *p, size_t size), (p, size))

void counted(const struct workload *w, void *h);
__attribute__((noinline)) void counted(const struct workload *w, void *h)
{
    for (uint64_t i = w->first + w->warm; i < w->first + w->warm + w->count; i++)
        w->run(h, i);
}

int main(int argc, char **argv)
{
    data_load("");
    cql_map_bytes = (uint64_t)1 << 30; /* valgrind has no room for the default */
    for (size_t i = 0; argc == 3 && i < sizeof workloads / sizeof workloads[0]; i++) {
        const struct workload *w = &workloads[i];
        if (strcmp(w->name, argv[1]) != 0)
            continue;
        void *h = store->open(argv[2], SAFE_PROCESS_CRASH, true);
        if (w->load)
            w->load(h);
        for (uint64_t n = w->first; n < w->first + w->warm; n++)
            w->run(h, n);
        counting = true;
        counted(w, h);
        counting = false;
        unload_rows();
        store->close(h);
        printf("%llu %llu %llx\n", (unsigned long long)w->count, (unsigned long long)allocations, (unsigned long long)sum);
        return 0;
    }
    fputs("usage: instructions_count A1|B|C|D|E|F|F2|I|M|N|Q|R|U|W FOLDER\n", stderr);
    return 2;
}
