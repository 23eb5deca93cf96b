/*
 * turn.h - one at a time, each waiting as long as it likes to.
 *
 * Who comes while it is free takes it, also before others who wait: else each turn would begin with a change of threads, which takes longer than most
 * turns. But who has waited for TURN_PATIENCE_MS has the next one, in the order they came.
 */
#ifndef WR_MODEL_TURN_H
#define WR_MODEL_TURN_H

#include <pthread.h>
#include <stdbool.h>

enum { TURN_PATIENCE_MS = 10 };

struct turn {
    pthread_mutex_t lock; /* over all of it */
    bool taken;
    struct turn_wait *first, **end; /* who waits */
};

void turn_init(struct turn *turn);
void turn_destroy(struct turn *turn); /* nobody has it, or waits */

/* ms: as long as it waits at most; less than 0, however long it takes. False: it has not been given. */
bool turn_take(struct turn *turn, int ms);
void turn_give(struct turn *turn);

#endif
