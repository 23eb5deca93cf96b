/* The names of months, days of the week, halves of the day and eras, in the locales there are. */
#include <stdio.h>

#include "model/java/time_format.h"

enum { SHORT_LETTERS = 3 };

/* Of a name in capital letters as many letters as are wanted, all but the first small. */
static size_t cased(const char *name, size_t letters, char *out)
{
    size_t len = strlen(name);
    len = letters && letters < len ? letters : len;
    for (size_t i = 0; i < len; i++)
        out[i] = (char)(i ? name[i] | 32 : name[i]);
    return len;
}

static size_t copied(const char *name, char *out)
{
    memcpy(out, name, strlen(name));
    return strlen(name);
}

static size_t letters_of(enum time_style style, int64_t locale)
{
    return style == STYLE_NARROW ? 1 : style == STYLE_SHORT || locale == JAVA_LOCALE_ROOT ? SHORT_LETTERS : 0;
}

static size_t month_text(int64_t month, enum time_style style, int64_t locale, char *out)
{
    enum { SEPTEMBER = 9 };
    if (style == STYLE_NARROW && locale == JAVA_LOCALE_ROOT)
        return (size_t)snprintf(out, TIME_TEXT_MOST, "%d", (int)month);
    bool longer = style == STYLE_SHORT && locale == JAVA_LOCALE_UK && month == SEPTEMBER;
    return cased(java_enum_text(J_MONTH, month - 1), letters_of(style, locale) + longer, out);
}

static size_t quarter_text(int64_t quarter, enum time_style style, int64_t locale, char *out)
{
    static const char *const long_names[] = { "1st quarter", "2nd quarter", "3rd quarter", "4th quarter" };
    if (style == STYLE_FULL && locale != JAVA_LOCALE_ROOT)
        return copied(long_names[quarter - 1], out);
    return (size_t)snprintf(out, TIME_TEXT_MOST, style == STYLE_NARROW ? "%d" : "Q%d", (int)quarter);
}

size_t chrono_text(enum chrono_field field, int64_t value, enum time_style style, int64_t locale, char out[static TIME_TEXT_MOST])
{
    static const char *const halves[] = { "AM", "PM", "am", "pm" };
    static const char *const eras[][2] = { { "Before Christ", "Anno Domini" }, { "BC", "AD" }, { "B", "A" }, { "BCE", "CE" } };
    struct chrono_range r = chrono_range_of(field);
    enum { ROOT_ERAS = 3 };

    if (value < r.least || value > r.most)
        return 0;
    switch (field) {
    case CHRONO_MONTH_OF_YEAR:
        return month_text(value, style, locale, out);
    case CHRONO_DAY_OF_WEEK:
        return cased(java_enum_text(J_DAY_OF_WEEK, value - 1), letters_of(style, locale), out);
    case CHRONO_AMPM_OF_DAY:
        return copied(halves[value + (locale == JAVA_LOCALE_UK ? 2 : 0)], out);
    case CHRONO_ERA:
        return copied(eras[locale == JAVA_LOCALE_ROOT && style != STYLE_SHORT ? ROOT_ERAS : (unsigned)style][value], out);
    case CHRONO_QUARTER_OF_YEAR:
        return quarter_text(value, style, locale, out);
    default:
        return 0;
    }
}
