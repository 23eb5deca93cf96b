#include "model/turn.h"

#include <stddef.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/thread.h"

struct turn_wait {
    struct turn_wait *next;
    bool served;
};

void turn_init(struct turn *turn)
{
    *turn = (struct turn){ .end = &turn->first };
    pthread_mutex_init(&turn->lock, NULL);
    thread_cond_init(&turn->given);
}

void turn_destroy(struct turn *turn)
{
    pthread_cond_destroy(&turn->given);
    pthread_mutex_destroy(&turn->lock);
}

static void leave(struct turn *turn, struct turn_wait *wait)
{
    struct turn_wait **at = &turn->first;

    while (*at != wait)
        at = &(*at)->next;
    *at = wait->next;
    if (!*at)
        turn->end = at;
}

static bool wait_for(struct turn *turn, int ms)
{
    int64_t until = clock_monotonic_ns() + ms * INT64_C(1000000);
    struct timespec at = { until / 1000000000, until % 1000000000 };
    struct turn_wait wait = { 0 };

    *turn->end = &wait;
    turn->end = &wait.next;
    while (!wait.served && (ms < 0 || clock_monotonic_ns() < until)) {
        if (ms < 0)
            pthread_cond_wait(&turn->given, &turn->lock);
        else
            pthread_cond_timedwait(&turn->given, &turn->lock, &at);
    }
    if (!wait.served)
        leave(turn, &wait);
    return wait.served;
}

bool turn_take(struct turn *turn, int ms)
{
    pthread_mutex_lock(&turn->lock);
    bool taken = !turn->taken || wait_for(turn, ms);
    turn->taken |= taken;
    pthread_mutex_unlock(&turn->lock);
    return taken;
}

void turn_give(struct turn *turn)
{
    pthread_mutex_lock(&turn->lock);
    struct turn_wait *next = turn->first;
    turn->taken = next != NULL;
    if (next) {
        leave(turn, next);
        next->served = true;
        pthread_cond_broadcast(&turn->given);
    }
    pthread_mutex_unlock(&turn->lock);
}
