/* Indexes where there is much: a range of more rows than are gathered, the nearest of many wide rows, LIKE in the midst of texts. */
#include "handle.h"

static int setup(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; USE k");
    *state = db;
    return 0;
}

enum { PARTITIONS = 7, ROWS = 66000, NEAR = 3000 };

static enum wr_status fill(void *arg)
{
    wr_db *db = arg;
    wr_stmt *s = prepare(db, "INSERT INTO many (p, c, v, t) VALUES (?, ?, ?, ?)");
    char text[32];
    for (int i = 0; i < ROWS; i++) {
        snprintf(text, sizeof text, "text %d", i);
        wr_bind_int(s, 0, i % PARTITIONS);
        wr_bind_int(s, 1, i);
        wr_bind_int(s, 2, i);
        wr_bind_text(s, 3, text, -1);
        if (wr_step(s) != WR_DONE)
            fail_msg("%s", wr_stmt_error(s));
    }
    wr_finalize(s);
    return WR_OK;
}

/* Every row once, in the same order as without an index, in pages. */
static int count_rows(wr_db *db, const char *cql, int page, int64_t *sum)
{
    wr_stmt *s = prepare(db, cql);
    size_t len;
    int n = 0;
    *sum = 0;
    wr_set_page_size(s, page);
    do {
        int64_t last_c = -1, last_p = -1;
        while (wr_step(s) == WR_ROW) {
            int64_t p = wr_column_int(s, 0), c = wr_column_int(s, 1);
            assert_true(p != last_p || c > last_c);
            last_p = p;
            last_c = c;
            *sum += (p * 1000003 + c) * (n % 1000 + 1); /* of another order there is another sum */
            n++;
        }
        const void *state = wr_page_state(s, &len);
        if (len)
            wr_set_page_state(s, state, len);
    } while (len);
    wr_finalize(s);
    return n;
}

/* A range of more rows than are gathered reads the table; it is answered all the same. */
static void a_range_of_many(void **state)
{
    wr_db *db = *state;
    int64_t all, some, expected;
    exec(db, "CREATE TABLE many (p int, c int, v int, t text, PRIMARY KEY (p, c)); CREATE INDEX ON many (v) USING 'sai';"
             "CREATE CUSTOM INDEX ON many (t) USING 'org.apache.cassandra.index.sasi.SASIIndex' WITH OPTIONS = {'mode': 'CONTAINS'}");
    assert_int_equal(wr_atomically(db, fill, db), WR_OK);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many", -1, &expected), ROWS);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v >= 0", -1, &all), ROWS);
    assert_int_equal(all, expected);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v >= 0", 10007, &all), ROWS);
    assert_int_equal(all, expected);
    count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 9000 ALLOW FILTERING", -1, &expected);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 9000", 999, &some), 8000);
    assert_int_equal(some, expected);
    for (int page = 10; page <= 512; page += 251) { /* a small page: of more than 128 rows for each of its own */
        assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 9000", page, &some), 8000);
        assert_int_equal(some, expected);
        assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 9000 AND c > 8001 ALLOW FILTERING", page, &some), 999);
        assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 1500 AND c > 1400 ALLOW FILTERING", page, &some), 100);
    }
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 9000 LIMIT 100", -1, &expected), 100);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v > 1000 AND v <= 9000 LIMIT 100", 10, &some), 100);
    assert_int_equal(some, expected);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE t LIKE 'text %'", 20000, &all), ROWS);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE t LIKE '%xt 6543%'", -1, &some), 11);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE t LIKE '%65431'", -1, &some), 1);
    assert_int_equal(count_rows(db, "SELECT p, c FROM many WHERE v = 65431", -1, &some), 1);
}

