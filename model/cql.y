/*
 * cql.y - CQL as Cassandra 5.0.6 takes it.
 *
 * An LALR(1) grammar without conflicts, in the order of CQL's manual. Unreserved keywords fall back to IDENT; those that have
 * a meaning of their own where a name may stand too are spelled out in `ident`. Where one look ahead is not enough, the
 * grammar takes a little more than Cassandra does and a builder refuses the rest. Messages are not made here: see syntax.h.
 */
%name cql_parse
%token_prefix TK_
%token_type { struct token }
%extra_argument { struct parser *p }
%stack_size 1024
%start_symbol request

%include {
#include "model/ahead.h"
#include "model/parse_build.h"

#define YYNOERRORRECOVERY 1
#define NO_TOKEN ((struct token){ 0, 0, LEX_END })

/* lemon's template fetches and passes what it then has no use for */
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
}

%syntax_error { build_refuse(p, TOKEN.offset); }
%stack_overflow { build_fail_deep(p, p->at); }

%fallback IDENT
    ACCESS AGGREGATES ANN ASCII BIGINT BLOB BOOLEAN CALLED CIDRS CLUSTER CONTAINS COUNTER CUSTOM DATACENTERS DATE
    DECIMAL DEFAULT DOUBLE DURATION EXISTS FILTERING FINALFUNC FLOAT FUNCTIONS HASHED IDENTITY INET INITCOND
    INPUT INT INTERNALS KEY KEYSPACES LANGUAGE LIKE LOGIN MASKED NOLOGIN NOSUPERUSER OPTIONS PARTITION PASSWORD
    PERMISSION PERMISSIONS REPLACE RETURNS ROLES SFUNC SMALLINT STATIC STORAGE STYPE SUPERUSER TABLES TEXT TIME TIMESTAMP
    TIMEUUID TINYINT TRIGGER TYPES UNSET USER USERS UUID VARCHAR VARINT.

/* SELECT JSON and SELECT DISTINCT: what may go on as a selector makes the word a keyword. `(a)` before what may be a value:
 * a type hint among selectors; among terms, where only ('class') may be one, a tuple. AS, GROUP and PER behind either go on
 * with the statement. (They may not be in the list above: lemon asks it before a state's default reduction.) */
%nonassoc AS GROUP PER.
%nonassoc NAME.
%nonassoc LB STAR MINUS COLON.
%nonassoc TUPLE_END.

request ::= statement(S) semicolons. { p->statement = S; }
semicolons ::= .
semicolons ::= semicolons SEMICOLON.

%type statement { struct ast_statement * }
statement(A) ::= select(A).
statement(A) ::= modification(A).
statement(A) ::= batch(A).
statement(A) ::= schema_change(A).
statement(A) ::= describe(A).
statement(A) ::= roles(A).

statement(A) ::= USE keyspace_name(B). { A = build_statement(p, AST_USE); A->name = *B; A->name.name = B->keyspace; }
statement(A) ::= TRUNCATE table_name(B). { A = build_statement(p, AST_TRUNCATE); A->name = *B; }
statement(A) ::= TRUNCATE COLUMNFAMILY table_name(B). { A = build_statement(p, AST_TRUNCATE); A->name = *B; }

/* ---- names ---- */

ident(A) ::= plain(A).
ident(A) ::= CAST(A).
ident(A) ::= COUNT(A).
ident(A) ::= DISTINCT(A). [NAME]
ident(A) ::= JSON(A). [NAME]
ident(A) ::= MAXWRITETIME(A).
ident(A) ::= TTL(A).
ident(A) ::= WRITETIME(A).

/* The names that may be a function's too. */
plain(A) ::= IDENT(A).
plain(A) ::= QUOTED(A).
plain(A) ::= AGGREGATE(A).
plain(A) ::= ALL(A).
plain(A) ::= AS(A).
plain(A) ::= CLUSTERING(A).
plain(A) ::= COMPACT(A).
plain(A) ::= FROZEN(A).
plain(A) ::= FUNCTION(A).
plain(A) ::= GROUP(A).
plain(A) ::= KEYS(A).
plain(A) ::= LIST(A).
plain(A) ::= MAP(A).
plain(A) ::= MBEAN(A).
plain(A) ::= MBEANS(A).
plain(A) ::= ONLY(A).
plain(A) ::= PER(A).
plain(A) ::= ROLE(A).
plain(A) ::= SELECT_MASKED(A).
plain(A) ::= TUPLE(A).
plain(A) ::= TYPE(A).
plain(A) ::= UNMASK(A).
plain(A) ::= VALUES(A).
plain(A) ::= VECTOR(A).
callable(A) ::= plain(A).
callable(A) ::= TOKEN(A).
function_word(A) ::= callable(A).
function_word(A) ::= COUNT(A).

/* A column where the empty name of an old super column may stand. */
column(A) ::= ident(A).
column(A) ::= EMPTY_QUOTED(A).

%type columns { struct name_list }
columns(A) ::= column(B). { LIST_ONE(A, build_word(p, B)); }
columns(A) ::= columns(A) COMMA column(C). { LIST_ADD(A, build_word(p, C)); }

%type idents { struct name_list }
idents(A) ::= ident(B). { LIST_ONE(A, build_word(p, B)); }
idents(A) ::= idents(A) COMMA ident(C). { LIST_ADD(A, build_word(p, C)); }

/* Names of things: a bind marker is read, and refused with words of its own. */
object(A) ::= ident(A).
object(A) ::= QMARK(A).

%type keyspace_name { struct ast_name * }
keyspace_name(A) ::= object(B). { A = build_name(p, B, NO_TOKEN, "keyspace names"); }
%type table_name { struct ast_name * }
table_name(A) ::= object(B). { A = build_name(p, NO_TOKEN, B, "table names"); }
table_name(A) ::= object(B) DOT object(C). { A = build_name(p, B, C, "table names"); }
%type index_name { struct ast_name * }
index_name(A) ::= object(B). { A = build_name(p, NO_TOKEN, B, "index names"); }
index_name(A) ::= object(B) DOT object(C). { A = build_name(p, B, C, "index names"); }
%type function_name { struct ast_name * }
function_name(A) ::= object(B). { A = build_function_name(p, NO_TOKEN, B); }
function_name(A) ::= TOKEN(B). { A = build_function_name(p, NO_TOKEN, B); }
function_name(A) ::= object(B) DOT ident(C). { A = build_function_name(p, B, C); }
function_name(A) ::= object(B) DOT TOKEN(C). { A = build_function_name(p, B, C); }
%type function_only { struct ast_name * }
function_only(A) ::= ident(B). { A = build_function_name(p, NO_TOKEN, B); }
function_only(A) ::= TOKEN(B). { A = build_function_name(p, NO_TOKEN, B); }

%type if_exists { bool }
if_exists(A) ::= . { A = false; }
if_exists(A) ::= IF EXISTS. { A = true; }
%type if_not_exists { bool }
if_not_exists(A) ::= . { A = false; }
if_not_exists(A) ::= IF NOT EXISTS. { A = true; }

/* ---- types ---- */

%type type { struct ast_type * }
type(A) ::= bare_type(A).
type(A) ::= STRING(B). { A = build_class(p, B); }
%type bare_type { struct ast_type * }
bare_type(A) ::= ident(B). { A = build_type(p, NO_TOKEN, B); }
bare_type(A) ::= ident(B) DOT ident(C). { A = build_type(p, B, C); }
bare_type(A) ::= built_type(A).
%type built_type { struct ast_type * }
built_type(A) ::= LIST(B) LT type(C) GT. { struct type_list args = { C, C }; A = build_type_of(p, AST_TYPE_LIST, B, args); }
built_type(A) ::= SET(B) LT type(C) GT. { struct type_list args = { C, C }; A = build_type_of(p, AST_TYPE_SET, B, args); }
built_type(A) ::= MAP(B) LT type(C) COMMA type(D) GT. {
    struct type_list args = { C, C };
    LIST_ADD(args, D);
    A = build_type_of(p, AST_TYPE_MAP, B, args);
}
built_type(A) ::= TUPLE(B) LT types(C) GT. { A = build_type_of(p, AST_TYPE_TUPLE, B, C); }
built_type(A) ::= TUPLE(B) LT(C) GT. { A = build_empty_tuple(p, B, C); }
built_type(A) ::= VECTOR(B) LT type(C) COMMA INTEGER(D) GT. { A = build_vector(p, B, C, D); }
built_type(A) ::= FROZEN(B) LT type(C) GT. { struct type_list args = { C, C }; A = build_type_of(p, AST_TYPE_FROZEN, B, args); }
%type types { struct type_list }
types(A) ::= type(B). { LIST_ONE(A, B); }
types(A) ::= types(A) COMMA type(C). { LIST_ADD(A, C); }
%type types_opt { struct type_list }
types_opt(A) ::= . { A = (struct type_list){ NULL, NULL }; }
types_opt(A) ::= types(A).

