/*
 * grants.h - which permissions roles have been granted on which resources: system_auth.role_permissions, and the index that finds
 * a resource's roles (CassandraAuthorizer).
 */
#ifndef WR_MODEL_GRANTS_H
#define WR_MODEL_GRANTS_H

#include "model/auth_rows.h"
#include "model/resource.h"

/* What this very role has been granted on this very resource. */
enum wr_status grants_of(struct exec *exec, struct slice role, const struct resource *resource, permissions *out);

/* *changed: those that were not granted before, those that were. */
enum wr_status grants_add(struct exec *exec, struct slice role, const struct resource *resource, permissions set, permissions *changed);
enum wr_status grants_remove(struct exec *exec, struct slice role, const struct resource *resource, permissions set,
                             permissions *changed);

enum wr_status grants_drop_role(struct exec *exec, struct slice role);                     /* all it was granted */
enum wr_status grants_drop_resource(struct exec *exec, const struct resource *resource);   /* all that was granted on it */

struct grant {
    struct slice role, resource; /* the resource's name */
    permissions permissions;
};
/* All, in order of roles, then resources. */
enum wr_status grants_list(struct exec *exec, struct grant **out, uint32_t *count);

#endif
