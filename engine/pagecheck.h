/*
 * pagecheck.h - a walk over the pages of a snapshot that trusts none of them. LMDB does: a page that leads to where it
 * should not ends the process, by an assertion or SIGSEGV.
 *
 *     page    own number u64 | 0 u16 | flags u16 | where its nodes' places end u16 | where its nodes begin u16 | place u16 ... | room | node ...
 *     node    on a branch: child u48 | length of the key u16 | key; the first one's key counts for nothing
 *             on a leaf:   length of the value u32 | flags u16 | length of the key u16 | key | value, or the number of its first page u64
 *     value of pages of its own: own number u64 | 0 u16 | flags u16 | how many pages u32 | value
 *
 * Numbers are the machine's own, as LMDB's file is. The main tree's leaves have the trees' records; a meta page
 * (datafile.h) has that of the main tree and of the free list: by commit, how many pages it gave up u64, and which u64
 * each.
 *
 * 1. Where nothing is found LMDB can read every page, and finds every key by it.
 * 2. No bytes whatever make the walk go outside of the file, or on for ever.
 * What a value holds is nobody's business here, and pages have no checksums: a bit of a value that has changed is not
 * found.
 */
#ifndef WR_ENGINE_PAGECHECK_H
#define WR_ENGINE_PAGECHECK_H

#include "engine/datafile.h"
#include "engine/findings.h"

/* What has to be read before the rest can be: beside the main tree and the roots of all a whole tree, or of one what leads to a key and to the one
 * behind it. */
struct pages_first {
    const char *tree;
    struct slice key; /* null: the whole tree */
    bool free_list;   /* all of it, too */
};

/*
 * Of the snapshot with this meta page, which somebody holds. first NULL: all of it, the free list, too; else it ends with the
 * first finding. Failures: WR_NOMEM, WR_IO.
 */
enum wr_status pagecheck(struct ctx *ctx, int fd, const uint8_t meta[META_BYTES], const struct pages_first *first,
                         struct findings *findings);

#endif
