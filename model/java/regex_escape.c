/* Classes and escapes of a pattern. */
#include "model/java/regex_read.h"
#include "model/unicode.h"

/* ---- classes ---- */

void regex_put_term(struct regex_parser *p, struct regex_term term)
{
    buf_put(&p->terms, &term, sizeof term);
    if (p->terms.failed || !java_charge(p->run, sizeof term))
        regex_stop(p);
}

void regex_put_operator(struct regex_parser *p, enum regex_term_op op)
{
    regex_put_term(p, (struct regex_term){ op, 0, 0, NULL });
}

size_t regex_terms_read(const struct regex_parser *p)
{
    return p->terms.len / sizeof(struct regex_term);
}

struct regex_term regex_single(const struct regex_parser *p, uint32_t c)
{
    bool unicode = regex_flag(p, REGEX_UNICODE_CASE);
    if (!regex_flag(p, REGEX_CASE_INSENSITIVE) || (!unicode && c >= 128))
        return (struct regex_term){ RT_RANGE, c, c, NULL };
    if (unicode && unicode_char_upper(c) == regex_fold(c, true)) /* Pattern.single: it has but one case, though it may be the lower one of another */
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
struct regex_node *regex_class_node(struct regex_parser *p, size_t first)
{
    struct regex_node *n = regex_new_node(p, RN_CLASS);
    size_t count = regex_terms_read(p) - first;
    struct regex_term *terms = regex_allocate(p, (count + 1) * sizeof *terms);

