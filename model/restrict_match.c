/* Rows held against a filter, as Cassandra's RowFilter does and, of what an index answers, its FilterTree or SASI's Operation. */

#include "model/restrict_match.h"

const enum index_form test_forms[] = {
    [TEST_EQ] = FORM_EQ,        [TEST_LT] = FORM_RANGE,
    [TEST_LTE] = FORM_RANGE,    [TEST_GT] = FORM_RANGE,
    [TEST_GTE] = FORM_RANGE,    [TEST_IN] = FORM_EQ,
    [TEST_CONTAINS] = FORM_CONTAINS, [TEST_CONTAINS_KEY] = FORM_CONTAINS_KEY,
    [TEST_ENTRY] = FORM_ENTRY,  [TEST_LIKE] = FORM_LIKE,
};

static bool is_omitted(const struct test *t, struct slice key, struct slice value)
{
    return t->index && index_omits(t->index, key, value);
}

/* Expression.isSatisfiedBy takes any vector, as ANN needs it; it does not know of IN (StorageAttachedIndexQueryPlan). */
static bool takes_any(const struct test *t, const struct type *type)
{
    return t->by_sai_alone && type->kind == TYPE_VECTOR && t->kind != TEST_IN;
}

/* SAI compares what is of several values, the entries of a map among them, by its bytes, to which (1) and (1, null) are two
 * (IndexTermType.isLiteral); but a user type's value from before the type grew is found here. */
static bool is_equal(const struct test *t, const struct type *type, struct slice value, struct slice wanted)
{
    if (t->exact || (t->by_sai && (type->kind == TYPE_TUPLE || type_is_collection(type) || type_is_class(type) || t->kind == TEST_ENTRY)))
        return slice_eq(value, wanted);
    if (t->by_sai && type->kind == TYPE_UDT && !slice_has_prefix(wanted, value))
        return false;
    return type_compare(type, value, wanted) == 0;
}

/* Whether a value is the one asked for, as it is or by its token. */
static enum wr_status is_same(struct ctx *ctx, const struct test *t, const struct type *type, struct slice value, bool *same)
{
    struct tokens tokens;

    *same = false;
    if (t->analyzer.kind == ANALYZER_NONE) {
        if (t->kind != TEST_ENTRY && is_omitted(t, SLICE_EMPTY, value))
            return WR_OK;
        if (t->by_sai && t->index && type->kind == TYPE_VARINT && value.len != t->values[0].len) /* as 127 + 1 is, of four bytes */
            return WR_OK;
        *same = is_equal(t, type, value, t->values[0]);
        return WR_OK;
    }
    TRY(analyzer_tokens(ctx, &t->analyzer, value, &tokens));
    *same = tokens.count == 1 && t->count == 1 && slice_eq(tokens.list[0], t->values[0]) &&
            !is_omitted(t, SLICE_EMPTY, tokens.list[0]);
    return WR_OK;
}

/* The walk gives keys and values of a map in turn. */
static enum wr_status contains(struct ctx *ctx, const struct test *t, struct slice value, bool *passes)
{
    const struct type *type = t->column->type;
    bool by_key = t->kind != TEST_CONTAINS, by_bytes = !type->multicell && !by_key;
    const struct type *wanted = by_key ? type->args[0] : type_contained(type);
    struct elements elements;
    struct slice first, second;

    if (t->by_sai && !type->multicell) { /* IndexTermType of a frozen one is the whole of it, as [] is the four bytes of 0; no element is that, too */
        *passes = t->by_sai_alone && t->kind != TEST_ENTRY && slice_eq(value, t->values[0]);
        return WR_OK;
    }
    elements_open(&elements, type, value);
    while (!*passes && elements_next_entry(&elements, &first, &second)) {
        struct slice found = by_key ? first : second;
        if (t->kind != TEST_ENTRY && takes_any(t, wanted))
            *passes = true;
        else if (by_bytes && t->analyzer.kind == ANALYZER_NONE) /* a frozen one holds Java objects there, of which 1.0 and 1 are not equal decimals */
            *passes = type_java_equal(wanted, found, t->values[0]);
        else
            TRY(is_same(ctx, t, wanted, found, passes));
        if (*passes && t->kind == TEST_ENTRY) {
            *passes = is_equal(t, type->args[1], second, t->values[1]) && !is_omitted(t, first, second);
            return WR_OK;
        }
    }
    return WR_OK;
}

static bool has_at(struct slice text, size_t at, struct slice part)
{
    return at <= text.len && slice_has_prefix(slice_skip(text, at), part);
}

static bool is_like(enum index_form form, struct slice token, struct slice wanted)
{
    if (wanted.len > token.len)
        return false;
    switch (form) {
    case FORM_LIKE_MATCHES: return slice_eq(token, wanted);
    case FORM_LIKE_PREFIX: return slice_has_prefix(token, wanted);
    case FORM_LIKE_SUFFIX: return has_at(token, token.len - wanted.len, wanted);
    default: return memmem(token.data, token.len, wanted.data, wanted.len) != NULL;
    }
}

static bool has_like(const struct test *t, const struct tokens *tokens, struct slice wanted)
{
    for (uint32_t i = 0; i < tokens->count; i++)
        if (!is_omitted(t, SLICE_EMPTY, tokens->list[i]) && is_like(t->like, tokens->list[i], wanted))
            return true;
    return false;
}

