/*
 * What the rows of system_schema and system.local say. The tables themselves and how a row is put: system.c.
 */
#include "engine/coding.h"
#include "model/describe.h"
#include "model/options.h"
#include "model/signature.h"
#include "model/system.h"

#define SCHEMA "system_schema"
#define BUILT "IndexInfo" /* of keyspaces and indexes that have been built: at once, here */
enum { VALUES_MAX = 32 };

/* Values of one row, put one by one; remembers the first failure. */
struct values {
    struct ctx *ctx;
    enum wr_status status;
    uint32_t count;
    struct system_value list[VALUES_MAX];
};

static void add(struct values *v, const char *column, struct slice value)
{
    if (v->status == WR_OK)
        v->list[v->count++] = (struct system_value){ column, value };
}

static uint8_t *room(struct values *v, size_t n)
{
    uint8_t *bytes = v->status == WR_OK ? ctx_alloc(v->ctx, n) : NULL;
    if (!bytes && v->status == WR_OK)
        v->status = WR_NOMEM;
    return bytes;
}

static void add_text(struct values *v, const char *column, const char *text)
{
    add(v, column, slice_str(text));
}

static void add_bool(struct values *v, const char *column, bool value)
{
    add(v, column, value ? SLICE_LIT("\1") : SLICE_LIT("\0"));
}

static void add_int(struct values *v, const char *column, int32_t value)
{
    uint8_t *bytes = room(v, 4);
    if (bytes)
        put_u32(bytes, (uint32_t)value);
    add(v, column, slice_of(bytes, 4));
}

static void add_u64(struct values *v, const char *column, uint64_t value)
{
    uint8_t *bytes = room(v, 8);
    if (bytes)
        put_u64(bytes, value);
    add(v, column, slice_of(bytes, 8));
}

static void add_double(struct values *v, const char *column, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_u64(v, column, bits);
}

static void add_uuid(struct values *v, const char *column, const uint8_t uuid[16])
{
    uint8_t *bytes = room(v, 16);
    if (bytes)
        memcpy(bytes, uuid, 16);
    add(v, column, slice_of(bytes, 16));
}

/* list<text>, set<text> (in order) and map<text, text>: n values, a map's keys and values in turn. */
static void add_collection(struct values *v, const char *column, const struct slice *items, uint32_t n, uint32_t count)
{
    struct buf buf;
    struct slice bytes = SLICE_NULL;
    buf_init(&buf, v->ctx->arena);
    buf_put_u32(&buf, count);
    for (uint32_t i = 0; i < n; i++)
        buf_put_bytes32(&buf, items[i]);
    if (v->status == WR_OK)
        v->status = buf_done(v->ctx, &buf, &bytes);
    add(v, column, bytes);
}

static void add_map(struct values *v, const char *column, const struct string_map *map)
{
    struct slice *items = (struct slice *)(void *)room(v, 2 * map->count * sizeof *items);
    for (uint32_t i = 0; items && i < map->count; i++) {
        items[2 * i] = map->keys[i];
        items[2 * i + 1] = map->values[i];
    }
    add_collection(v, column, items, items ? 2 * map->count : 0, map->count);
}

static void add_type(struct values *v, const char *column, const struct type *type)
{
    struct buf buf;
    struct slice text = SLICE_NULL;
    buf_init(&buf, v->ctx->arena);
    type_print_name(&buf, type);
    if (v->status == WR_OK)
        v->status = buf_done(v->ctx, &buf, &text);
    add(v, column, text);
}

static enum wr_status put(struct system_rows *rows, struct values *v, const char *table, const struct slice *keys,
                          uint32_t n)
{
    TRY(v->status);
    return system_rows_put(rows, SCHEMA, table, keys, n, v->list, v->count);
}

/* ---- keyspaces and types ---- */

enum wr_status system_put_keyspace(struct system_rows *rows, const struct keyspace *keyspace)
{
    struct values v = { .ctx = rows->ctx };
    add_bool(&v, "durable_writes", keyspace->durable_writes);
    add_map(&v, "replication", &keyspace->replication);
    return put(rows, &v, "keyspaces", &keyspace->name, 1);
}

