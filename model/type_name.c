/* Names of types: as CQL prints them, as Java classes, and both read back. */
#include <string.h>

#include "engine/thread.h"
#include "model/digit.h"
#include "model/parse.h"
#include "model/type_ops.h"
#include "model/unicode.h"

/* ---- printing ---- */

static void print_args(struct buf *buf, const struct type *type, void (*print)(struct buf *, const struct type *),
                       const char *separator)
{
    for (uint32_t i = 0; i < type->arg_count; i++) {
        if (i)
            buf_put_str(buf, separator);
        print(buf, type->args[i]);
    }
}

static void print_cql(struct buf *buf, const struct type *type, void (*print)(struct buf *, const struct type *),
                      void (*put_udt)(struct buf *, struct slice))
{
    bool frozen = !type->multicell && (type_is_collection(type) || type->kind == TYPE_UDT || type->kind == TYPE_TUPLE);
    if (frozen)
        buf_put_str(buf, "frozen<");
    if (type->kind == TYPE_UDT)
        put_udt(buf, type->name);
    else if (type_is_class(type))
        buf_printf(buf, "'%.*s'", SLICE_ARG(type->name));
    else
        buf_put_str(buf, type_ops(type)->name);
    if (type->arg_count && type->kind != TYPE_UDT) {
        buf_put_u8(buf, '<');
        print_args(buf, type, print, ", ");
        if (type->kind == TYPE_VECTOR)
            buf_printf(buf, ", %u", type->dimension);
        buf_put_u8(buf, '>');
    }
    if (frozen)
        buf_put_u8(buf, '>');
}

void type_print_name(struct buf *buf, const struct type *type)
{
    print_cql(buf, type, type_print_name, cql_put_name);
}

static void put_stored_name(struct buf *buf, struct slice name)
{
    (type_by_name(name) || slice_eq_str(name, "empty") ? cql_put_quoted_name : cql_put_name)(buf, name);
}

void type_print_stored(struct buf *buf, const struct type *type)
{
    print_cql(buf, type, type_print_stored, put_stored_name);
}

const char *type_name(struct ctx *ctx, const struct type *type)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    type_print_name(&buf, type);
    buf_put_u8(&buf, '\0');
    return buf.failed ? "?" : (const char *)buf.data;
}

struct slice type_class_name(const struct type *type)
{
    return type->kind < TYPE_LIST && type->name.len ? type->name : slice_str(type_ops(type)->java);
}

#define FROZEN "FrozenType"
#define REVERSED "ReversedType"

static void print_class(struct buf *buf, const struct type *type, bool inside_frozen)
{
    if (type->reversed) {
        struct type straight = *type;
        straight.reversed = false;
        buf_put_str(buf, MARSHAL REVERSED "(");
        print_class(buf, &straight, false); /* its toString asks nobody who is around it */
        buf_put_u8(buf, ')');
        return;
    }
    /* Frozen is told once, outermost; a tuple is, and says so of what it holds, without a word. */
    bool frozen = !type->multicell && !inside_frozen && (type_is_collection(type) || type->kind == TYPE_UDT);
    bool hide = inside_frozen || frozen || type->kind == TYPE_TUPLE;
    if (type_is_class(type)) {
        buf_put_slice(buf, type->name);
        return;
    }
    if (frozen)
        buf_put_str(buf, MARSHAL FROZEN "(");
    buf_put_str(buf, MARSHAL);
    buf_put_slice(buf, type_class_name(type));
    if (type->kind >= TYPE_LIST) {
        buf_put_u8(buf, '(');
        if (type->kind == TYPE_UDT) {
            buf_printf(buf, "%.*s,", SLICE_ARG(type->keyspace));
            put_hex(buf, type->name);
        }
        for (uint32_t i = 0; i < type->arg_count; i++) {
            if (i || type->kind == TYPE_UDT)
                buf_put_u8(buf, ',');
            if (type->kind == TYPE_UDT) {
                put_hex(buf, type->field_names[i]);
                buf_put_u8(buf, ':');
            }
            print_class(buf, type->args[i], hide);
        }
        if (type->kind == TYPE_VECTOR)
            buf_printf(buf, " , %u", type->dimension);
        buf_put_u8(buf, ')');
    }
    if (frozen)
        buf_put_u8(buf, ')');
}