/* Each token wanted is like one of the value's, or where they are spread one of them. A pattern of no tokens finds nothing. */
static enum wr_status like(struct ctx *ctx, const struct test *t, struct slice value, bool *passes)
{
    struct tokens tokens;

    TRY(analyzer_tokens(ctx, &t->analyzer, value, &tokens));
    *passes = !t->spread && t->count > 0;
    for (uint32_t i = 0; i < t->count && *passes != t->spread; i++)
        *passes = has_like(t, &tokens, t->values[i]);
    return WR_OK;
}

static bool order_holds(enum test_kind kind, int order)
{
    switch (kind) {
    case TEST_LT: return order < 0;
    case TEST_LTE: return order <= 0;
    case TEST_GT: return order > 0;
    default: return order >= 0;
    }
}

static bool is_in_range(const struct test *t, struct slice value)
{
    const struct type *type = t->column->type;
    bool inet = t->by_sai && type->kind == TYPE_INET, varint = t->by_sai && t->index && type->kind == TYPE_VARINT;

    if ((inet || varint) && !order_holds(t->kind, sai_compare(type, value, t->values[0])))
        return false;
    return (inet && t->by_sai_alone) || order_holds(t->kind, type_compare(type, value, t->values[0]));
}

static bool has_bytes(const struct test *t, struct slice value)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (slice_eq(t->values[i], value))
            return true;
    return false;
}

static bool is_among(const struct test *t, struct slice value)
{
    uint32_t low = 0, high = t->count;

    if (t->exact)
        return has_bytes(t, value);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = type_compare(t->column->type, t->values[middle], value);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static enum wr_status test_passes(struct ctx *ctx, const struct test *t, struct slice value, bool *passes)
{
    const struct type *type = t->column->type;

    *passes = !slice_is_null(value) && takes_any(t, type);
    if (*passes || slice_is_null(value) || (test_forms[t->kind] == FORM_RANGE && is_omitted(t, SLICE_EMPTY, value)))
        return WR_OK;
    switch (t->kind) {
    case TEST_EQ: return is_same(ctx, t, type, value, passes);
    case TEST_LT:
    case TEST_LTE:
    case TEST_GT:
    case TEST_GTE: *passes = is_in_range(t, value); break;
    case TEST_IN: *passes = is_among(t, value); break;
    case TEST_CONTAINS:
    case TEST_CONTAINS_KEY:
    case TEST_ENTRY: return contains(ctx, t, value, passes);
    case TEST_LIKE: return like(ctx, t, value, passes);
    }
    return WR_OK;
}

static enum wr_status all_pass(struct ctx *ctx, const struct test *tests, uint32_t count, const struct slice *columns, bool *passes)
{
    *passes = true;
    for (uint32_t i = 0; i < count && *passes; i++)
        TRY(test_passes(ctx, &tests[i], columns[tests[i].column->ordinal], passes));
    return WR_OK;
}

enum wr_status filter_partition(struct ctx *ctx, const struct filter *f, const struct slice *columns, bool *passes)
{
    return all_pass(ctx, f ? f->tests : NULL, f ? f->partition_count : 0, columns, passes);
}

enum wr_status filter_row(struct ctx *ctx, const struct filter *f, const struct slice *columns, bool *passes)
{
    uint32_t from = f ? f->partition_count : 0;
    return all_pass(ctx, f ? f->tests + from : NULL, f ? f->count - from : 0, columns, passes);
}

/* ---- words of a partition ---- */

struct words {
    const struct filter *filter;
    bool *seen; /* of each test that is spread, in order, each token's */
    uint32_t count, missing;
};

enum wr_status words_new(struct ctx *ctx, const struct filter *f, struct words **out)
{
    uint32_t count = 0;

    *out = NULL;
    for (uint32_t i = 0; f && i < f->count; i++)
        count += f->tests[i].spread ? f->tests[i].count : 0;
    if (!count)
        return WR_OK;
    struct words *words = NEW(ctx, struct words);
    if (!words || !(words->seen = NEW_ARRAY(ctx, bool, count)))
        return WR_NOMEM;
    words->filter = f;
    words->count = words->missing = count;
    *out = words;
    return WR_OK;
}

void words_forget(struct words *words)
{
    memset(words->seen, 0, words->count * sizeof *words->seen);
    words->missing = words->count;
}

static enum wr_status add_words_of(struct ctx *ctx, struct words *words, const struct test *t, struct slice value, bool *seen)
{
    struct tokens tokens;

    if (slice_is_null(value))
        return WR_OK;
    TRY(analyzer_tokens(ctx, &t->analyzer, value, &tokens));
    for (uint32_t i = 0; i < t->count; i++) {
        bool is_new = !seen[i] && has_like(t, &tokens, t->values[i]);
        seen[i] |= is_new;
        words->missing -= is_new;
    }
    return WR_OK;
}

enum wr_status words_add(struct ctx *ctx, struct words *words, const struct slice *columns, bool *all)
{
    bool *seen = words->seen;

    for (uint32_t i = 0; i < words->filter->count; i++) {
        const struct test *t = &words->filter->tests[i];
        if (!t->spread)
            continue;
        TRY(add_words_of(ctx, words, t, columns[t->column->ordinal], seen));
        seen += t->count;
    }
    *all = words->missing == 0;
    return WR_OK;
}
