/* What is left of WHERE once keys, ranges and index have been used: tests of single values, as Cassandra's RowFilter. */

#include "model/restrict_match.h"
#include "model/sort.h"

static const char multi_slice[] = "Multi-column slice restrictions cannot be used for filtering.";

/* ---- what is filtered ---- */

static bool filters_keys(const struct restrictions *rs)
{
    return rs->key_restricted > 0 && (rs->flags & RESTRICT_VIEW || !restrict_has_partition_keys(rs));
}

/* Calls with every restriction of the partition key that is left. */
static enum wr_status each_key_left(const struct restrictions *rs, enum wr_status (*visit)(void *arg, const struct restriction *r),
                                    void *arg)
{
    for (uint32_t i = 0; filters_keys(rs) && i < rs->table->key_count; i++)
        if (rs->keys[i])
            TRY(visit(arg, rs->keys[i]));
    return WR_OK;
}

/* And of other columns, one over several once. */
static enum wr_status each_other_left(const struct restrictions *rs, enum wr_status (*visit)(void *arg, const struct restriction *r),
                                      void *arg)
{
    const struct table *table = rs->table;
    /* ClusteringColumnRestrictions.addToRowFilter: what ranges do not decide, and, of a read by index or where there is some of that, what an index
     * supports; nothing is gained by those, but a null in them is refused in the filter's words before it makes a bound. */
    bool by_index = rs->uses_index && rs->is_key_range, some = by_index || rs->filters_clustering;
    for (uint32_t i = 0, position = 0; i < table->clustering_count; i++) {
        const struct restriction *r = rs->clustering[i];
        if (!r || r->columns[0]->position != i)
            continue;
        bool gap = by_index && position != i;
        if (i >= rs->ranged || gap || (some && index_for(table, r)))
            TRY(visit(arg, r));
        else if (r->kind != RESTRICTION_SLICE)
            position = i + r->column_count;
    }
    for (uint32_t i = 0; i < rs->other_count; i++)
        TRY(visit(arg, rs->others[i]));
    return WR_OK;
}

/* All, in the order in which a server adds them to its RowFilter. */
static enum wr_status each_left(const struct restrictions *rs, enum wr_status (*visit)(void *arg, const struct restriction *r),
                                void *arg)
{
    TRY(each_key_left(rs, visit, arg));
    return each_other_left(rs, visit, arg);
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
    const struct restrictions *rs;
    struct filter *filter;
    bool by_sai; /* one of its indexes answers something of what is filtered: a whole partition key is not */
};

/* The values of an IN in order, so that each row is looked up among them. */
static enum wr_status sort_wanted(struct ctx *ctx, const struct column *column, struct slice *values, uint32_t count)
{
    return sort_stably(ctx, values, count, sizeof *values, type_slices_cmp, column->type);
}

/* Those of a whole partition come first. */
static void add_test(struct builder *b, struct test test)
{
    struct filter *f = b->filter;
    const struct column *column = test.column;
    uint32_t at = f->count;

    if (column->kind == COLUMN_PARTITION_KEY || column->kind == COLUMN_STATIC) {
        at = f->partition_count++;
        memmove(&f->tests[at + 1], &f->tests[at], (f->count - at) * sizeof *f->tests);
    }
    f->tests[at] = test;
    f->count++;
}

/* A comparison as the index makes it that the read goes by: a value asked for is analyzed once. */
static enum wr_status add_comparison(struct builder *b, enum test_kind kind, const struct column *column, struct slice *values,
                                     uint32_t count)
{
    const struct index *index = kind == TEST_IN ? NULL : index_of_test(b->rs, column, test_forms[kind]);
    struct test test = { .kind = kind, .column = column, .values = values, .count = count };
    struct tokens tokens;

    test.exact = b->rs->index && b->rs->index->index_class == INDEX_LEGACY && b->rs->index->column == column && kind != TEST_IN &&
                 index_answers_form(b->rs->index, test_forms[kind]);
    test.by_sai = b->by_sai;
    test.by_sai_alone = test.by_sai && (!b->rs->other_count || restrict_has_partition_keys(b->rs));
    test.index = index;
    if (index)
        test.analyzer = analyzer_of(index);
    if (test.analyzer.kind != ANALYZER_NONE && test_forms[kind] != FORM_RANGE) {
        TRY(analyzer_tokens(b->exec->ctx, &test.analyzer, values[0], &tokens));
        test.values = tokens.list;
        test.count = tokens.count;
    }
    add_test(b, test);
    return WR_OK;
}

