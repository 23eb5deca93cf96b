/*
 * project.h - the select list: what a result row is made of, how its columns are called, and a row made of values.
 *
 * A projection is immutable. A bare column is copied, never evaluated; `SELECT *` gives the row's values as they lie.
 * 1. Result columns are named as Cassandra names them: the column, the alias, or the selector as it prints.
 * 2. SELECT JSON gives one column `[json]`; keys with upper case are quoted once more inside their string.
 */
#ifndef WR_MODEL_PROJECT_H
#define WR_MODEL_PROJECT_H

#include "model/expr.h"
#include "model/restrict.h"

struct selector {
    const struct expr *expr;
    int32_t ordinal; /* of a bare column; -1: expr is to be evaluated */
};

struct projection {
    const struct column_spec *columns; /* the result's: one a selector; of JSON one in all */
    uint32_t column_count;
    const struct selector *selectors;
    const struct expr *const *exprs; /* the selectors' that are none of bare columns */
    uint32_t count, expr_count;
    const struct slice *json_keys; /* `"p": `, one a selector; NULL: not SELECT JSON */
    bool identity;                 /* the result row is the row's values, by ordinal */
    const uint32_t *ordinals;      /* all selectors are bare columns: these; NULL: some are not, or it is JSON */
    bool has_aggregate;
    bool reads_cells;              /* writetime, ttl */
};

/* Whether nothing but static columns and partition key columns is selected, and a static one among them; never of *. A server asks for it
 * before it looks at WHERE, and meets what is wrong with the names and functions of a table with statics then (selectOnlyStaticColumns goes
 * over a list that is made as it goes); all else that is wrong with selectors it meets after WHERE. */
enum wr_status project_only_statics(struct bind *bind, const struct ast_select *ast, bool *out);

enum wr_status project_bind(struct bind *bind, const struct ast_select *ast, struct projection *out);

void project_needs(const struct projection *p, bool *needed);

/* The elements and slices (expr_needs_parts) that are selected of columns of which no more is read; whole: those the rest of the statement
 * reads, by ordinal, to which the select list's are added. */
enum wr_status project_parts(struct ctx *ctx, const struct projection *p, bool *whole, const struct expr *const **out, uint32_t *count);

/* What SELECT DISTINCT may ask for; order_by: of its ORDER BY, NULL: none. */
enum wr_status project_check_distinct(struct bind *bind, const struct projection *p, const struct restrictions *where,
                                      const struct ast_ordering *order_by);

/* A result row: into out (column_count places), or *row points to the row's own values. Memory from exec->ctx, or borrowed from
 * eval->columns. */
enum wr_status project_row(const struct projection *p, const struct table *table, struct eval *eval, struct slice *out,
                           const struct slice **row);

#endif
