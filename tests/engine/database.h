/*
 * database.h - what the tests of engine/ share: a ctx, and a database in memory or in a fresh folder.
 */
#ifndef WR_TESTS_DATABASE_H
#define WR_TESTS_DATABASE_H

#include "engine/engine.h"
#include "tests/folder.h"
#include "tests/ok.h"

struct database {
    struct arena arena;
    struct ctx ctx;
    struct engine *engine;
    char path[128]; /* "" in memory */
};

static inline void database_init(struct database *db)
{
    memset(db, 0, sizeof *db);
    arena_init(&db->arena);
    ctx_init(&db->ctx, &db->arena);
    db->ctx.now_s = 1000000000;
}

static inline void database_folder(struct database *db)
{
    make_folder(db->path, sizeof db->path);
}

static inline void database_open_memory(struct database *db)
{
    const struct engine_options options = { .create = true };
    database_init(db);
    OK(&db->ctx, engine_open(&db->ctx, &options, &db->engine));
}

static inline void database_close(struct database *db)
{
    engine_close(db->engine);
    db->engine = NULL;
    if (db->path[0]) {
        static const char *const names[] = { "widerow.db",   "widerow.db-lock", "widerow.sync",
                                             "widerow.lock", "widerow.undo", "widerow.log",
                                             "widerow.db-new" };
        char name[192];
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(name, sizeof name, "%s/%s", db->path, names[i]);
            unlink(name);
        }
        assert_int_equal(rmdir(db->path), 0);
    }
    arena_release(&db->arena);
}

/* A small generator with a seed, so that what fails fails again (splitmix64). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

#endif
