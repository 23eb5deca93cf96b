/*
 * What is in the tables whose rows are made: one function a table.
 */
#include <stdio.h>
#include <sys/utsname.h>

#include "model/analyzer.h"
#include "model/database.h"
#include "model/index_forms.h"
#include "model/string_map.h"
#include "model/system.h"
#include "model/virtual.h"

struct setting {
    const char *name, *value; /* value NULL: null */
};

#include "model/virtual_settings.inc"

/* ---- system_virtual_schema ---- */

static void fill_keyspaces(struct virtual_maker *m)
{
    for (uint32_t i = 0; i < schema_keyspace_count(m->exec->schema); i++) {
        const struct keyspace *k = schema_keyspace_at(m->exec->schema, i);
        if (system_kind_of(k->name) != SYSTEM_VIRTUAL)
            continue;
        virtual_row(m);
        virtual_put(m, "keyspace_name", k->name);
    }
}

/* Calls put for each table whose keyspace is of the kind, or (virtual false) is not. */
static void each_table(struct virtual_maker *m, bool is_virtual,
                       void (*put)(struct virtual_maker *m, const struct table *t))
{
    for (uint32_t i = 0; i < schema_keyspace_count(m->exec->schema); i++) {
        const struct keyspace *k = schema_keyspace_at(m->exec->schema, i);
        for (uint32_t t = 0; t < k->table_count; t++)
            if ((system_kind_of(k->name) == SYSTEM_VIRTUAL) == is_virtual)
                put(m, k->tables[t]);
    }
}

/* A row of a table that tells of tables. */
static void table_row(struct virtual_maker *m, const struct table *t)
{
    virtual_row(m);
    virtual_put(m, "keyspace_name", t->keyspace);
    virtual_put(m, "table_name", t->name);
}

static void put_table(struct virtual_maker *m, const struct table *t)
{
    table_row(m, t);
    virtual_put(m, "comment", t->options.comment);
}

static void fill_tables(struct virtual_maker *m)
{
    each_table(m, true, put_table);
}

static void put_columns(struct virtual_maker *m, const struct table *t)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        const struct column *c = &t->columns[i];
        table_row(m, t);
        virtual_put(m, "column_name", c->name);
        virtual_put_text(m, "clustering_order", system_column_order(c));
        virtual_put(m, "column_name_bytes", c->name);
        virtual_put_text(m, "kind", system_column_kind(c->kind));
        virtual_put_int(m, "position", column_is_primary_key(c) ? (int32_t)c->position : -1);
        virtual_put_text(m, "type", type_name(m->exec->ctx, c->type));
    }
}

static void fill_columns(struct virtual_maker *m)
{
    each_table(m, true, put_columns);
}

/* ---- system_views: who and what is served ---- */

static void put_setting(struct virtual_maker *m, const char *name, const char *value)
{
    virtual_row(m);
    virtual_put_text(m, "name", name);
    virtual_put_text(m, "value", value);
}

/* Of a server that asks who one is. */
static const struct setting asking_settings[] = {
    { "authenticator.class_name", "PasswordAuthenticator" },
    { "authorizer.class_name", "CassandraAuthorizer" },
    { "cidr_authorizer.class_name", "CassandraCIDRAuthorizer" },
    { "credentials_validity", "0ms" },
    { "credentials_validity_in_ms", "0" },
    { "network_authorizer.class_name", "CassandraNetworkAuthorizer" },
    { "network_authorizer.parameters", "{}" },
    { "permissions_validity", "0ms" },
    { "permissions_validity_in_ms", "0" },
    { "role_manager.class_name", "CassandraRoleManager" },
    { "role_manager.parameters", "{}" },
    { "roles_validity", "0ms" },
    { "roles_validity_in_ms", "0" },
};

static const struct setting *own_setting(const struct setting *own, size_t count, const struct setting *setting)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(own[i].name, setting->name) == 0)
            return &own[i];
    return setting;
}

/* Those of a server as it is installed, with what is this database's own in their place. */
static void fill_settings(struct virtual_maker *m)
{
    char address[ADDRESS_TEXT_MAX], port[8];
    bool asked = !slice_is_null(m->exec->who.role); /* who has a role was asked for it */
    const struct setting own[] = {
        { "cluster_name", SYSTEM_CLUSTER },
        { "listen_address", address },
        { "native_transport_port", port },
        { "rpc_address", address },
    };
    snprintf(port, sizeof port, "%u", clients_address(&m->exec->db->clients, address));
    for (size_t i = 0; i < sizeof recorded_settings / sizeof recorded_settings[0]; i++) {
        const struct setting *s = own_setting(own, sizeof own / sizeof own[0], &recorded_settings[i]);
        if (asked)
            s = own_setting(asking_settings, sizeof asking_settings / sizeof asking_settings[0], s);
        put_setting(m, s->name, s->value);
    }
}

