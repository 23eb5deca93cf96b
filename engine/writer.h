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
    bool holds_sweep;               /* nothing is purged before the transaction ends */
    uint32_t queued;                /* entries that the apply under way has put into the queue */
    struct wide_cursor *cursor;     /* for look-ups that close it before they return */
    const struct table_shape *(*lookup)(void *arg, uint64_t table_id);
    void *lookup_arg;
};

enum wr_status writer_new(struct ctx *ctx, struct writer **out);
void writer_free(struct writer *writer); /* NULL is fine */

/* Of the engine a transaction belongs to. Write transactions. */
struct writer *txn_writer(const struct txn *txn);

/* Commits what the transaction has written, and goes on without anybody else having had the turn; no cursor is open. A sync of it need not be waited for. After a
 * failure the transaction is lost. (engine.c) */
enum wr_status txn_commit_part(struct ctx *ctx, struct txn *txn);

/* For store.h's writer_hooks: arg is the writer. */
void writer_aborted(void *arg);

#endif
