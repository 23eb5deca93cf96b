/* Patterns to graphs: atoms, repetitions, groups, the whole. */
#include "engine/thread.h"
#include "model/java/regex_read.h"

#include <stdio.h>

/* ---- atoms ---- */

static struct regex_node *slice_node(struct regex_parser *p, struct buf *characters)
{
    struct regex_node *n = regex_new_node(p, RN_SLICE);
    uint32_t *list = (uint32_t *)(void *)characters->data;

    n->character_count = (uint32_t)(characters->len / sizeof *list);
    n->characters = list;
    n->fold = regex_flag(p, REGEX_CASE_INSENSITIVE);
    n->unicode = regex_flag(p, REGEX_UNICODE_CASE);
    if (characters->failed || !java_charge(p->run, characters->len))
        regex_stop(p);
    for (uint32_t i = 0; i < n->character_count && n->fold; i++)
        list[i] = regex_fold(list[i], n->unicode);
    return n;
}

/* Characters that stand for themselves, as many as no repetition takes away; or one escape. */
static struct regex_node *atom(struct regex_parser *p)
{
    struct buf characters;
    uint32_t prev = p->cursor, c = regex_peek(p), n = 0;
    int64_t escaped;

    buf_init(&characters, p->run->ctx->arena);
    for (;; n++) {
        if (c == '*' || c == '+' || c == '?' || c == '{') {
            if (n > 1) {
                p->cursor = prev;
                n--;
            }
            break;
        }
        if ((c && c < 128 && strchr("$.^([|)", (char)c)) || (!c && p->cursor >= p->len))
            break;
        if (c == '\\') {
            c = regex_next_plain(p);
            if (c == 'p' || c == 'P') {
                if (n) {
                    p->cursor--;
                    break;
                }
                size_t first = regex_terms_read(p);
                regex_read_property(p);
                return regex_class_node(p, first);
            }
            prev = --p->cursor;
            escaped = regex_read_escape(p, false, n == 0, false);
            if (escaped < 0 && n == 0)
                return p->tail;
            if (escaped < 0) {
                p->cursor = prev;
                break;
            }
            c = (uint32_t)escaped;
            buf_put(&characters, &c, sizeof c);
            c = regex_peek(p);
            continue;
        }
        prev = p->cursor;
        buf_put(&characters, &c, sizeof c);
        c = regex_next(p);
    }
    if (characters.failed)
        regex_stop(p);
    else
        characters.len = n * sizeof c; /* all, or all but the last */
    if (n == 1 && !p->failed)
        return regex_term_node(p, regex_single(p, *(const uint32_t *)(const void *)characters.data));
    return slice_node(p, &characters);
}

/* ---- repetition ---- */

static enum regex_greed greed(struct regex_parser *p, uint32_t c)
{
    if (c != '?' && c != '+')
        return RG_GREEDY;
    regex_next(p);
    return c == '?' ? RG_LAZY : RG_POSSESSIVE;
}

static struct regex_node *repeat(struct regex_parser *p, struct regex_node *body, int32_t least, int32_t most,
                                 enum regex_greed how)
{
    struct regex_node *n = regex_new_node(p, RN_REPEAT);
    n->body = body;
    n->least = least;
    n->most = most;
    n->greed = how;
    return n;
}

/* The number whose first digit is *c; *c becomes the first that is none. It may be too great, and is not read on then.
 */
static int64_t read_count(struct regex_parser *p, uint32_t *c)
{
    int64_t v = 0;
    for (; regex_is_digit(*c); *c = regex_take(p))
        if ((v = v * 10 + (*c - '0')) > INT32_MAX)
            break;
    return v;
}

/* {2}, {2,} or {2,3}, the cursor on the brace. */
static struct regex_node *counted(struct regex_parser *p, struct regex_node *body)
{
    uint32_t c = regex_at(p, p->cursor + 1);
    if (!regex_is_digit(c)) {
        p->cursor += 2;
        regex_fail_syntax(p, "Illegal repetition");
        return &p->spare;
    }
    p->cursor += 2;
    int64_t least = read_count(p, &c), most = least;
    if (least <= INT32_MAX && c == ',') {
        c = regex_take(p);
        most = c == '}' ? REGEX_REPEATED_MAX : read_count(p, &c);
    }
    if (least > INT32_MAX || most > INT32_MAX)
        regex_fail_syntax(p, "Illegal repetition range");
    if (c != '}')
        regex_fail_syntax(p, "Unclosed counted closure");
    if (most < least)
        regex_fail_syntax(p, "Illegal repetition range");
    return repeat(p, body, (int32_t)least, (int32_t)most, greed(p, regex_peek(p)));
}

