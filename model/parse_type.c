#include "model/parse_build.h"

#include "model/type.h"

static bool is_native(struct token name)
{
    return lex_class((enum lex_kind)name.kind) == WORD_NATIVE;
}

bool parse_is_reserved_type(struct slice name)
{
    static const char *const reserved[] = { "byte", "complex", "enum", "date", "interval", "macaddr", "bitstring" };
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (slice_eq_str(name, reserved[i]))
            return true;
    return false;
}

struct ast_name *build_type_name(struct parser *p, struct token keyspace, struct token name)
{
    struct ast_name *built = build_name(p, keyspace, name, NULL);
    enum word_class class = lex_class((enum lex_kind)name.kind);
    struct slice raw = slice_of(p->text.data + name.offset, name.len);

    if (class == WORD_NATIVE || (class == WORD_SPECIAL && name.kind != LEX_KEY))
        build_refuse(p, name.offset);
    if (name.kind == LEX_IDENT && parse_is_reserved_type(raw))
        build_note(p, name.offset, "Invalid (reserved) user type name %.*s", SLICE_ARG(raw));
    return built;
}

struct ast_type *build_type(struct parser *p, struct token keyspace, struct token name)
{
    struct ast_type *type = BUILD(p, ast_type);
    bool native = keyspace.len == 0 && is_native(name);
    /* a copy between: without memory both lie in the parser's one spare place */
    struct ast_name named = native ? *build_name(p, keyspace, name, NULL) : *build_type_name(p, keyspace, name);
    type->kind = native ? AST_TYPE_NATIVE : AST_TYPE_USER;
    type->name = named;
    type->offset = type->name.offset;
    return type;
}

struct ast_type *build_native(struct parser *p, struct token name)
{
    if (!is_native(name))
        build_refuse(p, name.offset);
    return build_type(p, (struct token){ .kind = LEX_END }, name);
}

/* A method that is called of a type which is not there. */
static void fail_missing(struct parser *p, size_t offset, const char *method, const char *variable)
{
    build_fail(p, offset, "Failed parsing statement: [%.*s] reason: NullPointerException Cannot invoke "
               "\"org.apache.cassandra.cql3.CQL3Type$Raw.%s()\" because \"%s\" is null", SLICE_ARG(p->text), method, variable);
}

/* What freezes (CQL3Type.Raw.freeze: no native types and no custom classes), and what becomes of a type within which one is missing. */
static void check_inside(struct parser *p, struct ast_type *type)
{
    static const char got[] = "frozen<> is only allowed on collections, tuples, and user-defined types (got %s%.*s%s)";
    const struct ast_type *of = type->args;
    bool is_missing = false;

    for (const struct ast_type *arg = of; arg; arg = arg->next)
        is_missing |= arg->is_missing;
    if (is_missing && type->kind == AST_TYPE_FROZEN)
        fail_missing(p, type->offset, "freeze", "f");
    else if (is_missing && type->kind == AST_TYPE_TUPLE)
        fail_missing(p, type->offset, "supportsFreezing", "t");
    else if (type->kind == AST_TYPE_FROZEN && (of->kind == AST_TYPE_CLASS || of->kind == AST_TYPE_NATIVE)) {
        const char *quote = of->kind == AST_TYPE_CLASS ? "'" : "";
        build_note(p, type->offset, got, quote, SLICE_ARG(of->name.name), quote);
        type->is_missing = true;
    } else {
        type->is_missing = is_missing && type->kind != AST_TYPE_VECTOR;
    }
}

struct ast_type *build_type_of(struct parser *p, enum ast_type_kind kind, struct token first, struct type_list args)
{
    struct ast_type *type = BUILD(p, ast_type);
    for (const struct ast_type *arg = args.first; arg && p->status == WR_OK; arg = arg->next)
        if (arg->depth >= type->depth)
            type->depth = arg->depth + 1;
    build_check_depth(p, type->depth, first.offset);
    type->kind = kind;
    type->args = args.first;
    type->offset = first.offset;
    if (p->status == WR_OK)
        check_inside(p, type);
    return type;
}

/* A rule of Cassandra's grammar takes one, and CQL3Type.Raw.tuple stumbles: which is told once the text is known to be CQL else. In what is
 * selected the parser looks ahead, and takes none. */
struct ast_type *build_empty_tuple(struct parser *p, struct token first, struct token open)
{
    p->empty_tuple = open.offset;
    if (p->items)
        p->items->ends = p->columns_end = true;
    return build_type_of(p, AST_TYPE_TUPLE, first, (struct type_list){ NULL, NULL });
}

void build_check_selected(struct parser *p, struct token open)
{
    if (p->empty_tuple > open.offset)
        build_refuse(p, p->empty_tuple);
}

void build_check_tuples(struct parser *p)
{
    if (p->empty_tuple)
        fail_missing(p, p->empty_tuple, "supportsFreezing", "t");
}

struct ast_type *build_vector(struct parser *p, struct token first, struct ast_type *element, struct token dimension)
{
    struct ast_type *type = build_type_of(p, AST_TYPE_VECTOR, first, (struct type_list){ element, element });
    type->dimension = build_whole(p, dimension, INT32_MIN, INT32_MAX);
    return type;
}

/* CQL3Type.Custom: a class is shown as it names itself. What descends is no type here, and is told by its name. */
static struct slice shown_class(struct parser *p, struct slice text, const struct type *type)
{
    bool reversed = type_class_is_reversed(text);
    struct slice shown = text;
    struct buf buf;

    buf_init(&buf, p->ctx->arena);
    buf_put_str(&buf, reversed ? "org.apache.cassandra.db.marshal.ReversedType(" : "");
    type_print_class(&buf, type);
    buf_put_str(&buf, reversed ? ")" : "");
    p->status = buf_done(p->ctx, &buf, &shown);
    return shown;
}

struct ast_type *build_class(struct parser *p, struct token string)
{
    struct ast_type *type = BUILD(p, ast_type);
    type->kind = AST_TYPE_CLASS;
    type->name.name = build_text(p, string);
    type->name.offset = type->offset = string.offset;
    if (p->status == WR_OK) { /* at once: a server notes what is no class before it gets to what is no CQL behind it */
        const struct type *found;
        enum wr_status st = type_parse_class(p->ctx, type->name.name, &found);
        if (st == WR_OK) {
            type->name.name = shown_class(p, type->name.name, found);
        } else if (st == WR_SYNTAX) {
            build_note(p, string.offset, "%s", p->ctx->error);
            type->is_missing = true;
        } else if (st == WR_SERVER_ERROR) {
            const char *reason = ctx_format(p->ctx, "%s", p->ctx->error);
            build_fail(p, string.offset, "Failed parsing statement: [%.*s] reason: %s", SLICE_ARG(p->text), reason ? reason : "");
        } else {
            p->status = st;
        }
    }
    return type;
}
