/*
 * restrict.h - WHERE: to partition keys, to clustering ranges, and to what is left to filter. For SELECT, UPDATE and DELETE, as
 * Cassandra's StatementRestrictions, with its messages for each.
 */
#ifndef WR_MODEL_RESTRICT_H
#define WR_MODEL_RESTRICT_H

#include "engine/coding.h"
#include "model/expr.h"
#include "model/similarity.h"

enum restrict_for { RESTRICT_SELECT, RESTRICT_UPDATE, RESTRICT_DELETE };

enum { /* what binding is told */
    RESTRICT_ALLOW_FILTERING = 1,
    RESTRICT_FILTERS_FREELY = 2, /* keys and other columns need no ALLOW FILTERING, clustering columns do (virtual tables) */
    RESTRICT_ONLY_STATICS = 4,   /* selects or modifies static columns only */
    RESTRICT_VIEW = 8,           /* of a view: IS NOT NULL may be said, and partition keys are filtered like all else */
};

/* A server lets the product of IN lists grow until it has no memory left; here more combinations than these are refused. */
enum { IN_PRODUCT_MAX = 1 << 20 };

struct restrictions; /* immutable after binding */

/* "Cannot execute this query as it might involve data filtering ..." */
enum wr_status fail_needs_filtering(struct ctx *ctx);

/* The column a statement names: "Undefined column name c in table k.t". */
enum wr_status bind_column(struct bind *bind, struct slice name, const struct column **out);

/* ORDER BY column ANN OF vector: to a server a restriction among the others. column NULL: none. */
struct ann_order {
    const struct column *column;
    const struct expr *vector;
    enum similarity similarity;
    uint32_t anns, orderings; /* how many of each were written; only one of one is taken */
    bool descending;
};

/* ann NULL: none. */
enum wr_status restrict_bind(struct bind *bind, const struct ast_relation *where, const struct ann_order *ann, enum restrict_for use,
                             unsigned flags, struct restrictions **out);

/* ---- what was found, at bind time ---- */
/* What the columns of the primary key are, by ordinal, where each is = by itself and that is all there is; *out NULL: else. */
enum wr_status restrict_primary_key(struct ctx *ctx, const struct restrictions *r, const struct expr ***out);
bool restrict_has_partition_keys(const struct restrictions *r);  /* every key column is = or IN (not by filtering) */
bool restrict_key_has_in(const struct restrictions *r);
bool restrict_has_clustering(const struct restrictions *r);      /* any clustering column restricted */
bool restrict_has_beside_ann(const struct restrictions *r);      /* with ORDER BY ANN OF: anything more */
bool restrict_is_full_row(const struct restrictions *r);         /* every clustering column is = (or IN) */
bool restrict_clustering_has_in(const struct restrictions *r);
bool restrict_has_clustering_slice(const struct restrictions *r);
bool restrict_is_clustering_range(const struct restrictions *r); /* not every clustering column is = or IN */
bool restrict_column_is_eq(const struct restrictions *r, const struct column *c); /* by = alone */
bool restrict_needs_filter(const struct restrictions *r);        /* what keys, ranges and index do not decide is asked for */
bool restrict_is_key_range(const struct restrictions *r);        /* reads partitions by token, not by their keys */
bool restrict_uses_index(const struct restrictions *r);          /* some index is held to answer, though there may be none to go by */
const struct index *restrict_index(const struct restrictions *r); /* the index the read goes by; NULL */
bool restrict_has_column(const struct restrictions *r, const struct column *c); /* in any relation but IS NOT NULL */
bool restrict_column_is_not_null(const struct restrictions *r, const struct column *c); /* has been said to be */
bool restrict_has_filter(const struct restrictions *r);          /* false: filter_new has nothing to make, and nothing to say */
void restrict_filter_needs(const struct restrictions *r, bool *needed); /* by ordinal */
bool restrict_has_regular(const struct restrictions *r);         /* any regular column restricted */
bool restrict_has_key_restriction(const struct restrictions *r); /* any key column or token() restricted */
const uint16_t *restrict_routing(const struct restrictions *r);  /* for struct plan; NULL */

/* ---- in a run ---- */

/* The serialized partition keys, by value order, doubles removed; *n 0: none (IN ()). */
enum wr_status restrict_keys(struct exec *exec, const struct restrictions *r, struct slice **keys, uint32_t *n);
/* The same in two steps: a SELECT that reads nothing for another reason never hears that a key is empty or too long. The values of keys,
 * n tuples of key_count each whose tokens are asked for, then the keys of them, which puts values in order too: of the i-th key they are the i-th tuple. Keys
 * borrow from the values. */
