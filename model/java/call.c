/*
 * Which method or constructor a call means: of those that its arguments fit, first without boxing, then with it, then
 * with more arguments than there are parameters, the one whose parameters are nearest (a simpler rule than Java's most
 * specific one, and for this library the same answers).
 */
#include "model/java/body.h"
#include "model/java/lib.h"

enum { COST_BOXED = 100, COST_VARIADIC = 10000, COST_NONE = -1 };

/* ---- types of parameters and results ---- */

static const struct java_type *argument_of(const struct java_type *of, unsigned i)
{
    return of->args[i] ? of->args[i] : java_simple(J_OBJECT);
}

/* Of an array or of a generic class. *out NULL: no memory. */
static const struct java_type *made(struct java_checker *c, enum java_kind kind, const struct java_type *first,
                                    const struct java_type *second)
{
    return first ? java_generic(c->ctx, kind, first, second) : NULL;
}

/* What all arguments are, or all whose place is even or odd. */
enum { OF_EVEN, OF_ODD, OF_ALL };

static const struct java_type *common_every(struct java_checker *c, const struct java_node *arguments, int which)
{
    const struct java_type *common = java_simple(J_NULL);
    unsigned at = 0;
    for (const struct java_node *n = arguments; n && common; n = n->next, at++)
        if (which == OF_ALL || (int)(at % 2) == which)
            common = java_common_type(c->ctx, common, java_is_primitive(n->type) ? java_boxed(n->type) : n->type);
    return common;
}

/* Of nulls alone nothing is known: raw. second NULL: the class has one argument. */
static const struct java_type *made_or_raw(struct java_checker *c, enum java_kind kind, const struct java_type *first, const struct java_type *second)
{
    bool raw = (first && first->kind == J_NULL) || (second && second->kind == J_NULL);
    return raw ? java_simple(kind) : made(c, kind, first, second);
}

/* The class, of what the first argument is of. */
static const struct java_type *like(struct java_checker *c, enum java_kind kind, const struct java_node *first)
{
    bool raw = !first || !java_is_reference(first->type) || !first->type->args[0];
    return raw ? java_simple(kind) : made(c, kind, first->type->args[0], java_class_parameters(kind) > 1 ? first->type->args[1] : NULL);
}

/* What the Class is of that stands `at` behind the first argument. */
static const struct java_type *class_argument(const struct java_node *first, unsigned at)
{
    while (first && at--)
        first = first->next;
    return first && first->type->kind == J_CLASS ? argument_of(first->type, 0) : java_simple(J_OBJECT);
}

/* What a generic class or an array is of: what the receiver is, a Class among the arguments, or what stands here. */
enum part { OF_FIRST = J_KIND_COUNT, OF_SECOND, OF_CLASS, OF_SECOND_CLASS };

static const struct java_type *part_type(int part, const struct java_type *self, const struct java_node *first)
{
    switch (part) {
    case OF_FIRST:
    case OF_SECOND:
        return argument_of(self, part == OF_SECOND);
    case OF_CLASS:
    case OF_SECOND_CLASS:
        return class_argument(first, part == OF_CLASS ? 1 : 2);
    default:
        return java_simple((enum java_kind)part);
    }
}

