/* A prepared read that has run once runs again without asking the system for memory (widerow.h, wr_step), and a statement is made in the memory of
 * the one before it on its handle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../sanitized.h"
#include "widerow.h"

#if defined(SANITIZED) || !defined(__GLIBC__)
#define COUNTS_MALLOC 0
#else
#define COUNTS_MALLOC 1
#endif

static atomic_long calls;

#if COUNTS_MALLOC
#include <malloc.h>

/* In front of the C library's own: every allocation of this process, the libraries' too, comes by here. */
#pragma GCC visibility push(default)
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
    atomic_fetch_add(&calls, 1);
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&calls, 1);
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    atomic_fetch_add(&calls, 1);
    return __libc_realloc(p, n);
}
#pragma GCC visibility pop
#endif

static wr_db *open_chat(void)
{
    wr_db *db;
    wr_stmt *insert;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db,
                             "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                             "CREATE TABLE k.m (room text, id bigint, author text, content text, tags set<text>, score double, "
                             "PRIMARY KEY (room, id)) WITH CLUSTERING ORDER BY (id DESC);",
                             NULL, NULL),
                     WR_OK);
    assert_int_equal(wr_prepare(db, "INSERT INTO k.m (room, id, author, content, score) VALUES (?, ?, ?, ?, ?)", -1, &insert), WR_OK);
    for (int i = 0; i < 500; i++) {
        wr_bind_text(insert, 0, i % 2 ? "games" : "news", -1);
        wr_bind_int(insert, 1, i);
        wr_bind_text(insert, 2, "jdoe", -1);
        wr_bind_text(insert, 3, "what a long line of text this is, is it not", -1);
        wr_bind_double(insert, 4, i / 3.0);
        assert_int_equal(wr_step(insert), WR_DONE);
    }
    wr_finalize(insert);
    return db;
}

static long run(wr_stmt *select, const char *room)
{
    long before = atomic_load(&calls);
    int rows = 0;
    size_t len;
    assert_int_equal(wr_bind_text(select, 0, room, -1), WR_OK);
    while (wr_step(select) == WR_ROW) {
        for (int i = 0; i < wr_column_count(select); i++)
            wr_column_bytes(select, i, &len);
        rows++;
    }
    assert_int_equal(wr_stmt_status(select), WR_DONE);
    assert_int_equal(rows, 50);
    return atomic_load(&calls) - before;
}

static void check(const char *cql)
{
    wr_db *db = open_chat();
    wr_stmt *select;
    assert_int_equal(wr_prepare(db, cql, -1, &select), WR_OK);
    for (int i = 0; i < 3; i++) {
        run(select, "games");
        run(select, "news");
    }
    assert_int_equal(run(select, "games") + run(select, "news"), 0);
    wr_finalize(select);
    assert_int_equal(wr_close(db), WR_OK);
}

static void newest_page(void **state)
{
    (void)state;
    check("SELECT * FROM k.m WHERE room = ? LIMIT 50");
}

static void slice(void **state)
{
    (void)state;
    check("SELECT id, content FROM k.m WHERE room = ? AND id >= 100 AND id < 200 ORDER BY id ASC");
}

#if COUNTS_MALLOC
/* Of what was said of a value that does not suit, only the last is kept. */
static void failed_binds_do_not_add_up(void **state)
{
    enum { TIMES = 20000, KEPT_MAX = 1 << 18 };
    wr_db *db = open_chat();
    wr_stmt *insert;
    (void)state;
    assert_int_equal(wr_prepare(db, "INSERT INTO k.m (room, id) VALUES (?, ?)", -1, &insert), WR_OK);
    size_t before = 0;
    for (int i = 0; i < TIMES; i++) {
        assert_int_equal(wr_bind_literal(insert, 1, "'no number'", -1), WR_INVALID);
        assert_int_equal(wr_bind_int(insert, 0, i), WR_INVALID);
        if (i == 100)
            before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks < before + KEPT_MAX);
    wr_finalize(insert);
    assert_int_equal(wr_close(db), WR_OK);
}
#endif

static long run_text(wr_db *db, const char *cql)
{
    long before = atomic_load(&calls);
    wr_stmt *stmt;
    assert_int_equal(wr_prepare(db, cql, -1, &stmt), WR_OK);
    while (wr_step(stmt) == WR_ROW)
        ;
    assert_int_equal(wr_stmt_status(stmt), WR_DONE);
    wr_finalize(stmt);
    return atomic_load(&calls) - before;
}

static void text_after_text(void **state)
{
    static const char *const texts[] = {
        "INSERT INTO k.m (room, id, author, content, score) VALUES ('games', 7, 'jdoe', 'hello', 1.5)",
        "SELECT * FROM k.m WHERE room = 'games' LIMIT 50",
        "SELECT content FROM k.m WHERE room = 'games' AND id = 7",
        "UPDATE k.m SET content = 'bye' WHERE room = 'games' AND id = 7",
        "DELETE content FROM k.m WHERE room = 'games' AND id = 7",
    };
    enum { TEXT = 1, SCAN = 8 }; /* its copy; the cursors and arenas of a read of rows */
    wr_db *db = open_chat();
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int run = 0; run < 3; run++)
            run_text(db, texts[i]);
        long asked = run_text(db, texts[i]);
        assert_in_range(asked, COUNTS_MALLOC ? TEXT : 0, i == 1 || i == 2 ? TEXT + SCAN : TEXT);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_page),
        cmocka_unit_test(slice),
        cmocka_unit_test(text_after_text),
#if COUNTS_MALLOC
        cmocka_unit_test(failed_binds_do_not_add_up),
#endif
    };
    if (!COUNTS_MALLOC)
        print_message("allocations are not counted here: the reads alone are checked\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
