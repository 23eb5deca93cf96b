#include "model/syntax.h"

#include "engine/buf.h"
#include "model/syntax_after.h"
#include "model/type.h"
#include "model/unicode.h"

/* ---- places, as Java counts them: characters outside the basic plane are two ---- */

struct text_place {
    uint32_t line, column; /* from 1, from 0 */
};

static struct text_place place_of(struct slice text, size_t offset)
{
    struct text_place place = { 1, 0 };
    size_t line = 0;
    if (offset > text.len)
        offset = text.len;
    for (size_t i = 0; i < offset; i++) {
        if (text.data[i] == '\n') {
            place.line++;
            line = i + 1;
        }
    }
    place.column = (uint32_t)unicode_java_length(slice_of(text.data + line, offset - line));
    return place;
}

/* ---- messages ---- */

/* A character or a token's text between single quotes, line breaks and tabs spelled out. */
static void put_display(struct buf *buf, struct slice text)
{
    buf_put_u8(buf, '\'');
    for (size_t i = 0; i < text.len; i++) {
        switch (text.data[i]) {
        case '\n': buf_put_str(buf, "\\n"); break;
        case '\r': buf_put_str(buf, "\\r"); break;
        case '\t': buf_put_str(buf, "\\t"); break;
        default: buf_put_u8(buf, text.data[i]); break;
        }
    }
    buf_put_u8(buf, '\'');
}

/* A token's text is a string's content, but otherwise as written. */
static enum wr_status display_text(const struct token_stream *s, struct token token, struct slice *out)
{
    if (token.kind == LEX_STRING || token.kind == LEX_QUOTED)
        return token_text(s->ctx, s->text, token, out);
    *out = slice_of(s->text.data + token.offset, token.len);
    return WR_OK;
}

static enum wr_status fail_lexer(struct token_stream *s)
{
    struct ctx *ctx = s->ctx;
    struct text_place place = place_of(s->text, s->error.offset);
    struct slice message, character = SLICE_LIT("<EOF>");
    struct buf buf;

    if (s->error.offset < s->text.len)
        character = unicode_java_char(slice_skip(s->text, s->error.offset));
    buf_init(&buf, ctx->arena);
    buf_printf(&buf, "line %u:%u %s character ", place.line, place.column, s->error.problem);
    put_display(&buf, character);
    if (s->error.expecting)
        buf_printf(&buf, " expecting %s", s->error.expecting);
    TRY(buf_done(ctx, &buf, &message));
    ctx->error_offset = s->error.offset;
    return fail(ctx, WR_SYNTAX, "%.*s", SLICE_ARG(message));
}

/* A line of the text without its newline. */
static struct slice line_from(struct slice text, size_t start)
{
    const uint8_t *end = memchr(text.data + start, '\n', text.len - start);
    return slice_of(text.data + start, end ? (size_t)(end - text.data) - start : text.len - start);
}

static struct slice line_at(struct slice text, uint32_t line)
{
    size_t start = 0;
    for (uint32_t n = 1; n < line; n++)
        start = (size_t)((const uint8_t *)memchr(text.data + start, '\n', text.len - start) - text.data) + 1;
    return line_from(text, start);
}

/* How many lines, but for empty ones at the end: String.split. */
static uint32_t line_count(struct slice text)
{
    while (text.len && text.data[text.len - 1] == '\n')
        text.len--;
    return place_of(text, text.len).line;
}

struct snippet_end {
    struct text_place place;
    uint32_t len;  /* of the token's text, which for strings lacks the quotes: so the reference counts */
    uint32_t line_len;
};

static enum wr_status snippet_end(const struct token_stream *s, uint32_t index, struct snippet_end *out)
{
    struct token token = s->all[index].token;
    struct slice text;
    TRY(display_text(s, token, &text));
    out->place = place_of(s->text, token.offset);
    out->len = (uint32_t)unicode_java_length(text);
    struct slice line = line_at(s->text, out->place.line);
    out->line_len = (uint32_t)unicode_java_length(line);
    return WR_OK;
}

struct marked { /* columns of a line, in UTF-16 as Java counts */
    uint32_t from, to, open, close;
};

/* The brackets that stand at a column; false: the line ends there. */
static bool put_marks(struct buf *buf, const struct marked *m, uint32_t column)
{
    if (column == m->open)
        buf_put_u8(buf, '[');
    if (column == m->close)
        buf_put_u8(buf, ']');
    return column < m->to;
}

