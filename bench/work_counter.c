/* D: unread e-mails of 1,000 users with 10 folders each. */
#include "workload.h"

enum { USERS = 1000, FOLDERS = 10 };

static bool counts(const struct store *store)
{
    return store->count && store->counted;
}

static void run_counters(struct run *run)
{
    const uint64_t count = scaled(run, 200000);
    const struct store *store = run->store;
    void *h = store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t r = data_mix(i);
        store->count(h, data_user((uint32_t)(r % USERS)), (uint32_t)(r >> 32) % FOLDERS);
    }
    give_rate(run, 0, count, watch_stop(start));
    uint64_t total = 0;
    for (uint32_t user = 0; user < USERS; user++)
        for (uint32_t folder = 0; folder < FOLDERS; folder++) {
            uint64_t n = store->counted(h, data_user(user), folder);
            total += n;
            run->sum = data_sum(&n, sizeof n, run->sum);
        }
    run->sum += total;
    store->close(h);
}

static const struct figure figures[] = {
    { "D", "a counter's increment, one a commit", "increments/s", false, { { "sqlite", 3, 6 }, { "rocksdb", 1.2, 2.5 }, { "lmdb", 0.8, 1.7 } } },
};
const struct workload work_counter = { "D", FIGURES(figures), run_counters, counts, NULL, 0, false };