/* noun: "value", or of a map entry "map key" and "map value". */
static enum wr_status check_value(struct builder *b, struct slice value, const struct column *column, const char *noun)
{
    if (slice_is_null(value) || slice_is_unset(value))
        return fail(b->exec->ctx, WR_INVALID, "Unsupported %s %s for column %.*s", slice_is_unset(value) ? "unset" : "null", noun,
                    SLICE_ARG(column->name));
    return WR_OK;
}

static enum wr_status checked_value(struct builder *b, const struct expr *expr, const struct column *column, struct slice *out)
{
    TRY(expr_eval_term(b->exec, expr, out));
    return check_value(b, *out, column, "value");
}

/* One for each column. */
static enum wr_status checked_values(struct builder *b, const struct restriction *r, struct slice **out)
{
    struct slice *values = NEW_ARRAY(b->exec->ctx, struct slice, r->column_count);
    if (!values)
        return WR_NOMEM;
    *out = values;
    if (!r->multi)
        return checked_value(b, r->values[0].parts[0], r->columns[0], &values[0]);
    TRY(right_side_eval(b->exec, r, &r->values[0], r->column_count, values, NULL));
    for (uint32_t i = 0; i < r->column_count; i++)
        if (slice_is_null(values[i]) || slice_is_unset(values[i]))
            return fail(b->exec->ctx, WR_INVALID, "Unsupported null value for column %.*s", SLICE_ARG(r->columns[i]->name));
    return WR_OK;
}

static enum wr_status add_eq(struct builder *b, const struct restriction *r)
{
    struct slice *values;

    TRY(checked_values(b, r, &values));
    for (uint32_t i = 0; i < r->column_count; i++)
        TRY(add_comparison(b, TEST_EQ, r->columns[i], &values[i], 1));
    return WR_OK;
}

/* (c) IN ((1), (2)) is c IN (1, 2): MultiColumnRestriction.InRestriction.addToRowFilter. A null ends it, too. */
static enum wr_status add_in_of_one(struct builder *b, const struct restriction *r)
{
    struct slice *values;
    uint32_t n, kept = 0;

    if (r->column_count > 1)
        return fail(b->exec->ctx, WR_INVALID, "Multicolumn IN filters are not supported");
    TRY(restriction_elements(b->exec, r, &values, &n));
    while (kept < n && !slice_is_null(values[kept]))
        kept++;
    TRY(sort_wanted(b->exec->ctx, r->columns[0], values, kept));
    return add_comparison(b, TEST_IN, r->columns[0], values, kept);
}

/* A null list is refused; a null element ends the list: a server reads no further (seen: v IN (1, null, 2) finds 1), though what fails behind it
 * fails. An unset one is empty. */
static enum wr_status add_in(struct builder *b, const struct restriction *r)
{
    struct exec *exec = b->exec;
    struct slice *values, list, element;
    uint32_t n = r->value_count, kept = 0;
    struct elements elements;
    bool ended = false;

    if (r->multi)
        return add_in_of_one(b, r);
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
        ended |= r->list ? type_reads_null(r->columns[0]->type, element) : slice_is_null(element);
        if (!ended)
            values[kept++] = slice_is_unset(element) ? SLICE_EMPTY : element;
    }
    TRY(sort_wanted(exec->ctx, r->columns[0], values, kept));
    return add_comparison(b, TEST_IN, r->columns[0], values, kept);
}

static enum wr_status add_slice(struct builder *b, const struct restriction *r)
{
    static const enum test_kind kinds[2][2] = { { TEST_GT, TEST_GTE }, { TEST_LT, TEST_LTE } };

    if (r->multi)
        return fail(b->exec->ctx, WR_INVALID, "%s", multi_slice);
    for (int side = BOUND_START; side <= BOUND_END; side++) {
        const struct restriction_bound *bound = &r->bounds[side];
        struct slice *value = NEW(b->exec->ctx, struct slice);
        if (!value)
            return WR_NOMEM;
        if (!bound->column_count)
            continue;
        TRY(checked_value(b, bound->value.parts[0], r->columns[0], value));
        TRY(add_comparison(b, kinds[side][bound->inclusive], r->columns[0], value, 1));
    }
    return WR_OK;
}

