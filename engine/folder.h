/*
 * folder.h - where a database lies: the names in its folder, who may open it, and a folder in memory.
 *
 *     widerow.db         the data: LMDB's file (datafile.h)
 *     widerow.db-lock    LMDB's table of readers
 *     widerow.sync       what to fall back on after a loss of power (durability.h)
 *     widerow.undo       pages to put back then (undo.h); only while it is open, or after a loss of power
 *     widerow.log        what is acknowledged and not yet in the data file (gather.h); only while it is open, or after a crash
 *     widerow.sort       what is being sorted (sorter.h); it loses its name as soon as it has it
 *     widerow.lock       empty; who has the database open, by locks on its bytes
 *     widerow.db-new     a database being made; whole only after it has its name
 *
 * 1. A folder that holds anything else but dot files and lost+found, and no database, is refused and left as it was.
 * 2. One open for writing at a time; one open a process, since LMDB's own locks do not tell two in one process apart.
 * 3. What is opened or removed lies in the folder that was opened, also where that has been moved since and another is in its place, or a path that does
 *    not begin at the root leads elsewhere, since the program has changed its directory. LMDB's own files are opened by their paths, right behind it.
 * 4. In memory nothing is left on a disk: the files have no name any more once folder_unname has been called.
 */
#ifndef WR_ENGINE_FOLDER_H
#define WR_ENGINE_FOLDER_H

#include "engine/ctx.h"

struct folder {
    char *path;
    char *data_path, *new_path, *sync_path, *undo_path, *log_path; /* all in one piece of memory, path's */
    int fd, lock_fd;                                    /* -1: none */
    int memory_fds[2];                                  /* behind the names of a folder in memory; -1: none */
    bool has_memory;                                    /* they are behind both names */
    bool exists;                                        /* it held a database when it was opened */
};

#define FOLDER_CLOSED ((struct folder){ .fd = -1, .lock_fd = -1, .memory_fds = { -1, -1 } })

/* create: a missing folder is made, an empty one taken; else both are WR_NOT_A_DATABASE. */
enum wr_status folder_open(struct ctx *ctx, const char *path, bool read_only, bool create, struct folder *out);
enum wr_status folder_open_memory(struct ctx *ctx, struct folder *out);
/* As open(), of the file that has this one of its paths; by a number of fd.h. */
int folder_open_file(const struct folder *folder, const char *path, int flags);
/* A file for reading and writing that goes when it is closed, by a number of fd.h; -1 and errno: there is none. Of who has the folder open for writing. */
int folder_open_nameless(const struct folder *folder);
/* The files are memory of this process, and no limit of it makes writing to them through a map a signal: such as on the size of files, or
 * on memory that is promised. */
bool folder_is_memory(const struct folder *folder);
bool folder_has_writer(const struct folder *folder); /* another process (or this one) has it open for writing; not for who does */
bool folder_has_others(const struct folder *folder); /* another process has it open */
void folder_unname(struct folder *folder); /* of a folder in memory, when LMDB has opened its files */
void folder_close(struct folder *folder);  /* gives up the locks; closed already is fine */

/* The new database becomes the folder's. sync: for good, also when power goes now. */
enum wr_status folder_publish(struct ctx *ctx, struct folder *folder, bool sync);
void folder_discard_undo(const struct folder *folder); /* after a clean stop */
void folder_discard_log(const struct folder *folder);  /* the same */
void folder_discard_new(const struct folder *folder);  /* what a publish that never came has left */

enum wr_status fail_errno(struct ctx *ctx, const char *what, const char *path);

#endif
