/*
 * select_source.h - the rows a SELECT reads, in its order: by partition keys, by token, or by an index; filtered, as values.
 *
 * 1. Partitions come in order of key value (keys, virtual tables), of token (ranges and indexes); rows of one in the table's order or its
 *    reverse.
 * 2. A partition with static data alone is one row with null clustering, unless rows were asked for (a clustering or regular
 *    restriction).
 * 3. What a row needed of the run's memory is given back by the next source_next; source_keep says that memory taken since then
 *    is to stay.
 */
#ifndef WR_MODEL_SELECT_SOURCE_H
#define WR_MODEL_SELECT_SOURCE_H

#include "engine/tombstones.h"
#include "model/restrict.h"
#include "model/rowvalues.h"
#include "model/virtual.h"

enum source_unit {
    UNIT_ROW,       /* rows of partitions */
    UNIT_PARTITION, /* SELECT DISTINCT: one row a partition that has anything alive */
    UNIT_STATIC,    /* static compact tables: the static row is the row */
};

struct source_plan { /* decided at bind time */
    const struct table *table;
    const struct restrictions *where;
    struct row_columns columns;
    const struct expr *const *parts; /* of columns of which no more is read than elements: these */
    uint32_t part_count;
    enum source_unit unit;
    unsigned scan_flags;
    enum aggregates_look look; /* what of the rows of a partition has to be looked at */
    bool by_index;             /* some index may find the rows */
    bool by_key;               /* the partition key is known */
    bool static_alone;         /* promise 2 */
    bool selects_static;       /* static columns are shown, not just filtered by */
    bool rows_alone;           /* a partition without rows shows nothing: SASI's QueryPlan.ResultIterator and SAI's VectorTopKProcessor go over rows */
    bool hides_rows;           /* some columns were dropped: a row may be alive by their cells alone */
    bool full_row;             /* every clustering column is known: a range has one row */
    bool flat;                 /* values alone are asked for, so flat rows (scan.h) need no cells */
    bool entries;              /* a row is all that its partition has: nothing is scanned for it (select_entries.c) */
    bool filters;              /* something may be left to filter */
    bool star;                 /* of all columns, as `*` says */
    bool ahead;                /* rows of some partitions may be read at a time: nobody looks at the partition of a row */
};

struct source_place { /* where to begin; key null: at the beginning */
    struct slice key, clustering;
    bool after_partition; /* behind the partition of key */
    bool of_single;       /* of a read of one partition, which has told no other where it was */
};

struct command_limits { /* of a page, as a server's command shows them; UINT32_MAX: none */
    uint32_t rows, groups, of_partition;
    bool grouped;
    bool aggregates; /* all to one row */
};

struct flat_batch { /* flat rows that have been read, of which `at` have been given */
    struct flat_rows rows;
    struct slice *keys; /* of those walked over or hit: of each its partition's key; NULL: they are read one by one */
    uint32_t at, count;
    uint32_t next; /* how many to read next */
};

/* The command that a server would read with: what it would meet (read_command.h), and what a traced run is told of it
 * (select_trace.c). */
struct source_command {
    struct command_limits limits;
    const uint32_t *left, *page_left; /* of the rows of a page, which the keys' commands share; NULL: each has all of the limit */
    bool at_once;                  /* not in pages: all keys are asked for with one read */
    uint32_t groups_begun, groups_before; /* of the page: by now, and when the command began */
    bool counts, counted;          /* somebody wants to know of tombstones; the partition's are counted */
    bool counts_static;            /* those of its static row, too */
    uint64_t read_before;          /* rows looked at that are counted */
    struct met met;                /* of the one that is read */
    uint64_t passed_tombstones;    /* of those that have ended since */
    bool told;                     /* the beginning of a read was, not its end */
    uint64_t told_count;           /* rows looked at by then, less static ones since */
};

struct source_keys { /* plan->by_key */
    struct slice *list, *values; /* and the values of their columns, key after key */
    uint32_t count, at;
    uint32_t found_at; /* `at` of the last key that has a partition, be there only tombstones in it */
};

struct source_ahead { /* partitions of the keys from first on, up to end */
    struct partition *found;   /* id 0: the key has none. NULL: they are found one by one */
    uint32_t first, end, next; /* next: how many to find next */
};

struct source_ranges { /* of rows, in the order they are scanned */
    struct range *list;
    struct range cut; /* the first range of the partition a page ended in: what is left of list[cut_at] */
    uint32_t count, at, cut_at;
};

struct source_hits { /* of an index: select_hits.c */
    struct index_hit next;   /* not looked at yet */
    bool has_next;
    bool partitions;         /* rows that it does not find of the partitions it does are read, too */
    struct slice *gathered;  /* of a reversed read: the clusterings hit in the partition */
    uint32_t gathered_count;
    const struct index_ask *put_off; /* whose entries are gathered once so many rows and partitions have been looked at: patience; NULL: never */
    uint32_t patience;
};

