#include "metadata.h"

#include <stdlib.h>
#include <string.h>

enum metadata_flags { META_GLOBAL_TABLE = 1, META_MORE_PAGES = 2, META_NONE = 4, META_CHANGED = 8 };

/* ---- types ---- */

/* Types that came after v3 are the Java class to older clients; all others have always been there. */
static const struct {
    enum wr_type type;
    uint8_t since;
} late_types[] = {
    { WR_TYPE_DATE, 4 }, { WR_TYPE_TIME, 4 }, { WR_TYPE_SMALLINT, 4 }, { WR_TYPE_TINYINT, 4 }, { WR_TYPE_DURATION, 5 },
};

static bool is_custom(const struct version *version, enum wr_type type)
{
    if (type == WR_TYPE_CUSTOM || type > 0xff)
        return true;
    for (size_t i = 0; i < sizeof late_types / sizeof late_types[0]; i++)
        if (late_types[i].type == type)
            return version->number < late_types[i].since;
    return false;
}

static void put_class(struct wire_out *out, const struct wr_type_info *type)
{
    size_t len = wr_type_format(type, WR_TYPE_JAVA, NULL, 0);
    char *at = len == SIZE_MAX ? NULL : (char *)wire_reserve(out, len + 1); /* with the NUL, which is given back */
    if (!at || wr_type_format(type, WR_TYPE_JAVA, at, len + 1) != len)
        out->failed = true;
    else
        out->len--;
}

static void put_java_class(struct wire_out *out, const struct wr_type_info *type)
{
    wire_put_u16(out, (uint16_t)wr_type_format(type, WR_TYPE_JAVA, NULL, 0));
    put_class(out, type);
}

/* [option]: a type of the protocol, or the Java class where the version has none for it. */
static void put_type(struct wire_out *out, const struct version *version, const struct wr_type_info *type)
{
    enum wr_type kind = wr_type_kind(type);
    uint32_t parts = wr_type_part_count(type);
    if (is_custom(version, kind)) {
        wire_put_u16(out, WR_TYPE_CUSTOM);
        put_java_class(out, type);
        return;
    }
    wire_put_u16(out, (uint16_t)kind);
    size_t len;
    const char *name;
    if (kind == WR_TYPE_UDT) {
        name = wr_type_udt_keyspace(type, &len);
        wire_put_string_of(out, name, len);
        name = wr_type_udt_name(type, &len);
        wire_put_string_of(out, name, len);
    }
    if (kind == WR_TYPE_UDT || kind == WR_TYPE_TUPLE)
        wire_put_u16(out, (uint16_t)parts);
    for (uint32_t i = 0; i < parts; i++) {
        if (kind == WR_TYPE_UDT) {
            name = wr_type_field_name(type, i, &len);
            wire_put_string_of(out, name, len);
        }
        put_type(out, version, wr_type_part(type, i));
    }
}

/* ---- columns and markers: two lists of the same shape ---- */

struct spec_list {
    int count;
    void (*put_name)(struct wire_out *out, const wr_stmt *stmt, int i);
    void (*table)(const wr_stmt *stmt, int i, const char **keyspace, const char **table);
    const struct wr_type_info *(*type)(const wr_stmt *stmt, int i);
};

static void put_column_name(struct wire_out *out, const wr_stmt *stmt, int i)
{
    const char *name = wr_column_name(stmt, i);
    if (strchr(name, 0xc0)) /* with a NUL, which is C0 80 there */
        wire_put_message(out, name);
    else
        wire_put_string(out, name);
}

static void put_marker_name(struct wire_out *out, const wr_stmt *stmt, int i)
{
    size_t len;
    const char *name = wr_marker_name(stmt, i, &len);
    wire_put_string_of(out, name, len);
}

static struct spec_list columns_of(const wr_stmt *stmt)
{
    return (struct spec_list){ wr_column_count(stmt), put_column_name, wr_column_table, wr_column_type_info };
}

static struct spec_list markers_of(const wr_stmt *stmt)
{
    return (struct spec_list){ wr_marker_count(stmt), put_marker_name, wr_marker_table, wr_marker_type_info };
}

static void put_table(struct wire_out *out, const struct spec_list *list, const wr_stmt *stmt, int i)
{
    const char *keyspace, *table;
    list->table(stmt, i, &keyspace, &table);
    wire_put_string(out, keyspace);
    wire_put_string(out, table);
}

