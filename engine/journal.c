#include "engine/journal.h"

#include "engine/arena.h"
#include "engine/coding.h"

static bool make_room(struct journal *j, size_t len)
{
    enum { FIRST = 64 << 10 };
    size_t room = j->room ? j->room * 2 : FIRST;

    while (room - j->len < len)
        room *= 2;
    uint8_t *bytes = mem_realloc(j->bytes, room);
    if (!bytes)
        return false;
    j->bytes = bytes;
    j->room = room;
    return true;
}

/* Room for len more bytes; NULL: there is none. */
static uint8_t *grow(struct journal *j, size_t len)
{
    if (!j->overflow && j->room - j->len < len)
        j->overflow = !j->grows || !make_room(j, len);
    if (j->overflow)
        return NULL;
    uint8_t *at = j->bytes + j->len;
    j->len += len;
    return at;
}

static void put_head(struct journal *j, unsigned tree, bool put, struct slice key)
{
    uint8_t *at = grow(j, 1 + varint_len(key.len) + key.len);
    if (!at)
        return;
    *at++ = (uint8_t)(tree << 1 | put);
    at += put_varint(at, key.len);
    memcpy(at, key.data, key.len);
}

void journal_settle(struct journal *j)
{
    if (!j->reserved)
        return;
    uint8_t *at = grow(j, j->reserved_len);
    if (at && j->reserved_len)
        memcpy(at, j->reserved, j->reserved_len);
    j->reserved = NULL;
}

void journal_reserve(struct journal *j, unsigned tree, struct slice key, const uint8_t *value, size_t len)
{
    put_head(j, tree, true, key);
    uint8_t *at = grow(j, varint_len(len));
    if (at)
        put_varint(at, len);
    j->reserved = value;
    j->reserved_len = len;
}

void journal_put(struct journal *j, unsigned tree, struct slice key, struct slice value)
{
    journal_reserve(j, tree, key, value.data ? value.data : (const uint8_t *)"", value.len);
    journal_settle(j);
}

void journal_delete(struct journal *j, unsigned tree, struct slice key)
{
    put_head(j, tree, false, key);
}

bool journal_next(struct slice *rest, struct journal_entry *out, bool *failed)
{
    struct reader r = reader_of(*rest);

    *failed = false;
    if (!rest->len)
        return false;
    uint8_t head = read_byte(&r);
    *out = (struct journal_entry){ .tree = head >> 1, .put = head & 1 };
    out->key = read_bytes(&r, read_varint(&r));
    if (out->put)
        out->value = read_bytes(&r, read_varint(&r));
    *failed = r.failed;
    *rest = reader_rest(&r);
    return !r.failed;
}
