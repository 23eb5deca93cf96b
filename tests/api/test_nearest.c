/* ORDER BY v ANN OF: the nearest of all rows, by the scores that the functions tell, whatever the vectors are like. */
#include "handle.h"

#include <endian.h>
#include <stdlib.h>

#include "../random/chance.h"

enum { ROWS = 1500, DIMENSIONS = 33, NEAREST_MAX = 20 };

static const char *const similarities[] = { "cosine", "euclidean", "dot_product" };

/* In the order of the protocol. Some are alike, some the same, some far from all. */
static void make_vector(uint32_t words[DIMENSIONS])
{
    static float before[DIMENSIONS];
    float size = one_in(20) ? 1E4f : one_in(3) ? 1E-3f : 1;
    bool again = before[0] != 0 && one_in(10), near = one_in(2); /* no index takes one that has no direction */

    for (int i = 0; i < DIMENSIONS; i++) {
        float v = (float)((int)below(2000001) - 1000000) * 1E-6f;
        v = again ? before[i] : near ? before[i] + v * size * 1E-3f : v * size;
        before[i] = v;
        memcpy(&words[i], &v, sizeof v);
        words[i] = htobe32(words[i]);
    }
}

static void put(wr_db *db, const char *similarity, int from, int to)
{
    char cql[200];
    uint32_t vector[DIMENSIONS];

    snprintf(cql, sizeof cql, "INSERT INTO v_%s (p, c, g, v) VALUES (?, ?, ?, ?)", similarity);
    wr_stmt *stmt = prepare(db, cql);
    for (int i = from; i < to; i++) {
        make_vector(vector);
        wr_bind_int(stmt, 0, i / 3);
        wr_bind_int(stmt, 1, i % 3);
        wr_bind_int(stmt, 2, i % 4);
        wr_bind_value(stmt, 3, one_in(30) ? NULL : vector, sizeof vector);
        assert_int_equal(wr_step(stmt), WR_DONE);
        wr_reset(stmt);
    }
    wr_finalize(stmt);
}

/* Some rows before there is an index, the others behind it. */
static void fill(wr_db *db, const char *similarity)
{
    char cql[400];

    snprintf(cql, sizeof cql, "CREATE TABLE v_%s (p int, c int, g int, v vector<float, %d>, PRIMARY KEY (p, c))", similarity, DIMENSIONS);
    exec(db, cql);
    put(db, similarity, 0, ROWS / 2);
    snprintf(cql, sizeof cql, "CREATE INDEX ON v_%s (v) USING 'sai' WITH OPTIONS = {'similarity_function': '%s'};"
             "CREATE INDEX ON v_%s (g) USING 'sai'", similarity, similarity, similarity);
    exec(db, cql);
    put(db, similarity, ROWS / 2, ROWS);
}

static void change(wr_db *db, const char *similarity)
{
    static const char *const changes[] = { "DELETE v FROM v_%s WHERE p = %d AND c = 1", "DELETE FROM v_%s WHERE p = %d AND c = 2", "DELETE FROM v_%s WHERE p = %d",
                                           "UPDATE v_%s SET g = 2 WHERE p = %d AND c = 0" };
    char cql[200];

    put(db, similarity, ROWS / 4, ROWS / 3);
    for (int i = 0; i < ROWS / 10; i++) {
        snprintf(cql, sizeof cql, changes[below(sizeof changes / sizeof *changes)], similarity, (int)below(ROWS / 3));
        exec(db, cql);
    }
}

static int greatest_first(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* The scores of all that are looked at, in order. */
static size_t all_scores(wr_stmt *all, const uint32_t vector[DIMENSIONS], float *scores)
{
    size_t n = 0;

    wr_bind_value(all, 0, vector, sizeof(uint32_t) * DIMENSIONS);
    while (wr_step(all) == WR_ROW)
        if (!wr_column_is_null(all, 0))
            scores[n++] = (float)wr_column_double(all, 0);
    assert_int_equal(wr_stmt_status(all), WR_DONE);
    wr_reset(all);
    qsort(scores, n, sizeof *scores, greatest_first);
    return n;
}

static void check_nearest(wr_db *db, const char *similarity, const char *where)
{
    char cql[300];
    float scores[ROWS + 9];
    uint32_t vector[DIMENSIONS];

    snprintf(cql, sizeof cql, "SELECT similarity_%s(v, ?) FROM v_%s %s", similarity, similarity, where);
    wr_stmt *all = prepare(db, cql);
    snprintf(cql, sizeof cql, "SELECT similarity_%s(v, ?) FROM v_%s %s ORDER BY v ANN OF ? LIMIT ?", similarity, similarity, where);
    wr_stmt *nearest = prepare(db, cql);
    for (int i = 0; i < 60; i++) {
        make_vector(vector);
        size_t n = all_scores(all, vector, scores), most = 1 + below(NEAREST_MAX), at = 0;
        wr_bind_value(nearest, 0, vector, sizeof vector);
        wr_bind_value(nearest, 1, vector, sizeof vector);
        wr_bind_int(nearest, 2, (int64_t)most);
        for (; wr_step(nearest) == WR_ROW; at++)
            assert_true((float)wr_column_double(nearest, 0) == scores[at]);
        assert_int_equal(wr_stmt_status(nearest), WR_DONE);
        assert_int_equal(at, most < n ? most : n);
        wr_reset(nearest);
    }
    wr_finalize(nearest);
    wr_finalize(all);
}

/* What is found by hits while somebody may write is read in another way. */
static enum wr_status write_and_look(void *arg)
{
    put(arg, similarities[0], ROWS, ROWS + 9);
    check_nearest(arg, similarities[0], "");
    return WR_OK;
}

static void the_nearest_are_those_with_the_greatest_scores(void **state)
{
    uint64_t findings;

    rng = 1;
    for (size_t s = 0; s < sizeof similarities / sizeof *similarities; s++) {
        fill(*state, similarities[s]);
        check_nearest(*state, similarities[s], "");
        check_nearest(*state, similarities[s], "WHERE g = 2");
        change(*state, similarities[s]);
        check_nearest(*state, similarities[s], "");
        check_nearest(*state, similarities[s], "WHERE g = 2");
    }
    assert_int_equal(wr_atomically(*state, write_and_look, *state), WR_OK);
    assert_int_equal(wr_check(*state, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_nearest_are_those_with_the_greatest_scores, open_tables, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
