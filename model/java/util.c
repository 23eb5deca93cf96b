/* java.util's small classes: Optional, StringTokenizer, StringJoiner, Random, Locale. */
#include <math.h>

#include "engine/clock.h"
#include "model/java/lib.h"

/* ---- Optional: an entry's value, NULL where there is none ---- */

JAVA_CALL(optional_new)
{
    struct java_object *value = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;
    if (method->variant && !java_check_argument(run, value))
        return false;
    if (!(out->o = java_new(run, J_OPTIONAL)))
        return false;
    out->o->entry.value = value;
    return java_check_nesting(run, value, out->o);
}

JAVA_CALL(optional_get)
{
    JAVA_UNUSED;
    out->o = self->o->entry.value;
    return out->o || java_throw(run, J_NO_SUCH_ELEMENT, "No value present");
}

JAVA_CALL(optional_or)
{
    JAVA_UNUSED;
    out->o = self->o->entry.value ? self->o->entry.value : args[0].o;
    return true;
}

JAVA_CALL(optional_is)
{
    JAVA_UNUSED;
    out->i = (self->o->entry.value != NULL) == method->variant;
    return true;
}

/* ---- StringTokenizer ---- */

static bool is_in(uint16_t c, const struct java_object *text)
{
    for (uint32_t i = 0; i < text->string.len; i++)
        if (text->string.units[i] == c)
            return true;
    return false;
}

/* The token from a place on, its end in *end; false: there is none. */
static bool token_at(const struct java_object *o, uint32_t *at, uint32_t *end)
{
    const struct java_object *text = o->tokenizer.text, *delimiters = o->tokenizer.delimiters;
    while (!o->tokenizer.gives && *at < text->string.len && is_in(text->string.units[*at], delimiters))
        ++*at;
    if (*at == text->string.len)
        return false;
    *end = *at;
    while (*end < text->string.len && !is_in(text->string.units[*end], delimiters))
        ++*end;
    *end += *end == *at; /* a delimiter itself */
    return true;
}

JAVA_CALL(tokenizer_new)
{
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"str\" is null");
    if (!(out->o = java_new(run, J_TOKENIZER)))
        return false;
    out->o->tokenizer.text = args[0].o;
    out->o->tokenizer.gives = method->args[2] && args[2].i;
    if (!method->args[1])
        return java_string_of_utf8(run, slice_str(" \t\n\r\f"), &out->o->tokenizer.delimiters);
    out->o->tokenizer.delimiters = args[1].o;
    return java_check_argument(run, args[1].o);
}

enum { TOKENS_MORE, TOKENS_COUNT };

JAVA_CALL(tokenizer_tells)
{
    uint32_t at = self->o->tokenizer.at, end;
    JAVA_UNUSED;
    out->i = 0;
    if (method->variant == TOKENS_MORE) {
        out->i = token_at(self->o, &at, &end);
        return java_spend(run, 1);
    }
    for (; token_at(self->o, &at, &end) && java_spend(run, end - at); at = end)
        out->i++;
    return true;
}

JAVA_CALL(tokenizer_next)
{
    uint32_t at = self->o->tokenizer.at, end;
    JAVA_UNUSED;
    if (method->args[0]) {
        if (!java_check_argument(run, args[0].o))
            return false;
        self->o->tokenizer.delimiters = args[0].o;
    }
    if (!token_at(self->o, &at, &end))
        return java_throw(run, J_NO_SUCH_ELEMENT, NULL);
    self->o->tokenizer.at = end;
    return java_spend(run, end - at) && java_string(run, self->o->tokenizer.text->string.units + at, end - at, &out->o);
}

/* ---- StringJoiner ---- */

