/*
 * awaited.h - whose request a thread is at, and the read that it runs for it: which ends where nobody waits for it any more, or where it takes longer than
 * reads may. Writes are done, whoever waits.
 */
#ifndef WR_SERVE_AWAITED_H
#define WR_SERVE_AWAITED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "widerow.h"

struct awaited {
    pthread_mutex_t lock; /* of what follows */
    const void *client;   /* that the request is of */
    wr_stmt *read;        /* NULL: none runs */
    bool is_gone;         /* the client */
    bool is_late;         /* the read */
    uint32_t ticks;       /* that the read has lasted */
    uint32_t ticks_max;   /* that it may; 0: as many as it takes. Set before there are requests */
};

void awaited_init(struct awaited *awaited);
void awaited_release(struct awaited *awaited);

/* The thread: a request of a client begins; its read does, false: nobody waits for it; and has ended. */
void awaited_begin(struct awaited *awaited, const void *client);
bool awaited_read(struct awaited *awaited, wr_stmt *stmt);
void awaited_end_read(struct awaited *awaited);
bool awaited_is_late(struct awaited *awaited); /* the read that has ended was told to, because it took too long */

/* Any thread: the client has gone; a second has passed: reads grow late, and one that was just about to begin has not heard that nobody waits. */
void awaited_leave(struct awaited *awaited, const void *client);
void awaited_tick(struct awaited *awaited);

#endif