/* Columns from to to of one line, with brackets put in at two more. Half a character is a question mark, as Java writes it. */
static void put_line(struct buf *buf, struct slice line, struct marked m)
{
    uint32_t column = 0;
    for (size_t i = 0, len; buf->len < ERROR_TEXT_MAX; i += len) {
        if (!put_marks(buf, &m, column) || i == line.len)
            return;
        for (len = 1; i + len < line.len && (line.data[i + len] & 0xC0) == 0x80;)
            len++;
        uint32_t middle = column + 1;
        bool wide = line.data[i] >= 0xF0;
        if (wide && (m.from == middle || m.to == middle || m.open == middle || m.close == middle)) {
            if (column >= m.from)
                buf_put_u8(buf, '?');
            if (!put_marks(buf, &m, middle))
                return;
            buf_put_u8(buf, '?');
        } else if (column >= m.from) {
            buf_put_slice(buf, slice_of(line.data + i, len));
        }
        column += wide ? 2 : 1;
    }
}

/* What Java fails with where a token's text goes on behind its line, or begins on an empty line at the end, which String.split leaves out.
 * ErrorCollector.appendSnippet cuts the last token's line first, then puts the brackets in, the closing one before. */
static enum wr_status check_snippet(const struct token_stream *s, const struct snippet_end *to, const struct snippet_end *at)
{
    uint32_t lines = line_count(s->text), to_end = to->place.column + to->len, at_end = at->place.column + at->len;
    uint32_t line_len = at->place.line == to->place.line && to_end < at->line_len ? to_end : at->line_len;

    if (to->place.line > lines)
        return fail(s->ctx, WR_SYNTAX, "Failed parsing statement: [%.*s] reason: ArrayIndexOutOfBoundsException Index %u out of bounds for length %u",
                    SLICE_ARG(s->text), to->place.line - 1, lines);
    if (at_end > line_len)
        return fail(s->ctx, WR_SYNTAX, "Failed parsing statement: [%.*s] reason: StringIndexOutOfBoundsException begin 0, end %u, length %u",
                    SLICE_ARG(s->text), at_end, line_len);
    return WR_OK;
}

/* ErrorCollector.appendSnippet: ten tokens back to two on, the place between square brackets. Nothing where one of the three
 * tokens is the end of the text, which has no place. */
static enum wr_status put_snippet(struct buf *buf, const struct token_stream *s, uint32_t current, uint32_t fetched)
{
    uint32_t size = fetched + 1, first = current > 10 ? current - 10 : 0, last = current + 2 < size ? current + 2 : size - 1;
    struct snippet_end from, to, at;

    if ((!s->all[last].hidden && s->all[last].token.kind == LEX_END) || s->all[last].token.kind == LEX_ERROR)
        return WR_OK;
    TRY(snippet_end(s, first, &from));
    TRY(snippet_end(s, last, &to));
    TRY(snippet_end(s, current, &at));
    TRY(check_snippet(s, &to, &at));
    uint32_t to_end = to.place.column + to.len, at_end = at.place.column + at.len;
    bool whole_start = from.place.line == 1 && from.place.column == 0;
    bool whole_end = to.place.line == line_count(s->text) && to_end == to.line_len;
    struct slice line = line_at(s->text, from.place.line);

    buf_put_str(buf, whole_start ? " (" : " (...");
    for (uint32_t n = from.place.line; buf->len < ERROR_TEXT_MAX; n++) {
        bool is_place = n == at.place.line;
        put_line(buf, line, (struct marked){ .from = n == from.place.line ? from.place.column : 0,
                                            .to = n == to.place.line ? to_end : UINT32_MAX,
                                            .open = is_place ? at.place.column : UINT32_MAX,
                                            .close = is_place ? at_end : UINT32_MAX });
        if (n == to.place.line)
            break;
        line = line_from(s->text, (size_t)(line.data - s->text.data) + line.len + 1);
    }
    buf_put_str(buf, whole_end ? ")" : "...)");
    return WR_OK;
}

static enum wr_status fail_parser(struct walk *w, uint32_t offending)
{
    struct token_stream *s = w->stream;
    struct token token = s->all[s->visible[offending]].token;
    struct slice text = SLICE_LIT("<EOF>"), message;
    struct buf buf;

    buf_init(&buf, s->ctx->arena);
    s->ctx->error_offset = token.offset;
    if (token.kind == LEX_END) {
        buf_put_str(&buf, "line 0:-1 ");
    } else {
        struct text_place place = place_of(s->text, token.offset);
        buf_printf(&buf, "line %u:%u ", place.line, place.column);
        TRY(display_text(s, token, &text));
    }
    buf_put_str(&buf, w->expecting ? "mismatched input " : "no viable alternative at input ");
    put_display(&buf, text);
    if (w->expecting)
        buf_printf(&buf, " expecting %s", w->expecting->kind == STATE_SET ? "set null" : lex_name((enum lex_kind)w->expecting->what));
    TRY(put_snippet(&buf, s, s->visible[w->at], s->visible[w->fetched]));
    TRY(buf_done(s->ctx, &buf, &message));
    return fail(s->ctx, WR_SYNTAX, "%.*s", SLICE_ARG(message));
}

