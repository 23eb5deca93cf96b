#include "engine/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/coding.h"
#include "engine/hash.h"

static const uint8_t magics[2][8] = { "WRlog4\0", "WRlog5\0" }; /* by `alone` */

uint64_t log_new_chain(void)
{
    uint64_t chain;
    clock_random((uint8_t *)&chain, sizeof chain);
    return chain;
}

static uint64_t hash_of_head(const uint8_t half[LOG_HEAD])
{
    return hash64(slice_of(half, LOG_HEAD - 8));
}

void log_begin(uint8_t *half, const uint8_t database_id[DATABASE_ID_BYTES], const struct log_head *head)
{
    uint8_t *at = half + 8 + DATABASE_ID_BYTES;

    memcpy(half, magics[head->alone], sizeof *magics);
    memcpy(half + 8, database_id, DATABASE_ID_BYTES);
    put_u64(at, head->chain);
    put_u64(at + 8, head->base);
    put_u64(at + 16, head->number);
    put_u64(at + 24, hash_of_head(half));
}

static uint64_t hash_of_record(struct slice record, uint64_t chain, uint64_t number)
{
    return hash64(record) ^ (chain + number);
}

size_t log_seal(uint8_t *half, size_t at, size_t end, uint64_t chain, uint64_t number, uint64_t commits)
{
    assert(commits <= UINT32_MAX); /* each has a record in this half */
    put_u32(half + at, (uint32_t)(end - at - LOG_RECORD_HEAD));
    put_u32(half + at + 4, (uint32_t)commits);
    put_u64(half + end, hash_of_record(slice_of(half + at, end - at), chain, number));
    return end + LOG_RECORD_TAIL;
}

/* ---- reading ---- */

struct half {
    struct log_head head;
    struct slice records; /* null: the half has no sound head, or another database's */
};

static struct half half_of(struct slice log, unsigned n, const uint8_t database_id[DATABASE_ID_BYTES])
{
    size_t at = (size_t)n * LOG_HALF_BYTES;
    struct slice bytes = at < log.len ? slice_of(log.data + at, log.len - at) : SLICE_NULL;
    bool alone = n == 0 && slice_has_prefix(bytes, slice_of(magics[1], sizeof *magics));
    if (!alone && bytes.len > LOG_HALF_BYTES)
        bytes.len = LOG_HALF_BYTES;
    struct reader r = reader_of(bytes);
    struct slice begins = read_bytes(&r, sizeof *magics), id = read_bytes(&r, DATABASE_ID_BYTES);
    struct half half = { 0 };

    half.head.alone = alone;
    half.head.chain = read_be64(&r);
    half.head.base = read_be64(&r);
    half.head.number = read_be64(&r);
    uint64_t hash = read_be64(&r);
    if (r.failed || memcmp(begins.data, magics[alone], sizeof *magics) != 0 || memcmp(id.data, database_id, DATABASE_ID_BYTES) != 0)
        return half;
    if (hash == hash_of_head(bytes.data))
        half.records = reader_rest(&r);
    return half;
}

/* Whether records of the half may be missing in a data file that ends with this commit. */
static bool counts(const struct half *half, uint64_t after)
{
    return !slice_is_null(half->records) && half->head.base <= after;
}

static bool is_later(const struct half *half, const struct half *other)
{
    return half->head.base != other->head.base ? half->head.base > other->head.base : half->head.number > other->head.number;
}

