/* java.util.Comparator: the orders that a body can have without a lambda. */
#include "model/java/lib.h"

enum { BY_NATURE, TURNED_NATURE, TURNED, BY_LETTERS, NULLS_FIRST, NULLS_LAST, BY_KEY, BY_VALUE };

enum { ORDERS_MOST = 1000 }; /* in one another */

static struct java_object by_nature = { .kind = J_COMPARATOR, .order = { .by = BY_NATURE } };
static struct java_object turned_nature = { .kind = J_COMPARATOR, .order = { .by = TURNED_NATURE } };
static struct java_object by_letters = { .kind = J_COMPARATOR, .order = { .by = BY_LETTERS } };

/* ---- comparing ---- */

typedef bool compare_in_order(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out);

static bool compare_by_nature(struct java_run *run, const char *name, const struct java_object *a, const struct java_object *b, int *out)
{
    if (!a && name)
        return java_check_read(run, a, "invoke \"java.lang.Comparable.compareTo(Object)\"", name);
    return a && !b ? java_no_other(run, a->kind) : java_compare(run, a, b, out);
}

static bool natural(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)order;
    return compare_by_nature(run, "c1", a, b, out);
}

static bool turned_natural(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)order;
    return compare_by_nature(run, "c2", b, a, out);
}

static bool turned(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out)
{
    return java_compare_by(run, order->order.of, NULL, b, a, out);
}

static bool check_kind(struct java_run *run, const struct java_object *o, enum java_kind kind)
{
    return !o || o->kind == kind || java_throw_cast(run, java_class_text(run, o), java_class_full_name(kind));
}

static bool letters(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)order;
    return check_kind(run, a, J_STRING) && check_kind(run, b, J_STRING) && java_compare_letters(run, a, b, out);
}

static bool nulls_beside(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out)
{
    int of_null = order->order.by == NULLS_FIRST ? -1 : 1;

    *out = a ? (b ? 0 : -of_null) : b ? of_null : 0;
    return !a || !b || !order->order.of || java_compare_by(run, order->order.of, NULL, a, b, out);
}

static bool parts_of_entries(struct java_run *run, const struct java_object *order, const struct java_object *a, const struct java_object *b, int *out)
{
    bool key = order->order.by == BY_KEY;
    const char *what = key ? "invoke \"java.util.Map$Entry.getKey()\"" : "invoke \"java.util.Map$Entry.getValue()\"";

    if (!check_kind(run, a, J_ENTRY) || !check_kind(run, b, J_ENTRY) || !java_check_read(run, a, what, "c1") || !java_check_read(run, b, what, "c2"))
        return false;
    const struct java_object *part_a = key ? a->entry.key : a->entry.value, *part_b = key ? b->entry.key : b->entry.value;
    if (!part_a && !order->order.of)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because the return value of %s is null",
                          strchr(what, '"'));
    return java_compare_by(run, order->order.of, NULL, part_a, part_b, out);
}

bool java_compare_by(struct java_run *run, const struct java_object *order, const char *name, const struct java_object *a, const struct java_object *b,
                     int *out)
{
    static compare_in_order *const orders[] = {
        [BY_NATURE] = natural,        [TURNED_NATURE] = turned_natural, [TURNED] = turned,         [BY_LETTERS] = letters,
        [NULLS_FIRST] = nulls_beside, [NULLS_LAST] = nulls_beside,      [BY_KEY] = parts_of_entries, [BY_VALUE] = parts_of_entries,
    };
    return order ? java_spend(run, 1) && orders[order->order.by](run, order, a, b, out) : compare_by_nature(run, name, a, b, out);
}

/* ---- making ---- */

static bool order_of(struct java_run *run, int by, struct java_object *of, struct java_object **out)
{
    if (of && of->order.depth >= ORDERS_MOST)
        return java_throw(run, J_STACK_OVERFLOW, NULL);
    if (!(*out = java_new(run, J_COMPARATOR)))
        return false;
    (*out)->order.by = (uint8_t)by;
    (*out)->order.of = of;
    (*out)->order.depth = of ? of->order.depth + 1 : 0;
    return true;
}

