/* V: the ten of 50,000 vectors that are most like one, by an index; and how long it takes to put them. */
#include "workload.h"

enum { WANTED = 10 };

static bool finds_nearest(const struct store *store)
{
    return store->put_vectors && store->nearest;
}

static void run_vectors(struct run *run)
{
    const uint64_t count = scaled_thousands(run, 50000), reads = scaled(run, 100);
    struct vector wanted;
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i += 1000)
        run->store->put_vectors(h, i, 1000);
    give_rate(run, 1, count, watch_stop(start));
    data_vector(count, &wanted);
    run->store->nearest(h, &wanted, WANTED);
    start = watch_start();
    for (uint64_t i = 1; i <= reads; i++) {
        data_vector(count + i, &wanted);
        run->sum += run->store->nearest(h, &wanted, WANTED);
    }
    give_rate(run, 0, reads, watch_stop(start));
    run->store->close(h);
}

static const struct figure figures[] = {
    { "V", "the ten nearest of 50,000 vectors of 384", "reads/s", false, { { NULL, 0, 0 } } },
    { "V.insert", "such a vector, 1,000 a commit", "inserts/s", false, { { NULL, 0, 0 } } },
};
const struct workload work_vector = { "V", FIGURES(figures), run_vectors, finds_nearest, NULL, 0, false };
