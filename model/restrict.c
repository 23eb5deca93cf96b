#include "model/javatext.h"
#include "model/restrict_node.h"

/* ---- two restrictions of one column: merged, or refused with the words of the one that was there first ---- */

/* AbstractRestriction.getColumnsInCommons; of tokens TokenRestriction joins the names itself. */
static const char *common_names(struct ctx *ctx, const struct restriction *a, const struct restriction *b, bool token)
{
    const struct column **common = NEW_ARRAY(ctx, const struct column *, a->column_count);
    uint32_t n = 0;
    if (!common)
        return "?";
    for (uint32_t i = 0; i < a->column_count; i++)
        for (uint32_t j = 0; j < b->column_count; j++)
            if (a->columns[i] == b->columns[j])
                common[n++] = a->columns[i];
    return restriction_names(ctx, common, n, token ? ", " : " ,"); /* as it is written there */
}

static enum wr_status merge_slices(struct ctx *ctx, struct restriction *have, const struct restriction *more, bool token)
{
    if (first_position(have) != first_position(more))
        return fail(ctx, WR_INVALID, "Column \"%.*s\" cannot be restricted by two inequalities not starting with the same column",
                    SLICE_ARG((first_position(have) > first_position(more) ? have : more)->columns[0]->name));
    for (int b = BOUND_START; b <= BOUND_END; b++) {
        if (!more->bounds[b].column_count)
            continue;
        if (have->bounds[b].column_count)
            return fail(ctx, WR_INVALID, "More than one restriction was found for the %s bound on %s",
                        b == BOUND_START ? "start" : "end", common_names(ctx, have, more, token));
        have->bounds[b] = more->bounds[b];
    }
    if (more->column_count > have->column_count) {
        have->columns = more->columns;
        have->column_count = more->column_count;
    }
    have->multi |= more->multi;
    return WR_OK;
}

static enum wr_status merge(struct ctx *ctx, struct restriction *have, struct restriction *more, bool token)
{
    static const char *const alone[] = {
        [RESTRICTION_EQ] = "an Equal", [RESTRICTION_IN] = "a IN", [RESTRICTION_LIKE] = "a LIKE", [RESTRICTION_ANN] = "an ANN",
    };
    struct contains **end;

    switch (have->kind) {
    case RESTRICTION_EQ:
    case RESTRICTION_IN:
    case RESTRICTION_LIKE:
    case RESTRICTION_ANN:
        return fail(ctx, WR_INVALID, "%s cannot be restricted by more than one relation if it includes %s",
                    common_names(ctx, have, more, token), alone[have->kind]);
    case RESTRICTION_SLICE:
        if (more->kind == RESTRICTION_SLICE)
            return merge_slices(ctx, have, more, token);
        return fail(ctx, WR_INVALID, "Column%s \"%s\" cannot be restricted by both an equality and an inequality relation",
                    token ? "s" : "", common_names(ctx, have, more, token));
    case RESTRICTION_CONTAINS: break;
    }
    if (more->kind != RESTRICTION_CONTAINS)
        return fail(ctx, WR_INVALID, "Collection column %s can only be restricted by CONTAINS, CONTAINS KEY, or map-entry equality",
                    common_names(ctx, have, more, token));
    /* most are of one kind, and go to the end */
    for (end = have->last_contains->kind <= more->contains->kind ? &have->last_contains->next : &have->contains;
         *end && (*end)->kind <= more->contains->kind; end = &(*end)->next)
        ;
    more->contains->next = *end;
    *end = more->contains;
    if (!more->contains->next)
        have->last_contains = more->contains;
    return WR_OK;
}

/* ---- adding ---- */

/* ClusteringColumnRestrictions.mergeWith: what may follow what, where the rest may not be filtered. */
static enum wr_status check_sequence(struct ctx *ctx, const struct restrictions *rs, const struct restriction *last,
                                     const struct restriction *added)
{
    const struct table *table = rs->table;
    if (!last || (rs->flags & RESTRICT_ALLOW_FILTERING) || (rs->use == RESTRICT_SELECT && index_for(table, added)))
        return WR_OK;
    if (is_slice(last) && first_position(added) > first_position(last))
        return fail(ctx, WR_INVALID,
                    "Clustering column \"%.*s\" cannot be restricted (preceding column \"%.*s\" is restricted by a non-EQ relation)",
                    SLICE_ARG(added->columns[0]->name), SLICE_ARG(last->columns[0]->name));
    if (first_position(added) < first_position(last) && is_slice(added)) {
        uint32_t next = first_position(added) + 1;
        while (next < table->clustering_count && (!rs->clustering[next] || rs->clustering[next] == added)) /* of those that were there before */
            next++;
        return fail(ctx, WR_INVALID,
                    "PRIMARY KEY column \"%.*s\" cannot be restricted (preceding column \"%.*s\" is restricted by a non-EQ relation)",
                    SLICE_ARG(table_clustering(table, next)->name), SLICE_ARG(added->columns[0]->name));
    }
    return WR_OK;
}

