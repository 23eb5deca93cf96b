/*
 * syntax_after.h - what becomes of a text behind the first token that is wrong.
 *
 * Cassandra's parser goes on there: a rule that fails gives null and takes no more tokens, and the one that asked for it continues. What is told
 * in the end is the first error, unless Java code within a later rule stumbles over such a null, or a rule that was gone through, before or
 * behind the error, refuses what it read at once: then that is told.
 */
#ifndef WR_MODEL_SYNTAX_AFTER_H
#define WR_MODEL_SYNTAX_AFTER_H

#include "model/syntax_walk.h"

/* What is told instead of the first error; NULL: nothing. The walk stays as it is. */
const char *syntax_after(const struct walk *walk);

#endif
