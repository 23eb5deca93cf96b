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

/* AbstractRestriction.getColumnsInCommons */
static const char *common_names(struct ctx *ctx, const struct restriction *a, const struct restriction *b)
{
    const struct column **common = NEW_ARRAY(ctx, const struct column *, a->column_count);
    uint32_t n = 0;
    if (!common)
        return "?";
    for (uint32_t i = 0; i < a->column_count; i++)
        for (uint32_t j = 0; j < b->column_count; j++)
            if (a->columns[i] == b->columns[j])
                common[n++] = a->columns[i];
    return restriction_names(ctx, common, n, ", ");
}

static enum wr_status merge_slices(struct ctx *ctx, struct restriction *have, const struct restriction *more)
{
    if (first_position(have) != first_position(more))
        return fail(ctx, WR_INVALID, "Column \"%.*s\" cannot be restricted by two inequalities not starting with the same column",
                    SLICE_ARG((first_position(have) > first_position(more) ? have : more)->columns[0]->name));
    for (int b = BOUND_START; b <= BOUND_END; b++) {
        if (!more->bounds[b].column_count)
            continue;
        if (have->bounds[b].column_count)
            return fail(ctx, WR_INVALID, "More than one restriction was found for the %s bound on %s",
                        b == BOUND_START ? "start" : "end", common_names(ctx, have, more));
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
    struct contains **end;

    switch (have->kind) {
    case RESTRICTION_EQ:
    case RESTRICTION_IN:
        return fail(ctx, WR_INVALID, "%s cannot be restricted by more than one relation if it includes %s",
                    common_names(ctx, have, more), have->kind == RESTRICTION_EQ ? "an Equal" : "a IN");
    case RESTRICTION_SLICE:
        if (more->kind == RESTRICTION_SLICE)
            return merge_slices(ctx, have, more);
        return fail(ctx, WR_INVALID, "Column%s \"%s\" cannot be restricted by both an equality and an inequality relation",
                    token ? "s" : "", common_names(ctx, have, more));
    case RESTRICTION_CONTAINS: break;
    }
    if (more->kind != RESTRICTION_CONTAINS)
        return fail(ctx, WR_INVALID, "Collection column %s can only be restricted by CONTAINS, CONTAINS KEY, or map-entry equality",
                    common_names(ctx, have, more));
    for (end = &have->contains; *end; end = &(*end)->next)
        ;
    *end = more->contains;
    return WR_OK;
}

/* ---- indexes ---- */

bool index_answers(const struct index *index, const struct restriction *r)
{
    static const unsigned by_contains[] = {
        [CONTAINS_VALUE] = 1u << INDEX_VALUES, [CONTAINS_KEY] = 1u << INDEX_KEYS, [CONTAINS_ENTRY] = 1u << INDEX_ENTRIES,
    };
    unsigned targets = 0, target = 1u << index->target;
    bool on_column = false;

    for (uint32_t i = 0; i < r->column_count; i++)
        on_column |= r->columns[i] == index->column;
    if (r->kind == RESTRICTION_EQ)
        targets = 1u << INDEX_VALUE | 1u << INDEX_FULL;
    for (const struct contains *c = r->contains; c; c = c->next)
        targets |= by_contains[c->kind];
    return on_column && (targets & target) != 0;
}

static const struct index *index_for(const struct table *table, const struct restriction *r)
{
    for (uint32_t i = 0; r && i < table->index_count; i++)
        if (index_answers(&table->indexes[i], r))
            return &table->indexes[i];
    return NULL;
}

bool restriction_has_index(const struct table *table, const struct restriction *r)
{
    return index_for(table, r) != NULL;
}

static const struct index *index_among(const struct table *table, struct restriction *const *list, uint32_t n)
{
    const struct index *index = NULL;
    for (uint32_t i = 0; i < n && !index; i++)
        index = index_for(table, list[i]);
    return index;
}

/* Whether one index (or, of SAI, all of them together) leaves nothing of the list to filter. */
static bool list_needs_filter(const struct table *table, const struct index *index, struct restriction *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool answered = false, several;
        if (!list[i])
            continue;
        several = (list[i]->contains && list[i]->contains->next) || list[i]->column_count > 1;
        for (uint32_t j = 0; j < table->index_count && !answered; j++) {
            const struct index *other = &table->indexes[j];
            bool together = other == index || (index->index_class == INDEX_SAI && other->index_class == INDEX_SAI);
            answered = together && index_answers(other, list[i]) && !(several && other->index_class == INDEX_LEGACY);
        }
        if (!answered)
            return true;
    }
    return false;
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
        while (next < table->clustering_count && !rs->clustering[next])
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