/* Rows of a range that lie together, or are few of a large table, are gathered after all, where reading the table for a small page meets too few of them. */
static void a_range_of_some_partitions(void **state)
{
    enum { OTHERS = 12000, FAR = 4, EACH = 700, SPREAD = 2400 };
    wr_db *db = *state;
    int64_t expected, some;
    int far[FAR], found = 0;
    exec(db, "CREATE TABLE apart (p int, c int, v int, w int, s int static, PRIMARY KEY (p, c)); CREATE INDEX ON apart (v) USING 'sai';"
             "CREATE INDEX ON apart (w) USING 'sai'; CREATE INDEX ON apart (s) USING 'sai'");
    wr_stmt *s = prepare(db, "INSERT INTO apart (p, c, v, w, s) VALUES (?, 0, 0, ?, ?)");
    for (int i = 0; i < OTHERS; i++) {
        wr_bind_int(s, 0, i);
        wr_bind_int(s, 1, i % (OTHERS / SPREAD) == 0);
        wr_bind_int(s, 2, i % (OTHERS / SPREAD) == 0);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
    s = prepare(db, "SELECT p FROM apart WHERE token(p) > 5000000000000000000");
    for (int i = 0; wr_step(s) == WR_ROW; i++)
        if (i % 500 == 0 && found < FAR)
            far[found++] = (int)wr_column_int(s, 0);
    wr_finalize(s);
    assert_int_equal(found, FAR);
    s = prepare(db, "INSERT INTO apart (p, c, v) VALUES (?, ?, 1)");
    for (int i = 0; i < FAR * EACH; i++) {
        wr_bind_int(s, 0, far[i % FAR]);
        wr_bind_int(s, 1, i);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
    exec(db, "UPDATE apart SET s = 1 WHERE p = -1");
    for (int page = 1; page <= 16; page += 3) {
        assert_int_equal(count_rows(db, "SELECT p, c FROM apart WHERE v > 0", page, &some), FAR * EACH);
        count_rows(db, "SELECT p, c FROM apart WHERE v > 0 ALLOW FILTERING", -1, &expected);
        assert_int_equal(some, expected);
        assert_int_equal(count_rows(db, "SELECT p, c FROM apart WHERE w > 0", page, &some), SPREAD);
        count_rows(db, "SELECT p, c FROM apart WHERE w > 0", -1, &expected);
        assert_int_equal(some, expected);
        int rows = count_rows(db, "SELECT p, c FROM apart WHERE s > 0", -1, &expected);
        assert_int_equal(count_rows(db, "SELECT p, c FROM apart WHERE s > 0", page, &some), rows);
        assert_int_equal(some, expected);
        assert_int_equal(count_rows(db, "SELECT p, c FROM apart WHERE v > 0 PER PARTITION LIMIT 3", page, &some), FAR * 3);
    }
    assert_int_equal(count_rows(db, "SELECT count(*), max(c) FROM apart WHERE v > 0", 10, &some), 1);
}

/* Large partitions, read either way, that end with what is asked for. */
static void a_range_at_the_end_of_a_partition(void **state)
{
    enum { ROWS_EACH = 6000, HITS = 2500 };
    wr_db *db = *state;
    int64_t expected, some;
    exec(db, "CREATE TABLE up (p int, c int, v int, PRIMARY KEY (p, c)); CREATE INDEX ON up (v) USING 'sai';"
             "CREATE TABLE down (p int, c int, v int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC); CREATE INDEX ON down (v) USING 'sai'");
    wr_stmt *up = prepare(db, "INSERT INTO up (p, c, v) VALUES (?, ?, ?)"), *down = prepare(db, "INSERT INTO down (p, c, v) VALUES (?, ?, ?)");
    for (int i = 0; i < 2 * ROWS_EACH; i++) {
        int c = i % ROWS_EACH;
        wr_stmt *both[] = { up, down };
        for (int t = 0; t < 2; t++) {
            wr_bind_int(both[t], 0, i / ROWS_EACH);
            wr_bind_int(both[t], 1, t ? -c : c); /* read from the greatest on */
            wr_bind_int(both[t], 2, c >= ROWS_EACH - HITS);
            assert_int_equal(wr_step(both[t]), WR_DONE);
        }
    }
    wr_finalize(up);
    wr_finalize(down);
    for (int page = 1; page <= 16; page += 5)
        for (int t = 0; t < 2; t++) {
            int sign = t ? -1 : 1, n = 0;
            wr_stmt *s = prepare(db, t ? "SELECT p, c FROM down WHERE v > 0" : "SELECT p, c FROM up WHERE v > 0");
            size_t len;
            wr_set_page_size(s, page);
            do {
                for (; wr_step(s) == WR_ROW; n++)
                    assert_int_equal(wr_column_int(s, 1), sign * (ROWS_EACH - HITS + n % HITS));
                const void *state_of_page = wr_page_state(s, &len);
                if (len)
                    wr_set_page_state(s, state_of_page, len);
            } while (len);
            assert_int_equal(n, 2 * HITS);
            wr_finalize(s);
        }
    assert_int_equal(count_rows(db, "SELECT p, c FROM up WHERE v > 0 PER PARTITION LIMIT 3", 2, &some), 6);
    assert_int_equal(count_rows(db, "SELECT p, c FROM up WHERE v > 0 PER PARTITION LIMIT 3", -1, &expected), 6);
    assert_int_equal(some, expected);
}

/* Each row is nearer than those before it, so each is kept for a while: what is kept lies in bounded memory, and is right. */
static void the_nearest_of_wide_rows(void **state)
{
    wr_db *db = *state;
    static char wide[4096];
    memset(wide, 'w', sizeof wide);
    exec(db, "CREATE TABLE near (p int, c int, t text, v vector<float, 2>, PRIMARY KEY (p, c));"
             "CREATE INDEX ON near (v) USING 'sai' WITH OPTIONS = {'similarity_function': 'euclidean'}");
    wr_stmt *s = prepare(db, "INSERT INTO near (p, c, t, v) VALUES (1, ?, ?, ?)");
    for (int i = 0; i < NEAR; i++) {
        wr_bind_int(s, 0, i);
        wr_bind_text(s, 1, wide, sizeof wide);
        wr_bind_open(s, 2);
        wr_bind_double(s, WR_ELEMENT, NEAR - i);
        wr_bind_double(s, WR_ELEMENT, 0);
        wr_bind_close(s);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
    s = prepare(db, "SELECT c, t FROM near ORDER BY v ANN OF [0, 0] LIMIT 5");
    for (int run = 0; run < 2; run++) {
        for (int i = NEAR - 1; i > NEAR - 6; i--) {
            size_t len;
            assert_int_equal(wr_step(s), WR_ROW);
            assert_int_equal(wr_column_int(s, 0), i);
            const char *text = wr_column_bytes(s, 1, &len);
            assert_int_equal(len, sizeof wide);
            assert_memory_equal(text, wide, len);
        }
        assert_int_equal(wr_step(s), WR_DONE);
    }
    assert_int_equal(wr_step(s), WR_ROW); /* left in the midst of its rows */
    wr_finalize(s);
}

/* A legacy index holds values as partition keys: at the limit, and one past it. */
static void a_value_too_long_to_index(void **state)
{
    static const char *const statements[] = {
        "INSERT INTO long (p, v) VALUES (?, ?)",
        "UPDATE long SET s = s + ? WHERE p = ?",
        "UPDATE long SET m[?] = 1 WHERE p = ?",
    };
    wr_db *db = *state;
    static char value[65535];
    memset(value, 'v', sizeof value);
    exec(db, "CREATE TABLE long (p int PRIMARY KEY, v text, s set<text>, m map<text, int>);"
             "CREATE INDEX ON long (v); CREATE INDEX ON long (s); CREATE INDEX ON long (keys(m))");
    for (int i = 0; i < 3; i++) {
        wr_stmt *s = prepare(db, statements[i]);
        for (int past = 0; past < 2; past++) {
            wr_bind_int(s, i > 0, 1);
            if (i == 1)
                wr_bind_open(s, 0);
            wr_bind_text(s, i == 0 ? 1 : i == 1 ? WR_ELEMENT : 0, value, 65534 + past);
            if (i == 1)
                wr_bind_close(s);
            assert_int_equal(wr_step(s), past ? WR_INVALID : WR_DONE);
            if (past)
                assert_non_null(strstr(wr_stmt_error(s), "Cannot index value of size 65535 for index long_"));
        }
        wr_finalize(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_range_of_many, setup, teardown),
        cmocka_unit_test_setup_teardown(a_range_of_some_partitions, setup, teardown),
        cmocka_unit_test_setup_teardown(a_range_at_the_end_of_a_partition, setup, teardown),
        cmocka_unit_test_setup_teardown(the_nearest_of_wide_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(a_value_too_long_to_index, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
