#include "model/turn.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "engine/clock.h"
#include "engine/thread.h"

#define MS_NS INT64_C(1000000)

struct turn_wait {
    struct turn_wait *next;
    pthread_cond_t change; /* of what follows */
    int64_t since_ns;
    bool given;
    bool woken; /* to take it, unless somebody else is quicker */
};

void turn_init(struct turn *turn)
{
    *turn = (struct turn){ .end = &turn->first };
    pthread_mutex_init(&turn->lock, NULL);
}

void turn_destroy(struct turn *turn)
{
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

static void wake_first(struct turn *turn)
{
    if (!turn->first || turn->first->woken)
        return;
    turn->first->woken = true;
    pthread_cond_signal(&turn->first->change);
}

static bool is_next(const struct turn *turn, const struct turn_wait *wait)
{
    return !turn->taken && turn->first == wait;
}

static bool wait_for(struct turn *turn, int ms)
{
    struct turn_wait wait = { .since_ns = clock_monotonic_ns() };
    int64_t until = wait.since_ns + ms * MS_NS;
    struct timespec at = { until / 1000000000, until % 1000000000 };

    thread_cond_init(&wait.change);
    *turn->end = &wait;
    turn->end = &wait.next;
    while (!wait.given && !is_next(turn, &wait) && (ms < 0 || clock_monotonic_ns() < until)) {
        wait.woken = false;
        if (ms < 0)
            pthread_cond_wait(&wait.change, &turn->lock);
        else
            pthread_cond_timedwait(&wait.change, &turn->lock, &at);
    }
    bool taken = wait.given || is_next(turn, &wait);
    if (!wait.given)
        leave(turn, &wait);
    if (!taken && !turn->taken) /* it may have been woken for it */
        wake_first(turn);
    pthread_cond_destroy(&wait.change);
    return taken;
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
    struct turn_wait *first = turn->first;
    turn->taken = first && clock_monotonic_ns() - first->since_ns >= TURN_PATIENCE_MS * MS_NS;
    if (turn->taken) {
        leave(turn, first);
        first->given = true;
        pthread_cond_signal(&first->change);
    } else {
        wake_first(turn);
    }
    pthread_mutex_unlock(&turn->lock);
}
