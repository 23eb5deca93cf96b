#include "model/operation.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/coding.h"
#include "engine/counter.h"
#include "model/cas.h"
#include "model/database.h"
#include "model/failure.h"
#include "model/func.h"
#include "model/insert_json.h"
#include "model/seen_column.h"
#include "model/sort.h"

/* ---- building a row's cells ---- */

struct row_builder {
    struct write *write;
    const struct write_times *times;
    const struct slice *json;
    const struct row *stored; /* as it was read; NULL: there is none */
    const struct columns *read;
    struct seen_column *seen; /* those columns; NULL: not yet asked for */
    struct cell *cells;
    struct complex_deletion *complex;
    uint32_t cell_count, cell_room, complex_count, complex_room;
    bool slotted;
    uint32_t slot; /* of the operation that is running */
};

static enum wr_status grow_cells(struct ctx *ctx, struct row_builder *b)
{
    uint32_t room = b->cell_room ? b->cell_room * 2 : 8;
    struct cell *cells = NEW_ARRAY(ctx, struct cell, room);
    if (!cells)
        return WR_NOMEM;
    if (b->cell_count)
        memcpy(cells, b->cells, b->cell_count * sizeof *cells);
    b->cells = cells;
    b->cell_room = room;
    return WR_OK;
}

/* The next cell, zero-filled but for what all have in common. */
static enum wr_status add_cell(struct row_builder *b, const struct column *column, struct slice path, struct cell **out)
{
    if (!b->slotted && b->cell_count == b->cell_room)
        TRY(grow_cells(b->write->exec->ctx, b));
    struct cell *cell = &b->cells[b->slotted ? b->slot : b->cell_count++];
    cell->column = column->id;
    cell->timestamp_us = b->times->timestamp_us;
    cell->path = path;
    *out = cell;
    return WR_OK;
}

static enum wr_status put_live(struct row_builder *b, const struct column *column, struct slice path,
                               struct slice value)
{
    struct cell *cell;

    TRY(add_cell(b, column, path, &cell));
    cell->kind = b->times->ttl_s ? CELL_EXPIRING : CELL_PLAIN;
    cell->ttl_s = b->times->ttl_s;
    cell->local_s = b->times->expires_s;
    cell->value = value;
    return WR_OK;
}

static enum wr_status put_dead(struct row_builder *b, const struct column *column, struct slice path)
{
    struct cell *cell;

    TRY(add_cell(b, column, path, &cell));
    cell->kind = CELL_DEAD;
    cell->local_s = b->times->now_s;
    if (column->type->kind == TYPE_COUNTER)
        counter_end(cell);
    return WR_OK;
}

static enum wr_status put_complex(struct row_builder *b, const struct column *column, int64_t timestamp_us)
{
    if (b->complex_count == b->complex_room) {
        uint32_t room = b->complex_room ? b->complex_room * 2 : 4;
        struct complex_deletion *complex = NEW_ARRAY(b->write->exec->ctx, struct complex_deletion, room);
        if (!complex)
            return WR_NOMEM;
        if (b->complex_count)
            memcpy(complex, b->complex, b->complex_count * sizeof *complex);
        b->complex = complex;
        b->complex_room = room;
    }
    b->complex[b->complex_count++] = (struct complex_deletion){ column->id, { timestamp_us, b->times->now_s } };
    return WR_OK;
}

/* ---- values and paths ---- */

static enum wr_status value_of(struct row_builder *b, const struct operation *op, struct slice *out)
{
    if (op->value)
        return expr_eval_term(b->write->exec, op->value, out);
    assert(b->json);
    return insert_json_value(b->write->exec->ctx, b->json, op->column->ordinal, out);
}

static enum wr_status ordered_path(struct row_builder *b, const struct type *type, struct slice key, struct slice *out)
{
    struct buf path;
    buf_init(&path, b->write->exec->ctx->arena);
    type_put_order(&path, type, key);
    return buf_done(b->write->exec->ctx, &path, out);
}

