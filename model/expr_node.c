#include "model/expr_node.h"

#include "model/parse.h"

/* ---- making ---- */

static enum wr_status make(struct bind *bind, const struct ast_expr *ast, bool selecting, unsigned depth,
                           struct node **out);

enum wr_status node_find_column(struct bind *bind, struct slice name, const struct column **out)
{
    struct buf text;

    *out = NULL;
    if (!bind->table) {
        buf_init(&text, bind->ctx->arena);
        cql_put_name(&text, name);
        return fail(bind->ctx, WR_INVALID, "Undefined column name %s", buf_string(bind->ctx, &text));
    }
    TRY(table_require_column(bind->ctx, bind->table, name, out));
    if (!bind->first_selected)
        bind->first_selected = *out;
    return WR_OK;
}

struct slice node_keyspace(const struct bind *bind)
{
    if (!slice_is_null(bind->asked_in))
        return bind->asked_in;
    return bind->table ? bind->table->keyspace : bind->current_keyspace;
}

enum wr_status node_written_type(struct bind *bind, struct node *node, const struct type **out)
{
    const struct ast_type *ast = node->ast->type;
    struct slice keyspace = node_keyspace(bind);
    bool own = slice_is_null(bind->asked_in);

    *out = node->type;
    if (own && node->type)
        return WR_OK;
    if (slice_is_null(node->keyspace))
        node->keyspace = keyspace;
    else if (!slice_eq(node->keyspace, keyspace) && ast_type_lacks_keyspace(ast))
        return fail_foreign_type(bind->ctx, keyspace, node->keyspace);
    TRY(bind_type(bind, keyspace, ast, out));
    if (own)
        node->type = *out;
    return WR_OK;
}

/* A selected one is of a frozen type. Users' types in a term are looked up when somebody asks for them. */
static enum wr_status make_hint(struct bind *bind, struct node *node)
{
    const struct type *type;

    if (!node->selecting && ast_type_has_users(node->ast->type))
        return WR_OK;
    TRY(node_written_type(bind, node, &type));
    if (node->selecting && !(node->type = type_freeze(bind->ctx, type)))
        return WR_NOMEM;
    return WR_OK;
}

/* Selectable.WithMapOrUdt prepares what is in it when somebody asks for its type: a function looks for its name first. */
static enum wr_status put_off(struct bind *bind, struct node *node, uint32_t arg)
{
    static const struct ast_expr unmade = { .kind = EXPR_NOTHING };
    const struct ast_expr *ast = node->ast->args;

    for (uint32_t i = 0; i < arg; i++)
        ast = ast->next;
    if (!(node->args[arg] = NEW(bind->ctx, struct node)))
        return WR_NOMEM;
    *node->args[arg] = (struct node){ .ast = ast->kind == EXPR_COLUMN ? ast : &unmade, .selecting = true };
    if (!node->late && !(node->late = ctx_format(bind->ctx, "%s", bind->ctx->error)))
        return WR_NOMEM;
    return WR_OK;
}

enum wr_status node_fail_late(struct bind *bind, const struct node *node)
{
    return node->late ? fail(bind->ctx, WR_INVALID, "%s", node->late) : WR_OK;
}

static enum wr_status make_args(struct bind *bind, struct node *node, unsigned depth)
{
    const struct ast_expr *ast = node->ast, *arg;
    enum wr_status st;
    uint32_t i = 0;

    if (!ast->args)
        return WR_OK;
    for (arg = ast->args; arg; arg = arg->next)
        node->arg_count++;
    if (!(node->args = NEW_ARRAY(bind->ctx, struct node *, node->arg_count)))
        return WR_NOMEM;
    for (arg = ast->args; arg; arg = arg->next, i++) {
        /* what selects within a collection is a term; a key of {k: v} may turn out to be a field, not a column */
        bool term = i > 0 && (ast->kind == EXPR_ELEMENT || ast->kind == EXPR_SLICE);
        bool field = ast->kind == EXPR_PAIRS && i % 2 == 0 && arg->kind == EXPR_COLUMN;
        if (arg->kind == EXPR_NOTHING)
            continue; /* an open end stays NULL */
        if (field) {
            if (!(node->args[i] = NEW(bind->ctx, struct node)))
                return WR_NOMEM;
            *node->args[i] = (struct node){ .ast = arg, .selecting = node->selecting };
            if (node->selecting && bind->table)
                node->args[i]->column = table_column(bind->table, arg->text);
            if (node->selecting && !node->args[i]->column && !node->late && !node->stray)
                node->stray = arg;
            continue;
        }
        st = make(bind, arg, node->selecting && !term, depth + 1, &node->args[i]);
        if (st == WR_INVALID && node->selecting && ast->kind == EXPR_PAIRS)
            st = put_off(bind, node, i);
        if (st != WR_OK)
            return st;
        if (!node->late)
            node->late = node->args[i]->late;
    }
    return WR_OK;
}

static bool is_count_of_literal(const struct ast_expr *ast)
{
    return ast->arg_count == 1 && ast->args->kind == EXPR_CONSTANT && ast->args->literal != LITERAL_NULL &&
           slice_eq_str(ast->text, "count") && (slice_is_null(ast->keyspace) || slice_eq_str(ast->keyspace, "system"));
}

