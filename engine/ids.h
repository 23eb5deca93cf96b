/*
 * ids.h - a set of ids that is filled, sorted, and then asked.
 */
#ifndef WR_ENGINE_IDS_H
#define WR_ENGINE_IDS_H

#include "engine/ctx.h"

struct ids {
    uint64_t *at;
    size_t count, room;
};

enum wr_status ids_add(struct ctx *ctx, struct ids *ids, uint64_t id);
void ids_sort(struct ids *ids);
bool ids_has(const struct ids *ids, uint64_t id); /* of one that is sorted */
void ids_release(struct ids *ids);

#endif
