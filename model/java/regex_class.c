/* Classes of characters in patterns. */
#include "model/java/regex.h"

#include "model/unicode.h"

/* ---- sets of categories, as unicode_category numbers them ---- */

enum {
    CN,
    LU,
    LL,
    LT,
    LM,
    LO,
    MN,
    MC,
    ME,
    ND,
    NL,
    NO,
    PC,
    PD,
    PS,
    PE,
    PI,
    PF,
    PO,
    SM,
    SC,
    SK,
    SO,
    ZS,
    ZL,
    ZP,
    CC,
    CF,
    CS,
    CO,
};
#define OF(category) (UINT32_C(1) << (category))

enum {
    CASED = OF(LU) | OF(LL) | OF(LT),
    LETTERS = OF(LU) | OF(LL) | OF(LT) | OF(LM) | OF(LO),
    MARKS = OF(MN) | OF(MC) | OF(ME),
    NUMBERS = OF(ND) | OF(NL) | OF(NO),
    PUNCTUATION = OF(PC) | OF(PD) | OF(PS) | OF(PE) | OF(PI) | OF(PF) | OF(PO),
    SYMBOLS = OF(SM) | OF(SC) | OF(SK) | OF(SO),
    SEPARATORS = OF(ZS) | OF(ZL) | OF(ZP),
    OTHERS = OF(CC) | OF(CF) | OF(CS) | OF(CO) | OF(CN),
};

static bool is_of(uint32_t c, uint32_t categories)
{
    return categories >> unicode_category(c) & 1;
}

/* ---- what ASCII's characters are ---- */

enum {
    ASCII_UPPER = 1,
    ASCII_LOWER = 2,
    ASCII_DIGIT = 4,
    ASCII_SPACE = 8,
    ASCII_PUNCT = 16,
    ASCII_CNTRL = 32,
    ASCII_BLANK = 64,
    ASCII_HEX = 128,
    ASCII_UNDER = 256,
    ASCII_ALPHA = ASCII_UPPER | ASCII_LOWER,
    ASCII_ALNUM = ASCII_ALPHA | ASCII_DIGIT,
};

static uint32_t ascii_kinds(uint32_t c)
{
    if (c >= 128)
        return 0;
    uint32_t low = c | 32;
    bool digit = c >= '0' && c <= '9', letter = low >= 'a' && low <= 'z';
    return (digit ? ASCII_DIGIT : 0) | (letter ? (c == low ? ASCII_LOWER : ASCII_UPPER) : 0) |
           (c == ' ' || (c >= 9 && c <= 13) ? ASCII_SPACE : 0) | (c == ' ' || c == '\t' ? ASCII_BLANK : 0) |
           (c < 32 || c == 127 ? ASCII_CNTRL : 0) | (c > 32 && c < 127 && !digit && !letter ? ASCII_PUNCT : 0) |
           (digit || (low >= 'a' && low <= 'f') ? ASCII_HEX : 0) | (c == '_' ? ASCII_UNDER : 0);
}

/* ---- classes that are no set of categories ---- */

enum regex_named {
    NAMED_ALPHABETIC,
    NAMED_LOWER,
    NAMED_UPPER,
    NAMED_CASED,
    NAMED_WHITE,
    NAMED_HEX,
    NAMED_WORD,
    NAMED_ALNUM,
    NAMED_BLANK,
    NAMED_GRAPH,
    NAMED_PRINT,
    NAMED_IDEOGRAPHIC,
    NAMED_JOINER,
    NAMED_NONCHARACTER,
    NAMED_HORIZONTAL,
    NAMED_VERTICAL,
    NAMED_JAVA_SPACE,
    NAMED_JAVA_START,
    NAMED_JAVA_PART,
    NAMED_IGNORABLE,
};

static bool between(uint32_t c, uint32_t from, uint32_t to)
{
    return c >= from && c <= to;
}

/* Letters in circles and squares, which are symbols to their category. */
static bool is_circled(uint32_t c)
{
    return between(c, 0x24b6, 0x24e9) || between(c, 0x1f130, 0x1f149) || between(c, 0x1f150, 0x1f169) ||
           between(c, 0x1f170, 0x1f189);
}