JAVA_CALL(joiner_new)
{
    static const char *const names[] = { "delimiter", "prefix", "suffix" };
    struct java_object *parts[3] = { NULL, NULL, NULL };
    unsigned given = method->args[1] ? 3 : 1;
    JAVA_UNUSED;
    for (unsigned i = 0; i < 3; i++) {
        if (i < given && !args[i].o)
            return java_throw(run, J_NULL_POINTER, "The %s must not be null", names[i]);
        if (i < given ? !java_print_to(run, args[i].o, &parts[i]) : !java_string(run, NULL, 0, &parts[i]))
            return false;
    }
    if (!(out->o = java_new(run, J_JOINER)))
        return false;
    out->o->joiner.separator = parts[0];
    out->o->joiner.before = parts[1];
    out->o->joiner.behind = parts[2];
    return true;
}

JAVA_CALL(joiner_add)
{
    struct java_object *o = self->o;
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    if (o->joiner.text && (!java_print(run, &text, o->joiner.text) || !java_print(run, &text, o->joiner.separator)))
        return false;
    out->o = o;
    return java_check_text(run, &text) && java_print(run, &text, args[0].o) && java_string_of_units(run, &text, &o->joiner.text);
}

JAVA_CALL(joiner_set_empty)
{
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "The empty value must not be null");
    out->o = self->o;
    return java_print_to(run, args[0].o, &self->o->joiner.empty);
}

JAVA_CALL(joiner_length)
{
    struct java_object *text;
    JAVA_UNUSED;
    if (!java_print_to(run, self->o, &text))
        return false;
    out->i = text->string.len;
    return true;
}

bool java_print_util(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    if (o->kind == J_JOINER) {
        if (!o->joiner.text && o->joiner.empty)
            return java_print(run, utf16, o->joiner.empty);
        return java_print(run, utf16, o->joiner.before) && (!o->joiner.text || java_print(run, utf16, o->joiner.text)) &&
               java_print(run, utf16, o->joiner.behind);
    }
    if (!o->entry.value) {
        java_put_ascii(utf16, "Optional.empty", 14);
        return true;
    }
    java_put_ascii(utf16, "Optional[", 9);
    if (!java_print(run, utf16, o->entry.value))
        return false;
    java_put_ascii(utf16, "]", 1);
    return true;
}

/* ---- Random: the generator that its documentation prescribes ---- */

#define MULTIPLIER UINT64_C(0x5DEECE66D)
#define SEED_MASK  ((UINT64_C(1) << 48) - 1)

static void seed_with(struct java_object *random, int64_t seed)
{
    random->random.seed = (int64_t)(((uint64_t)seed ^ MULTIPLIER) & SEED_MASK);
    random->random.has_gaussian = false;
}

static int32_t next_bits(struct java_object *random, unsigned bits)
{
    uint64_t seed = ((uint64_t)random->random.seed * MULTIPLIER + 0xB) & SEED_MASK;
    random->random.seed = (int64_t)seed;
    return (int32_t)(uint32_t)(seed >> (48 - bits));
}

static int64_t next_long(struct java_object *random)
{
    uint64_t high = (uint64_t)(int64_t)next_bits(random, 32) << 32;
    return (int64_t)(high + (uint64_t)(int64_t)next_bits(random, 32));
}

static double next_double(struct java_object *random)
{
    int64_t high = (int64_t)next_bits(random, 26) << 27;
    return (double)(high + next_bits(random, 27)) * 0x1p-53;
}

bool java_random_seed(struct java_run *run, struct java_object *random)
{
    int64_t seed;
    (void)run;
    clock_random((uint8_t *)&seed, sizeof seed);
    seed_with(random, seed);
    return true;
}

int32_t java_random_below(struct java_object *random, int32_t bound)
{
    int32_t r = next_bits(random, 31), m = bound - 1;
    if ((bound & m) == 0)
        return (int32_t)(((int64_t)bound * r) >> 31);
    for (int32_t u = r; (int64_t)u - (r = u % bound) + m > INT32_MAX;)
        u = next_bits(random, 31);
    return r;
}

JAVA_CALL(random_new)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_RANDOM)))
        return false;
    if (!method->args[0])
        return java_random_seed(run, out->o);
    seed_with(out->o, args[0].i);
    return true;
}

