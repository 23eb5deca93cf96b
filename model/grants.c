#include "model/grants.h"

#include <stdlib.h>

#define BY_ROLE     "role_permissions"
#define BY_RESOURCE "resource_role_permissons_index" /* as Cassandra spells it */

static enum wr_status read_set(struct exec *exec, const struct auth_row *row, permissions *out)
{
    struct texts names;
    *out = PERMISSIONS_NONE;
    TRY(auth_texts(exec->ctx, row, "permissions", &names));
    for (uint32_t i = 0; i < names.count; i++)
        *out |= permission_of_name(names.list[i]);
    return WR_OK;
}

enum wr_status grants_of(struct exec *exec, struct slice role, const struct resource *resource, permissions *out)
{
    struct slice keys[2] = { role };
    struct auth_row row;
    bool found;
    *out = PERMISSIONS_NONE;
    TRY(resource_name(exec->ctx, resource, &keys[1]));
    TRY(auth_row_find(exec, BY_ROLE, keys, &row, &found));
    return found ? read_set(exec, &row, out) : WR_OK;
}

/* ---- changing ---- */

static enum wr_status pack(struct exec *exec, permissions set, struct slice *out)
{
    struct slice list[PERMISSION_COUNT];
    struct texts texts = { list, 0 };
    for (int p = 0; p < PERMISSION_COUNT; p++)
        if (permissions_have(set, (enum permission)p))
            list[texts.count++] = slice_str(permission_name((enum permission)p));
    return auth_texts_pack(exec->ctx, &texts, out);
}

/* What a role has on a resource, and the rows that will say what it is to have. */
struct grant_change {
    struct exec *exec;
    struct slice role, name; /* the resource's */
    permissions before;
    struct system_rows rows;
};

static enum wr_status begin(struct exec *exec, struct slice role, const struct resource *resource, struct grant_change *out)
{
    *out = (struct grant_change){ .exec = exec, .role = role };
    TRY(grants_of(exec, role, resource, &out->before));
    TRY(resource_name(exec->ctx, resource, &out->name));
    system_rows_init(&out->rows, exec->ctx, exec->txn, exec->schema);
    return WR_OK;
}

static enum wr_status put_set(struct grant_change *change, permissions set)
{
    struct system_value value = { .column = "permissions" };
    TRY(pack(change->exec, set, &value.value));
    return system_rows_put(&change->rows, AUTH_KEYSPACE, BY_ROLE, (struct slice[]){ change->role, change->name }, 2, &value, 1);
}

enum wr_status grants_add(struct exec *exec, struct slice role, const struct resource *resource, permissions set,
                          permissions *changed)
{
    struct grant_change change;
    TRY(begin(exec, role, resource, &change));
    *changed = set & (permissions)~change.before;
    if (!*changed)
        return WR_OK;
    TRY(put_set(&change, change.before | set));
    TRY(system_rows_put(&change.rows, AUTH_KEYSPACE, BY_RESOURCE, (struct slice[]){ change.name, role }, 2, NULL, 0));
    return system_rows_apply(&change.rows);
}

enum wr_status grants_remove(struct exec *exec, struct slice role, const struct resource *resource, permissions set,
                             permissions *changed)
{
    struct grant_change change;
    TRY(begin(exec, role, resource, &change));
    *changed = set & change.before;
    permissions left = change.before & (permissions)~set;
    if (!*changed)
        return WR_OK;
    if (left)
        TRY(put_set(&change, left));
    else /* a row of a set alone is gone with it */
        TRY(system_rows_delete(&change.rows, AUTH_KEYSPACE, BY_ROLE, (struct slice[]){ role, change.name }, 2));
    /* also where some are left: CassandraAuthorizer.revoke */
    TRY(system_rows_delete(&change.rows, AUTH_KEYSPACE, BY_RESOURCE, (struct slice[]){ change.name, role }, 2));
    return system_rows_apply(&change.rows);
}

/* The rows found in one table under a key go from both. */
static enum wr_status drop_both(struct exec *exec, const char *from, const char *key_column, const char *other,
                                struct slice key)
{
    struct auth_row *found;
    struct system_rows rows;
    uint32_t count;
    TRY(auth_rows_read(exec, from, key, &found, &count));
    if (!count)
        return WR_OK;
    system_rows_init(&rows, exec->ctx, exec->txn, exec->schema);
    for (uint32_t i = 0; i < count; i++) {
        struct slice keys[2] = { auth_value(&found[i], key_column), key };
        TRY(system_rows_delete(&rows, AUTH_KEYSPACE, other, keys, 2));
    }
    TRY(system_rows_delete(&rows, AUTH_KEYSPACE, from, &key, 1));
    return system_rows_apply(&rows);
}

enum wr_status grants_drop_role(struct exec *exec, struct slice role)
{
    return drop_both(exec, BY_ROLE, "resource", BY_RESOURCE, role);
}

enum wr_status grants_drop_resource(struct exec *exec, const struct resource *resource)
{
    struct slice name;
    TRY(resource_name(exec->ctx, resource, &name));
    return drop_both(exec, BY_RESOURCE, "role", BY_ROLE, name);
}

/* ---- listing ---- */

static int cmp_grants(const void *a, const void *b)
{
    const struct grant *x = a, *y = b;
    int c = slice_cmp(x->role, y->role);
    return c ? c : slice_cmp(x->resource, y->resource);
}

enum wr_status grants_list(struct exec *exec, struct grant **out, uint32_t *count)
{
    struct auth_row *rows;
    TRY(auth_rows_read(exec, BY_ROLE, SLICE_NULL, &rows, count));
    if (!(*out = NEW_ARRAY(exec->ctx, struct grant, *count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < *count; i++) {
        struct grant *grant = &(*out)[i];
        grant->role = auth_value(&rows[i], "role");
        grant->resource = auth_value(&rows[i], "resource");
        TRY(read_set(exec, &rows[i], &grant->permissions));
    }
    qsort(*out, *count, sizeof **out, cmp_grants);
    return WR_OK;
}
