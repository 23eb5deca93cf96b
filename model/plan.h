/*
 * plan.h - struct plan: a statement bound to one schema snapshot, made once and run many times; and what one run needs.
 *
 * A plan is immutable once bound and lives in its statement's plan arena, with the snapshot it was bound to held beside it.
 * What a run changes lives in struct exec and in the run's own arena, which is emptied between runs, never freed.
 * A plan whose snapshot is no longer the database's current one is bound again before a run (api), and under the writer once
 * more (plan_write), so a statement never writes by an outdated schema.
 */
#ifndef WR_MODEL_PLAN_H
#define WR_MODEL_PLAN_H

#include "engine/scan.h"
#include "engine/token.h"
#include "model/ast.h"
#include "model/schema.h"

/* ---- values bound to markers ---- */

extern const uint8_t slice_unset_mark[1];
#define SLICE_UNSET ((struct slice){ slice_unset_mark, 0 }) /* "unset": the marker is as if it were not there */
static inline bool slice_is_unset(struct slice s) { return s.data == slice_unset_mark; }

/* ---- what a prepared statement says of itself ---- */

struct column_spec { /* a marker or a result column */
    struct slice keyspace, table, name;
    const struct type *type;
    bool reversed; /* a ReversedType to a server: a clustering column that descends, as it is */
};

/* ---- binding ---- */

struct database; /* database.h: engine, current schema, functions of the host */

/* Where in a statement a function is called, in the order in which a run asks whether it may be. */
enum call_part { CALLED_FIRST /* in the select list, or USING */, CALLED_WHERE, CALLED_SET, CALLED_IF };
struct call_place {
    enum call_part part;
    uint32_t column; /* whatever comes first in the text. WHERE: of which column, twice, and one for an upper bound; SET: 1 of static columns */
};

struct bind {
    struct ctx *ctx;               /* arena: the plan's */
    struct database *db;           /* for the functions of the host; NULL: none */
    const struct schema *schema;
    struct slice current_keyspace; /* null: none USEd */
    const struct table *table;     /* of the statement; NULL in DDL */
    struct slice asked_in;         /* the keyspace in which a term is asked for its type, whatever the statement's is; null: not so */
    struct slice text;             /* the request's, for messages that quote it */
    struct column_spec *markers;   /* marker_count, filled as markers are met */
    uint32_t marker_count;
    const struct type *reversed;   /* of the descending column that a term is bound for (expr_bind_key); NULL: of none */
    bool masks;                    /* a select list shows masked columns masked */
    struct called *called;         /* functions of users that the statement calls */
    struct call_place calling;     /* where what is bound now stands */
    bool calls_others;             /* it calls such, or a column's mask does */
    bool reads_lists;              /* what is selected will be looked into (SELECT JSON): elements of a list must be of its type */
    const struct column *first_selected; /* the first column in selectors bound so far, for a message of casts; NULL: none yet */
};

struct func;
struct called {
    const struct func *func;
    struct call_place place;
    struct called *next;
};

/* ---- running ---- */

/* What a read may take, or look at, while others wait for it (engine.h, txn_begin_brief). */
enum { BRIEF_ROWS = 256, BRIEF_BYTES = 64 << 10 };
#define BRIEF_NS INT64_C(1000000)

struct role_set;
struct tracer;

struct levels {    /* the consistency of a run, as the native protocol numbers levels (consistency.h) */
    bool asked;    /* false: level is not looked at */
    uint8_t level, serial;
};

struct given {                   /* what markers are bound to */
    const struct slice *values;  /* one a marker; SLICE_NULL, SLICE_UNSET */
    const bool *sound;           /* which of them are known to be of their markers' types; NULL: of none is anything known */
};

struct exec {
    struct ctx *ctx;               /* arena: the run's */
    struct database *db;
    const struct schema *schema;   /* the plan's snapshot */
    struct given given;
    struct txn *txn;               /* open while running; of a write: the writer's */
    int64_t now_us;                /* wall time of the statement (now(), current_timestamp()); ctx->now_s agrees, or was given (wr_set_now) */
    struct {
        struct slice role;            /* for whom permissions are looked at; null: nobody has logged in */
        bool ordinary;                /* somebody who is no superuser: guardrails are for them (guardrail.h) */
        const struct role_set *roles; /* that role and what it is a member of; NULL: not looked up yet (authorize.h) */
    } who;                         /* runs it */
    struct levels levels;
    struct expected_partition expected;      /* the partition that a read begins with, where a marker tells */
    bool brief;                    /* others wait for the read: it is to be given up where it is not brief */
    const struct tracer *tracer;   /* who is told what the run does (tracing.h); NULL: nobody */
    int64_t timestamp_us;          /* default write timestamp; TIMESTAMP_NONE: the clock's, taken under the writer */
    struct {
        int32_t size;              /* rows; <= 0: all */
        struct slice state;        /* null: the first page */
        struct slice next;         /* out: null: no more */
    } page;
    struct {
        struct scan *scan;
        struct partitions *partitions;
        struct index_scan *index_scan;
    } cursors;                     /* of a read, made at the first run and kept */
    void *run;                     /* the plan's own state of this run, in ctx's memory */
    struct rows_ahead {            /* out of a step: so many rows behind the one it gave, which are the next ones without a step */
        const struct slice *next;
        uint32_t stride, left;
        struct arena_mark mark;    /* ctx's memory behind it is a row's */
    } ahead;
    struct {
        struct slice new_keyspace;     /* of USE: in ctx's memory */
        struct schema *next_schema;    /* the snapshot to put in place after the commit; a reference. Replaced by a second start */
        struct schema_change {         /* target NULL: none */
            const char *change, *target;
            struct slice keyspace, name;
            const struct slice *args;  /* of a function or aggregate: its types, as clients are told of them */
            const struct type *const *types; /* and bound: good within start */
            uint32_t arg_count;
        } change;
    } made;                        /* out, of statements of schema, and USE */
};

