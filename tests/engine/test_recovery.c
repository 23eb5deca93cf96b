/* Answers engine/recovery.h: what the log of a process that died, or of a machine that lost its power, gives back, be it whole, cut off or damaged. */
#include "engine/log.h"
#include "engine/rig.h"
#include "tests/engine/disk.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* ---- processes that die ---- */

static int let_processes_die(enum durability mode, uint32_t until_most)
{
    static struct versions live;
    struct database db;
    _Atomic uint32_t *acknowledged =
        mmap(NULL, sizeof *acknowledged, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t seed = 7;
    int busy = 0;

    rig.gather_after = 0;
    for (int i = 0; i < 30; i++) {
        new_disk(&db, mode);
        memset(&live, 0, sizeof live);
        fill(&db, &live);
        engine_close(db.engine);
        db.engine = NULL;
        uint32_t until = 1 + (uint32_t)random_below(&seed, i % 3 ? until_most / 15 : until_most);
        atomic_store(acknowledged, 0);
        pid_t child = fork();
        if (child == 0) {
            open_disk(&db, mode);
            for (uint32_t n = 1;; n++) {
                struct txn *txn = NULL;
                txn_begin_gathered(&db.ctx, db.engine, &txn);
                put_version(&db, &live, txn, n % NUMBERS, n);
                put_version(&db, &live, txn, (n * 7 + 1) % NUMBERS, n);
                txn_commit(&db.ctx, &txn);
                atomic_store(acknowledged, n);
            }
        }
        while (atomic_load(acknowledged) < until)
            sched_yield();
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        uint32_t most = atomic_load(acknowledged);
        enum wr_status st = try_open(&db, mode, true); /* only a writer may put it right */
        assert_true(st == WR_BUSY || st == WR_OK);
        busy += st == WR_BUSY;
        engine_close(st == WR_OK ? db.engine : NULL);
        open_disk(&db, mode);
        for (uint32_t n = 1; n <= most; n++) {
            live.version[n % NUMBERS] = n;
            live.version[(n * 7 + 1) % NUMBERS] = n;
        }
        bool all = holds(&db, &live); /* or with the one that was about to be acknowledged */
        live.version[(most + 1) % NUMBERS] = live.version[((most + 1) * 7 + 1) % NUMBERS] = most + 1;
        assert_true(all || holds(&db, &live));
        change_gathered(&db, &live, &seed, 20);
        database_close(&db);
    }
    munmap((void *)acknowledged, sizeof *acknowledged);
    return busy;
}

static void a_process_that_dies_loses_nothing_it_has_acknowledged(void **state)
{
    (void)state;
    assert_true(let_processes_die(DURABILITY_PERIODIC, 30000) > 10); /* the others died between two sessions */
    assert_true(let_processes_die(DURABILITY_FULL, 1500) > 10);
}

enum { LONG_MS = 600000 };

/* ---- what goes with others ---- */

enum { SIFTED_ID = 2, SIFTED_FROM = 5, SIFTED_TO = 25 }; /* of that id's numbers */

static bool every_third_goes(void *arg, struct slice value)
{
    (void)value;
    return ++*(uint32_t *)arg % 3 == 0;
}

static enum wr_status sift_numbers(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t from[NUMBER_KEY_BYTES], to[NUMBER_KEY_BYTES];
    uint32_t seen = 0, first = (SIFTED_ID - 1) * NUMBERS_PER_ID;
    struct sieve sieve = { every_third_goes, &seen, UINT64_MAX, 0 };
    struct slice start = number_key(from, first + SIFTED_FROM), end = number_key(to, first + SIFTED_TO);
    (void)arg;

    assert_int_equal(read_u64(start.data), SIFTED_ID);
    TRY(store_sift(ctx, txn, TREE_ROWS, SIFTED_ID, slice_skip(start, ID_BYTES), slice_skip(end, ID_BYTES), &sieve));
    assert_int_equal(sieve.gone, (SIFTED_TO - SIFTED_FROM) / 3);
    return WR_OK;
}

static int sift_and_vanish(struct database *db)
{
    rig.gather_session_ms = LONG_MS; /* the log alone has it */
    open_disk(db, DURABILITY_PERIODIC);
    OK(&db->ctx, engine_write_gathered(&db->ctx, db->engine, sift_numbers, NULL));
    return 0;
}

static void rows_that_went_together_stay_away(void **state)
{
    static struct versions live;
    struct database db;
    (void)state;

    rig.gather_after = 0;
    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    engine_close(db.engine);
    db.engine = NULL;
    assert_int_equal(in_child(sift_and_vanish, &db), 0);
    open_disk(&db, DURABILITY_PERIODIC);
    for (uint32_t n = SIFTED_FROM + 2; n < SIFTED_TO; n += 3)
        live.version[(SIFTED_ID - 1) * NUMBERS_PER_ID + n] = 0;
    assert_true(holds(&db, &live));
    database_close(&db);
}

/* ---- a folder that is moved ---- */

static void path_of_moved(char out[192], const struct database *db)
{
    snprintf(out, 192, "%s-moved", db->path);
}

static bool has_been_made(const char *folder, const char *file)
{
    char name[224];
    snprintf(name, sizeof name, "%s/%s", folder, file);
    return access(name, F_OK) == 0;
}

/* Another folder is in its place before those files are made that are there only while it is open. Then the process vanishes. */
static int write_where_it_has_been_moved(enum durability mode, struct database *db, struct versions *live)
{
    enum { COMMITS = 500, GATHERED = 50, TIMES_MOST = 200 };
    char moved[192];
    uint64_t seed = 11;

    open_disk(db, mode);
    path_of_moved(moved, db);
    if (rename(db->path, moved) != 0 || mkdir(db->path, 0777) != 0)
        return 1;
    /* Pages are saved where the second mark comes before a sync point does (durability.h), and writes are gathered where no thread waits for the turn: both
     * are for other threads to say, sooner or later. */
    for (int i = 0; i < TIMES_MOST && mode == DURABILITY_PERIODIC && !has_been_made(moved, "widerow.undo"); i++)
        change(db, live, &seed, COMMITS);
    for (int i = 0; i < TIMES_MOST && !has_been_made(moved, "widerow.log"); i++)
        change_gathered(db, live, &seed, GATHERED);
    if (mode == DURABILITY_PERIODIC && !has_been_made(moved, "widerow.undo"))
        return 2;
    return has_been_made(moved, "widerow.log") ? 0 : 3;
}

static void a_folder_may_be_moved_while_it_is_open(void **state)
{
    static const enum durability modes[] = { DURABILITY_PERIODIC, DURABILITY_FULL, DURABILITY_NONE };
    struct versions *live = mmap(NULL, sizeof *live, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct database db;
    char moved[192];
    int status;
    (void)state;

    rig.gather_after = 0;
    int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = LONG_MS;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        database_init(&db);
        database_folder(&db);
        path_of_moved(moved, &db);
        memset(live, 0, sizeof *live);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(write_where_it_has_been_moved(modes[i], &db, live));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(rmdir(db.path), 0); /* nothing was put there */
        assert_int_equal(rename(moved, db.path), 0);
        open_disk(&db, modes[i]);
        assert_true(holds(&db, live));
        database_close(&db);
    }
    rig.gather_session_ms = session_ms;
    munmap(live, sizeof *live);
}

/* ---- images of the files ---- */

/* The files of an open database, as a crash of its process leaves them. Its session has to be one that does not end by itself. */
static void image_of(const struct database *db, struct database *image, bool other_boot, struct file *log)
{
    struct file sync = load(db, "widerow.sync");
    if (other_boot)
        change_boot(sync);
    make_image(image, load(db, "widerow.db"), sync, NO_FILE);
    *log = load(db, "widerow.log");
}

static void a_damaged_log_gives_back_what_is_sound_of_it(void **state)
{
    enum { WRITES = 12 };
    static struct versions steps[WRITES + 1];
    struct database db, image;
    struct file log;
    uint64_t seed = 8;
    int fewer = 0;
    (void)state;

    rig.gather_after = 0;
    int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = LONG_MS;
    for (int i = 0; i < 150; i++) {
        new_disk(&db, DURABILITY_NONE);
        memset(steps, 0, sizeof steps);
        fill(&db, &steps[0]);
        for (int n = 1; n <= WRITES; n++) {
            steps[n] = steps[n - 1];
            change_gathered(&db, &steps[n], &seed, 1);
        }
        image_of(&db, &image, false, &log);
        size_t used = 2500; /* about where the records end */
        log.len = 2 * used;
        for (uint64_t n = random_below(&seed, 3); n > 0; n--)
            log.bytes[random_below(&seed, used)] ^= (uint8_t)(1 + random_below(&seed, 255));
        if (random_below(&seed, 3) == 0)
            log.len = random_below(&seed, used);
        save(&image, "widerow.log", log);
        free(log.bytes);
        open_disk(&image, DURABILITY_PERIODIC);
        int found = -1;
        for (int n = 0; n <= WRITES && found < 0; n++)
            if (holds(&image, &steps[n]))
                found = n;
        assert_true(found >= 0 || holds(&image, &steps[WRITES]));
        fewer += found != WRITES;
        database_close(&image);
        database_close(&db);
    }
    assert_true(fewer > 30 && fewer < 150);
    rig.gather_session_ms = session_ms;
}

static void after_a_loss_of_power_the_log_counts_on_its_base_alone(void **state)
{
    static struct versions live, synced;
    struct database db, image;
    struct file log;
    uint64_t seed = 9;
    (void)state;

    rig.gather_after = 0;
    int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = LONG_MS;
    for (int i = 0; i < 20; i++) {
        new_disk(&db, DURABILITY_PERIODIC);
        memset(&live, 0, sizeof live);
        fill(&db, &live);
        OK(&db.ctx, engine_sync(&db.ctx, db.engine));
        synced = live;
        change_gathered(&db, &live, &seed, 30);
        bool committed = i % 2;
        if (committed) {
            assert_true(holds(&db, &live)); /* which ends the session: its pages are in the file, not on the disk */
            change_gathered(&db, &live, &seed, 30);
        }
        image_of(&db, &image, true, &log);
        save(&image, "widerow.log", log);
        free(log.bytes);
        open_disk(&image, DURABILITY_PERIODIC);
        /* The session may have come to its time by itself, too. */
        assert_true(holds(&image, &synced) || (!committed && holds(&image, &live)));
        change_gathered(&image, &synced, &seed, 5);
        database_close(&image);
        database_close(&db);
    }
    rig.gather_session_ms = session_ms;
}

static void what_a_log_gives_back_may_need_a_larger_map(void **state)
{
    enum { MANY = 4000, MAP_BYTES = 1 << 18 };
    struct database db, image;
    struct file log;
    (void)state;

    rig.gather_after = 0;
    int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = LONG_MS;
    new_disk(&db, DURABILITY_PERIODIC);
    for (uint32_t n = 0; n < MANY; n++)
        OK(&db.ctx, engine_write_gathered(&db.ctx, db.engine, put_kilobyte, &n));
    image_of(&db, &image, false, &log);
    save(&image, "widerow.log", log);
    free(log.bytes);
    struct engine_options options = { .path = image.path, .map_bytes = MAP_BYTES };
    OK(&image.ctx, engine_open(&image.ctx, &options, &image.engine));
    assert_true(engine_map_bytes(image.engine) > 4 * MAP_BYTES);
    assert_kilobytes(&image, MANY);
    database_close(&image);
    database_close(&db);
    rig.gather_session_ms = session_ms;
}

/* Wiped, or where opening failed behind that, gone. */
static bool has_no_log(const struct database *db)
{
    static const uint8_t nothing[LOG_HEAD];
    if (!has_been_made(db->path, "widerow.log"))
        return true;
    struct file log = load(db, "widerow.log");
    bool is_wiped = log.len >= sizeof nothing && memcmp(log.bytes, nothing, sizeof nothing) == 0;
    free(log.bytes);
    return is_wiped;
}

/* Whichever allocation or store call fails, the log stays until it has been given back, and no longer. */
static void a_log_is_there_until_it_has_been_given_back(void **state)
{
    static struct versions live;
    struct database db, image;
    struct file log;
    uint64_t seed = 12;
    (void)state;

    rig.gather_after = 0;
    int session_ms = rig.gather_session_ms;
    rig.gather_session_ms = LONG_MS;
    new_disk(&db, DURABILITY_PERIODIC);
    memset(&live, 0, sizeof live);
    fill(&db, &live);
    change_gathered(&db, &live, &seed, 20);
    for (int kind = 0; kind < 2; kind++) {
        _Atomic long *fail_after = kind ? &rig.store_fail_after : &rig.mem_fail_after;
        bool failed = true;
        int refused = 0;
        for (long n = 0; failed; n++) {
            image_of(&db, &image, false, &log);
            save(&image, "widerow.log", log);
            free(log.bytes);
            assert_false(has_no_log(&image));
            atomic_store(fail_after, n);
            enum wr_status st = try_open(&image, DURABILITY_PERIODIC, false);
            failed = atomic_exchange(fail_after, -1) < 0;
            assert_true(failed || st == WR_OK);
            refused += st != WR_OK;
            if (st != WR_OK)
                open_disk(&image, DURABILITY_PERIODIC);
            assert_true(has_no_log(&image));
            assert_true(holds(&image, &live));
            database_close(&image);
        }
        assert_true(refused > 5);
    }
    database_close(&db);
    rig.gather_session_ms = session_ms;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_dies_loses_nothing_it_has_acknowledged),
        cmocka_unit_test(rows_that_went_together_stay_away),
        cmocka_unit_test(a_folder_may_be_moved_while_it_is_open),
        cmocka_unit_test(a_damaged_log_gives_back_what_is_sound_of_it),
        cmocka_unit_test(after_a_loss_of_power_the_log_counts_on_its_base_alone),
        cmocka_unit_test(what_a_log_gives_back_may_need_a_larger_map),
        cmocka_unit_test(a_log_is_there_until_it_has_been_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
