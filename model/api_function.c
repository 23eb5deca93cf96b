/* Functions of the host: registering them, and what their callbacks are given. */
#include "model/api.h"
#include "model/failure.h"
#include "model/expr.h"
#include "model/func.h"
#include "model/host.h"
#include "model/literal.h"
#include "model/parse.h"
#include "model/signature.h"
#include "model/system.h"
#include "model/value.h"

/* ---- calls ---- */

struct wr_call {
    const struct call *call;
    const struct slice *args;
    struct slice result;
    enum wr_status status;
};

enum wr_status func_call_host(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct host_function *host = call->func->host;
    struct wr_call c = { .call = call, .args = args, .result = SLICE_NULL };

    host->call(&c, host->arg);
    if (c.status == WR_OK && !slice_is_null(c.result))
        c.status = type_validate(call->ctx, call->func->result, c.result);
    *out = c.result;
    return c.status == WR_OK ? WR_OK : failure_of_call(call->ctx, call->func, c.status);
}

unsigned wr_call_count(const wr_call *call)
{
    return call->call->func->arg_count;
}

wr_value wr_call_arg(const wr_call *call, unsigned i)
{
    const struct func *func = call->call->func;
    if (i >= func->arg_count)
        return value_of(type_native(TYPE_EMPTY), SLICE_NULL);
    return value_of(func->args[i], call->args[i]);
}

/* ---- results ---- */

static struct ctx *ctx_of(const wr_call *call)
{
    return call->call->ctx;
}

static const struct type *result_type(const wr_call *call)
{
    return call->call->func->result;
}

static void give(wr_call *call, struct slice bytes)
{
    call->status = ctx_copy(ctx_of(call), bytes, &call->result);
}

void wr_return_null(wr_call *call)
{
    give(call, SLICE_NULL);
}

void wr_return_bool(wr_call *call, bool value)
{
    wr_return_int(call, value);
}

void wr_return_int(wr_call *call, int64_t value)
{
    call->status = value_from_int(ctx_of(call), result_type(call), value, &call->result);
}

void wr_return_double(wr_call *call, double value)
{
    call->status = value_from_double(ctx_of(call), result_type(call), value, &call->result);
}

void wr_return_text(wr_call *call, const char *text, ptrdiff_t len)
{
    enum type_kind kind = result_type(call)->kind;
    struct slice all = slice_of(text, len < 0 ? strlen(text) : (size_t)len);
    if (kind == TYPE_TEXT || kind == TYPE_ASCII)
        give(call, all);
    else
        call->status = literal_from_string(ctx_of(call), result_type(call), all, &call->result);
}

void wr_return_bytes(wr_call *call, const void *bytes, size_t len)
{
    give(call, slice_of(bytes, bytes ? len : 0));
}

void wr_return_value(wr_call *call, wr_value value)
{
    give(call, slice_of(value.data, value.len));
}

static enum wr_status read_literal(wr_call *call, struct slice text)
{
    struct ctx *ctx = ctx_of(call);
    struct exec *exec = call->call->exec;
    struct bind bind = {
        .ctx = ctx, .db = exec->db, .schema = exec->schema, .current_keyspace = call->call->func->keyspace, .text = text
    };
    struct ast_expr *ast;
    const struct expr *expr;
    TRY(parse_term(ctx, text, &ast));
    TRY(expr_bind_term(&bind, ast, result_type(call), SLICE_LIT("result"), &expr));
    return expr_eval_term(exec, expr, &call->result);
}

void wr_return_literal(wr_call *call, const char *cql, ptrdiff_t len)
{
    call->status = read_literal(call, slice_of(cql, len < 0 ? strlen(cql) : (size_t)len));
}

void wr_return_error(wr_call *call, const char *text)
{
    call->status = fail(ctx_of(call), WR_FUNCTION_FAILURE, "%s", text);
}

/* ---- registering ---- */

struct registration {
    struct database *db;
    const struct host_function *function;
    struct schema *next;
};

/* Taken back: the function of CREATE FUNCTION that it stood in front of is seen again. */
static enum wr_status unshow(struct catalog_edit *edit, const struct host_function *host)
{
    struct system_function row = host_row(host);
    const struct function *f;
    TRY(function_find(edit->ctx, schema_keyspace(edit->schema, host->keyspace), slice_str(host->name), host->args, host->arg_count, &f));
    if (!f)
        return system_drop_function(&edit->rows, &row);
    TRY(system_function_row(edit->ctx, host->keyspace, f, &row));
    return system_put_function(&edit->rows, &row);
}

static enum wr_status show(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct registration *r = arg;
    struct schema *schema = database_schema(r->db);
    struct system_function row = host_row(r->function);
    struct catalog_edit edit;
    enum wr_status st = WR_OK;

    schema_release(r->next); /* of an attempt before the map grew */
    r->next = NULL;
    catalog_edit_begin(&edit, ctx, txn, schema, r->function->keyspace, SLICE_NULL);
    if (!r->function->call)
        TRY_OUT(unshow(&edit, r->function));
    else if (schema_keyspace(schema, r->function->keyspace))
        TRY_OUT(catalog_show_function(&edit, &row));
    TRY_OUT(catalog_edit_done(&edit, &r->next));
out:
    schema_release(schema);
    return st;
}

static enum wr_status run_register(struct ctx *ctx, struct database *db, const struct wr_function *function)
{
    struct registration r = { .db = db };
    struct host_function *added;
    struct schema *schema = database_schema(db);
    enum wr_status st = host_add(ctx, db, schema, function, &added);

    schema_release(schema);
    if (st != WR_OK || db->read_only)
        return st;
    r.function = added;
    st = database_write(ctx, db, WRITE_SCHEMA, show, &r, &r.next);
    schema_release(r.next);
    if (st != WR_OK)
        host_withdraw(added);
    return st;
}

enum wr_status wr_function_register(wr_db *db, const struct wr_function *function)
{
    struct arena arena;
    struct ctx ctx;

    TRY(db_check_open(db));
    if (!function->keyspace || !function->name || !function->returns)
        return db_fail(db, WR_MISUSE, "wr_function_register: keyspace, name and returns must be given");
    if (system_kind_of(slice_str(function->keyspace)) != SYSTEM_NOT)
        return db_fail(db, WR_INVALID, "wr_function_register: functions cannot be put into a system keyspace");
    if (database_held(db->database))
        return db_fail(db, WR_MISUSE, "wr_function_register: not within wr_atomically");
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    enum wr_status st = run_register(&ctx, db->database, function);
    if (st != WR_OK)
        db_fail(db, st, ctx.error);
    arena_release(&arena);
    return st;
}
