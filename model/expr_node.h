/*
 * expr_node.h - inside expr: an expression while it is being bound, and as it is once bound. Only expr_*.c include it.
 *
 * Binding goes over the ast twice. node_make copies it into nodes, the counterpart of Cassandra's Selectable and
 * Term.Raw: in a select list every function is resolved here, from its arguments upwards. node_bind then goes down with
 * the type that is expected and makes the expr; in a term (VALUES, WHERE, ...) functions are resolved now, by what
 * receives them.
 * 1. No recursion goes deeper than the nodes, and these are at most EXPR_DEPTH_MAX deep.
 * 2. What a node in a term resolves to for a receiver is remembered, so overloads inside overloads cost no more than
 * their number.
 */
#ifndef WR_MODEL_EXPR_NODE_H
#define WR_MODEL_EXPR_NODE_H

#include "model/expr.h"
#include "model/func.h"

enum { EXPR_DEPTH_MAX = 400 };

struct node_memo { /* a function call in a term, resolved for one type of receiver */
    struct node_memo *next;
    const struct type *receiver; /* NULL: nothing known */
    struct slice asked_in;       /* as in bind */
    const struct func *func;     /* NULL: there is no function of that name */
    enum wr_status status;       /* not WR_OK: no overload fits */
};

struct node {
    const struct ast_expr *ast;
    struct node **args;
    uint32_t arg_count;
    bool selecting;              /* in a select list, where columns may appear; false: a term */
    bool vanished;               /* a cast to the type its argument has: it is its argument, by name too */
    const struct column *column; /* EXPR_COLUMN; NULL where it may be the name of a UDT's field */
    const struct type *natural;  /* EXPR_CONSTANT: the type it has by itself; NULL: nobody has asked, it is null, or none can be told */
    const struct func *func;     /* functions and operators of a select list, as resolved */
    const struct type *type;     /* EXPR_CAST, EXPR_HINT: the type written; NULL: node_written_type has not looked it up yet */
    struct slice keyspace;       /* EXPR_HINT: the one in which its UDTs were looked up first, and are from then on; null: nobody has */
    struct node_memo *memos;
    const char *late;            /* what is wrong in the pairs in it, told to who asks whether it fits; NULL: nothing */
    const struct ast_expr *stray; /* of {k: v}: a key that names no column, and comes before what is late; NULL: none */
};

struct receiver {
    struct slice name; /* for messages and markers */
    const struct type *type;
};

/* A copy of the ast with columns and types looked up and, in a select list, functions resolved. */
enum wr_status node_make(struct bind *bind, const struct ast_expr *ast, bool selecting, struct node **out);

/* What the node has put off to tell. */
enum wr_status node_fail_late(struct bind *bind, const struct node *node);

/* The keyspace in which types and functions are looked up that are written without one. */
struct slice node_keyspace(const struct bind *bind);

/* The type of an EXPR_HINT. In a term a UDT has the keyspace in which it is looked up first (CQL3Type.Raw.RawUT.prepare). */
enum wr_status node_written_type(struct bind *bind, struct node *node, const struct type **out);

/* WR_INVALID: Undefined column name ... */
enum wr_status node_find_column(struct bind *bind, struct slice name, const struct column **out);

/* A column of a descending order: a ReversedType there, and so no collection, no user type and no vector to whoever asks for one. */
static inline bool node_is_reversed(const struct node *node)
{
    return node->ast->kind == EXPR_COLUMN && node->column && node->column->descending;
}

/* As Cassandra's messages and result columns print it. */
void node_put(struct buf *buf, const struct node *node);
const char *node_text(struct ctx *ctx, const struct node *node); /* the same as a string in ctx's memory */

/* The type a node has by itself; NULL: cannot be told. `compatible` also guesses from literals
 * (getCompatibleTypeIfKnown). */
enum wr_status node_exact_type(struct bind *bind, struct node *node, const struct type **out);
enum wr_status node_compatible_type(struct bind *bind, struct node *node, const struct type **out);

/* Whether the node may be given to a receiver of that type (testAssignment). */
enum wr_status node_test(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out);
/* The same where a receiver of that type is a ReversedType there: a view's partition key that is a descending column of its table's. */
enum wr_status node_test_reversed(struct bind *bind, struct node *node, const struct type *receiver, enum assignment *out);
enum assignment type_test(const struct type *from,
                          const struct type *to); /* of a value (AbstractType.testAssignment) */
enum wr_status func_result_test(struct ctx *ctx, const struct func *func, const struct type *receiver,
                                enum assignment *out);

struct named_call {
    struct slice keyspace, name; /* a null keyspace: not given */
    struct node **args;
    uint32_t arg_count;
};