void type_print_class(struct buf *buf, const struct type *type)
{
    print_class(buf, type, false);
}

/* ---- reading ---- */

struct parser {
    struct ctx *ctx;
    struct slice text, rest, keyspace;
    const struct type *(*lookup)(void *arg, struct slice keyspace, struct slice name);
    void *arg;
    uint32_t depth, depth_most;
};

enum { DEPTH_MOST = TYPE_DEPTH_MAX * 2, LEVEL_BYTES = 400 }; /* a type in quotes is two levels; what one takes of the stack at most */

static enum wr_status fail_syntax(struct parser *p)
{
    return fail(p->ctx, WR_SYNTAX, "Unable to parse the type '%.*s'", SLICE_ARG(p->text));
}

static void skip_blanks(struct parser *p)
{
    while (p->rest.len && p->rest.data[0] <= ' ')
        p->rest = slice_skip(p->rest, 1);
}

static bool accept(struct parser *p, char c)
{
    skip_blanks(p);
    if (!p->rest.len || p->rest.data[0] != (uint8_t)c)
        return false;
    p->rest = slice_skip(p->rest, 1);
    return true;
}

static bool is_name_char(uint8_t c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static struct slice take_word(struct parser *p, const char *also)
{
    skip_blanks(p);
    size_t n = 0;
    while (n < p->rest.len && (is_name_char(p->rest.data[n]) || (p->rest.data[n] && strchr(also, p->rest.data[n]))))
        n++;
    struct slice word = slice_of(p->rest.data, n);
    p->rest = slice_skip(p->rest, n);
    return word;
}

/* A bare name, or one in double quotes, where "" stands for one. */
static enum wr_status take_name(struct parser *p, struct slice *out, bool *quoted)
{
    struct buf buf;
    *quoted = accept(p, '"');
    if (!*quoted) {
        *out = take_word(p, "");
        return out->len ? WR_OK : fail_syntax(p);
    }
    buf_init(&buf, p->ctx->arena);
    for (;;) {
        if (!p->rest.len)
            return fail_syntax(p);
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

static enum wr_status take_number(struct parser *p, uint32_t *out)
{
    uint64_t v = 0;
    struct slice digits = take_word(p, "");
    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.data[i]) || v > INT32_MAX)
            return fail_syntax(p);
        v = v * 10 + (uint64_t)(digits.data[i] - '0');
    }
    if (v == 0 || v > INT32_MAX)
        return fail_syntax(p);
    *out = (uint32_t)v;
    return WR_OK;
}

static enum wr_status made(struct parser *p, const struct type *type, const struct type **out)
{
    (void)p;
    *out = type;
    return type ? WR_OK : WR_NOMEM;
}

struct args {
    const struct type **at;
    struct slice *names; /* of a user type's fields */
    uint32_t count, room;
};

