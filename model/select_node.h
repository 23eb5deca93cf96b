/*
 * select_node.h - inside SELECT: the plan, and a run of it. Only plan_select.c and select_*.c include it.
 *
 *     plan_select.c    binding, in Cassandra's order of checks
 *     select_order.c   ORDER BY and GROUP BY, bound
 *     select_open.c    where they are read, and by which readers
 *     select_source.c  the rows, in order and filtered
 *     select_hits.c    those that an index leads to
 *     select_entries.c those that are all of their partitions
 *     select_run.c     limits, pages, rows out
 *     select_group.c   rows to groups
 *     select_sort.c    rows of several partitions in one order
 *     select_ann.c     the rows nearest to a vector
 */
#ifndef WR_MODEL_SELECT_NODE_H
#define WR_MODEL_SELECT_NODE_H

#include "model/page.h"
#include "model/project.h"
#include "model/select_source.h"

enum grouping {
    GROUP_NONE,
    GROUP_ALL,    /* aggregates without GROUP BY: one row, always */
    GROUP_PREFIX, /* by a prefix of the primary key */
};

struct sort_column {
    uint32_t ordinal;
    const struct type *type;
    bool descending;
};

struct select_plan {
    struct plan plan; /* first */
    struct source_plan source;
    struct projection project;
    const struct expr *limit, *per_partition_limit; /* NULL: none */
    enum grouping grouping;
    uint32_t group_clusterings;       /* how many clustering columns the group is of */
    const struct expr *group_function; /* of the last of them; NULL: its value */
    const uint32_t *kept;             /* ordinals that selectors of a group read of its first row */
    uint32_t kept_count;
    const struct sort_column *sort;   /* partition IN with ORDER BY: all rows are put in order */
    uint32_t sort_count;
    bool sorts_json;                  /* SELECT JSON *: by the row's text */
    bool reversed;                    /* the reverse of the table's order */
    struct ann_order ann;             /* column NULL: none */
    bool one_page;                    /* SELECT DISTINCT ... GROUP BY comes in one, whatever the size of a page */
    const struct expr **point;        /* the primary key of the one row that is read (entries_read_point); NULL: it is another read */
    bool direct;                      /* rows go out as the source has them, none counted by partition and nothing computed */
};

/* A group: its first row, kept, and the state of its aggregates. */
struct group {
    bool open;
    bool given;                    /* some group has been */
    uint32_t key_at;               /* the source's, at its last row */
    struct slice last_key, last_clustering; /* that row's, of the last group of a page: the next page goes on behind it */
    uint8_t *last;                 /* where both lie */
    size_t last_room;
    struct slice *values;          /* by ordinal, copied */
    const struct row *row, *static_row; /* their cells, for writetime and ttl; NULL: none */
    struct row rows[2];
    uint8_t *bytes;                /* where the copies lie */
    size_t room;
    struct slice function;         /* what group_function gave */
    struct aggregates *aggregates; /* NULL: there are none */
};

struct sorted;
struct nearest;

/* exec->run of a read that was all done when it was started: the row, until it has been given. */
struct point_run {
    bool is_point;
    const struct slice *row;
};

struct select_run { /* exec->run */
    struct point_run point;     /* first; is_point false */
    struct source source;
    struct group group;
    struct sorted *sorted;      /* NULL: rows go out as they come */
    struct nearest *nearest;    /* of ANN; NULL: none */
    struct slice wanted;        /* of ANN: the vector asked for */
    struct slice *out;          /* a result row */
    bool pending;               /* the source stands on a row that no group has yet */
    bool ended;
    uint32_t left, page_left;   /* of LIMIT and of the page; UINT32_MAX: no end */
    uint32_t partition_limit, partition_left;
};

/* ---- select_order.c ---- */
enum wr_status order_bind(struct bind *bind, const struct ast_select *ast, struct select_plan *plan);
/* What a run may find wrong with the function of GROUP BY. */
enum wr_status group_check_monotonic(struct exec *exec, const struct select_plan *plan);
enum wr_status group_bind(struct bind *bind, const struct ast_select *ast, struct select_plan *plan);

/* ---- select_run.c ---- */
enum wr_status select_start(struct exec *exec, const struct plan *plan);
enum wr_status select_step(struct exec *exec, const struct plan *plan, const struct slice **row);
void select_finish(struct exec *exec, const struct plan *plan);

/* The next result row whatever order and page are asked for: *row NULL: no more. */
enum wr_status select_next(struct exec *exec, const struct select_plan *plan, struct select_run *run, struct eval *eval,
                           const struct slice **row);

/* ---- select_entries.c ---- */
enum wr_status entries_bind_point(struct ctx *ctx, struct select_plan *plan);
/* The whole read of one row by its key. *done false: it is not as simple as that, and nothing has been done. */
enum wr_status entries_read_point(struct exec *exec, const struct select_plan *plan, bool *done);

/* ---- select_group.c ---- */
enum wr_status group_new(struct exec *exec, const struct select_plan *plan, struct group *out);
/* Whether the source's row belongs to the open group. */
enum wr_status group_has(struct exec *exec, const struct select_plan *plan, const struct select_run *run, bool *has);
enum wr_status group_begin(struct exec *exec, const struct select_plan *plan, struct select_run *run);
enum wr_status group_add(struct exec *exec, const struct select_plan *plan, struct select_run *run);
enum wr_status group_pass(struct exec *exec, struct select_run *run); /* what its aggregates need not look at behind that */
enum wr_status group_keep_last(struct exec *exec, struct select_run *run); /* where the source stands is the last row of the group, so far */
struct eval group_eval(struct exec *exec, const struct select_run *run); /* its result */

/* ---- select_sort.c ---- */
enum wr_status sorted_fill(struct exec *exec, const struct select_plan *plan, struct select_run *run); /* reads everything */
const struct slice *sorted_next(struct sorted *sorted); /* NULL: no more */

/* ---- select_ann.c ---- */
enum wr_status ann_bind(struct bind *bind, const struct ast_select *ast, struct ann_order *out); /* and that all columns are there */
enum wr_status ann_check(struct exec *exec, const struct select_plan *plan, struct select_run *run); /* before anything is evaluated */
enum wr_status ann_eval(struct exec *exec, const struct select_plan *plan, struct select_run *run);  /* the vector, and whether it can be looked for */
enum wr_status ann_fill(struct exec *exec, const struct select_plan *plan, struct select_run *run); /* reads everything */
const struct slice *ann_next(struct nearest *nearest); /* NULL: no more */
void ann_free(struct nearest *nearest);                /* NULL is fine */

#endif
