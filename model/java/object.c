/* A run's memory and time, its objects, and what it throws. */
#include "model/java/object.h"

#include "engine/clock.h"

enum {
    RUN_BYTES_MAX = 64 << 20,
    RUN_HELD_MAX = 512 << 20,  /* with what texts needed while they were made, which nothing gives back before the run ends */
    RUN_MS_MAX = 1500,         /* user_defined_functions_fail_timeout */
    WORK_BETWEEN_LOOKS = 4096, /* at the clock */
    ALIGNED = 16,
};

bool java_ok(struct java_run *run, enum wr_status st)
{
    if (st != WR_OK)
        run->thrown = NULL;
    return st == WR_OK;
}

/* Nothing of the run goes on, nor catches that; ctx has the error. */
static bool end_run(struct java_run *run)
{
    run->exhausted = true;
    run->thrown = NULL;
    return false;
}

bool java_spend(struct java_run *run, uint64_t work)
{
    if (run->exhausted)
        return false;
    if (work < WORK_BETWEEN_LOOKS && (run->spent += (uint32_t)work) < WORK_BETWEEN_LOOKS)
        return true;
    run->spent = 0;
    int64_t now_ns = clock_monotonic_ns();
    if (!run->began_ns)
        run->began_ns = now_ns;
    if (ctx_go_on(run->ctx) != WR_OK)
        return end_run(run);
    if (run->ctx->arena->held > run->held + RUN_HELD_MAX)
        return java_out_of_memory(run);
    if (now_ns - run->began_ns <= RUN_MS_MAX * INT64_C(1000000))
        return true;
    fail(run->ctx, WR_FUNCTION_FAILURE, "User defined function ran longer than %dms", RUN_MS_MAX);
    return end_run(run);
}

bool java_out_of_memory(struct java_run *run)
{
    if (!run->exhausted)
        fail(run->ctx, WR_FUNCTION_FAILURE, "%s: Java heap space", java_class_full_name(J_OUT_OF_MEMORY));
    return end_run(run);
}

bool java_charge(struct java_run *run, size_t bytes)
{
    run->allocated += bytes;
    return run->allocated <= RUN_BYTES_MAX || java_out_of_memory(run);
}

bool java_check_text(struct java_run *run, const struct buf *utf16)
{
    return utf16->len <= RUN_BYTES_MAX || java_out_of_memory(run);
}

void *java_alloc(struct java_run *run, size_t bytes)
{
    if (!java_charge(run, (bytes | (ALIGNED - 1)) + 1)) /* what the arena gives for it */
        return NULL;
    void *p = ctx_alloc_array(run->ctx, 1, bytes ? bytes : 1);
    if (!p)
        run->thrown = NULL;
    return p;
}

struct java_object *java_new(struct java_run *run, enum java_kind kind)
{
    struct java_object *o = java_alloc(run, sizeof *o);
    if (o)
        o->kind = kind;
    return o;
}

/* ---- throwing ---- */

bool java_throw(struct java_run *run, enum java_kind kind, const char *format, ...)
{
    struct java_object *o = java_new(run, kind);
    char *text = NULL;
    va_list args;

    if (!o)
        return false;
    if (format) {
        va_start(args, format);
        text = ctx_vformat(run->ctx, format, args);
        va_end(args);
        if (!java_ok(run, text ? WR_OK : WR_NOMEM) || !java_string_of_utf8(run, slice_str(text), &o->thrown.message))
            return false;
    }
    run->thrown = o;
    return false;
}

static bool is_of_base(const char *name)
{
    return name[0] == '[' || strncmp(name, "java.", 5) == 0;
}

bool java_throw_cast(struct java_run *run, const char *from, const char *to)
{
    if (!is_of_base(from) || !is_of_base(to))
        return java_throw(run, J_CLASS_CAST, "class %s cannot be cast to class %s", from, to);
    return java_throw(run, J_CLASS_CAST,
                      "class %s cannot be cast to class %s (%s and %s are in module java.base of loader 'bootstrap')",
                      from, to, from, to);
}
