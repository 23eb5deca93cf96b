/* wr_table_export of what has come since a timestamp: run in a copy, it is what the other is. */
#include "exported.h"

#include <stdlib.h>
#include <time.h>

static int64_t last_timestamp(wr_db *db)
{
    struct wr_db_stats stats;
    assert_int_equal(wr_db_stats(db, &stats), WR_OK);
    return stats.last_timestamp_us;
}

#define MANY_COLUMNS \
    "p int, c int, v int, w text, l list<int>, m map<text, int>, s set<int>, u pair, st int static, ls list<int> static, PRIMARY KEY (p, c)"

static bool add_json(void *arg, wr_stmt *row)
{
    add(arg, wr_column_text(row, 0));
    add(arg, "\n");
    return true;
}

static void all_rows(wr_db *db, struct text *out)
{
    out->len = 0;
    out->data[0] = 0;
    assert_int_equal(wr_exec(db, "SELECT JSON * FROM k.t", add_json, out), WR_OK);
}

/* What `from` was told of since goes to `to`; how many bytes that was. */
static size_t tell(wr_db *from, wr_db *to, int64_t since_us)
{
    static struct text statements;
    statements.len = 0;
    assert_int_equal(wr_table_export(from, "k", "t", since_us, 0, add_statement, &statements), WR_OK);
    if (statements.len)
        exec(to, statements.data);
    return statements.len;
}

/* The clock stands, so each step begins a microsecond behind the one before. */
static void later_writes_alone(void **state)
{
    static const char *const steps[] = {
        ("INSERT INTO t (p, c, v, w, l, m, s, u) VALUES (1, 1, 1, 'a', [1, 2, 3], {'a': 1, 'b': 2}, {1, 2}, {a: 1, \"B\": 'x'});"
        "INSERT INTO t (p, c, v) VALUES (1, 2, 2); INSERT INTO t (p, c, v) VALUES (1, 3, 3); INSERT INTO t (p, c, v) VALUES (2, 1, 1);"
        "UPDATE t SET st = 1, ls = [1] WHERE p = 1; INSERT INTO t (p, c) VALUES (4, 4)"),
        "UPDATE t SET s = {9} WHERE p = 1 AND c = 1",
        "UPDATE t SET u = {a: 7} WHERE p = 1 AND c = 1",
        "UPDATE t SET l = [7] + l WHERE p = 1 AND c = 1; UPDATE t SET ls = ls + [2] WHERE p = 1",
        "DELETE l[1] FROM t WHERE p = 1 AND c = 1; UPDATE t SET l[1] = 9 WHERE p = 1 AND c = 1",
        "UPDATE t USING TTL 3 SET l = l + [5] WHERE p = 1 AND c = 1",
        "DELETE l[0], l[0], l[0], l[0] FROM t WHERE p = 1 AND c = 1",
        "UPDATE t SET w = 'b', l = l + [3], m['c'] = 3, s = s + {3}, u.a = 2 WHERE p = 1 AND c = 1; INSERT INTO t (p, c, v) VALUES (3, 1, 1) USING TTL 100",
        ("DELETE m['a'], s[1], u.\"B\" FROM t WHERE p = 1 AND c = 1; DELETE v FROM t WHERE p = 1 AND c = 2; DELETE FROM t WHERE p = 1 AND c = 3;"
        "UPDATE t SET st = null WHERE p = 1; UPDATE t SET m = {'z': 1}, s = {} WHERE p = 1 AND c = 1"),
        "INSERT INTO t (p, c) VALUES (4, 4) USING TTL 1",
        "", /* nothing */
        "DELETE l FROM t WHERE p = 1 AND c = 1; DELETE FROM t WHERE p = 2; DELETE FROM t WHERE p = 1 AND c > 5 AND c < 9; INSERT INTO t (p, c) VALUES (2, 1)",
    };
    static struct text rows, copied;
    wr_db *from = open_at(CLOCK_S), *to = open_at(CLOCK_S);
    int64_t since_us = INT64_MIN;
    (void)state;
    make(from, MANY_COLUMNS, "");
    make(to, MANY_COLUMNS, "");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (*steps[i])
            exec(from, steps[i]);
        int64_t now_us = last_timestamp(from);
        assert_int_equal(tell(from, to, since_us) == 0, !*steps[i]);
        since_us = now_us;
        all_rows(from, &rows);
        all_rows(to, &copied);
        assert_string_equal(copied.data, rows.data);
    }
    exec(from, "UPDATE t USING TIMESTAMP 5 SET v = 7 WHERE p = 9 AND c = 9"); /* of another clock, and of before */
    assert_int_equal(tell(from, to, since_us), 0);
    assert_int_not_equal(tell(from, to, 4), 0);
    all_rows(from, &rows);
    all_rows(to, &copied);
    assert_string_equal(copied.data, rows.data);
    assert_int_equal(wr_close(from), WR_OK);
    assert_int_equal(wr_close(to), WR_OK);
}

