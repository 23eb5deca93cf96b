#include "shape.h"

#include "ascii.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

static bool put_rows(struct wire_out *out, wr_db *db, const char *cql, const char *keyspace, const char *table)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, cql, -1, &stmt);
    if (st != WR_OK)
        return false;
    wr_bind_text(stmt, 0, keyspace, -1);
    wr_bind_text(stmt, 1, table, -1);
    while ((st = wr_step(stmt)) == WR_ROW) {
        for (int i = 0; i < wr_column_count(stmt); i++) {
            wr_value value = wr_column_value(stmt, i);
            wire_put_bytes(out, value.data, value.len);
        }
    }
    wr_finalize(stmt);
    return st == WR_DONE;
}

bool shape_of_table(wr_db *db, const char *keyspace, const char *table, uint8_t out[DIGEST_LEN])
{
    struct wire_out text = { 0 };
    bool ok = put_rows(&text, db,
                       "SELECT column_name, clustering_order, kind, position, type FROM system_schema.columns "
                       "WHERE keyspace_name = ? AND table_name = ?",
                       keyspace, table) &&
              put_rows(&text, db, "SELECT default_time_to_live, flags, gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                       keyspace, table) &&
              put_rows(&text, db, "SELECT index_name, kind, options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?", keyspace, table) &&
              put_rows(&text, db,
                       "SELECT column_name, function_argument_nulls, function_argument_types, function_argument_values, function_keyspace, function_name "
                       "FROM system_schema.column_masks WHERE keyspace_name = ? AND table_name = ?",
                       keyspace, table);
    ok = ok && !text.failed && digest_md5(out, text.data, text.len, NULL, 0);
    wire_out_release(&text);
    return ok;
}

/* ---- whose types are of a type ---- */

/* Names as shape_users_of_type gives them, but for the last NUL. */
static bool has_name(const struct wire_out *names, const char *name)
{
    for (size_t at = 0; at < names->len; at += strlen((const char *)names->data + at) + 1)
        if (strcmp((const char *)names->data + at, name) == 0)
            return true;
    return false;
}

static void add_name(struct wire_out *names, const char *name)
{
    if (!has_name(names, name))
        wire_put(names, name, strlen(name) + 1);
}

static bool has_type_among(const char *text, const struct wire_out *types)
{
    for (size_t at = 0; at < types->len; at += strlen((const char *)types->data + at) + 1)
        if (ascii_has_name(text, (const char *)types->data + at))
            return true;
    return false;
}

/* Of rows of a name and of types, the names whose types have one of `types` in them. */
static bool add_users(struct wire_out *names, wr_db *db, const char *cql, const char *keyspace, const struct wire_out *types)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, cql, -1, &stmt);
    if (st != WR_OK)
        return false;
    wr_bind_text(stmt, 0, keyspace, -1);
    while ((st = wr_step(stmt)) == WR_ROW) {
        const char *name = wr_column_text(stmt, 0), *text = wr_column_text(stmt, 1);
        if (name && text && has_type_among(text, types))
            add_name(names, name);
    }
    wr_finalize(stmt);
    return st == WR_DONE && !names->failed;
}

/* `types` becomes all that have one of them within. */
static bool add_types_around(struct wire_out *types, wr_db *db, const char *keyspace)
{
    size_t before;
    do {
        before = types->len;
        if (!add_users(types, db, "SELECT type_name, field_types FROM system_schema.types WHERE keyspace_name = ?", keyspace, types))
            return false;
    } while (types->len > before);
    return !memchr(types->data, '"', types->len); /* which a type's text has twice */
}

/* The names of those statements' rows, as they are given; NULL: it cannot be told. */
static char *names_of_users(wr_db *db, const char *const *statements, const char *keyspace, const struct wire_out *types)
{
    struct wire_out names = { 0 };
    bool ok = true;
    for (; *statements && ok; statements++)
        ok = add_users(&names, db, *statements, keyspace, types);
    wire_put_u8(&names, 0);
    if (ok && !names.failed)
        return (char *)names.data;
    wire_out_release(&names);
    return NULL;
}

struct shape_users shape_users_of_type(wr_db *db, const char *keyspace, const char *type)
{
    static const char *const tables[] = { "SELECT table_name, type FROM system_schema.columns WHERE keyspace_name = ?", NULL };
    static const char *const functions[] = { "SELECT function_name, argument_types FROM system_schema.functions WHERE keyspace_name = ?",
                                             "SELECT function_name, return_type FROM system_schema.functions WHERE keyspace_name = ?", NULL };
    struct wire_out types = { 0 };
    struct shape_users users = { 0 };
    add_name(&types, type);
    if (!types.failed && add_types_around(&types, db, keyspace)) {
        users.tables = names_of_users(db, tables, keyspace, &types);
        users.functions = names_of_users(db, functions, keyspace, &types);
    }
    wire_out_release(&types);
    return users;
}

void shape_users_release(struct shape_users *users)
{
    free(users->tables);
    free(users->functions);
}
