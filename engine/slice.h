/*
 * slice.h - borrowed bytes. A slice never owns; whoever hands one out says from whom it borrows and until when.
 *
 * A slice whose data is NULL is null (no value); one whose len is 0 and data is not NULL is an empty value.
 */
#ifndef WR_ENGINE_SLICE_H
#define WR_ENGINE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const uint8_t *data;
    size_t len;
};

#define SLICE_NULL ((struct slice){ NULL, 0 })
#define SLICE_EMPTY ((struct slice){ (const uint8_t *)"", 0 })
#define SLICE_LIT(text) ((struct slice){ (const uint8_t *)(text), sizeof(text) - 1 })
#define SLICE_ARG(s) (int)(s).len, (const char *)(s).data /* for "%.*s" */

static inline struct slice slice_of(const void *data, size_t len)
{
    return (struct slice){ data, len };
}

static inline struct slice slice_str(const char *text)
{
    return (struct slice){ (const uint8_t *)text, text ? strlen(text) : 0 };
}

static inline bool slice_is_null(struct slice s)
{
    return s.data == NULL;
}

/* Unsigned bytes, the shorter first where one is a prefix of the other. */
static inline int slice_cmp(struct slice a, struct slice b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.data, b.data, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* For qsort and bsearch of slices. */
static inline int slices_cmp(const void *a, const void *b)
{
    return slice_cmp(*(const struct slice *)a, *(const struct slice *)b);
}

static inline bool slice_eq(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool slice_eq_str(struct slice a, const char *text)
{
    return slice_eq(a, slice_str(text));
}

static inline bool slice_has_prefix(struct slice s, struct slice prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.data, prefix.data, prefix.len) == 0);
}

/* The bytes after the first n; n is at most s.len. */
static inline struct slice slice_skip(struct slice s, size_t n)
{
    return (struct slice){ s.data + n, s.len - n };
}

#endif
