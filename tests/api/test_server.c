/* What a server tells its clients: widerow.h, types, failures, schema changes, levels, clocks. Compared with
 * what a Cassandra told (record_server.py) where it tells. */
#include <pthread.h>

#include "handle.h"

#include "server_vectors.inc"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int setup(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    for (size_t i = 0; i < COUNT(schema); i++)
        exec(db, schema[i]);
    exec(db, "USE wrserver");
    *state = db;
    return 0;
}

/* ---- types ---- */

static void types_have_their_java_classes(void **state)
{
    char cql[512], java[1024];
    for (size_t i = 0; i < COUNT(java_classes); i++) {
        snprintf(cql, sizeof cql, "CREATE TABLE v%zu (p int PRIMARY KEY, v vector<%s, 2>)", i, java_classes[i].cql);
        exec(*state, cql);
        snprintf(cql, sizeof cql, "SELECT v FROM v%zu", i);
        wr_stmt *s = prepare(*state, cql);
        size_t len = wr_type_format(wr_column_type_info(s, 0), WR_TYPE_JAVA, java, sizeof java);
        assert_string_equal(java, java_classes[i].java);
        assert_int_equal(len, strlen(java));
        assert_int_equal(wr_type_format(wr_column_type_info(s, 0), WR_TYPE_JAVA, java, 4), len);
        assert_string_equal(java, "org");
        wr_finalize(s);
    }
}

static void parts_of_descending_columns_have_no_order(void **state)
{
    static const char *const selected[] = { "[c]", "{c}", "(c, c)" };
    char cql[128], java[256];
    exec(*state, "CREATE TABLE descending (p int, c vector<int, 2>, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)");
    for (size_t i = 0; i < COUNT(selected); i++) {
        snprintf(cql, sizeof cql, "SELECT %s FROM descending", selected[i]);
        wr_stmt *s = prepare(*state, cql);
        wr_type_format(wr_type_part(wr_column_type_info(s, 0), 0), WR_TYPE_JAVA, java, sizeof java);
        assert_string_equal(java, "org.apache.cassandra.db.marshal.VectorType(org.apache.cassandra.db.marshal.Int32Type , 2)");
        wr_finalize(s);
    }
}

static void descending_columns_are_reversed(void **state)
{
    char java[256];
    exec(*state, "CREATE TABLE d (p int, c vector<float, 2>, e int, PRIMARY KEY (p, c, e)) WITH CLUSTERING ORDER BY (c DESC, e ASC)");
    wr_stmt *s = prepare(*state, "SELECT p, c, e, c AS f, [c], max(c) FROM d");
    for (int i = -1; i <= wr_column_count(s); i++)
        assert_int_equal(wr_column_is_reversed(s, i), i == 1 || i == 3);
    assert_false(wr_column_is_reversed(NULL, 0));
    for (int i = 1; i < 5; i++) { /* what clients are told is the same, also of what is in a list */
        const struct wr_type_info *type = wr_column_type_info(s, i);
        if (i == 2)
            continue;
        wr_type_format(i == 4 ? wr_type_part(type, 0) : type, WR_TYPE_JAVA, java, sizeof java);
        assert_string_equal(java, "org.apache.cassandra.db.marshal.VectorType(org.apache.cassandra.db.marshal.FloatType , 2)");
    }
    wr_finalize(s);
}

/* ---- markers ---- */

static void markers_of_the_partition_key_route(void **state)
{
    uint16_t markers[2];
    for (size_t i = 0; i < COUNT(routed); i++) {
        wr_stmt *s = prepare(*state, routed[i].cql);
        assert_int_equal(wr_marker_routing(s, markers, COUNT(markers)), routed[i].count);
        assert_memory_equal(markers, routed[i].markers, (size_t)routed[i].count * sizeof *markers);
        wr_finalize(s);
    }
}

/* ---- parts of types ---- */

