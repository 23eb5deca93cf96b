/* Inserts in no order into a table larger than memory: bench/beyond_memory runs it with the memory capped. Stores may do different amounts of
 * work here, so there is no sum. */
#include "workload.h"

static bool inserts(const struct store *store)
{
    return store->insert != NULL && store != &store_families;
}

static void run_memory(struct run *run)
{
    enum { ROOMS = 1000 };
    const uint64_t count = scaled(run, 10000000);
    const double most_s = 300; /* where a store gets nowhere, its rate so far tells enough */
    uint64_t i = 0;
    const struct store *store = run->store;
    uint64_t user = 0, written = written_bytes();
    struct message m;
    void *h = store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (; i < count && (i % 1024 || watch_stop(start).wall < most_s); i++) {
        data_message_scattered(i, ROOMS, &m);
        user += data_message_bytes(&m);
        store->insert(h, &m);
    }
    give_rate(run, 0, i, watch_stop(start));
    give(run, 2, 100 * (double)i / (double)count);
    uint64_t done = written_bytes() - written;
    for (unsigned pass = 0; pass < 2; pass++) {
        struct watch reads = watch_start();
        for (uint32_t room = 0; room < ROOMS; room++)
            store->page(h, (uint32_t)(data_mix(room) % ROOMS), 50);
        give(run, 3 + pass, 1000 * watch_stop(reads).wall / ROOMS);
    }
    store->close(h);
    give(run, 1, (double)done / (double)user);
    give(run, 5, (double)(written_bytes() - written) / (double)user);
}

static const struct figure figures[] = {
    { "memory", "inserts in no order into a table larger than memory", "inserts/s", false, { { "rocksdb", 0.5, 0 } } },
    { "memory.written", "... bytes written to the device for a byte of the user", "x", true, { { "rocksdb", 0.5, 0 } } },
    { "memory.done", "... how much of it was done within five minutes", "%", false, { { NULL, 0, 0 } } },
    { "memory.first", "... then the newest 50 of a random room, for the first time", "ms", true, { { NULL, 0, 0 } } },
    { "memory.again", "... and for the second", "ms", true, { { NULL, 0, 0 } } },
    { "memory.all", "... bytes written to the device for a byte, all that included", "x", true, { { NULL, 0, 0 } } },
};
const struct workload grow_memory = { "memory", FIGURES(figures), run_memory, inserts, NULL, 1, true };
