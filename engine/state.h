/*
 * state.h - what struct engine holds, for the rooms of engine/ that need to look inside. model/ never does.
 */
#ifndef WR_ENGINE_STATE_H
#define WR_ENGINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/backlog.h"
#include "engine/clock.h"
#include "engine/durability.h"
#include "engine/folder.h"
#include "engine/gather.h"
#include "engine/store.h"
#include "engine/tidy.h"
#include "engine/writer.h"

/* What survives beside the data: under TREE_META's key "marks", written by every commit that has moved one of them. */
struct marks {
    uint64_t next_id;
    int64_t timestamp_us;
};

struct engine {
    struct store *store;
    struct syncer *durability; /* NULL: in memory, or read-only */
    struct gather *gather;     /* NULL: read-only */
    struct folder folder;      /* FOLDER_CLOSED in memory, once it is open */
    struct clock clock;
    struct writer *writer; /* what the rooms above remember of writing (writer.h) */
    struct backlog backlog; /* rows that are put off */
    bool read_only;

    void (*sweep_wanted)(void *arg); /* NULL: nobody would sweep */
    void *sweep_arg;
    atomic_uint expired_passed; /* rows that reads have stepped over */
    pthread_mutex_t tidying_lock;
    struct tidying tidying[TIDY_TABLES]; /* a table each */

    /* Under the writer's lock. */
    uint64_t next_id;            /* never goes back, also when a transaction is undone */
    struct marks saved, written; /* as last committed; as the transaction has written them */
};

#endif
