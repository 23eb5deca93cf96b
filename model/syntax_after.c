#include "model/syntax_after.h"

#include "model/ast.h"

/* The rules in which a null does harm, those that refuse, and those that are no rules of Cassandra's but parts of the one around them. Types
 * come first, parts last: they are told from the others by that. */
enum watched {
    IN_TYPE = 1, IN_COLLECTION_TYPE, IN_TUPLE_TYPE, IN_VECTOR_TYPE, TYPES_END,
    IN_COLUMN = TYPES_END, IN_UPDATE, IN_ASSIGNMENT, IN_ASSIGNMENT_REST, IN_PLAIN_ASSIGNMENT, IN_IDENT, IN_CREATE_TRIGGER, IN_DROP_TRIGGER,
    IN_DESCRIBE, IN_TYPE_NAME, IN_TYPE_WORD, IN_FUNCTION_NAME, IN_FUNCTION_WORD, IN_FUNCTION_RESOURCE, IN_PERMISSION,
    IN_CREATE_ROLE, IN_ALTER_ROLE, IN_ROLE_OPTION, IN_DC_PERMISSION, IN_CIDR_PERMISSION, PARTS,
    IN_IF_EXISTS = PARTS, IN_IF_NOT_EXISTS, IN_TYPES,
    WATCHED_COUNT
};

#define NULL_COLUMN(method, what) \
    "NullPointerException Cannot invoke \"org.apache.cassandra.cql3.ColumnIdentifier." method "\" because \"" what "\" is null"
#define NULL_TYPE(method, what) \
    "NullPointerException Cannot invoke \"org.apache.cassandra.cql3.CQL3Type$Raw." method "()\" because \"" what "\" is null"
#define NULL_FUNCTION "NullPointerException Cannot read field \"keyspace\" because \"fn\" is null"

struct level { /* a rule that has been entered and not left */
    uint8_t watched;    /* enum watched, or 0 */
    uint16_t next;      /* the state behind it */
    uint32_t from;      /* its first token */
    bool lacks;         /* what it looks at is null: a type within, a name */
    bool names_another; /* plain assignment: there is a column in it, which is held against the one that is set */
};

struct access { /* ACCESS TO DATACENTERS, or FROM CIDRS, as far as it has been said */
    bool all, named;
};

struct after {
    struct walk walk;
    uint8_t *watched; /* [rule]: enum watched, or 0 */
    struct level *levels;
    uint32_t count;
    bool key_lacks;     /* the column of this assignment is null */
    bool earlier_lacks; /* that of an earlier one in the same UPDATE */
    bool given[ROLE_OPTION_COUNT];
    struct access datacenters, cidr_groups;
    const char *reason;  /* of a Java failure */
    const char *refusal; /* of a rule */
};

static enum lex_kind kind_at(const struct walk *w, uint32_t at)
{
    return (enum lex_kind)w->stream->all[w->stream->visible[at]].token.kind;
}

/* ---- what a server does ---- */

/* Cql.g's addRawUpdate, which holds each column that is set against those before. */
static void set_column(struct after *a)
{
    if (a->earlier_lacks)
        a->reason = NULL_COLUMN("equals(Object)", "p.left");
    a->earlier_lacks |= a->key_lacks;
}

/* DESCRIBE reads the name that it was given at once. */
static void describe_type(struct after *a, bool failed, bool lacks)
{
    if (failed)
        a->reason = "NullPointerException Cannot invoke \"org.apache.cassandra.cql3.UTName.getKeyspace()\" because \"tn\" is null";
    else if (lacks)
        a->reason = NULL_COLUMN("toString()", "this.utName");
}

static void describe_function(struct after *a, const struct level *describe)
{
    a->reason = kind_at(&a->walk, describe->from + 1) == LEX_AGGREGATE
                    ? "NullPointerException Cannot read field \"keyspace\" because \"ag\" is null"
                    : NULL_FUNCTION;
}

/* DCPermissions.Builder, CIDRPermissions.Builder: all of them, or one. */
static void set_access(struct after *a, struct access *access, bool all, const char *already_set)
{
    if (all ? access->named : access->all)
        a->reason = all ? already_set : "IllegalArgumentException All has been set";
    access->all |= all;
    access->named |= !all;
}

static void set_all_datacenters(struct after *a)
{
    set_access(a, &a->datacenters, true, "IllegalArgumentException DCs have already been set");
}

static void set_all_cidr_groups(struct after *a)
{
    set_access(a, &a->cidr_groups, true, "IllegalArgumentException CIDR Groups have already been set");
}

static void set_given(struct after *a, enum role_option_kind kind)
{
    if (a->given[kind])
        a->refusal = ctx_format(a->walk.net.ctx, "Multiple definition for property '%s'", role_option_name(kind));
    a->given[kind] = true;
}

