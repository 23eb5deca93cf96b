/* Types by the names that CQL has for them, read. */
#include "model/digit.h"
#include "model/type_ops.h"
#include "model/type_reader.h"

/* A bare name, or one in double quotes, where "" stands for one. */
static enum wr_status take_name(struct type_reader *p, struct slice *out, bool *quoted)
{
    struct buf buf;
    *quoted = type_read_accept(p, '"');
    if (!*quoted) {
        *out = type_read_word(p, "");
        return out->len ? WR_OK : type_read_fail(p);
    }
    buf_init(&buf, p->ctx->arena);
    for (;;) {
        if (!p->rest.len)
            return type_read_fail(p);
        uint8_t c = p->rest.data[0];
        p->rest = slice_skip(p->rest, 1);
        if (c == '"') {
            if (!p->rest.len || p->rest.data[0] != '"')
                break;
            p->rest = slice_skip(p->rest, 1);
        }
        buf_put_u8(&buf, c);
    }
    return buf_done(p->ctx, &buf, out);
}

static type_read parse_cql;
static const struct type_notation of_cql = { parse_cql, '>', false };

static const struct {
    const char *name;
    enum type_kind kind;
} built[] = {
    { "list", TYPE_LIST }, { "set", TYPE_SET }, { "map", TYPE_MAP }, { "tuple", TYPE_TUPLE }, { "vector", TYPE_VECTOR }
};

static enum wr_status parse_udt(struct type_reader *p, struct slice first, const struct type **out)
{
    struct slice keyspace = p->keyspace, name = first;
    bool quoted = false;
    if (type_read_accept(p, '.')) {
        keyspace = first;
        TRY(take_name(p, &name, &quoted));
    }
    const struct type *type = p->lookup ? p->lookup(p->arg, keyspace, name) : NULL;
    if (!type)
        return fail(p->ctx, WR_INVALID, "Unknown type %.*s.%.*s", SLICE_ARG(keyspace), SLICE_ARG(name));
    return type_made(type_unfrozen_copy(p->ctx, type), out);
}

static enum wr_status parse_quoted_class(struct type_reader *p, const struct type **out)
{
    TRY(type_read_class(p, out));
    return type_read_accept(p, '\'') ? WR_OK : type_read_fail(p);
}

/* A package of more than one part, brackets, or a name of our own's kind; a UDT's name has one point at most. */
static bool looks_like_class(const struct type_reader *p, struct slice word)
{
    struct type_reader ahead = *p;
    struct slice behind = type_read_word(&ahead, ".");
    size_t points = 0;
    for (size_t i = 0; i < behind.len; i++)
        points += behind.data[i] == '.';
    return points > 1 || (p->rest.len && p->rest.data[0] == '(') ||
           (word.len > 4 && slice_eq_str(slice_skip(word, word.len - 4), "Type"));
}

static enum wr_status parse_bare(struct type_reader *p, const struct type **out)
{
    struct slice before = p->rest, word = SLICE_NULL;
    bool quoted = false;
    TRY(take_name(p, &word, &quoted));
    if (!quoted && is_word(word, "frozen") && type_read_accept(p, '<')) {
        TRY(parse_cql(p, out));
        if (!type_read_accept(p, '>'))
            return type_read_fail(p);
        return type_made(type_freeze(p->ctx, *out), out);
    }
    for (size_t i = 0; !quoted && i < sizeof built / sizeof *built; i++)
        if (is_word(word, built[i].name) && type_read_accept(p, '<'))
            return type_read_arguments(p, &of_cql, built[i].kind, out);
    const struct type *native = quoted ? NULL : is_word(word, "empty") ? type_native(TYPE_EMPTY) : type_by_name(word);
    if (native) {
        *out = native;
        return WR_OK;
    }
    if (!quoted && looks_like_class(p, word)) {
        p->rest = before;
        return type_read_class(p, out);
    }
    return parse_udt(p, word, out);
}

static enum wr_status parse_cql(struct type_reader *p, const struct type **out)
{
    return type_read_deeper(p, type_read_accept(p, '\'') ? parse_quoted_class : parse_bare, out);
}

enum wr_status type_parse_name(struct ctx *ctx, struct slice text, struct slice keyspace,
                               const struct type *(*lookup)(void *arg, struct slice keyspace, struct slice name),
                               void *arg, const struct type **out)
{
    struct type_reader p = type_reader_of(ctx, text);
    p.keyspace = keyspace;
    p.lookup = lookup;
    p.arg = arg;
    TRY(parse_cql(&p, out));
    type_read_blanks(&p);
    return p.rest.len ? type_read_fail(&p) : WR_OK;
}
