/*
 * disk.h - databases in folders, numbers with versions to know what they hold, and the bytes of their files: for the
 * tests of what outlives a process, a loss of power, a damaged file.
 */
#ifndef WR_TESTS_DISK_H
#define WR_TESTS_DISK_H

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/coding.h"
#include "engine/pack.h"
#include "engine/page.h"
#include "engine/state.h"
#include "tests/engine/database.h"

enum { PAGE = 4096, NUMBERS = 4000, HOUR_MS = 3600000 };

/* ---- databases on a disk ---- */

static inline enum wr_status try_open(struct database *db, enum durability durability, bool read_only)
{
    const struct engine_options options = {
        .path = db->path, .durability = durability, .sync_interval_ms = HOUR_MS, .read_only = read_only, .create = true
    };
    return engine_open(&db->ctx, &options, &db->engine);
}

static inline void open_disk(struct database *db, enum durability durability)
{
    OK(&db->ctx, try_open(db, durability, false));
}

static inline void new_disk(struct database *db, enum durability durability)
{
    database_init(db);
    database_folder(db);
    open_disk(db, durability);
}

static inline void reopen(struct database *db, enum durability durability)
{
    engine_close(db->engine);
    db->engine = NULL;
    open_disk(db, durability);
}

/* Runs body in a process of its own; 0 is success. */
static inline int in_child(int (*body)(struct database *), struct database *db)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(body(db));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* ---- numbers with a version: version[n] is what key n holds, 0 nothing ---- */

struct versions {
    uint32_t version[NUMBERS];
};

enum { NUMBER_KEY_BYTES = 12, NUMBERS_PER_ID = 400 };

/* A row's: many of an id, so that they lie in chunks, and some ids. */
static inline struct slice number_key(uint8_t key[NUMBER_KEY_BYTES], uint32_t n)
{
    put_u64(key, 1 + n / NUMBERS_PER_ID);
    put_u32(key + 8, n);
    return slice_of(key, NUMBER_KEY_BYTES);
}

static inline size_t version_bytes(uint32_t version)
{
    return 20 + version % 40;
}

static inline enum wr_status store_version(struct ctx *ctx, struct txn *txn, uint32_t n, uint32_t version)
{
    uint8_t key[NUMBER_KEY_BYTES], value[64] = { 0 };
    if (version == 0)
        return store_delete(ctx, txn, TREE_ROWS, number_key(key, n));
    put_u32(value, version);
    return store_put(ctx, txn, TREE_ROWS, number_key(key, n), slice_of(value, version_bytes(version)));
}

static inline void put_version(struct database *db, struct versions *v, struct txn *txn, uint32_t n, uint32_t version)
{
    OK(&db->ctx, store_version(&db->ctx, txn, n, version));
    v->version[n] = version;
}

typedef enum wr_status begin_fn(struct ctx *ctx, struct engine *engine, struct txn **out);

static inline void change_by(begin_fn *begin, struct database *db, struct versions *v, uint64_t *seed, int commits)
{
    for (int i = 0; i < commits; i++) {
        struct txn *txn = NULL;
        OK(&db->ctx, begin(&db->ctx, db->engine, &txn));
        for (uint64_t puts = 1 + random_below(seed, 4); puts > 0; puts--)
            put_version(db, v, txn, (uint32_t)random_below(seed, NUMBERS), (uint32_t)random_below(seed, 1000));
        OK(&db->ctx, txn_commit(&db->ctx, &txn));
    }
}

static inline void change(struct database *db, struct versions *v, uint64_t *seed, int commits)
{
    change_by(txn_begin_write, db, v, seed, commits);
}

static inline void change_gathered(struct database *db, struct versions *v, uint64_t *seed, int commits)
{
    change_by(txn_begin_gathered, db, v, seed, commits);
}

static inline uint64_t commits_of(struct database *db)
{
    return store_last_commit(db->engine->store);
}

static inline void fill(struct database *db, struct versions *v)
{
    struct txn *txn = NULL;
    OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
    for (uint32_t n = 0; n < NUMBERS; n++)
        put_version(db, v, txn, n, n + 1);
    OK(&db->ctx, txn_commit(&db->ctx, &txn));
}

/* Whether the database holds exactly these versions. Walks everything there is; *shared: in a transaction that writes
 * are gathered in. */
static inline bool holds_by(begin_fn *begin, struct database *db, const struct versions *v, bool *shared)
{
    struct txn *txn = NULL;
    struct pack_cursor c = { 0 };
    struct packed row;
    uint8_t first[NUMBER_KEY_BYTES];
    uint32_t next = 0;
    bool same = true;

    OK(&db->ctx, begin(&db->ctx, db->engine, &txn));
    *shared = txn_is_write(txn);
    OK(&db->ctx, pack_open(&db->ctx, &c, txn, TREE_ROWS));
    enum wr_status st = pack_seek(&db->ctx, &c, number_key(first, 0), &row);
    for (; same && st == WR_OK && row.id; st = pack_next(&db->ctx, &c, &row)) {
        uint32_t n = read_u32(row.piece.data);
        while (next < n && v->version[next] == 0)
            next++;
        same = next == n && n < NUMBERS && row.id == 1 + n / NUMBERS_PER_ID &&
               read_u32(row.value.data) == v->version[n] && row.value.len == version_bytes(v->version[n]);
        next++;
    }
    while (next < NUMBERS && v->version[next] == 0)
        next++;
    pack_close(&c);
    txn_abort(&txn);
    return same && st == WR_OK && next == NUMBERS;
}

