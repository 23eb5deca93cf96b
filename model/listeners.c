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
    if (l->count == l->room) {
        uint32_t room = l->room ? l->room * 2 : 4;
        struct listener *list = mem_realloc(l->list, room * sizeof *list);
        if (!list)
            return WR_NOMEM;
        l->list = list;
        l->room = room;
    }
    remove_locked(l, arg);
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

struct news_item {
    struct news_item *next;
    struct wr_schema_change change;
};

void news_init(struct news *news)
{
    arena_init(&news->arena);
    news->first = NULL;
    news->last = &news->first;
}

void news_release(struct news *news)
{
    arena_release(&news->arena);
}

static enum wr_status keep(void *arg, const struct wr_schema_change *change)
{
    struct news *news = arg;
    struct news_item *item = arena_alloc(&news->arena, sizeof *item);
    if (!item)
        return WR_NOMEM;
    item->change = *change;
    *news->last = item;
    news->last = &item->next;
    return WR_OK;
}

enum wr_status news_find(struct ctx *ctx, struct news *news, struct listeners *l, const struct schema *before, const struct schema *after)
{
    struct ctx own; /* whose memory outlives the write's attempt */

    news_release(news);
    news_init(news);
    if (!atomic_load(&l->count))
        return WR_OK;
    ctx_init(&own, &news->arena);
    return ctx_outcome(&own, schema_diff(&own, before, after, keep, news)) == WR_OK ? WR_OK : fail_nomem(ctx);
}

void listeners_tell(struct listeners *l, const struct news *news)
{
    const struct calling here = { l, calling };

    if (!news->first)
        return;
    pthread_mutex_lock(&l->lock);
    calling = &here;
    for (const struct news_item *item = news->first; item; item = item->next)
        for (uint32_t i = 0; i < l->count; i++)
            l->list[i].fn(l->list[i].arg, &item->change);
    calling = here.outer;
    pthread_mutex_unlock(&l->lock);
}
