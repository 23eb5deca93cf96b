/*
 * java.h - bodies of user-defined functions in Java, as far as they are expressions and statements over values: they
 * are compiled to a tree of typed nodes and walked. No class, no thread, no file, no reflection: what a body names
 * beyond java/lib.c's tables is a compilation's error.
 */
#ifndef WR_MODEL_JAVA_H
#define WR_MODEL_JAVA_H

#include "model/func.h"

struct java_signature {
    const struct slice *names; /* of the arguments */
    const struct type *const *args;
    uint32_t arg_count;
    const struct type *result;
    const struct schema *schema; /* for types that a body names; it has to live as long */
    struct slice keyspace;
    bool called_on_null; /* else the arguments are of Java's primitive types, where there are such */
};

struct java_body;

/* A body as CREATE FUNCTION has it. *out is of ctx's memory, borrows what the signature points to and the body, and may
 * be run by any number of threads. WR_INVALID: `Java source compilation failed: ...`. */
enum wr_status java_compile(struct ctx *ctx, const struct java_signature *signature, struct slice body, const struct java_body **out);

/* An aggregate's state is an object to the next call, whatever CQL would say of it: a list may have a null, a map be a HashMap. So what stands
 * between two calls is no value but what java_run has made of one, and of an object again. */
enum java_kept { JAVA_KEPT_NOTHING = 0, JAVA_KEPT_ARGUMENT = 1 /* the first */, JAVA_KEPT_RESULT = 2 };

/* Runs it on values of the signature's types, but for what is kept; the result is of ctx's memory. An exception that the body throws is
 * WR_FUNCTION_FAILURE, whose text is its class and message as Throwable.toString has them
 * (`java.lang.ArithmeticException: / by zero`). */
enum wr_status java_run(struct ctx *ctx, const struct java_body *body, const struct slice *args, unsigned kept, struct slice *out);

/* The value, of the type of the body's result, of one that was kept; what it cannot be is told as java_run tells it. */
enum wr_status java_kept_value(struct ctx *ctx, const struct java_body *body, struct slice kept, struct slice *out);

/*
 * A state that is a collection stays an object from call to call, and is no bytes between them: to add one thing to it costs what the body does, however
 * much is in it. It lies in memory of ctx's that is its own; *grew: that is taken with this call. What bodies leave behind there is
 * thrown away when it is full, by making another of what is kept of the object.
 */
struct java_object;
struct java_state {
    struct arena arena;
    struct java_object *object; /* NULL: null */
};

bool java_state_is_object(const struct java_body *body);
/* A zeroed state at first. The first of args is that of a state that does not go on, and else of no account. */
enum wr_status java_run_state(struct ctx *ctx, const struct java_body *body, const struct slice *args, bool goes_on, struct java_state *state, bool *grew);
enum wr_status java_keep_state(struct ctx *ctx, const struct java_body *body, const struct java_state *state, struct slice *out);

#endif
