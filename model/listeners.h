/*
 * listeners.h - who is told of changes of the schema (wr_on_schema_change).
 *
 * 1. Any thread may add, remove and tell at any time; once listeners_remove returns, that listener is in no call and gets no more.
 * 2. Listeners are called one after another, each change at a time, under a lock of their own only: they may read and write.
 */
#ifndef WR_MODEL_LISTENERS_H
#define WR_MODEL_LISTENERS_H

#include <pthread.h>

#include "model/schema.h"
#include "widerow.h"

typedef void listener_fn(void *arg, const struct wr_schema_change *change);

struct listeners {
    pthread_mutex_t lock;
    struct listener { listener_fn *fn; void *arg; } *list;
    _Atomic uint32_t count; /* changed with the lock; read without it by who may not wait for a listener, which may want to write */
    uint32_t room;
};

void listeners_init(struct listeners *l);
void listeners_release(struct listeners *l);
enum wr_status listeners_add(struct listeners *l, listener_fn *fn, void *arg); /* in the place of one with that arg; WR_NOMEM */
void listeners_remove(struct listeners *l, void *arg);

/* Whether this thread is within a call of one of them: it would wait for itself, to change the schema or the listeners. */
bool listeners_call_here(const struct listeners *l);

/* Everything that changed, found before the change is done: behind that nothing may fail. */
struct news {
    struct arena arena;
    struct news_item *first, **last;
};

void news_init(struct news *news);
void news_release(struct news *news);
/* In the place of what it had; nothing where nobody listens. Waits for nobody: it is called within a write. WR_NOMEM. */
enum wr_status news_find(struct ctx *ctx, struct news *news, struct listeners *l, const struct schema *before, const struct schema *after);

void listeners_tell(struct listeners *l, const struct news *news);

#endif
