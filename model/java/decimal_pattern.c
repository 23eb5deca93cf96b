/* A DecimalFormat's pattern. */
#include "model/java/decimal_format.h"

struct pattern {
    struct java_run *run;
    const struct java_object *text;
    int64_t locale;
    uint32_t at;
    /* of one part of it: */
    struct buf before, behind;
    int64_t left, zeroes, right, point, grouping, multiplier;
};

static uint16_t here(const struct pattern *p)
{
    return p->at < p->text->string.len ? p->text->string.units[p->at] : 0;
}

static bool refuse(struct pattern *p, const char *what)
{
    struct slice text;
    return java_utf8(p->run, p->text, &text) && java_throw(p->run, J_ILLEGAL_ARGUMENT, "%s \"%.*s\"", what, SLICE_ARG(text));
}

static void put_currency(struct pattern *p, struct buf *affix)
{
    static const uint16_t signs[] = { [JAVA_LOCALE_US] = '$', [JAVA_LOCALE_ENGLISH] = 0xa4, [JAVA_LOCALE_UK] = 0xa3, [JAVA_LOCALE_ROOT] = 0xa4 };
    bool twice = p->at + 1 < p->text->string.len && p->text->string.units[p->at + 1] == 0xa4;
    p->at += twice;
    if (twice) /* of none: XXX, says ISO 4217 */
        java_put_ascii(affix, p->locale == JAVA_LOCALE_US ? "USD" : p->locale == JAVA_LOCALE_UK ? "GBP" : "XXX", 3);
    else
        number_put_unit(affix, signs[p->locale]);
}

static bool is_number_unit(uint16_t c)
{
    return c == '#' || c == '0' || c == ',' || c == '.';
}

/* What stands before the digits or behind them; *quoted: it ends within quotes. *next: another part follows. */
static bool read_affix(struct pattern *p, struct buf *affix, bool first_part, bool before, bool *quoted, bool *next)
{
    enum { PER_MILLE = 0x2030, CURRENCY = 0xa4 };
    *quoted = *next = false;
    for (; p->at < p->text->string.len; p->at++) {
        uint16_t c = here(p);
        if (c == '\'') {
            bool twice = p->at + 1 < p->text->string.len && p->text->string.units[p->at + 1] == '\'';
            if (twice)
                number_put_unit(affix, p->text->string.units[p->at++]);
            else
                *quoted = !*quoted;
        } else if (*quoted) {
            number_put_unit(affix, c);
        } else if (is_number_unit(c)) {
            return true;
        } else if (c == ';') {
            if (before || !first_part)
                return refuse(p, "Unquoted special character ';' in pattern");
            p->at++;
            *next = true;
            return true;
        } else if (c == '%' || c == PER_MILLE) {
            if (p->multiplier != 1)
                return refuse(p, "Too many percent/per mille characters in pattern");
            p->multiplier = c == '%' ? 100 : 1000;
            number_put_unit(affix, c);
        } else if (c == CURRENCY) {
            put_currency(p, affix);
        } else {
            number_put_unit(affix, c);
        }
    }
    return true;
}

static bool read_digits(struct pattern *p, struct number_format *f)
{
    for (; p->at < p->text->string.len; p->at++) {
        uint16_t c = here(p);
        if (c == '#') {
            *(p->zeroes ? &p->right : &p->left) += 1;
        } else if (c == '0') {
            if (p->right)
                return refuse(p, "Unexpected '0' in pattern");
            p->zeroes++;
        } else if (c == ',') {
            p->grouping = 0;
            continue;
        } else if (c == '.') {
            if (p->point >= 0)
                return refuse(p, "Multiple decimal separators in pattern");
            p->point = p->left + p->zeroes + p->right;
            continue;
        } else {
            break;
        }
        p->grouping += p->grouping >= 0 && p->point < 0;
    }
    if (here(p) != 'E')
        return true;
    if (f->exponential)
        return refuse(p, "Multiple exponential symbols in pattern");
    f->exponential = true;
    f->exponent_least = 0;
    for (p->at++; here(p) == '0'; p->at++)
        f->exponent_least++;
    return (p->left + p->zeroes >= 1 && f->exponent_least >= 1) || refuse(p, "Malformed exponential pattern");
}

