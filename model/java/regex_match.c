/*
 * A graph is walked over a text. What is left to try lies on a stack of frames, and with it what has to be put back
 * before that. What is matched within a node (struct regex_node's body) ends in RN_ACCEPT: it is done then, and what is
 * above its frame is dropped, so nothing in it is tried again and its captures stay.
 */
#include "model/java/regex.h"

enum frame_kind {
    RF_TRY,     /* go on at node from place */
    RF_BRANCH,  /* the branch at of node */
    RF_CLASS,   /* a repeated class: one character less */
    RF_GROUP,   /* one turn of RN_GROUP: without it, from place; a and b are what its group was */
    RF_MORE,    /* one turn more of what is lazy */
    RF_LOOP,    /* the turns of a loop that failed */
    RF_CAPTURE, /* group at was from a to b */
    RF_LOCAL,   /* local at was a */
    RF_WITHIN,  /* what is matched within node began here */
};

struct regex_frame {
    const struct regex_node *node;
    int32_t place, at, a, b;
    uint32_t outer;    /* WITHIN: the frame around */
    int32_t behind_to; /* WITHIN: where the look behind around it ends */
    enum frame_kind kind;
};

struct walk {
    struct java_run *run;
    struct regex_matcher *m;
    const struct regex_node *node; /* NULL: done */
    int32_t place;
    int32_t behind_to;
    uint32_t within; /* 1 + the frame of what we are in; 0: of none */
    uint32_t steps;
    bool whole, found;
};

enum { STEPS_AT_ONCE = 64 };

/* ---- frames ---- */

static struct regex_frame *push(struct walk *w, enum frame_kind kind, const struct regex_node *node, int32_t place)
{
    struct regex_matcher *m = w->m;
    if (m->depth == m->room) {
        uint32_t room = m->room ? 2 * m->room : 64;
        struct regex_frame *stack = java_alloc(w->run, room * sizeof *stack);
        if (!stack)
            return NULL;
        if (m->depth)
            memcpy(stack, m->stack, m->depth * sizeof *stack);
        m->stack = stack;
        m->room = room;
    }
    struct regex_frame *f = &m->stack[m->depth++];
    *f = (struct regex_frame){ .kind = kind, .node = node, .place = place };
    return f;
}

static bool set_local(struct walk *w, uint32_t local, int32_t value)
{
    struct regex_frame *f = push(w, RF_LOCAL, NULL, 0);
    if (!f)
        return false;
    f->at = (int32_t)local;
    f->a = w->m->locals[local];
    w->m->locals[local] = value;
    return true;
}

static bool keep_group(struct walk *w, uint32_t group)
{
    struct regex_frame *f = push(w, RF_CAPTURE, NULL, 0);
    if (!f)
        return false;
    f->at = (int32_t)group;
    f->a = w->m->groups[2 * group];
    f->b = w->m->groups[2 * group + 1];
    return true;
}

static void set_group(struct walk *w, uint32_t group, int32_t from, int32_t to)
{
    w->m->groups[2 * group] = from;
    w->m->groups[2 * group + 1] = to;
}

static void go(struct walk *w, const struct regex_node *node, int32_t place)
{
    w->node = node;
    w->place = place;
}

static bool try_later(struct walk *w, const struct regex_node *node, int32_t place)
{
    return push(w, RF_TRY, node, place) != NULL;
}

/* ---- places that a loop failed from ---- */

static bool has_failed(const struct walk *w, const struct regex_node *loop, int32_t place)
{
    return loop->memory >= 0 && w->m->failed[loop->memory][place / 64] >> place % 64 & 1;
}

static void mark_failed(struct walk *w, const struct regex_node *loop, int32_t place)
{
    if (loop->memory >= 0)
        w->m->failed[loop->memory][place / 64] |= UINT64_C(1) << place % 64;
}

/* ---- what is matched within a node ---- */

static bool finish_within(struct walk *w, struct regex_frame f, bool matched, int32_t end);
static void backtrack(struct walk *w);

/* node's body from w->place on: f says what for. */
static bool begin_within(struct walk *w, struct regex_frame f)
{
    struct regex_frame *pushed;

    f.kind = RF_WITHIN;
    f.outer = w->within;
    f.behind_to = w->behind_to;
    if (!(pushed = push(w, RF_WITHIN, f.node, f.place)))
        return false;
    *pushed = f;
    w->within = w->m->depth;
    if (f.node->op == RN_BEHIND)
        w->behind_to = f.place;
    go(w, f.node->body, w->place);
    return true;
}

