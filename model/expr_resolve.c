/*
 * expr_resolve.c - which overload a call means, as Cassandra's FunctionResolver, FunctionFactory and FunctionParameter
 * decide.
 */
#include "model/expr_node.h"
#include "model/failure.h"
#include "model/func_user.h"
#include "model/parse.h"

/* Resolving an argument comes back here, so what is of no call in between keeps its memory out of the frames that wait. */
#define APART __attribute__((noinline))

struct resolve { /* one call being resolved */
    struct bind *bind;
    struct slice keyspace, name;
    struct node **args;
    uint32_t arg_count;
    const struct type *receiver;
    bool quiet;
    bool natives;             /* Cassandra's own are meant too */
    const struct func *made;  /* token(), or what the factory of that name has made; NULL: none */
    const struct func *users; /* of the host and the schema */
    uint32_t user_count;
    const struct table *keys; /* of token(): whose partition key the arguments are */
    const struct func_entry *factory; /* that has made `made`; NULL: none */
};

/* fail(), unless the message would not be shown. */
#define refuse(r, ...) ((r)->quiet ? WR_INVALID : fail((r)->bind->ctx, WR_INVALID, __VA_ARGS__))

static const char *arg_text(const struct resolve *r, uint32_t i)
{
    return r->quiet ? "" : node_text(r->bind->ctx, r->args[i]);
}

/* Before arg_text: what is put off of an argument has no text, and is told where that is asked for. */
static enum wr_status check_text(const struct resolve *r, uint32_t i)
{
    return r->quiet ? WR_OK : node_fail_late(r->bind, r->args[i]);
}

static const char *type_text(const struct resolve *r, const struct type *type)
{
    return r->quiet ? "" : type_name(r->bind->ctx, type);
}

/* ---- factories ---- */

/* Cassandra's functions ask the terms that are given to them in their own keyspace, where there are no types and functions of users. */
static enum wr_status type_of_arg(struct bind *bind, struct node *arg, const struct type **out)
{
    struct slice outer = bind->asked_in;

    if (!arg->selecting)
        bind->asked_in = SLICE_LIT("system");
    enum wr_status st = node_compatible_type(bind, arg, out);
    bind->asked_in = outer;
    return st;
}

static enum wr_status infer(const struct resolve *r, const struct func_param *param, struct node *arg,
                            const struct type *const *others, const struct type **out)
{
    if (param->prefer_other && others && others[param->other]) {
        *out = others[param->other];
        return WR_OK;
    }
    if (param->kind == PARAM_FLOAT_VECTOR && arg->selecting && arg->ast->kind == EXPR_LIST) {
        const struct type *element = type_native(TYPE_FLOAT);
        if (!arg->arg_count)
            return refuse(r, "vectors may only have positive dimensions; given 0");
        *out = type_make(r->bind->ctx, TYPE_VECTOR, &element, 1, false, arg->arg_count);
        return *out ? WR_OK : WR_NOMEM;
    }
    TRY(type_of_arg(r->bind, arg, out));
    if (!*out) {
        switch (param->kind) {
        case PARAM_TEXT:
        case PARAM_STRING:
            *out = type_native(TYPE_TEXT);
            break;
        case PARAM_INT:
            *out = type_native(TYPE_INT);
            break;
        case PARAM_ANY_OR_RECEIVER:
        case PARAM_FLOAT_VECTOR:
            *out = r->receiver;
            break;
        default:
            break;
        }
    }
    if (!*out && (param->as_other || param->prefer_other) && others)
        *out = others[param->other];
    return WR_OK;
}

static bool is_numeric_collection(const struct type *type)
{
    return (type->kind == TYPE_SET || type->kind == TYPE_LIST) && func_is_numeric(type->args[0]->kind) && !type->args[0]->reversed;
}

