/*
 * body.h - a compiled body, as the compiler leaves it and the run takes it.
 */
#ifndef WR_MODEL_JAVA_BODY_H
#define WR_MODEL_JAVA_BODY_H

#include "model/java.h"
#include "model/java/object.h"

/* What a server's verifier refuses in what is compiled well. */
struct java_refusal {
    struct java_refusal *next;
    const char *what;
};

struct java_body {
    const struct java_signature *signature;
    const struct java_type **args; /* Java's types of the arguments */
    const struct java_type *result;
    struct java_node *block;
    uint32_t slot_count;
    struct java_refusal *refusals; /* by their texts */
};

/* check.c: the tree of java_parse gets its types; what is wrong goes to errors. */
enum wr_status java_check(struct ctx *ctx, struct java_errors *errors, struct java_body *body);

/* The calls of an expression: call.c finds the method that is meant. a and b of a JE_CALL or JE_NEW have their types;
 * the arguments are converted, the node gets its method and type. */
struct java_checker;
enum wr_status java_check_call(struct java_checker *c, struct java_node *node);

enum wr_status java_refuse(struct java_checker *c, const char *what); /* what is kept; each is told once */
/* An object of the class is thrown at the node: a catch around it is come to, or the body would have to declare it, which
 * none can. of: the expression, where it is one (NULL: a method does). */
void java_throws(struct java_checker *c, const struct java_node *node, const struct java_node *of, enum java_kind kind);
/* One of the alternatives of a catch among those of a try, of which `first` is the first; the body has been looked at. */
void java_check_caught(struct java_checker *c, const struct java_node *first, const struct java_node *catch,
                       const struct java_node *type);

/* Whether what a call makes of its arguments, as Arrays.asList does, may be of the type as well. */
bool java_call_makes(const struct java_node *call, const struct java_type *type);

/* ---- what has a value where (assigned.c) ---- */

enum { JAVA_LOCALS_MAX = 256 };

struct java_set {
    uint64_t words[JAVA_LOCALS_MAX / 64]; /* of locals, by their number */
};

/* What every way that a run may have come has assigned, and what any of them has. */
struct java_flow {
    struct java_set assigned, touched;
};

struct java_flow java_flow_never(void); /* of where no run comes: joined to another it changes nothing */
void java_flow_join(struct java_flow *flow, const struct java_flow *other); /* where two ways meet */
void java_flow_assign(struct java_flow *flow, uint32_t local);
void java_flow_declare(struct java_flow *flow, uint32_t local,
                       bool assigned); /* by its declaration it is not touched */
void java_set_add(struct java_set *set, const struct java_set *other);
bool java_set_has(const struct java_set *set, uint32_t local);

/* ---- what check.c, flow.c and call.c share ---- */

struct java_local {
    struct java_local *outer;
    struct slice name;
    const struct java_type *type;
    uint32_t slot, number, place;     /* place: of a parameter, the first is 1 */
    uint32_t loops;                   /* around its declaration */
    bool is_final, parameter, given;  /* given: its declaration gives it its value */
    bool several;                     /* of a catch with alternatives */
    bool unchecked;                   /* of a catch: nothing comes to it that a method has to declare */
    const struct java_node *constant; /* what a final one always is; NULL: not known */
};

struct java_handler {
    struct java_handler *outer;
    struct java_node *catches;
    bool throws; /* something within it throws what a method has to declare */
};

struct java_checker {
    struct ctx *ctx;
    struct java_errors *errors;
    struct java_body *body;
    struct java_local *locals;     /* innermost first */
    struct java_target *targets;   /* of break and continue, innermost first */
    struct java_handler *handlers; /* of try */
    struct java_flow flow;         /* behind what was looked at last */
    struct java_flow yes, no;      /* behind a condition that came out so; split: it tells them apart */
    struct java_set ever;          /* assigned at all, since the innermost try began */
    bool split;
    bool parents_told; /* call.c */
    uint32_t local_count, slot, loops;
};

/* Whether a value of the node's type may stand where one of `to` is wanted, as in an assignment. */
bool java_is_assignable(const struct java_node *node, const struct java_type *to);
/* *node becomes a conversion of itself where that takes one; checked: whose class is not known for sure. */
enum wr_status java_convert(struct java_checker *c, struct java_node **node, const struct java_type *to, bool checked);
enum wr_status java_check_expression(struct java_checker *c, struct java_node **node);
enum wr_status java_check_unary(struct java_checker *c, struct java_node *node); /* operators.c: these four */
enum wr_status java_check_binary(struct java_checker *c, struct java_node *node);
enum wr_status java_check_assign(struct java_checker *c, struct java_node *node);
enum wr_status java_check_step(struct java_checker *c, struct java_node *node);
const struct java_type *java_promoted(const struct java_type *a,
                                      const struct java_type *b); /* what two numbers are reckoned as */
enum wr_status java_fold_node(struct java_checker *c,
                              struct java_node *node); /* of constants: a constant it becomes, where it has a value */
struct java_local *java_find_local(struct java_checker *c, struct slice name); /* NULL: none */
enum wr_status java_use_local(struct java_checker *c, struct java_node *node, struct java_local *l, bool read);
enum wr_status java_check_boolean(struct java_checker *c, struct java_node **node);
/* The ways behind a condition that was looked at last, if it is true and if it is false; and the other way round, the
 * ways of one that is put together from others. */
void java_branch(struct java_checker *c, const struct java_node *condition, struct java_flow *yes,
                 struct java_flow *no);
void java_split(struct java_checker *c, const struct java_flow *yes, const struct java_flow *no);
enum wr_status java_check_array_literal(struct java_checker *c, struct java_node *node, const struct java_type *type);
enum wr_status java_assign_to(struct java_checker *c, struct java_node **node,
                              const struct java_type *to); /* converts as an assignment does, or tells */
enum wr_status java_unbox(struct java_checker *c, struct java_node **node); /* primitive where it is a box */
enum wr_status java_declare(struct java_checker *c, struct java_node *node, const struct java_type *type,
                            bool assigned); /* a local of node's name */
void java_define(struct java_checker *c, const struct java_node *node);
void java_mismatch(struct java_checker *c, const struct java_node *node, const struct java_type *to);
const struct java_type *java_wrong(void); /* the type of what is wrong already */
bool java_is_wrong(const struct java_node *node);
const char *java_type_text(struct java_checker *c, const struct java_type *type);

/* eval.c: the value of an expression; false: something is thrown. */
bool java_eval(struct java_run *run, const struct java_node *node, union java_value *out);
/* Throw what a null is answered with that a method of no arguments is called of, or that is used as the words say; the
 * node is where it came from. */
bool java_null_call(struct java_run *run, const struct java_node *of, const struct java_type *type, const char *method);
bool java_null_text(struct java_run *run, const struct java_node *of, const char *what);
/* The value of an expression without names; false: there is none (a division by zero). */
bool java_fold(struct ctx *ctx, const struct java_node *node, union java_value *out);

#endif
