/*
 * schema.h - keyspaces, tables, columns: one immutable snapshot, counted by reference.
 *
 * A snapshot never changes; a schema change makes a new one (catalog.h) and swaps the database's pointer. Whoever uses one
 * holds a reference: pointers into it are good until schema_release. Names are as stored (case kept).
 */
#ifndef WR_MODEL_SCHEMA_H
#define WR_MODEL_SCHEMA_H

#include "engine/engine.h"
#include "model/clustering.h"
#include "model/type.h"

enum column_kind { COLUMN_PARTITION_KEY, COLUMN_CLUSTERING, COLUMN_STATIC, COLUMN_REGULAR };

struct column_mask { /* MASKED WITH: a function, and its arguments behind the value */
    struct slice keyspace, name;
    const struct type *const *types;
    const struct slice *values; /* SLICE_NULL: null */
    uint32_t arg_count;
};

struct column {
    struct slice name;
    const struct type *type;
    enum column_kind kind;
    bool descending;    /* clustering only; and of a view's key columns that descend in the base, for the order of IN's answers */
    uint32_t position;  /* among its kind: of key and clustering columns as declared; of the others by name bytes */
    uint32_t ordinal;   /* index in table->columns */
    uint32_t id;        /* the engine's number for its cells; 0 for key and clustering columns. Ascends with nothing: use as is */
    int64_t dropped_us; /* cells at or before it are hidden (the column was dropped then and re-added); TIMESTAMP_NONE */
    const struct column_mask *mask; /* NULL: none */
};

struct dropped_column {
    struct slice name;
    const struct type *type;
    enum column_kind kind;
    uint32_t id;
    int64_t dropped_us;
};

enum index_class { INDEX_LEGACY, INDEX_SAI, INDEX_SASI };
enum index_target { INDEX_VALUE, INDEX_KEYS, INDEX_VALUES, INDEX_ENTRIES, INDEX_FULL }; /* VALUE: a column that is not a collection */

struct string_map { /* in order of keys, as Cassandra prints maps */
    const struct slice *keys, *values;
    uint32_t count, written_count;
    const struct slice *written; /* the keys of the statement that it was made by, in its order; NULL: made by none */
};

struct index {
    struct slice name;
    const struct column *column;
    enum index_class index_class;
    enum index_target target;
    struct slice target_text;  /* as system_schema.indexes has it: v, values(m), ... */
    struct slice class_name;   /* CUSTOM: as typed; null: legacy */
    struct string_map options; /* without target and class_name */
    uint64_t id;               /* the engine's */
    bool sketches;             /* of vectors: rows have entries, with sketches (sketch.h); false: the index has no entries */
};

struct table_options { /* defaults: schema.c's table, which also names, checks and prints them */
    struct slice additional_write_policy, comment, memtable, read_repair, speculative_retry;
    struct string_map caching, compaction, compression, extensions;
    double bloom_filter_fp_chance, crc_check_chance;
    int32_t default_time_to_live, gc_grace_seconds, max_index_interval, memtable_flush_period_in_ms, min_index_interval;
    bool cdc, allow_auto_snapshot, incremental_backups;
};

enum table_flags {
    TABLE_COUNTER = 1,
    TABLE_COMPACT = 2,        /* any COMPACT STORAGE shape */
    TABLE_DENSE = 4,          /* compact with clustering columns: one value column */
    TABLE_COMPOUND = 8,       /* compact and dense with several clustering columns; every table that is not compact */
    TABLE_STATIC_COMPACT = 16, /* compact without clustering: declared columns kept as statics, hidden (column1, value) */
    TABLE_SYSTEM = 32,        /* of a keyspace that users may not change */
    TABLE_VIEW = 64,
    TABLE_VIRTUAL = 128,       /* rows are made when they are read (virtual.h); the engine does not know it */
    TABLE_MADE = 256,          /* rows are made when they are read: a virtual table, or one of the ring that tells of figures (virtual.h, 3) */
};

/* A relation of a view's WHERE as Cassandra prints it, its columns apart, since they can be renamed: `("C c", e)` ` > (1, 'x')` */
struct view_relation {
    const struct slice *columns;
    uint32_t column_count;
    bool tuple; /* in parentheses */
    struct slice rest;
};

