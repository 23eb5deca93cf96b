/*
 * func.h - the native functions: one table of names, signatures and what they do.
 *
 * A name has overloads (fixed signatures, or one for each numeric type, or for each pair of them) or is a factory,
 * whose signature follows from the arguments of a call. Which of them a call means is decided in expr_resolve.c.
 * 1. A pure function depends on nothing but its arguments; it may be called while binding, where exec has only a ctx.
 * 2. Arguments and results are values of their types; results may borrow from arguments, or are in ctx's memory.
 * 3. Unless FUNC_TAKES_NULL is set, a null argument (or an empty one of a type in which empty means nothing) gives null
 *    without a call.
 */
#ifndef WR_MODEL_FUNC_H
#define WR_MODEL_FUNC_H

#include "model/plan.h"

enum { FUNC_ARGS_MAX = 4 }; /* of a native function, but for token, which has one a partition key column */

enum func_flags {
    FUNC_IMPURE = 1,     /* now(), uuid() */
    FUNC_TAKES_NULL = 2, /* called with nulls, and with values as they stand */
    FUNC_MONOTONIC = 4,  /* may close a GROUP BY */
    FUNC_CAST = 8,       /* its call prints as a cast */
    FUNC_OPERATOR = 16,  /* prints as an operator; its failures carry the operator's text */
    FUNC_NEGATION = 32,
    FUNC_COUNT_ROWS = 64, /* prints as `count` */
    FUNC_FACTORY = 128,   /* its signature follows from its arguments */
    FUNC_MASKING = 256,   /* may mask a column */
    FUNC_NUMBERS = 512,   /* reads its arguments as numbers, and an empty one of any type is none */
    FUNC_OF_KEY = 1024,   /* token: its arguments are the partition key's columns */
};

struct func;

struct call {
    struct ctx *ctx;   /* memory of the result */
    struct exec *exec; /* for what is not pure */
    const struct func *func;
};

typedef enum wr_status func_call(const struct call *call, const struct slice *args, struct slice *out);

/* An aggregate's state is state_size bytes, zeroes at first. What add takes of ctx's memory is gone after it, and so
 * are the arguments, unless it says (grew) that the state now holds some of that memory: it copies, and grows by
 * doubling. */
struct func_aggregate {
    size_t state_size;
    enum wr_status (*add)(const struct call *call, void *state, const struct slice *args, bool *grew);
    enum wr_status (*result)(const struct call *call, const void *state, struct slice *out);
    void (*reset)(void *state); /* keeps memory it holds */
};

struct host_function; /* host.h */
struct func_java;     /* func_user.c */
struct func_made;     /* so, too */

struct func {
    const char *name;      /* without its keyspace */
    struct slice keyspace; /* of one that is not Cassandra's own; null: system */
    const struct type *result;
    const struct type *const *args;
    uint32_t arg_count;
    unsigned flags;
    func_call *call;                        /* NULL: an aggregate */
    const struct func_aggregate *aggregate; /* NULL: not one */
    int variant;                            /* what tells apart functions that share a call */
    const struct host_function *host;       /* call is func_call_host */
    struct func_java *java;                 /* of CREATE FUNCTION */
    const struct func_made *made;           /* an aggregate of the schema */
};

/* A scalar one that is not Cassandra's own. */
static inline bool func_is_users(const struct func *func)
{
    return func->host || func->java;
}

/* ---- the table ---- */

enum func_shape {
    SHAPE_FIXED,      /* args -> result */
    SHAPE_NUMERIC,    /* (T) -> T for each numeric type */
    SHAPE_NUMERIC_TO, /* (T) -> result for each numeric type but the result's */
    SHAPE_NUMERICS,   /* (T, U) -> the wider, for each pair of numeric types */
    SHAPE_FACTORY,
};

/* What a factory's parameter takes, and how its type is told (FunctionParameter). */
enum func_param_kind {
    PARAM_ANY,             /* any type */
    PARAM_ANY_OR_RECEIVER, /* any; that of the receiver where the argument tells none */
    PARAM_TEXT,            /* text alone */
    PARAM_INT,             /* int alone */
    PARAM_STRING,          /* text or ascii */
    PARAM_COLLECTION,
    PARAM_MAP,
    PARAM_SET_OR_LIST,
    PARAM_NUMERIC_SET_OR_LIST,
    PARAM_FLOAT_VECTOR,
};

