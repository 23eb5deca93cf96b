/*
 * syncfile.h - what a database falls back on when the machine has stopped: the meta page of the last snapshot that is on the
 * disk as a whole, in a file of its own, and putting it back.
 *
 * LMDB does not sync for us, so after a loss of power its newest meta page may have reached the disk without the pages it leads
 * to. The snapshot in the sync file did reach it, and its pages are there still (durability.h) or in the undo file (undo.h).
 *
 * Two slots, 4096 bytes apart, written in turn, so that one is whole whatever happens:
 *     "WRsync1\0" | sequence u64 | database id, 16 bytes | boot id, 16 bytes | flags u32 | 0 u32
 *     | meta page, 152 bytes | XXH3 of these u64
 *
 * 1. The slot with the greater sequence counts, of those that are whole and this database's.
 * 2. Under the boot that a slot names, the data file is the truth: what a process wrote outlives the process.
 * 3. Under another boot the slot is the truth: a data file that has been written to since is put back.
 * 4. A slot that says SYNC_UNPINNED (durability none) promises nothing: under another boot the database is WR_CORRUPT.
 */
#ifndef WR_ENGINE_SYNCFILE_H
#define WR_ENGINE_SYNCFILE_H

#include "engine/datafile.h"
#include "engine/folder.h"

enum {
    SYNC_SLOT_BYTES = 216,
    SYNC_SLOT_EVERY = 4096,
    BOOT_ID_BYTES = 16,
    SYNC_UNPINNED = 1, /* pages of this snapshot may have been written over since */
};

struct sync_slot {
    uint64_t sequence;
    uint8_t database_id[DATABASE_ID_BYTES];
    uint8_t boot_id[BOOT_ID_BYTES];
    uint32_t flags;
    uint8_t meta[META_BYTES];
};

void sync_slot_encode(const struct sync_slot *slot, uint8_t bytes[SYNC_SLOT_BYTES]);
bool sync_slot_decode(const uint8_t bytes[SYNC_SLOT_BYTES], struct sync_slot *out);

/* Of this run of the machine; zeroes where it cannot be told, and then every open counts as after another boot. */
void boot_id_read(uint8_t out[BOOT_ID_BYTES]);

/* A new file with one slot. data_fd not -1: that file and this one are on the disk when it returns. */
enum wr_status syncfile_make(struct ctx *ctx, const struct folder *folder, const struct sync_slot *slot, int data_fd);

/* Puts the slot where its sequence says, and syncs. */
enum wr_status syncfile_write(struct ctx *ctx, int fd, const char *path, const struct sync_slot *slot);

/* Checks the files of a folder that holds a database, before LMDB sees them, and puts the data file back where it must
 * be. Read-only, a database that needs it is WR_BUSY. *slot: the one that counts. */
enum wr_status syncfile_recover(struct ctx *ctx, const struct folder *folder, bool read_only, struct sync_slot *slot);

#endif