enum wr_status system_drop_keyspace(struct system_rows *rows, struct slice keyspace)
{
    static const char *const tables[] = { "keyspaces",  "tables",   "columns",     "dropped_columns",
                                          "indexes",    "types",    "views",       "functions",
                                          "aggregates", "triggers", "column_masks" };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        TRY(system_rows_delete(rows, SCHEMA, tables[i], &keyspace, 1));
    return WR_OK;
}

enum wr_status system_put_type(struct system_rows *rows, const struct type *type)
{
    struct values v = { .ctx = rows->ctx };
    struct slice keys[] = { type->keyspace, type->name };
    struct slice *names = NEW_ARRAY(rows->ctx, struct slice, type->arg_count);
    if (!names)
        return WR_NOMEM;
    for (uint32_t i = 0; i < type->arg_count; i++) {
        struct buf buf;
        buf_init(&buf, rows->ctx->arena);
        type_print_name(&buf, type->args[i]);
        TRY(buf_done(rows->ctx, &buf, &names[i]));
    }
    add_collection(&v, "field_names", type->field_names, type->arg_count, type->arg_count);
    add_collection(&v, "field_types", names, type->arg_count, type->arg_count);
    return put(rows, &v, "types", keys, 2);
}

enum wr_status system_drop_type(struct system_rows *rows, const struct type *type)
{
    struct slice keys[] = { type->keyspace, type->name };
    return system_rows_delete(rows, SCHEMA, "types", keys, 2);
}

/* ---- functions and aggregates ---- */

/* The clustering of both: name and argument types, which are one frozen list. */
static enum wr_status callable_keys(struct ctx *ctx, struct slice keyspace, struct slice name, const struct slice *args,
                                    uint32_t arg_count, struct slice keys[3])
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u32(&buf, arg_count);
    for (uint32_t i = 0; i < arg_count; i++)
        buf_put_bytes32(&buf, args[i]);
    keys[0] = keyspace;
    keys[1] = name;
    return buf_done(ctx, &buf, &keys[2]);
}

enum wr_status system_function_row(struct ctx *ctx, struct slice keyspace, const struct function *function,
                                   struct system_function *out)
{
    struct slice *args, *result;
    TRY(type_texts(ctx, function->args, function->arg_count, &args));
    TRY(type_texts(ctx, &function->result, 1, &result));
    *out = (struct system_function){ .keyspace = keyspace,
                                     .name = function->name,
                                     .result = *result,
                                     .args = args,
                                     .arg_names = function->arg_names,
                                     .arg_count = function->arg_count,
                                     .called_on_null = function->called_on_null,
                                     .language = function->language,
                                     .body = function->body,
                                     .from_schema = function };
    return WR_OK;
}

enum wr_status system_put_function(struct system_rows *rows, const struct system_function *f)
{
    struct values v = { .ctx = rows->ctx };
    struct slice keys[3];
    TRY(callable_keys(rows->ctx, f->keyspace, f->name, f->args, f->arg_count, keys));
    add_collection(&v, "argument_names", f->arg_names, f->arg_count, f->arg_count);
    add(&v, "body", f->body);
    add_bool(&v, "called_on_null_input", f->called_on_null);
    add(&v, "language", f->language);
    add(&v, "return_type", f->result);
    return put(rows, &v, "functions", keys, 3);
}

enum wr_status system_drop_function(struct system_rows *rows, const struct system_function *f)
{
    struct slice keys[3];
    TRY(callable_keys(rows->ctx, f->keyspace, f->name, f->args, f->arg_count, keys));
    return system_rows_delete(rows, SCHEMA, "functions", keys, 3);
}

enum wr_status system_drop_functions(struct system_rows *rows, struct slice keyspace)
{
    return system_rows_delete(rows, SCHEMA, "functions", &keyspace, 1);
}