static bool is_alphabetic(uint32_t c)
{
    return is_of(c, LETTERS | OF(NL)) || is_circled(c);
}

static bool is_lower(uint32_t c)
{
    return is_of(c, OF(LL)) || c == 0xaa || c == 0xba || between(c, 0x2b0, 0x2b8) || between(c, 0x2c0, 0x2c1) ||
           between(c, 0x2e0, 0x2e4) || c == 0x345 || c == 0x37a || between(c, 0x1d2c, 0x1d6a) || c == 0x1d78 ||
           between(c, 0x1d9b, 0x1dbf) || c == 0x2071 || c == 0x207f || between(c, 0x2090, 0x209c) ||
           between(c, 0x2170, 0x217f) || between(c, 0x24d0, 0x24e9) || between(c, 0x2c7c, 0x2c7d) ||
           between(c, 0xa69c, 0xa69d) || c == 0xa770 || between(c, 0xa7f8, 0xa7f9) || between(c, 0xab5c, 0xab5f);
}

static bool is_upper(uint32_t c)
{
    return is_of(c, OF(LU)) || between(c, 0x2160, 0x216f) || between(c, 0x24b6, 0x24cf) ||
           between(c, 0x1f130, 0x1f149) || between(c, 0x1f150, 0x1f169) || between(c, 0x1f170, 0x1f189);
}

static bool is_white(uint32_t c)
{
    return is_of(c, SEPARATORS) || between(c, 9, 13) || c == 0x85;
}

static bool is_graph(uint32_t c)
{
    return !is_white(c) && !is_of(c, OF(CC) | OF(CS) | OF(CN));
}

static bool is_ignorable(uint32_t c)
{
    return c <= 8 || between(c, 0xe, 0x1b) || between(c, 0x7f, 0x9f) || is_of(c, OF(CF));
}

static bool is_hex(uint32_t c)
{
    return is_of(c, OF(ND)) || between(c, 0xff21, 0xff26) || between(c, 0xff41, 0xff46) || ascii_kinds(c) & ASCII_HEX;
}

static bool is_vertical(uint32_t c)
{
    return between(c, 10, 13) || c == 0x85 || between(c, 0x2028, 0x2029);
}

static bool is_named(enum regex_named name, uint32_t c)
{
    enum { START = LETTERS | OF(NL) | OF(SC) | OF(PC) };
    switch (name) {
    case NAMED_ALPHABETIC:
        return is_alphabetic(c);
    case NAMED_LOWER:
        return is_lower(c);
    case NAMED_UPPER:
        return is_upper(c);
    case NAMED_CASED:
        return is_lower(c) || is_upper(c) || is_of(c, OF(LT));
    case NAMED_WHITE:
        return is_white(c);
    case NAMED_HEX:
        return is_hex(c);
    case NAMED_WORD:
        return is_alphabetic(c) || is_of(c, MARKS | OF(ND) | OF(PC)) || between(c, 0x200c, 0x200d);
    case NAMED_ALNUM:
        return is_alphabetic(c) || is_of(c, OF(ND));
    case NAMED_BLANK:
        return is_of(c, OF(ZS)) || c == '\t';
    case NAMED_GRAPH:
        return is_graph(c);
    case NAMED_PRINT:
        return (is_graph(c) || is_of(c, OF(ZS)) || c == '\t') && !is_of(c, OF(CC));
    case NAMED_IDEOGRAPHIC:
        return between(c, 0x3006, 0x3007) || between(c, 0x3021, 0x3029) || between(c, 0x3038, 0x303a) ||
               between(c, 0x3400, 0x4dbf) || between(c, 0x4e00, 0x9ffc) || between(c, 0xf900, 0xfa6d) ||
               between(c, 0xfa70, 0xfad9) || between(c, 0x20000, 0x2a6dd) || between(c, 0x2a700, 0x2ebe0) ||
               between(c, 0x2f800, 0x2fa1d) || between(c, 0x30000, 0x3134a);
    case NAMED_JOINER:
        return between(c, 0x200c, 0x200d);
    case NAMED_NONCHARACTER:
        return (c & 0xfffe) == 0xfffe || between(c, 0xfdd0, 0xfdef);
    case NAMED_HORIZONTAL:
        return c == ' ' || c == '\t' || c == 0xa0 || c == 0x1680 || c == 0x180e || between(c, 0x2000, 0x200a) ||
               c == 0x202f || c == 0x205f || c == 0x3000;
    case NAMED_VERTICAL:
        return is_vertical(c);
    case NAMED_JAVA_SPACE:
        return between(c, 9, 13) || between(c, 0x1c, 0x1f) ||
               (is_of(c, SEPARATORS) && c != 0xa0 && c != 0x2007 && c != 0x202f);
    case NAMED_JAVA_START:
        return is_of(c, START);
    case NAMED_JAVA_PART:
        return is_of(c, START | OF(ND) | OF(MN) | OF(MC)) || is_ignorable(c);
    case NAMED_IGNORABLE:
        return is_ignorable(c);
    }
    return false;
}

