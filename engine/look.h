/*
 * look.h - where something lies in a tree. In a write LMDB's cursor goes there, since LMDB has the pages that were written; in a read our own does
 * (snapshot.h), which is quicker and trusts no page. For the rooms of the store, with LMDB's codes.
 */
#ifndef WR_ENGINE_LOOK_H
#define WR_ENGINE_LOOK_H

#include "engine/pack_store.h"
#include "engine/trust.h"

/* A tree as a read's snapshot has it. */
int look_tree(struct txn *txn, enum tree tree, struct snapshot_tree *out);

/* LMDB's to the last entry, of whatever id, whose key is not behind `at`, or is before it. *is_last: none of at's id is behind that. */
enum floor { FLOOR_AT, FLOOR_BEFORE };
static inline int look_floor_of(MDB_cursor *cursor, struct slice at, enum floor floor, MDB_val *key, MDB_val *value, bool *is_last)
{
    *key = val_of(at);
    int code = environment_look(cursor, key, value, MDB_SET_RANGE);
    *is_last = code == MDB_NOTFOUND || (!code && pack_id(*key) != pack_id(val_of(at)));
    if (code == MDB_NOTFOUND)
        return environment_look(cursor, key, value, MDB_LAST);
    if (code || (floor == FLOOR_AT && slice_eq(slice_of_val(*key), at)))
        return code;
    return environment_look(cursor, key, value, MDB_PREV);
}

int look_open(struct txn *txn, enum tree tree, struct cursor *out);
void look_close(struct cursor *c); /* one that is open */

/* What LMDB's cursor was moved to. */
static inline int look_checked(const struct cursor *c, int code, const MDB_val *key, const MDB_val *value)
{
    return code || (lies_in_file(c->txn, *value) && value_is_sound(c->txn, *key, *value)) ? code : MDB_CORRUPTED;
}

static inline int look_moved(struct cursor *c, int trusted, MDB_val *key, MDB_val *value, MDB_cursor_op op)
{
    int code = trusted ? trusted : look_checked(c, environment_look(c->handle, key, value, op), key, value);
    if (!code)
        trust_arrived(c, *key);
    return code;
}

static inline int look_given(int code, struct slice k, struct slice v, MDB_val *key, MDB_val *value)
{
    *key = val_of(k);
    *value = val_of(v);
    return code;
}

static inline int look_end(struct cursor *c, bool last, MDB_val *key, MDB_val *value)
{
    struct slice k = SLICE_NULL, v = SLICE_NULL;
    if (c->handle)
        return look_moved(c, trust_outermost(c->txn, c->tree, last), key, value, last ? MDB_LAST : MDB_FIRST);
    return look_given(snapshot_end(&c->here, last, &k, &v), k, v, key, value);
}

static inline int look_step(struct cursor *c, bool back, MDB_val *key, MDB_val *value)
{
    struct slice k = SLICE_NULL, v = SLICE_NULL;
    if (c->handle)
        return look_moved(c, trust_beside(c), key, value, back ? MDB_PREV : MDB_NEXT);
    return look_given(snapshot_step(&c->here, back, &k, &v), k, v, key, value);
}

/* To the first entry that is not before `at`. */
static inline int look_from(struct cursor *c, struct slice at, MDB_val *key, MDB_val *value)
{
    struct slice k = SLICE_NULL, v = SLICE_NULL;
    *key = val_of(at);
    if (c->handle)
        return look_moved(c, trust_way(c->txn, c->tree, at), key, value, MDB_SET_RANGE);
    return look_given(snapshot_from(&c->here, at, &k, &v), k, v, key, value);
}

static inline int look_floor(struct cursor *c, struct slice at, enum floor floor, MDB_val *key, MDB_val *value)
{
    struct slice k = SLICE_NULL, v = SLICE_NULL;
    bool is_last;
    if (c->handle) {
        int code = trust_way(c->txn, c->tree, at);
        if (!code)
            code = look_checked(c, look_floor_of(c->handle, at, floor, key, value, &is_last), key, value);
        if (!code)
            trust_arrived(c, *key);
        return code;
    }
    return look_given((floor == FLOOR_AT ? snapshot_up_to : snapshot_before)(&c->here, at, &k, &v), k, v, key, value);
}

static inline int look_at(struct cursor *c, struct slice at, MDB_val *key, MDB_val *value)
{
    struct slice k = SLICE_NULL, v = SLICE_NULL;
    *key = val_of(at);
    if (c->handle)
        return look_moved(c, trust_way(c->txn, c->tree, at), key, value, MDB_SET);
    return look_given(snapshot_at(&c->here, at, &k, &v), k, v, key, value);
}

#endif
