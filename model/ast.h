/*
 * ast.h - what the parser makes: plain structs that remember their place in the text. No schema has been seen yet.
 *
 * Everything lives in the arena the parser was given. Names are folded already (lower case unless quoted); lists are linked by
 * `next` in the order of the text. Slices borrow from the statement's text or the arena.
 */
#ifndef WR_MODEL_AST_H
#define WR_MODEL_AST_H

#include "model/literal.h"
#include "model/resource.h"

/* No expression and no type is a deeper tree, or needs more of the stack at a level: walk them by recursion. */
enum { PARSE_DEPTH_MAX = 500, PARSE_LEVEL_BYTES = 2560 };

/* ---- names and types ---- */

struct ast_name { /* [keyspace.]name */
    struct slice keyspace; /* null: not given */
    struct slice name;
    size_t offset;         /* in the text */
};

struct ast_names { /* a list of plain identifiers */
    struct ast_names *next;
    struct slice name;
    size_t offset;
};

enum ast_type_kind { AST_TYPE_NATIVE, AST_TYPE_USER, AST_TYPE_LIST, AST_TYPE_SET, AST_TYPE_MAP, AST_TYPE_TUPLE, AST_TYPE_VECTOR, AST_TYPE_FROZEN, AST_TYPE_CLASS };

struct ast_type {
    struct ast_type *next; /* in an argument list */
    enum ast_type_kind kind;
    struct ast_name name;  /* NATIVE, USER (the name of a native one in quotes, too); CLASS: the quoted Java class in name.name */
    struct ast_type *args; /* FROZEN: one */
    int64_t dimension;     /* VECTOR */
    uint32_t depth;        /* of the types inside, at most PARSE_DEPTH_MAX */
    bool is_missing;       /* a server has none here: it has noted why not */
    size_t offset;
};

/* ---- expressions: terms, selectors and everything with a value ---- */

enum expr_kind {
    EXPR_CONSTANT,  /* literal, text */
    EXPR_MARKER,    /* marker: index in order of the text; text: its name, null for `?` */
    EXPR_COLUMN,    /* text: the column's name */
    EXPR_FUNCTION,  /* keyspace, text: name; args. count(*) and count(1): text "count", args empty, star set */
    EXPR_CELL_FUNCTION, /* writetime, maxwritetime, ttl: text; args: one EXPR_COLUMN, EXPR_ELEMENT, EXPR_SLICE or EXPR_FIELD */
    EXPR_CAST,      /* cast(args AS type) */
    EXPR_HINT,      /* (type)args */
    EXPR_LIST,      /* [args] */
    EXPR_BRACES,    /* {args}: a set */
    EXPR_PAIRS,     /* {k: v, ...}: args key and value in turn. A map, or a UDT where every key is an EXPR_COLUMN */
    EXPR_TUPLE,     /* (args) */
    EXPR_NEGATE,    /* -args */
    EXPR_BINARY,    /* op: + - * / %; two args */
    EXPR_ELEMENT,   /* args[0][args[1]] */
    EXPR_SLICE,     /* args[0][args[1]..args[2]]; an open end is EXPR_NOTHING */
    EXPR_FIELD,     /* args[0].text */
    EXPR_NOTHING
};

struct ast_expr {
    struct ast_expr *next; /* in an argument list */
    enum expr_kind kind;
    enum literal_kind literal;
    char op;
    bool star;
    bool term;          /* stands where no column may: prints as Cassandra's terms do, `system."_add"(1, 2)` */
    uint32_t marker;
    struct slice keyspace;
    struct slice text;
    struct slice written; /* COLUMN: its name in the case in which it stands there */
    struct ast_type *type;
    struct ast_expr *args;
    uint32_t arg_count;
    uint32_t depth;     /* of the tree below, at most PARSE_DEPTH_MAX */
    size_t field_offset; /* FIELD: where its name stands */
    size_t offset, end; /* its text is from offset to end */
};

/* ---- WHERE and IF ---- */

enum ast_operator { OP_EQ, OP_NEQ, OP_LT, OP_LTE, OP_GT, OP_GTE, OP_IN, OP_CONTAINS, OP_CONTAINS_KEY, OP_LIKE, OP_IS_NOT_NULL, OP_ANN };

enum ast_subject { SUBJECT_COLUMN, SUBJECT_COLUMNS, SUBJECT_TOKEN, SUBJECT_ELEMENT, SUBJECT_FIELD, SUBJECT_INDEX };