/* A key in the value's cell too, where the path cannot give it back. */
static enum wr_status lossy_map_value(struct row_builder *b, struct slice key, struct slice value, struct slice *out)
{
    struct buf both;
    buf_init(&both, b->write->exec->ctx->arena);
    buf_put_u32(&both, (uint32_t)key.len);
    buf_put_slice(&both, key);
    buf_put_slice(&both, value);
    return buf_done(b->write->exec->ctx, &both, out);
}

static enum wr_status put_pair(struct row_builder *b, const struct operation *op, struct slice key, struct slice value)
{
    struct slice path;
    TRY(ordered_path(b, op->column->type->args[0], key, &path));
    if (op->lossy)
        TRY(lossy_map_value(b, key, value, &value));
    return put_live(b, op->column, path, value);
}

static enum wr_status put_list_element(struct row_builder *b, const struct operation *op, bool prepended, uint64_t i,
                                       struct slice value)
{
    struct exec *exec = b->write->exec;
    uint8_t *id = ctx_alloc(exec->ctx, LISTID_BYTES);
    if (!id)
        return WR_NOMEM;
    if (prepended)
        listid_prepended(&b->write->ids, i, id);
    else
        listid_append(&b->write->ids, engine_clock(exec->db->engine), id);
    return put_live(b, op->column, slice_of(id, LISTID_BYTES), value);
}

static enum wr_status fail_null_element(struct row_builder *b)
{
    return fail(b->write->exec->ctx, WR_INVALID, "null is not supported inside collections");
}

/* One cell for every element, pair or field of a serialized value. */
static enum wr_status put_elements(struct row_builder *b, const struct operation *op, struct slice value,
                                   bool prepended)
{
    const struct type *type = op->column->type;
    struct elements e;
    struct slice element, second;

    elements_open(&e, type, value);
    for (uint32_t i = 0; elements_next(&e, &element); i++) {
        if (type->kind == TYPE_UDT) {
            uint8_t *path = slice_is_null(element) ? NULL : ctx_alloc(b->write->exec->ctx, 2);
            if (slice_is_null(element))
                continue;
            if (!path)
                return WR_NOMEM;
            put_u16(path, (uint16_t)i);
            TRY(put_live(b, op->column, slice_of(path, 2), element));
            continue;
        }
        if (slice_is_null(element)) /* of a bound list; what binds others has refused it */
            return type->kind == TYPE_LIST ? fail_null_value(b->write->exec->ctx) : fail_null_element(b);
        switch (type->kind) {
        case TYPE_LIST:
            TRY(put_list_element(b, op, prepended, i, element));
            break;
        case TYPE_MAP:
            if (!elements_next(&e, &second) || slice_is_null(second))
                return fail_null_element(b);
            TRY(put_pair(b, op, element, second));
            break;
        default: {
            struct slice path;
            TRY(ordered_path(b, type->args[0], element, &path));
            TRY(put_live(b, op->column, path, op->lossy ? element : SLICE_EMPTY));
        }
        }
    }
    return WR_OK;
}

/* ---- running: one function a kind of operation ---- */

static enum wr_status run_set(struct row_builder *b, const struct operation *op)
{
    struct slice value;
    TRY(value_of(b, op, &value));
    if (slice_is_unset(value))
        return WR_OK;
    return slice_is_null(value) ? put_dead(b, op->column, SLICE_NULL) : put_live(b, op->column, SLICE_NULL, value);
}

/* UserTypes.Setter alone takes nothing but a UserTypes.Value: in conditions, WHERE and collections a tuple may stand for one. */
static enum wr_status run_set_tuple(struct row_builder *b, const struct operation *op)
{
    struct slice value;
    TRY(value_of(b, op, &value));
    return fail_class_cast(b->write->exec->ctx, "cql3.Tuples$Value", "cql3.UserTypes$Value");
}

static enum wr_status run_set_empty(struct row_builder *b, const struct operation *op)
{
    return put_live(b, op->column, SLICE_NULL, SLICE_EMPTY);
}

static enum wr_status run_overwrite(struct row_builder *b, const struct operation *op)
{
    struct slice value;
    TRY(value_of(b, op, &value));
    if (slice_is_unset(value))
        return WR_OK;
    TRY(put_complex(b, op->column, b->times->timestamp_us - 1));
    return slice_is_null(value) ? WR_OK : put_elements(b, op, value, false);
}

