/* Answers model/parse.h: texts to ast, names and expressions to text, the ends of statements, and Cassandra's words for what is no
 * CQL (syntax_messages.inc, recorded by record_syntax.py). */
#include "engine/rig.h"
#include "model/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h> /* behind ours: it has a macro of the name fail */

/* One parse with memory of its own; the text is copied, just as long, for the sanitizer. */
struct parsed {
    struct arena arena;
    struct ctx ctx;
    char *text;
    enum wr_status status;
    struct ast_statement *ast;
};

static void parsed_init(struct parsed *p, const char *text, size_t len)
{
    *p = (struct parsed){ .text = malloc(len ? len : 1) };
    memcpy(p->text, text, len);
    arena_init(&p->arena);
    ctx_init(&p->ctx, &p->arena);
    p->status = parse(&p->ctx, slice_of(p->text, len), &p->ast);
}

static struct ast_statement *parsed_ok(struct parsed *p, const char *text)
{
    parsed_init(p, text, strlen(text));
    if (p->status != WR_OK)
        fail_msg("%s: %s", text, p->ctx.error);
    return p->ast;
}

static void parsed_release(struct parsed *p)
{
    arena_release(&p->arena);
    free(p->text);
}

#define assert_text(slice, text) assert_true(slice_eq_str((slice), (text)))

/* ---- texts ---- */

static const struct {
    const char *text, *message;
} syntax_messages[] = {
#include "tests/model/syntax_messages.inc"
};

static void says_what_cassandra_says(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof syntax_messages / sizeof *syntax_messages; i++) {
        const char *want = syntax_messages[i].message;
        struct parsed p;
        parsed_init(&p, syntax_messages[i].text, strlen(syntax_messages[i].text));
        bool right = want ? p.status == WR_SYNTAX && strcmp(p.ctx.error, want) == 0 : p.status == WR_OK;
        if (!right) {
            printf("%s\n  want %s\n  have %s\n", syntax_messages[i].text, want ? want : "no error", p.status ? p.ctx.error : "no error");
            wrong++;
        }
        assert_true(p.status == WR_OK || p.ctx.error_offset <= strlen(syntax_messages[i].text));
        parsed_release(&p);
    }
    assert_int_equal(wrong, 0);
}

