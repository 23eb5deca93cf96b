/*
 * modify.h - a bound INSERT, UPDATE or DELETE, and the steps of running one. Shared by the rooms of writing:
 * modify_bind.c makes it, plan_modify.c runs it alone, cas.c under conditions, plan_batch.c with others.
 *
 * 1. Everything that does not depend on bound values is decided when it is bound; running is: targets, then cells, then
 * apply.
 * 2. Running reads exec->given as what the markers of this statement are bound to.
 */
#ifndef WR_MODEL_MODIFY_H
#define WR_MODEL_MODIFY_H

#include "model/cond.h"
#include "model/insert_json.h"
#include "model/operation.h"
#include "model/restrict.h"

struct modify {
    struct plan plan;
    enum ast_kind kind;               /* AST_INSERT, AST_UPDATE, AST_DELETE */
    const struct restrictions *where; /* UPDATE, DELETE */
    const struct expr **keys; /* INSERT: terms of the key columns, then of the clustering columns given; JSON: NULLs */
    uint32_t clustering_given;        /* INSERT: how many, as a prefix */
    const struct insert_json *json;   /* NULL: not INSERT JSON */
    struct operations regular, statics;
    struct conditions conditions;
    const struct expr *timestamp, *ttl; /* USING; NULL: not given */
    bool has_clustering; /* rows or ranges are named: some clustering column is restricted */
    bool ranged;         /* DELETE of ranges */
    bool updates_row;    /* a regular row (UpdateStatement.updatesRegularRows) */
    bool marks_row;      /* writes its marker */
    const struct column *lacks; /* the value of a compact table that is not given: found out when a row is to be written; NULL */
    bool deletes_all;    /* DELETE without columns */
    bool checks_key;     /* its values may be none of its types: constants, bound lists, and "" in JSON */
};

/* The table that an INSERT, UPDATE or DELETE names. */
const struct ast_name *modify_table_name(const struct ast_statement *ast);

/* The statement bound, all but plan.ops. */
enum wr_status modify_bind(struct bind *bind, const struct ast_statement *ast, struct modify **out);

/* The same as a plan that runs. */
enum wr_status modify_new(struct bind *bind, const struct ast_statement *ast, struct modify **out);

/* The modify of a plan made by modify_new; NULL: another kind of statement. */
const struct modify *modify_of(const struct plan *plan);

/* ---- in a run ---- */

struct target_row {
    struct slice clustering, annex; /* comparable bytes, and what they lose */
    const struct column *lacks;     /* no row of that clustering may be: it has no value here */
};

struct targets { /* what a statement writes to: each of its keys by each of its rows or ranges */
    const struct slice *json; /* the values of INSERT JSON by ordinal; NULL */
    struct slice *keys;
    struct target_row *rows;  /* without clustering columns in the table: one, empty */
    struct range *ranges;
    bool null_bound; /* of the ranges: restrict_ranges */
    uint32_t key_count, row_count, range_count;
};

/* In two steps, for a batch asks all its statements for partition keys before it asks any for rows. */
enum wr_status modify_keys(struct exec *exec, const struct modify *m, struct targets *out);
enum wr_status modify_rows(struct exec *exec, const struct modify *m, struct targets *t);

/* Adds to w what the statement does there. */
enum wr_status modify_collect(struct write *w, const struct modify *m, const struct targets *targets);

/* The value of USING TIMESTAMP; *given false where it is unset or not there. */
enum wr_status modify_timestamp(struct exec *exec, const struct expr *term, int64_t *timestamp_us, bool *given);

bool modify_is_virtual(const struct modify *m);
/* What such a statement is answered, as if it had been run (virtual_write). */
enum wr_status modify_run_virtual(struct exec *exec, const struct modify *m);

#endif
