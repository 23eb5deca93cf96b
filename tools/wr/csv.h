/*
 * csv.h - rows as comma-separated values, read and written as Python's csv does for cqlsh's COPY, with three things more: a quote within quotes may be
 * doubled whatever the escape, line ends within quotes are kept as they are, and it is told which fields stood in quotes.
 */
#ifndef WR_TOOLS_CSV_H
#define WR_TOOLS_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "print_value.h"

struct csv {
    char delimiter, quote, escape; /* escape: the same as quote where that is doubled. Quote and escape may be 0: there is none */
};

struct csv_field {
    size_t at, len; /* in the text of its records */
    bool quoted;
};

struct csv_record {
    size_t first, count; /* of its fields */
    unsigned long line;  /* of the file, from 1 on */
};

struct csv_records {
    struct text text; /* of all fields */
    struct csv_field *fields;
    struct csv_record *records;
    size_t field_count, field_room, count, room;
};

struct csv_reader {
    FILE *file;
    struct csv csv;
    unsigned long line; /* of what comes next; to begin with 1 */
    bool ends_at_dot;   /* a line of nothing but a dot is the end */
};

/* Puts the next record behind those that are there, empty lines left out; false: there is none. */
bool csv_read(struct csv_reader *reader, struct csv_records *out);
void csv_clear(struct csv_records *records);
void csv_release(struct csv_records *records);

/* One field, in quotes where that is asked for or needed. */
void csv_write(FILE *file, struct csv csv, const char *text, size_t len, bool quoted);
void csv_end(FILE *file); /* of a record */

#endif