/* For what cannot be walked: too long, too deep, or a disagreement between the two grammars. at: where ours gave up. */
static enum wr_status fail_plainly(struct ctx *ctx, struct slice text, size_t at)
{
    struct token_stream stream = { .ctx = ctx, .text = text };
    struct text_place place;
    struct lexer lexer;
    struct token token;
    struct slice shown, message;
    struct buf buf;

    lex_init(&lexer, text);
    do
        token = lex_next(&lexer);
    while (token.offset < at && token.kind != LEX_END && token.kind != LEX_ERROR);
    stream.error = lexer.error;
    if (token.kind == LEX_ERROR)
        return fail_lexer(&stream);
    ctx->error_offset = token.offset;
    if (token.kind == LEX_END)
        return fail(ctx, WR_SYNTAX, "line 0:-1 no viable alternative at input '<EOF>'");
    place = place_of(text, token.offset);
    buf_init(&buf, ctx->arena);
    buf_printf(&buf, "line %u:%u no viable alternative at input ", place.line, place.column);
    TRY(display_text(&stream, token, &shown));
    put_display(&buf, shown);
    TRY(buf_done(ctx, &buf, &message));
    return fail(ctx, WR_SYNTAX, "%.*s", SLICE_ARG(message));
}

/* Whether the lexer gave up at what was looked at. */
static bool is_broken(const struct walk *w)
{
    return w->stream->all[w->stream->visible[w->fetched]].token.kind == LEX_ERROR;
}

/* The first error is told, or what is told instead of it. */
static enum wr_status fail_after(const struct walk *w)
{
    const char *message = syntax_after(w);

    return message ? fail(w->stream->ctx, WR_SYNTAX, "%s", message) : WR_SYNTAX;
}

static enum wr_status fail_at(struct walk *w, uint32_t offending)
{
    enum wr_status st = fail_parser(w, offending);

    return st == WR_SYNTAX ? fail_after(w) : st;
}

static enum wr_status fail_broken(struct token_stream *s)
{
    struct token_stream whole = { .ctx = s->ctx, .text = s->text };
    struct walk w;

    TRY(stream_read(&whole, true));
    TRY(walk_init(s->ctx, &w, &whole));
    enum wr_status st = fail_lexer(s);
    return st == WR_SYNTAX ? fail_after(&w) : st;
}

/* The walk, and its failure as a message. */
static enum wr_status walk_text(struct walk *w, enum outcome *outcome)
{
    uint16_t last = w->stream->all[w->stream->count - 1].token.kind;
    *outcome = last == LEX_END || last == LEX_ERROR ? walk_rule(w, 0) : WALK_GAVE_UP;
    if (*outcome == WALK_MARKER)
        walk_look(w, 1); /* the next token is asked for when one is taken, before an action */
    if (is_broken(w) && *outcome != WALK_GAVE_UP)
        return fail_broken(w->stream);
    switch (*outcome) {
    case WALK_MISMATCH: return fail_at(w, w->at);
    case WALK_NO_WAY:
        w->expecting = NULL;
        return fail_at(w, w->offending);
    case WALK_MARKER:
        w->stream->ctx->error_offset = w->stream->all[w->stream->visible[w->at]].token.offset;
        fail(w->stream->ctx, WR_SYNTAX, "Bind variables cannot be used for %s", w->named);
        return fail_after(w);
    case WALK_CLASS:
        w->stream->ctx->error_offset = w->stream->all[w->stream->visible[w->at]].token.offset;
        return WR_SYNTAX; /* with the message that it has */
    default: return WR_OK;
    }
}

enum wr_status syntax_explain(struct ctx *ctx, struct slice text, size_t at)
{
    struct token_stream stream = { .ctx = ctx, .text = text };
    struct walk w;
    enum outcome outcome;

    TRY(stream_read(&stream, false));
    TRY(walk_init(ctx, &w, &stream));
    TRY(walk_text(&w, &outcome));
    return fail_plainly(ctx, text, at);
}

enum wr_status syntax_check_before(struct ctx *ctx, struct slice text, size_t offset)
{
    struct token_stream stream = { .ctx = ctx, .text = text };
    char message[ERROR_TEXT_MAX];
    size_t place = ctx->error_offset;
    struct walk w;
    enum outcome outcome;

    TRY(stream_read(&stream, false));
    TRY(walk_init(ctx, &w, &stream));
    memcpy(message, ctx->error, sizeof message);
    enum wr_status st = walk_text(&w, &outcome);
    size_t at = stream.all[stream.visible[is_broken(&w) ? w.fetched_at : w.at]].token.offset;
    if (st == WR_SYNTAX && outcome != WALK_CLASS && /* the parser has found those for itself */
        (at < offset || (at == offset && (is_broken(&w) || outcome == WALK_NO_WAY)))) /* a mismatch comes after the actions */
        return st;
    memcpy(ctx->error, message, sizeof message);
    ctx->error_offset = place;
    return st == WR_SYNTAX ? WR_OK : st;
}
