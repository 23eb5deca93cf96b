/*
 * What an index leads to: the index to go by, its hits in order, and their partitions and rows. A hit is a candidate: the row is read and filtered.
 */
#include "engine/token.h"
#include "model/read_command.h"
#include "model/select_source.h"
#include "model/tracing.h"

/* ---- the index ---- */

/* Where the partition is known: a range of terms would be gathered from all of them, and what a whole partition has finds nothing. */
static bool is_useless(const struct source_plan *plan, const struct index_ask *ask)
{
    enum column_kind kind = ask->index->column->kind;
    return plan->by_key && (slice_is_null(ask->term) || ask->partitions || kind == COLUMN_STATIC || kind == COLUMN_PARTITION_KEY);
}

/* The one with the fewest entries; NULL: none. */
static enum wr_status choose(struct exec *exec, const struct source_plan *plan, const struct index_ask *asks, uint32_t n,
                             const struct index_ask **out)
{
    enum { COUNTED_MAX = 512 };
    const struct index_ask *best = NULL;
    uint32_t least = UINT32_MAX, counted = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (is_useless(plan, &asks[i]))
            continue;
        if (n > 1)
            TRY(index_count(exec->ctx, exec->cursors.index_scan, exec->txn, asks[i].index->id, asks[i].terms,
                            least < COUNTED_MAX ? least : COUNTED_MAX, &counted));
        /* Where both are many, hits that come in order need not be gathered. */
        bool in_order = least == COUNTED_MAX && slice_is_null(best->term) && !slice_is_null(asks[i].term);
        if (counted < least || in_order) {
            best = &asks[i];
            least = counted;
        }
    }
    *out = best;
    return WR_OK;
}

/* A server goes by an index of rows within a partition, too, and comes by no tombstones but those of what it finds. */
static bool finds_rows(const struct index_ask *asks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (asks[i].index->column->kind == COLUMN_REGULAR || asks[i].index->column->kind == COLUMN_CLUSTERING)
            return true;
    return false;
}

/*
 * A legacy index has a static column's entry beneath the partition's key alone. Where the partition is known a server looks for entries beneath the key and the
 * restricted clusterings, so it meets this one only where some of these have no lower bound (CassandraIndexSearcher.makeFilter).
 */
static bool misses_statics(const struct source *s, const struct index_ask *asks, uint32_t n)
{
    bool misses = s->plan->by_key && n > 0;

    for (uint32_t i = 0; misses && i < n; i++)
        misses = asks[i].index->column->kind == COLUMN_STATIC && asks[i].index->index_class == INDEX_LEGACY;
    for (uint32_t i = 0; misses && i < s->ranges.count; i++)
        misses = source_is_reversed(s) ? !slice_is_null(s->ranges.list[i].end) : s->ranges.list[i].start.len > 0;
    return misses;
}

enum { GATHERED_MOST = 65536 }; /* entries of a range that are put in order; where there are more the table is read instead */

/*
 * Fewer, where every row that has an entry is an answer and few are asked for: among many entries those are soon met by reading the table. Mostly; for where
 * they lie together, or the table is much larger, so many rows are read and no more, and then some more entries gathered, and so on in turn, to the end of
 * one or the other. Within wr_atomically the place reached would not outlast a write.
 */
enum { PATIENCE_LEAST = 256, PATIENCE_GROWS = 8 };

static uint32_t longer(uint32_t patience, uint32_t least)
{
    if (patience > GATHERED_MOST / PATIENCE_GROWS)
        return GATHERED_MOST;
    return patience * PATIENCE_GROWS > least ? patience * PATIENCE_GROWS : least;
}

static uint32_t worth_gathering(const struct exec *exec, const struct source *s, uint32_t asks)
{
    bool all_answer = asks == 1 && !restrict_needs_filter(s->plan->where), told = s->command.counts || is_traced(exec);
    if (!all_answer || told || !txn_is_still(exec->txn))
        return GATHERED_MOST;
    return longer(s->rows_most, PATIENCE_LEAST);
}

