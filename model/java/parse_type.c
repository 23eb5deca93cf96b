/* Types in a body: `int`, `java.util.Map<String, int[]>`, `var`. */
#include "model/java/parse.h"

/* a.b.C from the token on: the class's kind and how many tokens its name has; J_ERROR, 1: none. */
static enum java_kind class_at(struct java_parser *p, size_t *tokens)
{
    const struct java_token *t = p->at;
    enum java_kind found = J_ERROR;
    char name[128];
    size_t len = 0, n = 1;

    *tokens = 1;
    while (t->kind == JT_NAME && len + t->text.len + 1 < sizeof name) {
        memcpy(name + len, t->text.data, t->text.len);
        len += t->text.len;
        enum java_kind kind = java_class_by_name(slice_of(name, len));
        if (kind) {
            found = kind;
            *tokens = n;
        }
        if (t[1].kind != JT_SIGN || !slice_eq_str(t[1].text, "."))
            break;
        name[len++] = '.';
        t += 2;
        n += 2;
    }
    return found;
}

/* Whether the tokens from p->at look like a type; p->at is moved behind it. Nothing is resolved. */
bool java_skip_type(struct java_parser *p)
{
    if (++p->depth > p->depth_most)
        return false;
    if (p->at->kind == JT_KEYWORD) {
        if (!java_primitive(p->at->text))
            return false;
        p->at++;
    } else {
        if (p->at->kind != JT_NAME)
            return false;
        for (p->at++; java_is_at(p, ".") && p->at[1].kind == JT_NAME; p->at += 2)
            ;
        if (java_accept(p, "<")) {
            if (!java_is_at(p, ">"))
                do {
                    bool wild = java_accept(p, "?");
                    bool bound = !wild || java_accept(p, "extends") || java_accept(p, "super");
                    if (bound && !java_skip_type(p))
                        return false;
                } while (java_accept(p, ","));
            if (!java_accept(p, ">"))
                return false;
        }
    }
    while (java_is_at(p, "[") && slice_eq_str(p->at[1].text, "]"))
        p->at += 2;
    return true;
}

/* The name from start on is no class's: it is told whole, and p->at moved behind it. */
static enum wr_status fail_class(struct java_parser *p, const struct java_token *start, const struct java_node *where)
{
    struct buf name;

    buf_init(&name, p->ctx->arena);
    buf_put_slice(&name, start->text);
    for (p->at = start + 1; java_is_at(p, ".") && p->at[1].kind == JT_NAME; p->at += 2) {
        buf_put_u8(&name, '.');
        buf_put_slice(&name, p->at[1].text);
    }
    java_error(p->errors, where, "%.*s cannot be resolved to a type", SLICE_ARG(buf_slice(&name)));
    return name.failed ? fail_nomem(p->ctx) : WR_OK;
}

/* Without the brackets of an array. NULL in *out: `var`. */
enum wr_status java_parse_type_base(struct java_parser *p, bool *diamond, const struct java_type **out)
{
    const struct java_token *start = p->at;
    const struct java_type *args[2] = { NULL, NULL };
    struct java_node where = { .line = start->line,
                               .at = (uint32_t)(start->text.data ? start->text.data - p->text : 0) };
    uint32_t count = 0;
    size_t tokens;

    if (p->at->kind == JT_KEYWORD && (*out = java_primitive(p->at->text))) {
        p->at++;
        return WR_OK;
    }
    if (p->at->kind != JT_NAME)
        return java_fail_token(p);
    enum java_kind kind = class_at(p, &tokens);
    p->at += tokens;
    bool goes_on = java_is_at(p, ".") && p->at[1].kind == JT_NAME;
    if (!kind && !goes_on && slice_eq_str(start->text, "var")) {
        *out = NULL;
        return WR_OK;
    }
    if (!kind || goes_on) {
        TRY(fail_class(p, start, &where));
        kind = J_ERROR;
    }
    TRY(java_parse_type_arguments(p, args, &count, diamond));
    if (kind && count && count != java_class_parameters(kind)) {
        java_error(p->errors, &where, "Incorrect number of arguments for type %s", java_class_full_name(kind));
        kind = J_ERROR;
    }
    if ((args[0] && args[0]->kind == J_ERROR) || (args[1] && args[1]->kind == J_ERROR))
        kind = J_ERROR;
    *out = count && kind ? java_generic(p->ctx, kind, args[0], args[1]) : java_simple(kind);
    return *out ? WR_OK : WR_NOMEM;
}