struct regex_term regex_predefined(char letter, unsigned flags)
{
    bool unicode = flags & REGEX_UNICODE_CLASS;
    switch (letter) {
    case 'd':
        return unicode ? (struct regex_term){ RT_CATEGORIES, OF(ND), 0, NULL }
                       : (struct regex_term){ RT_ASCII, ASCII_DIGIT, 0, NULL };
    case 's':
        return unicode ? (struct regex_term){ RT_NAMED, NAMED_WHITE, 0, NULL }
                       : (struct regex_term){ RT_ASCII, ASCII_SPACE, 0, NULL };
    case 'w':
        return unicode ? (struct regex_term){ RT_NAMED, NAMED_WORD, 0, NULL }
                       : (struct regex_term){ RT_ASCII, ASCII_ALNUM | ASCII_UNDER, 0, NULL };
    case 'h':
        return (struct regex_term){ RT_NAMED, NAMED_HORIZONTAL, 0, NULL };
    default:
        return (struct regex_term){ RT_NAMED, NAMED_VERTICAL, 0, NULL };
    }
}

/* ---- \p{...} ---- */

struct property {
    const char *name;
    enum regex_term_op op;
    uint32_t from, to;
};

/* By their very names; those of ASCII for all of Unicode with (?U), and then in any case: see posix. */
static const struct property properties[] = {
    { "Cn", RT_CATEGORIES, OF(CN), 0 },
    { "Lu", RT_CATEGORIES, OF(LU), 0 },
    { "Ll", RT_CATEGORIES, OF(LL), 0 },
    { "Lt", RT_CATEGORIES, OF(LT), 0 },
    { "Lm", RT_CATEGORIES, OF(LM), 0 },
    { "Lo", RT_CATEGORIES, OF(LO), 0 },
    { "Mn", RT_CATEGORIES, OF(MN), 0 },
    { "Me", RT_CATEGORIES, OF(ME), 0 },
    { "Mc", RT_CATEGORIES, OF(MC), 0 },
    { "Nd", RT_CATEGORIES, OF(ND), 0 },
    { "Nl", RT_CATEGORIES, OF(NL), 0 },
    { "No", RT_CATEGORIES, OF(NO), 0 },
    { "Zs", RT_CATEGORIES, OF(ZS), 0 },
    { "Zl", RT_CATEGORIES, OF(ZL), 0 },
    { "Zp", RT_CATEGORIES, OF(ZP), 0 },
    { "Cc", RT_CATEGORIES, OF(CC), 0 },
    { "Cf", RT_CATEGORIES, OF(CF), 0 },
    { "Co", RT_CATEGORIES, OF(CO), 0 },
    { "Cs", RT_CATEGORIES, OF(CS), 0 },
    { "Pd", RT_CATEGORIES, OF(PD), 0 },
    { "Ps", RT_CATEGORIES, OF(PS), 0 },
    { "Pe", RT_CATEGORIES, OF(PE), 0 },
    { "Pc", RT_CATEGORIES, OF(PC), 0 },
    { "Po", RT_CATEGORIES, OF(PO), 0 },
    { "Sm", RT_CATEGORIES, OF(SM), 0 },
    { "Sc", RT_CATEGORIES, OF(SC), 0 },
    { "Sk", RT_CATEGORIES, OF(SK), 0 },
    { "So", RT_CATEGORIES, OF(SO), 0 },
    { "Pi", RT_CATEGORIES, OF(PI), 0 },
    { "Pf", RT_CATEGORIES, OF(PF), 0 },
    { "L", RT_CATEGORIES, LETTERS, 0 },
    { "M", RT_CATEGORIES, MARKS, 0 },
    { "N", RT_CATEGORIES, NUMBERS, 0 },
    { "Z", RT_CATEGORIES, SEPARATORS, 0 },
    { "C", RT_CATEGORIES, OTHERS, 0 },
    { "P", RT_CATEGORIES, PUNCTUATION, 0 },
    { "S", RT_CATEGORIES, SYMBOLS, 0 },
    { "LC", RT_CATEGORIES, CASED, 0 },
    { "LD", RT_CATEGORIES, LETTERS | OF(ND), 0 },
    { "L1", RT_RANGE, 0, 0xff },
    { "all", RT_RANGE, 0, 0x10ffff },
    { "ASCII", RT_RANGE, 0, 0x7f },
    { "Alnum", RT_ASCII, ASCII_ALNUM, 0 },
    { "Alpha", RT_ASCII, ASCII_ALPHA, 0 },
    { "Blank", RT_ASCII, ASCII_BLANK, 0 },
    { "Cntrl", RT_ASCII, ASCII_CNTRL, 0 },
    { "Digit", RT_ASCII, ASCII_DIGIT, 0 },
    { "Graph", RT_RANGE, 0x21, 0x7e },
    { "Lower", RT_ASCII, ASCII_LOWER, 0 },
    { "Print", RT_RANGE, 0x20, 0x7e },
    { "Punct", RT_ASCII, ASCII_PUNCT, 0 },
    { "Space", RT_ASCII, ASCII_SPACE, 0 },
    { "Upper", RT_ASCII, ASCII_UPPER, 0 },
    { "XDigit", RT_ASCII, ASCII_HEX, 0 },
    { "javaLowerCase", RT_NAMED, NAMED_LOWER, 0 },
    { "javaUpperCase", RT_NAMED, NAMED_UPPER, 0 },
    { "javaTitleCase", RT_CATEGORIES, OF(LT), 0 },
    { "javaAlphabetic", RT_NAMED, NAMED_ALPHABETIC, 0 },
    { "javaIdeographic", RT_NAMED, NAMED_IDEOGRAPHIC, 0 },
    { "javaDigit", RT_CATEGORIES, OF(ND), 0 },
    { "javaDefined", RT_CATEGORIES, ~OF(CN), 0 },
    { "javaLetter", RT_CATEGORIES, LETTERS, 0 },
    { "javaLetterOrDigit", RT_CATEGORIES, LETTERS | OF(ND), 0 },
    { "javaJavaIdentifierStart", RT_NAMED, NAMED_JAVA_START, 0 },
    { "javaJavaIdentifierPart", RT_NAMED, NAMED_JAVA_PART, 0 },
    { "javaIdentifierIgnorable", RT_NAMED, NAMED_IGNORABLE, 0 },
    { "javaSpaceChar", RT_CATEGORIES, SEPARATORS, 0 },
    { "javaWhitespace", RT_NAMED, NAMED_JAVA_SPACE, 0 },
    { "javaISOControl", RT_CATEGORIES, OF(CC), 0 },
    { NULL, RT_NOT, 0, 0 },
};