/* What stands behind an atom or a group; itself, where that is nothing. */
static struct regex_node *closure(struct regex_parser *p, struct regex_node *body)
{
    uint32_t c = regex_peek(p);
    if (c == '*' || c == '+')
        return repeat(p, body, c == '+', REGEX_REPEATED_MAX, greed(p, regex_next(p)));
    if (c == '{')
        return counted(p, body);
    if (c != '?')
        return body;
    struct regex_node *n = regex_new_node(p, RN_OPTION);
    n->body = body;
    n->greed = greed(p, regex_next(p));
    return n;
}

/* ---- groups, branches, sequences ---- */

static struct regex_node *expression(struct regex_parser *p, struct regex_node *end);

/* Its head; its tail is p->tail. */
static struct regex_node *new_group(struct regex_parser *p, bool captures)
{
    struct regex_node *head = regex_new_node(p, RN_GROUP_HEAD), *tail = regex_new_node(p, RN_GROUP_TAIL);
    head->begin = tail->begin = p->re->local_count++;
    tail->captures = captures;
    if (captures)
        tail->group = p->re->group_count++;
    p->tail = tail;
    return head;
}

/* Letters behind (?; what is behind a minus is taken away. */
static void read_flags(struct regex_parser *p)
{
    static const struct {
        char letter;
        unsigned flags;
    } letters[] = { { 'i', REGEX_CASE_INSENSITIVE }, { 'm', REGEX_MULTILINE },
                    { 's', REGEX_DOTALL },           { 'd', REGEX_UNIX_LINES },
                    { 'u', REGEX_UNICODE_CASE },     { 'c', REGEX_CANON_EQ },
                    { 'x', REGEX_COMMENTS },         { 'U', REGEX_UNICODE_CLASS | REGEX_UNICODE_CASE } };
    bool minus = false;

    for (uint32_t c = regex_peek(p);; c = regex_next(p)) {
        size_t i = 0;
        if (c == '-' && !minus) {
            minus = true;
            continue;
        }
        while (i < sizeof letters / sizeof *letters && (uint32_t)letters[i].letter != c)
            i++;
        if (i == sizeof letters / sizeof *letters)
            break;
        p->flags = minus ? p->flags & ~letters[i].flags : p->flags | letters[i].flags;
    }
    if (regex_flag(p, REGEX_CANON_EQ))
        regex_fail_unsupported(p, "canonical equivalence");
}

/* A group without a name of its own, whose inside goes up to `)`. */
static struct regex_node *inside(struct regex_parser *p, bool captures)
{
    struct regex_node *head = new_group(p, captures), *tail = p->tail;
    head->next = expression(p, tail);
    p->tail = tail;
    return head;
}

static struct regex_node *look_behind(struct regex_parser *p, bool negative)
{
    uint32_t start = p->cursor;
    size_t loops = p->loops.len;
    struct regex_node *head = inside(p, false), *n;

    p->tail->next = regex_new_node(p, RN_BEHIND_END);
    if (p->failed)
        return &p->spare;
    struct regex_study s = regex_study(p, head, regex_nothing_known);
    if (!s.bounded)
        regex_fail_syntax(p, "Look-behind group does not have an obvious maximum length");
    n = regex_new_node(p, RN_BEHIND);
    n->negative = negative;
    n->body = head;
    n->least = s.least;
    n->most = s.most;
    for (uint32_t i = start; i < p->len && !n->supplementary; i++) { /* Java looks on to the end of the pattern */
        n->supplementary = regex_is_supplementary(p->text[i]);
        if (i % 64 == 0 && !java_spend(p->run, 1))
            regex_stop(p);
    }
    p->loops.len = loops;
    return n;
}

static struct regex_node *named_group(struct regex_parser *p, uint32_t c)
{
    struct regex_name *name = regex_allocate(p, sizeof *name);
    struct slice text = regex_read_name(p, c);
    if (regex_find_name(p->re, text))
        regex_fail_syntax(p, "Named capturing group <%.*s> is already defined", SLICE_ARG(text));
    if (p->failed)
        return &p->spare;
    *name = (struct regex_name){ p->re->names, text, p->re->group_count };
    struct regex_node *head = new_group(p, true), *tail = p->tail;
    p->re->names = name; /* known to what is in the group already */
    head->next = expression(p, tail);
    p->tail = tail;
    return head;
}

