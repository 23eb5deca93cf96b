/*
 * random_calls - calls of the public header in any order.     random_calls [ROUNDS] [SEED] [THREADS]
 *
 * Threads prepare, bind (what fits and what does not), step, read, reset, fill batches, keep column families, change the schema under
 * statements that are open, nest wr_atomically, take back functions, in any state that a handle can be in, by handles of their own and by
 * a shared one. Nothing is said of what comes out, but that no call crashes, hangs or finds damage: it is for the sanitizers. After each
 * round everything closes and the database is checked. Prints its seed; with one thread the same seed makes the same calls.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/random/chance.h"
#include "widerow.h"

enum { CALLS = 1500, STATEMENTS = 10, BATCHES = 3, FAMILIES = 2, THREADS_MAX = 16, DEPTH_MAX = 3 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct caller {
    uint64_t seed;
    wr_db *own, *shared;
    wr_stmt *statements[STATEMENTS];
    wr_batch *batches[BATCHES];
    wr_cf *families[FAMILIES];
    unsigned depth;      /* of wr_atomically */
    char page[1024];     /* the last page state that was seen */
    size_t page_len;
};

static const char *const schema[] = {
    "CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE TYPE IF NOT EXISTS k.u (a int, b text, c frozen<list<int>>)",
    "CREATE TABLE IF NOT EXISTS k.t (p int, c int, v text, l list<int>, m map<text, int>, s set<int>, x frozen<u>, y u, st text static, w int, PRIMARY KEY (p, c))",
    "CREATE TABLE IF NOT EXISTS k.n (p int PRIMARY KEY, n counter)",
};

static const char *const changes[] = {
    "CREATE INDEX IF NOT EXISTS i ON k.t (w)", "DROP INDEX IF EXISTS k.i", "DROP TABLE IF EXISTS k.t", "TRUNCATE k.t", "ALTER TABLE k.t ADD z int",
    "ALTER TABLE k.t DROP z", "ALTER TYPE k.u ADD d int", "ALTER TABLE k.t RENAME c TO d", "ALTER TABLE k.t RENAME d TO c",
    "ALTER TABLE k.t WITH gc_grace_seconds = 0", "ALTER TABLE k.t ALTER v MASKED WITH mask_inner(1, 1)", "ALTER TABLE k.t ALTER v DROP MASKED",
    "CREATE OR REPLACE FUNCTION k.f(a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a;'", "DROP FUNCTION IF EXISTS k.f",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS k.v AS SELECT * FROM k.t WHERE p IS NOT NULL AND c IS NOT NULL AND w IS NOT NULL PRIMARY KEY (w, p, c)",
    "DROP MATERIALIZED VIEW IF EXISTS k.v", "CREATE ROLE IF NOT EXISTS r", "GRANT SELECT ON k.t TO r", "USE k", "USE system",
};

static const char *const statements[] = {
    "SELECT * FROM k.t", "SELECT * FROM k.t WHERE p = ? AND c >= ?", "SELECT JSON * FROM k.t WHERE p IN ?", "SELECT count(*), max(v) FROM k.t GROUP BY p",
    "SELECT p, writetime(v), m[?], y.a, k.f(p), k.h(c) FROM k.t WHERE p = ? ORDER BY c DESC LIMIT ?", "SELECT * FROM k.t WHERE w = ?",
    "SELECT * FROM k.v", "SELECT * FROM system_schema.columns", "SELECT * FROM system_views.settings", "DESCRIBE KEYSPACE k", "LIST ROLES",
    "INSERT INTO k.t (p, c, v, l, m, s, x, y, st, w) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "INSERT INTO k.t (p, c, v) VALUES (?, ?, ?) USING TTL ?",
    "INSERT INTO k.t (p, c, w) VALUES (1, 2, 3)", "UPDATE k.t SET l = l + ?, m[?] = ?, s = s - ?, y.b = ? WHERE p = ? AND c = ?",
    "DELETE FROM k.t WHERE p = ? AND c > ?", "INSERT INTO k.t JSON ?", "INSERT INTO k.t (p, c, w) VALUES (?, ?, ?) IF NOT EXISTS",
    "UPDATE k.t SET v = ? WHERE p = ? AND c = ? IF v = ? AND w = ?", "UPDATE k.n SET n = n + ? WHERE p = ?", "INSERT INTO k.t (p, c, w) VALUES (k.h(?), 1, ?)",
    "BEGIN BATCH INSERT INTO k.t (p, c, v) VALUES (?, ?, ?); DELETE FROM k.t WHERE p = ? APPLY BATCH", "SELECT nonsense",
};

