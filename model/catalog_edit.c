/*
 * A schema change: objects into the catalog, with the rows of system_schema that say the same, and what the engine is
 * to forget.
 */
#include "engine/coding.h"
#include "model/catalog.h"
#include "model/catalog_code.h"
#include "model/signature.h"

void catalog_edit_begin(struct catalog_edit *edit, struct ctx *ctx, struct txn *txn, const struct schema *schema,
                        struct slice keyspace, struct slice table)
{
    *edit = (struct catalog_edit){ .ctx = ctx, .txn = txn, .schema = schema, .keyspace = keyspace, .table = table };
    system_rows_init(&edit->rows, ctx, txn, schema);
}

enum wr_status catalog_store_keyspace(struct catalog_edit *edit, const struct keyspace *keyspace)
{
    struct slice name, value;
    TRY(catalog_name(edit->ctx, CATALOG_KEYSPACE, keyspace->name, SLICE_NULL, &name));
    TRY(keyspace_encode(edit->ctx, keyspace, &value));
    TRY(catalog_put(edit->ctx, edit->txn, name, value));
    return system_put_keyspace(&edit->rows, keyspace);
}

enum wr_status catalog_remove_keyspace(struct catalog_edit *edit, const struct keyspace *keyspace)
{
    struct slice name;
    for (uint32_t i = 0; i < keyspace->table_count; i++)
        TRY(catalog_remove_table(edit, keyspace->tables[i]));
    for (uint32_t i = 0; i < keyspace->aggregate_count; i++)
        TRY(catalog_remove_aggregate(edit, &keyspace->aggregates[i]));
    for (uint32_t i = 0; i < keyspace->function_count; i++)
        TRY(catalog_remove_function(edit, &keyspace->functions[i], true)); /* rows: below, all at once */
    for (uint32_t i = 0; i < keyspace->type_count; i++)
        TRY(catalog_remove_type(edit, keyspace->types[i]));
    TRY(catalog_name(edit->ctx, CATALOG_KEYSPACE, keyspace->name, SLICE_NULL, &name));
    TRY(catalog_delete(edit->ctx, edit->txn, name));
    return system_drop_keyspace(&edit->rows, keyspace->name);
}

enum wr_status catalog_store_type(struct catalog_edit *edit, const struct type *type)
{
    struct slice name, value;
    TRY(catalog_name(edit->ctx, CATALOG_TYPE, type->keyspace, type->name, &name));
    TRY(type_encode(edit->ctx, type, &value));
    TRY(catalog_put(edit->ctx, edit->txn, name, value));
    return system_put_type(&edit->rows, type);
}

enum wr_status catalog_remove_type(struct catalog_edit *edit, const struct type *type)
{
    struct slice name;
    TRY(catalog_name(edit->ctx, CATALOG_TYPE, type->keyspace, type->name, &name));
    TRY(catalog_delete(edit->ctx, edit->txn, name));
    return system_drop_type(&edit->rows, type);
}

static enum wr_status callable_name(struct catalog_edit *edit, enum catalog_tag tag, struct slice name,
                                    const struct type *const *args, uint32_t arg_count, struct slice *out)
{
    struct slice *types, signature;
    TRY(type_texts(edit->ctx, args, arg_count, &types));
    TRY(signature_text(edit->ctx, name, types, arg_count, &signature));
    return catalog_name(edit->ctx, tag, edit->keyspace, signature, out);
}

static enum wr_status function_name(struct catalog_edit *edit, const struct function *function, struct slice *out)
{
    return callable_name(edit, CATALOG_FUNCTION, function->name, function->args, function->arg_count, out);
}

enum wr_status catalog_store_function(struct catalog_edit *edit, const struct function *function, bool hidden)
{
    struct slice name, value;
    struct system_function row;
    TRY(function_name(edit, function, &name));
    TRY(function_encode(edit->ctx, function, &value));
    TRY(catalog_put(edit->ctx, edit->txn, name, value));
    if (hidden)
        return WR_OK;
    TRY(system_function_row(edit->ctx, edit->keyspace, function, &row));
    return system_put_function(&edit->rows, &row);
}

enum wr_status catalog_remove_function(struct catalog_edit *edit, const struct function *function, bool hidden)
{
    struct slice name;
    struct system_function row;
    TRY(function_name(edit, function, &name));
    TRY(catalog_delete(edit->ctx, edit->txn, name));
    if (hidden)
        return WR_OK;
    TRY(system_function_row(edit->ctx, edit->keyspace, function, &row));
    return system_drop_function(&edit->rows, &row);
}

