/* E: names that users claim, one in ten of which is taken. */
#include "workload.h"

static bool claims(const struct store *store)
{
    return store->claim != NULL;
}

static void run_claims(struct run *run)
{
    const uint64_t count = scaled(run, 100000);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i++) {
        uint64_t taken = i % 10 == 9 ? data_mix(i) % i : i;
        run->sum += run->store->claim(h, data_user((uint32_t)(taken * 7919 % 1000000)));
    }
    give_rate(run, 0, count, watch_stop(start));
    run->store->close(h);
}

static const struct figure figures[] = {
    { "E", "insert if not exists, one a commit", "claims/s", false, { { "sqlite", 3, 7 }, { "rocksdb", 1, 2 }, { "lmdb", 0.8, 1.5 } } },
};
const struct workload work_claim = { "E", FIGURES(figures), run_claims, claims, NULL, 0, false };
