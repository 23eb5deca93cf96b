#include "engine/engine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/coding.h"
#include "engine/held.h"
#include "engine/map.h"
#include "engine/recovery.h"
#include "engine/reserve.h"
#include "engine/state.h"

#define ID_MOST (UINT64_C(1) << 62) /* the bits above are the rooms' own */

/* ---- marks: what outlives a process beside the data ---- */

static enum wr_status read_marks(struct ctx *ctx, struct txn *txn, struct marks *out, bool *found)
{
    struct slice value;

    TRY(store_get_marks(ctx, txn, &value));
    if (!slice_is_null(value) && value.len != MARKS_BYTES)
        return fail_corrupt(ctx, "the marks have a wrong length");
    *found = !slice_is_null(value);
    if (*found)
        *out = (struct marks){ read_u64(value.data), (int64_t)read_u64(value.data + 8) };
    return WR_OK;
}

static enum wr_status load_marks(struct ctx *ctx, struct engine *engine)
{
    struct txn *txn = NULL;
    enum wr_status st;
    bool found = false;

    engine->next_id = 1;
    TRY_OUT(store_begin_read(ctx, engine->store, &txn));
    TRY_OUT(read_marks(ctx, txn, &engine->saved, &found));
    if (found) {
        engine->next_id = engine->saved.next_id;
        engine->written = engine->saved;
        clock_raise(&engine->clock, engine->saved.timestamp_us);
    }
out:
    txn_abort(&txn);
    return st;
}

static enum wr_status put_marks(struct ctx *ctx, struct engine *engine, struct txn *txn)
{
    struct marks marks = { engine->next_id, atomic_load(&engine->clock.last_us) };
    uint8_t bytes[MARKS_BYTES];

    engine->written = marks;
    if (marks.next_id == engine->saved.next_id && marks.timestamp_us == engine->saved.timestamp_us)
        return WR_OK;
    put_u64(bytes, marks.next_id);
    put_u64(bytes + 8, (uint64_t)marks.timestamp_us);
    return store_put_marks(ctx, txn, bytes);
}

static void committed(void *arg)
{
    struct engine *engine = arg;
    engine->saved = engine->written;
    engine->writer->holds_sweep = false;
    backlog_committed(&engine->backlog);
}

static void aborted(void *arg)
{
    struct engine *engine = arg;
    engine->written = engine->saved;
    writer_aborted(engine->writer);
    backlog_aborted(&engine->backlog, store_last_commit(engine->store));
}

/* ---- opening ---- */

/* A data file becomes a database: a label of its own, and a sync file that trusts it. */
static enum wr_status label_new(struct ctx *ctx, const struct folder *folder, int fd, bool sync)
{
    struct label label = { .version = FORMAT_VERSION };
    struct sync_slot slot = { .sequence = 1 };
    struct meta meta;

    clock_random(label.database_id, sizeof label.database_id);
    memcpy(slot.database_id, label.database_id, sizeof slot.database_id);
    boot_id_read(slot.boot_id);
    TRY(datafile_write_label(ctx, fd, folder->new_path, &label));
    TRY(datafile_read_meta(ctx, fd, folder->new_path, slot.meta, &meta));
    TRY(datafile_fill(ctx, fd, folder->new_path, slot.meta));
    return syncfile_make(ctx, folder, &slot, sync ? fd : -1);
}

static enum wr_status publish_new(struct ctx *ctx, struct folder *folder, bool sync)
{
    int fd = folder_open_file(folder, folder->new_path, O_RDWR);
    if (fd < 0)
        return fail_errno(ctx, "cannot open", folder->new_path);
    enum wr_status st = label_new(ctx, folder, fd, sync);
    close(fd);
    return st == WR_OK ? folder_publish(ctx, folder, sync) : st;
}

static enum wr_status create(struct ctx *ctx, struct folder *folder, bool sync)
{
    folder_discard_new(folder);
    TRY(store_make(ctx, folder->new_path));
    return publish_new(ctx, folder, sync);
}