/* Those of one kind, from `first` until `end`: ContainsRestriction reads the keys and the values of all before it looks at any. */
static enum wr_status add_contains_kind(struct builder *b, const struct column *column, const struct contains *first, const struct contains *end,
                                        uint32_t count)
{
    static const enum test_kind kinds[] = {
        [CONTAINS_VALUE] = TEST_CONTAINS, [CONTAINS_KEY] = TEST_CONTAINS_KEY, [CONTAINS_ENTRY] = TEST_ENTRY,
    };
    bool entry = first->kind == CONTAINS_ENTRY;
    uint32_t parts = entry ? 2 : 1;
    struct slice *values = NEW_ARRAY(b->exec->ctx, struct slice, (size_t)count * parts), *at = values;
    if (!values)
        return WR_NOMEM;
    for (const struct contains *c = first; c != end; c = c->next, at += parts)
        if (c->key)
            TRY(expr_eval_term(b->exec, c->key, &at[0]));
    at = values;
    for (const struct contains *c = first; c != end; c = c->next, at += parts)
        if (c->value)
            TRY(expr_eval_term(b->exec, c->value, &at[parts - 1]));
    for (at = values; at < values + (size_t)count * parts; at += parts) {
        TRY(check_value(b, at[0], column, entry ? "map key" : "value"));
        if (entry)
            TRY(check_value(b, at[1], column, "map value"));
        TRY(add_comparison(b, kinds[first->kind], column, at, parts));
    }
    return WR_OK;
}

static enum wr_status add_contains(struct builder *b, const struct restriction *r)
{
    const struct contains *end;
    for (const struct contains *c = r->contains; c; c = end) {
        uint32_t count = 0;
        for (end = c; end && end->kind == c->kind; end = end->next)
            count++;
        TRY(add_contains_kind(b, r->columns[0], c, end, count));
    }
    return WR_OK;
}

static enum wr_status add_like(struct builder *b, const struct restriction *r)
{
    struct test test = { .kind = TEST_LIKE, .column = r->columns[0] };
    struct tokens tokens;
    struct slice wanted;
    bool moot = false;

    TRY(like_eval(b->exec, b->rs, r, &test.like, &wanted));
    test.index = index_of_test(b->rs, test.column, test.like);
    test.analyzer = analyzer_of(test.index);
    TRY(analyzer_tokens(b->exec->ctx, &test.analyzer, wanted, &tokens));
    if (!tokens.count)
        TRY(like_finds_beside(b->exec, b->rs, r, &moot));
    test.values = tokens.list;
    test.count = tokens.count;
    test.spread = words_are_spread(b->rs->table, test.column, tokens.count);
    if (!moot)
        add_test(b, test);
    return WR_OK;
}

/* Nothing to test; a null vector is refused among the other columns' values, in their order. */
static enum wr_status add_ann(struct builder *b, const struct restriction *r)
{
    struct slice *values;
    return checked_values(b, r, &values);
}

static enum wr_status add_restriction(void *arg, const struct restriction *r)
{
    switch (r->kind) {
    case RESTRICTION_EQ: return add_eq(arg, r);
    case RESTRICTION_IN: return add_in(arg, r);
    case RESTRICTION_SLICE: return add_slice(arg, r);
    case RESTRICTION_CONTAINS: return add_contains(arg, r);
    case RESTRICTION_LIKE: return add_like(arg, r);
    case RESTRICTION_ANN: return add_ann(arg, r);
    }
    return WR_OK;
}

static enum wr_status count_tests(void *arg, const struct restriction *r)
{
    uint32_t n = r->column_count + 1; /* a slice makes two tests of one column */
    for (const struct contains *c = r->contains; c; c = c->next)
        n++;
    *(uint32_t *)arg += n;
    return WR_OK;
}

static enum wr_status mark_by_sai(void *arg, const struct restriction *r)
{
    struct builder *b = arg;
    const struct table *table = b->rs->table;

    for (uint32_t i = 0; i < table->index_count; i++)
        b->by_sai |= table->indexes[i].index_class == INDEX_SAI && index_answers(&table->indexes[i], r);
    return WR_OK;
}

bool restrict_has_filter(const struct restrictions *r)
{
    uint32_t room = 0;
    each_left(r, count_tests, &room);
    return room || r->clustering_in_filter;
}

/* ClusteringColumnRestrictions.addToRowFilter: what makes ranges is filtered as well where an index answers it, and whatever is behind such a
 * one. That changes nothing but what may be said. */
static enum wr_status check_ranged(struct builder *b)
{
    const struct restrictions *rs = b->rs;
    bool filtered = false;

    for (uint32_t i = 0; rs->clustering_in_filter && i < rs->ranged; i++) {
        const struct restriction *r = rs->clustering[i];
        struct slice *values;

        filtered = filtered || index_for(rs->table, r);
        if (filtered && r->kind == RESTRICTION_EQ)
            TRY(checked_values(b, r, &values));
        if (!filtered || r->kind != RESTRICTION_SLICE)
            continue;
        if (r->multi)
            return fail(b->exec->ctx, WR_INVALID, "%s", multi_slice);
        for (int bound = BOUND_START; bound <= BOUND_END; bound++) {
            struct slice value;
            if (r->bounds[bound].column_count)
                TRY(checked_value(b, r->bounds[bound].value.parts[0], r->columns[0], &value));
        }
    }
    return WR_OK;
}

