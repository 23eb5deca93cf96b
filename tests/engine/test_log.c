/* Answers engine/log.h: which records come out, and in which order. */
#include "engine/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/coding.h"

static const uint8_t id[DATABASE_ID_BYTES] = "this database's";

enum { CHAIN = 5, ANOTHER_CHAIN = 6, RECORD_BYTES = LOG_RECORD_HEAD + 8 + LOG_RECORD_TAIL };

/* A log in memory; a record says its number. */
struct log {
    uint8_t *bytes;
    size_t end[LOG_HALVES];
    struct log_head head[LOG_HALVES];
    uint64_t next[LOG_HALVES];
};

static struct log new_log(void)
{
    struct log log = { .bytes = calloc(LOG_HALVES, LOG_HALF_BYTES) };
    assert_non_null(log.bytes);
    return log;
}

static void begin(struct log *log, unsigned half, struct log_head head)
{
    log_begin(log->bytes + (size_t)half * LOG_HALF_BYTES, id, &head);
    log->end[half] = LOG_HEAD;
    log->head[half] = head;
    log->next[half] = head.number;
}

static void put(struct log *log, unsigned half, uint64_t commit_id)
{
    uint8_t *bytes = log->bytes + (size_t)half * LOG_HALF_BYTES;
    const struct log_head *head = &log->head[half];
    size_t at = log->end[half], end = at + LOG_RECORD_HEAD + 8;

    put_u64(bytes + at + LOG_RECORD_HEAD, log->next[half]);
    log->end[half] = log_seal(bytes, at, end, head->chain, log->next[half]++, commit_id - head->base);
    assert_int_equal(log->end[half], at + RECORD_BYTES);
}

static struct log_walk walk_of(const struct log *log, uint64_t after)
{
    struct log_walk w;
    log_walk(&w, slice_of(log->bytes, (size_t)LOG_HALVES * LOG_HALF_BYTES), id, after);
    return w;
}

/* The numbers from `first` to `last` and no more; last < first: none. */
static void expect(const struct log *log, uint64_t after, uint64_t first, uint64_t last)
{
    struct log_walk w = walk_of(log, after);
    struct slice changes;

    for (uint64_t n = first; n <= last; n++) {
        assert_true(log_next(&w, &changes));
        assert_int_equal(changes.len, 8);
        assert_int_equal(read_u64(changes.data), n);
    }
    assert_false(log_next(&w, &changes));
}

static void records_come_in_order_from_the_commit_that_the_file_has(void **state)
{
    struct log log = new_log();
    (void)state;

    expect(&log, 10, 1, 0);
    begin(&log, 0, (struct log_head){ CHAIN, 10, 1, .alone = true });
    for (uint64_t n = 0; n < 9; n++)
        put(&log, 0, 11 + n / 3);
    expect(&log, 9, 1, 0); /* the file ends before what the log was begun on */
    expect(&log, 10, 1, 9);
    expect(&log, 11, 4, 9);
    expect(&log, 12, 7, 9);
    expect(&log, 13, 1, 0);
    free(log.bytes);
}

/* Those of the one that is later and has been begun on a commit of the file, then of what goes on. */
static void halves_come_in_the_order_of_their_bases(void **state)
{
    (void)state;

    for (unsigned first = 0; first < LOG_HALVES; first++) {
        struct log log = new_log();
        begin(&log, first, (struct log_head){ CHAIN, 10, 1, false });
        for (uint64_t n = 0; n < 4; n++)
            put(&log, first, 11);
        begin(&log, !first, (struct log_head){ CHAIN, 11, 5, false });
        for (uint64_t n = 0; n < 4; n++)
            put(&log, !first, 12);
        expect(&log, 10, 1, 8);
        expect(&log, 11, 5, 8);
        expect(&log, 12, 1, 0);
        free(log.bytes);
    }
}

