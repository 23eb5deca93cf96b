/*
 * mirror.h - what a hook that is told of every change knows of the table: kept by what it is told alone, and held to what all facts show.
 */
#ifndef WR_TESTS_MIRROR_H
#define WR_TESTS_MIRROR_H

#include "tests/random/subject.h"

static struct shown mirror[PARTITIONS][CLUSTERINGS];
static bool mirror_paused; /* what is told now will be taken back */

/* A row as a hook is shown it, its bytes exchanged for the lasting ones of the small spaces. */
static void mirror_row(struct shown *to, const struct row *row)
{
    *to = (struct shown){ .liveness = LIVENESS_NONE };
    if (!row)
        return;
    to->liveness = row->liveness;
    to->count = row->cell_count;
    CHECK(row->cell_count <= CELLS_MAX);
    for (uint32_t i = 0; i < row->cell_count; i++) {
        struct cell *c = &to->cells[i];
        int v = 0, p = 0;
        *c = row->cells[i];
        while (v < 7 && !slice_eq(values[v], c->value))
            v++;
        while (p < PATHS && !slice_is_null(c->path) && !slice_eq(paths[p], c->path))
            p++;
        CHECK(v < 7 && p < PATHS && !c->flags);
        c->value = values[v];
        if (!slice_is_null(c->path))
            c->path = paths[p];
    }
}

/* What of it is alive now. */
static void mirror_show(const struct shown *from, uint32_t now_s, struct shown *out)
{
    out->count = 0;
    for (unsigned i = 0; i < from->count; i++)
        if (cell_is_live(&from->cells[i], now_s))
            out->cells[out->count++] = from->cells[i];
    out->alive = out->count > 0 || liveness_is_live(from->liveness, now_s);
}

static void check_same(const struct shown *a, const struct shown *b)
{
    CHECK(a->alive == b->alive && a->count == b->count);
    for (unsigned i = 0; i < a->count; i++)
        CHECK(a->cells[i].column == b->cells[i].column && slice_eq(a->cells[i].path, b->cells[i].path) &&
              a->cells[i].timestamp_us == b->cells[i].timestamp_us && slice_eq(a->cells[i].value, b->cells[i].value));
}

static enum wr_status note_change(struct ctx *c, void *arg, struct txn *txn, struct slice partition_key,
                                  struct slice clustering, const struct row *before, const struct row *after)
{
    static struct shown known, told;
    int p = 0, at = 0;

    (void)arg, (void)txn;
    if (mirror_paused)
        return WR_OK;
    while (p < PARTITIONS && !slice_eq(partition_keys[p], partition_key))
        p++;
    while (table.has_clustering && at < CLUSTERINGS && !slice_eq(clusterings[at], clustering))
        at++;
    CHECK(p < PARTITIONS && at < CLUSTERINGS && (before || after));
    mirror_row(&told, before);
    told.alive = before != NULL;
    mirror_show(&mirror[p][at], c->now_s, &known);
    check_same(&told, &known);
    mirror_row(&mirror[p][at], after);
    return WR_OK;
}

static const struct row_hook hook = { NULL, note_change };

static void check_mirror(const struct history *h)
{
    static struct shown known, expected;

    for (int p = 0; p < PARTITIONS; p++)
        for (int c = 0; c < (h->has_clustering ? CLUSTERINGS : 1); c++) {
            mirror_show(&mirror[p][c], h->now_s, &known);
            model_show(h, p, c, &expected);
            check_same(&known, &expected);
        }
}

#endif
