/* Rows looked up by key among more partitions than the processor's caches have room for: memory is asked for ahead (keycache.h, partition_expect), and what is
 * found is what lies there, also in a snapshot of which no place is known yet, and for keys that have no row. And rows of several partitions, which are looked
 * up together (partitions_expect), are those of one after the other. */
#include "handle.h"

#include <stdlib.h>

enum { PARTITIONS = 60000, ASKED = 50 };

static enum wr_status insert_all(void *arg)
{
    wr_stmt *insert = arg;

    for (int p = 0; p < PARTITIONS; p++) {
        wr_bind_int(insert, 0, 2 * p); /* every other number has no row */
        wr_bind_int(insert, 1, 3 * p);
        if (wr_step(insert) != WR_DONE)
            return WR_INVALID;
        wr_reset(insert);
    }
    return WR_OK;
}

static void check_one(wr_stmt *select, int key, int changed)
{
    wr_bind_int(select, 0, key);
    enum wr_status st = wr_step(select);
    assert_int_equal(st, key % 2 ? WR_DONE : WR_ROW);
    if (st == WR_ROW)
        assert_int_equal(wr_column_int(select, 0), key == changed ? -1 : key / 2 * 3);
    wr_reset(select);
}

/* Rows come by token, so they are counted and summed. No key is asked for twice. */
static void check_many(wr_stmt *select, int from, int by, int changed)
{
    int64_t sum = 0, expected = 0;
    int rows = 0, expected_rows = 0;

    wr_bind_open(select, 0);
    for (int i = 0; i < ASKED; i++) {
        int key = (from + i * by) % (2 * PARTITIONS);
        wr_bind_int(select, WR_ELEMENT, key);
        expected_rows += key % 2 == 0;
        expected += key % 2 ? 0 : key == changed ? -1 : key / 2 * 3;
    }
    wr_bind_close(select);
    for (; wr_step(select) == WR_ROW; rows++)
        sum += wr_column_int(select, 0);
    assert_string_equal(wr_stmt_error(select), "");
    assert_int_equal(rows, expected_rows);
    assert_int_equal(sum, expected);
    wr_reset(select);
}

static void check_all(wr_stmt *one, wr_stmt *many, int changed)
{
    for (int pass = 0; pass < 3; pass++)
        for (int key = 0; key < 2 * PARTITIONS; key++)
            check_one(one, key, changed);
    for (int i = 0; i < 500; i++)
        check_many(many, i * 7919 % (2 * PARTITIONS), 1 + i * 2 % 601, changed);
}

static void what_is_asked_for_ahead_is_found(void **state)
{
    wr_db *db;
    (void)state;

    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TABLE t (p int PRIMARY KEY, v int)");
    wr_stmt *insert = prepare(db, "INSERT INTO t (p, v) VALUES (?, ?)");
    assert_int_equal(wr_atomically(db, insert_all, insert), WR_OK);
    wr_stmt *one = prepare(db, "SELECT v FROM t WHERE p = ?"), *many = prepare(db, "SELECT v FROM t WHERE p IN ?");
    check_all(one, many, -1);
    wr_bind_int(insert, 0, 1000);
    wr_bind_int(insert, 1, -1);
    assert_int_equal(wr_step(insert), WR_DONE);
    check_many(many, 990, 1, 1000); /* no place is known in this snapshot */
    check_all(one, many, 1000);
    wr_finalize(insert);
    wr_finalize(one);
    wr_finalize(many);
    assert_int_equal(wr_close(db), WR_OK);
}

/* ---- rows of several partitions ---- */

enum { WIDE = 300, KEYS_MOST = 60, ROWS_MOST = 1000, ROW_BYTES = 48, RUNS = 3000 };

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 20) % n;
}

static void fill(wr_db *db, const char *table)
{
    static const int counts[] = { 0, 0, 1, 1, 2, 5, 40, ROWS_MOST };
    char cql[128];

    snprintf(cql, sizeof cql, "INSERT INTO %s (p, c, v) VALUES (?, ?, 'a value of some length, so that a chunk has not room for many')", table);
    wr_stmt *insert = prepare(db, cql);
    snprintf(cql, sizeof cql, "INSERT INTO %s (p, s) VALUES (?, ?)", table);
    wr_stmt *alone = prepare(db, cql);
    for (int p = 0; p < WIDE; p++) {
        for (int c = 0, n = counts[random_below(sizeof counts / sizeof *counts)]; c < n; c++) {
            wr_bind_int(insert, 0, p);
            wr_bind_int(insert, 1, c);
            assert_int_equal(wr_step(insert), WR_DONE);
            wr_reset(insert);
        }
        wr_bind_int(alone, 0, p);
        wr_bind_int(alone, 1, -p);
        assert_int_equal(random_below(5) ? WR_DONE : wr_step(alone), WR_DONE);
        wr_reset(alone);
    }
    wr_finalize(insert);
    wr_finalize(alone);
}

