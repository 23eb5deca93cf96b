/*
 * digit.h - decimal and hexadecimal digits and words in text: ASCII, whatever the program's locale.
 */
#ifndef WR_MODEL_DIGIT_H
#define WR_MODEL_DIGIT_H

#include "engine/buf.h"

static inline bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static inline uint8_t small_letter(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static inline bool is_letter_or_digit(uint8_t c)
{
    return is_digit(c) || (small_letter(c) >= 'a' && small_letter(c) <= 'z');
}

static inline bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* 0 to 15, or -1. */
static inline int hex_digit(uint8_t c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Whether the text is the word, given in small letters, in any case. */
static inline bool is_word(struct slice text, const char *word)
{
    size_t i = 0;
    while (i < text.len && word[i] && (text.data[i] | 0x20) == (uint8_t)word[i])
        i++;
    return i == text.len && !word[i];
}

static inline void put_hex(struct buf *buf, struct slice bytes)
{
    static const char digits[] = "0123456789abcdef";
    if (!buf_reserve(buf, 2 * bytes.len))
        return;
    for (size_t i = 0; i < bytes.len; i++) {
        buf->data[buf->len++] = (uint8_t)digits[bytes.data[i] >> 4];
        buf->data[buf->len++] = (uint8_t)digits[bytes.data[i] & 15];
    }
}

/* With zeroes in front, where it has fewer digits than that. */
static inline void put_digits(struct buf *buf, uint64_t n, unsigned least)
{
    uint8_t digits[20]; /* the most that 64 bits have */
    size_t at = sizeof digits;
    while (n || (sizeof digits - at < least && at)) {
        digits[--at] = (uint8_t)('0' + n % 10);
        n /= 10;
    }
    buf_put(buf, digits + at, sizeof digits - at);
}

static inline void put_whole(struct buf *buf, int64_t n)
{
    if (n < 0)
        buf_put_u8(buf, '-');
    put_digits(buf, n < 0 ? -(uint64_t)n : (uint64_t)n, 1);
}

#endif
