#include "model/consistency.h"

#include <stdlib.h>

enum need { NEED_ONE, NEED_TWO, NEED_THREE, NEED_QUORUM, NEED_ALL };

enum { LEVEL_ANY = 0, LEVEL_EACH_QUORUM = 7, LEVEL_SERIAL = 8, LEVEL_LOCAL_SERIAL = 9, LEVEL_COUNT = 11 };

/* By number; a serial read is a quorum's. */
static const struct {
    const char *name;
    enum need need;
} levels[LEVEL_COUNT] = {
    { "ANY", NEED_ONE },          { "ONE", NEED_ONE },          { "TWO", NEED_TWO },    { "THREE", NEED_THREE },
    { "QUORUM", NEED_QUORUM },    { "ALL", NEED_ALL },          { "LOCAL_QUORUM", NEED_QUORUM }, { "EACH_QUORUM", NEED_QUORUM },
    { "QUORUM", NEED_QUORUM },    { "QUORUM", NEED_QUORUM }, { "LOCAL_ONE", NEED_ONE },
};

/* Replicas of a keyspace: SimpleStrategy's factor, or NetworkTopologyStrategy's of the one datacenter; 1 for local keyspaces. */
static int replicas(const struct keyspace *k)
{
    int most = 0;
    for (uint32_t i = 0; k && i < k->replication.count; i++) {
        char digits[16] = "";
        struct slice value = k->replication.values[i];
        if (slice_eq_str(k->replication.keys[i], "class") || value.len >= sizeof digits)
            continue;
        memcpy(digits, value.data, value.len);
        int factor = atoi(digits);
        most = factor > most ? factor : most;
    }
    return most ? most : 1;
}

static int nodes_needed(enum need need, int factor)
{
    switch (need) {
    case NEED_ONE:
        return 1;
    case NEED_TWO:
        return 2;
    case NEED_THREE:
        return 3;
    case NEED_QUORUM:
        return factor / 2 + 1;
    case NEED_ALL:
        return factor;
    }
    return 1;
}

static enum wr_status unavailable(struct ctx *ctx, const char *level)
{
    return fail(ctx, WR_UNAVAILABLE, "Cannot achieve consistency level %s", level);
}

static enum wr_status check_conditional(struct ctx *ctx, const struct keyspace *keyspace, unsigned level, int factor)
{
    static const struct slice class_key = { (const uint8_t *)"class", 5 };
    struct slice class_name = SLICE_EMPTY;
    for (uint32_t i = 0; keyspace && i < keyspace->replication.count; i++)
        if (slice_eq(keyspace->replication.keys[i], class_key))
            class_name = keyspace->replication.values[i];
    if (level == LEVEL_SERIAL || level == LEVEL_LOCAL_SERIAL)
        return fail(ctx, WR_INVALID,
                    "%s is not supported as conditional update commit consistency. Use ANY if you mean \"make sure it is accepted but I "
                    "don't care how many replicas commit it for non-SERIAL reads\"",
                    level == LEVEL_SERIAL ? "SERIAL" : "LOCAL_SERIAL");
    if (level == LEVEL_EACH_QUORUM && slice_eq_str(class_name, "org.apache.cassandra.locator.SimpleStrategy"))
        return fail(ctx, WR_INVALID, "consistency level EACH_QUORUM not compatible with replication strategy (%.*s)", SLICE_ARG(class_name));
    return factor / 2 + 1 > 1 ? unavailable(ctx, "QUORUM") : WR_OK; /* Paxos needs a quorum whatever the commit's level is */
}

enum wr_status consistency_check(struct ctx *ctx, const struct schema *schema, const struct plan *plan, unsigned level)
{
    enum plan_access access = plan->ops->access;
    if (level >= LEVEL_COUNT || !plan->table || (access != PLAN_READ && access != PLAN_WRITE))
        return WR_OK;
    const struct keyspace *keyspace = schema_keyspace(schema, plan->table->keyspace);
    int factor = replicas(keyspace);
    bool serial = level == LEVEL_SERIAL || level == LEVEL_LOCAL_SERIAL, counter = table_is_counter(plan->table);
    if (plan->conditional)
        return check_conditional(ctx, keyspace, level, factor);
    if (level == LEVEL_ANY && access == PLAN_READ)
        return fail(ctx, WR_INVALID, "ANY ConsistencyLevel is only supported for writes");
    if (access == PLAN_WRITE && counter && level == LEVEL_ANY)
        return fail(ctx, WR_INVALID, "Consistency level ANY is not yet supported for counter table %.*s", SLICE_ARG(plan->table->name));
    if (access == PLAN_WRITE && counter && serial)
        return fail(ctx, WR_INVALID, "Counter operations are inherently non-serializable");
    if (access == PLAN_WRITE && serial)
        return fail(ctx, WR_INVALID, "You must use conditional updates for serializable writes");
    return nodes_needed(levels[level].need, factor) > 1 ? unavailable(ctx, levels[level].name) : WR_OK;
}
