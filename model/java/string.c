/* String: its methods. */
#include <math.h>
#include <stdio.h>

#include "model/java/lib.h"
#include "model/unicode.h"

/* ---- String: looking ---- */

JAVA_CALL(string_length)
{
    JAVA_UNUSED;
    out->i = self->o->string.len;
    return true;
}

enum { EMPTY, BLANK };

JAVA_CALL(string_empty)
{
    uint32_t i = 0;
    JAVA_UNUSED;
    while (method->variant == BLANK && java_spend(run, 1) && i < self->o->string.len &&
           java_is_space(self->o->string.units[i], true))
        i++;
    out->i = i == self->o->string.len;
    return true;
}

JAVA_CALL(string_char_at)
{
    int64_t i = args[0].i;
    JAVA_UNUSED;
    if (i < 0 || i >= self->o->string.len)
        return self->o->kind == J_STRING
                   ? java_throw(run, J_STRING_INDEX, "String index out of range: %d", (int)i)
                   : java_throw(run, J_STRING_INDEX, "index %d, length %u", (int)i, self->o->string.len);
    out->i = self->o->string.units[i];
    return true;
}

/* Whether the two units from i on are one character. */
static bool is_pair(const struct java_object *s, int64_t i)
{
    return i >= 0 && i + 1 < s->string.len && (s->string.units[i] & 0xfc00) == 0xd800 && (s->string.units[i + 1] & 0xfc00) == 0xdc00;
}

static int64_t code_point(const struct java_object *s, int64_t i)
{
    const uint16_t *units = s->string.units + i;
    return is_pair(s, i) ? 0x10000 + ((int64_t)(units[0] & 0x3ff) << 10) + (units[1] & 0x3ff) : units[0];
}

JAVA_CALL(string_code_point)
{
    JAVA_UNUSED;
    if (args[0].i < 0 || args[0].i >= self->o->string.len)
        return java_throw(run, J_STRING_INDEX, "index %d, length %u", (int)args[0].i, self->o->string.len);
    out->i = code_point(self->o, args[0].i);
    return true;
}

JAVA_CALL(string_code_point_before)
{
    int64_t i = args[0].i;
    JAVA_UNUSED;
    if (i < 1 || i > self->o->string.len)
        return java_throw(run, J_STRING_INDEX, "String index out of range: %d", (int)i);
    out->i = code_point(self->o, is_pair(self->o, i - 2) ? i - 2 : i - 1);
    return true;
}

/* The place so many characters from another one. */
JAVA_CALL(string_code_point_offset)
{
    int64_t i = args[0].i, n = args[1].i;
    JAVA_UNUSED;
    if (i < 0 || i > self->o->string.len)
        return java_throw(run, J_INDEX, NULL);
    for (; n > 0 && i < self->o->string.len && java_spend(run, 1); n--)
        i += is_pair(self->o, i) ? 2 : 1;
    for (; n < 0 && i > 0 && java_spend(run, 1); n++)
        i -= is_pair(self->o, i - 2) ? 2 : 1;
    out->i = i;
    return !n || java_throw(run, J_INDEX, NULL);
}

/* The place of part in s from `from` on, or before it; -1: none. */
static int64_t find(struct java_run *run, const struct java_object *s, const uint16_t *part, uint32_t len, int64_t from,
                    bool last)
{
    int64_t most = (int64_t)s->string.len - len;
    uint64_t each = 1 + len / JAVA_COMPARED_AT_ONCE;
    if (last) {
        for (int64_t i = from < most ? from : most; i >= 0 && java_spend(run, each); i--)
            if (!len || memcmp(s->string.units + i, part, len * sizeof *part) == 0)
                return i;
        return -1;
    }
    for (int64_t i = from < 0 ? 0 : from; i <= most && java_spend(run, each); i++)
        if (!len || memcmp(s->string.units + i, part, len * sizeof *part) == 0)
            return i;
    return !len && from > most ? (int64_t)s->string.len : -1;
}