/* ---- constants and markers ---- */

%type constant { struct ast_expr * }
constant(A) ::= STRING(B). { A = build_constant(p, LITERAL_STRING, B); }
constant(A) ::= unquoted_constant(A).
%type unquoted_constant { struct ast_expr * }
unquoted_constant(A) ::= INTEGER(B). { A = build_constant(p, LITERAL_INTEGER, B); }
unquoted_constant(A) ::= FLOATING(B). { A = build_constant(p, LITERAL_FLOAT, B); }
unquoted_constant(A) ::= TRUTH(B). { A = build_constant(p, LITERAL_BOOLEAN, B); }
unquoted_constant(A) ::= PERIOD(B). { A = build_constant(p, LITERAL_DURATION, B); }
unquoted_constant(A) ::= UUID_VALUE(B). { A = build_constant(p, LITERAL_UUID, B); }
unquoted_constant(A) ::= HEX(B). { A = build_constant(p, LITERAL_HEX, B); }
unquoted_constant(A) ::= NAN(B). { A = build_constant(p, LITERAL_FLOAT, B); }
unquoted_constant(A) ::= NEGATIVE_NAN(B). { A = build_constant(p, LITERAL_FLOAT, B); }
unquoted_constant(A) ::= INFINITY(B). { A = build_constant(p, LITERAL_FLOAT, B); }
unquoted_constant(A) ::= NEGATIVE_INFINITY(B). { A = build_constant(p, LITERAL_FLOAT, B); }

%type null { struct ast_expr * }
null(A) ::= NULL(B). { A = build_constant(p, LITERAL_NULL, B); }

%type marker { struct ast_expr * }
marker(A) ::= QMARK(B). { A = build_marker(p, B, NO_TOKEN); }
marker(A) ::= COLON(B) ident(C). { A = build_marker(p, B, C); }

%type int_value { struct ast_expr * }
int_value(A) ::= INTEGER(B). { A = build_constant(p, LITERAL_INTEGER, B); }
int_value(A) ::= marker(A).

/* ---- terms: values without columns ---- */

%type term { struct ast_expr * }
term(A) ::= product(A).
term(A) ::= term(B) PLUS product(C). { A = build_term(build_binary(p, '+', B, C)); }
term(A) ::= term(B) MINUS product(C). { A = build_term(build_binary(p, '-', B, C)); }
%type product { struct ast_expr * }
product(A) ::= signed_value(A).
product(A) ::= product(B) STAR signed_value(C). { A = build_term(build_binary(p, '*', B, C)); }
product(A) ::= product(B) SLASH signed_value(C). { A = build_term(build_binary(p, '/', B, C)); }
product(A) ::= product(B) PERCENT signed_value(C). { A = build_term(build_binary(p, '%', B, C)); }
%type signed_value { struct ast_expr * }
signed_value(A) ::= value(A).
signed_value(A) ::= MINUS(B) value(C). { A = build_term(build_negate(p, B, C)); }

%type value { struct ast_expr * }
value(A) ::= constant(A).
value(A) ::= null(A).
value(A) ::= marker(A).
value(A) ::= LB(B) terms_opt(C) RB(D). { A = build_group(p, EXPR_LIST, B, C, D); }
value(A) ::= LC(B) terms_opt(C) RC(D). { A = build_group(p, EXPR_BRACES, B, C, D); }
value(A) ::= LC(B) pairs(C) RC(D). { A = build_group(p, EXPR_PAIRS, B, C, D); }
value(A) ::= LC(B) fields(C) RC(D). { A = build_group(p, EXPR_PAIRS, B, build_fields(p, C), D); }
value(A) ::= tuple(A).
value(A) ::= LP(B) bare_type(C) RP value(D). { A = build_hint(p, B, C, D); }
value(A) ::= LP(B) term(C) RP value(D). { A = build_class_hint(p, B, C, D); }
value(A) ::= function_word(B) LP terms_opt(C) RP(D). { A = build_term(build_call(p, NO_TOKEN, B, C, D)); }
value(A) ::= ident(B) DOT function_word(C) LP terms_opt(D) RP(E). { A = build_term(build_call(p, B, C, D, E)); }
value(A) ::= QMARK(B) DOT function_word(C) LP terms_opt(D) RP(E). { A = build_call(p, B, C, D, E); }
value(A) ::= CAST(B) LP value(C) AS ident(D) RP(E). { A = build_term(build_cast(p, B, C, build_native(p, D), E)); }

%type tuple { struct ast_expr * }
tuple(A) ::= LP(B) term(C) RP(D). [TUPLE_END] { struct expr_list one = { C, C }; A = build_group(p, EXPR_TUPLE, B, one, D); }
tuple(A) ::= LP(B) term(C) COMMA terms(D) RP(E). { A = build_group(p, EXPR_TUPLE, B, build_join(C, D), E); }

%type terms { struct expr_list }
terms(A) ::= term(B). { LIST_ONE(A, B); }
terms(A) ::= terms(A) COMMA term(C). { LIST_ADD(A, C); }
%type terms_opt { struct expr_list }
terms_opt(A) ::= . { A = (struct expr_list){ NULL, NULL }; }
terms_opt(A) ::= terms(A).
%type pairs { struct expr_list }
colon ::= COLON.
colon ::= PAIR.
pairs(A) ::= term(B) colon term(C). { LIST_ONE(A, B); LIST_ADD(A, C); }
pairs(A) ::= pairs(A) COMMA term(C) colon term(D). { LIST_ADD(A, C); LIST_ADD(A, D); }
%type fields { struct expr_list }
fields(A) ::= ident(B) colon term(C). { LIST_ONE(A, build_column(p, B)); LIST_ADD(A, C); }
fields(A) ::= fields(A) COMMA ident(C) colon term(D). { LIST_ADD(A, build_column(p, C)); LIST_ADD(A, D); }

/* ---- selectors: expressions over columns; `(a)[1]` is a type hint where a may name a type, `(a)[1..2]` never ---- */

%type expr { struct ast_expr * }
expr(A) ::= expr_product(A).
expr(A) ::= expr(B) PLUS expr_product(C). { A = build_binary(p, '+', B, C); }
expr(A) ::= expr(B) MINUS expr_product(C). { A = build_binary(p, '-', B, C); }
%type expr_product { struct ast_expr * }
expr_product(A) ::= expr_signed(A).
expr_product(A) ::= expr_product(B) STAR expr_signed(C). { A = build_binary(p, '*', B, C); }
expr_product(A) ::= expr_product(B) SLASH expr_signed(C). { A = build_binary(p, '/', B, C); }
expr_product(A) ::= expr_product(B) PERCENT expr_signed(C). { A = build_binary(p, '%', B, C); }
%type expr_signed { struct ast_expr * }
expr_signed(A) ::= path(A).
expr_signed(A) ::= MINUS(B) expr_signed(C). { A = build_negate(p, B, C); }

%type path { struct ast_expr * }
path(A) ::= atom(A).
path(A) ::= path(B) DOT ident(C). { A = build_field(p, B, C); }
path(A) ::= path(B) DOT callable(C) LP exprs_opt(D) RP(E). { A = build_call_of(p, B, C, D, E); }
path(A) ::= path(B) DOT COUNT(C) LP exprs_opt(D) RP(E). { A = build_count(p, build_call_of(p, B, C, D, E)); }
path(A) ::= path(B) LB subscript(C) RB(D). { A = build_element(p, B, C, D); }
path(A) ::= LP(B) expr(C) RP LB(L) expr(D) RANGE(R) RB(E). {
    build_check_subscript(p, L.offset, D);
    A = build_element(p, build_nested(p, B, C), build_slice(p, D, build_nothing(p, token_end(R))), E);
}
path(A) ::= LP(B) expr(C) RP LB(L) expr(D) RANGE expr(F) RB(E). {
    build_check_subscript(p, L.offset, D);
    build_check_subscript(p, L.offset, F);
    A = build_element(p, build_nested(p, B, C), build_slice(p, D, F), E);
}
path(A) ::= LP(B) expr(C) RP LB(L) RANGE(R) expr(D) RB(E). {
    build_check_subscript(p, L.offset, D);
    A = build_element(p, build_nested(p, B, C), build_slice(p, build_nothing(p, R.offset), D), E);
}
%type subscript { struct ast_expr * }
subscript(A) ::= term(A).
subscript(A) ::= term(B) RANGE(C). { A = build_slice(p, B, build_nothing(p, token_end(C))); }
subscript(A) ::= term(B) RANGE term(C). { A = build_slice(p, B, C); }
subscript(A) ::= RANGE(B) term(C). { A = build_slice(p, build_nothing(p, B.offset), C); }

