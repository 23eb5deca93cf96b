#include "model/resource.h"

#include "engine/buf.h"
#include "model/type.h"

#define BIT(p) (1 << PERMISSION_##p)

enum {
    ON_TABLE = BIT(ALTER) | BIT(DROP) | BIT(SELECT) | BIT(MODIFY) | BIT(AUTHORIZE) | BIT(UNMASK) | BIT(SELECT_MASKED),
    ON_TABLES = ON_TABLE | BIT(CREATE),
    ON_ROLE = BIT(ALTER) | BIT(DROP) | BIT(AUTHORIZE) | BIT(DESCRIBE),
    ON_ROLES = ON_ROLE | BIT(CREATE),
    ON_FUNCTION = BIT(ALTER) | BIT(DROP) | BIT(AUTHORIZE) | BIT(EXECUTE),
    ON_FUNCTIONS = ON_FUNCTION | BIT(CREATE),
    ON_MBEAN = BIT(AUTHORIZE) | BIT(DESCRIBE) | BIT(EXECUTE) | BIT(MODIFY) | BIT(SELECT),
};

/* In a name and a text %k is the keyspace, %n the name, %c classes and %t types. */
static const struct kind {
    const char *class_name, *name, *text;
    int parent; /* itself: none */
    permissions permissions;
} kinds[] = {
    [RESOURCE_ALL_KEYSPACES] = { "DataResource", "data", "<all keyspaces>", RESOURCE_ALL_KEYSPACES, ON_TABLES },
    [RESOURCE_KEYSPACE] = { "DataResource", "data/%k", "<keyspace %k>", RESOURCE_ALL_KEYSPACES, ON_TABLES },
    [RESOURCE_ALL_TABLES] = { "DataResource", "data/%k/*", "<all tables in %k>", RESOURCE_KEYSPACE, ON_TABLES },
    [RESOURCE_TABLE] = { "DataResource", "data/%k/%n", "<table %k.%n>", RESOURCE_ALL_TABLES, ON_TABLE },
    [RESOURCE_ALL_ROLES] = { "RoleResource", "roles", "<all roles>", RESOURCE_ALL_ROLES, ON_ROLES },
    [RESOURCE_ROLE] = { "RoleResource", "roles/%n", "<role %n>", RESOURCE_ALL_ROLES, ON_ROLE },
    [RESOURCE_ALL_FUNCTIONS] = { "FunctionResource", "functions", "<all functions>", RESOURCE_ALL_FUNCTIONS,
                                 ON_FUNCTIONS },
    [RESOURCE_KEYSPACE_FUNCTIONS] = { "FunctionResource", "functions/%k", "<all functions in %k>",
                                      RESOURCE_ALL_FUNCTIONS, ON_FUNCTIONS },
    [RESOURCE_FUNCTION] = { "FunctionResource", "functions/%k/%n[%c]", "<function %k.%n(%t)>",
                            RESOURCE_KEYSPACE_FUNCTIONS, ON_FUNCTION },
    [RESOURCE_ALL_MBEANS] = { "JMXResource", "mbean", "<all mbeans>", RESOURCE_ALL_MBEANS, ON_MBEAN },
    [RESOURCE_MBEAN] = { "JMXResource", "mbean/%n", "<mbean %n>", RESOURCE_ALL_MBEANS, ON_MBEAN },
};

static void put(struct buf *buf, const char *format, const struct resource *r)
{
    for (; *format; format++) {
        if (*format != '%') {
            buf_put_u8(buf, (uint8_t)*format);
            continue;
        }
        char part = *++format;
        buf_put_slice(buf, part == 'k' ? r->keyspace : part == 'n' ? r->name : part == 'c' ? r->classes : r->types);
    }
}

enum wr_status resource_name(struct ctx *ctx, const struct resource *r, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    put(&buf, kinds[r->kind].name, r);
    return buf_done(ctx, &buf, out);
}

const char *resource_text(struct ctx *ctx, const struct resource *r)
{
    struct slice text;
    struct buf buf;
    buf_init(&buf, ctx->arena);
    put(&buf, kinds[r->kind].text, r);
    buf_put_u8(&buf, 0);
    return buf_done(ctx, &buf, &text) == WR_OK ? (const char *)text.data : NULL;
}

bool resource_parent(const struct resource *r, struct resource *out)
{
    enum resource_kind parent = (enum resource_kind)kinds[r->kind].parent;
    if (parent == r->kind)
        return false;
    *out = resource_of(parent, r->keyspace, SLICE_NULL);
    return true;
}

permissions resource_permissions(const struct resource *r)
{
    return kinds[r->kind].permissions;
}

const char *resource_class(const struct resource *r)
{
    return kinds[r->kind].class_name;
}

bool resource_is_data(const struct resource *r)
{
    return r->kind <= RESOURCE_TABLE;
}