static enum wr_status gather_range(struct exec *exec, struct source *s, const struct index_ask *ask, const struct index_hit *after, uint32_t most)
{
    struct index_range range = { ask->index->id, ask->terms, s->tokens.from, s->tokens.to, after, most };
    bool many;
    TRY(index_scan_open_range(exec->ctx, exec->cursors.index_scan, exec->txn, &s->plan->table->shape, &range, &many));
    s->index = many ? NULL : ask->index;
    return WR_OK;
}

/* From the partition that was read last on, as if a page had ended with it. */
enum wr_status hits_instead(struct exec *exec, struct source *s)
{
    const struct index_ask *ask = s->hits.put_off;
    uint32_t most = longer(s->hits.patience, 0);

    TRY(ctx_copy(exec->ctx, s->partition.key, &s->from.key));
    s->from.after_partition = true;
    s->partition.key = s->from.key;
    s->resuming = false;
    source_keep(exec, s);
    TRY(gather_range(exec, s, ask, &(struct index_hit){ .token = token_of(s->from.key), .partition_key = s->from.key, .clustering = SLICE_EMPTY }, most));
    s->hits.patience = most;
    if (s->index || most == GATHERED_MOST)
        s->hits.put_off = NULL;
    return WR_OK;
}

enum wr_status hits_open(struct exec *exec, struct source *s)
{
    const struct source_plan *plan = s->plan;
    struct index_hit after = { .partition_key = SLICE_EMPTY, .clustering = SLICE_EMPTY };
    const struct index_ask *ask;
    struct index_ask *asks;
    uint32_t n;

    if (!exec->cursors.index_scan)
        TRY(index_scan_new(exec->ctx, &exec->cursors.index_scan));
    TRY(restrict_asks(exec, plan->where, &asks, &n));
    if (misses_statics(s, asks, n)) {
        s->done = true;
        return WR_OK;
    }
    TRY(choose(exec, plan, asks, n, &ask));
    if (!ask) {
        s->command.counts &= !finds_rows(asks, n);
        return WR_OK;
    }
    s->index = ask->index;
    s->hits.partitions = ask->partitions;
    s->command.counts &= !ask->partitions; /* what is passed while words are looked for is not counted */
    if (exec->brief && (slice_is_null(ask->term) || s->words)) /* all of a range, or of a partition, is read first */
        return source_fail_long(exec);
    /* The partition a page ended in is looked up by its key, so hits go on behind it; if hits are rows, behind the row, where
     * there is an order to rely on. */
    bool exact = s->from.after_partition || (s->resuming && (!source_is_by_hit(s) || !source_is_reversed(s)));
    bool begins = false;
    if (exact) {
        after.token = token_of(s->from.key);
        after.partition_key = s->from.key;
        after.clustering = source_is_by_hit(s) ? s->from.clustering : SLICE_EMPTY;
    } else {
        int64_t from = plan->by_key ? token_of(s->keys.list[0]) : s->tokens.from;
        begins = from == INT64_MIN;
        after.token = begins ? from : from - 1;
    }
    if (!slice_is_null(ask->term))
        return index_scan_open(exec->ctx, exec->cursors.index_scan, exec->txn, &plan->table->shape, ask->index->id, ask->term, begins ? NULL : &after);
    s->hits.patience = worth_gathering(exec, s, n);
    TRY(gather_range(exec, s, ask, begins ? NULL : &after, s->hits.patience));
    if (!s->index) {
        s->hits.put_off = s->hits.patience < GATHERED_MOST ? ask : NULL;
        s->command.counts = false; /* a server comes by no tombstones but those of what the index finds */
    }
    return WR_OK;
}

/* ---- their partitions ---- */

static enum wr_status look_ahead(struct exec *exec, struct source *s)
{
    if (s->hits.has_next)
        return WR_OK;
    return index_scan_next(exec->ctx, exec->cursors.index_scan, &s->hits.next, &s->hits.has_next);
}

static bool hit_is_here(const struct source *s)
{
    return s->hits.has_next && slice_eq(s->hits.next.partition_key, s->partition.key);
}

enum wr_status hits_next_partition(struct exec *exec, struct source *s, bool *found)
{
    const struct source_plan *plan = s->plan;
    struct slice key;