    while (at < rs->other_count && slice_cmp(rs->others[at]->columns[0]->name, name) < 0)
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

static enum wr_status judge_keys(struct ctx *ctx, struct restrictions *rs, bool has_index)
{
    const struct table *table = rs->table;
    bool any = rs->key_restricted > 0, all = rs->key_restricted == table->key_count;

    if (rs->use != RESTRICT_SELECT) {
        if (rs->token && (!all || keys_have_slice(rs))) /* else it filters the keys that are given (TokenFilter.isOnToken) */
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
        if (!(rs->flags & RESTRICT_ALLOW_FILTERING) && !has_index)
            return fail_needs_filtering(ctx);
        rs->uses_index = has_index;
    }
    return WR_OK;
}

/* How many leading clustering columns make ranges: up to a gap, a slice, or a form that no range expresses. */
static void find_ranged(struct restrictions *rs)
{
    uint32_t count = rs->table->clustering_count, at = 0;
    while (at < count && rs->clustering[at] && rs->clustering[at]->kind != RESTRICTION_CONTAINS &&
           first_position(rs->clustering[at]) == at) {
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
    if (has_index)
        rs->uses_index = true;
    else if (!(rs->flags & RESTRICT_ALLOW_FILTERING))
        return fail_needs_filtering(ctx);
    return WR_OK;
}

static enum wr_status judge(struct ctx *ctx, struct restrictions *rs)
{
    const struct table *table = rs->table;
    const struct index *on_others = NULL, *on_clustering = NULL, *on_keys = NULL;
    bool clustering_in_filter;

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
    clustering_in_filter = rs->uses_index || rs->filters_clustering;
    TRY(judge_others(ctx, rs, has_index));
    if (!rs->uses_index) {
        rs->needs_filter = keys_in_filter || clustering_in_filter || rs->other_count || restrict_has_clustering(rs);
        return WR_OK;
    }
    if (restrict_key_has_in(rs))
        return fail(ctx, WR_INVALID, "Select on indexed columns and with IN clause for the PRIMARY KEY are not supported");
    rs->index = on_others ? on_others : on_clustering ? on_clustering : on_keys;
    rs->needs_filter = list_needs_filter(table, rs->index, rs->others, rs->other_count) ||
                       (clustering_in_filter && list_needs_filter(table, rs->index, rs->clustering, table->clustering_count)) ||
                       (keys_in_filter && list_needs_filter(table, rs->index, rs->keys, table->key_count));
    return WR_OK;
}

/* Markers of the partition key where each column is = to a bare one. */
static enum wr_status find_routing(struct ctx *ctx, struct restrictions *rs)
{
    uint16_t *routing = NEW_ARRAY(ctx, uint16_t, rs->table->key_count);
    if (!routing)
        return WR_NOMEM;
    for (uint32_t i = 0; i < rs->table->key_count; i++) {
        const struct restriction *r = rs->keys[i];
        uint32_t marker;
        if (!r || r->kind != RESTRICTION_EQ || !expr_is_marker(r->values[0].parts[0], &marker))
            return WR_OK;
        routing[i] = (uint16_t)marker;
    }
    rs->routing = routing;
    return WR_OK;
}

enum wr_status restrict_bind(struct bind *bind, const struct ast_relation *where, enum restrict_for use, unsigned flags,
                             struct restrictions **out)
{
    const struct table *table = bind->table;
    struct ctx *ctx = bind->ctx;
    struct restrictions *rs = NEW(ctx, struct restrictions);
    uint32_t relations = 0;

    for (const struct ast_relation *r = where; r; r = r->next)
        relations++;
    if (!rs || !(rs->keys = NEW_ARRAY(ctx, struct restriction *, table->key_count)) ||
        !(rs->clustering = NEW_ARRAY(ctx, struct restriction *, table->clustering_count)) ||
        !(rs->others = NEW_ARRAY(ctx, struct restriction *, relations)))
        return WR_NOMEM;
    rs->table = table;
    rs->use = use;
    rs->flags = flags;
    for (const struct ast_relation *r = where; r; r = r->next) {
        struct restriction *added;
        if (use != RESTRICT_SELECT && (r->op == OP_CONTAINS || r->op == OP_CONTAINS_KEY))
            return fail(ctx, WR_INVALID, "Cannot use %s with CONTAINS%s", use_text[use], r->op == OP_CONTAINS_KEY ? " KEY" : "");
        TRY(relation_bind(bind, r, &added));
        TRY(add(ctx, rs, added, r->subject == SUBJECT_TOKEN));
    }
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

bool restrict_has_key_restriction(const struct restrictions *r)
{
    return r->key_restricted > 0 || r->token;
}

bool restrict_key_has_in(const struct restrictions *r)
{
    if (r->token && r->key_restricted < r->table->key_count)
        return false; /* TokenFilter.hasIN: they only filter */
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