/* Rows as text, one behind the other; a page at a time, if there are pages. */
struct rows {
    uint32_t count;
    char text[KEYS_MOST * (ROWS_MOST + 1)][ROW_BYTES];
};

static void read_rows(wr_stmt *s, int page_size, struct rows *out)
{
    char place[256];
    size_t len;
    const void *given;

    do {
        wr_set_page_size(s, page_size);
        while (wr_step(s) == WR_ROW) {
            char *row = out->text[out->count++];
            for (int i = 0, at = 0; i < wr_column_count(s); i++)
                at += snprintf(row + at, ROW_BYTES - (size_t)at, "%.8s|", wr_column_text(s, i));
        }
        assert_string_equal(wr_stmt_error(s), "");
        given = wr_page_state(s, &len);
        if (given) {
            assert_true(len <= sizeof place);
            memcpy(place, given, len);
            wr_set_page_state(s, place, len);
        }
    } while (given);
    wr_reset(s);
}

static int int_cmp(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Keys in their order, some twice, some of no partition. */
static uint32_t choose(int keys[KEYS_MOST])
{
    uint32_t n = 1 + random_below(random_below(4) ? 12 : KEYS_MOST);

    for (uint32_t i = 0; i < n; i++)
        keys[i] = (int)random_below(WIDE + WIDE / 4);
    qsort(keys, n, sizeof *keys, int_cmp);
    return n;
}

static void compare(wr_stmt *one, wr_stmt *some, uint32_t limit, int page_size)
{
    static struct rows wanted, there;
    int keys[KEYS_MOST];
    uint32_t n = choose(keys);

    wanted.count = there.count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i && keys[i] == keys[i - 1])
            continue;
        wr_bind_int(one, 0, keys[i]);
        read_rows(one, 0, &wanted);
    }
    wanted.count = wanted.count < limit ? wanted.count : limit;
    wr_bind_open(some, 0);
    for (uint32_t i = 0; i < n; i++)
        wr_bind_int(some, WR_ELEMENT, keys[i]);
    wr_bind_close(some);
    read_rows(some, page_size, &there);
    assert_int_equal(there.count, wanted.count);
    for (uint32_t i = 0; i < there.count; i++)
        assert_string_equal(there.text[i], wanted.text[i]);
}

static void rows_of_some_are_those_of_each(void **state)
{
    static const char *const whats[] = { "p, c, s, v", "c, v", "p, s, v", "writetime(v), c", "DISTINCT p, s" };
    static const char *const wheres[] = { "", "", "AND c > 100", "AND c < 20", "AND c >= 3 AND c < 700", "AND c IN (0, 5, 999)", "AND c = 1" };
    static const char *const limits[] = { "", "", "PER PARTITION LIMIT 1", "PER PARTITION LIMIT 7", "PER PARTITION LIMIT 200" };
    enum { WHATS = sizeof whats / sizeof *whats, WHERES = sizeof wheres / sizeof *wheres, LIMITS = sizeof limits / sizeof *limits };
    char cql[256];
    wr_db *db;
    (void)state;

    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k;"
             "CREATE TABLE up (p int, c int, s int static, v text, PRIMARY KEY (p, c));"
             "CREATE TABLE down (p int, c int, s int static, v text, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)");
    fill(db, "up");
    fill(db, "down");
    for (int i = 0; i < RUNS; i++) {
        const char *table = random_below(2) ? "up" : "down", *what = whats[random_below(WHATS)];
        bool distinct = what[0] == 'D';
        const char *where = distinct ? "" : wheres[random_below(WHERES)], *of_each = distinct ? "" : limits[random_below(LIMITS)];
        uint32_t limit = random_below(3) ? UINT32_MAX : 1 + random_below(100);
        int page_size = random_below(2) ? 0 : 1 + (int)random_below(random_below(2) ? 10 : 500);
        snprintf(cql, sizeof cql, "SELECT %s FROM %s WHERE p = ? %s %s", what, table, where, of_each);
        wr_stmt *one = prepare(db, cql);
        int len = snprintf(cql, sizeof cql, "SELECT %s FROM %s WHERE p IN ? %s %s", what, table, where, of_each);
        if (limit != UINT32_MAX)
            snprintf(cql + len, sizeof cql - (size_t)len, " LIMIT %u", limit);
        wr_stmt *some = prepare(db, cql);
        compare(one, some, limit, page_size);
        wr_finalize(one);
        wr_finalize(some);
    }
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_asked_for_ahead_is_found), cmocka_unit_test(rows_of_some_are_those_of_each) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
