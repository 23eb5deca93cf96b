/*
 * Patterns to graphs. The parser remembers its first error and then reads nothing but the end, so that what it builds
 * has no checks in it. Its cursor goes as Java's does, for messages tell where it stood.
 */
#include "model/java/regex.h"

#include <stdio.h>

struct parser {
    struct java_run *run;
    struct regex *re;
    uint32_t *text; /* code points; zeroes behind */
    uint32_t len, room, cursor;
    unsigned flags, depth;
    struct regex_node *tail; /* of what was read last */
    struct regex_node accept, spare;
    struct buf terms; /* of the class that is being read */
    struct buf loops; /* those that no repetition is around: they may remember places */
    bool referring;   /* a group is referred to */
    bool failed;      /* or thrown already, where error is empty */
    char error[160];
    int32_t error_at;
};

enum { NO_NAME = 1 }; /* in an error: a zero, which a text of C cannot have */

/* ---- failing ---- */

static void stop(struct parser *p)
{
    p->failed = true;
    p->len = p->room = 0;
}

static void fail_syntax(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail_syntax(struct parser *p, const char *format, ...)
{
    va_list args;
    if (p->failed)
        return;
    va_start(args, format);
    vsnprintf(p->error, sizeof p->error, format, args);
    va_end(args);
    p->error_at = (int32_t)p->cursor - 1;
    stop(p);
}

static void fail_unsupported(struct parser *p, const char *what)
{
    if (!p->failed)
        java_throw(p->run, J_UNSUPPORTED, "%s in a regular expression: not supported here", what);
    stop(p);
}

static void *allocate(struct parser *p, size_t bytes)
{
    void *memory = java_alloc(p->run, bytes);
    if (!memory)
        stop(p);
    return memory;
}

/* A new one; once it failed, one that nobody looks at. */
static struct regex_node *new_node(struct parser *p, enum regex_op op)
{
    struct regex_node *n = p->failed ? NULL : allocate(p, sizeof *n);
    if (!n)
        n = &p->spare;
    *n = (struct regex_node){ .op = op, .next = &p->accept, .memory = -1 };
    return n;
}

static bool enter(struct parser *p)
{
    if (++p->depth <= REGEX_DEPTH_MAX)
        return true;
    fail_unsupported(p, "so many groups in one another");
    return false;
}

/* ---- the text ---- */

static bool has(const struct parser *p, unsigned flag)
{
    return p->flags & flag;
}

static uint32_t at(const struct parser *p, uint32_t i)
{
    return i < p->room ? p->text[i] : 0;
}

static bool is_line_end(const struct parser *p, uint32_t c)
{
    return c == '\n' || (!has(p, REGEX_UNIX_LINES) && (c == '\r' || (c | 1) == 0x2029 || c == 0x85));
}

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

/* The cursor stands on a character: on the first that is no comment. */
static uint32_t settle(struct parser *p)
{
    uint32_t c = at(p, p->cursor);
    while (has(p, REGEX_COMMENTS) && (is_blank(c) || c == '#')) {
        if (c == '#')
            do
                c = at(p, ++p->cursor);
            while (c && !is_line_end(p, c));
        else
            c = at(p, ++p->cursor);
    }
    return c;
}

static uint32_t peek(struct parser *p)
{
    return settle(p);
}

static uint32_t next(struct parser *p)
{
    p->cursor++;
    return settle(p);
}

/* What the cursor stands on, and goes on behind it. */
static uint32_t take(struct parser *p)
{
    uint32_t c = at(p, p->cursor++);
    while (has(p, REGEX_COMMENTS) && (is_blank(c) || c == '#')) {
        if (c == '#')
            do
                c = at(p, p->cursor++);
            while (c && !is_line_end(p, c));
        else
            c = at(p, p->cursor++);
    }
    return c;
}

static uint32_t next_plain(struct parser *p)
{
    return at(p, ++p->cursor);
}

/* What is behind the cursor's character; goes on behind that. */
static uint32_t skip(struct parser *p)
{
    uint32_t c = at(p, p->cursor + 1);
    p->cursor += 2;
    return c;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_octal(uint32_t c)
{
    return c >= '0' && c <= '7';
}

static bool is_letter(uint32_t c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static int hex_digit(uint32_t c)
{
    return is_digit(c) ? (int)(c - '0') : (c | 32) >= 'a' && (c | 32) <= 'f' ? (int)((c | 32) - 'a' + 10) : -1;
}

/* What java.util.regex takes for one: a half of a pair by itself, too. */
static bool is_supplementary(uint32_t c)
{
    return c >= 0x10000 || (c >= 0xd800 && c < 0xe000);
}

/* ---- \Q...\E: what is in it becomes escapes ---- */

static void unquote(struct parser *p)
{
    uint32_t from = 0, n;
    while (from + 1 < p->len && !(p->text[from] == '\\' && p->text[from + 1] == 'Q'))
        from += p->text[from] == '\\' ? 2 : 1;
    if (from + 1 >= p->len)
        return;
    uint32_t room = from + 3 * (p->len - from) + 4;
    uint32_t *to = allocate(p, room * sizeof *to);
    bool quoted = true, begun = true;

    if (!to)
        return;
    memcpy(to, p->text, from * sizeof *to);
    n = from;
    for (uint32_t i = from + 2; i < p->len;) {
        uint32_t c = p->text[i++];
        if (c >= 128 || is_letter(c)) {
            to[n++] = c;
        } else if (is_digit(c)) {
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
        } else if (quoted && at(p, i) == 'E') {
            i++;
            quoted = false;
        } else if (quoted) {
            to[n++] = '\\';
            to[n++] = '\\';
        } else if (at(p, i) == 'Q') {
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

/* ---- classes ---- */

static void put_term(struct parser *p, struct regex_term term)
{
    buf_put(&p->terms, &term, sizeof term);
    if (p->terms.failed || !java_charge(p->run, sizeof term))
        stop(p);
}

static void put_operator(struct parser *p, enum regex_term_op op)
{
    put_term(p, (struct regex_term){ op, 0, 0, NULL });
}

static size_t terms_read(const struct parser *p)
{
    return p->terms.len / sizeof(struct regex_term);
}

static struct regex_term single(const struct parser *p, uint32_t c)
{
    bool unicode = has(p, REGEX_UNICODE_CASE);
    if (!has(p, REGEX_CASE_INSENSITIVE) || (!unicode && c >= 128))
        return (struct regex_term){ RT_RANGE, c, c, NULL };
    c = regex_fold(c, unicode);
    return (struct regex_term){ unicode ? RT_RANGE_CASE : RT_RANGE_ASCII_CASE, c, c, NULL };
}

/* Whether the class may have characters of two halves, as far as Java looks. */
static bool may_be_pair(const struct regex_term *t)
{
    return t->op == RT_RANGE              ? t->from < 0xe000 ? t->to >= 0xd800 : t->to >= 0x10000
           : t->op == RT_RANGE_ASCII_CASE ? t->from != t->to
                                          : t->op != RT_BITS && t->op != RT_ASCII && t->op != RT_OR && t->op != RT_AND;
}

/* A node of the terms from `first` on, which are no longer needed. */
static struct regex_node *class_node(struct parser *p, size_t first)
{
    struct regex_node *n = new_node(p, RN_CLASS);
    size_t count = terms_read(p) - first;
    struct regex_term *terms = allocate(p, (count + 1) * sizeof *terms);

    n->class = allocate(p, sizeof *n->class);
    if (p->failed)
        return &p->spare;
    memcpy(terms, p->terms.data + first * sizeof *terms, count * sizeof *terms);
    p->terms.len = first * sizeof *terms;
    for (size_t i = 0; i < count; i++)
        p->re->pairs |= may_be_pair(&terms[i]);
    n->class->terms = terms;
    n->class->count = (uint32_t)count;
    return n;
}

static struct regex_node *term_node(struct parser *p, struct regex_term term)
{
    size_t first = terms_read(p);
    put_term(p, term);
    return class_node(p, first);
}

/* \pL and \p{Name}; the cursor is in front of the name. */
static void family(struct parser *p, bool one_letter, bool negative)
{
    char name[80], *equals;
    size_t n = 0;
    struct regex_term term = { RT_RANGE, 0, 0, NULL };
    bool unsupported;

    next(p);
    if (one_letter) {
        uint32_t c = at(p, p->cursor);
        take(p);
        if (c < 128)
            name[n++] = (char)c;
    } else {
        uint32_t from = p->cursor, c;
        while ((c = p->cursor >= p->len ? '}' : at(p, p->cursor)) != '}') {
            if (n < sizeof name - 1)
                name[n++] = c < 128 ? (char)c : '?';
            p->cursor++;
        }
        p->cursor++;
        if (p->cursor > p->len)
            fail_syntax(p, "Unclosed character family");
        if (from + 1 >= p->cursor)
            fail_syntax(p, "Empty character family");
    }
    name[n] = 0;
    if (p->failed)
        return;
    if ((equals = strchr(name, '='))) {
        *equals = 0;
        for (char *c = name; *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
        bool general = strcmp(name, "gc") == 0 || strcmp(name, "general_category") == 0;
        bool other = strcmp(name, "sc") == 0 || strcmp(name, "script") == 0 || strcmp(name, "blk") == 0 ||
                     strcmp(name, "block") == 0;
        if (other)
            fail_unsupported(p, "a script or block");
        else if (!general || strncmp(equals + 1, "Is", 2) == 0 || strncmp(equals + 1, "In", 2) == 0 ||
                 !regex_property(slice_str(equals + 1), p->flags & ~(unsigned)REGEX_UNICODE_CLASS, &term, &unsupported))
            fail_syntax(p, "Unknown Unicode property {name=<%s>, value=<%s>}", name, equals + 1);
    } else if (!regex_property(slice_of(name, n), p->flags, &term, &unsupported)) {
        if (unsupported)
            fail_unsupported(p, "a script or block");
        else if (one_letter && !name[0])
            fail_syntax(p, "Unknown character property name {%c}", NO_NAME);
        else
            fail_syntax(p, "Unknown character property name {%s}", name);
    }
    put_term(p, term);
    if (negative)
        put_operator(p, RT_NOT);
}

/* The cursor stands on p or P. */
static void property(struct parser *p)
{
    bool negative = at(p, p->cursor) == 'P', one_letter = next(p) != '{';
    if (one_letter)
        p->cursor--;
    family(p, one_letter, negative);
}

static int64_t escape(struct parser *p, bool in_class, bool create, bool in_range);

/* Characters whose other case is beyond what bits hold, or comes from there. */
static bool folds_far(uint32_t c)
{
    return c == 0xff || c == 0xb5 || c == 'I' || c == 'i' || c == 'S' || c == 's' || c == 'K' || c == 'k' ||
           c == 0xc5 || c == 0xe5;
}

static void set_bit(uint8_t *bits, uint32_t c)
{
    if (c < 256)
        bits[c / 8] |= (uint8_t)(1u << c % 8);
}

/* true: it is a term; false: in bits. */
static bool put_character(struct parser *p, uint8_t *bits, uint32_t c)
{
    bool any_case = has(p, REGEX_CASE_INSENSITIVE), unicode = has(p, REGEX_UNICODE_CASE);

    if (c >= 256 || (any_case && unicode && folds_far(c))) {
        put_term(p, single(p, c));
        return true;
    }
    set_bit(bits, c);
    if (any_case && (c < 128 || unicode)) {
        struct regex_term fold = { RT_RANGE_CASE, c, c, NULL };
        if (c < 128)
            fold.op = RT_RANGE_ASCII_CASE;
        struct regex_class one = { .terms = &fold, .count = 1 };
        for (uint32_t other = 0; other < 256; other++)
            if (regex_class_has(&one, other))
                set_bit(bits, other);
    }
    return false;
}

/* One character, a range or an escape of a class; true: it is a term; false: in bits. */
static bool range(struct parser *p, uint8_t *bits)
{
    uint32_t c = peek(p);
    if (c == '\\') {
        c = next_plain(p);
        if (c == 'p' || c == 'P') {
            property(p);
            return true;
        }
        bool in_range = at(p, p->cursor + 1) == '-';
        p->cursor--;
        int64_t escaped = escape(p, true, true, in_range);
        if (escaped < 0)
            return true;
        c = (uint32_t)escaped;
    } else {
        next(p);
    }
    if (peek(p) != '-')
        return put_character(p, bits, c);
    uint32_t end = at(p, p->cursor + 1);
    if (end == '[' || end == ']')
        return put_character(p, bits, c);
    next(p);
    int64_t to = peek(p);
    if (to == '\\')
        to = escape(p, true, false, true);
    else
        next(p);
    if (to < c)
        fail_syntax(p, "Illegal character range");
    put_term(p, (struct regex_term){ !has(p, REGEX_CASE_INSENSITIVE) ? RT_RANGE
                                     : has(p, REGEX_UNICODE_CASE)    ? RT_RANGE_CASE
                                                                     : RT_RANGE_ASCII_CASE,
                                     c, (uint32_t)to, NULL });
    return true;
}

/* [...], the cursor on the bracket; or, consume false, what is between && and the bracket at the end. Its terms are put
 * behind the others'. A character's bits are one set for the whole class: what comes behind && is added to the set that
 * stands in front of it, too, as Java has it. */
static void class_terms(struct parser *p, bool consume)
{
    uint8_t *bits = allocate(p, 32);
    bool some = false, has_bits = false, negative = false;
    size_t from = 0, to = 0; /* the terms of what was read last; equal: it went into bits */
    uint32_t c = next(p);

    if (!bits || !enter(p))
        return;
    if (c == '^' && at(p, p->cursor - 1) == '[') {
        c = next(p);
        negative = true;
    }
    for (; !p->failed; c = peek(p)) {
        if (c == '[') {
            from = terms_read(p);
            class_terms(p, true);
            to = terms_read(p);
        } else if (c == '&' && next(p) == '&') {
            bool right = false;
            size_t right_from;

            c = next(p);
            if (has_bits) {
                put_term(p, (struct regex_term){ RT_BITS, 0, 0, bits });
                if (some) {
                    put_operator(p, RT_OR);
                } else {
                    from = terms_read(p) - 1;
                    to = from + 1;
                }
                some = true;
                has_bits = false;
            }
            right_from = terms_read(p);
            for (; c != ']' && c != '&' && !p->failed; c = peek(p)) {
                p->cursor -= c != '[';
                class_terms(p, c == '[');
                if (right)
                    put_operator(p, RT_OR);
                right = true;
            }
            if (!some && !right)
                fail_syntax(p, "Bad class syntax");
            if (right) {
                from = right_from;
                to = terms_read(p);
            } else if (from == to) {
                fail_unsupported(p, "&& with nothing behind it");
            } else {
                for (size_t i = from; i < to && !p->failed; i++)
                    put_term(p, ((const struct regex_term *)(const void *)p->terms.data)[i]);
            }
            if (some)
                put_operator(p, RT_AND);
            some = true;
            continue;
        } else {
            if (c == '&')
                p->cursor--;
            if (!c && p->cursor >= p->len)
                fail_syntax(p, "Unclosed character class");
            if (c == ']' && (some || has_bits)) {
                if (consume)
                    next(p);
                break;
            }
            from = terms_read(p);
            bool is_term = range(p, bits);
            to = terms_read(p);
            has_bits |= !is_term;
            if (!is_term)
                continue;
        }
        if (some)
            put_operator(p, RT_OR);
        some = true;
    }
    if (has_bits) {
        put_term(p, (struct regex_term){ RT_BITS, 0, 0, bits });
        if (some)
            put_operator(p, RT_OR);
    }
    if (negative)
        put_operator(p, RT_NOT);
    p->depth--;
}

/* ---- escapes ---- */

static int64_t octal(struct parser *p)
{
    uint32_t a = take(p), b, c;
    if (!is_octal(a)) {
        fail_syntax(p, "Illegal octal escape sequence");
        return 0;
    }
    b = take(p);
    if (!is_octal(b)) {
        p->cursor--;
        return a - '0';
    }
    c = take(p);
    if (is_octal(c) && a <= '3')
        return (a - '0') * 64 + (b - '0') * 8 + (c - '0');
    p->cursor--;
    return (a - '0') * 8 + (b - '0');
}

static int64_t hexadecimal(struct parser *p)
{
    uint32_t a = take(p), v = 0, c;
    if (hex_digit(a) >= 0) {
        uint32_t b = take(p);
        if (hex_digit(b) >= 0)
            return hex_digit(a) * 16 + hex_digit(b);
    } else if (a == '{' && hex_digit(peek(p)) >= 0) {
        while (hex_digit(c = take(p)) >= 0) {
            v = v * 16 + (uint32_t)hex_digit(c);
            if (v > 0x10ffff) {
                fail_syntax(p, "Hexadecimal codepoint is too big");
                return 0;
            }
        }
        if (c != '}')
            fail_syntax(p, "Unclosed hexadecimal escape sequence");
        return v;
    }
    fail_syntax(p, "Illegal hexadecimal escape sequence");
    return 0;
}

static uint32_t four_digits(struct parser *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4 && !p->failed; i++) {
        int digit = hex_digit(take(p));
        if (digit < 0)
            fail_syntax(p, "Illegal Unicode escape sequence");
        v = v * 16 + (uint32_t)digit;
    }
    return v;
}

static int64_t unicode(struct parser *p)
{
    uint32_t c = four_digits(p), low;
    if ((c & 0xfc00) != 0xd800 || p->failed)
        return c;
    uint32_t cursor = p->cursor;
    if (take(p) == '\\' && take(p) == 'u') {
        low = four_digits(p);
        if ((low & 0xfc00) == 0xdc00)
            return 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
    }
    p->cursor = cursor;
    return c;
}

static struct slice group_name(struct parser *p, uint32_t c)
{
    struct buf name;
    buf_init(&name, p->run->ctx->arena);
    if (!is_letter(c))
        fail_syntax(p, "capturing group name does not start with a Latin letter");
    do {
        buf_put_u8(&name, (uint8_t)c);
        c = take(p);
    } while (is_letter(c) || is_digit(c));
    if (c != '>')
        fail_syntax(p, "named capturing group is missing trailing '>'");
    if (name.failed || !java_charge(p->run, name.len))
        stop(p);
    return buf_slice(&name);
}

static const struct regex_name *find_name(const struct regex *re, struct slice name)
{
    const struct regex_name *n = re->names;
    while (n && !slice_eq(n->name, name))
        n = n->next;
    return n;
}

static struct regex_node *reference(struct parser *p, uint32_t group)
{
    struct regex_node *n = new_node(p, RN_REFERENCE);
    n->group = group;
    n->fold = has(p, REGEX_CASE_INSENSITIVE);
    n->unicode = has(p, REGEX_UNICODE_CASE);
    p->referring = true;
    return n;
}

/* As many digits as make a group that is there. */
static struct regex_node *numbered_reference(struct parser *p, uint32_t group)
{
    for (uint32_t c = peek(p); is_digit(c); c = peek(p)) {
        uint64_t more = group * UINT64_C(10) + (c - '0');
        if (more >= p->re->group_count)
            break;
        group = (uint32_t)more;
        take(p);
    }
    return reference(p, group);
}

static struct regex_node *plain_node(struct parser *p, enum regex_op op)
{
    struct regex_node *n = new_node(p, op);
    n->unix_lines = has(p, REGEX_UNIX_LINES);
    n->multiline = has(p, REGEX_MULTILINE);
    n->unicode = has(p, REGEX_UNICODE_CLASS);
    return n;
}

/* What is no character and stands outside of a class: \b and its kind. NULL: none. */
static struct regex_node *assertion(struct parser *p, uint32_t c)
{
    struct regex_node *n = NULL;
    switch (c) {
    case 'A':
        return new_node(p, RN_BEGIN);
    case 'z':
        return new_node(p, RN_END);
    case 'G':
        return new_node(p, RN_LAST_MATCH);
    case 'R':
        return new_node(p, RN_LINE_ENDING);
    case 'Z':
        n = plain_node(p, RN_DOLLAR);
        n->multiline = false;
        return n;
    case 'b':
    case 'B':
        if (c == 'b' && peek(p) == '{' && at(p, p->cursor + 1) == 'g')
            fail_unsupported(p, "\\b{g}");
        n = plain_node(p, RN_BOUND);
        n->negative = c == 'B';
        return n;
    case 'X':
        fail_unsupported(p, "\\X");
        return &p->spare;
    default:
        return NULL;
    }
}

static void named_reference(struct parser *p, bool create)
{
    if (take(p) != '<')
        fail_syntax(p, "\\k is not followed by '<' for named capturing group");
    struct slice name = group_name(p, take(p));
    const struct regex_name *known = find_name(p->re, name);
    if (!known)
        fail_syntax(p, "named capturing group <%.*s> does not exist", SLICE_ARG(name));
    if (create)
        p->tail = reference(p, known ? known->group : 0);
}

/* The cursor stands on the backslash. A character; or -1: what it stands for is p->tail or, in a class, its terms. */
static int64_t escape(struct parser *p, bool in_class, bool create, bool in_range)
{
    static const char from[] = "aefnrt", to[] = "\a\033\f\n\r\t";
    uint32_t c = skip(p), low = c | 32;
    const char *plain = c && c < 128 ? strchr(from, (char)c) : NULL;

    if (plain)
        return to[plain - from];
    if (!is_letter(c) && !is_digit(c))
        return c;
    if (c == '0')
        return octal(p);
    if (c == 'c') {
        if (p->cursor < p->len)
            return take(p) ^ 64;
        fail_syntax(p, "Illegal control escape sequence");
        return 0;
    }
    if (c == 'u')
        return unicode(p);
    if (c == 'x')
        return hexadecimal(p);
    if (c == 'N') {
        fail_unsupported(p, "\\N");
        return 0;
    }
    if (c == 'v' && in_range)
        return '\v';
    if (strchr("dhsvw", (char)low) && low) {
        size_t first = terms_read(p);
        if (!create)
            return -1;
        bool pairs = p->re->pairs;
        put_term(p, regex_predefined((char)low, p->flags));
        if (c != low)
            put_operator(p, RT_NOT);
        if (!in_class)
            p->tail = class_node(p, first);
        if (c == 'h' || c == 'v')
            p->re->pairs = pairs;
        return -1;
    }
    if (!in_class && is_digit(c)) {
        if (create)
            p->tail = numbered_reference(p, c - '0');
        return -1;
    }
    if (!in_class && c == 'k') {
        named_reference(p, create);
        return -1;
    }
    struct regex_node *n = in_class ? NULL : assertion(p, c);
    if (!n)
        fail_syntax(p, "Illegal/unsupported escape sequence");
    else if (create)
        p->tail = n;
    return -1;
}

/* ---- atoms ---- */

static struct regex_node *slice_node(struct parser *p, struct buf *characters)
{
    struct regex_node *n = new_node(p, RN_SLICE);
    uint32_t *list = (uint32_t *)(void *)characters->data;

    n->character_count = (uint32_t)(characters->len / sizeof *list);
    n->characters = list;
    n->fold = has(p, REGEX_CASE_INSENSITIVE);
    n->unicode = has(p, REGEX_UNICODE_CASE);
    if (characters->failed || !java_charge(p->run, characters->len))
        stop(p);
    for (uint32_t i = 0; i < n->character_count && n->fold; i++)
        list[i] = regex_fold(list[i], n->unicode);
    return n;
}

/* Characters that stand for themselves, as many as no repetition takes away; or one escape. */
static struct regex_node *atom(struct parser *p)
{
    struct buf characters;
    uint32_t prev = p->cursor, c = peek(p), n = 0;
    int64_t escaped;

    buf_init(&characters, p->run->ctx->arena);
    for (;; n++) {
        if (c == '*' || c == '+' || c == '?' || c == '{') {
            if (n > 1) {
                p->cursor = prev;
                n--;
            }
            break;
        }
        if ((c && c < 128 && strchr("$.^([|)", (char)c)) || (!c && p->cursor >= p->len))
            break;
        if (c == '\\') {
            c = next_plain(p);
            if (c == 'p' || c == 'P') {
                if (n) {
                    p->cursor--;
                    break;
                }
                size_t first = terms_read(p);
                property(p);
                return class_node(p, first);
            }
            prev = --p->cursor;
            escaped = escape(p, false, n == 0, false);
            if (escaped < 0 && n == 0)
                return p->tail;
            if (escaped < 0) {
                p->cursor = prev;
                break;
            }
            c = (uint32_t)escaped;
            buf_put(&characters, &c, sizeof c);
            c = peek(p);
            continue;
        }
        prev = p->cursor;
        buf_put(&characters, &c, sizeof c);
        c = next(p);
    }
    characters.len = n * sizeof c;
    if (characters.failed)
        stop(p);
    if (n == 1 && !p->failed)
        return term_node(p, single(p, *(const uint32_t *)(const void *)characters.data));
    return slice_node(p, &characters);
}

/* ---- repetition ---- */

static enum regex_greed greed(struct parser *p, uint32_t c)
{
    if (c != '?' && c != '+')
        return RG_GREEDY;
    next(p);
    return c == '?' ? RG_LAZY : RG_POSSESSIVE;
}

static struct regex_node *repeat(struct parser *p, struct regex_node *body, int32_t least, int32_t most,
                                 enum regex_greed how)
{
    struct regex_node *n = new_node(p, RN_REPEAT);
    n->body = body;
    n->least = least;
    n->most = most;
    n->greed = how;
    return n;
}

/* The number whose first digit is *c; *c becomes the first that is none. It may be too great, and is not read on then.
 */
static int64_t read_count(struct parser *p, uint32_t *c)
{
    int64_t v = 0;
    for (; is_digit(*c); *c = take(p))
        if ((v = v * 10 + (*c - '0')) > INT32_MAX)
            break;
    return v;
}

/* {2}, {2,} or {2,3}, the cursor on the brace. */
static struct regex_node *counted(struct parser *p, struct regex_node *body)
{
    uint32_t c = at(p, p->cursor + 1);
    if (!is_digit(c)) {
        p->cursor += 2;
        fail_syntax(p, "Illegal repetition");
        return &p->spare;
    }
    p->cursor += 2;
    int64_t least = read_count(p, &c), most = least;
    if (least <= INT32_MAX && c == ',') {
        c = take(p);
        most = c == '}' ? REGEX_REPEATED_MAX : read_count(p, &c);
    }
    if (least > INT32_MAX || most > INT32_MAX)
        fail_syntax(p, "Illegal repetition range");
    if (c != '}')
        fail_syntax(p, "Unclosed counted closure");
    if (most < least)
        fail_syntax(p, "Illegal repetition range");
    return repeat(p, body, (int32_t)least, (int32_t)most, greed(p, peek(p)));
}

/* What stands behind an atom or a group; itself, where that is nothing. */
static struct regex_node *closure(struct parser *p, struct regex_node *body)
{
    uint32_t c = peek(p);
    if (c == '*' || c == '+')
        return repeat(p, body, c == '+', REGEX_REPEATED_MAX, greed(p, next(p)));
    if (c == '{')
        return counted(p, body);
    if (c != '?')
        return body;
    struct regex_node *n = new_node(p, RN_OPTION);
    n->body = body;
    n->greed = greed(p, next(p));
    return n;
}

/* ---- what is known of a graph before it is walked ---- */

struct study {
    int32_t least, most;  /* characters; they wrap round as Java's do */
    bool bounded, single; /* there is a most; there is one way to match */
};

static int32_t wrap(int64_t v)
{
    return (int32_t)(uint32_t)(uint64_t)v;
}

static const struct study nothing_known = { 0, 0, true, true };

/* From the node to the end of the graph; s: what is known of what stands before. */
static struct study study(struct parser *p, const struct regex_node *node, struct study s)
{
    struct study before = nothing_known, inner;
    bool branched = false;

    for (; node && !p->failed; node = node->next) {
        if (!java_spend(p->run, 1))
            stop(p);
        switch (node->op) {
        case RN_CLASS:
            s.least = wrap(s.least + INT64_C(1));
            s.most = wrap(s.most + INT64_C(1));
            break;
        case RN_SLICE:
            s.least = wrap(s.least + (int64_t)node->character_count);
            s.most = wrap(s.most + (int64_t)node->character_count);
            break;
        case RN_LINE_ENDING:
            s.least = wrap(s.least + INT64_C(1));
            s.most = wrap(s.most + INT64_C(2));
            break;
        case RN_REFERENCE:
            s.bounded = false;
            break;
        case RN_OPTION:
            inner = study(p, node->body, s);
            inner.least = node->greed == RG_INDEPENDENT ? inner.least : s.least;
            inner.single &= node->greed == RG_INDEPENDENT;
            s = inner;
            break;
        case RN_REPEAT:
        case RN_GROUP: {
            inner = study(p, node->body, nothing_known);
            int32_t least = wrap((int64_t)wrap((int64_t)inner.least * node->least) + s.least);
            int32_t most = wrap((int64_t)wrap((int64_t)inner.most * node->most) + s.most);
            bool wraps = node->op == RN_REPEAT && node->body->op == RN_CLASS && node->greed == RG_GREEDY &&
                         node->most == REGEX_REPEATED_MAX;
            s.bounded &= inner.bounded && (wraps || most >= s.most);
            s.least = least < s.least ? 0xfffffff : least;
            s.most = s.bounded ? most : s.most;
            s.single &= inner.single && node->least == node->most;
            break;
        }
        case RN_BRANCH: {
            int32_t least = INT32_MAX, most = -1;
            for (uint32_t i = 0; i < node->branch_count; i++) {
                inner = node->branches[i] ? study(p, node->branches[i], nothing_known) : nothing_known;
                least = inner.least < least ? inner.least : least;
                most = inner.most > most ? inner.most : most;
                s.bounded &= inner.bounded;
            }
            before.least = wrap((int64_t)before.least + s.least + least);
            before.most = wrap((int64_t)before.most + s.most + most);
            before.bounded &= s.bounded;
            branched = true;
            s = nothing_known;
            break;
        }
        case RN_PROLOG:
        case RN_LOOP:
            s.bounded = s.single = false;
            node = &p->accept;
            break;
        case RN_BRANCH_END: /* what is behind it is looked at once, for all branches */
            node = &p->accept;
            break;
        default:
            break;
        }
        if (node->op == RN_BRANCH)
            node = node->body; /* what its branches end in */
    }
    s.least = wrap((int64_t)s.least + before.least);
    s.most = wrap((int64_t)s.most + before.most);
    s.bounded &= before.bounded;
    s.single &= !branched;
    return s;
}

/* ---- groups, branches, sequences ---- */

static struct regex_node *expression(struct parser *p, struct regex_node *end);

/* Its head; its tail is p->tail. */
static struct regex_node *new_group(struct parser *p, bool captures)
{
    struct regex_node *head = new_node(p, RN_GROUP_HEAD), *tail = new_node(p, RN_GROUP_TAIL);
    head->begin = tail->begin = p->re->local_count++;
    tail->captures = captures;
    if (captures)
        tail->group = p->re->group_count++;
    p->tail = tail;
    return head;
}

/* Letters behind (?; what is behind a minus is taken away. */
static void read_flags(struct parser *p)
{
    static const struct {
        char letter;
        unsigned flags;
    } letters[] = { { 'i', REGEX_CASE_INSENSITIVE }, { 'm', REGEX_MULTILINE },
                    { 's', REGEX_DOTALL },           { 'd', REGEX_UNIX_LINES },
                    { 'u', REGEX_UNICODE_CASE },     { 'c', REGEX_CANON_EQ },
                    { 'x', REGEX_COMMENTS },         { 'U', REGEX_UNICODE_CLASS | REGEX_UNICODE_CASE } };
    bool minus = false;

    for (uint32_t c = peek(p);; c = next(p)) {
        size_t i = 0;
        if (c == '-' && !minus) {
            minus = true;
            continue;
        }
        while (i < sizeof letters / sizeof *letters && (uint32_t)letters[i].letter != c)
            i++;
        if (i == sizeof letters / sizeof *letters)
            break;
        p->flags = minus ? p->flags & ~letters[i].flags : p->flags | letters[i].flags;
    }
    if (has(p, REGEX_CANON_EQ))
        fail_unsupported(p, "canonical equivalence");
}

/* A group without a name of its own, whose inside goes up to `)`. */
static struct regex_node *inside(struct parser *p, bool captures)
{
    struct regex_node *head = new_group(p, captures), *tail = p->tail;
    head->next = expression(p, tail);
    p->tail = tail;
    return head;
}

static struct regex_node *look_behind(struct parser *p, bool negative)
{
    uint32_t start = p->cursor;
    size_t loops = p->loops.len;
    struct regex_node *head = inside(p, false), *n;

    p->tail->next = new_node(p, RN_BEHIND_END);
    if (p->failed)
        return &p->spare;
    struct study s = study(p, head, nothing_known);
    if (!s.bounded)
        fail_syntax(p, "Look-behind group does not have an obvious maximum length");
    n = new_node(p, RN_BEHIND);
    n->negative = negative;
    n->body = head;
    n->least = s.least;
    n->most = s.most;
    for (uint32_t i = start; i < p->len && !n->supplementary; i++) { /* Java looks on to the end of the pattern */
        n->supplementary = is_supplementary(p->text[i]);
        if (i % 64 == 0 && !java_spend(p->run, 1))
            stop(p);
    }
    p->loops.len = loops;
    return n;
}

static struct regex_node *named_group(struct parser *p, uint32_t c)
{
    struct regex_name *name = allocate(p, sizeof *name);
    struct slice text = group_name(p, c);
    if (find_name(p->re, text))
        fail_syntax(p, "Named capturing group <%.*s> is already defined", SLICE_ARG(text));
    if (p->failed)
        return &p->spare;
    *name = (struct regex_name){ p->re->names, text, p->re->group_count };
    struct regex_node *head = new_group(p, true), *tail = p->tail;
    p->re->names = name; /* known to what is in the group already */
    head->next = expression(p, tail);
    p->tail = tail;
    return head;
}

/* What begins with (?, the cursor on the question mark: its head, its tail in p->tail. NULL: flags only. */
static struct regex_node *special_group(struct parser *p)
{
    uint32_t c = skip(p);
    struct regex_node *n;

    switch (c) {
    case ':':
        return inside(p, false);
    case '=':
    case '!':
        n = inside(p, false);
        p->tail = new_node(p, RN_AHEAD);
        p->tail->negative = c == '!';
        p->tail->body = n;
        return p->tail;
    case '>':
        n = inside(p, false);
        p->tail = new_node(p, RN_OPTION);
        p->tail->greed = RG_INDEPENDENT;
        p->tail->body = n;
        return p->tail;
    case '<':
        c = take(p);
        if (c != '=' && c != '!')
            return named_group(p, c);
        return p->tail = look_behind(p, c == '!');
    case '$':
    case '@':
        fail_syntax(p, "Unknown group type");
        return &p->spare;
    default:
        p->cursor--;
        read_flags(p);
        c = take(p);
        if (c == ')')
            return NULL;
        if (c != ':')
            fail_syntax(p, "Unknown inline modifier");
        return inside(p, false);
    }
}

/* A group that may be left out: branches of it and of nothing. */
static struct regex_node *optional_group(struct parser *p, struct regex_node *head, struct regex_node *tail,
                                         enum regex_greed how)
{
    struct regex_node *branch = new_node(p, RN_BRANCH), *end = new_node(p, RN_BRANCH_END);
    if (!(branch->branches = allocate(p, 2 * sizeof *branch->branches)))
        return &p->spare;
    branch->branch_count = 2;
    branch->branches[how == RG_LAZY] = head;
    branch->body = end;
    tail->next = end;
    p->tail = end;
    return branch;
}

/* A group that is repeated, greedy or lazy. */
static struct regex_node *repeated_group(struct parser *p, struct regex_node *head, struct regex_node *tail,
                                         const struct regex_node *how)
{
    struct regex_node *n, *prolog;
    bool one_way = study(p, head, nothing_known).single;

    if (p->failed)
        return &p->spare;
    n = new_node(p, one_way ? RN_GROUP : RN_LOOP);
    n->least = how->least;
    n->most = how->most;
    n->greed = how->greed;
    p->tail = n;
    if (one_way) { /* the repetition itself captures */
        n->captures = tail->captures;
        n->group = tail->group;
        n->body = head->next == tail ? &p->accept : head->next;
        tail->op = RN_ACCEPT;
        return n;
    }
    n->body = head;
    n->begin = head->begin;
    n->count = p->re->local_count++;
    tail->next = n;
    if (n->greed == RG_GREEDY && n->most == REGEX_REPEATED_MAX)
        buf_put(&p->loops, &n, sizeof n);
    prolog = new_node(p, RN_PROLOG);
    prolog->body = n;
    return prolog;
}

/* The cursor on its bracket: its head, its tail in p->tail. NULL: flags only. */
static struct regex_node *group(struct parser *p)
{
    unsigned flags = p->flags;
    size_t loops = p->loops.len;
    struct regex_node *head, *tail, *n;

    if (!enter(p))
        return &p->spare;
    head = next(p) == '?' ? special_group(p) : inside(p, true);
    p->depth--;
    if (!head)
        return NULL;
    tail = p->tail;
    if (take(p) != ')')
        fail_syntax(p, "Unclosed group");
    p->flags = flags;
    n = closure(p, head);
    if (p->failed || n == head) {
        p->tail = tail;
        return n;
    }
    if (head == tail) { /* it has no width */
        p->tail = n;
        return n;
    }
    p->loops.len = loops;
    p->tail = n;
    if (n->greed == RG_POSSESSIVE)
        return n;
    return n->op == RN_OPTION ? optional_group(p, head, tail, n->greed) : repeated_group(p, head, tail, n);
}

static struct regex_node *any_but_line_ends(struct parser *p)
{
    size_t first = terms_read(p);
    if (has(p, REGEX_DOTALL)) {
        put_term(p, (struct regex_term){ RT_RANGE, 0, 0x10ffff, NULL });
    } else {
        put_term(p, (struct regex_term){ RT_RANGE, '\n', '\n', NULL });
        if (!has(p, REGEX_UNIX_LINES)) {
            put_term(p, (struct regex_term){ RT_RANGE, '\r', '\r', NULL });
            put_operator(p, RT_OR);
            put_term(p, (struct regex_term){ RT_RANGE, 0x85, 0x85, NULL });
            put_operator(p, RT_OR);
            put_term(p, (struct regex_term){ RT_RANGE, 0x2028, 0x2029, NULL });
            put_operator(p, RT_OR);
        }
        put_operator(p, RT_NOT);
    }
    bool pairs = p->re->pairs; /* it has them, but is no reason to search by them */
    struct regex_node *n = class_node(p, first);
    p->re->pairs = pairs;
    return n;
}

/* What is no group, without its repetition. */
static struct regex_node *simple(struct parser *p, uint32_t c)
{
    size_t first = terms_read(p);
    switch (c) {
    case '[':
        class_terms(p, true);
        return class_node(p, first);
    case '^':
        next(p);
        return has(p, REGEX_MULTILINE) ? plain_node(p, RN_CARET) : new_node(p, RN_BEGIN);
    case '$':
        next(p);
        return plain_node(p, RN_DOLLAR);
    case '.':
        next(p);
        return any_but_line_ends(p);
    case '?':
    case '*':
    case '+':
        next(p);
        fail_syntax(p, "Dangling meta character '%c'", (char)c);
        return &p->spare;
    default:
        return atom(p);
    }
}

/* One after the other up to | or ) or the end; its tail in p->tail. end: there is none. */
static struct regex_node *sequence(struct parser *p, struct regex_node *end)
{
    struct regex_node *head = NULL, *tail = NULL, *n;

    while (!p->failed) {
        uint32_t c = peek(p);
        if (c == '|' || c == ')' || (!c && p->cursor >= p->len))
            break;
        if (c == '(') {
            if (!(n = group(p)))
                continue;
        } else {
            n = closure(p, simple(p, c));
            p->tail = n;
        }
        if (head)
            tail->next = n;
        else
            head = n;
        tail = p->tail;
    }
    if (!head || p->failed)
        return end;
    tail->next = end;
    p->tail = tail;
    return head;
}

/* Sequences with | between. */
static struct regex_node *expression(struct parser *p, struct regex_node *end)
{
    struct regex_node *first = sequence(p, end), *tail = p->tail, *branch, *join;
    struct buf branches;
    void *none = NULL;

    if (peek(p) != '|' || p->failed)
        return first;
    branch = new_node(p, RN_BRANCH);
    join = new_node(p, RN_BRANCH_END);
    join->next = end;
    branch->body = join;
    buf_init(&branches, p->run->ctx->arena);
    for (;;) {
        if (first != end)
            tail->next = join;
        buf_put(&branches, first == end ? &none : (void *)&first, sizeof first);
        branch->branch_count++;
        if (p->failed || peek(p) != '|')
            break;
        next(p);
        first = sequence(p, end);
        tail = p->tail;
    }
    if (branches.failed || !java_charge(p->run, branches.len))
        stop(p);
    branch->branches = (struct regex_node **)(void *)branches.data;
    return branch;
}

/* ---- the whole ---- */

bool regex_syntax_error(struct java_run *run, struct java_object *what, const struct java_object *pattern,
                        int32_t index, struct java_object **out)
{
    struct java_object *o = java_new(run, J_PATTERN_SYNTAX);
    struct buf text;
    char where[40] = "\n";

    if (!o)
        return false;
    buf_init(&text, run->ctx->arena);
    if (index >= 0)
        snprintf(where, sizeof where, " near index %d\n", index);
    if (!java_print(run, &text, what))
        return false;
    java_put_ascii(&text, where, strlen(where));
    buf_put(&text, pattern->string.units, pattern->string.len * sizeof(uint16_t));
    if (index >= 0 && (uint32_t)index < pattern->string.len) {
        java_put_ascii(&text, "\n", 1);
        for (int32_t i = 0; i < index; i++)
            java_put_ascii(&text, pattern->string.units[i] == '\t' ? "\t" : " ", 1);
        java_put_ascii(&text, "^", 1);
    }
    if (!java_ok(run, text.failed ? fail_nomem(run->ctx) : WR_OK) ||
        !java_string(run, (const uint16_t *)(const void *)text.data, text.len / sizeof(uint16_t), &o->message))
        return false;
    o->description = what;
    o->pattern_text = (struct java_object *)pattern;
    o->index = index;
    *out = o;
    return true;
}

static bool throw_syntax(struct parser *p)
{
    struct java_object *what, *o;
    struct buf text;

    buf_init(&text, p->run->ctx->arena);
    java_put_ascii(&text, p->error, strlen(p->error));
    for (size_t i = 0; i < text.len / sizeof(uint16_t); i++) {
        uint16_t *unit = (uint16_t *)(void *)text.data + i;
        *unit = *unit == NO_NAME ? 0 : *unit;
    }
    if (!java_ok(p->run, text.failed ? fail_nomem(p->run->ctx) : WR_OK) ||
        !java_string(p->run, (const uint16_t *)(const void *)text.data, text.len / sizeof(uint16_t), &what) ||
        !regex_syntax_error(p->run, what, p->re->pattern, p->error_at, &o))
        return false;
    p->run->thrown = o;
    return false;
}

static void read_text(struct parser *p, const struct java_object *pattern)
{
    uint32_t len = pattern->string.len;
    p->room = len + 2;
    if (!(p->text = allocate(p, p->room * sizeof *p->text)))
        return;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t c = pattern->string.units[i];
        if ((c & 0xfc00) == 0xd800 && i + 1 < len && (pattern->string.units[i + 1] & 0xfc00) == 0xdc00)
            c = 0x10000 + ((c & 0x3ff) << 10) + (pattern->string.units[++i] & 0x3ffu);
        p->re->pairs |= is_supplementary(c);
        p->text[p->len++] = c;
    }
}

/* Loops that no repetition is around need not try a place twice where nothing refers to a group. */
static void give_memories(struct parser *p)
{
    struct regex_node **loops = (struct regex_node **)(void *)p->loops.data;
    for (size_t i = 0; i < p->loops.len / sizeof *loops && !p->referring; i++)
        loops[i]->memory = (int32_t)p->re->memory_count++;
}

bool regex_compile(struct java_run *run, const struct java_object *pattern, unsigned flags, struct regex **out)
{
    struct parser *p = java_alloc(run, sizeof *p); /* the graph points to its accept */
    struct regex *re = java_alloc(run, sizeof *re);
    struct regex_node *last;

    if (!p || !re)
        return false;
    if (flags & REGEX_UNICODE_CLASS)
        flags |= REGEX_UNICODE_CASE;
    *re = (struct regex){ .pattern = pattern, .group_count = 1 };
    p->run = run;
    p->re = re;
    p->flags = flags;
    p->accept.op = RN_ACCEPT;
    buf_init(&p->terms, run->ctx->arena);
    buf_init(&p->loops, run->ctx->arena);
    read_text(p, pattern);
    if (has(p, REGEX_CANON_EQ))
        fail_unsupported(p, "canonical equivalence");
    if (!has(p, REGEX_LITERAL))
        unquote(p);
    last = new_node(p, RN_LAST);
    if (has(p, REGEX_LITERAL)) {
        struct buf all;
        buf_init(&all, run->ctx->arena);
        buf_put(&all, p->text, p->failed ? 0 : p->len * sizeof *p->text);
        re->first = slice_node(p, &all);
        re->first->next = last;
    } else {
        re->first = expression(p, last);
        if (p->cursor != p->len)
            fail_syntax(p, peek(p) == ')' ? "Unmatched closing ')'" : "Unexpected internal error");
    }
    give_memories(p);
    re->least = study(p, re->first, nothing_known).least;
    re->flags = p->flags;
    re->given = flags;
    *out = re;
    if (p->error[0])
        return throw_syntax(p);
    if (p->terms.failed || p->loops.failed)
        return java_ok(run, fail_nomem(run->ctx));
    return !p->failed;
}
