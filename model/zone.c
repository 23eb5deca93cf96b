#include "model/zone.h"

#include "model/calendar.h"

enum { OFFSET_MAX_S = 18 * 3600, HOUR_S = 3600 };

/* ---- offsets ---- */

static int two_digits(struct slice s)
{
    if (s.len < 2 || s.data[0] < '0' || s.data[0] > '9' || s.data[1] < '0' || s.data[1] > '9')
        return -1;
    return (s.data[0] - '0') * 10 + (s.data[1] - '0');
}

enum offset_form { OFFSET_PLAIN, OFFSET_SECONDS, OFFSET_COLONS };

/* +HH, +HHmm or +HH:mm; OFFSET_SECONDS: or +HH:mm:ss; OFFSET_COLONS: that, but not without colons. */
static bool parse_offset(struct slice s, enum offset_form form, int32_t *out)
{
    int part[3] = { 0 }, n = 0;
    bool negative = s.len && s.data[0] == '-', colon = false;
    if (!s.len || (s.data[0] != '+' && s.data[0] != '-'))
        return false;
    for (s = slice_skip(s, 1); n < 3; n++) {
        if (n == 1)
            colon = s.len && s.data[0] == ':';
        if (n && colon) {
            if (!s.len || s.data[0] != ':')
                break;
            s = slice_skip(s, 1);
        }
        part[n] = two_digits(s);
        if (part[n] < 0 || part[n] > 59)
            return false;
        s = slice_skip(s, 2);
        if (!s.len)
            break;
    }
    if (s.len || n == 3 || (n == 2 && (form == OFFSET_PLAIN || !colon)) || (n == 1 && form == OFFSET_COLONS && !colon))
        return false;
    int32_t total = part[0] * 3600 + part[1] * 60 + part[2];
    *out = negative ? -total : total;
    return part[0] < 24 && total <= OFFSET_MAX_S;
}

/* ---- zones by name ---- */

enum rule { RULE_NONE, RULE_US, RULE_EU };

struct zone {
    const char *names;  /* each ended by ';' */
    int16_t offset_min; /* of standard time */
    uint8_t rule;
};

static const struct zone zones[] = {
    { "Z;UTC;UCT;GMT;UT;GMT0;Zulu;Etc/UTC;Etc/GMT;Etc/UCT;Universal;Greenwich;Coordinated Universal Time;", 0,
      RULE_NONE },
    { "EST;EDT;Eastern Standard Time;Eastern Daylight Time;America/New_York;US/Eastern;EST5EDT;", -300, RULE_US },
    { "CST;CDT;Central Standard Time;Central Daylight Time;America/Chicago;US/Central;CST6CDT;", -360, RULE_US },
    { "MST;MDT;Mountain Standard Time;Mountain Daylight Time;America/Denver;US/Mountain;MST7MDT;", -420, RULE_US },
    { "PST;PDT;Pacific Standard Time;Pacific Daylight Time;America/Los_Angeles;US/Pacific;PST8PDT;", -480, RULE_US },
    { "AKST;AKDT;America/Anchorage;US/Alaska;", -540, RULE_US },
    { "HST;Pacific/Honolulu;US/Hawaii;", -600, RULE_NONE },
    { "WET;WEST;Europe/Lisbon;Europe/London;", 0, RULE_EU },
    { "CET;CEST;Central European Time;Central European Summer "
      "Time;MET;Europe/Paris;Europe/Berlin;Europe/Madrid;Europe/Rome;"
      "Europe/Vienna;Europe/Zurich;Europe/Amsterdam;Europe/Brussels;Europe/Stockholm;Europe/Oslo;Europe/Copenhagen;"
      "Europe/Prague;Europe/Warsaw;Europe/Budapest;",
      60, RULE_EU },
    { "EET;EEST;Europe/Athens;Europe/Helsinki;Europe/Bucharest;Europe/Sofia;", 120, RULE_EU },
    { "JST;Asia/Tokyo;Japan;", 540, RULE_NONE },
    { "KST;Asia/Seoul;", 540, RULE_NONE },
    { "SGT;Asia/Singapore;", 480, RULE_NONE },
    { "Asia/Shanghai;PRC;", 480, RULE_NONE },
    { "Asia/Kolkata;Asia/Calcutta;", 330, RULE_NONE },
};

