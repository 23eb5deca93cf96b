#include "shape.h"

#include "wire.h"

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
              put_rows(&text, db, "SELECT default_time_to_live, flags, gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", keyspace, table) &&
              put_rows(&text, db, "SELECT index_name, kind, options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?",
                       keyspace, table) &&
              put_rows(&text, db,
                       "SELECT column_name, function_argument_nulls, function_argument_types, function_argument_values, function_keyspace, function_name "
                       "FROM system_schema.column_masks WHERE keyspace_name = ? AND table_name = ?",
                       keyspace, table);
    ok = ok && !text.failed && digest_md5(out, text.data, text.len, NULL, 0);
    wire_out_release(&text);
    return ok;
}
