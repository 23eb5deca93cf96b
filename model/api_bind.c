/* Binding values to markers: single ones, and collections built up part by part. */
#include "model/api.h"
#include "model/expr.h"
#include "model/parse.h"
#include "model/value.h"

enum { OPEN_DEPTH_MAX = 32 };

/* A value that wr_bind_open opened and wr_bind_close will put together. */
struct open_value {
    const struct type *type;
    int marker; /* where it goes; WR_ELEMENT: into the one around it */
    bool unsure; /* a part was not looked at */
    struct slice *parts;
    uint32_t count, room;
};

struct builder {
    struct arena arena;
    int depth;
    struct open_value open[OPEN_DEPTH_MAX];
};

void builder_free(struct builder *builder)
{
    if (builder)
        arena_release(&builder->arena);
    mem_free(builder);
}

void builder_abandon(struct builder *builder)
{
    if (!builder)
        return;
    builder->depth = 0;
    arena_reset(&builder->arena);
}

bool builder_is_open(const struct builder *builder)
{
    return builder && builder->depth;
}

/* ---- where a value goes ---- */

static struct open_value *innermost(wr_stmt *stmt)
{
    struct builder *b = stmt->markers.builder;
    return b && b->depth ? &b->open[b->depth - 1] : NULL;
}

static enum wr_status part_type(wr_stmt *stmt, const struct open_value *open, const struct type **out)
{
    const struct type *type = open->type;
    uint32_t most = type_has_fields(type) ? type->arg_count : type->kind == TYPE_VECTOR ? type->dimension : UINT32_MAX;
    if (open->count >= most)
        return stmt_fail(stmt, WR_INVALID, "wr_bind: the open value takes no further element");
    *out = element_type(type, open->count);
    return WR_OK;
}

static enum wr_status target_type(wr_stmt *stmt, int i, const struct type **out)
{
    *out = NULL;
    if (!stmt)
        return WR_MISUSE;
    if (stmt->running)
        return stmt_fail(stmt, WR_MISUSE, "wr_bind: the statement is being run; wr_reset it first");
    if (i == WR_ELEMENT) {
        struct open_value *open = innermost(stmt);
        return open ? part_type(stmt, open, out) : stmt_fail(stmt, WR_MISUSE, "wr_bind: no value is open for WR_ELEMENT");
    }
    if (i < 0 || (uint32_t)i >= stmt->markers.count)
        return stmt_fail(stmt, WR_MISUSE, "wr_bind: there is no marker of that index");
    if (!stmt->plan)
        TRY(stmt->status = stmt_ensure_plan(stmt));
    *out = stmt->plan->markers[i].type;
    return WR_OK;
}

static enum wr_status add_part(wr_stmt *stmt, struct slice value, bool sound)
{
    struct builder *b = stmt->markers.builder;
    struct open_value *open = innermost(stmt);
    struct ctx *ctx = &stmt->ctx;
    struct slice copy = SLICE_NULL;
    if (open->count == open->room) {
        uint32_t room = open->room ? open->room * 2 : 8;
        struct slice *parts = arena_alloc_raw(&b->arena, room * sizeof *parts);
        if (!parts)
            return fail_nomem(ctx);
        if (open->count)
            memcpy(parts, open->parts, open->count * sizeof *parts);
        open->parts = parts;
        open->room = room;
    }
    if (!slice_is_null(value)) {
        uint8_t *bytes = arena_alloc_raw(&b->arena, value.len);
        if (!bytes)
            return fail_nomem(ctx);
        if (value.len)
            memcpy(bytes, value.data, value.len);
        copy = slice_of(bytes, value.len);
    }
    open->parts[open->count++] = copy;
    open->unsure |= !sound;
    return WR_OK;
}

