/* Logging in, and whose permissions a statement runs with. */
#include "model/api.h"
#include "model/authorize.h"
#include "model/password.h"

/* In place of *kept; role NULL: nobody. */
static bool keep_role(char **kept, const char *role)
{
    char *copy = role ? mem_string(role, strlen(role)) : NULL;
    if (role && !copy)
        return false;
    mem_free(*kept);
    *kept = copy;
    return true;
}

static bool is_role(const char *kept, const char *role)
{
    return kept && role ? strcmp(kept, role) == 0 : kept == role;
}

enum wr_status wr_set_role(wr_db *db, const char *role)
{
    TRY(db_check_open(db));
    pthread_mutex_lock(&db->lock);
    bool ok = is_role(db->role, role) || keep_role(&db->role, role);
    pthread_mutex_unlock(&db->lock);
    return ok ? WR_OK : db_fail(db, WR_NOMEM, "out of memory");
}

enum wr_status wr_stmt_set_role(wr_stmt *stmt, const char *role)
{
    if (!stmt)
        return WR_MISUSE;
    if (is_role(stmt->role, role))
        return WR_OK;
    if (stmt->running)
        return stmt_fail(stmt, WR_MISUSE, "wr_stmt_set_role: the statement is running");
    if (!keep_role(&stmt->role, role))
        return stmt_fail(stmt, WR_NOMEM, "out of memory");
    stmt->exec.who.role = SLICE_NULL; /* until it is looked at */
    stmt->exec.who.ordinary = false;
    return WR_OK;
}

enum wr_status stmt_take_role(wr_stmt *stmt)
{
    pthread_mutex_lock(&stmt->db->lock);
    bool ok = keep_role(&stmt->role, stmt->db->role);
    pthread_mutex_unlock(&stmt->db->lock);
    return ok ? WR_OK : fail_nomem(&stmt->ctx);
}

/* ---- what a run may ---- */

static enum wr_status decide_masks(wr_stmt *stmt)
{
    const struct plan *plan = stmt->plan;
    struct exec *exec = &stmt->exec;
    bool unmasked = true;
    if (plan->ast && plan->ast->kind == AST_SELECT && atomic_load(&exec->db->masking) && table_has_masks(plan->table)) {
        struct resource resource = resource_table(plan->table->keyspace, plan->table->name);
        TRY(authorize_has(exec, PERMISSION_UNMASK, &resource, &unmasked));
    }
    stmt->hides = !unmasked;
    if (stmt->hides == stmt->masks)
        return WR_OK;
    TRY(stmt_rebind(stmt));
    exec->schema = stmt->schema;
    return WR_OK;
}

static enum wr_status decide_guardrails(struct exec *exec)
{
    const struct role_set *roles;
    TRY(authorize_roles(exec, &roles));
    exec->who.ordinary = !role_set_is_super(roles);
    return WR_OK;
}

enum wr_status stmt_authorize(wr_stmt *stmt)
{
    struct exec *exec = &stmt->exec;
    const struct plan_ops *ops = stmt->plan->ops;
    enum wr_status st = WR_OK;
    bool own;

    exec->who.role = slice_str(stmt->role);
    exec->who.roles = NULL;
    exec->who.ordinary = false;
    if (!stmt->role)
        return ops->authorize ? ops->authorize(exec, stmt->plan) : WR_OK;
    TRY(database_begin_read(&stmt->ctx, exec->db, false, &exec->txn, &own));
    if (ops->authorize)
        TRY_OUT(ops->authorize(exec, stmt->plan));
    TRY_OUT(decide_masks(stmt));
    TRY_OUT(decide_guardrails(exec));
out:
    if (own)
        txn_abort(&exec->txn);
    exec->txn = NULL;
    exec->who.roles = NULL; /* as of this moment */
    return st;
}

static enum wr_status validate(wr_stmt *stmt, bool authorize)
{
    struct exec *exec = &stmt->exec;
    enum wr_status st = WR_OK;
    bool own;
    TRY(stmt_ensure_plan(stmt));
    stmt_prepare_exec(stmt);
    if (authorize && (stmt->role || stmt->plan->ops->access == PLAN_SCHEMA))
        TRY(stmt_authorize(stmt));
    TRY(plan_check(&stmt->ctx, stmt->plan));
    if (!stmt->plan->ops->validate)
        return WR_OK;
    exec->who.role = slice_str(stmt->role);
    exec->who.roles = NULL;
    TRY(database_begin_read(&stmt->ctx, exec->db, false, &exec->txn, &own));
    st = stmt->plan->ops->validate(exec, stmt->plan);
    if (own)
        txn_abort(&exec->txn);
    exec->txn = NULL;
    exec->who.roles = NULL;
    return st;
}

enum wr_status wr_stmt_validate(wr_stmt *stmt, bool authorize)
{
    if (!stmt)
        return WR_MISUSE;
    if (stmt->running)
        return stmt_fail(stmt, WR_MISUSE, "wr_stmt_validate: the statement is running");
    return stmt->status = validate(stmt, authorize);
}

/* ---- logging in ---- */

static enum wr_status find_role(struct ctx *ctx, struct database *db, struct slice name, struct role *out, bool *found)
{
    struct schema *schema = database_schema(db);
    struct exec exec = { .ctx = ctx, .db = db, .schema = schema };
    bool own = false;
    enum wr_status st;
    TRY_OUT(database_begin_read(ctx, db, false, &exec.txn, &own));
    TRY_OUT(role_find(&exec, name, out, found));
out:
    if (own)
        txn_abort(&exec.txn);
    schema_release(schema);
    return st;
}

/* PasswordAuthenticator.authenticate, then ClientState.login. */
static enum wr_status check_password(struct ctx *ctx, struct database *db, const char *role, const char *password)
{
    struct role found_role = { .can_login = false };
    bool found, right = false;
    TRY(find_role(ctx, db, slice_str(role), &found_role, &found));
    if (found && !slice_is_null(found_role.salted_hash))
        TRY(password_is(ctx, slice_str(password), found_role.salted_hash, &right));
    if (!right)
        return fail(ctx, WR_BAD_CREDENTIALS, "Provided username %s and/or password are incorrect", role);
    if (!found_role.can_login)
        return fail(ctx, WR_BAD_CREDENTIALS, "%s is not permitted to log in", role);
    return WR_OK;
}

enum wr_status wr_login(wr_db *db, const char *role, const char *password)
{
    struct work work;
    enum wr_status st = work_begin(&work, db);
    if (st != WR_OK)
        return st;
    st = work_end(&work, db, check_password(&work.ctx, db->database, role, password));
    return st == WR_OK ? wr_set_role(db, role) : st;
}
