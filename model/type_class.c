/* Types by the Java classes that a server has for them, read (TypeParser). */
#include <string.h>

#include "model/type_ops.h"
#include "model/type_reader.h"
#include "model/unicode.h"

static const struct type_notation of_classes = { type_read_class, ')', true };

/* May be none. */
static enum wr_status take_hex(struct type_reader *p, struct slice *out)
{
    enum wr_status st = type_ops(type_native(TYPE_BLOB))->from_string(p->ctx, type_native(TYPE_BLOB), type_read_word(p, ""), out);
    return st == WR_INVALID ? type_read_fail(p) : st;
}

static bool is_among(struct slice name, const struct type_args *fields)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (slice_eq(fields->names[i], name))
            return true;
    return false;
}

static enum wr_status take_field(struct type_reader *p, struct type_args *fields)
{
    const struct type *type = NULL;
    struct slice name = SLICE_NULL;
    TRY(take_hex(p, &name));
    if (!type_read_accept(p, ':'))
        return type_read_fail(p);
    TRY(type_read_class(p, &type));
    return is_among(name, fields) ? type_read_fail(p) : type_args_add(p, fields, type, name);
}

/* UserType(keyspace,hex name,hex field:type,...): the definition itself, so nothing is looked up. */
static enum wr_status parse_user_class(struct type_reader *p, const struct type **out)
{
    struct type_args fields = { 0 };
    struct slice name = SLICE_NULL;
    (void)type_read_has_next(p, &of_classes);
    struct slice keyspace = type_read_word(p, "");
    (void)type_read_has_next(p, &of_classes);
    TRY(take_hex(p, &name));
    while (type_read_has_next(p, &of_classes))
        TRY(take_field(p, &fields));
    if (!type_read_accept(p, ')'))
        return type_read_fail(p);
    return type_made(type_make_udt(p->ctx, keyspace, name, fields.names, fields.at, fields.count), out);
}

#define CLASS_MARKS ".-+&" /* what a class name may have beside letters, digits and _ */

enum parameters { PARAMETERS_READ, PARAMETERS_UNEXPECTED, PARAMETERS_OPEN, PARAMETERS_BROKEN_OFF };

/* TypeParser.getKeyValueParameters, behind the bracket: of a class that takes no types, (reversed=true) or (reversed) makes a ReversedType; all other keys say
 * nothing. */
static enum parameters take_parameters(struct type_reader *p, bool *reversed)
{
    *reversed = false;
    for (;;) {
        while (type_read_accept(p, ','))
            ;
        if (type_read_accept(p, ')'))
            return PARAMETERS_READ;
        if (!p->rest.len)
            return PARAMETERS_OPEN;
        struct slice key = type_read_word(p, CLASS_MARKS), value = SLICE_EMPTY;
        if (type_read_accept(p, '='))
            value = type_read_word(p, CLASS_MARKS);
        else if (!p->rest.len)
            return PARAMETERS_BROKEN_OFF;
        else if (p->rest.data[0] != ',' && p->rest.data[0] != ')')
            return PARAMETERS_UNEXPECTED;
        if (slice_eq_str(key, "reversed"))
            *reversed = !value.len || slice_eq_str(value, "true");
    }
}

