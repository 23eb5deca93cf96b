#include "model/parse_build.h"

#include "model/javatext.h"

/* ---- expressions ---- */

static struct ast_expr *new_expr(struct parser *p, enum expr_kind kind, size_t offset, size_t end)
{
    struct ast_expr *expr = BUILD(p, ast_expr);
    expr->kind = kind;
    expr->offset = offset;
    expr->end = end;
    return expr;
}

static void set_args(struct parser *p, struct ast_expr *expr, struct ast_expr *first)
{
    expr->args = first;
    for (const struct ast_expr *arg = first; arg && p->status == WR_OK; arg = arg->next) {
        expr->arg_count++;
        if (arg->depth >= expr->depth)
            expr->depth = arg->depth + 1;
    }
    build_check_depth(p, expr->depth, expr->offset);
}

/* Of a float's text, d.ddd * 10^magnitude with the first digit that is not 0 before the point. */
struct float_text {
    int64_t magnitude;
    int64_t scale;   /* digits behind the point, as written */
    size_t digits;   /* from that first one on; 0: it is zero */
    bool over;       /* d.ddd is above that of INFINITE_FROM */
};

/* The first digits of the least number that is Infinity as a double. */
static const char INFINITE_FROM[] = "17976931348623158079372897140530341507993413271003782693617377898044";
enum { DOUBLE_MAGNITUDE_MOST = 308, EXPONENT_DIGITS_MOST = 10 };

/* Gives where the digits end, be it with an exponent. */
static size_t read_float_digits(struct slice text, size_t i, struct float_text *f)
{
    bool point = false, decided = false;

    *f = (struct float_text){ .magnitude = -1 };
    for (; i < text.len && (text.data[i] | 0x20) != 'e'; i++) {
        const uint8_t c = text.data[i];
        if (c == '.') {
            point = true;
            continue;
        }
        f->scale += point;
        if (f->digits == 0 && c == '0') {
            f->magnitude -= point;
            continue;
        }
        f->magnitude += !point;
        if (!decided && (f->digits >= sizeof INFINITE_FROM - 1 || c != (uint8_t)INFINITE_FROM[f->digits])) {
            decided = true;
            f->over = f->digits < sizeof INFINITE_FROM - 1 && c > (uint8_t)INFINITE_FROM[f->digits];
        }
        f->digits++;
    }
    return i;
}

/* What stands behind the e; false: it has more digits than Java's BigDecimal takes. */
static bool read_float_exponent(struct slice text, size_t i, int64_t *out)
{
    const bool negative = text.data[i] == '-';

    i += negative || text.data[i] == '+';
    while (i < text.len && text.data[i] == '0')
        i++;
    if (text.len - i > EXPONENT_DIGITS_MOST)
        return false;
    for (*out = 0; i < text.len; i++)
        *out = *out * 10 + (text.data[i] - '0');
    *out = negative ? -*out : *out;
    return true;
}

/* Literal's constructor looks for the smallest type of a float, and Java's BigDecimal fails on what a double would call
 * Infinity. No strtod here: it minds the locale. */
static void check_float(struct parser *p, struct token token)
{
    struct slice text = slice_of(p->text.data + token.offset, token.len);
    size_t i = text.data[0] == '-';
    struct float_text f;
    int64_t exponent = 0;

    if (i == text.len || text.data[i] == 'N' || text.data[i] == 'n' || text.data[i] == 'I' || text.data[i] == 'i')
        return;
    i = read_float_digits(text, i, &f) + 1;
    if (i < text.len && !read_float_exponent(text, i, &exponent))
        build_fail_number(p, token.offset, "Too many nonzero exponent digits.", SLICE_EMPTY);
    else if (exponent > INT32_MAX || exponent < INT32_MIN)
        build_fail_number(p, token.offset, "Exponent overflow.", SLICE_EMPTY);
    else if (f.scale - exponent > INT32_MAX)
        build_fail_number(p, token.offset, "Scale out of range.", SLICE_EMPTY);
    else if (f.digits && (f.magnitude + exponent > DOUBLE_MAGNITUDE_MOST || (f.magnitude + exponent == DOUBLE_MAGNITUDE_MOST && f.over)))
        build_fail_number(p, token.offset,
                    "Character I is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.", SLICE_EMPTY);
}