enum wr_status system_put_aggregate(struct system_rows *rows, struct slice keyspace, const struct aggregate *a)
{
    struct values v = { .ctx = rows->ctx };
    struct slice keys[3], *types, initial = SLICE_NULL;
    TRY(type_texts(rows->ctx, a->args, a->arg_count, &types));
    TRY(callable_keys(rows->ctx, keyspace, a->name, types, a->arg_count, keys));
    if (!slice_is_null(a->initial)) {
        struct buf buf;
        buf_init(&buf, rows->ctx->arena);
        type_print_literal(&buf, a->state, a->initial);
        TRY(buf_done(rows->ctx, &buf, &initial));
    }
    add(&v, "final_func", a->final_function);
    add(&v, "initcond", initial);
    add_type(&v, "return_type", a->result);
    add(&v, "state_func", a->state_function);
    add_type(&v, "state_type", a->state);
    return put(rows, &v, "aggregates", keys, 3);
}

enum wr_status system_drop_aggregate(struct system_rows *rows, struct slice keyspace, const struct aggregate *a)
{
    struct slice keys[3], *types;
    TRY(type_texts(rows->ctx, a->args, a->arg_count, &types));
    TRY(callable_keys(rows->ctx, keyspace, a->name, types, a->arg_count, keys));
    return system_rows_delete(rows, SCHEMA, "aggregates", keys, 3);
}

/* ---- tables ---- */

static void add_flags(struct values *v, const struct table *table)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = { { TABLE_COMPOUND, "compound" }, { TABLE_COUNTER, "counter" }, { TABLE_DENSE, "dense" } };
    struct slice flags[3];
    uint32_t n = 0;
    for (int i = 0; i < 3; i++)
        if (table->flags & names[i].flag)
            flags[n++] = slice_str(names[i].name);
    add_collection(v, "flags", flags, n, n);
}

/* Options that a 5.0 node in its default storage mode leaves null while they have their default. */
static void add_rare_bool(struct values *v, const char *column, bool value, bool before)
{
    if (!value)
        add_bool(v, column, false);
    else if (!before)
        add(v, column, SLICE_NULL);
}

/* What system_schema.views has and system_schema.tables has not. */
static void add_view(struct values *v, const struct view *view)
{
    struct buf where;
    struct slice text = SLICE_NULL;
    buf_init(&where, v->ctx->arena);
    describe_where(&where, view);
    if (v->status == WR_OK)
        v->status = buf_done(v->ctx, &where, &text);
    add_uuid(v, "base_table_id", view->base_id);
    add(v, "base_table_name", view->base_name);
    add_bool(v, "include_all_columns", view->every_column);
    add(v, "where_clause", text);
}

static enum wr_status put_table_row(struct system_rows *rows, const struct table *before, const struct table *t,
                                    const struct slice keys[2])
{
    struct values v = { .ctx = rows->ctx };
    const struct table_options *o = &t->options, *old = before ? &before->options : &table_options_default;
    add(&v, "additional_write_policy", o->additional_write_policy);
    add_rare_bool(&v, "allow_auto_snapshot", o->allow_auto_snapshot, old->allow_auto_snapshot);
    add_double(&v, "bloom_filter_fp_chance", o->bloom_filter_fp_chance);
    add_map(&v, "caching", &o->caching);
    add(&v, "comment", o->comment);
    add_map(&v, "compaction", &o->compaction);
    add_map(&v, "compression", &o->compression);
    add_double(&v, "crc_check_chance", o->crc_check_chance);
    add_double(&v, "dclocal_read_repair_chance", 0);
    add_int(&v, "default_time_to_live", o->default_time_to_live);
    add_map(&v, "extensions", &o->extensions);
    if (table_is_view(t))
        add_view(&v, t->view);
    else
        add_flags(&v, t);
    add_int(&v, "gc_grace_seconds", o->gc_grace_seconds);
    add_uuid(&v, "id", t->id);
    add_rare_bool(&v, "incremental_backups", o->incremental_backups, old->incremental_backups);
    add_int(&v, "max_index_interval", o->max_index_interval);
    add_int(&v, "memtable_flush_period_in_ms", o->memtable_flush_period_in_ms);
    add_int(&v, "min_index_interval", o->min_index_interval);
    add(&v, "read_repair", o->read_repair);
    add_double(&v, "read_repair_chance", 0);
    add(&v, "speculative_retry", o->speculative_retry);
    return put(rows, &v, table_is_view(t) ? "views" : "tables", keys, 2);
}

