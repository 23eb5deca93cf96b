/*
 * no_memory.c - linked into the run of the recorded answers: each statement is run with its first, second, third, ... allocation failing, and those behind it,
 * then with that one alone, until none fails. Each time it must say that there is no memory, or give just what was recorded; and what a failed write has
 * left behind shows in the answers that come after it.
 *
 * WIDEROW_NO_MEMORY: of so many statements one is run so (1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "engine/rig.h"
#include "run.h"
#include "tests/allocations.h"

/* ---- a statement without it ---- */

static const char no_memory[] = "--> error 0x0000 out of memory\n";

static bool reads(const struct step *s)
{
    ptrdiff_t len;
    char *cql = statement_text(s, &len);
    bool it_does = strncasecmp(cql, "SELECT", 6) == 0 || strncasecmp(cql, "LIST", 4) == 0 || strncasecmp(cql, "DESC", 4) == 0;
    free(cql);
    return it_does;
}

/* Its answer where the n-th allocation fails; false: it comes to none that does. */
static bool take(wr_db *db, const struct step *s, struct text *out, long n, bool one)
{
    out->len = 0;
    allocations_fail(n, one);
    step_run(db, s, out);
    return allocations_failed();
}

static bool says_so(const struct text *out)
{
    return out->len == sizeof no_memory - 1 && memcmp(out->data, no_memory, out->len) == 0;
}

static bool is_right(const struct step *s, const struct text *out)
{
    char *differs = directive(s, "differs");
    bool right = differs || step_same(s, out);
    free(differs);
    return right;
}

/* Which allocation fails next, of a statement that has been tried since `began`: of many, or where each takes long, a few are passed over. */
static long behind(long n, clock_t began)
{
    return n + 1 + n / 200 * 7 + (long)((clock() - began) * 4 / CLOCKS_PER_SEC);
}

/* A write that has been done is not done again. A read goes on, and ends with the answer that was wrong. */
static void take_without_memory(wr_db *db, const struct step *s, struct text *out)
{
    bool again = reads(s), goes_on = true;
    clock_t began = clock();
    step_ended = again ? NULL : allocations_pause; /* a write is done by then, and would be again if there were no memory for a column's name */
    for (long n = 0; goes_on; n = behind(n, began))
        for (int one = 0; one < 2 && goes_on; one++) {
            goes_on = take(db, s, out, n, one);
            if (!goes_on || says_so(out))
                continue;
            goes_on = again && is_right(s, out);
            if (again && !goes_on)
                printf("without its allocation %ld%s:\n", n, one ? "" : " and those behind it");
        }
    step_ended = NULL;
}

static void on_finding(void *arg, const char *finding)
{
    ++*(int *)arg;
    puts(finding);
}

/* What is stored, too, is as if nothing had been tried. */
static void check(wr_db *db, struct text *out)
{
    int findings = 0;
    if (wr_check(db, on_finding, &findings, NULL) != WR_OK || findings)
        out->len = 0;
}

enum { CHECK_EVERY = 20 };
static long every = 1, statements, tried;

static void take_some(wr_db *db, const struct step *s, struct text *out)
{
    char *between = directive(s, "between"); /* would be run again with each attempt */
    if (statements++ % every || between) {
        step_run(db, s, out);
    } else {
        take_without_memory(db, s, out);
        if (tried++ % CHECK_EVERY == 0)
            check(db, out);
    }
    free(between);
}

static __attribute__((constructor)) void begin(void)
{
    const char *wanted = getenv("WIDEROW_NO_MEMORY");
    if (wanted && atol(wanted) > 0)
        every = atol(wanted);
    rig.mem_blocks_apart = true;
    step_take = take_some;
}
