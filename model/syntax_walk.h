/*
 * syntax_walk.h - a text's tokens, and the way through the rules that Cassandra's parser takes over them.
 *
 * walk_rule goes as far as the text is right; which token is not, and what was looked at, is in the walk then. Whoever goes on behind it
 * (syntax_after.h) takes the same steps: walk_look and walk_choose.
 */
#ifndef WR_MODEL_SYNTAX_WALK_H
#define WR_MODEL_SYNTAX_WALK_H

#include "model/syntax_net.h"

enum { RETURNS_MAX = 8192 };

/* Tokens, white space and comments among them, as Cassandra's token stream holds them. */
struct stream_token {
    struct token token;
    bool hidden;
};

struct token_stream {
    struct ctx *ctx;
    struct slice text;
    struct stream_token *all;
    uint32_t count, room;
    uint32_t *visible; /* indexes of the ones that are not hidden */
    uint32_t visible_count;
    struct lex_error error; /* of the last token, if it is LEX_ERROR */
};

enum outcome { WALK_OK, WALK_NO_WAY, WALK_MISMATCH, WALK_MARKER, WALK_CLASS, WALK_GAVE_UP };

struct walk {
    struct net net;
    struct token_stream *stream;
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

/* Up to the end, or to a character that begins no token; past_errors: such are left out, as Cassandra's lexer does once it has told of them. */
enum wr_status stream_read(struct token_stream *stream, bool past_errors);

enum wr_status walk_init(struct ctx *ctx, struct walk *walk, struct token_stream *stream);
enum outcome walk_rule(struct walk *walk, uint32_t rule);

enum lex_kind walk_look(struct walk *walk, uint32_t ahead);
/* The state that a fork goes on at. */
enum outcome walk_choose(struct walk *walk, uint32_t fork, uint16_t *state);

#endif
