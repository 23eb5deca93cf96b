/* resource.h, password.h, and the statements of roles with each of their calls for memory failing in turn. */
/* Before cmocka, which has a macro by the name of fail. */
#include "engine/rig.h"
#include "model/password.h"
#include "model/resource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "widerow.h"

struct work {
    struct arena arena;
    struct ctx ctx;
};

static int open_work(void **state)
{
    struct work *work = calloc(1, sizeof *work);
    arena_init(&work->arena);
    ctx_init(&work->ctx, &work->arena);
    *state = work;
    return 0;
}

static int close_work(void **state)
{
    struct work *work = *state;
    arena_release(&work->arena);
    free(work);
    return 0;
}

/* ---- resources ---- */

static void names_and_texts(void **state)
{
    static const struct {
        const char *name, *text, *parent;
    } known[] = {
        { "data", "<all keyspaces>", NULL },
        { "data/k", "<keyspace k>", "data" },
        { "data/k/*", "<all tables in k>", "data/k" },
        { "data/k/t", "<table k.t>", "data/k/*" },
        { "roles", "<all roles>", NULL },
        { "roles/a/b", "<role a/b>", "roles" },
        { "functions", "<all functions>", NULL },
        { "functions/k", "<all functions in k>", "functions" },
        { "functions/k/f[]", "<function k.f()>", "functions/k" },
        { "functions/k/f[x[org.apache.cassandra.db.marshal.Int32Type^org.apache.cassandra.db.marshal.UTF8Type]",
          "<function k.f[x(int, text)>", "functions/k" },
        { "functions/k/f[no.such.Type]", "<function k.f(no.such.Type)>", "functions/k" },
        { "mbean", "<all mbeans>", NULL },
        { "mbean/java.lang:type=Memory", "<mbean java.lang:type=Memory>", "mbean" },
    };
    struct work *work = *state;
    struct resource resource, parent;
    struct slice name;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(resource_of_name(&work->ctx, slice_str(known[i].name), &resource), WR_OK);
        assert_int_equal(resource_name(&work->ctx, &resource, &name), WR_OK);
        assert_true(slice_eq_str(name, known[i].name));
        assert_string_equal(resource_text(&work->ctx, &resource), known[i].text);
        assert_int_equal(resource_parent(&resource, &parent), known[i].parent != NULL);
        if (!known[i].parent)
            continue;
        assert_int_equal(resource_name(&work->ctx, &parent, &name), WR_OK);
        assert_true(slice_eq_str(name, known[i].parent));
    }
}

static void names_of_nothing(void **state)
{
    static const char *const unknown[] = { "", "dat", "datas", "tables/k", "functions/k/f", "functions/k/f]", "functions/k/f[int" };
    struct work *work = *state;
    struct resource resource;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_int_equal(resource_of_name(&work->ctx, slice_str(unknown[i]), &resource), WR_SERVER_ERROR);
}

/* ---- passwords ---- */

static void hashes(void **state)
{
    struct work *work = *state;
    struct slice hash, other;
    bool right;
    assert_int_equal(password_hash(&work->ctx, SLICE_LIT("a password"), &hash), WR_OK);
    assert_int_equal(password_hash(&work->ctx, SLICE_LIT("a password"), &other), WR_OK);
    assert_true(slice_has_prefix(hash, SLICE_LIT("$2a$10$")) && hash.len == 60);
    assert_false(slice_eq(hash, other)); /* salted */
    assert_true(password_is_hash(hash));
    assert_int_equal(password_is(&work->ctx, SLICE_LIT("a password"), hash, &right), WR_OK);
    assert_true(right);
    assert_int_equal(password_is(&work->ctx, SLICE_LIT("a passwore"), hash, &right), WR_OK);
    assert_false(right);
    /* jBCrypt's, of the password that a new database has */
    assert_int_equal(password_is(&work->ctx, SLICE_LIT("cassandra"),
                                 SLICE_LIT("$2a$10$3xIYnfcESKhmI4kbGcJYR.AJMfsDB24ncCAou/KsFrAXDvbINgqJm"), &right),
                     WR_OK);
    assert_true(right);
}

static void what_is_no_hash(void **state)
{
    static const char *const no[] = { "", "x", "$2a$", "$2b$10$abcdefghijklmnopqrstuu", "$2a$03$abcdefghijklmnopqrstuu",
                                      "$2a$32$abcdefghijklmnopqrstuu", "$2a$1x$abcdefghijklmnopqrstuu", "$2a$10$abcdefghijklmnopqrstu",
                                      "$2a$10$abcdefghij-lmnopqrstuu", "$2a$10abcdefghijklmnopqrstuuu", "$1$abcdefgh$abcdefghijklmnopqrstuu" };
    struct work *work = *state;
    bool right;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        assert_false(password_is_hash(slice_str(no[i])));
        assert_int_equal(password_is(&work->ctx, SLICE_LIT(""), slice_str(no[i]), &right), WR_OK);
        assert_false(right);
    }
    assert_true(password_is_hash(SLICE_LIT("$2a$04$abcdefghijklmnopqrstuu"))); /* nobody's, but well formed */
}

/* ---- without memory ---- */

static void statements_without_memory(void **state)
{
    static const char *const statements[] = {
        "CREATE ROLE r WITH LOGIN = true AND HASHED PASSWORD = '$2a$04$abcdefghijklmnopqrstuu' AND ACCESS TO DATACENTERS {'datacenter1'}",
        "ALTER ROLE r WITH SUPERUSER = true AND ACCESS TO ALL DATACENTERS",
        "CREATE ROLE s",
        "GRANT s TO r",
        "GRANT ALL ON k.t TO s",
        "GRANT SELECT, MODIFY ON ALL KEYSPACES TO s",
        "REVOKE MODIFY ON ALL KEYSPACES FROM s",
        "LIST ALL ON k.t OF r",
        "LIST ROLES",
        "LIST USERS",
        "ADD IDENTITY 'i' TO ROLE r",
        "DROP IDENTITY 'i'",
        "CREATE TABLE k.u (p int PRIMARY KEY)",
        "DROP TABLE k.u",
        "SELECT * FROM k.t",
        "INSERT INTO k.t (p) VALUES (1) IF NOT EXISTS",
        "BEGIN BATCH INSERT INTO k.t (p) VALUES (1) APPLY BATCH",
        "REVOKE s FROM r",
        "DROP ROLE s",
        "DROP ROLE r",
    };
    wr_db *db;
    (void)state;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_exec(db,
                             "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                             "CREATE TABLE k.t (p int PRIMARY KEY)",
                             NULL, NULL),
                     WR_OK);
    assert_int_equal(wr_set_role(db, "cassandra"), WR_OK);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        enum wr_status st = WR_NOMEM;
        for (long n = 0; st != WR_OK; n++) {
            rig.mem_fail_after = n;
            st = wr_exec(db, statements[i], NULL, NULL);
            bool came_due = rig.mem_fail_after < 0;
            rig.mem_fail_after = -1;
            if (st != WR_OK && (st != WR_NOMEM || !came_due))
                fail_msg("%s: without call %ld: %s", statements[i], n, wr_error(db));
        }
    }
    uint64_t findings;
    assert_int_equal(wr_check(db, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_and_texts, open_work, close_work),
        cmocka_unit_test_setup_teardown(names_of_nothing, open_work, close_work),
        cmocka_unit_test_setup_teardown(hashes, open_work, close_work),
        cmocka_unit_test_setup_teardown(what_is_no_hash, open_work, close_work),
        cmocka_unit_test(statements_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