JAVA_CALL(random_set)
{
    JAVA_UNUSED;
    seed_with(self->o, args[0].i);
    return true;
}

JAVA_CALL(random_int)
{
    JAVA_UNUSED;
    if (method->args[0] && args[0].i <= 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "bound must be positive");
    out->i = method->args[0] ? java_random_below(self->o, (int32_t)args[0].i) : next_bits(self->o, 32);
    return true;
}

JAVA_CALL(random_long)
{
    JAVA_UNUSED;
    out->i = next_long(self->o);
    return true;
}

JAVA_CALL(random_real)
{
    JAVA_UNUSED;
    out->d = method->result == J_FLOAT ? (double)((float)next_bits(self->o, 24) * 0x1p-24f) : next_double(self->o);
    return true;
}

JAVA_CALL(random_boolean)
{
    JAVA_UNUSED;
    out->i = next_bits(self->o, 1) != 0;
    return true;
}

JAVA_CALL(random_bytes)
{
    JAVA_UNUSED;
    if (!java_check_argument(run, args[0].o) || !java_spend(run, args[0].o->array.count))
        return false;
    int32_t bits = 0;
    for (uint32_t i = 0; i < args[0].o->array.count; i++, bits >>= 8) {
        if (i % 4 == 0)
            bits = next_bits(self->o, 32);
        args[0].o->array.items[i].i = (int8_t)bits;
    }
    return true;
}

/* Two at a time, by Marsaglia's polar method. */
JAVA_CALL(random_gaussian)
{
    double a, b, s;
    JAVA_UNUSED;
    if (self->o->random.has_gaussian) {
        self->o->random.has_gaussian = false;
        out->d = self->o->random.gaussian;
        return true;
    }
    do {
        a = 2 * next_double(self->o) - 1;
        b = 2 * next_double(self->o) - 1;
        s = a * a + b * b;
    } while (s >= 1 || s == 0);
    double factor = sqrt(-2 * log(s) / s);
    self->o->random.gaussian = b * factor;
    self->o->random.has_gaussian = true;
    out->d = a * factor;
    return true;
}

/* ---- Locale: those in which numbers are written as a server writes them without one ---- */

static const char *const locales[] = { "en_US", "en", "en_GB", "" };
enum { LOCALE_US, LOCALE_ENGLISH, LOCALE_UK, LOCALE_ROOT };

void java_print_locale(struct buf *utf16, const struct java_object *o)
{
    java_put_ascii(utf16, locales[o->value.i], strlen(locales[o->value.i]));
}

JAVA_CALL(locale_part)
{
    struct slice text = slice_str(locales[self->o->value.i]);
    JAVA_UNUSED;
    if (method->variant) /* the country, behind the language */
        text = text.len > 3 ? slice_skip(text, 3) : SLICE_EMPTY;
    else if (text.len > 2)
        text.len = 2;
    return java_string_of_utf8(run, text, &out->o);
}

/* ---- the tables ---- */

