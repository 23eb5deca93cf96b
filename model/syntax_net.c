#include "model/syntax_net.h"

#include "model/syntax_rules.h"

/* ---- from text to states ---- */

enum { STATES_MAX = 4096, FORKS_MAX = 1024, ALTERNATIVES_MAX = 2048, SETS_MAX = 64, RULES_MAX = 256 };

struct compiler {
    struct net *net;
    struct slice rest; /* of the rule's text */
};

static struct slice next_word(struct compiler *c)
{
    size_t n = 0;
    while (c->rest.len && c->rest.data[0] == ' ')
        c->rest = slice_skip(c->rest, 1);
    while (n < c->rest.len && c->rest.data[n] != ' ')
        n++;
    struct slice word = slice_of(c->rest.data, n);
    c->rest = slice_skip(c->rest, n);
    return word;
}

static struct slice peek_word(struct compiler *c)
{
    struct slice rest = c->rest, word = next_word(c);
    c->rest = rest;
    return word;
}

static uint16_t new_state(struct net *net, enum state_kind kind, uint32_t what)
{
    net->states[net->state_count] = (struct net_state){ .kind = (uint8_t)kind, .what = (uint16_t)what };
    return (uint16_t)net->state_count++;
}

static uint16_t find_rule(const struct net *net, struct slice name)
{
    for (uint32_t i = 0; i < net->rule_count; i++)
        if (slice_eq(net->rules[i].name, name))
            return (uint16_t)i;
    return 0;
}

static enum lex_kind find_kind(struct slice name)
{
    static const char *const marks[] = {
#define LEX_MARK(name, text) #name,
        LEX_MARKS(LEX_MARK)
#undef LEX_MARK
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (slice_eq_str(name, marks[i]))
            return (enum lex_kind)i;
    return lex_word(name);
}

static void set_add(struct token_set *set, uint32_t kind)
{
    set->bits[kind / 64] |= UINT64_C(1) << (kind % 64);
}

static uint16_t set_of_class(struct net *net, struct slice name)
{
    static const char *const names[] = { [WORD_FREE] = "@free", [WORD_NATIVE] = "@native", [WORD_SPECIAL] = "@special" };
    struct token_set *set = &net->sets[net->set_count];
    for (uint32_t kind = 0; kind < LEX_ERROR; kind++) {
        enum word_class class = lex_class((enum lex_kind)kind);
        if (class > WORD_RESERVED && slice_eq_str(name, names[class]))
            set_add(set, kind);
    }
    return (uint16_t)net->set_count++;
}

static uint16_t set_of_words(struct compiler *c, struct slice word)
{
    struct token_set *set = &c->net->sets[c->net->set_count];
    for (bool last = false; !last; word = last ? word : next_word(c)) {
        if (word.data[0] == '<')
            word = slice_skip(word, 1);
        last = word.data[word.len - 1] == '>';
        set_add(set, find_kind(slice_of(word.data, word.len - last)));
    }
    return (uint16_t)c->net->set_count++;
}

/* A piece of the network: entered at `first`, left through `last`, whose next is still open. */
struct net_piece {
    uint16_t first, last;
};

static struct net_piece compile_choice(struct compiler *c);

static struct net_piece one_state(struct net *net, enum state_kind kind, uint32_t what)
{
    uint16_t state = new_state(net, kind, what);
    return (struct net_piece){ state, state };
}

/* x? and x*, strict or not. */
static struct net_piece repeat(struct net *net, struct net_piece piece, bool loop, bool table)
{
    uint16_t fork = (uint16_t)net->fork_count++, entry = new_state(net, STATE_FORK, fork), end = new_state(net, STATE_PASS, 0);
    struct net_fork *f = &net->forks[fork];
    struct net_state *last = &net->states[piece.last];

    *f = (struct net_fork){ .passable = true, .table = table };
    if (net->states[piece.first].kind == STATE_FORK && !net->forks[net->states[piece.first].what].passable) {
        /* ( a | b )*: one decision over a, b and the way past them */
        const struct net_fork *inner = &net->forks[net->states[piece.first].what];
        f->first = (uint16_t)net->alternative_count;
        f->count = (uint16_t)(inner->count + 1);
        f->guarded = inner->guarded;
        for (uint32_t i = 0; i < inner->count; i++)
            net->alternatives[net->alternative_count++] = net->alternatives[inner->first + i];
    } else {
        f->first = (uint16_t)net->alternative_count;
        f->count = 2;
        net->alternatives[net->alternative_count++] = (struct net_alternative){ piece.first, 0 };
    }
    net->alternatives[net->alternative_count++] = (struct net_alternative){ end, 0 };
    last->next = loop ? entry : end;
    return (struct net_piece){ entry, end };
}

static struct net_piece compile_one(struct compiler *c)
{
    struct slice word = next_word(c);
    struct net *net = c->net;
    struct net_piece piece;
    bool table, loop, optional, group = word.data[0] == '(';

