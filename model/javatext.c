#include "model/javatext.h"

#include <stdlib.h>

#include "model/digit.h"
#include "model/unicode.h"

struct slice java_trim(struct slice text)
{
    while (text.len && text.data[0] <= ' ')
        text = slice_skip(text, 1);
    while (text.len && text.data[text.len - 1] <= ' ')
        text.len--;
    return text;
}

bool java_long(struct slice text, int64_t *out)
{
    bool negative = false;
    uint64_t v = 0, max = INT64_MAX;
    if (text.len && (text.data[0] == '-' || text.data[0] == '+')) {
        negative = text.data[0] == '-';
        max += negative;
        text = slice_skip(text, 1);
    }
    if (!text.len)
        return false;
    while (text.len) {
        int digit = unicode_digit(&text);
        if (digit < 0 || v > (max - (unsigned)digit) / 10)
            return false;
        v = v * 10 + (unsigned)digit;
    }
    *out = negative ? (int64_t)-v : (int64_t)v;
    return true;
}

bool java_int(struct slice text, int32_t *out)
{
    int64_t v;
    if (!java_long(text, &v) || v < INT32_MIN || v > INT32_MAX)
        return false;
    *out = (int32_t)v;
    return true;
}

bool java_is_numeric(struct slice text)
{
    bool is = text.len > 0;
    while (is && text.len)
        is = unicode_digit(&text) >= 0;
    return is;
}

const char *java_no_double(struct ctx *ctx, struct slice text)
{
    text = java_trim(text);
    const char *message = !text.len ? "empty String" : ctx_format(ctx, "For input string: \"%.*s\"", SLICE_ARG(text));
    return message ? message : "";
}

bool java_equals_fold(struct slice text, const char *word)
{
    size_t i = 0;
    while (i < text.len && word[i] && small_letter(text.data[i]) == small_letter((uint8_t)word[i]))
        i++;
    return i == text.len && !word[i];
}

enum wr_status java_upper(struct ctx *ctx, struct slice text, struct slice *out)
{
    char *copy = ctx_string(ctx, text);
    if (!copy)
        return WR_NOMEM;
    for (size_t i = 0; i < text.len; i++)
        copy[i] = (char)(copy[i] >= 'a' && copy[i] <= 'z' ? copy[i] - 'a' + 'A' : copy[i]);
    *out = slice_of(copy, text.len);
    return WR_OK;
}

enum wr_status java_class_name(struct ctx *ctx, struct slice name, const char *package, struct slice *out)
{
    *out = name;
    if (name.len && memchr(name.data, '.', name.len))
        return WR_OK;
    char *full = ctx_format(ctx, "%s.%.*s", package, SLICE_ARG(name));
    if (!full)
        return WR_NOMEM;
    *out = slice_str(full);
    return WR_OK;
}

struct bucketed {
    uint32_t bucket, place;
};

static int bucketed_cmp(const void *a, const void *b)
{
    const struct bucketed *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

int java_cmp(struct slice a, struct slice b)
{
    size_t i = 0, n = a.len < b.len ? a.len : b.len;
    while (i < n && a.data[i] == b.data[i])
        i++;
    if (i < n)
        return (int8_t)a.data[i] - (int8_t)b.data[i];
    return (int)a.len - (int)b.len;
}

uint32_t java_hash(struct slice bytes)
{
    uint32_t hash = 1;
    for (size_t i = bytes.len; i-- > 0;) /* from the end, signed bytes */
        hash = 31 * hash + (uint32_t)(int8_t)bytes.data[i];
    return hash;
}

enum wr_status java_map_order(struct ctx *ctx, const struct slice *names, uint32_t count, uint32_t copied,
                              uint32_t *order)
{
    uint32_t *hashes = NEW_ARRAY(ctx, uint32_t, count);
    if (!hashes)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        hashes[i] = java_hash(names[i]);
    return java_hash_order(ctx, hashes, count, copied, order);
}

uint32_t java_string_hash(struct slice name)
{
    uint32_t hash = 0;
    for (size_t b = 0; b < name.len; b++)
        hash = 31 * hash + name.data[b];
    return hash;
}

uint32_t java_concurrent_bucket(struct slice name, uint32_t count)
{
    uint32_t hash = java_string_hash(name), capacity = 16;
    while (count >= capacity / 4 * 3)
        capacity *= 2;
    return (hash ^ hash >> 16) & (capacity - 1);
}

enum wr_status java_set_order(struct ctx *ctx, const struct slice *names, uint32_t count, uint32_t copied, uint32_t *order)
{
    uint32_t *hashes = NEW_ARRAY(ctx, uint32_t, count);
    if (!hashes)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        hashes[i] = java_string_hash(names[i]);
    return java_hash_order(ctx, hashes, count, copied, order);
}

enum wr_status java_set_sort(struct ctx *ctx, struct slice *names, uint32_t count, uint32_t copied)
{
    struct slice *given = NEW_ARRAY(ctx, struct slice, count);
    uint32_t *order = NEW_ARRAY(ctx, uint32_t, count);
    if (!given || !order)
        return WR_NOMEM;
    TRY(java_set_order(ctx, names, count, copied, order));
    if (count)
        memcpy(given, names, count * sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = given[order[i]];
    return WR_OK;
}

enum wr_status java_hash_order(struct ctx *ctx, const uint32_t *hashes, uint32_t count, uint32_t copied, uint32_t *order)
{
    struct bucketed *list = NEW_ARRAY(ctx, struct bucketed, count);
    uint32_t capacity = copied ? 1 : 16;
    if (!list)
        return WR_NOMEM;
    while (copied && capacity < (uint32_t)((float)copied / 0.75f + 1.0f)) /* HashMap.putMapEntries */
        capacity *= 2;
    while (count > capacity / 4.0 * 3)
        capacity *= 2;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct bucketed){ (hashes[i] ^ hashes[i] >> 16) & (capacity - 1), i };
    if (count)
        qsort(list, count, sizeof *list, bucketed_cmp);
    for (uint32_t i = 0; i < count; i++)
        order[i] = list[i].place;
    return WR_OK;
}