/* What a view is of. Its columns are columns of the base, by name, and its regular ones by id, too. */
struct view {
    struct slice base_name;
    uint8_t base_id[16];
    bool every_column;   /* SELECT *: columns added to the base are the view's as well */
    bool has_key_cell;   /* a regular column of the base is in the view's key */
    const struct view_relation *where;
    uint32_t where_count;
    struct slice chosen; /* view_filter.h's bytes: which rows of the base it has */
};

struct table {
    struct slice keyspace, name;
    uint8_t id[16];           /* the UUID of system_schema.tables */
    unsigned flags;
    const struct column *columns; /* in `*` order: partition key, clustering, static, regular; the last two by name bytes */
    uint32_t column_count, key_count, clustering_count, static_count, regular_count;
    struct clustering_shape clustering;
    struct table_shape shape;     /* what the engine is told; shape.table_id changes with TRUNCATE */
    struct table_options options;
    const struct index *indexes;
    uint32_t index_count;
    const struct dropped_column *dropped;
    uint32_t dropped_count;
    const struct view *view;           /* of a view; NULL: a table with rows of its own */
    const struct table *const *views;  /* of this table, by name; view_count. In a snapshot only */
    uint32_t view_count;
    uint32_t next_column_id;
    uint64_t changed; /* the schema's version that changed it last: the order in which messages list tables */
};

static inline const struct column *table_key(const struct table *t, uint32_t i) { return &t->columns[i]; }
static inline const struct column *table_clustering(const struct table *t, uint32_t i) { return &t->columns[t->key_count + i]; }
static inline bool table_is_view(const struct table *t) { return t->view != NULL; }
static inline bool table_is_counter(const struct table *t) { return (t->flags & TABLE_COUNTER) != 0; }
static inline bool column_is_primary_key(const struct column *c) { return c->kind <= COLUMN_CLUSTERING; }
static inline bool table_mixes(const struct table *t, const struct column *c) /* it is a counter among others, or none among counters */
{
    return !column_is_primary_key(c) && (c->type->kind == TYPE_COUNTER) != table_is_counter(t);
}

/* What a compact table has and CQL does not show: column1 and value of the static shape, the empty value of a table of keys alone. */
static inline bool column_is_hidden(const struct table *t, const struct column *c)
{
    if (t->flags & TABLE_STATIC_COMPACT)
        return c->kind == COLUMN_CLUSTERING || c->kind == COLUMN_REGULAR;
    return (t->flags & TABLE_COMPACT) && c->kind == COLUMN_REGULAR && c->type->kind == TYPE_EMPTY;
}

bool table_has_masks(const struct table *table); /* any column MASKED WITH */
bool table_has_dropped(const struct table *table); /* rows may have cells of dropped columns */
const struct column *table_column(const struct table *table, struct slice name); /* NULL: none */
/* Of those that a user may name, and so none that a compact table hides. WR_INVALID: "Undefined column name c in table k.t". */
/* What tokens of its partitions are: numbers of the ring, or of a virtual table its keys (LocalPartitioner). */
enum wr_status table_token_type(struct ctx *ctx, const struct table *table, const struct type **out);
enum wr_status table_require_column(struct ctx *ctx, const struct table *table, struct slice name, const struct column **out);
/* The column whose cells have that id; NULL: dropped since. */
const struct column *table_column_by_id(const struct table *table, uint32_t id);
const struct index *table_index_on(const struct table *table, const struct column *column, enum index_target target); /* NULL */

struct function { /* CREATE FUNCTION */
    struct slice name;
    const struct slice *arg_names;
    const struct type *const *args;
    uint32_t arg_count;
    const struct type *result;
    bool called_on_null;
    struct slice language, body; /* as written */
};

struct aggregate { /* CREATE AGGREGATE; the functions are those of users (functions.h), by name and types */
    struct slice name;
    const struct type *const *args;
    uint32_t arg_count;
    struct slice state_function, final_function; /* final null: none */
    const struct type *state, *result;
    struct slice initial; /* null: none */
};

struct keyspace {
    struct slice name;
    struct string_map replication; /* with class, its full Java name */
    bool durable_writes;
    const struct table *const *tables; /* by name; views are among them */
    const struct type *const *types;   /* UDTs by name, not multicell: what frozen<t> is */
    const struct type *const *declared; /* the same as CREATE TYPE has them: multicell, and fields frozen only where written so */
    const struct function *functions;   /* by name, then types */
    const struct aggregate *aggregates; /* so, too */
    uint32_t table_count, type_count, function_count, aggregate_count;
    bool is_system;
};