/* What the library says of a null that is looked for. */
static const struct {
    const char *what, *argument;
} nulls[] = { [JAVA_FIND_FIRST] = { "invoke \"String.coder()\"", "str" },
              [JAVA_FIND_LAST] = { "read field \"value\"", "tgtStr" },
              [JAVA_FIND_ANY] = { "invoke \"java.lang.CharSequence.toString()\"", "s" },
              [JAVA_FIND_START] = { "invoke \"String.length()\"", "prefix" },
              [JAVA_FIND_END] = { "invoke \"String.length()\"", "suffix" } };

JAVA_CALL_PUBLIC(java_string_find)
{
    const struct java_object *s = self->o;
    bool is_char = method->args[0] != J_STRING && method->args[0] != J_CHAR_SEQUENCE;
    uint16_t c = (uint16_t)args[0].i;
    bool has_from = method->args[1];
    JAVA_UNUSED;

    bool looks_on = method->variant == JAVA_FIND_FIRST && (has_from || method->of != J_STRING);
    int which = looks_on ? JAVA_FIND_LAST : method->variant;
    if (!is_char && !java_check_read(run, args[0].o, nulls[which].what, nulls[which].argument))
        return false;
    const uint16_t *part = is_char ? &c : args[0].o->string.units;
    uint32_t len = is_char ? 1 : args[0].o->string.len;
    if (!java_spend(run, len / JAVA_COMPARED_AT_ONCE))
        return false;
    switch (method->variant) {
    case JAVA_FIND_FIRST:
        out->i = find(run, s, part, len, has_from ? args[1].i : 0, false);
        break;
    case JAVA_FIND_LAST:
        out->i = find(run, s, part, len, has_from ? args[1].i : s->string.len, true);
        break;
    case JAVA_FIND_ANY:
        out->i = find(run, s, part, len, 0, false) >= 0;
        break;
    case JAVA_FIND_START:
        out->i = len <= s->string.len && (!len || memcmp(s->string.units, part, len * sizeof *part) == 0);
        break;
    default:
        out->i = len <= s->string.len &&
                 (!len || memcmp(s->string.units + s->string.len - len, part, len * sizeof *part) == 0);
        break;
    }
    return true;
}

/* Of letters that have one unit in both cases, which Character.toLowerCase(toUpperCase(c)) knows, too. */
static uint16_t folded(uint16_t c)
{
    return (uint16_t)unicode_char_lower(unicode_char_upper(c));
}

JAVA_CALL(string_equals_fold)
{
    const struct java_object *a = self->o, *b = args[0].o;
    JAVA_UNUSED;
    out->i = b && a->string.len == b->string.len && java_spend(run, a->string.len);
    for (uint32_t i = 0; out->i && i < a->string.len; i++)
        out->i = folded(a->string.units[i]) == folded(b->string.units[i]);
    return true;
}