static const struct slice local_key = { (const uint8_t *)"local", 5 };

static enum wr_status host_id(struct system_rows *rows, struct slice *out)
{
    const struct table *local = schema_table(rows->schema, SLICE_LIT("system"), SLICE_LIT("local"));
    struct slice *values;
    bool found = false;
    if (local)
        TRY(system_row_find(rows->ctx, rows->txn, local, &local_key, &values, &found));
    return found ? ctx_copy(rows->ctx, values[table_column(local, SLICE_LIT("host_id"))->ordinal], out) : fail_corrupt(rows->ctx, "system.local");
}

/* A view is built when it is made, as far as anybody can see. */
static enum wr_status put_built_view(struct system_rows *rows, const struct table *view)
{
    struct values built = { .ctx = rows->ctx }, status = { .ctx = rows->ctx };
    struct slice keys[3] = { view->keyspace, view->name };
    TRY(host_id(rows, &keys[2]));
    add_bool(&built, "status_replicated", true);
    add_text(&status, "status", "SUCCESS");
    TRY(system_rows_put(rows, "system", "built_views", keys, 2, built.list, built.count));
    return system_rows_put(rows, "system_distributed", "view_build_status", keys, 3, status.list, status.count);
}

static enum wr_status delete_built_view(struct system_rows *rows, const struct table *view)
{
    struct slice keys[2] = { view->keyspace, view->name };
    TRY(system_rows_delete(rows, "system", "built_views", keys, 2));
    return system_rows_delete(rows, "system_distributed", "view_build_status", keys, 2);
}

const char *system_column_kind(enum column_kind kind)
{
    static const char *const names[] = { "partition_key", "clustering", "static", "regular" };
    return names[kind];
}

const char *system_column_order(const struct column *c)
{
    return c->kind != COLUMN_CLUSTERING ? "none" : c->descending ? "desc" : "asc";
}

static enum wr_status put_column_row(struct system_rows *rows, const struct column *c, const struct slice keys[3])
{
    struct values v = { .ctx = rows->ctx };
    add_text(&v, "clustering_order", system_column_order(c));
    add(&v, "column_name_bytes", c->name);
    add_text(&v, "kind", system_column_kind(c->kind));
    add_int(&v, "position", column_is_primary_key(c) ? (int32_t)c->position : -1);
    add_type(&v, "type", c->type);
    return put(rows, &v, "columns", keys, 3);
}

static enum wr_status mask_value(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    if (!slice_is_null(value))
        type_print_java(&buf, type, value);
    return buf_done(ctx, &buf, out);
}

static enum wr_status put_mask_row(struct system_rows *rows, const struct column_mask *mask, const struct slice keys[3])
{
    struct values v = { .ctx = rows->ctx };
    struct slice *nulls = NEW_ARRAY(rows->ctx, struct slice, mask->arg_count), *types;
    struct slice *values = NEW_ARRAY(rows->ctx, struct slice, mask->arg_count);
    if (!nulls || !values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < mask->arg_count; i++) {
        nulls[i] = slice_is_null(mask->values[i]) ? SLICE_LIT("\1") : SLICE_LIT("\0");
        TRY(mask_value(rows->ctx, mask->types[i], mask->values[i], &values[i]));
    }
    TRY(type_texts(rows->ctx, mask->types, mask->arg_count, &types));
    add_collection(&v, "function_argument_nulls", nulls, mask->arg_count, mask->arg_count);
    add_collection(&v, "function_argument_types", types, mask->arg_count, mask->arg_count);
    add_collection(&v, "function_argument_values", values, mask->arg_count, mask->arg_count);
    add(&v, "function_keyspace", mask->keyspace);
    add(&v, "function_name", mask->name);
    return put(rows, &v, "column_masks", keys, 3);
}

