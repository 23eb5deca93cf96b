/* Column families' comparators: which there are, and the order that they give. */
#include "families.h"

static void names_are_ordered_by_the_comparator(void **state)
{
    wr_cf *cf = family(*state, "longs", "LongType", "UTF8Type");
    int64_t numbers[] = { 5, -3, 1000000, 0, -1000000, 7 }, sorted[] = { -1000000, -3, 0, 5, 7, 1000000 };
    uint8_t be[8];
    wr_cf_result *r;
    for (size_t i = 0; i < 6; i++)
        insert(cf, TEXT("row"), be64(numbers[i], be), TEXT("v"), 1);
    struct wr_cf_predicate all = { .count = 0 };
    assert_int_equal(wr_cf_get_slice(cf, TEXT("row"), &all, &r), WR_OK);
    assert_int_equal(wr_cf_result_rows(r), 1);
    assert_int_equal(wr_cf_result_columns(r, 0), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(read_be64(wr_cf_result_column(r, 0, i)->name), sorted[i]);
    wr_cf_result_free(r);
    wr_cf_close(cf);
}

static void composites_have_components(void **state)
{
    wr_cf *cf = family(*state, "comp", "CompositeType(UTF8Type, LongType)", "UTF8Type");
    static const char a1[] = "\0\1a\0\0\10\0\0\0\0\0\0\0\1\0", a2[] = "\0\1a\0\0\10\0\0\0\0\0\0\0\2\0", b1[] = "\0\1b\0\0\10\0\0\0\0\0\0\0\1\0";
    static const char only_a[] = "\0\1a\0", after_a[] = "\0\1a\1";
    wr_cf_result *r;
    insert(cf, TEXT("r"), TEXT(b1), TEXT("b1"), 1);
    insert(cf, TEXT("r"), TEXT(a2), TEXT("a2"), 1);
    insert(cf, TEXT("r"), TEXT(a1), TEXT("a1"), 1);
    struct wr_cf_predicate p = { .start = TEXT(only_a), .finish = TEXT(after_a) };
    assert_int_equal(wr_cf_get_slice(cf, TEXT("r"), &p, &r), WR_OK);
    assert_int_equal(wr_cf_result_columns(r, 0), 2);
    assert_int_equal(wr_cf_result_column(r, 0, 1)->name.len, sizeof a2 - 1);
    assert_memory_equal(wr_cf_result_column(r, 0, 1)->name.data, a2, sizeof a2 - 1);
    wr_cf_result_free(r);
    wr_cf_close(cf);
}

/* The values of a slice one after the other, each of one letter. */
static void slice_text(wr_cf *cf, struct wr_bytes start, struct wr_bytes finish, bool reversed, char out[16])
{
    struct wr_cf_predicate p = { .start = start, .finish = finish, .reversed = reversed };
    wr_cf_result *r;
    size_t n;
    if (wr_cf_get_slice(cf, TEXT("r"), &p, &r) != WR_OK)
        fail_msg("%s", wr_cf_error(cf));
    n = wr_cf_result_rows(r) ? wr_cf_result_columns(r, 0) : 0;
    assert_true(n < 16);
    for (size_t i = 0; i < n; i++)
        out[i] = *(const char *)wr_cf_result_column(r, 0, i)->value.data;
    out[n] = '\0';
    wr_cf_result_free(r);
}

static bool append_value(void *arg, wr_stmt *row)
{
    strcat(arg, wr_column_text(row, 0));
    return true;
}

/* In the order of a table whatever it is, as CQL reads it: what begins with a prefix lies together, its short name
 * first. */
static void slices_follow_descending_comparators(void **state)
{
    static const char *const directions[] = { "ASC", "DESC" };
    static const char short_a[] = "\0\1a\0", behind_a[] = "\0\1a\1", before_a[] = "\0\1a\377";
    static const struct {
        char name[8], value;
    } names[] = { { "\0\1a\0", 'A' },
                  { "\0\1a\0\0\1x", 'x' },
                  { "\0\1a\0\0\1y", 'y' },
                  { "\0\1b\0", 'B' },
                  { "\0\1b\0\0\1x", 'z' } };
    static const struct wr_bytes nothing = { "", 0 };
    assert_int_equal(
        wr_exec(*state, "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};",
                NULL, NULL),
        WR_OK);
    for (int i = 0; i < 4; i++) {
        char cql[256], name[16], whole[16] = "", got[16], back[16] = "";
        wr_cf *cf;
        snprintf(name, sizeof name, "turned%d", i);
        snprintf(cql, sizeof cql,
                 "CREATE TABLE ks.%s (key text, c text, d text, value text, PRIMARY KEY (key, c, d)) WITH COMPACT "
                 "STORAGE AND "
                 "CLUSTERING ORDER BY (c %s, d %s);",
                 name, directions[i / 2], directions[i % 2]);
        assert_int_equal(wr_exec(*state, cql, NULL, NULL), WR_OK);
        assert_int_equal(wr_cf_open(*state, "ks", name, &cf), WR_OK);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            insert(cf, TEXT("r"), (struct wr_bytes){ names[n].name, names[n].name[5] ? 8 : 4 },
                   (struct wr_bytes){ &names[n].value, 1 }, 1);
        snprintf(cql, sizeof cql, "SELECT value FROM ks.%s;", name);
        assert_int_equal(wr_exec(*state, cql, append_value, whole), WR_OK);
        assert_string_equal(whole, ((const char *[]){ "AxyBz", "AyxBz", "BzAxy", "BzAyx" })[i]);
        slice_text(cf, nothing, nothing, false, got);
        assert_string_equal(got, whole);
        for (size_t n = 0; n < 5; n++)
            back[n] = whole[4 - n];
        slice_text(cf, nothing, nothing, true, got);
        assert_string_equal(got, back);

        const char *a = strchr(whole, 'A'), *b = strchr(whole, 'B');
        slice_text(cf, TEXT(short_a), TEXT(behind_a), false, got);
        assert_int_equal(strlen(got), 3);
        assert_memory_equal(got, a, 3);
        slice_text(cf, TEXT(before_a), TEXT(short_a), false, got); /* that name alone */
        assert_string_equal(got, "A");
        slice_text(cf, TEXT(short_a), TEXT(short_a), true, got);
        assert_string_equal(got, "A");
        slice_text(cf, TEXT(behind_a), nothing, false, got);
        assert_string_equal(got, a < b ? "Bz" : "");
        slice_text(cf, nothing, TEXT(before_a), false, got);
        assert_string_equal(got, a < b ? "" : "Bz");
        slice_text(cf, (struct wr_bytes){ names[1].name, 8 }, TEXT(behind_a), false, got); /* from x */
        assert_string_equal(got, a[1] == 'x' ? "xy" : "x");
        slice_text(cf, (struct wr_bytes){ names[1].name, 8 }, nothing, true, got); /* and back from there */
        assert_int_equal(got[0], 'x');
        assert_int_equal(strlen(got), (size_t)(strchr(whole, 'x') - whole) + 1);
        wr_cf_close(cf);
    }
}

/* Classes in any form that the server reads, of which some turn the order around, as most timelines of those days had them. */
static void comparators_are_classes(void **state)
{
    static const struct {
        const char *comparator, *order;
    } families[] = {
        { "UTF8Type", "abc" },
        { "ReversedType(UTF8Type)", "cba" },
        { "UTF8Type(reversed=true)", "cba" },
        { "org.apache.cassandra.db.marshal.ReversedType(org.apache.cassandra.db.marshal.UTF8Type)", "cba" },
        { "CompositeType(UTF8Type,LongType)", "xyzw" },
        { "CompositeType(UTF8Type(reversed=true), LongType)", "zwxy" },
        { "CompositeType(UTF8Type, ReversedType(LongType))", "yxwz" },
        { "CompositeType(ReversedType(UTF8Type),ReversedType(LongType))", "wzyx" },
        { "ReversedType(CompositeType(UTF8Type,LongType))", "wzyx" },
    };
    static const char *const none[] = { "CompositeType(UTF8Type", "CompositeType(UTF8Type) and more", "CompositeType()", "NoType", "CompositeType(NoType)" };
    static const struct wr_bytes nothing = { "", 0 };
    static const struct {
        char name[15], value;
    } pairs[] = { { "\0\1a\0\0\10\0\0\0\0\0\0\0\1", 'x' },
                  { "\0\1a\0\0\10\0\0\0\0\0\0\0\2", 'y' },
                  { "\0\1b\0\0\10\0\0\0\0\0\0\0\1", 'z' },
                  { "\0\1b\0\0\10\0\0\0\0\0\0\0\2", 'w' } };
    char name[16], got[16];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        snprintf(name, sizeof name, "any%zu", i);
        wr_cf *cf = family(*state, name, families[i].comparator, "UTF8Type");
        for (size_t n = 0; n < strlen(families[i].order); n++) {
            struct wr_bytes one = { &"abc"[n % 3], 1 }, pair = { pairs[n].name, sizeof pairs[n].name };
            bool composite = strlen(families[i].order) == 4;
            insert(cf, TEXT("r"), composite ? pair : one, composite ? (struct wr_bytes){ &pairs[n].value, 1 } : one, 1);
        }
        slice_text(cf, nothing, nothing, false, got);
        assert_string_equal(got, families[i].order);
        wr_cf_close(cf);
        for (size_t j = 0; j < sizeof families / sizeof *families; j++) { /* the same family, or another */
            struct wr_cf_def again = { "ks", name, families[j].comparator, "UTF8Type", "UTF8Type", NULL, -1 };
            bool same = strcmp(families[i].order, families[j].order) == 0;
            assert_int_equal(wr_cf_create(*state, &again), same ? WR_OK : WR_ALREADY_EXISTS);
        }
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct wr_cf_def def = { "ks", "none", none[i], NULL, NULL, NULL, -1 };
        assert_int_not_equal(wr_cf_create(*state, &def), WR_OK);
        assert_true(strlen(wr_error(*state)) > 0);
    }
}

