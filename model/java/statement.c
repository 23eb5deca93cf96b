/* Statements, from tokens to a tree. */
#include "engine/thread.h"
#include "model/java/parse.h"

static enum wr_status parse_statement(struct java_parser *p, struct java_node **out);
static enum wr_status parse_block(struct java_parser *p, struct java_node **out);

static bool is_statement(enum java_op op)
{
    return op == JE_ASSIGN || op == JE_STEP || op == JE_CALL || op == JE_NEW;
}

static enum wr_status parse_statement_expression(struct java_parser *p, struct java_node **out)
{
    const struct java_token *t = p->at;
    struct java_node *n = java_new_node(p, JS_EXPRESSION, t);

    if (!n)
        return WR_NOMEM;
    TRY(java_parse_expression(p, &n->a));
    *out = n;
    if (is_statement(n->a->op))
        return WR_OK;
    if (n->a->op == JE_BINARY)
        return fail(p->ctx, WR_INVALID,
                    JAVA_ERROR_LIST "Line %u: Syntax error on token \"%.*s\", invalid AssignmentOperator\n", n->a->line,
                    SLICE_ARG(n->a->name));
    return fail(p->ctx, WR_INVALID,
                JAVA_ERROR_LIST
                "Line %u: Syntax error, insert \"VariableDeclarators\" to complete LocalVariableDeclaration\n",
                t->line);
}

/* A declaration begins here: a type, and a name behind it. */
static bool is_declaration(const struct java_parser *p)
{
    struct java_parser ahead = *p;
    return java_is_at(p, "@") || java_is_at(p, "final") || (java_skip_type(&ahead) && ahead.at->kind == JT_NAME);
}

static enum wr_status parse_local(struct java_parser *p, const struct java_type *type, bool is_final,
                                  struct java_node **out)
{
    struct java_node *n = java_new_node(p, JS_LOCAL, p->at);
    if (!n)
        return WR_NOMEM;
    *out = n;
    if (p->at->kind != JT_NAME)
        return java_fail_token(p);
    n->name = p->at++->text;
    n->type = type;
    n->is_final = is_final;
    unsigned depth = p->depth;
    while (java_accept(p, "[")) {
        TRY(java_enter(p));
        TRY(java_expect(p, "]", "Dims"));
        if (!n->type)
            return java_fail_token(p); /* var x[] */
        TRY(java_parse_dimension(p, &n->type));
    }
    p->depth = depth;
    if (!java_accept(p, "="))
        return WR_OK;
    const struct java_token *t = p->at;
    if (!java_accept(p, "{"))
        return java_parse_expression(p, &n->a);
    if (!(n->a = java_new_node(p, JE_ARRAY, t)))
        return WR_NOMEM;
    return java_parse_array(p, &n->a->b, &n->a->count);
}

/* @SuppressWarnings("unchecked"): nothing that a run would see. */
static enum wr_status skip_annotations(struct java_parser *p)
{
    struct java_node *arguments;
    uint32_t count;

    while (java_accept(p, "@")) {
        const struct java_type *type;
        if (!slice_eq_str(p->at->text, "SuppressWarnings"))
            TRY(java_parse_type(p, &type));
        else
            p->at++;
        if (java_accept(p, "("))
            TRY(java_parse_list(p, ")", &arguments, &count));
    }
    return WR_OK;
}

static enum wr_status parse_locals(struct java_parser *p, struct java_node ***last)
{
    const struct java_type *type;
    TRY(skip_annotations(p));
    bool is_final = java_accept(p, "final");
    TRY(java_parse_local_type(p, &type));
    for (bool first = true; first || java_accept(p, ","); first = false) {
        TRY(parse_local(p, type, is_final, *last));
        if (!first && !type)
            java_error(p->errors, **last, "'var' is not allowed in a compound declaration");
        *last = &(**last)->next;
    }
    return WR_OK;
}

static enum wr_status parse_condition(struct java_parser *p, struct java_node **out)
{
    TRY(java_expect(p, "(", "Expression"));
    TRY(java_parse_expression(p, out));
    return java_expect(p, ")", "Statement");
}

/* The bracket behind what a statement follows. */
static enum wr_status expect_statement(struct java_parser *p)
{
    if (p->at->kind == JT_END || java_is_at(p, ")"))
        return java_expect(p, ")", "Statement");
    return fail(p->ctx, WR_INVALID,
                JAVA_ERROR_LIST "Line %u: Syntax error, insert \") Statement\" to complete BlockStatements\n",
                p->at[-1].line);
}

