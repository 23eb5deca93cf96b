#include "model/cond.h"

#include "model/failure.h"
#include "model/foreign_order.h"
#include "model/javatext.h"
#include "model/recompose.h"
#include "model/restrict.h"

static const char *const operator_texts[] = {
    [OP_EQ] = "=",   [OP_NEQ] = "!=", [OP_LT] = "<",   [OP_LTE] = "<=",
    [OP_GT] = ">",   [OP_GTE] = ">=", [OP_IN] = "IN",  [OP_CONTAINS] = "CONTAINS", [OP_CONTAINS_KEY] = "CONTAINS KEY",
};

static bool is_order(enum ast_operator op)
{
    return op >= OP_LT && op <= OP_GTE;
}

/* ---- binding ---- */

static enum wr_status check_durations(struct ctx *ctx, const struct type *type, enum ast_operator op)
{
    if (!is_order(op) || !type_has_duration(type))
        return WR_OK;
    if (type_is_collection(type))
        return fail(ctx, WR_INVALID, "Slice conditions are not supported on collections containing durations");
    if (type->kind == TYPE_TUPLE)
        return fail(ctx, WR_INVALID, "Slice conditions are not supported on tuples containing durations");
    if (type->kind == TYPE_UDT)
        return fail(ctx, WR_INVALID, "Slice conditions are not supported on UDTs containing durations");
    return fail(ctx, WR_INVALID, "Slice conditions ( %s ) are not supported on durations", operator_texts[op]);
}

static struct slice part_name(struct ctx *ctx, struct slice name, const char *what)
{
    const char *text = ctx_format(ctx, "%s(%.*s)", what, SLICE_ARG(name));
    return text ? slice_str(text) : name;
}

/* Whether it has elements: a descending clustering's type is a ReversedType there, which is no collection. */
static bool has_elements(const struct column *column, const struct type *type)
{
    return type_is_collection(type) && !column->descending;
}

/* The right side. name and type are those of the receiver: the column, the element or the field. */
static enum wr_status bind_values(struct bind *bind, const struct ast_relation *ast, struct slice name,
                                  struct condition *condition)
{
    const struct type *type = condition->type;
    bool has = has_elements(condition->column, type);

    if (ast->op == OP_CONTAINS_KEY && !(has && type->kind == TYPE_MAP))
        return fail(bind->ctx, WR_INVALID, "Cannot use CONTAINS KEY on non-map column %.*s", SLICE_ARG(name));
    if (ast->op == OP_CONTAINS && !has)
        return fail(bind->ctx, WR_INVALID, "Cannot use CONTAINS on non-collection column %.*s", SLICE_ARG(name));
    if (ast->op == OP_CONTAINS_KEY || ast->op == OP_CONTAINS) {
        name = part_name(bind->ctx, name, ast->op == OP_CONTAINS_KEY ? "key" : "value");
        type = ast->op == OP_CONTAINS_KEY ? type->args[0] : type_contained(type);
    }
    if (ast->in_marker) {
        const struct expr *marker;
        condition->list_type = type_make(bind->ctx, TYPE_LIST, &type, 1, false, 0);
        if (!condition->list_type)
            return WR_NOMEM;
        condition->list_marker = ast->value->marker;
        return expr_bind_term(bind, ast->value, condition->list_type, part_name(bind->ctx, name, "in"), &marker);
    }
    for (const struct ast_expr *v = ast->value; v; v = v->next)
        condition->value_count++;
    if (!(condition->values = NEW_ARRAY(bind->ctx, const struct expr *, condition->value_count)))
        return WR_NOMEM;
    uint32_t n = 0;
    for (const struct ast_expr *v = ast->value; v; v = v->next)
        TRY(expr_bind_term(bind, v, type, name, &condition->values[n++]));
    return WR_OK;
}

static enum wr_status bind_element(struct bind *bind, const struct ast_relation *ast, struct condition *condition)
{
    const struct column *column = condition->column;
    const struct type *type = column->type;

    if (!has_elements(column, type))
        return fail(bind->ctx, WR_INVALID, "Invalid element access syntax for non-collection column %.*s",
                    SLICE_ARG(column->name));
    if (type->kind == TYPE_SET)
        return fail(bind->ctx, WR_INVALID, "Invalid element access syntax for set column %.*s",
                    SLICE_ARG(column->name));
    bool list = type->kind == TYPE_LIST;
    condition->on = CONDITION_ELEMENT;
    condition->type = type_contained(type);
    TRY(check_durations(bind->ctx, condition->type, ast->op));
    TRY(expr_bind_term(bind, ast->element, list ? type_native(TYPE_INT) : type->args[0],
                       part_name(bind->ctx, column->name, list ? "idx" : "key"), &condition->element));
    return bind_values(bind, ast, part_name(bind->ctx, column->name, "value"), condition);
}

