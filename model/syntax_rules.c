#include "model/syntax_rules.h"

#include <stddef.h>

/* clang-format off */
const char *const syntax_rules[] = {
    "request: statement SEMICOLON* END",
    "alone: statement END",
    "statement!: select | insert | update | batch | delete | use | truncate | create_keyspace | create_table | create_index"
    " | drop_keyspace | drop_table | drop_index | alter_table | alter_keyspace | grant_permissions | revoke_permissions"
    " | list_permissions | create_user | alter_user | drop_user | list_users | create_trigger | drop_trigger | create_type"
    " | alter_type | drop_type | create_function | drop_function | create_aggregate | drop_aggregate | create_role"
    " | alter_role | drop_role | list_roles | grant_role | revoke_role | create_view | drop_view | alter_view | describe"
    " | add_identity | drop_identity",

    /* names */
    "ident: IDENT | QUOTED | @free | @native | @special",
    "column: EMPTY_QUOTED | ident",
    "keyspace_name: IDENT | QUOTED | @free | @native | @special | QMARK",
    "bare_table: IDENT | QUOTED | @free | @native | @special | QMARK",
    "bare_index: IDENT | QUOTED | @free | @native | @special | QMARK",
    "index_name: ( keyspace_name DOT )?! bare_index",
    "table_name: ( keyspace_name DOT )?! bare_table",
    "type_word: IDENT | QUOTED | @free | KEY",
    "type_name: ( ident DOT )? type_word",
    "function_word: IDENT | QUOTED | @free | @native | TOKEN | COUNT",
    "function_name: ( keyspace_name DOT )?! function_word",
    "role_name: IDENT | STRING | QUOTED | @free | @native | @special | QMARK",
    "user_name: IDENT | STRING | QUOTED",
    "if_exists: IF EXISTS",
    "if_not_exists: IF NOT EXISTS",

    /* types */
    "type!: @native | collection_type | tuple_type | vector_type | type_name | FROZEN LT type GT | class",
    "class: STRING",
    "collection_type: MAP LT type COMMA type GT | LIST LT type GT | SET LT type GT",
    "tuple_type: TUPLE LT type ( COMMA type )* GT",
    "vector_type: VECTOR LT type COMMA INTEGER GT",
    "native: @native",

    /* constants and terms */
    "constant: STRING | INTEGER | FLOATING | TRUTH | PERIOD | UUID_VALUE | HEX | <NAN NEGATIVE_NAN> | INFINITY"
    " | NEGATIVE_INFINITY",
    "full_map: LC ( term COLON term ( COMMA term COLON term )* )? RC",
    "set_or_map: map_rest | set_rest",
    "set_rest: ( COMMA term )*",
    "map_rest: COLON term ( COMMA term COLON term )*",
    "collection: list_literal | LC term set_or_map RC | LC RC",
    "list_literal: LB ( term ( COMMA term )* )? RB",
    "user_type_literal: LC ident COLON term ( COMMA ident COLON term )* RC",
    "tuple: LP term ( COMMA term )* RP",
    "value!: constant | collection | user_type_literal | tuple | NULL | COLON ident | QMARK",
    "int_value: INTEGER | COLON ident | QMARK",
    "function!: function_name LP RP | function_name LP function_args RP",
    "function_args: term ( COMMA term )*",
    "term: addition",
    "addition: product ( PLUS product | MINUS product )*!",
    "product: signed ( STAR signed | SLASH signed | PERCENT signed )*",
    "signed: simple | MINUS simple",
    "simple!: value | function | LP type RP simple | CAST LP simple AS native RP",

    /* SELECT */
    "select: SELECT ( {json_clause} JSON )?! select_clause FROM table_name ( WHERE where )?"
    " ( GROUP BY expr ( COMMA expr )* )? ( ORDER BY ordering ( COMMA ordering )* )?"
    " ( PER PARTITION LIMIT int_value )? ( LIMIT int_value )? ( ALLOW FILTERING )?",
    "json_clause: JSON select_clause",
    "distinct_clause: DISTINCT selectors",
    "select_clause!: {distinct_clause} DISTINCT selectors | selectors",
    "selectors: selector ( COMMA selector )* | STAR",
    "selector: expr ( AS ident )?",
    "expr: expr_addition",
    "expr_addition: expr_product ( PLUS expr_product | MINUS expr_product )*",
    "expr_product: group ( STAR group | SLASH group | PERCENT group )*",
    "group!: {path} path | atom | MINUS group",
    "path: atom modifier",
    "modifier: field modifier | LB subscript RB modifier | ",
    "field: DOT ident",
    "subscript: term ( RANGE term? )? | RANGE term",
    "atom!: simple_selector | {type_hint} type_hint | nested | expr_list | expr_braces",
    "type_hint: LP type RP atom",
    "expr_list: LB ( expr ( COMMA expr )* )? RB",
    "expr_braces: LC expr ( expr_map | expr_set ) RC | LC RC",
    "expr_map: COLON expr ( COMMA expr COLON expr )*",
    "expr_set: ( COMMA expr )*",
    "nested: LP expr ( COMMA expr )* RP",
    "simple_selector!: ident | literal | call",
    "call!: COUNT LP STAR RP | MAXWRITETIME LP ident modifier RP | WRITETIME LP ident modifier RP | TTL LP ident modifier RP"
    " | CAST LP expr AS native RP | function_name call_args",
    "literal: constant | NULL | COLON ident | QMARK",
    "call_args: LP ( expr ( COMMA expr )* )? RP",
    "ordering: column ( ANN OF term )? ( ASC | DESC )?",

    /* WHERE */
    "where: where_one ( AND where_one )*",
    "where_one: relation | EXPR_LP bare_index COMMA term RP",
    "relation!: column operator term | column LIKE term | column IS NOT NULL | TOKEN columns operator term | column IN in_marker"
    " | column IN in_values | column contains term | column LB term RB operator term"
    " | columns ( IN ( LP RP | in_marker | tuples | markers ) | operator tuple | operator marker )! | LP relation RP",
    "operator: EQ | LT | LTE | GT | GTE | NEQ",
    "contains: CONTAINS KEY?",
    "in_marker: QMARK | COLON ident",
    "marker: QMARK | COLON ident",
    "columns: LP column ( COMMA column )* RP",
    "in_values: LP ( term ( COMMA term )* )? RP",
    "tuples: LP tuple ( COMMA tuple )* RP",
    "markers: LP marker ( COMMA marker )* RP",

    /* writes */
    "insert: INSERT INTO table_name ( insert_values | JSON insert_json )",
    "insert_values: LP column ( COMMA column )* RP VALUES LP term ( COMMA term )* RP if_not_exists? using?",
    "insert_json: json_value ( DEFAULT ( NULL | UNSET ) )? if_not_exists? using?",
    "json_value: STRING | COLON ident | QMARK",
    "using: USING using_one ( AND using_one )*",
    "using_one: TIMESTAMP int_value | TTL int_value",
    "using_timestamp: USING TIMESTAMP int_value",
    "update: UPDATE table_name using? SET assignment ( COMMA assignment )* WHERE where ( IF ( EXISTS | conditions ) )?",
    "delete: DELETE deletions? FROM table_name using_timestamp? WHERE where ( IF ( EXISTS | conditions ) )?",
    "deletions: deletion ( COMMA deletion )*",
    "deletion!: column | column LB term RB | column DOT ident",
    "batch: BEGIN ( UNLOGGED | COUNTER )? BATCH using? ( batched SEMICOLON? )* APPLY BATCH",
    "batched: insert | update | delete",
    "assignment: column assignment_rest",
    "assignment_rest: EQ plain_assignment | <PLUS_EQ MINUS_EQ> term | LB term RB EQ term | DOT ident EQ term",
    "plain_assignment!: term ( PLUS column )? | column <PLUS MINUS> term | column INTEGER",
    "conditions: condition ( AND condition )*",
    "condition: column ( operator term | contains term | IN ( in_values | in_marker )"
    " | LB term RB ( operator term | IN ( in_values | in_marker ) )"
    " | DOT ident ( operator term | IN ( in_values | in_marker ) ) )",

    /* schema */
    "use: USE keyspace_name",
    "truncate: TRUNCATE COLUMNFAMILY? table_name",
    "properties: property ( AND property )*",
    "property!: ident EQ property_value | ident EQ full_map",
    "property_value: constant | @free | @native | @special",
    "create_keyspace: CREATE KEYSPACE if_not_exists? keyspace_name WITH properties",
    "alter_keyspace: ALTER KEYSPACE if_exists? keyspace_name WITH properties",
    "drop_keyspace: DROP KEYSPACE if_exists? keyspace_name",
    "create_table: CREATE COLUMNFAMILY if_not_exists? table_name table_definition",
    "table_definition: LP table_item ( COMMA table_item? )* RP ( WITH table_property ( AND table_property )* )?",
    "table_item: ident type STATIC? mask? ( PRIMARY KEY )? | PRIMARY KEY LP partition_key ( COMMA ident )* RP",
    "mask: MASKED WITH function_name mask_args | MASKED WITH DEFAULT",
    "mask_args: LP RP | LP term ( COMMA term )* RP",
    "partition_key: ident | LP ident ( COMMA ident )* RP",
    "table_property: property | COMPACT STORAGE"
    " | CLUSTERING ORDER BY LP clustering_order ( COMMA clustering_order )* RP",
    "clustering_order: ident ( ASC | DESC )",
    "alter_table: ALTER COLUMNFAMILY if_exists? table_name ( ALTER column TYPE type"
    " | ALTER if_exists? column ( mask | DROP MASKED )"
    " | ADD if_not_exists? ( ident type is_static mask? | LP ident type is_static mask? ( COMMA ident type is_static mask? )* RP )"
    " | DROP if_exists? ( ident | LP ident ( COMMA ident )* RP ) ( USING TIMESTAMP INTEGER )?"
    " | RENAME if_exists? ident TO ident ( AND ident TO ident )*"
    " | DROP COMPACT STORAGE | WITH properties )!",
    "is_static: STATIC?",
    "drop_table: DROP COLUMNFAMILY if_exists? table_name",
    "create_type: CREATE TYPE if_not_exists? type_name LP type_field ( COMMA type_field? )* RP",
    "type_field: ident type",
    "alter_type: ALTER TYPE if_exists? type_name ( ALTER ident TYPE type | ADD if_not_exists? ident type"
    " | RENAME if_exists? ident TO ident ( AND ident TO ident )* )",
    "drop_type: DROP TYPE if_exists? type_name",
    "create_index: CREATE CUSTOM? INDEX if_not_exists? bare_index? ON table_name LP ( index_column ( COMMA index_column )* )? RP"
    " ( USING STRING )? ( WITH properties )?",
    "index_column: column | VALUES LP column RP | KEYS LP column RP | ENTRIES LP column RP | FULL LP column RP",
    "drop_index: DROP INDEX if_exists? index_name",
    "create_view: CREATE MATERIALIZED VIEW if_not_exists? table_name AS SELECT selectors FROM table_name ( WHERE where )?"
    " view_key ( WITH table_property ( AND table_property )* )?",
    "view_key: PRIMARY KEY LP partition_key ( COMMA ident )* RP",
    "alter_view: ALTER MATERIALIZED VIEW if_exists? table_name WITH properties",
    "drop_view: DROP MATERIALIZED VIEW if_exists? table_name",
    "create_function: CREATE ( OR REPLACE )? FUNCTION if_not_exists? function_name LP ( ident type ( COMMA ident type )* )? RP"
    " ( RETURNS NULL | CALLED ) ON NULL INPUT RETURNS type LANGUAGE IDENT AS STRING",
    "types: LP ( type ( COMMA type )* )? RP",
    "drop_function: DROP FUNCTION if_exists? function_name types?",
    "create_aggregate: CREATE ( OR REPLACE )? AGGREGATE if_not_exists? function_name types SFUNC function_word STYPE type"
    " ( FINALFUNC function_word )? ( INITCOND term )?",
    "drop_aggregate: DROP AGGREGATE if_exists? function_name types?",
    "create_trigger: CREATE TRIGGER if_not_exists? ident ON table_name USING STRING",
    "drop_trigger: DROP TRIGGER if_exists? ident ON table_name",
    "describe: <DESCRIBE DESC> ( {} CLUSTER | FULL? SCHEMA | {} KEYSPACES | ONLY? KEYSPACE keyspace_name? | {} TABLES | COLUMNFAMILY table_name"
    " | INDEX table_name | MATERIALIZED VIEW table_name | {} TYPES | TYPE type_name | {} FUNCTIONS | FUNCTION function_name"
    " | {} AGGREGATES | AGGREGATE function_name | ( ident DOT )?! ident )! ( WITH INTERNALS )?",

    /* roles */
    "grant_permissions: GRANT permissions ON resource TO role_name",
    "revoke_permissions: REVOKE permissions ON resource FROM role_name",
    "grant_role: GRANT role_name TO role_name",
    "revoke_role: REVOKE role_name FROM role_name",
    "list_permissions: LIST permissions ( ON resource )? ( OF role_name )? NORECURSIVE?",
    "permission: <CREATE ALTER DROP SELECT MODIFY AUTHORIZE DESCRIBE EXECUTE UNMASK SELECT_MASKED>",
    "permissions: ALL PERMISSIONS? | permission PERMISSION? ( COMMA permission PERMISSION? )*",
    "resource!: data_resource | role_resource | function_resource | jmx_resource",
    "data_resource!: ALL KEYSPACES | KEYSPACE keyspace_name | COLUMNFAMILY? table_name | ALL TABLES IN KEYSPACE keyspace_name",
    "jmx_resource: ALL MBEANS | MBEAN STRING | MBEANS STRING",
    "role_resource: ALL ROLES | ROLE role_name",
    "function_resource: ALL FUNCTIONS | ALL FUNCTIONS IN KEYSPACE keyspace_name | FUNCTION function_name types",
    "create_user: CREATE USER if_not_exists? user_name ( WITH user_password )? ( SUPERUSER | NOSUPERUSER )?",
    "alter_user: ALTER USER if_exists? user_name ( WITH user_password )? ( SUPERUSER | NOSUPERUSER )?",
    "drop_user: DROP USER if_exists? user_name",
    "user_password: PASSWORD STRING | HASHED PASSWORD STRING",
    "add_identity: ADD IDENTITY if_not_exists? user_name TO ROLE user_name",
    "drop_identity: DROP IDENTITY if_exists? user_name",
    "list_users: LIST USERS",
    "create_role: CREATE ROLE if_not_exists? role_name ( WITH role_options )?",
    "alter_role: ALTER ROLE if_exists? role_name ( WITH role_options )?",
    "drop_role: DROP ROLE if_exists? role_name",
    "list_roles: LIST ROLES ( OF role_name )? NORECURSIVE?",
    "role_options: role_option ( AND role_option )*",
    "role_option!: PASSWORD EQ STRING | HASHED PASSWORD EQ STRING | OPTIONS EQ full_map | SUPERUSER EQ TRUTH | LOGIN EQ TRUTH"
    " | ACCESS TO ALL DATACENTERS | ACCESS TO DATACENTERS LC dc_permission ( COMMA dc_permission )* RC"
    " | ACCESS FROM ALL CIDRS | ACCESS FROM CIDRS LC cidr_permission ( COMMA cidr_permission )* RC",
    "dc_permission: STRING",
    "cidr_permission: STRING",
    NULL,
};
/* clang-format on */