struct func_param {
    enum func_param_kind kind;
    bool optional;
    bool as_other;     /* where the argument tells no type: that of parameter `other` */
    bool prefer_other; /* that of `other` before the argument's own */
    uint8_t other;
};

struct func_entry {
    const char *name, *legacy; /* the name before 5.0; NULL: none */
    enum func_shape shape;
    enum type_kind result;
    enum type_kind args[FUNC_ARGS_MAX];
    uint32_t arg_count;
    unsigned flags;
    func_call *call;
    const struct func_aggregate *aggregate;
    int variant;
    struct func_param params[FUNC_ARGS_MAX]; /* SHAPE_FACTORY: arg_count of them */
    /* SHAPE_FACTORY: fills in *out, whose args and arg_count are set; receiver may be NULL. */
    enum wr_status (*make)(struct ctx *ctx, const struct func_entry *entry, const struct type *receiver,
                           struct func *out);
};

/* Every entry of a name, in turn: start with NULL. */
const struct func_entry *func_find(struct slice name, const struct func_entry *after);
/* The i-th overload of an entry that is no factory; its arguments go to args. false: there are no more. */
bool func_overload(const struct func_entry *entry, struct slice name, uint32_t i, const struct type **args,
                   struct func *out);
/* Where there can be only one overload of the name. */
bool func_is_single(const struct func_entry *entry);

enum wr_status func_token(struct ctx *ctx, const struct table *table, const struct func **out);
bool func_is_numeric(enum type_kind kind);

/* `system.abs`; "?" without memory. */
const char *func_full_name(struct ctx *ctx, const struct func *func);

/* `system.abs : (int) -> int`, as messages list overloads; a factory's: `system.tojson(any)`. */
void func_put_signature(struct buf *buf, const struct func *func, const bool *constant); /* constant NULL: no argument is known to be one */
void func_put_factory(struct buf *buf, const char *name, const struct func_entry *entry);

/* ---- the calls, by room ---- */

/* func_arith.c: variant is the operator */
func_call func_arithmetic, func_concatenate, func_shift_time, func_negate;
/* func_math.c */
enum { MATH_ABS, MATH_EXP, MATH_LOG, MATH_LOG10, MATH_ROUND };
func_call func_math;
/* func_cast.c */
func_call func_cast_number, func_cast_text, func_cast_same;
/* func_time.c */
func_call func_now, func_current_timestamp, func_current_date, func_current_time, func_min_timeuuid, func_max_timeuuid,
    func_to_date, func_to_timestamp, func_to_unix_timestamp, func_floor, func_floor_time;
/* func_uuid.c */
func_call func_uuid;
/* func_blob.c */
func_call func_to_blob, func_from_blob;
/* func_json.c */
enum wr_status func_make_to_json(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                 struct func *out);
enum wr_status func_make_from_json(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                   struct func *out);
/* func_collection.c */
enum { COLLECTION_MIN, COLLECTION_MAX, COLLECTION_SUM, COLLECTION_AVG };
enum wr_status func_make_map_part(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                  struct func *out);
enum wr_status func_make_count(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                               struct func *out);
enum wr_status func_make_fold(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                              struct func *out);
/* func_vector.c: variants are similarity.h's */
enum wr_status func_make_similarity(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                    struct func *out);
/* func_mask.c */
enum { MASK_NULL, MASK_DEFAULT, MASK_REPLACE, MASK_INNER, MASK_OUTER, MASK_HASH };
enum wr_status func_make_mask(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                              struct func *out);
/* api_function.c */
func_call func_call_host;
/* func_agg.c */
/* A value kept in a state, in memory that doubles when it must. */
struct kept {
    uint8_t *data;
    size_t len, room;
    bool set;
};
enum wr_status kept_put(struct ctx *ctx, struct kept *kept, struct slice value, bool *grew);
struct slice kept_value(const struct kept *kept); /* null: none */
extern const struct func_aggregate func_count_rows, func_count;
void count_rows_add_many(void *state, uint64_t rows); /* so many calls of func_count_rows.add */
const struct func_aggregate *func_sum_of(enum type_kind kind); /* NULL: not numeric */
const struct func_aggregate *func_avg_of(enum type_kind kind);
extern const struct func_aggregate func_min, func_max;
enum { AGGREGATE_SUM = 1, AGGREGATE_AVG };
enum wr_status func_make_extreme(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                 struct func *out);

#endif