    if (group) {
        piece = compile_choice(c);
        word = next_word(c); /* the closing one, with what is tied to it */
    }
    table = word.data[word.len - 1] == '!';
    word.len -= table;
    loop = word.data[word.len - 1] == '*';
    optional = word.data[word.len - 1] == '?';
    word.len -= loop || optional;
    if (group && table && !loop && !optional) {
        net->forks[net->states[piece.first].what].table = true;
    } else if (!group) {
        if (word.data[0] == '<')
            piece = one_state(net, STATE_SET, set_of_words(c, word));
        else if (word.data[0] == '@')
            piece = one_state(net, STATE_CLASS, set_of_class(net, word));
        else if (word.data[0] >= 'A' && word.data[0] <= 'Z')
            piece = one_state(net, STATE_TOKEN, find_kind(word));
        else
            piece = one_state(net, STATE_CALL, find_rule(net, word));
    }
    return loop || optional ? repeat(net, piece, loop, table) : piece;
}

static bool ends_sequence(struct slice word)
{
    return word.len == 0 || word.data[0] == '|' || word.data[0] == ')';
}

static struct net_piece compile_sequence(struct compiler *c)
{
    struct net_piece whole = one_state(c->net, STATE_PASS, 0);
    while (!ends_sequence(peek_word(c))) {
        struct net_piece piece = compile_one(c);
        c->net->states[whole.last].next = piece.first;
        whole.last = piece.last;
    }
    return whole;
}

/* Alternatives up to a closing bracket or the end; a sequence alone makes no fork. Recursion is as deep as the
 * brackets of our own rules. */
static struct net_piece compile_choice(struct compiler *c)
{
    struct net_alternative found[64];
    struct net *net = c->net;
    uint16_t end = new_state(net, STATE_PASS, 0), count = 0;
    uint64_t guarded = 0;
    bool more = true;