static void assert_bytes(const char *bytes, const size_t *len, const char *expected)
{
    assert_int_equal(*len, strlen(expected));
    assert_memory_equal(bytes, expected, *len);
}

static void types_come_apart(void **state)
{
    char text[64];
    size_t len;
    exec(*state, "CREATE TABLE parts (p int PRIMARY KEY, m map<text, frozen<list<int>>>, u u, v vector<float, 3>)");
    wr_stmt *s = prepare(*state, "SELECT m, u, v, p FROM parts");
    const struct wr_type_info *map = wr_column_type_info(s, 0), *udt = wr_column_type_info(s, 1),
                              *vector = wr_column_type_info(s, 2);
    assert_int_equal(wr_type_kind(map), WR_TYPE_MAP);
    assert_int_equal(wr_type_part_count(map), 2);
    assert_int_equal(wr_type_kind(wr_type_part(map, 0)), WR_TYPE_TEXT);
    assert_int_equal(wr_type_kind(wr_type_part(map, 1)), WR_TYPE_LIST);
    assert_null(wr_type_part(map, 2));
    assert_null(wr_type_udt_name(map, &len));
    assert_int_equal(wr_type_format(map, WR_TYPE_CQL, text, sizeof text), strlen("map<text, frozen<list<int>>>"));
    assert_string_equal(text, "map<text, frozen<list<int>>>");
    assert_int_equal(wr_type_kind(udt), WR_TYPE_UDT);
    assert_bytes(wr_type_udt_keyspace(udt, &len), &len, "wrserver");
    assert_bytes(wr_type_udt_name(udt, &len), &len, "u");
    assert_bytes(wr_type_field_name(udt, 1, &len), &len, "B b");
    assert_null(wr_type_field_name(udt, 2, &len));
    assert_int_equal(wr_type_kind(vector), WR_TYPE_VECTOR);
    assert_int_equal(wr_type_dimension(vector), 3);
    assert_int_equal(wr_type_kind(wr_type_part(vector, 0)), WR_TYPE_FLOAT);
    assert_int_equal(wr_type_part_count(wr_column_type_info(s, 3)), 0);
    assert_null(wr_column_type_info(s, 4));
    wr_finalize(s);
}

static void markers_tell_types_and_tables(void **state)
{
    const char *keyspace, *table;
    wr_stmt *s = prepare(*state, "INSERT INTO t (p, v) VALUES (?, ?)");
    assert_int_equal(wr_type_kind(wr_marker_type_info(s, 1)), WR_TYPE_INT);
    assert_null(wr_marker_type_info(s, 2));
    wr_marker_table(s, 1, &keyspace, &table);
    assert_string_equal(keyspace, "wrserver");
    assert_string_equal(table, "t");
    wr_marker_table(s, 0, NULL, &table);
    assert_string_equal(table, "t");
    wr_marker_table(s, 2, &keyspace, NULL);
    assert_null(keyspace);
    wr_finalize(s);

    s = prepare(*state, "BEGIN BATCH USING TIMESTAMP ? INSERT INTO t (p, v) VALUES (?, 1); APPLY BATCH");
    wr_marker_table(s, 0, &keyspace, &table);
    assert_string_equal(keyspace, "[batch]");
    assert_string_equal(table, "[batch]");
    wr_marker_table(s, 1, &keyspace, &table);
    assert_string_equal(keyspace, "wrserver");
    wr_finalize(s);
}

/* ---- what a statement is ---- */

static void qualified_as_cassandra_makes_ids(void **state)
{
    for (size_t i = 0; i < COUNT(prepared); i++) {
        wr_stmt *s = prepare(*state, prepared[i].cql);
        if (prepared[i].qualified != !!(wr_stmt_flags(s) & WR_STMT_QUALIFIED))
            fail_msg("%s is %squalified", prepared[i].cql, prepared[i].qualified ? "" : "not ");
        wr_finalize(s);
    }
}

/* ---- failures ---- */

