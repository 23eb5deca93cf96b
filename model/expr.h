/*
 * expr.h - everything in CQL that has a value: terms (right sides, limits, USING) and selectors, bound to types and evaluated.
 *
 * Binding decides types, overloads and every message; evaluating only computes. A bound expr is immutable; aggregates keep their
 * state in the run (struct aggregates).
 */
#ifndef WR_MODEL_EXPR_H
#define WR_MODEL_EXPR_H

#include "model/plan.h"

struct expr;
struct node;
struct column;

/* A term given to a receiver: a column, an element, a limit. No columns may appear in it. `name` is the receiver's for messages
 * and for the marker's spec (`c`, `in(c)`, `key(m)`, `value(m)`, `[limit]`, `[ttl]`, ...). Checks assignability with Cassandra's
 * texts (Invalid STRING constant ..., Type error: cannot assign result of function ...). */
enum wr_status expr_bind_term(struct bind *bind, const struct ast_expr *ast, const struct type *receiver, struct slice name,
                              const struct expr **out);

/* The same; *tried is for expr_put_tried, whether it could be bound or not. */
enum wr_status expr_try_term(struct bind *bind, const struct ast_expr *ast, const struct type *receiver, struct slice name,
                             struct node **tried, const struct expr **out);

/* A term as messages show it once it was tried: its types with the keyspaces they were looked up in. */
void expr_put_tried(struct buf *text, const struct ast_expr *ast, const struct node *tried);

/* The same for a column, as what a key is given or a column compared with. Where its order is a descending one, its type is a ReversedType
 * to a server: it takes a bound collection as it was sent, and is no help in choosing between operators. */
enum wr_status expr_bind_key(struct bind *bind, const struct ast_expr *ast, const struct column *column, const struct expr **out);

/* A selector over bind->table's columns, in two steps, between which a server looks at other things: its columns and functions are
 * looked up (Selectable.Raw.prepare), then it gets its types (newSelectorFactory). */
enum wr_status expr_prepare_selector(struct bind *bind, const struct ast_expr *ast, struct node **out);
enum wr_status expr_bind_selector(struct bind *bind, struct node *prepared, const struct expr **out);
/* Both at once for a column that is shown as it is, which most selectors are; NULL: it is something else, and nothing was done. */
enum wr_status expr_find_bare_column(struct bind *bind, const struct ast_expr *ast, const struct column **out);
/* Whether a column of some sort is in it (Selectable.selectColumns), for which it is prepared: but a map's literal, also within other literals, one
 * entry after the other, until one tells. There a value tells the contrary of what it says itself. */
enum wr_status expr_selects(struct bind *bind, const struct ast_expr *ast, bool (*is)(const struct column *column), bool *out);

/* The mask that DDL gives a column of a table (its keyspace, name and the column's name and type are looked at), with Cassandra's
 * messages (ColumnMask.Raw). */
enum wr_status expr_bind_mask(struct bind *bind, struct exec *exec, const struct ast_mask *ast, const struct table *table,
                              const struct column *column, const struct column_mask **out);

const struct type *expr_type(const struct expr *expr);

/* The name of the result column a selector makes: `system.tojson(m)`, `count`, `cast(v as text)`, `a + b`, `m['x'..'z']`. */
void expr_put_name(struct buf *buf, const struct expr *expr);

bool expr_is_marker(const struct expr *expr, uint32_t *index); /* a bare marker */
bool expr_has_aggregate(const struct expr *expr);
const struct column *expr_as_column(const struct expr *expr); /* a bare column, or NULL */
/* The first call in it whose function is not monotonic, or of which not the first argument alone is no constant and no marker
 * (isPartialApplicationMonotonic); NULL. And the signature of a call's function, the arguments that are constants or markers marked so. */
const struct expr *expr_not_monotonic(const struct expr *expr);
void expr_put_signature(struct buf *buf, const struct expr *expr);
const struct func *expr_as_call(const struct expr *expr);     /* the function (func.h) of a call, aggregates too; or NULL */

