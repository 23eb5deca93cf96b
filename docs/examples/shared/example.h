/*
 * example.h - what the five examples share: opening a database with their schema, running a statement with values, telling how
 * long a query took, and checking themselves.
 *
 * Every example runs as `NAME [--check] [DATABASE]`: it shows its system at work, or checks it and ends with
 * "N passed, N failed". Without DATABASE everything is in memory.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "widerow.h"

struct example {
    wr_db *db;
    bool check;
    const char *load; /* --load FILE: real data; NULL: none */
    int races;        /* --races N */
};

/* Takes the arguments, opens the database and runs EXAMPLE_FOLDER/schema.cql where the keyspace is not there yet. */
void example_begin(struct example *example, int argc, char **argv, const char *schema_path);
int example_end(struct example *example); /* the exit status */

/* Ends the program with the message where a call has failed. */
void must(wr_db *db, enum wr_status status);
void must_step(wr_stmt *stmt, enum wr_status status);

/* A prepared statement with its values, by letters: s text, i int64, u uuid (const uint8_t *), b bool, v (const void *, size_t) bytes as
 * they are, n null. prepare() keeps each text's statement until example_end. */
wr_stmt *prepare(wr_db *db, const char *cql);
wr_stmt *bind(wr_stmt *stmt, const char *letters, ...);
void run(wr_stmt *stmt);                 /* to its end */
bool run_applied(wr_stmt *stmt);         /* of a lightweight transaction: was it applied? */
int64_t run_int(wr_stmt *stmt, int64_t otherwise); /* the first column of the first row */

/* Time of a query: `int64_t t = tick(); ...; tell_time("history", tick() - t);` */
int64_t tick(void); /* nanoseconds */
void tell_time(const char *what, int64_t ns);

/* Checking: counts, and tells what was not so. */
void check(bool holds, const char *what);

#endif