bool java_compare_letters(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    if (!java_check_read(run, a, "read field \"value\"", "s1") || !java_check_read(run, b, "read field \"value\"", "s2"))
        return false;
    uint32_t n = a->string.len < b->string.len ? a->string.len : b->string.len;
    if (!java_spend(run, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (folded(a->string.units[i]) != folded(b->string.units[i])) {
            *out = folded(a->string.units[i]) - folded(b->string.units[i]);
            return true;
        }
    *out = (int)(a->string.len - b->string.len);
    return true;
}

JAVA_CALL(string_compare_fold)
{
    int c;
    JAVA_UNUSED;
    if (!java_compare_letters(run, self->o, args[0].o, &c))
        return false;
    out->i = c;
    return true;
}

/* Whether a part of it is a part of another; with or without case. */
JAVA_CALL(string_region)
{
    unsigned first = method->args[0] == J_BOOLEAN;
    const struct java_object *a = self->o, *b = args[first + 1].o;
    bool fold = first && args[0].i;
    int64_t at = args[first].i, other = args[first + 2].i, len = args[first + 3].i;
    JAVA_UNUSED;
    if (!java_check_read(run, b, fold ? JAVA_READ_TEXT : "read field \"value\"", "other"))
        return false;
    if (len > 0 && !java_spend(run, (uint64_t)len / JAVA_COMPARED_AT_ONCE))
        return false;
    out->i = at >= 0 && other >= 0 && at <= (int64_t)a->string.len - len && other <= (int64_t)b->string.len - len;
    for (int64_t i = 0; i < len && out->i; i++) {
        uint16_t x = a->string.units[at + i], y = b->string.units[other + i];
        out->i = fold ? folded(x) == folded(y) : x == y;
    }
    return true;
}

JAVA_CALL(string_starts_at)
{
    const struct java_object *a = self->o, *b = args[0].o;
    int64_t at = args[1].i;
    JAVA_UNUSED;
    if (!java_check_read(run, b, "read field \"value\"", "prefix") || !java_spend(run, b->string.len / JAVA_COMPARED_AT_ONCE))
        return false;
    out->i = at >= 0 && at + b->string.len <= a->string.len &&
             (!b->string.len || memcmp(a->string.units + at, b->string.units, b->string.len * sizeof(uint16_t)) == 0);
    return true;
}

JAVA_CALL(string_content)
{
    const struct java_object *a = self->o, *b = args[0].o;
    JAVA_UNUSED;
    if (!b)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.lang.CharSequence.length()\" because \"cs\" is null");
    if (!java_spend(run, a->string.len / JAVA_COMPARED_AT_ONCE))
        return false;
    out->i = a->string.len == b->string.len && (!a->string.len || memcmp(a->string.units, b->string.units, a->string.len * sizeof(uint16_t)) == 0);
    return true;
}

JAVA_CALL(string_count_points)
{
    int64_t from = args[0].i, to = args[1].i;
    JAVA_UNUSED;
    if (from < 0 || from > to || to > self->o->string.len)
        return java_throw(run, J_INDEX, NULL);
    out->i = to - from;
    for (int64_t i = from; i + 1 < to; i++)
        out->i -= is_pair(self->o, i);
    return java_spend(run, (uint64_t)(to - from) / JAVA_COMPARED_AT_ONCE);
}

/* ---- String: making others ---- */

/* The one text of its kind: the same as what is written so. */
JAVA_CALL(string_intern)
{
    JAVA_UNUSED;
    if (!java_string(run, self->o->string.units, self->o->string.len, &out->o))
        return false;
    out->o->string.constant = true;
    return true;
}

/* What comes out of a text: the text itself where nothing has changed. */
static bool is_unchanged(const struct java_object *self, const uint16_t *units, size_t len)
{
    return self->kind == J_STRING && len == self->string.len &&
           (!len || memcmp(units, self->string.units, len * sizeof *units) == 0);
}

static bool give_made(struct java_run *run, struct java_object *self, const uint16_t *units, size_t len,
                      union java_value *out)
{
    out->o = self;
    return is_unchanged(self, units, len) || java_string(run, units, len, &out->o);
}

static bool give_made_text(struct java_run *run, struct java_object *self, const struct buf *text,
                           union java_value *out)
{
    out->o = self;
    return (!text->failed &&
            is_unchanged(self, (const uint16_t *)(const void *)text->data, text->len / sizeof(uint16_t))) ||
           java_string_of_units(run, text, &out->o);
}

JAVA_CALL_PUBLIC(java_substring)
{
    int64_t from = args[0].i, to = method->args[1] ? args[1].i : self->o->string.len;
    JAVA_UNUSED;
    if (from < 0 || to > self->o->string.len || from > to)
        return self->o->kind == J_STRING ? java_throw(run, J_STRING_INDEX, "begin %d, end %d, length %u", (int)from,
                                                      (int)to, self->o->string.len)
                                         : java_throw(run, J_STRING_INDEX, "start %d, end %d, length %u", (int)from,
                                                      (int)to, self->o->string.len);
    return give_made(run, self->o, self->o->string.units + from, (size_t)(to - from), out);
}

enum { TRIM_OLD, TRIM_BOTH, TRIM_FRONT, TRIM_BACK };

JAVA_CALL(string_trim)
{
    uint32_t from = 0, to = self->o->string.len;
    bool unicode = method->variant != TRIM_OLD;
    JAVA_UNUSED;
    if (!java_spend(run, to))
        return false;
    while (method->variant != TRIM_BACK && from < to && java_is_space(self->o->string.units[from], unicode))
        from++;
    while (method->variant != TRIM_FRONT && to > from && java_is_space(self->o->string.units[to - 1], unicode))
        to--;
    return give_made(run, self->o, self->o->string.units + from, to - from, out);
}

enum { CASE_LOWER, CASE_UPPER };

JAVA_CALL(string_case)
{
    struct slice text;
    JAVA_UNUSED;
    if (method->args[0] && !java_check_argument(run, args[0].o))
        return false;
    return java_utf8(run, self->o, &text) &&
           java_ok(run, method->variant == CASE_UPPER ? unicode_upper(run->ctx, text, &text)
                                                      : unicode_lower(run->ctx, text, &text)) &&
           java_string_of_utf8(run, text, &out->o) &&
           give_made(run, self->o, out->o->string.units, out->o->string.len, out);
}

JAVA_CALL(string_concat)
{
    struct buf text;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.isEmpty()\" because \"str\" is null");
    buf_init(&text, run->ctx->arena);
    buf_put(&text, self->o->string.units, self->o->string.len * sizeof(uint16_t));
    return java_print(run, &text, args[0].o) && give_made_text(run, self->o, &text, out);
}