enum wr_status filter_new(struct exec *exec, const struct restrictions *r, struct filter **out)
{
    struct builder b = { .exec = exec, .rs = r };
    uint32_t room = 0;

    each_left(r, count_tests, &room);
    *out = NULL;
    if (room == 0)
        return check_ranged(&b);
    if (r->index && r->index->index_class == INDEX_SAI)
        TRY(each_left(r, mark_by_sai, &b));
    if (!(b.filter = NEW(exec->ctx, struct filter)) || !(b.filter->tests = NEW_ARRAY(exec->ctx, struct test, room)))
        return WR_NOMEM;
    TRY(each_key_left(r, add_restriction, &b));
    TRY(check_ranged(&b));
    TRY(each_other_left(r, add_restriction, &b));
    *out = b.filter;
    return WR_OK;
}

/* ---- keeping ---- */

/*     tests varint | partition's tests varint | test ...
 *     test  kind u8 | ordinal varint | values varint | [length varint, value] ... */

void filter_put(struct buf *buf, const struct filter *f)
{
    buf_put_varint(buf, f ? f->count : 0);
    buf_put_varint(buf, f ? f->partition_count : 0);
    for (uint32_t i = 0; f && i < f->count; i++) {
        const struct test *t = &f->tests[i];
        buf_put_u8(buf, (uint8_t)t->kind);
        buf_put_varint(buf, t->column->ordinal);
        buf_put_varint(buf, t->count);
        for (uint32_t v = 0; v < t->count; v++) {
            buf_put_varint(buf, t->values[v].len);
            buf_put_slice(buf, t->values[v]);
        }
    }
}

/* What a test's i-th value is of; NULL: such a column has no such test. */
static const struct type *value_type(enum test_kind kind, const struct type *type, uint32_t i)
{
    if (kind < TEST_CONTAINS)
        return type;
    if (!type_is_collection(type) || (kind != TEST_CONTAINS && type->kind != TYPE_MAP))
        return NULL;
    return kind == TEST_CONTAINS || i == 1 ? type_contained(type) : type->args[0];
}

static enum wr_status read_test(struct ctx *ctx, struct reader *r, const struct table *table, struct test *out)
{
    uint8_t kind = read_byte(r);
    uint64_t ordinal = read_varint(r), count = read_varint(r);

    if (r->failed || kind > TEST_ENTRY || ordinal >= table->key_count + table->clustering_count || count > reader_left(r) ||
        (kind != TEST_IN && count != (kind == TEST_ENTRY ? 2 : 1)))
        return fail_corrupt(ctx, "a filter");
    *out = (struct test){ .kind = (enum test_kind)kind,
                          .column = &table->columns[ordinal],
                          .values = NEW_ARRAY(ctx, struct slice, count),
                          .count = (uint32_t)count };
    if (!out->values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const struct type *type = value_type(out->kind, out->column->type, i);
        TRY(ctx_copy(ctx, read_bytes(r, read_varint(r)), &out->values[i]));
        if (r->failed || !type || type_validate(ctx, type, out->values[i]) != WR_OK)
            return fail_corrupt(ctx, "a filter");
    }
    return out->kind == TEST_IN ? sort_wanted(ctx, out->column, out->values, out->count) : WR_OK;
}

/* Whole keys are those of these bytes, as where a read names its partitions (SinglePartitionReadQuery.selectsKey): of decimals p = 0 is not 0.0. */
static void take_whole_keys(struct filter *f, const struct table *table)
{
    uint32_t keys = 0;

    for (uint32_t i = 0; i < f->partition_count; i++)
        keys += f->tests[i].kind == TEST_EQ || f->tests[i].kind == TEST_IN;
    for (uint32_t i = 0; keys == table->key_count && i < f->partition_count; i++)
        f->tests[i].exact = true;
}

enum wr_status filter_read(struct ctx *ctx, struct reader *r, const struct table *table, struct filter **out)
{
    uint64_t count = read_varint(r), partition_count = read_varint(r);
    struct filter *f;

    *out = NULL;
    if (r->failed || count > reader_left(r) / 3 || partition_count > count)
        return fail_corrupt(ctx, "a filter");
    if (!count)
        return WR_OK;
    if (!(f = NEW(ctx, struct filter)) || !(f->tests = NEW_ARRAY(ctx, struct test, count)))
        return WR_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        TRY(read_test(ctx, r, table, &f->tests[i]));
    f->count = (uint32_t)count;
    f->partition_count = (uint32_t)partition_count;
    take_whole_keys(f, table);
    *out = f;
    return WR_OK;
}
