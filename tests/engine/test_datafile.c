/* Answers engine/datafile.h, folder.h and syncfile.h: files and folders that are no database, a damaged one or one cut off are refused and left as they
 * were. */
#include "tests/engine/disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <lmdb.h>

#include "engine/datafile.h"

/* ---- files ---- */

enum { PAGE_BYTES_AT = 16 + 24 }; /* in a meta page; least byte first */

/* What the machine says its pages are, LMDB's question too. */
static long machine_page_bytes;
__attribute__((visibility("default"))) long sysconf(int name)
{
    static long (*theirs)(int name);

    if (!theirs)
        *(void **)&theirs = dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_PAGESIZE && machine_page_bytes ? machine_page_bytes : theirs(name);
}

static void pages_are_of_one_size_on_every_machine(void **state)
{
    static const long sizes[] = { 4096, 16384, 65536 };
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static struct versions live;
        struct database db;

        machine_page_bytes = sizes[i];
        memset(&live, 0, sizeof live);
        new_disk(&db, DURABILITY_PERIODIC);
        fill(&db, &live);
        reopen(&db, DURABILITY_PERIODIC);
        assert_true(holds(&db, &live));
        struct file data = load(&db, "widerow.db");
        assert_int_equal(data.bytes[PAGE_BYTES_AT] | data.bytes[PAGE_BYTES_AT + 1] << 8, PAGE);
        free(data.bytes);
        database_close(&db);
    }
    machine_page_bytes = 0;
}

/* A file with these trees, made by LMDB. */
static struct file make_by_lmdb(const struct database *db, const char *const trees[], uint16_t count)
{
    char path[192];
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi tree;

    path_in(path, db, "lmdb");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mdb_env_create(&env), 0);
    mdb_env_set_maxdbs(env, count);
    assert_int_equal(mdb_env_open(env, path, 0, 0644), 0);
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    for (uint16_t i = 0; i < count; i++)
        assert_int_equal(mdb_dbi_open(txn, trees[i], MDB_CREATE, &tree), 0);
    assert_int_equal(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
    struct file made = load(db, "lmdb/data.mdb");
    path_in(path, db, "lmdb/data.mdb");
    unlink(path);
    path_in(path, db, "lmdb/lock.mdb");
    unlink(path);
    path_in(path, db, "lmdb");
    rmdir(path);
    return made;
}

static void what_is_begun_is_what_lmdb_would_make(void **state)
{
    static const char *const trees[] = { "catalog", "even", "odd", "x" };
    enum { COUNT = sizeof trees / sizeof *trees, MAP_SIZE_AT = 16 + 16 };
    char path[192];
    struct database db;
    (void)state;

    machine_page_bytes = PAGE;
    database_init(&db);
    database_folder(&db);
    path_in(path, &db, "ours");
    assert_int_equal(datafile_begin(path, trees, COUNT), 0);
    struct file theirs = make_by_lmdb(&db, trees, COUNT), ours = load(&db, "ours");
    assert_int_equal(ours.len, theirs.len);
    for (size_t page = 0; page < 2; page++)
        memcpy(ours.bytes + page * PAGE + MAP_SIZE_AT, theirs.bytes + page * PAGE + MAP_SIZE_AT, 8); /* which it takes as it is told */
    for (size_t page = 0; page < 3; page++)
        assert_memory_equal(ours.bytes + page * PAGE, theirs.bytes + page * PAGE, page < 2 ? META_BYTES : PAGE);
    assert_int_equal(datafile_begin(path, trees, 1), 0); /* there is a file */
    struct file again = load(&db, "ours");
    assert_int_equal(again.len, ours.len);
    assert_memory_equal(again.bytes + 2 * PAGE, theirs.bytes + 2 * PAGE, PAGE);
    unlink(path);
    free(again.bytes);
    free(ours.bytes);
    free(theirs.bytes);
    machine_page_bytes = 0;
    database_close(&db);
}

static void assert_refused(struct database *db, enum wr_status expected, const char *words)
{
    for (int read_only = 0; read_only < 2; read_only++) {
        assert_int_equal(try_open(db, DURABILITY_PERIODIC, read_only), expected);
        assert_null(db->engine);
        assert_non_null(strstr(db->ctx.error, words));
    }
}

static void put_label(struct file data, uint32_t version)
{
    /* As datafile.h draws it; the checksum stays wrong, since a newer format may have another. */
    put_u32(data.bytes + 1024 + 8, version);
}

