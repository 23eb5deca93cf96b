/* tools/serve/databases.h through include/widerow_serve.h: servers that have a database for each user, prefix or connection. */
#include <time.h>

#include "../folder.h"
#include "client.h"

/* What its AUTH_RESPONSE is answered with. */
static int log_in_with(struct client *client, const char *user, const char *password)
{
    char body[128] = { 0 };
    size_t len = strlen(user) + strlen(password) + 2; /* NUL name NUL password */
    body[3] = (char)len;
    snprintf(body + 5, sizeof body - 5, "%s%c%s", user, '\0', password);
    send_frame(client, OP_AUTH_RESPONSE, body, len + 4);
    return receive(client);
}

static int log_in(struct client *client, const char *user)
{
    return log_in_with(client, user, "pw");
}

static struct client *client_of(const wr_server *server, const char *user)
{
    struct client *client = client_open(server);
    assert_int_equal(client->opcode, OP_AUTHENTICATE);
    assert_int_equal(log_in(client, user), OP_AUTH_SUCCESS);
    return client;
}

#define CREATE_KEYSPACE "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"

static void make_things(struct client *client, const char *what)
{
    char insert[128];
    snprintf(insert, sizeof insert, "INSERT INTO shop.things (id) VALUES ('%s')", what);
    assert_int_equal(ask(client, "CREATE TABLE shop.things (id text PRIMARY KEY)"), OP_RESULT);
    assert_int_equal(ask(client, insert), OP_RESULT);
}

static void make_shop(struct client *client, const char *what)
{
    assert_int_equal(ask(client, CREATE_KEYSPACE), OP_RESULT);
    make_things(client, what);
}

/* Once the server has noticed that whoever had the place is gone, which it has ten seconds for. */
static void make_shop_where_others_were(struct client *client, const char *what)
{
    struct timespec nap = { .tv_nsec = 1000000 };
    int naps = 10000;
    while (ask(client, CREATE_KEYSPACE) == OP_ERROR) {
        assert_true(has(client, "Too many databases in use") && naps-- > 0);
        nanosleep(&nap, NULL);
    }
    make_things(client, what);
}

/* ---- the server ---- */

static wr_server *start(struct wr_serve_options options)
{
    wr_db *db;
    wr_server *server;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_serve_start(db, &options, &server), WR_OK);
    wr_close(db);
    return server;
}

static struct wr_serve_options per(enum wr_serve_database_per what)
{
    struct wr_serve_options options = WR_SERVE_OPTIONS_INIT;
    options.database_per = what;
    return options;
}

/* ---- tests ---- */

static void test_users_have_databases_of_their_own(void **state)
{
    (void)state;
    wr_server *server = start(per(WR_SERVE_PER_USER));
    struct client *ann = client_of(server, "ann"), *bob = client_of(server, "bob"), *also_ann = client_of(server, "ann");
    make_shop(ann, "hats");
    assert_int_equal(ask(bob, "SELECT id FROM shop.things"), OP_ERROR);
    assert_true(has(bob, "keyspace shop does not exist"));
    make_shop(bob, "boots");
    assert_int_equal(ask(also_ann, "SELECT id FROM shop.things"), OP_RESULT);
    assert_true(has(also_ann, "hats") && !has(also_ann, "boots"));
    assert_int_equal(ask(bob, "SELECT username FROM system_views.clients"), OP_RESULT);
    assert_true(has(bob, "bob") && !has(bob, "ann"));
    client_close(also_ann);
    client_close(ann);
    ann = client_of(server, "ann"); /* it outlives its connections */
    assert_int_equal(ask(ann, "SELECT id FROM shop.things"), OP_RESULT);
    assert_true(has(ann, "hats"));
    client_close(ann);
    client_close(bob);
    wr_serve_stop(server);
}

static void test_schema_changes_are_told_to_those_who_have_the_database(void **state)
{
    (void)state;
    wr_server *server = start(per(WR_SERVE_PER_USER));
    struct client *ann = client_of(server, "ann"), *bob = client_of(server, "bob"), *also_ann = client_of(server, "ann");
    client_register(also_ann);
    make_shop(bob, "boots"); /* of which ann is told nothing */
    assert_int_equal(ask(ann, "CREATE KEYSPACE ann_alone WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"), OP_RESULT);
    assert_int_equal(receive(also_ann), OP_EVENT);
    assert_true(has(also_ann, "ann_alone"));
    client_close(ann);
    client_close(also_ann);
    client_close(bob);
    wr_serve_stop(server);
}

