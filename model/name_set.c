#include "model/name_set.h"

#include "engine/hash.h"

enum wr_status name_set_make(struct ctx *ctx, struct name_set *set, size_t names)
{
    set->room = 16;
    while (set->room <= 2 * names)
        set->room *= 2;
    set->slots = NEW_ARRAY(ctx, struct slice, set->room);
    return set->slots ? WR_OK : WR_NOMEM;
}

static struct slice *slot_of(const struct name_set *set, struct slice name)
{
    size_t at = (size_t)hash64(name) & (set->room - 1);
    while (!slice_is_null(set->slots[at]) && !slice_eq(set->slots[at], name))
        at = (at + 1) & (set->room - 1);
    return &set->slots[at];
}

bool name_set_has(const struct name_set *set, struct slice name)
{
    return !slice_is_null(*slot_of(set, name));
}

bool name_set_add(struct name_set *set, struct slice name)
{
    struct slice *slot = slot_of(set, name);
    bool fresh = slice_is_null(*slot);
    *slot = name;
    return fresh;
}