static void files_of_others_and_damaged_ones_are_refused(void **state)
{
    static struct versions live;
    struct database db, image;
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    engine_close(db.engine);
    db.engine = NULL;
    struct file data, sync;
    char newer[32];
    snprintf(newer, sizeof newer, "format %d", FORMAT_VERSION + 1);

    struct {
        const char *what;
        enum wr_status status;
        const char *words;
    } const cases[] = {
        { "empty", WR_CORRUPT, "cut off" },
        { "short", WR_CORRUPT, "cut off" },
        { "one page missing", WR_CORRUPT, "cut off" },
        { "zeroes", WR_NOT_A_DATABASE, "not a database" },
        { "noise", WR_NOT_A_DATABASE, "not a database" },
        { "newer", WR_VERSION, newer },
        { "label", WR_CORRUPT, "label" },
        { "first page", WR_CORRUPT, "first page" },
        { "second page", WR_CORRUPT, "second page" },
        { "root", WR_CORRUPT, "page" },
        { "no sync file", WR_CORRUPT, "missing" },
        { "empty sync file", WR_CORRUPT, "unreadable" },
        { "another's sync file", WR_CORRUPT, "another database" },
        { "larger pages", WR_VERSION, "pages of 16384 bytes" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        data = load(&db, "widerow.db");
        sync = load(&db, "widerow.sync");
        uint64_t seed = i;
        size_t len = data.len;
        switch (i) {
        case 0:
            data.len = 0;
            break;
        case 1:
            data.len = 1030;
            break;
        case 2:
            data.len -= PAGE;
            break;
        case 3:
            memset(data.bytes, 0, len);
            break;
        case 4:
            for (size_t at = 0; at < len; at++)
                data.bytes[at] = (uint8_t)random_next(&seed);
            break;
        case 5:
            put_label(data, FORMAT_VERSION + 1);
            break;
        case 6:
            data.bytes[1024 + 20] ^= 1;
            break;
        case 7:
            data.bytes[16] ^= 1;
            break;
        case 8:
            data.bytes[PAGE + 10] = 0;
            break;
        case 9:
            memset(data.bytes + 16 + 24 + 48 + 40, 0x7f, 8), memset(data.bytes + PAGE + 16 + 24 + 48 + 40, 0x7f, 8);
            break;
        case 11:
            sync.len = 0;
            break;
        case 12:
            for (size_t at = 0; at < sync.len; at += SYNC_SLOT_EVERY) {
                struct sync_slot slot;
                if (sync_slot_decode(sync.bytes + at, &slot)) {
                    slot.database_id[3] ^= 1;
                    sync_slot_encode(&slot, sync.bytes + at);
                }
            }
            break;
        case 13:
            data.bytes[PAGE_BYTES_AT] = 0, data.bytes[PAGE_BYTES_AT + 1] = 0x40;
            break;
        default:
            break;
        }
        make_image(&image, data, sync, NO_FILE);
        if (i == 10) {
            char name[192];
            path_in(name, &image, "widerow.sync");
            unlink(name);
        }
        print_message("%s\n", cases[i].what);
        assert_refused(&image, cases[i].status, cases[i].words);
        database_close(&image);
    }
    database_close(&db);
}

/* ---- folders ---- */

static void folders_of_others_are_left_as_they_were(void **state)
{
    struct database db;
    char name[192];
    (void)state;

    database_init(&db);
    database_folder(&db);
    path_in(name, &db, "letter.txt");
    close(open(name, O_RDWR | O_CREAT, 0644));
    assert_int_equal(try_open(&db, DURABILITY_PERIODIC, false), WR_NOT_A_DATABASE);
    assert_non_null(strstr(db.ctx.error, "letter.txt"));
    DIR *dir = opendir(db.path);
    int entries = 0;
    while (readdir(dir))
        entries++;
    closedir(dir);
    assert_int_equal(entries, 3); /* itself, its parent, the letter */
    /* A file in place of a folder; a missing folder; an empty one without leave to make a database. */
    struct engine_options options = { .path = name, .create = true };
    assert_int_not_equal(engine_open(&db.ctx, &options, &db.engine), WR_OK);
    unlink(name);
    options.create = false;
    assert_int_equal(engine_open(&db.ctx, &options, &db.engine), WR_NOT_A_DATABASE);
    options.path = db.path;
    assert_int_equal(engine_open(&db.ctx, &options, &db.engine), WR_NOT_A_DATABASE);
    assert_int_equal(try_open(&db, DURABILITY_PERIODIC, true), WR_NOT_A_DATABASE);
    /* A dot file is nobody's. */
    path_in(name, &db, ".keep");
    close(open(name, O_RDWR | O_CREAT, 0644));
    open_disk(&db, DURABILITY_PERIODIC);
    unlink(name);
    database_close(&db);
}

static void a_creation_that_was_cut_short_is_begun_again(void **state)
{
    struct database db;
    uint8_t junk[5000];
    (void)state;

    database_init(&db);
    database_folder(&db);
    memset(junk, 0xee, sizeof junk);
    save(&db, "widerow.db-new", (struct file){ junk, sizeof junk });
    save(&db, "widerow.db-new-lock", (struct file){ junk, 100 });
    save(&db, "widerow.sync", (struct file){ junk, 50 });
    assert_int_equal(try_open(&db, DURABILITY_PERIODIC, true), WR_NOT_A_DATABASE);
    open_disk(&db, DURABILITY_PERIODIC);
    reopen(&db, DURABILITY_FULL);
    database_close(&db);
}

static int open_unreadable(struct database *db)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 0;
    for (int read_only = 0; read_only < 2; read_only++) {
        enum wr_status st = try_open(db, DURABILITY_PERIODIC, read_only);
        if (st != WR_IO || !strstr(db->ctx.error, "ermission"))
            return 1;
    }
    return 0;
}

