#include "model/describe.h"

#include <stdlib.h>

#include "model/options.h"
#include "model/parse.h"
#include "model/star.h"
#include "model/system.h"

/* What is printed for reference only, in a comment; the caller ends it. `kinds`: how the two lines name it. */
static void begin_virtual(struct buf *buf, const char *const kinds[3], struct slice name)
{
    buf_printf(buf, "/*\nWarning: %s %.*s is a virtual %s and cannot be recreated with CQL.\nStructure, for reference:\nVIRTUAL %s %.*s",
               kinds[0], SLICE_ARG(name), kinds[1], kinds[2], SLICE_ARG(name));
}

void describe_keyspace(struct buf *buf, const struct keyspace *keyspace, enum describe_form form)
{
    static const char package[] = "org.apache.cassandra.locator.";
    if (system_kind_of(keyspace->name) == SYSTEM_VIRTUAL) {
        static const char *const kinds[] = { "Keyspace", "keyspace", "KEYSPACE" };
        begin_virtual(buf, kinds, keyspace->name);
        buf_put_str(buf, ";\n*/");
        return;
    }
    buf_put_str(buf, "CREATE KEYSPACE ");
    cql_put_name(buf, keyspace->name);
    buf_put_str(buf, " WITH replication = {");
    for (uint32_t i = 0; i < keyspace->replication.count; i++) {
        struct slice value = keyspace->replication.values[i];
        if (slice_has_prefix(value, slice_str(package)))
            value = slice_skip(value, sizeof package - 1);
        buf_put_str(buf, i ? ", " : "");
        cql_put_string(buf, keyspace->replication.keys[i]);
        buf_put_str(buf, ": ");
        cql_put_string(buf, value);
    }
    buf_put_u8(buf, '}');
    if (form != FORM_SCRIPT || !keyspace->durable_writes)
        buf_printf(buf, "  AND durable_writes = %s", keyspace->durable_writes ? "true" : "false");
    buf_put_u8(buf, ';');
}

/* A script is to be read again, where a server prints names bare that mean something else. */
static void put_own_name(struct buf *buf, struct slice name, enum describe_form form)
{
    (form == FORM_SCRIPT ? cql_put_own_name : cql_put_name)(buf, name);
}

static void put_own_full_name(struct buf *buf, struct slice keyspace, struct slice name, enum describe_form form)
{
    cql_put_name(buf, keyspace);
    buf_put_u8(buf, '.');
    put_own_name(buf, name, form);
}

static void put_type(struct buf *buf, const struct type *type, enum describe_form form)
{
    (form == FORM_SCRIPT ? type_print_script : type_print_name)(buf, type);
}

void describe_type(struct buf *buf, const struct type *type, enum describe_form form)
{
    buf_put_str(buf, "CREATE TYPE ");
    put_own_full_name(buf, type->keyspace, type->name, form);
    buf_put_str(buf, " (\n");
    for (uint32_t i = 0; i < type->arg_count; i++) {
        buf_put_str(buf, "    ");
        cql_put_name(buf, type->field_names[i]);
        buf_put_u8(buf, ' ');
        put_type(buf, type->args[i], form);
        buf_put_str(buf, i + 1 < type->arg_count ? ",\n" : "\n");
    }
    buf_put_str(buf, ");");
}

/* ---- tables ---- */

static void put_table_name(struct buf *buf, const struct table *table)
{
    cql_put_full_name(buf, table->keyspace, table->name);
}

/* A table being printed: which columns are shown, and how the list of them ends. */
struct printer {
    struct buf *buf;
    const struct table *table;
    enum describe_form form;
    bool single_key;
    uint32_t left;         /* columns and dropped columns still to come */
    const char *clause;    /* what stands before the next one of those behind WITH */
};

static void put_column(struct printer *p, struct slice name, const struct type *type, bool is_static)
{
    cql_put_name(p->buf, name);
    buf_put_u8(p->buf, ' ');
    put_type(p->buf, type, p->form);
    buf_put_str(p->buf, is_static ? " static" : "");
}

static void put_mask(struct buf *buf, const struct column_mask *mask, enum describe_form form)
{
    buf_put_str(buf, " MASKED WITH ");
    put_own_full_name(buf, mask->keyspace, mask->name, form);
    buf_put_u8(buf, '(');
    for (uint32_t i = 0; i < mask->arg_count; i++) {
        buf_put_str(buf, i ? ", " : "");
        if (slice_is_null(mask->values[i]))
            buf_put_str(buf, "null");
        else
            type_print_literal(buf, mask->types[i], mask->values[i]);
    }
    buf_put_u8(buf, ')');
}

/* As the table has it now, with its mask. */
static void put_living_column(struct printer *p, const struct column *column, bool is_static)
{
    put_column(p, column->name, column->type, is_static);
    if (column->mask)
        put_mask(p->buf, column->mask, p->form);
}

