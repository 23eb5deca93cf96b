/* The rounds as JSON, which bench_compare reads. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "results.h"

static cJSON *figure_json(const struct result *result)
{
    const struct figure *figure = result->figure;
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "id", figure->id);
    cJSON_AddStringToObject(out, "title", figure->title);
    cJSON_AddStringToObject(out, "unit", figure->unit);
    cJSON_AddStringToObject(out, "better", figure->less ? "less" : "more");
    cJSON *goals = cJSON_AddArrayToObject(out, "goals");
    for (int g = 0; g < GOALS_MAX; g++) {
        const struct goal *goal = &figure->goals[g];
        if (!goal->must)
            continue;
        cJSON *one = cJSON_CreateObject();
        if (goal->against)
            cJSON_AddStringToObject(one, "against", goal->against);
        cJSON_AddNumberToObject(one, "must", goal->must);
        if (goal->reach)
            cJSON_AddNumberToObject(one, "reach", goal->reach);
        cJSON_AddItemToArray(goals, one);
    }
    cJSON *all = cJSON_AddObjectToObject(out, "stores");
    for (unsigned s = 0; s < store_count; s++) {
        const struct rounds *r = &result->stores[s];
        if (!r->count)
            continue;
        cJSON *one = cJSON_AddObjectToObject(all, stores[s]->name);
        cJSON_AddNumberToObject(one, "median", median(r->wall, r->count));
        if (s && result->stores[0].count)
            cJSON_AddNumberToObject(one, "widerow_times_as_good", times_as_good(result, s, false));
        cJSON_AddItemToObject(one, "wall", cJSON_CreateDoubleArray(r->wall, r->count));
        if (has_cpu(r))
            cJSON_AddItemToObject(one, "cpu", cJSON_CreateDoubleArray(r->cpu, r->count));
    }
    return out;
}

bool write_json(const char *path, const struct settings *settings, const struct result *results, unsigned count)
{
    char date[32];
    time_t now = time(NULL);
    cJSON *out = cJSON_CreateObject();
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    cJSON_AddStringToObject(out, "date", date);
    cJSON_AddStringToObject(out, "machine", machine());
    cJSON_AddNumberToObject(out, "load", load_average());
    cJSON_AddNumberToObject(out, "rounds", settings->rounds);
    cJSON_AddNumberToObject(out, "scale", settings->scale);
    cJSON_AddStringToObject(out, "texts", *settings->data ? "real" : "made-up");
    cJSON *figures = cJSON_AddArrayToObject(out, "figures");
    for (unsigned i = 0; i < count; i++)
        cJSON_AddItemToArray(figures, figure_json(&results[i]));
    char *text = cJSON_Print(out);
    FILE *f = fopen(path, "w");
    bool good = f && text && fputs(text, f) >= 0;
    if (f && fclose(f))
        good = false;
    free(text);
    cJSON_Delete(out);
    return good;
}
