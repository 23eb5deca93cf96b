/*
 * parse.h - what the rooms of the parser share: parse_type.c reads types, parse.c expressions, statement.c statements.
 */
#ifndef WR_MODEL_JAVA_PARSE_H
#define WR_MODEL_JAVA_PARSE_H

#include "model/java/lex.h"
#include "model/java/tree.h"

struct java_parser {
    struct ctx *ctx;
    struct java_errors *errors;
    const uint8_t *text; /* of the body: offsets count from here */
    const struct java_token *first, *at;
    const struct java_token *operand; /* where the last operand began, behind what stands in front of it */
    unsigned depth_most, depth; /* of what is read, and links of chains such as a + b + c: trees are walked by recursion */
};

bool java_is_at(const struct java_parser *p, const char *text); /* a sign or a keyword */
bool java_accept(struct java_parser *p, const char *text);      /* and goes on behind it */
enum wr_status java_expect(struct java_parser *p, const char *text, const char *completes);
enum wr_status java_fail_token(struct java_parser *p); /* as a compiler says that it fits nowhere; of the end, that the
                                                          method's brace is missing */
enum wr_status java_enter(struct java_parser *p);      /* one level deeper; who leaves counts depth down */
struct java_node *java_new_node(struct java_parser *p, enum java_op op, const struct java_token *t);

bool java_skip_type(struct java_parser *p); /* whether a type begins here, by its looks; p->at is moved */
enum wr_status java_parse_type(struct java_parser *p, const struct java_type **out);
enum wr_status java_parse_local_type(struct java_parser *p, const struct java_type **out); /* NULL in *out: `var` */
/* Without the brackets of an array; *diamond: with `<>`. NULL in *out: `var`. */
enum wr_status java_parse_type_base(struct java_parser *p, bool *diamond, const struct java_type **out);
/* <A, B>, of which as many are kept as a class takes; *count: how many there are. */
enum wr_status java_parse_type_arguments(struct java_parser *p, const struct java_type **args, uint32_t *count,
                                         bool *diamond);
const struct java_type *java_wrong_type(struct java_parser *p, const struct java_token *start,
                                        const char *why); /* tells why */
enum { JAVA_DIMENSIONS_MAX = 255 };
enum wr_status java_parse_dimension(struct java_parser *p, const struct java_type **type); /* an array of it */
enum wr_status java_parse_expression(struct java_parser *p, struct java_node **out);
enum wr_status java_parse_binary(struct java_parser *p, int level,
                                 struct java_node **out); /* operators that bind at least that closely; 1: all */
enum wr_status java_parse_list(struct java_parser *p, const char *end, struct java_node **list,
                               uint32_t *count); /* expressions with commas between, up to a sign */
enum wr_status java_parse_array(struct java_parser *p, struct java_node **list,
                                uint32_t *count); /* {a, b}, its brace behind us */

#endif
