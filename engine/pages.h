/*
 * pages.h - the data file as LMDB's pages: snapshots whose pages are kept, what is free, a copy, figures. For
 * durability.h and its kin.
 */
#ifndef WR_ENGINE_PAGES_H
#define WR_ENGINE_PAGES_H

#include "engine/findings.h"
#include "engine/pagecheck.h"
#include "engine/store.h"

/* A snapshot held while its pages must not be used again, and the bytes of its meta page. */
struct pin {
    struct store *store; /* NULL: none */
    int slot;
    uint64_t commit_id;
    uint8_t meta[META_BYTES];
};
enum wr_status pages_pin(struct ctx *ctx, struct store *store,
                         struct pin *out); /* the newest; while writers are stopped */
void pages_unpin(struct pin *pin);         /* none is fine */
/* Calls each for every page that is free in the pinned snapshot and was given up by a commit after number `after`;
 * false from it: WR_NOMEM. */
enum wr_status pages_each_free(struct ctx *ctx, const struct pin *pin, uint64_t after,
                               bool (*each)(void *arg, uint64_t page), void *arg);
/* The bytes of pages that a commit has given up: what a pin of an earlier snapshot keeps from being used again. */
enum wr_status pages_given_up(struct ctx *ctx, struct store *store, uint64_t commit_id, uint64_t *bytes);
/* pagecheck.h, of the newest snapshot. What is found makes it unreadable. */
enum wr_status pages_check(struct ctx *ctx, struct store *store, const struct pages_first *first, struct findings *findings);
/* The same before anybody can ask for a check, since LMDB would trust what it reads: WR_CORRUPT where something is found. */
enum wr_status pages_check_first(struct ctx *ctx, struct store *store, const struct pages_first *first);
enum wr_status pages_copy(struct ctx *ctx, struct store *store, int fd); /* a compact copy of the latest snapshot */

struct page_figures {
    uint64_t pages_used, pages_free, entries, commit_id; /* free: given up before snapshot `oldest`, so that nobody reads them any more */
};
/* Pages given up before snapshot `oldest`, as a write that has the turn begins with them; no more are counted once there are `enough`. */
enum wr_status pages_free(struct ctx *ctx, struct store *store, uint64_t oldest, uint64_t enough, uint64_t *out);
enum wr_status pages_figures(struct ctx *ctx, struct txn *txn, uint64_t oldest, struct page_figures *out);

#endif