static void set_role_option(struct after *a, uint32_t from)
{
    switch (kind_at(&a->walk, from)) {
    case LEX_SUPERUSER: set_given(a, ROLE_SUPERUSER); break;
    case LEX_PASSWORD: set_given(a, ROLE_PASSWORD); break;
    case LEX_HASHED: set_given(a, ROLE_HASHED_PASSWORD); break;
    case LEX_LOGIN: set_given(a, ROLE_LOGIN); break;
    case LEX_OPTIONS: set_given(a, ROLE_OPTIONS); break;
    default:
        if (kind_at(&a->walk, from + 2) == LEX_ALL)
            (kind_at(&a->walk, from + 1) == LEX_TO ? set_all_datacenters : set_all_cidr_groups)(a);
        break;
    }
}

/* ---- what each does when it is left ---- */

/* What the rule that is left gave, or did not, goes to the one below, which it is a part of. */
typedef void leave_fn(struct after *a, const struct level *left, struct level *below, bool failed);

static void leave_type(struct after *a, const struct level *left, struct level *below, bool failed)
{
    bool inside_type = below->watched && below->watched < TYPES_END;

    if (!failed && left->lacks && kind_at(&a->walk, left->from) == LEX_FROZEN)
        a->reason = NULL_TYPE("freeze", "f");
    below->lacks |= inside_type && (failed || left->lacks);
}

/* It is not made of what is not there. */
static void leave_collection_type(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)a;
    below->lacks |= failed || left->lacks;
}

static void leave_tuple_type(struct after *a, const struct level *left, struct level *below, bool failed)
{
    if (!failed && left->lacks)
        a->reason = NULL_TYPE("supportsFreezing", "t");
    below->lacks |= failed;
}

static void leave_part(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)a;
    (void)left;
    below->lacks |= failed;
}

static void leave_column(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)left;
    if (below->watched == IN_ASSIGNMENT)
        a->key_lacks = failed;
    below->names_another |= !failed;
}

static void leave_plain_assignment(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)below;
    if (!failed && left->names_another && a->key_lacks)
        a->reason = NULL_COLUMN("equals(Object)", "key");
    else if (!failed)
        set_column(a);
}

static void leave_assignment_rest(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)below;
    if (!failed && kind_at(&a->walk, left->from) != LEX_EQ)
        set_column(a);
}

static void leave_type_name(struct after *a, const struct level *left, struct level *below, bool failed)
{
    if (below->watched == IN_DESCRIBE)
        describe_type(a, failed, left->lacks);
}

/* Of a null it makes none. */
static void leave_function_name(struct after *a, const struct level *left, struct level *below, bool failed)
{
    bool lacks = failed || left->lacks;

    if (below->watched == IN_DESCRIBE && lacks)
        describe_function(a, below);
    below->lacks |= below->watched == IN_FUNCTION_RESOURCE && lacks;
}

static void leave_function_resource(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)below;
    if (!failed && left->lacks)
        a->reason = NULL_FUNCTION;
}

/* A set of them does not take a null. */
static void leave_permission(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)left;
    (void)below;
    if (failed)
        a->reason = "NullPointerException Cannot invoke \"Object.getClass()\" because \"e\" is null";
}

static void leave_ident(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)a;
    (void)left;
    below->lacks |= failed && (below->watched == IN_CREATE_TRIGGER || below->watched == IN_DROP_TRIGGER);
}

static void leave_trigger(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)below;
    if (!failed && left->lacks)
        a->reason = NULL_COLUMN("toString()", "name");
}

static void leave_role_option(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)below;
    if (!failed)
        set_role_option(a, left->from);
}

static void leave_dc_permission(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)left;
    (void)below;
    if (!failed)
        set_access(a, &a->datacenters, false, NULL);
}

static void leave_cidr_permission(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)left;
    (void)below;
    if (!failed)
        set_access(a, &a->cidr_groups, false, NULL);
}

static void leave_role(struct after *a, const struct level *left, struct level *below, bool failed)
{
    (void)left;
    (void)below;
    if (!failed && a->given[ROLE_PASSWORD] && a->given[ROLE_HASHED_PASSWORD])
        a->refusal = "Options 'password' and 'hashed password' are mutually exclusive";
}

