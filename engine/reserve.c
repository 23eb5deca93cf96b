#include "engine/reserve.h"

#include <errno.h>
#include <fcntl.h>

#include "engine/environment.h"
#include "engine/fd.h"
#include "engine/map.h"
#include "engine/pages.h"

static uint64_t bytes_kept(uint64_t used)
{
    uint64_t quarter = used / DATA_PAGE_BYTES / 4 * DATA_PAGE_BYTES;
    return quarter < RESERVE_LEAST ? RESERVE_LEAST : quarter < RESERVE_MOST ? quarter : RESERVE_MOST;
}

/* With so many bytes of free pages. */
static bool is_enough(struct store *store, uint64_t free_bytes)
{
    uint64_t used = map_used_bytes(store), end = store->reserve.end;
    return (end > used ? end - used : 0) + free_bytes >= bytes_kept(used) / 2;
}

/* A file that does not become longer by it may have blocks beyond the limit on its size, where nothing can be put. */
static int promise(struct store *store, uint64_t from, uint64_t bytes)
{
    if (!fd_may_reach(from + bytes))
        return EFBIG;
    return fallocate(store_fd(store), FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)bytes) == 0 ? 0 : errno;
}

/* False: the disk is full. */
static bool top_up(struct store *store)
{
    uint64_t used = map_used_bytes(store), bytes = bytes_kept(used);
    int code = promise(store, used, bytes);
    bool is_full = code == ENOSPC || code == EDQUOT || code == EFBIG;

    store->reserve.tried_at = used;
    store->reserve.end = code ? store->reserve.end : used + bytes;
    store->reserve.is_none = code && !is_full && code != EINTR;
    atomic_store(&store->reserve.lacks, is_full ? code : 0);
    return !is_full;
}

bool reserve_is_short(const struct store *store)
{
    return atomic_load(&store->reserve.lacks) != 0;
}

void reserve_follow(struct store *store)
{
    if (!store->reserve.is_none && !is_enough(store, 0) && store->reserve.tried_at != map_used_bytes(store))
        top_up(store);
}

bool reserve_is_whole(const struct txn *txn)
{
    return txn->store->reserve.is_none || is_enough(txn->store, 0);
}

enum wr_status reserve_ask(struct ctx *ctx, struct txn *txn, uint64_t oldest)
{
    struct store *store = txn->store;
    uint64_t free_pages;

    if (!reserve_is_short(store) && top_up(store))
        return WR_OK;
    TRY(pages_free(ctx, store, oldest, RESERVE_MOST / DATA_PAGE_BYTES, &free_pages));
    if (is_enough(store, free_pages * DATA_PAGE_BYTES) || top_up(store))
        return WR_OK;
    return fail_lmdb(ctx, atomic_load(&store->reserve.lacks));
}
