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
    const struct schema *schema;   /* for types that a body names; it has to live as long */
    struct slice keyspace;
    bool called_on_null; /* else the arguments are of Java's primitive types, where there are such */
};

struct java_body;

/* A body as CREATE FUNCTION has it. *out is of ctx's memory, borrows what the signature points to and the body, and may
 * be run by any number of threads. WR_INVALID: `Java source compilation failed: ...`. */
enum wr_status java_compile(struct ctx *ctx, const struct java_signature *signature, struct slice body,
                            const struct java_body **out);

/* Runs it on values of the signature's types; the result is of ctx's memory. An exception that the body throws is
 * WR_FUNCTION_FAILURE, whose text is its class and message as Throwable.toString has them
 * (`java.lang.ArithmeticException: / by zero`). */
enum wr_status java_run(struct ctx *ctx, const struct java_body *body, const struct slice *args, struct slice *out);

#endif