/* What begins with (?, the cursor on the question mark: its head, its tail in p->tail. NULL: flags only. */
static struct regex_node *special_group(struct regex_parser *p)
{
    uint32_t c = regex_skip(p);
    struct regex_node *n;

    switch (c) {
    case ':':
        return inside(p, false);
    case '=':
    case '!':
        n = inside(p, false);
        p->tail = regex_new_node(p, RN_AHEAD);
        p->tail->negative = c == '!';
        p->tail->body = n;
        return p->tail;
    case '>':
        n = inside(p, false);
        p->tail = regex_new_node(p, RN_OPTION);
        p->tail->greed = RG_INDEPENDENT;
        p->tail->body = n;
        return p->tail;
    case '<':
        c = regex_take(p);
        if (c != '=' && c != '!')
            return named_group(p, c);
        return p->tail = look_behind(p, c == '!');
    case '$':
    case '@':
        regex_fail_syntax(p, "Unknown group type");
        return &p->spare;
    default:
        p->cursor--;
        read_flags(p);
        c = regex_take(p);
        if (c == ')')
            return NULL;
        if (c != ':')
            regex_fail_syntax(p, "Unknown inline modifier");
        return inside(p, false);
    }
}

/* A group that may be left out: branches of it and of nothing. */
static struct regex_node *optional_group(struct regex_parser *p, struct regex_node *head, struct regex_node *tail,
                                         enum regex_greed how)
{
    struct regex_node *branch = regex_new_node(p, RN_BRANCH), *end = regex_new_node(p, RN_BRANCH_END);
    if (!(branch->branches = regex_allocate(p, 2 * sizeof *branch->branches)))
        return &p->spare;
    branch->branch_count = 2;
    branch->branches[how == RG_LAZY] = head;
    branch->body = end;
    tail->next = end;
    p->tail = end;
    return branch;
}

/* A group that is repeated, greedy or lazy. */
static struct regex_node *repeated_group(struct regex_parser *p, struct regex_node *head, struct regex_node *tail,
                                         const struct regex_node *how)
{
    struct regex_node *n, *prolog;
    bool one_way = regex_study(p, head, regex_nothing_known).single;

    if (p->failed)
        return &p->spare;
    n = regex_new_node(p, one_way ? RN_GROUP : RN_LOOP);
    n->least = how->least;
    n->most = how->most;
    n->greed = how->greed;
    p->tail = n;
    if (one_way) { /* the repetition itself captures */
        n->captures = tail->captures;
        n->group = tail->group;
        n->body = head->next == tail ? &p->accept : head->next;
        tail->op = RN_ACCEPT;
        return n;
    }
    n->body = head;
    n->begin = head->begin;
    n->count = p->re->local_count++;
    tail->next = n;
    if (n->greed == RG_GREEDY && n->most == REGEX_REPEATED_MAX)
        buf_put(&p->loops, &n, sizeof n);
    prolog = regex_new_node(p, RN_PROLOG);
    prolog->body = n;
    return prolog;
}

/* The cursor on its bracket: its head, its tail in p->tail. NULL: flags only. */
static struct regex_node *group(struct regex_parser *p)
{
    unsigned flags = p->flags;
    size_t loops = p->loops.len;
    struct regex_node *head, *tail, *n;

    if (!regex_enter(p))
        return &p->spare;
    head = regex_next(p) == '?' ? special_group(p) : inside(p, true);
    p->depth--;
    if (!head)
        return NULL;
    tail = p->tail;
    if (regex_take(p) != ')')
        regex_fail_syntax(p, "Unclosed group");
    p->flags = flags;
    n = closure(p, head);
    if (p->failed || n == head) {
        p->tail = tail;
        return n;
    }
    if (head == tail) { /* it has no width */
        p->tail = n;
        return n;
    }
    p->loops.len = loops;
    p->tail = n;
    if (n->greed == RG_POSSESSIVE)
        return n;
    return n->op == RN_OPTION ? optional_group(p, head, tail, n->greed) : repeated_group(p, head, tail, n);
}

