/*
 * cond.h - IF conditions of lightweight transactions: bound to columns, given their values in a run, held against a
 * row.
 *
 * 1. A missing value is null: `= null` holds, `!= v` holds, an order never does. A null to compare with is an error for
 * every operator but = and !=, when the condition is looked at and not before.
 * 2. An element beyond a list's end, of a missing key or of a null collection is null.
 */
#ifndef WR_MODEL_COND_H
#define WR_MODEL_COND_H

#include "model/expr.h"

enum condition_on { CONDITION_COLUMN, CONDITION_ELEMENT, CONDITION_FIELD };

struct condition {
    const struct column *column;
    enum condition_on on;
    enum ast_operator op;
    const struct type *type;    /* of what is compared: the column's, an element's or a field's */
    const struct expr *element; /* CONDITION_ELEMENT */
    uint32_t field;             /* CONDITION_FIELD */
    const struct expr **values; /* one; of IN: any number */
    uint32_t value_count;
    const struct type *list_type; /* IN ?: the type of the whole list, bound to list_marker; NULL otherwise */
    uint32_t list_marker;
};

enum conditions_kind { CONDITIONS_NONE, CONDITIONS_EXISTS, CONDITIONS_NOT_EXISTS, CONDITIONS_COLUMNS };

/* All of one statement. Those on regular columns come before those on static ones, each in the order of the statement.
 */
struct conditions {
    enum conditions_kind kind;
    struct condition *list;
    uint32_t regular_count, count;
};

/* relations NULL: none; *out is then CONDITIONS_NONE. */
enum wr_status conditions_bind(struct bind *bind, const struct ast_relation *relations, struct conditions *out);

/* A condition with the values of a run. */
struct bound_condition {
    const struct condition *condition;
    struct slice element;
    struct slice *values; /* null and unset ones too */
    uint32_t value_count;
};

/* Evaluates the terms; *out is for condition_holds with any row. */
enum wr_status condition_evaluate(struct exec *exec, const struct condition *condition, struct bound_condition *out);

/* Puts a row's conditions in the order in which a server asks them: those behind the first that does not hold it never asks, and some
 * are refused. */
enum wr_status conditions_order(struct ctx *ctx, struct bound_condition *list, uint32_t count);

/* value: the column's in the row; null where there is none. */
enum wr_status condition_holds(struct exec *exec, const struct bound_condition *condition, struct slice value,
                               bool *holds);

#endif
