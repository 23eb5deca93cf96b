/*
 * run.h - a statement of a recorded script, for who runs it in another way than once (no_memory.c).
 */
#ifndef TESTS_CONFORMANCE_RUN_H
#define TESTS_CONFORMANCE_RUN_H

#include "widerow.h"

struct text {
    char *data;
    size_t len, room;
};

struct step {
    const char *text; /* from its comments to behind its semicolon */
    size_t len;
    const char *expected;
    size_t expected_len;
};

/* The value of "-- name: value" in the comments before a statement; NULL: none. */
char *directive(const struct step *s, const char *name);
/* What is sent: without comments in front and without the semicolon, as record does it. There may be NULs in it. */
char *statement_text(const struct step *s, ptrdiff_t *len);

/* Runs it once, and puts the answer behind what is in out. */
void step_run(wr_db *db, const struct step *s, struct text *out);
/* Whether that is the recorded answer. */
bool step_same(const struct step *s, const struct text *out);

/* Called behind a statement's run, before it is asked what it has done; NULL: nothing is. */
extern void (*step_ended)(void);
/* What takes a statement's answer: step_run, or what a room that is linked has put in its place. */
extern void (*step_take)(wr_db *db, const struct step *s, struct text *out);

#endif
