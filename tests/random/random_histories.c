/*
 * random_histories - the engine against a small obvious model.
 *
 * A history is a handful of facts (cells, markers, tombstones of every kind) over very small spaces of keys, paths, values
 * and timestamps, so that ties and overlaps are common. The engine is given the facts in random order, some of them twice, in
 * random mutations and transactions, with aborted transactions, sweeps, steps of the clock and (on
 * disk) reopenings between. The model keeps the facts in a list and works out from all of them what must be visible.
 *
 * usage: random_histories HISTORIES [SEED [FOLDER]]      without a folder: in memory
 */
#include <time.h>

#include "engine/rig.h"
#include "engine/tidy.h"
#include "tests/random/mirror.h"
#include "tests/random/telling.h"

/* ---- comparing ---- */

static const uint32_t some_columns[] = { COLUMN_A, COLUMN_MAP, 77 };
static struct range some_ranges[2]; /* of the map */
static struct paths some_paths[3] = { [1] = { .ranges = some_ranges } };
static const struct columns some = { .ids = some_columns, .paths = some_paths, .count = 3 };

/* All of the map, one range of it, or two: from a path to before another, which may be the same, or to the end. */
static void choose_paths(void)
{
    unsigned at = 0;

    some_paths[1].count = below(3);
    for (unsigned i = 0; i < some_paths[1].count; i++) {
        unsigned from = at + below(PATHS - at), to = from + below(PATHS - from);
        some_ranges[i] = (struct range){ paths[from], i + 1 == some_paths[1].count && one_in(4) ? SLICE_NULL : paths[to] };
        at = to;
    }
}

static bool is_path_wanted(struct slice path)
{
    bool wanted = some_paths[1].count == 0;

    for (unsigned i = 0; i < some_paths[1].count; i++)
        wanted |= range_has(some_ranges[i], path);
    return wanted;
}

static void check_row(const struct row *row, const struct shown *expected, bool all_columns)
{
    unsigned at = 0;

    for (unsigned i = 0; i < expected->count; i++) {
        const struct cell *want = &expected->cells[i];
        if (!all_columns && want->column != COLUMN_A && !(want->column == COLUMN_MAP && is_path_wanted(want->path)))
            continue;
        CHECK(at < row->cell_count);
        const struct cell *got = &row->cells[at++];
        CHECK(got->column == want->column && slice_eq(got->path, want->path));
        CHECK(got->timestamp_us == want->timestamp_us && got->kind == want->kind && got->local_s == want->local_s);
        CHECK(got->ttl_s == want->ttl_s && slice_eq(got->value, want->value) && !got->flags);
    }
    CHECK(at == row->cell_count);
}

/* The clusterings in order, as indices; those in range. */
static int ordered_clusterings(struct range range, bool has_clustering, bool reversed, int *out)
{
    int n = 0;

    if (!has_clustering) {
        out[0] = 0;
        return in_range(range, SLICE_EMPTY) ? 1 : 0;
    }
    for (int i = 0; i < CLUSTERINGS; i++) {
        if (!in_range(range, clusterings[i]))
            continue;
        int at = n++;
        for (; at > 0 && (slice_cmp(clusterings[out[at - 1]], clusterings[i]) > 0) != reversed; at--)
            out[at] = out[at - 1];
        out[at] = i;
    }
    return n;
}