%type atom { struct ast_expr * }
atom(A) ::= ident(B). { A = build_column(p, B); }
atom(A) ::= constant(A).
atom(A) ::= null(A).
atom(A) ::= marker(A).
atom(A) ::= LB(B) exprs_opt(C) RB(D). { A = build_group(p, EXPR_LIST, B, C, D); }
atom(A) ::= LC(B) exprs_opt(C) RC(D). { A = build_group(p, EXPR_BRACES, B, C, D); }
atom(A) ::= LC(B) expr_pairs(C) RC(D). { A = build_group(p, EXPR_PAIRS, B, C, D); }
atom(A) ::= LP(B) expr(C) RP(D). [NAME] { struct expr_list one = { C, C }; A = build_group(p, EXPR_TUPLE, B, one, D); }
atom(A) ::= LP(B) expr(C) COMMA exprs(D) RP(E). { A = build_group(p, EXPR_TUPLE, B, build_join(C, D), E); }
atom(A) ::= LP(B) expr(C) RP atom(D). { A = build_hint_of(p, B, C, D); }
atom(A) ::= LP(B) built_type(C) RP atom(D). { build_check_selected(p, B); A = build_hint(p, B, C, D); }
atom(A) ::= callable(B) LP exprs_opt(C) RP(D). { A = build_call(p, NO_TOKEN, B, C, D); }
atom(A) ::= COUNT(B) LP STAR RP(C). { A = build_count_rows(p, B, C); }
atom(A) ::= COUNT(B) LP exprs_opt(C) RP(D). { A = build_count(p, build_call(p, NO_TOKEN, B, C, D)); }
atom(A) ::= WRITETIME(B) LP path(C) RP(D). { A = build_cell_function(p, B, C, D); }
atom(A) ::= MAXWRITETIME(B) LP path(C) RP(D). { A = build_cell_function(p, B, C, D); }
atom(A) ::= TTL(B) LP path(C) RP(D). { A = build_cell_function(p, B, C, D); }
atom(A) ::= CAST(B) LP expr(C) AS ident(D) RP(E). { A = build_cast(p, B, C, build_native(p, D), E); }
%type exprs { struct expr_list }
exprs(A) ::= expr(B). { LIST_ONE(A, B); }
exprs(A) ::= exprs(A) COMMA expr(C). { LIST_ADD(A, C); }
%type exprs_opt { struct expr_list }
exprs_opt(A) ::= . { A = (struct expr_list){ NULL, NULL }; }
exprs_opt(A) ::= exprs(A).
%type expr_pairs { struct expr_list }
expr_pairs(A) ::= expr(B) colon expr(C). { LIST_ONE(A, B); LIST_ADD(A, C); }
expr_pairs(A) ::= expr_pairs(A) COMMA expr(C) colon expr(D). { LIST_ADD(A, C); LIST_ADD(A, D); }

/* ---- SELECT ---- */

%type select { struct ast_statement * }
select(A) ::= SELECT select_clause(B) FROM table_name(C) where_opt(D) group_by(E) order_by(F) per_partition(G) limit(H)
              allow_filtering(I). {
    A = B;
    A->select.table = *C;
    A->select.where = D.first;
    A->select.group_by = E.first;
    A->select.order_by = F.first;
    A->select.per_partition_limit = G;
    A->select.limit = H;
    A->select.allow_filtering = I;
}

%type select_clause { struct ast_statement * }
select_clause(A) ::= selectors(A).
select_clause(A) ::= DISTINCT selectors(B). { A = B; A->select.distinct = true; }
select_clause(A) ::= JSON selectors(B). { A = B; A->select.json = true; }
select_clause(A) ::= JSON DISTINCT selectors(B). { A = B; A->select.json = A->select.distinct = true; }
%type selectors { struct ast_statement * }
selectors(A) ::= STAR. { A = build_statement(p, AST_SELECT); A->select.star = true; }
selectors(A) ::= selector_list(B). { A = build_statement(p, AST_SELECT); A->select.selectors = B.first; }
%type selector_list { struct selector_list }
selector_list(A) ::= selector(B). { LIST_ONE(A, B); }
selector_list(A) ::= selector_list(A) COMMA selector(C). { LIST_ADD(A, C); }
%type selector { struct ast_selector * }
selector(A) ::= expr(B). { A = BUILD(p, ast_selector); A->expr = B; }
selector(A) ::= expr(B) AS ident(C). { A = BUILD(p, ast_selector); A->expr = B; A->alias = build_text(p, C); }

%type group_by { struct expr_list }
group_by(A) ::= . { A = (struct expr_list){ NULL, NULL }; }
group_by(A) ::= GROUP BY exprs(B). { A = B; }

%type order_by { struct ordering_list }
order_by(A) ::= . { A = (struct ordering_list){ NULL, NULL }; }
order_by(A) ::= ORDER BY orderings(B). { A = B; }
%type orderings { struct ordering_list }
orderings(A) ::= ordering(B). { LIST_ONE(A, B); }
orderings(A) ::= orderings(A) COMMA ordering(C). { LIST_ADD(A, C); }
%type ordering { struct ast_ordering * }
ordering(A) ::= column(B) ann_of(C) direction_opt(D). {
    A = BUILD(p, ast_ordering);
    A->column = build_text(p, B);
    A->offset = B.offset;
    A->ann = C;
    A->descending = D;
}
%type ann_of { struct ast_expr * }
ann_of(A) ::= . { A = NULL; }
ann_of(A) ::= ANN OF term(B). { A = B; }
%type direction_opt { bool }
direction_opt(A) ::= . { A = false; }
direction_opt(A) ::= direction(A).
%type direction { bool }
direction(A) ::= ASC. { A = false; }
direction(A) ::= DESC. { A = true; }

%type per_partition { struct ast_expr * }
per_partition(A) ::= . { A = NULL; }
per_partition(A) ::= PER PARTITION LIMIT int_value(B). { A = B; }
%type limit { struct ast_expr * }
limit(A) ::= . { A = NULL; }
limit(A) ::= LIMIT int_value(B). { A = B; }
%type allow_filtering { bool }
allow_filtering(A) ::= . { A = false; }
allow_filtering(A) ::= ALLOW FILTERING. { A = true; }

/* ---- WHERE ---- */

%type where_opt { struct relation_list }
where_opt(A) ::= . { A = (struct relation_list){ NULL, NULL }; }
where_opt(A) ::= where(A).
%type where { struct relation_list }
where(A) ::= WHERE relations(B). { A = B; }
%type relations { struct relation_list }
relations(A) ::= relation(B). { LIST_ONE(A, B); }
relations(A) ::= index_expression(B). { LIST_ONE(A, B); }
relations(A) ::= relations(A) AND relation(C). { LIST_ADD(A, C); }
relations(A) ::= relations(A) AND index_expression(C). { LIST_ADD(A, C); }

%type relation { struct ast_relation * }
relation(A) ::= column(B) operator(C) term(D). { A = build_relation(p, SUBJECT_COLUMN, build_word(p, B), C, D); }
relation(A) ::= column(B) LIKE term(C). { A = build_relation(p, SUBJECT_COLUMN, build_word(p, B), OP_LIKE, C); }
relation(A) ::= column(B) IS NOT NULL(C). {
    A = build_relation(p, SUBJECT_COLUMN, build_word(p, B), OP_IS_NOT_NULL, NULL);
    A->end = token_end(C);
}
relation(A) ::= column(B) contains(C) term(D). { A = build_relation(p, SUBJECT_COLUMN, build_word(p, B), C, D); }
relation(A) ::= column(B) IN in_values(C). { A = build_in(build_relation(p, SUBJECT_COLUMN, build_word(p, B), OP_IN, NULL), C); }
relation(A) ::= column(B) LB term(C) RB operator(D) term(E). {
    A = build_relation(p, SUBJECT_ELEMENT, build_word(p, B), D, E);
    A->element = C;
}
relation(A) ::= TOKEN(T) LP columns(B) RP operator(C) term(D). {
    A = build_relation(p, SUBJECT_TOKEN, B.first, C, D);
    A->offset = T.offset;
}
relation(A) ::= LP(L) columns(B) RP operator(C) tuple(D). { A = build_relation(p, SUBJECT_COLUMNS, B.first, C, D); A->offset = L.offset; }
relation(A) ::= LP(L) columns(B) RP operator(C) marker(D). { A = build_relation(p, SUBJECT_COLUMNS, B.first, C, D); A->offset = L.offset; }
relation(A) ::= LP(L) columns(B) RP IN in_tuples(C). {
    A = build_in(build_relation(p, SUBJECT_COLUMNS, B.first, OP_IN, NULL), C);
    A->offset = L.offset;
}
relation(A) ::= LP relation(B) RP. { A = B; }