static enum wr_status add_clustering(struct ctx *ctx, struct restrictions *rs, struct restriction *added)
{
    const struct restriction *last = NULL;
    struct restriction *merged = added, *met = NULL;

    for (uint32_t i = rs->table->clustering_count; i-- > 0 && !last;)
        last = rs->clustering[i];
    for (uint32_t i = 0; i < added->column_count; i++) {
        struct restriction *have = rs->clustering[added->columns[i]->position];
        if (!have || have == met)
            continue;
        TRY(merge(ctx, have, added, false));
        met = merged = have;
    }
    for (uint32_t i = 0; i < merged->column_count; i++)
        rs->clustering[merged->columns[i]->position] = merged;
    return check_sequence(ctx, rs, last, added);
}

static enum wr_status add_other(struct ctx *ctx, struct restrictions *rs, struct restriction *added)
{
    struct slice name = added->columns[0]->name;
    uint32_t at = 0;

    while (at < rs->other_count && java_cmp(rs->others[at]->columns[0]->name, name) < 0)
        at++;
    if (at < rs->other_count && rs->others[at]->columns[0] == added->columns[0])
        return merge(ctx, rs->others[at], added, false);
    memmove(&rs->others[at + 1], &rs->others[at], (rs->other_count - at) * sizeof *rs->others);
    rs->others[at] = added;
    rs->other_count++;
    return WR_OK;
}

static enum wr_status add(struct ctx *ctx, struct restrictions *rs, struct restriction *added, bool token)
{
    const struct column *c = added->columns[0];
    if (token) {
        if (rs->token)
            return merge(ctx, rs->token, added, true);
        rs->token = added;
        return WR_OK;
    }
    if (c->kind == COLUMN_CLUSTERING)
        return add_clustering(ctx, rs, added);
    if (c->kind != COLUMN_PARTITION_KEY)
        return add_other(ctx, rs, added);
    if (rs->keys[c->position])
        return merge(ctx, rs->keys[c->position], added, false);
    rs->keys[c->position] = added;
    rs->key_restricted++;
    return WR_OK;
}

/* The place of a side that is a bare marker, if it is behind the last one known. */
static void note_marker(const struct right_side *side, int64_t *last)
{
    uint32_t marker;
    if (side->parts && expr_is_marker(side->parts[0], &marker) && marker > *last)
        *last = marker;
}

/* Cassandra's VariableSpecifications: of the bare markers that stand for the column, of a comparison or within IN (?, ?), the
 * last; -1: there is none. */
static int64_t last_marker(const struct restriction *r)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < r->value_count; i++)
        note_marker(&r->values[i], &last);
    for (int i = BOUND_START; i <= BOUND_END; i++)
        note_marker(&r->bounds[i].value, &last);
    return last;
}

static enum wr_status find_routing(struct ctx *ctx, struct restrictions *rs)
{
    uint16_t *routing = NEW_ARRAY(ctx, uint16_t, rs->table->key_count);
    if (!routing)
        return WR_NOMEM;
    for (uint32_t i = 0; i < rs->table->key_count; i++) {
        int64_t marker = rs->keys[i] ? last_marker(rs->keys[i]) : -1;
        routing[i] = marker < 0 ? ROUTING_NONE : (uint16_t)marker;
    }
    rs->routing = routing;
    return WR_OK;
}

/* StatementRestrictions.addOrderingRestrictions. */
static enum wr_status add_ann(struct ctx *ctx, struct restrictions *rs, const struct ann_order *ann)
{
    const struct column **column = NEW(ctx, const struct column *);
    struct restriction *r = NEW(ctx, struct restriction);
    struct right_side *vector = NEW(ctx, struct right_side);
    const struct expr **parts = NEW(ctx, const struct expr *);

