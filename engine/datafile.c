#include "engine/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/coding.h"
#include "engine/fd.h"
#include "engine/folder.h"
#include "engine/hash.h"
#include "engine/page.h"

enum {
    LABEL_AT = 1024,
    LABEL_BYTES = 40,
    PAGE_BYTES_LEAST = 512,
    PAGE_BYTES_MOST = 65536,
};

static const char label_magic[8] = "Widerow";

/* LMDB 0.9's page header and MDB_meta (data version 1), on a machine with 64-bit words. */
struct lmdb_meta_page {
    uint64_t page_number;
    uint16_t pad, flags, lower, upper;
    uint32_t magic, version;
    uint64_t address, map_bytes;
    struct tree_record trees[2]; /* the free list, the main tree */
    uint64_t last_page, commit_id;
};
_Static_assert(sizeof(struct lmdb_meta_page) == META_BYTES, "LMDB's meta page");

#define LMDB_MAGIC        0xBEEFC0DEu
#define LMDB_DATA_VERSION 1u

#define LMDB_INTEGER_KEYS 0x08u /* the free list's flag */

enum { TREES_ROOT = 2, FIRST_PAGES = 3 };

static void put_meta(uint8_t *page, uint64_t number, uint64_t last_page, struct tree_record main)
{
    struct lmdb_meta_page meta = {
        .page_number = number,
        .flags = PAGE_IS_META,
        .magic = LMDB_MAGIC,
        .version = LMDB_DATA_VERSION,
        .trees = { { .pad = DATA_PAGE_BYTES, .flags = LMDB_INTEGER_KEYS, .root = NO_PAGE }, main },
        .last_page = last_page,
        .commit_id = number,
    };
    memcpy(page, &meta, sizeof meta);
}

/* The only leaf of the main tree: the trees by their names, all empty. */
static void put_trees(uint8_t *page, const char *const trees[], uint16_t count)
{
    const struct tree_record empty = { .root = NO_PAGE };
    struct page_head head = { .number = TREES_ROOT, .flags = PAGE_IS_LEAF, .nodes_begin = DATA_PAGE_BYTES };

    head.places_end = (uint16_t)(sizeof head + count * sizeof(uint16_t));
    for (uint16_t i = 0; i < count; i++) {
        const struct node_head node = { .size_low = sizeof empty, .flags = NODE_IS_TREE, .key_len = (uint16_t)strlen(trees[i]) };
        head.nodes_begin -= (uint16_t)((sizeof node + node.key_len + sizeof empty + 1) / 2 * 2);
        memcpy(page + sizeof head + i * sizeof(uint16_t), &head.nodes_begin, sizeof(uint16_t));
        uint8_t *at = page + head.nodes_begin;
        memcpy(at, &node, sizeof node);
        memcpy(at + sizeof node, trees[i], node.key_len);
        memcpy(at + sizeof node + node.key_len, &empty, sizeof empty);
    }
    memcpy(page, &head, sizeof head);
}

int datafile_begin(const char *path, const char *const trees[], uint16_t count)
{
    uint8_t pages[FIRST_PAGES][DATA_PAGE_BYTES] = { { 0 } };
    int fd = fd_lift(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644)), code = 0;
    struct stat stat;

    if (fd < 0)
        return errno;
    put_meta(pages[0], 0, TREES_ROOT - 1, (struct tree_record){ .root = NO_PAGE });
    put_meta(pages[1], 1, TREES_ROOT, (struct tree_record){ .depth = 1, .leaf_pages = 1, .entries = count, .root = TREES_ROOT });
    put_trees(pages[TREES_ROOT], trees, count);
    if (fstat(fd, &stat) != 0 || (stat.st_size == 0 && !fd_put(fd, pages, sizeof pages, 0)))
        code = errno;
    close(fd);
    return code;
}

static bool roots_are_sound(const uint8_t bytes[META_BYTES])
{
    struct lmdb_meta_page page;
    bool sound = true;

    memcpy(&page, bytes, sizeof page);
    for (int tree = 0; tree < 2; tree++) {
        uint64_t root = page.trees[tree].root;
        sound &= root == NO_PAGE || (root >= 2 && root <= page.last_page);
    }
    return sound;
}

/* Whatever its trees. */
static bool decode(const uint8_t bytes[META_BYTES], struct meta *out)
{
    struct lmdb_meta_page page;

    memcpy(&page, bytes, sizeof page);
    uint32_t page_bytes = page.trees[0].pad;
    if (page.magic != LMDB_MAGIC || page.version != LMDB_DATA_VERSION || !(page.flags & PAGE_IS_META))
        return false;
    if (page_bytes < PAGE_BYTES_LEAST || page_bytes > PAGE_BYTES_MOST || (page_bytes & (page_bytes - 1)))
        return false;
    if (page.last_page < 1 || page.last_page > (uint64_t)INT64_MAX / page_bytes - 1)
        return false;
    *out = (struct meta){ page.commit_id, page.last_page, page_bytes, page.trees[0], page.trees[1] };
    return true;
}

bool meta_decode(const uint8_t bytes[META_BYTES], struct meta *out)
{
    return decode(bytes, out) && roots_are_sound(bytes);
}