static void says_what_the_grammar_checks(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "USE ?", "Bind variables cannot be used for keyspace names" },
        { "SELECT * FROM k.?", "Bind variables cannot be used for table names" },
        { "DROP INDEX ?", "Bind variables cannot be used for index names" },
        { "DROP ROLE ?", "Bind variables cannot be used for role names" },
        { "SELECT ?.f(1) FROM t", "Bind variables cannot be used for keyspace names" },
        { "CREATE TYPE bitstring (a int)", "Invalid (reserved) user type name bitstring" },
        { "UPDATE t SET a = b - 1 WHERE k = 1", "Only expressions of the form X = X -<value> are supported." },
        { "UPDATE t SET a = b-1 WHERE k = 1", "Only expressions of the form X = X - <value> are supported." },
        { "UPDATE t SET a = 1 + b WHERE k = 1", "Only expressions of the form X = <value> + X are supported." },
        { "UPDATE t SET a = [1], a = a + [2] WHERE k = 1", "Multiple incompatible setting of column a" },
        { "UPDATE t SET a['x'] = 1, b = 1, a = {} WHERE k = 1", "Multiple incompatible setting of column a" },
        { "UPDATE t SET u.a = 1, u.b = 2, u.a = 3 WHERE k = 1", "Multiple incompatible setting of column u" },
        { "CREATE TABLE t (a int PRIMARY KEY) WITH x = 1 AND X = {}", "Multiple definitions for property 'x'" },
        { "CREATE TABLE t (a int PRIMARY KEY) WITH x = {'a': 1, 'a': 2}", "Multiple definition for property a" },
        { "CREATE TABLE t (a int PRIMARY KEY) WITH x = {'a': null}", "Invalid property value: NULL for property: 'a'" },
        { "CREATE TABLE t (a int PRIMARY KEY) WITH x = {'a': :b}",
          "Invalid property value: ? for property: 'a' (bind variables are not supported in DDL queries)" },
        { "CREATE TABLE t (a int PRIMARY KEY) WITH x = {f(1): 2}", "Invalid property name: f(1)" },
        { "CREATE TABLE t (a frozen<varchar>)",
          "frozen<> is only allowed on collections, tuples, and user-defined types (got varchar)" },
        { "ALTER TYPE u ADD f frozen<frozen<int>>",
          "Failed parsing statement: [ALTER TYPE u ADD f frozen<frozen<int>>] reason: NullPointerException Cannot invoke "
          "\"org.apache.cassandra.cql3.CQL3Type$Raw.freeze()\" because \"f\" is null" },
        { "ALTER TYPE u ADD f frozen<list<'nosuch'>>",
          "Failed parsing statement: [ALTER TYPE u ADD f frozen<list<'nosuch'>>] reason: NullPointerException Cannot invoke "
          "\"org.apache.cassandra.cql3.CQL3Type$Raw.freeze()\" because \"f\" is null" },
        { "SELECT (frozen<int>)a, (frozen<'x'>)a FROM t",
          "Failed parsing statement: [SELECT (frozen<int>)a, (frozen<'x'>)a FROM t] reason: NullPointerException Cannot invoke "
          "\"org.apache.cassandra.cql3.CQL3Type$Raw.freeze()\" because \"f\" is null" },
        { "CREATE TABLE t (a vector<int, 99999999999>)",
          "Failed parsing statement: [CREATE TABLE t (a vector<int, 99999999999>)] reason: NumberFormatException For input string: "
          "\"99999999999\"" },
        { "SELECT 1e99999999999 FROM t",
          "Failed parsing statement: [SELECT 1e99999999999 FROM t] reason: NumberFormatException Too many nonzero exponent digits." },
        { "SELECT 1e-9999999999 FROM t",
          "Failed parsing statement: [SELECT 1e-9999999999 FROM t] reason: NumberFormatException Exponent overflow." },
        { "SELECT 1.7976931348623159e308 FROM t",
          "Failed parsing statement: [SELECT 1.7976931348623159e308 FROM t] reason: NumberFormatException Character I is neither a "
          "decimal digit number, decimal point, nor \"e\" notation exponential mark." },
        { "CREATE MATERIALIZED VIEW v AS SELECT * FROM t PRIMARY KEY (a) WITH COMPACT STORAGE",
          "COMPACT STORAGE tables are not allowed starting with version 4.0" },
        { "UPDATE t SET a = 1 + b c WHERE k = 1", "line 1:23 no viable alternative at input 'c' (...t SET a = 1 [+] b...)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p;
        parsed_init(&p, cases[i].text, strlen(cases[i].text));
        assert_int_equal(p.status, WR_SYNTAX);
        assert_string_equal(p.ctx.error, cases[i].message);
        parsed_release(&p);
    }
}

static void takes_what_is_near_the_edge(void **state)
{
    static const char *const texts[] = {
        "SELECT json FROM t", "SELECT json, distinct FROM t", "SELECT json AS x, distinct AS y FROM t", "SELECT json.a FROM t",
        "SELECT JSON DISTINCT json FROM t", "SELECT distinct + 1 FROM t", "SELECT ttl, count, writetime, cast, key FROM t;;; ",
        "SELECT a.b.c['x'][1..2].d FROM t", "SELECT (t)1, (k.t)1, (\"T\")1, ('Int32Type')1, (list<t>)[1] FROM t", "SELECT k.f(a).b FROM t",
        "SELECT (int)k.f(1), (f(x))['a'], - - a, (a) -1 FROM t", "SELECT values, as AS as FROM t", "SELECT count(count) FROM t",
        "SELECT * FROM t WHERE per = ('x') PER PARTITION LIMIT 1", "SELECT * FROM t WHERE a = ('x') GROUP BY (a) PER PARTITION LIMIT 1",
        "SELECT (a) AS b, cast((a) AS int) FROM t", "SELECT * FROM t WHERE a = ('Int32Type')5 AND ((b = 1))",
        "SELECT * FROM t WHERE \"\" = 1 GROUP BY group ORDER BY order_", "INSERT INTO json JSON ?", "UPDATE t SET a = f(1) + a WHERE k = 1",
        "UPDATE t SET a = a-1, b = b 1 WHERE k = 1", "DELETE \"\" FROM t WHERE k = 1", "CREATE TABLE static (static static static, ttl key)",
        "CREATE TABLE t (a int,,)", "ALTER TABLE t DROP compact", "ALTER TABLE t ALTER type TYPE int", "ALTER TABLE alter_.t ADD drop_ t",
        "CREATE INDEX ON t (values, keys(values))", "DESC type", "DESC only.function", "DESC function count", "GRANT all TO unmask",
        "GRANT ALL ON all TO role", "DROP FUNCTION f()", "CREATE TABLE t (a list, b map, c tuple, d vector, e frozen)",
        "CREATE TABLE t (a int) WITH x = values AND y = int AND z = ttl", "SELECT 1.7976931348623158e308, 0e400, 1e-400 FROM t",
        "CREATE TABLE t (a vector<int, -2147483648>)", "SELECT a FROM t--\n", "SELECT :a, : b, ? FROM t WHERE c IN :d AND (e, f) IN ?",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct parsed p;
        parsed_ok(&p, texts[i]);
        parsed_release(&p);
    }
}