static void check_scan(struct txn *txn, const struct history *h, int p, const struct partition *found, struct range range,
                       unsigned flags, bool all_columns)
{
    struct shown expected;
    const struct row_view *view;
    int order[CLUSTERINGS];
    int n = ordered_clusterings(range, h->has_clustering, flags & SCAN_REVERSED, order);
    int skip_from = h->has_clustering && one_in(4) ? (int)below(CLUSTERINGS) : -1, at = 0;

    choose_paths();
    MUST(scan_open(&ctx, scan, txn, found, range, flags, all_columns ? NULL : &some));
    MUST(scan_next(&ctx, scan, &view));
    for (; at < n; at++) {
        model_show(h, p, order[at], &expected);
        if (!expected.alive)
            continue;
        CHECK(view && slice_eq(view->clustering, h->has_clustering ? clusterings[order[at]] : SLICE_EMPTY));
        check_row(&view->row, &expected, all_columns);
        if (skip_from >= 0) { /* once: on to some place further on */
            struct slice to = clusterings[skip_from], here = clusterings[order[at]];
            int c = slice_cmp(to, here);
            if (flags & SCAN_REVERSED ? c < 0 : c > 0) {
                scan_seek(scan, to);
                while (at + 1 < n && (flags & SCAN_REVERSED ? slice_cmp(clusterings[order[at + 1]], to) > 0
                                                            : slice_cmp(clusterings[order[at + 1]], to) < 0))
                    at++;
            }
            skip_from = -1;
        }
        MUST(scan_next(&ctx, scan, &view));
    }
    CHECK(!view);
    scan_close(scan);
}

static void check_partition(struct txn *txn, const struct history *h, int p)
{
    static char room[2][1200];
    struct range all = { SLICE_EMPTY, SLICE_NULL }, part;
    struct partition found;
    struct shown expected;
    struct row row;
    bool exists, alive;

    MUST(partition_find(&ctx, txn, &table, partition_keys[p], &found, &exists));
    CHECK(exists == (found.id != 0));
    check_scan(txn, h, p, &found, all, 0, true);
    check_scan(txn, h, p, &found, all, SCAN_REVERSED, one_in(2));
    part.start = random_bound(room[0], false);
    part.end = random_bound(room[1], true);
    check_scan(txn, h, p, &found, part, one_in(2) ? SCAN_REVERSED : 0, one_in(2));
    for (int c = 0; c < (h->has_clustering ? CLUSTERINGS : 1); c++) {
        model_show(h, p, c, &expected);
        MUST(row_find_live(&ctx, txn, &found, h->has_clustering ? clusterings[c] : SLICE_EMPTY, NULL, &row, &alive));
        CHECK(alive == expected.alive);
        check_row(&row, alive ? &expected : &(struct shown){ 0 }, true);
    }
    MUST(partition_static(&ctx, txn, &found, NULL, &row));
    model_show(h, p, STATIC, &expected);
    check_row(&row, h->has_clustering ? &expected : &(struct shown){ 0 }, true);
}

static bool has_term(const struct shown *s, int clustering, bool has_clustering, struct slice term)
{
    struct slice rest = slice_skip(term, TERM_HEAD);

    if (term.data[0] == 'C')
        return s->alive && slice_eq(rest, has_clustering ? clusterings[clustering] : SLICE_EMPTY);
    for (unsigned i = 0; i < s->count; i++) {
        const struct cell *c = &s->cells[i];
        if ((term.data[0] == 'A' && c->column == COLUMN_A && slice_eq(c->value, rest)) ||
            (term.data[0] == 'B' && c->column == COLUMN_BIG && slice_eq(c->value, rest)) ||
            (term.data[0] == 'M' && c->column == COLUMN_MAP && slice_eq(c->path, rest)) ||
            (term.data[0] == 'S' && c->column == COLUMN_STATIC && slice_eq(c->value, rest)))
            return true;
    }
    return false;
}