static enum wr_status bind_field(struct bind *bind, const struct ast_relation *ast, struct condition *condition)
{
    const struct column *column = condition->column;
    const struct type *type = column->type;

    if (type->kind != TYPE_UDT)
        return fail_type_cast(bind->ctx, type, "UserType");
    if (!type_field(type, ast->field, &condition->field))
        return fail(bind->ctx, WR_INVALID, "Unknown field %.*s for column %.*s", SLICE_ARG(ast->field),
                    SLICE_ARG(column->name));
    condition->on = CONDITION_FIELD;
    condition->type = type->args[condition->field];
    const char *name = ctx_format(bind->ctx, "%.*s.%.*s", SLICE_ARG(column->name), SLICE_ARG(ast->field));
    if (!name)
        return WR_NOMEM;
    TRY(check_durations(bind->ctx, condition->type, ast->op));
    return bind_values(bind, ast, slice_str(name), condition);
}

static enum wr_status bind_one(struct bind *bind, const struct ast_relation *ast, struct condition *out)
{
    const struct column *column;

    TRY(bind_column(bind, ast->columns->name, &column));
    *out = (struct condition){ .column = column, .op = ast->op, .type = column->type };
    if (column->type->kind == TYPE_COUNTER)
        return fail(bind->ctx, WR_INVALID, "Conditions on counters are not supported");
    if (ast->subject == SUBJECT_ELEMENT) {
        TRY(bind_element(bind, ast, out));
    } else if (ast->subject == SUBJECT_FIELD) {
        TRY(bind_field(bind, ast, out));
    } else {
        TRY(check_durations(bind->ctx, column->type, ast->op));
        TRY(bind_values(bind, ast, column->name, out));
    }
    if (column_is_primary_key(column))
        return fail(bind->ctx, WR_INVALID, "PRIMARY KEY column '%.*s' cannot have IF conditions",
                    SLICE_ARG(column->name));
    return WR_OK;
}

enum wr_status conditions_bind(struct bind *bind, const struct ast_relation *relations, struct conditions *out)
{
    struct conditions made = { .kind = relations ? CONDITIONS_COLUMNS : CONDITIONS_NONE };
    uint32_t n = 0;

    for (const struct ast_relation *r = relations; r; r = r->next)
        n++;
    struct condition *bound = NEW_ARRAY(bind->ctx, struct condition, n);
    made.list = NEW_ARRAY(bind->ctx, struct condition, n);
    if (!bound || !made.list)
        return WR_NOMEM;
    n = 0;
    for (const struct ast_relation *r = relations; r; r = r->next)
        TRY(bind_one(bind, r, &bound[n++]));
    for (uint32_t i = 0; i < n; i++)
        if (bound[i].column->kind != COLUMN_STATIC)
            made.list[made.count++] = bound[i];
    made.regular_count = made.count;
    for (uint32_t i = 0; i < n; i++)
        if (bound[i].column->kind == COLUMN_STATIC)
            made.list[made.count++] = bound[i];
    *out = made;
    return WR_OK;
}

/* ---- in a run ---- */

/*
 * IN ?. The marker's bytes are taken as they are: the type of lists refuses nulls, this place does not. Its elements are read as values of the
 * type and written anew, and an empty int is none.
 */
static enum wr_status evaluate_list(struct exec *exec, const struct condition *condition, struct bound_condition *bound)
{
    struct slice list = exec->given.values[condition->list_marker];
    uint32_t room = (uint32_t)(list.len / 4); /* each has a length before it */
    struct elements e;

