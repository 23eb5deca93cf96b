#include <assert.h>

#include "model/authorize.h"
#include "model/batch.h"
#include "model/batch_size.h"
#include "model/cas.h"
#include "model/modify.h"

struct batch_plan {
    struct plan plan;
    enum ast_batch_kind kind;
    const struct expr *timestamp; /* NULL: not given */
    struct modify **statements;
    uint32_t count;
};

/* ---- what is refused ---- */

static enum wr_status check_tables(struct ctx *ctx, const struct batch_entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (entries[i].plan->table != entries[0].plan->table)
            return fail(ctx, WR_INVALID, "Batch with conditions cannot span multiple tables");
    return WR_OK;
}

/* BatchStatement.validate, in its order. */
enum wr_status batch_check(struct ctx *ctx, enum ast_batch_kind kind, const struct batch_entry *entries, uint32_t count,
                           bool timestamp_given)
{
    bool counters = false, others = false, virtuals = false, stored = false, conditional = false, timestamps = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct modify *m = modify_of(entries[i].plan);
        assert(m); /* neither the grammar nor wr_batch_add lets others in */
        *(table_is_counter(m->plan.table) ? &counters : &others) = true;
        *(modify_is_virtual(m) ? &virtuals : &stored) = true;
        conditional |= m->plan.conditional;
        timestamps |= m->timestamp != NULL;
    }
    const struct {
        bool refused;
        const char *text;
    } rules[] = {
        { timestamp_given && conditional, "Cannot provide custom timestamp for conditional BATCH" },
        { timestamp_given && kind == BATCH_COUNTER, "Cannot provide custom timestamp for counter BATCH" },
        { timestamp_given && timestamps, "Timestamp must be set either on BATCH or individual statements" },
        { timestamp_given && counters, "Cannot provide custom timestamp for a BATCH containing counters" },
        { kind == BATCH_COUNTER && others, "Cannot include non-counter statement in a counter batch" },
        { counters && others, "Counter and non-counter mutations cannot exist in the same batch" },
        { kind == BATCH_LOGGED && counters, "Cannot include a counter statement in a logged batch" },
        { kind == BATCH_LOGGED && virtuals, "Cannot include a virtual table statement in a logged batch" },
        { virtuals && stored, "Mutations for virtual and regular tables cannot exist in the same batch" },
        { virtuals && conditional, "Conditional BATCH statements cannot include mutations for virtual tables" },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].refused)
            return fail(ctx, WR_INVALID, "%s", rules[i].text);
    return conditional ? check_tables(ctx, entries, count) : WR_OK;
}

/* ---- running ---- */

/* LOGGED_BATCH_LOW_GCGS_WARNING. */
static enum wr_status warn_no_grace(struct ctx *ctx, const struct batch_entry *entries, uint32_t count)
{
    const struct table **tables = NEW_ARRAY(ctx, const struct table *, count);
    const char *names;
    uint32_t n = 0;

    if (!tables)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const struct table *table = entries[i].plan->table;
        bool seen = table->options.gc_grace_seconds != 0;
        for (uint32_t j = 0; j < n && !seen; j++)
            seen = tables[j] == table;
        if (!seen)
            tables[n++] = table;
    }
    if (!n)
        return WR_OK;
    TRY(batch_table_names(ctx, tables, n, &names));
    ctx_warn(ctx,
             "Executing a LOGGED BATCH on table%s [%s], configured with a gc_grace_seconds of 0. The "
             "gc_grace_seconds is used to TTL batchlog entries, so setting gc_grace_seconds too low on tables "
             "involved in an atomic batch might cause batchlog entries to expire before being replayed.",
             n == 1 ? "" : "s", names);
    return WR_OK;
}

static enum wr_status run_entry(struct write *w, const struct batch_entry *entry, struct targets *targets)
{
    const struct modify *m = modify_of(entry->plan);

    w->exec->given = entry->given;
    TRY(modify_rows(w->exec, m, targets));
    return modify_collect(w, m, targets);
}