%type operator { enum ast_operator }
operator(A) ::= EQ. { A = OP_EQ; }
operator(A) ::= NEQ. { A = OP_NEQ; }
operator(A) ::= LT. { A = OP_LT; }
operator(A) ::= LTE. { A = OP_LTE; }
operator(A) ::= GT. { A = OP_GT; }
operator(A) ::= GTE. { A = OP_GTE; }
%type contains { enum ast_operator }
contains(A) ::= CONTAINS. { A = OP_CONTAINS; }
contains(A) ::= CONTAINS KEY. { A = OP_CONTAINS_KEY; }

%type in_values { struct in_values }
in_values(A) ::= LP terms_opt(B) RP(C). { A = (struct in_values){ B.first, false, token_end(C) }; }
in_values(A) ::= marker(B). { A = (struct in_values){ B, true, B->end }; }
%type in_tuples { struct in_values }
in_tuples(A) ::= LP RP(B). { A = (struct in_values){ NULL, false, token_end(B) }; }
in_tuples(A) ::= LP tuple_list(B) RP(C). { A = (struct in_values){ B.first, false, token_end(C) }; }
in_tuples(A) ::= LP marker_list(B) RP(C). { A = (struct in_values){ B.first, false, token_end(C) }; }
in_tuples(A) ::= marker(B). { A = (struct in_values){ B, true, B->end }; }
%type tuple_list { struct expr_list }
tuple_list(A) ::= tuple(B). { LIST_ONE(A, B); }
tuple_list(A) ::= tuple_list(A) COMMA tuple(C). { LIST_ADD(A, C); }
%type marker_list { struct expr_list }
marker_list(A) ::= marker(B). { LIST_ONE(A, B); }
marker_list(A) ::= marker_list(A) COMMA marker(C). { LIST_ADD(A, C); }

%type index_expression { struct ast_relation * }
index_expression(A) ::= EXPR_LP(L) object(B) COMMA term(C) RP(R). {
    A = build_relation(p, SUBJECT_INDEX, build_word(p, B), OP_EQ, C);
    A->offset = L.offset;
    A->end = token_end(R);
    if (B.kind == LEX_QMARK) build_fail(p, B.offset, "Bind variables cannot be used for index names");
}

/* ---- INSERT, UPDATE, DELETE ---- */

%type modification { struct ast_statement * }
modification(A) ::= INSERT INTO table_name(B) LP columns(C) RP VALUES LP terms(D) RP if_not_exists(E) using_opt(F). {
    A = build_statement(p, AST_INSERT);
    A->insert = (struct ast_insert){ .table = *B, .using = F, .if_not_exists = E, .columns = C.first, .values = D.first };
}
modification(A) ::= INSERT INTO table_name(B) JSON json_value(C) default_unset(D) if_not_exists(E) using_opt(F). {
    A = build_statement(p, AST_INSERT);
    A->insert = (struct ast_insert){ .table = *B, .using = F, .if_not_exists = E, .json = true, .default_unset = D,
                                     .json_value = C };
}
modification(A) ::= UPDATE table_name(B) using_opt(C) SET settings(D) where(E) conditions_opt(F). {
    A = build_statement(p, AST_UPDATE);
    A->update = (struct ast_update){ .table = *B, .using = C, .assignments = D.first, .where = E.first,
                                     .conditions = F.first, .if_exists = F.if_exists };
}
modification(A) ::= DELETE deletions_opt(B) FROM table_name(C) using_timestamp(D) where(E) conditions_opt(F). {
    A = build_statement(p, AST_DELETE);
    A->delete_ = (struct ast_delete){ .table = *C, .using = D, .deletions = B.first, .where = E.first,
                                      .conditions = F.first, .if_exists = F.if_exists };
}

%type settings { struct assignment_list }
settings(A) ::= assignments(B). { A = B; build_check_assignments(p, B.first); p->settings = NULL; }

%type json_value { struct ast_expr * }
json_value(A) ::= STRING(B). { A = build_constant(p, LITERAL_STRING, B); }
json_value(A) ::= marker(A).
%type default_unset { bool }
default_unset(A) ::= . { A = false; }
default_unset(A) ::= DEFAULT NULL. { A = false; }
default_unset(A) ::= DEFAULT UNSET. { A = true; }

%type using_opt { struct ast_using }
using_opt(A) ::= . { A = (struct ast_using){ NULL, NULL }; }
using_opt(A) ::= USING using_list(B). { A = B; }
%type using_list { struct ast_using }
using_list(A) ::= using_one(A).
using_list(A) ::= using_list(B) AND using_one(C). {
    A = B;
    if (C.timestamp) A.timestamp = C.timestamp;
    if (C.ttl) A.ttl = C.ttl;
}
%type using_one { struct ast_using }
using_one(A) ::= TIMESTAMP int_value(B). { A = (struct ast_using){ .timestamp = B }; }
using_one(A) ::= TTL int_value(B). { A = (struct ast_using){ .ttl = B }; }
%type using_timestamp { struct ast_using }
using_timestamp(A) ::= . { A = (struct ast_using){ NULL, NULL }; }
using_timestamp(A) ::= USING TIMESTAMP int_value(B). { A = (struct ast_using){ .timestamp = B }; }

%type assignments { struct assignment_list }
assignments(A) ::= assignment(B). { LIST_ONE(A, B); }
assignments(A) ::= assignments(A) COMMA assignment(C). { LIST_ADD(A, C); p->settings = A.first; p->settings_end = p->at; }
%type assignment { struct ast_assignment * }
assignment(A) ::= column(B) EQ term(C). { A = build_assignment(p, ASSIGN_SET, B, C); }
assignment(A) ::= column(B) EQ term(C) PLUS column(D). { A = build_arithmetic(p, ASSIGN_PREPEND, B, D, C, "<value> + X"); A->end = token_end(D); }
assignment(A) ::= column(B) EQ column(C) PLUS term(D). { A = build_arithmetic(p, ASSIGN_ADD, B, C, D, "X +<value>"); }
assignment(A) ::= column(B) EQ column(C) MINUS term(D). { A = build_arithmetic(p, ASSIGN_SUB, B, C, D, "X -<value>"); }
assignment(A) ::= column(B) EQ column(C) INTEGER(D). {
    const char *form = p->text.data[D.offset] == '-' ? "X - <value>" : "X + <value>"; /* n = n-1: `-1` is one token */
    A = build_arithmetic(p, ASSIGN_ADD, B, C, build_constant(p, LITERAL_INTEGER, D), form);
}
assignment(A) ::= column(B) PLUS_EQ term(C). { A = build_assignment(p, ASSIGN_ADD, B, C); }
assignment(A) ::= column(B) MINUS_EQ term(C). { A = build_assignment(p, ASSIGN_SUB, B, C); }
assignment(A) ::= column(B) LB term(C) RB EQ term(D). { A = build_assignment(p, ASSIGN_ELEMENT, B, D); A->element = C; }
assignment(A) ::= column(B) DOT ident(C) EQ term(D). { A = build_assignment(p, ASSIGN_FIELD, B, D); A->field = build_text(p, C); }

%type deletions_opt { struct deletion_list }
deletions_opt(A) ::= . { A = (struct deletion_list){ NULL, NULL }; }
deletions_opt(A) ::= deletions(A).
%type deletions { struct deletion_list }
deletions(A) ::= deletion(B). { LIST_ONE(A, B); }
deletions(A) ::= deletions(A) COMMA deletion(C). { LIST_ADD(A, C); }
%type deletion { struct ast_deletion * }
deletion(A) ::= column(B). { A = BUILD(p, ast_deletion); A->column = build_text(p, B); A->offset = B.offset; }
deletion(A) ::= column(B) LB term(C) RB. {
    A = BUILD(p, ast_deletion);
    A->column = build_text(p, B);
    A->offset = B.offset;
    A->element = C;
}
deletion(A) ::= column(B) DOT ident(C). {
    A = BUILD(p, ast_deletion);
    A->column = build_text(p, B);
    A->offset = B.offset;
    A->field = build_text(p, C);
}

