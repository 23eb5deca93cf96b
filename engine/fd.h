/*
 * fd.h - files at numbers above those of standard input, output and error; writes that are whole or have failed; how long files may be.
 *
 * A program may have closed these (`wr serve x <&- >&- 2>&-`, a daemon). The next file that is opened has such a number then, and what the
 * program or a library of it prints to standard error is written into it; or the program opens /dev/null there, and closes it.
 */
#ifndef WR_ENGINE_FD_H
#define WR_ENGINE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int fd_lift(int fd); /* of what has just been opened; -1 and errno, with fd closed, where there is none. -1 stays -1 */

/* For a library that opens files itself: in between nothing else gets these numbers. */
struct fd_places {
    int taken[3];
    int count;
};
void fd_take_places(struct fd_places *out);
void fd_free_places(struct fd_places *places);

/* All n bytes, or false and errno: a disk that takes only a part of them is full (ENOSPC). */
bool fd_put(int fd, const void *bytes, size_t n, off_t at);

/* Whether a file may be so long (RLIMIT_FSIZE): one that grows beyond is a signal, or EFBIG. */
bool fd_may_reach(uint64_t bytes);

#endif