/* ---- the ast ---- */

static void select_has_its_clauses(void **state)
{
    struct parsed p;
    const struct ast_select *s = &parsed_ok(&p, "SELECT JSON DISTINCT A, b.C AS \"D\" FROM K.\"T\" WHERE a = 1 AND token(a, b) > 2 AND m['x'] = 3 "
                                                "AND (c, d) IN ((1, 2), (3, 4)) AND e IN :v GROUP BY a, f(b) ORDER BY c DESC, v ANN OF [1] "
                                                "PER PARTITION LIMIT 5 LIMIT ? ALLOW FILTERING")->select;
    (void)state;
    assert_int_equal(p.ast->kind, AST_SELECT);
    assert_true(s->json && s->distinct && !s->star && s->allow_filtering);
    assert_text(s->table.keyspace, "k");
    assert_text(s->table.name, "T");
    assert_text(s->selectors->expr->text, "a");
    assert_true(slice_is_null(s->selectors->alias));
    assert_int_equal(s->selectors->next->expr->kind, EXPR_FIELD);
    assert_text(s->selectors->next->expr->text, "c");
    assert_text(s->selectors->next->alias, "D");

    const struct ast_relation *r = s->where;
    assert_int_equal(r->subject, SUBJECT_COLUMN);
    assert_int_equal(r->op, OP_EQ);
    assert_text(slice_of(p.text + r->offset, r->end - r->offset), "a = 1");
    r = r->next;
    assert_int_equal(r->subject, SUBJECT_TOKEN);
    assert_text(r->columns->next->name, "b");
    assert_int_equal(r->op, OP_GT);
    r = r->next;
    assert_int_equal(r->subject, SUBJECT_ELEMENT);
    assert_text(r->element->text, "x");
    r = r->next;
    assert_int_equal(r->subject, SUBJECT_COLUMNS);
    assert_int_equal(r->op, OP_IN);
    assert_false(r->in_marker);
    assert_int_equal(r->value->next->arg_count, 2);
    assert_text(slice_of(p.text + r->offset, r->end - r->offset), "(c, d) IN ((1, 2), (3, 4))");
    r = r->next;
    assert_true(r->in_marker);
    assert_text(r->value->text, "v");
    assert_null(r->next);

    assert_text(s->group_by->text, "a");
    assert_int_equal(s->group_by->next->kind, EXPR_FUNCTION);
    assert_true(s->order_by->descending);
    assert_int_equal(s->order_by->next->ann->kind, EXPR_LIST);
    assert_text(s->per_partition_limit->text, "5");
    assert_int_equal(s->limit->kind, EXPR_MARKER);
    assert_int_equal(s->limit->marker, 1);
    assert_int_equal(p.ast->marker_count, 2);
    assert_text(p.ast->markers->name, "v");
    assert_true(slice_is_null(p.ast->markers->next->name));
    parsed_release(&p);
}

