/*
 * export.h - a table's stored cells as the statements that write them again, here or on a cluster.
 *
 * Run once, in any order but that of one partition's, on an empty table of the same definition they give:
 * 1. the same rows, markers and values, each cell and element with the timestamp it has, and with the TTL it has left when its
 *    statement is made. Lists keep their order, though not the places of their elements.
 * 2. the same deletions, so that a later write with an older timestamp does what it would have done. Not those of list elements,
 *    which nothing can name, and of counters, which would outlive the increments behind them.
 * 3. counters with their totals; they have no timestamps to be chosen.
 * Each statement, or batch of such, is one line without control characters, so a script of them can be cut, counted and piped; none has a semicolon
 * at its end. What CQL does not show (hidden columns of compact tables) is not in them.
 */
#ifndef WR_MODEL_EXPORT_H
#define WR_MODEL_EXPORT_H

#include "model/database.h"

struct export_sink {
    bool (*on_statement)(void *arg, const char *cql, size_t len); /* false: enough */
    void *arg;
};

struct export_wish {
    int64_t since_us;   /* what has been written and deleted later alone (TIMESTAMP_NONE: all), for a copy that has the rest; of counters nothing */
    size_t batch_bytes; /* as export_batch.h; counters' go by themselves */
    struct export_sink sink;
};

/* Of a table that has rows of its own: for views and what is made when it is read, nothing. A list that has changed is told of as a whole, with a
 * timestamp of now. What later exports tell again changes nothing in the copy. */
enum wr_status export_table(struct ctx *ctx, struct database *db, const struct schema *schema, const struct table *table, const struct export_wish *wish,
                            bool *outdated);

#endif