/* The names of the first are copied: a wr_marker_table is good until the next call only. */
static bool same_table(const struct spec_list *list, const wr_stmt *stmt)
{
    char first[512] = "", other[512];
    for (int i = 0; i < list->count; i++) {
        const char *keyspace, *table;
        list->table(stmt, i, &keyspace, &table);
        char *text = i ? other : first;
        size_t len = keyspace ? strlen(keyspace) : 0;
        if (len + (table ? strlen(table) : 0) + 2 > sizeof first)
            return false;
        memcpy(text, keyspace ? keyspace : "", len + 1);
        strcpy(text + len + 1, table ? table : "");
        if (i && (strcmp(first, other) != 0 || strcmp(first + len + 1, other + len + 1) != 0))
            return false;
    }
    return list->count > 0;
}

static void put_specs(struct wire_out *out, const struct version *version, const struct spec_list *list, const wr_stmt *stmt, bool global)
{
    if (global)
        put_table(out, list, stmt, 0);
    for (int i = 0; i < list->count; i++) {
        if (!global)
            put_table(out, list, stmt, i);
        list->put_name(out, stmt, i);
        put_type(out, version, list->type(stmt, i));
    }
    if (wr_stmt_status(stmt) == WR_NOMEM) /* for the names of tables */
        out->failed = true;
}

void metadata_put_rows(struct wire_out *out, const struct version *version, const wr_stmt *stmt, const struct metadata_rows *rows)
{
    struct spec_list list = columns_of(stmt);
    bool global = same_table(&list, stmt), changed = rows->changed_id != NULL, skip = rows->skip && !changed;
    wire_put_u32(out, (global ? META_GLOBAL_TABLE : 0) | (rows->page_state ? META_MORE_PAGES : 0) | (skip ? META_NONE : 0) |
                          (changed ? META_CHANGED : 0));
    wire_put_u32(out, (uint32_t)list.count);
    if (rows->page_state)
        wire_put_bytes(out, rows->page_state, rows->page_state_len);
    if (changed)
        wire_put_short_bytes(out, rows->changed_id, DIGEST_LEN);
    if (!skip)
        put_specs(out, version, &list, stmt, global);
}

static void put_routing(struct wire_out *out, const wr_stmt *stmt)
{
    enum { KEY_COLUMNS_USUAL = 32 };
    uint16_t usual[KEY_COLUMNS_USUAL], *indexes = usual;
    int count = wr_marker_routing(stmt, usual, KEY_COLUMNS_USUAL);
    if (count > KEY_COLUMNS_USUAL) {
        indexes = malloc((size_t)count * sizeof *indexes);
        count = indexes ? wr_marker_routing(stmt, indexes, count) : 0; /* clients then route by themselves or not at all */
    }
    wire_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++)
        wire_put_u16(out, indexes[i]);
    if (indexes != usual)
        free(indexes);
}

void metadata_put_markers(struct wire_out *out, const struct version *version, const wr_stmt *stmt)
{
    struct spec_list list = markers_of(stmt);
    bool global = same_table(&list, stmt);
    wire_put_u32(out, global ? META_GLOBAL_TABLE : 0);
    wire_put_u32(out, (uint32_t)list.count);
    if (version->routing)
        put_routing(out, stmt);
    put_specs(out, version, &list, stmt, global);
}

void metadata_put_prepared_columns(struct wire_out *out, const struct version *version, const wr_stmt *stmt)
{
    if (wr_stmt_flags(stmt) & WR_STMT_SELECT) {
        metadata_put_rows(out, version, stmt, &(struct metadata_rows){ 0 });
        return;
    }
    wire_put_u32(out, META_NONE);
    wire_put_u32(out, 0);
}

static void put_text(struct wire_out *out, const char *text)
{
    wire_put(out, text, strlen(text));
}

bool metadata_id(const wr_stmt *stmt, bool none, uint8_t out[DIGEST_LEN])
{
    /* Cassandra's ResultSet.ResultMetadata.computeResultMetadataId: of each column its name and its type's Java class. */
    struct wire_out text = { 0 };
    for (int i = 0; !none && i < wr_column_count(stmt); i++) {
        bool reversed = wr_column_is_reversed(stmt, i);
        wire_put_message_text(&text, wr_column_name(stmt, i));
        wire_put_u8(&text, 0);
        put_text(&text, reversed ? "org.apache.cassandra.db.marshal.ReversedType(" : "");
        put_class(&text, wr_column_type_info(stmt, i));
        put_text(&text, reversed ? ")" : "");
        wire_put_u16(&text, 0);
    }
    bool ok = !text.failed && digest_md5(out, text.data, text.len, NULL, 0);
    wire_out_release(&text);
    return ok;
}
