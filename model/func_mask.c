/*
 * func_mask.c - mask_null, mask_default, mask_replace, mask_inner, mask_outer and mask_hash: what a masked column
 * shows, as functions anybody may call.
 */
#include "engine/coding.h"
#include "model/digest.h"
#include "model/func.h"
#include "model/type.h"
#include "model/unicode.h"

/* ---- mask_default ---- */

static const struct slice *fixed_mask(enum type_kind kind)
{
#define MASK(text)                                                                                                     \
    {                                                                                                                  \
        (const uint8_t *)(text), sizeof(text) - 1                                                                      \
    }
    static const struct slice masks[TYPE_KIND_COUNT] = {
        [TYPE_ASCII] = MASK("****"),
        [TYPE_TEXT] = MASK("****"),
        [TYPE_BLOB] = MASK(""),
        [TYPE_EMPTY] = MASK(""),
        [TYPE_BOOLEAN] = MASK("\0"),
        [TYPE_TINYINT] = MASK("\0"),
        [TYPE_SMALLINT] = MASK("\0\0"),
        [TYPE_INT] = MASK("\0\0\0\0"),
        [TYPE_FLOAT] = MASK("\0\0\0\0"),
        [TYPE_BIGINT] = MASK("\0\0\0\0\0\0\0\0"),
        [TYPE_COUNTER] = MASK("\0\0\0\0\0\0\0\0"),
        [TYPE_DOUBLE] = MASK("\0\0\0\0\0\0\0\0"),
        [TYPE_TIME] = MASK("\0\0\0\0\0\0\0\0"),
        [TYPE_TIMESTAMP] = MASK("\0\0\0\0\0\0\0\0"),
        [TYPE_DATE] = MASK("\x80\0\0\0"),
        [TYPE_VARINT] = MASK("\0"),
        [TYPE_DECIMAL] = MASK("\0\0\0\0\0"),
        [TYPE_DURATION] = MASK("\0\0\0"),
        [TYPE_INET] = MASK("\0\0\0\0"),
        [TYPE_UUID] = MASK("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        [TYPE_LEXICAL_UUID] = MASK("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        [TYPE_TIMEUUID] = MASK("\x13\x81\x40\0\x1d\xd2\x11\xb2\x80\x80\x80\x80\x80\x80\x80\x80"),
        [TYPE_LIST] = MASK("\0\0\0\0"),
        [TYPE_SET] = MASK("\0\0\0\0"),
        [TYPE_MAP] = MASK("\0\0\0\0"),
    };
#undef MASK
    return masks[kind].data ? &masks[kind] : NULL;
}

/* Types nest as deep as bind_type lets them. */
static enum wr_status default_mask(struct ctx *ctx, const struct type *type, struct slice *out)
{
    const struct slice *fixed = fixed_mask(type->kind);
    bool vector = type->kind == TYPE_VECTOR;
    uint32_t n = vector ? type->dimension : type->arg_count;
    struct slice *parts;

    if (fixed) {
        *out = *fixed;
        return WR_OK;
    }
    if (!type_has_fields(type) && !vector)
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.UnsupportedOperationException: There isn't a defined masked value for type %s",
                    type_name(ctx, type));
    if (!(parts = NEW_ARRAY(ctx, struct slice, n)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (vector && i > 0)
            parts[i] = parts[0];
        else
            TRY(default_mask(ctx, type->args[i], &parts[i]));
    }
    return type_pack(ctx, type, parts, n, out);
}

static enum wr_status mask_default(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)args;
    return default_mask(call->ctx, call->func->result, out);
}

/* ---- mask_null, mask_replace ---- */

static enum wr_status mask_null(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)call, (void)args;
    *out = SLICE_NULL;
    return WR_OK;
}

static enum wr_status mask_replace(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)call;
    *out = args[1];
    return WR_OK;
}

/* ---- mask_inner, mask_outer: by UTF-16 units, as Java counts characters. Half of a surrogate pair, the other being masked,
 * is what String.getBytes makes of one ---- */

static size_t character_bytes(uint8_t first)
{
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static int64_t int_argument(struct slice value)
{
    return value.len == 4 ? (int32_t)read_u32(value.data) : 0; /* null: 0 */
}

static bool is_masked(bool inner, int64_t at, int64_t begin, int64_t end)
{
    bool between = at >= begin && at <= end;
    return inner ? between : !between;
}

static enum wr_status mask_part(const struct call *call, const struct slice *args, struct slice *out)
{
    bool inner = call->func->variant == MASK_INNER;
    const struct slice half = SLICE_LIT("?");
    struct slice text = args[0], padding = SLICE_LIT("*");
    int64_t begin, end, at = 0;
    struct buf buf;

    if (call->func->arg_count == 4 && !slice_is_null(args[3])) {
        padding = args[3];
        if (unicode_java_length(padding) != 1)
            return fail(call->ctx, WR_INVALID,
                        "The padding argument for function system.%s should be single-character, but '%.*s' has %zu "
                        "characters.",
                        call->func->name, SLICE_ARG(padding), unicode_java_length(padding));
    }
    *out = text;
    if (slice_is_null(text) || text.len == 0)
        return WR_OK;
    if (call->func->result->kind == TYPE_ASCII && padding.data[0] >= 0x80)
        padding = half; /* and of what the charset does not have */
    begin = int_argument(args[1]);
    end = (int64_t)unicode_java_length(text) - 1 - int_argument(args[2]);
    buf_init(&buf, call->ctx->arena);
    for (size_t i = 0, n; i < text.len; i += n) {
        int64_t units = text.data[i] >= 0xF0 ? 2 : 1;
        n = character_bytes(text.data[i]);
        bool first = is_masked(inner, at, begin, end), last = is_masked(inner, at + units - 1, begin, end);
        if (!first && !last)
            buf_put(&buf, text.data + i, n);
        else
            buf_put_slice(&buf, first ? padding : half);
        if (units == 2 && (first || last))
            buf_put_slice(&buf, last ? padding : half);
        at += units;
    }
    return buf_done(call->ctx, &buf, out);
}

/* ---- mask_hash ---- */

static enum wr_status mask_hash(const struct call *call, const struct slice *args, struct slice *out)
{
    struct slice name = call->func->arg_count == 2 && !slice_is_null(args[1]) ? args[1] : SLICE_LIT("SHA-256");
    const struct digest *digest = digest_find(name);
    uint8_t *hash;

    if (!digest)
        return fail(call->ctx, WR_INVALID, "Hash algorithm not found: %.*s", SLICE_ARG(name));
    *out = SLICE_NULL;
    if (slice_is_null(args[0]))
        return WR_OK;
    if (!(hash = ctx_alloc(call->ctx, digest_bytes(digest))))
        return WR_NOMEM;
    digest_of(digest, args[0], hash);
    *out = slice_of(hash, digest_bytes(digest));
    return WR_OK;
}

enum wr_status func_make_mask(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                              struct func *out)
{
    static func_call *const calls[] = {
        [MASK_NULL] = mask_null,  [MASK_DEFAULT] = mask_default, [MASK_REPLACE] = mask_replace,
        [MASK_INNER] = mask_part, [MASK_OUTER] = mask_part,      [MASK_HASH] = mask_hash,
    };

    (void)ctx, (void)receiver;
    out->result = e->variant == MASK_HASH ? type_native(TYPE_BLOB) : out->args[0];
    out->call = calls[e->variant];
    return WR_OK;
}
