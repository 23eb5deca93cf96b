/*
 * Tokens to a tree. What the nodes have, in a, b, c and body:
 *   JE_FIELD      a.name                      JE_CALL       a.name(b...) or name(b...)
 *   JE_NEW        new type(b...)              JE_NEW_ARRAY  new type[a] or new type{b...}
 *   JE_ARRAY      {b...}                      JE_INDEX      a[b]
 *   JE_UNARY      a                           JE_STEP       a
 *   JE_BINARY     a, b                        JE_ASSIGN     a, b
 *   JE_CONDITION  a ? b : c                   JE_CAST       (type) a
 *   JE_INSTANCE   a instanceof type
 *   JS_BLOCK      {a...}                      JS_LOCAL      type name = a
 *   JS_IF         a, b, c                     JS_WHILE, JS_DO  a, body
 *   JS_FOR        a..., b, c..., body         JS_EACH       a : b, body
 *   JS_RETURN, JS_THROW  a                    JS_BREAK, JS_CONTINUE  name
 *   JS_TRY        body, a..., finally b       JS_CATCH      (a... name) body, a of the classes
 *   JS_SWITCH     a, b...                     JS_CASE       a: b...
 *   JS_LABEL      name: body                  JS_ASSERT     a : b
 *   JS_SYNCHRONIZED  (a) body
 * Checked: JE_ASSIGN has in c the JE_TAKEN of a compound one, JE_INSTANCE in b the type that is asked for.
 */
#include "model/java/parse.h"

static enum wr_status parse_unary(struct java_parser *p, struct java_node **out);

/* ---- tokens ---- */

bool java_is_at(const struct java_parser *p, const char *text)
{
    return (p->at->kind == JT_SIGN || p->at->kind == JT_KEYWORD) && slice_eq_str(p->at->text, text);
}

bool java_accept(struct java_parser *p, const char *text)
{
    bool is = java_is_at(p, text);
    p->at += is;
    return is;
}

/* What a compiler says of a token that fits nowhere; of the end, that the method's brace is missing. */
enum wr_status java_fail_token(struct java_parser *p)
{
    const struct java_token *t = p->at;
    if (t->kind == JT_END)
        return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error, insert \"}\" to complete ClassBody\n",
                    t->line + 2);
    return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error on token \"%.*s\", delete this token\n",
                t->line, SLICE_ARG(t->text));
}

/* A name or a value too much in front of a semicolon. */
static bool is_stray(const struct java_parser *p)
{
    return p->at->kind != JT_END && p->at->kind != JT_KEYWORD && p->at->kind != JT_SIGN &&
           slice_eq_str(p->at[1].text, ";");
}

enum wr_status java_expect(struct java_parser *p, const char *text, const char *completes)
{
    if (java_accept(p, text))
        return WR_OK;
    if (is_stray(p) && slice_eq_str(slice_str(text), ";"))
        return java_fail_token(p);
    uint32_t line =
        p->at > p->first ? p->at[-1].line : p->at->line; /* what is missing is missing behind the token before */
    if (p->at->kind == JT_END && slice_eq_str(slice_str(text), ")"))
        return fail(p->ctx, WR_INVALID,
                    JAVA_ERROR_LIST "Line %u: Syntax error, insert \")\" to complete %s\nLine %u: Syntax error, insert "
                                    "\";\" to complete BlockStatements\n",
                    line, completes, line);
    return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error, insert \"%s\" to complete %s\n", line, text,
                completes);
}

struct java_node *java_new_node(struct java_parser *p, enum java_op op, const struct java_token *t)
{
    struct java_node *n = NEW(p->ctx, struct java_node);
    if (n) {
        n->op = op;
        n->line = t->line;
        n->at = t->text.data ? (uint32_t)(t->text.data - p->text) : 0;
    }
    return n;
}

enum wr_status java_enter(struct java_parser *p)
{
    return ++p->depth > p->depth_most
               ? fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: The code is nested too deeply\n", p->at->line)
               : WR_OK;
}

