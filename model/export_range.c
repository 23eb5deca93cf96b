#include "model/export_range.h"

#include "model/parse.h"
#include "model/rowvalues.h"

/* A place between clusterings, in the order in which they are stored. */
struct place_between {
    struct slice *values;
    uint32_t count;
    bool behind;
};

/* ` AND c > v`, in the order stored; with: `>=`. */
static void put_side(struct export_text *t, uint32_t i, struct slice value, bool from, bool with)
{
    bool up = from != t->table->clustering.columns[i].inverted;
    buf_put_str(&t->text, " AND ");
    cql_put_name(&t->text, table_clustering(t->table, i)->name);
    buf_put_str(&t->text, up ? with ? " >= " : " > " : with ? " <= " : " < ");
    export_text_key(t, table_clustering(t->table, i), value);
}

/* Rows whose first `at` clusterings are those of prefix, and whose next one lies between two; NULL: open. */
static enum wr_status delete_between(struct export_text *t, const struct slice *prefix, uint32_t at, const struct place_between *from,
                                     const struct place_between *to, struct deletion deletion)
{
    buf_put_str(&t->text, "DELETE");
    export_text_from(t, deletion.timestamp_us);
    export_text_where(t, prefix, at);
    if (from)
        put_side(t, at, from->values[at], true, from->count == at + 1 && !from->behind);
    if (to)
        put_side(t, at, to->values[at], false, to->count == at + 1 && to->behind);
    return export_text_tell(t);
}

static enum wr_status read_place(struct export_text *t, struct slice bytes, struct place_between *out)
{
    *out = (struct place_between){ .values = NEW_ARRAY(t->ctx, struct slice, t->table->clustering_count) };
    if (!out->values)
        return WR_NOMEM;
    return slice_is_null(bytes) ? WR_OK
                                : clustering_split_bound(t->ctx, &t->table->clustering, bytes, out->values, &out->count, &out->behind);
}

enum wr_status export_range(struct export_text *t, const struct range_deletion *r)
{
    struct place_between from, to;
    uint32_t common = 0;
    TRY(read_place(t, r->range.start, &from));
    TRY(read_place(t, r->range.end, &to));
    if (!from.count && !to.count && t->table->static_count)
        return WR_OK; /* of all rows, but not of the static one: no statement says that */
    while (common < from.count && common < to.count &&
           type_compare(table_clustering(t->table, common)->type, from.values[common], to.values[common]) == 0)
        common++;
    for (uint32_t i = from.count; i-- > common + 1;)
        TRY(delete_between(t, from.values, i, &from, NULL, r->deletion));
    TRY(delete_between(t, common < from.count ? from.values : to.values, common, common < from.count ? &from : NULL,
                       common < to.count ? &to : NULL, r->deletion));
    for (uint32_t i = common + 1; i < to.count; i++)
        TRY(delete_between(t, to.values, i, NULL, &to, r->deletion));
    return WR_OK;
}
