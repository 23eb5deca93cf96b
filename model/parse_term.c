#include "model/parse.h"

#define BEFORE "INSERT INTO t (c) VALUES ("

/* A term is what VALUES takes, so it is parsed there: one grammar, one start symbol. */
enum wr_status parse_term(struct ctx *ctx, struct slice text, struct ast_expr **out)
{
    struct buf buf;
    struct slice statement;
    struct ast_statement *ast;
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, BEFORE);
    buf_put_slice(&buf, text);
    buf_put_str(&buf, "\n)"); /* a comment at the end of the text ends with its line */
    TRY(buf_done(ctx, &buf, &statement));
    enum wr_status st = parse(ctx, statement, &ast);
    if (st != WR_OK) {
        size_t before = sizeof BEFORE - 1;
        if (ctx->error_offset != SIZE_MAX)
            ctx->error_offset = ctx->error_offset < before ? 0 : ctx->error_offset - before;
        if (st == WR_SYNTAX) /* the parser's own words show a statement that nobody has written */
            return fail(ctx, st, "not a constant as CQL writes it (a text has quotes): %.*s", SLICE_ARG(text));
        return st;
    }
    struct ast_expr *value = ast->kind == AST_INSERT ? ast->insert.values : NULL;
    if (!value || value->next || ast->marker_count || ast->insert.if_not_exists)
        return fail(ctx, WR_SYNTAX, "not a single constant: %.*s", SLICE_ARG(text));
    *out = value;
    return WR_OK;
}