static unsigned below(unsigned n)
{
    return (unsigned)random() % n;
}

/* A table, and writes whose numbers are made up: each %d is one. */
static const struct kind {
    const char *columns, *writes[16]; /* NULL ends these */
} kinds[] = {
    { MANY_COLUMNS, {
        "INSERT INTO t (p, c, v, w) VALUES (%d, %d, %d, 'x')",
        "INSERT INTO t (p, c) VALUES (%d, %d) USING TTL %d1",
        "INSERT INTO t (p, c, v, l, s, u) VALUES (%d, %d, %d, [%d, %d], {%d, %d}, {a: %d}) USING TTL %d1",
        "UPDATE t SET v = null, s = s + {%d}, l = l + [%d, %d] WHERE p = %d AND c = %d",
        "UPDATE t SET l = [%d] + l, u.\"B\" = '%d' WHERE p = %d AND c = %d",
        "UPDATE t USING TTL %d1 SET l = l + [%d], s = s - {%d}, m['%d'] = %d WHERE p = %d AND c = %d",
        "UPDATE t SET l = [], s = {%d}, m = {'%d': 1}, u = {a: %d} WHERE p = %d AND c = %d",
        "DELETE u.a, m['%d'], s[%d] FROM t WHERE p = %d AND c = %d",
        "DELETE l, w FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c > %d",
        "DELETE FROM t WHERE p = %d",
        "UPDATE t SET st = %d, ls = ls + [%d] WHERE p = %d",
        "UPDATE t SET ls = [%d], st = null WHERE p = %d",
    } },
    { "p int PRIMARY KEY, v int, w text, l list<int>, m map<text, int>, s set<int>, u pair", {
        "INSERT INTO t (p, v, w) VALUES (%d, %d, 'x')",
        "INSERT INTO t (p) VALUES (%d) USING TTL %d1",
        "INSERT INTO t (p, v, l, s, u) VALUES (%d, %d, [%d, %d], {%d, %d}, {a: %d}) USING TTL %d1",
        "UPDATE t SET v = null, s = s + {%d}, l = l + [%d, %d] WHERE p = %d",
        "UPDATE t USING TTL %d1 SET l = [%d] + l, s = s - {%d}, m['%d'] = %d WHERE p = %d",
        "UPDATE t SET l = [], s = {%d}, m = {'%d': 1}, u = {a: %d} WHERE p = %d",
        "DELETE u.a, m['%d'], s[%d] FROM t WHERE p = %d",
        "DELETE l, w FROM t WHERE p = %d",
        "DELETE FROM t WHERE p = %d",
    } },
};

static void write_some(wr_db *db, const struct kind *kind)
{
    unsigned writes = 0;
    char cql[300];
    size_t len = 0;
    while (kind->writes[writes])
        writes++;
    for (const char *f = kind->writes[below(writes)]; *f; f++) {
        bool number = f[0] == '%' && f[1] == 'd';
        cql[len++] = number ? (char)('0' + below(4)) : *f;
        f += number;
    }
    cql[len] = 0;
    exec(db, cql);
}

static void seed_histories(void)
{
    const char *given = getenv("WIDEROW_EXPORT_SEED");
    unsigned seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL);
    print_message("WIDEROW_EXPORT_SEED=%u\n", seed);
    srandom(seed);
}

/* Whatever is written, and whenever its copy is told of it: both show the same once what expires is over. */
static void a_copy_that_is_told_of_later_writes(void **state)
{
    enum { KINDS = sizeof kinds / sizeof *kinds, HISTORIES = 200, STEPS = 10, SECOND = 1000000 };
    static struct text rows, copied;
    (void)state;
    seed_histories();
    for (int history = 0; history < HISTORIES; history++) {
        wr_db *both[2] = { open_at(CLOCK_S), open_at(CLOCK_S) };
        const struct kind *kind = &kinds[history % KINDS];
        int64_t since_us = INT64_MIN;
        for (int i = 0; i < 2; i++)
            make(both[i], kind->columns, history / KINDS % 2 ? " WITH default_time_to_live = 20" : "");
        for (int step = 0; step < STEPS; step++) {
            for (unsigned n = below(8); n; n--) {
                write_some(both[0], kind);
                for (int i = 0, by_s = below(4) ? 0 : 1 + (int)below(12); i < 2; i++)
                    wr_clock_step(both[i], (int64_t)by_s * SECOND);
            }
            int64_t now_us = last_timestamp(both[0]);
            tell(both[0], both[1], since_us);
            since_us = now_us;
            for (int i = 0, by_s = 2 * (int)below(2); i < 2; i++)
                wr_clock_step(both[i], (int64_t)by_s * SECOND);
        }
        for (int i = 0; i < 2; i++)
            wr_clock_step(both[i], 2 * SECOND);
        all_rows(both[0], &rows);
        all_rows(both[1], &copied);
        assert_string_equal(copied.data, rows.data);
        for (int i = 0; i < 2; i++)
            assert_int_equal(wr_close(both[i]), WR_OK);
    }
}