/* As record_server.py writes them. */
static void put_details(char *out, size_t size, const struct wr_failure *f)
{
    size_t at = 0;
    *out = 0;
    if (f->required)
        snprintf(out, size, "consistency=%d required=%u alive=%u", f->consistency, f->required, f->alive);
    if (!f->keyspace)
        return;
    at = (size_t)snprintf(out, size, "keyspace=%s name=%s", f->keyspace, f->name);
    for (uint32_t i = 0; i < f->argument_count; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? "," : " types=", f->argument_types[i]);
}

static void failures_have_cassandras_details(void **state)
{
    char details[256];
    int wrong = 0;
    for (size_t i = 0; i < COUNT(failures); i++) {
        struct wr_failure f = { .status = WR_OK };
        enum wr_status st;
        exec(*state, "TRUNCATE wrserver.t; INSERT INTO wrserver.t (p, v) VALUES (1, 1)");
        wr_stmt *s = NULL;
        st = wr_prepare(*state, failures[i].cql, -1, &s);
        if (st != WR_OK)
            wr_failure(*state, &f);
        if (s && failures[i].level >= 0)
            wr_set_consistency(s, (enum wr_consistency)failures[i].level);
        if (s && failures[i].serial >= 0)
            wr_set_serial_consistency(s, (enum wr_consistency)failures[i].serial);
        while (s && (st = wr_step(s)) == WR_ROW)
            ;
        if (s && st != WR_DONE)
            wr_stmt_failure(s, &f);
        put_details(details, sizeof details, &f);
        unsigned code = wr_status_code(f.status);
        const char *text = st == WR_DONE ? "" : s ? wr_stmt_error(s) : wr_error(*state);
        if (code != failures[i].code || strcmp(details, failures[i].details) != 0 ||
            (failures[i].text[0] && strcmp(text, failures[i].text) != 0)) {
            print_error("level %d, serial %d: %s\n  0x%04X [%s] %s\n  recorded 0x%04X [%s] %s\n", failures[i].level,
                        failures[i].serial, failures[i].cql, code, details, text, failures[i].code, failures[i].details,
                        failures[i].text);
            wrong++;
        }
        wr_finalize(s);
    }
    assert_int_equal(wrong, 0);
}

static void failures_reach_the_handle(void **state)
{
    struct wr_failure f;
    assert_int_equal(wr_exec(*state, "CREATE TABLE wrserver.t (p int PRIMARY KEY)", NULL, NULL), WR_ALREADY_EXISTS);
    wr_failure(*state, &f);
    assert_int_equal(f.status, WR_ALREADY_EXISTS);
    assert_string_equal(f.keyspace, "wrserver");
    assert_string_equal(f.name, "t");
    assert_int_equal(wr_exec(*state, "SELECT * FROM nosuch", NULL, NULL), WR_INVALID);
    wr_failure(*state, &f);
    assert_int_equal(f.status, WR_INVALID);
    assert_null(f.keyspace);
}

static void failures_of_batches(void **state)
{
    struct wr_failure f;
    wr_batch *batch;
    wr_stmt *s = prepare(*state, "INSERT INTO wrserver3.t (p, v) VALUES (1, 1)");
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    wr_batch_set_consistency(batch, WR_CL_QUORUM);
    assert_int_equal(wr_batch_run(batch, NULL), WR_UNAVAILABLE);
    wr_batch_failure(batch, &f);
    assert_int_equal(f.status, WR_UNAVAILABLE);
    assert_int_equal(f.consistency, WR_CL_QUORUM);
    assert_int_equal(f.required, 2);
    assert_int_equal(f.alive, 1);
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    wr_batch_set_consistency(batch, WR_CL_ONE);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    wr_finalize(s);
    s = prepare(*state, "INSERT INTO t (p, v) VALUES (9, 1) IF NOT EXISTS");
    assert_int_equal(wr_batch_add(batch, s), WR_OK);
    wr_batch_set_serial_consistency(batch, WR_CL_QUORUM);
    assert_int_equal(wr_batch_run(batch, NULL), WR_INVALID);
    assert_string_equal(wr_batch_error(batch),
                        "Invalid consistency for conditional update. Must be one of SERIAL or LOCAL_SERIAL");
    wr_batch_free(batch);
    wr_finalize(s);
}

