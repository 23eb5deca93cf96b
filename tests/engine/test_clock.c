/* Answers engine/clock.h promise by promise. */
#include "tests/engine/database.h"

#include <pthread.h>
#include <sys/wait.h>

#include "engine/clock.h"

static void timestamps_never_repeat_nor_go_back(void **state)
{
    struct clock clock;
    (void)state;

    clock_init(&clock);
    int64_t last = clock_timestamp_us(&clock), now = clock_now_us(&clock);
    assert_true(last <= now && last > now - 1000000);
    for (int i = 0; i < 10000; i++) {
        int64_t t = clock_timestamp_us(&clock);
        assert_true(t > last);
        last = t;
    }
    clock_set(&clock, last - 1000000000); /* the wall clock is put back by a quarter of an hour */
    assert_int_equal(clock_timestamp_us(&clock), last + 1);
    clock_raise(&clock, last + 500);
    assert_int_equal(clock_timestamp_us(&clock), last + 501);
    clock_raise(&clock, last); /* a lower mark changes nothing */
    assert_int_equal(clock_timestamp_us(&clock), last + 502);
    clock_set(&clock, last + 10000999);
    assert_int_equal(clock_timestamp_us(&clock),
                     (last + 10000999) / 1000 * 1000); /* whole milliseconds, as ClientState */
}

enum { THREADS = 4, EACH = 20000 };
struct taker {
    struct clock *clock;
    int64_t taken[EACH];
};

static void *take(void *arg)
{
    struct taker *t = arg;
    for (int i = 0; i < EACH; i++)
        t->taken[i] = clock_timestamp_us(t->clock);
    return NULL;
}

static int cmp_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void threads_never_get_the_same_timestamp(void **state)
{
    static struct taker takers[THREADS];
    static int64_t all[THREADS * EACH];
    pthread_t threads[THREADS];
    struct clock clock;
    (void)state;

    clock_init(&clock);
    for (int i = 0; i < THREADS; i++) {
        takers[i].clock = &clock;
        assert_int_equal(pthread_create(&threads[i], NULL, take, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        memcpy(all + i * EACH, takers[i].taken, sizeof takers[i].taken);
        for (int j = 1; j < EACH; j++)
            assert_true(takers[i].taken[j] > takers[i].taken[j - 1]);
    }
    qsort(all, THREADS * EACH, sizeof *all, cmp_i64);
    for (int i = 1; i < THREADS * EACH; i++)
        assert_int_not_equal(all[i], all[i - 1]);
}

static void a_set_clock_stands_until_it_is_stepped_or_released(void **state)
{
    struct clock clock;
    (void)state;

    clock_init(&clock);
    clock_set(&clock, 1500000);
    assert_int_equal(clock_now_us(&clock), 1500000);
    assert_int_equal(clock_now_us(&clock), 1500000);
    assert_int_equal(clock_now_s(&clock), 1);
    assert_int_equal(clock_timestamp_us(&clock), 1500000);
    assert_int_equal(clock_timestamp_us(&clock), 1500001);
    clock_step(&clock, 500000);
    assert_int_equal(clock_now_us(&clock), 2000000);
    assert_int_equal(clock_now_s(&clock), 2);
    clock_step(&clock, -1999999);
    assert_int_equal(clock_now_s(&clock), 0);
    assert_int_equal(clock_timestamp_us(&clock), 1500002);
    clock_release(&clock);
    int64_t now = clock_now_us(&clock);
    assert_true(now > INT64_C(1700000000000000));
    clock_step(&clock, INT64_C(86400000000)); /* a running clock is shifted, and runs on */
    int64_t shifted = clock_now_us(&clock);
    assert_true(shifted >= now + INT64_C(86400000000) && shifted < now + INT64_C(86460000000));
    clock_release(&clock);
    assert_true(clock_now_us(&clock) < now + INT64_C(60000000));
}

static void far_off_times_do_not_wrap(void **state)
{
    static const int64_t times[] = { INT64_MIN, INT64_MIN + 1, -1500000, -1, 0, INT64_MAX - 1, INT64_MAX };
    struct clock clock;
    (void)state;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        clock_init(&clock);
        clock_set(&clock, times[i]);
        int64_t now = clock_now_us(&clock);
        assert_true(now == times[i] || times[i] == INT64_MIN);
        assert_int_equal(clock_now_s(&clock), times[i] < 0 ? 0 : times[i] == 0 ? 0 : CLOCK_S_MAX);
        assert_true(clock_timestamp_us(&clock) <= now || now < INT64_MIN + 1000);
        clock_step(&clock, INT64_MAX);
        clock_step(&clock, INT64_MAX);
        assert_int_equal(clock_now_us(&clock), INT64_MAX);
        clock_step(&clock, INT64_MIN);
        clock_step(&clock, INT64_MIN);
        assert_true(clock_now_us(&clock) < INT64_MIN + 2);
        clock_release(&clock);
        clock_step(&clock, INT64_MAX);
        assert_int_equal(clock_now_us(&clock), INT64_MAX);
    }
}

static void the_monotonic_clock_does_not_follow_the_set_one(void **state)
{
    struct clock clock;
    (void)state;

    clock_init(&clock);
    int64_t before = clock_monotonic_ns();
    clock_set(&clock, 0);
    int64_t after = clock_monotonic_ns();
    assert_true(after >= before && after < before + INT64_C(60000000000));
}

static void random_bytes_do_not_repeat(void **state)
{
    enum { DRAWS = 5000 };
    static uint64_t seen[DRAWS + 1];
    uint8_t large[3000] = { 0 };
    int pipes[2];
    (void)state;

    for (int i = 0; i < DRAWS; i++)
        clock_random((uint8_t *)&seen[i], 8);
    /* Nor in a child that has inherited what its parent had in store. */
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        uint64_t n;
        clock_random((uint8_t *)&n, 8);
        _exit(write(pipes[1], &n, 8) != 8);
    }
    assert_int_equal(read(pipes[0], &seen[DRAWS], 8), 8);
    uint64_t own;
    clock_random((uint8_t *)&own, 8);
    assert_int_not_equal(own, seen[DRAWS]);
    int status;
    waitpid(child, &status, 0);
    close(pipes[0]);
    close(pipes[1]);
    qsort(seen, DRAWS + 1, sizeof *seen, cmp_i64);
    for (int i = 1; i <= DRAWS; i++)
        assert_int_not_equal(seen[i], seen[i - 1]);

    clock_random(large, sizeof large);
    size_t zeroes = 0;
    for (size_t i = 0; i < sizeof large; i++)
        zeroes += large[i] == 0;
    assert_true(zeroes < 100); /* 12 are to be expected */
    clock_random(large, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timestamps_never_repeat_nor_go_back),
        cmocka_unit_test(threads_never_get_the_same_timestamp),
        cmocka_unit_test(a_set_clock_stands_until_it_is_stepped_or_released),
        cmocka_unit_test(far_off_times_do_not_wrap),
        cmocka_unit_test(the_monotonic_clock_does_not_follow_the_set_one),
        cmocka_unit_test(random_bytes_do_not_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
