/*
 * host.h - the functions that the host has registered with a database (wr_function_register).
 *
 * They are of the process and not of the file. A registered function never changes and stays in memory until its
 * database closes, since a statement that was bound to it may still run: another of the same signature stands in front
 * of it.
 * 1. Types are kept as texts and looked up by whoever binds a statement, in the schema it is bound to.
 * 2. Finding takes no lock.
 */
#ifndef WR_MODEL_HOST_H
#define WR_MODEL_HOST_H

#include "model/catalog.h"
#include "widerow.h"

struct host_function {
    struct host_function *older;
    struct arena arena; /* of what follows */
    const char *name;
    struct slice keyspace;
    struct slice *args; /* types, as type_print_name prints them */
    struct slice *arg_names; /* arg0, arg1, ...: what is shown of them */
    uint32_t arg_count;
    struct slice result;
    unsigned flags;      /* enum wr_function_flags */
    wr_function_fn call; /* NULL: what was registered before is taken back */
    void *arg;
    void (*destroy)(void *arg);
    _Atomic bool withdrawn; /* registering it failed half way */
};

/* Puts a function in front of all others. Types that are not user types, or are of the schema's, are checked:
 * WR_INVALID. */
enum wr_status host_add(struct ctx *ctx, struct database *db, const struct schema *schema,
                        const struct wr_function *function, struct host_function **out);

void host_withdraw(struct host_function *function); /* as if it had never been added, but for its memory */

/* Those in force when the walk begins, newest first. A keyspace or name that is null: any. db NULL: none. */
struct host_walk {
    struct slice keyspace, name;
    const struct host_function *head, *next;
};
struct host_walk host_walk(const struct database *db, struct slice keyspace, struct slice name);
const struct host_function *host_next(struct host_walk *walk); /* NULL: no more */

/* The one of exactly these types, given as type_print_name prints them; NULL: none. */
const struct host_function *host_find(const struct database *db, struct slice keyspace, struct slice name,
                                      const struct slice *args, uint32_t arg_count);

/* What system_schema.functions says of a function; and saying it of all of a keyspace that is being made. */
struct system_function host_row(const struct host_function *function);
enum wr_status host_show_all(struct catalog_edit *edit, const struct database *db, struct slice keyspace);

void host_release(struct database *db); /* all of them, with the database */

/* A type of a keyspace, as type_print_name prints it. */
enum wr_status host_type(struct ctx *ctx, const struct schema *schema, struct slice keyspace, struct slice text,
                         const struct type **out);

/* A function's types in a schema; args has arg_count places. *known false: one of them is no type (any more). */
enum wr_status host_types(struct ctx *ctx, const struct schema *schema, const struct host_function *function,
                          const struct type **args, const struct type **result, bool *known);

#endif
