/*
 * resource.h - what permissions are granted on: data, roles, functions, MBeans; each a tree, whose parents pass theirs down.
 *
 * 1. A resource has a name, by which system_auth knows it (`data/k/t`), and is shown otherwise (`<table k.t>`), as IResource's
 *    getName and toString.
 * 2. resource_of_name gives back what has that name; WR_SERVER_ERROR where nothing has.
 */
#ifndef WR_MODEL_RESOURCE_H
#define WR_MODEL_RESOURCE_H

#include "engine/ctx.h"
#include "model/permission.h"

enum resource_kind {
    RESOURCE_ALL_KEYSPACES, RESOURCE_KEYSPACE, RESOURCE_ALL_TABLES, RESOURCE_TABLE,
    RESOURCE_ALL_ROLES, RESOURCE_ROLE,
    RESOURCE_ALL_FUNCTIONS, RESOURCE_KEYSPACE_FUNCTIONS, RESOURCE_FUNCTION,
    RESOURCE_ALL_MBEANS, RESOURCE_MBEAN,
};

struct resource {
    enum resource_kind kind;
    struct slice keyspace;
    struct slice name;    /* of a table, role, function or MBean */
    struct slice classes; /* of a function: the Java classes of its arguments, `^` between */
    struct slice types;   /* the same as CQL has them, `, ` between */
};

static inline struct resource resource_of(enum resource_kind kind, struct slice keyspace, struct slice name)
{
    return (struct resource){ .kind = kind, .keyspace = keyspace, .name = name };
}

static inline struct resource resource_table(struct slice keyspace, struct slice table)
{
    return resource_of(RESOURCE_TABLE, keyspace, table);
}

static inline struct resource resource_role(struct slice role)
{
    return resource_of(RESOURCE_ROLE, SLICE_NULL, role);
}

enum wr_status resource_name(struct ctx *ctx, const struct resource *resource, struct slice *out);
const char *resource_text(struct ctx *ctx, const struct resource *resource); /* NULL: no memory */
enum wr_status resource_of_name(struct ctx *ctx, struct slice name, struct resource *out);

/* False, and *out is left alone: it has none. */
bool resource_parent(const struct resource *resource, struct resource *out);

permissions resource_permissions(const struct resource *resource); /* what can be granted on it */
const char *resource_class(const struct resource *resource);       /* "DataResource" */
bool resource_is_data(const struct resource *resource);

/* The resource of a function of these types. */
struct type;
enum wr_status resource_function(struct ctx *ctx, struct slice keyspace, struct slice name, const struct type *const *types,
                                 uint32_t count, struct resource *out);

#endif
