#include "model/javatext.h"
#include "model/restrict_node.h"

static const char *const use_text[] = {
    [RESTRICT_SELECT] = "SELECT", [RESTRICT_UPDATE] = "UPDATE", [RESTRICT_DELETE] = "DELETE",
};

static const char filtering_message[] =
    "Cannot execute this query as it might involve data filtering and thus may have unpredictable performance. If you want to "
    "execute this query despite the performance unpredictability, use ALLOW FILTERING";

enum wr_status fail_needs_filtering(struct ctx *ctx)
{
    return fail(ctx, WR_INVALID, "%s", filtering_message);
}

static bool is_slice(const struct restriction *r)
{
    return r && r->kind == RESTRICTION_SLICE;
}

static uint32_t first_position(const struct restriction *r)
{
    return r->columns[0]->position;
}

static uint32_t last_position(const struct restriction *r)
{
    return r->columns[r->column_count - 1]->position;
}

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
    for (end = &have->contains; *end; end = &(*end)->next)
        ;
    *end = more->contains;
    return WR_OK;
}

/* ---- indexes ---- */

static const struct index *index_among(const struct table *table, struct restriction *const *list, uint32_t n)
{
    const struct index *index = NULL;
    for (uint32_t i = 0; i < n && !index; i++)
        if (list[i])
            index = index_for(table, list[i]);
    return index;
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

/* ---- judging the whole, in the order of StatementRestrictions ---- */

static bool keys_have_slice(const struct restrictions *rs)
{
    for (uint32_t i = 0; i < rs->table->key_count; i++)
        if (rs->keys[i] && (rs->keys[i]->kind == RESTRICTION_SLICE || rs->keys[i]->kind == RESTRICTION_CONTAINS))
            return true;
    return false;
}

static enum wr_status fail_missing(struct ctx *ctx, const char *format, const struct column *columns,
                                   struct restriction *const *restricted, uint32_t count)
{
    const struct column **missing = NEW_ARRAY(ctx, const struct column *, count);
    uint32_t n = 0;
    if (!missing)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        if (!restricted || !restricted[i])
            missing[n++] = &columns[i];
    return fail(ctx, WR_INVALID, format, restriction_names(ctx, missing, n, ", ")); /* both formats hold one %s */
}

/* TokenFilter.isOnToken: a token goes before keys that do not name partitions; else it filters those that they name. */
static bool on_token(const struct restrictions *rs)
{
    return rs->token && (rs->key_restricted < rs->table->key_count || keys_have_slice(rs));
}

static enum wr_status judge_keys(struct ctx *ctx, struct restrictions *rs, bool has_index)
{
    const struct table *table = rs->table;
    bool any = rs->key_restricted > 0, all = rs->key_restricted == table->key_count;

    if (rs->use != RESTRICT_SELECT) {
        if (on_token(rs))
            return fail(ctx, WR_INVALID, "The token function cannot be used in WHERE clauses for %s statements", use_text[rs->use]);
        if (!all)
            return fail_missing(ctx, "Some partition key parts are missing: %s", table->columns, rs->keys, table->key_count);
        if (keys_have_slice(rs))
            return fail(ctx, WR_INVALID,
                        "Only EQ and IN relation are supported on the partition key (unless you use the token() function) for %s "
                        "statements", use_text[rs->use]);
        return WR_OK;
    }
    rs->filters_keys = any && (!all || keys_have_slice(rs));
    rs->is_key_range = rs->filters_keys || !all;
    if (!any && !rs->token)
        rs->uses_index = has_index;
    if (rs->filters_keys) {
        if (!(rs->flags & (RESTRICT_ALLOW_FILTERING | RESTRICT_FILTERS_FREELY)) && !has_index)
            return fail_needs_filtering(ctx);
        rs->uses_index = has_index;
    }
    return WR_OK;
}

static bool makes_range(const struct restriction *r)
{
    return r->kind == RESTRICTION_EQ || r->kind == RESTRICTION_IN || r->kind == RESTRICTION_SLICE;
}

/* How many leading clustering columns make ranges: up to a gap, a slice, or a form that no range expresses. */
static void find_ranged(struct restrictions *rs)
{
    uint32_t count = rs->table->clustering_count, at = 0;
    while (at < count && rs->clustering[at] && makes_range(rs->clustering[at]) && first_position(rs->clustering[at]) == at) {
        const struct restriction *r = rs->clustering[at];
        at = last_position(r) + 1;
        if (is_slice(r))
            break;
    }
    rs->ranged = at;
    for (; at < count; at++)
        rs->filters_clustering |= rs->clustering[at] != NULL;
}

static enum wr_status judge_clustering(struct ctx *ctx, struct restrictions *rs, bool has_index)
{
    const struct table *table = rs->table;
    bool missing = false, contains = false;

    for (uint32_t i = 0; i < table->clustering_count; i++) {
        missing |= !rs->clustering[i];
        contains |= rs->clustering[i] && rs->clustering[i]->kind == RESTRICTION_CONTAINS;
    }
    if (rs->use == RESTRICT_UPDATE) {
        if (restrict_has_clustering_slice(rs))
            return fail(ctx, WR_INVALID, "Slice restrictions are not supported on the clustering columns in UPDATE statements");
        if (!(table->flags & TABLE_COMPACT) || !restrict_has_clustering(rs)) {
            if (missing && !(rs->flags & RESTRICT_ONLY_STATICS) && !(table->flags & TABLE_STATIC_COMPACT))
                return fail_missing(ctx, "Some clustering keys are missing: %s", table_clustering(table, 0), rs->clustering,
                                    table->clustering_count);
            return WR_OK;
        }
    }
    if (contains && !has_index && !(rs->flags & RESTRICT_ALLOW_FILTERING))
        return fail(ctx, WR_INVALID, "Clustering columns can only be restricted with CONTAINS with a secondary index or filtering");
    if (!rs->filters_clustering)
        return WR_OK;
    if (has_index) {
        rs->uses_index = true;
        return WR_OK;
    }
    if (rs->flags & RESTRICT_ALLOW_FILTERING)
        return WR_OK;
    for (uint32_t i = 0, restricted = 0; i < table->clustering_count; i++) {
        if (!rs->clustering[i])
            continue;
        if (i != restricted)
            return fail(ctx, WR_INVALID,
                        "PRIMARY KEY column \"%.*s\" cannot be restricted as preceding column \"%.*s\" is not restricted",
                        SLICE_ARG(table_clustering(table, i)->name), SLICE_ARG(table_clustering(table, restricted)->name));
        restricted++;
    }
    return WR_OK;
}

static bool has_index_on(const struct table *table, const struct column *c)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].column == c)
            return true;
    return false;
}