static void test_a_prefix_chooses_the_database(void **state)
{
    (void)state;
    wr_server *server = start(per(WR_SERVE_PER_PREFIX));
    struct client *first = client_open(server), *second = client_open(server), *neither = client_open(server);
    assert_int_equal(first->opcode, OP_READY);
    assert_int_equal(ask(first, "USE t1__"), OP_RESULT);
    assert_true(has(first, "t1__"));
    make_shop(first, "hats");
    assert_int_equal(ask(second, "USE t2__shop"), OP_ERROR);
    assert_true(has(second, "'shop' does not exist"));
    assert_int_equal(ask(second, "USE t2__"), OP_RESULT);
    make_shop(second, "boots");
    assert_int_equal(ask(neither, "SELECT id FROM shop.things"), OP_ERROR);
    assert_int_equal(ask(neither, "USE t1__shop"), OP_RESULT);
    assert_true(has(neither, "t1__shop"));
    assert_int_equal(ask(neither, "SELECT id FROM things"), OP_RESULT);
    assert_true(has(neither, "hats"));
    assert_int_equal(ask(neither, "USE system"), OP_RESULT); /* of the same database */
    assert_true(has(neither, "t1__system"));
    assert_int_equal(ask(neither, "USE \"t2__shop\""), OP_RESULT);
    assert_int_equal(ask(neither, "SELECT id FROM things"), OP_RESULT);
    assert_true(has(neither, "boots"));
    client_close(first);
    client_close(second);
    client_close(neither);
    wr_serve_stop(server);
}

static void test_connections_have_databases_of_their_own(void **state)
{
    (void)state;
    struct wr_serve_options options = per(WR_SERVE_PER_CONNECTION);
    options.databases_max = 2;
    wr_server *server = start(options);
    for (int i = 0; i < 5; i++) { /* what is gone with its connection needs no place */
        struct client *client = client_open(server);
        make_shop_where_others_were(client, "hats");
        client_close(client);
    }
    struct client *first = client_open(server), *second = client_open(server), *third = client_open(server);
    make_shop_where_others_were(first, "hats");
    make_shop_where_others_were(second, "boots");
    assert_int_equal(ask(third, "SELECT key FROM system.local"), OP_ERROR);
    assert_true(has(third, "Too many databases in use: the server opens 2"));
    client_close(first);
    client_close(second);
    client_close(third);
    wr_serve_stop(server);
}

static void test_the_least_recently_used_makes_room(void **state)
{
    (void)state;
    struct wr_serve_options options = per(WR_SERVE_PER_USER);
    options.databases_max = 2;
    wr_server *server = start(options);
    wr_db *kept;
    assert_int_equal(wr_serve_database(server, "kept", &kept), WR_OK);
    struct client *ann = client_of(server, "ann"), *bob = client_open(server);
    make_shop(ann, "hats");
    assert_int_equal(log_in(bob, "bob"), OP_ERROR); /* one is in use, one is the host's */
    assert_true(has(bob, "Too many databases in use: the server opens 2"));
    client_close(ann);
    for (struct timespec nap = { .tv_nsec = 1000000 }; log_in(bob, "bob") == OP_ERROR; nanosleep(&nap, NULL))
        assert_true(has(bob, "Too many databases"));
    client_close(bob);
    wr_close(kept);
    wr_serve_stop(server);
}

static void test_sub_folders_stay(void **state)
{
    (void)state;
    char folder[200], path[256];
    make_folder(folder, sizeof folder);
    struct wr_serve_options options = per(WR_SERVE_PER_USER);
    options.database_folder = folder;
    wr_server *server = start(options);
    struct client *ann = client_of(server, "../a n.n");
    make_shop(ann, "hats");
    client_close(ann);
    wr_serve_stop(server);
    snprintf(path, sizeof path, "%s/%%2E%%2E%%2Fa%%20n%%2En/widerow.db", folder);
    assert_int_equal(access(path, F_OK), 0);
    server = start(options);
    ann = client_of(server, "../a n.n");
    assert_int_equal(ask(ann, "SELECT id FROM shop.things"), OP_RESULT);
    assert_true(has(ann, "hats"));
    client_close(ann);
    wr_serve_stop(server);
    remove_folder(folder);
}

