#include "model/failure.h"

enum wr_status failure_attach(struct ctx *ctx, struct wr_failure details)
{
    struct wr_failure *kept = NEW(ctx, struct wr_failure);
    if (!kept)
        return WR_NOMEM;
    *kept = details;
    kept->status = ctx->failed;
    ctx->failure = kept;
    return ctx->failed;
}

enum wr_status failure_of_existing(struct ctx *ctx, struct slice keyspace, struct slice table)
{
    const char *names[2] = { ctx_string(ctx, keyspace), ctx_string(ctx, table) };
    if (!names[0] || !names[1])
        return WR_NOMEM;
    return failure_attach(ctx, (struct wr_failure){ .keyspace = names[0], .name = names[1] });
}

enum wr_status failure_of_function(struct ctx *ctx, const struct func *func)
{
    const char **types = NEW_ARRAY(ctx, const char *, func->arg_count);
    const char *keyspace = slice_is_null(func->keyspace) ? "system" : ctx_string(ctx, func->keyspace);
    if (!types || !keyspace)
        return WR_NOMEM;
    for (uint32_t i = 0; i < func->arg_count; i++)
        types[i] = type_name(ctx, func->args[i]);
    return failure_attach(ctx, (struct wr_failure){ .keyspace = keyspace,
                                                    .name = func->name,
                                                    .argument_types = types,
                                                    .argument_count = func->arg_count });
}

enum wr_status failure_of_call(struct ctx *ctx, const struct func *func, enum wr_status status)
{
    if (status == WR_NOMEM || status == WR_INTERRUPTED)
        return status;
    const char *text = ctx_string(ctx, slice_str(ctx->error));
    if (!text)
        return WR_NOMEM;
    fail(ctx, WR_FUNCTION_FAILURE, "%s", text);
    return failure_of_function(ctx, func);
}

/* ReadFailureException and WriteFailureException: the address as Java prints it, with a name where one was looked up.
 */
static enum wr_status refused(struct exec *exec, enum wr_status status, enum wr_failure_reason reason, const char *from, const char *write_type)
{
    static const char *const reasons[] = { [WR_REASON_UNKNOWN] = "UNKNOWN", [WR_REASON_TOMBSTONES] = "READ_TOO_MANY_TOMBSTONES" };
    fail(exec->ctx, status, "Operation failed - received 0 responses and 1 failures: %s from %s", reasons[reason], from);
    return failure_attach(exec->ctx,
                          (struct wr_failure){ .reason = reason,
                                               .consistency = exec->levels.asked ? exec->levels.level : WR_CL_ONE,
                                               .required = 1,
                                               .failures = 1,
                                               .write_type = write_type });
}

enum wr_status failure_of_read(struct exec *exec)
{
    return refused(exec, WR_READ_FAILURE, WR_REASON_UNKNOWN, "/127.0.0.1:7000", NULL);
}

enum wr_status failure_of_tombstones(struct exec *exec)
{
    return refused(exec, WR_READ_FAILURE, WR_REASON_TOMBSTONES, "/127.0.0.1:7000", NULL);
}

enum wr_status failure_of_write(struct exec *exec, const char *write_type)
{
    return refused(exec, WR_WRITE_FAILURE, WR_REASON_UNKNOWN, "localhost/127.0.0.1:7000", write_type);
}

struct wr_failure failure_of(const struct ctx *ctx)
{
    return ctx->failure ? *ctx->failure : (struct wr_failure){ .status = ctx->failed };
}

static bool copy_string(struct ctx *ctx, const char **string)
{
    return !*string || (*string = ctx_string(ctx, slice_str(*string)));
}

static bool copy_strings(struct ctx *ctx, struct wr_failure *f)
{
    const char **types = NEW_ARRAY(ctx, const char *, f->argument_count);
    bool copied =
        types && copy_string(ctx, &f->keyspace) && copy_string(ctx, &f->name) && copy_string(ctx, &f->write_type);
    for (uint32_t i = 0; i < f->argument_count && copied; i++) {
        types[i] = f->argument_types[i];
        copied = copy_string(ctx, &types[i]);
    }
    f->argument_types = types;
    return copied;
}

enum wr_status failure_pass(struct ctx *to, const struct ctx *from, enum wr_status failed)
{
    struct wr_failure details = failure_of(from);
    bool kept = from->failure && copy_strings(to, &details);
    enum wr_status st = fail(to, failed, "%s", from->error);
    return kept && st == failed ? failure_attach(to, details) : st;
}

enum wr_status fail_class_cast(struct ctx *ctx, const char *from, const char *to)
{
    return fail(ctx, WR_SERVER_ERROR,
                "java.lang.ClassCastException: class org.apache.cassandra.%s cannot be cast to class org.apache.cassandra.%s "
                "(org.apache.cassandra.%s and org.apache.cassandra.%s are in unnamed module of loader 'app')",
                from, to, from, to);
}

enum wr_status fail_type_cast(struct ctx *ctx, const struct type *from, const char *to)
{
    const char *class = ctx_format(ctx, "db.marshal.%.*s", SLICE_ARG(type_class_name(from)));
    const char *wanted = ctx_format(ctx, "db.marshal.%s", to);
    return class && wanted ? fail_class_cast(ctx, class, wanted) : WR_NOMEM;
}

enum wr_status fail_no_bytes(struct ctx *ctx)
{
    return fail(ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException");
}

enum wr_status fail_null_value(struct ctx *ctx)
{
    return fail(ctx, WR_SERVER_ERROR, "java.lang.NullPointerException: Cannot invoke \"java.nio.ByteBuffer.remaining()\" because \"value\" is null");
}

enum wr_status fail_composed_null(struct ctx *ctx, const char *method, const char *type)
{
    return fail(ctx, WR_SERVER_ERROR,
                "java.lang.NullPointerException: Cannot invoke \"java.lang.%s\" because the return value of "
                "\"org.apache.cassandra.db.marshal.%s.compose(java.nio.ByteBuffer)\" is null",
                method, type);
}