static enum wr_status put_dropped_row(struct system_rows *rows, const struct dropped_column *d,
                                      const struct slice keys[3])
{
    struct values v = { .ctx = rows->ctx };
    add_u64(&v, "dropped_time", (uint64_t)(d->dropped_us / 1000)); /* towards zero: TimeUnit.convert */
    add_text(&v, "kind", system_column_kind(d->kind));
    add_type(&v, "type", d->type);
    return put(rows, &v, "dropped_columns", keys, 3);
}

static enum wr_status put_index_row(struct system_rows *rows, const struct index *x, const struct slice keys[3])
{
    struct values v = { .ctx = rows->ctx };
    struct string_map options = x->options;
    if (x->class_name.data)
        TRY(string_map_set(rows->ctx, &options, SLICE_LIT("class_name"), x->class_name, &options));
    TRY(string_map_set(rows->ctx, &options, SLICE_LIT("target"), x->target_text, &options));
    add_text(&v, "kind", x->class_name.data ? "CUSTOM" : "COMPOSITES");
    add_map(&v, "options", &options);
    TRY(put(rows, &v, "indexes", keys, 3));
    return system_rows_put(rows, "system", BUILT, (struct slice[]){ keys[0], x->name }, 2, NULL, 0);
}

static enum wr_status delete_built(struct system_rows *rows, const struct table *t, const struct index *x)
{
    return system_rows_delete(rows, "system", BUILT, (struct slice[]){ t->keyspace, x->name }, 2);
}

/* Rows of what the table had and has no more. */
static enum wr_status delete_gone(struct system_rows *rows, const struct table *before, const struct table *t,
                                  struct slice keys[3])
{
    for (uint32_t i = 0; i < before->column_count; i++) {
        const struct column *now = table_column(t, keys[2] = before->columns[i].name);
        if (!now)
            TRY(system_rows_delete(rows, SCHEMA, "columns", keys, 3));
        if (before->columns[i].mask && (!now || !now->mask))
            TRY(system_rows_delete(rows, SCHEMA, "column_masks", keys, 3));
    }
    for (uint32_t i = 0; i < before->index_count; i++) {
        bool stays = false;
        for (uint32_t j = 0; j < t->index_count; j++)
            stays |= slice_eq(before->indexes[i].name, t->indexes[j].name);
        keys[2] = before->indexes[i].name;
        if (stays)
            continue;
        TRY(system_rows_delete(rows, SCHEMA, "indexes", keys, 3));
        TRY(delete_built(rows, t, &before->indexes[i]));
    }
    return WR_OK;
}

static const struct column *same_column(const struct table *before, const struct column *c)
{
    const struct column *old = before ? table_column(before, c->name) : NULL;
    return old && old->kind == c->kind && old->position == c->position && old->descending == c->descending &&
                   type_eq(old->type, c->type)
               ? old
               : NULL;
}

static bool has_index_id(const struct table *table, uint64_t id)
{
    for (uint32_t i = 0; table && i < table->index_count; i++)
        if (table->indexes[i].id == id)
            return true;
    return false;
}

enum wr_status system_put_table(struct system_rows *rows, const struct table *before, const struct table *t)
{
    struct slice keys[3] = { t->keyspace, t->name, SLICE_NULL };
    TRY(put_table_row(rows, before, t, keys));
    if (table_is_view(t) && !before)
        TRY(put_built_view(rows, t));
    if (before)
        TRY(delete_gone(rows, before, t, keys));
    for (uint32_t i = 0; i < t->column_count; i++) {
        keys[2] = t->columns[i].name;
        if (!same_column(before, &t->columns[i]))
            TRY(put_column_row(rows, &t->columns[i], keys));
        const struct column *old = before ? table_column(before, keys[2]) : NULL;
        if (t->columns[i].mask && (!old || old->mask != t->columns[i].mask))
            TRY(put_mask_row(rows, t->columns[i].mask, keys));
    }
    for (uint32_t i = 0; i < t->dropped_count; i++) {
        keys[2] = t->dropped[i].name;
        TRY(put_dropped_row(rows, &t->dropped[i], keys));
    }
    for (uint32_t i = 0; i < t->index_count; i++) {
        keys[2] = t->indexes[i].name;
        if (!has_index_id(before, t->indexes[i].id))
            TRY(put_index_row(rows, &t->indexes[i], keys));
    }
    return WR_OK;
}

