/*
 * bench_compare BEFORE.json AFTER.json
 *
 * What of two runs of widerow_bench has changed by more than chance. A figure has changed where the middle rounds of the two runs do not
 * overlap and their medians differ by more than 3 percent. Where other stores did the same work, Widerow's ratio to each of them
 * within a round is compared, and not seconds: it has changed where that to most of them has. The exit status is 1 where
 * something became worse.
 */
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 64 };
#define LEAST_CHANGE 0.03

struct values {
    double sorted[ROUNDS_MAX];
    int count;
};

static cJSON *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long len = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (len = ftell(f)) >= 0 && (text = malloc((size_t)len + 1))) {
        rewind(f);
        text[fread(text, 1, (size_t)len, f)] = 0;
    }
    if (f)
        fclose(f);
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    free(text);
    if (!cJSON_IsArray(cJSON_GetObjectItem(json, "figures"))) {
        fprintf(stderr, "%s: not what widerow_bench --json writes\n", path);
        exit(2);
    }
    return json;
}

static cJSON *find_figure(const cJSON *file, const char *id)
{
    cJSON *figure;
    cJSON_ArrayForEach(figure, cJSON_GetObjectItem(file, "figures"))
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(figure, "id"));
        if (name && strcmp(name, id) == 0)
            return figure;
    }
    return NULL;
}

static int cmp_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const cJSON *rounds_of(const cJSON *figure, const char *store)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetObjectItem(figure, "stores"), store), "wall");
}

/* Widerow's rounds, divided by those of another store where one is named. */
static struct values values_of(const cJSON *figure, const char *store)
{
    struct values v = { .count = 0 };
    const cJSON *own = rounds_of(figure, "widerow"), *other = store ? rounds_of(figure, store) : NULL;
    int n = cJSON_GetArraySize(own);
    if (store && cJSON_GetArraySize(other) < n)
        n = cJSON_GetArraySize(other);
    for (; v.count < n && v.count < ROUNDS_MAX; v.count++) {
        double value = cJSON_GetNumberValue(cJSON_GetArrayItem(own, v.count));
        v.sorted[v.count] = store ? value / cJSON_GetNumberValue(cJSON_GetArrayItem(other, v.count)) : value;
    }
    qsort(v.sorted, (size_t)v.count, sizeof *v.sorted, cmp_double);
    return v;
}

static double middle(const struct values *v)
{
    return v->sorted[v->count / 2];
}

/* 1: the values after are greater beyond chance, -1: they are less, 0: who knows. Of five rounds or more the first and last do not count. */
static int changed(const struct values *before, const struct values *after)
{
    if (!before->count || !after->count)
        return 0;
    int skip = before->count >= 5 && after->count >= 5;
    double by = middle(after) / middle(before) - 1;
    if (by > LEAST_CHANGE && after->sorted[skip] > before->sorted[before->count - 1 - skip])
        return 1;
    if (by < -LEAST_CHANGE && after->sorted[after->count - 1 - skip] < before->sorted[skip])
        return -1;
    return 0;
}

/* Compares one figure and prints its line; -1: worse, 1: better, 0: neither. */
static int compare(const cJSON *before, const cJSON *after)
{
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(after, "id"));
    const char *better = cJSON_GetStringValue(cJSON_GetObjectItem(after, "better"));
    const int sign = better && strcmp(better, "less") == 0 ? -1 : 1;
    struct values b = values_of(before, NULL), a = values_of(after, NULL);
    int own = changed(&b, &a), ups = 0, downs = 0, peers = 0;
    char ratios[400] = "";
    const cJSON *store;
    if (!b.count || !a.count)
        return 0;
    cJSON_ArrayForEach(store, cJSON_GetObjectItem(after, "stores"))
    {
        if (strcmp(store->string, "widerow") == 0 || strcmp(store->string, "families") == 0)
            continue;
        struct values rb = values_of(before, store->string), ra = values_of(after, store->string);
        if (!rb.count || !ra.count)
            continue;
        int change = changed(&rb, &ra);
        ups += change > 0;
        downs += change < 0;
        peers++;
        size_t used = strlen(ratios);
        snprintf(ratios + used, sizeof ratios - used, "  to %s %+.0f%%", store->string, 100 * (middle(&ra) / middle(&rb) - 1));
    }
    int change = peers ? (2 * ups > peers) - (2 * downs > peers) : own;
    change *= sign;
    printf("%-7s %-22s %14.4g -> %14.4g  %+6.1f%%%s\n", change < 0 ? "WORSE" : change > 0 ? "better" : "", id, middle(&b), middle(&a),
           100 * (middle(&a) / middle(&b) - 1), ratios);
    return change;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: bench_compare BEFORE.json AFTER.json\n", stderr);
        return 2;
    }
    cJSON *before = read_file(argv[1]), *after = read_file(argv[2]), *figure;
    static const char *const alike[] = { "machine", "scale", "texts" };
    int worse = 0, better = 0, missing = 0;
    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        if (!cJSON_Compare(cJSON_GetObjectItem(before, alike[i]), cJSON_GetObjectItem(after, alike[i]), true))
            printf("The runs differ in their %s: figures alone say little.\n", alike[i]);
    cJSON_ArrayForEach(figure, cJSON_GetObjectItem(after, "figures"))
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(figure, "id"));
        const cJSON *old = id ? find_figure(before, id) : NULL;
        int change = old ? compare(old, figure) : 0;
        missing += !old;
        worse += change < 0;
        better += change > 0;
    }
    printf("%d worse, %d better, %d only in %s\n", worse, better, missing, argv[2]);
    cJSON_Delete(before);
    cJSON_Delete(after);
    return worse > 0;
}
