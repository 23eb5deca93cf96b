/*
 * logfile.h - the file of a log (log.h), and how what is put into it comes to outlive the process, or the machine.
 *
 * Not synced: the first half alone, in memory that the file shares. What is put there outlives the process without a call of the
 * system. Synced: both halves, allocated when the file is made and written full of zeroes ahead of what is put, so that a sync has no
 * block to find and no length to change and is one write of the disk. The half at hand is kept in memory, and written in blocks, past the
 * kernel's cache where that can be (docs/decisions.md has what other ways took).
 *
 * Places count the bytes put since the file was opened, and never go back but by logfile_forget.
 *
 * 1. logfile_sync returns when what was put before the place is on the disk. Who waits together shares one sync: one of them writes and
 *    syncs what all have put, and meanwhile others may put.
 * 2. After a failure nothing is written any more.
 * 3. Of a half that is begun or cut off, everything put has been synced, or is forgotten.
 */
#ifndef WR_ENGINE_LOGFILE_H
#define WR_ENGINE_LOGFILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/log.h"

struct logfile {
    const struct folder *folder; /* NULL: in memory */
    bool is_synced;
    size_t half_bytes;
    unsigned pause; /* so many times more it is not tried to make one */
    int fd;         /* -1: none */
    uint8_t *bytes; /* of the half at hand and, synced, the blocks on their way behind it; NULL: not yet made */
    unsigned half;
    size_t filled[LOG_HALVES];  /* written, be it with zeroes, by whoever syncs */
    bool no_synced_writes;      /* the system has none for such a file; as above */
    uint64_t start;             /* the place where it begins */
    _Atomic uint64_t put_until; /* the place behind what is to be synced */

    pthread_mutex_t lock;
    pthread_cond_t ended[2]; /* a sync: by the parity of its number */
    uint64_t number;         /* of the sync under way, or of the next */
    bool busy;
    uint64_t going, synced; /* the places that it will reach, and that the last one has reached */
    int error;              /* errno of the one that failed; 0: none */
};

void logfile_init(struct logfile *f, const struct folder *folder, bool is_synced);
void logfile_release(struct logfile *f);

/* Makes the file where it is not yet there, with room on the disk for all of it; false: it cannot be had, for now (no room, no descriptor) or here
 * at all. */
bool logfile_make(struct logfile *f);

/* The other calls: one thread at a time, but for logfile_sync. */
void logfile_turn(struct logfile *f, unsigned half);       /* goes on at the start of that half */
uint64_t logfile_put(struct logfile *f, size_t end);       /* what lies before `end` in the half is put: until which place */
size_t logfile_forget(struct logfile *f);                  /* after a failure: what is not synced was never put; where that ends */
enum wr_status logfile_sync(struct ctx *ctx, struct logfile *f, uint64_t place);

#endif