struct ast_relation { /* also an IF condition */
    struct ast_relation *next;
    enum ast_subject subject;
    enum ast_operator op;
    struct ast_names *columns; /* INDEX `expr(name, value)`: the index; COLUMN: one; COLUMNS `(a, b)` and TOKEN `token(a, b)`: some; ELEMENT and FIELD: one */
    struct ast_expr *element;  /* ELEMENT: c[element] */
    struct slice field;        /* FIELD: c.field */
    struct ast_expr *value;    /* the right side; of IN: the list of values linked by next (may be NULL for `IN ()`) unless in_marker */
    bool in_marker;            /* `IN ?`: value is the one marker that stands for the list */
    size_t offset, end;
};

/* ---- SELECT ---- */

struct ast_selector {
    struct ast_selector *next;
    struct ast_expr *expr;
    struct slice alias; /* null: none */
};

struct ast_ordering {
    struct ast_ordering *next;
    struct slice column;
    bool descending;
    struct ast_expr *ann; /* ORDER BY column ANN OF expr */
    size_t offset;
};

struct ast_select {
    struct ast_name table;
    bool json, distinct, star, allow_filtering;
    struct ast_selector *selectors; /* NULL with star */
    struct ast_relation *where;
    struct ast_expr *group_by;      /* EXPR_COLUMN or EXPR_FUNCTION list */
    struct ast_ordering *order_by;
    struct ast_expr *per_partition_limit, *limit; /* NULL: none */
};

/* ---- writes ---- */

struct ast_using { /* NULL: not given */
    struct ast_expr *timestamp, *ttl;
};

struct ast_insert {
    struct ast_name table;
    struct ast_using using;
    bool if_not_exists;
    bool json, default_unset;
    struct ast_expr *json_value;  /* a string constant or a marker */
    struct ast_names *columns;
    struct ast_expr *values;
};

enum ast_assign_kind {
    ASSIGN_SET,     /* c = value */
    ASSIGN_ADD,     /* c = c + value, c += value */
    ASSIGN_PREPEND, /* c = value + c */
    ASSIGN_SUB,     /* c = c - value, c -= value */
    ASSIGN_ELEMENT, /* c[element] = value */
    ASSIGN_FIELD    /* c.field = value */
};

struct ast_assignment {
    struct ast_assignment *next;
    enum ast_assign_kind kind;
    struct slice column, field;
    struct ast_expr *element, *value;
    size_t offset, end;
};

struct ast_update {
    struct ast_name table;
    struct ast_using using;
    struct ast_assignment *assignments;
    struct ast_relation *where;
    struct ast_relation *conditions; /* IF ...; NULL: none */
    bool if_exists;
};

struct ast_deletion { /* one of DELETE's columns */
    struct ast_deletion *next;
    struct slice column, field; /* field null unless c.field */
    struct ast_expr *element;   /* NULL unless c[element] */
    size_t offset;
};

struct ast_delete {
    struct ast_name table;
    struct ast_using using;
    struct ast_deletion *deletions; /* NULL: whole rows */
    struct ast_relation *where;
    struct ast_relation *conditions;
    bool if_exists;
};

enum ast_batch_kind { BATCH_LOGGED, BATCH_UNLOGGED, BATCH_COUNTER };

struct ast_batch {
    enum ast_batch_kind kind;
    struct ast_using using;
    struct ast_statement *statements; /* INSERT, UPDATE, DELETE, linked by next */
};

/* ---- schema ---- */

struct ast_property { /* WITH name = value */
    struct ast_property *next;
    struct slice name;
    bool is_map;
    struct slice value;         /* the constant's text, string quotes off */
    enum literal_kind literal;
    struct ast_pair *pairs;     /* is_map */
    size_t offset;
};

struct ast_pair {
    struct ast_pair *next;
    struct slice key, value;
};

struct ast_mask { /* MASKED WITH DEFAULT | fn(args) */
    bool is_default;
    struct ast_name function;
    struct ast_expr *args;
};

struct ast_column_def {
    struct ast_column_def *next;
    struct slice name;
    struct ast_type *type;
    bool is_static, is_primary_key, if_not_exists;
    struct ast_mask *mask;
    size_t offset;
};

struct ast_clustering_order {
    struct ast_clustering_order *next;
    struct slice column;
    bool descending;
};

