#include "model/index_check.h"

#include "model/analyzer.h"
#include "model/clustering.h"
#include "model/guardrail.h"
#include "model/index_forms.h"
#include "model/javatext.h"
#include "model/rowvalues.h"
#include "model/similarity.h"
#include "model/string_map.h"

typedef enum wr_status checker(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell);

static size_t size_of_term(const struct index *index, struct slice path, struct slice value)
{
    if (!index_is_by_path(index))
        return value.len;
    return index->target == INDEX_ENTRIES ? index_entry_bytes(path, value) : path.len;
}

/* StorageAttachedIndex.validateTermSizeForCell: the value, or each of its tokens. */
static enum wr_status check_term(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell)
{
    struct analyzer analyzer = analyzer_of(index);
    struct tokens tokens = { NULL, 0, 0 };
    struct slice path, value;
    size_t size;

    (void)table;
    if (!guardrail_minds_term(exec, index->column, cell->path.len + cell->value.len))
        return WR_OK;
    TRY(row_cell(exec->ctx, index->column, cell, &path, &value));
    size = size_of_term(index, path, value);
    if (index_is_by_path(index))
        value = path;
    if (analyzer.kind == ANALYZER_NONE || !guardrail_minds_term(exec, index->column, size))
        return guardrail_term(exec, index->column, size);
    TRY(analyzer_tokens(exec->ctx, &analyzer, value, &tokens));
    for (uint32_t i = 0; i < tokens.count; i++)
        TRY(guardrail_term(exec, index->column, tokens.list[i].len));
    return WR_OK;
}

/* A server fails the whole write, too. */
static enum wr_status check_vector(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell)
{
    enum similarity similarity;
    (void)similarity_of(string_map_get(&index->options, SLICE_LIT("similarity_function")), &similarity); /* known: CREATE INDEX has asked */
    if (!vector_is_indexable(similarity, cell->value, index->column->type->dimension))
        return fail(exec->ctx, WR_WRITE_FAILURE, "Operation failed: a vector of %s cannot be indexed",
                    vector_is_zero(cell->value, index->column->type->dimension) ? "zeros (by cosine)" : "numbers that are not finite, or too large,");
    return check_term(exec, table, index, cell);
}

/* CassandraIndex.validateIndexedValue */
static enum wr_status check_size_of(struct exec *exec, const struct table *table, const struct index *index, size_t size)
{
    if (size < LEGACY_TERM_MAX) /* sic: one of just that size can be asked for */
        return WR_OK;
    return fail(exec->ctx, WR_INVALID, "Cannot index value of size %zu for index %.*s on %.*s.%.*s(%.*s) (maximum allowed size=%d)", size,
                SLICE_ARG(index->name), SLICE_ARG(table->keyspace), SLICE_ARG(table->name), SLICE_ARG(index->column->name),
                LEGACY_TERM_MAX);
}

static enum wr_status check_size(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell)
{
    struct slice path, value;

    if (cell->path.len + cell->value.len < LEGACY_TERM_MAX / 2) /* comparable bytes are at most twice as long */
        return WR_OK;
    TRY(row_cell(exec->ctx, index->column, cell, &path, &value));
    return check_size_of(exec, table, index, size_of_term(index, path, value));
}

/* CassandraIndex.validateClusterings: deleted rows are looked at too. */
static enum wr_status check_clustering(struct exec *exec, const struct table *table, const struct index *index,
                                       const struct row_update *row)
{
    struct slice *values;

    if (row->clustering.len < LEGACY_TERM_MAX)
        return WR_OK;
    if (!(values = NEW_ARRAY(exec->ctx, struct slice, table->clustering_count)))
        return WR_NOMEM;
    TRY(clustering_get(exec->ctx, &table->clustering, row->clustering, row->row.annex, values));
    return check_size_of(exec, table, index, values[index->column->position].len);
}

