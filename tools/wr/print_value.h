/*
 * print_value.h - one value as cqlsh shows it: bare at the top, quoted inside a collection.
 */
#ifndef WR_TOOLS_PRINT_VALUE_H
#define WR_TOOLS_PRINT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "widerow.h"

struct text { /* grows; data is to be freed; NULL while empty */
    char *data;
    size_t len, room;
};

/* The years that Python knows, 1 to 9999. */
#define TIMESTAMP_FIRST_MS INT64_C(-62135596800000)
#define TIMESTAMP_LAST_MS INT64_C(253402300799999)

enum value_colour { COLOUR_NONE, COLOUR_NAME, COLOUR_TEXT, COLOUR_NUMBER, COLOUR_NULL, COLOUR_OTHER };

void *or_exit(void *memory); /* as it is; NULL: there is none, which ends the program */

void text_put(struct text *t, const char *bytes, size_t len);
void text_put_str(struct text *t, const char *s);
void text_put_escaped(struct text *t, const char *bytes, size_t len); /* control characters as \n, \x1b; C0 80 is a NUL */
int text_width(const char *text);                                     /* in places of a terminal */
void text_put_formatted(struct text *t, wr_value value, enum wr_format format);
void text_put_timestamp(struct text *t, int64_t ms, int digits); /* of a second; beyond the years that Python knows it is the number */
enum value_colour text_put_value(struct text *t, wr_value value, bool inside);

#endif