/* ---- primary expressions ---- */

enum wr_status java_parse_list(struct java_parser *p, const char *end, struct java_node **list, uint32_t *count)
{
    *count = 0;
    *list = NULL;
    if (java_accept(p, end))
        return WR_OK;
    do {
        TRY(java_parse_expression(p, list));
        list = &(*list)->next;
        ++*count;
    } while (java_accept(p, ","));
    return java_expect(p, end, "Expression");
}

/* {a, b}, its brace behind us. */
enum wr_status java_parse_array(struct java_parser *p, struct java_node **list, uint32_t *count)
{
    *count = 0;
    *list = NULL;
    while (!java_accept(p, "}")) {
        const struct java_token *start = p->at;
        if (java_accept(p, "{")) {
            struct java_node *inner = java_new_node(p, JE_ARRAY, start);
            if (!inner)
                return WR_NOMEM;
            TRY(java_enter(p));
            TRY(java_parse_array(p, &inner->b, &inner->count));
            p->depth--;
            *list = inner;
        } else {
            TRY(java_parse_expression(p, list));
        }
        list = &(*list)->next;
        ++*count;
        if (!java_accept(p, ",") && !java_is_at(p, "}"))
            return java_fail_token(p);
    }
    return WR_OK;
}

static enum wr_status parse_new(struct java_parser *p, const struct java_token *start, struct java_node **out)
{
    const struct java_type *type;
    bool diamond = false;
    struct java_node *n = java_new_node(p, JE_NEW, start);

    if (!n)
        return WR_NOMEM;
    *out = n;
    TRY(java_parse_type_base(p, &diamond, &type));
    n->type = type ? type : java_wrong_type(p, start + 1, "'var' is not allowed here");
    if (java_accept(p, "(")) {
        if (diamond) /* a server's compiler knows too little of the class to tell what it stands for */
            java_error(p->errors, n, "The type arguments of %s cannot be inferred: write them between < and >",
                       java_class_full_name(type->kind));
        return java_parse_list(p, ")", &n->b, &n->count);
    }
    if (!java_is_at(p, "["))
        return java_expect(p, "(", "Expression");
    n->op = JE_NEW_ARRAY;
    if (n->type->kind == J_VOID)
        n->type = java_wrong_type(p, start + 1, "void[] is an invalid type");
    struct java_node *extra = NULL;
    for (struct java_node **size = &n->a; java_accept(p, "[");) {
        TRY(java_parse_dimension(p, &n->type));
        if (java_accept(p, "]")) {
            size = NULL; /* what follows is made later, one by one */
            continue;
        }
        TRY(java_parse_expression(p, size ? size : &extra));
        if (!size)
            java_error(p->errors, extra, "Cannot specify an array dimension after an empty dimension");
        size = size ? &(*size)->next : NULL;
        TRY(java_expect(p, "]", "Dimensions"));
    }
    if (n->a || extra)
        return WR_OK;
    if (java_accept(p, "{"))
        return java_parse_array(p, &n->b, &n->count);
    java_error(p->errors, n, "Variable must provide either dimension expressions or an array initializer");
    return WR_OK;
}

static enum wr_status parse_literal(struct java_parser *p, struct java_node **out)
{
    static const enum java_kind kinds[] = { [JT_INT] = J_INT,       [JT_LONG] = J_LONG, [JT_FLOAT] = J_FLOAT,
                                            [JT_DOUBLE] = J_DOUBLE, [JT_CHAR] = J_CHAR, [JT_STRING] = J_STRING };
    const struct java_token *t = p->at++;
    struct java_node *n = java_new_node(p, JE_LITERAL, t);

    if (!n)
        return WR_NOMEM;
    n->type = java_simple(kinds[t->kind]);
    n->constant = true;
    n->name = t->kind == JT_STRING ? t->string : t->text;
    if (t->kind == JT_FLOAT || t->kind == JT_DOUBLE)
        n->value.d = t->real;
    else
        n->value.i = t->integer;
    *out = n;
    if (t->least) /* who has a minus in front takes it before */
        return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: The literal %.*s of type %s is out of range \n",
                    t->line, SLICE_ARG(t->text), t->kind == JT_LONG ? "long" : "int");
    return WR_OK;
}