    while (more) {
        struct slice word = peek_word(c);
        uint16_t guard = GUARD_NONE;
        if (word.len && word.data[0] == '{') {
            next_word(c);
            guard = word.len == 2 ? GUARD_OPEN : find_rule(net, slice_of(word.data + 1, word.len - 2));
            guarded |= UINT64_C(1) << count;
        }
        struct net_piece piece = compile_sequence(c);
        net->states[piece.last].next = end;
        found[count++] = (struct net_alternative){ piece.first, guard };
        more = peek_word(c).len && peek_word(c).data[0] == '|';
        if (more)
            next_word(c);
    }
    if (count == 1 && !guarded)
        return (struct net_piece){ found[0].state, end };
    uint16_t fork = (uint16_t)net->fork_count++;
    net->forks[fork] = (struct net_fork){ .count = count, .first = (uint16_t)net->alternative_count, .guarded = guarded };
    for (uint32_t i = 0; i < count; i++)
        net->alternatives[net->alternative_count++] = found[i];
    return (struct net_piece){ new_state(net, STATE_FORK, fork), end };
}

static void name_rules(struct net *net)
{
    for (; syntax_rules[net->rule_count]; net->rule_count++) {
        struct slice text = slice_str(syntax_rules[net->rule_count]);
        const uint8_t *colon = memchr(text.data, ':', text.len);
        net->rules[net->rule_count].name = slice_of(text.data, (size_t)(colon - text.data) - (colon[-1] == '!'));
    }
}

enum wr_status net_init(struct ctx *ctx, struct net *net)
{
    *net = (struct net){ .ctx = ctx };
    net->states = NEW_ARRAY(ctx, struct net_state, STATES_MAX);
    net->forks = NEW_ARRAY(ctx, struct net_fork, FORKS_MAX);
    net->alternatives = NEW_ARRAY(ctx, struct net_alternative, ALTERNATIVES_MAX);
    net->sets = NEW_ARRAY(ctx, struct token_set, SETS_MAX);
    net->rules = NEW_ARRAY(ctx, struct net_rule, RULES_MAX);
    if (!net->states || !net->forks || !net->alternatives || !net->sets || !net->rules)
        return WR_NOMEM;
    new_state(net, STATE_PASS, 0); /* so that no state in use is 0 */
    name_rules(net);
    for (uint32_t r = 0; r < net->rule_count; r++) {
        const char *body = strchr(syntax_rules[r], ':') + 1;
        struct compiler c = { net, slice_str(body) };
        struct net_piece piece = compile_choice(&c);
        if (body[-2] == '!')
            net->forks[net->states[piece.first].what].table = true;
        net->states[piece.last].next = new_state(net, STATE_RETURN, r);
        net->rules[r].start = piece.first;
        if (r == 0)
            net->request_states = net->state_count;
    }
    for (uint32_t s = 0; s < net->state_count; s++) {
        if (net->states[s].kind != STATE_CALL)
            continue;
        struct net_rule *rule = &net->rules[net->states[s].what];
        net->states[s].next_caller = rule->first_caller;
        rule->first_caller = (uint16_t)s;
    }
    net->known = ctx_alloc(ctx, (size_t)net->fork_count * (LEX_ERROR + 1));
    return net->known ? WR_OK : WR_NOMEM;
}

/* ---- looking ahead ---- */

bool net_set_has(const struct net *net, const struct net_state *state, enum lex_kind kind)
{
    if (state->kind == STATE_TOKEN)
        return state->what == kind;
    return net->sets[state->what].bits[kind / 64] >> (kind % 64) & 1;
}

/* Where to return to, one inside the other; made once for each, so that equal stacks are one pointer. */
struct frame {
    struct frame *up, *children, *sibling;
    uint16_t to;
};

/* One thing the parser may be doing, if it took that alternative. */
struct config {
    const struct frame *stack; /* NULL: whoever called */
    uint16_t state, alternative;
};

struct configs {
    struct config *at;
    uint32_t count, room;
    uint32_t *table; /* open addressing over at, entries plus 1 */
    uint32_t table_size;
};

struct prediction {
    struct net *net;
    struct frame root;
    struct configs now, then;
    bool table; /* the fork's */
    bool nomem;
};

static struct frame *push_frame(struct prediction *p, const struct frame *up, uint16_t to)
{
    struct frame *parent = up ? (struct frame *)(uintptr_t)up : &p->root; /* interned frames are ours to link */
    for (struct frame *f = parent->children; f; f = f->sibling)
        if (f->to == to)
            return f;
    struct frame *frame = NEW(p->net->ctx, struct frame);
    if (!frame) {
        p->nomem = true;
        return NULL;
    }
    *frame = (struct frame){ .up = up ? parent : NULL, .sibling = parent->children, .to = to };
    parent->children = frame;
    return frame;
}

static size_t config_hash(struct config c)
{
    size_t h = (size_t)(uintptr_t)c.stack >> 4;
    return (h * 31 + c.state) * 64 + c.alternative;
}

static bool configs_grow(struct prediction *p, struct configs *set)
{
    uint32_t room = set->room ? set->room * 2 : 256;
    struct config *at = NEW_ARRAY(p->net->ctx, struct config, room);
    uint32_t *table = NEW_ARRAY(p->net->ctx, uint32_t, (size_t)room * 2);
    if (!at || !table) {
        p->nomem = true;
        return false;
    }
    if (set->count)
        memcpy(at, set->at, set->count * sizeof *at);
    *set = (struct configs){ at, set->count, room, table, room * 2 };
    for (uint32_t i = 0; i < set->count; i++) {
        size_t slot = config_hash(at[i]) % set->table_size;
        while (table[slot])
            slot = (slot + 1) % set->table_size;
        table[slot] = i + 1;
    }
    return true;
}

static void configs_clear(struct configs *set)
{
    set->count = 0;
    if (set->table)
        memset(set->table, 0, set->table_size * sizeof *set->table);
}

static void configs_add(struct prediction *p, struct configs *set, struct config c)
{
    if (set->count == set->room && !configs_grow(p, set))
        return;
    size_t slot = config_hash(c) % set->table_size;
    for (; set->table[slot]; slot = (slot + 1) % set->table_size) {
        const struct config *have = &set->at[set->table[slot] - 1];
        if (have->state == c.state && have->stack == c.stack && have->alternative == c.alternative)
            return;
    }
    p->net->work++;
    set->at[set->count++] = c;
    set->table[slot] = set->count;
}

/* Follows from one state all that needs no token. The set grows as it is walked. */
static void follow(struct prediction *p, struct configs *set, struct config c)
{
    const struct net *net = p->net;
    const struct net_state *state = &net->states[c.state];

    switch (state->kind) {
    case STATE_PASS: configs_add(p, set, (struct config){ c.stack, state->next, c.alternative }); break;
    case STATE_FORK:
        for (uint32_t i = 0; i < net->forks[state->what].count; i++)
            configs_add(p, set, (struct config){ c.stack, net->alternatives[net->forks[state->what].first + i].state, c.alternative });
        break;
    case STATE_CALL: {
        const struct frame *frame = push_frame(p, c.stack, state->next);
        if (frame)
            configs_add(p, set, (struct config){ frame, net->rules[state->what].start, c.alternative });
        break;
    }
    case STATE_RETURN:
        if (c.stack) {
            configs_add(p, set, (struct config){ c.stack->up, c.stack->to, c.alternative });
            break;
        }
        for (uint16_t s = net->rules[state->what].first_caller; s; s = net->states[s].next_caller)
            if (p->table || s >= net->request_states)
                configs_add(p, set, (struct config){ NULL, net->states[s].next, c.alternative });
        break;
    default: break;
    }
}

static void close_configs(struct prediction *p, struct configs *set)
{
    for (uint32_t i = 0; i < set->count && !p->nomem && p->net->work < NET_WORK_MAX; i++)
        follow(p, set, set->at[i]);
}

static uint64_t alternatives_in(const struct configs *set)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < set->count; i++)
        bits |= UINT64_C(1) << set->at[i].alternative;
    return bits;
}

