/* Which indexes answer what of WHERE, and what they are asked for. */

#include "model/failure.h"
#include "model/index_terms.h"
#include "model/javatext.h"
#include "model/restrict_node.h"
#include "model/tracing.h"

static const enum index_form contains_forms[] = {
    [CONTAINS_VALUE] = FORM_CONTAINS, [CONTAINS_KEY] = FORM_CONTAINS_KEY, [CONTAINS_ENTRY] = FORM_ENTRY,
};

/* ---- at bind time ---- */

static bool is_on(const struct index *index, const struct restriction *r)
{
    for (uint32_t i = 0; i < r->column_count; i++)
        if (r->columns[i] == index->column)
            return true;
    return false;
}

bool index_answers(const struct index *index, const struct restriction *r)
{
    if (!is_on(index, r))
        return false;
    switch (r->kind) {
    case RESTRICTION_EQ: return index_answers_form(index, FORM_EQ);
    case RESTRICTION_SLICE: return index_answers_form(index, FORM_RANGE);
    case RESTRICTION_LIKE: return index_answers_form(index, FORM_LIKE);
    case RESTRICTION_ANN: return index_answers_form(index, FORM_ANN);
    default: break;
    }
    for (const struct contains *c = r->contains; c; c = c->next)
        if (index_answers_form(index, contains_forms[c->kind]))
            return true;
    return false;
}

const struct index *index_for(const struct table *table, const struct restriction *r)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (index_answers(&table->indexes[i], r))
            return &table->indexes[i];
    return NULL;
}

/* SAI's indexes are one group: what one of them leaves another may answer. */
static bool are_together(const struct index *a, const struct index *b)
{
    return a == b || (a->index_class == INDEX_SAI && b->index_class == INDEX_SAI);
}

/* IndexTermType.supports: SAI's on a vector is held to answer = as well. That counts beside an order of vectors; else judge_vectors has refused it. */
static bool is_held_to_answer(const struct index *index, const struct restriction *r)
{
    return r->kind == RESTRICTION_EQ && index->index_class == INDEX_SAI && index->column->type->kind == TYPE_VECTOR;
}

/* Each of its columns. Of several things that a collection contains SAI need find only one (ContainsRestriction.needsFiltering); a legacy
 * index leaves them to filter. */
static bool all_answered(const struct table *table, const struct index *index, const struct restriction *r)
{
    bool several = r->contains && r->contains->next;

    for (uint32_t i = 0; i < r->column_count; i++) {
        bool answered = false;
        for (uint32_t j = 0; j < table->index_count; j++) {
            const struct index *other = &table->indexes[j];
            answered |= are_together(index, other) && other->column == r->columns[i] &&
                        (index_answers(other, r) || is_held_to_answer(other, r)) && !(several && other->index_class == INDEX_LEGACY);
        }
        if (!answered)
            return false;
    }
    return true;
}

bool list_needs_filter(const struct table *table, const struct index *index, struct restriction *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] && !all_answered(table, index, list[i]))
            return true;
    return false;
}

/* SecondaryIndexManager has a table's indexes in a hash map by their names, and takes the first that will do. */
static bool is_before(const struct table *table, const struct index *a, const struct index *b)
{
    uint32_t bucket_a = java_concurrent_bucket(a->name, table->index_count),
             bucket_b = java_concurrent_bucket(b->name, table->index_count);
    return bucket_a != bucket_b ? bucket_a < bucket_b : a->id < b->id;
}

const struct index *index_of_test(const struct restrictions *rs, const struct column *column, enum index_form form)
{
    const struct table *table = rs->table;
    const struct index *first = NULL;

    if (!rs->index || rs->index->index_class == INDEX_LEGACY)
        return NULL;
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct index *index = &table->indexes[i];
        if (index->column == column && index->index_class == rs->index->index_class && index_answers_form(index, form) &&
            (!first || is_before(table, index, first)))
            first = index;
    }
    return first;
}

/* ---- LIKE ---- */

bool words_are_spread(const struct table *table, const struct column *column, uint32_t count)
{
    return count > 1 && table->clustering_count && (column->kind == COLUMN_REGULAR || column->kind == COLUMN_CLUSTERING);
}

