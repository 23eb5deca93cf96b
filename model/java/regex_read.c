/* A pattern's text, and what is wrong with it. */
#include "model/java/regex_read.h"

#include <stdio.h>

/* ---- failing ---- */

void regex_stop(struct regex_parser *p)
{
    p->failed = true;
    p->len = p->room = 0;
}

void regex_fail_syntax(struct regex_parser *p, const char *format, ...)
{
    va_list args;
    if (p->failed)
        return;
    va_start(args, format);
    vsnprintf(p->error, sizeof p->error, format, args);
    va_end(args);
    p->error_at = (int32_t)p->cursor - 1;
    regex_stop(p);
}

void regex_fail_unsupported(struct regex_parser *p, const char *what)
{
    if (!p->failed)
        java_throw(p->run, J_UNSUPPORTED, "%s in a regular expression: not supported here", what);
    regex_stop(p);
}

void *regex_allocate(struct regex_parser *p, size_t bytes)
{
    void *memory = java_alloc(p->run, bytes);
    if (!memory)
        regex_stop(p);
    return memory;
}

/* A new one; once it failed, one that nobody looks at. */
struct regex_node *regex_new_node(struct regex_parser *p, enum regex_op op)
{
    struct regex_node *n = p->failed ? NULL : regex_allocate(p, sizeof *n);
    if (!n)
        n = &p->spare;
    *n = (struct regex_node){ .op = op, .next = &p->accept, .memory = -1 };
    return n;
}

bool regex_enter(struct regex_parser *p)
{
    if (++p->depth <= p->depth_most)
        return true;
    regex_fail_unsupported(p, "so many groups in one another");
    return false;
}

/* ---- the text ---- */

bool regex_flag(const struct regex_parser *p, unsigned flag)
{
    return p->flags & flag;
}

uint32_t regex_at(const struct regex_parser *p, uint32_t i)
{
    return i < p->room ? p->text[i] : 0;
}

static bool is_line_end(const struct regex_parser *p, uint32_t c)
{
    return c == '\n' || (!regex_flag(p, REGEX_UNIX_LINES) && (c == '\r' || (c | 1) == 0x2029 || c == 0x85));
}

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

/* The cursor stands on a character: on the first that is no comment. */
static uint32_t settle(struct regex_parser *p)
{
    uint32_t c = regex_at(p, p->cursor);
    while (regex_flag(p, REGEX_COMMENTS) && (is_blank(c) || c == '#')) {
        if (c == '#')
            do
                c = regex_at(p, ++p->cursor);
            while (c && !is_line_end(p, c));
        else
            c = regex_at(p, ++p->cursor);
    }
    return c;
}

uint32_t regex_peek(struct regex_parser *p)
{
    return settle(p);
}

uint32_t regex_next(struct regex_parser *p)
{
    p->cursor++;
    return settle(p);
}

/* What the cursor stands on, and goes on behind it. */
uint32_t regex_take(struct regex_parser *p)
{
    uint32_t c = regex_at(p, p->cursor++);
    while (regex_flag(p, REGEX_COMMENTS) && (is_blank(c) || c == '#')) {
        if (c == '#')
            do
                c = regex_at(p, p->cursor++);
            while (c && !is_line_end(p, c));
        else
            c = regex_at(p, p->cursor++);
    }
    return c;
}

uint32_t regex_next_plain(struct regex_parser *p)
{
    return regex_at(p, ++p->cursor);
}

/* What is behind the cursor's character; goes on behind that. */
uint32_t regex_skip(struct regex_parser *p)
{
    uint32_t c = regex_at(p, p->cursor + 1);
    p->cursor += 2;
    return c;
}

bool regex_is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

bool regex_is_octal(uint32_t c)
{
    return c >= '0' && c <= '7';
}

bool regex_is_letter(uint32_t c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

int regex_hex_digit(uint32_t c)
{
    return regex_is_digit(c) ? (int)(c - '0') : (c | 32) >= 'a' && (c | 32) <= 'f' ? (int)((c | 32) - 'a' + 10) : -1;
}

/* What java.util.regex takes for one: a half of a pair by itself, too. */
bool regex_is_supplementary(uint32_t c)
{
    return c >= 0x10000 || (c >= 0xd800 && c < 0xe000);
}

/* ---- \Q...\E: what is in it becomes escapes ---- */

void regex_unquote(struct regex_parser *p)
{
    uint32_t from = 0, n;
    while (from + 1 < p->len && !(p->text[from] == '\\' && p->text[from + 1] == 'Q'))
        from += p->text[from] == '\\' ? 2 : 1;
    if (from + 1 >= p->len)
        return;
    uint32_t room = from + 3 * (p->len - from) + 4;
    uint32_t *to = regex_allocate(p, room * sizeof *to);
    bool quoted = true, begun = true;

    if (!to)
        return;
    memcpy(to, p->text, from * sizeof *to);
    n = from;
    for (uint32_t i = from + 2; i < p->len;) {
        uint32_t c = p->text[i++];
        if (c >= 128 || regex_is_letter(c)) {
            to[n++] = c;
        } else if (regex_is_digit(c)) {
            if (begun) { /* it could be taken for a digit of an escape in front of the quote */
                to[n++] = '\\';
                to[n++] = 'x';
                to[n++] = '3';
            }
            to[n++] = c;
        } else if (c != '\\') {
            if (quoted)
                to[n++] = '\\';
            to[n++] = c;
        } else if (quoted && regex_at(p, i) == 'E') {
            i++;
            quoted = false;
        } else if (quoted) {
            to[n++] = '\\';
            to[n++] = '\\';
        } else if (regex_at(p, i) == 'Q') {
            i++;
            quoted = begun = true;
            continue;
        } else {
            to[n++] = c;
            if (i < p->len)
                to[n++] = p->text[i++];
        }
        begun = false;
    }
    p->text = to;
    p->len = n;
    p->room = room;
}
