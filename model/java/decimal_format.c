/* java.text.DecimalFormat and NumberFormat, in English. */
#include <stdio.h>

#include "model/java/big.h"
#include "model/java/object_ops.h"
#include "model/java/temporal.h"

enum { INTEGER_DIGITS_MOST = INT32_MAX, FRACTION_DIGITS_MOST = 340 /* of a double */ };

struct affix {
    const uint16_t *units;
    uint32_t len;
};

struct number_format {
    struct affix before, behind, negative_before, negative_behind;
    int64_t integer_least, integer_most, fraction_least, fraction_most; /* digits */
    int64_t grouping, exponent_least;                                   /* 0: none */
    int64_t multiplier, mode;
    bool grouped, point_always, exponential;
    bool only_integers, gives_decimals; /* of parse */
};

/* ---- patterns ---- */

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

static void put_unit(struct buf *affix, uint16_t c)
{
    buf_put(affix, &c, sizeof c);
}

static void put_currency(struct pattern *p, struct buf *affix)
{
    static const uint16_t signs[] = { [JAVA_LOCALE_US] = '$', [JAVA_LOCALE_ENGLISH] = 0xa4, [JAVA_LOCALE_UK] = 0xa3, [JAVA_LOCALE_ROOT] = 0xa4 };
    bool twice = p->at + 1 < p->text->string.len && p->text->string.units[p->at + 1] == 0xa4;
    p->at += twice;
    if (twice)
        java_put_ascii(affix, p->locale == JAVA_LOCALE_US ? "USD" : p->locale == JAVA_LOCALE_UK ? "GBP" : "XXX", 3);
    else
        put_unit(affix, signs[p->locale]);
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
                put_unit(affix, p->text->string.units[p->at++]);
            else
                *quoted = !*quoted;
        } else if (*quoted) {
            put_unit(affix, c);
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
            put_unit(affix, c);
        } else if (c == CURRENCY) {
            put_currency(p, affix);
        } else {
            put_unit(affix, c);
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

static bool compile(struct java_run *run, const struct java_object *text, int64_t locale, struct number_format *f)
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
        put_unit(&p.before, '-');
        buf_put(&p.before, f->before.units, f->before.len * sizeof *f->before.units);
        f->negative_before = kept(&p.before);
        f->negative_behind = f->behind;
        return java_ok(run, p.before.failed ? fail_nomem(run->ctx) : WR_OK);
    }
    return true;
}

/* ---- a number's digits ---- */

/* Without zeroes before or behind: 0.d1d2... times ten to the power `point`. */
struct digits {
    uint8_t *digits; /* characters */
    int64_t count, point;
    bool negative;
    int beyond; /* the number is a little more than its digits say (1), less (-1), or just that */
};

static bool rounds_up(const struct digits *d, int64_t at, int64_t mode)
{
    bool half = at == d->count - 1 && at >= 0 && d->digits[at] == '5';
    bool above = at >= 0 && at < d->count && (half ? d->beyond > 0 : d->digits[at] >= '5'), tie = half && !d->beyond;
    bool rest = at < d->count; /* of what is cut off by its digits */

    switch (mode) {
    case ROUND_UP:
        return rest;
    case ROUND_DOWN:
        return false;
    case ROUND_CEILING:
        return rest && !d->negative;
    case ROUND_FLOOR:
        return rest && d->negative;
    case ROUND_HALF_UP:
        return above || tie;
    case ROUND_HALF_DOWN:
        return above;
    case ROUND_HALF_EVEN:
        return above || (tie && at > 0 && (d->digits[at - 1] & 1));
    default:
        return false;
    }
}

/* To so many digits, of which there may be less than none. */
static bool round_digits(struct java_run *run, struct digits *d, int64_t count, int64_t mode)
{
    if (count >= d->count)
        return true;
    if (mode == ROUND_UNNECESSARY)
        return java_throw(run, J_ARITHMETIC, "Rounding needed with the rounding mode being set to RoundingMode.UNNECESSARY");
    bool up = rounds_up(d, count, mode);
    d->count = count > 0 ? count : 0;
    if (up && count < 0) { /* so small that the last digit is before all of its own */
        d->digits[0] = '1';
        d->point += 1 - count;
        d->count = 1;
    } else if (up) {
        while (d->count && d->digits[d->count - 1] == '9')
            d->count--;
        if (d->count) {
            d->digits[d->count - 1]++;
        } else {
            d->digits[d->count++] = '1';
            d->point++;
        }
    }
    while (d->count && d->digits[d->count - 1] == '0')
        d->count--;
    return true;
}