static enum wr_status open_on_disk(struct ctx *ctx, struct engine *engine, const struct engine_options *options)
{
    struct folder *folder = &engine->folder;
    struct store_options store = { .map_bytes = options->map_bytes, .read_only = options->read_only, .engine = engine };
    struct sync_slot slot;

    TRY(folder_open(ctx, options->path, options->read_only, options->create, folder));
    if (!folder->exists && (options->read_only || !options->create))
        return fail(ctx, WR_NOT_A_DATABASE, "there is no database at %s", options->path);
    if (!folder->exists) {
        enum wr_status st = create(ctx, folder, options->durability != DURABILITY_NONE);
        if (st != WR_OK) {
            folder_discard_new(folder);
            return st;
        }
    }
    TRY(syncfile_recover(ctx, folder, options->read_only, &slot));
    store.data_path = folder->data_path;
    TRY(store_open(ctx, &store, &engine->store));
    if (options->read_only)
        return recovery_check(ctx, engine->store, folder, slot.database_id);
    TRY(durability_open(ctx, engine->store, folder, &slot, options->durability, options->sync_interval_ms,
                        &engine->durability));
    TRY(recovery_run(ctx, engine->store, engine->durability, folder, slot.database_id));
    return gather_open(ctx, engine->store, engine->durability, folder, slot.database_id, &engine->gather);
}

static enum wr_status open_in_memory(struct ctx *ctx, struct engine *engine, const struct engine_options *options)
{
    struct store_options store = { .map_bytes = options->map_bytes, .engine = engine };
    static const uint8_t no_id[DATABASE_ID_BYTES];

    TRY(folder_open_memory(ctx, &engine->folder));
    store.data_path = engine->folder.data_path;
    store.in_place = folder_is_memory(&engine->folder);
    enum wr_status st = store_make(ctx, store.data_path);
    if (st == WR_OK)
        st = store_open(ctx, &store, &engine->store);
    folder_unname(&engine->folder);
    folder_close(&engine->folder);
    return st == WR_OK ? gather_open(ctx, engine->store, NULL, NULL, no_id, &engine->gather) : st;
}

enum wr_status engine_open(struct ctx *ctx, const struct engine_options *options, struct engine **out)
{
    struct engine *engine = mem_alloc(sizeof *engine);
    enum wr_status st;

    if (!engine)
        return fail_nomem(ctx);
    clock_init(&engine->clock);
    pthread_mutex_init(&engine->tidying_lock, NULL);
    if (options->clock_us)
        clock_set(&engine->clock, options->clock_us);
    engine->folder = FOLDER_CLOSED;
    engine->read_only = options->path && options->read_only;
    TRY_OUT(store_check_library(ctx));
    TRY_OUT((options->path ? open_on_disk : open_in_memory)(ctx, engine, options));
    TRY_OUT(writer_new(ctx, &engine->writer));
    store_set_hooks(engine->store, (struct writer_hooks){ engine, committed, aborted });
    TRY_OUT(load_marks(ctx, engine));
    TRY_OUT(backlog_open(ctx, engine));
    engine->writer->backlog = &engine->backlog;
    *out = engine;
    return WR_OK;
out:
    engine_close(engine);
    return st;
}

void engine_close(struct engine *engine)
{
    if (!engine)
        return;
    durability_stop(engine->durability);
    gather_close(engine->gather);
    durability_close(engine->durability);
    store_close(engine->store);
    writer_free(engine->writer);
    folder_close(&engine->folder);
    pthread_mutex_destroy(&engine->tidying_lock);
    mem_free(engine);
}

struct clock *engine_clock(struct engine *engine)
{
    return &engine->clock;
}

enum wr_status engine_sync(struct ctx *ctx, struct engine *engine)
{
    return engine->durability ? durability_sync(ctx, engine->durability) : WR_OK; /* which has gather give up its turn */
}

/* ---- transactions ---- */

static enum wr_status begin_read(struct ctx *ctx, struct engine *engine, bool brief, struct txn **out)
{
    if (engine->gather)
        TRY(gather_before_read(ctx, engine->gather, brief));
    TRY(store_begin_read(ctx, engine->store, out));
    return engine->gather ? gather_after_begin(ctx, engine->gather, out) : WR_OK;
}

