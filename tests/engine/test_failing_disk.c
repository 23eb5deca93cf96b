/* Answers gather.h, durability.h and recovery.h where the disk begins to fail while several write: one call, some in a row or all from then on, which have done
 * nothing or half. Behind a kill all is there that was acknowledged, behind a loss of power what the mode promises, and nothing in part; also where power goes
 * again, or the disk fails, while that is put right.
 * WIDEROW_FAILING_SEED and WIDEROW_FAILING_ROUNDS for more of them. */
#include "engine/rig.h"
#include "tests/engine/writers.h"

#include <inttypes.h>
#include <limits.h>

#include "engine/pages.h"

#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 4 };
#else
enum { ROUNDS = 16 };
#endif

struct bounds { /* of how far each writer is */
    uint32_t least[WRITERS], most[WRITERS];
};

static _Atomic uint32_t synced[WRITERS]; /* acknowledged before a sync that has succeeded */

/* What a loss of power leaves in the other modes than full. */
static void note_synced(void)
{
    for (int i = 0; i < WRITERS; i++)
        least_at_cut[i] = atomic_load(&synced[i]);
}

static void sync_and_note(struct database *db)
{
    uint32_t before[WRITERS];

    for (int i = 0; i < WRITERS; i++)
        before[i] = atomic_load(&writers[i].acknowledged);
    if (engine_sync(&db->ctx, db->engine) != WR_OK)
        return;
    for (int i = 0; i < WRITERS; i++)
        atomic_store(&synced[i], before[i]);
}

static struct bounds noted(void)
{
    struct bounds b;
    memcpy(b.least, least_at_cut, sizeof b.least);
    memcpy(b.most, most_at_cut, sizeof b.most);
    return b;
}

/* Opened it is whole, and goes on. */
static void check_image(struct database *image, enum durability durability, const struct bounds *bounds)
{
    struct findings findings = { .report = NULL };
    struct one_write more = { WRITERS, 1, 10 };

    open_disk(image, durability);
    check_work(image, bounds->least, bounds->most);
    OK(&image->ctx, pages_check(&image->ctx, image->engine->store, NULL, &findings));
    assert_int_equal(findings.count, 0);
    OK(&image->ctx, engine_write_gathered(&image->ctx, image->engine, write_one, &more));
    database_close(image);
}

static void ask_for_failures(uint64_t *seed)
{
    static const int errors[] = { EIO, EIO, ENOSPC, EDQUOT };

    power.fail_with = errors[random_below(seed, 4)];
    power.fail_halfway = random_below(seed, 2);
    switch (random_below(seed, 4)) {
    case 0:
        atomic_store(&power.fail_times, LONG_MAX);
        break;
    case 1:
        atomic_store(&power.fail_times, 1 + (long)random_below(seed, 20));
        break;
    }
    atomic_store(&power.fail_after, (long)random_below(seed, 500));
    atomic_store(&power.cut_after, (long)random_below(seed, 800)); /* before, between or behind */
}

/* Until the power is gone, or for some time behind the failure: a disk that fails may be asked for nothing more. A busy machine gets ten seconds to come to
 * it. */
static void go_on_for_a_while(struct database *db, uint64_t *seed)
{
    enum { NAPS = 10000, NAPS_BEHIND = 50 };
    struct timespec nap = { .tv_nsec = 1000000 };

    for (int naps = 0, behind = 0; naps < NAPS && behind < NAPS_BEHIND && !atomic_load(&power.is_cut); naps++) {
        nanosleep(&nap, NULL);
        behind += atomic_load(&power.has_failed);
        if (random_below(seed, 8) == 0)
            sync_and_note(db);
    }
}

/* What a loss of power has left is opened, and while that is put right power goes once more. */
static void open_and_lose_power(const struct file left[WATCHED], enum durability mode, const struct bounds *bounds, uint64_t seed)
{
    enum { CALLS = 60 };
    struct database db, cut;

    power_left(&db, left);
    power_watch(&db, seed);
    atomic_store(&power.cut_after, (long)random_below(&seed, CALLS));
    power.fail_with = EIO;
    power.fail_halfway = random_below(&seed, 2);
    if (random_below(&seed, 2))
        atomic_store(&power.fail_after, (long)random_below(&seed, CALLS));
    enum wr_status st = try_open(&db, mode, false);
    assert_true(st == WR_OK || atomic_load(&power.has_failed));
    if (st == WR_OK)
        check_work(&db, bounds->least, bounds->most);
    engine_close(db.engine);
    power_cut_by_now();
    power_unwatch();
    power_image(&cut);
    check_image(&cut, mode, bounds);
    check_image(&db, mode, bounds);
}

