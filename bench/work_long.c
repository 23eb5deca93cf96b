/* A1 for long: what a few seconds do not show. */
#include "workload.h"

static void run_long(struct run *run)
{
    enum { ROOMS = 1000 };
    const uint64_t count = scaled(run, 6000000);
    const struct store *store = run->store;
    uint64_t user = 0, written = written_bytes();
    struct message m;
    double worst = 0;
    memory_watch();
    void *h = store->open(run->folder, SAFE_PROCESS_CRASH, true);
    struct watch start = watch_start();
    double before = start.wall;
    for (uint64_t i = 0; i < count; i++) {
        data_message(i, ROOMS, &m);
        user += data_message_bytes(&m);
        store->insert(h, &m);
        double now = watch_start().wall;
        if (now - before > worst)
            worst = now - before;
        before = now;
    }
    give_rate(run, 0, count, watch_stop(start));
    run->sum = store->page(h, 7, 50);
    store->close(h);
    give(run, 1, worst * 1e3);
    give(run, 2, (double)(written_bytes() - written) / (double)user);
    give(run, 3, (double)folder_bytes(run->folder) / (double)user);
    give(run, 4, (double)memory_watched() / (1 << 20));
}

/* SQLite would be at it for five minutes, and its figures are A1's. */
static bool not_sqlite(const struct store *store)
{
    return store->insert && store != &store_sqlite;
}

static const struct figure figures[] = {
    { "long", "A1 over 6,000,000 messages", "inserts/s", false, { { NULL, 0, 0 } } },
    { "long.pause", "... its worst pause", "ms", true, { { NULL, 50, 20 } } },
    { "long.written", "... bytes written to the device for a byte of the user", "x", true, { { NULL, 4, 2 } } },
    { "long.size", "... the folder when closed, against the user's bytes", "x", true, { { NULL, 1.3, 1.15 } } },
    { "long.memory", "... memory that is no file's, at its most", "MB", true, { { NULL, 64, 32 } } },
};
const struct workload work_long = { "long", FIGURES(figures), run_long, not_sqlite, NULL, 1, false };
