#include "model/ahead.h"

void ahead_init(struct ahead *ahead, struct slice text)
{
    lex_init(&ahead->lexer, text);
    for (int i = 0; i < AHEAD_BEFORE; i++)
        ahead->before[i] = LEX_END;
}

/* JSON and DISTINCT that belong to the SELECT before them. */
static bool is_of_select(const uint16_t *word)
{
    const uint16_t *before = word[0] == LEX_DISTINCT && word[1] == LEX_JSON ? word + 2 : word + 1;
    return (word[0] == LEX_JSON || word[0] == LEX_DISTINCT) && *before == LEX_SELECT;
}

/* Whether a name before brackets calls a function: one behind a name is an operator (c CONTAINS, CONTAINS KEY, c LIKE). */
static bool is_called(const uint16_t *name)
{
    return name[0] == LEX_TOKEN || (lex_is_name(name[0]) && !lex_is_name(name[1]) && !is_of_select(name));
}

/* Whether (name) or (..<..>) has just ended, which may be a type hint and no call. */
static bool is_hinted(const uint16_t *before)
{
    bool name = lex_is_name(before[1]) && before[2] == LEX_LP && !is_called(before + 3);
    return before[0] == LEX_RP && (before[1] == LEX_GT || name);
}

/* AS with no name behind it is one itself: of a column, which the grammar might take for an alias to come. What may be behind a selector that
 * is called so is told by where that begins: behind a type hint, JSON or DISTINCT. */
static bool is_name(struct lexer behind, const uint16_t *before)
{
    uint16_t next = lex_next(&behind).kind;
    if (next == LEX_AS && is_of_select(before))
        return (next = lex_next(&behind).kind) != LEX_FROM && next != LEX_COMMA;
    if (next == LEX_AS || next == LEX_PER || next == LEX_LP)
        return is_hinted(before) || is_of_select(before);
    return next == LEX_FROM || (next >= LEX_COLON && next <= LEX_EXPR_LP);
}

/* Whether what has just ended may be a type hint at all: that of a class and of a type with its keyspace too. */
static bool may_be_hint(const uint16_t *before)
{
    bool qualified = lex_is_name(before[1]) && before[2] == LEX_DOT && before[4] == LEX_LP, class = before[1] == LEX_STRING && before[2] == LEX_LP;
    bool no_type = lex_class(before[1]) == WORD_SPECIAL && before[1] != LEX_KEY;
    return before[0] == LEX_RP && !no_type && (is_hinted(before) || class || qualified);
}

/* PER behind what may be a type hint is a name where no PARTITION follows: there the statement goes on. */
static bool is_hinted_per(struct lexer behind, const uint16_t *before)
{
    return may_be_hint(before) && lex_next(&behind).kind != LEX_PARTITION;
}

/* A colon with no name behind it begins no marker, nor does one behind brackets that are no type hint: what is before it is a key. */
static bool is_pair(struct lexer behind, const uint16_t *before)
{
    return !lex_is_name(lex_next(&behind).kind) || (before[0] == LEX_RP && !may_be_hint(before));
}

/* JSON or DISTINCT behind SELECT with a slice behind it, as `json[1..2]`, is a column; with anything else in brackets it is not. */
static bool is_sliced(struct lexer behind, uint16_t kind, const uint16_t *before)
{
    const uint16_t words[] = { kind, before[0], before[1] };
    int depth = 0;

    if (!is_of_select(words))
        return false;
    do {
        uint16_t next = lex_next(&behind).kind;
        if (next == LEX_END || next == LEX_ERROR || (next == LEX_RANGE && depth == 1))
            return next == LEX_RANGE;
        depth += (next == LEX_LB) - (next == LEX_RB);
    } while (depth > 0);
    return false;
}

struct token ahead_next(struct ahead *ahead)
{
    struct token token = lex_next(&ahead->lexer);

    if ((token.kind == LEX_AS && is_name(ahead->lexer, ahead->before)) ||
        (token.kind == LEX_PER && is_hinted_per(ahead->lexer, ahead->before)) ||
        ((token.kind == LEX_JSON || token.kind == LEX_DISTINCT) && is_sliced(ahead->lexer, token.kind, ahead->before)))
        token.kind = LEX_IDENT;
    bool pair = token.kind == LEX_COLON && is_pair(ahead->lexer, ahead->before);
    memmove(ahead->before + 1, ahead->before, (AHEAD_BEFORE - 1) * sizeof *ahead->before);
    ahead->before[0] = token.kind;
    if (pair)
        token.kind = AHEAD_PAIR;
    return token;
}
