/*
 * store.h - what every store of the bench can do. A store that leaves an operation NULL sits out the workloads that need it.
 *
 * Each store keeps seven tables: messages by room and time, e-mails by id, counters by user and folder, users by name, posts by id, timelines by
 * user and time, vectors by number. It does what an expert in it would write for them. A failure ends the process with its message: a measurement that
 * failed is none.
 */
#ifndef BENCH_STORE_H
#define BENCH_STORE_H

#include "data.h"

enum safety { SAFE_PROCESS_CRASH, SAFE_POWER_LOSS };

struct store {
    const char *name;
    bool in_memory; /* open takes folder NULL */
    void *(*open)(const char *folder, enum safety safety, bool create); /* create: the folder is empty, make the tables */
    void (*close)(void *store);
    void *(*attach)(void *store); /* a handle for another thread */
    void (*detach)(void *store);

    void (*insert)(void *store, const struct message *message);                      /* a commit of its own */
    void (*insert_many)(void *store, uint64_t from, uint64_t count, uint32_t rooms); /* messages of those numbers, in one commit */
    uint64_t (*page)(void *store, uint32_t room, unsigned rows);                     /* the newest; every column summed, in order */
    uint64_t (*newest)(void *store, const uint32_t *rooms, unsigned count);          /* a page of one message of each; the sum of the pages' sums. NULL: one by one */
    uint64_t (*scan)(void *store, uint64_t *rows);                                   /* all messages; the sum of the rows' sums */

    void (*index_authors)(void *store); /* from then on messages are found by their authors */
    uint64_t (*by_author)(void *store, struct text author, unsigned most, uint64_t *rows); /* 0: all; every column, the sum of the rows' sums */

    void (*put_vectors)(void *store, uint64_t from, uint64_t count);                 /* by their numbers, in one commit */
    uint64_t (*nearest)(void *store, const struct vector *wanted, unsigned count);   /* by cosine; the sum of their numbers */

    void (*put_mails)(void *store, uint64_t from, uint64_t count); /* in one commit */
    uint64_t (*get_mail)(void *store, const uint8_t id[16]);       /* every column but the id summed */

    void (*count)(void *store, struct name user, uint32_t folder); /* one more; a commit of its own */
    uint64_t (*counted)(void *store, struct name user, uint32_t folder);

    bool (*claim)(void *store, struct name user); /* inserts the user with a password if there is none of that name; was there none? */

    void (*fan_out)(void *store, const struct post *post);             /* the post and its FOLLOWERS timelines, in one commit */
    uint64_t (*timeline)(void *store, struct name user, unsigned rows); /* the newest and their posts; the sum of the posts' sums */
};

extern const struct store store_widerow, store_families, store_lmdb, store_sqlite;
#ifdef BENCH_ROCKSDB
extern const struct store store_rocksdb;
#endif

#define PASSWORD "correct horse battery staple"

#endif