/* Lists do not merge, so there are none. */
static const struct kind written_apart = {
    "p int, c int, v int, w text, m map<text, int>, s set<int>, u pair, st int static, ss set<int> static, PRIMARY KEY (p, c)", {
        "INSERT INTO t (p, c, v, w) VALUES (%d, %d, %d, 'x')",
        "INSERT INTO t (p, c) VALUES (%d, %d) USING TTL %d1",
        "INSERT INTO t (p, c, v, s, u) VALUES (%d, %d, %d, {%d, %d}, {a: %d}) USING TTL %d1",
        "UPDATE t SET v = null, s = s + {%d}, m = m - {'%d'} WHERE p = %d AND c = %d",
        "UPDATE t USING TTL %d1 SET s = s - {%d}, m['%d'] = %d WHERE p = %d AND c = %d",
        "UPDATE t SET w = '%d', u.\"B\" = '%d' WHERE p = %d AND c = %d",
        "UPDATE t SET s = {%d}, m = {'%d': 1}, u = {a: %d} WHERE p = %d AND c = %d",
        "DELETE u.a, m['%d'], s[%d] FROM t WHERE p = %d AND c = %d",
        "DELETE s, w FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c = %d",
        "DELETE FROM t WHERE p = %d AND c > %d",
        "DELETE FROM t WHERE p = %d",
        "UPDATE t SET st = %d, ss = ss + {%d} WHERE p = %d",
        "UPDATE t SET ss = {%d}, st = null WHERE p = %d",
    }
};

/* A hub and two devices, each written to apart and with a clock of its own: of two writes of one time the one that expires first may be told as a deletion,
 * which covers the other. A device brings the hub what it has written since the last time, and takes with it what has come there: all
 * that is later than the earliest time until which any device had brought its writes when this one was last there. In the end all show the same,
 * once what expires is over. */
static void databases_that_are_merged_at_a_hub(void **state)
{
    enum { DATABASES = 3, HISTORIES = 200, STEPS = 12, SECOND = 1000000, APART_US = SECOND / 10 };
    static struct text rows, others;
    (void)state;
    seed_histories();
    for (int history = 0; history < HISTORIES; history++) {
        wr_db *dbs[DATABASES];
        int64_t brought_us[DATABASES], since_us[DATABASES];
        for (int i = 0; i < DATABASES; i++) {
            dbs[i] = open_at(CLOCK_S);
            wr_clock_step(dbs[i], (int64_t)i * APART_US);
            make(dbs[i], written_apart.columns, "");
            brought_us[i] = since_us[i] = 0; /* and not all that an empty copy wants: what has expired hides what others have */
        }
        for (int step = 0; step < STEPS; step++) {
            for (unsigned n = below(8); n; n--) {
                write_some(dbs[below(DATABASES)], &written_apart);
                for (int i = 0, by_s = below(4) ? 0 : 1 + (int)below(12); i < DATABASES; i++)
                    wr_clock_step(dbs[i], (int64_t)by_s * SECOND);
            }
            int device = 1 + (int)below(DATABASES - 1);
            brought_us[0] = last_timestamp(dbs[0]);
            int64_t now_us = last_timestamp(dbs[device]);
            tell(dbs[device], dbs[0], brought_us[device]);
            tell(dbs[0], dbs[device], since_us[device]);
            brought_us[device] = now_us;
            since_us[device] = brought_us[0];
            for (int i = 1; i < DATABASES; i++)
                since_us[device] = brought_us[i] < since_us[device] ? brought_us[i] : since_us[device];
        }
        for (int device = 1; device < DATABASES; device++)
            tell(dbs[device], dbs[0], brought_us[device]);
        for (int device = 1; device < DATABASES; device++)
            tell(dbs[0], dbs[device], since_us[device]);
        for (int i = 0; i < DATABASES; i++)
            wr_clock_step(dbs[i], 2 * SECOND);
        all_rows(dbs[0], &rows);
        for (int i = 1; i < DATABASES; i++) {
            all_rows(dbs[i], &others);
            assert_string_equal(others.data, rows.data);
        }
        for (int i = 0; i < DATABASES; i++)
            assert_int_equal(wr_close(dbs[i]), WR_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_writes_alone),
        cmocka_unit_test(a_copy_that_is_told_of_later_writes),
        cmocka_unit_test(databases_that_are_merged_at_a_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
