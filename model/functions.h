/*
 * functions.h - the functions of users in a keyspace: those that the host has registered (host.h) and those of CREATE FUNCTION
 * (schema.h), as whoever looks for one sees them.
 *
 * 1. One of the host's stands in front of one of the schema's that has the same name and types: that is not listed.
 * 2. The host's come first, newest first, then the schema's.
 */
#ifndef WR_MODEL_FUNCTIONS_H
#define WR_MODEL_FUNCTIONS_H

#include "model/host.h"

struct user_function {
    struct slice name;
    const struct slice *texts;      /* of its arguments' types, as type_print_name prints them */
    const struct type *const *args; /* NULL: of the host's, and one of its types is not there (any more) */
    const struct type *result;      /* NULL: so, too */
    uint32_t arg_count;
    bool called_on_null;
    const struct host_function *host;   /* NULL: not the host's */
    const struct function *from_schema; /* NULL: not the schema's */
};

/* Those of a keyspace, be it there or not, of that name (null: of any). In ctx's memory; borrows from the schema. */
enum wr_status functions_list(struct ctx *ctx, const struct database *db, const struct schema *schema, struct slice keyspace,
                              struct slice name, const struct user_function **out, uint32_t *count);

/* The one of exactly these types; *out NULL: none. */
enum wr_status functions_find(struct ctx *ctx, const struct database *db, const struct schema *schema, struct slice keyspace,
                              struct slice name, const struct slice *texts, uint32_t count,
                              const struct user_function **out);

/* What system_schema.functions and DESCRIBE say of it. */
enum wr_status functions_row(struct ctx *ctx, struct slice keyspace, const struct user_function *function,
                             struct system_function *out);

#endif
