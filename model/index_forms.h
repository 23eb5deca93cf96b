/*
 * index_forms.h - which forms of WHERE an index answers: Index.supportsExpression of the three classes.
 */
#ifndef WR_MODEL_INDEX_FORMS_H
#define WR_MODEL_INDEX_FORMS_H

#include "model/schema.h"

enum index_form {
    FORM_EQ,
    FORM_RANGE,
    FORM_CONTAINS,     /* of a collection's elements, or a map's values */
    FORM_CONTAINS_KEY,
    FORM_ENTRY,        /* m[k] = v */
    FORM_LIKE,         /* as a statement has it: the pattern is not known */
    FORM_LIKE_PREFIX,
    FORM_LIKE_SUFFIX,
    FORM_LIKE_CONTAINS,
    FORM_LIKE_MATCHES,
    FORM_ANN,
};

bool index_answers_form(const struct index *index, enum index_form form);

/* SAI's graph of vectors: of a column, or of a collection's parts, whom nobody can ask. */
bool sai_is_vector(const struct index *index);
/* Such a one whose entries lead to rows, so that sketches (sketch.h) beside them are of use. */
bool sai_may_sketch(const struct index *index);

/* What the target's values are of: an element's type, a key's, or the column's. Of INDEX_ENTRIES: the value's. */
const struct type *index_value_type(const struct index *index);
bool index_is_by_path(const struct index *index); /* its terms are paths of cells: elements of a set, or keys of a map that it is on */

/* A value, or a token, that the index leaves out, so that nothing finds it: one too long, an empty one (SAI: where empty is not a
 * value of its own; SASI: always). key is for INDEX_ENTRIES alone. */
bool index_omits(const struct index *index, struct slice key, struct slice value);
enum { LEGACY_TERM_MAX = 65535 }; /* a value is a partition key of a legacy index's table */
size_t index_entry_bytes(struct slice key, struct slice value); /* of a map's entry, as CompositeType has it */

/* The order of SAI's terms where it is not the type's: an IPv4 address stands as the IPv6 one it is mapped to, an integer of any size behind
 * all that have fewer bytes (IndexTermType.encodeInetAddress, encodeBigInteger). Of inet and varint alone. */
int sai_compare(const struct type *type, struct slice a, struct slice b);

enum sasi_mode { SASI_PREFIX, SASI_CONTAINS, SASI_SPARSE, SASI_MODES };
bool sasi_is_literal(const struct string_map *options, const struct column *column); /* has LIKE, and no ranges */
bool sasi_mode_of(struct slice name, enum sasi_mode *out); /* any case; null: PREFIX. false: there is none of that name */

#endif