/* In a select list overloads follow from the arguments alone. */
static enum wr_status resolve_selecting(struct bind *bind, struct node *node)
{
    const struct ast_expr *ast = node->ast;
    struct named_call call = { .args = node->args };

    TRY(node_func_name(bind->ctx, node, &call.keyspace, &call.name));
    if (ast->kind == EXPR_FUNCTION && (ast->star || is_count_of_literal(ast))) {
        /* count(*), and count(1), which counts rows as well */
        node->arg_count = 0;
        call.keyspace = SLICE_LIT("system");
        call.name = SLICE_LIT("count_rows");
    }
    call.arg_count = node->arg_count;
    TRY(func_resolve(bind, &call, NULL, false, &node->func));
    if (!node->func) {
        if (slice_is_null(call.keyspace))
            return fail(bind->ctx, WR_INVALID, "Unknown function '%.*s'", SLICE_ARG(call.name));
        return fail(bind->ctx, WR_INVALID, "Unknown function '%.*s.%.*s'", SLICE_ARG(call.keyspace), SLICE_ARG(call.name));
    }
    return WR_OK;
}

/* What only a select list has. */
static bool is_of_rows(enum expr_kind kind)
{
    return kind == EXPR_COLUMN || kind == EXPR_CELL_FUNCTION || kind == EXPR_ELEMENT || kind == EXPR_SLICE ||
           kind == EXPR_FIELD;
}

static enum wr_status make(struct bind *bind, const struct ast_expr *ast, bool selecting, unsigned depth,
                           struct node **out)
{
    struct node *node;

    if (depth > EXPR_DEPTH_MAX)
        return fail(bind->ctx, WR_INVALID, "Expressions may not be nested more than %d levels deep", EXPR_DEPTH_MAX);
    if (!selecting && is_of_rows(ast->kind)) /* the grammar has none there */
        return fail(bind->ctx, WR_INVALID, "Columns cannot be used in a value");
    if (!(node = NEW(bind->ctx, struct node)))
        return WR_NOMEM;
    node->ast = ast;
    node->selecting = selecting;
    TRY(make_args(bind, node, depth));

    switch (ast->kind) {
    case EXPR_COLUMN:
        TRY(node_find_column(bind, ast->text, &node->column));
        break;
    case EXPR_HINT:
        TRY(make_hint(bind, node));
        break;
    case EXPR_CAST:
        TRY(bind_type(bind, node_keyspace(bind), ast->type, &node->type));
        break; /* which function it is depends on the argument: node_bind */
    case EXPR_FUNCTION:
    case EXPR_BINARY:
    case EXPR_NEGATE:
        if (selecting)
            TRY(resolve_selecting(bind, node));
        break;
    default:
        break;
    }
    *out = node;
    return WR_OK;
}

enum wr_status node_make(struct bind *bind, const struct ast_expr *ast, bool selecting, struct node **out)
{
    TRY(make(bind, ast, selecting, 0, out));
    return node_fail_late(bind, *out);
}

enum wr_status node_func_name(struct ctx *ctx, const struct node *node, struct slice *keyspace, struct slice *name)
{
    const struct ast_expr *ast = node->ast;
    struct buf buf;

    *keyspace = SLICE_LIT("system");
    switch (ast->kind) {
    case EXPR_BINARY:
        *name = slice_str(operator_function(ast->op));
        return WR_OK;
    case EXPR_NEGATE:
        *name = SLICE_LIT("_negate");
        return WR_OK;
    case EXPR_CAST:
        buf_init(&buf, ctx->arena);
        buf_put_str(&buf, "cast_as_");
        cql_put_type(&buf, ast->type, SLICE_NULL);
        return buf_done(ctx, &buf, name);
    default:
        *keyspace = ast->keyspace;
        *name = ast->text;
        return WR_OK;
    }
}

/* ---- printing ---- */

/* Of a UDT or a map, whose keys may be either until it is known which: a message has their names as they were written (Selectable.RawIdentifier). */
enum key_case { KEYS_FOLDED, KEYS_WRITTEN };

static void put(struct buf *buf, const struct node *node, enum key_case keys);

static void put_args(struct buf *buf, const struct node *node, const char *before, const char *after, enum key_case keys)
{
    buf_put_str(buf, before);
    for (uint32_t i = 0; i < node->arg_count; i++) {
        if (i)
            buf_put_str(buf, ", ");
        put(buf, node->args[i], keys);
    }
    buf_put_str(buf, after);
}

/* Term.Raw.getText of a call: operators and casts by the names of their functions. */
static void put_call_term(struct buf *buf, const struct node *node, enum key_case keys)
{
    struct slice keyspace, name;
    struct ctx scratch;

    ctx_init(&scratch, buf->arena);
    if (node_func_name(&scratch, node, &keyspace, &name) != WR_OK) {
        buf->failed = true;
        return;
    }
    if (slice_eq_str(name, "token")) { /* a keyword, yet never quoted */
        buf_put_slice(buf, name);
    } else {
        if (!slice_is_null(keyspace)) {
            cql_put_name(buf, keyspace);
            buf_put_u8(buf, '.');
        }
        cql_put_name(buf, name);
    }
    put_args(buf, node, "(", ")", keys);
}

