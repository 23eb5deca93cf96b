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
    enum { OTHERS = 12000, FAR = 4, EACH = 700, SPREAD = 2400, LAST = 600 };
    wr_db *db = *state;
    int64_t expected, some;
    int far[FAR], last[LAST], found = 0, lasts = 0;
    exec(db, "CREATE TABLE apart (p int, c int, v int, w int, x int, s int static, PRIMARY KEY (p, c)); CREATE INDEX ON apart (v) USING 'sai';"
             "CREATE INDEX ON apart (x) USING 'sai'; CREATE INDEX ON apart (w) USING 'sai'; CREATE INDEX ON apart (s) USING 'sai'");
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
        else if (i > 2000 && lasts < LAST)
            last[lasts++] = (int)wr_column_int(s, 0);
    wr_finalize(s);
    assert_int_equal(found, FAR);
    assert_int_equal(lasts, LAST);
    s = prepare(db, "UPDATE apart SET x = 1 WHERE p = ? AND c = 0");
    for (int i = 0; i < LAST; i++) {
        wr_bind_int(s, 0, last[i]);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
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
        assert_int_equal(count_rows(db, "SELECT p, c FROM apart WHERE x > 0", page, &some), LAST);
        count_rows(db, "SELECT p, c FROM apart WHERE x > 0", -1, &expected);
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

/* Of a map whose keys lie in their values, too, the value alone counts. */
static void a_long_value_of_a_lossy_key(void **state)
{
    wr_db *db = *state;
    static char value[65535];
    memset(value, 'v', sizeof value);
    exec(db, "CREATE TABLE lossy (p int PRIMARY KEY, m map<decimal, text>, e map<decimal, text>);"
             "CREATE INDEX ON lossy (values(m)); CREATE INDEX ON lossy (entries(e))");
    static const struct {
        const char *cql;
        int most; /* of an entry the composite of key and value: 2 lengths, 2 ends, and 5 bytes of the key */
    } cases[] = { { "UPDATE lossy SET m[1] = ? WHERE p = 1", 65534 }, { "UPDATE lossy SET e[1] = ? WHERE p = 1", 65523 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wr_stmt *s = prepare(db, cases[i].cql);
        wr_bind_text(s, 0, value, cases[i].most);
        assert_int_equal(wr_step(s), WR_DONE);
        wr_bind_text(s, 0, value, cases[i].most + 1);
        assert_int_equal(wr_step(s), WR_INVALID);
        assert_non_null(strstr(wr_stmt_error(s), "Cannot index value of size 65535 for index lossy_"));
        wr_finalize(s);
    }
}

enum { HIT_PARTITIONS = 60, HIT_ROWS = 50 };

static enum wr_status fill_hits(void *arg)
{
    wr_stmt *s = arg;
    static char text[700];
    memset(text, 'c', sizeof text);
    for (int p = 0; p < HIT_PARTITIONS; p++)
        for (int i = 0; i < HIT_ROWS; i++) {
            int n = snprintf(text, 16, "%02d", i); /* one of ten is too long for a key of LMDB's */
            text[n] = 'c';
            wr_bind_int(s, 0, p % 7);
            wr_bind_text(s, 1, p < 30 ? "few" : "many", -1);
            wr_bind_int(s, 2, p);
            wr_bind_text(s, 3, text, i % 10 == 9 ? (ptrdiff_t)sizeof text : 2);
            wr_bind_int(s, 4, i);
            wr_bind_int(s, 5, p < 30 ? (p * HIT_ROWS + i) % 100 : 100 + i % 3);
            wr_bind_text(s, 6, i % 5 ? "n" : "y", -1);
            if (wr_step(s) != WR_DONE)
                fail_msg("%s", wr_stmt_error(s));
        }
    return WR_OK;
}

/* A table of hits: rows written once, with a TTL, changed since, deleted, with a null, in partitions with statics and without. */
static void make_hits(wr_db *db, const char *name, const char *order, const char *index)
{
    char cql[2000];
    snprintf(cql, sizeof cql,
             "CREATE TABLE %s (a int, b text, p int, c text, d int, v int, t text, l set<int>, s int static, PRIMARY KEY ((a, b, p), c, d)) WITH CLUSTERING ORDER BY (%s)",
             name, order);
    exec(db, cql);
    if (index) {
        snprintf(cql, sizeof cql, index, name);
        exec(db, cql);
    }
    snprintf(cql, sizeof cql, "INSERT INTO %s (a, b, p, c, d, v, t) VALUES (?, ?, ?, ?, ?, ?, ?)", name);
    wr_stmt *s = prepare(db, cql);
    assert_int_equal(wr_atomically(db, fill_hits, s), WR_OK);
    wr_finalize(s);
    for (int p = 0; p < HIT_PARTITIONS; p += 2) {
        char key[64];
        snprintf(key, sizeof key, "a = %d AND b = '%s' AND p = %d", p % 7, p < 30 ? "few" : "many", p);
        snprintf(cql, sizeof cql,
                 "UPDATE %s SET s = %d WHERE %s; DELETE FROM %s WHERE %s AND c = '03' AND d = 3; UPDATE %s USING TTL 100 SET t = 'ends' WHERE %s AND c = '04' AND d = 4;"
                 "UPDATE %s SET v = 7 WHERE %s AND c = '05' AND d = 5; UPDATE %s SET v = null WHERE %s AND c = '06' AND d = 6;"
                 "UPDATE %s SET l = {1, 2}, t = 'x' WHERE %s AND c = '07' AND d = 7; UPDATE %s USING TTL 10 SET v = 101 WHERE %s AND c = '08' AND d = 8",
                 name, p, key, name, key, name, key, name, key, name, key, name, key, name, key);
        exec(db, cql);
    }
}

/* What a query gives, whole or in pages: how many rows and a sum of their bytes in their order. */
static int rows_of(wr_db *db, const char *table, const char *select, const char *rest, int page, uint64_t *sum)
{
    char cql[500];
    enum wr_status st;
    size_t len;
    int n = 0;
    *sum = 14695981039346656037u;
    snprintf(cql, sizeof cql, "SELECT %s FROM %s WHERE %s ALLOW FILTERING", select, table, rest);
    wr_stmt *s = prepare(db, cql);
    wr_set_page_size(s, page);
    do {
        for (; (st = wr_step(s)) == WR_ROW; n++)
            for (int i = 0; i < wr_column_count(s); i++) {
                const uint8_t *bytes = wr_column_bytes(s, i, &len);
                *sum = (*sum ^ (wr_column_is_null(s, i) ? 999 : len)) * 1099511628211u;
                for (size_t b = 0; b < len; b++)
                    *sum = (*sum ^ bytes[b]) * 1099511628211u;
            }
        if (st != WR_DONE)
            fail_msg("%s: %s", cql, wr_stmt_error(s));
        const void *state = wr_page_state(s, &len);
        if (len)
            wr_set_page_state(s, state, len);
    } while (len);
    wr_finalize(s);
    return n;
}

struct within {
    wr_db *db;
    const char *table, *rest;
    int rows;
    uint64_t sum;
};

/* Where a write may come between two rows they are read one by one. */
static enum wr_status read_within(void *arg)
{
    struct within *w = arg;
    wr_stmt *s = prepare(w->db, "UPDATE plain SET s = 1000 WHERE a = -1 AND b = '' AND p = -1");
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    w->rows = rows_of(w->db, w->table, "*", w->rest, -1, &w->sum);
    return WR_OK;
}

/* Rows of many hits, read some at a time, are those that reading the table finds, in its order. */
static void many_hits(void **state)
{
    static const char *const orders[] = { "c ASC, d DESC", "c DESC, d ASC" };
    static const char *const indexes[] = { "CREATE INDEX ON %s (v)", "CREATE INDEX ON %s (v) USING 'sai'" };
    static const char *const selects[] = { "*", "p, t, s, v", "v", "c, l", "p, ttl(t)", "v + 1, d", "token(a, b, p), d" };
    static const char *const rests[] = {
        "v = 7", "v = 50", "v = 100", "v = 101", "v = 102", "v = 1000", "v = 101 LIMIT 1", "v = 101 LIMIT 50", "v = 100 LIMIT 333", "v = 101 PER PARTITION LIMIT 3",
        "v = 100 PER PARTITION LIMIT 2 LIMIT 31", "v = 101 AND t = 'x'", "v = 101 AND t = 'y'", "v = 101 AND t = 'y' LIMIT 40", "v = 101 AND t = 'ends'", "v = 101 AND s = 40", "v = 101 AND c > '20'", "v = 101 AND c IN ('07', '11', '14')",
        "v = 101 AND token(a, b, p) > 0", "v = 101 AND b = 'many'", "v = 101 AND a = 3 AND b = 'many' AND p = 38", "v = 101 AND a = 3 AND b = 'many' AND p = 38 AND c < '30'",
    };
    wr_db *db = *state;
    wr_clock_set(db, 1700000000000000);
    for (size_t o = 0; o < 2; o++) {
        make_hits(db, "plain", orders[o], NULL);
        make_hits(db, "legacy", orders[o], indexes[0]);
        make_hits(db, "sai", orders[o], indexes[1]);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t r = 0; r < sizeof rests / sizeof *rests; r++) {
                struct within whole = { db, "plain", rests[r], 0, 0 }, found = { db, pass ? "legacy" : "sai", rests[r], 0, 0 };
                assert_int_equal(wr_atomically(db, read_within, &whole), WR_OK);
                assert_int_equal(wr_atomically(db, read_within, &found), WR_OK);
                assert_int_equal(found.rows, whole.rows);
                assert_true(found.sum == whole.sum);
                for (size_t c = 0; c < sizeof selects / sizeof *selects; c++) {
                    static const int pages[] = { -1, 1, 2, 3, 5, 8, 45, 1000 };
                    uint64_t expected, sum;
                    int n = rows_of(db, "plain", selects[c], rests[r], -1, &expected);
                    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
                        assert_int_equal(rows_of(db, "legacy", selects[c], rests[r], pages[i], &sum), n);
                        assert_true(sum == expected);
                        assert_int_equal(rows_of(db, "sai", selects[c], rests[r], pages[i], &sum), n);
                        assert_true(sum == expected);
                    }
                }
            }
            wr_clock_step(db, 11000000); /* a TTL passes: some entries lead to rows that are no answers any more */
        }
        exec(db, "DROP TABLE plain; DROP TABLE legacy; DROP TABLE sai");
        wr_clock_step(db, 1000000);
    }
}

