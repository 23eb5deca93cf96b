/*
 * Columns that come twice in a CREATE TABLE that is no CQL. Cassandra's parser goes on behind a name or a type that it cannot read, and the
 * exception of the second column of a name, an InvalidRequest, comes before the syntax errors that it has noted.
 */

#include "model/lex.h"
#include "model/parse_build.h"

struct scan {
    struct lexer lexer;
    struct token token;
};

static bool take(struct scan *s, enum lex_kind kind)
{
    if (s->token.kind != kind)
        return false;
    s->token = lex_next(&s->lexer);
    return true;
}

static bool is_name(const struct token *token)
{
    enum word_class class = lex_class(token->kind);
    return token->kind == LEX_IDENT || token->kind == LEX_QUOTED || (class != WORD_NONE && class != WORD_RESERVED);
}

/* On to what stands behind a type, or where it cannot go on. */
static void pass_type(struct scan *s)
{
    int depth = 0;

    if (!is_name(&s->token))
        return;
    s->token = lex_next(&s->lexer);
    if (take(s, LEX_DOT) && is_name(&s->token))
        s->token = lex_next(&s->lexer);
    do {
        depth += s->token.kind == LEX_LT;
        depth -= s->token.kind == LEX_GT;
        if (depth > 0 || s->token.kind == LEX_GT)
            s->token = lex_next(&s->lexer);
    } while (depth > 0 && s->token.kind != LEX_RP && s->token.kind != LEX_END && s->token.kind != LEX_ERROR);
}

/* On to the comma behind PRIMARY KEY (..), or the end. */
static void pass_key(struct scan *s)
{
    int depth = 0;

    while (s->token.kind != LEX_END && s->token.kind != LEX_ERROR && !(depth == 0 && (s->token.kind == LEX_COMMA || s->token.kind == LEX_RP))) {
        depth += s->token.kind == LEX_LP;
        depth -= s->token.kind == LEX_RP;
        s->token = lex_next(&s->lexer);
    }
}

/* The name, which may be missing; false: that is not what is wrong. */
static bool read_table(struct parser *p, struct scan *s, struct ast_name *name)
{
    if (take(s, LEX_IF) && !(take(s, LEX_NOT) && take(s, LEX_EXISTS)))
        return false;
    if (is_name(&s->token)) {
        name->name = build_text(p, s->token);
        s->token = lex_next(&s->lexer);
    }
    if (take(s, LEX_DOT) && is_name(&s->token)) {
        name->keyspace = name->name;
        name->name = build_text(p, s->token);
        s->token = lex_next(&s->lexer);
    }
    return take(s, LEX_LP);
}

void build_check_repeated(struct parser *p)
{
    struct scan s;
    struct ast_name name = { .name = SLICE_LIT("null"), .keyspace = SLICE_NULL }; /* as the server calls one that is missing */
    struct table_items items = { .name = &name };

    lex_init(&s.lexer, p->text);
    s.token = lex_next(&s.lexer);
    if (!take(&s, LEX_CREATE) || !take(&s, LEX_COLUMNFAMILY))
        return;
    if (!read_table(p, &s, &name))
        return;
    do {
        if (take(&s, LEX_PRIMARY)) {
            pass_key(&s);
            continue;
        }
        if (s.token.kind == LEX_COMMA)
            continue;
        struct token column = s.token;
        if (!is_name(&column))
            break;
        s.token = lex_next(&s.lexer);
        if (s.token.kind != LEX_COMMA && s.token.kind != LEX_RP && s.token.kind != LEX_END && !is_name(&s.token))
            break;
        pass_type(&s);
        struct ast_column_def *def = BUILD(p, ast_column_def);
        def->name = build_text(p, column);
        build_table_column(&items, def);
        take(&s, LEX_STATIC);
        if (take(&s, LEX_PRIMARY))
            take(&s, LEX_KEY);
    } while (take(&s, LEX_COMMA) && p->status == WR_OK);
    build_check_columns(p, &items);
}
