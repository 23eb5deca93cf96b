#include "model/schema.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "model/parse.h"

struct schema {
    struct piece *piece; /* the snapshot itself lives in it */
    uint64_t version;
    const struct keyspace_part *const *parts; /* by name */
    uint32_t count;
    const struct table **by_id; /* open addressing by the engine's id; NULL: free */
    uint32_t by_id_mask;
    uint8_t uuid[16];
};

/* ---- pieces ---- */

enum wr_status piece_new(struct ctx *ctx, struct piece **out)
{
    struct piece *piece = mem_alloc(sizeof *piece);
    if (!piece)
        return fail_nomem(ctx);
    atomic_init(&piece->refs, 1);
    arena_init(&piece->arena);
    *out = piece;
    return WR_OK;
}

enum wr_status piece_hold(struct ctx *ctx, struct piece *piece, struct piece *below)
{
    if (!below)
        return WR_OK;
    struct piece_link *link = arena_alloc(&piece->arena, sizeof *link);
    if (!link)
        return fail_nomem(ctx);
    atomic_fetch_add_explicit(&below->refs, 1, memory_order_relaxed);
    *link = (struct piece_link){ piece->below, below };
    piece->below = link;
    return WR_OK;
}

void piece_release(struct piece *piece)
{
    if (!piece || atomic_fetch_sub_explicit(&piece->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (struct piece_link *link = piece->below; link; link = link->next)
        piece_release(link->piece); /* snapshot, keyspace, table, types: never deeper */
    arena_release(&piece->arena);
    mem_free(piece);
}

/* ---- making one ---- */

static uint32_t id_slot(uint64_t id, uint32_t mask)
{
    return (uint32_t)(id * 0x9E3779B97F4A7C15u >> 32) & mask;
}

static enum wr_status index_by_id(struct ctx *ctx, struct schema *schema)
{
    uint32_t tables = 0, size = 16;
    for (uint32_t i = 0; i < schema->count; i++)
        tables += schema->parts[i]->keyspace.table_count;
    while (size < tables * 2)
        size *= 2;
    schema->by_id = arena_alloc(&schema->piece->arena, size * sizeof *schema->by_id);
    if (!schema->by_id)
        return fail_nomem(ctx);
    schema->by_id_mask = size - 1;
    for (uint32_t i = 0; i < schema->count; i++)
        for (uint32_t t = 0; t < schema->parts[i]->keyspace.table_count; t++) {
            const struct table *table = schema->parts[i]->keyspace.tables[t];
            if (table->flags & TABLE_VIRTUAL)
                continue;
            uint32_t at = id_slot(table->shape.table_id, schema->by_id_mask);
            while (schema->by_id[at])
                at = (at + 1) & schema->by_id_mask;
            schema->by_id[at] = table;
        }
    return WR_OK;
}

/* A name-based UUID, as Cassandra's of its schema's digest. */
static void set_uuid(struct schema *schema)
{
    uint8_t sum[16] = { 0 };
    for (uint32_t i = 0; i < schema->count; i++)
        for (int b = 0; b < 16; b++)
            sum[b] ^= schema->parts[i]->digest[b];
    sum[6] = (uint8_t)((sum[6] & 0x0f) | 0x30);
    sum[8] = (uint8_t)((sum[8] & 0x3f) | 0x80);
    memcpy(schema->uuid, sum, sizeof sum);
}

enum wr_status schema_make(struct ctx *ctx, uint64_t version, const struct keyspace_part *const *parts, uint32_t count,
                           struct schema **out)
{
    struct piece *piece = NULL;
    enum wr_status st;

    TRY_OUT(piece_new(ctx, &piece));
    struct schema *schema = arena_alloc(&piece->arena, sizeof *schema);
    const struct keyspace_part **copy = arena_alloc(&piece->arena, count * sizeof *copy);
    if (!schema || !copy) {
        st = fail_nomem(ctx);
        goto out;
    }
    *schema = (struct schema){ .piece = piece, .version = version, .parts = copy, .count = count };
    for (uint32_t i = 0; i < count; i++) {
        TRY_OUT(piece_hold(ctx, piece, parts[i]->piece));
        copy[i] = parts[i];
    }
    TRY_OUT(index_by_id(ctx, schema));
    set_uuid(schema);
    *out = schema;
    return WR_OK;
out:
    piece_release(piece);
    return st;
}

struct schema *schema_acquire(struct schema *schema)
{
    atomic_fetch_add_explicit(&schema->piece->refs, 1, memory_order_relaxed);
    return schema;
}

void schema_release(struct schema *schema)
{
    if (schema)
        piece_release(schema->piece);
}

/* ---- looking things up ---- */

uint64_t schema_version(const struct schema *schema)
{
    return schema->version;
}

void schema_version_uuid(const struct schema *schema, uint8_t out[16])
{
    memcpy(out, schema->uuid, sizeof schema->uuid);
}

uint32_t schema_keyspace_count(const struct schema *schema)
{
    return schema->count;
}

const struct keyspace *schema_keyspace_at(const struct schema *schema, uint32_t i)
{
    return &schema->parts[i]->keyspace;
}

const struct keyspace_part *schema_part_at(const struct schema *schema, uint32_t i)
{
    return schema->parts[i];
}

const struct keyspace_part *schema_part(const struct schema *schema, struct slice keyspace)
{
    uint32_t low = 0, high = schema->count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c = slice_cmp(schema->parts[mid]->keyspace.name, keyspace);
        if (c == 0)
            return schema->parts[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct keyspace *schema_keyspace(const struct schema *schema, struct slice name)
{
    const struct keyspace_part *part = schema_part(schema, name);
    return part ? &part->keyspace : NULL;
}

const struct table *schema_table(const struct schema *schema, struct slice keyspace, struct slice name)
{
    const struct keyspace *k = schema_keyspace(schema, keyspace);
    uint32_t low = 0, high = k ? k->table_count : 0;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c = slice_cmp(k->tables[mid]->name, name);
        if (c == 0)
            return k->tables[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct table *schema_table_by_id(const struct schema *schema, uint64_t engine_table_id)
{
    uint32_t at = id_slot(engine_table_id, schema->by_id_mask);
    while (schema->by_id[at]) {
        if (schema->by_id[at]->shape.table_id == engine_table_id)
            return schema->by_id[at];
        at = (at + 1) & schema->by_id_mask;
    }
    return NULL;
}

uint32_t keyspace_type_place(const struct keyspace *k, struct slice name)
{
    uint32_t low = 0, high = k->type_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c = slice_cmp(k->types[mid]->name, name);
        if (c == 0)
            return mid;
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return k->type_count;
}

static const struct type *find_type(const struct keyspace *k, const struct type *const *types, struct slice name)
{
    uint32_t at = k ? keyspace_type_place(k, name) : 0;
    return k && at < k->type_count ? types[at] : NULL;
}

void keyspace_mark_types(const struct keyspace *k, const struct type *type, bool *used)
{
    if (type->kind == TYPE_UDT) {
        uint32_t at = keyspace_type_place(k, type->name);
        if (at == k->type_count || used[at])
            return;
        used[at] = true;
    }
    for (uint32_t i = 0; i < type->arg_count; i++) /* as deep as types nest, which type.c bounds */
        keyspace_mark_types(k, type->args[i], used);
}

/* ByteBuffer.compareTo: bytes have a sign there, so what is not ASCII comes first. */
static int type_cmp(const void *a, const void *b)
{
    struct slice x = (*(const struct type *const *)a)->name, y = (*(const struct type *const *)b)->name;
    for (size_t i = 0; i < x.len && i < y.len; i++)
        if (x.data[i] != y.data[i])
            return (int8_t)x.data[i] < (int8_t)y.data[i] ? -1 : 1;
    return (x.len > y.len) - (x.len < y.len);
}

enum wr_status keyspace_types_sorted(struct ctx *ctx, const struct keyspace *k, const struct type ***out)
{
    const struct type **types = NEW_ARRAY(ctx, const struct type *, k->type_count);
    if (!types)
        return WR_NOMEM;
    for (uint32_t i = 0; i < k->type_count; i++)
        types[i] = k->types[i];
    if (k->type_count)
        qsort(types, k->type_count, sizeof *types, type_cmp);
    *out = types;
    return WR_OK;
}

const struct type *schema_type(const struct schema *schema, struct slice keyspace, struct slice name)
{
    const struct keyspace *k = schema_keyspace(schema, keyspace);
    return find_type(k, k ? k->types : NULL, name);
}

const struct type *schema_declared_type(const struct schema *schema, struct slice keyspace, struct slice name)
{
    const struct keyspace *k = schema_keyspace(schema, keyspace);
    return find_type(k, k ? k->declared : NULL, name);
}

const struct index *schema_index(const struct schema *schema, struct slice keyspace, struct slice name,
                                 const struct table **table)
{
    const struct keyspace *k = schema_keyspace(schema, keyspace);
    for (uint32_t t = 0; k && t < k->table_count; t++)
        for (uint32_t i = 0; i < k->tables[t]->index_count; i++)
            if (slice_eq(k->tables[t]->indexes[i].name, name)) {
                *table = k->tables[t];
                return &k->tables[t]->indexes[i];
            }
    return NULL;
}

bool table_has_masks(const struct table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->columns[i].mask)
            return true;
    return false;
}

static int name_cmp(const void *name, const void *column)
{
    return slice_cmp(*(const struct slice *)name, ((const struct column *)column)->name);
}

static const struct column *column_among(const struct column *sorted, uint32_t n, struct slice name)
{
    return n ? bsearch(&name, sorted, n, sizeof *sorted, name_cmp) : NULL;
}

static const struct column *column_between(const struct table *table, uint32_t from, uint32_t to, struct slice name)
{
    for (uint32_t i = from; i < to; i++)
        if (slice_eq(table->columns[i].name, name))
            return &table->columns[i];
    return NULL;
}

const struct column *table_column(const struct table *table, struct slice name)
{
    uint32_t statics = table->key_count + table->clustering_count, regulars = statics + table->static_count;
    const struct column *c = column_between(table, 0, statics, name);
    if (!c)
        c = column_among(&table->columns[regulars], table->regular_count, name);
    if (!c)
        c = column_among(&table->columns[statics], table->static_count, name);
    return c ? c : column_between(table, regulars + table->regular_count, table->column_count, name); /* that a change is about to add */
}

enum wr_status table_token_type(struct ctx *ctx, const struct table *table, const struct type **out)
{
    struct buf buf;

    if (!(table->flags & TABLE_VIRTUAL) || table->key_count == 1) {
        *out = table->flags & TABLE_VIRTUAL ? table_key(table, 0)->type : type_native(TYPE_BIGINT);
        return WR_OK;
    }
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, "CompositeType");
    for (uint32_t i = 0; i < table->key_count; i++) {
        buf_put_u8(&buf, i ? ',' : '(');
        type_print_class(&buf, table_key(table, i)->type);
    }
    buf_put_u8(&buf, ')');
    struct slice class;
    TRY(buf_done(ctx, &buf, &class));
    return type_parse_class(ctx, class, out);
}

enum wr_status table_require_column(struct ctx *ctx, const struct table *table, struct slice name, const struct column **out)
{
    struct buf text;

    *out = table_column(table, name);
    if (*out && !column_is_hidden(table, *out))
        return WR_OK;
    buf_init(&text, ctx->arena);
    cql_put_name(&text, name);
    return fail(ctx, WR_INVALID, "Undefined column name %s in table %s", buf_string(ctx, &text), cql_full_name(ctx, table->keyspace, table->name));
}

bool table_has_dropped(const struct table *table)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->columns[i].dropped_us != TIMESTAMP_NONE && !column_is_primary_key(&table->columns[i]))
            return true;
    return table->dropped_count > 0;
}

const struct column *table_column_by_id(const struct table *table, uint32_t id)
{
    for (uint32_t i = table->key_count + table->clustering_count; i < table->column_count; i++)
        if (table->columns[i].id == id)
            return &table->columns[i];
    return NULL;
}

const struct index *table_index_on(const struct table *table, const struct column *column, enum index_target target)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].column == column && table->indexes[i].target == target)
            return &table->indexes[i];
    return NULL;
}

