/* What clients are told of a statement: its types and their parts, what its markers are, whether its tables have their keyspaces. */
#include "server_recorded.h"

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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_recorded, teardown)
    const struct CMUnitTest tests[] = {
        TEST(types_have_their_java_classes),
        TEST(parts_of_descending_columns_have_no_order),
        TEST(descending_columns_are_reversed),
        TEST(markers_of_the_partition_key_route),
        TEST(types_come_apart),
        TEST(markers_tell_types_and_tables),
        TEST(qualified_as_cassandra_makes_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