/* sound: it has been found to be of the type it is bound as, and a run need not look again. */
static enum wr_status store_value(wr_stmt *stmt, int i, struct slice value, bool sound)
{
    struct bound_value *bound;
    if (i == WR_ELEMENT)
        return add_part(stmt, value, sound);
    bound = &stmt->markers.bound[i];
    if (!slice_is_null(value) && !slice_is_unset(value)) {
        if (value.len > bound->room || !bound->bytes) {
            size_t room = value.len < 32 ? 32 : value.len;
            uint8_t *bytes = mem_realloc(bound->bytes, room);
            if (!bytes)
                return stmt_fail(stmt, WR_NOMEM, "out of memory"); /* the marker is what it was */
            bound->bytes = bytes;
            bound->room = room;
        }
        if (value.len)
            memcpy(bound->bytes, value.data, value.len);
        value = slice_of(bound->bytes, value.len);
    }
    bound->is_set = true;
    stmt->markers.sound[i] = sound;
    stmt->markers.values[i] = value;
    return WR_OK;
}

/* ---- markers ---- */

int wr_marker_count(const wr_stmt *stmt)
{
    return stmt ? (int)stmt->markers.count : 0;
}

int wr_marker_index(const wr_stmt *stmt, const char *name)
{
    for (uint32_t i = 0; stmt && stmt->plan && i < stmt->markers.count; i++)
        if (slice_eq_str(stmt->plan->markers[i].name, name))
            return (int)i;
    return -1;
}

const char *wr_marker_name(const wr_stmt *stmt, int i, size_t *len)
{
    if (!stmt || !stmt->plan || i < 0 || (uint32_t)i >= stmt->markers.count)
        return NULL;
    *len = stmt->plan->markers[i].name.len;
    return (const char *)stmt->plan->markers[i].name.data;
}

const char *wr_marker_type_name(wr_stmt *stmt, int i)
{
    if (!stmt || !stmt->plan || i < 0 || (uint32_t)i >= stmt->markers.count)
        return "";
    return stmt_made(stmt, type_name(&stmt->ctx, stmt->plan->markers[i].type));
}

int wr_marker_routing(const wr_stmt *stmt, uint16_t *indexes, int room)
{
    if (!stmt || !stmt->plan || !stmt->plan->routing || !stmt->plan->table)
        return 0;
    int count = (int)stmt->plan->table->key_count;
    for (int i = 0; i < count; i++)
        if (stmt->plan->routing[i] == ROUTING_NONE)
            return 0;
    for (int i = 0; indexes && i < count && i < room; i++)
        indexes[i] = stmt->plan->routing[i];
    return count;
}

/* ---- single values ---- */

/* The conversions allocate in the run's arena, which is idle between runs; a failure's details stay there until the next one. */
static void begin_conversion(wr_stmt *stmt)
{
    if (stmt->markers.failed) {
        arena_rewind(&stmt->run_arena, stmt->markers.before);
        stmt->ctx.failure = NULL;
    }
    stmt->markers.before = arena_mark(&stmt->run_arena);
}

static enum wr_status bind_converted(wr_stmt *stmt, int i, enum wr_status st, struct slice value, bool sound)
{
    if (st == WR_OK)
        st = store_value(stmt, i, value, sound);
    st = ctx_outcome(&stmt->ctx, st);
    stmt->markers.failed = st != WR_OK;
    if (st == WR_OK)
        arena_rewind(&stmt->run_arena, stmt->markers.before);
    return stmt->status = st;
}

static enum wr_status bind_checked(wr_stmt *stmt, int i, const struct type *type, struct slice value)
{
    enum wr_status st = type_validate(&stmt->ctx, type, value);
    bool sound = !type_is_collection(type); /* a run takes their bytes apart (type_validate_sent) */
    return stmt->status = ctx_outcome(&stmt->ctx, st == WR_OK ? store_value(stmt, i, value, sound) : st);
}

static enum wr_status does_not_suit(wr_stmt *stmt, const char *what, const struct type *type)
{
    begin_conversion(stmt);
    enum wr_status st = fail(&stmt->ctx, WR_INVALID, "%s does not suit a value of type %s", what, type_name(&stmt->ctx, type));
    return bind_converted(stmt, WR_ELEMENT, st, SLICE_NULL, false);
}

enum wr_status wr_bind_null(wr_stmt *stmt, int i)
{
    const struct type *type;
    TRY(target_type(stmt, i, &type));
    return store_value(stmt, i, SLICE_NULL, true);
}