/* Those a server shows that are not of its virtual machine. */
static void fill_properties(struct virtual_maker *m)
{
    struct utsname host;
    if (uname(&host) != 0)
        host = (struct utsname){ .sysname = "Linux" };
    put_setting(m, "line.separator", "\n");
    put_setting(m, "os.arch", strcmp(host.machine, "x86_64") == 0 ? "amd64" : host.machine); /* Java's word for it */
    put_setting(m, "os.name", host.sysname);
    put_setting(m, "sun.arch.data.model", sizeof(void *) == 8 ? "64" : "32");
}

static void put_options(struct virtual_maker *m, const struct wr_client *client)
{
    struct ctx *ctx = m->exec->ctx;
    const struct type *map = table_column(m->table, SLICE_LIT("client_options"))->type;
    struct slice *pairs = NEW_ARRAY(ctx, struct slice, 2 * (size_t)client->option_count), value = SLICE_NULL;
    if (!pairs)
        m->status = WR_NOMEM;
    for (uint32_t i = 0; m->status == WR_OK && i < 2 * client->option_count; i++)
        m->status = ctx_copy(ctx, slice_str(client->options[i]), &pairs[i]);
    if (m->status == WR_OK)
        m->status = type_pack(ctx, map, pairs, type_sort_unique(map, pairs, client->option_count), &value);
    virtual_put(m, "client_options", value);
}

static void put_client(void *arg, const struct wr_client *client)
{
    struct virtual_maker *m = arg;
    virtual_row(m);
    virtual_put_text(m, "address", client->address);
    virtual_put_int(m, "port", client->port);
    put_options(m, client);
    virtual_put_text(m, "connection_stage", client->connection_stage);
    virtual_put_text(m, "driver_name", client->driver_name);
    virtual_put_text(m, "driver_version", client->driver_version);
    virtual_put_text(m, "hostname", client->hostname);
    virtual_put_text(m, "keyspace_name", client->keyspace);
    virtual_put_int(m, "protocol_version", client->protocol_version);
    virtual_put_int(m, "request_count", client->request_count);
    virtual_put_text(m, "ssl_cipher_suite", client->ssl_cipher_suite);
    virtual_put_int(m, "ssl_enabled", client->ssl_enabled);
    virtual_put_text(m, "ssl_protocol", client->ssl_protocol);
    virtual_put_text(m, "username", client->username);
}

static void fill_clients(struct virtual_maker *m)
{
    clients_each(&m->exec->db->clients, put_client, m);
}

/* ---- system_views: tables and indexes ---- */

/* IndexTermType.isLiteral of what the index has as terms. */
static bool is_literal(const struct index *x)
{
    return x->target == INDEX_ENTRIES || type_sai_terms(index_value_type(x)) == SAI_TRIE;
}

/* AbstractAnalyzer.fromOptions: one of its options is enough, also where it asks for nothing. */
static bool has_analyzer(const struct index *x)
{
    static const char *const options[] = { "case_sensitive", "normalize", "ascii" };
    bool has = false;
    for (size_t i = 0; i < sizeof options / sizeof *options && !has; i++)
        has = !slice_is_null(string_map_get(&x->options, slice_str(options[i])));
    return has;
}

static void put_analyzer(struct virtual_maker *m, const struct index *x)
{
    static const char *const words[] = { "false", "true" };
    struct analyzer a = analyzer_of(x);
    const char *text = "NoOpAnalyzer";

    if (has_analyzer(x))
        text = ctx_format(m->exec->ctx, "NonTokenizingAnalyzer{caseSensitive=%s, normalized=%s, ascii=%s}", words[!a.lower], words[a.nfc], words[a.ascii]);
    if (!text)
        m->status = fail_nomem(m->exec->ctx);
    virtual_put_text(m, "analyzer", text);
}

static void put_sai_indexes(struct virtual_maker *m, const struct table *t)
{
    for (uint32_t i = 0; i < t->index_count; i++) {
        const struct index *x = &t->indexes[i];
        if (x->index_class != INDEX_SAI)
            continue;
        virtual_row(m);
        virtual_put(m, "keyspace_name", t->keyspace);
        virtual_put(m, "index_name", x->name);
        put_analyzer(m, x);
        virtual_put(m, "column_name", x->column->name);
        virtual_put_int(m, "is_building", false);
        virtual_put_int(m, "is_queryable", true);
        virtual_put_int(m, "is_string", is_literal(x));
        virtual_put(m, "table_name", t->name);
    }
}

static void fill_sai_indexes(struct virtual_maker *m)
{
    each_table(m, false, put_sai_indexes);
}

static int64_t mebibytes(uint64_t bytes) /* TableMetricTables: what is there at all is one */
{
    return (int64_t)((bytes + (1 << 20) - 1) >> 20);
}