enum wr_status txn_begin_read(struct ctx *ctx, struct engine *engine, struct txn **out)
{
    return begin_read(ctx, engine, false, out);
}

enum wr_status txn_begin_brief(struct ctx *ctx, struct engine *engine, struct txn **out)
{
    *out = engine->gather ? gather_share(ctx, engine->gather) : NULL;
    return *out ? WR_OK : begin_read(ctx, engine, true, out);
}

uint64_t txn_snapshot(const struct txn *txn)
{
    return store_snapshot(txn);
}

enum wr_status txn_begin_write(struct ctx *ctx, struct engine *engine, struct txn **out)
{
    struct txn *txn = NULL;

    TRY(store_begin_write(ctx, engine->store, &txn));
    if (engine->durability) {
        enum wr_status st = durability_begin(ctx, engine->durability);
        if (st != WR_OK) {
            txn_abort(&txn);
            return st;
        }
    }
    *out = txn;
    return WR_OK;
}

/* The oldest snapshot whose pages are kept for a restart; UINT64_MAX: none is. */
static uint64_t oldest_kept(struct engine *engine, uint64_t *syncs)
{
    uint64_t oldest = 0;

    *syncs = 0;
    if (engine->durability)
        durability_figures(engine->durability, syncs, &oldest);
    return oldest ? oldest : UINT64_MAX;
}

static enum wr_status leave_reserve(struct ctx *ctx, struct engine *engine, struct txn *txn)
{
    uint64_t syncs;
    return ctx->may_take_reserve || reserve_is_whole(txn) ? WR_OK : reserve_ask(ctx, txn, oldest_kept(engine, &syncs));
}

enum wr_status txn_commit(struct ctx *ctx, struct txn **txn)
{
    struct engine *engine = txn_engine(*txn);
    bool dirty = txn_is_write(*txn) && store_is_dirty(*txn);
    uint64_t commit_id = 0;
    enum wr_status st;

    if (dirty)
        TRY_OUT(put_marks(ctx, engine, *txn));
    if (store_journal(*txn)) {
        *txn = NULL;
        TRY_OUT(gather_commit(ctx, engine->gather));
        return WR_OK;
    }
    if (dirty)
        TRY_OUT(leave_reserve(ctx, engine, *txn));
    TRY_OUT(store_commit(ctx, txn, &commit_id));
    if (dirty && engine->durability)
        st = durability_committed(ctx, engine->durability, commit_id);
out:
    txn_abort(txn);
    return st;
}

enum wr_status txn_commit_part(struct ctx *ctx, struct txn *txn)
{
    struct engine *engine = txn_engine(txn);
    uint64_t commit_id;

    TRY(put_marks(ctx, engine, txn));
    TRY(leave_reserve(ctx, engine, txn));
    TRY(store_commit_and_begin(ctx, &txn, &commit_id));
    if (engine->durability)
        durability_note(ctx, engine->durability, commit_id);
    return WR_OK;
}

enum wr_status txn_next_id(struct ctx *ctx, struct txn *txn, uint64_t *out)
{
    struct engine *engine = txn_engine(txn);

    assert(txn_is_write(txn));
    if (engine->next_id >= ID_MOST)
        return fail_corrupt(ctx, "the ids are used up");
    *out = engine->next_id++;
    return WR_OK;
}

uint64_t engine_map_bytes(struct engine *engine)
{
    return map_bytes(engine->store);
}

enum wr_status engine_grow(struct ctx *ctx, struct engine *engine, uint64_t seen_bytes)
{
    return store_grow(ctx, engine->store, seen_bytes);
}

typedef enum wr_status beginner(struct ctx *ctx, struct engine *engine, struct txn **out);
typedef enum wr_status writing(struct ctx *ctx, struct txn *txn, void *arg);
typedef enum wr_status ender(struct ctx *ctx, struct txn **txn, enum wr_status st);