static const struct generic {
    enum java_kind kind; /* J_ERROR: the shape is not one of these */
    int first, second;   /* enum part, or a kind; 0: there is none */
} generics[JX_CLASS_OF_SELF - JX_FIRST + 1] = {
    [JX_LIST_OF_FIRST - JX_FIRST] = { J_LIST, OF_FIRST, 0 },
    [JX_SET_OF_FIRST - JX_FIRST] = { J_SET, OF_FIRST, 0 },
    [JX_COLLECTION_OF_SECOND - JX_FIRST] = { J_COLLECTION, OF_SECOND, 0 },
    [JX_ITERATOR - JX_FIRST] = { J_ITERATOR, OF_FIRST, 0 },
    [JX_SORTED_MAP - JX_FIRST] = { J_SORTED_MAP, OF_FIRST, OF_SECOND },
    [JX_NAVIGABLE_MAP - JX_FIRST] = { J_NAVIGABLE_MAP, OF_FIRST, OF_SECOND },
    [JX_SORTED_SET - JX_FIRST] = { J_SORTED_SET, OF_FIRST, 0 },
    [JX_NAVIGABLE_SET - JX_FIRST] = { J_NAVIGABLE_SET, OF_FIRST, 0 },
    [JX_ENTRY - JX_FIRST] = { J_ENTRY, OF_FIRST, OF_SECOND },
    [JX_LIST_OF_CLASS - JX_FIRST] = { J_LIST, OF_CLASS, 0 },
    [JX_SET_OF_CLASS - JX_FIRST] = { J_SET, OF_CLASS, 0 },
    [JX_MAP_OF_CLASSES - JX_FIRST] = { J_MAP, OF_CLASS, OF_SECOND_CLASS },
    [JX_STRINGS - JX_FIRST] = { J_ARRAY, J_STRING, 0 },
    [JX_OBJECTS - JX_FIRST] = { J_ARRAY, J_OBJECT, 0 },
    [JX_BYTES - JX_FIRST] = { J_ARRAY, J_BYTE, 0 },
    [JX_CHARS - JX_FIRST] = { J_ARRAY, J_CHAR, 0 },
};

static bool is_ordered_array(const struct java_type *type)
{
    return type->kind == J_ARRAY && (java_is_primitive(type->args[0]) || java_kind_extends(type->args[0]->kind, J_COMPARABLE));
}

/* first: what the call's arguments begin with; NULL where parameters are asked for before they are known. */
static const struct java_type *shape_type(struct java_checker *c, int shape, const struct java_type *self,
                                          const struct java_node *first)
{
    if (shape < J_KIND_COUNT)
        return java_simple((enum java_kind)shape);
    const struct generic *g = &generics[shape - JX_FIRST];
    if (g->kind)
        return made(c, g->kind, part_type(g->first, self, first), g->second ? part_type(g->second, self, first) : NULL);
    switch ((enum java_shape)shape) {
    case JX_FIRST:
        return argument_of(self, 0);
    case JX_SECOND:
        return argument_of(self, 1);
    case JX_SELF:
        return self;
    case JX_SET_OF_ENTRIES:
        return made(c, J_SET, made(c, J_ENTRY, argument_of(self, 0), argument_of(self, 1)), NULL);
    case JX_LIST_OF_ARGUMENTS:
    case JX_SET_OF_ARGUMENTS: {
        const struct java_type *of =
            first && !first->next && first->type->kind == J_ARRAY && java_is_reference(first->type->args[0])
                ? first->type->args[0]
                : common_every(c, first, OF_ALL);
        if (of && of->kind == J_NULL)
            of = java_simple(J_OBJECT);
        return made(c, shape == JX_LIST_OF_ARGUMENTS ? J_LIST : J_SET, of, NULL);
    }
    case JX_OF_CLASS:
        return class_argument(first, 1);
    case JX_ELEMENT:
        return first && java_is_reference(first->type) ? argument_of(first->type, 0) : java_simple(J_OBJECT);
    case JX_AS_ARGUMENT:
        return first && java_is_primitive(first->type) ? java_boxed(first->type)
               : first                                 ? first->type
                                                       : java_simple(J_OBJECT);
    case JX_OF_ARGUMENTS: {
        const struct java_type *of = common_every(c, first, OF_ALL);
        return of && of->kind != J_NULL ? of : java_simple(J_OBJECT);
    }
    case JX_ARRAY:
        return first && first->type->kind == J_ARRAY ? first->type : made(c, J_ARRAY, java_simple(J_OBJECT), NULL);
    case JX_ORDERED_ARRAY:
        return first && is_ordered_array(first->type) ? first->type : made(c, J_ARRAY, java_simple(J_BOOLEAN), NULL);
    case JX_ARRAY_ELEMENT:
        return first && first->type->kind == J_ARRAY ? first->type->args[0] : java_simple(J_OBJECT);
    case JX_OPTIONAL_OF_ARGUMENTS:
        return made_or_raw(c, J_OPTIONAL, common_every(c, first, OF_ALL), NULL);
    case JX_COLLECTION_LIKE:
    case JX_LIST_LIKE:
    case JX_SET_LIKE:
    case JX_MAP_LIKE:
        return like(c, (enum java_kind[]){ J_COLLECTION, J_LIST, J_SET, J_MAP }[shape - JX_COLLECTION_LIKE], first);
    case JX_MAP_OF_ARGUMENTS:
    case JX_ENTRY_OF_ARGUMENTS:
        return made_or_raw(c, shape == JX_MAP_OF_ARGUMENTS ? J_MAP : J_ENTRY, common_every(c, first, OF_EVEN), common_every(c, first, OF_ODD));
    case JX_LIST_OF_COPIES:
        return made_or_raw(c, J_LIST, first && first->next ? common_every(c, first->next, OF_ALL) : java_simple(J_NULL), NULL);
    case JX_ARRAY_OF_SELF:
        return made(c, J_ARRAY, self, NULL);
    case JX_CLASS_OF_SELF: {
        const struct java_type *erased = self->kind == J_ARRAY ? self : java_simple(self->kind);
        return made(c, J_CLASS, java_wildcard(c->ctx, erased), NULL);
    }
    default:
        return NULL;
    }
}

