/*
 * widerow_bench [--rounds 5] [--quick | --scale X] [--only ID,ID...] [--by wall|cpu] [--data DIR] [--folder DIR] [--json FILE] | --list
 *
 * Every workload on every store, with Widerow's ratio to each, held against what is asked of it (docs/performance.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

const struct store *const stores[] = {
    &store_widerow, &store_families, &store_lmdb, &store_sqlite,
#ifdef BENCH_ROCKSDB
    &store_rocksdb,
#endif
};
const unsigned store_count = sizeof stores / sizeof stores[0];

static const char usage[] = "usage: widerow_bench [--rounds N] [--quick | --scale X] [--only ID,ID...] [--by wall|cpu] [--beside STORE,STORE...]\n"
                            "                     [--data DIR] [--folder DIR] [--json FILE] | --list\n";

static int list(void)
{
    for (unsigned i = 0; i < workload_count; i++)
        for (unsigned f = 0; f < workloads[i]->figure_count; f++)
            printf("%-18s %-22s %s, %s%s\n", workloads[i]->name, workloads[i]->figures[f].id, workloads[i]->figures[f].title,
                   workloads[i]->figures[f].unit, workloads[i]->on_demand ? " (only where named)" : "");
    return 0;
}

bool named(const char *names, const char *name)
{
    size_t len = strlen(name);
    for (const char *p = names; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, len) == 0 && (p[len] == ',' || !p[len]))
            return true;
    return false;
}

static bool wanted(const struct workload *w, const struct settings *settings)
{
    return settings->only ? named(settings->only, w->name) : !w->on_demand;
}

/* Every name that was given is one of a workload. */
static bool known(const char *names)
{
    for (const char *p = names; p && *p;) {
        size_t len = strcspn(p, ",");
        bool found = false;
        for (unsigned i = 0; i < workload_count; i++)
            found |= strlen(workloads[i]->name) == len && strncmp(workloads[i]->name, p, len) == 0;
        if (!found) {
            fprintf(stderr, "no workload %.*s; --list tells them\n", (int)len, p);
            return false;
        }
        p += len + (p[len] == ',');
    }
    return true;
}

static bool parse(int argc, char **argv, struct settings *s)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--quick") == 0) {
            s->scale = 0.05;
            s->rounds = 3;
            continue;
        }
        if (!value)
            return false;
        i++;
        if (strcmp(name, "--rounds") == 0)
            s->rounds = atoi(value);
        else if (strcmp(name, "--scale") == 0)
            s->scale = atof(value);
        else if (strcmp(name, "--only") == 0)
            s->only = value;
        else if (strcmp(name, "--beside") == 0)
            s->beside = value;
        else if (strcmp(name, "--by") == 0 && (strcmp(value, "wall") == 0 || strcmp(value, "cpu") == 0))
            s->by_cpu = strcmp(value, "cpu") == 0;
        else if (strcmp(name, "--data") == 0)
            s->data = value;
        else if (strcmp(name, "--folder") == 0)
            s->folder = value;
        else if (strcmp(name, "--json") == 0)
            s->json = value;
        else
            return false;
    }
    return s->rounds >= 1 && s->rounds <= ROUNDS_MAX && s->scale > 0 && s->scale <= 10;
}

/* The folder is ours and empty: nobody's files are removed. */
static void take_folder(const char *folder)
{
    char command[4200];
    snprintf(command, sizeof command, "mkdir -p '%s' && rmdir '%s' && mkdir '%s'", folder, folder, folder);
    if (system(command))
        exit(1);
}

/* The next workload that runs has other data: this one's goes. */
static void drop_data(unsigned i, const struct settings *settings)
{
    char command[4300];
    unsigned next = i + 1;
    while (next < workload_count && !wanted(workloads[next], settings))
        next++;
    if (!workloads[i]->data || (next < workload_count && workloads[next]->data == workloads[i]->data))
        return;
    snprintf(command, sizeof command, "rm -rf '%s'/*", settings->folder);
    if (system(command))
        exit(1);
}

int main(int argc, char **argv)
{
    struct settings settings = { .rounds = 5, .scale = 1, .folder = "bench-data", .data = "" };
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (!parse(argc, argv, &settings)) {
        fputs(usage, stderr);
        return 2;
    }
    if (!known(settings.only))
        return 2;
    const char *wrong = data_load(settings.data);
    if (wrong) {
        fprintf(stderr, "%s: %s\n", settings.data, wrong);
        return 1;
    }
    struct result *results = calloc((size_t)workload_count * FIGURES_MAX, sizeof *results);
    unsigned count = 0, musts = 0, met = 0;
    if (!results)
        return 1;
    take_folder(settings.folder);
    report_head(&settings);
    for (unsigned i = 0; i < workload_count; i++) {
        if (!wanted(workloads[i], &settings))
            continue;
        measure(workloads[i], &settings, &results[count]);
        for (unsigned f = 0; f < workloads[i]->figure_count; f++)
            report(&results[count++], &settings, &musts, &met);
        drop_data(i, &settings);
    }
    remove_folder(settings.folder);
    printf("\n%u of %u musts are met, by %s time\n", met, musts, settings.by_cpu ? "CPU" : "wall");
    if (settings.json && !write_json(settings.json, &settings, results, count)) {
        perror(settings.json);
        return 1;
    }
    free(results);
    return 0;
}