static void a_half_of_another_chain_or_number_does_not_go_on(void **state)
{
    static const struct log_head others[] = { { ANOTHER_CHAIN, 11, 5, false }, { CHAIN, 11, 6, false }, { CHAIN, 11, 4, false } };
    (void)state;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct log log = new_log();
        begin(&log, 0, (struct log_head){ CHAIN, 10, 1, false });
        begin(&log, 1, others[i]);
        for (uint64_t n = 0; n < 4; n++) {
            put(&log, 0, 11);
            put(&log, 1, 12);
        }
        expect(&log, 10, 1, 4);
        expect(&log, 11, others[i].number, others[i].number + 3);
        free(log.bytes);
    }
}

/* Begun on the same commit: the first has come to nothing in the file. */
static void of_two_halves_with_one_base_the_later_counts(void **state)
{
    (void)state;

    for (unsigned first = 0; first < LOG_HALVES; first++) {
        struct log log = new_log();
        begin(&log, first, (struct log_head){ CHAIN, 10, 1, false });
        begin(&log, !first, (struct log_head){ ANOTHER_CHAIN, 10, 3, false });
        put(&log, first, 11);
        put(&log, !first, 11);
        expect(&log, 10, 3, 3);
        free(log.bytes);
    }
}

static void nothing_comes_behind_what_is_damaged(void **state)
{
    enum { RECORDS = 4 };
    (void)state;

    for (size_t at = 0; at < LOG_HEAD + RECORDS * RECORD_BYTES; at++) {
        struct log log = new_log();
        begin(&log, 0, (struct log_head){ CHAIN, 10, 1, false });
        for (uint64_t n = 0; n < RECORDS; n++)
            put(&log, 0, 11);
        log.bytes[at] ^= 0x40;
        expect(&log, 10, 1, at < LOG_HEAD ? 0 : (at - LOG_HEAD) / RECORD_BYTES);
        free(log.bytes);
    }
}

/* Of every length, as where the file was cut off: the walk is given bytes that end there. */
static void no_bytes_lead_outside(void **state)
{
    enum { RECORDS = 3, ALL = LOG_HEAD + RECORDS * RECORD_BYTES };
    struct log log = new_log();
    (void)state;

    begin(&log, 0, (struct log_head){ CHAIN, 10, 1, true });
    for (uint64_t n = 0; n < RECORDS; n++)
        put(&log, 0, 11);
    for (size_t len = 0; len <= ALL; len++) {
        uint8_t *bytes = malloc(len ? len : 1);
        struct log_walk w;
        struct slice changes;
        uint64_t n = 0;
        memcpy(bytes, log.bytes, len);
        log_walk(&w, slice_of(bytes, len), id, 10);
        while (log_next(&w, &changes))
            assert_int_equal(read_u64(changes.data), ++n);
        assert_int_equal(n, len < LOG_HEAD ? 0 : (len - LOG_HEAD) / RECORD_BYTES);
        free(bytes);
    }
    free(log.bytes);
}

static void another_database_has_no_part_in_it(void **state)
{
    static const uint8_t other[DATABASE_ID_BYTES] = "of another one";
    struct log log = new_log();
    struct log_walk w;
    struct slice changes;
    (void)state;

    begin(&log, 0, (struct log_head){ CHAIN, 10, 1, false });
    put(&log, 0, 11);
    log_walk(&w, slice_of(log.bytes, (size_t)LOG_HALVES * LOG_HALF_BYTES), other, 10);
    assert_false(log_next(&w, &changes));
    free(log.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_order_from_the_commit_that_the_file_has),
        cmocka_unit_test(halves_come_in_the_order_of_their_bases),
        cmocka_unit_test(a_half_of_another_chain_or_number_does_not_go_on),
        cmocka_unit_test(of_two_halves_with_one_base_the_later_counts),
        cmocka_unit_test(nothing_comes_behind_what_is_damaged),
        cmocka_unit_test(no_bytes_lead_outside),
        cmocka_unit_test(another_database_has_no_part_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