static enum wr_status aggregate_name(struct catalog_edit *edit, const struct aggregate *aggregate, struct slice *out)
{
    return callable_name(edit, CATALOG_AGGREGATE, aggregate->name, aggregate->args, aggregate->arg_count, out);
}

enum wr_status catalog_store_aggregate(struct catalog_edit *edit, const struct aggregate *aggregate)
{
    struct slice name, value;
    TRY(aggregate_name(edit, aggregate, &name));
    TRY(aggregate_encode(edit->ctx, aggregate, &value));
    TRY(catalog_put(edit->ctx, edit->txn, name, value));
    return system_put_aggregate(&edit->rows, edit->keyspace, aggregate);
}

enum wr_status catalog_remove_aggregate(struct catalog_edit *edit, const struct aggregate *aggregate)
{
    struct slice name;
    TRY(aggregate_name(edit, aggregate, &name));
    TRY(catalog_delete(edit->ctx, edit->txn, name));
    return system_drop_aggregate(&edit->rows, edit->keyspace, aggregate);
}

enum wr_status catalog_show_function(struct catalog_edit *edit, const struct system_function *function)
{
    struct slice name;
    TRY(catalog_name(edit->ctx, CATALOG_FUNCTIONS, function->keyspace, SLICE_NULL, &name));
    TRY(catalog_put(edit->ctx, edit->txn, name, SLICE_LIT("\1")));
    return system_put_function(&edit->rows, function);
}

static bool has_index_id(const struct table *table, uint64_t id)
{
    for (uint32_t i = 0; i < table->index_count; i++)
        if (table->indexes[i].id == id)
            return true;
    return false;
}

static enum wr_status forget(struct catalog_edit *edit, const struct table *before, const struct table *after)
{
    for (uint32_t i = 0; i < before->index_count; i++)
        if (!after || !has_index_id(after, before->indexes[i].id))
            TRY(txn_forget_index(edit->ctx, edit->txn, before->indexes[i].id));
    if (!after || after->shape.table_id != before->shape.table_id)
        TRY(txn_forget_table(edit->ctx, edit->txn, before->shape.table_id));
    return WR_OK;
}

/* A system table keeps its definition; only what TRUNCATE changed is stored. */
static enum wr_status store_system_id(struct catalog_edit *edit, const struct table *table)
{
    struct slice name;
    uint8_t bytes[8];
    put_u64(bytes, table->shape.table_id);
    TRY(catalog_name(edit->ctx, CATALOG_SYSTEM_ID, table->keyspace, table->name, &name));
    return catalog_put(edit->ctx, edit->txn, name, slice_of(bytes, sizeof bytes));
}

enum wr_status catalog_store_table(struct catalog_edit *edit, const struct table *before, const struct table *table)
{
    struct slice name, value;
    if (before)
        TRY(forget(edit, before, table));
    if (table->flags & TABLE_SYSTEM)
        return store_system_id(edit, table);
    TRY(catalog_name(edit->ctx, CATALOG_TABLE, table->keyspace, table->name, &name));
    TRY(table_encode(edit->ctx, table, &value));
    TRY(catalog_put(edit->ctx, edit->txn, name, value));
    return system_put_table(&edit->rows, before, table);
}

enum wr_status catalog_remove_table(struct catalog_edit *edit, const struct table *table)
{
    struct slice name;
    TRY(forget(edit, table, NULL));
    TRY(catalog_name(edit->ctx, CATALOG_TABLE, table->keyspace, table->name, &name));
    TRY(catalog_delete(edit->ctx, edit->txn, name));
    return system_drop_table(&edit->rows, table);
}

enum wr_status catalog_edit_done(struct catalog_edit *edit, struct schema **out)
{
    struct system_rows local;
    struct schema *next = NULL;
    enum wr_status st;

    TRY(catalog_put_version(edit->ctx, edit->txn, schema_version(edit->schema) + 1));
    TRY(system_rows_apply(&edit->rows));
    TRY_OUT(catalog_load_again(edit->ctx, edit->txn, edit->schema, edit->keyspace, edit->table, &next));
    system_rows_init(&local, edit->ctx, edit->txn, next);
    TRY_OUT(system_put_schema_version(&local));
    TRY_OUT(system_rows_apply(&local));
    *out = next;
    return WR_OK;
out:
    schema_release(next);
    return st;
}
