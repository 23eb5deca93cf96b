/*
 * auth_rows.h - rows of system_auth, read by their keys or all of them, in the transaction of a run. They are written by
 * system_rows (system.h).
 *
 * Values borrow from the transaction, in a write until its next write: who writes while walking copies first.
 */
#ifndef WR_MODEL_AUTH_ROWS_H
#define WR_MODEL_AUTH_ROWS_H

#include "model/plan.h"
#include "model/system.h"

#define AUTH_KEYSPACE "system_auth"

struct auth_row {
    const struct table *table;
    struct slice *values; /* by ordinal */
};

/* The row of these keys: of all key and clustering columns. */
enum wr_status auth_row_find(struct exec *exec, const char *table, const struct slice *keys, struct auth_row *out, bool *found);

/* Every row of a partition, or (key null) of the table; the rows are in the run's memory, their texts are copies. */
enum wr_status auth_rows_read(struct exec *exec, const char *table, struct slice key, struct auth_row **out, uint32_t *count);

struct slice auth_value(const struct auth_row *row, const char *column);
bool auth_flag(const struct auth_row *row, const char *column); /* a boolean; null is false */

static inline struct slice auth_flag_value(bool flag)
{
    return flag ? SLICE_LIT("\1") : SLICE_LIT("\0");
}

struct texts { /* a set<text> */
    struct slice *list;
    uint32_t count;
};
enum wr_status auth_texts(struct ctx *ctx, const struct auth_row *row, const char *column, struct texts *out); /* copies */
enum wr_status auth_texts_pack(struct ctx *ctx, const struct texts *texts, struct slice *out); /* any order, doubles are fine */
bool texts_have(const struct texts *texts, struct slice text);

#endif
