/* Widerow as an application uses it: CQL through prepared statements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "widerow.h"

struct handle {
    wr_db *db;
    wr_stmt *insert, *page;
};

static void must(enum wr_status st, const char *what, const char *error)
{
    if (st == WR_OK || st == WR_DONE || st == WR_ROW)
        return;
    fprintf(stderr, "widerow: %s: %s\n", what, error);
    exit(1);
}

static void *open_store(const char *folder, enum safety safety)
{
    struct handle *h = calloc(1, sizeof *h);
    struct wr_options options = WR_OPTIONS_INIT;
    options.durability = safety == SAFE_POWER_LOSS ? WR_DURABILITY_FULL : WR_DURABILITY_PERIODIC;
    must(wr_open(folder, &options, &h->db), "open", h->db ? wr_error(h->db) : "no memory");
    must(wr_exec(h->db,
                 "CREATE KEYSPACE IF NOT EXISTS bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"
                 "CREATE TABLE IF NOT EXISTS bench.messages (room text, id timeuuid, author text, content text, system boolean, "
                 "PRIMARY KEY (room, id)) WITH CLUSTERING ORDER BY (id DESC);",
                 NULL, NULL),
         "schema", wr_error(h->db));
    must(wr_prepare(h->db, "INSERT INTO bench.messages (room, id, author, content, system) VALUES (?, ?, ?, ?, ?)", -1, &h->insert),
         "prepare", wr_error(h->db));
    must(wr_prepare(h->db, "SELECT id, author, content, system FROM bench.messages WHERE room = ? LIMIT ?", -1, &h->page), "prepare",
         wr_error(h->db));
    return h;
}

static void bind_message(wr_stmt *s, const struct message *m)
{
    char room[24];
    uint64_t len = room_name(m->room, room);
    wr_bind_text(s, 0, room, (ptrdiff_t)len);
    wr_bind_uuid(s, 1, m->id);
    wr_bind_text(s, 2, m->author, -1);
    wr_bind_text(s, 3, m->text, -1);
    wr_bind_bool(s, 4, m->system);
}

static void insert(void *store, const struct message *m)
{
    struct handle *h = store;
    bind_message(h->insert, m);
    must(wr_step(h->insert), "insert", wr_stmt_error(h->insert));
}

struct many {
    struct handle *h;
    uint64_t from, count;
    uint32_t rooms;
};

static enum wr_status insert_all(void *arg)
{
    const struct many *many = arg;
    struct message m;
    for (uint64_t i = many->from; i < many->from + many->count; i++) {
        message_make(i, many->rooms, &m);
        bind_message(many->h->insert, &m);
        enum wr_status st = wr_step(many->h->insert);
        if (st != WR_DONE)
            return st;
    }
    return WR_OK;
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    struct many many = { store, from, count, rooms };
    must(wr_atomically(many.h->db, insert_all, &many), "insert", wr_error(many.h->db));
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    struct handle *h = store;
    char name[24];
    uint64_t len = room_name(room, name), sum = SUM_SEED;
    enum wr_status st;
    wr_bind_text(h->page, 0, name, (ptrdiff_t)len);
    wr_bind_int(h->page, 1, rows);
    while ((st = wr_step(h->page)) == WR_ROW) {
        size_t n;
        for (int i = 0; i < 3; i++) {
            const void *bytes = wr_column_bytes(h->page, i, &n);
            sum = bytes_sum(bytes, n, sum);
        }
        uint8_t system = wr_column_bool(h->page, 3);
        sum = bytes_sum(&system, 1, sum);
    }
    must(st, "page", wr_stmt_error(h->page));
    return sum;
}

static void close_store(void *store)
{
    struct handle *h = store;
    wr_finalize(h->insert);
    wr_finalize(h->page);
    must(wr_close(h->db), "close", wr_error(h->db));
    free(h);
}

const struct store store_widerow = { "widerow", open_store, insert, insert_many, page, close_store };
