/*
 * What the machine itself takes, measured in the same run: below this no store gets, whatever it does (docs/performance.md, "Short of what is
 * asked").
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data.h"
#include "workload.h"

enum { BLOCK = 4096, BLOCKS = 2048, LINE = 64 };

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

struct blocks {
    int fd;
    void *block;
    uint64_t i;
};

static void sync_each(void *arg)
{
    struct blocks *b = arg;
    must(pwrite(b->fd, b->block, BLOCK, (off_t)(b->i++ % BLOCKS) * BLOCK) == BLOCK && fdatasync(b->fd) == 0, "write");
}

/* One block after the other of a file that is there already, each on the disk before the next: past the kernel's cache, where the file system can. */
static void run_sync(struct run *run)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/blocks", run->folder);
    struct blocks b = { open(path, O_RDWR | O_CREAT | O_TRUNC, 0666), aligned_alloc(BLOCK, BLOCK), 0 };
    must(b.fd >= 0 && b.block, path);
    memset(b.block, 'b', BLOCK);
    for (int i = 0; i < BLOCKS; i++)
        must(write(b.fd, b.block, BLOCK) == BLOCK, path);
    must(fsync(b.fd) == 0, path);
    (void)fcntl(b.fd, F_SETFL, O_DIRECT);
    give_us(run, 0, 1, watch_repeated(sync_each, &b));
    close(b.fd);
    free(b.block);
}

static uint8_t *memory(size_t bytes, int advice)
{
    uint8_t *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(m != MAP_FAILED, "memory");
    (void)madvise(m, bytes, advice);
    for (size_t i = 0; i < bytes; i += LINE)
        m[i] = (uint8_t)(data_mix(i) & 1);
    return m;
}

struct loads {
    const uint8_t *table, *pages;
    uint64_t i;
};

enum { TABLE_BYTES = 16 << 20, PAGES_BYTES = 128 << 20, LOADS = 100000 };

/* Each place is known only once the byte before it has been read. */
static void load_each(void *arg)
{
    struct loads *l = arg;
    uint64_t at = l->i;
    for (int i = 0; i < LOADS; i++) {
        at = data_mix(at + l->table[at % TABLE_BYTES / LINE * LINE]);
        at = data_mix(at + l->pages[at % PAGES_BYTES / LINE * LINE]);
    }
    l->i = at;
}

/* What a point read of a million partitions waits for: a place in a table, which lies in large pages, and behind it what it leads to, in a file's pages. */
static void run_memory(struct run *run)
{
    struct loads l = { .table = memory(TABLE_BYTES, MADV_HUGEPAGE), .pages = memory(PAGES_BYTES, MADV_NOHUGEPAGE) };
    struct watch took = watch_repeated(load_each, &l);
    give_us(run, 1, LOADS, took);
    munmap((void *)l.table, TABLE_BYTES);
    munmap((void *)l.pages, PAGES_BYTES);
}

static void run_limits(struct run *run)
{
    run_sync(run);
    run_memory(run);
}

static const struct figure figures[] = {
    { "limits.sync", "a block of 4 KB written and on the disk, no store", "us", true, { { NULL, 0, 0 } } },
    { "limits.memory", "two bytes of 16 MB and of 128 MB, one behind the other, no store", "us", true, { { NULL, 0, 0 } } },
};
const struct workload work_limits = { "limits", FIGURES(figures), run_limits, NULL, NULL, 0, false };
