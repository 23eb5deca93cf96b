/* A point in time printed by a DateTimeFormatter. */
#include <stdio.h>

#include "model/java/time_format.h"

struct printer {
    struct java_run *run;
    const struct time_format *format;
    struct java_object *o, *zone;
    struct buf out;
    uint32_t depth;
    bool left; /* what an optional part needs is not there */
};

/* Within an optional part what is not there leaves it out; else it throws. */
static bool value_of(struct printer *p, enum chrono_field field, int64_t *out)
{
    if (temporal_has(p->o, field)) {
        *out = temporal_field(p->o, field);
        return true;
    }
    *out = 0;
    p->left = p->depth > 0;
    return !p->left && chrono_unsupported(p->run, field);
}

static bool put_number(struct printer *p, const struct time_element *e, struct buf *text)
{
    int64_t v;
    if (!value_of(p, e->field, &v))
        return false;
    char digits[TIME_DIGITS_MOST + 2];
    uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
    if (e->op == TIME_REDUCED)
        size %= 100; /* of any year */
    size_t len = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)size);
    const char *field = chrono_field_text(e->field);
    if (len > e->most)
        return java_throw(p->run, J_DATE_TIME, "Field %s cannot be printed as the value %lld exceeds the maximum print width of %u", field, (long long)v,
                          (unsigned)e->most);
    if (v < 0 && e->op != TIME_REDUCED) {
        if (e->sign == SIGN_NOT_NEGATIVE)
            return java_throw(p->run, J_DATE_TIME, "Field %s cannot be printed as the value %lld cannot be negative according to the SignStyle", field,
                              (long long)v);
        buf_put_u8(text, '-');
    } else if (e->sign == SIGN_EXCEEDS_PAD && len > e->least && e->least < TIME_DIGITS_MOST) {
        buf_put_u8(text, '+');
    }
    for (size_t i = len; i < e->least; i++)
        buf_put_u8(text, '0');
    buf_put(text, digits, len);
    return true;
}

static bool put_fraction(struct printer *p, const struct time_element *e, struct buf *text)
{
    enum { DIGITS = 9 };
    char digits[DIGITS + 2];
    int64_t v;
    if (!value_of(p, e->field, &v))
        return false;
    (void)snprintf(digits, sizeof digits, "%09d", (int)v);
    size_t len = DIGITS;
    while (len && digits[len - 1] == '0')
        len--;
    len = len < e->least ? e->least : len > e->most ? e->most : len;
    if (len && e->point)
        buf_put_u8(text, '.');
    buf_put(text, digits, len);
    return true;
}

static bool put_text(struct printer *p, const struct time_element *e, struct buf *text)
{
    char name[TIME_TEXT_MOST];
    int64_t v;
    if (!value_of(p, e->field, &v))
        return false;
    buf_put(text, name, chrono_text(e->field, v, e->style, p->format->locale, name));
    return true;
}

static bool put_offset(struct printer *p, const struct time_element *e, struct buf *text)
{
    bool colon = strchr(time_offset_forms[e->most], ':'), wants_minutes = strchr(time_offset_forms[e->most], 'M'),
         may_seconds = strchr(time_offset_forms[e->most], 's');
    int64_t v;
    if (!value_of(p, CHRONO_OFFSET_SECONDS, &v))
        return false;
    int s = (int)(v < 0 ? -v : v), minutes = s / 60 % 60, seconds = s % 60;
    bool with_minutes = e->most && (wants_minutes || minutes), with_seconds = with_minutes && may_seconds && seconds;
    if (s < 60 && !with_seconds) {
        for (uint32_t i = 0; i < e->len; i++)
            buf_put_u8(text, (uint8_t)e->units[i]);
        return true;
    }
    buf_printf(text, "%c%02d", v < 0 ? '-' : '+', s / 3600);
    if (with_minutes)
        buf_printf(text, "%s%02d", colon ? ":" : "", minutes);
    if (with_seconds)
        buf_printf(text, "%s%02d", colon ? ":" : "", seconds);
    return true;
}

static bool find_zone(struct printer *p, bool region, struct java_object **out)
{
    *out = p->zone ? p->zone : p->o->when.zone;
    if (!*out && !p->zone && temporal_has(p->o, CHRONO_OFFSET_SECONDS) && p->o->kind != J_TIME_OFFSET_DATE_TIME && p->o->kind != J_ZONE_OFFSET &&
        !java_zone_of_offset(p->run, p->o->when.offset_s, out))
        return false;
    if (*out && !(region && (*out)->kind == J_ZONE_OFFSET))
        return true;
    p->left = p->depth > 0;
    return !p->left && java_throw_of(p->run, J_DATE_TIME, "Unable to extract ZoneId from temporal ", p->o);
}

static bool put_zone(struct printer *p, const struct time_element *e)
{
    struct java_object *zone;
    return find_zone(p, e->region, &zone) && java_print(p->run, &p->out, zone);
}

/* Those that are Greenwich's time are called so, those that have another of Etc/GMT+5's kind GMT-05:00, others that are UTC so, and the rest by their id. */
static bool put_zone_name(struct printer *p, bool full, struct buf *text)
{
    static const char *const greenwich[] = { "GMT", "GMT0", "Greenwich", "Etc/GMT", "Etc/GMT0", "Etc/GMT+0", "Etc/GMT-0", "Etc/Greenwich" };
    struct java_object *zone, *printed;
    struct slice id;

    if (!find_zone(p, false, &zone) || !java_print_to(p->run, zone, &printed) || !java_utf8(p->run, printed, &id))
        return false;
    bool is_region = zone->kind == J_ZONE_REGION && !slice_eq_str(id, "UT"), is_gmt = false;
    for (size_t i = 0; i < sizeof greenwich / sizeof *greenwich; i++)
        is_gmt |= slice_eq_str(id, greenwich[i]);
    if (is_gmt) {
        buf_put_str(text, full ? "Greenwich Mean Time" : "GMT");
    } else if (is_region && !zone->when.offset_s) {
        buf_put_str(text, full ? "Coordinated Universal Time" : "UTC");
    } else if (is_region && id.len > 3 && memcmp(id.data, "Etc", 3) == 0) {
        buf_put_str(text, "GMT");
        chrono_put_offset(text, zone->when.offset_s);
    } else {
        buf_put_slice(text, id);
    }
    return true;
}

