/*
 * readers.h - what there is in a table, kept in memory beside it, and reads that are told by a copy of that what they have to give: of random_snapshots.
 *
 * Clusterings and values are as long as keys of LMDB, its nodes, chunks and pages are, and a little more or less.
 */
#ifndef WR_TESTS_READERS_H
#define WR_TESTS_READERS_H

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "tests/random/histories.h"
#include "widerow.h"

enum {
    PARTITIONS = 48,
    CLUSTERINGS = 72,
    CLUSTERING_MOST = 1600,
    VALUE_MOST = 70000,
    READERS = 12,
    VALUES = 7, /* of v */
    IN_MOST = 12,
};

/* ---- what there is ---- */

#define FOR_EVER INT64_MAX

/* The seconds until which each is alive; 0: it is not there. */
struct row_state {
    int64_t marker, v, w;
    int32_t v_value;
    uint32_t w_len;
    uint8_t w_byte;
};

struct state {
    struct row_state rows[PARTITIONS][CLUSTERINGS];
    int64_t statics[PARTITIONS];
    int32_t static_values[PARTITIONS];
};

static struct state now;
static int64_t clock_s;
static uint8_t clusterings[CLUSTERINGS][CLUSTERING_MOST];
static size_t clustering_lens[CLUSTERINGS];
static int order[PARTITIONS]; /* of tokens */
static bool is_indexed;

static wr_db *db;
static uint64_t map_bytes; /* to begin with; 0: there is room */

static void failed(const char *what, const char *why)
{
    fprintf(stderr, "FAILED: %s: %s (seed %" PRIu64 ", history %" PRIu64 ")\n", what, why, seed, history);
    printf("0 passed, 1 failed\n");
    abort();
}

static void must(enum wr_status st, const char *what)
{
    if (st != WR_OK)
        failed(what, wr_error(db));
}

static bool is_alive(const struct row_state *row, int64_t at)
{
    return row->marker > at || row->v > at || row->w > at;
}

static int bytes_cmp(const void *a, size_t a_len, const void *b, size_t b_len)
{
    int c = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return c ? c : (a_len > b_len) - (a_len < b_len);
}

/* In order, all different. */
static void make_clusterings(void)
{
    static const unsigned lengths[] = { 1, 3, 7, 8, 9, 16, 30, 60, 490, 495, 499, 500, 501, 502, 503, 504, 505, 506, 511, 512, 1000, 1005, 1006, 1007, 1509, 1510 };
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    unsigned kind = below(3);

    for (int i = 0; i < CLUSTERINGS;) {
        uint8_t bytes[CLUSTERING_MOST];
        size_t len = lengths[kind == 0 ? below(8) : kind == 1 ? 8 + below(LENGTHS - 8) : below(LENGTHS)];
        memset(bytes, (int)(below(4) ? 0 : 255), sizeof bytes);
        for (unsigned n = 1 + below(4); n; n--)
            bytes[below(3) ? len - 1 - below(len < 9 ? (unsigned)len : 9) : below((unsigned)len)] = (uint8_t)next_random();
        int at = 0;
        while (at < i && bytes_cmp(clusterings[at], clustering_lens[at], bytes, len) < 0)
            at++;
        if (at < i && bytes_cmp(clusterings[at], clustering_lens[at], bytes, len) == 0)
            continue;
        memmove(&clusterings[at + 1], &clusterings[at], (size_t)(i - at) * sizeof *clusterings);
        memmove(&clustering_lens[at + 1], &clustering_lens[at], (size_t)(i - at) * sizeof *clustering_lens);
        memcpy(clusterings[at], bytes, len);
        clustering_lens[at] = len;
        i++;
    }
}

/* ---- reads ---- */

enum kind { ALL, ONE, ONE_BACK, BETWEEN, BETWEEN_BACK, SOME, SOME_EACH, SOME_BETWEEN, FEW, FEW_EACH, POINTS, BY_INDEX, ONE_BY_INDEX, COUNT, COUNT_ONE, COUNT_EACH,
            COUNT_SOME, COUNT_BETWEEN, LEAST, KINDS };