static void more_nodes_are_more_replicas(void **state)
{
    struct wr_failure f;
    wr_stmt *three = prepare(*state, "SELECT * FROM wrserver3.t"), *one = prepare(*state, "SELECT * FROM wrserver.t");
    assert_int_equal(wr_set_nodes(*state, 0), WR_MISUSE);
    assert_int_equal(wr_set_nodes(*state, 2), WR_OK);
    wr_set_consistency(three, WR_CL_QUORUM);
    assert_int_equal(wr_step(three), WR_DONE);
    wr_set_consistency(three, WR_CL_ALL);
    assert_int_equal(wr_step(three), WR_UNAVAILABLE);
    wr_stmt_failure(three, &f);
    assert_int_equal(f.required, 3);
    assert_int_equal(f.alive, 2);
    assert_int_equal(wr_set_nodes(*state, 3), WR_OK);
    assert_int_equal(wr_step(three), WR_DONE);
    wr_set_consistency(one, WR_CL_TWO); /* replicated once, whatever nodes there are */
    assert_int_equal(wr_step(one), WR_UNAVAILABLE);
    wr_finalize(three);
    wr_finalize(one);
}

/* ---- changes of the schema ---- */

struct heard {
    wr_db *db;
    char text[1024];
    bool reads;
    pthread_t thread;
};