static enum wr_status check_row(struct exec *exec, const struct table *table, const struct index *index, const struct row *row,
                                checker *check)
{
    uint32_t n = 0;
    const struct cell *cells = row ? row_find(row, index->column->id, &n) : NULL;

    for (uint32_t i = 0; i < n; i++)
        if (cells[i].kind != CELL_DEAD || check == check_size) /* CassandraIndex.validateRows looks at elements that are deleted, too */
            TRY(check(exec, table, index, &cells[i]));
    return WR_OK;
}

/* A row is put into the graph of a column of its key when the write makes it, and a partition's static row into that of the partition
 * key; what is only deleted never is. */
static enum wr_status check_key(struct exec *exec, const struct table *table, const struct index *index, const struct update *update,
                                const struct row *row, struct slice clustering)
{
    bool of_clustering = index->column->kind == COLUMN_CLUSTERING;
    uint32_t count = of_clustering ? table->clustering_count : table->key_count;
    struct slice *values;

    if (!row_is_alive(row, exec->ctx->now_s))
        return WR_OK;
    if (!(values = NEW_ARRAY(exec->ctx, struct slice, count)))
        return WR_NOMEM;
    TRY(of_clustering ? clustering_get(exec->ctx, &table->clustering, clustering, row->annex, values) :
                        partition_key_get(exec->ctx, update->partition_key, count, values));
    return check_vector(exec, table, index, &(struct cell){ .kind = CELL_PLAIN, .value = values[index->column->position] });
}

static enum wr_status check_keys(struct exec *exec, const struct table *table, const struct index *index, const struct update *update)
{
    if (update->static_row && index->column->kind == COLUMN_PARTITION_KEY)
        TRY(check_key(exec, table, index, update, update->static_row, SLICE_EMPTY));
    for (uint32_t i = 0; i < update->row_count; i++)
        TRY(check_key(exec, table, index, update, &update->rows[i].row, update->rows[i].clustering));
    return WR_OK;
}

static enum wr_status check_index(struct exec *exec, const struct table *table, const struct index *index, const struct update *update)
{
    bool legacy = index->index_class == INDEX_LEGACY;
    checker *of_sai = exec->who.ordinary && index->index_class == INDEX_SAI ? check_term : NULL;
    checker *check = legacy ? check_size : index_answers_form(index, FORM_ANN) ? check_vector : of_sai;

    for (uint32_t j = 0; legacy && index->column->kind == COLUMN_CLUSTERING && j < update->row_count; j++)
        TRY(check_clustering(exec, table, index, &update->rows[j]));
    if (column_is_primary_key(index->column))
        return check == check_vector ? check_keys(exec, table, index, update) : WR_OK;
    if (!check)
        return WR_OK;
    TRY(check_row(exec, table, index, update->static_row, check));
    for (uint32_t j = 0; j < update->row_count; j++)
        TRY(check_row(exec, table, index, &update->rows[j].row, check));
    return WR_OK;
}

/* Of several indexes that refuse a write the first is told of, as SecondaryIndexManager has them: in a hash map by their names. */
static enum wr_status tell_first(struct exec *exec, const struct table *table, const struct update *update)
{
    struct slice *names = NEW_ARRAY(exec->ctx, struct slice, table->index_count);
    uint32_t *order = NEW_ARRAY(exec->ctx, uint32_t, table->index_count);

    if (!names || !order)
        return WR_NOMEM;
    for (uint32_t i = 0; i < table->index_count; i++)
        names[i] = table->indexes[i].name;
    TRY(java_set_order(exec->ctx, names, table->index_count, 0, order));
    for (uint32_t i = 0; i < table->index_count; i++)
        TRY(check_index(exec, table, &table->indexes[order[i]], update));
    return WR_OK;
}

enum wr_status index_check_update(struct exec *exec, const struct table *table, const struct update *update)
{
    for (uint32_t i = 0; i < table->index_count; i++) {
        enum wr_status st = check_index(exec, table, &table->indexes[i], update);
        if (st != WR_OK)
            return st == WR_INVALID ? tell_first(exec, table, update) : st;
    }
    return WR_OK;
}
