#include "engine/sorter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/coding.h"
#include "engine/fd.h"

enum {
    LENGTH_BYTES = 4, /* of key and of value, before these */
    RECORD_BYTES = 2 * LENGTH_BYTES,
    WRITE_BYTES = 256 << 10,
    READ_LEAST = 4 << 10,
    READ_MOST = 64 << 10,
    IN_MEMORY = -1, /* a front's run */
};

struct front { /* the first record of a run that has not been given yet; and each that is held */
    uint64_t head; /* the key's first bytes, which nearly always tell two apart */
    const uint8_t *record;
    int run;
};

struct run {
    off_t at, end; /* what has not been read of it */
    uint8_t *bytes;
    size_t room, from, to; /* what has been read, and not given */
};

struct sorter {
    const struct folder *folder;
    size_t most_bytes, bytes;
    struct arena arena; /* records that are held */
    struct front *held;
    uint32_t count, room, next;
    int fd;
    off_t end; /* of the last run */
    struct run *runs;
    int run_count, run_room;
    struct front *fronts; /* a heap, the least first, of which one is given; while it is read */
    int front_count;
    bool reads;
};

enum wr_status sorter_new(struct ctx *ctx, const struct folder *folder, size_t most_bytes, struct sorter **out)
{
    struct sorter *s = mem_alloc(sizeof *s);

    if (!s)
        return fail_nomem(ctx);
    *s = (struct sorter){ .folder = folder, .most_bytes = most_bytes, .fd = -1 };
    arena_init(&s->arena);
    *out = s;
    return WR_OK;
}

/* The file goes, too, and what it takes of the disk. */
static void forget_runs(struct sorter *s)
{
    for (int i = 0; i < s->run_count; i++)
        mem_free(s->runs[i].bytes);
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->run_count = 0;
    s->end = 0;
}

void sorter_free(struct sorter *s)
{
    if (!s)
        return;
    forget_runs(s);
    mem_free(s->runs);
    mem_free(s->fronts);
    mem_free(s->held);
    arena_release(&s->arena);
    mem_free(s);
}

/* ---- records ---- */

static struct slice key_of(const uint8_t *record)
{
    return slice_of(record + RECORD_BYTES, read_u32(record));
}

static struct slice value_of(const uint8_t *record)
{
    struct slice key = key_of(record);
    return slice_of(key.data + key.len, read_u32(record + LENGTH_BYTES));
}

static size_t length_of(const uint8_t *record)
{
    return RECORD_BYTES + (size_t)read_u32(record) + read_u32(record + LENGTH_BYTES);
}

static struct front front_of(const uint8_t *record, int run)
{
    struct slice key = key_of(record);
    uint8_t head[sizeof(uint64_t)] = { 0 };

    if (key.len)
        memcpy(head, key.data, key.len < sizeof head ? key.len : sizeof head);
    return (struct front){ read_u64(head), record, run };
}

static int front_cmp(const void *a, const void *b)
{
    const struct front *x = a, *y = b;
    return x->head != y->head ? (x->head > y->head) - (x->head < y->head) : slice_cmp(key_of(x->record), key_of(y->record));
}

/* ---- adding ---- */

/* False: there is no memory for it. */
static bool grow(void **list, size_t each, uint32_t count, uint32_t *room)
{
    if (count < *room)
        return true;
    uint32_t more = *room ? 2 * *room : 64;
    void *grown = mem_realloc(*list, more * each);
    if (!grown)
        return false;
    *list = grown;
    *room = more;
    return true;
}

enum wr_status sorter_add(struct ctx *ctx, struct sorter *s, struct slice key, size_t value_len, uint8_t **value)
{
    bool fits = key.len <= UINT32_MAX && value_len <= UINT32_MAX;
    uint8_t *record = fits ? arena_alloc_raw(&s->arena, RECORD_BYTES + key.len + value_len) : NULL;

    if (!record || !grow((void **)&s->held, sizeof *s->held, s->count, &s->room))
        return fail_nomem(ctx);
    put_u32(record, (uint32_t)key.len);
    put_u32(record + LENGTH_BYTES, (uint32_t)value_len);
    if (key.len)
        memcpy(record + RECORD_BYTES, key.data, key.len);
    s->held[s->count++] = front_of(record, IN_MEMORY);
    s->bytes += length_of(record) + sizeof *s->held;
    *value = record + RECORD_BYTES + key.len;
    return WR_OK;
}

bool sorter_is_full(const struct sorter *s)
{
    return s->bytes >= s->most_bytes;
}

static void sort_held(struct sorter *s)
{
    if (s->count)
        qsort(s->held, s->count, sizeof *s->held, front_cmp);
}

static void empty_held(struct sorter *s)
{
    arena_reset(&s->arena);
    s->count = s->next = 0;
    s->bytes = 0;
}

/* ---- runs ---- */

static bool open_file(struct sorter *s)
{
    if (s->fd < 0 && s->folder)
        s->fd = folder_open_nameless(s->folder);
    return s->fd >= 0;
}

/* What is held, in order, behind the runs; *end: where it ends. */
static bool write_held(const struct sorter *s, uint8_t *buffer, off_t *end)
{
    size_t len = 0;

    *end = s->end;
    for (uint32_t i = 0; i < s->count; i++) {
        const uint8_t *record = s->held[i].record;
        for (size_t left = length_of(record); left;) {
            size_t part = left < WRITE_BYTES - len ? left : WRITE_BYTES - len;
            memcpy(buffer + len, record, part);
            record += part;
            left -= part;
            len += part;
            if (len == WRITE_BYTES || (!left && i + 1 == s->count)) {
                if (!fd_put(s->fd, buffer, len, *end))
                    return false;
                *end += (off_t)len;
                len = 0;
            }
        }
    }
    return true;
}

