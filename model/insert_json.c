#include "model/insert_json.h"

#include <ctype.h>

#include "model/json.h"
#include "model/star.h"

/* The name a key means: quotes off, or folded (Json.handleCaseSensitivity). *changed tells whether that is another. */
static enum wr_status key_name(struct ctx *ctx, struct slice key, struct slice *out, bool *changed)
{
    *changed = key.len >= 2 && key.data[0] == '"' && key.data[key.len - 1] == '"';
    if (*changed) {
        *out = slice_of(key.data + 1, key.len - 2);
        return WR_OK;
    }
    uint8_t *lower = ctx_alloc(ctx, key.len);
    if (!lower)
        return WR_NOMEM;
    for (size_t i = 0; i < key.len; i++)
        lower[i] = (uint8_t)(key.data[i] < 0x80 ? tolower(key.data[i]) : key.data[i]);
    *out = slice_of(lower, key.len);
    *changed = !slice_eq(*out, key);
    return WR_OK;
}

/* The member of each column; *stray: the first key that is none, null: all are columns. Keys that had to be changed
 * come after the others, as in Cassandra's map: {"V": 1, "v": 2} means 1. */
static enum wr_status match_members(struct ctx *ctx, const struct table *table, const struct json *document,
                                    const struct json **members, struct slice *stray)
{
    *stray = SLICE_NULL;
    for (int pass = 0; pass < 2; pass++)
        for (const struct json *m = document->first; m; m = m->next) {
            struct slice name;
            bool changed;
            TRY(key_name(ctx, m->key, &name, &changed));
            if (changed != (pass == 1))
                continue;
            const struct column *column = table_column(table, name);
            if (column)
                members[column->ordinal] = m;
            else if (slice_is_null(*stray))
                *stray = name;
        }
    return WR_OK;
}

static enum wr_status read_values(struct ctx *ctx, const struct table *table, struct slice text, bool default_unset,
                                  const struct slice **out)
{
    const struct json *document;
    const struct json **members = NEW_ARRAY(ctx, const struct json *, table->column_count);
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->column_count);
    uint32_t *order = NEW_ARRAY(ctx, uint32_t, table->column_count);
    struct slice stray;

    if (!members || !values || !order)
        return WR_NOMEM;
    TRY(json_parse_map(ctx, text, &document));
    if (document->kind == JSON_NULL)
        return fail(ctx, WR_INVALID, "Got null for INSERT JSON values");
    TRY(match_members(ctx, table, document, members, &stray));
    TRY(table_map_order(ctx, table, order)); /* the first that is wrong is told */
    for (uint32_t at = 0; at < table->column_count; at++) {
        uint32_t i = order[at];
        const struct column *column = &table->columns[i];
        if (!members[i]) {
            values[i] = default_unset ? SLICE_UNSET : SLICE_NULL;
            continue;
        }
        enum wr_status st = json_to_value(ctx, column->type, members[i], &values[i]);
        if (st == WR_INVALID && !ctx->error_stands) {
            const char *why = ctx_format(ctx, "%s", ctx->error);
            return why ? fail(ctx, st, "Error decoding JSON value for %.*s: %s", SLICE_ARG(column->name), why)
                       : WR_NOMEM;
        }
        TRY(st);
    }
    if (!slice_is_null(stray))
        return fail(ctx, WR_INVALID, "JSON values map contains unrecognized column: %.*s", SLICE_ARG(stray));
    *out = values;
    return WR_OK;
}

enum wr_status insert_json_bind(struct bind *bind, const struct ast_expr *ast, bool default_unset,
                                const struct insert_json **out)
{
    struct insert_json *json = NEW(bind->ctx, struct insert_json);
    if (!json)
        return WR_NOMEM;
    json->default_unset = default_unset;
    if (ast->kind == EXPR_MARKER)
        TRY(expr_bind_term(bind, ast, type_native(TYPE_TEXT), SLICE_LIT("[json]"), &json->marker));
    else
        TRY(read_values(bind->ctx, bind->table, ast->text, default_unset, &json->values));
    *out = json;
    return WR_OK;
}

enum wr_status insert_json_values(struct exec *exec, const struct table *table, const struct insert_json *json,
                                  const struct slice **out)
{
    struct slice text;

    if (!json->marker) {
        *out = json->values;
        return WR_OK;
    }
    TRY(expr_eval_term(exec, json->marker, &text));
    if (slice_is_null(text))
        return fail(exec->ctx, WR_INVALID, "Got null for INSERT JSON values");
    return read_values(exec->ctx, table, slice_is_unset(text) ? SLICE_EMPTY : text, json->default_unset, out);
}
