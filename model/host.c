#include "model/host.h"

#include "model/digit.h"

/* ---- types ---- */

struct lookup {
    const struct schema *schema;
    bool missed;
};

static const struct type *find_type(void *arg, struct slice keyspace, struct slice name)
{
    struct lookup *l = arg;
    const struct type *type = schema_type(l->schema, keyspace, name);
    l->missed |= !type;
    return type;
}

enum wr_status host_type(struct ctx *ctx, const struct schema *schema, struct slice keyspace, struct slice text,
                                 const struct type **out)
{
    struct lookup lookup = { schema, false };
    return type_parse_name(ctx, text, keyspace, find_type, &lookup, out);
}

enum wr_status host_types(struct ctx *ctx, const struct schema *schema, const struct host_function *function,
                          const struct type **args, const struct type **result, bool *known)
{
    enum wr_status st = host_type(ctx, schema, function->keyspace, function->result, result);

    for (uint32_t i = 0; i < function->arg_count && st == WR_OK; i++)
        st = host_type(ctx, schema, function->keyspace, function->args[i], &args[i]);
    *known = st == WR_OK;
    return st == WR_NOMEM ? st : WR_OK;
}

/* ---- adding ---- */

static struct slice trimmed(struct slice s)
{
    while (s.len && is_space(s.data[0]))
        s = slice_skip(s, 1);
    while (s.len && is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

/* The type that text begins with, up to a comma outside of brackets; *rest is behind the comma, null at the end. */
static struct slice first_type(struct slice text, struct slice *rest)
{
    int depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        quoted ^= c == '"';
        depth += quoted ? 0 : (c == '<') - (c == '>');
        if (c == ',' && !depth && !quoted) {
            *rest = slice_skip(text, i + 1);
            return trimmed(slice_of(text.data, i));
        }
    }
    *rest = SLICE_NULL;
    return trimmed(text);
}

/* As it will be compared and shown: parsed and printed again, in the function's own memory. */
static enum wr_status keep_type(struct ctx *ctx, const struct schema *schema, struct host_function *f,
                                struct slice text, struct slice *out)
{
    const struct type *type;
    struct buf printed;
    enum wr_status st = host_type(ctx, schema, f->keyspace, text, &type);