JAVA_CALL(string_repeat)
{
    struct buf text;
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "count is negative: %d", (int)args[0].i);
    if ((uint64_t)args[0].i * self->o->string.len > (64 << 20) / sizeof(uint16_t))
        return java_out_of_memory(run);
    buf_init(&text, run->ctx->arena);
    for (int64_t i = 0; i < args[0].i && self->o->string.len; i++)
        buf_put(&text, self->o->string.units, self->o->string.len * sizeof(uint16_t));
    return give_made_text(run, self->o, &text, out);
}

JAVA_CALL(string_replace_char)
{
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    for (uint32_t i = 0; i < self->o->string.len; i++) {
        uint16_t c = self->o->string.units[i] == args[0].i ? (uint16_t)args[1].i : self->o->string.units[i];
        buf_put(&text, &c, sizeof c);
    }
    return java_spend(run, self->o->string.len / JAVA_COMPARED_AT_ONCE) && give_made_text(run, self->o, &text, out);
}

static bool null_sequence(struct java_run *run, const char *argument)
{
    return java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.lang.CharSequence.toString()\" because \"%s\" is null",
                      argument);
}

JAVA_CALL(string_replace)
{
    const struct java_object *s = self->o, *from = args[0].o, *to = args[1].o;
    struct buf text;
    uint32_t at = 0;
    JAVA_UNUSED;

    if (!from || !to)
        return null_sequence(run, from ? "replacement" : "target");
    buf_init(&text, run->ctx->arena);
    for (;;) {
        int64_t hit = at <= s->string.len ? find(run, s, from->string.units, from->string.len, at, false) : -1;
        uint32_t end = hit < 0 ? s->string.len : (uint32_t)hit;
        if (end > at)
            buf_put(&text, s->string.units + at, (end - at) * sizeof(uint16_t));
        if (hit < 0)
            break;
        buf_put(&text, to->string.units, to->string.len * sizeof(uint16_t));
        at = end + from->string.len;
        if (!from->string.len && at < s->string.len)
            buf_put(&text, s->string.units + at, sizeof(uint16_t));
        at += !from->string.len;
        if (!java_check_text(run, &text))
            return false;
    }
    return give_made_text(run, self->o, &text, out);
}

bool java_array_of_items(struct java_run *run, enum java_kind element, struct java_object *const *items, uint32_t count,
                         struct java_object **out)
{
    struct java_object *o = java_new(run, J_ARRAY);
    if (!o || !(o->array.items = java_alloc(run, (count + 1u) * sizeof *o->array.items)))
        return false;
    o->array.element = java_simple(element);
    o->array.count = count;
    for (uint32_t i = 0; i < count && items; i++)
        o->array.items[i].o = items[i];
    *out = o;
    return true;
}

