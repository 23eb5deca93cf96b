/*
 * credit.h - whether it pays to gather writes (gather.h): they have earned what brief reads between them cost.
 *
 * A write that is gathered spares a commit. A brief read in the open transaction takes longer than one by a snapshot, and is done by one thread at a
 * time; any other read ends the session. Counts only decide about speed: they are read and written without a lock, and an addition that another
 * thread's store has undone does no harm.
 */
#ifndef WR_ENGINE_CREDIT_H
#define WR_ENGINE_CREDIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { CREDIT_WRITERS = 16 }; /* places for threads, a power of two; who shares one with another may pay as who only reads */

struct credit {
    atomic_int left;
    _Atomic(pthread_t) writers[CREDIT_WRITERS]; /* who has written in this session, by thread */
};

void credit_begin_session(struct credit *c);
void credit_earn(struct credit *c, bool gathered); /* by a write of this thread */
void credit_spend(struct credit *c);               /* by a brief read, */
void credit_spend_for_waiting(struct credit *c);   /* which has to wait for the lock; */
void credit_halve(struct credit *c);               /* by any other: so that a few among many brief ones do not end what they pay for */

/* How many writes' worth is left. */
int credit_writes(struct credit *c);
bool credit_is_left(struct credit *c);

#endif
