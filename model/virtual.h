/*
 * virtual.h - tables whose rows are made when they are read: those of system_views and system_virtual_schema, and two of the ring.
 *
 * Which there are and what columns they have is recorded (system.h); virtual_tables.c knows what is in them. A table that it does not
 * mention is empty: it shows parts of a server that there are none of here.
 * 1. Partitions of virtual tables come in order of their keys, not of tokens, as a server's LocalPartitioner has them.
 * 2. Nobody writes to them, but what would empty a cache or a log is taken, and does nothing.
 * 3. system.size_estimates and table_estimates are ordinary tables in all else: where a server writes figures to them every few minutes
 *    (SizeEstimatesRecorder), they are made here, for whoever asks. What is written to them nobody reads, as if it had just been written over.
 */
#ifndef WR_MODEL_VIRTUAL_H
#define WR_MODEL_VIRTUAL_H

#include "model/plan.h"

struct virtual_row {
    struct slice *values;     /* by ordinal */
    struct slice key;         /* the partition's, serialized */
    struct slice clustering;  /* comparable bytes */
    int64_t token;            /* of the partition: virtual_token */
};

struct virtual_rows {
    struct virtual_row *rows; /* in order of token, key and clustering */
    uint32_t count;
};

/* keys: of the partitions that are wanted, serialized; NULL: all of them. There may be others in *out. */
enum wr_status virtual_read(struct exec *exec, const struct table *table, const struct slice *keys, uint32_t key_count,
                            struct virtual_rows *out);

/* Where a partition lies in the ring; 0: it is not in one, being of a virtual table. */
int64_t virtual_token(const struct table *table, struct slice key);

/* How two partition keys of the table stand to each other by their values. */
int virtual_key_cmp(const struct table *table, const struct slice *a, const struct slice *b);

/* Whether it is a virtual table that filters without ALLOW FILTERING (VirtualTable.allowFilteringImplicitly). */
bool virtual_filters_freely(const struct table *table);

/* What a write is answered, in Cassandra's words (AbstractMutableVirtualTable); WR_OK: it does nothing. */
enum virtual_write { VIRTUAL_UPDATE, VIRTUAL_DELETE_COLUMNS, VIRTUAL_DELETE_PARTITION, VIRTUAL_DELETE_ROW, VIRTUAL_DELETE_RANGE, VIRTUAL_TRUNCATE };
enum wr_status virtual_write(struct ctx *ctx, const struct table *table, enum virtual_write write);

/* ---- for virtual_tables.c ---- */

struct virtual_maker { /* a table's rows in the making; remembers the first failure */
    struct exec *exec;
    const struct table *table;
    const struct slice *keys; /* NULL: all are wanted */
    uint32_t key_count;
    enum wr_status status;
    struct virtual_row *rows;
    uint32_t count, room;
};

void virtual_row(struct virtual_maker *m); /* begins the next one, of nulls */
void virtual_put(struct virtual_maker *m, const char *column, struct slice value); /* the type's bytes; borrowed */
void virtual_put_text(struct virtual_maker *m, const char *column, const char *text); /* text, or any type's string; NULL: null. Copied */
void virtual_put_int(struct virtual_maker *m, const char *column, int64_t number); /* any integer type, boolean */

bool virtual_is_wanted(struct virtual_maker *m); /* the row, whose partition key has been put: what is dear to make need not be */
bool virtual_wants(struct virtual_maker *m, const struct slice *key); /* the same of rows to come, by their key's values */

void virtual_fill(struct virtual_maker *m); /* all rows of m->table, in any order */

#endif