/* What a server says was written when a vector makes a write fail. */
static void a_failed_write_tells_its_type(void **state)
{
    static const struct {
        const char *cql, *write_type;
    } writes[] = {
        { "INSERT INTO near (p, v) VALUES (1, [NaN, 1])", "SIMPLE" },
        { "UPDATE near SET v = [NaN, 1] WHERE p IN (1)", "SIMPLE" },
        { "UPDATE near SET v = [NaN, 1] WHERE p IN (1, 2)", "UNLOGGED_BATCH" },
        { "UPDATE near SET v = [NaN, 1] WHERE p = 1 IF v = null", "SIMPLE" },
        { "BEGIN BATCH UPDATE near SET v = [NaN, 1] WHERE p IN (1, 2); APPLY BATCH", "BATCH" },
        { "BEGIN BATCH UPDATE near SET v = [NaN, 1] WHERE p = 1; APPLY BATCH", "SIMPLE" },
        { "BEGIN UNLOGGED BATCH UPDATE near SET v = [NaN, 1] WHERE p IN (1, 2); APPLY BATCH", "UNLOGGED_BATCH" },
    };
    wr_db *db = *state;
    exec(db, "CREATE TABLE near (p int PRIMARY KEY, v vector<float, 2>); CREATE INDEX ON near (v) USING 'sai'");
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        struct wr_failure f;
        wr_stmt *s = prepare(db, writes[i].cql);
        assert_int_equal(wr_step(s), WR_WRITE_FAILURE);
        wr_stmt_failure(s, &f);
        assert_string_equal(f.write_type, writes[i].write_type);
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
        cmocka_unit_test_setup_teardown(a_long_value_of_a_lossy_key, setup, teardown),
        cmocka_unit_test_setup_teardown(many_hits, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failed_write_tells_its_type, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