/* Function.columnName. */
static void put_call_column(struct buf *buf, const struct node *node, enum key_case keys)
{
    const struct ast_expr *ast = node->ast;

    if (ast->kind == EXPR_CAST || (node->func && (node->func->flags & FUNC_CAST))) {
        buf_put_str(buf, "cast(");
        put(buf, node->args[0], keys);
        buf_put_str(buf, " as ");
        if (node->func)
            type_print_name(buf, node->func->result);
        else
            cql_put_type(buf, ast->type, SLICE_NULL);
        buf_put_str(buf, ")");
    } else if (ast->kind == EXPR_BINARY) {
        put(buf, node->args[0], keys);
        buf_printf(buf, " %c ", ast->op);
        put(buf, node->args[1], keys);
    } else if (ast->kind == EXPR_NEGATE) {
        put_args(buf, node, "-", "", keys);
    } else if (node->func && (node->func->flags & FUNC_COUNT_ROWS)) {
        buf_put_str(buf, "count");
    } else {
        if (node->func && !slice_is_null(node->func->keyspace))
            buf_printf(buf, "%.*s.%s", SLICE_ARG(node->func->keyspace), node->func->name);
        else
            buf_printf(buf, "system.%s", node->func ? node->func->name : "?");
        put_args(buf, node, "(", ")", keys);
    }
}

static void put_pairs(struct buf *buf, const struct node *node, enum key_case keys)
{
    buf_put_u8(buf, '{');
    for (uint32_t i = 0; i + 1 < node->arg_count; i += 2) {
        if (i)
            buf_put_str(buf, ", ");
        if (keys == KEYS_WRITTEN && node->args[i]->ast->kind == EXPR_COLUMN)
            buf_put_slice(buf, node->args[i]->ast->written);
        else
            put(buf, node->args[i], keys);
        buf_put_str(buf, ": ");
        put(buf, node->args[i + 1], keys);
    }
    buf_put_u8(buf, '}');
}

static void put_hint(struct buf *buf, const struct node *node, enum key_case keys)
{
    buf_put_u8(buf, '(');
    cql_put_type(buf, node->ast->type, node->keyspace);
    buf_put_u8(buf, ')');
    put(buf, node->args[0], keys);
}

static void put_element(struct buf *buf, const struct node *node, enum key_case keys)
{
    put(buf, node->args[0], keys);
    buf_put_u8(buf, '[');
    put(buf, node->args[1], keys);
    buf_put_u8(buf, ']');
}

static void put_slice(struct buf *buf, const struct node *node, enum key_case keys)
{
    put(buf, node->args[0], keys);
    buf_put_u8(buf, '[');
    if (node->args[1])
        put(buf, node->args[1], keys);
    buf_put_str(buf, "..");
    if (node->args[2])
        put(buf, node->args[2], keys);
    buf_put_u8(buf, ']');
}

static void put(struct buf *buf, const struct node *node, enum key_case keys)
{
    const struct ast_expr *ast = node->ast;

    if (node->vanished) {
        put(buf, node->args[0], keys);
        return;
    }
    switch (ast->kind) {
    case EXPR_CONSTANT:
    case EXPR_MARKER:
    case EXPR_COLUMN:
    case EXPR_NOTHING:
        cql_put_expr(buf, ast);
        break;
    case EXPR_FUNCTION:
    case EXPR_CAST:
    case EXPR_NEGATE:
    case EXPR_BINARY:
        (node->selecting ? put_call_column : put_call_term)(buf, node, keys);
        break;
    case EXPR_CELL_FUNCTION:
        buf_put_slice(buf, ast->text);
        put_args(buf, node, "(", ")", keys);
        break;
    case EXPR_HINT:
        put_hint(buf, node, keys);
        break;
    case EXPR_LIST:
        put_args(buf, node, "[", "]", keys);
        break;
    case EXPR_BRACES:
        put_args(buf, node, "{", "}", keys);
        break;
    case EXPR_PAIRS:
        put_pairs(buf, node, keys);
        break;
    case EXPR_TUPLE:
        put_args(buf, node, "(", ")", keys);
        break;
    case EXPR_ELEMENT:
        put_element(buf, node, keys);
        break;
    case EXPR_SLICE:
        put_slice(buf, node, keys);
        break;
    case EXPR_FIELD:
        put(buf, node->args[0], keys);
        buf_put_u8(buf, '.');
        buf_put_slice(buf, ast->text);
        break;
    }
}

void node_put(struct buf *buf, const struct node *node)
{
    put(buf, node, KEYS_FOLDED);
}

const char *node_text(struct ctx *ctx, const struct node *node)
{
    struct buf buf;

    buf_init(&buf, ctx->arena);
    put(&buf, node, KEYS_WRITTEN);
    const char *text = buf.failed ? NULL : ctx_format(ctx, "%.*s", SLICE_ARG(buf_slice(&buf))); /* a NUL as messages have it */
    return text ? text : "?";
}