/* Of a text as "-12.50E3". */
static bool take_digits(struct java_run *run, struct slice text, struct digits *d)
{
    int64_t exponent = 0, behind = 0;
    bool point = false;
    size_t i = 0;

    d->negative = text.len && text.data[0] == '-';
    if (!(d->digits = java_alloc(run, text.len + 1)))
        return false;
    d->count = 0;
    for (i = d->negative; i < text.len && text.data[i] != 'E'; i++)
        if (text.data[i] == '.') {
            point = true;
        } else {
            behind += point;
            if (d->count || text.data[i] != '0')
                d->digits[d->count++] = text.data[i];
        }
    if (i < text.len) {
        bool negative = text.data[i + 1] == '-';
        for (i += 1 + negative; i < text.len; i++)
            exponent = exponent * 10 + text.data[i] - '0';
        exponent = negative ? -exponent : exponent;
    }
    d->point = d->count - behind + exponent;
    while (d->count && d->digits[d->count - 1] == '0')
        d->count--;
    if (!d->count)
        d->point = 0;
    return true;
}

/* Whether a double is more or less than what it prints as, which rounding goes by where that ends in 5. */
static bool find_beyond(struct java_run *run, double v, struct slice printed, struct digits *d)
{
    union java_value exact, given = { .d = v };
    struct java_object shown = { .kind = J_BIG_DECIMAL };
    int order;
    if (!d->count || d->digits[d->count - 1] != '5')
        return true;
    if (!java_decimal_of_bits(run, NULL, NULL, &given, &exact) || !java_ok(run, decimal_parse(run->ctx, printed, &shown.bytes)) ||
        !java_compare(run, exact.o, &shown, &order))
        return false;
    d->beyond = d->negative ? -order : order;
    return true;
}

static bool digits_of_double(struct java_run *run, double v, struct digits *d)
{
    struct buf units;
    struct slice text;
    buf_init(&units, run->ctx->arena);
    java_print_primitive(&units, java_simple(J_DOUBLE), (union java_value){ .d = v });
    struct java_object printed = { .kind = J_STRING, .string = { (const uint16_t *)(const void *)units.data, (uint32_t)(units.len / sizeof(uint16_t)), 0, false } };
    return java_ok(run, units.failed ? fail_nomem(run->ctx) : WR_OK) && java_utf8(run, &printed, &text) && take_digits(run, text, d) && find_beyond(run, v, text, d);
}

static bool digits_of_big(struct java_run *run, const struct java_object *o, int64_t multiplier, struct digits *d)
{
    struct java_object by = { .kind = o->kind };
    union java_value product = { .o = (struct java_object *)(uintptr_t)o };
    struct slice text;
    char factor[24];
    int64_t scale = 0;

    if (multiplier != 1) {
        (void)snprintf(factor, sizeof factor, "%lld", (long long)multiplier);
        struct slice number = slice_str(factor);
        if (!java_ok(run, o->kind == J_BIG_INTEGER ? varint_parse(run->ctx, number, &by.bytes) : decimal_parse(run->ctx, number, &by.bytes)) ||
            !java_big_calculate(run, NUMBER_MULTIPLY, o, &by, &product))
            return false;
    }
    struct slice whole = product.o->bytes;
    if (o->kind == J_BIG_DECIMAL) {
        whole = java_decimal_unscaled(product.o);
        scale = java_decimal_scale(product.o);
    }
    if (!java_print_digits(run, whole, &text) || !take_digits(run, text, d))
        return false;
    d->point -= d->count ? scale : 0;
    return true;
}

/* ---- printing ---- */

static void put_digit(struct buf *out, const struct digits *d, int64_t at)
{
    put_unit(out, at >= 0 && at < d->count ? d->digits[at] : '0');
}

