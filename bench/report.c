/* The table that people read. */
#include <stdio.h>
#include <string.h>

#include "results.h"

/* 1,234,567 or 12.3 or 0.123. */
static const char *number(double v, char out[32])
{
    char plain[32];
    if (v < 10000) {
        snprintf(out, 32, v >= 100 ? "%.0f" : v >= 10 ? "%.1f" : v >= 1 ? "%.2f" : "%.3f", v);
        return out;
    }
    size_t len = (size_t)snprintf(plain, sizeof plain, "%.0f", v), o = 0;
    for (size_t i = 0; i < len && o < 30; i++) {
        if (i && (len - i) % 3 == 0)
            out[o++] = ',';
        out[o++] = plain[i];
    }
    out[o] = 0;
    return out;
}

void report_head(const struct settings *settings)
{
    printf("%s; load %.1f; %d rounds, counts times %g, %s texts\n", machine(), load_average(), settings->rounds, settings->scale,
           *settings->data ? "real" : "made-up");
    printf("Medians of the rounds; +-: half of their spread. x: how many times as good Widerow is, by wall time / by CPU time.\n");
    if (store_index("rocksdb") < 0)
        printf("RocksDB is not in this build (librocksdb-dev was not found): its columns and goals are left out.\n");
    printf("\n%-25s%-64s%18s", "", "", stores[0]->name);
    for (unsigned s = 1; s < store_count; s++)
        printf("%28s", stores[s]->name);
    printf("\n");
}

static void report_store(const struct result *result, unsigned s)
{
    const struct rounds *r = &result->stores[s];
    char text[32], cell[64], cpu[16] = "";
    if (!r->count) {
        printf("%28s", "-");
        return;
    }
    if (has_cpu(r) && has_cpu(&result->stores[0]))
        snprintf(cpu, sizeof cpu, "/%.2f", times_as_good(result, s, true));
    if (result->stores[0].count)
        snprintf(cell, sizeof cell, "%s  x%.2f%s", number(median(r->wall, r->count), text), times_as_good(result, s, false), cpu);
    else
        snprintf(cell, sizeof cell, "%s", number(median(r->wall, r->count), text));
    printf("%28s", cell);
}

static bool reached(const struct figure *figure, const struct goal *goal, double value, double limit)
{
    return goal->against || !figure->less ? value >= limit : value <= limit;
}

static void report_goal(const struct result *result, const struct goal *goal, const struct settings *settings, unsigned *musts, unsigned *met)
{
    const struct figure *figure = result->figure;
    const struct rounds *own = &result->stores[0];
    const int other = goal->against ? store_index(goal->against) : 0;
    bool cpu = settings->by_cpu && has_cpu(own);
    if (!goal->must || other < 0 || !own->count || !result->stores[other].count)
        return;
    double value = goal->against ? times_as_good(result, (unsigned)other, cpu) : median(cpu ? own->cpu : own->wall, own->count);
    bool must = reached(figure, goal, value, goal->must);
    ++*musts;
    *met += must;
    printf("%-25s  %-4s %s%s%.3g, must %g%s", "", must ? "yes" : "NO", goal->against ? goal->against : "", goal->against ? " x" : "", value, goal->must,
           cpu ? " (CPU)" : "");
    if (goal->reach)
        printf(", reach %g %s", goal->reach, reached(figure, goal, value, goal->reach) ? "yes" : "no");
    printf("\n");
}

void report(const struct result *result, const struct settings *settings, unsigned *musts, unsigned *met)
{
    const struct rounds *own = &result->stores[0];
    char text[32];
    printf("%-25s%-64s%11s +-%2.0f%% ", result->figure->id, result->figure->title, number(median(own->wall, own->count), text),
           spread_percent(own->wall, own->count) / 2);
    for (unsigned s = 1; s < store_count; s++)
        report_store(result, s);
    printf("  %s\n", result->figure->unit);
    for (int g = 0; g < GOALS_MAX; g++)
        report_goal(result, &result->figure->goals[g], settings, musts, met);
    fflush(stdout);
}
