#include "model/consistency.h"

#include <stdlib.h>

#include "model/database.h"
#include "model/failure.h"
#include "model/modify.h"
#include "model/system.h"

enum need { NEED_ONE, NEED_TWO, NEED_THREE, NEED_QUORUM, NEED_ALL, NEED_UNKNOWN };

/* By the native protocol's number. */
static const struct {
    const char *name;
    enum need need;
} levels[] = {
    [WR_CL_ANY] = { "ANY", NEED_ONE },
    [WR_CL_ONE] = { "ONE", NEED_ONE },
    [WR_CL_TWO] = { "TWO", NEED_TWO },
    [WR_CL_THREE] = { "THREE", NEED_THREE },
    [WR_CL_QUORUM] = { "QUORUM", NEED_QUORUM },
    [WR_CL_ALL] = { "ALL", NEED_ALL },
    [WR_CL_LOCAL_QUORUM] = { "LOCAL_QUORUM", NEED_QUORUM },
    [WR_CL_EACH_QUORUM] = { "EACH_QUORUM", NEED_QUORUM },
    [WR_CL_SERIAL] = { "SERIAL", NEED_QUORUM },
    [WR_CL_LOCAL_SERIAL] = { "LOCAL_SERIAL", NEED_QUORUM },
    [WR_CL_LOCAL_ONE] = { "LOCAL_ONE", NEED_ONE },
    [WR_CL_NODE_LOCAL] = { "NODE_LOCAL", NEED_UNKNOWN },
};

static bool is_serial(unsigned level)
{
    return level == WR_CL_SERIAL || level == WR_CL_LOCAL_SERIAL;
}

/* ---- replicas ---- */

static struct slice strategy(const struct keyspace *k)
{
    for (uint32_t i = 0; k && i < k->replication.count; i++)
        if (slice_eq_str(k->replication.keys[i], "class"))
            return k->replication.values[i];
    return SLICE_EMPTY;
}

static bool is_simple(const struct keyspace *k)
{
    return slice_eq_str(strategy(k), "org.apache.cassandra.locator.SimpleStrategy");
}

static bool is_local(const struct keyspace *k)
{
    return !k || slice_eq_str(strategy(k), "org.apache.cassandra.locator.LocalStrategy");
}

/* SimpleStrategy's factor, which may be none at all, or NetworkTopologyStrategy's of the one datacenter; 1 for local keyspaces. */
static uint32_t replicas(const struct keyspace *k)
{
    uint32_t most = is_local(k);
    for (uint32_t i = 0; k && i < k->replication.count; i++) {
        char digits[16] = "";
        struct slice value = k->replication.values[i];
        if (slice_eq_str(k->replication.keys[i], "class") || value.len >= sizeof digits)
            continue;
        memcpy(digits, value.data, value.len);
        uint32_t factor = (uint32_t)strtoul(digits, NULL, 10);
        most = factor > most ? factor : most;
    }
    return most;
}

static uint32_t nodes_needed(enum need need, uint32_t factor)
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
    case NEED_UNKNOWN:
        break;
    }
    return 1;
}

static enum wr_status check_alive(struct exec *exec, const struct table *table, unsigned level)
{
    const struct keyspace *keyspace = schema_keyspace(exec->schema, table->keyspace);
    uint32_t factor = replicas(keyspace), required = nodes_needed(levels[level].need, factor);
    uint32_t nodes = atomic_load(&exec->db->nodes), alive = nodes < factor ? nodes : factor;

    if (table->flags & TABLE_VIRTUAL)
        return WR_OK;
    if (levels[level].need == NEED_UNKNOWN) /* ConsistencyLevel.blockFor */
        return fail(exec->ctx, WR_SERVER_ERROR, "java.lang.UnsupportedOperationException: Invalid consistency level: %s", levels[level].name);
    if (!required) {
        fail(exec->ctx, WR_UNAVAILABLE, "Insufficient full replicas");
        return failure_attach(exec->ctx, (struct wr_failure){ .consistency = (int)level });
    }
    if (required <= alive)
        return WR_OK;
    bool by_datacenter = level == WR_CL_EACH_QUORUM && !is_simple(keyspace);
    if (by_datacenter)
        alive = 0; /* what the server says: it hands its exception the datacenter's numbers in the wrong order */
    fail(exec->ctx, WR_UNAVAILABLE, "Cannot achieve consistency level %s%s", levels[level].name,
         by_datacenter ? " in DC " SYSTEM_DATACENTER : "");
    return failure_attach(exec->ctx,
                          (struct wr_failure){ .consistency = (int)level, .required = required, .alive = alive });
}

/* The level of which Paxos is refused: it asks the replicas that there are and is content with half of them and one more, so where there
 * are some it is the read that follows. */
static unsigned refused_serial(const struct exec *exec, const struct table *table, unsigned serial)
{
    if (!replicas(schema_keyspace(exec->schema, table->keyspace)))
        return serial;
    return serial == WR_CL_SERIAL ? WR_CL_QUORUM : WR_CL_LOCAL_QUORUM;
}

/* ---- the checks ---- */

