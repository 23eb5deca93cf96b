/*
 * func_json.c - to_json(any) and from_json(text), whose result is whatever takes it.
 */
#include "model/failure.h"
#include "model/func.h"
#include "model/json.h"

static enum wr_status to_json(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct type *type = call->func->args[0];
    struct buf buf;

    buf_init(&buf, call->ctx->arena);
    if (type_reads_null(type, args[0]))
        buf_put_str(&buf, "null");
    else
        type_print_json(&buf, type, args[0]);
    if (buf.len > VALUE_BYTES_MAX) /* to_json(to_json(..)) doubles with each quote it escapes */
        return fail(call->ctx, WR_INVALID, "The result of function system.%s is longer than %u bytes", call->func->name,
                    VALUE_BYTES_MAX);
    return buf_done(call->ctx, &buf, out);
}

enum wr_status func_make_to_json(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                 struct func *out)
{
    (void)ctx, (void)e, (void)receiver;
    out->result = type_native(TYPE_TEXT);
    out->call = to_json;
    return WR_OK;
}

static enum wr_status from_json(const struct call *call, const struct slice *args, struct slice *out)
{
    struct ctx *ctx = call->ctx;
    const struct type *result = call->func->result;
    const struct json *json;
    enum wr_status st;
    char *why;

    TRY(ctx_copy(ctx, args[0], out)); /* the parsed document may borrow from it */
    st = json_parse(ctx, *out, true, &json);
    if (st == WR_OK)
        st = json_to_value(ctx, result, json, out);
    else if (st == WR_INVALID) {
        if (!(why = ctx_format(ctx, "%s", ctx->error)))
            return WR_NOMEM;
        fail(ctx, WR_FUNCTION_FAILURE, "execution of 'system.%s[text]' failed: Could not decode JSON string '%.*s': %s",
             call->func->name, SLICE_ARG(args[0]), why);
        return failure_of_function(ctx, call->func);
    }
    if (st == WR_OK && !slice_is_null(*out) && !out->len && !type_allows_empty(result)) /* FunctionCall.executeInternal, of an empty text */
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.RuntimeException: Return of function system.%s : (text) -> %s () is not a valid value for its declared return "
                    "type %s",
                    call->func->name, type_name(ctx, result), type_name(ctx, result));
    if (st != WR_INVALID || ctx->error_stands)
        return st;
    if (!(why = ctx_format(ctx, "%s", ctx->error)))
        return WR_NOMEM;
    fail(ctx, WR_FUNCTION_FAILURE, "org.apache.cassandra.serializers.MarshalException: %s", why);
    return failure_of_function(ctx, call->func);
}

enum wr_status func_make_from_json(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                   struct func *out)
{
    (void)e;
    if (!receiver)
        return fail(ctx, WR_INVALID, "%s() cannot be used in the selection clause of a SELECT statement", out->name);
    out->result = receiver;
    out->call = from_json;
    return WR_OK;
}