static void on_change(void *arg, const struct wr_schema_change *change)
{
    struct heard *heard = arg;
    size_t at = strlen(heard->text);
    if (strcmp(change->keyspace, "wrevents") == 0)
        snprintf(heard->text + at, sizeof heard->text - at, "%s%s %s %s%s%s", at ? "; " : "", change->change,
                 change->target, change->keyspace, change->name ? " " : "", change->name ? change->name : "");
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

/* ---- handles, clocks, addresses ---- */

static void use_without_a_statement(void **state)
{
    assert_int_equal(wr_use(*state, "wrserver3"), WR_OK);
    assert_string_equal(wr_keyspace(*state), "wrserver3");
    assert_int_equal(wr_use(*state, "nosuch"), WR_INVALID);
    assert_string_equal(wr_error(*state), "Keyspace 'nosuch' does not exist");
    assert_string_equal(wr_keyspace(*state), "wrserver3");
    assert_int_equal(wr_use(*state, NULL), WR_OK);
    assert_null(wr_keyspace(*state));
}

static void statements_have_a_keyspace_of_their_own(void **state)
{
    wr_stmt *stmt;
    assert_int_equal(wr_use(*state, "wrserver3"), WR_OK);
    assert_int_equal(wr_prepare_in(*state, "system", "SELECT key FROM local", -1, &stmt), WR_OK);
    assert_string_equal(wr_keyspace(*state), "wrserver3");
    assert_int_equal(wr_step(stmt), WR_ROW);
    wr_finalize(stmt);
    assert_int_equal(wr_prepare_in(*state, "nosuch", "SELECT key FROM local", -1, &stmt), WR_INVALID);
    assert_null(stmt);
    assert_string_equal(wr_error(*state), "keyspace nosuch does not exist");
    assert_int_equal(wr_prepare_in(*state, NULL, "SELECT key FROM local", -1, &stmt), WR_INVALID);
    assert_string_equal(wr_error(*state), "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
    assert_int_equal(wr_use(*state, NULL), WR_OK);
}

static int64_t ttl_left(wr_stmt *read)
{
    int64_t left = -1;
    if (wr_step(read) == WR_ROW)
        left = wr_column_is_null(read, 0) ? 0 : wr_column_int(read, 0);
    wr_reset(read);
    return left;
}

static void statements_have_a_clock_of_their_own(void **state)
{
    enum { NOW = 1700000000 };
    wr_clock_set(*state, INT64_C(1000000) * NOW);
    wr_stmt *write = prepare(*state, "INSERT INTO t (p, v) VALUES (5, 5) USING TTL 100"),
            *read = prepare(*state, "SELECT ttl(v) FROM t WHERE p = 5"),
            *other = prepare(*state, "UPDATE t SET v = 6 WHERE p = 6");
    assert_int_equal(wr_step(write), WR_DONE);
    assert_int_equal(ttl_left(read), 100);
    wr_set_now(read, NOW + 99);
    assert_int_equal(ttl_left(read), 1);
    wr_set_now(read, NOW + 100);
    assert_int_equal(ttl_left(read), -1);
    wr_set_now(write, NOW + 1000);
    assert_int_equal(wr_step(write), WR_DONE);
    wr_set_now(other, NOW + 1000000); /* a write from the future makes nobody else's data expire */
    assert_int_equal(wr_step(other), WR_DONE);
    wr_set_now(read, INT64_MIN);
    assert_int_equal(ttl_left(read), 1100);
    wr_batch *batch;
    assert_int_equal(wr_batch_new(*state, WR_BATCH_UNLOGGED, &batch), WR_OK);
    assert_int_equal(wr_batch_set_now(batch, NOW + 50), WR_OK);
    assert_int_equal(wr_batch_add(batch, write), WR_OK);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    wr_batch_free(batch);
    assert_int_equal(ttl_left(read), 150);
    assert_int_equal(wr_set_now(read, -1), WR_MISUSE);
    wr_finalize(write);
    wr_finalize(read);
    wr_finalize(other);
    wr_clock_release(*state);
}

static int64_t writetime_of(wr_db *db, const char *cql)
{
    wr_stmt *s = prepare(db, cql);
    assert_int_equal(wr_step(s), WR_ROW);
    int64_t time = wr_column_int(s, 0);
    wr_finalize(s);
    return time;
}

/* As a driver's: statements with their own keep it, and conditional ones take no notice. */
static void batches_have_a_default_timestamp(void **state)
{
    wr_stmt *plain = prepare(*state, "INSERT INTO t (p, v) VALUES (21, 1)"),
            *own = prepare(*state, "INSERT INTO t (p, v) VALUES (22, 1) USING TIMESTAMP 77"),
            *conditional = prepare(*state, "INSERT INTO t (p, v) VALUES (23, 1) IF NOT EXISTS");
    wr_batch *batch;
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_batch_set_timestamp(batch, 1234);
    wr_batch_add(batch, plain);
    wr_batch_add(batch, own);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_int_equal(writetime_of(*state, "SELECT writetime(v) FROM t WHERE p = 21"), 1234);
    assert_int_equal(writetime_of(*state, "SELECT writetime(v) FROM t WHERE p = 22"), 77);
    wr_batch_set_timestamp(batch, 1234);
    wr_batch_add(batch, conditional);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_true(writetime_of(*state, "SELECT writetime(v) FROM t WHERE p = 23") > 1234);
    wr_batch_free(batch);
    wr_finalize(plain);
    wr_finalize(own);
    wr_finalize(conditional);
}

static void batches_warn(void **state)
{
    wr_batch *batch;
    exec(*state, "CREATE TABLE nograce (p int PRIMARY KEY) WITH gc_grace_seconds = 0");
    wr_stmt *s = prepare(*state, "INSERT INTO nograce (p) VALUES (1)");
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_batch_add(batch, s);
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_non_null(strstr(wr_batch_warning(batch, 0), "configured with a gc_grace_seconds of 0"));
    assert_null(wr_batch_warning(batch, 1));
    wr_batch_free(batch);
    wr_finalize(s);
}

static void the_address_is_told(void **state)
{
    char text[64];
    assert_int_equal(wr_set_address(*state, "192.168.7.9", 19042), WR_OK);
    wr_stmt *s = prepare(*state, "SELECT rpc_address, rpc_port FROM system.local WHERE key = 'local'");
    assert_int_equal(wr_step(s), WR_ROW);
    wr_value_format(wr_column_value(s, 0), WR_STRING, text, sizeof text);
    assert_string_equal(text, "192.168.7.9");
    assert_int_equal(wr_column_int(s, 1), 19042);
    wr_finalize(s);
    assert_int_equal(wr_set_address(*state, "no address", 1), WR_INVALID);
}

static bool next_client(void *arg, uint32_t i, struct wr_client *out)
{
    static const char *const options[] = { "DRIVER_NAME", "a driver", "CQL_VERSION", "3.4.7" };
    if (i >= *(uint32_t *)arg)
        return false;
    *out = (struct wr_client){ .address = "127.0.0.1",
                               .port = (uint16_t)(50000 - i),
                               .connection_stage = "ready",
                               .protocol_version = 5,
                               .request_count = 12,
                               .username = "anonymous",
                               .options = options,
                               .option_count = 2 };
    return true;
}

static void clients_are_told(void **state)
{
    char text[128];
    uint32_t count = 2;
    wr_stmt *s = prepare(*state, "SELECT port, request_count, ssl_enabled, driver_name, client_options FROM "
                                 "system_views.clients WHERE address = '127.0.0.1'");
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_set_clients(*state, next_client, &count), WR_OK);
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 49999);
    assert_int_equal(wr_column_int(s, 1), 12);
    assert_false(wr_column_bool(s, 2) || wr_column_is_null(s, 2));
    assert_true(wr_column_is_null(s, 3));
    wr_value_format(wr_column_value(s, 4), WR_LITERAL, text, sizeof text);
    assert_string_equal(text, "{'CQL_VERSION': '3.4.7', 'DRIVER_NAME': 'a driver'}");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 50000);
    assert_int_equal(wr_step(s), WR_DONE);
    assert_int_equal(wr_set_clients(*state, NULL, NULL), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

static void text_of(wr_db *db, const char *cql, char *text, size_t size)
{
    wr_stmt *s = prepare(db, cql);
    assert_int_equal(wr_step(s), WR_ROW);
    wr_value_format(wr_column_value(s, 0), WR_STRING, text, size);
    wr_finalize(s);
}

static void settings_are_those_of_this_database(void **state)
{
    char text[64], local[64];
    text_of(*state, "SELECT cluster_name FROM system.local", local, sizeof local);
    text_of(*state, "SELECT value FROM system_views.settings WHERE name = 'cluster_name'", text, sizeof text);
    assert_string_equal(text, local);
    assert_int_equal(wr_set_address(*state, "::1", 19042), WR_OK);
    text_of(*state, "SELECT value FROM system_views.settings WHERE name = 'native_transport_port'", text, sizeof text);
    assert_string_equal(text, "19042");
    text_of(*state, "SELECT value FROM system_views.settings WHERE name = 'rpc_address'", text, sizeof text);
    assert_string_equal(text, "::1");
}

static void virtual_tables_hold_nothing(void **state)
{
    struct wr_table_stats stats;
    assert_int_equal(wr_table_stats(*state, "system_views", "settings", &stats), WR_OK);
    assert_int_equal(stats.rows, 0);
    assert_int_equal(wr_table_cells(*state, "system_views", "settings", NULL, NULL, NULL), WR_OK);
    exec(*state, "BEGIN BATCH INSERT INTO t (p, v) VALUES (1, 1); APPLY BATCH; TRUNCATE system_views.system_logs");
    uint64_t findings = 1;
    assert_int_equal(wr_check(*state, NULL, NULL, &findings), WR_OK);
    assert_int_equal(findings, 0);
}

static enum wr_status set_address(void *db)
{
    return wr_set_address(db, "127.0.0.1", 9042);
}

static void an_address_is_not_set_within_another_write(void **state)
{
    assert_int_equal(wr_atomically(*state, set_address, *state), WR_MISUSE);
    assert_int_equal(set_address(*state), WR_OK);
}

/* ---- traces ---- */

struct told {
    char text[4096];
};

static void tell(void *arg, const char *activity)
{
    struct told *told = arg;
    size_t len = strlen(told->text);
    snprintf(told->text + len, sizeof told->text - len, "%s\n", activity);
}

static void run_out(wr_stmt *stmt)
{
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW)
        continue;
    assert_int_equal(st, WR_DONE);
}