/* int.class, String[].class: what a name's may be is a field to the parser. */
static bool is_class_literal(const struct java_parser *p)
{
    struct java_parser ahead = *p;
    return java_skip_type(&ahead) && java_is_at(&ahead, ".") && slice_eq_str(ahead.at[1].text, "class") &&
           (p->at->kind == JT_KEYWORD || slice_eq_str(ahead.at[-1].text, "]"));
}

static enum wr_status parse_primary(struct java_parser *p, struct java_node **out)
{
    const struct java_token *t = p->at;
    struct java_node *n;

    if (t->kind >= JT_INT && t->kind <= JT_STRING)
        return parse_literal(p, out);
    if (java_accept(p, "(")) {
        TRY(java_parse_expression(p, out));
        return java_expect(p, ")", "Expression");
    }
    if (java_accept(p, "new"))
        return parse_new(p, t, out);
    bool truth = java_is_at(p, "true");
    if (truth || java_is_at(p, "false") || java_is_at(p, "null")) {
        if (!(n = java_new_node(p, JE_LITERAL, t)))
            return WR_NOMEM;
        n->type = java_simple(java_is_at(p, "null") ? J_NULL : J_BOOLEAN);
        n->constant = !java_is_at(p, "null");
        n->value.i = truth;
        p->at++;
        *out = n;
        return WR_OK;
    }
    if (java_is_at(p, ";") && p->at > p->first && t[-1].kind == JT_SIGN && !strchr("(,[", t[-1].text.data[0]))
        return fail(p->ctx, WR_INVALID,
                    JAVA_ERROR_LIST "Line %u: Syntax error on token \"%.*s\", Expression expected after this token\n",
                    t[-1].line, SLICE_ARG(t[-1].text));
    if (java_is_at(p, "this") && slice_eq_str(t[1].text, ".") && slice_eq_str(t[2].text, "udfContext"))
        t = p->at += 2; /* the one field that a body may know of */
    if (is_class_literal(p)) {
        if (!(*out = java_new_node(p, JE_CLASS, t)))
            return WR_NOMEM;
        return java_parse_type(p, &(*out)->type);
    }
    if (t->kind != JT_NAME)
        return java_fail_token(p);
    p->at++;
    if (!(n = java_new_node(p, java_is_at(p, "(") ? JE_CALL : JE_NAME, t)))
        return WR_NOMEM;
    n->name = t->text;
    *out = n;
    return java_accept(p, "(") ? java_parse_list(p, ")", &n->b, &n->count) : WR_OK;
}

static enum wr_status parse_postfix(struct java_parser *p, struct java_node **out)
{
    struct java_node *n, *left;
    unsigned depth = p->depth;

    TRY(parse_primary(p, &left));
    for (;;) {
        const struct java_token *t = p->at;
        bool literal = slice_eq_str(p->at[1].text, "class");
        bool generic = java_is_at(p, ".") && slice_eq_str(p->at[1].text, "<"); /* a.<T>b() */
        const struct java_type *args[2] = { NULL, NULL };
        if (generic) {
            uint32_t count;
            bool diamond;
            p->at++;
            TRY(java_parse_type_arguments(p, args, &count, &diamond));
            t = --p->at;
        }
        if (generic ? p->at[1].kind == JT_NAME : java_is_at(p, ".") && (p->at[1].kind == JT_NAME || literal)) {
            p->at += 2;
            if (!(n = java_new_node(p, java_is_at(p, "(") ? JE_CALL : JE_FIELD, &t[1])))
                return WR_NOMEM;
            n->name = t[1].text;
            memcpy(n->given, args, sizeof args);
            if (java_accept(p, "("))
                TRY(java_parse_list(p, ")", &n->b, &n->count));
        } else if (java_accept(p, "[")) {
            if (!(n = java_new_node(p, JE_INDEX, t)))
                return WR_NOMEM;
            TRY(java_parse_expression(p, &n->b));
            TRY(java_expect(p, "]", "ArrayAccess"));
        } else if (java_is_at(p, "++") || java_is_at(p, "--")) {
            if (!(n = java_new_node(p, JE_STEP, t)))
                return WR_NOMEM;
            n->operator = java_is_at(p, "++") ? JO_ADD : JO_SUBTRACT;
            n->postfix = true;
            p->at++;
        } else {
            break;
        }
        n->a = left;
        n->at = left->at;
        left = n;
        TRY(java_enter(p));
    }
    p->depth = depth;
    *out = left;
    return WR_OK;
}