/* All that is restricted beside the vector has to have an index; clustering columns may do without where the partition is known and
 * they make ranges. */
static enum wr_status judge_ann(struct ctx *ctx, const struct restrictions *rs)
{
    static const char unindexed[] = "ANN ordering by vector requires all restricted column(s) to be indexed";
    const struct table *table = rs->table;
    const struct column *vector = rs->ann->columns[0];

    if (vector->type->kind != TYPE_VECTOR || vector->type->args[0]->kind != TYPE_FLOAT)
        return fail(ctx, WR_INVALID, "ANN ordering is only supported on float vector indexes");
    if (!has_index_on(table, vector))
        return fail(ctx, WR_INVALID, "ANN ordering by vector requires the column to be indexed");
    if (rs->filters_keys)
        return fail(ctx, WR_INVALID, "%s", unindexed);
    for (uint32_t i = 0; i < rs->other_count; i++)
        if (rs->others[i] != rs->ann && !has_index_on(table, rs->others[i]->columns[0]))
            return fail(ctx, WR_INVALID, "%s", unindexed);
    for (uint32_t i = 0; i < table->clustering_count; i++)
        if (rs->clustering[i] && !has_index_on(table, table_clustering(table, i)) &&
            (rs->key_restricted < table->key_count || rs->filters_clustering))
            return fail(ctx, WR_INVALID, "%s", unindexed);
    return WR_OK;
}