bool java_turned_order(struct java_run *run, struct java_object *order, struct java_object **out)
{
    if (order && order->order.by != BY_NATURE && order->order.by != TURNED_NATURE && order->order.by != TURNED)
        return order_of(run, TURNED, order, out);
    *out = !order || order->order.by == BY_NATURE ? &turned_nature : order->order.by == TURNED_NATURE ? &by_nature : order->order.of;
    return true;
}

JAVA_CALL(comparator_natural)
{
    JAVA_UNUSED;
    out->o = method->variant == BY_NATURE ? &by_nature : &turned_nature;
    return true;
}

JAVA_CALL(comparator_turned)
{
    JAVA_UNUSED;
    return java_turned_order(run, method->args[0] ? args[0].o : self->o, &out->o);
}

JAVA_CALL(comparator_nulls)
{
    JAVA_UNUSED;
    return order_of(run, method->variant, args[0].o, &out->o);
}

JAVA_CALL(comparator_entries)
{
    JAVA_UNUSED;
    return (!method->args[0] || java_check_argument(run, args[0].o)) && order_of(run, method->variant, method->args[0] ? args[0].o : NULL, &out->o);
}

JAVA_CALL(comparator_compare)
{
    int c;
    JAVA_UNUSED;
    if (!java_compare_by(run, self->o, NULL, args[0].o, args[1].o, &c))
        return false;
    out->i = c;
    return true;
}

/* The order that a tree or a PriorityQueue was made with. */
JAVA_CALL(comparator_of)
{
    JAVA_UNUSED;
    out->o = java_is_map(self->o) ? self->o->map.order : self->o->list.order;
    return true;
}

/* ---- the tables ---- */

const struct java_method java_comparator_methods[] = {
    { J_COMPARATOR, "naturalOrder", J_COMPARATOR, { 0 }, JAVA_STATIC, comparator_natural, BY_NATURE },
    { J_COMPARATOR, "reverseOrder", J_COMPARATOR, { 0 }, JAVA_STATIC, comparator_natural, TURNED_NATURE },
    { J_COMPARATOR, "nullsFirst", J_COMPARATOR, { J_COMPARATOR }, JAVA_STATIC, comparator_nulls, NULLS_FIRST },
    { J_COMPARATOR, "nullsLast", J_COMPARATOR, { J_COMPARATOR }, JAVA_STATIC, comparator_nulls, NULLS_LAST },
    { J_COMPARATOR, "reversed", JX_SELF, { 0 }, 0, comparator_turned, 0 },
    { J_COMPARATOR, "compare", J_INT, { JX_FIRST, JX_FIRST }, 0, comparator_compare, 0 },
    { J_COLLECTIONS, "reverseOrder", J_COMPARATOR, { 0 }, JAVA_STATIC, comparator_natural, TURNED_NATURE },
    { J_COLLECTIONS, "reverseOrder", J_COMPARATOR, { J_COMPARATOR }, JAVA_STATIC, comparator_turned, 0 },
    { J_ENTRY, "comparingByKey", J_COMPARATOR, { 0 }, JAVA_STATIC, comparator_entries, BY_KEY },
    { J_ENTRY, "comparingByKey", J_COMPARATOR, { J_COMPARATOR }, JAVA_STATIC, comparator_entries, BY_KEY },
    { J_ENTRY, "comparingByValue", J_COMPARATOR, { 0 }, JAVA_STATIC, comparator_entries, BY_VALUE },
    { J_ENTRY, "comparingByValue", J_COMPARATOR, { J_COMPARATOR }, JAVA_STATIC, comparator_entries, BY_VALUE },
    { J_SORTED_MAP, "comparator", J_COMPARATOR, { 0 }, 0, comparator_of, 0 },
    { J_SORTED_SET, "comparator", J_COMPARATOR, { 0 }, 0, comparator_of, 0 },
    { J_PRIORITY_QUEUE, "comparator", J_COMPARATOR, { 0 }, 0, comparator_of, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_comparator_constants[] = {
    { J_STRING, "CASE_INSENSITIVE_ORDER", J_COMPARATOR, { .o = &by_letters }, java_constant_is_object },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
