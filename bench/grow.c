#include "grow.h"

static void once(void *arg)
{
    struct growing *g = arg;
    if (g->bind)
        g->bind(g, g->i++);
    g->sum += cql_sum(g->stmt, &g->rows);
}

double grow_us(struct run *run, unsigned figure, struct growing *g)
{
    once(g);
    struct watch took = watch_repeated(once, g);
    give_us(run, figure, 1, took);
    return took.cpu * 1e6;
}

void grow_bind_int(struct growing *g, uint64_t i)
{
    wr_bind_int(g->stmt, 0, (int64_t)(data_mix(i) % g->n));
}