/* ---- operators ---- */

/* Whether what is between the bracket at p->at and its end is a type that something is cast to. */
static bool is_cast(const struct java_parser *p)
{
    struct java_parser ahead = *p;
    bool primitive = ahead.at[1].kind == JT_KEYWORD;

    ahead.at++;
    if (!java_skip_type(&ahead) || !java_accept(&ahead, ")"))
        return false;
    if (primitive)
        return true;
    if (ahead.at->kind == JT_SIGN)
        return java_is_at(&ahead, "(") || java_is_at(&ahead, "!") || java_is_at(&ahead, "~");
    return ahead.at->kind != JT_END && !java_is_at(&ahead, "instanceof");
}

static enum wr_status parse_cast(struct java_parser *p, struct java_node **out)
{
    struct java_node *n = java_new_node(p, JE_CAST, p->at++);
    if (!n)
        return WR_NOMEM;
    *out = n;
    TRY(java_parse_type(p, &n->type));
    TRY(java_expect(p, ")", "CastExpression"));
    return parse_unary(p, &n->a);
}

static enum wr_status parse_unary_inner(struct java_parser *p, struct java_node **out)
{
    static const struct {
        const char *sign;
        enum java_operator operator;
    } operators[] = { { "!", JO_NOT }, { "~", JO_COMPLEMENT }, { "-", JO_NEGATE }, { "+", JO_PLUS } };
    const struct java_token *t = p->at;
    bool step = java_is_at(p, "++") || java_is_at(p, "--");
    struct java_node *n;

    if (java_is_at(p, "-") && t[1].least && (t[1].kind == JT_INT || t[1].kind == JT_LONG)) {
        struct java_token least = t[1];
        least.least = false; /* its bits are those of the negative number already */
        if (!(n = java_new_node(p, JE_LITERAL, t)))
            return WR_NOMEM;
        n->type = java_simple(least.kind == JT_INT ? J_INT : J_LONG);
        n->value.i = least.kind == JT_INT ? INT32_MIN : INT64_MIN;
        n->constant = true;
        p->at += 2;
        *out = n;
        return WR_OK;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators || step; i++) {
        if (!step && !java_is_at(p, operators[i].sign))
            continue;
        if (!(n = java_new_node(p, step ? JE_STEP : JE_UNARY, t)))
            return WR_NOMEM;
        n->operator = step ? (java_is_at(p, "++") ? JO_ADD : JO_SUBTRACT) : operators[i].operator;
        p->at++;
        *out = n;
        return parse_unary(p, &n->a);
    }
    if (java_is_at(p, "(") && is_cast(p))
        return parse_cast(p, out);
    TRY(parse_postfix(p, out));
    p->operand = t;
    return WR_OK;
}

static enum wr_status parse_unary(struct java_parser *p, struct java_node **out)
{
    TRY(java_enter(p));
    TRY(parse_unary_inner(p, out));
    p->depth--;
    return WR_OK;
}

