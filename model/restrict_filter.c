/* What is left of WHERE once keys, ranges and index have been used: tests of single values, as Cassandra's RowFilter. */

#include "model/restrict_node.h"

enum test_kind { TEST_EQ, TEST_LT, TEST_LTE, TEST_GT, TEST_GTE, TEST_IN, TEST_CONTAINS, TEST_CONTAINS_KEY, TEST_ENTRY };

struct test {
    enum test_kind kind;
    const struct column *column;
    struct slice *values; /* IN: some; ENTRY: key and value; the others one */
    uint32_t count;
};

struct filter {
    struct test *tests;
    uint32_t count, partition_count; /* those of key and static columns come first */
};

/* ---- what is filtered ---- */

static bool filters_keys(const struct restrictions *rs)
{
    return rs->key_restricted > 0 && !restrict_has_partition_keys(rs);
}

/* Calls with every restriction that is left, one over several columns once; those that a whole partition answers first. */
static enum wr_status each_left(const struct restrictions *rs, enum wr_status (*visit)(void *arg, const struct restriction *r),
                                void *arg)
{
    const struct table *table = rs->table;
    if (filters_keys(rs))
        for (uint32_t i = 0; i < table->key_count; i++)
            if (rs->keys[i])
                TRY(visit(arg, rs->keys[i]));
    for (uint32_t i = 0; i < rs->other_count; i++)
        if (rs->others[i]->columns[0]->kind == COLUMN_STATIC)
            TRY(visit(arg, rs->others[i]));
    /* ClusteringColumnRestrictions.addToRowFilter: what ranges do not decide, and, of a read by index, what an index supports; nothing is
     * gained by those, but a null in them is refused in the filter's words before it makes a bound. */
    for (uint32_t i = 0, position = 0; i < table->clustering_count; i++) {
        const struct restriction *r = rs->clustering[i];
        if (!r || r->columns[0]->position != i)
            continue;
        bool gap = rs->uses_index && rs->is_key_range && position != i;
        if (i >= rs->ranged || gap || (rs->uses_index && rs->is_key_range && restriction_has_index(table, r)))
            TRY(visit(arg, r));
        else if (r->kind != RESTRICTION_SLICE)
            position = i + r->column_count;
    }
    for (uint32_t i = 0; i < rs->other_count; i++)
        if (rs->others[i]->columns[0]->kind == COLUMN_REGULAR)
            TRY(visit(arg, rs->others[i]));
    return WR_OK;
}

static enum wr_status mark_needed(void *arg, const struct restriction *r)
{
    for (uint32_t i = 0; i < r->column_count; i++)
        ((bool *)arg)[r->columns[i]->ordinal] = true;
    return WR_OK;
}

void restrict_filter_needs(const struct restrictions *r, bool *needed)
{
    each_left(r, mark_needed, needed);
}

/* ---- preparing ---- */

struct builder {
    struct exec *exec;
    struct filter *filter;
};

static void add_test(struct builder *b, enum test_kind kind, const struct column *column, struct slice *values,
                             uint32_t count)
{
    struct filter *f = b->filter;
    f->tests[f->count] = (struct test){ kind, column, values, count };
    if (column->kind == COLUMN_PARTITION_KEY || column->kind == COLUMN_STATIC)
        f->partition_count = f->count + 1;
    f->count++;
}

/* noun: "value", or of a map entry "map key" and "map value". */
static enum wr_status checked_value(struct builder *b, const struct expr *expr, const struct column *column, const char *noun,
                                    struct slice *out)
{
    TRY(expr_eval_term(b->exec, expr, out));
    if (slice_is_null(*out) || slice_is_unset(*out))
        return fail(b->exec->ctx, WR_INVALID, "Unsupported %s %s for column %.*s", slice_is_unset(*out) ? "unset" : "null", noun,
                    SLICE_ARG(column->name));
    return WR_OK;
}

static enum wr_status add_eq(struct builder *b, const struct restriction *r)
{
    struct slice *values = NEW_ARRAY(b->exec->ctx, struct slice, r->column_count);
    if (!values)
        return WR_NOMEM;
    if (r->multi)
        TRY(right_side_eval(b->exec, r, &r->values[0], r->column_count, values));
    for (uint32_t i = 0; i < r->column_count; i++) {
        if (!r->multi)
            TRY(checked_value(b, r->values[0].parts[0], r->columns[0], "value", &values[0]));
        else if (slice_is_null(values[i]))
            return fail(b->exec->ctx, WR_INVALID, "Unsupported null value for column %.*s", SLICE_ARG(r->columns[i]->name));
        add_test(b, TEST_EQ, r->columns[i], &values[i], 1);
    }
    return WR_OK;
}

/* A null list is refused; a null or unset element ends the list: a server reads no further (seen: v IN (1, null, 2) finds 1). */
static enum wr_status add_in(struct builder *b, const struct restriction *r)
{
    struct exec *exec = b->exec;
    struct slice *values, list, element;
    uint32_t n = r->value_count, kept = 0;
    struct elements elements;

    if (r->multi)
        return fail(exec->ctx, WR_INVALID, "Multicolumn IN filters are not supported");
    if (r->list) {
        TRY(expr_eval_term(exec, r->list, &list));
        if (slice_is_null(list) || slice_is_unset(list))
            return fail(exec->ctx, WR_INVALID, "Invalid %s value for column %.*s", slice_is_unset(list) ? "unset" : "null",
                        SLICE_ARG(r->columns[0]->name));
        n = type_collection_count(list);
        elements_open(&elements, expr_type(r->list), list);
    }
    if (!(values = NEW_ARRAY(exec->ctx, struct slice, n)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (!r->list)
            TRY(expr_eval_term(exec, r->values[i].parts[0], &element));
        else if (!elements_next(&elements, &element))
            break;
        if (slice_is_null(element) || slice_is_unset(element))
            break;
        values[kept++] = element;
    }
    add_test(b, TEST_IN, r->columns[0], values, kept);
    return WR_OK;
}

static enum wr_status add_slice(struct builder *b, const struct restriction *r)
{
    static const enum test_kind kinds[2][2] = { { TEST_GT, TEST_GTE }, { TEST_LT, TEST_LTE } };