/* As its log begins in that mode (docs/file-format.md). */
static void test_databases_of_their_own_are_as_durable_as_is_asked_for(void **state)
{
    (void)state;
    char folder[200], path[256], head[6] = { 0 };
    make_folder(folder, sizeof folder);
    struct wr_serve_options options = per(WR_SERVE_PER_USER);
    options.database_folder = folder;
    options.durability = WR_DURABILITY_FULL;
    wr_server *server = start(options);
    struct client *ann = client_of(server, "ann");
    make_shop(ann, "hats");
    for (int i = 0; i < 40; i++)
        assert_int_equal(ask(ann, "INSERT INTO shop.things (id) VALUES ('boots')"), OP_RESULT);
    snprintf(path, sizeof path, "%s/ann/widerow.log", folder);
    FILE *log = fopen(path, "rb");
    assert_non_null(log);
    assert_int_equal(fread(head, 1, sizeof head, log), sizeof head);
    fclose(log);
    assert_memory_equal(head, "WRlog4", sizeof head);
    client_close(ann);
    wr_serve_stop(server);
    remove_folder(folder);
}

static void test_the_host_has_handles_by_name(void **state)
{
    (void)state;
    wr_db *db;
    wr_server *server = start(per(WR_SERVE_PER_PREFIX));
    assert_int_equal(wr_serve_database(server, "t1", &db), WR_OK);
    assert_int_equal(wr_exec(db, CREATE_KEYSPACE "; CREATE TABLE shop.things (id text PRIMARY KEY); INSERT INTO shop.things (id) VALUES ('hats')"
                                 " USING TTL 60", NULL, NULL), WR_OK);
    struct client *client = client_open(server);
    assert_int_equal(ask(client, "USE t1__shop"), OP_RESULT);
    assert_int_equal(ask(client, "SELECT id FROM things"), OP_RESULT);
    assert_true(has(client, "hats"));
    wr_clock_step(db, INT64_C(61) * 1000000);
    assert_int_equal(ask(client, "SELECT id FROM things"), OP_RESULT);
    assert_false(has(client, "hats"));
    client_close(client);
    wr_close(db);
    wr_serve_stop(server);
}

/* By what, with passwords; its admin has made a shop of hats, and a role. */
static wr_server *start_with_ann(enum wr_serve_database_per by, struct client **admin)
{
    struct wr_serve_options options = per(by);
    options.authenticate = true;
    wr_server *server = start(options);
    *admin = client_open(server);
    assert_int_equal(log_in_with(*admin, "cassandra", "cassandra"), OP_AUTH_SUCCESS);
    make_shop(*admin, "hats");
    assert_int_equal(ask(*admin, "CREATE ROLE ann WITH LOGIN = true AND PASSWORD = 'pw'"), OP_RESULT);
    return server;
}

/* Who they are says the server's own database, which its superusers see; in those of their own all may do everything. */
static void test_users_with_passwords(void **state)
{
    (void)state;
    struct client *admin;
    wr_server *server = start_with_ann(WR_SERVE_PER_USER, &admin);
    struct client *ann = client_open(server);
    assert_int_equal(log_in_with(ann, "ann", "wrong"), OP_ERROR);
    assert_int_equal(log_in(ann, "ann"), OP_AUTH_SUCCESS);
    assert_int_equal(ask(ann, "SELECT id FROM shop.things"), OP_ERROR);
    assert_true(has(ann, "keyspace shop does not exist"));
    make_shop(ann, "boots");
    assert_int_equal(ask(ann, "CREATE ROLE clerk"), OP_RESULT); /* of her database */
    assert_int_equal(ask(ann, "GRANT SELECT ON shop.things TO clerk"), OP_RESULT);
    assert_int_equal(ask(ann, "LIST ROLES"), OP_RESULT);
    assert_true(has(ann, "clerk") && !has(ann, "ann"));
    assert_int_equal(ask(ann, "SELECT username FROM system_views.clients"), OP_RESULT);
    assert_true(has(ann, "ann"));
    assert_int_equal(ask(admin, "LIST ROLES"), OP_RESULT);
    assert_true(has(admin, "ann") && !has(admin, "clerk"));
    struct client *bob = client_open(server);
    assert_int_equal(log_in(bob, "bob"), OP_ERROR); /* whom nobody has made */
    client_close(bob);
    client_close(ann);
    client_close(admin);
    wr_serve_stop(server);
}

