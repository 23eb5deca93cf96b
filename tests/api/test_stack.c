/*
 * What is nested deeply, on threads with little stack (musl gives them 128 KiB): it is answered where there is room, refused where there is
 * none, and nothing crashes. A thread with much stack answers more of it, or the test would show nothing.
 */
#include "handle.h"

#include <pthread.h>
#include <stdlib.h>

#include "../sanitized.h"

/* before | open, n times | middle | close, n times | after */
struct nest {
    const char *before, *open, *middle, *close, *after;
};

#define BODY "CREATE OR REPLACE FUNCTION f (x int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS $$ "

static const struct nest nests[] = {
    { "SELECT ", "abs(", "a", ")", " FROM a" },
    { "SELECT ", "a + ", "a", "", " FROM a" },
    { "SELECT ", "a - (", "a", ")", " FROM a" },
    { "SELECT ", "[", "a", "]", " FROM a" },
    { "SELECT ", "{", "a", "}", " FROM a" },
    { "SELECT ", "(", "a", ")", " FROM a" },
    { "SELECT ", "cast(", "a", " as int)", " FROM a" },
    { "SELECT ", "map_keys({a: ", "1", "})", " FROM a" },
    { "SELECT p FROM a WHERE a = ", "abs(", "1", ")", " ALLOW FILTERING" },
    { "SELECT p FROM a WHERE p = ", "1 + (", "1", ")", "" },
    { "SELECT p FROM a WHERE p IN ", "(", "1", ")", "" },
    { "SELECT a FROM a LIMIT ", "1 + (", "1", ")", "" },
    { "UPDATE a SET a = ", "1 + (", "1", ")", " WHERE p = 1 IF a = 1" },
    { "INSERT INTO a (p, a) VALUES (1, ", "1 + ", "1", "", ")" },
    { "INSERT INTO a (p, a) VALUES (1, ", "-(", "1", ")", ")" },
    { "INSERT INTO a (p, a) VALUES (1, ", "from_json(", "1", ")", ")" },
    { "INSERT INTO a (p, l) VALUES (1, ", "[1] + (", "[1]", ")", ")" },
    { "INSERT INTO a (p, l) VALUES (1, ", "[", "1", "]", ")" },
    { "INSERT INTO a JSON '{\"p\": 1, \"l\": ", "[", "1", "]", "}'" },
    { "INSERT INTO a JSON '{\"p\": 1, \"l\": ", "{\"a\": ", "1", "}", "}'" },
    { "CREATE TABLE IF NOT EXISTS u (p int PRIMARY KEY, v ", "frozen<list<", "int", ">>", ")" },
    { "CREATE TABLE IF NOT EXISTS u (p int PRIMARY KEY, v ", "tuple<", "int", ">", ")" },
    { "CREATE TABLE IF NOT EXISTS u (p int PRIMARY KEY, v '", "org.apache.cassandra.db.marshal.ListType(", "org.apache.cassandra.db.marshal.Int32Type", ")", "')" },
    { BODY "return ", "(", "x", ")", "; $$" },
    { BODY "return ", "x > 0 ? (", "x", ") : 1", "; $$" },
    { BODY "return ", "Math.abs(", "x", ")", "; $$" },
    { BODY, "if (x > 0) {", "return 1;", "}", " return x; $$" },
    { BODY, "switch (x) { default: ", "x = 1;", "}", " return x; $$" },
    { BODY, "try { ", "x = 1;", "} finally { }", " return x; $$" },
    { BODY "Object q = ", "new Object[]{", "x", "}", "; return x; $$" },
    { BODY "return \"a\".matches(\"", "(", "a", ")*", "\") ? 1 : 0; $$" },
    { BODY "return \"a\".matches(\"", "[", "a", "]", "\") ? 1 : 0; $$" },
};

static const unsigned depths[] = { 5, 30, 60, 100, 199, 399, 1000 };

static char *nested(const struct nest *nest, unsigned depth)
{
    size_t len = strlen(nest->before) + depth * (strlen(nest->open) + strlen(nest->close)) + strlen(nest->middle) + strlen(nest->after);
    char *text = malloc(len + 1), *at = text;

    assert_non_null(text);
    at = stpcpy(at, nest->before);
    for (unsigned i = 0; i < depth; i++)
        at = stpcpy(at, nest->open);
    at = stpcpy(at, nest->middle);
    for (unsigned i = 0; i < depth; i++)
        at = stpcpy(at, nest->close);
    strcpy(at, nest->after);
    return text;
}

struct trial {
    wr_db *db;
    unsigned answered, answered_shallow; /* of those that are five deep */
};

static bool answers(wr_db *db, const char *text)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, text, -1, &stmt);

    if (st != WR_OK)
        return false;
    while ((st = wr_step(stmt)) == WR_ROW)
        for (int i = 0; i < wr_column_count(stmt); i++)
            (void)wr_column_text(stmt, i);
    wr_finalize(stmt);
    return st == WR_DONE;
}

static void *try_all(void *arg)
{
    struct trial *trial = arg;

    for (size_t n = 0; n < sizeof nests / sizeof *nests; n++) {
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            char *text = nested(&nests[n], depths[d]);
            bool answered = answers(trial->db, text);
            trial->answered += answered;
            trial->answered_shallow += answered && d == 0;
            if (answered && strncmp(text, BODY, strlen(BODY)) == 0)
                (void)answers(trial->db, "SELECT f(a) FROM a");
            free(text);
        }
    }
    return NULL;
}

static struct trial trial_on(wr_db *db, size_t stack_bytes)
{
    struct trial trial = { .db = db };
    pthread_attr_t attr;
    pthread_t thread;

    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, stack_bytes), 0);
    assert_int_equal(pthread_create(&thread, &attr, try_all, &trial), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    return trial;
}

/* Promise: thread.h, thread_levels. */
static void depth_is_as_the_stack_allows(void **state)
{
    static const size_t little[] = { 80 * 1024, 96 * 1024, 128 * 1024, 160 * 1024, 256 * 1024, 400 * 1024, 700 * 1024 };
    wr_db *db = *state;

    exec(db, "CREATE TABLE a (p int PRIMARY KEY, a int, l list<int>); INSERT INTO a (p, a) VALUES (1, 2)");
    struct trial much = trial_on(db, 8 << 20);
    assert_true(much.answered_shallow > 0);
#ifdef SANITIZED
    (void)little; /* a sanitizer's frames are several times as large */
#else
    for (size_t i = 0; i < sizeof little / sizeof *little; i++) {
        struct trial trial = trial_on(db, little[i]);
        assert_true(trial.answered < much.answered);
        if (little[i] >= 128 * 1024)
            assert_int_equal(trial.answered_shallow, much.answered_shallow);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(depth_is_as_the_stack_allows, open_tables, teardown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
