/*
 * rows.h - what the tests of the rooms about rows share: a table in a database in memory, and mutations in one line each.
 */
#ifndef WR_TESTS_ROWS_H
#define WR_TESTS_ROWS_H

#include "engine/scan.h"
#include "tests/engine/database.h"

enum { NOW_S = 1000000000 }; /* database_init's */

struct rows {
    struct database db;
    struct table_shape table;
    bool unknown; /* the sweep finds no table */
};

static inline const struct table_shape *rows_lookup(void *arg, uint64_t table_id)
{
    struct rows *r = arg;
    return !r->unknown && table_id == r->table.table_id ? &r->table : NULL;
}

static inline struct txn *rows_write(struct rows *r)
{
    struct txn *txn = NULL;
    OK(&r->db.ctx, txn_begin_write(&r->db.ctx, r->db.engine, &txn));
    return txn;
}

static inline struct txn *rows_read(struct rows *r)
{
    struct txn *txn = NULL;
    OK(&r->db.ctx, txn_begin_read(&r->db.ctx, r->db.engine, &txn));
    return txn;
}

static inline void rows_commit(struct rows *r, struct txn *txn)
{
    OK(&r->db.ctx, txn_commit(&r->db.ctx, &txn));
}

static inline void rows_open(struct rows *r, bool has_clustering)
{
    memset(r, 0, sizeof *r);
    database_open_memory(&r->db);
    r->table = (struct table_shape){ .has_clustering = has_clustering, .gc_grace_s = 864000 };
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, txn_next_id(&r->db.ctx, txn, &r->table.table_id));
    rows_commit(r, txn);
    engine_set_table_lookup(r->db.engine, rows_lookup, r);
}

/* What is alive of a row of the partition p; it borrows from the transaction. */
static inline bool rows_find_live(struct rows *r, struct txn *txn, const char *clustering, struct row *row)
{
    struct ctx *ctx = &r->db.ctx;
    struct partition p;
    bool found;
    OK(ctx, partition_find(ctx, txn, &r->table, slice_str("p"), &p, &found));
    OK(ctx, row_find_live(ctx, txn, &p, slice_str(clustering), NULL, row, &found));
    return found;
}

static inline void print_finding(void *arg, const char *finding)
{
    (void)arg;
    print_message("verify: %s\n", finding);
}

static inline uint64_t rows_findings(struct rows *r, bool silent)
{
    struct findings findings = { .report = silent ? NULL : print_finding };
    OK(&r->db.ctx, engine_verify(&r->db.ctx, r->db.engine, &findings));
    return findings.count;
}

static inline void rows_close(struct rows *r)
{
    assert_int_equal(rows_findings(r, false), 0);
    database_close(&r->db);
}

static inline void rows_sweep(struct rows *r)
{
    for (bool more = true; more;)
        OK(&r->db.ctx, engine_sweep(&r->db.ctx, r->db.engine, &more));
}

/* ---- cells ---- */

static inline struct cell plain(uint32_t column, int64_t timestamp_us, const char *value)
{
    return (struct cell){ .column = column, .timestamp_us = timestamp_us, .value = slice_str(value) };
}

static inline struct cell dead(uint32_t column, int64_t timestamp_us, uint32_t local_s)
{
    return (struct cell){ .column = column, .kind = CELL_DEAD, .timestamp_us = timestamp_us, .local_s = local_s };
}

static inline struct cell expiring(uint32_t column, int64_t timestamp_us, const char *value, uint32_t ttl_s, uint32_t local_s)
{
    struct cell c = plain(column, timestamp_us, value);
    c.kind = CELL_EXPIRING;
    c.ttl_s = ttl_s;
    c.local_s = local_s;
    return c;
}

static inline struct cell at_path(struct cell c, const char *path)
{
    c.path = slice_str(path);
    return c;
}

static inline struct row row_of(struct cell *cells, uint32_t count)
{
    struct row row = ROW_NONE;
    row.cells = cells;
    row.cell_count = count;
    return row;
}

#define ROW_OF(...) row_of((struct cell[]){ __VA_ARGS__ }, sizeof((struct cell[]){ __VA_ARGS__ }) / sizeof(struct cell))

static inline struct row marked(struct row row, int64_t timestamp_us)
{
    row.liveness.timestamp_us = timestamp_us;
    return row;
}

/* ---- mutations, a transaction each ---- */

static inline struct update update_of(struct rows *r, const char *key)
{
    return (struct update){
        .table = &r->table, .partition_key = slice_str(key), .partition_deletion = DELETION_NONE };
}