%type conditions_opt { struct update_conditions }
conditions_opt(A) ::= . { A = (struct update_conditions){ NULL, false }; }
conditions_opt(A) ::= IF EXISTS. { A = (struct update_conditions){ NULL, true }; }
conditions_opt(A) ::= IF conditions(B). { A = (struct update_conditions){ B.first, false }; }
%type conditions { struct relation_list }
conditions(A) ::= condition(B). { LIST_ONE(A, B); }
conditions(A) ::= conditions(A) AND condition(C). { LIST_ADD(A, C); }
%type condition { struct ast_relation * }
condition(A) ::= condition_subject(S) operator(B) term(C). { A = S; A->op = B; A->value = C; A->end = C->end; }
condition(A) ::= condition_subject(S) IN in_values(B). { A = build_in(S, B); }
condition(A) ::= condition_column(B) contains(C) term(D). { A = build_relation(p, SUBJECT_COLUMN, build_word(p, B), C, D); }
%type condition_subject { struct ast_relation * }
condition_subject(A) ::= condition_column(B). { A = build_relation(p, SUBJECT_COLUMN, build_word(p, B), OP_EQ, NULL); }
condition_subject(A) ::= condition_column(B) LB term(C) RB. {
    A = build_relation(p, SUBJECT_ELEMENT, build_word(p, B), OP_EQ, NULL);
    A->element = C;
}
condition_subject(A) ::= condition_column(B) DOT ident(C). {
    A = build_relation(p, SUBJECT_FIELD, build_word(p, B), OP_EQ, NULL);
    A->field = build_text(p, C);
}
/* The word that `IF EXISTS` is of is a column where something follows that compares it. */
condition_column(A) ::= column(A).
condition_column(A) ::= EXISTS(A).

/* ---- BATCH ---- */

%type batch { struct ast_statement * }
batch(A) ::= BEGIN batch_kind(B) BATCH using_opt(C) batched(D) APPLY BATCH. {
    A = build_statement(p, AST_BATCH);
    A->batch = (struct ast_batch){ .kind = B, .using = C, .statements = D.first };
}
%type batch_kind { enum ast_batch_kind }
batch_kind(A) ::= . { A = BATCH_LOGGED; }
batch_kind(A) ::= UNLOGGED. { A = BATCH_UNLOGGED; }
batch_kind(A) ::= COUNTER. { A = BATCH_COUNTER; }
%type batched { struct statement_list }
batched(A) ::= . { A = (struct statement_list){ NULL, NULL }; }
batched(A) ::= batched(B) modification(C) semicolon_opt. {
    A = B;
    if (A.first) LIST_ADD(A, C);
    else LIST_ONE(A, C);
}
semicolon_opt ::= .
semicolon_opt ::= SEMICOLON.

/* ---- properties ---- */

%type with_opt { struct property_list }
with_opt(A) ::= . { A = (struct property_list){ NULL, NULL }; }
with_opt(A) ::= with(A).
%type with { struct property_list }
with(A) ::= WITH properties(B). { A = B; build_check_properties(p, B.first); }
%type properties { struct property_list }
properties(A) ::= property(B). { LIST_ONE(A, B); p->properties = B; }
properties(A) ::= properties(A) AND property(C). { LIST_ADD(A, C); }
%type property { struct ast_property * }
property(A) ::= ident(B) EQ constant(C). { A = build_property(p, B, C); }
property(A) ::= ident(B) EQ ident(C). { A = build_property_word(p, B, C); }
property(A) ::= ident(B) EQ map(C). { A = build_property_map(p, B, C); }
%type map { struct expr_list }
map(A) ::= LC RC. { A = (struct expr_list){ NULL, NULL }; }
map(A) ::= LC pairs(B) RC. { A = B; }

/* ---- keyspaces ---- */

%type schema_change { struct ast_statement * }
schema_change(A) ::= CREATE KEYSPACE if_not_exists(B) keyspace_name(C) with(D). {
    A = build_statement(p, AST_CREATE_KEYSPACE);
    A->create_keyspace = (struct ast_create_keyspace){ build_keyspace(*C), B, D.first };
}
schema_change(A) ::= ALTER KEYSPACE if_exists(B) keyspace_name(C) with(D). {
    A = build_statement(p, AST_ALTER_KEYSPACE);
    A->alter_keyspace = (struct ast_alter_keyspace){ build_keyspace(*C), B, D.first };
}
schema_change(A) ::= DROP KEYSPACE if_exists(B) keyspace_name(C). {
    A = build_statement(p, AST_DROP_KEYSPACE);
    A->drop = (struct ast_drop){ .name = build_keyspace(*C), .if_exists = B };
}

/* ---- tables ---- */

schema_change(A) ::= CREATE COLUMNFAMILY if_not_exists(B) table_body(D) table_options(E). {
    A = build_statement(p, AST_CREATE_TABLE);
    A->create_table = (struct ast_create_table){
        .name = *D->name, .if_not_exists = B, .compact_storage = E->compact, .columns = D->columns.first,
        .primary_keys = D->primary_keys, .partition_key = D->key.partition, .clustering = D->key.clustering,
        .order = E->order.first, .properties = E->properties.first };
    build_check_order(p, E->order.first, "table", D->name);
}
%type table_body { struct table_items * }
table_body(A) ::= table_head LP table_items(C) RP. { A = C; build_check_columns(p, C); p->items = NULL; }
table_head ::= table_name(B). { p->items = BUILD(p, table_items); p->items->name = B; }
schema_change(A) ::= DROP COLUMNFAMILY if_exists(B) table_name(C). { A = build_drop(p, AST_DROP_TABLE, C, B); }

%type table_items { struct table_items * }
table_items(A) ::= column_def(B). { A = p->items; build_table_column(A, B); }
table_items(A) ::= primary_key(B). { A = p->items; A->key = B; build_primary_key(A); }
table_items(A) ::= table_items(A) COMMA.
table_items(A) ::= table_items(A) COMMA column_def(C). { build_table_column(A, C); }
table_items(A) ::= table_items(A) COMMA primary_key(C). { A->key = C; build_primary_key(A); }

%type column_def { struct ast_column_def * }
column_def(A) ::= table_column(A).
column_def(A) ::= table_column(B) PRIMARY KEY. { A = B; A->is_primary_key = true; }
%type table_column { struct ast_column_def * }
table_column(A) ::= ident(B) type(C) static_opt(D) mask_opt(E). {
    A = build_column_def(p, B, C);
    A->is_static = D;
    A->mask = E;
}
%type static_opt { bool }
static_opt(A) ::= . { A = false; }
static_opt(A) ::= STATIC. { A = true; }
%type mask_opt { struct ast_mask * }
mask_opt(A) ::= . { A = NULL; }
mask_opt(A) ::= mask(A).
%type mask { struct ast_mask * }
mask(A) ::= MASKED WITH DEFAULT. { A = BUILD(p, ast_mask); A->is_default = true; }
mask(A) ::= MASKED WITH mask_function(B) LP terms_opt(C) RP. { A = BUILD(p, ast_mask); A->function = *B; A->args = C.first; }
%type mask_function { struct ast_name * }
mask_function(A) ::= function_name(B). { A = B; }
mask_function(A) ::= DEFAULT(B). { A = build_function_name(p, NO_TOKEN, B); } /* here no other word stands for a name */
mask_function(A) ::= DEFAULT(B) DOT ident(C). { A = build_function_name(p, B, C); }
mask_function(A) ::= DEFAULT(B) DOT TOKEN(C). { A = build_function_name(p, B, C); }

%type primary_key { struct primary_key }
primary_key(A) ::= PRIMARY KEY LP partition_key(B) RP. { A = (struct primary_key){ .partition = B.first }; }
primary_key(A) ::= PRIMARY KEY LP partition_key(B) COMMA idents(C) RP. { A = (struct primary_key){ B.first, C.first }; }
%type partition_key { struct name_list }
partition_key(A) ::= ident(B). { LIST_ONE(A, build_word(p, B)); }
partition_key(A) ::= LP idents(B) RP. { A = B; }

%type table_options { struct built_options * }
table_options(A) ::= . { A = BUILD(p, built_options); }
table_options(A) ::= WITH table_option_list(B). { A = B; build_check_properties(p, B->properties.first); }
%type table_option_list { struct built_options * }
table_option_list(A) ::= table_option(A).
table_option_list(A) ::= table_option_list(A) AND table_option(C). { build_add_options(A, C); }
%type table_option { struct built_options * }
table_option(A) ::= property(B). {
    A = BUILD(p, built_options);
    LIST_ONE(A->properties, B);
    if (!p->properties) p->properties = B;
}
table_option(A) ::= COMPACT STORAGE. { A = BUILD(p, built_options); A->compact = true; }
table_option(A) ::= CLUSTERING ORDER BY LP clustering_orders(B) RP. { A = BUILD(p, built_options); A->order = B; }
%type clustering_orders { struct clustering_list }
clustering_orders(A) ::= clustering_order(B). { LIST_ONE(A, B); }
clustering_orders(A) ::= clustering_orders(A) COMMA clustering_order(C). { LIST_ADD(A, C); }
%type clustering_order { struct ast_clustering_order * }
clustering_order(A) ::= ident(B) direction(C). {
    A = BUILD(p, ast_clustering_order);
    A->column = build_text(p, B);
    A->descending = C;
}