/* With (?i). */
static const struct property caseless[] = {
    { "Lu", RT_CATEGORIES, CASED, 0 },
    { "Ll", RT_CATEGORIES, CASED, 0 },
    { "Lt", RT_CATEGORIES, CASED, 0 },
    { "Lower", RT_ASCII, ASCII_ALPHA, 0 },
    { "Upper", RT_ASCII, ASCII_ALPHA, 0 },
    { "javaLowerCase", RT_NAMED, NAMED_CASED, 0 },
    { "javaUpperCase", RT_NAMED, NAMED_CASED, 0 },
    { "javaTitleCase", RT_NAMED, NAMED_CASED, 0 },
    { NULL, RT_NOT, 0, 0 },
};

/* With (?U) or behind Is, in any case. */
static const struct property posix[] = {
    { "ALPHA", RT_NAMED, NAMED_ALPHABETIC, 0 },
    { "LOWER", RT_NAMED, NAMED_LOWER, 0 },
    { "UPPER", RT_NAMED, NAMED_UPPER, 0 },
    { "SPACE", RT_NAMED, NAMED_WHITE, 0 },
    { "PUNCT", RT_CATEGORIES, PUNCTUATION, 0 },
    { "XDIGIT", RT_NAMED, NAMED_HEX, 0 },
    { "ALNUM", RT_NAMED, NAMED_ALNUM, 0 },
    { "CNTRL", RT_CATEGORIES, OF(CC), 0 },
    { "DIGIT", RT_CATEGORIES, OF(ND), 0 },
    { "BLANK", RT_NAMED, NAMED_BLANK, 0 },
    { "GRAPH", RT_NAMED, NAMED_GRAPH, 0 },
    { "PRINT", RT_NAMED, NAMED_PRINT, 0 },
    { NULL, RT_NOT, 0, 0 },
};