    if (slice_is_unset(list))
        return fail(exec->ctx, WR_INVALID, "Invalid 'unset' value in condition");
    if (slice_is_null(list))
        return fail(exec->ctx, WR_INVALID, "Invalid null list in IN condition");
    if (list.len >= sizeof(int32_t) && (int32_t)read_u32(list.data) < 0)
        return fail(exec->ctx, WR_INVALID, "The data cannot be deserialized as a list");
    if (!(bound->values = NEW_ARRAY(exec->ctx, struct slice, room)))
        return WR_NOMEM;
    elements_open(&e, condition->list_type, list);
    while (bound->value_count < room && elements_next(&e, &bound->values[bound->value_count])) {
        struct slice *value = &bound->values[bound->value_count++];
        TRY(type_validate(exec->ctx, condition->type, *value));
        if (type_reads_null(condition->type, *value)) {
            *value = SLICE_NULL;
            continue;
        }
        TRY(type_check_read(exec->ctx, condition->type, *value));
        TRY(element_recompose(exec->ctx, condition->type, *value, value));
    }
    if (e.failed)
        return fail(exec->ctx, WR_INVALID, "Not enough bytes to read a list");
    return e.rest.len ? fail(exec->ctx, WR_INVALID, "Unexpected extraneous bytes after list value") : WR_OK;
}