struct schema;

struct schema *schema_acquire(struct schema *schema); /* adds a reference; returns its argument */
void schema_release(struct schema *schema);           /* NULL is fine */
uint64_t schema_version(const struct schema *schema); /* grows with every change */
void schema_version_uuid(const struct schema *schema, uint8_t out[16]); /* of the contents, as system.local shows it */
uint32_t schema_keyspace_count(const struct schema *schema);
const struct keyspace *schema_keyspace_at(const struct schema *schema, uint32_t i); /* by name */
const struct keyspace *schema_keyspace(const struct schema *schema, struct slice name); /* NULL: none */
const struct table *schema_table(const struct schema *schema, struct slice keyspace, struct slice name); /* NULL */
const struct table *schema_table_by_id(const struct schema *schema, uint64_t engine_table_id);
const struct type *schema_type(const struct schema *schema, struct slice keyspace, struct slice name);
const struct type *schema_declared_type(const struct schema *schema, struct slice keyspace, struct slice name); /* keyspace.declared's */
const struct index *schema_index(const struct schema *schema, struct slice keyspace, struct slice name,
                                 const struct table **table);

/* The place of a user type in keyspace->types; type_count: none of that name. */
uint32_t keyspace_type_place(const struct keyspace *keyspace, struct slice name);

/* Sets used[i] for every keyspace->types[i] that a type is made of, itself included, however deep. Each user type is entered once:
 * types made of two of the one before, and so on, are 2^n paths. used[] that are set already are taken as entered. */
void keyspace_mark_types(const struct keyspace *keyspace, const struct type *type, bool *used);
enum wr_status keyspace_types_sorted(struct ctx *ctx, const struct keyspace *k, const struct type ***out); /* as Cassandra's Types has them */

/* The keyspace a statement names, or the current one; neither: "No keyspace has been specified. USE a keyspace, or explicitly
 * specify keyspace.tablename". */
enum wr_status schema_qualify(struct ctx *ctx, struct slice current_keyspace, struct slice keyspace, struct slice *out);

/* The keyspace of that name: "Keyspace 'k' does not exist". */
enum wr_status schema_require_keyspace(struct ctx *ctx, const struct schema *schema, struct slice name, const struct keyspace **out);

/* The table a DML statement names, with Cassandra's messages: that, "keyspace k does not exist", "table t does not exist". */
enum wr_status schema_require_table(struct ctx *ctx, const struct schema *schema, struct slice current_keyspace,
                                    struct slice keyspace, struct slice name, const struct table **out);

/* ---- making snapshots: for catalog.c, which alone builds them ---- */

/*
 * A snapshot is made of counted pieces, each an arena of its own: a table, the user types of a keyspace, a keyspace. What a
 * change does not touch is shared with the snapshot before, so a schema change costs what it changes and a list of pointers.
 */
struct piece {
    _Atomic uint32_t refs;
    struct arena arena;
    uint8_t digest[16]; /* of what it was made from */
    struct piece_link { struct piece_link *next; struct piece *piece; } *below; /* what it points into, each counted once */
};

enum wr_status piece_new(struct ctx *ctx, struct piece **out);
enum wr_status piece_hold(struct ctx *ctx, struct piece *piece, struct piece *below); /* takes a reference; NULL is fine */
void piece_release(struct piece *piece);                                               /* NULL is fine */

/* A keyspace in a snapshot, with the pieces its pointers reach into. In its own piece's arena. */
struct keyspace_part {
    struct keyspace keyspace;
    struct piece *piece;       /* its own */
    struct piece *types;       /* NULL: no user types */
    struct piece *const *tables; /* one each of keyspace.tables; NULL: they live in the keyspace's own (system keyspaces) */
    uint8_t digest[16];        /* of its definition, its types and tables */
};

/* The snapshot of those keyspaces, in order of their names; takes references of its own. */
enum wr_status schema_make(struct ctx *ctx, uint64_t version, const struct keyspace_part *const *parts, uint32_t count,
                           struct schema **out);
const struct keyspace_part *schema_part(const struct schema *schema, struct slice keyspace); /* NULL: none */
const struct keyspace_part *schema_part_at(const struct schema *schema, uint32_t i);

#endif