struct source_made { /* rows of a table that has none stored: select_virtual.c */
    struct virtual_rows rows;   /* all of them */
    uint32_t first, end, given; /* the partition's, and how many of them have been looked at */
};

struct source {
    /* what a caller sees of the row */
    struct slice *values;          /* by ordinal */
    const struct row *row;         /* NULL: static data alone */
    const struct row *static_row;
    struct slice clustering;       /* comparable bytes; empty where row is NULL */
    struct partition partition;
    bool new_partition;            /* the first row given of its partition */

    /* its own */
    const struct source_plan *plan;
    const struct row_columns *columns; /* the plan's, or what the run leaves of them */
    const struct index *index;     /* whose hits are read; NULL: partitions are */
    struct filter *filter;
    struct words *words;           /* that its rows have between them; NULL: none */
    struct source_keys keys;
    struct source_ahead ahead;
    struct token_range tokens;
    struct source_place from;
    struct source_ranges ranges;
    struct source_hits hits;
    struct source_made made;
    bool resuming;                 /* in, or before, the partition a page ended in */
    bool looked_up;                /* that partition was, by its key */
    bool cursor_open, range_open, in_partition, fresh, any_row, done;
    bool by_entry;                 /* rows are their partitions' entries */
    bool asks;                     /* what is asked for might be somewhere */
    bool hidden;                   /* rows of static data alone, which count and are not shown: of IN () on the clustering */
    unsigned scan_flags;           /* the plan's, or the way to the one row of a partition that has to be looked at */
    bool ends_alone;               /* that one alone is */
    struct row statics, single;
    struct slice *shared;          /* what values is but for flat rows: by ordinal, the partition's filled in */
    struct flat_batch batch;
    uint32_t wanted;               /* no more rows than these will be asked for; UINT32_MAX: who knows */
    bool made_up;                  /* rows of a table that has none stored */
    uint64_t read_count, read_at;  /* rows looked at; by the time that the partition began */
    struct source_command command;
    uint32_t rows_most;            /* no more are asked for before the run ends; UINT32_MAX: all */
    uint64_t passed_count;         /* partitions looked at, or hits of an index */
    struct arena_mark base, mark, row_mark; /* what lies behind is the partition's, the batch's, and the row's */
};

/* Evaluates the right sides of WHERE; s is zero-filled but for rows_most and, of its command, the limits, what is left of
 * them, and at_once. */
enum wr_status source_find(struct exec *exec, struct source *s, const struct source_plan *plan, struct source_place from);
/* Then: begins to read, if the level allows it. The cursors of exec are used; who closes them is the statement. */
enum wr_status source_open(struct exec *exec, struct source *s);
enum wr_status source_next(struct exec *exec, struct source *s, bool *found);

/* Rows are found by the hits of an index; hits of static columns and of the partition key are partitions. */
static inline bool source_is_by_hit(const struct source *s)
{
    return s->index && !s->hits.partitions && (s->index->column->kind == COLUMN_CLUSTERING || s->index->column->kind == COLUMN_REGULAR) &&
           s->plan->unit == UNIT_ROW;
}

/* Then they may be read some at a time, and are filtered when they are read. */
static inline bool source_reads_hits_ahead(const struct source *s)
{
    return s->batch.keys && source_is_by_hit(s);
}

/* The key of the partition whose row was given last. */
static inline struct slice source_key(const struct source *s)
{
    bool ahead = s->batch.at && (s->by_entry ? !s->plan->by_key : source_reads_hits_ahead(s));
    return ahead ? s->batch.keys[s->batch.at - 1] : s->partition.key;
}

/* The next of those read ahead, of which there must be one. */
static inline void source_take(struct source *s)
{
    s->values = s->batch.rows.values + (size_t)s->batch.at * s->batch.rows.stride;
    s->clustering = s->batch.rows.clusterings[s->batch.at++];
    s->read_count++;
}

/* How many of those read ahead are left that need not be filtered any more. */
static inline uint32_t source_ready(const struct source *s)
{
    return s->filter && !source_reads_hits_ahead(s) ? 0 : s->batch.count - s->batch.at;
}

/* source_next for those who look at values and clustering alone. */
static inline enum wr_status source_next_values(struct exec *exec, struct source *s, bool *found)
{
    if (!source_ready(s))
        return source_next(exec, s, found);
    arena_rewind(exec->ctx->arena, s->row_mark);
    source_take(s);
    *found = true;
    return WR_OK;
}

/* Of those read ahead the next ones, at most max, are given all at once: the source is then where the last of them is. */
static inline struct rows_ahead source_take_many(struct source *s, uint32_t max)
{
    uint32_t ready = source_ready(s), n = ready < max ? ready : max;

    if (!n)
        return (struct rows_ahead){ .left = 0 };
    struct rows_ahead ahead = { s->batch.rows.values + (size_t)s->batch.at * s->batch.rows.stride, s->batch.rows.stride, n, s->row_mark };
    s->batch.at += n - 1;
    s->read_count += n - 1;
    source_take(s);
    return ahead;
}