static void put_figures(struct virtual_maker *m, const struct table *t, bool widest)
{
    struct table_figures figures = { 0 };
    const struct reach reach = reach_all(&t->shape);
    table_row(m, t);
    if (virtual_is_wanted(m))
        m->status = database_catch_up(m->exec->ctx, m->exec->db, &reach, &m->exec->txn);
    if (virtual_is_wanted(m) && m->status == WR_OK) /* a walk over the whole table */
        m->status = engine_table_figures(m->exec->ctx, m->exec->txn, &t->shape, &figures);
    virtual_put_int(m, "mebibytes", mebibytes(widest ? figures.widest_bytes : figures.bytes));
}

static void put_disk_usage(struct virtual_maker *m, const struct table *t)
{
    put_figures(m, t, false);
}

static void put_max_partition(struct virtual_maker *m, const struct table *t)
{
    put_figures(m, t, true);
}

static void fill_disk_usage(struct virtual_maker *m)
{
    each_table(m, false, put_disk_usage);
}

static void fill_max_partition(struct virtual_maker *m)
{
    each_table(m, false, put_max_partition);
}

/* ---- system: about how much there is ---- */

/* SizeEstimatesRecorder: the two ranges of one token, as ends that are texts, and as tokens from the first to the last. */
#define TOKEN_MIN_TEXT "-9223372036854775808"
static const struct {
    const char *start, *end;
    int64_t from, to;
} ranges[] = {
    { TOKEN_MIN_TEXT, SYSTEM_TOKEN, INT64_MIN, 0 },
    { SYSTEM_TOKEN, TOKEN_MIN_TEXT, 1, INT64_MAX },
};

static void put_range(struct virtual_maker *m, const struct table *t, size_t range, const char *type, const struct table_estimate *estimate)
{
    table_row(m, t);
    if (type)
        virtual_put_text(m, "range_type", type);
    virtual_put_text(m, "range_start", ranges[range].start);
    virtual_put_text(m, "range_end", ranges[range].end);
    virtual_put_int(m, "mean_partition_size", (int64_t)estimate->partition_bytes);
    virtual_put_int(m, "partitions_count", (int64_t)estimate->partitions);
}

static enum wr_status estimate_range(struct exec *exec, const struct table_shape *table, size_t range, struct table_estimate *out)
{
    const struct reach reach = { .table = table, .from = ranges[range].from, .to = ranges[range].to };
    TRY(database_catch_up(exec->ctx, exec->db, &reach, &exec->txn));
    return engine_estimate(exec->ctx, exec->txn, table, reach.from, reach.to, out);
}

/* Calls put for each table that is spread over a cluster's nodes and each of its ranges. */
static void each_range(struct virtual_maker *m, void (*put)(struct virtual_maker *m, const struct table *t, size_t range,
                                                            const struct table_estimate *estimate))
{
    for (uint32_t i = 0; i < schema_keyspace_count(m->exec->schema); i++) {
        const struct keyspace *k = schema_keyspace_at(m->exec->schema, i);
        enum system_kind kind = system_kind_of(k->name);
        if ((kind != SYSTEM_NOT && kind != SYSTEM_REPLICATED) || !virtual_wants(m, &k->name))
            continue;
        for (uint32_t t = 0; t < k->table_count && m->status == WR_OK; t++)
            for (size_t r = 0; r < sizeof ranges / sizeof ranges[0] && m->status == WR_OK; r++) {
                struct table_estimate estimate = { 0 };
                m->status = estimate_range(m->exec, &k->tables[t]->shape, r, &estimate);
                put(m, k->tables[t], r, &estimate);
            }
    }
}

static void put_size_estimates(struct virtual_maker *m, const struct table *t, size_t range, const struct table_estimate *estimate)
{
    put_range(m, t, range, NULL, estimate);
}

static void fill_size_estimates(struct virtual_maker *m)
{
    each_range(m, put_size_estimates);
}

static void put_table_estimates(struct virtual_maker *m, const struct table *t, size_t range, const struct table_estimate *estimate)
{
    put_range(m, t, range, "primary", estimate);
    put_range(m, t, range, "local_primary", estimate); /* of the nodes of this data centre: the same */
}

static void fill_table_estimates(struct virtual_maker *m)
{
    each_range(m, put_table_estimates);
}

/* ---- the table of them ---- */

static const struct {
    const char *keyspace, *table;
    void (*fill)(struct virtual_maker *m);
} fillers[] = {
    { "system_virtual_schema", "keyspaces", fill_keyspaces },
    { "system_virtual_schema", "tables", fill_tables },
    { "system_virtual_schema", "columns", fill_columns },
    { "system_views", "settings", fill_settings },
    { "system_views", "system_properties", fill_properties },
    { "system_views", "clients", fill_clients },
    { "system_views", "sai_column_indexes", fill_sai_indexes },
    { "system_views", "disk_usage", fill_disk_usage },
    { "system_views", "max_partition_size", fill_max_partition },
    { "system", "size_estimates", fill_size_estimates },
    { "system", "table_estimates", fill_table_estimates },
};

void virtual_fill(struct virtual_maker *m)
{
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
        if (slice_eq_str(m->table->keyspace, fillers[i].keyspace) && slice_eq_str(m->table->name, fillers[i].table))
            fillers[i].fill(m);
}
