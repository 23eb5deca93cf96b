/* java.time: ZoneId and ZoneOffset. There is no data base of zones here: those that are an offset alone are known. */
#include "model/java/object_ops.h"
#include "model/java/temporal.h"

enum { HOUR_S = 3600, MINUTE_S = 60, HOURS_MOST = 18 };

/* ---- offsets ---- */

bool java_zone_of_offset(struct java_run *run, int64_t offset_s, struct java_object **out)
{
    if (offset_s < -OFFSET_MOST_S || offset_s > OFFSET_MOST_S)
        return java_throw(run, J_DATE_TIME, "Zone offset not in valid range: -18:00 to +18:00");
    if (!(*out = java_new(run, J_ZONE_OFFSET)))
        return false;
    (*out)->when.offset_s = (int32_t)offset_s;
    return true;
}

static bool check_part(struct java_run *run, const char *what, int64_t v, int most)
{
    return (v >= -most && v <= most) ||
           java_throw(run, J_DATE_TIME, "Zone offset %s not in valid range: value %lld is not in the range -%d to %d", what, (long long)v, most, most);
}

static bool of_parts(struct java_run *run, int64_t hours, int64_t minutes, int64_t seconds, struct java_object **out)
{
    if (!check_part(run, "hours", hours, HOURS_MOST))
        return false;
    if (hours > 0 ? minutes < 0 || seconds < 0 : hours < 0 && (minutes > 0 || seconds > 0))
        return java_throw(run, J_DATE_TIME, "Zone offset minutes and seconds must be %s because hours is %s", hours > 0 ? "positive" : "negative",
                          hours > 0 ? "positive" : "negative");
    if ((minutes > 0 && seconds < 0) || (minutes < 0 && seconds > 0))
        return java_throw(run, J_DATE_TIME, "Zone offset minutes and seconds must have the same sign");
    return check_part(run, "minutes", minutes, 59) && check_part(run, "seconds", seconds, 59) &&
           java_zone_of_offset(run, hours * HOUR_S + minutes * MINUTE_S + seconds, out);
}

/* Two digits of an offset's text; a colon before them where there has to be one. */
static bool two_digits(struct java_run *run, struct slice id, size_t at, bool colon, int64_t *out)
{
    if (colon && id.data[at - 1] != ':')
        return java_throw(run, J_DATE_TIME, "Invalid ID for ZoneOffset, colon not found when expected: %.*s", SLICE_ARG(id));
    if (id.data[at] < '0' || id.data[at] > '9' || id.data[at + 1] < '0' || id.data[at + 1] > '9')
        return java_throw(run, J_DATE_TIME, "Invalid ID for ZoneOffset, non numeric characters found: %.*s", SLICE_ARG(id));
    *out = (id.data[at] - '0') * 10 + id.data[at + 1] - '0';
    return true;
}

/* Z, +h, +hh, +hhmm, +hh:mm, +hhmmss, +hh:mm:ss */
static bool offset_of_id(struct java_run *run, struct slice id, struct java_object **out)
{
    uint8_t padded[3];
    int64_t part[3] = { 0 };

    if (slice_eq_str(id, "Z"))
        return java_zone_of_offset(run, 0, out);
    if (id.len == 2) {
        padded[0] = id.data[0];
        padded[1] = '0';
        padded[2] = id.data[1];
        id = slice_of(padded, sizeof padded);
    }
    bool colon = id.len == 6 || id.len == 9;
    size_t count = id.len == 3 ? 1 : id.len == 5 || id.len == 6 ? 2 : id.len == 7 || id.len == 9 ? 3 : 0;
    if (!count)
        return java_throw(run, J_DATE_TIME, "Invalid ID for ZoneOffset, invalid format: %.*s", SLICE_ARG(id));
    for (size_t i = 0; i < count; i++)
        if (!two_digits(run, id, 1 + i * (colon ? 3 : 2), colon && i, &part[i]))
            return false;
    if (id.data[0] != '+' && id.data[0] != '-')
        return java_throw(run, J_DATE_TIME, "Invalid ID for ZoneOffset, plus/minus not found when expected: %.*s", SLICE_ARG(id));
    int sign = id.data[0] == '-' ? -1 : 1;
    return of_parts(run, sign * part[0], sign * part[1], sign * part[2], out);
}

/* ---- zones ---- */

static bool new_region(struct java_run *run, struct slice name, int32_t offset_s, struct java_object **out)
{
    struct buf text;
    if (!(*out = java_new(run, J_ZONE_REGION)))
        return false;
    buf_init(&text, run->ctx->arena);
    buf_put_slice(&text, name);
    (*out)->when.offset_s = offset_s;
    return java_ok(run, text.failed ? fail_nomem(run->ctx) : WR_OK) && java_string_of_utf8(run, buf_slice(&text), &(*out)->when.zone);
}