struct ast_expr *build_constant(struct parser *p, enum literal_kind kind, struct token token)
{
    struct ast_expr *expr = new_expr(p, EXPR_CONSTANT, token.offset, token_end(token));
    expr->literal = kind;
    switch (token.kind) {
    case LEX_NAN:
    case LEX_NEGATIVE_NAN: expr->text = SLICE_LIT("NaN"); break;
    case LEX_INFINITY: expr->text = SLICE_LIT("Infinity"); break;
    case LEX_NEGATIVE_INFINITY: expr->text = SLICE_LIT("-Infinity"); break;
    default: expr->text = build_text(p, token); break;
    }
    if (token.kind == LEX_FLOATING)
        check_float(p, token);
    return expr;
}

struct ast_expr *build_long(struct parser *p, struct token integer)
{
    build_whole(p, integer, INT64_MIN, INT64_MAX);
    return build_constant(p, LITERAL_INTEGER, integer);
}

struct ast_expr *build_marker(struct parser *p, struct token mark, struct token name)
{
    struct ast_expr *expr = new_expr(p, EXPR_MARKER, mark.offset, token_end(name.len ? name : mark));
    struct ast_marker *marker = BUILD(p, ast_marker);

    if (name.len)
        marker->name = build_text(p, name);
    if (p->status != WR_OK)
        return expr;
    expr->text = marker->name;
    expr->marker = p->marker_count++;
    if (p->last_marker)
        p->last_marker->next = marker;
    else
        p->markers = marker;
    p->last_marker = marker;
    return expr;
}

struct ast_expr *build_column(struct parser *p, struct token token)
{
    struct ast_expr *expr = new_expr(p, EXPR_COLUMN, token.offset, token_end(token));
    expr->text = build_text(p, token);
    bool folded = token.kind == LEX_QUOTED || lex_class((enum lex_kind)token.kind) == WORD_NATIVE; /* a native type's name is that of its enum */
    expr->written = folded ? expr->text : slice_of(p->text.data + token.offset, token.len);
    return expr;
}

struct ast_expr *build_nothing(struct parser *p, size_t offset)
{
    return new_expr(p, EXPR_NOTHING, offset, offset);
}

struct ast_expr *build_group(struct parser *p, enum expr_kind kind, struct token open, struct expr_list args, struct token close)
{
    struct ast_expr *expr = new_expr(p, kind, open.offset, token_end(close));
    set_args(p, expr, args.first);
    return expr;
}

enum { FIELDS_MAX = 1000 }; /* of a literal that may be worth putting in order; no type has more that anybody would write */

/* A HashMap of them there: the last of one name gives the value, the first the key. */
struct expr_list build_fields(struct parser *p, struct expr_list fields)
{
    uint32_t count = 0, most = 0, *order;
    struct ast_expr **keys;
    struct slice *names;

    for (const struct ast_expr *key = fields.first; key && p->status == WR_OK; key = key->next->next)
        most++;
    if (most < 2 || most > FIELDS_MAX)
        return fields;
    keys = NEW_ARRAY(p->ctx, struct ast_expr *, most);
    names = NEW_ARRAY(p->ctx, struct slice, most);
    order = NEW_ARRAY(p->ctx, uint32_t, most);
    if (!keys || !names || !order)
        goto no_memory;
    for (struct ast_expr *key = fields.first; key; key = key->next->next) {
        uint32_t i = 0;
        while (i < count && !slice_eq(names[i], key->text))
            i++;
        names[i] = key->text;
        keys[i] = key;
        count += i == count;
    }
    if (java_map_order(p->ctx, names, count, 0, order) != WR_OK)
        goto no_memory;
    for (uint32_t i = 0; i < count; i++)
        keys[order[i]]->next->next = i + 1 < count ? keys[order[i + 1]] : NULL;
    return (struct expr_list){ keys[order[0]], keys[order[count - 1]]->next };
no_memory:
    p->status = WR_NOMEM;
    return fields;
}

struct ast_expr *build_binary(struct parser *p, char op, struct ast_expr *left, struct ast_expr *right)
{
    struct ast_expr *expr = new_expr(p, EXPR_BINARY, left->offset, right->end);
    if (p->status != WR_OK)
        return expr;
    expr->op = op;
    left->next = right;
    set_args(p, expr, left);
    return expr;
}

struct ast_expr *build_negate(struct parser *p, struct token minus, struct ast_expr *of)
{
    struct ast_expr *expr = new_expr(p, EXPR_NEGATE, minus.offset, of->end);
    set_args(p, expr, of);
    return expr;
}

