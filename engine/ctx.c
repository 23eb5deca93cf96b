#include "engine/ctx.h"

#include "engine/format.h"

void ctx_init(struct ctx *ctx, struct arena *arena)
{
    memset(ctx, 0, offsetof(struct ctx, error));
    ctx->error[0] = '\0';
    ctx->arena = arena;
    ctx->notes = arena;
    ctx->error_offset = SIZE_MAX;
}

static const char no_memory[] = "out of memory";

/* What there was no memory for may be why, or be missing in the message. The disk's failures are its own. */
static bool is_of_memory(const struct ctx *ctx, enum wr_status status)
{
    return ctx_lacked(ctx) && status != WR_IO && status != WR_FULL;
}

enum wr_status fail(struct ctx *ctx, enum wr_status status, const char *format, ...)
{
    va_list args;

    if (is_of_memory(ctx, status)) {
        status = WR_NOMEM;
        format = no_memory;
    }
    va_start(args, format);
    format_message(ctx->error, sizeof ctx->error, format, args);
    va_end(args);
    ctx->failed = status;
    ctx->failure = NULL;
    ctx->error_stands = false;
    ctx->error_waits = false;
    return status;
}

enum wr_status fail_corrupt(struct ctx *ctx, const char *what)
{
    return fail(ctx, WR_CORRUPT, "the database is damaged: %s", what);
}

enum wr_status fail_nomem(struct ctx *ctx)
{
    return fail(ctx, WR_NOMEM, no_memory);
}

enum wr_status ctx_tell_lack(struct ctx *ctx, enum wr_status st)
{
    if (is_of_memory(ctx, st))
        st = fail_nomem(ctx);
    ctx->arena->lacked = ctx->notes->lacked = false;
    return st;
}

enum wr_status fail_interrupted(struct ctx *ctx)
{
    return fail(ctx, WR_INTERRUPTED, "interrupted");
}

void *ctx_alloc_large(struct ctx *ctx, size_t n)
{
    void *p = arena_alloc(ctx->arena, n);
    if (!p)
        fail_nomem(ctx);
    return p;
}

enum wr_status ctx_copy_to(struct ctx *ctx, struct arena *arena, struct slice from, struct slice *out)
{
    if (slice_is_null(from)) {
        *out = SLICE_NULL;
        return WR_OK;
    }
    uint8_t *bytes = arena_alloc_raw(arena, from.len);
    if (!bytes)
        return fail_nomem(ctx);
    if (from.len)
        memcpy(bytes, from.data, from.len);
    *out = slice_of(bytes, from.len);
    return WR_OK;
}

enum wr_status ctx_copy(struct ctx *ctx, struct slice from, struct slice *out)
{
    return ctx_copy_to(ctx, ctx->arena, from, out);
}

enum wr_status ctx_next_bytes(struct ctx *ctx, struct slice at, struct slice *out)
{
    uint8_t *bytes = arena_alloc_raw(ctx->arena, at.len + 1);
    if (!bytes)
        return fail_nomem(ctx);
    if (at.len)
        memmove(bytes, at.data, at.len);
    bytes[at.len] = 0;
    *out = slice_of(bytes, at.len + 1);
    return WR_OK;
}

char *ctx_string(struct ctx *ctx, struct slice from)
{
    char *text = ctx_alloc_room(ctx, 1, from.len + 1);
    if (!text)
        return NULL;
    if (from.len)
        memcpy(text, from.data, from.len);
    text[from.len] = '\0';
    return text;
}

char *ctx_name(struct ctx *ctx, struct slice from)
{
    return from.len && memchr(from.data, 0, from.len) ? ctx_format(ctx, "%.*s", SLICE_ARG(from)) : ctx_string(ctx, from);
}

static char *format_args(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t len = format_message(NULL, 0, format, args);
    char *text = arena_alloc_raw(arena, len + 1);
    if (text)
        format_message(text, len + 1, format, again);
    va_end(again);
    return text;
}

char *ctx_vformat(struct ctx *ctx, const char *format, va_list args)
{
    char *text = format_args(ctx->arena, format, args);
    if (!text)
        fail_nomem(ctx);
    return text;
}

char *ctx_format(struct ctx *ctx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = ctx_vformat(ctx, format, args);
    va_end(args);
    return text;
}

void ctx_warn(struct ctx *ctx, const char *format, ...)
{
    struct warning **last = &ctx->warnings;
    struct warning *w = arena_alloc(ctx->notes, sizeof *w);
    va_list args;
    va_start(args, format);
    char *text = format_args(ctx->notes, format, args);
    va_end(args);
    if (!w || !text)
        return;
    w->text = text;
    while (*last)
        last = &(*last)->next;
    *last = w;
}
