/*
 * restrict_match.h - a filter: tests of single values, which restrict_filter.c makes of a WHERE and restrict_match.c runs.
 */
#ifndef WR_MODEL_RESTRICT_MATCH_H
#define WR_MODEL_RESTRICT_MATCH_H

#include "model/restrict_node.h"

enum test_kind {
    TEST_EQ, TEST_LT, TEST_LTE, TEST_GT, TEST_GTE, TEST_IN, TEST_CONTAINS, TEST_CONTAINS_KEY, TEST_ENTRY, TEST_LIKE,
};

struct test {
    enum test_kind kind;
    const struct column *column;
    struct slice *values; /* IN: some, in order; ENTRY: key and value; LIKE: the tokens wanted; the others one */
    uint32_t count;
    enum index_form like;
    struct analyzer analyzer; /* what stored values go through before they are compared */
    const struct index *index; /* whose values are asked for: what it leaves out is not found; NULL: none's */
    bool spread;              /* LIKE: of several tokens a row has one, and its partition all (struct words) */
    bool exact;               /* by a legacy index, or of a view's whole partition key, to which 1.0 and 1.00 are two values */
    bool by_sai;              /* what a read by SAI filters, an index or none on it, is compared as FilterTree does */
    bool by_sai_alone;        /* and then not as RowFilter does: the read is of one partition, or asks for nothing of a column that is not of the key */
};

struct filter {
    struct test *tests;
    uint32_t count, partition_count; /* those of key and static columns come first */
};

extern const enum index_form test_forms[]; /* by kind: what of an index answers it */

#endif