/* Of every row exactly one hit or none; with the term: one. In order, and the same when resumed behind any of them. */
static void check_term(struct txn *txn, const struct history *h, const struct index_shape *index, struct slice term)
{
    bool hit[PARTITIONS][CLUSTERINGS + 1] = { { false } };
    struct index_hit at, last = { 0 };
    struct shown expected;
    bool found, resumed = false;
    int64_t token = INT64_MIN;
    struct slice clustering = SLICE_NULL, key = SLICE_NULL;

    MUST(index_scan_open(&ctx, hits, txn, &table, index->index_id, term, NULL));
    for (;;) {
        MUST(index_scan_next(&ctx, hits, &at, &found));
        if (!found)
            break;
        int p = 0, c = index->of_static ? STATIC : 0;
        while (p < PARTITIONS && !slice_eq(partition_keys[p], at.partition_key))
            p++;
        while (c < CLUSTERINGS && h->has_clustering && !index->of_static && !slice_eq(clusterings[c], at.clustering))
            c++;
        CHECK(p < PARTITIONS && (c < CLUSTERINGS || index->of_static) && !hit[p][c]);
        CHECK(at.token >= token);
        CHECK(slice_is_null(key) || !slice_eq(key, at.partition_key) || slice_cmp(clustering, at.clustering) < 0);
        hit[p][c] = true;
        token = at.token;
        key = partition_keys[p];
        clustering = index->of_static || !h->has_clustering ? SLICE_EMPTY : clusterings[c];
        if (!resumed && one_in(3)) {
            last = (struct index_hit){ .token = token, .partition_key = key, .clustering = clustering };
            MUST(index_scan_open(&ctx, hits, txn, &table, index->index_id, term, &last));
            resumed = true;
        }
    }
    for (int p = 0; p < PARTITIONS; p++) {
        for (int c = 0; c <= CLUSTERINGS; c++) {
            if ((c == STATIC) != index->of_static || (!h->has_clustering && c > 0))
                continue;
            model_show(h, p, c, &expected);
            CHECK(!has_term(&expected, c, h->has_clustering, term) || hit[p][c]);
        }
    }
}

static void check_indexes(struct txn *txn, const struct history *h)
{
    static const char prefixes[] = { 'A', 'B', 'M', 'C' };

    for (int i = 0; i < 4; i++) {
        char prefix = prefixes[below(4)];
        struct slice s = prefix == 'M' ? paths[below(PATHS_COMMON)]
                         : prefix == 'C' ? (h->has_clustering ? clusterings[below(CLUSTERINGS)] : SLICE_EMPTY)
                                         : values[below(7)];
        check_term(txn, h, &indexes[0], make_term(prefix, s));
    }
    if (!h->has_clustering)
        return;
    check_term(txn, h, &indexes[1], make_term('S', values[below(4)]));
}

