#include "model/index_terms.h"

#include "engine/coding.h"

typedef enum wr_status emitter(void *arg, struct slice term);

/* What the engine's callback needs to know; it outlives the struct table it was made with. */
struct term_source {
    struct index index;
    uint32_t key_count;
    struct clustering_shape clustering;
    bool lossy_map; /* a map's cell has its key before the value */
};

static const struct type *element_type(const struct index *index)
{
    const struct type *type = index->column->type;
    return type->kind == TYPE_MAP && index->target != INDEX_KEYS ? type->args[1] : type->args[0];
}

enum wr_status index_term(struct ctx *ctx, const struct index *index, struct slice key, struct slice value,
                          struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    switch (index->target) {
    case INDEX_VALUE:
    case INDEX_FULL:
        type_put_order(&buf, index->column->type, value);
        break;
    case INDEX_ENTRIES:
        type_put_order(&buf, index->column->type->args[0], key);
        type_put_order(&buf, index->column->type->args[1], value);
        break;
    case INDEX_KEYS:
    case INDEX_VALUES:
        type_put_order(&buf, element_type(index), value);
        break;
    }
    return buf_done(ctx, &buf, out);
}

static enum wr_status emit_value(struct ctx *ctx, const struct index *index, struct slice value, emitter *emit,
                                 void *arg)
{
    struct slice term;
    if (slice_is_null(value)) /* nulls are not indexed */
        return WR_OK;
    TRY(index_term(ctx, index, SLICE_NULL, value, &term));
    return emit(arg, term);
}

/* ---- values that are not multicell ---- */

/* Elements of a frozen collection that is indexed element by element (SAI does). */
static enum wr_status emit_elements(struct ctx *ctx, const struct index *index, struct slice value, emitter *emit,
                                    void *arg)
{
    const struct type *type = index->column->type;
    struct elements e;
    struct slice first, second = SLICE_NULL, term;
    elements_open(&e, type, value);
    while (elements_next(&e, &first)) {
        if (type->kind == TYPE_MAP && !elements_next(&e, &second))
            return WR_OK;
        struct slice asked = type->kind == TYPE_MAP && index->target != INDEX_KEYS ? second : first;
        if (slice_is_null(asked) || slice_is_null(first))
            continue;
        TRY(index_term(ctx, index, first, asked, &term));
        TRY(emit(arg, term));
    }
    return WR_OK;
}

static enum wr_status emit_simple(struct ctx *ctx, const struct index *index, struct slice value, emitter *emit,
                                  void *arg)
{
    if (slice_is_null(value))
        return WR_OK;
    return index->target == INDEX_VALUE || index->target == INDEX_FULL ? emit_value(ctx, index, value, emit, arg)
                                                                       : emit_elements(ctx, index, value, emit, arg);
}

/* ---- cells ---- */

/* A cell's path is the element of a set and the key of a map, in comparable bytes already. */
static enum wr_status emit_cell(struct ctx *ctx, const struct term_source *source, const struct cell *cell,
                                emitter *emit, void *arg)
{
    const struct index *index = &source->index;
    struct slice value = cell->value, term;
    struct buf buf;
    if (index->column->type->kind == TYPE_SET || index->target == INDEX_KEYS)
        return emit(arg, cell->path);
    if (source->lossy_map) {
        struct reader r = reader_of(value);
        read_bytes32(&r);
        if (r.failed)
            return fail_corrupt(ctx, "map cell");
        value = reader_rest(&r);
    }
    if (index->target != INDEX_ENTRIES)
        return emit_value(ctx, index, value, emit, arg);
    buf_init(&buf, ctx->arena);
    buf_put_slice(&buf, cell->path);
    type_put_order(&buf, index->column->type->args[1], value);
    TRY(buf_done(ctx, &buf, &term));
    return emit(arg, term);
}

static enum wr_status terms_of_cells(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                     const struct row *row, emitter *emit, void *emit_arg)
{
    const struct term_source *source = arg;
    const struct column *column = source->index.column;
    uint32_t n = 0;
    (void)partition_key, (void)clustering;
    const struct cell *cells = row ? row_find(row, column->id, &n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (cells[i].timestamp_us <= column->dropped_us || cells[i].kind == CELL_DEAD)
            continue;
        TRY(column->type->multicell ? emit_cell(ctx, source, &cells[i], emit, emit_arg)
                                    : emit_simple(ctx, &source->index, cells[i].value, emit, emit_arg));
    }
    return WR_OK;
}

/* ---- columns of the primary key ---- */

static enum wr_status terms_of_clustering(struct ctx *ctx, void *arg, struct slice partition_key,
                                          struct slice clustering, const struct row *row, emitter *emit, void *emit_arg)
{
    const struct term_source *source = arg;
    struct slice *values = NEW_ARRAY(ctx, struct slice, source->clustering.count);
    (void)partition_key, (void)row;
    if (!values)
        return WR_NOMEM;
    TRY(clustering_get(ctx, &source->clustering, clustering, SLICE_NULL, values));
    return emit_simple(ctx, &source->index, values[source->index.column->position], emit, emit_arg);
}

static enum wr_status terms_of_key(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                   const struct row *row, emitter *emit, void *emit_arg)
{
    const struct term_source *source = arg;
    struct slice *values = NEW_ARRAY(ctx, struct slice, source->key_count);
    (void)clustering, (void)row;
    if (!values)
        return WR_NOMEM;
    TRY(partition_key_get(ctx, partition_key, source->key_count, values));
    return emit_simple(ctx, &source->index, values[source->index.column->position], emit, emit_arg);
}

/* A vector's index answers nothing but ANN, which this version does not have. */
static enum wr_status terms_of_nothing(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                       const struct row *row, emitter *emit, void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering, (void)row, (void)emit, (void)emit_arg;
    return WR_OK;
}

enum wr_status index_shapes_make(struct ctx *ctx, const struct table *table, struct table_shape *shape)
{
    struct index_shape *shapes = NEW_ARRAY(ctx, struct index_shape, table->index_count);
    struct term_source *sources = NEW_ARRAY(ctx, struct term_source, table->index_count);
    if (!shapes || !sources)
        return WR_NOMEM;
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct column *column = table->indexes[i].column;
        sources[i] = (struct term_source){ .index = table->indexes[i],
                                           .key_count = table->key_count,
                                           .clustering = table->clustering };
        sources[i].lossy_map = column->type->kind == TYPE_MAP && type_order_is_lossy(column->type->args[0]);
        shapes[i] = (struct index_shape){ .index_id = table->indexes[i].id,
                                          .of_static = column->kind == COLUMN_STATIC,
                                          .arg = &sources[i] };
        if (column->type->kind == TYPE_VECTOR && table->indexes[i].index_class == INDEX_SAI)
            shapes[i].terms = terms_of_nothing;
        else if (column->kind == COLUMN_PARTITION_KEY)
            shapes[i].terms = terms_of_key;
        else if (column->kind == COLUMN_CLUSTERING)
            shapes[i].terms = terms_of_clustering;
        else
            shapes[i].terms = terms_of_cells;
    }
    shape->indexes = shapes;
    shape->index_count = table->index_count;
    return WR_OK;
}
