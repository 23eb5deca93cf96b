/*
 * Expressions of a checked tree are walked: each function gives false where something is thrown (run->thrown), or where
 * ctx has an error.
 */
#include <math.h>

#include "model/java/body.h"
#include "model/java/lib.h"
#include "model/real.h"

/* ---- nulls ---- */

static const char *const getters[] = { "booleanValue", "charValue", "byteValue",  "shortValue",
                                       "intValue",     "longValue", "floatValue", "doubleValue" };

/* Where the value of a conversion, of an assignment, or of a choice that is none, comes from; NULL: from the node. */
static const struct java_node *inner(const struct java_node *node)
{
    switch (node->op) {
    case JE_CONVERT:
    case JE_TAKEN:
        return node->a;
    case JE_ASSIGN:
        return node->c ? NULL : node->b;
    case JE_CONDITION:
        return !node->a->constant ? NULL : node->a->value.i ? node->b : node->c;
    default:
        return NULL;
    }
}

/* A local, an element of an array, a constant, the result of a call; false: none of these. */
static bool put_place(struct buf *text, const struct java_node *node)
{
    for (; inner(node); node = inner(node))
        if (node->op == JE_CONVERT && java_is_primitive(node->type) && java_is_reference(node->a->type)) {
            java_put_erased(text, node->a->type);
            buf_printf(text, ".%s()", getters[node->type->kind - J_BOOLEAN]);
            return true;
        }
    if (node->op == JE_LOCAL) {
        buf_printf(text, "<%s%u>", node->parameter ? "parameter" : "local", node->place);
    } else if (node->op == JE_DONE && node->type->kind == J_INT) {
        buf_printf(text, "%d", (int)node->value.i);
    } else if (node->op == JE_DONE && node->type->kind == J_NULL) {
        buf_put_str(text, "null");
    } else if (node->op == JE_INDEX && put_place(text, node->a)) {
        buf_put_u8(text, '[');
        if (!put_place(text, node->b))
            buf_put_str(text, "...");
        buf_put_u8(text, ']');
    } else if (node->op == JE_CALL) {
        java_put_method(text, node->a->type, node->method);
    } else {
        return false;
    }
    return true;
}

/* What a machine knows of where a null came from. */
static void put_origin(struct buf *text, const struct java_node *node)
{
    struct buf place;
    while (inner(node) && node->op != JE_TAKEN)
        node = inner(node);
    if (node->op == JE_LOCAL && !node->place &&
        node->type->kind == J_OBJECT) { /* what a loop over a collection has come to */
        buf_put_str(text, " because the return value of \"java.util.Iterator.next()\" is null");
        return;
    }
    if (node->op == JE_CALL) {
        buf_put_str(text, " because the return value of \"");
        java_put_method(text, node->a->type, node->method);
        buf_put_str(text, "\" is null");
        return;
    }
    buf_init(&place, text->arena);
    if (put_place(&place, node))
        buf_printf(text, " because \"%.*s\" is null", SLICE_ARG(buf_slice(&place)));
}

static bool throw_null(struct java_run *run, const struct java_node *of, struct buf *what)
{
    put_origin(what, of);
    buf_put_u8(what, 0);
    return java_throw(run, J_NULL_POINTER, "%s", what->failed ? "" : (const char *)what->data);
}

bool java_null_call(struct java_run *run, const struct java_node *of, const struct java_type *type, const char *method)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    buf_put_str(&text, "Cannot invoke \"");
    java_put_erased(&text, type);
    buf_printf(&text, ".%s()\"", method);
    return throw_null(run, of, &text);
}

bool java_null_text(struct java_run *run, const struct java_node *of, const char *what)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    buf_put_str(&text, what);
    return throw_null(run, of, &text);
}

/* ---- conversions ---- */

/* Of an array's elements: references to references, or the very same numbers. */
static bool elements_fit(const struct java_type *from, const struct java_type *to)
{
    return java_is_reference(from) ? java_is_reference(to) && java_is_subtype(from, to) : from->kind == to->kind;
}

static bool is_of(const struct java_object *o, const struct java_type *to)
{
    if (o->kind != J_ARRAY)
        return java_kind_extends(o->kind, to->kind);
    return to->kind == J_OBJECT || (to->kind == J_ARRAY && elements_fit(o->array.element, to->args[0]));
}

