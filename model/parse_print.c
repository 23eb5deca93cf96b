#include "model/lex.h"
#include "model/parse.h"

/* ---- names ---- */

static bool is_reserved(struct slice word)
{
    enum lex_kind kind = lex_word(word);
    return kind != LEX_IDENT && (lex_class(kind) == WORD_RESERVED || lex_class(kind) == WORD_NONE);
}

/* ColumnIdentifier's pattern for what needs no quotes. */
static bool reads_back_bare(struct slice name)
{
    if (name.len == 0 || name.data[0] < 'a' || name.data[0] > 'z')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return !is_reserved(name);
}

void cql_put_name(struct buf *buf, struct slice name)
{
    if (reads_back_bare(name))
        buf_put_slice(buf, name);
    else
        cql_put_quoted_name(buf, name);
}

void cql_put_own_name(struct buf *buf, struct slice name)
{
    (lex_word(name) == LEX_IDENT && !parse_is_reserved_type(name) ? cql_put_name : cql_put_quoted_name)(buf, name);
}

void cql_put_full_name(struct buf *buf, struct slice keyspace, struct slice name)
{
    cql_put_name(buf, keyspace);
    buf_put_u8(buf, '.');
    cql_put_name(buf, name);
}

const char *cql_full_name(struct ctx *ctx, struct slice keyspace, struct slice name)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    cql_put_full_name(&buf, keyspace, name);
    return buf_string(ctx, &buf);
}

void cql_put_quoted_name(struct buf *buf, struct slice name)
{
    buf_put_u8(buf, '"');
    for (size_t i = 0; i < name.len; i++) {
        buf_put_u8(buf, name.data[i]);
        if (name.data[i] == '"')
            buf_put_u8(buf, '"');
    }
    buf_put_u8(buf, '"');
}

/* ---- types ---- */

/* Freezing a collection freezes what is in it, and Cassandra prints that; tuples are frozen by themselves, with all that is in them, and
 * never say so. Vectors do not either, and freeze nothing. */
static bool freezes_inside(const struct ast_type *type)
{
    switch (type->kind) {
    case AST_TYPE_LIST:
    case AST_TYPE_SET:
    case AST_TYPE_MAP:
    case AST_TYPE_USER: return true;
    default: return false;
    }
}

static void put_type(struct buf *buf, const struct ast_type *type, struct slice keyspace, bool frozen);

/* The types inside one; frozen: it was frozen, and so are they. */
static void put_type_args(struct buf *buf, const struct ast_type *type, struct slice keyspace, bool frozen)
{
    for (const struct ast_type *arg = type->args; arg; arg = arg->next) {
        bool freeze = frozen && freezes_inside(arg);
        if (arg != type->args)
            buf_put_str(buf, ", ");
        buf_put_str(buf, freeze ? "frozen<" : "");
        put_type(buf, arg, keyspace, frozen);
        buf_put_str(buf, freeze ? ">" : "");
    }
}

/* By the name of its keyspace too: its own, or (where not NULL) the given one. */
static void put_user_type(struct buf *buf, const struct ast_type *type, struct slice keyspace)
{
    struct slice owner = slice_is_null(type->name.keyspace) ? keyspace : type->name.keyspace;
    if (!slice_is_null(owner)) {
        buf_put_slice(buf, owner);
        buf_put_u8(buf, '.');
    }
    buf_put_slice(buf, type->name.name);
}

static void put_type(struct buf *buf, const struct ast_type *type, struct slice keyspace, bool frozen)
{
    static const char *const names[] = {
        [AST_TYPE_LIST] = "list",   [AST_TYPE_SET] = "set",       [AST_TYPE_MAP] = "map",
        [AST_TYPE_TUPLE] = "tuple", [AST_TYPE_VECTOR] = "vector", [AST_TYPE_FROZEN] = "frozen",
    };
    switch (type->kind) {
    case AST_TYPE_NATIVE: buf_put_slice(buf, type->name.name); return;
    case AST_TYPE_USER: put_user_type(buf, type, keyspace); return;
    case AST_TYPE_CLASS:
        buf_put_u8(buf, '\'');
        buf_put_slice(buf, type->name.name);
        buf_put_u8(buf, '\'');
        return;
    default: break;
    }
    if (type->kind == AST_TYPE_FROZEN && !freezes_inside(type->args)) {
        put_type(buf, type->args, keyspace, false);
        return;
    }
    buf_put_str(buf, names[type->kind]);
    buf_put_u8(buf, '<');
    if (type->kind == AST_TYPE_FROZEN)
        put_type(buf, type->args, keyspace, true);
    else
        put_type_args(buf, type, keyspace, type->kind != AST_TYPE_VECTOR && (frozen || type->kind == AST_TYPE_TUPLE));
    if (type->kind == AST_TYPE_VECTOR)
        buf_printf(buf, ", %lld", (long long)type->dimension);
    buf_put_u8(buf, '>');
}

