/* java.util.Locale: those in which numbers are written as a server writes them without one. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/javatext.h"

static const char *const locales[] = { "en_US", "en", "en_GB", "" };

static bool locale_same(const struct java_object *a, const struct java_object *b)
{
    return a->value.i == b->value.i;
}

static bool locale_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    (void)run;
    java_put_ascii(utf16, locales[o->value.i], strlen(locales[o->value.i]));
    return true;
}


/* The language, or the country behind it. */
static struct slice part_of(const struct java_object *o, bool country)
{
    enum { LANGUAGE = 2 };
    struct slice text = slice_str(locales[o->value.i]);
    if (country)
        return text.len > LANGUAGE ? slice_skip(text, LANGUAGE + 1) : SLICE_EMPTY;
    return slice_of(text.data, text.len > LANGUAGE ? LANGUAGE : text.len);
}

/* BaseLocale's: of language, script, country and variant, the second and the last of which are empty. */
static uint32_t locale_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return 31 * (31 * 31 * java_string_hash(part_of(o, false)) + java_string_hash(part_of(o, true)));
}

const struct java_object_ops java_locale_ops = {
    .same = locale_same, .equals = java_value_equals, .hash = locale_hash, .print = locale_print
};

JAVA_CALL(locale_part)
{
    JAVA_UNUSED;
    return java_string_of_utf8(run, part_of(self->o, method->variant), &out->o);
}

const struct java_method java_locale_methods[] = {
    { J_LOCALE, "getLanguage", J_STRING, { 0 }, 0, locale_part, 0 },
    { J_LOCALE, "getCountry", J_STRING, { 0 }, 0, locale_part, 1 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_locale_constants[] = {
    { J_LOCALE, "US", J_LOCALE, { .i = JAVA_LOCALE_US }, NULL },
    { J_LOCALE, "ENGLISH", J_LOCALE, { .i = JAVA_LOCALE_ENGLISH }, NULL },
    { J_LOCALE, "UK", J_LOCALE, { .i = JAVA_LOCALE_UK }, NULL },
    { J_LOCALE, "ROOT", J_LOCALE, { .i = JAVA_LOCALE_ROOT }, NULL },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
