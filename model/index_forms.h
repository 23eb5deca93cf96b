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

/* What the target's values are of: an element's type, a key's, or the column's. Of INDEX_ENTRIES: the value's. */
const struct type *index_value_type(const struct index *index);

/* An empty value is not in the index (SAI: where empty is not a value of its own; SASI: never). */
bool index_omits_empty(const struct index *index);

bool type_is_text(const struct type *type); /* text, ascii: UTF8Type and AsciiType */

enum sasi_mode { SASI_PREFIX, SASI_CONTAINS, SASI_SPARSE, SASI_MODES };
bool sasi_mode_of(struct slice name, enum sasi_mode *out); /* any case; null: PREFIX. false: there is none of that name */

#endif
