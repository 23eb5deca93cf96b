/*
 * grow.h - what growth curves share: a prepared statement run with a value that changes, and how long it takes.
 */
#ifndef BENCH_GROW_H
#define BENCH_GROW_H

#include "cql.h"
#include "workload.h"

/* Runs stmt (a read to its end, its rows summed) again and again, marker 0 bound by `bind` before each run; microseconds for one, given as the
 * figure, and returned by CPU time, which is what growth is judged by: it is the steadier. */
struct growing {
    wr_stmt *stmt;
    void (*bind)(struct growing *g, uint64_t i); /* NULL: bound already */
    uint64_t i, n;                               /* n: for bind */
    uint64_t sum, rows;                          /* of what was read; rows of the last run */
};
double grow_us(struct run *run, unsigned figure, struct growing *g);

void grow_bind_int(struct growing *g, uint64_t i); /* a random number below n */

#endif