void cql_put_type(struct buf *buf, const struct ast_type *type, struct slice keyspace)
{
    put_type(buf, type, keyspace, false);
}

/* ---- expressions ---- */

static void put_args(struct buf *buf, const char *open, const struct ast_expr *first, const char *close)
{
    buf_put_str(buf, open);
    for (const struct ast_expr *arg = first; arg; arg = arg->next) {
        if (arg != first)
            buf_put_str(buf, ", ");
        cql_put_expr(buf, arg);
    }
    buf_put_str(buf, close);
}

static void put_constant(struct buf *buf, const struct ast_expr *expr)
{
    if (expr->literal == LITERAL_NULL) {
        buf_put_str(buf, "NULL");
    } else if (expr->literal == LITERAL_STRING) { /* quotes inside are not doubled: Constants.Literal.getText */
        buf_put_u8(buf, '\'');
        buf_put_slice(buf, expr->text);
        buf_put_u8(buf, '\'');
    } else {
        buf_put_slice(buf, expr->text);
    }
}

static void put_pairs(struct buf *buf, const struct ast_expr *expr)
{
    buf_put_u8(buf, '{');
    for (const struct ast_expr *key = expr->args; key; key = key->next->next) {
        if (key != expr->args)
            buf_put_str(buf, ", ");
        cql_put_expr(buf, key);
        buf_put_str(buf, ": ");
        cql_put_expr(buf, key->next);
    }
    buf_put_u8(buf, '}');
}

static const struct {
    char op;
    const char *function;
} functions[] = {
    { '+', "_add" }, { '-', "_substract" }, { '*', "_multiply" }, { '/', "_divide" }, { '%', "_modulo" }, /* sic */
};

const char *operator_function(char op)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].op == op)
            return functions[i].function;
    return NULL;
}

char function_operator(struct slice name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (slice_eq_str(name, functions[i].function))
            return functions[i].op;
    return 0;
}

static void put_binary(struct buf *buf, const struct ast_expr *expr)
{
    if (expr->term) { /* operators are functions to Cassandra's terms, and print so there */
        buf_printf(buf, "system.\"%s\"", operator_function(expr->op));
        put_args(buf, "(", expr->args, ")");
        return;
    }
    cql_put_expr(buf, expr->args);
    buf_printf(buf, " %c ", expr->op);
    cql_put_expr(buf, expr->args->next);
}

static void put_negate(struct buf *buf, const struct ast_expr *expr)
{
    if (expr->term) {
        put_args(buf, "system.\"_negate\"(", expr->args, ")");
        return;
    }
    buf_put_u8(buf, '-');
    cql_put_expr(buf, expr->args);
}

static void put_cast(struct buf *buf, const struct ast_expr *expr)
{
    if (expr->term) {
        buf_put_str(buf, "system.cast_as_");
        cql_put_type(buf, expr->type, SLICE_NULL);
        put_args(buf, "(", expr->args, ")");
        return;
    }
    buf_put_str(buf, "cast(");
    cql_put_expr(buf, expr->args);
    buf_put_str(buf, " as ");
    cql_put_type(buf, expr->type, SLICE_NULL);
    buf_put_u8(buf, ')');
}

/* A selector's function has been looked for by the time it prints, and most are found in `system`; who finds it elsewhere sets
 * the keyspace. A term's prints as it was written, but for token, which Cassandra never quotes nor qualifies. */
static void put_call(struct buf *buf, const struct ast_expr *expr)
{
    bool is_system = slice_is_null(expr->keyspace) || slice_eq_str(expr->keyspace, "system");

    if (expr->star) {
        buf_put_str(buf, "count");
        return;
    }
    if (!expr->term) {
        buf_put_slice(buf, slice_is_null(expr->keyspace) ? SLICE_LIT("system") : expr->keyspace);
        buf_put_u8(buf, '.');
        buf_put_slice(buf, expr->text);
    } else if (is_system && slice_eq_str(expr->text, "token")) {
        buf_put_slice(buf, expr->text);
    } else {
        if (!slice_is_null(expr->keyspace)) {
            cql_put_name(buf, expr->keyspace);
            buf_put_u8(buf, '.');
        }
        cql_put_name(buf, expr->text);
    }
    put_args(buf, "(", expr->args, ")");
}

