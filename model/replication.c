#include "model/replication.h"

#include "model/javatext.h"
#include "model/options.h"
#include "model/system.h"

#define PACKAGE "org.apache.cassandra.locator"
#define RF      SLICE_LIT("replication_factor")

enum strategy { SIMPLE, NETWORK };

static enum wr_status strategy_class(struct ctx *ctx, const struct string_map *given, enum strategy *strategy,
                                     struct slice *full)
{
    struct slice name = string_map_get(given, SLICE_LIT("class"));
    if (given->count == 0) /* ReplicationParams.fromMap calls a method of the missing class's name */
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.NullPointerException: Cannot invoke \"String.contains(java.lang.CharSequence)\" because "
                    "\"cls\" is null");
    TRY(java_class_name(ctx, name, PACKAGE, full));
    if (slice_eq_str(*full, PACKAGE ".SimpleStrategy"))
        *strategy = SIMPLE;
    else if (slice_eq_str(*full, PACKAGE ".NetworkTopologyStrategy"))
        *strategy = NETWORK;
    else if (slice_eq_str(*full, PACKAGE ".LocalStrategy"))
        return fail(ctx, WR_INVALID, "Unable to use given strategy class: LocalStrategy is reserved for internal use.");
    else if (slice_eq_str(*full, PACKAGE ".OldNetworkTopologyStrategy"))
        return fail(ctx, WR_CONFIG,
                    "The support for the OldNetworkTopologyStrategy has been removed in C* version 4.0. "
                    "The keyspace strategy should be switch to NetworkTopologyStrategy");
    else if (slice_has_prefix(*full, SLICE_LIT("java.lang.")))
        return fail(ctx, WR_CONFIG,
                    "Specified replication strategy class (%.*s) is not derived from AbstractReplicationStrategy",
                    SLICE_ARG(*full));
    else
        return fail(ctx, WR_CONFIG, "Unable to find replication strategy class '%.*s'", SLICE_ARG(*full));
    return WR_OK;
}

/* `3`, or `3/0`: full replicas and transient ones, of which only none is enabled. */
static enum wr_status parse_factor(struct ctx *ctx, struct slice text, int32_t *out)
{
    const uint8_t *slash = text.len ? memchr(text.data, '/', text.len) : NULL;
    struct slice whole = slash ? slice_of(text.data, (size_t)(slash - text.data)) : text;
    struct slice bad = SLICE_NULL;
    int32_t transient = 0;
    if (slash) { /* String.split, which leaves out empty parts behind the last one */
        struct slice rest = slice_skip(text, whole.len + 1);
        while (rest.len && rest.data[rest.len - 1] == '/')
            rest.len--;
        if (!rest.len || memchr(rest.data, '/', rest.len))
            return fail(ctx, WR_CONFIG, "Replication factor format is <replicas> or <replicas>/<transient>");
        if (!java_int(rest, &transient))
            bad = rest;
    }
    if (!java_int(whole, out))
        bad = whole;
    if (bad.data)
        return fail(ctx, WR_CONFIG, "For input string: \"%.*s\"", SLICE_ARG(bad));
    if (transient)
        return fail(ctx, WR_CONFIG, "Transient replication is not enabled on this node");
    if (*out < 0)
        return fail(ctx, WR_CONFIG, "Replication factor must be non-negative, found %d", *out);
    return WR_OK;
}

/* AbstractReplicationStrategy.prepareReplicationStrategyOptions: what the options mean where they say little. */
static enum wr_status prepare(struct ctx *ctx, enum strategy strategy, const struct string_map *before,
                              struct string_map *options)
{
    struct slice factor = string_map_get(options, RF), datacenter = SLICE_LIT(SYSTEM_DATACENTER);
    int32_t replicas;
    if (strategy == SIMPLE) {
        if (!factor.data && before)
            factor = string_map_get(before, RF);
        return string_map_set(ctx, options, RF, factor.data ? factor : SLICE_LIT("1"), options);
    }
    if (!factor.data && options->count == 0) {
        if (before)
            factor = string_map_get(before, RF);
        if (!factor.data && before)
            factor = string_map_get(before, datacenter);
        if (!factor.data)
            factor = SLICE_LIT("1");
    } else if (factor.data && before) {
        struct slice kept = string_map_get(before, datacenter); /* an ALTER leaves what a datacenter has */
        if (kept.data && !string_map_get(options, datacenter).data)
            TRY(string_map_set(ctx, options, datacenter, kept, options));
    }
    TRY(string_map_without(ctx, options, RF, options));
    if (factor.data) { /* one that is none is passed over, with whatever comes behind it */
        enum wr_status st = parse_factor(ctx, factor, &replicas);
        if (st != WR_OK)
            return st == WR_CONFIG ? WR_OK : st;
    }
    if (factor.data && !string_map_get(options, datacenter).data) {
        char *text = ctx_format(ctx, "%d", replicas);
        if (!text)
            return WR_NOMEM;
        TRY(string_map_set(ctx, options, datacenter, slice_str(text), options));
    }
    return string_map_without_value(ctx, options, SLICE_LIT("0"), options);
}