JAVA_CALL(string_chars)
{
    JAVA_UNUSED;
    if (!java_array_of_items(run, J_CHAR, NULL, self->o->string.len, &out->o))
        return false;
    for (uint32_t i = 0; i < self->o->string.len; i++)
        out->o->array.items[i].i = self->o->string.units[i];
    return true;
}

JAVA_CALL(string_of)
{
    struct buf text;
    const struct java_type *type = java_simple((enum java_kind)method->args[0]);
    JAVA_UNUSED;
    if (type->kind == J_OBJECT && args[0].o && args[0].o->kind == J_STRING) {
        out->o = args[0].o;
        return true;
    }
    buf_init(&text, run->ctx->arena);
    if (java_is_primitive(type))
        java_print_primitive(&text, type, args[0]);
    else if (!java_print(run, &text, args[0].o))
        return false;
    return java_give_text(run, &text, out);
}

JAVA_CALL(string_of_chars)
{
    struct buf text;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot read the array length because \"value\" is null");
    int64_t from = method->args[1] ? args[1].i : 0, count = method->args[1] ? args[2].i : args[0].o->array.count;
    if (from < 0 || count < 0 || from + count > args[0].o->array.count)
        return java_throw(run, J_STRING_INDEX, "offset %d, count %d, length %u", (int)from, (int)count, args[0].o->array.count);
    buf_init(&text, run->ctx->arena);
    for (int64_t i = from; i < from + count; i++)
        java_print_primitive(&text, java_simple(J_CHAR), args[0].o->array.items[i]);
    return java_give_text(run, &text, out);
}

JAVA_CALL(string_of_bytes)
{
    struct slice text;
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, JAVA_READ_LENGTH, "bytes") && java_array_bytes(run, args[0].o, &text) && java_string_of_utf8(run, text, &out->o);
}

static bool check_original(struct java_run *run, const struct java_method *method, const struct java_object *of)
{
    if (method->args[0] == J_STRING_BUILDER)
        return java_check_read(run, of, "invoke \"java.lang.AbstractStringBuilder.getValue()\"", "asb");
    if (method->args[0] == J_STRING_BUFFER)
        return java_check_read(run, of, "invoke \"java.lang.StringBuffer.toString()\"", "buffer");
    return java_check_read(run, of, "read field \"value\"", "original");
}

JAVA_CALL(string_new)
{
    JAVA_UNUSED;
    if (method->args[0] && !check_original(run, method, args[0].o))
        return false;
    if (!java_string(run, method->args[0] ? args[0].o->string.units : NULL, method->args[0] ? args[0].o->string.len : 0,
                     &out->o))
        return false;
    out->o->string.constant = false;
    return true;
}

