/*
 * history.h - what random_histories tells the engine: facts over very small spaces of keys, paths, values and timestamps.
 */
#ifndef WR_TESTS_HISTORY_H
#define WR_TESTS_HISTORY_H

#include <stdio.h>

#include "engine/mutation.h"
#include "tests/random/chance.h"

enum {
    FACTS_MAX = 160,
    PARTITIONS = 3,
    CLUSTERINGS = 7,
    STATIC = CLUSTERINGS, /* in place of a clustering */
    PATHS = 90,           /* enough for a collection to leave its row */
    PATHS_COMMON = 3,
    COLUMN_A = 1,
    COLUMN_B = 2,
    COLUMN_MAP = 3,
    COLUMN_BIG = 4,
    COLUMN_STATIC = 9,
    NOW_S = 1000000,
};

/* ---- the small spaces ---- */

static char long_bytes[2][1700];
static struct slice partition_keys[PARTITIONS], clusterings[CLUSTERINGS + 1], values[7], paths[PATHS];
static char path_text[PATHS][640];

static inline void make_spaces(void)
{
    static const char *const short_ones[] = { "", "a", "a\x01", "ab", "b" };

    memset(long_bytes[0], 'x', sizeof long_bytes[0]);
    memset(long_bytes[1], 'y', sizeof long_bytes[1]);
    partition_keys[0] = SLICE_LIT("p");
    partition_keys[1] = SLICE_LIT("q");
    partition_keys[2] = slice_of(long_bytes[0], 600); /* longer than a key of the store */
    for (int i = 0; i < 5; i++)
        clusterings[i] = slice_str(short_ones[i]);
    clusterings[0] = SLICE_LIT("\x00");
    clusterings[5] = slice_of(long_bytes[1], 600);
    clusterings[6] = slice_of(long_bytes[1], 1100);
    clusterings[STATIC] = SLICE_EMPTY;
    values[0] = SLICE_EMPTY;
    values[1] = SLICE_LIT("a");
    values[2] = SLICE_LIT("b");
    values[3] = SLICE_LIT("bb");
    values[4] = slice_of(long_bytes[0], 1536);
    values[5] = slice_of(long_bytes[0], 1537);
    values[6] = slice_of(long_bytes[1], 1700);
    for (int i = 0; i < PATHS; i++) {
        int n = snprintf(path_text[i], sizeof path_text[i], "path%03d", i);
        if (i == 2) { /* one beyond the store's keys */
            memset(path_text[i] + n, '+', 600 - (size_t)n);
            n = 600;
        }
        paths[i] = slice_of(path_text[i], (size_t)n);
    }
}

/* ---- facts ---- */

enum fact_kind { FACT_PARTITION, FACT_RANGE, FACT_ROW_DELETION, FACT_COLUMN_DELETION, FACT_MARKER, FACT_CELL };

struct fact {
    enum fact_kind kind;
    int partition, clustering;
    struct range range;
    struct deletion deletion;
    struct liveness liveness;
    struct cell cell; /* column and path serve FACT_COLUMN_DELETION too */
};

struct history {
    struct fact facts[FACTS_MAX];
    int count;
    bool has_clustering, ordered; /* ordered: told once, in order of their timestamps, with a short gc grace */
    uint32_t now_s;
    int64_t timestamp_us; /* of an ordered history */
};

static inline int64_t random_timestamp(struct history *h)
{
    if (h->ordered)
        return ++h->timestamp_us;
    return one_in(30) ? INT64_MIN + 1 : one_in(30) ? INT64_MAX : (int64_t)below(6) + 1;
}

static inline struct deletion random_deletion(struct history *h)
{
    return (struct deletion){ random_timestamp(h), h->ordered ? h->now_s : NOW_S + below(3) };
}

static inline struct slice with_byte(char *room, struct slice s, uint8_t byte)
{
    memcpy(room, s.data, s.len);
    room[s.len] = (char)byte;
    return slice_of(room, s.len + 1);
}

/* Before a row, just behind it, behind all that begin with it, or open. */
static inline struct slice random_bound(char *room, bool is_end)
{
    struct slice c = clusterings[below(CLUSTERINGS)];
    switch (below(5)) {
    case 0: return is_end ? SLICE_NULL : SLICE_EMPTY;
    case 1: return with_byte(room, c, 0);
    case 2: return with_byte(room, c, 0xff);
    default: return c;
    }
}

static char bound_room[FACTS_MAX][2][1200];

static inline struct fact random_fact(struct history *h, int index, int partition)
{
    struct fact f = { .partition = partition, .clustering = h->has_clustering ? (int)below(CLUSTERINGS + 1) : 0 };
    unsigned dice = below(100);

    f.kind = dice < 4 ? FACT_PARTITION : dice < 12 ? FACT_RANGE : dice < 22 ? FACT_ROW_DELETION
           : dice < 30 ? FACT_COLUMN_DELETION : dice < 45 ? FACT_MARKER : FACT_CELL;
    if (f.kind == FACT_RANGE && !h->has_clustering)
        f.kind = FACT_CELL;
    if (f.clustering == STATIC && f.kind == FACT_MARKER)
        f.kind = FACT_CELL;
    f.deletion = random_deletion(h);
    f.range.start = random_bound(bound_room[index][0], false);
    f.range.end = random_bound(bound_room[index][1], true);

    uint32_t ttl = one_in(3) ? 1 + below(12) : 0;
    f.liveness = (struct liveness){ f.deletion.timestamp_us, ttl, ttl ? h->now_s + ttl : 0 };

    struct cell *c = &f.cell;
    static const uint32_t columns[] = { COLUMN_A, COLUMN_B, COLUMN_MAP, COLUMN_MAP, COLUMN_BIG };
    c->column = f.clustering == STATIC ? (one_in(2) ? COLUMN_MAP : COLUMN_STATIC) : columns[below(5)];
    if (f.kind == FACT_COLUMN_DELETION)
        c->column = COLUMN_MAP;
    if (c->column == COLUMN_MAP)
        c->path = paths[below(PATHS_COMMON)];
    c->timestamp_us = f.deletion.timestamp_us;
    c->value = values[below(c->column == COLUMN_BIG || c->column == COLUMN_MAP ? 7 : 4)];
    if (one_in(5)) {
        c->kind = CELL_DEAD;
        c->local_s = f.deletion.local_s;
        c->value = SLICE_NULL;
    } else if (ttl) {
        c->kind = CELL_EXPIRING;
        c->ttl_s = ttl;
        c->local_s = f.liveness.local_s;
        if (!h->ordered && one_in(4))
            c->ttl_s = 1 + below(12); /* of one expiry, but written at another time */
    }
    return f;
}

#endif