    if (!r || !column || !vector || !parts)
        return WR_NOMEM;
    if (ann->anns > 1)
        return fail(ctx, WR_INVALID, "Cannot specify more than one ANN ordering");
    if (ann->orderings > 1)
        return fail(ctx, WR_INVALID, "ANN ordering does not support any other ordering");
    if (ann->descending)
        return fail(ctx, WR_INVALID, "Descending ANN ordering is not supported");
    *column = ann->column;
    *parts = ann->vector;
    *vector = (struct right_side){ .parts = parts };
    *r = (struct restriction){ .kind = RESTRICTION_ANN, .columns = column, .column_count = 1, .values = vector, .value_count = 1 };
    rs->ann = r;
    return add_other(ctx, rs, r);
}

/* expr(index, 'text'): none of the classes here knows such a language. Whatever is written, it is refused. */
static enum wr_status refuse_index_expressions(struct ctx *ctx, const struct table *table, const struct ast_relation *where,
                                               enum restrict_for use)
{
    const struct ast_relation *found = NULL;
    const struct index *index = NULL;

    for (const struct ast_relation *r = where; r; r = r->next) {
        if (r->subject != SUBJECT_INDEX)
            continue;
        if (use != RESTRICT_SELECT)
            return fail(ctx, WR_INVALID,
                        "Custom index expressions cannot be used in WHERE clauses for UPDATE or DELETE statements");
        if (found)
            return fail(ctx, WR_INVALID, "Multiple custom index expressions in a single query are not supported");
        found = r;
    }
    if (!found)
        return WR_OK;
    struct slice name = found->columns->name;
    for (uint32_t i = 0; i < table->index_count && !index; i++)
        if (slice_eq(table->indexes[i].name, name))
            index = &table->indexes[i];
    if (!index)
        return fail(ctx, WR_INVALID, "Invalid index expression, index %.*s not found for %.*s.%.*s", SLICE_ARG(name),
                    SLICE_ARG(table->keyspace), SLICE_ARG(table->name));
    if (slice_is_null(index->class_name))
        return fail(ctx, WR_INVALID, "Only CUSTOM indexes may be used in custom index expressions, %.*s is not valid",
                    SLICE_ARG(name));
    return fail(ctx, WR_INVALID, "Index %.*s does not support custom expressions", SLICE_ARG(name));
}

enum wr_status restrict_bind(struct bind *bind, const struct ast_relation *where, const struct ann_order *ann, enum restrict_for use,
                             unsigned flags, struct restrictions **out)
{
    const struct table *table = bind->table;
    struct ctx *ctx = bind->ctx;
    struct restrictions *rs = NEW(ctx, struct restrictions);
    uint32_t relations = 0;

    for (const struct ast_relation *r = where; r; r = r->next)
        relations++;
    if (!rs || !(rs->keys = NEW_ARRAY(ctx, struct restriction *, table->key_count)) ||
        !(rs->clustering = NEW_ARRAY(ctx, struct restriction *, table->clustering_count)) ||
        !(rs->others = NEW_ARRAY(ctx, struct restriction *, relations + 1)))
        return WR_NOMEM;
    if (flags & RESTRICT_VIEW && !(rs->not_null = NEW_ARRAY(ctx, bool, table->column_count)))
        return WR_NOMEM;
    rs->table = table;
    rs->use = use;
    rs->flags = flags;
    if (use != RESTRICT_SELECT)
        TRY(refuse_index_expressions(ctx, table, where, use));
    for (const struct ast_relation *r = where; r; r = r->next) {
        struct restriction *added;
        const struct column *c;
        if (r->subject == SUBJECT_INDEX)
            continue;
        if (rs->not_null && r->op == OP_IS_NOT_NULL) {
            TRY(bind_column(bind, r->columns->name, &c));
            rs->not_null[c->ordinal] = true;
            continue;
        }
        if (use != RESTRICT_SELECT && (r->op == OP_CONTAINS || r->op == OP_CONTAINS_KEY))
            return fail(ctx, WR_INVALID, "Cannot use %s with CONTAINS%s", restrict_use_text[use], r->op == OP_CONTAINS_KEY ? " KEY" : "");
        TRY(relation_bind(bind, r, use, &added));
        TRY(add(ctx, rs, added, r->subject == SUBJECT_TOKEN));
    }
    if (ann && ann->column)
        TRY(add_ann(ctx, rs, ann));
    TRY(refuse_index_expressions(ctx, table, where, use));
    TRY(restrict_judge(ctx, rs));
    TRY(find_routing(ctx, rs));
    *out = rs;
    return WR_OK;
}

