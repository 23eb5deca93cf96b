/*
 * ddl.h - what the statements that change the schema share: plan_schema.c runs one, schema_*.c say what each does.
 *
 * A statement is checked when it runs, under the writer and against the schema as it is then: what it was prepared against may
 * be older. A change that finds nothing to do (IF NOT EXISTS, IF EXISTS) leaves everything as it is, and tells nobody.
 */
#ifndef WR_MODEL_DDL_H
#define WR_MODEL_DDL_H

#include "model/catalog.h"
#include "model/catalog_code.h"

enum { DDL_NAME_MAX = 48 }; /* SchemaConstants.NAME_LENGTH: of a keyspace, and of a column with a CUSTOM index */

struct ddl {
    struct exec *exec;
    struct ctx *ctx; /* exec's */
    const struct ast_statement *ast;
    const struct schema *schema;     /* as it is under the writer */
    struct slice keyspace_name;      /* of the object the statement names */
    const struct keyspace *keyspace; /* NULL: there is none of that name */
    struct catalog_edit edit;        /* open after ddl_edit */
};

/* One function a statement. */
enum wr_status ddl_create_keyspace(struct ddl *ddl); /* schema_keyspace.c */
enum wr_status ddl_alter_keyspace(struct ddl *ddl);
enum wr_status ddl_drop_keyspace(struct ddl *ddl);
enum wr_status ddl_create_table(struct ddl *ddl); /* schema_table.c */
enum wr_status ddl_drop_table(struct ddl *ddl);
enum wr_status ddl_truncate(struct ddl *ddl);
enum wr_status ddl_alter_table(struct ddl *ddl); /* schema_alter.c */
enum wr_status ddl_create_type(struct ddl *ddl); /* schema_type.c */
enum wr_status ddl_alter_type(struct ddl *ddl);
enum wr_status ddl_drop_type(struct ddl *ddl);
enum wr_status ddl_create_index(struct ddl *ddl); /* schema_index.c */
enum wr_status ddl_drop_index(struct ddl *ddl);
enum wr_status ddl_create_view(struct ddl *ddl); /* schema_view.c */
enum wr_status ddl_alter_view(struct ddl *ddl); /* schema_view_alter.c */
enum wr_status ddl_drop_view(struct ddl *ddl);
enum wr_status ddl_create_function(struct ddl *ddl); /* schema_function.c */
enum wr_status ddl_drop_function(struct ddl *ddl);
enum wr_status ddl_create_aggregate(struct ddl *ddl);
enum wr_status ddl_drop_aggregate(struct ddl *ddl);
enum wr_status ddl_create_trigger(struct ddl *ddl); /* schema_trigger.c */
enum wr_status ddl_drop_trigger(struct ddl *ddl);

/* What Cassandra's classes look at in validate. */
enum wr_status ddl_validate_create_table(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status ddl_validate_alter_table(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status ddl_validate_truncate(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);

/* What can be told without a schema, when the statement is prepared. */
enum wr_status ddl_check_create_table(struct ctx *ctx, const struct ast_create_table *ast, bool masking);
enum wr_status ddl_check_masking(struct ctx *ctx, bool masking); /* ColumnMask.ensureEnabled */
enum wr_status ddl_check_create_view(struct ctx *ctx, const struct ast_create_view *ast, struct slice keyspace,
                                     uint32_t marker_count);

/* MASKED WITH, of a column whose name and type are set; of the table keyspace and name are looked at. */
enum wr_status ddl_bind_mask(struct ddl *ddl, const struct table *table, const struct ast_mask *ast, struct column *column);

/* ---- doing it ---- */

/* Opens ddl->edit; table null: not one table alone changes. */
void ddl_edit(struct ddl *ddl, struct slice table);

/* Ends it: the next snapshot is made, and clients are told ("CREATED", "TABLE", name). target NULL: nobody is told. */
enum wr_status ddl_done(struct ddl *ddl, const char *change, const char *target, struct slice name);

/* 0x2200 where the keyspace is one of the system's: of statements whose authorization does not see that. */
enum wr_status ddl_require_user_keyspace(struct ddl *ddl);

/* ---- pieces of definitions ---- */

enum wr_status ddl_bind_type(struct ddl *ddl, const struct ast_type *ast, const struct type **out);

/* The types of a function's parameters alone, as a list of their own. */
enum wr_status ddl_parameter_types(struct ctx *ctx, const struct ast_create_function *ast, struct ast_type **out);

/* Whether it is a user type that is not frozen and has a field that is not. */
bool ddl_has_nested_collection(const struct ddl *ddl, const struct type *type);

/* The keyspace's tables and views as messages list them. */
enum wr_status ddl_tables_in_order(struct ddl *ddl, const struct table ***out); /* schema_type.c */

/* AbstractType.isCompatibleWith: whether values of `before` are values of `type`, in the same order. */

/* A table in the making, in the run's memory: its arrays may be changed, and counts raised by the room there is. Its indexes go on
 * pointing to the columns of the table it was copied from, which do not move; table_complete finds their names anew. */
struct table_draft {
    struct table table;
    struct column *columns; /* table.columns, and so on */
    struct index *indexes;
    struct dropped_column *dropped;
};

/* A copy of a table with room for so many more of each. Needs table_complete (catalog_code.h) once it has been changed. */
enum wr_status ddl_copy_table(struct ddl *ddl, const struct table *table, uint32_t more_columns, uint32_t more_indexes,
                              uint32_t more_dropped, struct table_draft *out);

/* Dropped columns are kept in the order of Cassandra's map of them, which it makes anew with every change of a table; DESCRIBE shows it.
 * `before`: how many there were before this change. */
enum wr_status ddl_order_dropped(struct ddl *ddl, struct table_draft *draft, uint32_t before);

/* The renamings of an ALTER, in the order of the server's map of them: the first thing wrong is the one told. */
enum wr_status ddl_order_renames(struct ddl *ddl, const struct ast_rename *first, const struct ast_rename ***out, uint32_t *n);

/* 0x2400: there is a table or a view of that name. */
enum wr_status ddl_fail_exists(struct ddl *ddl, struct slice name);

/* Sets the table's id: the one its properties ask for, if it is free, or a new one. */
enum wr_status ddl_give_id(struct ddl *ddl, const struct ast_property *properties, struct table *table);

/* What a change of a table's columns is to its views: names follow, and columns that are new come into those of all columns. After
 * the table has been stored. */
enum wr_status ddl_follow_in_views(struct ddl *ddl, const struct table *before, const struct table *after); /* schema_view_alter.c */

/* TableMetadata.validate: the table's name, counters among the columns. */
enum wr_status ddl_check_table(struct ddl *ddl, const struct table *table);
/* Once for each index of vectors that the table has. */
void ddl_warn_of_vectors(struct ctx *ctx, const struct table *table);

bool name_is_valid(struct slice name); /* letters, digits, underscores */

#endif
