/* Inserts in no order into a table larger than memory: bench/beyond_memory runs it with the memory capped. */
#include "workload.h"

static bool inserts(const struct store *store)
{
    return store->insert != NULL && store != &store_families;
}

static void run_memory(struct run *run)
{
    enum { ROOMS = 1000 };
    const uint64_t count = scaled(run, 10000000);
    const struct store *store = run->store;
    uint64_t user = 0, written = written_bytes();
    struct message m;
    void *h = store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i++) {
        data_message_scattered(i, ROOMS, &m);
        user += data_message_bytes(&m);
        store->insert(h, &m);
    }
    give_rate(run, 0, count, watch_stop(start));
    run->sum = store->page(h, 7, 50);
    store->close(h);
    give(run, 1, (double)(written_bytes() - written) / (double)user);
}

static const struct figure figures[] = {
    { "memory", "inserts in no order into a table larger than memory", "inserts/s", false, { { "rocksdb", 0.5, 0 } } },
    { "memory.written", "... bytes written to the device for a byte of the user", "x", true, { { "rocksdb", 0.5, 0 } } },
};
const struct workload grow_memory = { "memory", FIGURES(figures), run_memory, inserts, NULL, 1, true };
