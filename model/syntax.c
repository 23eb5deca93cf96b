#include "model/syntax.h"

#include "engine/buf.h"
#include "model/syntax_net.h"
#include "model/type.h"

enum {
    EXPLAIN_TOKENS_MAX = 10000, /* a longer text gets the plain message */
    RETURNS_MAX = 8192,
    GUARDS_MAX = 400 /* guards inside guards: the one recursion */
};

/* ---- the tokens of a text, white space and comments among them, as Cassandra's token stream holds them ---- */

struct stream_token {
    struct token token;
    bool hidden;
};

struct stream {
    struct ctx *ctx;
    struct slice text;
    struct stream_token *all;
    uint32_t count, room;
    uint32_t *visible; /* indexes of the ones that are not hidden */
    uint32_t visible_count;
    struct lex_error error; /* of the last token, if it is LEX_ERROR */
};

static enum wr_status stream_add(struct stream *s, struct token token, bool hidden)
{
    if (s->count == s->room) {
        uint32_t room = s->room ? s->room * 2 : 64;
        struct stream_token *all = NEW_ARRAY(s->ctx, struct stream_token, room);
        uint32_t *visible = NEW_ARRAY(s->ctx, uint32_t, room);
        if (!all || !visible)
            return WR_NOMEM;
        if (s->count) {
            memcpy(all, s->all, s->count * sizeof *all);
            memcpy(visible, s->visible, s->visible_count * sizeof *visible);
        }
        s->all = all;
        s->visible = visible;
        s->room = room;
    }
    if (!hidden)
        s->visible[s->visible_count++] = s->count;
    s->all[s->count++] = (struct stream_token){ token, hidden };
    return WR_OK;
}

/* White space is one token, a comment is one with its newline. */
static enum wr_status add_hidden(struct stream *s, size_t from, size_t to)
{
    while (from < to) {
        size_t end = from;
        const uint8_t *text = s->text.data;
        if (text[from] == '/' && text[from + 1] == '*') {
            end += 2;
            while (end + 1 < to && !(text[end] == '*' && text[end + 1] == '/'))
                end++;
            end += 2;
        } else if (text[from] == '-' || text[from] == '/') {
            while (end < to && text[end] != '\n' && text[end] != '\r')
                end++;
            end++;
        } else {
            while (end < to && (text[end] == ' ' || text[end] == '\t' || text[end] == '\n' || text[end] == '\r'))
                end++;
        }
        if (end > to)
            end = to;
        TRY(stream_add(s, (struct token){ (uint32_t)from, (uint32_t)(end - from), LEX_END }, true));
        from = end;
    }
    return WR_OK;
}

static enum wr_status stream_read(struct stream *s)
{
    struct lexer lexer;
    struct token token;
    size_t end = 0;

    lex_init(&lexer, s->text);
    do {
        token = lex_next(&lexer);
        if (token.kind == LEX_ERROR)
            s->error = lexer.error;
        else
            TRY(add_hidden(s, end, token.offset));
        TRY(stream_add(s, token, false));
        end = (size_t)token.offset + token.len;
    } while (token.kind != LEX_END && token.kind != LEX_ERROR && s->visible_count < EXPLAIN_TOKENS_MAX);
    return WR_OK;
}

/* ---- walking the network ---- */

enum outcome { WALK_OK, WALK_NO_WAY, WALK_MISMATCH, WALK_MARKER, WALK_CLASS, WALK_GAVE_UP };

struct walk {
    struct net net;
    struct stream *stream;
    uint32_t at, fetched;     /* visible tokens: the next, and the farthest looked at */
    uint32_t fetched_at;      /* the next, when that was first looked at */
    uint32_t offending;       /* after NO_WAY */
    const struct net_state *expecting; /* after MISMATCH */
    const char *named;                 /* after MARKER: what a bind marker cannot be */
    uint16_t *returns;
    uint32_t return_count;
    uint8_t **guards;         /* [rule][visible token]: 0 not asked, 1 does not match, 2 matches */
    uint32_t guard_depth;
};