static enum wr_status parse_parameters(struct type_reader *p)
{
    bool reversed;
    if (!type_read_accept(p, '('))
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

static enum wr_status fail_definition(struct type_reader *p, const char *name)
{
    return fail(p->ctx, WR_SYNTAX, "Invalid definition for comparator " MARSHAL "%s.", name);
}

/* What stands in the brackets of a class that CQL has no name for: keys and values, types, types each behind a letter (DynamicCompositeType(a=>Int32Type)), or
 * a partitioner. */
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

static enum wr_status take_letter(struct type_reader *p, struct slice *letter)
{
    *letter = type_read_word(p, CLASS_MARKS);
    return letter->len == 1 && type_read_accept(p, '=') && type_read_accept_next(p, '>') ? WR_OK : type_read_fail(p);
}

/* A letter that comes again has the type that comes last (a Java HashMap). */
static enum wr_status add_part(struct type_reader *p, struct type_args *parts, const struct type *type, struct slice letter)
{
    for (uint32_t i = 0; letter.len && i < parts->count; i++)
        if (slice_eq(parts->names[i], letter)) {
            parts->at[i] = type;
            return WR_OK;
        }
    return type_args_add(p, parts, type, letter);
}

/* Those with letters in the order of such a map, which has twice the buckets where three quarters of them would be taken. */
static void print_parts(struct buf *buf, const struct type_args *parts, bool lettered)
{
    uint32_t buckets = lettered ? 16 : 1, printed = 0;
    while (lettered && parts->count > buckets / 4 * 3)
        buckets *= 2;
    for (uint32_t bucket = 0; bucket < buckets; bucket++)
        for (uint32_t i = 0; i < parts->count; i++) {
            if (lettered && (parts->names[i].data[0] & (buckets - 1)) != bucket)
                continue;
            buf_put_str(buf, printed++ ? "," : "");
            buf_put_slice(buf, parts->names[i]);
            buf_put_str(buf, lettered ? "=>" : "");
            type_print_class(buf, parts->at[i]);
        }
}

static enum wr_status parse_custom_types(struct type_reader *p, const struct custom *custom, struct type *made, struct buf *buf)
{
    struct type_args parts = { 0 };
    bool lettered = custom->brackets == OF_LETTERS;
    if (!type_read_accept(p, '('))
        return WR_OK;
    while (type_read_has_next(p, &of_classes)) {
        const struct type *type = NULL;
        struct slice letter = SLICE_NULL;
        if (lettered)
            TRY(take_letter(p, &letter));
        bool reversed = type_class_is_reversed(p->rest);
        TRY(type_read_class(p, &type));
        if (reversed && !(type = type_reversed(p->ctx, type)))
            return WR_NOMEM;
        TRY(add_part(p, &parts, type, letter));
    }
    print_parts(buf, &parts, lettered);
    made->components = parts.at;
    made->component_count = parts.count;
    return type_read_accept(p, ')') ? WR_OK : type_read_fail(p);
}

/* TypeParser.getPartitionerDefinedOrder: a partitioner, or the server's own. A type behind a colon says nothing, not even whether the bracket is closed. */
static enum wr_status parse_partitioner(struct type_reader *p, struct type *made, struct buf *buf)
{
    const struct type *ignored = NULL;
    const struct partitioner *found = partitioners;
    if (type_read_accept(p, '(')) {
        found = partitioner_named(type_read_word(p, CLASS_MARKS));
        if (!found)
            return type_read_fail(p);
        if (type_read_accept(p, ':'))
            TRY(type_read_class(p, &ignored));
        else if (!type_read_accept(p, ')'))
            return type_read_fail(p);
    }
    made->kind = found->order;
    buf_put_str(buf, PARTITIONERS);
    buf_put_str(buf, found->name);
    return WR_OK;
}

static enum wr_status parse_brackets(struct type_reader *p, const struct custom *custom, struct type *made, struct buf *buf)
{
    buf_put_u8(buf, '(');
    enum wr_status st = custom->brackets == OF_PARTITIONER ? parse_partitioner(p, made, buf) : parse_custom_types(p, custom, made, buf);
    if (is_wrong(st))
        return fail_definition(p, custom->name);
    buf_put_u8(buf, ')');
    return st;
}

static enum wr_status fail_class(struct type_reader *p, struct slice word, struct slice name)
{
    for (size_t i = 0; i < sizeof no_types / sizeof *no_types; i++)
        if (slice_eq_str(name, no_types[i]))
            return fail(p->ctx, WR_SYNTAX,
                        "Invalid comparator class " MARSHAL "%s: must define a public static instance field or a public static method getInstance(TypeParser).",
                        no_types[i]);
    return fail(p->ctx, WR_SYNTAX, "Unable to find abstract-type class '%s%.*s'", memchr(word.data, '.', word.len) ? "" : MARSHAL, SLICE_ARG(word));
}

static enum wr_status parse_custom(struct type_reader *p, struct slice word, struct slice name, const struct type **out)
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

static enum wr_status parse_built_class(struct type_reader *p, enum type_kind kind, const struct type **out)
{
    enum wr_status st = !type_read_accept(p, '(')    ? WR_SYNTAX
                        : kind == TYPE_UDT ? parse_user_class(p, out)
                                           : type_read_arguments(p, &of_classes, kind, out);
    return is_wrong(st) ? fail_definition(p, type_ops(&(struct type){ .kind = kind })->java) : st;
}

/* FrozenType(...) and ReversedType(...), which are what is in them. */
static enum wr_status parse_wrapper(struct type_reader *p, bool frozen, const struct type **out)
{
    enum wr_status st = type_read_accept(p, '(') && type_read_has_next(p, &of_classes) ? type_read_class(p, out) : WR_SYNTAX;
    if (st == WR_OK && (type_read_has_next(p, &of_classes) || !type_read_accept(p, ')')))
        st = WR_SYNTAX;
    if (is_wrong(st))
        return fail_definition(p, frozen ? FROZEN_CLASS : REVERSED_CLASS);
    return st == WR_OK && frozen ? type_made(type_freeze(p->ctx, *out), out) : st;
}

static enum wr_status parse_class_body(struct type_reader *p, const struct type **out)
{
    struct slice word = type_read_word(p, CLASS_MARKS), name = word;
    if (!word.len)
        return type_read_fail(p);
    if (slice_has_prefix(name, SLICE_LIT(MARSHAL)))
        name = slice_skip(name, sizeof MARSHAL - 1);
    bool frozen = slice_eq_str(name, FROZEN_CLASS);
    if (frozen || slice_eq_str(name, REVERSED_CLASS))
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

enum wr_status type_read_class(struct type_reader *p, const struct type **out)
{
    return type_read_deeper(p, parse_class_body, out);
}

static bool takes_parameters(struct slice name)
{
    const struct custom *custom = custom_named(name);
    return alias_named(name) || kind_of_class(name) < TYPE_LIST || (custom && custom->brackets == OF_PARAMETERS);
}

bool type_class_is_reversed(struct slice text)
{
    struct type_reader p = { .text = text, .rest = text };
    type_read_blanks(&p);
    struct slice name = type_read_word(&p, CLASS_MARKS);
    if (slice_has_prefix(name, SLICE_LIT(MARSHAL)))
        name = slice_skip(name, sizeof MARSHAL - 1);
    bool reversed = slice_eq_str(name, REVERSED_CLASS);
    if (!reversed && takes_parameters(name) && type_read_accept(&p, '('))
        (void)take_parameters(&p, &reversed);
    return reversed;
}

enum wr_status type_parse_class(struct ctx *ctx, struct slice text, const struct type **out)
{
    struct type_reader p = type_reader_of(ctx, text);
    type_read_blanks(&p);
    struct type_reader ahead = p;
    if (!type_read_word(&ahead, CLASS_MARKS).len) { /* TypeParser.parse: no name at all */
        *out = type_native(TYPE_BLOB);
        return WR_OK;
    }
    enum wr_status st = type_read_class(&p, out); /* what stands behind it is not looked at, as on the server */
    if (st != WR_SYNTAX)
        return st;
    const char *cause = ctx_format(ctx, "%s", ctx->error);
    return fail(ctx, st, "%s type %.*s: %s",
                cause && strncmp(cause, "Syntax", 6) == 0 ? "Cannot parse" : "Error setting", SLICE_ARG(text),
                cause ? cause : "");
}