static bool put_plain(struct java_run *run, const struct number_format *f, const struct digits *d, struct buf *out)
{
    int64_t count = d->point > f->integer_least ? d->point : f->integer_least;
    count = count > f->integer_most ? f->integer_most : count;
    bool fraction = f->fraction_least > 0 || d->count > (d->point > 0 ? d->point : 0);

    if (!java_spend(run, (uint64_t)(count + f->fraction_least)) || !java_charge(run, (size_t)(count + f->fraction_least) * 2 * sizeof(uint16_t)))
        return false;
    for (int64_t i = count; i > 0; i--) {
        put_digit(out, d, d->point - i);
        if (f->grouped && f->grouping && i > 1 && (i - 1) % f->grouping == 0)
            put_unit(out, ',');
    }
    if (!fraction && !count)
        put_unit(out, '0');
    if (fraction || f->point_always)
        put_unit(out, '.');
    for (int64_t i = 0; i < f->fraction_most && (i < f->fraction_least || d->point + i < d->count); i++)
        put_digit(out, d, d->point + i);
    return true;
}

/* Of a count, the digits of the exponent are multiples where the pattern has more of the integer than it has to. */
static bool put_exponential(struct java_run *run, const struct number_format *f, const struct digits *d, struct buf *out)
{
    char text[24];
    int64_t exponent = d->point, repeat = f->integer_most, least = f->integer_least;

    if (repeat > 1 && repeat > least) {
        exponent = floor_div(exponent - 1, repeat) * repeat;
        least = 1;
    } else {
        exponent -= least;
    }
    int64_t integer = d->count ? d->point - exponent : least, total = f->integer_least + f->fraction_least;
    total = total < integer ? integer : total;
    total = total < d->count ? d->count : total;
    if (!java_spend(run, (uint64_t)(total + f->exponent_least)) || !java_charge(run, (size_t)(total + f->exponent_least) * sizeof(uint16_t)))
        return false;
    for (int64_t i = 0; i < total; i++) {
        if (i == integer)
            put_unit(out, '.');
        put_digit(out, d, i);
    }
    if (f->point_always && total == integer)
        put_unit(out, '.');
    exponent = d->count ? exponent : 0;
    java_put_ascii(out, exponent < 0 ? "E-" : "E", exponent < 0 ? 2 : 1);
    int len = snprintf(text, sizeof text, "%lld", (long long)(exponent < 0 ? -exponent : exponent));
    for (int64_t i = len; i < f->exponent_least; i++)
        put_unit(out, '0');
    java_put_ascii(out, text, (size_t)len);
    return true;
}

/* How many digits are kept. */
static int64_t digits_kept(const struct number_format *f, const struct digits *d)
{
    int64_t most = f->integer_most + f->fraction_most;
    return !f->exponential ? d->point + f->fraction_most : most > 0 ? most : d->count;
}

static bool put_number(struct java_run *run, const struct number_format *f, struct digits *d, union java_value *out)
{
    struct buf text;
    if (!round_digits(run, d, digits_kept(f, d), f->mode))
        return false;
    if (!d->count)
        d->point = 0;
    struct affix before = d->negative ? f->negative_before : f->before, behind = d->negative ? f->negative_behind : f->behind;
    buf_init(&text, run->ctx->arena);
    buf_put(&text, before.units, before.len * sizeof *before.units);
    if (!(f->exponential ? put_exponential : put_plain)(run, f, d, &text))
        return false;
    buf_put(&text, behind.units, behind.len * sizeof *behind.units);
    return java_check_text(run, &text) && java_give_text(run, &text, out);
}

/* NaN alone; what is endless between what stands around numbers. */
static bool put_special(struct java_run *run, const struct number_format *f, double v, union java_value *out)
{
    enum { ENDLESS = 0x221e };
    struct buf text;
    buf_init(&text, run->ctx->arena);
    if (v != v) {
        java_put_ascii(&text, "NaN", 3);
        return java_give_text(run, &text, out);
    }
    struct affix before = v < 0 ? f->negative_before : f->before, behind = v < 0 ? f->negative_behind : f->behind;
    buf_put(&text, before.units, before.len * sizeof *before.units);
    put_unit(&text, ENDLESS);
    buf_put(&text, behind.units, behind.len * sizeof *behind.units);
    return java_give_text(run, &text, out);
}