    n->class = regex_allocate(p, sizeof *n->class);
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

struct regex_node *regex_term_node(struct regex_parser *p, struct regex_term term)
{
    size_t first = regex_terms_read(p);
    regex_put_term(p, term);
    return regex_class_node(p, first);
}

/* \pL and \p{Name}; the cursor is in front of the name. */
static void family(struct regex_parser *p, bool one_letter, bool negative)
{
    char name[80], *equals;
    size_t n = 0;
    struct regex_term term = { RT_RANGE, 0, 0, NULL };
    bool unsupported;

    regex_next(p);
    if (one_letter) {
        uint32_t c = regex_at(p, p->cursor);
        regex_take(p);
        if (c < 128)
            name[n++] = (char)c;
    } else {
        uint32_t from = p->cursor, c;
        while ((c = p->cursor >= p->len ? '}' : regex_at(p, p->cursor)) != '}') {
            if (n < sizeof name - 1)
                name[n++] = c < 128 ? (char)c : '?';
            p->cursor++;
        }
        p->cursor++;
        if (p->cursor > p->len)
            regex_fail_syntax(p, "Unclosed character family");
        if (from + 1 >= p->cursor)
            regex_fail_syntax(p, "Empty character family");
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
            regex_fail_unsupported(p, "a script or block");
        else if (!general || strncmp(equals + 1, "Is", 2) == 0 || strncmp(equals + 1, "In", 2) == 0 ||
                 !regex_property(slice_str(equals + 1), p->flags & ~(unsigned)REGEX_UNICODE_CLASS, &term, &unsupported))
            regex_fail_syntax(p, "Unknown Unicode property {name=<%s>, value=<%s>}", name, equals + 1);
    } else if (!regex_property(slice_of(name, n), p->flags, &term, &unsupported)) {
        if (unsupported)
            regex_fail_unsupported(p, "a script or block");
        else if (one_letter && !name[0])
            regex_fail_syntax(p, "Unknown character property name {%c}", REGEX_NO_NAME);
        else
            regex_fail_syntax(p, "Unknown character property name {%s}", name);
    }
    regex_put_term(p, term);
    if (negative)
        regex_put_operator(p, RT_NOT);
}

/* The cursor stands on p or P. */
void regex_read_property(struct regex_parser *p)
{
    bool negative = regex_at(p, p->cursor) == 'P', one_letter = regex_next(p) != '{';
    if (one_letter)
        p->cursor--;
    family(p, one_letter, negative);
}

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
static bool put_character(struct regex_parser *p, uint8_t *bits, uint32_t c)
{
    bool any_case = regex_flag(p, REGEX_CASE_INSENSITIVE), unicode = regex_flag(p, REGEX_UNICODE_CASE);

    if (c >= 256 || (any_case && unicode && folds_far(c))) {
        regex_put_term(p, regex_single(p, c));
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
static bool range(struct regex_parser *p, uint8_t *bits)
{
    uint32_t c = regex_peek(p);
    if (c == '\\') {
        c = regex_next_plain(p);
        if (c == 'p' || c == 'P') {
            regex_read_property(p);
            return true;
        }
        bool in_range = regex_at(p, p->cursor + 1) == '-';
        p->cursor--;
        int64_t escaped = regex_read_escape(p, true, true, in_range);
        if (escaped < 0)
            return true;
        c = (uint32_t)escaped;
    } else {
        regex_next(p);
    }
    if (regex_peek(p) != '-')
        return put_character(p, bits, c);
    uint32_t end = regex_at(p, p->cursor + 1);
    if (end == '[' || end == ']')
        return put_character(p, bits, c);
    regex_next(p);
    int64_t to = regex_peek(p);
    if (to == '\\')
        to = regex_read_escape(p, true, false, true);
    else
        regex_next(p);
    if (to < c)
        regex_fail_syntax(p, "Illegal character range");
    regex_put_term(p, (struct regex_term){ !regex_flag(p, REGEX_CASE_INSENSITIVE) ? RT_RANGE
                                           : regex_flag(p, REGEX_UNICODE_CASE)    ? RT_RANGE_CASE
                                                                                  : RT_RANGE_ASCII_CASE,
                                           c, (uint32_t)to, NULL });
    return true;
}

/* A class as far as it is read. */
struct class_so_far {
    uint8_t *bits; /* of characters that are no terms, one set for the whole class: what comes behind && is added to the set that stands in front of it, too, as Java has it */
    bool has_bits, has_terms;
    size_t from, to; /* the terms of what was read last; equal: it went into bits */
};

static void add_terms(struct regex_parser *p, struct class_so_far *s)
{
    if (s->has_terms)
        regex_put_operator(p, RT_OR);
    s->has_terms = true;
}

static void bits_to_term(struct regex_parser *p, struct class_so_far *s)
{
    if (!s->has_bits)
        return;
    regex_put_term(p, (struct regex_term){ RT_BITS, 0, 0, s->bits });
    if (!s->has_terms) {
        s->to = regex_terms_read(p);
        s->from = s->to - 1;
    }
    add_terms(p, s);
    s->has_bits = false;
}

/* What stands behind &&, the cursor on the second. */
static void read_intersection(struct regex_parser *p, struct class_so_far *s)
{
    uint32_t c = regex_next(p);
    bool right = false;

    bits_to_term(p, s);
    size_t right_from = regex_terms_read(p);
    for (; c != ']' && c != '&' && !p->failed; c = regex_peek(p)) {
        p->cursor -= c != '[';
        regex_read_class(p, c == '[');
        if (right)
            regex_put_operator(p, RT_OR);
        right = true;
    }
    if (!s->has_terms && !right)
        regex_fail_syntax(p, "Bad class syntax");
    if (right) {
        s->from = right_from;
        s->to = regex_terms_read(p);
    } else if (s->from == s->to) {
        regex_fail_unsupported(p, "&& with nothing behind it");
    } else {
        for (size_t i = s->from; i < s->to && !p->failed; i++)
            regex_put_term(p, ((const struct regex_term *)(const void *)p->terms.data)[i]);
    }
    if (s->has_terms)
        regex_put_operator(p, RT_AND);
    s->has_terms = true;
}

/* [...], the cursor on the bracket; or, consume false, what is between && and the bracket at the end. Its terms are put
 * behind the others'. */
void regex_read_class(struct regex_parser *p, bool consume)
{
    struct class_so_far s = { .bits = regex_allocate(p, 32) };
    uint32_t c = regex_next(p);

    if (!s.bits || !regex_enter(p))
        return;
    bool negative = c == '^' && regex_at(p, p->cursor - 1) == '[';
    if (negative)
        c = regex_next(p);
    for (; !p->failed; c = regex_peek(p)) {
        if (c == '[') {
            s.from = regex_terms_read(p);
            regex_read_class(p, true);
            s.to = regex_terms_read(p);
            add_terms(p, &s);
            continue;
        }
        if (c == '&') {
            if (regex_next(p) == '&') {
                read_intersection(p, &s);
                continue;
            }
            p->cursor--;
        }
        if (!c && p->cursor >= p->len)
            regex_fail_syntax(p, "Unclosed character class");
        if (c == ']' && (s.has_terms || s.has_bits)) {
            if (consume)
                regex_next(p);
            break;
        }
        s.from = regex_terms_read(p);
        bool is_term = range(p, s.bits);
        s.to = regex_terms_read(p);
        if (is_term)
            add_terms(p, &s);
        else
            s.has_bits = true;
    }
    bits_to_term(p, &s);
    if (negative)
        regex_put_operator(p, RT_NOT);
    p->depth--;
}

/* ---- escapes ---- */

static int64_t octal(struct regex_parser *p)
{
    uint32_t a = regex_take(p), b, c;
    if (!regex_is_octal(a)) {
        regex_fail_syntax(p, "Illegal octal escape sequence");
        return 0;
    }
    b = regex_take(p);
    if (!regex_is_octal(b)) {
        p->cursor--;
        return a - '0';
    }
    c = regex_take(p);
    if (regex_is_octal(c) && a <= '3')
        return (a - '0') * 64 + (b - '0') * 8 + (c - '0');
    p->cursor--;
    return (a - '0') * 8 + (b - '0');
}

static int64_t hexadecimal(struct regex_parser *p)
{
    uint32_t a = regex_take(p), v = 0, c;
    if (regex_hex_digit(a) >= 0) {
        uint32_t b = regex_take(p);
        if (regex_hex_digit(b) >= 0)
            return regex_hex_digit(a) * 16 + regex_hex_digit(b);
    } else if (a == '{' && regex_hex_digit(regex_peek(p)) >= 0) {
        while (regex_hex_digit(c = regex_take(p)) >= 0) {
            v = v * 16 + (uint32_t)regex_hex_digit(c);
            if (v > 0x10ffff) {
                regex_fail_syntax(p, "Hexadecimal codepoint is too big");
                return 0;
            }
        }
        if (c != '}')
            regex_fail_syntax(p, "Unclosed hexadecimal escape sequence");
        return v;
    }
    regex_fail_syntax(p, "Illegal hexadecimal escape sequence");
    return 0;
}

static uint32_t four_digits(struct regex_parser *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4 && !p->failed; i++) {
        int digit = regex_hex_digit(regex_take(p));
        if (digit < 0)
            regex_fail_syntax(p, "Illegal Unicode escape sequence");
        v = v * 16 + (uint32_t)digit;
    }
    return v;
}

static int64_t unicode(struct regex_parser *p)
{
    uint32_t c = four_digits(p), low;
    if ((c & 0xfc00) != 0xd800 || p->failed)
        return c;
    uint32_t cursor = p->cursor;
    if (regex_take(p) == '\\' && regex_take(p) == 'u') {
        low = four_digits(p);
        if ((low & 0xfc00) == 0xdc00)
            return 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
    }
    p->cursor = cursor;
    return c;
}

struct slice regex_read_name(struct regex_parser *p, uint32_t c)
{
    struct buf name;
    buf_init(&name, p->run->ctx->arena);
    if (!regex_is_letter(c))
        regex_fail_syntax(p, "capturing group name does not start with a Latin letter");
    do {
        buf_put_u8(&name, (uint8_t)c);
        c = regex_take(p);
    } while (regex_is_letter(c) || regex_is_digit(c));
    if (c != '>')
        regex_fail_syntax(p, "named capturing group is missing trailing '>'");
    if (name.failed || !java_charge(p->run, name.len))
        regex_stop(p);
    return buf_slice(&name);
}

const struct regex_name *regex_find_name(const struct regex *re, struct slice name)
{
    const struct regex_name *n = re->names;
    while (n && !slice_eq(n->name, name))
        n = n->next;
    return n;
}

static struct regex_node *reference(struct regex_parser *p, uint32_t group)
{
    struct regex_node *n = regex_new_node(p, RN_REFERENCE);
    n->group = group;
    n->fold = regex_flag(p, REGEX_CASE_INSENSITIVE);
    n->unicode = regex_flag(p, REGEX_UNICODE_CASE);
    p->referring = true;
    return n;
}

/* As many digits as make a group that is there. */
static struct regex_node *numbered_reference(struct regex_parser *p, uint32_t group)
{
    for (uint32_t c = regex_peek(p); regex_is_digit(c); c = regex_peek(p)) {
        uint64_t more = group * UINT64_C(10) + (c - '0');
        if (more >= p->re->group_count)
            break;
        group = (uint32_t)more;
        regex_take(p);
    }
    return reference(p, group);
}

struct regex_node *regex_plain_node(struct regex_parser *p, enum regex_op op)
{
    struct regex_node *n = regex_new_node(p, op);
    n->unix_lines = regex_flag(p, REGEX_UNIX_LINES);
    n->multiline = regex_flag(p, REGEX_MULTILINE);
    n->unicode = regex_flag(p, REGEX_UNICODE_CLASS);
    return n;
}

/* What is no character and stands outside of a class: \b and its kind. NULL: none. */
static struct regex_node *assertion(struct regex_parser *p, uint32_t c)
{
    struct regex_node *n = NULL;
    switch (c) {
    case 'A':
        return regex_new_node(p, RN_BEGIN);
    case 'z':
        return regex_new_node(p, RN_END);
    case 'G':
        return regex_new_node(p, RN_LAST_MATCH);
    case 'R':
        return regex_new_node(p, RN_LINE_ENDING);
    case 'Z':
        n = regex_plain_node(p, RN_DOLLAR);
        n->multiline = false;
        return n;
    case 'b':
    case 'B':
        if (c == 'b' && regex_peek(p) == '{' && regex_at(p, p->cursor + 1) == 'g')
            regex_fail_unsupported(p, "\\b{g}");
        n = regex_plain_node(p, RN_BOUND);
        n->negative = c == 'B';
        return n;
    case 'X':
        regex_fail_unsupported(p, "\\X");
        return &p->spare;
    default:
        return NULL;
    }
}

static void named_reference(struct regex_parser *p, bool create)
{
    if (regex_take(p) != '<')
        regex_fail_syntax(p, "\\k is not followed by '<' for named capturing group");
    struct slice name = regex_read_name(p, regex_take(p));
    const struct regex_name *known = regex_find_name(p->re, name);
    if (!known)
        regex_fail_syntax(p, "named capturing group <%.*s> does not exist", SLICE_ARG(name));
    if (create)
        p->tail = reference(p, known ? known->group : 0);
}

/* The cursor stands on the backslash. A character; or -1: what it stands for is p->tail or, in a class, its terms. */
int64_t regex_read_escape(struct regex_parser *p, bool in_class, bool create, bool in_range)
{
    static const char from[] = "aefnrt", to[] = "\a\033\f\n\r\t";
    uint32_t c = regex_skip(p), low = c | 32;
    const char *plain = c && c < 128 ? strchr(from, (char)c) : NULL;

    if (plain)
        return to[plain - from];
    if (!regex_is_letter(c) && !regex_is_digit(c))
        return c;
    if (c == '0')
        return octal(p);
    if (c == 'c') {
        if (p->cursor < p->len)
            return regex_take(p) ^ 64;
        regex_fail_syntax(p, "Illegal control escape sequence");
        return 0;
    }
    if (c == 'u')
        return unicode(p);
    if (c == 'x')
        return hexadecimal(p);
    if (c == 'N') {
        regex_fail_unsupported(p, "\\N");
        return 0;
    }
    if (c == 'v' && in_range)
        return '\v';
    if (strchr("dhsvw", (char)low) && low) {
        size_t first = regex_terms_read(p);
        if (!create)
            return -1;
        bool pairs = p->re->pairs;
        regex_put_term(p, regex_predefined((char)low, p->flags));
        if (c != low)
            regex_put_operator(p, RT_NOT);
        if (!in_class)
            p->tail = regex_class_node(p, first);
        if (c == 'h' || c == 'v')
            p->re->pairs = pairs;
        return -1;
    }
    if (!in_class && regex_is_digit(c)) {
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
        regex_fail_syntax(p, "Illegal/unsupported escape sequence");
    else if (create)
        p->tail = n;
    return -1;
}