static const struct {
    const char *rule;
    leave_fn *leave; /* NULL: nothing */
} watched_rules[WATCHED_COUNT] = {
    [IN_TYPE] = { "type", leave_type },
    [IN_COLLECTION_TYPE] = { "collection_type", leave_collection_type },
    [IN_TUPLE_TYPE] = { "tuple_type", leave_tuple_type },
    [IN_VECTOR_TYPE] = { "vector_type", leave_part },
    [IN_COLUMN] = { "column", leave_column },
    [IN_UPDATE] = { "update", NULL },
    [IN_ASSIGNMENT] = { "assignment", NULL },
    [IN_ASSIGNMENT_REST] = { "assignment_rest", leave_assignment_rest },
    [IN_PLAIN_ASSIGNMENT] = { "plain_assignment", leave_plain_assignment },
    [IN_IDENT] = { "ident", leave_ident },
    [IN_CREATE_TRIGGER] = { "create_trigger", leave_trigger },
    [IN_DROP_TRIGGER] = { "drop_trigger", leave_trigger },
    [IN_DESCRIBE] = { "describe", NULL },
    [IN_TYPE_NAME] = { "type_name", leave_type_name },
    [IN_TYPE_WORD] = { "type_word", leave_part },
    [IN_FUNCTION_NAME] = { "function_name", leave_function_name },
    [IN_FUNCTION_WORD] = { "function_word", leave_part },
    [IN_FUNCTION_RESOURCE] = { "function_resource", leave_function_resource },
    [IN_PERMISSION] = { "permission", leave_permission },
    [IN_CREATE_ROLE] = { "create_role", leave_role },
    [IN_ALTER_ROLE] = { "alter_role", leave_role },
    [IN_ROLE_OPTION] = { "role_option", leave_role_option },
    [IN_DC_PERMISSION] = { "dc_permission", leave_dc_permission },
    [IN_CIDR_PERMISSION] = { "cidr_permission", leave_cidr_permission },
    [IN_IF_EXISTS] = { "if_exists", NULL },
    [IN_IF_NOT_EXISTS] = { "if_not_exists", NULL },
    [IN_TYPES] = { "types", NULL },
};

/* ---- the walk ---- */

static bool after_init(struct after *a, const struct walk *walk)
{
    struct ctx *ctx = walk->net.ctx;

    *a = (struct after){ .walk = *walk };
    a->walk.at = a->walk.fetched = a->walk.fetched_at = 0;
    a->watched = NEW_ARRAY(ctx, uint8_t, walk->net.rule_count);
    a->levels = NEW_ARRAY(ctx, struct level, RETURNS_MAX);
    if (!a->watched || !a->levels)
        return false;
    for (uint32_t rule = 0; rule < walk->net.rule_count; rule++)
        for (uint8_t w = 1; w < WATCHED_COUNT; w++)
            if (slice_eq_str(walk->net.rules[rule].name, watched_rules[w].rule))
                a->watched[rule] = w;
    return true;
}

static void enter(struct after *a, uint32_t rule, uint16_t next)
{
    a->levels[a->count++] = (struct level){ .watched = a->watched[rule], .next = next, .from = a->walk.at };
    if (a->watched[rule] == IN_UPDATE)
        a->earlier_lacks = false;
}

/* The rule at the top is left. The state to go on at. */
static uint16_t leave(struct after *a, bool failed)
{
    struct level *left = &a->levels[--a->count], nobody = { 0 };
    struct level *below = a->count ? &a->levels[a->count - 1] : &nobody;

    if (watched_rules[left->watched].leave)
        watched_rules[left->watched].leave(a, left, below, failed);
    return left->next;
}

/* The rule at the top fails, and the one it is a part of. */
static uint16_t fail_rule(struct after *a)
{
    uint8_t watched = a->levels[a->count - 1].watched;
    uint16_t next = leave(a, true);

    return a->count && watched >= PARTS ? leave(a, true) : next;
}

/* One step from a state to the next; false: no more of them. */
static bool step(struct after *a, uint16_t *state)
{
    struct walk *w = &a->walk;
    const struct net_state *s = &w->net.states[*state];
    enum outcome outcome = WALK_OK;

    if (++w->net.work >= NET_WORK_MAX)
        return false;
    switch (s->kind) {
    case STATE_CALL:
        if (a->count == RETURNS_MAX)
            return false;
        enter(a, s->what, s->next);
        *state = w->net.rules[s->what].start;
        return true;
    case STATE_RETURN: *state = leave(a, false); return a->count > 0;
    case STATE_FORK: outcome = walk_choose(w, s->what, state); break;
    case STATE_PASS: *state = s->next; break;
    default:
        outcome = net_set_has(&w->net, s, walk_look(w, 0)) ? WALK_OK : WALK_MISMATCH;
        if (outcome == WALK_OK && w->at + 1 < w->stream->visible_count)
            w->at++;
        *state = s->next;
        break;
    }
    if (outcome == WALK_GAVE_UP)
        return false;
    if (outcome != WALK_OK)
        *state = fail_rule(a);
    return a->count > 0;
}

const char *syntax_after(const struct walk *walk)
{
    struct after a;
    uint16_t state = walk->net.rules[0].start;

    if (!after_init(&a, walk))
        return NULL;
    enter(&a, 0, 0);
    while (!a.reason && !a.refusal && step(&a, &state))
        ;
    return a.reason ? ctx_format(walk->net.ctx, "Failed parsing statement: [%.*s] reason: %s", SLICE_ARG(walk->stream->text), a.reason) : a.refusal;
}