static void an_equal_family_is_no_failure(void **state)
{
    const struct wr_cf_def def = { "ks", "twice", "LongType", "UTF8Type", "UTF8Type", NULL, -1 };
    assert_int_equal(wr_cf_create(*state, &def), WR_OK);
    assert_int_equal(wr_cf_create(*state, &def), WR_OK);
    assert_string_equal(wr_error(*state), "");
}

static void a_database_that_is_not_open_has_none(void **state)
{
    const struct wr_cf_def def = { "ks", "none", "LongType", "UTF8Type", "UTF8Type", NULL, -1 };
    wr_db *db;
    (void)state;
    assert_int_not_equal(wr_open("/dev/null/there", NULL, &db), WR_OK);
    assert_int_equal(wr_cf_create(db, &def), WR_MISUSE);
    assert_string_equal(wr_error(db), "the database is not open");
    assert_int_equal(wr_close(db), WR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_ordered_by_the_comparator, setup, teardown),
        cmocka_unit_test_setup_teardown(composites_have_components, setup, teardown),
        cmocka_unit_test_setup_teardown(slices_follow_descending_comparators, setup, teardown),
        cmocka_unit_test_setup_teardown(comparators_are_classes, setup, teardown),
        cmocka_unit_test_setup_teardown(an_equal_family_is_no_failure, setup, teardown),
        cmocka_unit_test(a_database_that_is_not_open_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