static inline int64_t exec_token(const struct exec *exec, struct slice key)
{
    return key.len && key.data == exec->expected.key.data && key.len == exec->expected.key.len ? exec->expected.token : token_of(key);
}

enum plan_access { PLAN_READ, PLAN_WRITE, PLAN_SCHEMA, PLAN_NEITHER };

struct plan;

struct plan_ops {
    const char *name;
    enum plan_access access;
    /* What exec->who.role may have to have is looked at (authorize.h), in a transaction that reads; of statements of schema also where nobody has
     * logged in. NULL op: everybody may, who may log in. */
    enum wr_status (*authorize)(struct exec *exec, const struct plan *plan);
    /* CQLStatement.validate, for a statement that is only prepared, or is to be refused for its level (wr_stmt_validate): in a transaction that
     * reads, without values. A run's start looks at the same by itself. NULL op: nothing. */
    enum wr_status (*validate)(struct exec *exec, const struct plan *plan);
    /* Starts a run: of a read opens cursors, of a write does all of it in exec->txn (a write transaction; everything it does is
     * undone when it fails). May be called again in the same run of a write after the map has grown. */
    enum wr_status (*start)(struct exec *exec, const struct plan *plan);
    /* The next row: plan->column_count values, good until the next call; *row NULL: no more. NULL op: no rows ever. */
    enum wr_status (*step)(struct exec *exec, const struct plan *plan, const struct slice **row);
    /* Lets go of cursors before the read's transaction ends; also after a failure. NULL op: nothing to let go of. */
    void (*finish)(struct exec *exec, const struct plan *plan);
    /* Result columns known only after start (LWT): NULL op: plan->columns. */
    const struct column_spec *(*columns)(const struct exec *exec, const struct plan *plan, uint32_t *count);
};

enum { ROUTING_NONE = UINT16_MAX }; /* no marker */

struct plan {
    const struct plan_ops *ops;
    const struct ast_statement *ast;
    const struct table *table;            /* NULL where there is none */
    const struct column_spec *columns;    /* the result's; count 0: none, or only known after start */
    uint32_t column_count;
    const uint32_t *places;               /* where a step's row has the result's columns; a binder may leave NULL: in their order */
    const struct column_spec *markers;
    uint32_t marker_count;
    const struct called *called;          /* functions of users that it calls */
    bool calls_others;                    /* it calls such, or a mask does: nobody knows how long that takes, or what it does */
    const uint16_t *routing;              /* for each column of the partition key the last bare marker for it, ROUTING_NONE: there is none; or NULL */
    const char *refused;                  /* why nobody may run it (ModificationStatement.validate); told behind authorize. NULL: they may */
    bool conditional;                     /* LWT */
    bool frees;                           /* space, in the end, and adds no data: it may take a full disk's last pages (ctx.h) */
    bool counter;                         /* writes counters */
    bool bounded;                         /* its own part of WR_STMT_BOUNDED */
    bool brief;                           /* a read that mostly takes no longer than a write; as is to be seen once it runs */
};

/* Each binder embeds struct plan as the first member of its own. The dispatcher by ast kind is plan.c. */
enum wr_status plan_bind(struct bind *bind, const struct ast_statement *ast, struct plan **out);

enum wr_status plan_check(struct ctx *ctx, const struct plan *plan); /* WR_INVALID with the reason, if it is refused */

/* The binders, one a statement family. */
enum wr_status bind_select(struct bind *bind, const struct ast_statement *ast, struct plan **out);      /* plan_select.c */
enum wr_status bind_modify(struct bind *bind, const struct ast_statement *ast, struct plan **out);      /* plan_modify.c: INSERT UPDATE DELETE */
enum wr_status bind_batch(struct bind *bind, const struct ast_statement *ast, struct plan **out);       /* plan_batch.c */
enum wr_status bind_schema_change(struct bind *bind, const struct ast_statement *ast, struct plan **out); /* plan_schema.c: all DDL, TRUNCATE */
enum wr_status bind_use(struct bind *bind, const struct ast_statement *ast, struct plan **out);         /* plan_schema.c */
enum wr_status bind_describe(struct bind *bind, const struct ast_statement *ast, struct plan **out);    /* plan_describe.c */
enum wr_status bind_role_statement(struct bind *bind, const struct ast_statement *ast, struct plan **out); /* plan_role.c */
enum wr_status bind_list_roles(struct bind *bind, const struct ast_statement *ast, struct plan **out);  /* plan_list_roles.c: LIST USERS too */
enum wr_status bind_grant(struct bind *bind, const struct ast_statement *ast, struct plan **out);       /* plan_grant.c: of permissions; LIST too */

#endif