static const struct binary {
    const char *sign;
    enum java_operator operator;
    int level; /* what binds closer has more */
} binaries[] = {
    { "||", JO_EITHER, 1 },  { "&&", JO_BOTH, 2 },     { "|", JO_OR, 3 },          { "^", JO_XOR, 4 },
    { "&", JO_AND, 5 },      { "==", JO_EQUAL, 6 },    { "!=", JO_NOT_EQUAL, 6 },  { "<=", JO_LESS_EQUAL, 7 },
    { "<", JO_LESS, 7 },     { ">", JO_GREATER, 7 },   { "<<", JO_SHIFT_LEFT, 8 }, { "+", JO_ADD, 9 },
    { "-", JO_SUBTRACT, 9 }, { "*", JO_MULTIPLY, 10 }, { "/", JO_DIVIDE, 10 },     { "%", JO_REMAINDER, 10 },
};
static const struct binary several[] = { { ">>>", JO_SHIFT_UNSIGNED, 8 },
                                         { ">>", JO_SHIFT_RIGHT, 8 },
                                         { ">=", JO_GREATER_EQUAL, 7 } };

/* Whether the tokens from p->at, each glued to the one before, are the characters of sign. */
static bool is_glued(const struct java_parser *p, const char *sign)
{
    for (size_t i = 0; sign[i]; i++)
        if (p->at[i].kind != JT_SIGN || p->at[i].text.len != 1 || p->at[i].text.data[0] != (uint8_t)sign[i] ||
            (i && !p->at[i].glued))
            return false;
    return true;
}

/* The operator at p->at and how many tokens it has; NULL: none. An assignment's, as >>=, is none. */
static const struct binary *binary_at(const struct java_parser *p, size_t *tokens)
{
    if (is_glued(p, ">>>=") || (is_glued(p, ">>=")))
        return NULL;
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        if (is_glued(p, several[i].sign)) {
            *tokens = strlen(several[i].sign);
            return &several[i];
        }
    *tokens = 1;
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (java_is_at(p, binaries[i].sign))
            return &binaries[i];
    return NULL;
}

enum { RELATIONAL = 7 };

/* A type behind `instanceof` is no operand of what binds closer. */
static enum wr_status check_behind_type(struct java_parser *p)
{
    size_t tokens;
    const struct binary *b = binary_at(p, &tokens);
    const struct java_token *t = p->at;

    if (!b || b->level <= RELATIONAL)
        return WR_OK;
    if (b->operator == JO_ADD || b->operator == JO_SUBTRACT)
        return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error on token \"%.*s\", | expected after this token\n", t->line,
                    SLICE_ARG(t[-1].text));
    return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error on token \"%s\", | expected\n", t->line, b->sign);
}

enum wr_status java_parse_binary(struct java_parser *p, int level, struct java_node **out)
{
    const struct binary *b;
    struct java_node *left, *n;
    unsigned depth = p->depth;
    size_t tokens;

    TRY(parse_unary(p, &left));
    for (;;) {
        const struct java_token *t = p->at;
        if (java_is_at(p, "instanceof") && level <= RELATIONAL) {
            p->at++;
            if (!(n = java_new_node(p, JE_INSTANCE, t)))
                return WR_NOMEM;
            n->a = left;
            TRY(java_parse_type(p, &n->type));
            if (p->at->kind == JT_NAME)
                return fail(p->ctx, WR_INVALID,
                            JAVA_ERROR_LIST "Line %u: The Java feature 'Pattern Matching in instanceof Expressions' is "
                                            "only available with source level 16 and above\n",
                            t->line);
            TRY(check_behind_type(p));
            p->operand = t;
        } else if ((b = binary_at(p, &tokens)) && b->level >= level) {
            p->at += tokens;
            if (!(n = java_new_node(p, JE_BINARY, t)))
                return WR_NOMEM;
            n->operator = b->operator;
            n->name = slice_str(b->sign);
            n->a = left;
            if ((b->operator == JO_ADD || b->operator == JO_SUBTRACT) && (java_is_at(p, ";") || java_is_at(p, ")")))
                return fail(p->ctx, WR_INVALID,
                            JAVA_ERROR_LIST "Line %u: Syntax error on token \"%s\", %s%s expected\n", t->line, b->sign,
                            b->sign, b->sign);
            TRY(java_parse_binary(p, b->level + 1, &n->b));
        } else {
            break;
        }
        n->at = left->at;
        left = n;
        TRY(java_enter(p));
    }
    p->depth = depth;
    *out = left;
    return WR_OK;
}