static bool is_dropped(const struct printer *p, struct slice name)
{
    for (uint32_t i = 0; p->form == FORM_INTERNALS && i < p->table->dropped_count; i++)
        if (slice_eq(p->table->dropped[i].name, name))
            return true;
    return false;
}

static bool is_shown(const struct printer *p, const struct column *c)
{
    return !column_is_hidden(p->table, c) && !is_dropped(p, c->name);
}

static void end_column(struct printer *p)
{
    p->left--;
    buf_put_str(p->buf, p->left || !p->single_key ? ",\n" : "\n");
}

static void put_columns_of(struct printer *p, enum column_kind kind)
{
    const struct table *t = p->table;
    const struct column **list = arena_alloc(p->buf->arena, t->column_count * sizeof *list);
    uint32_t n = 0;
    if (!list) {
        p->buf->failed = true;
        return;
    }
    for (uint32_t i = 0; i < t->column_count; i++)
        if (t->columns[i].kind == kind && is_shown(p, &t->columns[i]))
            list[n++] = &t->columns[i];
    if (n && kind >= COLUMN_STATIC)
        qsort(list, n, sizeof *list, column_comparison_cmp);
    for (uint32_t i = 0; i < n; i++) {
        buf_put_str(p->buf, "    ");
        put_living_column(p, list[i], kind == COLUMN_STATIC && !(t->flags & TABLE_STATIC_COMPACT));
        buf_put_str(p->buf, p->single_key && kind == COLUMN_PARTITION_KEY ? " PRIMARY KEY" : "");
        end_column(p);
    }
}

/* In the order of creation: keys, statics, regular ones. */
static void put_columns(struct printer *p)
{
    const struct table *t = p->table;
    for (uint32_t i = 0; i < t->column_count; i++)
        p->left += is_shown(p, &t->columns[i]);
    if (p->form == FORM_INTERNALS)
        p->left += t->dropped_count;
    for (enum column_kind kind = COLUMN_PARTITION_KEY; kind <= COLUMN_REGULAR; kind++)
        put_columns_of(p, kind);
    for (uint32_t i = 0; p->form == FORM_INTERNALS && i < t->dropped_count; i++) {
        buf_put_str(p->buf, "    ");
        put_column(p, t->dropped[i].name, t->dropped[i].type, t->dropped[i].kind == COLUMN_STATIC);
        end_column(p);
    }
}

static void put_primary_key(struct printer *p)
{
    const struct table *t = p->table;
    buf_put_str(p->buf, t->key_count > 1 ? "    PRIMARY KEY ((" : "    PRIMARY KEY (");
    for (uint32_t i = 0; i < t->key_count; i++) {
        buf_put_str(p->buf, i ? ", " : "");
        cql_put_name(p->buf, table_key(t, i)->name);
    }
    buf_put_str(p->buf, t->key_count > 1 ? ")" : "");
    for (uint32_t i = 0; i < t->clustering_count && !(t->flags & TABLE_STATIC_COMPACT); i++) {
        buf_put_str(p->buf, ", ");
        cql_put_name(p->buf, table_clustering(t, i)->name);
    }
    buf_put_u8(p->buf, ')');
}

/* ---- what stands behind WITH ---- */

static void begin_clause(struct printer *p)
{
    buf_put_str(p->buf, p->clause);
    p->clause = "\n    AND ";
}

/* A view that is made without it has the order of its table's columns, a table an ascending one. */
static bool has_order(const struct printer *p)
{
    bool descending = false;
    for (uint32_t i = 0; i < p->table->clustering_count; i++)
        descending |= table_clustering(p->table, i)->descending;
    return descending || (p->table->clustering_count > 0 && (p->form != FORM_SCRIPT || table_is_view(p->table)));
}

static void put_clustering_order(struct printer *p)
{
    const struct table *t = p->table;
    begin_clause(p);
    buf_put_str(p->buf, "CLUSTERING ORDER BY (");
    for (uint32_t i = 0; i < t->clustering_count; i++) {
        buf_put_str(p->buf, i ? ", " : "");
        cql_put_name(p->buf, table_clustering(t, i)->name);
        buf_put_str(p->buf, table_clustering(t, i)->descending ? " DESC" : " ASC");
    }
    buf_put_u8(p->buf, ')');
}

static bool is_printed(const struct printer *p, const struct option *option)
{
    if (table_is_view(p->table) && option->offset == offsetof(struct table_options, default_time_to_live))
        return false;
    return p->form != FORM_SCRIPT || !option_is_new_tables(p->buf->arena, option, &p->table->options);
}

