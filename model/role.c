#include "model/role.h"

/* ---- reading ---- */

static enum wr_status read_role(struct exec *exec, const struct auth_row *row, struct role *out)
{
    out->is_super = auth_flag(row, "is_superuser");
    out->can_login = auth_flag(row, "can_login");
    TRY(ctx_copy(exec->ctx, auth_value(row, "role"), &out->name));
    TRY(ctx_copy(exec->ctx, auth_value(row, "salted_hash"), &out->salted_hash));
    return auth_texts(exec->ctx, row, "member_of", &out->member_of);
}

enum wr_status role_find(struct exec *exec, struct slice name, struct role *out, bool *found)
{
    struct auth_row row;
    TRY(auth_row_find(exec, "roles", &name, &row, found));
    return *found ? read_role(exec, &row, out) : WR_OK;
}

/* A server asks for the row by a query, which an empty key fails. */
static enum wr_status check_key(struct exec *exec, struct slice key)
{
    return key.len ? WR_OK : fail(exec->ctx, WR_INVALID, "Key may not be empty");
}

enum wr_status role_exists(struct exec *exec, struct slice name, bool *out)
{
    struct role role;
    TRY(check_key(exec, name));
    return role_find(exec, name, &role, out);
}

static enum wr_status set_add(struct exec *exec, struct role_set *set, const struct role *role)
{
    if (set->count == set->room) {
        uint32_t room = set->room ? 2 * set->room : 4;
        struct role *list = NEW_ARRAY(exec->ctx, struct role, room);
        if (!list)
            return WR_NOMEM;
        if (set->count)
            memcpy(list, set->list, set->count * sizeof *list);
        set->list = list;
        set->room = room;
    }
    set->list[set->count++] = *role;
    return WR_OK;
}

enum wr_status role_collect(struct exec *exec, struct slice name, bool inherited, struct role_set *out)
{
    struct role role;
    bool found;
    *out = (struct role_set){ 0 };
    TRY(role_find(exec, name, &role, &found));
    if (found)
        TRY(set_add(exec, out, &role));
    for (uint32_t at = 0; at < out->count && (inherited || at == 0); at++) {
        struct texts member_of = out->list[at].member_of; /* the list may move */
        for (uint32_t i = 0; i < member_of.count; i++) {
            if (role_set_find(out, member_of.list[i]))
                continue;
            TRY(role_find(exec, member_of.list[i], &role, &found));
            if (found)
                TRY(set_add(exec, out, &role));
        }
    }
    return WR_OK;
}

enum wr_status role_all(struct exec *exec, struct role_set *out)
{
    struct auth_row *rows;
    struct role role;
    uint32_t count;
    *out = (struct role_set){ 0 };
    TRY(auth_rows_read(exec, "roles", SLICE_NULL, &rows, &count));
    for (uint32_t i = 0; i < count; i++) {
        TRY(read_role(exec, &rows[i], &role));
        TRY(set_add(exec, out, &role));
    }
    return WR_OK;
}

const struct role *role_set_find(const struct role_set *set, struct slice name)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (slice_eq(set->list[i].name, name))
            return &set->list[i];
    return NULL;
}

bool role_set_is_super(const struct role_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->list[i].is_super)
            return true;
    return false;
}

/* ---- changing ---- */

static void begin(struct exec *exec, struct system_rows *rows)
{
    system_rows_init(rows, exec->ctx, exec->txn, exec->schema);
}

static enum wr_status put_row(struct exec *exec, const char *table, const struct slice *keys, uint32_t key_count,
                              const struct system_value *values, uint32_t value_count)
{
    struct system_rows rows;
    begin(exec, &rows);
    TRY(system_rows_put(&rows, AUTH_KEYSPACE, table, keys, key_count, values, value_count));
    return system_rows_apply(&rows);
}

static enum wr_status delete_row(struct exec *exec, const char *table, const struct slice *keys, uint32_t key_count)
{
    struct system_rows rows;
    begin(exec, &rows);
    TRY(system_rows_delete(&rows, AUTH_KEYSPACE, table, keys, key_count));
    return system_rows_apply(&rows);
}

enum wr_status role_create(struct exec *exec, const struct role *role)
{
    struct system_value values[3] = { { "is_superuser", auth_flag_value(role->is_super) },
                                      { "can_login", auth_flag_value(role->can_login) },
                                      { "salted_hash", role->salted_hash } };
    return put_row(exec, "roles", &role->name, 1, values, slice_is_null(role->salted_hash) ? 2 : 3);
}

enum wr_status role_alter(struct exec *exec, struct slice name, const struct role_change *change)
{
    struct system_value values[3];
    uint32_t count = 0;
    if (change->is_super)
        values[count++] = (struct system_value){ "is_superuser", auth_flag_value(*change->is_super) };
    if (change->can_login)
        values[count++] = (struct system_value){ "can_login", auth_flag_value(*change->can_login) };
    if (!slice_is_null(change->salted_hash))
        values[count++] = (struct system_value){ "salted_hash", change->salted_hash };
    return count ? put_row(exec, "roles", &name, 1, values, count) : WR_OK;
}

