#include "engine/recovery.h"

#include "engine/map.h"

enum wr_status recovery_replay(struct ctx *ctx, struct txn *txn, struct log_walk walk)
{
    struct slice changes;
    while (log_next(&walk, &changes))
        TRY(store_replay(ctx, txn, changes));
    return WR_OK;
}

static bool has_records(struct log_walk walk)
{
    struct slice changes;
    return log_next(&walk, &changes);
}

static enum wr_status give_back(struct ctx *ctx, struct store *store, struct syncer *durability, const struct log_walk *walk)
{
    struct txn *txn = NULL;
    enum wr_status st;

    for (;;) {
        uint64_t seen_bytes = map_bytes(store), commit_id;
        TRY(store_begin_write(ctx, store, &txn));
        st = durability_begin(ctx, durability);
        if (st == WR_OK)
            st = recovery_replay(ctx, txn, *walk);
        if (st == WR_OK)
            st = store_commit(ctx, &txn, &commit_id);
        txn_abort(&txn);
        if (st != WR_FULL)
            return st;
        TRY(map_grow(ctx, store, seen_bytes));
    }
}

enum wr_status recovery_run(struct ctx *ctx, struct store *store, struct syncer *durability, const struct folder *folder,
                            const uint8_t database_id[DATABASE_ID_BYTES])
{
    struct log_walk walk;
    uint8_t *bytes;
    size_t len;
    enum wr_status st = log_read(ctx, folder, &bytes, &len);

    if (st == WR_OK && bytes) {
        log_walk(&walk, slice_of(bytes, len), database_id, store_last_commit(store));
        if (has_records(walk)) {
            st = give_back(ctx, store, durability, &walk);
            if (st == WR_OK)
                st = durability_sync(ctx, durability);
        }
        if (st == WR_OK) /* its commits may be numbered as others to come */
            st = log_wipe(ctx, folder);
    }
    mem_free(bytes);
    return st;
}

enum wr_status recovery_check(struct ctx *ctx, struct store *store, const struct folder *folder,
                              const uint8_t database_id[DATABASE_ID_BYTES])
{
    struct log_walk walk;
    uint8_t *bytes;
    size_t len;

    if (folder_has_writer(folder))
        return WR_OK;
    enum wr_status st = log_read(ctx, folder, &bytes, &len);
    if (st == WR_OK && bytes) {
        log_walk(&walk, slice_of(bytes, len), database_id, store_last_commit(store));
        if (has_records(walk))
            st = fail(ctx, WR_BUSY, "the database was not closed by a process that is gone; it must be opened for writing once");
    }
    mem_free(bytes);
    return st;
}