enum wr_status schema_qualify(struct ctx *ctx, struct slice current_keyspace, struct slice keyspace, struct slice *out)
{
    *out = slice_is_null(keyspace) ? current_keyspace : keyspace;
    if (!slice_is_null(*out))
        return WR_OK;
    return fail(ctx, WR_INVALID,
                "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
}

enum wr_status schema_require_keyspace(struct ctx *ctx, const struct schema *schema, struct slice name, const struct keyspace **out)
{
    *out = schema_keyspace(schema, name);
    return *out ? WR_OK : fail(ctx, WR_INVALID, "Keyspace '%.*s' does not exist", SLICE_ARG(name));
}

enum wr_status schema_require_table(struct ctx *ctx, const struct schema *schema, struct slice current_keyspace,
                                    struct slice keyspace, struct slice name, const struct table **out)
{
    TRY(schema_qualify(ctx, current_keyspace, keyspace, &keyspace));
    if (!schema_keyspace(schema, keyspace))
        return fail(ctx, WR_INVALID, "keyspace %.*s does not exist", SLICE_ARG(keyspace));
    const struct table *table = schema_table(schema, keyspace, name);
    if (!table)
        return fail(ctx, WR_INVALID, "table %.*s does not exist", SLICE_ARG(name));
    *out = table;
    return WR_OK;
}