/* What a role is a member of, one more or one less; of a role that is not there (any more): nothing is done. */
static enum wr_status change_membership(struct exec *exec, struct slice member, struct slice role, bool is_member)
{
    struct system_value value = { .column = "member_of" };
    struct texts left = { NULL, 0 };
    struct role found_role;
    bool found;
    TRY(role_find(exec, member, &found_role, &found));
    if (!found)
        return WR_OK;
    if (!(left.list = NEW_ARRAY(exec->ctx, struct slice, (size_t)found_role.member_of.count + 1)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < found_role.member_of.count; i++)
        if (!slice_eq(found_role.member_of.list[i], role))
            left.list[left.count++] = found_role.member_of.list[i];
    if (is_member)
        left.list[left.count++] = role;
    TRY(auth_texts_pack(exec->ctx, &left, &value.value));
    return put_row(exec, "roles", &member, 1, &value, 1);
}

enum wr_status role_grant(struct exec *exec, struct slice role, struct slice grantee)
{
    TRY(change_membership(exec, grantee, role, true));
    return put_row(exec, "role_members", (struct slice[]){ role, grantee }, 2, NULL, 0);
}

enum wr_status role_revoke(struct exec *exec, struct slice role, struct slice grantee)
{
    TRY(change_membership(exec, grantee, role, false));
    return delete_row(exec, "role_members", (struct slice[]){ role, grantee }, 2);
}

static enum wr_status drop_members(struct exec *exec, struct slice name)
{
    struct auth_row *rows;
    uint32_t count;
    TRY(auth_rows_read(exec, "role_members", name, &rows, &count));
    for (uint32_t i = 0; i < count; i++)
        TRY(change_membership(exec, auth_value(&rows[i], "member"), name, false));
    return count ? delete_row(exec, "role_members", &name, 1) : WR_OK;
}

static enum wr_status drop_identities(struct exec *exec, struct slice name)
{
    struct auth_row *rows;
    uint32_t count;
    TRY(auth_rows_read(exec, "identity_to_role", SLICE_NULL, &rows, &count));
    for (uint32_t i = 0; i < count; i++)
        if (slice_eq(auth_value(&rows[i], "role"), name))
            TRY(role_drop_identity(exec, auth_value(&rows[i], "identity")));
    return WR_OK;
}

/* CassandraNetworkAuthorizer keeps a role's row under the name of its resource. */
static enum wr_status network_key(struct exec *exec, struct slice name, struct slice *out)
{
    const char *text = ctx_format(exec->ctx, "roles/%.*s", SLICE_ARG(name));
    if (!text)
        return WR_NOMEM;
    *out = slice_str(text);
    return WR_OK;
}

enum wr_status role_drop(struct exec *exec, struct slice name)
{
    struct slice key;
    TRY(delete_row(exec, "roles", &name, 1));
    TRY(drop_members(exec, name));
    TRY(drop_identities(exec, name));
    TRY(network_key(exec, name, &key));
    TRY(delete_row(exec, "network_permissions", &key, 1));
    return delete_row(exec, "cidr_permissions", &name, 1);
}

/* ---- where they may come from ---- */

enum wr_status role_datacenters(struct exec *exec, const struct role_set *roles, struct slice name, struct texts *out,
                                bool *all)
{
    const struct role *role = role_set_find(roles, name);
    struct auth_row row;
    struct slice key;
    bool found;
    *out = (struct texts){ NULL, 0 };
    *all = false;
    if (!role || !role->can_login)
        return WR_OK;
    *all = true;
    if (role_set_is_super(roles))
        return WR_OK;
    TRY(network_key(exec, name, &key));
    TRY(auth_row_find(exec, "network_permissions", &key, &row, &found));
    if (found)
        TRY(auth_texts(exec->ctx, &row, "dcs", out));
    *all = out->count == 0;
    return WR_OK;
}

enum wr_status role_set_datacenters(struct exec *exec, struct slice name, const struct texts *datacenters)
{
    struct system_value value = { .column = "dcs" };
    struct slice key;
    TRY(network_key(exec, name, &key));
    TRY(auth_texts_pack(exec->ctx, datacenters, &value.value));
    return put_row(exec, "network_permissions", &key, 1, &value, 1);
}

enum wr_status role_set_cidr_groups(struct exec *exec, struct slice name, const struct texts *groups)
{
    struct system_value value = { .column = "cidr_groups" };
    TRY(auth_texts_pack(exec->ctx, groups, &value.value));
    return put_row(exec, "cidr_permissions", &name, 1, &value, 1);
}

enum wr_status role_cidr_groups(struct exec *exec, struct texts *out)
{
    struct auth_row *rows;
    TRY(auth_rows_read(exec, "cidr_groups", SLICE_NULL, &rows, &out->count));
    if (!(out->list = NEW_ARRAY(exec->ctx, struct slice, out->count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < out->count; i++)
        out->list[i] = auth_value(&rows[i], "cidr_group");
    return WR_OK;
}

/* ---- identities ---- */

enum wr_status role_identity_exists(struct exec *exec, struct slice identity, bool *out)
{
    struct auth_row row;
    TRY(check_key(exec, identity));
    return auth_row_find(exec, "identity_to_role", &identity, &row, out);
}

enum wr_status role_add_identity(struct exec *exec, struct slice identity, struct slice role)
{
    return put_row(exec, "identity_to_role", &identity, 1, &(struct system_value){ "role", role }, 1);
}

enum wr_status role_drop_identity(struct exec *exec, struct slice identity)
{
    return delete_row(exec, "identity_to_role", &identity, 1);
}

enum wr_status role_has_identity(struct exec *exec, struct slice name, bool *out)
{
    struct auth_row *rows;
    uint32_t count;
    *out = false;
    TRY(auth_rows_read(exec, "identity_to_role", SLICE_NULL, &rows, &count));
    for (uint32_t i = 0; i < count && !*out; i++)
        *out = slice_eq(auth_value(&rows[i], "role"), name);
    return WR_OK;
}