/* What a generic class's method gives may be something else if the object came from a raw type: it is looked at. */
static bool is_generic(int shape)
{
    return shape == JX_FIRST || shape == JX_SECOND || shape == JX_ELEMENT || shape == JX_AS_ARGUMENT || shape == JX_OF_ARGUMENTS ||
           shape == JX_OF_CLASS;
}

/* A list or set of what is handed to it. */
static bool is_of_arguments(int shape)
{
    return shape == JX_LIST_OF_ARGUMENTS || shape == JX_SET_OF_ARGUMENTS || shape == JX_LIST_OF_COPIES;
}

bool java_call_makes(const struct java_node *call, const struct java_type *type)
{
    const struct java_node *items = call->b;
    if (!call->method || !is_of_arguments(call->method->result) || call->given[0] || !java_kind_extends(call->type->kind, type->kind) ||
        !type->args[0])
        return false;
    if (call->method->result == JX_LIST_OF_COPIES)
        items = items->next;
    else if (items->op == JE_NEW_ARRAY)
        items = items->b;
    for (const struct java_node *n = items; n; n = n->next)
        if (!java_is_subtype(n->type, type->args[0]))
            return false;
    return true;
}

/* ---- fitting ---- */

static int distance(enum java_kind from, enum java_kind to)
{
    if (from == to)
        return 0;
    return to == J_OBJECT ? 9 : from > to ? (int)(from - to) % 7 + 1 : 1;
}

static int cost_of(const struct java_node *argument, const struct java_type *to)
{
    const struct java_type *from = argument->type, *plain;
    if (from->kind == J_VOID)
        return COST_NONE;
    if (java_is_primitive(from) && java_is_primitive(to))
        return java_widens(from, to) ? (int)to->kind - (int)from->kind : COST_NONE;
    if (java_is_primitive(from)) {
        plain = java_boxed(from);
        return java_is_subtype(plain, to) ? COST_BOXED + distance(plain->kind, to->kind) : COST_NONE;
    }
    if (java_is_primitive(to)) {
        plain = java_unboxed(from);
        return plain && java_widens(plain, to) ? COST_BOXED + (int)to->kind - (int)plain->kind : COST_NONE;
    }
    return java_is_subtype(from, to)
               ? from->kind == J_NULL ? (to->kind == J_OBJECT || to->kind == J_ARRAY) : distance(from->kind, to->kind)
               : COST_NONE;
}