/* A role has the permissions of the server's own database there, and in one by prefix all. */
static void test_prefixes_with_passwords(void **state)
{
    (void)state;
    struct client *admin;
    wr_server *server = start_with_ann(WR_SERVE_PER_PREFIX, &admin);
    struct client *ann = client_open(server);
    assert_int_equal(log_in(ann, "ann"), OP_AUTH_SUCCESS);
    assert_int_equal(ask(ann, "SELECT id FROM shop.things"), OP_ERROR);
    assert_true(has(ann, "User ann has no SELECT permission on <table shop.things> or any of its parents"));
    assert_int_equal(ask(admin, "GRANT SELECT ON shop.things TO ann"), OP_RESULT);
    assert_int_equal(ask(ann, "SELECT id FROM shop.things"), OP_RESULT);
    assert_int_equal(ask(ann, "INSERT INTO shop.things (id) VALUES ('boots')"), OP_ERROR);
    assert_int_equal(ask(ann, "USE a__"), OP_RESULT);
    make_shop(ann, "boots");
    assert_int_equal(ask(ann, "CREATE ROLE clerk"), OP_RESULT);
    assert_int_equal(ask(admin, "LIST ROLES"), OP_RESULT);
    assert_true(!has(admin, "clerk"));
    client_close(ann);
    client_close(admin);
    wr_serve_stop(server);
}

/* As with a Cassandra: who fails to stays who it was, and keeps its keyspace. */
static void test_logging_in_again(void **state)
{
    (void)state;
    struct client *client;
    wr_server *server = start_with_ann(WR_SERVE_ONE, &client);
    assert_int_equal(ask(client, "USE shop"), OP_RESULT);
    assert_int_equal(log_in_with(client, "ann", "wrong"), OP_ERROR);
    assert_true(has(client, "Provided username ann and/or password are incorrect"));
    assert_int_equal(ask(client, "SELECT id FROM things"), OP_RESULT);
    assert_int_equal(log_in(client, "ann"), OP_AUTH_SUCCESS);
    assert_int_equal(ask(client, "SELECT id FROM things"), OP_ERROR);
    assert_true(has(client, "User ann has no SELECT permission on <table shop.things> or any of its parents"));
    assert_int_equal(ask(client, "SELECT * FROM system.local"), OP_RESULT);
    assert_int_equal(log_in_with(client, "cassandra", "cassandra"), OP_AUTH_SUCCESS);
    assert_int_equal(ask(client, "SELECT id FROM things"), OP_RESULT);
    client_close(client);
    wr_serve_stop(server);
}

static void test_what_cannot_be(void **state)
{
    (void)state;
    wr_db *db, *other;
    wr_server *server;
    char long_name[200];
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    struct wr_serve_options options = per(WR_SERVE_PER_CONNECTION);
    options.database_folder = "/tmp";
    assert_int_equal(wr_serve_start(db, &options, &server), WR_MISUSE);
    wr_serve_stop(server);
    options = per((enum wr_serve_database_per)9);
    assert_int_equal(wr_serve_start(db, &options, &server), WR_MISUSE);
    wr_serve_stop(server);
    options = per(WR_SERVE_PER_PREFIX);
    options.database_folder = "/dev/null/there";
    assert_int_equal(wr_serve_start(db, &options, &server), WR_IO);
    assert_non_null(strstr(wr_serve_error(server), "cannot make the folder"));
    wr_serve_stop(server);
    assert_int_equal(wr_serve_start(db, NULL, &server), WR_OK);
    assert_int_equal(wr_serve_database(server, "a", &other), WR_MISUSE);
    assert_null(other);
    wr_serve_stop(server);
    options = per(WR_SERVE_PER_USER);
    assert_int_equal(wr_serve_start(db, &options, &server), WR_OK);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(wr_serve_database(server, long_name, &other), WR_INVALID);
    assert_int_equal(wr_serve_database(server, "", &other), WR_INVALID);
    wr_serve_stop(server);
    wr_close(db);
}

static void make_brief_thing(struct client *client)
{
    make_shop(client, "hats");
    assert_int_equal(ask(client, "INSERT INTO shop.things (id) VALUES ('snow') USING TTL 3600"), OP_RESULT);
}

static void assert_has_brief_thing(struct client *client, bool expected)
{
    assert_int_equal(ask(client, "SELECT id FROM shop.things"), OP_RESULT);
    assert_true(has(client, "hats"));
    assert_int_equal(has(client, "snow"), expected);
}

