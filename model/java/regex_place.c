/* What is at a place of a text: its characters, what holds there, what a node takes from there. */
#include "model/java/regex.h"

/* ---- the text ---- */

static bool is_pair(const struct regex_matcher *m, int32_t i, int32_t to)
{
    return (m->units[i] & 0xfc00) == 0xd800 && i + 1 < to && (m->units[i + 1] & 0xfc00) == 0xdc00;
}

static uint32_t character(const struct regex_matcher *m, int32_t i, int32_t to, int32_t *len)
{
    *len = 1;
    if (!is_pair(m, i, to))
        return m->units[i];
    *len = 2;
    return 0x10000 + ((m->units[i] & 0x3ffu) << 10) + (m->units[i + 1] & 0x3ffu);
}

/* The one before i; there is one. */
uint32_t regex_character_before(const struct regex_matcher *m, int32_t i, int32_t *len)
{
    if (i >= 2 && is_pair(m, i - 2, i))
        return character(m, i - 2, i, len);
    *len = 1;
    return m->units[i - 1];
}

bool regex_is_line_end(uint16_t c)
{
    return c == '\n' || c == '\r' || c == 0x85 || (c | 1) == 0x2029;
}

/* ---- nodes of no width ---- */

static bool is_word_at(const struct regex_matcher *m, const struct regex_node *node, int32_t i, int32_t at)
{
    int32_t len;
    uint32_t c = at < i ? regex_character_before(m, i, &len) : character(m, i, m->to, &len);
    if (regex_is_word(c, node->unicode))
        return true;
    if (!regex_is_mark(c))
        return false;
    for (int32_t x = at; x >= m->from; x--) { /* a mark is of a word where what it stands on is */
        c = character(m, x, m->to, &len);
        if (regex_is_word(c, false) && c != '_')
            return true;
        if (!regex_is_mark(c))
            return false;
    }
    return false;
}

static bool is_bound(const struct regex_matcher *m, const struct regex_node *node, int32_t i)
{
    bool left = i > m->from && is_word_at(m, node, i, i - 1);
    bool right = i < m->to && is_word_at(m, node, i, i);
    return left != right;
}

static bool is_caret(const struct regex_matcher *m, const struct regex_node *node, int32_t i)
{
    if (i == m->to)
        return false; /* also where there is no text */
    if (i == m->from)
        return true;
    uint16_t c = m->units[i - 1];
    return node->unix_lines ? c == '\n' : regex_is_line_end(c) && !(c == '\r' && m->units[i] == '\n');
}

static bool is_dollar(const struct regex_matcher *m, const struct regex_node *node, int32_t i)
{
    const int32_t end = m->to;
    if (i == end)
        return true;
    uint16_t c = m->units[i];
    if (node->unix_lines)
        return c == '\n' && (node->multiline || i == end - 1);
    if (!node->multiline && (i < end - 2 || (i == end - 2 && !(c == '\r' && m->units[i + 1] == '\n'))))
        return false;
    return regex_is_line_end(c) && !(c == '\n' && i > 0 && m->units[i - 1] == '\r');
}

bool regex_holds(const struct regex_matcher *m, const struct regex_node *node, int32_t place)
{
    switch (node->op) {
    case RN_BEGIN:
        return place == m->from;
    case RN_END:
        return place == m->to;
    case RN_CARET:
        return is_caret(m, node, place);
    case RN_DOLLAR:
        return is_dollar(m, node, place);
    case RN_BOUND:
        return is_bound(m, node, place) != node->negative;
    default:
        return place == m->before; /* \G */
    }
}

/* ---- nodes that take characters: the place behind them; -1: they do not match ---- */

int32_t regex_take_class(const struct regex_matcher *m, const struct regex_node *node, int32_t i)
{
    int32_t len;
    if (i >= m->to)
        return -1;
    uint32_t c = character(m, i, m->to, &len);
    return regex_class_has(node->class, c) ? i + len : -1;
}

int32_t regex_take_slice(const struct regex_matcher *m, const struct regex_node *node, int32_t i)
{
    for (uint32_t n = 0; n < node->character_count; n++) {
        int32_t len;
        if (i >= m->to)
            return -1;
        uint32_t c = character(m, i, m->to, &len);
        if (c != node->characters[n] && (!node->fold || regex_fold(c, node->unicode) != node->characters[n]))
            return -1;
        i += len;
    }
    return i;
}

static bool same_folded(const struct regex_node *node, uint32_t a, uint32_t b)
{
    return a == b || (node->fold && regex_fold(a, node->unicode) == regex_fold(b, node->unicode));
}

int32_t regex_take_reference(const struct regex_matcher *m, const struct regex_node *node, int32_t i)
{
    int32_t from, to, a, b;
    if (node->group >= m->regex->group_count)
        return -1;
    from = m->groups[2 * node->group];
    to = m->groups[2 * node->group + 1];
    if (from < 0 || to - from > m->to - i)
        return -1;
    while (from < to) {
        if (i >= m->to || !same_folded(node, character(m, from, to, &a), character(m, i, m->to, &b)))
            return -1;
        from += a;
        i += b;
    }
    return i;
}
