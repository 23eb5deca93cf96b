/* SQLite as an expert would: WITHOUT ROWID, WAL, prepared statements. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

struct handle {
    sqlite3 *db;
    sqlite3_stmt *insert, *page, *begin, *commit;
};

static void must(struct handle *h, int rc, const char *what)
{
    if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW)
        return;
    fprintf(stderr, "sqlite: %s: %s\n", what, sqlite3_errmsg(h->db));
    exit(1);
}

static void *open_store(const char *folder, enum safety safety)
{
    struct handle *h = calloc(1, sizeof *h);
    char path[4096];
    snprintf(path, sizeof path, "%s/sqlite.db", folder);
    must(h, sqlite3_open(path, &h->db), "open");
    must(h, sqlite3_exec(h->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), "wal");
    must(h, sqlite3_exec(h->db, safety == SAFE_POWER_LOSS ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", NULL, NULL, NULL), "sync");
    must(h, sqlite3_exec(h->db, "PRAGMA mmap_size = 4294967296", NULL, NULL, NULL), "mmap");
    must(h, sqlite3_exec(h->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL), "locking");
    must(h, sqlite3_exec(h->db,
                         "CREATE TABLE IF NOT EXISTS messages (room TEXT, time BLOB, author TEXT, content TEXT, system INTEGER, "
                         "PRIMARY KEY (room, time)) WITHOUT ROWID",
                         NULL, NULL, NULL),
         "schema");
    must(h, sqlite3_prepare_v2(h->db, "INSERT INTO messages VALUES (?, ?, ?, ?, ?)", -1, &h->insert, NULL), "prepare");
    must(h, sqlite3_prepare_v2(h->db, "SELECT time, author, content, system FROM messages WHERE room = ? ORDER BY time DESC LIMIT ?", -1, &h->page, NULL),
         "prepare");
    must(h, sqlite3_prepare_v2(h->db, "BEGIN", -1, &h->begin, NULL), "prepare");
    must(h, sqlite3_prepare_v2(h->db, "COMMIT", -1, &h->commit, NULL), "prepare");
    return h;
}

static void put_time(const uint8_t *id, uint8_t out[16])
{
    memcpy(out, id + 6, 2);
    memcpy(out + 2, id + 4, 2);
    memcpy(out + 4, id, 4);
    memcpy(out + 8, id + 8, 8);
}

static void run(struct handle *h, sqlite3_stmt *s, const char *what)
{
    must(h, sqlite3_step(s), what);
    sqlite3_reset(s);
}

static void insert(void *store, const struct message *m)
{
    struct handle *h = store;
    char room[24];
    uint8_t time[16];
    int len = (int)room_name(m->room, room);
    put_time(m->id, time);
    sqlite3_bind_text(h->insert, 1, room, len, SQLITE_STATIC);
    sqlite3_bind_blob(h->insert, 2, time, 16, SQLITE_STATIC);
    sqlite3_bind_text(h->insert, 3, m->author, -1, SQLITE_STATIC);
    sqlite3_bind_text(h->insert, 4, m->text, -1, SQLITE_STATIC);
    sqlite3_bind_int(h->insert, 5, m->system);
    run(h, h->insert, "insert");
}

static void insert_many(void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    struct handle *h = store;
    struct message m;
    run(h, h->begin, "begin");
    for (uint64_t i = from; i < from + count; i++) {
        message_make(i, rooms, &m);
        insert(h, &m);
    }
    run(h, h->commit, "commit");
}

static uint64_t page(void *store, uint32_t room, unsigned rows)
{
    struct handle *h = store;
    char name[24];
    int len = (int)room_name(room, name), rc;
    uint64_t sum = SUM_SEED;
    sqlite3_bind_text(h->page, 1, name, len, SQLITE_STATIC);
    sqlite3_bind_int(h->page, 2, (int)rows);
    while ((rc = sqlite3_step(h->page)) == SQLITE_ROW) {
        const uint8_t *t = sqlite3_column_blob(h->page, 0);
        uint8_t id[16], system = (uint8_t)sqlite3_column_int(h->page, 3);
        memcpy(id, t + 4, 4);
        memcpy(id + 4, t + 2, 2);
        memcpy(id + 6, t, 2);
        memcpy(id + 8, t + 8, 8);
        sum = bytes_sum(id, 16, sum);
        for (int i = 1; i < 3; i++) {
            const void *bytes = sqlite3_column_text(h->page, i);
            sum = bytes_sum(bytes, (size_t)sqlite3_column_bytes(h->page, i), sum);
        }
        sum = bytes_sum(&system, 1, sum);
    }
    must(h, rc, "page");
    sqlite3_reset(h->page);
    return sum;
}

static void close_store(void *store)
{
    struct handle *h = store;
    sqlite3_finalize(h->insert);
    sqlite3_finalize(h->page);
    sqlite3_finalize(h->begin);
    sqlite3_finalize(h->commit);
    sqlite3_close(h->db);
    free(h);
}

const struct store store_sqlite = { "sqlite", open_store, insert, insert_many, page, close_store };
