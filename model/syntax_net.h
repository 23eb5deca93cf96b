/*
 * syntax_net.h - the rules of syntax_rules.h as a network of states, and which way a top-down parser would take at a fork.
 *
 * 1. net_predict looks as few tokens ahead as tell the alternatives apart, knowing of the surroundings only what may follow
 *    the rule anywhere: as the generated parser of Cassandra does.
 * 2. Work is bounded by NET_WORK_MAX; past it every question is answered with NET_TIRED.
 */
#ifndef WR_MODEL_SYNTAX_NET_H
#define WR_MODEL_SYNTAX_NET_H

#include "model/lex.h"

enum state_kind { STATE_TOKEN, STATE_SET, STATE_CLASS, STATE_CALL, STATE_FORK, STATE_PASS, STATE_RETURN };

struct net_state {
    uint8_t kind;
    uint16_t what; /* TOKEN: enum lex_kind; SET and CLASS: index; CALL and RETURN: the rule; FORK: index */
    uint16_t next; /* behind it; none for FORK and RETURN */
    uint16_t next_caller; /* CALL: the next call of the same rule, 0: none */
};

struct net_fork {
    uint16_t count; /* of alternatives */
    uint16_t first; /* in net.alternatives */
    bool passable;  /* x? and x*: the last alternative passes it by, and without a table is taken when in doubt */
    bool table;
    uint64_t guarded; /* the alternatives that have a guard */
};

enum { GUARD_NONE = 0, GUARD_OPEN = UINT16_MAX }; /* open: one token is enough */

struct net_alternative {
    uint16_t state;
    uint16_t guard; /* the rule that must match; or one of the below */
};

struct token_set {
    uint64_t bits[4];
};

struct net_rule {
    struct slice name;
    uint16_t start, first_caller;
};

enum { NET_WORK_MAX = 1000000, NET_AHEAD_MAX = 200 };

struct net {
    struct ctx *ctx;
    struct net_state *states;
    struct net_fork *forks;
    struct net_alternative *alternatives;
    struct token_set *sets;
    struct net_rule *rules;
    uint32_t state_count, fork_count, alternative_count, set_count, rule_count;
    uint32_t request_states; /* those of the first rule, which only tables know of (syntax_rules.h) */
    uint8_t *known; /* [fork][kind]: the alternative that one token tells, plus 1; 0: not known */
    uint32_t work;
};

enum { NET_NONE = -1, NET_TIRED = -2, NET_NOMEM = -3 };

/* What a prediction looks at: tokens by their distance; whoever owns them notes how far they were read. */
struct net_view {
    enum lex_kind (*kind)(void *arg, uint32_t ahead);
    void *arg;
};

enum wr_status net_init(struct ctx *ctx, struct net *net);

bool net_set_has(const struct net *net, const struct net_state *state, enum lex_kind kind); /* TOKEN, SET or CLASS */

/* The alternative, counted from 0, or NET_NONE; *ahead is how far off the token stands that told. NET_NONE with *viable not 0:
 * of the ways that the first token leaves (as bits), one has a guard to be asked. */
int net_predict(struct net *net, uint32_t fork, struct net_view view, uint32_t *ahead, uint64_t *viable);

#endif
