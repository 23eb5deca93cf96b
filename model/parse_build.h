/*
 * parse_build.h - what the actions of the grammar (cql.y) are made of: nodes of the ast, and what Cassandra's grammar checks
 * on the way. Included by the grammar and its driver, nobody else.
 *
 * 1. A builder never gives NULL: after a failure it hands out the parser's spare node, and the driver stops before the next
 *    token. So an action needs no checks.
 * 2. The first failure stands. A text our grammar takes and Cassandra's does not is refused with build_refuse; the driver
 *    then lets syntax.h find Cassandra's words for it.
 * 3. No expression or type is deeper than PARSE_DEPTH_MAX.
 */
#ifndef WR_MODEL_PARSE_BUILD_H
#define WR_MODEL_PARSE_BUILD_H

#include "model/ast.h"
#include "model/lex.h"

/* Lists under construction. */
#define PARSE_LIST(name, node)                                                                                         \
    struct name {                                                                                                      \
        struct node *first, *last;                                                                                     \
    }
PARSE_LIST(expr_list, ast_expr);
PARSE_LIST(name_list, ast_names);
PARSE_LIST(type_list, ast_type);
PARSE_LIST(selector_list, ast_selector);
PARSE_LIST(relation_list, ast_relation);
PARSE_LIST(ordering_list, ast_ordering);
PARSE_LIST(assignment_list, ast_assignment);
PARSE_LIST(deletion_list, ast_deletion);
PARSE_LIST(statement_list, ast_statement);
PARSE_LIST(property_list, ast_property);
PARSE_LIST(column_list, ast_column_def);
PARSE_LIST(clustering_list, ast_clustering_order);
PARSE_LIST(rename_list, ast_rename);
PARSE_LIST(index_column_list, ast_index_column);

#define LIST_ONE(list, node) ((list).first = (list).last = (node))
#define LIST_ADD(list, node) ((list).last = (list).last->next = (node))

struct update_conditions {
    struct ast_relation *first;
    bool if_exists;
};
struct primary_key {
    struct ast_names *partition, *clustering; /* the first of them */
};
struct table_items {
    const struct ast_name *name; /* the table's */
    struct column_list columns;
    struct primary_key key;
    uint32_t column_count, primary_keys;
    uint32_t columns_before; /* the second primary key, which is the end of what is read */
    bool ends;               /* an exception is the end of what is read: later columns and keys do not count */
};
struct built_options {
    struct property_list properties;
    struct clustering_list order;
    bool compact;
};
struct in_values {
    struct ast_expr *first;
    bool is_marker; /* `IN ?` */
    size_t end;
};
struct signature {
    struct type_list types;
    bool given;
};

enum { ROLE_DATACENTERS = ROLE_OPTION_COUNT, ROLE_CIDRS, ROLE_NOTHING };
struct role_option {
    int kind; /* enum role_option_kind, or one of these */
    struct token value;
    struct ast_names *names; /* of datacenters and groups of CIDRs; NULL: all */
};

/* One of each node, for actions after a failure. */
union spare_node {
    struct ast_expr expr;
    struct ast_names names;
    struct ast_name name;
    struct ast_type type;
    struct ast_selector selector;
    struct ast_relation relation;
    struct ast_ordering ordering;
    struct ast_assignment assignment;
    struct ast_deletion deletion;
    struct ast_property property;
    struct ast_pair pair;
    struct ast_column_def column;
    struct ast_mask mask;
    struct ast_clustering_order clustering;
    struct ast_rename rename;
    struct ast_index_column index_column;
    struct ast_resource resource;
    struct ast_statement statement;
    struct table_items items;
    struct built_options options;
};

struct parser {
    struct ctx *ctx;
    struct slice text;
    enum wr_status status;      /* of the first failure; its message is in ctx */
    const char *noted;          /* what Cassandra's parser notes and goes on behind: told if nothing worse comes; NULL: nothing yet */
    size_t noted_at;
    bool refused;               /* not CQL: Cassandra's message is still to be found */
    bool too_deep;              /* ours alone: Cassandra would run out of stack */
    uint32_t depth_most;        /* of a tree, on this thread's stack */
    size_t at;                  /* where the token being read stands */
    struct ast_statement *statement;
    uint32_t marker_count;
    struct ast_marker *markers, *last_marker;
    size_t empty_tuple;         /* where a `tuple<>` was read: at its bracket; 0: nowhere */
    struct table_items *items;  /* of the table whose columns are being read; NULL: none */
    bool columns_end;           /* a `tuple<>` was read among them, the end of what a server reads */
    const struct ast_assignment *settings; /* the first of those being read; NULL: none are */
    size_t settings_end;        /* the token behind the last of them */
    const struct ast_property *properties; /* the first of those being read; NULL: none are */
    union spare_node spare;
};