static enum wr_status end_write(struct ctx *ctx, struct txn **txn, enum wr_status st)
{
    if (st == WR_OK)
        st = txn_commit(ctx, txn);
    txn_abort(txn);
    return st;
}

/* Of a full disk: what is due is taken away, and what commits have given up is used again behind a sync. */
static enum wr_status free_some(struct ctx *ctx, struct engine *engine)
{
    bool more;

    TRY(engine_sync(ctx, engine));
    if (ctx->may_take_reserve)
        return WR_OK;
    TRY(engine_sweep(ctx, engine, &more));
    return engine_sync(ctx, engine);
}

/* For a write to be tried once more. */
static enum wr_status make_room(struct ctx *ctx, struct engine *engine, uint64_t seen_bytes, bool *freed)
{
    enum wr_status st = store_grow(ctx, engine->store, seen_bytes);

    if (st != WR_FULL || *freed || !reserve_is_short(engine->store))
        return st;
    *freed = true;
    return free_some(ctx, engine);
}

static enum wr_status write_by(beginner *begin, ender *end, struct ctx *ctx, struct engine *engine, writing *body, void *arg)
{
    struct txn *txn = NULL;

    for (bool freed = false;;) {
        uint64_t seen_bytes = map_bytes(engine->store);
        TRY(begin(ctx, engine, &txn));
        enum wr_status st = end(ctx, &txn, body(ctx, txn, arg));
        if (st != WR_FULL)
            return st;
        TRY(make_room(ctx, engine, seen_bytes, &freed));
    }
}

enum wr_status engine_write(struct ctx *ctx, struct engine *engine, writing *body, void *arg)
{
    return write_by(txn_begin_write, end_write, ctx, engine, body, arg);
}

typedef enum wr_status gatherer(struct ctx *ctx, struct gather *g, struct txn **out);

static enum wr_status begin_by(gatherer *begin, struct ctx *ctx, struct engine *engine, struct txn **out)
{
    if (!engine->gather)
        return txn_begin_write(ctx, engine, out);
    TRY(begin(ctx, engine->gather, out));
    if (*out)
        return WR_OK;
    gather_missed(engine->gather);
    return txn_begin_write(ctx, engine, out);
}

enum wr_status txn_begin_gathered(struct ctx *ctx, struct engine *engine, struct txn **out)
{
    return begin_by(gather_begin, ctx, engine, out);
}

struct short_write {
    writing *body;
    void *arg;
    bool is_long;
};

static enum wr_status write_shortly(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct short_write *write = arg;
    enum wr_status st = write->body(ctx, txn, write->arg);
    write->is_long = st != WR_OK && store_is_long(txn);
    return st;
}

enum wr_status engine_write_gathered(struct ctx *ctx, struct engine *engine, writing *body, void *arg)
{
    struct short_write write = { body, arg, false };
    enum wr_status st = write_by(txn_begin_gathered, end_write, ctx, engine, write_shortly, &write);
    return write.is_long ? engine_write(ctx, engine, body, arg) : st;
}

static enum wr_status begin_held(struct ctx *ctx, struct engine *engine, struct txn **out)
{
    return begin_by(held_begin, ctx, engine, out);
}

static enum wr_status end_held(struct ctx *ctx, struct txn **txn, enum wr_status st)
{
    struct engine *engine = txn_engine(*txn);
    if (engine->gather)
        TRY(held_release(ctx, engine->gather));
    return end_write(ctx, txn, st);
}

enum wr_status engine_write_held(struct ctx *ctx, struct engine *engine, writing *body, void *arg)
{
    return write_by(begin_held, end_held, ctx, engine, body, arg);
}

enum wr_status txn_resume(struct ctx *ctx, struct txn *txn)
{
    struct engine *engine = txn_engine(txn);
    return engine->gather ? held_resume(ctx, engine->gather) : WR_OK;
}

void txn_pause(struct ctx *ctx, struct txn *txn, enum wr_status st)
{
    struct engine *engine = txn_engine(txn);
    if (engine->gather)
        held_pause(ctx, engine->gather, st);
}

