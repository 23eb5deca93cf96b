#include "model/index_terms.h"

#include "engine/order.h"
#include "model/analyzer.h"
#include "model/index_forms.h"
#include "model/rowvalues.h"
#include "model/sketch.h"

typedef enum wr_status emitter(void *arg, struct slice term);

/* What the engine's callback needs to know; it outlives the struct table it was made with. */
struct term_source {
    struct index index;
    struct analyzer analyzer;
    uint32_t key_count;
    struct clustering_shape clustering;
    bool lossy_map; /* a map's cell has its key before the value */
};

/* ---- one term, or a range of them ---- */

static void put_term(struct buf *buf, const struct index *index, struct slice key, struct slice value)
{
    if (index->target == INDEX_ENTRIES)
        type_put_part(buf, index->column->type->args[0], key);
    type_put_part(buf, index_value_type(index), value);
}

enum wr_status index_term(struct ctx *ctx, const struct index *index, struct slice key, struct slice value,
                          struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    put_term(&buf, index, key, value);
    return buf_done(ctx, &buf, out);
}

/* No term is a prefix of another, so with 0xFF behind it a term's bytes are the place after it. */
enum wr_status index_terms_beyond(struct ctx *ctx, const struct index *index, struct slice value, bool greater, bool inclusive,
                                  struct range *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    put_term(&buf, index, SLICE_NULL, value);
    if (greater != inclusive)
        buf_put_u8(&buf, 0xFF);
    *out = (struct range){ SLICE_EMPTY, SLICE_NULL };
    return buf_done(ctx, &buf, greater ? &out->start : &out->end);
}

enum wr_status index_terms_of_prefix(struct ctx *ctx, struct slice prefix, struct range *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    type_put_part(&buf, type_native(TYPE_TEXT), prefix);
    buf.len -= buf.failed ? 0 : ORDER_STRING_END; /* more may follow */
    buf_put_u8(&buf, 0xFF);
    TRY(buf_done(ctx, &buf, &out->end));
    out->start = slice_of(out->end.data, out->end.len - 1);
    return WR_OK;
}

/* Of a value, or of each of its tokens. Nulls are not indexed. */
static enum wr_status emit_value(struct ctx *ctx, const struct term_source *source, struct slice key, struct slice value,
                                 emitter *emit, void *arg)
{
    const struct index *index = &source->index;
    struct tokens tokens = { .list = &value, .count = 1 };
    struct slice term;

    if (slice_is_null(value))
        return WR_OK;
    if (source->analyzer.kind != ANALYZER_NONE)
        TRY(analyzer_tokens(ctx, &source->analyzer, value, &tokens));
    for (uint32_t i = 0; i < tokens.count; i++) {
        if (index_omits(index, key, tokens.list[i]))
            continue;
        TRY(index_term(ctx, index, key, tokens.list[i], &term));
        TRY(emit(arg, term));
    }
    return WR_OK;
}

/* ---- cells ---- */

/* A cell's path is the element of a set and the key of a map, in comparable bytes. */
static enum wr_status path_value(struct ctx *ctx, const struct term_source *source, struct slice path, struct slice *out)
{
    *out = SLICE_EMPTY;
    return path.len ? type_get_order(ctx, source->index.column->type->args[0], &path, out) : WR_OK;
}

static enum wr_status emit_cell(struct ctx *ctx, const struct term_source *source, const struct cell *cell,
                                emitter *emit, void *arg)
{
    const struct index *index = &source->index;
    struct slice value = cell->value, key = SLICE_NULL, stored_key;

    if (index->column->type->kind == TYPE_SET || index->target == INDEX_KEYS) {
        TRY(path_value(ctx, source, cell->path, &value));
        return emit_value(ctx, source, SLICE_NULL, value, emit, arg);
    }
    if (source->lossy_map && !row_split_lossy(value, &stored_key, &value))
        return fail_corrupt(ctx, "map cell");
    if (index->target == INDEX_ENTRIES)
        TRY(path_value(ctx, source, cell->path, &key));
    return emit_value(ctx, source, key, value, emit, arg);
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
                                    : emit_value(ctx, source, SLICE_NULL, cells[i].value, emit, emit_arg));
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
    return emit_value(ctx, source, SLICE_NULL, values[source->index.column->position], emit, emit_arg);
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
    return emit_value(ctx, source, SLICE_NULL, values[source->index.column->position], emit, emit_arg);
}

/* A vector's index answers nothing but ANN. Every vector is looked at for that; where all entries have one term, their sketches before. */
static const struct cell *vector_of(const struct term_source *source, const struct row *row)
{
    const struct column *column = source->index.column;
    uint32_t n = 0;
    const struct cell *cell = row_find(row, column->id, &n);

    return n && cell->timestamp_us > column->dropped_us && cell->kind != CELL_DEAD ? cell : NULL;
}

static enum wr_status terms_of_vector(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                      const struct row *row, emitter *emit, void *emit_arg)
{
    (void)ctx, (void)partition_key, (void)clustering;
    return row && vector_of(arg, row) ? emit(emit_arg, SLICE_EMPTY) : WR_OK;
}

static struct slice vector_sketched(void *arg, const struct row *row)
{
    return vector_of(arg, row)->value;
}

static enum wr_status sketch_of_vector(struct ctx *ctx, void *arg, struct slice sketched, struct slice *out)
{
    const struct term_source *source = arg;
    return sketch_make(ctx, sketched, source->index.column->type->dimension, out);
}

/* Of a column whose rows cannot be read by their entries. */
static enum wr_status terms_of_nothing(struct ctx *ctx, void *arg, struct slice partition_key, struct slice clustering,
                                       const struct row *row, emitter *emit, void *emit_arg)
{
    (void)ctx, (void)arg, (void)partition_key, (void)clustering, (void)row, (void)emit, (void)emit_arg;
    return WR_OK;
}

/* Elements of a list and values of a map may be equal; a set's elements and a map's keys are when an analyzer makes them so. */
static bool shares_terms(const struct term_source *source)
{
    return source->index.column->type->multicell && (!index_is_by_path(&source->index) || source->analyzer.kind != ANALYZER_NONE);
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
                                           .analyzer = analyzer_of(&table->indexes[i]),
                                           .key_count = table->key_count,
                                           .clustering = table->clustering };
        sources[i].lossy_map = column->type->kind == TYPE_MAP && type_keys_are_lossy(column->type);
        shapes[i] = (struct index_shape){ .index_id = table->indexes[i].id,
                                          .of_static = column->kind == COLUMN_STATIC,
                                          .of_both = column->kind == COLUMN_PARTITION_KEY,
                                          .shared_terms = shares_terms(&sources[i]),
                                          .arg = &sources[i] };
        if (table->indexes[i].sketches) {
            shapes[i].sketch = sketch_of_vector;
            shapes[i].sketched = vector_sketched;
        }
        if (column->type->kind == TYPE_VECTOR && table->indexes[i].index_class == INDEX_SAI)
            shapes[i].terms = table->indexes[i].sketches ? terms_of_vector : terms_of_nothing;
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