/* GMT+1, GMT+01:30; or a zone's name, long or short, which those that are an offset have none of. */
static bool put_localized(struct printer *p, const struct time_element *e, struct buf *text)
{
    int64_t v;

    if (e->region)
        return put_zone_name(p, e->style == STYLE_FULL, text);
    if (!value_of(p, CHRONO_OFFSET_SECONDS, &v))
        return false;
    int s = (int)(v < 0 ? -v : v), hours = s / 3600, minutes = s / 60 % 60, seconds = s % 60;
    buf_put_str(text, "GMT");
    if (!s)
        return true;
    buf_printf(text, e->style == STYLE_FULL ? "%c%02d" : "%c%d", v < 0 ? '-' : '+', hours);
    if (e->style == STYLE_FULL || minutes || seconds)
        buf_printf(text, ":%02d", minutes);
    if (seconds)
        buf_printf(text, ":%02d", seconds);
    return true;
}

static bool put_element(struct printer *p, const struct time_element *e)
{
    struct buf text;
    bool good = true;

    buf_init(&text, p->run->ctx->arena);
    switch (e->op) {
    case TIME_LITERAL:
        buf_put(&p->out, e->units, e->len * sizeof *e->units);
        break;
    case TIME_NUMBER:
    case TIME_REDUCED:
        good = put_number(p, e, &text);
        break;
    case TIME_FRACTION:
        good = put_fraction(p, e, &text);
        break;
    case TIME_TEXT:
        good = put_text(p, e, &text);
        break;
    case TIME_OFFSET:
        good = put_offset(p, e, &text);
        break;
    case TIME_LOCALIZED:
        good = put_localized(p, e, &text);
        break;
    case TIME_ZONE:
        good = put_zone(p, e);
        break;
    default:
        break;
    }
    java_put_buf(&p->out, &text);
    return good;
}

/* Blanks before what stands from `from` on. */
static bool pad(struct printer *p, const struct time_element *e, size_t from)
{
    size_t units = (p->out.len - from) / sizeof(uint16_t);
    if (units > e->pad)
        return java_throw(p->run, J_DATE_TIME, "Cannot print as output of %zu characters exceeds pad width of %u", units, (unsigned)e->pad);
    size_t more = (e->pad - units) * sizeof(uint16_t);
    if (!java_charge(p->run, more))
        return false;
    for (uint32_t i = (uint32_t)units; i < e->pad; i++)
        java_put_ascii(&p->out, " ", 1);
    if (p->out.failed)
        return true;
    memmove(p->out.data + from + more, p->out.data + from, units * sizeof(uint16_t));
    for (size_t i = 0; i < more; i += sizeof(uint16_t))
        memcpy(p->out.data + from + i, &(uint16_t){ ' ' }, sizeof(uint16_t));
    return true;
}

/* What the formatter's zone makes of a point in time: the same instant there. */
static bool move_to_zone(struct printer *p)
{
    struct java_object *zone = p->format->zone;
    if (!zone)
        return true;
    if (temporal_has(p->o, CHRONO_INSTANT_SECONDS))
        return temporal_at_second(p->run, J_TIME_ZONED_DATE_TIME, temporal_field(p->o, CHRONO_INSTANT_SECONDS), temporal_field(p->o, CHRONO_NANO_OF_SECOND),
                                  zone->when.offset_s, zone, &p->o);
    p->zone = zone;
    return true;
}

static bool print_instant(struct printer *p, struct java_object **out)
{
    struct java_object *instant;
    if (!temporal_has(p->o, CHRONO_INSTANT_SECONDS))
        return chrono_unsupported(p->run, CHRONO_INSTANT_SECONDS);
    return temporal_from(p->run, J_TIME_INSTANT, p->o, &instant) && java_print_to(p->run, instant, out);
}

bool time_format_print(struct java_run *run, const struct time_format *format, struct java_object *o, struct java_object **out)
{
    struct printer p = { .run = run, .format = format, .o = o };
    struct {
        size_t len;
        uint32_t end;
    } *open = java_alloc(run, (format->depth + 1) * sizeof *open);
    union java_value text;

    if (!open || !move_to_zone(&p))
        return false;
    if (format->instant)
        return print_instant(&p, out);
    buf_init(&p.out, run->ctx->arena);
    for (uint32_t i = 0; i < format->count; i++) {
        const struct time_element *e = &format->elements[i];
        size_t from = p.out.len;
        if (e->op == TIME_OPEN) {
            open[p.depth].len = from;
            open[p.depth++].end = e->end;
            continue;
        }
        if (e->op == TIME_CLOSE) {
            p.depth--;
            continue;
        }
        p.left = false;
        if (!java_spend(run, 1) || (!put_element(&p, e) && !p.left) || (e->pad && !p.left && !pad(&p, e, from)) || !java_check_text(run, &p.out))
            return false;
        if (p.left) {
            p.out.len = open[--p.depth].len;
            i = open[p.depth].end;
        }
    }
    if (!java_give_text(run, &p.out, &text))
        return false;
    *out = text.o;
    return true;
}