    for (*found = false; !*found; ) {
        TRY(look_ahead(exec, s));
        if (!s->hits.has_next)
            return WR_OK;
        bool known = plan->by_key && slice_eq(s->hits.next.partition_key, s->keys.list[0]);
        bool behind = plan->by_key ? s->hits.next.token > token_of(s->keys.list[0]) : s->hits.next.token > s->tokens.to;
        bool given = s->from.after_partition && slice_eq(s->hits.next.partition_key, s->from.key);
        if (behind)
            return WR_OK;
        if (hit_is_here(s) || given || (plan->by_key && !known)) {
            s->hits.has_next = false;
            continue;
        }
        arena_rewind(exec->ctx->arena, s->base);
        const struct partition *at_hand = index_scan_partition(exec->cursors.index_scan);
        key = s->hits.next.partition_key;
        if (!s->hits.next.lasts)
            TRY(ctx_copy(exec->ctx, key, &key));
        if (is_traced(exec))
            source_trace_partition(exec, s);
        if (at_hand) {
            s->partition = *at_hand;
            *found = true;
        } else {
            TRY(partition_find(exec->ctx, exec->txn, &plan->table->shape, key, &s->partition, found));
        }
        s->partition.key = key;
    }
    if (plan->by_key)
        s->keys.found_at = s->keys.at = s->keys.count;
    return WR_OK;
}

/* ---- their rows ---- */

/* A reversed read needs all hits of a partition before it can give the last of them. */
static enum wr_status gather_hits(struct exec *exec, struct source *s)
{
    uint32_t room = 0;

    s->hits.gathered_count = 0;
    for (;;) {
        s->passed_count++;
        TRY(source_stay_brief(exec, s));
        TRY(look_ahead(exec, s));
        if (!hit_is_here(s))
            break;
        if (s->hits.gathered_count == room) {
            room = room ? 2 * room : 16;
            struct slice *grown = NEW_ARRAY(exec->ctx, struct slice, room);
            if (!grown)
                return WR_NOMEM;
            if (s->hits.gathered_count)
                memcpy(grown, s->hits.gathered, s->hits.gathered_count * sizeof *grown);
            s->hits.gathered = grown;
        }
        struct slice *clustering = &s->hits.gathered[s->hits.gathered_count++];
        *clustering = s->hits.next.clustering;
        if (!s->hits.next.lasts)
            TRY(ctx_copy(exec->ctx, *clustering, clustering));
        s->hits.has_next = false;
    }
    s->mark = arena_mark(exec->ctx->arena);
    return WR_OK;
}

/* The next clustering that was hit in this partition; false: no more. */
static enum wr_status next_clustering(struct exec *exec, struct source *s, bool *found)
{
    if (source_is_reversed(s)) {
        if (!s->hits.gathered)
            TRY(gather_hits(exec, s));
        *found = s->hits.gathered_count > 0;
        if (*found)
            s->clustering = s->hits.gathered[--s->hits.gathered_count];
        return WR_OK;
    }
    TRY(look_ahead(exec, s));
    *found = hit_is_here(s);
    s->clustering = s->hits.next.clustering;
    if (*found)
        s->hits.has_next = false;
    return WR_OK;
}

enum wr_status hits_next_row(struct exec *exec, struct source *s, bool *found)
{
    for (bool more = true, live; more;) {
        arena_rewind(exec->ctx->arena, s->mark);
        s->passed_count++;
        TRY(source_stay_brief(exec, s));
        TRY(next_clustering(exec, s, &more));
        if (!more || !source_in_ranges(s, s->clustering))
            continue;
        TRY(row_find_live(exec->ctx, exec->txn, &s->partition, s->clustering, source_columns(s), &s->single, &live));
        if (!live || !source_shows(s, exec->ctx, &s->single))
            continue;
        s->row = &s->single;
        s->read_count++;
        TRY(read_command_hit(exec, s));
        TRY(row_values_row(exec->ctx, &s->plan->columns, s->clustering, s->row, s->values));
        TRY(filter_row(exec->ctx, s->filter, s->values, found));
        if (*found)
            return WR_OK;
    }
    *found = false;
    return WR_OK;
}

/* ---- some rows at a time ---- */