static enum wr_status find_keys(struct exec *exec, const struct batch_entry *entry, struct targets *targets)
{
    const struct modify *m = modify_of(entry->plan);

    exec->given = entry->given;
    return modify_is_virtual(m) ? modify_run_virtual(exec, m) : modify_keys(exec, m, targets);
}

static enum wr_status run_plain(struct exec *exec, enum ast_batch_kind kind, const struct batch_entry *entries,
                                uint32_t count, const struct expr *timestamp)
{
    const struct given given = exec->given;
    struct targets *targets = NEW_ARRAY(exec->ctx, struct targets, count);
    enum wr_status st = WR_OK;
    int64_t timestamp_us = exec->timestamp_us;
    bool stamped = false;
    struct write w;

    if (!targets)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count && st == WR_OK; i++)
        st = find_keys(exec, &entries[i], &targets[i]);
    exec->given = given;
    TRY(st);
    TRY(modify_timestamp(exec, timestamp, &timestamp_us, &stamped)); /* BatchStatement.getMutations: behind the keys */
    write_init(&w, exec, stamped || timestamp_us != TIMESTAMP_NONE ? &timestamp_us : NULL, false);
    w.logged = kind == BATCH_LOGGED;
    for (uint32_t i = 0; i < count && st == WR_OK; i++)
        st = run_entry(&w, &entries[i], &targets[i]);
    exec->given = given;
    TRY(st);
    if (kind == BATCH_LOGGED)
        TRY(warn_no_grace(exec->ctx, entries, count));
    TRY(write_finish(&w));
    TRY(batch_size_check(&w, kind));
    return write_apply(&w);
}

enum wr_status batch_run(struct exec *exec, enum ast_batch_kind kind, const struct batch_entry *entries, uint32_t count,
                         const struct expr *timestamp)
{
    exec->run = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (entries[i].plan->conditional)
            return cas_run(exec, entries, count, true);
    return run_plain(exec, kind, entries, count, timestamp);
}

enum wr_status batch_step(struct exec *exec, const struct slice **row)
{
    return cas_step(exec, row);
}

const struct column_spec *batch_columns(const struct exec *exec, uint32_t *count)
{
    return cas_columns(exec, count);
}

/* ---- BEGIN BATCH ... APPLY BATCH ---- */

static enum wr_status fill_entries(struct ctx *ctx, const struct batch_plan *b, struct given given, struct batch_entry **out)
{
    if (!(*out = NEW_ARRAY(ctx, struct batch_entry, b->count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < b->count; i++)
        (*out)[i] = (struct batch_entry){ &b->statements[i]->plan, given };
    return WR_OK;
}

static enum wr_status start_batch(struct exec *exec, const struct plan *plan)
{
    const struct batch_plan *b = (const struct batch_plan *)plan;
    struct batch_entry *entries;

    exec->run = NULL;
    if (!b->count)
        return WR_OK;
    TRY(fill_entries(exec->ctx, b, exec->given, &entries));
    return batch_run(exec, b->kind, entries, b->count, b->timestamp);
}

static enum wr_status step_batch(struct exec *exec, const struct plan *plan, const struct slice **row)
{
    (void)plan;
    return batch_step(exec, row);
}

static const struct column_spec *columns_batch(const struct exec *exec, const struct plan *plan, uint32_t *count)
{
    (void)plan;
    return batch_columns(exec, count);
}

const struct plan *batch_part(const struct plan *batch, uint32_t i)
{
    const struct batch_plan *b = (const struct batch_plan *)batch;
    return i < b->count ? &b->statements[i]->plan : NULL;
}

static enum wr_status authorize(struct exec *exec, const struct plan *plan)
{
    const struct batch_plan *b = (const struct batch_plan *)plan;
    for (uint32_t i = 0; i < b->count; i++)
        TRY(b->statements[i]->plan.ops->authorize(exec, &b->statements[i]->plan));
    return WR_OK;
}

static const struct plan_ops batch_ops = {
    .name = "batch", .access = PLAN_WRITE, .authorize = authorize, .start = start_batch, .step = step_batch, .columns = columns_batch
};

/* Drivers route by these: of the one table's key columns, the last marker each, whichever statement has it. NULL where the batch has a marker
 * that is of no table: its timestamp. */
static enum wr_status batch_routing(struct bind *bind, struct batch_plan *b)
{
    const struct table *table = b->count ? b->statements[0]->plan.table : NULL;
    bool all = true;
    uint32_t marker;

    if (!table || (b->timestamp && expr_is_marker(b->timestamp, &marker)))
        return WR_OK;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->statements[i]->plan.table != table)
            return WR_OK;
    uint16_t *routing = NEW_ARRAY(bind->ctx, uint16_t, table->key_count);
    if (!routing)
        return WR_NOMEM;
    for (uint32_t k = 0; k < table->key_count; k++) {
        routing[k] = ROUTING_NONE;
        for (uint32_t i = 0; i < b->count; i++) {
            const uint16_t *of = b->statements[i]->plan.routing;
            if (of && of[k] != ROUTING_NONE)
                routing[k] = of[k];
        }
        all &= routing[k] != ROUTING_NONE;
    }
    if (all) {
        b->plan.table = table;
        b->plan.routing = routing;
    }
    return WR_OK;
}

static enum wr_status bind_statements(struct bind *bind, const struct ast_batch *ast, struct batch_plan *b)
{
    struct slice keyspace;
    uint32_t n = 0;

