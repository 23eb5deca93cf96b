/* One workload on all stores: each measurement in a process of its own, the stores in turn, another one first in each round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "results.h"

struct job {
    const struct workload *workload;
    void (*what)(struct run *run);
    struct run *run;
};

static void work(void *arg)
{
    const struct job *job = arg;
    job->what(job->run);
}

static void run_in_child(const struct workload *w, void (*what)(struct run *run), struct run *run)
{
    struct job job = { w, what, run };
    if (in_child(work, &job))
        return;
    fprintf(stderr, "%s on %s failed\n", w->name, run->store->name);
    exit(1);
}

static bool fits(const struct workload *w, const struct settings *settings, unsigned store)
{
    if (store && settings->beside && !named(settings->beside, stores[store]->name))
        return false;
    return w->fits ? w->fits(stores[store]) : store == 0;
}

static void store_folder(const struct settings *settings, const struct workload *w, unsigned store, char *out, size_t size)
{
    snprintf(out, size, "%s/%s-%s", settings->folder, stores[store]->name, w->data ? w->data->name : "empty");
}

/* Of a dataset that is there already, nothing is loaded. */
static void prepare(const struct workload *w, struct run *run)
{
    if (!w->data) {
        fresh_folder(run->folder);
    } else if (folder_bytes(run->folder) == 0) {
        fresh_folder(run->folder);
        run_in_child(w, w->data->load, run);
    }
    run->sum = 0;
}

static void check_sums(const struct workload *w, const uint64_t *sums, const bool *ran)
{
    int first = -1;
    for (unsigned s = 0; s < store_count; s++) {
        if (!ran[s])
            continue;
        if (first < 0)
            first = (int)s;
        if (sums[s] == sums[first])
            continue;
        fprintf(stderr, "%s: %s did other work than %s\n", w->name, stores[s]->name, stores[first]->name);
        exit(1);
    }
}

void measure(const struct workload *w, const struct settings *settings, struct result *out)
{
    const int rounds = w->rounds_max && w->rounds_max < settings->rounds ? w->rounds_max : settings->rounds;
    struct run *run = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char folder[4096];
    if (run == MAP_FAILED)
        abort();
    for (unsigned f = 0; f < w->figure_count; f++)
        out[f] = (struct result){ .figure = &w->figures[f] };
    for (int round = 0; round < rounds; round++) {
        uint64_t sums[STORES_MAX] = { 0 };
        bool ran[STORES_MAX] = { false };
        for (unsigned i = 0; i < store_count; i++) {
            unsigned s = (i + (unsigned)round) % store_count;
            if (!fits(w, settings, s))
                continue;
            store_folder(settings, w, s, folder, sizeof folder);
            *run = (struct run){ .store = stores[s], .folder = folder, .scale = settings->scale, .round = round };
            prepare(w, run);
            run_in_child(w, w->run, run);
            sums[s] = run->sum;
            ran[s] = true;
            for (unsigned f = 0; f < w->figure_count; f++) {
                struct rounds *r = &out[f].stores[s];
                r->wall[r->count] = run->figures[f].wall;
                r->cpu[r->count++] = run->figures[f].cpu;
            }
            if (!w->data)
                remove_folder(folder);
        }
        check_sums(w, sums, ran);
    }
    munmap(run, sizeof *run);
}