static void unreadable_files_are_told(void **state)
{
    struct database db;
    char name[192];
    (void)state;

    new_disk(&db, DURABILITY_PERIODIC);
    engine_close(db.engine);
    db.engine = NULL;
    path_in(name, &db, "widerow.db");
    chmod(name, 0);
    if (geteuid() != 0)
        assert_refused(&db, WR_IO, "ermission");
    else
        assert_int_equal(in_child(open_unreadable, &db), 0);
    database_close(&db);
}

/* Who opens one waits for its other end. */
static void pipes_are_told(void **state)
{
    static const char *const files[] = { "widerow.db", "widerow.sync", "widerow.log" };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct database db;
        char name[192];
        new_disk(&db, DURABILITY_PERIODIC);
        engine_close(db.engine);
        db.engine = NULL;
        path_in(name, &db, files[i]);
        unlink(name);
        assert_int_equal(mkfifo(name, 0600), 0);
        assert_refused(&db, WR_IO, "cannot read");
        unlink(name);
        database_close(&db);
    }
}

/* ---- a file that was cut off ---- */

/* Ends while the file is longer than it was at the last sync point. */
static int write_and_vanish(struct database *db)
{
    static struct versions live;

    open_disk(db, DURABILITY_NONE);
    memset(&live, 0, sizeof live);
    fill(db, &live);
    return 0;
}

static void a_reader_does_not_map_what_ends_too_early(void **state)
{
    struct database db;
    (void)state;

    new_disk(&db, DURABILITY_NONE);
    engine_close(db.engine);
    db.engine = NULL;
    struct file was = load(&db, "widerow.db");
    assert_int_equal(in_child(write_and_vanish, &db), 0);
    assert_int_equal(try_open(&db, DURABILITY_NONE, true), WR_OK);
    engine_close(db.engine);
    db.engine = NULL;
    struct file data = load(&db, "widerow.db");
    assert_true(data.len > was.len + 10 * PAGE);
    data.len -= 4 * PAGE;
    save(&db, "widerow.db", data);
    assert_int_equal(try_open(&db, DURABILITY_NONE, true), WR_BUSY);
    assert_non_null(strstr(db.ctx.error, "ends before its last page"));
    free(was.bytes);
    free(data.bytes);
    database_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_of_one_size_on_every_machine),
        cmocka_unit_test(what_is_begun_is_what_lmdb_would_make),
        cmocka_unit_test(files_of_others_and_damaged_ones_are_refused),
        cmocka_unit_test(folders_of_others_are_left_as_they_were),
        cmocka_unit_test(a_creation_that_was_cut_short_is_begun_again),
        cmocka_unit_test(unreadable_files_are_told),
        cmocka_unit_test(pipes_are_told),
        cmocka_unit_test(a_reader_does_not_map_what_ends_too_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
