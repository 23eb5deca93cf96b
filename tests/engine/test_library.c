/* The LMDB that a program is started with. */
#include <sys/stat.h>

#include "tests/engine/database.h"

static struct { int major, minor, patch; } loaded = { 0, 9, 24 };

/* In the place of LMDB's. */
char *mdb_version(int *major, int *minor, int *patch);
char *mdb_version(int *major, int *minor, int *patch)
{
    static char text[] = "LMDB as it is played here";
    *major = loaded.major;
    *minor = loaded.minor;
    *patch = loaded.patch;
    return text;
}

static enum wr_status open_with(struct database *db, int major, int minor, int patch)
{
    struct engine_options options = { .path = db->path[0] ? db->path : NULL, .create = true };
    loaded.major = major;
    loaded.minor = minor;
    loaded.patch = patch;
    return engine_open(&db->ctx, &options, &db->engine);
}

static void one_that_lays_out_its_pages_otherwise_is_refused(void **state)
{
    struct database db;
    char path[192];
    struct stat stat_buf;

    (void)state;
    database_init(&db);
    for (int in_folder = 0; in_folder < 2; in_folder++) {
        if (in_folder)
            database_folder(&db);
        assert_int_equal(open_with(&db, 1, 0, 0), WR_VERSION);
        assert_string_equal(db.ctx.error, "LMDB 0.9 is needed, and the one that was loaded is LMDB as it is played here");
        assert_int_equal(open_with(&db, 0, 9, 90), WR_VERSION);
        assert_int_equal(open_with(&db, 0, 10, 0), WR_VERSION);
    }
    snprintf(path, sizeof path, "%s/widerow.db", db.path);
    assert_int_equal(stat(path, &stat_buf), -1); /* nothing has been made */
    OK(&db.ctx, open_with(&db, 0, 9, 70));
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_lays_out_its_pages_otherwise_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