/* What is told is compared with Cassandra's in tests/serve/traces.py; here, who is told and when. */
static void runs_are_told_until_they_are_not(void **state)
{
    struct told told = { "" };
    exec(*state, "CREATE TABLE told (p int PRIMARY KEY, v int)");
    wr_stmt *insert = prepare(*state, "INSERT INTO told (p, v) VALUES (1, 1)"), *select = prepare(*state, "SELECT * FROM told WHERE p = 1");
    wr_set_trace(insert, tell, &told);
    run_out(insert);
    assert_string_equal(told.text, "Determining replicas for mutation\nAppending to commitlog\nAdding to told memtable\n");
    told.text[0] = '\0';
    run_out(select);
    assert_string_equal(told.text, "");
    wr_set_trace(select, tell, &told);
    assert_int_equal(wr_step(select), WR_ROW);
    assert_null(strstr(told.text, "live rows"));
    wr_reset(select);
    assert_non_null(strstr(told.text, "Read 1 live rows and 0 tombstone cells\n"));
    told.text[0] = '\0';
    wr_set_trace(select, NULL, NULL);
    run_out(select);
    assert_string_equal(told.text, "");
    wr_finalize(insert);
    wr_finalize(select);
}

static void batches_are_told(void **state)
{
    struct told told = { "" };
    wr_batch *batch;
    exec(*state, "CREATE TABLE told (p int PRIMARY KEY, v int)");
    wr_stmt *insert = prepare(*state, "INSERT INTO told (p, v) VALUES (?, 1)");
    assert_int_equal(wr_batch_new(*state, WR_BATCH_LOGGED, &batch), WR_OK);
    wr_batch_set_trace(batch, tell, &told);
    for (int p = 0; p < 2; p++) {
        wr_bind_int(insert, 0, p);
        assert_int_equal(wr_batch_add(batch, insert), WR_OK);
    }
    assert_int_equal(wr_batch_run(batch, NULL), WR_OK);
    assert_memory_equal(told.text, "Determining replicas for atomic batch\n", 38);
    wr_batch_free(batch);
    wr_finalize(insert);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(types_have_their_java_classes),
        TEST(parts_of_descending_columns_have_no_order),
        TEST(descending_columns_are_reversed),
        TEST(markers_of_the_partition_key_route),
        TEST(types_come_apart),
        TEST(markers_tell_types_and_tables),
        TEST(qualified_as_cassandra_makes_ids),
        TEST(an_address_is_not_set_within_another_write),
        TEST(failures_have_cassandras_details),
        TEST(failures_reach_the_handle),
        TEST(failures_of_batches),
        TEST(more_nodes_are_more_replicas),
        TEST(listeners_hear_what_drivers_hear),
        TEST(who_is_told_cannot_change_it),
        TEST(listeners_come_and_go_while_others_change),
        TEST(use_without_a_statement),
        TEST(statements_have_a_keyspace_of_their_own),
        TEST(statements_have_a_clock_of_their_own),
        TEST(batches_have_a_default_timestamp),
        TEST(batches_warn),
        TEST(runs_are_told_until_they_are_not),
        TEST(batches_are_told),
        TEST(the_address_is_told),
        TEST(clients_are_told),
        TEST(settings_are_those_of_this_database),
        TEST(virtual_tables_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
