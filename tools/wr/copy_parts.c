/* Values that have parts, between files and CQL. In what cqlsh writes, dates and times within them have no quotes, nor have names of fields (those that are
 * none in Python are numbered: field_1_), and a null is the word for it, in a tuple None. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"

struct span {
    const char *at;
    size_t len;
};

static struct span trimmed(struct span s)
{
    while (s.len && *s.at == ' ')
        s = (struct span){ s.at + 1, s.len - 1 };
    while (s.len && s.at[s.len - 1] == ' ')
        s.len--;
    return s;
}

static bool is_word(struct span s, const char *word)
{
    return s.len == strlen(word) && memcmp(s.at, word, s.len) == 0;
}

/* How far it is to that character, outside of brackets and quotes; the length where there is none. */
static size_t until(struct span s, char stop, bool before_space)
{
    int level = 0;
    char quote = 0;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.at[i];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (level == 0 && c == stop && (!before_space || (i + 1 < s.len && s.at[i + 1] == ' ')))
            return i;
        else
            level += (strchr("{[(", c) != NULL) - (strchr("}])", c) != NULL);
    }
    return s.len;
}

/* Takes off what stands before the colon. A time has colons, too, without a space behind them. */
static struct span take_key(struct span *entry)
{
    size_t len = until(*entry, ':', true);
    if (len == entry->len)
        len = until(*entry, ':', false);
    struct span key = { entry->at, len };
    const size_t past = len < entry->len ? len + 1 : len;
    *entry = (struct span){ entry->at + past, entry->len - past };
    return key;
}

static bool wants_quotes(const struct wr_type_info *type, struct span value)
{
    enum { IN_DOLLARS = '$' };
    switch (wr_type_kind(type)) {
    case WR_TYPE_TEXT:
    case WR_TYPE_ASCII:
    case WR_TYPE_DATE:
    case WR_TYPE_TIME:
    case WR_TYPE_TIMESTAMP:
    case WR_TYPE_INET: return !value.len || (*value.at != IN_DOLLARS && !memchr(value.at, '\'', value.len));
    default: return false;
    }
}

/* Where a null may stand. */
static bool is_null(const struct copy *copy, struct span value)
{
    value = trimmed(value);
    return is_word(value, copy->null) || is_word(value, "None") || is_word(value, "null");
}

/* ---- */

static void put_value(struct text *cql, const struct copy *copy, const struct wr_type_info *type, struct span value);

static void put_value_or_null(struct text *cql, const struct copy *copy, const struct wr_type_info *type, struct span value)
{
    if (is_null(copy, value))
        text_put_str(cql, "null");
    else
        put_value(cql, copy, type, value);
}

static void put_entry(struct text *cql, const struct copy *copy, const struct wr_type_info *map, struct span entry)
{
    put_value(cql, copy, wr_type_part(map, 0), take_key(&entry));
    text_put_str(cql, ": ");
    put_value(cql, copy, wr_type_part(map, 1), entry);
}

static struct span unquoted(struct span name)
{
    return name.len >= 2 && *name.at == '"' ? (struct span){ name.at + 1, name.len - 2 } : name;
}

/* The number of the field; past all of them: none has that name. */
static uint32_t find_field(const struct wr_type_info *udt, struct span name)
{
    const uint32_t count = wr_type_part_count(udt);
    for (uint32_t i = 0; i < count; i++) {
        char numbered[32];
        size_t len;
        const char *field = wr_type_field_name(udt, i, &len);
        snprintf(numbered, sizeof numbered, "field_%u_", i);
        if ((name.len == len && memcmp(name.at, field, len) == 0) || is_word(name, numbered))
            return i;
    }
    return count;
}

static void put_field(struct text *cql, const struct copy *copy, const struct wr_type_info *udt, struct span entry)
{
    const struct span name = trimmed(take_key(&entry));
    const uint32_t number = find_field(udt, unquoted(name));
    size_t len;
    const char *field = wr_type_field_name(udt, number, &len);
    if (field)
        copy_put_name(cql, field, len);
    else
        text_put(cql, name.at, name.len);
    text_put_str(cql, ": ");
    put_value_or_null(cql, copy, wr_type_part(udt, number), entry);
}

