#include "model/insert_json.h"

#include "model/json.h"
#include "model/star.h"

static const uint8_t refused_mark[1]; /* a place that holds this has a value which is refused when it is used */

static int64_t place_of_column(const void *table, struct slice name)
{
    const struct column *column = table_column(table, name);
    return column ? (int64_t)column->ordinal : -1;
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
    TRY(json_match_members(ctx, document, place_of_column, table, members, &stray));
    TRY(table_map_order(ctx, table, order)); /* the first that is wrong is told */
    for (uint32_t at = 0; at < table->column_count; at++) {
        uint32_t i = order[at];
        const struct column *column = &table->columns[i];
        if (!members[i]) {
            values[i] = default_unset ? SLICE_UNSET : SLICE_NULL;
            continue;
        }
        enum wr_status st = json_to_value(ctx, column->type, members[i], &values[i]);
        if (st == WR_INVALID && ctx->error_waits) {
            values[i] = (struct slice){ refused_mark, 0 };
            ctx->failed = WR_OK;
            continue;
        }
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

enum wr_status insert_json_value(struct ctx *ctx, const struct slice *values, uint32_t ordinal, struct slice *out)
{
    if (values[ordinal].data == refused_mark)
        return json_fail_vector(ctx);
    *out = values[ordinal];
    return WR_OK;
}

/* QueryOptions.getJsonColumnValue hands a parser what UTF8Type's serializer reads. Nobody has validated it, and nobody catches what that throws. */
static enum wr_status read_text(struct exec *exec, const struct expr *marker, struct slice *out)
{
    struct ctx *ctx = exec->ctx;
    enum wr_status st = expr_eval_term(exec, marker, out);
    if ((st != WR_OK && st != WR_INVALID) || slice_is_null(*out) || slice_is_unset(*out))
        return st;
    ctx->failed = WR_OK;
    if (type_check_read(ctx, type_native(TYPE_TEXT), *out) == WR_OK)
        return WR_OK;
    const char *why = ctx_format(ctx, "%s", ctx->error);
    return why ? fail(ctx, WR_SERVER_ERROR, "org.apache.cassandra.serializers.MarshalException: %s", why) : WR_NOMEM;
}

enum wr_status insert_json_values(struct exec *exec, const struct table *table, const struct insert_json *json,
                                  const struct slice **out)
{
    struct slice text;

    if (!json->marker) {
        *out = json->values;
        return WR_OK;
    }
    TRY(read_text(exec, json->marker, &text));
    if (slice_is_null(text))
        return fail(exec->ctx, WR_INVALID, "Got null for INSERT JSON values");
    return read_values(exec->ctx, table, slice_is_unset(text) ? SLICE_EMPTY : text, json->default_unset, out);
}