static bool has_name(const struct zone *zone, struct slice name)
{
    for (const char *at = zone->names, *end; *at; at = end + 1) {
        end = strchr(at, ';');
        if (slice_eq(name, slice_of(at, (size_t)(end - at))))
            return true;
    }
    return false;
}

/* When summer time begins and ends in a year: the week's Sunday of a month (5: the last) at an hour. */
struct season {
    int16_t from_year;
    uint8_t from_month, from_week, to_month, to_week;
};

static const struct season us_seasons[] = {
    { 2007, 3, 2, 11, 1 }, { 1987, 4, 1, 10, 5 }, { 1967, 4, 5, 10, 5 }, { 0 }
};
static const struct season eu_seasons[] = { { 1996, 3, 5, 10, 5 }, { 1981, 3, 5, 9, 5 }, { 0 } };

static int64_t sunday(int64_t year, int month, int week)
{
    int last = week == 5 ? days_of_month(year, month) : week * 7;
    int64_t day = days_of_civil((struct civil){ year, month, last });
    return day - floor_mod(day + 4, 7); /* 1970-01-01 was a Thursday */
}

/* The instants, in wall seconds of standard time, at which summer time begins and ends in the year of local_s. */
static bool summer(const struct zone *zone, int64_t local_s, int64_t *begin, int64_t *end)
{
    int64_t year = civil_of_days(floor_div(local_s, 86400)).year;
    const struct season *s = zone->rule == RULE_US ? us_seasons : eu_seasons;
    while (s->from_year && s->from_year > year)
        s++;
    if (s->from_year == 0)
        return false;
    *begin = sunday(year, s->from_month, s->from_week) * 86400;
    *end = sunday(year, s->to_month, s->to_week) * 86400;
    if (zone->rule == RULE_US) { /* two o'clock as the wall shows it, so the end is at one of standard time */
        *begin += 2L * HOUR_S;
        *end += HOUR_S;
    } else { /* one o'clock UTC in all zones */
        *begin += HOUR_S + zone->offset_min * 60;
        *end += HOUR_S + zone->offset_min * 60;
    }
    return true;
}

static void zone_at(const struct zone *zone, int64_t local_s, int32_t *offset_s, int32_t *skipped_s)
{
    int64_t begin, end;
    *offset_s = zone->offset_min * 60;
    *skipped_s = 0;
    if (zone->rule == RULE_NONE || !summer(zone, local_s, &begin, &end))
        return;
    if (local_s >= begin && local_s < begin + HOUR_S)
        *skipped_s = HOUR_S;
    if (local_s >= begin &&
        local_s < end + HOUR_S) /* the hour the clock is set back comes twice: the first is summer's */
        *offset_s += HOUR_S;
}

bool zone_offset(struct slice name, enum zone_place place, int64_t local_s, int32_t *offset_s, int32_t *skipped_s)
{
    *skipped_s = 0;
    if (place != ZONE_AFTER_BLANK) {
        *offset_s = 0;
        if (slice_eq_str(name, "Z") || (place == ZONE_AFTER_DATE && slice_eq_str(name, "z")))
            return true;
        return parse_offset(name, place == ZONE_AFTER_DATE ? OFFSET_SECONDS : OFFSET_PLAIN, offset_s);
    }
    if (parse_offset(name, OFFSET_SECONDS, offset_s))
        return true;
    static const char *const prefixes[] = { "UTC", "GMT", "UT" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct slice prefix = slice_str(prefixes[i]);
        if (slice_has_prefix(name, prefix) && parse_offset(slice_skip(name, prefix.len), OFFSET_COLONS, offset_s))
            return true;
    }
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        if (has_name(&zones[i], name)) {
            zone_at(&zones[i], local_s, offset_s, skipped_s);
            return true;
        }
    }
    return false;
}