static uint64_t seed, calls_made, calls_refused;
static pthread_mutex_t told = PTHREAD_MUTEX_INITIALIZER;

static void is_damage(const char *what)
{
    fprintf(stderr, "FAILED: %s (seed %" PRIu64 ")\n", what, seed);
    abort();
}

static void outcome(enum wr_status st)
{
    pthread_mutex_lock(&told);
    calls_made++;
    calls_refused += st > WR_DONE;
    pthread_mutex_unlock(&told);
    if (st == WR_CORRUPT || st == WR_IO || st == WR_NOMEM)
        is_damage(wr_status_name(st));
}

static void found(void *arg, const char *finding)
{
    (void)arg;
    is_damage(finding);
}

static wr_db *some_handle(struct caller *c)
{
    return one_in(4) ? c->shared : c->own;
}

/* ---- looking at all that a statement tells ---- */

static _Thread_local volatile unsigned char sum; /* so that what is touched is read */

static void touch(const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum ^= ((const unsigned char *)bytes)[i];
}

static void touch_text(const char *text)
{
    if (text)
        touch(text, strlen(text));
}

static void look_at_value(wr_value value, int depth)
{
    char text[32];
    wr_value part;
    struct wr_elements parts = wr_elements_of(value);
    if (value.data)
        touch(value.data, value.len);
    for (int format = WR_STRING; format <= WR_JSON; format++)
        wr_value_format(value, (enum wr_format)format, text, sizeof text);
    touch(&(double){ wr_value_double(value) }, sizeof(double));
    while (depth < 5 && wr_elements_next(&parts, &part))
        look_at_value(part, depth + 1);
}

static void look_at_columns(wr_stmt *s)
{
    const char *keyspace, *table;
    char text[64];
    for (int i = -1; i <= wr_column_count(s); i++) {
        touch_text(wr_column_name(s, i));
        touch_text(wr_column_type_name(s, i));
        wr_column_table(s, i, &keyspace, &table);
        touch_text(table);
        wr_type_format(wr_column_type_info(s, i), WR_TYPE_JAVA, text, sizeof text);
        look_at_value(wr_column_value(s, i), 0);
        touch_text(wr_column_text(s, i));
    }
    wr_column_index(s, "v");
}

static void look_at(struct caller *c, wr_stmt *s)
{
    const char *a, *b;
    size_t len;
    struct wr_failure failure;
    look_at_columns(s);
    for (unsigned i = 0; i < 3; i++) {
        if (wr_stmt_table(s, i, &a, &b))
            touch_text(b);
        if (wr_stmt_function(s, i, &a, &b))
            touch_text(b);
        touch_text(wr_stmt_warning(s, i));
        touch_text(wr_stmt_schema_change_argument(s, i));
    }
    wr_stmt_schema_change(s, &a, &b, NULL, NULL);
    touch_text(a);
    touch_text(wr_stmt_error(s));
    wr_stmt_failure(s, &failure);
    touch_text(failure.name);
    for (int i = -1; i <= wr_marker_count(s); i++) {
        touch_text(wr_marker_type_name(s, i));
        if ((a = wr_marker_name(s, i, &len)))
            touch(a, len);
    }
    wr_marker_routing(s, NULL, 0);
    const void *page = wr_page_state(s, &len);
    if (page && len <= sizeof c->page)
        memcpy(c->page, page, c->page_len = len);
}

/* ---- statements ---- */

static void free_batches(struct caller *c)
{
    for (int i = 0; i < BATCHES; i++) {
        wr_batch_free(c->batches[i]);
        c->batches[i] = NULL;
    }
}

static void prepare(struct caller *c)
{
    wr_stmt **s = &c->statements[below(STATEMENTS)];
    bool change = one_in(8);
    if (*s) {
        free_batches(c); /* which may have it */
        wr_finalize(*s);
    }
    const char *cql = change ? changes[below(COUNT(changes))] : statements[below(COUNT(statements))];
    outcome(one_in(8) ? wr_prepare_in(some_handle(c), one_in(2) ? "k" : NULL, cql, -1, s) : wr_prepare(some_handle(c), cql, -1, s));
}

static void bind_parts(wr_stmt *s, int i, const struct wr_type_info *type)
{
    uint32_t kinds = wr_type_part_count(type);
    outcome(wr_bind_open(s, i));
    for (unsigned n = below(5), at = 0; n && kinds; n--, at++) {
        const struct wr_type_info *part = wr_type_part(type, at % kinds);
        if (wr_type_kind(part) == WR_TYPE_TEXT)
            outcome(wr_bind_text(s, WR_ELEMENT, one_in(2) ? "a" : "b", 1));
        else if (wr_type_part_count(part))
            bind_parts(s, WR_ELEMENT, part);
        else
            outcome(wr_bind_int(s, WR_ELEMENT, below(5)));
    }
    if (!one_in(12))
        outcome(wr_bind_close(s));
}

