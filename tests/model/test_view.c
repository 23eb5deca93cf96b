/* Answers model/view.h: that views_check finds what is not as its table makes it. (What the rows are: tests/api/test_views.c and
 * tests/conformance/views_*.cql.) */
#include "model/view.h"
#include "tests/model/schema_run.h"


struct tampering {
    const struct table *view;
    const char *key; /* v: an int of one digit */
    struct row *row; /* NULL: none */
};

/* The row (v, p, c) = (key, 1, 1). */
static enum wr_status tamper(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct tampering *t = arg;
    uint8_t v[4] = { 0, 0, 0, (uint8_t)(t->key[0] - '0') }, one[4] = { 0, 0, 0, 1 };
    struct slice key = slice_of(v, sizeof v), values[2] = { slice_of(one, sizeof one), slice_of(one, sizeof one) };
    struct slice clustering, annex;
    TRY(clustering_encode(ctx, &t->view->clustering, values, &clustering, &annex));
    return apply_derived(ctx, txn, &t->view->shape, key, clustering, t->row);
}

static char findings_text[512];

static void note(void *arg, const char *finding)
{
    size_t len = strlen(findings_text);
    (void)arg;
    snprintf(findings_text + len, sizeof findings_text - len, "%s\n", finding);
}

static const char *check(struct fixture *f)
{
    struct schema *schema = database_schema(f->db);
    struct findings findings = { .report = note };
    findings_text[0] = 0;
    OK(&f->ctx, views_check(&f->ctx, f->db->engine, schema, &findings));
    schema_release(schema);
    return findings_text;
}

static void what_is_not_as_it_should_be_is_found(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    RUN(&f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    RUN(&f, "CREATE TABLE k.t (p int, c int, v int, w text, PRIMARY KEY (p, c))");
    RUN(&f, "CREATE MATERIALIZED VIEW k.tv AS SELECT * FROM k.t WHERE p = 1 AND c IS NOT NULL AND v IS NOT NULL "
            "PRIMARY KEY (v, p, c)");
    RUN(&f, "INSERT INTO k.t (p, c, v, w) VALUES (1, 1, 7, 'w') USING TIMESTAMP 5");
    RUN(&f, "INSERT INTO k.t (p, c, v, w) VALUES (2, 1, 7, 'not in it') USING TIMESTAMP 5");
    assert_string_equal(check(&f), "");

    struct schema *schema = database_schema(f.db);
    const struct table *view = schema_table(schema, SLICE_LIT("k"), SLICE_LIT("tv"));
    struct cell w = { .column = table_column(view, SLICE_LIT("w"))->id, .timestamp_us = 5, .value = SLICE_LIT("x") };
    struct row row = { .liveness = { 5, 0, 0 }, .deletion = DELETION_NONE, .cells = &w, .cell_count = 1 };
    struct tampering none = { view, "7", NULL }, other = { view, "7", &row }, more = { view, "8", &row };
    OK(&f.ctx, engine_write(&f.ctx, f.db->engine, tamper, &other));
    assert_string_equal(check(&f), "view k.tv: a row is not what its table's row makes it\n");
    OK(&f.ctx, engine_write(&f.ctx, f.db->engine, tamper, &none));
    assert_string_equal(check(&f), "view k.tv: a row is missing\n");
    w.value = SLICE_LIT("w");
    OK(&f.ctx, engine_write(&f.ctx, f.db->engine, tamper, &other));
    assert_string_equal(check(&f), "");
    OK(&f.ctx, engine_write(&f.ctx, f.db->engine, tamper, &more));
    assert_string_equal(check(&f), "view k.tv: rows that no row of its table makes\n");
    schema_release(schema);
    fixture_close(&f);
}

/* 0 and 0.0 are one clustering of the view, and two partitions of its table. */
static void equal_keys_share_a_row(void **state)
{
    struct fixture f;
    (void)state;
    fixture_open(&f, false);
    RUN(&f, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    RUN(&f, "CREATE TABLE k.t (p decimal, v int, w text, PRIMARY KEY (p))");
    RUN(&f, "CREATE MATERIALIZED VIEW k.tv AS SELECT * FROM k.t WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p)");
    RUN(&f, "INSERT INTO k.t (p, v, w) VALUES (0, 7, 'first')");
    RUN(&f, "INSERT INTO k.t (p, v, w) VALUES (0.0, 7, 'then')");
    assert_string_equal(check(&f), "");
    RUN(&f, "DELETE FROM k.t WHERE p = 0.0");
    assert_string_equal(check(&f), "");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_not_as_it_should_be_is_found), cmocka_unit_test(equal_keys_share_a_row) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