/* A constructor that copies what is handed to it, a Collection<? extends E> or Map<? extends K, ? extends V>, which this is not. */
static bool is_copied_amiss(const struct java_method *m, int shape, const struct java_type *self, const struct java_type *from)
{
    if ((shape != J_COLLECTION && shape != J_MAP) || strcmp(m->name, "<init>"))
        return false;
    for (int i = 0; i < 2; i++)
        if (self->args[i] && from->args[i] && !java_is_subtype(from->args[i], self->args[i]))
            return true;
    return false;
}

/* COST_NONE: the arguments do not fit. */
static int cost_of_call(struct java_checker *c, const struct java_method *m, const struct java_type *self,
                        const struct java_node *arguments, uint32_t count, bool variadic)
{
    unsigned arity = java_method_arity(m), fixed = variadic ? arity - 1 : arity;
    const struct java_node *n = arguments;
    int cost = variadic ? COST_VARIADIC : 0;

    if (variadic ? !(m->flags & JAVA_VARIADIC) || count < fixed : count != arity)
        return COST_NONE;
    for (unsigned i = 0; n; i++, n = n->next) {
        const struct java_type *to = shape_type(c, m->args[i < fixed ? i : arity - 1], self, arguments);
        int one = !to ? COST_NONE : cost_of(n, i < fixed ? to : to->args[0]);
        if (one == COST_NONE || is_copied_amiss(m, m->args[i < fixed ? i : arity - 1], self, n->type))
            return COST_NONE;
        cost += one;
    }
    return cost;
}

struct search {
    const struct java_method *best, *guess; /* what fits; what was meant, where nothing does */
    int cost, matches;
};

/* How far a number of parameters is from that of the arguments. */
static unsigned difference(unsigned parameters, unsigned arguments)
{
    return parameters < arguments ? 2 * (arguments - parameters) : parameters - arguments;
}

/* As the compiler guesses: the method with most parameters that are of just the type of an argument there or beside, or
 * else with the number of arguments nearest. */
static void guess(struct java_checker *c, const struct java_method *m, const struct java_type *self,
                  const struct java_node *node, struct search *s)
{
    unsigned arity = java_method_arity(m), i = 0;
    int matches = 0;

    for (const struct java_node *n = node->b; n; n = n->next, i++)
        for (unsigned j = i ? i - 1 : 0; j < arity && j < i + 1; j++) {
            const struct java_type *t = shape_type(c, m->args[j], self, NULL);
            if (t && java_type_eq(t, n->type)) {
                matches++;
                break;
            }
        }
    if (s->guess &&
        (matches < s->matches || (matches == s->matches && difference(arity, node->count) >=
                                                               difference(java_method_arity(s->guess), node->count))))
        return;
    s->guess = m;
    s->matches = matches;
}

/* The methods of a class and of all it extends, one behind the other: *m is the one before. */
static bool next_method(enum java_kind kind, const struct java_node *node, bool only_static, enum java_kind *of, const struct java_method **m)
{
    struct slice name = node->op == JE_NEW ? SLICE_LIT("<init>") : node->name;
    for (; *of < J_KIND_COUNT; ++*of, *m = NULL) {
        if (!java_kind_extends(kind, *of) || (node->op == JE_NEW && *of != kind) || (*of == J_COMPARABLE && *of != kind /* which has its own */))
            continue;
        while ((*m = java_method_next(*of, name, *m)))
            if (!only_static || (*m)->flags & JAVA_STATIC || node->op == JE_NEW)
                return true;
    }
    return false;
}

