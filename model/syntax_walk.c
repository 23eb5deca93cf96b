#include "model/syntax_walk.h"

#include "model/type.h"

enum {
    EXPLAIN_TOKENS_MAX = 10000, /* a longer text gets the plain message */
    GUARDS_MAX = 400 /* guards inside guards: the one recursion */
};

/* ---- tokens ---- */

static enum wr_status stream_add(struct token_stream *s, struct token token, bool hidden)
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
static enum wr_status add_hidden(struct token_stream *s, size_t from, size_t to)
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

enum wr_status stream_read(struct token_stream *s, bool past_errors)
{
    struct lexer lexer;
    struct token token;
    size_t end = 0;

    lex_init(&lexer, s->text);
    do {
        token = lex_next(&lexer);
        while (token.kind == LEX_ERROR && past_errors && lex_recover(&lexer)) {
            token = lex_next(&lexer);
            end = token.offset;
        }
        if (token.kind == LEX_ERROR && past_errors) { /* the text ends in it */
            token = (struct token){ (uint32_t)s->text.len, 0, LEX_END };
            end = token.offset;
        }
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

enum lex_kind walk_look(struct walk *w, uint32_t ahead)
{
    uint32_t at = w->at + ahead, last = w->stream->visible_count - 1;
    if (at > last)
        at = last; /* the end goes on for ever */
    if (at > w->fetched) {
        w->fetched = at;
        w->fetched_at = w->at;
    }
    return (enum lex_kind)w->stream->all[w->stream->visible[at]].token.kind;
}

static enum lex_kind look(void *arg, uint32_t ahead)
{
    return walk_look(arg, ahead);
}

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

enum outcome walk_choose(struct walk *w, uint32_t fork_index, uint16_t *state)
{
    const struct net_fork *fork = &w->net.forks[fork_index];
    uint32_t ahead = 0;
    uint64_t viable = 0;
    int way = net_predict(&w->net, fork_index, (struct net_view){ look, w }, &ahead, &viable);

    if (way == NET_NONE && viable) {
        walk_look(w, 1);
        way = choose_guarded(w, fork, viable);
        ahead = way == NET_NONE ? 0 : 1;
    }
    if (way >= 0 && fork->table)
        walk_look(w, ahead + 1); /* a table steps over the token that told */
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
    if (walk_look(w, 0) != LEX_QMARK || w->guard_depth > 0)
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
    const struct token_stream *s = w->stream;
    const struct type *type;
    struct slice name;

    if (walk_look(w, 0) != LEX_STRING || w->guard_depth > 0 || !slice_eq_str(w->net.rules[rule].name, "class"))
        return false;
    return token_text(s->ctx, s->text, s->all[s->visible[w->at]].token, &name) == WR_OK &&
           type_parse_class(s->ctx, name, &type) == WR_SYNTAX;
}

enum outcome walk_rule(struct walk *w, uint32_t rule)
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
            if (!net_set_has(&w->net, s, walk_look(w, 0))) {
                w->expecting = s;
                w->offending = w->at;
                return s->kind == STATE_CLASS ? WALK_NO_WAY : WALK_MISMATCH;
            }
            if (w->at + 1 < w->stream->visible_count)
                w->at++;
            walk_look(w, 0);
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
            enum outcome outcome = walk_choose(w, s->what, &state);
            if (outcome != WALK_OK)
                return outcome;
            break;
        }
        default: state = s->next; break;
        }
    }
}

enum wr_status walk_init(struct ctx *ctx, struct walk *w, struct token_stream *stream)
{
    *w = (struct walk){ .stream = stream };
    TRY(net_init(ctx, &w->net));
    w->returns = NEW_ARRAY(ctx, uint16_t, RETURNS_MAX);
    w->guards = NEW_ARRAY(ctx, uint8_t *, w->net.rule_count);
    return w->returns && w->guards ? WR_OK : WR_NOMEM;
}
