/*
 * zone.h - the zone behind a timestamp's text.
 *
 * Offsets, UTC and its other names, and a table of the zones people write by name or abbreviation, with the summer time
 * rules of the United States (since 1967) and the European Union (since 1981; a country's own before are not known
 * here). The server knows all of the tz database; a name outside the table is refused as an unknown zone is there.
 */
#ifndef WR_MODEL_ZONE_H
#define WR_MODEL_ZONE_H

#include "engine/slice.h"

/* Which spellings are read: what stands right behind a time, behind a date, or after a blank. */
enum zone_place { ZONE_AFTER_TIME, ZONE_AFTER_DATE, ZONE_AFTER_BLANK };

/* The offset of UTC's local time `local_s` (seconds since 1970-01-01 as the clock on the wall shows them) in the named
 * zone. Where the wall clock shows a time twice the first is meant; one it skips is moved on by *skipped_s. */
bool zone_offset(struct slice name, enum zone_place place, int64_t local_s, int32_t *offset_s, int32_t *skipped_s);

#endif