/* UTC, or with an offset behind it, which reads as offsets do. */
static bool prefixed(struct java_run *run, const char *prefix, int32_t offset_s, struct java_object **out)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    buf_put_str(&text, prefix);
    if (offset_s)
        chrono_put_offset(&text, offset_s);
    return new_region(run, buf_slice(&text), offset_s, out);
}

static bool is_region_name(struct slice id)
{
    for (size_t i = 0; i < id.len; i++) {
        uint8_t c = id.data[i];
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z' && c < 128;
        if (!letter && (!i || !((c >= '0' && c <= '9') || memchr("/~._+-", c, 6))))
            return false;
    }
    return id.len >= 2;
}

/* Etc/GMT+5 is five hours behind. */
static bool fixed_region(struct slice id, int32_t *offset_s)
{
    static const char *const utc[] = { "Etc/UTC", "Etc/GMT", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Etc/Greenwich", "Etc/GMT0", "Etc/GMT+0",
                                       "Etc/GMT-0", "UCT", "Universal", "Zulu", "Greenwich", "GMT0" };
    enum { PREFIX = 7, WEST_MOST = 12, EAST_MOST = 14 };

    *offset_s = 0;
    for (size_t i = 0; i < sizeof utc / sizeof *utc; i++)
        if (slice_eq_str(id, utc[i]))
            return true;
    if (id.len <= PREFIX + 1 || id.len > PREFIX + 3 || memcmp(id.data, "Etc/GMT", PREFIX) != 0 || (id.data[PREFIX] != '+' && id.data[PREFIX] != '-'))
        return false;
    int hours = 0, west = id.data[PREFIX] == '+';
    for (size_t i = PREFIX + 1; i < id.len; i++) {
        if (id.data[i] < '0' + (i == PREFIX + 1) || id.data[i] > '9')
            return false;
        hours = hours * 10 + id.data[i] - '0';
    }
    *offset_s = (west ? -hours : hours) * HOUR_S;
    return hours <= (west ? WEST_MOST : EAST_MOST);
}

bool java_zone_id(struct java_run *run, struct slice id, struct java_object **out)
{
    static const char *const prefixes[] = { "UTC", "GMT", "UT" };
    int32_t offset_s;

    if (id.len <= 1 || id.data[0] == '+' || id.data[0] == '-')
        return offset_of_id(run, id, out);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t len = strlen(prefixes[i]);
        if (id.len < len || memcmp(id.data, prefixes[i], len) != 0)
            continue;
        if (id.len == len)
            return prefixed(run, prefixes[i], 0, out);
        if (id.data[len] != '+' && id.data[len] != '-')
            break;
        if (!offset_of_id(run, slice_skip(id, len), out))
            return run->thrown && java_throw(run, J_DATE_TIME, "Invalid ID for offset-based ZoneId: %.*s", SLICE_ARG(id));
        return prefixed(run, prefixes[i], (*out)->when.offset_s, out);
    }
    if (!is_region_name(id))
        return java_throw(run, J_DATE_TIME, "Invalid ID for region-based ZoneId, invalid format: %.*s", SLICE_ARG(id));
    if (!fixed_region(id, &offset_s))
        return java_throw(run, J_UNSUPPORTED, "time zones other than UTC and offsets of it are not supported here");
    return new_region(run, id, offset_s, out);
}

JAVA_CALL(zone_of_id)
{
    struct slice id;
    bool offset = method->of == J_ZONE_OFFSET;
    JAVA_UNUSED;
    return java_require(run, args[0].o, offset ? "offsetId" : "zoneId") && java_utf8(run, args[0].o, &id) &&
           (offset ? offset_of_id : java_zone_id)(run, id, &out->o);
}

JAVA_CALL(zone_of_prefix)
{
    struct slice prefix;
    JAVA_UNUSED;
    if (!java_require(run, args[0].o, "prefix") || !java_require(run, args[1].o, "offset") || !java_utf8(run, args[0].o, &prefix))
        return false;
    out->o = args[1].o;
    if (!prefix.len)
        return true;
    if (!slice_eq_str(prefix, "GMT") && !slice_eq_str(prefix, "UTC") && !slice_eq_str(prefix, "UT"))
        return java_throw(run, J_ILLEGAL_ARGUMENT, "prefix should be GMT, UTC or UT, is: %.*s", SLICE_ARG(prefix));
    return prefixed(run, prefix.data[0] == 'G' ? "GMT" : prefix.len == 3 ? "UTC" : "UT", args[1].o->when.offset_s, &out->o);
}

JAVA_CALL(zone_default)
{
    JAVA_UNUSED;
    return java_zone_id(run, SLICE_LIT("Etc/UTC"), &out->o);
}

JAVA_CALL(zone_name)
{
    JAVA_UNUSED;
    return java_print_to(run, self->o, &out->o);
}