static const char *const texts[KINDS] = {
    [ALL] = "SELECT p, c, s, v, w FROM k.t",
    [ONE] = "SELECT p, c, s, v, w FROM k.t WHERE p = :p",
    [ONE_BACK] = "SELECT p, c, s, v, w FROM k.t WHERE p = :p ORDER BY c DESC",
    [BETWEEN] = "SELECT p, c, s, v, w FROM k.t WHERE p = :p AND c >= :low AND c < :high",
    [BETWEEN_BACK] = "SELECT p, c, s, v, w FROM k.t WHERE p = :p AND c >= :low AND c < :high ORDER BY c DESC",
    [SOME] = "SELECT p, c, s, v, w FROM k.t WHERE p IN :ps",
    [SOME_EACH] = "SELECT p, c, s, v, w FROM k.t WHERE p IN :ps PER PARTITION LIMIT :each",
    [SOME_BETWEEN] = "SELECT p, c, s, v, w FROM k.t WHERE p IN :ps AND c >= :low AND c < :high",
    [FEW] = "SELECT p, c, s, v, w FROM k.t LIMIT :most",
    [FEW_EACH] = "SELECT p, c, s, v, w FROM k.t PER PARTITION LIMIT :each LIMIT :most",
    [POINTS] = "SELECT p, c, s, v, w FROM k.t WHERE p IN :ps AND c IN (:low, :high)",
    [BY_INDEX] = "SELECT p, c, s, v, w FROM k.t WHERE v = :v",
    [ONE_BY_INDEX] = "SELECT p, c, s, v, w FROM k.t WHERE p = :p AND v = :v",
    [COUNT] = "SELECT count(*), count(v), sum(v), min(v), max(v) FROM k.t",
    [COUNT_ONE] = "SELECT count(*), count(v), sum(v), min(v), max(v) FROM k.t WHERE p = :p",
    [COUNT_EACH] = "SELECT count(*), count(v), sum(v), min(v), max(v) FROM k.t GROUP BY p",
    [COUNT_SOME] = "SELECT count(*), count(v), sum(v), min(v), max(v) FROM k.t WHERE p IN :ps GROUP BY p PER PARTITION LIMIT :each LIMIT :most",
    [COUNT_BETWEEN] = "SELECT count(*), count(v), sum(v), min(v), max(v) FROM k.t WHERE p = :p AND c >= :low AND c < :high",
    [LEAST] = "SELECT count(*) FROM k.t WHERE p IN :ps",
};

struct given {
    int p, c; /* c -1: of the static row alone */
};

struct total {
    int64_t rows, values;
    int32_t sum, least, most;
};

struct reader {
    wr_stmt *stmt;
    enum kind kind;
    int p, from, to, v, few, each, ps[IN_MOST], p_count;
    int page; /* 0: not in pages */
    bool open, may_be_full, turns; /* turns: the next step begins a page */
    struct state state;
    int64_t at_s;
    struct given rows[PARTITIONS * CLUSTERINGS];
    struct total totals[PARTITIONS];
    int count, at;
    struct given last; /* of the page before */
};

static struct reader readers[READERS], in_whole;

static bool is_total(enum kind kind)
{
    return kind >= COUNT;
}

static bool is_back(enum kind kind)
{
    return kind == ONE_BACK || kind == BETWEEN_BACK;
}

static bool is_between(enum kind kind)
{
    return kind == BETWEEN || kind == BETWEEN_BACK || kind == SOME_BETWEEN || kind == COUNT_BETWEEN;
}

static bool is_of_some(enum kind kind)
{
    return kind == SOME || kind == SOME_EACH || kind == SOME_BETWEEN || kind == POINTS || kind == COUNT_SOME || kind == LEAST;
}

static bool is_of_one(enum kind kind)
{
    return kind == ONE || kind == ONE_BACK || kind == BETWEEN || kind == BETWEEN_BACK || kind == ONE_BY_INDEX || kind == COUNT_ONE || kind == COUNT_BETWEEN;
}

static bool is_wanted(const struct reader *r, const struct row_state *row, int c)
{
    if (!is_alive(row, r->at_s))
        return false;
    if (r->kind == POINTS)
        return c == r->from || c == r->to;
    if (is_between(r->kind))
        return c >= r->from && c < r->to;
    if (r->kind == BY_INDEX || r->kind == ONE_BY_INDEX)
        return row->v > r->at_s && row->v_value == r->v;
    return true;
}