static void writes_have_their_parts(void **state)
{
    struct parsed p;
    struct ast_statement *ast = parsed_ok(&p, "INSERT INTO t (a, \"B\") VALUES (1, {'x': null}) IF NOT EXISTS USING TTL 1 AND TIMESTAMP 2 AND TTL ?");
    (void)state;
    assert_true(ast->insert.if_not_exists && !ast->insert.json);
    assert_text(ast->insert.columns->next->name, "B");
    assert_int_equal(ast->insert.values->next->kind, EXPR_PAIRS);
    assert_int_equal(ast->insert.values->next->args->next->literal, LITERAL_NULL);
    assert_int_equal(ast->insert.using.ttl->kind, EXPR_MARKER);
    assert_text(ast->insert.using.timestamp->text, "2");
    parsed_release(&p);

    ast = parsed_ok(&p, "INSERT INTO t JSON '{\"a\": ''x''}' DEFAULT UNSET");
    assert_true(ast->insert.json && ast->insert.default_unset);
    assert_text(ast->insert.json_value->text, "{\"a\": 'x'}");
    parsed_release(&p);

    ast = parsed_ok(&p, "UPDATE t SET a = 1, l = l + [2], l = [3] + l, l -= [4], m[5] = 6, u.f = 7, n = n-8 WHERE k = 1 IF a = 1 AND u.f IN (1)");
    static const enum ast_assign_kind kinds[] = { ASSIGN_SET, ASSIGN_ADD, ASSIGN_PREPEND, ASSIGN_SUB, ASSIGN_ELEMENT, ASSIGN_FIELD, ASSIGN_ADD };
    const struct ast_assignment *a = ast->update.assignments;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++, a = a->next) {
        assert_int_equal(a->kind, kinds[i]);
        assert_true(a->value != NULL);
        assert_int_equal(a->element != NULL, a->kind == ASSIGN_ELEMENT);
        assert_int_equal(slice_is_null(a->field), a->kind != ASSIGN_FIELD);
    }
    assert_null(a);
    assert_int_equal(ast->update.conditions->next->subject, SUBJECT_FIELD);
    assert_int_equal(ast->update.conditions->next->op, OP_IN);
    parsed_release(&p);

    ast = parsed_ok(&p, "DELETE a, m[1], u.f FROM t USING TIMESTAMP 9 WHERE k = 1 IF EXISTS");
    assert_text(ast->delete_.deletions->next->element->text, "1");
    assert_text(ast->delete_.deletions->next->next->field, "f");
    assert_text(ast->delete_.using.timestamp->text, "9");
    assert_true(ast->delete_.if_exists && !ast->delete_.conditions);
    parsed_release(&p);

    ast = parsed_ok(&p, "BEGIN COUNTER BATCH USING TIMESTAMP ? UPDATE t SET a += ? WHERE k = 1 DELETE FROM t WHERE k = ?; APPLY BATCH;");
    assert_int_equal(ast->batch.kind, BATCH_COUNTER);
    assert_int_equal(ast->batch.statements->kind, AST_UPDATE);
    assert_int_equal(ast->batch.statements->next->kind, AST_DELETE);
    assert_null(ast->batch.statements->next->next);
    assert_int_equal(ast->batch.statements->next->delete_.where->value->marker, 2);
    assert_int_equal(ast->marker_count, 3);
    parsed_release(&p);
}

