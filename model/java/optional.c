/* java.util.Optional: an entry's value, NULL where there is none. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"

JAVA_CALL(optional_new)
{
    struct java_object *value = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;
    if (method->variant && !java_check_argument(run, value))
        return false;
    if (!(out->o = java_new(run, J_OPTIONAL)))
        return false;
    out->o->entry.value = value;
    return java_check_nesting(run, value, out->o);
}

JAVA_CALL(optional_get)
{
    JAVA_UNUSED;
    out->o = self->o->entry.value;
    return out->o || java_throw(run, J_NO_SUCH_ELEMENT, "No value present");
}

JAVA_CALL(optional_or)
{
    JAVA_UNUSED;
    out->o = self->o->entry.value ? self->o->entry.value : args[0].o;
    return true;
}

JAVA_CALL(optional_is)
{
    JAVA_UNUSED;
    out->i = (self->o->entry.value != NULL) == method->variant;
    return true;
}

static bool optional_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return java_equals(run, a->entry.value, b->entry.value);
}

static uint32_t optional_hash(struct java_run *run, const struct java_object *o)
{
    return (uint32_t)java_hash_code(run, o->entry.value);
}

static bool optional_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    if (!o->entry.value) {
        java_put_ascii(utf16, "Optional.empty", 14);
        return true;
    }
    java_put_ascii(utf16, "Optional[", 9);
    if (!java_print(run, utf16, o->entry.value))
        return false;
    java_put_ascii(utf16, "]", 1);
    return true;
}

/* There is one that is empty. */
static bool optional_same(const struct java_object *a, const struct java_object *b)
{
    return !a->entry.value && !b->entry.value;
}

const struct java_object_ops java_optional_ops = { .same = optional_same, .equals = optional_equals, .hash = optional_hash, .print = optional_print };

const struct java_method java_optional_methods[] = {
    { J_OPTIONAL, "of", JX_OPTIONAL_OF_ARGUMENTS, { J_OBJECT }, JAVA_STATIC, optional_new, 1 },
    { J_OPTIONAL, "ofNullable", JX_OPTIONAL_OF_ARGUMENTS, { J_OBJECT }, JAVA_STATIC, optional_new, 0 },
    { J_OPTIONAL, "empty", J_OPTIONAL, { 0 }, JAVA_STATIC, optional_new, 0 },
    { J_OPTIONAL, "get", JX_FIRST, { 0 }, 0, optional_get, 0 },
    { J_OPTIONAL, "orElse", JX_FIRST, { JX_FIRST }, 0, optional_or, 0 },
    { J_OPTIONAL, "isPresent", J_BOOLEAN, { 0 }, 0, optional_is, 1 },
    { J_OPTIONAL, "isEmpty", J_BOOLEAN, { 0 }, 0, optional_is, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