static enum wr_status run_append(struct row_builder *b, const struct operation *op) /* sets and maps too */
{
    struct slice value;
    TRY(value_of(b, op, &value));
    if (slice_is_unset(value) && op->column->type->kind == TYPE_LIST) /* Lists.Appender alone does not ask for it */
        return fail_class_cast(b->write->exec->ctx, "cql3.Constants$Value", "cql3.Lists$Value");
    return slice_is_null(value) || slice_is_unset(value) ? WR_OK : put_elements(b, op, value, false);
}

static enum wr_status run_prepend(struct row_builder *b, const struct operation *op)
{
    struct slice value;
    TRY(value_of(b, op, &value));
    if (slice_is_null(value) || slice_is_unset(value))
        return WR_OK;
    listid_prepend(&b->write->ids, engine_clock(b->write->exec->db->engine), type_collection_count(value));
    return put_elements(b, op, value, true);
}

/* s - {..} and m - {keys}: the value is a set either way. */
static enum wr_status run_discard(struct row_builder *b, const struct operation *op)
{
    struct slice value, element, path;
    struct elements e;
    TRY(value_of(b, op, &value));
    if (slice_is_null(value) || slice_is_unset(value))
        return WR_OK;
    elements_open(&e, expr_type(op->value), value);
    while (elements_next(&e, &element)) {
        if (slice_is_null(element))
            return fail_null_element(b);
        TRY(ordered_path(b, op->column->type->args[0], element, &path));
        TRY(put_dead(b, op->column, path));
    }
    return WR_OK;
}

/* The bytes of a cell's path last until the store is next written to, and the cell made of it longer. */
static enum wr_status copy_path(struct row_builder *b, const struct cell *cell, struct slice *out)
{
    return ctx_copy(b->write->exec->ctx, cell->path, out);
}

/* A column as it is by now. Beside conditions only those static ones that they ask for have been read. */
static enum wr_status see(struct row_builder *b, const struct column *column, const struct seen_column **out)
{
    struct ctx *ctx = b->write->exec->ctx;
    const struct cas *cas = b->write->cas;
    bool is_read = !cas || cas_has_column(cas, column);
    const struct row nothing = ROW_NONE, written = { .cells = b->cells, .cell_count = b->cell_count, .complex = b->complex, .complex_count = b->complex_count };
    uint32_t i = 0;

    if (!b->seen && !(b->seen = NEW_ARRAY(ctx, struct seen_column, b->read->count)))
        return WR_NOMEM;
    while (b->read->ids[i] != column->id)
        i++;
    if (!b->seen[i].id)
        seen_column_begin(&b->seen[i], column->id, is_read ? b->stored : NULL);
    *out = &b->seen[i];
    return seen_column_follow(ctx, &b->seen[i], b->slotted ? &nothing : &written, b->times->now_s);
}

static bool cell_counts(const struct cell *cell, const struct column *column)
{
    return cell->timestamp_us > column->dropped_us;
}

/* The elements of a list in order of their bytes, to search in; nothing is equal to those that are null. */
static enum wr_status sort_elements(struct ctx *ctx, const struct type *type, struct slice list, struct slice **out,
                                    uint32_t *n)
{
    struct elements e;
    elements_open(&e, type, list);
    if (!(*out = NEW_ARRAY(ctx, struct slice, e.count)))
        return WR_NOMEM;
    for (*n = 0; *n < e.count && elements_next(&e, &(*out)[*n]);)
        *n += !type_reads_null(type->args[0], (*out)[*n]);
    qsort(*out, *n, sizeof **out, slices_cmp);
    return WR_OK;
}

static enum wr_status run_list_discard(struct row_builder *b, const struct operation *op)
{
    const struct seen_column *seen;
    struct slice value, path, *gone;
    uint32_t gone_count;
    TRY(value_of(b, op, &value));
    TRY(see(b, op->column, &seen));
    if (slice_is_null(value) || slice_is_unset(value) || !seen->count)
        return WR_OK;
    TRY(sort_elements(b->write->exec->ctx, op->column->type, value, &gone, &gone_count));
    for (uint32_t i = 0; i < seen->count; i++) {
        const struct cell *cell = seen_column_cell(seen, i);
        if (!cell_counts(cell, op->column) || !bsearch(&cell->value, gone, gone_count, sizeof *gone, slices_cmp))
            continue;
        TRY(copy_path(b, cell, &path));
        TRY(put_dead(b, op->column, path));
    }
    return WR_OK;
}

