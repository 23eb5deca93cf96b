/* Answers model/failure.h. Which statement fails with what: tests/api/server_vectors.inc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#undef fail

#include "engine/rig.h"
#include "model/failure.h"

struct place {
    struct arena arena;
    struct ctx ctx;
};

static void place_init(struct place *p)
{
    arena_init(&p->arena);
    ctx_init(&p->ctx, &p->arena);
}

static void a_failure_forgets_the_one_before(void **state)
{
    struct place p;
    (void)state;
    place_init(&p);
    assert_int_equal(failure_of(&p.ctx).status, WR_OK);
    fail(&p.ctx, WR_ALREADY_EXISTS, "there is one");
    assert_int_equal(failure_of_existing(&p.ctx, SLICE_LIT("k"), SLICE_LIT("t")), WR_ALREADY_EXISTS);
    assert_string_equal(failure_of(&p.ctx).keyspace, "k");
    assert_string_equal(failure_of(&p.ctx).name, "t");
    fail(&p.ctx, WR_INVALID, "no");
    assert_int_equal(failure_of(&p.ctx).status, WR_INVALID);
    assert_null(failure_of(&p.ctx).keyspace);
    arena_release(&p.arena);
}

static void passed_on_it_stands_alone(void **state)
{
    struct place from, to;
    (void)state;
    place_init(&from);
    place_init(&to);
    struct exec exec = { .ctx = &from.ctx, .levels = { .asked = true, .level = WR_CL_QUORUM } };
    assert_int_equal(failure_of_write(&exec, "UNLOGGED_BATCH"), WR_WRITE_FAILURE);
    assert_int_equal(failure_pass(&to.ctx, &from.ctx, WR_WRITE_FAILURE), WR_WRITE_FAILURE);
    arena_release(&from.arena);
    struct wr_failure f = failure_of(&to.ctx);
    assert_int_equal(f.status, WR_WRITE_FAILURE);
    assert_string_equal(f.write_type, "UNLOGGED_BATCH");
    assert_int_equal(f.consistency, WR_CL_QUORUM);
    assert_true(f.required == 1 && f.alive == 0 && f.failures == 1);
    assert_non_null(strstr(to.ctx.error, "received 0 responses and 1 failures"));
    arena_release(&to.arena);
}

static void without_memory_for_the_details_it_is_that(void **state)
{
    struct place from, to;
    (void)state;
    place_init(&from);
    place_init(&to);
    struct exec exec = { .ctx = &from.ctx };
    assert_int_equal(failure_of_write(&exec, "SIMPLE"), WR_WRITE_FAILURE);
    rig.mem_fail_after = 0;
    assert_int_equal(failure_pass(&to.ctx, &from.ctx, WR_WRITE_FAILURE), WR_NOMEM);
    rig.mem_fail_after = -1;
    assert_string_equal(to.ctx.error, "out of memory");
    assert_int_equal(failure_of(&to.ctx).status, WR_NOMEM);
    arena_release(&from.arena);
    arena_release(&to.arena);
}

static void reads_have_no_write_type(void **state)
{
    struct place p;
    (void)state;
    place_init(&p);
    struct exec exec = { .ctx = &p.ctx };
    assert_int_equal(failure_of_read(&exec), WR_READ_FAILURE);
    assert_null(failure_of(&p.ctx).write_type);
    assert_int_equal(failure_of(&p.ctx).consistency, WR_CL_ONE);
    arena_release(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_forgets_the_one_before),
        cmocka_unit_test(passed_on_it_stands_alone),
        cmocka_unit_test(without_memory_for_the_details_it_is_that),
        cmocka_unit_test(reads_have_no_write_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