static void search_class(struct java_checker *c, enum java_kind kind, const struct java_node *node,
                         const struct java_type *self, bool only_static, struct search *s)
{
    const struct java_method *m = NULL;
    for (enum java_kind of = J_ARRAY; next_method(kind, node, only_static, &of, &m);) {
        guess(c, m, self, node, s);
        for (int variadic = 0; variadic < 2; variadic++) {
            int cost = cost_of_call(c, m, self, node->b, node->count, variadic);
            if (cost != COST_NONE && (!s->best || cost < s->cost || (cost == s->cost && java_kind_extends(m->of, s->best->of)))) {
                s->best = m;
                s->cost = cost;
            }
        }
    }
}

/* Whether whatever the one takes fits the other, too (JLS 15.12.2.5). */
static bool is_narrower(struct java_checker *c, const struct java_method *m, const struct java_method *other, const struct java_type *self,
                        const struct java_node *arguments)
{
    unsigned i = 0;
    for (const struct java_node *n = arguments; n; n = n->next, i++) {
        const struct java_type *from = shape_type(c, m->args[i], self, arguments), *to = shape_type(c, other->args[i], self, arguments);
        if (from && to && !java_type_eq(from, to) && !(java_is_primitive(from) ? java_is_primitive(to) && java_widens(from, to) : java_is_subtype(from, to)))
            return false;
    }
    return true;
}

static bool has_null(const struct java_node *arguments)
{
    for (; arguments; arguments = arguments->next)
        if (arguments->type->kind == J_NULL)
            return true;
    return false;
}

/* A null has no type that is near to any: of the methods that it fits the narrowest is meant. The first of them where there is no such; else NULL. */
static const struct java_method *find_ambiguous(struct java_checker *c, const struct java_node *node, const struct java_type *self, bool only_static,
                                                struct search *s)
{
    const struct java_method *m = NULL, *first = NULL;
    bool ambiguous = false;

    if (!s->best || s->cost >= COST_BOXED || !has_null(node->b))
        return NULL;
    for (enum java_kind of = J_ARRAY; next_method(self->kind, node, only_static, &of, &m);) {
        int cost = cost_of_call(c, m, self, node->b, node->count, false);
        if (cost == COST_NONE || cost >= COST_BOXED)
            continue;
        first = first ? first : m;
        if (!is_narrower(c, s->best, m, self, node->b) && is_narrower(c, m, s->best, self, node->b))
            s->best = m;
    }
    m = NULL;
    for (enum java_kind of = J_ARRAY; next_method(self->kind, node, only_static, &of, &m);) {
        int cost = cost_of_call(c, m, self, node->b, node->count, false);
        ambiguous |= cost != COST_NONE && cost < COST_BOXED && !is_narrower(c, s->best, m, self, node->b);
    }
    return ambiguous ? first : NULL;
}

/* ---- what was found ---- */

static const char *argument_texts(struct java_checker *c, const struct java_node *arguments)
{
    struct buf text;
    buf_init(&text, c->ctx->arena);
    for (const struct java_node *n = arguments; n; n = n->next) {
        java_put_type(&text, n->type);
        buf_put_str(&text, n->next ? ", " : "");
    }
    return buf_string(c->ctx, &text);
}

static const char *parameter_texts(struct java_checker *c, const struct java_method *m, const struct java_type *self)
{
    struct buf text;
    buf_init(&text, c->ctx->arena);
    for (unsigned i = 0; i < java_method_arity(m); i++) {
        const struct java_type *t = shape_type(c, m->args[i], self, NULL);
        buf_put_str(&text, i ? ", " : "");
        if (t)
            java_put_type(&text, t);
    }
    return buf_string(c->ctx, &text);
}

static void tell_none(struct java_checker *c, struct java_node *node, const struct java_type *of,
                      const struct search *s)
{
    const char *arguments = argument_texts(c, node->b), *type = java_type_text(c, of);
    if (node->op == JE_NEW)
        java_error(c->errors, node, "The constructor %s(%s) is undefined", type, arguments);
    else if (of->kind == J_ARRAY && !s->guess)
        java_error(c->errors, node, "Cannot invoke %.*s(%s) on the array type %s", SLICE_ARG(node->name), arguments,
                   type);
    else if (s->guess)
        java_error(c->errors, node, "The method %.*s(%s) in the type %s is not applicable for the arguments (%s)",
                   SLICE_ARG(node->name), parameter_texts(c, s->guess, of), type, arguments);
    else
        java_error(c->errors, node, "The method %.*s(%s) is undefined for the type %s", SLICE_ARG(node->name),
                   arguments, type);
    node->type = java_simple(J_ERROR);
}