/* A repetition at w->place has gone round f.at times; more of it, or what is behind it. */
static bool go_round(struct walk *w, const struct regex_node *node, int32_t turns)
{
    struct regex_frame f = { .node = node, .place = w->place, .at = turns };

    if (turns < node->least)
        return begin_within(w, f);
    if (node->greed == RG_LAZY) {
        struct regex_frame *later = push(w, RF_MORE, node, w->place);
        if (!later)
            return false;
        later->at = turns;
        go(w, node->next, w->place);
        return true;
    }
    if (turns < node->most)
        return begin_within(w, f);
    go(w, node->next, w->place);
    return true;
}

static bool repeat_turned(struct walk *w, const struct regex_frame *f, bool matched, int32_t end)
{
    const struct regex_node *node = f->node;
    bool captures = node->op == RN_GROUP && node->captures;
    uint32_t group = 2 * node->group;

    if (!matched && (f->at < node->least || node->greed == RG_LAZY)) {
        backtrack(w);
        return true;
    }
    if (f->at < node->least) {
        if (captures)
            set_group(w, node->group, f->place, end);
        w->place = end;
        return go_round(w, node, f->at + 1);
    }
    if (node->greed == RG_LAZY) {
        if (end == f->place) {
            backtrack(w);
            return true;
        }
        if (captures)
            set_group(w, node->group, f->place, end);
        w->place = end;
        return go_round(w, node, f->at + 1);
    }
    if (!matched || end == f->place) {
        go(w, node->next, f->place);
        return true;
    }
    if (node->greed == RG_GREEDY) {
        struct regex_frame *turn = push(w, node->op == RN_GROUP ? RF_GROUP : RF_TRY, node->next, f->place);
        if (!turn)
            return false;
        if (node->op == RN_GROUP) {
            turn->node = node;
            turn->at = f->at - node->least;
            turn->a = w->m->groups[group];
            turn->b = w->m->groups[group + 1];
            turn->outer = (uint32_t)end;
            if (captures)
                set_group(w, node->group, f->place, end);
        }
    }
    w->place = end;
    return go_round(w, node, f->at + 1);
}

/* From one of the places where a look behind may begin. */
static bool look_behind_from(struct walk *w, struct regex_frame f)
{
    int32_t len = 1;
    if (f.b >= f.a) {
        w->place = f.b;
        if (f.node->supplementary && f.b > f.a)
            (void)regex_character_before(w->m, f.b, &len);
        f.b -= len;
        return begin_within(w, f);
    }
    if (f.node->negative)
        go(w, f.node->next, f.place);
    else
        backtrack(w);
    return true;
}

static bool look_behind(struct walk *w, const struct regex_node *node)
{
    struct regex_frame f = { .node = node, .place = w->place };
    int64_t first = (int64_t)w->place - node->least, last = (int32_t)(uint32_t)(w->place - (int64_t)node->most);
    int32_t len;

    if (node->supplementary) { /* its widths are of characters, and end where the text begins */
        first = last = w->place;
        for (int32_t n = 0; n < node->least && first > 0; n++, first -= len)
            (void)regex_character_before(w->m, (int32_t)first, &len);
        for (int32_t n = 0; n < node->most && last > 0; n++, last -= len)
            (void)regex_character_before(w->m, (int32_t)last, &len);
    }
    f.a = last > w->m->from ? (int32_t)last : w->m->from;
    first = first > w->place ? w->place : first; /* a least width that wrapped round */
    f.b = first >= w->m->from ? (int32_t)first : w->m->from - 1;
    return look_behind_from(w, f);
}

/* What began with f is over: matched up to end, or not at all. */
static bool finish_within(struct walk *w, struct regex_frame f, bool matched, int32_t end)
{
    const struct regex_node *node = f.node;

    switch (node->op) {
    case RN_REPEAT:
    case RN_GROUP:
        return repeat_turned(w, &f, matched, end);
    case RN_AHEAD:
        if (matched != node->negative)
            go(w, node->next, f.place);
        else
            backtrack(w);
        return true;
    case RN_BEHIND:
        if (!matched)
            return look_behind_from(w, f);
        if (node->negative)
            backtrack(w);
        else
            go(w, node->next, f.place);
        return true;
    default: /* RN_OPTION */
        if (!matched && node->greed != RG_POSSESSIVE) {
            backtrack(w); /* greedy: what is without it lies on the stack */
            return true;
        }
        go(w, node->next, matched ? end : f.place);
        return true;
    }
}

static bool option(struct walk *w, const struct regex_node *node)
{
    struct regex_frame f = { .node = node, .place = w->place };
    if (node->greed == RG_GREEDY && !try_later(w, node->next, w->place))
        return false;
    if (node->greed != RG_LAZY)
        return begin_within(w, f);
    if (!push(w, RF_MORE, node, w->place))
        return false;
    go(w, node->next, w->place);
    return true;
}

static bool is_class(const struct regex_node *body)
{
    return body->op == RN_CLASS && body->next->op == RN_ACCEPT;
}