/* The path of the element that an index means. */
static enum wr_status find_index(struct row_builder *b, const struct operation *op, struct slice index,
                                 const char *verb, const char *preposition, struct slice *path)
{
    struct ctx *ctx = b->write->exec->ctx;
    int32_t at = index.len == 4 ? (int32_t)read_u32(index.data) : -1, size = 0;
    const struct seen_column *seen;
    const struct cell *found = NULL;

    if (!index.len)
        return fail_no_bytes(ctx);
    TRY(see(b, op->column, &seen));
    for (uint32_t i = 0; i < seen->count; i++) {
        const struct cell *cell = seen_column_cell(seen, i);
        if (!cell_counts(cell, op->column))
            continue;
        if (size++ == at)
            found = cell;
    }
    if (!size)
        return fail(ctx, WR_INVALID, "Attempted to %s an element %s a list which is null", verb, preposition);
    if (!found)
        return fail(ctx, WR_INVALID, "List index %d out of bound, list has size %d", (int)at, (int)size);
    return copy_path(b, found, path);
}

static enum wr_status run_set_index(struct row_builder *b, const struct operation *op)
{
    struct exec *exec = b->write->exec;
    struct slice index, value, path;
    TRY(expr_eval_term(exec, op->element, &index));
    TRY(value_of(b, op, &value));
    if (slice_is_null(index))
        return fail(exec->ctx, WR_INVALID, "Invalid null value for list index");
    if (slice_is_unset(index))
        return fail(exec->ctx, WR_INVALID, "Invalid unset value for list index");
    TRY(find_index(b, op, index, "set", "on", &path));
    if (slice_is_unset(value))
        return WR_OK;
    return slice_is_null(value) ? put_dead(b, op->column, path) : put_live(b, op->column, path, value);
}

static enum wr_status run_delete_index(struct row_builder *b, const struct operation *op)
{
    struct exec *exec = b->write->exec;
    struct slice index, path;
    TRY(expr_eval_term(exec, op->element, &index));
    if (slice_is_null(index))
        return fail(exec->ctx, WR_INVALID, "Invalid null value for list index");
    if (slice_is_unset(index))
        return WR_OK;
    TRY(find_index(b, op, index, "delete", "from", &path));
    return put_dead(b, op->column, path);
}

static enum wr_status check_map_key(struct ctx *ctx, struct slice key)
{
    if (slice_is_null(key))
        return fail(ctx, WR_INVALID, "Invalid null map key");
    if (slice_is_unset(key))
        return fail(ctx, WR_INVALID, "Invalid unset map key");
    return WR_OK;
}

static enum wr_status run_set_key(struct row_builder *b, const struct operation *op)
{
    struct slice key, value, path;
    TRY(expr_eval_term(b->write->exec, op->element, &key));
    TRY(value_of(b, op, &value)); /* a value that is wrong is told before a key that is missing */
    TRY(check_map_key(b->write->exec->ctx, key));
    if (slice_is_unset(value))
        return WR_OK;
    if (!slice_is_null(value))
        return put_pair(b, op, key, value);
    TRY(ordered_path(b, op->column->type->args[0], key, &path));
    return put_dead(b, op->column, path);
}

static enum wr_status run_delete_key(struct row_builder *b, const struct operation *op)
{
    struct slice key, path;
    TRY(expr_eval_term(b->write->exec, op->element, &key));
    TRY(check_map_key(b->write->exec->ctx, key));
    TRY(ordered_path(b, op->column->type->args[0], key, &path));
    return put_dead(b, op->column, path);
}