enum wr_status wr_bind_unset(wr_stmt *stmt, int i)
{
    const struct type *type;
    TRY(target_type(stmt, i, &type));
    if (i == WR_ELEMENT)
        return stmt_fail(stmt, WR_INVALID, "wr_bind: an element cannot be unset");
    return store_value(stmt, i, SLICE_UNSET, true);
}

enum wr_status wr_bind_bool(wr_stmt *stmt, int i, bool value)
{
    const struct type *type;
    uint8_t byte = value;
    TRY(target_type(stmt, i, &type));
    if (type->kind == TYPE_BOOLEAN)
        return store_value(stmt, i, slice_of(&byte, 1), true);
    if (type->kind == TYPE_DATE || type->kind == TYPE_TIME || type->kind == TYPE_TIMESTAMP)
        return does_not_suit(stmt, "wr_bind_bool: a boolean", type);
    return wr_bind_int(stmt, i, value);
}

enum wr_status wr_bind_int(wr_stmt *stmt, int i, int64_t number)
{
    const struct type *type;
    struct slice value = SLICE_NULL;
    TRY(target_type(stmt, i, &type));
    begin_conversion(stmt);
    enum wr_status st = value_from_int(&stmt->ctx, type, number, &value);
    return bind_converted(stmt, i, st, value, false);
}

enum wr_status wr_bind_double(wr_stmt *stmt, int i, double number)
{
    const struct type *type;
    struct slice value = SLICE_NULL;
    TRY(target_type(stmt, i, &type));
    begin_conversion(stmt);
    enum wr_status st = value_from_double(&stmt->ctx, type, number, &value);
    return bind_converted(stmt, i, st, value, false);
}

enum wr_status wr_bind_text(wr_stmt *stmt, int i, const char *text, ptrdiff_t len)
{
    const struct type *type;
    struct slice value = slice_of(text, text ? (len < 0 ? strlen(text) : (size_t)len) : 0);
    TRY(target_type(stmt, i, &type));
    if (!text || type_is_text(type))
        return bind_checked(stmt, i, type, value);
    if (type_has_parts(type))
        return stmt_fail(stmt, WR_INVALID, "wr_bind_text: a collection, tuple, user-defined value or vector is bound from its text by wr_bind_literal");
    begin_conversion(stmt);
    enum wr_status st = literal_from_string(&stmt->ctx, type, value, &value);
    return bind_converted(stmt, i, st, value, false);
}

/* Of other types they would be taken for a value in silence, where they happen to be one: wr_bind_value is for who means that. */
enum wr_status wr_bind_blob(wr_stmt *stmt, int i, const void *bytes, size_t len)
{
    const struct type *type;
    TRY(target_type(stmt, i, &type));
    if (type->kind != TYPE_BLOB && type->kind != TYPE_CUSTOM)
        return does_not_suit(stmt, "wr_bind_blob: a blob", type);
    return bind_checked(stmt, i, type, slice_of(bytes ? bytes : (len ? NULL : ""), len));
}

enum wr_status wr_bind_uuid(wr_stmt *stmt, int i, const uint8_t uuid[16])
{
    const struct type *type;
    TRY(target_type(stmt, i, &type));
    if (type->kind != TYPE_UUID && type->kind != TYPE_TIMEUUID)
        return does_not_suit(stmt, "wr_bind_uuid: a uuid", type);
    return bind_checked(stmt, i, type, slice_of(uuid, 16));
}

/* Not looked at before the run: what a marker takes (nulls within `IN ?`, ...) is its place's to say. */
enum wr_status wr_bind_value(wr_stmt *stmt, int i, const void *bytes, size_t len)
{
    const struct type *type;
    TRY(target_type(stmt, i, &type));
    return stmt->status = store_value(stmt, i, slice_of(bytes, bytes ? len : 0), false);
}