/* All n bytes or a failure; a file that ends before them is WR_CORRUPT. */
static enum wr_status read_at(struct ctx *ctx, int fd, const char *path, void *bytes, size_t n, off_t at)
{
    ssize_t got = pread(fd, bytes, n, at);
    if (got < 0)
        return fail_errno(ctx, "cannot read", path);
    if ((size_t)got < n)
        return fail(ctx, WR_CORRUPT, "the database is damaged: %s has been cut off", path);
    return WR_OK;
}

static enum wr_status write_at(struct ctx *ctx, int fd, const char *path, const void *bytes, size_t n, off_t at)
{
    return fd_put(fd, bytes, n, at) ? WR_OK : fail_errno(ctx, "cannot write", path);
}

enum wr_status datafile_read_label(struct ctx *ctx, int fd, const char *path, struct label *out)
{
    uint8_t bytes[LABEL_BYTES];

    TRY(read_at(ctx, fd, path, bytes, sizeof bytes, LABEL_AT));
    if (memcmp(bytes, label_magic, sizeof label_magic) != 0)
        return fail(ctx, WR_NOT_A_DATABASE, "%s is not a database of Widerow", path);
    out->version = read_u32(bytes + 8);
    if (out->version != FORMAT_VERSION)
        return fail(ctx, WR_VERSION, "%s has format %u; this version of Widerow reads format %d", path, out->version,
                    FORMAT_VERSION);
    memcpy(out->database_id, bytes + 16, DATABASE_ID_BYTES);
    if (read_u64(bytes + 32) != hash64(slice_of(bytes, LABEL_BYTES - 8)))
        return fail(ctx, WR_CORRUPT, "the database is damaged: the label of %s", path);
    return WR_OK;
}

enum wr_status datafile_write_label(struct ctx *ctx, int fd, const char *path, const struct label *label)
{
    uint8_t bytes[LABEL_BYTES] = { 0 };

    memcpy(bytes, label_magic, sizeof label_magic);
    put_u32(bytes + 8, label->version);
    memcpy(bytes + 16, label->database_id, DATABASE_ID_BYTES);
    put_u64(bytes + 32, hash64(slice_of(bytes, LABEL_BYTES - 8)));
    return write_at(ctx, fd, path, bytes, sizeof bytes, LABEL_AT);
}

/* Of the older page the trees are nobody's business: where LMDB cannot write a meta page, it gives that its old numbers
 * back, and leaves the new roots. */
enum wr_status datafile_read_meta(struct ctx *ctx, int fd, const char *path, uint8_t bytes[META_BYTES],
                                  struct meta *out)
{
    uint8_t second[META_BYTES];
    const char *which = "first";
    struct meta meta;

    TRY(read_at(ctx, fd, path, bytes, META_BYTES, 0));
    if (!decode(bytes, out))
        return fail(ctx, WR_CORRUPT, "the database is damaged: the first page of %s", path);
    if (out->page_bytes != DATA_PAGE_BYTES)
        return fail(ctx, WR_VERSION, "%s has pages of %u bytes; this version of Widerow reads pages of %d", path, out->page_bytes,
                    DATA_PAGE_BYTES);
    TRY(read_at(ctx, fd, path, second, META_BYTES, out->page_bytes));
    if (!decode(second, &meta) || meta.page_bytes != out->page_bytes)
        return fail(ctx, WR_CORRUPT, "the database is damaged: the second page of %s", path);
    if (meta.commit_id > out->commit_id) {
        memcpy(bytes, second, META_BYTES);
        *out = meta;
        which = "second";
    }
    return roots_are_sound(bytes) ? WR_OK
                                  : fail(ctx, WR_CORRUPT, "the database is damaged: the %s page of %s", which, path);
}

enum wr_status datafile_restore_meta(struct ctx *ctx, int fd, const char *path, const uint8_t bytes[META_BYTES])
{
    struct lmdb_meta_page page;

    memcpy(&page, bytes, sizeof page);
    const uint64_t commit_id = page.commit_id;
    for (page.page_number = 0; page.page_number < 2; page.page_number++) {
        page.commit_id = commit_id - (commit_id && page.page_number != commit_id % 2);
        TRY(write_at(ctx, fd, path, &page, sizeof page, (off_t)(page.page_number * page.trees[0].pad)));
    }
    return fdatasync(fd) == 0 ? WR_OK : fail_errno(ctx, "cannot sync", path);
}

enum wr_status datafile_check_size(struct ctx *ctx, int fd, const char *path, const struct meta *meta)
{
    uint64_t need = (meta->last_page + 1) * meta->page_bytes;
    struct stat stat;

    if (fstat(fd, &stat) != 0)
        return fail_errno(ctx, "cannot look at", path);
    if ((uint64_t)stat.st_size < need)
        return fail(ctx, WR_CORRUPT, "the database is damaged: %s has been cut off at %lld of %llu bytes", path,
                    (long long)stat.st_size, (unsigned long long)need);
    return WR_OK;
}

enum wr_status datafile_fill(struct ctx *ctx, int fd, const char *path, const uint8_t bytes[META_BYTES])
{
    struct meta meta;
    struct stat stat;

    if (!meta_decode(bytes, &meta))
        return fail_corrupt(ctx, "a meta page");
    uint64_t need = (meta.last_page + 1) * meta.page_bytes;
    if (fstat(fd, &stat) != 0 || ((uint64_t)stat.st_size < need && ftruncate(fd, (off_t)need) != 0))
        return fail_errno(ctx, "cannot lengthen", path);
    return WR_OK;
}
