/*
 * authorize.h - whether the role of a run may do what it is about to (ClientState): exec->who.role, as it is and as its permissions are
 * right then. Where nobody has logged in everything is allowed but changing what is the system's.
 *
 * Refusals are WR_UNAUTHORIZED with Cassandra's texts.
 */
#ifndef WR_MODEL_AUTHORIZE_H
#define WR_MODEL_AUTHORIZE_H

#include "model/resource.h"
#include "model/role.h"

/* The role may come from here (validateLogin). One that is gone may not. */
enum wr_status authorize_login(struct exec *exec);

/* Of tables and keyspaces, for statements of data and of schema (ensureKeyspacePermission and its kin). */
enum wr_status authorize_data(struct exec *exec, enum permission permission, const struct resource *resource);
enum wr_status authorize_table(struct exec *exec, enum permission permission, const struct table *table);

/* Of any resource (ensurePermission). */
enum wr_status authorize_resource(struct exec *exec, enum permission permission, const struct resource *resource);

/* EXECUTE of every function that a plan calls. */
enum wr_status authorize_functions(struct exec *exec, const struct plan *plan);

/* Without refusing: on the resource or what it lies in; nobody has all. */
enum wr_status authorize_has(struct exec *exec, enum permission permission, const struct resource *resource, bool *out);

/* All it has on this resource itself (AuthenticatedUser.getPermissions). */
enum wr_status authorize_granted(struct exec *exec, const struct resource *resource, permissions *out);

/* The role of the run and what it is a member of. */
enum wr_status authorize_roles(struct exec *exec, const struct role_set **out);

/* ---- statements of schema; authorize_schema.c ---- */

/* What needs more than one permission on a resource that its name tells; keyspace: that the statement's object lies in. */
enum wr_status authorize_drop_index(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status authorize_create_view(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status authorize_alter_view(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status authorize_drop_view(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status authorize_create_function(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status authorize_create_aggregate(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);
enum wr_status authorize_drop_function(struct exec *exec, const struct ast_statement *ast, struct slice keyspace); /* or aggregate */
enum wr_status authorize_trigger(struct exec *exec, const struct ast_statement *ast, struct slice keyspace);

/* After exec->made.change of something: its creator has all permissions on it, and nobody has any on what is gone. before: the keyspace as it was. */
enum wr_status authorize_changed(struct exec *exec, const struct plan *plan, const struct keyspace *before);

#endif