/* Of mode none, unless all had been synced. */
static bool is_told_lost(struct database *db)
{
    bool lost = try_open(db, DURABILITY_NONE, false) == WR_CORRUPT && strstr(db->ctx.error, "and is lost");
    engine_close(db->engine);
    db->engine = NULL;
    return lost;
}

static bool one_round(uint64_t seed)
{
    static const enum durability modes[] = { DURABILITY_FULL, DURABILITY_PERIODIC, DURABILITY_NONE };
    const enum durability mode = modes[random_below(&seed, 3)];
    const int count = 1 + (int)random_below(&seed, WRITERS);
    struct file left[WATCHED];
    struct database db, image;

    rig.gather_after = random_below(&seed, 4) ? 0 : INT_MAX;
    for (int i = 0; i < WRITERS; i++)
        atomic_store(&synced[i], 0);
    new_disk(&db, mode);
    power_watch(&db, seed);
    power.at_cut = mode == DURABILITY_FULL ? note_least : note_synced;
    power.behind_cut = note_most;
    start_writers(db.engine, count, (struct writer_of_test){ .until = UINT32_MAX, .size_most = SIZE_MOST, .seed = seed, .may_fail = true });
    ask_for_failures(&seed);
    go_on_for_a_while(&db, &seed);
    stop_writers(count);
    power_cut_by_now();
    const struct bounds at_cut = noted();
    for (int w = 0; w < WATCHED; w++)
        left[w] = copy_of(power.cut[w]);
    power_image(&image);
    const bool is_lost = mode == DURABILITY_NONE && is_told_lost(&image);
    if (is_lost)
        database_close(&image);
    else
        check_image(&image, mode, &at_cut);
    note_at_cut();
    const struct bounds at_kill = noted();
    power_kill_image(&db, &image);
    check_image(&image, mode, &at_kill);
    if (random_below(&seed, 2))
        power_mend();
    engine_close(db.engine);
    power_unwatch();
    const bool failed = atomic_load(&power.has_failed);
    check_image(&db, mode, &at_kill);
    for (int i = 0; i < 4 && !is_lost; i++)
        open_and_lose_power(left, mode, &at_cut, random_next(&seed));
    for (int w = 0; w < WATCHED; w++)
        free(left[w].bytes);
    return failed;
}

static void a_disk_may_begin_to_fail_at_any_moment(void **state)
{
    const char *rounds = getenv("WIDEROW_FAILING_ROUNDS"), *first = getenv("WIDEROW_FAILING_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    int n = rounds ? atoi(rounds) : ROUNDS, failed = 0;
    (void)state;

    for (int i = 0; i < n; i++, seed++) {
        if (n > ROUNDS)
            print_message("seed %" PRIu64 "\n", seed);
        failed += one_round(seed);
    }
    assert_true(failed > n / 8);
}

/* ---- each call ---- */

/* LMDB, when it cannot write a meta page, gives that back its old number and not its old roots. False: it has no call of that number. */
static bool first_write_fails(uint32_t synced_writes, long n)
{
    struct one_write one = { 0, 1, 100 };
    struct bounds bounds = { { synced_writes }, { synced_writes + 1 } };
    struct database before, db;

    new_disk(&before, DURABILITY_PERIODIC);
    for (; one.n <= synced_writes; one.n++)
        OK(&before.ctx, engine_write(&before.ctx, before.engine, write_one, &one));
    OK(&before.ctx, engine_sync(&before.ctx, before.engine));
    OK(&before.ctx, engine_write(&before.ctx, before.engine, write_one, &one)); /* which the power takes with it */
    const struct file left[WATCHED] = { [DATA] = load(&before, "widerow.db"), [SYNC] = load(&before, "widerow.sync") };
    power_left(&db, left);
    free(left[DATA].bytes);
    free(left[SYNC].bytes);
    database_close(&before);
    open_disk(&db, DURABILITY_PERIODIC);
    power_watch(&db, 1);
    power.fail_with = EIO;
    atomic_store(&power.fail_after, n);
    if (engine_write(&db.ctx, db.engine, write_one, &one) == WR_OK)
        bounds.least[0]++;
    engine_close(db.engine);
    power_unwatch();
    check_image(&db, DURABILITY_PERIODIC, &bounds);
    return atomic_load(&power.has_failed);
}

static void the_first_write_behind_a_loss_of_power_may_fail(void **state)
{
    (void)state;

    rig.gather_after = INT_MAX;
    for (uint32_t synced_writes = 1; synced_writes <= 2; synced_writes++) {
        long n = 0;
        while (first_write_fails(synced_writes, n))
            n++;
        assert_true(n > 2);
    }
}

/* ---- making a database, and a copy of one ---- */

static bool has_file(const struct database *db, const char *name)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", db->path, name);
    return access(path, F_OK) == 0;
}

static enum wr_status make_or_copy(struct database *made, struct database *from)
{
    return from ? engine_backup(&from->ctx, from->engine, made->path) : try_open(made, DURABILITY_FULL, false);
}

