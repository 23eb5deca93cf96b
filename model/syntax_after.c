#include "model/syntax_after.h"

/* The rules in which a null does harm. Types come first: they are told from the others by that. */
enum watched {
    IN_TYPE = 1, IN_COLLECTION_TYPE, IN_TUPLE_TYPE, IN_VECTOR_TYPE, TYPES_END,
    IN_COLUMN = TYPES_END, IN_UPDATE, IN_ASSIGNMENT, IN_ASSIGNMENT_REST, IN_PLAIN_ASSIGNMENT, IN_IDENT, IN_CREATE_TRIGGER, IN_DROP_TRIGGER,
    IN_DESCRIBE, IN_TYPE_NAME, IN_TYPE_WORD, IN_FUNCTION_NAME, IN_FUNCTION_WORD, IN_PERMISSION,
    WATCHED_COUNT
};

static const char *const watched_names[WATCHED_COUNT] = {
    [IN_TYPE] = "type",
    [IN_COLLECTION_TYPE] = "collection_type",
    [IN_TUPLE_TYPE] = "tuple_type",
    [IN_VECTOR_TYPE] = "vector_type",
    [IN_COLUMN] = "column",
    [IN_UPDATE] = "update",
    [IN_ASSIGNMENT] = "assignment",
    [IN_ASSIGNMENT_REST] = "assignment_rest",
    [IN_PLAIN_ASSIGNMENT] = "plain_assignment",
    [IN_IDENT] = "ident",
    [IN_CREATE_TRIGGER] = "create_trigger",
    [IN_DROP_TRIGGER] = "drop_trigger",
    [IN_DESCRIBE] = "describe",
    [IN_TYPE_NAME] = "type_name",
    [IN_TYPE_WORD] = "type_word",
    [IN_FUNCTION_NAME] = "function_name",
    [IN_FUNCTION_WORD] = "function_word",
    [IN_PERMISSION] = "permission",
};

#define NULL_COLUMN(method, what) \
    "NullPointerException Cannot invoke \"org.apache.cassandra.cql3.ColumnIdentifier." method "\" because \"" what "\" is null"
#define NULL_TYPE(method, what) \
    "NullPointerException Cannot invoke \"org.apache.cassandra.cql3.CQL3Type$Raw." method "()\" because \"" what "\" is null"

struct level { /* a rule that has been entered and not left */
    uint8_t watched;    /* enum watched, or 0 */
    uint16_t next;      /* the state behind it */
    uint32_t from;      /* its first token */
    bool lacks;         /* what it looks at is null: a type within, a name */
    bool names_another; /* plain assignment: there is a column in it, which is held against the one that is set */
};

struct after {
    struct walk walk;
    uint8_t *watched; /* [rule]: enum watched, or 0 */
    struct level *levels;
    uint32_t count;
    bool key_lacks;     /* the column of this assignment is null */
    bool earlier_lacks; /* that of an earlier one in the same UPDATE */
    const char *reason;
};

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
            if (slice_eq_str(walk->net.rules[rule].name, watched_names[w]))
                a->watched[rule] = w;
    return true;
}

static enum lex_kind kind_at(const struct walk *w, uint32_t at)
{
    return (enum lex_kind)w->stream->all[w->stream->visible[at]].token.kind;
}

static void enter(struct after *a, uint32_t rule, uint16_t next)
{
    a->levels[a->count++] = (struct level){ .watched = a->watched[rule], .next = next, .from = a->walk.at };
    if (a->watched[rule] == IN_UPDATE)
        a->earlier_lacks = false;
}

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
                    : "NullPointerException Cannot read field \"keyspace\" because \"fn\" is null";
}

/* The rule at the top is left; what it gave, or did not, goes to the one below. The state to go on at. */
static uint16_t leave(struct after *a, bool failed)
{
    struct level *left = &a->levels[--a->count], nobody = { 0 };
    struct level *below = a->count ? &a->levels[a->count - 1] : &nobody;
    bool inside_type = below->watched && below->watched < TYPES_END;

    switch (left->watched) {
    case IN_TYPE:
        if (!failed && left->lacks && kind_at(&a->walk, left->from) == LEX_FROZEN)
            a->reason = NULL_TYPE("freeze", "f");
        below->lacks |= inside_type && (failed || left->lacks);
        break;
    case IN_COLLECTION_TYPE: /* which is not made of what is not there */
        below->lacks |= failed || left->lacks;
        break;
    case IN_TUPLE_TYPE:
        if (!failed && left->lacks)
            a->reason = NULL_TYPE("supportsFreezing", "t");
        below->lacks |= failed;
        break;
    case IN_VECTOR_TYPE:
        below->lacks |= failed;
        break;
    case IN_COLUMN:
        if (below->watched == IN_ASSIGNMENT)
            a->key_lacks = failed;
        below->names_another |= !failed;
        break;
    case IN_PLAIN_ASSIGNMENT:
        if (!failed && left->names_another && a->key_lacks)
            a->reason = NULL_COLUMN("equals(Object)", "key");
        else if (!failed)
            set_column(a);
        break;
    case IN_ASSIGNMENT_REST:
        if (!failed && kind_at(&a->walk, left->from) != LEX_EQ)
            set_column(a);
        break;
    case IN_TYPE_WORD:
    case IN_FUNCTION_WORD:
        below->lacks |= failed;
        break;
    case IN_TYPE_NAME:
        if (below->watched == IN_DESCRIBE)
            describe_type(a, failed, left->lacks);
        break;
    case IN_FUNCTION_NAME: /* of a null it makes none */
        if (below->watched == IN_DESCRIBE && (failed || left->lacks))
            describe_function(a, below);
        break;
    case IN_PERMISSION: /* which a set of them does not take */
        if (failed)
            a->reason = "NullPointerException Cannot invoke \"Object.getClass()\" because \"e\" is null";
        break;
    case IN_IDENT:
        below->lacks |= failed && (below->watched == IN_CREATE_TRIGGER || below->watched == IN_DROP_TRIGGER);
        break;
    case IN_CREATE_TRIGGER:
    case IN_DROP_TRIGGER:
        if (!failed && left->lacks)
            a->reason = NULL_COLUMN("toString()", "name");
        break;
    }
    return left->next;
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
        *state = leave(a, true);
    return a->count > 0;
}

const char *syntax_after(const struct walk *walk)
{
    struct after a;
    uint16_t state = walk->net.rules[0].start;

    if (!after_init(&a, walk))
        return NULL;
    enter(&a, 0, 0);
    while (!a.reason && step(&a, &state))
        ;
    return a.reason;
}
