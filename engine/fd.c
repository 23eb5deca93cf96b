#include "engine/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
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

bool fd_keep_blocks(int fd)
{
    static const uint32_t unasked[] = { NILFS_SUPER_MAGIC, 0xCA451A4E /* bcachefs */, 0x2FC12FC1 /* ZFS */ };
    struct statfs stat;
    int flags = 0;

    if (fstatfs(fd, &stat) != 0)
        return false;
    for (size_t i = 0; i < sizeof unasked / sizeof *unasked; i++)
        if ((uint32_t)stat.f_type == unasked[i])
            return false;
    if ((uint32_t)stat.f_type != BTRFS_SUPER_MAGIC)
        return true;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
        return false;
    flags |= FS_NOCOW_FL;
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_NOCOW_FL; /* not of one that has blocks */
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
