/* F: a post to the timelines of 200 followers, and F2: what a follower sees. */
#include "workload.h"

enum { PAGE_ROWS = 40 };

static bool fans_out(const struct store *store)
{
    return store->fan_out && store->timeline;
}

static void run_fan_out(struct run *run)
{
    enum { USERS = 10000 };
    const uint64_t count = scaled(run, 1500);
    struct post post;
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i++) {
        data_post(i, USERS, &post);
        run->store->fan_out(h, &post);
    }
    give_rate(run, 0, count * (FOLLOWERS + 1), watch_stop(start));
    for (uint32_t user = 0; user < 100; user++)
        run->sum += run->store->timeline(h, data_user(user), PAGE_ROWS);
    run->store->close(h);
}

static const struct figure fan_out[] = {
    { "F", "a tweet to 200 timelines in one batch", "rows/s", false, { { "sqlite", 4, 8 }, { "lmdb", 0.8, 1.5 } } },
};
const struct workload work_fan_out = { "F", FIGURES(fan_out), run_fan_out, fans_out, NULL, 0, false };

enum { READERS = 1000 };

static void load_timelines(struct run *run)
{
    const uint64_t count = scaled(run, 2000);
    struct post post;
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    for (uint64_t i = 0; i < count; i++) {
        data_post(i, READERS, &post);
        run->store->fan_out(h, &post);
    }
    run->store->close(h);
}

static const struct dataset data = { "timelines", load_timelines };

static void run_timeline(struct run *run)
{
    const uint64_t count = scaled(run, 50000);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    for (uint32_t user = 0; user < READERS; user++)
        run->sum += run->store->timeline(h, data_user(user), PAGE_ROWS);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i++)
        run->sum += run->store->timeline(h, data_user((uint32_t)(data_mix(i) % READERS)), PAGE_ROWS);
    give_rate(run, 0, count, watch_stop(start));
    run->store->close(h);
}

static const struct figure timeline[] = {
    { "F2", "a timeline's newest 40 and their tweets", "pages/s", false, { { "sqlite", 1.5, 1.8 }, { "lmdb", 0.6, 0.7 } } },
};
const struct workload work_timeline = { "F2", FIGURES(timeline), run_timeline, fans_out, &data, 0, false };
