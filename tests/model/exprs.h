/*
 * exprs.h - a table of every kind of column for tests of expressions, and what it takes to bind and evaluate one on its
 * row. The columns are those of record_exprs.py.
 */
#ifndef WR_TESTS_MODEL_EXPRS_H
#define WR_TESTS_MODEL_EXPRS_H

#include "model/database.h"
#include "model/expr.h"
#include "model/parse.h"
#include "model/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h> /* behind ours: it has a macro of the name fail */

#define EXPRS_KEYSPACE "m6v"
static const char exprs_table[] =
    "CREATE TABLE t (p int PRIMARY KEY, v int, tx text, x text, l list<int>, s set<int>, m map<text, int>, u ty, fu "
    "frozen<ty>, "
    "fm frozen<map<text, int>>, fl frozen<list<int>>, tu tuple<int, text>, d decimal, db double, f float, "
    "ve vector<float, 2>, vl vector<frozen<list<int>>, 2>, \"Cap\" int, bl blob, b bigint, si smallint, ti tinyint, "
    "ts timestamp, tm timeuuid, dt date, tt time, n varint, i inet, bo boolean, dur duration, uu uuid, ac ascii, nul "
    "int)";

enum { EXPRS_COLUMNS_MAX = 64, EXPRS_MARKERS_MAX = 16 };

struct exprs {
    struct arena arena; /* of plan and run alike; exprs_again empties neither table nor row */
    struct arena table_arena;
    struct ctx ctx, table_ctx;
    struct database db;
    struct schema *schema;
    struct piece *piece;
    struct column columns[EXPRS_COLUMNS_MAX];
    struct table table;
    struct slice row[EXPRS_COLUMNS_MAX];
    struct column_spec markers[EXPRS_MARKERS_MAX];
    struct slice bound[EXPRS_MARKERS_MAX];
    struct bind bind;
    struct exec exec;
};

static int exprs_by_name(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : slice_cmp(x->name, y->name);
}

static void exprs_schema(struct exprs *e)
{
    static const struct slice names[] = { { (const uint8_t *)"a", 1 }, { (const uint8_t *)"b", 1 } };
    const struct type *fields[] = { type_native(TYPE_INT), type_native(TYPE_TEXT) };
    const struct type **types = NEW_ARRAY(&e->table_ctx, const struct type *, 2);
    struct keyspace_part *part = NEW(&e->table_ctx, struct keyspace_part);

    types[1] = type_make_udt(&e->table_ctx, slice_str(EXPRS_KEYSPACE), slice_str("ty"), names, fields, 2);
    types[0] = type_freeze(&e->table_ctx, types[1]);
    assert_int_equal(piece_new(&e->table_ctx, &e->piece), WR_OK);
    part->keyspace =
        (struct keyspace){ .name = slice_str(EXPRS_KEYSPACE), .types = types, .declared = types + 1, .type_count = 1 };
    part->piece = e->piece;
    assert_int_equal(schema_make(&e->table_ctx, 1, (const struct keyspace_part *const *)&part, 1, &e->schema), WR_OK);
}

static void exprs_open(struct exprs *e)
{
    struct ast_statement *create;
    uint32_t n = 0;

    memset(e, 0, sizeof *e);
    arena_init(&e->arena);
    arena_init(&e->table_arena);
    ctx_init(&e->ctx, &e->arena);
    ctx_init(&e->table_ctx, &e->table_arena);
    exprs_schema(e);
    e->table = (struct table){ .keyspace = slice_str(EXPRS_KEYSPACE), .name = slice_str("t"), .columns = e->columns };
    e->bind = (struct bind){ .ctx = &e->table_ctx, .schema = e->schema, .current_keyspace = slice_str(EXPRS_KEYSPACE) };
    assert_int_equal(parse(&e->table_ctx, slice_str(exprs_table), &create), WR_OK);
    for (struct ast_column_def *def = create->create_table.columns; def; def = def->next, n++) {
        struct column *c = &e->columns[n];
        *c = (struct column){ .name = def->name,
                              .kind = n ? COLUMN_REGULAR : COLUMN_PARTITION_KEY,
                              .dropped_us = TIMESTAMP_NONE };
        assert_int_equal(bind_type(&e->bind, e->table.keyspace, def->type, &c->type), WR_OK);
    }
    qsort(e->columns, n, sizeof *e->columns, exprs_by_name);
    for (uint32_t i = 0; i < n; i++) {
        e->columns[i].ordinal = i;
        e->columns[i].id = i;
    }
    e->table.column_count = n;
    e->table.key_count = 1;
    e->table.regular_count = n - 1;
    e->row[0] = (struct slice){ (const uint8_t *)"\0\0\0\1", 4 };
    e->exec = (struct exec){
        .ctx = &e->ctx, .db = &e->db, .schema = e->schema, .given = { .values = e->bound }, .now_us = INT64_C(1600000000123456)
    };
}

/* Ready for the next expression. */
static void exprs_again(struct exprs *e)
{
    arena_reset(&e->arena);
    ctx_init(&e->ctx, &e->arena);
    e->ctx.now_s = 1600000000;
    memset(e->markers, 0, sizeof e->markers);
    e->bind = (struct bind){ .ctx = &e->ctx,
                             .schema = e->schema,
                             .current_keyspace = slice_str(EXPRS_KEYSPACE),
                             .table = &e->table,
                             .markers = e->markers,
                             .marker_count = EXPRS_MARKERS_MAX };
}

static void exprs_close(struct exprs *e)
{
    schema_release(e->schema);
    piece_release(e->piece);
    arena_release(&e->arena);
    arena_release(&e->table_arena);
}

/* The ast of a selector, or of a column's value where column is not NULL. */
static enum wr_status exprs_parse(struct exprs *e, const struct column *column, const char *text,
                                  const struct ast_expr **out)
{
    char *request = column ? ctx_format(&e->ctx, "INSERT INTO t (\"%.*s\") VALUES (%s)", SLICE_ARG(column->name), text)
                           : ctx_format(&e->ctx, "SELECT %s FROM t", text);
    struct ast_statement *ast;

    TRY(parse(&e->ctx, slice_str(request), &ast));
    *out = column ? ast->insert.values : ast->select.selectors->expr;
    return WR_OK;
}

static enum wr_status exprs_bind(struct exprs *e, const struct ast_expr *ast, const struct expr **out)
{
    struct node *node;

    TRY(expr_prepare_selector(&e->bind, ast, &node));
    return expr_bind_selector(&e->bind, node, out);
}

static enum wr_status exprs_selector(struct exprs *e, const char *text, const struct expr **out)
{
    const struct ast_expr *ast;

    TRY(exprs_parse(e, NULL, text, &ast));
    return exprs_bind(e, ast, out);
}

static enum wr_status exprs_term(struct exprs *e, const struct column *column, const char *text,
                                 const struct expr **out)
{
    const struct ast_expr *ast;

    TRY(exprs_parse(e, column, text, &ast));
    return expr_bind_term(&e->bind, ast, column->type, column->name, out);
}

static const struct column *exprs_column(const struct exprs *e, const char *name)
{
    for (uint32_t i = 0; i < e->table.column_count; i++)
        if (slice_eq_str(e->columns[i].name, name))
            return &e->columns[i];
    fail_msg("no column %s", name);
    return NULL;
}

#endif
