/*
 * engine.h - a database: opening and closing it, its transactions, and writing. The header model/ starts from.
 *
 * One process has a database open for writing (a lock says so); others may open it read-only. Any thread may call anything
 * here; a transaction belongs to one thread at a time. Readers wait for no writer that takes long: at most for what is
 * pending to be committed, or for a short write (gather.h). A read transaction sees what was committed when it began, and
 * nothing later.
 */
#ifndef WR_ENGINE_ENGINE_H
#define WR_ENGINE_ENGINE_H

#include "engine/clock.h"
#include "engine/findings.h"
#include "engine/index_scan.h"
#include "engine/mutation.h"
#include "engine/partitions.h"
#include "engine/scan.h"

enum durability { DURABILITY_PERIODIC, DURABILITY_FULL, DURABILITY_NONE };

struct engine;

struct engine_options {
    const char *path;             /* a folder, made where it is missing; NULL: in memory, gone with the close */
    enum durability durability;
    uint32_t sync_interval_ms;    /* PERIODIC; 0: the default, 1000 */
    bool read_only;
    bool create;                  /* false: a missing folder is WR_NOT_A_DATABASE */
    int64_t clock_us;             /* not 0: the clock stands there from the start */
    uint64_t map_bytes;           /* 0: as much address space as can be had; a smaller start grows by doubling */
};

/* WR_NOT_A_DATABASE: the folder holds something else; WR_VERSION: another format; WR_CORRUPT: ours, but unreadable;
 * WR_BUSY: another process (or this one) has it open for writing; WR_IO, WR_READONLY, WR_NOMEM. After an unclean stop under
 * another boot of the machine the last synced state is put back first (durability.h). */
enum wr_status engine_open(struct ctx *ctx, const struct engine_options *options, struct engine **out);
void engine_close(struct engine *engine); /* NULL is fine; no transaction may be open */
struct clock *engine_clock(struct engine *engine);

/* All acknowledged writes to the disk, in every durability mode. */
enum wr_status engine_sync(struct ctx *ctx, struct engine *engine);

/* A consistent copy of the whole database into an empty or missing folder, while others write. */
enum wr_status engine_backup(struct ctx *ctx, struct engine *engine, const char *path);

/* ---- transactions ---- */

/* A writer waits for its turn; a write transaction begins and ends in one thread, which has no other. Read transactions are pooled: beginning one costs no
 * memory once warm. */
enum wr_status txn_begin_read(struct ctx *ctx, struct engine *engine, struct txn **out);
enum wr_status txn_begin_write(struct ctx *ctx, struct engine *engine, struct txn **out);
/*
 * A read that will not take long. Where writes are gathered (gather.h) *out may be their transaction, as txn_is_write tells: so that they need not be
 * committed for it. Nobody else writes until txn_abort; so this thread does nothing but read meanwhile, closes what it has opened, and takes a
 * copy of what it wants to keep.
 */
enum wr_status txn_begin_brief(struct ctx *ctx, struct engine *engine, struct txn **out);
enum wr_status txn_commit(struct ctx *ctx, struct txn **txn); /* leaves *txn NULL, also when it fails */
void txn_abort(struct txn **txn);                             /* of a NULL transaction: nothing */
bool txn_is_write(const struct txn *txn);
uint64_t txn_snapshot(const struct txn *txn); /* of a read: the number of the commit that it sees as the last one */
bool txn_is_still(const struct txn *txn); /* nothing is written in it meanwhile: a read, or what txn_begin_brief shares */
struct engine *txn_engine(const struct txn *txn);

/* Never given twice in the life of a database, 1 and up. Write transactions. */
enum wr_status txn_next_id(struct ctx *ctx, struct txn *txn, uint64_t *out);

/*
 * A write in one call: begins, runs body, commits; whatever fails aborts. Where the map of the file is full it is made larger and
 * body runs again from the start, so body must leave nothing behind but what is in the transaction. Who needs begin and commit
 * apart does the same by hand: after WR_FULL and txn_abort, engine_grow with the size read before the transaction began; WR_OK
 * means try again.
 */
enum wr_status engine_write(struct ctx *ctx, struct engine *engine,
                            enum wr_status (*body)(struct ctx *ctx, struct txn *txn, void *arg), void *arg);

/* The same for a small write such as a statement's, which may share LMDB's transaction with others (gather.h). One that is not small has body run
 * again, in a transaction of its own; after txn_begin_gathered it fails, WR_BUSY. */
enum wr_status txn_begin_gathered(struct ctx *ctx, struct engine *engine, struct txn **out);
enum wr_status engine_write_gathered(struct ctx *ctx, struct engine *engine,
                                     enum wr_status (*body)(struct ctx *ctx, struct txn *txn, void *arg), void *arg);
/* The same for a body that does other things in between, for as long as it likes: what touches the transaction stands between txn_resume
 * and txn_pause and leaves no cursor open, or follows txn_keep, with which it is the body's without interruption. Where one of them
 * fails the transaction is lost. In any other write they do nothing. */
enum wr_status engine_write_held(struct ctx *ctx, struct engine *engine,
                                 enum wr_status (*body)(struct ctx *ctx, struct txn *txn, void *arg), void *arg);
enum wr_status txn_resume(struct ctx *ctx, struct txn *txn);
void txn_pause(struct ctx *ctx, struct txn *txn, enum wr_status st); /* not WR_OK: the part has failed, and so must the whole */
enum wr_status txn_keep(struct ctx *ctx, struct txn *txn);
/* As txn_begin_brief, in such a write: for what is read between two parts of it. NULL: it follows txn_keep. */
struct txn *txn_share_held(struct ctx *ctx, struct txn *txn);
uint64_t engine_map_bytes(struct engine *engine);
enum wr_status engine_grow(struct ctx *ctx, struct engine *engine, uint64_t seen_bytes);

