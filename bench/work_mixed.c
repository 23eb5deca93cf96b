/* H: a chat in use: messages come in, and those who see them read the room's newest page. */
#include <unistd.h>

#include "workload.h"

enum { ROOMS = 1000, PAGE_ROWS = 50 };

static bool chats(const struct store *store)
{
    return store->insert && store->insert_many && store->page;
}

/* Each write is followed by so many pages: of the room written to, and of others. Gives the turns a second, and what the device got to write. */
static void chat(struct run *run, unsigned figure, uint64_t loaded, uint64_t count, uint32_t pages)
{
    const struct store *store = run->store;
    struct message m;
    sync(); /* a page that is dirty already would not count when it is written to, and would count against the store when its file goes */
    uint64_t user = 0, written = written_bytes();
    void *h = store->open(run->folder, SAFE_PROCESS_CRASH, false);
    run->sum += store->page(h, 0, PAGE_ROWS);
    struct watch start = watch_start();
    for (uint64_t i = loaded; i < loaded + count; i++) {
        data_message(i, ROOMS, &m);
        user += data_message_bytes(&m);
        store->insert(h, &m);
        for (uint32_t page = 0; page < pages; page++)
            run->sum += store->page(h, (uint32_t)((i + page * 7) % ROOMS), PAGE_ROWS);
    }
    give_rate(run, figure, count, watch_stop(start));
    store->close(h);
    give(run, figure + 1, (double)(written_bytes() - written) / (double)user);
}

static void run_mixed(struct run *run)
{
    const uint64_t loaded = scaled_thousands(run, 400000), count = scaled(run, 40000);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    for (uint64_t i = 0; i < loaded; i += 1000)
        run->store->insert_many(h, i, 1000, ROOMS);
    run->store->close(h);
    chat(run, 0, loaded, count, 1);
    chat(run, 2, loaded + count, count, 10);
}

static const struct figure mixed[] = {
    { "H1", "insert a message and read its room's newest 50, in turn", "turns/s", false, { { NULL, 0, 0 } } },
    { "H1.written", "... bytes written to the device for a byte of the user", "x", true, { { NULL, 0, 0 } } },
    { "H10", "... ten such pages for each message", "turns/s", false, { { NULL, 0, 0 } } },
    { "H10.written", "... bytes written to the device for a byte of the user", "x", true, { { NULL, 0, 0 } } },
};
const struct workload work_mixed = { "H", FIGURES(mixed), run_mixed, chats, NULL, 0, false };
