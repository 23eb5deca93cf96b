#include <stdio.h>
#include <stdlib.h>

#include "cql.h"

uint64_t cql_map_bytes;

void cql_must(enum wr_status st, const char *what, const char *error)
{
    if (st == WR_OK || st == WR_DONE || st == WR_ROW)
        return;
    fprintf(stderr, "widerow: %s: %s: %s\n", what, wr_status_name(st), error);
    exit(1);
}

wr_db *cql_open(const char *folder, enum safety safety)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;
    options.map_bytes = cql_map_bytes;
    options.durability = safety == SAFE_POWER_LOSS ? WR_DURABILITY_FULL : WR_DURABILITY_PERIODIC;
    enum wr_status st = wr_open(folder, &options, &db);
    cql_must(st, "open", db ? wr_error(db) : "no memory");
    return db;
}

void cql_close(wr_db *db)
{
    cql_must(wr_close(db), "close", "statements are left");
}

void cql_exec(wr_db *db, const char *text)
{
    cql_must(wr_exec(db, text, NULL, NULL), text, wr_error(db));
}

wr_stmt *cql_prepare(wr_db *db, const char *text)
{
    wr_stmt *stmt;
    cql_must(wr_prepare(db, text, -1, &stmt), text, wr_error(db));
    return stmt;
}

void cql_run(wr_stmt *stmt)
{
    cql_must(wr_step(stmt), wr_stmt_cql(stmt), wr_stmt_error(stmt));
}

uint64_t cql_sum_row(wr_stmt *stmt, uint64_t seed)
{
    size_t len;
    for (int i = 0, n = wr_column_count(stmt); i < n; i++) {
        const void *bytes = wr_column_bytes(stmt, i, &len);
        seed = data_sum(bytes, len, seed);
    }
    return seed;
}

uint64_t cql_sum(wr_stmt *stmt, uint64_t *rows)
{
    uint64_t sum = SUM_SEED, n = 0;
    enum wr_status st;
    for (; (st = wr_step(stmt)) == WR_ROW; n++)
        sum = cql_sum_row(stmt, sum);
    cql_must(st, wr_stmt_cql(stmt), wr_stmt_error(stmt));
    if (rows)
        *rows = n;
    return sum;
}

void cql_bind_name(wr_stmt *stmt, int i, struct name name)
{
    wr_bind_text(stmt, i, name.bytes, (ptrdiff_t)name.len);
}

void cql_bind_text(wr_stmt *stmt, int i, struct text text)
{
    wr_bind_text(stmt, i, text.bytes, (ptrdiff_t)text.len);
}

struct many {
    void (*insert)(void *store, const struct message *m);
    void *store;
    uint64_t from, count;
    uint32_t rooms;
};

static enum wr_status insert_all(void *arg)
{
    const struct many *many = arg;
    struct message m;
    for (uint64_t i = many->from; i < many->from + many->count; i++) {
        data_message(i, many->rooms, &m);
        many->insert(many->store, &m);
    }
    return WR_OK;
}

void cql_insert_many(wr_db *db, void (*insert)(void *store, const struct message *m), void *store, uint64_t from, uint64_t count, uint32_t rooms)
{
    struct many many = { insert, store, from, count, rooms };
    cql_must(wr_atomically(db, insert_all, &many), "insert", wr_error(db));
}
