/* A: chat messages as they come in. */
#include <pthread.h>
#include <stdlib.h>

#include "workload.h"

enum { ROOMS = 1000, PAGE_ROWS = 50 };

static void insert_each(const struct store *store, void *h, uint64_t from, uint64_t count)
{
    struct message m;
    for (uint64_t i = from; i < from + count; i++) {
        data_message(i, ROOMS, &m);
        store->insert(h, &m);
    }
}

static uint64_t sum_of_pages(const struct store *store, void *h)
{
    uint64_t sum = 0;
    for (uint32_t room = 0; room < 20; room++)
        sum += store->page(h, room, PAGE_ROWS);
    return sum;
}

static void single(struct run *run, const char *folder, uint64_t count, enum safety safety)
{
    const struct store *store = run->store;
    void *h = store->open(folder, safety, true);
    struct watch start = watch_start();
    insert_each(store, h, 0, count);
    give_rate(run, 0, count, watch_stop(start));
    run->sum = sum_of_pages(store, h);
    store->close(h);
}

static bool inserts(const struct store *store)
{
    return store->insert != NULL;
}

static bool inserts_in_memory(const struct store *store)
{
    return store->in_memory;
}

static bool inserts_from_threads(const struct store *store)
{
    return store->attach != NULL;
}

/* A1 also tells what the device gets to write: until the store is closed. */
static void run_a1(struct run *run)
{
    const uint64_t count = scaled(run, 200000);
    uint64_t user = 0, written = written_bytes();
    struct message m;
    single(run, run->folder, count, SAFE_PROCESS_CRASH);
    for (uint64_t i = 0; i < count; i++) {
        data_message(i, ROOMS, &m);
        user += data_message_bytes(&m);
    }
    give(run, 1, (double)(written_bytes() - written) / (double)user);
}

static const struct figure a1[] = {
    { "A1", "insert a message, one a commit, safe at a process crash", "inserts/s", false, { { "sqlite", 7, 15 }, { "rocksdb", 1.4, 2.5 }, { "lmdb", 1.5, 2.5 } } },
    { "A1.written", "A1: bytes written to the device for a byte of the user", "x", true, { { NULL, 4, 2 } } },
};
const struct workload work_insert = { "A1", FIGURES(a1), run_a1, inserts, NULL, 0, false };

static void run_a2(struct run *run)
{
    const uint64_t count = scaled_thousands(run, 400000);
    const struct store *store = run->store;
    void *h = store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    for (uint64_t i = 0; i < count; i += 1000)
        store->insert_many(h, i, 1000, ROOMS);
    give_rate(run, 0, count, watch_stop(start));
    run->sum = sum_of_pages(store, h);
    store->close(h);
}

static const struct figure a2[] = {
    { "A2", "the same, 1,000 a commit", "inserts/s", false, { { "sqlite", 5, 12 }, { "rocksdb", 1, 2 } } },
};
const struct workload work_insert_many = { "A2", FIGURES(a2), run_a2, inserts, NULL, 0, false };

static void run_a3(struct run *run)
{
    single(run, run->folder, scaled(run, 3000), SAFE_POWER_LOSS);
}

static const struct figure a3[] = {
    { "A3", "the same, one a commit, synced", "inserts/s", false, { { "sqlite", 1.8, 2 }, { "rocksdb", 1.4, 1.7 } } },
};
const struct workload work_insert_synced = { "A3", FIGURES(a3), run_a3, inserts, NULL, 0, false };

static void run_memory(struct run *run)
{
    single(run, NULL, scaled(run, 200000), SAFE_PROCESS_CRASH);
}

static const struct figure in_memory[] = {
    { "A.memory", "insert a message, one a commit, in memory", "inserts/s", false, { { "sqlite", 3, 4 } } },
};
const struct workload work_insert_memory = { "A.memory", FIGURES(in_memory), run_memory, inserts_in_memory, NULL, 0, false };

struct writer {
    pthread_t thread;
    const struct store *store;
    void *handle;
    uint64_t from, count;
};

static void *write_some(void *arg)
{
    struct writer *w = arg;
    insert_each(w->store, w->handle, w->from, w->count);
    return NULL;
}

/* One writer, then 32 of them on the same store. */
static void run_writers(struct run *run)
{
    enum { WRITERS = 32 };
    const uint64_t alone = scaled(run, 1500), each = scaled(run, 300);
    const struct store *store = run->store;
    struct writer writers[WRITERS];
    void *h = store->open(run->folder, SAFE_POWER_LOSS, true);
    struct watch start = watch_start();
    insert_each(store, h, 0, alone);
    struct watch one = watch_stop(start);
    for (uint64_t i = 0; i < WRITERS; i++)
        writers[i] = (struct writer){ .store = store, .handle = store->attach(h), .from = alone + i * each, .count = each };
    start = watch_start();
    for (int i = 0; i < WRITERS; i++)
        if (pthread_create(&writers[i].thread, NULL, write_some, &writers[i]))
            abort();
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
    struct watch all = watch_stop(start);
    for (int i = 0; i < WRITERS; i++)
        store->detach(writers[i].handle);
    give_rate(run, 0, WRITERS * each, all);
    give(run, 1, (double)(WRITERS * each) / all.wall / ((double)alone / one.wall));
    run->sum = sum_of_pages(store, h);
    store->close(h);
}

static const struct figure writers[] = {
    { "A3.32", "the same from 32 threads", "inserts/s", false, { { NULL, 0, 0 } } },
    { "A3.32.gain", "A3: 32 writers against one", "x", false, { { NULL, 4, 5 } } },
};
const struct workload work_insert_writers = { "A3.32", FIGURES(writers), run_writers, inserts_from_threads, NULL, 0, false };