    for (const struct ast_statement *s = ast->statements; s; s = s->next, n++) /* BatchStatement.Raw.setKeyspace: of all, first */
        TRY(schema_qualify(bind->ctx, bind->current_keyspace, modify_table_name(s)->keyspace, &keyspace));
    if (!(b->statements = NEW_ARRAY(bind->ctx, struct modify *, n)))
        return WR_NOMEM;
    for (const struct ast_statement *s = ast->statements; s; s = s->next) {
        struct modify *m;
        TRY(modify_new(bind, s, &m));
        m->plan.ast = s;
        m->plan.called = bind->called; /* each statement's own: they are authorized one by one */
        bind->called = NULL;
        b->plan.conditional |= m->plan.conditional;
        b->plan.counter |= m->plan.counter;
        b->statements[b->count++] = m;
    }
    return WR_OK;
}

/* A marker of it is of no table: BatchStatement.Parsed prepares it for "[batch]". */
static enum wr_status bind_timestamp(struct bind *bind, const struct ast_expr *ast, const struct expr **out)
{
    uint32_t marker;

    TRY(expr_bind_term(bind, ast, type_native(TYPE_BIGINT), SLICE_LIT("[timestamp]"), out));
    if (expr_is_marker(*out, &marker))
        bind->markers[marker].keyspace = bind->markers[marker].table = SLICE_LIT("[batch]");
    return WR_OK;
}

enum wr_status bind_batch(struct bind *bind, const struct ast_statement *ast, struct plan **out)
{
    struct batch_plan *b = NEW(bind->ctx, struct batch_plan);
    struct batch_entry *entries;

    if (!b)
        return WR_NOMEM;
    b->kind = ast->batch.kind;
    b->plan.ops = &batch_ops;
    TRY(bind_statements(bind, &ast->batch, b));
    if (ast->batch.using.timestamp)
        TRY(bind_timestamp(bind, ast->batch.using.timestamp, &b->timestamp));
    if (ast->batch.using.ttl) {
        const struct expr *ttl;
        TRY(expr_bind_term(bind, ast->batch.using.ttl, type_native(TYPE_INT), SLICE_LIT("[ttl]"), &ttl));
        return fail(bind->ctx, WR_INVALID, "Global TTL on the BATCH statement is not supported.");
    }
    TRY(fill_entries(bind->ctx, b, (struct given){ 0 }, &entries));
    TRY(batch_check(bind->ctx, b->kind, entries, b->count, b->timestamp != NULL));
    for (uint32_t i = 0; i < b->count && !b->plan.refused; i++)
        b->plan.refused = b->statements[i]->plan.refused;
    TRY(batch_routing(bind, b));
    *out = &b->plan;
    return WR_OK;
}