static void bind_one(wr_stmt *s, int i)
{
    static const char *const literals[] = { "[1, 2]", "{'a': 1}", "{a: 1, b: 'x'}", "'t'", "null", "(1, 2)", "3 + 4", "(1", "k.h(3)", "'{\"p\": 1}'" };
    static const uint8_t bytes[16] = { 0, 0, 0, 1, 0, 0, 0, 2 };
    const struct wr_type_info *type = wr_marker_type_info(s, i);
    if (!one_in(4)) {
        if (wr_type_part_count(type))
            bind_parts(s, i, type);
        else if (wr_type_kind(type) == WR_TYPE_TEXT)
            outcome(wr_bind_text(s, i, one_in(4) ? "{\"p\": 1, \"c\": 2}" : "word", -1));
        else
            outcome(wr_bind_int(s, i, below(6)));
        return;
    }
    switch (below(9)) {
    case 0: outcome(wr_bind_null(s, i)); break;
    case 1: outcome(wr_bind_unset(s, i)); break;
    case 2: outcome(wr_bind_bool(s, i, true)); break;
    case 3: outcome(wr_bind_double(s, i, 0.5)); break;
    case 4: outcome(wr_bind_text(s, i, "\xff", -1)); break;
    case 5: outcome(wr_bind_blob(s, i, bytes, below(sizeof bytes))); break;
    case 6: outcome(wr_bind_uuid(s, i, bytes)); break;
    case 7: outcome(wr_bind_value(s, i, bytes, below(sizeof bytes))); break;
    default: outcome(wr_bind_literal(s, i, literals[below(COUNT(literals))], -1));
    }
}

static void bind(struct caller *c)
{
    wr_stmt *s = c->statements[below(STATEMENTS)];
    for (int i = one_in(20) ? -2 : 0; s && i < wr_marker_count(s); i++)
        bind_one(s, i);
}

static void step(struct caller *c)
{
    wr_stmt *s = c->statements[below(STATEMENTS)];
    enum wr_status st = WR_ROW;
    for (unsigned n = 1 + below(20); s && n && st == WR_ROW; n--) {
        outcome(st = wr_step(s));
        look_at_columns(s);
    }
}

static void set(struct caller *c)
{
    wr_stmt *s = c->statements[below(STATEMENTS)];
    if (!s)
        return;
    switch (below(11)) {
    case 0: wr_reset(s); break;
    case 1: wr_clear_bindings(s); break;
    case 2: wr_set_page_size(s, (int)below(4)); break;
    case 3: outcome(wr_set_page_state(s, c->page, one_in(4) ? below(20) : c->page_len)); break;
    case 4: outcome(wr_set_consistency(s, (enum wr_consistency)below(12))); break;
    case 5: wr_set_timestamp(s, one_in(2) ? INT64_MIN : below(1000)); break;
    case 6: outcome(wr_set_now(s, one_in(2) ? INT64_MIN : below(1000))); break;
    case 7: outcome(wr_stmt_validate(s, one_in(2))); break;
    case 8: outcome(wr_stmt_set_role(s, one_in(2) ? NULL : one_in(2) ? "cassandra" : "r")); break;
    default: look_at(c, s);
    }
}

static void activity(void *arg, const char *text)
{
    (void)arg;
    touch_text(text);
}

static void trace(struct caller *c)
{
    wr_stmt *s = c->statements[below(STATEMENTS)];
    if (s)
        wr_set_trace(s, one_in(2) ? activity : NULL, NULL);
}

static bool on_row(void *arg, wr_stmt *row)
{
    (void)arg;
    look_at_columns(row);
    return !one_in(8);
}

static void exec(struct caller *c)
{
    const char *cql = one_in(4) ? schema[below(COUNT(schema))] : one_in(2) ? changes[below(COUNT(changes))] : statements[below(COUNT(statements))];
    outcome(wr_exec(some_handle(c), cql, on_row, NULL));
}