/* (condition) statement */
static enum wr_status parse_guarded(struct java_parser *p, struct java_node **condition, struct java_node **body)
{
    TRY(java_expect(p, "(", "Expression"));
    TRY(java_parse_expression(p, condition));
    TRY(expect_statement(p));
    return parse_statement(p, body);
}

static enum wr_status parse_for(struct java_parser *p, struct java_node *n)
{
    struct java_node **last = &n->a;

    TRY(java_expect(p, "(", "ForHeader"));
    if (is_declaration(p)) {
        TRY(parse_locals(p, &last));
        if (!n->a->a && !n->a->next && java_accept(p, ":")) {
            n->op = JS_EACH;
            TRY(java_parse_expression(p, &n->b));
            TRY(expect_statement(p));
            return parse_statement(p, &n->body);
        }
    } else if (!java_is_at(p, ";")) {
        do {
            TRY(parse_statement_expression(p, last));
            last = &(*last)->next;
        } while (java_accept(p, ","));
    }
    TRY(java_expect(p, ";", "ForStatement"));
    if (!java_is_at(p, ";"))
        TRY(java_parse_expression(p, &n->b));
    TRY(java_expect(p, ";", "ForStatement"));
    last = &n->c;
    if (!java_is_at(p, ")"))
        do {
            TRY(parse_statement_expression(p, last));
            last = &(*last)->next;
        } while (java_accept(p, ","));
    TRY(expect_statement(p));
    return parse_statement(p, &n->body);
}

/* The types of a catch, one or some with | between. */
static enum wr_status parse_caught(struct java_parser *p, struct java_node *catch)
{
    struct java_node **last = &catch->a;

    do {
        if (!(*last = java_new_node(p, JE_CLASS, p->at)))
            return WR_NOMEM;
        TRY(java_parse_type(p, &(*last)->type));
        last = &(*last)->next;
    } while (java_accept(p, "|"));
    return WR_OK;
}

static enum wr_status parse_try(struct java_parser *p, struct java_node *n)
{
    struct java_node **last = &n->a;

    TRY(parse_block(p, &n->body));
    for (const struct java_token *t = p->at; java_accept(p, "catch"); t = p->at) {
        struct java_node *c = java_new_node(p, JS_CATCH, t);
        if (!c)
            return WR_NOMEM;
        TRY(java_expect(p, "(", "CatchHeaderName"));
        c->is_final = java_accept(p, "final");
        TRY(parse_caught(p, c));
        if (p->at->kind != JT_NAME)
            return java_fail_token(p);
        c->name = p->at++->text;
        TRY(java_expect(p, ")", "CatchHeader"));
        TRY(parse_block(p, &c->body));
        *last = c;
        last = &c->next;
    }
    if (java_accept(p, "finally"))
        return parse_block(p, &n->b);
    return n->a ? WR_OK
                : fail(p->ctx, WR_INVALID,
                       JAVA_ERROR_LIST "Line %u: Syntax error, insert \"Finally\" to complete BlockStatements\n",
                       p->at->line);
}

static enum wr_status parse_switch(struct java_parser *p, struct java_node *n)
{
    struct java_node **last = &n->b;

    TRY(parse_condition(p, &n->a));
    TRY(java_expect(p, "{", "SwitchBlock"));
    while (!java_accept(p, "}")) {
        struct java_node *c = java_new_node(p, JS_CASE, p->at), **inner;
        if (!c)
            return WR_NOMEM;
        if (java_accept(p, "case"))
            TRY(java_parse_binary(p, 1, &c->a));
        else if (!java_accept(p, "default"))
            return java_fail_token(p);
        TRY(java_expect(p, ":", "SwitchLabel"));
        for (inner = &c->b; !java_is_at(p, "case") && !java_is_at(p, "default") && !java_is_at(p, "}");) {
            if (is_declaration(p)) {
                TRY(parse_locals(p, &inner));
                TRY(java_expect(p, ";", "BlockStatements"));
                continue;
            }
            TRY(parse_statement(p, inner));
            inner = &(*inner)->next;
        }
        *last = c;
        last = &c->next;
    }
    return WR_OK;
}

static enum wr_status parse_do(struct java_parser *p, struct java_node *n)
{
    TRY(parse_statement(p, &n->body));
    TRY(java_expect(p, "while", "DoStatement"));
    TRY(parse_condition(p, &n->a));
    return java_expect(p, ";", "DoStatement");
}

static enum wr_status parse_jump(struct java_parser *p, struct java_node *n)
{
    if (p->at->kind == JT_NAME)
        n->name = p->at++->text;
    return java_expect(p, ";", "BlockStatements");
}

static enum wr_status parse_value(struct java_parser *p, struct java_node *n)
{
    if (n->op == JS_RETURN && java_accept(p, ";"))
        return WR_OK;
    TRY(java_parse_expression(p, &n->a));
    return java_expect(p, ";", "BlockStatements");
}