/* LikeRestriction.LikePattern: a percent sign counts at the beginning and at the end, and nowhere else. */
static enum index_form pattern_form(struct slice *pattern)
{
    static const enum index_form forms[2][2] = {
        { FORM_LIKE_MATCHES, FORM_LIKE_PREFIX }, { FORM_LIKE_SUFFIX, FORM_LIKE_CONTAINS },
    };
    bool first = pattern->len && pattern->data[0] == '%';
    bool last = pattern->len && pattern->data[pattern->len - 1] == '%';

    if (first)
        *pattern = slice_skip(*pattern, 1);
    if (last && pattern->len)
        pattern->len--;
    return forms[first][last];
}

enum wr_status like_eval(struct exec *exec, const struct restrictions *rs, const struct restriction *r, enum index_form *form,
                         struct slice *wanted)
{
    static const char *const patterns[] = {
        [FORM_LIKE_PREFIX] = "'<term>%'",
        [FORM_LIKE_SUFFIX] = "'%<term>'",
        [FORM_LIKE_CONTAINS] = "'%<term>%'",
        [FORM_LIKE_MATCHES] = "'<term>'",
    };
    struct slice name = r->columns[0]->name;

    TRY(expr_eval_term(exec, r->values[0].parts[0], wanted));
    if (slice_is_null(*wanted) && !slice_is_unset(*wanted)) /* a server fails with a NullPointerException */
        return fail(exec->ctx, WR_INVALID, "Unsupported null value for column %.*s", SLICE_ARG(name));
    if (slice_is_unset(*wanted))
        *wanted = SLICE_EMPTY;
    *form = pattern_form(wanted);
    if (wanted->len == 0)
        return fail(exec->ctx, WR_INVALID, "LIKE value can't be empty.");
    if (!index_of_test(rs, r->columns[0], *form))
        return fail(exec->ctx, WR_INVALID, "%.*s LIKE %s %.*s is only supported on properly indexed columns", SLICE_ARG(name),
                    patterns[*form], SLICE_ARG(*wanted));
    return WR_OK;
}

/* An index of the class that is read has something to look for. */
static enum wr_status finds_by(struct exec *exec, const struct restrictions *rs, const struct restriction *r, bool *finds)
{
    const struct table *table = rs->table;

    for (uint32_t i = 0; i < table->index_count && !*finds; i++) {
        const struct index *index = &table->indexes[i];
        if (index->index_class != rs->index->index_class || !index_answers(index, r))
            continue;
        struct analyzer analyzer = analyzer_of(index);
        enum index_form form;
        struct tokens tokens = { .count = 1 };
        struct slice wanted;
        if (r->kind == RESTRICTION_LIKE) {
            TRY(like_eval(exec, rs, r, &form, &wanted));
            if (index_of_test(rs, index->column, form) != index)
                continue;
            TRY(analyzer_tokens(exec->ctx, &analyzer, wanted, &tokens));
        }
        *finds = tokens.count > 0;
    }
    return WR_OK;
}

enum wr_status like_finds_beside(struct exec *exec, const struct restrictions *rs, const struct restriction *r, bool *finds)
{
    struct restriction *const *lists[] = { rs->others, rs->clustering, rs->keys };
    const uint32_t counts[] = { rs->other_count, rs->table->clustering_count, rs->table->key_count };

    *finds = false;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < counts[i] && !*finds; j++)
            if (lists[i][j] && lists[i][j] != r)
                TRY(finds_by(exec, rs, lists[i][j], finds));
    return WR_OK;
}

/* ---- asking ---- */

struct asking {
    struct exec *exec;
    const struct restrictions *rs;
    struct index_ask *list;
    uint32_t count, room;
};

static enum wr_status add(struct asking *a, struct index_ask ask)
{
    if (a->count == a->room) {
        uint32_t room = a->room ? 2 * a->room : 4;
        struct index_ask *list = NEW_ARRAY(a->exec->ctx, struct index_ask, room);
        if (!list)
            return WR_NOMEM;
        if (a->count)
            memcpy(list, a->list, a->count * sizeof *list);
        a->list = list;
        a->room = room;
    }
    a->list[a->count++] = ask;
    return WR_OK;
}

