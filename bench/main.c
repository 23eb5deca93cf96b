/*
 * widerow_bench [--rounds 5] [--json FILE] [--folder DIR] [--quick]
 *
 * Each workload runs on every store in turn, round after round, in one process and one thread; the table shows medians, their spread
 * (from the least to the greatest round, in percent of the median) and Widerow's ratio to each. Sums of what was read must agree.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { STORES = 3, ROUNDS_MAX = 25, PAGE_ROWS = 50 };
static const struct store *const stores[STORES] = { &store_widerow, &store_lmdb, &store_sqlite };

struct settings {
    int rounds;
    const char *folder, *json;
    double scale;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void remove_folder(const char *folder)
{
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        exit(1);
}

static void fresh_folder(const char *folder)
{
    remove_folder(folder);
    if (mkdir(folder, 0755)) {
        perror(folder);
        exit(1);
    }
}

/* ---- workloads: each gives operations per second and a sum of what it read or wrote ---- */

struct run {
    const struct store *store;
    const struct settings *settings;
    const char *folder; /* of this store and workload */
    int round;
    uint64_t sum;
};

static uint64_t scaled(const struct run *run, uint64_t n)
{
    uint64_t s = (uint64_t)((double)n * run->settings->scale);
    return s ? s : 1;
}

static double insert_many(struct run *run, uint64_t count, uint64_t per_commit, enum safety safety)
{
    struct message m;
    fresh_folder(run->folder);
    void *h = run->store->open(run->folder, safety);
    double start = now_s();
    for (uint64_t i = 0; i < count; i += per_commit) {
        if (per_commit > 1) {
            run->store->insert_many(h, i, per_commit, 1000);
        } else {
            message_make(i, 1000, &m);
            run->store->insert(h, &m);
        }
    }
    double seconds = now_s() - start;
    run->sum = run->store->page(h, 7, PAGE_ROWS);
    run->store->close(h);
    return (double)count / seconds;
}

static double insert_single(struct run *run)
{
    return insert_many(run, scaled(run, 200000), 1, SAFE_PROCESS_CRASH);
}

static double insert_batched(struct run *run)
{
    return insert_many(run, scaled(run, 400000), 1000, SAFE_PROCESS_CRASH);
}

static double insert_synced(struct run *run)
{
    return insert_many(run, scaled(run, 2000), 1, SAFE_POWER_LOSS);
}

static void load(struct run *run, uint64_t count, uint32_t rooms)
{
    fresh_folder(run->folder);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH);
    for (uint64_t i = 0; i < count; i += 1000)
        run->store->insert_many(h, i, 1000, rooms);
    run->store->close(h);
}

static double pages(struct run *run)
{
    enum { ROOMS = 20 };
    uint64_t count = scaled(run, 100000);
    if (run->round == 0)
        load(run, ROOMS * (uint64_t)10000, ROOMS);
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH);
    for (uint32_t r = 0; r < ROOMS; r++)
        run->store->page(h, r, PAGE_ROWS);
    double start = now_s();
    for (uint64_t i = 0; i < count; i++)
        run->sum += run->store->page(h, (uint32_t)(i * 7 % ROOMS), PAGE_ROWS);
    double seconds = now_s() - start;
    run->store->close(h);
    return (double)count / seconds;
}

static double open_and_page(struct run *run)
{
    if (run->round == 0)
        load(run, scaled(run, 1000000), 1000);
    double start = now_s();
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH);
    run->sum = run->store->page(h, 7, PAGE_ROWS);
    double seconds = now_s() - start;
    run->store->close(h);
    return 1 / seconds;
}

static const struct workload {
    const char *name, *unit;
    double (*run)(struct run *run);
} workloads[] = {
    { "insert, one a commit, safe at a process crash", "inserts/s", insert_single },
    { "insert, 1000 a commit", "inserts/s", insert_batched },
    { "insert, one a commit, synced", "inserts/s", insert_synced },
    { "newest 50 of 10,000 messages, every column", "pages/s", pages },
    { "open a database of 1,000,000 rows, read a page", "opens/s", open_and_page },
};

/* ---- figures ---- */

static int cmp_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct figure {
    double median, spread;
};

static struct figure figure_of(const double *rates, int n)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, rates, (size_t)n * sizeof *rates);
    qsort(sorted, (size_t)n, sizeof *sorted, cmp_double);
    struct figure f = { .median = sorted[n / 2] };
    f.spread = 100 * (sorted[n - 1] - sorted[0]) / f.median;
    return f;
}

static void measure(const struct workload *w, const struct settings *settings, cJSON *out)
{
    double rates[STORES][ROUNDS_MAX], ratios[STORES][ROUNDS_MAX];
    char folders[STORES][4096];
    for (int s = 0; s < STORES; s++)
        snprintf(folders[s], sizeof folders[s], "%s/store%d", settings->folder, s);
    for (int r = 0; r < settings->rounds; r++) {
        uint64_t sum = 0;
        for (int s = 0; s < STORES; s++) {
            struct run run = { stores[s], settings, folders[s], r, 0 };
            rates[s][r] = w->run(&run);
            if (s && run.sum != sum) {
                fprintf(stderr, "%s: %s did other work than %s\n", w->name, stores[s]->name, stores[0]->name);
                exit(1);
            }
            sum = run.sum;
            ratios[s][r] = rates[0][r] / rates[s][r];
        }
    }
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "workload", w->name);
    cJSON_AddStringToObject(row, "unit", w->unit);
    printf("%-50s", w->name);
    for (int s = 0; s < STORES; s++) {
        struct figure f = figure_of(rates[s], settings->rounds);
        double ratio = figure_of(ratios[s], settings->rounds).median;
        if (s)
            printf("  %11.0f (x%5.2f)", f.median, ratio);
        else
            printf("  %11.0f ±%2.0f%%", f.median, f.spread / 2);
        cJSON *one = cJSON_AddObjectToObject(row, stores[s]->name);
        cJSON_AddNumberToObject(one, "median", f.median);
        cJSON_AddNumberToObject(one, "spread_percent", f.spread);
        cJSON_AddNumberToObject(one, "widerow_ratio", ratio);
        remove_folder(folders[s]);
    }
    printf("  %s\n", w->unit);
    fflush(stdout);
    cJSON_AddItemToArray(out, row);
}

int main(int argc, char **argv)
{
    struct settings settings = { 5, "bench-data", NULL, 1.0 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            settings.scale = 0.1;
        } else if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0) {
            settings.rounds = atoi(argv[++i]);
        } else if (i + 1 < argc && strcmp(argv[i], "--json") == 0) {
            settings.json = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--folder") == 0) {
            settings.folder = argv[++i];
        } else {
            fprintf(stderr, "usage: widerow_bench [--rounds N] [--json FILE] [--folder DIR] [--quick]\n");
            return 2;
        }
    }
    if (settings.rounds < 1 || settings.rounds > ROUNDS_MAX)
        settings.rounds = 5;
    fresh_folder(settings.folder);
    cJSON *out = cJSON_CreateArray();
    printf("%-50s  %16s  %20s  %20s\n", "", stores[0]->name, stores[1]->name, stores[2]->name);
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        measure(&workloads[i], &settings, out);
    remove_folder(settings.folder);
    if (settings.json) {
        char *text = cJSON_Print(out);
        FILE *f = fopen(settings.json, "w");
        if (!f || fputs(text, f) < 0 || fclose(f)) {
            perror(settings.json);
            return 1;
        }
        free(text);
    }
    cJSON_Delete(out);
    return 0;
}