static enum wr_status judge_vectors(struct ctx *ctx, const struct restrictions *rs)
{
    if (rs->ann)
        return judge_ann(ctx, rs);
    for (uint32_t i = 0; i < rs->other_count; i++) {
        const struct column *c = rs->others[i]->columns[0];
        if (c->type->kind == TYPE_VECTOR)
            return has_index_on(rs->table, c) ? fail(ctx, WR_INVALID, "Vector indexes only support ANN queries") : WR_OK;
    }
    return WR_OK;
}

static enum wr_status judge_others(struct ctx *ctx, struct restrictions *rs, bool has_index)
{
    if (rs->other_count == 0)
        return WR_OK;
    if (rs->use != RESTRICT_SELECT) {
        const struct column **columns = NEW_ARRAY(ctx, const struct column *, rs->other_count);
        if (!columns)
            return WR_NOMEM;
        for (uint32_t i = 0; i < rs->other_count; i++)
            columns[i] = rs->others[i]->columns[0];
        return fail(ctx, WR_INVALID, "Non PRIMARY KEY columns found in where clause: %s ",
                    restriction_names(ctx, columns, rs->other_count, ", "));
    }
    TRY(judge_vectors(ctx, rs));
    if (has_index)
        rs->uses_index = true;
    else if (!(rs->flags & (RESTRICT_ALLOW_FILTERING | RESTRICT_FILTERS_FREELY)))
        return fail_needs_filtering(ctx);
    return WR_OK;
}

static bool needs_filter_beside(const struct restrictions *rs, const struct index *index, bool keys_in_filter)
{
    const struct table *table = rs->table;
    return list_needs_filter(table, index, rs->others, rs->other_count) ||
           (rs->clustering_in_filter && list_needs_filter(table, index, rs->clustering, table->clustering_count)) ||
           (keys_in_filter && list_needs_filter(table, index, rs->keys, table->key_count));
}

/*
 * The index to go by: the first that answers something, of other columns before those of the key, but rather one beside which nothing is
 * left to filter (that there is any is enough, whichever is read), and else rather SAI's, whose estimate is the lowest there is
 * (StorageAttachedIndexQueryPlan).
 */
static void choose_index(struct restrictions *rs, bool keys_in_filter)
{
    const struct table *table = rs->table;
    const struct {
        struct restriction *const *list;
        uint32_t n;
    } lists[] = { { rs->others, rs->other_count }, { rs->clustering, table->clustering_count }, { rs->keys, table->key_count } };

    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (uint32_t i = 0; i < lists[l].n; i++)
            for (uint32_t j = 0; lists[l].list[i] && j < table->index_count; j++) {
                const struct index *index = &table->indexes[j];
                if (!index_answers(index, lists[l].list[i]))
                    continue;
                bool filters = needs_filter_beside(rs, index, keys_in_filter);
                if (rs->index && (filters != rs->needs_filter
                                      ? filters
                                      : index->index_class != INDEX_SAI || rs->index->index_class == INDEX_SAI))
                    continue;
                rs->index = index;
                rs->needs_filter = filters;
            }
}

static enum wr_status judge(struct ctx *ctx, struct restrictions *rs)
{
    const struct table *table = rs->table;
    const struct index *on_others = NULL, *on_clustering = NULL, *on_keys = NULL;

    if (rs->use == RESTRICT_SELECT) {
        on_clustering = index_among(table, rs->clustering, table->clustering_count);
        on_keys = index_among(table, rs->keys, table->key_count);
        on_others = index_among(table, rs->others, rs->other_count);
    }
    bool has_index = on_clustering || on_keys || on_others;

