/*
 * turn.h - one at a time, in the order they came, each waiting as long as it likes to.
 */
#ifndef WR_MODEL_TURN_H
#define WR_MODEL_TURN_H

#include <pthread.h>
#include <stdbool.h>

struct turn {
    pthread_mutex_t lock; /* over all of it */
    pthread_cond_t given;
    bool taken;
    struct turn_wait *first, **end; /* who waits */
};

void turn_init(struct turn *turn);
void turn_destroy(struct turn *turn); /* nobody has it, or waits */

/* ms: as long as it waits at most; less than 0, however long it takes. False: it has not been given. */
bool turn_take(struct turn *turn, int ms);
void turn_give(struct turn *turn); /* to who waits longest */

#endif
