#include "model/export_batch.h"

#define BEGIN "BEGIN UNLOGGED BATCH "
#define BETWEEN "; "
#define END "; APPLY BATCH"

enum { FRAME_BYTES = sizeof BEGIN + sizeof END, BATCH_MOST = 1 << 20 };

enum wr_status export_batch_init(struct ctx *ctx, struct export_batch *batch, struct export_sink sink, size_t bytes)
{
    *batch = (struct export_batch){ .sink = sink, .room = bytes < BATCH_MOST ? bytes : BATCH_MOST };
    if (batch->room <= FRAME_BYTES)
        batch->room = 0;
    else if (!(batch->text = NEW_ARRAY(ctx, char, batch->room + 1)))
        return WR_NOMEM;
    return WR_OK;
}

static void tell(struct export_batch *batch, const char *cql, size_t len)
{
    batch->ended = batch->ended || !batch->sink.on_statement(batch->sink.arg, cql, len);
}

static void put(struct export_batch *batch, const char *piece, size_t len)
{
    memcpy(batch->text + batch->len, piece, len);
    batch->len += len;
    batch->text[batch->len] = 0;
}

static void put_str(struct export_batch *batch, const char *piece)
{
    put(batch, piece, strlen(piece));
}

/* One statement needs no batch around it. */
void export_batch_end(struct export_batch *batch)
{
    size_t before = batch->count == 1 ? strlen(BEGIN) : 0;
    if (!batch->count)
        return;
    if (batch->count > 1)
        put_str(batch, END);
    tell(batch, batch->text + before, batch->len - before);
    batch->len = batch->count = 0;
}

void export_batch_add(struct export_batch *batch, const char *cql, size_t len)
{
    if (batch->len + len + FRAME_BYTES > batch->room)
        export_batch_end(batch);
    if (len + FRAME_BYTES > batch->room) {
        tell(batch, cql, len);
        return;
    }
    put_str(batch, batch->count ? BETWEEN : BEGIN);
    put(batch, cql, len);
    batch->count++;
}
