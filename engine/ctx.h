/*
 * ctx.h - what every call that can fail is given: the statement's memory, its time, and the place for an error's text.
 *
 * The place that knows what went wrong writes the message, once, with fail(); everybody else passes the status up with TRY.
 * A function that holds nothing uses TRY; one that holds a transaction or a cursor uses TRY_OUT and a single "out:".
 */
#ifndef WR_ENGINE_CTX_H
#define WR_ENGINE_CTX_H

#include <stdarg.h>
#include <stdatomic.h>

#include "engine/arena.h"
#include "engine/limits.h"
#include "wr_status.h"

struct wr_failure; /* widerow.h: what clients are told beside an error's text. Here it is only carried */

struct warning {
    struct warning *next;
    const char *text; /* in ctx->notes */
};

struct ctx {
    struct arena *arena;         /* borrowed: the statement's */
    uint32_t now_s;              /* the statement's time in seconds: what has expired */
    int64_t now_ms;              /* the clock's, when it is bound or run: what 'now' says as a timestamp */
    struct warning *warnings;    /* in order; emptied with `notes` by the statement's owner */
    struct arena *notes;         /* their memory, which is not rewound from row to row; ctx_init: the arena itself */
    enum wr_status failed;       /* the status of the last failure; WR_OK: none so far */
    const struct wr_failure *failure; /* its details, in the arena; NULL: it has none (model/failure.h) */
    const _Atomic uint32_t *interrupts; /* how often somebody has wanted what runs on a handle to end; NULL: nobody can */
    _Atomic uint32_t interrupts_before; /* when this began; fewer: it alone is to end */
    bool may_take_reserve;       /* what it writes frees space, or has been acknowledged: it goes into a full disk's last pages (reserve.h) */
    bool error_stands;           /* whoever passes the error on puts no words around it */
    bool error_waits;            /* it is one of who uses the value, not of who reads it */
    size_t error_offset;         /* for a syntax error: where in the text, in bytes; SIZE_MAX: nowhere */
    char error[ERROR_TEXT_MAX];  /* of the last failure, NUL-terminated UTF-8; a NUL in it is NUL_IN_MESSAGE (format.h) */
};

void ctx_init(struct ctx *ctx, struct arena *arena);

/* Writes the message, cut at ERROR_TEXT_MAX, and returns status. Details of a failure before it are forgotten. */
enum wr_status fail(struct ctx *ctx, enum wr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* For bugs of ours and bytes of a damaged file alike: WR_CORRUPT with the room's name. */
enum wr_status fail_corrupt(struct ctx *ctx, const char *what);
enum wr_status fail_nomem(struct ctx *ctx);

/* Whether there was no memory for something, whoever noticed. An error told since then is that one, whatever else it would have been. */
static inline bool ctx_lacked(const struct ctx *ctx)
{
    return ctx->arena->lacked || ctx->notes->lacked;
}
/* Before what ends well takes effect. */
static inline enum wr_status ctx_had_memory(struct ctx *ctx)
{
    return ctx_lacked(ctx) ? fail_nomem(ctx) : WR_OK;
}
/* What a call ends with that has gone as st says. What comes next begins anew. */
enum wr_status ctx_tell_lack(struct ctx *ctx, enum wr_status st);
static inline enum wr_status ctx_outcome(struct ctx *ctx, enum wr_status st)
{
    return ctx_lacked(ctx) ? ctx_tell_lack(ctx, st) : st;
}

/* At each step of a walk that may be long: WR_INTERRUPTED, where somebody wants it to end. */
enum wr_status fail_interrupted(struct ctx *ctx);
static inline enum wr_status ctx_go_on(struct ctx *ctx)
{
    bool wanted = ctx->interrupts && atomic_load_explicit(ctx->interrupts, memory_order_relaxed) !=
                                         atomic_load_explicit(&ctx->interrupts_before, memory_order_relaxed);
    return wanted ? fail_interrupted(ctx) : WR_OK;
}

/* Adds a warning for the client; one that finds no memory is one that ctx_lacked. */
void ctx_warn(struct ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zero-filled memory of the statement, or NULL after fail_nomem: `if (!(p = NEW(ctx, struct row))) return WR_NOMEM;` */
#define NEW(ctx, type) ((type *)ctx_alloc((ctx), sizeof(type)))
#define NEW_ARRAY(ctx, type, n) ((type *)ctx_alloc_array((ctx), sizeof(type), (n)))
/* The same without the zeroes, for what is written at once. */
#define NEW_ROOM(ctx, type, n) ((type *)ctx_alloc_room((ctx), sizeof(type), (n)))

static inline void *ctx_alloc_room(struct ctx *ctx, size_t size, size_t n)
{
    void *p = n > SIZE_MAX / size ? NULL : arena_alloc_raw(ctx->arena, size * n);
    if (!p)
        fail_nomem(ctx);
    return p;
}

static inline void *ctx_alloc_array(struct ctx *ctx, size_t size, size_t n)
{
    void *p = ctx_alloc_room(ctx, size, n);
    return p ? memset(p, 0, size * n) : NULL;
}

void *ctx_alloc_large(struct ctx *ctx, size_t n);

static inline void *ctx_alloc(struct ctx *ctx, size_t n)
{
    if (__builtin_constant_p(n) && n > 128) /* what compilers make of such a memset is slower than the library's */
        return ctx_alloc_large(ctx, n);
    return ctx_alloc_array(ctx, 1, n);
}

/* Copies into the statement's memory, or into another arena. A null slice stays null. */
enum wr_status ctx_copy(struct ctx *ctx, struct slice from, struct slice *out);
enum wr_status ctx_copy_to(struct ctx *ctx, struct arena *arena, struct slice from, struct slice *out);
/* The bytes that come next in their order: these, and a zero. They may lie in what has just been given back to the arena. */
enum wr_status ctx_next_bytes(struct ctx *ctx, struct slice at, struct slice *out);

/* A NUL-terminated copy; NULL after fail_nomem. */
char *ctx_string(struct ctx *ctx, struct slice from);
char *ctx_name(struct ctx *ctx, struct slice from); /* in which a NUL is NUL_IN_MESSAGE (format.h) */
char *ctx_format(struct ctx *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *ctx_vformat(struct ctx *ctx, const char *format, va_list args);

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum wr_status st_ = (call);                                                                                   \
        if (st_ != WR_OK)                                                                                              \
            return st_;                                                                                                \
    } while (0)
#define TRY_OUT(call)                                                                                                  \
    do {                                                                                                               \
        st = (call);                                                                                                   \
        if (st != WR_OK)                                                                                               \
            goto out;                                                                                                  \
    } while (0)

#endif