/* For one term, with the range that has it alone. */
static enum wr_status add_term(struct asking *a, const struct index *index, struct slice key, struct slice value)
{
    struct index_ask ask = { .index = index };
    struct buf end;

    if (index->index_class == INDEX_LEGACY && (index->target == INDEX_ENTRIES ? index_entry_bytes(key, value) : value.len) > LEGACY_TERM_MAX)
        return fail(a->exec->ctx, WR_INVALID, "Index expression values may not be larger than 64K"); /* RowFilter.Expression.validateForIndexing */
    TRY(index_term(a->exec->ctx, index, key, value, &ask.term));
    buf_init(&end, a->exec->ctx->arena);
    buf_put_slice(&end, ask.term);
    buf_put_u8(&end, 0xFF);
    ask.terms.start = ask.term;
    TRY(buf_done(a->exec->ctx, &end, &ask.terms.end));
    return add(a, ask);
}

/* Equality, of the one token a value has. */
static enum wr_status ask_value(struct asking *a, const struct index *index, struct slice key, struct slice value)
{
    struct analyzer analyzer = analyzer_of(index);
    struct tokens tokens = { .list = &value, .count = 1 };

    if (slice_is_null(value) || slice_is_unset(value))
        return WR_OK;
    if (analyzer.kind != ANALYZER_NONE)
        TRY(analyzer_tokens(a->exec->ctx, &analyzer, value, &tokens));
    return tokens.count == 1 ? add_term(a, index, key, tokens.list[0]) : WR_OK;
}

static enum wr_status ask_eq(struct asking *a, const struct index *index, const struct restriction *r)
{
    struct slice *values = NEW_ARRAY(a->exec->ctx, struct slice, r->column_count);
    if (!values)
        return WR_NOMEM;
    TRY(right_side_eval(a->exec, r, &r->values[0], r->column_count, values, NULL));
    for (uint32_t i = 0; i < r->column_count; i++)
        if (r->columns[i] == index->column)
            TRY(ask_value(a, index, SLICE_NULL, values[i]));
    return WR_OK;
}

/* Whether a range ends before it begins, which the map that SASI has in memory does not bear (ConcurrentSkipListMap.subMap). */
static bool is_turned(const struct type *type, struct slice start, struct slice end)
{
    return !slice_is_null(start) && !slice_is_null(end) && type_compare(type, start, end) > 0;
}

static enum wr_status ask_slice(struct asking *a, const struct index *index, const struct restriction *r)
{
    struct index_ask ask = { .index = index, .term = SLICE_NULL, .terms = { SLICE_EMPTY, SLICE_NULL } };
    struct slice values[BOUND_END + 1];

    bool own_order = index->index_class == INDEX_SAI && index->column->type->kind == TYPE_INET; /* and not that of our terms */
    bool of_key = index->column->kind != COLUMN_REGULAR && index->column->kind != COLUMN_STATIC;
    if (r->multi || (own_order && of_key)) /* filter_new has refused the one where an index is used; a column's own order rules out the other */
        return WR_OK;
    for (int side = BOUND_START; side <= BOUND_END; side++) {
        const struct restriction_bound *bound = &r->bounds[side];
        struct range beyond;
        values[side] = SLICE_NULL;
        if (!bound->column_count)
            continue;
        TRY(expr_eval_term(a->exec, bound->value.parts[0], &values[side]));
        if (slice_is_null(values[side]) || slice_is_unset(values[side]))
            return WR_OK;
        TRY(index_terms_beyond(a->exec->ctx, index, values[side], side == BOUND_START, bound->inclusive, &beyond));
        if (side == BOUND_START)
            ask.terms.start = beyond.start;
        else
            ask.terms.end = beyond.end;
    }
    if (index->index_class == INDEX_SASI && !of_key && is_turned(index->column->type, values[BOUND_START], values[BOUND_END]))
        return failure_of_read(a->exec);
    return add(a, ask);
}

