#include "model/catalog.h"

#include <stdlib.h>

#include "engine/coding.h"
#include "engine/hash.h"
#include "model/catalog_code.h"
#include "model/view.h"

/* ---- reading ---- */

/* The error of a ctx that worked in a piece's memory, for the caller's. */
static enum wr_status hand_over(struct ctx *ctx, const struct ctx *inner, enum wr_status st)
{
    return st == WR_OK ? WR_OK : fail(ctx, st, "%s", inner->error);
}

static void digest_add(uint8_t digest[16], const uint8_t other[16])
{
    for (int i = 0; i < 16; i++)
        digest[i] ^= other[i];
}

static enum wr_status digest_of(struct ctx *ctx, struct slice name, struct slice value, uint8_t digest[16])
{
    struct buf buf;
    uint8_t one[HASH128_BYTES];
    buf_init(&buf, ctx->arena);
    buf_put_slice(&buf, name);
    buf_put_u8(&buf, 0);
    buf_put_slice(&buf, value);
    if (buf.failed)
        return fail_nomem(ctx);
    hash128_put(buf_slice(&buf), one);
    digest_add(digest, one);
    return WR_OK;
}

struct entries { /* of a walk, in ctx's memory, in order of their names */
    struct entry_link {
        struct entry_link *next;
        struct slice name, value;
    } * first, *last;
    uint32_t count;
};

static enum wr_status read_entries(struct ctx *ctx, struct txn *txn, struct slice prefix, struct entries *out)
{
    struct slice name = prefix, value;
    *out = (struct entries){ 0 };
    for (bool after = false;; after = true) {
        TRY(catalog_next(ctx, txn, prefix, name, after, &name, &value));
        if (slice_is_null(name))
            return WR_OK;
        struct entry_link *entry = NEW(ctx, struct entry_link);
        if (!entry)
            return WR_NOMEM;
        TRY(ctx_copy(ctx, name, &entry->name));
        TRY(ctx_copy(ctx, value, &entry->value));
        name = entry->name;
        if (out->last)
            out->last->next = entry;
        else
            out->first = entry;
        out->last = entry;
        out->count++;
    }
}

/* ---- user types: each after those it is made of ---- */

struct known_types {
    struct slice keyspace;
    const struct type **types, **declared; /* as in struct keyspace; in order of names once all are there */
    uint32_t count;
};

static const struct type *lookup_known(void *arg, struct slice keyspace, struct slice name)
{
    const struct known_types *known = arg;
    if (!slice_eq(keyspace, known->keyspace))
        return NULL;
    for (uint32_t i = 0; i < known->count; i++)
        if (slice_eq(known->types[i]->name, name))
            return known->types[i];
    return NULL;
}

static int type_name_cmp(const void *a, const void *b)
{
    return slice_cmp((*(const struct type *const *)a)->name, (*(const struct type *const *)b)->name);
}

static enum wr_status resolve_types(struct ctx *ctx, const struct entries *entries, struct known_types *known)
{
    bool *done = NEW_ARRAY(ctx, bool, entries->count);
    known->types = NEW_ARRAY(ctx, const struct type *, entries->count);
    known->declared = NEW_ARRAY(ctx, const struct type *, entries->count);
    if (!done || !known->types || !known->declared)
        return WR_NOMEM;
    while (known->count < entries->count) {
        uint32_t before = known->count, i = 0;
        for (const struct entry_link *e = entries->first; e; e = e->next, i++) {
            const struct type *type;
            if (done[i])
                continue;
            TRY(type_decode(ctx, e->value, known->keyspace, lookup_known, known, &type));
            if (!type)
                continue;
            known->declared[known->count] = type;
            if (!(known->types[known->count++] = type_freeze(ctx, type)))
                return WR_NOMEM;
            done[i] = true;
        }
        if (known->count == before)
            return fail_corrupt(ctx, "catalog type: unknown or circular");
    }
    if (known->count) {
        qsort(known->types, known->count, sizeof *known->types, type_name_cmp);
        qsort(known->declared, known->count, sizeof *known->declared, type_name_cmp);
    }
    return WR_OK;
}

/* *out NULL: the keyspace has no types. */
static enum wr_status load_types(struct ctx *ctx, struct txn *txn, struct slice keyspace, struct known_types *known,
                                 struct piece **out)
{
    struct piece *piece = NULL;
    struct entries entries;
    struct slice prefix;
    struct ctx inner;
    enum wr_status st;

