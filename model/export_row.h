/*
 * export_row.h - what an export tells of a row: its columns' cells, and the times at which they were written, each of which is a statement.
 *
 * `since_us` is when the copy was told last: what has been written and deleted later alone is told of, all where it is TIMESTAMP_NONE.
 */
#ifndef WR_MODEL_EXPORT_ROW_H
#define WR_MODEL_EXPORT_ROW_H

#include "engine/row.h"
#include "model/export_text.h"

/* A column of a row, as it is to be written. */
struct export_column {
    const struct column *column;
    const struct cell *cells;
    uint32_t count;
    uint32_t assigned; /* the first so many elements are what the column is set to; the rest is added */
    struct deletion deletion; /* of a collection */
    bool changed;             /* a list that is told of as a whole */
};

struct export_row {
    struct export_column *columns;
    uint32_t count;
    struct export_time *times; /* at which simple cells, whole collections and the marker were written; */
    uint32_t time_count;
    bool has_marker; /* which is the first of them */
};

/* alive: the row without what is dead, where what is dead is in `row`; else NULL. */
enum wr_status export_row_read(struct ctx *ctx, const struct table *table, const struct row *row, const struct row *alive, enum column_kind kind,
                               int64_t since_us, uint32_t now_s, struct export_row *out);

/* Whether the row's write of that time puts something into the column. A tombstone goes with the first write of its timestamp alone: those may be
 * several, with other TTLs. */
bool export_row_goes_with(const struct export_row *r, uint32_t time, const struct export_column *c, uint32_t now_s);

/* How many of the elements at cells, at most n, are written alike: by one statement. 0: the first is dead. */
uint32_t export_run(const struct cell *cells, uint32_t n, uint32_t now_s);

bool export_is_new(struct deletion deletion, int64_t since_us);
int64_t export_least(const struct column *column, int64_t since_us); /* cells up to then are none of the column's (dropped), or known */

/* Elements of a list have no names that a copy would know, so one that has changed is told of as a whole. */
bool export_is_whole_list(const struct column *column, int64_t since_us);

#endif
