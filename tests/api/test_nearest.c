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

static void fill(wr_db *db, const char *similarity)
{
    char cql[400];
    uint32_t vector[DIMENSIONS];

    snprintf(cql, sizeof cql, "CREATE TABLE v_%s (p int PRIMARY KEY, g int, v vector<float, %d>);"
             "CREATE INDEX ON v_%s (v) USING 'sai' WITH OPTIONS = {'similarity_function': '%s'};"
             "CREATE INDEX ON v_%s (g) USING 'sai'", similarity, DIMENSIONS, similarity, similarity, similarity);
    exec(db, cql);
    snprintf(cql, sizeof cql, "INSERT INTO v_%s (p, g, v) VALUES (?, ?, ?)", similarity);
    wr_stmt *put = prepare(db, cql);
    for (int p = 0; p < ROWS; p++) {
        make_vector(vector);
        wr_bind_int(put, 0, p);
        wr_bind_int(put, 1, p % 4);
        wr_bind_value(put, 2, one_in(30) ? NULL : vector, sizeof vector);
        assert_int_equal(wr_step(put), WR_DONE);
        wr_reset(put);
    }
    wr_finalize(put);
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
    float scores[ROWS];
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

static void the_nearest_are_those_with_the_greatest_scores(void **state)
{
    rng = 1;
    for (size_t s = 0; s < sizeof similarities / sizeof *similarities; s++) {
        fill(*state, similarities[s]);
        check_nearest(*state, similarities[s], "");
        check_nearest(*state, similarities[s], "WHERE g = 2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_nearest_are_those_with_the_greatest_scores, open_tables, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
