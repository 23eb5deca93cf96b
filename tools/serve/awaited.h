/*
 * awaited.h - whose request a thread is at, and the read that it runs for it: which ends where nobody waits for it any more. Writes are done, whoever
 * waits.
 */
#ifndef WR_SERVE_AWAITED_H
#define WR_SERVE_AWAITED_H

#include <pthread.h>
#include <stdbool.h>

#include "widerow.h"

struct awaited {
    pthread_mutex_t lock; /* of what follows */
    const void *client;   /* that the request is of */
    wr_stmt *read;        /* NULL: none runs */
    bool is_gone;         /* the client */
};

void awaited_init(struct awaited *awaited);
void awaited_release(struct awaited *awaited);

/* The thread: a request of a client begins; its read does, false: nobody waits for it; and has ended. */
void awaited_begin(struct awaited *awaited, const void *client);
bool awaited_read(struct awaited *awaited, wr_stmt *stmt);
void awaited_end_read(struct awaited *awaited);

/* Any thread: the client has gone; now and then: a read that was just about to begin has not heard of it. */
void awaited_leave(struct awaited *awaited, const void *client);
void awaited_tick(struct awaited *awaited);

#endif
