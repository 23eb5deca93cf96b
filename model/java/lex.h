/*
 * lex.h - a body's text to Java's tokens.
 */
#ifndef WR_MODEL_JAVA_LEX_H
#define WR_MODEL_JAVA_LEX_H

#include "engine/buf.h"

enum java_token_kind { JT_END, JT_NAME, JT_KEYWORD, JT_INT, JT_LONG, JT_FLOAT, JT_DOUBLE, JT_CHAR, JT_STRING, JT_SIGN };

struct java_token {
    enum java_token_kind kind;
    struct slice text; /* as written */
    uint32_t line;     /* the first is 1 */
    bool glued;        /* nothing stands between it and the token before */
    int64_t integer;   /* JT_CHAR; JT_INT, JT_LONG: the bits */
    bool least;        /* the integer is one more than the greatest: for a minus in front */
    double real;
    struct slice string; /* JT_STRING: its UTF-16 units, as they lie in memory */
};

/* *out: all tokens, JT_END last. *text becomes what they point into: it has no \u0041 any more. WR_INVALID with the
 * compiler's text. */
enum wr_status java_lex(struct ctx *ctx, struct slice *text, struct java_token **out);

#endif