/* ---- questions ---- */

bool restrict_has_partition_keys(const struct restrictions *r)
{
    return r->key_restricted == r->table->key_count && !r->filters_keys;
}

bool restrict_is_clustering_range(const struct restrictions *r)
{
    for (uint32_t i = 0; i < r->table->clustering_count; i += r->clustering[i]->column_count)
        if (!r->clustering[i] || is_slice(r->clustering[i]))
            return true;
    return false;
}

bool restrict_has_key_restriction(const struct restrictions *r)
{
    return r->key_restricted > 0 || r->token;
}

bool restrict_key_has_in(const struct restrictions *r)
{
    if (restrict_on_token(r))
        return false; /* they only filter (TokenFilter.OnToken.hasIN) */
    for (uint32_t i = 0; i < r->table->key_count; i++)
        if (r->keys[i] && r->keys[i]->kind == RESTRICTION_IN)
            return true;
    return false;
}

bool restrict_has_clustering(const struct restrictions *r)
{
    for (uint32_t i = 0; i < r->table->clustering_count; i++)
        if (r->clustering[i])
            return true;
    return false;
}

bool restrict_has_beside_ann(const struct restrictions *r)
{
    return r->token || r->key_restricted || r->other_count > 1 || restrict_has_clustering(r);
}

static bool is_one_value(const struct restriction *r)
{
    return r && r->kind == RESTRICTION_EQ && !r->multi && !r->values->whole;
}

enum wr_status restrict_primary_key(struct ctx *ctx, const struct restrictions *r, const struct expr ***out)
{
    const uint32_t keys = r->table->key_count, count = keys + r->table->clustering_count;
    const struct expr **values = NEW_ARRAY(ctx, const struct expr *, count);

    if (!values)
        return WR_NOMEM;
    *out = NULL;
    if (r->token || r->other_count || r->filters_clustering || r->ranged != r->table->clustering_count)
        return WR_OK;
    for (uint32_t i = 0; i < count; i++) {
        const struct restriction *one = i < keys ? r->keys[i] : r->clustering[i - keys];
        if (!is_one_value(one))
            return WR_OK;
        values[i] = one->values->parts[0];
    }
    *out = values;
    return WR_OK;
}

bool restrict_is_full_row(const struct restrictions *r)
{
    return r->ranged == r->table->clustering_count && !restrict_has_clustering_slice(r);
}

static bool any_clustering(const struct restrictions *r, enum restriction_kind kind)
{
    for (uint32_t i = 0; i < r->table->clustering_count; i++)
        if (r->clustering[i] && r->clustering[i]->kind == kind)
            return true;
    return false;
}

bool restrict_clustering_has_in(const struct restrictions *r)
{
    return any_clustering(r, RESTRICTION_IN);
}

bool restrict_has_clustering_slice(const struct restrictions *r)
{
    return any_clustering(r, RESTRICTION_SLICE);
}

static const struct restriction *find(const struct restrictions *r, const struct column *c)
{
    if (c->kind == COLUMN_PARTITION_KEY)
        return r->keys[c->position];
    if (c->kind == COLUMN_CLUSTERING)
        return r->clustering[c->position];
    for (uint32_t i = 0; i < r->other_count; i++)
        if (r->others[i]->columns[0] == c)
            return r->others[i];
    return NULL;
}

bool restrict_has_column(const struct restrictions *r, const struct column *c)
{
    return find(r, c) != NULL;
}

bool restrict_column_is_not_null(const struct restrictions *r, const struct column *c)
{
    return r->not_null && r->not_null[c->ordinal];
}

bool restrict_column_is_eq(const struct restrictions *r, const struct column *c)
{
    const struct restriction *restriction = find(r, c);
    return restriction && restriction->kind == RESTRICTION_EQ;
}

bool restrict_has_regular(const struct restrictions *r)
{
    for (uint32_t i = 0; i < r->other_count; i++)
        if (r->others[i]->columns[0]->kind == COLUMN_REGULAR)
            return true;
    return false;
}

bool restrict_needs_filter(const struct restrictions *r)
{
    return r->needs_filter;
}

bool restrict_is_key_range(const struct restrictions *r)
{
    return r->is_key_range;
}

bool restrict_uses_index(const struct restrictions *r)
{
    return r->uses_index;
}

const struct index *restrict_index(const struct restrictions *r)
{
    return r->index;
}

const uint16_t *restrict_routing(const struct restrictions *r)
{
    return r->routing;
}
