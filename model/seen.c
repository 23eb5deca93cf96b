#include "model/seen.h"

#include "engine/hash.h"

enum wr_status seen_make(struct ctx *ctx, struct seen *seen, size_t names)
{
    seen->room = 16;
    while (seen->room <= 2 * names)
        seen->room *= 2;
    seen->slots = NEW_ARRAY(ctx, struct slice, seen->room);
    return seen->slots ? WR_OK : WR_NOMEM;
}

static struct slice *slot_of(const struct seen *seen, struct slice name)
{
    size_t at = (size_t)hash64(name) & (seen->room - 1);
    while (!slice_is_null(seen->slots[at]) && !slice_eq(seen->slots[at], name))
        at = (at + 1) & (seen->room - 1);
    return &seen->slots[at];
}

bool seen_has(const struct seen *seen, struct slice name)
{
    return !slice_is_null(*slot_of(seen, name));
}

bool seen_add(struct seen *seen, struct slice name)
{
    struct slice *slot = slot_of(seen, name);
    bool fresh = slice_is_null(*slot);
    *slot = name;
    return fresh;
}
