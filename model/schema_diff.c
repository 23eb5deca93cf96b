#include "model/schema_diff.h"

#include "model/catalog_code.h"
#include "model/javatext.h"
#include "model/signature.h"
#include "model/string_map.h"

#include <stdlib.h>

struct diff {
    struct ctx *ctx;
    const struct keyspace_part *before, *after; /* of one keyspace; NULL: there is none */
    enum wr_status (*fn)(void *arg, const struct wr_schema_change *change);
    void *arg;
};

enum object { OBJECT_TYPE, OBJECT_TABLE, OBJECT_VIEW };
static const char *const targets[] = { [OBJECT_TYPE] = "TYPE", [OBJECT_TABLE] = "TABLE", [OBJECT_VIEW] = "TABLE" };

/* args: of a function or aggregate. */
static enum wr_status tell_with(const struct diff *d, const char *change, const char *target, struct slice name,
                                const struct type *const *args, uint32_t arg_count)
{
    const struct keyspace *keyspace = &(d->after ? d->after : d->before)->keyspace;
    const char **types = NEW_ARRAY(d->ctx, const char *, arg_count);
    struct wr_schema_change c = { .change = change,
                                  .target = target,
                                  .keyspace = ctx_string(d->ctx, keyspace->name),
                                  .argument_types = types,
                                  .argument_count = arg_count };
    if (!types || !c.keyspace || (!slice_is_null(name) && !(c.name = ctx_name(d->ctx, name))))
        return WR_NOMEM;
    for (uint32_t i = 0; i < arg_count; i++)
        types[i] = type_name(d->ctx, args[i]);
    return d->fn(d->arg, &c);
}

static enum wr_status tell(const struct diff *d, const char *change, const char *target, struct slice name)
{
    return tell_with(d, change, target, name, NULL, 0);
}

/* ---- the objects of a keyspace ---- */

static uint32_t count_of(const struct keyspace_part *part, enum object object)
{
    if (!part)
        return 0;
    return object == OBJECT_TYPE ? part->keyspace.type_count : part->keyspace.table_count;
}

static struct slice name_of(const struct keyspace_part *part, enum object object, uint32_t i)
{
    return object == OBJECT_TYPE ? part->keyspace.declared[i]->name : part->keyspace.tables[i]->name;
}

/* Views stand among the tables. */
static bool is_of(const struct keyspace_part *part, enum object object, uint32_t i)
{
    return object == OBJECT_TYPE || (part->keyspace.tables[i]->view != NULL) == (object == OBJECT_VIEW);
}

static bool table_is_altered(const struct diff *d, uint32_t i, uint32_t j)
{
    const struct table *a = d->before->keyspace.tables[i], *b = d->after->keyspace.tables[j];
    if (!d->before->tables || !d->after->tables || a == b ||
        a->shape.table_id != b->shape.table_id) /* the system's, the same, emptied */
        return false;
    bool altered =
        memcmp(d->before->tables[i]->digest, d->after->tables[j]->digest, sizeof d->before->tables[i]->digest) != 0;
    for (uint32_t c = 0; c < a->column_count && !altered; c++)
        altered = !type_eq(a->columns[c].type, b->columns[c].type);
    return altered;
}

static bool is_altered(const struct diff *d, enum object object, uint32_t i, uint32_t j)
{
    if (object == OBJECT_TYPE)
        return !type_eq(d->before->keyspace.declared[i], d->after->keyspace.declared[j]);
    return table_is_altered(d, i, j);
}

enum fate { FATE_DROPPED, FATE_CREATED, FATE_ALTERED };
static const char *const changes[] = {
    [FATE_DROPPED] = "DROPPED", [FATE_CREATED] = "CREATED", [FATE_ALTERED] = "UPDATED"
};

/* Sets has[i] for each object of that kind and fate, by its place before, and what was created after the change. */
static uint32_t find_objects(const struct diff *d, enum object object, enum fate fate, bool *has)
{
    uint32_t before = count_of(d->before, object), after = count_of(d->after, object), i = 0, j = 0, found = 0;
    while (i < before || j < after) {
        int c = i == before  ? 1
                : j == after ? -1
                             : slice_cmp(name_of(d->before, object, i), name_of(d->after, object, j));
        if (c < 0 && fate == FATE_DROPPED && is_of(d->before, object, i))
            found += has[i] = true;
        if (c > 0 && fate == FATE_CREATED && is_of(d->after, object, j))
            found += has[j] = true;
        if (c == 0 && fate == FATE_ALTERED && is_of(d->after, object, j) && is_altered(d, object, i, j))
            found += has[i] = true;
        i += c <= 0;
        j += c >= 0;
    }
    return found;
}

/* An object's place among its keyspace's, and since when it stands there. */
struct standing {
    uint64_t since;
    uint32_t place;
};