static void put_options(struct printer *p)
{
    const struct option *option;
    for (uint32_t i = 0; (option = option_at(i)); i++) {
        if (!is_printed(p, option))
            continue;
        begin_clause(p);
        buf_printf(p->buf, "%s = ", option->name);
        option_print(p->buf, option, &p->table->options);
    }
}

static void put_clauses(struct printer *p)
{
    const struct table *t = p->table;
    if (t->flags & TABLE_COMPACT) {
        begin_clause(p);
        buf_put_str(p->buf, "COMPACT STORAGE");
    }
    if (p->form == FORM_INTERNALS) {
        begin_clause(p);
        buf_put_str(p->buf, "ID = ");
        type_print_string(p->buf, type_native(TYPE_UUID), slice_of(t->id, sizeof t->id));
    }
    if (has_order(p))
        put_clustering_order(p);
    if (t->flags & TABLE_VIRTUAL) {
        begin_clause(p);
        buf_put_str(p->buf, "comment = ");
        cql_put_string(p->buf, t->options.comment);
    } else {
        put_options(p);
    }
}

static void put_dropped(struct printer *p)
{
    const struct table *t = p->table;
    for (uint32_t i = 0; i < t->dropped_count; i++) {
        const struct column *again = table_column(t, t->dropped[i].name);
        buf_put_str(p->buf, "\nALTER TABLE ");
        put_table_name(p->buf, t);
        buf_put_str(p->buf, " DROP ");
        cql_put_name(p->buf, t->dropped[i].name);
        buf_printf(p->buf, " USING TIMESTAMP %lld;", (long long)t->dropped[i].dropped_us);
        if (!again)
            continue;
        buf_put_str(p->buf, "\nALTER TABLE ");
        put_table_name(p->buf, t);
        buf_put_str(p->buf, " ADD ");
        put_living_column(p, again, again->kind == COLUMN_STATIC);
        buf_put_u8(p->buf, ';');
    }
}

void describe_table(struct buf *buf, const struct table *table, enum describe_form form)
{
    struct printer p = { .buf = buf, .table = table, .form = form, .clause = " WITH " };
    bool compact = table->flags & TABLE_COMPACT && form != FORM_SCRIPT, is_virtual = table->flags & TABLE_VIRTUAL;
    p.single_key = table->key_count == 1 && table->clustering_count == 0;
    if (compact) {
        buf_put_str(buf, "/*\nWarning: Table ");
        put_table_name(buf, table);
        buf_put_str(buf, " omitted because it has constructs not compatible with CQL (was created via legacy API).\n"
                         "Approximate structure, for reference:\n"
                         "(this should not be used to reproduce this schema)\n\n");
    }
    if (is_virtual) {
        static const char *const kinds[] = { "Table", "table", "TABLE" };
        struct buf name;
        buf_init(&name, buf->arena);
        put_table_name(&name, table);
        buf->failed |= name.failed;
        begin_virtual(buf, kinds, buf_slice(&name));
    } else {
        buf_put_str(buf, "CREATE TABLE ");
        put_table_name(buf, table);
    }
    buf_put_str(buf, " (\n");
    put_columns(&p);
    if (!p.single_key) {
        put_primary_key(&p);
        buf_put_u8(buf, '\n');
    }
    buf_put_u8(buf, ')');
    put_clauses(&p);
    buf_put_u8(buf, ';');
    if (form == FORM_INTERNALS)
        put_dropped(&p);
    buf_put_str(buf, compact || is_virtual ? "\n*/" : "");
}

void describe_index(struct buf *buf, const struct table *table, const struct index *index)
{
    bool custom = !slice_is_null(index->class_name);
    buf_put_str(buf, custom ? "CREATE CUSTOM INDEX " : "CREATE INDEX ");
    cql_put_name(buf, index->name);
    buf_put_str(buf, " ON ");
    put_table_name(buf, table);
    buf_printf(buf, " (%.*s)", SLICE_ARG(index->target_text));
    if (custom) {
        buf_put_str(buf, " USING ");
        cql_put_string(buf, index->class_name);
    }
    if (custom && index->options.count) {
        buf_put_str(buf, " WITH OPTIONS = ");
        string_map_print(buf, &index->options);
    }
    buf_put_u8(buf, ';');
}

/* ---- views ---- */

void describe_relation(struct buf *buf, const struct view_relation *relation)
{
    buf_put_str(buf, relation->tuple ? "(" : "");
    for (uint32_t i = 0; i < relation->column_count; i++) {
        buf_put_str(buf, i ? ", " : "");
        cql_put_name(buf, relation->columns[i]);
    }
    buf_put_str(buf, relation->tuple ? ")" : "");
    buf_put_slice(buf, relation->rest);
}

