#include "engine/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/fd.h"

#define DATA_NAME      "widerow.db"
#define DATA_LOCK_NAME "widerow.db-lock"
#define NEW_NAME       "widerow.db-new"
#define NEW_LOCK_NAME  "widerow.db-new-lock" /* which making one left behind where it was cut short, before it was done without LMDB */
#define SYNC_NAME      "widerow.sync"
#define UNDO_NAME      "widerow.undo"
#define LOG_NAME       "widerow.log"
#define SORT_NAME      "widerow.sort"
#define LOCK_NAME      "widerow.lock"

static const char *const our_names[] = { DATA_NAME, DATA_LOCK_NAME, NEW_NAME, NEW_LOCK_NAME, SYNC_NAME, UNDO_NAME, LOG_NAME, SORT_NAME, LOCK_NAME };

enum { NAME_BYTES_MAX = 32, LOCK_WRITER_AT = 0, LOCK_PROCESS_AT = 1 };

/* In words; GNU's strerror_r gives them, and POSIX's puts them into room. */
static const char *error_words(int code, char *room, size_t size)
{
#ifdef __GLIBC__
    return strerror_r(code, room, size);
#else
    return strerror_r(code, room, size) == 0 ? room : "an unknown error";
#endif
}

enum wr_status fail_errno(struct ctx *ctx, const char *what, const char *path)
{
    int code = errno;
    char text[128];
    enum wr_status status = code == ENOMEM                                      ? WR_NOMEM
                            : code == EROFS                                     ? WR_READONLY
                            : code == ENOSPC || code == EDQUOT || code == EFBIG ? WR_FULL
                                                                                : WR_IO;
    return fail(ctx, status, "%s %s: %s", what, path, error_words(code, text, sizeof text));
}

static bool set_paths(struct folder *folder, const char *path)
{
    size_t len = strlen(path), each = len + NAME_BYTES_MAX;
    char *text = mem_alloc(each * 6);

    if (!text)
        return false;
    folder->path = text;
    folder->data_path = text + each;
    folder->new_path = text + each * 2;
    folder->sync_path = text + each * 3;
    folder->undo_path = text + each * 4;
    folder->log_path = text + each * 5;
    memcpy(folder->path, path, len + 1);
    snprintf(folder->data_path, each, "%s/" DATA_NAME, path);
    snprintf(folder->new_path, each, "%s/" NEW_NAME, path);
    snprintf(folder->sync_path, each, "%s/" SYNC_NAME, path);
    snprintf(folder->undo_path, each, "%s/" UNDO_NAME, path);
    snprintf(folder->log_path, each, "%s/" LOG_NAME, path);
    return true;
}

/* ---- on a disk ---- */

static bool is_foreign(const char *name)
{
    if (name[0] == '.' || strcmp(name, "lost+found") == 0)
        return false;
    for (size_t i = 0; i < sizeof our_names / sizeof *our_names; i++)
        if (strcmp(name, our_names[i]) == 0)
            return false;
    return true;
}

/* A copy of the first name that is not ours, in the statement's memory; NULL: none, or the folder cannot be read. */
static const char *find_foreign(struct ctx *ctx, const char *path)
{
    const char *found = NULL;
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir && !found && (entry = readdir(dir)))
        if (is_foreign(entry->d_name))
            found = ctx_format(ctx, "%s", entry->d_name);
    if (dir)
        closedir(dir);
    return found;
}

static bool has_database(const struct folder *folder)
{
    struct stat stat;
    return fstatat(folder->fd, DATA_NAME, &stat, 0) == 0;
}

