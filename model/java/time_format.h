/*
 * time_format.h - java.time.format.DateTimeFormatter: a pattern as a list of elements, which print a point in time or read one.
 *
 * time_pattern.c makes the list, time_print.c prints by it, time_read.c reads, time_resolve.c makes days and times of the fields that were read,
 * time_formatter.c has the methods. An optional part is the elements between one that opens it and one that closes it; no list is walked by recursion.
 */
#ifndef WR_MODEL_JAVA_TIME_FORMAT_H
#define WR_MODEL_JAVA_TIME_FORMAT_H

#include "model/java/temporal.h"

enum time_op {
    TIME_LITERAL,
    TIME_NUMBER,
    TIME_REDUCED,  /* the last two digits of a year from 2000 on */
    TIME_FRACTION, /* of a second */
    TIME_TEXT,
    TIME_OFFSET,
    TIME_LOCALIZED, /* GMT+1 */
    TIME_ZONE,      /* any that has a name; with `region` no mere offset */
    TIME_OPEN,
    TIME_CLOSE,
    TIME_ANY_CASE, /* these two from here on */
    TIME_LENIENT,
};

enum time_sign { SIGN_NORMAL, SIGN_NOT_NEGATIVE, SIGN_EXCEEDS_PAD };
enum time_style { STYLE_FULL, STYLE_SHORT, STYLE_NARROW };

struct time_element {
    enum time_op op;
    enum chrono_field field;
    uint32_t least, most; /* characters of a number; most of an offset: which of its forms */
    uint32_t behind;      /* digits of the numbers that follow without anything between */
    bool fixed;           /* a number of so many digits, no matter what may be lenient */
    bool point;           /* before a fraction */
    bool on, region;      /* of TIME_ANY_CASE and TIME_LENIENT: from here on, or no more */
    enum time_sign sign;
    enum time_style style;
    bool standalone;
    uint32_t pad;                /* blanks up to so many characters; 0: none */
    const uint16_t *units;       /* a literal; what an offset is where there is none */
    uint32_t len;
    uint32_t end;                /* of TIME_OPEN: its TIME_CLOSE */
};

struct time_format {
    struct time_element *elements;
    uint32_t count, depth; /* of optional parts in one another */
    const char *shown;     /* toString of the formatters that Java has; NULL: by the elements */
    bool instant;          /* ISO_INSTANT */
    bool strict;           /* ResolverStyle.STRICT, else SMART */
    int64_t locale;
    struct java_object *zone; /* NULL: that of what is printed */
};

enum { TIME_TEXT_MOST = 24, TIME_DIGITS_MOST = 19 };

extern const char *const time_offset_forms[];

/* internal: the control characters of time_formatter.c's own patterns stand for what no letter does. Throws. */
bool time_format_compile(struct java_run *run, const struct java_object *pattern, bool internal, struct time_format **out);
bool time_format_show(struct java_run *run, const struct time_format *format, struct buf *text);
bool time_format_print(struct java_run *run, const struct time_format *format, struct java_object *o, struct java_object **out);
/* Rethrows what is thrown as a DateTimeParseException of the text. */
bool time_format_refuse(struct java_run *run, struct java_object *text);
bool time_format_read(struct java_run *run, const struct time_format *format, struct java_object *text, struct java_object **out);

/* The name of a field's value; how long it is, 0: it has none. */
size_t chrono_text(enum chrono_field field, int64_t value, enum time_style style, int64_t locale, char out[static TIME_TEXT_MOST]);

/* Fields as they were read, until they are days and times; what stays is asked by field. */
struct chrono_fields {
    uint64_t own, has; /* which of the values are there; which fields are, these or of the day and the time */
    int64_t values[CHRONO_FIELD_COUNT];
};
struct time_reading {
    struct chrono_fields fields;
    struct java_object *zone;
};
bool time_format_resolve(struct java_run *run, const struct time_format *format, const struct time_reading *reading, struct java_object **out);

#endif