/* Where rows that were hit lie; what each shares with its partition is among its values already. */
struct places {
    struct row_place at[ROWS_AT_ONCE];
    uint32_t count, most;
};

static struct slice *values_of(const struct source *s, uint32_t row)
{
    return s->batch.rows.values + (size_t)row * s->batch.rows.stride;
}

/* Those of the partition that it is in, up to as many as there is room for. */
static enum wr_status gather_places(struct exec *exec, struct source *s, struct places *places)
{
    while (places->count < places->most) {
        struct row_place *place = &places->at[places->count];
        s->passed_count++;
        TRY(source_stay_brief(exec, s));
        TRY(next_clustering(exec, s, &s->in_partition));
        if (!s->in_partition)
            return WR_OK;
        if (!source_in_ranges(s, s->clustering))
            continue;
        *place = (struct row_place){ s->partition.id, s->clustering, s->partition.row };
        if (!s->hits.next.lasts)
            TRY(ctx_copy(exec->ctx, place->clustering, &place->clustering));
        row_values_share(&s->plan->columns, s->shared, values_of(s, places->count));
        s->batch.keys[places->count++] = s->partition.key;
    }
    return WR_OK;
}

/* Of partition after partition; none: there are no more. What a partition shares lies behind s->mark while it is in that; what all of them have is kept until
 * all their rows have been given. */
static enum wr_status gather_all_places(struct exec *exec, struct source *s, struct places *places)
{
    const struct arena_mark base = s->base;
    bool found = true;

    arena_rewind(exec->ctx->arena, s->in_partition ? s->mark : base);
    places->count = 0;
    while (found && places->count < places->most) {
        if (s->in_partition) {
            TRY(gather_places(exec, s, places));
        } else {
            s->base = arena_mark(exec->ctx->arena);
            TRY(source_next_partition(exec, s, &found));
        }
    }
    s->base = base;
    return s->plan->table->clustering_count ? rows_find(exec->ctx, exec->txn, places->at, places->count) : WR_OK;
}

/* The values of a row; *found false: there is nothing to see of it, or it is none of those asked for. */
static enum wr_status read_place(struct exec *exec, struct source *s, const struct row_place *place, struct slice *values, bool *found)
{
    const struct source_plan *plan = s->plan;
    const struct row_columns *wanted = &plan->columns;
    struct slice *first = values + plan->table->key_count;
    struct row row;

    *found = row_flat(&plan->table->shape, place->bytes, &s->batch.rows, values);
    if (*found) {
        TRY(row_values_collections(exec->ctx, wanted, values));
        if (wanted->has_clustering)
            TRY(clustering_split_rows(exec->ctx, &plan->table->clustering, &place->clustering, 1, first, s->batch.rows.stride));
    } else {
        TRY(row_show_live(exec->ctx, exec->txn, &plan->table->shape, place->bytes, source_columns(s), &row, found));
        if (*found)
            TRY(row_values_row(exec->ctx, wanted, place->clustering, &row, values));
    }
    return *found ? filter_row(exec->ctx, s->filter, values, found) : WR_OK;
}

static enum wr_status read_ahead(struct exec *exec, struct source *s)
{
    struct places places;
    uint32_t n = 0;
    bool found;

    places.most = source_batch(s);
    do {
        TRY(gather_all_places(exec, s, &places));
        for (uint32_t i = 0; i < places.count; i++) {
            struct slice *values = values_of(s, i);
            TRY(read_place(exec, s, &places.at[i], values, &found));
            if (!found)
                continue;
            if (n < i) {
                memcpy(values_of(s, n), values, s->batch.rows.stride * sizeof *values);
                s->batch.keys[n] = s->batch.keys[i];
            }
            s->batch.rows.clusterings[n++] = places.at[i].clustering;
        }
    } while (!n && places.count);
    s->done = n == 0;
    source_batch_read(exec, s, n);
    return WR_OK;
}

enum wr_status hits_next(struct exec *exec, struct source *s, bool *found)
{
    *found = false;
    if (s->batch.at == s->batch.count)
        TRY(read_ahead(exec, s));
    if (s->done)
        return WR_OK;
    source_take(s);
    s->row = &source_no_cells;
    *found = true;
    return WR_OK;
}