    if (st == WR_NOMEM)
        return st;
    if (st != WR_OK)
        return fail(ctx, WR_INVALID, "wr_function_register: '%.*s' is not a type of keyspace '%.*s'", SLICE_ARG(text),
                    SLICE_ARG(f->keyspace));
    buf_init(&printed, &f->arena);
    type_print_name(&printed, type);
    if (printed.failed)
        return fail_nomem(ctx);
    *out = buf_slice(&printed);
    return WR_OK;
}

/* inner: of the function's memory. */
static enum wr_status keep_args(struct ctx *ctx, struct ctx *inner, const struct schema *schema, struct host_function *f,
                                const char *text)
{
    struct slice rest = trimmed(slice_str(text ? text : "")), all = rest;
    uint32_t count = 0;

    for (rest = all.len ? all : SLICE_NULL; !slice_is_null(rest); count++)
        (void)first_type(rest, &rest);
    f->args = NEW_ARRAY(inner, struct slice, count);
    f->arg_names = NEW_ARRAY(inner, struct slice, count);
    if (!f->args || !f->arg_names)
        return fail_nomem(ctx);
    for (rest = all; f->arg_count < count; f->arg_count++) {
        TRY(keep_type(ctx, schema, f, first_type(rest, &rest), &f->args[f->arg_count]));
        const char *name = ctx_format(inner, "arg%u", f->arg_count);
        if (!name)
            return fail_nomem(ctx);
        f->arg_names[f->arg_count] = slice_str(name);
    }
    return WR_OK;
}

static enum wr_status fill(struct ctx *ctx, const struct schema *schema, const struct wr_function *from,
                           struct host_function *f)
{
    struct ctx inner;
    ctx_init(&inner, &f->arena);
    if (!(f->name = ctx_string(&inner, slice_str(from->name))) ||
        ctx_copy(&inner, slice_str(from->keyspace), &f->keyspace) != WR_OK)
        return fail_nomem(ctx);
    TRY(keep_args(ctx, &inner, schema, f, from->arguments));
    TRY(keep_type(ctx, schema, f, trimmed(slice_str(from->returns)), &f->result));
    f->flags = from->flags;
    f->call = from->call;
    f->arg = from->arg;
    return WR_OK;
}

enum wr_status host_add(struct ctx *ctx, struct database *db, const struct schema *schema,
                        const struct wr_function *function, struct host_function **out)
{
    struct host_function *f = mem_alloc(sizeof *f);
    if (!f)
        return fail_nomem(ctx);
    arena_init(&f->arena);
    atomic_init(&f->withdrawn, false);
    enum wr_status st = fill(ctx, schema, function, f);
    if (st != WR_OK) {
        arena_release(&f->arena);
        mem_free(f);
        return st;
    }
    if (function->call) /* who takes it back gives nothing over, though the struct is mostly the one it was registered with */
        f->destroy = function->destroy;
    struct host_function *head = atomic_load(&db->functions);
    do
        f->older = head;
    while (!atomic_compare_exchange_weak(&db->functions, &head, f));
    *out = f;
    return WR_OK;
}

void host_withdraw(struct host_function *function)
{
    function->destroy = NULL; /* of one that was not registered the caller takes care */
    atomic_store(&function->withdrawn, true);
}

void host_release(struct database *db)
{
    struct host_function *f = atomic_load(&db->functions);
    while (f) {
        struct host_function *older = f->older;
        if (f->destroy)
            f->destroy(f->arg);
        arena_release(&f->arena);
        mem_free(f);
        f = older;
    }
}

/* ---- finding ---- */

static bool has_args(const struct host_function *f, const struct slice *args, uint32_t arg_count)
{
    bool same = f->arg_count == arg_count;
    for (uint32_t i = 0; i < arg_count && same; i++)
        same = slice_eq(f->args[i], args[i]);
    return same;
}

/* Whether one that is newer, and was there when the walk began, has its place. */
static bool is_replaced(const struct host_walk *walk, const struct host_function *f)
{
    for (const struct host_function *n = walk->head; n != f; n = n->older)
        if (!atomic_load(&n->withdrawn) && slice_eq(n->keyspace, f->keyspace) && strcmp(n->name, f->name) == 0 &&
            has_args(n, f->args, f->arg_count))
            return true;
    return false;
}

struct host_walk host_walk(const struct database *db, struct slice keyspace, struct slice name)
{
    const struct host_function *head = db ? atomic_load(&db->functions) : NULL;
    return (struct host_walk){ keyspace, name, head, head };
}

const struct host_function *host_next(struct host_walk *walk)
{
    const struct host_function *f;
    while ((f = walk->next)) {
        walk->next = f->older;
        if ((slice_is_null(walk->keyspace) || slice_eq(f->keyspace, walk->keyspace)) &&
            (slice_is_null(walk->name) || slice_eq_str(walk->name, f->name)) && f->call &&
            !atomic_load(&f->withdrawn) && !is_replaced(walk, f))
            return f;
    }
    return NULL;
}

const struct host_function *host_find(const struct database *db, struct slice keyspace, struct slice name,
                                      const struct slice *args, uint32_t arg_count)
{
    struct host_walk walk = host_walk(db, keyspace, name);
    const struct host_function *f;
    while ((f = host_next(&walk)) && !has_args(f, args, arg_count))
        ;
    return f;
}

/* ---- rows ---- */

struct system_function host_row(const struct host_function *f)
{
    return (struct system_function){ .keyspace = f->keyspace,
                                     .name = slice_str(f->name),
                                     .result = f->result,
                                     .args = f->args,
                                     .arg_names = f->arg_names,
                                     .arg_count = f->arg_count,
                                     .called_on_null = f->flags & WR_FUNCTION_CALLED_ON_NULL,
                                     .language = SLICE_LIT(SYSTEM_HOST_LANGUAGE),
                                     .body = slice_str(f->name) };
}

enum wr_status host_show_all(struct catalog_edit *edit, const struct database *db, struct slice keyspace)
{
    struct host_walk walk = host_walk(db, keyspace, SLICE_NULL);
    const struct host_function *f;
    while ((f = host_next(&walk))) {
        struct system_function row = host_row(f);
        TRY(catalog_show_function(edit, &row));
    }
    return WR_OK;
}
