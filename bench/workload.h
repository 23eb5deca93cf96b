/*
 * workload.h - what is measured: a workload runs on one store, in a process of its own, and says what it has found as figures.
 *
 * A workload is a struct in a work_*.c or grow_*.c, a line of the list in workloads.c, and a function that gives every figure of its list
 * once. What it does before watch_start() and after watch_stop() is not measured. It puts what it has read into run->sum: stores that did the same work
 * have the same sum, and the bench ends where they have not.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "store.h"

enum { FIGURES_MAX = 12, GOALS_MAX = 3 };

/* What is asked of Widerow (docs/performance.md): so many times as good as a store in the same round, or (against NULL) that figure itself. */
struct goal {
    const char *against;
    double must, reach; /* 0: nothing */
};

struct figure {
    const char *id;          /* "A1": how JSON and comparisons know it */
    const char *title, *unit; /* the unit of a rate is what is done, "inserts/s" */
    bool less;               /* the less the better */
    struct goal goals[GOALS_MAX];
};

struct run {
    const struct store *store;
    const char *folder; /* of this store: empty, or what the dataset's load has left */
    double scale;       /* of the counts: 1 is a full run */
    int round;
    uint64_t sum;
    struct {
        double wall, cpu; /* cpu 0: that has none */
    } figures[FIGURES_MAX];
};

/* What is loaded once for each store before the workloads that read it. */
struct dataset {
    const char *name;
    void (*load)(struct run *run);
};

struct workload {
    const char *name;
    const struct figure *figures;
    unsigned figure_count;
    void (*run)(struct run *run);
    bool (*fits)(const struct store *store); /* NULL: on Widerow through CQL only */
    const struct dataset *data;              /* NULL: an empty folder each round */
    int rounds_max;                          /* 0: as many as asked for */
    bool on_demand;                          /* only where it is named */
};

#define FIGURES(list) (list), sizeof(list) / sizeof((list)[0])

extern const struct workload *const workloads[];
extern const unsigned workload_count;

uint64_t scaled(const struct run *run, uint64_t n); /* at least 1 */
uint64_t scaled_thousands(const struct run *run, uint64_t n); /* as scaled, full thousands, at least 1000 */

struct watch {
    double wall, cpu; /* seconds; cpu of all threads of the process */
};
struct watch watch_start(void);
struct watch watch_stop(struct watch start);

/* Again and again, in eight passes: how long it takes once, by the quickest pass, which is the least disturbed one. */
struct watch watch_repeated(void (*once)(void *arg), void *arg);

void give_rate(struct run *run, unsigned figure, uint64_t operations, struct watch took);
void give_us(struct run *run, unsigned figure, uint64_t operations, struct watch took); /* microseconds for each */
void give_ms(struct run *run, unsigned figure, struct watch took);
void give(struct run *run, unsigned figure, double value);

/* Of files in it, as the disk has them. */
uint64_t folder_bytes(const char *folder);
void fresh_folder(const char *folder);
void remove_folder(const char *folder);

/* Bytes that this process has given the system for the disk, those taken back before they got there left out. */
uint64_t written_bytes(void);

/* Memory that is no file's, at its most while watched, in bytes; looked at every few milliseconds by a thread. */
void memory_watch(void);
uint64_t memory_watched(void);

/* Runs body in a child; false where it failed or was killed. */
bool in_child(void (*body)(void *arg), void *arg);

#endif
