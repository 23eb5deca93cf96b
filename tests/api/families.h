/*
 * families.h - what tests of column families share: an open one in a database in memory, texts as bytes, numbers as names.
 */
#ifndef WR_TESTS_FAMILIES_H
#define WR_TESTS_FAMILIES_H

#include "handle.h"

#define TEXT(s) ((struct wr_bytes){ (s), sizeof(s) - 1 })

static inline struct wr_bytes be64(int64_t n, uint8_t out[8])
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)((uint64_t)n >> (56 - 8 * i));
    return (struct wr_bytes){ out, 8 };
}

static inline int64_t read_be64(struct wr_bytes b)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 8; i++)
        n = n << 8 | ((const uint8_t *)b.data)[i];
    return (int64_t)n;
}

static inline int setup(void **state)
{
    wr_db *db;
    if (wr_open(NULL, NULL, &db) != WR_OK)
        return -1;
    *state = db;
    return 0;
}

static inline wr_cf *family(wr_db *db, const char *name, const char *comparator, const char *validator)
{
    struct wr_cf_def def = { "ks", name, comparator, "UTF8Type", validator, NULL, -1 };
    wr_cf *cf = NULL;
    if (wr_cf_create(db, &def) != WR_OK || wr_cf_open(db, "ks", name, &cf) != WR_OK)
        fail_msg("%s", wr_error(db));
    return cf;
}

static inline void insert(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, struct wr_bytes value, int64_t timestamp)
{
    struct wr_cf_column c = { .name = name, .value = value, .timestamp_us = timestamp };
    if (wr_cf_insert(cf, key, &c) != WR_OK)
        fail_msg("%s", wr_cf_error(cf));
}

#endif