schema_change(A) ::= ALTER COLUMNFAMILY if_exists(B) table_name(C) alteration(D). {
    A = D;
    A->alter_table.name = *C;
    A->alter_table.if_exists = B;
}
%type alteration { struct ast_statement * }
alteration(A) ::= ALTER if_exists(B) column(C) TYPE(K) type(D). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_TYPE_OF_COLUMN, .columns = build_column_def(p, C, D) };
    if (B) build_refuse(p, K.offset);
}
alteration(A) ::= ALTER if_exists(B) column(C) mask(D). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_MASK, .column_if = B, .columns = build_column_def(p, C, NULL) };
    A->alter_table.columns->mask = D;
}
alteration(A) ::= ALTER if_exists(B) column(C) DROP MASKED. {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_DROP_MASK, .column_if = B, .columns = build_column_def(p, C, NULL) };
}
alteration(A) ::= ADD if_not_exists(B) table_column(C). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_ADD, .column_if = B, .columns = C };
}
alteration(A) ::= ADD if_not_exists(B) LP table_columns(C) RP. {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_ADD, .column_if = B, .columns = C.first };
}
alteration(A) ::= DROP if_exists(B) ident(C) drop_timestamp(D). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_DROP, .column_if = B, .drop = build_word(p, C), .drop_timestamp = D };
}
alteration(A) ::= DROP if_exists(B) LP idents(C) RP drop_timestamp(D). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_DROP, .column_if = B, .drop = C.first, .drop_timestamp = D };
}
alteration(A) ::= RENAME if_exists(B) renames(C). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_RENAME, .column_if = B, .renames = C.first };
}
alteration(A) ::= DROP if_exists(B) COMPACT STORAGE(K). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_DROP_COMPACT };
    if (B) build_refuse(p, K.offset);
}
alteration(A) ::= with(B). {
    A = build_statement(p, AST_ALTER_TABLE);
    A->alter_table = (struct ast_alter_table){ .kind = ALTER_WITH, .properties = B.first };
}
%type table_columns { struct column_list }
table_columns(A) ::= table_column(B). { LIST_ONE(A, B); }
table_columns(A) ::= table_columns(A) COMMA table_column(C). { LIST_ADD(A, C); }
%type drop_timestamp { struct ast_expr * }
drop_timestamp(A) ::= . { A = NULL; }
drop_timestamp(A) ::= USING TIMESTAMP INTEGER(B). { A = build_long(p, B); }
%type renames { struct rename_list }
renames(A) ::= rename(B). { LIST_ONE(A, B); }
renames(A) ::= renames(A) AND rename(C). { LIST_ADD(A, C); }
%type rename { struct ast_rename * }
rename(A) ::= ident(B) TO ident(C). { A = BUILD(p, ast_rename); A->from = build_text(p, B); A->to = build_text(p, C); }

/* ---- user types ---- */

schema_change(A) ::= CREATE TYPE if_not_exists(B) type_name(C) LP type_fields(D) RP. {
    A = build_statement(p, AST_CREATE_TYPE);
    A->create_type = (struct ast_create_type){ *C, B, D.first };
}
schema_change(A) ::= ALTER TYPE if_exists(B) type_name(C) type_alteration(D). {
    A = D;
    A->alter_type.name = *C;
    A->alter_type.if_exists = B;
}
schema_change(A) ::= DROP TYPE if_exists(B) type_name(C). { A = build_drop(p, AST_DROP_TYPE, C, B); }
%type type_name { struct ast_name * }
type_name(A) ::= ident(B). { A = build_type_name(p, NO_TOKEN, B); }
type_name(A) ::= ident(B) DOT ident(C). { A = build_type_name(p, B, C); }
%type type_fields { struct column_list }
type_fields(A) ::= type_field(B). { LIST_ONE(A, B); }
type_fields(A) ::= type_fields(A) COMMA.
type_fields(A) ::= type_fields(A) COMMA type_field(C). { LIST_ADD(A, C); }
%type type_field { struct ast_column_def * }
type_field(A) ::= ident(B) type(C). { A = build_column_def(p, B, C); }
%type type_alteration { struct ast_statement * }
type_alteration(A) ::= ALTER type_field_change(B). {
    A = build_statement(p, AST_ALTER_TYPE);
    A->alter_type = (struct ast_alter_type){ .kind = ALTER_TYPE_OF_COLUMN, .fields = B };
}
type_alteration(A) ::= ADD if_not_exists(B) type_field(C). {
    A = build_statement(p, AST_ALTER_TYPE);
    A->alter_type = (struct ast_alter_type){ .kind = ALTER_ADD, .field_if = B, .fields = C };
}
type_alteration(A) ::= RENAME if_exists(B) renames(C). {
    A = build_statement(p, AST_ALTER_TYPE);
    A->alter_type = (struct ast_alter_type){ .kind = ALTER_RENAME, .field_if = B, .renames = C.first };
}
%type type_field_change { struct ast_column_def * }
type_field_change(A) ::= ident(B) TYPE type(C). { A = build_column_def(p, B, C); }

/* ---- indexes ---- */

schema_change(A) ::= CREATE custom_opt(B) INDEX if_not_exists(C) index_name_opt(D) ON table_name(E) LP index_columns_opt(F) RP
                     index_class_opt(G) with_opt(H). {
    A = build_statement(p, AST_CREATE_INDEX);
    A->create_index = (struct ast_create_index){ .name = *D, .table = *E, .if_not_exists = C, .custom = B, .columns = F.first,
                                                 .using_class = G, .properties = H.first };
}
schema_change(A) ::= DROP INDEX if_exists(B) index_name(C). { A = build_drop(p, AST_DROP_INDEX, C, B); }
%type custom_opt { bool }
custom_opt(A) ::= . { A = false; }
custom_opt(A) ::= CUSTOM. { A = true; }
%type index_name_opt { struct ast_name * }
index_name_opt(A) ::= . { A = BUILD(p, ast_name); }
index_name_opt(A) ::= object(B). { A = build_name(p, NO_TOKEN, B, "index names"); }
%type index_columns_opt { struct index_column_list }
index_columns_opt(A) ::= . { A = (struct index_column_list){ NULL, NULL }; }
index_columns_opt(A) ::= index_columns(A).
%type index_columns { struct index_column_list }
index_columns(A) ::= index_column(B). { LIST_ONE(A, B); }
index_columns(A) ::= index_columns(A) COMMA index_column(C). { LIST_ADD(A, C); }
%type index_column { struct ast_index_column * }
index_column(A) ::= column(B). { A = build_index_column(p, TARGET_SIMPLE, B); }
index_column(A) ::= VALUES LP column(B) RP. { A = build_index_column(p, TARGET_VALUES, B); }
index_column(A) ::= KEYS LP column(B) RP. { A = build_index_column(p, TARGET_KEYS, B); }
index_column(A) ::= ENTRIES LP column(B) RP. { A = build_index_column(p, TARGET_ENTRIES, B); }
index_column(A) ::= FULL LP column(B) RP. { A = build_index_column(p, TARGET_FULL, B); }
%type index_class_opt { struct slice }
index_class_opt(A) ::= . { A = SLICE_NULL; }
index_class_opt(A) ::= USING STRING(B). { A = build_text(p, B); }

/* ---- materialized views ---- */

schema_change(A) ::= CREATE MATERIALIZED VIEW if_not_exists(B) table_name(C) AS SELECT selectors(D) FROM table_name(E) where_opt(F)
                     primary_key(G) view_options(H). {
    A = build_statement(p, AST_CREATE_VIEW);
    A->create_view = (struct ast_create_view){
        .name = *C, .base = *E, .if_not_exists = B, .star = D->select.star, .selectors = D->select.selectors,
        .where = F.first, .partition_key = G.partition, .clustering = G.clustering, .order = H->order.first,
        .properties = H->properties.first };
    build_check_order(p, H->order.first, "view", C);
}
schema_change(A) ::= ALTER MATERIALIZED VIEW if_exists(B) table_name(C) with(D). {
    A = build_statement(p, AST_ALTER_VIEW);
    A->alter_table = (struct ast_alter_table){ .name = *C, .if_exists = B, .kind = ALTER_WITH, .properties = D.first };
}
schema_change(A) ::= DROP MATERIALIZED VIEW if_exists(B) table_name(C). { A = build_drop(p, AST_DROP_VIEW, C, B); }
%type view_options { struct built_options * }
view_options(A) ::= table_options(B). {
    A = B;
    if (B->compact) build_fail(p, p->at, "COMPACT STORAGE tables are not allowed starting with version 4.0");
}