/* Marks (true) in needed[column->ordinal] the columns it reads; *cells is set where it needs cells (writetime, ttl). */
void expr_needs(const struct expr *expr, bool *needed, bool *cells);
/* Puts the columns it reads behind the *count that are there, each once, as they stand in it; room: a table's columns. */
void expr_columns(const struct expr *expr, const struct column **columns, uint32_t *count);

/* Of a selector: c[key] and c[a..b] of sets and maps that are not frozen nor masked, by literals and markers. Marks in whole[ordinal] the
 * columns it reads more of, and puts the others' parts behind the *count of `parts` (NULL: they are counted alone). */
void expr_needs_parts(const struct expr *expr, bool *whole, const struct expr **parts, uint32_t *count);
const struct column *expr_part_column(const struct expr *part);
/* Null: an open end. Of a run for which expr_check_terminals has found nothing wrong with the selector. */
enum wr_status expr_part_bounds(struct exec *exec, const struct expr *part, struct slice *low, struct slice *high);

/* Of a selector's columns that are marked, by ordinal, the one that is written first; NULL: it has none of them. */
const struct column *expr_first_column(const struct expr *selector, const bool *marked);

/* What a selector is evaluated on. A term needs exec alone. */
struct eval {
    struct exec *exec;
    const struct slice *columns; /* by ordinal; the values of the row, static ones included; null: no value */
    const struct row *row;       /* the cells, for writetime and ttl; NULL: none */
    const struct row *static_row;
    struct aggregates *aggregates;
    bool no_row;                 /* aggregates of nothing: columns are null, and nothing masks them */
};

/* The value; SLICE_NULL, and for a bare unset marker SLICE_UNSET. Memory from exec->ctx, or borrowed from where a column's value is. */
enum wr_status expr_eval(struct eval *eval, const struct expr *expr, struct slice *out);
enum wr_status expr_eval_term(struct exec *exec, const struct expr *expr, struct slice *out);

/* What a run finds wrong with a selector before it reads a row (Selector.Factory.newInstance): what is bound has to be of its type, calls
 * whose arguments are literals and markers alone are made, no marker given to a function may be unset, and no bound of an element or a
 * slice null. */
enum wr_status expr_check_terminals(struct exec *exec, const struct expr *expr);

/* ---- aggregates: states of all aggregate calls in a list of selectors ---- */

struct aggregates;
enum wr_status aggregates_new(struct exec *exec, const struct expr *const *selectors, uint32_t count, struct aggregates **out);
void aggregates_reset(struct aggregates *a);                               /* a new group; keeps memory */
enum wr_status aggregates_add(struct eval *eval, struct aggregates *a);    /* one row into every state */
/* The same of many rows, where all that the calls are of are columns, or rows: each row's values lie `stride` behind those of the row before. */
bool aggregates_are_of_columns(const struct aggregates *a);
enum wr_status aggregates_add_columns(struct exec *exec, struct aggregates *a, const struct slice *values, uint32_t stride, uint32_t rows);
/* What has to be looked at of the rows of a partition for all of them. */
enum aggregates_look {
    LOOK_AT_ALL,
    LOOK_AT_NONE,  /* how many there are tells */
    LOOK_AT_FIRST, /* in the order of the column: its least value, or its greatest, is asked for and nothing else */
    LOOK_AT_LAST,
};
enum aggregates_look aggregates_look(const struct expr *const *selectors, uint32_t count, const struct column *column);
void aggregates_add_rows(struct aggregates *a, uint64_t rows);             /* so many rows, where none has to be looked at */
/* After it, expr_eval of a selector with eval->aggregates set gives aggregate calls their results. */

/* The type of an ast type in this schema: natives, UDTs of the current keyspace or the given one. Cassandra's messages
 * ("Unknown type k.u", nesting rules). */
enum wr_status bind_type(struct bind *bind, struct slice keyspace, const struct ast_type *ast, const struct type **out);

/* Whether a user's type is written in it, and one without its keyspace. */
bool ast_type_has_users(const struct ast_type *ast);
bool ast_type_lacks_keyspace(const struct ast_type *ast);
/* WR_INVALID: a statement on the one cannot refer to a type of the other. */
enum wr_status fail_foreign_type(struct ctx *ctx, struct slice keyspace, struct slice given);

#endif
