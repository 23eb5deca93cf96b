/*
 * stored.h - a table's partitions as they are stored, one after the other, of one snapshot: for those who tell of them.
 */
#ifndef WR_MODEL_STORED_H
#define WR_MODEL_STORED_H

#include "model/database.h"

struct stored {
    struct ctx *ctx;
    const struct table *table;
    struct txn *txn;
    struct scan *scan; /* for the rows of a partition */
    struct partitions *partitions;
};

/* The table is of that schema; *outdated: what is stored is of another by now, and nothing has been begun. */
enum wr_status stored_begin(struct ctx *ctx, struct database *db, const struct schema *schema, const struct table *table, struct stored *out, bool *outdated);
void stored_end(struct stored *s); /* also of one whose beginning has failed */

/* By token. The partition borrows until the next; what a visit takes of ctx's memory is given back behind it. Ends early where *ended is set. */
typedef enum wr_status stored_visit(void *arg, struct stored *s, const struct partition *partition);
enum wr_status stored_each(struct stored *s, const bool *ended, stored_visit *visit, void *arg);

/* The partition's rows in the table's order, tombstones too. */
enum wr_status stored_open_rows(struct stored *s, const struct partition *partition);

#endif
