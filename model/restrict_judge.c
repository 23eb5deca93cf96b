/* All restrictions of a WHERE together, judged in the order of StatementRestrictions: which they may not be, what they leave to filter, and
 * which index is read. */
#include "model/restrict_node.h"

const char *const restrict_use_text[] = {
    [RESTRICT_SELECT] = "SELECT", [RESTRICT_UPDATE] = "UPDATE", [RESTRICT_DELETE] = "DELETE",
};

static const char filtering_message[] =
    "Cannot execute this query as it might involve data filtering and thus may have unpredictable performance. If you want to "
    "execute this query despite the performance unpredictability, use ALLOW FILTERING";

enum wr_status fail_needs_filtering(struct ctx *ctx)
{
    return fail(ctx, WR_INVALID, "%s", filtering_message);
}

static bool filters_freely(const struct restrictions *rs)
{
    return rs->flags & (RESTRICT_ALLOW_FILTERING | RESTRICT_FILTERS_FREELY);
}

static uint32_t last_position(const struct restriction *r)
{
    return r->columns[r->column_count - 1]->position;
}

/* ---- partition keys ---- */

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

bool restrict_on_token(const struct restrictions *rs)
{
    return rs->token && (rs->key_restricted < rs->table->key_count || keys_have_slice(rs));
}

static enum wr_status judge_keys(struct ctx *ctx, struct restrictions *rs, bool has_index)
{
    const struct table *table = rs->table;
    bool any = rs->key_restricted > 0, all = rs->key_restricted == table->key_count;

    if (rs->use != RESTRICT_SELECT) {
        if (restrict_on_token(rs))
            return fail(ctx, WR_INVALID, "The token function cannot be used in WHERE clauses for %s statements", restrict_use_text[rs->use]);
        if (!all)
            return fail_missing(ctx, "Some partition key parts are missing: %s", table->columns, rs->keys, table->key_count);
        if (keys_have_slice(rs))
            return fail(ctx, WR_INVALID,
                        "Only EQ and IN relation are supported on the partition key (unless you use the token() function) for %s "
                        "statements", restrict_use_text[rs->use]);
        return WR_OK;
    }
    rs->filters_keys = any && (!all || keys_have_slice(rs));
    rs->is_key_range = rs->filters_keys || !all;
    if (!any && !rs->token)
        rs->uses_index = has_index;
    if (rs->filters_keys) {
        if (!filters_freely(rs) && !has_index)
            return fail_needs_filtering(ctx);
        rs->uses_index = has_index;
    }
    return WR_OK;
}

/* ---- clustering columns ---- */

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

/* ---- the other columns ---- */

static bool has_index_on(const struct table *table, const struct column *c)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].column == c)
            return true;
    return false;
}

/* All that is restricted beside the vector has to have an index; clustering columns may do without where the partition is known, or
 * its token's range, and they make ranges. A clustering column that descends is of a reversed type, which a server takes for no vector. */
static enum wr_status judge_ann(struct ctx *ctx, const struct restrictions *rs)
{
    static const char unindexed[] = "ANN ordering by vector requires all restricted column(s) to be indexed";
    const struct table *table = rs->table;
    const struct column *vector = rs->ann->columns[0];

    if (vector->descending || !type_is_float_vector(vector->type))
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
            ((rs->key_restricted < table->key_count && !rs->token) || rs->filters_clustering))
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

/* IndexTermType.supports: a vector's index is held to answer = as well, until judge_vectors says what it does not. */
static bool equals_indexed_vector(const struct restrictions *rs)
{
    for (uint32_t i = 0; i < rs->other_count; i++) {
        const struct restriction *r = rs->others[i];
        if (r->kind == RESTRICTION_EQ && r->columns[0]->type->kind == TYPE_VECTOR && has_index_on(rs->table, r->columns[0]))
            return true;
    }
    return false;
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
    else if (!filters_freely(rs))
        return fail_needs_filtering(ctx);
    return WR_OK;
}

/* ---- the index, and all of it ---- */

static bool needs_filter_beside(const struct restrictions *rs, const struct index *index, bool keys_in_filter)
{
    const struct table *table = rs->table;
    return list_needs_filter(table, index, rs->others, rs->other_count) ||
           (rs->clustering_in_filter && list_needs_filter(table, index, rs->clustering, table->clustering_count)) ||
           (keys_in_filter && list_needs_filter(table, index, rs->keys, table->key_count));
}

/*
 * The index to go by: the first that answers something, of other columns before those of the key, but rather one of the class whose plans a
 * server estimates lower (getEstimatedResultRows: SASI's the lowest there is, SAI's the highest, the others' between). Whether anything is
 * left to filter is another question: that there is one beside which nothing is will do, whichever is read.
 */
static void choose_index(struct restrictions *rs, bool keys_in_filter)
{
    static const int estimate[] = { [INDEX_SASI] = 0, [INDEX_LEGACY] = 1, [INDEX_SAI] = 2 };
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
                rs->needs_filter = (!rs->index || rs->needs_filter) && needs_filter_beside(rs, index, keys_in_filter);
                if (!rs->index || estimate[index->index_class] < estimate[rs->index->index_class])
                    rs->index = index;
            }
}

static const struct index *index_among(const struct table *table, struct restriction *const *list, uint32_t n)
{
    const struct index *index = NULL;
    for (uint32_t i = 0; i < n && !index; i++)
        if (list[i])
            index = index_for(table, list[i]);
    return index;
}

enum wr_status restrict_judge(struct ctx *ctx, struct restrictions *rs)
{
    const struct table *table = rs->table;
    const struct index *on_others = NULL, *on_clustering = NULL, *on_keys = NULL;

    if (rs->use == RESTRICT_SELECT) {
        on_clustering = index_among(table, rs->clustering, table->clustering_count);
        on_keys = index_among(table, rs->keys, table->key_count);
        on_others = index_among(table, rs->others, rs->other_count);
    }
    bool has_index = on_clustering || on_keys || on_others || equals_indexed_vector(rs);

    TRY(judge_keys(ctx, rs, has_index));
    bool keys_in_filter = rs->uses_index || rs->filters_keys;
    if ((rs->flags & RESTRICT_ONLY_STATICS) && restrict_has_clustering(rs)) {
        if (rs->use == RESTRICT_SELECT)
            return fail(ctx, WR_INVALID, "Cannot restrict clustering columns when selecting only static columns");
        return fail(ctx, WR_INVALID,
                    "Invalid restrictions on clustering columns since the %s statement modifies only static columns",
                    restrict_use_text[rs->use]);
    }
    find_ranged(rs);
    TRY(judge_clustering(ctx, rs, has_index));
    if (rs->is_key_range && on_clustering)
        rs->uses_index = true;
    rs->clustering_in_filter = rs->uses_index || rs->filters_clustering;
    TRY(judge_others(ctx, rs, has_index));
    /* processClusteringColumnsRestrictions: a view that filters clusterings is taken for a query by an index */
    bool as_by_index = rs->uses_index || (rs->flags & RESTRICT_VIEW && rs->filters_clustering);
    if (as_by_index && restrict_key_has_in(rs))
        return fail(ctx, WR_INVALID, "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
    if (!rs->uses_index) {
        rs->needs_filter = keys_in_filter || rs->clustering_in_filter || rs->other_count || restrict_has_clustering(rs);
        return WR_OK;
    }
    choose_index(rs, keys_in_filter);
    rs->needs_filter |= !rs->index && !rs->ann; /* it was a vector's, and judge_vectors has seen another vector before that */
    return WR_OK;
}