/* The overload a call means (FunctionResolver). receiver NULL: nothing known of what takes the result. *out NULL: no
 * function of that name. quiet: a failure leaves no message. */
enum wr_status func_resolve(struct bind *bind, const struct named_call *call, const struct type *receiver, bool quiet, const struct func **out);
/* The same for a node of a term, remembered. */
enum wr_status node_resolve(struct bind *bind, struct node *node, const struct type *receiver, bool quiet,
                            const struct func **out);
/* The name a call, an operator or a cast goes by: `system`, `_add`. A null keyspace: not given. */
enum wr_status node_func_name(struct ctx *ctx, const struct node *node, struct slice *keyspace, struct slice *name);

/* ---- bound ---- */

enum expr_op {
    EVAL_VALUE,     /* value */
    EVAL_MARKER,    /* marker */
    EVAL_COLUMN,    /* column */
    EVAL_CALL,      /* func on args */
    EVAL_AGGREGATE, /* its result is taken from eval->aggregates */
    EVAL_CELLS,     /* writetime, maxwritetime, ttl: cells, of args[0] */
    EVAL_PACK,      /* args put together to a list, set, map (keys and values in turn), tuple, UDT or vector */
    EVAL_ELEMENT,   /* args[0][args[1]] */
    EVAL_SLICE,     /* args[0][args[1]..args[2]]; an open end is NULL */
    EVAL_FIELD,     /* args[0].field */
    EVAL_TAKEN,     /* args[0], of another type, whose bytes are taken for a value of this one; refusal where they are none */
    EVAL_COUNT
};

enum cells_of { CELLS_TTL, CELLS_WRITETIME, CELLS_MAXWRITETIME };

struct expr {
    enum expr_op op;
    const struct type *type;
    struct node *node; /* as it was written */
    const struct expr **args;
    uint32_t arg_count;
    bool constant; /* the same in every run */
    bool terminal; /* made of literals alone: what is wrong with it is wrong when it is bound */
    bool has_marker, has_aggregate;
    bool rowless;  /* asks for no column, no cell, no row's now(): literals, markers and pure calls of them */
    bool to_check; /* expr_check_terminals has to look at it, or at a part of it */
    bool as_sent;  /* EVAL_MARKER: the bytes are not taken apart; a collection's are, but in a descending key */
    union {
        struct slice value;
        uint32_t marker;
        const struct column *column;
        const struct func *func;
        enum cells_of cells;
        uint32_t field;
        const struct type *packed; /* EVAL_PACK: what its parts make, whatever type is written in front of it */
        const char *refusal;
    };
};

/* A node for a receiver whose type is known, or (select list) expected; receiver.type NULL there: none is. */
enum wr_status node_bind(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out);

enum wr_status expr_new(struct bind *bind, enum expr_op op, const struct type *type, struct node *node,
                        uint32_t arg_count, struct expr **out);
/* Once args are set: carries their properties up, and folds what is constant. */
enum wr_status expr_finish(struct bind *bind, struct expr *expr, const struct expr **out);

/* What a masked column is read as (expr_mask.c). */
enum wr_status expr_masked(struct bind *bind, const struct expr *column, const struct expr **out);

/* Whether a function gets no value there: it does not take nulls, and that is one to it. An empty date or time is an int's or a bigint's, which pass for
 * them: a server fails there. */
static inline bool argument_is_absent(const struct func *func, uint32_t i, struct slice value)
{
    if (value.len > 0 || func->flags & FUNC_TAKES_NULL)
        return false;
    const struct type *type = func->args[i];
    return slice_is_null(value) || func->flags & FUNC_NUMBERS || type_empty_is_null(type) || type->kind == TYPE_DATE || type->kind == TYPE_TIME;
}

/* The arguments of a call; *null where one of them is null and the function asks not to be called then. */
enum wr_status expr_eval_args(struct eval *eval, const struct expr *expr, struct slice *args, bool *null);
enum wr_status eval_aggregate(struct eval *eval, const struct expr *expr, struct slice *out); /* expr_agg.c */

/* Literals in brackets (expr_literal.c). */
enum wr_status bind_list(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out);
enum wr_status bind_braces(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out);
enum wr_status bind_pairs(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out);
enum wr_status bind_tuple(struct bind *bind, struct node *node, struct receiver receiver, const struct expr **out);
/* Of {field: value}: the value written for a field, the last where there are several; NULL: none. */
struct node *node_field_value(const struct node *node, struct slice name);
enum wr_status node_refuse_unknown(struct bind *bind, const struct node *node, const struct type *udt); /* a key that is no field of it */
enum wr_status fail_no_type(struct bind *bind, struct node *node); /* Cannot infer type for term ... */

#endif
