/* Right sides in a run: the values of = and IN, their products, partition keys and token bounds. */

#include "engine/coding.h"
#include "engine/token.h"
#include "model/failure.h"
#include "model/numeric.h"
#include "model/restrict_node.h"
#include "model/sort.h"

/* ---- one right side ---- */

/* A tuple's bytes (a marker's, or an element of IN's list) to one value a column; how many there were. Those that a short one lacks are unset:
 * it speaks of as many columns as it has values. */
static uint32_t split_tuple(const struct restriction *r, struct slice tuple, struct slice *values)
{
    struct reader rest = reader_of(tuple);
    uint32_t n = 0;
    while (n < r->column_count && reader_left(&rest))
        values[n++] = read_bytes32(&rest);
    for (uint32_t i = n; i < r->column_count; i++)
        values[i] = SLICE_UNSET;
    return n;
}

/* TupleType.split lets through what it throws, before anything looks at the values. */
static enum wr_status check_tuple(struct exec *exec, const struct right_side *side, struct slice tuple)
{
    const struct type *type = expr_type(side->whole);
    struct reader rest = reader_of(tuple);
    for (uint32_t i = 0; i < type->arg_count && reader_left(&rest); i++) {
        read_bytes32(&rest);
        if (rest.failed)
            return fail(exec->ctx, WR_SERVER_ERROR,
                        "org.apache.cassandra.serializers.MarshalException: Not enough bytes to read %uth component", i);
    }
    if (reader_left(&rest))
        return fail(exec->ctx, WR_SERVER_ERROR,
                    "org.apache.cassandra.serializers.MarshalException: Expected %u value%s for %s column, but got more",
                    type->arg_count, type->arg_count == 1 ? "" : "s", type_name(exec->ctx, type));
    return WR_OK;
}

/* A null is no term at all there, and nobody looks whether there is one before it is taken apart. */
static enum wr_status fail_no_term(struct exec *exec, enum restriction_kind kind)
{
    static const char *const calls[] = {
        [RESTRICTION_EQ] = "Tuples$Value.getElements()\" because \"t\"",
        [RESTRICTION_IN] = "Term$MultiItemTerminal.getElements()\" because \"term\"",
        [RESTRICTION_SLICE] = "Term$Terminal.get(org.apache.cassandra.transport.ProtocolVersion)\" because \"terminal\"",
    };
    return fail(exec->ctx, WR_SERVER_ERROR, "java.lang.NullPointerException: Cannot invoke \"org.apache.cassandra.cql3.%s is null", calls[kind]);
}

enum wr_status right_side_eval(struct exec *exec, const struct restriction *r, const struct right_side *side, uint32_t count,
                               struct slice *values, uint32_t *given)
{
    struct slice tuple;
    if (side->whole) {
        uint32_t marker;
        if (expr_is_marker(side->whole, &marker) && !slice_is_unset(exec->given.values[marker]))
            TRY(check_tuple(exec, side, exec->given.values[marker]));
        TRY(expr_eval_term(exec, side->whole, &tuple));
        if (slice_is_unset(tuple))
            return fail(exec->ctx, WR_INVALID, "Invalid unset value for tuple (%s)",
                        restriction_names(exec->ctx, r->columns, count, ","));
        if (slice_is_null(tuple))
            return fail_no_term(exec, r->kind);
        uint32_t n = split_tuple(r, tuple, values);
        if (given)
            *given = n < count ? n : count;
        return WR_OK;
    }
    if (given)
        *given = count;
    for (uint32_t i = 0; i < count; i++) {
        TRY(expr_eval_term(exec, side->parts[i], &values[i]));
        if (r->multi && side->alone && r->kind == RESTRICTION_SLICE && slice_is_null(values[i]))
            return fail_no_term(exec, r->kind); /* read as a tuple's part then, by who asks no more than of a whole tuple */
        if (!r->multi || !slice_is_unset(values[i]))
            continue;
        if (!side->alone)
            return fail(exec->ctx, WR_INVALID, "Invalid unset value for tuple field number %u", i);
        values[i] = SLICE_EMPTY; /* what UNSET_BYTE_BUFFER holds, where nobody looks whether it is that */
    }
    return WR_OK;
}

/* ---- the values of = and IN ---- */

static enum wr_status fail_value(struct exec *exec, const struct restriction *r, const char *what)
{
    return fail(exec->ctx, WR_INVALID, "Invalid %s value for column %s", what,
                restriction_names(exec->ctx, r->columns, r->column_count, ", "));
}

static enum wr_status list_values(struct exec *exec, const struct restriction *r, struct slice **values, uint32_t *n)
{
    struct slice list;
    uint32_t at = 0;

