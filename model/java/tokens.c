/* java.util: StringTokenizer and StringJoiner. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"

/* ---- StringTokenizer ---- */

static bool is_in(uint16_t c, const struct java_object *text)
{
    for (uint32_t i = 0; i < text->string.len; i++)
        if (text->string.units[i] == c)
            return true;
    return false;
}

/* The token from a place on, its end in *end; false: there is none. */
static bool token_at(const struct java_object *o, uint32_t *at, uint32_t *end)
{
    const struct java_object *text = o->tokenizer.text, *delimiters = o->tokenizer.delimiters;
    while (!o->tokenizer.gives && *at < text->string.len && is_in(text->string.units[*at], delimiters))
        ++*at;
    if (*at == text->string.len)
        return false;
    *end = *at;
    while (*end < text->string.len && !is_in(text->string.units[*end], delimiters))
        ++*end;
    *end += *end == *at; /* a delimiter itself */
    return true;
}

JAVA_CALL(tokenizer_new)
{
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"str\" is null");
    if (!(out->o = java_new(run, J_TOKENIZER)))
        return false;
    out->o->tokenizer.text = args[0].o;
    out->o->tokenizer.gives = method->args[2] && args[2].i;
    if (!method->args[1])
        return java_string_of_utf8(run, slice_str(" \t\n\r\f"), &out->o->tokenizer.delimiters);
    out->o->tokenizer.delimiters = args[1].o;
    return java_check_argument(run, args[1].o);
}

enum { TOKENS_MORE, TOKENS_COUNT };

JAVA_CALL(tokenizer_tells)
{
    uint32_t at = self->o->tokenizer.at, end;
    JAVA_UNUSED;
    out->i = 0;
    if (method->variant == TOKENS_MORE) {
        out->i = token_at(self->o, &at, &end);
        return java_spend(run, 1);
    }
    for (; token_at(self->o, &at, &end) && java_spend(run, end - at); at = end)
        out->i++;
    return true;
}

JAVA_CALL(tokenizer_next)
{
    uint32_t at = self->o->tokenizer.at, end;
    JAVA_UNUSED;
    if (method->args[0]) {
        if (!java_check_argument(run, args[0].o))
            return false;
        self->o->tokenizer.delimiters = args[0].o;
    }
    if (!token_at(self->o, &at, &end))
        return java_throw(run, J_NO_SUCH_ELEMENT, NULL);
    self->o->tokenizer.at = end;
    return java_spend(run, end - at) && java_string(run, self->o->tokenizer.text->string.units + at, end - at, &out->o);
}

/* ---- StringJoiner ---- */

JAVA_CALL(joiner_new)
{
    static const char *const names[] = { "delimiter", "prefix", "suffix" };
    struct java_object *parts[3] = { NULL, NULL, NULL };
    unsigned given = method->args[1] ? 3 : 1;
    JAVA_UNUSED;
    for (unsigned i = 0; i < 3; i++) {
        if (i < given && !args[i].o)
            return java_throw(run, J_NULL_POINTER, "The %s must not be null", names[i]);
        if (i < given ? !java_print_to(run, args[i].o, &parts[i]) : !java_string(run, NULL, 0, &parts[i]))
            return false;
    }
    if (!(out->o = java_new(run, J_JOINER)))
        return false;
    out->o->joiner.separator = parts[0];
    out->o->joiner.before = parts[1];
    out->o->joiner.behind = parts[2];
    return true;
}

JAVA_CALL(joiner_add)
{
    struct java_object *o = self->o;
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    if (o->joiner.text && (!java_print(run, &text, o->joiner.text) || !java_print(run, &text, o->joiner.separator)))
        return false;
    out->o = o;
    return java_check_text(run, &text) && java_print(run, &text, args[0].o) && java_string_of_units(run, &text, &o->joiner.text);
}

JAVA_CALL(joiner_set_empty)
{
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "The empty value must not be null");
    out->o = self->o;
    return java_print_to(run, args[0].o, &self->o->joiner.empty);
}

JAVA_CALL(joiner_length)
{
    struct java_object *text;
    JAVA_UNUSED;
    if (!java_print_to(run, self->o, &text))
        return false;
    out->i = text->string.len;
    return true;
}

static bool joiner_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    if (!o->joiner.text && o->joiner.empty)
        return java_print(run, utf16, o->joiner.empty);
    return java_print(run, utf16, o->joiner.before) && (!o->joiner.text || java_print(run, utf16, o->joiner.text)) &&
           java_print(run, utf16, o->joiner.behind);
}

const struct java_object_ops java_joiner_ops = { .print = joiner_print };

/* ---- the table ---- */

const struct java_method java_token_methods[] = {
    { J_TOKENIZER, "<init>", J_TOKENIZER, { J_STRING }, 0, tokenizer_new, 0 },
    { J_TOKENIZER, "<init>", J_TOKENIZER, { J_STRING, J_STRING }, 0, tokenizer_new, 0 },
    { J_TOKENIZER, "<init>", J_TOKENIZER, { J_STRING, J_STRING, J_BOOLEAN }, 0, tokenizer_new, 0 },
    { J_TOKENIZER, "hasMoreTokens", J_BOOLEAN, { 0 }, 0, tokenizer_tells, TOKENS_MORE },
    { J_TOKENIZER, "hasMoreElements", J_BOOLEAN, { 0 }, 0, tokenizer_tells, TOKENS_MORE },
    { J_TOKENIZER, "countTokens", J_INT, { 0 }, 0, tokenizer_tells, TOKENS_COUNT },
    { J_TOKENIZER, "nextToken", J_STRING, { 0 }, 0, tokenizer_next, 0 },
    { J_TOKENIZER, "nextToken", J_STRING, { J_STRING }, 0, tokenizer_next, 0 },
    { J_TOKENIZER, "nextElement", J_OBJECT, { 0 }, 0, tokenizer_next, 0 },
    { J_JOINER, "<init>", J_JOINER, { J_CHAR_SEQUENCE }, 0, joiner_new, 0 },
    { J_JOINER, "<init>", J_JOINER, { J_CHAR_SEQUENCE, J_CHAR_SEQUENCE, J_CHAR_SEQUENCE }, 0, joiner_new, 0 },
    { J_JOINER, "add", J_JOINER, { J_CHAR_SEQUENCE }, 0, joiner_add, 0 },
    { J_JOINER, "setEmptyValue", J_JOINER, { J_CHAR_SEQUENCE }, 0, joiner_set_empty, 0 },
    { J_JOINER, "length", J_INT, { 0 }, 0, joiner_length, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