static struct regex_node *any_but_line_ends(struct regex_parser *p)
{
    size_t first = regex_terms_read(p);
    if (regex_flag(p, REGEX_DOTALL)) {
        regex_put_term(p, (struct regex_term){ RT_RANGE, 0, 0x10ffff, NULL });
    } else {
        regex_put_term(p, (struct regex_term){ RT_RANGE, '\n', '\n', NULL });
        if (!regex_flag(p, REGEX_UNIX_LINES)) {
            regex_put_term(p, (struct regex_term){ RT_RANGE, '\r', '\r', NULL });
            regex_put_operator(p, RT_OR);
            regex_put_term(p, (struct regex_term){ RT_RANGE, 0x85, 0x85, NULL });
            regex_put_operator(p, RT_OR);
            regex_put_term(p, (struct regex_term){ RT_RANGE, 0x2028, 0x2029, NULL });
            regex_put_operator(p, RT_OR);
        }
        regex_put_operator(p, RT_NOT);
    }
    bool pairs = p->re->pairs; /* it has them, but is no reason to search by them */
    struct regex_node *n = regex_class_node(p, first);
    p->re->pairs = pairs;
    return n;
}

/* What is no group, without its repetition. */
static struct regex_node *simple(struct regex_parser *p, uint32_t c)
{
    size_t first = regex_terms_read(p);
    switch (c) {
    case '[':
        regex_read_class(p, true);
        return regex_class_node(p, first);
    case '^':
        regex_next(p);
        return regex_flag(p, REGEX_MULTILINE) ? regex_plain_node(p, RN_CARET) : regex_new_node(p, RN_BEGIN);
    case '$':
        regex_next(p);
        return regex_plain_node(p, RN_DOLLAR);
    case '.':
        regex_next(p);
        return any_but_line_ends(p);
    case '?':
    case '*':
    case '+':
        regex_next(p);
        regex_fail_syntax(p, "Dangling meta character '%c'", (char)c);
        return &p->spare;
    default:
        return atom(p);
    }
}

/* One after the other up to | or ) or the end; its tail in p->tail. end: there is none. */
static struct regex_node *sequence(struct regex_parser *p, struct regex_node *end)
{
    struct regex_node *head = NULL, *tail = NULL, *n;

    while (!p->failed) {
        uint32_t c = regex_peek(p);
        if (c == '|' || c == ')' || (!c && p->cursor >= p->len))
            break;
        if (c == '(') {
            if (!(n = group(p)))
                continue;
        } else {
            n = closure(p, simple(p, c));
            p->tail = n;
        }
        if (head)
            tail->next = n;
        else
            head = n;
        tail = p->tail;
    }
    if (!head || p->failed)
        return end;
    tail->next = end;
    p->tail = tail;
    return head;
}

/* Sequences with | between. */
static struct regex_node *expression(struct regex_parser *p, struct regex_node *end)
{
    struct regex_node *first = sequence(p, end), *tail = p->tail, *branch, *join;
    struct buf branches;
    void *none = NULL;

    if (regex_peek(p) != '|' || p->failed)
        return first;
    branch = regex_new_node(p, RN_BRANCH);
    join = regex_new_node(p, RN_BRANCH_END);
    join->next = end;
    branch->body = join;
    buf_init(&branches, p->run->ctx->arena);
    for (;;) {
        if (first != end)
            tail->next = join;
        buf_put(&branches, first == end ? &none : (void *)&first, sizeof first);
        branch->branch_count++;
        if (p->failed || regex_peek(p) != '|')
            break;
        regex_next(p);
        first = sequence(p, end);
        tail = p->tail;
    }
    if (branches.failed || !java_charge(p->run, branches.len))
        regex_stop(p);
    branch->branches = (struct regex_node **)(void *)branches.data;
    return branch;
}

/* ---- the whole ---- */

bool regex_syntax_error(struct java_run *run, struct java_object *what, const struct java_object *pattern,
                        int32_t index, struct java_object **out)
{
    struct java_object *o = java_new(run, J_PATTERN_SYNTAX);
    struct buf text;
    char where[40] = "\n";

    if (!o)
        return false;
    buf_init(&text, run->ctx->arena);
    if (index >= 0)
        snprintf(where, sizeof where, " near index %d\n", index);
    if (!java_print(run, &text, what))
        return false;
    java_put_ascii(&text, where, strlen(where));
    if (!java_print(run, &text, pattern))
        return false;
    if (index >= 0 && pattern && (uint32_t)index < pattern->string.len) {
        java_put_ascii(&text, "\n", 1);
        for (int32_t i = 0; i < index; i++)
            java_put_ascii(&text, pattern->string.units[i] == '\t' ? "\t" : " ", 1);
        java_put_ascii(&text, "^", 1);
    }
    if (!java_ok(run, text.failed ? fail_nomem(run->ctx) : WR_OK) ||
        !java_string(run, (const uint16_t *)(const void *)text.data, text.len / sizeof(uint16_t), &o->thrown.message))
        return false;
    o->thrown.description = what;
    o->thrown.pattern_text = (struct java_object *)pattern;
    o->thrown.index = index;
    *out = o;
    return true;
}

