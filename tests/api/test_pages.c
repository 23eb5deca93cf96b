/* Rows as they come, in pages of any size and without: widerow.h, wr_set_page_size, wr_page_state. */
#include "handle.h"

static void pages(void **state)
{
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, c) VALUES (1, ?)");
    char kept[256];
    size_t len;
    int rows = 0;
    for (int i = 0; i < 10; i++) {
        wr_bind_int(s, 0, i);
        assert_int_equal(wr_step(s), WR_DONE);
    }
    wr_finalize(s);
    s = prepare(*state, "SELECT c FROM t WHERE p = 1");
    wr_set_page_size(s, 4);
    while (wr_step(s) == WR_ROW)
        assert_int_equal(wr_column_int(s, 0), rows++);
    assert_int_equal(rows, 4);
    const void *place = wr_page_state(s, &len);
    assert_true(place && len < sizeof kept);
    memcpy(kept, place, len);
    wr_finalize(s);
    s = prepare(*state, "SELECT c FROM t WHERE p = 1"); /* another statement goes on there */
    wr_set_page_size(s, 100);
    assert_int_equal(wr_set_page_state(s, kept, len), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), rows++);
    assert_int_equal(wr_set_page_state(s, "a longer one, in the midst of a run", 35), WR_MISUSE);
    while (wr_step(s) == WR_ROW)
        assert_int_equal(wr_column_int(s, 0), rows++);
    assert_int_equal(rows, 10);
    assert_null(wr_page_state(s, &len));
    wr_set_page_state(s, "garbage", 7);
    assert_int_equal(wr_step(s), WR_PROTOCOL);
    assert_string_equal(wr_stmt_error(s), "Invalid value for the paging state");
    wr_finalize(s);
}

enum { MANY = 130 };

/* Rows behind one that a step gave may be ready already: whoever counts, pages, stops or asks for texts in between sees one after the other. */
static int read_page(wr_stmt *s, int at, int stop)
{
    char expected[32];

    for (int n = 0; n != stop && wr_step(s) == WR_ROW; n++, at++) {
        assert_int_equal(wr_column_int(s, 0), at / 65);
        assert_int_equal(wr_column_int(s, 1), at % 65);
        snprintf(expected, sizeof expected, at % 11 ? "text %d" : "another %d", at);
        assert_string_equal(wr_column_text(s, 2), expected);
        assert_string_equal(wr_column_text(s, 2), expected);
    }
    assert_true(wr_stmt_status(s) == WR_ROW || wr_stmt_status(s) == WR_DONE);
    return at;
}

static void rows_come_one_after_the_other(void **state)
{
    static const int limits[] = { 1, 7, 8, 9, 24, 25, 64, 65, 66, MANY - 1, MANY, MANY + 1 }, pages[] = { 1, 8, 9, 33, 65, 200 };
    char text[200];

    exec(*state, "CREATE TABLE many (p int, c int, v text, w int, PRIMARY KEY (p, c))");
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "INSERT INTO many (p, c, v) VALUES (%d, %d, 'text %d')", i / 65, i % 65, i);
        exec(*state, text);
        snprintf(text, sizeof text, "UPDATE many SET v = 'another %d' WHERE p = %d AND c = %d", i, i / 65, i % 65); /* not all of one time */
        if (i % 11 == 0)
            exec(*state, text);
    }
    wr_stmt *s = prepare(*state, "SELECT p, c, v FROM many WHERE p IN (0, 1) LIMIT ?");
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        int most = limits[l] < MANY ? limits[l] : MANY;
        wr_bind_int(s, 0, limits[l]);
        assert_int_equal(read_page(s, 0, -1), most);
        for (int stop = 1; stop < most; stop += 10) {
            assert_int_equal(read_page(s, 0, stop), stop);
            wr_reset(s);
        }
        for (size_t p = 0; p < sizeof pages / sizeof *pages; p++) {
            int at = 0;
            bool more = true;
            wr_set_page_size(s, pages[p]);
            for (int from = 0; more; from = at) {
                char place[256];
                size_t len;
                at = read_page(s, from, -1);
                assert_int_equal(at - from, most - from < pages[p] ? most - from : pages[p]);
                const void *next = wr_page_state(s, &len);
                more = next && at < most;
                assert_true(len <= sizeof place && (next || at == most));
                if (next)
                    memcpy(place, next, len);
                assert_int_equal(wr_set_page_state(s, more ? place : NULL, more ? len : 0), WR_OK);
            }
            assert_int_equal(at, most);
        }
        wr_set_page_size(s, 0);
    }
    wr_finalize(s);
}