static enum wr_status evaluate_values(struct exec *exec, const struct condition *condition,
                                      struct bound_condition *bound)
{
    bound->value_count = condition->value_count;
    if (!(bound->values = NEW_ARRAY(exec->ctx, struct slice, bound->value_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < bound->value_count; i++)
        TRY(expr_eval_term(exec, condition->values[i], &bound->values[i]));
    return WR_OK;
}

enum wr_status condition_evaluate(struct exec *exec, const struct condition *condition, struct bound_condition *out)
{
    struct bound_condition bound = { .condition = condition, .element = SLICE_NULL };

    if (condition->element)
        TRY(expr_eval_term(exec, condition->element, &bound.element));
    TRY(condition->list_type ? evaluate_list(exec, condition, &bound) : evaluate_values(exec, condition, &bound));
    *out = bound;
    return WR_OK;
}

/* The element or field that is compared; key: of c[key]. */
static enum wr_status element_of(struct exec *exec, const struct bound_condition *c, struct slice collection,
                                 struct slice *out)
{
    const struct type *type = c->condition->column->type;
    bool map = type->kind == TYPE_MAP;
    struct elements e;
    struct slice key, value;

    *out = SLICE_NULL;
    if (slice_is_null(c->element))
        return fail(exec->ctx, WR_INVALID, "Invalid null value for %s element access", type_word(type));
    int64_t index = !map && c->element.len == 4 ? (int32_t)read_u32(c->element.data) : -1;
    bool has_places = !map && (type->multicell || !slice_is_null(collection)); /* a frozen list that is not there has none */
    if (has_places && (slice_is_unset(c->element) || !c->element.len))
        return fail_no_bytes(exec->ctx);
    if (has_places && index < 0)
        return fail(exec->ctx, WR_INVALID, "Invalid negative list index %d", (int)index);
    if (slice_is_null(collection) || slice_is_unset(c->element))
        return WR_OK;
    elements_open(&e, type, collection);
    for (int64_t i = 0; elements_next_entry(&e, &key, &value); i++) {
        if (map ? type_compare(type->args[0], key, c->element) == 0 : i == index) {
            *out = value;
            break;
        }
    }
    return WR_OK;
}

/* A non-frozen collection without elements is null. */
static bool is_empty_collection(const struct condition *c, struct slice value)
{
    return c->on == CONDITION_COLUMN && c->type->multicell && type_is_collection(c->type) &&
           type_collection_count(value) == 0;
}

static bool order_holds(enum ast_operator op, int order)
{
    switch (op) {
    case OP_NEQ: return order != 0;
    case OP_LT: return order < 0;
    case OP_LTE: return order <= 0;
    case OP_GT: return order > 0;
    case OP_GTE: return order >= 0;
    default: return order == 0; /* =, IN */
    }
}

/* ColumnCondition.ElementCondition compares the values of a map as if they were keys: of a map<text, int> -1 is more than 0. */
static enum wr_status value_order(struct exec *exec, const struct condition *c, struct slice a, struct slice b, int *order)
{
    const struct type *column = c->column->type;

    if (c->on == CONDITION_ELEMENT && column->kind == TYPE_MAP && column->args[0] != c->type)
        return foreign_order(exec->ctx, column->args[0], a, b, order);
    if (c->type->kind == TYPE_LIST)
        return lists_order(exec->ctx, c->type, a, b, order);
    *order = type_compare(c->type, a, b);
    return WR_OK;
}

static enum wr_status compare(struct exec *exec, const struct condition *c, struct slice wanted, struct slice value,
                              bool *holds)
{
    bool null = slice_is_null(wanted), empty = !null && is_empty_collection(c, wanted);

    if (null || empty) {
        if (is_order(c->op)) {
            return null ? fail(exec->ctx, WR_INVALID, "Invalid comparison with null for operator \"%s\"",
                               operator_texts[c->op])
                        : fail(exec->ctx, WR_INVALID, "Invalid comparison with an empty %s for operator \"%s\"", type_word(c->type),
                               operator_texts[c->op]);
        }
        *holds = slice_is_null(value) == (c->op != OP_NEQ);
    } else if (slice_is_null(value)) {
        *holds = c->op == OP_NEQ;
    } else {
        int order;
        TRY(value_order(exec, c, value, wanted, &order));
        *holds = order_holds(c->op, order);
    }
    return WR_OK;
}

/* CONTAINS and CONTAINS KEY. */
static enum wr_status contains(struct exec *exec, const struct bound_condition *c, struct slice collection, bool *holds)
{
    const struct type *type = c->condition->type;
    struct slice wanted = c->values[0], key, value;
    bool by_key = c->condition->op == OP_CONTAINS_KEY;
    const struct type *of = by_key ? type->args[0] : type_contained(type);
    struct elements e;

    *holds = false;
    if (slice_is_unset(wanted) && !type->multicell)
        return fail(exec->ctx, WR_INVALID, "Invalid 'unset' value in condition");
    if (slice_is_null(wanted))
        return fail(exec->ctx, WR_INVALID, "Invalid comparison with null for operator \"%s\"",
                    operator_texts[c->condition->op]);
    if (slice_is_unset(wanted) || slice_is_null(collection))
        return WR_OK;
    elements_open(&e, type, collection);
    while (!*holds && elements_next_entry(&e, &key, &value)) {
        /* a frozen one is looked through as Java objects, of which 1.0 and 1 are not equal decimals */
        struct slice found = by_key ? key : value;
        *holds = type->multicell ? type_compare(of, found, wanted) == 0 : type_java_equal(of, found, wanted);
    }
    return WR_OK;
}

static enum wr_status fail_unset(struct ctx *ctx, const struct condition *c)
{
    static const char *const classes[TYPE_KIND_COUNT] = { [TYPE_LIST] = "cql3.Lists$Value", [TYPE_SET] = "cql3.Sets$Value", [TYPE_MAP] = "cql3.Maps$Value" };

    /* ColumnCondition.MultiCellCollectionBound takes what comes for a collection of its own kind */
    if (c->on == CONDITION_COLUMN && c->type->multicell && classes[c->type->kind])
        return fail_class_cast(ctx, "cql3.Constants$Value", classes[c->type->kind]);
    return fail(ctx, WR_INVALID, "Invalid 'unset' value in condition");
}

enum wr_status condition_holds(struct exec *exec, const struct bound_condition *bound, struct slice value, bool *holds)
{
    const struct condition *c = bound->condition;

    if (c->op == OP_CONTAINS || c->op == OP_CONTAINS_KEY)
        return contains(exec, bound, value, holds);
    if (c->on == CONDITION_ELEMENT)
        TRY(element_of(exec, bound, value, &value));
    else if (c->on == CONDITION_FIELD)
        value = element_at(c->column->type, value, c->field);

    *holds = false;
    for (uint32_t i = 0; i < bound->value_count && !*holds; i++) {
        if (!slice_is_unset(bound->values[i]))
            TRY(compare(exec, c, bound->values[i], value, holds));
        else if (c->op != OP_IN) /* an unset place in IN (?, ..) is as if it were not there */
            return fail_unset(exec->ctx, c);
    }
    return WR_OK;
}

/* CQL3CasRequest.ColumnsConditions: a HashMultimap by Pairs of a column's name and an element's key (none of fields). */
enum wr_status conditions_order(struct ctx *ctx, struct bound_condition *list, uint32_t count)
{
    struct bound_condition *copy = NEW_ARRAY(ctx, struct bound_condition, count);
    uint32_t *hashes = NEW_ARRAY(ctx, uint32_t, count), *order = NEW_ARRAY(ctx, uint32_t, count);

    if (!copy || !hashes || !order)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = 31 * (31 + java_hash(list[i].condition->column->name));
        if (list[i].condition->on == CONDITION_ELEMENT && !slice_is_null(list[i].element))
            hashes[i] += java_hash(list[i].element);
        copy[i] = list[i];
    }
    TRY(java_hash_order(ctx, hashes, count, 0, order));
    for (uint32_t i = 0; i < count; i++)
        list[i] = copy[order[i]];
    return WR_OK;
}