/* A repeated class whose turns are all of it and need no frame each. */
static bool repeat_class(struct walk *w, const struct regex_node *node)
{
    int32_t n = 0, i = w->place, after;

    while (n < node->most && (after = regex_take_class(w->m, node->body, i)) >= 0) {
        i = after;
        n++;
        if (n % STEPS_AT_ONCE == 0 && !java_spend(w->run, STEPS_AT_ONCE))
            return false;
    }
    if (n && (node->op == RN_GROUP || node->greed != RG_GREEDY || node->most != REGEX_REPEATED_MAX))
        w->m->last = i;
    if (n < node->least) {
        backtrack(w);
        return true;
    }
    if (node->greed == RG_GREEDY && n > node->least) {
        struct regex_frame *f = push(w, RF_CLASS, node, i);
        if (!f)
            return false;
        f->at = n;
    }
    go(w, node->next, i);
    return true;
}

/* ---- loops ---- */

static bool begin_loop(struct walk *w, const struct regex_node *loop)
{
    int32_t i = w->place;
    if (!set_local(w, loop->count, w->m->locals[loop->count]))
        return false;
    if (loop->least > 0 || (loop->most > 0 && loop->greed == RG_GREEDY)) {
        if (!loop->least && !try_later(w, loop->next, i))
            return false;
        w->m->locals[loop->count] = 1;
        go(w, loop->body, i);
        return true;
    }
    if (loop->most > 0) {
        struct regex_frame *f = push(w, RF_MORE, loop, i);
        if (!f)
            return false;
        f->at = 0;
    }
    go(w, loop->next, i);
    return true;
}

static bool go_on_loop(struct walk *w, const struct regex_node *loop)
{
    struct regex_frame *f;
    int32_t i = w->place, count = w->m->locals[loop->count];

    if (i <= w->m->locals[loop->begin]) { /* a turn of no width is the last */
        go(w, loop->next, i);
        return true;
    }
    if (count < loop->least) {
        go(w, loop->body, i);
        return set_local(w, loop->count, count + 1);
    }
    if (count >= loop->most || (loop->greed == RG_GREEDY && has_failed(w, loop, i))) {
        go(w, loop->next, i);
        return true;
    }
    if (!(f = push(w, loop->greed == RG_LAZY ? RF_MORE : RF_LOOP, loop, i)))
        return false;
    f->at = count;
    if (loop->greed == RG_LAZY) {
        go(w, loop->next, i);
        return true;
    }
    w->m->locals[loop->count] = count + 1;
    go(w, loop->body, i);
    return true;
}

/* ---- trying something else ---- */

static void backtrack(struct walk *w)
{
    w->node = NULL;
}

/* What a frame that is left behind a match does to captures: a repeated group's are of the turn that it is at. */
static void close_frames(struct walk *w, uint32_t down_to)
{
    for (uint32_t i = w->m->depth; i-- > down_to;) {
        const struct regex_frame *f = &w->m->stack[i];
        if (f->kind != RF_GROUP)
            continue;
        if (f->node->captures)
            set_group(w, f->node->group, f->place, (int32_t)f->outer);
        i -= (uint32_t)f->at; /* its turns before */
    }
    w->m->depth = down_to;
}

/* The latest branch of many: NULL in it is what is behind them. */
static void take_branch(struct walk *w, const struct regex_node *node, uint32_t at, int32_t place)
{
    go(w, node->branches[at] ? node->branches[at] : node->body->next, place);
}

static bool resume_more(struct walk *w, const struct regex_frame *f)
{
    const struct regex_node *node = f->node;
    struct regex_frame within = { .node = node, .place = f->place, .at = f->at };

    if (node->op == RN_LOOP) {
        go(w, node->body, f->place);
        return set_local(w, node->count, f->at + 1);
    }
    w->place = f->place;
    if (node->op != RN_OPTION && f->at >= node->most)
        return true; /* no node: goes on trying */
    return begin_within(w, within);
}

/* The topmost frame is taken off and gone on with; false: thrown. None: w->node stays NULL, w->found false. */
static bool resume(struct walk *w)
{
    struct regex_matcher *m = w->m;
    struct regex_frame f = m->stack[--m->depth];
    int32_t len;

    switch (f.kind) {
    case RF_TRY:
        go(w, f.node, f.place);
        return true;
    case RF_BRANCH:
        if ((uint32_t)f.at + 1 < f.node->branch_count) {
            m->stack[m->depth].at++;
            m->depth++;
        }
        take_branch(w, f.node, (uint32_t)f.at, f.place);
        return true;
    case RF_CLASS:
        (void)regex_character_before(w->m, f.place, &len);
        f.place -= len;
        if (--f.at > f.node->least)
            m->stack[m->depth++] = f;
        go(w, f.node->next, f.place);
        return true;
    case RF_GROUP:
        if (f.node->captures)
            set_group(w, f.node->group, f.a, f.b);
        go(w, f.node->next, f.place);
        return true;
    case RF_MORE:
        return resume_more(w, &f);
    case RF_LOOP:
        m->locals[f.node->count] = f.at;
        mark_failed(w, f.node, f.place);
        go(w, f.node->next, f.place);
        return true;
    case RF_CAPTURE:
        set_group(w, (uint32_t)f.at, f.a, f.b);
        return true;
    case RF_LOCAL:
        m->locals[f.at] = f.a;
        return true;
    case RF_WITHIN:
        w->within = f.outer;
        w->behind_to = f.behind_to;
        return finish_within(w, f, false, 0);
    }
    return true;
}