static enum wr_status args_add(struct parser *p, struct args *args, const struct type *type, struct slice name)
{
    if (args->count == TYPE_NODES_MAX)
        return fail_syntax(p);
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

static enum wr_status build(struct parser *p, enum type_kind kind, const struct args *args, uint32_t dimension,
                            const struct type **out)
{
    if (!args_fit(kind, args->count))
        return fail_syntax(p);
    bool multicell = kind <= TYPE_MAP;
    return made(p, type_make(p->ctx, kind, args->at, args->count, multicell, dimension), out);
}

static enum wr_status parse_cql(struct parser *p, const struct type **out);
static enum wr_status parse_class(struct parser *p, const struct type **out);

static const struct {
    const char *name;
    enum type_kind kind;
} built[] = {
    { "list", TYPE_LIST }, { "set", TYPE_SET }, { "map", TYPE_MAP }, { "tuple", TYPE_TUPLE }, { "vector", TYPE_VECTOR }
};

/* How a name and its arguments are written. */
struct notation {
    enum wr_status (*parse)(struct parser *p, const struct type **out);
    char end;
    bool freezes; /* what is inside is frozen without saying so, but in a vector */
};
static const struct notation of_cql = { parse_cql, '>', false }, of_classes = { parse_class, ')', true };

/* Commas part the arguments; in the brackets of classes blanks do, too, and a comma may stand before the first and behind the last (TypeParser.skipBlankAndComma). */
static bool has_next(struct parser *p, const struct notation *notation)
{
    bool comma = accept(p, ',');
    skip_blanks(p);
    return notation == &of_classes ? p->rest.len && p->rest.data[0] != (uint8_t)notation->end : comma;
}

/* Behind `list<` and its kin, to the closing bracket. */
static enum wr_status parse_arguments(struct parser *p, const struct notation *notation, enum type_kind kind, const struct type **out)
{
    struct args args = { 0 };
    uint32_t dimension = 0;
    if (notation == &of_classes)
        accept(p, ',');
    do {
        const struct type *arg = NULL;
        if (kind == TYPE_VECTOR && args.count == 1) {
            TRY(take_number(p, &dimension));
            break;
        }
        TRY(notation->parse(p, &arg));
        if (notation->freezes && kind != TYPE_VECTOR)
            TRY(made(p, type_freeze(p->ctx, arg), &arg));
        TRY(args_add(p, &args, arg, SLICE_NULL));
    } while (has_next(p, notation));
    if (!accept(p, notation->end) || (kind == TYPE_VECTOR && !dimension))
        return fail_syntax(p);
    return build(p, kind, &args, dimension, out);
}

static enum wr_status parse_udt(struct parser *p, struct slice first, const struct type **out)
{
    struct slice keyspace = p->keyspace, name = first;
    bool quoted = false;
    if (accept(p, '.')) {
        keyspace = first;
        TRY(take_name(p, &name, &quoted));
    }
    const struct type *type = p->lookup ? p->lookup(p->arg, keyspace, name) : NULL;
    if (!type)
        return fail(p->ctx, WR_INVALID, "Unknown type %.*s.%.*s", SLICE_ARG(keyspace), SLICE_ARG(name));
    return made(p, type_unfrozen_copy(p->ctx, type), out);
}

static enum wr_status parse_quoted_class(struct parser *p, const struct type **out)
{
    TRY(parse_class(p, out));
    return accept(p, '\'') ? WR_OK : fail_syntax(p);
}

/* A package of more than one part, brackets, or a name of our own's kind; a UDT's name has one point at most. */
static bool looks_like_class(const struct parser *p, struct slice word)
{
    struct parser ahead = *p;
    struct slice behind = take_word(&ahead, ".");
    size_t points = 0;
    for (size_t i = 0; i < behind.len; i++)
        points += behind.data[i] == '.';
    return points > 1 || (p->rest.len && p->rest.data[0] == '(') ||
           (word.len > 4 && slice_eq_str(slice_skip(word, word.len - 4), "Type"));
}

static enum wr_status parse_bare(struct parser *p, const struct type **out)
{
    struct slice before = p->rest, word = SLICE_NULL;
    bool quoted = false;
    TRY(take_name(p, &word, &quoted));
    if (!quoted && is_word(word, "frozen") && accept(p, '<')) {
        TRY(parse_cql(p, out));
        if (!accept(p, '>'))
            return fail_syntax(p);
        return made(p, type_freeze(p->ctx, *out), out);
    }
    for (size_t i = 0; !quoted && i < sizeof built / sizeof *built; i++)
        if (is_word(word, built[i].name) && accept(p, '<'))
            return parse_arguments(p, &of_cql, built[i].kind, out);
    const struct type *native = quoted ? NULL : is_word(word, "empty") ? type_native(TYPE_EMPTY) : type_by_name(word);
    if (native) {
        *out = native;
        return WR_OK;
    }
    if (!quoted && looks_like_class(p, word)) {
        p->rest = before;
        return parse_class(p, out);
    }
    return parse_udt(p, word, out);
}

static enum wr_status deeper(struct parser *p, enum wr_status (*read)(struct parser *, const struct type **),
                             const struct type **out)
{
    if (++p->depth > p->depth_most)
        return fail(p->ctx, WR_INVALID, "Types are nested more than %u deep", p->depth_most / 2);
    enum wr_status st = read(p, out);
    p->depth--;
    return st;
}

static enum wr_status parse_cql(struct parser *p, const struct type **out)
{
    return deeper(p, accept(p, '\'') ? parse_quoted_class : parse_bare, out);
}

/* ---- Java classes ---- */

static enum wr_status take_hex(struct parser *p, struct slice *out)
{
    struct slice digits = take_word(p, "");
    if (!digits.len)
        return fail_syntax(p);
    enum wr_status st = type_ops(type_native(TYPE_BLOB))->from_string(p->ctx, type_native(TYPE_BLOB), digits, out);
    return st == WR_INVALID ? fail_syntax(p) : st;
}

/* UserType(keyspace,hex name,hex field:type,...): the definition itself, so nothing is looked up. */
static enum wr_status parse_user_class(struct parser *p, const struct type **out)
{
    struct args types = { 0 };
    struct slice keyspace = take_word(p, ""), name = SLICE_NULL;
    if (!keyspace.len || !accept(p, ','))
        return fail_syntax(p);
    TRY(take_hex(p, &name));
    while (accept(p, ',')) {
        const struct type *type = NULL;
        struct slice field = SLICE_NULL;
        TRY(take_hex(p, &field));
        if (!accept(p, ':'))
            return fail_syntax(p);
        TRY(parse_class(p, &type));
        TRY(args_add(p, &types, type, field));
    }
    if (!accept(p, ')'))
        return fail_syntax(p);
    return made(p, type_make_udt(p->ctx, keyspace, name, types.names, types.at, types.count, true), out);
}

#define CLASS_MARKS ".-+&" /* what a class name may have beside letters, digits and _ */

enum parameters { PARAMETERS_READ, PARAMETERS_UNEXPECTED, PARAMETERS_OPEN, PARAMETERS_BROKEN_OFF };

/* TypeParser.getKeyValueParameters, behind the bracket: of a class that takes no types, (reversed=true) or (reversed) makes a ReversedType; all other keys say nothing. */
static enum parameters take_parameters(struct parser *p, bool *reversed)
{
    *reversed = false;
    for (;;) {
        while (accept(p, ','))
            ;
        if (accept(p, ')'))
            return PARAMETERS_READ;
        if (!p->rest.len)
            return PARAMETERS_OPEN;
        struct slice key = take_word(p, CLASS_MARKS), value = SLICE_EMPTY;
        if (accept(p, '='))
            value = take_word(p, CLASS_MARKS);
        else if (!p->rest.len)
            return PARAMETERS_BROKEN_OFF;
        else if (p->rest.data[0] != ',' && p->rest.data[0] != ')')
            return PARAMETERS_UNEXPECTED;
        if (slice_eq_str(key, "reversed"))
            *reversed = !value.len || slice_eq_str(value, "true");
    }
}

static enum wr_status parse_parameters(struct parser *p)
{
    bool reversed;
    if (!accept(p, '('))
        return WR_OK;
    enum parameters read = take_parameters(p, &reversed);
    size_t at = p->text.len - p->rest.len;
    if (read == PARAMETERS_BROKEN_OFF)
        return fail(p->ctx, WR_SERVER_ERROR, "StringIndexOutOfBoundsException String index out of range: %zu", at);
    if (read == PARAMETERS_OPEN)
        return fail(p->ctx, WR_SYNTAX, "Syntax error parsing '%.*s' at char %zu: unexpected end of string", SLICE_ARG(p->text), at);
    if (read == PARAMETERS_UNEXPECTED) {
        struct slice character = unicode_java_char(p->rest);
        return fail(p->ctx, WR_SYNTAX, "Syntax error parsing '%.*s' at char %zu: unexpected character '%.*s'", SLICE_ARG(p->text), at, SLICE_ARG(character));
    }
    return WR_OK;
}

/* Of what is in a class's brackets: the class is no definition then, whatever it was. */
static bool is_wrong(enum wr_status st)
{
    return st == WR_SYNTAX || st == WR_SERVER_ERROR;
}

static enum wr_status fail_definition(struct parser *p, const char *name)
{
    return fail(p->ctx, WR_SYNTAX, "Invalid definition for comparator " MARSHAL "%s.", name);
}

/* What stands in the brackets of a class that CQL has no name for: keys and values, types, types each behind a letter (DynamicCompositeType(a=>Int32Type)), or a
 * partitioner. */
enum brackets { OF_PARAMETERS, OF_TYPES, OF_LETTERS, OF_PARTITIONER };

/* The server's classes that CQL has no name for. They keep their text, its types written out, and order by their bytes where they are TYPE_CUSTOM. */
static const struct custom {
    const char *name;
    enum type_kind kind;
    enum brackets brackets;
} customs[] = {
    { "LexicalUUIDType", TYPE_LEXICAL_UUID, OF_PARAMETERS },
    { "PartitionerDefinedOrder", TYPE_CUSTOM, OF_PARTITIONER },
    { "CompositeType", TYPE_COMPOSITE, OF_TYPES },
    { "DynamicCompositeType", TYPE_CUSTOM, OF_LETTERS },
};

/* Classes beside the server's types that are none. */
static const char *const no_types[] = {
    "AbstractCompositeType", "AbstractTimeUUIDType", "AbstractType", "CollectionType", "NumberType",
    "StringType", "TemporalType", "TypeParser", "ValueAccessor", "ValueComparators",
};

#define PARTITIONERS "org.apache.cassandra.dht."
/* The first is the server's own. Those that keep keys as they are have an order by a type of ours, and are shown as that. */
static const struct partitioner {
    const char *name;
    enum type_kind order;
} partitioners[] = {
    { "Murmur3Partitioner", TYPE_CUSTOM },
    { "RandomPartitioner", TYPE_CUSTOM },
    { "ByteOrderedPartitioner", TYPE_BLOB },
    { "OrderPreservingPartitioner", TYPE_TEXT },
};

static const struct partitioner *partitioner_named(struct slice name)
{
    if (slice_has_prefix(name, SLICE_LIT(PARTITIONERS)))
        name = slice_skip(name, sizeof PARTITIONERS - 1);
    for (size_t i = 0; i < sizeof partitioners / sizeof *partitioners; i++)
        if (slice_eq_str(name, partitioners[i].name))
            return &partitioners[i];
    return NULL;
}

static const struct custom *custom_named(struct slice name)
{
    for (size_t i = 0; i < sizeof customs / sizeof *customs; i++)
        if (slice_eq_str(name, customs[i].name))
            return &customs[i];
    return NULL;
}

static enum wr_status add_component(struct ctx *ctx, struct type *type, const struct type *component)
{
    const struct type **all = NEW_ARRAY(ctx, const struct type *, type->component_count + 1u);
    if (!all)
        return WR_NOMEM;
    for (uint32_t i = 0; i < type->component_count; i++)
        all[i] = type->components[i];
    all[type->component_count++] = component;
    type->components = all;
    return WR_OK;
}

static enum wr_status parse_letter(struct parser *p, struct buf *buf)
{
    struct slice letter = take_word(p, "");
    if (letter.len != 1 || !accept(p, '=') || !accept(p, '>'))
        return fail_syntax(p);
    buf_put_slice(buf, letter);
    buf_put_str(buf, "=>");
    return WR_OK;
}

static enum wr_status parse_custom_types(struct parser *p, const struct custom *custom, struct type *made, struct buf *buf)
{
    if (!accept(p, '('))
        return WR_OK;
    while (has_next(p, &of_classes)) {
        const struct type *type = NULL;
        if (made->component_count)
            buf_put_u8(buf, ',');
        if (custom->brackets == OF_LETTERS)
            TRY(parse_letter(p, buf));
        bool reversed = type_class_is_reversed(p->rest);
        TRY(parse_class(p, &type));
        if (reversed && !(type = type_reversed(p->ctx, type)))
            return WR_NOMEM;
        type_print_class(buf, type);
        TRY(add_component(p->ctx, made, type));
    }
    return accept(p, ')') ? WR_OK : fail_syntax(p);
}

/* TypeParser.getPartitionerDefinedOrder: a partitioner, or the server's own. A type behind a colon says nothing, not even whether the bracket is closed. */
static enum wr_status parse_partitioner(struct parser *p, struct type *made, struct buf *buf)
{
    const struct type *ignored = NULL;
    const struct partitioner *found = partitioners;
    if (accept(p, '(')) {
        found = partitioner_named(take_word(p, CLASS_MARKS));
        if (!found)
            return fail_syntax(p);
        if (accept(p, ':'))
            TRY(parse_class(p, &ignored));
        else if (!accept(p, ')'))
            return fail_syntax(p);
    }
    made->kind = found->order;
    buf_put_str(buf, PARTITIONERS);
    buf_put_str(buf, found->name);
    return WR_OK;
}

static enum wr_status parse_brackets(struct parser *p, const struct custom *custom, struct type *made, struct buf *buf)
{
    buf_put_u8(buf, '(');
    enum wr_status st = custom->brackets == OF_PARTITIONER ? parse_partitioner(p, made, buf) : parse_custom_types(p, custom, made, buf);
    if (is_wrong(st))
        return fail_definition(p, custom->name);
    buf_put_u8(buf, ')');
    return st;
}

static enum wr_status fail_class(struct parser *p, struct slice word, struct slice name)
{
    for (size_t i = 0; i < sizeof no_types / sizeof *no_types; i++)
        if (slice_eq_str(name, no_types[i]))
            return fail(p->ctx, WR_SYNTAX,
                        "Invalid comparator class " MARSHAL "%s: must define a public static instance field or a public static method getInstance(TypeParser).",
                        no_types[i]);
    return fail(p->ctx, WR_SYNTAX, "Unable to find abstract-type class '%s%.*s'", memchr(word.data, '.', word.len) ? "" : MARSHAL, SLICE_ARG(word));
}

static enum wr_status parse_custom(struct parser *p, struct slice word, struct slice name, const struct type **out)
{
    const struct custom *custom = custom_named(name);
    struct type *type = NEW(p->ctx, struct type);
    struct buf buf;
    if (!type)
        return WR_NOMEM;
    if (!custom)
        return fail_class(p, word, name);
    buf_init(&buf, p->ctx->arena);
    buf_put_str(&buf, MARSHAL);
    buf_put_slice(&buf, name);
    type->kind = custom->kind;
    TRY(custom->brackets == OF_PARAMETERS ? parse_parameters(p) : parse_brackets(p, custom, type, &buf));
    TRY(buf_done(p->ctx, &buf, &type->name));
    *out = type->kind == custom->kind ? type : type_native(type->kind);
    return WR_OK;
}

/* Other classes of types we have, which are shown by their own names: timestamp's from before Cassandra 1.2, and timeuuid's in another order's
 * clothes. */
enum { LEGACY_TIMESTAMP, LEGACY_TIMEUUID };
static const struct type aliases[] = {
    [LEGACY_TIMESTAMP] = { .kind = TYPE_TIMESTAMP, .name = SLICE_LIT("DateType") },
    [LEGACY_TIMEUUID] = { .kind = TYPE_TIMEUUID, .name = SLICE_LIT("LegacyTimeUUIDType") },
};

const struct type *type_in_function(const struct type *type)
{
    return type->kind == TYPE_TIMEUUID ? &aliases[LEGACY_TIMEUUID] : type;
}

static const struct type *alias_named(struct slice name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (slice_eq(name, aliases[i].name))
            return &aliases[i];
    return NULL;
}

static enum type_kind kind_of_class(struct slice name)
{
    for (int kind = 0; kind < TYPE_CUSTOM; kind++)
        if (slice_eq_str(name, type_ops(&(struct type){ .kind = (enum type_kind)kind })->java))
            return (enum type_kind)kind;
    return TYPE_CUSTOM;
}

static enum wr_status parse_built_class(struct parser *p, enum type_kind kind, const struct type **out)
{
    enum wr_status st = !accept(p, '(')    ? WR_SYNTAX
                        : kind == TYPE_UDT ? parse_user_class(p, out)
                                           : parse_arguments(p, &of_classes, kind, out);
    return is_wrong(st) ? fail_definition(p, type_ops(&(struct type){ .kind = kind })->java) : st;
}

/* FrozenType(...) and ReversedType(...), which are what is in them. */
static enum wr_status parse_wrapper(struct parser *p, bool frozen, const struct type **out)
{
    enum wr_status st = accept(p, '(') && has_next(p, &of_classes) ? parse_class(p, out) : WR_SYNTAX;
    if (st == WR_OK && (has_next(p, &of_classes) || !accept(p, ')')))
        st = WR_SYNTAX;
    if (is_wrong(st))
        return fail_definition(p, frozen ? FROZEN : REVERSED);
    return st == WR_OK && frozen ? made(p, type_freeze(p->ctx, *out), out) : st;
}

static enum wr_status parse_class_body(struct parser *p, const struct type **out)
{
    struct slice word = take_word(p, CLASS_MARKS), name = word;
    if (!word.len)
        return fail_syntax(p);
    if (slice_has_prefix(name, SLICE_LIT(MARSHAL)))
        name = slice_skip(name, sizeof MARSHAL - 1);
    bool frozen = slice_eq_str(name, FROZEN);
    if (frozen || slice_eq_str(name, REVERSED))
        return parse_wrapper(p, frozen, out);
    const struct type *alias = alias_named(name);
    enum type_kind kind = alias ? alias->kind : kind_of_class(name);
    if (kind == TYPE_CUSTOM)
        return parse_custom(p, word, name, out);
    if (kind >= TYPE_LIST)
        return parse_built_class(p, kind, out);
    *out = alias ? alias : type_native(kind);
    return parse_parameters(p);
}

static enum wr_status parse_class(struct parser *p, const struct type **out)
{
    return deeper(p, parse_class_body, out);
}

enum wr_status type_parse_name(struct ctx *ctx, struct slice text, struct slice keyspace,
                               const struct type *(*lookup)(void *arg, struct slice keyspace, struct slice name),
                               void *arg, const struct type **out)
{
    struct parser p = { ctx, text, text, keyspace, lookup, arg, 0, thread_levels(DEPTH_MOST, LEVEL_BYTES) };
    TRY(parse_cql(&p, out));
    skip_blanks(&p);
    return p.rest.len ? fail_syntax(&p) : WR_OK;
}

static bool takes_parameters(struct slice name)
{
    const struct custom *custom = custom_named(name);
    return alias_named(name) || kind_of_class(name) < TYPE_LIST || (custom && custom->brackets == OF_PARAMETERS);
}

bool type_class_is_reversed(struct slice text)
{
    struct parser p = { .text = text, .rest = text };
    skip_blanks(&p);
    struct slice name = take_word(&p, CLASS_MARKS);
    if (slice_has_prefix(name, SLICE_LIT(MARSHAL)))
        name = slice_skip(name, sizeof MARSHAL - 1);
    bool reversed = slice_eq_str(name, REVERSED);
    if (!reversed && takes_parameters(name) && accept(&p, '('))
        (void)take_parameters(&p, &reversed);
    return reversed;
}

enum wr_status type_parse_class(struct ctx *ctx, struct slice text, const struct type **out)
{
    struct parser p = { .ctx = ctx, .text = text, .rest = text, .depth_most = thread_levels(DEPTH_MOST, LEVEL_BYTES) };
    skip_blanks(&p);
    struct parser ahead = p;
    if (!take_word(&ahead, CLASS_MARKS).len) { /* TypeParser.parse: no name at all */
        *out = type_native(TYPE_BLOB);
        return WR_OK;
    }
    enum wr_status st = parse_class(&p, out); /* what stands behind it is not looked at, as on the server */
    if (st != WR_SYNTAX)
        return st;
    const char *cause = ctx_format(ctx, "%s", ctx->error);
    return fail(ctx, st, "%s type %.*s: %s",
                cause && strncmp(cause, "Syntax", 6) == 0 ? "Cannot parse" : "Error setting", SLICE_ARG(text),
                cause ? cause : "");
}