/* Behind Is, in any case. */
static const struct property binary[] = {
    { "ALPHABETIC", RT_NAMED, NAMED_ALPHABETIC, 0 },
    { "ASSIGNED", RT_CATEGORIES, ~OF(CN), 0 },
    { "CONTROL", RT_CATEGORIES, OF(CC), 0 },
    { "HEXDIGIT", RT_NAMED, NAMED_HEX, 0 },
    { "HEX_DIGIT", RT_NAMED, NAMED_HEX, 0 },
    { "IDEOGRAPHIC", RT_NAMED, NAMED_IDEOGRAPHIC, 0 },
    { "JOINCONTROL", RT_NAMED, NAMED_JOINER, 0 },
    { "JOIN_CONTROL", RT_NAMED, NAMED_JOINER, 0 },
    { "LETTER", RT_CATEGORIES, LETTERS, 0 },
    { "LOWERCASE", RT_NAMED, NAMED_LOWER, 0 },
    { "NONCHARACTERCODEPOINT", RT_NAMED, NAMED_NONCHARACTER, 0 },
    { "NONCHARACTER_CODE_POINT", RT_NAMED, NAMED_NONCHARACTER, 0 },
    { "TITLECASE", RT_CATEGORIES, OF(LT), 0 },
    { "PUNCTUATION", RT_CATEGORIES, PUNCTUATION, 0 },
    { "UPPERCASE", RT_NAMED, NAMED_UPPER, 0 },
    { "WHITESPACE", RT_NAMED, NAMED_WHITE, 0 },
    { "WHITE_SPACE", RT_NAMED, NAMED_WHITE, 0 },
    { "WORD", RT_NAMED, NAMED_WORD, 0 },
    { NULL, RT_NOT, 0, 0 },
};

/* With (?i). */
static const struct property binary_caseless[] = {
    { "LOWERCASE", RT_NAMED, NAMED_CASED, 0 }, { "UPPERCASE", RT_NAMED, NAMED_CASED, 0 },
    { "TITLECASE", RT_NAMED, NAMED_CASED, 0 }, { "LOWER", RT_NAMED, NAMED_CASED, 0 },
    { "UPPER", RT_NAMED, NAMED_CASED, 0 },     { NULL, RT_NOT, 0, 0 },
};

