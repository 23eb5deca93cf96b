#include "model/index_forms.h"

#include "model/analyzer.h"
#include "model/javatext.h"
#include "model/string_map.h"

/* ---- options ---- */

bool sasi_mode_of(struct slice name, enum sasi_mode *out)
{
    static const char *const words[] = { [SASI_PREFIX] = "prefix", [SASI_CONTAINS] = "contains", [SASI_SPARSE] = "sparse" };
    for (int i = 0; i < SASI_MODES; i++)
        if (java_equals_fold(name, words[i])) {
            *out = (enum sasi_mode)i;
            return true;
        }
    *out = SASI_PREFIX;
    return slice_is_null(name);
}

/* ---- types ---- */

const struct type *index_value_type(const struct index *index)
{
    const struct type *type = index->column->type;
    switch (index->target) {
    case INDEX_KEYS: return type->args[0];
    case INDEX_VALUES:
    case INDEX_ENTRIES: return type_contained(type);
    default: return type;
    }
}

bool index_is_by_path(const struct index *index)
{
    const struct type *type = index->column->type;
    return type->multicell && (type->kind == TYPE_SET || index->target == INDEX_KEYS || index->target == INDEX_ENTRIES);
}

bool sai_is_vector(const struct index *index)
{
    return index->index_class == INDEX_SAI && index->target != INDEX_ENTRIES && index_value_type(index)->kind == TYPE_VECTOR;
}

bool sai_may_sketch(const struct index *index)
{
    return sai_is_vector(index) && index->target == INDEX_VALUE && index->column->kind == COLUMN_REGULAR;
}

size_t index_entry_bytes(struct slice key, struct slice value)
{
    enum { OVERHEAD = 3 }; /* a length and an end for each part */
    return key.len + value.len + (size_t)2 * OVERHEAD;
}

/* IndexTermType.skipsEmptyValue: it is kept of types that allow an empty value and lie in a trie. A ReversedType allows none. */
static bool sai_skips_empty(const struct index *index)
{
    const struct type *type = index_value_type(index);
    return index->column->descending || !type_allows_empty(type) || type_sai_terms(type) != SAI_TRIE;
}

bool index_omits(const struct index *index, struct slice key, struct slice value)
{
    enum { SAI_TERM_MAX = 8192, SASI_TERM_MAX = 1023 }; /* sai_string_term_size_fail_threshold; OnDiskIndexBuilder.MAX_TERM_SIZE */

    switch (index->index_class) {
    case INDEX_SAI:
        if (index->target == INDEX_ENTRIES)
            return index_entry_bytes(key, value) > SAI_TERM_MAX;
        return value.len == 0 ? sai_skips_empty(index) : value.len > SAI_TERM_MAX;
    case INDEX_SASI: return value.len == 0 || value.len > SASI_TERM_MAX;
    default: return false;
    }
}

/* IndexTermType.supports: of a uuid alone equality, but that the list of such types does not have its ReversedType. */
static bool sai_has_ranges(const struct column *column)
{
    return type_sai_terms(column->type) == SAI_TREE && (column->type->kind != TYPE_UUID || column->descending);
}

static const uint8_t *mapped(struct slice value, uint8_t room[16])
{
    if (value.len == 16)
        return value.data;
    memset(room, 0, 10);
    memset(room + 10, 0xFF, 2);
    memcpy(room + 12, value.data, 4);
    return room;
}

static int signed_length(struct slice integer)
{
    int length = (int)integer.len;
    return length && integer.data[0] & 0x80 ? -length : length;
}

int sai_compare(const struct type *type, struct slice a, struct slice b)
{
    uint8_t room[2][16];
    int x = signed_length(a), y = signed_length(b);

    if (a.len == 0 || b.len == 0) /* nothing at all */
        return slice_cmp(a, b);
    if (type->kind == TYPE_INET)
        return memcmp(mapped(a, room[0]), mapped(b, room[1]), 16);
    return x != y ? (x > y) - (x < y) : type_compare(type, a, b);
}

/* ---- forms ---- */

/* Equality of the thing indexed, in its form. */
static bool legacy_answers(const struct index *index, enum index_form form)
{
    static const enum index_form forms[] = {
        [INDEX_VALUE] = FORM_EQ,      [INDEX_FULL] = FORM_EQ,         [INDEX_KEYS] = FORM_CONTAINS_KEY,
        [INDEX_VALUES] = FORM_CONTAINS, [INDEX_ENTRIES] = FORM_ENTRY,
    };
    return forms[index->target] == form;
}

static bool sai_answers(const struct index *index, enum index_form form)
{
    if (sai_is_vector(index))
        return form == FORM_ANN && index->target == INDEX_VALUE;
    if (form == FORM_RANGE)
        return index->target == INDEX_VALUE && sai_has_ranges(index->column);
    return legacy_answers(index, form);
}

/* IndexMode.getMode. A descending column's type is a ReversedType there, and so no text. */
bool sasi_is_literal(const struct string_map *options, const struct column *column)
{
    struct slice said = string_map_get(options, SLICE_LIT("is_literal"));
    return said.data ? java_equals_fold(said, "true") : type_is_text(column->type) && !column->descending;
}

/* ColumnIndex.supports. */
static bool sasi_answers(const struct index *index, enum index_form form)
{
    static const unsigned by_mode[] = { /* Mode.supports */
        [SASI_PREFIX] = 1u << FORM_EQ | 1u << FORM_RANGE | 1u << FORM_LIKE_MATCHES | 1u << FORM_LIKE_PREFIX,
        [SASI_CONTAINS] = 1u << FORM_EQ | 1u << FORM_LIKE_MATCHES | 1u << FORM_LIKE_PREFIX | 1u << FORM_LIKE_SUFFIX |
                          1u << FORM_LIKE_CONTAINS,
        [SASI_SPARSE] = 1u << FORM_EQ | 1u << FORM_RANGE,
    };
    bool is_literal = sasi_is_literal(&index->options, index->column);
    struct analyzer analyzer = analyzer_of(index);
    bool tokenizing = analyzer_is_tokenizing(&analyzer);
    enum sasi_mode mode;

    sasi_mode_of(string_map_get(&index->options, SLICE_LIT("mode")), &mode);
    switch (form) {
    case FORM_LIKE: return is_literal;
    case FORM_EQ:
        if (tokenizing)
            return false;
        break;
    case FORM_RANGE:
        if (is_literal)
            return false;
        break;
    case FORM_LIKE_PREFIX:
        if (tokenizing && mode == SASI_CONTAINS)
            return false;
        break;
    default: break;
    }
    return (by_mode[mode] & 1u << form) != 0;
}

bool index_answers_form(const struct index *index, enum index_form form)
{
    switch (index->index_class) {
    case INDEX_SAI: return sai_answers(index, form);
    case INDEX_SASI: return sasi_answers(index, form);
    default: return legacy_answers(index, form);
    }
}