static void tables_have_their_parts(void **state)
{
    struct parsed p;
    struct ast_statement *ast = parsed_ok(
        &p, "CREATE TABLE IF NOT EXISTS k.t (a int, b frozen<map<text, list<u>>> STATIC, c vector<float, 3> MASKED WITH DEFAULT, "
            "PRIMARY KEY ((a, x), c, d),) WITH CLUSTERING ORDER BY (c DESC, d ASC) AND compaction = {'class': 'X', 'n': 5} AND COMPACT STORAGE AND y = 1.5");
    const struct ast_create_table *t = &ast->create_table;
    (void)state;
    assert_true(t->if_not_exists && t->compact_storage);
    assert_int_equal(t->primary_keys, 1);
    const struct ast_column_def *b = t->columns->next;
    assert_true(b->is_static && !t->columns->is_static);
    assert_int_equal(b->type->kind, AST_TYPE_FROZEN);
    assert_int_equal(b->type->args->kind, AST_TYPE_MAP);
    assert_text(b->type->args->args->next->args->name.name, "u");
    assert_int_equal(b->next->type->dimension, 3);
    assert_true(b->next->mask->is_default);
    assert_text(t->partition_key->next->name, "x");
    assert_text(t->clustering->next->name, "d");
    assert_true(t->order->descending && !t->order->next->descending);
    assert_true(t->properties->is_map);
    assert_text(t->properties->pairs->next->value, "5");
    assert_int_equal(t->properties->next->literal, LITERAL_FLOAT);
    assert_text(t->properties->next->value, "1.5");
    parsed_release(&p);

    ast = parsed_ok(&p, "ALTER TABLE IF EXISTS t DROP IF EXISTS (a, b) USING TIMESTAMP -5");
    assert_int_equal(ast->alter_table.kind, ALTER_DROP);
    assert_true(ast->alter_table.if_exists && ast->alter_table.column_if);
    assert_text(ast->alter_table.drop->next->name, "b");
    assert_text(ast->alter_table.drop_timestamp->text, "-5");
    parsed_release(&p);

    ast = parsed_ok(&p, "CREATE CUSTOM INDEX i ON t (entries(m), v) USING 'sai' WITH OPTIONS = {'a': 'b'}");
    assert_true(ast->create_index.custom);
    assert_int_equal(ast->create_index.columns->target, TARGET_ENTRIES);
    assert_int_equal(ast->create_index.columns->next->target, TARGET_SIMPLE);
    assert_text(ast->create_index.using_class, "sai");
    assert_text(ast->create_index.properties->name, "options");
    parsed_release(&p);

    ast = parsed_ok(&p, "CREATE MATERIALIZED VIEW v AS SELECT a, b FROM t WHERE a IS  NOT NULL and \"B\">=1 PRIMARY KEY (a, b)");
    assert_int_equal(ast->create_view.where->op, OP_IS_NOT_NULL);
    assert_text(ast->create_view.where->next->columns->name, "B");
    assert_text(ast->create_view.partition_key->name, "a");
    assert_text(ast->create_view.base.name, "t");
    parsed_release(&p);

    ast = parsed_ok(&p, "CREATE OR REPLACE FUNCTION k.F(a int) CALLED ON NULL INPUT RETURNS list<int> LANGUAGE JAVA AS $$ return 'x'; $$");
    assert_true(ast->create_function.or_replace && ast->create_function.called_on_null);
    assert_text(ast->create_function.name.name, "f");
    assert_text(ast->create_function.language, "java");
    assert_text(ast->create_function.body, " return 'x'; ");
    parsed_release(&p);

    ast = parsed_ok(&p, "CREATE TRIGGER IF NOT EXISTS tr ON k.t USING 'c'");
    assert_true(ast->trigger.if_flag);
    assert_text(ast->trigger.class_name, "c");
    assert_text(ast->trigger.table.name, "t");
    parsed_release(&p);

    ast = parsed_ok(&p, "DESC ONLY KEYSPACE k WITH INTERNALS");
    assert_int_equal(ast->describe.kind, DESCRIBE_ONLY_KEYSPACE);
    assert_text(ast->describe.name.name, "k");
    assert_true(ast->describe.internals);
    parsed_release(&p);
}

/* ---- printing ---- */