    if (r->multi)
        return fail(b->exec->ctx, WR_INVALID, "Multi-column slice restrictions cannot be used for filtering.");
    for (int side = BOUND_START; side <= BOUND_END; side++) {
        const struct restriction_bound *bound = &r->bounds[side];
        struct slice *value = NEW(b->exec->ctx, struct slice);
        if (!value)
            return WR_NOMEM;
        if (!bound->column_count)
            continue;
        TRY(checked_value(b, bound->value.parts[0], r->columns[0], "value", value));
        add_test(b, kinds[side][bound->inclusive], r->columns[0], value, 1);
    }
    return WR_OK;
}

static enum wr_status add_contains(struct builder *b, const struct restriction *r)
{
    static const enum test_kind kinds[] = {
        [CONTAINS_VALUE] = TEST_CONTAINS, [CONTAINS_KEY] = TEST_CONTAINS_KEY, [CONTAINS_ENTRY] = TEST_ENTRY,
    };
    for (const struct contains *c = r->contains; c; c = c->next) {
        bool entry = c->kind == CONTAINS_ENTRY;
        struct slice *values = NEW_ARRAY(b->exec->ctx, struct slice, 2);
        uint32_t n = 0;
        if (!values)
            return WR_NOMEM;
        if (c->key)
            TRY(checked_value(b, c->key, r->columns[0], entry ? "map key" : "value", &values[n++]));
        if (c->value)
            TRY(checked_value(b, c->value, r->columns[0], entry ? "map value" : "value", &values[n++]));
        add_test(b, kinds[c->kind], r->columns[0], values, n);
    }
    return WR_OK;
}

static enum wr_status add_restriction(void *arg, const struct restriction *r)
{
    switch (r->kind) {
    case RESTRICTION_EQ: return add_eq(arg, r);
    case RESTRICTION_IN: return add_in(arg, r);
    case RESTRICTION_SLICE: return add_slice(arg, r);
    default: return add_contains(arg, r);
    }
}

static enum wr_status count_tests(void *arg, const struct restriction *r)
{
    uint32_t n = r->column_count + 1; /* a slice makes two tests of one column */
    for (const struct contains *c = r->contains; c; c = c->next)
        n++;
    *(uint32_t *)arg += n;
    return WR_OK;
}

enum wr_status filter_new(struct exec *exec, const struct restrictions *r, struct filter **out)
{
    struct builder b = { .exec = exec };
    uint32_t room = 0;

    each_left(r, count_tests, &room);
    *out = NULL;
    if (room == 0)
        return WR_OK;
    if (!(b.filter = NEW(exec->ctx, struct filter)) || !(b.filter->tests = NEW_ARRAY(exec->ctx, struct test, room)))
        return WR_NOMEM;
    TRY(each_left(r, add_restriction, &b));
    *out = b.filter;
    return WR_OK;
}

/* ---- testing ---- */

/* The walk gives keys and values of a map in turn. */
static bool contains(const struct test *t, struct slice value)
{
    const struct type *type = t->column->type;
    bool map = type->kind == TYPE_MAP, by_key = t->kind != TEST_CONTAINS, exact = !type->multicell && !by_key;
    const struct type *wanted = map && !by_key ? type->args[1] : type->args[0];
    struct elements elements;
    struct slice first, second;

    elements_open(&elements, type, value);
    while (elements_next(&elements, &first)) {
        second = first;
        if (map && !elements_next(&elements, &second))
            return false;
        /* a frozen one holds Java objects there, of which 1.0 and 1 are not equal decimals */
        struct slice found = by_key ? first : second;
        if (exact ? !slice_eq(found, t->values[0]) : type_compare(wanted, found, t->values[0]) != 0)
            continue;
        return t->kind != TEST_ENTRY || type_compare(type->args[1], second, t->values[1]) == 0;
    }
    return false;
}

static bool test_passes(const struct test *t, struct slice value)
{
    const struct type *type = t->column->type;

    if (slice_is_null(value))
        return false;
    switch (t->kind) {
    case TEST_EQ: return type_compare(type, value, t->values[0]) == 0;
    case TEST_LT: return type_compare(type, value, t->values[0]) < 0;
    case TEST_LTE: return type_compare(type, value, t->values[0]) <= 0;
    case TEST_GT: return type_compare(type, value, t->values[0]) > 0;
    case TEST_GTE: return type_compare(type, value, t->values[0]) >= 0;
    case TEST_IN:
        for (uint32_t i = 0; i < t->count; i++)
            if (type_compare(type, value, t->values[i]) == 0)
                return true;
        return false;
    case TEST_CONTAINS:
    case TEST_CONTAINS_KEY:
    case TEST_ENTRY: return contains(t, value);
    }
    return false;
}

static bool all_pass(const struct test *tests, uint32_t count, const struct slice *columns)
{
    for (uint32_t i = 0; i < count; i++)
        if (!test_passes(&tests[i], columns[tests[i].column->ordinal]))
            return false;
    return true;
}

bool filter_partition(const struct filter *f, const struct slice *columns)
{
    return all_pass(f->tests, f->partition_count, columns);
}

bool filter_row(const struct filter *f, const struct slice *columns)
{
    return all_pass(f->tests + f->partition_count, f->count - f->partition_count, columns);
}