/* Of the second part nothing but what stands around the digits counts. */
static void skip_digits(struct pattern *p)
{
    while (is_number_unit(here(p)) || here(p) == 'E')
        p->at++;
}

static bool check_counts(struct pattern *p, bool quoted)
{
    if (!p->zeroes && p->left && p->point >= 0) { /* "#.##" is "#.0#" without a digit that has to be */
        int64_t n = p->point ? p->point : 1;
        p->right = p->left - n;
        p->left = n - 1;
        p->zeroes = 1;
    }
    bool bad = (p->point < 0 && p->right) || (p->point >= 0 && (p->point < p->left || p->point > p->left + p->zeroes)) || !p->grouping || quoted;
    return !bad || refuse(p, "Malformed pattern");
}

static struct affix kept(const struct buf *affix)
{
    return (struct affix){ (const uint16_t *)(const void *)affix->data, (uint32_t)(affix->len / sizeof(uint16_t)) };
}

static void use_counts(const struct pattern *p, struct number_format *f)
{
    int64_t total = p->left + p->zeroes + p->right, point = p->point >= 0 ? p->point : total;
    f->integer_least = point - p->left;
    f->integer_most = f->exponential ? p->left + f->integer_least : INTEGER_DIGITS_MOST;
    f->fraction_most = p->point >= 0 ? total - p->point : 0;
    f->fraction_least = p->point >= 0 ? p->left + p->zeroes - p->point : 0;
    f->grouped = p->grouping > 0;
    f->grouping = p->grouping > 0 ? p->grouping : 0;
    f->multiplier = p->multiplier;
    f->point_always = p->point == 0 || p->point == total;
}

static bool same_affix(struct affix a, struct affix b)
{
    return a.len == b.len && (!a.len || memcmp(a.units, b.units, a.len * sizeof *a.units) == 0);
}

bool number_format_compile(struct java_run *run, const struct java_object *text, int64_t locale, struct number_format *f)
{
    struct pattern p = { .run = run, .text = text, .locale = locale };
    bool next = true, negative = false, quoted;

    *f = (struct number_format){
        .mode = f->mode, .multiplier = 1, .fraction_most = FRACTION_DIGITS_MOST, .integer_most = INTEGER_DIGITS_MOST, .grouped = true, .grouping = 3
    };
    if (!java_spend(run, text->string.len))
        return false;
    for (bool first = true; next && p.at < text->string.len; first = false) {
        p.left = p.zeroes = p.right = 0;
        p.point = p.grouping = -1;
        p.multiplier = 1;
        buf_init(&p.before, run->ctx->arena);
        buf_init(&p.behind, run->ctx->arena);
        if (!read_affix(&p, &p.before, first, true, &quoted, &next))
            return false;
        while (!quoted && !next && is_number_unit(here(&p))) { /* digits behind what stands behind digits are theirs, too */
            if (!first)
                skip_digits(&p);
            else if (!read_digits(&p, f))
                return false;
            if (!java_spend(run, 1) || !read_affix(&p, &p.behind, first, false, &quoted, &next))
                return false;
        }
        if (first ? !check_counts(&p, quoted) : quoted && !refuse(&p, "Malformed pattern"))
            return false;
        if (!java_ok(run, p.before.failed || p.behind.failed ? fail_nomem(run->ctx) : WR_OK) || !java_charge(run, p.before.room + p.behind.room))
            return false;
        *(first ? &f->before : &f->negative_before) = kept(&p.before);
        *(first ? &f->behind : &f->negative_behind) = kept(&p.behind);
        negative |= !first;
        if (first)
            use_counts(&p, f);
    }
    if (!negative || (same_affix(f->before, f->negative_before) && same_affix(f->behind, f->negative_behind))) {
        buf_init(&p.before, run->ctx->arena);
        number_put_unit(&p.before, '-');
        buf_put(&p.before, f->before.units, f->before.len * sizeof *f->before.units);
        f->negative_before = kept(&p.before);
        f->negative_behind = f->behind;
        return java_ok(run, p.before.failed ? fail_nomem(run->ctx) : WR_OK);
    }
    return true;
}