static enum wr_status ask_contains(struct asking *a, const struct index *index, const struct restriction *r)
{
    for (const struct contains *c = r->contains; c; c = c->next) {
        struct slice key = SLICE_NULL, value = SLICE_NULL;
        if (!index_answers_form(index, contains_forms[c->kind]))
            continue;
        if (c->key)
            TRY(expr_eval_term(a->exec, c->key, &key));
        if (c->value)
            TRY(expr_eval_term(a->exec, c->value, &value));
        TRY(ask_value(a, index, key, c->kind == CONTAINS_KEY ? key : value));
    }
    return WR_OK;
}

/* What is within a text or at its end no order of terms can find. */
static enum wr_status ask_like(struct asking *a, const struct index *index, const struct restriction *r)
{
    struct analyzer analyzer = analyzer_of(index);
    struct index_ask ask = { .index = index, .term = SLICE_NULL };
    enum index_form form;
    struct tokens tokens;
    struct slice wanted;

    TRY(like_eval(a->exec, a->rs, r, &form, &wanted));
    if ((form != FORM_LIKE_PREFIX && form != FORM_LIKE_MATCHES) || index_of_test(a->rs, index->column, form) != index)
        return WR_OK;
    TRY(analyzer_tokens(a->exec->ctx, &analyzer, wanted, &tokens));
    for (uint32_t i = 0; i < tokens.count; i++) {
        if (form == FORM_LIKE_MATCHES) {
            TRY(add_term(a, index, SLICE_NULL, tokens.list[i]));
        } else {
            TRY(index_terms_of_prefix(a->exec->ctx, tokens.list[i], &ask.terms));
            TRY(add(a, ask));
        }
        a->list[a->count - 1].partitions = words_are_spread(a->rs->table, index->column, tokens.count);
    }
    return WR_OK;
}

/* All vectors, whose sketches tell of most that they need not be read. Beside restrictions few may be left: what finds those is better. */
static enum wr_status ask_nearest(struct asking *a, const struct index *index)
{
    const struct index_ask all = { .index = index, .term = SLICE_EMPTY, .terms = { SLICE_EMPTY, SLICE_NULL } };
    return index->sketches && !restrict_has_beside_ann(a->rs) && !is_traced(a->exec) ? add(a, all) : WR_OK;
}

/* A column may have several SASI indexes, of which one answers (LIKE is looked into by ask_like, which knows its form). */
static bool is_asked(const struct asking *a, const struct index *index, const struct restriction *r)
{
    if (index->index_class != a->rs->index->index_class || !index_answers(index, r))
        return false;
    if (index->index_class != INDEX_SASI || r->kind == RESTRICTION_LIKE)
        return true;
    return index_of_test(a->rs, index->column, r->kind == RESTRICTION_EQ ? FORM_EQ : FORM_RANGE) == index;
}

static enum wr_status ask_all(struct asking *a, struct restriction *const *list, uint32_t n)
{
    const struct table *table = a->rs->table;

    for (uint32_t i = 0; i < n; i++) {
        const struct restriction *r = list[i];
        for (uint32_t j = 0; r && j < table->index_count; j++) {
            const struct index *index = &table->indexes[j];
            if (!is_asked(a, index, r))
                continue;
            switch (r->kind) {
            case RESTRICTION_EQ: TRY(ask_eq(a, index, r)); break;
            case RESTRICTION_SLICE: TRY(ask_slice(a, index, r)); break;
            case RESTRICTION_CONTAINS: TRY(ask_contains(a, index, r)); break;
            case RESTRICTION_LIKE: TRY(ask_like(a, index, r)); break;
            case RESTRICTION_ANN: TRY(ask_nearest(a, index)); break;
            default: break; /* IN is asked of no index */
            }
        }
    }
    return WR_OK;
}

enum wr_status restrict_asks(struct exec *exec, const struct restrictions *r, struct index_ask **asks, uint32_t *n)
{
    struct asking a = { .exec = exec, .rs = r };

    TRY(ask_all(&a, r->others, r->other_count));
    TRY(ask_all(&a, r->clustering, r->table->clustering_count));
    TRY(ask_all(&a, r->keys, r->table->key_count));
    *asks = a.list;
    *n = a.count;
    return WR_OK;
}