static enum wr_status run_delete_element(struct row_builder *b, const struct operation *op)
{
    struct exec *exec = b->write->exec;
    struct slice element, path;
    TRY(expr_eval_term(exec, op->element, &element));
    if (slice_is_null(element))
        return fail(exec->ctx, WR_INVALID, "Invalid null set element");
    if (slice_is_unset(element))
        return WR_OK;
    TRY(ordered_path(b, op->column->type->args[0], element, &path));
    return put_dead(b, op->column, path);
}

static enum wr_status field_path(struct row_builder *b, const struct operation *op, struct slice *out)
{
    uint8_t *path = ctx_alloc(b->write->exec->ctx, 2);
    if (!path)
        return WR_NOMEM;
    put_u16(path, (uint16_t)op->field);
    *out = slice_of(path, 2);
    return WR_OK;
}

static enum wr_status run_set_field(struct row_builder *b, const struct operation *op)
{
    struct slice value, path;
    TRY(value_of(b, op, &value));
    if (slice_is_unset(value))
        return WR_OK;
    TRY(field_path(b, op, &path));
    return slice_is_null(value) ? put_dead(b, op->column, path) : put_live(b, op->column, path, value);
}

static enum wr_status run_delete_field(struct row_builder *b, const struct operation *op)
{
    struct slice path;
    TRY(field_path(b, op, &path));
    return put_dead(b, op->column, path);
}

static enum wr_status put_increment(struct row_builder *b, const struct operation *op, int64_t increment)
{
    uint8_t *bytes = ctx_alloc(b->write->exec->ctx, 8);
    struct cell *cell;
    if (!bytes)
        return WR_NOMEM;
    put_u64(bytes, (uint64_t)increment);
    TRY(add_cell(b, op->column, SLICE_NULL, &cell));
    cell->flags = CELL_COUNTER;
    cell->value = slice_of(bytes, 8);
    return WR_OK;
}

static enum wr_status run_count(struct row_builder *b, const struct operation *op)
{
    struct ctx *ctx = b->write->exec->ctx;
    struct slice value;
    TRY(value_of(b, op, &value));
    if (slice_is_unset(value))
        return WR_OK;
    if (slice_is_null(value))
        return fail(ctx, WR_INVALID, "Invalid null value for counter increment");
    if (value.len != 8)
        return fail_no_bytes(ctx);
    int64_t increment = (int64_t)read_u64(value.data);
    if (op->kind != OPERATION_COUNT_DOWN)
        return put_increment(b, op, increment);
    if (increment == INT64_MIN)
        return fail(ctx, WR_INVALID,
                    "The negation of %lld overflows supported counter precision (signed 8 bytes integer)",
                    (long long)increment);
    return put_increment(b, op, -increment);
}

/* c = c + value under conditions: on a null column nothing happens. */
static enum wr_status run_arithmetic(struct row_builder *b, const struct operation *op)
{
    struct exec *exec = b->write->exec;
    struct slice args[2], sum;
    const struct seen_column *seen;
    TRY(value_of(b, op, &args[1]));
    TRY(see(b, op->column, &seen));
    const struct cell *cell = seen->count ? seen_column_cell(seen, 0) : NULL;
    if (!cell || !cell_counts(cell, op->column))
        return WR_OK;
    if (slice_is_null(args[1]) || slice_is_unset(args[1])) /* Cassandra fails too, with a NullPointerException */
        return fail(exec->ctx, WR_SERVER_ERROR, "null cannot be added to a column");
    args[0] = cell->value;
    TRY(op->func->call(&(struct call){ exec->ctx, exec, op->func }, args, &sum));
    TRY(ctx_copy(exec->ctx, sum, &sum)); /* it may borrow from the store */
    return put_live(b, op->column, SLICE_NULL, sum);
}

static enum wr_status run_delete(struct row_builder *b, const struct operation *op)
{
    return put_dead(b, op->column, SLICE_NULL);
}

static enum wr_status run_delete_complex(struct row_builder *b, const struct operation *op)
{
    return put_complex(b, op->column, b->times->timestamp_us);
}

