/* Who is told of changes of the schema: what, when and by whom. */
#include <pthread.h>

#include "server_recorded.h"

struct heard {
    wr_db *db;
    char text[1024];
    bool reads;
    pthread_t thread;
};

/* As a server sends it: of what is not Latin a `?` for each character. */
static const char *sent(const char *name)
{
    static char out[100];
    size_t n = 0;
    for (; name && *name && n + 1 < sizeof out; name++)
        if ((*name & 0xc0) != 0x80)
            out[n++] = *name & 0x80 ? '?' : *name;
    out[n] = '\0';
    return out;
}

static void on_change(void *arg, const struct wr_schema_change *change)
{
    struct heard *heard = arg;
    size_t at = strlen(heard->text);
    if (strcmp(change->keyspace, "wrevents") == 0)
        snprintf(heard->text + at, sizeof heard->text - at, "%s%s %s %s%s%s", at ? "; " : "", change->change,
                 change->target, change->keyspace, change->name ? " " : "", sent(change->name));
    heard->thread = pthread_self();
    if (heard->reads)
        heard->reads = wr_exec(heard->db, "SELECT * FROM system_schema.tables; INSERT INTO wrserver.t (p) VALUES (7)",
                               NULL, NULL) == WR_OK;
}

static void listeners_hear_what_drivers_hear(void **state)
{
    struct heard heard = { .db = *state, .reads = true }, other = { .db = *state };
    wr_db *attached;
    assert_int_equal(wr_attach(*state, &attached), WR_OK);
    assert_int_equal(wr_on_schema_change(*state, on_change, &heard), WR_OK);
    assert_int_equal(wr_on_schema_change(attached, on_change, &other), WR_OK);
    for (size_t i = 0; i < COUNT(changes); i++) {
        heard.text[0] = other.text[0] = 0;
        exec(attached, changes[i].cql);
        assert_string_equal(heard.text, changes[i].events);
        assert_string_equal(other.text, changes[i].events);
    }
    assert_true(heard.reads);
    assert_true(pthread_equal(heard.thread, pthread_self()));
    heard.text[0] = other.text[0] = 0;
    assert_int_equal(wr_on_schema_change(*state, NULL, &heard), WR_OK);
    exec(*state, changes[0].cql);
    assert_string_equal(heard.text, "");
    assert_string_equal(other.text, changes[0].events);
    wr_close(attached);
}

struct meddler {
    wr_db *db, *other; /* the other's listener meddles with db */
    int calls, refused;
};

static void meddle(struct meddler *m)
{
    m->refused += wr_exec(m->db, "CREATE TABLE wrserver.meddled (p int PRIMARY KEY)", NULL, NULL) == WR_MISUSE;
    m->refused += wr_exec(m->db, "TRUNCATE wrserver.t", NULL, NULL) == WR_MISUSE;
    m->refused += wr_on_schema_change(m->db, NULL, m) == WR_MISUSE;
}

static void on_other_change(void *arg, const struct wr_schema_change *change)
{
    (void)change;
    meddle(arg);
}

static void on_meddled_change(void *arg, const struct wr_schema_change *change)
{
    struct meddler *m = arg;
    (void)change;
    if (m->calls++)
        return;
    meddle(m);
    exec(m->other, "CREATE KEYSPACE others WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
}

static void who_is_told_cannot_change_it(void **state)
{
    struct meddler m = { .db = *state };
    assert_int_equal(wr_open(NULL, NULL, &m.other), WR_OK);
    assert_int_equal(wr_on_schema_change(m.other, on_other_change, &m), WR_OK);
    assert_int_equal(wr_on_schema_change(m.db, on_meddled_change, &m), WR_OK);
    exec(m.db, "CREATE TABLE wrserver.told (p int PRIMARY KEY)");
    assert_int_equal(m.calls, 1);
    assert_int_equal(m.refused, 6);
    exec(m.db, "DROP TABLE wrserver.told"); /* and behind it all is as before */
    assert_int_equal(m.calls, 2);
    assert_int_equal(wr_on_schema_change(m.db, NULL, &m), WR_OK);
    wr_close(m.other);
}

static void *listen_and_leave(void *arg)
{
    struct heard heard = { .db = arg };
    for (int i = 0; i < 50; i++) {
        assert_int_equal(wr_on_schema_change(arg, on_change, &heard), WR_OK);
        assert_int_equal(wr_on_schema_change(arg, NULL, &heard), WR_OK);
        heard.text[0] = 0; /* nobody writes into it any more */
    }
    return NULL;
}

static void listeners_come_and_go_while_others_change(void **state)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, listen_and_leave, *state), 0);
    for (int i = 0; i < 10; i++)
        exec(*state, "CREATE KEYSPACE wrevents WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                     "DROP KEYSPACE wrevents");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_recorded, teardown)
    const struct CMUnitTest tests[] = {
        TEST(listeners_hear_what_drivers_hear),
        TEST(who_is_told_cannot_change_it),
        TEST(listeners_come_and_go_while_others_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