/* What need not be looked at behind the row given last (plan->look): rows are counted, or their partition is left. */
enum wr_status source_pass(struct exec *exec, struct source *s, uint64_t *rows);
enum wr_status source_skip_partition(struct exec *exec, struct source *s); /* the rest of the partition of the last row */
static inline void source_keep(struct exec *exec, struct source *s)        /* promise 3 */
{
    s->base = s->mark = s->row_mark = arena_mark(exec->ctx->arena);
}

/* Each key's partition is a read of its own; what an index leads to, or a range has, is one. */
static inline bool source_is_by_keys(const struct source *s)
{
    return s->plan->by_key && !s->index;
}

/* ---- select_trace.c: what a traced run is told of ---- */

void source_trace_open(const struct exec *exec, struct source *s);        /* behind source_open of one that is not done */
void source_trace_partition(const struct exec *exec, struct source *s);   /* a partition will be looked at by its key */
enum wr_status source_trace_statics(struct exec *exec, struct source *s); /* its static row was read, which counts as one */
void source_trace_end(const struct exec *exec, struct source *s);         /* nothing more will be read */

/* ---- between the rooms that are sources ---- */

enum wr_status source_parts(struct exec *exec, const struct source_plan *plan, struct row_part **out); /* plan->parts, with what the run has bound */
extern const struct row source_no_cells;     /* what flat rows have of them */
enum { BATCH_MAX = ROWS_AT_ONCE };
uint32_t source_batch(const struct source *s); /* how many flat rows to read next, up to that */
void source_batch_read(struct exec *exec, struct source *s, uint32_t count); /* so many have been, into s->batch.rows */

static inline bool source_is_reversed(const struct source *s)
{
    return (s->scan_flags & SCAN_REVERSED) != 0;
}

/* A brief read that comes to look at more than its rows is none (WR_BUSY). */
enum wr_status source_fail_long(struct exec *exec);
static inline enum wr_status source_stay_brief(struct exec *exec, const struct source *s)
{
    return exec->brief && s->read_count + s->passed_count > BRIEF_ROWS ? source_fail_long(exec) : WR_OK;
}

/* What a scan is to read. */
static inline const struct columns *source_columns(const struct source *s)
{
    return s->plan->hides_rows || s->columns->every_regular ? NULL : &s->columns->regular_ids;
}

/* Cells of dropped columns keep a stored row alive, but nobody is to see it for their sake. */
bool source_shows_anyway(const struct source *s, const struct ctx *ctx, const struct row *row);
static inline bool source_shows(const struct source *s, const struct ctx *ctx, const struct row *row)
{
    return !s->plan->hides_rows || source_shows_anyway(s, ctx, row);
}

/* The partition of one key. Who counts tombstones looks at partitions of which nothing is alive, too, and so does who asks how many keys have one
 * (keys_are_done). */
static inline enum wr_status source_find_key(struct exec *exec, struct source *s, struct slice key, int64_t token, bool *found)
{
    bool any = s->command.counts || s->command.limits.grouped;
    return (any ? partition_find_any : partition_find_at)(exec->ctx, exec->txn, &s->plan->table->shape, token, key, &s->partition, found);
}

/* The tokens of the next keys' partitions, at most so many; what leads to them is fetched from memory at once, not for one after the other. */
void source_expect(const struct exec *exec, const struct source *s, uint32_t at, uint32_t most, struct expected_partition *out);

enum wr_status entries_next(struct exec *exec, struct source *s, bool *found); /* select_entries.c */
enum wr_status entries_pass(struct exec *exec, struct source *s, uint64_t *rows); /* to the end, of a walk: how many there are */
enum wr_status source_walk(struct exec *exec, struct source *s, bool *found); /* to the next partition by token */
enum wr_status source_next_partition(struct exec *exec, struct source *s, bool *found); /* to any next one that is to be read; what it shares is in s->shared */

/* select_hits.c: sets s->index where one is to be gone by; then its partitions, and in each the rows that were hit. */
enum wr_status hits_open(struct exec *exec, struct source *s);
enum wr_status hits_instead(struct exec *exec, struct source *s); /* of the partitions behind the last: s->hits.put_off was right after all */
enum wr_status hits_next_partition(struct exec *exec, struct source *s, bool *found);
enum wr_status hits_next_row(struct exec *exec, struct source *s, bool *found);
enum wr_status hits_next(struct exec *exec, struct source *s, bool *found); /* both, some rows at a time */

enum wr_status made_open(struct exec *exec, struct source *s); /* select_virtual.c: when WHERE has been evaluated */
enum wr_status made_next(struct exec *exec, struct source *s, bool *found);
bool source_in_ranges(const struct source *s, struct slice clustering); /* of WHERE, and what a page has left of them */

#endif