enum wr_status system_drop_table(struct system_rows *rows, const struct table *table)
{
    static const char *const tables[] = {
        "tables", "views", "columns", "dropped_columns", "indexes", "column_masks", "triggers"
    };
    struct slice keys[2] = { table->keyspace, table->name };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        TRY(system_rows_delete(rows, SCHEMA, tables[i], keys, 2));
    for (uint32_t i = 0; i < table->index_count; i++)
        TRY(delete_built(rows, table, &table->indexes[i]));
    return table_is_view(table) ? delete_built_view(rows, table) : WR_OK;
}

/* ---- system.local ---- */

enum wr_status system_put_host(struct system_rows *rows)
{
    struct values v = { .ctx = rows->ctx };
    uint8_t id[16];
    clock_random(id, sizeof id);
    id[6] = (uint8_t)((id[6] & 0x0f) | 0x40);
    id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
    add_uuid(&v, "host_id", id);
    TRY(v.status);
    return system_rows_put(rows, "system", "local", &local_key, 1, v.list, v.count);
}

/* The superuser `cassandra`, whose password is its name (CassandraRoleManager). */
enum wr_status system_put_role(struct system_rows *rows)
{
    static const struct slice name = { (const uint8_t *)"cassandra", 9 };
    struct values v = { .ctx = rows->ctx };
    add_bool(&v, "can_login", true);
    add_bool(&v, "is_superuser", true);
    add_text(&v, "salted_hash", "$2a$10$3xIYnfcESKhmI4kbGcJYR.AJMfsDB24ncCAou/KsFrAXDvbINgqJm");
    TRY(v.status);
    return system_rows_put(rows, "system_auth", "roles", &name, 1, v.list, v.count);
}

enum wr_status system_put_schema_version(struct system_rows *rows)
{
    struct values v = { .ctx = rows->ctx };
    uint8_t id[16];
    schema_version_uuid(rows->schema, id);
    add_uuid(&v, "schema_version", id);
    TRY(v.status);
    return system_rows_put(rows, "system", "local", &local_key, 1, v.list, v.count);
}

static void add_address(struct values *v, struct slice address, uint16_t port)
{
    static const char *const columns[] = { "broadcast_address", "listen_address", "rpc_address" };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        add(v, columns[i], address);
    add_int(v, "broadcast_port", 7000);
    add_int(v, "listen_port", 7000);
    add_int(v, "rpc_port", port);
}

enum wr_status system_put_address(struct system_rows *rows, struct slice address, uint16_t port)
{
    struct values v = { .ctx = rows->ctx };
    add_address(&v, address, port);
    TRY(v.status);
    return system_rows_put(rows, "system", "local", &local_key, 1, v.list, v.count);
}

enum wr_status system_put_local(struct system_rows *rows)
{
    static const struct {
        const char *column, *text;
    } texts[] = { { "bootstrapped", "COMPLETED" },
                  { "cluster_name", SYSTEM_CLUSTER },
                  { "cql_version", SYSTEM_CQL_VERSION },
                  { "data_center", SYSTEM_DATACENTER },
                  { "native_protocol_version", "5" },
                  { "partitioner", "org.apache.cassandra.dht.Murmur3Partitioner" },
                  { "rack", "rack1" },
                  { "release_version", SYSTEM_RELEASE } };
    struct values v = { .ctx = rows->ctx };
    struct slice token = SLICE_LIT(SYSTEM_TOKEN);
    uint8_t id[16];
    add_address(&v, SLICE_LIT("\177\0\0\1"), 9042);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        add_text(&v, texts[i].column, texts[i].text);
    add_int(&v, "gossip_generation", (int32_t)clock_now_s(engine_clock(txn_engine(rows->txn))));
    schema_version_uuid(rows->schema, id);
    add_uuid(&v, "schema_version", id);
    add_collection(&v, "tokens", &token, 1, 1);
    TRY(v.status);
    return system_rows_put(rows, "system", "local", &local_key, 1, v.list, v.count);
}