/* ---- functions ---- */

enum wr_status resource_function(struct ctx *ctx, struct slice keyspace, struct slice name,
                                 const struct type *const *types, uint32_t count, struct resource *out)
{
    struct buf classes, texts;
    buf_init(&classes, ctx->arena);
    buf_init(&texts, ctx->arena);
    for (uint32_t i = 0; i < count; i++) {
        buf_put_str(&classes, i ? "^" : "");
        type_print_class(&classes, types[i]);
        buf_put_str(&texts, i ? ", " : "");
        type_print_name(&texts, types[i]);
    }
    *out = resource_of(RESOURCE_FUNCTION, keyspace, name);
    TRY(buf_done(ctx, &classes, &out->classes));
    return buf_done(ctx, &texts, &out->types);
}

/* The types of a function's classes; what is no class of ours stands for itself. */
static enum wr_status read_classes(struct ctx *ctx, struct resource *r)
{
    struct slice left = r->classes;
    struct buf texts;
    buf_init(&texts, ctx->arena);
    while (left.len) {
        const uint8_t *mark = memchr(left.data, '^', left.len);
        struct slice class = slice_of(left.data, mark ? (size_t)(mark - left.data) : left.len);
        const struct type *type;
        if (type_parse_class(ctx, class, &type) == WR_OK)
            type_print_name(&texts, type);
        else
            buf_put_slice(&texts, class);
        left = slice_skip(left, class.len + (mark != NULL));
        buf_put_str(&texts, left.len ? ", " : "");
    }
    return buf_done(ctx, &texts, &r->types);
}

/* ---- from a name ---- */

/* The first part up to a slash; *rest what lies behind, null: nothing. */
static struct slice first_part(struct slice name, struct slice *rest)
{
    const uint8_t *slash = name.len ? memchr(name.data, '/', name.len) : NULL;
    size_t len = slash ? (size_t)(slash - name.data) : name.len;
    *rest = slash ? slice_skip(name, len + 1) : SLICE_NULL;
    return slice_of(name.data, len);
}

static enum wr_status read_data(struct ctx *ctx, struct slice rest, struct resource *out)
{
    (void)ctx;
    struct slice table, keyspace = first_part(rest, &table);
    enum resource_kind kind = slice_is_null(table)       ? RESOURCE_KEYSPACE
                              : slice_eq_str(table, "*") ? RESOURCE_ALL_TABLES
                                                         : RESOURCE_TABLE;
    *out = resource_of(kind, keyspace, table);
    return WR_OK;
}

static enum wr_status read_role(struct ctx *ctx, struct slice rest, struct resource *out)
{
    (void)ctx;
    *out = resource_role(rest);
    return WR_OK;
}

static enum wr_status read_function(struct ctx *ctx, struct slice rest, struct resource *out)
{
    struct slice function, keyspace = first_part(rest, &function);
    *out = resource_of(RESOURCE_KEYSPACE_FUNCTIONS, keyspace, SLICE_NULL);
    if (slice_is_null(function))
        return WR_OK;
    size_t open = function.len;
    while (open > 0 && function.data[open - 1] != '[')
        open--;
    if (!open || function.data[function.len - 1] != ']')
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.IllegalArgumentException: functions/%.*s is not a valid function resource name. It must end with \"[]\"",
                    SLICE_ARG(rest));
    *out = resource_of(RESOURCE_FUNCTION, keyspace, slice_of(function.data, open - 1));
    out->classes = slice_of(function.data + open, function.len - open - 1);
    return read_classes(ctx, out);
}

static enum wr_status read_mbean(struct ctx *ctx, struct slice rest, struct resource *out)
{
    (void)ctx;
    *out = resource_of(RESOURCE_MBEAN, SLICE_NULL, rest);
    return WR_OK;
}

enum wr_status resource_of_name(struct ctx *ctx, struct slice name, struct resource *out)
{
    static const struct {
        enum resource_kind root;
        enum wr_status (*read)(struct ctx *ctx, struct slice rest, struct resource *out);
    } roots[] = {
        { RESOURCE_ALL_KEYSPACES, read_data },
        { RESOURCE_ALL_ROLES, read_role },
        { RESOURCE_ALL_FUNCTIONS, read_function },
        { RESOURCE_ALL_MBEANS, read_mbean },
    };
    struct slice rest, root = first_part(name, &rest);
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        if (!slice_eq_str(root, kinds[roots[i].root].name))
            continue;
        *out = resource_of(roots[i].root, SLICE_NULL, SLICE_NULL);
        return rest.len ? roots[i].read(ctx, rest, out) : WR_OK;
    }
    return fail(ctx, WR_SERVER_ERROR, "java.lang.IllegalArgumentException: Name %.*s is not valid for any resource type", SLICE_ARG(name));
}