/* What was written, in the order of a HashMap's copy; what prepare has added is right. */
static enum wr_status check(struct ctx *ctx, enum strategy strategy, const struct string_map *options,
                            const struct ast_pair *written, struct slice keyspace)
{
    struct slice expected = strategy == SIMPLE ? RF : SLICE_LIT(SYSTEM_DATACENTER);
    uint32_t count = 0, i = 0;
    int32_t replicas;
    if (strategy == NETWORK && options->count == 0)
        return fail(ctx, WR_CONFIG, "Configuration for at least one datacenter must be present");
    for (const struct ast_pair *p = written; p; p = p->next)
        count++;
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    if (!names)
        return WR_NOMEM;
    for (const struct ast_pair *p = written; p; p = p->next)
        names[i++] = p->key;
    TRY(java_set_sort(ctx, names, count, count));
    for (i = 0; i < count; i++) {
        struct slice value = string_map_get(options, names[i]);
        if (value.data && strategy == NETWORK && java_equals_fold(names[i], "replication_factor"))
            return fail(ctx, WR_CONFIG, "replication_factor should not appear as an option at construction time for NetworkTopologyStrategy");
        if (value.data && (strategy == NETWORK || slice_eq(names[i], expected)))
            TRY(parse_factor(ctx, value, &replicas));
    }
    for (i = 0; i < count; i++)
        if (string_map_get(options, names[i]).data && !slice_eq(names[i], expected))
            return fail(ctx, WR_CONFIG, "Unrecognized strategy option {%.*s} passed to %s for keyspace %.*s", SLICE_ARG(names[i]),
                        strategy == SIMPLE ? "SimpleStrategy" : "NetworkTopologyStrategy", SLICE_ARG(keyspace));
    return WR_OK;
}

/* One node holds at most one replica of anything. */
static int32_t factor_of(const struct string_map *replication)
{
    struct slice text = string_map_get(replication, RF);
    int32_t replicas = 0;
    if (!text.data)
        text = string_map_get(replication, SLICE_LIT(SYSTEM_DATACENTER));
    if (text.data && text.len && memchr(text.data, '/', text.len))
        text.len = (size_t)((const uint8_t *)memchr(text.data, '/', text.len) - text.data);
    return text.data && java_int(text, &replicas) ? replicas : 0;
}

static void warn(struct ctx *ctx, struct slice keyspace, const struct keyspace_params *before,
                 const struct keyspace_params *after)
{
    int32_t replicas = factor_of(&after->replication);
    bool network = !string_map_get(&after->replication, RF).data;
    if (replicas > 1 && system_kind_of(keyspace) == SYSTEM_NOT)
        ctx_warn(ctx, "Your replication factor %d for keyspace %.*s is higher than the number of nodes 1%s", replicas,
                 SLICE_ARG(keyspace), network ? " for datacenter " SYSTEM_DATACENTER : "");
    if (before && factor_of(&before->replication) < replicas)
        ctx_warn(ctx,
                 "When increasing replication factor you need to run a full (-full) repair to distribute the data.");
}

static bool is_keyspace_option(struct slice name)
{
    return slice_eq_str(name, "replication") || slice_eq_str(name, "durable_writes");
}

enum wr_status keyspace_params_check(struct ctx *ctx, const struct ast_property *properties)
{
    const struct ast_property *replication = property_find(properties, "replication");
    struct string_map given = { 0 };

    TRY(properties_known(ctx, properties, is_keyspace_option));
    if (replication)
        TRY(property_map(ctx, replication, &given));
    if (given.count && !string_map_get(&given, SLICE_LIT("class")).data)
        return fail(ctx, WR_CONFIG, "Missing replication strategy class");
    return WR_OK;
}

enum wr_status keyspace_params_apply(struct ctx *ctx, const struct ast_property *properties, struct slice keyspace,
                                     const struct keyspace_params *before, struct keyspace_params *out)
{
    const struct ast_property *durable = property_find(properties, "durable_writes");
    const struct ast_property *replication = property_find(properties, "replication");
    struct keyspace_params params = { .durable_writes = true };
    struct string_map given, options;
    struct slice class_name;
    enum strategy strategy = SIMPLE;

    if (before)
        params = *before;
    if (replication)
        TRY(property_map(ctx, replication, &given));
    if (replication && !given.count && before) /* KeyspaceAttributes.asAlteredKeyspaceParams: as if there were no such option */
        replication = NULL;
    if (!replication && !before)
        return fail(ctx, WR_INVALID, "Missing mandatory option 'replication'");
    if (durable)
        TRY(property_bool(ctx, durable, &params.durable_writes));
    if (replication) {
        TRY(strategy_class(ctx, &given, &strategy, &class_name));
        TRY(string_map_without(ctx, &given, SLICE_LIT("class"), &options));
        TRY(prepare(ctx, strategy, before ? &before->replication : NULL, &options));
        TRY(check(ctx, strategy, &options, replication->pairs, keyspace));
        TRY(string_map_set(ctx, &options, SLICE_LIT("class"), class_name, &params.replication));
    }
    warn(ctx, keyspace, before, &params);
    *out = params;
    return WR_OK;
}
