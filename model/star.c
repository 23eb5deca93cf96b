/*
 * Static and regular columns come each in the order of their names' bytes while these are ASCII. Beyond ASCII three comparisons of
 * Cassandra's meet that are not alike:
 *   ColumnMetadata.comparisonOrder   simple columns before multi-cell ones, then the first six bytes of the name with the sign of the
 *                                    first turned, then all bytes, unsigned;
 *   Columns.findFirstComplexIdx      the first multi-cell column is looked for by an empty name, which stands behind names
 *                                    that begin beyond ASCII: those count as simple;
 *   Columns.selectOrderIterator      merges simple and multi-cell ones by bytes that have a sign.
 */
#include "model/star.h"

#include <stdlib.h>

#include "model/javatext.h"
#include "model/unicode.h"

enum { PREFIX_LEN = 6 };

static bool begins_beyond_ascii(const struct column *c)
{
    return c->name.len && c->name.data[0] >= 0x80;
}

int column_comparison_cmp(const void *a, const void *b)
{
    const struct column *x = *(const struct column *const *)a, *y = *(const struct column *const *)b;
    if (x->type->multicell != y->type->multicell)
        return x->type->multicell ? 1 : -1;
    for (size_t i = 0; i < PREFIX_LEN; i++) {
        int p = i < x->name.len ? x->name.data[i] : 0, q = i < y->name.len ? y->name.data[i] : 0;
        if (p != q)
            return i ? p - q : (p ^ 0x80) - (q ^ 0x80);
    }
    return slice_cmp(x->name, y->name);
}

int name_signed_cmp(struct slice a, struct slice b)
{
    for (size_t i = 0; i < a.len && i < b.len; i++)
        if (a.data[i] != b.data[i])
            return (int8_t)a.data[i] - (int8_t)b.data[i];
    return (a.len > b.len) - (a.len < b.len);
}

/* Puts one kind's columns, which are in order of their bytes, into the order of `*`. */
static enum wr_status show_order(struct ctx *ctx, const struct column **columns, uint32_t n)
{
    const struct column **simple = NEW_ARRAY(ctx, const struct column *, n), **complex = NEW_ARRAY(ctx, const struct column *, n);
    uint32_t simples = 0, complexes = 0, s = 0, c = 0;
    if (!simple || !complex)
        return WR_NOMEM;
    qsort(columns, n, sizeof *columns, column_comparison_cmp);
    for (uint32_t i = 0; i < n; i++)
        if (columns[i]->type->multicell && !begins_beyond_ascii(columns[i]))
            complex[complexes++] = columns[i];
        else
            simple[simples++] = columns[i];
    for (uint32_t i = 0; i < n; i++) {
        bool next_simple = c == complexes || (s < simples && name_signed_cmp(simple[s]->name, complex[c]->name) < 0);
        columns[i] = next_simple ? simple[s++] : complex[c++];
    }
    return WR_OK;
}

enum wr_status table_star(struct ctx *ctx, const struct table *table, const struct column ***out, uint32_t *count)
{
    const struct column **columns = NEW_ARRAY(ctx, const struct column *, table->column_count);
    uint32_t n = 0, statics, regulars;
    bool ascii = true;
    if (!columns)
        return WR_NOMEM;
    for (uint32_t i = 0; i < table->column_count; i++)
        if (!column_is_hidden(table, &table->columns[i])) {
            columns[n++] = &table->columns[i];
            ascii = ascii && unicode_is_ascii(table->columns[i].name);
        }
    *out = columns;
    *count = n;
    if (ascii)
        return WR_OK;
    for (statics = 0; statics < n && columns[statics]->kind < COLUMN_STATIC; statics++)
        ;
    for (regulars = statics; regulars < n && columns[regulars]->kind == COLUMN_STATIC; regulars++)
        ;
    TRY(show_order(ctx, columns + statics, regulars - statics));
    return show_order(ctx, columns + regulars, n - regulars);
}

enum wr_status table_map_order(struct ctx *ctx, const struct table *table, uint32_t *order)
{
    uint32_t count = table->column_count, n = table->key_count + table->clustering_count, next_static = n, next_regular = n + table->static_count;
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    uint32_t *ordinals = NEW_ARRAY(ctx, uint32_t, count);
    uint32_t statics_end = next_regular;

    if (!names || !ordinals)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        bool is_static = next_static < statics_end &&
                         (next_regular == count || slice_cmp(table->columns[next_static].name, table->columns[next_regular].name) < 0);
        ordinals[i] = i < n ? i : is_static ? next_static++ : next_regular++;
        names[i] = table->columns[ordinals[i]].name;
    }
    TRY(java_map_order(ctx, names, count, 0, order));
    for (uint32_t i = 0; i < count; i++)
        order[i] = ordinals[order[i]];
    return WR_OK;
}