/* What is wrong with an argument of a type for a parameter, in words; NULL: nothing. */
static const char *param_requires(const struct func_param *param, const struct node *arg, const struct type *type)
{
    bool reversed = node_is_reversed(arg);
    switch (param->kind) {
    case PARAM_TEXT:
        return type_test(type, type_native(TYPE_TEXT)) == ASSIGN_NO ? "an argument of type text" : NULL;
    case PARAM_INT:
        return type_test(type, type_native(TYPE_INT)) == ASSIGN_NO ? "an argument of type int" : NULL;
    case PARAM_STRING:
        return !type_is_text(type) ? "an argument of type [text|varchar|ascii]" : NULL;
    case PARAM_COLLECTION:
        return type_is_collection(type) && !reversed ? NULL : "a collection argument";
    case PARAM_MAP:
        return type->kind == TYPE_MAP && !reversed ? NULL : "a map argument";
    case PARAM_SET_OR_LIST:
        return (type->kind == TYPE_SET || type->kind == TYPE_LIST) && !reversed ? NULL : "a set or list argument";
    case PARAM_NUMERIC_SET_OR_LIST:
        return is_numeric_collection(type) && !reversed ? NULL : "a numeric set/list argument";
    case PARAM_FLOAT_VECTOR:
        return type_is_float_vector(type) && !reversed ? NULL : "a float vector argument";
    default:
        return NULL;
    }
}

static enum wr_status check_param(const struct resolve *r, const struct func_param *param, const char *name, uint32_t i,
                                  const struct type *type)
{
    const char *requires = param_requires(param, r->args[i], type);
    if (!requires)
        return WR_OK;
    TRY(check_text(r, i));
    return refuse(r, "Function system.%s requires %s, but found argument %s of type %s", name, requires, arg_text(r, i), type_text(r, type));
}

/*
 * What FunctionParameter lets pass though it is not what is required: for a vector a list that is not one of floats, and for a map a user's type. The
 * function takes it for one of this class; NULL: there is no such thing.
 */
static const char *let_pass_as(const struct func_param *param, const struct node *arg, const struct type *type)
{
    if (node_is_reversed(arg))
        return NULL;
    if (param->kind == PARAM_FLOAT_VECTOR && type->kind == TYPE_LIST && type->args[0]->kind != TYPE_FLOAT)
        return "VectorType";
    return param->kind == PARAM_MAP && type->kind == TYPE_UDT ? "MapType" : NULL;
}

static enum wr_status infer_all(const struct resolve *r, const struct func_entry *entry, const char *name, struct slice shown, const struct type **types)
{
    for (uint32_t i = 0; i < r->arg_count; i++)
        TRY(infer(r, &entry->params[i], r->args[i], NULL, &types[i]));
    for (uint32_t i = 0; i < r->arg_count; i++) {
        const struct func_param *param = &entry->params[i];
        TRY(infer(r, param, r->args[i], types, &types[i]));
        if (!types[i]) {
            TRY(check_text(r, i));
            return refuse(r, "Cannot infer type of argument %s in call to function %.*s: use type casts to disambiguate", arg_text(r, i), SLICE_ARG(shown));
        }
        if (!let_pass_as(param, r->args[i], types[i]))
            TRY(check_param(r, param, name, i, types[i]));
        if (param->kind == PARAM_TEXT || param->kind == PARAM_INT) /* the type is fixed, whatever was guessed */
            types[i] = type_native(param->kind == PARAM_TEXT ? TYPE_TEXT : TYPE_INT);
    }
    return WR_OK;
}

static enum wr_status check_inferred(const struct resolve *r, const struct func_entry *entry, const char *name, const struct type **types)
{
    for (uint32_t i = 0; i < r->arg_count; i++) {
        const char *wanted = let_pass_as(&entry->params[i], r->args[i], types[i]);
        TRY(wanted ? fail_type_cast(r->bind->ctx, types[i], wanted) : check_param(r, &entry->params[i], name, i, types[i]));
        if (!node_is_reversed(r->args[i])) /* ReversedType.udfType is itself */
            types[i] = type_in_function(types[i]);
    }
    return WR_OK;
}

static APART enum wr_status make_by_factory(const struct resolve *r, const struct func_entry *entry, const char *name,
                                            const struct func **out)
{
    const struct type **types = NEW_ARRAY(r->bind->ctx, const struct type *, FUNC_ARGS_MAX);
    struct func *func = NEW(r->bind->ctx, struct func);
    uint32_t required = 0;
    struct buf text;

    if (!types || !func)
        return WR_NOMEM;
    buf_init(&text, r->bind->ctx->arena);
    if (!r->quiet)
        func_put_factory(&text, name, entry);
    while (required < entry->arg_count && !entry->params[required].optional)
        required++;
    if (r->arg_count < required || r->arg_count > entry->arg_count)
        return refuse(r, "Invalid number of arguments for function %.*s", SLICE_ARG(buf_slice(&text)));
    TRY(infer_all(r, entry, name, buf_slice(&text), types));
    TRY(check_inferred(r, entry, name, types));
    *func = (struct func){ .name = name,
                           .args = types,
                           .arg_count = r->arg_count,
                           .flags = entry->flags | FUNC_FACTORY,
                           .call = entry->call,
                           .aggregate = entry->aggregate,
                           .variant = entry->variant };
    *out = func;
    return entry->make(r->bind->ctx, entry, r->receiver, func);
}