static enum wr_status open_dir(struct ctx *ctx, const char *path, bool create, struct folder *folder)
{
    bool made = create && mkdir(path, 0777) == 0;
    if (create && !made && errno != EEXIST)
        return fail_errno(ctx, "cannot make the folder", path);
    folder->fd = fd_lift(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return fail(ctx, WR_NOT_A_DATABASE, errno == ENOENT ? "there is no database at %s" : "%s is not a folder",
                    path);
    if (folder->fd < 0)
        return fail_errno(ctx, "cannot open the folder", path);
    folder->exists = has_database(folder);
    if (folder->exists)
        return WR_OK;
    const char *foreign = find_foreign(ctx, path);
    if (foreign)
        return fail(ctx, WR_NOT_A_DATABASE, "the folder %s holds no database, but other files (%s)", path, foreign);
    return create ? WR_OK : fail(ctx, WR_NOT_A_DATABASE, "there is no database at %s", path);
}

/* Locks of an open file, not of a process: they hold against another open of this process too. */
static bool lock_byte(int fd, short type, off_t at)
{
    struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* By anybody else than this open of the folder, so that such a lock could not be had; len 0: from there on. */
static bool is_locked(const struct folder *folder, short type, off_t at, off_t len)
{
    struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = len };
    return folder->lock_fd >= 0 && fcntl(folder->lock_fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool folder_has_writer(const struct folder *folder)
{
    return is_locked(folder, F_RDLCK, LOCK_WRITER_AT, 1);
}

bool folder_has_others(const struct folder *folder)
{
    return is_locked(folder, F_WRLCK, LOCK_PROCESS_AT, 0);
}

static bool is_taken(int code)
{
    return code == EAGAIN || code == EACCES;
}

static enum wr_status fail_lock(struct ctx *ctx, const char *path, const char *who)
{
    if (is_taken(errno))
        return fail(ctx, WR_BUSY, "the database at %s is open %s already", path, who);
    return fail_errno(ctx, "cannot lock the database at", path);
}

/* What cannot be written here may be written by way of another mount. Who does that would not see this one in LMDB's table of readers, and
 * use pages again that it reads; so neither begins while the other is there. */
static enum wr_status lock_unwritable(struct ctx *ctx, const char *path, struct folder *folder)
{
    folder->lock_fd = fd_lift(openat(folder->fd, LOCK_NAME, O_RDONLY | O_CLOEXEC));
    if (folder->lock_fd < 0)
        return errno == ENOENT ? WR_OK : fail_errno(ctx, "cannot open the lock file of", path); /* who writes makes one */
    if (lock_byte(folder->lock_fd, F_RDLCK, LOCK_WRITER_AT) || !is_taken(errno))
        return WR_OK;
    return fail(ctx, WR_BUSY, "the database at %s is open for writing, and who writes cannot be told of a reader where the file system is read-only",
                path);
}

static enum wr_status lock_folder(struct ctx *ctx, const char *path, bool read_only, struct folder *folder)
{
    folder->lock_fd = fd_lift(openat(folder->fd, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (folder->lock_fd < 0 && errno == EROFS && read_only)
        return lock_unwritable(ctx, path, folder);
    if (folder->lock_fd < 0)
        return fail_errno(ctx, "cannot open the lock file of", path);
    if (!lock_byte(folder->lock_fd, F_WRLCK, LOCK_PROCESS_AT + getpid()))
        return fail_lock(ctx, path, "in this process, or in another container's of the same id,");
    if (!read_only && !lock_byte(folder->lock_fd, F_WRLCK, LOCK_WRITER_AT)) {
        int code = errno;
        const char *who = folder_has_writer(folder) ? "for writing in another process" : "where the file system is read-only";
        errno = code;
        return fail_lock(ctx, path, who);
    }
    folder->exists = has_database(folder); /* somebody may have made it since */
    return WR_OK;
}

enum wr_status folder_open(struct ctx *ctx, const char *path, bool read_only, bool create, struct folder *out)
{
    struct folder folder = FOLDER_CLOSED;
    enum wr_status st;

    if (!set_paths(&folder, path))
        return fail_nomem(ctx);
    TRY_OUT(open_dir(ctx, path, create && !read_only, &folder));
    TRY_OUT(lock_folder(ctx, path, read_only, &folder));
    *out = folder;
    return WR_OK;
out:
    folder_close(&folder);
    return st;
}

int folder_open_file(const struct folder *folder, const char *path, int flags)
{
    /* O_NONBLOCK: a pipe in the place of a file is opened without somebody at its other end, and what cannot be read there is told */
    return fd_lift(openat(folder->fd, path + strlen(folder->path) + 1, flags | O_CLOEXEC | O_NONBLOCK, 0666));
}

int folder_open_nameless(const struct folder *folder)
{
    unlinkat(folder->fd, SORT_NAME, 0); /* of a process that ended in between */
    int fd = fd_lift(openat(folder->fd, SORT_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd >= 0)
        unlinkat(folder->fd, SORT_NAME, 0);
    return fd;
}

enum wr_status folder_publish(struct ctx *ctx, struct folder *folder, bool sync)
{
    unlinkat(folder->fd, DATA_LOCK_NAME, 0); /* of a database that lay here before and has been removed by hand */
    if (renameat(folder->fd, NEW_NAME, folder->fd, DATA_NAME) != 0)
        return fail_errno(ctx, "cannot make the database in", folder->path);
    if (!sync || fsync(folder->fd) == 0)
        return WR_OK;
    enum wr_status st = fail_errno(ctx, "cannot sync the folder", folder->path);
    renameat(folder->fd, DATA_NAME, folder->fd, NEW_NAME); /* where its maker looks to discard it */
    return st;
}

void folder_discard_undo(const struct folder *folder)
{
    unlinkat(folder->fd, UNDO_NAME, 0);
}

void folder_discard_log(const struct folder *folder)
{
    unlinkat(folder->fd, LOG_NAME, 0);
}

void folder_discard_new(const struct folder *folder)
{
    unlinkat(folder->fd, NEW_NAME, 0);
    unlinkat(folder->fd, NEW_LOCK_NAME, 0);
}

/* ---- in memory ---- */

/* LMDB wants names, memory files have none: for the moment of opening, links in a folder of ours lead to them. Where
 * there are no memory files or no /proc, LMDB makes real files there, which lose their names just as soon. */
static const char *const memory_names[2] = { DATA_NAME, DATA_LOCK_NAME };

static void memory_target(const struct folder *folder, int i, char out[64])
{
    snprintf(out, 64, "/proc/self/fd/%d", folder->memory_fds[i]);
}

static bool make_memory_files(struct folder *folder)
{
    char target[64];

    for (int i = 0; i < 2; i++) {
        folder->memory_fds[i] = fd_lift(memfd_create(memory_names[i], MFD_CLOEXEC));
        memory_target(folder, i, target);
        if (folder->memory_fds[i] < 0 || access(target, F_OK) != 0)
            return false;
    }
    return true;
}

/* Whether both names lead to memory; else there are none. */
static bool link_memory_files(const struct folder *folder)
{
    bool linked = true;
    char target[64];

    for (int i = 0; i < 2 && linked; i++) {
        memory_target(folder, i, target);
        linked = symlinkat(target, folder->fd, memory_names[i]) == 0 && faccessat(folder->fd, memory_names[i], F_OK, 0) == 0;
    }
    for (int i = 0; i < 2 && !linked; i++)
        unlinkat(folder->fd, memory_names[i], 0);
    return linked;
}

/* For links alone a folder that is memory, too: making and removing one on a disk waits for whoever is syncing there. */
static enum wr_status make_temporary(struct ctx *ctx, bool for_links, char **out)
{
    const char *const bases[] = { for_links ? "/dev/shm" : NULL, secure_getenv("TMPDIR"), P_tmpdir, "/dev/shm", "." };

    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (!bases[i] || !*bases[i])
            continue;
        *out = ctx_format(ctx, "%s/widerow-XXXXXX", bases[i]);
        if (!*out)
            return WR_NOMEM;
        if (mkdtemp(*out))
            return WR_OK;
    }
    *out = NULL;
    return fail(ctx, WR_IO, "there is no folder for temporary files");
}

enum wr_status folder_open_memory(struct ctx *ctx, struct folder *out)
{
    struct folder folder = FOLDER_CLOSED;
    bool has_files = make_memory_files(&folder);
    char *path = NULL;
    enum wr_status st;

    TRY_OUT(make_temporary(ctx, has_files, &path));
    if (!set_paths(&folder, path))
        TRY_OUT(fail_nomem(ctx));
    folder.fd = fd_lift(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.fd < 0)
        TRY_OUT(fail_errno(ctx, "cannot open the folder", path));
    folder.has_memory = has_files && link_memory_files(&folder);
    *out = folder;
    return WR_OK;
out:
    if (path)
        rmdir(path);
    folder_close(&folder);
    return st;
}

static bool kernel_promises_memory(void)
{
    char mode = '2';
    int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && read(fd, &mode, 1) == 1;

    if (fd >= 0)
        close(fd);
    return known && mode != '2';
}

bool folder_is_memory(const struct folder *folder)
{
    struct rlimit limit;

    return folder->has_memory && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY && kernel_promises_memory();
}

void folder_unname(struct folder *folder)
{
    unlinkat(folder->fd, DATA_NAME, 0);
    unlinkat(folder->fd, DATA_LOCK_NAME, 0);
    rmdir(folder->path);
}

void folder_close(struct folder *folder)
{
    const int fds[] = { folder->fd, folder->lock_fd, folder->memory_fds[0], folder->memory_fds[1] };

    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    mem_free(folder->path);
    *folder = FOLDER_CLOSED;
}