static enum lex_kind look(void *arg, uint32_t ahead)
{
    struct walk *w = arg;
    uint32_t at = w->at + ahead, last = w->stream->visible_count - 1;
    if (at > last)
        at = last; /* the end goes on for ever */
    if (at > w->fetched) {
        w->fetched = at;
        w->fetched_at = w->at;
    }
    return (enum lex_kind)w->stream->all[w->stream->visible[at]].token.kind;
}

static enum outcome walk_rule(struct walk *w, uint32_t rule);

static enum outcome ask_guard(struct walk *w, uint32_t rule)
{
    uint32_t at = w->at, base = w->return_count;
    uint8_t *answers = w->guards[rule];

    if (!answers && !(answers = w->guards[rule] = ctx_alloc(w->net.ctx, w->stream->visible_count)))
        return WALK_GAVE_UP;
    if (answers[at])
        return answers[at] == 2 ? WALK_OK : WALK_NO_WAY;
    if (w->guard_depth == GUARDS_MAX)
        return WALK_GAVE_UP;
    w->guard_depth++;
    enum outcome outcome = walk_rule(w, rule);
    w->guard_depth--;
    w->at = at;
    w->return_count = base;
    if (outcome != WALK_GAVE_UP)
        answers[at] = outcome == WALK_OK ? 2 : 1;
    return outcome;
}

/* Of the ways left after one token, the first whose guard holds, or the first without one. */
static int choose_guarded(struct walk *w, const struct net_fork *fork, uint64_t viable)
{
    for (uint32_t i = 0; i < fork->count; i++) {
        uint16_t guard = w->net.alternatives[fork->first + i].guard;
        if (!(viable >> i & 1))
            continue;
        enum outcome outcome = guard == GUARD_NONE || guard == GUARD_OPEN ? WALK_OK : ask_guard(w, guard);
        if (outcome == WALK_GAVE_UP)
            return NET_TIRED;
        if (outcome == WALK_OK)
            return (int)i;
    }
    return NET_NONE;
}

static enum outcome choose(struct walk *w, uint32_t fork_index, uint16_t *state)
{
    const struct net_fork *fork = &w->net.forks[fork_index];
    uint32_t ahead = 0;
    uint64_t viable = 0;
    int way = net_predict(&w->net, fork_index, (struct net_view){ look, w }, &ahead, &viable);

    if (way == NET_NONE && viable) {
        look(w, 1);
        way = choose_guarded(w, fork, viable);
        ahead = way == NET_NONE ? 0 : 1;
    }
    if (way >= 0 && fork->table)
        look(w, ahead + 1); /* a table steps over the token that told */
    if (way == NET_NONE && fork->passable && !fork->table)
        way = fork->count - 1;
    if (way == NET_NONE) {
        w->offending = w->at + ahead;
        if (w->offending >= w->stream->visible_count)
            w->offending = w->stream->visible_count - 1;
        return WALK_NO_WAY;
    }
    if (way < 0)
        return WALK_GAVE_UP;
    *state = w->net.alternatives[fork->first + (uint32_t)way].state;
    return WALK_OK;
}

/* Where a name is read as a bind marker, the reference notes an error of its own, and reads on. */
static bool is_marker_for_name(struct walk *w, uint32_t rule)
{
    static const struct {
        const char *rule, *named;
    } names[] = {
        { "keyspace_name", "keyspace names" },
        { "bare_table", "table names" },
        { "bare_index", "index names" },
        { "role_name", "role names" },
    };
    if (look(w, 0) != LEX_QMARK || w->guard_depth > 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (slice_eq_str(w->net.rules[rule].name, names[i].rule)) {
            w->named = names[i].named;
            return true;
        }
    }
    return false;
}