/* ---- choosing ---- */

static const char *shown_name(const struct resolve *r)
{
    if (slice_is_null(r->keyspace))
        return ctx_format(r->bind->ctx, "%.*s", SLICE_ARG(r->name));
    return ctx_format(r->bind->ctx, "%.*s.%.*s", SLICE_ARG(r->keyspace), SLICE_ARG(r->name));
}

static enum wr_status test_args(const struct resolve *r, const struct func *func, enum assignment *out)
{
    *out = func->arg_count == r->arg_count ? ASSIGN_EXACT : ASSIGN_NO;
    for (uint32_t i = 0; i < r->arg_count && *out != ASSIGN_NO; i++) {
        enum assignment one;
        TRY(node_test(r->bind, r->args[i], func->args[i], &one));
        if (one < *out)
            *out = one;
    }
    return WR_OK;
}

/* What replaces a column's value is of the column's type, a ReversedType where that descends. */
static bool has_type_of_reversed(const struct resolve *r, uint32_t i)
{
    const struct func_param *param = r->factory ? &r->factory->params[i] : NULL;
    return param && param->prefer_other && node_is_reversed(r->args[param->other]);
}

static enum wr_status test_arg(const struct resolve *r, uint32_t i, const struct type *type, enum assignment *out)
{
    bool reversed = (r->keys && table_key(r->keys, i)->descending) || has_type_of_reversed(r, i);
    return (reversed ? node_test_reversed : node_test)(r->bind, r->args[i], type, out);
}

/* There is but one function of the name: say what is wrong with the arguments. */
static enum wr_status check_only(const struct resolve *r, const struct func *func)
{
    if (r->arg_count != func->arg_count)
        return refuse(r, "Invalid number of arguments in call to function %s: %u required but %u provided",
                      func_full_name(r->bind->ctx, func), func->arg_count, r->arg_count);
    for (uint32_t i = 0; i < r->arg_count; i++) {
        enum assignment test;
        TRY(test_arg(r, i, func->args[i], &test));
        if (test == ASSIGN_NO) {
            TRY(check_text(r, i));
            return refuse(r, "Type error: %s cannot be passed as argument %u of function %s of type %s", arg_text(r, i),
                          i, func_full_name(r->bind->ctx, func), type_text(r, func->args[i]));
        }
    }
    return WR_OK;
}

/* One of the functions of a name: as it was made, or the i-th of an entry of the table. */
struct overload {
    const struct func *func;
    const struct func_entry *entry;
    uint32_t i;
};

struct choice {
    struct overload best; /* the only one that fits, or one that fits exactly */
    struct overload same; /* of an operator: takes and gives the receiver's type */
    uint32_t fitting;
    uint32_t own; /* of the one that fits exactly: args_of_constants */
    bool exact, has_same;
    bool settled; /* no other can be better */
};

static void list_signature(struct buf *list, const struct func *func)
{
    if (!list)
        return;
    if (list->len)
        buf_put_str(list, ", ");
    func_put_signature(list, func, NULL);
}

static bool takes_receiver(const struct resolve *r, const struct func *func)
{
    return r->receiver && r->receiver != r->bind->reversed && func->arg_count == 2 && type_eq(r->receiver, func->args[0]) &&
           type_eq(r->receiver, func->args[1]);
}

/* How many arguments are of the types that constants have by themselves. */
static uint32_t args_of_constants(const struct func *func)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < func->arg_count; i++)
        n += func->args[i]->kind == TYPE_INT || func->args[i]->kind == TYPE_DOUBLE;
    return n;
}

/*
 * Of several that fit exactly a server takes the first, in an order of its sets that changes from start to start: (int, tinyint) or (int, int) for 1 + (2 +
 * 300). An operator's that takes the receiver's type can do what the others can, so it is meant where it fits. Else constants stay what they are by themselves:
 * for a varint 100 + 100 + 1 is one of ints, where (tinyint, int) would be given -56.
 */
