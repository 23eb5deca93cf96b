/*
 * version.h - what the versions of the native protocol differ in, as a table.
 */
#ifndef WR_SERVE_VERSION_H
#define WR_SERVE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

struct version {
    uint8_t number;
    const char *name;
    bool beta;            /* spoken with those who say in each frame that they want it */
    bool segments;        /* frames travel in checksummed segments once the connection has started */
    bool wide_flags;      /* flags of a query are an int */
    bool unset;           /* values may be unset */
    bool notes;           /* answers carry warnings, requests a custom payload */
    bool routing;         /* a prepared statement tells which markers are the partition key */
    bool metadata_ids;    /* results have metadata with ids, requests may name a keyspace and a time */
    bool failures;        /* there are read, write and function failures */
    bool failure_reasons; /* read and write failures tell the reason of each node */
    bool functions;       /* changes of functions and aggregates are told as such */
};

const struct version *version_of(unsigned number); /* NULL: not spoken */

#define VERSIONS_SUPPORTED "3/v3, 4/v4, 5/v5, 6/v6-beta" /* as Cassandra lists them */

#endif