static void test_clients_move_the_clock_of_their_database(void **state)
{
    (void)state;
    struct wr_serve_options options = per(WR_SERVE_PER_USER);
    options.clock_functions = true;
    wr_server *server = start(options);
    struct client *ann = client_of(server, "ann"), *bob = client_of(server, "bob");
    make_brief_thing(ann);
    make_brief_thing(bob);
    assert_int_equal(ask(ann, "SELECT widerow.clock_step(3590) FROM system.local"), OP_RESULT);
    assert_has_brief_thing(ann, true);
    assert_int_equal(ask(ann, "SELECT widerow.clock_step(20) FROM system.local"), OP_RESULT);
    assert_has_brief_thing(ann, false);
    assert_has_brief_thing(bob, true);
    assert_int_equal(ask(bob, "SELECT cast(widerow.clock_set('2150-07-14 01:02:03Z') AS text) FROM system.local"), OP_RESULT);
    assert_true(has(bob, "2150-07-14T01:02:03.000Z"));
    assert_has_brief_thing(bob, false);
    assert_int_equal(ask(bob, "SELECT widerow.clock_release() FROM system.local"), OP_RESULT);
    assert_int_equal(ask(bob, "SELECT cast(currentTimestamp() AS text) FROM system.local"), OP_RESULT);
    assert_false(has(bob, "2150-"));
    assert_int_equal(ask(bob, "SELECT widerow.clock_step(9223372036854775807) FROM system.local"), OP_ERROR);
    assert_true(has(bob, "the clock does not go so far"));
    client_close(ann);
    client_close(bob);
    wr_serve_stop(server);

    server = start(per(WR_SERVE_PER_USER));
    ann = client_of(server, "ann");
    assert_int_equal(ask(ann, "SELECT widerow.clock_step(1) FROM system.local"), OP_ERROR);
    assert_true(has(ann, "Unknown function"));
    client_close(ann);
    wr_serve_stop(server);
}

static void test_each_database_begins_with_the_script(void **state)
{
    (void)state;
    struct wr_serve_options options = per(WR_SERVE_PER_USER);
    options.script = "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\n"
                     "USE shop; CREATE TABLE things (id text PRIMARY KEY); -- comment\n"
                     "INSERT INTO things (id) VALUES ('gloves')";
    wr_server *server = start(options);
    struct client *ann = client_of(server, "ann"), *bob = client_of(server, "bob");
    assert_int_equal(ask(ann, "SELECT id FROM shop.things"), OP_RESULT);
    assert_true(has(ann, "gloves"));
    assert_int_equal(ask(ann, "TRUNCATE shop.things"), OP_RESULT);
    assert_int_equal(ask(bob, "SELECT id FROM shop.things"), OP_RESULT);
    assert_true(has(bob, "gloves"));
    assert_int_equal(ask(bob, "SELECT id FROM things"), OP_ERROR); /* its USE was its own */
    client_close(ann);
    client_close(bob);
    wr_serve_stop(server);

    wr_db *db;
    options.script = "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\nCREATE TABLE shop.things (id text)";
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    assert_int_equal(wr_serve_start(db, &options, &server), WR_INVALID);
    ptrdiff_t offset;
    assert_string_equal(wr_serve_script_error(server, &offset), "No PRIMARY KEY specifed for table 'shop.things' (exactly one required)");
    assert_string_equal(options.script + offset, "CREATE TABLE shop.things (id text)");
    assert_string_equal(wr_serve_error(server), "line 2 of the script: No PRIMARY KEY specifed for table 'shop.things' (exactly one required)");
    wr_serve_stop(server);
    wr_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_users_have_databases_of_their_own),
        cmocka_unit_test(test_schema_changes_are_told_to_those_who_have_the_database),
        cmocka_unit_test(test_a_prefix_chooses_the_database),
        cmocka_unit_test(test_connections_have_databases_of_their_own),
        cmocka_unit_test(test_the_least_recently_used_makes_room),
        cmocka_unit_test(test_sub_folders_stay),
        cmocka_unit_test(test_databases_of_their_own_are_as_durable_as_is_asked_for),
        cmocka_unit_test(test_the_host_has_handles_by_name),
        cmocka_unit_test(test_users_with_passwords),
        cmocka_unit_test(test_prefixes_with_passwords),
        cmocka_unit_test(test_logging_in_again),
        cmocka_unit_test(test_clients_move_the_clock_of_their_database),
        cmocka_unit_test(test_each_database_begins_with_the_script),
        cmocka_unit_test(test_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