    *out = NULL;
    *known = (struct known_types){ .keyspace = keyspace };
    TRY(catalog_prefix(ctx, CATALOG_TYPE, keyspace, &prefix));
    TRY(read_entries(ctx, txn, prefix, &entries));
    if (!entries.count)
        return WR_OK;
    TRY_OUT(piece_new(ctx, &piece));
    ctx_init(&inner, &piece->arena);
    TRY_OUT(hand_over(ctx, &inner, ctx_copy(&inner, keyspace, &known->keyspace)));
    TRY_OUT(hand_over(ctx, &inner, resolve_types(&inner, &entries, known)));
    for (const struct entry_link *e = entries.first; e; e = e->next)
        TRY_OUT(digest_of(ctx, e->name, e->value, piece->digest));
    *out = piece;
    return WR_OK;
out:
    piece_release(piece);
    return st;
}

/* ---- tables ---- */

static enum wr_status load_table(struct ctx *ctx, const struct entry_link *entry, struct known_types *known,
                                 struct piece *types, struct piece **out, struct table **table)
{
    struct piece *piece = NULL;
    struct table *made;
    struct ctx inner;
    enum wr_status st;
    size_t prefix = 1 + known->keyspace.len + 1;

    TRY_OUT(piece_new(ctx, &piece));
    ctx_init(&inner, &piece->arena);
    TRY_OUT(piece_hold(ctx, piece, types));
    if (!(made = NEW(&inner, struct table))) {
        st = fail_nomem(ctx);
        goto out;
    }
    TRY_OUT(hand_over(ctx, &inner,
                      table_decode(&inner, entry->value, known->keyspace, slice_skip(entry->name, prefix), lookup_known,
                                   known, made)));
    TRY_OUT(digest_of(ctx, entry->name, entry->value, piece->digest));
    *table = made;
    *out = piece;
    return WR_OK;
out:
    piece_release(piece);
    return st;
}

/* ---- functions and aggregates: few and small, so they are always read anew ---- */

struct listed { /* what there is of a keyspace in one list */
    enum catalog_tag tag;
    size_t size;
    enum wr_status (*decode)(struct ctx *ctx, struct slice bytes, struct known_types *known, void *out);
};

static enum wr_status decode_function(struct ctx *ctx, struct slice bytes, struct known_types *known, void *out)
{
    return function_decode(ctx, bytes, known->keyspace, lookup_known, known, out);
}

static enum wr_status decode_aggregate(struct ctx *ctx, struct slice bytes, struct known_types *known, void *out)
{
    return aggregate_decode(ctx, bytes, known->keyspace, lookup_known, known, out);
}

static enum wr_status load_list(struct ctx *ctx, struct txn *txn, struct keyspace_part *part, struct known_types *known, const struct listed *of,
                                void **list, uint32_t *count)
{
    struct entries entries;
    struct slice prefix;
    struct ctx inner;
    uint8_t *at;

    TRY(catalog_prefix(ctx, of->tag, part->keyspace.name, &prefix));
    TRY(read_entries(ctx, txn, prefix, &entries));
    ctx_init(&inner, &part->piece->arena);
    if (!(*list = at = ctx_alloc_array(&inner, of->size, entries.count)))
        return fail_nomem(ctx);
    for (const struct entry_link *e = entries.first; e; e = e->next, at += of->size) {
        TRY(hand_over(ctx, &inner, of->decode(&inner, e->value, known, at)));
        TRY(digest_of(ctx, e->name, e->value, part->digest));
    }
    *count = entries.count;
    return WR_OK;
}

static enum wr_status load_functions(struct ctx *ctx, struct txn *txn, struct keyspace_part *part, struct known_types *known)
{
    static const struct listed functions = { CATALOG_FUNCTION, sizeof(struct function), decode_function },
                               aggregates = { CATALOG_AGGREGATE, sizeof(struct aggregate), decode_aggregate };
    void *list;

    TRY(load_list(ctx, txn, part, known, &functions, &list, &part->keyspace.function_count));
    part->keyspace.functions = list;
    TRY(load_list(ctx, txn, part, known, &aggregates, &list, &part->keyspace.aggregate_count));
    part->keyspace.aggregates = list;
    return WR_OK;
}

/* ---- keyspaces ---- */

/* The tables of a part in the making, in order of their names. */
struct table_list {
    struct piece **pieces;
    const struct table **tables;
    struct table **fresh; /* the same where they have just been read and nobody else knows them; else NULL */
    uint32_t count;
};

