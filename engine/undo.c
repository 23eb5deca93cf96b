#include "engine/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "engine/coding.h"
#include "engine/fd.h"
#include "engine/hash.h"

enum {
    BASE_BYTES = DATABASE_ID_BYTES + 8, /* what all records of a base begin with: the database, and the slot's sequence */
    HEAD_BYTES = BASE_BYTES + 8,        /* and which page it is */
    RECORD_EXTRA = HEAD_BYTES + 8,      /* of a record, beside the page */
    BATCH_RECORDS = 32,
    FIRST_PAGE = 2, /* behind the meta pages */
};

struct undo {
    const struct folder *folder;
    int fd; /* -1: not yet needed */
    bool ready;
    uint8_t base[BASE_BYTES];
    uint64_t page_count; /* of the base */
    uint32_t page_bytes;
    uint8_t *settled; /* a bit a page of the base: it was free, or is saved */
    uint64_t *pages;  /* to be saved now */
    size_t count, room;
    uint8_t *batch;
    size_t batch_bytes;
    uint64_t bytes;
};

static void put_base(uint8_t base[BASE_BYTES], const struct sync_slot *slot)
{
    memcpy(base, slot->database_id, DATABASE_ID_BYTES);
    put_u64(base + DATABASE_ID_BYTES, slot->sequence);
}

enum wr_status undo_open(struct ctx *ctx, const struct folder *folder, struct undo **out)
{
    struct undo *undo = mem_alloc(sizeof *undo);
    if (!undo)
        return fail_nomem(ctx);
    undo->folder = folder;
    undo->fd = -1;
    *out = undo;
    return WR_OK;
}

void undo_close(struct undo *undo)
{
    if (!undo)
        return;
    if (undo->fd >= 0)
        close(undo->fd);
    mem_free(undo->settled);
    mem_free(undo->pages);
    mem_free(undo->batch);
    mem_free(undo);
}

bool undo_is_ready(const struct undo *undo)
{
    return undo->ready;
}

uint64_t undo_bytes(const struct undo *undo)
{
    return undo->bytes;
}

/* ---- saving ---- */

/* True the first time for each page of the base. */
static bool settle(struct undo *undo, uint64_t page)
{
    if (page >= undo->page_count || (undo->settled[page / 8] >> page % 8 & 1))
        return false;
    undo->settled[page / 8] |= (uint8_t)(1 << page % 8);
    return true;
}

static bool settle_free(void *arg, uint64_t page)
{
    settle(arg, page);
    return true;
}

void undo_begin(struct ctx *ctx, struct undo *undo, const struct sync_slot *slot, const struct pin *pin)
{
    struct meta meta;

    undo->ready = false;
    undo->bytes = 0;
    if (!meta_decode(slot->meta, &meta))
        return;
    put_base(undo->base, slot);
    undo->page_count = meta.last_page + 1;
    undo->page_bytes = meta.page_bytes;
    mem_free(undo->settled);
    undo->settled = mem_alloc(undo->page_count / 8 + 1);
    /* What was free in the base has nothing to save. Where that cannot be told, too much is saved. */
    if (undo->settled)
        pages_each_free(ctx, pin, 0, settle_free, undo);
    undo->ready = undo->settled != NULL;
}

static bool collect(void *arg, uint64_t page)
{
    struct undo *undo = arg;

    if (!settle(undo, page))
        return true;
    if (undo->count == undo->room) {
        size_t room = undo->room ? undo->room * 2 : 256;
        uint64_t *pages = mem_realloc(undo->pages, room * sizeof *pages);
        if (!pages)
            return false;
        undo->pages = pages;
        undo->room = room;
    }
    undo->pages[undo->count++] = page;
    return true;
}

/* The file's name must be on the disk before what is saved in it can be relied on. */
static enum wr_status make_file(struct ctx *ctx, struct undo *undo)
{
    undo->fd = folder_open_file(undo->folder, undo->folder->undo_path, O_RDWR | O_CREAT);
    if (undo->fd < 0)
        return fail_errno(ctx, "cannot make", undo->folder->undo_path);
    if (fsync(undo->folder->fd) == 0)
        return WR_OK;
    enum wr_status st = fail_errno(ctx, "cannot sync the folder", undo->folder->path);
    close(undo->fd);
    undo->fd = -1; /* whoever saves next asks for it again */
    return st;
}

static enum wr_status put_record(struct ctx *ctx, struct undo *undo, struct store *store, uint64_t page)
{
    uint8_t *record = undo->batch + undo->batch_bytes;
    size_t n = undo->page_bytes;