static void batch(struct caller *c)
{
    wr_batch **b = &c->batches[below(BATCHES)];
    wr_stmt *result = NULL;
    if (!*b) {
        outcome(wr_batch_new(some_handle(c), (enum wr_batch_kind)below(3), b));
        return;
    }
    for (int i = 0; i < STATEMENTS; i++)
        if (c->statements[i] && one_in(2))
            outcome(wr_batch_add(*b, c->statements[i]));
    if (one_in(3))
        wr_batch_set_timestamp(*b, below(100));
    outcome(wr_batch_run(*b, one_in(4) ? NULL : &result));
    if (result && wr_step(result) == WR_ROW && one_in(2))
        wr_step(result);
    if (result)
        look_at(c, result);
    touch_text(wr_batch_error(*b));
    touch_text(wr_batch_warning(*b, 0));
}

/* ---- column families ---- */

static void family(struct caller *c)
{
    static const char *const comparators[] = { "BytesType", "LongType", "CompositeType(UTF8Type, LongType)", "ReversedType(LongType)" };
    static const uint8_t names[3][8] = { { 0, 0, 0, 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, 0, 0, 2 }, { 0, 1, 'a', 0, 0, 1, 'b', 0 } };
    wr_cf **cf = &c->families[below(FAMILIES)];
    const struct wr_cf_def def = { "families", one_in(2) ? "A" : "B", comparators[below(4)], NULL, one_in(4) ? "CounterColumnType" : NULL, NULL, -1 };
    struct wr_bytes key = { "abc", below(4) }, name = { names[below(3)], below(9) };
    struct wr_cf_column column = { name, { "value", below(6) }, one_in(2) ? INT64_MIN : below(100), (int32_t)below(40), 1 };
    struct wr_cf_predicate predicate = { .start = one_in(2) ? name : (struct wr_bytes){ NULL, 0 }, .reversed = one_in(2), .count = below(9) };
    struct wr_cf_mutation mutation = { *cf, (enum wr_cf_change)below(3), key, column };
    wr_cf_result *result = NULL;
    uint64_t count;
    if (!*cf) {
        outcome(wr_cf_create(c->own, &def));
        outcome(wr_cf_open(c->own, def.keyspace, def.name, cf));
        return;
    }
    switch (below(10)) {
    case 0: outcome(wr_cf_insert(*cf, key, &column)); break;
    case 1: outcome(wr_cf_remove(*cf, key, one_in(2) ? name : (struct wr_bytes){ NULL, 0 }, INT64_MIN)); break;
    case 2: outcome(wr_cf_add(*cf, key, name, 1)); break;
    case 3: outcome(wr_cf_get(*cf, key, name, &column)); break;
    case 4: outcome(wr_cf_get_count(*cf, key, &predicate, &count)); break;
    case 5: outcome(wr_cf_multiget_slice(*cf, &key, 1, &predicate, &result)); break;
    case 6: outcome(wr_cf_get_range_slices(*cf, key, (struct wr_bytes){ NULL, 0 }, below(9), &predicate, &result)); break;
    case 7: outcome(wr_cf_batch_mutate(c->own, &mutation, 1)); break;
    case 8: outcome(one_in(4) ? wr_cf_truncate(*cf) : one_in(4) ? wr_cf_drop(c->own, def.keyspace, def.name) : WR_OK); break;
    default:
        touch_text(wr_cf_error(*cf));
        wr_cf_close(*cf);
        *cf = NULL;
    }
    for (size_t i = 0; result && i < wr_cf_result_columns(result, 0); i++)
        touch(wr_cf_result_column(result, 0, i)->value.data, wr_cf_result_column(result, 0, i)->value.len);
    wr_cf_result_free(result);
}

/* ---- the database ---- */

static void some_call(struct caller *c);

static enum wr_status body(void *arg)
{
    struct caller *c = arg;
    c->depth++;
    for (unsigned n = below(12); n; n--)
        some_call(c);
    c->depth--;
    return one_in(3) ? WR_NOT_FOUND : WR_OK;
}

static void atomically(struct caller *c)
{
    if (c->depth < DEPTH_MAX)
        outcome(wr_atomically(some_handle(c), body, c));
}

static void given(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_value(call, wr_call_arg(call, 0));
    if (wr_value_int(wr_call_arg(call, 0)) == 4)
        wr_return_error(call, "four");
}

static void function(struct caller *c)
{
    struct wr_function f = { "k", "h", "int", "int", WR_FUNCTION_CALLED_ON_NULL, one_in(4) ? NULL : given, NULL, free };
    if (f.call)
        f.arg = malloc(1);
    enum wr_status st = wr_function_register(some_handle(c), &f);
    outcome(st);
    if (st != WR_OK)
        free(f.arg);
}

