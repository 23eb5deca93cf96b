/*
 * schema_run.h - what the tests of the schema share: a database of the model (no public header), and statements run by
 * their text.
 */
#ifndef WR_TESTS_SCHEMA_RUN_H
#define WR_TESTS_SCHEMA_RUN_H

#include "model/catalog.h"
#include "model/describe.h"
#include "model/parse.h"
#include "tests/folder.h"
#include "tests/ok.h"

struct fixture {
    struct arena arena;
    struct ctx ctx;
    struct database *db;
    char path[128]; /* "" in memory */
};

static inline void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->arena);
    ctx_init(&f->ctx, &f->arena);
    f->ctx.now_s = 1700000000;
}

static inline enum wr_status fixture_try_open(struct fixture *f)
{
    const struct engine_options options = { .path = *f->path ? f->path : NULL,
                                            .create = true,
                                            .durability = DURABILITY_NONE };
    TRY(database_open(&f->ctx, &options, &f->db));
    atomic_store(&f->db->masking, true); /* so that columns may be masked */
    return WR_OK;
}

static inline void fixture_open(struct fixture *f, bool in_folder)
{
    fixture_init(f);
    if (in_folder)
        make_folder(f->path, sizeof f->path);
    OK(&f->ctx, fixture_try_open(f));
}

static inline void fixture_reopen(struct fixture *f)
{
    database_release(f->db);
    f->db = NULL;
    OK(&f->ctx, fixture_try_open(f));
}

static inline void fixture_close(struct fixture *f)
{
    database_release(f->db);
    arena_release(&f->arena);
    if (*f->path)
        remove_folder(f->path);
}

/* ---- statements ---- */

struct running {
    struct exec exec;
    const struct plan *plan;
};

static inline enum wr_status run_body(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct running *run = arg;
    (void)ctx;
    run->exec.txn = txn;
    return run->plan->ops->start(&run->exec, run->plan);
}

/* Schema changes and other writes; *change may be NULL. */
static inline enum wr_status run_change(struct fixture *f, const char *cql, struct schema_change *change)
{
    struct schema *schema = database_schema(f->db);
    struct running run = { .exec = { .ctx = &f->ctx, .db = f->db, .schema = schema, .timestamp_us = TIMESTAMP_NONE } };
    struct bind bind = { .ctx = &f->ctx, .db = f->db, .schema = schema };
    struct ast_statement *ast;
    struct plan *plan = NULL;
    enum wr_status st;

    f->ctx.warnings = NULL; /* of a run before, whose memory may be gone */
    TRY_OUT(parse(&f->ctx, slice_str(cql), &ast));
    TRY_OUT(plan_bind(&bind, ast, &plan));
    run.plan = plan;
    TRY_OUT(database_write(&f->ctx, f->db, plan->ops->access == PLAN_SCHEMA ? WRITE_SCHEMA : WRITE_STATEMENT, run_body, &run, &run.exec.made.next_schema));
    if (change)
        *change = run.exec.made.change;
out:
    schema_release(run.exec.made.next_schema);
    schema_release(schema);
    return st;
}
#define RUN(f, cql) OK(&(f)->ctx, run_change((f), (cql), NULL))

#endif
