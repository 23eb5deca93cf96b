/*
 * limits.h - every fixed limit of the product. Each is tested at the limit and one past it.
 */
#ifndef WR_ENGINE_LIMITS_H
#define WR_ENGINE_LIMITS_H

#include <stdint.h>

enum {
    KEY_BYTES_MAX = 65535,            /* a serialized partition key; also each clustering, as Cassandra counts it */
    CLUSTERING_ORDER_MAX = 262144,    /* a clustering in comparable bytes (escapes can double it) */
    WIDE_BYTES_MAX = CLUSTERING_ORDER_MAX + 96, /* key.h: a clustering and what an index puts before it */
    STORE_KEY_MAX = 511,              /* LMDB's longest key */
    ERROR_TEXT_MAX = 4096,            /* bytes of an error message with its NUL; longer ones are cut */
    SWEEP_STEP_MAX = 32,              /* rows a write's expiry sweep visits at most, or twice as many as it makes expire */
    TYPE_MADE_DEPTH_MAX = 512,        /* what a select list and markers build around types; more than expressions are deep */
    TYPE_DEPTH_MAX = 64,              /* types within types: list<frozen<list<...>>> */
    JSON_DEPTH_MAX = 1000,            /* arrays and objects within each other, as the server's parser has it */
    TYPE_NODES_MAX = 16384,           /* types within a user type or a column's type, each user type counted wherever it is used */
    READERS_MAX = 1024,               /* statements that may hold a snapshot at once, all processes together */
};

#define VALUE_BYTES_MAX (256u << 20)  /* one cell's value */
#define SPILL_CELL_BYTES 1536u        /* a longer value leaves its row for an entry of its own */
#define SPILL_COMPLEX_CELLS 64u       /* a collection of more cells leaves its row too */

#define TTL_MAX_S 630720000           /* twenty years, Attributes.MAX_TTL */
#define EXPIRY_MAX_S 2147483646u      /* 2038-01-19T03:14:06Z, Cell.MAX_DELETION_TIME in the 4.x storage mode */

#endif
