/*
 * keeper.h - a thread that begins and ends what must begin and end in one thread: LMDB's write transactions, for gather.h.
 *
 * 1. An order is carried out when keeper_ask returns; one at a time, the callers see to that.
 * 2. When the time set by keeper_call_at has come, and no order is given, the keeper calls back by itself.
 */
#ifndef WR_ENGINE_KEEPER_H
#define WR_ENGINE_KEEPER_H

#include "engine/ctx.h"

enum order { ORDER_NONE, ORDER_BEGIN, ORDER_BEGIN_AGAIN, ORDER_COMMIT, ORDER_COMMIT_AND_BEGIN, ORDER_ABORT, ORDER_STOP };

struct keeper;

struct keeper_work {
    void *arg;
    enum wr_status (*obey)(struct ctx *ctx, void *arg, enum order order);
    int64_t (*due)(struct ctx *ctx, void *arg); /* gives in how many nanoseconds to come again; KEEPER_NEVER */
};
#define KEEPER_NEVER INT64_MAX

enum wr_status keeper_start(struct ctx *ctx, const struct keeper_work *work, struct keeper **out);
void keeper_stop(struct keeper *k); /* NULL is fine */
enum wr_status keeper_ask(struct ctx *ctx, struct keeper *k, enum order order);
/* Within obey: when the keeper is to call `due`. */
void keeper_call_in(struct keeper *k, int64_t ns);

#endif