static inline void apply_one(struct rows *r, struct update *update)
{
    struct txn *txn = rows_write(r);
    OK(&r->db.ctx, apply(&r->db.ctx, txn, update));
    rows_commit(r, txn);
}

static inline void put_row_at(struct rows *r, struct slice key, struct slice clustering, struct row row)
{
    struct row_update one = { .clustering = clustering, .row = row };
    struct update u = update_of(r, "");
    u.partition_key = key;
    u.rows = &one;
    u.row_count = 1;
    apply_one(r, &u);
}

static inline void put(struct rows *r, const char *key, const char *clustering, struct row row)
{
    put_row_at(r, slice_str(key), slice_str(clustering), row);
}

static inline void put_static(struct rows *r, const char *key, struct row row)
{
    struct update u = update_of(r, key);
    u.static_row = &row;
    apply_one(r, &u);
}

static inline void delete_row(struct rows *r, const char *key, const char *clustering, int64_t timestamp_us)
{
    struct row row = ROW_NONE;
    row.deletion = (struct deletion){ timestamp_us, r->db.ctx.now_s };
    put(r, key, clustering, row);
}

static inline void delete_partition(struct rows *r, const char *key, int64_t timestamp_us)
{
    struct update u = update_of(r, key);
    u.partition_deletion = (struct deletion){ timestamp_us, r->db.ctx.now_s };
    apply_one(r, &u);
}

/* end NULL: open */
static inline void delete_range(struct rows *r, const char *key, const char *start, const char *end, int64_t timestamp_us)
{
    struct range_deletion range = { { slice_str(start), slice_str(end) }, { timestamp_us, r->db.ctx.now_s } };
    struct update u = update_of(r, key);
    u.ranges = &range;
    u.range_count = 1;
    apply_one(r, &u);
}

/* ---- looking ---- */

static inline void add_text(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline void add_text(char *out, size_t room, const char *format, ...)
{
    size_t at = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + at, room - at, format, args);
    va_end(args);
}

static inline void print_row(struct slice clustering, const struct row *row, char *out, size_t room)
{
    add_text(out, room, "%s%.*s(", *out ? " " : "", SLICE_ARG(clustering));
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        add_text(out, room, "%s%u", i ? " " : "", c->column);
        if (!slice_is_null(c->path))
            add_text(out, room, "[%.*s]", SLICE_ARG(c->path));
        add_text(out, room, "=%.*s", (int)(c->value.len < 20 ? c->value.len : 20), (const char *)c->value.data);
    }
    add_text(out, room, ")");
}

/* The live rows of a partition as text: `a(1=x 2[k]=y) b()`. In one buffer, good until the next call. */
static inline const char *shown_in(struct rows *r, struct txn *txn, const char *key, unsigned flags)
{
    static char text[4096];
    struct ctx *ctx = &r->db.ctx;
    struct scan *scan;
    struct partition partition;
    const struct row_view *view;
    bool found;

    text[0] = 0;
    OK(ctx, scan_new(ctx, &scan));
    OK(ctx, partition_find(ctx, txn, &r->table, slice_str(key), &partition, &found));
    OK(ctx, scan_open(ctx, scan, txn, &partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, flags, NULL));
    for (;;) {
        OK(ctx, scan_next(ctx, scan, &view));
        if (!view)
            break;
        print_row(view->clustering, &view->row, text, sizeof text);
    }
    scan_free(scan);
    return text;
}

static inline const char *shown(struct rows *r, const char *key)
{
    struct txn *txn = rows_read(r);
    const char *text = shown_in(r, txn, key, 0);
    txn_abort(&txn);
    return text;
}

static inline const char *shown_static(struct rows *r, const char *key)
{
    static char text[1024];
    struct partition partition;
    struct txn *txn = rows_read(r);
    struct row row;
    bool found;

    text[0] = 0;
    OK(&r->db.ctx, partition_find(&r->db.ctx, txn, &r->table, slice_str(key), &partition, &found));
    OK(&r->db.ctx, partition_static(&r->db.ctx, txn, &partition, NULL, &row));
    print_row(SLICE_EMPTY, &row, text, sizeof text);
    txn_abort(&txn);
    return text;
}

static inline struct table_figures rows_figures(struct rows *r)
{
    struct table_figures figures;
    struct txn *txn = rows_read(r);
    OK(&r->db.ctx, engine_table_figures(&r->db.ctx, txn, &r->table, &figures));
    txn_abort(&txn);
    return figures;
}

static inline uint64_t rows_entries(struct rows *r)
{
    struct engine_figures figures;
    OK(&r->db.ctx, engine_figures(&r->db.ctx, r->db.engine, &figures));
    return figures.entries;
}

#endif
