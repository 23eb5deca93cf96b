/*
 * role.h - roles, as system_auth has them (CassandraRoleManager): who there is, what they are members of, which identities of
 * certificates are theirs, and from which datacenters they may come.
 *
 * Nothing here asks whether somebody may do it (authorize.h).
 */
#ifndef WR_MODEL_ROLE_H
#define WR_MODEL_ROLE_H

#include "model/auth_rows.h"

struct role {
    struct slice name, salted_hash; /* hash null: no password */
    bool is_super, can_login;       /* its own */
    struct texts member_of;
};

struct role_set { /* a role, and those it is a member of */
    struct role *list;
    uint32_t count, room;
};

enum wr_status role_find(struct exec *exec, struct slice name, struct role *out, bool *found);
enum wr_status role_exists(struct exec *exec, struct slice name, bool *out); /* no name: WR_INVALID */

/* The role itself first, then what it has been granted; inherited: and what those have, and so on. A role that is not there has none. */
enum wr_status role_collect(struct exec *exec, struct slice name, bool inherited, struct role_set *out);
enum wr_status role_all(struct exec *exec, struct role_set *out);
const struct role *role_set_find(const struct role_set *set, struct slice name); /* NULL: none */
bool role_set_is_super(const struct role_set *set);

/* ---- changing them ---- */

enum wr_status role_create(struct exec *exec, const struct role *role);
struct role_change {
    const bool *is_super, *can_login;  /* NULL: as it is */
    struct slice salted_hash;          /* null: as it is */
};
enum wr_status role_alter(struct exec *exec, struct slice name, const struct role_change *change);
enum wr_status role_drop(struct exec *exec, struct slice name); /* and memberships, identities, datacenters */
enum wr_status role_grant(struct exec *exec, struct slice role, struct slice grantee);
enum wr_status role_revoke(struct exec *exec, struct slice role, struct slice grantee);

/* ---- where they may come from ---- */

/* CassandraNetworkAuthorizer.authorize, as LIST ROLES shows it; roles: of the role. Nothing: "n/a". */
enum wr_status role_datacenters(struct exec *exec, const struct role_set *roles, struct slice name, struct texts *out, bool *all);
enum wr_status role_set_datacenters(struct exec *exec, struct slice name, const struct texts *datacenters);
enum wr_status role_set_cidr_groups(struct exec *exec, struct slice name, const struct texts *groups);
enum wr_status role_cidr_groups(struct exec *exec, struct texts *out); /* all there are */

/* ---- identities ---- */

enum wr_status role_identity_exists(struct exec *exec, struct slice identity, bool *out); /* likewise */
enum wr_status role_add_identity(struct exec *exec, struct slice identity, struct slice role);
enum wr_status role_drop_identity(struct exec *exec, struct slice identity);
enum wr_status role_has_identity(struct exec *exec, struct slice name, bool *out);

#endif
