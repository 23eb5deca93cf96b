/* java.lang.System: its clocks, arraycopy, and what a server's security manager keeps bodies from. */
#include <stdio.h>

#include "engine/clock.h"
#include "model/java/lib.h"

JAVA_CALL(system_time)
{
    struct clock clock;
    JAVA_UNUSED;
    clock_init(&clock);
    out->i = method->variant ? clock_monotonic_ns() : clock_now_us(&clock) / 1000;
    return true;
}

JAVA_CALL(system_newline)
{
    JAVA_UNUSED;
    return java_string_of_utf8(run, slice_str("\n"), &out->o);
}

JAVA_CALL(system_nothing)
{
    JAVA_UNUSED;
    return true;
}

/* ---- arraycopy ---- */

/* `int[4]` of an array, `object array[4]` of one of objects; without a length where that is NULL. */
static const char *array_text(struct java_run *run, const struct java_object *array, const uint32_t *length)
{
    const char *of = java_is_primitive(array->array.element) ? java_class_full_name(array->array.element->kind) : "object array";
    return length ? ctx_format(run->ctx, "%s[%u]", of, *length) : ctx_format(run->ctx, "%s[]", of);
}

static bool check_range(struct java_run *run, const char *what, const struct java_object *array, int64_t from, int64_t length)
{
    const char *text = array_text(run, array, &array->array.count);
    if (from >= 0 && from + length <= array->array.count)
        return true;
    if (from < 0)
        return java_throw(run, J_ARRAY_INDEX, "arraycopy: %s index %d out of bounds for %s", what, (int)from, text ? text : "?");
    return java_throw(run, J_ARRAY_INDEX, "arraycopy: last %s index %u out of bounds for %s", what, (unsigned)(from + length), text ? text : "?");
}

static bool check_arrays(struct java_run *run, const struct java_object *from, const struct java_object *to)
{
    if (!from || !to)
        return java_throw(run, J_NULL_POINTER, NULL);
    if (from->kind != J_ARRAY || to->kind != J_ARRAY)
        return java_throw(run, J_ARRAY_STORE, "arraycopy: %s type %s is not an array", from->kind != J_ARRAY ? "source" : "destination",
                          java_class_text(run, from->kind != J_ARRAY ? from : to));
    bool plain = java_is_primitive(from->array.element) || java_is_primitive(to->array.element);
    if (!plain || java_type_eq(from->array.element, to->array.element))
        return true;
    const char *a = array_text(run, from, NULL), *b = array_text(run, to, NULL);
    return java_throw(run, J_ARRAY_STORE, "arraycopy: type mismatch: can not copy %s into %s", a ? a : "?", b ? b : "?");
}

/* The elements one by one, up to the first that does not fit. */
static bool copy_objects(struct java_run *run, const struct java_object *from, int64_t at, struct java_object *to, int64_t to_at, int64_t length)
{
    for (int64_t i = 0; i < length; i++) {
        struct java_object *o = from->array.items[at + i].o;
        const struct java_type *element = to->array.element;
        struct java_type of = { o ? o->kind : J_NULL, { o && o->kind == J_ARRAY ? o->array.element : NULL, NULL }, false };
        if (!java_is_subtype(&of, element))
            return java_throw(run, J_ARRAY_STORE,
                              "arraycopy: element type mismatch: can not cast one of the elements of %s[] to the type of the destination array, %s",
                              java_binary_name(run->ctx, from->array.element), java_binary_name(run->ctx, element));
        to->array.items[to_at + i].o = o;
    }
    return true;
}

JAVA_CALL(system_copy)
{
    const struct java_object *from = args[0].o;
    struct java_object *to = args[2].o;
    int64_t at = args[1].i, to_at = args[3].i, length = args[4].i;
    JAVA_UNUSED;

    if (!check_arrays(run, from, to))
        return false;
    if (at >= 0 && to_at >= 0 && length < 0)
        return java_throw(run, J_ARRAY_INDEX, "arraycopy: length %d is negative", (int)length);
    if (!check_range(run, "source", from, at, length) || !check_range(run, "destination", to, to_at, length) ||
        !java_spend(run, (uint64_t)length / JAVA_COMPARED_AT_ONCE))
        return false;
    if (from != to && !java_is_primitive(from->array.element))
        return copy_objects(run, from, at, to, to_at, length);
    if (length)
        memmove(to->array.items + to_at, from->array.items + at, (size_t)length * sizeof *to->array.items);
    return true;
}

/* ---- what is denied ---- */

