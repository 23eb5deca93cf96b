/*
 * parse.h - CQL text to an ast. Sees no schema.
 *
 * WR_SYNTAX with Cassandra's own text ("line 1:7 no viable alternative at input ..."), ctx->error_offset set to the place; WR_INVALID of columns that come
 * twice, which a server finds as it reads (the place, or SIZE_MAX).
 * Depth and size are bounded: 10,000 nested brackets are an error like any other.
 */
#ifndef WR_MODEL_PARSE_H
#define WR_MODEL_PARSE_H

#include "model/ast.h"

/* One request: a statement and any number of trailing semicolons. The text is borrowed and must outlive the ast. */
enum wr_status parse(struct ctx *ctx, struct slice text, struct ast_statement **out);

/* One term and nothing else (`{'a', 1}`), no markers. The text must outlive the ast. */
enum wr_status parse_term(struct ctx *ctx, struct slice text, struct ast_expr **out);

/* The end of the first statement in text, behind its semicolon (batches, comments, strings and $$ seen through), for scripts and
 * shells; text.len where none ends. *blank tells that it holds nothing but white space and comments. */
size_t parse_statement_end(struct slice text, bool *complete, bool *blank);
size_t parse_statement_begin(struct slice text); /* behind white space and comments */

/* A name as CQL prints it: quoted where it would not read back bare (reserved, upper case, odd characters). */
void cql_put_name(struct buf *buf, struct slice name);
void cql_put_quoted_name(struct buf *buf, struct slice name); /* whether it needs quotes or not */
/* A user type's or a function's so that a statement means it: quoted, too, where bare it is a keyword or a type that nobody may make. A server leaves that out. */
void cql_put_own_name(struct buf *buf, struct slice name);
bool parse_is_reserved_type(struct slice name); /* `byte`: of no user type, but in quotes */
void cql_put_full_name(struct buf *buf, struct slice keyspace, struct slice name);
const char *cql_full_name(struct ctx *ctx, struct slice keyspace, struct slice name);

/* An expression as Cassandra's messages and result column names print it: `v + 1`, `{'q': 1}`, `system.tojson(m)`. */
void cql_put_expr(struct buf *buf, const struct ast_expr *expr);
/* `frozen<list<int>>`; user types with the keyspace before them where that is not null. */
void cql_put_type(struct buf *buf, const struct ast_type *type, struct slice keyspace);
void cql_put_relation(struct buf *buf, const struct ast_relation *relation); /* `v != 10`, `(c2, c1) > (1, 1)` */

/* The function that an operator is to Cassandra: '+' is _add. NULL, 0: it is none. */
const char *operator_function(char op);
char function_operator(struct slice name);

#endif
