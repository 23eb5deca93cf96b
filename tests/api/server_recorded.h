/*
 * server_recorded.h - what a Cassandra has told of the things that a server tells its clients (record_server.py), and a database with the same schema.
 */
#ifndef WR_TESTS_SERVER_RECORDED_H
#define WR_TESTS_SERVER_RECORDED_H

#include "handle.h"

#include "server_vectors.inc"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline int open_recorded(void **state)
{
    wr_db *db;
    assert_int_equal(wr_open(NULL, NULL, &db), WR_OK);
    for (size_t i = 0; i < COUNT(schema); i++)
        exec(db, schema[i]);
    exec(db, "USE wrserver");
    *state = db;
    return 0;
}

#endif