bool sorter_spill(struct sorter *s)
{
    uint32_t room = (uint32_t)s->run_room;
    uint8_t *buffer = NULL;
    off_t end;

    if (!open_file(s) || !fd_may_reach((uint64_t)s->end + s->bytes) || !grow((void **)&s->runs, sizeof *s->runs, (uint32_t)s->run_count, &room))
        return false;
    s->run_room = (int)room;
    if (!(buffer = mem_alloc(WRITE_BYTES)))
        return false;
    sort_held(s);
    bool written = write_held(s, buffer, &end);
    mem_free(buffer);
    if (!written)
        return false;
    s->runs[s->run_count++] = (struct run){ .at = s->end, .end = end };
    s->end = end;
    empty_held(s);
    return true;
}

/* Has at least n bytes of it in memory, unless it ends before. */
static enum wr_status read_ahead(struct ctx *ctx, struct sorter *s, struct run *r, size_t n)
{
    size_t most = s->most_bytes / (size_t)s->run_count;

    if (r->to - r->from >= n)
        return WR_OK;
    most = most < READ_LEAST ? READ_LEAST : most > READ_MOST ? READ_MOST : most;
    if (most < n)
        most = n;
    if (r->to > r->from)
        memmove(r->bytes, r->bytes + r->from, r->to - r->from);
    r->to -= r->from;
    r->from = 0;
    if (most > r->room) {
        uint8_t *grown = mem_realloc(r->bytes, most);
        if (!grown)
            return fail_nomem(ctx);
        r->bytes = grown;
        r->room = most;
    }
    while (r->to < n && r->at < r->end) {
        size_t part = r->room - r->to < (size_t)(r->end - r->at) ? r->room - r->to : (size_t)(r->end - r->at);
        ssize_t got = pread(s->fd, r->bytes + r->to, part, r->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return fail_errno(ctx, "cannot read what is being sorted in", s->folder->path);
        r->to += (size_t)got;
        r->at += got;
    }
    return WR_OK;
}

/* NULL: the run has ended. */
static enum wr_status read_record(struct ctx *ctx, struct sorter *s, struct run *r, const uint8_t **record)
{
    *record = NULL;
    TRY(read_ahead(ctx, s, r, RECORD_BYTES));
    if (r->from == r->to)
        return WR_OK;
    size_t len = length_of(r->bytes + r->from);
    TRY(read_ahead(ctx, s, r, len));
    *record = r->bytes + r->from;
    r->from += len;
    return WR_OK;
}

/* ---- merging ---- */

static enum wr_status next_of(struct ctx *ctx, struct sorter *s, int run, struct front *out, bool *found)
{
    const uint8_t *record;

    if (run == IN_MEMORY) {
        *found = s->next < s->count;
        if (*found)
            *out = s->held[s->next++];
        return WR_OK;
    }
    TRY(read_record(ctx, s, &s->runs[run], &record));
    *found = record != NULL;
    if (*found)
        *out = front_of(record, run);
    return WR_OK;
}

/* Puts the heap in order again, of which the front at a place may be greater than those below it. */
static void sift_down(struct sorter *s, int at)
{
    struct front moved = s->fronts[at];

    for (int below; (below = 2 * at + 1) < s->front_count; at = below) {
        if (below + 1 < s->front_count && front_cmp(&s->fronts[below + 1], &s->fronts[below]) < 0)
            below++;
        if (front_cmp(&moved, &s->fronts[below]) <= 0)
            break;
        s->fronts[at] = s->fronts[below];
    }
    s->fronts[at] = moved;
}

static enum wr_status begin_merge(struct ctx *ctx, struct sorter *s)
{
    struct front *fronts = mem_realloc(s->fronts, ((size_t)s->run_count + 1) * sizeof *fronts);
    bool found;

    if (!fronts)
        return fail_nomem(ctx);
    s->fronts = fronts;
    s->front_count = 0;
    sort_held(s);
    for (int run = IN_MEMORY; run < s->run_count; run++) {
        TRY(next_of(ctx, s, run, &s->fronts[s->front_count], &found));
        s->front_count += found;
    }
    for (int at = s->front_count / 2 - 1; at >= 0; at--)
        sift_down(s, at);
    s->reads = true;
    return WR_OK;
}

static enum wr_status pass_first(struct ctx *ctx, struct sorter *s)
{
    bool found;

    TRY(next_of(ctx, s, s->fronts[0].run, &s->fronts[0], &found));
    if (!found)
        s->fronts[0] = s->fronts[--s->front_count];
    if (s->front_count)
        sift_down(s, 0);
    return WR_OK;
}

enum wr_status sorter_next(struct ctx *ctx, struct sorter *s, struct slice *key, struct slice *value)
{
    TRY(s->reads ? pass_first(ctx, s) : begin_merge(ctx, s));
    if (!s->front_count) {
        forget_runs(s);
        empty_held(s);
        s->reads = false;
        *key = *value = SLICE_NULL;
        return WR_OK;
    }
    *key = key_of(s->fronts[0].record);
    *value = value_of(s->fronts[0].record);
    return WR_OK;
}