static enum wr_status list_init(struct ctx *ctx, struct keyspace_part *part, uint32_t room, struct table_list *list)
{
    *list = (struct table_list){ 0 };
    list->pieces = arena_alloc(&part->piece->arena, room * sizeof *list->pieces);
    list->tables = arena_alloc(&part->piece->arena, room * sizeof *list->tables);
    list->fresh = NEW_ARRAY(ctx, struct table *, room);
    return list->pieces && list->tables && list->fresh ? WR_OK : fail_nomem(ctx);
}

static enum wr_status list_add(struct ctx *ctx, struct keyspace_part *part, struct table_list *list,
                               struct piece *piece, const struct table *table)
{
    TRY(piece_hold(ctx, part->piece, piece));
    digest_add(part->digest, piece->digest);
    list->pieces[list->count] = piece;
    list->tables[list->count++] = table;
    return WR_OK;
}

static enum wr_status list_load(struct ctx *ctx, struct keyspace_part *part, struct table_list *list,
                                const struct entry_link *entry, struct known_types *known)
{
    struct table *table;
    struct piece *fresh;
    TRY(load_table(ctx, entry, known, part->types, &fresh, &table));
    enum wr_status st = list_add(ctx, part, list, fresh, table);
    if (st == WR_OK)
        list->fresh[list->count - 1] = table;
    piece_release(fresh); /* the part's reference stays */
    return st;
}

/* Gives a table its views. */
static enum wr_status link_table(struct ctx *ctx, const struct table_list *list, uint32_t at)
{
    struct table *base = list->fresh[at];
    const struct table **views;
    struct ctx inner;
    uint32_t count = 0, n = 0;

    for (uint32_t i = 0; i < list->count; i++)
        count += table_is_view(list->tables[i]) && slice_eq(list->tables[i]->view->base_name, base->name);
    if (!count)
        return WR_OK;
    if (table_is_view(base))
        return fail_corrupt(ctx, "a view of a view");
    ctx_init(&inner, &list->pieces[at]->arena);
    if (!(views = NEW_ARRAY(&inner, const struct table *, count)))
        return fail_nomem(ctx);
    for (uint32_t i = 0; i < list->count; i++)
        if (table_is_view(list->tables[i]) && slice_eq(list->tables[i]->view->base_name, base->name))
            views[n++] = list->tables[i];
    base->views = views;
    base->view_count = count;
    return hand_over(ctx, &inner, view_hook_make(&inner, base, views, count, &base->shape.hook));
}

/* Where one of a table and its views changes all of them are read (ddl_edit), so that their pointers go together. */
static enum wr_status link_views(struct ctx *ctx, const struct table_list *list)
{
    uint32_t views = 0, linked = 0;

    for (uint32_t i = 0; i < list->count; i++)
        views += table_is_view(list->tables[i]);
    for (uint32_t i = 0; views && i < list->count; i++) {
        TRY(link_table(ctx, list, i));
        linked += list->tables[i]->view_count;
    }
    return linked == views ? WR_OK : fail_corrupt(ctx, "a view without its table");
}

/* All of them from the catalog. */
static enum wr_status load_tables(struct ctx *ctx, struct txn *txn, struct keyspace_part *part,
                                  struct known_types *known, struct table_list *list)
{
    struct entries entries;
    struct slice prefix;
    TRY(catalog_prefix(ctx, CATALOG_TABLE, part->keyspace.name, &prefix));
    TRY(read_entries(ctx, txn, prefix, &entries));
    TRY(list_init(ctx, part, entries.count, list));
    for (const struct entry_link *e = entries.first; e; e = e->next)
        TRY(list_load(ctx, part, list, e, known));
    return link_views(ctx, list);
}

/* Those of the part before, but for the changed one, which the catalog has, or has no more. */
static enum wr_status share_tables(struct ctx *ctx, struct txn *txn, struct keyspace_part *part,
                                   struct known_types *known, const struct keyspace_part *before, struct slice changed,
                                   struct table_list *list)
{
    struct entry_link entry = { 0 };
    TRY(catalog_name(ctx, CATALOG_TABLE, part->keyspace.name, changed, &entry.name));
    TRY(catalog_get(ctx, txn, entry.name, &entry.value));
    TRY(list_init(ctx, part, before->keyspace.table_count + 1, list));
    for (uint32_t i = 0; i < before->keyspace.table_count; i++) {
        const struct table *table = before->keyspace.tables[i];
        int c = slice_cmp(table->name, changed);
        if (c >= 0 && entry.value.data) {
            TRY(list_load(ctx, part, list, &entry, known));
            entry.value = SLICE_NULL;
        }
        if (c != 0)
            TRY(list_add(ctx, part, list, before->tables[i], table));
    }
    return entry.value.data ? list_load(ctx, part, list, &entry, known) : WR_OK;
}