static void fits_exactly(const struct resolve *r, const struct func *func, const struct overload *overload, struct choice *choice)
{
    bool same = func->flags & FUNC_OPERATOR && takes_receiver(r, func);
    uint32_t own = args_of_constants(func);

    if (!choice->exact || same || own > choice->own) {
        choice->best = *overload;
        choice->own = own;
    }
    choice->exact = true;
    choice->settled = same || overload->func;
}

static enum wr_status consider(const struct resolve *r, const struct func *func, const struct overload *overload, struct choice *choice,
                               struct buf *fitting, struct buf *all)
{
    enum assignment test;

    list_signature(all, func);
    if (r->receiver && type_test(func->result, r->receiver) == ASSIGN_NO)
        return WR_OK;
    TRY(test_args(r, func, &test));
    if (test == ASSIGN_NO)
        return WR_OK;
    if (test == ASSIGN_EXACT) {
        fits_exactly(r, func, overload, choice);
        return WR_OK;
    }
    if (!choice->exact)
        choice->best = *overload;
    choice->fitting++;
    list_signature(fitting, func);
    if (!choice->has_same && func->flags & FUNC_OPERATOR && takes_receiver(r, func)) {
        choice->same = *overload;
        choice->has_same = true;
    }
    return WR_OK;
}

/* Every overload of the name; fitting and all, where given, list those that fit weakly and all of them. */
static enum wr_status look(const struct resolve *r, struct choice *choice, struct buf *fitting, struct buf *all)
{
    const struct func_entry *e = NULL;
    const struct type *args[FUNC_ARGS_MAX];
    struct func func;

    for (uint32_t i = 0; i < r->user_count && !choice->settled; i++)
        TRY(consider(r, &r->users[i], &(struct overload){ .func = &r->users[i] }, choice, fitting, all));
    while (r->natives && !choice->settled && (e = func_find(r->name, e)))
        for (uint32_t i = 0; !choice->settled && func_overload(e, r->name, i, args, &func); i++)
            TRY(consider(r, &func, &(struct overload){ .entry = e, .i = i }, choice, fitting, all));
    if (r->made && !choice->settled)
        TRY(consider(r, r->made, &(struct overload){ .func = r->made }, choice, fitting, all));
    return WR_OK;
}

static APART enum wr_status refuse_choice(const struct resolve *r, const struct choice *choice)
{
    struct choice again = { .fitting = 0 };
    struct buf fitting, all;
    char op = function_operator(r->name);

    if (r->quiet)
        return WR_INVALID;
    for (uint32_t i = 0; op && i < r->arg_count; i++)
        TRY(check_text(r, i));
    if (op && choice->fitting == 0)
        return refuse(r, "the '%c' operation is not supported between %s and %s", op, arg_text(r, 0), arg_text(r, 1));
    if (op)
        return refuse(r,
                      "Ambiguous '%c' operation with args %s and %s: use type hint to disambiguate, example '(int) ?'",
                      op, arg_text(r, 0), arg_text(r, 1));
    if (choice->fitting && slice_eq_str(r->name, "_negate"))
        return refuse(r, "Ambiguous negation: use type casts to disambiguate");

    buf_init(&fitting, r->bind->ctx->arena);
    buf_init(&all, r->bind->ctx->arena);
    TRY(look(r, &again, &fitting, &all));
    if (choice->fitting)
        return refuse(r,
                      "Ambiguous call to function %s (can be matched by following signatures: %.*s): use type casts to "
                      "disambiguate",
                      shown_name(r), SLICE_ARG(buf_slice(&fitting)));
    return refuse(r, "Invalid call to function %s, none of its type signatures match (known type signatures: %.*s)",
                  shown_name(r), SLICE_ARG(buf_slice(&all)));
}

static bool has_bare_marker(const struct resolve *r)
{
    for (uint32_t i = 0; i < r->arg_count; i++)
        if (r->args[i]->ast->kind == EXPR_MARKER)
            return true;
    return false;
}

/* Functions of users: of the keyspace that is named, or else of the statement's table. */
static enum wr_status find_users(struct resolve *r)
{
    struct slice keyspace = r->keyspace;