static void put_part(struct text *cql, const struct copy *copy, const struct wr_type_info *type, uint32_t number, struct span part)
{
    switch (wr_type_kind(type)) {
    case WR_TYPE_MAP: put_entry(cql, copy, type, part); break;
    case WR_TYPE_UDT: put_field(cql, copy, type, part); break;
    case WR_TYPE_TUPLE: put_value_or_null(cql, copy, wr_type_part(type, number), part); break;
    default: put_value(cql, copy, wr_type_part(type, 0), part); break;
    }
}

static void put_parts(struct text *cql, const struct copy *copy, const struct wr_type_info *type, struct span value)
{
    struct span rest = { value.at + 1, value.len - 2 };
    bool more = trimmed(rest).len || wr_type_kind(type) == WR_TYPE_TUPLE;
    text_put(cql, value.at, 1);
    for (uint32_t i = 0; more; i++) {
        const size_t len = until(rest, ',', false);
        put_part(cql, copy, type, i, (struct span){ rest.at, len });
        more = len < rest.len;
        if (more) {
            text_put_str(cql, ", ");
            rest = (struct span){ rest.at + len + 1, rest.len - len - 1 };
        }
    }
    text_put(cql, value.at + value.len - 1, 1);
}

static bool is_in_brackets(struct span s)
{
    return s.len >= 2 && strchr("{[(", *s.at) && strchr("}])", s.at[s.len - 1]);
}

/* In the style that was asked for a time may stand in quotes, as a text does. */
static void put_single(struct text *cql, const struct copy *copy, const struct wr_type_info *type, struct span value)
{
    struct text read = { 0 };
    struct span bare = value;
    if (wr_type_kind(type) == WR_TYPE_TIMESTAMP && value.len >= 2 && *value.at == '\'' && value.at[value.len - 1] == '\'')
        bare = (struct span){ value.at + 1, value.len - 2 };
    copy_read_single(&read, copy, wr_type_kind(type), &bare.at, &bare.len);
    if (read.len)
        text_put(cql, read.data, read.len);
    else if (wants_quotes(type, value))
        copy_put_string(cql, value.at, value.len);
    else
        text_put(cql, value.at, value.len);
    free(read.data);
}

static void put_value(struct text *cql, const struct copy *copy, const struct wr_type_info *type, struct span value)
{
    value = trimmed(value);
    if (!type)
        text_put(cql, value.at, value.len);
    else if (wr_type_part_count(type) && is_in_brackets(value))
        put_parts(cql, copy, type, value);
    else
        put_single(cql, copy, type, value);
}

void copy_put_literal(struct text *cql, const struct copy *copy, const struct wr_type_info *type, const char *text, size_t len)
{
    put_value(cql, copy, type, (struct span){ text, len });
}

/* ---- and back ---- */

static bool is_identifier(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!(isalpha((unsigned char)name[i]) || name[i] == '_' || (i && isdigit((unsigned char)name[i]))))
            return false;
    return len > 0;
}

static void write_name(struct text *t, const char *name, size_t len)
{
    if (is_identifier(name, len)) /* cqlsh takes quotes for a part of it, whatever CQL has this word for */
        text_put(t, name, len);
    else
        copy_put_name(t, name, len);
}

static void write_part(struct text *t, const struct copy *copy, wr_value part)
{
    if (wr_value_is_null(part))
        text_put_str(t, copy->null);
    else if (wr_type_part_count(part.type))
        copy_write_parts(t, copy, part);
    else
        copy_write_single(t, copy, part, true);
}

void copy_write_parts(struct text *t, const struct copy *copy, wr_value v)
{
    const enum wr_type type = wr_value_type(v);
    const char *const brackets = type == WR_TYPE_TUPLE ? "()" : type == WR_TYPE_LIST || type == WR_TYPE_VECTOR ? "[]" : "{}";
    struct wr_elements e = wr_elements_of(v);
    wr_value part;
    text_put(t, brackets, 1);
    for (uint32_t i = 0; wr_elements_next(&e, &part); i++) {
        size_t len;
        const char *field = wr_value_field_name(v, i, &len);
        text_put_str(t, !i ? "" : type == WR_TYPE_MAP && i % 2 ? ": " : ", ");
        if (field) {
            write_name(t, field, len);
            text_put_str(t, ": ");
        }
        write_part(t, copy, part);
    }
    text_put(t, brackets + 1, 1);
}