/* before NULL: everything is read; else all but the changed table is shared with it. */
static enum wr_status fill_part(struct ctx *ctx, struct txn *txn, const struct entry_link *entry,
                                const struct keyspace_part *before, struct slice changed, struct keyspace_part *part)
{
    struct known_types known;
    struct table_list list;
    struct ctx inner;
    enum wr_status st;

    ctx_init(&inner, &part->piece->arena);
    TRY(hand_over(ctx, &inner, keyspace_decode(&inner, entry->value, &part->keyspace)));
    if (!slice_eq(part->keyspace.name, slice_skip(entry->name, 1)))
        return fail_corrupt(ctx, "catalog keyspace");
    TRY(digest_of(ctx, entry->name, entry->value, part->digest));
    if (before) {
        known = (struct known_types){ .keyspace = before->keyspace.name,
                                      .types = (const struct type **)before->keyspace.types,
                                      .declared = (const struct type **)before->keyspace.declared,
                                      .count = before->keyspace.type_count };
        part->types = before->types;
        TRY(piece_hold(ctx, part->piece, part->types));
    } else {
        TRY(load_types(ctx, txn, part->keyspace.name, &known, &part->types));
        st = piece_hold(ctx, part->piece, part->types);
        piece_release(part->types);
        TRY(st);
    }
    if (part->types)
        digest_add(part->digest, part->types->digest);
    TRY(load_functions(ctx, txn, part, &known));
    TRY(before ? share_tables(ctx, txn, part, &known, before, changed, &list)
               : load_tables(ctx, txn, part, &known, &list));
    part->tables = list.pieces;
    part->keyspace.types = known.types;
    part->keyspace.declared = known.declared;
    part->keyspace.type_count = known.count;
    part->keyspace.tables = list.tables;
    part->keyspace.table_count = list.count;
    return WR_OK;
}

/* A system keyspace: the tables every database has, and what this one has changed. entry NULL: as it is defined. */
static enum wr_status fill_system_part(struct ctx *ctx, struct txn *txn, uint32_t at, const struct entry_link *entry,
                                       struct keyspace_part *part)
{
    struct ctx inner;
    uint32_t count = 0;

    ctx_init(&inner, &part->piece->arena);
    TRY(hand_over(ctx, &inner, system_keyspace_at(&inner, at, &part->keyspace)));
    if (entry) {
        struct keyspace changed;
        TRY(hand_over(ctx, &inner, keyspace_decode(&inner, entry->value, &changed)));
        part->keyspace.replication = changed.replication;
        part->keyspace.durable_writes = changed.durable_writes;
        TRY(digest_of(ctx, entry->name, entry->value, part->digest));
    }
    const struct table **list = arena_alloc(&part->piece->arena, system_table_count() * sizeof *list);
    if (!list)
        return fail_nomem(ctx);
    for (uint32_t i = 0; i < system_table_count(); i++) {
        struct slice name, value;
        if (!slice_eq(system_table_keyspace(i), part->keyspace.name))
            continue;
        struct table *table = NEW(&inner, struct table);
        if (!table)
            return fail_nomem(ctx);
        TRY(hand_over(ctx, &inner, system_table_at(&inner, i, table)));
        TRY(catalog_name(ctx, CATALOG_SYSTEM_ID, table->keyspace, table->name, &name));
        TRY(catalog_get(ctx, txn, name, &value));
        if (value.data && value.len != 8)
            return fail_corrupt(ctx, "catalog system table");
        if (value.data)
            table->shape.table_id = read_u64(value.data);
        list[count++] = table;
    }
    part->keyspace.tables = list;
    part->keyspace.table_count = count;
    struct known_types none = { .keyspace = part->keyspace.name };
    return load_functions(ctx, txn, part, &none); /* nobody forbids them in system_auth and its like */
}

static int system_index(struct slice keyspace)
{
    for (uint32_t i = 0; i < system_keyspace_count(); i++)
        if (slice_eq(system_keyspace_name(i), keyspace))
            return (int)i;
    return -1;
}

