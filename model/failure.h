/*
 * failure.h - failures that tell clients more than a text: struct wr_failure of widerow.h, in the memory of the ctx.
 *
 *     fail(ctx, WR_ALREADY_EXISTS, "Cannot add existing keyspace ...");
 *     return failure_of_existing(ctx, name, SLICE_EMPTY);
 *
 * The first three add to the failure just made and return its status, or WR_NOMEM.
 */
#ifndef WR_MODEL_FAILURE_H
#define WR_MODEL_FAILURE_H

#include "model/func.h"
#include "widerow.h"

/* table empty: the keyspace. */
enum wr_status failure_of_existing(struct ctx *ctx, struct slice keyspace, struct slice table);
enum wr_status failure_of_function(struct ctx *ctx, const struct func *func);
/* Whatever failed in a call, with its status: a WR_FUNCTION_FAILURE of that text, unless memory was missing or somebody wants the statement to end. */
enum wr_status failure_of_call(struct ctx *ctx, const struct func *func, enum wr_status status);
enum wr_status failure_attach(struct ctx *ctx, struct wr_failure details); /* any other; details.status is not looked at */

/* A read or write that the one replica there is refuses, for a reason that a server tells its log alone: text and details. write_type:
 * "SIMPLE", "BATCH" or "UNLOGGED_BATCH" (a batch of one partition is SIMPLE, and so is what an LWT commits; a statement of several is the
 * last). */
enum wr_status failure_of_read(struct exec *exec);
enum wr_status failure_of_tombstones(struct exec *exec); /* TombstoneOverwhelmingException */
enum wr_status failure_of_write(struct exec *exec, const char *write_type);

/* The last failure of a ctx: all zero but the status where it has no details. Borrows from the ctx. */
struct wr_failure failure_of(const struct ctx *ctx);

/* The ClassCastException that a server lets through where it takes an object for one of another class: "cql3.Lists$Value", of org.apache.cassandra. */
enum wr_status fail_class_cast(struct ctx *ctx, const char *from, const char *to);

enum wr_status fail_type_cast(struct ctx *ctx, const struct type *from, const char *to); /* of db.marshal */

/* The text of a server that takes a number from bytes that are not there. */
enum wr_status fail_no_bytes(struct ctx *ctx);

/* Of one that looks at a value that is null. */
enum wr_status fail_null_value(struct ctx *ctx);

/* The same of one that makes an object of them, and goes on as if it were there: "Integer.intValue()" of an "Int32Type". */
enum wr_status fail_composed_null(struct ctx *ctx, const char *method, const char *type);

/* Makes from's last failure, text and details, the last one of `to`, in the memory of `to`, and returns it: failed, or WR_NOMEM. */
enum wr_status failure_pass(struct ctx *to, const struct ctx *from, enum wr_status failed);

#endif
