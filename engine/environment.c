#include "engine/environment.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/rig.h"

enum wr_status environment_fault(struct ctx *ctx)
{
    if (atomic_fetch_sub_explicit(&rig.store_fail_after, 1, memory_order_relaxed) > 0)
        return WR_OK;
    return fail(ctx, rig.store_fail_with, "a failure made by a test");
}

bool environment_has_grown_to(struct store *store, uint64_t bytes)
{
    struct stat stat;
    return fstat(store_fd(store), &stat) == 0 && bytes <= (uint64_t)stat.st_size;
}

bool environment_are_values(const struct store *store, const uint8_t *first, uint32_t from, uint32_t to)
{
    for (const uint8_t *page = first + (size_t)from * DATA_PAGE_BYTES; from < to; from++, page += DATA_PAGE_BYTES)
        if (store->map_at + page_number(page) * DATA_PAGE_BYTES == page)
            return false;
    return true;
}

/* ---- cursors ---- */

int environment_cursor(struct txn *txn, enum tree tree, MDB_cursor **out)
{
    if (!txn->idle_count[tree])
        return mdb_cursor_open(txn->handle, txn->store->trees[tree], out);
    *out = txn->idle[tree][--txn->idle_count[tree]]; /* it follows its transaction by itself */
    return 0;
}

void environment_give_cursor(struct txn *txn, enum tree tree, MDB_cursor *cursor)
{
    if (txn->idle_count[tree] < CURSORS_IDLE_MAX)
        txn->idle[tree][txn->idle_count[tree]++] = cursor;
    else
        mdb_cursor_close(cursor);
}

void environment_close_cursors(struct txn *txn)
{
    if (txn->finder.cursor)
        mdb_cursor_close(txn->finder.cursor);
    txn->finder = (struct finder){ 0 };
    for (int tree = 0; tree < TREE_COUNT; tree++)
        while (txn->idle_count[tree])
            mdb_cursor_close(txn->idle[tree][--txn->idle_count[tree]]);
}

/* ---- errors ---- */

static const struct {
    int code;
    enum wr_status status;
    const char *text;
} error_table[] = {
    { MDB_MAP_FULL, WR_FULL, "the database has reached the size of its map" },
    { ENOSPC, WR_FULL, "no space left on the disk; nothing of this write was kept" },
    { EDQUOT, WR_FULL, "the disk quota is used up; nothing of this write was kept" },
    { EFBIG, WR_FULL, "the file may not grow any further; nothing of this write was kept" },
    { MDB_TXN_FULL, WR_FULL, "the write is too large for one transaction" },
    { MDB_READERS_FULL, WR_BUSY, "too many snapshots are open at once" },
    { MDB_CORRUPTED, WR_CORRUPT, "the database is damaged: a page of a wrong kind" },
    { MDB_PAGE_NOTFOUND, WR_CORRUPT, "the database is damaged: a page is missing" },
    { MDB_INVALID, WR_CORRUPT, "the database is damaged: its file is not LMDB's" },
    { MDB_VERSION_MISMATCH, WR_VERSION, "the database's files were written by another version of LMDB" },
    { MDB_PANIC, WR_IO, "an earlier write to the disk failed; the database must be closed and opened again" },
    { MDB_BAD_TXN, WR_MISUSE, "the transaction has failed before and can only be aborted" },
    { MDB_BAD_VALSIZE, WR_MISUSE, "a key or value has a length that cannot be stored" },
    { MDB_INCOMPATIBLE, WR_MISUSE, "the key belongs to a tree" },
    { EACCES, WR_IO, "the database's files may not be read or written (permission denied)" },
    { EPERM, WR_IO, "the database's files may not be read or written (not permitted)" },
    { EROFS, WR_READONLY, "the file system is read-only" },
    { ENOMEM, WR_NOMEM, "out of memory" },
};

enum wr_status fail_lmdb(struct ctx *ctx, int code)
{
    for (size_t i = 0; i < sizeof error_table / sizeof *error_table; i++)
        if (error_table[i].code == code)
            return fail(ctx, error_table[i].status, "%s", error_table[i].text);
    return fail(ctx, WR_IO, "the database's file failed: %s", mdb_strerror(code));
}

/* Of what LMDB calls an I/O error, right behind it. A write that the disk took only in part is one, too, but then no call has failed with it; the next byte
 * mostly tells what stood in its way. */
static int reason_of_io_error(struct store *store)
{
    int fd = store_fd(store), told = errno;
    struct stat stat;

    if (fstat(fd, &stat) == 0 && pwrite(fd, "", 1, stat.st_size) < 0)
        return errno;
    return told == EIO ? EIO : ENOSPC;
}

void environment_spoil(struct txn *txn)
{
    txn->failed = true;
    txn->snapshot = 0; /* nobody's: it will not be parked */
}

enum wr_status fail_txn(struct ctx *ctx, struct txn *txn, int code)
{
    environment_spoil(txn);
    return fail_lmdb(ctx, code);
}

enum wr_status fail_write(struct ctx *ctx, struct txn *txn, int code)
{
    struct store *store = txn->store;

    if (code == EIO)
        code = reason_of_io_error(store);
    if (code == MDB_MAP_FULL) {
        pthread_mutex_lock(&store->gate.lock);
        store->full_at = store->map_bytes;
        pthread_mutex_unlock(&store->gate.lock);
    }
    return fail_txn(ctx, txn, code);
}