    memcpy(record, undo->base, BASE_BYTES);
    put_u64(record + BASE_BYTES, page);
    ssize_t got = pread(store_fd(store), record + HEAD_BYTES, n, (off_t)(page * n));
    if (got != (ssize_t)n)
        return got < 0 ? fail_errno(ctx, "cannot read", undo->folder->data_path) : fail_corrupt(ctx, "a missing page");
    put_u64(record + HEAD_BYTES + n, hash64(slice_of(record, HEAD_BYTES + n)));
    undo->batch_bytes += RECORD_EXTRA + n;
    return WR_OK;
}

static enum wr_status write_batch(struct ctx *ctx, struct undo *undo)
{
    if (!fd_put(undo->fd, undo->batch, undo->batch_bytes, (off_t)undo->bytes))
        return fail_errno(ctx, "cannot write", undo->folder->undo_path);
    undo->bytes += undo->batch_bytes;
    undo->batch_bytes = 0;
    return WR_OK;
}

static enum wr_status save_pages(struct ctx *ctx, struct undo *undo, struct store *store)
{
    size_t record_bytes = RECORD_EXTRA + undo->page_bytes;

    if (!undo->batch)
        undo->batch = mem_alloc(BATCH_RECORDS * record_bytes);
    if (!undo->batch)
        return fail_nomem(ctx);
    if (undo->fd < 0)
        TRY(make_file(ctx, undo));
    undo->batch_bytes = 0;
    for (size_t i = 0; i < undo->count; i++) {
        TRY(put_record(ctx, undo, store, undo->pages[i]));
        if (undo->batch_bytes == BATCH_RECORDS * record_bytes || i + 1 == undo->count)
            TRY(write_batch(ctx, undo));
    }
    return fdatasync(undo->fd) == 0 ? WR_OK : fail_errno(ctx, "cannot sync", undo->folder->undo_path);
}

enum wr_status undo_save(struct ctx *ctx, struct undo *undo, struct store *store, const struct pin *pin, uint64_t after)
{
    undo->count = 0;
    enum wr_status st = pages_each_free(ctx, pin, after, collect, undo);
    if (st == WR_OK && undo->count > 0)
        st = save_pages(ctx, undo, store);
    if (st != WR_OK)
        undo->ready = false; /* pages are settled that have not been saved */
    return st;
}

/* ---- putting back ---- */

static bool is_record(const uint8_t *record, const uint8_t base[BASE_BYTES], const struct meta *meta)
{
    size_t n = meta->page_bytes;

    if (memcmp(record, base, BASE_BYTES) != 0)
        return false;
    if (read_u64(record + HEAD_BYTES + n) != hash64(slice_of(record, HEAD_BYTES + n)))
        return false;
    uint64_t page = read_u64(record + BASE_BYTES);
    return page >= FIRST_PAGE && page <= meta->last_page;
}

static enum wr_status restore(struct ctx *ctx, const struct folder *folder, int fd, int data_fd,
                              const struct sync_slot *slot, bool apply, uint64_t *count)
{
    uint8_t base[BASE_BYTES];
    struct meta meta;

    if (!meta_decode(slot->meta, &meta))
        return fail_corrupt(ctx, "the sync file");
    put_base(base, slot);
    size_t n = meta.page_bytes;
    uint8_t *record = ctx_alloc(ctx, RECORD_EXTRA + n);
    if (!record)
        return WR_NOMEM;
    for (uint64_t at = 0;; at += RECORD_EXTRA + n) {
        ssize_t got = pread(fd, record, RECORD_EXTRA + n, (off_t)at);
        if (got < 0) /* there may be more, without which the data file is of no use */
            return fail_errno(ctx, "cannot read", folder->undo_path);
        if (got != (ssize_t)(RECORD_EXTRA + n) || !is_record(record, base, &meta))
            return WR_OK;
        uint64_t page = read_u64(record + BASE_BYTES);
        if (apply && !fd_put(data_fd, record + HEAD_BYTES, n, (off_t)(page * n)))
            return fail_errno(ctx, "cannot write", folder->data_path);
        ++*count;
    }
}

enum wr_status undo_restore(struct ctx *ctx, const struct folder *folder, int data_fd, const struct sync_slot *slot,
                            bool apply, uint64_t *count)
{
    int fd = folder_open_file(folder, folder->undo_path, O_RDONLY);

    *count = 0;
    if (fd < 0 && errno == ENOENT)
        return WR_OK;
    if (fd < 0)
        return fail_errno(ctx, "cannot open", folder->undo_path);
    enum wr_status st = restore(ctx, folder, fd, data_fd, slot, apply, count);
    close(fd);
    return st;
}
