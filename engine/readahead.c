#include "engine/readahead.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/datafile.h"
#include "engine/map.h"
#include "engine/rig.h"

enum {
    PAGE = DATA_PAGE_BYTES,
    WINDOW = 32 * PAGE, /* what is asked for at once, as the kernel does */
    LONG_WALK = 16,     /* pages; who has come that far goes on */
    CROWDS_SHARE = 4,   /* of the half */
};
#define FILE_LEAST (UINT64_C(16) << 20) /* smaller ones are in memory wherever there is any: the system is not asked */

/* ---- how much memory there is ---- */

static uint64_t read_limit(const char *path)
{
    char text[32] = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        close(fd);
    return n > 0 && text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : UINT64_MAX; /* "max" */
}

/* The least of a group's and of those it lies in. Seen from within a container the group may be another's name: the walk ends at the
 * container's own. */
static uint64_t limit_of_group(const char *root, char *group, const char *file)
{
    uint64_t least = UINT64_MAX;
    char path[512];

    for (;;) {
        int n = snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        uint64_t limit = n > 0 && (size_t)n < sizeof path ? read_limit(path) : UINT64_MAX;
        char *cut = strrchr(group, '/');
        least = limit < least ? limit : least;
        if (!cut)
            return least;
        *cut = '\0';
    }
}

/* /proc/self/cgroup has a line a hierarchy, "number:controllers:group", that of version 2 without controllers. */
static uint64_t limit_of_groups(void)
{
    uint64_t least = UINT64_MAX;
    char line[512];
    FILE *groups = fopen("/proc/self/cgroup", "re");

    while (groups && fgets(line, sizeof line, groups)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        uint64_t limit = !controllers[1]                    ? limit_of_group("/sys/fs/cgroup", group, "memory.max")
                         : strstr(controllers + 1, "memory") ? limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
                                                             : UINT64_MAX;
        least = limit < least ? limit : least;
    }
    if (groups)
        fclose(groups);
    return least;
}

static uint64_t memory_bytes(void)
{
    if (rig.store_memory_bytes)
        return rig.store_memory_bytes;
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), groups = limit_of_groups();
    return groups < machine ? groups : machine;
}

/* ---- who reads ahead ---- */

void readahead_begin(struct store *store)
{
    store->ahead.around_most = 0;
    atomic_store(&store->ahead.reads_alone, false);
    readahead_follow(store);
}

void readahead_follow(struct store *store)
{
    if (readahead_is_ours(store))
        return;
    uint64_t bytes = map_used_bytes(store);
    if (bytes <= FILE_LEAST && !rig.store_memory_bytes)
        return;
    if (!store->ahead.around_most)
        store->ahead.around_most = memory_bytes() / 2;
    if (bytes > store->ahead.around_most / CROWDS_SHARE)
        atomic_store_explicit(&store->ahead.crowds_memory, true, memory_order_relaxed);
    if (bytes <= store->ahead.around_most || !store->map_at)
        return;
    atomic_store(&store->ahead.reads_alone, madvise((void *)store->map_at, map_bytes(store), MADV_RANDOM) == 0);
}

/* Of what begins at a mapped byte, from the page that byte lies in. */
static void will_need(const struct store *store, const void *at, size_t len)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)at / page * page;
    uintptr_t end = (uintptr_t)at + len, map_end = (uintptr_t)store->map_at + map_bytes(store);

    madvise((void *)start, (end < map_end ? end : map_end) - start, MADV_WILLNEED); /* else it is read when it is touched */
}

void readahead_value_bytes(const struct store *store, const void *at, size_t len)
{
    if (is_mapped(store, at))
        will_need(store, at, len);
}

void readahead_step(struct cursor *c, const void *at)
{
    uintptr_t page = (uintptr_t)at / PAGE;
    bool in_window = page / (WINDOW / PAGE) == c->page / (WINDOW / PAGE);

    if (page == c->page)
        return;
    c->page = page;
    if (++c->pages <= LONG_WALK || in_window || !is_mapped(c->txn->store, at))
        return;
    const uint8_t *map = c->txn->store->map_at, *window = (const uint8_t *)((uintptr_t)at / WINDOW * WINDOW);
    will_need(c->txn->store, window > map ? window : map, WINDOW);
}
