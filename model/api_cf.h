/*
 * api_cf.h - what a handle of a column family holds, for the rooms behind it: api_cf.c makes, opens and writes, api_cf_read.c reads.
 */
#ifndef WR_MODEL_API_CF_H
#define WR_MODEL_API_CF_H

#include "model/api.h"
#include "model/family.h"

struct wr_cf {
    wr_db *db;
    char *keyspace, *name;
    struct arena arena; /* of the last call */
    struct ctx ctx;
    struct schema *schema; /* the snapshot family lies in */
    struct family family;
    struct scan *scan;
    struct partitions *partitions;
    uint8_t places[FLAT_COLUMNS]; /* of the value column in a flat row's values, and of any other (scan.h) */
    uint64_t wanted;              /* that column; 0: its number is too high */
    struct brief_trial brief;     /* of its reads by key */
};

enum wr_status cf_begin(wr_cf *cf); /* a call: what the one before had in memory is gone. WR_MISUSE: the database is the parent's */
enum wr_status cf_refresh(wr_cf *cf); /* brings what it holds of the family up to the current schema */

static inline struct slice slice_of_bytes(struct wr_bytes bytes)
{
    return slice_of(bytes.data, bytes.len);
}

static inline struct wr_bytes bytes_of(struct slice s)
{
    return (struct wr_bytes){ s.data, s.len };
}

#endif
