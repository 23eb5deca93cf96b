/* Answers turn.h: who waits is served in order, who comes while it is free passes by them, and who waits no longer is in nobody's way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/turn.h"

enum { WAITERS = 6, TRIES = 1000, SHORT_MS = 1000, LONG_MS = 60000 };

static struct turn turn;
static int served; /* under the turn */

struct waiter {
    pthread_t thread;
    int ms, place; /* in which it was served, under the turn; -1: it was not */
};

static void *wait_for_it(void *arg)
{
    struct waiter *w = arg;
    w->place = -1;
    if (turn_take(&turn, w->ms)) {
        w->place = served++;
        turn_give(&turn);
    }
    return NULL;
}

static struct turn_wait **end_of_queue(void)
{
    pthread_mutex_lock(&turn.lock);
    struct turn_wait **end = turn.end;
    pthread_mutex_unlock(&turn.lock);
    return end;
}

/* Each waits before the next one begins. */
static void start(struct waiter *w, int ms)
{
    struct turn_wait **before = end_of_queue();
    w->ms = ms;
    assert_int_equal(pthread_create(&w->thread, NULL, wait_for_it, w), 0);
    while (end_of_queue() == before)
        usleep(100);
}

static void they_are_served_in_the_order_they_came(void **state)
{
    struct waiter waiters[WAITERS];
    (void)state;
    turn_init(&turn);
    served = 0;
    assert_true(turn_take(&turn, 0));
    for (int i = 0; i < WAITERS; i++)
        start(&waiters[i], i % 2 ? -1 : LONG_MS);
    turn_give(&turn);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        assert_int_equal(waiters[i].place, i);
    }
    turn_destroy(&turn);
}

/* It is not free for a moment, as who would take it at once can tell. */
static void who_has_waited_long_has_the_next_one(void **state)
{
    struct waiter waiters[WAITERS];
    int before = 0;
    (void)state;
    turn_init(&turn);
    served = 0;
    assert_true(turn_take(&turn, 0));
    for (int i = 0; i < WAITERS; i++)
        start(&waiters[i], LONG_MS);
    usleep((TURN_PATIENCE_MS + 1) * 1000);
    turn_give(&turn);
    if (turn_take(&turn, 0)) {
        before = served;
        turn_give(&turn);
        assert_int_equal(before, WAITERS);
    }
    while (before < WAITERS) {
        assert_true(turn_take(&turn, -1));
        before = served;
        turn_give(&turn);
    }
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i].thread, NULL);
        assert_int_equal(waiters[i].place, i);
    }
    turn_destroy(&turn);
}

/* Unless a waiter is quicker, or has waited for long: both may happen on a machine that has much to do, but not each time. */
static void who_comes_while_it_is_free_takes_it(void **state)
{
    bool first = false;
    (void)state;
    turn_init(&turn);
    for (int i = 0; i < TRIES && !first; i++) {
        struct waiter waiter;
        assert_true(turn_take(&turn, -1));
        start(&waiter, -1);
        turn_give(&turn);
        assert_true(turn_take(&turn, -1));
        first = waiter.place < 0;
        turn_give(&turn);
        pthread_join(waiter.thread, NULL);
    }
    assert_true(first);
    turn_destroy(&turn);
}

/* At the front, amid the others and at the end of the queue. */
static void who_waits_no_longer_leaves_the_queue(void **state)
{
    (void)state;
    for (int leaves = 0; leaves < 3; leaves++) {
        struct waiter waiters[4];
        turn_init(&turn);
        served = 0;
        assert_true(turn_take(&turn, -1));
        assert_false(turn_take(&turn, 0));
        for (int i = 0; i < 3; i++)
            start(&waiters[i], i == leaves ? SHORT_MS : -1);
        pthread_join(waiters[leaves].thread, NULL);
        assert_int_equal(waiters[leaves].place, -1);
        start(&waiters[3], LONG_MS);
        turn_give(&turn);
        for (int i = 0, place = 0; i < 4; i++) {
            if (i == leaves)
                continue;
            pthread_join(waiters[i].thread, NULL);
            assert_int_equal(waiters[i].place, place++);
        }
        assert_true(turn_take(&turn, 0));
        turn_give(&turn);
        turn_destroy(&turn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_served_in_the_order_they_came),
        cmocka_unit_test(who_has_waited_long_has_the_next_one),
        cmocka_unit_test(who_comes_while_it_is_free_takes_it),
        cmocka_unit_test(who_waits_no_longer_leaves_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
