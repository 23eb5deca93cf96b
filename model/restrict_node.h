/*
 * restrict_node.h - inside restrict: what a relation of WHERE says, and all of them together. Only restrict*.c include it.
 *
 * A relation becomes a restriction (restrict_relation.c); those of one column are merged or refused (restrict.c), then the whole is
 * judged (restrict_judge.c). In a run the right sides are evaluated to keys (restrict_keys.c), ranges (restrict_ranges.c) and a filter
 * (restrict_filter.c).
 */
#ifndef WR_MODEL_RESTRICT_NODE_H
#define WR_MODEL_RESTRICT_NODE_H

#include "model/analyzer.h"
#include "model/index_forms.h"
#include "model/restrict.h"

enum restriction_kind {
    RESTRICTION_EQ, RESTRICTION_IN, RESTRICTION_SLICE, RESTRICTION_CONTAINS, RESTRICTION_LIKE,
    RESTRICTION_ANN, /* of ORDER BY: nothing is filtered by it */
};

/* The right side of a comparison: one value a column of the left side. */
struct right_side {
    const struct expr *whole; /* one marker for a tuple: its bytes hold the values; NULL: parts */
    const struct expr **parts;
    bool alone; /* written for one column, whatever it was put together with since */
};

enum { BOUND_START, BOUND_END };

struct restriction_bound {
    struct right_side value;
    uint32_t column_count; /* how many leading columns of the restriction it speaks of; 0: no such bound */
    bool inclusive;
};

enum contains_kind { CONTAINS_VALUE, CONTAINS_KEY, CONTAINS_ENTRY, CONTAINS_KINDS };

struct contains {
    struct contains *next;
    enum contains_kind kind;
    const struct expr *value; /* NULL of CONTAINS_KEY */
    const struct expr *key;   /* of CONTAINS_KEY and CONTAINS_ENTRY */
};

struct restriction {
    enum restriction_kind kind;
    bool multi;      /* written with a tuple of columns (or merged with such a one) */
    const struct column *const *columns;
    uint32_t column_count;
    struct right_side *values; /* EQ, LIKE, ANN: one; IN: some */
    uint32_t value_count;
    const struct expr *list;   /* IN ?: a list of values, or of tuples; NULL: values */
    struct restriction_bound bounds[2];
    struct contains *contains, *last_contains; /* by kind, then as written: the order of ContainsRestriction */
    const struct type *token_type; /* of token(): table_token_type */
};

struct restrictions {
    const struct table *table;
    enum restrict_for use;
    unsigned flags;

    struct restriction **keys;       /* by position; NULL: that column is free */
    struct restriction **clustering; /* by position; one over several columns stands at each of them */
    struct restriction **others;     /* regular and static columns, by name */
    struct restriction *token;
    const struct restriction *ann; /* also among the others; NULL: none */
    bool *not_null;                  /* by ordinal; NULL but with RESTRICT_VIEW */
    uint32_t key_restricted, other_count;

    const struct index *index; /* a server's read goes by it; NULL */
    uint32_t ranged;           /* leading clustering columns that make ranges; those behind are filtered */
    bool is_key_range, uses_index;
    bool filters_keys, filters_clustering;
    bool clustering_in_filter; /* to a server, which decides it before it has looked at the others */
    bool needs_filter;         /* ALLOW FILTERING would have to be said of a read that is a range or goes by an index */
    const uint16_t *routing;
};

static inline bool is_slice(const struct restriction *r)
{
    return r && r->kind == RESTRICTION_SLICE;
}

static inline uint32_t first_position(const struct restriction *r)
{
    return r->columns[0]->position;
}

/* A relation to a restriction of its own, with all checks that need no other relation. */
enum wr_status relation_bind(struct bind *bind, const struct ast_relation *relation, enum restrict_for use,
                             struct restriction **out);

/* Column names as messages have them, bare: `a, b`. */
const char *restriction_names(struct ctx *ctx, const struct column *const *columns, uint32_t count, const char *between);

/* One right side to its first count values. given, where not NULL: how many of them there are, for a tuple that is bound may be shorter;
 * the rest is unset. */
enum wr_status right_side_eval(struct exec *exec, const struct restriction *r, const struct right_side *side, uint32_t count,
                               struct slice *values, uint32_t *given);

/* The values of EQ and IN: *n times column_count of them; behind the values of a tuple that was bound short come unset ones. */
enum wr_status restriction_elements(struct exec *exec, const struct restriction *r, struct slice **values, uint32_t *n);

/* They as the primary key takes them: refuses nulls and unset. */
enum wr_status restriction_values(struct exec *exec, const struct restriction *r, struct slice **values, uint32_t *n);

/* All combinations of the values of EQ and IN restrictions that stand at the first width places of list: *n tuples of width values,
 * the last column changing fastest. */
enum wr_status restriction_product(struct exec *exec, struct restriction *const *list, uint32_t width, struct slice **out,
                                   uint32_t *n);

/* ---- restrict_judge.c ---- */

extern const char *const restrict_use_text[]; /* by enum restrict_for: "SELECT" */

/* Refuses what may not stand together, and finds out what is ranged, what is filtered, and the index. */
enum wr_status restrict_judge(struct ctx *ctx, struct restrictions *rs);

/* TokenFilter.isOnToken: a token goes before keys that do not name partitions; else it filters those that they name. */
bool restrict_on_token(const struct restrictions *rs);
/* The partitioner's least token, which bounds nothing, on either side. */
bool token_is_least(const struct restrictions *rs, struct slice token);

/* ---- restrict_index.c ---- */

/* Whether it answers some of what a restriction says. */
bool index_answers(const struct index *index, const struct restriction *r);

const struct index *index_for(const struct table *table, const struct restriction *r); /* NULL: none does */

/* Whether one index (or, of SAI, all of them together) leaves nothing of the list to filter. */
bool list_needs_filter(const struct table *table, const struct index *index, struct restriction *const *list, uint32_t n);

/* The index whose analyzer a comparison goes through, and whose rules for empty values hold: one of the class that the read goes
 * by, which answers the form. NULL: values are compared as they are. */
const struct index *index_of_test(const struct restrictions *rs, const struct column *column, enum index_form form);

/* The pattern of LIKE to its kind and what it looks for, with Cassandra's refusals. */
enum wr_status like_eval(struct exec *exec, const struct restrictions *rs, const struct restriction *r, enum index_form *form,
                         struct slice *wanted);
/* Whether a row needs one only of so many words, and its partition all of them (struct words). */
bool words_are_spread(const struct table *table, const struct column *column, uint32_t count);
/* Whether the indexes that are read find rows by another restriction than this: beside such a one a LIKE without words says nothing
 * (Operation.analyzeGroup makes no expression of it). */
enum wr_status like_finds_beside(struct exec *exec, const struct restrictions *rs, const struct restriction *r, bool *finds);

#endif