/* Whether a walk goes on, that may be told in another way to end. */
static bool go_on(wr_db *db)
{
    if (one_in(50))
        wr_interrupt(db);
    return !one_in(50);
}

static bool on_cell(void *arg, const struct wr_cell *cell)
{
    touch_text(cell->partition_key);
    touch_text(cell->value);
    return go_on(arg);
}

static bool on_statement(void *arg, const char *cql, size_t len)
{
    touch(cql, len);
    return go_on(arg);
}

static void look_after(struct caller *c)
{
    struct wr_table_stats table;
    struct wr_db_stats database;
    wr_db *db = some_handle(c);
    switch (below(9)) {
    case 0: outcome(wr_check(db, found, NULL, NULL)); break;
    case 1: outcome(wr_sweep(db, 1 + below(4))); break;
    case 2: outcome(wr_table_cells(db, "k", "t", one_in(2) ? "1" : NULL, on_cell, db)); break;
    case 3: outcome(wr_table_export(db, "k", "t", one_in(2) ? INT64_MIN : wr_clock_now(db) - below(2000000), 0, on_statement, db)); break;
    case 4: outcome(wr_table_stats(db, "k", "t", &table)); break;
    case 5: outcome(wr_db_stats(db, &database)); break;
    case 6: wr_clock_step(db, below(2000000)); break;
    case 7: outcome(wr_schema_export(db, one_in(2) ? "k" : NULL, NULL, on_statement, db)); break;
    default: outcome(wr_sync(db));
    }
}

static void adjust(struct caller *c)
{
    wr_db *db = some_handle(c);
    switch (below(8)) {
    case 0: wr_set_masking(db, one_in(2)); break;
    case 1: wr_set_unmask(db, one_in(2)); break;
    case 2: wr_set_tombstone_thresholds(db, below(20), below(200)); break;
    case 3: outcome(wr_set_role(db, one_in(3) ? "r" : NULL)); break;
    case 4: outcome(wr_use(db, one_in(2) ? "k" : NULL)); break;
    case 5: outcome(wr_set_nodes(db, 1 + below(3))); break;
    case 6: wr_interrupt(db); break;
    default: wr_error_offset(db);
    }
}

static const struct {
    unsigned weight;
    void (*call)(struct caller *c);
} calls[] = {
    { 12, prepare }, { 12, bind }, { 24, step }, { 8, set }, { 2, trace }, { 5, exec }, { 8, batch }, { 9, family }, { 6, atomically }, { 1, function },
    { 3, look_after }, { 4, adjust },
};

static void some_call(struct caller *c)
{
    unsigned sum = 0, at = 0;
    for (size_t i = 0; i < COUNT(calls); i++)
        sum += calls[i].weight;
    unsigned pick = below(sum);
    while (pick >= calls[at].weight)
        pick -= calls[at++].weight;
    calls[at].call(c);
}

static void *run_caller(void *arg)
{
    struct caller *c = arg;
    rng = c->seed;
    for (int i = 0; i < CALLS; i++)
        some_call(c);
    free_batches(c);
    for (int i = 0; i < STATEMENTS; i++)
        wr_finalize(c->statements[i]);
    for (int i = 0; i < FAMILIES; i++)
        wr_cf_close(c->families[i]);
    if (wr_close(c->own) != WR_OK)
        is_damage(wr_error(c->own));
    return NULL;
}

static void run_round(uint64_t round, unsigned threads)
{
    struct caller callers[THREADS_MAX] = { 0 };
    pthread_t ids[THREADS_MAX];
    wr_db *db;
    outcome(wr_open(NULL, NULL, &db));
    for (size_t i = 0; i < COUNT(schema); i++)
        outcome(wr_exec(db, schema[i], NULL, NULL));
    for (unsigned i = 0; i < threads; i++) {
        callers[i].seed = seed + (round * THREADS_MAX + i) * 0x2545f4914f6cdd1du;
        callers[i].shared = db;
        outcome(wr_attach(db, &callers[i].own));
        if (pthread_create(&ids[i], NULL, run_caller, &callers[i]))
            is_damage("no thread");
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    outcome(wr_check(db, found, NULL, NULL));
    if (wr_close(db) != WR_OK)
        is_damage(wr_error(db));
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 3;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
    printf("random_calls: %" PRIu64 " rounds of %u threads, seed %" PRIu64 "\n", rounds, threads, seed);
    for (uint64_t round = 0; round < rounds; round++)
        run_round(round, threads);
    printf("%" PRIu64 " calls, %" PRIu64 " of them refused\n1 passed, 0 failed\n", calls_made, calls_refused);
    return 0;
}