struct ast_expr *build_cast(struct parser *p, struct token first, struct ast_expr *of, struct ast_type *type, struct token close)
{
    struct ast_expr *expr = new_expr(p, EXPR_CAST, first.offset, token_end(close));
    expr->type = type;
    set_args(p, expr, of);
    return expr;
}

struct ast_expr *build_term(struct ast_expr *expr)
{
    expr->term = true;
    return expr;
}

static struct ast_expr *hint(struct parser *p, struct token open, struct ast_type *type, struct ast_expr *of)
{
    struct ast_expr *expr = new_expr(p, EXPR_HINT, open.offset, of->end);
    expr->type = type;
    set_args(p, expr, of);
    return expr;
}

struct ast_expr *build_hint(struct parser *p, struct token open, struct ast_type *type, struct ast_expr *of)
{
    if (of->kind != EXPR_ELEMENT || p->status != WR_OK)
        return hint(p, open, type, of);
    struct ast_expr *subscript = of->args->next; /* (map<int, int>)({1: 2})[1]: the hint is one of what stands before the bracket */
    of->args->next = NULL;
    of->args = build_hint(p, open, type, of->args);
    of->args->next = subscript;
    of->offset = open.offset;
    return of;
}

/* The token a name was made of, for what its kind says. */
static struct token token_at(const struct parser *p, size_t offset)
{
    struct lexer lexer;
    lex_init(&lexer, p->text);
    lexer.at = offset;
    return lex_next(&lexer);
}

static bool may_name_type(struct token token)
{
    return lex_class((enum lex_kind)token.kind) != WORD_SPECIAL || token.kind == LEX_KEY;
}

/* Whether what was read as a selector could be a term: nothing else stands in brackets. */
static bool is_term(const struct ast_expr *expr)
{
    static const bool selectors_alone[EXPR_NOTHING + 1] = {
        [EXPR_COLUMN] = true, [EXPR_CELL_FUNCTION] = true, [EXPR_ELEMENT] = true, [EXPR_SLICE] = true, [EXPR_FIELD] = true,
    };
    bool is_field = expr->kind == EXPR_PAIRS;

    if (selectors_alone[expr->kind] || expr->star)
        return false;
    for (const struct ast_expr *arg = expr->args; arg; arg = arg->next) {
        if (!(is_field && arg->kind == EXPR_COLUMN) && !is_term(arg))
            return false;
        is_field = expr->kind == EXPR_PAIRS && !is_field;
    }
    return true;
}

void build_check_subscript(struct parser *p, size_t open, const struct ast_expr *subscript)
{
    if (p->status == WR_OK && !is_term(subscript))
        build_refuse(p, open);
}

struct ast_expr *build_nested(struct parser *p, struct token open, struct ast_expr *expr)
{
    struct token close = { .offset = (uint32_t)expr->end, .len = 1, .kind = LEX_RP };
    return build_group(p, EXPR_TUPLE, open, (struct expr_list){ expr, expr }, close);
}

static bool is_class(const struct ast_expr *name)
{
    return name->kind == EXPR_CONSTANT && name->literal == LITERAL_STRING;
}

struct ast_expr *build_class_hint(struct parser *p, struct token open, struct ast_expr *name, struct ast_expr *of)
{
    if (p->status != WR_OK)
        return new_expr(p, EXPR_HINT, open.offset, of->end);
    if (is_class(name))
        return build_hint(p, open, build_class(p, token_at(p, name->offset)), of);
    build_refuse(p, of->offset);
    return name;
}

struct ast_expr *build_hint_of(struct parser *p, struct token open, struct ast_expr *name, struct ast_expr *of)
{
    struct token none = { .kind = LEX_END };

    if (p->status != WR_OK)
        return new_expr(p, EXPR_HINT, open.offset, of->end);
    if (name->kind == EXPR_COLUMN && may_name_type(token_at(p, name->offset)))
        return build_hint(p, open, build_type(p, none, token_at(p, name->offset)), of);
    if (name->kind == EXPR_FIELD && name->args->kind == EXPR_COLUMN && may_name_type(token_at(p, name->field_offset)))
        return build_hint(p, open, build_type(p, token_at(p, name->args->offset), token_at(p, name->field_offset)), of);
    if (!is_class(name) && of->kind == EXPR_LIST && of->arg_count == 1) { /* (f(x))['key'] */
        struct token close = { .offset = (uint32_t)of->end - 1, .len = 1, .kind = LEX_RB };
        build_check_subscript(p, of->offset, of->args);
        return build_element(p, build_nested(p, open, name), of->args, close);
    }
    return build_class_hint(p, open, name, of);
}

