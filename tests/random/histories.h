/*
 * histories.h - the main of a program that runs histories, each from a seed of its own: PROGRAM [HISTORIES] [SEED]. It prints the seed, and what has run.
 */
#ifndef WR_TESTS_HISTORIES_H
#define WR_TESTS_HISTORIES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/random/chance.h"

static uint64_t seed, history; /* of the run, and the number of the one that runs: both make it again */

static inline int run_histories(int argc, char **argv, const char *program, uint64_t unless_told, void (*run)(void))
{
    uint64_t histories = argc > 1 ? strtoull(argv[1], NULL, 10) : unless_told;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    printf("%s: %" PRIu64 " histories, seed %" PRIu64 "\n", program, histories, seed);
    for (history = 0; history < histories; history++) {
        rng = seed + history * 0x2545f4914f6cdd1du;
        run();
    }
    printf("1 passed, 0 failed\n");
    return 0;
}

#endif