JAVA_CALL(zone_normalized)
{
    JAVA_UNUSED;
    return java_zone_of_offset(run, self->o->when.offset_s, &out->o);
}

JAVA_CALL(offset_of_numbers)
{
    unsigned count = java_method_arity(method);
    JAVA_UNUSED;
    return of_parts(run, args[0].i, count > 1 ? args[1].i : 0, count > 2 ? args[2].i : 0, &out->o);
}

JAVA_CALL(offset_of_seconds)
{
    JAVA_UNUSED;
    return java_zone_of_offset(run, args[0].i, &out->o);
}

JAVA_CALL(offset_seconds)
{
    JAVA_UNUSED;
    out->i = self->o->when.offset_s;
    return true;
}

/* ---- as objects ---- */

static bool region_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return java_equals(run, a->when.zone, b->when.zone);
}

static uint32_t region_hash(struct java_run *run, const struct java_object *o)
{
    return (uint32_t)java_hash_code(run, o->when.zone);
}

static bool region_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    return java_print(run, utf16, o->when.zone);
}

const struct java_object_ops java_zone_region_ops = { .equals = region_equals, .hash = region_hash, .print = region_print };

/* There is one of each quarter of an hour. */
static bool offset_same(const struct java_object *a, const struct java_object *b)
{
    enum { KEPT = 15 * MINUTE_S };
    return a->when.offset_s == b->when.offset_s && a->when.offset_s % KEPT == 0;
}

static bool offset_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return a->when.offset_s == b->when.offset_s;
}

static uint32_t offset_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return (uint32_t)o->when.offset_s;
}

/* From the east on. */
static bool offset_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)run;
    *out = b->when.offset_s - a->when.offset_s;
    return true;
}

static bool offset_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct buf text;
    (void)run;
    buf_init(&text, utf16->arena);
    chrono_put_offset(&text, o->when.offset_s);
    java_put_buf(utf16, &text);
    return true;
}

const struct java_object_ops java_zone_offset_ops = {
    .same = offset_same, .equals = offset_equals, .hash = offset_hash, .compare = offset_compare, .print = offset_print
};

/* ---- the table ---- */

const struct java_method java_zone_id_methods[] = {
    { J_ZONE_ID, "of", J_ZONE_ID, { J_STRING }, JAVA_STATIC, zone_of_id, 0 },
    { J_ZONE_ID, "ofOffset", J_ZONE_ID, { J_STRING, J_ZONE_OFFSET }, JAVA_STATIC, zone_of_prefix, 0 },
    { J_ZONE_ID, "systemDefault", J_ZONE_ID, { 0 }, JAVA_STATIC, zone_default, 0 },
    { J_ZONE_ID, "getId", J_STRING, { 0 }, 0, zone_name, 0 },
    { J_ZONE_ID, "normalized", J_ZONE_ID, { 0 }, 0, zone_normalized, 0 },
    { J_ZONE_OFFSET, "of", J_ZONE_OFFSET, { J_STRING }, JAVA_STATIC, zone_of_id, 0 },
    { J_ZONE_OFFSET, "ofHours", J_ZONE_OFFSET, { J_INT }, JAVA_STATIC, offset_of_numbers, 0 },
    { J_ZONE_OFFSET, "ofHoursMinutes", J_ZONE_OFFSET, { J_INT, J_INT }, JAVA_STATIC, offset_of_numbers, 0 },
    { J_ZONE_OFFSET, "ofHoursMinutesSeconds", J_ZONE_OFFSET, { J_INT, J_INT, J_INT }, JAVA_STATIC, offset_of_numbers, 0 },
    { J_ZONE_OFFSET, "ofTotalSeconds", J_ZONE_OFFSET, { J_INT }, JAVA_STATIC, offset_of_seconds, 0 },
    { J_ZONE_OFFSET, "getTotalSeconds", J_INT, { 0 }, 0, offset_seconds, 0 },
    { J_ZONE_OFFSET, "compareTo", J_INT, { J_ZONE_OFFSET }, 0, java_compare_to, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

static struct java_object utc = { .kind = J_ZONE_OFFSET, .when = { .offset_s = 0 } }, west = { .kind = J_ZONE_OFFSET, .when = { .offset_s = -OFFSET_MOST_S } },
                          east = { .kind = J_ZONE_OFFSET, .when = { .offset_s = OFFSET_MOST_S } };

const struct java_constant java_zone_id_constants[] = {
    { J_ZONE_OFFSET, "UTC", J_ZONE_OFFSET, { .o = &utc }, java_constant_is_object },
    { J_ZONE_OFFSET, "MIN", J_ZONE_OFFSET, { .o = &west }, java_constant_is_object },
    { J_ZONE_OFFSET, "MAX", J_ZONE_OFFSET, { .o = &east }, java_constant_is_object },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