/* ---- functions, aggregates, triggers ---- */

schema_change(A) ::= CREATE or_replace(B) FUNCTION if_not_exists(C) function_name(D) LP parameters_opt(E) RP null_input(F)
                     RETURNS type(G) LANGUAGE ident(H) AS STRING(I). {
    A = build_statement(p, AST_CREATE_FUNCTION);
    if (H.kind != LEX_IDENT) build_refuse(p, H.offset);
    A->create_function = (struct ast_create_function){
        .name = *D, .or_replace = B, .if_not_exists = C, .called_on_null = F, .args = E.first, .returns = G,
        .language = build_text(p, H), .body = build_text(p, I) };
}
schema_change(A) ::= DROP FUNCTION if_exists(B) function_name(C) signature_opt(D). {
    A = build_drop(p, AST_DROP_FUNCTION, C, B);
    A->drop.has_args = D.given;
    A->drop.args = D.types.first;
}
schema_change(A) ::= CREATE or_replace(B) AGGREGATE if_not_exists(C) function_name(D) LP types_opt(E) RP SFUNC function_only(F)
                     STYPE type(G) final_function(H) initial_value(I). {
    A = build_statement(p, AST_CREATE_AGGREGATE);
    A->create_aggregate = (struct ast_create_aggregate){
        .name = *D, .or_replace = B, .if_not_exists = C, .args = E.first, .state_type = G,
        .state_function = *F, .final_function = *H, .initial = I };
}
schema_change(A) ::= DROP AGGREGATE if_exists(B) function_name(C) signature_opt(D). {
    A = build_drop(p, AST_DROP_AGGREGATE, C, B);
    A->drop.has_args = D.given;
    A->drop.args = D.types.first;
}
schema_change(A) ::= CREATE TRIGGER if_not_exists(B) ident(C) ON table_name(D) USING STRING(E). {
    A = build_statement(p, AST_CREATE_TRIGGER);
    A->trigger = (struct ast_trigger){ .name = build_text(p, C), .table = *D, .if_flag = B, .class_name = build_text(p, E) };
}
schema_change(A) ::= DROP TRIGGER if_exists(B) ident(C) ON table_name(D). {
    A = build_statement(p, AST_DROP_TRIGGER);
    A->trigger = (struct ast_trigger){ .name = build_text(p, C), .table = *D, .if_flag = B };
}

%type or_replace { bool }
or_replace(A) ::= . { A = false; }
or_replace(A) ::= OR REPLACE. { A = true; }
%type parameters_opt { struct column_list }
parameters_opt(A) ::= . { A = (struct column_list){ NULL, NULL }; }
parameters_opt(A) ::= parameters(A).
%type parameters { struct column_list }
parameters(A) ::= type_field(B). { LIST_ONE(A, B); }
parameters(A) ::= parameters(A) COMMA type_field(C). { LIST_ADD(A, C); }
%type null_input { bool }
null_input(A) ::= RETURNS NULL ON NULL INPUT. { A = false; }
null_input(A) ::= CALLED ON NULL INPUT. { A = true; }
%type signature_opt { struct signature }
signature_opt(A) ::= . { A = (struct signature){ .given = false }; }
signature_opt(A) ::= signature(A).
%type signature { struct signature }
signature(A) ::= LP types_opt(B) RP. { A = (struct signature){ B, true }; }
%type final_function { struct ast_name * }
final_function(A) ::= . { A = BUILD(p, ast_name); }
final_function(A) ::= FINALFUNC function_only(B). { A = B; }
%type initial_value { struct ast_expr * }
initial_value(A) ::= . { A = NULL; }
initial_value(A) ::= INITCOND term(B). { A = B; }

/* ---- DESCRIBE ---- */

%type describe { struct ast_statement * }
describe(A) ::= describe_word described(B) internals(C). {
    A = B;
    A->describe.internals = C;
}
describe_word ::= DESCRIBE.
describe_word ::= DESC.
%type internals { bool }
internals(A) ::= . { A = false; }
internals(A) ::= WITH INTERNALS. { A = true; }
%type described { struct ast_statement * }
described(A) ::= CLUSTER. { A = build_describe(p, DESCRIBE_CLUSTER, NULL); }
described(A) ::= SCHEMA. { A = build_describe(p, DESCRIBE_SCHEMA, NULL); }
described(A) ::= FULL SCHEMA. { A = build_describe(p, DESCRIBE_FULL_SCHEMA, NULL); }
described(A) ::= KEYSPACES. { A = build_describe(p, DESCRIBE_KEYSPACES, NULL); }
described(A) ::= TABLES. { A = build_describe(p, DESCRIBE_TABLES, NULL); }
described(A) ::= TYPES. { A = build_describe(p, DESCRIBE_TYPES, NULL); }
described(A) ::= FUNCTIONS. { A = build_describe(p, DESCRIBE_FUNCTIONS, NULL); }
described(A) ::= AGGREGATES. { A = build_describe(p, DESCRIBE_AGGREGATES, NULL); }
described(A) ::= KEYSPACE described_keyspace(B). { A = B; }
described(A) ::= ONLY KEYSPACE described_keyspace(B). { A = B; A->describe.kind = DESCRIBE_ONLY_KEYSPACE; }
described(A) ::= COLUMNFAMILY table_name(B). { A = build_describe(p, DESCRIBE_TABLE, B); }
described(A) ::= INDEX table_name(B). { A = build_describe(p, DESCRIBE_INDEX, B); }
described(A) ::= MATERIALIZED VIEW table_name(B). { A = build_describe(p, DESCRIBE_VIEW, B); }
described(A) ::= TYPE type_name(B). { A = build_describe(p, DESCRIBE_TYPE, B); }
described(A) ::= FUNCTION function_name(B). { A = build_describe(p, DESCRIBE_FUNCTION, B); }
described(A) ::= AGGREGATE function_name(B). { A = build_describe(p, DESCRIBE_AGGREGATE, B); }
described(A) ::= ident(B). { A = build_describe(p, DESCRIBE_ANY, build_name(p, NO_TOKEN, B, NULL)); }
described(A) ::= ident(B) DOT ident(C). { A = build_describe(p, DESCRIBE_ANY, build_name(p, B, C, NULL)); }
%type described_keyspace { struct ast_statement * }
described_keyspace(A) ::= . { A = build_describe(p, DESCRIBE_KEYSPACE, NULL); }
described_keyspace(A) ::= keyspace_name(B). { A = build_describe(p, DESCRIBE_KEYSPACE, B); A->describe.name = build_keyspace(*B); }

/* ---- roles and permissions ---- */

%type roles { struct ast_statement * }
roles(A) ::= CREATE ROLE if_not_exists(B) role_name(C) role_options_opt(D). { A = build_role(p, AST_CREATE_ROLE, C, B, D); }
roles(A) ::= ALTER ROLE if_exists(B) role_name(C) role_options_opt(D). { A = build_role(p, AST_ALTER_ROLE, C, B, D); }
roles(A) ::= DROP ROLE if_exists(B) role_name(C). { A = build_drop(p, AST_DROP_ROLE, C, B); }
roles(A) ::= CREATE USER if_not_exists(B) user_name(C) user_password(D) superuser(E). { A = build_user(p, AST_CREATE_ROLE, C, B, D, E); }
roles(A) ::= ALTER USER if_exists(B) user_name(C) user_password(D) superuser(E). { A = build_user(p, AST_ALTER_ROLE, C, B, D, E); }
roles(A) ::= DROP USER if_exists(B) user_name(C). { A = build_drop(p, AST_DROP_ROLE, C, B); }
roles(A) ::= ADD IDENTITY if_not_exists(B) identity(C) TO ROLE identity(D). { A = build_identity(p, AST_ADD_IDENTITY, C, D, B); }
roles(A) ::= DROP IDENTITY if_exists(B) identity(C). { A = build_identity(p, AST_DROP_IDENTITY, C, NULL, B); }
roles(A) ::= GRANT permissions(B) ON resource(C) TO role_name(D). { A = build_grant(p, AST_GRANT, B, C, D, false); }
roles(A) ::= REVOKE permissions(B) ON resource(C) FROM role_name(D). { A = build_grant(p, AST_REVOKE, B, C, D, false); }
roles(A) ::= GRANT role_name(B) TO role_name(C). { A = build_membership(p, AST_GRANT_ROLE, B, C); }
roles(A) ::= REVOKE role_name(B) FROM role_name(C). { A = build_membership(p, AST_REVOKE_ROLE, B, C); }
roles(A) ::= LIST permissions(B) on_resource(C) of_role(D) recursive(E). { A = build_grant(p, AST_LIST_PERMISSIONS, B, C, D, E); }
roles(A) ::= LIST ROLES of_role(B) recursive(C). { A = build_list_roles(p, AST_LIST_ROLES, B, C); }
roles(A) ::= LIST USERS. { A = build_list_roles(p, AST_LIST_USERS, NULL, false); }