static int standing_cmp(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    if (x->since != y->since)
        return x->since > y->since ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* The places of tables, or of views: tables as they were last altered (Tables.withSwapped puts one last), views as a HashMap of their names has
 * them (Views.Builder). */
static enum wr_status walk_tables(struct ctx *ctx, const struct keyspace *keyspace, bool views, uint32_t *places, uint32_t *count)
{
    uint32_t all = keyspace->table_count, n = 0;
    struct slice *names = NEW_ARRAY(ctx, struct slice, all);
    uint32_t *order = NEW_ARRAY(ctx, uint32_t, all);
    struct standing *standings = NEW_ARRAY(ctx, struct standing, all);
    if (!names || !order || !standings)
        return WR_NOMEM;
    for (uint32_t i = 0; i < all; i++) {
        if (table_is_view(keyspace->tables[i]) != views)
            continue;
        names[n] = keyspace->tables[i]->name;
        order[n] = n;
        standings[n++] = (struct standing){ keyspace->tables[i]->changed, i };
    }
    if (views)
        TRY(java_set_order(ctx, names, n, 0, order));
    else if (n)
        qsort(standings, n, sizeof *standings, standing_cmp);
    for (uint32_t i = 0; i < n; i++)
        places[i] = standings[order[i]].place;
    *count = n;
    return WR_OK;
}

enum wr_status keyspace_walk_tables(struct ctx *ctx, const struct keyspace *keyspace, uint32_t *places)
{
    uint32_t tables, views;
    TRY(walk_tables(ctx, keyspace, false, places, &tables));
    return walk_tables(ctx, keyspace, true, places + tables, &views);
}

static enum wr_status walk_types(struct ctx *ctx, const struct keyspace *keyspace, uint32_t *places)
{
    const struct type **types;
    TRY(keyspace_types_sorted(ctx, keyspace, &types));
    for (uint32_t i = 0; i < keyspace->type_count; i++)
        places[i] = keyspace_type_place(keyspace, types[i]->name);
    return WR_OK;
}

static enum wr_status walk_objects(struct ctx *ctx, const struct keyspace_part *part, enum object object, uint32_t *places, uint32_t *count)
{
    if (object != OBJECT_TYPE)
        return walk_tables(ctx, &part->keyspace, object == OBJECT_VIEW, places, count);
    *count = count_of(part, object);
    return walk_types(ctx, &part->keyspace, places);
}

/* Those of one fate, of one kind of object. */
static enum wr_status tell_objects(const struct diff *d, enum object object, enum fate fate)
{
    const struct keyspace_part *part = fate == FATE_CREATED ? d->after : d->before;
    uint32_t n = count_of(part, object);
    if (!n)
        return WR_OK;
    bool *has = NEW_ARRAY(d->ctx, bool, n);
    uint32_t *places = NEW_ARRAY(d->ctx, uint32_t, n);
    if (!has || !places)
        return WR_NOMEM;
    if (!find_objects(d, object, fate, has))
        return WR_OK;
    TRY(walk_objects(d->ctx, part, object, places, &n));
    for (uint32_t i = 0; i < n; i++)
        if (has[places[i]])
            TRY(tell(d, changes[fate], targets[object], name_of(part, object, places[i])));
    return WR_OK;
}

/* ---- functions and aggregates ---- */

enum callables { FUNCTIONS, AGGREGATES };
static const char *const callable_targets[] = { [FUNCTIONS] = "FUNCTION", [AGGREGATES] = "AGGREGATE" };

/* One of either kind: what tells it apart, and the types behind its arguments that it is made of. */
struct callable {
    struct slice name, code; /* code: as the catalog has it */
    const struct type *const *args, *others[2];
    uint32_t arg_count;
};

static uint32_t callables_of(const struct keyspace_part *part, enum callables kind)
{
    if (!part)
        return 0;
    return kind == FUNCTIONS ? part->keyspace.function_count : part->keyspace.aggregate_count;
}

static enum wr_status callable_at(struct ctx *ctx, const struct keyspace_part *part, enum callables kind, uint32_t i,
                                  struct callable *out)
{
    if (kind == FUNCTIONS) {
        const struct function *f = &part->keyspace.functions[i];
        *out = (struct callable){ .name = f->name, .args = f->args, .others = { f->result, f->result }, .arg_count = f->arg_count };
        return function_encode(ctx, f, &out->code);
    }
    const struct aggregate *a = &part->keyspace.aggregates[i];
    *out = (struct callable){ .name = a->name, .args = a->args, .others = { a->state, a->result }, .arg_count = a->arg_count };
    return aggregate_encode(ctx, a, &out->code);
}

static enum wr_status has_callable(struct ctx *ctx, const struct keyspace_part *part, enum callables kind,
                                   const struct callable *of, struct callable *found, bool *out)
{
    struct slice *texts, *own;
    *out = false;
    TRY(type_texts(ctx, of->args, of->arg_count, &texts));
    for (uint32_t i = 0; i < callables_of(part, kind) && !*out; i++) {
        TRY(callable_at(ctx, part, kind, i, found));
        if (!slice_eq(found->name, of->name) || found->arg_count != of->arg_count)
            continue;
        TRY(type_texts(ctx, found->args, found->arg_count, &own));
        *out = same_texts(own, texts, of->arg_count);
    }
    return WR_OK;
}

/* A user type in it may have been altered, too. */
static bool callable_is_altered(const struct callable *a, const struct callable *b)
{
    bool same = slice_eq(a->code, b->code) && type_eq(a->others[0], b->others[0]) && type_eq(a->others[1], b->others[1]);
    for (uint32_t i = 0; i < a->arg_count && same; i++)
        same = type_eq(a->args[i], b->args[i]);
    return !same;
}

static enum wr_status tell_callables(const struct diff *d, enum callables kind, enum fate fate)
{
    const struct keyspace_part *from = fate == FATE_CREATED ? d->after : d->before;
    const struct keyspace_part *other = fate == FATE_CREATED ? d->before : d->after;
    for (uint32_t i = 0; i < callables_of(from, kind); i++) {
        struct callable c, found;
        bool there;
        TRY(callable_at(d->ctx, from, kind, i, &c));
        TRY(has_callable(d->ctx, other, kind, &c, &found, &there));
        if (fate == FATE_ALTERED ? there && callable_is_altered(&c, &found) : !there)
            TRY(tell_with(d, changes[fate], callable_targets[kind], c.name, c.args, c.arg_count));
    }
    return WR_OK;
}

/* ---- keyspaces ---- */

static bool keyspace_is_altered(const struct diff *d)
{
    const struct keyspace *a = &d->before->keyspace, *b = &d->after->keyspace;
    return a->durable_writes != b->durable_writes || !string_map_eq(&a->replication, &b->replication);
}

/* In the order of Cassandra's SchemaChangeNotifier. */
static enum wr_status tell_keyspace(const struct diff *d)
{
    if (!d->before)
        TRY(tell(d, "CREATED", "KEYSPACE", SLICE_NULL));
    if (!d->after) {
        TRY(tell_callables(d, AGGREGATES, FATE_DROPPED));
        TRY(tell_callables(d, FUNCTIONS, FATE_DROPPED));
    }
    TRY(tell_objects(d, OBJECT_VIEW, FATE_DROPPED));
    TRY(tell_objects(d, OBJECT_TABLE, FATE_DROPPED));
    TRY(tell_objects(d, OBJECT_TYPE, FATE_DROPPED));
    if (d->after) {
        TRY(tell_callables(d, AGGREGATES, FATE_DROPPED));
        TRY(tell_callables(d, FUNCTIONS, FATE_DROPPED));
    }
    TRY(tell_objects(d, OBJECT_TYPE, FATE_CREATED));
    TRY(tell_objects(d, OBJECT_TABLE, FATE_CREATED));
    TRY(tell_objects(d, OBJECT_VIEW, FATE_CREATED));
    TRY(tell_callables(d, FUNCTIONS, FATE_CREATED));
    TRY(tell_callables(d, AGGREGATES, FATE_CREATED));
    if (!d->after)
        return tell(d, "DROPPED", "KEYSPACE", SLICE_NULL);
    if (d->before && keyspace_is_altered(d))
        TRY(tell(d, "UPDATED", "KEYSPACE", SLICE_NULL));
    TRY(tell_objects(d, OBJECT_TYPE, FATE_ALTERED));
    TRY(tell_objects(d, OBJECT_TABLE, FATE_ALTERED));
    TRY(tell_objects(d, OBJECT_VIEW, FATE_ALTERED));
    TRY(tell_callables(d, FUNCTIONS, FATE_ALTERED));
    return tell_callables(d, AGGREGATES, FATE_ALTERED);
}

enum wr_status schema_diff(struct ctx *ctx, const struct schema *before, const struct schema *after,
                           enum wr_status (*fn)(void *arg, const struct wr_schema_change *change), void *arg)
{
    uint32_t i = 0, j = 0, n = schema_keyspace_count(before), m = schema_keyspace_count(after);
    while (i < n || j < m) {
        struct diff d = { ctx, i < n ? schema_part_at(before, i) : NULL, j < m ? schema_part_at(after, j) : NULL, fn,
                          arg };
        int c = !d.before ? 1 : !d.after ? -1 : slice_cmp(d.before->keyspace.name, d.after->keyspace.name);
        if (c < 0)
            d.after = NULL;
        if (c > 0)
            d.before = NULL;
        if (d.before != d.after) /* what a change does not touch is shared */
            TRY(tell_keyspace(&d));
        i += c <= 0;
        j += c >= 0;
    }
    return WR_OK;
}