static bool put_double(struct java_run *run, const struct number_format *f, double v, union java_value *out)
{
    struct number_format bounded = *f;
    struct digits d = { 0 };
    v *= (double)f->multiplier;
    if (v != v || v - v != 0)
        return put_special(run, f, v, out);
    bounded.fraction_most = f->fraction_most < FRACTION_DIGITS_MOST ? f->fraction_most : FRACTION_DIGITS_MOST;
    bounded.fraction_least = f->fraction_least < FRACTION_DIGITS_MOST ? f->fraction_least : FRACTION_DIGITS_MOST;
    return digits_of_double(run, v, &d) && put_number(run, &bounded, &d, out);
}

static bool put_whole(struct java_run *run, const struct number_format *f, int64_t v, union java_value *out)
{
    struct java_object o = { .kind = J_BIG_INTEGER };
    struct digits d = { 0 };
    return java_ok(run, varint_of_i64(run->ctx, v, &o.bytes)) && digits_of_big(run, &o, f->multiplier, &d) && put_number(run, f, &d, out);
}

JAVA_CALL(format_number)
{
    struct digits d = { 0 };
    struct number_format *f = self->o->number_format;
    const struct java_object *o = args[0].o;
    JAVA_UNUSED;

    if (method->args[0] != J_OBJECT)
        return method->args[0] == J_LONG ? put_whole(run, f, args[0].i, out) : put_double(run, f, args[0].d, out);
    if (!o || !java_kind_extends(o->kind, J_NUMBER))
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Cannot format given Object as a Number");
    if (o->kind == J_BIG_INTEGER || o->kind == J_BIG_DECIMAL)
        return digits_of_big(run, o, f->multiplier, &d) && put_number(run, f, &d, out);
    return java_kind_is_real(java_unboxed(java_simple(o->kind))->kind) ? put_double(run, f, o->value.d, out) : put_whole(run, f, o->value.i, out);
}

/* ---- reading ---- */

static bool stands(const struct java_object *text, uint32_t at, struct affix affix)
{
    return at + affix.len <= text->string.len && (!affix.len || memcmp(&text->string.units[at], affix.units, affix.len * sizeof *affix.units) == 0);
}

/* Digits, separators among them, a point and an exponent, as they are written without the separators. false: there are no digits. */
static bool read_number(const struct number_format *f, const struct java_object *text, uint32_t *at, struct buf *out)
{
    bool digits = false, point = false;
    for (; *at < text->string.len; ++*at) {
        uint16_t c = text->string.units[*at];
        if (c >= '0' && c <= '9') {
            buf_put_u8(out, (uint8_t)c);
            digits = true;
        } else if (c == '.' && !point && !f->only_integers) {
            point = true;
            buf_put_u8(out, '.');
        } else if (!(c == ',' && f->grouped && !point)) {
            break;
        }
    }
    uint32_t e = *at + 1;
    if (!digits || *at >= text->string.len || text->string.units[*at] != 'E')
        return digits;
    bool negative = e < text->string.len && text->string.units[e] == '-';
    e += negative;
    if (e >= text->string.len || text->string.units[e] < '0' || text->string.units[e] > '9')
        return true;
    buf_put_str(out, negative ? "E-" : "E");
    for (unsigned n = 0; e < text->string.len && text->string.units[e] >= '0' && text->string.units[e] <= '9'; e++)
        if (n++ < 6)
            buf_put_u8(out, (uint8_t)text->string.units[e]);
    *at = e;
    return true;
}