void cql_put_expr(struct buf *buf, const struct ast_expr *expr)
{
    switch (expr->kind) {
    case EXPR_CONSTANT: put_constant(buf, expr); break;
    case EXPR_MARKER: buf_put_u8(buf, '?'); break;
    case EXPR_COLUMN: buf_put_slice(buf, expr->text); break;
    case EXPR_FUNCTION: put_call(buf, expr); break;
    case EXPR_CELL_FUNCTION:
        buf_put_slice(buf, expr->text);
        put_args(buf, "(", expr->args, ")");
        break;
    case EXPR_CAST: put_cast(buf, expr); break;
    case EXPR_HINT:
        buf_put_u8(buf, '(');
        cql_put_type(buf, expr->type, SLICE_NULL);
        buf_put_u8(buf, ')');
        cql_put_expr(buf, expr->args);
        break;
    case EXPR_LIST: put_args(buf, "[", expr->args, "]"); break;
    case EXPR_BRACES: put_args(buf, "{", expr->args, "}"); break;
    case EXPR_PAIRS: put_pairs(buf, expr); break;
    case EXPR_TUPLE: put_args(buf, "(", expr->args, ")"); break;
    case EXPR_NEGATE: put_negate(buf, expr); break;
    case EXPR_BINARY: put_binary(buf, expr); break;
    case EXPR_ELEMENT:
        cql_put_expr(buf, expr->args);
        buf_put_u8(buf, '[');
        cql_put_expr(buf, expr->args->next);
        buf_put_u8(buf, ']');
        break;
    case EXPR_SLICE:
        cql_put_expr(buf, expr->args);
        buf_put_u8(buf, '[');
        cql_put_expr(buf, expr->args->next);
        buf_put_str(buf, "..");
        cql_put_expr(buf, expr->args->next->next);
        buf_put_u8(buf, ']');
        break;
    case EXPR_FIELD:
        cql_put_expr(buf, expr->args);
        buf_put_u8(buf, '.');
        buf_put_slice(buf, expr->text);
        break;
    case EXPR_NOTHING: break;
    }
}

/* ---- relations ---- */

static void put_subject(struct buf *buf, const struct ast_relation *relation)
{
    bool many = relation->subject == SUBJECT_COLUMNS || relation->subject == SUBJECT_TOKEN;

    buf_put_str(buf, relation->subject == SUBJECT_TOKEN ? "token(" : many ? "(" : "");
    for (const struct ast_names *column = relation->columns; column; column = column->next) {
        if (column != relation->columns)
            buf_put_str(buf, ", ");
        cql_put_name(buf, column->name);
    }
    buf_put_str(buf, many ? ")" : "");
    if (relation->subject == SUBJECT_ELEMENT) {
        buf_put_u8(buf, '[');
        cql_put_expr(buf, relation->element);
        buf_put_u8(buf, ']');
    } else if (relation->subject == SUBJECT_FIELD) {
        buf_put_u8(buf, '.');
        cql_put_name(buf, relation->field);
    }
}

void cql_put_relation(struct buf *buf, const struct ast_relation *relation)
{
    static const char *const operators[] = {
        [OP_EQ] = "=",   [OP_NEQ] = "!=",           [OP_LT] = "<",
        [OP_LTE] = "<=", [OP_GT] = ">",             [OP_GTE] = ">=",
        [OP_IN] = "IN",  [OP_CONTAINS] = "CONTAINS", [OP_CONTAINS_KEY] = "CONTAINS KEY",
        [OP_LIKE] = "LIKE", [OP_IS_NOT_NULL] = "IS NOT NULL", [OP_ANN] = "ANN",
    };
    if (relation->subject == SUBJECT_INDEX) {
        buf_put_str(buf, "expr(");
        cql_put_name(buf, relation->columns->name);
        buf_put_u8(buf, ',');
        cql_put_expr(buf, relation->value);
        buf_put_u8(buf, ')');
        return;
    }
    put_subject(buf, relation);
    buf_printf(buf, " %s", operators[relation->op]);
    if (relation->op == OP_IN && !relation->in_marker) {
        put_args(buf, " (", relation->value, ")");
    } else if (relation->value) {
        buf_put_u8(buf, ' ');
        cql_put_expr(buf, relation->value);
    }
}
