#include "engine/writer.h"

#include "engine/partition.h"
#include "engine/state.h"

enum wr_status writer_new(struct ctx *ctx, struct writer **out)
{
    struct writer *writer = mem_alloc(sizeof *writer);
    if (!writer)
        return fail_nomem(ctx);
    enum wr_status st;
    TRY_OUT(partition_cache_new(ctx, &writer->cache));
    TRY_OUT(wide_cursor_new(ctx, &writer->cursor));
    *out = writer;
    return WR_OK;
out:
    writer_free(writer);
    return st;
}

void writer_free(struct writer *writer)
{
    if (!writer)
        return;
    partition_cache_free(writer->cache);
    wide_cursor_free(writer->cursor);
    mem_free(writer);
}

struct writer *txn_writer(const struct txn *txn)
{
    return txn_engine(txn)->writer;
}

void writer_aborted(void *arg)
{
    struct writer *writer = arg;
    partition_cache_clear(writer->cache);
    writer->next_due_s = 0;
    writer->holds_sweep = false;
}

void engine_set_table_lookup(struct engine *engine, const struct table_shape *(*lookup)(void *arg, uint64_t table_id),
                             void *arg)
{
    engine->writer->lookup = lookup;
    engine->writer->lookup_arg = arg;
}