static bool give_number(struct java_run *run, const struct number_format *f, struct slice text, union java_value *out)
{
    struct java_object decimal = { .kind = J_BIG_DECIMAL };
    union java_value v = { .d = 0 };
    if (!java_ok(run, decimal_parse(run->ctx, text, &decimal.bytes)))
        return false;
    if (!decimal.bytes.data)
        return java_throw(run, J_UNSUPPORTED, "numbers of so many digits are not supported here");
    if (f->multiplier != 1) {
        struct java_object by = { .kind = J_BIG_DECIMAL };
        union java_value quotient;
        if (!java_ok(run, decimal_parse(run->ctx, f->multiplier == 100 ? SLICE_LIT("0.01") : SLICE_LIT("0.001"), &by.bytes)) ||
            !java_big_calculate(run, NUMBER_MULTIPLY, &decimal, &by, &quotient))
            return false;
        decimal = *quotient.o;
    }
    if (f->gives_decimals) {
        if (!(out->o = java_new(run, J_BIG_DECIMAL)))
            return false;
        out->o->bytes = decimal.bytes;
        return true;
    }
    struct digits d = { 0 };
    if (!digits_of_big(run, &decimal, 1, &d))
        return false;
    int64_t whole = 0;
    bool no_zero = text.data[0] != '-' || d.count, fits = d.count <= d.point && d.point <= 19 && no_zero; /* -0 is none of a long's */
    for (int64_t i = 0; fits && i < d.point; i++)
        fits = !__builtin_mul_overflow(whole, 10, &whole) && !__builtin_sub_overflow(whole, i < d.count ? d.digits[i] - '0' : 0, &whole); /* below zero there is one more */
    fits = fits && !(!d.negative && whole == INT64_MIN);
    if (fits)
        return java_box(run, java_simple(J_LONG), (union java_value){ .i = d.negative ? whole : -whole }, &out->o);
    if (!no_zero)
        return java_box(run, java_simple(J_DOUBLE), (union java_value){ .d = -0.0 }, &out->o);
    return java_big_value(run, &decimal, J_DOUBLE, &v) && java_box(run, java_simple(J_DOUBLE), v, &out->o);
}