/* Feeds the grammar with p->text until its end or the first failure; made of cql.y. */
void parse_tokens(struct parser *p);

void *build_node(struct parser *p, size_t size);
#define BUILD(p, type) ((struct type *)build_node((p), sizeof(struct type)))

void build_refuse(struct parser *p, size_t offset);
/* An exception in Cassandra's parser, which ends it, and an error that it notes (addRecognitionError). */
void build_fail(struct parser *p, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
void build_note(struct parser *p, size_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline size_t token_end(struct token token)
{
    return (size_t)token.offset + token.len;
}

void build_fail_deep(struct parser *p, size_t offset);
void build_check_depth(struct parser *p, uint32_t depth, size_t offset);
/* An exception of Java's number classes inside Cassandra's parser. */
void build_fail_number(struct parser *p, size_t offset, const char *reason, struct slice text);

/* ---- texts and names ---- */

struct slice build_text(struct parser *p, struct token token);
/* Java's parse of a whole number that must lie between min and max. */
int64_t build_whole(struct parser *p, struct token integer, int64_t min, int64_t max);
struct ast_names *build_word(struct parser *p, struct token token);
/* keyspace.name; a token with len 0 for none. `what` says what a bind marker cannot be: "table names". */
struct ast_name *build_name(struct parser *p, struct token keyspace, struct token name, const char *what);
struct ast_name build_keyspace(struct ast_name name); /* keyspace_name's, as the name of a statement */
struct ast_name *build_function_name(struct parser *p, struct token keyspace, struct token name);

/* ---- types; parse_type.c ---- */

struct ast_name *build_type_name(struct parser *p, struct token keyspace, struct token name);
struct ast_type *build_type(struct parser *p, struct token keyspace, struct token name);
struct ast_type *build_native(struct parser *p, struct token name); /* of a cast: a native type's name only */
struct ast_type *build_type_of(struct parser *p, enum ast_type_kind kind, struct token first, struct type_list args);
struct ast_type *build_vector(struct parser *p, struct token first, struct ast_type *element, struct token dimension);
struct ast_type *build_empty_tuple(struct parser *p, struct token first, struct token open);
void build_check_selected(struct parser *p, struct token open); /* the type behind it is a hint of what is selected */
void build_check_tuples(struct parser *p);                      /* at the end */
struct ast_type *build_class(struct parser *p, struct token string);

/* ---- expressions; parse_expr.c ---- */

static inline struct expr_list build_join(struct ast_expr *first, struct expr_list rest)
{
    first->next = rest.first;
    return (struct expr_list){ first, rest.last };
}

struct ast_expr *build_constant(struct parser *p, enum literal_kind kind, struct token token);
struct ast_expr *build_marker(struct parser *p, struct token mark, struct token name); /* name.len 0: `?` */
struct ast_expr *build_column(struct parser *p, struct token token);
struct ast_expr *build_group(struct parser *p, enum expr_kind kind, struct token open, struct expr_list args, struct token close);
struct expr_list build_fields(struct parser *p, struct expr_list fields); /* of a UDT, in the order a map has them */
struct ast_expr *build_binary(struct parser *p, char op, struct ast_expr *left, struct ast_expr *right);
struct ast_expr *build_negate(struct parser *p, struct token minus, struct ast_expr *of);
struct ast_expr *build_cast(struct parser *p, struct token first, struct ast_expr *of, struct ast_type *type, struct token close);
struct ast_expr *build_term(struct ast_expr *expr); /* marks one of the above as part of a term */
struct ast_expr *build_hint(struct parser *p, struct token open, struct ast_type *type, struct ast_expr *of);
/* `(name) of`, where name must turn out to be a type's */
struct ast_expr *build_hint_of(struct parser *p, struct token open, struct ast_expr *name, struct ast_expr *of);
/* The same in a term, where it must be a class in quotes. */
struct ast_expr *build_class_hint(struct parser *p, struct token open, struct ast_expr *name, struct ast_expr *of);
/* What stands in brackets behind a group has to be a term. */
void build_check_subscript(struct parser *p, size_t open, const struct ast_expr *subscript);
struct ast_expr *build_nested(struct parser *p, struct token open, struct ast_expr *expr); /* `(expr)`, its end one behind expr's */
struct ast_expr *build_field(struct parser *p, struct ast_expr *of, struct token field);
struct ast_expr *build_element(struct parser *p, struct ast_expr *of, struct ast_expr *subscript, struct token close);
struct ast_expr *build_slice(struct parser *p, struct ast_expr *from, struct ast_expr *to); /* of is put in by build_element */
struct ast_expr *build_nothing(struct parser *p, size_t offset);
/* A function's call; keyspace.len 0: none. */
struct ast_expr *build_call(struct parser *p, struct token keyspace, struct token name, struct expr_list args, struct token close);
/* `of.name(args)`: what looked like a column so far is a keyspace. */
struct ast_expr *build_call_of(struct parser *p, struct ast_expr *of, struct token name, struct expr_list args, struct token close);
struct ast_expr *build_count(struct parser *p, struct ast_expr *call); /* count(1) is count(*) */
struct ast_expr *build_count_rows(struct parser *p, struct token name, struct token close);
struct ast_expr *build_cell_function(struct parser *p, struct token name, struct ast_expr *of, struct token close);

/* ---- WHERE and IF ---- */

struct ast_relation *build_relation(struct parser *p, enum ast_subject subject, struct ast_names *columns, enum ast_operator op,
                                    struct ast_expr *value);
struct ast_relation *build_in(struct ast_relation *relation, struct in_values values);

/* ---- writes ---- */

struct ast_assignment *build_assignment(struct parser *p, enum ast_assign_kind kind, struct token column, struct ast_expr *value);
/* `column = other + value` and its kin; other must be column. */
struct ast_assignment *build_arithmetic(struct parser *p, enum ast_assign_kind kind, struct token column, struct token other,
                                        struct ast_expr *value, const char *form);
void build_check_assignments(struct parser *p, const struct ast_assignment *first);

/* ---- schema ---- */

struct ast_property *build_property(struct parser *p, struct token name, struct ast_expr *value);
struct ast_property *build_property_word(struct parser *p, struct token name, struct token value);
struct ast_property *build_property_map(struct parser *p, struct token name, struct expr_list keys_and_values);
void build_check_properties(struct parser *p, const struct ast_property *first);
struct ast_column_def *build_column_def(struct parser *p, struct token name, struct ast_type *type);
struct ast_index_column *build_index_column(struct parser *p, enum ast_index_target target, struct token column);
void build_table_column(struct table_items *items, struct ast_column_def *column);
void build_primary_key(struct table_items *items);
/* No column twice, one PRIMARY KEY at most; no column twice in CLUSTERING ORDER BY. */
void build_check_columns(struct parser *p, const struct table_items *items);
/* The first of these in a CREATE TABLE that was refused: parse_repeat.c. */
void build_check_repeated(struct parser *p);
void build_check_order(struct parser *p, const struct ast_clustering_order *order, const char *what, const struct ast_name *name);
void build_add_options(struct built_options *to, const struct built_options *from);
struct ast_expr *build_long(struct parser *p, struct token integer); /* must fit 64 bits */

/* ---- statements ---- */

struct ast_statement *build_statement(struct parser *p, enum ast_kind kind);
struct ast_statement *build_drop(struct parser *p, enum ast_kind kind, struct ast_name *name, bool if_exists);
struct ast_statement *build_describe(struct parser *p, enum ast_describe_kind kind, const struct ast_name *name);

/* ---- roles and permissions; parse_role.c ---- */

struct ast_name *build_user_name(struct parser *p, struct token token, const char *what); /* its case kept */
void build_role_option(struct parser *p, struct ast_role *role, struct role_option option);
struct ast_statement *build_role(struct parser *p, enum ast_kind kind, const struct ast_name *name, bool if_flag, const struct ast_role *options);
struct ast_statement *build_user(struct parser *p, enum ast_kind kind, const struct ast_name *name, bool if_flag,
                                 struct role_option password, int superuser); /* superuser -1: not said */
struct ast_statement *build_identity(struct parser *p, enum ast_kind kind, const struct ast_name *identity, const struct ast_name *role,
                                     bool if_flag);
struct ast_statement *build_membership(struct parser *p, enum ast_kind kind, const struct ast_name *role, const struct ast_name *grantee);
struct ast_statement *build_grant(struct parser *p, enum ast_kind kind, permissions set, struct ast_resource *resource,
                                  const struct ast_name *role, bool recursive); /* role NULL: none */
struct ast_statement *build_list_roles(struct parser *p, enum ast_kind kind, const struct ast_name *role, bool recursive);
struct ast_resource *build_resource(struct parser *p, enum resource_kind kind, const struct ast_name *name); /* name NULL: none */
struct ast_resource *build_mbean(struct parser *p, struct token name, bool pattern);

#endif
