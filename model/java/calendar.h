/*
 * calendar.h - the state of a java.util.Calendar, which SimpleDateFormat reads and writes times with. In Java's own calendar, Julian before 1582-10-15.
 */
#ifndef WR_MODEL_JAVA_CALENDAR_H
#define WR_MODEL_JAVA_CALENDAR_H

#include "model/java/lib.h"

/* By Calendar's numbers. */
enum calendar_field {
    FIELD_ERA,
    FIELD_YEAR,
    FIELD_MONTH,
    FIELD_WEEK_OF_YEAR,
    FIELD_WEEK_OF_MONTH,
    FIELD_DAY,
    FIELD_DAY_OF_YEAR,
    FIELD_DAY_OF_WEEK,
    FIELD_DAY_OF_WEEK_IN_MONTH,
    FIELD_AM_PM,
    FIELD_HOUR,
    FIELD_HOUR_OF_DAY,
    FIELD_MINUTE,
    FIELD_SECOND,
    FIELD_MILLISECOND,
    FIELD_ZONE_OFFSET,
    FIELD_DST_OFFSET,
    JAVA_CALENDAR_FIELDS
};

enum { COMPUTED = 1 }; /* the stamp of a field that comes from the time */

struct calendar {
    int64_t fields[JAVA_CALENDAR_FIELDS];
    uint32_t stamps[JAVA_CALENDAR_FIELDS]; /* in which order they were set; 0: is not */
    uint32_t stamp;
    int64_t ms;  /* since 1970, of what the fields said before any of them was set */
    bool behind; /* one was */
    int32_t first_of_week, least_in_week; /* 0: Sunday, and one of the first week's days */
    struct java_object *zone;
};

void java_calendar_set_time(struct calendar *c, int64_t ms);
int64_t java_calendar_time(struct calendar *c); /* the fields, those that were not set too, are that time's from here on */
void java_calendar_set(struct calendar *c, enum calendar_field field, int64_t value); /* what is too much is carried */
void java_calendar_clear(struct calendar *c);

/* UTC and its other names, GMT+h:mm; what is no zone at all is GMT. Throws where it is one that is not known here. */
bool java_zone_new(struct java_run *run, struct slice name, struct java_object **out);
bool java_zone_put_offset(struct buf *text, int32_t offset_ms, const char *between); /* +02:00; between hours and minutes */

#endif