/* A class that is none is noted as it is read, too. */
static bool is_wrong_class(struct walk *w, uint32_t rule)
{
    const struct stream *s = w->stream;
    const struct type *type;
    struct slice name;

    if (look(w, 0) != LEX_STRING || w->guard_depth > 0 || !slice_eq_str(w->net.rules[rule].name, "class"))
        return false;
    return token_text(s->ctx, s->text, s->all[s->visible[w->at]].token, &name) == WR_OK &&
           type_parse_class(s->ctx, name, &type) == WR_SYNTAX;
}

static enum outcome walk_rule(struct walk *w, uint32_t rule)
{
    uint32_t base = w->return_count;
    uint16_t state = w->net.rules[rule].start;

    for (;;) {
        const struct net_state *s = &w->net.states[state];
        if (++w->net.work >= NET_WORK_MAX)
            return WALK_GAVE_UP;
        switch (s->kind) {
        case STATE_TOKEN:
        case STATE_SET:
        case STATE_CLASS:
            if (!net_set_has(&w->net, s, look(w, 0))) {
                w->expecting = s;
                w->offending = w->at;
                return s->kind == STATE_CLASS ? WALK_NO_WAY : WALK_MISMATCH;
            }
            if (w->at + 1 < w->stream->visible_count)
                w->at++;
            look(w, 0);
            state = s->next;
            break;
        case STATE_CALL:
            if (w->return_count == RETURNS_MAX)
                return WALK_GAVE_UP;
            if (is_marker_for_name(w, s->what))
                return WALK_MARKER;
            if (is_wrong_class(w, s->what))
                return WALK_CLASS;
            w->returns[w->return_count++] = s->next;
            state = w->net.rules[s->what].start;
            break;
        case STATE_RETURN:
            if (w->return_count == base)
                return WALK_OK;
            state = w->returns[--w->return_count];
            break;
        case STATE_FORK: {
            enum outcome outcome = choose(w, s->what, &state);
            if (outcome != WALK_OK)
                return outcome;
            break;
        }
        default: state = s->next; break;
        }
    }
}

static enum wr_status walk_init(struct ctx *ctx, struct walk *w, struct stream *stream)
{
    *w = (struct walk){ .stream = stream };
    TRY(net_init(ctx, &w->net));
    w->returns = NEW_ARRAY(ctx, uint16_t, RETURNS_MAX);
    w->guards = NEW_ARRAY(ctx, uint8_t *, w->net.rule_count);
    return w->returns && w->guards ? WR_OK : WR_NOMEM;
}

/* ---- places, as Java counts them: characters outside the basic plane are two ---- */

struct place {
    uint32_t line, column; /* from 1, from 0 */
};

static uint32_t java_len(const uint8_t *from, const uint8_t *to)
{
    uint32_t n = 0;
    for (; from < to; from++)
        n += (*from & 0xC0) != 0x80 ? 1 + (*from >= 0xF0) : 0;
    return n;
}

static struct place place_of(struct slice text, size_t offset)
{
    struct place place = { 1, 0 };
    size_t line = 0;
    if (offset > text.len)
        offset = text.len;
    for (size_t i = 0; i < offset; i++) {
        if (text.data[i] == '\n') {
            place.line++;
            line = i + 1;
        }
    }
    place.column = java_len(text.data + line, text.data + offset);
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
static enum wr_status display_text(const struct stream *s, struct token token, struct slice *out)
{
    if (token.kind == LEX_STRING || token.kind == LEX_QUOTED)
        return token_text(s->ctx, s->text, token, out);
    *out = slice_of(s->text.data + token.offset, token.len);
    return WR_OK;
}

static enum wr_status fail_lexer(struct stream *s)
{
    struct ctx *ctx = s->ctx;
    struct place place = place_of(s->text, s->error.offset);
    struct slice message, character = SLICE_LIT("<EOF>");
    struct buf buf;

