/*
 * family.h - column families as Thrift had them, on tables: rows of (name, value) columns in a table (key, column1 ..., value).
 *
 * Pure translation: names to clusterings and back, calls to updates, slices to ranges. Who reads and writes is api_cf.c.
 * A name is the comparator's bytes: of a plain one the value itself, of a CompositeType [u16 length][bytes][end of component]
 * for each component, as Cassandra serializes it.
 */
#ifndef WR_MODEL_FAMILY_H
#define WR_MODEL_FAMILY_H

#include "model/schema.h"

struct family {
    const struct table *table;
    const struct column *value; /* the one value column */
    bool is_counter;
};

/* WR_INVALID where the table is not of that shape. */
enum wr_status family_of(struct ctx *ctx, const struct table *table, struct family *out);

/* The comparable bytes of a column's name; with bytes for the row's annex (null: none needed). */
enum wr_status family_name_put(struct ctx *ctx, const struct family *family, struct slice name, struct slice *clustering,
                               struct slice *annex);
enum wr_status family_name_get(struct ctx *ctx, const struct family *family, struct slice clustering, struct slice annex,
                               struct slice *name);

/* The same for n rows without an annex. */
enum wr_status family_names_get(struct ctx *ctx, const struct family *family, const struct slice *clusterings, uint32_t n, struct slice *names);

/* From start to finish in the table's order, both included, empty ones open; start is the later of the two where reversed. The range is of
 * stored bytes, which a table of a descending first column has the other way round. */
enum wr_status family_range(struct ctx *ctx, const struct family *family, struct slice start, struct slice finish, bool reversed,
                            struct range *out);

enum wr_status family_check_key(struct ctx *ctx, const struct family *family, struct slice key);

struct family_change {
    struct slice key, name; /* a null name: the whole row (removing) */
    struct slice value;     /* inserting */
    int64_t timestamp_us, increment;
    int32_t ttl_s;
};

/* Updates of one partition; in ctx's memory. ctx->now_s gives expiry and deletion times. */
enum wr_status family_insert(struct ctx *ctx, const struct family *family, const struct family_change *change, struct update **out);
enum wr_status family_remove(struct ctx *ctx, const struct family *family, const struct family_change *change, struct update **out);
enum wr_status family_add(struct ctx *ctx, const struct family *family, const struct family_change *change, struct update **out);

#endif