static enum wr_status parse_if(struct java_parser *p, struct java_node *n)
{
    TRY(parse_guarded(p, &n->a, &n->b));
    return java_accept(p, "else") ? parse_statement(p, &n->c) : WR_OK;
}

static enum wr_status parse_while(struct java_parser *p, struct java_node *n)
{
    return parse_guarded(p, &n->a, &n->body);
}

static enum wr_status parse_assert(struct java_parser *p, struct java_node *n)
{
    TRY(java_parse_expression(p, &n->a));
    if (java_accept(p, ":"))
        TRY(java_parse_expression(p, &n->b));
    return java_expect(p, ";", "BlockStatements");
}

static enum wr_status parse_synchronized(struct java_parser *p, struct java_node *n)
{
    TRY(parse_condition(p, &n->a));
    return parse_block(p, &n->body);
}

static const struct {
    const char *word;
    enum java_op op;
    enum wr_status (*parse)(struct java_parser *p, struct java_node *n);
} statements[] = {
    { "if", JS_IF, parse_if },
    { "while", JS_WHILE, parse_while },
    { "do", JS_DO, parse_do },
    { "for", JS_FOR, parse_for },
    { "return", JS_RETURN, parse_value },
    { "throw", JS_THROW, parse_value },
    { "break", JS_BREAK, parse_jump },
    { "continue", JS_CONTINUE, parse_jump },
    { "try", JS_TRY, parse_try },
    { "switch", JS_SWITCH, parse_switch },
    { "assert", JS_ASSERT, parse_assert },
    { "synchronized", JS_SYNCHRONIZED, parse_synchronized },
};

static enum wr_status parse_statement_inner(struct java_parser *p, struct java_node **out)
{
    const struct java_token *t = p->at;

    if (java_is_at(p, "{"))
        return parse_block(p, out);
    if (java_accept(p, ";"))
        return (*out = java_new_node(p, JS_EMPTY, t)) ? WR_OK : WR_NOMEM;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (java_accept(p, statements[i].word)) {
            if (!(*out = java_new_node(p, statements[i].op, t)))
                return WR_NOMEM;
            return statements[i].parse(p, *out);
        }
    if (t->kind == JT_NAME && t[1].kind == JT_SIGN && slice_eq_str(t[1].text, ":")) {
        struct java_node *n = java_new_node(p, JS_LABEL, t);
        if (!n)
            return WR_NOMEM;
        n->name = t->text;
        p->at += 2;
        *out = n;
        return parse_statement(p, &n->body);
    }
    TRY(parse_statement_expression(p, out));
    return java_expect(p, ";", "BlockStatements");
}

static enum wr_status parse_statement(struct java_parser *p, struct java_node **out)
{
    TRY(java_enter(p));
    TRY(parse_statement_inner(p, out));
    p->depth--;
    return WR_OK;
}

/* Statements up to a brace or the end. */
static enum wr_status parse_statements(struct java_parser *p, struct java_node **list)
{
    while (!java_is_at(p, "}") && p->at->kind != JT_END) {
        if (is_declaration(p)) {
            TRY(parse_locals(p, &list));
            TRY(java_expect(p, ";", "BlockStatements"));
            continue;
        }
        TRY(parse_statement(p, list));
        list = &(*list)->next;
    }
    return WR_OK;
}

static enum wr_status parse_block(struct java_parser *p, struct java_node **out)
{
    struct java_node *n = java_new_node(p, JS_BLOCK, p->at);
    if (!n)
        return WR_NOMEM;
    *out = n;
    TRY(java_expect(p, "{", "Block"));
    TRY(parse_statements(p, &n->a));
    return java_accept(p, "}") ? WR_OK : java_fail_token(p);
}

enum wr_status java_parse(struct ctx *ctx, struct slice body, struct java_errors *errors, struct java_node **out)
{
    struct java_token *tokens;
    struct java_parser p = { .ctx = ctx, .errors = errors, .depth_most = thread_levels(JAVA_DEPTH_MAX, JAVA_LEVEL_BYTES) };

    TRY(java_lex(ctx, &body, &tokens));
    p.text = body.data;
    p.first = p.at = tokens;
    if (!(*out = java_new_node(&p, JS_BLOCK, p.at)))
        return WR_NOMEM;
    TRY(parse_statements(&p, &(*out)->a));
    if (p.at->kind != JT_END)
        return fail(ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error on token \"}\", delete this token\n",
                    tokens->kind == JT_END ? 1 : p.at->line + 2);
    return errors->failed ? fail_nomem(ctx) : WR_OK;
}