    if (s->error.offset < s->text.len) {
        size_t end = s->error.offset + 1;
        while (end < s->text.len && (s->text.data[end] & 0xC0) == 0x80)
            end++;
        character = slice_of(s->text.data + s->error.offset, end - s->error.offset);
        if (character.data[0] >= 0xF0) /* the lexer stands before half of it */
            character = SLICE_LIT("?");
    }
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
    struct place place;
    uint32_t len;  /* of the token's text, which for strings lacks the quotes: so the reference counts */
    uint32_t line_len;
};

static enum wr_status snippet_end(const struct stream *s, uint32_t index, struct snippet_end *out)
{
    struct token token = s->all[index].token;
    struct slice text;
    TRY(display_text(s, token, &text));
    out->place = place_of(s->text, token.offset);
    out->len = java_len(text.data, text.data + text.len);
    struct slice line = line_at(s->text, out->place.line);
    out->line_len = java_len(line.data, line.data + line.len);
    return WR_OK;
}

struct marks { /* columns of a line, in UTF-16 as Java counts */
    uint32_t from, to, open, close;
};

/* The brackets that stand at a column; false: the line ends there. */
static bool put_marks(struct buf *buf, const struct marks *m, uint32_t column)
{
    if (column == m->open)
        buf_put_u8(buf, '[');
    if (column == m->close)
        buf_put_u8(buf, ']');
    return column < m->to;
}

/* Columns from to to of one line, with brackets put in at two more. Half a character is a question mark, as Java writes it. */
static void put_line(struct buf *buf, struct slice line, struct marks m)
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
static enum wr_status check_snippet(const struct stream *s, const struct snippet_end *to, const struct snippet_end *at)
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
static enum wr_status put_snippet(struct buf *buf, const struct stream *s, uint32_t current, uint32_t fetched)
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
        put_line(buf, line, (struct marks){ .from = n == from.place.line ? from.place.column : 0,
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
    struct stream *s = w->stream;
    struct token token = s->all[s->visible[offending]].token;
    struct slice text = SLICE_LIT("<EOF>"), message;
    struct buf buf;

    buf_init(&buf, s->ctx->arena);
    s->ctx->error_offset = token.offset;
    if (token.kind == LEX_END) {
        buf_put_str(&buf, "line 0:-1 ");
    } else {
        struct place place = place_of(s->text, token.offset);
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
    struct stream stream = { .ctx = ctx, .text = text };
    struct place place;
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

/* The walk, and its failure as a message. */
static enum wr_status walk_text(struct walk *w, enum outcome *outcome)
{
    uint16_t last = w->stream->all[w->stream->count - 1].token.kind;
    *outcome = last == LEX_END || last == LEX_ERROR ? walk_rule(w, 0) : WALK_GAVE_UP;
    if (is_broken(w) && *outcome != WALK_GAVE_UP)
        return fail_lexer(w->stream);
    switch (*outcome) {
    case WALK_MISMATCH: return fail_parser(w, w->at);
    case WALK_NO_WAY:
        w->expecting = NULL;
        return fail_parser(w, w->offending);
    case WALK_MARKER:
        w->stream->ctx->error_offset = w->stream->all[w->stream->visible[w->at]].token.offset;
        return fail(w->stream->ctx, WR_SYNTAX, "Bind variables cannot be used for %s", w->named);
    case WALK_CLASS:
        w->stream->ctx->error_offset = w->stream->all[w->stream->visible[w->at]].token.offset;
        return WR_SYNTAX; /* with the message that it has */
    default: return WR_OK;
    }
}

enum wr_status syntax_explain(struct ctx *ctx, struct slice text, size_t at)
{
    struct stream stream = { .ctx = ctx, .text = text };
    struct walk w;
    enum outcome outcome;

    TRY(stream_read(&stream));
    TRY(walk_init(ctx, &w, &stream));
    TRY(walk_text(&w, &outcome));
    return fail_plainly(ctx, text, at);
}

enum wr_status syntax_check_before(struct ctx *ctx, struct slice text, size_t offset)
{
    struct stream stream = { .ctx = ctx, .text = text };
    char message[ERROR_TEXT_MAX];
    size_t place = ctx->error_offset;
    struct walk w;
    enum outcome outcome;

    TRY(stream_read(&stream));
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
