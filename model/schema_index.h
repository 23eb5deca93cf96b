/*
 * schema_index.h - inside CREATE INDEX: what the statement asks for, and the checks of the two custom classes.
 * Only schema_index*.c include it.
 */
#ifndef WR_MODEL_SCHEMA_INDEX_H
#define WR_MODEL_SCHEMA_INDEX_H

#include "model/ddl.h"

/* What a statement asks for, step by step. */
struct index_request {
    struct ddl *ddl;
    const struct ast_create_index *ast;
    const struct table *table;
    bool custom;
    struct string_map options;
    const struct column *column; /* the one target; NULL: none, or several */
    uint32_t targets;
    struct index index; /* in the making */
};

/* validateOptions of StorageAttachedIndex and of SASIIndex, in their order. */
enum wr_status index_check_sai(const struct index_request *r);
enum wr_status index_check_sasi(const struct index_request *r);

#endif
