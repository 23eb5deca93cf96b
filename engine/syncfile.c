#include "engine/syncfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "engine/coding.h"
#include "engine/fd.h"
#include "engine/hash.h"
#include "engine/undo.h"

static const char slot_magic[8] = "WRsync1";

void sync_slot_encode(const struct sync_slot *slot, uint8_t bytes[SYNC_SLOT_BYTES])
{
    memset(bytes, 0, SYNC_SLOT_BYTES);
    memcpy(bytes, slot_magic, sizeof slot_magic);
    put_u64(bytes + 8, slot->sequence);
    memcpy(bytes + 16, slot->database_id, DATABASE_ID_BYTES);
    memcpy(bytes + 32, slot->boot_id, BOOT_ID_BYTES);
    put_u32(bytes + 48, slot->flags);
    memcpy(bytes + 56, slot->meta, META_BYTES);
    put_u64(bytes + SYNC_SLOT_BYTES - 8, hash64(slice_of(bytes, SYNC_SLOT_BYTES - 8)));
}

bool sync_slot_decode(const uint8_t bytes[SYNC_SLOT_BYTES], struct sync_slot *out)
{
    struct meta meta;

    if (memcmp(bytes, slot_magic, sizeof slot_magic) != 0)
        return false;
    if (read_u64(bytes + SYNC_SLOT_BYTES - 8) != hash64(slice_of(bytes, SYNC_SLOT_BYTES - 8)))
        return false;
    out->sequence = read_u64(bytes + 8);
    memcpy(out->database_id, bytes + 16, DATABASE_ID_BYTES);
    memcpy(out->boot_id, bytes + 32, BOOT_ID_BYTES);
    out->flags = read_u32(bytes + 48);
    memcpy(out->meta, bytes + 56, META_BYTES);
    return meta_decode(out->meta, &meta);
}

/* "9bd6f3c9-6b3e-4bd6-a0a2-..." to 16 bytes. */
void boot_id_read(uint8_t out[BOOT_ID_BYTES])
{
    char text[64] = { 0 };
    unsigned n = 0, byte;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    memset(out, 0, BOOT_ID_BYTES);
    if (fd < 0)
        return;
    if (read(fd, text, sizeof text - 1) > 0)
        for (const char *at = text; n < BOOT_ID_BYTES && sscanf(at, "%2x", &byte) == 1; at += 2 + (at[2] == '-'))
            out[n++] = (uint8_t)byte;
    close(fd);
    if (n < BOOT_ID_BYTES)
        memset(out, 0, BOOT_ID_BYTES);
}

static bool boot_id_is_known(const uint8_t boot_id[BOOT_ID_BYTES])
{
    static const uint8_t unknown[BOOT_ID_BYTES];
    return memcmp(boot_id, unknown, BOOT_ID_BYTES) != 0;
}

static enum wr_status write_slot(struct ctx *ctx, int fd, const char *path, const struct sync_slot *slot)
{
    uint8_t bytes[SYNC_SLOT_BYTES];

    sync_slot_encode(slot, bytes);
    bool put = fd_put(fd, bytes, sizeof bytes, (off_t)(slot->sequence & 1) * SYNC_SLOT_EVERY);
    return put ? WR_OK : fail_errno(ctx, "cannot write", path);
}

enum wr_status syncfile_write(struct ctx *ctx, int fd, const char *path, const struct sync_slot *slot)
{
    TRY(write_slot(ctx, fd, path, slot));
    return fdatasync(fd) == 0 ? WR_OK : fail_errno(ctx, "cannot sync", path);
}

/* Of two new files in one journal commit of the file system's instead of two: for that the second one's blocks are found before the first is
 * synced. */
static enum wr_status sync_both(struct ctx *ctx, int data_fd, int fd, const char *path)
{
    sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* where it cannot, fsync does it */
    if (fdatasync(data_fd) != 0)
        return fail_errno(ctx, "cannot sync", "the new data file");
    return fsync(fd) == 0 ? WR_OK : fail_errno(ctx, "cannot sync", path);
}

enum wr_status syncfile_make(struct ctx *ctx, const struct folder *folder, const struct sync_slot *slot, int data_fd)
{
    static const uint8_t zeroes[2 * SYNC_SLOT_EVERY]; /* both slots' bytes are the disk's before either is needed */
    const char *path = folder->sync_path;
    enum wr_status st = WR_OK;
    int fd = folder_open_file(folder, path, O_RDWR | O_CREAT | O_TRUNC);

    if (fd < 0)
        return fail_errno(ctx, "cannot make", path);
    if (!fd_put(fd, zeroes, sizeof zeroes, 0))
        st = fail_errno(ctx, "cannot write", path);
    if (st == WR_OK)
        st = write_slot(ctx, fd, path, slot);
    if (st == WR_OK && data_fd >= 0)
        st = sync_both(ctx, data_fd, fd, path);
    close(fd);
    return st;
}

/* ---- recovery ---- */