    TRY(expr_eval_term(exec, r->list, &list));
    if (slice_is_unset(list) || slice_is_null(list)) {
        const char *what = slice_is_unset(list) ? "unset" : "null";
        if (!r->multi)
            return fail_value(exec, r, what);
        if (slice_is_null(list))
            return fail(exec->ctx, WR_INVALID, "Invalid null value for IN restriction");
        return fail(exec->ctx, WR_INVALID, "Invalid unset value for in(%s)",
                    restriction_names(exec->ctx, r->columns, r->column_count, ","));
    }
    *n = type_collection_count(list);
    if (!(*values = NEW_ROOM(exec->ctx, struct slice, (size_t)*n * r->column_count)))
        return WR_NOMEM;
    struct reader rest = reader_of(list);
    read_be32(&rest); /* the count */
    for (; at < *n; at++) {
        struct slice element = read_bytes32(&rest);
        if (rest.failed)
            break;
        if (r->multi && slice_is_null(element)) /* TupleType.split, of each before any is looked at */
            return fail(exec->ctx, WR_SERVER_ERROR,
                        "java.lang.NullPointerException: Cannot invoke \"java.nio.ByteBuffer.duplicate()\" because \"bytes\" is null");
        if (r->multi)
            split_tuple(r, element, *values + (size_t)at * r->column_count);
        else /* its elements are read as values of the type, and an empty int is none */
            (*values)[at] = type_reads_null(r->columns[0]->type, element) ? SLICE_NULL : element;
    }
    *n = at;
    return WR_OK;
}

static enum wr_status check_null(struct exec *exec, const struct restriction *r, const struct slice *values)
{
    for (uint32_t i = 0; i < r->column_count && !slice_is_unset(values[i]); i++) { /* behind an unset one a tuple's bytes had ended */
        if (!slice_is_null(values[i]))
            continue;
        if (!r->multi)
            return restrict_fail_null(exec->ctx, r->columns[i]);
        if (r->kind == RESTRICTION_EQ)
            return fail(exec->ctx, WR_INVALID, "Invalid null value for column %.*s", SLICE_ARG(r->columns[i]->name));
        return fail(exec->ctx, WR_INVALID, "Invalid null value in condition for columns: [%s]",
                    restriction_names(exec->ctx, r->columns, r->column_count, ", "));
    }
    return WR_OK;
}

/* Nulls are told before what is unset, wherever in the list they are (InRestriction.appendTo). */
static enum wr_status check_values(struct exec *exec, const struct restriction *r, const struct slice *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TRY(check_null(exec, r, values + (size_t)i * r->column_count));
    for (uint32_t i = 0; i < n && !r->multi; i++)
        if (slice_is_unset(values[i]))
            return fail_value(exec, r, "unset");
    return WR_OK;
}