/* Which partitions a walk comes by, in order of their tokens. */
static void walk_partitions(struct txn *txn, bool any, bool seen[PARTITIONS])
{
    struct partition p, by_key;
    int64_t token = INT64_MIN;
    bool found;

    memset(seen, 0, PARTITIONS * sizeof *seen);
    MUST((any ? partitions_open_any : partitions_open)(&ctx, partitions, txn, &table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        MUST(partitions_next(&ctx, partitions, &p, &found));
        if (!found)
            break;
        int i = 0;
        while (i < PARTITIONS && !slice_eq(partition_keys[i], p.key))
            i++;
        CHECK(i < PARTITIONS && !seen[i] && p.token >= token);
        seen[i] = true;
        token = p.token;
        MUST((any ? partition_find_any : partition_find_at)(&ctx, txn, &table, token, p.key, &by_key, &found));
        CHECK(found && by_key.id == p.id);
    }
}

static void check_partitions(struct txn *txn, const struct history *h)
{
    bool living[PARTITIONS], all[PARTITIONS];
    struct shown expected;

    walk_partitions(txn, false, living);
    walk_partitions(txn, true, all);
    for (int i = 0; i < PARTITIONS; i++) {
        CHECK(all[i] || !living[i]);
        for (int c = 0; c <= CLUSTERINGS && !living[i]; c++) {
            model_show(h, i, c, &expected);
            CHECK(!expected.alive);
        }
    }
}

/* The engine's own count of a table. */
static void check_figures(struct txn *txn, const struct history *h, bool purged)
{
    struct table_figures figures;
    struct shown expected;
    uint64_t rows = 0, cells = 0, partition_count = 0;

    MUST(engine_table_figures(&ctx, txn, &table, &figures));
    for (int p = 0; p < PARTITIONS; p++) {
        bool any = false;
        for (int c = 0; c <= CLUSTERINGS; c++) {
            if (!h->has_clustering && c > 0)
                break;
            model_show(h, p, c, &expected);
            rows += expected.alive && c != STATIC;
            cells += expected.count;
            any |= expected.alive;
        }
        partition_count += any;
    }
    CHECK(figures.rows == rows && figures.cells == cells);
    /* Once all is over that could be, nothing but the living is left. */
    CHECK(purged ? figures.partitions == partition_count : figures.partitions >= partition_count);
}

static void check(struct txn *txn, const struct history *h)
{
    for (int p = 0; p < PARTITIONS; p++)
        check_partition(txn, h, p);
    check_partitions(txn, h);
    if (table.index_count)
        check_indexes(txn, h);
    if (table.hook)
        check_mirror(h);
}

static enum wr_status catch_up(struct ctx *of_engine, struct txn *txn, void *more)
{
    const struct reach all = reach_all(&table), some_keys = { .table = &table, .keys = partition_keys, .key_count = PARTITIONS };
    (void)of_engine;
    return txn_catch_up(&ctx, txn, one_in(2) ? &all : &some_keys, one_in(2) ? 0 : 1 + below(20), more);
}

/* As who reads does: what was put off is applied first, and then nothing is behind. */
static void catch_up_all(void)
{
    const struct reach all = reach_all(&table);
    struct txn *txn = NULL;
    bool more = true, behind;

    while (more)
        MUST((one_in(2) ? engine_write : engine_write_gathered)(&ctx, engine, catch_up, &more));
    MUST(txn_begin_read(&ctx, engine, &txn));
    MUST(txn_is_behind(&ctx, txn, &all, &behind));
    CHECK(!behind);
    txn_abort(&txn);
}

static void check_committed(const struct history *h, bool purged)
{
    struct txn *txn = NULL;
    catch_up_all();
    MUST((one_in(2) ? txn_begin_brief : txn_begin_read)(&ctx, engine, &txn));
    check(txn, h);
    check_figures(txn, h, purged);
    txn_abort(&txn);
}

static void report(void *arg, const char *finding)
{
    (void)arg;
    fprintf(stderr, "verify: %s\n", finding);
}

static void verify(void)
{
    struct findings findings = { .report = report };
    MUST(engine_verify(&ctx, engine, &findings));
    CHECK(findings.count == 0);
}

/* ---- one history ---- */

/* Facts beyond those of the model, told and taken back. */
static void tell_in_vain(struct txn *txn, const struct history *h)
{
    struct history vain = *h;
    int order[4];

    vain.count = 4;
    for (int i = 0; i < 4; i++) {
        vain.facts[i] = random_fact(&vain, FACTS_MAX - 4 + i, (int)below(PARTITIONS));
        order[i] = i;
    }
    mirror_paused = true;
    enum wr_status st = tell(txn, &vain, order, 0, 4);
    CHECK(st == WR_OK || st == WR_BUSY); /* it may be too long to share its transaction */
    mirror_paused = false;
}

static void pause_between(struct history *h)
{
    bool more = true;

    if (one_in(4))
        h->now_s += below(5);
    if (h->ordered && one_in(6))
        h->now_s += 20;
    refresh(h);
    if (one_in(6))
        tidy_want(engine, &(struct tidying){ table.table_id, one_in(2) ? INT64_MIN : 0, one_in(2) ? INT64_MAX : 0 });
    if (one_in(6))
        for (int i = 0; i < 20 && more; i++)
            MUST(engine_sweep(&ctx, engine, &more));
    if (one_in(12)) {
        struct txn *txn = NULL;
        MUST(txn_begin_write(&ctx, engine, &txn));
        tell_in_vain(txn, h);
        txn_abort(&txn);
    }
    if (options.path && one_in(20)) {
        engine_close(engine);
        open_engine();
        refresh(h);
    }
    if (one_in(100))
        verify();
    if (table.may_wait && one_in(2)) /* more is put off, */
        return;
    if (table.may_wait && one_in(4)) { /* or applied within a write that reads */
        struct txn *txn = NULL;
        MUST(txn_begin_write(&ctx, engine, &txn));
        check(txn, h);
        txn_abort(&txn);
    }
    check_committed(h, false);
}

struct telling {
    const struct history *h;
    const int *order;
    int from, to;
    struct shown mirror[PARTITIONS][CLUSTERINGS]; /* before */
};

/* What is too long to share its transaction is told twice, and of the first time nothing is left. */
static enum wr_status tell_them(struct ctx *of_engine, struct txn *txn, void *arg)
{
    const struct telling *t = arg;
    (void)of_engine;
    memcpy(mirror, t->mirror, sizeof mirror);
    return tell(txn, t->h, t->order, t->from, t->to);
}

static void tell_some(struct history *h, const int *order, int from, int to, bool after_failure)
{
    refresh(h);
    if (after_failure) {
        struct txn *txn = NULL;
        MUST(txn_begin_gathered(&ctx, engine, &txn));
        tell_in_vain(txn, h);
        txn_abort(&txn);
    }
    struct telling t = { .h = h, .order = order, .from = from, .to = to };
    memcpy(t.mirror, mirror, sizeof mirror);
    MUST((one_in(2) ? engine_write : engine_write_gathered)(&ctx, engine, tell_them, &t));
}

/* A collection large enough to leave its row, told at once. */
static void add_mass(struct history *h, int partition)
{
    struct fact f = random_fact(h, FACTS_MAX - 5, partition);
    int n = 50 + (int)below(40);

    if (one_in(2)) /* where few others are */
        f.clustering = h->has_clustering ? 1 : 0;
    if (h->count > 0 && one_in(2)) {
        f.clustering = h->facts[0].clustering;
        f.partition = h->facts[0].partition;
    }

    for (int i = 0; i < n && h->count < FACTS_MAX - 8; i++) {
        f.kind = FACT_CELL;
        f.cell.column = COLUMN_MAP;
        f.cell.path = paths[i];
        if (h->ordered)
            f.cell.timestamp_us = f.liveness.timestamp_us = f.deletion.timestamp_us = h->timestamp_us;
        h->facts[h->count++] = f;
    }
}

static void begin_history(struct history *h)
{
    struct txn *txn = NULL;

    *h = (struct history){ .has_clustering = !one_in(4), .ordered = one_in(3), .now_s = NOW_S };
    refresh(h);
    MUST(txn_begin_write(&ctx, engine, &txn));
    table = (struct table_shape){ .has_clustering = h->has_clustering,
                                  .may_wait = one_in(2),
                                  .gc_grace_s = h->ordered ? below(10) : 1000000,
                                  .indexes = indexes,
                                  .index_count = one_in(2) ? 2 : 0,
                                  .hook = one_in(4) ? &hook : NULL };
    MUST(txn_next_id(&ctx, txn, &table.table_id));
    for (int p = 0; p < PARTITIONS; p++)
        for (int c = 0; c < CLUSTERINGS; c++)
            mirror_row(&mirror[p][c], NULL);
    indexes[0] = (struct index_shape){ .terms = terms_of_row };
    indexes[1] = (struct index_shape){ .terms = terms_of_static, .of_static = true };
    MUST(txn_next_id(&ctx, txn, &indexes[0].index_id));
    MUST(txn_next_id(&ctx, txn, &indexes[1].index_id));
    MUST(txn_commit(&ctx, &txn));
}

/* An index made at the end finds what it would have found had it been there all the time. */
static void check_late_index(struct history *h)
{
    struct txn *txn = NULL;

    refresh(h);
    rig.build_batch_bytes = one_in(2) ? 1 + below(2000) : 8 << 20;
    rig.build_part_bytes = one_in(2) ? 1 + below(5000) : 16 << 20;
    MUST(txn_begin_write(&ctx, engine, &txn));
    MUST(txn_build_index(&ctx, txn, &table, &indexes[0]));
    if (table.has_clustering)
        MUST(txn_build_index(&ctx, txn, &table, &indexes[1]));
    MUST(txn_commit(&ctx, &txn));
    table.index_count = 2;
    check_committed(h, false);
}

static void end_history(struct history *h)
{
    struct txn *txn = NULL;

    if (!table.index_count && one_in(3))
        check_late_index(h);
    refresh(h);
    if (one_in(40))
        verify();
    MUST(txn_begin_write(&ctx, engine, &txn));
    MUST(txn_forget_table(&ctx, txn, table.table_id));
    if (table.index_count) {
        MUST(txn_forget_index(&ctx, txn, indexes[0].index_id));
        MUST(txn_forget_index(&ctx, txn, indexes[1].index_id));
    }
    MUST(txn_commit(&ctx, &txn));
}

/* Facts already told are told again at times; the model needs them once. */
static void run_unordered(struct history *h)
{
    int order[2 * FACTS_MAX], told = 0, n = 2 + (int)below(30), total = 0;
    static struct history so_far;

    for (; h->count < n; h->count++)
        h->facts[h->count] = random_fact(h, h->count, (int)below(PARTITIONS));
    if (one_in(6))
        add_mass(h, (int)below(PARTITIONS));
    for (int i = 0; i < h->count; i++)
        order[total++] = i;
    for (int i = 0; i < h->count; i++)
        if (one_in(4))
            order[total++] = i;
    for (int i = total - 1; i > 0; i--) {
        int j = (int)below((unsigned)i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    while (told < total) {
        int step = 1 + (int)below(one_in(4) ? (unsigned)total : 5);
        if (step > total - told)
            step = total - told;
        tell_some(h, order, told, told + step, one_in(8));
        told += step;
        if (one_in(3)) {
            so_far = *h;
            so_far.count = 0;
            bool known[FACTS_MAX] = { false };
            for (int i = 0; i < told; i++)
                known[order[i]] = true;
            for (int i = 0; i < h->count; i++)
                if (known[i])
                    so_far.facts[so_far.count++] = h->facts[i];
            pause_between(&so_far);
            h->now_s = so_far.now_s;
        }
    }
    pause_between(h);
    h->now_s += 30; /* all that expires has */
    pause_between(h);
}

static void run_ordered(struct history *h)
{
    int n = 2 + (int)below(30), order[FACTS_MAX];

    for (int i = 0; i < FACTS_MAX; i++)
        order[i] = i;
    while (h->count < n && h->count < FACTS_MAX - 8) {
        int from = h->count, step = 1 + (int)below(4);
        for (int i = 0; i < step; i++, h->count++)
            h->facts[h->count] = random_fact(h, h->count, (int)below(PARTITIONS));
        if (one_in(12))
            add_mass(h, (int)below(PARTITIONS));
        tell_some(h, order, from, h->count, one_in(8));
        if (one_in(2))
            pause_between(h);
    }
    pause_between(h);
    h->now_s += 60; /* beyond all TTLs and the gc grace */
    pause_between(h);
    bool more = true;
    while (more)
        MUST(engine_sweep(&ctx, engine, &more));
    check_committed(h, true);
}

int main(int argc, char **argv)
{
    static struct history history;
    uint64_t histories = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    options = (struct engine_options){ .path = argc > 3 ? argv[3] : NULL, .durability = DURABILITY_NONE, .create = true };
    printf("random_histories: %" PRIu64 " histories, seed %" PRIu64 "\n", histories, seed);
    fflush(stdout);
    make_spaces();
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    rig.gather_after = 0; /* whenever it may */
    rig.backlog_when = BACKLOG_ALWAYS;
    rig.backlog_idle_ms = 0;
    open_engine();
    MUST(scan_new(&ctx, &scan));
    MUST(partitions_new(&ctx, &partitions));
    MUST(index_scan_new(&ctx, &hits));
    for (history_number = 0; history_number < histories; history_number++) {
        rng = seed + history_number * 0x2545f4914f6cdd1du;
        begin_history(&history);
        if (history.ordered)
            run_ordered(&history);
        else
            run_unordered(&history);
        end_history(&history);
    }
    bool more = true;
    while (more)
        MUST(engine_sweep(&ctx, engine, &more));
    verify();
    scan_free(scan);
    partitions_free(partitions);
    index_scan_free(hits);
    engine_close(engine);
    arena_release(&arena);
    puts("1 passed, 0 failed"); /* a history that is not as it should be has ended the program */
    return 0;
}