static bool cast_object(struct java_run *run, const struct java_object *o, const struct java_type *to)
{
    return !o || is_of(o, to) || java_throw_cast(run, java_class_text(run, o), java_binary_name(run->ctx, to));
}

static bool eval_convert(struct java_run *run, const struct java_node *node, union java_value *out)
{
    const struct java_type *from = node->a->type, *to = node->type;

    if (!java_eval(run, node->a, out))
        return false;
    if (java_is_primitive(from) && java_is_primitive(to)) {
        if (from->kind != to->kind)
            *out = java_convert_primitive(from->kind, to->kind, *out);
        return true;
    }
    if (java_is_primitive(from))
        return java_box(run, from, *out, &out->o);
    if (java_is_primitive(to)) {
        if (!out->o)
            return java_null_call(run, node->a, from, getters[to->kind - J_BOOLEAN]);
        *out = out->o->value;
        return true;
    }
    return cast_object(run, out->o, to);
}

/* ---- operators ---- */

static bool by_zero(struct java_run *run)
{
    return java_throw(run, J_ARITHMETIC, "/ by zero");
}

static bool integer_operator(struct java_run *run, enum java_operator op, enum java_kind kind, int64_t a, int64_t b,
                             int64_t *out)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b, v = 0;
    bool is_int = kind != J_LONG;
    unsigned by = (unsigned)b & (is_int ? 31 : 63);

    switch (op) {
    case JO_ADD:
        v = x + y;
        break;
    case JO_SUBTRACT:
        v = x - y;
        break;
    case JO_MULTIPLY:
        v = x * y;
        break;
    case JO_DIVIDE:
        if (!b)
            return by_zero(run);
        v = b == -1 ? -x : (uint64_t)(a / b);
        break;
    case JO_REMAINDER:
        if (!b)
            return by_zero(run);
        v = b == -1 ? 0 : (uint64_t)(a % b);
        break;
    case JO_SHIFT_LEFT:
        v = x << by;
        break;
    case JO_SHIFT_RIGHT:
        v = (uint64_t)(a >> by);
        break;
    case JO_SHIFT_UNSIGNED:
        v = is_int ? (uint64_t)((uint32_t)a >> by) : x >> by;
        break;
    case JO_AND:
        v = x & y;
        break;
    case JO_OR:
        v = x | y;
        break;
    case JO_XOR:
        v = x ^ y;
        break;
    default:
        break;
    }
    *out = kind == J_BOOLEAN ? (int64_t)v : java_narrow(is_int ? J_INT : J_LONG, (int64_t)v);
    return true;
}

static double on_reals(enum java_operator op, double a, double b)
{
    switch (op) {
    case JO_ADD:
        return a + b;
    case JO_SUBTRACT:
        return a - b;
    case JO_MULTIPLY:
        return a * b;
    case JO_DIVIDE:
        return a / b;
    case JO_REMAINDER:
        return fmod(a, b);
    default:
        return 0;
    }
}

static double real_operator(enum java_operator op, enum java_kind kind, double a, double b)
{
    double v = real_made(on_reals(op, a, b), a, b);
    return kind == J_FLOAT ? real_widen(real_narrow(v)) : v;
}