enum wr_status restriction_elements(struct exec *exec, const struct restriction *r, struct slice **values, uint32_t *n)
{
    if (r->list)
        return list_values(exec, r, values, n);
    *n = r->value_count;
    if (!(*values = NEW_ROOM(exec->ctx, struct slice, (size_t)*n * r->column_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < *n; i++)
        TRY(right_side_eval(exec, r, &r->values[i], r->column_count, *values + (size_t)i * r->column_count, NULL));
    return WR_OK;
}

enum wr_status restriction_values(struct exec *exec, const struct restriction *r, struct slice **values, uint32_t *n)
{
    TRY(restriction_elements(exec, r, values, n));
    return check_values(exec, r, *values, *n);
}

/* Of a tuple of IN an empty value passes for the unset one, which has no bytes either (MultiClusteringBuilder.addAllElementsToAll); the next
 * restriction of a single column is who looks. */
static bool has_empty_in_tuple(const struct restriction *r, const struct slice *values, uint32_t n)
{
    if (!r->multi || r->kind == RESTRICTION_EQ)
        return false;
    for (size_t i = 0; i < (size_t)n * r->column_count; i++)
        if (!slice_is_null(values[i]) && !slice_is_unset(values[i]) && values[i].len == 0)
            return true;
    return false;
}

static enum wr_status fail_product(struct exec *exec)
{
    return fail(exec->ctx, WR_INVALID, "The cartesian product of the IN restrictions contains more than %d values", IN_PRODUCT_MAX);
}

enum wr_status restriction_product(struct exec *exec, struct restriction *const *list, uint32_t width, struct slice **out,
                                   uint32_t *n)
{
    if (width && list[0]->column_count == width) { /* most keys: nothing is to be combined */
        TRY(restriction_values(exec, list[0], out, n));
        return *n > IN_PRODUCT_MAX ? fail_product(exec) : WR_OK;
    }
    struct slice *have = NEW_ARRAY(exec->ctx, struct slice, width);
    size_t count = 1;
    bool unset = false;
    if (!have)
        return WR_NOMEM;
    for (uint32_t at = 0; at < width; at += list[at]->column_count) {
        uint32_t w = list[at]->column_count, more;
        struct slice *values, *next;
        TRY(restriction_values(exec, list[at], &values, &more));
        if (unset && !list[at]->multi)
            return fail_value(exec, list[at], "unset");
        unset |= has_empty_in_tuple(list[at], values, more);
        if (more == 0) { /* IN (): what follows is not looked at (MultiClusteringBuilder.buildIsEmpty) */
            *n = 0;
            return WR_OK;
        }
        if (more == 1) { /* an equality: written into what is there */
            for (size_t i = 0; i < count; i++)
                memcpy(&have[i * width + at], values, w * sizeof *values);
            continue;
        }
        if (more && count > IN_PRODUCT_MAX / more)
            return fail_product(exec);
        if (!(next = NEW_ARRAY(exec->ctx, struct slice, count * more * width)))
            return WR_NOMEM;
        for (size_t i = 0; i < count * more; i++) {
            memcpy(&next[i * width], &have[i / more * width], at * sizeof *next);
            memcpy(&next[i * width + at], &values[i % more * w], w * sizeof *next);
        }
        have = next;
        count *= more;
    }
    *out = have;
    *n = (uint32_t)count;
    return WR_OK;
}

/* ---- partition keys ---- */

static bool has_local_tokens(const struct restrictions *r) /* they are keys */
{
    return (r->table->flags & TABLE_VIRTUAL) != 0;
}

bool token_is_least(const struct restrictions *rs, struct slice token)
{
    return has_local_tokens(rs) ? token.len == 0 : (int64_t)read_u64(token.data) == INT64_MIN;
}

/* The least where nothing is asked. beside_keys: of keys that are given besides, where a null is not looked for. */
static enum wr_status eval_token(struct exec *exec, const struct restrictions *r, int b, bool beside_keys, struct slice *out)
{
    static const uint8_t least[sizeof(uint64_t)] = { 0x80 };
    const struct restriction_bound *bound = &r->token->bounds[b];

    *out = has_local_tokens(r) ? SLICE_EMPTY : slice_of(least, sizeof least);
    if (!bound->column_count)
        return WR_OK;
    TRY(expr_eval_term(exec, bound->value.parts[0], out));
    if (slice_is_null(*out) && beside_keys)
        return fail(exec->ctx, WR_SERVER_ERROR,
                    "java.lang.NullPointerException: Cannot invoke \"java.nio.ByteBuffer.position()\" because \"bytes\" is null");
    if (slice_is_null(*out))
        return fail(exec->ctx, WR_INVALID, "Invalid null token value");
    if (!has_local_tokens(r) && out->len != sizeof least) /* empty or unset */
        return fail_no_bytes(exec->ctx);
    return WR_OK;
}

static enum wr_status token_of_tuple(struct exec *exec, const struct restrictions *r, const struct slice *tuple, struct slice *out)
{
    TRY(partition_key_bytes(exec->ctx, tuple, r->table->key_count, out));
    if (has_local_tokens(r))
        return WR_OK;
    return numeric_put_integer(exec->ctx, TYPE_BIGINT, out->len ? token_of(*out) : INT64_MIN, out);
}

static int cmp_keys(const void *a, const void *b, const void *arg)
{
    const struct table *table = arg;
    const struct slice *x = a, *y = b;
    int c = 0;
    for (uint32_t i = 0; i < table->key_count && c == 0; i++) {
        const struct column *column = table_key(table, i);
        c = type_compare(column->type, x[i], y[i]);
        c = column->descending ? -c : c; /* a view's, of a descending clustering column (Cassandra keeps its ReversedType) */
    }
    return c;
}

/* How many leading tuples are each behind (direction 1), or before (-1), the one before it. */
static uint32_t run_of_keys(const struct table *table, const struct slice *values, uint32_t count, int direction)
{
    const uint32_t width = table->key_count;
    uint32_t n = 1;
    while (n < count && cmp_keys(&values[(size_t)n * width], &values[(size_t)(n - 1) * width], table) * direction > 0)
        n++;
    return n;
}

/* Keys that come out of a table, or are typed by somebody tidy, are in order already, or in reverse of it where the newest come first.
 * *distinct: they are; false: nobody knows. */
static enum wr_status sort_keys(struct exec *exec, const struct table *table, struct slice *values, uint32_t count, bool *distinct)
{
    const uint32_t width = table->key_count;

    *distinct = true;
    if (run_of_keys(table, values, count, 1) >= count)
        return WR_OK;
    if (run_of_keys(table, values, count, -1) < count) {
        *distinct = false;
        return sort_stably(exec->ctx, values, count, width * sizeof *values, cmp_keys, table);
    }
    for (uint32_t i = 0, j = count - 1; i < j; i++, j--) {
        for (uint32_t k = 0; k < width; k++) {
            struct slice one = values[(size_t)i * width + k];
            values[(size_t)i * width + k] = values[(size_t)j * width + k];
            values[(size_t)j * width + k] = one;
        }
    }
    return WR_OK;
}

/* TokenFilter: of keys that are given besides, even if none is, those whose tokens token() asks for. Bounds that have passed each other mean
 * what lies outside of them, and the minimum token is one like any other. Whether they can be keys is not looked at yet: the empty one has the
 * least token. */
static enum wr_status keep_by_token(struct exec *exec, const struct restrictions *r, struct slice *values, uint32_t *n)
{
    const struct restriction_bound *start = &r->token->bounds[BOUND_START], *end = &r->token->bounds[BOUND_END];
    const struct type *type = r->token->token_type;
    const uint32_t width = r->table->key_count;
    struct slice from, to, token;
    uint32_t kept = 0;

    TRY(eval_token(exec, r, BOUND_START, true, &from));
    TRY(eval_token(exec, r, BOUND_END, true, &to));
    bool passed = start->column_count && end->column_count && type_compare(type, to, from) < 0;
    for (uint32_t i = 0; i < *n; i++) {
        struct slice *tuple = &values[(size_t)i * width];
        TRY(token_of_tuple(exec, r, tuple, &token));
        int past_from = type_compare(type, token, from), past_to = type_compare(type, token, to);
        bool above = !start->column_count || past_from > 0 || (past_from == 0 && start->inclusive);
        bool below = !end->column_count || past_to < 0 || (past_to == 0 && end->inclusive);
        bool within = passed ? above || below : above && below;
        if (within && kept < i)
            memmove(&values[(size_t)kept * width], tuple, width * sizeof *tuple);
        kept += within;
    }
    *n = kept;
    return WR_OK;
}

enum wr_status restrict_key_values(struct exec *exec, const struct restrictions *r, struct slice **values, uint32_t *n)
{
    TRY(restriction_product(exec, r->keys, r->table->key_count, values, n));
    return r->token ? keep_by_token(exec, r, *values, n) : WR_OK;
}

enum wr_status restrict_keys_of(struct exec *exec, const struct restrictions *r, struct slice *values, uint32_t count, struct slice **keys,
                                uint32_t *n)
{
    const struct table *table = r->table;
    uint32_t width = table->key_count, kept = 0;
    bool distinct;

    TRY(sort_keys(exec, table, values, count, &distinct));
    *keys = values; /* of one column a key is its value, in the value's place */
    if (width > 1 && !(*keys = NEW_ROOM(exec->ctx, struct slice, count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct slice *tuple = &values[(size_t)kept * width], *key = &(*keys)[kept];
        if (kept < i)
            memmove(tuple, &values[(size_t)i * width], width * sizeof *tuple);
        if (!distinct && kept && cmp_keys(tuple, tuple - width, table) == 0)
            continue;
        TRY(partition_key_of(exec->ctx, tuple, width, key));
        kept++;
    }
    *n = kept;
    return WR_OK;
}

enum wr_status restrict_keys(struct exec *exec, const struct restrictions *r, struct slice **keys, uint32_t *n)
{
    struct slice *values;
    uint32_t count;
    TRY(restrict_key_values(exec, r, &values, &count));
    return restrict_keys_of(exec, r, values, count, keys, n);
}

/* ---- tokens ---- */

/* StatementRestrictions.getPartitionKeyBoundsForTokenRestrictions: the minimum token stands for no bound, on either side. */
enum wr_status restrict_tokens(struct exec *exec, const struct restrictions *r, struct token_range *out)
{
    const struct restriction_bound *start, *end;
    struct slice low, high;

    *out = (struct token_range){ .from = INT64_MIN, .to = INT64_MAX };
    if (!r->token)
        return WR_OK;
    start = &r->token->bounds[BOUND_START];
    end = &r->token->bounds[BOUND_END];
    TRY(eval_token(exec, r, BOUND_START, false, &low));
    TRY(eval_token(exec, r, BOUND_END, false, &high));
    bool both = !token_is_least(r, low) && !token_is_least(r, high);
    int order = both ? type_compare(r->token->token_type, low, high) : -1;
    out->empty = order > 0 || (order == 0 && !(start->inclusive && end->inclusive));
    if (has_local_tokens(r)) {
        out->keys = (struct key_range){ r->token->token_type, low, high, start->inclusive, end->inclusive };
        return WR_OK;
    }
    int64_t from = (int64_t)read_u64(low.data), to = (int64_t)read_u64(high.data);
    out->beyond = !both && from == INT64_MAX && !start->inclusive;
    out->empty |= out->beyond;
    if (!out->empty && from != INT64_MIN)
        out->from = start->inclusive ? from : from + 1;
    if (!out->empty && to != INT64_MIN)
        out->to = end->inclusive ? to : to - 1;
    return WR_OK;
}
