/* Values as the objects that a server makes of them, where it looks through a frozen collection: equal where those are (Object.equals), though
 * their bytes may differ, and not where they merely compare as equal, as 1.0 and 1 do. */
#include "engine/coding.h"
#include "model/type_parts.h"
#include "model/value.h"

static bool is_nan(const struct type *type, struct slice value)
{
    double v = value_to_double(type, value);
    return v != v;
}

static bool elements_equal(const struct type *type, struct slice a, struct slice b)
{
    struct elements x, y;
    struct slice p, q;

    elements_open(&x, type, a);
    elements_open(&y, type, b);
    for (;;) {
        bool more_x = elements_next(&x, &p), more_y = elements_next(&y, &q);
        if (!more_x || !more_y)
            return !more_x && !more_y;
        if (slice_is_null(p) != slice_is_null(q) || !type_java_equal(element_type(type, x.at - 1), p, q))
            return false;
    }
}

bool type_java_equal(const struct type *type, struct slice a, struct slice b)
{
    enum { SCALE_LEN = 4 };

    if (slice_eq(a, b) || a.len == 0 || b.len == 0)
        return slice_eq(a, b);
    switch (type->kind) {
    case TYPE_BOOLEAN: return (a.data[0] != 0) == (b.data[0] != 0);
    case TYPE_VARINT: return type_compare(type, a, b) == 0;
    case TYPE_DECIMAL:
        return a.len > SCALE_LEN && b.len > SCALE_LEN && memcmp(a.data, b.data, SCALE_LEN) == 0 &&
               type_compare(type_native(TYPE_VARINT), slice_skip(a, SCALE_LEN), slice_skip(b, SCALE_LEN)) == 0;
    case TYPE_FLOAT:
    case TYPE_DOUBLE: return is_nan(type, a) && is_nan(type, b);
    case TYPE_INET: return slice_eq(inet_unmapped(a), inet_unmapped(b));
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_MAP:
    case TYPE_VECTOR: return elements_equal(type, a, b);
    default: return false;
    }
}
