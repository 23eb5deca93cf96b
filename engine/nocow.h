/*
 * nocow.h - files whose blocks are written where they lie, as memory that a file shares needs it.
 *
 * A file system that copies on write (btrfs, bcachefs, ZFS, NILFS) writes a block to another place each time. When it is full, the next touch of such memory
 * ends the process (SIGBUS), whatever room the file was given before. Of btrfs it can be asked not to, file by file; Linux before 6.16 may end the process all
 * the same.
 */
#ifndef WR_ENGINE_NOCOW_H
#define WR_ENGINE_NOCOW_H

#include <stdbool.h>

bool nocow_ask(int fd); /* of a file that is empty. False: it is copied on write */

#endif