/* With what stands around it, the longer where both fit; what follows is nobody's. */
JAVA_CALL(parse_number)
{
    const struct number_format *f = self->o->number_format;
    struct java_object *text = args[0].o;
    struct slice shown;
    struct buf number;
    JAVA_UNUSED;

    if (!java_check_argument(run, text) || !java_spend(run, text->string.len))
        return false;
    bool negative = stands(text, 0, f->negative_before), positive = stands(text, 0, f->before);
    if (positive && negative) {
        positive = f->before.len >= f->negative_before.len;
        negative = f->negative_before.len >= f->before.len;
    }
    uint32_t at = positive ? f->before.len : f->negative_before.len;
    buf_init(&number, run->ctx->arena);
    buf_put_str(&number, "-");
    bool good = (positive || negative) && read_number(f, text, &at, &number);
    if (good) {
        positive = positive && stands(text, at, f->behind);
        negative = negative && stands(text, at, f->negative_behind);
        if (positive && negative && f->behind.len != f->negative_behind.len) {
            positive = f->behind.len > f->negative_behind.len;
            negative = !positive;
        }
        good = positive != negative;
    }
    if (!java_ok(run, number.failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    if (good)
        return give_number(run, f, positive ? slice_skip(buf_slice(&number), 1) : buf_slice(&number), out);
    if (!java_utf8(run, text, &shown))
        return false;
    (void)java_throw(run, J_PARSE_EXCEPTION, "Unparseable number: \"%.*s\"", SLICE_ARG(shown));
    if (run->thrown)
        run->thrown->thrown.index = number.len > 1 ? (int32_t)at : 0; /* where it goes wrong behind the digits */
    return false;
}

/* ---- making and setting ---- */

static bool format_new(struct java_run *run, const struct java_object *pattern, int64_t locale, union java_value *out)
{
    struct number_format *f;
    if (!(out->o = java_new(run, J_DECIMAL_FORMAT)) || !(f = java_alloc(run, sizeof *f)))
        return false;
    f->mode = ROUND_HALF_EVEN;
    out->o->number_format = f;
    return compile(run, pattern, locale, f);
}

#define PLAIN_PATTERN "#,##0.###"

JAVA_CALL(decimal_format_new)
{
    struct java_object *pattern = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;
    if (!method->args[0] && !java_string_of_utf8(run, SLICE_LIT(PLAIN_PATTERN), &pattern))
        return false;
    if (!java_check_read(run, pattern, JAVA_READ_TEXT, "pattern") || (method->args[1] && !java_check_argument(run, args[1].o)))
        return false;
    return format_new(run, pattern, method->args[1] ? java_ordinal(args[1].o) : JAVA_LOCALE_ENGLISH, out);
}

enum { FORMAT_NUMBER, FORMAT_INTEGER, FORMAT_PERCENT, FORMAT_CURRENCY };

JAVA_CALL(number_format_of)
{
    static const char *const patterns[] = { [FORMAT_NUMBER] = PLAIN_PATTERN, [FORMAT_INTEGER] = "#,##0", [FORMAT_PERCENT] = "#,##0%", [FORMAT_CURRENCY] = "\xc2\xa4#,##0.00" };
    int64_t locale = JAVA_LOCALE_ENGLISH;
    struct java_object *pattern;
    JAVA_UNUSED;
    if (method->args[0]) {
        if (!java_check_argument(run, args[0].o))
            return false;
        locale = java_ordinal(args[0].o);
    }
    if (method->variant == FORMAT_CURRENCY && locale != JAVA_LOCALE_US && locale != JAVA_LOCALE_UK)
        return java_throw(run, J_UNSUPPORTED, "amounts of money are supported here for Locale.US and Locale.UK");
    if (!java_string_of_utf8(run, slice_str(patterns[method->variant]), &pattern) || !format_new(run, pattern, locale, out))
        return false;
    out->o->number_format->only_integers = method->variant == FORMAT_INTEGER;
    return true;
}

JAVA_CALL(symbols_new)
{
    JAVA_UNUSED;
    if (method->args[0] && !java_check_argument(run, args[0].o))
        return false;
    if (!(out->o = java_new(run, J_DECIMAL_SYMBOLS)))
        return false;
    out->o->value.i = method->args[0] ? java_ordinal(args[0].o) : JAVA_LOCALE_ENGLISH;
    return true;
}

enum { INTEGER_MOST, INTEGER_LEAST, FRACTION_MOST, FRACTION_LEAST };

static int64_t *count_of(struct number_format *f, int which)
{
    int64_t *const counts[] = { &f->integer_most, &f->integer_least, &f->fraction_most, &f->fraction_least };
    return counts[which];
}

/* The other bound gives way. */
JAVA_CALL(format_set_count)
{
    struct number_format *f = self->o->number_format;
    int64_t *count = count_of(f, method->variant), *other = count_of(f, method->variant ^ 1);
    JAVA_UNUSED;
    *count = args[0].i > 0 ? args[0].i : 0;
    if (method->variant & 1 ? *other < *count : *other > *count)
        *other = *count;
    return true;
}

JAVA_CALL(format_count)
{
    JAVA_UNUSED;
    out->i = *count_of(self->o->number_format, method->variant);
    return true;
}

enum { SET_GROUPED, SET_GROUPING, SET_ONLY_INTEGERS, SET_DECIMALS, SET_POINT_ALWAYS, SET_MULTIPLIER };

JAVA_CALL(format_set)
{
    struct number_format *f = self->o->number_format;
    int64_t v = args[0].i;
    JAVA_UNUSED;
    switch (method->variant) {
    case SET_GROUPED:
        f->grouped = v;
        return true;
    case SET_GROUPING:
        if (v < 0 || v > INT8_MAX)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "newValue is out of valid range. value: %d", (int)v);
        f->grouping = v;
        return true;
    case SET_ONLY_INTEGERS:
        f->only_integers = v;
        return true;
    case SET_DECIMALS:
        f->gives_decimals = v;
        return true;
    case SET_POINT_ALWAYS:
        f->point_always = v;
        return true;
    default:
        f->multiplier = v;
        return true;
    }
}

JAVA_CALL(format_mode)
{
    JAVA_UNUSED;
    if (!method->args[0])
        return java_enum_new(run, J_ROUNDING_MODE, self->o->number_format->mode, &out->o);
    if (!java_check_argument(run, args[0].o))
        return false;
    self->o->number_format->mode = java_ordinal(args[0].o);
    return true;
}

JAVA_CALL(format_apply)
{
    struct number_format *f = self->o->number_format;
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, JAVA_READ_TEXT, "pattern") && compile(run, args[0].o, JAVA_LOCALE_ENGLISH, f);
}

/* ---- the table ---- */

#define OF_LOCALE(name, which)                                                                                         \
    { J_FORMAT_OF_NUMBER, name, J_FORMAT_OF_NUMBER, { 0 }, JAVA_STATIC, number_format_of, which },                    \
    { J_FORMAT_OF_NUMBER, name, J_FORMAT_OF_NUMBER, { J_LOCALE }, JAVA_STATIC, number_format_of, which }