static bool same_name(struct slice name, const char *as, bool any_case)
{
    if (name.len != strlen(as))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        if ((any_case && c >= 'a' && c <= 'z' ? c - 32 : c) != as[i])
            return false;
    }
    return true;
}

static bool find(const struct property *table, struct slice name, bool any_case, struct regex_term *out)
{
    for (; table->name; table++)
        if (same_name(name, table->name, any_case)) {
            *out = (struct regex_term){ table->op, table->from, table->to, NULL };
            return true;
        }
    return false;
}

static bool begins(struct slice name, const char *with)
{
    return name.len >= strlen(with) && memcmp(name.data, with, strlen(with)) == 0;
}

bool regex_property(struct slice name, unsigned flags, struct regex_term *out, bool *unsupported)
{
    bool any_case = flags & REGEX_CASE_INSENSITIVE;

    *unsupported = false;
    if (begins(name, "Is")) {
        struct slice rest = slice_skip(name, 2);
        if ((any_case && find(binary_caseless, rest, true, out)) || find(binary, rest, true, out) ||
            find(posix, rest, true, out) || (any_case && find(caseless, rest, false, out)) || find(properties, rest, false, out))
            return true;
        *unsupported = rest.len != 0; /* scripts */
        return false;
    }
    if (begins(name, "In")) {
        *unsupported = name.len > 2; /* blocks */
        return false;
    }
    if (flags & REGEX_UNICODE_CLASS &&
        ((any_case && find(binary_caseless, name, true, out)) || find(posix, name, true, out)))
        return true;
    if ((any_case && find(caseless, name, false, out)) || find(properties, name, false, out))
        return true;
    *unsupported = begins(name, "javaUnicode") || begins(name, "javaMirrored");
    return false;
}

/* ---- asking ---- */

uint32_t regex_fold(uint32_t c, bool unicode)
{
    if (unicode)
        return unicode_char_lower(unicode_char_upper(c));
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool term_has(const struct regex_term *term, uint32_t c)
{
    uint32_t from = term->from, to = term->to, upper;
    switch (term->op) {
    case RT_RANGE:
        return between(c, from, to);
    case RT_RANGE_ASCII_CASE:
        return between(c, from, to) || (ascii_kinds(c) & ASCII_ALPHA && between(c ^ 32, from, to));
    case RT_RANGE_CASE:
        upper = unicode_char_upper(c);
        return between(c, from, to) || between(upper, from, to) || between(unicode_char_lower(upper), from, to);
    case RT_BITS:
        return c < 256 && term->bits[c / 8] >> c % 8 & 1;
    case RT_CATEGORIES:
        return is_of(c, from);
    case RT_ASCII:
        return ascii_kinds(c) & from;
    default:
        return is_named((enum regex_named)from, c);
    }
}

static bool reckon(const struct regex_class *class, uint32_t c)
{
    bool stack[3 * REGEX_DEPTH_MAX];
    uint32_t n = 0;

    for (uint32_t i = 0; i < class->count; i++) {
        const struct regex_term *t = &class->terms[i];
        if (t->op == RT_NOT) {
            stack[n - 1] = !stack[n - 1];
        } else if (t->op == RT_OR || t->op == RT_AND) {
            n--;
            stack[n - 1] = t->op == RT_OR ? stack[n - 1] || stack[n] : stack[n - 1] && stack[n];
        } else {
            stack[n++] = term_has(t, c);
        }
    }
    return stack[0];
}

bool regex_class_has(struct regex_class *class, uint32_t c)
{
    if (c >= 256)
        return reckon(class, c);
    uint8_t bit = (uint8_t)(1u << c % 8);
    if (!(class->known[c / 8] & bit)) {
        class->known[c / 8] |= bit;
        if (reckon(class, c))
            class->has[c / 8] |= bit;
    }
    return class->has[c / 8] & bit;
}

bool regex_is_mark(uint32_t c)
{
    return is_of(c, OF(MN));
}

bool regex_is_word(uint32_t c, bool unicode)
{
    return unicode ? is_named(NAMED_WORD, c) : c == '_' || is_of(c, LETTERS | OF(ND));
}