static inline bool holds(struct database *db, const struct versions *v)
{
    bool shared;
    return holds_by(txn_begin_read, db, v, &shared);
}

/* ---- numbers of a kilobyte: what many of them need room for ---- */

enum { KILOBYTE = 1000 };

/* For engine_write_gathered: the number at arg, a uint32_t. */
static inline enum wr_status put_kilobyte(struct ctx *ctx, struct txn *txn, void *arg)
{
    uint8_t key[NUMBER_KEY_BYTES], value[KILOBYTE] = { 0 };
    uint32_t n = *(const uint32_t *)arg;
    put_u32(value, n);
    return store_put(ctx, txn, TREE_ROWS, number_key(key, n), slice_of(value, sizeof value));
}

static inline void assert_kilobytes(struct database *db, uint32_t count)
{
    struct txn *txn = NULL;
    struct slice got;
    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (uint32_t n = 0; n < count; n++) {
        uint8_t key[NUMBER_KEY_BYTES];
        OK(&db->ctx, store_get(&db->ctx, txn, TREE_ROWS, number_key(key, n), &got));
        assert_true(got.len == KILOBYTE && read_u32(got.data) == n);
    }
    txn_abort(&txn);
}

/* ---- files ---- */

struct file {
    uint8_t *bytes;
    size_t len;
};

static inline void path_in(char out[192], const struct database *db, const char *name)
{
    snprintf(out, 192, "%s/%s", db->path, name);
}

static inline struct file load(const struct database *db, const char *name)
{
    char path[192];
    struct stat stat;
    path_in(path, db, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &stat), 0);
    struct file f = { malloc((size_t)stat.st_size + 1), (size_t)stat.st_size };
    assert_int_equal(pread(fd, f.bytes, f.len, 0), f.len);
    close(fd);
    return f;
}

static inline void save(const struct database *db, const char *name, struct file f)
{
    char path[192];
    path_in(path, db, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, f.bytes, f.len, 0), f.len);
    close(fd);
}

/* ---- LMDB's pages (engine/pagecheck.h) ---- */

enum {
    FLAGS_AT = 10,
    PLACES_END_AT = 12,
    NODES_BEGIN_AT = 14,
    PLACES_AT = 16,
    NODE_FLAGS_AT = 4,
    NODE_KEY_LEN_AT = 6,
    NODE_KEY_AT = 8
};

static inline uint16_t native_u16(const uint8_t *at)
{
    uint16_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

static inline unsigned node_count(const uint8_t *page)
{
    return (native_u16(page + PLACES_END_AT) - PLACES_AT) / 2;
}

static inline uint8_t *node_of(uint8_t *page, unsigned i)
{
    return page + native_u16(page + PLACES_AT + 2 * i);
}

static inline uint8_t *node_value(uint8_t *node)
{
    return node + NODE_KEY_AT + native_u16(node + NODE_KEY_LEN_AT);
}

/* As if the machine had been started again since the slots were written, also once more. */
static inline void change_boot(struct file sync)
{
    for (size_t at = 0; at + SYNC_SLOT_BYTES <= sync.len; at += SYNC_SLOT_EVERY) {
        struct sync_slot slot;
        if (!sync_slot_decode(sync.bytes + at, &slot))
            continue;
        slot.boot_id[0]++;
        sync_slot_encode(&slot, sync.bytes + at);
    }
}

/* Another database's folder from these files, which are freed. */
static inline void make_image(struct database *image, struct file data, struct file sync, struct file undo)
{
    database_init(image);
    database_folder(image);
    save(image, "widerow.db", data);
    save(image, "widerow.sync", sync);
    if (undo.bytes)
        save(image, "widerow.undo", undo);
    free(data.bytes);
    free(sync.bytes);
    free(undo.bytes);
}

static const struct file NO_FILE = { NULL, 0 };

static inline struct file copy_of(struct file f)
{
    if (!f.bytes)
        return NO_FILE;
    struct file copy = { malloc(f.len + 1), f.len };
    memcpy(copy.bytes, f.bytes, f.len);
    return copy;
}

/* The saved pages, with the beginning of a record behind them that did not reach the disk as a whole. */
static inline struct file load_undo(const struct database *db, uint64_t *seed)
{
    char path[192];
    path_in(path, db, "widerow.undo");
    if (access(path, F_OK) != 0)
        return NO_FILE;
    struct file undo = load(db, "widerow.undo");
    size_t more = random_below(seed, 5000);
    undo.bytes = realloc(undo.bytes, undo.len + more + 1);
    for (size_t i = 0; i < more; i++)
        undo.bytes[undo.len + i] = i < 24 && undo.len ? undo.bytes[i] : (uint8_t)random_next(seed);
    undo.len += more;
    return undo;
}

/* What the disk may hold when power goes: the file as synced, of the pages changed since a random half, the meta pages
 * too. */
static inline struct file torn(struct file synced, struct file now, uint64_t *seed)
{
    struct file f = { malloc(now.len), now.len };
    memcpy(f.bytes, now.bytes, now.len);
    for (size_t at = 2 * PAGE; at < now.len; at += PAGE) {
        size_t n = now.len - at < PAGE ? now.len - at : PAGE;
        if (random_below(seed, 2))
            continue;
        if (at + n <= synced.len)
            memcpy(f.bytes + at, synced.bytes + at, n);
        else
            memset(f.bytes + at, 0, n);
    }
    return f;
}

#endif