static void tell_ambiguous(struct java_checker *c, struct java_node *node, const struct java_type *of, const struct java_method *m)
{
    const char *type = java_type_text(c, of), *parameters = parameter_texts(c, m, of);
    if (node->op == JE_NEW)
        java_error(c->errors, node, "The constructor %s(%s) is ambiguous", type, parameters);
    else
        java_error(c->errors, node, "The method %.*s(%s) is ambiguous for the type %s", SLICE_ARG(node->name), parameters, type);
    node->type = java_simple(J_ERROR);
}

/* A method of what the sandbox does not have. */
static void tell_missing(struct java_checker *c, struct java_node *node, const struct java_type *of, const struct java_method *m)
{
    const char *name = java_missing[m->variant], *last = strrchr(name, '.');
    java_error(c->errors, node, "The type %s cannot be resolved. It is indirectly referenced from required type %s", name, java_class_full_name(m->of));
    java_error(c->errors, node, "The method %s(%s) from the type %s refers to the missing type %s", m->name, parameter_texts(c, m, of),
               java_type_text(c, of), last + 1);
    node->type = java_simple(J_ERROR);
}

/* Who looks beyond Class itself for a method comes by interfaces that the sandbox does not have, which is told once. */
static void tell_parents(struct java_checker *c, const struct java_node *node, const struct java_method *m)
{
    static const char *const parents[] = { "invoke.TypeDescriptor$OfField", "reflect.AnnotatedElement", "reflect.Type", "reflect.GenericDeclaration" };
    const struct java_node *n = node->b;
    bool exact = m && (m->of == J_CLASS || !node->b);

    for (unsigned i = 0; exact && n; n = n->next)
        exact = (int)n->type->kind == m->args[i++];
    for (size_t i = 0; !exact && !c->parents_told && i < sizeof parents / sizeof *parents; i++)
        java_error(c->errors, node, "The type java.lang.%s cannot be resolved. It is indirectly referenced from required type java.lang.Class", parents[i]);
    c->parents_told |= !exact;
}

/* The arguments from `first` on become an array. */
static enum wr_status gather_variadic(struct java_checker *c, struct java_node *node, unsigned fixed,
                                      const struct java_type *type)
{
    struct java_node *array = NEW(c->ctx, struct java_node), **at = &node->b;
    if (!array)
        return WR_NOMEM;
    for (unsigned i = 0; i < fixed; i++)
        at = &(*at)->next;
    *array = (struct java_node){
        .op = JE_NEW_ARRAY, .type = type, .b = *at, .count = node->count - fixed, .line = node->line, .at = node->at
    };
    for (struct java_node **n = &array->b; *n; n = &(*n)->next)
        TRY(java_convert(c, n, type->args[0], false));
    *at = array;
    node->count = fixed + 1;
    return WR_OK;
}

static enum wr_status refuse_call(struct java_checker *c, const struct java_method *m)
{
    const char *text = ctx_format(c->ctx, "call to %s.%s()", java_class_full_name(m->of), m->name);
    return text ? java_refuse(c, text) : WR_NOMEM;
}

/* What a call gives where it says itself what that is of. */
static const struct java_type *result_type(struct java_checker *c, const struct java_node *node, const struct java_method *m,
                                           const struct java_type *self)
{
    bool empty = (m->flags & JAVA_STATIC) && (m->result == J_LIST || m->result == J_SET || m->result == J_MAP);
    const struct java_type *result = shape_type(c, m->result, self, node->b);
    if (!result || !node->given[0] || !(empty || is_of_arguments(m->result)) ||
        java_class_parameters(result->kind) != 1 + (node->given[1] != NULL))
        return result;
    return made(c, result->kind, node->given[0], node->given[1]);
}

