/*
 * func_uuid.c - uuid(): random, version 4.
 */
#include "engine/clock.h"
#include "model/func.h"

enum wr_status func_uuid(const struct call *call, const struct slice *args, struct slice *out)
{
    uint8_t *uuid = ctx_alloc(call->ctx, 16);

    (void)args;
    if (!uuid)
        return WR_NOMEM;
    clock_random(uuid, 16);
    uuid[6] = (uint8_t)((uuid[6] & 0x0F) | 0x40);
    uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
    *out = slice_of(uuid, 16);
    return WR_OK;
}