static bool throw_syntax(struct regex_parser *p)
{
    struct java_object *what, *o;
    struct buf text;

    buf_init(&text, p->run->ctx->arena);
    java_put_ascii(&text, p->error, strlen(p->error));
    for (size_t i = 0; i < text.len / sizeof(uint16_t); i++) {
        uint16_t *unit = (uint16_t *)(void *)text.data + i;
        *unit = *unit == REGEX_NO_NAME ? 0 : *unit;
    }
    if (!java_ok(p->run, text.failed ? fail_nomem(p->run->ctx) : WR_OK) ||
        !java_string(p->run, (const uint16_t *)(const void *)text.data, text.len / sizeof(uint16_t), &what) ||
        !regex_syntax_error(p->run, what, p->re->pattern, p->error_at, &o))
        return false;
    p->run->thrown = o;
    return false;
}

static void read_text(struct regex_parser *p, const struct java_object *pattern)
{
    uint32_t len = pattern->string.len;
    p->room = len + 2;
    if (!(p->text = regex_allocate(p, p->room * sizeof *p->text)))
        return;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t c = pattern->string.units[i];
        if ((c & 0xfc00) == 0xd800 && i + 1 < len && (pattern->string.units[i + 1] & 0xfc00) == 0xdc00)
            c = 0x10000 + ((c & 0x3ff) << 10) + (pattern->string.units[++i] & 0x3ffu);
        p->re->pairs |= regex_is_supplementary(c);
        p->text[p->len++] = c;
    }
}

/* Loops that no repetition is around need not try a place twice where nothing refers to a group. */
static void give_memories(struct regex_parser *p)
{
    struct regex_node **loops = (struct regex_node **)(void *)p->loops.data;
    for (size_t i = 0; i < p->loops.len / sizeof *loops && !p->referring; i++)
        loops[i]->memory = (int32_t)p->re->memory_count++;
}

bool regex_compile(struct java_run *run, const struct java_object *pattern, unsigned flags, struct regex **out)
{
    struct regex_parser *p = java_alloc(run, sizeof *p); /* the graph points to its accept */
    struct regex *re = java_alloc(run, sizeof *re);
    struct regex_node *last;

    if (!p || !re)
        return false;
    if (flags & REGEX_UNICODE_CLASS)
        flags |= REGEX_UNICODE_CASE;
    *re = (struct regex){ .pattern = pattern, .group_count = 1 };
    p->run = run;
    p->depth_most = thread_levels(REGEX_DEPTH_MAX, REGEX_LEVEL_BYTES);
    p->re = re;
    p->flags = flags;
    p->accept.op = RN_ACCEPT;
    buf_init(&p->terms, run->ctx->arena);
    buf_init(&p->loops, run->ctx->arena);
    read_text(p, pattern);
    if (regex_flag(p, REGEX_CANON_EQ))
        regex_fail_unsupported(p, "canonical equivalence");
    if (!regex_flag(p, REGEX_LITERAL))
        regex_unquote(p);
    last = regex_new_node(p, RN_LAST);
    if (regex_flag(p, REGEX_LITERAL)) {
        struct buf all;
        buf_init(&all, run->ctx->arena);
        buf_put(&all, p->text, p->failed ? 0 : p->len * sizeof *p->text);
        re->first = slice_node(p, &all);
        re->first->next = last;
    } else {
        re->first = expression(p, last);
        if (p->cursor != p->len)
            regex_fail_syntax(p, regex_peek(p) == ')' ? "Unmatched closing ')'" : "Unexpected internal error");
    }
    give_memories(p);
    re->least = regex_study(p, re->first, regex_nothing_known).least;
    re->flags = p->flags;
    re->given = flags;
    *out = re;
    if (p->error[0])
        return throw_syntax(p);
    if (p->terms.failed || p->loops.failed)
        return java_ok(run, fail_nomem(run->ctx));
    return !p->failed;
}