/* entry NULL: a system keyspace as it is defined. before NULL: nothing to share. */
static enum wr_status load_part(struct ctx *ctx, struct txn *txn, struct slice keyspace, const struct entry_link *entry,
                                const struct keyspace_part *before, struct slice changed, struct keyspace_part **out)
{
    int system = system_index(keyspace);
    struct piece *piece = NULL;
    enum wr_status st;

    TRY_OUT(piece_new(ctx, &piece));
    struct keyspace_part *part = arena_alloc(&piece->arena, sizeof *part);
    if (!part) {
        st = fail_nomem(ctx);
        goto out;
    }
    part->piece = piece;
    TRY_OUT(system >= 0 ? fill_system_part(ctx, txn, (uint32_t)system, entry, part)
                        : fill_part(ctx, txn, entry, before, changed, part));
    *out = part;
    return WR_OK;
out:
    piece_release(piece);
    return st;
}

static int part_cmp(const void *a, const void *b)
{
    return slice_cmp((*(const struct keyspace_part *const *)a)->keyspace.name,
                     (*(const struct keyspace_part *const *)b)->keyspace.name);
}

static const struct entry_link *entry_of(const struct entries *entries, struct slice keyspace)
{
    for (const struct entry_link *e = entries->first; e; e = e->next)
        if (slice_eq(slice_skip(e->name, 1), keyspace))
            return e;
    return NULL;
}

enum wr_status catalog_version(struct ctx *ctx, struct txn *txn, uint64_t *out)
{
    struct slice name, value;
    TRY(catalog_name(ctx, CATALOG_VERSION, SLICE_NULL, SLICE_NULL, &name));
    TRY(catalog_get(ctx, txn, name, &value));
    if (value.data && value.len != 8)
        return fail_corrupt(ctx, "catalog version");
    *out = value.data ? read_u64(value.data) : 0;
    return WR_OK;
}

enum wr_status catalog_load(struct ctx *ctx, struct txn *txn, struct schema **out)
{
    struct keyspace_part **parts = NULL;
    struct entries entries;
    uint32_t count = 0;
    uint64_t version;
    struct slice prefix;
    enum wr_status st;

    TRY(catalog_version(ctx, txn, &version));
    TRY(catalog_name(ctx, CATALOG_KEYSPACE, SLICE_NULL, SLICE_NULL, &prefix));
    TRY(read_entries(ctx, txn, prefix, &entries));
    if (!(parts = NEW_ARRAY(ctx, struct keyspace_part *, entries.count + system_keyspace_count())))
        return WR_NOMEM;
    for (uint32_t i = 0; i < system_keyspace_count(); i++) {
        struct slice name = system_keyspace_name(i);
        TRY_OUT(load_part(ctx, txn, name, entry_of(&entries, name), NULL, SLICE_NULL, &parts[count]));
        count++;
    }
    for (const struct entry_link *e = entries.first; e; e = e->next) {
        struct slice name = slice_skip(e->name, 1);
        if (system_index(name) >= 0)
            continue;
        TRY_OUT(load_part(ctx, txn, name, e, NULL, SLICE_NULL, &parts[count]));
        count++;
    }
    qsort(parts, count, sizeof *parts, part_cmp);
    TRY_OUT(schema_make(ctx, version, (const struct keyspace_part *const *)parts, count, out));
out:
    for (uint32_t i = 0; i < count; i++)
        piece_release(parts[i]->piece); /* the snapshot has its own references */
    return st;
}

enum wr_status catalog_load_again(struct ctx *ctx, struct txn *txn, const struct schema *from, struct slice keyspace,
                                  struct slice table, struct schema **out)
{
    const struct keyspace_part **parts = NEW_ARRAY(ctx, const struct keyspace_part *, schema_keyspace_count(from) + 1);
    struct keyspace_part *fresh = NULL;
    struct entry_link entry = { 0 };
    uint32_t count = 0;
    uint64_t version;
    enum wr_status st;

    if (!parts)
        return WR_NOMEM;
    TRY(catalog_version(ctx, txn, &version));
    TRY(catalog_name(ctx, CATALOG_KEYSPACE, keyspace, SLICE_NULL, &entry.name));
    TRY(catalog_get(ctx, txn, entry.name, &entry.value));
    TRY(ctx_copy(ctx, entry.value, &entry.value));
    if (entry.value.data || system_index(keyspace) >= 0)
        TRY_OUT(load_part(ctx, txn, keyspace, entry.value.data ? &entry : NULL,
                          table.data ? schema_part(from, keyspace) : NULL, table, &fresh));
    for (uint32_t i = 0; i < schema_keyspace_count(from); i++)
        if (!slice_eq(schema_part_at(from, i)->keyspace.name, keyspace))
            parts[count++] = schema_part_at(from, i);
    if (fresh)
        parts[count++] = fresh;
    qsort(parts, count, sizeof *parts, part_cmp);
    TRY_OUT(schema_make(ctx, version, parts, count, out));
out:
    if (fresh)
        piece_release(fresh->piece);
    return st;
}