static const struct binary assignments[] = {
    { "+=", JO_ADD, 1 },    { "-=", JO_SUBTRACT, 1 },  { "*=", JO_MULTIPLY, 1 },
    { "/=", JO_DIVIDE, 1 }, { "%=", JO_REMAINDER, 1 }, { "&=", JO_AND, 1 },
    { "|=", JO_OR, 1 },     { "^=", JO_XOR, 1 },       { "<<=", JO_SHIFT_LEFT, 1 },
};

static bool accept_assignment(struct java_parser *p, struct java_node *n)
{
    if (java_accept(p, "="))
        return true;
    for (size_t i = 0; i < sizeof assignments / sizeof *assignments; i++)
        if (java_accept(p, assignments[i].sign)) {
            n->operator = assignments[i].operator;
            n->name = slice_str(assignments[i].sign);
            return true;
        }
    if (!is_glued(p, ">>=") && !is_glued(p, ">>>="))
        return false;
    n->operator = is_glued(p, ">>=") ? JO_SHIFT_RIGHT : JO_SHIFT_UNSIGNED;
    n->name = slice_str(is_glued(p, ">>=") ? ">>=" : ">>>=");
    p->at += n->name.len;
    return true;
}

static enum wr_status parse_condition(struct java_parser *p, struct java_node **out)
{
    struct java_node *left, *n;
    const struct java_token *t;

    TRY(java_parse_binary(p, 1, &left));
    t = p->at;
    *out = left;
    if (!java_accept(p, "?"))
        return WR_OK;
    if (!(n = java_new_node(p, JE_CONDITION, t)))
        return WR_NOMEM;
    n->a = left;
    n->at = left->at;
    *out = n;
    TRY(java_parse_expression(p, &n->b));
    TRY(java_expect(p, ":", "Expression"));
    TRY(java_enter(p));
    TRY(parse_condition(p, &n->c));
    p->depth--;
    return WR_OK;
}

/* Behind more than an operand a compiler sees an operator with a sign too many, or one too few. */
static enum wr_status fail_assignment(struct java_parser *p, const struct java_token *t, const struct java_node *assignment, const struct java_node *left)
{
    struct slice sign = assignment->name, meant = sign.len ? slice_of(sign.data, sign.len - 1)
                                                  : left->op == JE_INSTANCE ? SLICE_LIT("!=") : SLICE_LIT("<=");
    return fail(p->ctx, WR_INVALID, JAVA_ERROR_LIST "Line %u: Syntax error on token \"%.*s\", %.*s expected\n", t->line,
                SLICE_ARG(sign.len ? sign : SLICE_LIT("=")), SLICE_ARG(meant));
}

static enum wr_status parse_assignment(struct java_parser *p, struct java_node **out)
{
    struct java_node *left, *n, draft = { 0 };
    const struct java_token *begin = p->at, *t;

    TRY(parse_condition(p, &left));
    t = p->at;
    if (!accept_assignment(p, &draft)) {
        *out = left;
        return WR_OK;
    }
    if (p->operand != begin)
        return fail_assignment(p, t, &draft, left);
    if (!(n = java_new_node(p, JE_ASSIGN, t)))
        return WR_NOMEM;
    n->operator = draft.operator;
    n->name = draft.name;
    n->at = left->at;
    n->a = left;
    *out = n;
    return java_parse_expression(p, &n->b);
}

enum wr_status java_parse_expression(struct java_parser *p, struct java_node **out)
{
    TRY(java_enter(p));
    TRY(parse_assignment(p, out));
    p->depth--;
    return WR_OK;
}