static const struct {
    enum wr_status (*run)(struct row_builder *b, const struct operation *op);
    bool one_cell; /* it makes one cell at most, and nothing else */
    bool reads;    /* it looks at the row as it is */
} operation_table[] = {
    [OPERATION_SET]            = { run_set,             true,     false },
    [OPERATION_SET_TUPLE]      = { run_set_tuple,       true,     false },
    [OPERATION_SET_EMPTY]      = { run_set_empty,       true,     false },
    [OPERATION_OVERWRITE]      = { run_overwrite,       false,    false },
    [OPERATION_APPEND]         = { run_append,          false,    false },
    [OPERATION_PREPEND]        = { run_prepend,         false,    false },
    [OPERATION_DISCARD]        = { run_discard,         false,    false },
    [OPERATION_LIST_DISCARD]   = { run_list_discard,    false,    true },
    [OPERATION_SET_INDEX]      = { run_set_index,       true,     true },
    [OPERATION_DELETE_INDEX]   = { run_delete_index,    true,     true },
    [OPERATION_SET_KEY]        = { run_set_key,         true,     false },
    [OPERATION_DELETE_KEY]     = { run_delete_key,      true,     false },
    [OPERATION_DELETE_ELEMENT] = { run_delete_element,  true,     false },
    [OPERATION_SET_FIELD]      = { run_set_field,       true,     false },
    [OPERATION_DELETE_FIELD]   = { run_delete_field,    true,     false },
    [OPERATION_COUNT_UP]       = { run_count,           true,     false },
    [OPERATION_COUNT_DOWN]     = { run_count,           true,     false },
    [OPERATION_ARITHMETIC]     = { run_arithmetic,      true,     true },
    [OPERATION_DELETE]         = { run_delete,          true,     false },
    [OPERATION_DELETE_COMPLEX] = { run_delete_complex,  false,    false },
};

/* ---- all of a row ---- */

static int cmp_by_column(const void *a, const void *b)
{
    uint32_t x = (*(const struct operation *const *)a)->column->id,
             y = (*(const struct operation *const *)b)->column->id;
    return (x > y) - (x < y);
}

enum wr_status operations_finish(struct ctx *ctx, struct operations *operations)
{
    uint32_t n = operations->count;
    struct operation **order = NEW_ARRAY(ctx, struct operation *, n);
    uint32_t *read = NEW_ARRAY(ctx, uint32_t, n), read_count = 0;
    if (!order || !read)
        return WR_NOMEM;
    operations->slotted = true;
    for (uint32_t i = 0; i < n; i++) {
        struct operation *op = order[i] = &operations->list[i];
        operations->slotted &= operation_table[op->kind].one_cell;
    }
    sort_few(order, n, sizeof *order, cmp_by_column);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t column = order[i]->column->id;
        order[i]->slot = i;
        if (i && order[i]->column == order[i - 1]->column) /* m[1] = .., m[2] = ..: the paths decide */
            operations->slotted = false;
        if (operation_table[order[i]->kind].reads && !(read_count && read[read_count - 1] == column))
            read[read_count++] = column;
    }
    operations->read = (struct columns){ .ids = read, .count = read_count };
    return WR_OK;
}

/* Closes the gaps that unset values have left. */
static uint32_t close_gaps(struct cell *cells, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!cells[i].column)
            continue;
        if (kept != i)
            cells[kept] = cells[i];
        kept++;
    }
    return kept;
}

enum wr_status operations_run(struct write *write, const struct operations *operations, const struct write_times *times,
                              const struct slice *json, const struct row *current, struct row *row)
{
    struct row_builder b = { .write = write, .times = times, .json = json, .stored = current, .read = &operations->read,
                             .slotted = operations->slotted };

    if (b.slotted && !(b.cells = NEW_ARRAY(write->exec->ctx, struct cell, operations->count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < operations->count; i++) {
        const struct operation *op = &operations->list[i];
        b.slot = op->slot;
        TRY(op->kind == OPERATION_SET ? run_set(&b, op) : operation_table[op->kind].run(&b, op)); /* most, and without a call */
    }
    row->cells = b.cells;
    row->complex = b.complex;
    row->complex_count = b.complex_count;
    row->cell_count = b.slotted ? close_gaps(b.cells, operations->count) : b.cell_count;
    if (!b.slotted)
        row_normalize(row);
    return WR_OK;
}