enum wr_status txn_keep(struct ctx *ctx, struct txn *txn)
{
    struct engine *engine = txn_engine(txn);
    return engine->gather ? held_keep(ctx, engine->gather) : WR_OK;
}

struct txn *txn_share_held(struct ctx *ctx, struct txn *txn)
{
    struct engine *engine = txn_engine(txn);
    return engine->gather ? held_share(ctx, engine->gather) : NULL;
}

/* ---- the catalog ---- */

enum wr_status catalog_put(struct ctx *ctx, struct txn *txn, struct slice name, struct slice value)
{
    return store_put(ctx, txn, TREE_CATALOG, name, value);
}

enum wr_status catalog_get(struct ctx *ctx, struct txn *txn, struct slice name, struct slice *out)
{
    return store_get(ctx, txn, TREE_CATALOG, name, out);
}

enum wr_status catalog_delete(struct ctx *ctx, struct txn *txn, struct slice name)
{
    return store_delete(ctx, txn, TREE_CATALOG, name);
}

enum wr_status catalog_next(struct ctx *ctx, struct txn *txn, struct slice prefix, struct slice from, bool after,
                            struct slice *name, struct slice *value)
{
    struct cursor c = { 0 };
    struct slice at = slice_cmp(from, prefix) < 0 ? prefix : from;
    enum wr_status st;

    TRY_OUT(cursor_open(ctx, &c, txn, TREE_CATALOG));
    TRY_OUT(cursor_seek(ctx, &c, at, name, value));
    if (after && !slice_is_null(*name) && slice_eq(*name, from))
        TRY_OUT(cursor_next(ctx, &c, name, value));
    if (!slice_has_prefix(*name, prefix))
        *name = *value = SLICE_NULL;
out:
    cursor_close(&c);
    return st;
}

/* ---- the database as a whole ---- */

enum wr_status engine_backup(struct ctx *ctx, struct engine *engine, const char *path)
{
    struct folder folder = FOLDER_CLOSED;
    enum wr_status st;
    int fd = -1;

    if (engine->gather)
        TRY_OUT(gather_flush(ctx, engine->gather));
    TRY_OUT(folder_open(ctx, path, false, true, &folder));
    if (folder.exists)
        TRY_OUT(fail(ctx, WR_MISUSE, "there is a database at %s already", path));
    folder_discard_new(&folder);
    fd = folder_open_file(&folder, folder.new_path, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0)
        TRY_OUT(fail_errno(ctx, "cannot make", folder.new_path));
    TRY_OUT(pages_copy(ctx, engine->store, fd));
    TRY_OUT(publish_new(ctx, &folder, true));
out:
    if (fd >= 0)
        close(fd);
    if (st != WR_OK && folder.fd >= 0 && !folder.exists)
        folder_discard_new(&folder);
    folder_close(&folder);
    return st;
}

enum wr_status engine_figures(struct ctx *ctx, struct engine *engine, struct engine_figures *out)
{
    struct page_figures figures;
    struct txn *txn = NULL;
    struct stat stat;
    bool in_memory = engine->folder.fd < 0;
    uint64_t syncs;
    struct marks marks = { 0, 0 };
    enum wr_status st;
    bool found;

    TRY_OUT(txn_begin_read(ctx, engine, &txn));
    TRY_OUT(read_marks(ctx, txn, &marks, &found));
    TRY_OUT(pages_figures(ctx, txn, oldest_kept(engine, &syncs), &figures));
    if (fstat(store_fd(engine->store), &stat) != 0)
        TRY_OUT(fail_errno(ctx, "cannot look at", "the data file"));
    *out = (struct engine_figures){
        .file_bytes = in_memory ? (uint64_t)stat.st_blocks * 512 : (uint64_t)stat.st_size, /* in memory it is as long as the map */
        .used_bytes = figures.pages_used * DATA_PAGE_BYTES,
        .free_bytes = figures.pages_free * DATA_PAGE_BYTES,
        .entries = figures.entries,
        .last_commit_id = figures.commit_id,
        .last_timestamp_us = marks.timestamp_us,
        .syncs = syncs,
    };
out:
    txn_abort(&txn);
    return st;
}