void log_walk(struct log_walk *w, struct slice log, const uint8_t database_id[DATABASE_ID_BYTES], uint64_t after)
{
    struct half halves[LOG_HALVES] = { half_of(log, 0, database_id), half_of(log, 1, database_id) };

    if (halves[0].head.alone) /* what lies where the other would begin is in the midst of it */
        halves[1].records = SLICE_NULL;
    *w = (struct log_walk){ .after = after };
    for (int i = 0; i < LOG_HALVES; i++) {
        const struct half *half = &halves[i], *other = &halves[!i];
        if (!counts(half, after) || (counts(other, after) && is_later(other, half)))
            continue;
        w->rest = half->records;
        w->chain = half->head.chain;
        w->number = half->head.number;
        w->base = half->head.base;
        if (!slice_is_null(other->records) && other->head.chain == w->chain && other->head.base > after) {
            w->then = other->records;
            w->then_number = other->head.number;
            w->then_base = other->head.base;
        }
        return;
    }
}

/* The record at the front, whatever its commit. */
static bool take(struct log_walk *w, uint64_t *commit_id, struct slice *changes)
{
    struct reader r = reader_of(w->rest);
    uint32_t len = read_be32(&r);

    *commit_id = w->base + read_be32(&r);
    *changes = read_bytes(&r, len);
    uint64_t hash = read_be64(&r);
    if (r.failed || hash != hash_of_record(slice_of(w->rest.data, (size_t)LOG_RECORD_HEAD + len), w->chain, w->number))
        return false;
    w->rest = reader_rest(&r);
    w->number++;
    return true;
}

bool log_next(struct log_walk *w, struct slice *changes)
{
    uint64_t commit_id;

    do {
        while (!take(w, &commit_id, changes)) {
            if (slice_is_null(w->then) || w->then_number != w->number)
                return false;
            w->rest = w->then;
            w->base = w->then_base;
            w->then = SLICE_NULL;
        }
    } while (commit_id <= w->after);
    return true;
}

/* ---- the file ---- */

/* All so far have had the same head. */
static bool is_of_another_version(struct slice log)
{
    enum { NAME = 5 };
    bool is_sound = log.len >= LOG_HEAD && read_u64(log.data + LOG_HEAD - 8) == hash_of_head(log.data);
    return is_sound && memcmp(log.data, magics, NAME) == 0 && memcmp(log.data, magics[0], sizeof *magics) != 0 &&
           memcmp(log.data, magics[1], sizeof *magics) != 0;
}

enum wr_status log_read(struct ctx *ctx, const struct folder *folder, uint8_t **bytes, size_t *len)
{
    enum { MOST = LOG_ALONE_BYTES }; /* two halves are less */
    int fd = folder_open_file(folder, folder->log_path, O_RDONLY);

    *bytes = NULL;
    *len = 0;
    if (fd < 0)
        return errno == ENOENT ? WR_OK : fail_errno(ctx, "cannot open", folder->log_path);
    *bytes = mem_alloc(MOST);
    ssize_t n = *bytes ? pread(fd, *bytes, MOST, 0) : 0;
    enum wr_status st = !*bytes ? fail_nomem(ctx) : n < 0 ? fail_errno(ctx, "cannot read", folder->log_path) : WR_OK;
    close(fd);
    *len = n > 0 ? (size_t)n : 0;
    if (st == WR_OK && is_of_another_version(slice_of(*bytes, *len)))
        st = fail(ctx, WR_VERSION, "%s was left by another version of this library, which has to open the database and close it once", folder->log_path);
    return st;
}

enum wr_status log_wipe(struct ctx *ctx, const struct folder *folder)
{
    static const uint8_t nothing[LOG_HEAD];
    int fd = folder_open_file(folder, folder->log_path, O_RDWR);
    struct stat stat;

    if (fd < 0)
        return fail_errno(ctx, "cannot open", folder->log_path);
    bool wiped = fstat(fd, &stat) == 0;
    for (off_t at = 0; wiped && at < stat.st_size; at += LOG_HALF_BYTES)
        wiped = pwrite(fd, nothing, sizeof nothing, at) == sizeof nothing;
    wiped = wiped && fdatasync(fd) == 0;
    enum wr_status st = wiped ? WR_OK : fail_errno(ctx, "cannot write", folder->log_path);
    close(fd);
    return st;
}
