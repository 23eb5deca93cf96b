/*
 * results.h - what the rounds gave, figure by figure, and what follows from it.
 *
 * Ratios are taken within a round and their median is told: what slows the machine for a while slows all stores of that round.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "workload.h"

enum { ROUNDS_MAX = 25, STORES_MAX = 6 };

struct rounds {
    int count; /* 0: sat out */
    double wall[ROUNDS_MAX], cpu[ROUNDS_MAX];
};

struct result {
    const struct figure *figure;
    struct rounds stores[STORES_MAX]; /* in the order of stores[] */
};

extern const struct store *const stores[]; /* Widerow through CQL is the first */
extern const unsigned store_count;

struct settings {
    int rounds;
    double scale;
    bool by_cpu; /* goals are held against CPU time where a figure has some */
    const char *folder, *json, *data, *only;
    const char *beside; /* of the others these stores alone; NULL: all */
};

bool named(const char *names, const char *name); /* is it in "a,b,c"? */

double median(const double *values, int count);
double spread_percent(const double *values, int count); /* from the least to the greatest, of the median */
bool has_cpu(const struct rounds *rounds);

/* How many times as good as store `other` the first one is; 0: they have no round in common. */
double times_as_good(const struct result *result, unsigned other, bool by_cpu);
int store_index(const char *name); /* -1: not built in */

/* One workload on every store it fits, round after round: a result for each of its figures. */
void measure(const struct workload *workload, const struct settings *settings, struct result *out);

void report_head(const struct settings *settings);
void report(const struct result *result, const struct settings *settings, unsigned *musts, unsigned *met);
const char *machine(void); /* what the figures were measured on, in a line */
double load_average(void);

/* Everything as JSON; false: it could not be written. */
bool write_json(const char *path, const struct settings *settings, const struct result *results, unsigned count);

#endif
