#include "csv.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Room for one more. */
static void *more(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room * 2 + 16;
    return or_exit(realloc(array, *room * size));
}

static int next_byte(struct csv_reader *reader)
{
    int c = getc(reader->file);
    if (c == '\r') {
        c = getc(reader->file);
        if (c != '\n' && c != EOF)
            ungetc(c, reader->file);
        c = '\n';
    }
    reader->line += c == '\n';
    return c;
}

/* Within quotes, where a line end is a part of the value. */
static int inner_byte(struct csv_reader *reader)
{
    int c = getc(reader->file);
    reader->line += c == '\n';
    return c;
}

/* Behind an escape: a line end of two bytes is one, as elsewhere, and one byte is itself. */
static int escaped_byte(struct csv_reader *reader)
{
    int c = getc(reader->file);
    if (c == '\r' && (c = getc(reader->file)) != '\n') {
        if (c != EOF)
            ungetc(c, reader->file);
        return '\r';
    }
    reader->line += c == '\n';
    return c;
}

static void put(struct csv_records *out, int c)
{
    char byte = (char)c;
    text_put(&out->text, &byte, 1);
}

/* To the byte that ends it, which is returned. */
static int read_field(struct csv_reader *reader, struct csv_records *out, int c)
{
    const struct csv *csv = &reader->csv;
    struct csv_field field = { .at = out->text.len };
    bool inside = false; /* of quotes */
    for (; c != EOF && (inside || (c != csv->delimiter && c != '\n')); c = inside ? inner_byte(reader) : next_byte(reader)) {
        bool begins = !field.quoted && out->text.len == field.at;
        if (csv->quote && c == csv->quote && (inside || begins)) {
            int next = inside ? next_byte(reader) : 0;
            field.quoted = true;
            if (inside && next != csv->quote) {
                inside = false;
                c = next;
                if (c == EOF || c == csv->delimiter || c == '\n')
                    break;
            } else if (!inside) {
                inside = true;
                continue;
            }
        } else if (csv->escape && c == csv->escape && csv->escape != csv->quote && (c = escaped_byte(reader)) == EOF) {
            break;
        }
        put(out, c);
    }
    field.len = out->text.len - field.at;
    out->fields = more(out->fields, out->field_count, &out->field_room, sizeof *out->fields);
    out->fields[out->field_count++] = field;
    return c;
}

/* It is the last of them then, and nobody's. */
static bool is_dot(struct csv_records *out, const struct csv_record *record)
{
    const struct csv_field *field = &out->fields[record->first];
    if (record->count != 1 || field->quoted || field->len != 1 || out->text.data[field->at] != '.')
        return false;
    out->field_count = record->first;
    out->text.len = field->at;
    return true;
}

bool csv_read(struct csv_reader *reader, struct csv_records *out)
{
    struct csv_record record = { .first = out->field_count };
    int c;
    do {
        record.line = reader->line;
        c = next_byte(reader);
    } while (c == '\n');
    if (c == EOF)
        return false;
    for (c = read_field(reader, out, c); c == reader->csv.delimiter;)
        c = read_field(reader, out, next_byte(reader));
    record.count = out->field_count - record.first;
    if (reader->ends_at_dot && is_dot(out, &record))
        return false;
    out->records = more(out->records, out->count, &out->room, sizeof *out->records);
    out->records[out->count++] = record;
    return true;
}

void csv_clear(struct csv_records *records)
{
    records->text.len = records->field_count = records->count = 0;
}

void csv_release(struct csv_records *records)
{
    free(records->text.data);
    free(records->fields);
    free(records->records);
    *records = (struct csv_records){ 0 };
}

/* ---- writing ---- */

/* Whether it means something outside of quotes. */
static bool is_mark(struct csv csv, char c)
{
    return c == csv.delimiter || c == '\n' || c == '\r';
}

void csv_write(FILE *file, struct csv csv, const char *text, size_t len, bool quoted)
{
    for (size_t i = 0; i < len && !quoted; i++)
        quoted = is_mark(csv, text[i]) || text[i] == csv.quote;
    quoted = quoted && csv.quote;
    if (quoted)
        putc(csv.quote, file);
    for (size_t i = 0; i < len; i++) {
        if (csv.escape && (text[i] == csv.escape || (csv.quote ? text[i] == csv.quote : is_mark(csv, text[i]))))
            putc(csv.escape, file);
        putc(text[i], file);
    }
    if (quoted)
        putc(csv.quote, file);
}

void csv_end(FILE *file)
{
    fputs("\r\n", file);
}
