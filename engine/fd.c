#include "engine/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int fd_lift(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), code = errno;
    close(fd);
    errno = code;
    return lifted;
}

void fd_take_places(struct fd_places *out)
{
    int fd;

    out->count = 0;
    while ((fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0 && fd <= STDERR_FILENO)
        out->taken[out->count++] = fd;
    if (fd >= 0)
        close(fd);
}

void fd_free_places(struct fd_places *places)
{
    while (places->count)
        close(places->taken[--places->count]);
}

bool fd_put(int fd, const void *bytes, size_t n, off_t at)
{
    ssize_t put = pwrite(fd, bytes, n, at);
    if (put >= 0 && (size_t)put < n)
        errno = ENOSPC;
    return put == (ssize_t)n;
}

bool fd_may_reach(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}
