/*
 * export_range.h - a range tombstone as the statements that delete the same rows.
 */
#ifndef WR_MODEL_EXPORT_RANGE_H
#define WR_MODEL_EXPORT_RANGE_H

#include "engine/mutation.h"
#include "model/export_text.h"

/* Of t's partition. CQL deletes what has a prefix in common and one column between two values: a range between any two places is some of those. One
 * of all rows of a table with static columns has none: no statement leaves these. */
enum wr_status export_range(struct export_text *t, const struct range_deletion *r);

#endif
