/*
 * ahead.h - tokens as the grammar takes them. It sees one token; what some mean is told by more: by those around them, and Cassandra's own
 * parser looks as far as it must.
 */
#ifndef WR_MODEL_AHEAD_H
#define WR_MODEL_AHEAD_H

#include "model/lex.h"

enum {
    AHEAD_PAIR = LEX_ERROR + 1, /* a kind besides the lexer's: a colon that parts a pair and begins no marker */
    AHEAD_BEFORE = 5,
};

struct ahead {
    struct lexer lexer;
    uint16_t before[AHEAD_BEFORE]; /* the lexer's kinds, the last one first */
};

void ahead_init(struct ahead *ahead, struct slice text); /* borrowed */
struct token ahead_next(struct ahead *ahead); /* as lex_next */

#endif
