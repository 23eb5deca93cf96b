#include "model/parse.h"

#include "engine/thread.h"
#include "model/parse_build.h"
#include "model/syntax.h"

/* Of what comes twice a server hears as it reads, before what is no CQL behind it; of columns also before an exception. True: that is what it says. */
static bool says_what_is_repeated(struct parser *p)
{
    enum wr_status failed = p->status;

    p->status = WR_OK;
    if (p->items)
        build_check_columns(p, p->items);
    if (p->refused && !p->columns_end) {
        build_check_assignments(p, p->settings);
        build_check_properties(p, p->properties);
        if (p->status == WR_OK)
            build_check_repeated(p);
    }
    if (p->status != WR_OK)
        return true;
    p->status = p->refused ? WR_OK : failed;
    return false;
}

enum wr_status parse(struct ctx *ctx, struct slice text, struct ast_statement **out)
{
    struct parser p = { .ctx = ctx, .text = text, .depth_most = thread_levels(PARSE_DEPTH_MAX, PARSE_LEVEL_BYTES) };

    if (text.len > UINT32_MAX)
        return fail(ctx, WR_SYNTAX, "the statement is longer than 4 GiB");
    parse_tokens(&p);
    build_check_tuples(&p);
    if ((p.refused || p.status != WR_OK) && says_what_is_repeated(&p))
        p.refused = false;
    if (p.noted && (p.refused || p.status == WR_OK)) {
        p.refused = false;
        p.status = fail(ctx, WR_SYNTAX, "%s", p.noted);
        ctx->error_offset = p.noted_at;
    }
    if (p.refused)
        return syntax_explain(ctx, text, ctx->error_offset);
    if (p.status == WR_SYNTAX && !p.too_deep)
        TRY(syntax_check_before(ctx, text, ctx->error_offset));
    if (p.status != WR_OK)
        return p.status;
    p.statement->marker_count = p.marker_count;
    p.statement->markers = p.markers;
    *out = p.statement;
    return WR_OK;
}

/* ---- the end of a statement in a script ---- */

/* What stands between two semicolons, as far as it matters for finding the end. */
struct script_state {
    bool blank;    /* nothing yet */
    bool in_batch; /* BEGIN ... BATCH was read and APPLY BATCH not yet */
    enum lex_kind first, previous;
};

static void script_step(struct script_state *state, enum lex_kind kind)
{
    if (state->blank)
        state->first = kind;
    state->blank = false;
    if (kind == LEX_BATCH && state->first == LEX_BEGIN)
        state->in_batch = state->previous != LEX_APPLY;
    state->previous = kind;
}

size_t parse_statement_begin(struct slice text)
{
    struct lexer lexer;
    lex_init(&lexer, text);
    return lex_next(&lexer).offset;
}

size_t parse_statement_end(struct slice text, bool *complete, bool *blank)
{
    struct script_state state = { .blank = true, .first = LEX_END, .previous = LEX_END };
    bool last = !text.len || !memchr(text.data, ';', text.len);
    struct lexer lexer;

    *complete = false;
    lex_init(&lexer, text);
    for (;;) {
        struct token token = lex_next(&lexer);
        const uint8_t *semicolon;
        size_t from = lexer.at;
        if (last && token.kind != LEX_END && token.kind != LEX_ERROR) { /* no semicolon ends it */
            *blank = false;
            return text.len;
        }
        if (token.kind == LEX_ERROR && lex_recover(&lexer)) { /* for the parser to complain about */
            state.blank = false;
            if ((semicolon = memchr(text.data + from, ';', lexer.at - from))) /* which ends the statement all the same */
                lexer.at = (size_t)(semicolon - text.data);
            continue;
        }
        if (token.kind == LEX_END || token.kind == LEX_ERROR) {
            *blank = state.blank && (token.kind == LEX_END || lexer.error.in_line_comment);
            return text.len;
        }
        if (token.kind == LEX_SEMICOLON && !state.in_batch) {
            *blank = state.blank;
            *complete = true;
            return token_end(token);
        }
        script_step(&state, (enum lex_kind)token.kind);
    }
}