static enum wr_status use(struct java_checker *c, struct java_node *node, const struct java_type *self,
                          const struct search *s)
{
    const struct java_method *m = s->best;
    unsigned arity = java_method_arity(m);
    const struct java_type *result = result_type(c, node, m, self);
    struct java_node **n = &node->b;

    if (!result)
        return WR_NOMEM;
    for (unsigned i = 0; i < arity && *n; i++, n = &(*n)->next) {
        const struct java_type *to = shape_type(c, m->args[i], self, node->b);
        if (!to)
            return WR_NOMEM;
        if (s->cost >= COST_VARIADIC && i + 1 == arity)
            break;
        TRY(java_convert(c, n, to, false));
    }
    if (s->cost >= COST_VARIADIC) {
        const struct java_type *array = shape_type(c, m->args[arity - 1], self, NULL);
        if (!array)
            return WR_NOMEM;
        TRY(gather_variadic(c, node, arity - 1, array));
    }
    node->method = m;
    if (m->flags & JAVA_REFUSED)
        TRY(refuse_call(c, m));
    if (JAVA_THROWN_BY(m))
        java_throws(c, node, NULL, JAVA_THROWN_BY(m));
    if (node->op == JE_NEW || !is_generic(m->result) || result->kind == J_OBJECT) {
        node->type = node->op == JE_NEW ? self : result;
        return WR_OK;
    }
    /* the call itself becomes the inside of a cast */
    struct java_node *call = NEW(c->ctx, struct java_node);
    if (!call)
        return WR_NOMEM;
    *call = *node;
    call->next = NULL;
    call->type = java_simple(J_OBJECT);
    *node = (struct java_node){
        .op = JE_CONVERT, .type = result, .a = call, .line = node->line, .at = node->at, .next = node->next
    };
    return WR_OK;
}

enum wr_status java_check_call(struct java_checker *c, struct java_node *node)
{
    const struct java_type *self = node->op == JE_NEW ? node->type : node->a ? node->a->type : NULL;
    struct search s = { NULL, NULL, 0, 0 };

    if (!self) {
        java_error(c->errors, node, "The method %.*s(%s) is undefined for the type of the function",
                   SLICE_ARG(node->name), argument_texts(c, node->b));
        node->type = java_simple(J_ERROR);
        return WR_OK;
    }
    if (java_is_primitive(self) || self->kind == J_VOID || self->kind == J_NULL) {
        java_error(c->errors, node, "Cannot invoke %.*s(%s) on the primitive type %s", SLICE_ARG(node->name),
                   argument_texts(c, node->b), java_type_text(c, self));
        node->type = java_simple(J_ERROR);
        return WR_OK;
    }
    if (node->op == JE_NEW && java_class_is_abstract(self->kind)) {
        java_error(c->errors, node, "Cannot instantiate the type %s", java_type_text(c, self));
        node->type = java_simple(J_ERROR);
        return WR_OK;
    }
    bool only_static = node->a && node->a->op == JE_CLASS;
    search_class(c, self->kind, node, self, only_static, &s);
    const struct java_method *ambiguous = find_ambiguous(c, node, self, only_static, &s);
    if (ambiguous) {
        tell_ambiguous(c, node, self, ambiguous);
        return WR_OK;
    }
    if (self->kind == J_CLASS && node->op == JE_CALL)
        tell_parents(c, node, s.best);
    if (s.best && (s.best->flags & JAVA_MISSING)) {
        tell_missing(c, node, self, s.best);
        return WR_OK;
    }
    if (s.best)
        return use(c, node, self, &s);
    tell_none(c, node, self, &s);
    return WR_OK;
}