JAVA_CALL(string_join)
{
    struct java_object **items = NULL;
    struct buf text;
    uint32_t count;
    JAVA_UNUSED;

    if (method->args[1] == J_ITERABLE ? !java_check_argument(run, args[0].o) || !java_check_argument(run, args[1].o)
                                      : (!args[0].o && !null_sequence(run, "delimiter")) ||
                                            !java_check_read(run, args[1].o, JAVA_READ_LENGTH, "elements"))
        return false;
    buf_init(&text, run->ctx->arena);
    if (args[1].o->kind == J_ARRAY)
        count = args[1].o->array.count;
    else if (!java_items(run, args[1].o, &items, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            buf_put(&text, args[0].o->string.units, args[0].o->string.len * sizeof(uint16_t));
        if (!java_check_text(run, &text) || !java_print(run, &text, items ? items[i] : args[1].o->array.items[i].o))
            return false;
    }
    return java_give_text(run, &text, out);
}

/* ---- the table ---- */

const struct java_method java_string_methods[] = {
    { J_STRING, "<init>", J_STRING, { 0 }, 0, string_new, 0 },
    { J_STRING, "<init>", J_STRING, { J_STRING }, 0, string_new, 0 },
    { J_STRING, "<init>", J_STRING, { J_STRING_BUILDER }, 0, string_new, 0 },
    { J_STRING, "<init>", J_STRING, { J_STRING_BUFFER }, 0, string_new, 0 },
    { J_STRING, "<init>", J_STRING, { JX_CHARS }, 0, string_of_chars, 0 },
    { J_STRING, "<init>", J_STRING, { JX_CHARS, J_INT, J_INT }, 0, string_of_chars, 0 },
    { J_STRING, "<init>", J_STRING, { JX_BYTES }, 0, string_of_bytes, 0 },
    { J_STRING, "compareTo", J_INT, { J_STRING }, 0, java_compare_to, 0 },
    { J_STRING, "compareToIgnoreCase", J_INT, { J_STRING }, 0, string_compare_fold, 0 },
    { J_STRING, "equalsIgnoreCase", J_BOOLEAN, { J_STRING }, 0, string_equals_fold, 0 },
    { J_CHAR_SEQUENCE, "length", J_INT, { 0 }, 0, string_length, 0 },
    { J_CHAR_SEQUENCE, "charAt", J_CHAR, { J_INT }, 0, string_char_at, 0 },
    { J_STRING_BUILDER, "codePointAt", J_INT, { J_INT }, 0, string_code_point, 0 },
    { J_STRING_BUFFER, "codePointAt", J_INT, { J_INT }, 0, string_code_point, 0 },
    { J_STRING, "codePointAt", J_INT, { J_INT }, 0, string_code_point, 0 },
    { J_STRING, "codePointBefore", J_INT, { J_INT }, 0, string_code_point_before, 0 },
    { J_STRING, "offsetByCodePoints", J_INT, { J_INT, J_INT }, 0, string_code_point_offset, 0 },
    { J_STRING, "codePointCount", J_INT, { J_INT, J_INT }, 0, string_count_points, 0 },
    { J_STRING_BUILDER, "codePointCount", J_INT, { J_INT, J_INT }, 0, string_count_points, 0 },
    { J_STRING_BUFFER, "codePointCount", J_INT, { J_INT, J_INT }, 0, string_count_points, 0 },
    { J_CHAR_SEQUENCE, "subSequence", J_CHAR_SEQUENCE, { J_INT, J_INT }, 0, java_substring, 0 },
    { J_STRING, "regionMatches", J_BOOLEAN, { J_INT, J_STRING, J_INT, J_INT }, 0, string_region, 0 },
    { J_STRING, "regionMatches", J_BOOLEAN, { J_BOOLEAN, J_INT, J_STRING, J_INT, J_INT }, 0, string_region, 0 },
    { J_STRING, "contentEquals", J_BOOLEAN, { J_CHAR_SEQUENCE }, 0, string_content, 0 },
    { J_STRING, "intern", J_STRING, { 0 }, 0, string_intern, 0 },
    { J_STRING, "chars", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_INT_STREAM },
    { J_STRING, "codePoints", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_INT_STREAM },
    { J_STRING, "lines", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_STREAM },
    { J_CHAR_SEQUENCE, "isEmpty", J_BOOLEAN, { 0 }, 0, string_empty, EMPTY },
    { J_STRING, "isBlank", J_BOOLEAN, { 0 }, 0, string_empty, BLANK },
    { J_STRING, "indexOf", J_INT, { J_STRING }, 0, java_string_find, JAVA_FIND_FIRST },
    { J_STRING, "indexOf", J_INT, { J_INT }, 0, java_string_find, JAVA_FIND_FIRST },
    { J_STRING, "indexOf", J_INT, { J_STRING, J_INT }, 0, java_string_find, JAVA_FIND_FIRST },
    { J_STRING, "indexOf", J_INT, { J_INT, J_INT }, 0, java_string_find, JAVA_FIND_FIRST },
    { J_STRING, "lastIndexOf", J_INT, { J_STRING }, 0, java_string_find, JAVA_FIND_LAST },
    { J_STRING, "lastIndexOf", J_INT, { J_INT }, 0, java_string_find, JAVA_FIND_LAST },
    { J_STRING, "lastIndexOf", J_INT, { J_STRING, J_INT }, 0, java_string_find, JAVA_FIND_LAST },
    { J_STRING, "lastIndexOf", J_INT, { J_INT, J_INT }, 0, java_string_find, JAVA_FIND_LAST },
    { J_STRING, "contains", J_BOOLEAN, { J_CHAR_SEQUENCE }, 0, java_string_find, JAVA_FIND_ANY },
    { J_STRING, "startsWith", J_BOOLEAN, { J_STRING }, 0, java_string_find, JAVA_FIND_START },
    { J_STRING, "startsWith", J_BOOLEAN, { J_STRING, J_INT }, 0, string_starts_at, 0 },
    { J_STRING, "endsWith", J_BOOLEAN, { J_STRING }, 0, java_string_find, JAVA_FIND_END },
    { J_STRING, "substring", J_STRING, { J_INT }, 0, java_substring, 0 },
    { J_STRING, "substring", J_STRING, { J_INT, J_INT }, 0, java_substring, 0 },
    { J_STRING, "subSequence", J_CHAR_SEQUENCE, { J_INT, J_INT }, 0, java_substring, 0 },
    { J_STRING, "trim", J_STRING, { 0 }, 0, string_trim, TRIM_OLD },
    { J_STRING, "strip", J_STRING, { 0 }, 0, string_trim, TRIM_BOTH },
    { J_STRING, "stripLeading", J_STRING, { 0 }, 0, string_trim, TRIM_FRONT },
    { J_STRING, "stripTrailing", J_STRING, { 0 }, 0, string_trim, TRIM_BACK },
    { J_STRING, "toUpperCase", J_STRING, { 0 }, 0, string_case, CASE_UPPER },
    { J_STRING, "toLowerCase", J_STRING, { 0 }, 0, string_case, CASE_LOWER },
    { J_STRING, "toUpperCase", J_STRING, { J_LOCALE }, 0, string_case, CASE_UPPER },
    { J_STRING, "toLowerCase", J_STRING, { J_LOCALE }, 0, string_case, CASE_LOWER },
    { J_STRING, "concat", J_STRING, { J_STRING }, 0, string_concat, 0 },
    { J_STRING, "repeat", J_STRING, { J_INT }, 0, string_repeat, 0 },
    { J_STRING, "replace", J_STRING, { J_CHAR, J_CHAR }, 0, string_replace_char, 0 },
    { J_STRING, "replace", J_STRING, { J_CHAR_SEQUENCE, J_CHAR_SEQUENCE }, 0, string_replace, 0 },
    { J_STRING, "toCharArray", JX_CHARS, { 0 }, 0, string_chars, 0 },
    { J_STRING, "valueOf", J_STRING, { J_OBJECT }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { J_BOOLEAN }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { J_CHAR }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { J_INT }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { J_LONG }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { J_FLOAT }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { J_DOUBLE }, JAVA_STATIC, string_of, 0 },
    { J_STRING, "valueOf", J_STRING, { JX_CHARS }, JAVA_STATIC, string_of_chars, 0 },
    { J_STRING, "valueOf", J_STRING, { JX_CHARS, J_INT, J_INT }, JAVA_STATIC, string_of_chars, 0 },
    { J_STRING, "copyValueOf", J_STRING, { JX_CHARS }, JAVA_STATIC, string_of_chars, 0 },
    { J_STRING, "copyValueOf", J_STRING, { JX_CHARS, J_INT, J_INT }, JAVA_STATIC, string_of_chars, 0 },
    { J_STRING, "join", J_STRING, { J_CHAR_SEQUENCE, J_ITERABLE }, JAVA_STATIC, string_join, 0 },
    { J_STRING, "join", J_STRING, { J_CHAR_SEQUENCE, JX_STRINGS }, JAVA_STATIC | JAVA_VARIADIC, string_join, 0 },
    { J_STRING, "formatted", J_STRING, { JX_OBJECTS }, JAVA_VARIADIC, java_string_format, 0 },
    { J_STRING, "format", J_STRING, { J_STRING, JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, java_string_format, 0 },
    { J_STRING, "format", J_STRING, { J_LOCALE, J_STRING, JX_OBJECTS }, JAVA_STATIC | JAVA_VARIADIC, java_string_format, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