const struct java_method java_util_methods[] = {
    { J_OPTIONAL, "of", JX_OPTIONAL_OF_ARGUMENTS, { J_OBJECT }, JAVA_STATIC, optional_new, 1 },
    { J_OPTIONAL, "ofNullable", JX_OPTIONAL_OF_ARGUMENTS, { J_OBJECT }, JAVA_STATIC, optional_new, 0 },
    { J_OPTIONAL, "empty", J_OPTIONAL, { 0 }, JAVA_STATIC, optional_new, 0 },
    { J_OPTIONAL, "get", JX_FIRST, { 0 }, 0, optional_get, 0 },
    { J_OPTIONAL, "orElse", JX_FIRST, { JX_FIRST }, 0, optional_or, 0 },
    { J_OPTIONAL, "isPresent", J_BOOLEAN, { 0 }, 0, optional_is, 1 },
    { J_OPTIONAL, "isEmpty", J_BOOLEAN, { 0 }, 0, optional_is, 0 },
    { J_TOKENIZER, "<init>", J_TOKENIZER, { J_STRING }, 0, tokenizer_new, 0 },
    { J_TOKENIZER, "<init>", J_TOKENIZER, { J_STRING, J_STRING }, 0, tokenizer_new, 0 },
    { J_TOKENIZER, "<init>", J_TOKENIZER, { J_STRING, J_STRING, J_BOOLEAN }, 0, tokenizer_new, 0 },
    { J_TOKENIZER, "hasMoreTokens", J_BOOLEAN, { 0 }, 0, tokenizer_tells, TOKENS_MORE },
    { J_TOKENIZER, "hasMoreElements", J_BOOLEAN, { 0 }, 0, tokenizer_tells, TOKENS_MORE },
    { J_TOKENIZER, "countTokens", J_INT, { 0 }, 0, tokenizer_tells, TOKENS_COUNT },
    { J_TOKENIZER, "nextToken", J_STRING, { 0 }, 0, tokenizer_next, 0 },
    { J_TOKENIZER, "nextToken", J_STRING, { J_STRING }, 0, tokenizer_next, 0 },
    { J_TOKENIZER, "nextElement", J_OBJECT, { 0 }, 0, tokenizer_next, 0 },
    { J_JOINER, "<init>", J_JOINER, { J_CHAR_SEQUENCE }, 0, joiner_new, 0 },
    { J_JOINER, "<init>", J_JOINER, { J_CHAR_SEQUENCE, J_CHAR_SEQUENCE, J_CHAR_SEQUENCE }, 0, joiner_new, 0 },
    { J_JOINER, "add", J_JOINER, { J_CHAR_SEQUENCE }, 0, joiner_add, 0 },
    { J_JOINER, "setEmptyValue", J_JOINER, { J_CHAR_SEQUENCE }, 0, joiner_set_empty, 0 },
    { J_JOINER, "length", J_INT, { 0 }, 0, joiner_length, 0 },
    { J_RANDOM, "<init>", J_RANDOM, { 0 }, 0, random_new, 0 },
    { J_RANDOM, "<init>", J_RANDOM, { J_LONG }, 0, random_new, 0 },
    { J_RANDOM, "setSeed", J_VOID, { J_LONG }, 0, random_set, 0 },
    { J_RANDOM, "nextInt", J_INT, { 0 }, 0, random_int, 0 },
    { J_RANDOM, "nextInt", J_INT, { J_INT }, 0, random_int, 0 },
    { J_RANDOM, "nextLong", J_LONG, { 0 }, 0, random_long, 0 },
    { J_RANDOM, "nextDouble", J_DOUBLE, { 0 }, 0, random_real, 0 },
    { J_RANDOM, "nextFloat", J_FLOAT, { 0 }, 0, random_real, 0 },
    { J_RANDOM, "nextBoolean", J_BOOLEAN, { 0 }, 0, random_boolean, 0 },
    { J_RANDOM, "nextBytes", J_VOID, { JX_BYTES }, 0, random_bytes, 0 },
    { J_RANDOM, "nextGaussian", J_DOUBLE, { 0 }, 0, random_gaussian, 0 },
    { J_LOCALE, "getLanguage", J_STRING, { 0 }, 0, locale_part, 0 },
    { J_LOCALE, "getCountry", J_STRING, { 0 }, 0, locale_part, 1 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_locale_constants[] = {
    { J_LOCALE, "US", J_LOCALE, { .i = LOCALE_US }, NULL },
    { J_LOCALE, "ENGLISH", J_LOCALE, { .i = LOCALE_ENGLISH }, NULL },
    { J_LOCALE, "UK", J_LOCALE, { .i = LOCALE_UK }, NULL },
    { J_LOCALE, "ROOT", J_LOCALE, { .i = LOCALE_ROOT }, NULL },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