/* The slot that counts. */
static enum wr_status read_slots(struct ctx *ctx, const struct folder *folder, const struct label *label,
                                 struct sync_slot *out)
{
    uint8_t bytes[SYNC_SLOT_BYTES];
    struct sync_slot slot;
    bool found = false;
    ssize_t got = 0;
    int fd = folder_open_file(folder, folder->sync_path, O_RDONLY);

    if (fd < 0 && errno == ENOENT)
        return fail(ctx, WR_CORRUPT, "the database is damaged: %s is missing; the files of a database belong together",
                    folder->sync_path);
    if (fd < 0)
        return fail_errno(ctx, "cannot open", folder->sync_path);
    for (int i = 0; i < 2 && got >= 0; i++) {
        got = pread(fd, bytes, sizeof bytes, (off_t)i * SYNC_SLOT_EVERY);
        if (got != sizeof bytes || !sync_slot_decode(bytes, &slot))
            continue;
        if (memcmp(slot.database_id, label->database_id, DATABASE_ID_BYTES) != 0)
            continue;
        if (!found || slot.sequence > out->sequence)
            *out = slot;
        found = true;
    }
    enum wr_status st = got < 0 ? fail_errno(ctx, "cannot read", folder->sync_path) : WR_OK; /* it may be the one that counts */
    close(fd);
    TRY(st);
    if (!found)
        return fail(ctx, WR_CORRUPT, "the database is damaged: %s is unreadable, or another database's",
                    folder->sync_path);
    return WR_OK;
}

/* After another boot: the data file as the slot has it, or it is put back. */
static enum wr_status put_back(struct ctx *ctx, const struct folder *folder, int fd, bool read_only,
                               const struct sync_slot *slot)
{
    uint8_t bytes[META_BYTES];
    struct meta meta;
    uint64_t pages;

    if (slot->flags & SYNC_UNPINNED)
        return fail(ctx, WR_CORRUPT,
                    "the database at %s was open with durability none when the machine stopped, and is lost",
                    folder->path);
    TRY(undo_restore(ctx, folder, fd, slot, !read_only, &pages));
    if (pages == 0 && datafile_read_meta(ctx, fd, folder->data_path, bytes, &meta) == WR_OK &&
        memcmp(bytes, slot->meta, META_BYTES) == 0)
        return WR_OK;
    if (read_only)
        return fail(ctx, WR_BUSY,
                    "the machine stopped while the database at %s was being written; it must be opened for "
                    "writing once before it can be read",
                    folder->path);
    return datafile_restore_meta(ctx, fd, folder->data_path, slot->meta);
}

/* Where a process that is gone has left the file shorter than its pages are, or it was cut off since, LMDB would end the process with SIGBUS; of
 * zeroes it says that they are no page. */
static enum wr_status check_length(struct ctx *ctx, const struct folder *folder, int fd, bool read_only, const uint8_t bytes[META_BYTES],
                                   const struct meta *meta)
{
    if (!read_only)
        return datafile_fill(ctx, fd, folder->data_path, bytes);
    if (folder_has_writer(folder) || datafile_check_size(ctx, fd, folder->data_path, meta) == WR_OK)
        return WR_OK;
    return fail(ctx, WR_BUSY, "%s ends before its last page; the database must be opened for writing once", folder->data_path);
}

/* A reader may look at a meta page just as the writer of another process writes it. */
static enum wr_status check_meta(struct ctx *ctx, const struct folder *folder, int fd, bool read_only)
{
    enum { TRIES = 3 };
    uint8_t bytes[META_BYTES];
    struct meta meta;
    enum wr_status st = WR_CORRUPT;

    for (int i = 0; i < TRIES && st == WR_CORRUPT; i++)
        st = datafile_read_meta(ctx, fd, folder->data_path, bytes, &meta);
    return st == WR_OK ? check_length(ctx, folder, fd, read_only, bytes, &meta) : st;
}

static enum wr_status recover(struct ctx *ctx, const struct folder *folder, int fd, bool read_only,
                              struct sync_slot *slot)
{
    uint8_t boot_id[BOOT_ID_BYTES];
    struct label label;
    struct meta meta;

    TRY(datafile_read_label(ctx, fd, folder->data_path, &label));
    TRY(read_slots(ctx, folder, &label, slot));
    meta_decode(slot->meta, &meta);
    TRY(datafile_check_size(ctx, fd, folder->data_path, &meta));
    boot_id_read(boot_id);
    if (!boot_id_is_known(boot_id) || memcmp(boot_id, slot->boot_id, BOOT_ID_BYTES) != 0)
        TRY(put_back(ctx, folder, fd, read_only, slot));
    return check_meta(ctx, folder, fd, read_only);
}

enum wr_status syncfile_recover(struct ctx *ctx, const struct folder *folder, bool read_only, struct sync_slot *slot)
{
    int fd = folder_open_file(folder, folder->data_path, read_only ? O_RDONLY : O_RDWR);
    if (fd < 0)
        return fail_errno(ctx, "cannot open", folder->data_path);
    enum wr_status st = recover(ctx, folder, fd, read_only, slot);
    close(fd);
    return st;
}
