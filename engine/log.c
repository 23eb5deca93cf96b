#include "engine/log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/coding.h"
#include "engine/hash.h"

static const uint8_t magic[8] = "WRlog1\0";

void log_begin(uint8_t *log, const uint8_t database_id[DATABASE_ID_BYTES], uint64_t base, uint64_t *session)
{
    clock_random((uint8_t *)session, sizeof *session);
    memcpy(log, magic, sizeof magic);
    memcpy(log + 8, database_id, DATABASE_ID_BYTES);
    put_u64(log + 8 + DATABASE_ID_BYTES, *session);
    put_u64(log + 16 + DATABASE_ID_BYTES, base);
    put_u64(log + 24 + DATABASE_ID_BYTES, hash64(slice_of(log, LOG_HEAD - 8)));
}

size_t log_seal(uint8_t *log, size_t at, size_t end, uint64_t session, uint32_t number)
{
    put_u32(log + at, (uint32_t)(end - at - LOG_RECORD_HEAD));
    put_u32(log + at + 4, number);
    put_u64(log + at + 8, session);
    put_u64(log + end, hash64(slice_of(log + at, end - at)));
    return end + LOG_RECORD_TAIL;
}

struct slice log_records(struct slice log, const uint8_t database_id[DATABASE_ID_BYTES], uint64_t base, uint64_t *session)
{
    struct reader r = reader_of(log);
    struct slice head = read_bytes(&r, sizeof magic), id = read_bytes(&r, DATABASE_ID_BYTES);
    *session = read_be64(&r);
    uint64_t stands_on = read_be64(&r), hash = read_be64(&r);

    if (r.failed || memcmp(head.data, magic, sizeof magic) != 0 || memcmp(id.data, database_id, DATABASE_ID_BYTES) != 0)
        return SLICE_NULL;
    if (hash != hash64(slice_of(log.data, LOG_HEAD - 8)) || stands_on != base)
        return SLICE_NULL;
    return reader_rest(&r);
}

bool log_next(struct slice *rest, uint64_t session, uint32_t number, struct slice *changes)
{
    struct reader r = reader_of(*rest);
    uint32_t len = read_be32(&r), is = read_be32(&r);
    uint64_t of = read_be64(&r);

    *changes = read_bytes(&r, len);
    uint64_t hash = read_be64(&r);
    if (r.failed || is != number || of != session || hash != hash64(slice_of(rest->data, LOG_RECORD_HEAD + len)))
        return false;
    *rest = reader_rest(&r);
    return true;
}

enum wr_status log_read(struct ctx *ctx, const struct folder *folder, uint8_t **bytes, size_t *len)
{
    int fd = open(folder->log_path, O_RDONLY | O_CLOEXEC);

    *bytes = NULL;
    *len = 0;
    if (fd < 0)
        return errno == ENOENT ? WR_OK : fail_errno(ctx, "cannot open", folder->log_path);
    *bytes = mem_alloc(LOG_BYTES);
    ssize_t n = *bytes ? pread(fd, *bytes, LOG_BYTES, 0) : 0;
    enum wr_status st = !*bytes ? fail_nomem(ctx) : n < 0 ? fail_errno(ctx, "cannot read", folder->log_path) : WR_OK;
    close(fd);
    *len = n > 0 ? (size_t)n : 0;
    return st;
}
