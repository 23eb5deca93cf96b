/* B, G and the like: reading a chat of 1,000,000 messages in 1,000 rooms. */
#include <pthread.h>
#include <stdlib.h>

#include "workload.h"

enum { ROOMS = 1000, PAGE_ROWS = 50 };

static void load(struct run *run, uint64_t messages, uint32_t rooms)
{
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    for (uint64_t i = 0; i < messages; i += 1000)
        run->store->insert_many(h, i, 1000, rooms);
    run->store->close(h);
}

static void load_chat(struct run *run)
{
    load(run, scaled_thousands(run, 1000000), ROOMS);
}

const struct dataset chat_data = { "chat", load_chat };

static bool chats(const struct store *store)
{
    return store->insert_many && store->page && store->scan;
}

static uint64_t read_pages(const struct store *store, void *h, uint64_t from, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = from; i < from + count; i++)
        sum += store->page(h, (uint32_t)(data_mix(i) % ROOMS), PAGE_ROWS);
    return sum;
}

static void *open_warm(struct run *run)
{
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    for (uint32_t room = 0; room < ROOMS; room++)
        run->sum += run->store->page(h, room, PAGE_ROWS);
    return h;
}

static void run_pages(struct run *run)
{
    const uint64_t count = scaled(run, 100000);
    void *h = open_warm(run);
    struct watch start = watch_start();
    run->sum += read_pages(run->store, h, 0, count);
    give_rate(run, 0, count, watch_stop(start));
    run->store->close(h);
}

static const struct figure pages[] = {
    { "B", "newest 50 messages of a random room, every column", "pages/s", false, { { "sqlite", 2, 4 }, { "rocksdb", 3, 5 }, { "lmdb", 0.5, 1 } } },
};
const struct workload work_pages = { "B", FIGURES(pages), run_pages, chats, &chat_data, 0, false };

static void give_scan(struct run *run, void *h)
{
    uint64_t rows;
    struct watch start = watch_start();
    run->sum += run->store->scan(h, &rows);
    give_rate(run, 0, rows, watch_stop(start));
    run->sum += rows;
    run->store->close(h);
}

static void run_scan(struct run *run)
{
    give_scan(run, open_warm(run));
}

static const struct figure scan[] = {
    { "G", "every message, every column", "rows/s", false, { { "sqlite", 1.1, 1.8 }, { "lmdb", 0.5, 0.75 } } },
};
const struct workload work_scan = { "G", FIGURES(scan), run_scan, chats, &chat_data, 0, false };

/* ---- many rooms ---- */

enum { OF_ROOM = 15, ROOMS_ASKED = 40 };

static uint32_t room_count(const struct run *run)
{
    return (uint32_t)(scaled_thousands(run, 300000) / OF_ROOM);
}

static void load_rooms(struct run *run)
{
    load(run, scaled_thousands(run, 300000), room_count(run));
}

const struct dataset rooms_data = { "rooms", load_rooms };

static uint64_t read_newest(const struct store *store, void *h, const uint32_t *rooms)
{
    uint64_t sum = 0;

    if (store->newest)
        return store->newest(h, rooms, ROOMS_ASKED);
    for (unsigned i = 0; i < ROOMS_ASKED; i++)
        sum += store->page(h, rooms[i], 1);
    return sum;
}

/* No room twice: the step shares no factor with their number. */
static uint64_t read_lists(struct run *run, void *h, uint64_t count)
{
    const uint32_t all = room_count(run), step = 7919;
    uint32_t rooms[ROOMS_ASKED];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t first = (uint32_t)(data_mix(i) % all);
        for (uint32_t k = 0; k < ROOMS_ASKED; k++)
            rooms[k] = (first + k * step) % all;
        sum += read_newest(run->store, h, rooms);
    }
    return sum;
}

static void run_newest(struct run *run)
{
    const uint64_t count = scaled(run, 20000);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    run->sum += read_lists(run, h, count / 10);
    struct watch start = watch_start();
    run->sum += read_lists(run, h, count);
    give_rate(run, 0, count, watch_stop(start));
    run->store->close(h);
}

static const struct figure newest[] = {
    { "B40", "newest message of each of 40 rooms, every column", "lists/s", false, { { NULL, 0, 0 } } },
};
const struct workload work_newest = { "B40", FIGURES(newest), run_newest, chats, &rooms_data, 0, false };

static void run_scan_rooms(struct run *run)
{
    const uint64_t count = scaled_thousands(run, 300000);
    uint64_t rows;
    load(run, count, (uint32_t)count);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    run->sum += run->store->scan(h, &rows);
    give_scan(run, h);
}

static const struct figure scan_rooms[] = {
    { "G1", "every message of rooms that have one each", "rows/s", false, { { NULL, 0, 0 } } },
};
const struct workload work_scan_rooms = { "G1", FIGURES(scan_rooms), run_scan_rooms, chats, NULL, 0, false };

/* ---- several threads ---- */

struct reader {
    pthread_t thread;
    const struct store *store;
    void *handle;
    uint64_t from, count, sum;
};

static void *read_some(void *arg)
{
    struct reader *r = arg;
    r->sum = read_pages(r->store, r->handle, r->from, r->count);
    return NULL;
}

static bool reads_from_threads(const struct store *store)
{
    return store->attach && store->page;
}

static void run_readers(struct run *run)
{
    enum { READERS = 2 };
    const uint64_t count = scaled(run, 100000);
    struct reader readers[READERS];
    void *h = open_warm(run);
    struct watch start = watch_start();
    run->sum += read_pages(run->store, h, 0, count);
    struct watch one = watch_stop(start);
    for (uint64_t i = 0; i < READERS; i++)
        readers[i] = (struct reader){ .store = run->store, .handle = run->store->attach(h), .from = i * count, .count = count };
    start = watch_start();
    for (int i = 0; i < READERS; i++)
        if (pthread_create(&readers[i].thread, NULL, read_some, &readers[i]))
            abort();
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i].thread, NULL);
    struct watch two = watch_stop(start);
    for (int i = 0; i < READERS; i++) {
        run->sum += readers[i].sum;
        run->store->detach(readers[i].handle);
    }
    give_rate(run, 0, READERS * count, two);
    give(run, 1, READERS * one.wall / two.wall);
    /* The processors' own account of it: what two threads need for a page against what one needs. */
    give(run, 2, two.cpu / READERS / one.cpu);
    run->store->close(h);
}

static const struct figure readers[] = {
    { "B.2", "B from two threads", "pages/s", false, { { NULL, 0, 0 } } },
    { "B.2.gain", "B: two threads against one", "x", false, { { NULL, 1.8, 0 } } },
    { "B.2.cpu", "B: CPU time for a page of two threads against one", "x", true, { { NULL, 1.1, 0 } } },
};
const struct workload work_readers = { "B.2", FIGURES(readers), run_readers, reads_from_threads, &chat_data, 0, false };

static void run_open(struct run *run)
{
    struct watch start = watch_start();
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    run->sum = run->store->page(h, 7, PAGE_ROWS);
    give_ms(run, 0, watch_stop(start));
    run->store->close(h);
}

static const struct figure open_clean[] = {
    { "open", "open the chat of 1,000,000 messages, and a page", "ms", true, { { NULL, 5, 1 } } },
};
const struct workload work_open = { "open", FIGURES(open_clean), run_open, chats, &chat_data, 0, false };
