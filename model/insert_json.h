/*
 * insert_json.h - INSERT INTO t JSON '...': a document to values by column.
 *
 * 1. Keys are column names, case-insensitive unless in double quotes of their own; of two keys for a column the last
 * one counts; a key that is no column is refused once all columns have been read.
 * 2. A column without a key is null, or unset with DEFAULT UNSET; a JSON null is null.
 * 3. A value that can be read and not be written (a vector with an empty element) is refused when it is used.
 */
#ifndef WR_MODEL_INSERT_JSON_H
#define WR_MODEL_INSERT_JSON_H

#include "model/expr.h"

struct insert_json {
    const struct expr *marker; /* the text is bound in each run; NULL: values are known */
    const struct slice *values;
    bool default_unset;
};

/* ast: a string constant, whose text is read now, or a marker. */
enum wr_status insert_json_bind(struct bind *bind, const struct ast_expr *ast, bool default_unset,
                                const struct insert_json **out);

/* table->column_count values by ordinal, for insert_json_value. */
enum wr_status insert_json_values(struct exec *exec, const struct table *table, const struct insert_json *json,
                                  const struct slice **out);

/* One of them; null, SLICE_UNSET. */
enum wr_status insert_json_value(struct ctx *ctx, const struct slice *values, uint32_t ordinal, struct slice *out);

#endif
