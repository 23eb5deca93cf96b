#include "model/index_check.h"

#include "model/analyzer.h"
#include "model/guardrail.h"
#include "model/index_forms.h"
#include "model/similarity.h"
#include "model/string_map.h"

typedef enum wr_status checker(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell);

/* Elements of sets, and keys of maps where the index is on them, are the paths of their cells. */
static bool is_by_path(const struct index *index)
{
    return index->column->type->multicell &&
           (index->column->type->kind == TYPE_SET || index->target == INDEX_KEYS || index->target == INDEX_ENTRIES);
}

/* StorageAttachedIndex.validateTermSizeForCell: the value, or each of its tokens. */
static enum wr_status check_term(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell)
{
    struct analyzer analyzer = analyzer_of(index);
    struct tokens tokens = { NULL, 0, 0 };
    struct slice path = cell->path, value = cell->value;
    size_t size = value.len;

    (void)table;
    if (!guardrail_minds_term(exec, index->column, path.len + value.len))
        return WR_OK;
    if (is_by_path(index)) {
        struct slice key;
        TRY(type_get_order(exec->ctx, index->column->type->args[0], &path, &key));
        size = index->target == INDEX_ENTRIES ? index_entry_bytes(key, value) : key.len;
        value = key;
    }
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
static enum wr_status check_size(struct exec *exec, const struct table *table, const struct index *index, const struct cell *cell)
{
    bool by_path = is_by_path(index);
    struct slice path = cell->path, value = cell->value, key = SLICE_EMPTY;

    if (path.len + value.len < LEGACY_TERM_MAX / 2) /* comparable bytes are at most twice as long */
        return WR_OK;
    if (by_path && path.len)
        TRY(type_get_order(exec->ctx, index->column->type->args[0], &path, &key));
    size_t size = !by_path ? value.len : index->target == INDEX_ENTRIES ? index_entry_bytes(key, value) : key.len;
    if (size >= LEGACY_TERM_MAX) /* sic: one of just that size can be asked for */
        return fail(exec->ctx, WR_INVALID, "Cannot index value of size %zu for index %.*s on %.*s.%.*s(%.*s) (maximum allowed size=%d)", size,
                    SLICE_ARG(index->name), SLICE_ARG(table->keyspace), SLICE_ARG(table->name), SLICE_ARG(index->column->name),
                    LEGACY_TERM_MAX);
    return WR_OK;
}

static enum wr_status check_row(struct exec *exec, const struct table *table, const struct index *index, const struct row *row,
                                checker *check)
{
    uint32_t n = 0;
    const struct cell *cells = row ? row_find(row, index->column->id, &n) : NULL;

    for (uint32_t i = 0; i < n; i++)
        if (cells[i].kind != CELL_DEAD)
            TRY(check(exec, table, index, &cells[i]));
    return WR_OK;
}

enum wr_status index_check_update(struct exec *exec, const struct table *table, const struct update *update)
{
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct index *index = &table->indexes[i];
        checker *of_sai = exec->ordinary && index->index_class == INDEX_SAI ? check_term : NULL;
        checker *check = index->index_class == INDEX_LEGACY ? check_size : index_answers_form(index, FORM_ANN) ? check_vector : of_sai;
        if (!check || column_is_primary_key(index->column))
            continue;
        TRY(check_row(exec, table, index, update->static_row, check));
        for (uint32_t j = 0; j < update->row_count; j++)
            TRY(check_row(exec, table, index, &update->rows[j].row, check));
    }
    return WR_OK;
}