    r->natives = slice_is_null(keyspace) || slice_eq_str(keyspace, "system");
    if (slice_is_null(keyspace))
        keyspace = node_keyspace(r->bind);
    return func_user_find(r->bind, keyspace, r->name, &r->users, &r->user_count);
}

/* One of the table for as long as the statement: a user's is so already. */
static APART enum wr_status keep(const struct resolve *r, const struct overload *overload, const struct func **out)
{
    const struct type **args = NEW_ARRAY(r->bind->ctx, const struct type *, FUNC_ARGS_MAX);
    struct func *func = NEW(r->bind->ctx, struct func);

    if (!func || !args)
        return WR_NOMEM;
    *out = overload->func ? overload->func : func;
    if (!overload->func)
        func_overload(overload->entry, r->name, overload->i, args, func);
    return WR_OK;
}

static enum wr_status resolve_overloads(const struct resolve *r, const struct func **out)
{
    struct choice choice = { .fitting = 0 };

    TRY(look(r, &choice, NULL, NULL));
    if (choice.exact || choice.fitting == 1)
        return keep(r, &choice.best, out);
    /* an operator between constants takes the type that it is to give */
    if (choice.fitting > 1 && choice.has_same && !has_bare_marker(r))
        return keep(r, &choice.same, out);
    return refuse_choice(r, &choice);
}

static enum wr_status resolve(struct resolve *r, const struct func **out)
{
    const struct func_entry *entry = r->natives ? func_find(r->name, NULL) : NULL;
    const struct func *only;

    if (!entry && !r->made && !r->user_count)
        return WR_OK;
    if (entry && entry->shape == SHAPE_FACTORY) {
        r->factory = entry;
        TRY(make_by_factory(r, entry, slice_eq_str(r->name, entry->name) ? entry->name : entry->legacy, &r->made));
    }
    if (r->made && !r->user_count)
        only = r->made;
    else if (entry && !r->made && !r->user_count && func_is_single(entry) && !func_find(r->name, entry))
        TRY(keep(r, &(struct overload){ .entry = entry }, &only));
    else if (!entry && !r->made && r->user_count == 1)
        only = r->users;
    else
        return resolve_overloads(r, out);
    TRY(check_only(r, only));
    *out = only;
    return WR_OK;
}

enum wr_status func_resolve(struct bind *bind, const struct named_call *call, const struct type *receiver, bool quiet, const struct func **out)
{
    struct resolve r = { bind, call->keyspace, call->name, call->args, call->arg_count, receiver, quiet, .natives = true };

    *out = NULL;
    TRY(find_users(&r));
    if (r.natives && slice_eq_str(r.name, "token")) {
        if (!bind->table || !slice_is_null(bind->asked_in)) /* FunctionCall.Raw.getExactTypeIfKnown asks without one */
            return refuse(&r, "No receiver table has been specified for function system.token");
        r.keys = bind->table;
        TRY(func_token(bind->ctx, bind->table, &r.made));
    }
    TRY(resolve(&r, out));
    return *out ? func_user_ready(bind, *out) : WR_OK;
}

enum wr_status node_resolve(struct bind *bind, struct node *node, const struct type *receiver, bool quiet,
                            const struct func **out)
{
    struct named_call call = { .args = node->args, .arg_count = node->arg_count };
    struct node_memo *memo;

    for (memo = node->memos; memo; memo = memo->next) {
        if (slice_is_null(memo->asked_in) != slice_is_null(bind->asked_in) ||
            (memo->receiver != receiver && !(memo->receiver && receiver && type_eq(memo->receiver, receiver))))
            continue;
        *out = memo->func;
        if (memo->status == WR_OK || quiet)
            return memo->status;
        break; /* once more, for the message */
    }
    TRY(node_func_name(bind->ctx, node, &call.keyspace, &call.name));
    if (memo)
        return func_resolve(bind, &call, receiver, quiet, out);

    if (!(memo = NEW(bind->ctx, struct node_memo)))
        return WR_NOMEM;
    memo->receiver = receiver;
    memo->asked_in = bind->asked_in;
    memo->status = func_resolve(bind, &call, receiver, quiet, &memo->func);
    if (memo->status == WR_NOMEM)
        return WR_NOMEM;
    memo->next = node->memos;
    node->memos = memo;
    *out = memo->func;
    return memo->status;
}
