/*
 * export_text.h - the text of an export's statements: names, keys, values, USING and WHERE; and where a statement goes that is whole.
 */
#ifndef WR_MODEL_EXPORT_TEXT_H
#define WR_MODEL_EXPORT_TEXT_H

#include "model/export_batch.h"
#include "model/schema.h"

struct export_text {
    struct ctx *ctx;
    const struct table *table;
    struct slice *keys;        /* of the partition */
    struct slice *clustering;  /* of the row; */
    uint32_t clustering_count; /* 0: of the whole partition, or its static row */
    uint32_t now_s;            /* when the row's statements are made */
    struct buf text;           /* the statement */
    struct export_batch batch; /* where it goes */
};

/* What USING says of a write. */
struct export_time {
    int64_t timestamp_us;
    uint32_t expires_s; /* 0: never */
};

static inline bool export_time_eq(struct export_time a, struct export_time b)
{
    return a.timestamp_us == b.timestamp_us && a.expires_s == b.expires_s;
}

static inline struct export_time export_time_of(const struct cell *cell)
{
    return (struct export_time){ cell->timestamp_us, cell->kind == CELL_EXPIRING ? cell->local_s : 0 };
}

void export_text_table(struct export_text *t);
void export_text_using(struct export_text *t, struct export_time time);
void export_text_update(struct export_text *t, struct export_time time); /* `UPDATE t USING ... SET ` */
void export_text_from(struct export_text *t, int64_t timestamp_us); /* ` FROM t USING ...` */
void export_text_key(struct export_text *t, const struct column *column, struct slice value); /* a value of the primary key */

/* The partition, and the first `clusterings` columns of `values`; null ones (compact tables) are not named. */
void export_text_where(struct export_text *t, const struct slice *values, uint32_t clusterings);
void export_text_where_row(struct export_text *t);

/* Of a column whose cells those are. A field of a UDT: its number in the type; the key of a map or the element of a set may be a tombstone's. */
enum wr_status export_text_field(struct export_text *t, const struct column *column, const struct cell *cell, uint32_t *field);
enum wr_status export_text_element_key(struct export_text *t, const struct column *column, const struct cell *cell);
enum wr_status export_text_elements(struct export_text *t, const struct column *column, const struct cell *cells, uint32_t n); /* a literal of its type */

/* The statement is whole: it goes to the batch, and the next begins. */
enum wr_status export_text_tell(struct export_text *t);

#endif
