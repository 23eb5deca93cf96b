#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

uint64_t scaled(const struct run *run, uint64_t n)
{
    uint64_t s = (uint64_t)((double)n * run->scale);
    return s ? s : 1;
}

uint64_t scaled_thousands(const struct run *run, uint64_t n)
{
    uint64_t s = scaled(run, n) / 1000 * 1000;
    return s ? s : 1000;
}

static double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct watch watch_start(void)
{
    return (struct watch){ clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_PROCESS_CPUTIME_ID) };
}

struct watch watch_stop(struct watch start)
{
    struct watch now = watch_start();
    return (struct watch){ now.wall - start.wall, now.cpu - start.cpu };
}

struct watch watch_repeated(void (*once)(void *arg), void *arg)
{
    enum { PASSES = 8, AT_LEAST = 16 };
    const double pass_s = 0.03;
    struct watch least = { 0, 0 };
    for (int pass = 0; pass < PASSES; pass++) {
        unsigned times = 0;
        struct watch start = watch_start(), took;
        do {
            for (int i = 0; i < AT_LEAST; i++)
                once(arg);
            times += AT_LEAST;
            took = watch_stop(start);
        } while (took.wall < pass_s);
        took = (struct watch){ took.wall / times, took.cpu / times };
        if (pass == 0 || took.wall < least.wall)
            least.wall = took.wall;
        if (pass == 0 || took.cpu < least.cpu)
            least.cpu = took.cpu;
    }
    return least;
}

void give_rate(struct run *run, unsigned figure, uint64_t operations, struct watch took)
{
    run->figures[figure].wall = (double)operations / took.wall;
    run->figures[figure].cpu = (double)operations / took.cpu;
}

void give_us(struct run *run, unsigned figure, uint64_t operations, struct watch took)
{
    run->figures[figure].wall = took.wall * 1e6 / (double)operations;
    run->figures[figure].cpu = took.cpu * 1e6 / (double)operations;
}

void give_ms(struct run *run, unsigned figure, struct watch took)
{
    run->figures[figure].wall = took.wall * 1e3;
    run->figures[figure].cpu = took.cpu * 1e3;
}

void give(struct run *run, unsigned figure, double value)
{
    run->figures[figure].wall = value;
}

uint64_t folder_bytes(const char *folder)
{
    uint64_t bytes = 0;
    char path[4500];
    struct dirent *entry;
    struct stat st;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
            bytes += (uint64_t)st.st_blocks * 512;
    }
    if (dir)
        closedir(dir);
    return bytes;
}

void remove_folder(const char *folder)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        exit(1);
}

void fresh_folder(const char *folder)
{
    remove_folder(folder);
    if (mkdir(folder, 0755)) {
        perror(folder);
        exit(1);
    }
}

/* The number behind a word in a file of /proc. */
static uint64_t proc_number(const char *path, const char *word)
{
    char line[256];
    unsigned long long n = 0;
    size_t len = strlen(word);
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, f))
        if (strncmp(line, word, len) == 0)
            sscanf(line + len, "%llu", &n);
    fclose(f);
    return n;
}

uint64_t written_bytes(void)
{
    return proc_number("/proc/self/io", "write_bytes: ") - proc_number("/proc/self/io", "cancelled_write_bytes: ");
}

static struct {
    pthread_t thread;
    atomic_bool stop;
    uint64_t most;
} memory;

static uint64_t memory_now(void)
{
    return proc_number("/proc/self/status", "RssAnon:") * 1024;
}

static void *watch_memory(void *arg)
{
    const struct timespec pause = { 0, 10000000 };
    for (;; nanosleep(&pause, NULL)) {
        uint64_t now = memory_now();
        if (now > memory.most)
            memory.most = now;
        if (atomic_load(&memory.stop))
            return arg;
    }
}

void memory_watch(void)
{
    if (pthread_create(&memory.thread, NULL, watch_memory, NULL))
        abort();
}

uint64_t memory_watched(void)
{
    atomic_store(&memory.stop, true);
    pthread_join(memory.thread, NULL);
    return memory.most;
}

bool in_child(void (*body)(void *arg), void *arg)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        exit(1);
    }
    if (pid == 0) {
        body(arg);
        fflush(NULL);
        _exit(0);
    }
    if (waitpid(pid, &status, 0) < 0) {
        perror("waitpid");
        exit(1);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
