#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "results.h"

static int cmp_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(const double *values, int count, double sorted[ROUNDS_MAX])
{
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, cmp_double);
}

double median(const double *values, int count)
{
    double sorted[ROUNDS_MAX];
    sort(values, count, sorted);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double spread_percent(const double *values, int count)
{
    double sorted[ROUNDS_MAX];
    sort(values, count, sorted);
    return 100 * (sorted[count - 1] - sorted[0]) / median(values, count);
}

bool has_cpu(const struct rounds *rounds)
{
    return rounds->count && rounds->cpu[0] > 0;
}

double times_as_good(const struct result *result, unsigned other, bool by_cpu)
{
    const struct rounds *own = &result->stores[0], *peer = &result->stores[other];
    double ratios[ROUNDS_MAX];
    int n = own->count < peer->count ? own->count : peer->count;
    if (!n)
        return 0;
    for (int r = 0; r < n; r++) {
        double a = by_cpu ? own->cpu[r] : own->wall[r], b = by_cpu ? peer->cpu[r] : peer->wall[r];
        ratios[r] = result->figure->less ? b / a : a / b;
    }
    return median(ratios, n);
}

int store_index(const char *name)
{
    for (unsigned s = 0; s < store_count; s++)
        if (strcmp(stores[s]->name, name) == 0)
            return (int)s;
    return -1;
}

double load_average(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

const char *machine(void)
{
    static char text[400];
    char line[256], cpu[200] = "unknown processor";
    struct utsname os;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "model name : %199[^\n]", cpu) == 1)
            break;
    if (f)
        fclose(f);
    uname(&os);
    snprintf(text, sizeof text, "%ld x %s, %s %s, %s " __VERSION__, sysconf(_SC_NPROCESSORS_ONLN), cpu, os.sysname, os.release,
#ifdef __clang__
             "clang");
#else
             "gcc");
#endif
    return text;
}