/* ---- a new database ---- */

enum wr_status catalog_put_version(struct ctx *ctx, struct txn *txn, uint64_t version)
{
    struct slice name;
    uint8_t bytes[8];
    put_u64(bytes, version);
    TRY(catalog_name(ctx, CATALOG_VERSION, SLICE_NULL, SLICE_NULL, &name));
    return catalog_put(ctx, txn, name, slice_of(bytes, sizeof bytes));
}

/* One after the other, in the same memory. */
static enum wr_status put_keyspace(struct system_rows *rows, const struct keyspace *keyspace)
{
    if (system_kind_of(keyspace->name) == SYSTEM_VIRTUAL)
        return WR_OK; /* they are in system_virtual_schema, which says it without being told */
    TRY(system_put_keyspace(rows, keyspace));
    for (uint32_t i = 0; i < keyspace->table_count; i++) {
        struct arena_mark mark = arena_mark(rows->ctx->arena);
        TRY(system_put_table(rows, NULL, keyspace->tables[i]));
        TRY(system_rows_apply(rows));
        arena_rewind(rows->ctx->arena, mark);
    }
    return WR_OK;
}

enum wr_status catalog_init(struct ctx *ctx, struct txn *txn, struct schema **out)
{
    struct schema *schema = NULL;
    struct system_rows rows;
    enum wr_status st;
    uint64_t id = 0;

    while (id <= SYSTEM_TABLE_ID_MAX) /* what is made from now on has an id above those of the system tables */
        TRY(txn_next_id(ctx, txn, &id));
    TRY_OUT(catalog_put_version(ctx, txn, 1));
    TRY_OUT(catalog_load(ctx, txn, &schema));
    system_rows_init(&rows, ctx, txn, schema);
    for (uint32_t i = 0; i < schema_keyspace_count(schema); i++)
        TRY_OUT(put_keyspace(&rows, schema_keyspace_at(schema, i)));
    TRY_OUT(system_put_host(&rows));
    TRY_OUT(system_put_role(&rows));
    TRY_OUT(system_rows_apply(&rows));
    *out = schema;
    return WR_OK;
out:
    schema_release(schema);
    return st;
}

/* Rows that tell of functions of the process before this one go; then those of the schema's functions beside them are put again. */
static enum wr_status forget_functions(struct ctx *ctx, struct txn *txn, const struct schema *schema)
{
    struct system_rows gone, stay;
    struct entries entries;
    struct slice prefix;
    TRY(catalog_name(ctx, CATALOG_FUNCTIONS, SLICE_NULL, SLICE_NULL, &prefix));
    TRY(read_entries(ctx, txn, prefix, &entries));
    if (!entries.count)
        return WR_OK;
    system_rows_init(&gone, ctx, txn, schema);
    for (const struct entry_link *e = entries.first; e; e = e->next) {
        TRY(system_drop_functions(&gone, slice_skip(e->name, 1)));
        TRY(catalog_delete(ctx, txn, e->name));
    }
    TRY(system_rows_apply(&gone));
    system_rows_init(&stay, ctx, txn, schema); /* later than what has deleted them */
    for (const struct entry_link *e = entries.first; e; e = e->next) {
        const struct keyspace *keyspace = schema_keyspace(schema, slice_skip(e->name, 1));
        for (uint32_t i = 0; keyspace && i < keyspace->function_count; i++) {
            struct system_function row;
            TRY(system_function_row(ctx, keyspace->name, &keyspace->functions[i], &row));
            TRY(system_put_function(&stay, &row));
        }
    }
    return system_rows_apply(&stay);
}

enum wr_status catalog_refresh_local(struct ctx *ctx, struct txn *txn, const struct schema *schema)
{
    struct system_rows rows;
    system_rows_init(&rows, ctx, txn, schema);
    TRY(system_put_local(&rows));
    TRY(system_rows_apply(&rows));
    return forget_functions(ctx, txn, schema);
}
