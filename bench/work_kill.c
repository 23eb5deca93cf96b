/* Opening after kill -9 in the middle of inserts: 1,000,000 rows, of which the last were not synced. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workload.h"

extern const struct dataset chat_data;
enum { ROOMS = 1000, PAGE_ROWS = 50 };

struct killed {
    struct run *run;
    uint64_t from, count;
};

static void insert_and_die(void *arg)
{
    const struct killed *k = arg;
    const struct store *store = k->run->store;
    struct message m;
    void *h = store->open(k->run->folder, SAFE_PROCESS_CRASH, false);
    for (uint64_t i = k->from; i < k->from + k->count; i++) {
        data_message(i, ROOMS, &m);
        store->insert(h, &m);
    }
    kill(getpid(), SIGKILL);
}

/* The sum is of the page that the last message must be the first of: that none is lost is part of the work. */
static void run_kill(struct run *run)
{
    const uint64_t loaded = scaled_thousands(run, 1000000), count = scaled(run, 20000);
    struct killed k = { run, loaded + (uint64_t)run->round * count, count };
    struct message last;
    in_child(insert_and_die, &k);
    data_message(k.from + count - 1, ROOMS, &last);
    uint32_t room = (uint32_t)strtoul(last.room.bytes + 5, NULL, 10);
    struct watch start = watch_start();
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    run->sum = run->store->page(h, room, PAGE_ROWS);
    give_ms(run, 0, watch_stop(start));
    run->store->close(h);
}

static bool chats(const struct store *store)
{
    return store->insert && store->page;
}

static const struct figure figures[] = {
    { "open.killed", "open it after kill -9 amid inserts, and a page", "ms", true, { { NULL, 500, 200 } } },
};
const struct workload work_kill = { "open.killed", FIGURES(figures), run_kill, chats, &chat_data, 0, false };
