#include "engine/nocow.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

bool nocow_ask(int fd)
{
    static const uint32_t not_to_be_asked[] = { NILFS_SUPER_MAGIC, 0xCA451A4E /* bcachefs */, 0x2FC12FC1 /* ZFS */ };
    struct statfs stat;
    int flags = 0;

    if (fstatfs(fd, &stat) != 0)
        return false;
    for (size_t i = 0; i < sizeof not_to_be_asked / sizeof *not_to_be_asked; i++)
        if ((uint32_t)stat.f_type == not_to_be_asked[i])
            return false;
    if ((uint32_t)stat.f_type != BTRFS_SUPER_MAGIC)
        return true;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
        return false;
    flags |= FS_NOCOW_FL;
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 &&
           flags & FS_NOCOW_FL; /* passed over where it has blocks already */
}
