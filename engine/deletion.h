/*
 * deletion.h - what a tombstone covers, and how long a row marker lives.
 *
 * Timestamps are microseconds, signed, chosen by whoever writes; INT64_MIN is "none". Local times are seconds since 1970 by
 * the database's clock: when a tombstone was made (gc grace counts from it) or when something expires.
 * 1. A deletion covers everything written at its timestamp or before it.
 * 2. Of two deletions the one with the greater (timestamp, local time) wins; of two markers see liveness_merge.
 */
#ifndef WR_ENGINE_DELETION_H
#define WR_ENGINE_DELETION_H

#include <stdbool.h>
#include <stdint.h>

#define TIMESTAMP_NONE INT64_MIN
#define TTL_EXPIRED 0x7fffffffu /* stored rows only: of a marker which a writer has seen expired (EXPIRED_LIVENESS_TTL) */

struct deletion {
    int64_t timestamp_us; /* markedForDeleteAt */
    uint32_t local_s;     /* localDeletionTime */
};

/* The row marker of an INSERT: alone enough to keep a row alive. */
struct liveness {
    int64_t timestamp_us;
    uint32_t ttl_s;   /* 0: does not expire */
    uint32_t local_s; /* when it expires; 0 without a TTL */
};

#define DELETION_NONE ((struct deletion){ TIMESTAMP_NONE, 0 })
#define LIVENESS_NONE ((struct liveness){ TIMESTAMP_NONE, 0, 0 })

static inline bool deletion_is_none(struct deletion d)
{
    return d.timestamp_us == TIMESTAMP_NONE;
}

static inline bool deletion_covers(struct deletion d, int64_t timestamp_us)
{
    return d.timestamp_us != TIMESTAMP_NONE && timestamp_us <= d.timestamp_us;
}

static inline struct deletion deletion_merge(struct deletion a, struct deletion b)
{
    if (a.timestamp_us != b.timestamp_us)
        return a.timestamp_us > b.timestamp_us ? a : b;
    return a.local_s >= b.local_s ? a : b;
}

static inline bool liveness_is_none(struct liveness l)
{
    return l.timestamp_us == TIMESTAMP_NONE;
}

static inline bool liveness_is_live(struct liveness l, uint32_t now_s)
{
    return l.timestamp_us != TIMESTAMP_NONE && (l.ttl_s == 0 || (now_s < l.local_s && l.ttl_s != TTL_EXPIRED));
}

/* LivenessInfo.supersedes: the later timestamp; at a tie the expiring one, and of two expiring the one that lives longer. */
static inline struct liveness liveness_merge(struct liveness a, struct liveness b)
{
    if (a.timestamp_us != b.timestamp_us)
        return a.timestamp_us > b.timestamp_us ? a : b;
    if ((a.ttl_s != 0) != (b.ttl_s != 0))
        return a.ttl_s ? a : b;
    return a.local_s >= b.local_s ? a : b;
}

#endif
