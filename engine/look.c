#include "engine/look.h"

static int look_up(struct txn *txn, enum tree tree, struct snapshot_tree *out)
{
    struct store *store = txn->store;
    MDB_val name = val_of(slice_str(store_tree_name(tree))), value = { 0 };
    struct tree_record record;
    MDB_envinfo info;

    int code = mdb_get(txn->handle, store->trees[TREE_META], &name, &value);
    if (code || value.mv_size != sizeof record)
        return code && code != MDB_NOTFOUND ? code : MDB_CORRUPTED;
    memcpy(&record, value.mv_data, sizeof record);
    mdb_env_info(store->env, &info);
    const uint64_t there_are = (uint64_t)info.me_last_pgno + 1, mapped = info.me_mapsize / DATA_PAGE_BYTES;
    const uint64_t pages = there_are < mapped ? there_are : mapped;
    if (record.root != NO_PAGE && (record.root >= pages || record.depth == 0 || record.depth > TREE_DEPTH_MOST))
        return MDB_CORRUPTED;
    *out = (struct snapshot_tree){ store->map_at ? store->map_at : page_map_of(value.mv_data), pages, record.root, record.depth };
    return 0;
}

int look_tree(struct txn *txn, enum tree tree, struct snapshot_tree *out)
{
    struct snapshot_tree *known = &txn->trees[tree];
    int code = known->map ? 0 : look_up(txn, tree, known);

    *out = *known;
    return code;
}

int look_open(struct txn *txn, enum tree tree, struct cursor *out)
{
    MDB_cursor *handle = NULL;
    struct snapshot_tree here;

    int code = txn->write ? environment_cursor(txn, tree, &handle) : look_tree(txn, tree, &here);
    if (code)
        return code;
    out->txn = txn;
    out->handle = handle;
    out->tree = tree;
    out->pages = 0;
    out->page = out->walked = 0;
    out->next_leaf = NULL;
    out->stands = SLICE_EMPTY;
    if (!handle)
        snapshot_begin(&out->here, &here);
    return 0;
}

void look_close(struct cursor *c)
{
    if (c->handle)
        environment_give_cursor(c->txn, c->tree, c->handle);
    c->txn = NULL;
}
