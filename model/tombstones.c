#include "model/tombstones.h"

#include <assert.h>

/* ---- in the table's order ---- */

static int cmp_bounds(const struct tombstones *t, struct slice a, struct slice b)
{
    int c = range_cmp_places(a, b);
    return t->reversed ? -c : c;
}

static struct slice *start_of(const struct tombstones *t, struct range_deletion *d)
{
    return t->reversed ? &d->range.end : &d->range.start;
}

static struct slice *end_of(const struct tombstones *t, struct range_deletion *d)
{
    return t->reversed ? &d->range.start : &d->range.end;
}

/* ---- one more ---- */

typedef bool is_before(const struct tombstones *t, struct range_deletion *d, struct slice place);

static bool ends_by(const struct tombstones *t, struct range_deletion *d, struct slice bound)
{
    return cmp_bounds(t, *end_of(t, d), bound) <= 0;
}

/* A row is no bound: it lies in a range that its bytes are the start of, whatever the order. */
static bool ends_before_row(const struct tombstones *t, struct range_deletion *d, struct slice clustering)
{
    return t->reversed ? range_cmp_places(d->range.start, clustering) > 0 : range_cmp_places(d->range.end, clustering) <= 0;
}

/* The first that is not before that. */
static uint32_t find(const struct tombstones *t, is_before *before, struct slice place)
{
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (before(t, &t->all[middle], place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct tombstones *t, uint32_t at, struct range_deletion d)
{
    memmove(t->all + at + 1, t->all + at, (t->count - at) * sizeof *t->all);
    t->all[at] = d;
    t->count++;
}

/* The part of d before the bound. */
static struct range_deletion head(const struct tombstones *t, struct range_deletion d, struct slice bound)
{
    *end_of(t, &d) = bound;
    return d;
}

/* d lies over the i-th, which is older. What is left of d then begins where the next one does. */
static uint32_t overwrite(struct tombstones *t, uint32_t i, struct range_deletion *d)
{
    struct slice start = *start_of(t, d), end = *end_of(t, d);

    if (cmp_bounds(t, *start_of(t, &t->all[i]), start) < 0) {
        insert(t, i, head(t, t->all[i], start));
        *start_of(t, &t->all[++i]) = start;
    }
    if (cmp_bounds(t, end, *end_of(t, &t->all[i])) < 0) {
        insert(t, i, *d);
        *start_of(t, &t->all[i + 1]) = end;
        *start_of(t, d) = end;
        return i + 1;
    }
    struct slice next = i + 1 < t->count ? *start_of(t, &t->all[i + 1]) : end;
    if (cmp_bounds(t, end, next) < 0)
        next = end;
    t->all[i] = head(t, *d, next);
    *start_of(t, d) = next;
    return i + 1;
}

/* d leaves the i-th as it is. */
static uint32_t go_around(struct tombstones *t, uint32_t i, struct range_deletion *d)
{
    struct slice start = *start_of(t, &t->all[i]);

    if (cmp_bounds(t, *start_of(t, d), start) < 0)
        insert(t, i++, head(t, *d, start));
    *start_of(t, d) = *end_of(t, &t->all[i]);
    return i + 1;
}

static void add(struct tombstones *t, struct range_deletion d)
{
    uint32_t i = find(t, ends_by, *start_of(t, &d));

    while (i < t->count && cmp_bounds(t, *start_of(t, &t->all[i]), *end_of(t, &d)) < 0 &&
           cmp_bounds(t, *start_of(t, &d), *end_of(t, &d)) < 0)
        i = d.deletion.timestamp_us > t->all[i].deletion.timestamp_us ? overwrite(t, i, &d) : go_around(t, i, &d);
    if (cmp_bounds(t, *start_of(t, &d), *end_of(t, &d)) < 0)
        insert(t, i, d);
}

enum wr_status tombstones_of(struct ctx *ctx, const struct range_deletion *ranges, uint32_t count, bool reversed, uint32_t most,
                             struct tombstones *out)
{
    /* Each begins at another bound than the others, and one that is added makes one more than there were at most. */
    uint32_t room = 2 * (count < most ? count : most) + 1;
    struct tombstones t = { .reversed = reversed, .all = NEW_ROOM(ctx, struct range_deletion, room) };

    if (!t.all)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count && t.count <= most; i++)
        add(&t, ranges[i]);
    assert(t.count <= room);
    *out = t;
    return WR_OK;
}

struct deletion tombstones_over(const struct tombstones *t, struct slice clustering)
{
    uint32_t i = find(t, ends_before_row, clustering);
    return i < t->count && range_has(t->all[i].range, clustering) ? t->all[i].deletion : DELETION_NONE;
}