%type role_name { struct ast_name * }
role_name(A) ::= object(B). { A = build_name(p, NO_TOKEN, B, "role names"); }
role_name(A) ::= STRING(B). { A = build_name(p, NO_TOKEN, B, NULL); }
%type user_name { struct ast_name * }
user_name(A) ::= ident(B). { A = build_user_name(p, B, "user names and USER is deprecated, please use ROLE"); }
user_name(A) ::= STRING(B). { A = build_name(p, NO_TOKEN, B, NULL); }
%type identity { struct ast_name * }
identity(A) ::= ident(B). { A = build_user_name(p, B, "identity"); }
identity(A) ::= STRING(B). { A = build_name(p, NO_TOKEN, B, NULL); }

%type role_options_opt { struct ast_role * }
role_options_opt(A) ::= . { A = BUILD(p, ast_role); }
role_options_opt(A) ::= WITH role_options(B). { A = B; }
%type role_options { struct ast_role * }
role_options(A) ::= role_option(B). { A = BUILD(p, ast_role); build_role_option(p, A, B); }
role_options(A) ::= role_options(A) AND role_option(C). { build_role_option(p, A, C); }
%type role_option { struct role_option }
role_option(A) ::= PASSWORD EQ STRING(B). { A = (struct role_option){ .kind = ROLE_PASSWORD, .value = B }; }
role_option(A) ::= HASHED PASSWORD EQ STRING(B). { A = (struct role_option){ .kind = ROLE_HASHED_PASSWORD, .value = B }; }
role_option(A) ::= OPTIONS(B) EQ map(C). { A = (struct role_option){ .kind = ROLE_OPTIONS, .value = B }; build_property_map(p, B, C); }
role_option(A) ::= SUPERUSER EQ TRUTH(B). { A = (struct role_option){ .kind = ROLE_SUPERUSER, .value = B }; }
role_option(A) ::= LOGIN EQ TRUTH(B). { A = (struct role_option){ .kind = ROLE_LOGIN, .value = B }; }
role_option(A) ::= ACCESS TO ALL DATACENTERS(B). { A = (struct role_option){ .kind = ROLE_DATACENTERS, .value = B }; }
role_option(A) ::= ACCESS TO DATACENTERS(B) LC strings(C) RC. {
    A = (struct role_option){ .kind = ROLE_DATACENTERS, .value = B, .names = C.first };
}
role_option(A) ::= ACCESS FROM ALL CIDRS(B). { A = (struct role_option){ .kind = ROLE_CIDRS, .value = B }; }
role_option(A) ::= ACCESS FROM CIDRS(B) LC strings(C) RC. { A = (struct role_option){ .kind = ROLE_CIDRS, .value = B, .names = C.first }; }
%type strings { struct name_list }
strings(A) ::= STRING(B). { LIST_ONE(A, build_word(p, B)); }
strings(A) ::= strings(A) COMMA STRING(C). { LIST_ADD(A, build_word(p, C)); }
%type user_password { struct role_option }
user_password(A) ::= . { A = (struct role_option){ .kind = ROLE_NOTHING }; }
user_password(A) ::= WITH PASSWORD STRING(B). { A = (struct role_option){ .kind = ROLE_PASSWORD, .value = B }; }
user_password(A) ::= WITH HASHED PASSWORD STRING(B). { A = (struct role_option){ .kind = ROLE_HASHED_PASSWORD, .value = B }; }
%type superuser { int }
superuser(A) ::= . { A = -1; }
superuser(A) ::= SUPERUSER. { A = 1; }
superuser(A) ::= NOSUPERUSER. { A = 0; }

%type permissions { permissions }
permissions(A) ::= ALL. { A = PERMISSIONS_ALL; }
permissions(A) ::= ALL PERMISSIONS. { A = PERMISSIONS_ALL; }
permissions(A) ::= permission_list(A).
%type permission_list { permissions }
permission_list(A) ::= permission(A).
permission_list(A) ::= permission_list(B) COMMA permission(C). { A = B | C; }
%type permission { permissions }
permission(A) ::= permission_word(B). { A = permission_bit(B); }
permission(A) ::= permission_word(B) PERMISSION. { A = permission_bit(B); }
%type permission_word { enum permission }
permission_word(A) ::= CREATE. { A = PERMISSION_CREATE; }
permission_word(A) ::= ALTER. { A = PERMISSION_ALTER; }
permission_word(A) ::= DROP. { A = PERMISSION_DROP; }
permission_word(A) ::= SELECT. { A = PERMISSION_SELECT; }
permission_word(A) ::= MODIFY. { A = PERMISSION_MODIFY; }
permission_word(A) ::= AUTHORIZE. { A = PERMISSION_AUTHORIZE; }
permission_word(A) ::= DESCRIBE. { A = PERMISSION_DESCRIBE; }
permission_word(A) ::= EXECUTE. { A = PERMISSION_EXECUTE; }
permission_word(A) ::= UNMASK. { A = PERMISSION_UNMASK; }
permission_word(A) ::= SELECT_MASKED. { A = PERMISSION_SELECT_MASKED; }

%type on_resource { struct ast_resource * }
on_resource(A) ::= . { A = NULL; }
on_resource(A) ::= ON resource(B). { A = B; }
%type of_role { struct ast_name * }
of_role(A) ::= . { A = NULL; }
of_role(A) ::= OF role_name(B). { A = B; }
%type recursive { bool }
recursive(A) ::= . { A = true; }
recursive(A) ::= NORECURSIVE. { A = false; }

%type resource { struct ast_resource * }
resource(A) ::= ALL KEYSPACES. { A = build_resource(p, RESOURCE_ALL_KEYSPACES, NULL); }
resource(A) ::= KEYSPACE keyspace_name(B). { A = build_resource(p, RESOURCE_KEYSPACE, B); }
resource(A) ::= table_name(B). { A = build_resource(p, RESOURCE_TABLE, B); }
resource(A) ::= COLUMNFAMILY table_name(B). { A = build_resource(p, RESOURCE_TABLE, B); }
resource(A) ::= ALL TABLES IN KEYSPACE keyspace_name(B). { A = build_resource(p, RESOURCE_ALL_TABLES, B); }
resource(A) ::= ALL ROLES. { A = build_resource(p, RESOURCE_ALL_ROLES, NULL); }
resource(A) ::= ROLE role_name(B). { A = build_resource(p, RESOURCE_ROLE, B); }
resource(A) ::= ALL FUNCTIONS. { A = build_resource(p, RESOURCE_ALL_FUNCTIONS, NULL); }
resource(A) ::= ALL FUNCTIONS IN KEYSPACE keyspace_name(B). { A = build_resource(p, RESOURCE_KEYSPACE_FUNCTIONS, B); }
resource(A) ::= FUNCTION function_name(B) signature(C). { A = build_resource(p, RESOURCE_FUNCTION, B); A->args = C.types.first; }
resource(A) ::= ALL MBEANS. { A = build_resource(p, RESOURCE_ALL_MBEANS, NULL); }
resource(A) ::= MBEAN STRING(B). { A = build_mbean(p, B, false); }
resource(A) ::= MBEANS STRING(B). { A = build_mbean(p, B, true); }

%code {
/* The lexer's kinds as the grammar's numbers. */
static const uint8_t terminals[] = {
#define TK_END 0 /* lemon's own */
#define LEX_MARK(name, text) TK_##name,
#define LEX_WORD(name, class) TK_##name,
    LEX_MARKS(LEX_MARK) LEX_WORDS(LEX_WORD) [AHEAD_PAIR] = TK_PAIR
#undef LEX_MARK
#undef LEX_WORD
#undef TK_END
};

void parse_tokens(struct parser *p)
{
    struct ahead ahead;
    yyParser engine;
    struct token token;

    ahead_init(&ahead, p->text);
    cql_parseInit(&engine);
    do {
        token = ahead_next(&ahead);
        p->at = token.offset;
        if (token.kind == LEX_ERROR)
            build_refuse(p, ahead.lexer.error.offset);
        else
            cql_parse(&engine, terminals[token.kind], token, p);
    } while (token.kind != LEX_END && p->status == WR_OK);
    cql_parseFinalize(&engine);
}
}
