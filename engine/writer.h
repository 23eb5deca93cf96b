/*
 * writer.h - what the one writer remembers from transaction to transaction. All of it can be forgotten at any time: it is, when
 * a transaction is aborted.
 */
#ifndef WR_ENGINE_WRITER_H
#define WR_ENGINE_WRITER_H

#include "engine/key.h"

struct backlog;
struct partition_cache;

struct writer {
    struct partition_cache *cache;  /* partition.c */
    struct backlog *backlog;        /* backlog.h */
    uint32_t next_due_s;            /* nothing in the queue is due before; 0: not known */
    unsigned depth;                 /* applies in one another, through hooks */
    struct wide_cursor *cursor;     /* for look-ups that close it before they return */
    const struct table_shape *(*lookup)(void *arg, uint64_t table_id);
    void *lookup_arg;
};

enum wr_status writer_new(struct ctx *ctx, struct writer **out);
void writer_free(struct writer *writer); /* NULL is fine */

/* Of the engine a transaction belongs to. Write transactions. */
struct writer *txn_writer(const struct txn *txn);

/* For store.h's writer_hooks: arg is the writer. */
void writer_aborted(void *arg);

#endif
