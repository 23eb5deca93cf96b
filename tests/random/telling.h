/*
 * telling.h - facts of a history to the engine, as updates.
 */
#ifndef WR_TESTS_TELLING_H
#define WR_TESTS_TELLING_H

#include "tests/random/subject.h"

struct built {
    struct update update;
    struct range_deletion ranges[FACTS_MAX];
    struct row_update rows[FACTS_MAX];
    struct row static_row;
    struct cell cells[FACTS_MAX + 1][FACTS_MAX];
    struct complex_deletion complex[FACTS_MAX + 1][FACTS_MAX];
    int clustering_of[FACTS_MAX];
};

static struct row *row_for(struct built *b, int clustering, bool share)
{
    uint32_t i = 0;

    if (clustering == STATIC) {
        if (!b->update.static_row) {
            b->static_row = ROW_NONE;
            b->static_row.cells = b->cells[FACTS_MAX];
            b->static_row.complex = b->complex[FACTS_MAX];
            b->update.static_row = &b->static_row;
        }
        return &b->static_row;
    }
    while (i < b->update.row_count && !(share && b->clustering_of[i] == clustering))
        i++;
    if (i == b->update.row_count) {
        b->update.row_count++;
        b->clustering_of[i] = clustering;
        b->rows[i].clustering = table.has_clustering ? clusterings[clustering] : SLICE_EMPTY;
        b->rows[i].row = ROW_NONE;
        b->rows[i].row.cells = b->cells[i];
        b->rows[i].row.complex = b->complex[i];
    }
    return &b->rows[i].row;
}

static void add_fact(struct built *b, const struct fact *f)
{
    struct row *row;
    bool share = !one_in(4);

    switch (f->kind) {
    case FACT_PARTITION:
        b->update.partition_deletion = deletion_merge(b->update.partition_deletion, f->deletion);
        break;
    case FACT_RANGE:
        b->ranges[b->update.range_count++] = (struct range_deletion){ f->range, f->deletion };
        break;
    case FACT_ROW_DELETION:
        row = row_for(b, f->clustering, share);
        row->deletion = deletion_merge(row->deletion, f->deletion);
        break;
    case FACT_COLUMN_DELETION:
        row = row_for(b, f->clustering, share);
        row->complex[row->complex_count++] = (struct complex_deletion){ f->cell.column, f->deletion };
        break;
    case FACT_MARKER:
        row = row_for(b, f->clustering, share);
        row->liveness = liveness_merge(row->liveness, f->liveness);
        break;
    case FACT_CELL:
        row = row_for(b, f->clustering, share);
        row->cells[row->cell_count++] = f->cell;
        break;
    }
}

/* Facts [from, to) of the order as updates, one partition each. */
static enum wr_status tell(struct txn *txn, const struct history *h, const int *order, int from, int to)
{
    static struct built built[PARTITIONS];
    struct update *first = NULL, **last = &first;

    for (int p = 0; p < PARTITIONS; p++) {
        struct built *b = &built[p];
        b->update = (struct update){ .table = &table, .partition_key = partition_keys[p],
                                     .partition_deletion = DELETION_NONE, .ranges = b->ranges, .rows = b->rows };
        bool any = false;
        for (int i = from; i < to; i++) {
            if (h->facts[order[i]].partition != p)
                continue;
            add_fact(b, &h->facts[order[i]]);
            any = true;
        }
        for (uint32_t i = 0; i < b->update.row_count; i++)
            row_normalize(&b->rows[i].row);
        if (b->update.static_row)
            row_normalize(b->update.static_row);
        if (any) {
            *last = &b->update;
            last = &b->update.next;
        }
    }
    return apply(&ctx, txn, first);
}

#endif