enum wr_status consistency_check(struct exec *exec, const struct plan *plan)
{
    const struct modify *modify = modify_of(plan);
    unsigned level = exec->levels.level;
    struct ctx *ctx = exec->ctx;

    if (!exec->levels.asked)
        return WR_OK;
    if (plan->ast && level == WR_CL_NODE_LOCAL) /* QueryProcessor.processStatement, by which a wr_batch does not come */
        return fail(ctx, WR_INVALID, "NODE_LOCAL consistency level is highly dangerous and should be used only for debugging purposes");
    if (plan->ast && plan->ast->kind == AST_SELECT && level == WR_CL_ANY) /* LIST takes any level */
        return fail(ctx, WR_INVALID, "ANY ConsistencyLevel is only supported for writes");
    if (!modify || plan->conditional || modify_is_virtual(modify))
        return WR_OK;
    if (plan->counter && level == WR_CL_ANY)
        return fail(ctx, WR_INVALID, "Consistency level ANY is not yet supported for counter table %.*s",
                    SLICE_ARG(plan->table->name));
    if (plan->counter && is_serial(level))
        return fail(ctx, WR_INVALID, "Counter operations are inherently non-serializable");
    if (is_serial(level))
        return fail(ctx, WR_INVALID, "You must use conditional updates for serializable writes");
    return WR_OK;
}

size_t consistency_name_size(const struct exec *exec)
{
    return sizeof(uint16_t) + strlen(levels[exec->levels.asked ? exec->levels.level : WR_CL_LOCAL_ONE].name);
}

enum wr_status consistency_check_read(struct exec *exec, const struct table *table, uint32_t keys_at_once)
{
    unsigned level = exec->levels.level;
    if (!exec->levels.asked)
        return WR_OK;
    if (keys_at_once > 1 && is_serial(level) && !(table->flags & TABLE_VIRTUAL))
        return fail(exec->ctx, WR_INVALID, "SERIAL/LOCAL_SERIAL consistency may only be requested for one partition at a time");
    if (keys_at_once && is_serial(level)) /* StorageProxy.readWithPaxos */
        level = refused_serial(exec, table, level);
    return check_alive(exec, table, level);
}

enum wr_status consistency_lower_nearest(struct exec *exec)
{
    unsigned level = exec->levels.level, lower = level == WR_CL_LOCAL_QUORUM ? WR_CL_LOCAL_ONE : WR_CL_ONE;
    if (!exec->levels.asked)
        return WR_OK;
    if (is_serial(level))
        return fail(exec->ctx, WR_INVALID, "Top-K queries can only be run with consistency level ONE/LOCAL_ONE. Consistency level %s was used.",
                    levels[level].name);
    if (levels[level].need == NEED_ONE)
        return WR_OK;
    ctx_warn(exec->ctx,
             "Top-K queries can only be run with consistency level ONE / LOCAL_ONE / NODE_LOCAL. Consistency level %s was requested. "
             "Downgrading the consistency level to %s.",
             levels[level].name, levels[lower].name);
    exec->levels.level = (uint8_t)lower;
    return WR_OK;
}

enum wr_status consistency_check_required_read(struct exec *exec, const struct table *table, uint32_t key_count)
{
    if (exec->levels.asked && exec->levels.level == WR_CL_ANY)
        return fail(exec->ctx, WR_INVALID, "Write operation require a read but consistency ANY is not supported on reads");
    if (!key_count) /* SinglePartitionReadQuery.Group asks the first of its queries for the table */
        return fail(exec->ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException: Index 0 out of bounds for length 0");
    return consistency_check_read(exec, table, 1);
}

enum wr_status consistency_check_write(struct exec *exec, const struct table *table)
{
    bool hinted = exec->levels.level == WR_CL_ANY && !(table->flags & TABLE_COUNTER); /* any node will do, be it no replica */
    return exec->levels.asked && !hinted ? check_alive(exec, table, exec->levels.level) : WR_OK;
}

enum wr_status consistency_check_conditional(struct exec *exec, const struct table *table)
{
    unsigned level = exec->levels.level, serial = exec->levels.serial;

    if (!is_serial(serial))
        return fail(exec->ctx, WR_INVALID,
                    "Invalid consistency for conditional update. Must be one of SERIAL or LOCAL_SERIAL");
    if (!exec->levels.asked)
        return WR_OK;
    if (is_serial(level))
        return fail(exec->ctx, WR_INVALID,
                    "%s is not supported as conditional update commit consistency. Use ANY if you mean \"make sure it "
                    "is accepted but I "
                    "don't care how many replicas commit it for non-SERIAL reads\"",
                    levels[level].name);
    const struct keyspace *keyspace = schema_keyspace(exec->schema, table->keyspace);
    if (level == WR_CL_EACH_QUORUM && is_simple(keyspace))
        return fail(exec->ctx, WR_INVALID,
                    "consistency level EACH_QUORUM not compatible with replication strategy (%.*s)",
                    SLICE_ARG(strategy(keyspace)));
    return check_alive(exec, table, refused_serial(exec, table, serial));
}