enum { DENIED_EXIT, DENIED_LIBRARY, DENIED_VARIABLE, DENIED_VARIABLES, DENIED_READ, DENIED_WRITE, DENIED_PROPERTIES };

/* The permission that it would take: of the class, for what is named, to do what (NULL: nothing in particular). */
static const struct {
    const char *class, *before, *action;
} permissions[] = {
    [DENIED_EXIT] = { "java.lang.RuntimePermission", "exitVM.", NULL },
    [DENIED_LIBRARY] = { "java.lang.RuntimePermission", "loadLibrary.", NULL },
    [DENIED_VARIABLE] = { "java.lang.RuntimePermission", "getenv.", NULL },
    [DENIED_VARIABLES] = { "java.lang.RuntimePermission", "getenv.*", NULL },
    [DENIED_READ] = { "java.util.PropertyPermission", "", "read" },
    [DENIED_WRITE] = { "java.util.PropertyPermission", "", "write" },
    [DENIED_PROPERTIES] = { "java.util.PropertyPermission", "*", "read,write" },
};

JAVA_CALL(system_denied)
{
    struct slice named = SLICE_EMPTY;
    const char *action = permissions[method->variant].action;
    char number[16];
    JAVA_UNUSED;

    bool printed = method->variant == DENIED_VARIABLE; /* a name that is null, too */
    if (method->args[0] == J_STRING && !args[0].o && !printed)
        return java_throw(run, J_NULL_POINTER, method->variant >= DENIED_READ ? "key can't be null" : NULL);
    if (method->args[0] == J_STRING && !args[0].o)
        named = SLICE_LIT("null");
    else if (method->args[0] == J_STRING && !java_utf8(run, args[0].o, &named))
        return false;
    if (method->args[0] == J_INT)
        named = slice_of((const uint8_t *)number, (size_t)snprintf(number, sizeof number, "%d", (int)args[0].i));
    return java_throw(run, J_ACCESS_CONTROL, "access denied (\"%s\" \"%s%.*s\"%s%s%s)", permissions[method->variant].class,
                      permissions[method->variant].before, SLICE_ARG(named), action ? " \"" : "", action ? action : "", action ? "\"" : "");
}

/* ---- the table ---- */

const struct java_method java_system_methods[] = {
    { J_SYSTEM, "currentTimeMillis", J_LONG, { 0 }, JAVA_STATIC, system_time, 0 },
    { J_SYSTEM, "nanoTime", J_LONG, { 0 }, JAVA_STATIC, system_time, 1 },
    { J_SYSTEM, "lineSeparator", J_STRING, { 0 }, JAVA_STATIC, system_newline, 0 },
    { J_SYSTEM, "console", J_OBJECT, { 0 }, JAVA_STATIC | JAVA_MISSING, NULL, JAVA_MISSING_CONSOLE },
    { J_SYSTEM, "gc", J_VOID, { 0 }, JAVA_STATIC, system_nothing, 0 },
    { J_SYSTEM, "arraycopy", J_VOID, { J_OBJECT, J_INT, J_OBJECT, J_INT, J_INT }, JAVA_STATIC, system_copy, 0 },
    { J_SYSTEM, "exit", J_VOID, { J_INT }, JAVA_STATIC, system_denied, DENIED_EXIT },
    { J_SYSTEM, "load", J_VOID, { J_STRING }, JAVA_STATIC, system_denied, DENIED_LIBRARY },
    { J_SYSTEM, "loadLibrary", J_VOID, { J_STRING }, JAVA_STATIC, system_denied, DENIED_LIBRARY },
    { J_SYSTEM, "getenv", J_STRING, { J_STRING }, JAVA_STATIC, system_denied, DENIED_VARIABLE },
    { J_SYSTEM, "getenv", J_MAP, { 0 }, JAVA_STATIC, system_denied, DENIED_VARIABLES },
    { J_SYSTEM, "getProperty", J_STRING, { J_STRING }, JAVA_STATIC, system_denied, DENIED_READ },
    { J_SYSTEM, "getProperty", J_STRING, { J_STRING, J_STRING }, JAVA_STATIC, system_denied, DENIED_READ },
    { J_SYSTEM, "setProperty", J_STRING, { J_STRING, J_STRING }, JAVA_STATIC, system_denied, DENIED_WRITE },
    { J_SYSTEM, "clearProperty", J_STRING, { J_STRING }, JAVA_STATIC, system_denied, DENIED_WRITE },
    { J_SYSTEM, "getProperties", J_MAP, { 0 }, JAVA_STATIC, system_denied, DENIED_PROPERTIES },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