struct ast_create_keyspace { struct ast_name name; bool if_not_exists; struct ast_property *properties; };
struct ast_alter_keyspace { struct ast_name name; bool if_exists; struct ast_property *properties; };

struct ast_create_table {
    struct ast_name name;
    bool if_not_exists, compact_storage;
    struct ast_column_def *columns;
    uint32_t primary_keys;           /* PRIMARY KEY clauses, inline ones included: exactly one is right */
    struct ast_names *partition_key; /* from PRIMARY KEY (...); NULL with an inline one */
    struct ast_names *clustering;
    struct ast_clustering_order *order;
    struct ast_property *properties; /* `id` too */
};

enum ast_alter_kind { ALTER_ADD, ALTER_DROP, ALTER_RENAME, ALTER_TYPE_OF_COLUMN, ALTER_WITH, ALTER_MASK, ALTER_DROP_MASK, ALTER_DROP_COMPACT };

struct ast_rename {
    struct ast_rename *next;
    struct slice from, to;
};

struct ast_alter_table {
    struct ast_name name;
    bool if_exists, column_if;        /* ADD IF NOT EXISTS, DROP IF EXISTS, RENAME IF EXISTS */
    enum ast_alter_kind kind;
    struct ast_column_def *columns;   /* ADD; MASK: name and mask; ALTER_TYPE_OF_COLUMN: name and type */
    struct ast_names *drop;
    struct ast_expr *drop_timestamp;
    struct ast_rename *renames;
    struct ast_property *properties;
};

struct ast_create_type { struct ast_name name; bool if_not_exists; struct ast_column_def *fields; };
struct ast_alter_type { /* ADD field, RENAME, or the refused ALTER field TYPE */
    struct ast_name name;
    bool if_exists, field_if;
    enum ast_alter_kind kind;
    struct ast_column_def *fields;
    struct ast_rename *renames;
};

enum ast_index_target { TARGET_SIMPLE, TARGET_KEYS, TARGET_VALUES, TARGET_ENTRIES, TARGET_FULL };
struct ast_index_column {
    struct ast_index_column *next;
    struct slice name;
    enum ast_index_target target;
};
struct ast_create_index {
    struct ast_name name; /* name null: default */
    struct ast_name table;
    bool if_not_exists, custom;
    struct ast_index_column *columns;
    struct slice using_class;  /* null: none */
    struct ast_property *properties; /* OPTIONS = {...} */
};

struct ast_create_view {
    struct ast_name name, base;
    bool if_not_exists, star, compact_storage;
    struct ast_selector *selectors;
    struct ast_relation *where;
    struct ast_names *partition_key, *clustering;
    struct ast_clustering_order *order;
    struct ast_property *properties;
};

struct ast_create_function {
    struct ast_name name;
    bool or_replace, if_not_exists, called_on_null;
    struct ast_column_def *args; /* name and type */
    struct ast_type *returns;
    struct slice language, body;
};

struct ast_create_aggregate {
    struct ast_name name;
    bool or_replace, if_not_exists;
    struct ast_type *args, *state_type;
    struct ast_name state_function, final_function; /* names without keyspace; final name null: none */
    struct ast_expr *initial;
};

struct ast_drop { /* keyspace, table, type, index, view, function, aggregate */
    struct ast_name name;
    bool if_exists;
    bool has_args;        /* functions and aggregates */
    struct ast_type *args;
};

struct ast_trigger { /* CREATE and DROP TRIGGER */
    struct slice name;
    struct ast_name table;
    bool if_flag;            /* IF NOT EXISTS, IF EXISTS */
    struct slice class_name; /* null for DROP */
};

enum ast_describe_kind { DESCRIBE_CLUSTER, DESCRIBE_SCHEMA, DESCRIBE_FULL_SCHEMA, DESCRIBE_KEYSPACES, DESCRIBE_KEYSPACE, DESCRIBE_ONLY_KEYSPACE,
                         DESCRIBE_TABLES, DESCRIBE_TABLE, DESCRIBE_INDEX, DESCRIBE_VIEW, DESCRIBE_TYPES, DESCRIBE_TYPE,
                         DESCRIBE_FUNCTIONS, DESCRIBE_FUNCTION, DESCRIBE_AGGREGATES, DESCRIBE_AGGREGATE, DESCRIBE_ANY };
