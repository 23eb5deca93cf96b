/*
 * Any bytes at all as CQL: no crash, no leak, and what model/parse.h promises. A text that parses is printed and read back where it
 * can be; one that does not has a message and a place in the text. Seeds: corpus_parse.
 */
#include <stdlib.h>

#include "model/parse.h"

static void print_all(struct arena *arena, const struct ast_statement *ast)
{
    struct buf buf;
    buf_init(&buf, arena);
    if (ast->kind != AST_SELECT)
        return;
    for (const struct ast_selector *s = ast->select.selectors; s; s = s->next)
        cql_put_expr(&buf, s->expr);
    for (const struct ast_relation *r = ast->select.where; r; r = r->next)
        cql_put_relation(&buf, r);
}

static void split(struct slice text)
{
    bool complete = true, blank;
    while (complete) {
        size_t end = parse_statement_end(text, &complete, &blank);
        if (end > text.len || (complete && (end == 0 || text.data[end - 1] != ';')) || (!complete && end != text.len))
            abort();
        text = slice_skip(text, end);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = slice_of(data ? data : (const uint8_t *)"", size);
    struct ast_statement *ast = NULL;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    enum wr_status st = parse(&ctx, text, &ast);
    if (st == WR_OK)
        print_all(&arena, ast);
    else if ((st != WR_SYNTAX && st != WR_INVALID) || ctx.error[0] == 0 || (ctx.error_offset > size && (st != WR_INVALID || ctx.error_offset != SIZE_MAX)))
        abort();
    split(text);
    arena_release(&arena);
    return 0;
}