/* Two alternatives that have come to the same state with the same to come: no token will tell them apart. The lower is taken,
 * and the higher dropped. */
static uint64_t drop_doubles(const struct net *net, struct configs *set)
{
    uint64_t dropped = 0;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        struct config c = set->at[i];
        if (net->states[c.state].kind > STATE_CLASS)
            continue;
        for (uint16_t lower = 0; lower < c.alternative; lower++) {
            struct config other = { c.stack, c.state, lower };
            size_t slot = config_hash(other) % set->table_size;
            for (; set->table[slot]; slot = (slot + 1) % set->table_size) {
                const struct config *have = &set->at[set->table[slot] - 1];
                if (have->state == other.state && have->stack == other.stack && have->alternative == lower)
                    dropped |= UINT64_C(1) << c.alternative;
            }
        }
    }
    if (!dropped)
        return 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (!(dropped >> set->at[i].alternative & 1))
            set->at[kept++] = set->at[i];
    set->count = kept; /* the table is stale now, and not asked again before it is cleared */
    return dropped;
}

static int lowest_bit(uint64_t bits)
{
    int n = 0;
    while (!(bits >> n & 1))
        n++;
    return n;
}

static bool single_bit(uint64_t bits)
{
    return bits && !(bits & (bits - 1));
}

static int predict(struct prediction *p, uint32_t fork, struct net_view view, uint32_t *ahead, uint64_t *viable)
{
    struct net *net = p->net;
    const struct net_fork *f = &net->forks[fork];

    for (uint16_t i = 0; i < f->count; i++)
        configs_add(p, &p->now, (struct config){ NULL, net->alternatives[f->first + i].state, i });
    for (uint32_t d = 0; d < NET_AHEAD_MAX; d++) {
        close_configs(p, &p->now);
        if (p->nomem)
            return NET_NOMEM;
        if (net->work >= NET_WORK_MAX)
            return NET_TIRED;
        if (d > 0) {
            drop_doubles(net, &p->now);
            *ahead = d - 1;
            if (single_bit(alternatives_in(&p->now)))
                return lowest_bit(alternatives_in(&p->now));
        }
        enum lex_kind kind = view.kind(view.arg, d);
        configs_clear(&p->then);
        for (uint32_t i = 0; i < p->now.count; i++) {
            const struct net_state *state = &net->states[p->now.at[i].state];
            if (state->kind <= STATE_CLASS && net_set_has(net, state, kind))
                configs_add(p, &p->then, (struct config){ p->now.at[i].stack, state->next, p->now.at[i].alternative });
        }
        *viable = alternatives_in(&p->then);
        *ahead = d;
        if (!*viable)
            return NET_NONE;
        if (single_bit(*viable)) {
            if (d == 0)
                net->known[fork * (LEX_ERROR + 1) + kind] = (uint8_t)(lowest_bit(*viable) + 1);
            return lowest_bit(*viable);
        }
        if (d == 0 && (f->guarded & *viable))
            return NET_NONE;
        struct configs swap = p->now;
        p->now = p->then;
        p->then = swap;
    }
    return lowest_bit(*viable);
}

int net_predict(struct net *net, uint32_t fork, struct net_view view, uint32_t *ahead, uint64_t *viable)
{
    uint8_t known = net->known[fork * (LEX_ERROR + 1) + view.kind(view.arg, 0)];
    if (known) {
        *ahead = 0;
        return known - 1;
    }
    struct prediction p = { .net = net, .table = net->forks[fork].table };
    struct arena_mark mark = arena_mark(net->ctx->arena);
    int found = predict(&p, fork, view, ahead, viable);
    arena_rewind(net->ctx->arena, mark);
    return found;
}