struct ast_describe { enum ast_describe_kind kind; struct ast_name name; bool internals; };

/* ---- roles and permissions ---- */

struct ast_resource {
    enum resource_kind kind;
    struct ast_name name;  /* of keyspace and table or function; of a role or an MBean name.name alone */
    struct ast_type *args; /* of a function */
    bool pattern;          /* MBEANS */
};

enum role_option_kind { ROLE_SUPERUSER, ROLE_PASSWORD, ROLE_LOGIN, ROLE_OPTIONS, ROLE_HASHED_PASSWORD, ROLE_OPTION_COUNT };
const char *role_option_name(enum role_option_kind kind); /* as IRoleManager.Option has it; parse_role.c */

struct ast_access { /* ACCESS TO DATACENTERS, ACCESS FROM CIDRS */
    bool said;
    struct ast_names *names; /* NULL: all */
};

struct ast_role { /* CREATE and ALTER ROLE and USER */
    struct slice name;
    bool if_flag;
    bool given[ROLE_OPTION_COUNT];
    bool superuser, login;
    struct slice password, hashed_password;
    struct ast_access datacenters, cidr_groups;
};

struct ast_identity { struct slice identity, role; bool if_flag; };
struct ast_membership { struct slice role, grantee; }; /* GRANT role TO role, REVOKE role FROM role */
struct ast_grant { /* GRANT, REVOKE and LIST permissions */
    permissions permissions;
    struct ast_resource *resource; /* NULL: LIST without ON */
    struct slice role;             /* null: LIST without OF */
    bool recursive;                /* LIST without NORECURSIVE */
};
struct ast_list_roles { struct slice role; bool recursive; }; /* role null: without OF */

/* ---- statements ---- */

enum ast_kind {
    AST_SELECT, AST_INSERT, AST_UPDATE, AST_DELETE, AST_BATCH, AST_TRUNCATE, AST_USE,
    AST_CREATE_KEYSPACE, AST_ALTER_KEYSPACE, AST_DROP_KEYSPACE,
    AST_CREATE_TABLE, AST_ALTER_TABLE, AST_DROP_TABLE,
    AST_CREATE_TYPE, AST_ALTER_TYPE, AST_DROP_TYPE,
    AST_CREATE_INDEX, AST_DROP_INDEX,
    AST_CREATE_VIEW, AST_ALTER_VIEW, AST_DROP_VIEW,
    AST_CREATE_FUNCTION, AST_DROP_FUNCTION, AST_CREATE_AGGREGATE, AST_DROP_AGGREGATE,
    AST_CREATE_TRIGGER, AST_DROP_TRIGGER,
    AST_CREATE_ROLE, AST_ALTER_ROLE, AST_DROP_ROLE, AST_GRANT_ROLE, AST_REVOKE_ROLE,
    AST_ADD_IDENTITY, AST_DROP_IDENTITY, AST_GRANT, AST_REVOKE,
    AST_LIST_ROLES, AST_LIST_USERS, AST_LIST_PERMISSIONS,
    AST_DESCRIBE,
    AST_KIND_COUNT
};

struct ast_marker {
    struct ast_marker *next;
    struct slice name; /* null for `?` */
};

struct ast_statement {
    struct ast_statement *next; /* in a batch */
    enum ast_kind kind;
    struct slice text;          /* the whole request's */
    uint32_t marker_count;      /* of the whole request; set on the outermost statement */
    struct ast_marker *markers; /* in order */
    union {
        struct ast_select select;
        struct ast_insert insert;
        struct ast_update update;
        struct ast_delete delete_;
        struct ast_batch batch;
        struct ast_name name; /* TRUNCATE (table), USE (name.name) */
        struct ast_create_keyspace create_keyspace;
        struct ast_alter_keyspace alter_keyspace;
        struct ast_create_table create_table;
        struct ast_alter_table alter_table; /* ALTER VIEW too */
        struct ast_create_type create_type;
        struct ast_alter_type alter_type;
        struct ast_create_index create_index;
        struct ast_create_view create_view;
        struct ast_create_function create_function;
        struct ast_create_aggregate create_aggregate;
        struct ast_drop drop;
        struct ast_trigger trigger;
        struct ast_describe describe;
        struct ast_role role;
        struct ast_identity identity;
        struct ast_membership membership;
        struct ast_grant grant;
        struct ast_list_roles list_roles;
    };
};

#endif
