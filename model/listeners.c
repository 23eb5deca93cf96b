#include "model/listeners.h"

#include "model/schema_diff.h"

void listeners_init(struct listeners *l)
{
    *l = (struct listeners){ .list = NULL };
    pthread_mutex_init(&l->lock, NULL);
}

void listeners_release(struct listeners *l)
{
    mem_free(l->list);
    pthread_mutex_destroy(&l->lock);
}

static void remove_locked(struct listeners *l, const void *arg)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->list[i].arg != arg)
            l->list[kept++] = l->list[i];
    l->count = kept;
}

void listeners_remove(struct listeners *l, void *arg)
{
    pthread_mutex_lock(&l->lock);
    remove_locked(l, arg);
    pthread_mutex_unlock(&l->lock);
}

static enum wr_status add_locked(struct listeners *l, listener_fn *fn, void *arg)
{
    remove_locked(l, arg);
    if (l->count == l->room) {
        uint32_t room = l->room ? l->room * 2 : 4;
        struct listener *list = mem_realloc(l->list, room * sizeof *list);
        if (!list)
            return WR_NOMEM;
        l->list = list;
        l->room = room;
    }
    l->list[l->count++] = (struct listener){ fn, arg };
    return WR_OK;
}

enum wr_status listeners_add(struct listeners *l, listener_fn *fn, void *arg)
{
    pthread_mutex_lock(&l->lock);
    enum wr_status st = add_locked(l, fn, arg);
    pthread_mutex_unlock(&l->lock);
    return st;
}

/* Whose listeners this thread is calling, the last first: they may change other databases, which have listeners, too. */
struct calling {
    const struct listeners *of;
    const struct calling *outer;
};
static _Thread_local const struct calling *calling;

bool listeners_call_here(const struct listeners *l)
{
    const struct calling *c = calling;
    while (c && c->of != l)
        c = c->outer;
    return c != NULL;
}

static enum wr_status tell_all(void *arg, const struct wr_schema_change *change)
{
    const struct listeners *l = arg;
    for (uint32_t i = 0; i < l->count; i++)
        l->list[i].fn(l->list[i].arg, change);
    return WR_OK;
}

void listeners_tell(struct listeners *l, const struct schema *before, const struct schema *after)
{
    const struct calling here = { l, calling };
    struct arena arena;
    struct ctx ctx;
    pthread_mutex_lock(&l->lock);
    calling = &here;
    if (l->count) {
        arena_init(&arena);
        ctx_init(&ctx, &arena);
        (void)schema_diff(&ctx, before, after, tell_all, l);
        arena_release(&arena);
    }
    calling = here.outer;
    pthread_mutex_unlock(&l->lock);
}