void describe_where(struct buf *buf, const struct view *view)
{
    for (uint32_t i = 0; i < view->where_count; i++) {
        buf_put_str(buf, i ? " AND " : "");
        describe_relation(buf, &view->where[i]);
    }
}

enum wr_status describe_view(struct ctx *ctx, struct buf *buf, const struct table *view, enum describe_form form)
{
    struct printer p = { .buf = buf, .table = view, .form = form, .clause = "\n WITH " };
    const struct column **columns;
    uint32_t count;
    TRY(table_star(ctx, view, &columns, &count));
    buf_put_str(buf, "CREATE MATERIALIZED VIEW ");
    put_table_name(buf, view);
    buf_put_str(buf, " AS\n    SELECT ");
    for (uint32_t i = 0; !view->view->every_column && i < count; i++) {
        buf_put_str(buf, i ? ", " : "");
        cql_put_name(buf, columns[i]->name);
    }
    buf_put_str(buf, view->view->every_column ? "*\n    FROM " : "\n    FROM ");
    cql_put_full_name(buf, view->keyspace, view->view->base_name);
    buf_put_str(buf, "\n    WHERE ");
    describe_where(buf, view->view);
    buf_put_u8(buf, '\n');
    put_primary_key(&p);
    put_clauses(&p);
    buf_put_u8(buf, ';');
    return WR_OK;
}

/* ---- functions and aggregates ---- */

struct slice describe_callable_type(struct slice text)
{
    size_t before = strlen("frozen<");
    return slice_has_prefix(text, SLICE_LIT("frozen<tuple<")) ? slice_of(text.data + before, text.len - before - 1)
                                                              : text;
}

static void put_callable_type(struct buf *buf, const struct type *type, enum describe_form form)
{
    struct buf text;
    buf_init(&text, buf->arena);
    put_type(&text, type, form);
    buf->failed |= text.failed;
    buf_put_slice(buf, describe_callable_type(buf_slice(&text)));
}

static void put_callable(struct buf *buf, const char *what, struct slice keyspace, struct slice name, enum describe_form form)
{
    buf_printf(buf, "CREATE %s ", what);
    put_own_full_name(buf, keyspace, name, form);
    buf_put_u8(buf, '(');
}

/* A server always writes it between `$$`, and what it writes of a body with `$$` in it no server reads. */
static void put_body(struct buf *buf, struct slice body)
{
    bool dollars = body.len && body.data[body.len - 1] == '$';
    for (size_t i = 1; i < body.len; i++)
        dollars |= body.data[i - 1] == '$' && body.data[i] == '$';
    if (dollars)
        cql_put_string(buf, body);
    else
        buf_printf(buf, "$$%.*s$$", SLICE_ARG(body));
}

static void put_function_type(struct buf *buf, struct slice text, const struct type *type, enum describe_form form)
{
    if (type)
        put_callable_type(buf, type, form);
    else
        buf_put_slice(buf, describe_callable_type(text));
}

void describe_function(struct buf *buf, struct system_function f, enum describe_form form)
{
    put_callable(buf, "FUNCTION", f.keyspace, f.name, form);
    for (uint32_t i = 0; i < f.arg_count; i++) {
        buf_put_str(buf, i ? ", " : "");
        cql_put_name(buf, f.arg_names[i]);
        buf_put_u8(buf, ' ');
        put_function_type(buf, f.args[i], f.from_schema ? f.from_schema->args[i] : NULL, form);
    }
    buf_printf(buf, ")\n    %s ON NULL INPUT\n    RETURNS ", f.called_on_null ? "CALLED" : "RETURNS NULL");
    put_function_type(buf, f.result, f.from_schema ? f.from_schema->result : NULL, form);
    buf_printf(buf, "\n    LANGUAGE %.*s\n    AS ", SLICE_ARG(f.language));
    put_body(buf, f.body);
    buf_put_u8(buf, ';');
}

void describe_aggregate(struct buf *buf, struct slice keyspace, const struct aggregate *a, enum describe_form form)
{
    put_callable(buf, "AGGREGATE", keyspace, a->name, form);
    for (uint32_t i = 0; i < a->arg_count; i++) {
        buf_put_str(buf, i ? ", " : "");
        put_callable_type(buf, a->args[i], form);
    }
    buf_put_str(buf, ")\n    SFUNC ");
    put_own_name(buf, a->state_function, form);
    buf_put_str(buf, "\n    STYPE ");
    put_callable_type(buf, a->state, form);
    if (!slice_is_null(a->final_function)) {
        buf_put_str(buf, "\n    FINALFUNC ");
        put_own_name(buf, a->final_function, form);
    }
    if (!slice_is_null(a->initial)) {
        buf_put_str(buf, "\n    INITCOND ");
        type_print_literal(buf, a->state, a->initial);
    }
    buf_put_u8(buf, ';');
}
