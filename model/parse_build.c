#include "model/parse_build.h"

#include "engine/format.h"

/* ---- failing ---- */

void *build_node(struct parser *p, size_t size)
{
    void *node = p->status == WR_OK ? ctx_alloc(p->ctx, size) : NULL;
    if (!node) {
        if (p->status == WR_OK)
            p->status = WR_NOMEM;
        memset(&p->spare, 0, sizeof p->spare);
        return &p->spare;
    }
    return node;
}

void build_refuse(struct parser *p, size_t offset)
{
    if (p->status != WR_OK)
        return;
    p->status = WR_SYNTAX;
    p->refused = true;
    p->ctx->error_offset = offset;
}

void build_fail(struct parser *p, size_t offset, const char *format, ...)
{
    va_list args;
    if (p->status != WR_OK)
        return;
    va_start(args, format);
    format_message(p->ctx->error, sizeof p->ctx->error, format, args);
    va_end(args);
    p->status = WR_SYNTAX;
    p->ctx->error_offset = offset;
}

void build_note(struct parser *p, size_t offset, const char *format, ...)
{
    char text[ERROR_TEXT_MAX];
    va_list args;
    if (p->status != WR_OK || p->noted)
        return;
    va_start(args, format);
    format_message(text, sizeof text, format, args);
    va_end(args);
    p->noted = ctx_string(p->ctx, slice_str(text));
    p->noted_at = offset;
    if (!p->noted)
        p->status = WR_NOMEM;
}

void build_fail_deep(struct parser *p, size_t offset)
{
    build_fail(p, offset, "the statement is nested too deeply");
    p->too_deep = true;
}

void build_fail_number(struct parser *p, size_t offset, const char *reason, struct slice text)
{
    build_fail(p, offset, "Failed parsing statement: [%.*s] reason: NumberFormatException %s%.*s%s", SLICE_ARG(p->text), reason,
               SLICE_ARG(text), text.len ? "\"" : "");
}

void build_check_depth(struct parser *p, uint32_t depth, size_t offset)
{
    if (depth > p->depth_most)
        build_fail_deep(p, offset);
}

/* ---- texts and names ---- */

struct slice build_text(struct parser *p, struct token token)
{
    struct slice text = SLICE_NULL;
    if (p->status == WR_OK)
        p->status = token_text(p->ctx, p->text, token, &text);
    return text;
}

int64_t build_whole(struct parser *p, struct token integer, int64_t min, int64_t max)
{
    struct slice text = slice_of(p->text.data + integer.offset, integer.len);
    bool negative = text.data[0] == '-';
    uint64_t value = 0, limit = negative ? (uint64_t)max + 1 : (uint64_t)max;

    for (size_t i = negative; i < text.len; i++) {
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (value > (limit - digit) / 10) {
            build_fail_number(p, integer.offset, "For input string: \"", text);
            return 0;
        }
        value = value * 10 + digit;
    }
    if (!negative)
        return (int64_t)value;
    return value == limit ? min : -(int64_t)value;
}

struct ast_names *build_word(struct parser *p, struct token token)
{
    struct ast_names *word = BUILD(p, ast_names);
    word->name = build_text(p, token);
    word->offset = token.offset;
    return word;
}

struct ast_name *build_name(struct parser *p, struct token keyspace, struct token name, const char *what)
{
    struct ast_name *built = BUILD(p, ast_name);
    struct token first = keyspace.len ? keyspace : name;
    if (keyspace.len && keyspace.kind == LEX_QMARK)
        build_fail(p, keyspace.offset, "Bind variables cannot be used for keyspace names");
    else if (name.len && name.kind == LEX_QMARK)
        build_fail(p, name.offset, "Bind variables cannot be used for %s", what);
    if (keyspace.len)
        built->keyspace = build_text(p, keyspace);
    if (name.len)
        built->name = build_text(p, name);
    built->offset = first.offset;
    return built;
}

struct ast_name build_keyspace(struct ast_name name)
{
    return (struct ast_name){ SLICE_NULL, name.keyspace, name.offset };
}

static bool is_function_word(enum lex_kind kind)
{
    return kind != LEX_QMARK && (lex_class(kind) != WORD_SPECIAL || kind == LEX_COUNT);
}

/* A keyword is a function's name as it is typed; the names of types, count and token are not. */
static bool keeps_case(struct token name)
{
    enum word_class class = lex_class((enum lex_kind)name.kind);
    return class != WORD_NONE && class != WORD_NATIVE && name.kind != LEX_COUNT && name.kind != LEX_TOKEN;
}

struct ast_name *build_function_name(struct parser *p, struct token keyspace, struct token name)
{
    struct ast_name *built = build_name(p, keyspace, (struct token){ .kind = LEX_END }, NULL);
    if (!is_function_word((enum lex_kind)name.kind))
        build_refuse(p, name.offset);
    built->name = keeps_case(name) ? slice_of(p->text.data + name.offset, name.len) : build_text(p, name);
    built->offset = keyspace.len ? keyspace.offset : name.offset;
    return built;
}
