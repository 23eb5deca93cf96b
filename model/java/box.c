/* Primitives to one another, and their boxes as objects. What may be called on boxes: lang.c, integers.c. */
#include "model/java/object_ops.h"

#include "model/real.h"

int64_t java_narrow(enum java_kind kind, int64_t v)
{
    switch (kind) {
    case J_CHAR:
        return (uint16_t)v;
    case J_BYTE:
        return (int8_t)v;
    case J_SHORT:
        return (int16_t)v;
    case J_INT:
        return (int32_t)v;
    default:
        return v;
    }
}

/* A real number's whole part, as far as the type goes. */
static int64_t truncated(double d, enum java_kind kind)
{
    if (d != d)
        return 0;
    if (kind == J_LONG)
        return d >= 0x1p63 ? INT64_MAX : d <= -0x1p63 ? INT64_MIN : (int64_t)d;
    return java_narrow(kind, d >= 2147483647.0 ? INT32_MAX : d <= -2147483648.0 ? INT32_MIN : (int64_t)d);
}

union java_value java_convert_primitive(enum java_kind from, enum java_kind to, union java_value v)
{
    union java_value out;
    if (java_kind_is_real(to))
        out.d = java_kind_is_real(from) ? v.d : to == J_FLOAT ? (double)(float)v.i : (double)v.i;
    else
        out.i = java_kind_is_real(from) ? truncated(v.d, to) : java_narrow(to, v.i);
    if (to == J_FLOAT)
        out.d = real_widen(real_narrow(out.d));
    return out;
}

bool java_box(struct java_run *run, const struct java_type *primitive, union java_value value, struct java_object **out)
{
    struct java_object *o = java_new(run, java_boxed(primitive)->kind);
    if (!o)
        return false;
    o->value = value;
    *out = o;
    return true;
}

void java_print_primitive(struct buf *utf16, const struct java_type *type, union java_value value)
{
    struct buf text;
    uint16_t c = (uint16_t)value.i;

    buf_init(&text, utf16->arena);
    switch (type->kind) {
    case J_BOOLEAN:
        buf_put_str(&text, value.i ? "true" : "false");
        break;
    case J_CHAR:
        buf_put(utf16, &c, sizeof c);
        return;
    case J_FLOAT:
        float_print(&text, (float)value.d);
        break;
    case J_DOUBLE:
        double_print(&text, value.d);
        break;
    default:
        buf_printf(&text, "%lld", (long long)value.i);
        break;
    }
    java_put_buf(utf16, &text);
}

/* ---- as objects ---- */

/* The objects that valueOf keeps are the same for the same number. */
static bool whole_same(const struct java_object *a, const struct java_object *b)
{
    if (a->made || b->made || a->value.i != b->value.i)
        return false;
    return a->kind == J_BOX_CHAR ? a->value.i < 128 : a->value.i >= -128 && a->value.i < 128;
}

static uint32_t whole_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return o->kind == J_BOX_BOOLEAN ? (o->value.i ? 1231 : 1237) : (uint32_t)o->value.i;
}

/* Of what is shorter than an int: the difference. */
static bool short_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)run;
    *out = (int)(a->value.i - b->value.i);
    return true;
}

static uint64_t real_bits(const struct java_object *o)
{
    return o->kind == J_BOX_FLOAT ? float_bits((float)o->value.d) : double_bits(o->value.d);
}

static bool real_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return real_bits(a) == real_bits(b);
}

static uint32_t real_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return java_fold_hash(real_bits(o)); /* a float's are no more than the hash has */
}

static bool real_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    int64_t x = (int64_t)double_bits(a->value.d), y = (int64_t)double_bits(b->value.d);
    (void)run;
    *out = a->value.d < b->value.d ? -1 : a->value.d > b->value.d ? 1 : (x > y) - (x < y);
    return true;
}

static bool box_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    (void)run;
    java_print_primitive(utf16, java_unboxed(java_simple(o->kind)), o->value);
    return true;
}

const struct java_object_ops java_whole_ops = {
    .same = whole_same, .equals = java_value_equals, .hash = whole_hash, .compare = java_value_compare, .print = box_print
};
const struct java_object_ops java_short_ops = {
    .same = whole_same, .equals = java_value_equals, .hash = whole_hash, .compare = short_compare, .print = box_print
};
const struct java_object_ops java_long_ops = {
    .same = whole_same, .equals = java_value_equals, .hash = java_value_hash, .compare = java_value_compare, .print = box_print
};
const struct java_object_ops java_real_ops = {
    .equals = real_equals, .hash = real_hash, .compare = real_compare, .print = box_print
};