    TRY(judge_keys(ctx, rs, has_index));
    bool keys_in_filter = rs->uses_index || rs->filters_keys;
    if ((rs->flags & RESTRICT_ONLY_STATICS) && restrict_has_clustering(rs)) {
        if (rs->use == RESTRICT_SELECT)
            return fail(ctx, WR_INVALID, "Cannot restrict clustering columns when selecting only static columns");
        return fail(ctx, WR_INVALID,
                    "Invalid restrictions on clustering columns since the %s statement modifies only static columns",
                    use_text[rs->use]);
    }
    find_ranged(rs);
    TRY(judge_clustering(ctx, rs, has_index));
    if (rs->is_key_range && on_clustering)
        rs->uses_index = true;
    rs->clustering_in_filter = rs->uses_index || rs->filters_clustering;
    TRY(judge_others(ctx, rs, has_index));
    /* processClusteringColumnsRestrictions: a view that filters clusterings is taken for a query by an index */
    bool as_by_index = rs->uses_index || (rs->flags & RESTRICT_VIEW && rs->filters_clustering);
    if (as_by_index && restrict_key_has_in(rs) && !on_token(rs))
        return fail(ctx, WR_INVALID, "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
    if (!rs->uses_index) {
        rs->needs_filter = keys_in_filter || rs->clustering_in_filter || rs->other_count || restrict_has_clustering(rs);
        return WR_OK;
    }
    choose_index(rs, keys_in_filter);
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

/* Markers of the partition key where each column has one. */
static enum wr_status find_routing(struct ctx *ctx, struct restrictions *rs)
{
    uint16_t *routing = NEW_ARRAY(ctx, uint16_t, rs->table->key_count);
    if (!routing)
        return WR_NOMEM;
    for (uint32_t i = 0; i < rs->table->key_count; i++) {
        int64_t marker = rs->keys[i] ? last_marker(rs->keys[i]) : -1;
        if (marker < 0)
            return WR_OK;
        routing[i] = (uint16_t)marker;
    }
    rs->routing = routing;
    return WR_OK;
}

/* StatementRestrictions.addOrderingRestrictions. */
static enum wr_status add_ann(struct ctx *ctx, struct restrictions *rs, const struct ann_order *ann)
{
    const struct column **column = NEW(ctx, const struct column *);
    struct restriction *r = NEW(ctx, struct restriction);

    if (!r || !column)
        return WR_NOMEM;
    if (ann->anns > 1)
        return fail(ctx, WR_INVALID, "Cannot specify more than one ANN ordering");
    if (ann->orderings > 1)
        return fail(ctx, WR_INVALID, "ANN ordering does not support any other ordering");
    if (ann->descending)
        return fail(ctx, WR_INVALID, "Descending ANN ordering is not supported");
    *column = ann->column;
    *r = (struct restriction){ .kind = RESTRICTION_ANN, .columns = column, .column_count = 1 };
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
            return fail(ctx, WR_INVALID, "Cannot use %s with CONTAINS%s", use_text[use], r->op == OP_CONTAINS_KEY ? " KEY" : "");
        TRY(relation_bind(bind, r, use, &added));
        TRY(add(ctx, rs, added, r->subject == SUBJECT_TOKEN));
    }
    if (ann && ann->column)
        TRY(add_ann(ctx, rs, ann));
    TRY(refuse_index_expressions(ctx, table, where, use));
    TRY(judge(ctx, rs));
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
    if (on_token(r))
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

const struct expr *restrict_only_key(const struct restrictions *r)
{
    const struct restriction *key = r->keys[0];
    bool more = r->table->key_count > 1 || r->token || r->other_count || r->ranged || r->filters_clustering;
    return key && !more && key->kind == RESTRICTION_EQ && !key->multi && !key->values->whole ? key->values->parts[0] : NULL;
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

const struct index *restrict_index(const struct restrictions *r)
{
    return r->index;
}

const uint16_t *restrict_routing(const struct restrictions *r)
{
    return r->routing;
}