enum wr_status restrict_key_values(struct exec *exec, const struct restrictions *r, struct slice **values, uint32_t *n);
enum wr_status restrict_keys_of(struct exec *exec, const struct restrictions *r, struct slice *values, uint32_t count, struct slice **keys,
                                uint32_t *n);

struct key_range { /* of tokens that are keys; an empty one bounds nothing */
    const struct type *type; /* NULL: of nothing that token() asked for */
    struct slice low, high;
    bool low_inclusive, high_inclusive;
};
struct token_range { /* both inclusive */
    int64_t from, to;
    bool empty, beyond; /* beyond: empty as behind the last token, which is a range all the same */
    struct key_range keys; /* of a virtual table, whose tokens are no numbers */
};
enum wr_status restrict_tokens(struct exec *exec, const struct restrictions *r, struct token_range *out);

/* Ranges of comparable bytes in ascending order, disjoint; one whole range where clustering is not restricted. What SELECT reads and
 * a range DELETE covers. *null_bound: whether a bound of theirs is null. A SELECT takes that for the least value; it cannot be the bound of a
 * tombstone. */
enum wr_status restrict_ranges(struct exec *exec, const struct restrictions *r, struct range **ranges, uint32_t *n,
                               bool *null_bound);

/* What is said of a null where none may be. */
enum wr_status restrict_fail_null(struct ctx *ctx, const struct column *column);

/* The full clusterings (full row restrictions, and prefixes of a compact table's), as values: n tuples of clustering_count values each, the
 * ones not given null. */
enum wr_status restrict_clusterings(struct exec *exec, const struct restrictions *r, struct slice **values, uint32_t *n);

/* What an index can be asked for: the rows of one term, or of a range of terms. */
struct index_ask {
    const struct index *index;
    struct slice term;  /* null: the range */
    struct range terms; /* of a term: that one alone */
    bool partitions;    /* it finds the partitions, in which other rows than those may be the ones (struct words) */
};

/* Everything that indexes could find the rows by; each alone finds all of them, and more. Right sides that filter_new refuses have to
 * have been refused. */
enum wr_status restrict_asks(struct exec *exec, const struct restrictions *r, struct index_ask **asks, uint32_t *n);

/* What is left to filter, with its right sides evaluated: once a run. Cassandra's refusals of nulls in it come from here. *out
 * NULL: nothing is. */
struct filter;
enum wr_status filter_new(struct exec *exec, const struct restrictions *r, struct filter **out);

/* Whether a row (values by ordinal) passes what keys, ranges and index did not decide already: filter_partition asks what a
 * whole partition shares (key columns and static ones), filter_row the rest. NULL passes all. Memory from ctx for what analyzers
 * make, not needed afterwards. */
enum wr_status filter_row(struct ctx *ctx, const struct filter *f, const struct slice *columns, bool *passes);
enum wr_status filter_partition(struct ctx *ctx, const struct filter *f, const struct slice *columns, bool *passes);

/* SASI finds partitions and then looks at their rows (QueryPlan.ResultIterator): a partition has to have all words of a LIKE, be it in as many
 * rows, and each row that it gives one of them. filter_row asks for the one; words_add, of one row after another, tells when all have been seen. */
struct words;
enum wr_status words_new(struct ctx *ctx, const struct filter *f, struct words **out); /* *out NULL: no LIKE has several */
void words_forget(struct words *words); /* another partition begins */
enum wr_status words_add(struct ctx *ctx, struct words *words, const struct slice *columns, bool *all);

/* As a server's read command shows them (restrict_text.c): what it filters by, what tokens it reads; *any: something stands before it. begun:
 * where a page begins has been shown, and stands for the lower bound. */
enum wr_status restrict_put_filter(struct exec *exec, const struct restrictions *r, struct buf *out, bool *any);
enum wr_status restrict_put_tokens(struct exec *exec, const struct restrictions *r, bool begun, struct buf *out, bool *any);

/* To bytes and back, for a filter of key and clustering columns that outlives its statement; NULL is fine. Columns go by ordinal. */
void filter_put(struct buf *buf, const struct filter *f);
enum wr_status filter_read(struct ctx *ctx, struct reader *reader, const struct table *table, struct filter **out);

#endif
