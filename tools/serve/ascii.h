/*
 * ascii.h - letters and digits of names and words, which are ASCII whatever the locale of the program is that has the server in it. (The library's own,
 * model/digit.h, is out of sight here.)
 */
#ifndef WR_SERVE_ASCII_H
#define WR_SERVE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static inline char ascii_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c;
}

static inline bool ascii_is_letter_or_digit(char c)
{
    return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

static inline bool ascii_is_of_name(char c)
{
    return ascii_is_letter_or_digit(c) || c == '_';
}

/* In any case; neither is read behind a NUL that the other has not. */
static inline bool ascii_same(const char *a, const char *b, size_t len)
{
    size_t i = 0;
    while (i < len && ascii_lower(a[i]) == ascii_lower(b[i]) && a[i])
        i++;
    return i == len;
}

/* No letter, digit or underscore is beside what is at `at` of a text. */
static inline bool ascii_stands_alone(const char *text, const char *at, size_t len)
{
    return (at == text || !ascii_is_of_name(at[-1])) && !ascii_is_of_name(at[len]);
}

/* In any case: whoever means a table, a type or a function writes its name so. */
static inline bool ascii_has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; *at; at++)
        if (ascii_same(at, word, len) && ascii_stands_alone(text, at, len))
            return true;
    return false;
}

/* Just as it is: in what the server itself has written. */
static inline bool ascii_has_name(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if (ascii_stands_alone(text, at, len))
            return true;
    return false;
}

#endif
