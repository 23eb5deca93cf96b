#include "model/type_reader.h"

#include <string.h>

#include "engine/thread.h"
#include "model/digit.h"

enum { DEPTH_MOST = TYPE_DEPTH_MAX * 2, LEVEL_BYTES = 400 }; /* a type in quotes is two levels; what one takes of the stack at most */

struct type_reader type_reader_of(struct ctx *ctx, struct slice text)
{
    return (struct type_reader){ .ctx = ctx, .text = text, .rest = text, .depth_most = thread_levels(DEPTH_MOST, LEVEL_BYTES) };
}

enum wr_status type_read_fail(struct type_reader *p)
{
    return fail(p->ctx, WR_SYNTAX, "Unable to parse the type '%.*s'", SLICE_ARG(p->text));
}

void type_read_blanks(struct type_reader *p)
{
    while (p->rest.len && p->rest.data[0] <= ' ')
        p->rest = slice_skip(p->rest, 1);
}

bool type_read_accept(struct type_reader *p, char c)
{
    type_read_blanks(p);
    return type_read_accept_next(p, c);
}

bool type_read_accept_next(struct type_reader *p, char c)
{
    if (!p->rest.len || p->rest.data[0] != (uint8_t)c)
        return false;
    p->rest = slice_skip(p->rest, 1);
    return true;
}

static bool is_name_char(uint8_t c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

struct slice type_read_word(struct type_reader *p, const char *also)
{
    type_read_blanks(p);
    size_t n = 0;
    while (n < p->rest.len && (is_name_char(p->rest.data[n]) || (p->rest.data[n] && strchr(also, p->rest.data[n]))))
        n++;
    struct slice word = slice_of(p->rest.data, n);
    p->rest = slice_skip(p->rest, n);
    return word;
}

/* In the brackets of classes a sign may stand before it (Integer.parseInt), and no blank behind it. */
static enum wr_status take_dimension(struct type_reader *p, const struct type_notation *notation, uint32_t *out)
{
    uint64_t v = 0;
    struct slice digits = type_read_word(p, notation->of_classes ? "+" : "");
    if (digits.len && digits.data[0] == '+')
        digits = slice_skip(digits, 1);
    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.data[i]) || v > INT32_MAX)
            return type_read_fail(p);
        v = v * 10 + (uint64_t)(digits.data[i] - '0');
    }
    if (v == 0 || v > INT32_MAX)
        return type_read_fail(p);
    *out = (uint32_t)v;
    return notation->of_classes && (!p->rest.len || p->rest.data[0] != (uint8_t)notation->end) ? type_read_fail(p) : WR_OK;
}

enum wr_status type_args_add(struct type_reader *p, struct type_args *args, const struct type *type, struct slice name)
{
    if (args->count == TYPE_NODES_MAX)
        return type_read_fail(p);
    if (args->count == args->room) {
        uint32_t room = args->room ? args->room * 2 : 4;
        const struct type **at = NEW_ARRAY(p->ctx, const struct type *, room);
        struct slice *names = NEW_ARRAY(p->ctx, struct slice, room);
        if (!at || !names)
            return WR_NOMEM;
        for (uint32_t i = 0; i < args->count; i++) {
            at[i] = args->at[i];
            names[i] = args->names[i];
        }
        args->at = at;
        args->names = names;
        args->room = room;
    }
    args->names[args->count] = name;
    args->at[args->count++] = type;
    return WR_OK;
}

/* How many arguments a kind takes; a tuple any number from one. */
static bool args_fit(enum type_kind kind, uint32_t count)
{
    return kind == TYPE_TUPLE ? count > 0 : count == (kind == TYPE_MAP ? 2u : 1u);
}

static enum wr_status build(struct type_reader *p, enum type_kind kind, const struct type_args *args, uint32_t dimension,
                            const struct type **out)
{
    if (!args_fit(kind, args->count))
        return type_read_fail(p);
    bool multicell = kind <= TYPE_MAP;
    return type_made(type_make(p->ctx, kind, args->at, args->count, multicell, dimension), out);
}

bool type_read_has_next(struct type_reader *p, const struct type_notation *notation)
{
    bool comma = type_read_accept(p, ',');
    type_read_blanks(p);
    return notation->of_classes ? p->rest.len && p->rest.data[0] != (uint8_t)notation->end : comma;
}

enum wr_status type_read_arguments(struct type_reader *p, const struct type_notation *notation, enum type_kind kind, const struct type **out)
{
    struct type_args args = { 0 };
    uint32_t dimension = 0;
    if (notation->of_classes)
        type_read_accept(p, ',');
    do {
        const struct type *arg = NULL;
        if (kind == TYPE_VECTOR && args.count == 1) {
            TRY(take_dimension(p, notation, &dimension));
            break;
        }
        TRY(notation->read(p, &arg));
        if (notation->of_classes)
            TRY(type_made(type_freeze(p->ctx, arg), &arg));
        TRY(type_args_add(p, &args, arg, SLICE_NULL));
    } while (type_read_has_next(p, notation));
    if (!type_read_accept(p, notation->end) || (kind == TYPE_VECTOR && !dimension))
        return type_read_fail(p);
    return build(p, kind, &args, dimension, out);
}

enum wr_status type_read_deeper(struct type_reader *p, type_read *read, const struct type **out)
{
    if (++p->depth > p->depth_most)
        return fail(p->ctx, WR_INVALID, "Types are nested more than %u deep", p->depth_most / 2);
    enum wr_status st = read(p, out);
    p->depth--;
    return st;
}
