/*
 * datafile.h - the first two pages of LMDB's file, read and put right without LMDB, before it maps the file: it would
 * trust them, and a file cut short would end the process with SIGBUS.
 *
 * Each of pages 0 and 1 is a meta page; the one with the greater transaction number tells the newest snapshot. Behind
 * LMDB's part of page 0, in bytes LMDB leaves alone, stands our label:
 *
 *     page 0, byte 1024:  "Widerow\0" | format version u32 | 0 u32 | database id, 16 bytes | XXH3 of these u64
 *
 * Numbers of LMDB's are the machine's own; LMDB's file and so ours belongs to machines of one byte order and word size.
 */
#ifndef WR_ENGINE_DATAFILE_H
#define WR_ENGINE_DATAFILE_H

#include "engine/ctx.h"

enum {
    FORMAT_VERSION = 4, /* 1 to 3, of before the first release, had index entries, rows and a directory of another form and are not read */
    META_BYTES = 152, /* of a meta page, its header included */
    DATA_PAGE_BYTES = 4096, /* the data file's pages, on every machine: see datafile_begin */
    DATABASE_ID_BYTES = 16,
};

struct label {
    uint32_t version;
    uint8_t database_id[DATABASE_ID_BYTES];
};

/* LMDB's record of a tree. */
struct tree_record {
    uint32_t pad; /* of the free list: the page size */
    uint16_t flags, depth;
    uint64_t branch_pages, leaf_pages, large_pages, entries, root;
};
#define NO_PAGE UINT64_MAX /* root of a tree that is empty */

/* What is of use in a meta page. */
struct meta {
    uint64_t commit_id, last_page;
    uint32_t page_bytes;
    struct tree_record free_list, main;
};

/* False where the bytes are no meta page, or one that LMDB of this machine could not use. */
bool meta_decode(const uint8_t bytes[META_BYTES], struct meta *out);

/*
 * What LMDB would make of a file that is empty and its first commit, with the trees of these names, in order, in the main one; any other file is left as it
 * is. 0, or an errno.
 * LMDB would take the machine's page, which is of 16 or 64 KiB on many ARM machines. Then a chunk of rows has no page of its own any
 * more and LMDB moves it about, where what is remembered of chunks (own.h) counts on their staying; and a change of one row writes
 * four times as much.
 */
int datafile_begin(const char *path, const char *const trees[], uint16_t count);

/* WR_NOT_A_DATABASE without a label, WR_VERSION for a newer one than ours, WR_CORRUPT for a damaged one. */
enum wr_status datafile_read_label(struct ctx *ctx, int fd, const char *path, struct label *out);
enum wr_status datafile_write_label(struct ctx *ctx, int fd, const char *path, const struct label *label);

/* The newest meta page by the numbers they carry. WR_CORRUPT unless both pages are meta pages, and this one sound; WR_VERSION where pages
 * are of another size than ours. */
enum wr_status datafile_read_meta(struct ctx *ctx, int fd, const char *path, uint8_t bytes[META_BYTES],
                                  struct meta *out);

/* Makes that meta page the only one there is, and syncs. The other gets the same trees under the number before: were both newest, and a write of LMDB's
 * to the other failed, that would be left with new roots and a number as good. */
enum wr_status datafile_restore_meta(struct ctx *ctx, int fd, const char *path, const uint8_t bytes[META_BYTES]);

/* WR_CORRUPT where the file is shorter than the pages of this meta. */
enum wr_status datafile_check_size(struct ctx *ctx, int fd, const char *path, const struct meta *meta);

/* Makes the file as long as its pages are. LMDB does not write a page that was allocated and given up within one
 * transaction, so its file may end early; filled up at each sync point, one that ends before its pages has been cut
 * off. While nobody writes. */
enum wr_status datafile_fill(struct ctx *ctx, int fd, const char *path, const uint8_t meta[META_BYTES]);

#endif
