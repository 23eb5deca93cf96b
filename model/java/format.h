/*
 * format.h - what the rooms of String.format share: format.c reads formats and prints texts and whole numbers,
 * format_real.c other numbers, format_time.c times.
 */
#ifndef WR_MODEL_JAVA_FORMAT_H
#define WR_MODEL_JAVA_FORMAT_H

#include "model/java/lib.h"

enum {
    FORMAT_LEFT = 1, /* in the order in which messages have them */
    FORMAT_ALTERNATE = 2,
    FORMAT_PLUS = 4,
    FORMAT_SPACE = 8,
    FORMAT_ZERO = 16,
    FORMAT_GROUP = 32,
    FORMAT_PARENTHESES = 64,
    FORMAT_PREVIOUS = 128,
    FORMAT_SIZE_MAX = 1 << 24, /* of a width or a precision: more is more than a call's memory */
};

struct conversion {
    unsigned flags;
    bool upper, time;
    int32_t index;            /* of the argument, from 1; 0: the next, -1: the one before, -2: none */
    int32_t width, precision; /* -1: none */
    char kind;                /* in lower case, but for a time's */
};

/* Throws that the argument is of no class for it. */
bool format_bad_class(struct java_run *run, const struct conversion *c, const struct java_object *o);

/* Padded to the width. */
void format_put_padded(struct buf *out, const struct conversion *c, const struct buf *utf16);
void format_put_sign(struct buf *text, const struct conversion *c, bool negative);
void format_put_end_sign(struct buf *text, const struct conversion *c, bool negative);
/* Digits, perhaps with a point, in groups and with zeroes in front; room: what else is to stand in the width. */
void format_put_magnitude(struct buf *text, const struct conversion *c, const char *digits, bool negative, int room);

bool format_put_real(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o);
bool format_put_time(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o);
bool format_is_time(char kind);

#endif
