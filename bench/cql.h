/*
 * cql.h - Widerow for the bench: calls that end the process with the message where they fail.
 */
#ifndef BENCH_CQL_H
#define BENCH_CQL_H

#include "store.h"
#include "widerow.h"

void cql_must(enum wr_status st, const char *what, const char *error);
extern uint64_t cql_map_bytes;          /* struct wr_options.map_bytes; 0 */
wr_db *cql_open(const char *folder, enum safety safety); /* NULL: in memory */
void cql_close(wr_db *db);
void cql_exec(wr_db *db, const char *text);
wr_stmt *cql_prepare(wr_db *db, const char *text);
void cql_run(wr_stmt *stmt);           /* a write */
uint64_t cql_sum(wr_stmt *stmt, uint64_t *rows); /* a read to its end: every column, in order; rows may be NULL */
uint64_t cql_sum_row(wr_stmt *stmt, uint64_t seed);
/* Messages of those numbers, each by insert, in one transaction. */
void cql_insert_many(wr_db *db, void (*insert)(void *store, const struct message *m), void *store, uint64_t from, uint64_t count, uint32_t rooms);
void cql_bind_name(wr_stmt *stmt, int i, struct name name);
void cql_bind_text(wr_stmt *stmt, int i, struct text text);

#define CQL_KEYSPACE "CREATE KEYSPACE bench WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};"

#endif