/* The same where a row is all that its partition has: whatever is asked for of them, in pages of any size. */
static int walk(wr_stmt *s, int page, int *keys)
{
    char place[256];
    size_t len;
    int n = 0, in_page;

    wr_set_page_size(s, page);
    for (bool more = true; more;) {
        for (in_page = 0; wr_step(s) == WR_ROW; in_page++)
            keys[n++] = (int)wr_column_int(s, 0);
        assert_int_equal(wr_stmt_status(s), WR_DONE);
        const void *next = wr_page_state(s, &len);
        assert_true(page <= 0 || in_page == page || (in_page < page && !next));
        more = next != NULL;
        assert_true(len <= sizeof place);
        if (more)
            memcpy(place, next, len);
        assert_int_equal(wr_set_page_state(s, more ? place : NULL, more ? len : 0), WR_OK);
    }
    return n;
}

static void partitions_of_one_row_come_one_after_the_other(void **state)
{
    static const struct {
        const char *cql;
        int every, of; /* which keys it gives: those that this divides with that left */
    } reads[] = {
        { "SELECT p FROM singles", 1, 0 },
        { "SELECT p, v, w FROM singles", 1, 0 },
        { "SELECT p, cast(w AS text), v FROM singles", 1, 0 },
        { "SELECT p, count(*), max(w) FROM singles GROUP BY p", 1, 0 },
        { "SELECT p, v FROM singles PER PARTITION LIMIT 1", 1, 0 },
        { "SELECT p, v FROM singles WHERE w = 3 ALLOW FILTERING", 5, 3 },
        { "SELECT p, w + 1 FROM singles WHERE w = 3 ALLOW FILTERING", 5, 3 },
        { "SELECT p, count(w) FROM singles WHERE w = 3 GROUP BY p ALLOW FILTERING", 5, 3 },
    };
    static const int pages[] = { 1, 2, 7, 8, 9, 33, 64, 500 };
    enum { SINGLES = 200 };
    int all[SINGLES], keys[SINGLES], count, n = 0;
    char text[200];

    exec(*state, "CREATE TABLE singles (p int PRIMARY KEY, v text, w int)");
    for (int i = 0; i < SINGLES; i++) {
        snprintf(text, sizeof text, "INSERT INTO singles (p, v, w) VALUES (%d, 'text %d', %d)", i, i, i % 5);
        exec(*state, text);
        snprintf(text, sizeof text, i % 7 ? "UPDATE singles SET v = 'another' WHERE p = %d" : "DELETE FROM singles WHERE p = %d", i);
        if (i % 7 == 0 || i % 11 == 0) /* not all of one time, some gone */
            exec(*state, text);
    }
    wr_stmt *tokens = prepare(*state, "SELECT p, token(p) FROM singles");
    for (int64_t last = INT64_MIN; wr_step(tokens) == WR_ROW; last = wr_column_int(tokens, 1)) {
        assert_true(n == 0 || wr_column_int(tokens, 1) > last);
        all[n++] = (int)wr_column_int(tokens, 0);
    }
    assert_int_equal(n, SINGLES - (SINGLES + 6) / 7);
    wr_finalize(tokens);
    for (size_t r = 0; r < sizeof reads / sizeof *reads; r++) {
        wr_stmt *s = prepare(*state, reads[r].cql);
        for (size_t p = 0; p < sizeof pages / sizeof *pages; p++) {
            count = walk(s, pages[p], keys);
            for (int i = n = 0; i < SINGLES - (SINGLES + 6) / 7; i++)
                if (all[i] % reads[r].every == reads[r].of)
                    assert_true(n < count && keys[n++] == all[i]);
            assert_int_equal(n, count);
        }
        wr_finalize(s);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tables, teardown)
    const struct CMUnitTest tests[] = {
        TEST(pages),
        TEST(rows_come_one_after_the_other),
        TEST(partitions_of_one_row_come_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