/* There is none, or it is whole; and it is made where the disk has been mended. False: no call has that number. */
static bool making_fails(struct database *from, long n)
{
    struct one_write one = { 1, 1, 10 };
    struct database made;

    database_init(&made);
    database_folder(&made);
    power_watch(&made, (uint64_t)n);
    power.fail_with = ENOSPC;
    power.fail_halfway = n % 2;
    atomic_store(&power.fail_after, n);
    enum wr_status st = make_or_copy(&made, from);
    const bool failed = atomic_load(&power.has_failed);
    assert_true(st == WR_OK || failed);
    engine_close(made.engine);
    made.engine = NULL;
    power_unwatch();
    assert_false(has_file(&made, "widerow.db-new"));
    if (!has_file(&made, "widerow.db"))
        OK(&made.ctx, make_or_copy(&made, from));
    engine_close(made.engine);
    open_disk(&made, DURABILITY_FULL);
    OK(&made.ctx, engine_write_gathered(&made.ctx, made.engine, write_one, &one));
    check_work(&made, (uint32_t[WRITERS]){ from != NULL, 1 }, (uint32_t[WRITERS]){ from != NULL, 1 });
    database_close(&made);
    return failed;
}

static void a_database_may_fail_to_be_made_or_copied(void **state)
{
    struct one_write one = { 0, 1, 5000 };
    struct database from;
    (void)state;

    rig.gather_after = INT_MAX;
    new_disk(&from, DURABILITY_PERIODIC);
    OK(&from.ctx, engine_write(&from.ctx, from.engine, write_one, &one));
    for (int copies = 0; copies <= 1; copies++) {
        long n = 0;
        while (making_fails(copies ? &from : NULL, n))
            n++;
        assert_true(n > 5);
    }
    database_close(&from);
}

/* ---- what is saved of the synced snapshot ---- */

static bool has_failed(long unused)
{
    (void)unused;
    return atomic_load(&power.has_failed);
}

static long syncs_of_pages(void)
{
    return atomic_load(&power.syncs[DATA]) + atomic_load(&power.syncs[UNDO]);
}

static bool has_synced_pages(long syncs)
{
    return syncs_of_pages() >= syncs;
}

static bool nap_until(bool (*is_so)(long arg), long arg)
{
    enum { NAPS = 20000 }; /* a busy machine may need some */
    struct timespec nap = { .tv_nsec = 1000000 };

    for (int i = 0; i < NAPS && !is_so(arg); i++)
        nanosleep(&nap, NULL);
    return is_so(arg);
}

/* No write is told of it: where pages cannot be saved the pin stays, and what waits for it gets a sync point. */
static void saving_fails(long n)
{
    enum { COUNT = 2 };
    struct database db, image;
    uint64_t seed = (uint64_t)n;

    new_disk(&db, DURABILITY_PERIODIC);
    power_watch(&db, seed);
    power.at_cut = note_synced;
    power.behind_cut = note_most;
    for (int i = 0; i < WRITERS; i++)
        atomic_store(&synced[i], 0);
    OK(&db.ctx, engine_sync(&db.ctx, db.engine)); /* from here on there is something to save */
    power.fail_of = 1u << UNDO | 1u << FOLDER;
    power.fail_with = EIO;
    power.fail_halfway = n % 2;
    atomic_store(&power.fail_after, n);
    start_writers(db.engine, COUNT, (struct writer_of_test){ .until = UINT32_MAX, .size_most = SIZE_MOST, .only_gathered = true, .seed = seed });
    assert_true(nap_until(has_failed, 0));
    nap_until(has_synced_pages, syncs_of_pages() + 2); /* behind what failed the pin has moved, or there has been a sync point */
    power_cut(&image);
    const struct bounds at_cut = noted();
    stop_writers(COUNT);
    note_at_cut();
    const struct bounds at_end = noted();
    check_image(&image, DURABILITY_PERIODIC, &at_cut);
    engine_close(db.engine);
    power_unwatch();
    check_image(&db, DURABILITY_PERIODIC, &at_end);
}

static void what_is_saved_of_the_synced_snapshot_may_not_be_written(void **state)
{
    enum { CALLS = 3 }; /* a sync of the folder for its name, what is written and its sync: so small a database has no more pages than those to save */
    (void)state;

    rig.gather_after = INT_MAX; /* each write gives up pages of its own */
    for (long n = 0; n < CALLS; n++)
        saving_fails(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_may_begin_to_fail_at_any_moment),
        cmocka_unit_test(the_first_write_behind_a_loss_of_power_may_fail),
        cmocka_unit_test(a_database_may_fail_to_be_made_or_copied),
        cmocka_unit_test(what_is_saved_of_the_synced_snapshot_may_not_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
