#include "engine/reserve.h"

#include <errno.h>
#include <fcntl.h>

#include "engine/environment.h"
#include "engine/map.h"
#include "engine/pages.h"

static uint64_t bytes_behind(struct store *store)
{
    uint64_t used = map_used_bytes(store);
    return store->reserve.end > used ? store->reserve.end - used : 0;
}

/* False: the disk is full. */
static bool top_up(struct store *store)
{
    uint64_t used = map_used_bytes(store);
    int code = fallocate(store_fd(store), FALLOC_FL_KEEP_SIZE, (off_t)used, RESERVE_BYTES) == 0 ? 0 : errno;
    bool is_full = code == ENOSPC || code == EDQUOT;

    store->reserve.tried_at = used;
    store->reserve.end = code ? store->reserve.end : used + RESERVE_BYTES;
    store->reserve.is_none = code && !is_full && code != EINTR;
    atomic_store(&store->reserve.is_short, is_full);
    return !is_full;
}

bool reserve_is_short(const struct store *store)
{
    return atomic_load(&store->reserve.is_short);
}

void reserve_follow(struct store *store)
{
    if (!store->reserve.is_none && bytes_behind(store) < RESERVE_LEAST && store->reserve.tried_at != map_used_bytes(store))
        top_up(store);
}

bool reserve_is_whole(const struct txn *txn)
{
    return txn->store->reserve.is_none || bytes_behind(txn->store) >= RESERVE_LEAST;
}

enum wr_status reserve_ask(struct ctx *ctx, struct txn *txn, uint64_t oldest)
{
    struct store *store = txn->store;
    uint64_t free_pages;

    if (!reserve_is_short(store) && top_up(store))
        return WR_OK;
    TRY(pages_free(ctx, store, oldest, &free_pages));
    if (bytes_behind(store) + free_pages * DATA_PAGE_BYTES >= RESERVE_LEAST || top_up(store))
        return WR_OK;
    return fail_lmdb(ctx, ENOSPC);
}