enum wr_status java_parse_dimension(struct java_parser *p, const struct java_type **type)
{
    unsigned dimensions = 0;
    for (const struct java_type *t = *type; t->kind == J_ARRAY; t = t->args[0])
        dimensions++;
    if (dimensions >= JAVA_DIMENSIONS_MAX)
        return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Too many dimensions for array type\n", p->at->line);
    return (*type = java_array_of(p->ctx, *type)) ? WR_OK : WR_NOMEM;
}

const struct java_type *java_wrong_type(struct java_parser *p, const struct java_token *start, const char *why)
{
    struct java_node where = { .line = start->line,
                               .at = (uint32_t)(start->text.data ? start->text.data - p->text : 0) };
    java_error(p->errors, &where, "%s", why);
    return java_simple(J_ERROR);
}

enum wr_status java_parse_type(struct java_parser *p, const struct java_type **out)
{
    const struct java_token *start = p->at;
    TRY(java_parse_local_type(p, out));
    if (!*out)
        *out = java_wrong_type(p, start, "'var' is not allowed here");
    return WR_OK;
}

enum wr_status java_parse_local_type(struct java_parser *p, const struct java_type **out)
{
    const struct java_token *start = p->at;
    bool diamond = false;
    unsigned depth = p->depth;
    TRY(java_enter(p));
    TRY(java_parse_type_base(p, &diamond, out));
    while (java_is_at(p, "[") && slice_eq_str(p->at[1].text, "]")) {
        p->at += 2;
        if (!*out || (*out)->kind == J_VOID)
            *out = java_wrong_type(
                p, start, *out ? "void[] is an invalid type" : "'var' is not allowed as an element type of an array");
        TRY(java_parse_dimension(p, out));
    }
    p->depth = depth;
    return WR_OK;
}

/* One that takes any subtype of what it is of: `?`, `? extends Number`. Of `? super Integer` nothing is known. */
static enum wr_status parse_wildcard(struct java_parser *p, const struct java_type **out)
{
    const struct java_type *bound = java_simple(J_OBJECT), *below;

    if (java_accept(p, "extends"))
        TRY(java_parse_type(p, &bound));
    else if (java_accept(p, "super"))
        TRY(java_parse_type(p, &below));
    *out = java_wildcard(p->ctx, bound);
    return *out ? WR_OK : WR_NOMEM;
}

static enum wr_status parse_argument_of_type(struct java_parser *p, const struct java_type **out)
{
    uint32_t line = p->at->line;

    if (java_accept(p, "?"))
        return parse_wildcard(p, out);
    TRY(java_parse_type(p, out));
    if (java_is_primitive(*out) || (*out)->kind == J_VOID)
        return fail(p->ctx, WR_INVALID,
                    JAVA_ERROR_LIST "Line %u: Syntax error, insert \"Dimensions\" to complete ReferenceType\n", line);
    return WR_OK;
}

enum wr_status java_parse_type_arguments(struct java_parser *p, const struct java_type **args, uint32_t *count,
                                         bool *diamond)
{
    *count = 0;
    if (!java_accept(p, "<"))
        return WR_OK;
    if (java_accept(p, ">")) {
        *diamond = true;
        return WR_OK;
    }
    do {
        const struct java_type *type;
        TRY(parse_argument_of_type(p, &type));
        if (*count < 2)
            args[*count] = type;
        ++*count;
    } while (java_accept(p, ","));
    return java_expect(p, ">", "TypeArguments");
}