static enum wr_status literal_value(wr_stmt *stmt, const struct type *type, struct slice name, const char *literal, size_t len,
                                    struct slice *out)
{
    struct ctx *ctx = &stmt->ctx;
    struct ast_expr *ast;
    const struct expr *expr;
    struct bind bind = {
        .ctx = ctx, .db = stmt->db->database, .schema = stmt->schema, .current_keyspace = slice_str(stmt->keyspace)
    };
    struct exec exec = { .ctx = ctx, .db = stmt->db->database, .schema = stmt->schema };
    exec.now_us = clock_now_us(engine_clock(exec.db->engine));
    TRY(parse_term(ctx, slice_of(literal, len), &ast));
    TRY(expr_bind_term(&bind, ast, type, name, &expr));
    return expr_eval_term(&exec, expr, out);
}

enum wr_status wr_bind_literal(wr_stmt *stmt, int i, const char *literal, ptrdiff_t len)
{
    const struct type *type;
    struct slice value = SLICE_NULL;
    TRY(target_type(stmt, i, &type));
    begin_conversion(stmt);
    struct slice name = i == WR_ELEMENT ? SLICE_LIT("element") : stmt->plan->markers[i].name;
    enum wr_status st = literal_value(stmt, type, name, literal, len < 0 ? strlen(literal) : (size_t)len, &value);
    return bind_converted(stmt, i, st, value, false);
}

/* ---- values of parts ---- */

enum wr_status wr_bind_open(wr_stmt *stmt, int i)
{
    const struct type *type;
    TRY(target_type(stmt, i, &type));
    if (!type_has_parts(type))
        return stmt_fail(stmt, WR_INVALID, "wr_bind_open: the value is not a collection, tuple, user-defined type or vector");
    if (!stmt->markers.builder) {
        if (!(stmt->markers.builder = mem_alloc(sizeof *stmt->markers.builder)))
            return stmt_fail(stmt, WR_NOMEM, "out of memory");
        arena_init(&stmt->markers.builder->arena);
    }
    struct builder *b = stmt->markers.builder;
    if (b->depth == OPEN_DEPTH_MAX)
        return stmt_fail(stmt, WR_INVALID, "wr_bind_open: values are nested too deep");
    b->open[b->depth++] = (struct open_value){ .type = type, .marker = i };
    return WR_OK;
}

static enum wr_status pack_open(wr_stmt *stmt, struct open_value *open, struct slice *out)
{
    const struct type *type = open->type;
    uint32_t count = open->count;
    if (type->kind == TYPE_MAP) {
        if (count % 2)
            return stmt_fail(stmt, WR_INVALID, "wr_bind_close: a map key has no value");
        count /= 2;
    }
    if (type_is_collection(type))
        for (uint32_t i = 0; i < open->count; i++)
            if (slice_is_null(open->parts[i]))
                return stmt_fail(stmt, WR_INVALID, "null is not supported inside collections");
    if (type_is_keyed(type))
        count = type_sort_unique(type, open->parts, count);
    struct slice packed;
    TRY(type_pack(&stmt->ctx, type, open->parts, count, &packed));
    if (open->unsure || !type_is_collection(type))
        TRY(type_validate(&stmt->ctx, type, packed));
    *out = packed;
    return WR_OK;
}

enum wr_status wr_bind_close(wr_stmt *stmt)
{
    struct slice value = SLICE_NULL;
    if (!stmt)
        return WR_MISUSE;
    struct open_value *open = innermost(stmt);
    if (stmt->running) /* which may be reading the value that was bound before */
        return stmt_fail(stmt, WR_MISUSE, "wr_bind: the statement is being run; wr_reset it first");
    if (!open)
        return stmt_fail(stmt, WR_MISUSE, "wr_bind_close: no value is open");
    begin_conversion(stmt);
    enum wr_status st = pack_open(stmt, open, &value);
    stmt->markers.builder->depth--;
    st = bind_converted(stmt, open->marker, st, value, !open->unsure);
    if (!stmt->markers.builder->depth)
        arena_reset(&stmt->markers.builder->arena);
    return st;
}

void wr_clear_bindings(wr_stmt *stmt)
{
    if (!stmt)
        return;
    for (uint32_t i = 0; i < stmt->markers.count; i++)
        stmt->markers.bound[i].is_set = false;
    builder_abandon(stmt->markers.builder);
}
