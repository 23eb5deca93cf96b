/* java.lang.Class: what getClass() and String.class give. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"

JAVA_CALL_PUBLIC(java_get_class)
{
    struct java_object *o = java_new(run, J_CLASS);
    JAVA_UNUSED;
    if (!o)
        return false;
    o->described = self->o->kind == J_ARRAY ? java_array_of(run->ctx, self->o->array.element) : java_simple(self->o->kind);
    out->o = o;
    return java_ok(run, o->described ? WR_OK : WR_NOMEM);
}

/* `Entry` of java.util.Map$Entry; of an array with its brackets. */
static void put_simple_name(struct buf *text, const struct java_type *type)
{
    const struct java_type *of = type;
    while (of->kind == J_ARRAY)
        of = of->args[0];
    const char *name = java_class_full_name(of->kind);
    for (const char *at = name; *at; at++)
        if (*at == '.' || *at == '$')
            name = at + 1;
    buf_put_str(text, name);
    for (; type->kind == J_ARRAY; type = type->args[0])
        buf_put_str(text, "[]");
}

enum { NAME_BINARY, NAME_SIMPLE, NAME_TYPE };

JAVA_CALL(class_name)
{
    const struct java_type *type = self->o->described;
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    if (method->variant == NAME_SIMPLE)
        put_simple_name(&text, type);
    else if (method->variant == NAME_TYPE && type->kind == J_ARRAY)
        java_put_brackets(&text, type);
    else
        buf_put_str(&text, java_binary_name(run->ctx, type));
    return java_string_of_text(run, &text, &out->o);
}

static bool class_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    const char *before = java_is_primitive(o->described) || o->described->kind == J_VOID ? ""
                         : java_class_is_interface(o->described->kind)                 ? "interface "
                                                                                       : "class ";
    const char *name = java_binary_name(run->ctx, o->described);
    java_put_ascii(utf16, before, strlen(before));
    java_put_ascii(utf16, name, strlen(name));
    return true;
}

static bool class_same(const struct java_object *a, const struct java_object *b)
{
    return java_type_eq(a->described, b->described);
}

static bool class_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return class_same(a, b);
}

const struct java_object_ops java_class_ops = { .same = class_same, .equals = class_equals, .print = class_print };

enum { CLASS_IS_INTERFACE, CLASS_IS_ARRAY, CLASS_IS_PRIMITIVE };

JAVA_CALL(class_is)
{
    const struct java_type *type = self->o->described;
    JAVA_UNUSED;
    out->i = method->variant == CLASS_IS_INTERFACE ? java_class_is_interface(type->kind)
             : method->variant == CLASS_IS_ARRAY   ? type->kind == J_ARRAY
                                                   : java_is_primitive(type) || type->kind == J_VOID;
    return true;
}

JAVA_CALL(class_has)
{
    union java_value class;
    JAVA_UNUSED;
    if (!args[0].o) {
        out->i = false;
        return true;
    }
    if (!java_get_class(run, method, &args[0], NULL, &class))
        return false;
    out->i = java_is_subtype(class.o->described, self->o->described);
    return true;
}

/* Of what a server refuses before anybody runs it. */
JAVA_CALL(class_refused)
{
    JAVA_UNUSED;
    return java_throw(run, J_UNSUPPORTED, NULL);
}

const struct java_method java_class_methods[] = {
    { J_CLASS, "getName", J_STRING, { 0 }, 0, class_name, NAME_BINARY },
    { J_CLASS, "getSimpleName", J_STRING, { 0 }, 0, class_name, NAME_SIMPLE },
    { J_CLASS, "getTypeName", J_STRING, { 0 }, 0, class_name, NAME_TYPE },
    { J_CLASS, "isInterface", J_BOOLEAN, { 0 }, 0, class_is, CLASS_IS_INTERFACE },
    { J_CLASS, "isArray", J_BOOLEAN, { 0 }, 0, class_is, CLASS_IS_ARRAY },
    { J_CLASS, "isPrimitive", J_BOOLEAN, { 0 }, 0, class_is, CLASS_IS_PRIMITIVE },
    { J_CLASS, "isInstance", J_BOOLEAN, { J_OBJECT }, 0, class_has, 0 },
    { J_CLASS, "getPackage", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_PACKAGE },
    { J_CLASS, "getResource", J_OBJECT, { J_STRING }, JAVA_MISSING, NULL, JAVA_MISSING_URL },
    { J_CLASS, "forName", J_CLASS, { J_STRING }, JAVA_STATIC | JAVA_REFUSED | JAVA_THROWS(J_CLASS_NOT_FOUND), class_refused, 0 },
    { J_CLASS, "getClassLoader", J_CLASS_LOADER, { 0 }, JAVA_REFUSED, class_refused, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
