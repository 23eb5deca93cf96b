/* java.util.TimeZone: UTC, GMT, and offsets of it. */
#include "model/java/calendar.h"
#include "model/java/object_ops.h"

/* That many digits, and a number out of it; -1: they are not there. */
static int take_digits(struct slice *text, size_t n)
{
    int v = 0;
    if (!n || n > text->len)
        return -1;
    for (size_t i = 0; i < n; i++)
        v = v * 10 + (text->data[i] - '0');
    *text = slice_skip(*text, n);
    return v;
}

/* GMT+2, GMT-02:30, GMT+0230; false: no such name, which is GMT to Java. */
static bool custom_offset(struct slice text, int32_t *out_ms)
{
    if (text.len < 5 || memcmp(text.data, "GMT", 3) != 0 || (text.data[3] != '+' && text.data[3] != '-'))
        return false;
    int sign = text.data[3] == '-' ? -1 : 1, minutes = 0;
    text = slice_skip(text, 4);
    size_t digits = 0;
    while (digits < text.len && text.data[digits] >= '0' && text.data[digits] <= '9')
        digits++;
    bool colon = digits < text.len && text.data[digits] == ':';
    if (digits > (colon ? 2u : 4u))
        return false;
    int hours = take_digits(&text, digits > 2 ? digits - 2 : digits);
    text = slice_skip(text, colon);
    if (colon || digits > 2)
        minutes = text.len == 2 && text.data[0] >= '0' && text.data[0] <= '5' && text.data[1] >= '0' && text.data[1] <= '9' ? take_digits(&text, 2) : -1;
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || text.len)
        return false;
    *out_ms = sign * (hours * 60 + minutes) * 60000;
    return true;
}

bool java_zone_put_offset(struct buf *text, int32_t offset_ms, const char *between)
{
    int minutes = (offset_ms < 0 ? -offset_ms : offset_ms) / 60000;
    buf_printf(text, "%c%02d%s%02d", offset_ms < 0 ? '-' : '+', minutes / 60, between, minutes % 60);
    return true;
}

bool java_zone_new(struct java_run *run, struct slice name, struct java_object **out)
{
    static const char *const utc[] = { "UTC", "GMT", "Etc/UTC", "Etc/GMT", "UCT", "Zulu", "Universal", "Etc/UCT" };
    struct buf text;
    int32_t offset_ms = 0;

    if (!(*out = java_new(run, J_TIME_ZONE)))
        return false;
    for (size_t i = 0; i < sizeof utc / sizeof *utc; i++)
        if (slice_eq_str(name, utc[i]))
            return java_string_of_utf8(run, name, &(*out)->zone.name);
    buf_init(&text, run->ctx->arena);
    buf_put_str(&text, "GMT");
    if (custom_offset(name, &offset_ms))
        java_zone_put_offset(&text, offset_ms, ":");
    else if (name.len > 3 && (memchr(name.data, '/', name.len) || memcmp(name.data, "GMT", 3) != 0))
        return java_throw(run, J_UNSUPPORTED, "time zones other than UTC and offsets of it are not supported here");
    (*out)->zone.offset_ms = offset_ms;
    return java_string_of_text(run, &text, &(*out)->zone.name);
}

JAVA_CALL(zone_of_name)
{
    struct slice name = SLICE_LIT("Etc/UTC");
    JAVA_UNUSED;
    if (method->args[0] && (!java_check_read(run, args[0].o, JAVA_READ_TEXT, "id") || !java_utf8(run, args[0].o, &name)))
        return false;
    return java_zone_new(run, name, &out->o);
}

JAVA_CALL(zone_name)
{
    JAVA_UNUSED;
    out->o = self->o->zone.name;
    return true;
}

JAVA_CALL(zone_offset)
{
    JAVA_UNUSED;
    out->i = self->o->zone.offset_ms;
    return true;
}

JAVA_CALL(zone_has_same_rules)
{
    JAVA_UNUSED;
    out->i = args[0].o && self->o->zone.offset_ms == args[0].o->zone.offset_ms;
    return true;
}

/* ---- as objects: those of ZoneInfo, which all of them are ---- */

static bool zone_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return java_equals(run, a->zone.name, b->zone.name) && a->zone.offset_ms == b->zone.offset_ms;
}

static uint32_t zone_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return (uint32_t)o->zone.offset_ms;
}

static bool zone_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    static const char before[] = "sun.util.calendar.ZoneInfo[id=\"";
    struct buf behind;
    buf_init(&behind, utf16->arena);
    buf_printf(&behind, "\",offset=%d,dstSavings=0,useDaylight=false,transitions=0,lastRule=null]", (int)o->zone.offset_ms);
    java_put_ascii(utf16, before, sizeof before - 1);
    if (!java_print(run, utf16, o->zone.name))
        return false;
    java_put_buf(utf16, &behind);
    return true;
}

const struct java_object_ops java_zone_ops = { .equals = zone_equals, .hash = zone_hash, .print = zone_print };

/* ---- the table ---- */

const struct java_method java_zone_methods[] = {
    { J_TIME_ZONE, "getTimeZone", J_TIME_ZONE, { J_STRING }, JAVA_STATIC, zone_of_name, 0 },
    { J_TIME_ZONE, "getDefault", J_TIME_ZONE, { 0 }, JAVA_STATIC, zone_of_name, 0 },
    { J_TIME_ZONE, "getID", J_STRING, { 0 }, 0, zone_name, 0 },
    { J_TIME_ZONE, "getRawOffset", J_INT, { 0 }, 0, zone_offset, 0 },
    { J_TIME_ZONE, "getOffset", J_INT, { J_LONG }, 0, zone_offset, 0 },
    { J_TIME_ZONE, "hasSameRules", J_BOOLEAN, { J_TIME_ZONE }, 0, zone_has_same_rules, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