#define COUNT(what, which)                                                                                             \
    { J_FORMAT_OF_NUMBER, "set" what "Digits", J_VOID, { J_INT }, 0, format_set_count, which },                       \
    { J_FORMAT_OF_NUMBER, "get" what "Digits", J_INT, { 0 }, 0, format_count, which }

const struct java_method java_decimal_format_methods[] = {
    { J_DECIMAL_FORMAT, "<init>", J_DECIMAL_FORMAT, { 0 }, 0, decimal_format_new, 0 },
    { J_DECIMAL_FORMAT, "<init>", J_DECIMAL_FORMAT, { J_STRING }, 0, decimal_format_new, 0 },
    { J_DECIMAL_FORMAT, "<init>", J_DECIMAL_FORMAT, { J_STRING, J_DECIMAL_SYMBOLS }, 0, decimal_format_new, 0 },
    { J_DECIMAL_SYMBOLS, "<init>", J_DECIMAL_SYMBOLS, { 0 }, 0, symbols_new, 0 },
    { J_DECIMAL_SYMBOLS, "<init>", J_DECIMAL_SYMBOLS, { J_LOCALE }, 0, symbols_new, 0 },
    { J_DECIMAL_SYMBOLS, "getInstance", J_DECIMAL_SYMBOLS, { 0 }, JAVA_STATIC, symbols_new, 0 },
    { J_DECIMAL_SYMBOLS, "getInstance", J_DECIMAL_SYMBOLS, { J_LOCALE }, JAVA_STATIC, symbols_new, 0 },
    OF_LOCALE("getInstance", FORMAT_NUMBER),
    OF_LOCALE("getNumberInstance", FORMAT_NUMBER),
    OF_LOCALE("getIntegerInstance", FORMAT_INTEGER),
    OF_LOCALE("getPercentInstance", FORMAT_PERCENT),
    OF_LOCALE("getCurrencyInstance", FORMAT_CURRENCY),
    { J_FORMAT_OF_NUMBER, "format", J_STRING, { J_LONG }, 0, format_number, 0 },
    { J_FORMAT_OF_NUMBER, "format", J_STRING, { J_DOUBLE }, 0, format_number, 0 },
    { J_FORMAT_OF_NUMBER, "format", J_STRING, { J_OBJECT }, 0, format_number, 0 },
    { J_FORMAT_OF_NUMBER, "parse", J_NUMBER, { J_STRING }, JAVA_THROWS(J_PARSE_EXCEPTION), parse_number, 0 },
    COUNT("MaximumInteger", INTEGER_MOST),
    COUNT("MinimumInteger", INTEGER_LEAST),
    COUNT("MaximumFraction", FRACTION_MOST),
    COUNT("MinimumFraction", FRACTION_LEAST),
    { J_FORMAT_OF_NUMBER, "setGroupingUsed", J_VOID, { J_BOOLEAN }, 0, format_set, SET_GROUPED },
    { J_FORMAT_OF_NUMBER, "setParseIntegerOnly", J_VOID, { J_BOOLEAN }, 0, format_set, SET_ONLY_INTEGERS },
    { J_FORMAT_OF_NUMBER, "setRoundingMode", J_VOID, { J_ROUNDING_MODE }, 0, format_mode, 0 },
    { J_FORMAT_OF_NUMBER, "getRoundingMode", J_ROUNDING_MODE, { 0 }, 0, format_mode, 0 },
    { J_DECIMAL_FORMAT, "setGroupingSize", J_VOID, { J_INT }, 0, format_set, SET_GROUPING },
    { J_DECIMAL_FORMAT, "setParseBigDecimal", J_VOID, { J_BOOLEAN }, 0, format_set, SET_DECIMALS },
    { J_DECIMAL_FORMAT, "setDecimalSeparatorAlwaysShown", J_VOID, { J_BOOLEAN }, 0, format_set, SET_POINT_ALWAYS },
    { J_DECIMAL_FORMAT, "setMultiplier", J_VOID, { J_INT }, 0, format_set, SET_MULTIPLIER },
    { J_DECIMAL_FORMAT, "applyPattern", J_VOID, { J_STRING }, 0, format_apply, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
