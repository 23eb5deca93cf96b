/* What each wr_bind_* makes of each type: what suits is bound, what does not is WR_INVALID, with the type in the text, and leaves the marker as it was. */
#include "handle.h"

enum { BOOL = 1, INT = 2, DOUBLE = 4, TEXT = 8, BLOB = 16, UUID = 32, OPEN = 64 };

static const struct {
    const char *type, *text; /* what wr_bind_text is given; NULL: a collection's kin, which it never takes */
    unsigned suits;
} types[] = {
    { "ascii", "a", TEXT },
    { "bigint", "7", BOOL | INT | TEXT },
    { "blob", "00ff", TEXT | BLOB },
    { "boolean", "true", BOOL | INT | TEXT },
    { "counter", "7", BOOL | INT | TEXT },
    { "date", "2020-01-31", INT | TEXT },
    { "decimal", "1.5", BOOL | INT | DOUBLE | TEXT },
    { "double", "1.5", BOOL | INT | DOUBLE | TEXT },
    { "duration", "1mo2d", TEXT },
    { "float", "1.5", BOOL | INT | DOUBLE | TEXT },
    { "inet", "::1", TEXT },
    { "int", "7", BOOL | INT | TEXT },
    { "smallint", "7", BOOL | INT | TEXT },
    { "text", "a", TEXT },
    { "time", "10:00:00", INT | TEXT },
    { "timestamp", "2020-01-31", INT | TEXT },
    { "timeuuid", "50554d6e-29bb-11e5-b345-feff819cdc9f", TEXT | UUID },
    { "tinyint", "7", BOOL | INT | TEXT },
    { "uuid", "50554d6e-29bb-11e5-b345-feff819cdc9f", TEXT | UUID },
    { "varint", "7", BOOL | INT | TEXT },
    { "list<int>", NULL, OPEN },
    { "set<text>", NULL, OPEN },
    { "map<uuid, blob>", NULL, OPEN },
    { "tuple<blob>", NULL, OPEN },
    { "frozen<u>", NULL, OPEN },
    { "vector<float, 2>", NULL, OPEN },
    { "'org.apache.cassandra.db.marshal.DynamicCompositeType(a=>org.apache.cassandra.db.marshal.Int32Type)'", NULL, BLOB },
};

static const uint8_t printable[16] = { 'a', ' ', 't', 'e', 'x', 't', 0x10, 't', 0x80, 'o', 'o', 'k', 's', 's', 'o', '!' }; /* also a version 1 uuid */

/* What a type takes by one call. */
static void tries(wr_stmt *s, size_t at, unsigned which, enum wr_status st)
{
    static const char *const names[] = { "bool", "int", "double", "text", "blob", "uuid", "open" };
    bool suits = types[at].suits & which;
    if (st != (suits ? WR_OK : WR_INVALID))
        fail_msg("wr_bind_%s of %s: status %d, \"%s\"", names[__builtin_ctz(which)], types[at].type, st, wr_stmt_error(s));
    if (!suits)
        assert_true(*wr_stmt_error(s));
}

static void try_each(wr_stmt *s, size_t at, int i)
{
    tries(s, at, BOOL, wr_bind_bool(s, i, true));
    tries(s, at, INT, wr_bind_int(s, i, 1));
    tries(s, at, DOUBLE, wr_bind_double(s, i, 1.5));
    tries(s, at, TEXT, wr_bind_text(s, i, types[at].text ? types[at].text : "x", -1));
    tries(s, at, BLOB, wr_bind_blob(s, i, "\x80\x01\x61\x00\x04\x00\x00\x00\x01\x00", 10));
    tries(s, at, UUID, wr_bind_uuid(s, i, printable));
    tries(s, at, OPEN, wr_bind_open(s, i));
    wr_clear_bindings(s);
}

static wr_stmt *statement_of(wr_db *db, size_t at)
{
    char cql[512];
    bool counts = strcmp(types[at].type, "counter") == 0;
    snprintf(cql, sizeof cql, "CREATE TABLE b%zu (p int PRIMARY KEY, v %s)", at, types[at].type);
    exec(db, cql);
    snprintf(cql, sizeof cql, counts ? "UPDATE b%zu SET v = v + ? WHERE p = 1" : "INSERT INTO b%zu (p, v) VALUES (1, ?)", at);
    return prepare(db, cql);
}

static void each_type_takes_what_suits_it(void **state)
{
    for (size_t at = 0; at < sizeof types / sizeof *types; at++) {
        wr_stmt *s = statement_of(*state, at);
        try_each(s, at, 0);
        wr_finalize(s);
    }
}

/* As an element of a list of it: where CQL knows such a list. */
static void so_does_each_element(void **state)
{
    for (size_t at = 0; at < sizeof types / sizeof *types; at++) {
        char cql[512];
        if (strcmp(types[at].type, "counter") == 0)
            continue;
        snprintf(cql, sizeof cql, "CREATE TABLE e%zu (p int PRIMARY KEY, v list<frozen<%s>>)", at, types[at].type);
        if (!(types[at].suits & OPEN) || strncmp(types[at].type, "frozen", 6) == 0 || strncmp(types[at].type, "vector", 6) == 0)
            snprintf(cql, sizeof cql, "CREATE TABLE e%zu (p int PRIMARY KEY, v list<%s>)", at, types[at].type);
        exec(*state, cql);
        snprintf(cql, sizeof cql, "INSERT INTO e%zu (p, v) VALUES (1, ?)", at);
        wr_stmt *s = prepare(*state, cql);
        assert_int_equal(wr_bind_open(s, 0), WR_OK);
        try_each(s, at, WR_ELEMENT);
        wr_finalize(s);
    }
}

static void what_does_not_suit_is_told_and_changes_nothing(void **state)
{
    exec(*state, "CREATE TABLE told (p text PRIMARY KEY, i int)");
    wr_stmt *s = prepare(*state, "INSERT INTO told (p, i) VALUES (?, ?)");
    assert_int_equal(wr_bind_text(s, 0, "key", -1), WR_OK);
    assert_int_equal(wr_bind_int(s, 1, 7), WR_OK);
    assert_int_equal(wr_bind_uuid(s, 0, printable), WR_INVALID);
    assert_string_equal(wr_stmt_error(s), "wr_bind_uuid: a uuid does not suit a value of type text");
    assert_int_equal(wr_bind_blob(s, 1, "1234", 4), WR_INVALID);
    assert_string_equal(wr_stmt_error(s), "wr_bind_blob: a blob does not suit a value of type int");
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
    s = prepare(*state, "SELECT i FROM told WHERE p = 'key'");
    assert_int_equal(wr_step(s), WR_ROW);
    assert_int_equal(wr_column_int(s, 0), 7);
    wr_finalize(s);
}

/* The bytes of any type, for who means them. */
static void wr_bind_value_takes_any_bytes(void **state)
{
    exec(*state, "CREATE TABLE bytes (p int PRIMARY KEY, t text)");
    wr_stmt *s = prepare(*state, "INSERT INTO bytes (p, t) VALUES (?, ?)");
    assert_int_equal(wr_bind_value(s, 0, "\0\0\0\1", 4), WR_OK);
    assert_int_equal(wr_bind_value(s, 1, printable, 3), WR_OK);
    assert_int_equal(wr_step(s), WR_DONE);
    wr_finalize(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_takes_what_suits_it),
        cmocka_unit_test(so_does_each_element),
        cmocka_unit_test(what_does_not_suit_is_told_and_changes_nothing),
        cmocka_unit_test(wr_bind_value_takes_any_bytes),
    };
    return cmocka_run_group_tests(tests, open_tables, teardown);
}