static bool related(enum java_operator op, int less, int equal, int greater)
{
    switch (op) {
    case JO_LESS:
        return less;
    case JO_LESS_EQUAL:
        return less || equal;
    case JO_GREATER:
        return greater;
    case JO_GREATER_EQUAL:
        return greater || equal;
    case JO_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static bool eval_binary(struct java_run *run, const struct java_node *node, union java_value *out)
{
    enum java_operator op = node->operator;
    enum java_kind kind = node->a->type->kind;
    union java_value a, b;

    if (!java_eval(run, node->a, &a))
        return false;
    if ((op == JO_BOTH && !a.i) || (op == JO_EITHER && a.i)) {
        out->i = a.i;
        return true;
    }
    if (!java_eval(run, node->b, &b))
        return false;
    if (op == JO_BOTH || op == JO_EITHER)
        out->i = b.i;
    else if (op >= JO_LESS && op <= JO_NOT_EQUAL)
        out->i = java_is_reference(node->a->type) ? related(op, 0, java_same(a.o, b.o), 0)
                 : java_kind_is_real(kind)        ? related(op, a.d<b.d, a.d == b.d, a.d> b.d)
                                                  : related(op, a.i<b.i, a.i == b.i, a.i> b.i);
    else if (java_kind_is_real(kind))
        out->d = real_operator(op, kind, a.d, b.d);
    else
        return integer_operator(run, op, kind, a.i, b.i, &out->i);
    return true;
}

static bool eval_unary(struct java_run *run, const struct java_node *node, union java_value *out)
{
    enum java_kind kind = node->type->kind;
    if (!java_eval(run, node->a, out))
        return false;
    if (node->operator == JO_NOT)
        out->i = !out->i;
    else if (node->operator == JO_COMPLEMENT)
        out->i = ~out->i;
    else if (node->operator == JO_NEGATE && java_kind_is_real(kind))
        out->d = -out->d;
    else if (node->operator == JO_NEGATE)
        out->i = java_narrow(kind, (int64_t)(0 - (uint64_t)out->i));
    return true;
}

static bool put_operand(struct java_run *run, const struct java_node *node, struct buf *text)
{
    union java_value v;
    if (!java_eval(run, node, &v))
        return false;
    if (java_is_reference(node->type))
        return java_print(run, text, v.o);
    java_print_primitive(text, node->type, v);
    return true;
}

static bool eval_concat(struct java_run *run, const struct java_node *node, union java_value *out)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    if (!put_operand(run, node->a, &text) || !put_operand(run, node->b, &text))
        return false;
    return java_string_of_units(run, &text, &out->o);
}

/* ---- places ---- */

/* The place of an array that an expression of it means. */
static bool find_place(struct java_run *run, const struct java_node *node, const struct java_object *array, int64_t at,
                       const char *what, union java_value **out)
{
    if (!array) {
        struct buf text;
        buf_init(&text, run->ctx->arena);
        buf_printf(&text, "Cannot %s ", what);
        if (node->type->kind == J_BYTE || node->type->kind == J_BOOLEAN)
            buf_put_str(&text, "byte/boolean");
        else if (java_is_primitive(node->type))
            java_put_erased(&text, node->type);
        else
            buf_put_str(&text, "object");
        buf_put_str(&text, " array");
        return throw_null(run, node->a, &text);
    }
    if (at < 0 || at >= array->array.count)
        return java_throw(run, J_ARRAY_INDEX, "Index %d out of bounds for length %u", (int)at, array->array.count);
    *out = &array->array.items[at];
    return true;
}

static bool eval_index(struct java_run *run, const struct java_node *node, union java_value *out)
{
    union java_value of, at, *place;
    if (!java_eval(run, node->a, &of) || !java_eval(run, node->b, &at) ||
        !find_place(run, node, of.o, at.i, "load from", &place))
        return false;
    *out = *place;
    return true;
}

/* An array that is known as one of a more general type keeps its own. */
static bool check_store(struct java_run *run, const struct java_object *array, const struct java_object *o)
{
    if (!java_is_reference(array->array.element) || !o || is_of(o, array->array.element))
        return true;
    return java_throw(run, J_ARRAY_STORE, "%s", java_class_text(run, o));
}

/* The value comes before the look at the place, but where the place's own value is needed for it. */
static bool eval_assign(struct java_run *run, const struct java_node *node, union java_value *out)
{
    bool local = node->a->op == JE_LOCAL, compound = node->c;
    union java_value of = { .o = NULL }, at, before = { .i = 0 }, *place = local ? &run->slots[node->a->slot] : NULL;

    if (!local && (!java_eval(run, node->a->a, &of) || !java_eval(run, node->a->b, &at)))
        return false;
    if (compound) {
        if (!local && !find_place(run, node->a, of.o, at.i, "load from", &place))
            return false;
        run->taken = before = *place;
    }
    if (!java_eval(run, node->b, out))
        return false;
    if (!local && ((!compound && !find_place(run, node->a, of.o, at.i, "store to", &place)) ||
                   (java_is_reference(node->type) && !check_store(run, of.o, out->o))))
        return false;
    *place = *out;
    if (node->postfix)
        *out = before;
    return true;
}

/* ---- what is made and called ---- */

/* Sizes of arrays within one another, outermost first. */
static bool new_arrays(struct java_run *run, const struct java_type *type, const int64_t *sizes, uint32_t count,
                       struct java_object **out)
{
    struct java_object *o = java_new(run, J_ARRAY);

    if (!o || !java_spend(run, 1))
        return false;
    o->array.element = type->args[0];
    o->array.count = (uint32_t)sizes[0];
    if (!(o->array.items = java_alloc(run, (o->array.count + 1u) * sizeof *o->array.items)))
        return false;
    for (uint32_t i = 0; count > 1 && i < o->array.count; i++)
        if (!new_arrays(run, type->args[0], sizes + 1, count - 1, &o->array.items[i].o))
            return false;
    *out = o;
    return true;
}

static bool eval_new_array(struct java_run *run, const struct java_node *node, union java_value *out)
{
    int64_t of_elements = node->count, *sizes = &of_elements;
    union java_value v;
    uint32_t count = 0, i = 0;

    for (const struct java_node *n = node->a; n; n = n->next)
        count++;
    if (count && !(sizes = java_alloc(run, count * sizeof *sizes)))
        return false;
    for (const struct java_node *n = node->a; n; n = n->next) {
        if (!java_eval(run, n, &v))
            return false;
        sizes[i++] = v.i;
    }
    for (i = 0; i < count; i++)
        if (sizes[i] < 0)
            return java_throw(run, J_NEGATIVE_SIZE, "%d", (int)sizes[i]);
    if (!new_arrays(run, node->type, sizes, count, &out->o))
        return false;
    struct java_object *o = out->o; /* out may be where an element reads */
    i = 0;
    for (const struct java_node *n = node->b; n; n = n->next)
        if (!java_eval(run, n, &o->array.items[i++]))
            return false;
    out->o = o;
    return true;
}

static bool eval_call(struct java_run *run, const struct java_node *node, union java_value *out)
{
    union java_value args[JAVA_ARGS_MAX], self = { .i = 0 };
    const struct java_method *m = node->method;
    unsigned i = 0;

    if (node->op == JE_CALL && node->a->op != JE_CLASS && !java_eval(run, node->a, &self))
        return false;
    for (const struct java_node *n = node->b; n; n = n->next)
        if (!java_eval(run, n, &args[i++]))
            return false;
    if (node->op == JE_NEW)
        self.i = node->type->kind;
    else if (!(m->flags & JAVA_STATIC) && !self.o) {
        struct buf text;
        buf_init(&text, run->ctx->arena);
        buf_put_str(&text, "Cannot invoke \"");
        java_put_method(&text, node->a->type, m);
        buf_put_str(&text, "\"");
        return throw_null(run, node->a, &text);
    }
    return java_spend(run, 1) && m->call(run, m, &self, args, out) && !run->exhausted;
}

static bool eval_instance(struct java_run *run, const struct java_node *node, union java_value *out)
{
    if (!java_eval(run, node->a, out))
        return false;
    out->i = out->o && is_of(out->o, node->b->type);
    return true;
}

static bool eval_length(struct java_run *run, const struct java_node *node, union java_value *out)
{
    if (!java_eval(run, node->a, out))
        return false;
    if (!out->o)
        return java_null_text(run, node->a, "Cannot read the array length");
    out->i = out->o->array.count;
    return true;
}

bool java_eval(struct java_run *run, const struct java_node *node, union java_value *out)
{
    switch (node->op) {
    case JE_DONE:
        *out = node->value;
        return true;
    case JE_LOCAL:
        *out = run->slots[node->slot];
        return true;
    case JE_CONVERT:
        return eval_convert(run, node, out);
    case JE_BINARY:
        return eval_binary(run, node, out);
    case JE_UNARY:
        return eval_unary(run, node, out);
    case JE_CONCAT:
        return eval_concat(run, node, out);
    case JE_ASSIGN:
        return eval_assign(run, node, out);
    case JE_TAKEN:
        *out = run->taken;
        return true;
    case JE_CONDITION:
        return java_eval(run, node->a, out) && java_eval(run, out->i ? node->b : node->c, out);
    case JE_CALL:
    case JE_NEW:
        return eval_call(run, node, out);
    case JE_NEW_ARRAY:
        return eval_new_array(run, node, out);
    case JE_INDEX:
        return eval_index(run, node, out);
    case JE_LENGTH:
        return eval_length(run, node, out);
    case JE_INSTANCE:
        return eval_instance(run, node, out);
    default:
        fail_corrupt(run->ctx, "java");
        return false;
    }
}

bool java_fold(struct ctx *ctx, const struct java_node *node, union java_value *out)
{
    struct java_run run = { .ctx = ctx, .held = ctx->arena->held };
    return java_eval(&run, node, out);
}
