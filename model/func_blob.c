/*
 * func_blob.c - <type>_as_blob and blob_as_<type>: the same bytes under another type.
 */
#include "model/digit.h"
#include "model/func.h"

enum wr_status func_to_blob(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)call;
    *out = args[0];
    return WR_OK;
}

enum wr_status func_from_blob(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct type *type = type_native(call->func->result->kind); /* not as functions give it: FromBlobFunction asks the type itself */
    struct ctx *ctx = call->ctx;
    const char *name = call->func->name;
    enum wr_status st = slice_is_null(args[0]) ? WR_OK : type_validate(ctx, type, args[0]);
    struct buf hex;

    *out = args[0];
    if (st != WR_INVALID)
        return st;
    buf_init(&hex, ctx->arena);
    put_hex(&hex,
            args[0].len < ERROR_TEXT_MAX ? args[0] : slice_of(args[0].data, ERROR_TEXT_MAX)); /* more would be cut */
    return fail(ctx, WR_INVALID,
                "In call to function system.%s, value 0x%.*s is not a valid binary representation for type %s",
                name, SLICE_ARG(buf_slice(&hex)), /* the type, as the name has it: varchar is not text here */
                name + (strncmp(name, "blob_as_", 8) == 0 ? strlen("blob_as_") : strlen("blobas")));
}