static void add_partition(struct reader *r, int p)
{
    bool each = r->kind == SOME_EACH || r->kind == FEW_EACH, any = false;
    bool alone = !is_between(r->kind) && r->kind != POINTS && r->kind != BY_INDEX && r->kind != ONE_BY_INDEX;
    int left = each ? r->each : CLUSTERINGS;

    for (int i = 0; i < CLUSTERINGS; i++) {
        int c = is_back(r->kind) ? CLUSTERINGS - 1 - i : i;
        if (!is_wanted(r, &r->state.rows[p][c], c))
            continue;
        any = true;
        if (left-- > 0)
            r->rows[r->count++] = (struct given){ p, c };
    }
    if (!any && alone && r->state.statics[p] > r->at_s)
        r->rows[r->count++] = (struct given){ p, -1 };
}

static int int_cmp(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static struct total total_of(const struct reader *r, int from, int to)
{
    struct total t = { 0, 0, 0, INT32_MAX, INT32_MIN };

    for (int i = from; i < to; i++) {
        const struct given *g = &r->rows[i];
        const struct row_state *row = g->c < 0 ? NULL : &r->state.rows[g->p][g->c];
        t.rows++;
        if (!row || row->v <= r->at_s)
            continue;
        t.values++;
        t.sum = (int32_t)((uint32_t)t.sum + (uint32_t)row->v_value);
        t.least = row->v_value < t.least ? row->v_value : t.least;
        t.most = row->v_value > t.most ? row->v_value : t.most;
    }
    return t;
}

static void make_totals(struct reader *r)
{
    int n = 0, rows = r->count;
    bool each = r->kind == COUNT_EACH || r->kind == COUNT_SOME;

    for (int from = 0, to; each && from < rows; from = to) {
        for (to = from; to < rows && r->rows[to].p == r->rows[from].p;)
            to++;
        r->totals[n++] = total_of(r, from, to);
    }
    if (!each)
        r->totals[n++] = total_of(r, 0, rows);
    r->count = r->kind == COUNT_SOME && r->few < n ? r->few : n;
}

/* What it has to give, as it is now. */
static void expect(struct reader *r)
{
    r->state = now;
    r->at_s = clock_s;
    r->count = r->at = 0;
    if (is_of_one(r->kind)) {
        add_partition(r, r->p);
    } else if (is_of_some(r->kind)) {
        int ps[IN_MOST];
        memcpy(ps, r->ps, sizeof ps);
        qsort(ps, (size_t)r->p_count, sizeof *ps, int_cmp);
        for (int i = 0; i < r->p_count; i++)
            if (i == 0 || ps[i] != ps[i - 1])
                add_partition(r, ps[i]);
    } else {
        for (int i = 0; i < PARTITIONS; i++)
            add_partition(r, order[i]);
    }
    if ((r->kind == FEW || r->kind == FEW_EACH) && r->few < r->count)
        r->count = r->few;
    if (is_total(r->kind))
        make_totals(r);
}

static void bind(struct reader *r, const char *name, int value)
{
    int i = wr_marker_index(r->stmt, name);
    if (i >= 0 && wr_bind_int(r->stmt, i, value) != WR_OK)
        failed(texts[r->kind], wr_stmt_error(r->stmt));
}

static void bind_clustering(struct reader *r, const char *name, int c)
{
    int i = wr_marker_index(r->stmt, name);
    if (i >= 0 && wr_bind_blob(r->stmt, i, clusterings[c], clustering_lens[c]) != WR_OK)
        failed(texts[r->kind], wr_stmt_error(r->stmt));
}

static void bind_all(struct reader *r)
{
    int in = wr_marker_index(r->stmt, "ps");

    bind(r, "p", r->p);
    bind(r, "v", r->v);
    bind(r, "most", r->few);
    bind(r, "each", r->each);
    bind_clustering(r, "low", r->from);
    bind_clustering(r, "high", r->to);
    if (in < 0)
        return;
    wr_bind_open(r->stmt, in);
    for (int i = 0; i < r->p_count; i++)
        wr_bind_int(r->stmt, WR_ELEMENT, r->ps[i]);
    wr_bind_close(r->stmt);
}

static void reader_close(struct reader *r)
{
    wr_finalize(r->stmt);
    r->stmt = NULL;
    r->open = false;
}

static void reader_bind(struct reader *r)
{
    do
        r->kind = below(KINDS);
    while (!is_indexed && (r->kind == BY_INDEX || r->kind == ONE_BY_INDEX));
    r->p = (int)below(PARTITIONS);
    r->from = (int)below(CLUSTERINGS);
    r->to = (int)below(CLUSTERINGS);
    if (r->from > r->to && r->kind != POINTS) {
        int from = r->from;
        r->from = r->to;
        r->to = from;
    }
    r->v = (int)below(VALUES);
    r->few = (int)(1 + below(below(2) ? 10 : 1000));
    r->each = (int)(1 + below(CLUSTERINGS));
    r->p_count = (int)(1 + below(IN_MOST));
    for (int i = 0; i < r->p_count; i++)
        r->ps[i] = (int)below(PARTITIONS);
    r->page = r->kind <= BETWEEN_BACK && one_in(3) ? (int)(1 + below(40)) : 0;
    r->turns = r->may_be_full = false;
    must(wr_prepare(db, texts[r->kind], -1, &r->stmt), texts[r->kind]);
    if (r->page)
        wr_set_page_size(r->stmt, r->page);
    bind_all(r);
    expect(r);
    r->open = true;
}

static bool has_values(wr_stmt *s, const struct row_state *row, int64_t at_s)
{
    size_t len;
    bool has_v = row->v > at_s, has_w = row->w > at_s;
    const uint8_t *w = wr_column_bytes(s, 4, &len);

    if (has_v == wr_column_is_null(s, 3) || has_w == wr_column_is_null(s, 4))
        return false;
    for (size_t i = 0; has_w && i < len; i++)
        if (w[i] != row->w_byte)
            return false;
    return (!has_v || wr_column_int(s, 3) == row->v_value) && (!has_w || len == row->w_len);
}

static void check_row(const struct reader *r)
{
    const struct given *g = &r->rows[r->at];
    wr_stmt *s = r->stmt;
    size_t len;

    if (r->at >= r->count)
        failed(texts[r->kind], "gave a row too many");
    if (wr_column_int(s, 0) != g->p)
        failed(texts[r->kind], "gave another partition");
    const uint8_t *c = wr_column_bytes(s, 1, &len);
    if (g->c < 0 ? !wr_column_is_null(s, 1) : bytes_cmp(c, len, clusterings[g->c], clustering_lens[g->c]) != 0)
        failed(texts[r->kind], "gave another clustering");
    bool has_static = r->state.statics[g->p] > r->at_s;
    if (has_static ? wr_column_int(s, 2) != r->state.static_values[g->p] : !wr_column_is_null(s, 2))
        failed(texts[r->kind], "gave another static value");
    if (g->c >= 0 && !has_values(s, &r->state.rows[g->p][g->c], r->at_s))
        failed(texts[r->kind], "gave other values");
}

static void check_total(const struct reader *r)
{
    const struct total *t = &r->totals[r->at];
    wr_stmt *s = r->stmt;

    if (r->at >= r->count)
        failed(texts[r->kind], "gave a total too many");
    if (wr_column_int(s, 0) != t->rows)
        failed(texts[r->kind], "counted other rows");
    if (r->kind == LEAST)
        return;
    if (wr_column_int(s, 1) != t->values || wr_column_int(s, 2) != t->sum)
        failed(texts[r->kind], "counted other values");
    if (t->values && (wr_column_int(s, 3) != t->least || wr_column_int(s, 4) != t->most))
        failed(texts[r->kind], "has other bounds");
}

/* Whether there is another page, which the next step begins. */
static bool has_more(struct reader *r)
{
    uint8_t copy[4096];
    size_t len;
    const void *state = r->page ? wr_page_state(r->stmt, &len) : NULL;

    if (!state && r->page && r->at == r->page && r->count > r->page)
        failed(texts[r->kind], "has no more pages");
    if (!state)
        return false;
    assert(len <= sizeof copy);
    memcpy(copy, state, len);
    wr_set_page_state(r->stmt, copy, len);
    r->last = r->at ? r->rows[r->at - 1] : r->last;
    r->turns = true;
    return true;
}

/* Those of the rows that come behind the last one of the page before. */
static int behind_last(const struct reader *r)
{
    int i = 0, place = 0;

    while (i < r->count && r->rows[i].p != r->last.p)
        i++;
    for (; i < r->count && r->rows[i].p == r->last.p; i++)
        if (r->last.c >= 0 && r->rows[i].c >= 0 && (is_back(r->kind) ? r->rows[i].c < r->last.c : r->rows[i].c > r->last.c))
            return i;
    while (order[place] != r->last.p)
        place++;
    for (place++; place < PARTITIONS; place++)
        for (i = 0; i < r->count; i++)
            if (r->rows[i].p == order[place])
                return i;
    return r->count;
}

static void turn_page(struct reader *r)
{
    expect(r);
    int skip = behind_last(r);
    memmove(r->rows, r->rows + skip, (size_t)(r->count - skip) * sizeof *r->rows);
    r->count -= skip;
    r->turns = false;
}

/* False: it has come to its end. */
static bool reader_step(struct reader *r)
{
    if (r->turns)
        turn_page(r);
    enum wr_status st = wr_step(r->stmt);

    if (st == WR_ROW) {
        (is_total(r->kind) ? check_total : check_row)(r);
        r->at++;
        return true;
    }
    if (st == WR_FULL && r->may_be_full)
        return false;
    if (st != WR_DONE)
        failed(texts[r->kind], wr_stmt_error(r->stmt));
    if (r->at != (r->page && r->page < r->count ? r->page : r->count))
        failed(texts[r->kind], "ended too soon");
    return has_more(r);
}

struct steps {
    struct reader *reader;
    unsigned count;
};

static void *step_some(void *arg)
{
    struct steps *steps = arg;
    struct reader *r = steps->reader;

    for (unsigned i = 0; i < steps->count && r->open; i++)
        if (!reader_step(r))
            r->open = false;
    return NULL;
}

static void close_readers(void)
{
    for (int i = 0; i < READERS; i++)
        if (readers[i].stmt)
            reader_close(&readers[i]);
    if (in_whole.stmt)
        reader_close(&in_whole);
}

static void read_some(struct reader *r)
{
    struct steps steps = { r, 1 + below(below(3) ? 20 : 400) };
    pthread_t thread;

    if (!r->open && map_bytes) /* what is put off is applied before it reads */
        close_readers();
    if (!r->open)
        reader_bind(r);
    if (one_in(8) && pthread_create(&thread, NULL, step_some, &steps) == 0)
        pthread_join(thread, NULL);
    else
        step_some(&steps);
    if (!r->open || one_in(20))
        reader_close(r);
}

/* One that the transaction in which it began has left open; it may have ended since, and may be this one. */
static void end_left(struct reader *r)
{
    enum wr_status st = one_in(2) && !r->turns ? wr_step(r->stmt) : WR_DONE;

    if (st != WR_DONE && st != WR_ROW && st != WR_MISUSE)
        failed(texts[r->kind], wr_stmt_error(r->stmt));
    reader_close(r);
}

/* One that began before. */
static void go_on_reading(void)
{
    struct reader *r = &readers[below(READERS)];

    if (!r->open || r->page)
        return;
    step_some(&(struct steps){ r, 1 + below(20) });
    if (!r->open)
        reader_close(r);
}

/* One by itself, to its end, within a transaction, which is run again where what was put off finds the map full. */
static enum wr_status read_whole(void)
{
    struct reader *r = &in_whole;
    bool more = true;

    if (r->stmt)
        end_left(r);
    reader_bind(r);
    r->may_be_full = true;
    while (more && !one_in(200))
        more = reader_step(r);
    enum wr_status st = wr_stmt_status(r->stmt);
    if (!more)
        reader_close(r);
    return st == WR_FULL ? st : WR_OK;
}

#endif
