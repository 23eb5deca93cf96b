/*
 * shown.h - the small obvious model of random_histories: what all facts of a history together show, worked out from a list of them by
 * Cassandra's rules as they are written down, with nothing of the engine's own.
 */
#ifndef WR_TESTS_SHOWN_H
#define WR_TESTS_SHOWN_H

#include "tests/random/history.h"

enum { CELLS_MAX = 256 };

struct shown {
    bool alive;
    struct liveness liveness; /* of a mirrored row */
    struct cell cells[CELLS_MAX];
    unsigned count;
};

static inline bool covers(struct deletion d, int64_t timestamp_us)
{
    return d.timestamp_us != TIMESTAMP_NONE && timestamp_us <= d.timestamp_us;
}

/* Cassandra's rule, said once more: does a replace b? */
static inline bool replaces(const struct cell *a, const struct cell *b)
{
    if (a->timestamp_us != b->timestamp_us)
        return a->timestamp_us > b->timestamp_us;
    bool a_dead = a->kind == CELL_DEAD, b_dead = b->kind == CELL_DEAD;
    bool a_mortal = a->kind != CELL_PLAIN, b_mortal = b->kind != CELL_PLAIN;
    if (a_mortal != b_mortal)
        return a_mortal;
    if (a_dead != b_dead)
        return a_dead;
    if (a_mortal && a->local_s != b->local_s)
        return a->local_s > b->local_s;
    if (a_mortal && !a_dead && a->ttl_s != b->ttl_s)
        return a->ttl_s < b->ttl_s;
    return slice_cmp(a->value, b->value) > 0;
}

static inline bool in_range(struct range r, struct slice at)
{
    return slice_cmp(at, r.start) >= 0 && (slice_is_null(r.end) || slice_cmp(at, r.end) < 0);
}

/* The greatest tombstone over the row, and (column not 0) over a column of it. */
static inline struct deletion covering(const struct history *h, int partition, int clustering, uint32_t column)
{
    struct deletion d = DELETION_NONE;

    for (int i = 0; i < h->count; i++) {
        const struct fact *f = &h->facts[i];
        bool over = f->partition == partition &&
                    (f->kind == FACT_PARTITION ||
                     (f->kind == FACT_RANGE && clustering != STATIC && in_range(f->range, clusterings[clustering])) ||
                     (f->clustering == clustering &&
                      (f->kind == FACT_ROW_DELETION || (f->kind == FACT_COLUMN_DELETION && f->cell.column == column))));
        if (over && f->deletion.timestamp_us > d.timestamp_us)
            d = f->deletion;
    }
    return d;
}

static inline void put_shown(struct shown *s, const struct cell *cell)
{
    unsigned at = s->count++;
    while (at > 0 && (s->cells[at - 1].column > cell->column ||
                      (s->cells[at - 1].column == cell->column && slice_cmp(s->cells[at - 1].path, cell->path) > 0))) {
        s->cells[at] = s->cells[at - 1];
        at--;
    }
    s->cells[at] = *cell;
}

static inline void model_show(const struct history *h, int partition, int clustering, struct shown *out)
{
    const struct liveness *marker = NULL;
    struct deletion row = covering(h, partition, clustering, 0);

    out->count = 0;
    out->alive = false;
    for (int i = 0; i < h->count; i++) {
        const struct fact *f = &h->facts[i];
        if (f->partition != partition || f->clustering != clustering)
            continue;
        if (f->kind == FACT_MARKER) {
            const struct liveness *m = &f->liveness;
            if (!marker || m->timestamp_us > marker->timestamp_us ||
                (m->timestamp_us == marker->timestamp_us &&
                 ((m->ttl_s && !marker->ttl_s) || (m->ttl_s && marker->ttl_s && m->local_s > marker->local_s))))
                marker = m;
        }
        if (f->kind != FACT_CELL)
            continue;
        bool wins = true; /* over all others of its place; of equal ones the first */
        for (int j = 0; j < h->count && wins; j++) {
            const struct fact *g = &h->facts[j];
            if (j != i && g->kind == FACT_CELL && g->partition == partition && g->clustering == clustering &&
                g->cell.column == f->cell.column && slice_eq(g->cell.path, f->cell.path))
                wins = j < i ? replaces(&f->cell, &g->cell) : !replaces(&g->cell, &f->cell);
        }
        bool lives = f->cell.kind == CELL_PLAIN || (f->cell.kind == CELL_EXPIRING && h->now_s < f->cell.local_s);
        if (wins && lives && !covers(covering(h, partition, clustering, f->cell.column), f->cell.timestamp_us))
            put_shown(out, &f->cell);
    }
    bool marked = marker && !covers(row, marker->timestamp_us) && (!marker->ttl_s || h->now_s < marker->local_s);
    out->alive = marked || out->count > 0;
}

#endif