/* As Cassandra's result columns and messages have them. */
static void prints_as_cassandra(void **state)
{
    static const struct {
        const char *text, *printed;
    } selectors[] = {
        { "k*(k+1)- 2", "k * (k + 1) - 2" },
        { "- - \"Cap x\"", "--Cap x" },
        { "toJson( m )", "system.tojson(m)" },
        { "k.F(a,1)", "k.f(a, 1)" },
        { "count(*)", "count" },
        { "COUNT(2)", "count" },
        { "count(null)", "system.count(NULL)" },
        { "count((int)1)", "system.count((int)1)" },
        { "token(k)", "system.token(k)" },
        { "CAST(k AS TEXT)", "cast(k as text)" },
        { "TTL(m['a'])", "ttl(m['a'])" },
        { "m['x'..'z']", "m['x'..'z']" },
        { "m[..1]", "m[..1]" },
        { "m[1..]", "m[1..]" },
        { "(text)'it''s'", "(text)'it's'" },
        { "(frozen<list<int>>)[1,2]", "(frozen<list<int>>)[1, 2]" },
        { "(list<frozen<set<m2.foo>>>)1", "(list<frozen<set<frozen<m2.foo>>>>)1" },
        { "(uuid)550E8400-E29B-41D4-A716-446655440000", "(uuid)550E8400-E29B-41D4-A716-446655440000" },
        { "(double)-NaN", "(double)NaN" },
        { "{'a':k, 1:2}", "{'a': k, 1: 2}" },
        { "(1,a)", "(1, a)" },
        { "u.f.g", "u.f.g" },
        { "(vector<int,3>):x", "(vector<int, 3>)?" },
    };
    static const struct {
        const char *text, *printed;
    } relations[] = {
        { "k!=-(1+2)*3", "k != system.\"_multiply\"(system.\"_negate\"((system.\"_add\"(1, 2))), 3)" },
        { "k != (int)1+cast(2 as int)", "k != system.\"_add\"((int)1, system.cast_as_int(2))" },
        { "\"Cap x\">5", "\"Cap x\" > 5" },
        { "k = {a: 1, \"B c\": [TRUE]}", "k = {a: 1, B c: [TRUE]}" },
        { "k = foo.bar(\"Fn\"(system.token(1)), token(2))", "k = foo.bar(\"Fn\"(token(1)), token(2))" },
        { "k = foo.token(1)", "k = foo.\"token\"(1)" },
        { "token(a,b)<?", "token(a, b) < ?" },
        { "(a,b)>=(1,2)", "(a, b) >= (1, 2)" },
        { "m['a']=1", "m['a'] = 1" },
        { "a in (1,:x)", "a IN (1, ?)" },
        { "a in ?", "a IN ?" },
        { "a contains key 1", "a CONTAINS KEY 1" },
        { "a is not null", "a IS NOT NULL" },
        { "a like 'x%'", "a LIKE 'x%'" },
        { "k = 5 / 2 % 3 - 1", "k = system.\"_substract\"(system.\"_modulo\"(system.\"_divide\"(5, 2), 3), 1)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors + sizeof relations / sizeof *relations; i++) {
        size_t n = sizeof selectors / sizeof *selectors;
        char text[256];
        struct parsed p;
        struct buf buf;

        if (i < n)
            snprintf(text, sizeof text, "SELECT %s FROM t", selectors[i].text);
        else
            snprintf(text, sizeof text, "SELECT a FROM t WHERE %s", relations[i - n].text);
        struct ast_statement *ast = parsed_ok(&p, text);
        buf_init(&buf, &p.arena);
        if (i < n)
            cql_put_expr(&buf, ast->select.selectors->expr);
        else
            cql_put_relation(&buf, ast->select.where);
        buf_put_u8(&buf, 0);
        assert_string_equal((const char *)buf.data, i < n ? selectors[i].printed : relations[i - n].printed);
        parsed_release(&p);
    }
}

static void names_are_quoted_where_they_must(void **state)
{
    static const struct {
        const char *name, *printed;
    } cases[] = {
        { "abc_1", "abc_1" }, { "Abc", "\"Abc\"" },   { "select", "\"select\"" }, { "key", "key" },     { "values", "values" },
        { "1a", "\"1a\"" },   { "a\"b", "\"a\"\"b\"" }, { "", "\"\"" },           { "nan", "\"nan\"" }, { "table", "\"table\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct buf buf;
        arena_init(&arena);
        buf_init(&buf, &arena);
        cql_put_name(&buf, slice_str(cases[i].name));
        buf_put_u8(&buf, 0);
        assert_string_equal((const char *)buf.data, cases[i].printed);
        arena_release(&arena);
    }
}

/* ---- scripts ---- */

static void finds_the_ends_of_statements(void **state)
{
    static const struct {
        const char *text;
        size_t end;
        bool complete, blank;
    } cases[] = {
        { "", 0, false, true },
        { " -- x", 5, false, true },
        { "-- x;\n", 6, false, true },
        { "a;b;", 2, true, false },
        { ";", 1, true, true },
        { "/* ; */ ';' \";\" $$ ; $$ ; x", 25, true, false },
        { "BEGIN BATCH a; b; APPLY BATCH; c", 30, true, false },
        { "begin unlogged batch using ttl 1 a; apply batch ; c", 49, true, false },
        { "BEGIN BATCH a; b;", 17, false, false },
        { "a 'x;", 5, false, false },
        { "a /* ;", 6, false, false },
        { "a $$ ;", 6, false, false },
        { "a b", 3, false, false },
        { "a 'x", 4, false, false },
        { "a -- x", 6, false, false },
        { "'x", 2, false, false },
        { "/* x", 4, false, false },
        { "@ a", 3, false, false },
        { "a @ 5a; b", 7, true, false },
        { "a $; b", 4, true, false },
        { "a !; b", 4, true, false },
        { "a -in;b", 6, true, false },
        { "a -inx; b", 7, true, false },
        { "a $", 3, false, false },
        { "CREATE TABLE batch; x", 19, true, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool complete, blank;
        assert_int_equal(parse_statement_end(slice_str(cases[i].text), &complete, &blank), cases[i].end);
        assert_int_equal(complete, cases[i].complete);
        assert_int_equal(blank, cases[i].blank);
    }
}

/* ---- bounds ---- */

static char *repeat(const char *head, const char *open, size_t n, const char *middle, const char *close, const char *tail)
{
    size_t room = strlen(head) + n * (strlen(open) + strlen(close)) + strlen(middle) + strlen(tail) + 1;
    char *text = malloc(room), *at = stpcpy(text, head);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, open);
    at = stpcpy(at, middle);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, close);
    stpcpy(at, tail);
    return text;
}

static void depth_is_bounded(void **state)
{
    static const struct {
        const char *head, *open, *middle, *close, *tail;
    } shapes[] = {
        { "SELECT ", "(", "1", ")", " FROM t" },
        { "SELECT ", "- ", "a", "", " FROM t" },
        { "SELECT ", "[{(1+", "1", ")}]", " FROM t" },
        { "SELECT a", ".b", "", "", " FROM t" },
        { "SELECT ", "1+", "1", "", " FROM t" },
        { "SELECT ", "f(", "1", ")", " FROM t" },
        { "SELECT ", "(int)", "1", "", " FROM t" },
        { "INSERT INTO t (a) VALUES (", "[", "1", "]", ")" },
        { "INSERT INTO t (a) VALUES (", "{a: 1, b:", "1", "}", ")" },
        { "CREATE TABLE t (a ", "list<", "int", ">", ")" },
        { "SELECT a FROM t WHERE ", "(", "a = 1", ")", "" },
        { "SELECT ", "(", "", "", "" },
        { "INSERT INTO t (a) VALUES (", "[1, ", "", "", "" },
        { "SELECT ", "((a)", "", "", "" },
        { "SELECT a FROM t WHERE ", "((a, ", "", "", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (size_t n = 10; n <= 100000; n *= 10000) {
            char *text = repeat(shapes[i].head, shapes[i].open, n, shapes[i].middle, shapes[i].close, shapes[i].tail);
            struct parsed p;
            parsed_init(&p, text, strlen(text));
            assert_int_equal(p.status, n == 10 && i < 11 ? WR_OK : WR_SYNTAX);
            parsed_release(&p);
            free(text);
        }
    }
}

static void every_lost_allocation_is_reported(void **state)
{
    static const char *const texts[] = {
        "SELECT A, m['x'], (int)1, f({a: 1}) AS B FROM K.t WHERE A = 'it''s' AND (b, c) IN ((1, 2)) AND d IN ? ORDER BY e LIMIT :n",
        "CREATE TABLE K.t (A int, b map<text, U>, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (b DESC) AND x = {'a': 'b'} AND y = 1",
        "BEGIN BATCH INSERT INTO t (a) VALUES (1) UPDATE t SET a = 1, b = b + 1 WHERE k = 1 IF c = 1 APPLY BATCH",
        "CREATE MATERIALIZED VIEW v AS SELECT * FROM t WHERE a IS NOT NULL PRIMARY KEY (a)",
        "SELECT a b FROM t",
        "UPDATE t SET a = 1, a = 2 WHERE k = 1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct parsed whole;
        parsed_init(&whole, texts[i], strlen(texts[i]));
        for (long n = 0;; n++) {
            struct parsed p = { .status = WR_OK };
            arena_init(&p.arena);
            ctx_init(&p.ctx, &p.arena);
            rig.mem_fail_after = n;
            p.status = parse(&p.ctx, slice_str(texts[i]), &p.ast);
            rig.mem_fail_after = -1;
            arena_release(&p.arena);
            if (p.status == whole.status)
                break;
            assert_int_equal(p.status, WR_NOMEM);
        }
        parsed_release(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_cassandra_says),       cmocka_unit_test(says_what_the_grammar_checks),
        cmocka_unit_test(takes_what_is_near_the_edge),    cmocka_unit_test(select_has_its_clauses),
        cmocka_unit_test(writes_have_their_parts),        cmocka_unit_test(tables_have_their_parts),
        cmocka_unit_test(prints_as_cassandra),            cmocka_unit_test(names_are_quoted_where_they_must),
        cmocka_unit_test(finds_the_ends_of_statements),   cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(every_lost_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
