/* Types as drivers are told of them, of result columns and of markers. */
#include "model/api.h"

enum wr_type type_number(const struct type *type)
{
    if (!type)
        return WR_TYPE_EMPTY;
    if (type->kind == TYPE_VECTOR)
        return WR_TYPE_VECTOR;
    if (type_is_legacy_timeuuid(type))
        return WR_TYPE_CUSTOM;
    return type->kind == TYPE_EMPTY ? WR_TYPE_EMPTY : (enum wr_type)type_option_id(type);
}

enum wr_type wr_type_kind(const struct wr_type_info *info)
{
    return type_number(type_of_info(info));
}

uint32_t wr_type_part_count(const struct wr_type_info *info)
{
    return info ? type_of_info(info)->arg_count : 0;
}

const struct wr_type_info *wr_type_part(const struct wr_type_info *info, uint32_t i)
{
    return i < wr_type_part_count(info) ? info_of_type(type_of_info(info)->args[i]) : NULL;
}

uint32_t wr_type_dimension(const struct wr_type_info *info)
{
    return info ? type_of_info(info)->dimension : 0;
}

static const char *bytes_of(struct slice text, size_t *len)
{
    *len = text.len;
    return (const char *)text.data;
}

static bool is_udt(const struct wr_type_info *info)
{
    return info && type_of_info(info)->kind == TYPE_UDT;
}

const char *wr_type_udt_keyspace(const struct wr_type_info *info, size_t *len)
{
    return is_udt(info) ? bytes_of(type_of_info(info)->keyspace, len) : NULL;
}

const char *wr_type_udt_name(const struct wr_type_info *info, size_t *len)
{
    return is_udt(info) ? bytes_of(type_of_info(info)->name, len) : NULL;
}

const char *wr_type_field_name(const struct wr_type_info *info, uint32_t i, size_t *len)
{
    return is_udt(info) && i < type_of_info(info)->arg_count ? bytes_of(type_of_info(info)->field_names[i], len) : NULL;
}

/* Clients are told of no order, also of a part of a list that a select list makes of a descending column (DataType.fromType). */
static void print_class_for_clients(struct buf *buf, const struct type *type)
{
    struct type straight = *type;
    straight.reversed = false;
    type_print_class(buf, &straight);
}

size_t wr_type_format(const struct wr_type_info *info, enum wr_type_form form, char *text, size_t size)
{
    static void (*const printers[])(struct buf *, const struct type *) = {
        [WR_TYPE_CQL] = type_print_name,
        [WR_TYPE_JAVA] = print_class_for_clients,
    };
    struct arena arena;
    struct buf buf;
    arena_init(&arena);
    buf_init(&buf, &arena);
    if (info)
        printers[form == WR_TYPE_JAVA ? WR_TYPE_JAVA : WR_TYPE_CQL](&buf, type_of_info(info));
    size_t len = text_out(&buf, text, size);
    arena_release(&arena);
    return len;
}

/* ---- of columns and markers ---- */

const struct wr_type_info *wr_column_type_info(const wr_stmt *stmt, int i)
{
    return stmt && (unsigned)i < stmt->result.column_count ? info_of_type(stmt->result.columns[i].type) : NULL;
}

bool wr_column_is_reversed(const wr_stmt *stmt, int i)
{
    return stmt && (unsigned)i < stmt->result.column_count && stmt->result.columns[i].reversed;
}

static const struct column_spec *marker_at(const wr_stmt *stmt, int i)
{
    return stmt && stmt->plan && (unsigned)i < stmt->markers.count ? &stmt->plan->markers[i] : NULL;
}

const struct wr_type_info *wr_marker_type_info(const wr_stmt *stmt, int i)
{
    const struct column_spec *marker = marker_at(stmt, i);
    return marker ? info_of_type(marker->type) : NULL;
}

void wr_marker_table(const wr_stmt *stmt, int i, const char **keyspace, const char **table)
{
    const struct column_spec *marker = marker_at(stmt, i);
    if (keyspace)
        *keyspace = marker && marker->keyspace.data ? stmt_text(stmt, marker->keyspace) : NULL;
    if (table)
        *table = marker && marker->table.data ? stmt_text(stmt, marker->table) : NULL;
}