struct ast_expr *build_field(struct parser *p, struct ast_expr *of, struct token field)
{
    struct ast_expr *expr = new_expr(p, EXPR_FIELD, of->offset, token_end(field));
    expr->text = build_text(p, field);
    expr->field_offset = field.offset;
    set_args(p, expr, of);
    return expr;
}

struct ast_expr *build_slice(struct parser *p, struct ast_expr *from, struct ast_expr *to)
{
    struct ast_expr *expr = new_expr(p, EXPR_SLICE, from->offset, to->end);
    if (p->status == WR_OK)
        from->next = to;
    expr->args = from;
    return expr;
}

struct ast_expr *build_element(struct parser *p, struct ast_expr *of, struct ast_expr *subscript, struct token close)
{
    bool slice = subscript->kind == EXPR_SLICE;
    struct ast_expr *expr = new_expr(p, slice ? EXPR_SLICE : EXPR_ELEMENT, of->offset, token_end(close));
    if (p->status != WR_OK)
        return expr;
    of->next = slice ? subscript->args : subscript;
    set_args(p, expr, of);
    return expr;
}

/* ---- calls ---- */

struct ast_expr *build_call(struct parser *p, struct token keyspace, struct token name, struct expr_list args, struct token close)
{
    struct ast_expr *expr = new_expr(p, EXPR_FUNCTION, keyspace.len ? keyspace.offset : name.offset, token_end(close));
    const struct ast_name *called = build_function_name(p, keyspace, name);
    expr->keyspace = called->keyspace;
    expr->text = called->name;
    set_args(p, expr, args.first);
    return expr;
}

struct ast_expr *build_call_of(struct parser *p, struct ast_expr *of, struct token name, struct expr_list args, struct token close)
{
    struct ast_expr *innermost = of;

    if (p->status != WR_OK)
        return of;
    while (innermost->kind == EXPR_HINT)
        innermost = innermost->args;
    if (innermost->kind == EXPR_MARKER && slice_is_null(innermost->text)) /* what has a name is read as a value */
        build_fail(p, innermost->offset, "Bind variables cannot be used for keyspace names");
    if (innermost->kind != EXPR_COLUMN) {
        build_refuse(p, close.offset);
        return of;
    }
    struct ast_expr *call = build_call(p, token_at(p, innermost->offset), name, args, close);
    if (p->status != WR_OK || innermost == of)
        return call;
    *innermost = *call; /* (type)ks.f(x): the hint binds what follows, which is a call and not a column */
    for (struct ast_expr *hint = of; hint != innermost; hint = hint->args) {
        hint->end = call->end;
        hint->depth += call->depth;
        build_check_depth(p, hint->depth, hint->offset);
    }
    return of;
}

/* The count of a constant that is not null is the count of rows; count((int)1) is not. */
struct ast_expr *build_count(struct parser *p, struct ast_expr *call)
{
    if (p->status != WR_OK || call->kind != EXPR_FUNCTION || call->arg_count != 1 || call->args->kind != EXPR_CONSTANT ||
        call->args->literal == LITERAL_NULL || !(slice_is_null(call->keyspace) || slice_eq_str(call->keyspace, "system")))
        return call;
    call->star = true;
    call->args = NULL;
    call->arg_count = 0;
    return call;
}

struct ast_expr *build_count_rows(struct parser *p, struct token name, struct token close)
{
    struct ast_expr *expr = new_expr(p, EXPR_FUNCTION, name.offset, token_end(close));
    expr->text = SLICE_LIT("count");
    expr->star = true;
    return expr;
}

struct ast_expr *build_cell_function(struct parser *p, struct token name, struct ast_expr *of, struct token close)
{
    struct ast_expr *expr = new_expr(p, EXPR_CELL_FUNCTION, name.offset, token_end(close));
    const struct ast_expr *innermost = of;

    expr->text = build_text(p, name);
    set_args(p, expr, of);
    if (p->status != WR_OK)
        return expr;
    while (innermost->kind == EXPR_ELEMENT || innermost->kind == EXPR_SLICE || innermost->kind == EXPR_FIELD)
        innermost = innermost->args;
    if (innermost->kind != EXPR_COLUMN)
        build_refuse(p, innermost->offset);
    return expr;
}