/* What is within a node matches up to here. */
static bool accept(struct walk *w)
{
    int32_t end = w->place;
    uint32_t at = w->within - 1;
    struct regex_frame f = w->m->stack[at];

    close_frames(w, at);
    w->within = f.outer;
    w->behind_to = f.behind_to;
    return finish_within(w, f, true, end);
}

/* ---- the walk ---- */

static bool begin_group(struct walk *w, const struct regex_node *node)
{
    if (node->captures && !keep_group(w, node->group))
        return false;
    return is_class(node->body) && !node->captures && node->greed != RG_LAZY ? repeat_class(w, node)
                                                                             : go_round(w, node, 0);
}

static bool step(struct walk *w)
{
    const struct regex_node *node = w->node;
    int32_t i = w->place;
    struct regex_frame *f;

    switch (node->op) {
    case RN_ACCEPT:
        w->m->last = i; /* where the next search begins, should the match as a whole fail */
        return accept(w);
    case RN_LAST:
        if (w->whole && i != w->m->to) {
            backtrack(w);
            return true;
        }
        w->m->last = i;
        w->found = true;
        return true;
    case RN_CLASS:
        i = regex_take_class(w->m, node, i);
        break;
    case RN_SLICE:
        i = regex_take_slice(w->m, node, i);
        break;
    case RN_REFERENCE:
        i = regex_take_reference(w->m, node, i);
        break;
    case RN_BEGIN:
    case RN_END:
    case RN_CARET:
    case RN_DOLLAR:
    case RN_BOUND:
    case RN_LAST_MATCH:
        i = regex_holds(w->m, node, i) ? i : -1;
        break;
    case RN_BEHIND_END:
        if (i == w->behind_to)
            return accept(w);
        i = -1;
        break;
    case RN_LINE_ENDING:
        if (i >= w->m->to || !(regex_is_line_end(w->m->units[i]) || w->m->units[i] == '\v' || w->m->units[i] == '\f')) {
            i = -1;
            break;
        }
        if (w->m->units[i] == '\r' && i + 1 < w->m->to && w->m->units[i + 1] == '\n') {
            if (!try_later(w, node->next, i + 1))
                return false;
            i++;
        }
        i++;
        break;
    case RN_GROUP_HEAD:
        if (!set_local(w, node->begin, i))
            return false;
        break;
    case RN_GROUP_TAIL:
        if (node->captures) {
            if (!keep_group(w, node->group))
                return false;
            set_group(w, node->group, w->m->locals[node->begin], i);
        }
        break;
    case RN_BRANCH:
        if (!(f = push(w, RF_BRANCH, node, i)))
            return false;
        f->at = 1;
        take_branch(w, node, 0, i);
        return true;
    case RN_BRANCH_END:
        break;
    case RN_OPTION:
        return option(w, node);
    case RN_REPEAT:
        return is_class(node->body) && node->greed != RG_LAZY ? repeat_class(w, node) : go_round(w, node, 0);
    case RN_GROUP:
        return begin_group(w, node);
    case RN_PROLOG:
        return begin_loop(w, node->body);
    case RN_LOOP:
        return go_on_loop(w, node);
    case RN_AHEAD:
        return begin_within(w, (struct regex_frame){ .node = node, .place = i });
    case RN_BEHIND:
        return look_behind(w, node);
    }
    if (i < 0)
        backtrack(w);
    else
        go(w, node->next, i);
    return true;
}

static bool walk(struct walk *w)
{
    w->m->depth = 0;
    while (!w->found) {
        if (++w->steps % STEPS_AT_ONCE == 0 && !java_spend(w->run, STEPS_AT_ONCE))
            return false;
        if (w->node) {
            if (!step(w))
                return false;
        } else if (!w->m->depth) {
            return true;
        } else if (!resume(w)) {
            return false;
        }
    }
    close_frames(w, 0);
    return true;
}

bool regex_walk(struct java_run *run, struct regex_matcher *m, int32_t place, bool whole, bool *found)
{
    struct walk w = { .run = run, .m = m, .node = m->regex->first, .place = place, .whole = whole };
    bool done = walk(&w);
    *found = w.found;
    return done;
}
