/*
 * Columns, primary keys and clustering orders that come twice in a CREATE TABLE that is no CQL. Cassandra's parser goes on behind a character, a name or a type
 * that it cannot read, and the exception of the second one, an InvalidRequest, comes before the syntax errors that it has noted.
 */

#include "model/lex.h"
#include "model/parse_build.h"

struct repeat_scan {
    struct lexer lexer;
    struct token token;
};

static void step(struct repeat_scan *s)
{
    do
        s->token = lex_next(&s->lexer);
    while (s->token.kind == LEX_ERROR && lex_recover(&s->lexer));
}

static bool take(struct repeat_scan *s, enum lex_kind kind)
{
    if (s->token.kind != kind)
        return false;
    step(s);
    return true;
}

static void pass_name(struct repeat_scan *s)
{
    if (lex_is_name(s->token.kind))
        step(s);
}

/* What stands between < and > of a type: t a type, n a number, * more types. */
static const char *parts_of(enum lex_kind kind)
{
    switch (kind) {
    case LEX_LIST:
    case LEX_SET:
    case LEX_FROZEN: return "t";
    case LEX_MAP: return "t,t";
    case LEX_VECTOR: return "t,n";
    case LEX_TUPLE: return "t*";
    default: return NULL;
    }
}

static bool begins_type(const struct token *token)
{
    return lex_is_name(token->kind) || token->kind == LEX_SET || token->kind == LEX_STRING;
}

/* On to what stands behind a type, or to where it cannot go on; of types in it, the same, so that all end where the first one does. */
static void pass_type(struct repeat_scan *s, int depth)
{
    const char *parts = parts_of(s->token.kind);

    if (!begins_type(&s->token) || depth == TYPE_DEPTH_MAX)
        return;
    step(s);
    if (take(s, LEX_DOT)) {
        pass_name(s);
        return;
    }
    if (!parts || !take(s, LEX_LT))
        return;
    for (; *parts; parts++) {
        if (*parts == 't')
            pass_type(s, depth + 1);
        else if (*parts == '*')
            while (take(s, LEX_COMMA))
                pass_type(s, depth + 1);
        else if (!take(s, *parts == ',' ? LEX_COMMA : LEX_INTEGER))
            return;
    }
    take(s, LEX_GT);
}

/* Any of them may be missing. */
static void pass_names(struct repeat_scan *s)
{
    do
        pass_name(s);
    while (take(s, LEX_COMMA));
}

/* On to what stands behind PRIMARY KEY (..), or to where that cannot go on; true: the partition key in it is whole, and has been told. */
static bool pass_key(struct repeat_scan *s)
{
    bool named = true;

    if (!take(s, LEX_KEY) || !take(s, LEX_LP))
        return false;
    if (take(s, LEX_LP)) {
        pass_names(s);
        if (!take(s, LEX_RP))
            return false;
    } else {
        named = lex_is_name(s->token.kind);
        pass_name(s);
    }
    if (take(s, LEX_COMMA))
        pass_names(s);
    take(s, LEX_RP);
    return named;
}

/* The name, which may be missing; false: that is not what is wrong. */
static bool read_table(struct parser *p, struct repeat_scan *s, struct ast_name *name)
{
    if (take(s, LEX_IF) && !(take(s, LEX_NOT) && take(s, LEX_EXISTS)))
        return false;
    if (lex_is_name(s->token.kind)) {
        name->name = build_text(p, s->token);
        step(s);
    }
    if (take(s, LEX_DOT) && lex_is_name(s->token.kind)) {
        name->keyspace = name->name;
        name->name = build_text(p, s->token);
        step(s);
    }
    return take(s, LEX_LP);
}

/* Behind CLUSTERING; only where the direction is there the column has been told. */
static void read_order(struct parser *p, struct repeat_scan *s, struct ast_clustering_order ***end)
{
    if (!take(s, LEX_ORDER) || !take(s, LEX_BY) || !take(s, LEX_LP))
        return;
    do {
        struct token column = s->token;
        pass_name(s);
        if (lex_is_name(column.kind) && (s->token.kind == LEX_ASC || s->token.kind == LEX_DESC)) {
            **end = BUILD(p, ast_clustering_order);
            (**end)->column = build_text(p, column);
            *end = &(**end)->next;
            step(s);
        }
    } while (take(s, LEX_COMMA));
}

static bool begins_value(enum lex_kind kind)
{
    return kind == LEX_STRING || kind == LEX_INTEGER || kind == LEX_FLOATING || kind == LEX_TRUTH || kind == LEX_UUID_VALUE || kind == LEX_HEX ||
           kind == LEX_LC;
}

/* On to what parts properties. One may be missing; false: it cannot be told what it is, and there the parser gives up. */
static bool pass_property(struct parser *p, struct repeat_scan *s, struct ast_clustering_order ***end)
{
    if (take(s, LEX_CLUSTERING)) {
        read_order(p, s, end);
    } else if (lex_is_name(s->token.kind) && !take(s, LEX_COMPACT)) {
        step(s);
        if (!take(s, LEX_EQ) || !begins_value(s->token.kind))
            return false;
    }
    while (s->token.kind != LEX_AND && s->token.kind != LEX_END && s->token.kind != LEX_ERROR)
        step(s);
    return true;
}

static void read_properties(struct parser *p, struct repeat_scan *s, const struct ast_name *name)
{
    struct ast_clustering_order *order = NULL, **end = &order;

    if (!take(s, LEX_RP) || !take(s, LEX_WITH))
        return;
    while (pass_property(p, s, &end) && take(s, LEX_AND))
        ;
    build_check_order(p, order, "table", name);
}

void build_check_repeated(struct parser *p)
{
    struct repeat_scan s;
    struct ast_name name = { .name = SLICE_LIT("null"), .keyspace = SLICE_NULL }; /* as the server calls one that is missing */
    struct table_items items = { .name = &name };

    lex_init(&s.lexer, p->text);
    step(&s);
    if (!take(&s, LEX_CREATE) || !take(&s, LEX_COLUMNFAMILY))
        return;
    if (!read_table(p, &s, &name))
        return;
    do {
        if (take(&s, LEX_PRIMARY)) {
            if (pass_key(&s))
                build_primary_key(&items);
            continue;
        }
        if (s.token.kind == LEX_COMMA)
            continue;
        struct token column = s.token;
        if (!lex_is_name(column.kind))
            break;
        step(&s);
        pass_type(&s, 0);
        struct ast_column_def *def = BUILD(p, ast_column_def);
        def->name = build_text(p, column);
        build_table_column(&items, def);
        take(&s, LEX_STATIC);
        if (take(&s, LEX_PRIMARY) && take(&s, LEX_KEY))
            build_primary_key(&items);
    } while (take(&s, LEX_COMMA) && p->status == WR_OK);
    build_check_columns(p, &items);
    if (p->status == WR_OK)
        read_properties(p, &s, &name);
}