/* ---- data ---- */

/* Applies a list of updates, indexes and hooks included. All or nothing is the transaction's: after a failure abort it.
 * Asks ctx->now_s for what has expired. */
enum wr_status apply(struct ctx *ctx, struct txn *txn, const struct update *updates);

/* Puts a row of a derived table as it is, in place of what stood there; NULL: no row stands there any more. For row_hook. */
enum wr_status apply_derived(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice partition_key,
                             struct slice clustering, const struct row *row);

/* A table or index that has been dropped or truncated: its entries are unreachable at once (nobody knows its id any more) and
 * reclaimed a bounded step at a time by later commits and by engine_sweep. */
enum wr_status txn_forget_table(struct ctx *ctx, struct txn *txn, uint64_t table_id);
enum wr_status txn_forget_index(struct ctx *ctx, struct txn *txn, uint64_t index_id);

/*
 * Enters every row of the table in an index of it that is new: in table->indexes from now on, without an entry yet. What the transaction has written before may be
 * committed here, whatever becomes of the rest; so it comes before all else, but for the index's own id. Until the transaction ends nothing is purged.
 */
enum wr_status txn_build_index(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct index_shape *index);

/* Puts what every living row of the table makes into a derived table that is new, without a row yet. The same of it. */
enum wr_status txn_build_derived(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct derivation *derivation);

/* One bounded step of expiry, purge and reclaiming; *more tells whether something due is left. Commits of its own. */
enum wr_status engine_sweep(struct ctx *ctx, struct engine *engine, bool *more);

/* Called within a read, on its thread, when reads have passed over a good many rows that have expired and nobody has swept: so that another
 * thread sweeps. Set before the first read. */
void engine_set_sweep_hook(struct engine *engine, void (*wanted)(void *arg), void *arg);

/* The shape of a table for the sweep, which knows tables by id only: asked under the writer, and by engine_verify. NULL: no such
 * table. What it gives must hold until the transaction ends. Things of unknown tables are left alone. */
void engine_set_table_lookup(struct engine *engine, const struct table_shape *(*lookup)(void *arg, uint64_t table_id),
                             void *arg);

/* ---- what was put off (backlog.h) ---- */

/* What is about to be read of a table. */
struct reach {
    const struct table_shape *table; /* for txn_catch_up NULL is any */
    const struct slice *keys; /* NULL: all partitions with tokens from..to */
    uint32_t key_count;
    int64_t from, to;
};
static inline struct reach reach_all(const struct table_shape *table)
{
    return (struct reach){ .table = table, .from = INT64_MIN, .to = INT64_MAX };
}

/* False: nothing was put off in this database since it was opened, or before; no transaction need be asked. Any thread. */
bool engine_had_backlog(const struct engine *engine);
bool engine_has_backlog(const struct engine *engine); /* something is put off now, or may be */
bool engine_has_others(const struct engine *engine);  /* other processes have the database open, to read it: they cannot apply anything */

/* Whether applying has failed in the midst since the last call: what it has changed must not be committed. For who keeps a write transaction open. */
enum wr_status engine_settling_broke(struct engine *engine);

/* Whether rows of what is about to be read are put off in what the transaction sees, so that a read would not find them. */
enum wr_status txn_is_behind(struct ctx *ctx, struct txn *txn, const struct reach *reach, bool *behind);

/* Applies them, or some of them: *more, there may be others. most_rows: so many of one part at most, for who has no space for more; 0: as many as one
 * transaction should. Write transactions. */
enum wr_status txn_catch_up(struct ctx *ctx, struct txn *txn, const struct reach *reach, uint64_t most_rows, bool *more);

/* From the first call with true to as many with false nothing more is put off: so a read that begins behind txn_catch_up has all of it. Any thread. */
void engine_bar_backlog(struct engine *engine, bool bar);

/* ---- the catalog: small named values of the model (schema objects), in a tree of their own ---- */

enum wr_status catalog_put(struct ctx *ctx, struct txn *txn, struct slice name, struct slice value); /* names to 511 bytes */
enum wr_status catalog_get(struct ctx *ctx, struct txn *txn, struct slice name, struct slice *out);  /* null: not there */
enum wr_status catalog_delete(struct ctx *ctx, struct txn *txn, struct slice name);
/* The first name >= from (or, with after, > from) that begins with prefix; a null *name: no more. */
enum wr_status catalog_next(struct ctx *ctx, struct txn *txn, struct slice prefix, struct slice from, bool after,
                            struct slice *name, struct slice *value);

/* ---- looking at a database as a whole ---- */

struct table_figures {
    uint64_t partitions, rows, cells, tombstones, bytes;
    uint64_t widest_rows, widest_bytes;
};

/* Walks one table. */
enum wr_status engine_table_figures(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                                    struct table_figures *out);

/* About how many partitions have a token from one to another (both inclusive, far apart), and how large one is: exact where they are few and
 * small, by samples where not, so it takes no longer for a large table. */
struct table_estimate {
    uint64_t partitions, partition_bytes;
};
enum wr_status engine_estimate(struct ctx *ctx, struct txn *txn, const struct table_shape *table, int64_t from, int64_t to,
                               struct table_estimate *out);

struct engine_figures {
    uint64_t file_bytes, used_bytes, free_bytes, entries;
    uint64_t last_commit_id, syncs;
    int64_t last_timestamp_us; /* the highest that the clock had given out when that was committed */
};
enum wr_status engine_figures(struct ctx *ctx, struct engine *engine, struct engine_figures *out);

/* Checks every invariant that the engine's headers claim, over the whole database. */
enum wr_status engine_verify(struct ctx *ctx, struct engine *engine, struct findings *findings);

#endif
